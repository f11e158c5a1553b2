"""Scorers: how well predictions fit what reference raters said, on a weighted table.

A table has one row a prediction: its probability of each label, the distribution of the
reference rater's label, and a weight. Surveys of k raters make such a table (Algorithm 3 of the
paper), and so do the predictions of a classifier (Algorithm 1). A scorer sums statistics of the
rows, weighted, and makes the score from the mean: that is all that a mean, an F1 or a
correlation needs, and bootstrapping it is one matrix product. Higher is always better.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headcount.errors import unknown_name

__all__ = ["AGREEMENT", "BRIER", "CROSS_ENTROPY", "Scorer", "as_scorer"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scorer:
    """A way to score predictions against the labels of reference raters.

    Parameters
    ----------
    name : str
    needs : {"soft", "hard"}
        Whether it scores probabilities or labels. A soft prediction under a hard scorer counts
        as its most probable label, equally shared between labels that tie.
    unit : str
        Unit of the score, for axes.
    statistics : callable
        ``statistics(prediction, reference)`` with arrays (..., rows, labels); returns an array
        (..., rows, statistics).
    finish : callable
        Makes the score of the weighted means (..., statistics) of the statistics.
    """

    name: str
    needs: Literal["soft", "hard"]
    unit: str
    statistics: Callable[[Floats, Floats], Floats]
    finish: Callable[[Floats], Floats]

    def prepare(self, prediction: Floats) -> Floats:
        """Turn probabilities into a choice of label where the scorer needs one."""
        return most_probable(prediction) if self.needs == "hard" else prediction

    def score(self, prediction: Floats, reference: Floats, weight: Floats) -> Floats:
        """Score a weighted table.

        Parameters
        ----------
        prediction, reference : (..., rows, labels) arrays
            Probability of each label, predicted and among reference raters.
        weight : (..., rows) array
            Weights; each leading index is a table of its own.

        Examples
        --------
        >>> prediction, reference = np.array([[0.5, 0.5], [1, 0]]), np.array([[1, 0], [1.0, 0]])
        >>> CROSS_ENTROPY.score(prediction, reference, np.array([1.0, 3.0]))
        array(-0.25)
        """
        statistics = self.statistics(self.prepare(prediction), reference)
        total = weight.sum(axis=-1)
        if statistics.ndim == 2:
            return self.finish(weight @ statistics / np.expand_dims(total, -1))
        return self.finish(np.einsum("...r,...rs->...s", weight, statistics) / total[..., None])


def most_probable(prediction: Floats) -> Floats:
    """Choose the most probable label of each row; labels that tie share the choice.

    Examples
    --------
    >>> most_probable(np.array([[0.2, 0.4, 0.4], [0.1, 0.9, 0.0]]))
    array([[0. , 0.5, 0.5],
           [0. , 1. , 0. ]])
    """
    # A tie is one of probabilities that are equal but for rounding.
    top = prediction >= prediction.max(axis=-1, keepdims=True) - 1e-12
    return top / top.sum(axis=-1, keepdims=True)


def _expected(scores: Floats, reference: Floats) -> Floats:
    """Mean of the score of each label over the reference distribution; 0 times -inf is 0."""
    return np.where(reference > 0, reference * scores, 0.0).sum(axis=-1, keepdims=True)


def _log_score(prediction: Floats, reference: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return _expected(np.log2(prediction), reference)


def _quadratic_score(prediction: Floats, reference: Floats) -> Floats:
    # sum_j (p_j - [j = l])^2 = |p|^2 - 2 p_l + 1
    square = (prediction**2).sum(axis=-1, keepdims=True)
    return _expected(2 * prediction - square - 1, reference)


def _first(means: Floats) -> Floats:
    return means[..., 0]


CROSS_ENTROPY = Scorer("cross-entropy", "soft", "bits", _log_score, _first)
r"""Mean of :math:`\log_2 p_i(y_i)`, in bits: minus the cross-entropy. At most 0."""

AGREEMENT = Scorer("agreement", "hard", "share of labels", _expected, _first)
r"""Share of reference labels that equal the predicted label: mean of :math:`[h(i) = y_i]`."""

BRIER = Scorer("brier", "soft", "minus squared error", _quadratic_score, _first)
r"""Minus the Brier score: mean of :math:`-\sum_l (p_i(l) - [y_i = l])^2`. From -2 to 0."""

SCORERS = {scorer.name: scorer for scorer in (CROSS_ENTROPY, AGREEMENT, BRIER)}


def as_scorer(scorer: str | Scorer) -> Scorer:
    """Find a scorer by name; a scorer is returned as it is."""
    if isinstance(scorer, Scorer):
        return scorer
    if scorer not in SCORERS:
        raise unknown_name("scorer", scorer, list(SCORERS))
    return SCORERS[scorer]
