"""Hostile loops: families as those of physics.py, of linkages with more joints than they need.

usage: loops.py BUILD FIRST LAST [FAMILY ...] [method=NAME ...] [OPTION=VALUE ...]     see physics.py

Crank rockers, offset slider-cranks, trammels, Scotch yokes and plates on three cranks, anywhere in space, some
with bearings twice: between stops and with brakes, under sampled controllers behind filters, with clutches,
locks, latches and supports that come and go, driven with a rubbing pendulum on board; and what statics, modes,
kinematics and inverse dynamics say of them. The places of all bodies are functions of the crank's angle q, so
the motion is that of I(q) q'^2/2 + V(q); these two are interpolated by polynomials whose derivatives are exact.
"""

import math

import numpy as np
from numpy.polynomial import Chebyshev

from machines import Placed, held
from physics import ROWS, Case, Hard, command_line, follow

METHODS = ["default", "explicit", "index2-alpha", "index3-alpha", "baumgarte"]


class Loop:
    """A linkage of one degree of freedom, described where its crank has the angle q0."""

    def __init__(self, r, planar=None):
        self.r, self.places, self.joints, self.mass = r, {}, [], {}
        self.planar = r.random() < 0.3 if planar is None else planar
        self.at = Placed(r)
        self.q0 = r.uniform(-3, 3)
        self.wide = 7.0  # the crank may turn by this to either side
        self.kind = str(r.choice(["rocker", "slider", "trammel", "yoke", "plate"]))
        getattr(self, self.kind)()
        for name in self.places:
            self.mass[name] = (r.uniform(0.2, 2), r.uniform(0.02, 0.2))
        if not self.planar:
            for name, (kind, a, b, place, axis) in list(dict(self.joints).items()):
                if kind == "revolute" and r.random() < 0.25:  # the same bearing once more, further along its axis
                    self.joints.append((f"{name}_more", (kind, a, b, place, r.uniform(0.1, 0.5))))
        self.gravity = r.normal(size=2) * 6
        self.k, self.free, self.c = r.uniform(0, 10), r.uniform(-1, 1), r.uniform(0, 0.4)
        self.fit()

    # linkages: places (x, y, angle) of bodies as functions of an array of q

    def bar(self, name, start, end, along=0.5):
        def place(q):
            a, b = start(q), end(q)
            turned = np.unwrap(np.arctan2(b[1] - a[1], b[0] - a[0])) if np.ndim(q) else math.atan2(b[1] - a[1], b[0] - a[0])
            return np.array([*(a + along * (b - a)), turned])
        self.places[name] = place

    def pin(self, name, a, b, place):
        self.joints.append((name, ("revolute", a, b, place, 0.0)))

    def rail(self, name, a, b, place, along):
        self.joints.append((name, ("prismatic", a, b, place, along)))

    def fixed(self, x, y):
        return lambda q: np.array([x + 0 * q, y + 0 * q])

    def crank(self, length, centre=(0, 0)):
        return lambda q: np.array([centre[0] + length * np.cos(q), centre[1] + length * np.sin(q)])

    def rocker(self):
        u = self.r.uniform
        a, g = u(0.2, 0.4), u(0.8, 1.2)
        b, c = u(0.7, 1.1), u(0.7, 1.1)
        lengths = sorted([b, c, g])
        if a + lengths[2] > lengths[0] + lengths[1] - 0.08:
            raise Hard("dead centre near")
        side = self.r.choice([-1, 1])
        tip, foot = self.crank(a), self.fixed(g, 0)

        def head(q):
            p, f = tip(q), foot(q)
            d = f - p
            far2 = d[0] ** 2 + d[1] ** 2
            along = (far2 + b * b - c * c) / (2 * far2)
            across = side * np.sqrt(b * b / far2 - along**2)
            return p + along * d + across * np.array([-d[1], d[0]])

        self.bar("crank", self.fixed(0, 0), tip)
        self.bar("rod", tip, head)
        self.bar("arm", foot, head)
        self.pin("O", "ground", "crank", self.fixed(0, 0))
        self.pin("A", "crank", "rod", tip)
        self.pin("B", "rod", "arm", head)
        self.pin("C", "ground", "arm", foot)

    def slider(self):
        u = self.r.uniform
        a, b, off = u(0.2, 0.4), u(0.8, 1.2), u(-0.2, 0.2)
        tip = self.crank(a)
        head = lambda q: np.array([a * np.cos(q) + np.sqrt(b * b - (a * np.sin(q) - off) ** 2), off + 0 * q])
        self.bar("crank", self.fixed(0, 0), tip)
        self.bar("rod", tip, head)
        self.places["block"] = lambda q: np.array([*head(q), 0 * q])
        self.pin("O", "ground", "crank", self.fixed(0, 0))
        self.pin("A", "crank", "rod", tip)
        self.pin("B", "rod", "block", head)
        self.rail("C", "ground", "block", head, (1, 0))

    def trammel(self):
        """A bar between two sliders; a crank to its middle makes it redundant in the plane as well."""
        L = self.r.uniform(0.4, 1)
        one = lambda q: np.array([L * np.cos(q), 0 * q])
        two = lambda q: np.array([0 * q, L * np.sin(q)])
        middle = self.crank(L / 2)
        self.bar("crank", self.fixed(0, 0), middle)
        self.places["rod"] = lambda q: np.array([*middle(q), -q])
        self.places["one"] = lambda q: np.array([*one(q), 0 * q])
        self.places["two"] = lambda q: np.array([*two(q), 0 * q])
        self.pin("O", "ground", "crank", self.fixed(0, 0))
        self.pin("A", "crank", "rod", middle)
        self.pin("B", "rod", "one", one)
        self.pin("D", "rod", "two", two)
        self.rail("C", "ground", "one", one, (1, 0))
        self.rail("E", "ground", "two", two, (0, 1))

    def yoke(self):
        a = self.r.uniform(0.2, 0.6)
        tip = self.crank(a)
        self.bar("crank", self.fixed(0, 0), tip)
        self.places["block"] = lambda q: np.array([*tip(q), 0 * q])
        self.places["frame"] = lambda q: np.array([tip(q)[0], 0 * q, 0 * q])
        self.pin("O", "ground", "crank", self.fixed(0, 0))
        self.pin("A", "crank", "block", tip)
        self.rail("B", "frame", "block", tip, (0, 1))
        self.rail("C", "ground", "frame", lambda q: self.places["frame"](q)[:2], (1, 0))

    def plate(self):
        a = self.r.uniform(0.2, 0.6)
        feet = np.array([[0, 0], [1, 0], [0.3, 0.9]]) + self.r.uniform(-0.2, 0.2, (3, 2))
        feet[0] = 0
        self.places["plate"] = lambda q: np.array([*self.crank(a, feet.mean(0))(q), 0 * q])
        for i, foot in enumerate(feet):
            name = "crank" if i == 0 else f"crank{i}"
            self.bar(name, self.fixed(*foot), self.crank(a, foot))
            self.pin("O" if i == 0 else f"O{i}", "ground", name, self.fixed(*foot))
            self.pin(f"A{i}", name, "plate", self.crank(a, foot))

    # inertia and potential of the crank's angle

    def fit(self):
        span = [self.q0 - self.wide, self.q0 + self.wide]
        of = lambda f: Chebyshev.interpolate(f, 160, span)
        self.way = {}
        for name, place in self.places.items():
            self.way[name] = [of(lambda q, i=i: place(q)[i] + 0 * q) for i in range(3)]
        rate = {name: [w.deriv() for w in way] for name, way in self.way.items()}
        self.speed = rate
        self.I = of(lambda q: sum(m * (rate[n][0](q) ** 2 + rate[n][1](q) ** 2) + J * rate[n][2](q) ** 2
                                  for n, (m, J) in self.mass.items()))
        self.V = of(lambda q: -sum(m * (self.gravity @ [self.way[n][0](q), self.way[n][1](q)]) for n, (m, J) in self.mass.items())
                    + self.k * (q - self.q0 - self.free) ** 2 / 2)
        bent = [n for n, j in self.joints if j[0] == "revolute" and j[1] != "ground"]
        self.oily = str(self.r.choice(bent))
        a, b = dict(self.joints)[self.oily][1:3]
        self.slip = rate[b][2] - rate[a][2]  # of a joint with oil in it
        self.dI, self.dV = self.I.deriv(), self.V.deriv()
        slow = [p for p in (self.dI, *(w for way in rate.values() for w in way)) if max(abs(p.coef[-4:])) > 1e-9 * max(1, *abs(p.coef))]
        if slow:
            raise Hard("not smooth enough")

    def within(self, q):
        return self.wide - 0.2 - abs(q - self.q0)

    def drive(self, q, w, effort=0.0):
        """The generalized force, inertia's own included."""
        return effort - self.dV(q) - self.dI(q) * w * w / 2 - self.c * self.slip(q) ** 2 * w

    # as a model

    def model(self, w0, **sections):
        at = self.at
        flat = self.planar
        space = (lambda x, y: [float(x), float(y)]) if flat else lambda x, y: at.at(x, y, 0)
        along = (lambda x, y: [float(x), float(y)]) if flat else lambda x, y: at.along(x, y, 0)
        bodies, joints = {}, {}
        for name, (m, J) in self.mass.items():
            x, y, angle = self.places[name](self.q0)
            vx, vy, spin = [float(s(self.q0)) * w0 for s in self.speed[name]]
            bodies[name] = {"mass": m, "position": space(x, y), "velocity": along(vx, vy)}
            if flat:
                bodies[name] |= {"type": "planar", "inertia": J, "angle": float(angle), "angular_velocity": spin}
            else:
                bodies[name] |= {"inertia": [J, J, J], "orientation": at.orientation, "angular_velocity": at.along(0, 0, spin)}
        for name, (kind, a, b, place, more) in self.joints:
            x, y = place(self.q0)
            joints[name] = {"type": kind, "a": a, "b": b}
            if kind == "prismatic":
                joints[name] |= {"at": space(x, y), "axis": [*along(*more), 0][:3]}
            else:
                joints[name] |= {"at": space(x, y)} if flat else {"at": at.at(x, y, more), "axis": at.along(0, 0, 1)}
        model = {"gravity": along(*self.gravity), "bodies": bodies, "joints": joints, "forces": {
            "wind": {"type": "torsion-spring", "joint": "O", "stiffness": self.k, "free": self.free},
            "oil": {"type": "friction", "joint": self.oily, "viscous": self.c}}}
        for section, elements in sections.items():
            model.setdefault(section, {}).update(elements)
        return model

    def case(self, model, times, q, w, more={}):
        columns = {"O.angle": q - self.q0, "O.angle_rate": w}
        name = sorted(self.places)[-1]
        x, y = [np.array([way(v) for v in q]) for way in self.way[name][:2]]
        if self.planar:
            columns |= {f"{name}.x": x, f"{name}.y": y}
        else:
            place = np.array([self.at.at(a, b, 0) for a, b in zip(x, y)])
            columns |= {f"{name}.{c}": place[:, i] for i, c in enumerate("xyz")}
        return Case(model, times, columns | more)


