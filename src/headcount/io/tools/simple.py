"""Tools whose records are answers: two tables say where each keeps item, rater and label."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from headcount.data.vocabulary import number_of
from headcount.io.formats.json import rows_in
from headcount.io.reading import Reading
from headcount.io.roles import find_role
from headcount.io.tools.contents import as_dict, as_dicts, as_list, text_of
from headcount.io.tools.exports import KINDS, Document, Export, Form, Kind, Tool
from headcount.results.notes import Note, Severity

__all__ = [
    "ANSWERS",
    "METRICS",
]

Record = Mapping[str, Any]
Place = str | tuple[str, ...] | Callable[[Record], Any]
"""Where a record holds something: a path of fields with dots, several of which the first that is
filled counts, or what makes it of the record."""


def cell(record: Record, place: Place) -> Any:
    """Return what a record holds at a place; None if that is nothing.

    Examples
    --------
    >>> cell({"id": "", "source": {"id": 7}}, ("id", "source.id"))
    7
    """
    if callable(place):
        return place(record)
    for path in (place,) if isinstance(place, str) else place:
        value = record.get(path)  # the name of a column may have dots
        if value is None and "." in path:
            value = record
            for field in path.split("."):
                value = as_dict(value).get(field)
        if value not in (None, ""):
            return value
    return None


# A record is an answer, or holds several.


@dataclass(kw_only=True)
class Answers(Tool):
    """A tool of which records hold answers.

    Attributes
    ----------
    is_its : callable
        Whether the first records of JSON are the tool's.
    columns : tuple of sets of str
        Columns of its tables, if it writes some; those of one set are enough.
    inside : str
        Field of an object that lists the records, as an API writes a page of them.
    answers : callable
        Answers that records hold, with the fields of their records.
    item, question, label : Place
    rater, classifier : Place
        Who answers: a person, or something else.
    by_person : callable
        Whether a person gives an answer.
    score : Place
        A number beside the label.
    pair : tuple of str
        Fields of the two things that are compared.
    left_out : callable
        Why an answer is left out; None if it is not.
    no_question : frozenset of str
        Reasons of what answers no question, which is counted whichever is read.
    next_page : callable
        Whether the object that lists records says that there are more.
    remarks : tuple of (severity, test, text)
        What to say if some answer passes a test.
    """

    name: str
    title: str
    kinds: tuple[Kind, ...] = tuple(KINDS)
    is_its: Callable[[list[dict[str, Any]]], bool] = lambda records: False
    columns: tuple[frozenset[str], ...] = ()
    inside: str | None = None
    answers: Callable[[Iterable[Record]], Iterable[Record]] = lambda records: records
    item: Place
    question: Place
    label: Place
    rater: Place = ()
    classifier: Place = ()
    by_person: Callable[[Record], bool] = lambda answer: False
    score: Place = ()
    pair: tuple[str, str] | None = None
    left_out: Callable[[Record], str | None] = lambda answer: None
    no_question: frozenset[str] = frozenset()
    next_page: Callable[[Record], bool] = lambda page: False
    remarks: tuple[tuple[Severity, Callable[[Record], bool], str], ...] = ()

    def recognises(self, document: Document) -> bool:
        """Whether there are the columns of its table, or records of its own."""
        if document.form in (Form.COLUMNS, Form.PARQUET):
            return any(needed <= {*document.columns} for needed in self.columns)
        listed = self.inside is not None and isinstance(document.object.get(self.inside), list)
        records = document.records(self.inside) if listed else document.head
        return bool(records) and self.is_its(records)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each answer as a rating or a prediction, and as a comparison if it is one."""
        export, records = Export(), document.records(self.inside)
        export.records = len(records)
        answers = list(self.answers(records))
        for answer in answers:
            question = str(cell(answer, self.question))
            person = self.by_person(answer)
            reason = self.left_out(answer)
            if reason is not None:
                of = None if reason in self.no_question else question
                export.drop("ratings" if person else "predictions", reason, of)
                continue
            item, label = cell(answer, self.item), cell(answer, self.label)
            if person:
                rater = cell(answer, self.rater)
                export.rate(question, item, rater, label)
                if self.pair is not None:
                    left, right = self.pair
                    export.prefer(question, (answer.get(left), answer.get(right)), label, rater)
            else:
                classifier = str(cell(answer, self.classifier))
                export.predict(question, item, classifier, label)
                export.score(question, item, classifier, cell(answer, self.score))
        export.add_scores()
        if self.next_page(document.object):
            export.notes.warning(
                f"{document.name}: one page of several; what the other pages hold is missing. Ask "
                "the API for all pages."
            )
        for severity, test, text in self.remarks:
            if any(map(test, answers)):
                export.notes.extend([Note(f"{document.name}: {text}", severity)])
        return export


