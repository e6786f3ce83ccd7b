"""Motions over ground given by heights, by their own equations: numbers of tests/test_terrain.c.

The ground is scipy's bicubic spline through the same heights. A point slides on it: with
x'' = -f_x l, y'' = -f_y l, l = (g + f_xx x'^2 + 2 f_xy x' y' + f_yy y'^2) / (1 + f_x^2 + f_y^2).
A ball presses on it, by a spring and a damper along the normal in the nearest point, and rubs.
"""

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import RectBivariateSpline
from scipy.optimize import fsolve

X, Y = np.linspace(-2, 2, 21), np.linspace(-2, 2, 17)
Z = np.array([[0.3 * np.sin(1.3 * x) * np.cos(0.9 * y) + 0.1 * x for y in Y] for x in X])
f = RectBivariateSpline(X, Y, Z, kx=3, ky=3, s=0)
g = 9.81


def d(x, y, i, j):
    return f(x, y, dx=i, dy=j)[0, 0]


def point(t, s):
    x, y, u, v = s
    a, b = d(x, y, 1, 0), d(x, y, 0, 1)
    push = g + d(x, y, 2, 0) * u * u + 2 * d(x, y, 1, 1) * u * v + d(x, y, 0, 2) * v * v
    push /= 1 + a * a + b * b
    return [u, v, -a * push, -b * push]


def nearest(p):
    def slope(c):
        h = d(*c, 0, 0) - p[2]
        return [c[0] - p[0] + h * d(*c, 1, 0), c[1] - p[1] + h * d(*c, 0, 1)]

    c = fsolve(slope, p[:2], xtol=1e-14)
    n = np.array([-d(*c, 1, 0), -d(*c, 0, 1), 1])
    n /= np.linalg.norm(n)
    return n, n @ (p - np.array([*c, d(*c, 0, 0)]))


radius, mass, inertia, stiffness, damping, mu, slow = 0.1, 2, 0.008, 1e4, 40, 0.4, 0.05


def ball(t, s):
    p, v, w = s[:3], s[3:6], s[6:9]
    n, gap = nearest(p)
    depth, rate = radius - gap, -n @ v
    force = max(stiffness * depth + damping * rate, 0) if depth > 0 else 0
    arm = -radius * n
    slip = v - n * (n @ v) + np.cross(w, arm)
    size = np.linalg.norm(slip)
    rub = -mu * force * np.tanh(size / slow) * slip / size if size > 0 else 0 * slip
    return [*v, *((force * n + rub) / mass - [0, 0, g]), *(np.cross(arm, rub) / inertia)]


rim, tyre, turn = 0.25, 0.05, np.array([0.05, 0.05, 0.09])  # a wheel about its z
guess = [0.2, 0.1, 0.0]


def lowest(p, R):
    """the point of the rim that is nearest to the ground, from the middle; normal and distance"""
    global guess

    def arm(phi):
        return rim * (R[:, 0] * np.cos(phi) + R[:, 1] * np.sin(phi))

    def slope(c):
        q, h = p + arm(c[2]), d(c[0], c[1], 0, 0)
        a, b = d(c[0], c[1], 1, 0), d(c[0], c[1], 0, 1)
        along = rim * (R[:, 1] * np.cos(c[2]) - R[:, 0] * np.sin(c[2]))
        return [c[0] - q[0] + (h - q[2]) * a, c[1] - q[1] + (h - q[2]) * b, along @ [-a, -b, 1]]

    guess = fsolve(slope, guess, xtol=1e-13)
    n = np.array([-d(*guess[:2], 1, 0), -d(*guess[:2], 0, 1), 1])
    n /= np.linalg.norm(n)
    r = arm(guess[2])
    return r, n, n @ (p + r - np.array([*guess[:2], d(*guess[:2], 0, 0)]))


def rolls(t, s):
    """without slip: p' = r w x n, and the turning about the place of contact"""
    p, w = s[:3], s[3:6]
    c = fsolve(lambda c: offset(*c)[1][:2] - p[:2], p[:2], xtol=1e-13)
    n, _, turns, moves = offset(*c)
    v = radius * np.cross(w, n)
    dn = turns @ np.linalg.lstsq(moves, v, rcond=None)[0]
    turn = -mass * radius**2 * np.cross(n, np.cross(w, dn)) - mass * g * radius * np.cross(n, [0, 0, 1])
    return [*v, *(turn / (inertia + mass * radius**2))]


