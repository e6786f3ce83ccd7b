"""Answers to questions other than motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from holon import _holon
from holon._array import Array, array
from holon.errors import RunError, failure
from holon.result import Path, Result, frame, page


def _check(status: int, message: str, result: Optional[Result]) -> None:
    if not status:
        return
    error = failure(status, message)
    if isinstance(error, RunError):
        error.result = result
    raise error


def _wrap(raw: Optional[_holon.Result]) -> Optional[Result]:
    return Result(raw) if raw is not None else None


def _must(raw: Optional[_holon.Result]) -> Result:
    if raw is None:
        raise RunError("the analysis gave no table")
    return Result(raw)


@dataclass(frozen=True)
class Equilibrium:
    """A state of rest in which all forces balance; `state` has every column at it."""

    iterations: int
    residual: float
    moved: float
    dof: int
    stability: str
    unstable: int
    indifferent: int
    softest: float
    circulatory: bool
    sides: int
    sides_differ: bool
    jump: bool
    rows_lost: int
    sharing: Optional[str]
    held_driver: Optional[str]
    state: Result

    def __getitem__(self, column: str) -> float:
        return float(self.state[column][0])


def statics(sim: _holon.Sim, nearest: bool) -> Equilibrium:
    """Goes to an equilibrium."""
    status, message, raw, state, _ = sim._statics(nearest)
    _check(status, message, _wrap(state))
    return Equilibrium(state=_must(state), **raw)


@dataclass(frozen=True)
class Linear:
    """Linearisation on the constraints: d/dt (z, u) = A (z, u), z'' + C z' + K z = 0 at rest.

    A displacement is Z z and a change of velocity U u; the bases are orthonormal in the mass. States
    of first order stand behind u; inputs act by B, signals are Y (z, u, x) + D i.
    """

    A: Array
    B: Array
    Y: Array
    D: Array
    K: Array
    C: Array
    Z: Array
    U: Array
    rest: bool
    equilibrium: bool
    conservative: bool
    sides: int
    steady: bool
    unsteady: float
    seen_from: str


class Mode(NamedTuple):
    """A motion Re(shape exp(s t)); `frequency` and `natural` in Hz, shapes by velocity."""

    s: complex
    frequency: float
    natural: float
    damping: float
    real: Array
    imag: Array


@dataclass(frozen=True)
class Modes:
    """Modes, slowest first. `table` has a row for each, with the motion of bodies and joints."""

    modes: Tuple[Mode, ...]
    linear: Linear
    table: Result

    def __len__(self) -> int:
        return len(self.modes)

    def __getitem__(self, index: int) -> Mode:
        return self.modes[index]


def _linear(raw: Dict[str, Any]) -> Linear:
    nv, n, m = raw.pop("nv"), raw.pop("n"), raw.pop("m")
    inputs, outputs = raw.pop("inputs"), raw.pop("outputs")
    size = n + m + raw.pop("states")
    raw["A"] = array(raw["A"], size, size)
    raw["B"] = array(raw["B"], size, inputs)
    raw["Y"] = array(raw["Y"], outputs, size)
    raw["D"] = array(raw["D"], outputs, inputs)
    raw["K"] = array(raw["K"], m, n)
    raw["C"] = array(raw["C"], m, m)
    raw["Z"] = array(raw["Z"], nv, n)
    raw["U"] = array(raw["U"], nv, m)
    return Linear(**raw)


def linearise(sim: _holon.Sim, how: str, side: int) -> Linear:
    """At the state of the run."""
    return _linear(sim._linearise(how, side, False)[2])


def modes(sim: _holon.Sim, how: str, side: int) -> Modes:
    """At the state of the run."""
    _, _, raw, table, _ = sim._linearise(how, side, True)
    nv: int = raw["nv"]
    found: List[Mode] = []
    for re, im, frequency, natural, damping, real, imag in raw.pop("modes"):
        shapes = array(real, nv), array(imag, nv)
        found.append(Mode(complex(re, im), frequency, natural, damping, *shapes))
    return Modes(tuple(found), _linear(raw), _must(table))


class Kink(NamedTuple):
    """Where a prescribed motion is not smooth: it jumps (order 0), or its rate does (1)."""

    time: float
    driver: str
    order: int
    jump: float


@dataclass(frozen=True)
class Kinematics:
    """Positions, velocities, accelerations and reactions of a driven motion, in `result`."""

    rows: int
    steps: int
    position: float
    velocity: float
    weakest: float
    weakest_time: float
    sharing: Optional[str]
    looked: int
    seen_through: bool
    fastest: float
    fastest_time: float
    fastest_driver: Optional[str]
    kinks: Tuple[Kink, ...]
    singular: Tuple[Tuple[float, str], ...]
    result: Result


def kinematics(sim: _holon.Sim) -> Kinematics:
    """Over the duration of the run's options."""
    status, message, raw, table, _ = sim._kinematics()
    _check(status, message, _wrap(table))
    raw["kinks"] = tuple(Kink(*k) for k in raw["kinks"])
    raw["singular"] = tuple(raw["singular"])
    return Kinematics(result=_must(table), **raw)