def has(*fields: str) -> Callable[[list[dict[str, Any]]], bool]:
    """Find records that all have some fields."""
    return lambda records: all({*fields} <= {*record} for record in records)


# Braintrust: events of an experiment. Scores of the spans at the root.


def _braintrust_scores(events: Iterable[Record]) -> list[Record]:
    roots = [event for event in events if event["span_id"] == event["root_span_id"]]
    return [
        {**event, "name": name, "value": value}
        for event in roots
        for name, value in as_dict(event["scores"]).items()
    ]


# Langfuse: scores of the API (in camel case) and of blob exports (in snake case).

_LANGFUSE_TYPE = ("dataType", "data_type")
_LANGFUSE_NO_LABELS = ("TEXT", "CORRECTION")


def _is_langfuse(records: list[dict[str, Any]]) -> bool:
    types = ("NUMERIC", "BOOLEAN", "CATEGORICAL", *_LANGFUSE_NO_LABELS)
    return all(
        record.get("source") in ("ANNOTATION", "API", "EVAL")
        and cell(record, _LANGFUSE_TYPE) in types
        for record in records
    )


def _langfuse_label(score: Record) -> Any:
    type_, value = cell(score, _LANGFUSE_TYPE), score.get("value")
    if type_ == "CATEGORICAL":
        return cell(score, ("stringValue", "string_value", "value"))
    if type_ == "BOOLEAN" and value is not None:
        return str(value).lower() in ("1", "1.0", "true")
    return value


def _langfuse_left_out(score: Record) -> str | None:
    type_ = cell(score, _LANGFUSE_TYPE)
    return str(type_).lower() if type_ in _LANGFUSE_NO_LABELS else None


def _langfuse_next_page(page: Record) -> bool:
    about = as_dict(page.get("meta"))
    total = about.get("totalItems")
    more = isinstance(total, int) and total > len(as_list(page.get("data")))
    return bool(about.get("cursor")) or more


# MLflow: traces with their assessments.


def _assessments(traces: Iterable[Record]) -> list[Record]:
    return [
        {**assessment, "trace": cell(trace, ("info.trace_id", "trace_id"))}
        for trace in traces
        for assessment in as_dicts(cell(trace, ("info.assessments", "assessments")))
    ]


def _is_mlflow(records: list[dict[str, Any]]) -> bool:
    assessments = _assessments(records)
    return bool(assessments) and all(
        "assessment_name" in assessment and "source_type" in as_dict(assessment.get("source"))
        for assessment in assessments
    )


def _mlflow_item(assessment: Record) -> str:
    trace, span = cell(assessment, ("trace_id", "trace")), assessment.get("span_id")
    return f"{trace}/{span}" if span else str(trace)


def _is_persons(assessment: Record) -> bool:
    return cell(assessment, "source.source_type") == "HUMAN"


def _is_unnamed(assessment: Record) -> bool:
    return _is_persons(assessment) and cell(assessment, "source.source_id") == "default"


def _mlflow_left_out(assessment: Record) -> str | None:
    if "expectation" in assessment:
        return "expectation"
    if assessment.get("valid") is False:
        return "overridden"
    return "error" if cell(assessment, "feedback.error") else None


# Phoenix: annotations of spans, traces and sessions, and runs of experiments.

_PHOENIX_SUBJECTS = ("span_id", "trace_id", "session_id")
_PHOENIX_LABEL, _PHOENIX_SCORE = "result.label", "result.score"


