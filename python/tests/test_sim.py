"""Stepping, the state and the equations of motion."""

import gc
import random
import unittest

import numpy

import holon
from test_model import pendulum


class Stepping(unittest.TestCase):
    def test_step_and_advance(self):
        sim = pendulum().sim()
        t = sim.step()
        self.assertGreater(t, 0)
        self.assertEqual(sim.time, t)
        self.assertEqual(sim.advance(0.5), 0.5)
        with self.assertRaises(holon.Error):
            sim.advance(0.1)  # time does not run backwards
        with self.assertRaises(TypeError):
            sim.advance("now")
        reference = pendulum(duration=0.5, verify="off").run()["hinge.angle"][-1]
        self.assertAlmostEqual(sim.coordinate("hinge")[0], reference, places=5)

    def test_views_become_stale(self):
        sim = pendulum().sim()
        for name in ("q", "v", "a", "multipliers"):
            view = getattr(sim, name)
            kept = numpy.asarray(view)
            self.assertEqual(list(view), kept.tolist())
            self.assertEqual(view[-1], kept[-1])
            self.assertEqual(view[:2], kept[:2].tolist())
            with self.assertRaises(IndexError):
                view[99]
            sim.step()
            self.assertTrue(view.stale)
            for use in (lambda: view[0], lambda: list(view), lambda: numpy.asarray(view)):
                with self.assertRaisesRegex(holon.StaleError, "stale"):
                    use()
            self.assertIn("stale", repr(view))
            self.assertEqual(len(kept), len(getattr(sim, name)))

    def test_views_outlive_their_run(self):
        view = pendulum().sim().q
        gc.collect()
        self.assertEqual(len(list(view)), 3)

    def test_state_is_set(self):
        sim = pendulum().sim()
        q, v = list(sim.q), list(sim.v)
        sim.advance(1)
        sim.set_state(0, q, v)
        self.assertEqual((sim.time, list(sim.q)), (0, q))
        with self.assertRaisesRegex(ValueError, "q must have 3"):
            sim.set_state(0, [1], v)
        with self.assertRaises(TypeError):
            sim.set_state(0, 5, v)
        with self.assertRaises(holon.Error):
            sim.set_state(0, [float("nan")] * 3, v)
        self.assertEqual(list(sim.q), q)

    def test_names(self):
        sim = pendulum().sim()
        self.assertEqual(sim.bodies, ["ground", "rod"])
        self.assertEqual(sim.joints, ["hinge"])
        self.assertEqual(len(sim.rows), 2)
        self.assertEqual(list(sim.joint_rows("hinge")), [0, 1])
        self.assertEqual([a.name for a in sim.addresses], ["rod"])
        with self.assertRaisesRegex(holon.ArgumentError, "did you mean 'rod'"):
            sim.pose("rot")
        with self.assertRaises(holon.ArgumentError):
            sim.reaction("no")
        with self.assertRaisesRegex(holon.ArgumentError, "angle"):
            sim.coordinate("hinge", "translation")


class Inputs(unittest.TestCase):
    def model(self):
        m = holon.Model()
        m.body("ball", mass=2, inertia=[1, 1, 1])
        m.prismatic("slide", b="ball", axis=[1, 0, 0])
        m.add("signals", "u", {"input": 3, "unit": "N"})
        m.motor("push", joint="slide", law="u")
        return m

    def test_an_input_acts_from_when_it_is_set(self):
        sim = self.model().sim(step=0.01)
        self.assertEqual(dict(sim.input), {"u": 3.0})
        sim.advance(1)
        # x = u t^2 / 2 m, then with another u
        self.assertAlmostEqual(sim.coordinate("slide")[0], 0.75, places=9)
        a = sim.a
        sim.input["u"] = -4
        with self.assertRaises(holon.StaleError):
            a[0]
        self.assertEqual(sim.input["u"], -4.0)
        sim.advance(2)
        self.assertAlmostEqual(sim.coordinate("slide")[0], 0.75 + 1.5 - 1, places=9)

    def test_wrong_use(self):
        sim = self.model().sim()
        with self.assertRaisesRegex(KeyError, "no input 'w'.*u"):
            sim.input["w"] = 1
        with self.assertRaisesRegex(KeyError, "no input 'w'"):
            sim.input["w"]
        with self.assertRaises(TypeError):
            sim.input["u"] = "much"
        with self.assertRaises(holon.Error):
            sim.input["u"] = float("nan")
        self.assertEqual(sim.input["u"], 3.0)


