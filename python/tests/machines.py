"""Hostile machines: families as those of physics.py, of parts that work together.

usage: machines.py BUILD FIRST LAST [FAMILY ...] [method=NAME ...] [OPTION=VALUE ...]     see physics.py

Loops with more joints than they need, Cardan shafts, bearings that share what they bear, drivers with corners
in loops, boxes that turn on rubbing feet, teeth with backlash, stops that are turns apart, bumpers on both
sides, balls on turntables, discs, sleighs, controllers beside stops, and beams that vibrate.
"""

import math

import numpy as np
import scipy.linalg
from scipy.spatial.transform import Rotation

from physics import G, METHODS, ROWS, Case, Hard, command_line, follow


class Placed:
    """A random place in space for what is described in x, y and z."""

    def __init__(self, r):
        turn = np.linalg.qr(r.normal(size=(3, 3)))[0]
        self.turn, self.centre = turn * np.linalg.det(turn), r.normal(size=3)

    def at(self, *place):
        return (self.centre + self.turn @ np.array(place, float)).tolist()

    def along(self, *direction):
        return (self.turn @ np.array(direction, float)).tolist()

    @property
    def orientation(self):
        vector = Rotation.from_matrix(self.turn).as_rotvec()
        angle = np.linalg.norm(vector)
        return {"axis": (vector / angle).tolist(), "angle": float(angle)}


def held(drive, limit):
    """What dry friction does to a thing at rest: holds it, or lets it go to one side."""
    if abs(abs(drive) - limit) < 1e-3 * limit:
        raise Hard("at the limit")
    return 0 if abs(drive) < limit else math.copysign(1, drive)


# ---- loops with more joints than they need -------------------------------------------------------


def parallelogram(r):
    """A plate on several equal cranks, anywhere in space, with springs, oil and brakes in its hinges."""
    n, length, q0, w0 = int(r.integers(2, 6)), r.uniform(0.3, 1), r.uniform(-2, 2), r.uniform(-4, 4)
    at = Placed(r)
    pivots = r.uniform(-1, 1, (n, 2))
    if n == 2 and r.random() < 0.5:
        pivots = np.vstack([pivots, pivots[0] + 0.4 * (pivots[1] - pivots[0])])
        n = 3
    m, J, part, M = r.uniform(0.2, 2, n), r.uniform(0.01, 0.1, n), r.uniform(0.2, 1, n) * length, r.uniform(0.5, 4)
    k, c, brake, g = r.uniform(0, 20), r.uniform(0, 0.5), r.choice([0, r.uniform(0.1, 4)]), r.normal(size=3) * 6
    inertia = np.sum(m * part**2 + J) + M * length**2
    arm = np.sum(m * part) + M * length
    times = np.linspace(0, 1.2, ROWS)
    if n == 2 or np.linalg.matrix_rank(pivots - pivots[0], tol=1e-9) < 2:
        line = math.atan2(*(pivots[1] - pivots[0])[::-1])  # cranks along it are a dead centre
        flat = lambda q: math.sin(q - line) ** 2 - 0.01
        if flat(q0) < 0:
            raise Hard("flat")
    else:
        flat = None

    def drive(y):
        e = [-math.sin(y[0]), math.cos(y[0])]
        return arm * (g[0] * e[0] + g[1] * e[1]) - k * (y[0] - q0) - c * y[1]

    def jump(mode, which, t, y):
        if which == 1 or mode == 0 or not brake:
            raise Hard("flat")
        y = np.array([y[0], 0])
        return held(drive(y), brake), y

    def guards(mode):
        found = [lambda t, y: mode * y[1] if brake and mode else 1]
        return found + ([lambda t, y: flat(y[0])] if flat else [])

    rate = lambda mode, t, y: [y[1], (drive(y) - mode * brake) / inertia] if mode or not brake else [0, 0]
    rows = follow(rate, [q0, w0], math.copysign(1, w0), guards, jump, times)

    e, across = np.array([math.cos(q0), math.sin(q0)]), np.array([-math.sin(q0), math.cos(q0)])
    body = lambda mass, J, place, speed, spin: {
        "mass": mass, "inertia": [J, J, J], "orientation": at.orientation, "position": at.at(*place, 0),
        "velocity": at.along(*speed, 0), "angular_velocity": at.along(0, 0, spin)}
    model = {"gravity": at.along(*g), "bodies": {}, "joints": {}, "forces": {}}
    middle = np.mean(pivots, axis=0)
    model["bodies"]["plate"] = body(M, 0.3, middle + length * e, length * w0 * across, 0)
    hinge = lambda a, b, place: {"type": "revolute", "a": a, "b": b, "at": at.at(*place, 0), "axis": at.along(0, 0, 1)}
    for i, p in enumerate(pivots):
        model["bodies"][f"crank{i}"] = body(m[i], J[i], p + part[i] * e, part[i] * w0 * across, w0)
        model["joints"][f"foot{i}"] = hinge("ground", f"crank{i}", p)
        model["joints"][f"head{i}"] = hinge(f"crank{i}", "plate", p + length * e)
    model["forces"]["wind"] = {"type": "torsion-spring", "joint": "foot0", "stiffness": k, "free": 0.0}
    model["forces"]["oil"] = {"type": "friction", "joint": "head1", "viscous": c}
    if brake:
        model["forces"]["brake"] = {"type": "friction", "joint": "foot1", "law": "coulomb", "coulomb": 0.5, "radius": 0.1,
                                    "press": brake / 0.05}
    centre = np.array([at.at(*(middle + length * np.array([math.cos(q), math.sin(q)])), 0) for q in rows[:, 0]])
    return Case(model, times, {"foot0.angle": rows[:, 0] - q0, "foot0.angle_rate": rows[:, 1]}
                | {f"plate.{c}": centre[:, i] for i, c in enumerate("xyz")})


