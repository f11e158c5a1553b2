"""What blind evaluation found, and the forms in which to have it."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.json_document import document
from headcount.blind_evaluation.plot import plot_scores
from headcount.blind_evaluation.records import BlindRecord, JudgedClassifier
from headcount.blind_evaluation.text import page_of
from headcount.errors import unknown_name
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BlindResult"]


class BlindResult(BlindRecord):
    """Classifiers, best first, with what speaks against believing it.

    See :class:`~headcount.blind_evaluation.records.BlindRecord` for its fields: `classifiers`,
    `leaders`, `labels`, `method`, `why`, `contradiction`, `diagnostics`, `comparison`, `em`.
    ``result["name"]`` is one :class:`~headcount.blind_evaluation.records.JudgedClassifier`.
    """

    def __getitem__(self, name: str) -> JudgedClassifier:
        for classifier in self.classifiers:
            if classifier.name == name:
                return classifier
        raise unknown_name("classifier", name, [c.name for c in self.classifiers])

    def page(self) -> Page:
        """Say who is best, and show scores by all methods and signs of dependence."""
        return page_of(self)

    def drawn(self) -> dict[str, list[Any]]:
        """Return the rows that the plot shows: the first metric, by the method that ranks."""
        columns, metric = self.columns(), self.provenance.metrics[0]
        shown = [
            (one, other) == (self.method, metric)
            for one, other in zip(columns["method"], columns["metric"], strict=True)
        ]
        return {name: list(compress(values, shown)) for name, values in columns.items()}

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a classifier, method and metric."""
        rows = [
            (c, method, metric, estimate)
            for c in self.classifiers
            for method, scores in c.estimates.items()
            for metric, estimate in scores.items()
        ]
        return {
            "classifier": [c.name for c, *_ in rows],
            "group": [c.group for c, *_ in rows],
            "method": [method for _, method, *_ in rows],
            "metric": [metric for _, _, metric, _ in rows],
            **{
                part: [estimate.to_dict()[part] for *_, estimate in rows]
                for part in ("value", "low", "high")
            },
            "rank": [c.ranks.get(method, {}).get(metric) for c, method, metric, _ in rows],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to blind evaluation in the JSON document."""
        return document(self)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores with their intervals, best first (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_scores(self, ax)
