"""What the alternative annotator test found, as plain records."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from headcount.results.base import Result

__all__ = ["SHARE_TO_WIN", "AltTestRater", "VerdictRecord", "VerdictsRecord"]

SHARE_TO_WIN = 0.5
"""A classifier passes if it wins this share of the raters."""


@dataclass(frozen=True, kw_only=True)
class AltTestRater:
    """How a classifier fares against one rater.

    Parameters
    ----------
    rater : str or int
    items : int
        Items on which the two are compared: rated, predicted, and rated by somebody else.
    rho_f, rho_h : float
        Share of these items on which the classifier, or the rater, agrees with the other raters
        at least as well as its counterpart. A tie counts for both, so they sum to 1 or more.
    p_value, adjusted_p_value : float
        Of the hypothesis that the classifier is worse by epsilon or more; after
        Benjamini-Yekutieli.
    won : bool
        Whether that hypothesis is rejected.
    """

    rater: str | int
    items: int
    rho_f: float
    rho_h: float
    p_value: float
    adjusted_p_value: float
    won: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return dict(vars(self))


@dataclass(frozen=True, repr=False, kw_only=True)
class VerdictRecord(Result):
    """The verdict on one classifier; see :class:`headcount.AltTestClassifier`."""

    name: str
    epsilon: float
    passes_from: float
    raters: tuple[AltTestRater, ...]

    @property
    def won(self) -> int:
        """Number of raters won."""
        return sum(rater.won for rater in self.raters)

    @property
    def needed(self) -> int:
        """Number of raters to win in order to pass."""
        return math.ceil(SHARE_TO_WIN * len(self.raters))

    @property
    def winning_rate(self) -> float:
        """Share of raters won, the paper's omega."""
        return self.won / len(self.raters)

    @property
    def advantage_probability(self) -> float:
        """Mean of rho_f over raters, the paper's rho: what to rank classifiers by."""
        return sum(rater.rho_f for rater in self.raters) / len(self.raters)

    @property
    def passes(self) -> bool:
        """Whether it wins at least half of the raters."""
        return self.won >= self.needed


@dataclass(frozen=True, repr=False, kw_only=True)
class VerdictsRecord(Result):
    """The verdicts on all classifiers; see :class:`headcount.AltTest`."""

    classifiers: tuple[VerdictRecord, ...]
    epsilon: float
    q: float
    scorer: str
    min_items: int
    left_out: tuple[str | int, ...]

    @property
    def items_used(self) -> int:
        """Items on which classifiers and raters are compared."""
        return self.provenance.items_used

    @property
    def items_dropped(self) -> int:
        """Items left out: rated once, or not predicted by every classifier."""
        return self.provenance.items_dropped
