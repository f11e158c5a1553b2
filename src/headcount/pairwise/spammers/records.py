"""What is known of raters who compare, as fields."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate

__all__ = [
    "CANNOT_TELL",
    "FINE",
    "SPAMMER",
    "WEAK",
    "ComparingRater",
    "RatersProvenance",
    "RatersRecord",
]

FINE, WEAK, SPAMMER, CANNOT_TELL = "fine", "weak", "spammer", "cannot tell"
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
        Median, over answers, of the probability that a rater who looks at the items gives it.
    slope : Estimate
        How much of a difference in ratings the rater sees, 1 being usual, by a fit with a slope of
        each rater (and therefore not without that rater).
    checks, checks_right : int
        Attention checks answered, and answered right.
    score : float
        Log-likelihood ratio of the answers: of a rater who looks at the items to one who answers
        at random. Above 0 speaks for looking.
    p_value : float
        Probability that a rater who looks, as most do, would score this low, after Holm's
        correction over raters: small for spammers.
    p_random : float
        Probability that answers given without looking would go this well with the ratings, after
        Holm's correction: small for raters who do look.
    verdict : {"fine", "weak", "spammer", "cannot tell"}
        Better than random and no worse than most; both better than random and worse than most;
        worse than most and no better than random; neither.
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
        """Whether the rater answers at random, as far as two tests tell."""
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
