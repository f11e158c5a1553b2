"""Eighteen small data sets on which agreement coefficients behave oddly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount import options
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.errors import unknown_name
from headcount.typing import Seed

__all__ = ["PARADOXES", "paradox"]

PARADOXES: dict[str, str] = {
    "1": "random guessing: 1,000 items, 100 raters, any of 1,001 values from 0 to 1",
    "2": "a constant, measured without error: 100 items, 2 raters",
    "3": "99 items agreed positive, 1 disputed",
    "4a": "98 items agreed positive, 1 agreed negative, 1 disputed",
    "4b": "99 items agreed positive, 1 disputed: percent agreement as in 4a",
    "5a": "90 items agreed positive, 10 disputed",
    "5b": "98 items agreed positive, 2 disputed",
    "5c": "99 items agreed positive, 1 disputed",
    "5d": "100 items agreed positive",
    "6a": "honest raters: 40 items agreed positive, 20 called positive by the first rater only",
    "6b": "coin flips: 60 items, 15 of each of the four outcomes of two raters",
    "7a": "4 raters: 40 items agreed positive, 40 agreed negative, 20 split two to two",
    "7b": "4 raters: 80 items agreed negative, 20 split two to two",
    "7c": "5 raters: 2 items, on both one rater of five says positive",
    "7d": "as 7c, with the second item reversed",
    "8a": "40 items: 20 agreed positive, 10 agreed negative, 10 disputed",
    "8b": "8a ten times",
    "8c": "8a in small: 2 agreed positive, 1 agreed negative, 1 disputed",
}
"""What each example is, by its number in the paper."""

_PAIRS = {  # items that two raters agree are 1, agree are 0, and dispute
    "2": (100, 0, 0),
    "3": (99, 0, 1),
    "4a": (98, 1, 1),
    "4b": (99, 0, 1),
    "5a": (90, 0, 10),
    "5b": (98, 0, 2),
    "5c": (99, 0, 1),
    "5d": (100, 0, 0),
    "6b": (15, 15, 30),
    "8a": (20, 10, 10),
    "8b": (200, 100, 100),
    "8c": (2, 1, 1),
}


def paradox(name: str, *, rng: Seed = 0) -> Labels:
    """Build one of the examples of the paper's section 3, as in its Table 2.

    Labels are 0 and 1, both declared even where only one is given; example 1 alone has values
    between. Disputed items are disputed either way in turn, but for 6a, where the first rater
    always says 1. Where the paper leaves the number of raters open there are two; 7a and 7b need
    four to give its values of alpha.

    Parameters
    ----------
    name : str
        1, 2, 3, 4a, 4b, 5a to 5d, 6a, 6b, 7a to 7d, 8a to 8c; see ``PARADOXES``.
    rng : int or Generator
        For example 1, the only random one.

    Returns
    -------
    Labels

    References
    ----------
    Checco, Roitero, Maddalena, Mizzaro and Demartini (2017), "Let's agree to disagree: fixing
    agreement measures for crowdsourcing"; after Zhao, Liu and Deng (2013), "Assumptions behind
    intercoder reliability indices".

    Examples
    --------
    >>> paradox("8c")
    Labels: 8 ratings of 4 items by 2 raters; labels 0, 1
    """
    if name not in PARADOXES:
        raise unknown_name("paradox", name, list(PARADOXES))
    if name == "1":
        return _random(options.seed(rng))
    if name == "6a":
        rows = [[1, 1]] * 40 + [[1, 0]] * 20
    elif name == "7a":
        rows = [[1] * 4] * 40 + [[0] * 4] * 40 + _split(20, 4)
    elif name == "7b":
        rows = [[0] * 4] * 80 + _split(20, 4)
    elif name == "7c":
        rows = [[0, 0, 0, 0, 1]] * 2
    elif name == "7d":
        rows = [[0, 0, 0, 0, 1], [1, 1, 1, 1, 0]]
    else:
        positive, negative, disputed = _PAIRS[name]
        rows = [[1, 1]] * positive + [[0, 0]] * negative + _split(disputed, 2)
    return _labels(rows, name)


def _split(items: int, raters: int) -> list[list[int]]:
    """Items on which half of the raters say 1, in turn the one half and the other."""
    half = raters // 2
    return [[1, 0] * half if i % 2 else [0, 1] * half for i in range(items)]


def _labels(rows: Sequence[Sequence[int]], name: str) -> Labels:
    return Labels.from_triples(
        [item for item, row in enumerate(rows, start=1) for _ in row],
        [rater for row in rows for rater in range(1, len(row) + 1)],
        [label for row in rows for label in row],
        scale=Scale(("0", "1")),
        source=f"paradox {name}",
    )


def _random(rng: np.random.Generator) -> Labels:
    items, raters = 1000, 100
    values = tuple(f"{i / 1000:g}" for i in range(1001))
    return Labels(
        items=np.arange(1, items + 1),
        raters=np.arange(1, raters + 1),
        scale=Scale(values, kind="interval"),
        item=np.repeat(np.arange(items), raters),
        rater=np.tile(np.arange(raters), items),
        label=rng.integers(0, len(values), items * raters),
        source="paradox 1",
    )
