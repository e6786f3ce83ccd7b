"""A sample of scaled.py: machines of micrometres and of kilometres move as those of metres."""

import unittest

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


if __name__ == "__main__":
    unittest.main()
