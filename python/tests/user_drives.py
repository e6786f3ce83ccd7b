"""Drives as users write them: families of users.py with teeth, belts, oil, rubber and current."""

import math

import numpy as np
from scipy.integrate import solve_ivp

from machines import Placed, held
from physics import G, ROWS, Case, Hard, follow
from reduced import Reduced, angle_of, linear, smooth


# ---- teeth and belts -----------------------------------------------------------------------------


def hoist(r):
    """A pinion between two racks, load and counterweight, geared to a flywheel, with a brake that holds."""
    at = Placed(r)
    m, M, J, rad, k = r.uniform(1, 20), r.uniform(1, 20), r.uniform(0.01, 1, 2), r.uniform(0.05, 0.4), r.uniform(50, 400)
    ratio, brake = -r.uniform(0.3, 3), r.uniform(0.5, 30)
    A, w, v0 = r.uniform(0, 150), r.uniform(1, 8), r.choice([0, r.uniform(-3, 3)])
    times = np.linspace(0, 1.5, ROWS)
    I = J[0] + ratio**2 * J[1] + (m + M) * rad**2
    drive = lambda t, y: (-m + M) * G * rad - k * rad**2 * y[0] + A * rad * math.sin(w * t)

    def rate(mode, t, y):
        return [y[1], (drive(t, y) - mode * brake) / I] if mode else [0, 0]

    def guards(mode):
        if mode:
            return [lambda t, y: mode * y[1]]
        return [lambda t, y: brake - drive(t, y), lambda t, y: brake + drive(t, y)]

    def jump(mode, which, t, y):
        if mode == 0:
            return 1 - 2 * which, y
        y = np.array([y[0], 0])
        return held(drive(t, y), brake), y

    rows = follow(rate, [0, v0], math.copysign(1, v0) if v0 else held(drive(0, [0, 0]), brake), guards, jump, times)
    body = lambda mass, J, place, speed=0, spin=0: {
        "mass": mass, "inertia": [J, J, J], "position": at.at(*place), "orientation": at.orientation,
        "velocity": at.along(0, speed, 0), "angular_velocity": at.along(0, 0, spin)}
    slide = lambda b: {"type": "prismatic", "b": b, "axis": at.along(0, 1, 0)}
    turn = lambda b: {"type": "revolute", "b": b, "axis": at.along(0, 0, 1)}
    rack = lambda rail, radius: {"type": "rack-pinion", "joint_a": rail, "joint_b": "shaft", "radius": float(radius)}
    far = rad * (1 + 1 / abs(ratio))
    model = {"gravity": at.along(0, -G, 0),
             "bodies": {"pinion": body(1, J[0], (0, 0, 0), 0, v0), "wheel": body(1, J[1], (0, far, 0), 0, ratio * v0),
                        "load": body(m, 0.1, (rad, 0, 0), rad * v0), "weight": body(M, 0.1, (-rad, 0, 0), -rad * v0)},
             "joints": {"shaft": turn("pinion"), "axle": turn("wheel"), "rail": slide("load"), "guide": slide("weight"),
                        "mesh": rack("rail", rad), "back": rack("guide", -rad),
                        "gear": {"type": "gear", "joint_a": "shaft", "joint_b": "axle", "ratio": float(ratio),
                                 "pressure_angle": "20 deg"}},
             "forces": {"brake": {"type": "friction", "joint": "shaft", "law": "coulomb", "coulomb": 0.4, "radius": 0.05,
                                  "press": brake / 0.02},
                        "hold": {"type": "spring", "joint": "rail", "stiffness": k, "free": 0.0},
                        "pull": {"type": "motor", "joint": "rail", "law": f"{A!r}*sin({w!r}*t)"}}}
    return Case(model, times, {"shaft.angle": rows[:, 0], "shaft.angle_rate": rows[:, 1], "axle.angle": ratio * rows[:, 0],
                               "guide.translation": -rad * rows[:, 0]})


