"""Nothing is small or large by itself: the same machine in other units of length, mass and time moves the same.

usage: scaled.py BUILD [MODEL ...] [units=NAME ...] [method=NAME ...] [OPTION=VALUE ...]

Every number of a model is multiplied by the power of three units that its dimension asks for, formulas are given
what they had before and their values multiplied. Units are powers of two, so that no number is rounded: what is
left of the old units in a result is not round-off but a number with a dimension inside the program. Models are
those of MODELS, of the folder models and of the random families of loops.py and machines.py (family:seed). A line
says for every run what differs: degrees of freedom, rows that depend on others, number of steps, events, verdict of
the audit, columns. `units` are those of UNITS.
"""

import copy
import itertools
import math
import re
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent


class Units:
    """One of the old metre, kilogram and second in new ones, as powers of two."""

    def __init__(self, metre=0, kilogram=0, second=0):
        self.powers = (metre, kilogram, second)

    def __call__(self, dimension):
        """The factor of a quantity: (kg, m, s) are its powers."""
        kilogram, metre, second = dimension
        power = kilogram * self.powers[1] + metre * self.powers[0] + second * self.powers[2]
        return 2.0**power


UNITS = {"micrometres": Units(-20), "millimetres": Units(-10), "kilometres": Units(10), "far": Units(17),
         "nanograms": Units(0, -40), "tonnes": Units(0, 10), "milliseconds": Units(0, 0, -13), "hours": Units(0, 0, 12),
         "specks": Units(-20, -40, -13), "planets": Units(17, 0, 12)}

NONE, LENGTH, MASS, TIME = (0, 0, 0), (0, 1, 0), (1, 0, 0), (0, 0, 1)
SPEED, TURN, PULL, FORCE, TORQUE = (0, 1, -1), (0, 0, -1), (0, 1, -2), (1, 1, -2), (1, 2, -2)

# what stands behind keys that mean the same everywhere
KEYS = {"mass": MASS, "inertia": (1, 2, 0), "position": LENGTH, "com": LENGTH, "from": LENGTH, "to": LENGTH, "at": LENGTH,
        "at_b": LENGTH, "velocity": SPEED, "angular_velocity": TURN, "angle": NONE, "size": LENGTH, "radius": LENGTH,
        "length": LENGTH, "thickness": LENGTH, "pitch": LENGTH, "offset": LENGTH, "distance": LENGTH, "rim": LENGTH,
        "clearance": LENGTH, "width": LENGTH, "height": LENGTH, "points": LENGTH, "gravity": PULL, "breaks": FORCE,
        "breaks_torque": TORQUE, "force": FORCE, "torque": TORQUE, "impact_speed": SPEED, "density": (1, -3, 0),
        "damping_time": TIME, "period": TIME, "delay": TIME, "time": TIME, "filter": TIME, "tracking": TIME, "kd": TIME,
        "ki": TURN, "start": NONE, "grid_x": LENGTH, "grid_y": LENGTH, "heights": LENGTH, "radius_a": LENGTH, "press": FORCE}
PLAIN = {"type", "a", "b", "joint", "joint_a", "joint_b", "coordinate", "coordinate_b", "axis", "axis_b", "normal", "orientation",
         "hold", "color", "description", "name", "coulomb", "static", "mu", "law_of", "restitution", "poisson", "exponent", "input",
         "material", "ratio", "unit", "tooth", "part", "closed", "surface", "inside", "events", "columns", "terminal", "side",
         "up", "locked", "angles", "components", "catches_at", "visible"}
QUANTITIES = {"x": LENGTH, "y": LENGTH, "z": LENGTH, "vx": SPEED, "vy": SPEED, "vz": SPEED, "angle": NONE, "omega": TURN,
              "angle_rate": TURN, "translation": LENGTH, "translation_rate": SPEED, "wx": TURN, "wy": TURN, "wz": TURN,
              "roll": NONE, "pitch": NONE, "yaw": NONE, "length": LENGTH, "rate": SPEED}
SLIDING = ("prismatic", "stop", "rope", "contact")


class Unfit(Exception):
    """A key or formula that this file does not know."""


