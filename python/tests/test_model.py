"""Describing models: by file, text, dict and calls, and what is said about mistakes."""

import inspect
import json
import math
import os
import tempfile
import unittest

import holon
from holon import _tables


def pendulum(**options):
    m = holon.Model(gravity=[0, -9.81], parameters={"L": 2})
    rod = m.body("rod", type="planar", mass=1, shape={"rod": {"length": "L"}}, position=["L/2", 0])
    m.revolute("hinge", b=rod, at=[0, 0])
    for name, value in options.items():
        setattr(m.options, name, value)
    return m


# the same, as a file has it
TEXT = """
gravity: [0, -9.81]
parameters: {L: 2}
bodies:
  rod: {type: planar, mass: 1, shape: {rod: {length: L}}, position: [L/2, 0]}
joints:
  hinge: {type: revolute, b: rod, at: [0, 0]}
"""


class Describing(unittest.TestCase):
    def test_four_ways_give_the_same_motion(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pendulum.yaml")
            with open(path, "w") as out:
                out.write(TEXT)
            ways = {
                "calls": pendulum(),
                "text": holon.Model(text=TEXT),
                "file": holon.Model(path),
                "dict": holon.Model(json.loads(pendulum().text())),
            }
            angle = {k: list(m.run(duration=1)["hinge.angle"]) for k, m in ways.items()}
        for way in ways:
            self.assertEqual(angle[way], angle["calls"], way)
        # a rod on a hinge: angle'' = -(3 g / 2 L) cos(angle); energy gives the rate
        r = pendulum().run(duration=1, rtol=1e-10)
        a, w = r["hinge.angle"][-1], r["hinge.angle_rate"][-1]
        self.assertAlmostEqual(w * w, -3 * 9.81 / 2 * math.sin(a), delta=1e-7)

    def test_every_kind_of_element_is_a_method(self):
        for kind in _tables.KINDS.values():
            with self.subTest(kind.method):
                method = getattr(holon.Model, kind.method)
                self.assertTrue(method.__doc__.strip())
                for key in kind.keys:
                    if key.name != "type":
                        self.assertIn(_tables._name(key.name), inspect.signature(method).parameters)
        known = {k.type for k in _tables.KINDS.values()}
        for family in ("joints", "forces"):
            for name, *_ in _tables.TABLES[family]:
                self.assertIn(name, known)

    def test_examples_run(self):
        self.assertIn("four_bar", holon.examples())
        for name in ("four_bar", "door", "double_wishbone"):
            with self.subTest(name):
                r = holon.Model.example(name).run(duration=0.02, verify="off")
                self.assertGreater(r.rows, 1)

    def test_robot_files_are_models(self):
        # a rod of 1 kg, its centre 1 m from the hinge, 4/3 kg m^2 about it: it falls onto its limit
        text = """<robot name="r"><link name="base"/><link name="arm"><inertial><origin xyz="1 0 0"/>
            <mass value="1"/><inertia ixx="0.01" iyy="0.33333333333333333" izz="0.33333333333333333"/>
            </inertial></link><joint name="j" type="revolute"><parent link="base"/><child link="arm"/>
            <axis xyz="0 1 0"/><limit lower="-1" upper="0.7" effort="1" velocity="1"/></joint></robot>"""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rod.urdf")
            with open(path, "w") as out:
                out.write(text)
            r = holon.Model(path).run(duration=2)
        a, w = r["j.angle"], r["j.angle_rate"]
        self.assertAlmostEqual(a[-1], 0.7, delta=1e-9)
        self.assertAlmostEqual(w[-1], 0, delta=1e-9)
        falling = max(range(r.rows), key=lambda i: w[i])
        self.assertAlmostEqual(w[falling] ** 2 * 2 / 3, 9.81 * math.sin(a[falling]), delta=1e-5)

    def test_parameters_are_changed_and_taken_back(self):
        m = pendulum()
        self.assertEqual(m.parameters["L"], 2.0)
        self.assertEqual(m.set(L=3).parameters["L"], 3.0)
        self.assertEqual(m.set(L="40 cm").parameters["L"], 0.4)
        self.assertEqual(m.set(L=None).parameters["L"], 2.0)
        with self.assertRaisesRegex(holon.ModelError, "no parameter 'K'"):
            m.set(K=1).run()

    def test_copies_are_independent(self):
        m = pendulum()
        other = m.copy().set(L=1)
        other.body("second", mass=1, inertia=[1, 1, 1])
        self.assertEqual(m.check().bodies, 1)
        self.assertEqual(other.check().bodies, 2)
        self.assertEqual(m.parameters["L"], 2.0)


class Beams(unittest.TestCase):
    def test_cantilever(self):
        m = holon.Model()
        arm = m.beam("arm", from_=[0, 0, 0], to=[1, 0, 0], elements=3, young=2e9, poisson=0, density=1000,
                     profile={"numbers": {"area": 1e-3, "inertia_y": 1e-7, "inertia_z": 1e-7, "torsion": 1e-7}})
        m.fixed("clamp", b=arm.frame("start"))
        m.force("pull", b=arm.frame("end"), force=[0, 0, -0.1])
        z = m.statics().state["arm.end.z"][-1]
        bent, sheared = 0.1 / (3 * 2e9 * 1e-7), 0.1 / (1e9 * 1e-3)
        self.assertAlmostEqual(z / -(bent + sheared), 1, places=6)


class FlexibleBodies(unittest.TestCase):
    def test_bar(self):
        """Two nodes of 1 kg with springs between them, 100 N/m along the bar; clamped: x'' = -100 x."""
        header = "%%MatrixMarket matrix coordinate real symmetric\n12 12 "
        # strains over the twelve freedoms, by number: along, about the axes, and across
        strains = [({0: -1, 6: 1}, 100), ({3: -1, 9: 1}, 1), ({4: -1, 10: 1}, 1), ({5: -1, 11: 1}, 1),
                   ({1: -1, 7: 1, 5: -0.5, 11: -0.5}, 1), ({2: -1, 8: 1, 4: 0.5, 10: 0.5}, 1)]
        entries = {}
        for strain, k in strains:
            for i, a in strain.items():
                for j, b in strain.items():
                    if j <= i:
                        entries[i, j] = entries.get((i, j), 0) + k * a * b
        stiffness = [f"{i + 1} {j + 1} {k}" for (i, j), k in entries.items()]
        mass = [f"{i + 1} {i + 1} {1 if i % 6 < 3 else 0.01}" for i in range(12)]
        m = holon.Model()
        bar = m.flexible("bar", nodes="1 0 0 0\n2 1 0 0\n", interface={"root": 1, "tip": 2},
                         stiffness="\n".join([header + str(len(stiffness)), *stiffness]),
                         mass="\n".join([header + str(len(mass)), *mass]))
        m.fixed("clamp", b=bar.frame("root"))
        m.force("pull", b=bar.frame("tip"), force=[1, 0, 0])
        result = m.run(duration=0.1, rtol=1e-10)
        self.assertAlmostEqual(result["bar.tip.x"][-1], 1 + 0.01 * (1 - math.cos(1.0)), places=8)
        self.assertAlmostEqual(m.statics().state["bar.tip.x"][-1], 1.01, places=9)


class Mistakes(unittest.TestCase):
    def test_place_in_a_file(self):
        with self.assertRaises(holon.ModelError) as caught:
            holon.Model(text="bodies:\n  a: {mass: 1, inertia: [1, 1, 1], colour: 3}\n").check()
        e = caught.exception
        self.assertEqual((e.line, e.column, e.status), (2, 36, "HN_ERR_SYNTAX"))
        self.assertIn("colour", str(e))

    def test_place_of_a_call(self):
        m = pendulum()
        line = inspect.currentframe().f_lineno + 1
        m.spring("coil", b="rodd", at=[0, 0], stiffness=10)
        with self.assertRaisesRegex(holon.ModelError, "did you mean 'rod'") as caught:
            m.run()
        self.assertEqual(os.path.basename(caught.exception.file), os.path.basename(__file__))
        self.assertEqual((caught.exception.line, caught.exception.column), (line, 9))

    def test_keys_and_options(self):
        m = pendulum()
        with self.assertRaisesRegex(TypeError, "did you mean 'axis'"):
            m.revolute("second", b="rod", axs=[0, 0, 1])
        with self.assertRaisesRegex(TypeError, "did you mean 'rtol'"):
            m.run(rtoll=1e-9)
        with self.assertRaisesRegex(holon.ArgumentError, "rtol"):
            m.run(rtol=-1)
        with self.assertRaisesRegex(holon.ArgumentError, "rtol"):
            m.options.rtol = 7
        with self.assertRaisesRegex(TypeError, "no option"):
            m.options.colour = 7
        with self.assertRaises(TypeError):
            m.run(rtol=[1])
        self.assertGreater(m.run(duration=0.1).rows, 1)  # nothing of it is left

    def test_values(self):
        for value in (float("nan"), float("inf")):
            with self.assertRaises(holon.ArgumentError):
                pendulum().body("b", mass=value)
        with self.assertRaises(TypeError):
            pendulum().body("b", mass=object())
        with self.assertRaises(TypeError):
            pendulum().body(3, mass=1)
        with self.assertRaisesRegex(holon.ModelError, "already"):
            pendulum().body("rod", mass=1)
        with self.assertRaises(holon.FileError):
            holon.Model("there is no such file.yaml").check()
        with self.assertRaises(TypeError):
            holon.Model("a.yaml", text="b")
        with self.assertRaisesRegex(holon.ModelError, "complete"):
            holon.Model(text=TEXT).body("b", mass=1)

    def test_all_are_errors_of_ours(self):
        for name in holon.__all__:
            what = getattr(holon, name)
            if isinstance(what, type) and issubclass(what, Exception):
                self.assertTrue(issubclass(what, holon.Error))


if __name__ == "__main__":
    unittest.main()
