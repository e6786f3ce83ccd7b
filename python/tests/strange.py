"""Strange machines: families as those of physics.py, each by many methods and coordinates.

usage: strange.py BUILD FIRST LAST [FAMILY ...] [method=NAME[,OPTION=VALUE ...] ...] [OPTION=VALUE ...]     see physics.py

Cardan shafts that are bent while they turn, gyroscopes in driven gimbals, flywheels whose weights are moved in and out,
drums with slack ropes and stops, carts on wheels that roll on a slope, tethers that break and catch, rhombs and kites
that fold flat, motions from files with cubic tables, hours of the same swing, masses and lengths millions apart, bearings
that hardly fit, formulas that are 0/0 where they pass, and laws as users put them together.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

from machines import Placed, held
from physics import G, ROWS, Case, Hard, command_line, follow
from reduced import linear, smooth

METHODS = ["default", "explicit", "baumgarte", "index3-alpha,rtol=1e-5", "index2-bdf", "energy-momentum", "default,coordinates=natural",
           "default,coordinates=relative", "default,coordinates=reference"]


# ---- shafts and rotors ---------------------------------------------------------------------------


def bent(r):
    """A Cardan shaft whose second bearing swings while it turns; a brake holds the first one, or lets it go."""
    at = Placed(r)
    J, K = r.uniform(0.02, 0.3), r.uniform(0.02, 0.3)
    b0, b1, w = r.uniform(-0.5, 0.5), r.uniform(0.05, 0.4), r.uniform(1, 6)
    T, c, a0, w0 = r.uniform(0.3, 3), r.uniform(0, 0.2), r.uniform(-0.6, 0.6), r.choice([0, r.uniform(-6, 6)])
    brake = r.choice([0, r.uniform(0.1, 1.2)])
    times = np.linspace(0, 1.2, ROWS)

    def bend(t):
        return b0 + b1 * math.sin(w * t), b1 * w * math.cos(w * t), -b1 * w * w * math.sin(w * t)

    def second(t, a):
        """Angle of the second shaft in its housing, as a function of the first one's; derivatives by a, t."""
        B, B1, B2 = bend(t)
        s, C, S = math.sin(a), math.cos(B), math.sin(B)
        D = math.cos(a) ** 2 * C * C + s * s
        u, ub = math.tan(B), 1 / (C * C)
        # tan(angle) = tan(a) / cos(B)
        angle = math.atan2(s, math.cos(a) * C) + 2 * math.pi * round((a - math.atan2(s, math.cos(a))) / (2 * math.pi))
        ga = C / D
        gb = math.sin(a) * math.cos(a) * S / D
        Da = -2 * math.cos(a) * s * C * C + 2 * s * math.cos(a)
        Db = -2 * math.cos(a) ** 2 * C * S
        gaa, gab = -C * Da / D**2, -S / D - C * Db / D**2
        gbb = s * math.cos(a) * (C / D - S * Db / D**2)
        return angle, ga, gb * B1, gaa, gab * B1, gbb * B1 * B1 + gb * B2

    def drive(t, y):
        """Moment without the brake, and inertia, of the first shaft's angle."""
        _, ga, gt, gaa, gat, gtt = second(t, y[0])
        spin = ga * y[1] + gt
        return T * math.cos(2 * t) - ga * c * spin - K * ga * (gaa * y[1] ** 2 + 2 * gat * y[1] + gtt), J + K * ga * ga

    def rate(mode, t, y):
        push, inertia = drive(t, y)
        return [y[1], (push - mode * brake) / inertia] if mode else [0, 0]

    def guards(mode):
        if not brake:
            return []
        return [lambda t, y: mode * y[1]] if mode else [lambda t, y: brake - drive(t, y)[0], lambda t, y: brake + drive(t, y)[0]]

    def jump(mode, which, t, y):
        if mode == 0:
            return 1 - 2 * which, y
        y = np.array([y[0], 0])
        return held(drive(t, y)[0], brake), y

    start = np.array([a0, w0])
    rows = follow(rate, start, (math.copysign(1, w0) if w0 else held(drive(0, start)[0], brake)) if brake else 1, guards, jump, times)
    if np.max(abs(np.diff(rows[:, 0]))) > 1:
        raise Hard("rows too far apart")
    g, ga, gt = second(0, a0)[:3]
    spin = ga * w0 + gt
    local = Rotation.from_euler("y", bend(0)[0])
    whole = Rotation.from_matrix(at.turn)
    pose = lambda rot: {"quaternion": [float(x) for x in np.roll((whole * rot).as_quat(), 1)]}
    model = {"bodies": {"first": {"mass": 1, "inertia": [J, J, J], "position": at.at(0, 0, 0),
                                  "orientation": pose(Rotation.from_euler("z", a0)), "angular_velocity": at.along(0, 0, w0)},
                        "housing": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "position": at.at(0, 0, 0), "orientation": pose(local),
                                    "angular_velocity": at.along(0, bend(0)[1], 0)},
                        "second": {"mass": 2, "inertia": [0.9 * K, 0.9 * K, K], "position": at.at(0, 0, 0),
                                   "orientation": pose(local * Rotation.from_euler("z", g)),
                                   "angular_velocity": (at.turn @ (local.apply([0, 0, spin]) + [0, bend(0)[1], 0])).tolist()}},
             "joints": {"front": {"type": "revolute", "b": "first", "at": at.at(0, 0, 0), "axis": at.along(0, 0, 1), "value": a0},
                        "swing": {"type": "revolute", "b": "housing", "at": at.at(0, 0, 0), "axis": at.along(0, 1, 0), "value": bend(0)[0]},
                        "back": {"type": "revolute", "a": "housing", "b": "second", "at": at.at(0, 0, 0),
                                 "axis": at.along(*local.apply([0, 0, 1])), "value": g},
                        "cross": {"type": "universal", "a": "first", "b": "second", "at": at.at(0, 0, 0),
                                  "axis": at.along(math.cos(a0), math.sin(a0), 0),
                                  "axis_b": at.along(*(local * Rotation.from_euler("z", g)).apply([0, 1, 0]))},
                        "tilt": {"type": "driver", "joint_a": "swing", "motion": f"{b0!r} + {b1!r}*sin({w!r}*t)"}},
             "forces": {"motor": {"type": "motor", "joint": "front", "law": f"{T!r}*cos(2*t)"},
                        "oil": {"type": "torsion-spring", "joint": "back", "damping": c, "stiffness": 0, "free": 0}}}
    if brake:
        model["forces"]["rub"] = {"type": "friction", "joint": "front", "law": "coulomb", "coulomb": 1.0, "press": brake, "radius": 1.0}
    out = np.array([second(t, y[0])[0] for t, y in zip(times, rows)])
    return Case(model, times, {"front.angle": rows[:, 0], "front.angle_rate": rows[:, 1], "back.angle": out})


