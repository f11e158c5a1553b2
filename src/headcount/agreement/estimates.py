"""What a coefficient is, its values on the data and on resamples, and their intervals."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.agreement.prepare import Prepared
from headcount.agreement.raters import Crossed, Scope, crossed_of
from headcount.agreement.ratings import Influence, Patterns
from headcount.agreement.scales import Distance
from headcount.errors import OptionError, option
from headcount.stats.arrays import ratio
from headcount.stats.draws import resample, resample_clusters
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import LINEARISED, Fisher
from headcount.typing import Codes, Floats, Kernel

__all__ = [
    "Coefficient",
    "OwnCoefficient",
    "item_disagreement",
    "observed",
    "label_shares",
    "Engine",
    "Sampling",
    "Estimates",
    "estimate",
    "like_these",
    "too_few",
]


# What every coefficient knows of itself.

VERDICTS = {
    1: "is more than chance",
    -1: "is less than chance",
    0: "cannot be distinguished from chance",
}


class Coefficient(ABC):
    """A coefficient of agreement.

    Attributes
    ----------
    name : str
        For programs: a key of the JSON document.
    title : str
        For people.
    chance : str
        In a few words, where agreement by chance is taken from.
    assumes : str
        What the number rests on, in a sentence or two.
    corrected : bool
        Whether it is 0 where raters agree as often as by chance.
    recommended : bool
        Whether it is among those to report first.
    brief : bool
        Whether tables of every two raters show it.
    nominal : bool
        Whether it counts labels as the same or not, whatever the scale.
    by_rater : bool
        Whether it matters who rated.
    over_pairs : bool
        Whether it is a mean over pairs of raters.
    slow : bool
        Whether it goes through all pairs of ratings of an item.
    least : float
        The lowest value that it may have.
    """

    name: str
    title: str
    chance: str
    assumes: str
    corrected: bool = True
    recommended: bool = False
    brief: bool = False
    nominal: bool = False
    by_rater: bool = False
    over_pairs: bool = False
    slow: bool = False
    least: float = -1.0

    def kernel(self, data: Prepared) -> Kernel:
        """Prepare the coefficient, which has a value on the data.

        Returns
        -------
        Kernel
            Of how often each pattern is drawn, (draws, patterns), to (draws,) values, NaN where
            there is none.
        """
        raise NotImplementedError(f"{self.name} does not go by label patterns")

    @property
    def resampled(self) -> bool:
        """Whether it goes by label patterns, so that samples of items cost little."""
        return type(self).kernel is not Coefficient.kernel

    def value(self, data: Prepared) -> float:
        """Find its value; NaN where it has none."""
        weight = data.patterns.multiplicity[None, :].astype(np.float64)
        return float(self.kernel(data)(weight)[0])

    def undefined(self, data: Prepared) -> str | None:
        """Say why it has no value on data with two ratings of an item; None if it may have one."""
        return None

    def no_value(self, data: Prepared) -> str:
        """Say why its value turned out to be NaN."""
        return "ratings do not differ enough to tell agreement from chance"

    def interval(self, data: Prepared, value: float, level: float) -> Estimate | None:
        """Find its textbook interval for these raters; None if there is none.

        By default Student's, from the variance over items to first order: for Krippendorff's alpha,
        Conger's and Fleiss' kappa and Gwet's coefficients that is irrCAC's.
        """
        influence = self.influence(data)
        return None if influence is None else self.linearised(data, influence, value, level)

    def linearised(
        self, data: Prepared, influence: Influence, value: float, level: float
    ) -> Estimate:
        """Find Student's interval as irrCAC does.

        It takes the number of items with two ratings as given, so that among items with one rating
        the coefficient itself adds to the variance (Gwet 2008, 2014).
        """
        used, times = data.ratings.per_item > 1, data.ratings.item_times
        n = float(times.sum())
        parts = n * influence.items + value * (used * n / float(times[used].sum()) - 1)
        error = float(np.sqrt(times @ parts**2 / (n * max(n - 1, 1))))
        limits = (self.least, 1.0)
        return Estimate.from_error(value, error, level=level, method=LINEARISED, n=n, limits=limits)

    def influence(self, data: Prepared) -> Influence | None:
        """How it changes with items, raters and ratings; None if it is not known.

        Without raters, there is no interval for raters like these.
        """
        return None

    def fisher(self, data: Prepared) -> Fisher:
        """Give the scale on which its interval for raters like these is symmetric."""
        return Fisher(self.least)

    def by_pair(self, data: Prepared, level: float) -> list[Estimate] | None:
        """Its value for every two raters who share an item; None if it has none for two."""
        return None

    def bare(self, data: Prepared) -> bool:
        """Whether no interval of it would hold on these data, so that it has none."""
        return False

    def direction(self, estimate: Estimate) -> int | None:
        """Say if agreement is more than chance (1), less (-1) or neither can be said (0).

        None where the coefficient is not corrected for chance, or has no interval.
        """
        low, high = estimate.low, estimate.high
        if not self.corrected or low is None or high is None or low == high:
            return None
        return 1 if low > 0 else -1 if high < 0 else 0

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say what it says that the reported one does not; "" if it need not stand beside it."""
        return ""

    def verdict(self, estimate: Estimate, *, whom: str = "") -> str:
        """Say how agreement compares with chance; "" where that cannot be said."""
        direction = self.direction(estimate)
        if direction is None:
            return ""
        start = f"{whom} " if whom else ""
        return f"{start}agreement {VERDICTS[direction]}"


