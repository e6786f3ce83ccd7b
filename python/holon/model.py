"""What the user describes."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from holon import _holon, analysis
from holon._progress import Progress, open_bar
from holon._tables import SCHEMA, TABLES, Elements, OptionValues, Runs, option_help, option_text
from holon.errors import ArgumentError, Error, ModelError
from holon.result import Path, Result
from holon.sim import Sim
from holon.study import Fitted, Gradient, Optimum, Study, fit, gradients, optimise, study

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_HERE = "<model>"  # how the library calls a text that was written here


class Site(NamedTuple):
    """A place in a Python file."""

    file: str
    line: int
    column: int


def _site() -> Site:
    """Where the caller of this package stands."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    column = 1
    for k, place in enumerate(frame.f_code.co_positions()):
        if 2 * k == frame.f_lasti:
            column = (place[2] or 0) + 1
            break
    return Site(frame.f_code.co_filename, frame.f_lineno or 0, column)


class Element(str):
    """The name of an element that was added; other elements are told it."""

    __slots__ = ()

    def frame(self, name: str) -> str:
        """One of a body's frames, as an end of joints and forces: "crank.tip"."""
        return f"{self}.{name}"


@dataclass(frozen=True)
class CheckJoint:
    """What a joint brings, and how far it was open in the described configuration."""

    name: str
    type: str
    rows: int
    redundant: int
    undetermined: int
    gap: float
    gap_angle: float


@dataclass(frozen=True)
class CheckBody:
    """What assembly changed about a body."""

    name: str
    moved: float
    turned: float
    velocity_change: float
    spin_change: float
    velocity_given: bool


@dataclass(frozen=True)
class Check:
    """Degrees of freedom, redundancy and the consistency of the initial state."""

    bodies: int
    joints: int
    forces: int
    blocks: int
    velocities: int
    rows: int
    rank: int
    dof_counted: int
    dof: int
    rank_tolerance: float
    smallest_kept: float
    largest_dropped: float
    reactions: str
    preload: str
    position_before: float
    position_after: float
    rotation_before: float
    rotation_after: float
    velocity_before: float
    velocity_after: float
    moved: float
    turned: float
    coordinates: str
    singular_rows: int
    start: str
    gap: float
    gaps: str
    redundant: Tuple[str, ...]
    notes: Tuple[str, ...]
    solved: Dict[str, float]
    dependencies: List[str]
    each_joint: List[CheckJoint]
    each_body: List[CheckBody]


class Options(OptionValues):
    __doc__ = "Options of a model's runs, as attributes (None: not given).\n\n" + option_help()


