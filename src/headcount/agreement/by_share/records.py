"""Coefficients of random subsets of the items, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headcount.results.base import Result
from headcount.stats.estimate import Estimate

__all__ = ["ShareRecord", "SharePoint"]


@dataclass(frozen=True)
class SharePoint:
    """Coefficients of random subsets of the items.

    Parameters
    ----------
    share : float
        Of the rated items.
    items : int
    coefficients : dict of str to Estimate
        Mean over subsets; the interval holds `level` of them, and is no confidence interval. That
        of `phi` is the mean of its highest-density intervals.
    """

    share: float
    items: int
    coefficients: dict[str, Estimate]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ShareRecord(Result):
    """Coefficients against the share of items used.

    Parameters
    ----------
    points : tuple of SharePoint
    titles : mapping of str to str
        What people call each coefficient, by name.
    repeats : int
        Random subsets of each size.
    phi_repeats : int
        Subsets of a size that Phi is a mean of, if it is among them.
    """

    points: tuple[SharePoint, ...]
    titles: Mapping[str, str]
    repeats: int
    phi_repeats: int
