"""The ceiling, and what follows from it, as a result holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats

__all__ = ["Available", "RatersFor"]


@dataclass(frozen=True)
class RatersFor:
    """How many raters reach a target."""

    target: str
    raters: Estimate


@dataclass(frozen=True, eq=False, kw_only=True)
class Available:
    """The score of infinitely many raters, and what follows from it.

    Parameters
    ----------
    score, gain : Estimate
        Of infinitely many raters; the gain is over no rater.
    performance_ratio : dict of str to Estimate
        For each classifier, its share of the available gain.
    raters_for : tuple of RatersFor
        Numbers of raters that gain a share of the ceiling, or that score as much as a classifier.
    sizes, curve : arrays
        The power curve, continued beyond the data by the fitted states.
    states, weights : (states, labels) and (states,) arrays
        The fitted distribution of item states.
    draws : int
        Bootstrap samples that were refitted; 0 without intervals.
    narrow : bool
        Whether the ratings of an item are enough to tell the ceiling, but for chance.
    """

    score: Estimate
    gain: Estimate
    performance_ratio: dict[str, Estimate]
    raters_for: tuple[RatersFor, ...]
    sizes: Codes
    curve: Floats
    states: Floats
    weights: Floats
    draws: int
    narrow: bool

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; performance ratios stand with the classifiers."""
        return {
            "score": self.score.to_dict(),
            "gain": self.gain.to_dict(),
            "raters_for": [
                {"target": r.target, "raters": r.raters.to_dict()} for r in self.raters_for
            ],
            "curve": [
                {"k": k, "score": s}
                for k, s in zip(self.sizes.tolist(), self.curve.tolist(), strict=True)
            ],
            "draws": self.draws,
            "narrow": self.narrow,
        }