def cardan(r):
    """Two bent shafts, each in two or three bearings, joined by a cross; one is driven, one braked."""
    at, bend = Placed(r), r.uniform(0.1, 1.2)
    J, w0, k, c = r.uniform(0.01, 0.5, 2), r.uniform(-6, 6), r.uniform(0, 3), r.uniform(0, 0.2)
    T, w = r.uniform(-2, 2), r.uniform(1, 6)
    times = np.linspace(0, 1.5, ROWS)
    co, si = math.cos(bend), math.sin(bend)

    def rate(mode, t, y):
        one, two, v = y
        n = co / (1 - si**2 * math.sin(one) ** 2)
        bent = 2 * n**2 / co * si**2 * math.sin(one) * math.cos(one)
        push = T * math.sin(w * t) - n * (k * two + c * n * v)
        return [v, n * v, (push - J[1] * n * bent * v * v) / (J[0] + J[1] * n * n)]

    rows = follow(rate, [0, 0, w0], 0, lambda mode: [], None, times)
    along = [(0, 0, 1), (si, 0, co)]
    joints, bodies = {}, {}
    for i in (0, 1):
        side = 1 - 2 * i  # the second goes on where the first ends
        spin = w0 * (co if i else 1)
        bodies[f"shaft{i}"] = {"mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": J[i]}, "angular_velocity":
                               at.along(*(spin * np.array(along[i]))), "position": at.at(*(-side * 0.5 * np.array(along[i])))}
        z = at.along(*along[i])  # axes of the shaft: z along it
        y = at.along(0, 1, 0)
        axes = np.column_stack([np.cross(y, z), y, z])
        vector = Rotation.from_matrix(axes).as_rotvec()
        size = np.linalg.norm(vector)
        bodies[f"shaft{i}"]["orientation"] = {"axis": (vector / size).tolist(), "angle": float(size)}
        for j in range(int(r.integers(2, 4))):
            joints[f"bearing{i}{j}"] = {"type": "revolute", "b": f"shaft{i}", "axis": z,
                                        "at": at.at(*(-side * (0.2 + 0.3 * j) * np.array(along[i])))}
    joints["cross"] = {"type": "universal", "a": "shaft0", "b": "shaft1", "at": at.at(0, 0, 0), "axis": at.along(0, 1, 0),
                       "axis_b": at.along(co, 0, -si)}
    model = {"bodies": bodies, "joints": joints,
             "forces": {"drive": {"type": "motor", "joint": "bearing00", "law": f"{T!r}*sin({w!r}*t)"},
                        "back": {"type": "torsion-spring", "joint": "bearing10", "stiffness": k, "damping": c, "free": 0.0}}}
    return Case(model, times, {"bearing00.angle": rows[:, 0], "bearing10.angle": rows[:, 1],
                               "bearing01.angle_rate": rows[:, 2]})


def bearings(r):
    """A pendulum in several bearings at one place, which bear equal parts; some of them rub by what they bear."""
    n, m, l, w0, q0 = int(r.integers(2, 5)), r.uniform(0.5, 3), r.uniform(0.2, 1), r.uniform(4, 9), r.uniform(-3, 3)
    at, J = Placed(r), r.uniform(0.02, 0.3)
    rub = int(r.integers(1, n + 1))
    radius, mu = r.uniform(0.005, 0.03), r.uniform(0.05, 0.4)
    times = np.linspace(0, 0.8, ROWS)

    def bears(y, a):
        e, across = np.array([math.cos(y[0]), math.sin(y[0])]), np.array([-math.sin(y[0]), math.cos(y[0])])
        return np.linalg.norm(m * (l * a * across - l * y[1] ** 2 * e) + [0, m * G])

    def rate(mode, t, y):
        a = 0
        for _ in range(60):
            new = (-m * G * l * math.cos(y[0]) - mu * radius * rub / n * bears(y, a)) / (J + m * l * l)
            if abs(new - a) < 1e-15 * (1 + abs(a)):
                break
            a = new
        return [y[1], new]

    def jump(mode, which, t, y):
        raise Hard("turns round")

    rows = follow(rate, [q0, w0], 1, lambda mode: [lambda t, y: y[1] - 0.2], jump, times)
    e, across = np.array([math.cos(q0), math.sin(q0)]), np.array([-math.sin(q0), math.cos(q0)])
    model = {"gravity": at.along(0, -G, 0),
             "bodies": {"rod": {"mass": m, "inertia": [J, J, J], "orientation": at.orientation,
                                "position": at.at(*(l * e), 0), "velocity": at.along(*(l * w0 * across), 0),
                                "angular_velocity": at.along(0, 0, w0)}},
             "joints": {f"hinge{i}": {"type": "revolute", "b": "rod", "at": at.at(0, 0, 0), "axis": at.along(0, 0, 1)}
                        for i in range(n)},
             "forces": {f"rub{i}": {"type": "friction", "joint": f"hinge{i}", "law": "coulomb", "coulomb": mu,
                                    "radius": radius} for i in range(rub)}}
    return Case(model, times, {"hinge0.angle": rows[:, 0] - q0, f"hinge{n - 1}.angle_rate": rows[:, 1]})


