"""`headcount survey`: the number of raters that a classifier is worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from headcount.cli.flags import grouped
from headcount.cli.options import (
    AnswerOptions,
    ClusterOptions,
    EngineOptions,
    MoreFiles,
    RatingColumns,
    RatingsFile,
    ReadingOptions,
    for_ratings,
    read_predictions_for,
)
from headcount.cli.output import progress_bar
from headcount.errors import OptionError, option

__all__ = ["survey_command"]


@grouped
def survey_command(
    context: typer.Context,
    *,
    ratings: RatingsFile,
    more: MoreFiles = None,
    predictions: Path | None = None,
    combiner: str | None = None,
    scorer: str | None = None,
    scale: str | None = None,
    positive: str | None = None,
    max_k: int | None = None,
    reference: str | None = None,
    experts: str | None = None,
    calibrate: str | None = None,
    ceiling: bool = True,
    intervals: str = "fixed",
    panels: bool = False,
    clusters: ClusterOptions,
    samples: int | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    seed: int = 0,
    columns: RatingColumns,
    reading: ReadingOptions,
    large: EngineOptions,
    answer: AnswerOptions,
) -> None:
    """Estimate how many raters predict the next rater as well as your classifier does."""
    answer.check()
    from headcount.data.labels import Labels
    from headcount.equivalence.survey import survey

    own = for_ratings(reading, ratings, predictions)
    rated = large.take(ratings, columns, own, clusters.besides, more=more)
    cluster = clusters.take(ratings, rated, columns, more)
    predicted = predictions
    if predictions is not None and isinstance(rated, Labels):
        predicted = read_predictions_for(rated, predictions, ratings, reading)
    if panels:
        from headcount import panel_worth

        if cluster is not None:
            raise OptionError(f"{option('panels')} resamples items one by one: leave out clusters.")
        if not isinstance(rated, Labels):
            raise OptionError(
                f"{option('panels')} needs ratings one by one: read them into memory "
                f"({option('engine', 'memory')})."
            )
        if predicted is None:
            raise OptionError(
                f"{option('panels')} needs what classifiers say: give {option('predictions', ...)}."
            )
        with progress_bar("bootstrap") as progress:
            worth = panel_worth(
                rated,
                predicted,
                scorer=scorer,
                scale=scale,
                positive=positive,
                max_k=max_k,
                bootstrap=bootstrap,
                level=level,
                seed=seed,
                progress=progress,
            )
        answer.draw(worth, context)
        return
    expert_raters = None
    if experts is not None:
        from headcount.io.facts import read_experts

        expert_raters = read_experts(experts, ratings, rater=columns.rater)
    with progress_bar("bootstrap") as progress:
        result = survey(
            rated,
            predicted,
            combiner=combiner,
            scorer=scorer,
            scale=scale,
            positive=positive,
            max_k=max_k,
            reference=_reference(reference),
            experts=expert_raters,
            cluster=cluster,
            samples=samples,
            bootstrap=bootstrap,
            level=level,
            calibrate=calibrate,
            ceiling=ceiling,
            intervals=intervals,
            seed=seed,
            progress=progress,
        )
    answer.draw(result, context)


def _reference(reference: str | None) -> Any:
    """Read what to score against: a number of raters, or a file of states."""
    if reference is None or reference.lstrip("-").isdecimal():
        return None if reference is None else int(reference)
    from headcount import read_predictions

    return read_predictions(reference)
