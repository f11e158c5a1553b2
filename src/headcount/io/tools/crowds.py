"""Crowds and surveys: Mechanical Turk, Ground Truth, Appen, Toloka, Qualtrics."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from headcount.data.vocabulary import number_of
from headcount.errors import count, option, some
from headcount.io.plain_values import on_one_scale
from headcount.io.reading import Reading
from headcount.io.roles import ABOUT_THEM
from headcount.io.tools.contents import as_dict, as_list, joined, text_of
from headcount.io.tools.exports import Document, Export, Form, Tool
from headcount.io.values import Several

__all__ = [
    "MTurk",
    "GroundTruth",
    "Appen",
    "Qualtrics",
]


# Amazon Mechanical Turk: the CSV of a batch's results.

MTURK_COLUMNS = {"HITId", "AssignmentId", "WorkerId"}
MTURK_STATUS = "AssignmentStatus"
MOST_MTURK_LABELS = 20
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
        answers = MTURK_STATUS in names or any(name.startswith("Answer.") for name in names)
        return set(names) >= MTURK_COLUMNS and answers

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
            if str(row.get(MTURK_STATUS) or "").strip().lower() == "rejected":
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
    many = len(values) > MOST_MTURK_LABELS and 2 * len(values) > len(given)
    return many or any(len(value) > 200 for value in values)


# SageMaker Ground Truth: answers of all workers, before they are made into one label.

ABOUT, OF_ALL = "-metadata", "annotationsFromAllWorkers"


class GroundTruth(Tool):
    """Requests for consolidation, and manifests of jobs that keep the answers of all workers."""

    name = "ground-truth"
    title = "SageMaker Ground Truth"

    def recognises(self, document: Document) -> bool:
        """Whether objects have annotations of workers, or metadata of a job."""
        return bool(document.head) and all(
            _is_request(one) or bool(_jobs(one)) for one in document.head
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each answer of a worker that is a label; boxes and spans are left out."""
        export, records = Export(), document.records()
        export.records = len(records)
        left_out: set[str] = set()
        for number, one in enumerate(records, 1):
            request = _is_request(one)
            given = one.get("annotations") if request else _of_all(one)
            if given is None:
                raise self.refused(
                    document,
                    "a manifest with one label for each object, which is made of the workers' "
                    "answers; whose they are is not in it. Give the files of the job's output in "
                    "annotations/consolidated-annotation/consolidation-request.",
                )
            own = one.get("datasetObjectId") if request else one.get("source-ref", number)
            for annotation in map(as_dict, as_list(given)):
                content = _content(annotation)
                answers = answers_of(json.dumps([content]))
                left_out |= set(content) - set(answers)
                for question, answer in answers.items():
                    export.rate(question, own, annotation.get("workerId"), answer)
        if left_out:
            export.notes.info(
                f"{document.name}: boxes, spans and the like are no ratings; left out: "
                f"{some(sorted(left_out), 6)}."
            )
        return export


def _is_request(one: Mapping[str, Any]) -> bool:
    """Whether a record asks for the answers to one object to be made into a label."""
    workers = [as_dict(annotation) for annotation in as_list(one.get("annotations"))]
    return "datasetObjectId" in one and all(
        "workerId" in worker and "annotationData" in worker for worker in workers
    )


def _jobs(one: Mapping[str, Any]) -> list[str]:
    """Attributes of a line of a manifest that a job wrote."""
    return [
        name.removesuffix(ABOUT)
        for name, about in one.items()
        if name.endswith(ABOUT) and str(as_dict(about).get("type")).startswith("groundtruth/")
    ]


def _of_all(one: Mapping[str, Any]) -> Any:
    """Answers of all workers in a line of a manifest; None if it has only the label."""
    found = [as_dict(one.get(job)).get(OF_ALL) for job in _jobs(one)]
    return next((answers for answers in found if answers is not None), None)


def _content(annotation: Mapping[str, Any]) -> dict[str, Any]:
    """Read what a worker sent: a form, as JSON in a text."""
    content = as_dict(annotation.get("annotationData")).get("content")
    try:
        return as_dict(json.loads(content) if isinstance(content, str) else content)
    except ValueError:
        return {}


# Appen, once Figure Eight and CrowdFlower: the full report of a job.

_APPEN_UNIT, _APPEN_WORKER = "_unit_id", "_worker_id"
_GOLD, _TRUE = "_gold", ("true", "1")
_SEVERAL = "\n"
"""Between the answers of one worker to a question that takes several."""


