"""The notebooks of examples/python run, cell by cell, and carry no outputs."""

import json
import os
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples/python"


def cells(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield cell


class Notebooks(unittest.TestCase):
    def test_they_run(self):
        before = os.getcwd()
        paths = sorted(FOLDER.glob("*.ipynb"))
        self.assertEqual(len(paths), 4)
        try:
            os.chdir(FOLDER)
            for path in paths:
                space = {"__name__": path.stem}
                for number, cell in enumerate(cells(path)):
                    with self.subTest(f"{path.name}, cell {number + 1}"):
                        name = f"{path.name}[{number + 1}]"
                        exec(compile("".join(cell["source"]), name, "exec"), space)
        finally:
            os.chdir(before)

    def test_no_outputs(self):
        for path in sorted(FOLDER.glob("*.ipynb")):
            for cell in cells(path):
                self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), path.name)


if __name__ == "__main__":
    unittest.main()
