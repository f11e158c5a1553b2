"""Argilla, doccano, Prodigy and Hugging Face: records of texts with lists of answers."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from headcount.data.vocabulary import number_of
from headcount.errors import count
from headcount.io.reading import Reading
from headcount.io.roles import find_role
from headcount.io.tools.contents import LIMIT, as_dict, as_list
from headcount.io.tools.exports import Document, Export, Form, Tool

__all__ = [
    "ArgillaFlat",
    "ArgillaNested",
    "ArgillaFeedback",
    "ChaosNli",
    "NestedLists",
    "Doccano",
    "Prodigy",
]


# Argilla: flat and nested records of version 2, and feedback datasets of version 1.

_RESPONSES, _SUGGESTION = ".responses", ".suggestion"
_NO_COMMA = re.compile(r"""['"]\s+['"]""")
"""Between answers in a list that numpy wrote."""


class ArgillaFlat(Tool):
    """Records with parallel lists of answers, users and statuses for each question."""

    name = "argilla"
    title = "Argilla"

    def recognises(self, document: Document) -> bool:
        """Whether some question has responses and their users."""
        return bool(_flat_questions(_names_of_fields(document)))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read submitted responses as ratings, and suggestions as predictions."""
        export, records = Export(), document.records()
        export.records = len(records)
        if document.form is Form.COLUMNS:
            records = [self._of_text(document, i, one) for i, one in enumerate(records, 1)]
        for question in _flat_questions(_names_of_fields(document)):
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


def _names_of_fields(document: Document) -> list[str]:
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


# Hugging Face: lists of answers in the row of an item, with or without those who gave them.

RATER_LISTS = (
    "annotators", "annotator_ids", "annotator_id", "raters", "rater_ids", "workers", "worker_ids",
    "users", "user_ids", "labelers",
)  # fmt: skip
ANSWER_LISTS = (
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
    answers = next((name for name in ANSWER_LISTS if name in lists), None)
    raters = next((name for name in RATER_LISTS if name in lists and name != answers), None)
    if answers is None and raters is not None:  # beside raters they are answers
        lists = [name for name, fields in columns.items() if fields in ("list", "lists")]
        answers = next((name for name in (*ANSWER_LISTS, "labels", "label") if name in lists), None)
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
        return [
            name
            for name, kind in _struct_fields(type_)
            if kind.endswith("]") or type_.endswith("]")
        ]
    found = re.fullmatch(r"\w+\[\](\[\])?", type_)
    return "single" if found is None else "lists" if found.group(1) else "list"


def _struct_fields(type_: str) -> Iterator[tuple[str, str]]:
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

    def recognises(self, document: Document) -> bool:
        """Whether all files of an archive are lists of examples, or records have comments."""
        if document.form is not Form.ARCHIVE:
            fields = _doccano_fields(document)
            return _are_examples(document) and bool({"Comments", DOCCANO_OLD} & fields)
        names = document.members
        if document.unpacked_size > LIMIT:
            return False
        if not names or not all(
            "/" not in n and n.lower().endswith(DOCCANO_SUFFIXES) for n in names
        ):
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
                if DOCCANO_OLD in one:
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


def _doccano_fields(document: Document) -> set[str]:
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
    names = (*DOCCANO_LABELS, "labels") if DOCCANO_OLD in one else DOCCANO_LABELS
    labelled = any(isinstance(one.get(name), list) for name in names)
    return "id" in one and (labelled or bool(as_dict(one.get("cats"))))


# Prodigy: JSON lines of db-out.

PRODIGY_NO_LABELS = ("_manual", "text_input", "relations")
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
    return not asked and ("user_input" in one or view.endswith(PRODIGY_NO_LABELS))


def _rater(one: Mapping[str, Any]) -> str:
    return str(one.get("_annotator_id") or one.get("_session_id") or "")
