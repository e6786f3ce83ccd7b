#!/usr/bin/env python3
"""References of tests/test_processes.c: ready-made processes, a DC motor and a hydraulic cylinder.

usage: python3 processes.py     prints C tables; they are copied into the test by hand

Written down anew from the textbook equations and integrated by scipy (solve_ivp, DOP853, rtol 1e-13);
where a right-hand side has kinks, integration stops at each of them (events) and starts anew.
"""

import numpy as np
from scipy.integrate import solve_ivp

TIMES = [0.5, 1.0, 1.5, 2.0]


def u(t):
    return np.sin(3 * t) + 0.4 * t


def integrate(f, y, kinks=(), atol=1e-14):
    """States at TIMES. f(t, y, sides) with the sides of the functions kinks(t, y), held."""
    t, out, y = 0.0, [], np.array(y, float)
    sides = [k(t, y) > 0 for k in kinks]
    for end in TIMES:
        while t < end:
            events = []
            for k, side in zip(kinks, sides):
                event = lambda t, y, k=k: k(t, y)
                event.terminal, event.direction = True, -1 if side else 1
                events.append(event)
            s = solve_ivp(lambda t, y: f(t, y, sides), (t, end), y, method="DOP853", rtol=1e-13,
                          atol=atol, events=events or None, max_step=0.01)
            t, y = s.t[-1], s.y[:, -1]
            for i, found in enumerate(s.t_events or []):
                if len(found):
                    sides[i] = not sides[i]
        out.append(y.copy())
    return out


def show(name, rows):
    print(f"    {{\"{name}\", {{{', '.join(f'{x:.15g}' for x in rows)}}}}},")


def lag():
    y = integrate(lambda t, y, s: [(2 * u(t) - y[0]) / 0.3], [0.7])
    show("lag", [x[0] for x in y])


def transfer_function():
    # (2 s^2 + 3 s + 5) / (s^3 / 10 + s^2 + 4 s + 8): as a state space by scipy
    from scipy.signal import tf2ss
    A, B, C, D = tf2ss([2, 3, 5], [0.1, 1, 4, 8])
    y = integrate(lambda t, x, s: A @ x + B[:, 0] * u(t), [0, 0, 0])
    show("transfer", [(C @ x)[0] + D[0, 0] * u(t) for t, x in zip(TIMES, y)])
    A, B, C, D = tf2ss([1, 2], [0.5, 1])
    y = integrate(lambda t, x, s: A @ x + B[:, 0] * u(t), [0])
    show("proper", [(C @ x)[0] + D[0, 0] * u(t) for t, x in zip(TIMES, y)])


def state_space():
    A, B, C = np.array([[-1, 2.0], [-3, -0.5]]), np.array([1, 0.25]), np.array([0.3, -2])
    y = integrate(lambda t, x, s: A @ x + B * u(t), [0.1, -0.2])
    show("space", [C @ x + 0.7 * u(t) for t, x in zip(TIMES, y)])


def pid():
    kp, ki, kd, Tf, Tt, low, high = 1.5, 4.0, 0.2, 0.05, 0.2, -1.0, 1.2

    def raw(t, y):
        return kp * u(t) + y[0] + kd * (u(t) - y[1]) / Tf

    def f(t, y, s):
        r = raw(t, y)
        out = high if s[0] else low if not s[1] else r
        return [ki * u(t) + (out - r) / Tt, (u(t) - y[1]) / Tf]

    y = integrate(f, [0, 0], [lambda t, y: raw(t, y) - high, lambda t, y: raw(t, y) - low])
    show("pid", [min(max(raw(t, x), low), high) for t, x in zip(TIMES, y)])
    show("pid_integral", [x[0] for x in y])


def statics():
    show("sat", [1.5 * min(max(u(t), -0.2), 0.6) for t in TIMES])
    show("dead", [u(t) - min(max(u(t), -0.2), 0.6) for t in TIMES])


def backlash():
    w, T = 0.3, 0.01

    def f(t, y, s):
        d = u(t) - y[0]
        return [(d - w / 2 if s[0] else d + w / 2 if not s[1] else 0) / T]

    y = integrate(f, [0], [lambda t, y: u(t) - y[0] - w / 2, lambda t, y: u(t) - y[0] + w / 2])
    show("play", [x[0] for x in y])


def relay():
    w, T, low, high = 0.5, 0.01, -2.0, 3.0
    f = lambda t, y, s: [((1 if s[0] else -1) - y[0]) / T]
    y = integrate(f, [-1], [lambda t, y: u(t) - 0.7 + w / 2 * y[0]])
    show("relay", [(low + high) / 2 + (high - low) / 2 * x[0] for x in y])


def rate_limiter():
    T, up, down = 0.01, 1.0, 0.8

    def f(t, y, s):
        r = (u(t) - y[0]) / T
        return [up if s[0] else -down if not s[1] else r]

    y = integrate(f, [0], [lambda t, y: (u(t) - y[0]) / T - up, lambda t, y: (u(t) - y[0]) / T + down])
    show("slow", [x[0] for x in y])


def dc_motor():
    # inertia 0.02, load -0.3 w - 2 sin(angle), started at rest
    R, L, k, I = 1.2, 0.015, 0.6, 0.02

    def f(t, y, s):
        angle, w, i = y
        return [w, (k * i - 0.3 * w - 2 * np.sin(angle)) / I, (12 * u(t) - R * i - k * w) / L]

    y = integrate(f, [0, 0, 0])
    show("angle", [x[0] for x in y])
    show("drive_current", [x[2] for x in y])


def cylinder():
    m, k, c = 200.0, 4e4, 300.0
    A, V, E, ps, pt, K, leak = (2e-3, 1.2e-3), (4e-4, 5e-4), 1.2e9, 1.4e7, 1e5, 2e-7, 1e-13
    root = lambda d: d / (d * d + 1e8) ** 0.25

    def f(t, y, s):
        x, v, pa, pb = y
        o = 0.5 * np.sin(4 * t + 0.3)
        qa = K * o * (root(ps - pa) if s[0] else root(pa - pt))
        qb = -K * o * (root(pb - pt) if s[0] else root(ps - pb))
        dp = leak * (pa - pb)
        return [v, (A[0] * pa - A[1] * pb - k * x - c * v) / m,
                E / (V[0] + A[0] * x) * (qa - A[0] * v - dp),
                E / (V[1] - A[1] * x) * (qb + A[1] * v + dp)]

    y = integrate(f, [0, 0, 3e6, 5e6], [lambda t, y: np.sin(4 * t + 0.3)],
                  atol=np.array([1e-14, 1e-13, 1e-6, 1e-6]))
    show("x", [x[0] for x in y])
    show("jack_pa", [x[2] for x in y])
    show("jack_pb", [x[3] for x in y])


for part in (lag, transfer_function, state_space, pid, statics, backlash, relay, rate_limiter, dc_motor,
             cylinder):
    part()
