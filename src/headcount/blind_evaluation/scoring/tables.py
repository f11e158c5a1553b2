"""Classifiers scored against a truth that is known up to probabilities, and how sure that is."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.votes import Votes
from headcount.stats.sparse import Matrix, sparse_columns
from headcount.typing import Floats, Kernel

__all__ = ["covariance", "influence", "table_kernel", "tables"]

BLOCK_CELLS = 4 * 10**6
"""Weighted probabilities that are held at once: 32 MB."""


def table_kernel(votes: Votes, truth: Floats) -> Kernel:
    """Prepare the tables of truth and vote: from (draws, rows) weights to (draws, K, L, L).

    `truth` is the probability of each label, (rows, labels); or (votes, labels) where it depends
    on who is judged, which takes more memory. A row of zeros has no truth, and adds nothing.
    O(votes x labels) a draw.
    """
    size, total = len(votes.labels), len(votes.classifiers)
    if _by_row(votes, truth):
        step = max(1, BLOCK_CELLS // max(truth.size, 1))

        def at_once(weights: Floats) -> Floats:
            worth = weights.T[:, :, None] * truth[:, None]
            found = votes.said @ worth.reshape(len(truth), -1)
            return found.reshape(total, size, len(weights), size).transpose(2, 0, 3, 1)

        return lambda weights: np.concatenate(
            [at_once(weights[first : first + step]) for first in range(0, len(weights), step)]
        )
    first = votes.classifier * size**2 + votes.label
    cell = first[:, None] + np.arange(size, dtype=first.dtype) * size
    shape = (total * size**2, len(votes.multiplicity))
    parts = sparse_columns(truth.ravel(), cell.ravel(), votes.start * size, shape)
    return lambda weights: np.asarray((parts @ weights.T).T).reshape(-1, total, size, size)


def _by_row(votes: Votes, truth: Floats) -> bool:
    """Whether the truth is one of rows, and not of votes."""
    return len(truth) == len(votes.multiplicity) != len(votes.label)


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
    out = table_kernel(votes, truth)(np.atleast_2d(weight))
    return out.reshape(*weight.shape[:-1], *out.shape[1:])


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
    row, by_row = votes.row, _by_row(votes, truth)
    shape = (len(votes.classifiers), len(votes.multiplicity))
    out: list[Matrix] = []
    for m in range(len(metrics.names)):
        value = np.zeros(len(row))
        for label in range(size):
            likely = truth[row, label] if by_row else truth[:, label]
            value += likely * change[votes.classifier, m, label, votes.label]
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
