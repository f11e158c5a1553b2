"""Ratings that users name to be reduced where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

from headcount import options
from headcount.data.labels import DUPLICATES, Labels
from headcount.data.predictions import Predictions
from headcount.data.scale import Scale
from headcount.engine.engines.choice import EngineChoice
from headcount.engine.ratings.prepare import rated_of
from headcount.engine.ratings.rated import Rated
from headcount.engine.scans.memory_or_engine import take_scan
from headcount.engine.scans.scan import Scan
from headcount.engine.sources.opening import Given, open_relations
from headcount.engine.sources.relation import Relation
from headcount.errors import OptionError, option
from headcount.io.reading import Reading

__all__ = ["RatingsScan", "scan_ratings", "take_ratings_scan"]

MOST_BINS = 100_000


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingsScan(Scan):
    """Ratings that are to be reduced where they are; see :func:`scan_ratings`.

    Parameters
    ----------
    scale : Scale or None
        All labels, if they were named.
    duplicates : str
    bins : int or None
        Parts into which predictions that are numbers are put.
    **others
        As those of :class:`~headcount.engine.scans.scan.Scan`.
    """

    scale: Scale | None
    duplicates: str
    bins: int | None = None

    unit: ClassVar[str] = "rating"
    counted: ClassVar[str] = "them"

    def open(self, *others: Given) -> tuple[Rated, list[Relation]]:
        """Find columns and labels, and check duplicates; open other data on the same engine."""
        if self.duplicates == "all":
            raise OptionError(
                f"{option('duplicates', 'all')} is for votes of classifiers, and these are ratings."
            )
        first, *rest = open_relations([Given(self.data, self.name), *others], self.choice)
        try:
            return rated_of(first, self), rest
        except BaseException:
            first.engine.close()
            raise

    def without(self, label: str) -> RatingsScan:
        """Take a label for a word that says there is none."""
        missing = (*self.reading.missing, label)
        return replace(self, reading=replace(self.reading, missing=missing))

    def options(self) -> dict[str, Any]:
        """Return what was said of the data, for a step that uses them again."""
        declared = {} if self.scale is None else {"labels": list(self.scale.labels)}
        binned = {} if self.bins is None else {"bins": self.bins}
        repeats = {} if self.duplicates == "error" else {"duplicates": self.duplicates}
        return {**declared, **super().options(), **repeats, **binned}

    def read(self, **options: Any) -> Labels:
        """Read the ratings into memory instead."""
        from headcount.io.ratings.ratings import read_ratings

        return read_ratings(self.data, **self.readers_options(), **options)

    def read_votes(self) -> Labels | Predictions:
        """Read them into memory as votes of classifiers."""
        from headcount.io.predictions.votes import read_votes

        options = self.readers_options()
        return read_votes(self.data, classifier=options.pop("rater"), **options)

    def readers_options(self) -> dict[str, Any]:
        """Return what a reader is told, in its words."""
        labels = None if self.scale is None else self.scale.labels
        return {**super().readers_options(), "labels": labels, "duplicates": self.duplicates}


def scan_ratings(
    data: Any,
    *,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    duplicates: str = "error",
    ignore: Sequence[str] = (),
    where: Sequence[str] = (),
    missing: Sequence[str] = (),
    engine: str | None = None,
    memory: str | int | None = None,
    remote: str | None = None,
    glob: bool = False,
    bins: int | None = None,
    name: str = "ratings",
) -> RatingsScan:
    """Name ratings that are reduced where they are, instead of read into memory.

    What :func:`headcount.read_ratings` does with files that fit, this does with those that do not:
    verbs are given what it returns in place of ratings, and let DuckDB or Spark count. Answers are
    the same.

    Parameters
    ----------
    data : path, relation of DuckDB, or frame or table name of Spark
        Parquet or CSV; long, or wide with a column a rater.
    item, rater, label, labels, ignore, where, missing, name
        As for :func:`headcount.read_ratings`.
    duplicates : {"error", "first", "all"}
        What to do when a rater labels an item twice: refuse, or keep the first, of files that
        DuckDB reads; in Spark and in relations, rows have no order. 'all' is for
        :func:`headcount.blind`.
    engine : {"duckdb", "spark"}, optional
        Default: that of the data; of files, DuckDB.
    memory : str or int, optional
        What DuckDB may use, such as ``"512MB"``; more goes to temporary files. Default: 1 GB.
    remote : str, optional
        Address of a Spark Connect server, such as ``"sc://localhost:15002"``.
    glob : bool
        Whether `data` is a pattern of files, such as ``"labels/*.parquet"``.
    bins : int, optional
        Of predictions that are surveyed with them: numbers with fractions are put into so many
        equal parts of their range, and count as the mean of each. A note says how far that moves
        them. Default: every different prediction counts as it is, while memory holds them.

    Examples
    --------
    >>> from headcount import survey
    >>> survey(scan_ratings("example:ratings"), bootstrap=0).provenance.n_ratings
    1000
    """
    from headcount.io.ratings.scales import declared_scale

    choice = EngineChoice.of(engine=engine, memory=memory, remote=remote, glob=glob)
    scan = RatingsScan(
        data=data,
        given={"item": item, "rater": rater, "label": label},
        reading=Reading.of(ignore=ignore, where=where, missing=missing),
        choice=choice,
        name=name,
        scale=declared_scale(labels),
        duplicates=duplicates,
        bins=None if bins is None else options.whole(bins, "bins", least=2, most=MOST_BINS),
    )
    scan.reading.check_labels(None if scan.scale is None else scan.scale.labels)
    options.one_of(duplicates, "duplicates", DUPLICATES, "way to treat duplicates")
    if duplicates == "retest" and not scan.in_memory:
        raise OptionError(
            f"{option('duplicates', duplicates)} compares ratings one by one, and these are "
            f"reduced where they are. Read them into memory ({option('engine', 'memory')})."
        )
    return scan


def take_ratings_scan(data: Any, name: str = "ratings") -> RatingsScan | None:
    """Take ratings that are to be reduced where they are; None if they are to be read."""
    return take_scan(data, RatingsScan, partial(scan_ratings, name=name))
