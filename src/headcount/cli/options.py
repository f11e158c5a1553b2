"""Options that commands share, each with its help."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from headcount.data.labels import Labels

__all__ = [
    "AllLabels",
    "AsJson",
    "Duplicates",
    "Ignore",
    "ItemColumn",
    "LabelColumn",
    "Level",
    "Quiet",
    "RaterColumn",
    "RatingsFile",
    "Rows",
    "Seed",
    "names_in",
    "read",
]

RatingsFile = Annotated[
    Path,
    typer.Argument(
        help="Ratings: long (item, rater, label) or wide (item, then one column a rater). "
        "CSV, TSV, JSON lines or Parquet, gzipped or not."
    ),
]
Level = Annotated[float, typer.Option(help="Coverage of the intervals.")]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]
ItemColumn = Annotated[str | None, typer.Option(help="Item column of the ratings.")]
RaterColumn = Annotated[str | None, typer.Option(help="Rater column of the ratings.")]
LabelColumn = Annotated[str | None, typer.Option(help="Label column of the ratings.")]
AllLabels = Annotated[
    str | None,
    typer.Option(help="All labels raters could choose, with commas. Default: those used."),
]
Duplicates = Annotated[
    str, typer.Option(help="When a rater labels an item twice: error, or keep the first.")
]
Ignore = Annotated[
    str | None,
    typer.Option(help="Columns not to read, with commas, such as wide ones that are no raters'."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON document instead of the table.")
]
Rows = Annotated[
    Path | None,
    typer.Option("-o", "--output", help="Write the rows to this .csv, .parquet or .jsonl."),
]
Quiet = Annotated[
    bool, typer.Option("-q", "--quiet", help="Print the answer and its warnings, without tables.")
]


def names_in(text: str | None) -> list[str]:
    """Names that an option lists with commas.

    Examples
    --------
    >>> names_in("ann, bob"), names_in(None)
    (['ann', 'bob'], [])
    """
    return [] if text is None else [name.strip() for name in text.split(",")]


def read(
    ratings: Path,
    item: str | None,
    rater: str | None,
    label: str | None,
    labels: str | None,
    duplicates: str,
    ignore: Sequence[str] = (),
) -> Labels:
    """Read the ratings as the options say."""
    from headcount import options
    from headcount.io.ratings import read_ratings

    options.one_of(duplicates, "duplicates", ["error", "first"], "way to treat duplicates")
    return read_ratings(
        ratings,
        item=item,
        rater=rater,
        label=label,
        labels=None if labels is None else names_in(labels),
        duplicates=duplicates,
        ignore=ignore,
    )
