"""What each method is given, as data: in memory, read by its reader, or added up where they are.

Methods ask here for ratings, votes, comparisons, items or facts, and see no engine.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from headcount.data.comparisons import Comparisons
from headcount.data.facts import Facts
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.engine.counts import (
    ComparisonsScan,
    count_comparisons,
    count_ratings,
    open_votes,
    pull_votes,
    scan_comparisons,
)
from headcount.engine.items import AnyRatings, Items, RatedCells, cells_of
from headcount.engine.ratings import RatingsScan, scan_ratings
from headcount.engine.sources import BYTES_A_RATING, Given, Scan, take_scan, unscanned
from headcount.engine.tables import predicted_of, pull_ratings
from headcount.errors import DataError, NotReducedError, OptionError, option
from headcount.results.notes import Note, Source

__all__ = [
    "bring_ratings",
    "bring_votes",
    "bring_comparisons",
    "bring_items",
    "take_labels",
    "take_predictions",
    "take_votes",
    "take_comparisons",
    "take_facts",
    "sources_of",
    "named_apart",
]


T = TypeVar("T")
Value = TypeVar("Value")


def bring_ratings(data: Any, *, raters: bool) -> Labels:
    """Take ratings, read them, or count them where they are if they do not fit into memory.

    `raters` says whether it matters who rated.
    """
    scan = take_scan(data, RatingsScan, scan_ratings)
    if scan is None:
        return take_labels(unscanned(data), reduced=True)

    def reduce() -> Labels:
        rated, _ = scan.open()
        try:
            if rated.n_ratings * BYTES_A_RATING <= scan.choice.memory:
                return pull_ratings(rated)
            return count_ratings(rated, raters=raters)
        finally:
            rated.engine.close()

    return _reduced(scan, reduce, scan.read)


def bring_votes(
    data: Any, *, apart: Collection[str] = (), one_by_one: str = ""
) -> Labels | Predictions:
    """Take votes of classifiers, read them, or bring them from where they are, as codes.

    Where they do not fit, items with the same votes are counted together.

    Parameters
    ----------
    data : object
        What holds votes.
    apart : collection of str
        Items that stay rows of their own, by name, where others are counted.
    one_by_one : str
        What needs votes one by one, to begin a sentence with, if something does.

    Raises
    ------
    DataError
        If they do not fit, and are needed one by one, or do not fit when they are counted.
    """
    scan = take_scan(data, RatingsScan, lambda votes: scan_ratings(votes, name="votes"))
    if scan is None:
        return take_votes(data.read_votes() if isinstance(data, RatingsScan) else data)

    def reduce() -> Labels:
        rated = open_votes(scan)
        try:
            return pull_votes(rated, scan, apart=apart, one_by_one=one_by_one)
        finally:
            rated.engine.close()

    return _reduced(scan, reduce, scan.read_votes)


def bring_comparisons(
    data: Any, *, clusters: Sequence[str] = (), controls: Sequence[str] = (), raters: bool
) -> Comparisons:
    """Take comparisons, read them, or count equal answers where they are.

    `raters` says whether these must be told apart, however many answers then differ.
    """
    scan = take_scan(data, ComparisonsScan, scan_comparisons)
    columns: dict[str, Any] = {"clusters": clusters, "controls": controls}
    if scan is None:
        return take_comparisons(unscanned(data, **columns), reduced=True, **columns)
    return _reduced(
        scan,
        lambda: count_comparisons(scan, raters=raters, **columns),
        lambda: scan.read(**columns),
    )


@contextmanager
def bring_items(
    ratings: Any, predictions: Any, needs: Mapping[str, Any]
) -> Generator[tuple[AnyRatings, Predictions | None]]:
    """Take ratings and predictions, or have them reduced to cells; the engine is closed at the end.

    Parameters
    ----------
    ratings, predictions
        As :func:`headcount.survey` is given them.
    needs : mapping of str to object
        Options for which ratings are needed one by one; None where they were not asked for.
    """
    scan = take_scan(ratings, RatingsScan, scan_ratings)

    def read() -> tuple[Labels, Predictions | None]:
        labels_or_cells = take_labels(unscanned(ratings) if scan is None else scan.read())
        if predictions is None:
            return labels_or_cells, None
        labels = labels_or_cells.scale.labels
        return labels_or_cells, take_predictions(predictions, "predictions", labels=labels)

    if scan is None:
        yield read()
        return
    for name, value in needs.items():
        if value is not None:
            raise OptionError(
                f"{option(name)} needs ratings one by one, and these are reduced where they are. "
                f"Read them into memory ({option('engine', 'memory')})."
            )
    if isinstance(predictions, Labels | Predictions):
        raise DataError(
            "predictions are in memory, and ratings are not. Give the path of a file, or a "
            "relation or frame of the same engine as the ratings."
        )
    labels_or_cells, read_predictions = _reduced(scan, lambda: _cells(scan, predictions), read)
    try:
        yield labels_or_cells, read_predictions
    finally:
        if isinstance(labels_or_cells, RatedCells):
            labels_or_cells.close()


def _cells(scan: RatingsScan, predictions: Any) -> tuple[AnyRatings, Predictions | None]:
    """Have ratings, and predictions if there are any, reduced to cells."""
    rated, opened = scan.open(*([] if predictions is None else [Given(predictions, "predictions")]))
    try:
        items = Items(rated, predicted_of(opened[0], rated.scale.labels) if opened else None)
        cells = cells_of(items, most=items.most(scan.choice.memory))
    except BaseException:
        rated.engine.close()
        raise
    return cells, cells.predictions


def _reduced(scan: Scan, reduce: Callable[[], T], read: Callable[[], T]) -> T:
    """Reduce data where they are; what cannot be is read, unless an engine was asked for."""
    try:
        return reduce()
    except NotReducedError:
        if not scan.note:
            raise
        return read()


# Data that are read whole: the object itself, or anything its reader takes.


def take_labels(data: Any, name: str | None = None, *, reduced: bool = False) -> Labels:
    """Take ratings, or read them from a path, a frame, columns or an array.

    `name` is the option that they are given by, if they are not what the method is about;
    `reduced` says whether the method takes ratings that were added up by label pattern.
    """
    if isinstance(data, Labels):
        if data.reduced and not reduced:
            raise DataError(
                f"{data.source}: these ratings were added up by item, and this needs them one by "
                "one. Read them with read_ratings."
            )
        return data
    from headcount.io.ratings import read_ratings

    with _given_by(name):
        return read_ratings(data, name=name or "ratings")


def take_predictions(
    data: Any, name: str | None = None, *, labels: Sequence[str] = ()
) -> Predictions:
    """Take predictions, or read them; `name` as for :func:`take_labels`.

    `labels` are those of the ratings that they are for, if these are known.
    """
    if isinstance(data, Predictions):
        return data
    from headcount.io.predictions import read_predictions

    with _given_by(name):
        return read_predictions(data, labels=labels, name=name or "predictions")


def take_votes(data: Any, name: str | None = None) -> Labels | Predictions:
    """Take what classifiers said of items, or read it; `name` as for :func:`take_labels`."""
    if isinstance(data, Labels | Predictions):
        return data
    from headcount.io.predictions import read_votes

    with _given_by(name):
        return read_votes(data, name=name or "votes")


def take_comparisons(
    data: Any,
    name: str | None = None,
    *,
    clusters: Sequence[str] = (),
    controls: Sequence[str] = (),
    reduced: bool = False,
) -> Comparisons:
    """Take comparisons, or read them; `name` and `reduced` as for :func:`take_labels`.

    `clusters` are columns to keep, and `controls` pairs of them, where they are read.
    """
    if isinstance(data, Comparisons):
        if data.times is not None and not reduced:
            raise DataError(
                f"{data.source}: these answers were added up, and this needs them one by one. Read "
                "them with read_comparisons."
            )
        return data
    from headcount.io.comparisons import read_comparisons

    with _given_by(name):
        return read_comparisons(
            data, clusters=clusters, controls=controls, name=name or "comparisons"
        )


def take_facts(data: Any, read: Callable[..., Facts[Value]], name: str) -> Facts[Value]:
    """Take what is known about items, raters or classifiers, or read it with `read`.

    `name` is the option that it is given by.
    """
    if isinstance(data, Facts):
        return cast("Facts[Value]", data)
    with _given_by(name):
        return read(data, name=name)


def sources_of(*given: object) -> tuple[Source, ...]:
    """Files behind facts; what else is given has none."""
    facts = [cast("Facts[Any]", one) for one in given if isinstance(one, Facts)]
    return tuple(source for one in facts for source in one.sources)


def named_apart(given: Sequence[Any], labels: Sequence[Labels]) -> list[Labels]:
    """Call ratings of files of the same name by their paths, as they were given."""
    if len({each.source for each in labels}) == len(labels) or len({*map(str, given)}) < len(
        labels
    ):
        return list(labels)
    named: list[Labels] = []
    for path, each in zip(given, labels, strict=True):
        name = str(path) if isinstance(path, str | Path) else each.source
        texts = [note.marked.replace(f"{each.source}:", f"{name}:", 1) for note in each.notes]
        marked = zip(texts, each.notes, strict=True)
        notes = tuple(Note(text, note.severity) for text, note in marked)
        named.append(replace(each, source=name, notes=notes))
    return named


@contextmanager
def _given_by(name: str | None) -> Generator[None]:
    """Make errors of a reader carry the option by which its data were given."""
    try:
        yield
    except (DataError, OptionError) as error:
        if error.option is None:
            error.option = name
        raise
