"""Hostile files: models, studies, robots, results, tables, matrices and meshes with something changed in them.

usage: files.py PROGRAM FIRST LAST [KIND ...]     seeds; all kinds unless named

The program (best one with sanitizers) reads each by a command that suits it. It must end by itself within 20 s
with an exit code of 0 to 3, with words on stderr where it is not 0, and without a report of a sanitizer. A line
is printed for whatever does not, the file is kept in the folder `hostile` of the current one, and counts at
the end.
"""

import collections
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bends import beam_matrices, market

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = 20
NUMBERS = ["nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "0", "-0", "-1", "1e9", "2147483648", "-9223372036854775808", "99999999999999999999",
           "0x10", "1e", "--1", "1..2", "", "~", "[]", "{}", "[1, 2]", "{a: 1}", "true", "\"\"", "*x", "&x 1", "!!str 1", "1e-5 kg", "t", "x", "1/0"]


def some_bytes(r, data):
    data = bytearray(data)
    for _ in range(r.randint(1, 8)):
        if not data:
            break
        at = r.randrange(len(data))
        what = r.randrange(5)
        if what == 0:
            data[at] = r.randrange(256)
        elif what == 1:
            del data[at:at + r.randint(1, 30)]
        elif what == 2:
            data[at:at] = bytes(r.randrange(256) for _ in range(r.randint(1, 10)))
        elif what == 3:
            data[at:at] = data[at:at + r.randint(1, 300)]
        else:
            data = data[:at]
    return bytes(data)


def some_lines(r, data):
    lines = data.split(b"\n")
    for _ in range(r.randint(1, 4)):
        at, other = r.randrange(len(lines)), r.randrange(len(lines))
        what = r.randrange(4)
        if what == 0 and len(lines) > 1:
            del lines[at]
        elif what == 1:
            lines.insert(other, lines[at])
        elif what == 2:
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines[at] = b"  " * r.randint(0, 3) + lines[at].lstrip()
    return b"\n".join(lines)


