"""Rough going: families as those of physics.py, each by many methods and coordinates.

usage: rough.py BUILD FIRST LAST [FAMILY ...] [method=NAME[,OPTION=VALUE ...] ...] [OPTION=VALUE ...]     see physics.py

Parallelograms through places where they lie flat, rows as near to these as can be; slider-cranks that all but lie flat;
masses, stiffnesses and units decades apart in one machine; fast spin, tumbling, cyclotrons and weak coupling over many
turns; drivers with kinks and vibrating ones; events on each other's heels; starts a hair beside what does not last; needles;
gears that mesh in rings; eccentric wheels that roll under one cart; governors and doors on a beam that spins.
"""

import math

import numpy as np
import scipy.linalg
from scipy.integrate import solve_ivp

from machines import Placed
from physics import G, ROWS, Case, Hard, command_line, follow, planar

METHODS = ["default", "auto", "explicit", "explicit,correction=direct", "baumgarte", "default,integrator=index1-alpha,rtol=1e-5", "index2-alpha,rtol=1e-5",
           "index3-alpha,rtol=1e-5", "index2-bdf", "coordinate-partitioning", "null-space", "energy-momentum", "augmented-lagrangian", "default,code=native", "default,coordinates=natural",
           "default,coordinates=relative", "default,coordinates=reference"]


def tight(rate, state, times, **more):
    """Rows of a smooth motion."""
    found = solve_ivp(rate, (times[0], times[-1]), state, method="DOP853", rtol=3e-14, atol=1e-14, t_eval=times, **more)
    if not found.success:
        raise Hard(found.message)
    return found.y.T


def bar(mass, inertia, place, angle, velocity=(0, 0), spin=0.0):
    return {"type": "planar", "mass": float(mass), "inertia": float(inertia), "position": [float(x) for x in place],
            "angle": float(angle), "velocity": [float(x) for x in velocity], "angular_velocity": float(spin)}


# ---- closed loops --------------------------------------------------------------------------------


def flat(r):
    """Parallelograms in a row fall over and go round, flat twice in each turn; some rows are all but there."""
    n, l, m, J = int(r.integers(1, 5)), r.uniform(0.3, 2), r.uniform(0.3, 3), r.uniform(0.02, 0.3)
    a0, w0 = r.uniform(0.5, 2.6), r.choice([-1, 1]) * r.uniform(0.5, 3)
    cranks, couplers = (n + 1) * (m * l * l / 4 + J * l * l), n * m * l * l
    weight = G * m * l * ((n + 1) / 2 + n)
    until, rows = r.uniform(1, 6) * math.sqrt(l), int(r.integers(100, 500))

    def rate(t, y):
        return [y[1], -weight * math.cos(y[0]) / (cranks + couplers)]

    # one row is nearly where the cranks lie level for the first time
    level = lambda t, y: math.sin(y[0])
    level.terminal = True
    first = solve_ivp(rate, (0, until), [a0, w0], method="DOP853", rtol=1e-13, atol=1e-13, events=level)
    if first.status == 1 and r.random() < 0.7:
        near = first.t[-1] + r.choice([0, 10 ** r.uniform(-9, -2)])
        until = near / max(1, round(near / until * rows)) * rows
    times = np.linspace(0, until, rows + 1)
    y = tight(rate, [a0, w0], times)
    out = lambda a: np.array([np.cos(a), np.sin(a)])
    ahead = lambda a, w: np.array([-np.sin(a) * w, np.cos(a) * w])
    bodies, columns = {}, {}
    for i in range(n + 1):
        base = np.array([i * l, 0])
        bodies[f"crank{i}"] = bar(m, J * l * l, base + l / 2 * out(a0), a0, l / 2 * ahead(a0, w0), w0)
        columns |= {f"crank{i}.angle": y[:, 0], f"crank{i}.omega": y[:, 1]}
    for i in range(n):
        bodies[f"coupler{i}"] = bar(m, J * l * l, np.array([(i + 0.5) * l, 0]) + l * out(a0), 0, l * ahead(a0, w0))
        columns |= {f"coupler{i}.angle": 0 * y[:, 0], f"coupler{i}.omega": 0 * y[:, 0], f"coupler{i}.vx": l * ahead(*y.T)[0]}
    tip = lambda i: (np.array([i * l, 0]) + l * out(a0)).tolist()
    joints = {f"A{i}": {"type": "revolute", "b": f"crank{i}", "at": [i * l, 0]} for i in range(n + 1)}
    for i in range(n):
        joints |= {f"L{i}": {"type": "revolute", "a": f"crank{i}", "b": f"coupler{i}", "at": tip(i)},
                   f"R{i}": {"type": "revolute", "a": f"coupler{i}", "b": f"crank{i + 1}", "at": tip(i + 1)}}
    model = {"gravity": [0, -G], "bodies": bodies, "joints": joints, "simulation": {"rtol": 10 ** r.uniform(-9, -4)}}
    return Case(model, times, columns, l)


