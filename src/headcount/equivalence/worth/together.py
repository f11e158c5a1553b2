"""Classifiers and raters together: what the prediction of one adds to the labels of the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from headcount.equivalence.states.fit import can_fit
from headcount.equivalence.surveys.base import Design
from headcount.equivalence.surveys.choice import all_agree
from headcount.equivalence.surveys.exact import Exact
from headcount.equivalence.surveys.surveys import Surveys
from headcount.equivalence.worth.log_pool import fit_log_pool, pooled
from headcount.stats.grouping import counted, group_rows
from headcount.typing import Codes, Floats, Ints

__all__ = ["MOST_WITH", "judge_and_people"]

MOST_WITH = 2
"""Raters beside a classifier, at most."""
MOST_WORK = 2e9
"""Floating-point operations for all classifiers: a second or two."""
STRENGTHS = (0.0, 1.0, 2.0, 4.0, 8.0, 32.0)
"""Raters that a prediction may count for."""
TRUSTS = (0.5, 0.0)
"""How far from the share of labels among all items a prediction may be believed, besides wholly."""
LEARN_FROM = 300
"""Cells from which the strength of a classifier is learned, at most."""
LEAST = 1e-4
"""Probability below which no prediction is believed."""
ROUND_FROM = 20_000
"""Cells from which predictions are rounded, so that those which hardly differ are one."""
ROUNDED = 0.02
"""Steps of the logarithm to which probabilities are rounded; that moves a score by 1e-4 at most."""
START = np.array([1.0, 0.0, 0.0, 0.0])
"""What predictions count for before anything is learned: that of states with both, and no other."""
_TILTS = 4


def judge_and_people(design: Design, scoring: Exact) -> dict[str, Callable[[Floats], Floats]]:
    r"""Score each soft classifier together with one rater of the item, and with two.

    A prediction p tells how states are distributed among the items of which it is made: their
    mean is p, and they are as near to p as if m raters had given their labels as p says. So

    .. math:: g_j(p) \propto g_j \exp(m \textstyle\sum_l p_l \log\theta_{jl} +
              \sum_l \lambda_l \theta_{jl})

    with the :math:`\lambda` for which :math:`\sum_j g_j(p) \theta_j = p`, and Bayes' rule for the
    counts of a survey. How many raters a prediction counts for (m), and how far it is believed
    (p moved towards the share of labels among all items) are learned from the items.

    States need not be what they are fitted as, and predictions of them with raters then come out
    too low. So what follows is pooled with what the raters alone tell, with the classifier's
    prediction and with the share of labels among all items, by the weighted sum of their
    logarithms (:func:`~headcount.equivalence.worth.log_pool.fit_log_pool`); weights are learned
    from the items. Each item is scored with itself in and with itself out, of states and of
    weights alike, and the two scores averaged, as those of surveys are.

    Parameters
    ----------
    design : Design
    scoring : Exact

    Returns
    -------
    dict of str to function
        For each classifier, what scores data sets given as the number of items in each cell:
        (draws, sizes) for 1, 2 ... raters. Empty where it does not apply or would take long.

    Notes
    -----
    O(cells x observations x states x labels) a classifier, as products of matrices.
    """
    pool, scorer = design.pools[0], design.scorer
    soft = [c for c in design.classifiers if c.kind == "soft"]
    if (
        not soft
        or design.combiner.leaves_out
        or not design.combiner.bayesian
        or not can_fit(pool.pool.patterns)
        or all_agree(pool)
        or not isinstance(pool.pool.reference, int)
        or pool.pool.reference != 1
        or not hasattr(scorer, "statistics")
    ):
        return {}
    sizes = range(1, min(pool.max_k, MOST_WITH) + 1)
    cells = [_Cells(design, scoring, c.probability[scoring.first], sizes) for c in soft]
    if sum(each.work for each in cells) > MOST_WORK:
        return {}
    return {c.name: each.bind() for c, each in zip(soft, cells, strict=True)}


@dataclass(frozen=True)
class _Rows:
    """Surveys of one size, of each cell: the cell, what was observed, and what follows.

    `distinct` holds what can be observed, `observed` the place of each row in it.
    """

    cell: Ints
    distinct: Codes
    observed: Ints
    probability: Floats
    reference: Floats


class _Cells:
    """Kinds of items: those that show the same labels and, perhaps rounded, the same prediction."""

    def __init__(self, design: Design, scoring: Exact, probability: Floats, sizes: range) -> None:
        pool = design.pools[0]
        fit = pool.states
        self.scorer, self.kind = design.scorer, design.combiner.kind
        self.fit, self.sizes, self.seed = fit, sizes, pool.seed
        self.weight = np.vstack([fit.weight, fit.fold_weight])
        pattern = pool.pattern[scoring.first]
        self.probability = _rounded(probability)
        first, self.cell = group_rows([pattern, *self.probability.T])
        self.pattern, self.probability = pattern[first], self.probability[first]
        self.multiplicity = counted(self.cell, scoring.multiplicity)
        theta = fit.support.theta
        self.log_theta = np.log(theta)
        self.products = (theta[:, :, None] * theta[:, None, :]).reshape(len(theta), -1)
        # One of the folds that hold items of the pattern, drawn by how many: cells are sorted.
        drawn = np.random.default_rng(pool.seed).random(len(self.pattern))
        chance = np.cumsum(fit.fold_share, axis=0)[:, self.pattern]
        self.fold = np.minimum((drawn > chance).sum(axis=0), len(chance) - 1)
        self.rows = {k: _rows(pool.pool.surveys(k), self.pattern, fit.used) for k in (0, *sizes)}
        rows = sum(len(r.cell) for r in self.rows.values())
        self.work = 6.0 * rows * self.log_theta.size

    def bind(self) -> Callable[[Floats], Floats]:
        """Learn how much predictions count for, and score them with 1, 2 ... raters."""
        evidence = self._evidence(self.probability)
        p = np.maximum(self.probability[:, self.fit.used], LEAST)
        scorers = [self._scored(self.rows[k], evidence, np.log(p)) for k in self.sizes]
        return lambda drawn: np.column_stack([scored(drawn) for scored in scorers])

    def _evidence(self, probability: Floats) -> Floats:
        """Log weights that predictions add to those of states: (cells, states)."""
        p = probability[:, self.fit.used]
        mean = self.weight[0] @ self.fit.support.theta
        # Cells are sorted by pattern: those at the start are not like the others.
        learn = np.random.default_rng(self.seed).permutation(len(p))[:LEARN_FROM]
        place = np.full(len(p), -1)
        place[learn] = np.arange(len(learn))

        def added(which: Ints, trust: float, strength: float) -> Floats:
            first, group = group_rows(p[which].T)
            return self._tilts(mean + trust * (p[which][first] - mean), trust * strength)[group]

        def value(trust: float, strength: float) -> float:
            logs = added(learn, trust, strength)
            total = 0.0
            for k in (0, 1):
                rows = self.rows[k]
                part = np.flatnonzero(place[rows.cell] >= 0)
                cell = rows.cell[part]
                q = self._predict(rows, logs, self.weight[0])[place[cell], rows.observed[part]]
                log_q = np.log(np.maximum(q, 1e-300))
                fits = (rows.reference[part][:, self.fit.used] * log_q).sum(axis=1)
                total += float((self.multiplicity[cell] * rows.probability[part]) @ fits)
            return total

        strength = max(STRENGTHS, key=lambda m: value(1.0, m))
        trust = max((1.0, *TRUSTS), key=lambda part: value(part, strength))
        return added(np.arange(len(p)), trust, strength)

    def _tilts(self, p: Floats, strength: float) -> Floats:
        """Log weights under which states have the mean p, by Newton's method: (rows, states)."""
        theta = self.fit.support.theta
        p = np.maximum(p, LEAST)
        p = p / p.sum(axis=1, keepdims=True)
        logs = strength * p @ self.log_theta.T
        base = np.log(np.maximum(self.weight[0], 1e-300))
        ridge = 1e-4 * np.eye(theta.shape[1])
        for _ in range(_TILTS):
            weight = _exp(logs + base)
            weight /= weight.sum(axis=1, keepdims=True)
            found = weight @ theta
            square = (weight @ self.products).reshape(-1, *ridge.shape)
            spread = square - found[:, :, None] * found[:, None, :] + ridge
            step = np.asarray(np.linalg.solve(spread, (p - found)[..., None])[..., 0], np.float64)
            logs = logs + np.clip(step, -20, 20) @ theta.T
        return logs

    def _predict(self, rows: _Rows, logs: Floats, weight: Floats) -> Floats:
        """Predict after all that can be observed, with what predictions add.

        One product of matrices: (cells, states) by (states, observations times labels).
        """
        theta = self.fit.support.theta
        likelihood = np.exp(self.log_theta @ rows.distinct.T)
        after = (likelihood[:, :, None] * theta[:, None, :]).reshape(len(theta), -1)
        joint = (_exp(logs) * weight) @ after
        joint = joint.reshape(len(joint), len(rows.distinct), -1)
        return joint / joint.sum(axis=2, keepdims=True)

    def _scored(self, rows: _Rows, evidence: Floats, log_p: Floats) -> Callable[[Floats], Floats]:
        """Score surveys of one size beside the classifier: each cell with itself in and out."""
        scorer = cast(Any, self.scorer)
        used = self.fit.used
        weights = (self.weight[0], self.weight[1:][self.fold])
        inside, outside = (self._logs(rows, evidence, log_p, weight) for weight in weights)
        reference = rows.reference[:, used]
        each = np.stack([self.multiplicity[rows.cell] * rows.probability, rows.probability])
        both = fit_log_pool(inside, reference, each, rows.cell, START)
        parts: list[Floats] = []
        for logs, coefficients in ((inside, both[0]), (outside, both[1][rows.cell])):
            prediction = np.full((len(rows.cell), self.fit.n_labels), 1e-9)
            prediction[:, used] = pooled(logs, coefficients)
            statistics = scorer.statistics(prediction, rows.reference, self.kind)
            parts.append(statistics * rows.probability[:, None] / 2)
        starts: Ints = np.searchsorted(rows.cell, np.arange(len(self.pattern)))
        statistics = np.add.reduceat(np.sum(parts, axis=0), starts, axis=0)[self.cell]

        def scored(drawn: Floats) -> Floats:
            return scorer.finish(drawn @ statistics / drawn.sum(axis=-1)[..., None])

        return scored

    def _logs(self, rows: _Rows, evidence: Floats, log_p: Floats, weight: Floats) -> Floats:
        """Log probabilities by all that predicts the next label: (rows, labels, predictions)."""
        alone = np.zeros((1, evidence.shape[1]))
        together = self._predict(rows, evidence, weight)[rows.cell, rows.observed]
        if weight.ndim == 1:
            raters = self._predict(rows, alone, weight)[0, rows.observed]
        else:
            raters = self._predict(rows, alone, self.weight[1:])[
                self.fold[rows.cell], rows.observed
            ]
        common = np.broadcast_to(np.log(self.weight[0] @ self.fit.support.theta), raters.shape)
        return np.stack([np.log(together), np.log(raters), log_p[rows.cell], common], axis=2)


