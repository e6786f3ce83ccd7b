"""Numbers of tests/test_mechanisms.c, by scipy: Geneva drive, flat-faced follower, tippe-top.

Equations are written out here for each of them and have nothing to do with the library's.
"""
import math

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq


def geneva():
    """When the flywheel has made 1, 2, 3 turns, and where the wheel is in the middle of a slot."""
    crank, wheel, speed = 0.01, 0.004, 10.0

    def slope(a):  # of the wheel's angle over the flywheel's
        s = math.sqrt(2)
        return (s * math.cos(a) - 1) / (3 - 2 * s * math.cos(a))

    def pace(a):
        return math.sqrt((crank + wheel * slope(a) ** 2) / crank) / speed

    through = quad(pace, -math.pi / 4, math.pi / 4, epsabs=0, epsrel=1e-13)[0]
    turn = through + 1.5 * math.pi / speed
    print("geneva: time of a turn %.15g, speed in the middle of a slot %.15g" % (turn, 1 / pace(0)))


def follower():
    """When the face leaves the disc and strikes it again, three times over."""
    m, k, e, w, g, before, rest = 0.4, 200.0, 0.01, 80.0, 9.81, 0.03, 0.2

    def lift(t):
        return e * (1 - math.cos(w * t))

    def rate(t):
        return e * w * math.sin(w * t)

    def press(t):
        return m * e * w * w * math.cos(w * t) + m * g + k * (lift(t) + before)

    own = math.sqrt(k / m)
    middle = -before - m * g / k
    t = brentq(press, 0.5 * math.pi / w, math.pi / w, xtol=1e-16)
    print("follower: leaves at %.15g" % t)
    v = rate(t)
    for hit in range(3):
        y0, t0 = lift(t), t

        def gap(s):
            y = middle + (y0 - middle) * math.cos(own * s) + v / own * math.sin(own * s)
            return y - lift(t0 + s)

        s = 1e-4 if hit == 0 else 1e-7
        while gap(s) > 0:
            s += 1e-6
        s = brentq(gap, s - 1e-6, s, xtol=1e-17)
        v1 = -(y0 - middle) * own * math.sin(own * s) + v * math.cos(own * s)
        t = t0 + s
        before_hit = v1 - rate(t)
        print("  strikes at %.15g with %.15g" % (t, before_hit))
        v = rate(t) - rest * before_hit


def tippe_top():
    """Height of the centre of mass and spin along the axis, of the same compliant contact."""
    m, R, a, spin, tilt, g = 0.02, 0.02, 0.006, 160.0, 0.1, 9.81
    A, C = 0.4 * m * R * R, 0.42 * m * R * R
    K, c, mu, slow = 2e4, 10.0, 0.3, 0.02

    def f(t, y):
        r, v, d, L = y[:3], y[3:6], y[6:9], y[9:12]  # d: axis towards the stem, L about the middle of mass
        w = (L - (L @ d) * d) / A + (L @ d) / C * d
        z = np.array([0.0, 0.0, 1.0])
        middle = r + a * d
        vm = v + np.cross(w, a * d)
        depth = R - middle[2]
        N = max(0.0, K * depth - c * vm[2]) if depth > 0 else 0.0
        point = middle - R * z
        slip = v + np.cross(w, point - r)
        slip[2] = 0
        u = math.hypot(slip[0], slip[1])
        F = N * z - mu * N * (math.tanh(u / slow) / u if u > 0 else 1 / slow) * slip
        return np.concatenate([v, F / m - g * z, np.cross(w, d), np.cross(point - r, F)])

    d = np.array([0, -math.sin(tilt), math.cos(tilt)])
    r = np.array([0, 0, R - a * math.cos(tilt) - m * 9.81 / 2e4])
    y = np.concatenate([r, np.zeros(3), d, C * spin * d])
    s = solve_ivp(f, (0, 2), y, method="DOP853", rtol=1e-11, atol=1e-14, t_eval=[0.5, 1, 1.5, 2])
    for t, y in zip(s.t, s.y.T):
        print("tippe-top: t %.1f height %.12g tilt cos %.12g spin %.12g" % (t, y[2], y[8], y[9:12] @ y[6:9] / C))


if __name__ == "__main__":
    geneva()
    follower()
    tippe_top()
