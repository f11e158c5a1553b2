"""Calibration: make predictions mean what they say, without seeing what they predict.

Predictions of any kind become probabilities of raters' labels, cross-fitted. To add a way, write
its class here and put it into :data:`CALIBRATIONS`; users can pass an object of their own with a
`name`, a `softens` and a `fit`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import numpy as np

from headcount.equivalence.scorers import most_probable
from headcount.errors import OptionError, option, unknown_name
from headcount.stats.arrays import group_rows, repeated_quantiles
from headcount.stats.draws import ENOUGH, FOLDS, ranks
from headcount.typing import Codes, Flags, Floats, Ids, Ints

__all__ = [
    "Calibration",
    "with_imaginary_item",
    "base_shares",
    "softmax",
    "MANY_LABELS",
    "pooled",
    "rounded",
    "minimum",
    "OrderedLogit",
    "CALIBRATIONS",
    "OF_NAMES",
    "OF_VERDICTS",
    "as_calibration",
    "softening",
    "of_numbers",
    "Folded",
    "cross_fit",
]


# What a calibration is, and the imaginary item that keeps its probabilities above 0.


@runtime_checkable
class Calibration(Protocol):
    """A way to calibrate.

    One that is `of_numbers`, which a user's own need not say, learns from a column of numbers.
    """

    name: str
    """What users call it."""
    softens: bool
    """Whether it makes probabilities of labels."""

    def fit(self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats) -> Floats:
        """Learn from predictions and label shares of some items; calibrate those of others.

        Parameters
        ----------
        learned, shares : (items, labels) arrays
            Predictions, and the share of each label among the reference raters. Predictions that
            are names which raters do not use have other columns, and numbers have one.
        prediction : (others, labels) array
        weight : (items,) array
            How many items each row that is learned from stands for.

        Returns
        -------
        (others, labels) array
        """
        ...


def with_imaginary_item(fitted: Floats, base: Floats, n: float) -> Floats:
    """Add an item that answers as all the others do to the n that were learned from."""
    return (n * fitted + base) / (n + 1)


def base_shares(shares: Floats, weight: Floats) -> Floats:
    """Share of each label, with one imaginary item that gives each the same."""
    return (weight @ shares + 1 / shares.shape[1]) / (weight.sum() + 1)


def softmax(logs: Floats) -> Floats:
    """Probabilities of logarithms that are right but for a constant a row."""
    p = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)


# What raters said where the same was predicted.

BINS = 10
FEW_VALUES = 20
"""Predictions with at most so many different values are calibrated value by value."""
IMAGINARY = (1.0, 1 / 4, 1 / 16, 1 / 64, 4.0, 16.0)
"""Imaginary items, of which the first is taken unless fewer or more are clearly better."""
LIKE_THE_LABEL = tuple(2.0**power for power in range(-2, 11))
"""Imaginary items that, where there are many labels, say the label itself as often as others do."""
ENOUGH_ITEMS = 20_000
"""Items beside which an imaginary one does not matter."""


class Empirical:
    """The share of each label among items with the same prediction.

    Or in the same tenth of predictions, if they have many values.
    """

    name: str = "empirical"
    softens: bool = True

    def fit(self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats) -> Floats:
        """Average the shares of each value or bin, an imaginary item included.

        Or a part of one, where raters hardly ever differ among items with the same prediction; or
        more of them, where many labels leave each with few items. Of more than ten labels that
        raters use too, imaginary items say the predicted label as often as raters of all items
        do, and there are as many of them as make left-out items most probable.
        """
        both = np.concatenate([learned, prediction])
        first, group = group_rows(np.round(both, 12).T)
        if len(first) > FEW_VALUES:
            group = _binned(learned, both, weight)
        base = base_shares(shares, weight)
        size = int(group.max()) + 1
        total = np.zeros((size, shares.shape[1]))
        own = group[: len(learned)]
        np.add.at(total, own, shares * weight[:, None])
        items: Floats = np.bincount(own, weight, minlength=size)[:, None].astype(np.float64)
        ways = [(m, np.broadcast_to(base, total.shape)) for m in IMAGINARY]
        if shares.shape[1] > MANY_LABELS and both.shape[1] == shares.shape[1]:
            same = _same_label(learned, shares, base, weight)
            chosen = np.zeros(total.shape)
            chosen[group] = most_probable(both)
            ways += [(m, same * chosen + (1 - same) * base) for m in LIKE_THE_LABEL]
        m, instead = _imaginary(total, items, own, shares, ways, weight)
        smoothed: Floats = (total + m * instead) / (items + m)
        return smoothed[group[len(learned) :]]


def _same_label(learned: Floats, shares: Floats, base: Floats, times: Floats) -> float:
    """How much more often raters say what is predicted than they would by chance, from 0 to 1."""
    chosen = most_probable(learned)
    agreed = float(times @ (chosen * shares).sum(axis=1) / times.sum())
    by_chance = float(times @ (chosen @ base) / times.sum())
    return float(np.clip((agreed - by_chance) / (1 - by_chance), 0, 0.99))


def _imaginary(
    total: Floats,
    items: Floats,
    own: Ints,
    shares: Floats,
    ways: list[tuple[float, Floats]],
    times: Floats,
) -> tuple[float, Floats]:
    """Choose imaginary items, their number and answers, by what the others of its kind say of each.

    The first way, unless the ratings are more probable in another one, by more than a standard
    error of the mean difference over items, of which each row stands for `times`. After the first
    few, of which one would do as well as another, the most probable: with that number what is lost
    on items left out is half of what is won by having them in, so that the mean of both is right.
    """
    if times.sum() > ENOUGH_ITEMS:
        return ways[0]
    others, number = total[own] - shares, items[own] - 1
    fits = [
        (shares * np.log(np.maximum((others + m * more[own]) / (number + m), 1e-300))).sum(axis=1)
        for m, more in ways
    ]
    chosen, n = 0, float(times.sum())
    for index in range(1, len(ways)):
        better = fits[index] - fits[chosen]
        mean = float(times @ better) / n
        variance = float(times @ (better - mean) ** 2) / n
        if mean > (0 if index >= len(IMAGINARY) else np.sqrt(variance / n)):
            chosen = index
    return ways[chosen]


def _binned(learned: Floats, both: Floats, weight: Floats) -> Ints:
    """Most probable label, and tenth of its probability among the items learned from."""
    label = np.argmax(most_probable(both), axis=1)
    top = both.max(axis=1)
    edges = repeated_quantiles(learned.max(axis=1), np.linspace(0, 1, BINS + 1)[1:-1], weight)
    tenth = np.searchsorted(edges, np.asarray(top, dtype=np.float64), side="right")
    return np.asarray(label * BINS + tenth, dtype=np.intp)


MANY_LABELS = 10
"""Labels above which what was learned may be remembered."""


class Isotonic:
    """A monotone function of each label's probability, then normalised."""

    name: str = "isotonic"
    softens: bool = False

    def fit(self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats) -> Floats:
        """Fit an isotonic regression a label."""
        base = base_shares(shares, weight)
        fitted = np.stack(
            [
                _isotonic(x, y, weight, new)
                for x, y, new in zip(learned.T, shares.T, prediction.T, strict=True)
            ],
            axis=1,
        )
        if shares.shape[1] == 2:  # one regression says it all
            fitted[:, 0] = 1 - fitted[:, 1]
        total = fitted.sum(axis=1, keepdims=True)
        fitted = np.where(total > 0, fitted / np.where(total > 0, total, 1), base)
        return with_imaginary_item(fitted, base, weight.sum())


