"""Look at data before anything is computed from them, in memory or where they are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.engine.counts import count_comparisons, scan_comparisons
from headcount.engine.ratings import RatingsScan, scan_ratings
from headcount.engine.sources import (
    BYTES_A_RATING,
    ONLY_IN_MEMORY,
    EngineChoice,
    Given,
    Scan,
    about_ratings,
    is_spark,
    open_relations,
    unscanned,
)
from headcount.engine.tables import RatedTable, patterns_of
from headcount.errors import NotReducedError, OptionError, option
from headcount.io.look import COMPARED, look_at
from headcount.io.look_kinds import Compared, Rated, Share, kind_of, rated_in_words, shares
from headcount.io.look_result import LookResult, Seen, Step
from headcount.io.opening import is_path
from headcount.io.reading import LookOptions
from headcount.io.roles import roles_of
from headcount.results.notes import Provenance
from headcount.stats.arrays import repeated_quantiles
from headcount.typing import Codes

__all__ = [
    "look",
]


def look(
    *data: Any,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    duplicates: str | None = None,
    transpose: bool | None = None,
    columns: Sequence[str] = (),
    shape: str | None = None,
    exclude: Sequence[str] = (),
    engine: str | None = None,
    memory: str | int | None = None,
    glob: bool = False,
    **options: Unpack[LookOptions],
) -> LookResult:
    """Show what files contain, what looks wrong in them, and what to do next.

    Each file is recognised as ratings, predictions, comparisons or gold labels: by the tool that
    wrote it, by the names of its columns, or else by its own name. If a file cannot be read, the
    result says why, and with which option it can.

    Parameters
    ----------
    *data : path, frame, dict of columns, rows or array
        One or several files or frames, as readers take them; or one that is counted where it is
        stored: a large file, a scan, a DuckDB relation, a Spark frame or the name of a Spark table.
    item, rater, label, labels, duplicates, transpose, columns, shape, exclude, **options
        As for :func:`headcount.read_ratings`; and `left`, `right`, `outcome`, `first_wins` as for
        :func:`headcount.read_comparisons`: with one of these, data are comparisons. Each reader
        gets the options that it takes.
    engine, memory, glob
        Where data are counted, as for :func:`headcount.scan_ratings`. Default: a single file that
        would need more than `memory` is counted where it is stored; anything else is read.

    Returns
    -------
    LookResult
        What was `seen` in each file, how many items are `shared`, and the next `steps`. `tidy()`
        returns the data in long form.

    Raises
    ------
    DataError
        If there is no table.

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
        "transpose": transpose, "columns": columns, "shape": shape, "exclude": exclude,
        **options,
    }  # fmt: skip
    choice = EngineChoice.of(engine=engine, memory=memory, glob=glob)
    wanted = choice.somewhere or any(isinstance(s, Scan) or is_spark(s) for s in data)
    if wanted and len(data) > 1:
        raise OptionError(
            "data that are reduced where they are can be looked at one at a time, or several files "
            f"by {option('glob')}."
        )
    result = _reduced(data[0], given, choice, wanted=wanted) if len(data) == 1 else None
    return look_at([unscanned(source) for source in data], given) if result is None else result


def _reduced(
    data: Any, given: Mapping[str, Any], choice: EngineChoice, *, wanted: bool
) -> LookResult | None:
    """Look at data where they are: if that was wanted for, or if they are large; else None."""
    if isinstance(data, Scan):
        return None if data.in_memory else _scanned(data)
    number = 0 if wanted or choice.engine is not None else about_ratings(data)
    if not wanted and number * BYTES_A_RATING <= choice.memory:
        return None
    others = [name for name in ONLY_IN_MEMORY if given.get(name) not in (None, (), [])]
    if given["duplicates"] not in (None, "error"):
        others.append("duplicates")
    if others and wanted:
        raise OptionError(
            f"{option(others[0])} is for data that are read into memory, and these are reduced "
            f"where they are. Leave it out, or say {option('engine', 'memory')}."
        )
    if others:
        return None
    try:
        scan = _scan_of(data, given, choice)
        return _scanned(scan if wanted else scan.for_size(number))
    except NotReducedError:
        if wanted:
            raise
        return None


def _scan_of(data: Any, given: Mapping[str, Any], choice: EngineChoice) -> Scan:
    """Tell by the first rows what data are, and name them to be reduced."""
    (relation,) = open_relations([Given(data, "data")], choice)
    try:
        table = relation.first_rows()
    finally:
        relation.engine.close()
    kind = kind_of(table, Path(relation.source).name.split(".")[0])
    shared = ("ignore", "where", "missing", "missing_words")
    how = {**{name: given[name] for name in shared if name in given}, **choice.keywords()}
    compared = {role: given.get(role) for role in sorted(COMPARED)}
    if isinstance(kind, Compared) or any(value is not None for value in compared.values()):
        return scan_comparisons(data, rater=given["rater"], **compared, **how)
    if isinstance(kind, Rated) or given["label"] is not None:
        roles = {role: given[role] for role in ("item", "rater", "label", "labels")}
        return scan_ratings(data, **roles, **how, duplicates=given["duplicates"] or "error")
    raise NotReducedError(
        f"{relation.source} looks like {kind.name}, which is looked at in memory only "
        f"({option('engine', 'memory')}). If it holds ratings, name their column "
        f"({option('label', ...)})."
    )


