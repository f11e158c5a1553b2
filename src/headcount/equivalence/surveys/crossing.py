"""Algorithm 4: the number of raters at which the power curve reaches a score."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from headcount.errors import OptionError, option
from headcount.typing import Floats

__all__ = ["crossings", "survey_equivalence"]

ROUNDING = 1e-12
"""Relative difference of scores that is taken for rounding."""


def survey_equivalence(curve: ArrayLike, score: ArrayLike) -> Floats:
    r"""Find the leftmost point at which a power curve reaches a score.

    With :math:`k` the smallest number of raters for which :math:`c_k \ge h`,

    .. math:: k - 1 + \frac{h - c_{k-1}}{c_k - c_{k-1}}

    is the fractional survey equivalence: ask :math:`k` raters about that fraction of the items
    and :math:`k - 1` about the others. On a curve that is not monotone, the leftmost crossing
    counts.

    Parameters
    ----------
    curve : (..., max_k + 1) array
        Scores :math:`c_0 .. c_{max k}`.
    score : (...) array
        Scores h.

    Returns
    -------
    (...) array of float
        `-inf` where the score is below :math:`c_0`, `inf` where no :math:`c_k` reaches it.

    Notes
    -----
    The paper's text and its Algorithm 4 differ when scores are exactly equal. This follows the
    text: a score equal to :math:`c_k` is worth k raters, k = 0 and the last k included.

    References
    ----------
    Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence", section 3.4.

    Examples
    --------
    >>> survey_equivalence([0.5, 0.7, 0.8], [0.6, 0.8, 0.4, 0.9])
    array([ 0.5,  2. , -inf,  inf])
    """
    c, h = _numbers(curve, "curve"), _numbers(score, "score")
    if not c.ndim or not c.size:
        raise OptionError(
            f"{option('curve')} must hold the score of no rater, of one, of two and so on; it has "
            "none."
        )
    try:
        return crossings(c, h)
    except ValueError:
        raise OptionError(
            f"{option('curve')} of shape {c.shape} does not go with {option('score')} of shape "
            f"{h.shape}: give one curve, or one for each score."
        ) from None


def crossings(c: Floats, h: Floats) -> Floats:
    """Find what :func:`survey_equivalence` does, of arrays that may be empty."""
    c = np.broadcast_to(c, (*np.broadcast_shapes(c.shape[:-1], h.shape), c.shape[-1]))
    # Scores that are equal but for rounding are equal: a copy of one rater is worth one rater.
    slack = ROUNDING * np.maximum(1.0, np.abs(h))
    reached = c >= (h - slack)[..., None]
    k = np.argmax(reached, axis=-1)
    before = np.take_along_axis(c, np.maximum(k - 1, 0)[..., None], axis=-1)[..., 0]
    at = np.take_along_axis(c, k[..., None], axis=-1)[..., 0]
    rise = np.where(k > 0, at - before, 1.0)
    between = np.minimum(k - 1 + (h - before) / rise, k)
    value = np.where(k > 0, between, np.where(h >= c[..., 0] - slack, 0.0, -np.inf))
    return np.where(reached.any(axis=-1), value, np.inf)


def _numbers(values: Any, name: str) -> Floats:
    """Read an array of numbers."""
    try:
        # None would become nan.
        read = None if values is None else np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        read = None
    if read is None:
        raise OptionError(f"{option(name)} must be numbers, not {type(values).__name__}.")
    return read
