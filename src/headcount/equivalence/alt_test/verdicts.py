"""The verdict on each classifier: a t-test a rater, adjusted for their number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.data.scores import Score
from headcount.equivalence.alt_test.alignments import (
    Alignment,
    OfNumbers,
    at_least_as_close,
    at_least_as_close_as_number,
)
from headcount.equivalence.alt_test.prepare import Prepared
from headcount.equivalence.alt_test.records import SHARE_TO_WIN, AltTestRater
from headcount.equivalence.alt_test.t_test import adjust, p_values, passes_from, sample_of
from headcount.equivalence.scorers.base import most_probable
from headcount.typing import Floats, Ids

__all__ = ["Verdict", "verdict_on"]


@dataclass(frozen=True)
class Verdict:
    """How a classifier fares against each rater, and the epsilon from which it passes."""

    name: str
    raters: tuple[AltTestRater, ...]
    passes_from: float


def verdict_on(
    classifier: Classifier | Score,
    prepared: Prepared,
    raters: Ids,
    alignment: Alignment,
    *,
    epsilon: float,
    q: float,
) -> Verdict:
    """Test a classifier against each rater, with false discovery rate q.

    Parameters
    ----------
    classifier : Classifier or Score
    prepared : Prepared
    raters : array
        Vocabulary of raters.
    alignment : Alignment
    epsilon, q : float
    """
    ratings, tested = prepared.ratings, prepared.tested
    w_f, w_h = _closest(classifier, prepared, alignment)
    rho_f, rho_h = (
        np.bincount(prepared.rater, w, len(ratings))[tested] / ratings[tested] for w in (w_f, w_h)
    )
    sample = sample_of(prepared.rater, w_h - w_f, ratings, tested)
    p = p_values(sample, epsilon)
    adjusted = adjust(p)
    against = [
        AltTestRater(
            rater=rater,
            items=int(ratings[code]),
            rho_f=float(rho_f[j]),
            rho_h=float(rho_h[j]),
            p_value=float(p[j]),
            adjusted_p_value=float(adjusted[j]),
            won=bool(adjusted[j] <= q),
        )
        for j, (code, rater) in enumerate(
            zip(tested.tolist(), raters[tested].tolist(), strict=True)
        )
    ]
    return Verdict(classifier.name, tuple(against), passes_from(sample, q, SHARE_TO_WIN))


def _closest(
    classifier: Classifier | Score, prepared: Prepared, alignment: Alignment
) -> tuple[Floats, Floats]:
    """Compare the classifier with the rater of each rating, by its choice or by its number."""
    ratings = prepared.item, prepared.label, prepared.table
    if isinstance(classifier, Score):
        # Only alignments of numbers are given scores.
        numeric = cast(OfNumbers, alignment)
        return at_least_as_close_as_number(*ratings, classifier.values, numeric)
    choice = np.zeros(prepared.table.shape)
    choice[prepared.kept] = most_probable(classifier.probability[prepared.kept])
    return at_least_as_close(*ratings, choice, alignment)
