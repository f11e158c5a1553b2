"""What a simulation of ratings is asked for, checked: sizes, who rates what, and how well."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np

from headcount import options
from headcount.errors import OptionError, count, option
from headcount.simulation.states import States
from headcount.typing import Flags, Floats, Ids

__all__ = ["MOST_ITEMS", "MOST_RATINGS", "Crowd", "check_sizes", "check_states", "label_names"]

MOST_ITEMS = 10_000_000
MOST_RATINGS = 100_000_000
"""Ratings that can be simulated at once: they take a few gigabytes."""
MOST_CELLS = 1_000_000_000
"""Items times raters: a byte each, to say who rates what."""
BLOCK = 4_000_000
"""Random numbers to hold at once when choosing who rates which item."""


def check_sizes(items: Any, raters: Any, each: int | None = None) -> tuple[int, int]:
    """Check how many items and raters there are to be, `each` item with so many ratings.

    Examples
    --------
    >>> check_sizes(10_000_000, 50)
    Traceback (most recent call last):
    headcount.errors.OptionError: 10,000,000 items with 50 ratings each are more than the
    100,000,000 ratings that can be simulated at once; have fewer.
    """
    items = options.whole(items, "items", least=1, most=MOST_ITEMS)
    raters = options.whole(raters, "raters", least=1, most=MOST_CELLS)
    ratings = raters if each is None else each
    if items * ratings > MOST_RATINGS:
        raise OptionError(
            f"{items:,} items with {count(ratings, 'rating')} each are more than the "
            f"{MOST_RATINGS:,} ratings that can be simulated at once; have fewer."
        )
    if items * raters > MOST_CELLS:
        raise OptionError(
            f"{items:,} items times {count(raters, 'rater')} are more than {MOST_CELLS:,}, the "
            "most that can be simulated at once; have fewer."
        )
    return items, raters


def check_states(states: Any) -> States:
    """Refuse what is no distribution of states; a user's own is one."""
    if not isinstance(states, States):
        raise OptionError(
            f"{option('states')} must be DiscreteStates, DirichletStates or MixtureStates, not "
            f"{type(states).__name__}."
        )
    return states


def label_names(labels: Any, size: int) -> tuple[str, ...]:
    """Name the labels of a state: as given, or a, b, c ...

    Examples
    --------
    >>> label_names(None, 3)
    ('a', 'b', 'c')
    """
    if labels is None:
        return tuple(ascii_lowercase[:size] if size <= 26 else map(str, range(1, size + 1)))
    names = [str(label) for label in options.listed(labels, "labels", "names")]
    if len(names) != size:
        raise OptionError(
            f"{option('labels')} names {count(len(names), 'label')}, but a state has {size} "
            "probabilities. Name each label once, in the order of the states."
        )
    return tuple(names)


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Raters: how many, how many ratings an item has of them, and how well they look.

    Parameters are those of :func:`headcount.simulate_ratings`; build one with :meth:`check`.
    """

    items: int
    raters: int
    least: int
    most: int
    missing: float
    noise: float
    experts: int
    amateur_noise: float

    @classmethod
    def check(
        cls,
        items: Any,
        raters: Any,
        *,
        ratings: Any,
        missing: Any,
        noise: Any,
        experts: Any,
        amateur_noise: Any,
    ) -> Crowd:
        """Check what the caller asked for."""
        raters = options.whole(raters, "raters", least=1, most=MOST_CELLS)
        least, most = _ratings(ratings, raters)
        items, raters = check_sizes(items, raters, most)
        noise = options.share(noise, "noise")
        amateur_noise = options.share(amateur_noise, "amateur_noise")
        experts = options.whole(experts, "experts", least=0, most=raters)
        if amateur_noise and not 0 < experts < raters:
            raise OptionError(
                f"{option('amateur_noise')} needs experts and amateurs: say with "
                f"{option('experts')} how many of the {count(raters, 'rater')} are experts, some "
                f"but not all. For noise in all raters use {option('noise')}."
            )
        return cls(
            items=items,
            raters=raters,
            least=least,
            most=most,
            missing=options.number(missing, "missing", least=0, below=1),
            noise=noise,
            experts=experts,
            amateur_noise=amateur_noise,
        )

    @property
    def names(self) -> Ids:
        """Names of the raters, experts first."""
        names = [f"rater_{j + 1}" for j in range(self.raters)]
        if self.experts:
            names = [f"expert_{j + 1}" for j in range(self.experts)]
            names += [f"amateur_{j + 1}" for j in range(self.raters - self.experts)]
        return np.array(names, dtype=object)

    @property
    def noise_of(self) -> Floats:
        """Probability that each rater answers at random."""
        noise = np.full(self.raters, self.noise)
        if self.experts:
            noise[self.experts :] = 1 - (1 - self.noise) * (1 - self.amateur_noise)
        return noise

    def draw_raters(self, rng: np.random.Generator) -> Flags:
        """Draw whether each rater rates each item; items x raters."""
        rates = np.ones((self.items, self.raters), dtype=bool)
        wanted = rng.integers(self.least, self.most, size=self.items, endpoint=True)
        rows = max(1, BLOCK // self.raters)
        for start in range(0, self.items, rows):
            block = rates[start : start + rows]
            if self.least < self.raters:
                # The first few raters of a random order.
                order = rng.random(block.shape).argsort(axis=1)
                first = np.arange(self.raters) < wanted[start : start + rows, None]
                np.put_along_axis(block, order, first, axis=1)
            if self.missing:
                block &= rng.random(block.shape) >= self.missing
        if not rates.any():
            raise OptionError(
                f"no rating is left with {option('missing', self.missing)}; lower it."
            )
        return rates


def _ratings(ratings: Any, raters: int) -> tuple[int, int]:
    """Least and most ratings of an item: a number, a pair, or None for those of all raters."""
    if ratings is None:
        return raters, raters
    try:
        ends: list[Any] = list(ratings)
    except TypeError:
        ends = [ratings] * 2
    if len(ends) != 2:
        raise OptionError(
            f"{option('ratings')} must be a number of ratings, or the least and the most, not "
            f"{ratings!r}."
        )
    least, most = (options.whole(end, "ratings") for end in ends)
    if not 1 <= least <= most <= raters:
        given = f"{least}" if least == most else f"{least}:{most}"
        raise OptionError(
            f"{option('ratings')} {given}: an item has at least 1 rating and at most one of each "
            f"of the {count(raters, 'rater')}. Give a number, or the least and then the most; or "
            "have more raters."
        )
    return least, most
