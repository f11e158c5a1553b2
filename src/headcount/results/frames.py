"""Results as the kind of data frame that the caller uses."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from headcount.errors import OptionError, unknown_name

__all__ = ["to_frame"]

BACKENDS = ("polars", "pandas", "pyarrow")


def to_frame(columns: dict[str, list[Any]], backend: str | None) -> Any:
    """Make a frame of the wanted kind, or of the first kind that is installed."""
    if backend is None:
        backend = next((name for name in BACKENDS if find_spec(name)), None)
    if backend is None:
        raise OptionError(
            "no data frame library is installed; install polars, pandas or pyarrow, or use "
            ".to_dict()."
        )
    if backend not in BACKENDS:
        raise unknown_name("backend", backend, BACKENDS)
    import narwhals.stable.v2 as nw

    return nw.from_dict(columns, backend=backend).to_native()
