"""Phoenix: annotations of spans, traces and sessions, and runs of experiments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount.data.vocabulary import number_of
from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form
from headcount.io.tools.values import as_dict, as_list, text_of

__all__ = ["Phoenix"]

KINDS = ("HUMAN", "LLM", "CODE")
SUBJECTS = ("span_id", "trace_id", "session_id")


class Phoenix(Tool):
    """Annotations by people, models and code."""

    name = "phoenix"
    title = "Phoenix"

    def recognises(self, document: Document) -> bool:
        """Whether annotations say what kind of annotator gave them, and of what."""
        if document.form is Form.COLUMNS:
            names = set(document.columns)
            return "annotator_kind" in names and bool(names & set(SUBJECTS))
        if document.head and all(map(_is_run, document.head)):
            return any(one["annotations"] for one in document.head)
        found = _annotations(document, document.head)
        return bool(found) and all(
            one.get("annotator_kind") in KINDS and any(name in one for name in SUBJECTS)
            for one in found
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read annotations of people as ratings, and of models and code as predictions."""
        export = Export()
        nested = isinstance(document.object.get("data"), list)
        found = _annotations(document, [] if nested else document.records())
        export.records = len(found)
        labelled = {_name(one) for one in found if _result(one, "label") is not None}
        for one in found:
            human, name = one.get("annotator_kind") == "HUMAN", _name(one)
            if name == "note":
                export.drop("ratings", "note")
                continue
            if one.get("error") and _result(one, "label") is None and _result(one, "score") is None:
                export.drop("ratings" if human else "predictions", "error", name)
                continue
            item = _item(one)
            label = _result(one, "label")
            question = name
            if label is None:
                label = _result(one, "score")
                question = f"{name}.score" if name in labelled else name
            if human:
                export.rate(question, item, one.get("user_id") or one.get("identifier"), label)
            else:
                who = [text_of(one.get(key)) for key in ("annotator_kind", "identifier")]
                name = " ".join(filter(None, who))
                export.predict(question, item, name, label)
                if question == _name(one):
                    export.score(question, item, name, _score(one))
        export.add_scores()
        if document.object.get("next_cursor"):
            export.notes.warning(
                f"{document.name}: one page of several, as its next_cursor says; annotations of "
                "the other pages are missing. Ask the API for more of them with a higher limit."
            )
        return export


def _annotations(document: Document, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    data = document.object.get("data")
    if isinstance(data, list):
        return [as_dict(one) for one in as_list(data)]
    if not records or not all(map(_is_run, records)):
        return records
    several = any(run.get("repetition_number", 1) != 1 for run in records)
    return [
        as_dict(one) | {"result": one, "span_id": _run_name(run, several)}
        for run in records
        for one in as_list(run["annotations"])
    ]


def _is_run(one: Mapping[str, Any]) -> bool:
    """Whether a record is a run of an experiment, with what evaluators say of it."""
    return {"example_id", "output"} <= set(one) and isinstance(one.get("annotations"), list)


def _run_name(run: Mapping[str, Any], several: bool) -> str:
    own = str(run["example_id"])
    return f"{own}#{run.get('repetition_number', 1)}" if several else own


def _item(one: Mapping[str, Any]) -> str | None:
    """Name what was annotated; a document that was retrieved is an item of its own."""
    item = next((str(one[key]) for key in SUBJECTS if one.get(key)), None)
    place = text_of(one.get("document_position"))
    return item if item is None or place is None else f"{item}#{place}"


def _score(one: Mapping[str, Any]) -> float | None:
    """Return the number beside a label; that of a table is a text."""
    if _result(one, "label") is None:
        return None
    return number_of(_result(one, "score") or "")


def _name(one: Mapping[str, Any]) -> str:
    return str(one.get("annotation_name") or one.get("name"))


def _result(one: Mapping[str, Any], field: str) -> str | None:
    return text_of(as_dict(one.get("result")).get(field, one.get(f"result.{field}")))
