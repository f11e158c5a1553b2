"""The likelihood of a set of ratings, ready to be evaluated at any precision."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from headcount.agreement.phi.inference.items import (
    Patterns,
    binned,
    compress,
    continuous,
    group,
    mirror,
    moments,
)
from headcount.agreement.phi.inference.model import Group, log_likelihood
from headcount.agreement.phi.inference.posterior import Posterior, posteriors
from headcount.agreement.phi.inference.prior import Priors
from headcount.agreement.phi.methods import Method
from headcount.agreement.phi.prepare import Prepared
from headcount.typing import Flags, Floats, Ints

__all__ = ["Likelihood", "make_likelihood"]

UNIFORM = 1 / math.sqrt(3)
"""Spread of a central value that may be anywhere: k = 2."""
LEAST_SD = 1 / 500
"""Standard deviation of a gold prior, at least: nodes must be as close as that."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Likelihood:
    """Items reduced to patterns, and what their likelihood needs besides.

    Parameters
    ----------
    patterns : Patterns
        Of the items as they are.
    pattern : (items,) array of int or None
        Pattern of each item; None if each item is its own.
    groups : list of Group
        Patterns that share nodes, mirrored and compressed.
    product : float or (subsets,) array
        As `log_product` of :func:`~headcount.agreement.phi.inference.model.log_likelihood`.
    gold_sd : float
        Of the priors of items with true values, from 0 to 1.
    fixed : bool
        Whether the prior of the central values is given, not learned.
    start : (float, float)
        A precision and a spread to look near.
    flat_in_p : bool
    """

    patterns: Patterns
    pattern: Ints | None
    groups: list[Group]
    product: float | Floats
    gold_sd: float
    fixed: bool
    start: tuple[float, float]
    flat_in_p: bool

    def at(self, p: float, priors: Priors, step: float) -> Floats:
        """Log likelihood of a precision, for several priors of mu."""
        return log_likelihood(self.groups, p, priors, log_product=self.product, step=step)

    def posterior(self) -> Posterior:
        """Find the posterior."""
        return self.posteriors()[0]

    def posteriors(self) -> list[Posterior]:
        """Find the posterior of each subset of the items, of all of them if there are none."""
        spread = UNIFORM if self.fixed else None
        return posteriors(self.at, flat_in_p=self.flat_in_p, start=self.start, spread=spread)


def make_likelihood(data: Prepared, method: Method, subsets: Flags | None = None) -> Likelihood:
    """Reduce ratings to patterns, which are counted in each of `subsets` (subsets x items).

    O(ratings), and O(items) a subset.
    """
    scale, item = data.scale, data.item
    unit, truth = scale.unit(data.x), scale.unit(data.truth)
    points = scale.points if method.intervals else None
    pattern, product = None, np.zeros(len(truth))
    if scale.binned and method.intervals:
        point = scale.point(data.x)
        patterns, pattern = binned(item, point, truth, points=scale.points or 0, times=data.weight)
    else:
        patterns, product = continuous(item, unit, truth, points=points)
    if subsets is not None:
        patterns = replace(patterns, weight=_counted(subsets, pattern, patterns))
    sd = max(data.gold_sd * scale.unit_size, LEAST_SD)
    return Likelihood(
        patterns=patterns,
        pattern=pattern,
        groups=group(compress(mirror(patterns)), sd),
        product=float(product.sum()) if subsets is None else subsets @ product,
        gold_sd=sd,
        fixed=not method.learned or data.unanimous or bool(np.isfinite(truth).all()),
        start=moments(item, unit, points=points, times=data.weight),
        flat_in_p=method.flat_in_p,
    )


def _counted(subsets: Flags, pattern: Ints | None, patterns: Patterns) -> Floats:
    """Count the items of each pattern in each subset."""
    if pattern is None:
        return subsets.astype(np.float64)
    size = patterns.ratings.patterns
    return np.stack([np.bincount(pattern[one], minlength=size) for one in subsets]).astype(float)
