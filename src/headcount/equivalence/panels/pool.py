"""Several classifiers as one prediction of the next rater: a pool of log odds, cross-fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from headcount.equivalence.calibration.base import Calibration, base_shares, with_imaginary_item
from headcount.equivalence.calibration.cross_fit import FOLDS
from headcount.stats.draws import folds
from headcount.stats.grouping import group_rows
from headcount.typing import Codes, Floats, Ids, Ints

__all__ = ["Evidence", "Pools", "fit_pool", "gather", "predict_pool"]

RIDGE = 1.0
"""Penalty on weights and intercepts, in items."""
LEAST = 1e-4
"""Probability below which a classifier is taken for no more certain."""
MOST_STEPS, CLOSE = 50, 1e-7
"""Newton steps at most, and the change at which they end."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """What classifiers say, as learned from some of the items.

    Parameters
    ----------
    base : (labels,) array
        Share of each label.
    logs : (rows, classifiers, labels) array
        Logarithm of how much more probable a label is where a classifier says what it says.
    shares : (rows, labels) array
        Labels of raters, added up over the items that are learned from.
    items : int
        How many these are.
    """

    base: Floats
    logs: Floats
    shares: Floats
    items: int


def fit_pool(evidence: Evidence, members: Sequence[int], start: Floats | None = None) -> Floats:
    r"""Learn how much each member of a panel counts: (members + labels,) weights and intercepts.

    .. math:: q_l(x) \propto \pi_l \exp\Big(a_l
        + \sum_{k \in S} \beta_k \log \frac{p_{kl}(x)}{\pi_l}\Big)

    with the share :math:`\pi_l` of a label and its probability :math:`p_{kl}` where classifier k
    says what it says. Weights of 1 are right for classifiers that err independently (naive
    Bayes); copies of one share its weight. By maximum likelihood, with a penalty of one item on
    the distance to their geometric mean, :math:`\beta_k = 1 / |S|` and :math:`a_l = 0`.

    Parameters
    ----------
    evidence : Evidence
    members : sequence of int
        The panel S.
    start : array, optional
        Where to start.

    Notes
    -----
    Newton's method on a concave function. O(rows x labels x (members + labels)^2) a step.

    References
    ----------
    Genest and Zidek (1986), "Combining probability distributions: a critique and an annotated
    bibliography", Statistical Science 1; Satopää et al. (2014), "Combining multiple probability
    predictions using a simple logit model", International Journal of Forecasting 30.
    """
    centre = np.concatenate([np.full(len(members), 1 / len(members)), np.zeros(len(evidence.base))])
    used = np.flatnonzero(evidence.shares.any(axis=1))
    features = _features(evidence.logs[used], members)
    flat = features.reshape(-1, len(centre))
    shares = evidence.shares[used]
    number = shares.sum(axis=1)

    def height(at: Floats) -> tuple[float, Floats]:
        q = _softmax(features @ at + np.log(evidence.base))
        likely = float((shares * np.log(np.maximum(q, 1e-300))).sum())
        return likely - RIDGE / 2 * float(((at - centre) ** 2).sum()), q

    at: Floats = centre if start is None else start
    now, q = height(at)
    for _ in range(MOST_STEPS):
        expected = number[:, None] * q
        weighted = features * expected[..., None]
        mean = weighted.sum(axis=1)
        curvature = weighted.reshape(-1, len(at)).T @ flat - (mean / number[:, None]).T @ mean
        curvature += RIDGE * np.eye(len(at))
        missed: Floats = (shares - expected).ravel() @ flat
        slope: Floats = missed - RIDGE * (at - centre)
        step = np.asarray(np.linalg.solve(curvature, slope), dtype=np.float64)
        before, there = now, at
        at = there + step
        now, q = height(at)
        # Newton's step may lead too far where classifiers are very certain.
        while now < before and np.abs(step).max() > CLOSE:
            step = step / 2
            at = there + step
            now, q = height(at)
        if np.abs(step).max() < CLOSE:
            break
    return at


def predict_pool(evidence: Evidence, members: Sequence[int], fitted: Floats) -> Floats:
    """Predict the next rater of every row by a panel: (rows, labels)."""
    q = _softmax(_features(evidence.logs, members) @ fitted + np.log(evidence.base))
    return with_imaginary_item(q, evidence.base, evidence.items)


def _features(logs: Floats, members: Sequence[int]) -> Floats:
    """Evidence of members and indicators of labels: (rows, labels, members + labels)."""
    size = logs.shape[2]
    ones = np.broadcast_to(np.eye(size), (len(logs), size, size))
    return np.concatenate([np.swapaxes(logs[:, list(members)], 1, 2), ones], axis=2)


def _softmax(logs: Floats) -> Floats:
    p = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class Pools:
    """Panels as predictions of every item, of which none has seen its own labels.

    Parameters
    ----------
    row : (items,) array of int
        Row of what all classifiers say of an item.
    fold : (items,) array of int
    every : Evidence
        As learned from all items.
    without : list of Evidence
        As learned from those outside each fold.
    """

    row: Ints
    fold: Codes
    every: Evidence
    without: list[Evidence]
    _fits: dict[tuple[int, ...], tuple[Floats, list[Floats]]] = field(
        default_factory=dict[tuple[int, ...], tuple[Floats, list[Floats]]], repr=False
    )

    def predict(self, members: Sequence[int]) -> Floats:
        """Predict the next rater of every item by a panel: (items, labels).

        The mean of predictions from the other folds and from all items, as those of calibrated
        classifiers and of surveys are; see
        :func:`headcount.equivalence.calibration.cross_fit.cross_fit`.
        """
        fitted, by_fold = self._fitted(tuple(members))
        out = predict_pool(self.every, members, fitted)[self.row]
        held_out = np.empty_like(out)
        for part, (evidence, own) in enumerate(zip(self.without, by_fold, strict=True)):
            mine = self.fold == part
            held_out[mine] = predict_pool(evidence, members, own)[self.row[mine]]
        return (out + held_out) / 2

    def _fitted(self, members: tuple[int, ...]) -> tuple[Floats, list[Floats]]:
        """Learn the weights of a panel once: from all items, and from those outside each fold."""
        if members not in self._fits:
            fitted = fit_pool(self.every, members)
            by_fold = [fit_pool(one, members, fitted) for one in self.without]
            self._fits[members] = fitted, by_fold
        return self._fits[members]


def gather(
    tables: Sequence[tuple[Calibration | None, Floats]], items: Ids, reference: Floats, seed: int
) -> Pools:
    """Learn what raters say where each classifier says what it says, fold by fold.

    Parameters
    ----------
    tables : sequence of (Calibration or None, (items, columns) array)
        What each classifier says, and what makes probabilities of it; None where it says
        probabilities.
    items : (items,) array
        Their ids, of which folds are made.
    reference : (items, labels) array
        Share of each label among the raters of an item.
    seed : int

    Notes
    -----
    Items of which all classifiers say the same are one row. O(folds x items x classifiers).
    """
    columns: list[Floats] = [np.round(column, 12) for _, table in tables for column in table.T]
    first, row = group_rows(columns)
    number = min(FOLDS, len(items))
    fold = folds(items, number, seed)

    def learned(used: Ints) -> Evidence:
        base = base_shares(reference[used])
        logs = np.empty((len(first), len(tables), len(base)))
        for k, (calibration, table) in enumerate(tables):
            said = table[first]
            if calibration is not None:
                said = calibration.fit(table[used], reference[used], said)
            logs[:, k] = np.log(np.maximum(said, LEAST) / base)
        shares = np.zeros((len(first), len(base)))
        np.add.at(shares, row[used], reference[used])
        return Evidence(base=base, logs=logs, shares=shares, items=len(used))

    return Pools(
        row=row,
        fold=fold,
        every=learned(np.arange(len(items))),
        without=[learned(np.flatnonzero(fold != part)) for part in range(number)],
    )
