"""Runs, results, and what stops them."""

import math
import os
import signal
import sys
import tempfile
import threading
import time
import unittest

import numpy

import holon
from test_model import pendulum


class Results(unittest.TestCase):
    def test_columns_are_seen_in_place(self):
        r = pendulum().run(duration=1)
        column = r["hinge.angle"]
        index = r.columns.index("hinge.angle")
        self.assertEqual(column.ctypes.data, r._raw.address + 8 * index)
        self.assertTrue(numpy.shares_memory(column, r.data))
        self.assertEqual(r.data.shape, (r.rows, len(r.columns)))
        with self.assertRaises(ValueError):
            column[0] = 1
        kept = column.copy()
        del r  # the memory lives as long as the column
        self.assertTrue((column == kept).all())

    def test_a_million_rows_are_not_copied(self):
        rows, columns = 1_000_000, 50
        data = numpy.arange(rows * columns, dtype="d").reshape(rows, columns)
        names = ["time"] + [f"c{i}" for i in range(1, columns)]
        raw = holon._holon.result_new("big", names, [""] * columns, data)
        r = holon.Result(raw)
        began = time.perf_counter()
        seen = r.data
        last = r["c49"]
        took = time.perf_counter() - began
        self.assertEqual(seen.ctypes.data, raw.address)
        self.assertEqual(last.ctypes.data, raw.address + 8 * 49)
        self.assertEqual(last[-1], rows * columns - 1)
        print(f"1e6 x 50 seen as numpy in {1e6 * took:.0f} us")

    def test_names_units_patterns(self):
        r = pendulum().run(duration=0.1)
        self.assertEqual(r.units["hinge.angle"], "rad")
        self.assertEqual(r.columns[0], "time")
        self.assertIn("rod.x", r)
        self.assertEqual(set(r.match("rod.v?")), {"rod.vx", "rod.vy"})
        with self.assertRaisesRegex(KeyError, "did you mean 'hinge.angle'"):
            r["hinge.angel"]
        with self.assertRaises(TypeError):
            r[3]

    def test_pandas(self):
        frame = pendulum().run(duration=0.1).to_pandas()
        self.assertEqual(frame.index.name, "time")
        self.assertEqual(frame.attrs["units"]["rod.x"], "m")

    def test_files(self):
        r = pendulum().run(duration=0.1)
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("csv", "h5"):
                path = os.path.join(folder, "r." + ending)
                r.write(path)
                back = holon.Result.read(path)
                self.assertEqual(back.columns, r.columns)
                self.assertTrue(numpy.array_equal(back.data, r.data))
            with self.assertRaises(holon.FileError):
                r.write(os.path.join(folder, "no", "r.csv"))
            with self.assertRaises(holon.Error):
                r.write(os.path.join(folder, "r.png"))
            with self.assertRaises(holon.FileError):
                holon.Result.read(os.path.join(folder, "none.csv"))

    def test_own_columns(self):
        r = holon.Result.of({"time": [0, 1], "x": [2, 3]}, {"x": "m"})
        self.assertEqual(list(r["x"]), [2, 3])
        self.assertEqual(r.units["x"], "m")
        self.assertIsNone(r.audit)
        with self.assertRaises(holon.ArgumentError):
            holon.Result.of({"time": [0, 1], "x": [2]})

    def test_integrals_and_ledger(self):
        m = holon.Model()
        m.body("cart", type="planar", mass=2, inertia=1, velocity=[3, 0])
        m.prismatic("rail", b="cart", axis=[1, 0])
        m.spring("damper", joint="rail", stiffness=0, damping=1.5, free=0)
        m.output(gone={"integral": "cart.vx", "unit": "m"}, lost={"integral": "damper.dissipation"})
        r = m.run(duration=0.7, ledger="on", rtol=1e-10, verify="off")
        left = math.exp(-0.75 * 0.7)
        self.assertAlmostEqual(r["gone"][-1], 4 * (1 - left), 9)
        self.assertEqual(r.units["gone"], "m")
        self.assertAlmostEqual(r["lost"][-1], 9 * (1 - left**2), 8)
        self.assertAlmostEqual(r.ledger["damper"], -9 * (1 - left**2), 8)
        self.assertEqual(m.run(duration=0.1).ledger, {})
        sim = m.sim(ledger="on", rtol=1e-10)
        sim.advance(0.7)
        self.assertAlmostEqual(sum(sim.ledger.values()), sim.energy.work, 9)

    def test_solved(self):
        m = holon.Model(text=
            "gravity: [0, -10]\nparameters: {k: 100}\n"
            "bodies: {seat: {type: planar, mass: 2, inertia: 1, position: [0, 0.5]}}\n"
            "joints: {rail: {type: prismatic, b: seat, axis: [0, 1]}}\n"
            "forces: {spring: {type: spring, b: seat, stiffness: k, free: 0.6}}\n"
            "solve: {k: rail.translation_acceleration = 0}\n"
        )
        self.assertAlmostEqual(m.check().solved["k"], 200, 6)

    def test_pages(self):
        r = pendulum().run(duration=0.2)
        page = r.html()
        self.assertTrue(page.lstrip().lower().startswith("<!doctype html"))
        self.assertIn("<iframe", r._repr_html_())
        self.assertIn("<svg", str(r.plot("hinge.angle")))
        with self.assertRaises(holon.Error):
            r.plot("no.column")

    def test_audit(self):
        r = pendulum().run(duration=1)
        self.assertTrue(r.audit)
        self.assertTrue(r.audit["energy imbalance"].passed)
        self.assertTrue(r.audit.motion.known)
        self.assertGreater(r.summary.steps, 0)
        worse = pendulum().run(duration=1, audit_energy=1e-12, rtol=1e-3)
        self.assertFalse(worse.audit)
        self.assertIn("FAILED", str(worse.audit))


