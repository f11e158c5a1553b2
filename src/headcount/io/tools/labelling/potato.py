"""Potato: files of users, pooled files and exports, of versions 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.contents.json_text import parsed
from headcount.io.tools.document import Document, Form
from headcount.io.tools.values import as_dict, as_list, text_of

__all__ = ["Potato"]

FILES = ("annotated_instances.jsonl", "user_state.json")
STATE = "instance_id_to_label_to_value"
TEXTS = ("free_response", "text_box", "bad_text")
PERSON = "human"
"""The origin of people; whatever else a file names is a machine."""
NO_LABELS = ("_spans", "_room", "_room_id")
"""What columns of a schema hold beside its labels: spans, and the room of a discussion."""
_TICKED = ("true", "True", "on")
_OWN = (
    "instance_id", "user_id", "user", "displayed_text", "annotator_origin",
    "annotator_origin_detail",
)  # fmt: skip


class _Answers(NamedTuple):
    """What one user says of one item: by schema, the labels and their values."""

    item: Any
    user: Any
    labels: dict[str, dict[str, Any]]
    machine: bool = False


class Potato(Tool):
    """Labels by schema, for each user and item."""

    name = "potato"
    title = "Potato"

    def recognises(self, document: Document) -> bool:
        """Whether records have labels by schema, or columns of schemas and labels."""
        if document.form is Form.ARCHIVE:
            names = [PurePosixPath(name) for name in document.members]
            return any(name.name in FILES and len(name.parts) == 2 for name in names)
        if document.form is Form.COLUMNS:
            columns = document.columns
            first = {"user", "instance_id"} <= set(columns) and any(":::" in c for c in columns)
            second = columns[:2] == ["instance_id", "user_id"] and any("." in c for c in columns)
            return first or second
        if document.form is Form.PARQUET:
            return document.columns[:2] == ["instance_id", "user_id"]
        if isinstance(document.object.get(STATE), dict):
            return True
        return bool(document.head) and all(map(_is_record, document.head))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each schema as a question; answers of tools and models are predictions."""
        export = Export()
        answers = list(self._answers(document))
        export.records = len(answers)
        for schema in dict.fromkeys(name for one in answers for name in one.labels):
            for one in answers:
                label = _label(one.labels.get(schema, {}))
                if label is None:
                    continue
                if one.machine:
                    export.drop("ratings", "machine rater (predictions)", schema)
                    export.predict(schema, one.item, one.user, label)
                else:
                    export.rate(schema, one.item, one.user, label)
        return export

    def _answers(self, document: Document) -> Iterator[_Answers]:
        if document.form is Form.ARCHIVE:
            for name in document.members:
                place = PurePosixPath(name)
                if place.name in FILES and len(place.parts) == 2:
                    yield from self._of_file(document.member(name), place.parts[0])
        else:
            yield from self._of_file(document, document.path.resolve().parent.name)

    def _of_file(self, document: Document, folder: str) -> Iterator[_Answers]:
        """Answers of one file; of one user, called as the folder, if it does not name them."""
        if document.form in (Form.COLUMNS, Form.PARQUET):
            yield from map(_of_row, document.records())
            return
        if STATE in document.object:
            user = document.object.get("user_id") or folder
            machine = _is_machine(document.object.get("origin"))
            for item, found in as_dict(document.object[STATE]).items():
                yield _Answers(item, user, _of_state(found), machine)
            return
        records = document.records()
        if not any("user_id" in one for one in records):
            items = [text_of(one.get("id", one.get("instance_id"))) for one in records]
            if len(set(items)) < len(items):
                raise self.refused(
                    document,
                    "answers of several users are pooled, and nothing says whose they are. Give "
                    "the folder that has a folder for each user.",
                )
        for one in records:
            labels = as_dict(one.get("label_annotations", one.get("labels")))
            item = one.get("instance_id", one.get("id"))
            by_schema = {schema: _by_label(value) for schema, value in labels.items()}
            machine = _is_machine(one.get("annotator_origin"))
            yield _Answers(item, one.get("user_id", folder), by_schema, machine)


def _is_record(one: Mapping[str, Any]) -> bool:
    if isinstance(one.get("label_annotations"), dict):
        return "id" in one or "instance_id" in one
    return {"instance_id", "user_id"} <= set(one) and isinstance(one.get("labels"), dict)


def _by_label(value: Any) -> dict[str, Any]:
    return as_dict(value) or {"": value}


def _of_row(row: Mapping[str, Any]) -> _Answers:
    labels: dict[str, dict[str, Any]] = {}
    for column, cell in row.items():
        if column in _OWN or cell in ("", None):
            continue
        schema, _, label = column.partition(":::" if ":::" in column else ".")
        if label in NO_LABELS:
            continue
        own = as_dict(parsed(cell)) if isinstance(cell, str) and cell.startswith("{") else {}
        labels.setdefault(schema, {}).update(own or {label: cell})  # the Hub has a schema as JSON
    # The column of a whole schema is the answer, where there is one.
    labels = {name: {"": own[""]} if "" in own else own for name, own in labels.items()}
    machine = _is_machine(row.get("annotator_origin"))
    return _Answers(row["instance_id"], row.get("user_id", row.get("user")), labels, machine)


def _is_machine(origin: Any) -> bool:
    """Whether an origin, a word or a record with its kind, is that of a tool or a model."""
    if not origin:
        return False
    return (as_dict(origin).get("kind") if isinstance(origin, dict) else origin) != PERSON


def _of_state(found: Any) -> dict[str, dict[str, Any]]:
    """Labels of an item: a list of pairs, or a dict by schema."""
    labels: dict[str, dict[str, Any]] = {}
    for pair in as_list(found):
        key, value, *_ = [*as_list(pair), None, None]
        label = as_dict(key)
        labels.setdefault(str(label.get("schema")), {})[str(label.get("name"))] = value
    for schema, value in as_dict(found).items():
        labels[schema] = _by_label(value)
    return labels


def _label(labels: Mapping[str, Any]) -> Any:
    """Answer to a schema: the value, or the label that is ticked; several are a list."""
    chosen: list[str] = []
    for name, value in labels.items():
        if name in TEXTS or isinstance(value, dict):
            continue
        text = text_of(value)
        if text is not None and text not in ("false", "False"):
            chosen.append(name if text in _TICKED and name else text)
    return chosen or None
