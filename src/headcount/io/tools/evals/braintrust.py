"""Braintrust: events of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document
from headcount.io.tools.values import as_dict, as_list

__all__ = ["Braintrust"]

NEEDED = {"span_id", "root_span_id", "scores", "span_attributes"}


class Braintrust(Tool):
    """Spans of which those at the root have scores, from 0 to 1."""

    name = "braintrust"
    title = "Braintrust"

    def recognises(self, document: Document) -> bool:
        """Whether events are spans with scores."""
        events = _events(document, document.head)
        return bool(events) and all(set(one) >= NEEDED for one in events)

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
                    export.predict(name, _item(one), name, as_dict(one["scores"]).get(name))
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


def _item(event: Mapping[str, Any]) -> Any:
    """Name the example: its record in the dataset, or else the event."""
    return event.get("dataset_record_id") or event.get("id")