def driven_loop(r):
    """A slider-crank whose driven crank changes its speed at once; a pendulum hangs from the slider."""
    a0, short, long = r.uniform(0, 6), r.uniform(0.1, 0.4), r.uniform(0.6, 1)
    m, l, J, h0, w0 = r.uniform(0.5, 2), r.uniform(0.2, 0.8), r.uniform(0.01, 0.2), r.uniform(-2, 2), r.uniform(-3, 3)
    when, speed = np.sort(r.uniform(0.1, 1.1, 3)), r.uniform(-6, 6, 4)
    wave, w = r.uniform(0, 0.3), r.uniform(1, 9)
    if min(np.diff(when)) < 0.02:
        raise Hard("corners at once")
    times = np.linspace(0, 1.2, ROWS)
    inertia = m * l * l + J

    def slider(a):
        root = math.sqrt(long**2 - (short * math.sin(a)) ** 2)
        twice = short**2 * math.sin(a) * math.cos(a)
        return (short * math.cos(a) + root, -short * math.sin(a) - twice / root,
                -short * math.cos(a) - short**2 * math.cos(2 * a) / root - twice**2 / root**3)

    def crank(mode, t, y):
        return speed[mode] + wave * w * math.cos(w * t), -wave * w * w * math.sin(w * t)

    def rate(mode, t, y):
        spin, more = crank(mode, t, y)
        _, first, second = slider(y[2])
        pull = first * more + second * spin**2
        return [y[1], -m * l * (G * math.sin(y[0]) + pull * math.cos(y[0])) / inertia, spin]

    guards = lambda mode: [lambda t, y: when[mode] - t] if mode < 3 else []

    def jump(mode, which, t, y):
        dv = slider(y[2])[1] * (speed[mode + 1] - speed[mode])
        return mode + 1, np.array([y[0], y[1] - m * l * math.cos(y[0]) * dv / inertia, y[2]])

    rows = follow(rate, [h0, w0, a0], 0, guards, jump, times)
    x = np.array([slider(a)[0] for a in rows[:, 2]])
    spin = crank(0, 0, None)[0]
    tip = short * np.array([math.cos(a0), math.sin(a0)])
    lean = math.asin(-tip[1] / long)
    v = slider(a0)[1] * spin
    tip_v = short * spin * np.array([-math.sin(a0), math.cos(a0)])
    rod_spin = -tip_v[1] / (long * math.cos(lean))
    motion = f"{speed[0]!r}*t + {wave!r}*sin({w!r}*t)" + "".join(
        f" + {speed[i + 1] - speed[i]!r}*max(t - {when[i]!r}, 0)" for i in range(3))
    bar = lambda place, angle, speed, spin: {"type": "planar", "mass": r.uniform(0.2, 2), "inertia": 0.05, "angle": angle,
                                             "position": np.array(place).tolist(), "angular_velocity": spin,
                                             "velocity": np.array(speed).tolist()}
    model = {"gravity": [0, -G],
             "bodies": {"crank": bar(tip / 2, a0, tip_v / 2, spin),
                        "rod": bar((tip + [x[0], 0]) / 2, lean, (tip_v + [v, 0]) / 2, rod_spin),
                        "slider": bar([x[0], 0], 0, [v, 0], 0),
                        "bob": {"type": "planar", "mass": m, "inertia": J, "position": [x[0], 0], "velocity": [v, 0],
                                "com": [l * math.sin(h0), -l * math.cos(h0)], "angular_velocity": w0}},
             "joints": {"O": {"type": "revolute", "b": "crank", "at": [0, 0]},
                        "A": {"type": "revolute", "a": "crank", "b": "rod", "at": tip.tolist()},
                        "B": {"type": "revolute", "a": "rod", "b": "slider", "at": [x[0], 0]},
                        "rail": {"type": "prismatic", "b": "slider", "at": [x[0], 0], "axis": [1, 0, 0]},
                        "C": {"type": "revolute", "a": "slider", "b": "bob", "at": [x[0], 0]},
                        "drive": {"type": "driver", "joint_a": "O", "motion": motion}}}
    return Case(model, times, {"slider.x": x, "bob.angle": rows[:, 0] - h0, "bob.omega": rows[:, 1]})


# ---- contacts ------------------------------------------------------------------------------------


