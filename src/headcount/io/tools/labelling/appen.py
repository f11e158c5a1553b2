"""Appen, once Figure Eight and CrowdFlower: the full report of a job."""

from __future__ import annotations

from typing import Any

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form

__all__ = ["Appen"]

_UNIT, _WORKER = "_unit_id", "_worker_id"
_GOLD, _TRUE = "_gold", ("true", "1")
_SEVERAL = "\n"
"""Between the answers of one worker to a question that takes several."""


class Appen(Tool):
    """Judgments, with the unit, the worker and what each column of answers says."""

    name = "appen"
    title = "Appen"
    kinds = ("ratings",)

    def recognises(self, document: Document) -> bool:
        """Whether there are columns of units and workers, as in every full report."""
        names = document.columns if document.form is Form.COLUMNS else []
        return {_UNIT, _WORKER} <= set(names) and "_trust" in names

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each column of answers as a question; test questions are dropped."""
        export, rows = Export(), document.records()
        export.records = len(rows)
        for question in _questions(document.columns, rows):
            for row in rows:
                if row.get("_golden", "").strip().lower() in _TRUE:
                    export.drop("ratings", "test question", question)
                elif row.get("_tainted", "").strip().lower() in _TRUE:
                    export.drop("ratings", "tainted", question)
                else:
                    answers = [part for part in row[question].split(_SEVERAL) if part.strip()]
                    export.rate(question, row[_UNIT], row[_WORKER], answers)
        return export


def _questions(names: list[str], rows: list[dict[str, Any]]) -> list[str]:
    """Columns of answers: those that have a twin of gold answers, or else differ in some unit."""
    twins = [name for name in names if f"{name}{_GOLD}" in names]
    if twins:
        return twins
    own = [name for name in names if not name.startswith("_") and not name.endswith(_GOLD)]
    return [name for name in own if _differs(name, rows)]


def _differs(name: str, rows: list[dict[str, Any]]) -> bool:
    """Whether workers say different things of one unit, as they do not of what they are shown."""
    seen: dict[str, str] = {}
    return any(seen.setdefault(row[_UNIT], row[name]) != row[name] for row in rows)
