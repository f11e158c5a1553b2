"""The alternative annotator test: whether a classifier may stand in for one of the raters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import numpy as np

from headcount import options
from headcount.data.labels import Labels
from headcount.data.predictions import Classifier, Predictions, Score
from headcount.data.vocabulary import number_of
from headcount.engine.taking import take_labels, take_predictions
from headcount.equivalence.classifiers import check_labels
from headcount.equivalence.plot import plot_verdicts
from headcount.equivalence.prepare import common_items, is_ordered, on_scale
from headcount.equivalence.scorers import has_values, most_probable, values_of
from headcount.errors import DataError, OptionError, closest, count, option, some, unknown_name
from headcount.results.fields import Record, json_value, listing, rows, shown
from headcount.results.notes import Notes, Provenance
from headcount.results.result import ALL, Page, Result
from headcount.results.tables import Table
from headcount.stats.arrays import group_sums
from headcount.typing import Codes, Flags, Floats, Ids

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "alt_test",
    "ALIGNMENTS",
    "fitting",
    "Prepared",
    "prepare",
    "Sample",
    "p_values",
    "adjust",
    "passes_from",
    "AltTestClassifier",
    "AltTest",
]


EPSILONS = "0.2 where raters are experts, 0.15 where they are skilled, 0.1 for crowd workers"
"""Margins that the paper suggests."""
MIN_ITEMS = 30
"""Items a rater needs for the t-test, as the paper has it."""
MIN_RATERS = 2
"""Leaving one rater out must leave somebody to compare with."""
ADVISED_RATERS = 3
"""With fewer raters, the paper says, there is no consensus to compare with."""


def alt_test(
    labels: Any,
    predictions: Any,
    *,
    epsilon: float,
    q: float = 0.05,
    scorer: str | None = None,
    scale: str | None = None,
    min_items: int = MIN_ITEMS,
) -> AltTest:
    r"""Test whether each classifier represents the raters as well as one of them does.

    One rater j is left out at a time. On each item i that j rated, the others :math:`H_i - j` show
    who is closer to them, the classifier f or rater :math:`h_j`:

    .. math:: S_{ij}(y) = \frac{1}{|H_i| - 1} \sum_{k \in H_i - j} [y = h_k(i)]

    or :math:`-\sqrt{\mathrm{mean}_k (y - h_k(i))^2}` with scorer 'rmse'. A tie counts for both:

    .. math:: W^f_{ij} = [S_{ij}(f) \ge S_{ij}(h_j)], \quad W^h_{ij} = [S_{ij}(h_j) \ge S_{ij}(f)]

    with means :math:`\rho^f_j, \rho^h_j` over items. A one-sided paired t-test has the null
    hypothesis :math:`\rho^f_j \le \rho^h_j - \varepsilon`, 'worse by the margin or more'. The
    classifier wins against the raters for whom it is rejected at false discovery rate q (Benjamini
    and Yekutieli, valid for dependent tests). The *winning rate* :math:`\omega` is their share;
    with half or more the classifier passes. The *advantage probability* :math:`\rho` is the mean of
    :math:`\rho^f_j`.

    Parameters
    ----------
    labels : Labels, path or frame
        Ratings by raters who are known by the same name on all their items. Items with one rating
        are left out.
    predictions : Predictions, path or frame
        The classifiers, compared on the items that all of them predict. Probabilities count as
        their most probable label; if labels tie, W is the average over them.
    epsilon : float
        The margin allowed because the classifier is cheaper than a rater, from 0 to 1. The paper
        suggests .2 if raters are experts, .15 if they are skilled, .1 for crowd workers, and less
        if raters agree little.
    q : float
        False discovery rate.
    scorer : {"agreement", "rmse"}, optional
        How closeness to the others is measured: by the share who give the same label, or by the
        error of numbers. Default: 'rmse' if there are more than two labels, and they are numbers or
        on an ordinal scale, as in the paper; else 'agreement'.
    scale : {"nominal", "ordinal", "interval"}, optional
        What labels are. Default: as they were read; numbers are treated as numbers.
    min_items : int
        Raters with fewer items are not tested, but count among the others. The t-test needs 30.

    Returns
    -------
    AltTest

    Notes
    -----
    O(ratings) per classifier: an item's label counts (sums for 'rmse') without the rating left out
    are all that is needed of the others. The p-values decrease as epsilon grows, so the smallest
    epsilon at which a classifier passes is found by bisection, with 40 passes over the raters.

    References
    ----------
    Calderon, Reichart and Dror, "The Alternative Annotator Test for LLM-as-a-Judge: How to
    Statistically Justify Replacing Human Annotators with LLMs", ACL 2025. Benjamini and Yekutieli,
    "The control of the false discovery rate in multiple testing under dependency", 2001.

    Examples
    --------
    >>> from headcount import running_example
    >>> result = alt_test(*running_example(200, 4, seed=1), epsilon=0.1)
    >>> result["omniscient"].winning_rate, result["omniscient"].change
    (1.0, 'passes even at epsilon 0')
    >>> result["hard"].change
    'passes at epsilon 0.017 or more'
    >>> result["hard"].won, result["hard"].raters[0].rho_f
    (4, 0.895)
    """
    margin = options.number(epsilon, "epsilon", least=0, below=1, such_as=EPSILONS)
    rate = options.number(q, "q", above=0, below=0.5, such_as="0.05")
    least = options.whole(min_items, "min_items", least=2)
    labels = take_labels(labels)
    predictions = take_predictions(predictions, "predictions", labels=labels.scale.labels)
    labels.check_raters("the alternative annotator test")
    labels = on_scale(labels, scale)
    notes = Notes(labels.notes)
    predicted = predictions.among(labels.scale.labels)
    check_labels(predicted, labels.scale.labels)
    rule = scorer if scorer is not None else fitting(labels, declared=scale is not None)
    rule = options.one_of(rule, "scorer", list(ALIGNMENTS))
    alignment = ALIGNMENTS[rule](labels, predicted.labels[len(labels.scale) :])
    prepared = prepare(labels, predicted, alignment, least, notes)
    if scorer is None and len(labels.scale) > 2 and has_values(labels.scale):
        what = "in order" if labels.scale.kind == "ordinal" else "numbers"
        notes.info(f"alt-test: labels are {what}; closeness is measured by {alignment.name}.")
    provenance = Provenance(
        source=labels.source,
        sources=(*labels.sources, *predictions.sources),
        dropped=labels.dropped,
        items_used=int(prepared.kept.sum()),
        items_dropped=int((~prepared.kept).sum()),
        n_ratings=len(prepared.item),
        n_raters=int((prepared.ratings > 0).sum()),
        labels=labels.scale.labels,
        backend=labels.backend,
    )
    verdicts: list[AltTestClassifier] = []
    for classifier in prepared.classifiers:
        raters, sample = compare_with_raters(
            classifier, prepared, labels.raters, alignment, epsilon=margin, q=rate
        )
        turns = passes_from(sample, rate, SHARE_TO_WIN)
        verdicts.append(AltTestClassifier(classifier.name, margin, turns, raters))
    return AltTest(
        classifiers=tuple(verdicts),
        epsilon=margin,
        q=rate,
        scorer=alignment.name,
        min_items=least,
        left_out=tuple(prepared.left_out.tolist()),
        provenance=provenance,
        notes=tuple(notes),
    )


# Alignments: who is closer to the other raters of an item, a classifier or one of the raters.
#
# To add one, write its class here and put it into :data:`ALIGNMENTS`. Its `lead` says by how much a
# rater is closer to the others than a classifier is: above 0 where the rater is, below 0 where the
# classifier is, 0 where they tie. It takes how often each label was given, (items, labels), the
# rater's own included; and in each row an item, and what the rater and the classifier said of it.


class Agreement:
    r"""Share of the others who say the same: :math:`\frac1m \sum_k [y = h_k]`, over m others."""

    name: str = "agreement"

    def __init__(self, labels: Labels, more: Sequence[str] = ()) -> None:
        del labels, more

    def lead(self, table: Codes, item: Codes, mine: Codes, its: Codes) -> Floats:
        """Count the others who agree with the rater, less those who agree with the classifier."""
        return (table[item, mine] - 1.0) - (table[item, its] - (its == mine))


class RMSE:
    r"""Minus the root mean squared error of numbers, :math:`-\sqrt{\mathrm{mean}_k (y - h_k)^2}`.

    On an ordinal scale numbers are places of labels. An answer that is not a number, such as "can't
    tell", is farther from the others than any number.

    Squared errors are compared through their difference, which is exact for whole numbers:
    sum_k (f - h_k)^2 - (a - h_k)^2 = (f - a) (m (f + a) - 2 sum_k h_k) over m others.
    """

    name: str = "rmse"

    def __init__(self, labels: Labels, more: Sequence[str] = ()) -> None:
        scale = labels.scale
        if not has_values(scale):
            raise OptionError(
                f"scorer '{self.name}' needs labels that are numbers, but {labels.source} has "
                f"{some(scale.labels)}. Use {option('scorer', Agreement.name)}."
            )
        ranked = scale.kind == "ordinal"
        value = values_of(scale, self.name)[0]
        # A number that no rater gives has its place on the scale, but not in a ranking.
        others = [None if ranked else number_of(label) for label in more]
        self.least, self.width = value.min(), np.ptp(value)
        self.worth = np.append(value, np.array(others, dtype=np.float64)) - self.least

    def lead(self, table: Codes, item: Codes, mine: Codes, its: Codes) -> Floats:
        """Compare sums of squared errors."""
        return self.lead_over_number(table, item, mine, self.worth[its] + self.least)

    def lead_over_number(self, table: Codes, item: Codes, mine: Codes, its: Floats) -> Floats:
        """Compare sums of squared errors with those of a number."""
        own, number = self.worth[mine], its - self.least
        others = table.sum(axis=1)[item] - 1
        rest = (table @ np.nan_to_num(self.worth[: table.shape[1]]))[item] - own
        lead = (number - own) * (others * (number + own) - 2 * rest)
        # Numbers such as .1 are not exact, so what would be 0 is a rounding error.
        lead[np.abs(lead) <= 1e-9 * others * self.width**2] = 0
        return np.where(np.isnan(lead), np.inf, lead)


Alignment = Agreement | RMSE
ALIGNMENTS: dict[str, type[Alignment]] = {a.name: a for a in (Agreement, RMSE)}
"""Ways to measure alignment by name, each made for ratings."""


def fitting(labels: Labels, *, declared: bool) -> str:
    """Name the alignment that fits the scale: rmse where labels are numbers or in order.

    Parameters
    ----------
    labels : Labels
    declared : bool
        Whether somebody said what the scale is; otherwise more than two numbers are taken for
        numbers. Two labels are as far apart by either.
    """
    ordered = is_ordered(labels, declared=declared) and len(labels.scale) > 2
    return RMSE.name if ordered else Agreement.name


def at_least_as_close(
    item: Codes, label: Codes, table: Codes, choice: Floats, alignment: Alignment
) -> tuple[Floats, Floats]:
    """Compare a classifier and the rater of each rating with the other raters of the item.

    Parameters
    ----------
    item, label : (ratings,) arrays of int
    table : (items, labels) array of int
        How often each label was given.
    choice : (items, labels) array
        Probability that the classifier says each label.
    alignment : Alignment

    Returns
    -------
    w_f, w_h : (ratings,) arrays
        Probability that the classifier, and that the rater, is at least as close to the others.

    Notes
    -----
    O(ratings x labels the classifier may choose), that is O(ratings) but for ties.

    Examples
    --------
    Three raters say a, a, b and the classifier says a: as the first two do, and closer to them
    than the third is.

    >>> labels = Labels.from_triples([0, 0, 0], [1, 2, 3], ["a", "a", "b"])
    >>> at_least_as_close(
    ...     labels.item, labels.label, labels.matrix(), np.array([[1.0, 0.0]]), Agreement(labels)
    ... )
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
    lead = alignment.lead(table, at, mine, its)
    share = choice[at, its]
    return (
        group_sums(rating, share * (lead <= 0), len(item)),
        group_sums(rating, share * (lead >= 0), len(item)),
    )


