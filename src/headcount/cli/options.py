"""Groups of flags that commands share; what each flag is for stands in headcount/options.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

import typer

from headcount.cli.flags import NO_NAMES, Names
from headcount.cli.output import check_plot, check_rows, show, write_plot
from headcount.errors import DataError, OptionError, option

if TYPE_CHECKING:
    from headcount.data.comparisons import Comparisons
    from headcount.data.facts import Clusters
    from headcount.data.labels import Labels
    from headcount.data.predictions import Predictions
    from headcount.engine.ratings import RatingsScan
    from headcount.engine.sources import EngineChoice
    from headcount.results.result import Result

__all__ = [
    "MoreFiles",
    "RatingsFile",
    "ComparisonColumns",
    "VoteColumns",
    "VotesFile",
    "ReadingOptions",
    "AnswerOptions",
    "RatingColumns",
    "ClusterOptions",
    "for_ratings",
    "EngineOptions",
    "is_scan",
]


RatingsFile = Annotated[
    Path,
    typer.Argument(
        help="Ratings: long (item, rater, label) or wide (item, then one column per rater). "
        "CSV, TSV, JSON, Excel, Parquet or the export of a labelling tool."
    ),
]

MoreFiles = Annotated[
    list[Path] | None,
    typer.Argument(help="More files of ratings: one per rater, or rows to put below the first."),
]


class GivenOptions:
    """Options that commands share, as they were given."""

    def keywords(self) -> dict[str, Any]:
        """Return what was given, by the names that functions have for it too."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(GivenOptions):
    """The options of a command that say how to read a file, as they were given."""

    ignore: Names = NO_NAMES
    where: list[str] | None = None
    missing: Names = NO_NAMES
    missing_words: bool = True
    merge: Names = NO_NAMES
    format: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    question: str | None = None


