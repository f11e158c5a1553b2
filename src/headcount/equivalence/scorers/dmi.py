"""Determinant mutual information."""

from __future__ import annotations

import numpy as np

from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.scorers.sums import SumScorer
from headcount.typing import Floats

__all__ = ["DMI"]


class DMI(SumScorer):
    r"""Determinant mutual information, :math:`|\det M|`.

    :math:`M_{cl}` is the joint frequency of prediction and label: the mean of
    :math:`p_i(c) [y_i = l]`, with :math:`p_i(c)` the probability that a soft prediction gives to
    c, or 1 for the label of a hard one (Kong 2020; the paper's Definition 1). So a label scores
    more than the probabilities that follow from it.
    """

    name, unit = "dmi", "|det|"
    same_kind = True

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the joint distribution of prediction and reference label."""
        joint = prediction[..., :, None] * reference[..., None, :]
        return joint.reshape(*joint.shape[:-2], len(self.scale) ** 2)

    def finish(self, means: Floats) -> Floats:
        """Take the determinant."""
        size = len(self.scale)
        return np.abs(np.linalg.det(means.reshape(*means.shape[:-1], size, size)))
