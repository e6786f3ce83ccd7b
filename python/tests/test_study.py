"""Studies: many runs of a model."""

import math
import os
import tempfile
import unittest

import numpy

import holon
from test_model import pendulum


class Studies(unittest.TestCase):
    def test_rows_are_those_of_single_runs(self):
        m = pendulum(duration=0.5, step=0.01)
        s = m.study(
            {"L": {"uniform": [1, 3]}, "method": {"option": "method", "list": ["auto", "baumgarte"]}},
            {"fast": "max(abs(rod.omega))", "end": "final(hinge.angle)"},
            design="monte-carlo",
            runs=6,
            seed=3,
            constraints={"slow": "fast < 3"},
            progress=False,
        )
        self.assertEqual(len(s), 6)
        self.assertEqual(s.factors, ("L", "method"))
        self.assertEqual(s.metrics, ("fast", "end"))
        self.assertEqual(set(s.status), {"done"})
        for k in range(6):
            run = m.copy().set(L=s["L"][k]).run(method=s.words("method")[k])
            self.assertEqual(numpy.abs(run["rod.omega"]).max(), s["fast"][k])
            self.assertEqual(run["hinge.angle"][-1], s["end"][k])
            self.assertEqual(s.feasible[k], s["fast"][k] < 3)

    def test_the_model_keeps_what_was_set(self):
        m = pendulum(duration=0.2).set(L=1)
        other = m.study({"mass": {"place": "bodies.rod.mass", "list": [1, 5]}}, {"l": "L + 0*max(t)"})
        self.assertEqual(list(other["l"]), [1, 1])
        self.assertEqual(m.study({"L": [2]}, {"d": "final(t)"}, duration=0.1)["d"][0], 0.1)

    def test_failures_are_rows(self):
        s = pendulum(duration=0.1).study({"L": [1, -1]}, {"x": "final(rod.x)"})
        self.assertEqual(s.status, ["done", "refused"])
        self.assertTrue(math.isnan(s["x"][1]))
        self.assertEqual(list(s.messages), [1])

    def test_stores_pages_and_tables(self):
        m = pendulum(duration=0.1)
        with tempfile.TemporaryDirectory() as folder:
            store, page = os.path.join(folder, "s.db"), os.path.join(folder, "s.html")
            first = m.study({"L": [1, 2, 3]}, {"x": "final(rod.x)"}, store=store, html=page)
            again = m.study({"L": [1, 2, 3]}, {"x": "final(rod.x)"}, store=store, resume=True)
            self.assertTrue((first["x"] == again["x"]).all())
            with self.assertRaises(holon.FileError):
                m.study({"L": [1, 2, 3]}, {"x": "final(rod.x)"}, store=store)
            self.assertIn("holon-study", open(page, encoding="utf-8").read())
        frame = first.to_pandas()
        self.assertEqual(list(frame["status"]), ["done"] * 3)
        self.assertEqual(frame.index.name, "run")

    def test_mistakes_are_told(self):
        with self.assertRaisesRegex(holon.Error, "unknown name 'rod.z'"):
            pendulum().study({"L": [1]}, {"x": "max(rod.z)"})
        with self.assertRaisesRegex(holon.Error, "no parameter 'M'"):
            pendulum().study({"M": [1]}, {"x": "max(rod.x)"})
        with self.assertRaises(TypeError):
            pendulum().study({"L": [1]}, {"x": "max(rod.x)"}, turns=3)

    def test_progress_can_stop_it(self):
        class Enough(Exception):
            pass

        def tell(done, runs):
            raise Enough

        with self.assertRaises(Enough):
            pendulum(duration=0.5).study(
                {"L": {"uniform": [1, 2]}},
                {"x": "final(rod.x)"},
                design="monte-carlo",
                runs=100000,
                progress=tell,
            )

    def test_a_bowl_has_a_bottom(self):
        m = pendulum(duration=0.02, step=0.01, output_step=0.01)
        kind = {"L": {"uniform": [1, 3]}}
        with tempfile.TemporaryDirectory() as folder:
            store, page = os.path.join(folder, "o.db"), os.path.join(folder, "o.html")
            o = m.optimise(
                kind,
                {"f": "(L - 1.7)^2 + 0*max(t)"},
                minimise="f",
                constraints={"room": "L >= 1.9"},
                search={"method": "gradient", "tolerance": 1e-8},
                store=store,
                html=page,
                progress=False,
            )
            self.assertIn('"optimise"', open(page, encoding="utf-8").read())
        self.assertTrue(o.converged and o.feasible)
        self.assertAlmostEqual(o["L"], 1.9, 6)
        self.assertEqual(o.method, "gradient")
        self.assertEqual(len(o.study), o.evaluations)
        with self.assertRaises(ValueError):
            m.optimise(kind, {"f": "L + 0*max(t)"}, minimise="f", html="page.html")
        with self.assertRaisesRegex(holon.Error, "no metric 'g'"):
            m.optimise(kind, {"f": "L + 0*max(t)"}, minimise="g")

    def test_a_fit_finds_what_was_measured(self):
        m = pendulum(duration=1, output_step=0.05)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "measured.csv")
            m.copy().set(L=1.8).run(rtol=1e-10).write(path)
            data = [{"file": path, "columns": {"rod.omega": "rod.omega"}}]
            f = m.fit({"L": {"uniform": [1, 3]}}, data, progress=False)
        self.assertTrue(f.converged)
        self.assertAlmostEqual(f["L"], 1.8, 6)
        self.assertEqual(f.at_end, ())
        self.assertIn("rod.omega.residual", f.residuals.columns)

    def test_gradients_are_those_of_runs(self):
        m = pendulum(duration=0.5, output_step=0.1)
        metrics = {"end": "final(rod.omega)", "way": "integral(rod.x^2)"}
        options = dict(step=0.01, method="mass-projection", integrator="rk4", verify="off")
        for backward in (True, False):
            g = m.gradients({"L": 1.8}, metrics, backward=backward, step=0.01)
            h = 1e-4
            s = m.study({"L": [1.8 - h, 1.8, 1.8 + h]}, metrics, **options)
            for name in metrics:
                self.assertAlmostEqual(g[name].value, s[name][1], 12)
                self.assertAlmostEqual(g[name].by["L"], (s[name][2] - s[name][0]) / (2 * h), 5)


if __name__ == "__main__":
    unittest.main()
