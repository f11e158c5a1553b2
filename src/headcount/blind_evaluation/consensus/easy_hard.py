"""Easy and hard items: every label has two kinds of items, which classifiers confuse otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headcount.blind_evaluation.blocks import Blocks, TruthOf
from headcount.blind_evaluation.consensus.passes import until_steady
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["easy_hard", "fit_easy_hard"]

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
    return fit_easy_hard(Blocks.of(votes, weight), lambda _: start)(votes)


def fit_easy_hard(blocks: Blocks, start: TruthOf) -> TruthOf:
    """Fit the same model to blocks of votes. Returns the truth of any block."""
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    digamma: Any = special.psi  # pyright: ignore[reportUnknownMemberType]
    size, kinds = blocks.n_labels, len(KINDS)
    of_label = np.repeat(np.eye(size), kinds, axis=1)  # labels x classes
    added = WRONG + (RIGHT - WRONG) * of_label
    if blocks.known is not None:  # of which nobody knows on which kind of items they were given
        added = added + blocks.known @ (of_label / kinds)
    level = _levels(blocks, start)

    def first(votes: Votes) -> Floats:
        share = start(votes)
        near = np.exp(-0.5 * ((level(share.max(axis=1))[:, None] - np.array(KINDS)) * 2) ** 2)
        near /= near.sum(axis=1, keepdims=True)
        return (share[:, :, None] * near[:, None, :]).reshape(len(share), size * kinds)

    def scores(prior: Floats, count: Floats) -> tuple[Floats, Floats]:
        by_kind = prior.reshape(size, kinds)
        total = by_kind.sum(axis=1)
        label = digamma(total + 1) - digamma(total.sum() + size)
        kind = digamma(by_kind + KIND) - digamma(total + kinds * KIND)[:, None]
        table = count + added
        score = digamma(table) - digamma(table.sum(axis=1, keepdims=True))
        return (label[:, None] + kind).ravel(), score

    truth_of = until_steady(blocks, first, scores)
    return lambda votes: truth_of(votes).reshape(-1, size, kinds).sum(axis=2)


def _levels(blocks: Blocks, start: TruthOf) -> Callable[[Floats], Floats]:
    """Tell of the share of a top vote which share of items is below it, and half of its equals."""
    values, numbers = np.empty(0), np.empty(0)
    for votes, weight in blocks:
        values, at = np.unique(
            np.concatenate([values, start(votes).max(axis=1)]), return_inverse=True
        )
        numbers = np.bincount(at, np.concatenate([numbers, weight]), len(values))
    upto = np.cumsum(numbers)
    level = (upto - numbers / 2) / upto[-1]
    return lambda value: level[np.searchsorted(values, value)]
