"""Whether answers to the same question agree: pairs that were compared more than once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import count, percent
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import WALD
from headcount.typing import Codes, Floats

__all__ = ["Repeats", "repeated_answers"]

LEAST_PAIRS = 10
"""Pairs below which there is no interval."""


@dataclass(frozen=True, kw_only=True)
class Repeats:
    """Agreement of answers to the same pair.

    Parameters
    ----------
    pairs : int
        Pairs of items that were compared more than once.
    answers : int
        Answers to these.
    by_raters : bool
        Whether only answers of different raters are held against each other.
    agreement : Estimate
        Share of two answers to the same pair, drawn at random, that are the same.
    chance : float
        What it would be if answers had nothing to do with the pair, with as many ties.
    kappa : Estimate
        Agreement beyond chance: (agreement - chance) / (1 - chance).
    """

    pairs: int
    answers: int
    by_raters: bool
    agreement: Estimate
    chance: float
    kappa: Estimate

    @property
    def sentence(self) -> str:
        """Say how often answers agree."""
        who = "by two raters or more" if self.by_raters else "more than once"
        said = f"Agreement: {count(self.pairs, 'pair')} of items compared {who}"
        a = self.agreement
        if a.low is None or a.high is None:
            return f"{said}, too few to tell how often answers to the same pair agree"
        return (
            f"{said}; two answers to the same pair agree in {percent(round(a.value, 2))} "
            f"({a.low:.0%} to {a.high:.0%}) of cases, at random in "
            f"{percent(round(self.chance, 2))} (kappa {self.kappa.show(self.kappa.value, 2)})"
        )

    def to_dict(self) -> dict[str, Any]:
        """Write it for JSON."""
        return {
            "pairs": self.pairs,
            "answers": self.answers,
            "by_raters": self.by_raters,
            "agreement": self.agreement.to_dict(),
            "chance": self.chance,
            "kappa": self.kappa.to_dict(),
        }


def repeated_answers(comparisons: Comparisons, *, level: float) -> Repeats | None:
    r"""See how often answers to the same pair agree; None if no pair was compared twice.

    Two answers agree that name the same winner, or are both ties. Where it is known who answered,
    answers of different raters are compared. Each pair counts by its number of answers. By chance,
    with a share t of ties, answers agree in :math:`t^2 + (1 - t)^2 / 2` of cases: which item is
    which says nothing.

    Notes
    -----
    O(n). The interval counts that pairs of items are a sample.

    Examples
    --------
    >>> played = Comparisons.from_columns("abab", "baba", [1, 0, 1, 1], rater="wxyz")
    >>> repeated_answers(played, level=0.95).agreement.value
    0.5
    """
    from headcount.pairwise.bradley_terry.likelihood._kernel import sort_pairs

    if comparisons.rater is not None and (comparisons.rater < 0).any():
        comparisons = comparisons.select(comparisons.rater >= 0)
    _, _, pair, turned = sort_pairs(
        comparisons.left, comparisons.right, False, True, len(comparisons.items)
    )
    share = np.where(turned, 1 - comparisons.outcome, comparisons.outcome)
    answer = np.sign(share - 0.5).astype(np.int64) + 1
    rater, times = comparisons.rater, comparisons.answers
    again = np.flatnonzero((np.bincount(pair, times) > 1)[pair])
    if not len(again):
        return None
    pair, answer = np.unique(pair[again], return_inverse=True)[1].reshape(-1), answer[again]
    rater, times = None if rater is None else rater[again], times[again]
    same, both = _twos(pair, answer, times)
    if rater is not None:
        cell, whose = np.unique(pair * (int(rater.max()) + 1) + rater, return_inverse=True)
        own_same, own_both = _twos(whose.reshape(-1), answer, times)
        owner = cell // (int(rater.max()) + 1)
        same -= np.bincount(owner, own_same, len(same))
        both -= np.bincount(owner, own_both, len(both))
    told = both > 0
    if not told.any():
        return None
    weight: Floats = np.bincount(pair, times)[told].astype(np.float64)
    rate = same[told] / both[told]
    ties = float(np.average(answer[told[pair]] == 1, weights=times[told[pair]]))
    chance = ties**2 + (1 - ties) ** 2 / 2
    return _estimated(rate, weight, chance, level, by_raters=rater is not None)


def _twos(group: Codes, answer: Codes, times: Floats) -> tuple[Floats, Floats]:
    """Twos of answers of each group that are the same, and all twos."""
    n = int(group.max(initial=-1)) + 1
    counts = np.bincount(group * 3 + answer, times, 3 * n).reshape(n, 3)
    every = counts.sum(axis=1)
    return (counts * (counts - 1) / 2).sum(axis=1), every * (every - 1) / 2


def _estimated(
    rate: Floats, weight: Floats, chance: float, level: float, *, by_raters: bool
) -> Repeats:
    total = float(weight.sum())
    value = float(np.sum(weight * rate)) / total
    pairs = len(rate)
    error = math.nan
    if pairs >= LEAST_PAIRS:
        spread = float(np.sum(weight**2 * (rate - value) ** 2)) * pairs / (pairs - 1)
        error = math.sqrt(spread) / total

    def estimate(center: float, unit: float, least: float) -> Estimate:
        ends = WALD.ends(center, error * unit, level)
        if ends is None:
            return Estimate(center)
        low, high = max(ends.low, least), min(ends.high, 1.0)
        return Estimate(center, low=low, high=high, level=level, method=WALD.name)

    unit = 1 / (1 - chance) if chance < 1 else 0.0
    return Repeats(
        pairs=pairs,
        answers=int(total),
        by_raters=by_raters,
        agreement=estimate(value, 1.0, 0.0),
        chance=chance,
        kappa=estimate((value - chance) * unit, unit, -1.0),
    )
