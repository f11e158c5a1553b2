"""What blind evaluation found, and the forms in which to have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.blind_evaluation.methods.catalogue import METHODS
from headcount.blind_evaluation.text import report
from headcount.errors import unknown_name
from headcount.results.frames import to_frame
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from headcount.blind_evaluation.comparison.comparison import Comparison
    from headcount.blind_evaluation.dependence.dependence import Diagnostics

__all__ = ["BlindProvenance", "BlindResult", "JudgedClassifier"]


@dataclass(frozen=True)
class BlindProvenance:
    """How a result came about."""

    version: str
    source: str
    items: int
    items_unlabelled: int
    distinct_rows: int
    n_votes: int
    labels: tuple[str, ...]
    positive: str | None
    metrics: tuple[str, ...]
    methods: tuple[str, ...]
    gold_items: int
    crowd_items: int
    bootstrap: int
    level: float
    seed: int | None
    backend: str | None


@dataclass(frozen=True)
class JudgedClassifier:
    """How good a classifier is, by every method and metric.

    Parameters
    ----------
    name : str
    group : str or None
    labelled : int
        Items that it labelled.
    estimates : mapping of method to mapping of metric to Estimate
    ranks : mapping of method to mapping of metric to int
        1 is best; classifiers that a test does not tell apart share a rank. Without those that
        have no tests.
    actual : mapping of metric to Estimate
        Scores on the gold labels; empty without gold.
    rank : int or None
        By the result's method and first metric.
    """

    name: str
    group: str | None
    labelled: int
    estimates: Mapping[str, Mapping[str, Estimate]]
    ranks: Mapping[str, Mapping[str, int | None]]
    actual: Mapping[str, Estimate]
    rank: int | None


@dataclass(frozen=True, repr=False)
class BlindResult:
    """Classifiers, best first, with what speaks against believing it.

    Parameters
    ----------
    classifiers : tuple of JudgedClassifier
        Best first, by `method` and the first metric; ``result["name"]`` finds one.
    method : str
        The method that ranks them.
    why : str
        Why that one.
    contradiction : str or None
        How gold contradicts the blind ranking, if it does.
    diagnostics : Diagnostics
        Signs of dependence between classifiers.
    comparison : Comparison or None
        Estimated against actual scores; only if asked for.
    em : mapping of str to object
        Of Dawid-Skene, by method: prior, log-likelihood, converged, iterations.
    provenance : BlindProvenance
        Data, options and version.
    notes : tuple of str
        Warnings, and what was left out, in sentences.
    """

    classifiers: tuple[JudgedClassifier, ...]
    method: str
    why: str
    contradiction: str | None
    diagnostics: Diagnostics
    comparison: Comparison | None
    em: Mapping[str, Mapping[str, Any]]
    provenance: BlindProvenance
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> JudgedClassifier:
        for classifier in self.classifiers:
            if classifier.name == name:
                return classifier
        raise unknown_name("classifier", name, [c.name for c in self.classifiers])

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``headcount blind --json`` prints (see docs/json.md)."""
        p = self.provenance
        return {
            "contradiction": self.contradiction,
            "method": self.method,
            "why": self.why,
            "classifiers": [_classifier(c) for c in self.classifiers],
            "em": {name: dict(fit) for name, fit in self.em.items()},
            "diagnostics": self.diagnostics.to_dict(),
            "comparison": None if self.comparison is None else self.comparison.to_dict(),
            "items": p.items,
            "items_unlabelled": p.items_unlabelled,
            "votes": p.n_votes,
            "labels": list(p.labels),
            "positive": p.positive,
            "metrics": list(p.metrics),
            "methods": list(p.methods),
            "assumptions": {name: METHODS[name].words for name in p.methods},
            "gold_items": p.gold_items,
            "crowd_items": p.crowd_items,
            "bootstrap": p.bootstrap,
            "level": p.level,
            "seed": p.seed,
            "version": p.version,
            "notes": list(self.notes),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row a classifier, method and metric, as the kind of frame that came in."""
        rows = [
            (c, method, metric, estimate)
            for c in self.classifiers
            for method, scores in c.estimates.items()
            for metric, estimate in scores.items()
        ]
        columns: dict[str, list[Any]] = {
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
        return to_frame(columns, backend or self.provenance.backend)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the scores with their intervals, best first (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.blind_evaluation.plot import plot_scores

        return plot_scores(self, ax)

    def __repr__(self) -> str:
        return report(self)


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
    }