class Rewriting:
    def __init__(self, model, units):
        self.model, self.units = model, units

    def times(self, value, dimension):
        """A number or a formula of parameters, or lists of these, times its unit."""
        f = self.units(dimension)
        if isinstance(value, (list, tuple)):
            return [self.times(x, dimension) for x in value]
        if isinstance(value, bool) or value is None or f == 1 and not isinstance(value, str):
            return value
        if isinstance(value, dict):
            return {key: self.times(x, NONE if key in ("angle", "part") else dimension) for key, x in value.items()}
        if isinstance(value, str):
            return value if re.fullmatch(r"[A-Za-z_]\w*", value) and value in self.places else f"({value})*{f!r}"
        return value * f

    def formula(self, text, dimension, own=None):
        """A formula of the motion: what it reads in old units, its value in new ones."""
        if not isinstance(text, str):
            return self.times(text, dimension)
        own = own or {}

        def old(word):
            name = word.group(0)
            if name in own:
                return f"({name}*{1 / self.units(own[name])!r})"
            if name == "t":
                return f"(t*{1 / self.units(TIME)!r})"
            if "." in name and re.match("[A-Za-z_]", name):
                element, quantity = name.rsplit(".", 1)
                if element.split(".")[0] in self.model.get("points", {}):
                    return f"({name}*{1 / self.units(LENGTH)!r})"
                if quantity == "rate":
                    of = TURN if self.angular(element) else SPEED
                elif quantity in QUANTITIES:
                    of = QUANTITIES[quantity]
                else:
                    raise Unfit(f"{name} in a formula")
                return f"({name}*{1 / self.units(of)!r})"
            return name

        text = re.sub(r"(?<![\w.])(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)|[A-Za-z_][\w.]*", old, text)
        return f"({text})*{self.units(dimension)!r}"

    def angular(self, joint, coordinate=None):
        if coordinate in ("translation", "x", "y", "z"):
            return False
        kind = self.model["joints"][joint]["type"]
        if kind in ("driver", "lock"):
            return self.angular(self.model["joints"][joint]["joint_a"])
        return kind not in SLIDING and not (kind == "cylindrical" and coordinate is None)

    def per(self, element, dimension):
        """A dimension per metre of what the element acts on, which may be an angle and its force a torque."""
        joint = element.get("joint", element.get("joint_a"))
        turns = element["type"] == "torsion-spring" or (joint and self.angular(joint, element.get("coordinate")))
        return tuple(d + 2 * t for d, t in zip(dimension, (0, 1, 0))) if turns else dimension, bool(turns)

    def angle_or(self, element, dimension):
        _, turns = self.per(element, NONE)
        return (dimension[0], dimension[1] - 1, dimension[2]) if turns else dimension

    def body(self, b):
        return {key: self.shape(x) if key in ("shape", "shapes", "frames") else self.key(key, x) for key, x in b.items()}

    def shape(self, x):
        if isinstance(x, list):
            return [self.shape(s) for s in x]
        if isinstance(x, dict):
            return {key: self.shape(s) if isinstance(s, dict) and key not in ("orientation",) else self.key(key, s) for key, s in x.items()}
        return x

    def key(self, key, x):
        if key in PLAIN:
            return x
        if key not in KEYS:
            raise Unfit(f"key '{key}'")
        return self.times(x, KEYS[key])

    def joint(self, j):
        out = {}
        itself = {"joint": None} if j["type"] not in ("driver", "gear", "lock") else None
        for key, x in j.items():
            if key == "motion":
                out[key] = self.formula(x, self.angle_or(j, LENGTH))
            elif key in ("limits", "value", "play", "lower", "upper"):
                turns = j["type"] not in SLIDING if itself else self.per(j, NONE)[1]
                out[key] = self.times(x, NONE if turns else LENGTH)
            elif key == "rate":
                out[key] = self.times(x, TURN if j["type"] not in SLIDING else SPEED)
            elif key in ("active", "catches", "releases"):
                out[key] = self.formula(x, NONE)
            elif key == "ratio" and j["type"] in ("rack", "rack-and-pinion"):
                raise Unfit("ratio of a rack")
            else:
                out[key] = self.key(key, x)
        return out

    def force(self, f):
        out, kind = {}, f["type"]
        for key, x in f.items():
            if key in ("stiffness", "damping", "viscous"):
                if kind == "bushing" or kind == "contact":
                    raise Unfit(f"{key} of a {kind}")
                out[key] = self.times(x, self.per(f, (1, 0, -2) if key == "stiffness" else (1, 0, -1))[0])
            elif key in ("free", "gap"):
                out[key] = self.times(x, NONE if self.per(f, NONE)[1] else LENGTH)
            elif key == "preload":
                out[key] = self.times(x, TORQUE if self.per(f, NONE)[1] else FORCE)
            elif key in ("force", "torque"):
                x = x if isinstance(x, list) else [x]
                x = [self.formula(c, KEYS[key]) for c in x]
                out[key] = x if isinstance(f[key], list) else x[0]
            elif key == "law" and kind in ("motor", "spring", "torsion-spring"):
                turns = self.per(f, NONE)[1]
                own = {"value": NONE if turns else LENGTH, "rate": TURN if turns else SPEED, "length": LENGTH, "angle": NONE}
                out[key] = self.formula(x, TORQUE if turns else FORCE, own)
            elif key == "law":
                out[key] = x
            elif key == "speed":
                out[key] = self.times(x, self.angle_or(f, SPEED))
            else:
                out[key] = self.key(key, x)
        if kind == "friction" and f.get("law", "viscous") in ("smooth", "regularised", "stribeck", "bristles", "lugre") and "speed" not in f:
            out["speed"] = self.times(1e-3, self.angle_or(f, SPEED))
        return out

    def whole(self):
        m = self.model
        known = {"name", "description", "parameters", "points", "gravity", "bodies", "joints", "forces", "simulation", "signals", "states",
                 "events", "outputs", "controllers"}
        if set(m) - known:
            raise Unfit(f"section {set(m) - known}")
        self.places = set(m.get("points", {}))
        out = {key: m[key] for key in ("name", "description", "parameters") if key in m}
        if "points" in m:
            out["points"] = {name: self.point(p) for name, p in m["points"].items()}
        if "gravity" in m:
            out["gravity"] = self.times(m["gravity"], PULL)
        for section, how in (("bodies", self.body), ("joints", self.joint), ("forces", self.force)):
            if section in m:
                out[section] = {name: how(e) for name, e in m[section].items()}
        if "signals" in m:
            out["signals"] = {name: self.signal(s) for name, s in m["signals"].items()}
        if "states" in m:
            out["states"] = {name: self.state(s) for name, s in m["states"].items()}
        if "controllers" in m:
            out["controllers"] = {name: self.controller(s) for name, s in m["controllers"].items()}
        if "events" in m:
            out["events"] = {name: self.formula(e, NONE) if isinstance(e, str)
                             else {k: self.formula(x, NONE) if k == "when" else x for k, x in e.items()} for name, e in m["events"].items()}
        return out

    def point(self, p):
        return {key: x if key in ("angle", "part", "side", "mirror", "across") else self.times(x, LENGTH) for key, x in p.items()} \
            if isinstance(p, dict) else self.times(p, LENGTH)

    # signals have no dimension: they are what they were

    def signal(self, s):
        if isinstance(s, dict):
            if set(s) - {"formula", "unit", "description"}:
                raise Unfit("a signal of another kind")
            return {k: self.formula(x, NONE) if k == "formula" else x for k, x in s.items()}
        return self.formula(s, NONE)

    def state(self, s):
        if not isinstance(s, dict):
            return self.formula(s, TURN)
        out = {}
        for key, x in s.items():
            if key == "rate":
                out[key] = self.formula(x, TURN)
            elif key == "input":
                out[key] = self.formula(x, NONE)
            elif key in ("time", "filter", "tracking", "kd"):
                out[key] = self.times(x, TIME)
            elif key in ("ki", "rising", "falling"):
                out[key] = self.times(x, TURN)
            elif key in ("initial", "unit", "type", "gain", "steady", "size", "description", "kp", "low", "high", "width", "start"):
                out[key] = x
            else:
                raise Unfit(f"state with '{key}'")
        return out

    def controller(self, c):
        out = {}
        for key, x in c.items():
            if key in ("period", "delay", "first"):
                out[key] = self.times(x, TIME)
            elif key in ("outputs", "memory", "update", "output"):
                out[key] = {k: self.formula(v, NONE) for k, v in x.items()} if isinstance(x, dict) else self.formula(x, NONE)
            elif key in ("unit", "description", "initial"):
                out[key] = x
            else:
                raise Unfit(f"controller with '{key}'")
        return out