def gimbal(r):
    """A fast rotor in a gimbal which is driven to and fro, in a ring on a spring."""
    at = Placed(r)
    ring, inner, A, C = r.uniform(0.02, 0.3), r.uniform(0.01, 0.1, 3), r.uniform(0.02, 0.1), r.uniform(0.01, 0.15)
    inner = np.array([inner[1] + inner[2], inner[0] + inner[2], inner[0] + inner[1]])
    C = min(C, 1.9 * A)
    spin, k, c = r.choice([-1, 1]) * 10 ** r.uniform(0.5, 2.5), r.uniform(0, 50), r.uniform(0, 0.5)
    b0, b1, w = r.uniform(-1, 1), r.uniform(0.05, 0.5), r.uniform(1, 8)
    q0, v0 = r.uniform(-1, 1), r.uniform(-2, 2)
    times = np.linspace(0, 0.8, ROWS)
    tilt = lambda t: (b0 + b1 * math.sin(w * t), b1 * w * math.cos(w * t))
    B, B1 = tilt(0)
    h = C * (spin + v0 * math.cos(B))  # kept: nothing turns the rotor about its axis

    # ring about z by q, inner about x by the tilt, rotor about the inner's z
    inertia = lambda B: ring + (A + inner[1]) * math.sin(B) ** 2 + inner[2] * math.cos(B) ** 2

    def rate(t, y):
        B, B1 = tilt(t)
        slope = 2 * (A + inner[1] - inner[2]) * math.sin(B) * math.cos(B) * B1
        return [y[1], (-k * y[0] - c * y[1] - slope * y[1] + h * math.sin(B) * B1) / inertia(B), h / C - y[1] * math.cos(B)]

    rows = smooth(rate, [q0, v0, 0], times)
    whole = Rotation.from_matrix(at.turn)
    one, two = Rotation.from_euler("z", q0), Rotation.from_euler("ZX", [q0, B])
    pose = lambda rot: {"quaternion": [float(x) for x in np.roll((whole * rot).as_quat(), 1)]}
    x, z = one.apply([1, 0, 0]), two.apply([0, 0, 1])
    spins = [np.array([0, 0, v0]), np.array([0, 0, v0]) + B1 * x, np.array([0, 0, v0]) + B1 * x + spin * z]
    body = lambda inertia, rot, spin: {"mass": 1, "inertia": [float(i) for i in inertia], "position": at.at(0, 0, 0),
                                       "orientation": pose(rot), "angular_velocity": at.along(*spin)}
    hinge = lambda a, b, axis, value: {"type": "revolute", "a": a, "b": b, "at": at.at(0, 0, 0), "axis": at.along(*axis), "value": float(value)}
    model = {"bodies": {"ring": body([ring] * 3, one, spins[0]), "inner": body(inner, two, spins[1]), "rotor": body([A, A, C], two, spins[2])},
             "joints": {"outer": hinge("ground", "ring", [0, 0, 1], q0), "tilt": hinge("ring", "inner", x, B), "axle": hinge("inner", "rotor", z, 0),
                        "drive": {"type": "driver", "joint_a": "tilt", "motion": f"{b0!r} + {b1!r}*sin({w!r}*t)"}},
             "forces": {"spring": {"type": "torsion-spring", "joint": "outer", "stiffness": k, "damping": c, "free": 0.0}}}
    return Case(model, times, {"outer.angle": rows[:, 0], "outer.angle_rate": rows[:, 1], "axle.angle": rows[:, 2]},
                time=min(1, 10 / abs(spin)))


def flywheel(r):
    """A shaft whose weights are moved in and out, with a spring of twice its turn; as bodies, or as a block."""
    J, m, n = r.uniform(0.05, 0.5), r.uniform(0.1, 2), int(r.integers(1, 4))
    a, b, w = r.uniform(0.3, 0.6), r.uniform(0.05, 0.25), r.uniform(2, 12)
    T, c, k, q0, w0 = r.uniform(-2, 2), r.uniform(0, 0.5), r.uniform(0, 4), r.uniform(-1, 1), r.uniform(-5, 5)
    j = r.uniform(0.001, 0.05)
    times = np.linspace(0, 1.5, ROWS)
    whole = J + n * j

    def rate(t, y):
        far, fast = a + b * math.sin(w * t), b * w * math.cos(w * t)
        return [y[1], (T - c * y[1] - k * math.sin(2 * y[0]) - 2 * n * m * far * fast * y[1]) / (whole + n * m * far * far)]

    rows = smooth(rate, [q0, w0], times)
    effort = f"{T!r} - {c!r}*%s - {k!r}*sin(2*%s)"
    if r.random() < 0.3:
        model = {"blocks": {"wheel": {"coordinates": {"turn": {"value": q0, "velocity": w0, "unit": "rad"}},
                                      "mass_matrix": [[f"{whole!r} + {n * m!r}*({a!r} + {b!r}*sin({w!r}*t))^2"]],
                                      "forces": {"turn": effort % ("turn.rate", "turn")}}}}
        # a mass matrix that depends on t: d(M v)/dt = Q
        return Case(model, times, {"wheel.turn": rows[:, 0]})
    bodies = {"shaft": {"type": "planar", "mass": 1, "inertia": J, "angle": q0, "angular_velocity": w0}}
    joints = {"axle": {"type": "revolute", "b": "shaft", "at": [0, 0], "value": q0}}
    for i in range(n):
        x = q0 + 2 * math.pi * i / n
        d = np.array([math.cos(x), math.sin(x)])
        bodies[f"w{i}"] = {"type": "planar", "mass": m, "inertia": j, "position": (a * d).tolist(), "angle": x, "angular_velocity": w0,
                           "velocity": (b * w * d + a * w0 * np.array([-d[1], d[0]])).tolist()}
        joints[f"guide{i}"] = {"type": "prismatic", "a": "shaft", "b": f"w{i}", "at": (a * d).tolist(), "axis": d.tolist(), "value": a}
        joints[f"push{i}"] = {"type": "driver", "joint_a": f"guide{i}", "motion": f"{a!r} + {b!r}*sin({w!r}*t)"}
    model = {"bodies": bodies, "joints": joints,
             "forces": {"motor": {"type": "motor", "joint": "axle", "law": effort % ("rate", "value")}}}
    return Case(model, times, {"axle.angle": rows[:, 0], "axle.angle_rate": rows[:, 1]})


