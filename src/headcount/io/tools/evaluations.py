"""Logs of evaluations: Inspect, lm-eval, promptfoo, DeepEval, Ragas, LangSmith."""

from __future__ import annotations

import json
import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import Any

from headcount.data.vocabulary import number_of
from headcount.errors import count
from headcount.io.formats.json import rows_in
from headcount.io.reading import Reading
from headcount.io.roles import find_role
from headcount.io.tools.contents import as_dict, as_list
from headcount.io.tools.exports import Document, Export, Form, Tool

__all__ = [
    "Inspect",
    "LmEval",
    "Promptfoo",
    "PromptfooTable",
    "DeepEval",
    "MLflowTable",
    "LangSmith",
    "Ragas",
]


# Inspect: logs of evaluations as JSON, and as .eval archives.

INSPECT_VERSION = 2
_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
PLAIN_SCORE = "score"
MOST_BYTES, MOST_SAMPLES, MOST_SLOW = 100_000_000, 20_000, 500
"""An archive of more is read by the summaries of its samples; the last if it unpacks slowly."""
SAMPLE_FIELDS = ("id", "epoch", "scores", "error", "invalidation")
"""What is read of a sample."""


class Inspect(Tool):
    """Samples with the scores that each scorer gave."""

    name = "inspect"
    title = "Inspect"

    def recognises(self, document: Document) -> bool:
        """Whether it is a log with samples."""
        if document.form is Form.ARCHIVE:
            names = document.members
            return (_HEADER in names or _START in names) and any(
                name.startswith("samples/") and "_epoch_" in name for name in names
            )
        log = document.object
        return (
            type(log.get("version")) is int
            and "status" in log
            and {"task", "model"} <= set(as_dict(log.get("eval")))
            and isinstance(log.get("samples"), list)
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read scores as predictions of the scorers; failed and unscored samples are dropped."""
        export = Export()
        header, samples = (
            _of_archive(document) if document.form is Form.ARCHIVE else _of_json(document)
        )
        version = header.get("version", INSPECT_VERSION)
        if not isinstance(version, int) or version > INSPECT_VERSION:
            raise self.refused(
                document,
                f"version {version} of the log, of which up to {INSPECT_VERSION} can be read.",
            )
        export.records = len(samples)
        if document.form is Form.ARCHIVE and not _is_small(document):
            export.notes.caution(
                f"{document.name}: a log of many samples, which is read by their summaries. A "
                "score that people changed after the run is read as they left it."
            )
        epochs = any(sample.get("epoch", 1) != 1 for sample in samples)
        if epochs:
            export.notes.info(
                f"{document.name}: several epochs; each sample and epoch is an item of its own, "
                "as in 's1#2'."
            )
        edited = 0
        for scorer in dict.fromkeys(name for one in samples for name in as_dict(one.get("scores"))):
            for sample in samples:
                if sample.get("error") or sample.get("invalidation"):
                    continue
                score = as_dict(as_dict(sample.get("scores")).get(scorer))
                if score:
                    own = _own_value(score)
                    edited += own != score.get("value")
                    _score(export, _sample_name(sample, epochs), scorer, own)
        if edited:
            export.notes.caution(
                f"{document.name}: {count(edited, 'score')} changed by people after the run; read "
                "is what the scorer itself said."
            )
        for sample in samples:
            if sample.get("error"):
                export.drop("predictions", "error")
            elif sample.get("invalidation"):
                export.drop("predictions", "invalidated")
        unscored = sum(not one.get("scores") and not one.get("error") for one in samples)
        export.drop("predictions", "without scores", times=unscored)
        return export


def _of_json(document: Document) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    log = document.object
    return log, [_short(as_dict(sample)) for sample in as_list(log.get("samples"))]


def _of_archive(document: Document) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Read the header and the samples, which are long, by their summaries where these say all."""
    names = document.members
    header = as_dict(document.member(_HEADER if _HEADER in names else _START).json)
    members = [name for name in names if name.startswith("samples/")]
    # Summaries do not say which scores people changed later.
    if _SUMMARIES not in names or header.get("invalidated") or _is_small(document):
        return header, [_short(as_dict(document.member(name).json)) for name in members]
    samples: dict[tuple[str, str], dict[str, Any]] = {}  # of several of one name the last counts
    for summary in map(as_dict, as_list(document.member(_SUMMARIES).json)):
        key = str(summary.get("id")), str(summary.get("epoch", 1))
        member = f"samples/{summary.get('id')}_epoch_{summary.get('epoch', 1)}.json"
        whole = not summary.get("scores") and not summary.get("error") and member in names
        samples[key] = _short(as_dict(document.member(member).json)) if whole else summary
    return header, list(samples.values())


def _is_small(document: Document) -> bool:
    """Whether all samples of an archive are read, and not their summaries."""
    samples = sum(name.startswith("samples/") for name in document.members)
    most = MOST_SLOW if document.unpacks_slowly else MOST_SAMPLES
    return document.unpacked_size <= MOST_BYTES and samples <= most


def _short(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample without its messages and events; the first logs had one score, unnamed."""
    short = {name: sample[name] for name in SAMPLE_FIELDS if name in sample}
    if "score" in sample and not short.get("scores"):
        short["scores"] = {"scorer": sample["score"]} if sample["score"] else {}
    return short


def _own_value(score: Mapping[str, Any]) -> Any:
    """Return what the scorer said: the first of the history of a score that was edited."""
    edits = [as_dict(one) for one in as_list(score.get("history"))]
    original = edits[0] if edits and not edits[0].get("provenance") else {}
    return (
        score.get("value")
        if original.get("value", "UNCHANGED") == "UNCHANGED"
        else (original["value"])
    )


def _sample_name(sample: Mapping[str, Any], epochs: bool) -> str:
    return f"{sample.get('id')}#{sample.get('epoch', 1)}" if epochs else str(sample.get("id"))


def _score(export: Export, item: str, scorer: str, value: Any) -> None:
    """Add what a scorer says: one value, or several by name."""
    if isinstance(value, dict):
        for key, inside in as_dict(value).items():
            if not isinstance(inside, list | dict):
                _predict(export, f"{scorer}.{key}", item, scorer, inside)
    elif isinstance(value, list):
        export.drop("predictions", "list of scores")
    else:
        _predict(export, PLAIN_SCORE, item, scorer, value)


def _predict(export: Export, question: str, item: str, scorer: str, value: Any) -> None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        export.drop("predictions", "unscored", question)
    else:
        export.predict(question, item, scorer, value)


# lm-eval: samples of a task.

LM_EVAL_NEEDED = {"doc_id", "doc", "resps", "filtered_resps", "target"}
LM_EVAL_FIELDS = LM_EVAL_NEEDED | {
    "arguments", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash", "schema",
}  # fmt: skip


class LmEval(Tool):
    """Documents with the model's answers and the metrics of each."""

    name = "lm-eval"
    title = "lm-eval"

    def recognises(self, document: Document) -> bool:
        """Whether records have a document, the model's answers and a target."""
        return bool(document.head) and all(set(one) >= LM_EVAL_NEEDED for one in document.head)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read metrics as predictions of the model, which is called as the folder is.

        A document is there once for each filter: these are questions, not ratings.
        """
        export, records = Export(), document.records()
        export.records = len(records)
        filters = {str(one.get("filter", "none")) for one in records}
        metrics = list(dict.fromkeys(name for one in records for name in _sample_metrics(one)))
        model = document.path.resolve().parent.name
        export.notes.info(
            f"{document.name}: the model is not in the file; it is called '{model}', as the folder "
            "is. The metrics grade its answers: they are no opinions of a judge, unless the "
            "metric is one."
        )
        lists = {name for one in records for name in as_list(one.get("metrics"))} - set(metrics)
        export.drop("predictions", "list of numbers", times=len(records) * len(lists))
        for metric in metrics:
            for one in records:
                if metric in one and not isinstance(one[metric], list | dict):
                    question = _question(metric, str(one.get("filter", "none")), metrics, filters)
                    export.predict(question, one["doc_id"], model, one[metric])
        return export


def _sample_metrics(one: Mapping[str, Any]) -> list[str]:
    named = [str(name) for name in as_list(one.get("metrics"))]
    names = named or [name for name in one if name not in LM_EVAL_FIELDS]
    return [name for name in names if isinstance(one.get(name), int | float)]


def _question(metric: str, filter_: str, metrics: list[str], filters: set[str]) -> str:
    if len(filters) == 1:
        return metric
    return filter_ if len(metrics) == 1 else f"{metric},{filter_}"


# promptfoo: results as JSON, JSON lines and CSV.

PROMPTFOO_ERROR = 2
PROMPTFOO_HUMAN = "human"
PROMPTFOO_QUESTION = "verdict"


class Promptfoo(Tool):
    """Results with the verdict of each assertion."""

    name = "promptfoo"
    title = "promptfoo"

    def recognises(self, document: Document) -> bool:
        """Whether it has results with their grading."""
        results = as_dict(document.object.get("results"))
        if isinstance(results.get("results"), list) and "stats" in results:
            return True
        needed = {"promptIdx", "testIdx", "gradingResult", "namedScores"}
        return bool(document.head) and all(needed <= set(one) for one in document.head)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read assertions as predictions, and the thumbs of the web view as ratings.

        A thumb overrides the verdict of the whole result, so that it is never read.
        """
        export = Export()
        results = as_dict(document.object.get("results")).get("results")
        rows = [as_dict(one) for one in as_list(results)] if results else document.records()
        export.records = len(rows)
        verdicts: list[tuple[str, str, str, Any]] = []
        for row in rows:
            if row.get("failureReason") == PROMPTFOO_ERROR:
                export.drop("predictions", "error")
                continue
            parts = as_list(as_dict(row.get("gradingResult")).get("componentResults"))
            if not parts:
                export.drop("predictions", "without verdicts of assertions")
            used: Counter[str] = Counter()
            for part in map(as_dict, parts):
                assertion = as_dict(part.get("assertion"))
                if not assertion and "componentResults" in part:
                    continue  # a set of assertions, which are listed too
                label = "pass" if part.get("pass") else "fail"
                if assertion.get("type") == PROMPTFOO_HUMAN:
                    export.rate(PROMPTFOO_QUESTION, _result_name(row), PROMPTFOO_HUMAN, label)
                    continue
                name = str(assertion.get("metric") or assertion.get("type") or "assertion")
                used[name] += 1
                name = name if used[name] == 1 else f"{name} {used[name]}"
                verdicts.append((name, _result_name(row), label, part.get("score")))
        for classifier in dict.fromkeys(name for name, *_ in verdicts):
            for name, item, label, score in verdicts:
                if name == classifier:
                    export.predict(PROMPTFOO_QUESTION, item, name, label)
                    export.score(PROMPTFOO_QUESTION, item, name, score)
        export.add_scores()
        if export.answers["ratings"]:
            export.notes.caution(
                f"{document.name}: ratings given in the web view do not say by whom; they are all "
                f"of the rater '{PROMPTFOO_HUMAN}'."
            )
        return export


class PromptfooTable(Tool):
    """CSV, in which the columns of a verdict are there once for each prompt."""

    name = "promptfoo-csv"
    title = "promptfoo"

    def recognises(self, document: Document) -> bool:
        """Whether the columns of a verdict are there."""
        columns = document.columns if document.form is Form.COLUMNS else []
        return {"Status", "Score", "Named Scores", "Grader Reason"} <= set(columns)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read the verdict of each row and prompt."""
        export, rows = Export(), document.rows()
        places = [i for i, name in enumerate(rows[0]) if name == "Status"]
        export.records = len(rows) - 1
        export.notes.warning(
            f"{document.name}: the verdict in the CSV is that of all assertions together, and a "
            "rating in the web view replaces it. The JSON (-o results.json) has each by itself."
        )
        for number, row in enumerate(rows[1:]):
            for prompt, place in enumerate(places):
                status = row[place].strip() if place < len(row) else ""
                if status == "ERROR":
                    export.drop("predictions", "error")
                else:
                    export.predict(PROMPTFOO_QUESTION, f"{number}:{prompt}", "promptfoo", status)
        return export


def _result_name(row: Mapping[str, Any]) -> str:
    """Name a result: the test and the prompt, or what they are where they have no numbers."""
    if "testIdx" in row and "promptIdx" in row:
        return f"{row['testIdx']}:{row['promptIdx']}"
    provider, prompt = row.get("provider"), as_dict(row.get("prompt"))
    who = as_dict(provider).get("id", provider)
    return f"{json.dumps(row.get('vars'))}|{who}|{prompt.get('label')}"


# DeepEval: test runs and results of an evaluation.

DEEPEVAL_CASES = ("testCases", "conversationalTestCases", "test_results")
DEEPEVAL_METRICS = ("metricsData", "metrics_data", "metricsMetadata")
DEEPEVAL_RUN = "testRunData"
"""Where the file of the latest run keeps it."""
DEEPEVAL_QUESTION = "verdict"


class DeepEval(Tool):
    """Test cases with the verdict of each metric."""

    name = "deepeval"
    title = "DeepEval"

    def recognises(self, document: Document) -> bool:
        """Whether test cases have data of metrics, or what classifiers say."""
        return any(_case_metrics(case) is not None or _labels(case) for case in _cases(document))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read metrics as classifiers; what ended in an error is dropped."""
        export, cases = Export(), _cases(document)
        export.records = len(cases)
        times = Counter(str(case.get("name")) for case in cases)
        found: list[tuple[str, str, str | None, Any]] = []
        for number, case in enumerate(cases):
            name = str(case.get("name"))
            places = [case[key] for key in ("order", "index") if case.get(key) is not None]
            item = name if times[name] == 1 else f"{name}#{[*places, number][0]}"
            for metric in map(as_dict, _case_metrics(case) or []):
                if metric.get("error"):
                    export.drop("predictions", "error")
                else:
                    who = str(metric.get("name", metric.get("metric")))
                    found.append((who, item, _verdict(metric), metric.get("score")))
            for one in _labels(case):
                if one.get("error"):
                    export.drop("predictions", "error", str(one.get("name")))
                else:
                    who = one.get("evaluation_model") or one.get("evaluationModel") or "classifier"
                    export.predict(str(one.get("name")), item, who, one.get("label"))
        for classifier in dict.fromkeys(name for name, *_ in found):
            for name, item, verdict, score in found:
                if name == classifier:
                    if verdict is None:  # a metric without a threshold gives a score only
                        export.drop("predictions", "without a verdict", DEEPEVAL_QUESTION)
                    else:
                        export.predict(DEEPEVAL_QUESTION, item, name, verdict)
                    export.score(DEEPEVAL_QUESTION, item, name, score)
        export.add_scores()
        return export


def _cases(document: Document) -> list[dict[str, Any]]:
    run = as_dict(document.object.get(DEEPEVAL_RUN)) or document.object
    return [as_dict(case) for key in DEEPEVAL_CASES for case in as_list(run.get(key))]


def _case_metrics(case: dict[str, Any]) -> list[Any] | None:
    return next(
        (as_list(case[key]) for key in DEEPEVAL_METRICS if isinstance(case.get(key), list)), None
    )


def _labels(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what classifiers say of a case, where it has some."""
    return [one for one in map(as_dict, as_list(case.get("classifications"))) if "label" in one]


def _verdict(metric: dict[str, Any]) -> str | None:
    """Whether a metric is met; None if it does not say."""
    success = metric.get("success")
    return ("pass" if success else "fail") if isinstance(success, bool) else None


# Tables of an evaluation: a row for each example, a column for each metric.


class MetricTable(Tool):
    """Examples with what each metric says of them; a metric is a question and its own judge."""

    @abstractmethod
    def metrics(self, names: list[str], rows: list[dict[str, Any]]) -> dict[str, str]:
        """Columns of metrics, and what they are called; none if the table is another tool's."""

    def item(self, names: list[str]) -> str | None:
        """Name of the column of ids; None if there is none."""
        own = find_role(names, "item")
        return None if own is None else names[own]

    def recognises(self, document: Document) -> bool:
        """Whether there are columns of metrics, as the tool calls them."""
        if document.form in (Form.COLUMNS, Form.PARQUET):
            names, rows = document.columns, _head(document)
        else:
            apart = rows_in(document.object) if document.form is Form.OBJECT else None
            rows = document.head if apart is None else apart
            names = list(dict.fromkeys(name for row in rows for name in row))
        return bool(self.metrics(names, rows))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each metric as a question, which the judge of that name answers."""
        export = Export()
        records = rows_in(document.object) or document.records()
        export.records = len(records)
        names = list(dict.fromkeys(name for row in records for name in row))
        own = self.item(names)
        if own is None:
            export.notes.caution(
                f"{document.name}: no column of ids; items are numbered by row, from 1. Ratings "
                "must be numbered so too."
            )
        for column, metric in self.metrics(names, records).items():
            for number, one in enumerate(records, 1):
                item: Any = number if own is None else one.get(own)
                export.predict(metric, item, metric, one.get(column))
        return export


def _head(document: Document) -> list[dict[str, Any]]:
    rows = document.head_rows[1:]
    return [dict(zip(document.columns, row, strict=False)) for row in rows]


class MLflowTable(MetricTable):
    """Examples with the score of each metric, and why a judge gave it."""

    name = "mlflow-table"
    title = "MLflow"

    def metrics(self, names: list[str], rows: list[dict[str, Any]]) -> dict[str, str]:
        """Columns of scores, if some have their justifications beside them."""
        stems = [name.removesuffix("/score") for name in names if name.endswith("/score")]
        stems = [stem for stem in stems if stem]
        justified = any(f"{stem}/justification" in names for stem in stems)
        return {f"{stem}/score": stem for stem in stems} if justified else {}


class LangSmith(MetricTable):
    """Results of an experiment as a frame: inputs, outputs, and feedback of evaluators."""

    name = "langsmith"
    title = "LangSmith"

    def metrics(self, names: list[str], rows: list[dict[str, Any]]) -> dict[str, str]:
        """Columns of feedback, beside the example and the time that its run took."""
        if not {"example_id", "execution_time"} <= set(names):
            return {}
        start = "feedback."
        return {name: name.removeprefix(start) for name in names if name.startswith(start)}

    def item(self, names: list[str]) -> str | None:
        """Take the example; the id is that of its run."""
        return "example_id"


class Ragas(MetricTable):
    """Samples with the contexts that were retrieved, and a number for each metric."""

    name = "ragas"
    title = "Ragas"
    texts = (
        {"user_input", "response", "retrieved_contexts"},
        {"question", "answer", "contexts"},
    )
    own = frozenset(
        {
            "user_input", "response", "retrieved_contexts", "reference", "reference_contexts",
            "rubrics", "rubric", "multi_responses", "question", "answer", "contexts",
            "ground_truth", "ground_truths", "retrieved_context_ids", "reference_context_ids",
            "synthesizer_name",
        }
    )  # fmt: skip

    usual = frozenset(
        {
            "faithfulness", "answer_relevancy", "response_relevancy", "context_precision",
            "context_recall", "context_relevancy", "answer_correctness", "answer_similarity",
            "semantic_similarity", "factual_correctness", "context_entity_recall",
            "llm_context_precision_with_reference", "llm_context_precision_without_reference",
            "nv_accuracy", "nv_context_relevance", "nv_response_groundedness",
        }
    )  # fmt: skip

    def metrics(self, names: list[str], rows: list[dict[str, Any]]) -> dict[str, str]:
        """Columns of numbers that are not the sample's own, where one is a usual metric.

        Without, numbers beside answers may as well be ratings of people.
        """
        if not any(texts <= set(names) for texts in self.texts):
            return {}
        if not any(name.partition("(")[0] in self.usual for name in names):
            return {}
        apart = self.own | {self.item(names), ""}
        others = [name for name in dict.fromkeys(names) if name not in apart]
        return {name: name for name in others if not rows or _are_numbers(name, rows)}

    def item(self, names: list[str]) -> str | None:
        """Name of a column of ids; a question is none, though it is one elsewhere."""
        return super().item([name for name in names if name not in self.own])


def _are_numbers(name: str, rows: list[dict[str, Any]]) -> bool:
    """Whether a column holds numbers, some at least, and nothing else."""
    given = [row[name] for row in rows if row.get(name) not in (None, "")]
    return bool(given) and all(number_of(str(cell)) is not None for cell in given)
