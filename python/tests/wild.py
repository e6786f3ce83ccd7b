"""More hostile physics: families as those of physics.py, at any scale of length, mass and time.

usage: wild.py BUILD FIRST LAST [FAMILY ...] [method=NAME ...] [OPTION=VALUE ...]     see physics.py

Stops, ropes, dry friction, welds and latches from micrometres to planets; motors behind gears; machines
of modes; ready-made processes; dampers behind springs; tyres; discs that slide until they roll; contacts
far from the origin and seen from a train; dry friction and relays written as formulas that jump.
"""

import math
import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from physics import G, METHODS, ROWS, Case, Hard, command_line, follow, planar


class Units:
    """Random units: numbers of an ordinary model become those of a tiny or a huge one."""

    def __init__(self, r):
        self.L, self.M = 10 ** r.uniform(-6, 2), 10 ** r.uniform(-9, 6)
        self.T = self.L / 10 ** r.uniform(-4, 2)  # limits of the audit are metres and metres a second

    @property
    def a(self):
        return self.L / self.T**2

    @property
    def F(self):
        return self.M * self.a

    @property
    def J(self):
        return self.M * self.L**2

    def case(self, model, times, columns):
        """From the ordinary rows of {column: (values, power of L, of T)}"""
        return Case(model, times * self.T, {name: values * self.L**p / self.T**q for name, (values, p, q) in
                                            columns.items()}, self.L, self.L / self.T, self.T)


def scaled_stops(r):
    """A pendulum between two stops."""
    u = Units(r)
    m, l = r.uniform(0.5, 3), r.uniform(0.3, 1.5)
    j = m * l * l * r.uniform(0.05, 0.4)
    lo, hi = r.uniform(-1.5, -0.2), r.uniform(0.2, 1.5)
    e, w0, a0 = r.uniform(0.1, 0.95), r.uniform(-8, 8), r.uniform(lo + 0.1, hi - 0.1)
    times = np.linspace(0, 1, ROWS)

    def jump(mode, which, t, y):
        if abs(y[1]) < 0.05:
            raise Hard("too slow")
        return mode, np.array([hi if which else lo, -e * y[1]])

    rows = follow(lambda mode, t, y: [y[1], -m * G * l * math.cos(y[0]) / (j + m * l * l)], [a0, w0], 0,
                  lambda m: [lambda t, y: y[0] - lo, lambda t, y: hi - y[0]], jump, times)
    model = {"gravity": [0, -G * u.a],
             "bodies": {"rod": {"type": "planar", "mass": m * u.M, "inertia": j * u.J,
                                "com": [l * math.cos(a0) * u.L, l * math.sin(a0) * u.L],
                                "angular_velocity": w0 / u.T}},
             "joints": {"hinge": {"type": "revolute", "b": "rod", "at": [0, 0], "limits": [lo - a0, hi - a0],
                                  "restitution": e}}}
    return u.case(model, times, {"rod.angle": (rows[:, 0] - a0, 0, 0), "rod.omega": (rows[:, 1], 0, 1)})


def scaled_rope(r):
    """Two masses on a rope, thrown about: each flies, then they swing about each other."""
    u = Units(r)
    m, L = r.uniform(0.3, 3, 2), r.uniform(0.5, 2)
    start = np.array([[0, 0], [0.7 * L * math.cos(r.uniform(0, 6)), 0.7 * L * math.sin(r.uniform(0, 6))]])
    v = r.normal(size=(2, 2)) * 2
    times = np.linspace(0, 1.2, ROWS)
    gap = lambda y: y[2:4] - y[:2]

    def pull(y):
        d, w = gap(y), y[6:8] - y[4:6]
        return (w @ w) / (d @ d) / (1 / m[0] + 1 / m[1])  # force over distance; gravity is alike for both

    def rate(mode, t, y):
        f = pull(y) * gap(y) if mode == "taut" else np.zeros(2)
        return [*y[4:], *(f / m[0] + [0, -G]), *(-f / m[1] + [0, -G])]

    guards = lambda mode: [lambda t, y: L * L - gap(y) @ gap(y)] if mode == "free" else []

    def jump(mode, which, t, y):
        n = gap(y) / np.linalg.norm(gap(y))
        fast = (y[6:8] - y[4:6]) @ n
        if fast < 0.05:
            raise Hard("grazes")
        p = fast / (1 / m[0] + 1 / m[1])
        y = np.array(y)
        y[4:6] += p / m[0] * n
        y[6:8] -= p / m[1] * n
        return "taut", y

    rows = follow(rate, [*start.ravel(), *v.ravel()], "free", guards, jump, times)
    model = {"gravity": [0, -G * u.a],
             "bodies": {f"b{i}": planar(m[i] * u.M, start[i] * u.L, v[i] * u.L / u.T) for i in (0, 1)},
             "joints": {"rope": {"type": "rope", "a": "b0", "b": "b1", "at": (start[0] * u.L).tolist(),
                                 "at_b": (start[1] * u.L).tolist(), "length": L * u.L}}}
    columns = {}
    for i in (0, 1):
        for k, c in enumerate("xy"):
            columns[f"b{i}.{c}"] = (rows[:, 2 * i + k], 1, 0)
            columns[f"b{i}.v{c}"] = (rows[:, 4 + 2 * i + k], 1, 1)
    return u.case(model, times, columns)


