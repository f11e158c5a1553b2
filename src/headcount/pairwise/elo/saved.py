"""Elo ratings in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from headcount.errors import DataError
from headcount.io.write import replacing
from headcount.pairwise.elo.prepare import plain

__all__ = ["read_saved", "write_saved"]

Made = TypeVar("Made")
FORMAT = "headcount elo 1"
"""First entry of a saved rating: what the file is."""


def write_saved(
    path: str | Path, ratings: Mapping[Any, float], *, base: float, denominator: float
) -> None:
    """Write ratings as JSON, whole or not at all."""
    saved = {
        "format": FORMAT,
        "base": base,
        "denominator": denominator,
        "ratings": [[plain(item), rating] for item, rating in ratings.items()],
    }
    with replacing(Path(path)) as temporary:
        temporary.write_text(json.dumps(saved), encoding="utf-8")


def read_saved(path: str | Path, make: Callable[..., Made]) -> Made:
    """Read ratings that were written so, and make an object of them, base and denominator."""
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
        if saved["format"] != FORMAT:
            raise ValueError
        pairs: list[tuple[Any, float]] = [(item, rating) for item, rating in saved["ratings"]]
        return make(dict(pairs), base=saved["base"], denominator=saved["denominator"])
    except OSError as error:
        raise DataError(f"cannot read '{path}': {error.strerror}.") from None
    except (ValueError, TypeError, KeyError):
        raise DataError(
            f"{Path(path).name} does not hold Elo ratings that headcount saved. Give a file that "
            "Elo.save wrote."
        ) from None