# A user's own coefficient: a function of the labels of the items.

MOST_CELLS = 5 * 10**7
"""Items times labels of a table that a user's function is given, at most."""


class OwnCoefficient(Coefficient):
    """A coefficient that a user's function computes.

    Parameters
    ----------
    value : callable
        Takes how often each item was given each label, an (items, labels) array of whole numbers
        with the labels of the scale in order, and returns a number; NaN where it has none. Who
        gave a label, and which item is which, it is not told.
    name, title : str
    chance, assumes : str
        For the table and the JSON document, as every coefficient has them.
    corrected : bool
        Whether the number is 0 where raters agree as often as by chance.

    Notes
    -----
    A bootstrap sample is a table as well, with items that were drawn twice in it twice: O(items x
    labels) a draw, besides what the function takes.

    Examples
    --------
    >>> def unanimous(counts):
    ...     return (counts.max(axis=1) == counts.sum(axis=1)).mean()
    >>> from headcount.agreement import agree
    >>> agree([[1, 1], [0, 0], [1, 1], [1, 0]], coefficients=[unanimous])["unanimous"].value
    0.75
    """

    def __init__(
        self,
        value: Callable[[Codes], Any],
        *,
        name: str,
        title: str = "",
        chance: str = "",
        assumes: str = "",
        corrected: bool = False,
    ) -> None:
        self.function = value
        self.name = name
        self.title = title or name
        self.chance = chance
        self.assumes = assumes
        self.corrected = corrected

    def kernel(self, data: Prepared) -> Kernel:
        """Call the function on the table of each draw."""
        p = data.patterns
        table = np.zeros((len(p), p.n_labels), dtype=np.int64)
        table[p.group, p.label] = p.count.astype(np.int64)

        def values(weight: Floats) -> Floats:
            times = weight.astype(np.int64)
            return np.array([self._number(np.repeat(table, row, axis=0)) for row in times])

        return values

    def undefined(self, data: Prepared) -> str | None:
        """Say if there are too many items and labels for a table."""
        items, labels = data.labels.n_items, len(data.labels.scale)
        if items * labels > MOST_CELLS:
            return f"{items:,} items x {labels:,} labels are too many for a table"
        return None

    def no_value(self, data: Prepared) -> str:
        """Say that the function gave none."""
        return "its function gives no number on these ratings"

    def _number(self, counts: Codes) -> float:
        result = self.function(counts)
        try:
            number = float(result)
        except (TypeError, ValueError):
            raise OptionError(
                f"{option('coefficients')}: '{self.name}' must return a number, not "
                f"{type(result).__name__}."
            ) from None
        return number if np.isfinite(number) else float("nan")


# What percent agreement, Fleiss' kappa and Gwet's coefficients share: every item weighs the same.
#
# Each is one minus observed over expected disagreement. The observed part is over items with two
# ratings or more, the expected part over all rated items: an item with one rating tells nothing of
# agreement, but does of how common labels are. That is Gwet's generalisation to unequal numbers of
# raters; with equal numbers it is Fleiss' own formula.


def item_disagreement(patterns: Patterns, distance: Distance) -> Floats:
    """Mean distance of two ratings of an item, for each pattern; 0 where there are no two.

    d_i = sum_kl r_ik r_il d(k, l) / (r_i (r_i - 1)).
    """
    spread = distance.spread(patterns.label, patterns.count, patterns.start)
    n = patterns.ratings
    return patterns.sums(patterns.count * spread) / np.maximum(n * (n - 1), 1)


