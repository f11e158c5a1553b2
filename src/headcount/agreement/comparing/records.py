"""What a comparison of agreement finds, as plain records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headcount.agreement.coefficients.base import Coefficient
from headcount.results.base import Result
from headcount.stats.estimate import Estimate

__all__ = ["Comparison", "Difference", "GroupAgreement"]


@dataclass(frozen=True, kw_only=True)
class GroupAgreement:
    """Agreement in one group.

    Parameters
    ----------
    name : str
    items, ratings : int
        Items with two ratings or more, and ratings of the group.
    raters : int or None
        None where nobody knows them.
    agreement : Estimate
    these_raters : Estimate or None
        With an interval for these raters, where there are too few to stand for others.
    """

    name: str
    items: int
    ratings: int
    raters: int | None
    agreement: Estimate
    these_raters: Estimate | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        these = None if self.these_raters is None else self.these_raters.to_dict()
        return {**vars(self), "agreement": self.agreement.to_dict(), "these_raters": these}


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How much more one group agrees than another.

    Parameters
    ----------
    a, b : str
        Names of the groups.
    difference : Estimate
        Of a less that of b.
    p_higher : float or None
        Probability that a agrees more than b.
    these_raters : Estimate or None
        The difference with an interval for these raters, where they are too few to stand for
        others.
    """

    a: str
    b: str
    difference: Estimate
    p_higher: float | None
    these_raters: Estimate | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        these = None if self.these_raters is None else self.these_raters.to_dict()
        return {**vars(self), "difference": self.difference.to_dict(), "these_raters": these}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Comparison(Result):
    """Agreement of several groups, and the differences between them.

    Parameters
    ----------
    coefficient : Coefficient
        By which agreement is measured.
    scale : str
        What the labels are taken for.
    distance : str or None
        How far apart labels are, where they are sets or have distances of their own.
    holds_for : str
        For whom intervals hold.
    groups : tuple of GroupAgreement
    differences : tuple of Difference
        Of every two groups, the largest first.
    provenance, notes
        Data, options and version; and what to beware of.
    """

    coefficient: Coefficient
    scale: str
    distance: str | None
    holds_for: str
    groups: tuple[GroupAgreement, ...]
    differences: tuple[Difference, ...]