def belts(r):
    """Pulleys in a row, joined by belts that stretch and one that does not, as laws that read each other's angles."""
    n = int(r.integers(3, 7))
    J, rad = r.uniform(0.01, 0.5, n), r.uniform(0.03, 0.3, n)
    k, c = 10 ** r.uniform(2, 6, n - 1), 10 ** r.uniform(-1, 2, n - 1)
    stiff = int(r.integers(n - 1))  # this belt is a gear in one sense
    T, brake, w = r.uniform(-5, 5), r.uniform(0, 0.3), r.uniform(-5, 5, n)
    ratio = rad[stiff] / rad[stiff + 1]
    w[stiff + 1] = ratio * w[stiff]
    times = np.linspace(0, 1, ROWS)
    K, C = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n - 1):
        if i != stiff:
            e = np.zeros(n)
            e[i], e[i + 1] = rad[i], -rad[i + 1]
            K += k[i] * np.outer(e, e)
            C += c[i] * np.outer(e, e)
    C[-1, -1] += brake
    free = np.delete(np.eye(n), stiff + 1, axis=1)
    free[stiff + 1] = ratio * free[stiff]
    M = free.T @ np.diag(J) @ free
    inverse = np.linalg.inv(M)
    f = free.T @ (T * np.eye(n)[0])
    size = n - 1
    A = np.block([[np.zeros((size, size)), np.eye(size)], [-inverse @ free.T @ K @ free, -inverse @ free.T @ C @ free]])
    own = np.delete(np.arange(n), stiff + 1)
    rows = linear(A, [*np.zeros(size), *(inverse @ f)], [*np.zeros(size), *w[own]], times)
    joints = {f"j{i}": {"type": "revolute", "b": f"p{i}", "at": [float(i), 0]} for i in range(n)}
    joints["toothed"] = {"type": "gear", "joint_a": f"j{stiff}", "joint_b": f"j{stiff + 1}", "ratio": float(ratio)}
    forces = {"drive": {"type": "torque", "b": "p0", "torque": T}, "oil": {"type": "friction", "joint": f"j{n - 1}", "viscous": brake}}
    for i in range(n - 1):
        if i != stiff:
            here, there = f"{rad[i]!r}*j{i}", f"{rad[i + 1]!r}*j{i + 1}"
            pull = f"{k[i]!r}*({here}.angle - {there}.angle) + {c[i]!r}*({here}.rate - {there}.rate)"
            forces[f"tight{i}"] = {"type": "motor", "joint": f"j{i}", "law": f"-{rad[i]!r}*({pull})"}
            forces[f"loose{i}"] = {"type": "motor", "joint": f"j{i + 1}", "law": f"{rad[i + 1]!r}*({pull})"}
    model = {"bodies": {f"p{i}": {"type": "planar", "mass": 1, "inertia": J[i], "position": [float(i), 0],
                                  "angular_velocity": w[i]} for i in range(n)}, "joints": joints, "forces": forces}
    full = rows[:, :size] @ free.T
    rates = rows[:, size:] @ free.T
    return Case(model, times, {f"p{i}.angle": full[:, i] for i in range(n)} | {f"p{i}.omega": rates[:, i] for i in range(n)})


