"""SageMaker Ground Truth: answers of all workers, before they are made into one label."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from headcount.errors import some
from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document
from headcount.io.tools.labelling.mturk import answers_of
from headcount.io.tools.values import as_dict, as_list

__all__ = ["GroundTruth"]

ABOUT, OF_ALL = "-metadata", "annotationsFromAllWorkers"


class GroundTruth(Tool):
    """Requests for consolidation, and manifests of jobs that keep the answers of all workers."""

    name = "ground-truth"
    title = "SageMaker Ground Truth"

    def recognises(self, document: Document) -> bool:
        """Whether objects have annotations of workers, or metadata of a job."""
        return bool(document.head) and all(
            _is_request(one) or bool(_jobs(one)) for one in document.head
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read each answer of a worker that is a label; boxes and spans are left out."""
        export, records = Export(), document.records()
        export.records = len(records)
        left_out: set[str] = set()
        for number, one in enumerate(records, 1):
            request = _is_request(one)
            given = one.get("annotations") if request else _of_all(one)
            if given is None:
                raise self.refused(
                    document,
                    "a manifest with one label for each object, which is made of the workers' "
                    "answers; whose they are is not in it. Give the files of the job's output in "
                    "annotations/consolidated-annotation/consolidation-request.",
                )
            own = one.get("datasetObjectId") if request else one.get("source-ref", number)
            for annotation in map(as_dict, as_list(given)):
                content = _content(annotation)
                answers = answers_of(json.dumps([content]))
                left_out |= set(content) - set(answers)
                for question, answer in answers.items():
                    export.rate(question, own, annotation.get("workerId"), answer)
        if left_out:
            export.notes.info(
                f"{document.name}: boxes, spans and the like are no ratings; left out: "
                f"{some(sorted(left_out), 6)}."
            )
        return export


def _is_request(one: Mapping[str, Any]) -> bool:
    """Whether a record asks for the answers to one object to be made into a label."""
    workers = [as_dict(annotation) for annotation in as_list(one.get("annotations"))]
    return "datasetObjectId" in one and all(
        "workerId" in worker and "annotationData" in worker for worker in workers
    )


def _jobs(one: Mapping[str, Any]) -> list[str]:
    """Attributes of a line of a manifest that a job wrote."""
    return [
        name.removesuffix(ABOUT)
        for name, about in one.items()
        if name.endswith(ABOUT) and str(as_dict(about).get("type")).startswith("groundtruth/")
    ]


def _of_all(one: Mapping[str, Any]) -> Any:
    """Answers of all workers in a line of a manifest; None if it has only the label."""
    found = [as_dict(one.get(job)).get(OF_ALL) for job in _jobs(one)]
    return next((answers for answers in found if answers is not None), None)


def _content(annotation: Mapping[str, Any]) -> dict[str, Any]:
    """Read what a worker sent: a form, as JSON in a text."""
    content = as_dict(annotation.get("annotationData")).get("content")
    try:
        return as_dict(json.loads(content) if isinstance(content, str) else content)
    except ValueError:
        return {}
