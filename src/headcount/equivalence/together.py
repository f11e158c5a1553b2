"""Classifiers and raters together: several predictions of the same label made into one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, cast

import numpy as np

from headcount.equivalence.calibration import (
    Calibration,
    base_shares,
    softmax,
    with_imaginary_item,
)
from headcount.equivalence.methods import Exact, all_agree
from headcount.equivalence.power_curve import Design, Method
from headcount.equivalence.states import can_fit, exp_rows
from headcount.equivalence.surveys import Surveys, surveys_of_each
from headcount.stats.arrays import counted, group_rows
from headcount.stats.draws import FOLDS, folds
from headcount.typing import Codes, Floats, Ids, Ints

__all__ = [
    "score_together",
    "pooled",
    "fit_log_pool",
    "Evidence",
    "fit_pool",
    "predict_pool",
    "Pools",
    "gather",
]


MOST_WORK = 2e9
"""Floating-point operations for all classifiers: a second or two."""
STRENGTHS = (0.0, 1.0, 2.0, 4.0, 8.0, 32.0)
"""Raters that a prediction may count for."""
TRUSTS = (0.5, 0.0)
"""How far from the share of labels among all items a prediction may be believed, besides wholly."""
LEARN_FROM = 300
"""Cells from which the strength of a classifier is learned, at most."""
LEAST_BELIEVED = 1e-4
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
    r"""Score each soft classifier together with one rater of the item.

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
    logarithms (:func:`~headcount.equivalence.together.fit_log_pool`); weights are learned
    from the items. Each item is scored with itself in and with itself out, of states and of
    weights alike, and the two scores averaged, as those of surveys are.

    Parameters
    ----------
    design : Design
    scoring : Method
        What is told how to score each classifier with a rater; nothing where that does not apply
        or would take long, where items are very many, or where surveys are sampled.

    Notes
    -----
    O(cells x observations x states x labels) a classifier, as products of matrices.
    """
    if not (isinstance(scoring, Exact) and _applies(design)):
        return
    pattern, number = design.pools[0].pattern[scoring.first], scoring.multiplicity
    cells: dict[str, _Cells] = {}
    for classifier in design.classifiers:
        if classifier.kind == "soft":
            p = classifier.probability[scoring.first]
            p = p if len(p) < ROUND_FROM else _rounded(p)
            cells[classifier.name] = _Cells(design, pattern, p, number)
    # Rows are made only once it is known that they are few enough.
    if sum(each.work() for each in cells.values()) <= MOST_WORK:
        scoring.together.update({name: each.bind() for name, each in cells.items()})


def _applies(design: Design) -> bool:
    """Whether states can be fitted, and a soft classifier scored with a rater."""
    pool, scorer = design.pools[0], design.scorer
    return (
        any(c.kind == "soft" for c in design.classifiers)
        and pool.max_k > 1  # else it is above all that surveys tell
        and not design.combiner.leaves_out
        and design.combiner.bayesian
        and can_fit(pool.pool.patterns)
        and not all_agree(pool)
        and isinstance(pool.pool.reference, int)
        and pool.pool.reference == 1
        and hasattr(scorer, "statistics")
    )


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
    """Items that show the same labels and, perhaps rounded, the same prediction are one cell.

    Cells are sorted, so that no digit depends on the order of items. `cell` is that of each row.
    """

    def __init__(self, design: Design, pattern: Ints, probability: Floats, number: Codes) -> None:
        pool = design.pools[0]
        fit = pool.states
        self.scorer, self.kind = design.scorer, design.combiner.kind
        self.fit, self.pool = fit, pool
        self.weight = np.vstack([fit.weight, fit.fold_weight])
        first, self.cell = group_rows([pattern, *probability.T])
        self.pattern, self.probability = pattern[first], probability[first]
        self.multiplicity = counted(self.cell, number)
        theta = fit.support.theta
        self.log_theta = np.log(theta)
        self.products = (theta[:, :, None] * theta[:, None, :]).reshape(len(theta), -1)
        # One of the folds that hold items of the pattern, drawn by how many: cells are sorted.
        drawn = np.random.default_rng(pool.seed).random(len(self.pattern))
        chance = np.cumsum(fit.fold_share, axis=0)[:, self.pattern]
        self.fold = np.minimum((drawn > chance).sum(axis=0), len(chance) - 1)

    def work(self) -> float:
        """Count the operations that scoring takes, before any room is taken for it."""
        surveys = surveys_of_each(self.pool.pool.patterns, 1).sum(axis=1)
        return float((6.0 * surveys * self.fit.support.theta.size)[self.pattern].sum())

    @cached_property
    def rows(self) -> tuple[_Rows, _Rows]:
        """Surveys of no rater and of one, which take room only once they are known to be few."""
        none, one = map(self.pool.pool.surveys, (0, 1))
        used = self.fit.used
        return _rows(none, self.pattern, used), _rows(one, self.pattern, used)

    def bind(self) -> Callable[[Floats], Floats]:
        """Learn how much predictions count for; score data sets, given as items in each row."""
        scorer = cast(Any, self.scorer)
        evidence = self._evidence(self.probability)
        log_p = np.log(np.maximum(self.probability[:, self.fit.used], LEAST_BELIEVED))
        statistics = self._statistics(self.rows[1], evidence, log_p)[self.cell]
        return lambda drawn: scorer.finish(drawn @ statistics / drawn.sum(axis=-1)[..., None])

    def _evidence(self, probability: Floats) -> Floats:
        """Log weights that predictions add to those of states: (cells, states)."""
        p = probability[:, self.fit.used]
        mean = self.weight[0] @ self.fit.support.theta
        # Cells are sorted by pattern: those at the start are not like the others.
        learn = np.random.default_rng(self.pool.seed).permutation(len(p))[:LEARN_FROM]
        position = np.full(len(p), -1)
        position[learn] = np.arange(len(learn))

        def added(which: Ints, trust: float, strength: float) -> Floats:
            first, group = group_rows(p[which].T)
            towards = mean + trust * (p[which][first] - mean)
            parts = np.array_split(towards, -(-len(towards) // _AT_ONCE))
            return np.concatenate([self._tilts(p, trust * strength) for p in parts])[group]

        def value(trust: float, strength: float) -> float:
            logs = added(learn, trust, strength)
            total = 0.0
            for rows in self.rows:
                part = np.flatnonzero(position[rows.cell] >= 0)
                cell = rows.cell[part]
                q = self._predict(rows, logs, self.weight[0])[position[cell], rows.observed[part]]
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
        p = np.maximum(p, LEAST_BELIEVED)
        p = p / p.sum(axis=1, keepdims=True)
        logs = strength * p @ self.log_theta.T
        base = np.log(np.maximum(self.weight[0], 1e-300))
        ridge = 1e-4 * np.eye(theta.shape[1])
        for _ in range(_TILTS):
            weight = exp_rows(logs + base)
            weight /= weight.sum(axis=1, keepdims=True)
            current = weight @ theta
            square = (weight @ self.products).reshape(-1, *ridge.shape)
            spread = square - current[:, :, None] * current[:, None, :] + ridge
            step = np.asarray(np.linalg.solve(spread, (p - current)[..., None])[..., 0], np.float64)
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
            joint[part] = (exp_rows(logs[part]) * weight[part]) @ after
        joint = joint.reshape(len(joint), len(rows.distinct), -1)
        return joint / joint.sum(axis=2, keepdims=True)

    def _statistics(self, rows: _Rows, evidence: Floats, log_p: Floats) -> Floats:
        """Statistics of surveys beside the classifier: each cell left in, and out."""
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
    near = np.exp(np.round(np.log(np.maximum(probability, LEAST_BELIEVED)) / ROUNDED) * ROUNDED)
    return near / near.sum(axis=1, keepdims=True)


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


# Several predictions of the same label made into one, by adding up their logarithms.

_PRIOR = 1.0
"""Precision with which coefficients are those to start from: as much as an item or so tells."""
_STEPS = 50
_HALVINGS = 10
_TOLERANCE = 1e-9


def pooled(logs: Floats, coefficients: Floats, offset: Floats | float = 0.0) -> Floats:
    r"""Pool predictions: :math:`q_l \propto \exp(\sum_f b_f \log p_{fl})`.

    Parameters
    ----------
    logs : (rows, labels, predictions) array
        Log probabilities.
    coefficients : (predictions,) or (rows, predictions) array
    offset : (labels,) array, optional
        What is added to the sums.

    Examples
    --------
    >>> logs = np.log([[[0.5, 0.8], [0.5, 0.2]]])
    >>> pooled(logs, np.array([1.0, 1.0])).round(2)
    array([[0.8, 0.2]])
    """
    each = np.broadcast_to(coefficients, (len(logs), logs.shape[2]))
    return softmax(np.einsum("rlf,rf->rl", logs, each) + offset)


def fit_log_pool(
    logs: Floats, reference: Floats, weight: Floats, item: Ints, start: Floats
) -> tuple[Floats, Floats]:
    """Learn how much each of several predictions counts for, by maximum likelihood.

    Parameters
    ----------
    logs : (rows, labels, predictions) array
        Log probabilities.
    reference : (rows, labels) array
        Distribution of the label that is predicted.
    weight : (2, rows) array
        Weight of each row among all items, and within one item of its kind.
    item : (rows,) array of int
        The kind of item of each row: 0, 1, 2 ...
    start : (predictions,) array
        Coefficients that are kept where there is nothing to learn.

    Returns
    -------
    (predictions,) array, (kinds, predictions) array
        Coefficients that all items teach, and all but one of each kind: by one step of Newton's
        method, which is exact to first order.

    Notes
    -----
    O(rows x labels x predictions^2) a step.
    """
    evaluate = partial(_evaluate, logs=logs, reference=reference, centre=start)
    b = _climb(partial(evaluate, weight=weight[0]), start, start)
    curvature, slope = evaluate(b, weight=weight[0])[2], evaluate(b, weight=weight[1])[1]
    starts = np.searchsorted(item, np.arange(int(item.max()) + 1))
    own: Floats = np.add.reduceat(slope, starts, axis=0)
    return b, b - _solve(curvature, own.T).T


def _climb(
    evaluate: Callable[[Floats], tuple[float, Floats, Floats]], centre: Floats, start: Floats
) -> Floats:
    """Maximise by Newton's method, halving steps that lead too far."""
    b, (value, slope, curvature) = start, evaluate(start)
    for _ in range(_STEPS):
        step = _solve(curvature, slope.sum(axis=0) - _PRIOR * (b - centre))
        for _ in range(_HALVINGS):
            there = evaluate(b + step)
            if there[0] >= value:
                break
            step = step / 2
        else:
            break
        gained, b = there[0] - value, b + step
        value, slope, curvature = there
        if gained < _TOLERANCE:
            break
    return b


