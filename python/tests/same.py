"""The same machine described otherwise must move the same: models with something changed that should not matter.

usage: same.py BUILD FIRST LAST [CHANGE ...] [model=NAME ...] [method=NAME ...] [OPTION=VALUE ...]     seeds

Models are those of the folder models (PyYAML reads them); changes are listed in CHANGES: elements in another order or
with other names, ends of joints exchanged, bodies cut in two that are welded, the whole turned and moved, mirrored,
there twice, on a train, on one that accelerates while gravity leans against it. A run that passes its audit may
differ from that of the model as it is by ten times what both say they may be off. A line is printed for whatever
differs by more, and counts at the end.
"""

import collections
import copy
import json
import math
import re
import sys
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

ROOT = Path(__file__).resolve().parent.parent.parent
ELEMENTS = ("bodies", "beams", "flexible", "joints", "forces", "blocks", "signals", "states", "controllers", "events", "couplings")
OF_PARTS = ("points", "bodies", "beams", "joints", "forces", "blocks", "couplings", "signals", "states", "controllers", "events", "parts", "use")
MEASURED = re.compile(r"[A-Za-z_]\w*\.(x|y|z|vx|vy|vz)\b")


class Unfit(Exception):
    """The change cannot be made to this model."""


class Seen:
    """How a body of the model as it is finds itself in the changed one: its name, turned, shifted, carried along."""

    def __init__(self, name=lambda body: body, turn=np.eye(3), shift=(0, 0, 0), carried=lambda t: (np.zeros(3), np.zeros(3))):
        self.name, self.turn, self.shift, self.carried = name, np.array(turn, float), np.array(shift, float), carried


def is_planar(model):
    kinds = {b.get("type", "spatial") for b in model.get("bodies", {}).values()}
    return bool(kinds & {"planar", "planar-point"}) or any("planar" in b.get("type", "") for b in model.get("beams", {}).values())


def formulas(value):
    if isinstance(value, dict):
        for key, below in value.items():
            if key not in ("type", "description", "color", "name"):
                yield from formulas(below)
    elif isinstance(value, list):
        for below in value:
            yield from formulas(below)
    elif isinstance(value, str):
        yield value


def combined(turn, vector):
    """turn @ vector for components that may be formulas."""
    vector = [*vector, *[0] * (3 - len(vector))]
    return [" + ".join(f"{float(c)!r}*({x})" for c, x in zip(row, vector) if x != 0) or 0 for row in turn]


