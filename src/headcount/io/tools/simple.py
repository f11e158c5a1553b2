"""Tools whose records are answers: two tables say where each keeps item, rater and label."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from headcount.data.vocabulary import number_of
from headcount.errors import count
from headcount.io.reading import Reading
from headcount.io.roles import find_role
from headcount.io.tools.contents import Document, Marks, as_dict, as_dicts, as_list, text_of
from headcount.io.tools.exports import KINDS, Export, Kind, Tool
from headcount.results.notes import Note, Severity

__all__ = [
    "Record",
    "cell",
    "EVERY",
    "Answers",
    "BRAINTRUST",
    "LANGFUSE",
    "MLFLOW",
    "PHOENIX",
    "OPENAI_BATCH",
    "ANTHROPIC_BATCH",
    "CHAOSNLI",
    "LEWIDI",
    "APPEN",
    "TOLOKA",
    "LABELBOX",
    "LIGHTTAG",
    "PROMPTFOO",
    "PromptfooTable",
    "DEEPEVAL",
    "MLFLOW_TABLE",
    "LANGSMITH",
    "RAGAS",
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
    if isinstance(place, str):
        place = (place,)
    elif callable(place):
        return place(record)
    for path in place:
        value = record.get(path)  # the name of a column may have dots
        if value is None and "." in path:
            value = record
            for field in path.split("."):
                value = as_dict(value).get(field)
        if value not in (None, ""):
            return value
    return None


# A record is an answer, or holds several.

Test = tuple[Place, Collection[Any] | None]
"""A place that is filled with one of some values, or with anything."""
EVERY: Test = (lambda answer: True, None)
"""What every answer passes."""


def passes(record: Record, test: Test) -> bool:
    """Whether a record passes a test."""
    place, values = test
    value = cell(record, place)
    filled = value is not None and value is not False
    return filled if values is None else value in values


@dataclass(kw_only=True)
class Answers(Tool):
    """A tool of which records hold answers.

    Attributes
    ----------
    inside : str
        Field of an object that lists the records, as an API writes a page of them.
    records : callable
        Records that a file holds, where they are not simply listed.
    answers : callable
        Answers that records hold, with the fields of their records.
    item, question, label : Place
    person : Test
        What an answer of a person passes; others are predictions.
    rater, classifier : Place
        Who answers: a person, or something else.
    confidence : Place
        How sure a classifier is.
    pair : tuple of str
        Fields of the two things that are compared.
    left_out : mapping of str to Test
        What is left out, and why; reasons in capitals answer no question, and are counted whichever
        is read.
    no_label : Test
        What answers pass that are texts, regions and the like, whose questions are listed; one that
        the user names is read.
    refused_if : tuple of (Test, text)
        What records pass that cannot be read right, and why not.
    absent : str
        Why a file has no answers at all.
    next_page : callable
        Whether the object that lists records says that there are more.
    remarks : tuple of (severity, test, text)
        What to say if some answers pass a test; {answers} are how many.
    """

    name: str
    title: str
    kinds: tuple[Kind, ...] = tuple(KINDS)
    marks: Marks
    inside: str | None = None
    records: Callable[[Document], Sequence[Record]] | None = None
    answers: Callable[[Iterable[Record]], Iterable[Record]] = lambda records: records
    item: Place
    question: Place
    label: Place
    person: Test = ((), None)
    rater: Place = ()
    classifier: Place = ()
    confidence: Place = ()
    pair: tuple[str, str] | None = None
    left_out: Mapping[str, Test] = field(default_factory=dict[str, Test])
    no_label: Test = ((), None)
    next_page: Callable[[Record], bool] = lambda page: False
    refused_if: tuple[tuple[Test, str], ...] = ()
    absent: str = ""
    remarks: tuple[tuple[Severity, Test, str], ...] = ()

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each answer as a rating or a prediction, and as a comparison if it is one."""
        records = self.records(document) if self.records else document.records(self.inside)
        export = Export(len(records))
        for test, why in self.refused_if:
            if any(passes(record, test) for record in records):
                raise self.refused(document, why)
        others, times = dict[str, None](), [0] * len(self.remarks)
        for answer in self.answers(records):
            for n, (_, test, _) in enumerate(self.remarks):
                times[n] += passes(answer, test)
            question = str(cell(answer, self.question))
            person = self.person is EVERY or passes(answer, self.person)
            if passes(answer, self.no_label) and question != reading.question:
                others[question] = None
                continue
            item, label = cell(answer, self.item), cell(answer, self.label)
            reason = next((why for why, test in self.left_out.items() if passes(answer, test)), "")
            if reason:
                kind = "ratings" if person else "predictions"
                export.drop(kind, reason.lower(), None if reason.isupper() else question)
            elif person:
                rater = cell(answer, self.rater)
                export.rate(question, item, rater, label)
                if self.pair is not None:
                    left, right = self.pair
                    export.prefer(question, (answer.get(left), answer.get(right)), label, rater)
            else:
                classifier = str(cell(answer, self.classifier))
                export.predict(question, item, classifier, label, cell(answer, self.confidence))
        if self.absent and not any(export.answers.values()):
            export.absent = dict.fromkeys(KINDS, self.absent)
        export.leave_out(document, "texts, regions and the like", sorted(others))
        if self.next_page(document.object):
            export.notes.warning(
                f"{document.name}: one page of several; what the other pages hold is missing. Ask "
                "the API for all pages."
            )
        for (severity, _, text), number in zip(self.remarks, times, strict=True):
            if number:
                text = text.replace("{answers}", count(number, "answer"))
                export.notes.extend([Note(f"{document.name}: {text}", severity)])
        return export