class Equations(unittest.TestCase):
    def test_forward_solves_the_equations(self):
        seed = random.randrange(10**6)
        print("seed", seed)
        rng = numpy.random.default_rng(seed)
        for name in ("four_bar", "double_wishbone", "heavy_top"):
            with self.subTest(name):
                sim = holon.Model.example(name).sim(coordinates="reference")
                q = numpy.asarray(sim.q) + 1e-3 * rng.standard_normal(len(sim.q))
                v = numpy.asarray(sim.v) + 1e-1 * rng.standard_normal(len(sim.v))
                q, v = sim.project(q, v)
                e = sim.equations(0.0, q, v)
                self.assertLess(abs(e.phi).max(), 1e-8)
                self.assertLess(abs(e.psi).max(), 1e-8)
                a, multipliers = sim.forward(0.0, q, v)
                left = e.M @ a - e.J.T @ multipliers - e.r
                self.assertLess(abs(left).max(), 1e-8 * max(1, abs(e.r).max()))
                self.assertLess(abs(e.J @ a - e.gamma).max(), 1e-7 * max(1, abs(e.gamma).max()))
                x = rng.standard_normal(len(v))
                self.assertTrue(numpy.allclose(e.M @ sim.mass_solve(x, q), x))

    def test_point_jacobian(self):
        sim = pendulum().sim()
        sim.advance(0.3)
        J = sim.point_jacobian("rod", [1, 0, 0])
        tip = J @ numpy.asarray(sim.v)
        a, w = sim.coordinate("hinge")
        wanted = 2 * w * numpy.array([-numpy.sin(a), numpy.cos(a)])
        self.assertTrue(numpy.allclose(tip[:2], wanted, atol=1e-8))
        self.assertAlmostEqual(tip[5], w, places=8)

    def test_energy_and_residuals(self):
        sim = pendulum().sim()
        sim.advance(1)
        self.assertLess(abs(sim.energy.balance), 1e-5)
        self.assertLess(sim.residuals.position, 1e-8)
        self.assertTrue(sim.audit.audited)
        self.assertTrue(sim.verify().known)


LOOP = """
bodies:
  wheel: {type: planar, mass: 1, inertia: 0.25}
joints:
  hinge: {type: revolute, b: wheel, at: [0, 0]}
forces:
  motor: {type: motor, joint: hinge, law: u + filtered}
states:
  filtered: {rate: (hinge.angle - filtered)/0.1, start: 0.5}
controllers:
  u: {period: 0.01, inputs: [1 - hinge.angle, hinge.rate]}
"""


FALL = """
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 2, inertia: [0.1, 0.2, 0.3], position: [0, 0, 3]}
events:
  half: ball.z < 1.5
  landed: {when: ball.z < 0, stop: true}
outputs: [ball.z, {weight: 2*9.81, height: {formula: ball.z*1000, unit: mm}}]
simulation: {duration: 5, rtol: 1e-10}
"""


class Events(unittest.TestCase):
    """Events, pushes by numbers and by functions, columns of one's own."""

    def test_events(self):
        sim = holon.Model(text=FALL).sim()
        heard = []
        sim.listen("half", heard.append)
        sim.advance(5)
        self.assertAlmostEqual(sim.time, (6 / 9.81) ** 0.5, places=9)
        self.assertEqual([name for name, _ in sim.events], ["half", "landed"])
        self.assertEqual(sim.ended, "landed")
        self.assertEqual(heard, [sim.events[0][1]])
        with self.assertRaises(holon.ArgumentError):
            sim.listen("nothing", print)
        with self.assertRaises(TypeError):
            sim.listen("half", 3)

    def test_event_that_raises(self):
        sim = holon.Model(text=FALL).sim()

        def enough(t):
            raise ZeroDivisionError("enough")

        sim.listen("half", enough)
        with self.assertRaisesRegex(ZeroDivisionError, "enough"):
            sim.advance(5)
        sim = holon.Model(text=FALL).sim()
        sim.listen("half", enough)
        sim.listen("half", None)
        sim.advance(5)
        self.assertEqual(sim.ended, "landed")

    def test_columns(self):
        result = holon.Model(text=FALL).run()
        self.assertEqual(list(result.columns), ["time", "ball.z", "weight", "height"])
        self.assertAlmostEqual(float(result["height"][0]), 3000)
        model = holon.Model()
        model.body("b", mass=1, inertia=[1, 1, 1], velocity=[2, 0, 0])
        model.output("b.x", speed="hypot(b.vx, b.vy)", double=("2*speed", "m/s"))
        result = model.run(duration=1)
        self.assertEqual(result.units["double"], "m/s")
        self.assertAlmostEqual(float(result["double"][-1]), 4)

    def test_push(self):
        sim = holon.Model(text=FALL).sim()
        sim.push("ball", [0, 0, 2 * 9.81], [0, 0, 0.6])
        sim.advance(0.5)
        pose = sim.pose("ball")
        self.assertAlmostEqual(pose.position[2], 3, places=9)
        self.assertAlmostEqual(pose.angular_velocity[2], 1, places=9)
        sim.push("ball")
        sim.advance(0.75)
        self.assertAlmostEqual(sim.pose("ball").velocity[2], -9.81 * 0.25, places=9)

    def test_push_by_function(self):
        sim = holon.Model(text=FALL).sim()
        # a spring to the start and its weight: 3 + 0.1 cos(5 t)
        sim.set_state(0, [0, 0, 3.1] + list(sim.q)[3:], sim.v)
        sim.push_by("ball", lambda t, pose: [0, 0, 2 * 9.81 - 50 * (pose.position[2] - 3)])
        sim.advance(1.3)
        self.assertAlmostEqual(sim.pose("ball").position[2], 3 + 0.1 * numpy.cos(5 * 1.3), places=7)
        sim.push_by("ball", lambda t, pose: ([0, 0, 2 * 9.81], [0.1 * t, 0, 0]))
        sim.step()
        sim.push_by("ball", None)
        sim.step()

    def test_push_that_raises(self):
        def wrong(t, pose):
            if t > 0.2:
                raise KeyError("lost")
            return [0, 0, 0]

        for ask in (lambda sim: sim.advance(0.5), lambda sim: [sim.step() for _ in range(1000)],
                    lambda sim: sim.run()):
            sim = holon.Model(text=FALL).sim()
            sim.push_by("ball", wrong)
            with self.assertRaisesRegex(KeyError, "lost"):
                ask(sim)
        for bad in (lambda t, pose: 3, lambda t, pose: [1, 2], lambda t, pose: None,
                    lambda t, pose: ([1, 2, 3], "abc"), lambda: 0):
            sim = holon.Model(text=FALL).sim()
            with self.assertRaises((TypeError, ValueError)):
                sim.push_by("ball", bad)
                sim.advance(0.5)
        with self.assertRaises(TypeError):
            sim.push_by("ball", 3)
        with self.assertRaises(holon.ArgumentError):
            sim.push_by("bell", lambda t, pose: [0, 0, 0])