def drums(r):
    """Two drums, a rope between them that stretches and does not push, a load on the second, and stops of both."""
    J, R, m = r.uniform(0.02, 0.3, 2), r.uniform(0.05, 0.3, 2), r.uniform(0.5, 5)
    k, c = 10 ** r.uniform(2, 5), r.uniform(0, 0.3)
    c *= 2 * math.sqrt(k * min(J[0] / R[0] ** 2, J[1] / R[1] ** 2 + m))
    w0 = r.uniform(-8, 8)
    low, high, e = r.uniform(-3, -0.4), r.uniform(0.4, 3), r.uniform(0, 0.9)
    T, w = r.uniform(5, 40) * R[0], r.uniform(1, 6)
    times = np.linspace(0, 1, ROWS)
    inertia = np.array([J[0], J[1] + m * R[1] ** 2])
    stretch = lambda y: R[0] * y[0] - R[1] * y[1]
    pull = lambda y: k * stretch(y) + c * (R[0] * y[2] - R[1] * y[3])

    def rate(mode, t, y):
        f = pull(y) if mode else 0
        return [y[2], y[3], (T * math.sin(w * t) - R[0] * f) / inertia[0], (R[1] * (f - m * G)) / inertia[1]]

    # mode: whether the rope pulls, which it does where its law is above zero and it is longer than it was
    def guards(mode):
        ends = [lambda t, y: y[0] - low, lambda t, y: high - y[0]]
        return ends + ([lambda t, y: pull(y), lambda t, y: stretch(y)] if mode else [lambda t, y: -min(stretch(y), pull(y))])

    def jump(mode, which, t, y):
        if which >= 2:
            return 1 - mode, np.array(y)
        if abs(y[2]) < 0.05 or e < 0.05:
            raise Hard("rests at a stop")
        y = np.array(y)
        y[0], y[2] = (high if which else low), -e * y[2]
        return (1 if min(pull(y), stretch(y)) > 0 else 0), y  # a rope that was tight may hang at once

    s0 = r.uniform(0, 0.02)
    start = [0.0, -s0 / R[1], w0, w0 * R[0] / R[1]]
    fine = np.linspace(0, 1, 40 * (ROWS - 1) + 1)  # slack and tight again within one row
    rows = follow(rate, start, 1 if pull(start) > 0 else 0, guards, jump, fine)[::40]
    law = f"if({R[0]!r}*a.angle - {R[1]!r}*b.angle > 0, max(0, {k!r}*({R[0]!r}*a.angle - {R[1]!r}*b.angle) + {c!r}*({R[0]!r}*a.rate - {R[1]!r}*b.rate)), 0)"
    model = {"gravity": [0, -G],
             "bodies": {"one": {"type": "planar", "mass": 1, "inertia": J[0], "angular_velocity": w0},
                        "two": {"type": "planar", "mass": 1, "inertia": J[1], "position": [2, 0], "angle": start[1], "angular_velocity": start[3]},
                        "load": {"type": "planar", "mass": m, "inertia": 1, "position": [3, R[1] * start[1]], "velocity": [0, R[1] * start[3]]}},
             "joints": {"a": {"type": "revolute", "b": "one", "at": [0, 0], "limits": [low, high], "restitution": e},
                        "b": {"type": "revolute", "b": "two", "at": [2, 0], "value": start[1]},
                        "rail": {"type": "prismatic", "b": "load", "axis": [0, 1, 0], "value": R[1] * start[1]},
                        "rope": {"type": "rack-pinion", "joint_a": "b", "joint_b": "rail", "radius": R[1]}},
             "signals": {"tight": law},
             "forces": {"motor": {"type": "motor", "joint": "a", "law": f"{T!r}*sin({w!r}*t) - {R[0]!r}*tight"},
                        "other": {"type": "motor", "joint": "b", "law": f"{R[1]!r}*tight"}}}
    return Case(model, times, {"a.angle": rows[:, 0], "b.angle": rows[:, 1], "a.angle_rate": rows[:, 2], "b.angle_rate": rows[:, 3]})


# ---- on the road and in the air ------------------------------------------------------------------


def robot(r):
    """A cart on two wheels that roll, with a motor each, on a slope; its weight is before or behind its axle."""
    at = Placed(r)
    M, Jc, m = r.uniform(2, 10), r.uniform(0.1, 1), r.uniform(0.2, 1)
    R, b, d = r.uniform(0.05, 0.2), r.uniform(0.1, 0.4), r.uniform(-0.2, 0.2)
    Js = 0.5 * m * R * R * r.uniform(0.7, 1.3)
    It = 0.55 * Js
    T, w, f = r.uniform(-3, 3, 2) * R * 3, r.uniform(1, 6, 2), r.uniform(0, 0.05, 2)
    lean, a0, v0, s0 = r.uniform(0, 0.4), r.uniform(-3, 3), r.uniform(-2, 2), r.uniform(-3, 3)
    times = np.linspace(0, 1, ROWS)
    slope = G * math.sin(lean)  # down the slope is -x
    along = M + 2 * m + 2 * Js / R**2
    about = Jc + M * d * d + 2 * m * b * b + 2 * It + 2 * Js * b * b / R**2
    effort = lambda i, t, spin: T[i] * math.sin(w[i] * t) - f[i] * spin

    # x, y of the axle's middle, heading, speed, turning, wheels
    def rate(t, y):
        v, s = y[3:5]
        wheel = [(v - b * s) / R, (v + b * s) / R]
        pushes = [effort(i, t, wheel[i]) / R for i in (0, 1)]
        dv = (M * d * s * s - (M + 2 * m) * slope * math.cos(y[2]) + sum(pushes)) / along
        ds = (-M * d * v * s + M * d * slope * math.sin(y[2]) + b * (pushes[1] - pushes[0])) / about
        return [v * math.cos(y[2]), v * math.sin(y[2]), s, dv, ds, *wheel]

    rows = smooth(rate, [0, 0, a0, v0, s0, 0, 0], times)
    u, n = np.array([math.cos(a0), math.sin(a0), 0]), np.array([-math.sin(a0), math.cos(a0), 0])
    whole = Rotation.from_matrix(at.turn)
    pose = {"quaternion": [float(x) for x in np.roll((whole * Rotation.from_euler("z", a0)).as_quat(), 1)]}
    bodies = {"cart": {"mass": M, "inertia": [Jc, Jc, Jc], "position": at.at(*(R * np.array([0, 0, 1]) + d * u)), "orientation": pose,
                       "velocity": at.along(*(v0 * u + s0 * d * n)), "angular_velocity": at.along(0, 0, s0)}}
    joints = {"road": {"type": "planar", "b": "cart", "at": at.at(0, 0, R), "axis": at.along(0, 0, 1), "coordinate": "angle", "value": a0}}
    forces = {}
    for i, side in enumerate((1, -1)):
        spot = side * b * n + [0, 0, R]
        turn = (v0 - side * b * s0) / R  # about n, by the right hand: forward is +x for +y
        bodies[f"wheel{i}"] = {"mass": m, "inertia": [It, Js, It], "position": at.at(*spot), "orientation": pose,
                               "velocity": at.along(*(turn * R * u)), "angular_velocity": at.along(*(turn * n + [0, 0, s0]))}
        joints[f"axle{i}"] = {"type": "revolute", "a": "cart", "b": f"wheel{i}", "at": at.at(*spot), "axis": at.along(*n)}
        joints[f"tread{i}"] = {"type": "rolling-disc", "b": f"wheel{i}", "at": at.at(*spot), "axis": at.along(*n), "normal": at.along(0, 0, 1),
                               "radius": R}
        forces[f"motor{i}"] = {"type": "motor", "joint": f"axle{i}", "law": f"{T[i]!r}*sin({w[i]!r}*t) - {f[i]!r}*rate"}
    model = {"gravity": at.along(-slope, 0, -G * math.cos(lean)), "bodies": bodies, "joints": joints, "forces": forces}
    where = np.array([at.at(x + d * math.cos(a), y + d * math.sin(a), R) for x, y, a in rows[:, :3]])
    return Case(model, times, {"cart.x": where[:, 0], "cart.y": where[:, 1], "cart.z": where[:, 2],
                               "axle0.angle": rows[:, 5], "axle1.angle": rows[:, 6], "road.angle": rows[:, 2]})