@dataclass(frozen=True)
class Tolerances:
    """How far everything moves per metre, or radian, by which a joint is out of place: a line of `result` for each of `rows`."""

    rows: Tuple[str, ...]
    result: Result

    def at_most(self, column: str, gap: float, tilt: float) -> float:
        """What a column is off by where all joints are out of place by `gap` [m] and `tilt` [rad], each the worst way."""
        parts = zip(self.result[column], self.result["angular"])
        return float(sum(abs(x) * (tilt if angular else gap) for x, angular in parts))


def tolerances(sim: _holon.Sim) -> Tolerances:
    """At the state of the run."""
    status, message, raw, table, _ = sim._tolerances()
    _check(status, message, _wrap(table))
    return Tolerances(rows=tuple(raw["rows"]), result=_must(table))


@dataclass(frozen=True)
class Effort:
    """What a driver, or the force that acts for it, must do."""

    name: str
    peak: float
    peak_time: float
    rms: float
    peak_power: float
    work: float
    infinite: bool


@dataclass(frozen=True)
class Inverse:
    """What drivers must do for the motion they prescribe; `result` has their columns."""

    efforts: Tuple[Effort, ...]
    kinks: Tuple[Kink, ...]
    looked: int
    seen_through: bool
    program: bool
    step: float
    error: float
    result: Result
    motion: Optional[Result]

    def __getitem__(self, name: str) -> Effort:
        for effort in self.efforts:
            if effort.name == name:
                return effort
        raise KeyError(f"no effort of '{name}': {', '.join(e.name for e in self.efforts)}")


def inverse(sim: _holon.Sim) -> Inverse:
    """Over the duration of the run's options."""
    status, message, raw, table, motion = sim._inverse()
    _check(status, message, _wrap(table))
    raw["kinks"] = tuple(Kink(*k) for k in raw["kinks"])
    raw["efforts"] = tuple(Effort(**e) for e in raw["efforts"])
    return Inverse(result=_must(table), motion=_wrap(motion), **raw)


@dataclass(frozen=True)
class Comparison:
    """One model by several methods: `runs` by name, `failed` with the reason, `table` of numbers.

    The error is that of body positions against the reference run, the largest over the rows both
    have, relative to the largest position change of the reference.
    """

    reference: Result
    runs: Mapping[str, Result]
    failed: Mapping[str, str]
    table: Tuple[Dict[str, Any], ...]

    def html(self, path: Optional[Path] = None) -> str:
        """One page with all runs laid over each other."""
        return page([(name, run) for name, run in self.runs.items()], path)

    def _repr_html_(self) -> str:
        return frame(self.html())

    def __str__(self) -> str:
        lines = [f"{'method':<26}{'error':>10}{'energy':>10}{'steps':>9}{'time [s]':>10}  audit"]
        for row in self.table:
            lines.append(
                f"{row['method']:<26}{row['error']:>10.2e}{row['energy_drift']:>10.2e}"
                f"{row['steps']:>9d}{row['wall']:>10.3g}  {'ok' if row['audit'] else 'FAILED'}"
            )
        lines += [f"{name:<26}{why}" for name, why in self.failed.items()]
        return "\n".join(lines)


def error_between(run: Result, reference: Result) -> float:
    """Largest difference of positions and angles, relative to how far the reference moves."""
    places = [c for c in reference.columns if c.rsplit(".", 1)[-1] in ("x", "y", "z")]
    worst = moved = 0.0
    for name in places:
        if name not in run:
            continue
        a, b = run[name].tolist(), reference[name].tolist()
        if len(b):
            moved = max(moved, max(b) - min(b))
            worst = max(worst, max(abs(x - y) for x, y in zip(a, b)))
    return worst / moved if moved > 0 else worst
