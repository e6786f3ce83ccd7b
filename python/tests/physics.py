"""Hostile physics: random models of one mechanism each whose motion scipy knows, by several methods.

usage: physics.py BUILD FIRST LAST [FAMILY ...] [method=NAME ...] [OPTION=VALUE ...]

From seed FIRST to before LAST, all families unless named; options are those of a run.

Impacts, ropes, friction that holds, welds that break, clutches, relays, sampled control, tables,
orbits and sizes from micrometres to planets. References are integrated piece by piece, each piece
smooth, and share nothing with the library. A run may end in three ways: right, that is within ten
times the error its audit states; refused or stopped in words; audit not passed. A line is printed
for whatever is none of these, and a count of each at the end.
"""

import collections
import math
import os
import sys
import zlib
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

G = 9.81
ROWS = 13
FLOOR = np.array([2e-8, 2e-7, 1e-7])  # what references are good for
METHODS = ["default", "explicit", "index2-alpha", "index3-alpha", "baumgarte", "index2-bdf"]


class Hard(Exception):
    """The reference is no better than the run: grazing, or too many events."""


def follow(rate, state, mode, guards, jump, times):
    """The motion of a system with modes: rows of the state at the times.

    rate(mode, t, y); guards(mode) lists functions of t, y that end the mode where they fall below
    zero; jump(mode, which, t, y) gives mode and state from there."""
    state = np.array(state, float)
    t, rows, changes = times[0], [state], 0
    for goal in times[1:]:
        while t < goal:
            ends = []
            for guard in guards(mode):
                end = lambda t, y, guard=guard: guard(t, y)
                end.terminal, end.direction = True, -1
                ends.append(end)
            reach = solve_ivp(lambda t, y: rate(mode, t, y), (t, goal), state, method="DOP853", rtol=1e-12,
                              atol=1e-13, events=ends, max_step=(goal - t) / 8)
            t, state = reach.t[-1], reach.y[:, -1]
            if reach.status == 1:
                which = next(i for i, found in enumerate(reach.t_events) if len(found))
                mode, state = jump(mode, which, t, state)
                changes += 1
                if changes > 60:
                    raise Hard("too many changes")
        if any(guard(t, state) < -1e-7 for guard in guards(mode)):
            raise Hard("the reference misses a change")
        rows.append(np.array(state))
    return np.array(rows)


class Case:
    """A model, the columns compared, and their reference; errors are measured by `size`, `speed`, one radian in `time`.

    `apart` is how far the reference itself may be from the model, relative."""

    def __init__(self, model, times, columns, size=1.0, speed=1.0, time=1.0, apart=0.0):
        self.model, self.times, self.columns, self.size, self.speed, self.time = model, times, columns, size, speed, time
        self.floor = FLOOR + apart
        self.sizes = {}  # of states, where the model says what their errors are measured by
        self.until = float(times[-1])  # that the run is asked for; an event may end it at the last of the times

    def unit(self, name):
        """Whether a column is a place, a speed or a state, and what an error of it is measured by."""
        of = name.split(".")[-1] if "." in name else None
        if of is None:
            return 2, self.sizes.get(name, np.max(abs(self.columns[name])))
        if of == "angle":
            return 0, 1
        if of in ("omega", "angle_rate", "wx", "wy", "wz"):
            return 1, 1 / self.time
        return (1, self.speed) if of in ("vx", "vy", "vz", "translation_rate") else (0, self.size)

    def of_elements(self, audit):
        """What the audit says of elements of beams, which are relative to the largest range."""
        told = np.zeros(3)
        for item in audit.items:
            for kind, of in enumerate(("positions", "velocities")):
                if item.known and item.name == f"elements of beams: {of}":
                    told[kind] = item.worst
        return told


def planar(mass, place, velocity=(0, 0), **more):
    return {"type": "planar-point", "mass": mass, "position": list(map(float, place)),
            "velocity": list(map(float, velocity))} | more


# ---- families: each takes a random generator and gives a case -------------------------------------


