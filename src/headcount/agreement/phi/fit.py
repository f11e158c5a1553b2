"""Phi from plain arrays: which likelihood, which prior, and what to say of the cases."""

from __future__ import annotations

import math
from dataclasses import replace

from headcount.agreement.phi.checks import Doubt, doubts, random_variance, within_variance
from headcount.agreement.phi.ends import few_at_ends
from headcount.agreement.phi.inference.items import Patterns
from headcount.agreement.phi.inference.likelihood import Likelihood, make_likelihood
from headcount.agreement.phi.inference.mu import RatedItems
from headcount.agreement.phi.inference.posterior import MOST_P, Posterior
from headcount.agreement.phi.methods import Method
from headcount.agreement.phi.prepare import Prepared
from headcount.agreement.phi.records import PhiFit
from headcount.agreement.phi.widening import WidePrecision, widen
from headcount.agreement.raters.populations import Scope
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.crossed import PHI_WIDENED
from headcount.stats.intervals.from_model import HIGHEST_DENSITY

__all__ = ["fit", "undefined"]


TWO_POINTS = (
    "not identified on a scale of two points, where raters who agree on each item and raters who "
    "are torn alike over all of them give the same ratings; use a kappa or Krippendorff's alpha"
)


def fit(
    data: Prepared, method: Method, level: float, scope: Scope, notes: Notes, *, check: bool
) -> PhiFit:
    """Find Phi with its posterior; or why it has none.

    Parameters
    ----------
    data : Prepared
    method : Method
    level : float
        Probability of the highest-density interval.
    scope : Scope
        For whom the interval holds.
    notes : Notes
        Takes what a reader should know.
    check : bool
        Whether to withhold it where the model does not fit.
    """
    if not len(data.item):
        return undefined("no item has two ratings, so nobody can agree with anybody")
    two_points = data.scale.points == 2 and method.intervals
    if data.unanimous and (two_points or not method.intervals):
        # Under a flat prior on p nothing bounds it, and two points say nothing of it.
        _note_unanimous(notes, bounded=False)
        one = Estimate(1.0, level=level)
        if not two_points:
            one = replace(one, low=1.0, high=1.0, method=HIGHEST_DENSITY.name)
        return PhiFit(estimate=one, map=1.0, p_positive=1.0, unanimous=True)
    if two_points:
        return undefined(TWO_POINTS)
    like = make_likelihood(data, method)
    found = like.posterior()
    plain = _plain(data, like, found, level)
    if data.unanimous:
        _note_unanimous(notes, bounded=True)
        return plain
    _note_doubts(notes, method, like.patterns, found)
    plain = replace(plain, closer=within_variance(data) <= random_variance(data.scale))
    if check and (against := doubts(data, method, like, found)):
        few = few_at_ends(data, method, found)
        if few is None:
            return _withheld(plain, against)
        notes.caution(few)
    if scope.crossed and method.intervals:
        plain = _widened(plain, widen(data, method, found, scope.effective), level)
    return plain


def _plain(data: Prepared, like: Likelihood, found: Posterior, level: float) -> PhiFit:
    """Read off the posterior."""
    low, high = found.highest(level)
    value, high = (1.0, 1.0) if data.unanimous else (found.mean, high)
    # Of ratings that were added up there are no items to tell of.
    rated = (
        None
        if data.weight is not None
        else RatedItems(
            ids=data.ids,
            patterns=like.patterns,
            pattern=like.pattern,
            item=data.item,
            unit=data.scale.unit(data.x),
            gold_sd=like.gold_sd,
            scale=data.scale,
        )
    )
    return PhiFit(
        estimate=Estimate(value, low=low, high=high, level=level, method=HIGHEST_DENSITY.name),
        map=1.0 if data.unanimous else found.mode,
        p_positive=found.above_zero,
        unanimous=data.unanimous,
        spread=None if like.fixed else found.mean_spread,
        posterior=found,
        rated=rated,
    )


def _widened(plain: PhiFit, wide: WidePrecision, level: float) -> PhiFit:
    """Let the interval hold for raters like these; the value stays inside it."""
    low, high = wide.ends(level)
    value = plain.estimate.value
    widened = Estimate(
        value, low=min(low, value), high=max(high, value), level=level, method=PHI_WIDENED.name
    )
    return replace(plain, estimate=widened, these_raters=plain.estimate, p_positive=wide.above_zero)


def _withheld(plain: PhiFit, against: tuple[Doubt, ...]) -> PhiFit:
    """Withhold Phi where ratings do not look as if its model had made them."""
    why = " and ".join(doubt.words for doubt in against)
    return replace(
        plain,
        estimate=Estimate(math.nan, undefined=f"withheld, since its model does not fit: {why}"),
        fitted=plain.estimate,
        withheld=why,
    )


def undefined(why: str) -> PhiFit:
    """Say why there is no Phi."""
    return PhiFit(estimate=Estimate(math.nan, undefined=why))


def _note_unanimous(notes: Notes, *, bounded: bool) -> None:
    notes.caution(
        "Phi: the raters of every item agree in full, so Phi is 1 by definition; "
        + (
            "its interval rests on a uniform prior of the central values."
            if bounded
            else "nothing in the data bounds its precision."
        )
    )


def _note_doubts(notes: Notes, method: Method, patterns: Patterns, found: Posterior) -> None:
    if patterns.weight.sum() == 1:
        notes.warning(
            "Phi: only one item, which a precision of its own may fit too well; rely on the "
            "interval alone, or have more items rated."
        )
    if patterns.n.max() == 2:
        pulled = "; with few items the mean is pulled towards 0 (see the most likely value)"
        notes.caution(
            "Phi: no item has more than two ratings, from which little is learned of each item's "
            f"central value{'' if method.flat_in_p else pulled}."
        )
    if method.warning:
        notes.warning(method.warning)
    if float(found.joint[-1].sum()) > 1e-6 and found.p[-1] >= 0.99 * MOST_P:
        notes.caution(
            f"Phi: the precision is beyond {MOST_P:,.0f}, where Phi is 1 to all digits; intervals "
            "of central values are too wide."
        )
