"""Random mechanisms of every joint and force against a second reading of the format's documentation.

HOLON_ORACLE_SEEDS="FIRST LAST" runs others than the usual ones.
"""

import math
import os
import unittest

import numpy as np

import holon
from oracle import Oracle, State, across, rotation_of, unit

SPATIAL = ("revolute prismatic cylindrical spherical universal planar fixed screw constant-velocity distance "
           "point-on-line point-on-plane parallel perpendicular universal-spherical revolute-spherical "
           "revolute-prismatic coordinate rolling-disc rolling-sphere knife-edge wheel").split()
BY_FRAMES = "revolute prismatic cylindrical spherical planar fixed screw point-on-line point-on-plane".split()
PLANAR = "revolute prismatic fixed distance point-on-line coordinate wheel".split()
LOOPS = "distance point-on-plane universal-spherical".split()
FORCES = "spring bushing force torque motor torsion-spring friction tyre bump-stop".split()
MOVING = {"revolute": ["angle"], "prismatic": ["translation"], "cylindrical": ["translation", "angle"],
          "screw": ["angle", "translation"]}


def numbers(array):
    return [float(x) for x in array]


class Maker:
    """A random model; its joints are closed as described."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.flat = self.chance(0.2)
        self.model = {"gravity": numbers(self.vector(5)), "bodies": {}, "joints": {}, "forces": {},
                      "ground": {"frames": {}}}
        for i in range(self.random.integers(1, 5)):
            self.model["bodies"][f"b{i}"] = self.body()
        names = list(self.model["bodies"])
        for i, name in enumerate(names):
            self.joint(self.pick(["ground"] + names[:i]), name, self.pick(PLANAR if self.flat else SPATIAL))
        if len(names) > 1 and self.chance(0.4):
            self.joint(*self.random.permutation(names)[:2], "distance" if self.flat else self.pick(LOOPS))
        self.moving = [(name, c) for name, j in self.model["joints"].items() for c in MOVING.get(j["type"], [])]
        self.transmissions()
        for kind in self.random.choice(FORCES, self.random.integers(1, 5)):
            self.force(kind)

    def chance(self, share):
        return self.random.random() < share

    def pick(self, of):
        return of[self.random.integers(len(of))]

    def vector(self, size=1.0):
        v = self.random.normal(size=3) * size
        return v * [1, 1, 0] if self.flat else v

    def direction(self):
        return unit(self.random.normal(size=3))

    def body(self):
        body = {"mass": self.random.uniform(0.3, 3), "position": numbers(self.vector()),
                "velocity": numbers(self.vector()), "frames": {}}
        if self.flat:
            return body | {"type": "planar", "inertia": self.random.uniform(0.1, 1),
                           "angle": self.random.uniform(-3, 3), "angular_velocity": self.random.normal()}
        a, b, c = self.random.uniform(0.05, 0.5, 3)
        turn = rotation_of(self.random.normal(size=4))
        inertia = turn @ np.diag([b + c, a + c, a + b]) @ turn.T
        body |= {"inertia": [numbers(row) for row in (inertia + inertia.T) / 2],
                 "orientation": {"quaternion": numbers(unit(self.random.normal(size=4)))},
                 "angular_velocity": numbers(self.vector(2))}
        if self.chance(0.7):
            body["com"] = numbers(self.vector(0.2))
        return body

    def frame(self, body, place, axes=None):
        """A frame of a body where the world has these axes; its name as an end."""
        whole = Oracle(self.model).by_name[body]
        frames = (self.model["ground"] if body == "ground" else self.model["bodies"][body])["frames"]
        frame = {"position": numbers(whole.turn.T @ (place - whole.place))}
        if axes is not None:
            frame["orientation"] = {"quaternion": numbers(quaternion_of(whole.turn.T @ axes))}
        name = f"f{len(frames)}"
        frames[name] = frame
        return f"{body}.{name}"

    def joint(self, a, b, kind):
        place, axis = self.vector(), np.array([0, 0, 1.0]) if self.flat else self.direction()
        if self.flat and kind in ("prismatic", "point-on-line", "wheel"):
            axis = unit(self.vector())
        x, y = across(axis)
        sideways = math.cos(1.3) * x + math.sin(1.3) * y
        joint = {"type": kind}
        if kind in BY_FRAMES and not self.flat and self.chance(0.5):
            axes = np.array([x, y, axis]).T
            joint |= {"a": self.frame(a, place, axes), "b": self.frame(b, place, axes)}
        else:
            joint |= {"a": a, "b": b}
            if kind not in ("parallel", "perpendicular"):
                joint["at"] = numbers(place)
            if kind not in ("spherical", "fixed", "distance", "universal-spherical", "coordinate", "rolling-sphere"):
                joint["axis"] = numbers(axis * self.random.uniform(0.5, 3))
            if kind in ("revolute", "prismatic") and self.chance(0.5):
                joint["value"] = self.random.uniform(-1, 1)
        if kind in ("universal", "perpendicular", "revolute-prismatic"):
            joint["axis_b"] = numbers(sideways)
        elif kind == "constant-velocity":
            joint["axis_b"] = numbers(unit(axis + 0.3 * self.direction()))
        elif kind in ("distance", "universal-spherical"):
            joint["at_b"] = numbers(self.vector())
        elif kind == "revolute-spherical":
            joint["at_b"] = numbers(place + self.random.uniform(0.3, 1) * sideways)
        elif kind == "screw":
            joint["pitch"] = self.random.uniform(-0.3, 0.3)
        elif kind == "coordinate":
            self.coordinate_joint(joint, a, b, place)
        elif kind.startswith("rolling"):
            self.rolling(joint, a, b, place, axis)
        self.model["joints"][f"j{len(self.model['joints'])}"] = joint

    def coordinate_joint(self, joint, a, b, place):
        del joint["at"]
        turned = None if self.flat else rotation_of(self.random.normal(size=4))
        joint["b"] = self.frame(b, place, turned if self.chance(0.5) else None)
        if self.chance(0.5):
            joint["a"] = self.frame(a, self.vector(), turned if self.chance(0.5) else None)
        joint["coordinate"] = self.pick(["x", "y", "angle"] if self.flat else "x y z roll pitch yaw".split())
        oracle = Oracle(self.model)
        joint["value"] = float(np.real(oracle.body_coordinate(joint)(oracle.described())[0]))

    def rolling(self, joint, a, b, place, axle):
        """The plane is put where the disc or sphere touches it."""
        normal, radius = self.direction(), self.random.uniform(0.2, 1)
        joint |= {"radius": radius, "normal": numbers(normal), "b": self.frame(b, place)}
        del joint["at"]
        down = normal - (normal @ axle) * axle if joint["type"] == "rolling-disc" else normal
        touch = place - radius * unit(down)
        if self.chance(0.5):
            del joint["normal"]
            joint["a"] = self.frame(a, touch + np.cross(normal, self.vector()), np.array([*across(normal), normal]).T)
        else:
            joint["a"] = self.frame(a, touch)

    def transmissions(self):
        free = [m for m in self.moving]
        self.random.shuffle(free)
        if len(free) > 1 and free[-1][0] != free[-2][0] and self.chance(0.5):
            (a, ca), (b, cb) = free.pop(), free.pop()
            size = float(self.pick([-1, 1]) * self.random.uniform(0.5, 3))
            kind = {"type": "gear", "ratio": size} if ca == cb else {"type": "rack-pinion", "radius": size}
            self.model["joints"]["mesh"] = kind | {"joint_a": a, "coordinate": ca, "joint_b": b, "coordinate_b": cb}
        if free and self.chance(0.3):
            joint, coordinate = free.pop()
            start = self.model["joints"][joint].get("value", 0.0)
            self.model["joints"]["drive"] = {"type": "driver", "joint_a": joint, "coordinate": coordinate,
                                             "motion": f"{start!r} + 0.7*sin(3*t) + 2*t*t"}

    def ends(self, element, two, axes=None):
        """Places of an element between two bodies, by frames or in the world."""
        a, b = self.random.permutation(["ground", *self.model["bodies"]])[:2]
        if b == "ground":
            a, b = b, a
        at, at_b = self.vector(), self.vector()
        if self.chance(0.5):
            element |= {"a": self.frame(a, at, axes), "b": self.frame(b, at_b if two else at, axes)}
        else:
            element |= {"a": str(a), "b": str(b), "at": numbers(at)}
            if two:
                element["at_b"] = numbers(at_b)

    def force(self, kind):
        u, element = self.random.uniform, {"type": str(kind)}
        if kind in ("motor", "friction", "torsion-spring"):
            choice = [m for m in self.moving if m[1] == "angle" or kind != "torsion-spring"]
            if kind == "torsion-spring" and not self.flat and self.chance(0.3):
                self.ends(element, False)
                element["axis"] = numbers(self.direction())
            elif not choice:
                return
            else:
                element["joint"], element["coordinate"] = self.pick(choice)
            if kind == "motor":
                element["law"] = "5*(0.3 - value) - 2*rate"
            elif kind == "friction":
                element["viscous"] = u(0.1, 2)
            else:
                element |= {"stiffness": u(1, 20), "damping": u(0, 2)}
                element |= {"free": u(-1, 1)} if self.chance(0.5) else {}
        elif kind == "spring":
            slides = [m for m in self.moving if m[1] == "translation"]
            if slides and self.chance(0.3):
                element["joint"], element["coordinate"] = self.pick(slides)
            else:
                self.ends(element, True)
            element |= self.pick([{"stiffness": u(1, 50), "damping": u(0, 5), "free": u(0.2, 2), "preload": u(-1, 1)},
                                  {"stiffness": u(1, 50), "damping": u(0, 5)},
                                  {"coefficients": numbers(self.random.normal(size=3) * 10), "free": u(0.2, 2)},
                                  {"law": "3*length^2 - 2*rate + sin(t)"}])
        elif kind == "bump-stop":
            slides = [m for m in self.moving]
            if slides and self.chance(0.3):
                element["joint"], element["coordinate"] = self.pick(slides)
            else:
                self.ends(element, True)
                if self.chance(0.4):
                    element["axis"] = numbers(unit(self.vector()))
            element |= {"stiffness": u(1, 50), "damping": u(0, 3), "gap": u(-1, 1) if "axis" in element or
                        "joint" in element else u(0.1, 2)}
        elif kind == "bushing":
            self.bushing(element)
        elif kind in ("force", "torque"):
            body = self.pick(list(self.model["bodies"]))
            oriented = None if self.flat else rotation_of(self.random.normal(size=4))
            element["b"] = self.pick([body, self.frame(body, self.vector(), oriented if self.chance(0.5) else None)])
            others = [name for name in self.model["bodies"] if name != body]
            if others and self.chance(0.5):
                element["a"] = self.pick(others)
            if element["b"] == body and kind == "force":
                element["at"] = numbers(self.vector())
            if self.chance(0.5):
                element["axes"] = "body"
            parts = [f"{u(-3, 3)!r}*(1 + {body}.vx)", f"{u(-3, 3)!r}*{body}.y", f"{u(-3, 3)!r} + {body}.x"]
            element[str(kind)] = parts if not self.flat else parts[:2] if kind == "force" else parts[2]
        elif kind == "tyre":
            if self.flat:
                return
            at = self.vector()
            element |= {"b": self.frame(self.pick(list(self.model["bodies"])), at), "stiffness": u(10, 100),
                        "damping": u(0, 5), "radius": u(0.2, 1.5), "road": "0.1*x + 0.05*x^2"}
            if self.chance(0.5):
                turned = rotation_of(self.random.normal(size=4))
                element["a"] = self.frame("ground", at + self.vector(0.4), turned if self.chance(0.7) else None)
        self.model["forces"][f"F{len(self.model['forces'])}"] = element

    def bushing(self, element):
        if self.flat:
            element |= {"stiffness": numbers(self.random.uniform(1, 30, 6))}
            return self.ends(element, False)
        axis = self.direction()
        self.ends(element, False, np.array([*across(axis), axis]).T)
        if "at" in element:  # only the axis is known: the same in all directions across it
            t, n, r, s = numbers(self.random.uniform(1, 30, 4))
            element |= {"axis": numbers(axis), "stiffness": [t, t, n, r, r, s], "damping": [n, n, t, s, s, r]}
            return
        for key in ("stiffness", "damping"):
            root = self.random.normal(size=(6, 6))
            element[key] = [numbers(row) for row in root @ root.T * 3]
        if self.chance(0.5):
            element["free"] = numbers(self.random.normal(size=3) * 0.3) + [0, 0, 0]
        if self.chance(0.5):
            element["preload"] = numbers(self.random.normal(size=6))


def quaternion_of(turn):
    """Scalar first; by the eigenvector of Bar-Itzhack's matrix, which fails nowhere."""
    t = turn
    k = np.array([[t[0, 0] - t[1, 1] - t[2, 2], t[1, 0] + t[0, 1], t[2, 0] + t[0, 2], t[2, 1] - t[1, 2]],
                  [0, t[1, 1] - t[0, 0] - t[2, 2], t[2, 1] + t[1, 2], t[0, 2] - t[2, 0]],
                  [0, 0, t[2, 2] - t[0, 0] - t[1, 1], t[1, 0] - t[0, 1]],
                  [0, 0, 0, t[0, 0] + t[1, 1] + t[2, 2]]])
    x, y, z, w = np.linalg.eigh(k, "U")[1][:, -1]
    return np.array([w, x, y, z])


