"""What panels are given: people's ratings, and what several classifiers say of the same items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.data.classifiers import hard
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import MISSING
from headcount.equivalence import prepare as survey_prepare
from headcount.equivalence.calibration.outputs import Subject
from headcount.equivalence.inputs.choices import Choices, Kinds
from headcount.equivalence.panels.pool import Pools, gather
from headcount.errors import DataError, count
from headcount.io.load import take_votes
from headcount.results.notes import Notes

__all__ = ["Prepared", "prepare"]

LEAST_ITEMS = 2
"""Items below which none is left outside a fold."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """Ratings, and classifiers ready to be pooled.

    Parameters
    ----------
    labels : Labels
    predictions : Predictions
    survey : headcount.equivalence.prepare.Prepared
        The items that are scored, and their ratings.
    names : tuple of str
        The classifiers.
    pools : Pools
    """

    labels: Labels
    predictions: Predictions
    survey: survey_prepare.Prepared
    names: tuple[str, ...]
    pools: Pools


def prepare(
    labels: Labels, given: Any, kinds: Kinds, choices: Choices, *, seed: int, notes: Notes
) -> Prepared:
    """Read what has to be read, choose the items, and learn what raters say after classifiers."""
    taken = take_votes(given, "predictions")
    predictions = _as_predictions(taken) if isinstance(taken, Labels) else taken
    if len(predictions.classifiers) + len(predictions.scores) < 2:
        raise DataError(
            f"{predictions.source}: one classifier is no panel. Give two or more; what one is "
            "worth tells a survey."
        )
    notes.extend(labels.notes)
    ours, subjects = survey_prepare.choose_items(labels, predictions, kinds, choices, notes=notes)
    if (n := len(ours.items)) < LEAST_ITEMS:
        raise DataError(
            f"{predictions.source}: {count(n, 'item')} with ratings and predictions, too few to "
            "choose a panel on some and score it on others."
        )
    calibrating = survey_prepare.calibration_of(ours, labels, kinds, choices, seed=seed)
    if any(subject.kind != "soft" for subject in subjects):
        calibrating.note_few(notes)

    def table(subject: Subject) -> Any:
        # Weights of the pool make probabilities flatter or steeper as need be.
        return (None, subject.table) if subject.kind == "soft" else calibrating.way(subject)

    return Prepared(
        labels=labels,
        predictions=predictions,
        survey=ours,
        names=tuple(subject.name for subject in subjects),
        pools=gather([table(one) for one in subjects], ours.items, ours.reference, seed),
    )


def _as_predictions(votes: Labels) -> Predictions:
    """Take the labels of classifiers as their predictions."""
    votes.check_raters("a panel")
    codes = np.full((len(votes.raters), len(votes.items)), MISSING)
    codes[votes.rater, votes.item] = votes.label
    return Predictions(
        items=votes.items,
        labels=votes.scale.labels,
        classifiers=tuple(
            hard(str(name), own, len(votes.scale))
            for name, own in zip(votes.raters.tolist(), codes, strict=True)
        ),
        source=votes.source,
        notes=votes.notes,
        sources=votes.sources,
        dropped=votes.dropped,
    )
