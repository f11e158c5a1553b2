"""`headcount agree`: how much raters agree, and whether it is more than chance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headcount.cli.options import (
    AllLabels,
    AsJson,
    Duplicates,
    ItemColumn,
    LabelColumn,
    Level,
    RaterColumn,
    RatingsFile,
    Seed,
    read,
)
from headcount.cli.output import check_plot, print_json, print_notes, write_plot

__all__ = ["agree_command"]


def agree_command(
    ratings: RatingsFile,
    scale: Annotated[
        str | None,
        typer.Option(help="nominal, ordinal, interval or ratio. Default: guessed, and told."),
    ] = None,
    limits: Annotated[
        tuple[float, float] | None,
        typer.Option(help="Ends of the scale, for Phi. Default: the labels' own, and told."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="Of Phi: unbiased, or paper (as published).")
    ] = "unbiased",
    gold: Annotated[
        Path | None, typer.Option(help="True values of items (item, value), for Phi.")
    ] = None,
    gold_sd: Annotated[
        float | None, typer.Option(help="How far from them raters may centre, in scale units.")
    ] = None,
    by_rater: Annotated[
        bool, typer.Option("--by-rater", help="Compare each rater with the others.")
    ] = False,
    by_item: Annotated[
        bool, typer.Option("--by-item", help="List items, most contested first.")
    ] = False,
    bootstrap: Annotated[
        int, typer.Option(help="Bootstrap draws of items; 0 for analytic intervals.")
    ] = 500,
    level: Level = 0.95,
    seed: Seed = 0,
    item: ItemColumn = None,
    rater: RaterColumn = None,
    label: LabelColumn = None,
    labels: AllLabels = None,
    duplicates: Duplicates = "error",
    as_json: AsJson = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw coefficients and Phi into this .png, .svg or .pdf."),
    ] = None,
) -> None:
    """Tell how much raters agree, and whether it is more than chance."""
    check_plot(plot)
    from headcount import agree
    from headcount.io.gold import read_gold

    rated = read(ratings, item, rater, label, labels, duplicates)
    result = agree(
        rated,
        scale=scale,
        bootstrap=bootstrap,
        level=level,
        rng=seed,
        by_rater=by_rater,
        by_item=by_item,
        limits=limits,
        method=method,
        gold=None if gold is None else read_gold(gold),
        gold_sd=gold_sd,
    )
    if plot is not None:
        from headcount.agreement.plot import draw

        write_plot(draw(result), plot)
    print_notes(note for note in result.notes if note not in rated.notes)
    if as_json:
        print_json(result.to_dict())
    else:
        typer.echo(result)
        if plot is not None:
            typer.echo(f"plot: {plot}")
