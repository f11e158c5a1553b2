"""The JSON document of blind evaluation."""

from __future__ import annotations

from typing import Any

from headcount.blind_evaluation.methods.catalogue import DIAGNOSING, LABELLING
from headcount.blind_evaluation.records import BlindRecord, JudgedClassifier

__all__ = ["document"]


def document(result: BlindRecord) -> dict[str, Any]:
    """Write what is particular to it; what all documents share is in results/base.py."""
    p = result.provenance
    return {
        "contradiction": result.contradiction,
        "method": result.method,
        "why": result.why,
        "by_explanations": result.by_explanations,
        "approximate": result.is_approximate,
        "confusion_approximate": result.confusion_is_approximate,
        "classifiers": [_classifier(c) for c in result.classifiers],
        DIAGNOSING.name: {name: dict(fit) for name, fit in result.em.items()},
        "leaders": list(result.leaders),
        LABELLING.name: result.labels.to_dict(),
        "panel": None if result.panel is None else result.panel.to_dict(),
        "diagnostics": None if result.diagnostics is None else result.diagnostics.to_dict(),
        **(
            {"explanations": [], "gold_needed": None, "unexplained": []}
            if result.explanations is None
            else result.explanations.to_dict()
        ),
        "comparison": None if result.comparison is None else result.comparison.to_dict(),
        "items": p.items,
        "items_unlabelled": p.items_unlabelled,
        "votes": p.n_votes,
        "labels": list(p.labels),
        "positive": p.positive,
        "metrics": list(p.metrics),
        "methods": list(p.methods),
        "assumptions": {name: result.methods[name].words for name in p.methods},
        "gold_items": p.gold_items,
        "crowd_items": p.crowd_items,
    }


def _classifier(c: JudgedClassifier) -> dict[str, Any]:
    return {
        "name": c.name,
        "group": c.group,
        "labelled": c.labelled,
        "rank": c.rank,
        "score": c.score.to_dict(),
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