def nearly(r):
    """A slider-crank whose rod is a hair longer than its crank: the slider comes to the shaft and turns back at once."""
    l, more = r.uniform(0.3, 1), 10 ** r.uniform(-6, -0.5)
    rod = l * (1 + more)
    m, J = r.uniform(0.3, 2, 3), r.uniform(0.02, 0.2, 2)
    a0, w0 = r.uniform(0.3, 1.2), r.uniform(1, 5)
    times = np.linspace(0, r.uniform(0.5, 1.5), ROWS)

    def places(a):
        """x of the slider and the rod's angle, with first and second derivatives."""
        s, c = np.sin(a), np.cos(a)
        root = np.sqrt(rod * rod - l * l * s * s)
        x = l * c + root
        x1 = -l * s - l * l * s * c / root
        x2 = -l * c - l * l * (c * c - s * s) / root - l**4 * s * s * c * c / root**3
        b1 = -l * c / root
        b2 = l * s / root - l**3 * c * c * s / root**3
        return x, np.arcsin(-l * s / rod), x1, x2, b1, b2

    def inertia(a):
        """Of the crank's angle, and its derivative; the rod's middle is half way from the crank's tip to the slider."""
        s, c = math.sin(a), math.cos(a)
        _, _, x1, x2, b1, b2 = places(a)
        vx, vy, ax, ay = (-l * s + x1) / 2, l * c / 2, (-l * c + x2) / 2, -l * s / 2
        I = m[0] * l * l / 4 + J[0] + m[1] * (vx * vx + vy * vy) + J[1] * b1 * b1 + m[2] * x1 * x1
        return I, 2 * (m[1] * (vx * ax + vy * ay) + J[1] * b1 * b2 + m[2] * x1 * x2)

    def rate(t, y):
        I, dI = inertia(y[0])
        return [y[1], (-G * (m[0] + m[1]) * l / 2 * math.cos(y[0]) - 0.5 * dI * y[1] ** 2) / I]

    y = tight(rate, [a0, w0], times, max_step=times[-1] / 400)
    a, w = y.T
    x, b, x1, _, b1, _ = places(a)
    s0, c0 = math.sin(a0), math.cos(a0)
    tip = np.array([l * c0, l * s0])
    end = np.array([x[0], 0])
    model = {"gravity": [0, -G],
             "bodies": {"crank": bar(m[0], J[0], tip / 2, a0, np.array([-s0, c0]) * l / 2 * w0, w0),
                        "rod": bar(m[1], J[1], (tip + end) / 2, b[0], [(-l * s0 + x1[0]) / 2 * w0, l * c0 / 2 * w0], b1[0] * w0),
                        "slider": bar(m[2], 1.0, end, 0, [x1[0] * w0, 0])},
             "joints": {"O": {"type": "revolute", "b": "crank", "at": [0, 0]},
                        "A": {"type": "revolute", "a": "crank", "b": "rod", "at": tip.tolist()},
                        "B": {"type": "revolute", "a": "rod", "b": "slider", "at": end.tolist()},
                        "rail": {"type": "prismatic", "b": "slider", "at": end.tolist(), "axis": [1, 0, 0]}},
             "simulation": {"rtol": 10 ** r.uniform(-9, -5)}}
    return Case(model, times, {"crank.angle": a, "crank.omega": w, "rod.angle": b, "rod.omega": b1 * w, "slider.x": x,
                               "slider.vx": x1 * w}, l)


class Linkage:
    """Planar bodies with pins and springs between points, by multipliers in full coordinates; nothing but numpy."""

    def __init__(self, gravity):
        self.gravity, self.bodies, self.pins, self.springs = np.array(gravity, float), [], [], []

    def add(self, mass, inertia, place, angle):
        self.bodies.append((mass, inertia, *place, angle))
        return len(self.bodies) - 1

    def point(self, body, at):
        """Of a place in the world as described: the body (None: the ground) and the place in its axes."""
        if body is None:
            return None, np.array(at, float)
        _, _, x, y, a = self.bodies[body]
        d = np.array(at, float) - [x, y]
        return body, np.array([math.cos(a) * d[0] + math.sin(a) * d[1], -math.sin(a) * d[0] + math.cos(a) * d[1]])

    def pin(self, a, b, at):
        self.pins.append((self.point(a, at), self.point(b, at)))

    def arm(self, q, point):
        body, p = point
        if body is None:
            return p, np.zeros(2)
        s, c = math.sin(q[3 * body + 2]), math.cos(q[3 * body + 2])
        out = np.array([c * p[0] - s * p[1], s * p[0] + c * p[1]])
        return q[3 * body:3 * body + 2] + out, out

    def rows(self, q, v):
        J, gamma, phi, n = [], [], [], len(q)
        for one, two in self.pins:
            row, right, gap = np.zeros((2, n)), np.zeros(2), np.zeros(2)
            for sign, point in ((1, one), (-1, two)):
                at, out = self.arm(q, point)
                gap += sign * at
                if point[0] is None:
                    continue
                i = 3 * point[0]
                row[0, i] = row[1, i + 1] = sign
                row[:, i + 2] += sign * np.array([-out[1], out[0]])
                right += sign * out * v[i + 2] ** 2
            J.append(row), gamma.append(right), phi.append(gap)
        return np.vstack(J), np.concatenate(gamma), np.concatenate(phi)

    def rate(self, t, y):
        n = len(y) // 2
        q, v = y[:n], y[n:]
        M = np.array([x for m, J, *_ in self.bodies for x in (m, m, J)])
        f = np.array([x for m, *_ in self.bodies for x in (m * self.gravity[0], m * self.gravity[1], 0)])
        for one, two, k, free, c in self.springs:
            (p, dp), (s, ds) = self.arm(q, one), self.arm(q, two)
            d = s - p
            length = np.linalg.norm(d)
            speed = sum(sign * (v[3 * b:3 * b + 2] + v[3 * b + 2] * np.array([-o[1], o[0]]))
                        for sign, (b, _), o in ((1, two, ds), (-1, one, dp)) if b is not None)
            pull = (k * (length - free) + c * (speed @ d) / length) * d / length
            for sign, (b, _), o in ((1, one, dp), (-1, two, ds)):
                if b is not None:
                    f[3 * b:3 * b + 3] += sign * np.array([*pull, o[0] * pull[1] - o[1] * pull[0]])
        J, gamma, phi = self.rows(q, v)
        # scaled, so that masses decades apart leave digits; violations are pulled back
        w = 1 / np.sqrt(M)
        A = J * w
        right = gamma - J @ (w * w * f) - 100 * (J @ v) - 2500 * phi
        left = scipy.linalg.lstsq(A, right, cond=1e-13)[0]
        return np.concatenate([v, w * w * f + w * left])

    def moving(self, spin):
        """Velocities of which the first body's spin is given."""
        q = np.array([x for _, _, *place in self.bodies for x in place], float)
        J = self.rows(q, 0 * q)[0]
        J = np.vstack([J, np.eye(len(q))[2]])
        v = np.linalg.lstsq(J, np.concatenate([np.zeros(len(J) - 1), [spin]]), rcond=None)[0]
        if np.linalg.matrix_rank(J, tol=1e-3) < len(q) or max(abs(v)) > 30 * max(1, abs(spin)):
            raise Hard("near a singular place")
        return q, v

    def follow(self, spin, times):
        q, v = self.moving(spin)
        rows = tight(self.rate, np.concatenate([q, v]), times)
        n = len(q)
        for y in rows:
            if max(abs(self.rows(y[:n], y[n:])[2])) > 1e-10 or max(abs(y[n:])) > 200:
                raise Hard("the reference drifts")
        return rows

    def case(self, names, spin, times, rows, joints, forces, units=(1, 1), rtol=None):
        """In units of so many metres and kilograms."""
        L, M = units
        n = 3 * len(self.bodies)
        bodies, columns = {}, {}
        for i, name in enumerate(names):
            m, J, x, y, a = self.bodies[i]
            v = rows[0, n + 3 * i:n + 3 * i + 3]
            bodies[name] = bar(m * M, J * M * L * L, [x * L, y * L], a, v[:2] * L, v[2])
            columns |= {f"{name}.x": rows[:, 3 * i] * L, f"{name}.y": rows[:, 3 * i + 1] * L, f"{name}.angle": rows[:, 3 * i + 2],
                        f"{name}.vx": rows[:, n + 3 * i] * L, f"{name}.omega": rows[:, n + 3 * i + 2]}
        model = {"gravity": (self.gravity * L).tolist(), "bodies": bodies, "joints": joints, "forces": forces}
        if rtol:
            model["simulation"] = {"rtol": rtol}
        return Case(model, times, columns, L, L)