# ---- stops and brakes ----------------------------------------------------------------------------


def stopped(r):
    """Between stops, with a brake on the crank, pushed to and fro."""
    loop = Loop(r)
    lo, hi, e = loop.q0 - r.uniform(0.2, 3), loop.q0 + r.uniform(0.2, 3), r.uniform(0.2, 0.95)
    brake, w0 = r.choice([0, r.uniform(0.1, 3)]), r.uniform(-5, 5)
    T, w = r.uniform(-6, 6), r.uniform(2, 8)
    times = np.linspace(0, 1, ROWS)
    push = lambda t: T * math.sin(w * t)

    def rate(mode, t, y):
        if brake and mode == 0:
            return [0, 0]
        return [y[1], (loop.drive(*y, push(t)) - mode * brake) / loop.I(y[0])]

    def guards(mode):
        if brake and mode == 0:
            return [lambda t, y: brake - abs(loop.drive(y[0], 0, push(t)))]
        found = [lambda t, y: y[0] - lo, lambda t, y: hi - y[0], lambda t, y: loop.within(y[0])]
        return found + ([lambda t, y: mode * y[1]] if brake else [])

    def jump(mode, which, t, y):
        if brake and mode == 0:
            if abs(y[0] - lo) < 1e-9 or abs(y[0] - hi) < 1e-9:
                raise Hard("at a stop")
            return math.copysign(1, loop.drive(y[0], 0, push(t))), y
        if which == 2:
            raise Hard("too far")
        if which == 3:
            y = np.array([y[0], 0])
            if min(abs(y[0] - lo), abs(y[0] - hi)) < 1e-3:
                raise Hard("at a stop")
            return held(loop.drive(*y, push(t)), brake), y
        if abs(y[1]) < 0.05:
            raise Hard("too slow")
        y = np.array([hi if which else lo, -e * y[1]])
        return (math.copysign(1, y[1]) if brake else mode), y

    rows = follow(rate, [loop.q0, w0], math.copysign(1, w0) if brake else 0, guards, jump, times)
    model = loop.model(w0, forces={"act": {"type": "motor", "joint": "O", "law": f"{T!r}*sin({w!r}*t)"}})
    model["joints"]["O"] |= {"limits": [lo - loop.q0, hi - loop.q0], "restitution": e}
    if brake:
        model["forces"]["brake"] = {"type": "friction", "joint": "O", "law": "coulomb", "coulomb": 0.5, "radius": 0.1,
                                    "press": brake / 0.05}
    return loop.case(model, times, rows[:, 0], rows[:, 1])