# The ratings and predictions on which the alternative annotator test is made.


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """The ratings that are compared, and who is tested.

    Parameters
    ----------
    kept : (items,) array of bool
        Items that every classifier predicts and that have two ratings or more.
    table : (items, labels) array of int
        How often each label was given.
    item, rater, label : (ratings,) arrays of int
        The ratings of these items.
    ratings : (raters,) array of int
        How many of them each rater gave.
    tested : array of int
        Raters with enough items.
    left_out : array
        Ids of raters with too few.
    classifiers : tuple of Classifier or Score
    """

    kept: Flags
    table: Codes
    item: Codes
    rater: Codes
    label: Codes
    ratings: Codes
    tested: Codes
    left_out: Ids
    classifiers: tuple[Classifier | Score, ...]


def prepare(
    labels: Labels, predictions: Predictions, alignment: Alignment, min_items: int, notes: Notes
) -> Prepared:
    """Keep the items that classifiers and raters can be compared on.

    `predictions` have the labels of the raters first.
    """
    more = predictions.labels[len(labels.scale) :]
    table = np.pad(labels.matrix(), ((0, 0), (0, len(more))))
    numeric = isinstance(alignment, RMSE) and labels.scale.kind != "ordinal"
    tested: list[Classifier | Score] = [
        classifier
        for classifier in predictions.classifiers
        if _comparable(classifier, predictions.labels, len(labels.scale), numeric=numeric)
    ]
    if numeric:
        tested += predictions.scores
    if not tested:
        _refuse(predictions, alignment)
    notes.extend(predictions.notes)
    classifiers, kept = common_items(labels, predictions, tested, notes)
    alone = kept & (table.sum(axis=1) < 2)
    kept = kept & ~alone
    rows = np.flatnonzero(kept[labels.item])
    ratings = np.bincount(labels.rater[rows], minlength=len(labels.raters))
    _check(labels, table, ratings, min_items)
    prepared = Prepared(
        kept=kept,
        table=table,
        item=labels.item[rows],
        rater=labels.rater[rows],
        label=labels.label[rows],
        ratings=ratings,
        tested=np.flatnonzero(ratings >= min_items),
        left_out=labels.raters[(ratings < min_items) & (ratings > 0)],
        classifiers=tuple(classifiers),
    )
    _add_notes(prepared, int(alone.sum()), min_items, notes)
    _note_odd(predictions, more, [c.name for c in tested], alignment, notes)
    return prepared