def scaled(model, units):
    return Rewriting(copy.deepcopy(model), units).whole()


# options with a dimension, as the run without units has them
DEFAULTS = {"duration": (10, TIME), "step": (None, TIME), "output_step": (None, TIME), "alpha": (5, TURN), "beta": (5, TURN),
            "omega": (10, TURN)}


def scaled_options(options, units):
    out = dict(options)
    for name, (usual, of) in DEFAULTS.items():
        value = options.get(name, usual)
        if value is not None:
            out[name] = float(value) * units(of)
    return out


UNIT = re.compile(r"(kg|m|s|N|J|W|rad|Pa|Hz|rev)(?:\^(-?\d+))?$")
BASE = {"kg": MASS, "m": LENGTH, "s": TIME, "N": FORCE, "J": TORQUE, "W": (1, 2, -3), "rad": NONE, "Pa": (1, -1, -2), "Hz": TURN, "rev": NONE}


def dimension(unit):
    """The dimension of a column, by the name of its unit."""
    total, sign = [0, 0, 0], 1
    for word in re.split(r"([ */])", unit.replace("(", "").replace(")", "")):
        if word == "/":
            sign = -1
        elif word in ("", " ", "*", "1", "%"):
            continue
        else:
            found = UNIT.match(word)
            if not found:
                raise Unfit(f"unit '{unit}'")
            for i in range(3):
                total[i] += sign * int(found[2] or 1) * BASE[found[1]][i]
    return tuple(total)


