"""One coin: a classifier is right as often whatever the label; few labels tell little of it."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.blocks import Blocks, TruthOf
from headcount.blind_evaluation.consensus.crowd import strength
from headcount.blind_evaluation.consensus.passes import until_steady
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["fit_one_coin", "one_coin"]


def one_coin(votes: Votes, weight: Floats, start: Floats) -> Floats:
    r"""Probability of each label if every classifier has one accuracy: (rows, labels).

    Classifier j gives the true label with probability :math:`a_j`, and else label l where c is
    true with the share :math:`e_{cl}` of all classifiers' errors there, one added to each. EM
    with :math:`a_j = (h_j + k \mu) / (n_j + k)` for :math:`h_j` expected hits in :math:`n_j`
    labels, those known from before included; k and :math:`\mu` as the crowd has them
    (:func:`headcount.blind_evaluation.consensus.crowd.strength`), found anew in every pass. All
    labels are as likely beforehand: with shares that are fitted too, one label takes over where
    classifiers lean to it (bluebirds: .58 of the items right, in place of .72).

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array
        How often each row counts.
    start : (rows, labels) array
        Where to start, such as shares of votes.

    Notes
    -----
    O(votes x labels) a pass.

    Examples
    --------
    Where two of five are right more often, the votes of all five are not worth the same.

    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.methods.vote_truth import vote_shares
    >>> from headcount.blind_evaluation.votes import collect
    >>> said = ["nynynynynn", "nynynynynn", "nyyynnnyyy", "yynnnyyyny", "nnnyyynynn"]
    >>> cells = [(i, k, row[i]) for k, row in enumerate(said) for i in range(10)]
    >>> votes = collect(Labels.from_triples(*zip(*cells)))
    >>> truth = one_coin(votes, votes.multiplicity.astype(float), vote_shares(votes))
    >>> truth[votes.row_of].argmax(axis=1)
    array([0, 1, 0, 1, 0, 1, 0, 1, 0, 0])
    """
    return fit_one_coin(Blocks.of(votes, weight), lambda _: start)(votes)


def fit_one_coin(blocks: Blocks, start: TruthOf) -> TruthOf:
    """Fit the same model to blocks of votes. Returns the truth of any block."""
    size, known = blocks.n_labels, blocks.known
    own = np.arange(size)
    number = np.zeros(blocks.n_classifiers) if known is None else known.sum(axis=(1, 2))
    for votes, weight in blocks:
        number += np.bincount(votes.classifier, weight[votes.row], minlength=len(number))

    def scores(_: Floats, count: Floats) -> tuple[Floats, Floats]:
        if known is not None:
            count = count + known
        hits = count[:, own, own].sum(axis=1)
        k, mu = strength(hits, number)
        right = np.clip((hits + k * mu) / (number + k), 1e-9, 1 - 1e-9)
        errors = count.sum(axis=0) + 1
        errors[own, own] = 0
        errors /= errors.sum(axis=0)
        table = (1 - right)[:, None, None] * errors
        table[:, own, own] = right[:, None]
        return np.zeros(size), np.log(table)

    return until_steady(blocks, start, scores)
