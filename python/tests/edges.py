"""At the edges: families as those of physics.py, of what is allowed but hardly ever used.

usage: edges.py BUILD FIRST LAST [FAMILY ...] [method=NAME[,OPTION=VALUE ...] ...] [OPTION=VALUE ...]     see physics.py

Gears whose ratio changes its sign, cranks that are led to a dead centre and left there, springs a thousand kilometres off the
hinge, balls between two walls of a ring, carts on a rope between stops, welds that share a load and give way one by one, fast
beside slow, samples, corners and switches on the recorded instants and on the very last, screws of next to no pitch, platforms
turned through the place where Euler's angles fail, drag seen from what moves, tides, oscillators that relax, states on
their way to infinity, and bushings turned far.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

from machines import Placed
from physics import G, ROWS, Case, Hard, command_line, follow, planar
from reduced import smooth

METHODS = ["default", "explicit", "baumgarte", "index3-alpha,rtol=1e-5", "index2-bdf", "energy-momentum", "default,coordinates=natural",
           "default,coordinates=relative", "default,coordinates=reference", "default,code=native"]


ZERO = {"position": [0, 0, 0], "orientation": {"quaternion": [1, 0, 0, 0]}}  # a frame whose axes are the body's


# ---- transmissions -------------------------------------------------------------------------------


def variator(r):
    """Two wheels in a gear whose ratio is a function of time and changes its sign, with springs and a motor."""
    J, k, c = r.uniform(0.1, 2, 2), r.uniform(0, 20, 2), r.uniform(0, 0.5, 2)
    n0, n1, w = r.uniform(-0.5, 0.5), r.uniform(0.5, 2), r.uniform(1, 6)
    T, f, q0, w0 = r.uniform(-4, 4), r.uniform(1, 6), r.uniform(-1, 1, 2), r.uniform(-4, 4)
    times = np.linspace(0, 2, ROWS)
    n = lambda t: (n0 + n1 * math.sin(w * t), n1 * w * math.cos(w * t))

    def rate(t, y):
        ratio, slope = n(t)
        second = ratio * y[2]
        effort = T * math.cos(f * t) - k[0] * y[0] - c[0] * y[2] + ratio * (-k[1] * y[1] - c[1] * second)
        return [y[2], second, (effort - J[1] * ratio * slope * y[2]) / (J[0] + J[1] * ratio * ratio)]

    rows = smooth(rate, [*q0, w0], times)
    text = f"({n0!r} + {n1!r}*sin({w!r}*t))"
    model = {"blocks": {"gear": {"coordinates": {"one": {"value": q0[0], "velocity": w0, "unit": "rad"},
                                                 "two": {"value": q0[1], "velocity": n(0)[0] * w0, "unit": "rad"}},
                                 "mass_matrix": [[J[0], 0], [0, J[1]]],
                                 "forces": {"one": f"{T!r}*cos({f!r}*t) - {k[0]!r}*one - {c[0]!r}*one.rate",
                                            "two": f"-{k[1]!r}*two - {c[1]!r}*two.rate"},
                                 "velocity_constraints": [f"two.rate = {text}*one.rate"]}}}
    return Case(model, times, {"gear.one": rows[:, 0], "gear.two": rows[:, 1]})


def fine_thread(r):
    """A flywheel on a spindle whose nut hardly advances, or gears of millions to one, against a spring on the slow side."""
    p = 10 ** r.uniform(-5, -1) * r.choice([-1, 1])
    J, q0, w0, w = r.uniform(0.05, 1), r.uniform(-1, 1), r.uniform(-5, 5), r.uniform(1, 6)
    other = J / p**2 * 10 ** r.uniform(-3, 0)  # mass, or inertia, on the slow side
    k, c = w * w * (J + other * p * p) / p**2, r.uniform(0, 1)
    T, f = r.uniform(-3, 3), r.uniform(1, 6)
    times = np.linspace(0, 2, ROWS)
    whole = J + other * p * p
    rows = smooth(lambda t, y: [y[1], (T * math.sin(f * t) - c * y[1] - k * p * p * y[0]) / whole], [q0, w0], times)
    screw = r.random() < 0.5
    bodies = {"wheel": {"type": "planar", "mass": 1, "inertia": J, "angle": q0, "angular_velocity": w0}}
    joints = {"axle": {"type": "revolute", "b": "wheel", "at": [0, 0], "value": q0}}
    if screw:
        bodies["nut"] = {"type": "planar", "mass": other, "inertia": 1, "position": [p * q0, 3], "velocity": [p * w0, 0]}
        joints |= {"rail": {"type": "prismatic", "b": "nut", "axis": [1, 0], "value": p * q0},
                   "thread": {"type": "rack-pinion", "joint_a": "axle", "joint_b": "rail", "radius": p}}
        spring = {"type": "spring", "joint": "rail", "stiffness": k, "free": 0.0}
    else:
        bodies["slow"] = {"type": "planar", "mass": 1, "inertia": other, "position": [0, 3], "angle": p * q0, "angular_velocity": p * w0}
        joints |= {"rail": {"type": "revolute", "b": "slow", "at": [0, 3], "value": p * q0},
                   "thread": {"type": "gear", "joint_a": "axle", "joint_b": "rail", "ratio": p}}
        spring = {"type": "torsion-spring", "joint": "rail", "stiffness": k, "free": 0.0}
    model = {"bodies": bodies, "joints": joints,
             "forces": {"spring": spring, "motor": {"type": "motor", "joint": "axle", "law": f"{T!r}*sin({f!r}*t) - {c!r}*rate"}}}
    slow = "rail.translation" if screw else "rail.angle"
    return Case(model, times, {"axle.angle": rows[:, 0], "axle.angle_rate": rows[:, 1], slow: p * rows[:, 0]})


# ---- what is led ---------------------------------------------------------------------------------


def step5(t, t0, a, t1, b):
    """smoothstep and its first two derivatives."""
    s = min(max((t - t0) / (t1 - t0), 0), 1)
    h, T = b - a, t1 - t0
    return (a + h * s**3 * (10 - 15 * s + 6 * s * s), h / T * 30 * (s * (1 - s)) ** 2, h / T**2 * 60 * s * (1 - s) * (1 - 2 * s))


def parked(r):
    """A slider-crank led to a dead centre, left there for a while and led away; a pendulum hangs from the slider."""
    at = Placed(r)
    a, l, L = r.uniform(0.1, 0.4), r.uniform(0.6, 1), r.uniform(0.2, 0.6)
    m, J, c, g = r.uniform(0.2, 2), r.uniform(0.005, 0.05), r.uniform(0, 0.1), r.normal(size=2) * 6
    q0, q1 = r.uniform(-2, 2), math.pi * int(r.integers(-1, 2))
    q2 = q1 + r.uniform(-2, 2)
    t1, t2, t3, t4 = 0.1, r.uniform(0.5, 0.7), r.uniform(0.8, 0.9), 1.3
    s0, v0 = r.uniform(-2, 2), r.uniform(-3, 3)
    times = np.linspace(0, 1.4, ROWS)

    def crank(t):
        one, two = step5(t, t1, q0, t2, q1), step5(t, t3, q1, t4, q2)
        return one[0] + two[0] - q1, one[1] + two[1], one[2] + two[2]

    def slider(q):
        """Place, and derivatives by q."""
        s, co = math.sin(q), math.cos(q)
        d = math.sqrt(l * l - a * a * s * s)
        return a * co + d, -a * s - a * a * s * co / d, -a * co - a * a * (co * co - s * s) / d - (a * a * s * co) ** 2 / d**3

    def rate(t, y):
        q, w, b = crank(t)
        _, x1, x2 = slider(q)
        X = x2 * w * w + x1 * b
        push = m * L * ((g[0] - X) * -math.sin(y[0]) + g[1] * math.cos(y[0])) - c * y[1]
        return [y[1], push / (J + m * L * L)]

    rows = follow(lambda mode, t, y: rate(t, y), [s0, v0], 0, lambda mode: [lambda t, y: [t1, t2, t3, t4, 9][mode] - t], lambda mode, w, t, y: (mode + 1, y), times)
    x0 = slider(q0)[0]
    flat = r.random() < 0.5
    bodies, joints = {}, {}
    whole = Rotation.from_matrix(at.turn)

    def body(name, mass, J, x, y, angle, v=(0, 0), spin=0.0):
        if flat:
            bodies[name] = {"type": "planar", "mass": mass, "inertia": J, "position": [x, y], "angle": angle, "velocity": list(v), "angular_velocity": spin}
        else:
            bodies[name] = {"mass": mass, "inertia": [J, J, J], "position": at.at(x, y, 0), "velocity": at.along(*v, 0), "angular_velocity": at.along(0, 0, spin),
                            "orientation": {"quaternion": [float(k) for k in np.roll((whole * Rotation.from_euler("z", angle)).as_quat(), 1)]}}

    def pin(name, p, q, x, y, **more):
        joints[name] = {"type": "revolute", "a": p, "b": q} | more | ({"at": [x, y]} if flat else {"at": at.at(x, y, 0), "axis": at.along(0, 0, 1)})

    tip = np.array([a * math.cos(q0), a * math.sin(q0)])
    body("crank", 1.0, 0.1, 0.0, 0.0, q0)
    body("rod", 0.5, 0.1, *(tip + [x0, 0]) / 2, math.atan2(-tip[1], x0 - tip[0]))
    body("block", 1.0, 0.1, x0, 0.0, 0.0)
    body("bob", m, J, x0 + L * math.cos(s0), L * math.sin(s0), s0, (-L * v0 * math.sin(s0), L * v0 * math.cos(s0)), v0)
    pin("shaft", "ground", "crank", 0.0, 0.0, value=q0)
    pin("knee", "crank", "rod", *tip)
    pin("wrist", "rod", "block", x0, 0.0)
    pin("swing", "block", "bob", x0, 0.0, value=s0)
    joints["rail"] = {"type": "prismatic", "b": "block", "value": x0} | ({"at": [x0, 0], "axis": [1, 0]} if flat else {"at": at.at(x0, 0, 0), "axis": at.along(1, 0, 0)})
    joints["lead"] = {"type": "driver", "joint_a": "shaft", "motion": f"smoothstep(t, {t1!r}, {q0!r}, {t2!r}, {q1!r}) + smoothstep(t, {t3!r}, {q1!r}, {t4!r}, {q2!r}) - {q1!r}"}
    model = {"gravity": g.tolist() if flat else at.along(*g, 0), "bodies": bodies, "joints": joints,
             "forces": {"oil": {"type": "torsion-spring", "joint": "swing", "stiffness": 0, "damping": c, "free": 0}}}
    x = np.array([slider(crank(t)[0])[0] for t in times])
    return Case(model, times, {"swing.angle": rows[:, 0], "swing.angle_rate": rows[:, 1], "rail.translation": x})


def platform(r):
    """A pendulum on a platform whose roll, pitch and yaw are led, past and close to where they fail."""
    kinds = ["yaw", "pitch", "roll"]
    b0, b1, w = r.uniform(-0.6, 0.6, 3), r.uniform(0.1, 0.8, 3), r.uniform(0.5, 4, 3)
    top = math.pi / 2 - 10 ** r.uniform(-5, -0.5)  # how far the pitch comes
    b1[1] = top - b0[1]
    m, L, J, c = r.uniform(0.2, 2), r.uniform(0.3, 1), r.uniform(0.01, 0.2), r.uniform(0, 0.3)
    g, s0, v0 = r.normal(size=3) * 6, r.uniform(-2, 2), r.uniform(-3, 3)
    times = np.linspace(0, 1.2, ROWS)

    def led(t):
        """Turn, angular velocity and its rate, world axes."""
        q, q1, q2 = b0 + b1 * np.sin(w * t), b1 * w * np.cos(w * t), -b1 * w * w * np.sin(w * t)
        turn = Rotation.from_euler("ZYX", q)
        z, y = np.array([0, 0, 1.0]), Rotation.from_euler("Z", q[0]).apply([0, 1.0, 0])
        x = turn.apply([1.0, 0, 0])
        one = q1[0] * z
        two = one + q1[1] * y
        return turn, two + q1[2] * x, q2[0] * z + q2[1] * y + q2[2] * x + q1[1] * np.cross(one, y) + q1[2] * np.cross(two, x)

    def rate(t, y):
        turn, W, A = led(t)
        axis = turn.apply([0, 0, 1.0])
        p = turn.apply([L * math.cos(y[0]), L * math.sin(y[0]), 0])
        along = np.cross(axis, p)
        spin = W + y[1] * axis
        rest = A + y[1] * np.cross(W, axis)
        push = m * (g - np.cross(rest, p) - np.cross(spin, np.cross(spin, p))) @ along - J * (rest @ axis) - c * y[1]
        return [y[1], push / (m * L * L + J)]

    rows = smooth(rate, [s0, v0], times)
    turn, W, _ = led(0)
    local = turn * Rotation.from_euler("z", s0)
    p, spin = local.apply([L, 0, 0]), W + v0 * turn.apply([0, 0, 1.0])
    quat = lambda rot: {"quaternion": [float(x) for x in np.roll(rot.as_quat(), 1)]}
    motions = {kind: f"{b0[i]!r} + {b1[i]!r}*sin({w[i]!r}*t)" for i, kind in enumerate(kinds)}
    joints = {"ball": {"type": "spherical", "a": "ground.zero", "b": "deck.zero"},  # frames say where angles are zero
              "swing": {"type": "revolute", "a": "deck", "b": "bob", "at": [0, 0, 0], "axis": turn.apply([0, 0, 1.0]).tolist(), "value": s0}}
    of_joint = r.random() < 0.5
    if of_joint:
        joints["ball"]["angles"] = True
    for kind in kinds:
        joints[kind] = {"type": "driver", "coordinate": kind, "motion": motions[kind]} | ({"joint_a": "ball"} if of_joint else {"b": "deck"})
    model = {"gravity": g.tolist(), "joints": joints, "ground": {"frames": {"zero": ZERO}},
             "bodies": {"deck": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "orientation": quat(turn), "angular_velocity": W.tolist(), "frames": {"zero": ZERO}},
                        "bob": {"mass": m, "inertia": [J, J, J], "position": p.tolist(), "velocity": np.cross(spin, p).tolist(),
                                "orientation": quat(local), "angular_velocity": spin.tolist()}},
             "forces": {"oil": {"type": "torsion-spring", "joint": "swing", "stiffness": 0, "damping": c, "free": 0}}}
    places = np.array([led(t)[0].apply([L * math.cos(y[0]), L * math.sin(y[0]), 0]) for t, y in zip(times, rows)])
    return Case(model, times, {"swing.angle": rows[:, 0], "swing.angle_rate": rows[:, 1]} | {f"bob.{k}": places[:, i] for i, k in enumerate("xyz")})


def euler_motors(r):
    """A ball on a joint with motors along roll, pitch and yaw, which are no axes at right angles."""
    J, k, c = r.uniform(0.05, 0.5), r.uniform(1, 10, 3), r.uniform(0, 0.5, 3)
    T, f, q0, v0 = r.uniform(-2, 2, 3), r.uniform(1, 6, 3), r.uniform(-0.9, 0.9, 3), r.uniform(-2, 2, 3)
    times = np.linspace(0, 1.5, ROWS)

    def axes(q, v):
        """From rates of yaw, pitch and roll to the angular velocity, and its rate."""
        z, y = np.array([0, 0, 1.0]), np.array([-math.sin(q[0]), math.cos(q[0]), 0])
        x = np.array([math.cos(q[0]) * math.cos(q[1]), math.sin(q[0]) * math.cos(q[1]), -math.sin(q[1])])
        dy = np.cross(v[0] * z, y)
        dx = np.cross(v[0] * z + v[1] * y, x)
        return np.column_stack([z, y, x]), np.column_stack([0 * z, dy, dx])

    def rate(t, s):
        q, v = s[:3], s[3:]
        if abs(q[1]) > 1.4:
            raise Hard("fails")
        E, dE = axes(q, v)
        effort = T * np.sin(f * t) - k * q - c * v
        return [*v, *np.linalg.solve(E, np.linalg.solve(E.T, effort) / J - dE @ v)]

    rows = smooth(rate, [*q0, *v0], times)
    turn = Rotation.from_euler("ZYX", q0)
    kinds = ["yaw", "pitch", "roll"]
    kind = {"type": "spherical", "angles": True} if r.random() < 0.5 else {"type": "generic", "locked": ["x", "y", "z"]}
    model = {"bodies": {"ball": {"mass": 1, "inertia": [J, J, J], "orientation": {"quaternion": [float(x) for x in np.roll(turn.as_quat(), 1)]},
                                 "angular_velocity": (axes(q0, v0)[0] @ v0).tolist()}},
             "joints": {"hip": kind | {"a": "ground.zero", "b": "ball.zero"}},
             "forces": {name: {"type": "motor", "joint": "hip", "coordinate": name, "law": f"{T[i]!r}*sin({f[i]!r}*t) - {k[i]!r}*value - {c[i]!r}*rate"}
                        for i, name in enumerate(kinds)},
             "ground": {"frames": {"zero": ZERO}}}
    model["bodies"]["ball"]["frames"] = {"zero": ZERO}
    spin = np.array([axes(s[:3], s[3:])[0] @ s[3:] for s in rows])
    return Case(model, times, {f"hip.{name}": rows[:, i] for i, name in enumerate(kinds)} | {f"ball.w{k}": spin[:, i] for i, k in enumerate("xyz")})


def carousel(r):
    """A block on a disc that is turned faster and slower, held by motors along x and y of the disc, and turned itself."""
    m, J, k, c = r.uniform(0.2, 2), r.uniform(0.01, 0.1), r.uniform(10, 60, 2), r.uniform(0, 1, 2)
    w0, w1, f = r.uniform(-8, 8), r.uniform(0, 3), r.uniform(1, 6)
    x0, u0, kt = r.uniform(-0.5, 0.5, 2), r.uniform(-1, 1, 2), r.uniform(0, 2)
    g = r.normal(size=2) * 4
    times = np.linspace(0, 1.5, ROWS)
    turn = lambda t: (w0 * t + w1 * math.sin(f * t), w0 + w1 * f * math.cos(f * t), -w1 * f * f * math.sin(f * t))

    def rate(t, s):
        a, w, b = turn(t)
        x, y, u, v = s[:4]
        gx, gy = math.cos(a) * g[0] + math.sin(a) * g[1], -math.sin(a) * g[0] + math.cos(a) * g[1]
        return [u, v, 2 * w * v + w * w * x + b * y + gx - (k[0] * x + c[0] * u) / m,
                -2 * w * u + w * w * y - b * x + gy - (k[1] * y + c[1] * v) / m, s[5], -b - kt * s[4] / J]

    rows = smooth(rate, [*x0, *u0, 0.3, 0], times)
    w = turn(0)[1]
    pose = {"quaternion": [math.cos(0.15), 0, 0, math.sin(0.15)]}
    u = u0 + w * np.array([-x0[1], x0[0]])
    model = {"gravity": [*g.tolist(), 0],
             "bodies": {"disc": {"mass": 1, "inertia": [1, 1, 1], "angular_velocity": [0, 0, w], "frames": {"hub": ZERO}},
                        "block": {"mass": m, "inertia": [J, J, J], "position": [*x0.tolist(), 0], "orientation": pose, "velocity": [*u.tolist(), 0],
                                  "angular_velocity": [0, 0, w], "frames": {"mid": ZERO}}},
             "joints": {"axle": {"type": "revolute", "b": "disc", "at": [0, 0, 0], "axis": [0, 0, 1]},
                        "lead": {"type": "driver", "joint_a": "axle", "motion": f"{w0!r}*t + {w1!r}*sin({f!r}*t)"},
                        "slab": {"type": "planar", "a": "disc.hub", "b": "block.mid"}},
             "forces": {n: {"type": "motor", "joint": "slab", "coordinate": n, "law": f"-{k[i]!r}*value - {c[i]!r}*rate"} for i, n in enumerate("xy")}
             | {"twist": {"type": "motor", "joint": "slab", "coordinate": "angle", "law": f"-{kt!r}*value"}}}
    return Case(model, times, {"slab.x": rows[:, 0], "slab.y": rows[:, 1], "slab.angle": rows[:, 4]})


# ---- far, fast and slow --------------------------------------------------------------------------


def remote(r):
    """A pendulum with springs and dampers from up to a thousand kilometres off its hinge, and a tip as far."""
    D = 10 ** r.uniform(2, 6)
    turn = r.uniform(0, 2 * math.pi)
    far = D * np.array([math.cos(turn), math.sin(turn)])  # in the body's axes
    J, m, l, q0, w0 = r.uniform(0.1, 1), r.uniform(0.2, 2), r.uniform(0.1, 1), r.uniform(-1, 1), r.uniform(-3, 3)
    whole = J + m * l * l
    k = whole * r.uniform(1, 8) ** 2 / D**2
    c = r.uniform(0, 1) * whole / D**2
    rot = lambda q: np.array([[math.cos(q), -math.sin(q)], [math.sin(q), math.cos(q)]])
    anchor = rot(r.uniform(-1.5, 1.5)) @ far * r.uniform(0.5, 1.5)
    free = D * r.uniform(0, 0.3)
    g = r.normal(size=2) * 6
    times = np.linspace(0, 1.5, ROWS)

    def rate(t, y):
        p = rot(y[0]) @ far
        across = np.array([-p[1], p[0]])
        d = p - anchor
        long = np.linalg.norm(d)
        if long < 0.05 * D:
            raise Hard("the spring has no direction")
        n = d / long
        pull = k * (long - free) + c * y[1] * (across @ n)
        return [y[1], (-pull * (n @ across) + m * l * (-g[0] * math.sin(y[0]) + g[1] * math.cos(y[0]))) / whole]

    rows = smooth(rate, [q0, w0], times)
    place = l * np.array([math.cos(q0), math.sin(q0)])
    model = {"gravity": g.tolist(), "ground": {"frames": {"anchor": anchor.tolist()}},
             "bodies": {"arm": {"type": "planar", "mass": m, "inertia": J, "position": place.tolist(), "angle": q0,
                                "velocity": [-w0 * place[1], w0 * place[0]], "angular_velocity": w0,
                                "frames": {"far": (far - [l, 0]).tolist(), "hinge": [-l, 0]}}},
             "joints": {"hinge": {"type": "revolute", "b": "arm.hinge", "value": q0}},
             "forces": {"wire": {"type": "spring", "a": "ground.anchor", "b": "arm.far", "stiffness": k, "damping": c, "free": free}}}
    return Case(model, times, {"hinge.angle": rows[:, 0], "hinge.angle_rate": rows[:, 1]}, apart=1e-8)


def two_worlds(r):
    """A pendulum and, with nothing between them, something that vibrates hundreds of times faster, much smaller or larger."""
    l, a0, v0, c = r.uniform(0.2, 3), r.uniform(-2.5, 2.5), r.uniform(-2, 2), r.uniform(0, 0.3)
    w, z, size = 10 ** r.uniform(1.5, 3.3), r.choice([0, r.uniform(0, 0.05)]), 10 ** r.uniform(-5, 4)
    m, M = 10 ** r.uniform(-4, 4), 10 ** r.uniform(-4, 4)
    times = np.linspace(0, 1, ROWS)
    slow = smooth(lambda t, y: [y[1], -G / l * math.sin(y[0]) - c * y[1]], [a0, v0], times)
    d, e = z * w, w * math.sqrt(1 - z * z)
    x = np.array([size * math.exp(-d * t) * (math.cos(e * t) + d / e * math.sin(e * t)) for t in times])
    model = {"gravity": [0, -G],
             "bodies": {"bob": planar(M, (l * math.sin(a0), -l * math.cos(a0)), (l * v0 * math.cos(a0), l * v0 * math.sin(a0))),
                        "fly": {"type": "planar", "mass": m, "inertia": m, "position": [size, 5]}},
             "joints": {"rod": {"type": "distance", "b": "bob", "at": [0, 0], "length": l},
                        "rail": {"type": "prismatic", "b": "fly", "axis": [1, 0], "value": size}},
             "forces": {"hair": {"type": "spring", "joint": "rail", "stiffness": m * w * w, "damping": 2 * z * m * w, "free": 0.0},
                        "air": {"type": "drag", "b": "bob", "viscous": c * M}}}
    return Case(model, times, {"bob.x": l * np.sin(slow[:, 0]), "bob.y": -l * np.cos(slow[:, 0]), "rail.translation": x}, size=max(l, size))


def tides(r):
    """Two stones on a bar in a field that falls with the square of the distance, in other units each time."""
    size = 10 ** r.uniform(-3, 7)
    mu = size**3 * 10 ** r.uniform(-1, 1)
    m, L = r.uniform(0.1, 3, 2), size * r.uniform(0.05, 0.6)
    s, v = r.uniform(-3, 3), math.sqrt(mu / size) * r.uniform(0.8, 1.1)
    T = math.sqrt(size**3 / mu)
    w0 = r.uniform(-3, 3) / T
    times = np.linspace(0, 3 * T, ROWS)
    total, reduced = m.sum(), m[0] * m[1] / m.sum()
    arms = np.array([-m[1], m[0]]) / total * L

    def rate(t, y):
        n = np.array([math.cos(y[2]), math.sin(y[2])])
        p = [y[:2] + arm * n for arm in arms]
        f = [-mu * mass * x / np.linalg.norm(x) ** 3 for mass, x in zip(m, p)]
        spin = sum(arm * (n[0] * F[1] - n[1] * F[0]) for arm, F in zip(arms, f))
        return [*y[3:], *(sum(f) / total), spin / (reduced * L * L)]

    # in units in which all is near one
    unit = np.array([size, size, 1, size / T, size / T, 1 / T])
    rows = smooth(lambda t, y: np.array(rate(t * T, np.array(y) * unit)) / unit * T, np.array([size, 0, s, 0, v, w0]) / unit, times / T) * unit
    n, e = np.array([math.cos(s), math.sin(s)]), np.array([-math.sin(s), math.cos(s)])
    bodies, columns = {}, {}
    for i, arm in enumerate(arms):
        bodies[f"p{i}"] = planar(m[i], np.array([size, 0]) + arm * n, np.array([0, v]) + arm * w0 * e)
        columns[f"p{i}.x"], columns[f"p{i}.y"] = rows[:, 0] + arm * np.cos(rows[:, 2]), rows[:, 1] + arm * np.sin(rows[:, 2])
    model = {"gravity": [f"-{mu!r}*x/hypot(x, y)^3", f"-{mu!r}*y/hypot(x, y)^3"], "bodies": bodies,
             "joints": {"bar": {"type": "distance", "a": "p0", "b": "p1"}}}
    return Case(model, times, columns, size=size, speed=size / T, time=T)


# ---- blows ---------------------------------------------------------------------------------------


def annulus(r):
    """A ball in a ring: it must stay outside one circle and inside another, and bounces between them."""
    low, high = r.uniform(0.2, 0.6), r.uniform(0.9, 1.6)
    e, f, g = r.uniform(0.5, 1), r.uniform(0.5, 1), r.choice([0, r.uniform(1, 9)])
    angle, far = r.uniform(-3, 3), r.uniform(low + 0.05, high - 0.05)
    start, v = far * np.array([math.cos(angle), math.sin(angle)]), r.normal(size=2) * 2.5
    times = np.linspace(0, 1.2, ROWS)

    def jump(mode, which, t, y):
        p, u = y[:2], y[2:]
        n = p / np.linalg.norm(p)
        fast = u @ n
        if abs(fast) < 0.1:
            raise Hard("grazes")
        return mode, np.array([*p, *(u - (1 + (f if which else e)) * fast * n)])

    guards = lambda mode: [lambda t, y: np.hypot(y[0], y[1]) - low, lambda t, y: high - np.hypot(y[0], y[1])]
    rows = follow(lambda mode, t, y: [y[2], y[3], 0, -g], [*start, *v], 0, guards, jump, times)
    if np.any(np.hypot(rows[:, 0], rows[:, 1]) > high + 1e-9) or np.any(np.hypot(rows[:, 0], rows[:, 1]) < low - 1e-9):
        raise Hard("the reference misses a blow")
    model = {"gravity": [0, -float(g)], "bodies": {"ball": planar(r.uniform(0.1, 3), start, v)},
             "joints": {"core": {"type": "apart", "b": "ball", "at": [0, 0], "at_b": start.tolist(), "length": low, "restitution": e},
                        "wall": {"type": "rope", "b": "ball", "at": [0, 0], "at_b": start.tolist(), "length": high, "restitution": f}}}
    return Case(model, times, {f"ball.{k}": rows[:, i] for i, k in enumerate(("x", "y", "vx", "vy"))})


def tethered(r):
    """Two carts on one rail, on a rope and kept apart, each between its own stops; the first on a spring."""
    m, L, near = r.uniform(0.3, 3, 2), r.uniform(0.6, 1.2), r.uniform(0.05, 0.3)
    ends = np.array([[-r.uniform(0.3, 0.8), r.uniform(0.3, 0.8)], [0.0, 0.0]])
    x = np.array([0.0, r.uniform(near + 0.05, L - 0.05)])
    ends[1] = x[1] - r.uniform(0.1, 0.4), x[1] + r.uniform(0.3, 1)
    e, v = r.uniform(0.3, 1, 6), r.uniform(-3, 3, 2)
    k, F, w = r.uniform(0, 40), r.uniform(-5, 5), r.uniform(2, 9)
    times = np.linspace(0, 1.2, ROWS)
    rate = lambda mode, t, y: [y[2], y[3], -k * y[0] / m[0], F * math.sin(w * t) / m[1]]
    guards = lambda mode: [lambda t, y: y[0] - ends[0, 0], lambda t, y: ends[0, 1] - y[0], lambda t, y: y[1] - ends[1, 0], lambda t, y: ends[1, 1] - y[1],
                           lambda t, y: L - (y[1] - y[0]), lambda t, y: y[1] - y[0] - near]

    def jump(mode, which, t, y):
        y = np.array(y)
        if which < 4:
            i = 2 + which // 2
            if abs(y[i]) < 0.1:
                raise Hard("too slow")
            y[i] *= -e[which]
        else:
            fast = y[3] - y[2]
            if abs(fast) < 0.1:
                raise Hard("too slow")
            blow = -(1 + e[which]) * fast / (1 / m[0] + 1 / m[1])
            y[2], y[3] = y[2] - blow / m[0], y[3] + blow / m[1]
        if sum(abs(g(t, y)) < 1e-4 for g in guards(0)) > 1:
            raise Hard("two at once")
        return mode, y

    rows = follow(rate, [*x, *v], 0, guards, jump, times)
    bodies, joints = {}, {}
    for i in (0, 1):
        bodies[f"c{i}"] = {"type": "planar", "mass": m[i], "inertia": 1, "position": [x[i], 0], "velocity": [v[i], 0]}
        joints[f"r{i}"] = {"type": "prismatic", "b": f"c{i}", "axis": [1, 0], "value": x[i]}
        for j, side in enumerate(("lower", "upper")):
            joints[f"{side}{i}"] = {"type": "limit", "joint_a": f"r{i}", side: ends[i, j], "restitution": e[2 * i + j]}
    joints["rope"] = {"type": "rope", "a": "c0", "b": "c1", "length": L, "restitution": e[4]}
    joints["apart"] = {"type": "apart", "a": "c0", "b": "c1", "length": near, "restitution": e[5]}
    model = {"bodies": bodies, "joints": joints,
             "forces": {"spring": {"type": "spring", "joint": "r0", "stiffness": k, "free": 0.0},
                        "push": {"type": "motor", "joint": "r1", "law": f"{F!r}*sin({w!r}*t)"}}}
    return Case(model, times, {"r0.translation": rows[:, 0], "r1.translation": rows[:, 1], "r0.translation_rate": rows[:, 2], "r1.translation_rate": rows[:, 3]})


def welds(r):
    """A block on several welds at one place, which share its load by their stiffness and break one after the other; then it flies."""
    n, m = int(r.integers(2, 5)), r.uniform(0.3, 3)
    s = r.uniform(0.2, 2, n)
    g, d = r.normal(size=3) * 4, r.normal(size=3)
    F = r.uniform(20, 60)
    d /= np.linalg.norm(d)
    load = lambda t: m * g + F * t * d
    first = np.linalg.norm(load(0))
    limits = s / s.sum() * first * r.uniform(1.1, 2, n) + F * r.uniform(0.05, 0.3, n)
    there = list(range(n))
    t = 0.0
    fine = np.linspace(0, 2, 200001)
    loads = np.linalg.norm(m * g + F * fine[:, None] * d, axis=1)
    while there:  # the next to break, under what the ones left bear
        when = []
        for i in there:
            share = s[i] / s[there].sum()
            over = np.nonzero((loads * share >= limits[i]) & (fine >= t))[0]
            if not len(over):
                raise Hard("does not break")
            k = over[0]
            # exactly: |m g + F t d| share = limit
            b, c = m * g @ d / F, (m * m * g @ g - (limits[i] / share) ** 2) / F**2
            when.append((t if fine[k] - t < 1.5e-5 else -b + math.sqrt(b * b - c), i))
        t, i = min(when)
        there.remove(i)
    if not 0.05 < t < 1.2:
        raise Hard("too early or late")
    times = np.linspace(0, t + 0.5, ROWS)
    rows = []
    for x in times:
        h = max(x - t, 0)
        v = (load(t) * h + F * d * h * h / 2) / m
        rows.append([*(load(t) * h * h / 2 / m + F * d * h**3 / 6 / m), *v])
    rows = np.array(rows)
    model = {"gravity": g.tolist(), "bodies": {"block": {"mass": m, "inertia": [0.1, 0.2, 0.25]}},
             "joints": {f"weld{i}": {"type": "fixed", "b": "block", "stiffness": s[i], "breaks": limits[i]} for i in range(n)},
             "forces": {"pull": {"type": "force", "b": "block", "force": [f"{F * x!r}*t" for x in d.tolist()]}}}
    return Case(model, times, {f"block.{k}": rows[:, i] for i, k in enumerate(("x", "y", "z", "vx", "vy", "vz"))})


# ---- instants ------------------------------------------------------------------------------------


def on_the_row(r):
    """A cart led by samples that are taken at the recorded instants, act at them too, with switches and corners of tables there."""
    rows_of = 12
    T = float(r.choice([0.1, 1 / 12, 0.07, 1 / 3 / 8]))
    times = T * np.arange(rows_of + 1)
    period = T * float(r.choice([1, 2, 0.5, 3]))
    late = period * float(r.choice([0, 1, 0.5, 2]))
    m, kp, kd, x0, v0 = r.uniform(0.5, 2), r.uniform(1, 20), r.uniform(0.2, 3), r.uniform(-1, 1), r.uniform(-1, 1)
    at = times[int(r.integers(1, rows_of))]
    end = times[-1]
    kick, slope = r.uniform(-5, 5), r.uniform(-5, 5)
    points = [[0.0, 0.0], [float(times[4]), float(r.uniform(-2, 2))], [float(times[8]), float(r.uniform(-2, 2))], [float(end), 0.0]]
    table = lambda t: np.interp(t, *np.array(points).T)
    u, queue, k = 0.0, [], 0
    y, t = np.array([x0, v0]), 0.0
    marks = sorted({round(x, 12) for x in [*times, *(period * np.arange(int(end / period) + 2)), *(period * np.arange(int(end / period) + 2) + late), at, *[p[0] for p in points]] if 0 < x <= end * (1 + 1e-12)})
    found = {0.0: y.copy()}
    for goal in marks:
        if t >= k * period - 1e-10:
            queue.append((k * period + late, -kp * y[0] - kd * y[1]))
            k += 1
        while queue and queue[0][0] <= t + 1e-10:
            u = queue.pop(0)[1]
        push = lambda s: (u + (kick if t > at - 1e-10 else 0) + slope * max(0, s - end / 2) + table(s)) / m
        reach = solve_ivp(lambda s, z: [z[1], push(s)], (t, goal), y, method="DOP853", rtol=1e-12, atol=1e-13, max_step=T / 4)
        t, y = goal, reach.y[:, -1]
        found[goal] = y.copy()
    rows = np.array([min(found.items(), key=lambda f: abs(f[0] - x))[1] for x in times])
    model = {"bodies": {"cart": {"type": "planar", "mass": m, "inertia": 1, "position": [x0, 0], "velocity": [v0, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "cart", "axis": [1, 0], "value": x0}},
             "signals": {"told": {"table": points}},
             "controllers": {"hand": {"period": period, "formula": f"-{kp!r}*rail.translation - {kd!r}*rail.translation_rate"} | ({"delay": late} if late else {})},
             "forces": {"push": {"type": "motor", "joint": "rail", "law": f"hand + told + if(t >= {at!r}, {kick!r}, 0) + {slope!r}*max(0, t - {end / 2!r})"}}}
    return Case(model, times, {"rail.translation": rows[:, 0], "rail.translation_rate": rows[:, 1]})


def last_instant(r):
    """Things that happen in the very first and the very last instant, or a hair before and after."""
    end = float(r.choice([1.0, 0.7, 1 / 3, 1.1]))
    hair = float(r.choice([0, 1e-15, 1e-12, 1e-9, 1e-6]) * r.choice([-1, 1]))
    times = np.linspace(0, end, ROWS)
    m, l, a0, w0, c = r.uniform(0.3, 2), r.uniform(0.3, 1), r.uniform(-2, 2), r.uniform(-3, 3), r.uniform(0, 0.3)
    J = r.uniform(0.01, 0.1) + m * l * l
    kind = str(r.choice(["on at the end", "off at the start", "kick", "corner", "locked at the end", "lands"]))
    late = end * (1 + hair)
    if kind == "lands":  # a ball that reaches the floor in the last instant
        high, e, after = G * late * late / 2, r.uniform(0, 0.9), max(end - late, 0)
        model = {"gravity": [0, -G], "bodies": {"ball": planar(m, (0, high))},
                 "joints": {"floor": {"type": "stop", "b": "ball", "at": [0, 0], "at_b": [0, high], "axis": [0, 1], "restitution": e}}}
        y = high - G * times**2 / 2
        y[-1] = e * G * late * after if after else max(y[-1], 0)
        return Case(model, times, {"ball.y": y})
    law, joints, signals = f"-{c!r}*rate", {"hinge": {"type": "revolute", "b": "rod", "at": [0, 0], "value": a0}}, {}
    # before and behind an instant: what is added to the effort (None: locked)
    when, push = {"on at the end": (late, (0, 1000)), "off at the start": (max(hair, 0.0), (1000, 0)), "kick": (end - 1e-3, (0, 30)),
                  "corner": (late, (0, 0)), "locked at the end": (late, (0, None))}[kind]
    ramp = kind == "corner"
    if kind == "on at the end":
        law += f" + if(t >= {when!r}, 1000, 0)"
    elif kind == "off at the start":
        law += f" + if(t <= {when!r}, 1000, 0)"
    elif kind == "kick":
        law += f" + if(t > {when!r}, 30, 0)"
    elif ramp:
        signals = {"ramp": {"table": [[0.0, 1.0], [late, 2.0], [late + 1, 50.0]]}}
        law += " + ramp"
    else:
        joints["lock"] = {"type": "lock", "joint_a": "hinge", "active": f"t > {when!r}"}

    def rate(mode, t, y):
        if push[mode] is None:
            return [0, 0]
        return [y[1], (-m * G * l * math.cos(y[0]) - c * y[1] + push[mode] + ramp * (1 + t / late)) / J]

    y, rows = np.array([a0, w0]), [[a0, w0]]
    for t0, t1 in zip(times, times[1:]):
        for begin, until in ((t0, when), (when, t1)) if t0 < when < t1 else ((t0, t1),):
            mode = int(begin >= when)
            y = solve_ivp(lambda t, y, mode=mode: rate(mode, t, y), (begin, until), y, method="DOP853", rtol=1e-12, atol=1e-13, max_step=end / 100).y[:, -1]
        rows.append(y)
    rows = np.array(rows)
    place = l * np.array([math.cos(a0), math.sin(a0)])
    model = {"gravity": [0, -G], "joints": joints, "forces": {"motor": {"type": "motor", "joint": "hinge", "law": law}},
             "bodies": {"rod": {"type": "planar", "mass": m, "inertia": J - m * l * l, "position": place.tolist(), "angle": a0,
                                "velocity": [-w0 * place[1], w0 * place[0]], "angular_velocity": w0}}}
    if signals:
        model["signals"] = signals
    columns = {"hinge.angle": rows[:, 0], "hinge.angle_rate": rows[:, 1]}
    if kind == "locked at the end":
        del columns["hinge.angle_rate"]  # before or behind the lock
    return Case(model, times, columns)


# ---- laws ----------------------------------------------------------------------------------------


def windy(r):
    """A stone thrown through air that moves, and dragged by a cart that is led to and fro."""
    m, area, cd, rho, c = r.uniform(0.05, 1), r.uniform(0.01, 0.1), r.uniform(0.2, 1.2), r.uniform(0.5, 3), r.uniform(0, 0.3)
    b, w, wind, f = r.uniform(0.1, 1), r.uniform(1, 6), r.normal(size=2) * 5, r.uniform(1, 6)
    p0, v0 = r.normal(size=2), r.normal(size=2) * 8
    spin = r.uniform(-3, 3)
    k = rho * area * cd / 2
    times = np.linspace(0, 1, ROWS)

    def rate(t, y):
        # seen from a cart that is led along x and turns
        x, vx, a = b * math.sin(w * t), b * w * math.cos(w * t), spin * t
        d = y[:2] - [x, 0]
        turn = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        seen = turn.T @ (y[2:] - [vx, 0] - spin * np.array([-d[1], d[0]])) - wind * math.sin(f * t)
        F = -(c + k * np.linalg.norm(seen)) * (turn @ seen)
        return [*y[2:], *(F / m + [0, -G])]

    rows = smooth(rate, [*p0, *v0], times)
    model = {"gravity": [0, -G],
             "bodies": {"stone": planar(m, p0, v0), "cart": {"type": "planar", "mass": 3, "inertia": 1, "velocity": [b * w, 0], "angular_velocity": spin}},
             "joints": {"x": {"type": "driver", "b": "cart", "coordinate": "x", "motion": f"{b!r}*sin({w!r}*t)"},
                        "y": {"type": "coordinate", "b": "cart", "coordinate": "y"},
                        "turn": {"type": "driver", "b": "cart", "coordinate": "angle", "motion": f"{spin!r}*t"}},
             "forces": {"air": {"type": "drag", "a": "cart", "b": "stone", "area": area, "drag": cd, "density": rho, "viscous": c,
                                "wind": [f"{x!r}*sin({f!r}*t)" for x in wind.tolist()]}}}
    return Case(model, times, {f"stone.{n}": rows[:, i] for i, n in enumerate(("x", "y", "vx", "vy"))}, size=5, speed=10)


def relaxing(r):
    """Oscillators that go slowly and then all at once, as states beside a cart that they push."""
    mu = 10 ** r.uniform(0, 2.7)
    x0, y0, m, k = r.uniform(0.5, 2.5), r.uniform(-1, 1), r.uniform(0.5, 2), r.uniform(1, 9)
    end = r.uniform(1, 1.5) * max(mu, 6)
    times = np.linspace(0, end, ROWS)
    rate = lambda t, s: [s[1], mu * (1 - s[0] ** 2) * s[1] - s[0], s[3], (s[0] - k * s[2] - s[3]) / m]
    found = solve_ivp(rate, (0, end), [x0, y0, 0, 0], method="Radau", rtol=1e-11, atol=1e-12, t_eval=times)
    other = solve_ivp(rate, (0, end), [x0, y0, 0, 0], method="LSODA", rtol=1e-12, atol=1e-13, t_eval=times)
    apart = float(np.max(abs(found.y[[0, 2, 3]] - other.y[[0, 2, 3]])))
    if apart > 1e-6:
        raise Hard("no better than the run")
    rows = other.y.T
    model = {"bodies": {"cart": {"type": "planar", "mass": m, "inertia": 1}},
             "joints": {"rail": {"type": "prismatic", "b": "cart", "axis": [1, 0]}},
             "states": {"u": {"rate": "w", "start": x0}, "w": {"rate": f"{mu!r}*(1 - u^2)*w - u", "start": y0}},
             "forces": {"push": {"type": "motor", "joint": "rail", "law": f"u - {k!r}*value - rate"}}}
    return Case(model, times, {"rail.translation": rows[:, 2], "rail.translation_rate": rows[:, 3], "u": rows[:, 0]}, apart=2 * apart)


def without_bound(r):
    """A state, or a mass that falls to a centre, short of the instant in which it is infinite."""
    short = 10 ** r.uniform(-4, -0.5)
    if r.random() < 0.5:
        x0, p = r.uniform(0.5, 2), r.uniform(1.5, 3)
        blow = x0 ** (1 - p) / (p - 1)  # x' = x^p
        times = np.linspace(0, blow * (1 - short), ROWS)
        x = (x0 ** (1 - p) - (p - 1) * times) ** (1 / (1 - p))
        model = {"bodies": {"cart": {"type": "planar", "mass": 1, "inertia": 1, "velocity": [1, 0]}},
                 "joints": {"rail": {"type": "prismatic", "b": "cart", "axis": [1, 0]}},
                 "states": {"u": {"rate": f"u^{p!r}", "start": x0}}}
        case = Case(model, times, {"u": x, "rail.translation": times}, apart=1e-13 / short)
        return case
    # from rest at one: x'' = -k/x^2: t = sqrt(1/2k) (sqrt(x(1-x)) + acos(sqrt(x)))
    k, m = r.uniform(0.3, 3), r.uniform(0.2, 3)
    whole = math.pi / 2 * math.sqrt(1 / (2 * k))
    times = np.linspace(0, whole * (1 - short), ROWS)
    x = np.array([brentq(lambda s: math.sqrt(1 / (2 * k)) * (0.5 * math.sin(2 * s) + s) - t, 0, math.pi / 2, xtol=1e-16, rtol=1e-15) for t in times])
    place = np.cos(x) ** 2
    model = {"bodies": {"stone": {"type": "planar", "mass": m, "inertia": 1, "position": [1, 0]}},
             "joints": {"rail": {"type": "prismatic", "b": "stone", "axis": [1, 0], "value": 1.0}},
             "forces": {"pull": {"type": "motor", "joint": "rail", "law": f"-{k * m!r}/value^2"}}}
    speed = float(math.sqrt(2 * k * (1 / place[-1] - 1)))
    return Case(model, times, {"rail.translation": place, "rail.translation_rate": -np.sqrt(2 * k * (1 / place - 1))}, speed=speed, apart=1e-13 / short)


def bushed(r):
    """A body on a bushing with stiffnesses across, turned far; driven by a torque."""
    A = r.normal(size=(6, 6))
    K = A @ A.T * 4 + np.diag([40, 40, 40, 4, 4, 4.0])
    K[3:, 3:] *= 0.4
    K[:3, 3:] *= 0.4
    K[3:, :3] *= 0.4
    C = np.diag(r.uniform(0, 0.5, 6))
    m, I = r.uniform(0.3, 2), r.uniform(0.2, 0.5, 3)
    theta, d, v0, w0 = r.normal(size=3) * 0.9, r.normal(size=3) * 0.3, r.normal(size=3), r.normal(size=3)
    T, f = r.normal(size=3), r.uniform(1, 5)
    times = np.linspace(0, 1.2, ROWS)

    def left(x):
        """From the angular velocity, axes of a, to the rate of the rotation vector."""
        a = np.linalg.norm(x)
        S = np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
        k = 1 / 12 if a < 1e-4 else (1 / a**2 - (1 + math.cos(a)) / (2 * a * math.sin(a)))
        return np.eye(3) - S / 2 + k * S @ S

    # the rotation vector itself is the coordinate
    def rate(t, y):
        d, x, v, w = y[:3], y[3:6], y[6:9], y[9:]
        if np.linalg.norm(x) > 2.9:
            raise Hard("half a turn")
        turn = Rotation.from_rotvec(x).as_matrix()
        Kx = K @ [*d, *x]
        L = left(x)
        force = -Kx[:3] - C[:3, :3] @ v
        torque = -L.T @ Kx[3:] - C[3:, 3:] @ w + T * math.sin(f * t)
        J = turn @ np.diag(I) @ turn.T
        return [*v, *(L @ w), *(force / m), *np.linalg.solve(J, torque - np.cross(w, J @ w))]

    rows = smooth(rate, [*d, *theta, *v0, *w0], times)
    if np.any([I[i] > I[(i + 1) % 3] + I[(i + 2) % 3] for i in range(3)]):
        raise Hard("no body")
    model = {"ground": {"frames": {"f": ZERO}},
             "bodies": {"block": {"mass": m, "inertia": I.tolist(), "position": d.tolist(), "velocity": v0.tolist(), "angular_velocity": w0.tolist(),
                                  "orientation": {"quaternion": [float(x) for x in np.roll(Rotation.from_rotvec(theta).as_quat(), 1)]}, "frames": {"f": ZERO}}},
             "forces": {"rubber": {"type": "bushing", "a": "ground.f", "b": "block.f", "stiffness": K.tolist(), "damping": C.tolist()},
                        "twist": {"type": "torque", "b": "block", "torque": [f"{x!r}*sin({f!r}*t)" for x in T.tolist()]}}}
    return Case(model, times, {f"block.{n}": rows[:, i] for n, i in (("x", 0), ("y", 1), ("z", 2), ("vx", 6), ("vy", 7), ("vz", 8), ("wx", 9), ("wy", 10), ("wz", 11))})


FAMILIES = [variator, fine_thread, parked, platform, euler_motors, carousel, remote, two_worlds, tides, annulus, tethered, welds, on_the_row, last_instant, windy,
            relaxing, without_bound, bushed]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
