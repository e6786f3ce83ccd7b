"""The vehicle of models/iltis_kerb.yaml by its own equations: numbers of tests/test_iltis.c.

Coordinates: x, z, pitch and roll of the chassis, and the angle of each A-arm against how it is described. A corner has one
degree of freedom: polynomials in the arm's angle are fitted to the places where its loops close.
"""

import numpy as np
from numpy.polynomial import chebyshev
from scipy.integrate import solve_ivp

g, speed, edge, kerb, K = 9.81, 2.0, 2.0, 0.08, 460e3
radius = (0.364325, 0.364325, 0.363812, 0.363812)
inner, low, root, up = np.array([[0, -0.259, -0.268], [0, -0.572, -0.341], [0, -0.1585, 0.03], [0, -0.488, -0.039]])
rack, steer, top, foot, hub = np.array([[-0.14, -0.07, 0.03], [-0.14, -0.448, -0.039], [0.075, -0.297, 0.062],
                                        [0.075, -0.5, -0.329], [0, -0.615, -0.214]])
# front right, front left, rear right, rear left
side = [np.diag(s) for s in ([1.0, 1, 1], [1.0, -1, 1], [-1.0, 1, 1], [-1.0, -1, 1])]
axle = [np.array([x, 0, 0]) for x in (0.97, 0.97, -1.047, -1.047)]
stencil = np.array([1 / 560, -8 / 315, 1 / 5, -8 / 5, 205 / 72, -8 / 5, 1 / 5, -8 / 315, 1 / 560]) * -1
fine = 0.02


def about(k, a):
    W = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(a) * W + (1 - np.cos(a)) * W @ W


def close(phi, guess):
    """wheel at this angle of the arm: rotation of the leaf, steering"""
    ball = inner + about([1, 0, 0], phi) @ (low - inner)

    def place(u):
        end = root + about([1, 0, 0], u[0]) @ (up - root)
        k, k0 = end - ball, up - low
        tilt = np.arctan2(k[2], k[1]) - np.arctan2(k0[2], k0[1])
        return k, about(k / np.linalg.norm(k), u[1]) @ about([1, 0, 0], tilt)

    def open_by(u):
        k, R = place(u)
        return np.array([k @ k - (up - low) @ (up - low),
                         np.sum((ball + R @ (steer - low) - rack) ** 2) - np.sum((steer - rack) ** 2)])

    u = guess
    for _ in range(12):  # Newton's method, with differences
        J = np.array([open_by(u + e) - open_by(u - e) for e in 1e-6 * np.eye(2)]).T / 2e-6
        u = u - np.linalg.solve(J, open_by(u))
    assert np.abs(open_by(u)).max() < 1e-15
    R = place(u)[1]
    return u, np.r_[ball + R @ (hub - low), (ball + R @ (up - low))[2], R.ravel()]


reach, order = 0.4, 40
nodes = np.cos(np.pi * (np.arange(order) + 0.5) / order)
values, u = {}, np.zeros(2)
for i in np.argsort(np.abs(nodes)):  # from the middle outwards
    near = min(values, key=lambda k: abs(nodes[k] - nodes[i]), default=None)
    values[i] = close(reach * nodes[i], np.zeros(2) if near is None else values[near][0])
fit = chebyshev.chebfit(nodes, np.array([values[i][1] for i in range(order)]), order - 1)
slope = chebyshev.chebder(fit) / reach


def bodies(s):
    """place and rotation of all bodies: chassis, then wheel and arm of each corner"""
    c, d, a, b = np.cos(s[2]), np.sin(s[2]), np.cos(s[3]), np.sin(s[3])
    C = np.array([[c, 0, d], [0, 1, 0], [-d, 0, c]]) @ np.array([[1, 0, 0], [0, a, -b], [0, b, a]])
    P = np.array([s[0], 0, s[1]])
    yield P, C
    for i in range(4):
        S, phi = side[i], s[4 + i]
        f = chebyshev.chebval(phi / reach, fit)
        yield P + C @ (S @ f[:3] + axle[i]), C @ S @ f[4:].reshape(3, 3) @ S
        R = about(np.array([1.0, 0, 0]), phi)
        rise = about([1, 0, 0], np.arctan2(0.073, 0.313))  # the arm's y points to the chassis
        yield P + C @ (S @ (inner + R @ (low - inner) / 2) + axle[i]), C @ S @ R @ rise @ S


