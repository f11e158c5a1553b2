"""Classifiers and raters together: what the prediction of one adds to the labels of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from headcount.equivalence.states.fit import can_fit
from headcount.equivalence.surveys.base import Block, Design, Method
from headcount.equivalence.surveys.choice import all_agree
from headcount.equivalence.surveys.exact import Exact
from headcount.equivalence.surveys.many_items import ManyItems, Together
from headcount.equivalence.surveys.surveys import Surveys, surveys_of_each
from headcount.equivalence.worth.log_pool import fit_log_pool, pooled
from headcount.stats.grouping import counted, find_rows, group_rows
from headcount.typing import Codes, Floats, Ints

__all__ = ["MOST_WITH", "score_together"]

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
_AT_ONCE = 10_000
"""Cells whose states are weighed at once: of all of them, that would take a gigabyte."""


def score_together(design: Design, scoring: Method) -> None:
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
    scoring : Method
        What is told how to score each classifier with 1, 2 ... raters; nothing where that does not
        apply or would take long, or where surveys are sampled.

    Notes
    -----
    O(cells x observations x states x labels) a classifier, as products of matrices.
    """
    if not _applies(design):
        return
    sizes = range(1, min(design.pools[0].max_k, MOST_WITH) + 1)
    soft = {i: c.name for i, c in enumerate(design.classifiers) if c.kind == "soft"}
    if isinstance(scoring, Exact):
        pattern, number = design.pools[0].pattern[scoring.first], scoring.multiplicity
        tables = (design.classifiers[i].probability[scoring.first] for i in soft)
        rows = [
            _Kinds.of(pattern, p if len(p) < ROUND_FROM else _rounded(p), number) for p in tables
        ]
        if _work(design, sizes, [kinds for kinds, _ in rows]) <= MOST_WORK:
            for name, (kinds, kind) in zip(soft.values(), rows, strict=True):
                scoring.together[name] = _Cells(design, kinds, sizes).bind(kind)
    elif isinstance(scoring, ManyItems):
        for i, kinds in _kinds_of_blocks(design, list(soft), sizes).items():
            statistics = _Cells(design, kinds, sizes).of_blocks(i)
            scoring.together[soft[i]] = Together(len(sizes), statistics)


def _applies(design: Design) -> bool:
    """Whether states can be fitted, and a soft classifier scored with raters."""
    pool, scorer = design.pools[0], design.scorer
    return (
        any(c.kind == "soft" for c in design.classifiers)
        and not design.combiner.leaves_out
        and design.combiner.bayesian
        and can_fit(pool.pool.patterns)
        and not all_agree(pool)
        and isinstance(pool.pool.reference, int)
        and pool.pool.reference == 1
        and hasattr(scorer, "statistics")
    )


@dataclass(frozen=True)
class _Kinds:
    """Kinds of items: those that show the same labels and, perhaps rounded, the same prediction.

    Sorted, so that no digit depends on the order of items.
    """

    pattern: Ints
    probability: Floats
    multiplicity: Codes

    @classmethod
    def of(cls, pattern: Ints, probability: Floats, number: Codes) -> tuple[_Kinds, Ints]:
        """Find the kinds of rows that stand for so many items each, and the kind of each row."""
        first, kind = group_rows([pattern, *probability.T])
        return cls(pattern[first], probability[first], counted(kind, number)), kind

    def merged(self, other: _Kinds) -> _Kinds:
        """Put the kinds of other items beside these."""
        both = (
            np.concatenate([getattr(one, name) for one in (self, other)])
            for name in ("pattern", "probability", "multiplicity")
        )
        return _Kinds.of(*both)[0]

    def find(self, pattern: Ints, probability: Floats) -> Ints:
        """Find the kinds of rows, which must be there."""
        return find_rows([self.pattern, *self.probability.T], [pattern, *probability.T])


def _kinds_of_blocks(design: Design, places: list[int], sizes: range) -> dict[int, _Kinds]:
    """Find the kinds of all items, by what each of some classifiers says: in one pass.

    None where there are so many that to score them would take long.
    """
    found: dict[int, _Kinds] = {}
    for block in design.blocks():
        for i in places:
            kinds, _ = _Kinds.of(
                block.pattern, _rounded(block.probability[i]), block.weight.astype(np.int64)
            )
            found[i] = found[i].merged(kinds) if i in found else kinds
        if _work(design, sizes, found.values()) > MOST_WORK:
            return {}
    return found


