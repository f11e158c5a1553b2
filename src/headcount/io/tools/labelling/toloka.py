"""Toloka: the TSV of assignments."""

from __future__ import annotations

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form

__all__ = ["Toloka"]

KEPT = ("APPROVED", "SUBMITTED", "")
_WORKER, _STATUS, _TASK = "ASSIGNMENT:worker_id", "ASSIGNMENT:status", "ASSIGNMENT:task_id"


class Toloka(Tool):
    """Assignments, with what was shown and what was answered."""

    name = "toloka"
    title = "Toloka"

    def recognises(self, document: Document) -> bool:
        """Whether there are columns of workers and of outputs."""
        columns = document.columns if document.form is Form.COLUMNS else []
        return _WORKER in columns and any(name.startswith("OUTPUT:") for name in columns)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each output as a question; control tasks and what was not accepted are dropped."""
        export, rows = Export(), document.records()
        export.records = len(rows)
        inputs = [name for name in document.columns if name.startswith("INPUT:")]
        outputs = [name for name in document.columns if name.startswith("OUTPUT:")]
        for row in rows:
            # The item is the task, or what was shown.
            shown = " | ".join(filter(None, (row.get(name, "").strip() for name in inputs)))
            item = row.get(_TASK) or shown
            status = row.get(_STATUS, "").strip()
            for output in outputs:
                question = output.removeprefix("OUTPUT:")
                if status not in KEPT:
                    export.drop("ratings", status.lower(), question)
                elif row.get(f"GOLDEN:{question}", "").strip():
                    export.drop("ratings", "control task", question)
                else:
                    export.rate(question, item, row[_WORKER], row[output])
                    pair = row.get("INPUT:left"), row.get("INPUT:right")
                    export.prefer(question, pair, row[output], row[_WORKER])
        return export
