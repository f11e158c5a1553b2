"""What one classifier predicts: labels, or probabilities of labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from headcount.typing import Codes, Flags, Floats, Ints

__all__ = ["Classifier", "hard", "taken"]


@dataclass(frozen=True, eq=False)
class Classifier:
    """The predictions of one classifier for every item of a :class:`Predictions`.

    Parameters
    ----------
    name : str
    kind : {"hard", "soft"}
        Labels, or probabilities of labels.
    probability : (items, labels) array of float
        Probability of each label; 1 on the label of a hard classifier. A row of NaN: no
        prediction.
    confident : bool
        Whether probabilities were made of a verdict and its confidence.
    calibration : str or None
        How probabilities were learned from what the classifier says; None if they are its own.
    learned_from_few : bool
        Whether items were too few to learn them.
    learning_error : float
        Standard error of the score by what was learned wrongly, where that matters.
    """

    name: str
    kind: Literal["hard", "soft"]
    probability: Floats
    confident: bool = False
    calibration: str | None = None
    learned_from_few: bool = False
    learning_error: float = 0.0

    @property
    def predicted(self) -> Flags:
        """Whether each item has a prediction."""
        return ~np.isnan(self.probability[:, 0])

    def at(self, index: Ints) -> Classifier:
        """Take the predictions at places of items; none where the place is -1."""
        return replace(self, probability=taken(self.probability, index))

    def widened(self, n_labels: int) -> Classifier:
        """Add labels that are never predicted, after those there are."""
        more = np.zeros((len(self.probability), n_labels - self.probability.shape[1]))
        more[~self.predicted] = np.nan
        return replace(self, probability=np.concatenate([self.probability, more], axis=1))

    def said(self, row: int, labels: Sequence[str]) -> str:
        """Write what is predicted of an item: the label, or probabilities, the largest first."""
        shares = self.probability[row]
        if np.isnan(shares[0]):
            return ""
        order: list[int] = np.argsort(-shares, kind="stable").tolist()
        if self.kind == "hard":
            return labels[order[0]]
        return ", ".join(f"{labels[code]} {shares[code]:.2f}" for code in order[:3])


def hard(name: str, codes: Codes, n_labels: int) -> Classifier:
    """Make a hard classifier from label codes; -1 is no prediction."""
    rows = np.vstack([np.eye(n_labels), np.full(n_labels, np.nan)])  # the last is that of -1
    return Classifier(name, "hard", np.take(rows, codes, axis=0, mode="wrap"))


def taken(table: Floats, index: Ints) -> Floats:
    """Take rows of a table; a row of NaN where the place is -1."""
    there = index >= 0
    if there.all():
        same = len(index) == len(table) and bool((np.diff(index) == 1).all())
        return table if same else table[index]
    out = np.full((len(index), *table.shape[1:]), np.nan)
    out[there] = table[index[there]]
    return out
