"""Zeros on a scale that others use from 1 on: the lowest step, or 'not rated'."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, count, option
from headcount.io.tables.table import Coded
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["check_zero_counts", "check_zeros", "may_begin_at_one"]

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
    def of(cls, weights: Floats, values: Floats, times: Codes) -> _Beside:
        """Average what was said of each item, with weights; the error is that of items."""
        total = (times * weights).sum()
        if not total:
            return cls(np.nan, np.inf, 0)
        mean = float((times * weights * values).sum() / total)
        error = float(np.sqrt((times * (weights * (values - mean)) ** 2).sum()) / total)
        items = int(times[weights > 0].sum())
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
    known = (codes >= 0) & (items >= 0)
    uses = np.bincount(codes[known], minlength=len(texts))
    if not may_begin_at_one([text for text, n in zip(texts, uses, strict=True) if n]):
        return
    size = int(items[known].max()) + 1
    counts = np.zeros((size, len(texts)), dtype=np.int64)
    np.add.at(counts, (items[known], codes[known]), 1)
    check_zero_counts(counts, np.ones(size, dtype=np.int64), texts, source, notes)


def check_zero_counts(
    counts: Codes, times: Codes, texts: Sequence[str], source: str, notes: Notes
) -> None:
    """Check zeros as :func:`check_zeros` does, of items as their label counts.

    Parameters
    ----------
    counts : (patterns, labels) array of int
    times : (patterns,) array of int
        Items that each stands for.
    texts : sequence of str
        The labels.
    source : str
    notes : Notes
    """
    used = [k for k in range(len(texts)) if counts[:, k].any()]
    if not may_begin_at_one([texts[k] for k in used]):
        return
    value = np.array([float(texts[k]) for k in used])
    verdict = _verdict(counts[:, used].astype(np.float64), value, times)
    if not verdict:
        return
    zeros = int((times * counts[:, used][:, value == 0].sum(axis=1)).sum())
    total = int((times * counts.sum(axis=1)).sum())
    said = (
        f"{source}: {zeros:,} of {count(total, 'rating')} {'is' if zeros == 1 else 'are'} '0', "
        f"and {verdict}. Say {option('missing', Several(['0']))} if it means 'not rated'"
    )
    everything = Several(f"{n:g}" for n in sorted(value))
    if verdict is NOT_LOW:
        raise DataError(
            f"{said}, or name all labels with {option('labels', everything)} if it is one."
        )
    notes.warning(f"{said}; it is read as the lowest label.")


NOT_LOW = "others rate these items higher than those that somebody gave the lowest other label"
APART = "others say nothing else of these items, where they differ on the rest"
UNCLEAR = "it is not clear that it is the lowest step of the scale"


def may_begin_at_one(texts: Sequence[str]) -> bool:
    """Whether labels are 0 and some whole numbers above, as of a scale that begins at 0 or 1."""
    used = {number_of(text) for text in texts}
    if None in used or 0 not in used:
        return False
    above = [n for n in used if n]
    return len(above) >= LEAST_STEPS and all(n.is_integer() and 0 < n <= LARGEST for n in above)


def _verdict(counts: Floats, value: Floats, times: Codes) -> str:
    """Say what speaks against zero as the lowest step; nothing if it is that."""
    lowest = value[value > 0].min()
    zeros, lows = counts[:, value == 0].sum(axis=1), counts[:, value == lowest].sum(axis=1)
    others, sums = counts.sum(axis=1) - zeros, counts @ value
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.nan_to_num(sums / others)
        mean_but_low = np.nan_to_num((sums - lowest) / (others - 1))
    beside_zero = _Beside.of(zeros * others, mean, times)
    beside_low = _Beside.of(lows * np.maximum(others - 1, 0), mean_but_low, times)
    beside_any = _Beside.of(others * np.maximum(others - 1, 0), mean, times)
    if not beside_zero.items:
        differ = (counts @ value**2) * others - sums**2 > 1e-9
        several = others > 1
        if not several.any() or times[zeros > 1].sum() < LEAST_STEPS:
            return ""
        mixed = times[several & differ].sum() / times[several].sum()
        return APART if mixed > MIXED else ""
    alike = _agreement(zeros, zeros + others, times)
    higher = beside_zero.mean - beside_low.mean
    enough = beside_zero.items >= LEAST_ITEMS
    error = np.hypot(beside_zero.error, beside_low.error)
    if enough and higher > CLEAR * error and alike < ALIKE:
        return NOT_LOW
    lower = beside_any.mean - beside_zero.mean
    if alike >= ALIKE or (enough and lower > CLEAR * beside_zero.error):
        return ""
    return UNCLEAR


def _agreement(zeros: Floats, ratings: Floats, times: Codes) -> float:
    """Agreement on zero against the rest, beyond chance: Fleiss's kappa of one category."""
    pairs = (times * zeros * np.maximum(ratings - 1, 0)).sum()
    share = (times * zeros).sum() / (times * ratings).sum()
    if not pairs or share == 1:
        return 1.0
    alike = (times * zeros * np.maximum(zeros - 1, 0)).sum()
    return float((alike / pairs - share) / (1 - share))