def scaled_rub(r):
    """A block on a rail, thrown against a spring: it slides to and fro until it sticks."""
    u = Units(r)
    m, k, mu, v0 = r.uniform(0.5, 3), r.uniform(20, 200), r.uniform(0.05, 0.4), r.uniform(-4, 4)
    ms = mu * r.uniform(1, 1.5)
    times = np.linspace(0, 1.5, ROWS)
    rate = lambda mode, t, y: [0, 0] if mode == 0 else [y[1], -k / m * y[0] - mode * mu * G]
    guards = lambda mode: [lambda t, y: mode * y[1]] if mode else []

    def jump(mode, which, t, y):
        drive = -k * y[0]
        if abs(abs(drive) - ms * m * G) < 1e-3 * m * G:
            raise Hard("at the limit")
        return (0 if abs(drive) < ms * m * G else math.copysign(1, drive)), np.array([y[0], 0])

    rows = follow(rate, [0, v0], math.copysign(1, v0), guards, jump, times)
    model = {"gravity": [0, -G * u.a],
             "bodies": {"block": {"type": "planar", "mass": m * u.M, "inertia": u.J, "velocity": [v0 * u.L / u.T, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "block", "at": [0, 0], "axis": [1, 0, 0]}},
             "forces": {"rub": {"type": "friction", "joint": "rail", "law": "coulomb", "coulomb": mu, "static": ms},
                        "back": {"type": "spring", "joint": "rail", "stiffness": k * u.F / u.L, "free": 0.0}}}
    return u.case(model, times, {"block.x": (rows[:, 0], 1, 0), "block.vx": (rows[:, 1], 1, 1)})


def scaled_latch(r):
    """Two carts joined by a spring; the first is caught where it comes by, and let go later."""
    u = Units(r)
    m, k, x0, v = r.uniform(0.5, 3, 2), r.uniform(20, 100), r.uniform(0.5, 1, 2), r.uniform(-3, 3, 2)
    at, late = r.uniform(0.05, 0.3), r.uniform(0.6, 1.1)
    times = np.linspace(0, 1.5, ROWS)
    v[0] = abs(v[0]) + 0.5

    def rate(mode, t, y):
        f = k * (y[1] - y[0])
        return [y[2], y[3], 0 if mode == 1 else f / m[0], -f / m[1]]

    guards = lambda mode: [[lambda t, y: at - y[0]], [lambda t, y: late - t], []][mode]

    def jump(mode, which, t, y):
        if mode == 0 and (y[2] < 0.05 or t > late - 0.02):
            raise Hard("too late")
        return mode + 1, np.array([y[0], y[1], 0 if mode == 0 else y[2], y[3]])

    rows = follow(rate, [0, 0, *v], 0, guards, jump, times)
    cart = lambda i: {"type": "planar", "mass": m[i] * u.M, "inertia": u.J, "position": [0, x0[i] * i * u.L],
                      "velocity": [v[i] * u.L / u.T, 0]}
    model = {"bodies": {"one": cart(0), "two": cart(1)},
             "joints": {"rail": {"type": "prismatic", "b": "one", "axis": [1, 0, 0]},
                        "wire": {"type": "prismatic", "b": "two", "axis": [1, 0, 0]},
                        "latch": {"type": "lock", "joint_a": "rail", "catches": f"rail.translation > {at * u.L!r}",
                                  "releases": f"t > {late * u.T!r}"}},
             "forces": {"pull": {"type": "motor", "joint": "rail",
                                 "law": f"{k * u.F / u.L!r}*(wire.translation - rail.translation)"},
                        "back": {"type": "motor", "joint": "wire",
                                 "law": f"{k * u.F / u.L!r}*(rail.translation - wire.translation)"}}}
    return u.case(model, times, {"one.x": (rows[:, 0], 1, 0), "two.x": (rows[:, 1], 1, 0),
                                 "one.vx": (rows[:, 2], 1, 1), "two.vx": (rows[:, 3], 1, 1)})


def scaled_weld(r):
    """A pendulum whose hinge breaks where it bears too much; it flies on, seen from where it was."""
    u = Units(r)
    m, l, w0, a0 = r.uniform(0.5, 3), r.uniform(0.3, 1), r.uniform(-6, 6), r.uniform(-3, 3)
    J = m * l * l * r.uniform(1.02, 1.5)
    times = np.linspace(0, 1, ROWS)
    spin = lambda a: -m * G * l * math.cos(a) / J
    axes = lambda a: (np.array([math.cos(a), math.sin(a)]), np.array([-math.sin(a), math.cos(a)]))

    def force(y):
        n, q = axes(y[0])
        return np.linalg.norm(m * (l * spin(y[0]) * q - l * y[1] ** 2 * n) + [0, m * G])

    limit = force([a0, w0]) * r.uniform(1.05, 1.6)

    def rate(mode, t, y):
        n, q = axes(y[0])
        return [y[1], spin(y[0]), *(l * y[1] * q), 0, 0] if mode == 0 else [y[1], 0, y[4], y[5], 0, -G]

    def jump(mode, which, t, y):
        n, q = axes(y[0])
        return 1, np.array([*y[:4], *(l * y[1] * q)])

    n, q = axes(a0)
    rows = follow(rate, [a0, w0, *(l * n), 0, 0], 0, lambda mode: [] if mode else [lambda t, y: limit - force(y)],
                  jump, times)
    model = {"gravity": [0, -G * u.a],
             "bodies": {"rod": {"type": "planar", "mass": m * u.M, "inertia": (J - m * l * l) * u.J,
                                "position": (l * n * u.L).tolist(), "angle": a0, "angular_velocity": w0 / u.T,
                                "velocity": (l * w0 * q * u.L / u.T).tolist()}},
             "joints": {"hinge": {"type": "revolute", "b": "rod", "at": [0, 0], "breaks": limit * u.F}}}
    return u.case(model, times, {"rod.angle": (rows[:, 0], 0, 0), "rod.omega": (rows[:, 1], 0, 1),
                                 "rod.x": (rows[:, 2], 1, 0), "rod.y": (rows[:, 3], 1, 0)})


def train(r):
    """Balls that strike each other, far from the origin and seen from a train that goes by."""
    n, e = 2, r.uniform(0.2, 1)
    m, rad = r.uniform(0.2, 3, n), r.uniform(0.05, 0.15, n)
    far, fast = r.normal(size=2) * 10 ** r.uniform(0, 6), r.normal(size=2) * 10 ** r.uniform(0, 4)
    place = np.array([[0, 0], [1, r.uniform(-0.1, 0.1)]])
    v = np.array([[r.uniform(0.5, 2), 0], [-r.uniform(0.5, 2), 0]])
    times = np.linspace(0, 1.5, ROWS)
    gap = lambda y: np.linalg.norm(y[2:4] - y[:2]) - sum(rad)

    def jump(mode, which, t, y):
        y = np.array(y)
        nrm = (y[2:4] - y[:2]) / np.linalg.norm(y[2:4] - y[:2])
        close = (y[4:6] - y[6:8]) @ nrm
        if close < 0.2:
            raise Hard("grazes")
        p = (1 + e) * close / (1 / m[0] + 1 / m[1])
        y[4:6] -= p / m[0] * nrm
        y[6:8] += p / m[1] * nrm
        return 1, y

    rows = follow(lambda mode, t, y: [*y[4:], 0, 0, 0, 0], [*place.ravel(), *v.ravel()], 0,
                  lambda mode: [] if mode else [lambda t, y: gap(y)], jump, times)
    model = {"bodies": {f"b{i}": planar(m[i], place[i] + far, v[i] + fast) for i in range(n)},
             "joints": {"touch": {"type": "apart", "a": "b0", "b": "b1", "at": (place[0] + far).tolist(),
                                  "at_b": (place[1] + far).tolist(), "length": sum(rad), "restitution": e}}}
    columns = {}
    for i in range(n):
        for k, c in enumerate("xy"):
            columns[f"b{i}.{c}"] = rows[:, 2 * i + k] + far[k] + fast[k] * times
            columns[f"b{i}.v{c}"] = rows[:, 4 + 2 * i + k] + fast[k]
    # positions are known to their last digit, and a blow comes as much too late or early
    grain = np.max(abs(far)) + np.max(abs(fast)) * times[-1]
    return Case(model, times, columns, max(1, grain * 1e-6), max(1, np.max(abs(fast)) * 1e-6))


def geared(r):
    """A motor with an inductance turns a pendulum through two pairs of wheels, against a spring."""
    m, l, R, L, k = r.uniform(0.5, 2), r.uniform(0.2, 0.6), r.uniform(0.3, 2), 10 ** r.uniform(-3, -1), r.uniform(0.05, 0.5)
    J1, J2, i1, i2 = r.uniform(1e-4, 1e-2), r.uniform(1e-3, 1e-2), -r.uniform(0.2, 0.8), -r.uniform(0.2, 0.8)
    spring, volts, w, c = r.uniform(0, 10), r.uniform(2, 20), r.uniform(1, 9), r.uniform(0, 0.1)
    times = np.linspace(0, 1.2, ROWS)
    n = i1 * i2  # of the pendulum, per turn of the motor
    J = J1 + J2 * i1**2 + (m * l * l + 0.02) * n**2

    def rate(t, y):
        a = n * y[0]
        load = n * (-m * G * l * math.sin(a) - spring * a) - c * y[1]
        return [y[1], (k * y[2] + load) / J, (volts * math.sin(w * t) - R * y[2] - k * y[1]) / L]

    rows = solve_ivp(rate, (0, times[-1]), [0, 0, 0], method="Radau", t_eval=times, rtol=1e-11, atol=1e-12).y.T
    wheel = lambda J, x: {"type": "planar", "mass": 1, "inertia": J, "position": [x, 0]}
    model = {"gravity": [0, -G],
             "bodies": {"rotor": wheel(J1, 0), "middle": wheel(J2, 1),
                        "arm": {"type": "planar", "mass": m, "inertia": 0.02, "position": [2, 0], "com": [0, -l]}},
             "joints": {"shaft": {"type": "revolute", "b": "rotor", "at": [0, 0]},
                        "idler": {"type": "revolute", "b": "middle", "at": [1, 0]},
                        "hinge": {"type": "revolute", "b": "arm", "at": [2, 0]},
                        "first": {"type": "gear", "joint_a": "shaft", "joint_b": "idler", "ratio": i1},
                        "second": {"type": "gear", "joint_a": "idler", "joint_b": "hinge", "ratio": i2}},
             "forces": {"drive": {"type": "dc-motor", "joint": "shaft", "voltage": f"{volts!r}*sin({w!r}*t)",
                                  "resistance": R, "constant": k, "inductance": L},
                        "oil": {"type": "friction", "joint": "shaft", "viscous": c},
                        "wind": {"type": "torsion-spring", "joint": "hinge", "stiffness": spring, "free": 0.0}}}
    return Case(model, times, {"rotor.angle": rows[:, 0], "rotor.omega": rows[:, 1], "arm.angle": n * rows[:, 0],
                               "drive_current": rows[:, 2]})


def machine(r):
    """A sprung mass pumped by a machine of modes: pushed one way, then the other, with a rest between."""
    m, k, c, F = r.uniform(0.5, 3), r.uniform(10, 80), r.uniform(0, 1), r.uniform(1, 6)
    x1, v2, x0 = r.uniform(0.02, 0.15), r.uniform(0.05, 0.4), r.uniform(-0.3, 0)
    times = np.linspace(0, 2, ROWS)
    push = [F, 0, -F]  # goes on where x > x1, where v < -v2, where x < -x1

    def jump(mode, which, t, y):
        mode = (mode + 1) % 3
        if guards(mode)[0](t, y) < 1e-3:
            raise Hard("several at once")
        return mode, y

    guards = lambda mode: [[lambda t, y: x1 - y[0]], [lambda t, y: y[1] + v2], [lambda t, y: y[0] + x1]][mode]
    if guards(0)[0](0, [x0, 0]) < 0:
        raise Hard("begins behind")
    rows = follow(lambda mode, t, y: [y[1], (push[mode] - k * y[0] - c * y[1]) / m], [x0, 0], 0, guards, jump, times)
    model = {"bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1, "position": [x0, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [x0, 0], "axis": [1, 0, 0], "value": x0}},
             "controllers": {"mode": {"modes": ["there", "rest", "back"], "transitions": {
                 "there -> rest": f"rail.translation > {x1!r}", "rest -> back": f"rail.rate < {-v2!r}",
                 "back -> there": f"rail.translation < {-x1!r}"}}},
             "forces": {"act": {"type": "motor", "joint": "rail",
                                "law": f"if(mode == 0, {F!r}, if(mode == 2, {-F!r}, 0)) - {k!r}*value - {c!r}*rate"}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1]})


