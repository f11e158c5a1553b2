"""What :func:`headcount.blind_evaluation.dawid_skene.dawid_skene.dawid_skene` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.errors import count
from headcount.results.frames import to_frame
from headcount.results.text import wrap
from headcount.typing import Floats, Ids

__all__ = ["DawidSkeneResult"]


@dataclass(frozen=True, eq=False)
class DawidSkeneResult:
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
    notes : tuple of str
        What a reader should know.
    backend : str or None
        The kind of frame that the votes came from.
    """

    labels: tuple[str, ...]
    raters: tuple[str, ...]
    items: Ids = field(repr=False)
    prior: dict[str, float]
    confusion: dict[str, Floats]
    truth: Floats
    log_likelihood: float
    weighted: bool
    converged: bool
    n_iter: int
    votes: int
    notes: tuple[str, ...] = ()
    backend: str | None = None

    @property
    def label(self) -> NDArray[np.object_]:
        """Most probable label of each item; the first of those that tie."""
        return np.array(self.labels, dtype=object)[self.truth.argmax(axis=1)]

    @property
    def accuracy(self) -> dict[str, float]:
        """Probability that a rater gives the true label, where all items are rated alike."""
        prior = np.array(list(self.prior.values()))
        return {name: float(prior @ np.diag(m)) for name, m in self.confusion.items()}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row an item: item, label, probability.

        `backend` is polars, pandas or pyarrow; by default the kind that the votes came in, or the
        first that is installed.
        """
        found: dict[str, list[Any]] = {
            "item": self.items.tolist(),
            "label": self.label.tolist(),
            "probability": self.truth.max(axis=1).tolist(),
        }
        return to_frame(found, backend or self.backend)

    def __repr__(self) -> str:
        size = (
            f"{count(self.votes, 'vote')} on {count(len(self.items), 'item')} by "
            f"{count(len(self.raters), 'rater')}"
        )
        state = "converged after" if self.converged else "NOT converged after"
        passes = "1 pass" if self.n_iter == 1 else f"{self.n_iter:,} passes"
        head = f"Dawid-Skene: {size}, {state} {passes}"
        kind = "weighted log-likelihood" if self.weighted else "log-likelihood"
        prior = ", ".join(f"{name} {p:.2f}".replace(" 0.", " .") for name, p in self.prior.items())
        lines = [head, f"{kind} {self.log_likelihood:,.2f}; prior {prior}", *self.notes]
        return "\n".join(wrap(line, "  ") for line in lines)