def planetary(r):
    """Sun, ring and a carrier with planets whose weight is off their middle; two freedoms."""
    sun, planet = r.uniform(0.1, 0.3), r.uniform(0.05, 0.2)
    ring, arm = sun + 2 * planet, sun + planet
    n = int(r.integers(1, 4))
    J, m, Jp = r.uniform(0.02, 0.5, 3), r.uniform(0.2, 2), r.uniform(0.001, 0.02)
    off, turned = r.uniform(0, 0.04), r.uniform(0, 6, n)
    T, w0, v0 = r.uniform(-4, 4, 2), r.uniform(-4, 4), r.uniform(-4, 4)
    times = np.linspace(0, 1, ROWS)
    spread = 2 * math.pi * np.arange(n) / n
    # freedoms: carrier c, sun s; a planet turns by p = c - (s - c) sun / planet, the ring by c - (s - c) sun / ring
    jp, jr = np.array([1 + sun / planet, -sun / planet]), np.array([1 + sun / ring, -sun / ring])

    def parts(y):
        c, p = y[0], jp @ y[:2]
        M = np.diag([J[1], J[0]]) + J[2] * np.outer(jr, jr)
        f = np.array([0.0, T[0]]) + T[1] * jr
        for i in range(n):
            a, b = c + spread[i], p + turned[i]
            slope = np.array([arm * np.array([-math.sin(a), math.cos(a)]), [0, 0]]).T + np.outer(
                off * np.array([-math.sin(b), math.cos(b)]), jp)
            bend = -arm * np.array([math.cos(a), math.sin(a)]) * y[2] ** 2 - off * np.array([math.cos(b), math.sin(b)]) * (jp @ y[2:]) ** 2
            M = M + m * slope.T @ slope + Jp * np.outer(jp, jp)
            f = f + m * slope.T @ (np.array([0, -G]) - bend)
        return M, f

    def rate(t, y):
        return [*y[2:], *np.linalg.solve(*parts(y))]

    rows = smooth(rate, [0, 0, w0, v0], times)
    wheel = lambda J, w: {"type": "planar", "mass": 2, "inertia": J, "angular_velocity": float(w)}
    at = lambda i: [arm * math.cos(spread[i]), arm * math.sin(spread[i])]
    turn = lambda a, b, place=(0, 0): {"type": "revolute", "a": a, "b": b, "at": list(place)}
    speeds = np.array([w0, v0])
    model = {"gravity": [0, -G],
             "bodies": {"sun": wheel(J[0], v0), "carrier": wheel(J[1], w0), "ring": wheel(J[2], jr @ speeds)},
             "joints": {"C": turn("ground", "carrier"), "S": turn("carrier", "sun"), "R": turn("carrier", "ring")},
             "forces": {"drive": {"type": "torque", "b": "sun", "torque": float(T[0])},
                        "load": {"type": "torque", "b": "ring", "torque": float(T[1])}}}
    for i in range(n):
        model["bodies"][f"planet{i}"] = {
            "type": "planar", "mass": m, "inertia": Jp, "position": at(i), "com": [off * math.cos(turned[i]), off * math.sin(turned[i])],
            "angular_velocity": float(jp @ speeds), "velocity": [-w0 * at(i)[1], w0 * at(i)[0]]}
        model["joints"][f"P{i}"] = turn("carrier", f"planet{i}", at(i))
        model["joints"][f"inner{i}"] = {"type": "gear", "joint_a": "S", "joint_b": f"P{i}", "ratio": -sun / planet}
        model["joints"][f"outer{i}"] = {"type": "gear", "joint_a": f"P{i}", "joint_b": "R", "ratio": planet / ring}
    return Case(model, times, {"carrier.angle": rows[:, 0], "sun.angle": rows[:, 1], "carrier.omega": rows[:, 2],
                               "ring.omega": rows[:, 2:] @ jr, "planet0.angle": rows[:, :2] @ jp})


def freewheel(r):
    """A motor drives a wheel through a clutch that pulls one way, written by max, and a limiter written by min."""
    J, c, T, w, most = r.uniform(0.05, 1, 2), r.uniform(2, 60), r.uniform(2, 12), r.uniform(2, 9), r.uniform(1, 8)
    drag, v = r.uniform(0.05, 0.8), r.uniform(-4, 4, 2)
    times = np.linspace(0, 2, ROWS)
    slip = lambda y: y[2] - y[3]
    # modes: 0 runs free, 1 pulls, 2 slips at its limit; by drag one of |w|
    pull = lambda mode, y: (0, c * slip(y), most)[mode[0]]
    rate = lambda mode, t, y: [y[2], y[3], (T * math.sin(w * t) - pull(mode, y)) / J[0],
                               (pull(mode, y) - drag * mode[1] * y[3] * y[3]) / J[1]]

    def guards(mode):
        clutch = ([lambda t, y: -slip(y)], [lambda t, y: slip(y), lambda t, y: most - c * slip(y)],
                  [lambda t, y: c * slip(y) - most])[mode[0]]
        return clutch + [lambda t, y: mode[1] * y[3]]

    def jump(mode, which, t, y):
        state, sign = mode
        if which == (2 if state == 1 else 1):
            return (state, -sign), y
        return ((1, (0, 2)[which] if state == 1 else 1, 1)[state], sign), y

    first = 0 if v[0] < v[1] else 1 if c * (v[0] - v[1]) < most else 2
    rows = follow(rate, [0, 0, *v], (first, math.copysign(1, v[1])), guards, jump, times)
    wheel = lambda i: {"type": "planar", "mass": 1, "inertia": J[i], "angular_velocity": v[i]}
    model = {"bodies": {"one": wheel(0), "two": wheel(1)},
             "joints": {"A": {"type": "revolute", "b": "one", "at": [0, 0]}, "B": {"type": "revolute", "b": "two", "at": [0, 0]}},
             "signals": {"passes": f"min(max({c!r}*(one.omega - two.omega), 0), {most!r})"},
             "forces": {"drive": {"type": "motor", "joint": "A", "law": f"{T!r}*sin({w!r}*t) - passes"},
                        "load": {"type": "motor", "joint": "B", "law": f"passes - {drag!r}*rate*abs(rate)"}}}
    return Case(model, times, {"one.angle": rows[:, 0], "two.angle": rows[:, 1], "one.omega": rows[:, 2], "two.omega": rows[:, 3]})


