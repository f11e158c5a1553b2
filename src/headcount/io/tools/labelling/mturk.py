"""Amazon Mechanical Turk: the CSV of a batch's results."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from headcount.errors import count, some
from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form
from headcount.io.tools.values import as_dict, as_list, joined, text_of

__all__ = ["MTurk", "answers_of"]

NEEDED = {"HITId", "AssignmentId", "WorkerId"}
STATUS = "AssignmentStatus"
MOST_LABELS = 20
_COMMENT = re.compile(
    r"comments?|feedback|suggestions?|reason|explanation|rationale|e?mail|surveycode",
    re.IGNORECASE,
)
_EMPTY = ("{}", "[]")
"""What a form that was sent without a choice writes."""
_BOOLS = {"true": True, "false": False}


class MTurk(Tool):
    """Assignments, with the worker, the status and the answers."""

    name = "mturk"
    title = "Mechanical Turk"

    def recognises(self, document: Document) -> bool:
        """Whether the columns of every batch are there; Turkle has all but the status."""
        names = document.columns if document.form is Form.COLUMNS else []
        answers = STATUS in names or any(name.startswith("Answer.") for name in names)
        return set(names) >= NEEDED and answers

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each answer that has few values as a question; rejected assignments are dropped."""
        export, rows = Export(), document.records()
        export.records = len(rows)
        alone = _alone(document.columns)
        answers = [_answers(row, alone) for row in rows]
        questions = list(dict.fromkeys(name for own in answers for name in own))
        free = [name for name in questions if _is_free(name, [own.get(name) for own in answers])]
        free = [name for name in free if name != reading.question]
        if free and len(free) < len(questions):
            export.notes.info(
                f"{document.name}: answers in free text, times and the like are no questions to "
                f"rate; left out: {some(free, 6)}."
            )
            questions = [name for name in questions if name not in free]
        items = _items(document, rows, export)
        marked = 0
        for row, own in zip(rows, answers, strict=True):
            if str(row.get(STATUS) or "").strip().lower() == "rejected":
                export.drop("ratings", "rejected")
                continue
            marked += bool(str(row.get("Reject") or "").strip())
            for question in questions:
                export.rate(question, items[row["HITId"]], row["WorkerId"], own.get(question))
                pair = row.get("Input.left"), row.get("Input.right")
                export.prefer(question, pair, own.get(question), row["WorkerId"])
        if marked:
            export.notes.warning(
                f"{document.name}: {count(marked, 'assignment')} marked in the column 'Reject' but "
                "not rejected yet; they are kept."
            )
        return export


def _items(document: Document, rows: list[dict[str, Any]], export: Export) -> dict[str, str]:
    """Name the item of each task: itself, or the first that shows the same if each has one worker.

    Who uploads the same items again, once for each worker, gets other tasks.
    """
    hits = list(dict.fromkeys(row["HITId"] for row in rows))
    shown = {row["HITId"]: tuple(_inputs(row)) for row in rows}
    first: dict[tuple[str, ...], str] = {}
    for hit in hits:
        first.setdefault(shown[hit], hit)
    if len(hits) < len(rows) or len(first) == len(hits) or not all(shown.values()):
        return {hit: hit for hit in hits}
    export.notes.caution(
        f"{document.name}: each of {count(len(hits), 'task')} has one worker, and several show "
        f"the same; those are one item, so that there are {len(first):,}."
    )
    return {hit: first[shown[hit]] for hit in hits}


def _inputs(row: dict[str, Any]) -> list[str]:
    return [str(cell) for name, cell in row.items() if name.startswith("Input.")]


def _alone(columns: list[str]) -> frozenset[str]:
    """Names of questions with one box to tick, so that not to tick it is an answer."""
    names = [name.removeprefix("Answer.") for name in columns if name.startswith("Answer.")]
    times = Counter(name.partition(".")[0] for name in names if "." in name)
    return frozenset(name for name, number in times.items() if number == 1)


def _answers(row: dict[str, Any], alone: frozenset[str]) -> dict[str, str | None]:
    """Answers of an assignment by question."""
    answers: dict[str, str | None] = {}
    groups: dict[str, dict[str, bool]] = {}
    for column, cell in row.items():
        if not column.startswith("Answer."):
            continue
        name, text = column.removeprefix("Answer."), str(cell or "").strip()
        text = "" if text in _EMPTY else text
        if name == "taskAnswers":
            answers |= answers_of(text)
        elif text.lower() in _BOOLS and "." in name:
            group, _, chosen = name.partition(".")
            groups.setdefault(group, {})[chosen] = _BOOLS[text.lower()]
        elif text or "." not in name:
            answers[name.removesuffix(".label")] = text or None
        elif name.endswith(".label"):
            answers[name.removesuffix(".label")] = None
    return answers | {name: _chosen(group, name in alone) for name, group in groups.items()}


def answers_of(text: str) -> dict[str, str | None]:
    """Answers to a form of crowd elements, written as JSON, by question; boxes are left out."""
    try:
        parsed: Any = json.loads(text) if text else []
    except ValueError:
        return {}
    found: dict[str, str | None] = {}
    for one in map(as_dict, as_list(parsed)):
        for name, value in one.items():
            inside = as_dict(value)
            if inside and all(isinstance(flag, bool) for flag in inside.values()):
                found[name] = _chosen(inside, len(inside) == 1)
            elif "label" in inside:
                found[name] = text_of(inside["label"])
            elif "labels" in inside:
                found[name] = text_of(inside["labels"])
            elif not inside:
                found[name] = None if value in ("", None) else str(value)
    return found


def _chosen(group: dict[str, bool], alone: bool) -> str | None:
    if alone:
        return str(next(iter(group.values())))
    return joined(name for name, chosen in group.items() if chosen)


def _is_free(name: str, answers: list[str | None]) -> bool:
    """Whether answers are texts, times and the like, of which everyone gives another."""
    given = [answer for answer in answers if answer]
    values = set(given)
    if any(_COMMENT.fullmatch(word) for word in re.split(r"[._\-\s]+", name)):
        return True
    many = len(values) > MOST_LABELS and 2 * len(values) > len(given)
    return many or any(len(value) > 200 for value in values)
