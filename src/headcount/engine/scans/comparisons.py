"""Comparisons that users name to be counted where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from headcount.data.comparisons import Comparisons
from headcount.engine.engines.choice import EngineChoice
from headcount.engine.scans.memory_or_engine import take_scan
from headcount.engine.scans.scan import Scan
from headcount.io.reading import Reading

__all__ = ["ComparisonsScan", "scan_comparisons", "take_comparisons_scan"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparisonsScan(Scan):
    """Comparisons that are to be counted where they are; see :func:`scan_comparisons`."""

    unit: ClassVar[str] = "answer"
    counted: ClassVar[str] = "equal answers"

    def read(self, **options: Any) -> Comparisons:
        """Read them into memory instead, with `clusters` and `controls`."""
        from headcount.io.comparisons.comparisons import read_comparisons

        return read_comparisons(self.data, **self.readers_options(), **options)


def scan_comparisons(
    data: Any,
    *,
    left: str | None = None,
    right: str | None = None,
    outcome: str | None = None,
    rater: str | None = None,
    weight: str | None = None,
    ignore: Sequence[str] = (),
    where: Sequence[str] = (),
    missing: Sequence[str] = (),
    merge: Sequence[str] = (),
    engine: str | None = None,
    memory: str | int | None = None,
    remote: str | None = None,
    glob: bool = False,
    name: str = "comparisons",
) -> ComparisonsScan:
    """Name comparisons that are counted where they are, instead of read into memory.

    What :func:`headcount.read_comparisons` does with files that fit, this does with those that do
    not: :func:`headcount.pairs` is given what it returns, and lets DuckDB or Spark count equal
    answers. Ratings and intervals are the same.

    Parameters
    ----------
    data : path, relation of DuckDB, or frame or table name of Spark
        Parquet or CSV, a row an answer.
    left, right, outcome, rater, weight, ignore, where, missing, merge, name
        As for :func:`headcount.read_comparisons`.
    engine, memory, remote, glob
        As for :func:`headcount.scan_ratings`.

    Examples
    --------
    >>> from headcount import pairs
    >>> pairs(scan_comparisons("example:battles")).provenance.n_comparisons
    600
    """
    return ComparisonsScan(
        data=data,
        given={"left": left, "right": right, "outcome": outcome, "rater": rater, "weight": weight},
        reading=Reading.of(ignore=ignore, where=where, missing=missing, merge=merge),
        choice=EngineChoice.of(engine=engine, memory=memory, remote=remote, glob=glob),
        name=name,
    )


def take_comparisons_scan(data: Any) -> ComparisonsScan | None:
    """Take comparisons that are to be counted where they are; None if they are to be read."""
    return take_scan(data, ComparisonsScan, scan_comparisons)
