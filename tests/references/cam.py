#!/usr/bin/env python3
"""References of tests/test_curve.c: a follower that lifts off its cam.

usage: python3 cam.py     prints numbers; they are copied into the test by hand

The roller (radius q) of a follower stands at x = 0 above the axis of a cam that turns with w. In the cam's axes its
middle lies on the curve parallel to the cam at the distance q; from the angle of that point follow the cam's angle and
the height y, and by a spline through 40000 of them the speed and acceleration. The follower (mass m, spring k of
free height f, gravity) leaves the cam where m (y'' + g) + k (y - f) = 0 and falls back on it after a flight in
closed form.
"""

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

m, g, k, f, q = 0.5, 9.81, 400.0, 0.0, 0.01


def height(curve, slope):
    """y over the cam's angle, with the cosine of the pressure angle, for a closed curve C(u), 0 <= u < 2 pi, against the clock"""
    u = np.linspace(0, 2 * np.pi, 40001)[:-1]
    C, D = curve(u), slope(u)
    P = C - 1j * q * D / np.abs(D)
    angle = np.pi / 2 - np.unwrap(np.angle(P))
    order = np.argsort(angle)
    a, y = angle[order], np.abs(P)[order]
    a, y = np.r_[a, a[0] + 2 * np.pi], np.r_[y, y[0]]
    # the normal, along which the gap is measured, against the line of the follower
    lean = np.real(np.conj(-1j * D / np.abs(D)) * P / np.abs(P))[order]
    return CubicSpline(a, y, bc_type="periodic"), CubicSpline(a, np.r_[lean, lean[0]], bc_type="periodic")


def flight(cam, w):
    y, lean = cam
    at = lambda t, n: y(w * t, n) * w**n
    force = lambda t: m * (at(t, 2) + g) + k * (at(t, 0) - f)
    t = np.linspace(0, 2 * np.pi / w, 20001)
    F = force(t)
    i = np.where((F[:-1] > 0) & (F[1:] <= 0))[0][0]
    t1 = brentq(force, t[i], t[i + 1], xtol=1e-15)
    s = np.sqrt(k / m)
    rest = f - m * g / k
    free = lambda t: rest + (at(t1, 0) - rest) * np.cos(s * (t - t1)) + at(t1, 1) / s * np.sin(s * (t - t1))
    rate = lambda t: -(at(t1, 0) - rest) * s * np.sin(s * (t - t1)) + at(t1, 1) * np.cos(s * (t - t1))
    gap = lambda t: free(t) - at(t, 0)
    t = np.linspace(t1 + 1e-3, t1 + 2 * np.pi / w, 20001)
    i = np.where((np.array([gap(x) for x in t[:-1]]) > 0) & (np.array([gap(x) for x in t[1:]]) <= 0))[0][0]
    t2 = brentq(gap, t[i], t[i + 1], xtol=1e-15)
    return t1, t2, (rate(t2) - at(t2, 1)) * lean(w * t2), free(0.5 * (t1 + t2))


R, e = 0.04, 0.012
eccentric = height(lambda u: e + R * np.exp(1j * u), lambda u: 1j * R * np.exp(1j * u))
print("eccentric %.12f %.12f %.9f %.12f" % flight(eccentric, 80.0))
r = lambda u: 0.03 + 0.012 * (1 - np.cos(u))
dr = lambda u: 0.012 * np.sin(u)
limacon = height(lambda u: r(u) * np.exp(1j * u), lambda u: (dr(u) + 1j * r(u)) * np.exp(1j * u))
print("limacon   %.12f %.12f %.9f %.12f" % flight(limacon, 80.0))
print("limacon starts at %.12f with %.12f" % (limacon[0](0.0), limacon[0](0.0, 1) * 80.0))
