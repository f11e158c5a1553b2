"""What a coefficient is, its values on the data and on resamples, and their intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.agreement.prepare import Prepared
from headcount.agreement.raters import Crossed, Scope, crossed_of
from headcount.agreement.ratings import Influence, Patterns, item_weights
from headcount.agreement.scales import Distance
from headcount.errors import OptionError, option
from headcount.stats.arrays import ratio
from headcount.stats.draws import resample, resample_clusters
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import BIAS_CORRECTED, LINEARISED, Fisher
from headcount.typing import Codes, Floats, Kernel

__all__ = [
    "Coefficient",
    "OwnCoefficient",
    "item_disagreement",
    "observed",
    "label_shares",
    "mean_shares",
    "linearised",
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
NEAR_ZERO = 0.2
"""An interval that contains 0 and ends below this says that there is no agreement; one that goes
on beyond it cannot tell."""


class Coefficient(ABC):
    """A coefficient of agreement.

    Attributes
    ----------
    name : str
        For programs: a key of the JSON document.
    title : str
        For people.
    symbol : str
        What it is called in a formula; the title, unless another is given.
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
        Whether it matters who rated: it then needs draws of items, not of patterns.
    over_pairs : bool
        Whether it is a mean over pairs of raters: it then needs counts of their cells.
    resampled : bool
        Whether its interval for these raters is from bootstrap samples; else it is analytic.
    least : float
        The lowest value that it may have.
    from_single : str
        What it takes from items with a single rating; "" if nothing.
    """

    name: str
    title: str
    chance: str
    assumes: str
    symbol: str = ""
    corrected: bool = True
    recommended: bool = False
    brief: bool = False
    nominal: bool = False
    by_rater: bool = False
    over_pairs: bool = False
    resampled: bool = True
    least: float = -1.0
    from_single: str = ""

    @abstractmethod
    def kernel(self, data: Prepared) -> Kernel:
        """Prepare the coefficient, which has a value on the data.

        Returns
        -------
        Kernel
            Of how often each pattern is drawn, (draws, patterns), to (draws,) values, NaN where
            there is none; of items, (draws, items), if it is `by_rater`; of cells of
            ``data.rater_pairs``, (draws, cells), if it is `over_pairs`.
        """

    def undefined(self, data: Prepared) -> str | None:
        """Say why it has no value on data with two ratings of an item; None if it may have one."""
        return None

    def no_value(self, data: Prepared) -> str:
        """Say why its value turned out to be NaN."""
        return "ratings do not differ enough to tell agreement from chance"

    def interval(
        self, data: Prepared, value: float, level: float, change: Floats | None = None
    ) -> Estimate | None:
        """Find its interval without resampling; None if there is no standard one.

        `change` is how a mean over pairs changes with each item, (items,).
        """
        return None

    def slope(self, data: Prepared) -> Floats | None:
        """How a mean over pairs changes with the count of each cell, (cells,); None for others."""
        return None

    def influence(self, data: Prepared) -> Influence | None:
        """How it changes with items, raters and ratings; None if it is not known.

        Without it, there is no interval for raters like these.
        """
        return None

    def fisher(self, data: Prepared) -> Fisher:
        """Give the scale on which its interval for raters like these is symmetric."""
        return Fisher(self.least)

    def by_pair(self, data: Prepared, level: float) -> list[Estimate] | None:
        """Its value for every two raters who share an item; None if it has none for two."""
        return None

    def work(self, data: Prepared) -> int:
        """Multiplications that one draw costs; 0 if they are few, whatever the data."""
        return 0

    def bare(self, data: Prepared) -> bool:
        """Whether no interval of it would hold on these data, so that it has none."""
        return False

    def biased(self, data: Prepared) -> bool:
        """Whether draws of it are off by as much again as it is itself."""
        return False

    def direction(self, estimate: Estimate) -> int | None:
        """Say if agreement is more than chance (1), less (-1) or neither can be said (0).

        None where the coefficient is not corrected for chance, or has no interval.
        """
        low, high = estimate.low, estimate.high
        if not self.corrected or low is None or high is None or low == high:
            return None
        return 1 if low > 0 else -1 if high < 0 else 0

    def why(self, data: Prepared) -> str:
        """Say why to report it, in a sentence; "" if it is not the one to report."""
        return ""

    def differs(self, data: Prepared, value: float, reported: float) -> str:
        """Say what it says that the reported one does not; "" if it need not stand beside it."""
        return ""

    def none(self, estimate: Estimate) -> bool:
        """Whether an interval around 0 is so tight that there is no agreement to speak of."""
        return (
            self.direction(estimate) == 0
            and estimate.high is not None
            and estimate.high < NEAR_ZERO
        )

    def verdict(self, estimate: Estimate, *, whom: str = "") -> str:
        """Say how agreement compares with chance; "" where that cannot be said."""
        direction = self.direction(estimate)
        if direction is None:
            return ""
        start = f"{whom} " if whom else ""
        if self.none(estimate):
            most = estimate.show(estimate.high)
            return f"{start}there is no agreement beyond chance, or at most {most}"
        few = ": the ratings are too few" if direction == 0 else ""
        return f"{start}agreement {VERDICTS[direction]}{few}"


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
        self.value = value
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

    def work(self, data: Prepared) -> int:
        """Cells of the table."""
        return data.labels.n_items * len(data.labels.scale)

    def _number(self, counts: Codes) -> float:
        result = self.value(counts)
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


def mean_shares(patterns: Patterns) -> Floats:
    """Mean over the items of the data of the share of each label: (labels,)."""
    return label_shares(patterns)(patterns.multiplicity[None, :].astype(np.float64))[0]


def linearised(
    patterns: Patterns,
    distance: Distance,
    slope: Floats,
    *,
    value: float,
    level: float,
    low: float = -1.0,
) -> Estimate:
    """Find Student's interval from the linearised variance over items.

    Parameters
    ----------
    patterns : Patterns
    distance : Distance
    slope : (labels,) array
        How chance agreement changes with the share of each label, dp_e / dpi_k / 2.
    value : float
        The coefficient.
    level : float
    low : float
        Where the interval is cut.

    Notes
    -----
    v = sum of (k_i - k)^2 / (n (n - 1)), where the k_i are the items' parts of the coefficient to
    first order: k_i = (n / n') (p_a,i - p_e) / (1 - p_e) - 2 (1 - k) (p_e,i - p_e) / (1 - p_e),
    with n' items of two ratings or more and p_e,i = sum_k r_ik / r_i dp_e / dpi_k / 2. Gwet
    (2008, 2014); it is the infinitesimal jackknife over items. O(entries).
    """
    weight = patterns.multiplicity.astype(np.float64)
    n = float(weight.sum())
    usable = patterns.usable
    pairs = float(weight[usable].sum())
    agree = np.where(usable, 1 - item_disagreement(patterns, distance), 0.0)
    p_a = float(weight @ agree) / pairs
    p_e = float(mean_shares(patterns) @ slope)
    own = patterns.sums(patterns.count * slope[patterns.label]) / patterns.ratings
    k = (p_a - p_e) / (1 - p_e)
    parts = np.where(usable, n / pairs * (agree - p_e), 0.0) / (1 - p_e)
    parts -= 2 * (1 - k) * (own - p_e) / (1 - p_e)
    variance = float(weight @ (parts - k) ** 2) / (n * max(n - 1, 1))
    error = float(np.sqrt(variance))
    return Estimate.from_error(
        value, error, level=level, method=LINEARISED, n=int(n), limits=(low, 1.0)
    )


# Evaluate coefficients on the data and on resamples of their items.

BLOCK = 2 * 10**6
"""Cells that are held at once: draws x patterns, items or cells of rater pairs."""


class Engine:
    """Coefficients as functions of how often each pattern, item and pair of labels is drawn.

    Parameters
    ----------
    data : Prepared
    coefficients : iterable of Coefficient
    chosen : bool
        Whether the caller asked for them by name; else those that make no sense of continuous
        ratings have no value there.

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
        too_fine = None if chosen else data.too_fine
        self.reasons = {
            name: data.no_pair
            or (too_fine if kind.nominal else None)
            or kind.undefined(data)
            or (data.added_up if kind.by_rater else None)
            for name, kind in wanted.items()
        }
        self.coefficients = {n: kind for n, kind in wanted.items() if self.reasons[n] is None}
        self._kernels = {name: kind.kernel(data) for name, kind in self.coefficients.items()}
        values = self._observed()
        for name, kind in self.coefficients.items():
            if np.isnan(values[name]):
                self.reasons[name] = kind.no_value(data)
        self.values = {n: value for n, value in values.items() if self.reasons[n] is None}

    @property
    def over_pairs(self) -> list[Coefficient]:
        """Means over pairs of raters."""
        return [kind for kind in self.coefficients.values() if kind.over_pairs]

    def analytic(self, level: float) -> dict[str, Estimate]:
        """Intervals without resampling, of the coefficients for which there is a standard one."""
        if self.data.items_used < 2 or self.data.cluster is not None:
            return {}  # they are of independent items
        changes: dict[str, Floats] = {}
        for name in self.values:
            if (slope := self.coefficients[name].slope(self.data)) is not None:
                changes[name] = slope
        if changes:  # all at once, since pairs of ratings are gone through
            by_item = self.data.rater_pairs.by_item(list(changes.values()))
            changes = dict(zip(changes, by_item, strict=True))
        estimates: dict[str, Estimate] = {}
        for name, value in self.values.items():
            kind = self.coefficients[name]
            interval = kind.interval(self.data, value, level, changes.get(name))
            if interval is not None:
                estimates[name] = interval
        return estimates

    def bootstrap(
        self, draws: int, rng: np.random.Generator, *, leave_out: Collection[str] = ()
    ) -> dict[str, Floats]:
        """Values on `draws` resamples of items, the same for all coefficients but some."""
        p = self.data.patterns
        wanted = [
            kind
            for name, kind in self.coefficients.items()
            if name not in leave_out and kind.resampled
        ]
        # Coefficients of patterns and of raters go through the same draws one after the other,
        # each in blocks of a size that suits it.
        seed, item_seed = rng.integers(2**63, size=2).tolist()
        parts: dict[str, list[Floats]] = {kind.name: [] for kind in wanted}
        if (cluster := self.data.cluster) is not None:
            block = _block(len(p.items), len(self.data.labels.raters))
            within = np.random.default_rng(item_seed)
            for items in resample_clusters(cluster[p.items], draws, within, block=block):
                for name, values in self.on_items(items).items():
                    if name in parts:
                        parts[name].append(values)
            wanted = []
        if names := [kind.name for kind in wanted if not kind.by_rater]:
            block = _block(len(p), p.n_labels)
            for drawn in resample(p.multiplicity, draws, np.random.default_rng(seed), block=block):
                for name in names:
                    parts[name].append(self._kernels[name](drawn))
        if names := [kind.name for kind in wanted if kind.by_rater]:
            within = np.random.default_rng(item_seed)
            over_pairs = any(self.coefficients[name].over_pairs for name in names)
            cells = 4 * len(self.data.rater_pairs.key) if over_pairs else 0
            block = _block(len(p.items), len(self.data.labels.raters), cells)
            for drawn in resample(p.multiplicity, draws, np.random.default_rng(seed), block=block):
                items = item_weights(p, drawn, within)
                for name, values in self._of_items(items, names).items():
                    parts[name].append(values)
        return {name: np.concatenate(part or [np.zeros(0)]) for name, part in parts.items()}

    def on_items(self, items: Floats) -> dict[str, Floats]:
        """Values where each item counts so many times: (draws, items) weights to (draws,)."""
        p = self.data.patterns
        patterns = np.empty((len(items), len(p)))
        for row, weight in zip(patterns, items, strict=True):
            row[:] = np.bincount(p.pattern, weights=weight, minlength=len(p))
        by_rater = [kind.name for kind in self.coefficients.values() if kind.by_rater]
        of_items = self._of_items(items, by_rater)
        return {
            name: of_items[name] if kind.by_rater else self._kernels[name](patterns)
            for name, kind in self.coefficients.items()
        }

    def _observed(self) -> dict[str, float]:
        p = self.data.patterns
        patterns, items = p.multiplicity[None, :].astype(np.float64), np.ones((1, len(p.items)))
        values: dict[str, float] = {}
        for name, kind in self.coefficients.items():
            if kind.over_pairs:
                weight = self.data.rater_pairs.count[None, :]
            else:
                weight = items if kind.by_rater else patterns
            values[name] = float(self._kernels[name](weight)[0])
        return values

    def _of_items(self, items: Floats, names: Collection[str]) -> dict[str, Floats]:
        """Values of coefficients of raters for (draws, items) weights."""
        over_pairs = {name for name in names if self.coefficients[name].over_pairs}
        cells = self.data.rater_pairs.counts(items) if over_pairs else items
        return {name: self._kernels[name](cells if name in over_pairs else items) for name in names}


def _block(*widths: int) -> int:
    """Draws to take at once."""
    return max(1, BLOCK // max(widths))


# Values with intervals: for these raters, over items; and for raters like these, over both.

MOST_WORK = 5 * 10**7
"""Work, in multiplications, up to which coefficients of raters are resampled: about .1 s. With more
ratings than that, intervals by linear terms are as good."""


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """What varies, and how intervals show it.

    Parameters
    ----------
    scope : Scope
        For whom intervals hold.
    draws : int
        Bootstrap samples of items.
    level : float
    """

    scope: Scope
    draws: int
    level: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimates:
    """Coefficients with intervals, and how it went.

    Parameters
    ----------
    coefficients, these_raters, analytic : dict of str to Estimate
        Those of the scope; those over items only; and of these the analytic ones.
    crossed : dict of str to Crossed
        What intervals for raters like these are made of.
    drawn : dict of str to array
        Values on the bootstrap samples of those that have a value.
    skipped : list of str
        Coefficients that would take too long to resample.
    """

    coefficients: dict[str, Estimate]
    these_raters: dict[str, Estimate]
    analytic: dict[str, Estimate]
    crossed: dict[str, Crossed]
    drawn: Mapping[str, Floats]
    skipped: list[str]

    def at_least(self, name: str, least: float) -> float | None:
        """Probability that a coefficient is at least so much, by its interval; None without one."""
        if name in self.crossed:
            return self.crossed[name].at_least(least)
        drawn = self.drawn.get(name, np.zeros(0))
        defined = drawn[~np.isnan(drawn)]
        return float((defined >= least).mean()) if len(defined) else None


def estimate(engine: Engine, sampling: Sampling, rng: np.random.Generator) -> Estimates:
    """Find all coefficients of an engine, with intervals from the same draws of items."""
    data, draws, level = engine.data, sampling.draws, sampling.level
    analytic, clustered = engine.analytic(level), data.cluster is not None
    bare = [name for name in engine.values if engine.coefficients[name].bare(data)]
    skipped = [
        name
        for name in engine.values
        if name not in bare
        and (kind := engine.coefficients[name]).resampled
        and draws * kind.work(data) > MOST_WORK
    ]
    # Resampling one item gives that item again: an interval would be a point.
    draws = draws if data.items_used > 1 and not data.few_clusters else 0
    drawn = engine.bootstrap(draws, rng, leave_out=[*skipped, *bare])
    these: dict[str, Estimate] = {}
    crossed: dict[str, Crossed] = {}
    for name, reason in engine.reasons.items():
        if reason is not None:
            these[name] = Estimate(float("nan"), undefined=reason)
            continue
        kind = engine.coefficients[name]
        if kind.bare(data):
            these[name] = Estimate(engine.values[name])
            continue
        unsampled = name in skipped or not kind.resampled or (clustered and not draws)
        like = like_these(kind, data) if sampling.scope.crossed or unsampled else None
        if unsampled and like is not None:
            analytic.setdefault(name, like.estimate(level, crossed=False))
        plain = analytic.get(name, Estimate(engine.values[name]))
        values = drawn.get(name, np.zeros(0))
        these[name] = _interval(plain, values, level, biased=kind.biased(data))
        if sampling.scope.crossed and like is not None:
            crossed[name] = like
    return Estimates(
        coefficients=these | {name: like.estimate(level) for name, like in crossed.items()},
        these_raters=these,
        analytic=analytic,
        crossed=crossed,
        drawn={name: values for name, values in drawn.items() if name in engine.values},
        skipped=skipped,
    )


def like_these(kind: Coefficient, data: Prepared) -> Crossed | None:
    """Give what its interval for raters like these is made of; None if there is none.

    There is none for one item, nor where nothing varies.
    """
    influence = kind.influence(data) if data.items_used > 1 and not data.few_clusters else None
    if influence is None:
        return None
    influence = replace(influence, cluster=data.cluster, cell=data.cluster_of_raters)
    return crossed_of(influence, data.panel, data.independent, kind.fisher(data))


def _interval(plain: Estimate, draws: Floats, level: float, *, biased: bool) -> Estimate:
    """Take the interval of the draws; where they are too few, the analytic one, if any.

    Where a correction for bias leaves the value outside its own interval, it is so biased that
    there is none.
    """
    defined = draws[~np.isnan(draws)]
    if not len(defined) or too_few(len(defined), len(draws)):
        return plain
    if not biased:
        return Estimate.from_draws(plain.value, defined, level=level)
    corrected = Estimate.from_draws(plain.value, defined, level=level, method=BIAS_CORRECTED)
    low, high = corrected.low, corrected.high
    if low is None or high is None or not low <= plain.value <= high:
        return Estimate(plain.value)
    return corrected


def too_few(defined: int, draws: int) -> bool:
    """Whether a coefficient is undefined in too many of the draws for an interval from them."""
    return 2 * defined < draws