def caught(r):
    """A stone on a tether swings until it breaks, flies, and falls on a floor again and again."""
    L, m, e = r.uniform(0.5, 1.5), r.uniform(0.2, 2), r.uniform(0.2, 0.8)
    a0, w0 = r.uniform(0.8, 2.5) * r.choice([-1, 1]), r.uniform(-1, 1)
    pull = lambda y: m * (L * y[1] ** 2 + G * math.cos(y[0]))
    first = pull([a0, w0])
    if first < 0.3 * m * G:
        w0 = math.copysign(math.sqrt((0.5 * G - G * math.cos(a0)) / L + 1), -a0)
        first = pull([a0, w0])
    lowest = pull([0, math.sqrt(w0**2 + 2 * G / L * (1 - math.cos(a0)))])
    limit = first + (lowest - first) * r.uniform(0.1, 0.95)
    floor = -L * r.uniform(1.05, 1.8)
    times = np.linspace(0, 1.5, ROWS)

    def rate(mode, t, y):
        if mode == "hung":
            p, u = y[:2], y[2:]
            return [*u, *(np.array([0, -G]) - (u @ u + p @ [0, -G]) / (p @ p) * p)]
        return [y[2], y[3], 0, -G]

    def guards(mode):
        if mode == "hung":
            load = lambda y: m * (y[2:] @ y[2:] - G * y[1]) / L
            return [lambda t, y: limit - load(y), lambda t, y: load(y)]
        return [lambda t, y: y[1] - floor]

    def jump(mode, which, t, y):
        if mode == "hung":
            if which:
                raise Hard("slack")
            return "flies", np.array(y)
        if abs(y[3]) < 0.05:
            raise Hard("too slow")
        return mode, np.array([y[0], floor, y[2], -e * y[3]])

    start = np.array([L * math.sin(a0), -L * math.cos(a0), L * w0 * math.cos(a0), L * w0 * math.sin(a0)])
    rows = follow(rate, start, "hung", guards, jump, times)
    rope = r.random() < 0.5
    model = {"gravity": [0, -G], "bodies": {"stone": {"type": "planar-point", "mass": m, "position": start[:2].tolist(), "velocity": start[2:].tolist()}},
             "joints": {"tether": {"type": "rope" if rope else "distance", "b": "stone", "at": [0, 0], "at_b": start[:2].tolist(),
                                   "length": L, "breaks": float(limit)},
                        "floor": {"type": "stop", "b": "stone", "at": [0, floor], "at_b": start[:2].tolist(), "axis": [0, 1, 0], "restitution": e}}}
    if rope:  # joints that come and go cannot break
        model["joints"]["tether"] = {"type": "distance", "b": "stone", "at": [0, 0], "at_b": start[:2].tolist(), "breaks": float(limit)}
    return Case(model, times, {f"stone.{c}": rows[:, i] for i, c in enumerate(("x", "y", "vx", "vy"))})


# ---- linkages that fold flat ---------------------------------------------------------------------


