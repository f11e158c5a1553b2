"""DeepEval: test runs and results of an evaluation."""

from __future__ import annotations

from collections import Counter
from typing import Any

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document
from headcount.io.tools.values import as_dict, as_list

__all__ = ["DeepEval"]

CASES = ("testCases", "conversationalTestCases", "test_results")
METRICS = ("metricsData", "metrics_data")


class DeepEval(Tool):
    """Test cases with the verdict of each metric."""

    name = "deepeval"
    title = "DeepEval"

    def recognises(self, document: Document) -> bool:
        """Whether test cases have data of metrics."""
        return any(_metrics(case) is not None for case in _cases(document))

    def read(self, document: Document, reading: Reading) -> Export:
        """Read metrics as classifiers; what ended in an error is dropped."""
        export, cases = Export(), _cases(document)
        export.records = len(cases)
        times = Counter(str(case.get("name")) for case in cases)
        found: list[tuple[str, str, str, Any]] = []
        for number, case in enumerate(cases):
            name = str(case.get("name"))
            item = name if times[name] == 1 else f"{name}#{case.get('order', number)}"
            for metric in map(as_dict, _metrics(case) or []):
                if metric.get("error"):
                    export.drop("predictions", "error")
                else:
                    verdict = "pass" if metric.get("success") else "fail"
                    found.append((str(metric.get("name")), item, verdict, metric.get("score")))
        for classifier in dict.fromkeys(name for name, *_ in found):
            for name, item, verdict, score in found:
                if name == classifier:
                    export.predict("verdict", item, name, verdict)
                    export.score("verdict", item, name, score)
        export.add_scores()
        return export


def _cases(document: Document) -> list[dict[str, Any]]:
    return [as_dict(case) for key in CASES for case in as_list(document.object.get(key))]


def _metrics(case: dict[str, Any]) -> list[Any] | None:
    return next((as_list(case[key]) for key in METRICS if isinstance(case.get(key), list)), None)
