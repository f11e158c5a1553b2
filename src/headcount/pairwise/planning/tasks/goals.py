"""What comparisons are asked for: ratings, labels, or the best few.

A goal is a class here, and an entry of :data:`GOALS`. It knows which items to ask about, and how
far it is reached. To add one, derive from :class:`Goal`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, ClassVar, Self

import numpy as np

from headcount.errors import OptionError, option, unknown_name
from headcount.typing import Floats

__all__ = ["GOALS", "RATINGS", "Goal", "Labels", "Ratings", "Top", "choose_goal"]

ROUNDS, MOST_ROUNDS = 4, 100
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
        """How far it is reached on average, by what is known of ratings less the cut."""

    def by_chance(self, expected: Floats, items: int) -> Floats:
        """Tell the standard deviation of the share that is reached around what is expected."""
        # That of coins, and less, since most items are surer than the average.
        return 0.8 * np.sqrt(np.maximum(expected * (1 - expected), 0) / items)


class Ratings(Goal):
    """How close ratings come: their squared correlation with the true ones."""

    name = "ratings"
    what = "of the variance of the ratings is true (their reliability)"

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
        fewest = gain.shape[-1] // MOST_ROUNDS
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
