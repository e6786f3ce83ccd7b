"""The same motions by other doors: studies, gradients and units for other simulators.

usage: doors.py BUILD FIRST LAST [FAMILY ...] [door=NAME ...]     doors: study, lanes, slopes, unit

Models are those of physics.py, laws.py, users.py and others. What comes out of a door is compared with what needs none:
rows of a study with single runs of changed models, bit by bit; engines with the library; gradients with differences of
runs; a unit, stepped through the functions of FMI, with the motion that scipy knows. A line is printed for whatever is
silently another.
"""

import copy
import ctypes
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from physics import try_each

SPAN = 0.5  # of the motion that is looked at by fixed steps
STEPS = 200


def leaves(given, path=()):
    """Every number of a model below bodies, joints and forces, as (path, value)."""
    items = given.items() if isinstance(given, dict) else enumerate(given) if isinstance(given, list) else ()
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from leaves(value, path + (key,))
        elif isinstance(value, (float, int, np.floating)) and not isinstance(value, bool) and value != 0:
            yield path + (key,), float(value)


def pick(r, model, count):
    """Numbers that runs may differ in."""
    found = [leaf for section in ("bodies", "forces", "joints") if section in model
             for leaf in leaves(model[section], (section,))]
    chosen = r.choice(len(found), min(count, len(found)), replace=False)
    return [found[i] for i in chosen]


def changed(model, path, value):
    other = json.loads(json.dumps(model, default=float))  # families may use one list in several places
    inner = other
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return other


def metrics_of(case):
    """Of two columns at most: the last value, the largest and the smallest."""
    names = list(case.columns)[:2]
    return {f"{kind}{i}": (f"{kind}({name})", name, of) for i, name in enumerate(names)
            for kind, of in (("final", lambda x: x[-1]), ("max", np.max), ("min", np.min))}


# ---- studies -------------------------------------------------------------------------------------


def study(case, r):
    """Rows of a study are single runs, to the last bit."""
    import holon
    (path, value), = pick(r, case.model, 1)
    values = [value * part for part in (1.0, 0.93, 1.004, 1.1)]
    options = {"duration": case.until, "output_step": float(case.times[1]), "max_steps": 20000}
    metrics = metrics_of(case)
    try:
        holon.Model(case.model).sim()
    except holon.Error as refused:
        return "refused", str(refused).splitlines()[0]
    table = holon.Model(case.model).study(
        {"f": {"place": ".".join(map(str, path)), "list": values}}, {k: m[0] for k, m in metrics.items()}, **options)
    for k, there in enumerate(values):
        try:
            run = holon.Model(changed(case.model, path, there)).run(**options)
        except holon.Error as refused:
            if table.status[k] not in ("refused", "failed"):
                return "SILENT", f"{path} {there}: {table.status[k]}, alone: {refused}"
            continue
        wanted = "done" if run.audit.passed else "audit"
        if table.status[k] != wanted:
            return "SILENT", f"{path} {there}: {table.status[k]} ({table.messages.get(k)}), alone: {wanted}"
        for name, (_, column, of) in metrics.items():
            alone, there_too = float(of(np.asarray(run[column]))), float(table[name][k])
            if alone != there_too:
                return "SILENT", f"{path} {there}: {name} of {column} {there_too!r}, alone {alone!r}"
    return "right", ""


def by_steps(case):
    """A model and options of runs by steps of one length."""
    span = min(SPAN, case.until)
    step = span / STEPS
    return {"method": "mass-projection", "integrator": "rk4", "step": step, "output_step": 10 * step, "duration": span,
            "verify": "off"}


