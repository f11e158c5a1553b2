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
METRICS = ("metricsData", "metrics_data", "metricsMetadata")
RUN = "testRunData"
"""Where the file of the latest run keeps it."""
QUESTION = "verdict"


class DeepEval(Tool):
    """Test cases with the verdict of each metric."""

    name = "deepeval"
    title = "DeepEval"

    def recognises(self, document: Document) -> bool:
        """Whether test cases have data of metrics, or what classifiers say."""
        return any(_metrics(case) is not None or _labels(case) for case in _cases(document))

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
            for metric in map(as_dict, _metrics(case) or []):
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
                        export.drop("predictions", "without a verdict", QUESTION)
                    else:
                        export.predict(QUESTION, item, name, verdict)
                    export.score(QUESTION, item, name, score)
        export.add_scores()
        return export


def _cases(document: Document) -> list[dict[str, Any]]:
    run = as_dict(document.object.get(RUN)) or document.object
    return [as_dict(case) for key in CASES for case in as_list(run.get(key))]


def _metrics(case: dict[str, Any]) -> list[Any] | None:
    return next((as_list(case[key]) for key in METRICS if isinstance(case.get(key), list)), None)


def _labels(case: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what classifiers say of a case, where it has some."""
    return [one for one in map(as_dict, as_list(case.get("classifications"))) if "label" in one]


def _verdict(metric: dict[str, Any]) -> str | None:
    """Whether a metric is met; None if it does not say."""
    success = metric.get("success")
    return ("pass" if success else "fail") if isinstance(success, bool) else None
