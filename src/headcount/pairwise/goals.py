"""What comparisons are asked for, how far that is reached, and how many more it takes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from statistics import NormalDist
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError, option, unknown_name
from headcount.pairwise.forecast import Posterior, posterior_at
from headcount.results.fields import Record, hidden
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import POSTERIOR, end_positions
from headcount.typing import Floats

__all__ = [
    "Goal",
    "Ratings",
    "Labels",
    "Top",
    "GOALS",
    "RATINGS",
    "choose_goal",
    "Until",
    "total_cost",
    "Standing",
    "how_far",
    "play_on",
]


# What comparisons are asked for: ratings, labels, or the best few.
#
# A goal is a class here, and an entry of :data:`GOALS`. It knows which items to ask about, and how
# far it is reached. To add one, derive from :class:`Goal`.

ROUNDS, MOST_ROUNDS_FOR_TOP = 4, 100
"""In which as many places as there are items are filled, and for the best few of them at most."""
HALVINGS = 24
"""Steps of the search for a cut: it is found to a ten-millionth of the range of ratings."""


class Goal(ABC):
    """What the answers are for.

    Attributes
    ----------
    name : str
        How it is asked for.
    what : str
        What is so of the share that is reached, in words.
    """

    name: ClassVar[str]
    what: ClassVar[str]

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Make the goal from what follows its name and a colon."""
        if rest:
            raise OptionError(f"{option('goal')} '{cls.name}:{rest}': write {cls.name} alone.")
        return cls()

    def check(self, items: int) -> None:
        """Refuse items that the goal has no use for."""
        del items

    @property
    def words(self) -> str:
        """What is so of the share that is reached, in a sentence."""
        return self.what

    @property
    def written(self) -> str:
        """How the goal is asked for."""
        return self.name

    def cut(self, rating: Floats, sd: Floats) -> Floats:
        """Rating that parts what is called so from what is not: the average item's, unless told."""
        del sd
        return np.zeros((*rating.shape[:-1], 1))

    @abstractmethod
    def gain(self, gap: Floats, sd: Floats) -> Floats:
        """Tell which items to ask about first: those with the largest numbers.

        Of ratings less the cut. Items are the last axis, here and below.
        """

    def at_once(self, gain: Floats) -> int:
        """Tell how many items to ask about before it is seen again which gain most."""
        return max(gain.shape[-1] // ROUNDS, 2)

    @abstractmethod
    def share(self, rating: Floats, drawn: Floats) -> Floats:
        """How far the goal is reached by ratings if the drawn ones are true; (draws,) array."""

    @abstractmethod
    def expected(self, gap: Floats, sd: Floats) -> Floats:
        """How far it is reached on average, by what is known about ratings less the cut."""

    def by_chance(self, expected: Floats, items: int) -> Floats:
        """Tell the standard deviation of the share that is reached around what is expected."""
        # That of coins, and less, since most items are surer than the average.
        return 0.8 * np.sqrt(np.maximum(expected * (1 - expected), 0) / items)


class Ratings(Goal):
    """How close ratings come: their squared correlation with the true ones."""

    name = "ratings"
    what = "of the variance of the ratings is not error (their reliability)"

    def gain(self, gap: Floats, sd: Floats) -> Floats:
        """Ask about items whose ratings are least known; those known alike come alike often."""
        del gap
        return np.exp2(np.floor(2 * np.log2(sd)) / 2)

    def share(self, rating: Floats, drawn: Floats) -> Floats:
        """Squared correlation with the ratings drawn."""
        centred = drawn - drawn.mean(axis=1, keepdims=True)
        own = rating - rating.mean()
        size = np.sum(centred**2, axis=1) * np.sum(own**2)
        return np.where(size > 0, (centred @ own) ** 2 / np.where(size > 0, size, 1.0), 0.0)

    def expected(self, gap: Floats, sd: Floats) -> Floats:
        """One less the mean squared error over the variance."""
        return 1 - np.mean(sd**2, axis=-1) / np.mean(gap**2 + sd**2, axis=-1)


class Labels(Goal):
    """Share of the items on the right side of the average item."""

    name = "labels"
    what = "of the labels (above or below the average item) are right"

    def gain(self, gap: Floats, sd: Floats) -> Floats:
        """Ask about items near the cut whose side is not known."""
        return _near(gap, sd)

    def share(self, rating: Floats, drawn: Floats) -> Floats:
        """Share of labels that the drawn ratings confirm."""
        return np.mean((drawn > 0) == (rating > 0), axis=1)

    def expected(self, gap: Floats, sd: Floats) -> Floats:
        """Mean probability of the likelier side."""
        return np.mean(_below(np.abs(gap) / sd), axis=-1)


class Top(Goal):
    """Share of the best K items that are called so."""

    name = "top"

    def __init__(self, best: int) -> None:
        self.best = best

    @classmethod
    def parse(cls, rest: str) -> Self:
        """Make the goal from the number of items."""
        try:
            best = int(rest)
        except ValueError:
            best = 0
        if best < 1:
            raise OptionError(
                f"{option('goal')} '{cls.name}{':' * bool(rest)}{rest}': say how many of the best "
                f"items are wanted, as in {cls.name}:10."
            )
        return cls(best)

    def check(self, items: int) -> None:
        """Refuse a number of items that there are not."""
        if self.best >= items:
            raise OptionError(
                f"{option('goal')} '{self.written}': there are {items:,} items. Ask for fewer."
            )

    @property
    def words(self) -> str:
        """What is so of the share that is reached, in a sentence."""
        if self.best == 1:
            return "probability that the best item is found"
        return f"of the best {self.best:,} items are found"

    @property
    def written(self) -> str:
        """How the goal is asked for."""
        return f"{self.name}:{self.best}"

    def cut(self, rating: Floats, sd: Floats) -> Floats:
        """Rating above which as many items are expected as are wanted, by halving."""
        low: Floats = np.min(rating - 9 * sd, axis=-1, keepdims=True)
        high: Floats = np.max(rating + 9 * sd, axis=-1, keepdims=True)
        for _ in range(HALVINGS):
            middle: Floats = (low + high) / 2
            more = np.sum(_below((rating - middle) / sd), axis=-1, keepdims=True) > self.best
            low, high = np.where(more, middle, low), np.where(more, high, middle)
        return (low + high) / 2

    def gain(self, gap: Floats, sd: Floats) -> Floats:
        """Ask about items near the border of the best."""
        return _near(gap, sd)

    def at_once(self, gain: Floats) -> int:
        """Ask about as many items at once as may be among the best: all at first, then few.

        That is the number of items with equal gains that would be as far apart in them (Kish).
        """
        number = np.sum(gain, axis=-1) ** 2 / np.maximum(np.sum(gain**2, axis=-1), 1e-300)
        fewest = gain.shape[-1] // MOST_ROUNDS_FOR_TOP
        return max(min(super().at_once(gain), int(np.median(number))), fewest, 2)

    def share(self, rating: Floats, drawn: Floats) -> Floats:
        """Share of the best that the drawn ratings confirm."""
        called = np.argsort(-rating, kind="stable")[: self.best]
        last = -np.partition(-drawn, self.best - 1, axis=1)[:, self.best - 1]
        return np.mean(drawn[:, called] >= last[:, None], axis=1)

    def expected(self, gap: Floats, sd: Floats) -> Floats:
        """Mean probability of the items that are called best to be so."""
        called = np.argpartition(-gap, self.best - 1, axis=-1)[..., : self.best]
        right = _below(gap / sd)
        return np.mean(np.take_along_axis(right, called, axis=-1), axis=-1)

    def by_chance(self, expected: Floats, items: int) -> Floats:
        """Tell the standard deviation of the share of the best."""
        return super().by_chance(expected, self.best)


GOALS: dict[str, type[Goal]] = {each.name: each for each in (Ratings, Labels, Top)}
RATINGS = Ratings()


def choose_goal(goal: Any) -> Goal:
    """Find a goal by its name, as in 'labels' or 'top:10'; one's own is taken as it is."""
    if isinstance(goal, Goal):
        return goal
    name, _, rest = str(goal).strip().partition(":")
    if name not in GOALS:
        raise unknown_name("goal", name, list(GOALS), option_name="goal")
    return GOALS[name].parse(rest.strip())


def _near(gap: Floats, sd: Floats) -> Floats:
    """How much is at stake at a cut: the standard deviation times the density there."""
    return sd * np.exp(-0.5 * (gap / sd) ** 2) / math.sqrt(2 * math.pi)


def _below(z: Floats) -> Floats:
    special: Any = import_module("scipy.special")
    return special.ndtr(z)


# How far a goal is reached, and how many more comparisons it takes.

DRAWS = 400
"""Of ratings from what is known about them."""
SURE = 0.9
"""Probability with which a goal is reached when it is said to be."""
OUTER = math.sqrt(3)
"""Standard deviations from the mean at which points of weight 1/6 each stand for a normal one."""
LUCK = NormalDist().inv_cdf(SURE)
"""Standard deviations that chance may take from what is expected."""
FEWEST, MOST, MOST_PLAYED = 30, 100, 200_000
"""Loops that are played on, and items in all of them together."""


class Until(NamedTuple):
    """When to stop: a goal, and the share of it that is enough."""

    goal: Goal
    target: float

    @classmethod
    def check(cls, until: Any) -> Until:
        """Read 'labels 0.9', or take a pair of a goal and a number."""
        words: list[Any] = (
            until.split()
            if isinstance(until, str)
            else options.listed(until, "until", "a goal and a number")
        )
        if len(words) != 2:
            raise OptionError(
                f"{option('until')} '{until}': give a goal and the share of it that is enough, as "
                f"in 'labels 0.9'. Goals: {', '.join(GOALS)} (as in top:10).",
            )
        goal = choose_goal(words[0])
        try:
            target = float(words[1])
        except ValueError:
            target = math.nan
        if not 0 < target < 1:
            raise OptionError(
                f"{option('until')} '{until}': the share that is enough must be a number "
                f"between 0 and 1, as in '{goal.written} 0.9'."
            )
        return cls(goal, target)


def total_cost(needed: Estimate | None, cost: float | None) -> Estimate | None:
    """Price a number of comparisons; None if it, or the price of one, is not known."""
    if cost is None or needed is None:
        return None
    low, high = (None if end is None else end * cost for end in (needed.low, needed.high))
    bounds = None if needed.bounds is None else (0.0, needed.bounds[1] * cost)
    return replace(needed, value=needed.value * cost, low=low, high=high, bounds=bounds)


@dataclass(frozen=True, kw_only=True)
class Standing(Record):
    """How far a goal is reached.

    Parameters
    ----------
    goal : str
        As it is asked for.
    words : str
        What is so of the share.
    target : float
    share : Estimate
        How far it is reached; undefined without an answer.
    sure : float
        Probability that the target is reached.
    done : bool
        Whether that is at least .9.
    more : Estimate or None
        Comparisons that it still takes, if pairs are chosen for the goal; None without an answer.
    raters : int or None
        About how many raters it takes, where more answers by the same ones cannot make sure of the
        goal.
    cost : float or None
        Of one comparison.
    total_cost : Estimate or None
        Of those that it still takes.
    spread : float
        Standard deviation of the ratings of all items, in logits.
    each : float
        Answers an item so far.
    """

    goal: str
    words: str = field(metadata=hidden())
    target: float
    share: Estimate
    sure: float
    done: bool
    more: Estimate | None
    raters: int | None
    cost: float | None
    total_cost: Estimate | None
    spread: float
    each: float = field(metadata=hidden())


def how_far(
    comparisons: Comparisons,
    posterior: Posterior,
    until: Until,
    *,
    cost: float | None,
    level: float,
    rng: np.random.Generator,
) -> Standing:
    """Find how far a goal is reached, and what it still takes.

    Ratings are drawn from what is known about them, for three spreads of the items that the answers
    allow for, and the goal's share is found in each draw.
    """
    goal, target = until
    items = len(posterior.rating)

    def standing(
        share: Estimate, sure: float, more: Estimate | None, raters: int | None = None
    ) -> Standing:
        return Standing(
            goal=goal.written,
            words=goal.words,
            target=target,
            share=share,
            sure=sure,
            done=sure >= SURE,
            more=more,
            raters=raters,
            cost=cost,
            total_cost=total_cost(more, cost),
            spread=posterior.spread,
            each=2 * len(comparisons) / items,
        )

    if not len(comparisons):
        return standing(Estimate(math.nan, undefined="no answers yet"), 0.0, None)
    outer = round(DRAWS / 6)
    shares: list[Floats] = []
    fits: list[Posterior] = []
    for z, draws in ((0.0, DRAWS - 2 * outer), (-OUTER, outer), (OUTER, outer)):
        at = posterior
        if z:
            spread = posterior.spread * math.exp(z * posterior.spread_error)
            at = posterior_at(comparisons, spread, posterior.noise, posterior, items)
            at = replace(at, wider=posterior.wider).moved()
        drawn = at.rating + at.sd * rng.standard_normal((draws, items))
        drawn += posterior.cut_error * rng.standard_normal((draws, 1))
        shares.append(goal.share(posterior.rating, drawn))
        fits.append(at)
    drawn = np.sort(np.concatenate(shares))
    low, high = (float(drawn[k]) for k in end_positions(len(drawn), level))
    share = Estimate(float(drawn.mean()), low, high, level=level, method=POSTERIOR.name)
    sure = float(np.mean(drawn >= target))
    if sure >= SURE:
        return standing(share, sure, Estimate(0.0))
    spare = max(float(drawn.var()) - float(goal.by_chance(drawn.mean(), items)) ** 2, 0.0)
    need = _more(fits, until, answered=len(comparisons), spare=spare, level=level, rng=rng)
    return standing(share, sure, need, _raters_needed(comparisons, posterior, until, rng))


TASTE, ENOUGH_EACH = 1.25, 8
"""How much more answers of raters vary together than one by one, and answers an item, from which
raters are said to be too few."""
RATERS = (1, 1.5, 2, 3, 4, 6, 8, 12, 16)
"""Times as many raters as there are, that are looked at."""


def _raters_needed(
    comparisons: Comparisons, posterior: Posterior, until: Until, rng: np.random.Generator
) -> int | None:
    """Find how many raters make sure of the goal; None if those who answer can.

    By how much answers of raters vary together grows with the answers of each, and so what they
    tell has a limit: the information so far, over how much more they vary than one by one.
    """
    few = 2 * len(comparisons) < ENOUGH_EACH * len(posterior.rating)
    if comparisons.rater is None or posterior.taste < TASTE or few:
        return None
    raters, draws = len(np.unique(comparisons.rater)), FEWEST
    told = np.maximum(posterior.sd**-2 - posterior.spread**-2, 0.0)
    limit = told * posterior.taste / (posterior.taste - 1)
    noise = rng.spawn(1)[0].standard_normal((draws, len(told)))
    for times in RATERS:
        sd = np.tile((posterior.spread**-2 + times * limit) ** -0.5, (draws, 1))
        moved = np.sqrt(np.maximum(posterior.sd**2 - sd**2, 0.0))
        rating = posterior.rating + moved * noise
        expected = until.goal.expected(rating - until.goal.cut(rating, sd), sd)
        chance = until.goal.by_chance(expected, len(told))
        if np.mean(expected - until.target >= LUCK * chance) >= 0.5:
            return None if times == 1 else math.ceil(times * raters)
    return math.ceil(RATERS[-1] * raters)


def _more(
    fits: Sequence[Posterior],
    until: Until,
    *,
    answered: int,
    spare: float,
    level: float,
    rng: np.random.Generator,
) -> Estimate:
    """Play the loop on for each spread that the answers allow for."""
    items = len(fits[0].rating)
    draws = min(max(MOST_PLAYED // items, FEWEST), MOST)
    outer = round(draws / 6)
    # Of another generator, so that the pairs which are chosen do not hang on it.
    own = rng.spawn(1)[0]
    comparisons = np.concatenate(
        [
            play_on(at, *until, answered=answered, luck=LUCK, spare=spare, draws=number, rng=own)
            for at, number in zip(fits, (draws - 2 * outer, outer, outer), strict=True)
        ]
    )
    comparisons.sort()
    low, high = (float(comparisons[k]) for k in end_positions(len(comparisons), level))
    return Estimate(
        float(comparisons[len(comparisons) // 2]), low, high, level=level, method=POSTERIOR.name,
        bounds=(0.0, float(MOST_EACH * items)),
    )  # fmt: skip


# How many more comparisons a goal takes: loops like this one, played on as they may go.

MOST_EACH = 200
"""Comparisons an item, beyond which it is not looked for what it takes."""
GROWTH = 0.1
"""Comparisons of a step, at least, as a share of those that were played before it."""
MOST_ROUNDS_A_STEP = 8
"""In which the places of a step are filled."""


def play_on(
    posterior: Posterior,
    goal: Goal,
    target: float,
    *,
    answered: int,
    luck: float,
    spare: float,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    r"""Play the loop on, in each draw until it stops: comparisons that it takes, (draws,).

    True ratings are drawn from what is known about them, and so are answers: k more about an item
    whose rating is known as m with standard deviation s bring it down to :math:`s'`,
    :math:`1/s'^2 = 1/s^2 + k u`, and the rating to

    .. math:: m' = m + K (\theta - m) + s' \sqrt{K}\, z, \quad K = 1 - s'^2 / s^2

    Items are chosen for the goal by what is known then. The loop stops when what is expected
    exceeds the target by as much as chance may take from it, and what is not known of the spread of
    the items: `spare` is its variance now, which falls as answers come in.

    Parameters
    ----------
    posterior : Posterior
    goal : Goal
    target : float
    answered : int
        Comparisons so far.
    luck : float
        Standard deviations that chance may take from what is expected.
    spare : float
    draws : int
    rng : Generator

    Returns
    -------
    array
        Infinite where 200 comparisons an item are not enough.

    Notes
    -----
    O(draws x items) a step, of which there are 50 at most.
    """
    n = len(posterior.rating)
    true = posterior.rating + posterior.sd * rng.standard_normal((draws, n))
    rating, sd = np.tile(posterior.rating, (draws, 1)), np.tile(posterior.sd, (draws, 1))
    needed, open_ = np.full(draws, np.inf), np.arange(draws)
    more = 0
    while len(open_) and more < MOST_EACH * n:
        step = math.ceil(max(n / 2, GROWTH * more))
        then = _after(rating, sd, goal, posterior.noise, 2 * step)
        kept = 1 - (then / sd) ** 2
        rating += kept * (true - rating)
        rating += then * np.sqrt(kept) * rng.standard_normal(rating.shape)
        sd, more = then, more + step
        expected = goal.expected(rating - goal.cut(rating, sd), sd)
        unknown = math.sqrt(spare) * answered / (answered + more)
        done = expected - target >= luck * np.hypot(goal.by_chance(expected, n), unknown)
        needed[open_[done]] = more
        open_, rating, sd, true = open_[~done], rating[~done], sd[~done], true[~done]
    return needed


def _after(rating: Floats, sd: Floats, goal: Goal, noise: float, places: int) -> Floats:
    r"""Foresee standard deviations once places are filled with the items that gain most.

    Neighbours among ratings that are drawn, m + s z, lie apart by a normal difference of variance
    :math:`4 s^2`, so that an answer tells about :math:`u = 1 / (4 \sqrt{1 + \pi s^2 / 2} + s^2)`,
    the last term since the other item is not known any better.
    """
    gap, then = rating - goal.cut(rating, sd), sd.copy()
    at_once = goal.at_once(goal.gain(gap, then))
    rounds = min(math.ceil(places / at_once), MOST_ROUNDS_A_STEP)
    answers = places / (rounds * at_once * noise)
    row = np.arange(len(sd))[:, None]
    for _ in range(rounds):
        best = np.argpartition(-goal.gain(gap, then), at_once - 1, axis=1)[:, :at_once]
        variance = then[row, best] ** 2
        information = answers / (4 * np.sqrt(1 + math.pi / 2 * variance) + variance)
        then[row, best] = np.sqrt(variance / (1 + information * variance))
    return then
