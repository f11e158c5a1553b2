"""Inspect: logs of evaluations as JSON, and as .eval archives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from headcount.errors import count
from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document, Form
from headcount.io.tools.values import as_dict, as_list

__all__ = ["Inspect"]

VERSION = 2
_HEADER, _START, _SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
PLAIN = "score"
MOST_BYTES, MOST_SAMPLES, MOST_SLOW = 100_000_000, 20_000, 500
"""An archive of more is read by the summaries of its samples; the last if it unpacks slowly."""
SAMPLE = ("id", "epoch", "scores", "error", "invalidation")
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
        version = header.get("version", VERSION)
        if not isinstance(version, int) or version > VERSION:
            raise self.refused(
                document, f"version {version} of the log, of which up to {VERSION} can be read."
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
                    _score(export, _item(sample, epochs), scorer, own)
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
    short = {name: sample[name] for name in SAMPLE if name in sample}
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


def _item(sample: Mapping[str, Any], epochs: bool) -> str:
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
        _predict(export, PLAIN, item, scorer, value)


def _predict(export: Export, question: str, item: str, scorer: str, value: Any) -> None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        export.drop("predictions", "unscored", question)
    else:
        export.predict(question, item, scorer, value)
