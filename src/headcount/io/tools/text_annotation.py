"""Argilla, doccano and Prodigy: texts with lists of answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headcount.io.reading import Reading
from headcount.io.roles import find_role
from headcount.io.tools.contents import (
    LIMIT,
    Document,
    Form,
    as_dict,
    as_dicts,
    as_list,
    listed,
)
from headcount.io.tools.exports import Export, Tool
from headcount.io.tools.simple import EVERY, Answers, Record, cell

__all__ = [
    "ARGILLA",
    "Doccano",
    "PRODIGY",
]


# Argilla: flat and nested records of version 2, and feedback datasets of version 1.

_RESPONSES, _USERS = ".responses", ".responses.users"
_NESTED = ("fields", "responses", "suggestions", "_server_id")
_OF_A_RESPONSE = ("user_id", "value", "status")
_FEEDBACK = tuple(f"*.{field}" for field in _OF_A_RESPONSE)
_UNKNOWN, _UNSAID = "unknown", "unsaid"
"""Status of a response in a form of export that has none, and of one that lacks it."""
_Question = tuple[str, list[tuple[Any, Any, Any]], list[Any]]
"""A name; user, answer and status of each response; a suggestion, its agent and its score."""


def _responses(records: Iterable[Record]) -> Iterator[Record]:
    """Responses to the questions of each record, and suggestions."""
    records = list(records)
    cells = ((name, cell) for record in records for name, cell in record.items())
    names = list(dict.fromkeys(name for name, cell in cells if _has_responses(cell)))
    for number, record in enumerate(records):
        item = cell(record, ("id", "_server_id", "external_id"))
        for name, responses, (suggestion, agent, score) in _questions(record, names):
            about = {"item": number if item is None else item, "question": name}
            for user, answer, status in responses:
                status = _UNSAID if status is None and answer is not None else status
                given = {"person": True, "who": user, "answer": answer, "status": status}
                yield about | given
            if suggestion is not None and not _is_ranking(suggestion):
                yield about | {"who": agent or "suggestion", "answer": suggestion, "score": score}


def _questions(record: Record, feedback: Iterable[str]) -> Iterator[_Question]:
    """Questions of a record, in whichever of the three forms."""
    for name in _flat_questions(record):
        columns = (f"{name}.responses{part}" for part in (".users", "", ".status"))
        users, answers, statuses = (as_list(record.get(column)) for column in columns)
        rows = zip(users, answers, statuses or [None] * len(users), strict=True)
        about = [record.get(f"{name}.suggestion{part}") for part in ("", ".agent", ".score")]
        yield name, list(rows), about
    if {*_NESTED} <= {*record}:
        responses, suggestions = as_dict(record["responses"]), as_dict(record["suggestions"])
        for name in dict.fromkeys([*responses, *suggestions]):
            about = as_dict(suggestions.get(name))
            rows = _rows(responses.get(name), _UNKNOWN)
            yield name, rows, [about.get(field) for field in ("value", "agent", "score")]
    for name in feedback:
        about = as_dict(record.get(f"{name}-suggestion-metadata"))
        suggestion = record.get(f"{name}-suggestion"), about.get("agent"), about.get("score")
        yield name, _rows(record.get(name), None), [*suggestion]


def _flat_questions(record: Record) -> list[str]:
    names = (name.removesuffix(_USERS) for name in record if name.endswith(_USERS))
    return [name for name in names if name + _RESPONSES in record]


def _has_responses(cell: Any) -> bool:
    return any({*_OF_A_RESPONSE} <= {*response} for response in as_dicts(listed(cell))[:1])


def _rows(responses: Any, status: str | None) -> list[tuple[Any, Any, Any]]:
    given = as_dicts(listed(responses))
    return [(r.get("user_id"), r.get("value"), r.get("status", status)) for r in given]


def _in_text(record: Record) -> bool:
    return any(isinstance(record[name + _RESPONSES], str) for name in _flat_questions(record))


def _uneven(record: Record) -> bool:
    """Whether a question has another number of responses than of their users."""
    for name in _flat_questions(record):
        lists = [
            as_list(record.get(f"{name}.responses{part}")) for part in (".users", "", ".status")
        ]
        if len(lists[0]) != len(lists[1]) or len(lists[2]) not in (0, len(lists[0])):
            return True
    return False


def _is_ranking(value: Any) -> bool:
    """Whether an answer is a ranking or spans, which are not ratings."""
    return isinstance(value, dict) or any(isinstance(part, dict) for part in as_list(value))


ARGILLA = Answers(
    name="argilla", title="Argilla", answers=_responses,
    marks=((f"*{_RESPONSES}", f"*{_USERS}"), _NESTED,
           *((form, *_FEEDBACK) for form in ("ARRAY", "LINES", "PARQUET"))),
    refused_if=(((_in_text, None), "a table of text cannot hold its lists. Save the dataset as "
                 "Parquet or JSON lines (to_parquet, to_json), not as CSV."),
                ((_uneven, None), "a question has another number of responses than of their users "
                 "or statuses. Export it again.")),
    item="item", question="question", label="answer", person=("person", None), rater="who",
    classifier="who", confidence="score",
    left_out={"draft": ("status", ("draft",)), "discarded": ("status", ("discarded",)),
              "ranking or spans": (lambda answer: _is_ranking(answer["answer"]), None)},
    remarks=(("warning", ("status", (_UNKNOWN,)), "this form of export does not say which "
              "responses are drafts or discarded, so they are among the ratings. Export with "
              "to_datasets, or with to_list(flatten=True) as JSON lines."),
             ("caution", ("status", (_UNSAID,)), "some responses have no status and may be drafts; "
              "they are kept.")),
)  # fmt: skip
"""Records with the responses to each question and their users."""


# doccano: a zip or a folder with a file for each annotator, or one of these files.

DOCCANO_SUFFIXES = (".jsonl", ".json", ".csv")
POOLED = "all"
DOCCANO_OLD = "annotation_approver"
"""A field of records of versions before 1.3."""
DOCCANO_LABELS = ("label", "cats", "entities")


class Doccano(Tool):
    """Examples with lists of labels; the name of the file is that of the annotator."""

    name = "doccano"
    title = "doccano"
    marks = (("id", "Comments"), ("id", DOCCANO_OLD), ("ARCHIVE",))

    def recognises(self, document: Document) -> bool:
        """Whether all files of an archive are lists of examples, or records have comments."""
        if document.form is not Form.ARCHIVE:
            return DOCCANO_OLD in document.fields or _are_examples(document)
        names = document.members
        if not names or document.unpacked_size > LIMIT:
            return False
        if any("/" in name or not name.lower().endswith(DOCCANO_SUFFIXES) for name in names):
            return False
        files = [file for file in _files(document) if not _is_empty(file)]
        return bool(files) and all(map(_are_examples, files))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the labels of each annotator's file; examples without a label are dropped."""
        export, files = Export(), _files(document)
        if document.form is not Form.ARCHIVE and DOCCANO_OLD in document.fields:
            raise self.refused(
                document,
                "an export of doccano before 1.3, whose lists pool the labels of all annotators. "
                "Export it as JSON, in which annotations name their users.",
            )
        if [file.stem for file in files] == [POOLED]:
            raise self.refused(
                document,
                f"'{POOLED}' pools the labels of all annotators of a collaborative project; who "
                "gave which is not in it. Export from a project in which annotators do not share "
                "their labels.",
            )
        for file in files:
            for example in [] if _is_empty(file) else file.records():
                export.records += 1
                label = example.get("label", example.get("cats"))
                spans = "entities" in example and "cats" not in example
                if spans or any(isinstance(part, list | dict) for part in as_list(label)):
                    raise self.refused(document, "labels of spans are not ratings of items.")
                if isinstance(label, str):  # CSV
                    label = [part for part in label.split("#") if part]
                export.rate("label", example.get("id"), file.stem, label)
                if as_list(example.get("entities")):
                    export.notes.info(f"{document.name}: spans beside the categories are left out.")
        return export


