"""MLflow: traces with their assessments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document
from headcount.io.tools.values import as_dict, as_list

__all__ = ["MLflow"]


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
                    add(question, _item(one, trace), who, feedback.get("value"))
        if default:
            export.notes.warning(
                f"{document.name}: people without a name of their own are all called 'default', "
                "as if they were one."
            )
        return export


def _assessments(trace: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = as_dict(trace.get("info")).get("assessments", trace.get("assessments"))
    return [as_dict(one) for one in as_list(found)]


def _item(assessment: Mapping[str, Any], trace: Mapping[str, Any]) -> str:
    own = as_dict(trace.get("info")).get("trace_id", trace.get("trace_id"))
    name = str(assessment.get("trace_id") or own)
    span = assessment.get("span_id")
    return f"{name}/{span}" if span else name
