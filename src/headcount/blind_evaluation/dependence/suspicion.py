"""Which classifiers may err together, before anything is taken as the truth."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.dependence.residuals import TINY, Residuals, weighted_product
from headcount.blind_evaluation.methods.vote_truth import winners
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["background", "given_others", "suspicion"]

LEAST_CLASSIFIERS = 4
"""With fewer, any correlations can be explained by how good the classifiers are."""

MOST_STEPS = 50
CLOSE = 1e-4
LEAST_BACKGROUND, MOST_BACKGROUND = 0.01, 0.99


def suspicion(votes: Votes, weight: Floats) -> Residuals:
    r"""Correlation of the errors of two classifiers beyond what is usual for the two.

    Notes
    -----
    The errors of each pair are found against the majority of all *other* classifiers (see
    :func:`given_others`). Against the posterior of Dawid-Skene, a family that is strong enough
    makes its errors the truth, and those who do not belong to it seem to err together: exact
    copies of a classifier would go unnoticed.

    A majority is wrong at times, and there two good classifiers seem to err together because both
    are right. If all err independently this part of the correlation is :math:`a_k a_l`, more the
    better both are. It is found from all pairs, robustly (see :func:`background`), and taken off
    on Fisher's scale, :math:`\tanh(\operatorname{artanh} R_{kl} - \operatorname{artanh} a_k a_l)`,
    where it leaves noise as it is. Errors that all classifiers share are background too.

    O(labels^2 x sum over rows of votes^2 + K^2 log K). nan for fewer than 4 classifiers.
    """
    found = given_others(votes, weight)
    if len(votes.classifiers) < LEAST_CLASSIFIERS:
        nothing = np.full_like(found.correlation, np.nan)
        return Residuals(nothing, found.shared, found.information)
    own = background(found)
    # Two that never differ have a correlation of 1, which is infinitely far on Fisher's scale.
    seen = np.arctanh(np.clip(found.correlation, -1 + 1e-9, 1 - 1e-9))
    beyond = np.tanh(seen - np.arctanh(np.outer(own, own)))
    return Residuals(beyond, found.shared, found.information)


def given_others(votes: Votes, weight: Floats) -> Residuals:
    """Correlation of the errors of every two classifiers, given the majority of all others.

    As :func:`residual_correlation`, with a truth for each pair in which neither has a vote; ties
    are shared. nan on the diagonal, and where the two share no item with a third. What the others
    say depends on an item's votes and on the labels of the two alone, so that products of
    matrices do for all pairs.
    """
    size, total = len(votes.labels), len(votes.classifiers)
    said = [votes.indicator(label) for label in range(size)]
    counts = votes.label_counts()
    shape = (total, total)
    n = [np.zeros(shape) for _ in range(size)]
    # By true label and label of the first: how often it gave that.
    gave = [[np.zeros(shape) for _ in range(size)] for _ in range(size)]
    top = np.zeros(shape)
    for a in range(size):
        for b in range(a, size):
            others = counts.copy()
            others[:, a] -= 1
            others[:, b] -= 1
            truth = winners(np.maximum(others, 0))
            for c in range(size):
                both = weighted_product(said[a], weight * truth[:, c], said[b])
                n[c] += both
                gave[c][a] += both
                if a == b:
                    top += both
                else:
                    n[c] += both.T
                    gave[c][b] += both.T
    spread = np.zeros(shape)
    for c in range(size):
        inverse = np.divide(1.0, n[c], out=np.zeros(shape), where=n[c] > 0)
        spread += n[c]
        for own in gave[c]:
            top -= own * own.T * inverse
            spread -= own**2 * inverse
    shared = np.sum(n, axis=0)
    spread[spread <= TINY * shared] = 0
    bottom = np.sqrt(spread * spread.T)
    correlation = np.divide(top, bottom, out=np.full(shape, np.nan), where=bottom > 0)
    np.fill_diagonal(correlation, np.nan)
    return Residuals(np.clip(correlation, -1, 1), shared, np.minimum(2 * bottom, shared))


def background(residuals: Residuals) -> Floats:
    r"""Find :math:`a_k` such that :math:`a_k a_l` is the usual correlation of k with l: (K,).

    Each :math:`a_k` in turn is the median over l of :math:`R_{kl} / a_l`, weighted by information,
    until none changes. A family does not count as usual as long as its members are fewer than
    half. O(K^2 log K) a step.

    Examples
    --------
    Two of five err together; the others explain each other.

    >>> a = np.array([0.5, 0.4, 0.3, 0.4, 0.2])
    >>> table = np.outer(a, a)
    >>> table[0, 1] = table[1, 0] = 0.9
    >>> background(Residuals(table, np.full((5, 5), 99.0), np.full((5, 5), 99.0))).round(2)
    array([0.5, 0.4, 0.3, 0.4, 0.2])
    """
    known = ~np.isnan(residuals.correlation) & (residuals.information > 0)
    np.fill_diagonal(known, False)
    usual = float(np.median(residuals.correlation[known])) if known.any() else 0.0
    found = np.where(known.any(axis=1), np.sqrt(max(usual, LEAST_BACKGROUND)), 0.0)
    for _ in range(MOST_STEPS):
        before = found.copy()
        for k in np.flatnonzero(known.any(axis=1)):
            others = known[k] & (np.abs(found) > LEAST_BACKGROUND)
            if others.any():
                ratio = residuals.correlation[k, others] / found[others]
                middle = _median(ratio, residuals.information[k, others])
                # Half the way, because neighbours would swing against each other.
                found[k] = np.clip((found[k] + middle) / 2, -MOST_BACKGROUND, MOST_BACKGROUND)
        if np.abs(found - before).max() < CLOSE:
            break
    return found


def _median(value: Floats, weight: Floats) -> float:
    """Value with half of the weight on either side, between the two nearest."""
    order = np.argsort(value)
    upto = np.cumsum(weight[order])
    middle: Floats = np.interp([upto[-1] / 2], upto - weight[order] / 2, value[order])
    return float(middle[0])
