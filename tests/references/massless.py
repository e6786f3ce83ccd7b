# massless.py: reference values for tests/test_massless.c, by scipy alone.
#
# Each case is written down as ordinary differential equations in coordinates of its own; what has
# no mass is eliminated by hand. Prints the constants that stand in the test.
import numpy as np
from scipy.integrate import solve_ivp

TIGHT = dict(method="DOP853", rtol=1e-13, atol=1e-14)


def last(f, t, y):
    return solve_ivp(f, (0, t), y, **TIGHT).y[:, -1]


# a block of 2 kg hangs under gravity on elements in series, length counted from the ceiling
def hanging(stiffness, damping, free, start):
    k, c = np.array(stiffness, float), np.array(damping, float)
    lazy = [i for i in range(len(k)) if c[i] > 0]
    quick = [i for i in range(len(k)) if c[i] == 0]

    def f(t, y):
        x, v, e = y[0], y[1], y[2:]
        if quick:
            T = (x - free - e.sum()) / sum(1 / k[i] for i in quick)
            rates = [(T - k[i] * e[n]) / c[i] for n, i in enumerate(lazy)]
        else:  # all e are kept, their sum is the length
            T = (v + sum(k[i] * e[i] / c[i] for i in lazy)) / sum(1 / c[i] for i in lazy)
            rates = [(T - k[i] * e[i]) / c[i] for i in lazy]
        return [v, 9.81 - T / 2, *rates]

    e = [0.0] * len(lazy)
    if not quick:
        e[-1] = start - free
    return last(f, 2.0, [start, 0.0, *e])


print("maxwell", *map("{:.15g}".format, hanging([300, 0], [0, 15], 0.5, 0.6)))
print("three  ", *map("{:.15g}".format, hanging([300, 500, 0], [0, 20, 90], 0.5, 0.6)))
print("dampers", *map("{:.15g}".format, hanging([300, 500], [8, 20], 0.5, 0.6)))


# a four-bar linkage whose coupler weighs nothing: Lagrange's equation in the crank's angle.
# Crank 1 m, coupler 2 m, rocker 2 m, ground 2.5 m; uniform bars of 1 and 3 kg. The rocker's angle
# psi follows; d psi / d phi and its derivative from the closure (C - B)^2 = 4, by hand
def place(phi):
    x, z = np.cos(phi) - 2.5, np.sin(phi)
    d = np.hypot(x, z)
    h = np.sqrt(4 - d * d / 4)
    return np.arctan2(z / 2 - x / d * h, x / 2 + z / d * h)


def slope(phi):
    psi = place(phi)
    bx, bz = np.cos(phi), np.sin(phi)
    cx, cz = 2.5 + 2 * np.cos(psi), 2 * np.sin(psi)
    rx, rz = cx - bx, cz - bz
    # r . (c' - b') = 0, b' = (-sin phi, cos phi), c' = 2 psi' (-sin psi, cos psi)
    return (rx * -bz + rz * bx) / (2 * (rx * -np.sin(psi) + rz * np.cos(psi)))


def curvature(phi):
    psi, p = place(phi), slope(phi)
    bx, bz = np.cos(phi), np.sin(phi)
    sx, sz = np.cos(psi), np.sin(psi)
    rx, rz = 2.5 + 2 * sx - bx, 2 * sz - bz
    dx, dz = -2 * p * sz + bz, 2 * p * sx - bx
    # r' . r' + r . r'' = 0, r'' = 2 p' (-sz, sx) - 2 p^2 (sx, sz) + (bx, bz)
    rest = dx * dx + dz * dz + rx * (bx - 2 * p * p * sx) + rz * (bz - 2 * p * p * sz)
    return -rest / (2 * (rx * -sz + rz * sx))


def four_bar(t, y):
    phi, w = y
    psi, p, pp = place(phi), slope(phi), curvature(phi)
    I1, I3 = 1 / 3, 4.0
    force = -9.81 * (0.5 * np.cos(phi) + 3 * np.cos(psi) * p)
    return [w, (force - I3 * p * pp * w * w) / (I1 + I3 * p * p)]


print("linkage", *map("{:.15g}".format, last(four_bar, 1.0, [np.pi / 3, 0.0])))