class Stopping(unittest.TestCase):
    def long(self):
        return pendulum(duration=1e6, output_step=1, verify="off", step=1e-3)

    def test_interrupt_keeps_what_was_computed(self):
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        r = self.long().run(progress=False)
        self.assertTrue(r.interrupted)
        self.assertGreater(r.rows, 1)
        self.assertIsNotNone(r.message)

    def test_exception_in_the_progress_function(self):
        def told(t, duration):
            raise ZeroDivisionError("told")

        with self.assertRaisesRegex(ZeroDivisionError, "told"):
            self.long().run(progress=told)

    def test_failure_has_a_result(self):
        # without friction nothing holds the road: the force grows beyond all bounds
        m = holon.Model()
        m.body("ball", mass=1, inertia=[1, 1, 1])
        m.force("wind", b="ball", force=["1/(1 - t)", "0", "0"])
        with self.assertRaises(holon.RunError) as caught:
            m.run(duration=2, verify="off")
        self.assertGreater(caught.exception.result.rows, 10)
        self.assertLess(caught.exception.result.time[-1], 1.0)

    def test_used_while_at_work(self):
        m = self.long()
        sim = m.sim()
        seen = []

        def told(t, duration):
            for use in (sim.step, lambda: sim.q[0], lambda: sim.energy):
                try:
                    use()
                except RuntimeError as error:
                    seen.append(str(error))
            raise StopIteration

        with self.assertRaises(StopIteration):
            sim.run(told)
        self.assertEqual(len(seen), 3)
        self.assertIn("at work", seen[0])

    def test_others_go_on_while_it_compiles_and_runs(self):
        def chain():  # what was compiled once is not compiled again
            m = holon.Model(gravity=[0, -9.81])
            for i in range(300):
                m.body(f"b{i}", type="planar", mass=1, inertia=0.1, position=[i + 0.5, 0])
                m.revolute(f"j{i}", a=f"b{i - 1}" if i else "ground", b=f"b{i}", at=[i, 0])
            return m

        long = pendulum(duration=200, output_step=200, verify="off", step=1e-3)
        turns, done = [0], threading.Event()

        def count():
            while not done.is_set():
                turns[0] += 1
                time.sleep(0)  # lets the interpreter go

        other = threading.Thread(target=count)
        switch = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # nobody is made to let the interpreter go
        try:
            other.start()
            time.sleep(0.01)
            for work in (
                lambda: chain().check(coordinates="reference"),
                lambda: long.run(progress=False),
            ):
                before = turns[0]
                # where all processors are busy the other thread may come to none within many such works
                end = time.monotonic() + 60
                while turns[0] == before and time.monotonic() < end:
                    work()
                self.assertGreater(turns[0], before)
        finally:
            done.set()
            sys.setswitchinterval(switch)
            other.join()

    def test_threads_each_with_their_run(self):
        answers = {}

        def work(k):
            answers[k] = pendulum().set(L=1 + k).run(duration=2, verify="off")["hinge.angle"][-1]

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for k in range(4):
            alone = pendulum().set(L=1 + k).run(duration=2, verify="off")["hinge.angle"][-1]
            self.assertEqual(answers[k], alone)