def four_bar(r, mass, units=(1, 1), springs=0):
    """A four-bar linkage of any shape, with springs between points of its bars."""
    link = Linkage(r.normal(size=2) * 5)
    O, C = np.zeros(2), np.array([r.uniform(0.8, 1.5), r.uniform(-0.3, 0.3)])
    A, B = r.uniform(0.2, 0.6) * np.array([math.cos(a := r.uniform(0, 6)), math.sin(a)]), C + r.uniform(-0.5, 0.5, 2) + [0, 0.9]
    names, joints = ["crank", "coupler", "rocker"], {}
    for k, (p, q) in enumerate(((O, A), (A, B), (C, B))):
        d, m = q - p, mass(k)
        link.add(m, m * (d @ d) * r.uniform(0.05, 0.3), p + d * r.uniform(0.3, 0.7) + r.normal(size=2) * 0.05, math.atan2(d[1], d[0]))
    for name, (a, b, at) in {"O": (None, 0, O), "A": (0, 1, A), "B": (1, 2, B), "C": (None, 2, C)}.items():
        link.pin(a, b, at)
        joints[name] = {"type": "revolute", "a": names[a] if a is not None else "ground", "b": names[b], "at": (at * units[0]).tolist()}
    forces = {}
    for i in range(springs):
        a, b = (None, int(r.integers(3))) if r.random() < 0.6 else (0, 2)
        p, q = r.uniform(-1, 2, 2), r.uniform(0, 1, 2)
        k, free, c = 10 ** r.uniform(0, 3), r.uniform(0.2, 1), r.choice([0, r.uniform(0, 0.5)])
        link.springs.append((link.point(a, p), link.point(b, q), k, free, c))
        forces[f"s{i}"] = {"type": "spring", "a": names[a] if a is not None else "ground", "b": names[b], "at": (p * units[0]).tolist(),
                           "at_b": (q * units[0]).tolist(), "stiffness": k * units[1], "free": free * units[0], "damping": c * units[1]}
    spin, times = r.uniform(-4, 4), np.linspace(0, r.uniform(0.4, 1), ROWS)
    return link.case(names, spin, times, link.follow(spin, times), joints, forces, units, 10 ** r.uniform(-8, -5))


def unequal(r):
    """A four-bar linkage whose bars have masses decades apart."""
    return four_bar(r, lambda k: 10 ** r.uniform(-4, 2), springs=int(r.integers(0, 2)))


def grams(r):
    """A four-bar linkage with springs, in millimetres and grams, or inches and tons."""
    units = [(1e3, 1e3), (39.4, 1e-3), (1e6, 1e9), (1e-3, 1e-6)][int(r.integers(4))]
    return four_bar(r, lambda k: r.uniform(0.2, 2), units, int(r.integers(1, 4)))


# ---- decades apart -------------------------------------------------------------------------------


