"""When the block of models/rocking_block.yaml stands: a number of tests/test_walks.c.

Between impacts w^2 + 2 p cos(alpha - tilt) is kept, p = 3 g / 4 R; each impact leaves 1 - 3/2 sin(alpha)^2 of the speed.
"""

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq

g, alpha, R = 9.81, np.arctan2(0.1, 0.4), np.hypot(0.1, 0.4)
p, e = 3 * g / (4 * R), 1 - 1.5 * np.sin(alpha) ** 2


def fall(tilt):
    """from rest at a tilt; u^2 is how far it has fallen"""
    speed = lambda u: np.sqrt(4 * p * np.sin(alpha - tilt + u * u / 2) * np.sin(u * u / 2))
    return quad(lambda u: 2 * u / speed(u), 0, np.sqrt(tilt), epsabs=0, epsrel=1e-12)[0]


def gained(tilt):
    return 4 * p * np.sin(alpha - tilt / 2) * np.sin(tilt / 2)


tilt = alpha / 2
t, w2 = fall(tilt), gained(tilt)
while tilt > 1e-7:
    w2 *= e * e
    tilt = brentq(lambda x: gained(x) - w2, 0, tilt, xtol=1e-16)
    t += 2 * fall(tilt)
# the rest as if it fell with one acceleration
t += 2 * np.sqrt(w2) * e / (p * np.sin(alpha)) / (1 - e)
print(repr(float(t)))
