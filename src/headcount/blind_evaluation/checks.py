"""What is said of every evaluation, whether votes are looked at together or in blocks."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.methods.base import Method
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.scoring.sizes import ENOUGH_ITEMS
from headcount.errors import OptionError, count, option
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["check_min_labels", "tell_few_items", "why_undefined"]


def check_min_labels(labelled: Codes, min_labels: int) -> None:
    """Refuse a number of labels that nobody gave."""
    most = int(labelled.max())
    if min_labels > most:
        raise OptionError(
            f"{option('min_labels', min_labels)} leaves nobody to rank: the most labels of a "
            f"classifier are {most:,}. Ask for fewer."
        )


def tell_few_items(items: int, notes: Notes) -> None:
    """Say that items are too few for scores, where they are."""
    if items < ENOUGH_ITEMS:
        notes.warning(
            f"{count(items, 'item')} are too few: scores may be far off, have no "
            f"intervals and are not printed. Label {ENOUGH_ITEMS} or more."
        )


def why_undefined(method: Method, metrics: Metrics, m: int, name: str, scores: Floats) -> str:
    """Say why a classifier has no score by a metric; `scores` are its by all metrics."""
    positive = metrics.positive
    label = "" if positive is None else f" '{metrics.labels[positive]}'"
    if metrics.kinds[m].of_calls and not np.isnan(scores).all():
        return f"'{name}' never gives{label or ' a label that others give'}"
    if method.informed:
        which = f" that is{label}" if label else ""
        return f"'{name}' labelled no item with gold{which}"
    return f"nobody else labelled the items of '{name}'"