# ---- oil, rubber, current ------------------------------------------------------------------------


def excavator(r):
    """An arm on a hinge, lifted by a hydraulic cylinder whose barrel and rod close the loop."""
    m, l, J = r.uniform(100, 400), r.uniform(0.8, 1.5), r.uniform(10, 60)
    foot, grip = np.array([r.uniform(0.4, 0.7), -r.uniform(0.5, 0.9)]), r.uniform(0.6, 0.9)  # of the barrel, on the arm
    barrel, rod = (r.uniform(10, 40), r.uniform(1, 4)), (r.uniform(5, 20), r.uniform(0.5, 2))
    low, high = 0.28, 0.25  # of the barrel's middle from its foot, of the rod's from its head
    q0, areas = r.uniform(-0.2, 0.5), [r.uniform(2e-3, 5e-3), r.uniform(1.5e-3, 3e-3)]
    volumes, bulk, supply, flow, leak = [r.uniform(3e-3, 5e-3) for _ in range(2)], r.uniform(2e8, 1e9), r.uniform(8e6, 2e7), 10 ** r.uniform(-7.5, -6.8), r.choice([0, 10 ** r.uniform(-12.5, -11)])
    tip = lambda q: grip * np.array([np.cos(q), np.sin(q)])
    along = lambda q: tip(q) - foot
    length = lambda q: np.sqrt(np.sum(along(q) ** 2))
    angle = lambda q: angle_of([along(q)[1], -along(q)[0]]) + math.pi / 2  # measured from y, where it points
    mass = {"arm": (m, J), "barrel": barrel, "rod": rod}
    places = {"arm": lambda q: np.array([l * np.cos(q), l * np.sin(q), q]),
              "barrel": lambda q: np.array([*(foot + low * along(q) / length(q)), angle(q)]),
              "rod": lambda q: np.array([*(tip(q) - high * along(q) / length(q)), angle(q)])}
    of = Reduced(places, mass, np.array([0, -G]), q0 - 0.9, q0 + 0.9)
    start = np.array([r.uniform(1e6, 3e6), 0])
    force = of.weight(q0)  # pressures near to balance
    start[0] = r.uniform(0.8, 1.1) * -force / (length(q0 + 1e-30j).imag / 1e-30) / areas[0]
    if not 0 < start[0] < 0.9 * supply:
        raise Hard("too weak")
    u, w = r.uniform(0.3, 1), r.uniform(2, 6)
    times = np.linspace(0, 0.8, ROWS)
    d0 = float(length(q0).real)
    root = lambda d: d / (d * d + 1e8) ** 0.25

    def rate(mode, t, y):
        q, v, pa, pb = y[:2].tolist() + (y[2:] * 1e6).tolist()
        slope = length(q + 1e-30j).imag / 1e-30
        x = float(length(q)) - d0
        valve = u * math.sin(w * t)
        if mode > 0:
            qa, qb = flow * valve * root(supply - pa), -flow * valve * root(pb)
        else:
            qa, qb = flow * valve * root(pa), -flow * valve * root(supply - pb)
        cross = leak * (pa - pb)
        return [v, of.acceleration(q, v, slope * (areas[0] * pa - areas[1] * pb)),
                bulk / (volumes[0] + areas[0] * x) * (qa - areas[0] * slope * v - cross) / 1e6,
                bulk / (volumes[1] - areas[1] * x) * (qb + areas[1] * slope * v + cross) / 1e6]

    turn = lambda t: math.sin(w * t) if t > 0.1 / w else 1.0
    guards = lambda mode: [lambda t, y: mode * turn(t), lambda t, y: 0.7 - abs(y[0] - q0)]

    def jump(mode, which, t, y):
        if which:
            raise Hard("too far")
        return -mode, y

    rows = follow(rate, [q0, 0, *start / 1e6], 1, guards, jump, times)
    pin = lambda a, b, place: {"type": "revolute", "a": a, "b": b, "at": np.real(place).tolist()}
    axis = np.real(along(q0)) / d0
    model = {"gravity": [0, -G], "bodies": of.bodies(q0, 0),
             "joints": {"hinge": pin("ground", "arm", [0, 0]), "foot": pin("ground", "barrel", foot),
                        "head": pin("rod", "arm", tip(q0)),
                        "bore": {"type": "prismatic", "a": "barrel", "b": "rod", "axis": [*axis.tolist(), 0]}},
             "forces": {"oil": {"type": "hydraulic-cylinder", "joint": "bore", "valve": f"{u!r}*sin({w!r}*t)",
                                "areas": areas, "volumes": volumes, "bulk_modulus": bulk, "supply": supply, "flow": flow,
                                "leakage": float(leak), "pressures": start.tolist()}}}
    case = Case(model, times, {"hinge.angle": rows[:, 0] - q0, "hinge.angle_rate": rows[:, 1], "oil_pa": rows[:, 2] * 1e6,
                               "oil_pb": rows[:, 3] * 1e6})
    case.sizes = {"oil_pa": supply, "oil_pb": supply}
    return case