def is_number(value):
    return isinstance(value, (int, float)) or (isinstance(value, str) and re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", value) is not None)


# ---- changes: each takes a model and a random generator, and gives another and how its bodies are seen there ----------


def order(model, r):
    """Elements stand in another order."""
    for section in ELEMENTS:
        if section in model:
            names = list(model[section])
            r.shuffle(names)
            model[section] = {name: model[section][name] for name in names}
    return model, [Seen()]


def names(model, r):
    """Elements have other names, so that they sort otherwise, too."""
    if "parts" in model or "use" in model:
        raise Unfit
    new, taken = {}, {*model.get("points", {}), *model.get("parameters", {})}
    for section in ("bodies", "joints", "forces"):
        new |= {name: f"{'zyxwv'[r.integers(5)]}{len(new)}_{name}" for name in model.get(section, {}) if name not in taken}
    if not new:
        raise Unfit
    word = re.compile(r"(?<![\w.])(" + "|".join(sorted(new, key=len, reverse=True)) + r")(?!\w)")

    def renamed(value, key=None):
        if isinstance(value, dict):
            return {k: renamed(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [renamed(v, key) for v in value]
        if isinstance(value, str) and key not in ("type", "description", "color", "coordinate", "from", "to", "material"):
            return word.sub(lambda m: new[m[1]], value)
        return value

    out = {}
    for section, value in model.items():
        if section in ("bodies", "joints", "forces"):
            out[section] = {new.get(name, name): renamed(v) for name, v in value.items()}
        elif section in ("parameters", "points", "simulation", "ground", "gravity"):
            out[section] = value
        else:
            out[section] = renamed(value)
    return out, [Seen(lambda body: new.get(body, body))]


SWAPPED = {"revolute": (), "spherical": (), "fixed": (), "prismatic": (), "cylindrical": (), "planar": (), "screw": (), "parallel": (),
           "distance": (("at", "at_b"),), "universal": (("axis", "axis_b"),), "perpendicular": (("axis", "axis_b"),),
           "constant-velocity": (("axis", "axis_b"),), "rope": (("at", "at_b"),), "apart": (("at", "at_b"),)}


def ends(model, r):
    """Joints whose coordinates nobody asks for have their ends exchanged."""
    found = 0
    for name, joint in model.get("joints", {}).items():
        rest = json.dumps({k: v for k, v in model.items() if k != "points"} | {"joints": {n: j for n, j in model["joints"].items() if n != name}})
        if (joint["type"] not in SWAPPED or set(joint) - {"type", "a", "b", "at", "at_b", "axis", "axis_b", "length", "pitch", "color", "stiffness"}
                or f'"{name}"' in rest.replace(f'"{name}": {{', "") or re.search(rf"(?<![\w.]){name}\.", rest)):
            continue
        if "at" not in joint and "." not in str(joint.get("a", "")) + str(joint.get("b", "")) and joint["type"] != "parallel":
            continue
        joint["a"], joint["b"] = joint.get("b", "ground"), joint.get("a", "ground")
        for one, other in SWAPPED[joint["type"]]:
            both = joint.pop(one, None), joint.pop(other, None)
            joint |= {k: v for k, v in zip((one, other), both[::-1]) if v is not None}
        found += 1
    if not found:
        raise Unfit
    return model, [Seen()]


def half(value):
    if isinstance(value, dict):
        return {k: half(v) for k, v in value.items()}
    if isinstance(value, list):
        return [half(v) for v in value]
    return value / 2 if isinstance(value, (int, float)) else f"({value})/2"


def welded(model, r):
    """Bodies are cut in two halves of the same place, and some joints go over to the other half."""
    if any(f["type"] == "pile" for f in model.get("forces", {}).values()):
        raise Unfit
    twins = set()
    for name, body in list(model.get("bodies", {}).items()):
        if body.get("type", "spatial") not in ("spatial", "planar") or is_number(body.get("mass", 1)) and float(body.get("mass", 1)) == 0:
            continue
        body = copy.deepcopy(body)
        shapes = body.get("shapes", []) + ([body["shape"]] if "shape" in body else [])
        shapes = [(v if isinstance(v, dict) else {}) for s in shapes for v in s.values()]
        if any("material" in s or "mesh" in s for s in shapes):
            continue
        for key in ("mass", "inertia"):
            if key in body:
                body[key] = half(body[key])
        for s in shapes:
            if "density" in s:
                s["density"] = half(s["density"])
        model["bodies"][name], model["bodies"][f"{name}_twin"] = body, copy.deepcopy(body)
        twins.add(name)
    if not twins:
        raise Unfit
    for joint in model.setdefault("joints", {}).values():
        for end in ("a", "b"):
            of = str(joint.get(end, "")).split(".")[0]
            if of in twins and r.random() < 0.5:
                joint[end] = joint[end].replace(of, f"{of}_twin", 1)
    for name in twins:
        model["joints"][f"{name}_weld"] = {"type": "fixed", "a": name, "b": f"{name}_twin"}
    return model, [Seen()]


def put(model, **how):
    """The whole as a part that is used."""
    if not {"bodies", "beams", "use"} & set(model) or "ground" in model or "flexible" in model or "start" in model or "solve" in model or "couplings" in model:
        raise Unfit
    part = {s: model.pop(s) for s in OF_PARTS if s in model}
    if any(MEASURED.search(f) for f in formulas([part.get(s) for s in ("forces", "signals", "states", "controllers", "events", "joints")])):
        raise Unfit
    if any(f["type"] in ("tyre", "pile") for f in part.get("forces", {}).values()):
        raise Unfit
    model["use"] = {name: {**part, **keys} for name, keys in how.items()}
    return model


def turn_forces(model, turn):
    """Components of forces and torques, and gravity, that are those of the world."""
    flat = is_planar(model)
    for force in model.get("forces", {}).values():
        for key in ("force", "torque"):
            if key in force and force["type"] == key and force.get("axes", "world") == "world":
                given = force[key] if isinstance(force[key], list) else [0, 0, force[key]]
                sense = np.linalg.det(turn) if key == "torque" else 1
                turned = combined(sense * turn, given)
                force[key] = turned[:2] if flat and key == "force" else turned[2] if flat else turned
    for beam in model.get("beams", {}).values():
        if "load" in beam:
            raise Unfit
    if "gravity" in model:
        turned = combined(turn, model["gravity"])
        model["gravity"] = turned[:2] if flat else turned


def turned(model, r):
    """The whole somewhere else, and turned."""
    shift = r.normal(size=3) * 3
    if is_planar(model):
        shift[2], angle = 0, r.uniform(-3, 3)
        turn, keys = Rotation.from_rotvec([0, 0, angle]).as_matrix(), {"angle": float(angle)}
    else:
        vector = r.normal(size=3)
        turn, keys = Rotation.from_rotvec(vector).as_matrix(), {"orientation": {"axis": vector.tolist(), "angle": float(np.linalg.norm(vector))}}
    turn_forces(model, turn)
    return put(model, w={"at": shift.tolist(), **keys}), [Seen(lambda body: f"w.{body}", turn, shift)]


def mirrored(model, r):
    """The whole as seen in a mirror."""
    plane, axis = [("yz", 0), ("xz", 1)][r.integers(2)] if is_planar(model) else [("yz", 0), ("xz", 1), ("xy", 2)][r.integers(3)]
    turn = np.eye(3)
    turn[axis, axis] = -1
    turn_forces(model, turn)
    return put(model, w={"mirror": plane}), [Seen(lambda body: f"w.{body}", turn)]


def twice(model, r):
    """The whole twice, side by side."""
    shift = r.normal(size=3) * 5
    if is_planar(model):
        shift[2] = 0
    return put(model, one={}, two={"at": shift.tolist()}), [Seen(lambda body: f"one.{body}"), Seen(lambda body: f"two.{body}", shift=shift)]


def train(model, r, fall=0.0):
    """The whole on a train."""
    v, a = float(r.uniform(-5, 5)), float(fall)
    flat = is_planar(model)
    if "use" in model or "blocks" in model:
        raise Unfit
    for body in [*model.get("bodies", {}).values(), *model.get("beams", {}).values()]:  # they are on it from the start
        given = body.get("velocity", [0, 0])
        body["velocity"] = [f"({given[0]}) + {v!r}", *given[1:]]
    if a and "gravity" in model:
        model["gravity"] = [f"({model['gravity'][0]}) + {a!r}", *model["gravity"][1:]]
    elif a:
        model["gravity"] = [a, 0]
    model = put(model, w={"base": "carriage"})
    model["bodies"] = {"carriage": {"type": "planar", "mass": 3, "inertia": 1} if flat else {"mass": 3, "inertia": [1, 1, 1]}}
    model["joints"] = {"rails": {"type": "prismatic", "b": "carriage", "axis": [1, 0, 0]},
                       "engine": {"type": "driver", "joint_a": "rails", "motion": f"{v!r}*t + {a / 2!r}*t^2"}}
    return model, [Seen(lambda body: f"w.{body}", carried=lambda t: (np.array([v * t + a / 2 * t * t, 0, 0]), np.array([v + a * t, 0, 0])))]


def falling(model, r):
    """The whole on a train that accelerates, while gravity leans against it."""
    return train(model, r, r.uniform(-4, 4))


CHANGES = [order, names, ends, welded, turned, mirrored, twice, train, falling]


# ---- the verdict ----------------------------------------------------------------------------------------------------


def quaternions(result, body):
    return np.array([np.asarray(result[f"{body}.q{k}"]) for k in range(4)])


def rows_of(result, body, kinds):
    return np.array([np.asarray(result[f"{body}.{k}"]) if f"{body}.{k}" in result.columns else np.zeros(len(result.time)) for k in kinds])


def apart(plain, changed, body, seen):
    """How far places, angles, velocities and spins of a body differ."""
    n = min(len(plain.time), len(changed.time))
    name = seen.name(body)
    along = [seen.carried(t) for t in plain.time[:n]]
    away, speed = np.array([a for a, _ in along]).T, np.array([v for _, v in along]).T
    place = seen.turn @ rows_of(plain, body, "xyz")[:, :n] + seen.shift[:, None] + away
    velocity = seen.turn @ rows_of(plain, body, ("vx", "vy", "vz"))[:, :n] + speed
    sense = np.linalg.det(seen.turn)
    off = [np.max(np.linalg.norm(rows_of(changed, name, "xyz")[:, :n] - place, axis=0)), 0,
           np.max(np.linalg.norm(rows_of(changed, name, ("vx", "vy", "vz"))[:, :n] - velocity, axis=0)), 0]
    if f"{body}.omega" in plain.columns:
        off[3] = np.max(abs(rows_of(changed, name, ["omega"])[:, :n] - sense * rows_of(plain, body, ["omega"])[:, :n]))
        change = lambda result, of: rows_of(result, of, ["angle"])[:, :n] - rows_of(result, of, ["angle"])[:, :1]
        off[1] = np.max(abs(change(changed, name) - sense * change(plain, body)))
    elif f"{body}.q0" in plain.columns:
        spin = ("wx", "wy", "wz")
        off[3] = np.max(np.linalg.norm(rows_of(changed, name, spin)[:, :n] - sense * seen.turn @ rows_of(plain, body, spin)[:, :n], axis=0))
        if sense > 0:
            mine = Rotation.from_quat(quaternions(changed, name)[[1, 2, 3, 0], :n].T)
            theirs = Rotation.from_matrix(seen.turn) * Rotation.from_quat(quaternions(plain, body)[[1, 2, 3, 0], :n].T)
            off[1] = np.max((mine * theirs.inv()).magnitude())
    return np.array(off)


def failed_items(result):
    return [i.name for i in result.audit.items if not i.passed]


def told_by(result):
    told = result.audit.motion
    return np.array([told.position, told.angle, told.velocity, told.spin])


def compare(plain, changed, views):
    """What became of the changed one: its kind, and a sentence."""
    if not changed.audit.passed:
        return "failed", str(failed_items(changed))
    if len(plain.time) != len(changed.time):
        return "LENGTH", f"{len(plain.time)} and {len(changed.time)} rows"
    bodies = sorted({c.rsplit(".", 1)[0] for c in plain.columns if c.endswith(".vx") and c.count(".") == 1})
    worst, where = np.zeros(4), "nothing"
    size = 1 + max([np.max(abs(rows_of(plain, b, ("x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "omega")))) for b in bodies] + [0])
    told = told_by(plain) + told_by(changed)
    allowed = 10 * told + 1e-8 * size
    for seen in views:
        for body in bodies:
            off = apart(plain, changed, body, seen)
            if np.max(off / allowed) > np.max(worst / allowed):
                worst, where = off, body
    sentence = f"{where} off {worst}, told {told}, {plain.summary.coordinates} {plain.summary.integrator} and {changed.summary.coordinates} {changed.summary.integrator}"
    if not (plain.audit.motion.known and changed.audit.motion.known):
        return ("NOT KNOWN" if np.max(worst) > 1e-5 * size else "same, not known"), sentence
    return ("DIFFERENT" if (worst > allowed).any() else "same"), sentence


def load(path):
    import yaml
    model = yaml.safe_load(Path(path).read_text())
    model.pop("outputs", None)
    return model


def options_of(model, longest):
    """A few rows of the first part of its motion."""
    duration = model.get("simulation", {}).get("duration", 10)
    duration = min(float(str(duration).replace(" ms", "e-3")), longest)
    return {"duration": duration, "output_step": duration / 12, "max_steps": 40000}


def attempt(model, plain, options, change, r):
    import holon
    try:
        changed, views = change(copy.deepcopy(model), r)
    except Unfit:
        return "unfit", ""
    try:
        return compare(plain, holon.Model(changed).run(**options), views)
    except holon.Error as refused:
        return "refused", str(refused).splitlines()[0]


def main():
    sys.path[:0] = [str(Path(sys.argv[1]).resolve() / "python"), str(Path(__file__).resolve().parent)]
    import holon
    words = sys.argv[4:]
    named = [w[6:] for w in words if w.startswith("model=")]
    more = dict(w.split("=", 1) for w in words if "=" in w and not w.startswith("model="))
    longest = float(more.pop("longest", 2))
    changes = [c for c in CHANGES if c.__name__ in words] or CHANGES
    count = collections.Counter()
    for path in sorted((ROOT / "models").glob("*.yaml")):
        if named and path.stem not in named:
            continue
        model = load(path)
        options = options_of(model, longest) | more
        try:
            plain = holon.Model(model).run(**options)
        except holon.Error as refused:
            print(f"{path.stem}: plain refused: {str(refused).splitlines()[0]}", flush=True)
            continue
        if not plain.audit.passed:
            print(f"{path.stem}: plain fails: {failed_items(plain)}", flush=True)
            continue
        for seed in range(int(sys.argv[2]), int(sys.argv[3])):
            for change in changes:
                kind, sentence = attempt(model, plain, options, change, np.random.default_rng([seed, CHANGES.index(change)]))
                count[kind] += 1
                if kind not in ("same", "unfit", "same, not known") and not (kind == "refused" and " a part that is " in sentence):
                    print(f"{path.stem} {change.__name__} seed {seed}: {kind}: {sentence}", flush=True)
    print(", ".join(f"{kind} {n}" for kind, n in sorted(count.items())))


if __name__ == "__main__":
    main()
