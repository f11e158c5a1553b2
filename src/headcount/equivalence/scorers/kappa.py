"""Weighted kappas of predicted and reference label."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.scorers.ordered import OrderedScorer, nearest_labels
from headcount.equivalence.scorers.sums import choice
from headcount.typing import Floats

__all__ = ["Kappa", "KappaLinear"]


class WeightedKappa(OrderedScorer):
    r"""Agreement beyond chance, in which near misses count in part: :math:`1 - D_o / D_e`.

    :math:`D_o` is the mean distance of predicted and reference label, :math:`D_e` that of the two
    drawn apart from each other (Cohen 1968). 0 where predictions do not vary, as those of no
    rater. A soft prediction counts as its most probable label, a mean as the label nearest to it;
    on an ordinal scale numbers are places of labels.

    No proper score: it punishes predictions that vary less than raters' labels do, as the best
    ones do under any proper score. The mean of raters' labels is its fairest opponent.
    """

    kinds = frozenset[Kind]({"hard", "soft", "mean"})
    by_choice = relative = True
    fairest = "mean"

    @abstractmethod
    def distance(self, difference: Floats) -> Floats:
        """Distance of labels that differ by so much."""

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the joint distribution of chosen and reference label."""
        chosen = choice(prediction, kind)
        if kind == "mean":
            chosen = nearest_labels(prediction, self.value)
        joint = chosen[..., :, None] * reference[..., None, :]
        return joint.reshape(*joint.shape[:-2], len(self.scale) ** 2)

    def finish(self, means: Floats) -> Floats:
        """Compare the mean distance with that of labels drawn apart."""
        size = len(self.scale)
        joint = means.reshape(*means.shape[:-1], size, size)
        distance = self.distance(np.abs(self.value[:, None] - self.value))
        seen = (joint * distance).sum(axis=(-1, -2))
        rows, columns = joint.sum(axis=-1), joint.sum(axis=-2)
        chance = np.einsum("...i,ij,...j->...", rows, distance, columns)
        # Labels that are all the same, of both, leave nothing to agree on.
        flat = chance <= 1e-12 * distance.max()
        return np.where(flat, 0.0, 1 - seen / np.where(flat, 1.0, chance))


class Kappa(WeightedKappa):
    r"""Kappa with quadratic weights, :math:`(v_c - v_l)^2`; 1 is best."""

    name, measures = "kappa", "quadratic kappa"

    def distance(self, difference: Floats) -> Floats:
        """Square it."""
        return difference**2


class KappaLinear(WeightedKappa):
    r"""Kappa with linear weights, :math:`|v_c - v_l|`; 1 is best."""

    name, measures = "kappa-linear", "linear kappa"

    def distance(self, difference: Floats) -> Floats:
        """Take it as it is."""
        return difference
