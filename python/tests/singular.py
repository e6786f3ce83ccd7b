"""Random mechanisms that move through singular places, by every method that copes with redundant joints.

usage: singular.py BUILD FIRST LAST [METHOD ...]     seeds; all such methods unless named

Each has one degree of freedom: the places of its bodies are functions of one angle, so the motion
is that of I(x) x'^2/2 + V(x) = E, which scipy integrates. On its way bars lie on each other or
links line up, for an instant more joints than usual are redundant, and other motions branch off.
A run must stay on its branch, or stop with words that name the place. It must not be called locked:
kinematics goes on. Lines are printed for what is none of these, and counts at the end.
"""

import collections
import math
import os
import sys
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

FLOOR = 1e-8


def turned(angle):
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


class Linkage:
    """Bodies as functions of one angle in a plane, put somewhere into space."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.seed, self.places, self.mass, self.joints = seed, {}, {}, {}
        u = self.random.uniform
        self.family = FAMILIES[seed % len(FAMILIES)]
        self.tilted = self.random.random() < 0.6
        self.turn = np.eye(3)
        if self.tilted:
            self.turn = np.linalg.qr(self.random.normal(size=(3, 3)))[0]
            self.turn *= np.linalg.det(self.turn)
        self.centre = self.random.normal(size=3) * [1, 1, self.tilted]
        self.gravity = u(-5, 5, 2)
        self.x = 0.0  # angle at the start: set by the family together with where it is singular
        getattr(self, self.family)(u)
        self.spin = self.direction * self.speed_to_pass()
        self.driven = self.random.random() < 0.25

    # families: bars, cranks and sliders as functions of x

    def bar(self, name, start, end, along=0.5):
        """A body whose frame lies between two points that move, x along it."""
        def place(x):
            a, b = start(x), end(x)
            return np.append(a + along * (b - a), math.atan2(*(b - a)[::-1]))
        self.body(name, place)

    def body(self, name, place):
        self.places[name] = place
        self.mass[name] = (self.random.uniform(0.5, 2), self.random.uniform(0.05, 0.3))

    def pin(self, name, a, b, point):
        self.joints[name] = ("revolute", a, b, point)

    def parallelogram(self, u, cranks=2):
        r, at = u(0.3, 1), np.cumsum(np.append(0, u(0.4, 1.2, cranks - 1)))
        foot = [lambda x, d=d: np.array([d, 0]) for d in at]
        head = [lambda x, d=d: np.array([d + r * math.cos(x), r * math.sin(x)]) for d in at]
        for i in range(cranks):
            self.bar(f"crank{i}", foot[i], head[i], u(0.2, 0.8))
            self.pin(f"O{i}", "ground", f"crank{i}", foot[i])
        for i in range(cranks - 1):
            self.bar(f"rod{i}", head[i], head[i + 1])
            self.pin(f"A{i}", f"crank{i}", f"rod{i}", head[i])
            self.pin(f"B{i}", f"crank{i + 1}", f"rod{i}", head[i + 1])
        self.begin(u, 0)

    def ladder(self, u):
        self.parallelogram(u, int(self.random.integers(3, 5)))

    def slider_crank(self, u):
        r = u(0.4, 1)
        a = lambda x: r * np.array([math.cos(x), math.sin(x)])
        b = lambda x: np.array([2 * r * math.cos(x), 0])
        o = lambda x: np.zeros(2)
        self.bar("crank", o, a)
        self.bar("rod", a, b)
        self.body("slider", lambda x: np.append(b(x), 0))
        self.pin("O", "ground", "crank", o)
        self.pin("A", "crank", "rod", a)
        self.pin("B", "rod", "slider", b)
        self.joints["guide"] = ("prismatic", "ground", "slider", b)
        self.begin(u, math.pi / 2)

    def rhombus(self, u):
        r = u(0.4, 1)
        a = lambda x: r * np.array([math.cos(x), math.sin(x)])
        c = lambda x: r * np.array([math.cos(x), -math.sin(x)])
        b = lambda x: np.array([2 * r * math.cos(x), 0])
        o = lambda x: np.zeros(2)
        for name, start, end in (("oa", o, a), ("oc", o, c), ("ab", a, b), ("cb", c, b)):
            self.bar(name, start, end)
        self.body("slider", lambda x: np.append(b(x), 0))
        self.pin("O1", "ground", "oa", o)
        self.pin("O2", "ground", "oc", o)
        self.pin("A", "oa", "ab", a)
        self.pin("C", "oc", "cb", c)
        self.pin("B1", "ab", "slider", b)
        self.pin("B2", "cb", "slider", b)
        self.joints["guide"] = ("prismatic", "ground", "slider", b)
        self.begin(u, math.pi / 2)

    def bearings(self, u):
        """A parallelogram whose cranks have a second bearing behind the first."""
        self.parallelogram(u)
        for i in range(2):
            self.joints[f"behind{i}"] = self.joints[f"O{i}"] + (0.4,)

    def ellipse(self, u):
        """A rod on two guides across each other, and a crank to its middle that is not needed."""
        r = u(0.4, 1)
        o = lambda x: np.zeros(2)
        m = lambda x: r * np.array([math.cos(x), math.sin(x)])
        on_x = lambda x: np.array([2 * r * math.cos(x), 0])
        on_y = lambda x: np.array([0, 2 * r * math.sin(x)])
        self.bar("crank", o, m)
        self.bar("rod", on_y, on_x)
        self.body("along", lambda x: np.append(on_x(x), 0))
        self.body("up", lambda x: np.append(on_y(x), 0))
        self.pin("O", "ground", "crank", o)
        self.pin("M", "crank", "rod", m)
        self.pin("X", "rod", "along", on_x)
        self.pin("Y", "rod", "up", on_y)
        self.joints["guide"] = ("prismatic", "ground", "along", on_x)
        self.joints["mast"] = ("prismatic", "ground", "up", on_y)
        self.begin(u, math.pi / 2)

    def begin(self, u, singular):
        self.direction = float(self.random.choice([-1, 1]))
        self.x = singular - self.direction * u(0.3, 1.2)
        self.singular = singular

    # the motion in one coordinate

    def inertia(self, x):
        """I, I', V' by complex-free differences of high order."""
        h = 1e-3
        weights = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h

        def slope(place, x):
            rows = np.array([place(x + k * h) for k in range(-4, 5)])
            rows[:, 2] = np.unwrap(rows[:, 2])
            return weights @ rows

        def whole(x):
            total = 0.0
            for name, place in self.places.items():
                mass, moment = self.mass[name]
                s = slope(place, x)
                total += mass * s[:2] @ s[:2] + moment * s[2] ** 2
            return total

        pull = sum(-self.mass[n][0] * self.gravity @ slope(p, x)[:2] for n, p in self.places.items())
        return whole(x), weights @ [whole(x + k * h) for k in range(-4, 5)], pull

    def potential(self, x):
        return sum(-self.mass[n][0] * self.gravity @ p(x)[:2] for n, p in self.places.items())

    def speed_to_pass(self):
        """Enough to go well beyond the singular place."""
        way = np.linspace(self.x, self.x + self.direction * 2.6, 60)
        need = max(self.potential(x) for x in way) - self.potential(self.x)
        slowest = min(self.inertia(x)[0] for x in way[::10])
        energy = need + 0.5 * slowest * self.random.uniform(1, 9)
        return math.sqrt(2 * energy / self.inertia(self.x)[0])

    def motion(self, times):
        if self.driven:
            return np.array([self.x + self.spin * t for t in times]), np.full(len(times), self.spin)

        def rate(t, y):
            whole, growth, pull = self.inertia(y[0])
            return [y[1], -(0.5 * growth * y[1] ** 2 + pull) / whole]

        found = solve_ivp(rate, (0, times[-1]), [self.x, self.spin], "DOP853", times, rtol=1e-11, atol=1e-12)
        return found.y

    # as a model

    def world(self, point, out=0.0):
        return self.centre + self.turn @ np.append(point, out)

    def model(self):
        from test_oracle import numbers, quaternion_of
        bodies, joints = {}, {}
        h = 1e-4
        for name, place in self.places.items():
            x, y, angle = place(self.x)
            mass, moment = self.mass[name]
            gap = (place(self.x + h) - place(self.x - h))
            gap[2] = math.remainder(gap[2], 2 * math.pi)
            rate = gap / (2 * h) * self.spin
            body = {"mass": mass, "position": numbers(self.world([x, y]))}
            if self.tilted:
                whole = self.turn.copy()
                whole[:, :2] = self.turn[:, :2] @ turned(angle)
                body |= {"inertia": np.diag([0.8 * moment, 0.9 * moment, moment]).tolist(),
                         "orientation": {"quaternion": numbers(quaternion_of(whole))},
                         "velocity": numbers(self.turn[:, :2] @ rate[:2]),
                         "angular_velocity": numbers(self.turn[:, 2] * rate[2])}
            else:
                body |= {"type": "planar", "inertia": moment, "angle": angle,
                         "velocity": numbers(np.append(rate[:2], 0)), "angular_velocity": float(rate[2])}
                body["position"] = body["position"][:2]
                body["velocity"] = body["velocity"][:2]
            bodies[name] = body
        for name, (kind, a, b, point, *out) in self.joints.items():
            if out and not self.tilted:
                continue
            joint = {"type": kind, "a": a, "b": b, "at": numbers(self.world(point(self.x), *out))}
            along = [0, 0, 1] if kind == "revolute" else [0, 1, 0] if name == "mast" else [1, 0, 0]
            joint["axis"] = numbers(self.turn @ along)
            joints[name] = joint
        if self.driven:
            first = next(iter(self.joints))
            joints["drive"] = {"type": "driver", "joint_a": first, "motion": f"{self.spin!r}*t"}
        return {"gravity": numbers(self.turn[:, :2] @ self.gravity), "bodies": bodies, "joints": joints}


FAMILIES = "parallelogram slider_crank ladder rhombus bearings ellipse".split()


def times_of(linkage):
    """Until it is as far behind the singular place as it was before it."""
    return np.linspace(0, 2.2 * abs(linkage.x - linkage.singular) / abs(linkage.spin), 12)


def difference(linkage, rows, found):
    worst = np.zeros(2)
    for k in range(len(found[0])):
        x, spin = found[0][k], found[1][k]
        for name, place in linkage.places.items():
            here = linkage.world(place(x)[:2])
            h = 1e-4
            gap = place(x + h) - place(x - h)
            speed = linkage.turn[:, :2] @ gap[:2] / (2 * h) * spin
            column = lambda c: float(np.asarray(rows[f"{name}.{c}"])[k])
            axes = "xyz" if linkage.tilted else "xy"
            off = [column(c) - here[i] for i, c in enumerate(axes)]
            fast = [column("v" + c) - speed[i] for i, c in enumerate(axes)]
            worst = np.maximum(worst, [np.linalg.norm(off), np.linalg.norm(fast)])
    return worst


def judge(linkage, found, times, method, **more):
    import holon
    from attack import run_of
    try:
        rows = run_of(linkage.model(), times, method, 209, **more)
    except holon.UnsupportedError as refused:
        return "refuses such models", str(refused)
    except holon.Error as stopped:
        text = str(stopped)
        if "locks" in text:
            return "LOCKS", text
        if "max_steps" in text:
            return "takes too many steps", text
        return ("stopped in words" if "singular" in text else "STOPPED"), text
    audit = rows.audit
    off = difference(linkage, rows, found)
    told = np.array([audit.motion.position, audit.motion.velocity])
    sentence = (f"off {off}, told {told} ({audit.motion.how}), {rows.summary.singular} places, "
                f"{rows.summary.steps} steps, {rows.summary.coordinates} {rows.summary.integrator}")
    if not audit.passed:
        failed = [f"{i.name} {i.worst:.2g}" for i in audit.items if not i.passed]
        return ("audit failed" if off[0] > 1e-6 else "audit failed though right"), f"{failed}; {sentence}"
    if not audit.motion.known:
        return ("right, not known" if off[0] < 1e-4 else "SILENT"), sentence
    if (off > 10 * told + FLOOR * (1 + abs(linkage.spin))).any():
        return "SILENT", sentence
    return "right", sentence


def main():
    sys.path[:0] = [str(Path(sys.argv[1]).resolve() / "python"), str(Path(__file__).resolve().parent)]
    import holon
    first, last, methods = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    methods = methods or list(holon.methods())
    count = collections.Counter()
    for seed in range(first, last):
        linkage = Linkage(seed)
        times = times_of(linkage)
        found = linkage.motion(times)
        for method in methods:
            choices = os.environ.get("COORDINATES", "auto reference relative natural").split()
            coordinates = choices[np.random.default_rng([seed, len(method)]).integers(len(choices))]
            kind, sentence = judge(linkage, found, times, method, coordinates=coordinates)
            count[kind] += 1
            if kind.isupper() or os.environ.get("ATTACK_ALL"):
                print(f"seed {seed} {linkage.family}{' driven' if linkage.driven else ''} {method} "
                      f"{coordinates}: {kind}: {sentence}", flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in sorted(count.items())))


if __name__ == "__main__":
    main()