def _phoenix_annotations(records: Iterable[Record]) -> list[Record]:
    """Annotations, and those of runs of an experiment; scores beside labels are a question more."""
    annotations: list[Record] = []
    for record in records:
        if not _is_run(record):
            annotations.append(record)
            continue
        example = {"span_id": record["example_id"], "run": record.get("repetition_number", 1)}
        listed = as_dicts(record["annotations"])
        annotations += [{**one, **example, "result": one} for one in listed]
    names = [str(cell(one, ("annotation_name", "name"))) for one in annotations]
    labelled = {name for name, one in zip(names, annotations, strict=True) if _has_label(one)}
    several = {one.get("run", 1) for one in annotations} != {1}
    return [
        {
            **one,
            "question": f"{name}.score" if name in labelled and not _has_label(one) else name,
            "run": one.get("run", 1) if several else None,
        }
        for name, one in zip(names, annotations, strict=True)
    ]


def _has_label(annotation: Record) -> bool:
    return cell(annotation, _PHOENIX_LABEL) is not None


def _is_run(record: Record) -> bool:
    return {"example_id", "output"} <= {*record} and isinstance(record.get("annotations"), list)


def _is_phoenix(records: list[dict[str, Any]]) -> bool:
    annotations = _phoenix_annotations(records)
    return bool(annotations) and all(
        one.get("annotator_kind") in ("HUMAN", "LLM", "CODE") and {*one} & {*_PHOENIX_SUBJECTS}
        for one in annotations
    )


def _phoenix_item(annotation: Record) -> str | None:
    """Name what is annotated; a retrieved document, and a repetition, are items of their own."""
    subject = text_of(cell(annotation, _PHOENIX_SUBJECTS))
    number = text_of(cell(annotation, ("document_position", "run")))
    return subject if subject is None or number is None else f"{subject}#{number}"


def _phoenix_classifier(annotation: Record) -> str:
    names = [text_of(annotation.get(field)) for field in ("annotator_kind", "identifier")]
    return " ".join(filter(None, names))


def _phoenix_score(annotation: Record) -> float | None:
    """Return the number beside a label; that of a table is a text."""
    if not _has_label(annotation):
        return None
    return number_of(text_of(cell(annotation, _PHOENIX_SCORE)) or "")


def _phoenix_left_out(annotation: Record) -> str | None:
    if annotation["question"] == "note":
        return "note"
    nothing = cell(annotation, (_PHOENIX_LABEL, _PHOENIX_SCORE)) is None
    return "error" if annotation.get("error") and nothing else None


# Batches of requests to models: the files that OpenAI and Anthropic give back. The whole text of an
# answer is its label, of which readers of predictions take what is marked.


def _is_openai(records: list[dict[str, Any]]) -> bool:
    return all(
        {"custom_id", "response"} <= {*record}
        and (cell(record, "response.body.choices") is not None or _openai_failed(record))
        for record in records
    )


def _openai_failed(record: Record) -> bool:
    status = cell(record, "response.status_code")
    return bool(cell(record, ("error", "response.body.error"))) or status not in (200, None)


def _openai_choices(records: Iterable[Record]) -> Iterator[Record]:
    """Answers to requests: where there are several to one, each is a classifier's."""
    for record in records:
        model = str(cell(record, "response.body.model") or "model")
        choices = as_dicts(cell(record, "response.body.choices"))
        messages = [as_dict(choice.get("message")) for choice in choices]
        if _openai_failed(record):
            yield {**record, "left_out": "error"}
        elif any(message.get("refusal") for message in messages):
            yield {**record, "left_out": "refusal"}
        else:
            for number, message in enumerate(messages, 1):
                name = model if number == 1 else f"{model} ({number})"
                yield {**record, "text": message.get("content"), "model": name}


def _is_anthropic(records: list[dict[str, Any]]) -> bool:
    ends = ("succeeded", "errored", "canceled", "expired")
    return all("custom_id" in one and cell(one, "result.type") in ends for one in records)


def _anthropic_text(record: Record) -> str:
    """Put the blocks of text together; others, such as thinking, are left out."""
    blocks = as_dicts(cell(record, "result.message.content"))
    return "\n".join(str(one.get("text")) for one in blocks if one.get("type") == "text")