class Appen(Tool):
    """Judgments, with the unit, the worker and what each column of answers says."""

    name = "appen"
    title = "Appen"
    kinds = ("ratings",)

    def recognises(self, document: Document) -> bool:
        """Whether there are columns of units and workers, as in every full report."""
        names = document.columns if document.form is Form.COLUMNS else []
        return {_APPEN_UNIT, _APPEN_WORKER} <= set(names) and "_trust" in names

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each column of answers as a question; test questions are dropped."""
        export, rows = Export(), document.records()
        export.records = len(rows)
        for question in _answer_columns(document.columns, rows):
            for row in rows:
                if row.get("_golden", "").strip().lower() in _TRUE:
                    export.drop("ratings", "test question", question)
                elif row.get("_tainted", "").strip().lower() in _TRUE:
                    export.drop("ratings", "tainted", question)
                else:
                    answers = [part for part in row[question].split(_SEVERAL) if part.strip()]
                    export.rate(question, row[_APPEN_UNIT], row[_APPEN_WORKER], answers)
        return export


def _answer_columns(names: list[str], rows: list[dict[str, Any]]) -> list[str]:
    """Columns of answers: those that have a twin of gold answers, or else differ in some unit."""
    twins = [name for name in names if f"{name}{_GOLD}" in names]
    if twins:
        return twins
    own = [name for name in names if not name.startswith("_") and not name.endswith(_GOLD)]
    return [name for name in own if _differs(name, rows)]


def _differs(name: str, rows: list[dict[str, Any]]) -> bool:
    """Whether workers say different things of one unit, as they do not of what they are shown."""
    seen: dict[str, str] = {}
    return any(seen.setdefault(row[_APPEN_UNIT], row[name]) != row[name] for row in rows)


# Qualtrics: survey responses with three header rows, one respondent a row.

_NO_RATING = re.compile(r".*(_TEXT|_DO(_.*)?|_FIRST_CLICK|_LAST_CLICK|_PAGE_SUBMIT|_CLICK_COUNT)")
_UNSEEN = "-99"
ORIGINS = {
    "_recordId": "ResponseId", "status": "Status", "finished": "Finished",
    "distributionChannel": "DistributionChannel",
}  # fmt: skip
"""Columns that say who answered, and whether that counts: their origins and their names."""
MOST_QUALTRICS_LABELS = 20
MANY = 8
"""Answers of which two different ones are few, where the scale has five."""
_YES_NO = (frozenset({"1", "2"}), frozenset({"0", "1"}))
"""How answers to other questions, such as yes and no, are coded."""


class _Column(NamedTuple):
    place: int
    name: str
    base: str
    asked_by: str
    values: frozenset[str]
    answers: int
    stem: str | None
    """What is asked of all items of a table; None for a question that is none."""
    personal: bool = False

    def alike(self, other: _Column) -> bool:
        """Whether two columns are of one question, or of questions that are answered alike.

        Questions of one loop, and parts of one side-by-side question, are asked of the same things.
        """
        if self.asked_by == other.asked_by:
            return self.base == other.base
        if None not in (self.stem, other.stem) and self.stem != other.stem:
            return False  # two tables of items, about which other things are asked
        return bool(self.values & other.values) or on_one_scale(self.values, other.values)


class _Header(NamedTuple):
    """The three header rows: names of columns, what was asked, and where columns come from."""

    names: list[str]
    texts: list[str]
    sources: list[dict[str, Any]]

    def text(self, place: int) -> str:
        """Return what was asked."""
        return self.texts[place] if place < len(self.texts) else ""

    def stem(self, place: int) -> str:
        """Return what is asked of all items of a table: `How good is it? - item 3`, but its end."""
        return self.text(place).rpartition(" - ")[0].strip()


class Qualtrics(Tool):
    """Respondents are the raters, columns of questions the items."""

    name = "qualtrics"
    title = "Qualtrics"

    def recognises(self, document: Document) -> bool:
        """Whether the third row says where each column comes from."""
        rows = document.head_rows
        cells = [cell for cell in rows[2] if cell.strip()] if len(rows) > 2 else []
        return bool(cells) and all(re.match(r'\s*\{\s*"ImportId"', cell) for cell in cells)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the columns of questions, turned round; previews and the like are dropped."""
        export, rows = Export(), document.rows()
        header = _Header(rows[0], rows[1], [_source(cell) for cell in rows[2]])
        names, sources, rows = header.names, header.sources, rows[3:]
        export.records = len(rows)
        place = {str(source.get("ImportId")): i for i, source in enumerate(sources)}
        for source, name in ORIGINS.items():
            if name in names:  # some programs write other origins
                place.setdefault(source, names.index(name))
        if "_recordId" not in place:
            raise self.refused(document, "no column of response ids; export it with them.")
        columns, left_out = _columns(header, rows, reading)
        if left_out:
            export.notes.info(
                f"{document.name}: texts, orders, times and choices of several are no ratings; "
                f"left out: {some(left_out, 6)}."
            )
        unseen = 0
        for question, own in _alike_answered(columns):
            self._check(document, export, question, own, reading)
            for row in rows:
                answers = {c.name: row[c.place].strip() for c in own if c.place < len(row)}
                unseen += sum(answer == _UNSEEN for answer in answers.values())
                given = {i: a for i, a in answers.items() if a and a != _UNSEEN}
                reason = _dropped(row, place)
                if reason:
                    export.drop("ratings", reason, question, len(given))
                    continue
                for item, answer in given.items():
                    export.rate(question, item, row[place["_recordId"]], answer)
        if unseen:
            export.notes.caution(
                f"{document.name}: {count(unseen, 'answer')} of {_UNSEEN}, which Qualtrics writes "
                "for a question seen but not answered, are missing."
            )
        return export

    def _check(
        self,
        document: Document,
        export: Export,
        question: str,
        own: list[_Column],
        reading: Reading,
    ) -> None:
        """Refuse a question that seems to be another one; say where several are read as one."""
        bases = Counter(column.base for column in own)
        if len(bases) == 1:
            return
        scale = frozenset[str]().union(*(column.values for column in own))
        alone = [one for one in own if one.stem is None]
        alone = alone if len(alone) < len(own) else [one for one in own if one.personal]
        if 0 < len(alone) < len(own) and question != reading.question:
            raise self.refused(
                document,
                f"{some([one.name for one in alone], 12)} "
                f"{'seems a question of its own' if len(alone) == 1 else 'seem questions apart'} "
                f"from the other {count(len(own) - len(alone), 'column')}, with answers in common. "
                "Leave out what is no item with "
                f"{option('ignore', Several([one.name for one in alone]))}; or read all with "
                f"{option('question', question)}.",
            )
        odd = [one for one in own if bases[one.base] == 1 and one.values in _YES_NO]
        odd = [one for one in odd if one.answers >= MANY and len(scale) > 4]
        if 0 < len(odd) < len(own) and question != reading.question:
            has = "has" if len(odd) == 1 else "have"
            raise self.refused(
                document,
                f"{some([one.name for one in odd], 12)} {has} the answers "
                f"{some(sorted(odd[0].values))} only, where others of the {len(own)} columns have "
                "more: if that is another question, leave it out with "
                f"{option('ignore', Several([one.name for one in odd]))}; if not, read all with "
                f"{option('question', question)}.",
            )
        export.notes.caution(
            f"{document.name}: {len(bases)} questions with answers in common are read as one, "
            f"'{question}', with the {len(own)} columns as items: "
            f"{some([column.name for column in own], 6)}. Leave out what is none with "
            f"{option('ignore', ...)}."
        )


