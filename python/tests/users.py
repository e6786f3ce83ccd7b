"""Machines as users write them: families as those of physics.py, each by many methods, coordinates and as code.

usage: users.py BUILD FIRST LAST [FAMILY ...] [method=NAME[,OPTION=VALUE ...] ...] [OPTION=VALUE ...]     see physics.py

Hoists with racks, excavators with oil, suspensions in rubber, belts, cams, cascades of controllers, ratchets,
freewheels, carts on slopes, trailers, screw jacks, Geneva drives, ropes that stretch, formulas that jump with angles,
shafts with bent joints, planetary gears, choppers, chains from soft to stiff, tables in files, and runs that events end.
"""

import atexit
import math
import shutil
import tempfile
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from machines import Placed, held
from physics import G, ROWS, Case, Hard, command_line, follow
from reduced import Reduced, smooth
from user_drives import hoist, belts, planetary, freewheel, excavator, suspension, chopper, soft_to_stiff

METHODS = ["default", "explicit", "baumgarte", "index3-alpha,rtol=1e-5", "index2-bdf", "energy-momentum", "default,coordinates=natural",
           "default,coordinates=relative", "default,coordinates=reference", "default,code=native"]


# ---- contacts that come and go -------------------------------------------------------------------


def cam(r):
    """A round cam off its middle turns under a sprung follower with a roller, which may leave it."""
    R, rad, e = r.uniform(0.05, 0.15), r.uniform(0.01, 0.05), r.uniform(0.01, 0.04)
    m, k, pre = r.uniform(0.2, 2), r.uniform(50, 2000), r.uniform(0, 30)
    spin, a0 = r.uniform(5, 40), r.uniform(0, 6)
    times = np.linspace(0, 2.2 * 2 * math.pi / spin, ROWS)
    d = R + rad

    def lift(t):
        """Of the roller's middle while it rides, with rate and acceleration."""
        a = a0 + spin * t
        s, c = math.sin(a), math.cos(a)
        g = d * d - (e * c) ** 2
        g1, g2 = 2 * e * e * c * s * spin, 2 * e * e * (c * c - s * s) * spin**2
        root = math.sqrt(g)
        return e * s + root, e * c * spin + g1 / (2 * root), -e * s * spin**2 + g2 / (2 * root) - g1 * g1 / (4 * root**3)

    base = lift(0)[0]
    force = lambda y: -m * G - k * (y - base) - pre
    press = lambda t: m * lift(t)[2] - force(lift(t)[0])
    if abs(press(0)) < 0.02 * m * G:
        raise Hard("about to leave")

    def rate(mode, t, y):
        return [y[1], lift(t)[2] if mode == "rides" else force(y[0]) / m]

    guards = lambda mode: [(lambda t, y: press(t)) if mode == "rides" else lambda t, y: y[0] - lift(t)[0]]

    def jump(mode, which, t, y):
        if mode == "rides":
            return "flies", np.array([y[0] + 1e-15, y[1]])
        if press(t) < 0.02 * m * G or lift(t)[1] - y[1] < 0.01:
            raise Hard("hardly lands")
        return "rides", np.array(lift(t)[:2])

    rows = follow(rate, lift(0)[:2], "rides" if press(0) > 0 else "flies", guards, jump, times)
    model = {"gravity": [0, -G],
             "bodies": {"cam": {"type": "planar", "mass": 1, "inertia": 0.1, "angle": a0, "angular_velocity": spin,
                                "frames": {"middle": [e, 0]}},
                        "lifter": {"type": "planar", "mass": m, "inertia": 0.1, "position": [0, base], "velocity": [0, lift(0)[1]]}},
             "joints": {"shaft": {"type": "revolute", "b": "cam", "at": [0, 0]},
                        "turn": {"type": "driver", "joint_a": "shaft", "motion": f"{spin!r}*t"},
                        "guide": {"type": "prismatic", "b": "lifter", "axis": [0, 1, 0]},
                        "face": {"type": "contact", "a": "cam.middle", "b": "lifter", "surface": "cylinder",
                                 "axis": [0, 0, 1], "radius_a": R, "radius": rad}},
             "forces": {"hold": {"type": "spring", "joint": "guide", "stiffness": k, "free": -pre / k}}}
    return Case(model, times, {"lifter.y": rows[:, 0], "lifter.vy": rows[:, 1]})


def ratchet(r):
    """A wheel pushed to and fro over a pawl, which lets it turn one way, tooth by tooth."""
    J, c, tooth = r.uniform(0.05, 0.5), r.uniform(0, 0.3), r.uniform(0.2, 0.6)
    A, w, bias = r.uniform(2, 8), r.uniform(3, 9), r.uniform(-1.5, 1.5)
    times = np.linspace(0, 2, ROWS)
    push = lambda t, y: bias + A * math.sin(w * t)

    # modes: free or held, and the tooth behind the pawl
    def rate(mode, t, y):
        return [y[1], (push(t, y) - c * y[1]) / J] if mode[0] == "free" else [0, 0]

    def guards(mode):
        kind, n = mode
        if kind == "held":
            return [lambda t, y: -push(t, y)]
        return [lambda t, y: y[0] - n * tooth, lambda t, y: (n + 1) * tooth - y[0]]

    def jump(mode, which, t, y):
        kind, n = mode
        if kind == "held":
            return ("free", n), np.array([n * tooth, 0])
        if which == 1:
            if y[1] < 0.02:
                raise Hard("hardly reaches a tooth")
            return ("free", n + 1), np.array([y[0] * (1 + 1e-16), y[1]])
        if y[1] > -0.02:
            raise Hard("touches slowly")
        if push(t, y) > -0.02:
            raise Hard("hardly held")
        return ("held", n), np.array([n * tooth, 0])

    q0 = tooth * r.uniform(0.1, 0.9)
    rows = follow(rate, [q0, 0], ("free", 0), guards, jump, times)
    model = {"bodies": {"wheel": {"type": "planar", "mass": 1, "inertia": J}},
             "joints": {"axle": {"type": "revolute", "b": "wheel", "at": [0, 0], "value": q0},
                        "pawl": {"type": "limit", "joint_a": "axle", "lower": 0.0, "ratchet": tooth}},
             "forces": {"push": {"type": "motor", "joint": "axle", "law": f"{bias!r} + {A!r}*sin({w!r}*t) - {c!r}*rate"}}}
    return Case(model, times, {"axle.angle": rows[:, 0], "axle.angle_rate": rows[:, 1]})