def _anthropic_left_out(record: Record) -> str | None:
    end = cell(record, "result.type")
    if end != "succeeded":
        return str(end)
    return "refusal" if cell(record, "result.message.stop_reason") == "refusal" else None


# ChaosNLI: counts of labels for each item.


def _is_chaosnli(records: list[dict[str, Any]]) -> bool:
    return all(
        "uid" in record
        and bool(as_dict(record.get("label_counter")))
        and all(type(times) is int for times in record["label_counter"].values())
        for record in records
    )


def _chaosnli_ratings(records: Iterable[Record]) -> list[Record]:
    return [
        {"uid": record.get("uid"), "label": label}
        for record in records
        for label, times in as_dict(record.get("label_counter")).items()
        for _ in range(int(times))
    ]


# Toloka: assignments, with what was shown and what was answered.


def _toloka_outputs(rows: Iterable[Record]) -> list[Record]:
    return [
        {**row, "question": name.removeprefix("OUTPUT:"), "answer": row[name]}
        for row in rows
        for name in row
        if name.startswith("OUTPUT:")
    ]


def _toloka_item(row: Record) -> str:
    """Name the task, or else what was shown."""
    shown = [str(row[name]).strip() for name in row if name.startswith("INPUT:")]
    return row.get("ASSIGNMENT:task_id") or " | ".join(filter(None, shown))


def _toloka_left_out(row: Record) -> str | None:
    status = str(row.get("ASSIGNMENT:status") or "").strip()
    if status not in ("APPROVED", "SUBMITTED", ""):
        return status.lower()
    return "control task" if str(row.get(f"GOLDEN:{row['question']}") or "").strip() else None


# Appen, once Figure Eight and CrowdFlower: judgments, with the unit and the worker.

_TRUE = ("true", "1")


def _appen_judgments(rows: Iterable[Record]) -> list[Record]:
    """Answers to the columns that have a twin of gold answers, or else differ in some unit."""
    judgments = list(rows)
    names = [name for name in judgments[0] if not name.startswith("_")] if judgments else []
    questions = [name for name in names if f"{name}_gold" in names]
    if not questions:
        units = [row["_unit_id"] for row in judgments]
        questions = [
            name
            for name in names
            if not name.endswith("_gold")
            and len({(unit, row[name]) for unit, row in zip(units, judgments, strict=True)})
            > len({*units})
        ]
    return [
        # A worker who gives several answers gives one a line.
        {
            **row,
            "question": name,
            "labels": [part for part in row[name].split("\n") if part.strip()],
        }
        for name in questions
        for row in judgments
    ]


def _appen_left_out(row: Record) -> str | None:
    if str(row.get("_golden")).strip().lower() in _TRUE:
        return "test question"
    return "tainted" if str(row.get("_tainted")).strip().lower() in _TRUE else None


