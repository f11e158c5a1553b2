"""Label Studio, Labelbox and Potato: a record an item, with who answered what."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from headcount.errors import count, option, some
from headcount.io.reading import Reading
from headcount.io.roles import find_role
from headcount.io.tools.contents import as_dict, as_list, parsed, text_of
from headcount.io.tools.exports import Document, Export, Form, Tool

__all__ = [
    "LabelStudio",
    "LabelStudioMin",
    "Labelbox",
    "Potato",
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


class LabelStudio(Tool):
    """Tasks with their annotations and predictions."""

    name = "label-studio"
    title = "Label Studio"

    def recognises(self, document: Document) -> bool:
        """Whether tasks have data and annotations with results."""
        tasks = document.head if document.form in (Form.ARRAY, Form.LINES) else []
        if not tasks or not all(isinstance(task.get("data"), dict) for task in tasks):
            return False
        lists = [_annotations(task) for task in tasks]
        if not all(isinstance(task.get("annotations", task.get("completions")), list)
                   for task in tasks):  # fmt: skip
            return False
        return any("result" in as_dict(one) for some_ in lists for one in some_) or all(
            "predictions" in task for task in tasks
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read annotations as ratings and comparisons, and predictions of models."""
        export, tasks = Export(), document.records()
        export.records = len(tasks)
        whole = [(task.get("id"), {"": as_dict(task.get("data"))}, _who(task)) for task in tasks]
        same = _same_content(whole, export, document)
        tasks = [task | {"id": same.get(text_of(task.get("id")), task.get("id"))} for task in tasks]
        regions: set[str] = set()
        given: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = []
        predicted: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = []
        bare = 0
        first_ids: set[str | None] = set()
        for task in tasks:
            for annotation in map(as_dict, _annotations(task)):
                if annotation.get("was_cancelled") or annotation.get("skipped"):
                    export.drop("ratings", "cancelled")
                    export.drop("comparisons", "cancelled")
                    continue
                answers = self._answers(document, task, annotation, regions)
                given.append((task, annotation, answers))
            copy = text_of(task.get("id")) in first_ids
            first_ids.add(text_of(task.get("id")))
            for prediction in as_list(task.get("predictions")):
                if copy:
                    export.drop("predictions", "copy of the task")
                    continue
                if isinstance(prediction, dict):
                    one = as_dict(prediction)
                    predicted.append((task, one, self._answers(document, task, one, regions)))
                else:
                    bare += 1
        latest, replaced = _latest(
            [((text_of(task.get("id")), _rater(one)), one) for task, one, _ in given]
        )
        export.drop("ratings", "replaced by a later answer", times=replaced)
        export.drop("comparisons", "replaced by a later answer", times=replaced)
        kept = [row for row, keep in zip(given, latest, strict=True) if keep]
        for question in _names(answers for _, _, answers in kept):
            for task, annotation, answers in kept:
                _add(export, question, task.get("id"), as_dict(task.get("data")),
                     _rater(annotation), answers.get(question))  # fmt: skip
        for question in _names(answers for _, _, answers in predicted):
            for task, prediction, answers in predicted:
                model = prediction.get("model_version") or "prediction"
                # The score is of all answers; it is that of one if there is one.
                sure = prediction.get("score") if len(answers) == 1 else None
                export.predict(question, task.get("id"), model, answers.get(question), sure)
        if bare:
            export.absent["predictions"] = (
                "predictions are ids only. Export a snapshot with predictions in full "
                "(serialization_options: predictions.only_id = false)"
            )
        if regions:
            export.notes.info(
                f"{document.name}: regions, texts, rankings and the like are not ratings; left "
                f"out: {some(sorted(regions), 6)}."
            )
        true = sum(bool(annotation.get("ground_truth")) for _, annotation, _ in kept)
        if true:
            export.notes.caution(
                f"{document.name}: {count(true, 'annotation')} marked as ground truth, read as "
                "ratings of those who gave them."
            )
        return export

    def _answers(
        self,
        document: Document,
        task: Mapping[str, Any],
        annotation: Mapping[str, Any],
        regions: set[str],
    ) -> dict[str, Any]:
        """Answers of one annotation by question."""
        answers: dict[str, Any] = {}
        for result in map(as_dict, as_list(annotation.get("result"))):
            question, value = str(result.get("from_name")), as_dict(result.get("value"))
            field = next((name for name in ANSWER_FIELDS if name in value), None)
            # A page or an image of several is a part of the task, too.
            if field is None or REGION_FIELDS & set(value) or result.get("item_index") is not None:
                regions.add(question)
                continue
            if question in answers:
                raise self.refused(
                    document,
                    f"task {task.get('id')} has several answers to '{question}' in one annotation, "
                    "as questions about regions have. Only questions about whole tasks are read.",
                )
            answers[question] = _answer(field, value[field])
        return answers


