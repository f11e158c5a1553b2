"""A few ratings at the ends of a fine scale, which may speak against Phi's model all alone."""

from __future__ import annotations

import numpy as np

from headcount.agreement.phi.checks import LEAST_CHANGE, doubts
from headcount.agreement.phi.inference.likelihood import make_likelihood
from headcount.agreement.phi.inference.posterior import Posterior
from headcount.agreement.phi.methods import Method
from headcount.agreement.phi.prepare import Prepared
from headcount.errors import count
from headcount.stats.grouping import group_sums
from headcount.typing import Codes, Flags, Floats

__all__ = ["few_at_ends"]

END = 0.005
"""Share of the scale that is an end: half of what a point of a slider from 0 to 100 has."""
FAR = 0.25
"""Distance from the mean of the others of its item at which a rating at an end may be a slip."""
FEW = 0.02
"""Share of the ratings that are such, at most, for the model to be judged without them."""


def few_at_ends(data: Prepared, method: Method, found: Posterior) -> str | None:
    """Say what a few ratings at the ends do, where the others fit the model and give the same Phi.

    Near an end the density of a rating changes by orders of magnitude, so that one slip of a slider
    makes all items look as if they differed in how much they are agreed on.

    Returns
    -------
    str or None
        A sentence; None where the doubts are not of a few such ratings, or Phi hangs on them.
    """
    if data.scale.binned:
        return None
    unit = data.scale.unit(data.x)
    slip = _slips(data.item, unit)
    few = int(slip.sum())
    if not 0 < few <= max(1.0, FEW * len(unit)):
        return None
    rest = data.keep(~slip)
    if len(rest.ids) < len(data.ids) / 2 or rest.unanimous:
        return None
    like = make_likelihood(rest, method)
    other = like.posterior()
    if abs(other.mean - found.mean) > LEAST_CHANGE or doubts(rest, method, like, other):
        return None
    far, which = "is far from the others of its item", "it"
    if few > 1:
        far, which = "are far from the others of their items", "them"
    return (
        f"Phi: {few:,} of {count(len(unit), 'rating')} at an end of the scale {far}, which its "
        f"model does not allow for; without {which} Phi is {other.mean:.3f}."
    )


def _slips(item: Codes, unit: Floats) -> Flags:
    """Find ratings at an end that are far from the others of their item."""
    n = np.bincount(item)[item]
    others = (group_sums(item, unit, int(item.max()) + 1)[item] - unit) / np.maximum(n - 1, 1)
    return ((unit < END) | (unit > 1 - END)) & (np.abs(unit - others) > FAR)