def _braintrust_scores(events: Iterable[Record]) -> list[Record]:
    """Scores of the spans at the root."""
    roots = [event for event in events if event["span_id"] == event["root_span_id"]]
    return [
        {**event, "name": name, "value": value}
        for event in roots
        for name, value in as_dict(event["scores"]).items()
    ]


_LANGFUSE_TYPE = ("dataType", "data_type")  # of the API, and of blob exports


def _langfuse_label(score: Record) -> Any:
    type_, value = cell(score, _LANGFUSE_TYPE), score.get("value")
    if type_ == "CATEGORICAL":
        return cell(score, ("stringValue", "string_value", "value"))
    if type_ == "BOOLEAN" and value is not None:
        return str(value).lower() in ("1", "1.0", "true")
    return value


def _langfuse_next_page(page: Record) -> bool:
    about = as_dict(page.get("meta"))
    total = about.get("totalItems")
    more = isinstance(total, int) and total > len(as_list(page.get("data")))
    return bool(about.get("cursor")) or more


def _assessments(traces: Iterable[Record]) -> list[Record]:
    """Assessments of traces, of the whole or of a span."""
    return [
        {**assessment, "trace": cell(trace, ("info.trace_id", "trace_id"))}
        for trace in traces
        for assessment in as_dicts(cell(trace, ("info.assessments", "assessments")))
    ]


def _mlflow_item(assessment: Record) -> str:
    trace, span = cell(assessment, ("trace_id", "trace")), assessment.get("span_id")
    return f"{trace}/{span}" if span else str(trace)


def _mlflow_person(assessment: Record) -> Any:
    is_person = cell(assessment, "source.source_type") == "HUMAN"
    return cell(assessment, "source.source_id") if is_person else None


_PHOENIX_SUBJECTS = ("span_id", "trace_id", "session_id")
_PHOENIX_LABEL, _PHOENIX_SCORE = "result.label", "result.score"


def _phoenix_annotations(records: Iterable[Record]) -> Iterator[Record]:
    """Annotations; scores without a label, of a name with labels, are a question of their own."""
    annotations = list(records)
    labelled = {_phoenix_name(a) for a in annotations if cell(a, _PHOENIX_LABEL) is not None}
    for annotation in annotations:
        name, label = _phoenix_name(annotation), cell(annotation, _PHOENIX_LABEL)
        question = f"{name}.score" if name in labelled and label is None else name
        yield {**annotation, "question": question}


