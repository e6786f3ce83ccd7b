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


def study(*arguments: Any) -> Study:
    """Runs it."""
    return Study(_holon.study(*arguments))
