"""What an analysis of agreement says first, and whether Phi bears it out."""

from __future__ import annotations

from collections.abc import Mapping

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.phi.result import PhiResult
from headcount.results.notes import Severity
from headcount.stats.estimate import Estimate

__all__ = ["leading", "phi_against"]

DIRECTIONS = {"agreement": 1, "disagreement": -1, "cannot tell": 0}
"""Of Phi's verdicts, as :meth:`Coefficient.direction` has them."""


def leading(kinds: Mapping[str, Coefficient], found: Mapping[str, Estimate]) -> Coefficient | None:
    """Find the coefficient by which the first sentence compares agreement with chance."""
    for name, one in kinds.items():
        if one.corrected and found[name].undefined is None:
            return one
    return None


def phi_against(
    kinds: Mapping[str, Coefficient],
    found: Mapping[str, Estimate],
    these: Mapping[str, Estimate],
    phi: PhiResult | None,
) -> Severity | None:
    """Say how far Phi speaks against the first sentence; None if it does not.

    A warning where one says agreement and the other disagreement; a caution where one of them
    cannot tell, unless it only lacks raters to tell of others: `these` are the coefficients with
    intervals for these raters.
    """
    first = leading(kinds, found)
    if phi is None or first is None:
        return None
    said, by_phi = first.direction(found[first.name]), DIRECTIONS.get(phi.verdict)
    if said is None or by_phi is None or said == by_phi:
        return None
    if said == 1 and by_phi == 0 and phi.agreed_by_these:
        return None
    if said == 0 and by_phi == first.direction(these[first.name]):
        return None
    return "warning" if said * by_phi < 0 else "caution"