def _work(design: Design, sizes: range, kinds: Iterable[_Kinds]) -> float:
    """Count the operations that classifiers take, before any room is taken for them."""
    pool = design.pools[0]
    surveys = surveys_of_each(pool.pool.patterns, sizes[-1]).sum(axis=1)
    each = 6.0 * surveys * pool.states.support.theta.size
    return sum(float(each[one.pattern].sum()) for one in kinds)


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
    """Kinds of items, each of them a cell, with what raters say of its items."""

    def __init__(self, design: Design, kinds: _Kinds, sizes: range) -> None:
        pool = design.pools[0]
        fit = pool.states
        self.scorer, self.kind = design.scorer, design.combiner.kind
        self.fit, self.sizes, self.seed = fit, sizes, pool.seed
        self.weight = np.vstack([fit.weight, fit.fold_weight])
        self.kinds, self.pattern = kinds, kinds.pattern
        self.probability, self.multiplicity = kinds.probability, kinds.multiplicity
        theta = fit.support.theta
        self.log_theta = np.log(theta)
        self.products = (theta[:, :, None] * theta[:, None, :]).reshape(len(theta), -1)
        # One of the folds that hold items of the pattern, drawn by how many: cells are sorted.
        drawn = np.random.default_rng(pool.seed).random(len(self.pattern))
        chance = np.cumsum(fit.fold_share, axis=0)[:, self.pattern]
        self.fold = np.minimum((drawn > chance).sum(axis=0), len(chance) - 1)
        self.pool = pool

    @cached_property
    def rows(self) -> dict[int, _Rows]:
        """Surveys of each size, which take room only once it is known that they are few enough."""
        surveys = {k: self.pool.pool.surveys(k) for k in (0, *self.sizes)}
        return {k: _rows(each, self.pattern, self.fit.used) for k, each in surveys.items()}

    def bind(self, cell: Ints) -> Callable[[Floats], Floats]:
        """Prepare to score data sets, given as the number of items in rows of these cells.

        What it returns gives (draws, sizes) for 1, 2 ... raters.
        """
        scorer = cast(Any, self.scorer)
        each = [statistics[cell] for statistics in self._statistics()]

        def scored(drawn: Floats) -> Floats:
            n = drawn.sum(axis=-1)[..., None]
            return np.column_stack([scorer.finish(drawn @ one / n) for one in each])

        return scored

    def of_blocks(self, place: int) -> Callable[[Block], Floats]:
        """Give the statistics of the rows of a block, by what one of the classifiers says."""
        statistics = np.concatenate(self._statistics(), axis=1)

        def of(block: Block) -> Floats:
            return statistics[self.kinds.find(block.pattern, _rounded(block.probability[place]))]

        return of

    def _statistics(self) -> list[Floats]:
        """Learn how much predictions count for; statistics of cells with 1, 2 ... raters."""
        evidence = self._evidence(self.probability)
        p = np.maximum(self.probability[:, self.fit.used], LEAST)
        return [self._of_size(self.rows[k], evidence, np.log(p)) for k in self.sizes]

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
            towards = mean + trust * (p[which][first] - mean)
            parts = np.array_split(towards, -(-len(towards) // _AT_ONCE))
            return np.concatenate([self._tilts(p, trust * strength) for p in parts])[group]

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
        logs, weight = np.broadcast_arrays(logs, weight)
        joint = np.empty((len(logs), after.shape[1]))
        for start in range(0, len(logs), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            joint[part] = (_exp(logs[part]) * weight[part]) @ after
        joint = joint.reshape(len(joint), len(rows.distinct), -1)
        return joint / joint.sum(axis=2, keepdims=True)

    def _of_size(self, rows: _Rows, evidence: Floats, log_p: Floats) -> Floats:
        """Statistics of surveys of one size beside the classifier: each cell left in, and out."""
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
        return np.add.reduceat(np.sum(parts, axis=0), starts, axis=0)

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
    """Round predictions that are many, so that hardly more are different than need be."""
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
