"""A sample of attack.py, singular.py, physics.py, wild.py and machines.py: runs by any method are right, or say that they are not.

All take seeds from the command line, for thousands of others.
"""

import unittest

import numpy as np

import attack
import holon
import machines
import physics
import singular
import wild
from motion import Motion


class Sample(unittest.TestCase):
    def test_free_body(self):
        """The reference itself, against what it must keep: energy and momentum of a body that tumbles."""
        body = {"mass": 2, "inertia": [[0.3, 0.02, 0], [0.02, 0.5, 0.01], [0, 0.01, 0.7]], "com": [0.1, 0, 0.2],
                "position": [0, 0, 1]}
        oracle = Motion({"bodies": {"b": body}, "joints": {}})
        found = oracle.follow([(np.array([0, 0, 1.0]), np.eye(3))], np.array([1, 0, 0, 2.0, 3, -1]), [0, 0.5, 1])

        def kept(poses, velocity):
            state = type("Seen", (), {"pose": lambda _, b: poses[0],
                                      "twist": lambda _, b: (velocity[:3], velocity[3:])})()
            momentum = oracle.mass_matrix(state)[0] @ velocity
            about = momentum[3:] + np.cross(poses[0][0], momentum[:3])
            return np.array([velocity @ momentum, *momentum[:3], *about])

        for poses, velocity in found:
            np.testing.assert_allclose(kept(poses, velocity), kept(*found[0]), atol=1e-9)

    def test_random_mechanisms(self):
        methods = list(holon.methods())
        for seed in (0, 3):
            made = attack.prepare(seed)
            self.assertIsNotNone(made)
            for method in methods[seed::8]:
                with self.subTest(seed=seed, method=method):
                    kind, sentence = attack.judge(*made, method)
                    self.assertNotIn(kind, ("SILENT", "not known"), sentence)

    def test_singular_places(self):
        methods = list(holon.methods())
        for seed in (1, 2, 17):
            linkage = singular.Linkage(seed)
            times = singular.times_of(linkage)
            found = linkage.motion(times)
            for method in ["constraint-removal", "default", *methods[seed::20]]:
                with self.subTest(seed=seed, family=linkage.family, method=method):
                    kind, sentence = singular.judge(linkage, found, times, method)
                    self.assertFalse(kind.isupper(), f"{kind}: {sentence}")

    def test_hostile_physics(self):
        said = []
        count = physics.try_all(range(5), physics.FAMILIES, ["default"], said.append)
        count += physics.try_all(range(5, 7), physics.FAMILIES, physics.METHODS[1:], said.append)
        count += physics.try_all(range(2), wild.FAMILIES, ["default"], said.append)
        count += physics.try_all(range(3), machines.FAMILIES, ["default"], said.append)
        self.assertEqual(said, [])
        self.assertGreater(count["right"], 150)


if __name__ == "__main__":
    unittest.main()
