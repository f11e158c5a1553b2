"""Prodigy: JSON lines of db-out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headcount.errors import count
from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document
from headcount.io.tools.values import as_dict, as_list

__all__ = ["Prodigy"]

NO_LABELS = ("_manual", "text_input", "relations")
"""How the names of interfaces end in which people mark or write something."""
_TIME = re.compile(r".*\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d")


class Prodigy(Tool):
    """Tasks with the hash of their input, an answer and a session."""

    name = "prodigy"
    title = "Prodigy"

    def recognises(self, document: Document) -> bool:
        """Whether records have both hashes and an answer."""
        return bool(document.head) and all(
            isinstance(one.get("_input_hash"), int)
            and isinstance(one.get("_task_hash"), int)
            and one.get("answer") in ("accept", "reject", "ignore")
            for one in document.head
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read choices, or accept and reject of one label."""
        export, records = Export(), document.records()
        export.records = len(records)
        if any("versions" in one for one in records):
            raise self.refused(
                document,
                "a dataset of the recipe 'review', in which one reviewer merges answers of others. "
                "Export the datasets that were reviewed.",
            )
        if any(isinstance(one.get("accept"), dict) for one in records):
            raise self.refused(
                document,
                "answers of the interface 'compare', which say which of two outputs was chosen in "
                "an order that the recipe knows. Ask with options ('choice') instead.",
            )
        if any("spans" in one and "accept" not in one and "label" not in one for one in records):
            raise self.refused(document, "spans in texts are not ratings of items.")
        if any(map(_is_written, records)):
            raise self.refused(
                document, "texts that people wrote, or marks, are no ratings of items."
            )
        unnamed = {one.get("_session_id") for one in records if _TIME.fullmatch(_rater(one))}
        if unnamed:
            export.notes.warning(
                f"{document.name}: sessions without a name are read as raters; one person may be "
                "several. Start Prodigy with ?session=name."
            )
        for one in records:
            self._add(export, one)
        none = sum(map(_chose_none, records))
        if none:
            export.notes.caution(
                f"{document.name}: {count(none, 'answer')} accepted without a choice where several "
                "could be chosen, left out as empty. If they mean that none fits, ask with an "
                "option for that."
            )
        return export

    def _add(self, export: Export, one: Mapping[str, Any]) -> None:
        answer, item, rater = one.get("answer"), one.get("_input_hash"), _rater(one)
        choice = "options" in one or "accept" in one
        question = "choice" if choice else str(one.get("label", "answer"))
        if answer == "ignore":
            export.drop("ratings", "ignored", question)
        elif not choice:
            export.rate(question, item, rater, answer)
        elif answer == "reject":
            export.drop("ratings", "rejected", question)
        else:
            export.rate(question, item, rater, as_list(one.get("accept")))


def _chose_none(one: Mapping[str, Any]) -> bool:
    """Whether several options could be chosen, and none was."""
    several = as_dict(one.get("config")).get("choice_style") == "multiple"
    return several and one.get("answer") == "accept" and one.get("accept") == []


def _is_written(one: Mapping[str, Any]) -> bool:
    """Whether an answer is a text or a mark, and to accept it says no more than that it is done."""
    view = str(one.get("_view_id"))
    asked = "accept" in one or "options" in one or "label" in one
    return not asked and ("user_input" in one or view.endswith(NO_LABELS))


def _rater(one: Mapping[str, Any]) -> str:
    return str(one.get("_annotator_id") or one.get("_session_id") or "")
