"""Sampling: each item takes the label of a random classifier, in the limit or drawn."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from headcount.blind_evaluation.methods.base import FixedTruth, Scoring, Situation
from headcount.blind_evaluation.methods.tasks import Task
from headcount.blind_evaluation.methods.vote_truth import vote_shares
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.scoring.tables import tables
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats

__all__ = ["Sampling", "sampled_scores"]


class Sampling(FixedTruth):
    """Each item takes the label of a random classifier; the mean over all such label sets."""

    name = "sampling"
    short = "sampling"
    words = "each item takes the label of a random classifier"
    ranks_when = MappingProxyType({Situation.TWO: 5, Situation.DEPENDENT: 5})

    def truth(self, votes: Votes) -> Floats:
        """Find the share of votes of each label, which is the limit of many label sets."""
        return vote_shares(votes)

    def score(self, task: Task) -> Scoring:
        """Score in the limit, or by so many label sets as the settings say."""
        limit = super().score(task)
        draws = task.settings.sampling_draws
        if not draws:
            return limit
        rng = np.random.default_rng([task.settings.seed, draws])
        drawn = sampled_scores(task.votes, task.metrics, draws=draws, rng=rng)
        return replace(limit, scored=replace(limit.scored, scores=drawn))


def sampled_scores(
    votes: Votes, metrics: Metrics, *, draws: int, rng: np.random.Generator
) -> Floats:
    """Mean score over label sets in which every item takes the label of a random classifier.

    :func:`headcount.blind_evaluation.methods.vote_truth.vote_shares` gives its limit without
    drawing.

    Returns
    -------
    (metrics, classifiers) array
        The mean over the draws in which a score is defined; nan where it never is.

    Notes
    -----
    Items with the same votes draw their labels together, as a multinomial. O(draws x votes).

    References
    ----------
    Jung and Lease (2012), Section 3.1.2, with 1,000 draws.
    """
    share = vote_shares(votes)
    number = votes.multiplicity
    weight = number.astype(np.float64)
    total = np.zeros((len(votes.classifiers), len(metrics.names)))
    defined = np.zeros_like(total)
    for _ in range(draws):
        truth = rng.multinomial(number, share) / number[:, None]
        score = metrics.scores(tables(votes, truth, weight))
        total += np.nan_to_num(score)
        defined += ~np.isnan(score)
    return np.divide(total, defined, out=np.full_like(total, np.nan), where=defined > 0).T