def slope(r):
    """Two carts on a slope, joined by a spring and drawn up by a winch; brakes hold by the weight across the slope."""
    at = Placed(r)
    lean = r.uniform(0.05, 0.5)
    m, mu = r.uniform(0.5, 4, 2), r.uniform(0.8, 1.5, 2) * math.tan(lean)
    k, haul, pace = r.uniform(20, 300), r.uniform(20, 200), r.uniform(0.1, 1)
    v = r.choice([0, 1]) * r.uniform(-1, 1, 2)
    times = np.linspace(0, 1.5, ROWS)
    down = m * G * math.sin(lean)
    hold = mu * m * G * math.cos(lean)

    def push(i, t, y):
        other = k * (y[1 - i] - y[i])
        return -down[i] + other + (haul * (pace * t - y[0]) if i == 0 else 0)

    def rate(mode, t, y):
        on = [mode[i] != 0 for i in (0, 1)]
        return [*(y[2 + i] if on[i] else 0 for i in (0, 1)), *((push(i, t, y) - mode[i] * hold[i]) / m[i] if on[i] else 0 for i in (0, 1))]

    def guards(mode):
        found = []
        for i in (0, 1):
            found += [lambda t, y, i=i: mode[i] * y[2 + i]] if mode[i] else [
                lambda t, y, i=i: hold[i] - push(i, t, y), lambda t, y, i=i: hold[i] + push(i, t, y)]
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
                    mode[i] = held(push(i, t, y), hold[i])
                return tuple(mode), y
            which -= own

    start = np.array([0, 0, *v])
    mode = tuple(math.copysign(1, v[i]) if v[i] else held(push(i, 0, start), hold[i]) for i in (0, 1))
    rows = follow(rate, start, mode, guards, jump, times)
    cart = lambda i: {"mass": m[i], "inertia": [1, 1, 1], "orientation": at.orientation, "position": at.at(-i, 0, 0),
                      "velocity": at.along(v[i], 0, 0)}
    rail = lambda b: {"type": "prismatic", "b": b, "axis": at.along(1, 0, 0)}
    rub = lambda joint, mu: {"type": "friction", "joint": joint, "law": "coulomb", "coulomb": mu}
    model = {"gravity": at.along(-G * math.sin(lean), -G * math.cos(lean), 0),
             "bodies": {"cart": cart(0), "trailer": cart(1)}, "joints": {"front": rail("cart"), "back": rail("trailer")},
             "signals": {"gap": "front.translation - back.translation"},
             "forces": {"brake": rub("front", mu[0]), "drag": rub("back", mu[1]),
                        "bar": {"type": "spring", "a": "trailer", "b": "cart", "stiffness": k, "free": 1.0},
                        "winch": {"type": "motor", "joint": "front", "law": f"{haul!r}*({pace!r}*t - value)"}}}
    return Case(model, times, {"front.translation": rows[:, 0], "back.translation": rows[:, 1], "front.translation_rate": rows[:, 2],
                               "back.translation_rate": rows[:, 3]})


def stretchy_rope(r):
    """Two masses on ropes that stretch and go slack, one below the other, as laws of springs that only pull."""
    L, k, m = r.uniform(0.4, 1, 2), 10 ** r.uniform(2, 5, 2), r.uniform(0.2, 2, 2)
    c = 2 * np.sqrt(k * m) * r.uniform(0, 0.3, 2)
    angle = r.uniform(-3, 3, 2)
    p = np.cumsum([0.95 * L[i] * np.array([math.cos(angle[i]), math.sin(angle[i])]) for i in (0, 1)], axis=0)
    v = r.normal(size=(2, 2)) * 2
    times = np.linspace(0, 0.8, ROWS)

    def rope(i, y):
        e = y[2 * i:2 * i + 2] - (y[0:2] if i else 0)
        u = y[4 + 2 * i:6 + 2 * i] - (y[4:6] if i else 0)
        far = math.hypot(*e)
        n = e / far
        return n, far - L[i], k[i] * (far - L[i]) + c[i] * (n @ u)

    # a rope pulls while it is longer than L and its law, with the damper, is above zero
    def rate(mode, t, y):
        a = np.array([0, -G, 0, -G])
        for i in (0, 1):
            if mode[i]:
                n, _, T = rope(i, y)
                a[2 * i:2 * i + 2] -= T * n / m[i]
                if i:
                    a[:2] += T * n / m[0]
        return [*y[4:], *a]

    pulls = lambda i, y: min(rope(i, y)[1], rope(i, y)[2] / k[i])
    guards = lambda mode: [(lambda t, y, i=i: pulls(i, y) if mode[i] else -pulls(i, y)) for i in (0, 1)]

    def jump(mode, which, t, y):
        return tuple(not on if i == which else on for i, on in enumerate(mode)), y

    start = np.array([*p.ravel(), *v.ravel()])
    rows = follow(rate, start, (False, False), guards, jump, times)
    law = lambda i: f"if(length > {L[i]!r}, max({k[i]!r}*(length - {L[i]!r}) + {c[i]!r}*rate, 0), 0)"
    ball = lambda i: {"type": "planar-point", "mass": m[i], "position": p[i].tolist(), "velocity": v[i].tolist()}
    model = {"gravity": [0, -G], "bodies": {"one": ball(0), "two": ball(1)},
             "forces": {"upper": {"type": "spring", "b": "one", "at": [0, 0], "law": law(0)},
                        "lower": {"type": "spring", "a": "one", "b": "two", "law": law(1)}}}
    return Case(model, times, {f"{b}.{q}": rows[:, 4 * (q[0] == "v") + 2 * i + (q[-1] == "y")] for i, b in enumerate(("one", "two"))
                               for q in ("x", "y", "vx", "vy")}, apart=1e-8)