def aboard(r):
    """The crank is driven; a pendulum hangs from the linkage between stops, and its hinge rubs."""
    loop = Loop(r)
    carrier = str(r.choice(sorted(loop.places)))
    m, l, J = r.uniform(0.5, 2), r.uniform(0.2, 0.8), r.uniform(0.01, 0.2)
    p0, v0, brake, e = r.uniform(-2, 2), r.uniform(-4, 4), r.choice([0, r.uniform(0.05, 1)]), r.uniform(0.2, 0.9)
    lo, hi = -r.uniform(0.3, 3), r.uniform(0.3, 3)
    speed, wave, w = r.uniform(-3, 3), r.uniform(0, 0.5), r.uniform(1, 8)
    times = np.linspace(0, 1, ROWS)
    crank = lambda t: (loop.q0 + speed * t + wave * math.sin(w * t), speed + wave * w * math.cos(w * t), -wave * w * w * math.sin(w * t))
    way = loop.way[carrier]
    first, second = [x.deriv() for x in way], [x.deriv(2) for x in way]
    inertia = m * l * l + J
    # the pendulum turns by s against its carrier; angle of it in the plane: p0 + s + carrier's turn

    def carried(t):
        q, v, a = crank(t)
        return [x(q) for x in way], [f(q) * v for f in first], [f(q) * a + s(q) * v * v for f, s in zip(first, second)]

    turn0 = way[2](loop.q0)

    def pull(t, y):
        place, _, a = carried(t)
        p = p0 + y[0] + place[2] - turn0
        e_p = np.array([-math.sin(p), math.cos(p)])
        return m * l * (e_p @ (loop.gravity - a[:2])) - inertia * a[2]

    def rate(mode, t, y):
        if brake and mode == 0:
            return [0, 0]
        return [y[1], (pull(t, y) - mode * brake) / inertia]

    def guards(mode):
        if brake and mode == 0:
            return [lambda t, y: brake - abs(pull(t, y))]
        return [lambda t, y: y[0] - lo, lambda t, y: hi - y[0]] + ([lambda t, y: mode * y[1]] if brake else [])

    def jump(mode, which, t, y):
        if brake and mode == 0:
            return math.copysign(1, pull(t, y)), y
        if which == 2:
            return held(pull(t, [y[0], 0]), brake), np.array([y[0], 0])
        if abs(y[1]) < 0.05:
            raise Hard("too slow")
        y = np.array([hi if which else lo, -e * y[1]])
        return (math.copysign(1, y[1]) if brake else mode), y

    if loop.within(loop.q0 + abs(speed) + wave) < 0:
        raise Hard("too far")
    rows = follow(rate, [0, v0], math.copysign(1, v0) if brake else 0, guards, jump, times)
    place, velocity, _ = carried(0)
    w0 = crank(0)[1]
    arm = l * np.array([math.cos(p0), math.sin(p0)])
    spin = v0 + velocity[2]
    centre, fast = np.array(place[:2]) + arm, np.array(velocity[:2]) + spin * np.array([-arm[1], arm[0]])
    at = loop.at
    if loop.planar:
        bob = {"type": "planar", "mass": m, "inertia": J, "position": centre.tolist(), "velocity": fast.tolist(),
               "angular_velocity": float(spin)}
        hinge = {"type": "revolute", "a": carrier, "b": "bob", "at": np.array(place[:2]).tolist()}
    else:
        bob = {"mass": m, "inertia": [J, J, J], "position": at.at(*centre, 0), "velocity": at.along(*fast, 0),
               "angular_velocity": at.along(0, 0, spin), "orientation": at.orientation}
        hinge = {"type": "revolute", "a": carrier, "b": "bob", "at": at.at(*place[:2], 0), "axis": at.along(0, 0, 1)}
    hinge |= {"limits": [lo, hi], "restitution": e}
    model = loop.model(w0, bodies={"bob": bob}, joints={"hinge": hinge, "drive": {
        "type": "driver", "joint_a": "O", "motion": f"{speed!r}*t + {wave!r}*sin({w!r}*t)"}})
    if brake:
        model["forces"]["brake"] = {"type": "friction", "joint": "hinge", "law": "coulomb", "coulomb": 0.5, "radius": 0.1,
                                    "press": brake / 0.05}
    q = np.array([crank(t)[0] for t in times])
    return loop.case(model, times, q, np.array([crank(t)[1] for t in times]), {"hinge.angle": rows[:, 0], "hinge.angle_rate": rows[:, 1]})


