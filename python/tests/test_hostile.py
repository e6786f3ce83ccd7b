"""Scripts that try many things, at a size for every day; run by hand they go further."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

import holon

HERE = Path(__file__).resolve().parent
BUILD = os.environ["HOLON_BUILD_DIR"]


def script(name, *arguments):
    command = [sys.executable, "-X", "faulthandler", str(HERE / name), BUILD, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


class Hostile(unittest.TestCase):
    def test_random_calls(self):
        done = script("fuzz.py", "10000")
        self.assertIn("10000 passed, 0 failed", done.stdout, done.stdout + done.stderr)

    def test_pairs_that_are_none(self):
        text = "bodies: {a: {type: point, mass: 1}}"
        for pairs in ([3], ["ab"], [None]):
            with self.assertRaises(TypeError):
                holon._holon.build(None, text, "m", pairs, [], True, False, False)
            with self.assertRaises(TypeError):
                holon._holon.build(None, text, "m", [], pairs, True, False, False)
            with self.assertRaises(TypeError):
                holon._holon.report("page.html", tuple(pairs))

    def test_nothing_is_left(self):
        done = script("leak.py", "500")
        self.assertIn("1 passed, 0 failed", done.stdout, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