def suspension(r):
    """A car body on two arms, in rubber bushings that are stiff across and soft along, with springs and an anti-roll bar."""
    m, J = [r.uniform(200, 500), *r.uniform(10, 30, 2)], [r.uniform(50, 150), *r.uniform(0.5, 2, 2)]
    half, long = r.uniform(0.5, 0.8), r.uniform(0.3, 0.5)
    k = [[10 ** r.uniform(5, 7), 10 ** r.uniform(4, 6), r.uniform(10, 500)] for _ in range(2)]
    c = [[r.uniform(100, 2000), r.uniform(100, 2000), r.uniform(0, 20)] for _ in range(2)]
    roll, tyre, damp = r.uniform(100, 3000), r.uniform(1e5, 3e5), r.uniform(100, 2000)
    spring, shock = r.uniform(1e4, 4e4), r.uniform(500, 3000)
    bump, w = r.uniform(0, 0.03, 2), r.uniform(3, 15)
    y0 = 0.6
    times = np.linspace(0, 0.6, ROWS)
    side = [-1, 1]
    rest = np.array([0, y0, 0, -half - long / 2, y0 - 0.2, 0, half + long / 2, y0 - 0.2, 0])
    turn = lambda a: np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    cross = lambda p, f: p[0] * f[1] - p[1] * f[0]

    def rate(t, z):
        q, v = z[:9], z[9:]
        f = np.zeros(9)
        place = lambda i, p: q[3 * i:3 * i + 2] + turn(q[3 * i + 2]) @ p
        speed = lambda i, p: v[3 * i:3 * i + 2] + v[3 * i + 2] * turn(q[3 * i + 2]) @ np.array([-p[1], p[0]])

        def push(i, point, force):
            f[3 * i:3 * i + 2] += force
            f[3 * i + 2] += cross(point - q[3 * i:3 * i + 2], force)

        for i, s in enumerate(side):
            arm = 1 + i
            inner, own = np.array([s * half, -0.2]), np.array([-s * long / 2, 0])
            P = place(arm, own)
            axes = turn(q[2])
            d = axes.T @ (P - place(0, inner))
            # velocity of b's point seen from a, in its axes
            rel = axes.T @ (speed(arm, own) - v[:2] - v[2] * np.array([-(P - q[:2])[1], (P - q[:2])[0]]))
            F = axes @ (-np.array(k[i][:2]) * d - np.array(c[i][:2]) * rel)
            twist = -k[i][2] * (q[3 * arm + 2] - q[2]) - c[i][2] * (v[3 * arm + 2] - v[2])
            push(arm, P, F)
            push(0, P, -F)
            f[3 * arm + 2] += twist
            f[2] -= twist
            # strut from the body to the arm
            A, B = place(0, np.array([s * (half + long / 2), 0.3])), place(arm, np.zeros(2))
            e = B - A
            size = np.linalg.norm(e)
            e = e / size
            tension = spring * (size - 0.55) + shock * (e @ (v[3 * arm:3 * arm + 2] - speed(0, np.array([s * (half + long / 2), 0.3]))))
            push(0, A, tension * e)
            push(arm, B, -tension * e)
            hub = place(arm, np.array([s * long / 2, 0]))
            road, slope = bump[i] * math.sin(w * t), bump[i] * w * math.cos(w * t)
            push(arm, hub, np.array([0, -tyre * (hub[1] - 0.4 - road) - damp * (speed(arm, np.array([s * long / 2, 0]))[1] - slope)]))
        bar = roll * (q[5] - q[8])
        f[5] -= bar
        f[8] += bar
        M = np.repeat(m, 3)
        M[2::3] = J
        f[[1, 4, 7]] -= np.array(m) * G
        return [*v, *(f / M)]

    rows = solve_ivp(rate, (0, times[-1]), [*rest, *np.zeros(9)], method="DOP853", t_eval=times, rtol=1e-12, atol=1e-12).y.T
    bodies = {name: {"type": "planar", "mass": m[i], "inertia": J[i], "position": rest[3 * i:3 * i + 2].tolist()}
              for i, name in enumerate(("car", "left", "right"))}
    bodies["car"]["frames"] = {f"in{i}": [s * half, -0.2] for i, s in enumerate(side)} | {
        f"top{i}": [s * (half + long / 2), 0.3] for i, s in enumerate(side)}
    forces = {"bar": {"type": "torsion-spring", "a": "left", "b": "right", "stiffness": roll, "free": 0.0}}
    for i, (s, name) in enumerate(zip(side, ("left", "right"))):
        bodies[name]["frames"] = {"in": [-s * long / 2, 0], "hub": [s * long / 2, 0]}
        forces[f"rubber{i}"] = {"type": "bushing", "a": f"car.in{i}", "b": f"{name}.in",
                                "stiffness": [*k[i][:2], 0, 0, 0, k[i][2]], "damping": [*c[i][:2], 0, 0, 0, c[i][2]]}
        forces[f"strut{i}"] = {"type": "spring", "a": f"car.top{i}", "b": name, "stiffness": spring, "damping": shock, "free": 0.55}
        hub = f"{name}.hub"
        forces[f"tyre{i}"] = {"type": "force", "b": hub, "force": [0, f"-{tyre!r}*({hub}.y - 0.4 - {bump[i]!r}*sin({w!r}*t))"
                                                                   f" - {damp!r}*({hub}.vy - {bump[i] * w!r}*cos({w!r}*t))"]}
    model = {"gravity": [0, -G], "bodies": bodies, "forces": forces}
    return Case(model, times, {"car.y": rows[:, 1], "car.angle": rows[:, 2], "left.x": rows[:, 3], "right.angle": rows[:, 8],
                               "car.vy": rows[:, 10], "left.omega": rows[:, 14], "right.vx": rows[:, 15]})