ANSWERS: dict[str, Answers] = {
    tool.name: tool
    for tool in (
        Answers(
            name="braintrust",
            title="Braintrust",
            is_its=has("span_id", "root_span_id", "scores", "span_attributes"),
            inside="events",
            answers=_braintrust_scores,
            item=("dataset_record_id", "id"),
            question="name",
            classifier="name",
            label="value",
            left_out=lambda event: "error" if event.get("error") else None,
            next_page=lambda page: bool(page.get("cursor")),
            remarks=(
                ("caution", lambda event: True, "scores that people gave in a review are not "
                 "told from those of scorers; they are read as predictions."),
            ),
        ),
        Answers(
            name="langfuse",
            title="Langfuse",
            is_its=_is_langfuse,
            columns=(frozenset({"source", "data_type", "string_value", "trace_id"}),),
            inside="data",
            item=("observationId", "observation_id", "traceId", "trace_id", "sessionId",
                  "session_id", "datasetRunId", "dataset_run_id", "subject.id"),
            question="name",
            by_person=lambda score: score.get("source") == "ANNOTATION",
            rater=("authorUserId", "author_user_id"),
            classifier=("evaluatorId", "evaluator_id", "source"),
            label=_langfuse_label,
            left_out=_langfuse_left_out,
            no_question=frozenset({"text", "correction"}),
            next_page=_langfuse_next_page,
            remarks=(
                ("caution", lambda score: score.get("source") == "API", "scores from the source "
                 "API are read as those of a classifier; if they are the feedback of people, they "
                 "are ratings."),
            ),
        ),
        Answers(
            name="mlflow",
            title="MLflow",
            is_its=_is_mlflow,
            answers=_assessments,
            item=_mlflow_item,
            question=lambda assessment: assessment["assessment_name"],
            by_person=_is_persons,
            rater="source.source_id",
            classifier="source.source_id",
            label="feedback.value",
            left_out=_mlflow_left_out,
            no_question=frozenset({"expectation"}),
            remarks=(
                ("warning", _is_unnamed, "people without a name of their own are all called "
                 "'default', as if they were one."),
            ),
        ),
        Answers(
            name="phoenix",
            title="Phoenix",
            is_its=_is_phoenix,
            columns=tuple(frozenset({"annotator_kind", name}) for name in _PHOENIX_SUBJECTS),
            inside="data",
            answers=_phoenix_annotations,
            item=_phoenix_item,
            question="question",
            by_person=lambda annotation: annotation.get("annotator_kind") == "HUMAN",
            rater=("user_id", "identifier"),
            classifier=_phoenix_classifier,
            label=(_PHOENIX_LABEL, _PHOENIX_SCORE),
            score=_phoenix_score,
            left_out=_phoenix_left_out,
            no_question=frozenset({"note"}),
            next_page=lambda page: bool(page.get("next_cursor")),
        ),
        Answers(
            name="openai-batch",
            title="OpenAI Batch API",
            kinds=("predictions",),
            is_its=_is_openai,
            answers=_openai_choices,
            item="custom_id",
            question=lambda record: "answer",
            classifier="model",
            label="text",
            left_out=lambda record: record.get("left_out"),
        ),
        Answers(
            name="anthropic-batch",
            title="Anthropic Message Batches",
            kinds=("predictions",),
            is_its=_is_anthropic,
            item="custom_id",
            question=lambda record: "answer",
            classifier=lambda record: cell(record, "result.message.model") or "model",
            label=_anthropic_text,
            left_out=_anthropic_left_out,
        ),
        Answers(
            name="chaosnli",
            title="ChaosNLI",
            kinds=("ratings",),
            is_its=_is_chaosnli,
            answers=_chaosnli_ratings,
            item="uid",
            question=lambda record: "label",
            by_person=lambda record: True,
            label="label",
        ),
        Answers(
            name="appen",
            title="Appen",
            kinds=("ratings",),
            columns=(frozenset({"_unit_id", "_worker_id", "_trust"}),),
            answers=_appen_judgments,
            item="_unit_id",
            question="question",
            by_person=lambda row: True,
            rater="_worker_id",
            label="labels",
            left_out=_appen_left_out,
        ),
        Answers(
            name="toloka",
            title="Toloka",
            columns=(frozenset({"ASSIGNMENT:worker_id"}),),
            answers=_toloka_outputs,
            item=_toloka_item,
            question="question",
            by_person=lambda row: True,
            rater="ASSIGNMENT:worker_id",
            label="answer",
            pair=("INPUT:left", "INPUT:right"),
            left_out=_toloka_left_out,
        ),
    )
}  # fmt: skip
"""By name. To read another such tool, add a row, and put it into the list of tools."""


# A table of an evaluation: a row for each example, a column for each metric.