def pulled(r):
    """A thing that rests, on a stop, by friction or by a bolt, and is pulled at hardly ever hard enough; it feels nothing before."""
    kind = str(r.choice(["stop", "grip", "bolt"]))
    m, w, turns, off = r.uniform(0.5, 3), 2 * math.pi * 10 ** r.uniform(-1, 1), int(r.integers(2, 40)), r.choice([0, r.uniform(0, 6)])
    limit = m * G * (1 if kind == "stop" else 0.4 if kind == "grip" else 0.7)
    A, beat, c = limit * r.uniform(1.02, 1.5), r.uniform(0.003, 0.1) * w, r.choice([0, r.uniform(0.1, 2)])
    times = np.linspace(0, turns * 2 * math.pi / w, ROWS)
    slow = r.random() < 0.5
    pull = lambda t: A * math.sin(w * t + off) * (math.sin(beat * t) if slow else 1)

    # modes: 0 rests, 1 or -1 is away or slides
    def rate(mode, t, y):
        if mode == 0:
            return [0, 0]
        hold = {"stop": limit, "grip": mode * limit, "bolt": 0}[kind]
        return [y[1], (pull(t) - hold - c * y[1]) / m]

    def guards(mode):
        if mode == 0:
            return [lambda t, y: limit - pull(t)] + ([lambda t, y: limit + pull(t)] if kind != "stop" else [])
        return {"stop": [lambda t, y: y[0]], "grip": [lambda t, y: mode * y[1]], "bolt": []}[kind]

    def jump(mode, which, t, y):
        if mode == 0:
            return (1 - 2 * which if kind == "grip" else 1), np.array([1e-16 if kind == "stop" else y[0], 0])
        if kind == "stop":
            if abs(pull(t) - limit) < 1e-3 * limit:
                raise Hard("lands as it leaves")
            return (0 if pull(t) < limit else 1), np.array([0.0, 0])
        return held(pull(t), limit), np.array([y[0], 0])

    if abs(pull(0)) > 0.99 * limit:
        raise Hard("moves at once")
    fine = np.linspace(0, times[-1], 12 * 8 * turns + 1)
    rows = follow(rate, [0, 0], 0, guards, jump, fine)[::8 * turns]
    law = f"{A!r}*sin({w!r}*t + {off!r})" + (f"*sin({beat!r}*t)" if slow else "")
    if kind == "stop":
        model = {"gravity": [0, -G], "bodies": {"box": {"type": "planar-point", "mass": m}},
                 "joints": {"floor": {"type": "stop", "b": "box", "axis": [0, 1]}},
                 "forces": {"pull": {"type": "force", "b": "box", "force": [0, f"{law} - {c!r}*box.vy" if c else law]}}}
        return Case(model, times, {"box.y": rows[:, 0], "box.vy": rows[:, 1]})
    model = {"gravity": [0, -G], "bodies": {"box": {"type": "planar", "mass": m, "inertia": 1}},
             "joints": {"rail": {"type": "prismatic", "b": "box", "axis": [1, 0, 0]}},
             "forces": {"pull": {"type": "motor", "joint": "rail", "law": f"{law} - {c!r}*rate" if c else law}}}
    if kind == "grip":
        model["forces"]["rub"] = {"type": "friction", "joint": "rail", "law": "coulomb", "coulomb": 0.4}
    else:
        model["joints"]["bolt"] = {"type": "lock", "joint_a": "rail", "breaks": limit}
    size = max(1, np.max(abs(rows[:, 0])))
    return Case(model, times, {"box.x": rows[:, 0], "box.vx": rows[:, 1]}, size, max(1, np.max(abs(rows[:, 1]))))


# ---- wheels on the road --------------------------------------------------------------------------