def _plain(value: Any) -> Any:
    """What json cannot write by itself: numpy's numbers and arrays, paths, mappings."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        raise TypeError("sets have no order: write a list")
    if isinstance(value, Sequence):
        return list(value)
    raise TypeError(f"{type(value).__name__} cannot stand in a model")


def _place(path: Optional[Path]) -> Optional[str]:
    return None if path is None else os.fspath(path)


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=False)
        text.encode("utf-8")
        return text
    except RecursionError:
        raise ArgumentError("a model cannot hold itself") from None
    except UnicodeEncodeError:
        raise ArgumentError("a text holds characters that are none") from None
    except ValueError as error:
        raise ArgumentError(f"this cannot stand in a model: {error}") from None


# sections that hold elements or numbers by name, and those that hold one value
_MAPS = tuple(
    section
    for section, about in SCHEMA["properties"].items()
    if any("additionalProperties" in p and "properties" not in p for p in about.get("allOf", []))
)


class Model(Runs, Elements):
    """A mechanism: from a file, a text, a dict, or by calls.

        holon.Model("four_bar.yaml")
        holon.Model(text="bodies: {ball: {mass: 1, inertia: [1, 1, 1]}}")
        holon.Model({"gravity": [0, 0, -9.81], "bodies": {...}, "joints": {...}})
        m = holon.Model(gravity=[0, -9.81]); m.body("rod", ...); m.revolute("hinge", b="rod")

    Every type of joint and force is a method whose keywords are the keys of the model file; each
    returns the element's name. Numbers may be texts with units and formulas of the parameters
    ("60 deg", "L/2"). What is wrong is said when the model is first used, with the place of the
    call; unknown keywords at once.

    `options` are those of its runs; keywords of `run` and the others win over them.
    """

    def __init__(
        self,
        source: Union[None, Path, Mapping[str, Any]] = None,
        *,
        text: Optional[str] = None,
        name: Optional[str] = None,
        gravity: Optional[Sequence[Union[float, str]]] = None,
        parameters: Optional[Mapping[str, Union[float, str]]] = None,
        trust: bool = False,
    ) -> None:
        if source is not None and text is not None:
            raise TypeError("a model comes from a file, a dict or a text, not from two of them")
        self._path: Optional[str] = None
        self._text = text
        self._sections: Dict[str, Any] = {}
        self._sites: Dict[Tuple[str, str], Site] = {}
        self._made = _site()
        self._overrides: Dict[str, str] = {}
        self._trust = bool(trust)
        self._built: Optional[Tuple[object, _holon.System]] = None
        self._version = 0
        self.options = Options()
        if text is not None and not isinstance(text, str):
            raise TypeError("the text of a model must be a str")
        if isinstance(source, Mapping):
            self._take(source)
        elif source is not None:
            self._path = os.fspath(source)
            if not isinstance(self._path, str):
                raise TypeError("the path of a model must be a text")
        self._name = name
        if gravity is not None:
            self.gravity(gravity)
        for key, value in (parameters or {}).items():
            if self._own():
                self.parameter(key, value)
            else:
                self.set(**{key: value})

    @classmethod
    def example(cls, name: str) -> Model:
        """One of the models that come with the library; `holon.examples()` lists them."""
        texts = TABLES["examples"]
        if name not in texts:
            raise ArgumentError(f"no example '{name}': {', '.join(sorted(texts))}")
        return cls(text=texts[name], name=name)

    # ---- describing

    def _own(self) -> bool:
        """Is it described here, and not by a file or a text?"""
        return self._path is None and self._text is None

    def _must_own(self) -> None:
        if not self._own():
            raise ModelError("a model from a file or text is complete: nothing can be added to it")

    def _take(self, source: Mapping[str, Any]) -> None:
        for section, value in source.items():
            if section in _MAPS and isinstance(value, Mapping):
                for name, below in value.items():
                    self._put(section, str(name), below)
            else:
                self._sections[str(section)] = value
                self._sites[str(section), ""] = self._made

    def _put(self, section: str, name: str, value: Any) -> None:
        self._must_own()
        _json(value)
        place = self._sections.setdefault(section, {})
        if not isinstance(place, dict):
            raise ModelError(f"section '{section}' is not a map of names")
        if name in place:
            raise ModelError(f"'{name}' is in section '{section}' already")
        place[name] = value
        self._sites[section, name] = _site()
        self._version += 1

    def add(self, section: str, name: str, element: Mapping[str, Any]) -> Element:
        """Adds an element to a section, in the form of the model file."""
        if not isinstance(name, str):
            raise TypeError(f"names are texts, not {type(name).__name__}")
        if section not in _MAPS:
            raise ArgumentError(f"no section '{section}': {', '.join(_MAPS)}")
        self._put(section, name, element)
        return Element(name)

    def _set_section(self, section: str, value: Any) -> None:
        self._must_own()
        _json(value)
        self._sections[section] = value
        self._sites[section, ""] = _site()
        self._version += 1

    def gravity(self, acceleration: Sequence[Union[float, str]]) -> None:
        """Sets the acceleration of gravity, two or three numbers, world axes."""
        self._set_section("gravity", acceleration)

    def parameter(self, name: str, value: Union[float, str]) -> Element:
        """Adds a named constant, which numbers and formulas may use from then on."""
        return self.add("parameters", name, value)  # type: ignore[arg-type]

    def ground_frame(self, name: str, position: Any, orientation: Any = None) -> str:
        """Adds a frame of the ground, and returns it as an end: "ground.NAME"."""
        self._must_own()
        frame = position if orientation is None else {
            "position": position,
            "orientation": orientation,
        }
        _json(frame)
        ground = self._sections.setdefault("ground", {})
        ground.setdefault("frames", {})[name] = frame
        self._sites["ground", ""] = _site()
        self._version += 1
        return f"ground.{name}"

    def output(
        self, *patterns: str, **columns: Union[str, tuple[str, str], Mapping[str, str]]
    ) -> None:
        """Records only columns that match one of these patterns ("crank.*").

        Columns of their own are formulas of others: ``power="motor.effort*hinge.angle_rate"``, or
        ``power=("motor.effort*hinge.angle_rate", "W")`` with a unit; integrals over time are
        ``used={"integral": "motor.power", "unit": "J"}``.
        """
        there = self._sections.get("outputs", [])
        entries = [there] if isinstance(there, dict) else list(there)
        for name, given in columns.items():
            if isinstance(given, Mapping):
                entries.append({name: dict(given)})
                continue
            formula, unit = (given, "") if isinstance(given, str) else given
            entries.append({name: {"formula": formula, "unit": unit}})
        self._set_section("outputs", entries + list(patterns))

    def set(self, **values: Union[float, str, None]) -> Model:
        """Changes parameters, whatever the file says; None takes a change back. Returns itself."""
        for name, value in values.items():
            if value is None:
                self._overrides.pop(name, None)
            elif isinstance(value, str):
                self._overrides[name] = value
            else:
                self._overrides[name] = repr(float(value))
        self._version += 1
        return self

    def copy(self) -> Model:
        """A model of its own, to be changed or run by another thread."""
        other = Model.__new__(Model)
        other.__dict__.update(self.__dict__)
        other._sections = json.loads(_json(self._sections))
        other._sites = dict(self._sites)
        other._overrides = dict(self._overrides)
        other.options = Options()
        other.options._values.update(self.options._values)
        return other

    # ---- the text behind it

    def _write(self) -> Tuple[str, List[Site]]:
        """The description as JSON, an element a line, and whose call each line is."""
        lines: List[str] = ["{"]
        sites = [self._made]
        sections = dict(self._sections)
        if self._name is not None:
            sections["name"] = self._name
        for number, (section, value) in enumerate(sections.items()):
            comma = "," if number + 1 < len(sections) else ""
            if section not in _MAPS or not isinstance(value, dict):
                lines.append(f"{_json(section)}: {_json(value)}{comma}")
                sites.append(self._sites.get((section, ""), self._made))
                continue
            lines.append(f"{_json(section)}: {{")
            sites.append(self._made)
            for k, (name, below) in enumerate(value.items()):
                lines.append(f"{_json(name)}: {_json(below)}{',' if k + 1 < len(value) else ''}")
                sites.append(self._sites.get((section, name), self._made))
            lines.append("}" + comma)
            sites.append(self._made)
        return "\n".join(lines + ["}"]) + "\n", sites + [self._made]

    def text(self) -> str:
        """The description as a model file holds it (JSON, where it was made by calls)."""
        if self._text is not None:
            return self._text
        if self._path is not None:
            with open(self._path, encoding="utf-8") as stream:
                return stream.read()
        return self._write()[0]

    def _placed(self, error: Error, sites: List[Site]) -> Error:
        """The same error, with the place of the call in place of a line of our own text."""
        if error.file != _HERE or not error.line:
            return error
        site = sites[min(error.line, len(sites)) - 1]
        message = str(error)[len(f"{_HERE}:{error.line}:{error.column}: ") :]
        return type(error)(f"{site.file}:{site.line}:{site.column}: {message}", error.status)

    # ---- compiling

    def _build(
        self, options: Mapping[str, Any], report: bool = False, compile: bool = True
    ) -> _holon.System:
        chosen = dict(self.options._values)
        for key, value in options.items():
            if value is not None:
                chosen[key] = option_text(key, value)
        recipe = (self._version, tuple(chosen.items()), report, compile, self._stamp())
        if self._built is not None and self._built[0] == recipe:
            return self._built[1]
        sites: List[Site] = []
        text, name = self._text, self._name or "text"
        if self._own():
            text, sites = self._write()
            name = _HERE
        pairs = list(self._overrides.items()), list(chosen.items())
        try:
            system = _holon.build(
                self._path, text, name, pairs[0], pairs[1], self._trust, report, compile
            )
        except Error as error:
            raise self._placed(error, sites) from None
        self._built = recipe, system
        return system

    def _stamp(self) -> object:
        """Changes when the file does."""
        if self._path is None:
            return None
        try:
            about = os.stat(self._path)
        except (OSError, ValueError):
            return None
        return about.st_mtime_ns, about.st_size

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._build({}, compile=False).name

    @property
    def parameters(self) -> Dict[str, float]:
        """Values of the named constants, changes included."""
        return self._build({}, compile=False).parameters

    # ---- many runs

    def study(
        self,
        factors: Mapping[str, Any],
        metrics: Mapping[str, str],
        *,
        design: Optional[str] = None,
        runs: Optional[int] = None,
        seed: Optional[int] = None,
        constraints: Optional[Mapping[str, str]] = None,
        correlations: Optional[Sequence[Sequence[Any]]] = None,
        stop: Optional[str] = None,
        keep: Optional[Path] = None,
        store: Optional[Path] = None,
        resume: bool = False,
        jobs: int = 0,
        engine: Optional[str] = None,
        html: Optional[Path] = None,
        progress: Progress = None,
        **options: Any,
    ) -> Study:
        """Runs the model many times, as `holon study` does: a Study, with a row for every run.

            m.study({"crank": {"uniform": [1.9, 2.1]}}, {"peak": "max(A.fx)"}, design="sobol", runs=64)

        factors and metrics are those of a study file; a factor may be a list of values. Rows go to
        the database `store` as well, if there is one, and `resume` goes on with it. jobs: how many
        runs at a time (0: one for each processor). Other keywords are options of all runs.
        """
        kind = {"type": design, "runs": runs, "seed": seed}
        text = self._study_text(
            factors,
            options,
            design={k: v for k, v in kind.items() if v is not None} or None,
            correlations=correlations,
            metrics=metrics,
            constraints=constraints,
            stop=stop,
            keep="all" if keep is not None else None,
        )
        if keep is not None:
            os.makedirs(keep, exist_ok=True)
        places = [_place(store), bool(resume), _place(keep), _place(html)]
        with open_bar(progress) as bar:
            return study(*text, engine, int(jobs), *places, bar)

    def optimise(
        self,
        factors: Mapping[str, Any],
        metrics: Mapping[str, str],
        *,
        minimise: Optional[str] = None,
        maximise: Optional[str] = None,
        constraints: Optional[Mapping[str, str]] = None,
        search: Optional[Mapping[str, Any]] = None,
        store: Optional[Path] = None,
        resume: bool = False,
        jobs: int = 0,
        engine: Optional[str] = None,
        html: Optional[Path] = None,
        progress: Progress = None,
        **options: Any,
    ) -> Optimum:
        """The values of the factors at which a metric is best, as `holon optimise` finds them.

            m.optimise({"L": {"uniform": [1, 3]}}, {"end": "final(rod.x)"}, minimise="end",
                       search={"method": "gradient", "tolerance": 1e-8})

        search: other keys of the section `optimise` of a study file. Runs go to the database
        `store`, if there is one, and `resume` goes on with it; `html`, the page of the search,
        needs it. Other keywords are options of all runs.
        """
        if html is not None and store is None:
            raise ValueError("the page of a search is made from its store: give it one")
        section = {"minimise": minimise, "maximise": maximise, **(search or {})}
        text = self._study_text(
            factors,
            options,
            metrics=metrics,
            constraints=constraints,
            optimise={k: v for k, v in section.items() if v is not None},
        )
        places = [_place(store), bool(resume), _place(html)]
        with open_bar(progress) as bar:
            return optimise(*text, engine, int(jobs), *places, bar)

    def fit(
        self,
        factors: Mapping[str, Any],
        data: Sequence[Mapping[str, Any]],
        *,
        search: Optional[Mapping[str, Any]] = None,
        jobs: int = 0,
        progress: Progress = None,
        **options: Any,
    ) -> Fitted:
        """The values of the factors for which runs come nearest to what was measured.

            m.fit({"k": {"log": [10, 100]}}, [{"file": "measured.csv", "columns": {"block.x": "x"}}])

        data and search are those of the section `fit` of a study file (`holon fit`). Other keywords
        are options of all runs.
        """
        text = self._study_text(factors, options, fit={"data": list(data), **(search or {})})
        with open_bar(progress) as bar:
            return fit(*text, int(jobs), bar)

    def gradients(
        self,
        factors: Mapping[str, float],
        metrics: Mapping[str, str],
        *,
        constraints: Optional[Mapping[str, str]] = None,
        places: Optional[Mapping[str, str]] = None,
        backward: bool = True,
        **options: Any,
    ) -> Dict[str, Gradient]:
        """Exact derivatives of metrics by parameters and initial values.

            m.gradients({"L": 2}, {"end": "final(rod.x)"}, step=1e-3)["end"].by["L"]

        factors: names with the values at which they are taken; places: what a factor stands for in
        the model file, as "bodies.rod.mass", where it is no parameter. They are those of the steps
        taken, so runs go in steps of one length by `rk4`, `dopri5` or `dop853` (`method`,
        `integrator`, `step`). backward: the cost grows with the number of metrics, whatever the
        number of factors; otherwise the other way round.
        """
        kinds: Dict[str, Any] = {}
        for name, value in factors.items():
            near = 1e-3 * abs(value) or 1e-3
            kinds[name] = {"uniform": [value - near, value + near]}
            if places and name in places:
                kinds[name]["place"] = places[name]
        defaults = {"method": "mass-projection", "verify": "off"}
        if "integrator" not in options and "method" not in options:
            defaults["integrator"] = "rk4"
        # several runs of other values say which numbers of the model depend on the factors
        text = self._study_text(
            kinds,
            {**defaults, **options},
            metrics=metrics,
            constraints=constraints,
            design={"type": "monte-carlo", "runs": 32},
        )
        at = [float(value) for value in factors.values()]
        return gradients(*text, at, bool(backward))

    def _study_text(
        self, factors: Mapping[str, Any], options: Mapping[str, Any], **sections: Any
    ) -> Tuple[str, str, str, str]:
        """A study file, and the model: texts, each with the name it has in messages."""
        chosen = dict(self.options._values)
        for key, value in options.items():
            chosen[key] = option_text(key, value)
        all_sections: Dict[str, Any] = {
            "name": self._name or "study",
            "factors": factors,
            "parameters": {k: v for k, v in self._overrides.items() if k not in factors} or None,
            "options": chosen or None,
            **sections,
        }
        text = _json({k: v for k, v in all_sections.items() if v is not None})
        return text, "study", self.text(), self._path or _HERE

    # ---- what Runs asks for

    def _run(self, progress: Progress, report: bool, options: Mapping[str, Any]) -> Result:
        return Sim(self._build(options, bool(report))).run(progress)

    def _sim(self, options: Mapping[str, Any]) -> Sim:
        return Sim(self._build(options))

    def _check(self, options: Mapping[str, Any]) -> Check:
        raw = self._build(options).check()
        raw["each_joint"] = [CheckJoint(**j) for j in raw["each_joint"]]
        raw["each_body"] = [CheckBody(**b) for b in raw["each_body"]]
        return Check(**raw)

    def _code(self, options: Mapping[str, Any]) -> str:
        return self._build({"code": "written", **options}).code()

    def _analysis(self, options: Mapping[str, Any]) -> Sim:
        """A run for analyses, which want reference coordinates and the usual method."""
        fixed = {
            "coordinates": "reference",
            "method": "default",
            "solver": "",
            "correction": "",
            "integrator": "",
            "code": "library",
        }
        for key in fixed:
            if options.get(key) is not None:
                raise ArgumentError(f"analyses choose the option '{key}' themselves")
        return Sim(self._build({**options, **fixed}))

    def _statics(self, nearest: bool, options: Mapping[str, Any]) -> analysis.Equilibrium:
        return analysis.statics(self._analysis(options), bool(nearest))

    def _kinematics(self, options: Mapping[str, Any]) -> analysis.Kinematics:
        return analysis.kinematics(self._analysis(options))

    def _tolerances(self, at: Union[str, float], options: Mapping[str, Any]) -> analysis.Tolerances:
        return analysis.tolerances(self._at(at, options))

    def _inverse(self, options: Mapping[str, Any]) -> analysis.Inverse:
        return analysis.inverse(self._analysis(options))

    def _at(self, at: Union[str, float], options: Mapping[str, Any]) -> Sim:
        sim = self._analysis(options)
        if at == "equilibrium":
            analysis.statics(sim, False)
        elif not isinstance(at, str):
            sim.advance(at)
        elif at != "initial":
            raise ArgumentError(f"'{at}' is not 'equilibrium', 'initial' or a time")
        return sim

    def _linearise(
        self, at: Union[str, float], frozen: bool, side: Optional[int], options: Mapping[str, Any]
    ) -> analysis.Linear:
        sim = self._at(at, options)
        how = "frozen" if frozen else "equilibrium" if side is None else "side"
        return analysis.linearise(sim, how, side or 0)

    def _modes(
        self, at: Union[str, float], frozen: bool, side: Optional[int], options: Mapping[str, Any]
    ) -> analysis.Modes:
        sim = self._at(at, options)
        how = "frozen" if frozen else "equilibrium" if side is None else "side"
        return analysis.modes(sim, how, side or 0)

    def _compare(self, names: Sequence[str], options: Mapping[str, Any]) -> analysis.Comparison:
        if "method" in options:
            raise ArgumentError("methods to compare are given by themselves, not as an option")
        if not names:
            raise ArgumentError("name the methods to compare; holon.methods() lists them")
        own = {k: v for k, v in options.items() if k not in ("rtol", "step")}
        reference = self._run(False, True, {**own, "method": "default", "rtol": 1e-11})
        runs: Dict[str, Result] = {}
        failed: Dict[str, str] = {}
        table: List[Dict[str, Any]] = []
        for name in names:
            option_text("method", name)
            try:
                run = self._run(False, True, {**options, "method": name})
            except Error as error:
                failed[name] = str(error)
                continue
            runs[name] = run
            summary, audit = run.summary, run.audit
            if summary is not None and audit is not None:
                table.append(
                    {
                        "method": name,
                        "error": analysis.error_between(run, reference),
                        "energy_drift": summary.energy_drift,
                        "steps": summary.steps,
                        "wall": summary.wall,
                        "audit": audit.passed,
                    }
                )
        return analysis.Comparison(reference, runs, failed, tuple(table))

    def __repr__(self) -> str:
        if self._path is not None:
            return f"<holon.Model from {self._path}>"
        if self._text is not None:
            return f"<holon.Model '{self._name or 'text'}'>"
        count = sum(len(v) for k, v in self._sections.items() if k in _MAPS and k != "parameters")
        return f"<holon.Model of {count} elements>"


def examples() -> Tuple[str, ...]:
    """Names of the models that come with the library."""
    return tuple(sorted(TABLES["examples"]))


def methods() -> Dict[str, str]:
    """Methods by name, and what each is."""
    return {name: help for name, help, *_ in TABLES["methods"]}


def schema() -> Dict[str, Any]:
    """The JSON Schema of the model format."""
    copy: Dict[str, Any] = json.loads(_holon.schema())
    return copy
