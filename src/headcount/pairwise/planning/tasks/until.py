"""How far a goal is reached, and how many more comparisons it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError, option
from headcount.pairwise.planning.tasks.goals import GOALS, Goal, choose_goal
from headcount.pairwise.planning.tasks.posterior import Posterior, posterior_at
from headcount.pairwise.planning.tasks.simulate_remaining import MOST_EACH, play_on
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_draws import end_positions
from headcount.stats.intervals.from_model import POSTERIOR
from headcount.typing import Floats

__all__ = ["Standing", "Until", "how_far"]

DRAWS = 400
"""Of ratings from what is known of them."""
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


@dataclass(frozen=True, kw_only=True)
class Standing:
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
    spread : float
        Standard deviation of the ratings of all items, in logits.
    each : float
        Answers an item so far.
    price : float or None
        Of one comparison.
    """

    goal: str
    words: str
    target: float
    share: Estimate
    sure: float
    done: bool
    more: Estimate | None
    spread: float
    each: float
    price: float | None

    @property
    def cost(self) -> Estimate | None:
        """Price of the comparisons that it still takes."""
        if self.price is None or self.more is None:
            return None
        value, low, high = (
            None if x is None else x * self.price
            for x in (self.more.value, self.more.low, self.more.high)
        )
        bounds = self.more.bounds
        return Estimate(
            value or 0.0, low=low, high=high, level=self.more.level, method=self.more.method,
            bounds=None if bounds is None else (0.0, bounds[1] * self.price),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "goal": self.goal,
            "target": self.target,
            "share": self.share.to_dict(),
            "sure": self.sure,
            "done": self.done,
            "more": None if self.more is None else self.more.to_dict(),
            "price": self.price,
            "cost": None if self.cost is None else self.cost.to_dict(),
            "spread": self.spread,
        }


def how_far(
    asked: Comparisons,
    known: Posterior,
    until: Until,
    *,
    price: float | None,
    level: float,
    rng: np.random.Generator,
) -> Standing:
    """Find how far a goal is reached, and what it still takes.

    Ratings are drawn from what is known of them, for three spreads of the items that the answers
    allow for, and the goal's share is found in each draw.
    """
    goal, target = until
    items = len(known.rating)
    facts: dict[str, Any] = {
        "goal": goal.written, "words": goal.words, "target": target, "spread": known.spread,
        "each": 2 * len(asked) / items, "price": price,
    }  # fmt: skip
    if not len(asked):
        none = Estimate(math.nan, undefined="no answers yet")
        return Standing(share=none, sure=0.0, done=False, more=None, **facts)
    outer = round(DRAWS / 6)
    shares: list[Floats] = []
    fits: list[Posterior] = []
    for z, draws in ((0.0, DRAWS - 2 * outer), (-OUTER, outer), (OUTER, outer)):
        at = known
        if z:
            spread = known.spread * math.exp(z * known.spread_error)
            at = posterior_at(asked, spread, known.noise, known, items)
            at = replace(at, wider=known.wider).moved()
        drawn = at.rating + at.sd * rng.standard_normal((draws, items))
        drawn += known.cut_error * rng.standard_normal((draws, 1))
        shares.append(goal.share(known.rating, drawn))
        fits.append(at)
    drawn = np.sort(np.concatenate(shares))
    low, high = (float(drawn[k]) for k in end_positions(len(drawn), level))
    share = Estimate(float(drawn.mean()), low, high, level=level, method=POSTERIOR.name)
    sure = float(np.mean(drawn >= target))
    if sure >= SURE:
        return Standing(share=share, sure=sure, done=True, more=Estimate(0.0), **facts)
    spare = max(float(drawn.var()) - float(goal.by_chance(drawn.mean(), items)) ** 2, 0.0)
    need = _more(fits, until, asked=len(asked), spare=spare, level=level, rng=rng)
    return Standing(share=share, sure=sure, done=False, more=need, **facts)


def _more(
    fits: Sequence[Posterior],
    until: Until,
    *,
    asked: int,
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
    found = np.concatenate(
        [
            play_on(at, *until, asked=asked, luck=LUCK, spare=spare, draws=number, rng=own)
            for at, number in zip(fits, (draws - 2 * outer, outer, outer), strict=True)
        ]
    )
    found.sort()
    low, high = (float(found[k]) for k in end_positions(len(found), level))
    return Estimate(
        float(found[len(found) // 2]), low, high, level=level, method=POSTERIOR.name,
        bounds=(0.0, float(MOST_EACH * items)),
    )  # fmt: skip
