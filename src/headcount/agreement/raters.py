"""Raters as a sample: who rated, for whom intervals hold, and results without each rater."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headcount.agreement.ratings import Harsher, Influence, RatingTable, rater_component
from headcount.agreement.scales import Distance
from headcount.data.labels import Labels
from headcount.stats.arrays import SMALL, group_sums, ratio
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import OVER_ITEMS, RATERS_LIKE_THESE, Ends, Fisher
from headcount.typing import Floats, Ids

__all__ = [
    "Panel",
    "RaterKind",
    "SAMPLE",
    "FIXED",
    "RATERS",
    "Scope",
    "find_scope",
    "CrossedVariance",
    "crossed_variance",
    "freedom_of",
    "Crossed",
    "crossed_of",
    "Chance",
    "Unreplaced",
    "Replaced",
    "Guessing",
    "Constant",
    "Habits",
    "by_rating",
    "by_item",
]


# Who rated, how often, and whether that can show how other raters would differ.

FEW_RATERS = 6
"""Raters below which an interval for raters like these is so wide that both kinds are shown."""
LEAST_EFFECTIVE = 2.5
"""Effective number of raters below which nothing can be said of others."""
DOMINATES = 0.9
"""Share of the pairs of ratings that one rater may be part of, at most."""


@dataclass(frozen=True, eq=False)
class Panel:
    """The raters of a set of ratings.

    Parameters
    ----------
    paired : (raters,) array
        Ratings of each rater, on items that somebody else rated too.
    in_pairs : (raters,) array
        Pairs of ratings of an item that each rater is part of.
    anonymous : bool
        Whether nobody knows who gave which rating.
    names : (raters,) array or None
        Their ids, where one of them may have to be named.

    Examples
    --------
    >>> labels = Labels.from_triples([1, 1, 2, 2], ["a", "b", "a", "b"], ["x", "y", "x", "x"])
    >>> panel = Panel.from_labels(labels)
    >>> panel.raters, panel.effective, panel.reused
    (2, 2.0, True)
    """

    paired: Floats
    in_pairs: Floats
    anonymous: bool
    names: Ids | None = None

    @classmethod
    def from_labels(cls, labels: Labels) -> Panel:
        """Count what each rater gave. O(ratings)."""
        others = (labels.ratings_per_item[labels.item] - 1).astype(np.float64)
        raters, shared = len(labels.raters), (others > 0).astype(np.float64)
        if labels.times is not None:
            shared, others = shared * labels.times, others * labels.times
        paired = group_sums(labels.rater, shared, raters)
        in_pairs = group_sums(labels.rater, others, raters)
        return cls(paired, in_pairs, labels.anonymous, labels.raters)

    @cached_property
    def raters(self) -> int:
        """Raters who share an item with somebody."""
        return int(np.count_nonzero(self.paired))

    @cached_property
    def effective(self) -> float:
        """As many raters with equal shares would tell as much: (sum c)^2 / sum c^2."""
        squares = float((self.paired**2).sum())
        return float(self.paired.sum()) ** 2 / squares if squares else 0.0

    @cached_property
    def reused(self) -> bool:
        """Whether some rater is compared with others on two items or more."""
        return not self.anonymous and bool(self.paired.max(initial=0) > 1)

    @property
    def few(self) -> bool:
        """Whether raters are too few to generalise to others."""
        return self.raters < FEW_RATERS

    @cached_property
    def silent(self) -> str | None:
        """Why nothing can be said of other raters, in words; None if something can."""
        if self.raters == 2:
            return "two raters cannot show how others would differ"
        if self.effective < LEAST_EFFECTIVE:
            two = self._named(2) or "two raters"
            return f"nearly all ratings are by {two}, who cannot show how others would differ"
        pairs = float(self.in_pairs.sum()) / 2
        if pairs and float(self.in_pairs.max()) > DOMINATES * pairs:
            rater = self._named(1) or "one rater"
            return f"{rater} is part of nearly all pairs of ratings, and cannot stand for others"
        return None

    def _named(self, most: int) -> str:
        """Name those who are part of most pairs of ratings."""
        if self.names is None:
            return ""
        first = self.names[np.argsort(-self.in_pairs, kind="stable")[:most]].tolist()
        return f"{'rater' if most == 1 else 'raters'} {' and '.join(map(repr, map(str, first)))}"


# For whom intervals hold: for raters like these, or for these raters.


@dataclass(frozen=True)
class RaterKind:
    """What the raters are taken for.

    Parameters
    ----------
    name : str
    words : str
        For whom intervals then hold.
    """

    name: str
    words: str


SAMPLE = RaterKind("sample", "for raters like these")
FIXED = RaterKind("fixed", "for these raters")
RATERS = {kind.name: kind for kind in (SAMPLE, FIXED)}
"""By name; the first is the default."""


@dataclass(frozen=True)
class Scope:
    """For whom the intervals of a result hold.

    Parameters
    ----------
    kind : RaterKind
    crossed : bool
        Whether they are wider than those over items, for raters who differ.
    few : bool
        Whether raters are so few that both kinds are shown.
    why : str
        Why it is this kind, where that is not the default; "" if it is.
    effective : float
        Effective number of raters.
    """

    kind: RaterKind
    crossed: bool = False
    few: bool = False
    why: str = ""
    effective: float = 0.0

    @property
    def words(self) -> str:
        """For whom intervals hold."""
        return self.kind.words


def find_scope(panel: Panel, wanted: RaterKind) -> Scope:
    """Find for whom intervals can hold."""
    if wanted is FIXED:
        return Scope(FIXED)
    if panel.anonymous:
        why = (
            "nobody knows who gave which rating. If the same people rated many items, intervals "
            "for other raters like them would be wider"
        )
        return Scope(FIXED, why=why)
    if not panel.reused:
        return Scope(SAMPLE, why="every item has raters of its own")
    if panel.silent is not None:
        return Scope(FIXED, why=panel.silent)
    return Scope(SAMPLE, crossed=True, few=panel.few, effective=panel.effective)


# Intervals for raters like these: items and raters are both samples.

SHARE, LEAST_FREEDOM = 0.75, 0.8
"""Degrees of freedom that an effective number of raters n_e is worth, .75 (n_e - 1), and at least.
A sum of squares over raters is far from normal: both were found by simulation, see
docs/studies/agreement.md."""

HALVINGS = 30
"""Halvings by which the level of an interval that ends at a value is found."""


@dataclass(frozen=True)
class CrossedVariance:
    """The variance of a coefficient when items and raters are both samples.

    Parameters
    ----------
    items, raters, ratings : float
        V_I over items, V_J by leaving out each rater, V_X over single ratings.
    freedom : float
        Degrees of freedom of the sum.
    """

    items: float
    raters: float
    ratings: float
    freedom: float

    @property
    def of_raters(self) -> float:
        """What raters add: single ratings vary in both parts, and count once."""
        return max(self.raters - self.ratings, 0.0)

    @property
    def total(self) -> float:
        """V_I + max(0, V_J - V_X)."""
        return self.items + self.of_raters


def crossed_variance(influence: Influence, panel: Panel, items: float) -> CrossedVariance:
    r"""Find the variance, by an exact delete-a-rater jackknife.

    Where items are in clusters, `items` is their effective number, i goes over clusters, and ij
    over what a rater gave to a cluster.

    .. math:: V = V_I + \max(0, V_J - V_X), \quad
        V_I = \tfrac{N}{N-1} \sum_i \phi_i^2, \quad
        V_J = \tfrac{M-1}{M} \sum_j (\theta_{(j)} - \theta)^2, \quad V_X = \sum_{ij} \psi_{ij}^2

    Degrees of freedom are Satterthwaite's, with the raters' part unsubtracted. O(ratings).
    """
    defined = ~np.isnan(influence.without)
    raters = panel.raters
    change = influence.without[defined] - influence.value
    v_items = items / max(items - 1, 1) * influence.item_squares
    v_raters = (raters - 1) / max(raters, 1) * float((change**2).sum())
    v_ratings = influence.rating_squares
    of_raters = freedom_of(panel.effective)
    total = v_items + max(v_raters - v_ratings, 0.0)
    bottom = v_items**2 / max(items - 1, 1) + v_raters**2 / of_raters
    freedom = total**2 / bottom if bottom > 0 else float(items - 1)
    freedom = max(freedom, min(of_raters, items - 1), LEAST_FREEDOM)
    return CrossedVariance(v_items, v_raters, v_ratings, freedom)


def freedom_of(raters: float) -> float:
    """Degrees of freedom that an effective number of raters is worth."""
    return max(SHARE * (raters - 1), LEAST_FREEDOM)


@dataclass(frozen=True)
class Crossed:
    """A value with Student's interval on Fisher's scale, for other items and raters like these.

    Parameters
    ----------
    value : float
    variance : CrossedVariance
    influence : Influence
    effective : float
        Effective number of raters.
    scale : Fisher
    items : float
        Items used, or the effective number of clusters of them.
    """

    value: float
    variance: CrossedVariance
    influence: Influence
    effective: float
    scale: Fisher
    items: float

    def ends(self, level: float) -> Ends:
        """Find the interval.

        Few raters may be alike in severity by luck. So the lower end is at most where it would be
        if the variance of raters were at the upper end of its own interval, from the chi-squared
        distribution of n_e - 1 degrees of freedom.
        """
        error, freedom = float(np.sqrt(self.variance.total)), self.variance.freedom
        low, high = RATERS_LIKE_THESE.ends(
            self.value, error, level, freedom=freedom, scale=self.scale
        )
        return Ends(min(low, self._if_harsher(level)), max(high, self.value))

    def _over_items(self, level: float) -> Ends:
        error, freedom = float(np.sqrt(self.variance.items)), max(self.items - 1, 1)
        return RATERS_LIKE_THESE.ends(self.value, error, level, freedom=freedom, scale=self.scale)

    def estimate(self, level: float, *, crossed: bool = True) -> Estimate:
        """Make the interval; over items only unless raters are a sample."""
        low, high = self.ends(level) if crossed else self._over_items(level)
        how = RATERS_LIKE_THESE if crossed else OVER_ITEMS
        return Estimate(self.value, low=low, high=high, level=level, method=how.name)

    def _if_harsher(self, level: float) -> float:
        from scipy.special import chdtri  # pyright: ignore[reportMissingTypeStubs]

        influence, freedom = self.influence, self.effective - 1
        if influence.harsher is None or not influence.severity or freedom <= 0:
            return self.value
        at_most = freedom / float(chdtri(freedom, (1 + level) / 2))
        return max(influence.harsher(influence.severity * max(at_most - 1, 0.0)), self.scale.low)

    def at_least(self, least: float, *, crossed: bool = True) -> float:
        """Confidence that the value is at least so much: that of the interval that ends there."""
        ends = self.ends if crossed else self._over_items
        if not (self.variance.total if crossed else self.variance.items):
            return float(self.value >= least)
        above = least > self.value
        inner, outer = 0.0, 1.0  # the interval of the first does not reach so far
        for _ in range(HALVINGS):
            level = (inner + outer) / 2
            low, high = ends(level)
            reached = high >= least if above else low <= least
            inner, outer = (inner, level) if reached else (level, outer)
        return (1 - inner) / 2 if above else (1 + inner) / 2


def crossed_of(influence: Influence, panel: Panel, items: float, scale: Fisher) -> Crossed | None:
    """Give what an interval for raters like these is made of; None where nothing varies."""
    variance = crossed_variance(influence, panel, items)
    if not variance.total > 0:
        return None
    return Crossed(influence.value, variance, influence, panel.effective, scale, items)


# Coefficients that are one minus observed over expected disagreement, without each rater.
#
# .. math:: \theta = 1 - D_o / D_e, \quad D_o = \sum_i u_i S_i / \sum_i u_i r_i (r_i - 1)
#
# with S_i the sum of the distances of all pairs of ratings of item i, and D_e a function of how
# often labels are given. The weights u_i of items, and m_i of ratings among label frequencies, are
# held fixed while a rater is left out: an item does not weigh more or less because one of its
# raters does not count.


@dataclass(frozen=True, eq=False)
class Chance(ABC):
    """Expected disagreement, of label frequencies g, by Q = sum_kl g_k g_l d(k, l) and their sum n.

    Parameters
    ----------
    distance : Distance
        d in Q.
    """

    distance: Distance
    follows = True
    """Whether disagreement of all raters alike raises it too."""

    @abstractmethod
    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""

    @abstractmethod
    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """How it changes with Q and with n."""


class Unreplaced(Chance):
    """Two of all ratings, drawn without replacement: Q / (n (n - 1)). Krippendorff's."""

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""
        return ratio(q, n * (n - 1))

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """How it changes."""
        pairs = n * (n - 1)
        return 1 / pairs, -q * (2 * n - 1) / pairs**2


