"""Labelbox: the export of a project, one data row a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headcount.errors import some
from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document
from headcount.io.tools.values import as_dict, as_list

__all__ = ["Labelbox"]

RADIO, CHECKLIST = "radio_answer", "checklist_answers"


class Labelbox(Tool):
    """Data rows, with the labels of each project and who gave them."""

    name = "labelbox"
    title = "Labelbox"

    def recognises(self, document: Document) -> bool:
        """Whether records have a data row and labels of projects."""
        return bool(document.head) and all(
            as_dict(one.get("data_row")) and isinstance(one.get("projects"), dict)
            for one in document.head
        )

    def read(self, document: Document, reading: Reading) -> Export:
        """Read radio buttons and checklists about whole data rows; skipped labels are dropped."""
        export, records = Export(), document.records()
        export.records = len(records)
        left_out: set[str] = set()
        unnamed = 0
        for one in records:
            row = as_dict(one["data_row"])
            item = row.get("global_key") or row.get("external_id") or row.get("id")
            for label in _labels(one):
                if as_dict(label.get("performance_details")).get("skipped"):
                    export.drop("ratings", "skipped")
                    continue
                rater = as_dict(label.get("label_details")).get("created_by")
                unnamed += rater is None
                for question, answer in _classifications(as_dict(label.get("annotations"))):
                    if answer is None:
                        left_out.add(question)
                    else:
                        export.rate(question, item, rater, answer)
        if unnamed:
            export.notes.warning(
                f"{document.name}: labels do not say by whom they are. Export with label_details."
            )
        if left_out:
            export.notes.info(
                f"{document.name}: texts and regions are no ratings; left out: "
                f"{some(sorted(left_out), 6)}."
            )
        return export


def _labels(one: Mapping[str, Any]) -> list[dict[str, Any]]:
    projects = map(as_dict, as_dict(one.get("projects")).values())
    return [as_dict(label) for project in projects for label in as_list(project.get("labels"))]


def _classifications(annotations: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Questions about a data row with their answers, nested ones too; None for what is no label."""
    for region in map(as_dict, as_list(annotations.get("objects"))):
        yield str(region.get("name")), None
    asked = [as_dict(one) for one in as_list(annotations.get("classifications"))]
    while asked:
        one = asked.pop(0)
        name = str(one.get("name"))
        if RADIO in one:
            chosen = [as_dict(one[RADIO])]
            yield name, [answer.get("name") for answer in chosen]
        elif CHECKLIST in one:
            chosen = [as_dict(answer) for answer in as_list(one[CHECKLIST])]
            yield name, [answer.get("name") for answer in chosen]
        else:
            chosen = []
            yield name, None
        asked += [as_dict(sub) for own in chosen for sub in as_list(own.get("classifications"))]