def processes(r):
    """A mass led by a PID controller that does not wind up, through a lag and a rate limiter."""
    m, kp, ki, kd, Tf = r.uniform(0.5, 2), r.uniform(10, 60), r.uniform(0, 40), r.uniform(1, 8), r.uniform(0.01, 0.1)
    top, track, lag = r.uniform(2, 12), r.uniform(0.05, 0.5), r.uniform(0.02, 0.2)
    goal, w = r.uniform(0.1, 1), r.uniform(1, 5)
    times = np.linspace(0, 2, ROWS)
    sat = lambda x: min(max(x, -top), top)

    def rate(t, y):
        x, v, I, s, f = y
        u = goal * math.cos(w * t) - x
        raw = kp * u + I + kd * (u - s) / Tf
        return [v, f / m, ki * u + (sat(raw) - raw) / track, (u - s) / Tf, (sat(raw) - f) / lag]

    y0 = [0, 0, 0, 0, 0]
    rows = solve_ivp(rate, (0, times[-1]), y0, method="DOP853", t_eval=times, rtol=1e-12, atol=1e-13, max_step=2e-3).y.T
    model = {"bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [0, 0], "axis": [1, 0, 0]}},
             "signals": {"off": f"{goal!r}*cos({w!r}*t) - rail.translation"},
             "states": {"pid": {"type": "pid", "input": "off", "kp": kp, "ki": ki, "kd": kd, "filter": Tf, "low": -top,
                                "high": top, "tracking": track},
                        "force": {"type": "lag", "input": "pid", "time": lag}},
             "forces": {"act": {"type": "motor", "joint": "rail", "law": "force"}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1], "force": rows[:, 4]})