def rhomb(r):
    """Four bars of two lengths, a kite or a rhomb, swung through the places where they lie on each other or in a line."""
    at = Placed(r)
    a = r.uniform(0.4, 0.8)
    m, J = r.uniform(0.3, 2, 2), r.uniform(0.02, 0.1, 2)
    g, spring = r.uniform(-4, 4), r.uniform(0, 5)
    q0, speed = r.uniform(0.3, 1.2), r.choice([0.3, 2.0, 8.0]) * r.choice([-1, 1])
    times = np.linspace(0, r.uniform(0.5, 1.2), ROWS)
    # two bars from the origin to either side by q from x, two on to a block that slides along x: x = 2 a cos q
    total = lambda q: 2 * (m[0] * a * a / 4 + J[0]) + 2 * (m[1] * (a * a / 4 + 2 * a * a * math.sin(q) ** 2) + J[1])
    slope = lambda q: 8 * m[1] * a * a * math.sin(q) * math.cos(q)
    force = lambda q: 2 * a * math.sin(q) * spring * (2 * a * math.cos(q) - a) - g * a * math.sin(q) * (m[0] + 3 * m[1])
    rows = smooth(lambda t, y: [y[1], (force(y[0]) - slope(y[0]) * y[1] ** 2 / 2) / total(y[0])], [q0, speed], times)
    inside = rows[:, 0]
    if np.max(abs(inside)) > 6:
        raise Hard("turns too far")
    whole = Rotation.from_matrix(at.turn)
    planar = r.random() < 0.5
    bodies, joints = {}, {}

    def body(name, m, J, x, y, angle, vx, vy, spin):
        if planar:
            bodies[name] = {"type": "planar", "mass": m, "inertia": J, "position": [x, y], "angle": angle, "velocity": [vx, vy], "angular_velocity": spin}
        else:
            bodies[name] = {"mass": m, "inertia": [J, J, J], "position": at.at(x, y, 0), "velocity": at.along(vx, vy, 0), "angular_velocity": at.along(0, 0, spin),
                            "orientation": {"quaternion": [float(c) for c in np.roll((whole * Rotation.from_euler("z", angle)).as_quat(), 1)]}}

    def pin(name, p, q, x, y):
        joints[name] = {"type": "revolute", "a": p, "b": q, "at": [x, y]} if planar else {
            "type": "revolute", "a": p, "b": q, "at": at.at(x, y, 0), "axis": at.along(0, 0, 1)}

    c, s, w = math.cos(q0), math.sin(q0), speed
    for side, name in ((1, "up"), (-1, "down")):
        body(name, m[0], J[0], a / 2 * c, side * a / 2 * s, side * q0, -a / 2 * s * w, side * a / 2 * c * w, side * w)
        body(name + "_rod", m[1], J[1], 1.5 * a * c, side * a / 2 * s, -side * q0, -1.5 * a * s * w, side * a / 2 * c * w, -side * w)
        pin(name + "_foot", "ground", name, 0, 0)
        pin(name + "_knee", name, name + "_rod", a * c, side * a * s)
    body("block", 1e-3, 1e-3, 2 * a * c, 0, 0, -2 * a * s * w, 0, 0)
    for side, name in ((1, "up"), (-1, "down")):
        pin(name + "_head", name + "_rod", "block", 2 * a * c, 0)
    joints["rail"] = {"type": "prismatic", "b": "block", "value": 2 * a * c} | ({"at": [2 * a * c, 0], "axis": [1, 0, 0]} if planar else {
        "at": at.at(2 * a * c, 0, 0), "axis": at.along(1, 0, 0)})
    block = 1e-3
    # the block's own mass and weight
    rows = smooth(lambda t, y: [y[1], (force(y[0]) - 2 * a * g * block * math.sin(y[0]) - (slope(y[0]) + 8 * a * a * block * math.sin(y[0]) * math.cos(y[0]))
                                       * y[1] ** 2 / 2) / (total(y[0]) + 4 * a * a * block * math.sin(y[0]) ** 2)], [q0, speed], times)
    model = {"gravity": [g, 0] if planar else at.along(g, 0, 0), "bodies": bodies, "joints": joints,
             "forces": {"spring": {"type": "spring", "joint": "rail", "stiffness": spring, "free": a}}}
    return Case(model, times, {"up_foot.angle": rows[:, 0] - q0, "up_foot.angle_rate": rows[:, 1], "rail.translation": 2 * a * np.cos(rows[:, 0])})


# ---- measured motions, long ones, sizes ----------------------------------------------------------


def measured_ride(r):
    """A pendulum hangs from a cart that follows a cubic table; another table with kinks pushes it."""
    n = int(r.integers(4, 12))
    knots = np.sort(r.uniform(0, 1.4, n))
    if np.min(np.diff(knots)) < 0.01:
        raise Hard("knots too close")
    heights = r.normal(size=n) * 0.1
    way = CubicSpline(knots, heights)
    pushes = np.sort(r.uniform(0, 1.4, n))
    values = r.normal(size=n) * 3
    if np.min(np.diff(pushes)) < 0.001:
        raise Hard("points too close")
    m, l, c = r.uniform(0.2, 2), r.uniform(0.3, 1), r.uniform(0, 0.2)
    j = m * l * l * r.uniform(0.05, 0.3)
    q0, w0 = r.uniform(-2, 2), r.uniform(-3, 3)
    times = np.linspace(knots[0], knots[-1], ROWS)
    t0 = knots[0]

    def cart(t):
        return way(t, 0), way(t, 1), way(t, 2)

    def rate(mode, t, y):
        return [y[1], (np.interp(t, pushes, values) - c * y[1] - m * l * (G * math.sin(y[0]) + cart(t)[2] * math.cos(y[0]))) / (j + m * l * l)]

    corners = sorted({*knots.tolist(), *pushes.tolist()})
    guards = lambda piece: [lambda t, y: corners[piece] - t] if piece < len(corners) else []
    first = sum(1 for x in corners if x <= t0)
    rows = follow(rate, [q0, w0], first, guards, lambda piece, which, t, y: (piece + 1, np.array(y)), times)
    shift = lambda pairs: [[float(t - t0), float(v)] for t, v in pairs]
    x, v, _ = cart(t0)
    model = {"gravity": [0, -G],
             "signals": {"way": {"table": shift(zip(knots, heights)), "interpolation": "cubic"},
                         "push": {"table": shift(zip(pushes, values)), "interpolation": "linear"}},
             "bodies": {"cart": {"type": "planar", "mass": 3, "inertia": 1, "position": [float(x), 0], "velocity": [float(v), 0]},
                        "rod": {"type": "planar", "mass": m, "inertia": j, "position": [float(x) + l * math.sin(q0), -l * math.cos(q0)], "angle": q0,
                                "velocity": [float(v) + l * w0 * math.cos(q0), l * w0 * math.sin(q0)], "angular_velocity": w0}},
             "joints": {"rail": {"type": "prismatic", "b": "cart", "axis": [1, 0, 0], "at": [float(x), 0], "value": float(x)},
                        "drive": {"type": "driver", "joint_a": "rail", "motion": "way"},
                        "hinge": {"type": "revolute", "a": "cart", "b": "rod", "at": [float(x), 0], "value": q0}},
             "forces": {"motor": {"type": "motor", "joint": "hinge", "law": f"push - {c!r}*rate"}}}
    return Case(model, times - t0, {"hinge.angle": rows[:, 0], "hinge.angle_rate": rows[:, 1], "cart.x": way(times)})


