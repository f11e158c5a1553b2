"""`headcount survey`: the number of raters that a classifier is worth."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.engines import EngineOptions
from headcount.cli.groups import grouped
from headcount.cli.help import LARGE
from headcount.cli.options import (
    AnswerOptions,
    Level,
    RatingColumns,
    RatingsFile,
    ReadingOptions,
    Seed,
    drawing,
    for_ratings,
    read_predictions_for,
)
from headcount.cli.output import check_tikz, progress_bar, write_plot, write_text
from headcount.errors import HeadcountError, OptionError, option

if TYPE_CHECKING:
    from headcount.equivalence.result import SurveyResult

__all__ = ["survey_command"]


@grouped
def survey_command(
    context: typer.Context,
    *,
    ratings: RatingsFile,
    predictions: Annotated[
        Path | None,
        typer.Option(
            "-p",
            "--predictions",
            help="Predictions: item, then for each classifier a column of labels, or columns "
            "name:label of probabilities, or a column of scores; or long (item, classifier, "
            "label[, probability]).",
        ),
    ] = None,
    combiner: Annotated[
        str,
        typer.Option(
            help="How k labels become a prediction: states, abc, frequency, plurality or mean."
        ),
    ] = "states",
    scorer: Annotated[
        str,
        typer.Option(
            help="How it is scored: cross-entropy, agreement, brier, precision, recall, f1, auc, "
            "correlation or dmi; for numbers and labels in order squared-error, absolute-error, "
            "rps, spearman, kappa or kappa-linear."
        ),
    ] = "cross-entropy",
    scale: Annotated[
        str | None,
        typer.Option(
            help="What labels are: nominal, ordinal or interval. Default: numbers are numbers."
        ),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(help="The label precision, recall, f1 and auc look at. Default: mean of all."),
    ] = None,
    max_k: Annotated[
        int | None,
        typer.Option(
            help="Largest survey; items need one rating more. Default: the largest that keeps 90% "
            "of the items."
        ),
    ] = None,
    reference_raters: Annotated[
        int, typer.Option(help="Score against the most common label of so many raters.")
    ] = 1,
    states: Annotated[
        Path | None,
        typer.Option(help="True states of the items (columns state:label) to score against."),
    ] = None,
    experts: Annotated[
        str | None,
        typer.Option(
            help="Who is an expert: a file of raters, or a column of the ratings. Experts are then "
            "the reference, and amateurs get a curve of their own."
        ),
    ] = None,
    calibrate: Annotated[
        str | None,
        typer.Option(
            help="Show calibrated classifiers beside raw ones: isotonic, empirical, platt, "
            "ordered-logit, logit or temperature, cross-fitted by item. Default: only labels, "
            "scores and verdicts become probabilities, by what fits them."
        ),
    ] = None,
    add_noise: Annotated[
        float | None,
        typer.Option(help="Replace this share of the ratings by labels drawn at random."),
    ] = None,
    ceiling: Annotated[
        bool, typer.Option(help="Estimate the score of infinitely many raters.")
    ] = True,
    together: Annotated[
        bool,
        typer.Option(
            help="Tell what each classifier is worth together with a rater, and how the answer "
            "moves with the largest survey."
        ),
    ] = True,
    alt_test: Annotated[
        float | None,
        typer.Option(
            help="Run the alternative annotator test with this epsilon (the cost-benefit bonus: "
            ".1 for crowds, .2 for experts)."
        ),
    ] = None,
    alt_test_scorer: Annotated[
        str | None,
        typer.Option(
            help="How the alt-test measures closeness: agreement or rmse. Default: rmse for "
            "numbers, agreement for names."
        ),
    ] = None,
    raters: Annotated[
        str,
        typer.Option(
            help="For whom intervals of the worth hold: fixed (raters drawn as these were), or "
            "sample (wider: other raters like these)."
        ),
    ] = "fixed",
    panels: Annotated[
        bool,
        typer.Option(
            "--panels",
            help="Tell instead what panels of several classifiers are worth in raters: every panel "
            "of up to five, and all.",
        ),
    ] = False,
    method: Annotated[
        str, typer.Option(help="exact counts all surveys, sampled draws some; auto decides.")
    ] = "auto",
    bootstrap: Annotated[
        int, typer.Option(help="Bootstrap samples of items; 0 for no intervals.")
    ] = 500,
    level: Level = 0.95,
    seed: Seed = 0,
    clip: Annotated[
        float | None,
        typer.Option(help="Keep the classifiers' probabilities in [CLIP, 1 - CLIP]."),
    ] = None,
    columns: RatingColumns,
    reading: ReadingOptions,
    large: EngineOptions,
    bins: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            rich_help_panel=LARGE,
            help="Put predictions that are numbers into so many bins, where data are reduced and "
            "have too many different ones. The result says how far that moves them.",
        ),
    ] = None,
    answer: AnswerOptions,
    plot: Annotated[
        Path | None, drawing("Draw the power curve into this .png, .svg or .pdf.")
    ] = None,
    tikz: Annotated[
        Path | None, drawing("Write the power curve for LaTeX (pgfplots) into this .tex file.")
    ] = None,
    plot_reliability: Annotated[
        Path | None, drawing("Draw what raters say where classifiers predict what.")
    ] = None,
    plot_states: Annotated[Path | None, drawing("Draw the distribution of item states.")] = None,
    plot_scorers: Annotated[
        Path | None, drawing("Draw the power curve of every scorer that fits, in a grid.")
    ] = None,
) -> None:
    """Tell how many raters predict the next rater as well as your classifier does."""
    plots = (plot, plot_reliability, plot_states, plot_scorers)
    answer.check(plots)
    check_tikz(tikz)
    from headcount import Labels, read_predictions, survey

    own = for_ratings(reading, ratings, predictions)
    rated = large.take(ratings, columns, own, bins=bins)
    predicted = predictions
    if predictions is not None and isinstance(rated, Labels):
        predicted = read_predictions_for(rated, predictions, ratings, reading)
    if panels:
        from headcount import panel_worth

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
            found = panel_worth(
                rated,
                predicted,
                scorer=scorer,
                scale=scale,
                positive=positive,
                max_k=max_k,
                bootstrap=bootstrap,
                level=level,
                rng=seed,
                progress=progress,
            )
        answer.draw(found, context, plot)
        return
    expert_raters = None
    if experts is not None:
        from headcount.io.facts.experts import read_experts

        expert_raters = read_experts(experts, ratings, rater=columns.rater)
    run = partial(
        survey,
        rated,
        predicted,
        combiner=combiner,
        scale=scale,
        max_k=max_k,
        reference_raters=reference_raters,
        states=None if states is None else read_predictions(states),
        experts=expert_raters,
        method=method,
        bootstrap=bootstrap,
        level=level,
        clip=clip,
        calibrate=calibrate,
        add_noise=add_noise,
        ceiling=ceiling,
        together=together,
        rng=seed,
    )
    with progress_bar("bootstrap") as progress:
        result = run(
            scorer=scorer,
            positive=positive,
            alt_test=alt_test,
            alt_test_scorer=alt_test_scorer,
            raters=raters,
            progress=progress,
        )
    if plot is not None:
        write_plot(result.plot().figure, plot)
    if tikz is not None:
        write_text(result.to_tikz(), tikz)
    if plot_reliability is not None:
        from headcount.equivalence.drawing.figures import plot_reliability as draw_reliability

        write_plot(draw_reliability(result.reliability).figure, plot_reliability)
    if plot_states is not None:
        from headcount.equivalence.drawing.figures import plot_states as draw_states

        write_plot(draw_states(result), plot_states)
    if plot_scorers is not None:
        from headcount.equivalence.drawing.figures import plot_grid
        from headcount.equivalence.scorers.catalogue import SCORERS

        with progress_bar("scorers") as progress:
            grid: list[SurveyResult] = []
            for name in SCORERS:
                # What does not fit the labels, the combiner or the classifiers is left out.
                with suppress(HeadcountError):
                    grid.append(run(scorer=name, progress=progress))
        write_plot(plot_grid(grid), plot_scorers)
    answer.show(result, context, (*plots, tikz))