def lanes(case, r):
    """Engines give the library's table up to round-off."""
    import holon
    (path, value), = pick(r, case.model, 1)
    factors = {"f": {"place": ".".join(map(str, path)), "uniform": sorted([value, value * 1.02])}}
    metrics = {k: m[0] for k, m in metrics_of(case).items()}
    model, options = holon.Model(case.model), by_steps(case)
    try:
        there = model.study(factors, metrics, design="monte-carlo", runs=6, seed=1, engine="lanes", **options)
    except holon.Error as refused:
        return "refused", str(refused).splitlines()[0]
    here = model.study(factors, metrics, design="monte-carlo", runs=6, seed=1, **options)
    if there.status != here.status:
        return "SILENT", f"{path}: {there.status}, by the library {here.status}"
    for name, (_, column, _) in metrics_of(case).items():
        size = 1e-12 + np.max(abs(case.columns[column]))
        off = np.nanmax(abs(there[name] - here[name]), initial=0) / size
        if not off < 1e-8:
            return "SILENT", f"{path}: {name} of {column} differs by {off:.1e}"
    return "right", ""


def slopes(case, r):
    """Gradients are those of the steps taken."""
    import holon
    (path, value), = pick(r, case.model, 1)
    options = by_steps(case)
    metrics = {k: m[0] for k, m in metrics_of(case).items() if k.startswith("final")}
    try:
        found = holon.Model(case.model).gradients({"f": value}, metrics, places={"f": ".".join(map(str, path))},
                                                  backward=bool(r.random() < 0.5), **options)
    except holon.Error as refused:
        return "refused", str(refused).splitlines()[0]

    def ends(at):
        run = holon.Model(changed(case.model, path, at)).run(**options)
        return np.array([np.asarray(run[column])[-1] for name, (_, column, _) in metrics_of(case).items()
                         if name.startswith("final")])

    def difference(h):
        return (8 * (ends(value + h) - ends(value - h)) - ends(value + 2 * h) + ends(value - 2 * h)) / (12 * h)

    try:
        coarse, fine = difference(2e-4 * value), difference(1e-4 * value)
        values = ends(value)
    except holon.Error:
        return "no reference", ""
    for i, name in enumerate(metrics):
        slope = found[name].by["f"]
        size = abs(values[i] / value) + abs(fine[i])
        unsure = 20 * abs(coarse[i] - fine[i]) + 1e-8 * size
        if unsure > 1e-3 * size:
            return "no reference", f"{path}: differences {coarse[i]}, {fine[i]}"
        if abs(slope - fine[i]) > unsure:
            return "SILENT", f"{path}: slope {slope!r}, differences {fine[i]!r}, sure to {unsure:.1e}"
    return "right", ""


# ---- units ---------------------------------------------------------------------------------------


class Unit:
    """An importer of FMI 2 for co-simulation, as small as it gets."""

    def __init__(self, archive, folder):
        with zipfile.ZipFile(io.BytesIO(archive)) as files:
            files.extractall(folder)
        described = ElementTree.parse(Path(folder) / "modelDescription.xml").getroot()
        self.outputs = {v.get("name"): int(v.get("valueReference")) for v in described.iter("ScalarVariable")
                        if v.get("causality") == "output"}
        about = described.find("CoSimulation")
        binary, = (Path(folder) / "binaries" / "linux64").glob(about.get("modelIdentifier") + ".so")
        self.library = ctypes.CDLL(str(binary))
        pointers = [ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p),
                    ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t),
                    ctypes.CFUNCTYPE(None, ctypes.c_void_p), ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int)]
        plain = ctypes.CDLL(None)
        plain.calloc.restype, plain.calloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t] * 2
        plain.free.argtypes = [ctypes.c_void_p]
        self.said = []

        class Callbacks(ctypes.Structure):
            _fields_ = [("log", pointers[0]), ("allocate", pointers[1]), ("free", pointers[2]), ("done", pointers[3]),
                        ("environment", ctypes.c_void_p)]

        self.callbacks = Callbacks(pointers[0](lambda e, name, status, kind, text: self.said.append(text.decode())),
                                   pointers[1](plain.calloc), pointers[2](plain.free), pointers[3](lambda e, s: None), None)
        make = self.library.fmi2Instantiate
        make.restype = ctypes.c_void_p
        self.instance = make(b"unit", 1, described.get("guid").encode(), (Path(folder) / "resources").as_uri().encode(),
                             ctypes.byref(self.callbacks), 0, 0)
        if not self.instance:
            raise RuntimeError("; ".join(self.said))

    def call(self, name, *arguments):
        status = getattr(self.library, "fmi2" + name)(ctypes.c_void_p(self.instance), *arguments)
        if status > 1:
            raise RuntimeError(f"{name}: {status}; " + "; ".join(self.said))

    def values(self, names):
        references = (ctypes.c_uint * len(names))(*[self.outputs[n] for n in names])
        values = (ctypes.c_double * len(names))()
        self.call("GetReal", references, ctypes.c_size_t(len(names)), values)
        return list(values)

    def follow(self, names, times):
        self.call("SetupExperiment", 0, ctypes.c_double(0), ctypes.c_double(times[0]), 0, ctypes.c_double(0))
        self.call("EnterInitializationMode")
        self.call("ExitInitializationMode")
        rows = [self.values(names)]
        for t, after in zip(times, times[1:]):
            self.call("DoStep", ctypes.c_double(t), ctypes.c_double(after - t), 1)
            rows.append(self.values(names))
        self.call("Terminate")
        self.library.fmi2FreeInstance(ctypes.c_void_p(self.instance))
        return np.array(rows)


