"""Argilla: flat and nested records of version 2, and feedback datasets of version 1."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from headcount.data.vocabulary import number_of
from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form
from headcount.io.tools.labelling.nested import list_columns
from headcount.io.tools.values import as_dict, as_list

__all__ = ["ArgillaFeedback", "ArgillaFlat", "ArgillaNested"]

_RESPONSES, _SUGGESTION = ".responses", ".suggestion"
_NO_COMMA = re.compile(r"""['"]\s+['"]""")
"""Between answers in a list that numpy wrote."""


class ArgillaFlat(Tool):
    """Records with parallel lists of answers, users and statuses for each question."""

    name = "argilla"
    title = "Argilla"

    def recognises(self, document: Document) -> bool:
        """Whether some question has responses and their users."""
        return bool(_flat_questions(_fields(document)))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read submitted responses as ratings, and suggestions as predictions."""
        export, records = Export(), document.records()
        export.records = len(records)
        if document.form is Form.COLUMNS:
            records = [self._of_text(document, i, one) for i, one in enumerate(records, 1)]
        for question in _flat_questions(_fields(document)):
            for number, one in enumerate(records):
                item = one.get("id") or one.get("_server_id") or number
                answers = as_list(one.get(question + _RESPONSES))
                users = as_list(one.get(f"{question}{_RESPONSES}.users"))
                statuses = as_list(one.get(f"{question}{_RESPONSES}.status"))
                if len(users) != len(answers):
                    raise self.refused(
                        document,
                        f"record {number + 1} has {len(answers)} responses to '{question}' but "
                        f"{len(users)} users.",
                    )
                statuses = statuses or [None] * len(answers)
                for answer, user, status in zip(answers, users, statuses, strict=True):
                    _respond(export, document, question, (item, user), answer, status)
                _suggest(
                    export, question, item, one.get(question + _SUGGESTION),
                    one.get(f"{question}{_SUGGESTION}.agent"),
                    one.get(f"{question}{_SUGGESTION}.score"),
                )  # fmt: skip
        return export

    def _of_text(self, document: Document, number: int, one: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row of a table of text, in which lists are written as Python writes them."""
        whole = dict(one)
        for name, cell in one.items():
            if _RESPONSES in name and cell.strip():
                try:
                    if _NO_COMMA.search(cell):  # Python would join the two
                        raise ValueError
                    whole[name] = ast.literal_eval(cell)
                except (ValueError, SyntaxError, MemoryError, RecursionError):
                    raise self.refused(
                        document,
                        f"record {number}, column '{name}': lists are written as text that cannot "
                        "be told apart. Save the dataset as Parquet or JSON lines (to_parquet, "
                        "to_json), not as CSV.",
                    ) from None
            elif name.endswith(f"{_SUGGESTION}.score"):
                whole[name] = number_of(cell)
            else:
                whole[name] = cell or None
        return whole


class ArgillaNested(Tool):
    """Records with responses by question, without their statuses."""

    name = "argilla-nested"
    title = "Argilla"

    def recognises(self, document: Document) -> bool:
        """Whether records have fields, responses and suggestions."""
        return bool(document.head) and all(
            {"fields", "responses", "suggestions", "_server_id"} <= set(one)
            for one in document.head
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read responses as ratings, and suggestions as predictions."""
        export, records = Export(), document.records()
        export.records = len(records)
        export.notes.warning(
            f"{document.name}: this form of export does not say which responses are drafts or "
            "discarded, so they are among the ratings. Export with to_datasets, or with "
            "to_list(flatten=True) as JSON lines."
        )
        for number, one in enumerate(records):
            item = one.get("id") or one.get("_server_id") or number
            for question, responses in as_dict(one.get("responses")).items():
                for response in map(as_dict, as_list(responses)):
                    answer = response.get("value")
                    if not _is_record(answer):
                        export.rate(question, item, response.get("user_id"), answer)
            for question, suggestion in as_dict(one.get("suggestions")).items():
                found = as_dict(suggestion)
                _suggest(
                    export, question, item, found.get("value"), found.get("agent"),
                    found.get("score"),
                )  # fmt: skip
        return export


class ArgillaFeedback(Tool):
    """Feedback datasets of version 1: a list of responses for each question."""

    name = "argilla-1"
    title = "Argilla 1"

    def recognises(self, document: Document) -> bool:
        """Whether a question has a list of responses with users and statuses."""
        return bool(_feedback_questions(document))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read submitted responses as ratings, and suggestions as predictions."""
        export, records = Export(), document.records()
        export.records = len(records)
        for question in _feedback_questions(document):
            for number, one in enumerate(records):
                item = one.get("external_id") or number
                for response in _responses(one.get(question)):
                    who = (item, response.get("user_id"))
                    answer, status = response.get("value"), response.get("status")
                    _respond(export, document, question, who, answer, status)
                about = as_dict(one.get(f"{question}-suggestion-metadata"))
                _suggest(
                    export, question, item, one.get(f"{question}-suggestion"),
                    about.get("agent"), about.get("score"),
                )  # fmt: skip
        return export


def _feedback_questions(document: Document) -> list[str]:
    found = list_columns(document).items()
    return [name for name, fields in found if {"user_id", "value", "status"} <= set(fields)]


def _fields(document: Document) -> list[str]:
    if document.form in (Form.PARQUET, Form.COLUMNS):
        return document.columns
    return list(dict.fromkeys(name for one in document.head for name in one))


def _flat_questions(fields: list[str]) -> list[str]:
    return [
        name.removesuffix(_RESPONSES)
        for name in fields
        if name.endswith(_RESPONSES) and f"{name}.users" in fields
    ]


def _responses(cell: Any) -> list[dict[str, Any]]:
    """Responses to a question, stored as a list of records or a record of lists."""
    if isinstance(cell, list):
        return [as_dict(one) for one in as_list(cell)]
    lists: Mapping[str, Any] = as_dict(cell)
    length = max((len(as_list(value)) for value in lists.values()), default=0)
    return [
        {name: values[i] for name, cells in lists.items() if i < len(values := as_list(cells))}
        for i in range(length)
    ]


def _respond(
    export: Export,
    document: Document,
    question: str,
    who: tuple[Any, Any],
    answer: Any,
    status: Any,
) -> None:
    """Add a response, unless it is a draft, discarded, or no label."""
    if status in ("draft", "discarded"):
        export.drop("ratings", str(status), question)
    elif _is_record(answer):
        export.drop("ratings", "ranking or spans", question)
    else:
        if status is None and answer is not None:
            export.notes.caution(
                f"{document.name}: some responses have no status and may be drafts; they are kept."
            )
        export.rate(question, *who, answer)


def _suggest(export: Export, question: str, item: Any, value: Any, agent: Any, score: Any) -> None:
    """Add a suggestion; its score is how sure the agent is, or a list of one a label."""
    if value is not None and not _is_record(value):
        export.predict(question, item, agent or "suggestion", value, score)


def _is_record(value: Any) -> bool:
    """Whether an answer is a ranking or spans, which are no ratings."""
    return isinstance(value, dict) or any(isinstance(one, dict) for one in as_list(value))