# ---- controllers and states ----------------------------------------------------------------------


def led(r):
    """A sampled PID controller that looks at the loop through a filter and acts through another, late; between stops."""
    loop = Loop(r)
    kp, ki, kd = r.uniform(5, 40), r.uniform(0, 30), r.uniform(0, 4)
    T = r.uniform(0.01, 0.06)
    late = T * r.choice([0, r.uniform(0.05, 0.9)])
    look, act = r.uniform(0.02, 0.2), r.uniform(0.02, 0.2)
    wide, w, w0 = r.uniform(0.2, 1), r.uniform(1, 6), r.uniform(-3, 3)
    lo, hi, e = loop.q0 - r.uniform(0.2, 2), loop.q0 + r.uniform(0.2, 2), r.uniform(0.2, 0.9)
    times = np.linspace(0, 0.8, ROWS)

    # state: q, w, what the filter sees, what acts
    def rate(u):
        return lambda mode, t, y: [y[1], loop.drive(y[0], y[1], y[3]) / loop.I(y[0]), (y[0] - loop.q0 - y[2]) / look, (u - y[3]) / act]

    def jump(mode, which, t, y):
        if which == 2:
            raise Hard("too far")
        if abs(y[1]) < 0.05:
            raise Hard("too slow")
        if min([abs(t - i * T - d) for i in range(int(1 / T) + 2) for d in (0, late)]) < 1e-6:
            raise Hard("strikes as it looks")
        return mode, np.array([hi if which else lo, -e * y[1], *y[2:]])

    guards = lambda mode: [lambda t, y: y[0] - lo, lambda t, y: hi - y[0], lambda t, y: loop.within(y[0])]
    start = np.array([loop.q0, w0, 0.0, 0.0])
    t, y, u, total, queue, k, rows = 0.0, start, 0.0, 0.0, [], 0, [start]
    for goal in times[1:]:
        while t < goal - 1e-13:
            if t >= k * T - 1e-12:
                miss = wide * math.sin(w * t) - y[2]
                total += ki * T * miss
                queue.append((k * T + late, kp * miss + total - kd * y[1]))
                k += 1
            while queue and queue[0][0] <= t + 1e-12:
                u = queue.pop(0)[1]
            stop = min([goal, k * T] + [q[0] for q in queue[:1]])
            y = follow(rate(u), y, 0, guards, jump, [t, stop])[-1]
            t = stop
        rows.append(y)
    rows = np.array(rows)
    model = loop.model(w0, signals={"wanted": f"{wide!r}*sin({w!r}*t)", "miss": "wanted - seen"},
                       states={"seen": f"(O.angle - seen)/{look!r}", "acts": {"type": "lag", "input": "u", "time": act}},
                       controllers={"u": {"period": T, "memory": {"sum": f"u_sum + {ki * T!r}*miss"},
                                          "formula": f"{kp!r}*miss + u_sum - {kd!r}*O.rate"}},
                       forces={"servo": {"type": "motor", "joint": "O", "law": "acts"}})
    if late:
        model["controllers"]["u"]["delay"] = float(late)
    model["joints"]["O"] |= {"limits": [lo - loop.q0, hi - loop.q0], "restitution": e}
    return loop.case(model, times, rows[:, 0], rows[:, 1], {"seen": rows[:, 2], "acts": rows[:, 3]})


