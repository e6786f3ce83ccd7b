#!/usr/bin/env python3
"""References of tests/test_staggered.c: the staggered procedure on the four-bar linkage, written out plainly.

usage: python3 staggered.py     prints numbers; they are copied into the test by hand

Nine coordinates (x, y and angle of three bars), eight rows of four pins, full matrices. With theta = h/2 and everything
in the middle of the step, which the acceleration of the last one predicts:

  (epsilon + theta^2 J M^-1 J^T) l = epsilon lambda - theta J (v + theta M^-1 f)
  a = M^-1 (f + J^T l),  q += h (v + theta a),  v += h a,  lambda = 2 l - lambda

The crank's angle after a time is a number of the scheme, not of the motion: another scheme of the same order has another.
"""

import numpy as np

mass = np.array([1, 1, 0.3, 2.25, 2.25, 2, 2.2, 2.2, 1.35])
force = np.zeros(9)
force[[1, 4, 7]] = -9.81 * mass[[1, 4, 7]]
half = [1.0, 2.0, 2.0]


def pin(q, bar, end):
    x, y, angle = q[3 * bar : 3 * bar + 3]
    r = end * half[bar]
    place = np.array([x + r * np.cos(angle), y + r * np.sin(angle)])
    J = np.zeros((2, 9))
    J[0, 3 * bar] = J[1, 3 * bar + 1] = 1
    J[:, 3 * bar + 2] = -r * np.sin(angle), r * np.cos(angle)
    return place, J


def jacobian(q):
    ends = [pin(q, bar, end)[1] for bar, end in ((0, -1), (0, 1), (1, -1), (1, 1), (2, 1), (2, -1))]
    return np.vstack([ends[0], ends[1] - ends[2], ends[3] - ends[4], ends[5]])


def start():
    A, D, B = np.zeros(2), np.array([2.5, 0]), 2 * np.array([0.5, np.sqrt(0.75)])
    way = D - B
    C = (B + D) / 2 + np.sqrt(16 - way @ way / 4) * np.array([-way[1], way[0]]) / np.sqrt(way @ way)
    q = []
    for a, b in ((A, B), (B, C), (D, C)):
        q += [*((a + b) / 2), np.arctan2(*(b - a)[::-1])]
    return np.array(q)


def angle(h, epsilon, steps):
    theta, q, v = h / 2, start(), np.zeros(9)
    J = jacobian(q)
    multiplier = np.linalg.solve(J / mass @ J.T, -J @ (force / mass))
    a = (force + J.T @ multiplier) / mass
    for _ in range(steps):
        J = jacobian(q + theta * (v + theta / 2 * a))
        S = epsilon * np.eye(8) + theta**2 * (J / mass) @ J.T
        middle = np.linalg.solve(S, epsilon * multiplier - theta * J @ (v + theta * force / mass))
        a = (force + J.T @ middle) / mass
        q = q + h * (v + theta * a)
        v = v + h * a
        multiplier = 2 * middle - multiplier
    return q[2]


for h, epsilon in ((1e-3, 1e-10), (4e-3, 1e-10), (4e-3, 1e-6), (1e-2, 1e-5)):
    print(f"step {h}, epsilon {epsilon}: {angle(h, epsilon, round(1 / h)):.12f} rad after 1 s")