def feet(r):
    """A box that slides and turns on four feet which rub by what each bears, until it rests."""
    m, J, mu, high = r.uniform(0.5, 5), r.uniform(0.05, 1), r.uniform(0.1, 0.5), r.uniform(0.02, 0.2)
    x, y = r.uniform(0.2, 0.6, 2), r.uniform(0.2, 0.6, 2)  # how far feet are from below the centre
    if r.random() < 0.5:  # nearly on an edge: a foot may have nothing to bear
        x[0], y[0] = r.uniform(0.01, 0.1, 2)
    corners = np.array([[x[0], y[0]], [-x[1], y[0]], [-x[1], -y[1]], [x[0], -y[1]]])
    v, w0, slope = r.normal(size=2) * 2, r.uniform(-8, 8), r.uniform(0, 0.5) * mu * G
    times = np.linspace(0, r.uniform(0.2, 1), ROWS)

    def bear(y, out):
        """What equal feet bear and rub by, all but one (`out`, -1: all)."""
        c, s = math.cos(y[2]), math.sin(y[2])
        at = corners @ np.array([[c, s], [-s, c]])
        slip = y[3:5] + y[5] * np.column_stack([-at[:, 1], at[:, 0]])
        rub = -mu * slip / np.linalg.norm(slip, axis=1)[:, None]
        # they yield alike: a + b x + c y; these three balance weight and tilting
        share = np.column_stack([np.ones(4), at]) * (np.arange(4) != out)[:, None]
        tilt = np.array([np.ones(4), at[:, 1] + high * rub[:, 1], -high * rub[:, 0] - at[:, 0]])
        N = share @ np.linalg.solve(tilt @ share, [m * G, 0, 0])
        if min(np.delete(N, out) if out >= 0 else N + m * G) < 0:
            raise Hard("tips")
        return at, N, N[:, None] * rub

    asked = iter(range(40000))

    def rate(mode, t, y):
        if mode == "rests":
            return np.zeros(6)
        if next(asked, None) is None:
            raise Hard("turns about a foot")
        at, N, F = bear(y, mode)
        return [*y[3:], *(np.sum(F, axis=0) / m + [slope, 0]), np.sum(at[:, 0] * F[:, 1] - at[:, 1] * F[:, 0]) / J]

    def guards(mode):
        if mode == "rests":
            return []
        slow = [lambda t, y: y[3] ** 2 + y[4] ** 2 + 0.1 * y[5] ** 2 - 1e-12]
        if mode >= 0:
            return slow + [lambda t, y: -bear(y, -1)[1][mode]]  # it would bear again
        return slow + [lambda t, y, i=i: bear(y, -1)[1][i] for i in range(4)]

    def jump(mode, which, t, y):
        if which == 0:
            return "rests", np.array([*y[:3], 0, 0, 0])
        return (-1 if mode >= 0 else which - 1), y

    start = np.array([0, 0, 0, *v, w0])
    N = bear(start, -1)[1]
    if min(abs(N)) < 1e-3 * m * G or sum(N < 0) > 1:
        raise Hard("at the limit")
    rows = follow(rate, start, int(np.argmin(N)) if min(N) < 0 else -1, guards, jump, times)
    model = {"gravity": [slope, 0, -G],
             "bodies": {"box": {"mass": m, "inertia": [J, J, J], "position": [0, 0, high], "velocity": [*v.tolist(), 0],
                                "angular_velocity": [0, 0, w0]}},
             "joints": {}, "forces": {}}
    for i, p in enumerate(corners):
        model["joints"][f"foot{i}"] = {"type": "stop", "b": "box", "at": [0, 0, 0], "at_b": [*p.tolist(), 0],
                                       "axis": [0, 0, 1]}
        model["forces"][f"rub{i}"] = {"type": "friction", "joint": f"foot{i}", "law": "coulomb", "coulomb": mu}
    return Case(model, times, {"box.x": rows[:, 0], "box.y": rows[:, 1], "box.vx": rows[:, 3], "box.vy": rows[:, 4],
                               "box.wz": rows[:, 5]})


def backlash(r):
    """Two wheels whose teeth have play: flanks strike and rebound, or stay together until they part."""
    J, w, ratio = r.uniform(0.05, 1, 2), r.uniform(-6, 6, 2), r.choice([-1, 1]) * r.uniform(0.3, 3)
    lo, hi, e = -r.uniform(0.02, 0.4), r.uniform(0.02, 0.4), r.choice([0, r.uniform(0.3, 0.95)])
    T, pace, k = r.uniform(0, 4), r.uniform(1, 9), r.uniform(0, 10)
    times = np.linspace(0, 1.2, ROWS)
    soft = 1 / J[1] + ratio**2 / J[0]
    free = lambda t, y: np.array([T * math.sin(pace * t) / J[0], -k * y[1] / J[1]])
    part = lambda t, y: free(t, y)[1] - ratio * free(t, y)[0]
    gap = lambda y: y[1] - ratio * y[0]

    def rate(mode, t, y):
        a = free(t, y)
        if mode:
            push = -part(t, y) / soft
            a += [-ratio * push / J[0], push / J[1]]
        return [y[2], y[3], *a]

    def guards(mode):
        if mode == 0:
            return [lambda t, y: gap(y) - lo, lambda t, y: hi - gap(y)]
        return [lambda t, y: -mode * part(t, y)]  # mode 1 at the lower flank: pushed together

    def jump(mode, which, t, y):
        if mode:
            return 0, y
        y = np.array(y)
        s = y[3] - ratio * y[2]
        if abs(s) < 0.05:
            raise Hard("too slow")
        push = -(1 + e) * s / soft
        y[2:] += [-ratio * push / J[0], push / J[1]]
        if e:
            return 0, y
        side = -1 if which else 1
        if abs(part(t, y)) < 0.02:
            raise Hard("at the limit")
        return (side if side * part(t, y) < 0 else 0), y

    rows = follow(rate, [0, 0, *w], 0, guards, jump, times)
    wheel = lambda i: {"type": "planar", "mass": 1, "inertia": J[i], "position": [i, 0], "angular_velocity": w[i]}
    teeth = {"type": "gear-flank", "joint_a": "shaft", "joint_b": "load", "ratio": ratio, "restitution": float(e)}
    model = {"bodies": {"one": wheel(0), "two": wheel(1)},
             "joints": {"shaft": {"type": "revolute", "b": "one", "at": [0, 0]},
                        "load": {"type": "revolute", "b": "two", "at": [1, 0]},
                        "front": teeth | {"lower": lo}, "rear": teeth | {"upper": hi}},
             "forces": {"drive": {"type": "motor", "joint": "shaft", "law": f"{T!r}*sin({pace!r}*t)"},
                        "wind": {"type": "torsion-spring", "joint": "load", "stiffness": k, "free": 0.0}}}
    return Case(model, times, {"one.angle": rows[:, 0], "two.angle": rows[:, 1], "one.omega": rows[:, 2],
                               "two.omega": rows[:, 3]})