def _solve(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.linalg.solve(a, b), dtype=np.float64)


def _evaluate(
    b: Floats,
    logs: Floats,
    reference: Floats,
    weight: Floats,
    centre: Floats,
    offset: Floats | float = 0.0,
) -> tuple[float, Floats, Floats]:
    """Log likelihood, its slope in each row, and minus the curvature of all; prior included."""
    q = pooled(logs, b, offset)
    fitted = (reference * np.log(np.maximum(q, 1e-300))).sum(axis=1)
    value = float(weight @ fitted - _PRIOR / 2 * ((b - centre) ** 2).sum())
    mean: Floats = np.einsum("rl,rlf->rf", q, logs)
    slope: Floats = np.einsum("rl,rlf->rf", reference - q, logs) * weight[:, None]
    away = logs - mean[:, None]
    flat = (away * np.sqrt(q * weight[:, None])[..., None]).reshape(-1, len(b))
    return value, slope, flat.T @ flat + _PRIOR * np.eye(len(b))


# Several classifiers as one prediction of the next rater: a pool of log odds, cross-fitted.

LEAST_CERTAIN = 1e-4
"""Probability below which a classifier is taken for no more certain."""


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
    shares = evidence.shares[used]
    number = shares.sum(axis=1)

    evaluate = partial(
        _evaluate,
        logs=features,
        reference=shares / number[:, None],
        weight=number,
        centre=centre,
        offset=np.log(evidence.base),
    )
    return _climb(evaluate, centre, centre if start is None else start)