def trailer(r):
    """A car that cannot slip sideways at either axle and the trailers it tows, on a tilted plane."""
    n = int(r.integers(1, 4))
    m, J = r.uniform(1, 5, n + 1), r.uniform(0.1, 1, n + 1)
    long, hitch, steer = r.uniform(0.5, 1, n + 1), r.uniform(0.05, 0.4, n + 1), r.uniform(-0.4, 0.4)
    a = np.cumsum([r.uniform(-1, 1), *r.uniform(-0.8, 0.8, n)])
    g, F, c, v0 = r.normal(size=2) * 2, r.uniform(-5, 15), r.uniform(0, 2), r.uniform(0.3, 2)
    times = np.linspace(0, 1.2, ROWS)
    # coordinates: x, y, angle of each, at the middle of its rear axle; the centre of mass is `part` before it
    part = r.uniform(0, 0.5, n + 1) * long
    N = n + 1
    at = np.zeros((N, 2))
    e = lambda q: np.array([math.cos(q), math.sin(q)])
    f = lambda q: np.array([-math.sin(q), math.cos(q)])
    for i in range(1, N):
        at[i] = at[i - 1] - hitch[i - 1] * e(a[i - 1]) - long[i] * e(a[i])

    # freedoms: x, y of the car and all angles
    def slopes(q, w, i, ahead):
        """Of a point `ahead` of the axle of i: slope of its velocity, and its acceleration without those of the freedoms."""
        S, bend = np.zeros((2, 2 + N)), np.zeros(2)
        S[:, :2] = np.eye(2)
        arms = [(j, (-hitch[j] if j < i else ahead) + (-long[j] if j else 0)) for j in range(i + 1)]
        if i == 0:
            arms = [(0, ahead)]
        for j, arm in arms:
            S[:, 2 + j] += arm * f(q[2 + j])
            bend -= arm * e(q[2 + j]) * w[2 + j] ** 2
        return S, bend

    def rate(t, y):
        q, w = y[:2 + N], y[2 + N:]
        M, p, rows, right = np.zeros((2 + N, 2 + N)), np.zeros(2 + N), [], []
        for i in range(N):
            S, bend = slopes(q, w, i, part[i])
            M += m[i] * S.T @ S
            p += m[i] * S.T @ (g - bend)
            M[2 + i, 2 + i] += J[i]
            S, bend = slopes(q, w, i, 0)
            rows.append(f(q[2 + i]) @ S)
            right.append(-(f(q[2 + i]) @ bend - w[2 + i] * e(q[2 + i]) @ S @ w))
        S, bend = slopes(q, w, 0, long[0])
        across = f(q[2] + steer)
        rows.append(across @ S)
        right.append(-(across @ bend - w[2] * e(q[2] + steer) @ S @ w))
        S, bend = slopes(q, w, 0, 0)
        p += S.T @ (F * e(q[2]) - c * S @ w)
        whole = np.block([[M, np.array(rows).T], [np.array(rows), np.zeros((N + 1, N + 1))]])
        return [*w, *np.linalg.solve(whole, [*p, *right])[:2 + N]]

    # at the start the car goes ahead, and all else follows
    w = np.zeros(2 + N)
    q = np.array([0, 0, *a])
    rows, right = [[*e(a[0]), *np.zeros(N)]], [v0]
    for i in range(N):
        rows.append(f(a[i]) @ slopes(q, w, i, 0)[0])
    rows.append(f(a[0] + steer) @ slopes(q, w, 0, long[0])[0])
    w = np.linalg.solve(np.array(rows), [*right, *np.zeros(N + 1)])
    found = smooth(rate, [*q, *w], times)
    bodies, joints = {}, {}
    for i in range(N):
        speed = slopes(q, w, i, 0)[0] @ w
        bodies[f"b{i}"] = {"type": "planar", "mass": m[i], "inertia": J[i], "com": [part[i], 0], "position": at[i].tolist(),
                           "angle": a[i], "velocity": speed.tolist(), "angular_velocity": w[2 + i]}
        joints[f"axle{i}"] = {"type": "knife-edge", "b": f"b{i}", "at": at[i].tolist(), "axis": [*f(a[i]).tolist(), 0]}
        if i:
            joints[f"hitch{i}"] = {"type": "revolute", "a": f"b{i - 1}", "b": f"b{i}",
                                   "at": (at[i - 1] - hitch[i - 1] * e(a[i - 1])).tolist()}
    joints["front"] = {"type": "knife-edge", "b": "b0", "at": (at[0] + long[0] * e(a[0])).tolist(),
                       "axis": [*f(a[0] + steer).tolist(), 0]}
    model = {"gravity": g.tolist(), "bodies": bodies, "joints": joints,
             "forces": {"drive": {"type": "force", "b": "b0", "force": [F, 0], "axes": "body"},
                        "air": {"type": "force", "b": "b0", "force": [f"{-c!r}*b0.vx", f"{-c!r}*b0.vy"]}}}
    return Case(model, times, {"b0.x": found[:, 0], "b0.y": found[:, 1], f"b{n}.angle": found[:, 1 + N], "b0.omega": found[:, 4 + N]})


# ---- screws, shafts and steps --------------------------------------------------------------------


