"""Label Studio and Potato: a record an item, with who answered what."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from headcount.errors import count, option, some
from headcount.io.formats.csv import Csv
from headcount.io.formats.json import Json
from headcount.io.reading import Reading
from headcount.io.roles import find_role
from headcount.io.tools.contents import Document, Form, as_dict, as_dicts, as_list, parsed, text_of
from headcount.io.tools.exports import Export, Tool
from headcount.io.tools.simple import Answers, Record

__all__ = [
    "LabelStudio",
    "LabelStudioMin",
    "POTATO",
]


# Label Studio: JSON, and the short JSON, CSV and TSV that have a record an annotation.

ANSWER_FIELDS = ("choices", "rating", "number", "taxonomy", "selected")
"""Fields of a value that answer a question about a whole task."""
REGION_FIELDS = {
    "start", "end", "x", "y", "width", "height", "points", "rle", "ranges", "sequence", "vertices",
}  # fmt: skip
"""Fields of a value that answers a question about a region of the task."""
CONVERTER_FIELDS = ("annotator", "annotation_id", "lead_time", "created_at", "updated_at")
"""Fields that the converter writes into every record."""


class _Annotation(NamedTuple):
    """What one person, or a model, answers of one task."""

    item: Any
    rater: str | None
    answers: dict[str, Any]
    data: Mapping[str, Any]
    time: str


class LabelStudio(Tool):
    """Tasks with their annotations and predictions."""

    name = "label-studio"
    title = "Label Studio"
    marks = (
        ("data", "annotations.result"),
        ("data", "annotations", "predictions"),
        ("data", "completions.result"),
    )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read annotations as ratings and comparisons, and predictions of models."""
        tasks, parts = document.records(), set[str]()
        export = Export(len(tasks))
        given: list[_Annotation] = []
        predicted: list[tuple[Any, dict[str, Any], dict[str, Any]]] = []
        items: set[str | None] = set()
        true = 0
        for task in tasks:
            item = text_of(task.get("id"))
            data = as_dict(task.get("data"))
            for annotation in as_dicts(task.get("annotations", task.get("completions"))):
                if annotation.get("was_cancelled") or annotation.get("skipped"):
                    export.drop("ratings", "cancelled")
                    export.drop("comparisons", "cancelled")
                    continue
                true += bool(annotation.get("ground_truth"))
                answers = self._answers(document, item, annotation, parts)
                time = str(annotation.get("updated_at") or "")
                given.append(_Annotation(item, _rater(annotation), answers, data, time))
            for prediction in as_list(task.get("predictions")):
                if item in items:
                    export.drop("predictions", "copy of the task")
                elif not isinstance(prediction, dict):
                    export.absent["predictions"] = (
                        "predictions are ids only. Export a snapshot with predictions in full "
                        "(serialization_options: predictions.only_id = false)"
                    )
                else:
                    answers = self._answers(document, item, as_dict(prediction), parts)
                    predicted.append((item, as_dict(prediction), answers))
            items.add(item)
        _rate(export, given)
        for question in _names(answers for _, _, answers in predicted):
            for item, prediction, answers in predicted:
                model = prediction.get("model_version") or "prediction"
                # The score is of all answers; it is that of one if there is one.
                confidence = prediction.get("score") if len(answers) == 1 else None
                export.predict(question, item, model, answers.get(question), confidence)
        export.leave_out(document, "regions, texts, rankings and the like", sorted(parts))
        if true:
            export.notes.caution(
                f"{document.name}: {count(true, 'annotation')} marked as ground truth, read as "
                "ratings of those who gave them."
            )
        return export

    def _answers(
        self, document: Document, item: Any, annotation: Mapping[str, Any], parts: set[str]
    ) -> dict[str, Any]:
        """Answers of one annotation by question; questions about parts of a task go to `parts`."""
        answers: dict[str, Any] = {}
        for result in as_dicts(annotation.get("result")):
            question, value = str(result.get("from_name")), as_dict(result.get("value"))
            field = next((name for name in ANSWER_FIELDS if name in value), None)
            # A page or an image of several is a part of the task, too.
            if field is None or REGION_FIELDS & {*value} or result.get("item_index") is not None:
                parts.add(question)
                continue
            if question in answers:
                raise self.refused(
                    document,
                    f"task {item} has several answers to '{question}' in one annotation, as "
                    "questions about regions have. Only questions about whole tasks are read.",
                )
            answers[question] = _answer(field, value[field])
        return answers


