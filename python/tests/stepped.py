"""The same motions step by step: where the caller halts, what is verified, and what being looked at, saved and restored changes.

usage: stepped.py BUILD FIRST LAST MODULE [FAMILY ...] [method=NAME[,OPTION=VALUE ...] ...]     MODULE: physics, machines, edges ...

A run is advanced from row to row of a family's reference, verified at the end, and judged as physics.py judges runs. Then it is
made again and halts in the same instants, once looked at wherever it halts (reactions, energies, copies that go on), once saved
and restored into another run: to the last bit it has to move as before. A line is printed for what does not.
"""

import importlib
import math
import sys
from pathlib import Path

import numpy as np

from physics import try_each

# in natural coordinates factors choose their pivots anew when looked at: rounding differs
METHODS = ["default", "explicit", "index3-alpha", "default,coordinates=relative"]


def start(case, method):
    import holon
    name, *words = method.split(",")
    more = dict(word.split("=", 1) for word in words) | {"duration": case.until, "method": name, "output_step": float(case.times[1]), "max_steps": 12000}
    try:
        return holon.Model(case.model).sim(**more)
    except holon.Error as missing:
        if "needs a fixed step" not in str(missing):
            raise
    return holon.Model(case.model).sim(step=float(case.times[-1]) / 400, **more)


def read(sim, case, column):
    """A column of the reference, of a run as it stands; None: there is no question for it."""
    if "." not in column:
        return sim.states[column]
    element, of = column.rsplit(".", 1)
    if element in case.model.get("bodies", {}):
        pose = sim.pose(element)
        numbers = {"x": pose.position[0], "y": pose.position[1], "z": pose.position[2], "omega": pose.angular_velocity[2],
                   "angle": 2 * math.atan2(pose.orientation[3], pose.orientation[0])}
        numbers |= {f"v{k}": pose.velocity[i] for i, k in enumerate("xyz")} | {f"w{k}": pose.angular_velocity[i] for i, k in enumerate("xyz")}
        return numbers[of]
    if element not in case.model.get("joints", {}):
        return None
    return sim.coordinate(element, of.removesuffix("_rate"))[of.endswith("_rate")]


def walk(case, method, between=lambda sim: sim):
    """Rows of what is read wherever the run halts, and the run."""
    sim, rows = start(case, method), []
    for t in case.times[1:]:
        sim.advance(t)
        rows.append([read(sim, case, column) for column in case.columns])
        sim = between(sim)
    return np.array(rows, float), sim


def looked(case, method):
    def look(sim):
        import holon
        sim.energy, sim.residuals, list(sim.a)
        for joint in sim.joints:
            sim.reaction(joint)
        try:
            sim.copy().advance(sim.time + 0.01)
        except holon.Error:
            pass  # it may have come to an end
        return sim
    return look


def saved(case, method):
    def again(sim):
        other = start(case, method)
        other.restore(sim.save())
        return other
    return again


def judge(case, rows, sim):
    told = sim.verify()
    off = np.zeros(3)  # places, speeds, states
    for i, (name, wanted) in enumerate(case.columns.items()):
        kind, size = case.unit(name)
        gap = rows[:, i] - wanted[1:]
        if name.endswith(".angle"):  # orientations know nothing of turns
            gap = np.remainder(gap + math.pi, 2 * math.pi) - math.pi
        off[kind] = max(off[kind], np.nanmax(abs(gap), initial=0) / size)
    stated = np.array([max(told.position / case.size, told.angle), max(told.velocity / case.speed, told.spin * case.time), told.relative_state])
    sentence = f"off {off}, told {stated} ({told.how})"
    if not sim.audit.passed:
        return "failed", sentence
    if not told.known:
        return ("NOT KNOWN" if max(off) > 1e-6 else "right, not known"), sentence
    return ("SILENT" if (off > 10 * stated + case.floor).any() else "right"), sentence


def try_one(case, method):
    """Kinds and sentences of what became of it."""
    import holon
    try:
        rows, sim = walk(case, method)
    except holon.Error as refused:
        return [("refused", str(refused).splitlines()[0])]
    found = [judge(case, rows, sim)]
    for change in (looked, saved):
        try:
            other, _ = walk(case, method, change(case, method))
        except holon.Error as error:
            found.append(("refused" if "cannot be saved" in str(error) else "BREAKS", f"{change.__name__}: {error}"))
            continue
        same = np.array_equal(rows, other, equal_nan=True)
        found.append((f"{change.__name__} alike" if same else "OTHER", f"{change.__name__}: by {np.nanmax(abs(rows - other), initial=0):.1e}"))
    return found


def try_all(seeds, families, methods, say=print):
    """Counts of what became of the runs, as physics.try_all."""
    return try_each(seeds, families, {m: lambda case, seed, m=m: try_one(case, m) for m in methods}, say)


if __name__ == "__main__":
    sys.path[:0] = [str(Path(sys.argv[1]).resolve() / "python"), str(Path(__file__).resolve().parent)]
    words = sys.argv[5:]
    methods = [w[7:] for w in words if w.startswith("method=")] or METHODS
    for make in importlib.import_module(sys.argv[4]).FAMILIES:
        if not any("=" not in w for w in words) or make.__name__ in words:
            count = try_all(range(int(sys.argv[2]), int(sys.argv[3])), [make], methods, lambda line: print(line, flush=True))
            print(f"{make.__name__}: " + ", ".join(f"{kind} {n}" for kind, n in sorted(count.items())), flush=True)