def spread(r):
    """Carriages on a rail with springs of six decades between them; some have dampers."""
    n = int(r.integers(2, 6))
    m, k = r.uniform(0.3, 3, n), 10 ** r.uniform(0, 6, n)
    c = 2 * r.choice([0, 0.02, 0.5], n) * np.sqrt(k * m)
    times = np.linspace(0, r.uniform(0.2, 0.8), ROWS)
    B = np.eye(n) - np.eye(n, k=-1)  # elongations
    A = np.zeros((2 * n, 2 * n))
    A[:n, n:] = np.eye(n)
    A[n:, :n], A[n:, n:] = -(B.T @ np.diag(k) @ B) / m[:, None], -(B.T @ np.diag(c) @ B) / m[:, None]
    # stiff ones are strained little
    y0 = np.concatenate([np.linalg.solve(B, r.normal(size=n) * 0.1 / np.sqrt(k)), r.normal(size=n) * 0.3])
    y = np.array([scipy.linalg.expm(A * t) @ y0 for t in times])
    rest = np.arange(1, n + 1.0)
    bodies = {f"b{i}": planar(m[i], (rest[i] + y0[i], 0), (y0[n + i], 0)) for i in range(n)}
    joints = {f"rail{i}": {"type": "coordinate", "b": f"b{i}", "coordinate": "y"} for i in range(n)}
    forces = {f"s{i}": {"type": "spring", "a": f"b{i - 1}" if i else "ground", "b": f"b{i}",
                        "at": [float(rest[i - 1] + y0[i - 1]) if i else 0, 0], "at_b": [float(rest[i] + y0[i]), 0],
                        "stiffness": k[i], "damping": c[i], "free": 1.0} for i in range(n)}
    columns = {}
    for i in range(n):
        columns |= {f"b{i}.x": rest[i] + y[:, i], f"b{i}.vx": y[:, n + i]}
    return Case({"bodies": bodies, "joints": joints, "forces": forces}, times, columns)


def weak(r):
    """Two equal pendulums and a spring between them that is all but nothing, until the swing has gone over."""
    m, l = r.uniform(0.5, 2), r.uniform(0.3, 1)
    k, a0 = m * G / l * 10 ** r.uniform(-2.5, -1), r.uniform(0.05, 0.6)
    times = np.linspace(0, r.uniform(0.5, 1) * math.pi * m * math.sqrt(G / l) / k, ROWS)

    def rate(t, y):
        push = k * l * (math.sin(y[1]) - math.sin(y[0]))
        return [y[2], y[3], -G / l * math.sin(y[0]) + push * math.cos(y[0]) / (m * l),
                -G / l * math.sin(y[1]) - push * math.cos(y[1]) / (m * l)]

    y = tight(rate, [a0, 0, 0, 0], times)
    ball = lambda a, x: planar(m, (x + l * math.sin(a), -l * math.cos(a)))
    push = f"{k!r}*(two.x - 1 - one.x)"
    model = {"gravity": [0, -G], "bodies": {"one": ball(a0, 0), "two": ball(0, 1)},
             "joints": {"p1": {"type": "distance", "b": "one", "at": [0, 0], "at_b": ball(a0, 0)["position"]},
                        "p2": {"type": "distance", "b": "two", "at": [1, 0], "at_b": ball(0, 1)["position"]}},
             "forces": {"f1": {"type": "force", "b": "one", "at": ball(a0, 0)["position"], "force": [push, 0]},
                        "f2": {"type": "force", "b": "two", "at": ball(0, 1)["position"], "force": [f"-({push})", 0]}}}
    return Case(model, times, {"one.x": l * np.sin(y[:, 0]), "two.x": 1 + l * np.sin(y[:, 1]),
                               "one.vx": l * np.cos(y[:, 0]) * y[:, 2], "two.vx": l * np.cos(y[:, 1]) * y[:, 3]})


# ---- many turns ----------------------------------------------------------------------------------


def spinner(r):
    """A free body with one axis of symmetry, fast, for hundreds of turns; its frame lies off its axis."""
    A, C, m = r.uniform(0.1, 1), r.uniform(0.1, 1), r.uniform(0.5, 2)
    if C > 1.9 * A:
        C = 1.9 * A
    w0 = np.array([r.uniform(0, 2), 0, r.uniform(20, 300)])
    com = r.normal(size=3) * 0.3
    times = np.linspace(0, r.uniform(0.5, 3), ROWS)
    L = np.array([A, A, C]) * w0
    around = lambda w, t: scipy.linalg.expm(np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]) * t)
    turns = [around(L / A, t) @ around(np.array([0, 0, w0[2] * (1 - C / A)]), t) for t in times]
    spin = np.array([R @ (np.linalg.solve(np.diag([A, A, C]), R.T @ L)) for R in turns])
    v0 = np.cross(w0, -com)
    place = np.array([com + R @ -com for R in turns])
    speed = np.array([np.cross(w, R @ -com) for w, R in zip(spin, turns)])
    model = {"bodies": {"top": {"mass": m, "inertia": [A, A, C], "com": com.tolist(), "velocity": v0.tolist(),
                                "angular_velocity": w0.tolist()}}}
    columns = {}
    for i, c in enumerate("xyz"):
        columns |= {f"top.{c}": place[:, i], f"top.w{c}": spin[:, i], f"top.v{c}": speed[:, i]}
    return Case(model, times, columns)


def tumble(r):
    """A free body about its middle axis, which it leaves and comes back to."""
    J = np.sort(r.uniform(0.2, 1, 3))
    if J[2] > 0.95 * (J[0] + J[1]):
        J[2] = 0.95 * (J[0] + J[1])
    if min(np.diff(J)) < 0.03:
        raise Hard("nearly symmetric")
    w0 = np.array([10 ** r.uniform(-5, -1), r.uniform(2, 10), 10 ** r.uniform(-5, -1)])
    times = np.linspace(0, r.uniform(2, 5), ROWS)

    def rate(t, y):
        w, R = y[:3], y[3:].reshape(3, 3)
        k = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return [*(-np.cross(w, J * w) / J), *(R @ k).ravel()]

    y = tight(rate, [*w0, *np.eye(3).ravel()], times)
    spin = np.array([row[3:].reshape(3, 3) @ row[:3] for row in y])
    com = r.normal(size=3) * 0.3
    place = np.array([com - row[3:].reshape(3, 3) @ com for row in y])
    model = {"bodies": {"body": {"mass": 1, "inertia": J.tolist(), "com": com.tolist(), "velocity": np.cross(w0, -com).tolist(),
                                 "angular_velocity": w0.tolist()}}}
    columns = {}
    for i, c in enumerate("xyz"):
        columns |= {f"body.{c}": place[:, i], f"body.w{c}": spin[:, i]}
    return Case(model, times, columns)