def wound(r):
    """A shaft anywhere in space between stops that are turns apart, with a spring and a brake."""
    at, J, k = Placed(r), r.uniform(0.05, 0.5), r.uniform(0, 1)
    lo, hi, e, brake = -r.uniform(0.5, 20), r.uniform(0.5, 20), r.uniform(0.3, 0.9), r.choice([0, r.uniform(0.05, 0.5)])
    w0, start = r.choice([-1, 1]) * r.uniform(10, 50), r.uniform(-0.4, 0.4)
    times = np.linspace(0, 1.5, ROWS)

    def jump(mode, which, t, y):
        if which == 2:
            return held(-k * y[0], brake), np.array([y[0], 0])
        if abs(y[1]) < 0.5:
            raise Hard("too slow")
        return -mode, np.array([hi if which else lo, -e * y[1]])

    rate = lambda mode, t, y: [y[1], (-k * y[0] - mode * brake) / J] if mode else [0, 0]
    guards = lambda mode: [lambda t, y: y[0] - lo, lambda t, y: hi - y[0]] + (
        [lambda t, y: mode * y[1]] if brake and mode else [])

    def either(mode, which, t, y):  # without a brake it turns round as it likes
        mode, y = jump(mode, which, t, y)
        return (mode if brake else math.copysign(1, y[1])), y

    rows = follow(rate, [start, w0], math.copysign(1, w0), guards, either, times)
    model = {"bodies": {"shaft": {"mass": 1, "inertia": [J, J, J], "orientation": at.orientation, "position": at.at(0, 0, 0),
                                  "angular_velocity": at.along(0, 0, w0)}},
             "joints": {"hinge": {"type": "revolute", "b": "shaft", "axis": at.along(0, 0, 1), "value": start,
                                  "limits": [lo, hi], "restitution": e}},
             "forces": {"wind": {"type": "torsion-spring", "joint": "hinge", "stiffness": k, "free": 0.0}}}
    if brake:
        model["forces"]["brake"] = {"type": "friction", "joint": "hinge", "law": "coulomb", "coulomb": 1, "radius": 1,
                                    "press": float(brake)}
    return Case(model, times, {"hinge.angle": rows[:, 0], "hinge.angle_rate": rows[:, 1]})


def bumpers(r):
    """A shaken mass between a bumper above and one below, which damp and do not pull."""
    m, v0, F, w = r.uniform(0.3, 3), r.uniform(-4, 4), r.uniform(0, 20), r.uniform(1, 12)
    at = [r.uniform(0.03, 0.3), -r.uniform(0.03, 0.3)]
    k, c = 10 ** r.uniform(2, 5, 2), 10 ** r.uniform(-1, 2, 2)
    times = np.linspace(0, 1.2, ROWS)
    force = lambda i, y: k[i] * (y[0] - at[i]) + c[i] * y[1]
    acts = lambda i, y: min((y[0] - at[i]) * (1 - 2 * i), force(i, y) * (1 - 2 * i))

    def rate(mode, t, y):
        return [y[1], (F * math.sin(w * t) - sum(force(i, y) for i in (0, 1) if mode[i])) / m]

    guards = lambda mode: [lambda t, y, i=i: acts(i, y) if mode[i] else -acts(i, y) for i in (0, 1)]

    def jump(mode, which, t, y):
        return tuple(mode[i] != (i == which) for i in (0, 1)), y

    rows = follow(rate, [0, v0], (False, False), guards, jump, times)
    stop = lambda i: {"type": "bump-stop", "joint": "rail", "gap": at[i], "stiffness": k[i], "damping": c[i]}
    model = {"bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1, "velocity": [v0, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [0, 0], "axis": [1, 0, 0]}},
             "forces": {"high": stop(0), "low": stop(1) | {"below": True},
                        "shake": {"type": "motor", "joint": "rail", "law": f"{F!r}*sin({w!r}*t)"}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1]})


