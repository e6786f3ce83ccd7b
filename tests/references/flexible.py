#!/usr/bin/env python3
"""Accelerations of a flexible body by Lagrange's equations, for tests/test_flexible.c.

A soft beam of three elements (Euler and Bernoulli, consistent masses) is reduced by Craig and Bampton
with numpy. Its kinetic energy is summed over the nodes as it stands in the floating frame,
velocities of the nodes being v + w x (x + u) + u' and w + theta', and differentiated by complex
steps in rotation vectors: nothing is shared with the library but the description.

    python3 tests/references/flexible.py
"""
import numpy as np
import scipy.linalg

N, L, E, NU, RHO, B, H = 3, 1.0, 7e4, 0.3, 2700.0, 0.03, 0.02
GRAVITY = np.array([0.3, -0.5, -9.81])


def beam():
    area, iy, iz, j = B * H, B * H**3 / 12, H * B**3 / 12, 0.2 * B * H**3
    g, l = E / (2 * (1 + NU)), L / N
    K, M = np.zeros((6 * N + 6,) * 2), np.zeros((6 * N + 6,) * 2)
    pair, mean = np.array([[1, -1], [-1, 1]]), np.array([[2, 1], [1, 2]]) / 6

    def bend(s):
        return np.array([[12, 6*l*s, -12, 6*l*s], [6*l*s, 4*l*l, -6*l*s, 2*l*l],
                         [-12, -6*l*s, 12, -6*l*s], [6*l*s, 2*l*l, -6*l*s, 4*l*l]]) / l**3

    def mass(s):
        return np.array([[156, 22*l*s, 54, -13*l*s], [22*l*s, 4*l*l, 13*l*s, -3*l*l],
                         [54, 13*l*s, 156, -22*l*s], [-13*l*s, -3*l*l, -22*l*s, 4*l*l]]) * l / 420
    for e in range(N):
        o = 6 * e
        for at, k, m in (([o, o + 6], E * area / l * pair, RHO * area * l * mean),
                         ([o + 3, o + 9], g * j / l * pair, RHO * (iy + iz) * l * mean),
                         ([o + 1, o + 5, o + 7, o + 11], E * iz * bend(1), RHO * area * mass(1)),
                         ([o + 2, o + 4, o + 8, o + 10], E * iy * bend(-1), RHO * area * mass(-1))):
            K[np.ix_(at, at)] += k
            M[np.ix_(at, at)] += m
    X = np.zeros((N + 1, 3))
    X[:, 0] = np.linspace(0, L, N + 1)
    return X, K, M


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def expm(f):
    h = np.sqrt(f @ f)
    S = skew(f)
    return np.eye(3) + np.sin(h) / h * S + (1 - np.cos(h)) / h**2 * S @ S


def body_rate(f, rate):
    """body angular velocity of exp(f) when f has this rate"""
    h = np.sqrt(f @ f)
    S = skew(f)
    return (np.eye(3) - (1 - np.cos(h)) / h**2 * S + (h - np.sin(h)) / h**3 * S @ S) @ rate


def log(R):
    c = (np.trace(R) - 1) / 2
    a = sines(R)
    s = np.sqrt(a @ a)
    return a * (np.arctan(s / c) / s)


def sines(R):
    """(R - R^T)/2 as a vector: to first order the rotations of an interface"""
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2


X, K, M = beam()
inside, ends = list(range(6, 6 * N)), list(range(6)) + list(range(6 * N, 6 * N + 6))
w2, phi = scipy.linalg.eigh(K[np.ix_(inside, inside)], M[np.ix_(inside, inside)])
MODES = 3
shapes = np.zeros((6 * N + 6, 6 + MODES))
shapes[6 * N:, :6] = np.eye(6)
shapes[6:6 * N, :6] = -np.linalg.solve(K[np.ix_(inside, inside)], K[6:6 * N, 6 * N:])
for k in range(MODES):
    x = phi[:, k]
    most = 0
    for i in range(1, len(x)):
        if abs(x[i]) > (1 + 1e-6) * abs(x[most]):
            most = i
    shapes[6:6 * N, 6 + k] = x * np.sign(x[most])
stiff = shapes.T @ K @ shapes