# ---- joints that come and go ---------------------------------------------------------------------


def gated(r):
    """A clutch to a flywheel, a lock of the crank, and a support that changes nothing, each at its times."""
    loop = Loop(r)
    J, ratio, w0, v0 = r.uniform(0.05, 1), r.choice([-1, 1]) * r.uniform(0.5, 2), r.uniform(-4, 4), r.uniform(-6, 6)
    when = np.sort(r.uniform(0.05, 0.95, 4))
    if min(np.diff(when)) < 0.03:
        raise Hard("changes at once")
    T, w = r.uniform(-4, 4), r.uniform(2, 8)
    catch = r.random() < 0.5
    times = np.linspace(0, 1, ROWS)
    push = lambda t: T * math.sin(w * t)
    # modes: free, clutch, free, locked, free; the flywheel turns by ratio times the crank while it is caught

    def rate(mode, t, y):
        drive = loop.drive(y[0], y[1], push(t))
        if mode == 1:
            a = drive / (loop.I(y[0]) + ratio**2 * J)
            return [y[1], a, y[3], ratio * a]
        return [0, 0, y[3], 0] if mode == 3 else [y[1], drive / loop.I(y[0]), y[3], 0]

    guards = lambda mode: [lambda t, y: loop.within(y[0])] + ([lambda t, y: when[mode] - t] if mode < 4 else [])

    def jump(mode, which, t, y):
        if which == 0:
            raise Hard("too far")
        y = np.array(y)
        if mode == 0:  # impulses along crank and wheel are as 1 to -1/ratio
            I = loop.I(y[0])
            y[1] = (I * y[1] + ratio * J * y[3]) / (I + ratio**2 * J)
            y[3] = ratio * y[1]
        if mode == 2:
            y[1] = 0
        return mode + 1, y

    rows = follow(rate, [loop.q0, w0, 0, v0], 0, guards, jump, times)
    wheel = {"type": "planar", "mass": 1, "inertia": J, "angular_velocity": v0, "position": [5, 0]} if loop.planar else {
        "mass": 1, "inertia": [J, J, J], "angular_velocity": loop.at.along(0, 0, v0), "position": loop.at.at(5, 0, 0)}
    place = {"at": [5, 0]} if loop.planar else {"at": loop.at.at(5, 0, 0), "axis": loop.at.along(0, 0, 1)}
    between = lambda i: {"active": f"t > {when[i]!r} && t < {when[i + 1]!r}"} if not catch else {
        "catches": f"t > {when[i]!r}", "releases": f"t > {when[i + 1]!r}"}
    model = loop.model(w0, bodies={"wheel": wheel},
                       joints={"axle": {"type": "revolute", "b": "wheel"} | place,
                               "clutch": {"type": "gear", "joint_a": "O", "joint_b": "axle", "ratio": float(ratio)} | between(0),
                               "pawl": {"type": "lock", "joint_a": "O"} | between(2)},
                       forces={"act": {"type": "motor", "joint": "O", "law": f"{T!r}*sin({w!r}*t)"}})
    # the same bearing once more: it comes and goes, and nothing changes
    model["joints"]["support"] = dict(model["joints"]["A" if "A" in model["joints"] else "A0"]) | {
        "active": f"sin({r.uniform(3, 20)!r}*t + {r.uniform(0, 6)!r}) > 0"}
    if not loop.planar and r.random() < 0.5:
        model["joints"]["support"]["type"] = "spherical"
        del model["joints"]["support"]["axis"]
    return loop.case(model, times, rows[:, 0], rows[:, 1], {"axle.angle": rows[:, 2], "axle.angle_rate": rows[:, 3]})