def _phoenix_name(annotation: Record) -> str:
    return str(cell(annotation, ("annotation_name", "name")))


def _phoenix_item(annotation: Record) -> str | None:
    """Name what is annotated; a document that was retrieved is an item of its own."""
    subject = text_of(cell(annotation, _PHOENIX_SUBJECTS))
    number = text_of(cell(annotation, "document_position"))
    return subject if subject is None or number is None else f"{subject}#{number}"


def _phoenix_classifier(annotation: Record) -> str:
    names = [text_of(annotation.get(field)) for field in ("annotator_kind", "identifier")]
    return " ".join(filter(None, names))


def _openai_choices(records: Iterable[Record]) -> Iterator[Record]:
    """Answers to requests: where there are several to one, each is a classifier's."""
    for record in records:
        model = str(cell(record, "response.body.model") or "model")
        failure = cell(record, ("error", "response.body.error")) or None
        if cell(record, "response.status_code") not in (200, None):
            failure = failure or "status"
        choices = as_dicts(cell(record, "response.body.choices")) if failure is None else []
        for number, choice in enumerate(choices, 1):
            name = model if number == 1 else f"{model} ({number})"
            yield {**record, **as_dict(choice.get("message")), "model": name, "end": "answer"}
        if failure is not None:
            yield {**record, "end": "error"}


def _anthropic_text(record: Record) -> str:
    """Put the blocks of text together; others, such as thinking, are left out."""
    blocks = as_dicts(cell(record, "result.message.content"))
    return "\n".join(str(one.get("text")) for one in blocks if one.get("type") == "text")


def _chaosnli_ratings(records: Iterable[Record]) -> list[Record]:
    return [
        {**record, "label": label, "times": times}
        for record in records
        for label, times in as_dict(record.get("label_counter")).items()
        for _ in range(times if type(times) is int else 1)
    ]


def _lewidi_answers(documents: Iterable[Record]) -> Iterator[Record]:
    """Answers and raters of items by id, which stand between commas."""
    for document in documents:
        for item, said in document.items():
            raters = str(as_dict(said).get("annotators")).split(",")
            answers = str(as_dict(said).get("annotations")).split(",")
            for rater, answer in zip_longest(raters, answers):
                yield {"item": item, "rater": rater, "answer": answer}


def _toloka_outputs(rows: Iterable[Record]) -> Iterator[Record]:
    for row in rows:
        for name in row:
            if name.startswith("OUTPUT:"):
                question = name.removeprefix("OUTPUT:")
                golden = row.get(f"GOLDEN:{question}")
                yield {**row, "question": question, "answer": row[name], "golden": golden}


def _toloka_item(row: Record) -> str:
    """Name the task, or else what was shown."""
    shown = [str(row[name]).strip() for name in row if name.startswith("INPUT:")]
    return row.get("ASSIGNMENT:task_id") or " | ".join(filter(None, shown))


def _appen_judgments(rows: Iterable[Record]) -> list[Record]:
    """Answers to the columns that have a twin of gold answers."""
    judgments = list(rows)
    names = [name for name in judgments[0] if f"{name}_gold" in judgments[0]] if judgments else []
    return [
        # A worker who gives several answers gives one a line.
        {**row, "question": name, "labels": [label for label in row[name].split("\n") if label]}
        for name in names
        for row in judgments
    ]


def _lighttag_classes(examples: Iterable[Record]) -> Iterator[Record]:
    """Classes that each person gave; who saw an example may have given none."""
    for example in examples:
        classes: dict[str, list[Any]] = {
            _lighttag_annotator(person): [] for person in as_dicts(example["seen_by"])
        }
        for given in as_dicts(example["classifications"]):
            for person in as_dicts(given.get("classified_by")):
                classes.setdefault(_lighttag_annotator(person), []).append(given.get("classname"))
        for annotator, labels in classes.items():
            yield {**example, "annotator": annotator, "classes": labels}


def _lighttag_annotator(person: Record) -> str:
    return str(cell(person, ("annotator", "annotator_id")))