def jack(r):
    """A spindle drives a nut along a rail, which spreads two arms under a load; more joints than needed, in space."""
    at = Placed(r)
    L, pitch, q0 = r.uniform(0.2, 0.4), r.choice([-1, 1]) * r.uniform(0.002, 0.02), r.uniform(0.4, 1)
    mass = {"nut": (r.uniform(0.5, 2), 0.1), "arm": (r.uniform(0.5, 2), r.uniform(0.01, 0.1)),
            "leg": (r.uniform(0.5, 2), r.uniform(0.01, 0.1)), "load": (r.uniform(1, 10), 0.1)}
    Js, T, w, c, k = r.uniform(1e-5, 1e-3), r.uniform(-0.3, 0.3), r.uniform(2, 8), r.uniform(0.01, 0.1), r.uniform(100, 3000)
    places = {"leg": lambda q: np.array([L / 2 * np.cos(q), L / 2 * np.sin(q), q]),
              "arm": lambda q: np.array([1.5 * L * np.cos(q), L / 2 * np.sin(q), -q]),
              "nut": lambda q: np.array([2 * L * np.cos(q), 0 * q, 0 * q]),
              "load": lambda q: np.array([L * np.cos(q), L * np.sin(q), 0 * q])}
    of = Reduced(places, mass, np.array([0, -G]), 0.05, 1.5)
    times = np.linspace(0, 0.6, ROWS)
    # the spindle turns by (x - x0) / pitch
    turned = lambda q: 2 * L * (math.cos(q) - math.cos(q0)) / pitch

    def rate(mode, t, y):
        q, v = y
        slope, bend = -2 * L * math.sin(q) / pitch, -2 * L * math.cos(q) / pitch
        torque = T * math.sin(w * t) - c * pitch**2 * slope * v
        effort = slope * (torque - Js * bend * v * v) - k * L * L * math.cos(q) * (math.sin(q) - math.sin(q0))
        return [v, (effort + of.weight(q) - of.dI(q) * v * v / 2) / (of.I(q) + Js * slope**2)]

    def jump(mode, which, t, y):
        raise Hard("too far")

    rows = follow(rate, [q0, 0], 0, lambda mode: [lambda t, y: y[0] - 0.1, lambda t, y: 1.4 - y[0]], jump, times)
    bodies = {}
    for name, (m, J) in mass.items():
        x, y, angle = np.real(places[name](q0 + 0j))
        own = Rotation.from_matrix(at.turn @ Rotation.from_euler("z", angle).as_matrix()).as_quat()
        bodies[name] = {"mass": m, "inertia": [J, J, J], "position": at.at(x, y, 0),
                        "orientation": {"quaternion": [float(own[i]) for i in (3, 0, 1, 2)]}}
    bodies["spindle"] = {"mass": 1, "inertia": {"xx": Js, "yy": 0.01, "zz": 0.01}, "position": at.at(L * math.cos(q0), 0, 0),
                         "orientation": at.orientation}
    top, end = (L * math.cos(q0), L * math.sin(q0), 0), (2 * L * math.cos(q0), 0, 0)
    pin = lambda a, b, place: {"type": "revolute", "a": a, "b": b, "at": at.at(*place), "axis": at.along(0, 0, 1)}
    model = {"gravity": at.along(0, -G, 0), "bodies": bodies,
             "joints": {"foot": pin("ground", "leg", (0, 0, 0)), "head": pin("leg", "load", top), "elbow": pin("leg", "arm", top),
                        "end": pin("nut", "arm", end), "rail": {"type": "prismatic", "b": "nut", "axis": at.along(1, 0, 0)},
                        "mast": {"type": "parallel", "b": "load", "axis": at.along(1, 0, 0)},
                        "bearing": {"type": "revolute", "b": "spindle", "axis": at.along(1, 0, 0)},
                        "thread": {"type": "screw", "a": "nut", "b": "spindle", "axis": at.along(1, 0, 0), "pitch": float(-pitch)}},
             "forces": {"drive": {"type": "motor", "joint": "bearing", "law": f"{T!r}*sin({w!r}*t)"},
                        "oil": {"type": "friction", "joint": "bearing", "viscous": c * pitch**2},
                        "hold": {"type": "force", "b": "load", "force": [float(x) if abs(x) < 1e-300 else f"{float(x)!r}*rise" for x in
                                                                         at.along(0, -k, 0)]}},
             "signals": {"rise": " + ".join(f"{float(x)!r}*(load.{n} - {float(p)!r})" for x, n, p in
                                            zip(at.along(0, 1, 0), "xyz", at.at(*top)))}}
    centre = np.array([at.at(L * math.cos(q), L * math.sin(q), 0) for q in rows[:, 0]])
    return Case(model, times, {"foot.angle": rows[:, 0] - q0, "foot.angle_rate": rows[:, 1],
                               "bearing.angle": np.array([turned(q) for q in rows[:, 0]])}
                | {f"load.{c}": centre[:, i] for i, c in enumerate("xyz")})


def propshaft(r):
    """Shafts with a constant-velocity joint, then two Cardan joints with a shaft between, which slides in itself."""
    at = Placed(r)
    bend, skew = r.uniform(0.1, 0.6), r.uniform(0.1, 0.7)
    J, w0, k, T, w = r.uniform(0.01, 0.5, 4), r.uniform(-6, 6), r.uniform(0, 5), r.uniform(-3, 3), r.uniform(1, 6)
    times = np.linspace(0, 1.2, ROWS)
    co, si = math.cos(skew), math.sin(skew)
    # one - (constant velocity) - two - cross - mid - cross - three, parallel to two: turns alike

    def rate(t, y):
        q, v = y
        n = co / (1 - si**2 * math.sin(q) ** 2)
        more = 2 * n**2 / co * si**2 * math.sin(q) * math.cos(q)
        I = J[0] + J[1] + J[3] + J[2] * n * n
        return [v, (T * math.sin(w * t) - k * q - J[2] * n * more * v * v) / I]

    rows = smooth(rate, [0, w0], times)
    one, two, mid = np.array([math.sin(bend), 0, math.cos(bend)]), np.array([0, 0, 1]), np.array([si, 0, co])
    places = {"one": (-0.5 * one, one, w0), "two": (0.5 * two, two, w0), "mid": (two + 0.3 * mid, mid, w0 * co),
              "three": (two + mid + 0.5 * two, two, w0), "sleeve": (two + 0.7 * mid, mid, w0 * co)}
    bodies = {}
    for name, (place, z, spin) in places.items():
        axes = at.turn @ np.column_stack([np.cross([0, 1, 0], z), [0, 1, 0], z])
        own = Rotation.from_matrix(axes).as_quat()
        inertia = J[{"one": 0, "two": 1, "mid": 2, "three": 3, "sleeve": 2}[name]] / (2 if name in ("mid", "sleeve") else 1)
        bodies[name] = {"mass": 2, "inertia": {"xx": 1, "yy": 1, "zz": inertia}, "position": at.at(*place),
                        "orientation": {"quaternion": [float(own[i]) for i in (3, 0, 1, 2)]},
                        "angular_velocity": at.along(*(spin * z))}
    bearing = lambda b, z: {"type": "revolute", "b": b, "axis": at.along(*z)}
    cross = lambda a, b, place, x, first: {"type": "universal", "a": a, "b": b, "at": at.at(*place),
                                           "axis": at.along(*first), "axis_b": at.along(*x)}
    model = {"bodies": bodies,
             "joints": {"drive": bearing("one", one), "middle": bearing("two", two), "end": bearing("three", two),
                        "bent": {"type": "constant-velocity", "a": "one", "b": "two", "at": at.at(0, 0, 0),
                                 "axis": at.along(*one), "axis_b": at.along(*two)},
                        "first": cross("two", "mid", two, (co, 0, -si), (0, 1, 0)),
                        "slides": {"type": "prismatic", "a": "mid", "b": "sleeve", "axis": at.along(*mid)},
                        "second": cross("sleeve", "three", two + mid, (0, 1, 0), (co, 0, -si))},
             "forces": {"push": {"type": "motor", "joint": "drive", "law": f"{T!r}*sin({w!r}*t)"},
                        "back": {"type": "torsion-spring", "joint": "end", "stiffness": k, "free": 0.0}}}
    return Case(model, times, {"drive.angle": rows[:, 0], "middle.angle": rows[:, 0], "end.angle": rows[:, 0],
                               "end.angle_rate": rows[:, 1]})


