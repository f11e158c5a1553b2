"""`headcount agree`: how much raters agree, and whether it is more than chance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from headcount.cli.output import check_plot, print_json, print_notes, write_plot

__all__ = ["agree_command"]


def agree_command(
    ratings: Annotated[
        Path,
        typer.Argument(
            help="Ratings: long (item, rater, label) or wide (item, then one column a rater). "
            "CSV, TSV, JSON lines or Parquet, gzipped or not."
        ),
    ],
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
    level: Annotated[float, typer.Option(help="Coverage of the intervals.")] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.")] = 0,
    item: Annotated[str | None, typer.Option(help="Item column of the ratings.")] = None,
    rater: Annotated[str | None, typer.Option(help="Rater column of the ratings.")] = None,
    label: Annotated[str | None, typer.Option(help="Label column of the ratings.")] = None,
    labels: Annotated[
        str | None,
        typer.Option(help="All labels raters could choose, with commas. Default: those used."),
    ] = None,
    duplicates: Annotated[
        str, typer.Option(help="When a rater labels an item twice: error, or keep the first.")
    ] = "error",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document instead of the table.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw coefficients and Phi into this .png, .svg or .pdf."),
    ] = None,
) -> None:
    """Tell how much raters agree, and whether it is more than chance."""
    check_plot(plot)
    from headcount import agree, read_ratings
    from headcount.io.gold import read_gold

    rated = read_ratings(
        ratings,
        item=item,
        rater=rater,
        label=label,
        labels=None if labels is None else [name.strip() for name in labels.split(",")],
        duplicates=duplicates,
    )
    print_notes(rated.notes)
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
