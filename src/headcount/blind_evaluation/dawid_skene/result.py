"""What :func:`headcount.dawid_skene` returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.dawid_skene.plot import plot_raters
from headcount.blind_evaluation.dawid_skene.records import DawidSkeneRecord
from headcount.blind_evaluation.dawid_skene.text import page_of
from headcount.results.arrays import to_json
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DawidSkeneResult"]


class DawidSkeneResult(DawidSkeneRecord):
    """True labels of items and errors of raters, by Dawid and Skene's EM.

    See :class:`~headcount.blind_evaluation.dawid_skene.records.DawidSkeneRecord` for its fields:
    `label`, `truth`, `confusion`, `accuracy`, `prior`, `log_likelihood`, `converged` and others.
    """

    def page(self) -> Page:
        """Say how the fit went, how common labels are, and how good raters seem."""
        return page_of(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item: item, label, probability."""
        return {
            "item": self.items.tolist(),
            "label": self.label.tolist(),
            "probability": self.truth.max(axis=1).tolist(),
        }

    def document(self) -> dict[str, Any]:
        """Return items with their probabilities, raters with their errors, and the fit."""
        columns, accuracy = self.columns(), self.accuracy
        rows = zip(*columns.values(), self.truth, strict=True)
        return {
            "items": [
                {
                    "item": item,
                    "label": label,
                    "probability": probability,
                    "probabilities": dict(zip(self.labels, to_json(row), strict=True)),
                }
                for item, label, probability, row in rows
            ],
            "raters": [
                {"rater": name, "accuracy": accuracy[name], "confusion": to_json(table)}
                for name, table in self.confusion.items()
            ],
            "labels": list(self.labels),
            "prior": dict(self.prior),
            "log_likelihood": self.log_likelihood,
            "weighted": self.weighted,
            "converged": self.converged,
            "iterations": self.n_iter,
            "smoothing": self.provenance.smoothing,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how often each rater is right, best first, in all and by true label.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_raters(self, ax)
