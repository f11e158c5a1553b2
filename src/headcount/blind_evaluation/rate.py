"""The corrected rate: judges on all items and people on some in, the rate out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import label_text, number_of, number_text
from headcount.errors import DataError, OptionError, count, option, percent, some, unknown_name
from headcount.io.values import match_items
from headcount.results.fields import Record, json_value, rows
from headcount.results.notes import Notes, Provenance
from headcount.results.result import Page, Result, Screen
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import BY_RATINGS, share_interval
from headcount.typing import Codes, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "corrected_rate",
    "Prepared",
    "prepare",
    "PeopleRatings",
    "correct",
    "RateResult",
    "shown",
]


FEW_RATERS = 5
"""People from which on their spread is known well enough to say nothing of it."""


def corrected_rate(
    labels: Any,
    people: Any,
    *,
    positive: str | None = None,
    at_least: float | None = None,
    level: float = 0.95,
) -> RateResult:
    """Estimate the share of items that people would call positive, from judges and some ratings.

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        The labels of all items by one or several judges, or what :func:`headcount.read_votes`
        takes. Probabilities are used as they are, and several judges are averaged.
    people : Labels, path or frame
        The labels of some items by people, one or several per item, or what
        :func:`headcount.read_ratings` takes. These items must be a random sample of all, or a
        column `probability` gives the probability with which each was drawn.
    positive : str, optional
        The label whose share to estimate. Default: the second of two labels; the mean grade if
        labels are more than two numbers.
    at_least : float, optional
        For labels that are numbers: this number or more is positive.
    level : float
        Coverage of the interval.

    Returns
    -------
    RateResult

    Notes
    -----
    The rate is the mean over all items of the label by a random rater. Raters are a sample of the
    people who might rate, so that the interval is wide with few raters. Errors of the judges do not
    bias the rate. For the formula see :func:`headcount.blind_evaluation.rate.correct`. O(labels +
    ratings).

    Examples
    --------
    >>> from headcount import Labels, corrected_rate
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(1000) < 0.3
    >>> judge = np.where(rng.random(1000) < 0.8, truth, True)
    >>> judges = Labels.from_triples(range(1000), ["judge"] * 1000, np.where(judge, "yes", "no"))
    >>> who = rng.integers(0, 8, size=150)
    >>> people = Labels.from_triples(range(150), who, np.where(truth[:150], "yes", "no"))
    >>> result = corrected_rate(judges, people)
    >>> result.rate, round(result.naive, 3)
    (0.297 (0.2252 to 0.3771), 0.432)
    """
    level, notes = options.level(level), Notes()
    prepared = prepare(labels, people, positive=positive, at_least=at_least, notes=notes)
    corrected = correct(prepared.mean, prepared.people_ratings, level=level)
    _tell(corrected, prepared, notes)
    worth = prepared.worth
    return RateResult(
        rate=_estimate(corrected, worth, level),
        naive=worth.scaled(corrected.naive),
        alone=_estimate(
            correct(np.zeros(len(prepared.mean)), prepared.people_ratings, level=level),
            worth,
            level,
        ),
        power=corrected.power,
        variance={
            "items": corrected.from_items * worth.size**2,
            "raters": corrected.from_raters * worth.size**2,
            "judges": corrected.from_judge * worth.size**2,
        },
        judges=_alone(prepared, level),
        notes=tuple(notes),
        provenance=RateProvenance(
            source=prepared.source.source,
            sources=(*prepared.source.sources, *prepared.people.sources),
            dropped=prepared.source.dropped,
            items_used=len(prepared.mean),
            items_dropped=len(prepared.source.items) - len(prepared.mean),
            n_ratings=prepared.ratings,
            n_raters=len(prepared.judges),
            labels=prepared.people.scale.labels,
            level=level,
            backend=getattr(prepared.source, "backend", None),
            positive=worth.name,
            lowest=worth.lowest,
            highest=worth.highest,
            rated=corrected.rated,
            people_ratings=len(prepared.people_ratings.item),
            people=None if prepared.people.anonymous or prepared.unnamed else corrected.raters,
        ),
    )


def _estimate(corrected: Corrected, worth: Worth, level: float) -> Estimate:
    return Estimate(
        worth.scaled(corrected.value),
        low=worth.scaled(corrected.low),
        high=worth.scaled(corrected.high),
        level=level,
        method=BY_RATINGS.name,
    )


def _alone(prepared: Prepared, level: float) -> tuple[JudgedRate, ...]:
    """Find the rate by each judge alone, on the items that it labelled."""
    out: list[JudgedRate] = []
    for name, (where, value) in zip(prepared.judges, prepared.alone, strict=False):
        index = np.full(len(prepared.mean), -1)
        index[where] = np.arange(len(where))
        mine = index[prepared.people_ratings.item]
        there = mine >= 0
        if len(np.unique(mine[there])) < 2:
            continue
        part = prepared.people_ratings.drawn
        ratings = PeopleRatings(
            item=mine[there],
            rater=prepared.people_ratings.rater[there],
            value=prepared.people_ratings.value[there],
            drawn=None if part is None else part[there],
        )
        corrected = correct(value, ratings, level=level)
        out.append(
            JudgedRate(
                name=name,
                naive=prepared.worth.scaled(corrected.naive),
                rate=_estimate(corrected, prepared.worth, level),
                power=corrected.power,
            )
        )
    return tuple(out)


def _tell(corrected: Corrected, prepared: Prepared, notes: Notes) -> None:
    """Say for whom the interval holds."""
    if prepared.people.anonymous:
        notes.caution(
            "Nobody knows who gave which rating, so that each counts as another person's. If few "
            "people rated, the interval is too narrow.",
            short="raters are unknown: if few people rated, the interval is too narrow.",
            rank=1,
        )
    elif prepared.unnamed:
        notes.caution(
            "The labels come without raters, so that they count as one person's, or as the truth. "
            "If people gave them, a column of raters lets the interval allow for who these are."
        )
    elif corrected.raters == 1:
        notes.warning(
            "One person rated: the interval is for what this person would say of all items. What "
            "others would say cannot be known without their ratings.",
            short="only one person rated, so this estimates what that person would say.",
            rank=1,
        )
    elif corrected.raters < FEW_RATERS:
        notes.caution(
            f"{corrected.raters} people rated, which shows little of how people differ: the "
            "interval is approximate.",
            short=f"with {corrected.raters} people, results may not generalise to others.",
            rank=1,
        )


# What the corrected rate is given: judges on all items, people on some, as numbers from 0 to 1.

MOST_JUDGES = 50
"""Judges up to which the rate is found by each alone."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """Judges and people on one scale from 0 to 1.

    Parameters
    ----------
    source : Labels or Predictions
        What judges said.
    people : Labels
        What people said, of items that judges labelled as well.
    judges : tuple of str
    mean : (items,) array
        Mean over judges of what they say of an item.
    alone : list of (positions, values)
        Of each judge: the items it labelled, and what it says of them; none for many judges.
    people_ratings : PeopleRatings
    unnamed : bool
        Whether a file tells labels without raters: one person's, or the truth.
    ratings : int
        Labels that judges gave.
    worth : Worth
        What labels count.
    """

    source: Labels | Predictions
    people: Labels
    judges: tuple[str, ...]
    ratings: int
    mean: Floats
    alone: list[tuple[Codes, Floats]]
    people_ratings: PeopleRatings
    unnamed: bool
    worth: Worth


@dataclass(frozen=True, kw_only=True)
class Worth:
    """What labels count: 1 for the positive one, or grades from the lowest, 0, to the highest."""

    positive: str | None
    lowest: float = 0.0
    highest: float = 1.0
    at_least: float | None = None

    @property
    def name(self) -> str | None:
        """What the positive label is called; None for grades."""
        return self.positive if self.at_least is None else f"{number_text(self.at_least)} or more"

    @property
    def size(self) -> float:
        """How far the ends of the scale are apart."""
        return self.highest - self.lowest

    def scaled(self, share: float) -> float:
        """Write a number from 0 to 1 on the scale of the labels."""
        return self.lowest + self.size * share

    def of(self, label: str) -> float:
        """Find what a label counts, from 0 to 1."""
        number = number_of(label)
        if self.at_least is not None:
            return float(number is not None and number >= self.at_least)
        if self.positive is not None:
            return float(label == self.positive)
        return ((number or 0.0) - self.lowest) / self.size


def prepare(
    data: Any, people: Any, *, positive: str | None, at_least: float | None, notes: Notes
) -> Prepared:
    """Read what has to be read, decide what labels count, and find the items of both."""
    from headcount.engine.taking import take_votes

    source = take_votes(data)
    rated, drawn, unnamed = _take_people(people, notes)
    notes.extend(source.notes)
    notes.extend(rated.notes)
    judged = source.labels if isinstance(source, Predictions) else source.scale.labels
    index = match_items(rated.source, rated.items, source.source, source.items, notes)
    worth = _worth([*judged, *rated.scale.labels], positive, at_least)
    where, judge, value = _by_judge(source, worth)
    judges = (
        tuple(c.name for c in source.classifiers)
        if isinstance(source, Predictions)
        else tuple(str(name) for name in source.raters)
    )
    number = np.bincount(where, minlength=len(source.items))
    kept = np.flatnonzero(number)
    position = np.full(len(number), -1)
    position[kept] = np.arange(len(kept))
    mean = np.bincount(where, value, minlength=len(number))[kept] / number[kept]
    ratings = _people_ratings(rated, np.append(position, -1)[index], worth, notes)
    if drawn:
        ratings = replace(ratings, drawn=_probabilities(rated, drawn, source))
    alone = []
    if 1 < len(judges) <= MOST_JUDGES:
        alone = [(position[where[judge == k]], value[judge == k]) for k in range(len(judges))]
    return Prepared(
        source=source,
        people=rated,
        judges=judges,
        ratings=len(where),
        mean=mean,
        alone=alone,
        people_ratings=ratings,
        unnamed=unnamed,
        worth=worth,
    )


def _take_people(people: Any, notes: Notes) -> tuple[Labels, dict[str, float], bool]:
    """Read ratings, with which probability items were drawn, and whether raters have no names."""
    from headcount.engine.taking import take_labels
    from headcount.io.facts import has_raters, read_drawn, read_truth

    if isinstance(people, Labels):
        return people, {}, False
    if not has_raters(people, "people"):
        gold = read_truth(people, name="people")
        notes.extend(gold.notes)
        labels = Labels.from_triples(list(gold), ["gold"] * len(gold), list(gold.values()))
        return replace(labels, source=gold.source, sources=gold.sources), dict(gold.drawn), True
    drawn, column = read_drawn(people, "people")
    if column is None:
        return take_labels(people, "people"), {}, False
    from headcount.io.ratings import read_ratings

    notes.caution(
        "Items that people rated count by the inverse of the probability with which they were "
        f"drawn (column '{column}'). Rename the column if it means something else."
    )
    return read_ratings(people, ignore=[column], name="people"), drawn, False


def _probabilities(rated: Labels, drawn: dict[str, float], source: Labels | Predictions) -> Floats:
    """Find with which probability the item of each rating was drawn, of those judges labelled."""
    judged = {str(item) for item in source.items.tolist()}
    names = [str(item) for item in rated.items.tolist()]
    lacking = [name for name in names if name in judged and name not in drawn]
    if lacking:
        raise DataError(
            f"{rated.source}: {count(len(lacking), 'rated item')} without a probability: "
            f"{some(lacking)}. Give every item the probability with which it was drawn."
        )
    by_item = np.array([drawn.get(name, np.nan) for name in names])
    there = np.array([name in judged for name in names])
    return by_item[rated.item[there[rated.item]]]


def _worth(labels: list[str], positive: str | None, at_least: float | None) -> Worth:
    """Decide what labels count: the share of one, of those from a number on, or the mean grade."""
    names = list(dict.fromkeys(labels))
    values = {name: number for name in names if (number := number_of(name)) is not None}
    words = [name for name in names if name not in values]
    if at_least is not None:
        if words:
            raise DataError(
                f"label '{words[0]}' is not a number, so it cannot be compared with "
                f"{option('at_least', at_least)}. Name the positive label "
                f"({option('positive', ...)})."
            )
        return Worth(positive=None, at_least=options.number(at_least, "at_least"))
    if positive is not None:
        positive = label_text(str(positive))
        if positive not in names:
            raise unknown_name("positive label", positive, names, option_name="positive")
        return Worth(positive=positive)
    if len(names) == 2:
        return Worth(positive=max(names) if words else max(names, key=values.__getitem__))
    if not words and len(values) > 1:
        return Worth(positive=None, lowest=min(values.values()), highest=max(values.values()))
    raise OptionError(
        f"name the label whose share is asked for ({option('positive', ...)}): there are "
        f"{some(names, 6)}."
    )


def _by_judge(source: Labels | Predictions, worth: Worth) -> tuple[Codes, Codes, Floats]:
    """Item, judge and value of everything that judges said; probabilities count as they are."""
    if isinstance(source, Labels):
        values = np.array([worth.of(label) for label in source.scale.labels])
        return source.item, source.rater, values[source.label]
    values = np.array([worth.of(label) for label in source.labels])
    rows = [np.flatnonzero(c.predicted) for c in source.classifiers]
    return (
        np.concatenate(rows),
        np.repeat(np.arange(len(rows)), [len(part) for part in rows]),
        np.concatenate(
            [c.probability[part] @ values for c, part in zip(source.classifiers, rows, strict=True)]
        ),
    )


def _people_ratings(rated: Labels, position: Codes, worth: Worth, notes: Notes) -> PeopleRatings:
    """Take what people said of the items that judges labelled; `position` of an item is -1 else."""
    at = position[rated.item]
    there = at >= 0
    values = np.array([worth.of(label) for label in rated.scale.labels])
    if len(np.unique(at[there])) < 2:
        raise DataError(
            f"{rated.source}: people rated {count(len(np.unique(at[there])), 'item')} of those "
            "that judges labelled; two or more are needed. Check that both name items the same way."
        )
    left = len(np.unique(rated.item[~there]))
    if left:
        notes.caution(f"{count(left, 'item')} that people rated and no judge did left out.")
    return PeopleRatings(item=at[there], rater=rated.rater[there], value=values[rated.label[there]])


# The rate that people would find, from what a judge says of all items and people of some.


@dataclass(frozen=True, eq=False, kw_only=True)
class PeopleRatings:
    """What people said of some items.

    Parameters
    ----------
    item : (ratings,) array of int
        Item of each rating, by its position among all items.
    rater : (ratings,) array of int
    value : (ratings,) array
        From 0 to 1: whether it is the positive label, or a grade.
    drawn : (ratings,) array or None
        Probability with which the item was drawn to be rated; None where all had the same.
    """

    item: Codes
    rater: Codes
    value: Floats
    drawn: Floats | None = None


@dataclass(frozen=True, kw_only=True)
class Corrected:
    """A rate as people would find it.

    Parameters
    ----------
    value, low, high : float
    naive : float
        What the judge says: its mean over all items.
    people : float
        What people say: the mean over the items that they rated.
    power : float
        How much the judge counts, from 0 (only people do) to 1.
    rated, raters : int
        Items that people rated, and people.
    freedom : float
        Degrees of freedom of the variance.
    from_items, from_raters, from_judge : float
        Parts of the variance: which items people rated, who they are, and which items there are
        beside those.
    """

    value: float
    low: float
    high: float
    naive: float
    people: float
    power: float
    rated: int
    raters: int
    freedom: float
    from_items: float
    from_raters: float
    from_judge: float


def correct(judge: Floats, ratings: PeopleRatings, *, level: float = 0.95) -> Corrected:
    r"""Estimate the mean over items of what a random rater says.

    With the mean rating :math:`y_i` of the n items (L) that people rated, the judge's
    :math:`f_i` on all N, and the N - n others (U),

    .. math:: \hat\theta = \bar y + \lambda (\bar f_U - \bar f_L), \quad
        \lambda = \frac{\mathrm{Cov}_L(y, f)}{\mathrm{Var}_L(f)} \frac{N - n}{N},

    clipped to [0, 1]. (With the variance over all items, as in PPI++, a rate of .02 comes out up to
    .43 standard errors too low, since :math:`\lambda` grows with the number of positive items among
    the n; with the slope on these, up to .31.) The judge may be as wrong as it likes: that only
    widens the interval. Its variance has three parts. With
    :math:`z_{ij} = (h_{ij} - \bar y - \lambda (f_i - \bar f_L)) / (n m_i)` for the rating of item
    i, one of :math:`m_i`, by rater j, one of J,

    .. math:: V_{\text{items}} = \frac{n}{n - 1} \sum_i \Big(\sum_j z_{ij}\Big)^2, \quad
        V_{\text{raters}} = \frac{J}{J - 1}
        \max\Big(0, \sum_j \Big(\sum_i z_{ij}\Big)^2 - \sum_{ij} z_{ij}^2\Big), \quad
        V_U = \lambda^2 \frac{\mathrm{Var}_U(f)}{N - n}.

    The interval is that of a share of :math:`n_e = p_0 (1 - p_0) / (V + n^{-2}) (z / t)^2` items,
    with :math:`p_0 = (n \bar y + 1) / (n + 2)`, and t Student's quantile with the degrees of
    freedom of Satterthwaite.

    Where items were drawn with probabilities :math:`\pi_i` that differ, means over L and z have
    weights :math:`w_i \propto 1 / \pi_i`, 1 on average, U is all N items, n in :math:`n^{-2}` and
    :math:`p_0` is :math:`(\sum w)^2 / \sum w^2`, and

    .. math:: \lambda = \frac{\sum_L w_i^2 (y_i - \bar y)(f_i - \bar f_L) / n^2}
        {\sum_L w_i^2 (f_i - \bar f_L)^2 / n^2 + \mathrm{Var}(f) / N}.

    Parameters
    ----------
    judge : (items,) array
        What the judge says of every item, from 0 to 1.
    ratings : PeopleRatings
        What people say of some, which must be a random sample of the items, or drawn with known
        probabilities. Two or more.
    level : float

    Notes
    -----
    With one rater the variance between raters cannot be known, and counts as 0: the interval
    then is for what this rater would say of all items. O(items + ratings).

    References
    ----------
    Angelopoulos, Duchi and Zrnic (2023), PPI++; Korn and Graubard (1998) for the interval;
    Satterthwaite (1946) for its degrees of freedom.

    Examples
    --------
    A judge calls half of 1,000 items positive, and people four of ten; it is right on most.

    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(1000) < 0.4
    >>> judge = np.where(rng.random(1000) < 0.85, truth, rng.random(1000) < 0.9).astype(float)
    >>> value = truth[:100].astype(float)
    >>> people = PeopleRatings(item=np.arange(100), rater=np.arange(100) % 5, value=value)
    >>> found = correct(judge, people)
    >>> round(found.naive, 2), round(found.value, 2), round(found.low, 2), round(found.high, 2)
    (0.49, 0.38, 0.32, 0.45)
    """
    from scipy import special  # pyright: ignore[reportMissingTypeStubs]

    normal: Any = special.ndtri
    student: Any = special.stdtrit
    total = len(judge)
    rated, row = np.unique(ratings.item, return_inverse=True)
    number = np.bincount(row)
    mean = np.bincount(row, ratings.value) / number
    n, others = len(rated), total - len(rated)
    counts = np.ones(n)
    judged, unseen = judge[rated], np.delete(judge, rated)
    if ratings.drawn is not None:
        counts = 1 / (np.bincount(row, ratings.drawn) / number)
        counts /= counts.mean()
        unseen, others = judge, total  # those that were not drawn are not like the others
    ours, theirs = (float(np.average(x, weights=counts)) for x in (mean, judged))
    power = _power(
        judge, mean - ours, judged - theirs, counts if ratings.drawn is not None else None
    )
    value = ours + (power * (float(unseen.mean()) - theirs) if others else 0.0)
    shifted = ratings.value - ours - power * (judged - theirs)[row]
    z = counts[row] * shifted / (n * number[row])
    by_item = np.bincount(row, z)
    people, who = np.unique(ratings.rater, return_inverse=True)
    by_rater, raters = np.bincount(who, z), len(people)
    from_items = n / (n - 1) * float(by_item @ by_item)
    from_raters = 0.0
    if raters > 1:
        beyond = float(by_rater @ by_rater) - float(z @ z)
        from_raters = raters / (raters - 1) * max(0.0, beyond)
    from_judge = power**2 * float(unseen.var(ddof=1)) / others if others > 1 else 0.0
    variance = from_items + from_raters + from_judge
    shares = (from_items + from_judge) ** 2 / (n - 1)
    shares += from_raters**2 / (raters - 1) if raters > 1 else 0.0
    freedom = variance**2 / shares if shares > 0 else float(n - 1)
    kish = n**2 / float(counts @ counts)
    middle = (kish * ours + 1) / (kish + 2)
    tail = (1 + level) / 2
    narrowed = (float(normal(tail)) / float(student(freedom, tail))) ** 2
    size = middle * (1 - middle) / (variance + kish**-2.0) * narrowed
    low, high = share_interval(value, size, level)
    return Corrected(
        value=min(max(value, 0.0), 1.0),
        low=float(low),
        high=float(high),
        naive=float(judge.mean()),
        people=ours,
        power=power,
        rated=n,
        raters=raters,
        freedom=freedom,
        from_items=from_items,
        from_raters=from_raters,
        from_judge=from_judge,
    )


def _power(judge: Floats, people: Floats, judged: Floats, counts: Floats | None) -> float:
    """Find how much the judge is to count, from 0 to 1; `people` and `judged` have mean 0."""
    total, n = len(judge), len(judged)
    own = float(judged @ judged)
    if not own > 0 or n == total:
        return 0.0
    if counts is None:
        best = float(people @ judged) / own * (total - n) / total
    else:
        square = counts**2 / n**2
        rest = float(judge.var()) / total
        best = float((square * people) @ judged) / (float(square @ judged**2) + rest)
    return min(max(best, 0.0), 1.0)


# The corrected rate, as plain records.


@dataclass(frozen=True, kw_only=True)
class RateProvenance(Provenance):
    """How a rate came about: what it is of, and what people rated beside what all results tell.

    `positive` is the label whose share it is, None where it is a mean grade from `lowest` to
    `highest`; `rated`, `people_ratings` and `people` count items, ratings and people (None where
    nobody knows who rated).
    """

    positive: str | None
    lowest: float
    highest: float
    rated: int
    people_ratings: int
    people: int | None


@dataclass(frozen=True, kw_only=True)
class JudgedRate(Record):
    """The rate by one judge, or by all together.

    Parameters
    ----------
    name : str or None
        None for all judges: the mean of what they say of an item.
    naive : float
        What it says of all items.
    rate : Estimate
        What people would say.
    power : float
        How much the judge counts in that, from 0 to 1.
    """

    name: str | None
    naive: float
    rate: Estimate
    power: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RateResult(Result):
    """The share of all items that people would call positive, or the mean grade they would give.

    Parameters
    ----------
    rate : Estimate
        The estimate for people, from their labels and those of all judges.
    naive : float
        The judges' own rate.
    alone : Estimate
        The estimate from the items that people rated, without the judges.
    variance : dict of str to float
        Its parts: `items`, `raters`, `judges`.
    judges : tuple of JudgedRate
        Each judge alone, if they are 50 or fewer.

    Examples
    --------
    >>> from headcount import corrected_rate
    >>> result = corrected_rate("example:votes", "example:gold")
    >>> result.rate.low < result.rate.value < result.rate.high
    True
    """

    provenance: RateProvenance
    rate: Estimate
    naive: float
    alone: Estimate
    power: float
    variance: dict[str, float]
    judges: tuple[JudgedRate, ...]

    @property
    def people_alone(self) -> float:
        """As people say of the items that they rated."""
        return self.alone.value

    @property
    def each_and_all(self) -> tuple[JudgedRate, ...]:
        """Each judge alone, and last all of them together, who have no name."""
        whole = JudgedRate(name=None, naive=self.naive, rate=self.rate, power=self.power)
        return (*self.judges, whole)

    def screen(self) -> Screen:
        """Say the rate as people would find it, judge by judge if they are few."""
        p = self.provenance
        table = replace(_table(self), title="")
        some = len(table.body) <= MOST_ROWS and p.rated < p.items_used
        rated = "all" if p.rated == p.items_used else count(p.rated, "item")
        return Screen(
            headline=_headline(self),
            table=table if some else None,
            data=f"{count(p.items_used, 'item')}, {rated} rated by people",
        )

    def page(self) -> Page:
        """Say the rate as people would find it, beside what the judges say."""
        return Page(_headline(self), [_table(self)], [_foot(self)])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per judge, and one for all of them (judge is null)."""
        columns = rows(self.each_and_all, ["name", "naive", "rate"])
        return dict(zip(("judge", "naive", "value", "low", "high"), columns.values(), strict=True))

    def document(self) -> dict[str, Any]:
        """Return what ``to_dict()`` has beside data, options and notes (docs/reference/json.md)."""
        p = self.provenance
        own = ("rate", "naive", "people_alone", "power", "variance", "judges")
        return {
            **{name: json_value(getattr(self, name)) for name in own},
            "positive": p.positive,
            "grades": None if p.positive is not None else [p.lowest, p.highest],
            "rated": {"items": p.rated, "ratings": p.people_ratings, "people": p.people},
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what judges say and what people would say (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.blind_evaluation.plot import plot_rate

        return plot_rate(self, ax)


# The corrected rate in words.

MOST_ROWS = 12
"""Rows of the table on the first screen."""


def shown(result: RateResult, value: float | None) -> str:
    """Write a rate in per cent, or a grade."""
    if value is None:
        return ""
    return f"{value:.1%}" if result.provenance.positive is not None else f"{value:.2f}"


def _headline(result: RateResult) -> list[str]:
    p, rate = result.provenance, result.rate
    value, low, high = (shown(result, x) for x in (rate.value, rate.low, rate.high))
    judges = "the judge says" if p.n_raters == 1 else f"the {p.n_raters:,} judges say"
    people = f"give a mean grade of {value} ({low} to {high})"
    if p.positive is not None:
        people = f"call {value} ({low} to {high}) of the items '{p.positive}'"
    lines = [f"People would {people}; {judges} {shown(result, result.naive)}."]
    if p.rated == p.items_used:
        lines.append(f"People rated all {p.items_used:,} items, so the judges add nothing.")
    return lines


def _table(result: RateResult) -> Table:
    level = "" if result.provenance.level is None else percent(result.provenance.level)
    head = ["judge", "says", "people would say", f"{level} interval"]
    everybody = "all judges (report this)" if (result.provenance.n_raters or 1) > 1 else "judge"
    body = [
        [
            everybody if judge.name is None else judge.name,
            shown(result, judge.naive),
            shown(result, judge.rate.value),
            f"{shown(result, judge.rate.low)} to {shown(result, judge.rate.high)}",
        ]
        for judge in result.each_and_all
    ]
    low, high = (shown(result, x) for x in (result.alone.low, result.alone.high))
    body.append(["people alone", "", shown(result, result.alone.value), f"{low} to {high}"])
    return Table(head, body, title="The rate by the judges, and as people would say")


def _foot(result: RateResult) -> str:
    p = result.provenance
    who = "people who are not named" if p.people is None else count(p.people, "person")
    who = who.replace("persons", "people")
    total = sum(result.variance.values()) or 1.0
    parts = {name: value / total for name, value in result.variance.items()}
    # What raters like these would add cannot be known from one, or from those without names.
    of_raters = f", {parts['raters']:.0%} from the choice of people" if (p.people or 0) > 1 else ""
    return (
        f"{count(p.items_used, 'item')} by {count(p.n_raters or 0, 'judge')}; "
        f"{count(p.people_ratings, 'rating')} of {count(p.rated, 'item')} by {who}. "
        f"{parts['items']:.0%} of the variance comes from the choice of items{of_raters}. "
        "The rated items must be a random sample of all, or drawn with the probabilities that "
        "their file gives."
    )