class Controllers(unittest.TestCase):
    """Functions that control, states, copies."""

    def sim(self):
        return holon.Model(text=LOOP).sim()

    def test_function(self):
        seen = []

        def pd(t, inputs):
            seen.append((t, inputs))
            return 20 * inputs[0] - 4 * inputs[1]

        sim = self.sim()
        sim.controller("u", pd)
        sim.advance(1.0)
        self.assertEqual(len(seen), 101)
        self.assertEqual(seen[37][0], 0.37)
        # the same by a formula
        text = LOOP.replace("inputs: [1 - hinge.angle, hinge.rate]",
                            "formula: 20*(1 - hinge.angle) - 4*hinge.rate")
        other = holon.Model(text=text).sim()
        other.advance(1.0)
        self.assertAlmostEqual(sim.coordinate("hinge")[0], other.coordinate("hinge")[0], places=12)

    def test_exceptions(self):
        def stop(t, inputs):
            if t > 0.5:
                raise ZeroDivisionError("enough")
            return 1.0

        sim = self.sim()
        sim.controller("u", stop)
        with self.assertRaises(ZeroDivisionError):
            sim.advance(1.0)
        with self.assertRaises(ZeroDivisionError):
            for _ in range(1000):
                sim.step()
        sim = self.sim()
        with self.assertRaises(TypeError):
            sim.controller("u", lambda t, inputs: "three")
        sim = self.sim()
        with self.assertRaises(holon.ArgumentError):
            sim.controller("w", stop)
        with self.assertRaises(TypeError):
            sim.controller("u", 3)
        # it may not go on with the run that it controls
        with self.assertRaises(RuntimeError):
            sim.controller("u", lambda t, inputs: sim.step())

    def test_states(self):
        sim = self.sim()
        sim.controller("u", lambda t, inputs: 0.0)
        self.assertEqual(dict(sim.states), {"filtered": 0.5})
        sim.states["filtered"] = 0.25
        self.assertEqual(sim.states["filtered"], 0.25)
        with self.assertRaises(KeyError):
            sim.states["no"]
        with self.assertRaises(KeyError):
            sim.states["no"] = 1
        with self.assertRaises(holon.ArgumentError):
            sim.states["filtered"] = float("nan")

    def test_copies(self):
        sim = self.sim()
        pd = lambda t, inputs: 20 * inputs[0] - 4 * inputs[1]
        sim.controller("u", pd)
        sim.advance(0.3)
        saved, other = sim.save(), sim.copy()
        other.controller("u", pd)
        sim.advance(1.0)
        other.advance(1.0)
        self.assertEqual(list(sim.q), list(other.q))
        there = list(sim.q)
        sim.restore(saved)
        self.assertEqual(sim.time, 0.3)
        sim.advance(1.0)
        self.assertEqual(list(sim.q), there)
        with self.assertRaises(holon.Error):
            sim.restore(saved[:100])
        with self.assertRaises(TypeError):
            sim.restore("text")


if __name__ == "__main__":
    unittest.main()
