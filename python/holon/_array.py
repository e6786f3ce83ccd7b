"""Memory as arrays: numpy's where it is installed, memoryviews otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Array = NDArray[numpy.float64]
else:
    Array = Any

_numpy: Any
try:
    import numpy as _numpy
except ImportError:
    _numpy = None


def array(memory: Any, *shape: int) -> Array:
    """Doubles in memory, seen in a shape, without copying."""
    if _numpy is not None:
        seen: Array = _numpy.frombuffer(memory, dtype="d").reshape(shape)
        return seen
    view: Any = memoryview(memory)
    if len(shape) > 1 and 0 not in shape:
        view = view.cast("B").cast("d", shape)
    else:
        view = view.cast("d")
    return view  # type: ignore[no-any-return]


def rows(buffer: Any) -> Array:
    """A buffer of rows and columns, without copying."""
    if _numpy is not None:
        seen: Array = _numpy.asarray(buffer)
        return seen
    return memoryview(buffer)  # type: ignore[return-value]


def column(buffer: Any, index: int) -> Array:
    """One of its columns, without copying."""
    if _numpy is not None:
        seen: Array = _numpy.asarray(buffer)[:, index]
        return seen
    view = memoryview(buffer)
    width = view.shape[1] if view.shape else 1
    if view.nbytes == 0:
        return view.cast("B")[0:0].cast("d")  # type: ignore[return-value]
    return view.cast("B").cast("d")[index::width]  # type: ignore[return-value]
