"""Recorded columns, and what a run says about itself."""

from __future__ import annotations

import fnmatch
import html as _html
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Tuple, Union

from holon import _array, _holon
from holon._array import Array
from holon.errors import ArgumentError

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class AuditItem:
    """One audited quantity: its worst value in the run, when and where it was met."""

    name: str
    unit: str
    worst: float
    limit: float
    time: float
    where: str
    passed: bool
    known: bool


@dataclass(frozen=True)
class MotionError:
    """How far the motion may be off, from a companion run (option `verify`)."""

    known: bool
    position: float
    angle: float
    velocity: float
    spin: float
    relative_position: float
    relative_velocity: float
    relative_state: float
    until: float
    share: float
    how: str


@dataclass(frozen=True)
class Audit:
    """What the audit of a run says: true when it passed."""

    passed: bool
    audited: bool
    items: Tuple[AuditItem, ...]
    motion: MotionError

    def __bool__(self) -> bool:
        return self.passed

    def __getitem__(self, name: str) -> AuditItem:
        for item in self.items:
            if item.name == name:
                return item
        raise KeyError(f"no audited quantity '{name}': {', '.join(i.name for i in self.items)}")

    def __str__(self) -> str:
        if not self.audited:
            return "not audited"
        lines = ["audit passed" if self.passed else "audit FAILED"]
        for i in self.items:
            if i.known:
                verdict = "ok" if i.passed else "FAILED"
                where = f" ({i.where})" if i.where else ""
                lines.append(
                    f"  {i.name:<14} {i.worst:9.2e}  limit {i.limit:7.1e} {i.unit:<12} "
                    f"at t = {i.time:.4g} s{where}  {verdict}"
                )
        return "\n".join(lines)


@dataclass(frozen=True)
class Summary:
    """What a run did: method, steps, work, and whatever must be known about it."""

    method: str
    solver: str
    correction: str
    integrator: str
    coordinates: str
    code: str
    choice: Optional[str]
    time: float
    wall: float
    steps: int
    rejected: int
    evaluations: int
    factorisations: int
    regularised: int
    singular: int
    events: int
    switches: int
    reactions: Optional[str]
    tables: str
    energy_drift: float


def summary_of(raw: Dict[str, Any]) -> Tuple[Summary, Audit]:
    """Summary and audit from what the extension says."""
    fields = dict(raw)
    items = []
    for item in fields.pop("audit"):
        item["passed"] = item.pop("pass")
        items.append(AuditItem(**item))
    audit = Audit(
        fields.pop("audit_pass"),
        fields.pop("audited"),
        tuple(items),
        MotionError(**fields.pop("motion")),
    )
    return Summary(**fields), audit