def chopper(r):
    """A motor whose voltage is switched on and off, against a pendulum and dry friction in a sleeve."""
    m, l, J = r.uniform(0.2, 1), r.uniform(0.1, 0.4), r.uniform(0.005, 0.05)
    R, L, k = r.uniform(0.5, 3), 10 ** r.uniform(-4, -1), r.uniform(0.05, 0.6)
    U, T, part, rub = r.uniform(6, 24), r.uniform(0.005, 0.05), r.uniform(0.1, 0.9), r.uniform(0.01, 0.3)
    w0 = r.uniform(1, 4)
    times = np.linspace(0, 0.5, ROWS)
    I = J + m * l * l
    drive = lambda y: k * y[2] - m * G * l * math.sin(y[0])
    count = int(times[-1] / T) + 2
    edges = sorted([i * T for i in range(1, count)] + [(i + part) * T for i in range(count)])

    # modes: sign of the speed (0: held), how many edges have passed
    def rate(mode, t, y):
        sign, passed = mode
        u = U if passed % 2 == 0 else 0
        return [y[1] if sign else 0, (drive(y) - sign * rub) / I if sign else 0, (u - R * y[2] - k * (y[1] if sign else 0)) / L]

    def guards(mode):
        sign, passed = mode
        return [lambda t, y: edges[passed] - t] + ([lambda t, y: sign * y[1]] if sign else
                                                   [lambda t, y: rub - drive(y), lambda t, y: rub + drive(y)])

    def jump(mode, which, t, y):
        sign, passed = mode
        if which == 0:
            return (sign, passed + 1), y
        if sign:
            y = np.array([y[0], 0, y[2]])
            return (held(drive(y), rub), passed), y
        return (1 if which == 1 else -1, passed), y

    rows = follow(rate, [0, w0, 0], (1, 0), guards, jump, times)
    model = {"gravity": [0, -G],
             "bodies": {"arm": {"type": "planar", "mass": m, "inertia": J, "com": [0, -l], "angular_velocity": w0}},
             "joints": {"hinge": {"type": "revolute", "b": "arm", "at": [0, 0]}},
             "forces": {"motor": {"type": "dc-motor", "joint": "hinge", "resistance": R, "inductance": L, "constant": k,
                                  "voltage": f"if(mod(t, {T!r}) < {part * T!r}, {U!r}, 0)"},
                        "sleeve": {"type": "friction", "joint": "hinge", "law": "coulomb", "coulomb": 0.2, "radius": 0.01,
                                   "press": rub / 0.002}}}
    return Case(model, times, {"arm.angle": rows[:, 0], "arm.omega": rows[:, 1], "motor_current": rows[:, 2]})


