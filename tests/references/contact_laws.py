#!/usr/bin/env python3
"""References of tests/test_contact_laws.c: impacts by the contact laws as their papers have them.

usage: python3 contact_laws.py     prints C tables; they are copied into the test by hand

A mass m strikes at the speed v and is followed (scipy, DOP853, rtol 1e-13) until the depth, or for kelvin-voigt
the force, is zero again.

  F = K x^n (1 + chi x' / v)        chi by the law and the restitution
  F = K x + c x'                    kelvin-voigt
  F = K x sqrt(x / (2 (D + x)))     a cylinder in a bore, play D
"""

import numpy as np
from scipy.integrate import quad, solve_ivp

LAWS = {
    "hertz": lambda e: 0.0,
    "hunt-crossley": lambda e: 3 * (1 - e) / 2,
    "herbert-mcwhannell": lambda e: 6 * (1 - e) / ((2 * e - 1) ** 2 + 3),
    "lee-wang": lambda e: 3 * (1 - e) / 4,
    "lankarani-nikravesh": lambda e: 3 * (1 - e**2) / 4,
    "gonthier": lambda e: (1 - e**2) / e,
    "zhiying-qishao": lambda e: 3 * (1 - e**2) * np.exp(2 * (1 - e)) / 4,
    "flores": lambda e: 8 * (1 - e) / (5 * e),
    "hu-guo": lambda e: 3 * (1 - e) / (2 * e),
}


def impact(force, m, v, end):
    def rhs(t, y):
        return [y[1], -force(max(y[0], 0.0), y[1]) / m]

    def over(t, y):
        return end(y)

    over.terminal, over.direction = True, -1
    # the first moment apart, where the depth is zero, too
    t0 = 1e-9
    start = solve_ivp(rhs, [0, t0], [0, v], method="DOP853", rtol=1e-13, atol=1e-18)
    s = solve_ivp(rhs, [t0, 1], start.y[:, -1], method="DOP853", rtol=1e-13, atol=1e-18, events=over)
    return -s.y_events[0][0][1] / v


m, v = 1.3, 0.7
for name, chi in LAWS.items():
    row = []
    for e in (0.3, 0.6, 0.9):
        d = chi(e)
        row.append(impact(lambda x, r: 2e5 * x**1.5 * (1 + d * r / v), m, v, lambda y: y[0]))
    print(f'    {{"{name}", {{{", ".join(f"{x:.11f}" for x in row)}}}}},')
K, c = 2e5, 100.0
print("kelvin-voigt %.11f" % impact(lambda x, r: K * x + c * r, m, v, lambda y: K * y[0] + c * y[1]))
D, K = 5e-4, 3e8
bore = lambda x: K * x * np.sqrt(x / (2 * (D + x)))
for x in (1e-7, 1e-5, 2e-5, 3e-5, 1e-3):
    print("bore %g: force %.15e energy %.15e" % (x, bore(x), quad(bore, 0, x, epsabs=0, epsrel=1e-13)[0]))
