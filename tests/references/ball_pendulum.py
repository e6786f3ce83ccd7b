"""A pendulum in a socket that rubs, until it rests: numbers of tests/test_ball_friction.c.

A rigid body about a fixed point, its centre of mass at c. The socket has the force F = m (a - g) and
the moment -mu r |F| w / |w|, so that the accelerations follow from an equation of their own.
"""

import numpy as np
from scipy.integrate import solve_ivp

g, m, mu, r = np.array([0, 0, -9.81]), 2.0, 0.3, 0.12
c = np.array([0.1, -0.05, -0.4])
J = np.diag([0.05, 0.08, 0.03]) + m * (c @ c * np.eye(3) - np.outer(c, c))
start = np.r_[1, 0, 0, 0, 1.5, -2, 5, 0]  # quaternion, spin in body axes, work of friction


def rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def motion(q, w):
    """angular acceleration, and N = |F|, by repetition"""
    down, e, N = rotation(q).T @ g, w / np.linalg.norm(w), 0.0
    free = np.cross(c, m * down) - np.cross(w, J @ w)
    for _ in range(200):
        a = np.linalg.solve(J, free - mu * r * N * e)
        last, N = N, np.linalg.norm(m * (np.cross(a, c) + np.cross(w, np.cross(w, c)) - down))
        if abs(N - last) < 1e-15 * N:
            break
    return np.linalg.solve(J, free - mu * r * N * e), N


def turn(q, w):
    return 0.5 * np.r_[-q[1:] @ w, q[0] * w + np.cross(q[1:], w)]


def rates(t, y):
    a, N = motion(y[:4], y[4:7])
    return np.r_[turn(y[:4], y[4:7]), a, -mu * r * N * np.linalg.norm(y[4:7])]


def run(until, **more):
    return solve_ivp(rates, (0, until), start, "DOP853", rtol=1e-13, atol=1e-14, **more)


def nearly_rests(t, y):
    return y[4:7] @ y[4:7] - 1e-12


nearly_rests.terminal = True
s = run(20, events=[nearly_rests])
y, w = s.y[:, -1], s.y[4:7, -1]
left = np.linalg.norm(w) ** 2 / -(motion(y[:4], w)[0] @ w)
q = y[:4] + 0.5 * left * turn(y[:4], w)
print("rests at", repr(float(s.t[-1] + left)), "as", [repr(float(x)) for x in q / np.linalg.norm(q)])
print("friction took", repr(float(-y[7])))
print("speed 1 ms before", repr(float(np.linalg.norm(run(s.t[-1] + left - 1e-3).y[4:7, -1]))))
print("at 0.5 s", [repr(float(x)) for x in run(0.5).y[:4, -1]])
