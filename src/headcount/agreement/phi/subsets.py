"""Phi of many subsets of the items, from one table of the likelihood."""

from __future__ import annotations

import numpy as np

from headcount.agreement.phi.fit import fit
from headcount.agreement.phi.inference.likelihood import make_likelihood
from headcount.agreement.phi.methods import Method
from headcount.agreement.phi.prepare import Prepared
from headcount.agreement.raters.populations import Scope
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_model import HIGHEST_DENSITY
from headcount.typing import Flags

__all__ = ["at_once", "phis_of_subsets"]

MOST_CELLS = 20_000_000
"""Counts of items in subsets that are held at a time: 160 MB."""
MOST_SUBSETS = 200
"""Subsets that share a table."""


def at_once(items: int) -> int:
    """How many subsets of so many items to measure at a time."""
    return min(max(MOST_CELLS // max(items, 1), 1), MOST_SUBSETS)


def phis_of_subsets(
    data: Prepared, method: Method, level: float, scope: Scope, subsets: Flags
) -> list[Estimate]:
    """Find Phi of subsets of the items, with its interval for these raters.

    Given a precision and a prior of mu, items are independent: the log likelihood of a subset is a
    sum over its items. So it is tabulated once for every pattern, on a grid that holds the
    posteriors of all subsets, and added up by a product with the patterns' counts.

    Parameters
    ----------
    data : Prepared
    method : Method
    level : float
    scope : Scope
        For these raters.
    subsets : (subsets, items) array of bool
        Best of about the same size, so that their posteriors are about equally wide.

    Notes
    -----
    Some 70 integrals over all patterns, as for one set of items, and O(patterns x grid) for each
    subset. Small data have few subsets, and equal ones are measured once. Those without a common
    likelihood are fitted alone: where raters agree in full, or all items have true values.
    """
    subsets, inverse = np.unique(subsets, axis=0, return_inverse=True)
    known = np.isfinite(data.truth)
    alone = np.array([_alone(data, one, known) for one in subsets], dtype=bool)
    alone |= data.scale.points == 2 and method.intervals
    out: list[Estimate] = [Estimate(float("nan"))] * len(subsets)
    for row in np.flatnonzero(alone).tolist():
        part = data.only(subsets[row])
        out[row] = fit(part, method, level, scope, Notes(), check=False).estimate
    together = np.flatnonzero(~alone)
    if len(together):
        found = make_likelihood(data, method, subsets[together]).posteriors()
        for row, one in zip(together.tolist(), found, strict=True):
            low, high = one.highest(level)
            name = HIGHEST_DENSITY.name
            out[row] = Estimate(one.mean, low=low, high=high, level=level, method=name)
    return [out[row] for row in inverse.ravel().tolist()]


def _alone(data: Prepared, items: Flags, known: Flags) -> bool:
    """Whether a subset has no likelihood in common with others."""
    if not items.any() or (known[items].all() and not known.all()):
        return True
    return data.only(items).unanimous
