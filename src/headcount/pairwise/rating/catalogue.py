"""The ways to rate items, by name."""

from __future__ import annotations

from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError, option
from headcount.pairwise.bradley_terry.method import BRADLEY_TERRY
from headcount.pairwise.elo.method import ELO
from headcount.pairwise.plackett_luce.method import PLACKETT_LUCE
from headcount.pairwise.rating.rating_method import RatingMethod

__all__ = ["METHODS", "method_for"]

METHODS: tuple[RatingMethod, ...] = (BRADLEY_TERRY, PLACKETT_LUCE, ELO)
"""All methods; another one is a class of :class:`RatingMethod` in its own file, listed here."""


def method_for(method: RatingMethod, data: Comparisons) -> RatingMethod:
    """Find the method for what was compared: rankings are no pairs."""
    if data.ranking is None or method.takes_rankings:
        return method
    if method is BRADLEY_TERRY:
        return PLACKETT_LUCE
    raise OptionError(
        f"{data.source}: {method.title} rates pairs, and these are rankings; use "
        f"{option('method', PLACKETT_LUCE.name)}."
    )
