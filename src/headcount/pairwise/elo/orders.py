"""The order in which Elo goes through comparisons."""

from __future__ import annotations

__all__ = ["GIVEN", "ORDERS", "SHUFFLED"]

GIVEN = "given"
"""As the rows are."""
SHUFFLED = "shuffled"
"""At random, and another order in each pass; the order of the rows does not matter."""
ORDERS = (GIVEN, SHUFFLED)
