"""Easy and hard items: every label has two kinds of items, which classifiers confuse otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.blind_evaluation.consensus.passes import until_steady
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["easy_hard"]

KINDS = (0.25, 0.75)
"""Quantiles of the share of the top vote around which the two kinds of items start."""
RIGHT, WRONG, KIND = 4.0, 1.0, 0.05
"""Dirichlet priors: of the true label, of another one, of a kind within its label."""


def easy_hard(votes: Votes, weight: Floats, start: Floats) -> Floats:
    r"""Probability of each label if every label has easy and hard items: (rows, labels).

    Items have a label and one of two kinds within it, and every classifier a row of confusion for
    each label and kind. Errors that go together because some items are hard for all are then no
    sign of a bad classifier. Fitted by variational Bayes: expected logarithms
    :math:`\psi(n_{jcsl} + \beta_{cl}) - \psi(\sum_l n_{jcsl} + \beta_{cl})` in place of logarithms
    of shares, with :math:`\beta` 4 for the true label and 1 for others, and a Dirichlet(.05) for
    the kinds of a label.

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array
        How often each row counts.
    start : (rows, labels) array
        Shares of votes. An item starts as the kind to whose quantile of the share of the top vote
        (.25 or .75) it is nearer, to a degree.

    Notes
    -----
    O(votes x labels) a pass. Deterministic.

    References
    ----------
    Li, Rubinstein and Cohn (2019), "Exploiting worker correlation for label aggregation in
    crowdsourcing" (EBCC), ICML; two subtypes.
    """
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    digamma: Any = special.psi  # pyright: ignore[reportUnknownMemberType]
    size, kinds = len(votes.labels), len(KINDS)
    level = _quantile(start.max(axis=1), weight)
    near = np.exp(-0.5 * ((level[:, None] - np.array(KINDS)) * 2) ** 2)
    near /= near.sum(axis=1, keepdims=True)
    first = (start[:, :, None] * near[:, None, :]).reshape(len(start), size * kinds)
    of_label = np.repeat(np.eye(size), kinds, axis=1)  # labels x classes
    added = WRONG + (RIGHT - WRONG) * of_label
    if votes.known is not None:  # of which nobody knows on which kind of items they were given
        added = added + votes.known @ (of_label / kinds)

    def scores(prior: Floats, count: Floats) -> tuple[Floats, Floats]:
        by_kind = prior.reshape(size, kinds)
        total = by_kind.sum(axis=1)
        label = digamma(total + 1) - digamma(total.sum() + size)
        kind = digamma(by_kind + KIND) - digamma(total + kinds * KIND)[:, None]
        table = count + added
        score = digamma(table) - digamma(table.sum(axis=1, keepdims=True))
        return (label[:, None] + kind).ravel(), score

    truth, _ = until_steady(votes, weight, first, scores)
    return truth.reshape(len(truth), size, kinds).sum(axis=2)


def _quantile(value: Floats, weight: Floats) -> Floats:
    """Share of the items below each value, and half of those that are equal."""
    _, at = np.unique(value, return_inverse=True)
    number = np.bincount(at, weights=weight)
    upto = np.cumsum(number)
    return ((upto - number / 2) / upto[-1])[at]
