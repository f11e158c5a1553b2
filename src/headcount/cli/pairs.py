"""`headcount pairs`: ratings of items from 'A or B?' answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headcount.cli.engines import EngineOptions
from headcount.cli.groups import grouped
from headcount.cli.options import (
    AnswerOptions,
    Level,
    ReadingOptions,
    Seed,
    column,
    drawing,
)
from headcount.cli.output import progress_bar, write_plot
from headcount.errors import OptionError, option

if TYPE_CHECKING:
    from headcount.pairwise.result import PairsResult

__all__ = ["pairs_command"]


@grouped
def pairs_command(
    context: typer.Context,
    *,
    comparisons: Annotated[
        Path,
        typer.Argument(
            help="One row per comparison: left, right, outcome (left, right, tie; 1, 0, 0.5; or "
            "the winner), or winner and loser; and perhaps rater and weight. Or rankings: rank1, "
            "rank2, ...; or item1, item2, ..., best and worst. CSV, TSV, JSON lines or Parquet."
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            help="How to rate: bradley-terry (maximum likelihood; rankings: plackett-luce) or elo."
        ),
    ] = "bradley-terry",
    ties: Annotated[
        str,
        typer.Option(
            help="How to treat ties: half (half a win for each item), davidson or rao-kupper."
        ),
    ] = "half",
    position: Annotated[
        bool, typer.Option("--position", help="Fit the advantage of the left side.")
    ] = False,
    prior: Annotated[
        str,
        typer.Option(
            metavar="SD",
            help="Standard deviation of a normal prior of ratings, in logits: keeps all finite. Or "
            "fitted, none, or auto: fitted where many ratings would have no bound.",
        ),
    ] = "auto",
    covariates: Annotated[
        Path | None,
        typer.Option(help="Numbers that describe items (item, then columns); needs --prior."),
    ] = None,
    reliability: Annotated[
        bool,
        typer.Option(
            "--reliability", help="Weight answers by a reliability (slope) fitted for each rater."
        ),
    ] = False,
    errors: Annotated[
        str,
        typer.Option(
            help="Standard errors: robust (by how much answers vary), or hessian (by the model)."
        ),
    ] = "robust",
    cluster: Annotated[
        str,
        typer.Option(
            metavar="COLUMN[,COLUMN]",
            help="Columns whose comparisons are not independent, such as prompt or rater; auto "
            "(raters who answered often) or none.",
        ),
    ] = "auto",
    control: Annotated[
        str | None,
        typer.Option(
            metavar="LEFT:RIGHT[,...]",
            help="Rate as if items did not differ in these columns of numbers, such as "
            "len_a:len_b (style control).",
        ),
    ] = None,
    ranks: Annotated[
        str,
        typer.Option(help="Rank intervals that hold on average over items, or for each item."),
    ] = "average",
    k: Annotated[
        float | None, typer.Option("--k", help="Elo's step, in units of the scale.")
    ] = None,
    epochs: Annotated[
        int | None, typer.Option(help="Elo's passes. Default: until ratings are stable.")
    ] = None,
    order: Annotated[
        str, typer.Option(help="Elo's order: shuffled, or given (one pass by default).")
    ] = "shuffled",
    label: Annotated[
        str,
        typer.Option(
            help="Cut ratings into labels at the average item (sign), at a quantile "
            "(quantile:0.75), or by items that fix it (anchors; needs --anchors)."
        ),
    ] = "sign",
    anchors: Annotated[
        Path | None,
        typer.Option(
            help="Items that fix the cut: item, and label (positive, negative, or boundary)."
        ),
    ] = None,
    min_comparisons: Annotated[
        int,
        typer.Option(
            metavar="N", help="Leave out items with fewer comparisons than this; say how many."
        ),
    ] = 0,
    rater_weights: Annotated[
        Path | None,
        typer.Option(
            help="How much each rater counts (rater, weight), for crowds that should look like a "
            "population."
        ),
    ] = None,
    by_rater: Annotated[
        bool, typer.Option("--by-rater", help="Assess raters, and find those who answer at random.")
    ] = False,
    drop_spammers: Annotated[
        bool,
        typer.Option(
            "--drop-spammers", help="Rate without raters who answer at random; say what changed."
        ),
    ] = False,
    checks: Annotated[
        Path | None,
        typer.Option(help="Pairs with a known answer (left, right, outcome), to judge raters by."),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(help="Bootstrap samples; 0 for normal intervals (Elo: none).")
    ] = 0,
    bootstrap_by: Annotated[
        str, typer.Option(help="What the bootstrap resamples: comparison or rater.")
    ] = "comparison",
    scale: Annotated[
        str, typer.Option(help="Scale of the ratings: logit, or elo (400 points for odds of 10).")
    ] = "logit",
    level: Level = 0.95,
    seed: Seed = 0,
    left: Annotated[str | None, column("the left item")] = None,
    right: Annotated[str | None, column("the right item")] = None,
    outcome: Annotated[str | None, column("the outcome")] = None,
    rater: Annotated[str | None, column("the rater")] = None,
    weight: Annotated[str | None, column("weights")] = None,
    reading: ReadingOptions,
    large: EngineOptions,
    answer: AnswerOptions,
    plot: Annotated[
        Path | None, drawing("Draw ratings with intervals into a .png, .svg or .pdf file.")
    ] = None,
    plot_graph: Annotated[
        Path | None, drawing("Draw which items were compared, and how often each was.")
    ] = None,
    plot_raters: Annotated[
        Path | None, drawing("Draw raters by agreement and slope; needs --by-rater.")
    ] = None,
) -> None:
    """Rate items from 'A or B?' answers, rank and label them, and find spammers."""
    plots = (plot, plot_graph, plot_raters)
    answer.check(plots)
    if plot_raters is not None and not (by_rater or drop_spammers):
        raise OptionError(
            f"{option('plot_raters')} draws judged raters; add {option('by_rater', True)}."
        )
    from headcount.pairwise.bradley_terry.controls import control_columns
    from headcount.pairwise.bradley_terry.standard_errors.clusters import cluster_columns
    from headcount.pairwise.pairs import pairs

    read = large.take_comparisons(
        comparisons,
        {
            "left": left,
            "right": right,
            "outcome": outcome,
            "rater": rater,
            "weight": weight,
            "clusters": cluster_columns(cluster),
            "controls": control_columns(control),
            **reading.keywords(),
        },
    )
    with progress_bar("bootstrap") as progress:
        result = pairs(
            read,
            method=method,
            ties=ties,
            position=position,
            prior=prior,
            covariates=covariates,
            reliability=reliability,
            errors=errors,
            cluster=cluster,
            control=control,
            ranks=ranks,
            k=k,
            epochs=epochs,
            order=order,
            label=label,
            anchors=anchors,
            min_comparisons=min_comparisons,
            rater_weights=rater_weights,
            by_rater=by_rater,
            drop_spammers=drop_spammers,
            checks=checks,
            bootstrap=bootstrap,
            by=bootstrap_by,
            scale=scale,
            level=level,
            rng=seed,
            progress=progress,
        )
    _draw(result, *plots)
    answer.show(result, context, plots)


def _draw(
    result: PairsResult, ratings: Path | None, graph: Path | None, raters: Path | None
) -> None:
    """Write the plots asked for."""
    from headcount.pairwise import plot

    if ratings is not None:
        write_plot(plot.plot_ratings(result).figure, ratings)
    if graph is not None:
        write_plot(plot.plot_graph(result), graph)
    if raters is not None:
        write_plot(plot.plot_raters(result).figure, raters)
