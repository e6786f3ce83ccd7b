"""Every column of random driven trees, against places that are formulas of time.

usage: columns.py BUILD FIRST LAST [METHOD ...] [OPTION=VALUE ...]     seeds; default, explicit and others unless named

All coordinates of all joints are driven, so the places of bodies are known; velocities and accelerations follow
from them by differences of eighth order, what joints bear by Newton's and Euler's laws from the tips to the
ground. Compared are all columns there are: places, quaternions, angles, velocities and accelerations of bodies
and frames, coordinates, what joints and drivers bear, lengths, forces, powers and losses of springs, dampers,
loads and drag, energies, work, integrals, formulas and tables. A line is printed for each kind of column that
is off, and counts at the end.
"""

import collections
import math
import sys
from pathlib import Path

import numpy as np
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

METHODS = ["default", "explicit", "index2-alpha", "index3-alpha", "baumgarte"]
TIMES = np.linspace(0, 0.6, 7)
H = 4e-3
# central differences of eighth order
FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / H
SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) / H**2
GRID = H * np.arange(-4, 5)


def rate(f, t):
    return np.tensordot(FIRST, np.array([f(t + h) for h in GRID]), 1)


def second(f, t):
    return np.tensordot(SECOND, np.array([f(t + h) for h in GRID]), 1)


def spin_of(turn, t):
    W = rate(turn, t) @ turn(t).T
    return np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]]) / 2


def about(axis, angle):
    return Rotation.from_rotvec(np.array(axis) * angle).as_matrix()


def unit(r):
    v = r.normal(size=3)
    return v / np.linalg.norm(v)


def as_orientation(turn):
    v = Rotation.from_matrix(turn).as_rotvec()
    return {"axis": (v / np.linalg.norm(v)).tolist(), "angle": float(np.linalg.norm(v))}


