#!/usr/bin/env python3
"""References of tests/test_curve.c: splines through unevenly spaced points, by the length of chords.

usage: python3 spline.py     prints numbers; they are copied into the test by hand

Points in the middle of every segment, of the closed curve through all points, then of the open one with no curvature
at its ends, by scipy's CubicSpline.
"""

import numpy as np
from scipy.interpolate import CubicSpline

points = np.array([[1, 0], [0.7, 0.9], [-0.2, 1.1], [-1.3, 0.2], [-0.6, -0.8], [0.9, -0.5]], float)

for closed in True, False:
    way = np.vstack([points, points[:1]]) if closed else points
    s = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(way, axis=0).T))])
    curve = CubicSpline(s, way, bc_type="periodic" if closed else "natural")
    for x, y in curve((s[1:] + s[:-1]) / 2):
        print("{%.17g, %.17g}," % (x, y))