class LabelStudioMin(Tool):
    """Records of one annotation each: JSON_MIN, CSV and TSV."""

    name = "label-studio-min"
    title = "Label Studio"
    marks = ((*CONVERTER_FIELDS, "id"),)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read annotations; a field that is not the same for all who saw a task is a question."""
        records = document.records()
        export = Export(len(records))
        fields = [
            {
                name: _cell(value)
                for name, value in record.items()
                if name not in (*CONVERTER_FIELDS, "id", "agreement") and value not in ("", None)
            }
            for record in records
        ]
        raters = [text_of(record.get("annotator")) for record in records]
        items = [text_of(record["id"]) for record in records]
        questions, others = _questions(items, fields)
        if reading.question in others:
            questions = [*questions, str(reading.question)]
        if not questions:
            table = Csv.name if document.form is Form.COLUMNS else Json.name
            raise self.refused(
                document,
                "no question found: every field is the same for all raters of a task. Name it with "
                f"{option('question', ...)}: {some(others, 12)}. If tasks were imported once for "
                f"each rater, read a table, with {option('format', table)}, "
                f"{option('item', '...')} (what was shown), {option('rater', 'annotator')} and "
                f"{option('label', '...')}.",
            )
        _rate(
            export,
            [
                _Annotation(
                    item, rater, {name: _unpacked(own.get(name)) for name in questions}, own,
                    str(record.get("updated_at") or ""),
                )
                for item, rater, own, record in zip(items, raters, fields, records, strict=True)
            ],
        )  # fmt: skip
        return export


def _rater(annotation: Mapping[str, Any]) -> str | None:
    by = annotation.get("completed_by")
    return text_of(as_dict(by).get("email") or as_dict(by).get("id")) or text_of(by)


def _rate(export: Export, annotations: Sequence[_Annotation]) -> None:
    """Add the last annotation of each rater of a task; all of those without a rater."""
    last: dict[tuple[str | None, str | int], _Annotation] = {}
    for given in annotations:
        key = text_of(given.item), given.rater or len(last)
        if key not in last or last[key].time <= given.time:
            last[key] = given
    kept = list(last.values())
    for kind in ("ratings", "comparisons"):
        export.drop(kind, "replaced by a later answer", times=len(annotations) - len(kept))
    for question in _names(given.answers for given in kept):
        for given in kept:
            _add(export, question, given)


def _add(export: Export, question: str, given: _Annotation) -> None:
    """Add a rating, and a comparison if the answer is left or right."""
    answer, data = given.answers.get(question), given.data
    side = as_dict(answer).get("selected")
    if answer is None:
        export.drop("comparisons", "empty", question)
    export.rate(question, given.item, given.rater, answer if side is None else side)
    if side is None:
        return
    names = list(data)
    left, right = find_role(names, "left"), find_role(names, "right")
    if left is None or right is None:
        export.absent["comparisons"] = (
            "the export does not name what is compared: it is left and right of each task only. "
            "Keep the names in the task's data, as model_a and model_b"
        )
        return
    export.compare(question, (data[names[left]], data[names[right]]), side, given.rater)
    export.notes.caution(
        f"left is taken to be '{names[left]}' and right '{names[right]}'; which is shown where is "
        "said in the labelling configuration only, so compare them."
    )


def _answer(field: str, value: Any) -> Any:
    """Return an answer as a label, or a list of labels."""
    if field == "taxonomy":
        return ["/".join(map(str, as_list(path))) for path in as_list(value)]
    return {"selected": value} if field == "selected" else value


def _names(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for mapping in mappings for name in mapping))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _cell(value: Any) -> Any:
    """Read a cell that is JSON in text, as in CSV."""
    is_json = isinstance(value, str) and value.startswith(('[{"', '{"choices"'))
    return (parsed(value) or value) if is_json else value


def _is_answer(value: Any) -> bool:
    inside = as_dict(as_list(value)[0]) if as_list(value) else as_dict(value)
    return len(inside) == 1 and next(iter(inside)) in ANSWER_FIELDS


def _unpacked(value: Any) -> Any:
    if not _is_answer(value):
        return value
    parts = as_list(value) or [value]
    if len(parts) > 1:
        return [text_of(_unpacked(part)) for part in parts]
    field, inside = next(iter(as_dict(parts[0]).items()))
    return _answer(field, inside)


def _questions(
    items: Sequence[str | None], fields: Sequence[Mapping[str, Any]]
) -> tuple[list[str], list[str]]:
    """Fields that are answers, and the other fields, which are the data of tasks."""
    by_item: dict[str | None, list[Mapping[str, Any]]] = defaultdict(list)
    for item, own in zip(items, fields, strict=True):
        by_item[item].append(own)
    names = _names(fields)
    questions = [
        name
        for name in names
        if any(_is_answer(own.get(name)) for own in fields)
        or any(len({_json(own.get(name)) for own in group}) > 1 for group in by_item.values())
    ]
    return questions, [name for name in names if name not in questions]


# Potato: files of users, pooled files and exports, of versions 1 and 2.

POTATO_FILES = ("annotated_instances.jsonl", "user_state.json")
POTATO_STATE = "instance_id_to_label_to_value"
POTATO_TEXTS = ("free_response", "text_box", "bad_text")
PERSON = "human"
"""The origin of people; whatever else a file names is a machine."""
NO_LABELS = ("_spans", "_room", "_room_id")
"""What columns of a schema hold beside its labels: spans, and the room of a discussion."""
_TICKED = ("true", "on")
_POTATO_FIELDS = (
    "instance_id", "user_id", "user", "displayed_text", "annotator_origin",
    "annotator_origin_detail",
)  # fmt: skip


def _users_records(document: Document) -> list[Record]:
    """Take what each user says of each item; users are in a folder each, or in one file."""
    if document.form is not Form.ARCHIVE:
        return _records_of(document, document.path.resolve().parent.name)
    paths = [path for path in map(PurePosixPath, document.members) if path.name in POTATO_FILES]
    paths = [path for path in paths if len(path.parts) == 2]
    return [r for path in paths for r in _records_of(document.member(str(path)), path.parts[0])]


def _records_of(document: Document, folder: str) -> list[Record]:
    """Labels by schema in one file; of one user, called as the folder, if it does not name them."""
    if document.form in (Form.COLUMNS, Form.PARQUET):
        return list(map(_of_row, document.records()))
    state = document.object
    if POTATO_STATE in state:
        about = {"user": state.get("user_id") or folder, "origin": state.get("origin")}
        labels_of = as_dict(state[POTATO_STATE])
        return [about | {"item": i, "labels": _of_state(own)} for i, own in labels_of.items()]
    records = document.records()
    items = [record.get("instance_id", record.get("id")) for record in records]
    several = len({*map(text_of, items)}) < len(items)
    if several and not any("user_id" in record for record in records):
        raise POTATO.refused(
            document,
            "answers of several users are pooled, and nothing says whose they are. Give the "
            "folder that has a folder for each user.",
        )
    return [
        {
            "item": item,
            "user": record.get("user_id", folder),
            "labels": as_dict(record.get("label_annotations", record.get("labels"))),
            "origin": record.get("annotator_origin"),
        }
        for item, record in zip(items, records, strict=True)
    ]


def _of_row(row: Record) -> Record:
    labels: dict[str, dict[str, Any]] = {}
    for column, cell in row.items():
        schema, _, label = column.partition(":::" if ":::" in column else ".")
        if column in _POTATO_FIELDS or label in NO_LABELS or cell in ("", None):
            continue
        own = as_dict(parsed(cell)) if isinstance(cell, str) and cell.startswith("{") else {}
        labels.setdefault(schema, {}).update(own or {label: cell})  # the Hub has a schema as JSON
    # The column of a whole schema is the answer, where there is one.
    labels = {name: {"": own[""]} if "" in own else own for name, own in labels.items()}
    user = row.get("user_id", row.get("user"))
    origin = row.get("annotator_origin")
    return {"item": row["instance_id"], "user": user, "labels": labels, "origin": origin}


def _of_state(labels: Any) -> dict[str, Any]:
    """Labels of an item by schema, of which older versions write a list of pairs."""
    by_schema: dict[str, Any] = dict(as_dict(labels))
    for pair in as_list(labels):
        key, value, *_ = [*as_list(pair), None, None]
        schema, name = str(as_dict(key).get("schema")), str(as_dict(key).get("name"))
        by_schema.setdefault(schema, {})[name] = value
    return by_schema


def _label(labels: Mapping[str, Any]) -> Any:
    """Answer to a schema: the value, or the label that is ticked; several are a list."""
    texts = [
        (name, text)
        for name, value in labels.items()
        if name not in POTATO_TEXTS and (text := text_of(value)) is not None
    ]
    chosen = [
        name if name and text.lower() in _TICKED else text
        for name, text in texts
        if text.lower() != "false"
    ]
    # Nothing else is chosen: false is the label if it is called so, and else a box left empty.
    is_false = [name or text for name, text in texts if name.lower() in ("", "false")]
    return chosen or is_false or None


def _by_schema(records: Iterable[Record]) -> Iterator[Record]:
    """Labels of each schema; those of tools and models are predictions."""
    records, texts = list(records), dict[str, dict[str, set[str]]]()
    for record in records:
        for schema, values in record["labels"].items():
            for name, value in as_dict(values).items():
                own = texts.setdefault(schema, {}).setdefault(name, set())
                own.add(str(value).lower())
    # To one box, which is ticked or not, true and false are the answers.
    boxes = {s for s, names in texts.items() if [{"true", "false"}] == [*names.values()]}
    for record in records:
        origin = record["origin"]  # a word, or a record with its kind
        machine = bool(origin) and (as_dict(origin).get("kind") or origin) != PERSON
        for schema, values in record["labels"].items():
            named = as_dict(values) or {"": values}
            label = next(iter(named.values())) if schema in boxes else _label(named)
            answer = {**record, "question": schema, "label": label, "machine": machine}
            if label is not None:
                yield from ({**answer, "person": person} for person in {True, not machine})


POTATO = Answers(
    name="potato", title="Potato", records=_users_records, answers=_by_schema,
    marks=(("COLUMNS", "user", "instance_id", "*:::*"),
           ("COLUMNS", "instance_id", "user_id", "*.*"), ("PARQUET", "instance_id", "user_id"),
           ("label_annotations", "instance_id"), ("label_annotations", "id"),
           ("instance_id", "user_id", "labels.*"), ("OBJECT", POTATO_STATE),
           *((f"*/{name}",) for name in POTATO_FILES)),
    item="item", question="question", label="label", person=("person", None), rater="user",
    classifier="user",
    left_out={"machine rater (predictions)": (lambda a: a["person"] and a["machine"], None)},
)  # fmt: skip
"""Labels by schema, for each user and item."""
