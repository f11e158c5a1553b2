"""Naive Bayes: classifiers err independently, at rates that gold has taught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.blind_evaluation.methods.base import Method, Scoring, against, by_draw
from headcount.blind_evaluation.methods.cross_fitting import (
    Learn,
    cross_fitted,
    features_of,
    one_hot,
)
from headcount.blind_evaluation.methods.tasks import Task
from headcount.blind_evaluation.votes import Votes
from headcount.stats.sparse import Matrix
from headcount.typing import Codes, Floats

__all__ = ["NaiveBayes", "learner", "naive_bayes"]


class NaiveBayes(Method):
    """The posterior of labels if classifiers err independently, as often as on gold."""

    name = "naive-bayes"
    short = "naive Bayes"
    words = "classifiers err independently, at rates learned from gold"
    informed = True
    refitted = True

    def score(self, task: Task) -> Scoring:
        """Score against what is learned, which is learned anew in every bootstrap sample."""
        found = against(task, naive_bayes(task.votes, task.weight))
        return replace(found, again=by_draw(task, lambda weight: naive_bayes(task.votes, weight)))


def naive_bayes(votes: Votes, weight: Floats) -> Floats:
    r"""Probability of each label if classifiers err independently: (rows, labels).

    .. math:: p_{mc} \propto \frac{n_c}{n} \prod_k \frac{n_{kc l_{mk}} + 1}{n_{kc} + L}

    Of the n items with gold, :math:`n_c` have label c; classifier k gave a label to
    :math:`n_{kc}` of them, and label l to :math:`n_{kcl}`. Missing votes have no factor. A label
    without gold has probability 0.

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array
        How often each row counts: its multiplicity, or a bootstrap sample.

    Raises
    ------
    NotPossible
        If the gold labels are too few.

    Notes
    -----
    Cross-fitted: an item with gold gets what the other folds teach. O(folds x votes x labels).

    References
    ----------
    Jung and Lease (2012), Equation 6 (which takes the likeliest label), after Snow et al. (2008).

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> items, said = list(range(8)) * 2, list("nnnnyyyy" "nnnyyyyy")
    >>> labels = Labels.from_triples(items, ["a"] * 8 + ["b"] * 8, said)
    >>> votes = collect(labels, gold={i: "ny"[i > 3] for i in range(6)}, folds=2)
    >>> truth = naive_bayes(votes, votes.multiplicity.astype(float))
    >>> truth[votes.row_of[7]].round(3)  # both say yes: odds (2 / 4)(3 / 4)(3 / 4) / (1 / 6)(2 / 6)
    array([0.165, 0.835])
    """
    return cross_fitted(votes, weight, features_of(votes), learner(votes))


def learner(votes: Votes, vote_weight: Floats | None = None) -> Learn:
    """Make what learns error rates from some rows, and tells the truth of others by them.

    `vote_weight` is that of each classifier's vote; 1 by default.
    """
    size = len(votes.labels)
    counted = 1.0 if vote_weight is None else vote_weight[:, None, None]

    def learn(train: Matrix, gold: Codes, known: Floats, rows: Matrix) -> Floats:
        is_true = one_hot(gold, size) * known[:, None]
        said = np.asarray(train.T @ is_true).reshape(-1, size, size)
        rate = np.log((said + 1) / (said.sum(axis=1, keepdims=True) + size))
        number = is_true.sum(axis=0)
        with np.errstate(divide="ignore"):
            prior = np.log(number / number.sum())
        log = np.asarray(rows @ (rate * counted).reshape(-1, size)) + prior
        odds = np.exp(log - log.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)

    return learn
