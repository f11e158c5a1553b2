"""The alternative annotator test: whether a classifier may stand in for one of the raters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import number_of
from headcount.equivalence.alt_test.result import (
    SHARE_TO_WIN,
    AltTest,
    AltTestClassifier,
    AltTestRater,
    Score,
)
from headcount.equivalence.prepare import common_items
from headcount.equivalence.scorers.base import most_probable
from headcount.errors import DataError, OptionError, count, some, unknown_name
from headcount.typing import Codes, Floats

__all__ = ["AltTest", "AltTestClassifier", "AltTestRater", "adjust", "alt_test"]


MIN_ITEMS = 30
"""Items a rater needs for the t-test, as the paper has it."""
MIN_RATERS = 2
"""Leaving one rater out must leave somebody to compare with."""
ADVISED_RATERS = 3
"""With fewer raters, the paper says, there is no consensus to compare with."""


def alt_test(
    labels: Labels,
    predictions: Predictions,
    *,
    epsilon: float,
    q: float = 0.05,
    scorer: Score = "agreement",
    min_items: int = MIN_ITEMS,
) -> AltTest:
    r"""Test whether each classifier represents the raters as well as one of them does.

    One rater j is left out at a time. On each item i that j rated, the others :math:`H_i - j` say
    who is closer to them, the classifier f or rater :math:`h_j`:

    .. math:: S_{ij}(y) = \frac{1}{|H_i| - 1} \sum_{k \in H_i - j} [y = h_k(i)]

    or :math:`-\sqrt{\mathrm{mean}_k (y - h_k(i))^2}` with scorer 'rmse'. A tie counts for both:

    .. math:: W^f_{ij} = [S_{ij}(f) \ge S_{ij}(h_j)], \quad W^h_{ij} = [S_{ij}(h_j) \ge S_{ij}(f)]

    with means :math:`\rho^f_j, \rho^h_j` over items. A one-sided paired t-test is made of
    :math:`\rho^f_j \le \rho^h_j - \varepsilon`, 'worse by the margin or more'. The raters for whom
    it is rejected at false discovery rate q (Benjamini and Yekutieli, valid however the tests
    depend on each other) are won. The *winning rate* :math:`\omega` is their share; with half or
    more the classifier passes. The *advantage probability* :math:`\rho` is the mean of
    :math:`\rho^f_j`.

    Parameters
    ----------
    labels : Labels
        Ratings by raters who are known by the same name on all their items. Items with one rating
        are left out.
    predictions : Predictions
        The classifiers, compared on the items that all of them predict. Probabilities count as
        their most probable label; labels that tie share the choice, and W is its expectation.
    epsilon : float
        What the classifier is forgiven for being cheaper than a rater, from 0 to 1. The paper
        suggests .2 where raters are experts, .15 where they are skilled, .1 for crowd workers, and
        less where raters agree little.
    q : float
        False discovery rate.
    scorer : {"agreement", "rmse"}
        'rmse' is for labels that are numbers.
    min_items : int
        Raters with fewer items are not tested, but stay among the others. The t-test wants 30.

    Returns
    -------
    AltTest

    Notes
    -----
    O(ratings) a classifier: an item's label counts (sums for 'rmse') less the rating left out are
    all there is to know of the others. The p-values fall as epsilon grows, so the epsilon from
    which a classifier passes is found by bisection, 40 passes over the raters.

    References
    ----------
    Calderon, Reichart and Dror, "The Alternative Annotator Test for LLM-as-a-Judge: How to
    Statistically Justify Replacing Human Annotators with LLMs", ACL 2025. Benjamini and Yekutieli,
    "The control of the false discovery rate in multiple testing under dependency", 2001.

    Examples
    --------
    >>> from headcount import running_example
    >>> result = alt_test(*running_example(200, 4, rng=1), epsilon=0.1)
    >>> result["omniscient"].winning_rate, result["omniscient"].change
    (1.0, 'passes even at epsilon 0')
    >>> print(result["hard"])
    hard passes the alt-test at epsilon 0.1: it wins 4 of 4 raters, 2 needed; passes
      from epsilon 0.017 on, fails below
    <BLANKLINE>
    rater    items  rho_f  rho_h       p  adjusted  won
                                                 p
    ---------------------------------------------------
    rater_1    200  0.895  0.855  <.0001    0.0001  yes
    rater_2    200  0.895  0.835  <.0001    <.0001  yes
    rater_3    200  0.890  0.820  <.0001    <.0001  yes
    rater_4    200  0.905  0.810  <.0001    <.0001  yes
    """
    _check_options(epsilon, q, scorer, min_items)
    table = labels.matrix()
    aligned = predictions.align(labels.scale.labels, rated_in=labels.source)
    if not aligned.classifiers:
        raise DataError(f"{aligned.source}: no classifier to test. Add a column of predictions.")
    classifiers, kept, unmatched = common_items(labels, aligned, list(aligned.classifiers))
    alone = kept & (table.sum(axis=1) < 2)
    kept &= ~alone
    rows = np.flatnonzero(kept[labels.item])
    item, rater, label = labels.item[rows], labels.rater[rows], labels.label[rows]
    ratings = np.bincount(rater, minlength=len(labels.raters))
    tested = np.flatnonzero(ratings >= min_items)
    left_out = np.flatnonzero((ratings < min_items) & (ratings > 0))
    _check_ratings(labels, table, ratings, min_items)

    value = _numbers(labels.scale.labels, labels.source) if scorer == "rmse" else None
    found: list[AltTestClassifier] = []
    for classifier in classifiers:
        choice = np.zeros(table.shape)
        choice[kept] = most_probable(classifier.probability[kept])
        w_f, w_h = at_least_as_close(item, label, table, choice, value)
        rho_f = _sums(rater, w_f, len(ratings))[tested] / ratings[tested]
        rho_h = _sums(rater, w_h, len(ratings))[tested] / ratings[tested]
        sample = _sample(rater, w_h - w_f, ratings, tested)
        p = _p_values(sample, epsilon)
        adjusted = adjust(p)
        against = [
            AltTestRater(
                rater=labels.raters[[code]].tolist()[0],
                items=int(ratings[code]),
                rho_f=float(rho_f[j]),
                rho_h=float(rho_h[j]),
                p_value=float(p[j]),
                adjusted_p_value=float(adjusted[j]),
                won=bool(adjusted[j] <= q),
            )
            for j, code in enumerate(tested.tolist())
        ]
        limit = _passes_from(sample, q)
        found.append(AltTestClassifier(classifier.name, epsilon, limit, tuple(against)))
    names = labels.raters[left_out].tolist()
    notes = [*labels.notes, *predictions.notes, *unmatched]
    soft = [c.name for c in classifiers if c.kind == "soft"]
    if soft:
        notes.append(
            f"{some(soft)}: scored by the most probable label; labels that tie share the choice."
        )
    if alone.any():
        notes.append(
            f"alt-test: {count(int(alone.sum()), 'item')} with a single rating left out: there is "
            "no other rater to compare with."
        )
    if names:
        notes.append(
            f"alt-test: {count(len(names), 'rater')} with fewer than {min_items} items not tested: "
            f"{some(names)}; their ratings still count among the others."
        )
    if (few := int((ratings[tested] < MIN_ITEMS).sum())) > 0:
        notes.append(
            f"alt-test: {count(few, 'rater')} tested on fewer than {MIN_ITEMS} items, where the "
            "t-test can be far off. Collect more ratings before relying on the verdict."
        )
    if len(tested) < ADVISED_RATERS:
        notes.append(
            f"alt-test: only {count(len(tested), 'rater')} tested; the paper advises at least "
            f"{ADVISED_RATERS}, so that there is a consensus to compare with."
        )
    return AltTest(
        classifiers=tuple(found),
        epsilon=epsilon,
        q=q,
        scorer=scorer,
        min_items=min_items,
        items_used=int(kept.sum()),
        items_dropped=int((~kept).sum()),
        left_out=tuple(names),
        notes=tuple(dict.fromkeys(notes)),
    )


def at_least_as_close(
    item: Codes,
    label: Codes,
    table: NDArray[np.int64],
    choice: Floats,
    value: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Compare a classifier and the rater of each rating with the other raters of the item.

    Parameters
    ----------
    item, label : (ratings,) arrays of int
    table : (items, labels) array of int
        How often each label was given.
    choice : (items, labels) array
        Probability that the classifier says each label.
    value : (labels,) array, optional
        What labels are worth as numbers: alignment is then minus the root mean squared error.

    Returns
    -------
    w_f, w_h : (ratings,) arrays
        Probability that the classifier, and that the rater, is at least as close to the others.

    Notes
    -----
    O(ratings x labels the classifier may choose), that is O(ratings) but for ties. Squared errors
    are compared through their difference, which is exact for whole numbers:
    sum_k (f - h_k)^2 - (a - h_k)^2 = (f - a) (m (f + a) - 2 sum_k h_k) over m others.

    Examples
    --------
    Three raters say a, a, b and the classifier says a: as the first two do, and closer to them
    than the third is.

    >>> item, label = np.array([0, 0, 0]), np.array([0, 0, 1])
    >>> at_least_as_close(item, label, np.array([[2, 1]]), np.array([[1.0, 0.0]]))
    (array([1., 1., 1.]), array([1., 1., 0.]))
    """
    options = np.count_nonzero(choice, axis=1)
    says = np.nonzero(choice)[1]
    times = options[item]
    rating = np.repeat(np.arange(len(item)), times)
    # Each rating meets the options of its item, one after the other.
    nth = np.arange(len(rating)) - np.repeat(np.cumsum(times) - times, times)
    at, mine = item[rating], label[rating]
    its = says[(np.cumsum(options) - options)[at] + nth]
    if value is None:
        lead = (table[at, mine] - 1.0) - (table[at, its] - (its == mine))
    else:
        worth = value - value.min()
        others = table.sum(axis=1)[at] - 1
        rest = (table @ worth)[at] - worth[mine]
        both = worth[its] + worth[mine]
        lead = (worth[its] - worth[mine]) * (others * both - 2 * rest)
        # Numbers such as .1 are not exact, so what would be 0 is a rounding error.
        lead[np.abs(lead) <= 1e-9 * others * worth.max() ** 2] = 0
    share = choice[at, its]
    return (
        _sums(rating, share * (lead <= 0), len(item)),
        _sums(rating, share * (lead >= 0), len(item)),
    )