def _source(cell: str) -> dict[str, Any]:
    try:
        return as_dict(json.loads(cell)) if cell.strip() else {}
    except ValueError:
        return {}


def _columns(
    header: _Header, rows: list[list[str]], reading: Reading
) -> tuple[list[_Column], list[str]]:
    """Columns that are items, and names of those of questions that are not."""
    columns: list[_Column] = []
    left_out: list[str] = []
    for i, (name, source) in enumerate(zip(header.names, header.sources, strict=False)):
        origin = str(source.get("ImportId", ""))
        found = re.search(r"(\d+_)?(QID\d+)(#\d+)?", origin)
        if not found or name in reading.ignore:
            continue
        cells = [row[i].strip() for row in rows if i < len(row)]
        given = [cell for cell in cells if cell and cell != _UNSEEN]
        values = frozenset(given)
        worded = any(number_of(value) is None for value in values)
        free = worded and len(values) > MOST_QUALTRICS_LABELS and 2 * len(values) > len(given)
        if _NO_RATING.fullmatch(origin) or "choiceId" in source or free:
            left_out.append(name)
        elif values:
            loop, question, part = found.groups()
            base = f"{question}{part or ''}"
            asked_by = "loop" if loop else question
            personal = bool(ABOUT_THEM.search(f"{name.replace('_', ' ')} {header.text(i)}"))
            columns.append(_Column(i, name, base, asked_by, values, len(given), None, personal))
    times = Counter(column.base for column in columns)
    tables = [
        one._replace(stem=header.stem(one.place)) if times[one.base] > 1 else one for one in columns
    ]
    return tables, left_out


def _alike_answered(columns: list[_Column]) -> list[tuple[str, list[_Column]]]:
    """Group columns that are answered alike: of one question, or with answers in common."""
    groups: list[list[_Column]] = []
    for column in columns:
        alike = [group for group in groups if any(column.alike(one) for one in group)]
        merged = [one for group in alike for one in group] + [column]
        groups = [group for group in groups if group not in alike] + [merged]
    named = [(_name([one.name for one in group]), sorted(group)) for group in groups]
    return sorted(named, key=lambda pair: pair[1][0].place)


def _name(names: list[str]) -> str:
    """Name a group of columns: what their names begin or end with, or the first."""
    if len(names) == 1:
        return names[0]
    start = _start(names).rstrip("_. -#")
    end = _start([name[::-1] for name in names])[::-1].lstrip("_. -#")
    looped = all(re.match(r"\d+_", name) for name in names)
    return (end if looped else start) or names[0]


def _start(names: list[str]) -> str:
    first, last = min(names), max(names)
    length = next((i for i in range(len(first)) if first[i] != last[i : i + 1]), len(first))
    return first[:length]


def _dropped(row: list[str], place: dict[str, int]) -> str | None:
    """Why a response does not count; None if it does."""

    def cell(source: str) -> str:
        i = place.get(source)
        return "" if i is None or i >= len(row) else row[i].strip().lower()

    status = cell("status")
    if status in ("survey preview", "1") or cell("distributionChannel") == "preview":
        return "preview"
    if status in ("spam", "8"):
        return "spam"
    if cell("finished") in ("false", "0"):
        return "unfinished"
    return None
