"""`headcount pairs`: ratings of items from 'A or B?' answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from headcount.cli.flags import grouped
from headcount.cli.options import (
    AnswerOptions,
    ComparisonColumns,
    EngineOptions,
    ReadingOptions,
)
from headcount.cli.output import progress_bar, write_plot
from headcount.errors import OptionError, option

__all__ = ["pairs_command"]


@dataclass(frozen=True, kw_only=True)
class WeightedColumns(ComparisonColumns):
    """The options of the command that say what the columns of comparisons are, as given."""

    weight: str | None = None


@grouped
def pairs_command(
    context: typer.Context,
    *,
    comparisons: Annotated[
        list[Path],
        typer.Argument(
            help="One row per comparison: left, right, outcome (left, right, tie; 1, 0, 0.5; or "
            "the winner), or winner and loser; optionally rater and weight. Or rankings: rank1, "
            "rank2, ...; or item1, item2, ..., best and worst. CSV, TSV, JSON, Excel or "
            "Parquet; several files are read as one."
        ),
    ],
    method: str = "bradley-terry",
    ties: str = "half",
    position: bool = False,
    prior: str = "auto",
    cluster: str = "auto",
    control: str | None = None,
    ranks: str = "average",
    label: str = "sign",
    by_rater: bool = False,
    drop_spammers: bool = False,
    bootstrap: int = 0,
    units: str = "logit",
    fix: str | None = None,
    by: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    columns: WeightedColumns,
    reading: ReadingOptions,
    large: EngineOptions,
    answer: AnswerOptions,
    plot_graph: Path | None = None,
    plot_raters: Path | None = None,
) -> None:
    """Rate items from 'A or B?' answers, rank and label them, and find spammers."""
    answer.check((plot_graph, plot_raters))
    judges = by_rater or drop_spammers
    if plot_raters is not None and not judges:
        raise OptionError(
            f"{option('plot_raters')} draws judged raters; add {option('by_rater', True)}."
        )
    from headcount.pairwise.fit import control_columns
    from headcount.pairwise.pairs import pairs
    from headcount.pairwise.sandwich import cluster_columns

    roles = {
        **columns.keywords(),
        **reading.keywords(),
        "clusters": (*cluster_columns(cluster), *([] if by is None else [by])),
        "controls": control_columns(control),
    }
    read = [large.take_comparisons(file, roles) for file in comparisons]
    with progress_bar("bootstrap") as progress:
        result = pairs(
            read[0] if len(read) == 1 else read,
            method=method,
            ties=ties,
            position=position,
            prior=prior,
            cluster=cluster,
            control=control,
            ranks=ranks,
            label=label,
            by_rater="drop" if drop_spammers else by_rater,
            bootstrap=bootstrap,
            units=units,
            fix=fix,
            by=by,
            level=level,
            seed=seed,
            progress=progress,
        )
    if answer.plot is not None:
        write_plot(result.plot().figure, answer.plot)
    if plot_graph is not None or plot_raters is not None:
        from headcount.pairwise import plot

        if plot_graph is not None:
            write_plot(plot.plot_graph(result), plot_graph)
        if plot_raters is not None:
            write_plot(plot.plot_raters(result).figure, plot_raters)
    answer.show(result, context, (plot_graph, plot_raters))