def _isotonic(x: Floats, y: Floats, weight: Floats, new: Floats) -> Floats:
    """Regress y on x, rising; between the numbers that were learned from, linearly."""
    isotonic_regression: Any = import_module("scipy.optimize").isotonic_regression
    values, group = np.unique(x, return_inverse=True)
    each = np.bincount(group, weight)
    rising = isotonic_regression(np.bincount(group, weight * y) / each, weights=each).x
    return np.asarray(np.interp(new, values, rising), dtype=np.float64)


# Numbers as regressions see them: ranked, to the third power, in few cells.

MOST_CELLS = 500
"""Different numbers that are told apart when a regression is fitted."""
POWERS = 3
LEVELS = 4096
"""Numbers between a power of two and the next, and as many below 0, that are told apart."""


@dataclass(frozen=True, eq=False)
class Cubic:
    r"""Polynomials of normal scores up to the third degree, uncorrelated where they were learned.

    A number counts as its normal score :math:`z = \Phi^{-1}(r / n)`, r being its rank among the n
    that were learned from, ties in the middle. So neither its unit matters nor how it is bent: a
    score and its logarithm say the same. Powers themselves would be so nearly parallel that a fit
    gets stuck.

    Parameters
    ----------
    values, scores : (values,) arrays
        The different numbers learned from, ascending, and the normal score of each; other numbers
        are interpolated, and count as the ends beyond them.
    weight : (4, degree) array
        Of 1, z, z^2 and z^3 in each polynomial. As many numbers as differ, less one, are the
        degree at most.
    """

    values: Floats
    scores: Floats
    weight: Floats

    @classmethod
    def learned(cls, x: Floats, weight: Floats) -> Cubic:
        """Rank these numbers, of which each stands for so many items."""
        values, index = np.unique(x, return_inverse=True)
        each = np.bincount(index, weight)
        ndtri: Any = import_module("scipy.special").ndtri
        scores = np.asarray(ndtri((np.cumsum(each) - each / 2) / each.sum()), dtype=np.float64)
        degree = min(POWERS, len(values) - 1)
        start = cls(values, scores, np.eye(POWERS + 1)[:, : degree + 1])
        triangle = np.linalg.qr(start(values) * np.sqrt(each)[:, None], mode="r")
        unit = np.linalg.inv(triangle)[:, 1:] * np.sqrt(each.sum())
        return replace(start, weight=start.weight @ unit)

    @property
    def degree(self) -> int:
        """Number of polynomials."""
        return self.weight.shape[1]

    def __call__(self, x: Floats) -> Floats:
        """Make the columns of a regression: (numbers, degree)."""
        z = np.interp(x, self.values, self.scores)
        return z[:, None] ** np.arange(POWERS + 1) @ self.weight


