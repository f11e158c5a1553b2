"""`headcount agree`: how much raters agree, and whether it is more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from headcount.cli.engines import EngineOptions, is_scan
from headcount.cli.groups import grouped
from headcount.cli.options import (
    AnswerOptions,
    Level,
    RatingColumns,
    RatingsFile,
    ReadingOptions,
    Seed,
    drawing,
    names_in,
)
from headcount.cli.output import write_plot
from headcount.errors import OptionError, option

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from headcount.agreement.comparing.result import AgreementComparison
    from headcount.agreement.result import AgreementResult
    from headcount.data.labels import Labels

__all__ = ["agree_command"]


@grouped
def agree_command(
    context: typer.Context,
    *,
    ratings: RatingsFile,
    scale: Annotated[
        str | None,
        typer.Option(help="nominal, ordinal, interval or ratio. Default: guessed; a note says so."),
    ] = None,
    sets: Annotated[
        str | None,
        typer.Option(
            metavar="SEPARATOR",
            help="What separates labels where a cell holds several, such as ';'; none if each "
            "holds one. Default: recognised; a note says so.",
        ),
    ] = None,
    distance: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help="How far apart labels are: masi or jaccard for sets, or a file of your own "
            "distances (labels by labels, or label, label, distance).",
        ),
    ] = None,
    limits: Annotated[
        tuple[float, float] | None,
        typer.Option(help="Ends of the scale, for Phi. Default: the labels' own; a note says so."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="Of Phi: unbiased, or paper (as published).")
    ] = "unbiased",
    gold: Annotated[
        str | None,
        typer.Option(
            help="True values of items, for Phi: a file (item, value), or a column of the ratings."
        ),
    ] = None,
    gold_sd: Annotated[
        float | None, typer.Option(help="How far from them raters may centre, in scale units.")
    ] = None,
    raters: Annotated[
        str,
        typer.Option(
            help="For whom intervals hold: sample (for raters like these), or fixed (for these "
            "raters only)."
        ),
    ] = "sample",
    full: Annotated[bool, typer.Option("--all", help="Show all coefficients.")] = False,
    by_rater: Annotated[
        bool, typer.Option("--by-rater", help="Compare each rater with the others.")
    ] = False,
    by_item: Annotated[
        bool, typer.Option("--by-item", help="List items, most contested first.")
    ] = False,
    by_category: Annotated[
        bool, typer.Option("--by-category", help="Agreement on each label against all others.")
    ] = False,
    compare: Annotated[
        Path | None, typer.Option(help="Other ratings to compare agreement with.")
    ] = None,
    by: Annotated[
        str | None, typer.Option(help="A column of the ratings: compare agreement by its values.")
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            help="Raters, with commas: compare how they agree with the others, and the others "
            "with each other."
        ),
    ] = None,
    bootstrap: Annotated[
        int, typer.Option(help="Bootstrap samples of items; 0 for analytic intervals.")
    ] = 500,
    level: Level = 0.95,
    seed: Seed = 0,
    columns: RatingColumns,
    reading: ReadingOptions,
    large: EngineOptions,
    answer: AnswerOptions,
    plot: Annotated[
        Path | None, drawing("Draw coefficients and Phi into this .png, .svg or .pdf.")
    ] = None,
    plot_items: Annotated[
        Path | None, drawing("Draw the fitted Betas of the items over their ratings.")
    ] = None,
    items: Annotated[
        str | None,
        typer.Option(help="Items to draw, with commas. Default: the 8 most contested."),
    ] = None,
    plot_share: Annotated[
        Path | None,
        drawing("Draw percent agreement, alpha and Phi against the share of items used."),
    ] = None,
) -> None:
    """Tell how much raters agree, and whether it is more than chance."""
    if items is not None and plot_items is None:
        raise OptionError("--items chooses what --plot-items draws; give a file to draw into.")
    plots = (plot, plot_items, plot_share)
    answer.check(plots)
    from headcount.agreement.agree import agree
    from headcount.io.facts.gold import gold_of

    if (compare, by, against) != (None, None, None):
        given = {"compare": compare, "by": by, "against": against}
        large.refuse(next(name for name, value in given.items() if value is not None))
        chosen = _Compared(compare, by, against)
        compared = chosen.measure(
            ratings,
            columns,
            reading,
            scale=scale,
            sets=sets,
            distance=distance,
            level=level,
            raters=raters,
        )
        answer.draw(compared, context, plot)
        return
    truth, besides = (None, []) if gold is None else gold_of(gold, ratings, item=columns.item)
    ways = ("error", "first", "retest")
    rated = large.take(ratings, columns, reading, besides, duplicates=ways)
    if is_scan(rated):
        for name, value in (("plot_items", plot_items), ("plot_share", plot_share)):
            if value is not None:
                raise OptionError(
                    f"{option(name)} needs ratings one by one: read them into memory "
                    f"({option('engine', 'memory')})."
                )
    result = agree(
        rated,
        scale=scale,
        sets=sets,
        distance=distance,
        bootstrap=bootstrap,
        level=level,
        rng=seed,
        raters=raters,
        full=full,
        by_rater=by_rater,
        by_item=by_item,
        by_category=by_category,
        limits=limits,
        method=method,
        gold=truth,
        gold_sd=gold_sd,
    )
    # All are drawn before any is written: one that cannot be drawn leaves no files behind.
    figures: list[tuple[Figure, Path]] = []
    if plot is not None:
        from headcount.agreement.plot import draw

        figures.append((draw(result), plot))
    if plot_items is not None:
        figures.append((_items(cast("Labels", rated), result, items), plot_items))
    if plot_share is not None:
        from headcount.agreement.by_share.by_share import agree_by_share

        names = ["percent", "alpha", *(["phi"] if result.phi is not None else [])]
        curve = agree_by_share(
            rated,
            coefficients=names,
            scale=scale,
            sets=sets,
            distance=distance,
            level=level,
            rng=seed,
            limits=limits,
            method=method,
            gold=truth,
            gold_sd=gold_sd,
        )
        figures.append((cast("Figure", curve.plot().figure), plot_share))
    for figure, path in figures:
        write_plot(figure, path)
    answer.show(result, context, plots)


@dataclass(frozen=True)
class _Compared:
    """What agreement is compared with: other ratings, strata by a column, or some raters."""

    compare: Path | None
    by: str | None
    against: str | None

    def measure(
        self, ratings: Path, columns: RatingColumns, reading: ReadingOptions, **options: Any
    ) -> AgreementComparison:
        """Read what it needs, and compare."""
        from headcount.agreement.comparing.compare import compare_agreement
        from headcount.io.facts.strata import read_strata
        from headcount.io.load import named_apart

        rated = columns.read(ratings, reading, [] if self.by is None else [self.by])
        other = None if self.compare is None else columns.read(self.compare, reading)
        if other is not None:
            rated, other = named_apart((ratings, self.compare), (rated, other))
        return compare_agreement(
            rated,
            other,
            by=None if self.by is None else read_strata(ratings, self.by, item=columns.item),
            against=None if self.against is None else names_in(self.against),
            **options,
        )


def _items(rated: Labels, result: AgreementResult, items: str | None) -> Figure:
    """Draw the items asked for, or the most contested ones."""
    from headcount.agreement.agree import agree
    from headcount.agreement.phi.figures import plot_items

    if result.phi is None:
        raise OptionError("--plot-items draws Phi's fit, which needs a scale with an order.")
    if items is not None:
        chosen: list[object] = [*names_in(items)]
    else:
        # Phi is not wanted again, only the order of the items.
        scale = result.provenance.scale
        listed = agree(rated, coefficients="percent", scale=scale, bootstrap=0, by_item=True).items
        chosen = [item.item for item in listed[:8]]
    return plot_items(rated, result.phi, chosen)