_RADIO, _CHECKLIST = "radio_answer", "checklist_answers"


def _labelbox_answers(records: Iterable[Record]) -> Iterator[Record]:
    """Answers to questions about data rows, nested ones too; without labels if they are none."""
    for record in records:
        projects = map(as_dict, as_dict(record.get("projects")).values())
        for label in (one for project in projects for one in as_dicts(project.get("labels"))):
            answer = {**record, **label, "unnamed": not cell(label, "label_details.created_by")}
            regions = as_dicts(cell(label, "annotations.objects"))
            questions = [*regions, *as_dicts(cell(label, "annotations.classifications"))]
            if cell(label, "performance_details.skipped"):
                yield answer
                continue
            while questions:
                question = questions.pop(0)
                radio = [as_dict(question[_RADIO])] if _RADIO in question else []
                chosen = radio or as_dicts(question.get(_CHECKLIST))
                labels = [one.get("name") for one in chosen]
                is_label = _RADIO in question or _CHECKLIST in question
                answer |= {
                    "question": question.get("name"),
                    "labels": labels,
                    "other": not is_label,
                }
                yield {**answer}
                questions += [sub for one in chosen for sub in as_dicts(one.get("classifications"))]


def _promptfoo_verdicts(records: Iterable[Record]) -> Iterator[Record]:
    """Verdicts of assertions, and the thumbs of the web view, which override the whole result's."""
    for record in records:
        listed = as_dicts(cell(record, "results.results"))
        for row in listed or ([record] if "gradingResult" in record else []):
            parts = as_dicts(cell(row, "gradingResult.componentResults"))
            if cell(row, "failureReason") == 2:
                yield {"end": "error"}
            elif not parts:
                yield {"end": "none"}
            else:
                yield from _promptfoo_assertions(row, parts)


def _promptfoo_assertions(row: Record, parts: list[dict[str, Any]]) -> Iterator[Record]:
    times: Counter[str] = Counter()
    for part in parts:
        assertion = as_dict(part.get("assertion"))
        if not assertion and "componentResults" in part:
            continue  # a set of assertions, which are listed too
        name = str(assertion.get("metric") or assertion.get("type") or "assertion")
        times[name] += 1
        yield {
            "end": "human" if assertion.get("type") == "human" else "assertion",
            "item": _promptfoo_item(row),
            "name": name if times[name] == 1 else f"{name} {times[name]}",
            "label": "pass" if part.get("pass") else "fail",
        }


def _promptfoo_item(row: Record) -> str:
    """Name a result: the test and the prompt, or what they are where they have no numbers."""
    if "testIdx" in row and "promptIdx" in row:
        return f"{row['testIdx']}:{row['promptIdx']}"
    who = cell(row, ("provider.id", "provider"))
    return f"{json.dumps(row.get('vars'))}|{who}|{cell(row, 'prompt.label')}"


_DEEPEVAL_CASES = ("testCases", "conversationalTestCases", "test_results")
_DEEPEVAL_METRICS = ("metricsData", "metrics_data", "metricsMetadata")


def _deepeval_verdicts(runs: Iterable[Record]) -> Iterator[Record]:
    """Verdicts of metrics on test cases, and what classifiers say of them."""
    for run in (as_dict(run.get("testRunData")) or run for run in runs):
        cases = [case for key in _DEEPEVAL_CASES for case in as_dicts(run.get(key))]
        times = Counter(str(case.get("name")) for case in cases)
        for number, case in enumerate(cases):
            name = str(case.get("name"))
            numbers = [case[key] for key in ("order", "index") if case.get(key) is not None]
            item = name if times[name] == 1 else f"{name}#{[*numbers, number][0]}"
            for metric in as_dicts(cell(case, _DEEPEVAL_METRICS)):
                success = metric.get("success")  # a metric without a threshold has none
                verdict = ("pass" if success else "fail") if isinstance(success, bool) else None
                who = metric.get("name", metric.get("metric"))
                yield {**metric, "item": item, "verdict": verdict, "who": who, "end": "metric"}
            for label in as_dicts(case.get("classifications")):
                if "label" in label:
                    who = cell(label, ("evaluation_model", "evaluationModel")) or "classifier"
                    yield {**label, "item": item, "who": who, "end": "class"}


