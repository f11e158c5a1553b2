"""What survey is given: data in memory, or data that are reduced where they are."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.engine.reductions.cells import AnyRatings, RatedCells, cells_of, streamed_cells
from headcount.engine.reductions.items import Items
from headcount.engine.reductions.predicted import predicted_of
from headcount.engine.reductions.streamed import streamed_of
from headcount.engine.scans.memory_or_engine import unscanned
from headcount.engine.scans.ratings import RatingsScan, take_ratings_scan
from headcount.engine.sources.opening import Given
from headcount.equivalence.surveys import many_items
from headcount.errors import DataError, NotReducedError, OptionError, option
from headcount.io.load import take_labels, take_predictions

__all__ = ["both_taken"]


@contextmanager
def both_taken(
    labels: Any, predictions: Any, *, whole: bool, needs: Mapping[str, Any]
) -> Generator[tuple[AnyRatings, Predictions | None]]:
    """Take ratings and predictions, or have them reduced to cells, and close the engine at the end.

    Parameters
    ----------
    labels, predictions
        As survey is given them.
    whole : bool
        Whether what is predicted is needed of all items at once, however many they are.
    needs : mapping of str to object
        Options for which ratings are needed one by one; None where they were not asked for.
    """
    given, said = _take_both(labels, predictions, needs, whole=whole)
    try:
        yield given, said
    finally:
        if isinstance(given, RatedCells):
            given.close()


def _take_both(
    labels: Any, predictions: Any, needs: Mapping[str, Any], *, whole: bool
) -> tuple[AnyRatings, Predictions | None]:
    scan = take_ratings_scan(labels)
    if scan is None:
        if isinstance(labels, RatingsScan) and labels.bins is not None:
            raise OptionError(
                f"{option('bins')} is for data that are reduced where they are, and these are read "
                "into memory. Leave it out."
            )
        taken = take_labels(unscanned(labels))
        return taken, _take_predictions(predictions, taken)
    for name, asked in needs.items():
        if asked is not None:
            raise OptionError(
                f"{option(name)} needs ratings one by one, and these are reduced where they are. "
                f"Read them into memory ({option('engine', 'memory')})."
            )
    if isinstance(predictions, Labels | Predictions):
        raise DataError(
            "predictions are in memory, and ratings are not. Give the path of a file, or a "
            "relation or frame of the same engine as the ratings."
        )
    others = [] if predictions is None else [Given(predictions, "predictions")]
    try:
        cells = _reduced(scan, others, whole=whole)
    except NotReducedError:
        if not scan.note:  # that is what was asked for
            raise
        read = scan.read()
        return read, _take_predictions(predictions, read)
    return cells, cells.predictions


def _take_predictions(predictions: Any, labels: AnyRatings) -> Predictions | None:
    if predictions is None:
        return None
    return take_predictions(predictions, "predictions", labels=labels.scale.labels)


def _reduced(scan: RatingsScan, others: list[Given], *, whole: bool) -> RatedCells:
    """Have ratings, and predictions if there are any, reduced to cells, or come in parts."""
    rated, opened = scan.open(*others)
    try:
        predicted = predicted_of(opened[0], scan.bins, rated.scale.labels) if opened else None
        items = Items(rated, predicted)
        most = items.most(scan.choice.memory)
        streamed = None if whole else streamed_of(items, many_items.MANY)
        if streamed is not None:
            return streamed_cells(rated, streamed, most)
        return cells_of(rated, items, rated.notes, most=most)
    except BaseException:
        rated.engine.close()
        raise