def table_bounce(r):
    """A ball on a table that shakes."""
    e, a, w, high = r.uniform(0.3, 0.9), r.uniform(0.01, 0.1), r.uniform(3, 15), r.uniform(0.3, 1)
    times = np.linspace(0, 1.2, ROWS)
    table = lambda t: (a * math.sin(w * t), a * w * math.cos(w * t))

    def jump(mode, which, t, y):
        shake, rate = table(t)
        if abs(y[1] - rate) < 0.05:
            raise Hard("too slow")
        return mode, np.array([shake, rate - e * (y[1] - rate)])

    rows = follow(lambda m, t, y: [y[1], -G], [high, 0], 0, lambda m: [lambda t, y: y[0] - table(t)[0]], jump, times)
    model = {"gravity": [0, -G], "bodies": {"table": {"type": "planar", "mass": 3, "inertia": 1},
                                           "ball": planar(r.uniform(0.1, 3), (0, high))},
             "joints": {"guide": {"type": "prismatic", "b": "table", "at": [0, 0], "axis": [0, 1, 0]},
                        "shaker": {"type": "driver", "joint_a": "guide", "motion": f"{a!r}*sin({w!r}*t)"},
                        "floor": {"type": "stop", "a": "table", "b": "ball", "at": [0, 0], "at_b": [0, high],
                                  "axis": [0, 1, 0], "restitution": e}}}
    return Case(model, times, {"ball.y": rows[:, 0], "ball.vy": rows[:, 1]})


def stops(r):
    """A sprung pendulum between two stops."""
    m, l, k = r.uniform(0.5, 3), r.uniform(0.3, 1.5), r.uniform(0, 8)
    j = m * l * l * r.uniform(0.05, 0.4)
    lo, hi = r.uniform(-1.5, -0.2), r.uniform(0.2, 1.5)
    e, w0, a0 = r.uniform(0.1, 0.95), r.uniform(-8, 8), r.uniform(lo + 0.1, hi - 0.1)
    times = np.linspace(0, 1, ROWS)
    J = j + m * l * l

    def jump(mode, which, t, y):
        if abs(y[1]) < 0.05:
            raise Hard("too slow")
        return mode, np.array([hi if which else lo, -e * y[1]])

    rate = lambda mode, t, y: [y[1], (-m * G * l * math.cos(y[0]) - k * y[0]) / J]
    rows = follow(rate, [a0, w0], 0, lambda m: [lambda t, y: y[0] - lo, lambda t, y: hi - y[0]], jump, times)
    model = {"gravity": [0, -G],
             "bodies": {"rod": {"type": "planar", "mass": m, "inertia": j, "com": [l * math.cos(a0), l * math.sin(a0)],
                                "angular_velocity": w0}},
             "joints": {"hinge": {"type": "revolute", "b": "rod", "at": [0, 0], "limits": [lo - a0, hi - a0],
                                  "restitution": e}},
             "forces": {"wind": {"type": "torsion-spring", "joint": "hinge", "stiffness": k, "free": -a0}}}
    return Case(model, times, {"rod.angle": rows[:, 0] - a0, "rod.omega": rows[:, 1]})


def slack_rope(r):
    """A mass on a rope, thrown: it flies, swings and flies."""
    L, e, m = r.uniform(0.5, 2), r.choice([0, 0, r.uniform(0, 0.7)]), r.uniform(0.2, 3)
    angle = r.uniform(-3, 3)
    start = 0.8 * L * np.array([math.cos(angle), math.sin(angle)])
    v = r.normal(size=2) * 3
    times = np.linspace(0, 1.2, ROWS)

    def rate(mode, t, y):
        p, u = y[:2], y[2:]
        pull = 0
        if mode == "taut":
            pull = -(u @ u + p @ [0, -G]) / (p @ p)
        return [*u, *(np.array([0, -G]) + pull * p)]

    def guards(mode):
        if mode == "free":
            return [lambda t, y: L * L - y[:2] @ y[:2]]
        return [lambda t, y: y[2:] @ y[2:] + y[:2] @ [0, -G]]

    def jump(mode, which, t, y):
        p, u = y[:2], y[2:]
        if mode == "taut":
            return "free", np.array([*p * (1 - 1e-15), *u])
        n = p / np.linalg.norm(p)
        fast = u @ n
        if fast < 0.05:
            raise Hard("grazes")
        u = u - (1 + e) * fast * n
        if e > 0:
            return "free", np.array([*p, *u])
        if u @ u + p @ [0, -G] < 0.05:
            raise Hard("nearly slack")
        return "taut", np.array([*p, *u])

    rows = follow(rate, [*start, *v], "free", guards, jump, times)
    if np.max(np.hypot(rows[:, 0], rows[:, 1])) > L * (1 + 1e-9):
        raise Hard("the reference misses a blow")
    model = {"gravity": [0, -G], "bodies": {"ball": planar(m, start, v)},
             "joints": {"rope": {"type": "rope", "b": "ball", "at": [0, 0], "at_b": start.tolist(), "length": L,
                                 "restitution": float(e)}}}
    return Case(model, times, {f"ball.{c}": rows[:, i] for i, c in enumerate(("x", "y", "vx", "vy"))})


