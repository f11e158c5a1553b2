"""The JSON document of the judge card."""

from __future__ import annotations

from typing import Any

from headcount.judging.records import JudgeRecord

__all__ = ["document"]


def document(result: JudgeRecord) -> dict[str, Any]:
    """Write what is particular to it; what all documents share is in results/base.py."""
    p, report, together = result.provenance, result.agreement.report, result.together
    return {
        "gate": None if result.gate is None else result.gate.to_dict(),
        "answers": [one.to_dict() for one in result.answers],
        "judges": [one.to_dict() for one in result.judges],
        "agreement": None
        if report is None
        else {"coefficient": report.name, **report.estimate.to_dict()},
        "comparisons": result.survey.document()["comparisons"],
        "alt_test": None if result.alt_test is None else result.alt_test.document(),
        "rate": None if result.rate is None else result.rate.document(),
        "panel": None if together is None or together.panel is None else together.panel.to_dict(),
        "positive": p.positive,
        "by": p.by,
    }
