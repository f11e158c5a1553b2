"""Crowds, surveys and evaluations: Mechanical Turk, Ground Truth, Qualtrics; Inspect, lm-eval."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from headcount.errors import count, option, some
from headcount.io.reading import Reading
from headcount.io.roles import ABOUT_THEM
from headcount.io.tools.contents import (
    Document,
    Form,
    as_dict,
    as_dicts,
    as_list,
    joined,
    parsed,
    text_of,
)
from headcount.io.tools.exports import Export, Tool
from headcount.io.tools.simple import EVERY, Answers, Record
from headcount.io.values import Several

__all__ = [
    "MTURK",
    "GROUND_TRUTH",
    "Qualtrics",
    "INSPECT",
    "LmEval",
]


# Amazon Mechanical Turk: the CSV of a batch's results.

MTURK_COLUMNS = ("HITId", "AssignmentId", "WorkerId")
MTURK_STATUS = "AssignmentStatus"
_COMMENT = re.compile(
    r"comments?|feedback|suggestions?|reason|explanation|rationale|e?mail|surveycode",
    re.IGNORECASE,
)
_EMPTY = ("{}", "[]")
"""What a form that was sent without a choice writes."""
_BOOLS = {"true": True, "false": False}


def _assignments(rows: Iterable[Record]) -> Iterator[Record]:
    """Answers of each assignment to all questions; of a rejected one that it is."""
    rows = list(rows)
    alone = _alone(list(rows[0]) if rows else [])
    given = [_answers(row, alone) for row in rows]
    questions = list(dict.fromkeys(name for own in given for name in own))
    free = [name for name in questions if _is_free(name)]
    comments = free if len(free) < len(questions) else []
    for row, own in zip(rows, given, strict=True):
        if str(row.get(MTURK_STATUS) or "").strip().lower() == "rejected":
            yield {"end": "rejected"}
            continue
        for name in questions:
            answer = {"question": name, "answer": own.get(name), "comment": name in comments}
            yield {**row, **answer}


def _alone(columns: list[str]) -> frozenset[str]:
    """Names of questions with one box to tick, so that not to tick it is an answer."""
    names = [name.removeprefix("Answer.") for name in columns if name.startswith("Answer.")]
    times = Counter(name.partition(".")[0] for name in names if "." in name)
    return frozenset(name for name, number in times.items() if number == 1)


def _answers(row: Record, alone: frozenset[str]) -> dict[str, str | None]:
    """Answers of an assignment by question."""
    answers: dict[str, str | None] = {}
    groups: dict[str, dict[str, bool]] = {}
    for column, cell in row.items():
        if not column.startswith("Answer."):
            continue
        name, text = column.removeprefix("Answer."), str(cell or "").strip()
        text = "" if text in _EMPTY else text
        if name == "taskAnswers":
            answers |= answers_of(as_dicts(parsed(text)))
        elif text.lower() in _BOOLS and "." in name:
            group, _, chosen = name.partition(".")
            groups.setdefault(group, {})[chosen] = _BOOLS[text.lower()]
        elif text or "." not in name or name.endswith(".label"):
            answers[name.removesuffix(".label")] = text or None
    return answers | {name: _chosen(group, name in alone) for name, group in groups.items()}


def answers_of(forms: list[dict[str, Any]]) -> dict[str, str | None]:
    """Answers to forms of crowd elements, by question; boxes around objects are left out."""
    answers: dict[str, str | None] = {}
    for form in forms:
        for name, value in form.items():
            inside = as_dict(value)
            if inside and all(isinstance(flag, bool) for flag in inside.values()):
                answers[name] = _chosen(inside, len(inside) == 1)
            elif {"label", "labels"} & {*inside}:
                answers[name] = text_of(inside.get("label", inside.get("labels")))
            elif not inside:
                answers[name] = None if value in ("", None) else str(value)
    return answers


def _chosen(group: dict[str, bool], alone: bool) -> str | None:
    if alone:
        return str(next(iter(group.values())))
    return joined(name for name, chosen in group.items() if chosen)


def _is_free(name: str) -> bool:
    """Whether a question is called as comments and the like are."""
    return any(_COMMENT.fullmatch(word) for word in re.split(r"[._\-\s]+", name))


MTURK = Answers(
    name="mturk", title="Mechanical Turk", answers=_assignments,
    marks=((*MTURK_COLUMNS, "Answer.*"), (*MTURK_COLUMNS, MTURK_STATUS)),  # Turkle has no status
    item="HITId", question="question", label="answer", person=EVERY, rater="WorkerId",
    pair=("Input.left", "Input.right"), left_out={"REJECTED": ("end", ("rejected",))},
    no_label=("comment", None),
)  # fmt: skip
"""Assignments, with the worker, the status and the answers."""


# SageMaker Ground Truth: answers of all workers, before they are made into one label.

ABOUT, OF_ALL = "-metadata", "annotationsFromAllWorkers"


def _answers_of_workers(records: Iterable[Record]) -> Iterator[Record]:
    """Answers of the workers to each object, in requests or in the lines of a manifest."""
    for number, record in enumerate(records, 1):
        item = record.get("datasetObjectId", record.get("source-ref", number))
        given = [as_dict(record.get(job)).get(OF_ALL) for job in _jobs(record)]
        given = [record["annotations"]] if _is_request(record) else given
        for annotation in as_dicts(next((one for one in given if one is not None), None)):
            content = as_dict(annotation.get("annotationData")).get("content")
            form = as_dict(parsed(content) if isinstance(content, str) else content)
            answers = answers_of([form])
            for name in form:
                answer = {"question": name, "answer": answers.get(name), "box": name not in answers}
                yield {"item": item, "worker": annotation.get("workerId"), **answer}


def _is_request(record: Mapping[str, Any]) -> bool:
    """Whether a record asks for the answers to one object to be made into a label."""
    workers = as_dicts(record.get("annotations"))
    return "datasetObjectId" in record and all(
        {"workerId", "annotationData"} <= {*worker} for worker in workers
    )


def _jobs(record: Mapping[str, Any]) -> list[str]:
    """Attributes of a line of a manifest that a job wrote."""
    return [
        name.removesuffix(ABOUT)
        for name, about in record.items()
        if name.endswith(ABOUT) and str(as_dict(about).get("type")).startswith("groundtruth/")
    ]


GROUND_TRUTH = Answers(
    name="ground-truth", title="SageMaker Ground Truth", answers=_answers_of_workers,
    marks=(("datasetObjectId", "annotations.annotationData"), (f"*{ABOUT}.job-name",)),
    item="item", question="question", label="answer", person=EVERY, rater="worker",
    no_label=("box", None),
    absent="the manifest has one label for each object, and not the workers' answers of which it "
           "is made. Give the files of the job's output in "
           "annotations/consolidated-annotation/consolidation-request",
)  # fmt: skip
"""Requests for consolidation, and manifests of jobs that keep the answers of all workers."""


# Qualtrics: survey responses with three header rows, one respondent a row.

_NO_RATING = re.compile(r".*(_TEXT|_DO(_.*)?|_FIRST_CLICK|_LAST_CLICK|_PAGE_SUBMIT|_CLICK_COUNT)")
_QUESTION = re.compile(r"(\d+_)?(QID\d+(?:#\d+)?)")
"""The number of a loop, and a question or its part; what follows is a row of its table."""
_UNSEEN = "-99"
_ORIGINS = {
    "_recordId": "ResponseId", "status": "Status", "finished": "Finished",
    "distributionChannel": "DistributionChannel",
}  # fmt: skip
"""Columns that say who answered, and whether that counts: their origins and their names."""


class _Column(NamedTuple):
    """A column of answers: its number, its name, and what was asked."""

    number: int
    name: str
    text: str


class Qualtrics(Tool):
    """Respondents are the raters, columns of questions the items."""

    name = "qualtrics"
    title = "Qualtrics"
    marks = (("COLUMNS", '{*"ImportId"*'),)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the columns of questions, turned round; previews and the like are dropped."""
        names, texts, origins, *rows = document.rows()
        export = Export(len(rows))
        sources = [as_dict(parsed(cell)) for cell in origins]
        index = {str(source.get("ImportId")): i for i, source in enumerate(sources)}
        for origin, name in _ORIGINS.items():
            if name in names:  # some programs write other origins
                index.setdefault(origin, names.index(name))
        if "_recordId" not in index:
            raise self.refused(document, "no column of response ids; export it with them.")
        tables: dict[str, list[_Column]] = {}
        left_out: list[str] = []
        for i, (name, source) in enumerate(zip(names, sources, strict=True)):
            origin = str(source.get("ImportId", ""))
            question = _QUESTION.search(origin)
            if question is None or name in reading.ignore:
                continue
            if _NO_RATING.fullmatch(origin) or "choiceId" in source:
                left_out.append(name)
            elif any(row[i] not in ("", _UNSEEN) for row in rows):
                tables.setdefault(question[2], []).append(_Column(i, name, texts[i]))
        export.leave_out(document, "texts, orders, times and choices of several", left_out)
        unseen = 0
        for question, columns in self._questions(document, export, tables, reading):
            for row in rows:
                cells = {column.name: row[column.number] for column in columns}
                unseen += sum(cell == _UNSEEN for cell in cells.values())
                given = {item: cell for item, cell in cells.items() if cell not in ("", _UNSEEN)}
                reason = _why_left_out(row, index)
                if reason is not None:
                    export.drop("ratings", reason, question, len(given))
                    continue
                for item, answer in given.items():
                    export.rate(question, item, row[index["_recordId"]], answer)
        if unseen:
            export.notes.caution(
                f"{document.name}: {count(unseen, 'answer')} of {_UNSEEN}, which Qualtrics writes "
                "for a question seen but not answered, are missing."
            )
        return export

    def _questions(
        self,
        document: Document,
        export: Export,
        tables: dict[str, list[_Column]],
        reading: Reading,
    ) -> list[tuple[str, list[_Column]]]:
        """Name the questions: each table or loop is one; so are all single columns."""
        groups = [columns for columns in tables.values() if len(columns) > 1]
        singles = [columns[0] for columns in tables.values() if len(columns) == 1]
        named = [(_common_name(columns), columns) for columns in (*groups, singles) if columns]
        for question, columns in named:
            if columns is not singles or len(columns) == 1:
                continue
            odd = [
                column.name
                for column in columns
                if ABOUT_THEM.search(f"{column.name.replace('_', ' ')} {column.text}")
            ]
            if 0 < len(odd) < len(columns) and len(named) == 1 and reading.question is None:
                raise self.refused(
                    document,
                    f"{some(odd, 12)} may be no item as the other "
                    f"{count(len(columns) - len(odd), 'column')} are. Leave out what is none with "
                    f"{option('ignore', Several(odd))}; or read all with "
                    f"{option('question', question)}.",
                )
            export.notes.caution(
                f"{document.name}: {len(columns)} single questions are read as one, "
                f"'{question}', with one column per item: "
                f"{some([column.name for column in columns], 6)}. Leave out what is none with "
                f"{option('ignore', ...)}."
            )
        return sorted(named, key=lambda question: question[1][0].number)


