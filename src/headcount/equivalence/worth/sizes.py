"""Sizes of data below which statements do not hold."""

from __future__ import annotations

__all__ = ["FEW_ITEMS"]

FEW_ITEMS = 20
"""Items below which words stand in place of a worth, and there are no intervals."""