def torn(r):
    """A loop whose crank is bolted, until the bolt breaks under a torque that grows."""
    loop = Loop(r)
    _, limit = r.uniform(0, 5), r.uniform(1, 8)
    grow = r.uniform(8, 25)
    times = np.linspace(0, 1, ROWS)
    bears = lambda t, y: abs(loop.drive(y[0], 0, grow * t))
    if abs(loop.drive(loop.q0, 0, 0)) > 0.9 * limit:
        raise Hard("broken from the start")
    rate = lambda mode, t, y: [y[1], loop.drive(y[0], y[1], grow * t) / loop.I(y[0])] if mode else [0, 0]
    guards = lambda mode: [lambda t, y: loop.within(y[0])] + ([] if mode else [lambda t, y: limit - bears(t, y)])

    def jump(mode, which, t, y):
        if which == 0:
            raise Hard("too far")
        return 1, y

    rows = follow(rate, [loop.q0, 0], 0, guards, jump, times)
    model = loop.model(0, joints={"bolt": {"type": "lock", "joint_a": "O", "breaks_torque": limit}},
                       forces={"act": {"type": "motor", "joint": "O", "law": f"{grow!r}*t"}})
    return loop.case(model, times, rows[:, 0], rows[:, 1])


FAMILIES = [stopped, aboard, led, gated, torn]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
