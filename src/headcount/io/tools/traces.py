"""Traces with assessments, and batches: Braintrust, Langfuse, MLflow, Phoenix, OpenAI."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from headcount.data.vocabulary import number_of
from headcount.io.reading import Reading
from headcount.io.tools.contents import as_dict, as_list, text_of
from headcount.io.tools.exports import Document, Export, Form, Tool

__all__ = [
    "Braintrust",
    "Langfuse",
    "MLflow",
    "Phoenix",
    "OpenAIBatch",
    "AnthropicBatch",
]


# Braintrust: events of an experiment.

BRAINTRUST_FIELDS = {"span_id", "root_span_id", "scores", "span_attributes"}


class Braintrust(Tool):
    """Spans of which those at the root have scores, from 0 to 1."""

    name = "braintrust"
    title = "Braintrust"

    def recognises(self, document: Document) -> bool:
        """Whether events are spans with scores."""
        events = _events(document, document.head)
        return bool(events) and all(set(one) >= BRAINTRUST_FIELDS for one in events)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each score as a question, which the scorer of that name answers."""
        export = Export()
        nested = isinstance(document.object.get("events"), list)
        events = _events(document, [] if nested else document.records())
        export.records = len(events)
        roots = [one for one in events if one["span_id"] == one["root_span_id"]]
        for name in dict.fromkeys(name for one in roots for name in as_dict(one["scores"])):
            for one in roots:
                if one.get("error"):
                    export.drop("predictions", "error", name)
                else:
                    export.predict(name, _example(one), name, as_dict(one["scores"]).get(name))
        if document.object.get("cursor"):
            export.notes.warning(
                f"{document.name}: one page of several, as its cursor says; events of the other "
                "pages are missing. Ask the API for all pages."
            )
        if any(export.answers["predictions"]):
            export.notes.caution(
                f"{document.name}: scores that people gave in a review are not told from those of "
                "scorers; they are read as predictions."
            )
        return export


