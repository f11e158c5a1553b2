"""Whether two classifiers err on the same items, given what is taken as the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.blind_evaluation.votes import Votes
from headcount.stats.sparse import Matrix
from headcount.typing import Flags, Floats

__all__ = [
    "ENOUGH_SHARED", "Residuals", "effective_votes", "mean_pair", "residual_correlation",
    "weighted_product",
]  # fmt: skip

DENSE, LARGE = 0.1, 10**8
"""Share of filled cells, and multiplications, from which a product of full matrices is faster."""

BLOCK = 10**7
"""Cells of a full matrix that are made at once."""

ENOUGH_SHARED = 20
"""Items that two must have labelled for the correlation of their errors to be worth adding up."""
TINY = 1e-9
"""Sums of squares below this share of the items are rounding errors."""


@dataclass(frozen=True, eq=False)
class Residuals:
    """How the errors of every two classifiers go together.

    Parameters
    ----------
    correlation : (K, K) array
        Residual correlation; nan where two share no items or one of them makes no errors.
    shared : (K, K) array
        Items that both labelled, and that have a truth.
    information : (K, K) array
        Items' worth of errors among them: twice the root of the product of the two sums of
        squared residuals, at most `shared`. The errors of two coins on n items are worth n. Where
        errors are rare one coincidence makes a high correlation, and the worth is low.
    """

    correlation: Floats
    shared: Floats
    information: Floats

    @property
    def is_panel(self) -> bool:
        """Whether most of every two labelled enough items in common, as a panel does.

        What all are worth together rests on the correlations of all pairs. Of workers of a crowd
        who rarely meet these are unknown, and on a few items they are far from 0 by chance.
        """
        pairs = self.shared[np.triu_indices(len(self.shared), 1)]
        return len(pairs) > 0 and bool((pairs >= ENOUGH_SHARED).mean() > 0.5)

    @property
    def settled(self) -> Floats:
        """Correlations, where two share few items the mean of the others: by these it is noise."""
        few = self.shared < ENOUGH_SHARED
        mean = mean_pair(self, ~few)
        off = ~np.eye(len(few), dtype=bool)
        return np.where(few & off, 0.0 if np.isnan(mean) else mean, self.correlation)


def residual_correlation(votes: Votes, weight: Floats, truth: Floats) -> Residuals:
    r"""Correlation of the errors of every two classifiers, within classes.

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array
        How often each row counts.
    truth : (rows, labels) array
        Probability of each label: gold as zeros and ones, or the posterior of Dawid-Skene. A row
        of zeros has no truth, and is left out.

    Notes
    -----
    The residual of a vote is the vector :math:`e_{kmcj} = 1[y_{km} = j] - \mu_{kcj}`, with
    :math:`\mu_{kcj}` how often k gives label j where c is true, and

    .. math:: R_{kl} = \frac{\sum_m w_m \sum_c q_{mc} \sum_j e_{kmcj} e_{lmcj}}
              {\sqrt{\sum_m w_m \sum_c q_{mc} \sum_j e_{kmcj}^2
                     \sum_m w_m \sum_c q_{mc} \sum_j e_{lmcj}^2}},

    where sums, and the :math:`\mu`, are over the items m that both labelled. With two labels it is
    the within-class correlation of errors, pooled over classes. With more, two errors on an item
    go together in so far as they are the *same* wrong label, because only those add up to a wrong
    consensus.

    With the posterior of Dawid-Skene, R is 0 up to noise of about 1 / sqrt(information) if all
    err independently: the posterior is the chance of a class given all votes, so the sum over
    classes is what it would be with the truth, on average. The reverse does not hold. Errors that
    many classifiers share become the truth of Dawid-Skene, so that it is to be fitted with one
    vote for each family of classifiers; and errors that most share stay invisible without gold.

    O(labels x sum over rows of votes^2), with memory for K x K matrices.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 1, 2, 2, 3, 3, 4, 4], list("abababab"), [0, 0, 1, 1] * 2)
    >>> votes = collect(labels)
    >>> coin = np.full((2, 2), 0.5)
    >>> residual_correlation(votes, votes.multiplicity.astype(float), coin).correlation
    array([[1., 1.],
           [1., 1.]])
    """
    size, total = len(votes.labels), len(votes.classifiers)
    said = [votes.indicator(label) for label in range(size)]
    voted = sum(said[1:], start=said[0])
    top, spread, shared = (np.zeros((total, total)) for _ in range(3))
    for c in range(size):
        worth = weight * truth[:, c]
        n = weighted_product(voted, worth, voted)
        inverse = np.divide(1.0, n, out=np.zeros_like(n), where=n > 0)
        shared += n
        spread += n
        for j in range(size):
            # How often k said j on the items that l labelled too.
            gave = weighted_product(said[j], worth, voted)
            top += weighted_product(said[j], worth, said[j]) - gave * gave.T * inverse
            spread -= gave**2 * inverse
    spread[spread <= TINY * shared] = 0
    both = np.sqrt(spread * spread.T)
    correlation = np.divide(top, both, out=np.full_like(top, np.nan), where=both > 0)
    return Residuals(np.clip(correlation, -1, 1), shared, np.minimum(2 * both, shared))


def weighted_product(left: Matrix, weight: Floats, right: Matrix) -> Floats:
    """Sum over rows m of weight_m left_mk right_ml, as a full (K, L) matrix.

    A sparse product, unless there is much to do and many cells are filled; then full ones, a block
    of rows at a time.
    """
    rows, total = left.shape
    work = left.nnz * right.nnz / max(rows, 1)
    if work < LARGE or left.nnz < DENSE * rows * total:
        return np.asarray((left.T * weight @ right).toarray(), dtype=np.float64)
    out = np.zeros((total, right.shape[1]))
    step = max(1, BLOCK // max(total, 1))
    for begin in range(0, rows, step):
        part = slice(begin, begin + step)
        out += (left[part].toarray().T * weight[part]) @ right[part].toarray()
    return out


def effective_votes(correlation: Floats) -> float:
    r"""Count independent votes that are worth as much as K that err together.

    :math:`K^2 / \sum_{kl} R_{kl}`, the variance of one vote over that of the mean of K, if all
    have the same variance; at least 1 and at most K. Pairs without a correlation count as 0; nan
    where no pair has one.

    Examples
    --------
    >>> effective_votes(np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]))
    2.25
    """
    size = len(correlation)
    off = correlation[~np.eye(size, dtype=bool)]
    if size and np.isnan(off).all():
        return 1.0 if size == 1 else float("nan")
    total = size + float(np.nansum(off))
    return float(np.clip(size**2 / total, 1, size)) if total > 0 else float(size)


def mean_pair(residuals: Residuals, chosen: Flags) -> float:
    """Mean residual correlation of the chosen pairs, each with the weight of its information.

    `chosen` is a symmetric (K, K) array. nan where no pair is left; the diagonal is left out.
    """
    chosen = chosen & ~np.isnan(residuals.correlation)
    np.fill_diagonal(chosen, False)
    worth = residuals.information[chosen]
    total = float(worth.sum())
    return float(worth @ residuals.correlation[chosen]) / total if total > 0 else float("nan")