def _comparable(
    classifier: Classifier, labels: Sequence[str], n_rated: int, *, numeric: bool
) -> bool:
    """Whether it ever says what a rater says; or a number, where numbers are compared."""
    used = np.flatnonzero(np.nansum(classifier.probability, axis=0) > 0).tolist()
    return not used or any(
        code < n_rated or (numeric and number_of(labels[code]) is not None) for code in used
    )


def _refuse(predictions: Predictions, alignment: Alignment) -> NoReturn:
    names = [c.name for c in (*predictions.classifiers, *predictions.scores)]
    if names:
        raise DataError(
            f"{predictions.source}: {some(names)} never gives a label that raters use, and scorer "
            f"'{alignment.name}' cannot compare what it gives with theirs. Turn it into labels "
            "that raters use."
        )
    raise DataError(f"{predictions.source}: no classifier to test. Add a column of predictions.")


def _note_odd(
    predictions: Predictions,
    more: Sequence[str],
    tested: Sequence[str],
    alignment: Alignment,
    notes: Notes,
) -> None:
    """Say what is done with answers that no rater gives."""
    tables = [c.probability for c in predictions.classifiers if c.name in tested]
    rated = len(predictions.labels) - len(more)
    used = [
        label
        for code, label in enumerate(more, start=rated)
        if any(np.nansum(table[:, code]) > 0 for table in tables)
    ]
    if used:
        close = [(label, closest(label, predictions.labels[:rated], cutoff=0.8)) for label in used]
        near = [f"'{label}' ('{matches[0]}'?)" for label, matches in close if matches]
        text = f"alt-test: no rater says {some(used)}, so that whoever says it agrees with nobody."
        if near:
            notes.warning(f"{text} Correct what is only spelt otherwise: {', '.join(near)}.")
        else:
            notes.caution(text)
    names = [c.name for c in (*predictions.classifiers, *predictions.scores)]
    left_out = [name for name in names if name not in tested]
    if left_out:
        notes.caution(
            f"alt-test: {some(left_out)} left out: scorer '{alignment.name}' cannot compare what "
            "it gives with the labels of raters."
        )