@dataclass(kw_only=True)
class Metrics(Tool):
    """Examples with what each metric says of them; a metric is a question and its own judge.

    Attributes
    ----------
    metrics : callable
        Columns of metrics and what they are called, given the names of the columns and some rows;
        none if the table is another tool's.
    item : callable
        Name of the column of ids; None if there is none.
    """

    name: str
    title: str
    metrics: Callable[[list[str], list[dict[str, Any]]], dict[str, str]]
    item: Callable[[list[str]], str | None]

    def recognises(self, document: Document) -> bool:
        """Whether there are columns of metrics, as the tool calls them."""
        rows = [dict(zip(document.columns, row, strict=False)) for row in document.head_rows[1:]]
        if document.form not in (Form.COLUMNS, Form.PARQUET):
            rows = rows_in(document.object) or document.head
        names = document.columns or list(dict.fromkeys(name for row in rows for name in row))
        return bool(self.metrics(names, rows))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each metric as a question, which the judge of that name answers."""
        export = Export()
        records = rows_in(document.object) or document.records()
        export.records = len(records)
        names = list(dict.fromkeys(name for row in records for name in row))
        column = self.item(names)
        if column is None:
            export.notes.caution(
                f"{document.name}: no column of ids; items are numbered by row, from 1. Ratings "
                "must be numbered so too."
            )
        for name, metric in self.metrics(names, records).items():
            for number, record in enumerate(records, 1):
                item = number if column is None else record.get(column)
                export.predict(metric, item, metric, record.get(name))
        return export


def _ids(names: list[str]) -> str | None:
    index = find_role(names, "item")
    return None if index is None else names[index]


def _mlflow_metrics(names: list[str], rows: list[dict[str, Any]]) -> dict[str, str]:
    """Columns of scores, if some have their justifications beside them."""
    stems = [name.removesuffix("/score") for name in names if name.endswith("/score")]
    justified = any(stem and f"{stem}/justification" in names for stem in stems)
    return {f"{stem}/score": stem for stem in stems if stem} if justified else {}


def _langsmith_metrics(names: list[str], rows: list[dict[str, Any]]) -> dict[str, str]:
    """Columns of feedback, beside the example and the time that its run took."""
    if not {"example_id", "execution_time"} <= {*names}:
        return {}
    return {name: name.removeprefix("feedback.") for name in names if name.startswith("feedback.")}


_RAGAS_TEXTS = (
    {"user_input", "response", "retrieved_contexts"},
    {"question", "answer", "contexts"},
)
_RAGAS_OWN = frozenset(
    {
        "user_input", "response", "retrieved_contexts", "reference", "reference_contexts",
        "rubrics", "rubric", "multi_responses", "question", "answer", "contexts", "ground_truth",
        "ground_truths", "retrieved_context_ids", "reference_context_ids", "synthesizer_name",
    }
)  # fmt: skip
"""Columns of a sample."""
_RAGAS_USUAL = frozenset(
    {
        "faithfulness", "answer_relevancy", "response_relevancy", "context_precision",
        "context_recall", "context_relevancy", "answer_correctness", "answer_similarity",
        "semantic_similarity", "factual_correctness", "context_entity_recall",
        "llm_context_precision_with_reference", "llm_context_precision_without_reference",
        "nv_accuracy", "nv_context_relevance", "nv_response_groundedness",
    }
)  # fmt: skip
"""Metrics of Ragas itself."""


def _ragas_metrics(names: list[str], rows: list[dict[str, Any]]) -> dict[str, str]:
    """Columns of numbers that are not the sample's own, where one is a usual metric.

    Without, numbers beside answers may as well be ratings of people.
    """
    if not any(texts <= {*names} for texts in _RAGAS_TEXTS):
        return {}
    if not any(name.partition("(")[0] in _RAGAS_USUAL for name in names):
        return {}
    apart = _RAGAS_OWN | {_ragas_item(names), ""}
    others = [name for name in dict.fromkeys(names) if name not in apart]
    return {name: name for name in others if not rows or _are_numbers(name, rows)}


def _ragas_item(names: list[str]) -> str | None:
    """Name of a column of ids; a question is none, though it is one elsewhere."""
    return _ids([name for name in names if name not in _RAGAS_OWN])


def _are_numbers(name: str, rows: list[dict[str, Any]]) -> bool:
    """Whether a column holds numbers, some at least, and nothing else."""
    given = [row[name] for row in rows if row.get(name) not in (None, "")]
    return bool(given) and all(number_of(str(value)) is not None for value in given)


METRICS: dict[str, Metrics] = {
    "mlflow-table": Metrics(
        name="mlflow-table", title="MLflow", metrics=_mlflow_metrics, item=_ids
    ),
    "langsmith": Metrics(
        name="langsmith",
        title="LangSmith",
        metrics=_langsmith_metrics,
        item=lambda names: "example_id",  # the id is that of its run
    ),
    "ragas": Metrics(name="ragas", title="Ragas", metrics=_ragas_metrics, item=_ragas_item),
}
"""By name."""