def magnet(r):
    """A charge in a magnetic field and a weak electric one: hundreds of turns and a drift."""
    B, m, q = r.normal(size=3) * r.uniform(5, 60), r.uniform(0.5, 2), r.uniform(0.5, 2)
    E, v0 = r.normal(size=3), r.normal(size=3) * 2
    times = np.linspace(0, r.uniform(1, 3), ROWS)
    A = np.zeros((9, 9))
    cross = np.array([[0, B[2], -B[1]], [-B[2], 0, B[0]], [B[1], -B[0], 0]])  # v x B
    A[:3, 3:6], A[3:6, 3:6], A[3:6, 6:] = np.eye(3), q / m * cross, np.eye(3)
    y = np.array([scipy.linalg.expm(A * t) @ [0, 0, 0, *v0, *(q / m * E)] for t in times])
    v = [f"ion.v{c}" for c in "xyz"]
    b = [repr(float(x)) for x in B]
    force = [f"{q!r}*({float(E[i])!r} + {v[(i + 1) % 3]}*{b[(i + 2) % 3]} - {v[(i + 2) % 3]}*{b[(i + 1) % 3]})" for i in range(3)]
    model = {"bodies": {"ion": {"type": "point", "mass": m, "velocity": v0.tolist()}},
             "forces": {"f": {"type": "force", "b": "ion", "at": [0, 0, 0], "force": force}}}
    columns = {}
    for i, c in enumerate("xyz"):
        columns |= {f"ion.{c}": y[:, i], f"ion.v{c}": y[:, 3 + i]}
    return Case(model, times, columns)


def needle(r):
    """A rod on a ball joint, next to no inertia about its own axis, with spin."""
    m, l = r.uniform(0.3, 2), r.uniform(0.3, 1)
    A = m * l * l * r.uniform(1.1, 1.4)
    C, spin = A * 10 ** r.uniform(-8, -1), r.choice([0, r.uniform(-200, 200)])
    e = r.normal(size=3)
    e /= np.linalg.norm(e)
    turn = r.normal(size=3) * 3
    turn -= e * (turn @ e)
    times = np.linspace(0, 1, ROWS)

    def rate(t, y):
        e, d = y[:3], y[3:]
        return [*d, *(-(d @ d) * e + np.cross(m * G * l * np.cross(e, [0, 0, -1]) - C * spin * d, e) / A)]

    y = tight(rate, [*e, *np.cross(turn, e)], times)
    # body axes with z along e
    first = np.cross([0, 0, 1.0], e)
    angle = math.atan2(np.linalg.norm(first), e[2])
    axis = first / np.linalg.norm(first)
    w0 = turn + spin * e
    model = {"gravity": [0, 0, -G],
             "bodies": {"rod": {"mass": m, "inertia": [A - m * l * l, A - m * l * l, C], "position": (l * e).tolist(),
                                "orientation": {"axis": axis.tolist(), "angle": angle}, "velocity": (l * np.cross(w0, e)).tolist(),
                                "angular_velocity": w0.tolist()}},
             "joints": {"ball": {"type": "spherical", "b": "rod", "at": [0, 0, 0]}}}
    w = np.cross(y[:, :3], y[:, 3:]) + spin * y[:, :3]
    columns = {}
    for i, c in enumerate("xyz"):
        columns |= {f"rod.{c}": l * y[:, i], f"rod.v{c}": l * y[:, 3 + i], f"rod.w{c}": w[:, i]}
    return Case(model, times, columns)


# ---- drivers and events --------------------------------------------------------------------------


def kinked(r):
    """A pendulum on a crank whose prescribed rate jumps and bends, at times close together too."""
    L, m, l, J = r.uniform(0.2, 0.6), r.uniform(0.3, 2), r.uniform(0.2, 0.6), r.uniform(0.01, 0.1)
    w, n = r.uniform(-3, 3), int(r.integers(1, 5))
    at = np.sort(r.uniform(0.05, 0.95, n))
    if n > 1 and r.random() < 0.5:
        at[1] = at[0] + 10 ** r.uniform(-6, -2)
        at = np.sort(at)
    jump, bend = r.normal(size=n) * r.choice([0, 2], n), r.normal(size=n) * 4
    times = np.linspace(0, 1, ROWS)

    def crank(t, piece):
        past = slice(0, piece)
        s = t - at[past]
        return (w * t + jump[past] @ s + bend[past] @ (s * s), w + np.sum(jump[past]) + 2 * bend[past] @ s, 2 * np.sum(bend[past]))

    def rate(piece, t, y):
        a, v, acc = crank(t, piece)
        px = -L * (math.cos(a) * v * v + math.sin(a) * acc)
        py = -L * (math.sin(a) * v * v - math.cos(a) * acc)
        return [y[1], -m * l * (-math.sin(y[0]) * px + math.cos(y[0]) * (py + G)) / (m * l * l + J)]

    def go_on(piece, which, t, y):
        a = crank(t, piece)[0]
        dv = jump[piece] * L * np.array([-math.sin(a), math.cos(a)])
        return piece + 1, np.array([y[0], y[1] - m * l * (-math.sin(y[0]) * dv[0] + math.cos(y[0]) * dv[1]) / (m * l * l + J)])

    guards = lambda piece: [lambda t, y: at[piece] - t] if piece < n else []
    y0 = [r.uniform(-2, 2), r.uniform(-3, 3)]
    rows = follow(rate, y0, 0, guards, go_on, times)
    motion = f"{w!r}*t" + "".join(f" + {float(jump[i])!r}*max(t - {float(at[i])!r}, 0) + {float(bend[i])!r}*max(t - {float(at[i])!r}, 0)^2"
                                  for i in range(n))
    start = np.array([L, 0]) + l * np.array([math.cos(y0[0]), math.sin(y0[0])])
    speed = np.array([0, L * w]) + l * y0[1] * np.array([-math.sin(y0[0]), math.cos(y0[0])])
    model = {"gravity": [0, -G],
             "bodies": {"crank": bar(1, 0.1, [L / 2, 0], 0, [0, L / 2 * w], w), "rod": bar(m, J, start, y0[0], speed, y0[1])},
             "joints": {"O": {"type": "revolute", "b": "crank", "at": [0, 0]},
                        "A": {"type": "revolute", "a": "crank", "b": "rod", "at": [L, 0]},
                        "drive": {"type": "driver", "joint_a": "O", "motion": motion}}}
    return Case(model, times, {"rod.angle": rows[:, 0], "rod.omega": rows[:, 1]})


