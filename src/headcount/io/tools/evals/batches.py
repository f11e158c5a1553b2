"""Batches of requests to models: the files that OpenAI and Anthropic give back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from headcount.io.reading import Reading
from headcount.io.tools.base import Export, Tool
from headcount.io.tools.document import Document
from headcount.io.tools.values import as_dict, as_list

__all__ = ["AnthropicBatch", "OpenAIBatch"]

QUESTION = "answer"


class Batch(Tool):
    """One line a request, called by the id that the user gave it; the model is the classifier.

    The whole text of an answer is its label, of which readers of predictions take what is marked.
    """

    kinds = ("predictions",)
    needed: frozenset[str]

    def recognises(self, document: Document) -> bool:
        """Whether records have an id and what became of the request."""
        head = document.head
        return bool(head) and all(self.needed <= set(one) and self.is_answer(one) for one in head)

    def read(self, document: Document, reading: Reading) -> Export:
        """Read answers; requests that failed are dropped by what became of them."""
        export, records = Export(), document.records()
        export.records = len(records)
        for one in records:
            why = self.failed(one)
            if why:
                export.drop("predictions", why, QUESTION)
                continue
            for name, text in self.answers(one):
                export.predict(QUESTION, one.get("custom_id"), name, text)
        return export

    @abstractmethod
    def is_answer(self, record: Mapping[str, Any]) -> bool:
        """Whether a record is one of these, by what only they have."""

    @abstractmethod
    def failed(self, record: Mapping[str, Any]) -> str:
        """Say why there is no answer; nothing if there is one."""

    @abstractmethod
    def answers(self, record: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Models and what they answered: one, or as many as were asked for."""


class OpenAIBatch(Batch):
    """OpenAI's output file, of chat completions; servers with the same interface write it too."""

    name = "openai-batch"
    title = "OpenAI Batch API"
    needed = frozenset({"custom_id", "response"})

    def is_answer(self, record: Mapping[str, Any]) -> bool:
        """Whether the response has a body of choices, or is none because of an error."""
        body = as_dict(as_dict(record.get("response")).get("body"))
        return "choices" in body or bool(record.get("error") or body.get("error"))

    def failed(self, record: Mapping[str, Any]) -> str:
        """Look for an error, and for a status other than 200."""
        response = as_dict(record.get("response"))
        if record.get("error") or response.get("status_code", 200) != 200:
            return "error"
        messages = [as_dict(as_dict(one).get("message")) for one in _choices(record)]
        return "refusal" if any(one.get("refusal") for one in messages) else ""

    def answers(self, record: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Take the text of each choice; where there are several, each is a classifier's."""
        model = str(as_dict(as_dict(record.get("response")).get("body")).get("model") or "model")
        texts = [as_dict(as_dict(one).get("message")).get("content") for one in _choices(record)]
        return [(f"{model} ({n})" if n > 1 else model, text) for n, text in enumerate(texts, 1)]


class AnthropicBatch(Batch):
    """Results of Anthropic's message batches."""

    name = "anthropic-batch"
    title = "Anthropic Message Batches"
    needed = frozenset({"custom_id", "result"})

    def is_answer(self, record: Mapping[str, Any]) -> bool:
        """Whether the result says how the request ended."""
        return as_dict(record.get("result")).get("type") in (
            "succeeded",
            "errored",
            "canceled",
            "expired",
        )

    def failed(self, record: Mapping[str, Any]) -> str:
        """Take how the request ended, unless it succeeded."""
        result = as_dict(record.get("result"))
        if result.get("type") != "succeeded":
            return str(result.get("type"))
        return "refusal" if as_dict(result.get("message")).get("stop_reason") == "refusal" else ""

    def answers(self, record: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Put the blocks of text together; others, such as thinking, are left out."""
        message = as_dict(as_dict(record.get("result")).get("message"))
        blocks = [as_dict(one) for one in as_list(message.get("content"))]
        text = "\n".join(str(one.get("text")) for one in blocks if one.get("type") == "text")
        return [(str(message.get("model") or "model"), text)]


def _choices(record: Mapping[str, Any]) -> list[Any]:
    return as_list(as_dict(as_dict(record.get("response")).get("body")).get("choices"))
