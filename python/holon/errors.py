"""Exceptions. All are `holon.Error`; the extension makes them from the library's statuses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Optional

from holon import _holon

if TYPE_CHECKING:
    from holon.result import Result

_PLACE = re.compile(r"^(?P<file>[^\n]*?):(?P<line>\d+):(?P<column>\d+): ", re.DOTALL)


class Error(Exception):
    """Something the library refused or could not do.

    `status` is the library's name for the reason ("HN_ERR_MODEL"), `file`, `line` and `column` say
    where in a model file or Python file it lies, as far as that is known.
    """

    def __init__(self, message: str = "", status: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.file: Optional[str] = None
        self.line: Optional[int] = None
        self.column: Optional[int] = None
        place = _PLACE.match(message)
        if place:
            self.file = place["file"]
            self.line = int(place["line"])
            self.column = int(place["column"])

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ModelError(Error, ValueError):
    """The description is not well formed, makes no mechanical sense, or cannot be assembled."""


class UnsupportedError(Error, ValueError):
    """This combination of model, method and question is not possible."""


class ArgumentError(Error, ValueError):
    """An argument is out of range or of the wrong kind."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class RunError(Error):
    """A run or an analysis ended early; `result` has what was computed before, or is None."""

    result: Optional[Result] = None


class StaleError(Error, RuntimeError):
    """A view of q, v, a or the multipliers was used after the run had gone on."""


_KINDS = {
    "HN_ERR_ARGUMENT": ArgumentError,
    "HN_ERR_FILE": FileError,
    "HN_ERR_SYNTAX": ModelError,
    "HN_ERR_MODEL": ModelError,
    "HN_ERR_ASSEMBLY": ModelError,
    "HN_ERR_UNSUPPORTED": UnsupportedError,
}


def failure(status: int, message: str) -> Error:
    """The exception that stands for a status of the library and its sentence."""
    name = _holon.statuses[status]
    return _KINDS.get(name, RunError)(message, name)