def vibrated(r):
    """A pendulum on a support that vibrates at hundreds of radians a second, upside down too."""
    l, J, m = r.uniform(0.1, 0.5), r.uniform(0.002, 0.02), r.uniform(0.2, 1)
    W, a = r.uniform(50, 800), 10 ** r.uniform(-3.3, -1.8)
    x0, w0 = r.choice([r.uniform(-0.5, 0.5), math.pi + r.uniform(-0.3, 0.3)]), r.uniform(-1, 1)
    times = np.linspace(0, 1, ROWS)

    def rate(t, y):
        return [y[1], -m * l * (G - a * W * W * math.sin(W * t)) * math.sin(y[0]) / (m * l * l + J)]

    y = tight(rate, [x0, w0], times)
    model = {"gravity": [0, -G],
             "bodies": {"foot": bar(1, 1, [0, 0], 0, [0, a * W]),
                        "rod": bar(m, J, [l * math.sin(x0), -l * math.cos(x0)], x0,
                                   [l * math.cos(x0) * w0, a * W + l * math.sin(x0) * w0], w0)},
             "joints": {"rail": {"type": "prismatic", "b": "foot", "at": [0, 0], "axis": [0, 1, 0]},
                        "pin": {"type": "revolute", "a": "foot", "b": "rod", "at": [0, 0]},
                        "shake": {"type": "driver", "joint_a": "rail", "motion": f"{a!r}*sin({W!r}*t)"}}}
    return Case(model, times, {"rod.angle": y[:, 0], "rod.omega": y[:, 1]})


def crowded(r):
    """Balls that fall on tables a hair apart, so that impacts follow on each other's heels."""
    n, e = int(r.integers(2, 6)), r.uniform(0.6, 0.95)
    high = r.uniform(0.2, 0.6) + 10 ** r.uniform(-12, -2, n) * r.choice([0, 1], n)
    times = np.linspace(0, r.uniform(0.6, 1.2), ROWS)
    bodies, joints, columns = {}, {}, {}
    for i in range(n):
        place = []
        for t in times:
            t0, v = math.sqrt(2 * high[i] / G), -math.sqrt(2 * G * high[i])
            if t <= t0:
                place.append((high[i] - G * t * t / 2, -G * t))
                continue
            t, v = t - t0, -e * v
            while t > 2 * v / G:
                t, v = t - 2 * v / G, e * v
                if v < 0.05:
                    raise Hard("too slow")
            place.append((v * t - G * t * t / 2, v - G * t))
        bodies[f"b{i}"] = planar(r.uniform(0.5, 2), (i, high[i]))
        joints[f"t{i}"] = {"type": "stop", "b": f"b{i}", "at": [i, 0], "at_b": [i, float(high[i])], "axis": [0, 1, 0], "restitution": e}
        columns |= {f"b{i}.y": np.array(place)[:, 0], f"b{i}.vy": np.array(place)[:, 1]}
        if min(abs(np.array(place)[:, 0][1:])) < 1e-4:
            raise Hard("a row falls on an impact")
    return Case({"gravity": [0, -G], "bodies": bodies, "joints": joints}, times, columns)