def _add_notes(prepared: Prepared, alone: int, min_items: int, notes: Notes) -> None:
    """Say what was left out, and what is too little to rely on."""
    soft = [c.name for c in prepared.classifiers if isinstance(c, Classifier) and c.kind == "soft"]
    if soft:
        notes.info(
            f"alt-test: {some(soft)} tested by the most probable label; labels that tie share the "
            "choice."
        )
    if alone:
        notes.caution(
            f"alt-test: {count(alone, 'item')} with a single rating left out: there is no other "
            "rater to compare with."
        )
    names = prepared.left_out.tolist()
    if names:
        notes.caution(
            f"alt-test: {count(len(names), 'rater')} with fewer than {min_items} items not tested: "
            f"{some(names)}; their ratings still count among the others."
        )
    if (few := int((prepared.ratings[prepared.tested] < MIN_ITEMS).sum())) > 0:
        notes.warning(
            f"alt-test: {count(few, 'rater')} tested on fewer than {MIN_ITEMS} items, where the "
            "t-test can be far off. Collect more ratings before relying on the verdict."
        )
    if len(prepared.tested) < ADVISED_RATERS:
        notes.warning(
            f"alt-test: only {count(len(prepared.tested), 'rater')} tested; the paper advises at "
            f"least {ADVISED_RATERS}, so that there is a consensus to compare with."
        )