class Tree:
    FREE = {"revolute": ["angle"], "prismatic": ["translation"], "cylindrical": ["translation", "angle"],
            "universal": ["angle", "angle_b"], "screw": ["angle"], "fixed": []}

    def __init__(self, seed):
        r = self.r = np.random.default_rng([seed, 71])
        self.n = int(r.integers(1, 5))
        self.parent, self.joint, self.place0, self.turn0 = [], [], [], []
        self.model = {"gravity": (r.normal(size=3) * 6).tolist(), "bodies": {}, "joints": {}, "forces": {}, "signals": {}}
        self.g = np.array(self.model["gravity"])
        self.body, self.drivers = [], []
        for i in range(self.n):
            self.link(i)
        self.known = {}
        self.forces()
        self.extras()

    def link(self, i):
        r = self.r
        self.parent.append(int(r.integers(-1, i)) if i else -1)
        self.place0.append(r.normal(size=3))
        self.turn0.append(about(unit(r), r.uniform(0.1, 3)))
        A = r.normal(size=(3, 3))
        inertia = A @ A.T * 0.05
        inertia = np.trace(inertia) * np.eye(3) - inertia + 0.02 * np.eye(3)
        frame_turn = about(unit(r), r.uniform(0.1, 3))
        self.body.append({"m": r.uniform(0.5, 3), "I": inertia, "com": r.normal(size=3) * 0.3, "tip": r.normal(size=3) * 0.5,
                          "tip_turn": frame_turn})
        b = self.body[i]
        self.model["bodies"][f"b{i}"] = {
            "mass": b["m"], "inertia": inertia.tolist(), "com": b["com"].tolist(), "position": self.place0[i].tolist(),
            "orientation": as_orientation(self.turn0[i]),
            "frames": {"tip": {"position": b["tip"].tolist(), "orientation": as_orientation(frame_turn)}}}
        kind = str(r.choice(["revolute", "revolute", "prismatic", "cylindrical", "universal", "screw", "fixed"]))
        axis, P = unit(r), r.normal(size=3)
        joint = {"type": kind, "b": f"b{i}", "at": P.tolist()}
        if self.parent[i] >= 0:
            joint["a"] = f"b{self.parent[i]}"
        other = unit(r)
        other -= (other @ axis) * axis
        other /= np.linalg.norm(other)
        pitch = r.uniform(-0.3, 0.3)
        if kind != "fixed":
            joint["axis"] = axis.tolist()
        if kind == "universal":
            joint["axis_b"] = other.tolist()
        if kind == "screw":
            joint["pitch"] = pitch
        self.model["joints"][f"j{i}"] = joint
        moves = []
        for c in self.FREE[kind]:
            a, w, p = r.uniform(-1, 1), r.uniform(1, 6), r.uniform(0, 6)
            moves.append(lambda t, a=a, w=w, p=p: a * (math.sin(w * t + p) - math.sin(p)))
            name = f"d{i}_{c}"
            self.drivers.append((name, i, c, moves[-1]))
            self.model["joints"][name] = {"type": "driver", "joint_a": f"j{i}", "coordinate": c,
                                          "motion": f"{a!r}*(sin({w!r}*t + {p!r}) - sin({p!r}))"}
        self.joint.append({"kind": kind, "P": P, "axis": axis, "other": other, "pitch": pitch, "moves": moves})

    def moved(self, i, t):
        """Turn and shift of the world by which the joint moves b from where it is described, seen from a."""
        j = self.joint[i]
        turn, shift = np.eye(3), np.zeros(3)
        q = [m(t) for m in j["moves"]]
        if j["kind"] == "revolute":
            turn = about(j["axis"], q[0])
        elif j["kind"] == "prismatic":
            shift = j["axis"] * q[0]
        elif j["kind"] == "cylindrical":
            turn, shift = about(j["axis"], q[1]), j["axis"] * q[0]
        elif j["kind"] == "universal":
            turn = about(j["axis"], q[0]) @ about(j["other"], q[1])
        elif j["kind"] == "screw":
            turn, shift = about(j["axis"], q[0]), j["axis"] * q[0] * j["pitch"]
        return turn, j["P"] + shift - turn @ j["P"]

    def carried(self, i, t):
        """Turn and shift of the world by which body i has moved."""
        if i < 0:
            return np.eye(3), np.zeros(3)
        T, s = self.carried(self.parent[i], t)
        t1, s1 = self.moved(i, t)
        return T @ t1, T @ s1 + s

    def turn(self, i):
        return (lambda t: np.eye(3)) if i < 0 else lambda t: self.carried(i, t)[0] @ self.turn0[i]

    def point(self, i, local):
        """A point of body i (its own axes) as a function of time; of the ground when i is -1."""
        if i < 0:
            return lambda t: np.array(local)

        def place(t):
            T, s = self.carried(i, t)
            return T @ (self.place0[i] + self.turn0[i] @ local) + s
        return place

    def world_point(self, i, P):
        """The point of body i that is at P where it is described."""
        return self.point(i, P if i < 0 else self.turn0[i].T @ (P - self.place0[i]))

    # what acts

    def forces(self):
        """Each: (body, force and point as functions of time, torque) and its own columns."""
        r, self.loads, self.potential = self.r, [], []
        for k in range(int(r.integers(1, 4))):
            i = int(r.integers(0, self.n))
            o = int(r.integers(-1, self.n))
            what = str(r.choice(["spring", "force", "torque", "drag"]))
            name = f"f{k}"
            P, Q = r.normal(size=3), r.normal(size=3) + 2
            if what == "spring" and o != i:
                self.spring(name, o, i, P, Q)
            elif what == "force":
                self.applied(name, i, P, r.random() < 0.5)
            elif what == "torque":
                self.turning(name, i, r.random() < 0.5)
            elif what == "drag":
                self.drag(name, i, P)

    def spring(self, name, a, b, P, Q):
        r = self.r
        k, c, free = r.uniform(5, 50), r.uniform(0, 3), r.uniform(0.5, 2)
        one, two = self.world_point(a, P), self.world_point(b, Q)
        length = lambda t: np.linalg.norm(two(t) - one(t))
        tension = lambda t: k * (length(t) - free) + c * rate(length, t)
        along = lambda t: (two(t) - one(t)) / length(t)
        self.loads.append((b, lambda t: -tension(t) * along(t), two, None))
        if a >= 0:
            self.loads.append((a, lambda t: tension(t) * along(t), one, None))
        self.potential.append(lambda t: k * (length(t) - free) ** 2 / 2)
        self.model["forces"][name] = {"type": "spring", "a": f"b{a}" if a >= 0 else "ground", "b": f"b{b}", "at": P.tolist(),
                                      "at_b": Q.tolist(), "stiffness": k, "damping": c, "free": free}
        self.known |= {f"{name}.length": length, f"{name}.rate": lambda t: rate(length, t), f"{name}.force": tension,
                       f"{name}.power": lambda t: -tension(t) * rate(length, t),
                       f"{name}.dissipation": lambda t: c * rate(length, t) ** 2}

    def formulas(self):
        r = self.r
        a, w, p = r.uniform(-9, 9, 3), r.uniform(1, 9, 3), r.uniform(0, 6, 3)
        return [f"{a[i]!r}*cos({w[i]!r}*t + {p[i]!r})" for i in range(3)], lambda t: a * np.cos(w * t + p)

    def applied(self, name, i, P, own):
        text, value = self.formulas()
        turn, place = self.turn(i), self.world_point(i, P)
        force = (lambda t: turn(t) @ value(t)) if own else value
        self.loads.append((i, force, place, None))
        self.model["forces"][name] = {"type": "force", "b": f"b{i}", "at": P.tolist(), "force": text} | ({"axes": "body"} if own else {})
        self.known |= {f"{name}.f{c}": lambda t, k=k: value(t)[k] for k, c in enumerate("xyz")}
        power = lambda t: force(t) @ rate(place, t)
        self.known |= {f"{name}.power": power, f"{name}.dissipation": lambda t: -power(t)}

    def turning(self, name, i, own):
        text, value = self.formulas()
        turn = self.turn(i)
        torque = (lambda t: turn(t) @ value(t)) if own else value
        self.loads.append((i, None, None, torque))
        self.model["forces"][name] = {"type": "torque", "b": f"b{i}", "torque": text} | ({"axes": "body"} if own else {})
        self.known |= {f"{name}.t{c}": lambda t, k=k: value(t)[k] for k, c in enumerate("xyz")}
        self.known[f"{name}.power"] = lambda t: torque(t) @ spin_of(turn, t)

    def drag(self, name, i, P):
        r = self.r
        area, cd, viscous = r.uniform(0.1, 1), r.uniform(0.2, 2), r.uniform(0, 1)
        text, wind = self.formulas()
        place = self.world_point(i, P)
        against = lambda t: rate(place, t) - wind(t)
        force = lambda t: -(viscous + 1.225 * cd * area * np.linalg.norm(against(t)) / 2) * against(t)
        self.loads.append((i, force, place, None))
        self.model["forces"][name] = {"type": "drag", "b": f"b{i}", "at": P.tolist(), "area": area, "drag": cd,
                                      "viscous": viscous, "wind": text}
        self.known |= {f"{name}.f{c}": lambda t, k=k: force(t)[k] for k, c in enumerate("xyz")}
        self.known |= {f"{name}.speed": lambda t: np.linalg.norm(against(t)), f"{name}.power": lambda t: force(t) @ rate(place, t)}

    # signals and columns of one's own

    def extras(self):
        r = self.r
        at = np.sort(r.uniform(0, 0.6, 5))
        at[0], at[-1] = 0, 0.7
        value = r.normal(size=5)
        table = np.column_stack([at, value]).tolist()
        s = self.model["signals"]
        s["line"], s["kept"] = {"table": table}, {"table": table, "interpolation": "hold"}
        s["curve"] = {"table": table, "interpolation": "cubic"}
        s["both"] = "line*curve + b0.vx"
        spline = CubicSpline(at, value)
        line = lambda t: float(np.interp(t, at, value))
        held = lambda t: float(value[max(np.searchsorted(at, t + 1e-12, side="right") - 1, 0)])
        self.known |= {"line": line, "kept": held, "curve": lambda t: float(spline(t)),
                       "both": lambda t: line(t) * float(spline(t)) + rate(self.point(0, np.zeros(3)), t)[0]}
        square = lambda t: rate(self.point(0, np.zeros(3)), t)[1] ** 2
        ways = {}
        whole = lambda t: ways.setdefault(t, quad(square, 0, t, epsabs=1e-12, epsrel=1e-11)[0])
        self.known |= {"way": whole, "twice": lambda t: 2 * whole(t) + square(t)}

    def asked(self):
        """The model with every column asked for by name."""
        outputs = ["*"]
        for i in range(self.n):
            outputs += [f"b{i}.{c}" for c in ("ax", "ay", "az", "alphax", "alphay", "alphaz", "roll", "pitch", "yaw",
                                             "local_wx", "local_wy", "local_wz")]
            outputs += [f"b{i}.tip.{c}" for c in ("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az", "wx", "wy", "wz")]
        for name, i, c, _ in self.drivers:
            outputs += [f"j{i}.{c}_acceleration", f"{name}.power"]
        outputs += [name for name in self.known if name.endswith((".power", ".dissipation"))]
        outputs += [{"way": {"integral": "b0.vy^2", "unit": "m"}}, {"twice": "2*way + b0.vy^2"}]
        return self.model | {"outputs": outputs}

    # what must be in the columns

    def wrench(self, i, t):
        """Force, and torque about the joint's place on b, of all that the joint and its drivers bear."""
        b = self.body[i]
        com = self.point(i, b["com"])
        turn = self.turn(i)
        momentum = lambda t: turn(t) @ b["I"] @ turn(t).T @ spin_of(turn, t)
        force = b["m"] * (second(com, t) - self.g)
        about_com = rate(momentum, t)
        for which, f, place, torque in self.loads:
            if which == i:
                if f is not None:
                    force = force - f(t)
                    about_com = about_com - np.cross(place(t) - com(t), f(t))
                if torque is not None:
                    about_com = about_com - torque(t)
        here = self.world_point(i, self.joint[i]["P"])(t)
        total = about_com + np.cross(com(t) - here, force)
        for child in range(self.n):
            if self.parent[child] == i:
                f, m = self.wrench(child, t)
                there = self.world_point(child, self.joint[child]["P"])(t)
                force = force + f
                total = total + m + np.cross(there - here, f)
        return force, total

    def energy(self, t):
        kinetic = potential = 0.0
        for i, b in enumerate(self.body):
            com, turn = self.point(i, b["com"]), self.turn(i)
            v, w = rate(com, t), turn(t).T @ spin_of(turn, t)
            kinetic += (b["m"] * v @ v + w @ b["I"] @ w) / 2
            potential -= b["m"] * self.g @ com(t)
        return kinetic, potential + sum(p(t) for p in self.potential)

    def wanted(self):
        """Columns by name: values at all times; None in the place of the name's sign where it is free."""
        found = {}
        for i, b in enumerate(self.body):
            turn, origin, tip = self.turn(i), self.point(i, np.zeros(3)), self.point(i, b["tip"])
            three = lambda names, f: found.update({n: np.array([f(t)[k] for t in TIMES]) for k, n in enumerate(names)})
            xyz = lambda what: [f"b{i}.{what}{c}" for c in "xyz"]
            three(xyz(""), origin)
            three(xyz("v"), lambda t: rate(origin, t))
            three(xyz("a"), lambda t: second(origin, t))
            three(xyz("w"), lambda t: spin_of(turn, t))
            three(xyz("alpha"), lambda t: rate(lambda s: spin_of(turn, s), t))
            three(xyz("local_w"), lambda t: turn(t).T @ spin_of(turn, t))
            three([f"b{i}.{c}" for c in ("roll", "pitch", "yaw")], lambda t: Rotation.from_matrix(turn(t)).as_euler("xyz"))
            three(xyz("tip."), tip)
            three(xyz("tip.v"), lambda t: rate(tip, t))
            three(xyz("tip.a"), lambda t: second(tip, t))
            three(xyz("tip.w"), lambda t: (turn(t) @ b["tip_turn"]).T @ spin_of(turn, t))
            three([f"b{i}.q{k}" for k in range(4)], lambda t: Rotation.from_matrix(turn(t)).as_quat()[[3, 0, 1, 2]])
            if self.joint[i]["kind"] != "screw":
                borne = [self.wrench(i, t) for t in TIMES]
                three([f"SUM j{i}.f{c}" for c in "xyz"], lambda t: borne[list(TIMES).index(t)][0])
                three([f"SUM j{i}.t{c}" for c in "xyz"], lambda t: borne[list(TIMES).index(t)][1])
        power = np.zeros(len(TIMES))
        for name, i, c, move in self.drivers:
            one = lambda t: np.array(move(t))
            found |= {f"j{i}.{c}": np.array([move(t) for t in TIMES]), f"j{i}.{c}_rate": np.array([rate(one, t) for t in TIMES]),
                      f"j{i}.{c}_acceleration": np.array([second(one, t) for t in TIMES])}
            effort = self.effort(i, c)
            if effort is not None:
                found |= {f"{name}.lambda_motion": effort, f"{name}.power": effort * found[f"j{i}.{c}_rate"]}
                power = None if power is None else power + found[f"{name}.power"]
            else:
                power = None
        energies = np.array([self.energy(t) for t in TIMES])
        total = energies.sum(axis=1)
        found |= {"energy.kinetic": energies[:, 0], "CHANGE energy.potential": energies[:, 1] - energies[0, 1],
                  "energy.work": total - total[0], "CHANGE energy.total": total - total[0], "energy.balance": 0 * total}
        if power is not None:
            found["constraints.power"] = power
        found |= {name: np.array([float(f(t)) for t in TIMES]) for name, f in self.known.items()}
        return found

    def effort(self, i, c):
        """What the driver must do, by the power of what is borne along its coordinate."""
        j = self.joint[i]
        if j["kind"] == "screw":
            return None
        values = []
        for t in TIMES:
            force, torque = self.wrench(i, t)
            T = self.carried(self.parent[i], t)[0]
            axis = T @ j["axis"]
            if c == "translation":
                values.append(axis @ force)
            elif c == "angle_b":
                values.append(T @ about(j["axis"], j["moves"][0](t)) @ j["other"] @ torque)
            else:
                values.append(axis @ torque)
        return np.array(values)


