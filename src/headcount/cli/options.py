"""Options that commands share, each with its help."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headcount.cli.help import OUTPUT, READING
from headcount.cli.output import check_plot, check_rows, show, write_plot
from headcount.errors import DataError

if TYPE_CHECKING:
    from headcount.data.labels import Labels
    from headcount.data.predictions import Predictions
    from headcount.results.base import Result

__all__ = [
    "Where",
    "Transpose",
    "ReadingOptions",
    "Question",
    "Sheet",
    "Missing",
    "MergeBy",
    "FormatName",
    "Encoding",
    "AllLabels",
    "AnswerOptions",
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
    "column",
    "drawing",
    "for_ratings",
    "names_in",
]

RatingsFile = Annotated[
    Path,
    typer.Argument(
        help="Ratings: long (item, rater, label) or wide (item, then one column per rater). "
        "CSV, TSV, JSON lines or Parquet, gzipped or not."
    ),
]


def column(of: str) -> Any:
    """Make an option that names a column of the file."""
    return typer.Option(metavar="COLUMN", rich_help_panel=READING, help=f"Column of {of}.")


def drawing(what: str) -> Any:
    """Make an option for the file of a plot."""
    return typer.Option(rich_help_panel=OUTPUT, help=what)


Level = Annotated[float, typer.Option(help="Confidence level of the intervals.")]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]
ItemColumn = Annotated[str | None, column("the item")]
RaterColumn = Annotated[str | None, column("the rater")]
LabelColumn = Annotated[str | None, column("the label")]
AllLabels = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        rich_help_panel=READING,
        help="All labels that raters could choose, separated by commas; one that holds a comma "
        "stands in double quotes. Default: those used.",
    ),
]
Duplicates = Annotated[
    str,
    typer.Option(
        rich_help_panel=READING,
        help="When a rater labels an item twice: error, or keep the first; with agree, retest: "
        "compare the two.",
    ),
]
Ignore = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        rich_help_panel=READING,
        help="Columns not to read, separated by commas, such as those of wide data that are not "
        "raters.",
    ),
]
Where = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUE",
        rich_help_panel=READING,
        help="Read only rows with this value; may be given several times.",
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        rich_help_panel=READING,
        help="Labels that mean 'no answer', separated by commas, such as 99,-1. Blank and NA "
        "always do.",
    ),
]
MergeBy = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        rich_help_panel=READING,
        help="Differences between labels to ignore, separated by commas: case, space, unicode, "
        "punctuation, number, yes-no.",
    ),
]
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format", rich_help_panel=READING, help="Format of the file. Default: recognised."
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=READING,
        help="Encoding of the file, such as cp1252. Default: recognised.",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=READING,
        help="Sheet of an Excel workbook. Default: the one that holds such data.",
    ),
]
Question = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=READING,
        help="Which question to read, if several were asked about each item.",
    ),
]
Transpose = Annotated[
    bool | None,
    typer.Option(
        rich_help_panel=READING,
        help="Whether raters are the rows of wide data. Default: by the first column.",
    ),
]
AsJson = Annotated[
    bool,
    typer.Option(
        "--json", rich_help_panel=OUTPUT, help="Print one JSON document instead of the table."
    ),
]
Rows = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--output",
        rich_help_panel=OUTPUT,
        help="Write the rows to this .csv, .parquet or .jsonl file.",
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "-q",
        "--quiet",
        rich_help_panel=OUTPUT,
        help="Print the answer and its warnings, without tables.",
    ),
]


def names_in(text: str | None) -> list[str]:
    """Names that an option lists with commas; one that holds a comma stands in double quotes.

    Examples
    --------
    >>> names_in("ann, bob"), names_in('"yes, surely",no'), names_in(None)
    (['ann', 'bob'], ['yes, surely', 'no'], [])
    """
    if text is None:
        return []
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [""])]


@dataclass(frozen=True, kw_only=True)
class ReadingOptions:
    """The options of a command that say how to read a file, as they were given."""

    ignore: Ignore = None
    where: Where = None
    missing: Missing = None
    merge: MergeBy = None
    format: FormatName = None
    encoding: Encoding = None
    sheet: Sheet = None
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
            "sheet": self.sheet,
            "question": self.question,
        }


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """The options of a command that say how to give its answer, as they were given."""

    as_json: AsJson = False
    output: Rows = None
    quiet: Quiet = False

    def check(self, plots: Iterable[Path | None] = ()) -> None:
        """Refuse files that could not be written, before any work is done."""
        for path in plots:
            check_plot(path)
        check_rows(self.output)

    def draw(self, result: Result, context: typer.Context, plot: Path | None) -> None:
        """Draw a result if asked to, and show it."""
        if plot is not None:
            write_plot(result.plot().figure, plot)
        self.show(result, context, [plot])

    def show(
        self, result: Result, context: typer.Context, plots: Iterable[Path | None] = ()
    ) -> None:
        """Print the answer, and write its rows; `plots` were drawn."""
        show(
            result,
            context,
            as_json=self.as_json,
            rows=self.output,
            quiet=self.quiet,
            plots=plots,
        )


@dataclass(frozen=True, kw_only=True)
class RatingColumns:
    """The options of a command that say what the columns of ratings are, as they were given."""

    item: ItemColumn = None
    rater: RaterColumn = None
    label: LabelColumn = None
    labels: AllLabels = None
    duplicates: Duplicates = "error"
    transpose: Transpose = None

    def keywords(self, duplicates: Sequence[str] = ("error", "first")) -> dict[str, Any]:
        """Return the keywords of readers of ratings; `duplicates` are the ways to treat them."""
        from headcount import options

        options.one_of(self.duplicates, "duplicates", list(duplicates), "way to treat duplicates")
        return {
            "item": self.item,
            "rater": self.rater,
            "label": self.label,
            "labels": None if self.labels is None else names_in(self.labels),
            "duplicates": self.duplicates,
            "transpose": self.transpose,
        }

    def read(
        self,
        ratings: Path,
        reading: ReadingOptions,
        besides: Sequence[str] = (),
        *,
        duplicates: Sequence[str] = ("error", "first"),
    ) -> Labels:
        """Read the ratings as the options say.

        `besides` are more columns not to read, `duplicates` what the command can do with them.
        """
        from headcount.io.ratings.ratings import read_ratings

        keywords = reading.keywords()
        keywords["ignore"] = [*keywords["ignore"], *besides]
        return read_ratings(ratings, **self.keywords(duplicates), **keywords)


def for_ratings(reading: ReadingOptions, ratings: Path, predictions: Path | None) -> ReadingOptions:
    """Take out columns not to read that predictions have and ratings do not."""
    if predictions is None or predictions == ratings:
        return reading
    theirs = ignored_in(predictions, reading)
    own = ignored_in(ratings, reading) if theirs else []
    kept = [name for name in names_in(reading.ignore) if name in own or name not in theirs]
    if len(kept) == len(names_in(reading.ignore)):
        return reading
    return replace(reading, ignore=",".join(f'"{name}"' for name in kept) or None)


def ignored_in(path: Path, reading: ReadingOptions) -> list[str]:
    """Columns of a file that are not to be read; none where it is no table."""
    names = names_in(reading.ignore)
    if not names:
        return []
    from headcount.io.tables.open_table import open_table

    try:
        table = open_table(path, name=str(path))
    except DataError:  # for its reader to say
        return []
    return [name for name in names if name in table.names]


def read_predictions_for(
    rated: Labels, predictions: Path, ratings: Path, reading: ReadingOptions
) -> Predictions:
    """Read predictions for ratings, of the same question where they hold several."""
    from headcount.io.predictions.predictions import read_predictions

    same = predictions == ratings
    ignore = [] if same else ignored_in(predictions, reading)

    def read(question: str | None) -> Predictions:
        return read_predictions(
            predictions,
            labels=rated.scale.labels,
            ignore=ignore,
            merge=reading.keywords()["merge"],
            missing=reading.keywords()["missing"],
            question=question,
            format=reading.format if same else None,
        )

    try:
        return read(reading.question)
    except DataError:
        if same or reading.question is None:
            raise
        return read(None)  # an export of another tool, which calls it otherwise
