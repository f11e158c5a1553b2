"""What a method is given, as data: the object itself, or anything its reader takes."""

from __future__ import annotations

from typing import Any

from headcount.data.comparisons import Comparisons
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions

__all__ = ["take_comparisons", "take_labels", "take_predictions", "take_votes"]


def take_labels(data: Any) -> Labels:
    """Take ratings, or read them from a path, a frame, columns or an array."""
    if isinstance(data, Labels):
        return data
    from headcount.io.ratings import read_ratings

    return read_ratings(data)


def take_predictions(data: Any) -> Predictions:
    """Take predictions, or read them."""
    if isinstance(data, Predictions):
        return data
    from headcount.io.predictions import read_predictions

    return read_predictions(data)


def take_votes(data: Any) -> Labels | Predictions:
    """Take what classifiers said of items, or read it."""
    if isinstance(data, Labels | Predictions):
        return data
    from headcount.io.votes import read_votes

    return read_votes(data)


def take_comparisons(data: Any) -> Comparisons:
    """Take comparisons, or read them."""
    if isinstance(data, Comparisons):
        return data
    from headcount.io.comparisons import read_comparisons

    return read_comparisons(data)