def hours(r):
    """A pendulum, or masses between springs, without any loss: what they do after an hour is known in closed form."""
    long = 10 ** r.uniform(1.5, 3.6)
    times = np.linspace(0, long, ROWS)
    if r.random() < 0.5:
        l, k = r.uniform(0.3, 2), r.uniform(0.1, 0.9)  # k: sine of half the largest angle
        w = math.sqrt(G / l)
        sn, cn, dn, _ = ellipj(w * times, k * k)
        angle, rate = 2 * np.arcsin(k * sn), 2 * k * w * cn
        model = {"gravity": [0, -G],
                 "bodies": {"bob": {"type": "planar", "mass": 1.5, "inertia": 0, "position": [0, -l], "angular_velocity": 2 * k * w,
                                    "velocity": [2 * k * w * l, 0]}},
                 "joints": {"hinge": {"type": "revolute", "b": "bob", "at": [0, 0]}}}
        model["bodies"]["bob"] |= {"inertia": 0.5, "mass": 1.0}
        # of a body: w^2 = m g l / (m l^2 + J)
        w = math.sqrt(G * l / (l * l + 0.5))
        sn, cn, dn, _ = ellipj(np.mod(w * times, 4 * ellipk(k * k)), k * k)
        angle, rate = 2 * np.arcsin(k * sn), 2 * k * w * cn
        model["bodies"]["bob"] |= {"angular_velocity": 2 * k * w, "velocity": [2 * k * w * l, 0]}
        return Case(model, times, {"hinge.angle": angle, "hinge.angle_rate": rate})
    n = int(r.integers(1, 4))
    m, k = r.uniform(0.5, 3, n), r.uniform(5, 60, n + 1)
    K = np.diag(k[:-1] + k[1:]) - np.diag(k[1:-1], 1) - np.diag(k[1:-1], -1)
    root = np.sqrt(m)
    values, vectors = np.linalg.eigh(K / root[:, None] / root[None, :])
    x0 = r.uniform(-0.3, 0.3, n)
    weight = vectors.T @ (root * x0)
    w = np.sqrt(values)
    x = np.array([(vectors @ (weight * np.cos(w * t))) / root for t in times])
    v = np.array([(vectors @ (-w * weight * np.sin(w * t))) / root for t in times])
    bodies = {f"b{i}": {"type": "planar", "mass": m[i], "inertia": 1, "position": [x0[i] + i, 0]} for i in range(n)}
    joints = {f"j{i}": {"type": "prismatic", "b": f"b{i}", "axis": [1, 0, 0], "value": x0[i]} for i in range(n)}
    forces = {f"s{i}": {"type": "spring", "a": f"b{i - 1}", "b": f"b{i}", "stiffness": k[i], "free": 1.0} for i in range(1, n)}
    forces |= {"first": {"type": "spring", "joint": "j0", "stiffness": k[0], "free": 0.0},
               "last": {"type": "spring", "joint": f"j{n - 1}", "stiffness": k[-1], "free": 0.0}}
    columns = {}
    for i in range(n):
        columns[f"j{i}.translation"], columns[f"j{i}.translation_rate"] = x[:, i], v[:, i]
    return Case({"bodies": bodies, "joints": joints, "forces": forces}, times, columns)


def heavy_and_light(r):
    """A chain of points on rods without mass, each up to a million times lighter or heavier than the next, from mm to 100 m."""
    n = int(r.integers(2, 4))
    m = np.cumprod([1.0, *10 ** r.uniform(-6, 2, n - 1)]) * 10 ** r.uniform(-3, 3)
    l = 10 ** r.uniform(-1, 1) * 10 ** r.uniform(-0.7, 0.7, n)
    q, w = r.uniform(-1, 1, n), np.zeros(n)
    below = np.cumsum(m[::-1])[::-1]
    fast = math.sqrt(G / l.min() * np.max(below[:-1] / m[:-1]))
    times = np.linspace(0, min(3, 30 / fast), ROWS)
    reach = lambda i, j: below[max(i, j)] * l[i] * l[j]

    def rate(t, y):
        q, w = y[:n], y[n:]
        A = np.array([[reach(i, j) * math.cos(q[i] - q[j]) for j in range(n)] for i in range(n)])
        f = np.array([-below[i] * G * l[i] * math.sin(q[i]) - sum(reach(i, j) * math.sin(q[i] - q[j]) * w[j] ** 2 for j in range(n)) for i in range(n)])
        d = np.sqrt(np.diag(A))
        return [*w, *(np.linalg.solve(A / d[:, None] / d[None, :], f / d) / d)]

    rows = smooth(rate, [*q, *w], times)
    points = lambda q: np.cumsum([[l[i] * math.sin(q[i]), -l[i] * math.cos(q[i])] for i in range(n)], axis=0)
    start = points(q)
    bodies = {f"p{i}": {"type": "planar-point", "mass": m[i], "position": start[i].tolist()} for i in range(n)}
    joints = {f"r{i}": {"type": "distance", "b": f"p{i}"} | ({"a": f"p{i - 1}"} if i else {"at": [0, 0]}) for i in range(n)}
    found = np.array([points(row[:n]) for row in rows])
    columns = {}
    for i in range(n):
        columns[f"p{i}.x"], columns[f"p{i}.y"] = found[:, i, 0], found[:, i, 1]
    size = float(np.sum(l))
    return Case({"gravity": [0, -G], "bodies": bodies, "joints": joints}, times, columns, size, size, apart=1e-8)


def flea(r):
    """Something tiny on something huge: a mass of nanograms on a spring of micrometres on the load of a crane."""
    L, l = 10 ** r.uniform(1, 3), 10 ** r.uniform(-6, -2)
    M, m = 10 ** r.uniform(2, 5), 10 ** r.uniform(-9, -3)
    q0 = r.uniform(0.02, 0.4) * r.choice([-1, 1])
    w = math.sqrt(G / L) * r.uniform(3, 40)
    k = m * w * w
    c = 2 * m * w * r.uniform(0, 0.2)
    x0 = l * r.uniform(-0.5, 0.5)
    times = np.linspace(0, 3 * 2 * math.pi / w, ROWS)
    J = 0.1 * M * L * L

    # the boom swings by q, the flea slides by x along it, outwards from its tip, beside a spring
    def rate(t, y):
        q, x, v, u = y
        far = L + x
        return [v, u, (-(M * L + m * far) * G * math.sin(q) - 2 * m * far * u * v) / (J + M * L * L + m * far * far),
                far * v * v + G * math.cos(q) - (k * x + c * u) / m]

    # at rest in the middle of its swing
    x1 = x0 + m * G * math.cos(q0) / k
    rows = smooth(rate, [q0, x1, 0, 0], times)
    s, co = math.sin(q0), math.cos(q0)
    model = {"gravity": [0, -G],
             "bodies": {"boom": {"type": "planar", "mass": M, "inertia": J, "position": [L * s, -L * co]},
                        "flea": {"type": "planar", "mass": m, "inertia": m * l * l, "position": [(L + x1) * s, -(L + x1) * co]}},
             "joints": {"hinge": {"type": "revolute", "b": "boom", "at": [0, 0], "value": q0},
                        "guide": {"type": "prismatic", "a": "boom", "b": "flea", "axis": [s, -co], "at": [(L + x1) * s, -(L + x1) * co], "value": x1}},
             "forces": {"hair": {"type": "spring", "joint": "guide", "stiffness": k, "damping": c, "free": 0.0}}}
    return Case(model, times, {"hinge.angle": rows[:, 0], "hinge.angle_rate": rows[:, 2], "guide.translation": rows[:, 1]}, size=L, speed=L * w / 10)