def _common_name(columns: list[_Column]) -> str:
    """Name a group of columns: how their names begin, but for the number of a loop."""
    names = [re.sub(r"^\d+_", "", column.name) for column in columns]
    start = names[0] if len({*names}) == 1 else os.path.commonprefix(names).rstrip("_. -#")  # noqa: RUF071
    return columns[0].name if len(columns) == 1 else start or names[0]


def _why_left_out(row: list[str], index: Mapping[str, int]) -> str | None:
    """Why a response does not count; None if it does."""
    status, finished, channel = (
        row[index[origin]].lower() if origin in index else ""
        for origin in ("status", "finished", "distributionChannel")
    )
    if status in ("survey preview", "1") or channel == "preview":
        return "preview"
    if status in ("spam", "8"):
        return "spam"
    return "unfinished" if finished in ("false", "0") else None


# Inspect: logs of evaluations as JSON, and as .eval archives.

INSPECT_VERSION = 2
_HEADER, _START = "header.json", "_journal/start.json"
PLAIN_SCORE = "score"
_UNCHANGED = "UNCHANGED"
"""What an edit says of a value that it leaves as it is."""
SAMPLE_FIELDS = ("id", "epoch", "scores", "error", "invalidation")
"""What is read of a sample."""


def _samples(document: Document) -> list[Record]:
    """Take what is needed of the samples of a log: their messages and events are long."""
    if document.form is Form.ARCHIVE:
        names = document.members
        header = document.member(_HEADER if _HEADER in names else _START).object
        files = (document.member(name) for name in names if name.startswith("samples/"))
        samples = (file.object for file in files)
    else:
        header = document.object
        samples = as_dicts(header.get("samples"))
    version = header.get("version", INSPECT_VERSION)
    if not isinstance(version, int) or version > INSPECT_VERSION:
        why = f"version {version} of the log, of which up to {INSPECT_VERSION} can be read."
        raise INSPECT.refused(document, why)
    return [{name: s[name] for name in SAMPLE_FIELDS if name in s} for s in samples]


