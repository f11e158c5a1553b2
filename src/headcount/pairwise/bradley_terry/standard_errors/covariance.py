"""How far the parameters of a fit may be off, and how two of them go together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from headcount.typing import Floats

__all__ = ["Covariance"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Covariance:
    """Covariance of all parameters: ratings, slopes, the advantage of the left side and the cut.

    Parameters
    ----------
    variance : (parameters,) array
        nan where there is none.
    matrix : (parameters, parameters) array or None
        All of it, where it was written down; 0 with parameters that have none.
    gap : callable or None
        Variance of a difference of two ratings, by their positions, where `matrix` is None.
    df : (parameters,) array
        Degrees of freedom of each variance; infinite for normal intervals.
    method : str
        How it was found, in words.
    """

    variance: Floats
    matrix: Floats | None
    gap: Callable[[int, int], float] | None
    df: Floats
    method: str

    @property
    def errors(self) -> Floats:
        """Standard errors."""
        # Rounding may leave a variance that is 0 just below it.
        return np.sqrt(np.maximum(self.variance, 0.0))

    def of_gap(self, i: int, j: int) -> float:
        """Variance of the difference of two ratings."""
        if self.matrix is not None:
            m = self.matrix
            return max(float(m[i, i] + m[j, j] - 2 * m[i, j]), 0.0)
        if self.gap is not None:
            return self.gap(i, j)
        return float(self.variance[i] + self.variance[j])
