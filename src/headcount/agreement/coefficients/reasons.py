"""Why a coefficient has no value, in words."""

from __future__ import annotations

import numpy as np

from headcount.agreement.coefficients.engine import BY_PAIR, Engine
from headcount.agreement.prepare import Setting

__all__ = ["MOST_ROWS", "fallback", "undefined"]

MOST_ROWS = 10**9
"""Pairs of ratings that are gone through at most for coefficients of pairs of raters."""


def undefined(setting: Setting, name: str) -> str | None:
    """Reason known before anything is computed, or None."""
    p = setting.patterns
    if not setting.pairs_of_ratings:
        raters = len(np.unique(setting.labels.rater))
        return "there is one rater" if raters == 1 else "no item has two ratings"
    if name in ("cohen_linear", "cohen_quadratic") and setting.numbers is None:
        return "labels on a nominal scale have no order"
    if name in ("icc1", "icc2k") and not setting.measured:
        return f"it needs numbers, and the scale is {setting.scale}"
    if name in BY_PAIR:
        q, raters = len(setting.labels.scale), len(setting.labels.raters)
        if setting.pairs_of_ratings > MOST_ROWS or q * q * raters * raters > 2**62:
            return f"{setting.pairs_of_ratings:,} pairs of ratings are too many to go through"
    names = setting.labels.scale.labels
    if name in ("ac1", "ac2"):
        return f"'{names[0]}' is the only label of the scale" if len(names) == 1 else None
    if name == "percent":
        return None
    used = p.labels_used()
    if len(used) == 1:
        return f"every rating is '{names[int(used[0])]}'"
    if name in ("alpha", *BY_PAIR) and len(paired := p.labels_used(p.usable)) == 1:
        return f"every rating is '{names[int(paired[0])]}' on the items with two ratings or more"
    if name in ("icc1", "icc2k") and len(p.items) == 1:
        return "there is one item"
    return None


def fallback(engine: Engine, name: str) -> str:
    """Reason for a value that turned out to be undefined."""
    if name in BY_PAIR:
        if engine.table.shared.max() < 2:
            return "no two raters share more than one item"
        return "each pair of raters gave one label only to the items that both rated"
    if name == "icc2k":
        return "items, raters and error cannot be told apart"
    return "ratings do not differ enough to tell agreement from chance"