def stick_slip(r):
    """A block on a rail, shaken by a spring: it sticks and slides."""
    m, k, mu = r.uniform(0.5, 3), r.uniform(20, 200), r.uniform(0.1, 0.5)
    ms = mu * r.uniform(1.02, 1.5)
    F, w = mu * m * G * r.uniform(0.7, 4), r.uniform(2, 12)
    times = np.linspace(0, 1.5, ROWS)
    push = lambda t, y: F * math.sin(w * t) - k * y[0]

    def rate(mode, t, y):
        return [0, 0] if mode == 0 else [y[1], (push(t, y) - mode * mu * m * G) / m]

    def guards(mode):
        if mode == 0:
            return [lambda t, y: ms * m * G - push(t, y), lambda t, y: ms * m * G + push(t, y)]
        return [lambda t, y: mode * y[1]]

    def jump(mode, which, t, y):
        if mode == 0:
            return (-1 if which else 1), y
        y = np.array([y[0], 0])
        drive = push(t, y)
        if abs(abs(drive) - ms * m * G) < 1e-3 * m * G or abs(drive) < 1e-3:
            raise Hard("at the limit")
        return (0 if abs(drive) < ms * m * G else math.copysign(1, drive)), y

    rows = follow(rate, [0, 0], 0, guards, jump, times)
    model = {"gravity": [0, -G], "bodies": {"block": {"type": "planar", "mass": m, "inertia": 1}},
             "joints": {"rail": {"type": "prismatic", "b": "block", "at": [0, 0], "axis": [1, 0, 0]}},
             "forces": {"rub": {"type": "friction", "joint": "rail", "law": "coulomb", "coulomb": mu, "static": ms},
                        "push": {"type": "motor", "joint": "rail", "law": f"{F!r}*sin({w!r}*t) - {k!r}*value"}}}
    return Case(model, times, {"block.x": rows[:, 0], "block.vx": rows[:, 1]})


def breaking(r):
    """A pendulum whose hinge breaks where it bears too much; it flies on."""
    m, l, w0, a0 = r.uniform(0.5, 3), r.uniform(0.3, 1), r.uniform(-6, 6), r.uniform(-3, 3)
    J = m * l * l * r.uniform(1.02, 1.5)
    times = np.linspace(0, 1, ROWS)
    spin = lambda a: -m * G * l * math.cos(a) / J

    def force(y):
        n, q = np.array([math.cos(y[0]), math.sin(y[0])]), np.array([-math.sin(y[0]), math.cos(y[0])])
        return np.linalg.norm(m * (l * spin(y[0]) * q - l * y[1] ** 2 * n) + [0, m * G])

    first = force([a0, w0])
    limit = first * r.uniform(1.05, 1.6)

    def rate(mode, t, y):
        if mode == "hung":
            return [y[1], spin(y[0]), 0, 0, 0, 0]
        return [y[1], 0, y[4], y[5], 0, -G]

    def jump(mode, which, t, y):
        n, q = np.array([math.cos(y[0]), math.sin(y[0])]), np.array([-math.sin(y[0]), math.cos(y[0])])
        return "flies", np.array([*y[:2], *(l * n), *(l * y[1] * q)])

    rows = follow(rate, [a0, w0, 0, 0, 0, 0], "hung",
                  lambda mode: [lambda t, y: limit - force(y)] if mode == "hung" else [], jump, times)
    model = {"gravity": [0, -G],
             "bodies": {"rod": {"type": "planar", "mass": m, "inertia": J - m * l * l, "com": [l, 0], "angle": a0,
                                "angular_velocity": w0}},
             "joints": {"hinge": {"type": "revolute", "b": "rod", "at": [0, 0], "breaks": limit}}}
    return Case(model, times, {"rod.angle": rows[:, 0], "rod.omega": rows[:, 1]})


def clutch(r):
    """Two flywheels that a clutch joins for a while."""
    J1, J2, w1, w2 = r.uniform(0.1, 2), r.uniform(0.1, 2), r.uniform(-9, 9), r.uniform(-9, 9)
    on, off = sorted(r.uniform(0.05, 0.95, 2))
    T, k = r.uniform(-3, 3), r.uniform(1, 8)
    times = np.linspace(0, 1, ROWS)

    def rate(mode, t, y):
        a = np.array([T * math.sin(k * t) / J1, 0])
        if mode == 1:
            a[:] = T * math.sin(k * t) / (J1 + J2)
        return [y[2], y[3], *a]

    def jump(mode, which, t, y):
        if mode == 0:
            y = np.array(y)
            y[2:] = (J1 * y[2] + J2 * y[3]) / (J1 + J2)
        return mode + 1, y

    rows = follow(rate, [0, 0, w1, w2], 0, lambda mode: [lambda t, y: (on, off, 9)[mode] - t], jump, times)
    wheel = lambda J, w: {"type": "planar", "mass": 1, "inertia": J, "angular_velocity": w}
    model = {"bodies": {"one": wheel(J1, w1), "two": wheel(J2, w2)},
             "joints": {"bearing": {"type": "revolute", "b": "one", "at": [0, 0]},
                        "pilot": {"type": "revolute", "a": "one", "b": "two", "at": [0, 0]},
                        "clutch": {"type": "lock", "joint_a": "pilot", "active": f"t > {on!r} && t < {off!r}"}},
             "forces": {"motor": {"type": "motor", "joint": "bearing", "law": f"{T!r}*sin({k!r}*t)"}}}
    return Case(model, times, {"one.angle": rows[:, 0], "two.angle": rows[:, 1], "one.omega": rows[:, 2],
                               "two.omega": rows[:, 3]})


