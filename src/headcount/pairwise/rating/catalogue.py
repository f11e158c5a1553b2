"""The ways to rate items, by name."""

from __future__ import annotations

from headcount.pairwise.bradley_terry.method import BRADLEY_TERRY
from headcount.pairwise.elo.method import ELO
from headcount.pairwise.rating.rating_method import RatingMethod

__all__ = ["METHODS"]

METHODS: tuple[RatingMethod, ...] = (BRADLEY_TERRY, ELO)
"""All methods; another one is a class of :class:`RatingMethod` in its own file, listed here."""