def _check(labels: Labels, table: Codes, ratings: Codes, least: int) -> None:
    used = np.flatnonzero(table.sum(axis=0))
    if len(used) < 2:
        raise DataError(
            f"{labels.source}: every rating is '{labels.scale.labels[used[0]]}', so nobody can be "
            f"better than anybody. Check that the label column is the right one "
            f"({option('label', ...)})."
        )
    tested = int((ratings >= least).sum())
    if tested < MIN_RATERS:
        has = "no rater has" if tested == 0 else "only 1 rater has"
        raise DataError(
            f"{labels.source}: the alt-test needs {MIN_RATERS} raters or more, each with {least} "
            f"items that are predicted and rated by somebody else; {has}, of "
            f"{count(len(labels.raters), 'rater')} (the most is {count(int(ratings.max()), 'item')}"
            f"). Check that the rater column says who rated ({option('rater', ...)}), or collect "
            "more ratings per rater."
        )


# The verdict on each classifier: a t-test a rater, adjusted for their number.


def compare_with_raters(
    classifier: Classifier | Score,
    prepared: Prepared,
    raters: Ids,
    alignment: Alignment,
    *,
    epsilon: float,
    q: float,
) -> tuple[tuple[AltTestRater, ...], Sample]:
    """Test a classifier against each rater, with false discovery rate q.

    Parameters
    ----------
    classifier : Classifier or Score
    prepared : Prepared
    raters : array
        Vocabulary of raters.
    alignment : Alignment
    epsilon, q : float

    Returns
    -------
    tuple of AltTestRater
    Sample
        What the tests were made of.
    """
    ratings, tested = prepared.ratings, prepared.tested
    w_f, w_h = _closest(classifier, prepared, alignment)
    rho_f, rho_h = (
        np.bincount(prepared.rater, w, len(ratings))[tested] / ratings[tested] for w in (w_f, w_h)
    )
    d, rater, n = w_h - w_f, prepared.rater, ratings[tested]
    mean = np.bincount(rater, d, len(ratings)) / np.maximum(ratings, 1)
    square = np.bincount(rater, (d - mean[rater]) ** 2, len(ratings))[tested]
    sample = Sample(n, mean[tested], np.sqrt(square / (n - 1) / n))
    p = p_values(sample, epsilon)
    adjusted = adjust(p)
    against = tuple(
        AltTestRater(
            rater=rater,
            items=int(ratings[code]),
            rho_f=float(rho_f[j]),
            rho_h=float(rho_h[j]),
            p_value=float(p[j]),
            adjusted_p_value=float(adjusted[j]),
            won=bool(adjusted[j] <= q),
        )
        for j, (code, rater) in enumerate(
            zip(tested.tolist(), raters[tested].tolist(), strict=True)
        )
    )
    return against, sample


def _closest(
    classifier: Classifier | Score, prepared: Prepared, alignment: Alignment
) -> tuple[Floats, Floats]:
    """Compare the classifier with the rater of each rating, by its choice or by its number."""
    item, label, table = prepared.item, prepared.label, prepared.table
    if isinstance(classifier, Score):
        # Scores are left out of the test by agreement.
        lead = cast(RMSE, alignment).lead_over_number(table, item, label, classifier.values[item])
        return (lead <= 0).astype(np.float64), (lead >= 0).astype(np.float64)
    choice = np.zeros(table.shape)
    choice[prepared.kept] = most_probable(classifier.probability[prepared.kept])
    return at_least_as_close(item, label, table, choice, alignment)