def poised(r):
    """A double pendulum a hair beside upright, at rest or nearly so."""
    m, l = r.uniform(0.5, 2, 2), r.uniform(0.3, 1, 2)
    y0 = np.concatenate([math.pi + r.normal(size=2) * 10 ** r.uniform(-7, -2), r.normal(size=2) * r.choice([0, 10 ** r.uniform(-7, -2)])])
    times = np.linspace(0, r.uniform(0.5, 2), ROWS)

    def rate(t, y):
        d = y[0] - y[1]
        M = np.array([[(m[0] + m[1]) * l[0] ** 2, m[1] * l[0] * l[1] * math.cos(d)], [m[1] * l[0] * l[1] * math.cos(d), m[1] * l[1] ** 2]])
        return [y[2], y[3], *np.linalg.solve(M, [
            -m[1] * l[0] * l[1] * math.sin(d) * y[3] ** 2 - (m[0] + m[1]) * G * l[0] * math.sin(y[0]),
            m[1] * l[0] * l[1] * math.sin(d) * y[2] ** 2 - m[1] * G * l[1] * math.sin(y[1])])]

    # nobody knows more digits of the start than it has
    apart = 3e-16 / np.linalg.norm(y0 - [math.pi, math.pi, 0, 0])
    y = tight(rate, y0, times)
    x = np.cumsum([l[i] * np.sin(y[:, i]) for i in (0, 1)], axis=0)
    h = np.cumsum([-l[i] * np.cos(y[:, i]) for i in (0, 1)], axis=0)
    vx = np.cumsum([l[i] * np.cos(y[:, i]) * y[:, 2 + i] for i in (0, 1)], axis=0)
    vy = np.cumsum([l[i] * np.sin(y[:, i]) * y[:, 2 + i] for i in (0, 1)], axis=0)
    model = {"gravity": [0, -G],
             "bodies": {f"b{i}": planar(m[i], (x[i, 0], h[i, 0]), (vx[i, 0], vy[i, 0])) for i in (0, 1)},
             "joints": {"d0": {"type": "distance", "b": "b0", "at": [0, 0], "at_b": [x[0, 0], h[0, 0]]},
                        "d1": {"type": "distance", "a": "b0", "b": "b1", "at": [x[0, 0], h[0, 0]], "at_b": [x[1, 0], h[1, 0]]}},
             "simulation": {"rtol": 10 ** r.uniform(-10, -5)}}
    columns = {}
    for i in (0, 1):
        columns |= {f"b{i}.x": x[i], f"b{i}.y": h[i], f"b{i}.vx": vx[i], f"b{i}.vy": vy[i]}
    return Case(model, times, columns, apart=10 * apart)


# ---- gears, wheels, beams that spin --------------------------------------------------------------


def ring(r):
    """Shafts that mesh in a ring, with weights off their axes and springs; one mesh is one too many."""
    at = Placed(r)
    n = int(r.integers(3, 6))
    ratio = r.uniform(0.5, 2, n - 1) * r.choice([-1, 1], n - 1)
    g = np.concatenate([[1], np.cumprod(ratio)])
    m, arm, J = r.uniform(0.2, 2, n), r.uniform(0, 0.5, n), r.uniform(0.02, 0.2, n)
    turn, k, torque = r.uniform(0, 6, n), r.choice([0, 5, 50], n), r.normal(size=n) * 2
    gravity = r.normal(size=2) * 5
    w0 = r.uniform(-3, 3)
    times = np.linspace(0, 1, ROWS)
    I = np.sum(g * g * (J + m * arm * arm))

    def rate(t, y):
        a = turn + g * y[0]
        load = m * arm * (gravity[1] * np.cos(a) - gravity[0] * np.sin(a)) + torque - k * g * y[0]
        return [y[1], np.sum(g * load) / I]

    y = tight(rate, [0, w0], times)
    pivot = r.uniform(-2, 2, (n, 2))
    bodies, joints, forces, columns = {}, {}, {}, {}
    for i in range(n):
        out = arm[i] * np.array([math.cos(turn[i]), math.sin(turn[i])])
        bodies[f"s{i}"] = {"mass": m[i], "inertia": [1, 1, J[i]], "position": at.at(*(pivot[i] + out), 0), "orientation": at.orientation,
                           "velocity": (np.array(at.along(-out[1], out[0], 0)) * g[i] * w0).tolist(),
                           "angular_velocity": at.along(0, 0, g[i] * w0)}
        joints[f"j{i}"] = {"type": "revolute", "b": f"s{i}", "at": at.at(*pivot[i], 0), "axis": at.along(0, 0, 1)}
        forces[f"t{i}"] = {"type": "torsion-spring", "joint": f"j{i}", "stiffness": float(k[i]), "preload": -float(torque[i])}
        columns |= {f"j{i}.angle": g[i] * y[:, 0], f"j{i}.angle_rate": g[i] * y[:, 1]}
    for i in range(n):
        a, b = i, (i + 1) % n
        joints[f"g{i}"] = {"type": "gear", "joint_a": f"j{a}", "joint_b": f"j{b}", "ratio": float(g[b] / g[a])}
    return Case({"gravity": at.along(*gravity, 0), "bodies": bodies, "joints": joints, "forces": forces}, times, columns)


