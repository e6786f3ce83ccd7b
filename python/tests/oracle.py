"""A second reading of docs/format.md, to hold the library against.

`Oracle(description)` takes a model as a dict and works out accelerations and reactions at a given
state from what the documentation says of each element: nothing here is shared with the library, and
nothing is fast. Jacobians come from complex steps, their rates from differences along the motion.

Everything is in world axes; a velocity is that of the frame's origin, then the angular velocity, six
numbers for each body, planar bodies and points included (rows hold what they do not have).
"""

import functools
import math

import numpy as np


def skew(w):
    return np.array([[0 * w[0], -w[2], w[1]], [w[2], 0 * w[0], -w[0]], [-w[1], w[0], 0 * w[0]]])


def rotation_by(w):
    """The rotation by a vector, which may be complex."""
    square, k = w @ w, skew(w)
    if abs(square) < 1e-16:
        return np.eye(3) + k + k @ k / 2
    angle = np.sqrt(square)
    return np.eye(3) + np.sin(angle) / angle * k + (1 - np.cos(angle)) / square * k @ k


def rotation_of(quaternion):
    w, x, y, z = np.array(quaternion, float) / np.linalg.norm(quaternion)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def cross(a, b):
    """numpy's takes ten times as long for three numbers."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def unit(v):
    return np.array(v, float) / np.linalg.norm(v)


def across(u):
    """Two directions that make a right-handed frame with u."""
    first = unit(cross(u, np.eye(3)[np.argmin(abs(u))]))
    return first, cross(u, first)


def arctan(y, x):
    """The angle of (x, y) with its derivative in the imaginary part, as complex steps want it."""
    a, b = np.real(x), np.real(y)
    return math.atan2(b, a) + 1j * (a * np.imag(y) - b * np.imag(x)) / (a * a + b * b)


class Body:
    """A body as described; the ground has the index None."""

    def __init__(self, name, index, given):
        self.name, self.index = name, index
        self.kind = given.get("type", "spatial")
        self.mass = given.get("mass", 0)
        self.com = np.array(given.get("com", [0, 0, 0]), float)
        inertia = np.array(given.get("inertia", np.eye(3)), float)
        self.inertia = np.diag([1, 1, inertia]) if inertia.ndim == 0 else inertia
        self.place = np.array(given.get("position", [0, 0, 0]), float)
        self.turn = np.eye(3)
        if "orientation" in given:
            self.turn = rotation_of(given["orientation"]["quaternion"])
        if "angle" in given:
            self.turn = rotation_by(np.array([0, 0, given["angle"]]))
        for vector in ("com", "place"):
            setattr(self, vector, np.append(getattr(self, vector), [0, 0, 0])[:3])
        self.frames = given.get("frames", {})

    def hidden_rows(self, velocity):
        """What the body cannot do, as velocities that are zero."""
        return {"spatial": [], "planar": velocity[2:5], "point": velocity[3:6],
                "planar-point": velocity[2:6]}[self.kind]


class End:
    """One end of an element: a body, the place on it and, of an oriented frame, axes."""

    def __init__(self, body, place, axes):
        self.body, self.place, self.axes = body, place, axes  # world, as described

    def point(self, state, place=None):
        return state.point(self.body, self.place if place is None else place)

    def vector(self, state, v):
        return state.vector(self.body, v)


class State:
    """Poses of all bodies and, where they are known, velocities."""

    def __init__(self, poses, velocity=None):
        self.poses, self.velocity = poses, velocity

    def pose(self, body):
        return (np.zeros(3), np.eye(3)) if body.index is None else self.poses[body.index]

    def point(self, body, described):
        r, turn = self.pose(body)
        return r + turn @ (body.turn.T @ (described - body.place))

    def vector(self, body, described):
        return self.pose(body)[1] @ (body.turn.T @ described)

    def twist(self, body):
        if body.index is None:
            return np.zeros(3), np.zeros(3)
        six = self.velocity[6 * body.index:6 * body.index + 6]
        return six[:3], six[3:]

    def speed(self, body, point):
        """Velocity of the body's material at a point of the world."""
        v, w = self.twist(body)
        return v + cross(w, point - self.pose(body)[0])

    def moved(self, six):
        """The state after a small displacement of every body."""
        return State([(r + six[6 * i:6 * i + 3], rotation_by(six[6 * i + 3:6 * i + 6]) @ turn)
                      for i, (r, turn) in enumerate(self.poses)], self.velocity)


