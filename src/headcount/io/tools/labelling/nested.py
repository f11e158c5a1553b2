"""Hugging Face: lists of answers in the row of an item, with or without those who gave them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form
from headcount.io.tools.values import as_dict, as_list

__all__ = ["ChaosNli", "NestedLists", "list_columns"]

RATERS = (
    "annotators", "annotator_ids", "annotator_id", "raters", "rater_ids", "workers", "worker_ids",
    "users", "user_ids", "labelers",
)  # fmt: skip
ANSWERS = (
    "annotations", "annotator_labels", "ratings", "crowd_labels", "human_labels",
    "annotator_ratings",
)  # fmt: skip
"""Names of columns that hold lists; 'labels' may be the labels of one answer."""


RATER_FIELDS = (
    "annotator", "annotator_id", "rater", "rater_id", "worker", "worker_id", "user_id", "coder",
    "reviewer_id", "labeler",
)  # fmt: skip
LABEL_FIELDS = (
    "label", "labels", "rating", "annotation", "value", "score", "judgment", "vote", "category",
)  # fmt: skip
"""Fields of records in lists; 'user' and 'response' are the parts of a conversation."""


class _Shape(NamedTuple):
    """Columns of answers and raters: two columns, or two fields of one."""

    answers: str
    raters: str | None
    field: str | None = None
    rater_field: str | None = None


class ChaosNli(Tool):
    """Counts of labels for each item."""

    name = "chaosnli"
    kinds = ("ratings",)
    title = "ChaosNLI"

    def recognises(self, document: Document) -> bool:
        """Whether records count their labels."""
        return bool(document.head) and all(
            "uid" in one
            and bool(as_dict(one.get("label_counter")))
            and all(type(times) is int for times in one["label_counter"].values())
            for one in document.head
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read as many ratings as are counted; nobody knows who gave them."""
        export, records = Export(), document.records()
        export.records = len(records)
        for one in records:
            for label, times in as_dict(one.get("label_counter")).items():
                for _ in range(int(times)):
                    export.rate("label", one.get("uid"), None, label)
        return export


class NestedLists(Tool):
    """Lists of answers, beside lists of raters or in records with them."""

    name = "huggingface"
    kinds = ("ratings",)
    title = "Hugging Face (nested lists)"

    def recognises(self, document: Document) -> bool:
        """Whether some column holds lists of answers of raters."""
        return bool(_lewidi(document)) or _shape(document) is not None

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the lists; labels stored as numbers get their names, where the file has them."""
        export, shape = Export(), _shape(document)
        if shape is None:
            return _read_lewidi(document, export)
        records = document.records()
        export.records = len(records)
        item = _item(list(records[0])) if records else None
        if item is None:
            export.notes.caution(
                f"{document.name}: no column of ids; items are numbered by row, from 1."
            )
        names = _label_names(document, shape)
        for number, one in enumerate(records, 1):
            answers, raters = _lists(one, shape)
            if raters is not None and len(raters) != len(answers):
                raise self.refused(
                    document,
                    f"record {number} has {len(answers)} answers and {len(raters)} raters.",
                )
            for place, answer in enumerate(answers):
                rater = None if raters is None else raters[place]
                label = _named(answer, names)
                export.rate("label", number if item is None else one[item], rater, label)
        return export


def _shape(document: Document) -> _Shape | None:
    """Find the columns that hold answers and raters; None if there are none."""
    columns = list_columns(document)
    for name, fields in columns.items():
        if isinstance(fields, list):
            label = next((one for one in LABEL_FIELDS if one in fields), None)
            rater = next((one for one in RATER_FIELDS if one in fields), None)
            if label is not None and rater is not None:
                return _Shape(name, name, label, rater)
    lists = [name for name, fields in columns.items() if fields == "list"]
    answers = next((name for name in ANSWERS if name in lists), None)
    raters = next((name for name in RATERS if name in lists and name != answers), None)
    if answers is None and raters is not None:  # beside raters they are answers
        lists = [name for name, fields in columns.items() if fields in ("list", "lists")]
        answers = next((name for name in (*ANSWERS, "labels", "label") if name in lists), None)
    return None if answers is None else _Shape(answers, raters)


def list_columns(document: Document) -> dict[str, str | list[str]]:
    """Columns with lists of values ("list"), of lists ("lists") or of records (their fields)."""
    if document.form is Form.PARQUET:
        return {name: _of_type(type_) for name, type_ in document.types.items()}
    found: dict[str, str | list[str]] = {}
    if document.form in (Form.ARRAY, Form.LINES) and document.head:
        for name in document.head[0]:
            cells = [one.get(name) for one in document.head]
            if all(isinstance(cell, list) for cell in cells):
                inner = [one for cell in cells for one in as_list(cell)]
                if inner and all(isinstance(one, dict) for one in inner):
                    found[name] = list(as_dict(inner[0]))
                elif inner and not any(isinstance(one, list | dict) for one in inner):
                    found[name] = "list"
                elif inner and all(isinstance(one, list) for one in inner):
                    found[name] = "lists"
            elif all(isinstance(cell, dict) for cell in cells):
                fields = as_dict(cells[0])
                if fields and all(isinstance(value, list) for value in fields.values()):
                    found[name] = list(fields)
    return found


def _of_type(type_: str) -> str | list[str]:
    """Kind of a column by DuckDB's type."""
    if type_.startswith("STRUCT("):
        return [name for name, kind in _fields(type_) if kind.endswith("]") or type_.endswith("]")]
    found = re.fullmatch(r"\w+\[\](\[\])?", type_)
    return "single" if found is None else "lists" if found.group(1) else "list"