def behind(r):
    """A mass on a damper behind a spring, thrown."""
    m, k, c, v0 = r.uniform(0.3, 3), 10 ** r.uniform(1, 5), 10 ** r.uniform(0, 4), r.uniform(-3, 3)
    times = np.linspace(0, 1.5, ROWS)
    # x = spring + damper; spring's force is the damper's
    rate = lambda t, y: [y[1], -k * (y[0] - y[2]) / m, k * (y[0] - y[2]) / c]
    rows = solve_ivp(rate, (0, times[-1]), [0, v0, 0], method="Radau", t_eval=times, rtol=1e-11, atol=1e-13).y.T
    model = {"bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1, "position": [1, 0], "velocity": [v0, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [1, 0], "axis": [1, 0, 0], "value": 1}},
             "forces": {"link": {"type": "series", "joint": "rail", "stiffness": [k, 0], "damping": [0, c], "free": 1.0}}}
    return Case(model, times, {"mass.x": 1 + rows[:, 0], "mass.vx": rows[:, 1]})


def bumper(r):
    """A mass that runs into a bumper which damps and does not pull."""
    m, k, c, v0 = r.uniform(0.3, 3), 10 ** r.uniform(2, 6), 10 ** r.uniform(0, 3), r.uniform(0.3, 4)
    gap = r.uniform(0.05, 0.5)
    times = np.linspace(0, 2 * gap / v0 + 0.5, ROWS)

    def rate(mode, t, y):
        return [y[1], -1.0 - (k * (y[0] - gap) + c * y[1]) / m if mode == 1 else -1.0]

    guards = lambda mode: [[lambda t, y: gap - y[0]], [lambda t, y: k * (y[0] - gap) + c * y[1]], [lambda t, y: y[0] - gap]][mode]
    rows = follow(rate, [0, v0], 0, guards, lambda mode, which, t, y: ((mode + 1) % 3, y), times)
    model = {"gravity": [-1.0, 0], "bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1, "velocity": [v0, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [0, 0], "axis": [1, 0, 0]}},
             "forces": {"stop": {"type": "bump-stop", "joint": "rail", "gap": gap, "stiffness": k, "damping": c}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1]})