# ---- rolling and skating -------------------------------------------------------------------------


def turntable(r):
    """A ball that rolls on a tilted table which turns faster and slower."""
    m, rad, tilt = r.uniform(0.2, 3), r.uniform(0.05, 0.3), r.uniform(-2, 2, 2)
    J = m * rad**2 * r.uniform(0.2, 0.66)
    wide, pace, even = r.uniform(0, 1), r.uniform(1, 6), r.uniform(-6, 6)
    p, v, spin = r.uniform(-1, 1, 2), r.uniform(-2, 2, 2), r.uniform(-5, 5)
    times = np.linspace(0, 1.5, ROWS)
    k = m * rad**2 / J
    turn = lambda t: (even + wide * pace * math.cos(pace * t), -wide * pace**2 * math.sin(pace * t))

    def rate(mode, t, y):
        W, more = turn(t)
        return [y[2], y[3], *((np.array([-W * y[3] - more * y[1], W * y[2] + more * y[0]]) + k * tilt) / (1 + k))]

    rows = follow(rate, [*p, *v], 0, lambda mode: [], None, times)
    W = turn(0)[0]
    model = {"gravity": [*tilt.tolist(), -G],
             "bodies": {"table": {"mass": 3, "inertia": [1, 1, 1], "angular_velocity": [0, 0, W]},
                        "ball": {"mass": m, "inertia": [J, J, J], "position": [*p.tolist(), rad], "velocity": [*v.tolist(), 0],
                                 "angular_velocity": [(W * p[0] - v[1]) / rad, (v[0] + W * p[1]) / rad, spin]}},
             "joints": {"axle": {"type": "revolute", "b": "table", "at": [0, 0, 0], "axis": [0, 0, 1]},
                        "drive": {"type": "driver", "joint_a": "axle", "motion": f"{even!r}*t + {wide!r}*sin({pace!r}*t)"},
                        "roll": {"type": "rolling-sphere", "a": "table", "b": "ball", "at": [*p.tolist(), rad],
                                 "normal": [0, 0, 1], "radius": rad}}}
    return Case(model, times, {f"ball.{c}": rows[:, i] for i, c in enumerate(("x", "y", "vx", "vy"))}
                | {"ball.wz": np.full(ROWS, spin)})


def coin(r):
    """A disc that rolls, leans and turns on a plane."""
    m, R, lean, w = r.uniform(0.2, 3), r.uniform(0.1, 0.6), r.uniform(-0.7, 0.7), r.uniform(-6, 6, 3)
    C = m * R**2 * r.uniform(0.4, 0.9)
    A = C * r.uniform(0.52, 0.8)
    times = np.linspace(0, 0.8, ROWS)
    n = np.array([0, 0, 1.0])

    def lie(e):
        u = n @ e
        s = math.sqrt(max(1 - u * u, 1e-12))
        return u, s, (n - u * e) / s

    def rate(mode, t, y):
        e, w = y[2:5] / np.linalg.norm(y[2:5]), y[5:]
        u, s, up = lie(e)
        de = np.cross(w, e)
        du = n @ de
        dup = (-du * e - u * de + u * du / s * up) / s
        skew = lambda a: np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
        arm = skew(R * up)
        # A w' + (C - A)((w'.e) e + (w.e) e') = -R up x m (w' x R up + w x R up' + g n)
        left = A * np.eye(3) + (C - A) * np.outer(e, e) - m * arm @ arm
        right = -(C - A) * (w @ e) * de - m * arm @ (np.cross(w, R * dup) + G * n)
        v = np.cross(w, R * up)
        return [v[0], v[1], *de, *np.linalg.solve(left, right)]

    guard = lambda t, y: lie(y[2:5])[1] - 0.25

    def jump(mode, which, t, y):
        raise Hard("falls flat")

    e = np.array([0, math.cos(lean), math.sin(lean)])
    start = np.array([0, 0, *e, *w])
    if guard(0, start) < 0:
        raise Hard("falls flat")
    rows = follow(rate, start, 0, lambda mode: [guard], jump, times)
    v = np.array([np.cross(y[5:], R * lie(y[2:5])[2]) for y in rows])
    u, s, up = lie(e)
    model = {"gravity": [0, 0, -G],
             "bodies": {"coin": {"mass": m, "inertia": [A, C, A], "position": [0, 0, R * s],
                                 "orientation": {"axis": [1, 0, 0], "angle": lean}, "velocity": v[0].tolist(),
                                 "angular_velocity": w.tolist()}},
             "joints": {"roll": {"type": "rolling-disc", "b": "coin", "at": [0, 0, R * s], "axis": e.tolist(),
                                 "normal": [0, 0, 1], "radius": R}}}
    return Case(model, times, {"coin.x": rows[:, 0], "coin.y": rows[:, 1],
                               "coin.z": np.array([R * lie(y[2:5])[1] for y in rows]), "coin.vx": v[:, 0]}
                | {f"coin.w{c}": rows[:, 5 + i] for i, c in enumerate("xyz")})