def _fields(type_: str) -> Iterator[tuple[str, str]]:
    """Names and types of the fields of a STRUCT."""
    inside = type_[len("STRUCT(") : type_.rindex(")")]
    depth, start = 0, 0
    for place, sign in enumerate(inside + ","):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            name, _, kind = (
                inside[start:place].strip().rpartition(" ")
                if "(" not in inside[start:place]
                else inside[start:place].strip().partition(" ")
            )
            yield name.strip('"'), kind
            start = place + 1


def _lists(one: dict[str, Any], shape: _Shape) -> tuple[list[Any], list[Any] | None]:
    """Answers and raters of a record."""
    cell = one.get(shape.answers)
    if shape.field is None or shape.rater_field is None:
        raters = None if shape.raters is None else as_list(one.get(shape.raters))
        return as_list(cell), raters
    if isinstance(cell, dict):
        inside = as_dict(cell)
        return as_list(inside.get(shape.field)), as_list(inside.get(shape.rater_field))
    rows = [as_dict(row) for row in as_list(cell)]
    return [row.get(shape.field) for row in rows], [row.get(shape.rater_field) for row in rows]


def _item(names: Sequence[str]) -> str | None:
    place = find_role(names, "item")
    if place is not None:
        return names[place]
    return next((name for name in names if re.search(r"(_id|ID|Id)$", name)), None)


def _label_names(document: Document, shape: _Shape) -> list[str] | None:
    """Names of labels that are stored as numbers; None if the file has none."""
    if document.form is not Form.PARQUET:
        return None
    try:
        about: Any = json.loads(document.parquet_metadata.get("huggingface", "{}"))
    except ValueError:
        return None
    feature: Any = as_dict(as_dict(as_dict(about).get("info")).get("features")).get(shape.answers)
    for _ in range(4):  # lists around lists
        inside = as_dict(as_list(feature)[0]) if isinstance(feature, list) else as_dict(feature)
        if "names" in inside:
            return [str(name) for name in as_list(inside["names"])]
        feature = inside.get("feature", inside.get(shape.field or ""))
    return None


def _named(answer: Any, names: list[str] | None) -> Any:
    if isinstance(answer, list):
        return [_named(one, names) for one in as_list(answer)]
    if names is None or not isinstance(answer, int):
        return answer
    return names[answer] if 0 <= answer < len(names) else None


def _lewidi(document: Document) -> dict[str, dict[str, Any]]:
    """Items by id, with answers and raters between commas; {} if the file is not so."""
    items = document.object
    if not items or len(items) < 2:
        return {}
    records = {item: as_dict(value) for item, value in items.items()}
    alike = all(
        isinstance(one.get("annotations"), str)
        and isinstance(one.get("annotators"), str)
        and one["annotations"].count(",") == one["annotators"].count(",")
        for one in records.values()
    )
    return records if alike else {}


def _read_lewidi(document: Document, export: Export) -> Export:
    records = _lewidi(document)
    export.records = len(records)
    for item, one in records.items():
        raters = one["annotators"].split(",")
        for rater, answer in zip(raters, one["annotations"].split(","), strict=True):
            export.rate("label", item, rater, answer)
    return export