# Look at ratings and comparisons that are reduced where they are.


def _scanned(scan: Scan) -> LookResult:
    """Tell what data are that a database holds, and what to do next."""
    return _looked_at_ratings(scan) if isinstance(scan, RatingsScan) else _looked_at_answers(scan)


def _looked_at_ratings(scan: RatingsScan) -> LookResult:
    rated, _ = scan.open()
    try:
        patterns, items = patterns_of(rated)
        of_raters = None if rated.anonymous else _loads(rated)
    finally:
        rated.engine.close()
    ratings = patterns.sum(axis=1)
    rated_once = ratings > 0
    per_item = _spread(ratings[rated_once], items[rated_once])
    counts: dict[str, Any] = {
        "items": int(items[rated_once].sum()),
        "raters": rated.n_raters,
        "ratings": rated.n_ratings,
        "labels": len(rated.scale),
        "ratings_per_item": per_item,
        "ratings_per_rater": of_raters,
    }
    verbs = {
        "agree": "how much the raters agree",
        "survey": "how well a few raters predict the next one",
    }
    return _result(
        scan,
        rated,
        kind="ratings",
        said=rated_in_words(int(items.sum()), rated.n_raters, per_item, rated.scale.labels),
        counts=counts,
        ratings=rated.n_ratings,
        verbs=verbs if int(items[ratings > 1].sum()) > 1 and len(rated.scale) > 1 else {},
        shape="long" if rated.long else "wide",
        balance={"raters": shares(rated.scale.labels, items @ patterns)},
        labels=rated.scale.labels,
        dropped=int(items[~rated_once].sum()),
    )


def _looked_at_answers(scan: Any) -> LookResult:
    kind, counted = Compared(), count_comparisons(scan, raters=False)
    counts = kind.counts(counted)
    return _result(
        scan,
        counted,
        kind=kind.name,
        said=kind.sentence(counted),
        counts=counts,
        ratings=counts["comparisons"],
        verbs={"pairs": "a rating of every item"},
    )


def _result(
    scan: Scan,
    about: RatedTable | Comparisons,
    *,
    kind: str,
    said: str,
    counts: dict[str, Any],
    ratings: int,
    verbs: Mapping[str, str],
    shape: str | None = None,
    balance: Mapping[str, tuple[Share, ...]] | None = None,
    labels: tuple[str, ...] = (),
    dropped: int = 0,
) -> LookResult:
    """Make the result of what was found, with the steps that `verbs` name and the reasons."""
    # Name data as the user did; the size of a file tells by itself where it is reduced.
    given = os.fsdecode(scan.data) if is_path(scan.data) else about.source
    by_itself = scan.note or is_spark(scan.data)
    options = scan.options() if by_itself else {"engine": "duckdb", **scan.options()}
    roles = roles_of(about.notes)
    seen = Seen(
        name=about.source,
        given=given,
        kind=kind,
        said=said,
        source=about.sources[0] if about.sources else None,
        shape=shape,
        roles=roles,
        options=options,
        explicit={} if shape == "wide" else {**options, **roles},
        counts=counts,
        balance=dict(balance or {}),
        dropped=dict(about.dropped),
    )
    reader = "scan_ratings" if isinstance(scan, RatingsScan) else "scan_comparisons"
    return LookResult(
        seen=(seen,),
        steps=tuple(
            Step(verb=verb, data=given, reader=reader, reading=options, why=why)
            for verb, why in verbs.items()
        ),
        notes=about.notes,
        provenance=Provenance(
            source=about.source,
            items_used=counts["items"],
            items_dropped=dropped,
            n_ratings=ratings,
            n_raters=counts["raters"],
            labels=labels,
            sources=about.sources,
            dropped=dict(about.dropped),
            backend=about.backend,
        ),
    )


def _loads(rated: RatedTable) -> dict[str, float]:
    """Tell how many ratings raters gave: the smallest number, the median, the largest."""
    loads = rated.engine.rows(
        "SELECT n, count(*) AS raters FROM (SELECT rater, count(*) AS n FROM "
        f"({rated.ratings}) AS r GROUP BY rater) AS counted GROUP BY n",
        what="different numbers of ratings of raters",
    )
    return _spread(loads["n"], loads["raters"])


def _spread(values: Codes, times: Codes) -> dict[str, float]:
    """Smallest, median and largest of values that stand for several each."""
    middle = repeated_quantiles(
        values.astype(np.float64), np.array([0.5]), times.astype(np.float64)
    )
    return {"min": int(values.min()), "median": float(middle[0]), "max": int(values.max())}