def wheel(r):
    """A sprung wheel over a road with corners, which it leaves."""
    m, k, c = r.uniform(5, 40), 10 ** r.uniform(3.5, 5), 10 ** r.uniform(0.5, 2.5)
    rad, fast = r.uniform(0.2, 0.4), r.uniform(2, 15)
    at = np.cumsum(np.append(0.3, r.uniform(0.1, 0.8, 5)))
    high = np.append(0, r.uniform(-0.03, 0.05, 5))
    times = np.linspace(0, 0.8, ROWS)
    y0 = rad - m * G / k
    corners = [a / fast for a in at]
    slope = np.append(np.diff(high) / np.diff(at), 0)
    slope[-1] = slope[-2]  # straight on
    slope = np.append(slope[0], slope)

    def road(x, piece):
        i = max(piece - 1, 0)
        return high[i] + slope[piece] * (x - at[i])

    def press(t, y, piece):
        return k * (rad + road(fast * t, piece) - y[0]) + c * (fast * slope[piece] - y[1])

    def acts(t, y, piece):  # above zero where it is compressed and pushes
        return min(rad + road(fast * t, piece) - y[0], press(t, y, piece))

    def rate(mode, t, y):
        on, piece = mode
        return [y[1], -G + (press(t, y, piece) / m if on else 0)]

    def guards(mode):
        on, piece = mode
        turn = [lambda t, y: corners[piece] - t] if piece < len(at) else []
        return [lambda t, y: acts(t, y, piece) if on else -acts(t, y, piece)] + turn

    def jump(mode, which, t, y):
        on, piece = mode
        if which == 0:
            return (not on, piece), y
        if abs(acts(t, y, piece + 1)) < 1e-6:
            raise Hard("nearly leaves at a corner")
        return (acts(t, y, piece + 1) > 0, piece + 1), y

    rows = follow(rate, [y0, 0], (acts(0, [y0, 0], 0) > 0, 0), guards, jump, times)
    model = {"gravity": [0, 0, -G], "bodies": {"hub": {"mass": m, "inertia": [1, 1, 1], "position": [0, 0, y0]}},
             "joints": {"mast": {"type": "prismatic", "b": "hub", "axis": [0, 0, 1]}},
             "forces": {"tyre": {"type": "tyre", "b": "hub", "at": [0, 0, y0], "radius": rad, "stiffness": k, "damping": c,
                                 "road": [[float(a), float(h)] for a, h in zip(at, high)], "shift": f"{fast!r}*t"}}}
    return Case(model, times, {"hub.z": rows[:, 0], "hub.vz": rows[:, 1]})


def bowling(r):
    """A disc thrown along a plane: it slides until it rolls, at any scale."""
    u = Units(r)
    m, rad, mu, v0, w0 = r.uniform(0.3, 5), r.uniform(0.05, 0.5), r.uniform(0.05, 0.6), r.uniform(-4, 4), r.uniform(-20, 20)
    j = m * rad**2 * r.uniform(0.3, 0.9)
    slip = v0 + rad * w0  # of the point below, x to the right, w about z
    if abs(slip) < 0.1:
        raise Hard("rolls already")
    s, grip = math.copysign(1, slip), 1 + m * rad**2 / j
    end = abs(slip) / (mu * G * grip)
    times = np.linspace(0, end * r.uniform(1.2, 3), ROWS)
    slid = np.minimum(times, end)
    v = v0 - s * mu * G * slid
    w = w0 - s * mu * m * G * rad / j * slid
    x = v0 * slid - s * mu * G * slid**2 / 2 + v * (times - slid)
    model = {"gravity": [0, -G * u.a],
             "bodies": {"disc": {"type": "planar", "mass": m * u.M, "inertia": j * u.J, "position": [0, rad * u.L],
                                 "velocity": [v0 * u.L / u.T, 0], "angular_velocity": w0 / u.T}},
             "joints": {"lane": {"type": "stop", "b": "disc", "at": [0, 0], "at_b": [0, rad * u.L], "axis": [0, 1, 0],
                                 "radius": rad * u.L}},
             "forces": {"rub": {"type": "friction", "joint": "lane", "law": "coulomb", "coulomb": mu}}}
    return u.case(model, times, {"disc.x": (x, 1, 0), "disc.vx": (v, 1, 1), "disc.omega": (w, 0, 1)})


