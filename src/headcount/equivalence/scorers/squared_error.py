"""Minus the squared error of numbers."""

from __future__ import annotations

from headcount.equivalence.scorers.base import Kind
from headcount.equivalence.scorers.ordered import OrderedScorer
from headcount.typing import Floats

__all__ = ["SquaredError"]


class SquaredError(OrderedScorer):
    r"""Minus the mean squared error, :math:`-E (m_i - y_i)^2`. At most 0.

    A soft prediction counts as its mean :math:`m_i = \sum_l p_i(l) v_l`, which is the best that
    can be said under squared error; a hard one as the number that it says. On an ordinal scale
    :math:`v_l` is the place of the label.

    The mean of a few raters' labels is not scored: it varies too much to be the best prediction of
    the next label, so that a classifier would look worth more raters than it is.

    Examples
    --------
    >>> import numpy as np
    >>> from headcount.data.scale import Scale
    >>> scorer = SquaredError(Scale(("1", "2", "5")))
    >>> prediction, reference = np.array([[0.5, 0, 0.5]]), np.array([[0, 0.5, 0.5]])
    >>> scorer.score(prediction, reference, np.array([1.0]))  # 3 for 2 or 5
    array(-2.5)
    """

    name, measures = "squared-error", "minus squared error"
    calibrates = True
    unfair = (
        "The mean of few labels varies too much to be the best prediction of the next one, so that "
        "a classifier would look worth more raters than it is."
    )

    def statistics(self, prediction: Floats, reference: Floats, kind: Kind) -> Floats:
        """Take the expected squared error, by E(m - y)^2 = m^2 - 2 m E y + E y^2."""
        value = self.value - self.value.mean()
        m = prediction @ value
        # A hard prediction is one of several numbers by chance; a soft one is their mean.
        square = prediction @ value**2 if kind == "hard" else m**2
        return -(square - 2 * m * (reference @ value) + reference @ value**2)[..., None]
