"""`headcount agree`: how much raters agree, and whether it is more than chance."""

from __future__ import annotations

from pathlib import Path

import typer

from headcount.cli.flags import Names, grouped
from headcount.cli.options import (
    AnswerOptions,
    ClusterOptions,
    EngineOptions,
    MoreFiles,
    RatingColumns,
    RatingsFile,
    ReadingOptions,
)

__all__ = ["agree_command"]


@grouped
def agree_command(
    context: typer.Context,
    *,
    ratings: RatingsFile,
    more: MoreFiles = None,
    scale: str | None = None,
    sets: str | None = None,
    distance: str | None = None,
    limits: tuple[float, float] | None = None,
    intervals: str = "sample",
    by_rater: bool = False,
    by_item: bool = False,
    by_category: bool = False,
    compare: Path | None = None,
    by: str | None = None,
    against: Names | None = None,
    clusters: ClusterOptions,
    bootstrap: int | None = None,
    level: float = 0.95,
    seed: int = 0,
    columns: RatingColumns,
    reading: ReadingOptions,
    large: EngineOptions,
    answer: AnswerOptions,
) -> None:
    """Measure agreement between raters, and whether it is more than chance."""
    answer.check()
    from headcount.agreement.agree import agree

    if (compare, by, against) != (None, None, None):
        from headcount.agreement.comparison import compare_agreement
        from headcount.engine.taking import named_apart
        from headcount.io.facts import read_strata

        needs_memory = {"compare": compare, "by": by, "against": against}
        large.refuse(next(name for name, value in needs_memory.items() if value is not None))
        strata = None if by is None else read_strata(ratings, by, item=columns.item)
        unread = [*clusters.besides, *([] if by is None else [by])]
        labels = columns.read(ratings, reading, unread, more=more)
        other = None if compare is None else columns.read(compare, reading, clusters.besides)
        cluster = clusters.take(
            ratings,
            labels,
            columns,
            [*(more or ()), *([] if compare is None else [compare])],
            other,
        )
        if other is not None:
            labels, other = named_apart((ratings, compare), (labels, other))
        compared = compare_agreement(
            labels,
            other,
            by=strata,
            against=against,
            scale=scale,
            sets=sets,
            distance=distance,
            level=level,
            intervals=intervals,
            cluster=cluster,
        )
        answer.draw(compared, context)
        return
    ways = ("error", "first", "retest")
    rated = large.take(ratings, columns, reading, clusters.besides, more=more, duplicates=ways)
    result = agree(
        rated,
        scale=scale,
        sets=sets,
        distance=distance,
        bootstrap=bootstrap,
        level=level,
        seed=seed,
        intervals=intervals,
        cluster=clusters.take(ratings, rated, columns, more),
        details=answer.details,
        by_rater=by_rater,
        by_item=by_item,
        by_category=by_category,
        limits=limits,
    )
    answer.draw(result, context)