class Replaced(Chance):
    """Two labels drawn with replacement: Q / n^2. Fleiss'."""

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""
        return ratio(q, n**2)

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """How it changes."""
        return 1 / n**2, -2 * q / n**3


@dataclass(frozen=True, eq=False)
class Guessing(Replaced):
    """1 - factor Q / n^2, with Q by nominal distances. Gwet's."""

    factor: float = 1.0
    follows = False

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""
        return 1 - self.factor * ratio(q, n**2)

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """How it changes."""
        by_q, by_n = super().slopes(q, n)
        return -self.factor * by_q, -self.factor * by_n


@dataclass(frozen=True, eq=False)
class Constant(Replaced):
    """The same whatever the labels: of percent agreement, and Brennan and Prediger's."""

    value: float = 1.0
    follows = False

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""
        return np.where(n > 0, self.value, np.nan)

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """Say that it does not change."""
        return 0.0, 0.0


class Habits(Chance):
    """Two labels, each drawn from those of one rater, as a mean over pairs of raters. Conger's.

    What it is without a rater, and how it changes with a rating, takes raters one by one.
    """

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement: the sum q over n (n - 1) ordered pairs of raters."""
        return ratio(q, n * (n - 1))

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """Leave that to :meth:`of_raters`."""
        raise NotImplementedError

    def of_raters(self, table: RatingTable) -> tuple[float, Floats, Floats]:
        """Give it, how it changes with each rating, and what it is without each rater. O(ratings).

        With p_g the shares of the labels of rater g, it is the sum over g and h, other than g, of
        p_g' d p_h, over m (m - 1).
        """
        labels, d = table.labels, self.distance
        rater, label, index = table.habits
        counts = table.habit_counts(np.ones(len(labels.item)))
        n = group_sums(rater, counts, len(labels.raters))
        share = counts / n[rater]
        whole = group_sums(label, share, len(labels.scale))
        to_whole = d.spread(np.arange(len(whole)), whole, np.zeros(1, dtype=np.intp))[label]
        present, start = np.unique(rater, return_index=True)
        to_own = d.spread(label, share, start)
        own, of_all = (group_sums(rater, share * far, len(n)) for far in (to_own, to_whole))
        m = float(len(present))
        apart = np.array(of_all.sum() - own.sum())
        left = self.expected(np.maximum(apart - 2 * (of_all - own), 0.0), np.array(m - 1))
        change = ((to_whole - to_own) - (of_all - own)[rater]) / n[rater]
        value = float(self.expected(apart, np.array(m)))
        return value, 2 * change[index] / (m * (m - 1)), left


def by_rating(table: RatingTable, distance: Distance, chance: Chance) -> Influence:
    """Every rating of an item with two or more weighs the same: Krippendorff's alpha."""
    n = table.sizes
    paired = n > 1
    return _influence(
        table,
        distance,
        chance,
        pairs=np.divide(1, n - 1, out=np.zeros(len(n)), where=paired),
        margin=paired.astype(np.float64),
    )