def observed(patterns: Patterns, distance: Distance) -> Kernel:
    """Prepare the mean distance of two ratings of an item; NaN where no item with two was drawn."""
    usable = patterns.usable.astype(np.float64)
    disagreement = item_disagreement(patterns, distance) * usable
    return lambda weight: ratio(weight @ disagreement, weight @ usable)


def label_shares(patterns: Patterns) -> Kernel:
    """Prepare the mean over items of the share of each label: (draws, labels)."""
    totals = patterns.totals(patterns.count / patterns.ratings[patterns.group])
    return lambda weight: totals(weight) / weight.sum(axis=1, keepdims=True)


# Coefficients on the data, with intervals: for these raters, over items; and for raters like these.

BLOCK = 2 * 10**6
"""Cells that are held at once: draws x patterns or labels."""
OWN_DRAWS = 500
"""Bootstrap samples for a coefficient of the caller's own, unless they say how many."""
UNASKED = 2 * 10**7
"""Pairs of ratings that are gone through for coefficients that nobody asked for, at most."""


WIDEST = 0.75
"""Share of its range that an interval may cover; a wider one says nothing."""
POINT = 1e-9
"""Width of an interval that is a point but for rounding."""


class Engine:
    """Coefficients that have a value on the data, and why others have none.

    Parameters
    ----------
    data : Prepared
    coefficients : iterable of Coefficient
    chosen : bool
        Whether the caller asked for them by name; else those that make no sense of continuous
        ratings, or that go through too many pairs of ratings, have no value.

    Attributes
    ----------
    data : Prepared
    chosen : bool
    coefficients : dict of str to Coefficient
        Those that may have a value on the data, by name.
    values : dict of str to float
        Those that have one.
    reasons : dict of str to str or None
        Of all, why there is no value.
    """

    def __init__(
        self, data: Prepared, coefficients: Iterable[Coefficient], *, chosen: bool = True
    ) -> None:
        wanted = {kind.name: kind for kind in coefficients}
        self.data, self.chosen = data, chosen
        self.reasons = {
            name: data.no_pair
            or (None if chosen else self._unasked(kind))
            or kind.undefined(data)
            or (data.added_up if kind.by_rater else None)
            for name, kind in wanted.items()
        }
        self.coefficients = {n: kind for n, kind in wanted.items() if self.reasons[n] is None}
        self.values: dict[str, float] = {}
        for name, kind in self.coefficients.items():
            value = kind.value(data)
            if np.isnan(value):
                self.reasons[name] = kind.no_value(data)
            else:
                self.values[name] = value

    def _unasked(self, kind: Coefficient) -> str | None:
        """Say why a coefficient is left out unless somebody asks for it by name."""
        if kind.nominal and self.data.too_fine is not None:
            return self.data.too_fine
        if kind.slow and self.data.pairs_of_ratings > UNASKED:
            return (
                f"it goes through {self.data.pairs_of_ratings:,} pairs of ratings: ask for it by "
                f"name ({option('coefficients', kind.name)})"
            )
        return None

    @property
    def over_pairs(self) -> list[Coefficient]:
        """Means over pairs of raters."""
        return [kind for kind in self.coefficients.values() if kind.over_pairs]

    def bootstrap(
        self, names: Collection[str], draws: int, rng: np.random.Generator
    ) -> dict[str, Floats]:
        """Values of some coefficients on `draws` samples of items, the same for all of them."""
        if not names:
            return {}
        p, cluster = self.data.patterns, self.data.cluster
        kernels = {name: self.coefficients[name].kernel(self.data) for name in names}
        parts: dict[str, list[Floats]] = {name: [] for name in names}
        widest = len(p.items) if cluster is not None else len(p)
        block = max(1, BLOCK // max(widest, p.n_labels))
        if cluster is None:
            samples = resample(p.multiplicity, draws, rng, block=block)
        else:
            samples = (
                np.stack([np.bincount(p.pattern, row, len(p)) for row in items]).astype(np.float64)
                for items in resample_clusters(cluster[p.items], draws, rng, block=block)
            )
        for drawn in samples:
            for name, kernel in kernels.items():
                parts[name].append(kernel(drawn))
        return {name: np.concatenate(part or [np.zeros(0)]) for name, part in parts.items()}


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """What varies, and how intervals show it.

    Parameters
    ----------
    scope : Scope
        For whom intervals hold.
    draws : int or None
        Bootstrap samples of items; with 0, intervals for these raters are those of textbooks; None:
        analytic ones on Fisher's scale.
    level : float
    """

    scope: Scope
    draws: int | None
    level: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimates:
    """Coefficients with intervals, and how it went.

    Parameters
    ----------
    coefficients, these_raters : dict of str to Estimate
        Those of the scope; and those over items only.
    crossed : dict of str to Crossed
        What intervals for raters like these are made of.
    drawn : dict of str to array
        Values on the bootstrap samples, if there are any.
    at_least : callable
        Of a name and a number: the probability that the coefficient is at least so much, by the
        interval that is reported; None without one.
    """

    coefficients: dict[str, Estimate]
    these_raters: dict[str, Estimate]
    crossed: dict[str, Crossed]
    drawn: Mapping[str, Floats]
    at_least: Callable[[str, float], float | None]


def estimate(engine: Engine, sampling: Sampling, rng: np.random.Generator) -> Estimates:
    """Find all coefficients of an engine, with intervals."""
    data, draws, level = engine.data, sampling.draws, sampling.level
    likes = {name: like_these(engine.coefficients[name], data) for name in engine.values}
    if data.items_used < 2 or data.few_clusters:
        draws = 0  # sampling one item again gives that item: an interval would be a point
    wanted = [name for name in engine.values if draws and engine.coefficients[name].resampled]
    if draws is None:
        wanted = [n for n in engine.values if isinstance(engine.coefficients[n], OwnCoefficient)]
    drawn = engine.bootstrap(wanted, OWN_DRAWS if draws is None else draws, rng)
    these: dict[str, Estimate] = {}
    for name, reason in engine.reasons.items():
        if reason is not None:
            these[name] = Estimate(float("nan"), undefined=reason)
        elif engine.coefficients[name].bare(data):
            these[name] = Estimate(engine.values[name])
        else:
            like, value, textbook = likes[name], engine.values[name], None
            # Those of textbooks are of independent items.
            if (like is None or draws == 0) and data.items_used > 1 and data.cluster is None:
                textbook = engine.coefficients[name].interval(data, value, level)
            if like is not None and textbook is None:
                textbook = like.estimate(level, crossed=False)
            interval = _interval(value, drawn.get(name), textbook, level)
            least = None if draws == 0 else engine.coefficients[name].least
            these[name] = interval if _informative(interval, least) else Estimate(value)
    crossed: dict[str, Crossed] = {}
    for name, like in likes.items():
        if like is None or not (sampling.scope.crossed and len(like.influence.without)):
            continue
        if _informative(like.estimate(level), engine.coefficients[name].least):
            crossed[name] = like

    def at_least(name: str, least: float) -> float | None:
        if name in crossed:
            return crossed[name].at_least(least)
        like, values = likes.get(name), drawn.get(name)
        if these[name].low is None:
            return None
        if values is not None:
            return float((values[~np.isnan(values)] >= least).mean())
        return None if like is None else like.at_least(least, crossed=False)

    return Estimates(
        coefficients=these | {name: like.estimate(level) for name, like in crossed.items()},
        these_raters=these,
        crossed=crossed,
        drawn=drawn,
        at_least=at_least,
    )


def like_these(kind: Coefficient, data: Prepared) -> Crossed | None:
    """Give what its intervals are made of: over items, and over raters like these.

    None for one item, and where nothing varies.
    """
    influence = kind.influence(data) if data.items_used > 1 and not data.few_clusters else None
    if influence is None:
        return None
    influence = replace(influence, cluster=data.cluster, cell=data.cluster_of_raters)
    return crossed_of(influence, data.panel, data.independent, kind.fisher(data))


def _interval(
    value: float, draws: Floats | None, textbook: Estimate | None, level: float
) -> Estimate:
    """Take the interval of the draws; where there are none or too few, the analytic one, if any."""
    plain = Estimate(value) if textbook is None else textbook
    defined = np.zeros(0) if draws is None else draws[~np.isnan(draws)]
    if draws is not None and len(defined) and not too_few(len(defined), len(draws)):
        plain = Estimate.from_draws(value, defined, level=level)
    return plain


def _informative(e: Estimate, least: float | None) -> bool:
    """Whether an interval is informative; `least`: the lowest value, unless width does not matter.

    One that is a point says only that nothing varied, and one that leaves out the value or covers
    most values nothing at all.
    """
    if e.low is None or e.high is None:
        return True
    wide = least is not None and e.high - e.low >= WIDEST * (1 - least)
    return e.low - POINT <= e.value <= e.high + POINT and e.high - e.low > POINT and not wide


def too_few(defined: int, draws: int) -> bool:
    """Whether a coefficient is undefined in too many of the draws for an interval from them."""
    return 2 * defined < draws