# columns that are round-off where all is well
OF_ROUNDING = re.compile(r"residual\.|constraints\.|energy\.balance")


class Difference:
    def __init__(self):
        self.words, self.columns, self.column, self.failed = [], 0.0, "", ""

    def __str__(self):
        return "; ".join([*self.words, f"columns {self.columns:.1e} {self.column}", *([self.failed] if self.failed else [])])


def bare(sentence):
    """A sentence without the numbers that have a dimension."""
    return re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)? (m|s|m/s|rad/s|N|N m|J)\b", "...", sentence) if isinstance(sentence, str) else sentence


def compare(plain, other, units):
    """Where two results differ beyond the units; columns relative to the largest of their unit."""
    d = Difference()
    for name in ("steps", "rejected", "events", "switches", "factorisations", "regularised", "singular", "coordinates", "choice", "reactions"):
        one, two = getattr(plain.summary, name), getattr(other.summary, name)
        slightly = name == "factorisations" and abs(one - two) < 0.05 * one  # the last digits decide some
        if bare(one) != bare(two) and not slightly:
            d.words.append(f"{name} {one} became {two}")
    if plain.audit.passed != other.audit.passed:
        d.words.append(f"audit {plain.audit.passed} became {other.audit.passed}: " + ", ".join(
            i.name for i in (plain if other.audit.passed else other).audit.items if i.worst > i.limit))
    if list(plain.units) != list(other.units):
        d.words.append("other columns")
        return d
    if plain.rows != other.rows:
        d.words.append(f"{plain.rows} rows became {other.rows}")
        return d
    sizes, apart = {}, {}
    for name, unit in plain.units.items():
        if OF_ROUNDING.match(name):
            continue
        of = dimension(unit)
        x, y = np.asarray(plain[name]), np.asarray(other[name]) / units(of)
        sizes[of] = max(sizes.get(of, 0), np.max(abs(x)))
        apart.setdefault(of, []).append((np.max(abs(x - y)), name))
    # what stands still is measured by what turns, and the other way round
    for fast, slow in ((SPEED, TURN), (FORCE, TORQUE)):
        arm = sizes.get(LENGTH, 0)
        one, two = sizes.get(fast, 0), sizes.get(slow, 0)
        if arm > 0:
            turns = fast == SPEED
            sizes[fast] = max(one, two * arm if turns else two / arm)
            sizes[slow] = max(two, one / arm if turns else one * arm)
    for of, found in apart.items():
        error, name = max(found)
        if error > 0 and error / max(sizes[of], 1e-300) > d.columns:
            d.columns, d.column = error / max(sizes[of], 1e-300), name
    return d


def checked(model, coordinates=None):
    """What the check says that has no dimension."""
    import holon
    check = holon.Model(model).check(**({"coordinates": coordinates} if coordinates else {}))
    return {name: getattr(check, name) for name in ("dof", "rank", "rows", "velocities", "redundant", "singular_rows", "reactions", "coordinates")}