def lagrangian(y, rate):
    x0, f0, x1, f1, eta = y[:3], y[3:6], y[6:9], y[9:12], y[12:]
    A, R = expm(f0), expm(f1)
    w = body_rate(f0, rate[3:6])
    r = A.T @ (x1 - x0)
    Q = A.T @ R
    theta = sines(Q)
    p = np.concatenate([r - (X[N] - X[0]), theta, eta])
    v0, v1 = A.T @ rate[:3], A.T @ rate[6:9]
    # the rate of theta: that of the sines
    turn = sines(skew(Q @ body_rate(f1, rate[9:12]) - w) @ Q)
    p_rate = np.concatenate([v1 - v0 - np.cross(w, r), turn, rate[12:]])
    u, u_rate = shapes @ p, shapes @ p_rate
    V = np.zeros(6 * N + 6, dtype=u.dtype)
    for j in range(N + 1):
        at = 6 * j
        V[at:at + 3] = v0 + np.cross(w, X[j] - X[0] + u[at:at + 3]) + u_rate[at:at + 3]
        V[at + 3:at + 6] = w + u_rate[at + 3:at + 6]
    T = V @ M @ V / 2
    # weight: every node's mass, by the products with a rigid displacement
    down = np.zeros(6 * N + 6, dtype=u.dtype)
    place = np.zeros(6 * N + 6, dtype=u.dtype)
    for j in range(N + 1):
        down[6 * j:6 * j + 3] = A.T @ GRAVITY
        place[6 * j:6 * j + 3] = A.T @ x0 + X[j] - X[0] + u[6 * j:6 * j + 3]
        place[6 * j + 3:6 * j + 6] = u[6 * j + 3:6 * j + 6]
    # the undeformed line is linear, which rotations of zero would not interpolate
    rigid = np.zeros(6 * N + 6)
    for j in range(N + 1):
        rigid[6 * j:6 * j + 3] = X[j] - X[0]
    place = place - rigid
    half = RHO * B * H * L * (A.T @ GRAVITY)[0] * L / 2
    return T - p @ stiff @ p / 2 + down @ M @ place + half


def momenta(y, rate):
    out = np.zeros(len(y), dtype=y.dtype)
    for i in range(len(y)):
        d = np.zeros(len(y))
        d[i] = 1
        out[i] = (lagrangian(y, rate + d) - lagrangian(y, rate - d)) / 2
    return out


def accelerations(y, rate):
    n, h = len(y), 1e-30
    zero = momenta(y, 0 * rate)
    mass = np.array([momenta(y, np.eye(n)[i]) - zero for i in range(n)])
    slope = np.array([lagrangian(y + 1j * h * np.eye(n)[i], rate + 0j).imag / h for i in range(n)])
    drift = momenta(y + 1j * h * rate, rate + 0j).imag / h
    return np.linalg.solve(mass, slope - drift)


def quaternion(f):
    h = np.linalg.norm(f)
    return np.concatenate([[np.cos(h / 2)], np.sin(h / 2) / h * f])


def show(name, x):
    print(name + ": " + ", ".join("%.16g" % v for v in x))


if __name__ == "__main__":
    print("frequencies held:", ", ".join("%.15g" % w for w in np.sqrt(w2[:6])))
    w = scipy.linalg.eigh(K, M, eigvals_only=True)
    print("frequencies free:", ", ".join("%.15g" % x for x in np.sqrt(w[6:])))
    f0, x0 = np.array([0.4, -0.7, 0.9]), np.array([0.2, 0.1, -0.3])
    A = expm(f0)
    x1 = x0 + A @ np.array([1.004, 0.03, -0.05])
    f1 = log(A @ expm(np.array([0.05, 0.08, -0.06])))
    y = np.concatenate([x0, f0, x1, f1, [0.01, -0.006, 0.004]])
    rate = np.array([0.3, -0.2, 0.5, 1.1, 2.0, -1.5, 0.9, 0.4, -0.6, 1.4, 1.7, -1.1, 0.5, -0.8, 0.3])
    a = accelerations(y, rate)
    h = 1e-30
    spin = [body_rate(f, r) for f, r in ((f0, rate[3:6]), (f1, rate[9:12]))]
    spin_rate = [body_rate(f + 1j * h * r, r + 1j * h * s).imag / h
                 for f, r, s in ((f0, rate[3:6], a[3:6]), (f1, rate[9:12], a[9:12]))]
    show("q", np.concatenate([x0, quaternion(f0), x1, quaternion(f1), y[12:]]))
    show("v", np.concatenate([rate[:3], spin[0], rate[6:9], spin[1], rate[12:]]))
    show("a", np.concatenate([a[:3], spin_rate[0], a[6:9], spin_rate[1], a[12:]]))