@dataclass(frozen=True, kw_only=True)
class AnswerOptions:
    """The options of a command that say how to give its answer, as they were given."""

    as_json: bool = False
    output: Path | None = None
    details: bool = False
    quiet: bool = False
    plot: Path | None = None

    def check(self, plots: Iterable[Path | None] = (), pages: Sequence[str] = ()) -> None:
        """Refuse files that could not be written, before any work is done; `plots` are others.

        `pages` are endings that the command takes besides those of rows.
        """
        for path in (self.plot, *plots):
            check_plot(path)
        check_rows(self.output, pages)

    def draw(self, result: Result, context: typer.Context) -> None:
        """Draw a result if asked to, and show it."""
        if self.plot is not None:
            write_plot(result.plot().figure, self.plot)
        self.show(result, context)

    def show(
        self,
        result: Result,
        context: typer.Context,
        plots: Iterable[Path | None] = (),
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Print the answer, and write its rows; the plot and `plots` were drawn.

        `more` is what only the command knows, for the document.
        """
        show(
            result,
            context,
            as_json=self.as_json,
            rows=self.output,
            details=self.details,
            quiet=self.quiet,
            plots=(self.plot, *plots),
            more=more,
        )


@dataclass(frozen=True, kw_only=True)
class RatingColumns(GivenOptions):
    """The options of a command that say what the columns of ratings are, as they were given."""

    item: str | None = None
    rater: str | None = None
    label: str | None = None
    labels: Names | None = None
    duplicates: str = "error"
    transpose: bool | None = None
    columns: Names = NO_NAMES
    shape: str | None = None
    exclude: Names = NO_NAMES

    def keywords(self, duplicates: Sequence[str] = ("error", "first")) -> dict[str, Any]:
        """Return the keywords of readers of ratings; `duplicates` are the ways to treat them."""
        from headcount import options

        options.one_of(self.duplicates, "duplicates", list(duplicates), "way to treat duplicates")
        return super().keywords()

    def read(
        self,
        ratings: Path,
        reading: ReadingOptions,
        besides: Sequence[str] = (),
        *,
        more: Sequence[Path] | None = None,
        duplicates: Sequence[str] = ("error", "first"),
    ) -> Labels:
        """Read the ratings as the options say.

        `besides` are more columns not to read, `more` other files, and `duplicates` what the
        command can do with them.
        """
        from headcount.io.ratings import read_ratings

        keywords = self.keywords(duplicates) | reading.keywords()
        keywords["ignore"] = [*reading.ignore, *besides]
        return read_ratings([ratings, *more] if more else ratings, **keywords)


@dataclass(frozen=True, kw_only=True)
class ClusterOptions:
    """The options of a command that say which items are not independent, as they were given."""

    cluster: str | None = None
    cluster_pattern: str | None = None

    @property
    def besides(self) -> list[str]:
        """Columns that are not to be read as ratings."""
        return [] if self.cluster is None else [self.cluster]

    def take(
        self,
        ratings: Path,
        labels: object,
        columns: RatingColumns,
        more: Sequence[Path] | None = None,
        other: Labels | None = None,
    ) -> Clusters | None:
        """Find the cluster of each item of the ratings that were read, and of others besides."""
        import re

        from headcount.data.labels import Labels
        from headcount.io.facts import take_clusters

        if self.cluster is None and self.cluster_pattern is None:
            return None
        if self.cluster is not None and self.cluster_pattern is not None:
            raise OptionError(f"give {option('cluster')} or {option('cluster_pattern')}, not both.")
        if not isinstance(labels, Labels):
            name = "cluster" if self.cluster_pattern is None else "cluster_pattern"
            raise OptionError(
                f"{option(name)} needs ratings one by one: read them into memory "
                f"({option('engine', 'memory')})."
            )
        every = [labels] if other is None else [labels, other]
        if self.cluster_pattern is None:
            files = [ratings, *(more or ())]
            return take_clusters(self.cluster, files, *every, item=columns.item)
        try:
            pattern = re.compile(self.cluster_pattern)
        except re.error as error:
            raise OptionError(
                f"{option('cluster_pattern', self.cluster_pattern)} is not a regular expression: "
                f"{error}."
            ) from None
        return take_clusters(pattern, None, *every)


VotesFile = Annotated[
    Path,
    typer.Argument(
        help="What classifiers or workers said: long (item, classifier or worker, label), or wide "
        "(item, then one column of labels per classifier, or columns name:label of probabilities)."
    ),
]


@dataclass(frozen=True, kw_only=True)
class VoteColumns(GivenOptions):
    """The options of a command that say what the columns of votes are, as they were given."""

    item: str | None = None
    classifier: str | None = None
    label: str | None = None
    labels: Names | None = None
    duplicates: str = "error"

    def readers(self, reading: ReadingOptions, abstain: str | None = None) -> dict[str, Any]:
        """Return the keywords of readers of votes; `abstain` is a label that is none."""
        keywords = self.keywords() | reading.keywords()
        if abstain is not None:
            keywords["missing"] = [*reading.missing, abstain]
        return keywords

    def read(
        self, votes: Path, reading: ReadingOptions, abstain: str | None = None
    ) -> Labels | Predictions:
        """Read the votes as the options say."""
        from headcount.io.predictions import read_votes

        return read_votes(votes, **self.readers(reading, abstain))


@dataclass(frozen=True, kw_only=True)
class ComparisonColumns(GivenOptions):
    """The options of a command that say what the columns of comparisons are, as given."""

    left: str | None = None
    right: str | None = None
    outcome: str | None = None
    first_wins: str | None = None
    rater: str | None = None
    columns: Names = NO_NAMES

    def read(self, comparisons: Path, reading: ReadingOptions) -> Comparisons:
        """Read the comparisons as the options say."""
        from headcount.io.comparisons import read_comparisons

        return read_comparisons(comparisons, **self.keywords(), **reading.keywords())


def for_ratings(reading: ReadingOptions, ratings: Path, predictions: Path | None) -> ReadingOptions:
    """Take out columns not to read that predictions have and ratings do not."""
    if predictions is None or predictions == ratings:
        return reading
    theirs = ignored_in(predictions, reading)
    own = ignored_in(ratings, reading) if theirs else []
    kept = Names(name for name in reading.ignore if name in own or name not in theirs)
    return replace(reading, ignore=kept)


def ignored_in(path: Path, reading: ReadingOptions) -> list[str]:
    """Columns of a file that are not to be read; none where it is no table."""
    if not reading.ignore:
        return []
    from headcount.io.opening import open_table

    try:
        table = open_table(path, name=str(path))
    except DataError:  # for its reader to say
        return []
    return [name for name in reading.ignore if name in table.names]


def read_predictions_for(
    rated: Labels, predictions: Path, ratings: Path, reading: ReadingOptions
) -> Predictions:
    """Read predictions for ratings, of the same question where they hold several."""
    from headcount.io.predictions import read_predictions

    same = predictions == ratings
    ignore = [] if same else ignored_in(predictions, reading)

    def read(question: str | None) -> Predictions:
        return read_predictions(
            predictions,
            labels=rated.scale.labels,
            ignore=ignore,
            merge=reading.merge,
            missing=reading.missing,
            missing_words=reading.missing_words,
            question=question,
            format=reading.format if same else None,
        )

    try:
        return read(reading.question)
    except DataError:
        if same or reading.question is None:
            raise
        return read(None)  # an export of another tool, which calls it otherwise


# Options of commands that reduce large data where they are.


@dataclass(frozen=True, kw_only=True)
class EngineOptions(GivenOptions):
    """The options of a command that say where data are reduced, as they were given."""

    engine: str | None = None
    memory: str | None = None
    glob: bool = False

    def choice(self) -> EngineChoice:
        """Check the options."""
        from headcount.engine.sources import EngineChoice

        return EngineChoice.of(**self.keywords())

    def take(
        self,
        ratings: Path,
        columns: RatingColumns,
        reading: ReadingOptions,
        besides: Sequence[str] = (),
        *,
        more: Sequence[Path] | None = None,
        duplicates: Sequence[str] = ("error", "first"),
    ) -> Labels | RatingsScan:
        """Read ratings, or name them to be reduced where they are: as asked, or by their size.

        `besides`, `more` and `duplicates` as for :meth:`RatingColumns.read`.
        """
        from headcount.engine.ratings import scan_ratings

        if more and self.glob:
            raise OptionError(
                f"{option('glob')} takes one pattern, and there are {1 + len(more)} files. Put it "
                "in quotes, so that the shell does not replace it."
            )
        if more:
            return columns.read(ratings, reading, besides, more=more, duplicates=duplicates)

        keywords = columns.keywords(duplicates) | reading.keywords()
        keywords["ignore"] = [*reading.ignore, *besides]
        repeats = columns.duplicates != "error"
        read = partial(columns.read, ratings, reading, besides, duplicates=duplicates)
        there = ("columns", "shape", "exclude")
        return self._take(ratings, keywords, scan_ratings, read, there=there, memory=repeats)

    def take_votes(self, votes: Path, keywords: dict[str, Any]) -> Any:
        """Read votes, or name them to be reduced where they are; `keywords` are a reader's."""
        from headcount.engine.ratings import scan_ratings
        from headcount.io.predictions import read_votes

        def scan(data: Any, *, classifier: str | None = None, **kept: Any) -> RatingsScan:
            return scan_ratings(data, rater=classifier, **kept, name="votes")

        return self._take(votes, keywords, scan, partial(read_votes, votes, **keywords))

    def take_comparisons(self, comparisons: Path, keywords: dict[str, Any]) -> Any:
        """Read comparisons, or name them to be counted where they are."""
        from headcount.engine.counts import scan_comparisons
        from headcount.io.comparisons import read_comparisons

        # The verb asks for clusters and controls itself.
        kept = {k: v for k, v in keywords.items() if k not in ("clusters", "controls")}
        read = partial(read_comparisons, comparisons, **keywords)
        return self._take(comparisons, kept, scan_comparisons, read, there=("merge",))

    def refuse(self, name: str) -> None:
        """Refuse to reduce data for an option that needs them one by one."""
        from headcount.engine.sources import MEMORY

        if self.choice().somewhere:
            raise OptionError(
                f"{option(name)} needs data one by one: read them into memory "
                f"({option('engine', MEMORY)})."
            )

    def _take(
        self,
        path: Path,
        keywords: Mapping[str, Any],
        scan: Callable[..., Any],
        read: Callable[[], Any],
        *,
        there: Sequence[str] = (),
        memory: bool = False,
    ) -> Any:
        """Read data, or name them to be reduced where they are.

        A scan is given `keywords` but for those that engines do not have, unless they are in
        `there`; with `memory`, data are read unless somebody asks for an engine.
        """
        from headcount.engine.sources import BYTES_A_RATING, MEMORY, ONLY_IN_MEMORY, about_ratings

        choice, kept = self.choice(), dict(keywords)
        names = [name for name in ONLY_IN_MEMORY if name in kept and name not in there]
        others = [name for name in names if kept.pop(name) not in ((), [])]
        number, engine = 0, choice.engine
        if engine is None and not choice.glob:
            number = about_ratings(path)
            fits = number * BYTES_A_RATING <= choice.memory
            engine = MEMORY if fits or others or memory else None
        if engine == MEMORY:
            return read()
        if others:
            raise OptionError(
                f"{option(others[0])} is for data that are read into memory, and these are reduced "
                f"where they are. Leave it out, or say {option('engine', MEMORY)}."
            )
        data = path if choice.engine != "spark" else str(path)
        scanned = scan(data, **kept, **choice.keywords())
        return scanned.for_size(number) if number else scanned


def is_scan(data: object) -> TypeGuard[RatingsScan]:
    """Whether ratings or votes are to be reduced where they are."""
    from headcount.engine.ratings import RatingsScan

    return isinstance(data, RatingsScan)
