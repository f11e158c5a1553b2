"""What is found of Phi, as plain records."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.agreement.phi.inference.mu import RatedItems
from headcount.agreement.phi.inference.posterior import Posterior
from headcount.results.base import Result
from headcount.stats.estimate import Estimate

__all__ = ["CHANCE", "NAME", "TITLE", "PhiFit", "PhiRecord"]

NAME, TITLE = "phi", "Phi"
"""For programs and for people, as a coefficient has them."""
CHANCE = "uniform spread over the scale"
"""What gives a Phi of 0."""


@dataclass(frozen=True, eq=False, kw_only=True)
class PhiFit:
    """Phi with its posterior, from plain arrays.

    Parameters
    ----------
    estimate : Estimate
        Posterior mean and highest-density interval; or why there is none.
    map : float or None
        Where the posterior density is highest.
    p_positive : float or None
        Posterior probability that Phi > 0.
    unanimous : bool
        Whether the raters of every item agree in full. Phi is then 1 by definition.
    spread : float or None
        Posterior mean of 2 sd(mu), which the unbiased method learns, for items turned at random:
        0 if all have their central value in the middle of the scale, .58 if it is anywhere, 1 if
        it is at either end.
    posterior : Posterior or None
        The grid behind the numbers.
    rated : RatedItems or None
        What central values are found from.
    these_raters : Estimate or None
        With an interval for these raters, where that of `estimate` holds for raters like these.
    fitted : Estimate or None
        What the model gave, where it is withheld.
    withheld : str or None
        Why it is withheld: what does not fit the model.
    closer : bool
        Whether ratings of an item are closer together than random ones, so that it is no
        disagreement, whatever Phi is.
    """

    estimate: Estimate
    map: float | None = None
    p_positive: float | None = None
    unanimous: bool = False
    spread: float | None = None
    posterior: Posterior | None = None
    rated: RatedItems | None = None
    these_raters: Estimate | None = None
    fitted: Estimate | None = None
    withheld: str | None = None
    closer: bool = False


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PhiRecord(Result):
    """Phi with its posterior, and how it was measured.

    Parameters
    ----------
    estimate, map, p_positive, unanimous, spread, posterior, rated, these_raters, fitted,
    withheld, closer
        As in :class:`PhiFit`.
    method : str
        Name of the way in which it was measured.
    limits : (float, float) or None
        Ends of the scale.
    points : int or None
        Equally spaced points on it; None if ratings are continuous.
    """

    estimate: Estimate
    map: float | None
    p_positive: float | None
    method: str
    limits: tuple[float, float] | None
    points: int | None
    unanimous: bool = False
    spread: float | None = None
    posterior: Posterior | None = None
    rated: RatedItems | None = None
    these_raters: Estimate | None = None
    fitted: Estimate | None = None
    withheld: str | None = None
    closer: bool = False

    @property
    def agreed_by_these(self) -> bool:
        """Whether these raters agree by an interval of their own, and others like them may not."""
        these, low = self.these_raters, self.estimate.low
        if these is None or these.low is None or low is None:
            return False
        return these.low > 0 >= low