def geneva(r):
    """A Geneva drive: a pin enters a slot of the wheel without a jolt, turns it on, and leaves it locked; round and round."""
    slots = int(r.choice([4, 5, 6]))
    part = math.pi / slots
    d = r.uniform(0.1, 2)
    rad, spin = d * math.sin(part), r.choice([-1, 1]) * r.uniform(3, 9)
    a0 = r.uniform(0.6, 0.9) * 2 * math.pi  # turns on until it enters
    if spin < 0:
        a0 = 2 * math.pi - a0
    enter = math.pi / 2 - part  # the pin is in a slot while the crank is within this of the line between the axles
    a0 = a0 if enter + 0.1 < a0 < 2 * math.pi - enter - 0.1 else math.pi
    J, high = r.uniform(0.1, 1), r.uniform(0.1, 1)
    times = np.linspace(0, r.uniform(1, 1.9) * 2 * math.pi / abs(spin), ROWS)
    # crank at the origin, wheel at (d, 0); the wheel's angle while a slot is on the pin, from the line to the crank
    slot = lambda a: math.atan2(-rad * math.sin(a), d - rad * math.cos(a))
    rate_of = lambda a: rad * (rad - d * math.cos(a)) / (d * d + rad * rad - 2 * d * rad * math.cos(a))
    angle, speed = [], []
    for t in times:
        a = a0 + spin * t
        turn = math.floor((a + math.pi) / (2 * math.pi))
        near = a - 2 * math.pi * turn
        whole = -2 * part * turn
        s = slot(max(-enter, min(enter, near)))
        angle.append(whole + s)
        speed.append(rate_of(near) * spin if abs(near) < enter else 0)
        if abs(abs(near) - enter) < 1e-3:
            raise Hard("a row as it enters")
    angle = np.array(angle)
    first = angle[0]
    near = f"(mod(crank.angle + {math.pi + a0!r}, {2 * math.pi!r}) - {math.pi!r})"
    inside = f"abs({near}) < {enter!r}"
    bodies = {"crank_body": {"type": "planar", "mass": 1, "inertia": 0.1, "angular_velocity": spin,
                             "frames": {"pin": [rad * math.cos(a0), rad * math.sin(a0)]}},
              "wheel": {"type": "planar", "mass": 2, "inertia": J, "position": [d, 0]}}
    joints = {"crank": {"type": "revolute", "b": "crank_body", "at": [0, 0]},
              "drive": {"type": "driver", "joint_a": "crank", "motion": f"{spin!r}*t"},
              "axle": {"type": "revolute", "b": "wheel", "at": [d, 0]},
              "arc": {"type": "lock", "joint_a": "axle", "active": f"!({inside})"}}
    # the wheel has turned by angle - first, so the slot that is used in turn i lies here on it
    for i in range(slots):
        along = math.pi + first + 2 * part * i
        bodies["wheel"].setdefault("frames", {})[f"s{i}"] = {"position": [0, 0], "orientation": {
            "euler": [float(along), math.pi / 2, 0], "sequence": "zyx"}}
        count = f"floor((crank.angle + {math.pi + a0!r})/{2 * math.pi!r})"
        joints[f"slot{i}"] = {"type": "point-on-line", "a": f"wheel.s{i}", "b": "crank_body.pin",
                              "active": f"{inside} && abs(mod({count} - {i}, {slots}) - 0) < 0.5"}
    model = {"bodies": bodies, "joints": joints,
             "forces": {"load": {"type": "motor", "joint": "axle", "law": f"{high!r}*sin(3*t)"}}}
    return Case(model, times, {"axle.angle": angle - first, "axle.angle_rate": np.array(speed)})


# ---- formulas, controllers, tables, events -------------------------------------------------------


