"""Options that commands share, each with its help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from headcount.data.labels import Labels

__all__ = [
    "Where",
    "Transpose",
    "ReadingOptions",
    "Question",
    "Missing",
    "MergeBy",
    "FormatName",
    "Encoding",
    "AllLabels",
    "AsJson",
    "Duplicates",
    "Ignore",
    "ItemColumn",
    "LabelColumn",
    "Level",
    "Quiet",
    "RaterColumn",
    "RatingColumns",
    "RatingsFile",
    "Rows",
    "Seed",
    "names_in",
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
Where = Annotated[
    list[str] | None,
    typer.Option(help="Rows to read, as column=value; may be given several times."),
]
Missing = Annotated[
    str | None,
    typer.Option(help="Labels that mean 'no answer', with commas, such as 99,-1; NA does anyway."),
]
MergeBy = Annotated[
    str | None,
    typer.Option(
        help="What does not tell values apart, with commas: case, space, unicode, number."
    ),
]
FormatName = Annotated[
    str | None, typer.Option("--format", help="Format of the file. Default: recognised.")
]
Encoding = Annotated[
    str | None, typer.Option(help="Encoding of the file, such as cp1252. Default: recognised.")
]
Question = Annotated[
    str | None, typer.Option(help="Which of several questions that were asked of each item.")
]
Transpose = Annotated[
    bool | None,
    typer.Option(help="Whether raters are the rows of wide data. Default: by the first column."),
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


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """The options of a command that say how to read a file, as they were given."""

    ignore: Ignore = None
    where: Where = None
    missing: Missing = None
    merge: MergeBy = None
    format: FormatName = None
    encoding: Encoding = None
    question: Question = None

    def keywords(self) -> dict[str, Any]:
        """Return the keywords of readers."""
        return {
            "ignore": names_in(self.ignore),
            "where": self.where or [],
            "missing": names_in(self.missing),
            "merge": names_in(self.merge),
            "format": self.format,
            "encoding": self.encoding,
            "question": self.question,
        }


@dataclass(frozen=True, kw_only=True)
class RatingColumns:
    """The options of a command that say what the columns of ratings are, as they were given."""

    item: ItemColumn = None
    rater: RaterColumn = None
    label: LabelColumn = None
    labels: AllLabels = None
    duplicates: Duplicates = "error"
    transpose: Transpose = None

    def read(self, ratings: Path, reading: ReadingOptions, besides: Sequence[str] = ()) -> Labels:
        """Read the ratings as the options say; `besides` are more columns not to read."""
        from headcount import options
        from headcount.io.ratings import read_ratings

        how = ["error", "first"]
        options.one_of(self.duplicates, "duplicates", how, "way to treat duplicates")
        keywords = reading.keywords()
        keywords["ignore"] = [*keywords["ignore"], *besides]
        return read_ratings(
            ratings,
            item=self.item,
            rater=self.rater,
            label=self.label,
            labels=None if self.labels is None else names_in(self.labels),
            duplicates=self.duplicates,
            transpose=self.transpose,
            **keywords,
        )
