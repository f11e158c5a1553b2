"""lm-eval: samples of a task."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document
from headcount.io.tools.values import as_list

__all__ = ["LmEval"]

NEEDED = {"doc_id", "doc", "resps", "filtered_resps", "target"}
OWN = NEEDED | {
    "arguments", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash", "schema",
}  # fmt: skip


class LmEval(Tool):
    """Documents with the model's answers and the metrics of each."""

    name = "lm-eval"
    title = "lm-eval"

    def recognises(self, document: Document) -> bool:
        """Whether records have a document, the model's answers and a target."""
        return bool(document.head) and all(set(one) >= NEEDED for one in document.head)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read metrics as predictions of the model, which is called as the folder is.

        A document is there once for each filter: these are questions, not ratings.
        """
        export, records = Export(), document.records()
        export.records = len(records)
        filters = {str(one.get("filter", "none")) for one in records}
        metrics = list(dict.fromkeys(name for one in records for name in _metrics(one)))
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


def _metrics(one: Mapping[str, Any]) -> list[str]:
    named = [str(name) for name in as_list(one.get("metrics"))]
    names = named or [name for name in one if name not in OWN]
    return [name for name in names if isinstance(one.get(name), int | float)]


def _question(metric: str, filter_: str, metrics: list[str], filters: set[str]) -> str:
    if len(filters) == 1:
        return metric
    return filter_ if len(metrics) == 1 else f"{metric},{filter_}"
