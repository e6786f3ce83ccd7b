"""A bar that shows how far a run is, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import Callable, Iterator, Optional, Union

Progress = Union[None, bool, Callable[[float, float], object]]


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


def _left(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h"


class Bar:
    """Called with the time reached and the duration; draws at most ten times a second."""

    width = 30

    def __init__(self, patience: float = 0.5) -> None:
        self.began = time.monotonic()
        self.drawn = 0.0
        self.patience = patience  # [s] runs that are shorter show nothing
        self.shown = False

    def text(self, t: float, duration: float) -> str:
        part = min(max(t / duration, 0.0), 1.0) if duration > 0 else 1.0
        done = int(part * self.width)
        bar = "#" * done + "." * (self.width - done)
        text = f"{100 * part:3.0f} % [{bar}] t = {t:.4g} of {duration:.4g} s"
        if part > 0:
            spent = time.monotonic() - self.began
            text += f", {_left(spent * (1 - part) / part)} left"
        return text

    def __call__(self, t: float, duration: float) -> None:
        now = time.monotonic()
        if now - self.began < self.patience or now - self.drawn < 0.1:
            return
        self.drawn = now
        self.shown = True
        sys.stderr.write("\r" + self.text(t, duration).ljust(78))
        sys.stderr.flush()

    def close(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * 78 + "\r")
            sys.stderr.flush()


@contextmanager
def open_bar(progress: Progress) -> Iterator[Optional[Callable[[float, float], object]]]:
    """What a run is to tell: a function, a bar (True, or None where somebody looks), nothing."""
    if callable(progress):
        yield progress
        return
    if progress is None:
        progress = _in_notebook() or bool(getattr(sys.stderr, "isatty", lambda: False)())
    bar = Bar() if progress else None
    try:
        yield bar
    finally:
        if bar is not None:
            bar.close()
