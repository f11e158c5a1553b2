"""Look at data before anything is computed from them, in memory or where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headcount.engine.engines.choice import ONLY_IN_MEMORY, EngineChoice
from headcount.engine.engines.memory import BYTES_A_RATING
from headcount.engine.reductions.look import look_comparisons, look_ratings
from headcount.engine.scans.comparisons import ComparisonsScan, scan_comparisons
from headcount.engine.scans.memory_or_engine import about_ratings, unscanned
from headcount.engine.scans.ratings import RatingsScan, scan_ratings
from headcount.engine.scans.scan import Scan
from headcount.engine.sources.opening import Given, is_spark, open_relations
from headcount.errors import NotReducedError, OptionError, option
from headcount.io.look.kinds.catalogue import kind_of
from headcount.io.look.kinds.compared import Compared
from headcount.io.look.kinds.rated import Rated
from headcount.io.look.look import look_at
from headcount.io.look.result import LookResult

__all__ = ["look"]


def look(
    *data: Any,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    duplicates: str | None = None,
    ignore: Sequence[str] = (),
    where: Sequence[str] = (),
    missing: Sequence[str] = (),
    merge: Sequence[str] = (),
    format: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    question: str | None = None,
    transpose: bool | None = None,
    engine: str | None = None,
    memory: str | int | None = None,
    remote: str | None = None,
    glob: bool = False,
) -> LookResult:
    """Tell what files are, what looks wrong in them, and what to do next.

    Each is told to be ratings, predictions, comparisons, gold labels or groups of classifiers: by
    the tool that wrote it, by the names of its columns, and where these do not tell, by its own.
    What readers refuse is explained, and read in the way that the refusal names, if it names one.

    Parameters
    ----------
    *data : path, frame, dict of columns, rows or array
        One or several, as readers take them; or one that is reduced where it is: a large file, a
        scan, a relation of DuckDB, a frame or the name of a table of Spark.
    item, rater, label, labels, duplicates, ignore, where, missing, merge, format, encoding, \
sheet, question, transpose
        As for :func:`headcount.read_ratings`; each reader is given those that it takes.
    engine, memory, remote, glob
        Where data are reduced, as for :func:`headcount.scan_ratings`. Default: one file that would
        take more than `memory` is counted where it is; all else is read.

    Returns
    -------
    LookResult
        What was `seen` in each, items that they have `shared`, and `steps` to do next. `tidy()` is
        the long form of what was read.

    Raises
    ------
    DataError
        If there is no table to look at.

    Examples
    --------
    >>> seen = look("example:ratings", "example:predictions")
    >>> [(one.name, one.kind) for one in seen.seen]
    [('ratings.csv', 'ratings'), ('predictions.csv', 'predictions')]
    >>> seen.steps[2].python
    "agree('example:ratings')"
    """
    given: dict[str, Any] = {
        "item": item, "rater": rater, "label": label, "labels": labels, "duplicates": duplicates,
        "ignore": ignore, "where": where, "missing": missing, "merge": merge, "format": format,
        "encoding": encoding, "sheet": sheet, "question": question, "transpose": transpose,
    }  # fmt: skip
    choice = EngineChoice.of(engine=engine, memory=memory, remote=remote, glob=glob)
    asked = choice.somewhere or any(isinstance(one, Scan) or is_spark(one) for one in data)
    if asked and len(data) > 1:
        raise OptionError(
            "data that are reduced where they are can be looked at one at a time, or several files "
            f"by {option('glob')}."
        )
    found = _reduced(data[0], given, choice, asked=asked) if len(data) == 1 else None
    return look_at([unscanned(one) for one in data], given) if found is None else found


def _reduced(
    data: Any, given: Mapping[str, Any], choice: EngineChoice, *, asked: bool
) -> LookResult | None:
    """Look at data where they are: if that was asked for, or if they are large; else None."""
    if isinstance(data, Scan):
        return None if data.in_memory else _scanned(data)
    number = 0 if asked or choice.engine is not None else about_ratings(data)
    if not asked and number * BYTES_A_RATING <= choice.memory:
        return None
    others = [name for name in ONLY_IN_MEMORY if given[name] not in (None, (), [])]
    if given["duplicates"] not in (None, "error", "first"):
        others.append("duplicates")
    if others and asked:
        raise OptionError(
            f"{option(others[0])} is for data that are read into memory, and these are reduced "
            f"where they are. Leave it out, or say {option('engine', 'memory')}."
        )
    if others:
        return None
    try:
        scan = _scan_of(data, given, choice)
        return _scanned(scan if asked else scan.for_size(number))
    except NotReducedError:
        if asked:
            raise
        return None


def _scanned(scan: Scan) -> LookResult:
    if isinstance(scan, ComparisonsScan):
        return look_comparisons(scan)
    if isinstance(scan, RatingsScan):
        return look_ratings(scan)
    raise TypeError(type(scan).__name__)


def _scan_of(data: Any, given: Mapping[str, Any], choice: EngineChoice) -> Scan:
    """Tell by the first rows what data are, and name them to be reduced."""
    (relation,) = open_relations([Given(data, "data")], choice)
    try:
        table = relation.first_rows()
    finally:
        relation.engine.close()
    kind = kind_of(table, Path(relation.source).name.split(".")[0])
    how: dict[str, Any] = {
        **{option: given[option] for option in ("ignore", "where", "missing")},
        **choice.keywords(),
    }
    if isinstance(kind, Compared):
        return scan_comparisons(data, rater=given["rater"], **how)
    if isinstance(kind, Rated) or given["label"] is not None:
        roles = {role: given[role] for role in ("item", "rater", "label", "labels")}
        return scan_ratings(data, **roles, **how, duplicates=given["duplicates"] or "error")
    raise NotReducedError(
        f"{relation.source} looks like {kind.name}, which is looked at in memory only "
        f"({option('engine', 'memory')}). If it holds ratings, name their column "
        f"({option('label', ...)})."
    )