class Analyses(unittest.TestCase):
    def test_statics_and_modes(self):
        m = pendulum()
        e = m.statics()
        self.assertAlmostEqual(e["hinge.angle"], -math.pi / 2, places=12)
        self.assertEqual(e.stability, "stable")
        # a rod of length L on a hinge: omega^2 = 3 g / 2 L
        modes = m.modes()
        self.assertEqual(len(modes), 1)
        self.assertAlmostEqual(modes[0].frequency, math.sqrt(3 * 9.81 / 4) / (2 * math.pi), places=9)
        linear = m.linearise()
        self.assertTrue(numpy.allclose(linear.A, [[0, 1], [-3 * 9.81 / 4, 0]]))

    def test_driven(self):
        m = pendulum(duration=1)
        m.driver("motor", joint_a="hinge", motion="0.5*t^2")
        k = m.kinematics()
        self.assertTrue(numpy.allclose(k.result["hinge.angle"], 0.5 * k.result.time**2))
        i = m.inverse()
        # J a + m g L/2 cos(angle), J = m L^2 / 3
        t = i.result.time
        effort = [c for c in i.result.columns if c.endswith("effort")][0]
        wanted = 4 / 3 + 9.81 * numpy.cos(0.5 * t * t)
        self.assertTrue(numpy.allclose(i.result[effort], wanted, rtol=1e-9))
        with self.assertRaisesRegex(holon.Error, "hinge|free"):
            pendulum().kinematics()

    def test_tolerances(self):
        """A rod of length 2, turned by its driver: its middle goes along a circle, all of it with the bearing."""
        m = pendulum()
        m.driver("motor", joint_a="hinge", motion="0.5*t")
        for at, angle in (("initial", 0), (1.0, 0.5)):
            o = m.tolerances(at=at)
            turn = o.rows.index("motor.motion")
            self.assertAlmostEqual(o.result["rod.x"][turn], -math.sin(angle), 6)
            self.assertAlmostEqual(o.result["rod.y"][turn], math.cos(angle), 6)
            self.assertAlmostEqual(o.at_most("rod.x", 1e-3, 1e-4), 1e-3 + 1e-4 * math.sin(angle), 9)

    def test_check_code_compare(self):
        m = pendulum(duration=0.5)
        self.assertEqual(m.check().dof, 1)
        self.assertEqual(m.check().each_joint[0].name, "hinge")
        self.assertIn("acceleration", m.code())
        self.assertIn("double", m.code())
        c = m.compare("standard", "baumgarte", step=1e-3)
        self.assertEqual(set(c.runs), {"standard", "baumgarte"})
        for row in c.table:
            self.assertLess(row["error"], 1e-4)
        with self.assertRaises(holon.Error):
            m.compare("no-such-method")


if __name__ == "__main__":
    unittest.main()
