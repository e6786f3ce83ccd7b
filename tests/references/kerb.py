"""The car of models/kerb.yaml by its own equations: numbers of tests/test_walks.c.

Coordinates: x, y and angle of the car, and how far below its centre either wheel is, along its axes.
"""

import numpy as np
from scipy.integrate import solve_ivp

g, r, axle, h, edge, K, c = 9.81, 0.36, (1.0, -1.017), 0.1, 2.0, 2e5, 200.0
k, d, free = 3e4, 3000.0, 0.55 + 620 * 9.81 / 3e4
sink = 1360 * g / 2 / K


def push(p, v):
    """force of road and kerb on a disc about p"""
    F = np.zeros(2)
    near = np.array([max(p[0], edge), min(p[1], h)])
    for q in (np.array([p[0], 0.0]), near):
        away = p - q
        n = away / np.linalg.norm(away)
        depth, rate = r - np.linalg.norm(away), -n @ v
        if depth > 0:
            F += max(0.0, K * depth + c * rate) * n
    return F


def rates(t, y):
    q, u = y[:5], y[5:]
    C, S = np.cos(q[2]), np.sin(q[2])
    R, D = np.array([[C, -S], [S, C]]), np.array([[-S, -C], [C, -S]])
    M = np.diag([1240.0, 1240.0, 1700.0 + 2 * 2.0, 0, 0])
    f = np.array([0, -1240 * g, 0, 0, 0])
    for i in range(2):
        arm, s, ds = np.array([axle[i], -q[3 + i]]), q[3 + i], u[3 + i]
        J = np.zeros((2, 5))
        J[:, :2], J[:, 2], J[:, 3 + i] = np.eye(2), D @ arm, -R[:, 1]
        bias = -R @ arm * u[2] ** 2 - 2 * D[:, 1] * u[2] * ds
        p, v = q[:2] + R @ arm, J @ u
        M += 60 * J.T @ J
        f += J.T @ (push(p, v) + np.array([0, -60 * g]) - 60 * bias)
        f[3 + i] += k * (free - 0.3 - s) - d * ds
    return np.r_[u, np.linalg.solve(M, f)]


start = np.r_[0, r - sink + 0.25, 0, 0.25, 0.25, 3, 0, 0, 0, 0]
for until in (0.5, 1.2, 2.0):
    s = solve_ivp(rates, (0, until), start, "DOP853", rtol=1e-12, atol=1e-13, max_step=1e-3)
    print(until, [repr(float(x)) for x in s.y[:, -1]])
