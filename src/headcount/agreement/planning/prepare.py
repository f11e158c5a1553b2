"""What a plan of ratings is made for, and from."""

from __future__ import annotations

from headcount import options
from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.planning.records import Target
from headcount.agreement.prepare import Prepared
from headcount.errors import DataError, OptionError, count, option

__all__ = ["FEW_RATERS", "check_pilot", "check_target", "ratings_each", "ratings_per_item"]

LEAST_PILOT = 20
"""Items of a pilot: fewer do not show how much items differ."""
FEW_RATERS = 10
"""Raters below which a pilot shows little of how much raters differ."""
NEARLY_ALL = 0.75
"""Share of the raters who rated an item, from which on all are to rate everything."""


def check_target(half_width: float | None, at_least: float | None) -> Target:
    """Check that one of the two is asked for."""
    if (half_width is None) == (at_least is None):
        raise OptionError(
            f"give one of {option('half_width', 0.1)} and {option('at_least', 0.667)}: what the "
            "interval is to reach."
        )
    if half_width is not None:
        half_width = options.number(half_width, "half_width", above=0, most=1)
    if at_least is not None:
        at_least = options.number(at_least, "at_least", above=0, below=1)
    return Target(half_width=half_width, at_least=at_least)


def check_pilot(data: Prepared, one: Coefficient) -> None:
    """Refuse ratings from which nothing can be planned."""
    source = data.labels.source
    if why := data.no_pair or one.undefined(data):
        raise DataError(f"{source}: a plan needs a pilot with some agreement: {why}.")
    if data.items_used < LEAST_PILOT:
        raise DataError(
            f"{source}: {count(data.items_used, 'item')} with two ratings or more are too few to "
            f"plan from. Have {LEAST_PILOT} or more rated."
        )


def ratings_per_item(data: Prepared) -> float:
    """Ratings of an item with two or more: their harmonic mean."""
    sizes = data.ratings.per_item
    used = sizes[sizes > 1]
    return len(used) / float((1 / used).sum())


def ratings_each(data: Prepared) -> int | None:
    """Ratings of an item to plan for; None where nearly everybody rated everything."""
    each = ratings_per_item(data)
    alone = data.labels.anonymous or not data.panel.reused
    return None if alone or each >= NEARLY_ALL * data.panel.raters else max(round(each), 2)
