"""Langfuse: scores of the API and of blob exports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form
from headcount.io.tools.values import as_dict, as_list

__all__ = ["Langfuse"]

SOURCES = ("ANNOTATION", "API", "EVAL")
TYPES = ("NUMERIC", "BOOLEAN", "CATEGORICAL", "TEXT", "CORRECTION")
SUBJECTS = ("observationId", "traceId", "sessionId", "datasetRunId")


class Langfuse(Tool):
    """Scores of traces by annotators, evaluators and the API."""

    name = "langfuse"
    title = "Langfuse"

    def recognises(self, document: Document) -> bool:
        """Whether scores have a source and a type of data."""
        if document.form in (Form.COLUMNS, Form.PARQUET):
            return {"source", "data_type", "string_value", "trace_id"} <= set(document.columns)
        scores = _scores(document, document.head)
        return bool(scores) and all(
            one.get("source") in SOURCES and _get(one, "dataType") in TYPES for one in scores
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read annotations as ratings, and scores of evaluators and the API as predictions."""
        export = Export()
        nested = isinstance(document.object.get("data"), list)
        scores = _scores(document, [] if nested else document.records())
        export.records = len(scores)
        for one in scores:
            kind = "ratings" if one.get("source") == "ANNOTATION" else "predictions"
            type_, question = str(_get(one, "dataType")), str(one.get("name"))
            if type_ in ("TEXT", "CORRECTION"):
                export.drop(kind, type_.lower())
                continue
            label = _value(one, type_)
            if kind == "ratings":
                export.rate(question, _item(one), _get(one, "authorUserId"), label)
            else:
                who = _get(one, "evaluatorId") or one.get("source")
                export.predict(question, _item(one), who, label)
        about = as_dict(document.object.get("meta"))
        total = about.get("totalItems")
        if about.get("cursor") or (isinstance(total, int) and total > len(scores)):
            export.notes.warning(
                f"{document.name}: one page of several, as its meta says; scores of the other "
                "pages are missing. Ask the API for all pages."
            )
        if any(one.get("source") == "API" for one in scores):
            export.notes.caution(
                f"{document.name}: scores from the source API are read as those of a classifier; "
                "if they are the feedback of people, they are ratings."
            )
        return export


def _scores(document: Document, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    data = document.object.get("data")
    return [as_dict(one) for one in as_list(data)] if isinstance(data, list) else records


def _get(one: Mapping[str, Any], name: str) -> Any:
    """Return a field, in camel case as by the API or in snake case as in blobs."""
    snake = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)
    value = one.get(name)
    return one.get(snake) if value is None else value


def _item(one: Mapping[str, Any]) -> Any:
    found = next((value for name in SUBJECTS if (value := _get(one, name))), None)
    return found or as_dict(one.get("subject")).get("id")


def _value(one: Mapping[str, Any], type_: str) -> Any:
    value = one.get("value")
    if type_ == "CATEGORICAL":
        return _get(one, "stringValue") or value
    if type_ == "BOOLEAN" and value is not None:
        return str(value).lower() in ("1", "1.0", "true")
    return value