_TRUE = ("true", "TRUE", "True", "1")

# The table. To read another such tool, add a row, and put it into the list of tools.

# fmt: off
BRAINTRUST = Answers(
    name="braintrust", title="Braintrust", inside="events", answers=_braintrust_scores,
    marks=(("span_id", "root_span_id", "span_attributes"), ("events.root_span_id",)),
    item=("dataset_record_id", "id"), question="name", classifier="name", label="value",
    left_out={"error": ("error", None)},
    next_page=lambda page: bool(page.get("cursor")),
    remarks=(("caution", EVERY, "scores that people gave in a review are not told from those "
            "of scorers; they are read as predictions."),),
)
LANGFUSE = Answers(
    name="langfuse", title="Langfuse", inside="data",
    marks=(("source", "data_type", "string_value"), ("name", "source", "dataType"),
           ("data.source", "data.dataType")),
    item=("observationId", "observation_id", "traceId", "trace_id", "sessionId",
          "session_id", "datasetRunId", "dataset_run_id", "subject.id"),
    question="name", label=_langfuse_label,
    person=("source", ("ANNOTATION",)), rater=("authorUserId", "author_user_id"),
    classifier=("evaluatorId", "evaluator_id", "source"),
    left_out={"TEXT": (_LANGFUSE_TYPE, ("TEXT",)),
              "CORRECTION": (_LANGFUSE_TYPE, ("CORRECTION",))},
    next_page=_langfuse_next_page,
    remarks=(("caution", ("source", ("API",)), "scores from the source API are read as those "
            "of a classifier; if they are the feedback of people, they are ratings."),),
)
MLFLOW = Answers(
    name="mlflow", title="MLflow", answers=_assessments,
    marks=(("assessments.assessment_name",), ("info.assessments",)),
    item=_mlflow_item, question=lambda assessment: assessment["assessment_name"],
    label="feedback.value", person=("source.source_type", ("HUMAN",)),
    rater="source.source_id", classifier="source.source_id",
    left_out={"EXPECTATION": ("expectation", None), "overridden": ("valid", (False,)),
              "error": ("feedback.error", None)},
    remarks=(("warning", (_mlflow_person, ("default",)), "people without a name of their own "
            "are all called 'default', as if they were one."),),
)
PHOENIX = Answers(
    name="phoenix", title="Phoenix", inside="data", answers=_phoenix_annotations,
    marks=(*(("annotator_kind", name) for name in _PHOENIX_SUBJECTS),
           ("data.annotator_kind",)),
    item=_phoenix_item, question="question", label=(_PHOENIX_LABEL, _PHOENIX_SCORE),
    person=("annotator_kind", ("HUMAN",)), rater=("user_id", "identifier"),
    classifier=_phoenix_classifier,
    left_out={"NOTE": ("question", ("note",))},
    next_page=lambda page: bool(page.get("next_cursor")),
)
OPENAI_BATCH = Answers(
    name="openai-batch", title="OpenAI Batch API", kinds=("predictions",),
    answers=_openai_choices, marks=(("custom_id", "response.body"),),
    item="custom_id", question=lambda record: "answer", classifier="model", label="content",
    left_out={"error": ("end", ("error",)), "refusal": ("refusal", None)},
)
ANTHROPIC_BATCH = Answers(
    name="anthropic-batch", title="Anthropic Message Batches", kinds=("predictions",),
    marks=(("custom_id", "result.type"),),
    item="custom_id", question=lambda record: "answer", label=_anthropic_text,
    classifier=lambda record: cell(record, "result.message.model") or "model",
    left_out={
        **{end: ("result.type", (end,)) for end in ("errored", "canceled", "expired")},
        "refusal": ("result.message.stop_reason", ("refusal",)),
    },
)
CHAOSNLI = Answers(
    name="chaosnli", title="ChaosNLI", kinds=("ratings",), answers=_chaosnli_ratings,
    marks=(("uid", "label_counter"),),
    item="uid", question=lambda rating: "label", label="label", person=EVERY,
)
LEWIDI = Answers(
    name="lewidi", title="LeWiDi", kinds=("ratings",), answers=_lewidi_answers,
    marks=(("OBJECT", "*.annotations", "*.annotators"),),
    item="item", question=lambda rating: "label", label="answer", person=EVERY, rater="rater",
)
APPEN = Answers(
    name="appen", title="Appen", kinds=("ratings",), answers=_appen_judgments,
    marks=(("_unit_id", "_worker_id", "_trust"),),
    item="_unit_id", question="question", label="labels", person=EVERY, rater="_worker_id",
    left_out={"test question": ("_golden", _TRUE), "tainted": ("_tainted", _TRUE)},
)
TOLOKA = Answers(
    name="toloka", title="Toloka", answers=_toloka_outputs,
    marks=(("ASSIGNMENT:worker_id",),),
    item=_toloka_item, question="question", label="answer", person=EVERY,
    rater="ASSIGNMENT:worker_id", pair=("INPUT:left", "INPUT:right"),
    left_out={
        **{status.lower(): ("ASSIGNMENT:status", (status,))
           for status in ("REJECTED", "SKIPPED", "EXPIRED", "ACTIVE")},
        "control task": ("golden", None),
    },
)
LIGHTTAG = Answers(
    name="lighttag", title="LightTag", kinds=("ratings",), answers=_lighttag_classes,
    inside="examples", marks=(("examples.example_id", "examples.seen_by"),),
    item="example_id", question=lambda rating: "class", label="classes", person=EVERY,
    rater="annotator",
    remarks=(("info", ("annotations", None), "spans beside the classes are left out."),),
)
LABELBOX = Answers(
    name="labelbox", title="Labelbox", kinds=("ratings",), answers=_labelbox_answers,
    marks=(("data_row", "projects"),),
    item=("data_row.global_key", "data_row.external_id", "data_row.id"), question="question",
    label="labels", person=EVERY, rater="label_details.created_by",
    left_out={"SKIPPED": ("performance_details.skipped", None)}, no_label=("other", None),
    remarks=(("warning", ("unnamed", None),
            "labels do not say by whom they are. Export with label_details."),),
)
PROMPTFOO = Answers(
    name="promptfoo", title="promptfoo", answers=_promptfoo_verdicts,
    marks=(("promptIdx", "testIdx", "gradingResult", "namedScores"),
           ("results.results", "results.version")),
    item="item", question=lambda verdict: "verdict", classifier="name", label="label",
    person=("end", ("human",)), rater="end",
    left_out={"ERROR": ("end", ("error",)),
              "WITHOUT VERDICTS OF ASSERTIONS": ("end", ("none",))},
    remarks=(("caution", ("end", ("human",)), "ratings given in the web view do not say by whom; "
            "they are all of the rater 'human'."),),
)
DEEPEVAL = Answers(
    name="deepeval", title="DeepEval", answers=_deepeval_verdicts,
    marks=(("testRunData.testCases",), *((f"{cases}.{metrics}",) for cases in _DEEPEVAL_CASES
                                         for metrics in _DEEPEVAL_METRICS)),
    item="item", classifier="who", label=("verdict", "label", "score"),
    question=lambda verdict: verdict["name"] if verdict["end"] == "class" else "verdict",
    left_out={"ERROR": ("error", None)},
)
# fmt: on


