"""Classifiers scored against a truth that is known up to probabilities, and how sure that is."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.votes import Votes
from headcount.stats.sparse import Matrix, sparse_columns
from headcount.typing import Floats

__all__ = ["covariance", "influence", "joint", "tables"]


def joint(votes: Votes, truth: Floats) -> Matrix:
    """Find what one item of each row adds to the tables: sparse (classifiers * labels^2, rows).

    `truth` is the probability of each label, (rows, labels); or (votes, labels) where it depends
    on who is judged. A row of zeros has no truth, and adds nothing.
    """
    size = len(votes.labels)
    row = votes.row
    by_vote = truth[row] if len(truth) == len(votes.multiplicity) != len(row) else truth
    first = votes.classifier * size**2 + votes.label
    cell = first[:, None] + np.arange(size, dtype=first.dtype) * size
    shape = (len(votes.classifiers) * size**2, len(votes.multiplicity))
    return sparse_columns(by_vote.ravel(), cell.ravel(), votes.start * size, shape)


def tables(votes: Votes, truth: Floats, weight: Floats) -> Floats:
    """Tables of truth and vote: (..., classifiers, labels, labels).

    Parameters
    ----------
    truth : (rows, labels) or (votes, labels) array
    weight : (..., rows) array
        How often each row counts: its multiplicity, or bootstrap samples.

    Notes
    -----
    O(votes x labels) a draw.
    """
    size = len(votes.labels)
    flat = np.atleast_2d(weight)
    out = np.asarray((joint(votes, truth) @ flat.T).T)
    return out.reshape(*weight.shape[:-1], len(votes.classifiers), size, size)


def influence(votes: Votes, truth: Floats, weight: Floats, metrics: Metrics) -> list[Matrix]:
    r"""Find what one item of each row adds to the error of each score, to first order.

    For a ratio of sums :math:`\theta = \sum_m a_m / \sum_m b_m` it is
    :math:`z_m = (a_m - \theta b_m) / \sum_m b_m`; for a mean of ratios the mean of theirs.

    Returns
    -------
    list of sparse (classifiers, rows) arrays
        One a metric. Weighted by `weight` their rows sum to 0.
    """
    size = len(votes.labels)
    found = tables(votes, truth, weight)
    ratio = metrics.ratios(found)
    number = np.maximum(metrics.counted(ratio), 1)
    ratio = np.nan_to_num(ratio)
    bottom = np.einsum("mcij,kij->kmc", metrics.denominator, found)
    inverse = np.divide(1.0, bottom, out=np.zeros_like(bottom), where=bottom > 0)
    inverse /= number[..., None]
    # Coefficient of each cell of a classifier's table in its z.
    change = np.einsum("kmc,mcij->kmij", inverse, metrics.numerator)
    change -= np.einsum("kmc,kmc,mcij->kmij", inverse, ratio, metrics.denominator)
    row = votes.row
    by_vote = truth[row] if len(truth) == len(votes.multiplicity) != len(row) else truth
    shape = (len(votes.classifiers), len(votes.multiplicity))
    out: list[Matrix] = []
    for m in range(len(metrics.names)):
        value = np.zeros(len(row))
        for label in range(size):
            value += by_vote[:, label] * change[votes.classifier, m, label, votes.label]
        out.append(sparse_columns(value, votes.classifier, votes.start, shape))
    return out


def covariance(parts: list[Matrix], weight: Floats, items: float | None = None) -> Floats:
    r"""Covariance of the classifiers' scores, (metrics, classifiers, classifiers).

    :math:`S_{kl} = \frac{n}{n-1} \sum_m w_m z_{km} z_{lm}`, so that for accuracies on the same
    items the test of a difference is the paired t-test. n is the number of `items` with a truth;
    all by default. Nan where that is 1.
    """
    n = weight.sum() if items is None else items
    scale = n / (n - 1) if n > 1 else np.nan
    return np.stack([(z * weight @ z.T).toarray() * scale for z in parts])
