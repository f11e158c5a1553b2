"""Zeros on a scale that others use from 1 on: the lowest step, or 'not rated'."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, count, option
from headcount.io.tables.table import Coded
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats

__all__ = ["check_zeros"]

LEAST_STEPS, LARGEST = 3, 10
"""Different whole numbers above 0, and the largest of them, of a scale that may begin at 1."""
LEAST_ITEMS = 5
"""Items with a zero and something else from which on zeros can be told to be low, or not."""
CLEAR = 2.0
"""Standard errors by which means must differ."""
ALIKE = 0.3
"""Agreement on zero, beyond chance, from which on it is an answer."""
MIXED = 0.3
"""Share of items on which raters differ, from which on zeros that never meet anything are odd."""


@dataclass(frozen=True)
class _Beside:
    """What the others said of an item, in the mean over ratings of one kind, and its error."""

    mean: float
    error: float
    items: int

    @classmethod
    def of(cls, weights: Floats, values: Floats) -> _Beside:
        """Average what was said of each item, with weights; the error is that of items."""
        total = weights.sum()
        if not total:
            return cls(np.nan, np.inf, 0)
        mean = float((weights * values).sum() / total)
        error = float(np.sqrt(((weights * (values - mean)) ** 2).sum()) / total)
        items = int((weights > 0).sum())
        return cls(mean, error if items > 1 else np.inf, items)


def check_zeros(labels: Coded, items: Codes, source: str, notes: Notes) -> None:
    """Refuse zeros that mean 'not rated', by what others say of the same items; warn if unclear.

    Where 0 is the lowest step, others say little of an item of which somebody says 0: in the mean
    no more than beside a 1. Where it means that nothing was said, others say of it what they say
    of all.

    Parameters
    ----------
    labels : codes and texts
    items : array of int
        Item of each.
    source : str
    notes : Notes

    Raises
    ------
    DataError
        If others say clearly more beside 0 than beside the lowest other label, and raters do not
        agree on 0.
    """
    codes, texts = labels
    numbers = [number_of(text) for text in texts]
    known = (codes >= 0) & (items >= 0)
    uses = np.bincount(codes[known], minlength=len(texts))
    used = {n for n, times in zip(numbers, uses.tolist(), strict=True) if times}
    if not _may_begin_at_one(used):
        return
    value = np.array([np.nan if n is None else n for n in numbers])[codes[known]]
    verdict = _verdict(value, items[known])
    if not verdict:
        return
    zeros, total = int((value == 0).sum()), len(value)
    said = (
        f"{source}: {zeros:,} of {count(total, 'rating')} {'is' if zeros == 1 else 'are'} '0', "
        f"and {verdict}. Say {option('missing', Several(['0']))} if it means 'not rated'"
    )
    everything = Several(f"{n:g}" for n in sorted(n for n in used if n is not None))
    if verdict is NOT_LOW:
        raise DataError(
            f"{said}, or name all labels with {option('labels', everything)} if it is one."
        )
    notes.warning(f"{said}; it is read as the lowest label.")


NOT_LOW = "others rate these items higher than those that somebody gave the lowest other label"
APART = "others say nothing else of these items, where they differ on the rest"
UNCLEAR = "it is not clear that it is the lowest step of the scale"


def _may_begin_at_one(used: set[float | None]) -> bool:
    """Whether labels are 0 and some whole numbers above, as of a scale that begins at 0 or 1."""
    if None in used or 0 not in used:
        return False
    above = [n for n in used if n]
    return len(above) >= LEAST_STEPS and all(n.is_integer() and 0 < n <= LARGEST for n in above)


def _verdict(value: Floats, items: Codes) -> str:
    """Say what speaks against zero as the lowest step; nothing if it is that."""
    size = int(items.max()) + 1

    def each(which: Floats | Flags) -> Floats:
        return np.bincount(items, which, size).astype(np.float64)

    zero, low = value == 0, value == value[value > 0].min()
    zeros, others, lows = each(zero), each(~zero), each(low)
    sums = each(value)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nan_to_num(sums / others)
        mean_but_low = np.nan_to_num((sums - value[low][0]) / (others - 1))
    beside_zero = _Beside.of(zeros * others, mean)
    beside_low = _Beside.of(lows * np.maximum(others - 1, 0), mean_but_low)
    beside_any = _Beside.of(others * np.maximum(others - 1, 0), mean)
    if not beside_zero.items:
        differ = each(value**2) * others - sums**2 > 1e-9
        several = others > 1
        odd = (zeros > 1).sum() >= LEAST_STEPS and differ[several].mean() > MIXED
        return APART if several.any() and odd else ""
    alike = _agreement(zeros, zeros + others)
    higher = beside_zero.mean - beside_low.mean
    enough = beside_zero.items >= LEAST_ITEMS
    error = np.hypot(beside_zero.error, beside_low.error)
    if enough and higher > CLEAR * error and alike < ALIKE:
        return NOT_LOW
    lower = beside_any.mean - beside_zero.mean
    if alike >= ALIKE or (enough and lower > CLEAR * beside_zero.error):
        return ""
    return UNCLEAR


def _agreement(zeros: Floats, ratings: Floats) -> float:
    """Agreement on zero against the rest, beyond chance: Fleiss's kappa of one category."""
    pairs = (zeros * np.maximum(ratings - 1, 0)).sum()
    share = zeros.sum() / ratings.sum()
    if not pairs or share == 1:
        return 1.0
    return float(((zeros * np.maximum(zeros - 1, 0)).sum() / pairs - share) / (1 - share))
