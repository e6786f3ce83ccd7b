"""A sample of scaled.py: machines of micrometres and of kilometres move as those of metres."""

import unittest

import numpy as np

import scaled

# what took an angle for a length, or the other way round, or had metres and seconds in it, and one of each kind
TRIED = [
    ("cardan:1", {"coordinates": "relative"}, ["micrometres", "kilometres"]),
    ("cardan:4", {"coordinates": "natural"}, ["micrometres"]),
    ("parallelogram:3", {"coordinates": "relative"}, ["millimetres", "nanograms"]),
    ("four_bar_in_space", {"coordinates": "relative"}, ["micrometres"]),
    ("four_bar_in_space", {"coordinates": "natural"}, ["micrometres"]),
    ("stopped:2", {"coordinates": "reference"}, ["micrometres", "tonnes"]),
    ("aboard:4", {"coordinates": "relative"}, ["micrometres", "kilometres"]),
    ("driven_loop:1", {"coordinates": "reference"}, ["micrometres"]),
    ("ring:1", {"coordinates": "relative"}, ["micrometres", "kilometres"]),
    ("four_bar", {"duration": 1}, ["milliseconds", "hours", "far"]),
    ("pendulum", {"duration": 2}, ["micrometres", "far", "specks"]),
    ("cam_follower", {"duration": 0.05}, ["specks", "planets"]),
    ("rolling_disk", {"duration": 1}, ["far"]),
    ("spatial_slider_crank", {"duration": 0.5}, ["planets"]),
    ("stick_slip_belt", {"duration": 2}, ["milliseconds", "hours", "specks"]),
    ("bouncing_ball", {"duration": 2}, ["hours", "specks"]),
    ("latch", {}, ["milliseconds", "hours"]),
    ("rimless_wheel", {"duration": 1}, ["specks"]),
    ("block_on_slope", {}, ["hours", "specks"]),
    ("torn:4", {}, ["hours"]),
]
ENOUGH = 1e-9


class Scaled(unittest.TestCase):
    def test_same_in_other_units(self):
        for name, options, units in TRIED:
            model, usual = scaled.find(name)
            for of in units:
                with self.subTest(model=name, units=of, **options):
                    found = scaled.attempt(model, scaled.UNITS[of], usual | options)
                    self.assertEqual([found.words, found.failed], [[], ""], str(found))
                    self.assertLess(found.columns, ENOUGH, str(found))

    def test_analyses(self):
        """Equilibria, eigenvalues times the unit of time, motions of what is driven."""
        for name in ("four_bar_in_space", "heavy_top", "stopped:2", "driven_loop:1", "pendulum", "cart:1"):
            model, _ = scaled.find(name)
            usual = scaled.asked(model, scaled.Units(), 0.5)
            for of in ("micrometres", "far", "specks", "hours"):
                with self.subTest(model=name, units=of):
                    found = scaled.asked(model, scaled.UNITS[of], 0.5)
                    self.assertEqual([usual[0], usual[2]], [found[0], found[2]])
                    self.assertEqual(len(usual[1]), len(found[1]))
                    if not isinstance(usual[1], str):
                        apart = np.max(abs(np.array(usual[1]) - found[1]), initial=0)
                        self.assertLessEqual(apart, 1e-9 * np.max(np.abs(usual[1]), initial=0))


if __name__ == "__main__":
    unittest.main()
