"""The JSON document of the judge card."""

from __future__ import annotations

from typing import Any

from headcount.judging.records import JudgeRecord

__all__ = ["document"]

PANELS = ("everyone", "best", "classifiers", "same")
"""What the card has of panels; every panel that was scored would be most of the document."""


def document(result: JudgeRecord) -> dict[str, Any]:
    """Write what is particular to it; what all documents share is in results/base.py."""
    p, report, together = result.provenance, result.agreement.report, result.together
    panels = None if result.panels is None else result.panels.document()
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
        "panels": None if panels is None else {name: panels[name] for name in PANELS},
        "positive": p.positive,
        "by": p.by,
    }
