"""A sample of same.py: what should not matter does not."""

import copy
import unittest

import numpy as np

import holon
import same

QUICK = 0.05  # [s] of each motion


class Same(unittest.TestCase):
    def test_models_described_otherwise(self):
        """Every model with one of the changes; by hand all changes, seeds and durations are tried."""
        same_found = 0
        for number, path in enumerate(sorted((same.ROOT / "models").glob("*.yaml"))):
            model = same.load(path)
            options = same.options_of(model, QUICK)
            plain = holon.Model(model).run(**options)
            change = same.CHANGES[number % len(same.CHANGES)]
            kind, sentence = same.attempt(model, plain, options, change, np.random.default_rng(number))
            with self.subTest(model=path.stem, change=change.__name__):
                self.assertIn(kind, ("same", "same, not known", "unfit", "refused"), sentence)
                if kind == "refused":
                    self.assertIn(" a part that is ", sentence)
            same_found += kind == "same"
        self.assertGreater(same_found, 30)

    def differences(self, name, change, **more):
        model = same.load(same.ROOT / "models" / f"{name}.yaml")
        options = same.options_of(model, 10) | more
        plain = holon.Model(model).run(**options)
        return same.attempt(model, plain, options, change, np.random.default_rng(0))

    def test_curves_and_boxes_lie_as_their_body(self):
        self.assertEqual(self.differences("cam_follower", same.turned)[0], "same")
        self.assertEqual(self.differences("kerb", same.turned)[0], "same")

    def test_boxes_lie_along_an_axis(self):
        """A ball falls on a box in space: as the body lies, as an oriented frame does, or turned the shortest way."""
        def height(box, **contact):
            model = {"gravity": [0, 0, -9.81],
                     "bodies": {"box": {"mass": 1, "inertia": [1, 1, 1], **box},
                                "ball": {"type": "point", "mass": 1, "position": [0, 0, 2]}},
                     "joints": {"weld": {"type": "fixed", "b": "box"},
                                "floor": {"type": "contact", "b": "ball", "surface": "box", "size": [1, 2, 3], **contact}}}
            return float(np.asarray(holon.Model(model).run(duration=1, output_step=0.5)["ball.z"])[-1])

        turn = lambda *axis: {"orientation": {"axis": axis, "angle": "90 deg"}}
        self.assertAlmostEqual(height({}, a="box"), 1.5, 6)
        self.assertAlmostEqual(height(turn(1, 0, 0), a="box"), 1, 6)
        self.assertAlmostEqual(height(turn(0, 1, 0), a="box"), 0.5, 6)
        self.assertAlmostEqual(height({}, a="box", axis=[1, 0, 0]), 0.5, 6)  # x points down now
        self.assertAlmostEqual(height(turn(1, 0, 0), a="box", axis=[0, -1, 0]), 1, 6)  # z of the body
        frames = {"frames": {"top": {"position": [0, 0, 0], **turn(1, 0, 0)}}}
        self.assertAlmostEqual(height(frames, a="box.top"), 1, 6)
        self.assertAlmostEqual(height(frames, a="box.top", axis=[1, 0, 0]), 1, 6)

    def test_impacts_on_a_train(self):
        """What friction takes in an impact does not depend on who watches."""
        self.assertEqual(self.differences("rocking_block", same.train, duration=1)[0], "same")

    def test_guide_seen_from_its_slider(self):
        """Rows whose lengths change are not about to depend on each other: no more work than the other way round."""
        model = same.load(same.ROOT / "models/flexible_rod_slider_crank.yaml")
        work = []
        for _ in range(2):
            summary = holon.Model(copy.deepcopy(model)).run(duration=0.1, output_step=0.02, verify="off").summary
            work.append(summary.factorisations)
            self.assertEqual(summary.regularised, 0)
            model["joints"]["guide"] |= {"a": "slider", "b": "ground"}
        self.assertLess(work[1], 1.05 * work[0])


if __name__ == "__main__":
    unittest.main()
