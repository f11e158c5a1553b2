"""What blind evaluation found, and the forms in which to have it."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.methods.catalogue import DIAGNOSING, LABELLING
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
        """Return what ``to_dict()`` has beside data, options and notes (see docs/json.md)."""
        p = self.provenance
        return {
            "contradiction": self.contradiction,
            "method": self.method,
            "why": self.why,
            "classifiers": [_classifier(c) for c in self.classifiers],
            DIAGNOSING.name: {name: dict(fit) for name, fit in self.em.items()},
            "leaders": list(self.leaders),
            LABELLING.name: self.labels.to_dict(),
            "panel": None if self.panel is None else self.panel.to_dict(),
            "diagnostics": self.diagnostics.to_dict(),
            **(
                {"explanations": [], "gold_needed": None}
                if self.explanations is None
                else self.explanations.to_dict()
            ),
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "items": p.items,
            "items_unlabelled": p.items_unlabelled,
            "votes": p.n_votes,
            "labels": list(p.labels),
            "positive": p.positive,
            "metrics": list(p.metrics),
            "methods": list(p.methods),
            "assumptions": {name: self.methods[name].words for name in p.methods},
            "gold_items": p.gold_items,
            "crowd_items": p.crowd_items,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores with their intervals, best first (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_scores(self, ax)


def _classifier(c: JudgedClassifier) -> dict[str, Any]:
    return {
        "name": c.name,
        "group": c.group,
        "labelled": c.labelled,
        "rank": c.rank,
        "estimates": {
            method: {metric: estimate.to_dict() for metric, estimate in scores.items()}
            for method, scores in c.estimates.items()
        },
        "ranks": {method: dict(ranks) for method, ranks in c.ranks.items()},
        "actual": {metric: estimate.to_dict() for metric, estimate in c.actual.items()},
        "grades": {name: estimate.to_dict() for name, estimate in c.grades.items()},
        "confusion": {
            true: {given: estimate.to_dict() for given, estimate in row.items()}
            for true, row in c.confusion.items()
        },
    }