class LabelStudioMin(Tool):
    """Records of one annotation each: JSON_MIN, CSV and TSV."""

    name = "label-studio-min"
    title = "Label Studio"

    def recognises(self, document: Document) -> bool:
        """Whether records have the five fields that the converter always writes."""
        if document.form is Form.COLUMNS:
            return {*CONVERTER_FIELDS, "id"} <= set(document.columns)
        records = document.head if document.form is Form.ARRAY else []
        return bool(records) and all({*CONVERTER_FIELDS, "id"} <= set(record) for record in records)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read annotations; a field that is not the same for all who saw a task is a question."""
        export = Export()
        records = [_parsed_cells(record) for record in document.records()]
        export.records = len(records)
        seen = [(one["id"], _fields(one), [text_of(one.get("annotator"))]) for one in records]
        same = _same_content(seen, export, document)
        records = [one | {"id": same.get(text_of(one["id"]), one["id"])} for one in records]
        latest, replaced = _latest(
            [((text_of(one["id"]), text_of(one.get("annotator"))), one) for one in records]
        )
        records = [one for one, keep in zip(records, latest, strict=True) if keep]
        questions, others = _questions(records)
        if reading.question in others:
            questions = [*questions, str(reading.question)]
        if not questions:
            raise self.refused(
                document,
                "no question found: every field is the same for all raters of a task. Name it with "
                f"{option('question', ...)}: {some(others, 12)}.",
            )
        for question in questions:
            export.drop("ratings", "replaced by a later answer", question, replaced)
            for one in records:
                answer = _unpacked(one.get(question))
                rater = text_of(one.get("annotator"))
                _add(export, question, one["id"], one, rater, answer)
        return export


def _annotations(task: Mapping[str, Any]) -> list[Any]:
    return as_list(task.get("annotations", task.get("completions")))


def _who(task: Mapping[str, Any]) -> list[str | None]:
    return [_rater(as_dict(one)) for one in _annotations(task)]


def _fields(record: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a record that are answers or data of the task."""
    return {
        name: value
        for name, value in record.items()
        if name not in (*CONVERTER_FIELDS, "id", "agreement")
    }


def _same_content(
    tasks: Sequence[tuple[Any, Mapping[str, Any], Sequence[str | None]]],
    export: Export,
    document: Document,
) -> dict[str | None, Any]:
    """Tasks that were imported once for each rater, by id, with the id of the first of them.

    Parameters
    ----------
    tasks : sequence of (id, fields, raters)
        None has more than one rater, or every task is left as it is.
    export : Export
        Which is told.
    document : Document
    """
    ids = [text_of(task) for task, _, _ in tasks]
    if len(set(ids)) < len(ids) or any(len(set(raters)) > 1 for _, _, raters in tasks):
        return {}
    content = ""
    groups: dict[str, list[int]] = {}
    for field in dict.fromkeys(name for _, fields, _ in tasks for name in fields):
        by: dict[str, list[int]] = defaultdict(list)
        for place, (_, fields, _) in enumerate(tasks):
            by[json.dumps(fields.get(field), sort_keys=True, default=str)].append(place)
        if len(by) == len(tasks):
            return {}  # it is another thing each time that is shown
        raters = [[who for place in places for who in tasks[place][2]] for places in by.values()]
        # What is shown is seen by several raters, and by none of them twice; an answer is not so.
        shown = all(len(set(who)) == len(who) and None not in who for who in raters)
        if shown and any(len(who) > 1 for who in raters) and len(by) > len(groups):
            content, groups = field, dict(by)
    first = {ids[place]: tasks[places[0]][0] for places in groups.values() for place in places}
    if first:
        named = f"'{content}'" if content else "data"
        export.notes.caution(
            f"{document.name}: every task has one annotation, and the same {named} is in several; "
            f"those are taken for one item, {count(len(groups), 'item')} in all, called by the "
            "first id."
        )
    return first