def predict_pool(evidence: Evidence, members: Sequence[int], fitted: Floats) -> Floats:
    """Predict the next rater of every row by a panel: (rows, labels)."""
    q = softmax(_features(evidence.logs, members) @ fitted + np.log(evidence.base))
    return with_imaginary_item(q, evidence.base, evidence.items)


def _features(logs: Floats, members: Sequence[int]) -> Floats:
    """Evidence of members and indicators of labels: (rows, labels, members + labels)."""
    size = logs.shape[2]
    ones = np.broadcast_to(np.eye(size), (len(logs), size, size))
    return np.concatenate([np.swapaxes(logs[:, list(members)], 1, 2), ones], axis=2)


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
        :func:`headcount.equivalence.calibration.cross_fit`.
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
            by_fold = [fit_pool(evidence, members, fitted) for evidence in self.without]
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
        weight = np.ones(len(used))
        base = base_shares(reference[used], weight)
        logs = np.empty((len(first), len(tables), len(base)))
        for k, (calibration, table) in enumerate(tables):
            predicted = table[first]
            if calibration is not None:
                predicted = calibration.fit(table[used], reference[used], predicted, weight)
            logs[:, k] = np.log(np.maximum(predicted, LEAST_CERTAIN) / base)
        shares = np.zeros((len(first), len(base)))
        np.add.at(shares, row[used], reference[used])
        return Evidence(base=base, logs=logs, shares=shares, items=len(used))

    return Pools(
        row=row,
        fold=fold,
        every=learned(np.arange(len(items))),
        without=[learned(np.flatnonzero(fold != part)) for part in range(number)],
    )
