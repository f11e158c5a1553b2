"""Precision, recall and F1 of one label, or their means over labels."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.scorers.sums import ConfusionScorer
from headcount.typing import Floats

__all__ = ["Precision", "Recall", "F1"]


class Precision(ConfusionScorer):
    r"""Share of predictions of a label that the reference rater gave too: :math:`TP/(TP + FP)`.

    Of the positive label, or else the mean over all labels. 0 where a label is never predicted.
    """

    name = "precision"

    def ratio(self, tp: Floats, said: Floats, true: Floats) -> Floats:
        """Divide by predictions."""
        return _ratio(tp, said)


class Recall(ConfusionScorer):
    r"""Share of a label's reference ratings that were predicted: :math:`TP/(TP + FN)`.

    Of the positive label, or else the mean over all labels. 0 where a label is never given.
    """

    name = "recall"

    def ratio(self, tp: Floats, said: Floats, true: Floats) -> Floats:
        """Divide by reference ratings."""
        return _ratio(tp, true)


class F1(ConfusionScorer):
    r"""Harmonic mean of precision and recall: :math:`2 TP/(2 TP + FP + FN)`.

    Of the positive label, or else the mean over all labels. 0 where a label is neither predicted
    nor given.
    """

    name = "f1"

    def ratio(self, tp: Floats, said: Floats, true: Floats) -> Floats:
        """Divide by predictions and reference ratings."""
        return _ratio(2 * tp, said + true)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return part / np.where(whole > 0, whole, 1.0)