class Svg:
    """A picture that notebooks show; `str()` is its source."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.text


class Result(Mapping[str, Array]):
    """Columns with names and units; `result["crank.x"]` is one of them.

    Columns are numpy arrays (memoryviews without numpy) that look at the memory of the result:
    nothing is copied, and nothing can be written. The memory lives as long as any of them.
    """

    def __init__(self, raw: _holon.Result, *, interrupted: bool = False) -> None:
        if not isinstance(raw, _holon.Result):
            raise TypeError("results come from runs, Result.read() and Result.of()")
        self._raw = raw
        self._index = {name: i for i, name in enumerate(raw.names)}
        #: stopped by Ctrl-C: the columns hold what was computed before
        self.interrupted = interrupted

    # ---- making one of other things

    @classmethod
    def read(cls, path: Path) -> Result:
        """A result from a CSV or HDF5 file."""
        return cls(_holon.result_read(os.fspath(path)))

    @classmethod
    def of(
        cls,
        columns: Mapping[str, Sequence[float]],
        units: Optional[Mapping[str, str]] = None,
        title: str = "data",
    ) -> Result:
        """A result of your own columns, for writing, plotting and reports; time comes first."""
        lengths = {len(c) for c in columns.values()}
        if not columns or len(lengths) > 1:
            raise ArgumentError("columns must be there, and equally long")
        import array

        rows = array.array("d")
        for row in zip(*columns.values()):
            rows.extend(float(x) for x in row)
        names = [str(name) for name in columns]
        given = units or {}
        return cls(_holon.result_new(title, names, [given.get(n, "") for n in names], rows))

    # ---- columns

    def __getitem__(self, name: str) -> Array:
        if not isinstance(name, str):
            raise TypeError(f"columns are asked by name, not by {type(name).__name__}")
        try:
            index = self._index[name]
        except KeyError:
            raise KeyError(self._unknown(name)) from None
        return _array.column(self._raw, index)

    def _unknown(self, name: str) -> str:
        import difflib

        near = difflib.get_close_matches(name, self._index, 1)
        return f"no column '{name}'" + (f" (did you mean '{near[0]}'?)" if near else "")

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._raw)

    @property
    def columns(self) -> Tuple[str, ...]:
        """Names of the columns."""
        return self._raw.names

    @property
    def units(self) -> Dict[str, str]:
        """Units by column."""
        return dict(zip(self._raw.names, self._raw.units))

    @property
    def time(self) -> Array:
        """The first column."""
        return _array.column(self._raw, 0)

    @property
    def data(self) -> Array:
        """All rows and columns, seen in place."""
        return _array.rows(self._raw)

    def match(self, pattern: str) -> Tuple[str, ...]:
        """Names of the columns that match a pattern with * and ?."""
        return tuple(n for n in self._index if fnmatch.fnmatchcase(n, pattern))

    # ---- what the run says

    @property
    def summary(self) -> Optional[Summary]:
        """Of the run; None where there was none."""
        raw = self._raw.summary
        return summary_of(raw)[0] if raw is not None else None

    @property
    def audit(self) -> Optional[Audit]:
        """Of the run; None where there was none. True when it passed."""
        raw = self._raw.summary
        return summary_of(raw)[1] if raw is not None else None

    @property
    def ledger(self) -> Dict[str, float]:
        """What every source brought into the motion [J], with the option ``ledger="on"``."""
        return self._raw.ledger

    @property
    def notes(self) -> Tuple[str, ...]:
        """What must be known to read the numbers."""
        return self._raw.notes

    @property
    def message(self) -> Optional[str]:
        """Why the run ended early; None: it did not."""
        return self._raw.message

    # ---- elsewhere

    def write(self, path: Path) -> None:
        """Writes FILE.csv or FILE.h5, whole or not at all."""
        self._raw.write(os.fspath(path))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the time as index; units are in its `attrs`."""
        import importlib

        pandas = importlib.import_module("pandas")
        frame = pandas.DataFrame(self.data, columns=list(self.columns), copy=False)
        frame = frame.set_index(self.columns[0])
        frame.attrs["units"] = self.units
        return frame

    def plot(
        self,
        *columns: str,
        path: Optional[Path] = None,
        x: Optional[str] = None,
        title: Optional[str] = None,
        log_x: bool = False,
        log_y: bool = False,
    ) -> Svg:
        """Lines over time (or column x) as SVG, shown by notebooks; patterns match columns."""
        for name in columns:
            if not isinstance(name, str):
                raise TypeError("columns are named by texts")
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "plot.svg") if path is None else os.fspath(path)
            self._raw.plot(file, list(columns), x, title, log_x, log_y)
            with open(file, encoding="utf-8") as stream:
                return Svg(stream.read())

    def html(self, path: Optional[Path] = None, *others: Result) -> str:
        """The report page: the mechanism in motion, charts, the summary; one file, no network.

        Other results are laid over it. With `path` the page is written there as well.
        """
        return page([(None, self)] + [(None, other) for other in others], path)

    def _repr_html_(self) -> str:
        return frame(self.html())

    def __repr__(self) -> str:
        end = f", {self.message}" if self.message else ""
        return f"<holon.Result: {self.rows} rows of {len(self)} columns{end}>"


def page(runs: Sequence[Tuple[Optional[str], Result]], path: Optional[Path] = None) -> str:
    """The report page of several runs, by label."""
    for _, run in runs:
        if not isinstance(run, Result):
            raise TypeError("a report shows results")
    pairs = tuple((label, run._raw) for label, run in runs)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "report.html") if path is None else os.fspath(path)
        _holon.report(file, pairs)
        with open(file, encoding="utf-8") as stream:
            return stream.read()


def frame(text: str) -> str:
    """A page inside another page, which it cannot reach."""
    return (
        '<iframe sandbox="allow-scripts" style="width:100%;height:640px;border:0" '
        f'srcdoc="{_html.escape(text)}"></iframe>'
    )
