"""Phi for raters like these: how its precision changes without each rater."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.agreement.phi.inference.likelihood import Likelihood, make_likelihood
from headcount.agreement.phi.inference.posterior import (
    COARSE_STEP,
    LEAST_P,
    MOST_P,
    Posterior,
    phi_of,
)
from headcount.agreement.phi.inference.prior import Priors
from headcount.agreement.phi.methods import Method
from headcount.agreement.phi.prepare import Prepared
from headcount.agreement.raters.interval import freedom_of
from headcount.stats.intervals.base import Ends
from headcount.stats.intervals.crossed import PHI_WIDENED
from headcount.typing import Codes, Floats

__all__ = ["WidePrecision", "widen"]

MOST_GROUPS = 30
"""Times that ratings are left out: of each rater, or of groups of more raters than that."""
MOST_ITEMS = 100_000
"""Items of which ratings are left out, at most: raters differ on some as they do on all."""
LEAST_REACH, FAR = 0.05, 2.0
"""Distance in log p of the points among which a mode is looked for, at least, unless so many
standard deviations are less."""
DEEP = 3.0
"""Fall of the log density from its top to the next point below which a parabola is near it."""
MOST_STEPS = 12
LIKELY = 0.02
"""Share of the likeliest prior of mu below which others are left out."""


@dataclass(frozen=True)
class WidePrecision:
    """The logarithm of the precision, with the standard error that raters give it.

    Parameters
    ----------
    centre : float
        Posterior mean of log p.
    error : float
    freedom : float
        Degrees of freedom.
    """

    centre: float
    error: float
    freedom: float

    def ends(self, level: float) -> Ends:
        """Interval of Phi."""
        low, high = PHI_WIDENED.ends(self.centre, self.error, level, freedom=self.freedom)
        most = float(np.log(MOST_P))
        return Ends(*(float(phi_of(np.exp(np.array(min(end, most))))) for end in (low, high)))

    @property
    def above_zero(self) -> float:
        """Probability that Phi > 0, that is p > 2."""
        from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

        return float(stdtr(self.freedom, (self.centre - np.log(2)) / self.error))


def widen(data: Prepared, method: Method, found: Posterior, effective: float) -> WidePrecision:
    r"""Find the error of log p: that of the posterior, or by leaving out raters if it is more.

    .. math:: V = \max\left(V_{post}, V_J - (\tfrac{N}{n} - 1) V_{post}\right), \quad
        V_J = \tfrac{G-1}{G} \sum_g (\log p_{(g)} - \log p)^2

    where :math:`p_{(g)}` is the posterior mode without the ratings of rater g, under the priors of
    mu that are likely given all ratings. Of many raters, groups are left out; of N items, n at
    most, whose own variance is N/n times that of all. O(groups x ratings of n items).
    """
    centre, sd = found.log_precision()
    priors = _Priors.likely(found)
    some = data.some_items(MOST_ITEMS)
    part = _groups(some.rater)
    times = len(data.ids) / len(some.ids)
    # Not so far apart that the points beside the top say nothing of where it is.
    reach = min(max(sd, LEAST_REACH), FAR * sd) * times**0.5
    whole = _mode(make_likelihood(some, method), priors, centre, reach)
    change: list[float] = []
    for one in range(int(part.max()) + 1):
        rest = some.keep(part != one)
        if len(rest.ids) and not rest.unanimous:
            change.append(_mode(make_likelihood(rest, method), priors, centre, reach) - whole)
    groups = len(change)
    jackknife = (groups - 1) / max(groups, 1) * float(np.square(change).sum())
    jackknife = max(jackknife - (times - 1) * sd**2, 0.0)
    freedom = freedom_of(min(effective, groups))
    variance = max(sd**2, jackknife)
    # All that is left of a posterior is normal; what raters add has few degrees of freedom.
    share = jackknife / variance
    return WidePrecision(centre, float(np.sqrt(variance)), freedom / share**2 if share else 1e6)


@dataclass(frozen=True, eq=False)
class _Priors:
    """Priors of mu that are likely, and the logarithms of their probabilities."""

    priors: Priors
    log_share: Floats

    @classmethod
    def likely(cls, found: Posterior) -> _Priors:
        share = found.joint.sum(axis=0)
        kept = np.flatnonzero(share > LIKELY * share.max())
        return cls(found.priors.take(kept), np.log(share[kept]))


def _mode(like: Likelihood, of: _Priors, centre: float, reach: float) -> float:
    """Find where the density of log p is highest, by a parabola through the highest points."""
    for _ in range(MOST_STEPS):
        x = np.clip(centre + reach * np.arange(-2, 3), np.log(LEAST_P), np.log(MOST_P))
        y = np.array([_log_posterior(like, of, float(one)) for one in x])
        top = int(y.argmax())
        centre = float(x[top])
        if top in (0, 4):
            reach *= 2
            continue
        left, middle, right = y[top - 1 : top + 2]
        bend = left - 2 * middle + right
        centre += reach * (left - right) / (2 * bend) if bend < 0 else 0.0
        if middle - min(left, right) < DEEP:
            break
        reach /= 4
    return float(centre)


def _log_posterior(like: Likelihood, of: _Priors, log_p: float) -> float:
    p = float(np.exp(log_p))
    each = like.at(p, of.priors, COARSE_STEP) + of.log_share
    top = float(each.max())
    flat = 0.0 if like.flat_in_p else p * np.log(2) / 2
    return top + float(np.log(np.exp(each - top).sum())) + log_p - flat


def _groups(rater: Codes) -> Codes:
    """Part of each rating: its rater, or one of a few groups of raters of about equal work."""
    _, code, given = np.unique(rater, return_inverse=True, return_counts=True)
    if len(given) <= MOST_GROUPS:
        return code
    part = np.empty(len(given), dtype=np.int64)
    part[np.argsort(-given, kind="stable")] = np.arange(len(given)) % MOST_GROUPS
    return part[code]
