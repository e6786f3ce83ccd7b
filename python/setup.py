"""pip install --no-build-isolation ./python

CMake builds the extension, with the library inside, and writes the generated types; this file puts
both into the wheel. HOLON_BUILD_DIR names a configured folder to build in, which saves compiling
the library again.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent


def version():
    """The public header is the one place that says it."""
    text = (ROOT / "include/holon/holon.h").read_text()
    return ".".join(re.findall(r"^#define HN_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", text, re.M))


class Build(build_ext):
    """By CMake."""

    def run(self):
        given = os.environ.get("HOLON_BUILD_DIR")
        folder = Path(given) if given else Path(self.build_temp).resolve() / "cmake"
        if not (folder / "CMakeCache.txt").exists():
            subprocess.check_call(
                ["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DHN_TESTS=OFF"]
                + (["-G", "Ninja"] if shutil.which("ninja") else [])
            )
        python = [f"-DHN_PYTHON=ON", f"-DHN_PYTHON_EXECUTABLE={sys.executable}"]
        subprocess.check_call(["cmake", folder] + python)
        subprocess.check_call(["cmake", "--build", folder, "--target", "python", "--parallel"])
        target = Path(self.build_lib) / "holon"
        target.mkdir(parents=True, exist_ok=True)
        for name in ("_holon.abi3.so", "_tables.pyi"):
            shutil.copy(folder / "python/holon" / name, target)

    def get_outputs(self):
        target = Path(self.build_lib) / "holon"
        return [str(target / name) for name in ("_holon.abi3.so", "_tables.pyi")]


setup(
    name="holon",
    version=version(),
    description="Dynamics of constrained multibody systems",
    license="BSD-3-Clause",
    python_requires=">=3.11",
    packages=["holon"],
    package_data={"holon": ["py.typed", "*.pyi"]},
    ext_modules=[Extension("holon._holon", sources=[], py_limited_api=True)],
    cmdclass={"build_ext": Build},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
    zip_safe=False,
)