ROW = 1e-4
# derivative at the first of seven values
FORWARD = np.array([-147, 360, -450, 400, -225, 72, -10]) / 60 / ROW
COLUMNS = {"spatial": ("vx", "vy", "vz", "wx", "wy", "wz"), "planar": ("vx", "vy", None, None, None, "omega")}


class Random(unittest.TestCase):
    def hold_against(self, seed, coordinates):
        """The largest differences of accelerations and of reactions, and where."""
        model = Maker(seed).model
        oracle = Oracle(model)
        run = holon.Model(model)
        try:
            sim = run.sim(coordinates=coordinates)
        except holon.ModelError as refused:
            self.assertIn("velocities contradict", str(refused))
            self.assertGreater(oracle.contradiction(), 1e-6, str(refused))
            return
        poses, velocity = [], []
        for body in oracle.bodies:
            pose = sim.pose(body.name)
            poses.append((np.array(pose.position), rotation_of(pose.orientation)))
            velocity += [*pose.velocity, *pose.angular_velocity]
            self.assertLess(np.max(abs(poses[-1][0] - body.place)), 1e-9, "assembly moved what was closed")
            self.assertLess(np.max(abs(poses[-1][1] - body.turn)), 1e-9, "assembly turned what was closed")
        velocity = np.array(velocity)
        acceleration, reactions, miss = oracle.solve(poses, velocity)
        size = 1 + np.max(abs(acceleration))
        self.assertLess(miss, 1e-8 * size, "velocities")

        # differences say little of a motion that changes as fast as the rows come
        rows = run.run(duration=6 * ROW, output_step=ROW, verify="off", rtol=1e-12, coordinates=coordinates)
        for body in oracle.bodies:
            for k, column in enumerate(COLUMNS[body.kind]):
                if column and size < 1000:
                    found = FORWARD @ np.asarray(rows[f"{body.name}.{column}"])[:7]
                    self.assertLess(abs(found - acceleration[6 * body.index + k]), 2e-6 * size,
                                    f"acceleration {body.name}.{column}")
        # teeth and drivers act on the bearings of other joints
        if reactions is None or {"gear", "rack-pinion", "driver"} & {j["type"] for j in model["joints"].values()}:
            return
        size = 1 + max(np.max(abs(r)) for r in reactions.values())
        for name, wrench in reactions.items():
            body = oracle.end(model["joints"][name], "b").body
            force, torque = wrench[6 * body.index:][:3], wrench[6 * body.index:][3:6]
            found = sim.reaction(name)
            torque = torque - np.cross(np.array(found.point) - poses[body.index][0], force)
            self.assertLess(np.max(abs(np.array(found.force) - force)), 1e-8 * size, f"force in {name}")
            self.assertLess(np.max(abs(np.array(found.torque) - torque)), 1e-8 * size, f"torque in {name}")

    def test_mechanisms(self):
        first, last = (int(s) for s in os.environ.get("HOLON_ORACLE_SEEDS", "0 120").split())
        for seed in range(first, last):
            coordinates = ("auto", "reference", "natural")[seed % 3]
            with self.subTest(seed=seed, coordinates=coordinates):
                self.hold_against(seed, coordinates)


if __name__ == "__main__":
    unittest.main()
