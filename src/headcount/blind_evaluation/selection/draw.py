"""Items drawn with known probabilities, more often where their labels would tell more."""

from __future__ import annotations

import numpy as np

from headcount.stats.draws import keys
from headcount.typing import Codes, Floats, Ids

__all__ = ["UNIFORM", "draw_order", "inclusion", "sizes_of"]

UNIFORM = 0.5
"""Share of the draws that is at random: no item is drawn less than half as often as at random, so
that no weight is more than twice as large, however wrong the model."""
SALT = 2**32
"""What is added to the seed, so that draws have nothing to do with folds."""


def sizes_of(truth: Floats) -> Floats:
    r"""How often each item is to be drawn, relative to others: (items,), 1 in all.

    .. math:: s_i = \frac12 \frac{u_i}{\sum_j u_j} + \frac12 \frac1N, \quad
        u_i = \sqrt{1 - \textstyle\sum_l p_{il}^2}

    The variance of a weighted mean is least for :math:`u_i`, the standard deviation of what is
    not known of an item (Neyman); half of the draws are uniform, in case the model is too sure.

    Parameters
    ----------
    truth : (items, labels) array
        Probability of each label.

    References
    ----------
    Neyman (1934), Journal of the Royal Statistical Society 97; Zrnic and Candès (2024), Active
    statistical inference, ICML.

    Examples
    --------
    >>> sizes_of(np.array([[1.0, 0.0], [0.5, 0.5]])).round(2)
    array([0.25, 0.75])
    """
    unsure = np.sqrt(np.maximum(1 - (truth**2).sum(axis=1), 0.0))
    even = np.full(len(truth), 1 / len(truth))
    if not unsure.sum() > 0:
        return even
    return (1 - UNIFORM) * unsure / unsure.sum() + UNIFORM * even


def inclusion(sizes: Floats, number: float) -> Floats:
    r"""Probability with which each of some items is drawn: min(1, c s) that sum to `number`.

    Examples
    --------
    >>> inclusion(np.array([0.6, 0.2, 0.1, 0.1]), 2)
    array([1.  , 0.5 , 0.25, 0.25])
    """
    out = np.ones(len(sizes))
    left = np.ones(len(sizes), dtype=bool)
    while left.any() and number > (~left).sum():
        scaled = sizes * (number - (~left).sum()) / sizes[left].sum()
        above = left & (scaled >= 1)
        if not above.any():
            out[left] = scaled[left]
            return out
        left &= ~above
    return out


def draw_order(items: Ids, sizes: Floats, seed: int) -> Codes:
    r"""Order in which items are drawn: the first n are a sample of n, whatever n is.

    Item i comes by :math:`r_i / s_i` with a number :math:`r_i` from 0 to 1 that depends on its id
    and the seed alone (sequential Poisson sampling with permanent random numbers). So a sample
    is part of every larger one, and its items have been drawn with the probabilities of
    :func:`inclusion`, but for an error that falls with their number.

    References
    ----------
    Ohlsson (1998), "Sequential Poisson sampling", Journal of Official Statistics 14.
    """
    number = (keys(items, seed + SALT).astype(np.float64) + 0.5) / 2**32
    return np.lexsort((items.astype(str), number / sizes))