def _rater(annotation: Mapping[str, Any]) -> str | None:
    by = annotation.get("completed_by")
    return text_of(as_dict(by).get("email") or as_dict(by).get("id")) or text_of(by)


def _answer(field: str, value: Any) -> Any:
    """Return an answer as a label, or a list of labels."""
    if field == "taxonomy":
        return ["/".join(map(str, as_list(path))) for path in as_list(value)]
    return {"selected": value} if field == "selected" else value


def _add(
    export: Export, question: str, item: Any, data: Mapping[str, Any], rater: Any, answer: Any
) -> None:
    """Add a rating, and a comparison if the answer is left or right."""
    side = as_dict(answer).get("selected")
    if side is None:
        if answer is None:
            export.drop("comparisons", "empty", question)
        export.rate(question, item, rater, answer)
        return
    export.rate(question, item, rater, side)
    names = list(data)
    left, right = find_role(names, "left"), find_role(names, "right")
    if left is None or right is None:
        why = (
            "the export does not name what is compared: it is left and right of each task only. "
            "Keep the names in the task's data, as model_a and model_b"
        )
        export.absent["comparisons"] = why
        export.notes.caution(f"no comparisons can be read of '{question}': {why}.")
        return
    export.compare(question, (data[names[left]], data[names[right]]), side, rater)
    export.notes.caution(
        f"left is taken to be '{names[left]}' and right '{names[right]}'; which is shown where is "
        "said in the labelling configuration only, so compare them."
    )


def _latest(keyed: list[tuple[tuple[Any, Any], Mapping[str, Any]]]) -> tuple[list[bool], int]:
    """Say which annotations are the last of a rater on a task, and count the others."""
    last: dict[tuple[Any, Any], int] = {}
    for place, (key, one) in enumerate(keyed):
        if key[1] is None:
            continue
        before = last.get(key)
        if before is None or _time(keyed[before][1]) <= _time(one):
            last[key] = place
    kept = [key[1] is None or last[key] == place for place, (key, _) in enumerate(keyed)]
    return kept, kept.count(False)


def _time(annotation: Mapping[str, Any]) -> str:
    return str(annotation.get("updated_at") or "")


def _names(answers: Any) -> list[str]:
    return list(dict.fromkeys(name for one in answers for name in one))


def _parsed_cells(record: Mapping[str, Any]) -> dict[str, Any]:
    """Read the cells of a record that are JSON in text, as in CSV."""
    return {name: _cell(value) for name, value in record.items() if value not in ("", None)} | {
        "id": record.get("id")
    }


def _cell(value: Any) -> Any:
    if isinstance(value, str) and value.startswith(('[{"', '{"choices"')):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


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