def _files(document: Document) -> list[Document]:
    if document.form is not Form.ARCHIVE:
        return [document]
    return [document.member(name) for name in document.members]


def _is_empty(document: Document) -> bool:
    """Whether an annotator has labelled nothing."""
    return document.form is Form.EMPTY or "".join(document.head_text.split()) == "[]"


def _are_examples(document: Document) -> bool:
    """Whether records are an id, what was labelled, and a list of labels."""
    if document.form is Form.COLUMNS:
        names = document.columns
        return {"id", "label"} <= {*names} and find_role(names, "rater") is None
    return bool(document.head) and all(map(_is_example, document.head))


def _is_example(record: Mapping[str, Any]) -> bool:
    labelled = any(isinstance(record.get(name), list) for name in DOCCANO_LABELS)
    return "id" in record and (labelled or bool(as_dict(record.get("cats"))))


# Prodigy: JSON lines of db-out.

PRODIGY_NO_LABELS = ("_manual", "text_input", "relations")
"""How the names of interfaces end in which people mark or write something."""
_TIME = re.compile(r".*\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d")


def _is_choice(task: Record) -> bool:
    return "options" in task or "accept" in task


def _asks_otherwise(task: Record) -> bool:
    """Whether a task asked for spans or texts, and not for a choice, or whether a label holds."""
    if "versions" in task or isinstance(task.get("accept"), dict):
        return True
    # To accept a text or a mark says no more than that it is done.
    written = "user_input" in task or str(task.get("_view_id")).endswith(PRODIGY_NO_LABELS)
    return not {"accept", "label"} & {*task} and ("spans" in task or written)


def _chose_none(task: Record) -> bool:
    """Whether several options could be chosen, and none was."""
    several = as_dict(task.get("config")).get("choice_style") == "multiple"
    return several and task.get("answer") == "accept" and task.get("accept") == []


def _unnamed(task: Record) -> bool:
    """Whether nobody gave the session a name, so that it is called by its time."""
    return _TIME.fullmatch(str(cell(task, PRODIGY_RATER))) is not None


PRODIGY_RATER = ("_annotator_id", "_session_id")
PRODIGY = Answers(
    name="prodigy", title="Prodigy", marks=(("_input_hash", "_task_hash", "answer"),),
    refused_if=(((_asks_otherwise, None), "spans, texts and marks are not ratings of items, and "
                 "datasets of 'review' and of the interface 'compare' do not say who chose what. "
                 "Ask with options ('choice'), and export the datasets that were reviewed."),),
    item="_input_hash", person=EVERY, rater=PRODIGY_RATER,
    question=lambda task: "choice" if _is_choice(task) else task.get("label", "answer"),
    label=lambda task: as_list(task.get("accept")) if _is_choice(task) else task.get("answer"),
    left_out={"ignored": ("answer", ("ignore",)),
              "rejected": (lambda t: _is_choice(t) and t.get("answer") == "reject", None)},
    remarks=(("warning", (_unnamed, None), "sessions without a name are read as raters; one "
              "person may be several. Start Prodigy with ?session=name."),
             ("caution", (_chose_none, None), "{answers} accepted without a choice where several "
              "could be chosen, left out as empty. If they mean that none fits, ask with an "
              "option for that.")),
)  # fmt: skip
"""Choices, or accept and reject of one label."""