def _events(document: Document, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Events of a file: those of an answer of the API, or the records."""
    events = document.object.get("events")
    return [as_dict(one) for one in as_list(events)] if isinstance(events, list) else records


def _example(event: Mapping[str, Any]) -> Any:
    """Name the example: its record in the dataset, or else the event."""
    return event.get("dataset_record_id") or event.get("id")


# Langfuse: scores of the API and of blob exports.

LANGFUSE_SOURCES = ("ANNOTATION", "API", "EVAL")
LANGFUSE_TYPES = ("NUMERIC", "BOOLEAN", "CATEGORICAL", "TEXT", "CORRECTION")
LANGFUSE_SUBJECTS = ("observationId", "traceId", "sessionId", "datasetRunId")


class Langfuse(Tool):
    """Scores of traces by annotators, evaluators and the API."""

    name = "langfuse"
    title = "Langfuse"

    def recognises(self, document: Document) -> bool:
        """Whether scores have a source and a type of data."""
        if document.form in (Form.COLUMNS, Form.PARQUET):
            return {"source", "data_type", "string_value", "trace_id"} <= set(document.columns)
        scores = _scores(document, document.head)
        return bool(scores) and all(
            one.get("source") in LANGFUSE_SOURCES and _get(one, "dataType") in LANGFUSE_TYPES
            for one in scores
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read annotations as ratings, and scores of evaluators and the API as predictions."""
        export = Export()
        nested = isinstance(document.object.get("data"), list)
        scores = _scores(document, [] if nested else document.records())
        export.records = len(scores)
        for one in scores:
            kind = "ratings" if one.get("source") == "ANNOTATION" else "predictions"
            type_, question = str(_get(one, "dataType")), str(one.get("name"))
            if type_ in ("TEXT", "CORRECTION"):
                export.drop(kind, type_.lower())
                continue
            label = _value(one, type_)
            if kind == "ratings":
                export.rate(question, _langfuse_subject(one), _get(one, "authorUserId"), label)
            else:
                who = _get(one, "evaluatorId") or one.get("source")
                export.predict(question, _langfuse_subject(one), who, label)
        about = as_dict(document.object.get("meta"))
        total = about.get("totalItems")
        if about.get("cursor") or (isinstance(total, int) and total > len(scores)):
            export.notes.warning(
                f"{document.name}: one page of several, as its meta says; scores of the other "
                "pages are missing. Ask the API for all pages."
            )
        if any(one.get("source") == "API" for one in scores):
            export.notes.caution(
                f"{document.name}: scores from the source API are read as those of a classifier; "
                "if they are the feedback of people, they are ratings."
            )
        return export


def _scores(document: Document, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    data = document.object.get("data")
    return [as_dict(one) for one in as_list(data)] if isinstance(data, list) else records


def _get(one: Mapping[str, Any], name: str) -> Any:
    """Return a field, in camel case as by the API or in snake case as in blobs."""
    snake = "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)
    value = one.get(name)
    return one.get(snake) if value is None else value


def _langfuse_subject(one: Mapping[str, Any]) -> Any:
    found = next((value for name in LANGFUSE_SUBJECTS if (value := _get(one, name))), None)
    return found or as_dict(one.get("subject")).get("id")


def _value(one: Mapping[str, Any], type_: str) -> Any:
    value = one.get("value")
    if type_ == "CATEGORICAL":
        return _get(one, "stringValue") or value
    if type_ == "BOOLEAN" and value is not None:
        return str(value).lower() in ("1", "1.0", "true")
    return value


# MLflow: traces with their assessments.


class MLflow(Tool):
    """Assessments of traces by people, judges and code."""

    name = "mlflow"
    title = "MLflow"

    def recognises(self, document: Document) -> bool:
        """Whether traces have assessments with a source."""
        assessments = [one for trace in document.head for one in _assessments(trace)]
        return bool(assessments) and all(
            "assessment_name" in one and "source_type" in as_dict(one.get("source"))
            for one in assessments
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read feedback of people as ratings, that of judges and code as predictions."""
        export, traces = Export(), document.records()
        export.records = len(traces)
        default = False
        for trace in traces:
            for one in _assessments(trace):
                source, feedback = as_dict(one.get("source")), as_dict(one.get("feedback"))
                human = source.get("source_type") == "HUMAN"
                kind, question = "ratings" if human else "predictions", str(one["assessment_name"])
                if "expectation" in one:
                    export.drop(kind, "expectation")
                elif one.get("valid") is False:
                    export.drop(kind, "overridden", question)
                elif feedback.get("error"):
                    export.drop(kind, "error", question)
                else:
                    add = export.rate if human else export.predict
                    who = source.get("source_id")
                    default = default or (human and who == "default")
                    add(question, _trace_or_span(one, trace), who, feedback.get("value"))
        if default:
            export.notes.warning(
                f"{document.name}: people without a name of their own are all called 'default', "
                "as if they were one."
            )
        return export


def _assessments(trace: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = as_dict(trace.get("info")).get("assessments", trace.get("assessments"))
    return [as_dict(one) for one in as_list(found)]


def _trace_or_span(assessment: Mapping[str, Any], trace: Mapping[str, Any]) -> str:
    own = as_dict(trace.get("info")).get("trace_id", trace.get("trace_id"))
    name = str(assessment.get("trace_id") or own)
    span = assessment.get("span_id")
    return f"{name}/{span}" if span else name


# Phoenix: annotations of spans, traces and sessions, and runs of experiments.

PHOENIX_KINDS = ("HUMAN", "LLM", "CODE")
PHOENIX_SUBJECTS = ("span_id", "trace_id", "session_id")


class Phoenix(Tool):
    """Annotations by people, models and code."""

    name = "phoenix"
    title = "Phoenix"

    def recognises(self, document: Document) -> bool:
        """Whether annotations say what kind of annotator gave them, and of what."""
        if document.form is Form.COLUMNS:
            names = set(document.columns)
            return "annotator_kind" in names and bool(names & set(PHOENIX_SUBJECTS))
        if document.head and all(map(_is_run, document.head)):
            return any(one["annotations"] for one in document.head)
        found = _annotations(document, document.head)
        return bool(found) and all(
            one.get("annotator_kind") in PHOENIX_KINDS
            and any(name in one for name in PHOENIX_SUBJECTS)
            for one in found
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read annotations of people as ratings, and of models and code as predictions."""
        export = Export()
        nested = isinstance(document.object.get("data"), list)
        found = _annotations(document, [] if nested else document.records())
        export.records = len(found)
        labelled = {_name(one) for one in found if _result(one, "label") is not None}
        for one in found:
            human, name = one.get("annotator_kind") == "HUMAN", _name(one)
            if name == "note":
                export.drop("ratings", "note")
                continue
            if one.get("error") and _result(one, "label") is None and _result(one, "score") is None:
                export.drop("ratings" if human else "predictions", "error", name)
                continue
            item = _phoenix_subject(one)
            label = _result(one, "label")
            question = name
            if label is None:
                label = _result(one, "score")
                question = f"{name}.score" if name in labelled else name
            if human:
                export.rate(question, item, one.get("user_id") or one.get("identifier"), label)
            else:
                who = [text_of(one.get(key)) for key in ("annotator_kind", "identifier")]
                name = " ".join(filter(None, who))
                export.predict(question, item, name, label)
                if question == _name(one):
                    export.score(question, item, name, _score(one))
        export.add_scores()
        if document.object.get("next_cursor"):
            export.notes.warning(
                f"{document.name}: one page of several, as its next_cursor says; annotations of "
                "the other pages are missing. Ask the API for more of them with a higher limit."
            )
        return export


def _annotations(document: Document, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    data = document.object.get("data")
    if isinstance(data, list):
        return [as_dict(one) for one in as_list(data)]
    if not records or not all(map(_is_run, records)):
        return records
    several = any(run.get("repetition_number", 1) != 1 for run in records)
    return [
        as_dict(one) | {"result": one, "span_id": _run_name(run, several)}
        for run in records
        for one in as_list(run["annotations"])
    ]


def _is_run(one: Mapping[str, Any]) -> bool:
    """Whether a record is a run of an experiment, with what evaluators say of it."""
    return {"example_id", "output"} <= set(one) and isinstance(one.get("annotations"), list)


def _run_name(run: Mapping[str, Any], several: bool) -> str:
    own = str(run["example_id"])
    return f"{own}#{run.get('repetition_number', 1)}" if several else own


def _phoenix_subject(one: Mapping[str, Any]) -> str | None:
    """Name what was annotated; a document that was retrieved is an item of its own."""
    item = next((str(one[key]) for key in PHOENIX_SUBJECTS if one.get(key)), None)
    place = text_of(one.get("document_position"))
    return item if item is None or place is None else f"{item}#{place}"


def _score(one: Mapping[str, Any]) -> float | None:
    """Return the number beside a label; that of a table is a text."""
    if _result(one, "label") is None:
        return None
    return number_of(_result(one, "score") or "")


def _name(one: Mapping[str, Any]) -> str:
    return str(one.get("annotation_name") or one.get("name"))


def _result(one: Mapping[str, Any], field: str) -> str | None:
    return text_of(as_dict(one.get("result")).get(field, one.get(f"result.{field}")))


# Batches of requests to models: the files that OpenAI and Anthropic give back.

BATCH_QUESTION = "answer"


class Batch(Tool):
    """One line a request, called by the id that the user gave it; the model is the classifier.

    The whole text of an answer is its label, of which readers of predictions take what is marked.
    """

    kinds = ("predictions",)
    needed: frozenset[str]

    def recognises(self, document: Document) -> bool:
        """Whether records have an id and what became of the request."""
        head = document.head
        return bool(head) and all(self.needed <= set(one) and self.is_answer(one) for one in head)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read answers; requests that failed are dropped by what became of them."""
        export, records = Export(), document.records()
        export.records = len(records)
        for one in records:
            why = self.failed(one)
            if why:
                export.drop("predictions", why, BATCH_QUESTION)
                continue
            for name, text in self.answers(one):
                export.predict(BATCH_QUESTION, one.get("custom_id"), name, text)
        return export

    @abstractmethod
    def is_answer(self, record: Mapping[str, Any]) -> bool:
        """Whether a record is one of these, by what only they have."""

    @abstractmethod
    def failed(self, record: Mapping[str, Any]) -> str:
        """Say why there is no answer; nothing if there is one."""

    @abstractmethod
    def answers(self, record: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Models and what they answered: one, or as many as were asked for."""


class OpenAIBatch(Batch):
    """OpenAI's output file, of chat completions; servers with the same interface write it too."""

    name = "openai-batch"
    title = "OpenAI Batch API"
    needed = frozenset({"custom_id", "response"})

    def is_answer(self, record: Mapping[str, Any]) -> bool:
        """Whether the response has a body of choices, or is none because of an error."""
        body = as_dict(as_dict(record.get("response")).get("body"))
        return "choices" in body or bool(record.get("error") or body.get("error"))

    def failed(self, record: Mapping[str, Any]) -> str:
        """Look for an error, and for a status other than 200."""
        response = as_dict(record.get("response"))
        if record.get("error") or response.get("status_code", 200) != 200:
            return "error"
        messages = [as_dict(as_dict(one).get("message")) for one in _choices(record)]
        return "refusal" if any(one.get("refusal") for one in messages) else ""

    def answers(self, record: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Take the text of each choice; where there are several, each is a classifier's."""
        model = str(as_dict(as_dict(record.get("response")).get("body")).get("model") or "model")
        texts = [as_dict(as_dict(one).get("message")).get("content") for one in _choices(record)]
        return [(f"{model} ({n})" if n > 1 else model, text) for n, text in enumerate(texts, 1)]


class AnthropicBatch(Batch):
    """Results of Anthropic's message batches."""

    name = "anthropic-batch"
    title = "Anthropic Message Batches"
    needed = frozenset({"custom_id", "result"})

    def is_answer(self, record: Mapping[str, Any]) -> bool:
        """Whether the result says how the request ended."""
        return as_dict(record.get("result")).get("type") in (
            "succeeded",
            "errored",
            "canceled",
            "expired",
        )

    def failed(self, record: Mapping[str, Any]) -> str:
        """Take how the request ended, unless it succeeded."""
        result = as_dict(record.get("result"))
        if result.get("type") != "succeeded":
            return str(result.get("type"))
        return "refusal" if as_dict(result.get("message")).get("stop_reason") == "refusal" else ""

    def answers(self, record: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Put the blocks of text together; others, such as thinking, are left out."""
        message = as_dict(as_dict(record.get("result")).get("message"))
        blocks = [as_dict(one) for one in as_list(message.get("content"))]
        text = "\n".join(str(one.get("text")) for one in blocks if one.get("type") == "text")
        return [(str(message.get("model") or "model"), text)]


def _choices(record: Mapping[str, Any]) -> list[Any]:
    return as_list(as_dict(as_dict(record.get("response")).get("body")).get("choices"))
