"""Look at ratings and comparisons that are reduced where they are."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from headcount.engine.ratings.rated import Rated
from headcount.engine.reductions.comparisons import count_comparisons
from headcount.engine.reductions.patterns import patterns_of
from headcount.engine.scans.comparisons import ComparisonsScan
from headcount.engine.scans.ratings import RatingsScan
from headcount.engine.scans.scan import Scan
from headcount.engine.sources.opening import is_path, is_spark
from headcount.errors import count
from headcount.io.look.kinds.compared import Compared
from headcount.io.look.kinds.words import named, shares
from headcount.io.look.records import Seen, Step
from headcount.io.look.result import LookResult
from headcount.io.roles.roles import roles_of
from headcount.results.provenance import Provenance
from headcount.stats.repeated import repeated_quantiles
from headcount.typing import Codes

__all__ = ["look_comparisons", "look_ratings"]


def look_ratings(scan: RatingsScan) -> LookResult:
    """Tell what ratings are that a database holds, and what to do next.

    Parameters
    ----------
    scan : RatingsScan
        What :func:`headcount.scan_ratings` returns.
    """
    rated, _ = scan.open()
    try:
        patterns, items = patterns_of(rated)
        of_raters = None if rated.anonymous else _loads(rated)
    finally:
        rated.engine.close()
    ratings = patterns.sum(axis=1)
    known = ratings > 0
    per_item = _spread(ratings[known], items[known])
    given = _given(scan, rated.source)
    counts: dict[str, Any] = {
        "items": int(items[known].sum()),
        "raters": rated.n_raters,
        "ratings": rated.n_ratings,
        "labels": len(rated.scale),
        "ratings_per_item": per_item,
        "ratings_per_rater": of_raters,
    }
    options = _options(scan)
    seen = Seen(
        name=rated.source,
        given=given,
        kind="ratings",
        said=_sentence(rated, int(items.sum()), per_item),
        source=rated.sources[0] if rated.sources else None,
        shape="long" if rated.long else "wide",
        roles=roles_of(rated.notes),
        options=options,
        counts=counts,
        balance={"raters": shares(rated.scale.labels, items @ patterns)},
        dropped=dict(rated.dropped),
    )
    steps = [
        Step(
            verb=verb, data=given, reader="scan_ratings", reading=options,
            why=why,
        )
        for verb, why in (
            ("agree", "how much the raters agree"),
            ("survey", "how well a few raters predict the next one"),
        )
        if int(items[ratings > 1].sum()) > 1 and len(rated.scale) > 1
    ]  # fmt: skip
    return LookResult(
        seen=(seen,),
        steps=tuple(steps),
        notes=rated.notes,
        provenance=Provenance(
            source=rated.source,
            items_used=counts["items"],
            items_dropped=int(items[~known].sum()),
            n_ratings=rated.n_ratings,
            n_raters=rated.n_raters,
            labels=rated.scale.labels,
            sources=rated.sources,
            dropped=dict(rated.dropped),
            backend=rated.backend,
        ),
    )


def look_comparisons(scan: ComparisonsScan) -> LookResult:
    """Tell what comparisons are that a database holds, and what to do next.

    Parameters
    ----------
    scan : ComparisonsScan
        What :func:`headcount.scan_comparisons` returns.
    """
    counted = count_comparisons(scan, raters=False)
    kind, given, options = Compared(), _given(scan, counted.source), _options(scan)
    counts = kind.counts(counted)
    seen = Seen(
        name=counted.source,
        given=given,
        kind=kind.name,
        said=kind.sentence(counted),
        source=counted.sources[0] if counted.sources else None,
        roles=roles_of(counted.notes),
        options=options,
        counts=counts,
        dropped=dict(counted.dropped),
    )
    step = Step(
        verb="pairs", data=given, reader="scan_comparisons", reading=options,
        why="a rating of every item",
    )  # fmt: skip
    return LookResult(
        seen=(seen,),
        steps=(step,),
        notes=counted.notes,
        provenance=Provenance(
            source=counted.source,
            items_used=counts["items"],
            items_dropped=0,
            n_ratings=counts["comparisons"],
            n_raters=counts["raters"],
            labels=(),
            sources=counted.sources,
            dropped=dict(counted.dropped),
            backend=counted.backend,
        ),
    )


def _given(scan: Scan, source: str) -> str:
    """Name data as the user did."""
    return os.fsdecode(scan.data) if is_path(scan.data) else source


def _options(scan: Scan) -> dict[str, Any]:
    """Return what a step must be told; the size of a file tells by itself where it is reduced."""
    if scan.note or is_spark(scan.data):
        return scan.options()
    return {"engine": "duckdb", **scan.options()}


def _sentence(rated: Rated, items: int, per: dict[str, float]) -> str:
    low, high = f"{per['min']:,}", f"{per['max']:,}"
    each = low if low == high else f"{low} to {high}"
    who = "anonymous raters" if rated.n_raters is None else count(rated.n_raters, "rater")
    full = rated.n_raters is not None and per["min"] == per["max"] == rated.n_raters
    times = "" if full else f" ({each} rating{'' if each == '1' else 's'} per item)"
    labels = named(rated.scale.labels)
    return f"{count(items, 'item')} x {who}{times}, {labels}"


def _loads(rated: Rated) -> dict[str, float]:
    """Tell how many ratings raters gave: the smallest number, the median, the largest."""
    found = rated.engine.rows(
        "SELECT n, count(*) AS raters FROM (SELECT rater, count(*) AS n FROM "
        f"({rated.ratings}) AS r GROUP BY rater) AS counted GROUP BY n",
        what="different numbers of ratings of raters",
    )
    return _spread(found["n"], found["raters"])


def _spread(values: Codes, times: Codes) -> dict[str, float]:
    """Smallest, median and largest of values that stand for several each."""
    middle = repeated_quantiles(
        values.astype(np.float64), np.array([0.5]), times.astype(np.float64)
    )
    return {"min": int(values.min()), "median": float(middle[0]), "max": int(values.max())}
