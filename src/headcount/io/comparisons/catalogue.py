"""The ways to lay comparisons and rankings out."""

from __future__ import annotations

from headcount.io.comparisons.layouts import (
    SIDES,
    Layout,
    OneColumnEach,
    TwoScores,
    WinnerAndLoser,
)
from headcount.io.comparisons.rankings.best_worst import BestWorst
from headcount.io.comparisons.rankings.in_one_column import InOneColumn
from headcount.io.comparisons.rankings.one_column_a_place import IN_ORDER
from headcount.io.comparisons.rankings.one_column_an_item import OneColumnAnItem
from headcount.io.comparisons.rankings.one_row_an_item import OneRowAnItem
from headcount.io.comparisons.wins import WinMatrix, WinsOfEach

__all__ = ["LAYOUTS"]

LAYOUTS: tuple[Layout, ...] = (
    WinMatrix(),
    OneColumnEach(),
    WinnerAndLoser(),
    WinsOfEach(),
    TwoScores(),
    BestWorst(),
    IN_ORDER,
    InOneColumn(),
    OneRowAnItem(),
    OneColumnAnItem(),
    SIDES,
)
"""Ways to lay comparisons out; the first that finds its columns is taken."""