def pooled(x: Floats, shares: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Pool items with the same number, or with nearly the same if there are many numbers.

    Each row stands for so many items as its weight says.

    Returns
    -------
    numbers : (cells,) array
    total : (cells, labels) array
        Sum of the label shares of each cell.
    """
    values, cell = np.unique(x, return_inverse=True)
    if len(values) > MOST_CELLS:
        each = np.bincount(cell, weight)
        before = np.cumsum(each) - each
        # Equal numbers stay together; one of many items may skip some cells.
        _, pool = np.unique(before * MOST_CELLS // each.sum(), return_inverse=True)
        cell = pool[cell]
        values = np.bincount(cell, x * weight) / np.bincount(cell, weight)
    total = np.zeros((len(values), shares.shape[1]))
    np.add.at(total, cell, shares * weight[:, None])
    return values, total


def rounded(x: Floats) -> Floats:
    """Round numbers to one part in 4,096 of the power of two above them.

    Examples
    --------
    >>> rounded(np.array([0.1, 100.01, 0.0])).tolist()
    [0.100006103515625, 100.0, 0.0]
    """
    part, power = np.frexp(x)
    return np.ldexp(np.round(part * LEVELS) / LEVELS, power)


def minimum(
    objective: Callable[[Floats], tuple[float, Floats]],
    start: Floats,
    bounds: list[tuple[float, float]] | None = None,
) -> Floats:
    """Minimise a function that gives its value and gradient, by L-BFGS."""
    minimize: Any = import_module("scipy.optimize").minimize  # untyped, and slow to import
    solution = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(solution.x, dtype=np.float64)


# A number and labels that have no order: the multinomial logit.

LOGIT_RIDGE = 0.5
"""Penalty on slopes, in items."""


class Logit:
    r"""Odds of labels without an order, cubic in a number.

    .. math:: P(y = l \mid x) \propto \exp(a_l + b_{l1} z_1 + b_{l2} z_2 + b_{l3} z_3)

    with :math:`z_1, z_2, z_3` uncorrelated polynomials of the number's normal score; by maximum
    likelihood, with a penalty on slopes.
    """

    name: str = "logit"
    softens: bool = True
    of_numbers: bool = True

    def fit(self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats) -> Floats:
        """Fit intercepts and slopes to shares of labels; predict after other numbers."""
        base = base_shares(shares, weight)
        cubic = Cubic.learned(learned[:, 0], weight)
        numbers, total = pooled(learned[:, 0], shares, weight)
        x, shape = _with_one(cubic(numbers)), (cubic.degree + 1, len(base))

        def objective(parameters: Floats) -> tuple[float, Floats]:
            table = parameters.reshape(shape)
            p = softmax(x @ table)
            loss = -(total * np.log(np.maximum(p, 1e-300))).sum()
            gradient = x.T @ (total.sum(axis=1, keepdims=True) * p - total)
            loss += LOGIT_RIDGE / 2 * (table[1:] ** 2).sum()
            gradient[1:] += LOGIT_RIDGE * table[1:]
            return float(loss), gradient.ravel()

        start = np.concatenate([np.log(base), np.zeros(cubic.degree * len(base))])
        table = minimum(objective, start).reshape(shape)
        fitted = softmax(_with_one(cubic(prediction[:, 0])) @ table)
        return with_imaginary_item(fitted, base, weight.sum())


def _with_one(x: Floats) -> Floats:
    return np.concatenate([np.ones((len(x), 1)), x], axis=1)


# A number and ordered labels: the cumulative logit.

ORDERED_LOGIT_RIDGE = 0.05
"""Penalty on slopes, in items: what keeps a judge that is never wrong from infinite ones."""
NARROWEST, WIDEST = -9.0, 4.0
"""Logarithms between which thresholds lie apart, in logits."""


class OrderedLogit:
    r"""Proportional odds of ordered labels, cubic in a number.

    .. math:: P(y \le l \mid x) = \sigma(\theta_l - b_1 z_1 - b_2 z_2 - b_3 z_3)

    with :math:`z_1, z_2, z_3` uncorrelated polynomials of the number's normal score; by maximum
    likelihood, with a slight penalty on slopes (McCullagh 1980). Cubic, since a score need
    not be linear in the logit, nor rise.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 60)[:, None]
    >>> shares = np.eye(2)[(x[:, 0] > 0).astype(int)]
    >>> OrderedLogit().fit(x, shares, np.array([[-0.9], [0.9]]), np.ones(60)).round(1)
    array([[1., 0.],
           [0., 1.]])
    """

    name: str = "ordered-logit"
    softens: bool = True
    of_numbers: bool = True

    def fit(self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats) -> Floats:
        """Fit thresholds and slopes to shares of labels; predict after other numbers."""
        base = base_shares(shares, weight)
        cubic = Cubic.learned(learned[:, 0], weight)
        numbers, total = pooled(learned[:, 0], shares, weight)
        x = cubic(numbers)
        cuts = len(base) - 1

        def thresholds(parameters: Floats) -> Floats:
            return parameters[0] + np.concatenate([[0.0], np.cumsum(np.exp(parameters[1:cuts]))])

        def objective(parameters: Floats) -> tuple[float, Floats]:
            slopes = parameters[cuts:]
            below = _logistic(thresholds(parameters) - (x @ slopes)[:, None])
            p = np.maximum(_between(below), 1e-300)
            loss = -(total * np.log(p)).sum() + ORDERED_LOGIT_RIDGE / 2 * slopes @ slopes
            # d loss / d P(y <= l), then through the logistic to thresholds and slopes.
            each = -total / p
            slope = (each[:, :-1] - each[:, 1:]) * below * (1 - below)
            by_cut = slope.sum(axis=0)
            gradient = np.empty_like(parameters)
            gradient[0] = by_cut.sum()
            gradient[1:cuts] = np.cumsum(by_cut[::-1])[::-1][1:] * np.exp(parameters[1:cuts])
            gradient[cuts:] = -slope.sum(axis=1) @ x + ORDERED_LOGIT_RIDGE * slopes
            return float(loss), gradient

        start = np.concatenate([_start(base), np.zeros(cubic.degree)])
        bounds = [
            (-30.0, 30.0),
            *[(NARROWEST, WIDEST)] * (cuts - 1),
            *[(-30.0, 30.0)] * cubic.degree,
        ]
        solution = minimum(objective, start, bounds)
        eta = cubic(prediction[:, 0]) @ solution[cuts:]
        fitted = _between(_logistic(thresholds(solution) - eta[:, None]))
        return with_imaginary_item(fitted, base, weight.sum())


def _start(base: Floats) -> Floats:
    """Thresholds that give the shares of labels, whatever the number."""
    up_to = np.cumsum(base)[:-1]
    logits = np.log(up_to / (1 - up_to))
    gaps = np.log(np.maximum(np.diff(logits), 1e-6))
    return np.concatenate([logits[:1], np.clip(gaps, NARROWEST, WIDEST)])


def _between(below: Floats) -> Floats:
    """Probabilities of labels, of those of labels up to each."""
    ends = np.zeros((len(below), 1)), np.ones((len(below), 1))
    return np.diff(np.concatenate([ends[0], below, ends[1]], axis=1), axis=1)


def _logistic(x: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(x, -500, 500)))


# One temperature for all probabilities, and a bias a label.

LEAST_PROBABILITY = 1e-3
"""Probabilities below this are taken for it: confidence of 1 is rarely certainty."""
TEMPERATURE_RIDGE = 0.05


class Temperature:
    r"""Probabilities to a power, times a factor a label: :math:`q_l \propto e^{a_l} p_l^{b}`.

    By maximum likelihood. Few parameters, for a verdict whose confidence was read as its
    probability (Guo et al. 2017, with a bias a label).
    """

    name: str = "temperature"
    softens: bool = False

    def fit(self, learned: Floats, shares: Floats, prediction: Floats, weight: Floats) -> Floats:
        """Fit the power and the factors to shares of labels."""
        base = base_shares(shares, weight)
        times = weight[:, None]
        logs = _logs(learned)

        def objective(parameters: Floats) -> tuple[float, Floats]:
            p = softmax(parameters[1:] + parameters[0] * logs)
            loss = -(times * shares * np.log(np.maximum(p, 1e-300))).sum()
            error = times * (p - shares)
            gradient = np.concatenate([[(error * logs).sum()], error.sum(axis=0)])
            penalty = TEMPERATURE_RIDGE * parameters
            return float(loss + parameters @ penalty / 2), gradient + penalty

        solution = minimum(objective, np.concatenate([[0.5], np.zeros(len(base))]))
        fitted = softmax(solution[1:] + solution[0] * _logs(prediction))
        return with_imaginary_item(fitted, base, weight.sum())


def _logs(p: Floats) -> Floats:
    return np.log(np.maximum(p, LEAST_PROBABILITY))


CALIBRATIONS: dict[str, Calibration] = {
    c.name: c for c in (Isotonic(), Empirical(), OrderedLogit(), Logit(), Temperature())
}
"""Ways to calibrate, by name."""
OF_NAMES = CALIBRATIONS[Empirical.name]
"""What makes probabilities of labels that are only names."""
OF_VERDICTS = CALIBRATIONS[Temperature.name]
"""What makes them of a verdict with its confidence."""


def as_calibration(calibration: Any) -> Calibration:
    """Find a way to calibrate by name; an object that calibrates is returned as it is."""
    if isinstance(calibration, str):
        if calibration not in CALIBRATIONS:
            raise unknown_name(
                "calibration", calibration, list(CALIBRATIONS), option_name="calibrate"
            )
        return CALIBRATIONS[calibration]
    if not isinstance(calibration, Calibration):
        raise OptionError(
            f"{option('calibrate')} must be one of {', '.join(CALIBRATIONS)}, or an object with "
            f"name, softens and fit, not {type(calibration).__name__}."
        )
    return calibration


def softening(calibration: Calibration) -> Calibration:
    """Find what makes probabilities of labels: `calibration` itself, or that of names."""
    return calibration if calibration.softens else OF_NAMES


def of_numbers(*, ordered: bool) -> Calibration:
    """Find what makes probabilities of numbers, where labels have an order or not."""
    return CALIBRATIONS[OrderedLogit.name if ordered else Logit.name]


# Which rows are held out together: items by their keys, in ten parts.


@dataclass(frozen=True, eq=False)
class Folded:
    """Rows, each of one item or of several that are alike, and the fold of each.

    Parameters
    ----------
    weight : (rows,) array
        Items that a row stands for.
    fold : (rows,) array of int
    deciding : (rows,) array of int
        The fold among the items that decide between calibrations; -1 of those that do not.
    """

    weight: Floats
    fold: Codes
    deciding: Codes

    @classmethod
    def of_items(cls, ids: Ids, seed: int) -> Folded:
        """Part items, a row each, by their ids."""
        fold, deciding = parts_of(ranks(ids, seed), len(ids))
        return cls(np.ones(len(ids)), fold, deciding)

    @property
    def items(self) -> int:
        """How many items there are."""
        return int(self.weight.sum())

    def decides(self) -> tuple[Flags, Folded]:
        """Take the rows that decide between calibrations."""
        some = self.deciding >= 0
        fold = self.deciding[some]
        return some, Folded(self.weight[some], fold, fold)


def parts_of(rank: Codes, items: int) -> tuple[Codes, Codes]:
    """Fold of items by their rank, and the fold among those that decide.

    Examples
    --------
    >>> parts_of(np.arange(3), 3)
    (array([0, 1, 2]), array([0, 1, 2]))
    """
    step = -(-items // ENOUGH)
    chosen = -(-items // step) if step else 0
    deciding = np.where(rank % max(step, 1) == 0, rank // max(step, 1) % min(FOLDS, chosen), -1)
    return rank % min(FOLDS, items), deciding


# Cross-fitting: calibrate each item by what the others teach.


def cross_fit(
    prediction: Floats,
    items: Ids | Folded,
    reference: Floats,
    calibration: Calibration,
    seed: int,
    *,
    two_sided: bool = False,
    held_out: Floats | None = None,
) -> Floats:
    r"""Turn predictions into probabilities of raters' labels, cross-fitted by item.

    Items are split into ten parts; predictions for the items of a part are calibrated by what the
    others teach, so that no prediction has seen the labels of its own item. The part of an item
    depends on its id and the seed alone.

    Parameters
    ----------
    prediction : (items, columns) array
        Probabilities, chances of labels, or one column of numbers.
    items : (items,) array, or Folded
        Ids of the items; or, where rows stand for several items each, the folds of these.
    reference : (items, labels) array
        Share of each label among the reference raters of each item; each item weighs the same.
    calibration : Calibration
    seed : int
    two_sided : bool
        Whether to take the mean of these predictions and of those of the fit to all items. With d
        parameters and n items the score of the first errs by :math:`-d/2n` and that of the second
        by :math:`d/2n` (in nats, to first order), so that the mean has the score of what
        infinitely many items would teach.
    held_out : (items, labels) array, optional
        What it makes without `two_sided`, where that is known already.

    Returns
    -------
    (items, labels) array

    Notes
    -----
    One imaginary item that answers as all the others do is added to what each value, bin or
    level was learned from, so that no probability is 0; of names, fewer or more than one where
    held-out items are clearly more probable so. O(items log items).

    The mean of two predictions p and q scores more than the mean of their scores, by some
    :math:`\frac18 \sum (p - q)^2 / p`: a fortieth of what is corrected.
    """
    parts = items if isinstance(items, Folded) else Folded.of_items(items, seed)
    # Items that are alike are one cell, in sorted order: no digit depends on that of the rows.
    first, cell = group_rows([*prediction.T, *reference.T, parts.fold])
    weight = np.bincount(cell, parts.weight).astype(np.float64)
    predicted, shares = prediction[first], reference[first]
    out = held_out
    if out is None:
        out, part = np.empty(shares.shape), parts.fold[first]
        for fold in np.unique(part).tolist():
            test, train = part == fold, part != fold
            if not train.any():
                out[test] = 1 / shares.shape[1]
                continue
            learned = predicted[train], shares[train]
            out[test] = calibration.fit(*learned, predicted[test], weight[train])
        out = out[cell]
    if two_sided and min(FOLDS, parts.items) > 1:
        out = (out + calibration.fit(predicted, shares, predicted, weight)[cell]) / 2
    return out