def offset(x, y):
    """normal, and the place a radius above the ground; how both change with x and y"""
    a, b, xx, xy, yy = (d(x, y, *k) for k in [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)])
    W = np.sqrt(1 + a * a + b * b)
    n = np.array([-a, -b, 1]) / W
    dn = np.array([[-xx, -xy], [-xy, -yy], [0, 0]]) / W - np.outer(n, [a * xx + b * xy, a * xy + b * yy]) / W**2
    return n, np.array([x, y, d(x, y, 0, 0)]) + radius * n, dn, np.array([[1, 0], [0, 1], [a, b]]) + radius * dn


def rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def wheel(t, s):
    p, q, v, w = s[:3], s[3:7], s[7:10], s[10:13]
    R = rotation(q)
    r, n, gap = lowest(p, R)
    depth, rate = tyre - gap, -n @ (v + np.cross(w, r))
    force = max(stiffness * depth + damping * rate, 0) if depth > 0 else 0
    arm = r - tyre * n
    slip = v + np.cross(w, arm)
    slip = slip - n * (n @ slip)
    size = np.linalg.norm(slip)
    on = force * n - (mu * force * np.tanh(size / slow) * slip / size if size > 0 else 0)
    inner = R.T @ w
    spin = R @ ((R.T @ np.cross(arm, on) - np.cross(inner, turn * inner)) / turn)
    a, b = q[0], q[1:]
    rate_q = 0.5 * np.array([-b @ w, *(a * w + np.cross(w, b))])
    return [*v, *rate_q, *(on / mass - [0, 0, g]), *spin]


def main():
    t = dict(rtol=1e-12, atol=1e-13, method="DOP853")
    start = [0.2, 0.1, 1.0, 0.5]
    o = solve_ivp(point, [0, 1.2], start, t_eval=[0.4, 0.8, 1.2], **t)
    print("starts at z", repr(float(d(0.2, 0.1, 0, 0))), "with", repr(float(d(0.2, 0.1, 1, 0) + 0.5 * d(0.2, 0.1, 0, 1))))
    for k in range(3):
        print("point", repr(float(o.t[k])), [float(x) for x in o.y[:2, k]], float(d(*o.y[:2, k], 0, 0)), [float(x) for x in o.y[2:, k]])
    start = [0.2, 0.1, 0.4, 0.5, 0.3, 0, 0, 0, 0]
    o = solve_ivp(ball, [0, 1.2], start, t_eval=[0.4, 0.8, 1.2], max_step=1e-3, **t)
    for k in range(3):
        print("ball", repr(float(o.t[k])), [float(x) for x in o.y[:, k]])
    n, p, _, _ = offset(0.2, 0.1)
    w = np.array([-4.0, 6.0, 1.0])
    print("rolls from", [float(x) for x in p], "by", [float(x) for x in radius * np.cross(w, n)])
    o = solve_ivp(rolls, [0, 0.9], [*p, *w], t_eval=[0.3, 0.6, 0.9], **t)
    for k in range(3):
        print("rolls", repr(float(o.t[k])), [float(x) for x in o.y[:, k]])
    # a wheel upright about y, rolling along x
    start = [0.2, 0.1, 0.4, np.sqrt(0.5), -np.sqrt(0.5), 0, 0, -1, 0, 0, 0, -3, 0.2]
    guess[2] = np.pi / 2
    o = solve_ivp(wheel, [0, 0.6], start, t_eval=[0.2, 0.4, 0.6], max_step=2e-3, rtol=1e-9, atol=1e-10, method="DOP853")
    for k in range(3):
        print("wheel", repr(float(o.t[k])), [float(x) for x in o.y[:, k]])
    for x, y in [(0.123, -0.456), (-1.93, 1.91), (1.7, 0.02)]:
        print("height", x, y, [float(d(x, y, i, j)) for i, j in [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]])


main()