def ladder(r):
    """A rod between a wall and a floor, both without friction: it leaves the wall on its way down."""
    u = Units(r)
    m, l, a0 = r.uniform(0.5, 3), r.uniform(0.5, 2), r.uniform(0.8, 1.4)  # half length, angle to the floor
    j = m * l * l * r.uniform(0.1, 0.4)
    times = np.linspace(0, r.uniform(0.6, 1.1) * math.sqrt(2 * l / G), ROWS)
    J = j + m * l * l

    def rate(mode, t, y):
        a, w, x, v = y
        if mode == 0:
            return [w, -m * G * l * math.cos(a) / J, v, 0]
        inertia = j + m * l * l * math.cos(a) ** 2
        return [w, (-m * G * l * math.cos(a) + m * l * l * w * w * math.sin(a) * math.cos(a)) / inertia, v, 0]

    wall = lambda t, y: -l * (-m * G * l * math.cos(y[0]) / J * math.sin(y[0]) + y[1] ** 2 * math.cos(y[0]))
    guards = lambda mode: [wall] if mode == 0 else [lambda t, y: y[0] - 0.1]

    def jump(mode, which, t, y):
        if mode == 1:
            raise Hard("down")
        return 1, np.array([y[0], y[1], l * math.cos(y[0]), -l * y[1] * math.sin(y[0])])

    rows = follow(rate, [a0, 0, 0, 0], 0, guards, jump, times)
    # the middle, as long as the wall holds
    on = rows[:, 2] == 0
    x = np.where(on, l * np.cos(rows[:, 0]), rows[:, 2])
    middle = np.array([l * math.cos(a0), l * math.sin(a0)]) * u.L
    model = {"gravity": [0, -G * u.a],
             "bodies": {"rod": {"type": "planar", "mass": m * u.M, "inertia": j * u.J, "position": middle.tolist(),
                                "angle": -a0}},
             "joints": {"floor": {"type": "stop", "b": "rod", "at": [0, 0], "at_b": [2 * middle[0], 0], "axis": [0, 1, 0]},
                        "wall": {"type": "stop", "b": "rod", "at": [0, 0], "at_b": [0, 2 * middle[1]], "axis": [1, 0, 0]}}}
    return u.case(model, times, {"rod.angle": (-rows[:, 0], 0, 0), "rod.omega": (-rows[:, 1], 0, 1), "rod.x": (x, 1, 0)})


def stiff_beside_slow(r):
    """A pendulum that carries a stiff and damped spring with a small mass."""
    m, l, small = r.uniform(0.5, 2), r.uniform(0.5, 1.5), 10 ** r.uniform(-4, -1)
    k, a0 = small * (10 ** r.uniform(1, 4)) ** 2, r.uniform(-1.5, 1.5)
    c = 2 * math.sqrt(k * small) * r.uniform(0.2, 3)
    times = np.linspace(0, 1.5, ROWS)
    J = m * l * l + 0.01

    def rate(t, y):  # small mass at distance s from the hinge, on the rod
        a, w, s, v = y
        pull = -k * (s - l) - c * v
        return [w, (-m * G * l * math.sin(a) - small * G * s * math.sin(a) - 2 * small * s * v * w) / (J + small * s * s),
                v, pull / small + s * w * w + G * math.cos(a)]

    rows = solve_ivp(rate, (0, times[-1]), [a0, 0, l, 0], method="Radau", t_eval=times, rtol=1e-10, atol=1e-12).y.T
    along = [math.sin(a0), -math.cos(a0)]
    model = {"gravity": [0, -G],
             "bodies": {"rod": {"type": "planar", "mass": m, "inertia": 0.01, "com": [l * along[0], l * along[1]]},
                        "bead": {"type": "planar", "mass": small, "inertia": 0.0, "position": [l * along[0], l * along[1]]}},
             "joints": {"hinge": {"type": "revolute", "b": "rod", "at": [0, 0]},
                        "slide": {"type": "prismatic", "a": "rod", "b": "bead", "axis": [*along, 0]}},
             "forces": {"hold": {"type": "spring", "joint": "slide", "stiffness": k, "damping": c, "free": 0.0}}}
    return Case(model, times, {"rod.angle": rows[:, 0] - a0, "rod.omega": rows[:, 1],
                               "bead.x": rows[:, 2] * np.sin(rows[:, 0])})


