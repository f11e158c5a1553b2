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

POINTS = 31
"""Ratings that an item may have once it was asked again."""


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

    @abstractmethod
    def gain(self, rating: Floats, sd: Floats) -> Floats:
        """Tell which items to ask about first: those with the largest numbers."""

    @abstractmethod
    def share(self, rating: Floats, drawn: Floats) -> Floats:
        """How far the goal is reached by ratings if the drawn ones are true; (draws,) array."""

    @abstractmethod
    def expected(self, rating: Floats, sd: Floats, then: Floats) -> float:
        """How far it will be reached once standard deviations have come down to `then`."""

    def by_chance(self, expected: float, items: int) -> float:
        """Tell the standard deviation of the share that is reached around what is expected."""
        # That of coins, and less, since most items are surer than the average.
        return 0.8 * math.sqrt(max(expected * (1 - expected), 0) / items)


class Ratings(Goal):
    """How close ratings come: their squared correlation with the true ones."""

    name = "ratings"
    what = "of the variance of the ratings is true (their reliability)"

    def gain(self, rating: Floats, sd: Floats) -> Floats:
        """Ask about items whose ratings are least known; those known alike come alike often."""
        del rating
        return np.exp2(np.floor(2 * np.log2(sd)) / 2)

    def share(self, rating: Floats, drawn: Floats) -> Floats:
        """Squared correlation with the ratings drawn."""
        centred = drawn - drawn.mean(axis=1, keepdims=True)
        own = rating - rating.mean()
        size = np.sum(centred**2, axis=1) * np.sum(own**2)
        return np.where(size > 0, (centred @ own) ** 2 / np.where(size > 0, size, 1.0), 0.0)

    def expected(self, rating: Floats, sd: Floats, then: Floats) -> float:
        """One less the mean squared error over the variance."""
        return 1 - float(np.mean(then**2) / np.mean(rating**2 + sd**2))


class Labels(Goal):
    """Share of the items on the right side of the average item."""

    name = "labels"
    what = "of the labels (above or below the average item) are right"

    def gain(self, rating: Floats, sd: Floats) -> Floats:
        """Ask about items near the cut whose side is not known."""
        return _near(rating, sd)

    def share(self, rating: Floats, drawn: Floats) -> Floats:
        """Share of labels that the drawn ratings confirm."""
        return np.mean((drawn > 0) == (rating > 0), axis=1)

    def expected(self, rating: Floats, sd: Floats, then: Floats) -> float:
        """Mean probability of the likelier side."""
        later, weight = _later(rating, sd, then)
        return float(np.mean(weight @ _below(np.abs(later) / then)))


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

    def gain(self, rating: Floats, sd: Floats) -> Floats:
        """Ask about items near the border of the best."""
        return _near(rating - self._cut(rating, sd), sd)

    def share(self, rating: Floats, drawn: Floats) -> Floats:
        """Share of the best that the drawn ratings confirm."""
        called = np.argsort(-rating, kind="stable")[: self.best]
        last = -np.partition(-drawn, self.best - 1, axis=1)[:, self.best - 1]
        return np.mean(drawn[:, called] >= last[:, None], axis=1)

    def expected(self, rating: Floats, sd: Floats, then: Floats) -> float:
        """Mean probability of items that will be called best to be so."""
        later, _ = _later(rating - self._cut(rating, sd), sd, then)
        right = _below(later / then).ravel()
        called = np.argsort(-later.ravel(), kind="stable")[: self.best * POINTS]
        return float(np.mean(right[called]))

    def by_chance(self, expected: float, items: int) -> float:
        """Tell the standard deviation of the share of the best."""
        return super().by_chance(expected, self.best)

    def _cut(self, rating: Floats, sd: Floats) -> float:
        """Rating above which as many items are expected as are wanted, by halving."""
        low, high = float((rating - 9 * sd).min()), float((rating + 9 * sd).max())
        for _ in range(50):
            middle = (low + high) / 2
            more = float(np.sum(_below((rating - middle) / sd))) > self.best
            low, high = (middle, high) if more else (low, middle)
        return (low + high) / 2


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


def _later(rating: Floats, sd: Floats, then: Floats) -> tuple[Floats, Floats]:
    """Ratings that items may come to have, points x items; and how probable each point is."""
    special: Any = import_module("scipy.special")
    z: Floats = special.ndtri((np.arange(POINTS) + 0.5) / POINTS)
    z *= 1 / math.sqrt(float(np.mean(z**2)))
    moves = np.sqrt(np.maximum(sd**2 - then**2, 0))
    return rating + z[:, None] * moves, np.full(POINTS, 1 / POINTS)


def _below(z: Floats) -> Floats:
    special: Any = import_module("scipy.special")
    return special.ndtr(z)