def detent(r):
    """A wheel in a sawtooth of its angle, written by mod, beside one led the short way round, by atan2."""
    J, K, p, c = r.uniform(0.05, 0.4, 2), r.uniform(2, 20), r.uniform(0.3, 1.2), r.uniform(0, 0.3)
    w0, kp, kd = r.uniform(4, 14, 2) * r.choice([-1, 1], 2), r.uniform(2, 12), r.uniform(0, 0.4)
    T, w = r.uniform(0, 3), r.uniform(2, 9)
    times = np.linspace(0, 1.5, ROWS)

    # modes: teeth passed of the first, turns passed of the second
    def rate(mode, t, y):
        return [y[2], y[3], (T * math.sin(w * t) - K * (y[0] - mode[0] * p) - c * y[2]) / J[0],
                (-kp * (y[1] - 2 * math.pi * mode[1]) - kd * y[3]) / J[1]]

    guards = lambda mode: [lambda t, y: (mode[0] + 0.5) * p - y[0], lambda t, y: y[0] - (mode[0] - 0.5) * p,
                           lambda t, y: (2 * mode[1] + 1) * math.pi - y[1], lambda t, y: y[1] - (2 * mode[1] - 1) * math.pi]

    def jump(mode, which, t, y):
        if abs(y[2 + which // 2]) < 0.05:
            raise Hard("turns round at a tooth")
        step = 1 - 2 * (which % 2)
        return (mode[0] + step, mode[1]) if which < 2 else (mode[0], mode[1] + step), y

    rows = follow(rate, [0, 0, *w0], (0, 0), guards, jump, times)
    wheel = lambda i: {"type": "planar", "mass": 1, "inertia": J[i], "angular_velocity": w0[i]}
    model = {"bodies": {"one": wheel(0), "two": wheel(1)},
             "joints": {"A": {"type": "revolute", "b": "one", "at": [0, 0]}, "B": {"type": "revolute", "b": "two", "at": [0, 0]}},
             "forces": {"teeth": {"type": "motor", "joint": "A", "law":
                                  f"{T!r}*sin({w!r}*t) - {K!r}*(mod(value + {p / 2!r}, {p!r}) - {p / 2!r}) - {c!r}*rate"},
                        "lead": {"type": "motor", "joint": "B", "law":
                                 f"-{kp!r}*atan2(sin(value), cos(value)) - {kd!r}*rate"}}}
    return Case(model, times, {"one.angle": rows[:, 0], "two.angle": rows[:, 1], "one.omega": rows[:, 2], "two.omega": rows[:, 3]})


def cascade(r):
    """A slow controller leads a fast one, with other periods, offsets, delays and a quantum, before a motor with an inductance."""
    m, l = r.uniform(0.5, 2), r.uniform(0.2, 0.6)
    R, L, k = r.uniform(0.5, 2), 10 ** r.uniform(-3, -1.3), r.uniform(0.2, 1)
    slow, fast = r.uniform(0.02, 0.06), r.uniform(0.004, 0.012)
    start, late = [0.0, r.uniform(0, 0.9) * fast], [r.uniform(0, 1.5) * slow, r.choice([0, r.uniform(0, 0.8)]) * fast]
    kp, kv, step = r.uniform(2, 6), r.uniform(1, 5), r.choice([0, r.uniform(0.05, 0.5)])
    goal_at, q0 = r.uniform(-1, 1), r.uniform(-1, 1)
    times = np.linspace(0, 0.4, ROWS)
    J = m * l * l + 0.02
    t, y, held_at, queue = 0.0, np.array([q0, 0.0, 0.0]), [0.0, 0.0], []
    due, rows = list(start), [y]
    for goal in times[1:]:
        while t < goal - 1e-13:
            # outputs that act now come first, then all samples see them
            for item in sorted(x for x in queue if x[0] <= t + 1e-12):
                held_at[item[1]] = item[2]
                queue.remove(item)
            seen = list(held_at)
            for i, period in ((0, slow), (1, fast)):
                if due[i] <= t + 1e-12:
                    u = kp * (goal_at - y[0]) if i == 0 else kv * (seen[0] - y[1])
                    if i == 1 and step:
                        if abs(u / step - math.floor(u / step) - 0.5) < 1e-4:
                            raise Hard("between two steps")
                        u = step * round(u / step)
                    if late[i]:
                        queue.append((due[i] + late[i], i, u))
                    else:
                        held_at[i] = u
                    due[i] += period
            stops = [goal, *due, *[x[0] for x in queue]]
            gaps = np.diff(sorted(s for s in stops if s < goal))
            if len(gaps) and 1e-12 < min([g for g in gaps if g > 1e-12], default=1) < 1e-7:
                raise Hard("two things at once")
            stop = min(s for s in stops if s > t + 1e-13)
            u = held_at[1]
            y = solve_ivp(lambda t, y: [y[1], (k * y[2] - m * G * l * math.sin(y[0])) / J, (u - R * y[2] - k * y[1]) / L], (t, stop), y,
                          method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
            t = stop
        rows.append(y)
    rows = np.array(rows)
    turn = lambda i: {"period": (slow, fast)[i], "offset": start[i]} | ({"delay": float(late[i])} if late[i] else {})
    model = {"gravity": [0, -G],
             "bodies": {"arm": {"type": "planar", "mass": m, "inertia": 0.02, "com": [0, -l], "angle": q0}},
             "joints": {"hinge": {"type": "revolute", "b": "arm", "at": [0, 0]}},
             "controllers": {"speed": turn(0) | {"formula": f"{kp!r}*({goal_at!r} - arm.angle)"},
                             "volt": turn(1) | {"formula": f"{kv!r}*(speed - arm.omega)"} | ({"quantum": float(step)} if step else {})},
             "forces": {"motor": {"type": "dc-motor", "joint": "hinge", "voltage": "volt", "resistance": R, "inductance": L,
                                  "constant": k}}}
    return Case(model, times, {"arm.angle": rows[:, 0], "arm.omega": rows[:, 1], "motor_current": rows[:, 2]})


FOLDER = []


def file_of(text):
    if not FOLDER:
        FOLDER.append(tempfile.mkdtemp(prefix="users"))
        atexit.register(shutil.rmtree, FOLDER[0], True)
    path = Path(FOLDER[0]) / f"{abs(hash(text))}.csv"
    path.write_text(text)
    return str(path)


def recorded(r):
    """A sprung mass pushed by two columns of a file, one in steps and one by lines, with rows that come close together."""
    n = int(r.integers(5, 40))
    at = np.cumsum(10 ** r.uniform(-4, -1, n))
    at = [0.0] + [float(f"{x:.6f}") for x in at]
    at = np.unique(at)
    one, two = np.round(r.normal(size=len(at)) * 10, 3), np.round(r.normal(size=len(at)) * 10, 3)
    m, k, c = r.uniform(0.5, 3), r.uniform(5, 300), r.uniform(0, 2)
    times = np.linspace(0, min(1.2, 1.1 * at[-1]), ROWS)
    text = "# measured on the bench\ntime [s],step [N],line [N]\n" + "".join(f"{t:.6f},{a},{b}\n" for t, a, b in zip(at, one, two))
    t, y, rows = 0.0, np.zeros(2), [np.zeros(2)]
    for goal in times[1:]:
        while t < goal:
            piece = int(np.searchsorted(at, t, "right")) - 1
            stop = min([goal] + [a for a in at if a > t][:1])
            y = solve_ivp(lambda t, y: [y[1], (one[piece] + np.interp(t, at, two) - k * y[0] - c * y[1]) / m], (t, stop), y,
                          method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
            t = stop
        rows.append(y)
    rows = np.array(rows)
    path = file_of(text)
    model = {"bodies": {"mass": {"type": "planar", "mass": m, "inertia": 1}},
             "joints": {"rail": {"type": "prismatic", "b": "mass", "at": [0, 0], "axis": [1, 0, 0]}},
             "signals": {"step_force": {"file": path, "column": "step", "interpolation": "hold"},
                         "line_force": {"file": path, "column": 3, "interpolation": "linear"}},
             "forces": {"act": {"type": "motor", "joint": "rail", "law": f"step_force + line_force - {k!r}*value - {c!r}*rate"}}}
    return Case(model, times, {"mass.x": rows[:, 0], "mass.vx": rows[:, 1]})


def ended(r):
    """A stone thrown against the wind from a swing; the run ends where an event says so."""
    m, c, v = r.uniform(0.2, 2), r.uniform(0.01, 0.5), np.array([r.uniform(1, 8), r.uniform(1, 8)])
    high, wide = r.uniform(0.5, 3), r.uniform(0.2, 6)
    rate = lambda t, y: [y[2], y[3], -c / m * y[2] * math.hypot(y[2], y[3]), -G - c / m * y[3] * math.hypot(y[2], y[3])]
    ground, wall = lambda t, y: y[1], lambda t, y: wide - y[0]
    ground.terminal = wall.terminal = True
    ground.direction = wall.direction = -1
    flight = solve_ivp(rate, (0, 10), [0, high, *v], method="DOP853", rtol=1e-12, atol=1e-13, events=[ground, wall], dense_output=True)
    end = flight.t[-1]
    step = end / (ROWS - 1.5)
    times = np.array([*(step * np.arange(ROWS - 1)), end])
    rows = np.array([flight.sol(t) for t in times[:-1]] + [flight.y[:, -1]])
    model = {"gravity": [0, -G],
             "bodies": {"stone": {"type": "planar-point", "mass": m, "position": [0, high], "velocity": v.tolist()}},
             "forces": {"air": {"type": "force", "b": "stone", "force":
                                [f"{-c!r}*stone.vx*hypot(stone.vx, stone.vy)", f"{-c!r}*stone.vy*hypot(stone.vx, stone.vy)"]}},
             "events": {"landed": {"when": "stone.y < 0", "stop": True}, "struck": {"when": f"stone.x > {wide!r}", "stop": True},
                        "highest": "stone.vy < 0"}}
    case = Case(model, times, {"stone.x": rows[:, 0], "stone.y": rows[:, 1], "stone.vx": rows[:, 2], "stone.vy": rows[:, 3]})
    case.until = 2 * end
    return case


def far_away(r):
    """A slider-crank from micrometres to thousands of kilometres, thousands of its sizes away from the origin."""
    L, M = 10 ** r.uniform(-6, 6), 10 ** r.uniform(-6, 6)
    T = L / 10 ** r.uniform(-3, 1)
    away = np.array([r.normal(), r.normal()]) * 10 ** r.uniform(0, 4)
    a, b, q0, w0 = r.uniform(0.2, 0.4), r.uniform(0.8, 1.2), r.uniform(0, 6), r.uniform(-5, 5)
    mass = {"crank": (r.uniform(0.2, 2), 0.05), "rod": (r.uniform(0.2, 2), 0.1), "block": (r.uniform(0.2, 2), 0.1)}
    end = lambda q: a * np.cos(q) + np.sqrt(b * b - (a * np.sin(q)) ** 2)
    lean = lambda q: -np.arcsin(a * np.sin(q) / b)
    places = {"crank": lambda q: np.array([a / 2 * np.cos(q), a / 2 * np.sin(q), q]),
              "rod": lambda q: np.array([(a * np.cos(q) + end(q)) / 2, a / 2 * np.sin(q), lean(q)]),
              "block": lambda q: np.array([end(q), 0 * q, 0 * q])}
    of = Reduced(places, mass, np.array([0, -G]), q0 - 6, q0 + 6, 300)
    times = np.linspace(0, 1, ROWS)

    def jump(mode, which, t, y):
        raise Hard("too far")

    rows = follow(lambda mode, t, y: [y[1], of.acceleration(*y, 0)], [q0, w0], 0, lambda mode: [lambda t, y: 5.9 - abs(y[0] - q0)],
                  jump, times)
    bodies = of.bodies(q0, w0)
    for body in bodies.values():
        body["position"] = ((np.array(body["position"]) + away) * L).tolist()
        body["velocity"] = (np.array(body["velocity"]) * L / T).tolist()
        body["angular_velocity"] /= T
        body["mass"] *= M
        body["inertia"] *= M * L * L
    at = lambda x, y: ((np.array([float(np.real(x)), float(np.real(y))]) + away) * L).tolist()
    pin = lambda a, b, place: {"type": "revolute", "a": a, "b": b, "at": place}
    model = {"gravity": [0, -G * L / T**2], "bodies": bodies,
             "joints": {"O": pin("ground", "crank", at(0, 0)), "A": pin("crank", "rod", at(a * math.cos(q0), a * math.sin(q0))),
                        "B": pin("rod", "block", at(end(q0), 0)), "rail": {"type": "prismatic", "b": "block", "axis": [1, 0, 0]}}}
    x = np.array([float(np.real(end(q))) for q in rows[:, 0]])
    return Case(model, times * T, {"O.angle": rows[:, 0] - q0, "O.angle_rate": rows[:, 1] / T, "block.x": (x + away[0]) * L}, L, L / T, T,
                apart=1e-15 * np.linalg.norm(away) * 100)


FAMILIES = [hoist, belts, planetary, freewheel, excavator, suspension, chopper, soft_to_stiff, cam, ratchet, slope, stretchy_rope, pulled,
            trailer, jack, propshaft, geneva, detent, cascade, recorded, ended, far_away]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
