"""Logs of evaluations: Inspect, lm-eval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from headcount.errors import count
from headcount.io.reading import Reading
from headcount.io.tools.contents import Document, Form, as_dict, as_dicts, as_list
from headcount.io.tools.exports import Export, Tool

__all__ = [
    "Inspect",
    "LmEval",
]


# Inspect: logs of evaluations as JSON, and as .eval archives.

INSPECT_VERSION = 2
_HEADER, _START = "header.json", "_journal/start.json"
PLAIN_SCORE = "score"
_UNCHANGED = "UNCHANGED"
"""What an edit says of a value that it leaves as it is."""
SAMPLE_FIELDS = ("id", "epoch", "scores", "error", "invalidation")
"""What is read of a sample."""


class Inspect(Tool):
    """Samples with the scores that each scorer gave."""

    name = "inspect"
    title = "Inspect"
    marks = (
        ("version", "status", "eval", "samples"),
        (_HEADER, "samples/*_epoch_*"),
        (_START, "samples/*_epoch_*"),
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
        epochs = any(sample.get("epoch", 1) != 1 for sample in samples)
        if epochs:
            export.notes.info(
                f"{document.name}: several epochs; each sample and epoch is an item of its own, "
                "as in 's1#2'."
            )
        edited = 0
        for sample in samples:
            scores = as_dict(sample.get("scores"))
            reasons = {
                "error": sample.get("error"),
                "invalidated": sample.get("invalidation"),
                "without scores": not scores,
            }
            reason = next((reason for reason, holds in reasons.items() if holds), None)
            if reason is not None:
                export.drop("predictions", reason)
                continue
            item = f"{sample.get('id')}#{sample.get('epoch', 1)}" if epochs else sample.get("id")
            for scorer, score in scores.items():
                if as_dict(score):
                    value = _own_value(as_dict(score))
                    edited += value != score.get("value")
                    _score(export, item, scorer, value)
        if edited:
            export.notes.caution(
                f"{document.name}: {count(edited, 'score')} changed by people after the run; read "
                "is what the scorer itself said."
            )
        return export


def _of_json(document: Document) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    log = document.object
    return log, list(map(_short, as_dicts(log.get("samples"))))


def _of_archive(document: Document) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Read the header, and what is needed of the samples."""
    names = document.members
    header = as_dict(document.member(_HEADER if _HEADER in names else _START).json)
    samples = (name for name in names if name.startswith("samples/"))
    return header, [_short(as_dict(document.member(name).json)) for name in samples]


def _short(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample without its messages and events, which are long."""
    return {name: sample[name] for name in SAMPLE_FIELDS if name in sample}


def _own_value(score: Mapping[str, Any]) -> Any:
    """Return what the scorer said: the first of the history of a score that was edited."""
    edits = as_dicts(score.get("history"))
    first = edits[0] if edits and not edits[0].get("provenance") else {}
    return score.get("value") if first.get("value", _UNCHANGED) == _UNCHANGED else first["value"]


def _score(export: Export, item: Any, scorer: str, value: Any) -> None:
    """Add what a scorer says: one value, or several by name."""
    if isinstance(value, dict):
        for key, inside in as_dict(value).items():
            if not isinstance(inside, list | dict):
                _predict(export, f"{scorer}.{key}", item, scorer, inside)
    elif isinstance(value, list):
        export.drop("predictions", "list of scores")
    else:
        _predict(export, PLAIN_SCORE, item, scorer, value)


def _predict(export: Export, question: str, item: Any, scorer: str, value: Any) -> None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        export.drop("predictions", "unscored", question)
    else:
        export.predict(question, item, scorer, value)


# lm-eval: samples of a task.

LM_EVAL_NEEDED = ("doc_id", "doc", "resps", "filtered_resps", "target")
LM_EVAL_FIELDS = {
    *LM_EVAL_NEEDED, "arguments", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "schema",
}  # fmt: skip


class LmEval(Tool):
    """Documents with the model's answers and the metrics of each."""

    name = "lm-eval"
    title = "lm-eval"
    marks = (LM_EVAL_NEEDED,)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read metrics as predictions of the model, which is called as the folder is.

        A document is there once for each filter: these are questions, not ratings.
        """
        export, records = Export(), document.records()
        export.records = len(records)
        filters = {str(record.get("filter", "none")) for record in records}
        metrics = list(dict.fromkeys(name for record in records for name in _metrics(record)))
        model = document.path.resolve().parent.name
        export.notes.info(
            f"{document.name}: the model is not in the file; it is called '{model}', as the folder "
            "is. The metrics grade its answers: they are no opinions of a judge, unless the "
            "metric is one."
        )
        lists = {name for record in records for name in as_list(record.get("metrics"))}
        export.drop("predictions", "list of numbers", times=len(records) * len(lists - {*metrics}))
        for record in records:
            for metric in metrics:
                if metric in record and not isinstance(record[metric], list | dict):
                    names = [
                        *([metric] if len(metrics) > 1 or len(filters) == 1 else []),
                        *([str(record.get("filter", "none"))] if len(filters) > 1 else []),
                    ]
                    export.predict(",".join(names), record["doc_id"], model, record[metric])
        return export


def _metrics(record: Mapping[str, Any]) -> list[str]:
    named = [str(name) for name in as_list(record.get("metrics"))]
    names = named or [name for name in record if name not in LM_EVAL_FIELDS]
    return [name for name in names if isinstance(record.get(name), int | float)]