# The t-tests of the alternative annotator test, and the adjustment of their p-values.


class Sample(NamedTuple):
    """What the t-tests need of W^h - W^f, a value a rater: items, mean and standard error."""

    n: Codes
    mean: Floats
    error: Floats


def p_values(sample: Sample, epsilon: float) -> Floats:
    """Left tail of the t-test that the mean of W^h - W^f is epsilon or more."""
    # The distribution function alone: scipy.stats takes longer to import.
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    # Without any spread the mean is taken at its word: below epsilon or not.
    t = np.where(sample.mean < epsilon, -np.inf, np.inf)
    np.divide(sample.mean - epsilon, sample.error, out=t, where=sample.error > 0)
    return np.asarray(stdtr(sample.n - 1, t), dtype=np.float64)


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


def passes_from(sample: Sample, q: float, share: float) -> float:
    """Smallest epsilon at which at least a share of the raters are won, to within 1e-12.

    A p-value falls as epsilon grows and adjusting keeps the order, so the verdict changes once.
    At -1, the least that a mean can be, nothing is won; far enough up, everything is.
    """

    def passes(epsilon: float) -> bool:
        won = int((adjust(p_values(sample, epsilon)) <= q).sum())
        return won >= share * len(sample.n)

    low, high = -1.0, 1.0
    while not passes(high):
        low, high = high, 2 * high
    while high - low > 1e-12 * max(1.0, high):
        middle = (low + high) / 2
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


# What the alternative annotator test found, as plain records.

SHARE_TO_WIN = 0.5
"""A classifier passes if it wins this share of the raters."""


def _p(p: float) -> str:
    return "<.0001" if p < 0.0001 else f"{p:.4f}"


@dataclass(frozen=True, kw_only=True)
class AltTestRater(Record):
    """How a classifier fares against one rater.

    Parameters
    ----------
    rater : str or int
    items : int
        Items on which the two are compared: rated, predicted, and rated by somebody else.
    rho_f, rho_h : float
        Share of these items on which the classifier, or the rater, agrees with the other raters
        at least as well as its counterpart. A tie counts for both, so they sum to 1 or more.
    p_value, adjusted_p_value : float
        Of the hypothesis that the classifier is worse by epsilon or more; after
        Benjamini-Yekutieli.
    won : bool
        Whether that hypothesis is rejected.
    """

    rater: str | int = field(metadata=shown("rater", str))
    items: int = field(metadata=shown("items"))
    rho_f: float = field(metadata=shown("rho_f", ".3f"))
    rho_h: float = field(metadata=shown("rho_h", ".3f"))
    p_value: float = field(metadata=shown("p", _p))
    adjusted_p_value: float = field(metadata=shown("adjusted p", _p))
    won: bool = field(metadata=shown("won", lambda won: "yes" if won else "no"))


