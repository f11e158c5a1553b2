"""Comparisons that stay where they are: which columns, which rows count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from headcount.data.comparisons import Comparisons
from headcount.engine.asked import EngineChoice
from headcount.engine.memory import BYTES_A_RATING, DEFAULT_MEMORY
from headcount.engine.opening import is_spark
from headcount.engine.take import about_rows
from headcount.errors import count, option
from headcount.io.reading import Reading

__all__ = ["ComparisonsScan", "large", "scan_comparisons", "take_comparisons_scan"]


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparisonsScan:
    """Comparisons that are to be counted where they are; see :func:`scan_comparisons`.

    Parameters
    ----------
    data : path, relation or frame
    given : mapping of str to str or None
        Columns that the user named, by role.
    reading : Reading
    options : mapping of str to object
        What says how to read them, as it was given.
    choice : EngineChoice
    name : str
    note : str
        Why they are counted, if nobody asked for it.
    """

    data: Any
    given: Mapping[str, str | None]
    reading: Reading
    options: Mapping[str, Any]
    choice: EngineChoice
    name: str = "comparisons"
    note: str = ""

    def read(self, *, clusters: Sequence[str] = (), controls: Sequence[str] = ()) -> Comparisons:
        """Read them into memory."""
        from headcount.io.comparisons.comparisons import read_comparisons

        return read_comparisons(
            self.data,
            **self.given,
            **self.options,
            clusters=clusters,
            controls=controls,
            name=self.name,
        )


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
    >>> pairs(scan_comparisons("example:battles")).provenance.n_comparisons > 1000
    True
    """
    options: dict[str, Any] = {"ignore": ignore, "where": where, "missing": missing, "merge": merge}
    return ComparisonsScan(
        data=data,
        given={"left": left, "right": right, "outcome": outcome, "rater": rater, "weight": weight},
        reading=Reading.of(**options),
        options=options,
        choice=EngineChoice.of(engine=engine, memory=memory, remote=remote, glob=glob),
        name=name,
    )


def take_comparisons_scan(data: Any) -> ComparisonsScan | None:
    """Take comparisons that are to be counted where they are; None if they are to be read.

    As :func:`headcount.engine.take.take_scan` does with ratings.
    """
    if isinstance(data, ComparisonsScan):
        return data
    if is_spark(data):
        return scan_comparisons(data)
    rows = about_rows(data)
    if rows * BYTES_A_RATING <= DEFAULT_MEMORY:
        return None
    return large(scan_comparisons(data), rows)


def large(scan: ComparisonsScan, rows: int) -> ComparisonsScan:
    """Say why comparisons are counted where they are, though nobody asked for it."""
    note = (
        f"about {count(rows, 'row')} are too many for {scan.choice.memory / 1e9:g} GB of memory: "
        f"DuckDB counted equal answers where they are ({option('memory')}, {option('engine')})."
    )
    return replace(scan, note=note)
