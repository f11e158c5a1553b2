"""Label Studio: JSON, and the short JSON, CSV and TSV that have a record an annotation."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from headcount.errors import count, option, some
from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form
from headcount.io.tools.values import as_dict, as_list, text_of

__all__ = ["LabelStudio", "LabelStudioMin"]

ANSWERS = ("choices", "rating", "number", "taxonomy", "selected")
"""Fields of a value that answer a question about a whole task."""
REGION = {
    "start", "end", "x", "y", "width", "height", "points", "rle", "ranges", "sequence", "vertices",
}  # fmt: skip
"""Fields of a value that answers a question about a region of the task."""
OWN = ("annotator", "annotation_id", "lead_time", "created_at", "updated_at")
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
            field = next((name for name in ANSWERS if name in value), None)
            # A page or an image of several is a part of the task, too.
            if field is None or REGION & set(value) or result.get("item_index") is not None:
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
            return {*OWN, "id"} <= set(document.columns)
        records = document.head if document.form is Form.ARRAY else []
        return bool(records) and all({*OWN, "id"} <= set(record) for record in records)

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
    return {name: value for name, value in record.items() if name not in (*OWN, "id", "agreement")}


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
    return len(inside) == 1 and next(iter(inside)) in ANSWERS


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