mass = [1260.0] + 4 * [57.35, 6.0]
inertia = [np.diag([130.0, 1620, 1670])] + 4 * [np.diag([1.2402, 1.908, 1.2402]), np.diag([0.052099, 0.023235, 0.068864])]


def spin(A):
    return np.array([A[2, 1] - A[1, 2], A[0, 2] - A[2, 0], A[1, 0] - A[0, 1]]) / 2


def damper(v):
    if v < -0.2:
        return -416.42 + 1844.3 * v
    return 9945.627 * v + 33955.72 * v**2 - 59832.25 * v**3 - 395651 * v**4 if v < 0.21 else 1919.1638 + 1634.727 * v


def rates(t, y):
    s, v = y[:8], y[8:]
    now = list(bodies(s))
    turned = [list(bodies(s + 1e-30j * e)) for e in np.eye(8)]
    beside = [list(bodies(s + k * fine * v)) for k in range(-4, 5)]
    M, f = np.zeros((8, 8)), np.zeros(8)
    for i, (p, R) in enumerate(now):
        J = np.array([b[i][0].imag for b in turned]).T / 1e-30
        W = np.array([spin((b[i][1].imag / 1e-30) @ R.T) for b in turned]).T
        bias = sum(w * b[i][0] for w, b in zip(stencil, beside)) / fine**2
        turn = spin(sum(w * b[i][1] for w, b in zip(stencil, beside)) / fine**2 @ R.T)
        I, omega = R @ inertia[i] @ R.T, W @ v
        M += mass[i] * J.T @ J + W.T @ I @ W
        F = np.array([0, 0, -mass[i] * g])
        if i % 2 == 1:
            r = radius[i // 2]
            F[2] += K * max(0, r - p[2])
            near = np.clip(p, [edge, -1.25, -kerb], [edge + 6, -0.25, kerb])
            far = np.linalg.norm(p - near)
            if i // 2 in (0, 2) and far < r:
                F += K * (r - far) * (p - near) / far
        f += J.T @ (F - mass[i] * bias) - W.T @ (I @ turn + np.cross(omega, I @ omega))
    for i in range(4):
        phi = s[4 + i]
        height, rise = chebyshev.chebval(phi / reach, fit)[3], chebyshev.chebval(phi / reach, slope)[3]
        leaf = 35906 * max(0, height + 0.115) + 1e7 * max(0, height + 0.115 - 0.146)
        arm = about([1, 0, 0], phi) @ (foot - inner)
        L = np.linalg.norm(inner + arm - top)
        lever = (inner + arm - top) @ np.cross([1, 0, 0], arm) / L
        shock = -4.0092e6 + 2.8397e7 * L - 6.7061e7 * L**2 + 5.2796e7 * L**3 + damper(lever * v[4 + i])
        f[4 + i] -= leaf * rise + shock * lever
    return np.r_[v, np.linalg.solve(M, f)]


start = np.r_[0, 0.57, 0, 0, np.zeros(4), speed, np.zeros(7)]
for until in (0.5, 1.0, 2.0):
    s = solve_ivp(rates, (0, until), start, "DOP853", rtol=1e-11, atol=1e-12, max_step=2e-3)
    hubs = [p[2] for p, _ in list(bodies(s.y[:8, -1]))[1::2]]
    print(until, [repr(float(x)) for x in np.r_[s.y[:4, -1], hubs, s.y[8:12, -1]]], flush=True)