_NO_SCORES = ("error", "invalidated", "without scores")
"""Why a sample has no scores."""


def _scores(samples: Iterable[Record]) -> Iterator[Record]:
    """Scores that each scorer gave, one or several by name; or why a sample has none."""
    samples = list(samples)
    epochs = any(sample.get("epoch", 1) != 1 for sample in samples)
    for sample in samples:
        scores = as_dict(sample.get("scores"))
        failed = (sample.get("error"), sample.get("invalidation"), not scores)
        if any(failed):
            yield {"end": _NO_SCORES[next(n for n, holds in enumerate(failed) if holds)]}
            continue
        item = f"{sample.get('id')}#{sample.get('epoch', 1)}" if epochs else sample.get("id")
        for scorer, score in scores.items():
            value = _own_value(as_dict(score))
            named = {f"{scorer}.{key}": inside for key, inside in as_dict(value).items()}
            named = named if isinstance(value, dict) else {PLAIN_SCORE: value}
            about = {"item": item, "who": scorer, "epochs": epochs, "end": "score"}
            about["edited"] = value != as_dict(score).get("value")
            for question, one in named.items() if score else ():
                yield about | {"question": question, "value": one}


def _is_unscored(answer: Record) -> bool:
    value = answer.get("value")
    return answer["end"] == "score" and (value is None or value != value)  # NaN


