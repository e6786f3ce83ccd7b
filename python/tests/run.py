"""Runs all tests of the Python package, as many at a time as there are processors.

usage: run.py BUILD [NAME ...]     BUILD: where the package was built (build/python); NAMEs: tests

The last line is "N passed, N failed".
"""

import io
import os
import re
import sys
import unittest
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

HERE = Path(__file__).resolve().parent

# started first, so that no processor waits at the end for one of them
LONGEST = ("test_motion", "test_oracle", "test_hostile", "test_package", "test_notebooks")

RAN = re.compile("Ran .*")


class Count(unittest.TextTestResult):
    """Counts what passed, subtests one by one."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        self.passed += error is None


def prepare(build):
    """What a process needs to find the package, the tests and a place for files."""
    os.environ["HOLON_BUILD_DIR"] = str(build)
    scratch = build / "scratch"
    scratch.mkdir(exist_ok=True)
    os.environ["TMPDIR"] = str(scratch)
    os.environ["PYTHONPATH"] = str(build / "python")
    sys.path.insert(0, str(build / "python"))
    sys.path.insert(0, str(HERE))
    sys.dont_write_bytecode = True
    os.chdir(HERE.parent.parent)


def names_in(suite):
    """The names of all tests of a suite of suites."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from names_in(test)
        else:
            yield test.id()


def carry_out(name):
    """One test: what it printed, how much passed, how much failed."""
    text = io.StringIO()
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    outcome = unittest.TextTestRunner(text, resultclass=Count).run(suite)
    failed = len(outcome.failures) + len(outcome.errors) + len(outcome.unexpectedSuccesses)
    return text.getvalue(), outcome.passed, failed


def place(name):
    module = name.split(".")[0]
    return LONGEST.index(module) if module in LONGEST else len(LONGEST)


def main():
    prepare(Path(sys.argv[1]).resolve())
    loader = unittest.defaultTestLoader
    found = loader.loadTestsFromNames(sys.argv[2:]) if sys.argv[2:] else loader.discover(str(HERE), "test_*.py")
    # a module that cannot be imported is a test that fails, under a name that says nothing
    for error in loader.errors:
        print(f"FAILED to load: {error}", flush=True)
    names = sorted((name for name in names_in(found) if "._FailedTest." not in name), key=place)
    passed = 0
    failed = len(loader.errors)
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        jobs = {pool.submit(carry_out, name): name for name in names}
        for job in as_completed(jobs):
            try:
                text, good, bad = job.result()
            except BrokenProcessPool:
                text, good, bad = "a process ended in the middle of this or another test", 0, 1
            passed += good
            failed += bad
            print(f"{jobs[job]}: {'FAILED' + chr(10) + text if bad else RAN.search(text).group()}", flush=True)
    print(f"{passed} passed, {failed + (passed == 0)} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