def attempt(model, units, options):
    """What differs between a model and the same in other units: sentences, and the largest difference of a column."""
    import holon
    other = scaled(model, units)
    results = []
    for m, o in ((scaled(model, Units()), scaled_options(options, Units())), (other, scaled_options(options, units))):
        try:
            results.append(holon.Model(m).run(**o))
        except holon.Error as error:
            results.append(error)
    failed = [isinstance(r, Exception) for r in results]
    d = Difference()
    if all(failed):
        if type(results[0]) is not type(results[1]):
            d.words.append(f"'{results[0]}' became '{results[1]}'")
        d.failed = str(results[0])
        return d
    if any(failed):
        d.words.append(f"'{results[0]}' became '{results[1]}'" if failed[0] else f"it ran, and became '{results[1]}'")
        return d
    coordinates = options.get("coordinates")
    one, two = checked(model, coordinates), checked(other, coordinates)
    d = compare(*results, units)
    d.words += [f"check: {k} {one[k]} became {two[k]}" for k in one if bare(one[k]) != bare(two[k])]
    return d


def asked(model, units, duration):
    """What statics, modes and kinematics say of a model, without dimensions: numbers, and kinds of errors."""
    import holon
    other, answers = scaled(model, units), []
    for question, more in (("statics", {}), ("modes", {}), ("kinematics", {"duration": duration * units(TIME), "output_step": duration * units(TIME) / 8})):
        try:
            found = getattr(holon.Model(other), question)(**more)
            if question == "statics":
                answers.append((found.stability, found.dof, found.iterations))
            elif question == "modes":
                answers.append([complex(mode.s) * units(TIME) for mode in found.modes])
            else:
                answers.append([found.table.rows if hasattr(found, "table") else 0])
        except holon.Error as error:
            answers.append(type(error).__name__)
    return answers


def gallery(name):
    import yaml
    model = yaml.safe_load((ROOT / "models" / f"{name}.yaml").read_text())
    options = {k: v for k, v in model.pop("simulation", {}).items()}
    return model, {k: float(v) if k in ("duration", "output_step", "rtol", "step", "atol") and not (isinstance(v, str) and " " in v)
                   else v for k, v in options.items()}


def family(name, seed):
    import loops, machines, physics, rough, strange
    for module in (loops, machines, rough, physics, strange):
        for make in module.FAMILIES:
            if make.__name__ == name:
                case = make(np.random.default_rng([seed, physics.number(make)]))
                return case.model, {"duration": case.times[-1], "output_step": case.times[1] - case.times[0]}
    raise KeyError(name)


def find(name):
    if ":" in name:
        return family(name.split(":")[0], int(name.split(":")[1]))
    if name in MODELS:
        return MODELS[name]()
    return gallery(name)


def four_bar_in_space(misaligned=0.0):
    """A four-bar linkage with four hinges: three rows are more than it needs, in whatever plane it lies."""
    turn = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    at = lambda x, y: (turn @ [x, y, 0]).tolist()
    bar = lambda p, q: {"mass": 1.0, "inertia": [0.02, 0.03, 0.025], "position": ((np.array(p) + q) / 2).tolist()}
    A, B, C, D = at(0, 0), at(0.1, 0.25), at(0.8, 0.6), at(0.9, 0)
    axis = turn[:, 2].tolist()
    joints = {n: {"type": "revolute", **({"a": a} if a else {}), "b": b, "at": p, "axis": axis}
              for n, a, b, p in (("A", None, "crank", A), ("B", "crank", "rod", B), ("C", "rod", "arm", C), ("D", None, "arm", D))}
    return {"gravity": at(2, -9.5), "bodies": {"crank": bar(A, B), "rod": bar(B, C), "arm": bar(D, C)}, "joints": joints}, {
        "duration": 0.6, "output_step": 0.05}


MODELS = {"four_bar_in_space": four_bar_in_space}


def physics_hard():
    import physics
    return physics.Hard


def command_line():
    sys.path[:0] = [str(Path(sys.argv[1]).resolve() / "python"), str(Path(__file__).resolve().parent)]
    words = sys.argv[2:]
    chosen = [UNITS[w[6:]] for w in words if w.startswith("units=")] and [w[6:] for w in words if w.startswith("units=")] or list(UNITS)
    more = dict(w.split("=", 1) for w in words if "=" in w and not w.startswith("units="))
    for name in [w for w in words if "=" not in w] or list(MODELS):
        try:
            model, options = find(name)
        except physics_hard() as error:
            continue
        for of in chosen:
            try:
                d = attempt(model, UNITS[of], options | more)
            except Unfit as error:
                print(f"{name}: unfit: {error}")
                break
            except Exception as error:
                d = f"ERROR {type(error).__name__} {error}"
            if not isinstance(d, Difference) or d.words or d.columns:
                print(f"{name} {of} {' '.join(f'{k}={v}' for k, v in more.items())}: {d}", flush=True)


if __name__ == "__main__":
    command_line()
