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
from headcount.stats.intervals import LINEARISED, RATERS_LIKE_THESE, Ends, Fisher, IntervalMethod
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
        """Whether raters are so few that they tell little about others."""
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

    @property
    def error(self) -> float:
        """Standard error on Fisher's scale."""
        return float(np.sqrt(self.variance.total)) * self.scale.slope(self.value)

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

    def estimate(self, level: float, *, crossed: bool = True) -> Estimate:
        """Make the interval; over items only unless raters are a sample."""
        if crossed:
            low, high = self.ends(level)
            how: IntervalMethod = RATERS_LIKE_THESE
        else:
            error, freedom = float(np.sqrt(self.variance.items)), self.items - 1
            low, high = RATERS_LIKE_THESE.ends(
                self.value, error, level, freedom=max(freedom, 1), scale=self.scale
            )
            how = LINEARISED
        return Estimate(self.value, low=low, high=high, level=level, method=how.name)

    def _if_harsher(self, level: float) -> float:
        from scipy.special import chdtri  # pyright: ignore[reportMissingTypeStubs]

        influence, freedom = self.influence, self.effective - 1
        if influence.harsher is None or not influence.severity or freedom <= 0:
            return self.value
        at_most = freedom / float(chdtri(freedom, (1 + level) / 2))
        return max(influence.harsher(influence.severity * max(at_most - 1, 0.0)), self.scale.low)

    def at_least(self, least: float) -> float:
        """Confidence that the value is at least so much: that of the interval that ends there."""
        if not self.error:
            return float(self.value >= least)
        above = least > self.value
        inner, outer = 0.0, 1.0  # the interval of the first does not reach so far
        for _ in range(HALVINGS):
            level = (inner + outer) / 2
            low, high = self.ends(level)
            reached = high >= least if above else low <= least
            inner, outer = (inner, level) if reached else (level, outer)
        return (1 - inner) / 2 if above else (1 + inner) / 2


def crossed_of(influence: Influence, panel: Panel, items: float, scale: Fisher) -> Crossed | None:
    """Give what an interval for raters like these is made of; None where nothing varies."""
    variance = crossed_variance(influence, panel, items)
    if not variance.total > 0:
        return None
    return Crossed(
        value=influence.value,
        variance=variance,
        influence=influence,
        effective=panel.effective,
        scale=scale,
        items=items,
    )


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


class Constant(Replaced):
    """1, whatever the labels: what percent agreement compares with."""

    follows = False

    def expected(self, q: Floats, n: Floats) -> Floats:
        """Give expected disagreement."""
        return np.where(n > 0, 1.0, np.nan)

    def slopes(self, q: float, n: float) -> tuple[float, float]:
        """Say that it does not change."""
        return 0.0, 0.0


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
    own = chance.distance
    label = table.patterns.label
    counts = group_sums(label, table.times * margin, len(table.labels.scale))
    spread = own.spread(np.arange(len(counts)), counts, np.zeros(1, dtype=np.intp))
    q, n = float(counts @ spread), float(counts.sum())
    expected = float(chance.expected(np.array(q), np.array(n)))
    value = 1 - observed / expected
    by_q, by_n = chance.slopes(q, n)
    apart = (far - count * observed) / count_all
    chancy = (1 - value) * margin * (2 * spread[label] * by_q + by_n)

    rater_n = table.sums_of_raters(margin)
    within = table.within_raters(own, margin[table.entry])
    rater_q = q - 2 * table.sums_of_raters(margin * spread[label]) + within
    left = count_all - 2 * table.sums_of_raters(count)
    observed_left = ratio(far_all - 2 * table.sums_of_raters(far), left, least=SMALL * count_all)
    chance_left = chance.expected(np.maximum(rater_q, 0.0), n - rater_n)

    return Influence(
        value=value,
        items=table.sums_of_items(-(apart - chancy) / expected),
        ratings=(-(2 * apart - chancy) / expected)[table.entry],
        without=1 - ratio(observed_left, chance_left, least=SMALL),
        severity=rater_component(table, distance),
        harsher=Harsher(observed, expected, chance.follows),
        item_times=table.labels.item_times,
        rating_times=table.labels.times,
    )