def _questions(records: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Fields that are answers, and the other fields, which are the data of tasks."""
    fields = _names(map(_fields, records))
    by_task: dict[str | None, list[dict[str, Any]]] = defaultdict(list)
    for record in records:
        by_task[text_of(record["id"])].append(record)
    questions: list[str] = []
    for name in fields:
        answered = any(_is_answer(record.get(name)) for record in records)
        varies = any(
            len({json.dumps(one.get(name), sort_keys=True, default=str) for one in task}) > 1
            for task in by_task.values()
        )
        if answered or varies:
            questions.append(name)
    return questions, [name for name in fields if name not in questions]


# Labelbox: the export of a project, one data row a line.

RADIO, CHECKLIST = "radio_answer", "checklist_answers"


class Labelbox(Tool):
    """Data rows, with the labels of each project and who gave them."""

    name = "labelbox"
    title = "Labelbox"

    def recognises(self, document: Document) -> bool:
        """Whether records have a data row and labels of projects."""
        return bool(document.head) and all(
            as_dict(one.get("data_row")) and isinstance(one.get("projects"), dict)
            for one in document.head
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read radio buttons and checklists about whole data rows; skipped labels are dropped."""
        export, records = Export(), document.records()
        export.records = len(records)
        left_out: set[str] = set()
        unnamed = 0
        for one in records:
            row = as_dict(one["data_row"])
            item = row.get("global_key") or row.get("external_id") or row.get("id")
            for label in _labels(one):
                if as_dict(label.get("performance_details")).get("skipped"):
                    export.drop("ratings", "skipped")
                    continue
                rater = as_dict(label.get("label_details")).get("created_by")
                unnamed += rater is None
                for question, answer in _classifications(as_dict(label.get("annotations"))):
                    if answer is None:
                        left_out.add(question)
                    else:
                        export.rate(question, item, rater, answer)
        if unnamed:
            export.notes.warning(
                f"{document.name}: labels do not say by whom they are. Export with label_details."
            )
        if left_out:
            export.notes.info(
                f"{document.name}: texts and regions are no ratings; left out: "
                f"{some(sorted(left_out), 6)}."
            )
        return export


def _labels(one: Mapping[str, Any]) -> list[dict[str, Any]]:
    projects = map(as_dict, as_dict(one.get("projects")).values())
    return [as_dict(label) for project in projects for label in as_list(project.get("labels"))]


def _classifications(annotations: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Questions about a data row with their answers, nested ones too; None for what is no label."""
    for region in map(as_dict, as_list(annotations.get("objects"))):
        yield str(region.get("name")), None
    asked = [as_dict(one) for one in as_list(annotations.get("classifications"))]
    while asked:
        one = asked.pop(0)
        name = str(one.get("name"))
        if RADIO in one:
            chosen = [as_dict(one[RADIO])]
            yield name, [answer.get("name") for answer in chosen]
        elif CHECKLIST in one:
            chosen = [as_dict(answer) for answer in as_list(one[CHECKLIST])]
            yield name, [answer.get("name") for answer in chosen]
        else:
            chosen = []
            yield name, None
        asked += [as_dict(sub) for own in chosen for sub in as_list(own.get("classifications"))]


# Potato: files of users, pooled files and exports, of versions 1 and 2.

POTATO_FILES = ("annotated_instances.jsonl", "user_state.json")
POTATO_STATE = "instance_id_to_label_to_value"
POTATO_TEXTS = ("free_response", "text_box", "bad_text")
PERSON = "human"
"""The origin of people; whatever else a file names is a machine."""
NO_LABELS = ("_spans", "_room", "_room_id")
"""What columns of a schema hold beside its labels: spans, and the room of a discussion."""
_TICKED = ("true", "True", "on")
_POTATO_FIELDS = (
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
            return any(name.name in POTATO_FILES and len(name.parts) == 2 for name in names)
        if document.form is Form.COLUMNS:
            columns = document.columns
            first = {"user", "instance_id"} <= set(columns) and any(":::" in c for c in columns)
            second = columns[:2] == ["instance_id", "user_id"] and any("." in c for c in columns)
            return first or second
        if document.form is Form.PARQUET:
            return document.columns[:2] == ["instance_id", "user_id"]
        if isinstance(document.object.get(POTATO_STATE), dict):
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
                if place.name in POTATO_FILES and len(place.parts) == 2:
                    yield from self._of_file(document.member(name), place.parts[0])
        else:
            yield from self._of_file(document, document.path.resolve().parent.name)

    def _of_file(self, document: Document, folder: str) -> Iterator[_Answers]:
        """Answers of one file; of one user, called as the folder, if it does not name them."""
        if document.form in (Form.COLUMNS, Form.PARQUET):
            yield from map(_of_row, document.records())
            return
        if POTATO_STATE in document.object:
            user = document.object.get("user_id") or folder
            machine = _is_machine(document.object.get("origin"))
            for item, found in as_dict(document.object[POTATO_STATE]).items():
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
        if column in _POTATO_FIELDS or cell in ("", None):
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
        if name in POTATO_TEXTS or isinstance(value, dict):
            continue
        text = text_of(value)
        if text is not None and text not in ("false", "False"):
            chosen.append(name if text in _TICKED and name else text)
    return chosen or None