def sleigh(r):
    """A sleigh on a slope: its blade does not slide sideways, its centre is before or behind it."""
    m, J, a = r.uniform(0.5, 3), r.uniform(0.05, 1), r.choice([0, r.uniform(-0.5, 0.5)])
    g, h0, v0, w0 = r.uniform(-5, 5, 2), r.uniform(-3, 3), r.uniform(-3, 3), r.uniform(-5, 5)
    times = np.linspace(0, 1.5, ROWS)

    def rate(mode, t, y):
        _, _, h, v, w = y
        c, s = math.cos(h), math.sin(h)
        return [v * c, v * s, w, a * w * w + g[0] * c + g[1] * s,
                m * a * (-g[0] * s + g[1] * c - v * w) / (J + m * a * a)]

    rows = follow(rate, [0, 0, h0, v0, w0], 0, lambda mode: [], None, times)
    model = {"gravity": g.tolist(),
             "bodies": {"sleigh": {"type": "planar", "mass": m, "inertia": J, "com": [float(a), 0], "angle": h0,
                                   "velocity": [v0 * math.cos(h0), v0 * math.sin(h0)], "angular_velocity": w0}},
             "joints": {"blade": {"type": "knife-edge", "b": "sleigh", "at": [0, 0], "axis": [-math.sin(h0), math.cos(h0), 0]}}}
    return Case(model, times, {"sleigh.x": rows[:, 0], "sleigh.y": rows[:, 1], "sleigh.angle": rows[:, 2],
                               "sleigh.omega": rows[:, 4]})


# ---- controllers beside stops --------------------------------------------------------------------


def watched_stops(r):
    """A cart between two stops, led by a sampled controller whose output comes late."""
    m, kp, kd, e = r.uniform(0.5, 3), r.uniform(20, 150), r.uniform(0, 8), r.uniform(0.3, 0.95)
    lo, hi, T = -r.uniform(0.05, 0.4), r.uniform(0.05, 0.4), r.uniform(0.01, 0.06)
    late = T * r.choice([0, r.uniform(0, 0.9)])
    wide, w, v0 = r.uniform(0.1, 0.6), r.uniform(2, 12), r.uniform(-3, 3)
    times = np.linspace(0, 1, ROWS)
    t, y, u, queue, k, rows = 0.0, np.array([0, v0]), 0.0, [], 0, [np.array([0, v0])]

    def jump(mode, which, t, y):
        if abs(y[1]) < 0.05:
            raise Hard("too slow")
        if min([abs(t - i * T - d) for i in range(int(1 / T) + 2) for d in (0, late)]) < 1e-6:
            raise Hard("strikes as it looks")
        return mode, np.array([hi if which else lo, -e * y[1]])

    guards = lambda mode: [lambda t, y: y[0] - lo, lambda t, y: hi - y[0]]
    for goal in times[1:]:
        while t < goal - 1e-13:
            if t >= k * T - 1e-12:
                queue.append((k * T + late, kp * (wide * math.sin(w * t) - y[0]) - kd * y[1]))
                k += 1
            while queue and queue[0][0] <= t + 1e-12:
                u = queue.pop(0)[1]
            stop = min([goal, k * T] + [q[0] for q in queue[:1]])
            y = follow(lambda mode, t, y: [y[1], u / m], y, 0, guards, jump, [t, stop])[-1]
            t = stop
        rows.append(y)
    rows = np.array(rows)
    model = {"bodies": {"cart": {"type": "planar", "mass": m, "inertia": 1, "velocity": [v0, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "cart", "at": [0, 0], "axis": [1, 0, 0], "limits": [lo, hi],
                                 "restitution": e}},
             "controllers": {"u": {"period": T, "formula": f"{kp!r}*({wide!r}*sin({w!r}*t) - rail.translation) - {kd!r}*rail.rate"}},
             "forces": {"motor": {"type": "motor", "joint": "rail", "law": "u"}}}
    if late:
        model["controllers"]["u"]["delay"] = float(late)
    return Case(model, times, {"cart.x": rows[:, 0], "cart.vx": rows[:, 1]})


def pressed(r):
    """A mass pressed against a stop by the pressure behind a filter, and drawn off again."""
    m, tau, mean, wide, w = r.uniform(0.5, 3), r.uniform(0.02, 0.3), r.uniform(-4, 4), r.uniform(3, 15), r.uniform(3, 12)
    c, gap, v0 = r.uniform(0, 2), r.uniform(0.02, 0.3), r.uniform(-1, 2)
    times = np.linspace(0, 1.5, ROWS)
    rate = lambda mode, t, y: [y[1] * (mode == 0), (y[2] - c * y[1]) / m * (mode == 0),
                               (mean + wide * math.sin(w * t) - y[2]) / tau]
    guards = lambda mode: [lambda t, y: gap - y[0]] if mode == 0 else [lambda t, y: y[2]]

    def jump(mode, which, t, y):
        if mode:
            return 0, y
        if y[1] < 0.02 or abs(y[2]) < 0.02:
            raise Hard("too slow")
        if y[2] < 0:
            return 0, np.array([gap, 0, y[2]])
        return 1, np.array([gap, 0, y[2]])

    rows = follow(rate, [0, v0, 0], 0, guards, jump, times)
    model = {"bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1, "velocity": [v0, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [0, 0], "axis": [1, 0, 0]},
                        "stop": {"type": "limit", "joint_a": "rail", "upper": gap}},
             "signals": {"want": f"{mean!r} + {wide!r}*sin({w!r}*t)"},
             "states": {"push": f"(want - push)/{tau!r}"},
             "forces": {"act": {"type": "motor", "joint": "rail", "law": f"push - {c!r}*rate"}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1], "push": rows[:, 2]})