def unit(case, r):
    """What a unit for co-simulation gives at its communication points is the motion."""
    import holon
    names = list(case.columns)
    model = copy.deepcopy(case.model) | {"outputs": names, "simulation": {"duration": case.until}}
    try:
        alone = holon.Model(model).run(output_step=float(case.times[1]), max_steps=20000)
    except holon.Error as refused:
        return "refused", str(refused).splitlines()[0]
    if not alone.audit.passed or len(alone.time) < len(case.times) or not alone.audit.motion.known:
        return "no reference", ""
    told = alone.audit.motion
    stated = [max(told.position / case.size, told.angle), max(told.velocity / case.speed, told.spin * case.time),
              told.relative_state]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "m.yaml").write_text(json.dumps(model, default=float))
        program = os.path.join(os.environ["HOLON_BUILD_DIR"], "holon")
        made = subprocess.run([program, "fmu", "m.yaml", "--out", "m.fmu", "-q"], cwd=folder,
                              capture_output=True, text=True)
        if made.returncode:
            return "refused", made.stderr.strip().splitlines()[0]
        try:
            rows = Unit((Path(folder) / "m.fmu").read_bytes(), os.path.join(folder, "unit")).follow(names, case.times)
        except RuntimeError as stopped:
            return "stopped", str(stopped)
    for i, name in enumerate(names):
        kind, size = case.unit(name)
        off = float(np.max(abs(rows[:, i] - case.columns[name]))) / size
        # steps end at every communication point: a little more round-off, and never coarser ones
        if off > 10 * stated[kind] + 3 * case.floor[kind]:
            return "SILENT", f"{name} is off by {off:.1e}, a run says {stated[kind]:.1e}"
    return "right", ""


DOORS = [study, lanes, slopes, unit]


def try_all(seeds, families, doors, say=print):
    """Counts of what became of it."""
    judges = {d.__name__: lambda case, seed, d=d: [d(case, np.random.default_rng([seed, 7]))] for d in doors}
    return try_each(seeds, families, judges, say)


def families():
    import laws
    import physics
    import strange
    import users
    import wild
    return [f for module in (physics, laws, users, strange, wild) for f in module.FAMILIES]


def command_line():
    sys.path[:0] = [str(Path(sys.argv[1]).resolve() / "python")]
    os.environ["HOLON_BUILD_DIR"] = str(Path(sys.argv[1]).resolve())
    words = sys.argv[4:]
    doors = [d for d in DOORS if f"door={d.__name__}" in words] or DOORS
    named = [w for w in words if "=" not in w]
    for make in [f for f in families() if not named or f.__name__ in named]:
        count = try_all(range(int(sys.argv[2]), int(sys.argv[3])), [make], doors, lambda line: print(line, flush=True))
        print(f"{make.__name__}: " + ", ".join(f"{kind} {n}" for kind, n in sorted(count.items())), flush=True)


if __name__ == "__main__":
    command_line()
