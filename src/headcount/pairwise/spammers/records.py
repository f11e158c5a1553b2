"""What is known of raters who compare, as fields."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate

__all__ = [
    "ANOTHER_OPINION",
    "FINE",
    "SPAMMER",
    "TOO_FEW",
    "WEAK",
    "ComparingRater",
    "RatersProvenance",
    "RatersRecord",
]

FINE, WEAK, SPAMMER = "fine", "weak", "spammer"
ANOTHER_OPINION, TOO_FEW = "another opinion", "too few answers to tell"
"""Verdicts."""


@dataclass(frozen=True, kw_only=True)
class ComparingRater:
    """How one rater answers, by ratings in which that rater has no part.

    Parameters
    ----------
    rater : object
    comparisons : int
    agreement : float
        Share of the answers other than ties that favour the item with the higher rating; nan
        without any.
    correlation : float
        Of the answer with the difference in ratings; nan where one of them never varies.
    median_probability : float
        Median, over answers other than ties, of the probability that the ratings give them.
    slope : Estimate
        Of the answers, other than ties, on the probability that the ratings give them, as a
        multiple of what is usual: 0 at random, 1 for one who sees what the others see. nan where
        nothing varies.
    checks, checks_right : int
        Attention checks answered, and answered right.
    score : float
        Log-likelihood ratio of the answers other than ties: of the ratings to a coin. Above 0
        speaks for looking at the items.
    p_value : float
        Probability that a rater who looks, as most do, would have as small a slope, after the
        correction of Benjamini and Hochberg over raters: small for spammers.
    p_random : float
        Probability that answers given without looking would go this well with the ratings; not
        corrected, so that everybody who beats chance is spared.
    verdict : {"fine", "weak", "spammer", "another opinion", "too few answers to tell"}
        Better than chance and no worse than most; both better than chance and worse than most;
        worse than most and no better than chance, without others who answer alike, or with; neither
        better nor worse.
    """

    rater: object
    comparisons: int
    agreement: float
    correlation: float
    median_probability: float
    slope: Estimate
    checks: int
    checks_right: int
    score: float
    p_value: float
    p_random: float
    verdict: str

    @property
    def spammer(self) -> bool:
        """Whether the rater answers at random, as far as the tests tell."""
        return self.verdict == SPAMMER


@dataclass(frozen=True, kw_only=True)
class RatersProvenance(Provenance):
    """How raters were judged.

    Parameters
    ----------
    prior : float or None
        Of the ratings, in logits.
    n_checks : int
        Comparisons with a known answer.
    """

    prior: float | None
    n_checks: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RatersRecord(Result):
    """Fields of :class:`headcount.RatersResult`, which says what they are."""

    provenance: RatersProvenance
    raters: tuple[ComparingRater, ...]

    @property
    def spammers(self) -> list[object]:
        """Names of those who answer at random."""
        return [r.rater for r in self.raters if r.spammer]
