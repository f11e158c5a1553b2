"""The prior of central values: two mirrored Betas, whose spread and distance are learned."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.typing import Floats

__all__ = ["ONE", "Priors"]


ONE = np.pi / 2
"""Angle at which the two Betas are one and the same."""
LEAST = 0.03
"""Spread within a half, relative to the largest of a grid, below which it is none. That moves Phi
of four items by 4e-5."""
NO_SPREAD = 1e-9
"""Square of a spread below which a Beta is taken for a point."""


@dataclass(frozen=True, eq=False)
class Priors:
    r"""Priors of mu, several at a time: half Beta(a, b), half Beta(b, a).

    A prior that is the same from both ends of the scale gives an item and its mirror image the same
    likelihood, so that Phi does not depend on which items are turned around. Two halves let the
    central values be anywhere: all of them near one end as well as in the middle.

    Parameters
    ----------
    spread : (priors,) array
        Twice the standard deviation of mu, :math:`s`, from 0 (all 1/2) to 1 (all 0 or 1).
    angle : (priors,) array
        How the spread is shared: :math:`d = s \cos\alpha` is the distance of the halves' means,
        :math:`(1 \pm d)/2`, and :math:`s \sin\alpha` is left to the spread within them. At
        :math:`\pi/2` both are Beta(k/2, k/2), at 0 they are two points.

    Examples
    --------
    >>> priors = Priors(np.array([1 / np.sqrt(3), 0.8]), np.array([ONE, 0.0]))
    >>> priors.distance.round(3), priors.precision.round(3)
    (array([0. , 0.8]), array([ 2., inf]))
    """

    spread: Floats
    angle: Floats

    @classmethod
    def grid(cls, spread: Floats, angle: Floats) -> Priors:
        """All pairs of a spread and an angle; the angle changes first.

        Halves that are much narrower than others on the grid would need very many nodes. They are
        made points, whose distance is all of the spread, so that the variance of mu stays.
        """
        s, alpha = np.repeat(spread, len(angle)), np.tile(angle, len(spread))
        within = s * np.sin(alpha)
        return cls(s, np.where(within < LEAST * within.max(), 0.0, alpha))

    def __len__(self) -> int:
        return len(self.spread)

    def take(self, rows: NDArray[np.intp]) -> Priors:
        """Keep some."""
        return Priors(self.spread[rows], self.angle[rows])

    @property
    def distance(self) -> Floats:
        """Distance of the means of the two halves."""
        return np.where(self.angle < ONE, self.spread * np.cos(self.angle), 0.0)

    @property
    def precision(self) -> Floats:
        """The a + b of the two halves; infinite if they are points."""
        room = 1 - self.distance**2
        within = (self.spread * np.sin(self.angle)) ** 2
        share = np.where(room > NO_SPREAD, within / np.maximum(room, NO_SPREAD), 1.0)
        with np.errstate(divide="ignore"):
            return np.where(share > NO_SPREAD, 1 / share - 1, np.inf)
