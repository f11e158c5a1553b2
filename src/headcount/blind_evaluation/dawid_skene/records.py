"""What Dawid and Skene's model says of items and raters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.typing import Floats, Ids

__all__ = ["DawidSkeneProvenance", "DawidSkeneRecord"]


@dataclass(frozen=True, kw_only=True)
class DawidSkeneProvenance(Provenance):
    """How a fit came about: `smoothing` and `restarts` beside what every result tells."""

    smoothing: float
    restarts: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DawidSkeneRecord(Result):
    """True labels of items and errors of raters, by Dawid and Skene's EM.

    Parameters
    ----------
    labels, raters : tuple of str
    items : array
        The items with votes.
    prior : dict of label to float
        How common each true label is.
    confusion : dict of rater to (labels, labels) array
        Probability of what a rater gives (column) where a label is true (row).
    truth : (items, labels) array
        Probability that a label is true.
    log_likelihood : float
        Of all votes; a pseudo-likelihood if they are weighted.
    weighted : bool
        Whether groups weigh as one rater each.
    converged : bool
    n_iter : int
        Passes over the votes.
    votes : int
    """

    provenance: DawidSkeneProvenance
    labels: tuple[str, ...]
    raters: tuple[str, ...]
    items: Ids
    prior: dict[str, float]
    confusion: dict[str, Floats]
    truth: Floats
    log_likelihood: float
    weighted: bool
    converged: bool
    n_iter: int
    votes: int

    @property
    def label(self) -> NDArray[np.object_]:
        """Most probable label of each item; the first of those that tie."""
        return np.array(self.labels, dtype=object)[self.truth.argmax(axis=1)]

    @property
    def accuracy(self) -> dict[str, float]:
        """Probability that a rater gives the true label, where all items are rated alike."""
        prior = np.array(list(self.prior.values()))
        return {name: float(prior @ np.diag(m)) for name, m in self.confusion.items()}

    @property
    def backend(self) -> str | None:
        """The kind of frame that the votes came from."""
        return self.provenance.backend
