"""doccano: a zip or a folder with a file for each annotator, or one of these files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.contents.stored import LIMIT
from headcount.io.tools.document import Document, Form
from headcount.io.tools.values import as_dict, as_list

__all__ = ["Doccano"]

SUFFIXES = (".jsonl", ".json", ".csv")
POOLED = "all"
OLD = "annotation_approver"
"""A field of records of versions before 1.3."""
LABELS = ("label", "cats", "entities")


class Doccano(Tool):
    """Examples with lists of labels; the name of the file is that of the annotator."""

    name = "doccano"
    title = "doccano"

    def recognises(self, document: Document) -> bool:
        """Whether all files of an archive are lists of examples, or records have comments."""
        if document.form is not Form.ARCHIVE:
            fields = _fields(document)
            return _are_examples(document) and bool({"Comments", OLD} & fields)
        names = document.members
        if document.unpacked_size > LIMIT:
            return False
        if not names or not all("/" not in n and n.lower().endswith(SUFFIXES) for n in names):
            return False
        members = [member for member in _members(document) if not _is_empty(member)]
        return bool(members) and all(map(_are_examples, members))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the labels of each annotator's file; examples without a label are dropped."""
        export = Export()
        members = _members(document) if document.form is Form.ARCHIVE else [document]
        if [member.stem for member in members] == [POOLED]:
            raise self.refused(
                document,
                f"'{POOLED}' pools the labels of all annotators of a collaborative project; who "
                "gave which is not in it. Export from a project in which annotators do not share "
                "their labels.",
            )
        for member in members:
            if _is_empty(member):
                continue
            for one in member.records():
                export.records += 1
                if OLD in one:
                    raise self.refused(
                        document,
                        "an export of doccano before 1.3, whose lists pool the labels of all "
                        "annotators. Export it as JSON, in which annotations name their users.",
                    )
                label = one.get("label", one.get("cats"))
                spans = "entities" in one and "cats" not in one
                if spans or any(isinstance(part, list | dict) for part in as_list(label)):
                    raise self.refused(document, "labels of spans are not ratings of items.")
                if isinstance(label, str):  # CSV
                    label = [part for part in label.split("#") if part]
                export.rate("label", one.get("id"), member.stem, label)
                if as_list(one.get("entities")):
                    export.notes.info(f"{document.name}: spans beside the categories are left out.")
        return export


def _members(document: Document) -> list[Document]:
    return [document.member(name) for name in document.members]


def _is_empty(document: Document) -> bool:
    """Whether an annotator has labelled nothing."""
    return document.form is Form.EMPTY or document.head_text.split() in (["[]"], ["[", "]"])


def _fields(document: Document) -> set[str]:
    if document.form is Form.COLUMNS:
        return set(document.columns)
    return set[str]().union(*map(set, document.head)) if document.head else set()


def _are_examples(document: Document) -> bool:
    """Whether records are an id, what was labelled, and a list of labels."""
    if document.form is Form.COLUMNS:
        names = document.columns
        return {"id", "label"} <= set(names) and find_role(names, "rater") is None
    return bool(document.head) and all(map(_is_example, document.head))


def _is_example(one: Mapping[str, Any]) -> bool:
    names = (*LABELS, "labels") if OLD in one else LABELS
    labelled = any(isinstance(one.get(name), list) for name in names)
    return "id" in one and (labelled or bool(as_dict(one.get("cats"))))
