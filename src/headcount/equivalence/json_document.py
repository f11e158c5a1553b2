"""The JSON document of a survey equivalence analysis."""

from __future__ import annotations

from typing import Any

from headcount.equivalence.records import ClassifierResult, CurvePoint, SurveyRecord

__all__ = ["document"]


def document(result: SurveyRecord) -> dict[str, Any]:
    """Write what is particular to it; what all documents share is in results/base.py."""
    p, tested = result.provenance, result.alt_test
    low, median, high = p.ratings_per_item
    return {
        "curve": [_point(point) for point in result.curve],
        "classifiers": [_classifier(result, c) for c in result.classifiers],
        "ceiling": None if result.ceiling is None else result.ceiling.to_dict(),
        "comparisons": [
            {"a": c.a, "b": c.b, "raters": c.raters.to_dict(), "p_a_better": c.p_a_better}
            for c in result.comparisons
        ],
        "alt_test": None
        if tested is None
        else {**tested.document(), "notes": [str(note) for note in tested.notes]},
        "reliability": [r.to_dict() for r in result.reliability],
        "experts": {"amateurs": [_point(point) for point in result.amateurs]}
        if result.amateurs
        else None,
        "items": {"used": p.items_used, "dropped": p.items_dropped},
        "ratings": {"min": low, "median": median, "max": high},
        "labels": list(p.labels),
        "combiner": p.combiner,
        "scorer": p.scorer,
        "unit": p.unit,
        "positive": p.positive,
        "reference": p.reference,
        "reference_raters": p.reference_raters,
        "max_k": p.max_k,
        "method": p.method,
        "holds_for": f"for {p.raters.words}",
    }


def _classifier(result: SurveyRecord, c: ClassifierResult) -> dict[str, Any]:
    ratio = None if result.ceiling is None else result.ceiling.performance_ratio[c.name].to_dict()
    return {
        "name": c.name,
        "calibration": c.calibration,
        "score": c.score.to_dict(),
        "gain": c.gain.to_dict(),
        "equivalence": c.equivalence.to_dict(),
        "integer_equivalence": c.integer_equivalence.to_dict(),
        "like_these": None if c.like_these is None else c.like_these.to_dict(),
        "p_beats": None if c.p_beats is None else list(c.p_beats),
        "performance_ratio": ratio,
        "with_raters": [_point(point) for point in c.with_raters],
    }


def _point(point: CurvePoint) -> dict[str, Any]:
    out: dict[str, Any] = {
        "k": point.k,
        "score": point.score.to_dict(),
        "gain": point.gain.to_dict(),
    }
    if point.equivalence is not None:
        out["equivalence"] = point.equivalence.to_dict()
    return out