def hardly_fits(r):
    """A pendulum whose bearings are out of line by next to nothing, or a plate on cranks that are not quite as long."""
    gap = 10 ** r.uniform(-13, -6)
    at = Placed(r)
    n, m, l, c = int(r.integers(2, 4)), r.uniform(0.3, 3), r.uniform(0.3, 1), r.uniform(0, 0.3)
    J, q0, w0 = r.uniform(0.02, 0.2), r.uniform(-2, 2), r.uniform(-3, 3)
    g = r.normal(size=2) * 6
    times = np.linspace(0, 1, ROWS)
    about = lambda q, s: (s[0] * -math.sin(q) + s[1] * math.cos(q))
    rows = smooth(lambda t, y: [y[1], (m * l * about(y[0], g) - c * y[1]) / (J + m * l * l)], [q0, w0], times)
    joints = {}
    for i in range(n):
        off = gap * r.normal(size=3) if i else np.zeros(3)
        lean = gap * r.normal(size=2) if i else np.zeros(2)
        joints[f"bearing{i}"] = {"type": "revolute", "a": f"ground.f{i}", "b": f"rod.f{i}"}
        joints[f"bearing{i}"]["_"] = (off, lean)
    whole = Rotation.from_matrix(at.turn)
    quat = lambda rot: {"quaternion": [float(x) for x in np.roll(rot.as_quat(), 1)]}
    ground, frames = {}, {}
    for i, joint in enumerate(joints.values()):
        off, lean = joint.pop("_")
        ground[f"f{i}"] = {"position": at.at(*(np.array([0, 0, 0.4 * i]) + off)), "orientation": quat(whole * Rotation.from_rotvec([*lean, 0]))}
        frames[f"f{i}"] = {"position": [-l, 0, 0.4 * i], "orientation": {"quaternion": [1, 0, 0, 0]}}
    d = np.array([math.cos(q0), math.sin(q0), 0])
    model = {"gravity": at.along(*g, 0), "ground": {"frames": ground},
             "bodies": {"rod": {"mass": m, "inertia": [J, J, J], "position": at.at(*(l * d)), "orientation": quat(whole * Rotation.from_euler("z", q0)),
                                "velocity": at.along(-l * w0 * d[1], l * w0 * d[0], 0), "angular_velocity": at.along(0, 0, w0), "frames": frames}},
             "joints": joints,
             "forces": {"oil": {"type": "torsion-spring", "joint": "bearing0", "stiffness": 0, "damping": c, "free": 0}}}
    return Case(model, times, {"bearing0.angle": rows[:, 0], "bearing0.angle_rate": rows[:, 1]}, apart=20 * gap)


def hardly_equal(r):
    """A plate on cranks of which none is quite as long as the others, in the plane or in space on tilted hinges."""
    gap = 10 ** r.uniform(-13, -6.3)
    at, flat = Placed(r), r.random() < 0.5
    n, L, M = int(r.integers(3, 5)), r.uniform(0.4, 1), r.uniform(0.5, 4)
    m, J, q0, w0 = r.uniform(0.3, 2), r.uniform(0.02, 0.1), r.uniform(-2, 2), r.uniform(-4, 4)
    feet = np.column_stack([np.linspace(0, 1.5, n), r.uniform(-0.3, 0.3, n)])
    g, c, k = r.normal(size=2) * 6, r.uniform(0, 0.5), r.uniform(0, 20)
    inertia = n * (m * L * L / 4 + J) + M * L * L
    u = lambda q: np.array([math.cos(q), math.sin(q)])
    push = lambda q: (n * m / 2 + M) * L * (g[1] * math.cos(q) - g[0] * math.sin(q))
    times = np.linspace(0, 1, ROWS)
    rows = smooth(lambda t, y: [y[1], (push(y[0]) - k * (y[0] - q0) - c * y[1]) / inertia], [q0, w0], times)
    whole = Rotation.from_matrix(at.turn)
    quat = lambda angle: {"quaternion": [float(x) for x in np.roll((whole * Rotation.from_euler("z", angle)).as_quat(), 1)]}
    d, e = u(q0), np.array([-math.sin(q0), math.cos(q0)]) * w0 * L
    ground, bodies, joints = {}, {}, {}

    def body(name, mass, J, place, angle, v, spin, frames):
        if flat:
            bodies[name] = {"type": "planar", "mass": mass, "inertia": J, "position": place.tolist(), "angle": angle, "velocity": v.tolist(),
                            "angular_velocity": spin, "frames": {f: list(p) for f, p in frames.items()}}
        else:
            bodies[name] = {"mass": mass, "inertia": [J, J, J], "position": at.at(*place, 0), "orientation": quat(angle), "velocity": at.along(*v, 0),
                            "angular_velocity": at.along(0, 0, spin),
                            "frames": {f: {"position": [*p, 0], "orientation": {"quaternion": [1, 0, 0, 0]}} for f, p in frames.items()}}

    middle = feet.mean(axis=0)
    for i in range(n):
        long = L + (gap * r.normal() if i else 0)
        place = feet[i] + L / 2 * d
        body(f"crank{i}", m, J, place, q0, e / 2, w0, {"foot": [-L / 2, 0], "tip": [long - L / 2, 0]})
        ground[f"f{i}"] = feet[i].tolist() if flat else {"position": at.at(*feet[i], 0), "orientation": quat(0)}
        joints[f"foot{i}"] = {"type": "revolute", "a": f"ground.f{i}", "b": f"crank{i}.foot"}
        joints[f"tip{i}"] = {"type": "revolute", "a": f"crank{i}.tip", "b": f"plate.h{i}"}
    body("plate", M, 0.2, middle + L * d, 0.0, e, 0.0, {f"h{i}": (feet[i] - middle).tolist() for i in range(n)})
    model = {"gravity": g.tolist() if flat else at.along(*g, 0), "ground": {"frames": ground}, "bodies": bodies, "joints": joints,
             "forces": {"spring": {"type": "torsion-spring", "joint": "foot0", "stiffness": k, "damping": c, "free": 0.0 if flat else q0}}}
    # frames without axes say nothing of where an angle is zero
    return Case(model, times, {"foot0.angle": rows[:, 0] - (q0 if flat else 0), "foot0.angle_rate": rows[:, 1]}, apart=400 * gap)