FORMULA_NAMES = {name: getattr(np, name) for name in ("sin", "cos", "exp", "sqrt", "tanh")}


class Oracle:
    def __init__(self, given):
        self.given = given
        names = list(given["bodies"])
        self.ground = Body("ground", None, given.get("ground", {}))
        self.bodies = [Body(name, i, given["bodies"][name]) for i, name in enumerate(names)]
        self.by_name = {"ground": self.ground} | {b.name: b for b in self.bodies}
        self.gravity = np.append(given.get("gravity", []), [0, 0, 0])[:3]
        self.joints = given.get("joints", {})
        self.forces = given.get("forces", {})

    # ends, places, axes

    def end(self, element, which, at=None):
        body, _, frame = element.get(which, "ground").partition(".")
        body = self.by_name[body]
        place, axes = body.place, None
        if frame:
            given = body.frames[frame]
            place = body.place + body.turn @ np.append(given["position"], [0])[:3]
            if "orientation" in given:
                axes = body.turn @ rotation_of(given["orientation"]["quaternion"])
        elif at in element:
            place = np.append(element[at], [0])[:3]
        return End(body, place, axes)

    def ends(self, element):
        """a, b and the axis of an element with one place."""
        a, b = self.end(element, "a", "at"), self.end(element, "b", "at")
        if "." not in element.get("a", "") and "at" not in element:
            a.place = b.place
        if "." not in element.get("b", "") and "at" not in element and "." in element.get("a", ""):
            b.place = a.place
        oriented = next((e.axes[:, 2] for e in (a, b) if e.axes is not None), np.array([0, 0, 1.0]))
        return a, b, unit(element["axis"]) if "axis" in element else oriented

    @functools.cache
    def coordinate(self, joint, name):
        """The coordinate of a joint, as a function of the state."""
        element = self.joints[joint]
        a, b, u = self.ends(element)
        x, y = across(u)
        start = element.get("value", 0)
        if name is None:
            name = {"revolute": "angle", "screw": "angle"}.get(element["type"], "translation")

        def translation(s):
            return (b.point(s) - a.point(s)) @ a.vector(s, u) + start

        def angle(s):
            xb = b.vector(s, x)
            return arctan(xb @ a.vector(s, y), xb @ a.vector(s, x)) + start

        return {"translation": translation, "angle": angle}[name]

    # rows

    @functools.cache
    def positions(self, name):
        """Rows of a joint that are functions of the positions."""
        element = self.joints[name]
        kind = element["type"]
        if kind in ("gear", "rack-pinion"):
            first = self.coordinate(element["joint_a"], element.get("coordinate"))
            second = self.coordinate(element["joint_b"], element.get("coordinate_b"))
            # the rack's coordinate is the translation, whichever joint stands first
            if kind == "gear":
                return lambda s: [second(s) - element["ratio"] * first(s)]
            if element["coordinate"] == "translation":
                first, second = second, first
            return lambda s: [second(s) - element["radius"] * first(s)]
        if kind == "driver" and "joint_a" in element:
            driven = self.coordinate(element["joint_a"], element.get("coordinate"))
            return lambda s: [driven(s)]
        a, b, u = self.ends(element)
        if kind in ("coordinate", "driver"):
            return self.body_coordinate(element)
        if kind in ("distance", "universal-spherical", "revolute-spherical") and "at_b" in element:
            b = End(b.body, np.array(element["at_b"], float), None)
        x, y = across(u)
        w = unit(element["axis_b"]) if "axis_b" in element else None
        length = np.linalg.norm(b.place - a.place)

        def rows(s):
            d = b.point(s) - a.point(s)
            ua, xa, ya = (a.vector(s, v) for v in (u, x, y))
            xb, yb = b.vector(s, x), b.vector(s, y)
            wb = None if w is None else b.vector(s, w)
            level, on_line = [ua @ xb, ua @ yb], [d @ xa, d @ ya]
            if kind == "screw":
                turned = arctan(xb @ ya, xb @ xa)
                return on_line + level + [d @ ua - element["pitch"] * turned]
            if kind == "revolute-prismatic":
                return level + [d @ b.vector(s, v) for v in across(w)]
            if kind == "constant-velocity":
                bend = cross(u, w)
                c = rotation_by(unit(bend) * math.atan2(np.linalg.norm(bend), u @ w))
                return list(d) + [xa @ b.vector(s, c @ y) - ya @ b.vector(s, c @ x)]
            return {
                "revolute": lambda: list(d) + level,
                "prismatic": lambda: on_line + level + [xb @ ya],
                "cylindrical": lambda: on_line + level,
                "spherical": lambda: list(d),
                "universal": lambda: list(d) + [ua @ wb],
                "planar": lambda: [d @ ua] + level,
                "fixed": lambda: list(d) + level + [xb @ ya],
                "distance": lambda: [np.sqrt(d @ d) - length],
                "universal-spherical": lambda: [np.sqrt(d @ d) - length],
                "revolute-spherical": lambda: [np.sqrt(d @ d) - length, d @ ua],
                "point-on-line": lambda: on_line,
                "point-on-plane": lambda: [d @ ua],
                "parallel": lambda: level,
                "perpendicular": lambda: [ua @ wb],
                "rolling-disc": lambda: [],
                "rolling-sphere": lambda: [],
                "knife-edge": lambda: [],
                "wheel": lambda: [],
            }[kind]()

        return rows

    def body_coordinate(self, element):
        """x, y, z or an angle of b in the axes of a, of their frames where these are oriented."""
        a, b = self.end(element, "a"), self.end(element, "b", "at")
        axes_a = a.body.turn if a.axes is None else a.axes
        axes_b = b.body.turn if b.axes is None else b.axes

        def rows(s):
            turn = a.vector(s, axes_a).T
            local, c = turn @ (b.point(s) - a.point(s)), turn @ b.vector(s, axes_b)
            return [{"x": lambda: local[0], "y": lambda: local[1], "z": lambda: local[2],
                     "yaw": lambda: arctan(c[1, 0], c[0, 0]), "angle": lambda: arctan(c[1, 0], c[0, 0]),
                     "pitch": lambda: arctan(-c[2, 0], np.sqrt(c[0, 0] ** 2 + c[1, 0] ** 2)),
                     "roll": lambda: arctan(c[2, 1], c[2, 2])}[element["coordinate"]]()]

        return rows

    @functools.cache
    def speeds(self, name):
        """Rows of a joint that are linear in the velocities, beside those of positions."""
        element = self.joints[name]
        kind = element["type"]
        if kind not in ("rolling-disc", "rolling-sphere", "knife-edge", "wheel"):
            return lambda s: []
        a, b = self.end(element, "a"), self.end(element, "b", "at")
        if kind in ("knife-edge", "wheel"):
            axis = unit(element["axis"]) if "axis" in element else b.axes[:, 2]

            def skate(s):
                p = b.point(s)
                return [b.vector(s, axis) @ (s.speed(b.body, p) - s.speed(a.body, p))]

            return skate
        normal = unit(element["normal"]) if "normal" in element else \
            (np.array([0, 0, 1.0]) if a.axes is None else a.axes[:, 2])
        axle = None
        if kind == "rolling-disc":
            axle = unit(element["axis"]) if "axis" in element else b.axes[:, 2]

        def roll(s):
            n = a.vector(s, normal)
            down = n if axle is None else n - (n @ b.vector(s, axle)) * b.vector(s, axle)
            touch = b.point(s) - element["radius"] * down / np.sqrt(down @ down)
            slip = s.speed(b.body, touch) - s.speed(a.body, touch)
            return list(a.vector(s, np.array([*across(normal), normal]).T).T @ slip)

        return roll

    def touched(self, name):
        """Indices of the bodies that have a part in a joint's rows."""
        element = self.joints[name]
        if "joint_a" in element:
            others = [element[key] for key in ("joint_a", "joint_b") if key in element]
            return sorted({i for other in others for i in self.touched(other)})
        ends = (self.by_name[element.get(which, "ground").partition(".")[0]] for which in "ab")
        return sorted({body.index for body in ends if body.index is not None})

    def jacobian(self, state):
        """All rows by velocities; beside it whose row each is, None for what a body cannot do."""
        size = 6 * len(self.bodies)
        owners, blocks = [], []
        for name in self.joints:
            holonomic, other = self.positions(name), self.speeds(name)
            block = None
            for k in (6 * i + c for i in self.touched(name) for c in range(6)):
                one = np.zeros(size)
                one[k] = 1
                moved = np.array(holonomic(state.moved(1e-30j * one)), complex).imag / 1e-30
                column = np.append(moved, other(State(state.poses, one)))
                if block is None:
                    block = np.zeros((len(column), size))
                block[:, k] = column
            blocks.append(block)
            owners += [name] * len(block)
        for i, body in enumerate(self.bodies):
            hidden = np.array([body.hidden_rows(row) for row in np.eye(6)]).T.reshape(-1, 6)
            wide = np.zeros((len(hidden), size))
            wide[:, 6 * i:6 * i + 6] = hidden
            blocks.append(wide)
            owners += [None] * len(hidden)
        return np.vstack(blocks), owners

    @functools.cache
    def row_count(self, name):
        still = State(self.described().poses, np.zeros(6 * len(self.bodies)))
        return len(self.positions(name)(still)) + len(self.speeds(name)(still))

    def driven(self, t=0.0):
        """Rate and second rate that drivers ask of their rows, by differences of complex steps."""
        rates = []
        for name, element in self.joints.items():
            if element["type"] != "driver":
                rates += [(0, 0)] * self.row_count(name)
                continue
            h = 1e-3
            at = [np.imag(self.number(element["motion"], t=t + k * h + 1e-30j)) / 1e-30 for k in range(-3, 4)]
            rates.append((at[3], np.dot([-1, 9, -45, 0, 45, -9, 1], at) / 60 / h))
        rates += [(0, 0)] * sum(len(b.hidden_rows(np.zeros(6))) for b in self.bodies)
        return np.array(rates).reshape(-1, 2).T

    def described(self):
        return State([(b.place, b.turn) for b in self.bodies])

    # forces

    def number(self, formula, **values):
        if not isinstance(formula, str):
            return formula
        return eval(formula.replace("^", "**"), {"__builtins__": {}}, FORMULA_NAMES | values)

    class Seen:
        """A body as formulas see it: `arm.x`, `arm.vx`."""

        def __init__(self, state, body):
            (self.x, self.y, self.z), (self.vx, self.vy, self.vz) = state.pose(body)[0], state.twist(body)[0]

    def wound(self, force, x):
        """The value of what a force acts along, whole turns counted; as described there are none."""
        return x

    def apply(self, state, t=0.0):
        """Forces and torques on all bodies, about the origins of their frames."""
        total = np.zeros(6 * len(self.bodies))
        values = {b.name: self.Seen(state, b) for b in self.bodies} | {"t": t}

        def push(body, point, force, torque=(0, 0, 0)):
            if body.index is not None:
                six = total[6 * body.index:6 * body.index + 6]
                six[:3] += force
                six[3:] += cross(point - state.pose(body)[0], force) + torque

        def along(measure, effort):
            """A generalized force on a function of the state."""
            gradient = np.array([np.imag(measure(state.moved(1e-30j * one))) / 1e-30
                                 for one in np.eye(total.size)])
            x = self.wound(name, float(np.real(measure(state))))
            total[:] += gradient * effort(x, gradient @ state.velocity)

        for name, element in self.forces.items():
            getattr(self, "apply_" + element["type"].replace("-", "_"))(state, element, push, along, values)
        return total

    def tension(self, element, start, values, x, rate, name):
        """The law that springs have in common."""
        if "law" in element:
            return self.number(element["law"], **values | {name: x, "rate": rate, "value": x})
        stretch = x - element.get("free", start)
        force = element.get("stiffness", 0) * stretch + element.get("damping", 0) * rate
        force += sum(c * stretch ** (i + 1) for i, c in enumerate(element.get("coefficients", [])))
        return force + element.get("preload", 0)

    def apply_spring(self, state, element, push, along, values):
        if "joint" in element:
            measure = self.coordinate(element["joint"], element.get("coordinate"))
            start = float(np.real(measure(self.described())))
            return along(measure, lambda x, r: -self.tension(element, start, values, x, r, "length"))
        a, b = self.end(element, "a", "at"), self.end(element, "b", "at_b")
        pa, pb = a.point(state), b.point(state)
        e = unit(pb - pa)
        rate = e @ (state.speed(b.body, pb) - state.speed(a.body, pa))
        start = np.linalg.norm(b.place - a.place)
        pull = self.tension(element, start, values, np.linalg.norm(pb - pa), rate, "length")
        push(b.body, pb, -pull * e)
        push(a.body, pa, pull * e)

    def apply_torsion_spring(self, state, element, push, along, values):
        if "joint" in element:
            measure = self.coordinate(element["joint"], element.get("coordinate", "angle"))
        else:
            a, b, u = self.ends(element)
            x, y = across(u)

            def measure(s):
                xb = b.vector(s, x)
                return arctan(xb @ a.vector(s, y), xb @ a.vector(s, x))

        start = float(np.real(measure(self.described())))
        along(measure, lambda x, r: -self.tension(element, start, values, x, r, "angle"))

    def apply_motor(self, state, element, push, along, values):
        measure = self.coordinate(element["joint"], element.get("coordinate"))
        along(measure, lambda x, r: self.number(element["law"], **values | {"value": x, "rate": r}))

    def apply_friction(self, state, element, push, along, values):
        measure = self.coordinate(element["joint"], element.get("coordinate"))
        along(measure, lambda x, r: -element["viscous"] * r)

    def apply_bump_stop(self, state, element, push, along, values):
        def stop(m, rate):
            return max(0, element["stiffness"] * (m - element["gap"]) + element.get("damping", 0) * rate) \
                if m > element["gap"] else 0

        if "joint" in element:
            return along(self.coordinate(element["joint"], element.get("coordinate")),
                         lambda x, r: -stop(x, r))
        a, b = self.end(element, "a", "at"), self.end(element, "b", "at_b")
        axis = unit(element["axis"]) if "axis" in element else None if a.axes is None else a.axes[:, 2]

        def measure(s):
            d = b.point(s) - a.point(s)
            return np.sqrt(d @ d) if axis is None else d @ a.vector(s, axis)

        along(measure, lambda x, r: -stop(x, r))

    def apply_bushing(self, state, element, push, along, values):
        a, b, u = self.ends(element)
        axes = a.vector(state, a.axes if a.axes is not None else np.array([*across(u), u]).T)
        pa, pb = a.point(state), b.point(state)
        stiffness, damping = (np.array(element.get(key, np.zeros(6)), float)
                              for key in ("stiffness", "damping"))
        stiffness, damping = (np.diag(m) if m.ndim == 1 else m for m in (stiffness, damping))
        speed = np.append(axes.T @ (state.speed(b.body, pb) - state.speed(a.body, pb)),
                          axes.T @ (state.twist(b.body)[1] - state.twist(a.body)[1]))
        moved = np.append(axes.T @ (pb - pa), np.zeros(3)) - np.array(element.get("free", np.zeros(6)))
        six = np.array(element.get("preload", np.zeros(6))) - stiffness @ moved - damping @ speed
        push(b.body, pb, axes @ six[:3], axes @ six[3:])
        push(a.body, pb, -axes @ six[:3], -axes @ six[3:])

    def components(self, state, element, key, values):
        a, b = self.end(element, "a"), self.end(element, "b", "at")
        given = element[key] if isinstance(element[key], list) else [0, 0, element[key]]
        vector = np.append([self.number(c, **values) for c in given], [0])[:3]
        if element.get("axes") == "body":
            vector = b.vector(state, b.body.turn if b.axes is None else b.axes) @ vector
        return a, b, vector

    def apply_force(self, state, element, push, along, values):
        a, b, force = self.components(state, element, "force", values)
        push(b.body, b.point(state), force)
        push(a.body, b.point(state), -force)

    def apply_torque(self, state, element, push, along, values):
        a, b, torque = self.components(state, element, "torque", values)
        push(b.body, b.point(state), np.zeros(3), torque)
        push(a.body, b.point(state), np.zeros(3), -torque)

    def apply_tyre(self, state, element, push, along, values):
        a, b = self.end(element, "a"), self.end(element, "b", "at")
        axes = np.eye(3) if a.axes is None else a.axes
        place = axes.T @ (b.point(state) - a.place)
        speed = axes.T @ state.speed(b.body, b.point(state))
        height = lambda x: self.number(element["road"], x=x)
        slope = np.imag(height(place[0] + 1e-30j)) / 1e-30
        pressed = element["radius"] - (place[2] - np.real(height(place[0])))
        rate = slope * speed[0] - speed[2]
        lift = max(0, element["stiffness"] * pressed + element.get("damping", 0) * rate) if pressed > 0 else 0
        push(b.body, b.point(state), axes[:, 2] * lift)

    # equations

    def mass_matrix(self, state):
        m = np.zeros((6 * len(self.bodies),) * 2)
        f = np.zeros(len(m))
        for i, body in enumerate(self.bodies):
            turn = state.pose(body)[1]
            w = state.twist(body)[1]
            c, inertia = turn @ body.com, turn @ body.inertia @ turn.T
            v, r = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
            m[v, v] = body.mass * np.eye(3)
            m[r, v] = body.mass * skew(c)
            m[v, r] = -m[r, v]
            m[r, r] = inertia + body.mass * skew(c).T @ skew(c)
            pull = body.mass * (self.gravity - cross(w, cross(w, c)))
            f[v], f[r] = pull, cross(c, pull) - cross(w, inertia @ w)
        return m, f

    def contradiction(self):
        """How far the best velocities stay from what drivers ask for, as described."""
        jacobian, rate = self.jacobian(self.described())[0], self.driven()[0]
        return float(np.max(abs(jacobian @ np.linalg.lstsq(jacobian, rate, rcond=1e-9)[0] - rate)))

    def solve(self, poses, velocity):
        """Accelerations, reactions by joint (force and torque on b about its origin, None where they
        are not determined), and by how much the velocities miss the rows."""
        state = State(poses, velocity)
        jacobian, owners = self.jacobian(state)
        rate, second = self.driven()
        h = 2e-5
        along = [self.jacobian(state.moved(k * h * velocity))[0] for k in (-2, -1, 1, 2)]
        growth = (along[0] - 8 * along[1] + 8 * along[2] - along[3]) / (12 * h)
        gamma = second - growth @ velocity
        mass, force = self.mass_matrix(state)
        force += self.apply(state)
        rows = len(jacobian)
        saddle = np.block([[mass, -jacobian.T], [jacobian, np.zeros((rows, rows))]])
        both = np.linalg.lstsq(saddle, np.append(force, gamma), rcond=1e-13)[0]
        acceleration, multipliers = both[:len(mass)], both[len(mass):]
        reactions = None
        if np.linalg.matrix_rank(jacobian, tol=1e-9) == rows:
            reactions = {}
            for name in self.joints:
                mine = np.array([owner == name for owner in owners])
                reactions[name] = jacobian[mine].T @ multipliers[mine]
        return acceleration, reactions, float(np.max(abs(jacobian @ velocity - rate), initial=0))