def train_of_pulses(r):
    """A damped mass struck by a train of pulses of any width, as a formula of time."""
    m, k, c = r.uniform(0.5, 3), r.uniform(5, 100), r.uniform(0, 2)
    period, part, F = r.uniform(0.1, 0.6), 10 ** r.uniform(-4, -0.3), r.uniform(1, 50)
    times = np.linspace(0, 2, ROWS)
    t, y, rows = 0.0, np.zeros(2), [np.zeros(2)]
    edges = sorted([i * period for i in range(1, 40)] + [(i + part) * period for i in range(40)])
    for goal in times[1:]:
        while t < goal:
            on = (t + 1e-12) % period < part * period
            stop = min([goal] + [e for e in edges if e > t + 1e-12][:1])
            y = solve_ivp(lambda t, y: [y[1], (F * on / part - k * y[0] - c * y[1]) / m], (t, stop), y, method="DOP853",
                          rtol=1e-12, atol=1e-13).y[:, -1]
            t = stop
        rows.append(y)
    rows = np.array(rows)
    model = {"bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [0, 0], "axis": [1, 0, 0]}},
             "forces": {"act": {"type": "motor", "joint": "rail",
                                "law": f"if(mod(t, {period!r}) < {part * period!r}, {F / part!r}, 0) - {k!r}*value - {c!r}*rate"}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1]})


def dry(r):
    """Two blocks on rails joined by a spring and shaken, each held by a force that jumps with the sign of its speed."""
    m, F, k = r.uniform(0.5, 3, 2), r.uniform(0.5, 4, 2), r.uniform(0, 60)
    own, A, w, v = r.uniform(5, 60, 2), r.uniform(2, 12, 2), r.uniform(2, 10, 2), r.uniform(-2, 2, 2)
    v[r.random(2) < 0.3] = 0
    written = [str(r.choice(["sign", "if", "step"])) for _ in m]
    times = np.linspace(0, 1.5, ROWS)

    def push(i, t, y):
        return A[i] * math.sin(w[i] * t) - own[i] * y[i] + k * (y[1 - i] - y[i])

    def rate(mode, t, y):
        return [0 if mode[0] == 0 else y[2], 0 if mode[1] == 0 else y[3],
                *[0 if mode[i] == 0 else (push(i, t, y) - mode[i] * F[i]) / m[i] for i in (0, 1)]]

    def guards(mode):
        found = []
        for i in (0, 1):
            if mode[i]:
                found.append(lambda t, y, i=i: mode[i] * y[2 + i])
            else:
                found += [lambda t, y, i=i: F[i] - push(i, t, y), lambda t, y, i=i: F[i] + push(i, t, y)]
        return found

    def jump(mode, which, t, y):
        mode, y = list(mode), np.array(y)
        for i in (0, 1):
            own = 1 if mode[i] else 2
            if which < own:
                if mode[i] == 0:
                    mode[i] = 1 - 2 * which
                else:
                    y[2 + i] = 0
                    drive = push(i, t, y)
                    if abs(abs(drive) - F[i]) < 1e-3 * F[i]:
                        raise Hard("at the limit")
                    mode[i] = 0 if abs(drive) < F[i] else math.copysign(1, drive)
                break
            which -= own
        return tuple(mode), y

    start = np.array([0, 0, *v])
    mode = tuple(math.copysign(1, v[i]) if v[i] else 0 for i in (0, 1))
    rows = follow(rate, start, mode, guards, jump, times)

    def law(i):
        held = {"sign": f"{F[i]!r}*sign(rate)", "if": f"if(rate > 0, {F[i]!r}, if(rate < 0, {-F[i]!r}, 0))",
                "step": f"{F[i]!r}*(step(rate) - step(-rate))"}[written[i]]
        other = "one two".split()[1 - i]
        return f"{A[i]!r}*sin({w[i]!r}*t) - {own[i]!r}*value + {k!r}*({other}.x - value) - {held}"

    block = lambda i: {"type": "planar", "mass": m[i], "inertia": 1, "velocity": [v[i], 0]}
    model = {"bodies": {"one": block(0), "two": block(1)},
             "joints": {"rail": {"type": "prismatic", "b": "one", "axis": [1, 0, 0]},
                        "wire": {"type": "prismatic", "b": "two", "axis": [1, 0, 0]}},
             "forces": {"act": {"type": "motor", "joint": "rail", "law": law(0)},
                        "too": {"type": "motor", "joint": "wire", "law": law(1)}}}
    return Case(model, times, {"one.x": rows[:, 0], "two.x": rows[:, 1], "one.vx": rows[:, 2], "two.vx": rows[:, 3]})


