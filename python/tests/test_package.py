"""The package as others get it: types that fit, and a wheel that works where it is put."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ["HOLON_BUILD_DIR"])

GOOD = """
import holon
m = holon.Model(gravity=[0, -9.81])
rod = m.body("rod", type="planar", mass=1, inertia=1)
m.revolute("hinge", b=rod, at=[0, 0])
r: holon.Result = m.run(duration=1.0, rtol=1e-9, events=True)
x: float = r["rod.x"][0]
m.options.rtol = 1e-7
sim: holon.Sim = m.sim()
t: float = sim.step()
"""
BAD = """
import holon
m = holon.Model()
m.revolute("hinge", bb="rod")
m.run(durationn=1)
m.run(method="no-such")
m.modes().nothing
"""


def mypy(folder, *what):
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={BUILD}/mypy", *what],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(BUILD / "python")},
        capture_output=True,
        text=True,
    )


class Types(unittest.TestCase):
    def test_package_is_strictly_typed(self):
        done = mypy(BUILD / "python", "-p", "holon")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_programs_are_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "good.py").write_text(GOOD)
            Path(folder, "bad.py").write_text(BAD)
            done = mypy(folder, "good.py", "bad.py")
        errors = [line.split(":")[:2] for line in done.stdout.splitlines() if ": error:" in line]
        lines = [["bad.py", str(k)] for k in (4, 5, 6, 7)]
        self.assertEqual(errors, lines, done.stdout + done.stderr)


class Wheel(unittest.TestCase):
    def test_install(self):
        with tempfile.TemporaryDirectory() as folder:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation"]
            offline = ["--no-index", "--no-deps", "--target", folder, "./python"]
            done = subprocess.run(pip + offline, cwd=ROOT, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for name in ("_holon.abi3.so", "_tables.pyi", "py.typed", "model.py"):
                self.assertTrue(Path(folder, "holon", name).exists(), name)
            code = "import holon; print(holon.__file__, holon.Model.example('pendulum').check().dof)"
            done = subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONPATH": folder},
                capture_output=True,
                text=True,
            )
            self.assertTrue(done.stdout.startswith(folder), done.stdout + done.stderr)

    def test_without_numpy(self):
        code = """
import sys
sys.modules['numpy'] = None
import holon
r = holon.Model.example('pendulum').run(duration=0.1, verify='off')
x = r[r.columns[1]]
assert isinstance(x, memoryview) and len(x) == r.rows and x[0] == r.data[0, 1], x
sim = holon.Model.example('four_bar').sim()
assert sim.M.shape == (len(sim.v), len(sim.v))
print('works')
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "works\n", done.stderr)


class Documentation(unittest.TestCase):
    def test_page_is_current(self):
        script = [sys.executable, "python/document.py", str(BUILD / "python"), "--check"]
        done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