# promptfoo as CSV, with the columns once for each prompt.


class PromptfooTable(Tool):
    """Verdicts of all assertions together."""

    name = "promptfoo-table"
    title = "promptfoo"
    marks = (("COLUMNS", "Status", "Score", "Named Scores", "Grader Reason"),)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the verdict of each row and prompt."""
        export, rows = Export(), document.rows()
        columns = [i for i, name in enumerate(rows[0]) if name == "Status"]
        export.records = len(rows) - 1
        export.notes.warning(
            f"{document.name}: the verdict in the CSV is that of all assertions together, and a "
            "rating in the web view replaces it. The JSON (-o results.json) has each by itself."
        )
        for number, row in enumerate(rows[1:]):
            for prompt, column in enumerate(columns):
                if row[column] == "ERROR":
                    export.drop("predictions", "error")
                else:
                    export.predict("verdict", f"{number}:{prompt}", "promptfoo", row[column])
        return export


# Tables of evaluations: a row for each example, a column for each metric, which is a question and
# its own judge.


def _verdicts(
    records: Iterable[Record], metrics: Mapping[str, str], column: str | None
) -> list[Record]:
    """Say what each metric says of each example; without ids these are numbered."""
    return [
        {"metric": metric, "verdict": record.get(name), "numbered": column is None,
         "item": number if column is None else record.get(column)}
        for name, metric in metrics.items()
        for number, record in enumerate(records, 1)
    ]  # fmt: skip


def _ids(names: Sequence[str]) -> str | None:
    index = find_role(names, "item")
    return None if index is None else names[index]


def _mlflow_scores(rows: Iterable[Record]) -> list[Record]:
    """Columns of scores; some have their justifications beside them."""
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    stems = {name: name.removesuffix("/score") for name in names if name.endswith("/score")}
    return _verdicts(rows, {name: stem for name, stem in stems.items() if stem}, _ids(names))


def _langsmith_feedback(rows: Iterable[Record]) -> list[Record]:
    """Columns of feedback, beside the example and the time that its run took."""
    rows, start = list(rows), "feedback."
    names = dict.fromkeys(name for row in rows for name in row if name.startswith(start))
    # The id is that of its run.
    return _verdicts(rows, {name: name.removeprefix(start) for name in names}, "example_id")


_RAGAS_TEXTS = (
    ("user_input", "response", "retrieved_contexts"),
    ("question", "answer", "contexts"),
)
_RAGAS_OWN = frozenset({"reference", "ground_truth", "ground_truths"}).union(*_RAGAS_TEXTS)
_RAGAS_USUAL = (
    "faithfulness", "answer_relevancy", "response_relevancy", "context_precision",
    "context_recall", "context_relevancy", "answer_correctness", "answer_similarity",
    "semantic_similarity", "factual_correctness", "factual_correctness(*", "context_entity_recall",
    "llm_context_precision_with_reference", "llm_context_precision_without_reference",
    "nv_accuracy", "nv_context_relevance", "nv_response_groundedness",
)  # fmt: skip
"""Metrics of Ragas itself. Without one of them, numbers beside answers may be ratings of people."""


def _ragas_scores(rows: Iterable[Record]) -> list[Record]:
    """Columns of numbers that are not the sample's own; a question is no id, as it is elsewhere."""
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    column = _ids([name for name in names if name not in _RAGAS_OWN])
    others = [name for name in names if name not in _RAGAS_OWN | {column, ""}]
    return _verdicts(rows, {name: name for name in others if _are_numbers(name, rows)}, column)


def _are_numbers(name: str, rows: Sequence[Record]) -> bool:
    """Whether a column holds numbers, some at least, and nothing else."""
    given = [row[name] for row in rows if row.get(name) not in (None, "")]
    return bool(given) and all(number_of(str(value)) is not None for value in given)


MLFLOW_TABLE, LANGSMITH, RAGAS = (
    Answers(
        name=name, title=title, marks=marks, answers=answers,
        item="item", question="metric", classifier="metric", label="verdict",
        remarks=(("caution", ("numbered", (True,)), "no column of ids; items are numbered by row, "
                  "from 1. Ratings must be numbered so too."),),
    )
    for name, title, marks, answers in (
        ("mlflow-table", "MLflow", (("*/score", "*/justification"),), _mlflow_scores),
        ("langsmith", "LangSmith", (("example_id", "execution_time", "feedback.*"),),
         _langsmith_feedback),
        ("ragas", "Ragas", tuple((*texts, name) for texts in _RAGAS_TEXTS for name in _RAGAS_USUAL),
         _ragas_scores),
    )
)  # fmt: skip