def cart(r):
    """Eccentric wheels that roll on a slope under one cart, which a rail and a spring hold; a pendulum hangs on it."""
    at = Placed(r)
    n = int(r.integers(1, 4))
    rad, m, J, off, turn = r.uniform(0.1, 0.4, n), r.uniform(0.3, 2, n), r.uniform(0.01, 0.1, n), r.uniform(0, 0.1, n), r.uniform(0, 6, n)
    M, k, v0 = r.uniform(0.5, 3), 10 ** r.uniform(0, 3), r.uniform(-2, 2)
    mp, lp, Jp, b0, s0 = r.uniform(0.2, 1), r.uniform(0.2, 0.6), r.uniform(0.01, 0.05), r.uniform(-2, 2), r.uniform(-3, 3)
    slope = r.uniform(-0.4, 0.4)
    g = G * np.array([math.sin(slope), -math.cos(slope)])
    times = np.linspace(0, 0.8, ROWS)

    def rate(t, y):
        x, b, v, s = y
        # wheels turn by a = -x/rad; their weights lie at `turn` to begin with
        a = turn - x / rad
        d = off * np.sin(a) / rad  # x' of a weight beyond the cart's, by v
        e = -off * np.cos(a) / rad
        mass = M + mp + np.sum(m * ((1 + d) ** 2 + e * e) + J / rad**2)
        # derivatives of d and e by x
        d1, e1 = -off * np.cos(a) / rad**2, -off * np.sin(a) / rad**2
        force = (M + mp) * g[0] + np.sum(m * (g[0] * (1 + d) + g[1] * e)) - k * x - v * v * np.sum(m * ((1 + d) * d1 + e * e1))
        # pendulum: b from straight down
        A = np.array([[mass, mp * lp * math.cos(b)], [mp * lp * math.cos(b), mp * lp * lp + Jp]])
        f = [force + mp * lp * math.sin(b) * s * s, mp * lp * (g[0] * math.cos(b) + g[1] * math.sin(b))]
        return [v, s, *np.linalg.solve(A, f)]

    y = tight(rate, [0, b0, v0, s0], times)
    top = r.uniform(0.5, 1)
    bodies = {"cart": {"mass": M, "inertia": [1, 1, 1], "position": at.at(0, top, 0), "orientation": at.orientation,
                       "velocity": at.along(v0, 0, 0)},
              "bob": {"mass": mp, "inertia": [1, 1, Jp], "position": at.at(lp * math.sin(b0), top - lp * math.cos(b0), 0.1),
                      "orientation": at.orientation,
                      "velocity": at.along(v0 + lp * math.cos(b0) * s0, lp * math.sin(b0) * s0, 0), "angular_velocity": at.along(0, 0, s0)}}
    joints = {"rail": {"type": "prismatic", "b": "cart", "at": at.at(0, top, 0), "axis": at.along(1, 0, 0)},
              "hook": {"type": "revolute", "a": "cart", "b": "bob", "at": at.at(0, top, 0.1), "axis": at.along(0, 0, 1)}}
    columns = {"rail.translation": y[:, 0], "rail.translation_rate": y[:, 2], "hook.angle": y[:, 1] - b0, "hook.angle_rate": y[:, 3]}
    for i in range(n):
        hub = np.array([i - 1.0, rad[i], 0.2 * i])
        out = off[i] * np.array([math.cos(turn[i]), math.sin(turn[i]), 0])
        w = -v0 / rad[i]
        bodies[f"w{i}"] = {"mass": m[i], "inertia": [1, 1, J[i]], "position": at.at(*(hub + out)), "orientation": at.orientation,
                           "velocity": at.along(v0 - out[1] * w, out[0] * w, 0), "angular_velocity": at.along(0, 0, w)}
        joints |= {f"axle{i}": {"type": "revolute", "a": "cart", "b": f"w{i}", "at": at.at(*hub), "axis": at.along(0, 0, 1)},
                   f"roll{i}": {"type": "rolling-disc", "b": f"w{i}", "at": at.at(*hub), "axis": at.along(0, 0, 1),
                                "normal": at.along(0, 1, 0), "radius": rad[i]}}
        columns |= {f"axle{i}.angle": -y[:, 0] / rad[i], f"axle{i}.angle_rate": -y[:, 2] / rad[i]}
    forces = {"pull": {"type": "spring", "joint": "rail", "stiffness": float(k), "free": 0.0}}
    return Case({"gravity": at.along(*g, 0), "bodies": bodies, "joints": joints, "forces": forces}, times, columns)


def whirl(r):
    """A beam that spins freely about the vertical, with a pendulum on each end: they lift, it slows down."""
    J, R = r.uniform(0.2, 2), r.uniform(0.1, 0.6)
    m, l, I = r.uniform(0.3, 2, 2), r.uniform(0.2, 0.6, 2), r.uniform(0.01, 0.1)
    w0, b0, s0 = r.uniform(2, 25), r.uniform(-1, 1, 2), r.normal(size=2)
    times = np.linspace(0, 1, ROWS)
    # pendulums swing outwards by b; their own inertia is the same about all axes

    def rate(t, y):
        b, a, s = y[:2], y[2], y[3:5]
        w = y[5]
        out = R + l * np.sin(b)
        spin = (2 * m * out * l * np.cos(b)) @ s
        whole = J + np.sum(m * out * out + I)
        speed = (m * l * l + I)
        ds = (m * out * l * np.cos(b) * w * w - m * G * l * np.sin(b)) / speed
        return [*s, w, *ds, -spin * w / whole]

    y = tight(rate, [*b0, 0, *s0, w0], times)
    bodies = {"beam": {"mass": 1, "inertia": [1, 1, J], "angular_velocity": [0, 0, w0]}}
    joints = {"axle": {"type": "revolute", "b": "beam", "at": [0, 0, 0], "axis": [0, 0, 1]}}
    columns = {"axle.angle": y[:, 2], "axle.angle_rate": y[:, 5]}
    for i, side in enumerate((1, -1)):
        place = np.array([side * (R + l[i] * math.sin(b0[i])), 0, -l[i] * math.cos(b0[i])])
        # outwards on the left is the other way round about y
        spin = np.array([0, -side * s0[i], w0])
        speed = np.cross([0, 0, w0], place) + np.array([side * l[i] * math.cos(b0[i]) * s0[i], 0, l[i] * math.sin(b0[i]) * s0[i]])
        bodies[f"p{i}"] = {"mass": m[i], "inertia": [I, I, I], "position": place.tolist(), "velocity": speed.tolist(),
                           "angular_velocity": spin.tolist()}
        joints[f"h{i}"] = {"type": "revolute", "a": "beam", "b": f"p{i}", "at": [side * R, 0, 0], "axis": [0, -side, 0]}
        columns |= {f"h{i}.angle": y[:, i] - b0[i], f"h{i}.angle_rate": y[:, 3 + i]}
    return Case({"gravity": [0, 0, -G], "bodies": bodies, "joints": joints}, times, columns)


FAMILIES = [flat, nearly, unequal, grams, spread, weak, spinner, tumble, magnet, needle, kinked, vibrated, crowded, poised, ring, cart, whirl]


if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