def gaps_in_formulas(r):
    """A swing under laws that are 0/0, or have no slope, where it passes."""
    k, c = r.uniform(5, 40), r.uniform(0, 0.3)
    laws = [("sin(3*value)/(3*value)*value*10", lambda x: 10 * np.sinc(3 * x / math.pi) * x),
            ("(1 - cos(value))/value", lambda x: math.sin(x / 2) ** 2 * 2 / x if x else 0.0),
            ("sign(value)*abs(value)^1.5*20", lambda x: 20 * math.copysign(abs(x) ** 1.5, x)),
            ("tanh(4*value)/value*value", lambda x: math.tanh(4 * x)),
            ("if(value == 0, 0, value*log(abs(value)))*8", lambda x: 8 * x * math.log(abs(x)) if x else 0.0),
            ("sqrt(value^2 + 1e-6)", lambda x: math.sqrt(x * x + 1e-6)),
            ("(exp(value) - 1)/value", lambda x: math.expm1(x) / x if x else 1.0),
            ("value^3/(value^2 + 1e-8)", lambda x: x**3 / (x * x + 1e-8)),
            ("5*atan2(value, 0.01)", lambda x: 5 * math.atan2(x, 0.01)),
            ("3*sqrt(abs(value))*sign(value)", lambda x: 3 * math.copysign(math.sqrt(abs(x)), x))]
    which = r.choice(len(laws), 2, replace=False)
    m, x0, v0 = r.uniform(0.3, 2), r.choice([-1, 1]) * r.uniform(0.1, 1), r.uniform(-1, 1)
    times = np.linspace(0, 2, ROWS)
    text = f"-{k!r}*value - {c!r}*rate - ({laws[which[0]][0]}) + 0.3*({laws[which[1]][0]})"
    push = lambda x: -laws[which[0]][1](x) + 0.3 * laws[which[1]][1](x)
    rate = lambda mode, t, y: [y[1], (-k * y[0] - c * y[1] + push(y[0])) / m]
    # the reference ends its steps where it passes zero
    guards = lambda mode: [lambda t, y: mode * y[0]]

    def jump(mode, which, t, y):
        if abs(y[1]) < 1e-3:
            raise Hard("rests there")
        return -mode, np.array([-mode * 1e-17, y[1]])

    rows = follow(rate, [x0, v0], math.copysign(1, x0), guards, jump, times)
    model = {"bodies": {"block": {"type": "planar", "mass": m, "inertia": 1}},
             "joints": {"rail": {"type": "prismatic", "b": "block", "axis": [1, 0, 0], "value": x0}},
             "forces": {"law": {"type": "motor", "joint": "rail", "law": text}}}
    model["bodies"]["block"] |= {"position": [x0, 0], "velocity": [v0, 0]}
    return Case(model, times, {"rail.translation": rows[:, 0], "rail.translation_rate": rows[:, 1]})


WORDS = {name: getattr(np, name) for name in ("sin", "cos", "tanh", "log", "hypot", "sign", "sqrt")} | {
    "abs": np.abs, "max": np.maximum, "min": np.minimum, "asin": np.arcsin, "clamp": lambda x, a, b: np.minimum(np.maximum(x, a), b),
    "choose": lambda c, a, b: a if c else b}


def piece(r):
    """A part of a law, continuous, with kinks, steep places and pieces that do not go on beyond their end."""
    a, b, c, w, d = r.normal() * 2, r.normal() * r.choice([0, 0.5]), r.normal() * r.choice([0, 0.5]), r.uniform(1, 9), r.normal() * 0.5
    e = f"({a!r}*value + {b!r}*rate + {c!r}*sin({w!r}*t) + {d!r})"
    k, p = r.normal() * 8, r.choice([0.5, 0.8, 1, 1.5, 2.2, 3])
    return str(r.choice([
        f"{k!r}*max({e}, 0)^{p}", f"{k!r}*abs({e})^{p}*sign({e})", f"choose({e} > 0, {k!r}*sqrt({e})*{e}, 0)",
        f"choose({e} < 0.2, 0, {k!r}*({e} - 0.2)^1.5)", f"clamp({k!r}*{e}, -2, 3)", f"{k!r}*tanh(20*{e})", f"{k!r}*log(1 + abs({e}))",
        f"min({k!r}*{e}, 3*{e} + 1)", f"{k!r}*asin(clamp({e}, -1, 1))", f"{k!r}*hypot({e}, 0.01)", f"{k!r}*{e}/(abs({e}) + 0.05)",
        f"{k!r}*sqrt(abs({e}))*max({e}, -0.1)", f"{k!r}*log(max({e}, 0.3))", f"max(0, {k!r}*{e})*min({e}, 1)"]))


def spoken(r):
    """A mass under a law as users put it together."""
    k, c, m = r.uniform(10, 80), r.uniform(0.3, 2), r.uniform(0.3, 2)
    text = f"-{k!r}*value - {c!r}*rate + " + " + ".join(piece(r) for _ in range(int(r.integers(1, 4))))
    x0, v0 = r.normal() * 0.6, r.normal() * 2
    times = np.linspace(0, 1.5, ROWS)
    law = compile(text.replace("^", "**"), "law", "eval")

    def rate(t, y):
        with np.errstate(invalid="ignore", divide="ignore"):
            return [y[1], float(eval(law, WORDS, {"value": y[0], "rate": y[1], "t": t})) / m]

    def by(tol, step):
        found = solve_ivp(rate, (0, times[-1]), [x0, v0], method="DOP853", rtol=tol, atol=tol / 10, max_step=step, t_eval=times)
        if found.status:
            raise Hard("becomes unbounded")
        return found.y.T

    rows, coarse = by(1e-12, 1e-3), by(1e-10, 2.3e-3)
    apart = float(np.max(abs(rows - coarse)))
    if not np.all(np.isfinite(rows)) or apart > 1e-7 or np.max(abs(rows)) > 100:
        raise Hard("no better than the run")
    model = {"bodies": {"block": {"type": "planar", "mass": m, "inertia": 1, "position": [x0, 0], "velocity": [v0, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "block", "axis": [1, 0, 0], "value": x0}},
             "forces": {"law": {"type": "motor", "joint": "rail", "law": text.replace("choose(", "if(")}}}
    return Case(model, times, {"rail.translation": rows[:, 0], "rail.translation_rate": rows[:, 1]}, apart=2 * apart)


FAMILIES = [bent, gimbal, flywheel, drums, robot, caught, rhomb, measured_ride, hours, heavy_and_light, flea, hardly_fits, hardly_equal, gaps_in_formulas, spoken]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
