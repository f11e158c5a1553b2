"""The JSON document of agreement; each coefficient is a key."""

from __future__ import annotations

from typing import Any

from headcount.agreement.phi.records import NAME
from headcount.agreement.recommendation.recommendation import Report
from headcount.agreement.records import Agreement, as_json

__all__ = ["document"]


def document(result: Agreement) -> dict[str, Any]:
    """Write what is particular to it; what all documents share is in results/base.py."""
    p = result.provenance
    low, median, high = p.ratings_per_item
    return {
        **{
            name: {**as_json(estimate), "holds_for": result.holds_for(name)}
            for name, estimate in result.coefficients.items()
        },
        NAME: None if result.phi is None else result.phi.document(),
        "report": None if result.report is None else _report(result.report),
        "bland_altman": None if result.bland_altman is None else result.bland_altman.to_dict(),
        "holds_for": result.scope.words,
        "these_raters": {n: as_json(e) for n, e in result.these_raters.items()},
        "analytic": {name: as_json(estimate) for name, estimate in result.analytic.items()},
        "assumptions": {name: one.assumes for name, one in result.kinds.items()},
        "retest": None if result.retest is None else result.retest.to_dict(),
        "raters": [rater.to_dict() for rater in result.raters],
        "pairs": [pair.to_dict() for pair in result.pairs],
        "categories": [category.to_dict() for category in result.categories],
        "items": [item.to_dict() for item in result.items],
        "scale": p.scale,
        "scale_guessed": p.scale_guessed,
        "distance": p.distance,
        "members": list(p.members),
        "labels": list(p.labels),
        "n_items": {
            "used": p.items_used,
            "single": p.items_single,
            "unrated": p.items_unrated,
        },
        "n_ratings": p.n_ratings,
        "n_raters": p.n_raters,
        "ratings_per_item": {"min": low, "median": median, "max": high},
    }


def _report(report: Report) -> dict[str, Any]:
    """Give what to report, as JSON."""
    return {
        "coefficient": report.name,
        "title": report.title,
        **as_json(report.estimate),
        "at_least": [
            {"benchmark": least, "probability": p} for least, p in report.at_least.items()
        ],
        "verdict": report.verdict or None,
        "why": report.why or None,
        "sentence": report.sentence,
        "others": [{"coefficient": one.name, "why": one.why} for one in report.others],
    }
