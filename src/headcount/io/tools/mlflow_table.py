"""MLflow: the table of results of an evaluation, a row for each example."""

from __future__ import annotations

from typing import Any

from headcount.io.formats.json_object import rows_in
from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form

__all__ = ["MLflowTable"]

SCORE, WHY = "/score", "/justification"


class MLflowTable(Tool):
    """Examples with the score of each metric, and why a judge gave it."""

    name = "mlflow-table"
    title = "MLflow"

    def recognises(self, document: Document) -> bool:
        """Whether a column of scores has its justifications beside it."""
        names = _names(document)
        return any(name.removesuffix(SCORE) + WHY in names for name in _scores(names))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each metric as a question, which the judge of that name answers."""
        export = Export()
        records = rows_in(document.object) or document.records()
        export.records = len(records)
        names = _names(document)
        own = find_role(names, "item")
        if own is None:
            export.notes.caution(
                f"{document.name}: no column of ids; items are numbered by row, from 1. Ratings "
                "must be numbered so too."
            )
        for column in _scores(names):
            metric = column.removesuffix(SCORE)
            for number, one in enumerate(records, 1):
                item: Any = number if own is None else one.get(names[own])
                export.predict(metric, item, metric, one.get(column))
        return export


def _names(document: Document) -> list[str]:
    """Names of columns: of text, of Parquet, or of JSON that has them apart from its rows."""
    if document.form in (Form.COLUMNS, Form.PARQUET):
        return document.columns
    rows = rows_in(document.object) if document.form is Form.OBJECT else document.head
    return list(rows[0]) if rows else []


def _scores(names: list[str]) -> list[str]:
    return [name for name in names if name.endswith(SCORE) and name != SCORE]
