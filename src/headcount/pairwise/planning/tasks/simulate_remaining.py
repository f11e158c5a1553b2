"""How many more comparisons a goal takes: loops like this one, played on as they may go."""

from __future__ import annotations

import math

import numpy as np

from headcount.pairwise.planning.tasks.goals import Goal
from headcount.pairwise.planning.tasks.posterior import Posterior
from headcount.typing import Floats

__all__ = ["MOST_EACH", "play_on"]

MOST_EACH = 200
"""Comparisons an item, beyond which it is not looked for what it takes."""
GROWTH = 0.1
"""Comparisons of a step, at least, as a share of those that were played before it."""
MOST_ROUNDS = 8
"""In which the places of a step are filled."""


def play_on(
    known: Posterior,
    goal: Goal,
    target: float,
    *,
    asked: int,
    luck: float,
    spare: float,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    r"""Play the loop on, in each draw until it stops: comparisons that it takes, (draws,).

    True ratings are drawn from what is known of them, and so are answers: k more about an item
    whose rating is known as m with standard deviation s bring it down to :math:`s'`,
    :math:`1/s'^2 = 1/s^2 + k u`, and the rating to

    .. math:: m' = m + K (\theta - m) + s' \sqrt{K}\, z, \quad K = 1 - s'^2 / s^2

    Items are chosen for the goal by what is known then. The loop stops when what is expected
    exceeds the target by as much as chance may take from it, and what is not known of the spread of
    the items: `spare` is its variance now, which falls as answers come in.

    Parameters
    ----------
    known : Posterior
    goal : Goal
    target : float
    asked : int
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
    n = len(known.rating)
    true = known.rating + known.sd * rng.standard_normal((draws, n))
    rating, sd = np.tile(known.rating, (draws, 1)), np.tile(known.sd, (draws, 1))
    found, open_ = np.full(draws, np.inf), np.arange(draws)
    more = 0
    while len(open_) and more < MOST_EACH * n:
        step = math.ceil(max(n / 2, GROWTH * more))
        then = _after(rating, sd, goal, known.noise, 2 * step)
        kept = 1 - (then / sd) ** 2
        rating += kept * (true - rating)
        rating += then * np.sqrt(kept) * rng.standard_normal(rating.shape)
        sd, more = then, more + step
        expected = goal.expected(rating - goal.cut(rating, sd), sd)
        unknown = math.sqrt(spare) * asked / (asked + more)
        done = expected - target >= luck * np.hypot(goal.by_chance(expected, n), unknown)
        found[open_[done]] = more
        open_, rating, sd, true = open_[~done], rating[~done], sd[~done], true[~done]
    return found


def _after(rating: Floats, sd: Floats, goal: Goal, noise: float, places: int) -> Floats:
    r"""Foresee standard deviations once places are filled with the items that gain most.

    Neighbours among ratings that are drawn, m + s z, lie apart by a normal difference of variance
    :math:`4 s^2`, so that an answer tells about :math:`u = 1 / (4 \sqrt{1 + \pi s^2 / 2} + s^2)`,
    the last term since the other item is not known any better.
    """
    gap, then = rating - goal.cut(rating, sd), sd.copy()
    at_once = goal.at_once(goal.gain(gap, then))
    rounds = min(math.ceil(places / at_once), MOST_ROUNDS)
    answers = places / (rounds * at_once * noise)
    row = np.arange(len(sd))[:, None]
    for _ in range(rounds):
        best = np.argpartition(-goal.gain(gap, then), at_once - 1, axis=1)[:, :at_once]
        variance = then[row, best] ** 2
        told = answers / (4 * np.sqrt(1 + math.pi / 2 * variance) + variance)
        then[row, best] = np.sqrt(variance / (1 + told * variance))
    return then