def kept(r):
    """A pendulum kept on a line of its state by a relay, while a state follows a signal by its sign."""
    m, l, K, c = r.uniform(0.5, 2), r.uniform(0.3, 1), r.uniform(20, 60), r.uniform(0.1, 0.5)
    a0, w0, k, b, w = r.uniform(-0.8, 0.8), r.uniform(-2, 2), r.uniform(1.5, 4), r.uniform(0.2, 1), r.uniform(0.5, 2)
    if b * w > 0.9 * k:
        raise Hard("the signal is too fast")
    times = np.linspace(0, 1.5, ROWS)
    J = m * l * l + 0.05
    line = lambda y: y[0] + c * y[1]
    goal = lambda t: b * math.sin(w * t)
    bend = lambda t: b * w * math.cos(w * t)  # slower than k: it stays on the signal once there

    def rate(mode, t, y):
        on, held = mode
        weight = -m * G * l * math.sin(y[0])
        a = -y[1] / c if on == 0 else (weight - on * K) / J
        return [y[1], a, bend(t) if held == 0 else -held * k]

    def guards(mode):
        on, held = mode
        found = [lambda t, y: on * line(y)] if on else [lambda t, y: K - abs(J * -y[1] / c + m * G * l * math.sin(y[0]))]
        return found + ([lambda t, y: held * (y[2] - goal(t))] if held else [])

    def jump(mode, which, t, y):
        on, held = mode
        if which:
            return (on, 0), y
        if on == 0:
            raise Hard("leaves the line")
        need = J * -y[1] / c + m * G * l * math.sin(y[0])
        if abs(abs(need) - K) < 1e-3 * K:
            raise Hard("at the limit")
        return (0 if abs(need) < K else -on, held), y

    s0 = r.uniform(-1, 1)
    rows = follow(rate, [a0, w0, s0], (math.copysign(1, line([a0, w0])), math.copysign(1, s0)), guards, jump, times)
    model = {"gravity": [0, -G],
             "bodies": {"rod": {"type": "planar", "mass": m, "inertia": 0.05, "angular_velocity": w0,
                                "com": [l * math.sin(a0), -l * math.cos(a0)]}},
             "joints": {"hinge": {"type": "revolute", "b": "rod", "at": [0, 0]}},
             "states": {"led": {"rate": f"-{k!r}*sign(led - {b!r}*sin({w!r}*t))", "start": s0}},
             "forces": {"relay": {"type": "motor", "joint": "hinge",
                                  "law": f"if(value + {a0!r} + {c!r}*rate > 0, {-K!r}, {K!r})"}}}
    return Case(model, times, {"rod.angle": rows[:, 0] - a0, "rod.omega": rows[:, 1], "led": rows[:, 2]})


def ramps(r):
    """A pendulum on a cart whose speed jumps, where its motion has corners."""
    m, l, J = r.uniform(0.5, 2), r.uniform(0.3, 1), r.uniform(0.01, 0.2)
    a0, w0, when = r.uniform(-2, 2), r.uniform(-3, 3), np.sort(r.uniform(0.1, 1.4, 3))
    speed = r.uniform(-2, 2, 4)
    if min(np.diff(when)) < 0.02:
        raise Hard("corners at once")
    written = [lambda j, t: f"{j!r}*max(t - {t!r}, 0)", lambda j, t: f"if(t > {t!r}, {j!r}*(t - {t!r}), 0)",
               lambda j, t: f"{j / 2!r}*(abs(t - {t!r}) - {t!r})"]
    kinds = [int(k) for k in r.integers(3, size=3)]
    times = np.linspace(0, 1.5, ROWS)
    # half of a corner written by |t - t1| lies in the speed before it
    slope = speed[0] + sum((speed[i + 1] - speed[i]) / 2 for i in range(3) if kinds[i] == 2)
    motion = f"{slope!r}*t + " + " + ".join(written[kinds[i]](float(speed[i + 1] - speed[i]), float(when[i]))
                                            for i in range(3))
    inertia = m * l * l + J

    def rate(mode, t, y):
        return [y[1], -m * G * l * math.sin(y[0]) / inertia, speed[mode]]

    guards = lambda mode: [lambda t, y: when[mode] - t] if mode < 3 else []

    def jump(mode, which, t, y):
        # the momentum about the hinge stays
        dw = -m * l * math.cos(y[0]) * (speed[mode + 1] - speed[mode]) / inertia
        return mode + 1, np.array([y[0], y[1] + dw, y[2]])

    rows = follow(rate, [a0, w0, 0], 0, guards, jump, times)
    model = {"gravity": [0, -G],
             "bodies": {"cart": {"type": "planar", "mass": r.uniform(0.1, 3), "inertia": 1, "velocity": [float(speed[0]), 0]},
                        "rod": {"type": "planar", "mass": m, "inertia": J, "com": [l * math.sin(a0), -l * math.cos(a0)],
                                "angular_velocity": w0, "velocity": [float(speed[0]), 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "cart", "axis": [1, 0, 0]},
                        "hinge": {"type": "revolute", "a": "cart", "b": "rod", "at": [0, 0]},
                        "drive": {"type": "driver", "joint_a": "rail", "motion": motion}}}
    return Case(model, times, {"cart.x": rows[:, 2], "rod.angle": rows[:, 0] - a0, "rod.omega": rows[:, 1]})


FAMILIES = [scaled_stops, scaled_rope, scaled_rub, scaled_latch, scaled_weld, train, geared, machine, processes, behind,
            bumper, wheel, bowling, ladder, stiff_beside_slow, train_of_pulses, dry, kept, ramps]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
