"""Tables of an evaluation: a row for each example, a column for each metric."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from headcount.data.vocabulary import number_of
from headcount.io.formats.json_object import rows_in
from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form

__all__ = ["LangSmith", "MLflowTable", "MetricTable", "Ragas"]


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