def chatter(r):
    """A force that switches across a line which the motion then cannot leave: it must slide along it."""
    K, c = r.uniform(2, 20), r.uniform(0.05, 0.5)
    x, v = r.uniform(-1, 1), r.uniform(-1, 1)
    times = np.linspace(0, 1.5, ROWS)
    line = lambda y: y[0] + c * y[1]

    def rate(mode, t, y):
        return [y[1], -y[1] / c if mode == 0 else -mode * K]

    def jump(mode, which, t, y):
        return (0 if abs(y[1]) < c * K else -mode), y

    guards = lambda mode: [lambda t, y: mode * line(y)] if mode else []
    rows = follow(rate, [x, v], math.copysign(1, line([x, v])), guards, jump, times)
    model = {"bodies": {"mass": {"type": "planar", "mass": 1, "inertia": 1, "position": [x, 0], "velocity": [v, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [0, 0], "axis": [1, 0, 0]}},
             "forces": {"switch": {"type": "force", "b": "mass", "at": [x, 0],
                                   "force": [f"if(mass.x + {c!r}*mass.vx > 0, {-K!r}, {K!r})", 0, 0]}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1]})


def sampled(r):
    """A pendulum held up by a sampled controller whose output comes late."""
    m, l = r.uniform(0.5, 2), r.uniform(0.3, 1)
    T = r.uniform(0.004, 0.03)
    late = T * r.choice([0, r.uniform(0, 0.9), r.uniform(1, 2.5)])
    kp, kd, ki = m * G * l * r.uniform(1.5, 3), m * l * l * r.uniform(2, 8), r.uniform(0, 20)
    a0 = r.uniform(-0.3, 0.3)
    times = np.linspace(0, 0.5, ROWS)
    J = m * l * l + 0.05
    t, y, total, u, queue, rows, k = 0.0, np.array([a0, 0.0]), 0.0, 0.0, [], [np.array([a0, 0.0])], 0
    rate = lambda t, y: [y[1], (m * G * l * math.sin(y[0]) + u) / J]
    for goal in times[1:]:
        while t < goal - 1e-13:
            if t >= k * T - 1e-12:
                total += T * y[0]
                queue.append((k * T + late, -kp * y[0] - kd * y[1] - ki * total))
                k += 1
            while queue and queue[0][0] <= t + 1e-12:
                u = queue.pop(0)[1]
            stop = min([goal, k * T] + [q[0] for q in queue[:1]])
            y = solve_ivp(rate, (t, stop), y, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
            t = stop
        rows.append(y)
    rows = np.array(rows)
    model = {"gravity": [0, -G],
             "bodies": {"rod": {"type": "planar", "mass": m, "inertia": 0.05,
                                "com": [-l * math.sin(a0), l * math.cos(a0)]}},
             "signals": {"angle": f"hinge.angle + {a0!r}"},
             "joints": {"hinge": {"type": "revolute", "b": "rod", "at": [0, 0]}},
             "controllers": {"u": {"period": T, "memory": {"sum": f"u_sum + {T!r}*angle"},
                                   "formula": f"{-kp!r}*angle - {kd!r}*hinge.rate - {ki!r}*u_sum"}},
             "forces": {"motor": {"type": "motor", "joint": "hinge", "law": "u"}}}
    if late:
        model["controllers"]["u"]["delay"] = float(late)
    return Case(model, times, {"rod.angle": rows[:, 0] - a0, "rod.omega": rows[:, 1]})


def measured(r):
    """A sprung mass pushed by a table over time."""
    kind = str(r.choice(["hold", "linear", "cubic"]))
    n = int(r.integers(4, 30))
    at = np.sort(r.uniform(0, 1, n))
    at[0] = 0
    at = np.unique(at)
    value = r.normal(size=len(at)) * 5
    m, k, c = r.uniform(0.5, 3), r.uniform(5, 300), r.uniform(0, 2)
    times = np.linspace(0, 1.2, ROWS)
    spline = CubicSpline(at, value) if kind == "cubic" and len(at) > 3 else None

    def push(t, piece):
        if kind == "hold":
            return value[piece]
        if kind == "cubic" and spline is not None:
            return spline(t) if t < at[-1] else spline(at[-1]) + (t - at[-1]) * spline(at[-1], 1)
        return float(np.interp(t, at, value))

    t, y, rows = 0.0, np.zeros(2), [np.zeros(2)]
    for goal in times[1:]:
        while t < goal:
            piece = int(np.searchsorted(at, t, "right")) - 1
            stop = min([goal] + [a for a in at if a > t][:1])
            y = solve_ivp(lambda t, y: [y[1], (push(t, piece) - k * y[0] - c * y[1]) / m], (t, stop), y,
                          method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
            t = stop
        rows.append(y)
    rows = np.array(rows)
    model = {"bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [0, 0], "axis": [1, 0, 0]}},
             "signals": {"push": {"table": [[float(a), float(v)] for a, v in zip(at, value)], "interpolation": kind}},
             "forces": {"act": {"type": "motor", "joint": "rail", "law": f"push - {k!r}*value - {c!r}*rate"}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1]})


def balls(r):
    """Three balls on a table without friction that strike each other."""
    n, e = 3, r.uniform(0.2, 1)
    m, rad = r.uniform(0.2, 3, n), r.uniform(0.05, 0.15, n)
    place = np.array([[math.cos(a), math.sin(a)] for a in 2 * math.pi * np.arange(n) / n + r.uniform(0, 6)])
    place *= r.uniform(0.5, 1.2, (n, 1))
    v = -place * r.uniform(0.5, 2, (n, 1)) + r.normal(size=(n, 2)) * 0.1
    times = np.linspace(0, 1.5, ROWS)
    pairs = [(0, 1), (0, 2), (1, 2)]
    gap = lambda y, i, j: np.linalg.norm(y[2 * i:2 * i + 2] - y[2 * j:2 * j + 2]) - rad[i] - rad[j]

    def jump(mode, which, t, y):
        i, j = pairs[which]
        y = np.array(y)
        nrm = y[2 * j:2 * j + 2] - y[2 * i:2 * i + 2]
        nrm /= np.linalg.norm(nrm)
        vi, vj = y[6 + 2 * i:8 + 2 * i], y[6 + 2 * j:8 + 2 * j]
        close = (vi - vj) @ nrm
        if close < 0.05:
            raise Hard("grazes")
        p = (1 + e) * close / (1 / m[i] + 1 / m[j])
        y[6 + 2 * i:8 + 2 * i] -= p / m[i] * nrm
        y[6 + 2 * j:8 + 2 * j] += p / m[j] * nrm
        return mode, y

    guards = lambda mode: [lambda t, y, i=i, j=j: gap(y, i, j) for i, j in pairs]
    rows = follow(lambda m, t, y: [*y[6:], *np.zeros(6)], [*place.ravel(), *v.ravel()], 0, guards, jump, times)
    model = {"bodies": {f"b{i}": planar(m[i], place[i], v[i]) for i in range(n)},
             "joints": {f"g{i}{j}": {"type": "apart", "a": f"b{i}", "b": f"b{j}", "at": place[i].tolist(),
                                     "at_b": place[j].tolist(), "length": rad[i] + rad[j], "restitution": e}
                        for i, j in pairs}}
    columns = {}
    for i in range(n):
        for k, c in enumerate("xy"):
            columns[f"b{i}.{c}"], columns[f"b{i}.v{c}"] = rows[:, 2 * i + k], rows[:, 6 + 2 * i + k]
    return Case(model, times, columns)


def orbit(r):
    """A planet on its ellipse, from micrometres to astronomical units."""
    size = 10 ** r.uniform(-6, 11)
    mass, ecc = 10 ** r.uniform(-12, 12), r.uniform(0, 0.9)
    period = 10 ** r.uniform(-3, 7)
    mu = 4 * math.pi**2 * size**3 / period**2
    times = np.linspace(0, r.uniform(1, 3) * period, ROWS)
    rows = []
    for t in times:  # from the far end
        M = math.pi + 2 * math.pi * t / period
        E = M
        for _ in range(60):
            E -= (E - ecc * math.sin(E) - M) / (1 - ecc * math.cos(E))
        d = 1 - ecc * math.cos(E)
        b = math.sqrt(1 - ecc**2)
        w = 2 * math.pi / period / d
        rows.append([size * (math.cos(E) - ecc), size * b * math.sin(E), -size * w * math.sin(E), size * w * b * math.cos(E)])
    rows = np.array(rows)
    model = {"gravity": [f"{-mu!r}*x/({size!r}*{size!r}*{size!r}*((x/{size!r})^2 + (y/{size!r})^2)^1.5)",
                         f"{-mu!r}*y/({size!r}*{size!r}*{size!r}*((x/{size!r})^2 + (y/{size!r})^2)^1.5)"],
             "bodies": {"planet": planar(mass, rows[0, :2], rows[0, 2:])}}
    return Case(model, times, {f"planet.{c}": rows[:, i] for i, c in enumerate(("x", "y", "vx", "vy"))}, size,
                size / period * 2 * math.pi)


def small_and_large(r):
    """A double pendulum of any size, mass and pace."""
    size, mass, pace = 10 ** r.uniform(-7, 6), 10 ** r.uniform(-15, 9), 10 ** r.uniform(-6, 5)
    g = G * size / pace**2
    m, l, a, w = r.uniform(0.3, 2, 2), r.uniform(0.3, 1, 2), r.uniform(-2, 2, 2), r.normal(size=2) * 2
    times = np.linspace(0, 1.2, ROWS)

    def rate(mode, t, y):
        d = y[0] - y[1]
        M = np.array([[(m[0] + m[1]) * l[0] ** 2, m[1] * l[0] * l[1] * math.cos(d)],
                      [m[1] * l[0] * l[1] * math.cos(d), m[1] * l[1] ** 2]])
        f = [-m[1] * l[0] * l[1] * math.sin(d) * y[3] ** 2 - (m[0] + m[1]) * G * l[0] * math.sin(y[0]),
             m[1] * l[0] * l[1] * math.sin(d) * y[2] ** 2 - m[1] * G * l[1] * math.sin(y[1])]
        return [y[2], y[3], *np.linalg.solve(M, f)]

    rows = follow(rate, [*a, *w], 0, lambda m: [], None, times)
    x = size * np.cumsum([l[i] * np.sin(rows[:, i]) for i in (0, 1)], axis=0)
    y = size * np.cumsum([-l[i] * np.cos(rows[:, i]) for i in (0, 1)], axis=0)
    vx = size / pace * np.cumsum([l[i] * np.cos(rows[:, i]) * rows[:, 2 + i] for i in (0, 1)], axis=0)
    vy = size / pace * np.cumsum([l[i] * np.sin(rows[:, i]) * rows[:, 2 + i] for i in (0, 1)], axis=0)
    model = {"gravity": [0, -g],
             "bodies": {f"b{i}": planar(m[i] * mass, (x[i, 0], y[i, 0]), (vx[i, 0], vy[i, 0])) for i in (0, 1)},
             "joints": {"d0": {"type": "distance", "b": "b0", "at": [0, 0], "at_b": [x[0, 0], y[0, 0]]},
                        "d1": {"type": "distance", "a": "b0", "b": "b1", "at": [x[0, 0], y[0, 0]],
                               "at_b": [x[1, 0], y[1, 0]]}}}
    columns = {}
    for i in (0, 1):
        columns |= {f"b{i}.x": x[i], f"b{i}.y": y[i], f"b{i}.vx": vx[i], f"b{i}.vy": vy[i]}
    return Case(model, times * pace, columns, size, size / pace)


def servo(r):
    """A pendulum with a motor that has an inductance, behind a filter."""
    m, l = r.uniform(0.5, 2), r.uniform(0.3, 1)
    R, L, k, tau = r.uniform(0.5, 3), 10 ** r.uniform(-4, -1), r.uniform(0.2, 2), 10 ** r.uniform(-3, -0.5)
    want, gain = r.uniform(-1, 1), r.uniform(5, 60)
    a0 = r.uniform(-1, 1)
    times = np.linspace(0, 1, ROWS)
    J = m * l * l + 0.05

    def rate(t, y):
        a, w, i, f = y
        return [w, (-m * G * l * math.sin(a) + k * i) / J, (gain * (want - f) - R * i - k * w) / L, (a - f) / tau]

    rows = solve_ivp(rate, (0, times[-1]), [a0, 0, 0, 0], method="Radau", t_eval=times, rtol=1e-11, atol=1e-12).y.T
    model = {"gravity": [0, -G],
             "bodies": {"rod": {"type": "planar", "mass": m, "inertia": 0.05,
                                "com": [l * math.sin(a0), -l * math.cos(a0)]}},
             "joints": {"hinge": {"type": "revolute", "b": "rod", "at": [0, 0]}},
             "states": {"i": f"({gain!r}*({want!r} - f) - {R!r}*i - {k!r}*hinge.rate)/{L!r}",
                        "f": f"(hinge.angle + {a0!r} - f)/{tau!r}"},
             "forces": {"motor": {"type": "motor", "joint": "hinge", "law": f"{k!r}*i"}}}
    return Case(model, times, {"rod.angle": rows[:, 0] - a0, "rod.omega": rows[:, 1], "i": rows[:, 2]})


def yielding(r):
    """A ball on a floor that yields, by laws of contact."""
    m, K, e = r.uniform(0.2, 3), 10 ** r.uniform(3, 7), r.uniform(0.4, 0.95)
    law, d = [("hunt-crossley", 1.5 * (1 - e)), ("lankarani-nikravesh", 0.75 * (1 - e * e)),
              ("flores", 1.6 * (1 - e) / e), ("gonthier", (1 - e * e) / e)][int(r.integers(4))]
    n, high = float(r.choice([1, 1.5, 2])), r.uniform(0.05, 0.4)
    times = np.linspace(0, 0.8, ROWS)

    def rate(mode, t, y):
        if mode is None:
            return [y[1], -G]
        depth = max(-y[0], 0)
        return [y[1], -G + K * depth**n * max(1 - d * y[1] / mode, 0) / m]

    guards = lambda mode: [lambda t, y: y[0]] if mode is None else [lambda t, y: -y[0]]

    def jump(mode, which, t, y):
        if mode is None:
            if -y[1] < 0.05:
                raise Hard("too slow")
            return -y[1], np.array([-1e-16, y[1]])
        return None, np.array([1e-16, y[1]])

    rows = follow(rate, [high, 0], None, guards, jump, times)
    model = {"gravity": [0, -G], "bodies": {"ball": planar(m, (0, high + 0.1))},
             "forces": {"floor": {"type": "contact", "b": "ball", "at": [0, 0], "at_b": [0, high + 0.1], "axis": [0, 1, 0],
                                  "surface": "plane", "radius": 0.1, "stiffness": K, "exponent": n, "law": law,
                                  "restitution": e}}}
    return Case(model, times, {"ball.y": rows[:, 0] + 0.1, "ball.vy": rows[:, 1]})


def soft_balls(r):
    """Two balls that yield, on their way past or against each other."""
    m, rad, K = r.uniform(0.2, 3, 2), r.uniform(0.03, 0.15, 2), 10 ** r.uniform(3, 6)
    n = float(r.choice([1, 1.5, 2]))
    aside, fast, far = r.uniform(0, 1.2) * sum(rad), r.uniform(0.5, 4), r.uniform(0.5, 2)
    times = np.linspace(0, 2 * far / fast, ROWS)
    turn = r.uniform(0, 6)
    place = np.array([[0, 0], [far * math.cos(turn) - aside * math.sin(turn), far * math.sin(turn) + aside * math.cos(turn)]])
    v = np.array([[0, 0], [-fast * math.cos(turn), -fast * math.sin(turn)]]) + r.normal(size=2)

    def gap(y):
        return np.linalg.norm(y[2:4] - y[:2]) - sum(rad)

    def rate(mode, t, y):
        push = K * max(-gap(y), 0) ** n * (y[2:4] - y[:2]) / np.linalg.norm(y[2:4] - y[:2]) if mode else np.zeros(2)
        return [*y[4:], *(-push / m[0]), *(push / m[1])]

    rows = follow(rate, [*place.ravel(), *v.ravel()], 0, lambda mode: [lambda t, y: -gap(y) if mode else gap(y)],
                  lambda mode, which, t, y: (1 - mode, y), times)
    model = {"bodies": {f"b{i}": planar(m[i], place[i], v[i], type="planar", inertia=1) for i in (0, 1)},
             "forces": {"touch": {"type": "contact", "a": "b0", "b": "b1", "at": place[0].tolist(),
                                  "at_b": place[1].tolist(), "surface": "sphere", "radius_a": rad[0],
                                  "radius": rad[1], "stiffness": K, "exponent": n}}}
    columns = {}
    for i in (0, 1):
        for k, c in enumerate("xy"):
            columns[f"b{i}.{c}"], columns[f"b{i}.v{c}"] = rows[:, 2 * i + k], rows[:, 4 + 2 * i + k]
    return Case(model, times, columns)

def cone(r):
    """A block that slides on a tilted plane in space, against Coulomb's cone."""
    mu, tilt = r.uniform(0.1, 0.6), r.uniform(0, 0.5)
    v = r.normal(size=2) * 2
    g = np.array([G * math.sin(tilt), 0])
    N = G * math.cos(tilt)
    times = np.linspace(0, 1, ROWS)
    if abs(mu - math.tan(tilt)) < 0.02:
        raise Hard("at the limit")

    def rate(mode, t, y):
        if mode == 0:
            return [0, 0, 0, 0]
        fast = np.linalg.norm(y[2:])
        return [*y[2:], *(g - mu * N * y[2:] / fast)]

    small = 1e-7

    def jump(mode, which, t, y):
        return 0, np.array([*y[:2], 0, 0])

    rows = follow(rate, [0, 0, *v], 1, lambda mode: [lambda t, y: y[2:] @ y[2:] - small**2] if mode else [], jump, times)
    model = {"gravity": [g[0], 0, -N],
             "bodies": {"block": {"type": "point", "mass": r.uniform(0.5, 3), "position": [0, 0, 0],
                                  "velocity": [*v.tolist(), 0]}},
             "joints": {"floor": {"type": "stop", "b": "block", "at": [0, 0, 0], "at_b": [0, 0, 0], "axis": [0, 0, 1]}},
             "forces": {"rub": {"type": "friction", "joint": "floor", "law": "coulomb", "coulomb": mu}}}
    return Case(model, times, {f"block.{c}": rows[:, i] for i, c in enumerate(("x", "y", "vx", "vy"))})


FAMILIES = [table_bounce, stops, slack_rope, stick_slip, breaking, clutch, chatter, sampled, measured, balls, orbit,
            small_and_large, servo, yielding, cone, soft_balls]


# ---- the verdict ---------------------------------------------------------------------------------


def judge(case, method, **more):
    """What became of a run: its kind, and a sentence."""
    import holon
    from attack import run_of
    method, *words = method.split(",")
    more |= dict(word.split("=", 1) for word in words)
    try:
        result = run_of(case.model, case.times, method, 400, **{"duration": case.until} | more)
    except holon.Error as refused:
        return "refused", str(refused).splitlines()[0]
    rows = min(len(result.time), len(case.times))
    if rows < len(case.times):
        return "stopped", f"{rows} rows"
    off = np.zeros(3)  # places, speeds, states
    for name, wanted in case.columns.items():
        kind, size = case.unit(name)
        off[kind] = max(off[kind], float(np.max(abs(np.asarray(result[name]) - wanted))) / size)
    told = result.audit.motion
    stated = np.array([max(told.position / case.size, told.angle), max(told.velocity / case.speed, told.spin * case.time),
                       told.relative_state]) + case.of_elements(result.audit)
    words = lambda numbers: " ".join(f"{x:.1e}" for x in numbers)
    sentence = (f"off {words(off)}, told {words(stated)} ({told.how}), "
                f"{result.summary.steps} steps {result.summary.coordinates} {result.summary.integrator}")
    if not result.audit.passed:
        failed = [i.name for i in result.audit.items if not i.passed]
        return ("failed" if max(off) > 1e-7 else "failed though right"), f"{failed}; {sentence}"
    if not told.known:
        return ("NOT KNOWN" if max(off) > 1e-6 else "right, not known"), sentence
    return ("SILENT" if (off > 10 * stated + case.floor).any() else "right"), sentence


def number(make):
    """Of a family, for its seeds."""
    return FAMILIES.index(make) if make in FAMILIES else zlib.crc32(make.__name__.encode())


def try_each(seeds, families, judges, say=print):
    """Counts of what became of every case: by name, functions of a case and its seed that list kinds and sentences.

    What is silent, or wrong in another way, is said with its seed."""
    count = collections.Counter()
    for make in families:
        for seed in seeds:
            try:
                case = make(np.random.default_rng([seed, number(make)]))
            except Hard:
                count["no reference"] += 1
                continue
            for name, found in judges.items():
                for kind, sentence in found(case, seed):
                    count[kind] += 1
                    if kind.isupper() or os.environ.get("ATTACK_SHOW"):
                        say(f"{kind}: {make.__name__} seed {seed} {name}: {sentence}")
    return count


def try_all(seeds, families, methods, say=print, **more):
    """Counts of what became of the runs by these methods."""
    return try_each(seeds, families, {m: lambda case, seed, m=m: [judge(case, m, **more)] for m in methods}, say)


def command_line(families, methods):
    sys.path[:0] = [str(Path(sys.argv[1]).resolve() / "python"), str(Path(__file__).resolve().parent)]
    words = sys.argv[4:]
    methods = [w[7:] for w in words if w.startswith("method=")] or methods
    more = dict(w.split("=", 1) for w in words if "=" in w and not w.startswith("method="))
    named = [w for w in words if "=" not in w]
    for make in [f for f in families if not named or f.__name__ in named]:
        count = try_all(range(int(sys.argv[2]), int(sys.argv[3])), [make], methods,
                        lambda line: print(line, flush=True), **more)
        print(f"{make.__name__}: " + ", ".join(f"{kind} {n}" for kind, n in sorted(count.items())), flush=True)


if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