def _sums(group: NDArray[np.int64], values: Floats, groups: int) -> Floats:
    return np.asarray(np.bincount(group, values, groups), dtype=np.float64)


def adjust(p: Floats) -> Floats:
    r"""Adjust p-values for the false discovery rate under any dependence.

    The k-th smallest of m becomes
    :math:`\min_{i \ge k} \min(1, p_{(i)} \, m \, (1 + 1/2 + \dots + 1/m) / i)`
    (Benjamini and Yekutieli 2001). O(m log m).

    Examples
    --------
    >>> adjust(np.array([0.04, 0.01])).round(6)
    array([0.06, 0.03])
    """
    order = np.argsort(p)
    rank = np.arange(1, len(p) + 1)
    scaled = p[order] * len(p) * (1 / rank).sum() / rank
    out = np.empty(len(p))
    out[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return out


class _Sample(NamedTuple):
    """What the t-tests need of W^h - W^f, a value a rater."""

    n: NDArray[np.int64]
    mean: Floats
    error: Floats


def _sample(rater: Codes, d: Floats, ratings: NDArray[np.int64], tested: Codes) -> _Sample:
    mean = _sums(rater, d, len(ratings)) / np.maximum(ratings, 1)
    square = _sums(rater, (d - mean[rater]) ** 2, len(ratings))[tested]
    n = ratings[tested]
    return _Sample(n, mean[tested], np.sqrt(square / (n - 1) / n))


def _p_values(sample: _Sample, epsilon: float) -> Floats:
    """Left tail of the t-test that the mean of W^h - W^f is epsilon or more."""
    # The distribution function alone: scipy.stats takes longer to import.
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    # Without any spread the mean is taken at its word: below epsilon or not.
    t = np.where(sample.mean < epsilon, -np.inf, np.inf)
    np.divide(sample.mean - epsilon, sample.error, out=t, where=sample.error > 0)
    return np.asarray(stdtr(sample.n - 1, t), dtype=np.float64)


def _passes_from(sample: _Sample, q: float) -> float:
    """Smallest epsilon at which at least half of the raters are won, to within 1e-12.

    A p-value falls as epsilon grows and adjusting keeps the order, so the verdict changes once.
    At -1, the least that a mean can be, nothing is won; far enough up, everything is.
    """

    def passes(epsilon: float) -> bool:
        won = int((adjust(_p_values(sample, epsilon)) <= q).sum())
        return won >= SHARE_TO_WIN * len(sample.n)

    low, high = -1.0, 1.0
    while not passes(high):
        low, high = high, 2 * high
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def _numbers(labels: tuple[str, ...], source: str) -> Floats:
    numbers = [number_of(label) for label in labels]
    if None in numbers:
        raise OptionError(
            f"scorer 'rmse' needs labels that are numbers, but {source} has {some(labels)}. Use "
            "scorer 'agreement'."
        )
    return np.array(numbers, dtype=np.float64)


def _check_options(epsilon: float, q: float, scorer: str, min_items: int) -> None:
    if not 0 <= epsilon < 1:
        raise OptionError(
            f"epsilon (--alt-test) must be at least 0 and less than 1, not {epsilon:g}: .2 where "
            "raters are experts, .15 where they are skilled, .1 for crowd workers."
        )
    if not 0 < q < 0.5:
        raise OptionError(f"q must lie between 0 and 0.5, such as .05, not {q:g}.")
    if scorer not in ("agreement", "rmse"):
        raise unknown_name("scorer", scorer, ["agreement", "rmse"])
    if min_items < 2:
        raise OptionError(f"min_items must be at least 2, and better 30, not {min_items}.")


def _check_ratings(labels: Labels, table: NDArray[np.int64], ratings: Codes, least: int) -> None:
    used = np.flatnonzero(table.sum(axis=0))
    if len(used) < 2:
        raise DataError(
            f"{labels.source}: every rating is '{labels.scale.labels[used[0]]}', so nobody can be "
            "better than anybody. Check that the label column is the right one (--label)."
        )
    tested = int((ratings >= least).sum())
    if tested < MIN_RATERS:
        has = "no rater has" if tested == 0 else "only 1 rater has"
        raise DataError(
            f"{labels.source}: the alt-test needs {MIN_RATERS} raters or more, each with {least} "
            f"items that are predicted and rated by somebody else; {has}, of "
            f"{count(len(labels.raters), 'rater')} (the most is {count(int(ratings.max()), 'item')}"
            "). Check that the rater column says who rated (--rater), or collect more ratings a "
            "rater."
        )