def some_words(r, data):
    """Numbers and names become others."""
    for _ in range(r.randint(1, 4)):
        text = data.decode("latin-1")
        found = list(re.finditer(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?" if r.random() < 0.6 else r"[A-Za-z_][A-Za-z_0-9.-]*", text))
        if not found:
            break
        m = r.choice(found)
        new = r.choice(NUMBERS) if r.random() < 0.7 else r.choice(found).group()
        data = (text[:m.start()] + new + text[m.end():]).encode("latin-1")
    return data


def another_number(r, data):
    """One number becomes another one that can be read: most of the file still means something."""
    text = data.decode("latin-1")
    found = list(re.finditer(r"-?\b\d+\.?\d*(?:[eE][-+]?\d+)?\b", text))
    for m in sorted(r.sample(found, min(len(found), r.randint(1, 3))), key=lambda m: -m.start()):
        new = r.choice(["0", "-1", "1e-9", "1e9", "1e-300", "1e300", "3", repr(r.gauss(0, 1)), repr(-float(m.group())), repr(10 * float(m.group()))])
        text = text[:m.start()] + new + text[m.end():]
    return text.encode("latin-1")


def mutated(r, data):
    if r.random() < 0.5:
        return another_number(r, data)
    for _ in range(r.choice([1, 1, 2])):
        data = r.choice([some_bytes, some_lines, some_words, some_words])(r, data)
    return data


def short_run(path, r):
    more = ["--option", "max_steps=300", "--duration", r.choice(["0.02", "0.1"])]
    command = r.choice(["check", "run", "run", "statics", "modes", "kinematics", "inverse"])
    if command == "run":
        return ["run", path, *more, "--option", "verify=off", "--out", "out" + r.choice([".csv", ".h5"])]
    return [command, path] + (["--at", "initial"] if command == "modes" and r.random() < 0.5 else [])


class Kind:
    """Files to change, what lies beside them, and the command that reads them."""

    def __init__(self, sources, command, beside=()):
        self.sources, self.command, self.beside = sorted(sources), command, beside


def flexible_model(where):
    (where / "flex.yaml").write_text("""gravity: [0, 0, -9.81]
simulation: {duration: 0.01, max_steps: 100, verify: off}
flexible: {bar: {calculix: bar, interface: {root: [1, 2, 3, 4], tip: [9, 10, 11, 12]}, modes: 2}}
joints: {wall: {type: fixed, b: bar.root}}
""")


def kinds(work, program):
    """Made once: results to be damaged, and models around tables, meshes and matrices."""
    work = Path(work)
    env = os.environ | {"ASAN_OPTIONS": "detect_leaks=0"}
    for ending in (".csv", ".h5"):
        subprocess.run([program, "run", str(ROOT / "models/four_bar.yaml"), "--duration", "0.5", "--out", str(work / ("result" + ending))],
                       capture_output=True, env=env, check=False)
    (work / "table.csv").write_text("time [ms],height [mm]\n" + "".join(f"{10 * i},{(i * 7) % 5}\n" for i in range(40)))
    (work / "table.yaml").write_text("""signals: {road: {file: table.csv, column: height, interpolation: cubic}}
simulation: {duration: 0.1, max_steps: 300, verify: off}
bodies: {b: {type: planar-point, mass: 1}}
forces: {f: {type: force, b: b, force: [road, 0]}}
""")
    for name in ("star.stl", "wedge.obj"):
        found = next(iter(ROOT.glob("tests/*/" + name)))
        shutil.copy(found, work / name)
        (work / (name + ".yaml")).write_text(f"bodies: {{b: {{shape: {{mesh: {{file: {name}, density: 1000}}}}}}}}\nsimulation: {{duration: 0.01}}\n")
    for name, A in zip(("K.mtx", "M.mtx"), beam_matrices(3, 0.9, 1.0, 1.0)):
        (work / name).write_text(market(A))
    (work / "nodes.txt").write_text("".join(f"{i + 1} {0.3 * i} 0 0\n" for i in range(4)))
    (work / "matrix.yaml").write_text("""flexible: {bar: {nodes: nodes.txt, stiffness: K.mtx, mass: M.mtx, interface: {root: 1, tip: 4}, modes: 2}}
joints: {wall: {type: fixed, b: bar.root}}
simulation: {duration: 0.01, max_steps: 50, verify: off}
""")
    (work / "study.yaml").write_text((ROOT / "studies/four_bar.yaml").read_text().replace("../models/", ""))
    for f in ROOT.glob("tests/elements/bar.*"):
        shutil.copy(f, work)
    flexible_model(work)
    check = lambda model: lambda path, r: ["check", model]
    return {
        "model": Kind(list(ROOT.glob("models/*.yaml")) + list(ROOT.glob("examples/*.yaml")), short_run),
        "study": Kind([work / "study.yaml"], lambda path, r: ["study", path, "--out", "store.db"], [ROOT / "models/four_bar.yaml"]),
        "robot": Kind([f for f in ROOT.glob("tests/robots/*") if f.suffix in (".xml", ".urdf", ".sdf")] + list(ROOT.glob("examples/robots/*.urdf")),
                      lambda path, r: ["import", path, "--out", "robot.yaml"] + r.choice([[], ["--lenient"]]),
                      [f for f in ROOT.glob("tests/robots/*") if f.suffix in (".stl", ".obj", ".part", ".yaml")]),
        "result": Kind([work / "result.csv", work / "result.h5"], lambda path, r: r.choice(
            [["plot", path, "--y", "crank.*", "--out", "p.svg"], ["view", path, "--html", "p.html"]])),
        "table": Kind([work / "table.csv"], lambda path, r: ["run", "table.yaml"], [work / "table.yaml"]),
        "mesh": Kind([work / "star.stl"], check("star.stl.yaml"), [work / "star.stl.yaml"]),
        "object": Kind([work / "wedge.obj"], check("wedge.obj.yaml"), [work / "wedge.obj.yaml"]),
        "matrix": Kind([work / "K.mtx", work / "M.mtx", work / "nodes.txt"], check("matrix.yaml"),
                       [work / f for f in ("matrix.yaml", "K.mtx", "M.mtx", "nodes.txt")]),
        "elements": Kind(work.glob("bar.*"), check("flex.yaml"), [*work.glob("bar.*"), work / "flex.yaml"]),
    }


def attempt(program, kind, seed, name):
    """Kind of end and a sentence; the folder with the file is kept where the end is bad."""
    r = random.Random(f"{name} {seed}")
    source = r.choice(kind.sources)
    folder = tempfile.mkdtemp(prefix="hostile")
    for f in kind.beside:
        shutil.copy(f, folder)
    path = Path(folder) / source.name
    data = source.read_bytes()
    data = some_bytes(r, data) if source.suffix == ".h5" else mutated(r, data)
    # many runs take long, and that is no fault
    path.write_bytes(re.sub(rb"(runs|duration): [-0-9.e]+", rb"\1: 2", data) if name == "study" else data)
    command = [program, *kind.command(path.name, r)]
    env = os.environ | {"ASAN_OPTIONS": "exitcode=99", "UBSAN_OPTIONS": "halt_on_error=1:exitcode=99", "NO_COLOR": "1"}
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=LIMIT, env=env, stdin=subprocess.DEVNULL)
        said = done.stdout + done.stderr
        bad = done.returncode not in (0, 1, 2, 3) or b"Sanitizer" in said or b"runtime error" in said or (done.returncode and not said.strip())
        end = f"exit {done.returncode}"
    except subprocess.TimeoutExpired:
        bad, end, said = True, "HANGS", b""
    if not bad:
        shutil.rmtree(folder)
        return end, ""
    kept = Path("hostile") / f"{name}-{seed}"
    kept.parent.mkdir(exist_ok=True)
    shutil.rmtree(kept, ignore_errors=True)
    shutil.move(folder, kept)
    return "BAD", f"{end}: {' '.join(command[1:])} in {kept}: {said[-300:]!r}"


def main():
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as work:
        for name, kind in kinds(work, program).items():
            if sys.argv[4:] and name not in sys.argv[4:]:
                continue
            count = collections.Counter()
            for seed in range(int(sys.argv[2]), int(sys.argv[3])):
                end, words = attempt(program, kind, seed, name)
                count[end] += 1
                if words:
                    print(f"{name} seed {seed}: {words}", flush=True)
            print(f"{name}: " + ", ".join(f"{end} {n}" for end, n in sorted(count.items())), flush=True)


if __name__ == "__main__":
    main()
