"""Many runs of a model, as a table."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from holon import _holon
from holon._array import Array
from holon.result import Result

STATUS = ("done", "stopped", "audit", "failed", "refused")


class Column(NamedTuple):
    """A column of a study: a factor, a metric or a constraint."""

    kind: str
    name: str
    unit: str
    formula: Optional[str]
    words: Optional[Tuple[str, ...]]


class Effects(NamedTuple):
    """Parts of a metric's variance, by factor: alone, and with others (nan: not known)."""

    first: Dict[str, float]
    total: Dict[str, float]


class Study:
    """Rows of a study; `study["peak"]` is a column, as a numpy array over the runs.

    `status` and `messages` tell how runs ended, `feasible` which of them keep all constraints, and
    `effects` what part of each metric's variance a factor brings about (Sobol's indices).
    """

    def __init__(self, raw: Tuple[Any, ...]) -> None:
        name, runs, columns, rows, messages, effects = raw
        #: name of the study
        self.name: str = name
        #: how many runs it has
        self.runs: int = runs
        #: columns by name
        self.columns: Dict[str, Column] = {c[1]: Column(*c) for c in columns}
        #: numbers only, with the columns run, status and feasible in front
        self.table = Result(rows)
        #: why runs are not done, by their number
        self.messages: Dict[int, str] = messages
        factors = self.factors
        #: by metric
        self.effects: Dict[str, Effects] = {
            metric: Effects(dict(zip(factors, first)), dict(zip(factors, total)))
            for metric, (first, total) in effects.items()
        }

    def _named(self, kind: str) -> Tuple[str, ...]:
        return tuple(c.name for c in self.columns.values() if c.kind == kind)

    @property
    def factors(self) -> Tuple[str, ...]:
        """Names of the factors."""
        return self._named("factor")

    @property
    def metrics(self) -> Tuple[str, ...]:
        """Names of the metrics."""
        return self._named("metric")

    @property
    def status(self) -> List[str]:
        """How the runs ended: done, stopped, audit, failed, refused."""
        return [STATUS[int(s)] for s in self.table["status"]]

    @property
    def feasible(self) -> Array:
        """1 where a run keeps all constraints."""
        return self.table["feasible"]

    def words(self, name: str) -> List[str]:
        """Values of a factor of words."""
        words = self.columns[name].words
        if words is None:
            raise KeyError(f"'{name}' is a column of numbers")
        return [words[int(x)] for x in self.table[name]]

    def __getitem__(self, name: str) -> Array:
        return self.table[name]

    def __len__(self) -> int:
        return self.table.rows

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the run as index; words as words, status as text."""
        frame = self.table.to_pandas()
        frame["status"] = self.status
        frame["feasible"] = frame["feasible"].astype(bool)
        for column in self.columns.values():
            if column.words is not None:
                frame[column.name] = self.words(column.name)
        return frame

    def __repr__(self) -> str:
        return f"<holon.Study '{self.name}': {len(self)} of {self.runs} runs>"


class Optimum:
    """What `Model.optimise` found; `optimum["crank"]` is the value of a factor, metric or constraint."""

    def __init__(self, raw: Tuple[Any, ...]) -> None:
        run, values, feasible, converged, method, evaluations, steps, rows = raw
        #: number of the best run
        self.run: int = run
        #: of all columns there, by name
        self.values: Dict[str, float] = values
        #: it keeps all constraints
        self.feasible: bool = feasible
        #: otherwise evaluations ran out, or no better run was found
        self.converged: bool = converged
        #: how it was searched for
        self.method: str = method
        #: runs that were made
        self.evaluations: int = evaluations
        #: from one place, or generation, to the next
        self.steps: int = steps
        #: all runs, where there is a store
        self.study: Optional[Study] = Study(rows) if rows is not None else None

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        return f"<holon.Optimum: run {self.run} of {self.evaluations}, {state}>"


class Fitted:
    """What `Model.fit` found; `fitted["k"]` is the estimate of a factor."""

    def __init__(self, raw: Tuple[Any, ...]) -> None:
        values, errors, covariance, ends, variance, converged, points, iterations, runs, rows = raw
        #: estimates by factor
        self.values: Dict[str, float] = values
        #: their standard deviations
        self.errors: Dict[str, float] = errors
        #: rows and columns in the order of the factors
        self.covariance: List[Tuple[float, ...]] = covariance
        #: factors whose estimate lies at the end of its range
        self.at_end: Tuple[str, ...] = tuple(f for f, end in zip(values, ends) if end)
        #: of the residuals; of weighted ones 1 is expected
        self.variance: float = variance
        #: otherwise iterations ran out
        self.converged: bool = converged
        #: measured values
        self.points: int = points
        self.iterations: int = iterations
        self.runs: int = runs
        #: time, then COLUMN.measured, COLUMN.model, COLUMN.residual
        self.residuals = Result(rows)

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    def __repr__(self) -> str:
        told = ", ".join(f"{k} = {v:.6g} ± {self.errors[k]:.2g}" for k, v in self.values.items())
        return f"<holon.Fitted: {told}>"


class Gradient(NamedTuple):
    """A metric or constraint, and its derivative by every factor."""

    value: float
    by: Dict[str, float]


def study(*arguments: Any) -> Study:
    """Runs it."""
    return Study(_holon.study(*arguments))


def optimise(*arguments: Any) -> Optimum:
    """Searches."""
    return Optimum(_holon.optimise(*arguments))


def fit(*arguments: Any) -> Fitted:
    """Fits."""
    return Fitted(_holon.fit(*arguments))


def gradients(*arguments: Any) -> Dict[str, Gradient]:
    """Differentiates."""
    return {name: Gradient(*pair) for name, pair in _holon.slopes(*arguments).items()}