def _rounded(probability: Floats) -> Floats:
    """Round predictions where they are many, so that hardly more are different than need be."""
    if len(probability) < ROUND_FROM:
        return probability
    near = np.exp(np.round(np.log(np.maximum(probability, LEAST)) / ROUNDED) * ROUNDED)
    return near / near.sum(axis=1, keepdims=True)


def _exp(logs: Floats) -> Floats:
    """Exponentials of each row, but for a factor that keeps the largest at 1."""
    top: Floats = logs.max(axis=1, keepdims=True)
    return np.exp(logs - top)


def _rows(surveys: Surveys, pattern: Ints, used: Codes) -> _Rows:
    """Give each cell the surveys of its pattern."""
    order = np.argsort(surveys.pattern, kind="stable")
    n = int(surveys.pattern.max()) + 1
    starts = np.searchsorted(surveys.pattern[order], np.arange(n + 1))
    size = np.diff(starts)[pattern]
    cell = np.repeat(np.arange(len(pattern)), size)
    offset = np.arange(len(cell)) - np.repeat(np.cumsum(size) - size, size)
    row = order[starts[pattern][cell] + offset]
    return _Rows(
        cell=cell,
        distinct=surveys.observed[:, used],
        observed=surveys.state[row],
        probability=surveys.probability[row],
        reference=surveys.reference[row],
    )
