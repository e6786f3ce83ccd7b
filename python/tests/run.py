"""Runs all tests of the Python package.

usage: run.py BUILD [NAME ...]     BUILD: where the package was built (build/python); NAMEs: tests

The last line is "N passed, N failed".
"""

import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Count(unittest.TextTestResult):
    """Counts what passed, subtests one by one."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        self.passed += error is None


def main():
    build = Path(sys.argv[1]).resolve()
    os.environ["HOLON_BUILD_DIR"] = str(build)
    scratch = build / "scratch"
    scratch.mkdir(exist_ok=True)
    os.environ["TMPDIR"] = str(scratch)
    os.environ["PYTHONPATH"] = str(build / "python")
    sys.path.insert(0, str(build / "python"))
    sys.path.insert(0, str(HERE))
    sys.dont_write_bytecode = True
    os.chdir(HERE.parent.parent)
    loader = unittest.TestLoader()
    if sys.argv[2:]:
        suite = loader.loadTestsFromNames(sys.argv[2:])
    else:
        suite = loader.discover(str(HERE), "test_*.py")
    outcome = unittest.TextTestRunner(sys.stdout, resultclass=Count).run(suite)
    failed = len(outcome.failures) + len(outcome.errors) + len(outcome.unexpectedSuccesses)
    print(f"{outcome.passed} passed, {failed + (outcome.passed == 0)} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