def reversing(r):
    """A hammer driven against a stop by a machine of modes, which the rebound itself makes change."""
    m, there, back, e = r.uniform(0.5, 3), r.uniform(2, 15), r.uniform(0.5, 8), r.uniform(0.2, 0.9)
    hi, start, v0, turn = r.uniform(0.1, 0.4), -r.uniform(0.05, 0.3), r.uniform(0, 2), r.uniform(0.02, 0.2)
    times = np.linspace(0, 1.5, ROWS)
    push = [there, -back]
    away = lambda t, y: max(y[1] + turn, hi / 2 - y[0])  # below zero: it comes back from the stop
    guards = lambda mode: [lambda t, y: hi - y[0], [away, lambda t, y: y[0] - start][mode]]

    def jump(mode, which, t, y):
        if which == 1:
            return 1 - mode, y
        if y[1] < 0.05 or abs(e * y[1] - turn) < 0.01:
            raise Hard("too slow")
        y = np.array([hi, -e * y[1]])
        return (1 if y[1] < -turn else mode), y

    rows = follow(lambda mode, t, y: [y[1], push[mode] / m], [0, v0], 0, guards, jump, times)
    model = {"bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1, "velocity": [v0, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [0, 0], "axis": [1, 0, 0]},
                        "stop": {"type": "limit", "joint_a": "rail", "upper": hi, "restitution": e}},
             "controllers": {"mode": {"modes": ["there", "back"], "transitions": {
                 "there -> back": f"rail.rate < {-turn!r} && rail.translation > {hi / 2!r}", "back -> there": f"rail.translation < {start!r}"}}},
             "forces": {"act": {"type": "motor", "joint": "rail", "law": f"if(mode == 0, {there!r}, {-back!r})"}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1]})


# ---- beams ---------------------------------------------------------------------------------------


def cantilever(r):
    """A clamped beam that vibrates a little under a load at its tip, against 60 elements of Euler and Bernoulli."""
    L, mu, slow = r.uniform(0.5, 2), r.uniform(0.5, 5), r.uniform(2, 8)
    EI = mu * slow**2 * L**4 / 12.36  # slow: the first frequency
    damping, n = r.uniform(2e-3, 0.02), int(r.integers(6, 11))
    F = 3e-4 * EI / L**2 * r.uniform(0.3, 1)
    tilt = r.uniform(0, 6)
    times = np.linspace(0, 2 / slow * r.uniform(1, 4), ROWS)
    N = 60
    h = L / N
    K, M = np.zeros((2 * N + 2, 2 * N + 2)), np.zeros((2 * N + 2, 2 * N + 2))
    k = EI / h**3 * np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                              [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]])
    mass = mu * h / 420 * np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
                                    [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]])
    for i in range(N):
        K[2 * i:2 * i + 4, 2 * i:2 * i + 4] += k
        M[2 * i:2 * i + 4, 2 * i:2 * i + 4] += mass
    squares, shapes = scipy.linalg.eigh(K[2:, 2:], M[2:, 2:])
    tip = np.zeros(len(times))
    for square, shape in zip(squares[:40], shapes.T[:40]):
        w, z = math.sqrt(square), damping * math.sqrt(square) / 2
        root = np.sqrt(complex(z * z - 1)) * w
        gone = np.exp(-z * w * times) * (np.cosh(root * times) + z * w * np.sinh(root * times) / root) if z * w * times[-1] < 300 \
            else np.where(times > 0, 0, 1)
        tip += shape[-2] ** 2 * F / square * (1 - gone.real)
    # what the modes left out do, they do at once
    tip += (F * L**3 / (3 * EI) - sum(s[-2] ** 2 * F / q for q, s in zip(squares[:40], shapes.T[:40]))) * (times > 0)
    along, across = np.array([math.cos(tilt), math.sin(tilt)]), np.array([-math.sin(tilt), math.cos(tilt)])
    end = L * along + np.outer(tip, across)
    stiff = 2e4 * EI / L**2
    model = {"simulation": {"beam_check": "on"},
             "beams": {"arm": {"type": "planar", "from": [0, 0], "to": (L * along).tolist(), "elements": n,
                               "stiffness": [stiff, stiff, stiff, EI, EI, EI],
                               "mass": [mu, mu, mu, 1e-5 * mu * L**2, 1e-5 * mu * L**2, 1e-5 * mu * L**2], "damping": damping}},
             "joints": {"wall": {"type": "fixed", "b": "arm.start"}},
             "forces": {"load": {"type": "force", "b": "arm.end", "force": (F * across).tolist()}}}
    # a slender beam of Timoshenko's with a little rotary inertia is not quite that of Euler and Bernoulli
    return Case(model, times, {"arm.end.x": end[:, 0], "arm.end.y": end[:, 1]}, size=float(np.max(abs(tip))), apart=2e-3)


FAMILIES = [parallelogram, cardan, bearings, driven_loop, feet, backlash, wound, bumpers, turntable, coin, sleigh, watched_stops,
            pressed, reversing, cantilever]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