@dataclass(frozen=True)
class AltTestClassifier:
    """The verdict on one classifier, rater by rater.

    Parameters
    ----------
    name : str
    epsilon : float
        The margin the verdict was reached at.
    passes_from : float
        Smallest epsilon at which the classifier passes: it passes at all larger ones and fails at
        all smaller ones. Below 0 it passes even at epsilon 0; from 1 on it always fails.
    raters : tuple of AltTestRater
    """

    name: str
    epsilon: float
    passes_from: float
    raters: tuple[AltTestRater, ...]

    @property
    def won(self) -> int:
        """Number of raters won."""
        return sum(rater.won for rater in self.raters)

    @property
    def needed(self) -> int:
        """Number of raters to win in order to pass."""
        return math.ceil(SHARE_TO_WIN * len(self.raters))

    @property
    def winning_rate(self) -> float:
        """Share of raters won, the paper's omega."""
        return self.won / len(self.raters)

    @property
    def advantage_probability(self) -> float:
        """Mean of rho_f over raters, the paper's rho: what to rank classifiers by."""
        return sum(rater.rho_f for rater in self.raters) / len(self.raters)

    @property
    def passes(self) -> bool:
        """Whether it wins at least half of the raters."""
        return self.won >= self.needed

    @property
    def change(self) -> str:
        """What would change the verdict, in words."""
        if self.passes_from < 0:
            return "passes even at epsilon 0"
        short = "" if self.passes else f"{count(self.needed - self.won, 'more rater')} must be won"
        if self.passes_from >= 1:
            return f"fails at every epsilon below 1; {short}"
        text = f"passes at epsilon {_round_up(self.passes_from, self)} or more"
        return f"{text}; {short}" if short else text

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "passes": self.passes,
            "winning_rate": self.winning_rate,
            "advantage_probability": self.advantage_probability,
            "raters_won": self.won,
            "raters_needed": self.needed,
            "passes_from": self.passes_from,
            "change": self.change,
            "raters": json_value(self.raters),
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class AltTest(Result):
    """Which classifiers may stand in for a rater.

    Parameters
    ----------
    classifiers : tuple of AltTestClassifier
        In the order of the predictions; ``result["name"]`` finds one.
    epsilon, q : float
        The margin allowed to classifiers; the false discovery rate.
    scorer : str
        How closeness to the other raters is measured.
    min_items : int
        Items a rater needs to be tested.
    left_out : tuple of str or int
        Raters with too few items to be tested.
    provenance : Provenance
    notes : tuple of Note
        What was left out, and what to be careful about, in sentences.

    Examples
    --------
    >>> from headcount import alt_test
    >>> alt_test("example:stars", "example:judge", epsilon=0.2)["judge"].passes
    True
    """

    classifiers: tuple[AltTestClassifier, ...]
    epsilon: float
    q: float
    scorer: str
    min_items: int
    left_out: tuple[str | int, ...]

    def __getitem__(self, name: str) -> AltTestClassifier:
        for classifier in self.classifiers:
            if classifier.name == name:
                return classifier
        raise unknown_name("classifier", name, [c.name for c in self.classifiers])

    def page(self) -> Page:
        """Say which classifiers pass, one sentence each; of a single one, rater by rater."""
        head = ["classifier", "alt-test", "won", "winning rate", "advantage probability"]
        head.append("passes from epsilon")
        body = [
            [
                c.name,
                "passes" if c.passes else "fails",
                f"{c.won:,} of {len(c.raters):,}",
                f"{c.winning_rate:.2f}",
                f"{c.advantage_probability:.3f}",
                _round_up(c.passes_from, c),
            ]
            for c in self.classifiers
        ]
        raters = count(len(self.classifiers[0].raters), "rater")
        size = f"{count(self.provenance.items_used, 'item')}, {raters}"
        if self.left_out:
            size += f" ({len(self.left_out):,} more with fewer than {self.min_items} items)"
        how = f"epsilon {self.epsilon:g}, false discovery rate {self.q:g}, scorer {self.scorer}"
        sentences = [_sentence(classifier) for classifier in self.classifiers]
        table = Table(head, body)
        if len(self.classifiers) == 1:
            raters = self.classifiers[0].raters
            table = listing(raters, noun="rater", most=MOST_RATERS, rest_in=ALL)
        return Page(sentences, [table], [f"{size}; {how}"])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per classifier and rater."""
        names = [c.name for c in self.classifiers for _ in c.raters]
        return {"classifier": names, **rows([r for c in self.classifiers for r in c.raters])}

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "epsilon": self.epsilon,
            "q": self.q,
            "scorer": self.scorer,
            "min_items": self.min_items,
            "classifiers": json_value(self.classifiers),
            "items": {"used": self.provenance.items_used, "dropped": self.provenance.items_dropped},
            "raters_left_out": list(self.left_out),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each classifier's lead over each rater, and its verdict (needs matplotlib)."""
        return plot_verdicts(self, ax)


# The alternative annotator test in words and tables.

MOST_RATERS = 30
"""Raters that are printed; the frame has all."""


def _sentence(c: AltTestClassifier) -> str:
    verdict = "passes" if c.passes else "fails"
    return (
        f"{c.name} {verdict} the alt-test at epsilon {c.epsilon:g}: it wins against {c.won:,} of "
        f"{count(len(c.raters), 'rater')} (needed: {c.needed:,}); {c.change}"
    )


def _round_up(x: float, c: AltTestClassifier) -> str:
    """Round up to where the classifier does pass, and never past the epsilon it passes at."""
    digits = 3
    while digits < 12 and (math.ceil(x * 10**digits) / 10**digits > c.epsilon) == c.passes:
        digits += 1
    return f"{math.ceil(x * 10**digits) / 10**digits:.{digits}f}"
