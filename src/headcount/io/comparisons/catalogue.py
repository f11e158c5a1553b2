"""The ways to lay comparisons and rankings out."""

from __future__ import annotations

from headcount.io.comparisons.layouts import SIDES, Layout, OneColumnEach, WinnerAndLoser
from headcount.io.comparisons.rankings import (
    IN_ORDER,
    BestWorst,
    InOneColumn,
    OneRowAnItem,
)

__all__ = ["LAYOUTS"]

LAYOUTS: tuple[Layout, ...] = (
    OneColumnEach(),
    WinnerAndLoser(),
    BestWorst(),
    IN_ORDER,
    InOneColumn(),
    OneRowAnItem(),
    SIDES,
)
"""Ways to lay comparisons out; the first that finds its columns is taken."""