def _own_value(score: Mapping[str, Any]) -> Any:
    """Return what the scorer said: the first of the history of a score that was edited."""
    edits = as_dicts(score.get("history"))
    first = edits[0] if edits and not edits[0].get("provenance") else {}
    return score.get("value") if first.get("value", _UNCHANGED) == _UNCHANGED else first["value"]


INSPECT = Answers(
    name="inspect", title="Inspect", records=_samples, answers=_scores,
    marks=(("version", "status", "eval", "samples"), (_HEADER, "samples/*_epoch_*"),
           (_START, "samples/*_epoch_*")),
    item="item", question="question", label="value", classifier="who",
    left_out={**{reason.upper(): ("end", (reason,)) for reason in _NO_SCORES},
              "LIST OF SCORES": (lambda answer: isinstance(answer.get("value"), list), None),
              "unscored": (_is_unscored, None)},
    remarks=(("info", ("epochs", None), "several epochs; each sample and epoch is an item of its "
              "own, as in 's1#2'."),
             ("caution", ("edited", None), "{answers} changed by people after the run; read is "
              "what the scorer itself said.")),
)  # fmt: skip
"""Samples with the scores that each scorer gave."""


# lm-eval: samples of a task.

LM_EVAL_NEEDED = ("doc_id", "doc", "resps", "filtered_resps", "target")
LM_EVAL_FIELDS = {
    *LM_EVAL_NEEDED, "arguments", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "schema",
}  # fmt: skip


class LmEval(Tool):
    """Documents with the model's answers and the metrics of each."""

    name = "lm-eval"
    title = "lm-eval"
    marks = (LM_EVAL_NEEDED,)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read metrics as predictions of the model, which is called as the folder is.

        A document is there once for each filter: these are questions, not ratings.
        """
        records = document.records()
        export = Export(len(records))
        filters = {str(record.get("filter", "none")) for record in records}
        metrics = list(dict.fromkeys(name for record in records for name in _metrics(record)))
        model = document.path.resolve().parent.name
        export.notes.info(
            f"{document.name}: the model is not in the file; it is called '{model}', as the folder "
            "is. The metrics grade its answers: they are not opinions of a judge, unless the "
            "metric is one."
        )
        lists = {name for record in records for name in as_list(record.get("metrics"))}
        export.drop("predictions", "list of numbers", times=len(records) * len(lists - {*metrics}))
        for record in records:
            for metric in metrics:
                if metric in record and not isinstance(record[metric], list | dict):
                    names = [
                        *([metric] if len(metrics) > 1 or len(filters) == 1 else []),
                        *([str(record.get("filter", "none"))] if len(filters) > 1 else []),
                    ]
                    export.predict(",".join(names), record["doc_id"], model, record[metric])
        return export


def _metrics(record: Mapping[str, Any]) -> list[str]:
    named = [str(name) for name in as_list(record.get("metrics"))]
    names = named or [name for name in record if name not in LM_EVAL_FIELDS]
    return [name for name in names if isinstance(record.get(name), int | float)]