def soft_to_stiff(r):
    """Masses in a row whose springs and dampers are a million times softer here than there."""
    n = int(r.integers(3, 7))
    m, k = 10 ** r.uniform(-2, 2, n), 10 ** r.uniform(0, 8, n)
    c = 2 * np.sqrt(k * m) * r.uniform(0.02, 2, n)
    v, F = r.normal(size=n) * 0.3, r.normal() * 3
    times = np.linspace(0, 1, ROWS)
    K, C = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        e = np.eye(n)[i] - (np.eye(n)[i - 1] if i else 0)
        K, C = K + k[i] * np.outer(e, e), C + c[i] * np.outer(e, e)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-K / m[:, None], -C / m[:, None]]])
    rows = linear(A, [*np.zeros(n), *np.eye(n)[-1] * F / m[-1]], [*np.zeros(n), *v], times)
    model = {"bodies": {f"m{i}": {"type": "planar", "mass": m[i], "inertia": 1, "position": [i + 1.0, 0], "velocity": [v[i], 0]}
                        for i in range(n)},
             "joints": {f"rail{i}": {"type": "prismatic", "b": f"m{i}", "axis": [1, 0, 0]} for i in range(n)},
             "forces": {"push": {"type": "force", "b": f"m{n - 1}", "force": [F, 0]}}}
    for i in range(n):
        model["forces"][f"s{i}"] = {"type": "spring", "a": f"m{i - 1}" if i else "ground", "b": f"m{i}", "stiffness": k[i],
                                    "damping": c[i], "free": 1.0} | ({} if i else {"at": [0, 0]})
    return Case(model, times, {f"m{i}.x": rows[:, i] + i + 1 for i in range(n)} | {f"m{i}.vx": rows[:, n + i] for i in range(n)},
                apart=1e-8)