def column(result, name, tree):
    """What the run recorded in the place of a wanted column."""
    get = lambda n: np.asarray(result[n])
    if name.startswith("CHANGE "):
        return get(name[7:]) - get(name[7:])[0]
    if name.startswith("SUM "):
        joint, part = name[4:].split(".")
        i = int(joint[1:])
        return get(f"{joint}.{part}") + sum(get(f"{d}.{part}") for d, k, _, _ in tree.drivers if k == i)
    return get(name)


def group(name):
    """Columns of one sort share a scale: what one of them is off is judged by the largest of them."""
    last = name.split(".")[-1]
    return last.rstrip("xyz") if "." in name else name


def judge(tree, wanted, method, **more):
    import holon
    from attack import run_of
    try:
        result = run_of(tree.asked(), TIMES, method, 400, **more)
    except holon.Error as refused:
        return "refused", [str(refused).splitlines()[0]]
    told = result.audit.motion
    scale = collections.defaultdict(float)
    for name, values in wanted.items():
        scale[group(name)] = max(scale[group(name)], np.max(abs(values)))
    for name in ("energy.kinetic", "CHANGE energy.potential", "energy.work", "CHANGE energy.total", "energy.balance"):
        scale[group(name)] = max(scale["kinetic"], scale["work"])
    words, loose = [], max(1e-6, 10 * float(more.get("rtol", 0)))  # what is recorded follows the tolerance
    for name, values in wanted.items():
        try:
            mine = column(result, name, tree)
        except KeyError:
            words.append(f"no column {name}")
            continue
        off = abs(mine - values)
        if name.split(".")[-1] in ("q0", "q1", "q2", "q3"):
            off = np.minimum(off, abs(mine + values))
        if name.split(".")[-1] in ("roll", "yaw"):
            off = abs((off + math.pi) % (2 * math.pi) - math.pi)
        if np.max(off) > loose * (1e-3 + scale[group(name)]) + 10 * max(told.relative_position, told.relative_velocity) * scale[group(name)]:
            words.append(f"{name} off {np.max(off):.1e} of {scale[group(name)]:.1e}")
    if not result.audit.passed:
        return ("failed" if words else "failed though right"), [i.name for i in result.audit.items if not i.passed] + words
    return ("SILENT" if words else "right"), words


def main():
    sys.path[:0] = [str(Path(sys.argv[1]).resolve() / "python"), str(Path(__file__).resolve().parent)]
    words = sys.argv[4:]
    more = dict(w.split("=", 1) for w in words if "=" in w)
    methods = [w for w in words if "=" not in w] or METHODS
    count = collections.Counter()
    for seed in range(int(sys.argv[2]), int(sys.argv[3])):
        tree = Tree(seed)
        wanted = tree.wanted()
        for method in methods:
            kind, said = judge(tree, wanted, method, **more)
            count[kind] += 1
            if kind != "right":
                print(f"seed {seed} {method}: {kind}: {'; '.join(said[:6])}{f' and {len(said) - 6} more' if len(said) > 6 else ''}", flush=True)
    print(", ".join(f"{kind} {n}" for kind, n in sorted(count.items())))


if __name__ == "__main__":
    main()