def by_item(table: RatingTable, distance: Distance, chance: Chance) -> Influence:
    """Every item weighs the same: percent agreement, Fleiss' kappa, Gwet's coefficients."""
    n = table.sizes
    pairs = np.divide(1, n * (n - 1), out=np.zeros(len(n)), where=n > 1)
    return _influence(table, distance, chance, pairs=pairs, margin=1 / n)


def _influence(
    table: RatingTable, distance: Distance, chance: Chance, *, pairs: Floats, margin: Floats
) -> Influence:
    """Find it from the weights of pairs and of ratings, by entry of the patterns. O(ratings).

    A change of the weight of rating ij by one changes D_o by
    2 u_i (s_ij - (r_i - 1) D_o) / W, where s_ij is its distance from its co-ratings and
    W = sum_i u_i r_i (r_i - 1); with an item all its pairs go, each once.
    """
    far, count = pairs * table.apart(distance), pairs * (table.sizes - 1)
    far_all, count_all = float(table.times @ far), float(table.times @ count)
    observed = far_all / count_all
    apart = (far - count * observed) / count_all
    left = count_all - 2 * table.sums_of_raters(count)
    observed_left = ratio(far_all - 2 * table.sums_of_raters(far), left, least=SMALL * count_all)
    if isinstance(chance, Habits):
        expected, chancy, chance_left = chance.of_raters(table)
        of_items = table.by_item(chancy)
    else:
        own = chance.distance
        label = table.patterns.label
        counts = group_sums(label, table.times * margin, len(table.labels.scale))
        spread = own.spread(np.arange(len(counts)), counts, np.zeros(1, dtype=np.intp))
        q, n = float(counts @ spread), float(counts.sum())
        expected = float(chance.expected(np.array(q), np.array(n)))
        by_q, by_n = chance.slopes(q, n)
        by_entry = margin * (2 * spread[label] * by_q + by_n)
        of_items, chancy = table.sums_of_items(by_entry), by_entry[table.entry]
        within = table.within_raters(own, margin[table.entry])
        rater_q = q - 2 * table.sums_of_raters(margin * spread[label]) + within
        rater_n = n - table.sums_of_raters(margin)
        chance_left = chance.expected(np.maximum(rater_q, 0.0), rater_n)
    if not expected > SMALL:
        expected = float("nan")
    value = 1 - observed / expected
    return Influence(
        value=value,
        items=-(table.sums_of_items(apart) - (1 - value) * of_items) / expected,
        ratings=-(2 * apart[table.entry] - (1 - value) * chancy) / expected,
        without=1 - ratio(observed_left, chance_left, least=SMALL),
        severity=rater_component(table, distance),
        harsher=Harsher(observed, expected, chance.follows),
        item_times=table.labels.item_times,
        rating_times=table.labels.times,
    )
