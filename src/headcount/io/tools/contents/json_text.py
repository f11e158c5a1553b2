"""JSON in text: whole, by line, or as much of an array as the text holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from headcount.errors import DataError

__all__ = ["first_elements", "is_object", "json_lines", "parsed"]

MOST = 20
"""Elements of an array that are looked at."""


def parsed(text: str) -> Any:
    """Return what the text is; None if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def is_object(line: str) -> bool:
    """Whether a line is a JSON object."""
    return isinstance(parsed(line), dict)


def json_lines(text: str, name: str) -> Iterator[Any]:
    """Parse each line that is not blank; an error names the row."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError) as error:
                raise DataError(
                    f"{name}, row {number}: the JSON cannot be read: {error}."
                ) from None


def first_elements(text: str) -> list[Any]:
    """Elements at the start of a JSON array, as many as the text holds whole, up to 20."""
    decoder, elements = json.JSONDecoder(), list[Any]()
    place = text.find("[") + 1
    while len(elements) < MOST:
        while place < len(text) and text[place] in " \t\r\n,":
            place += 1
        try:
            element, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        elements.append(element)
    return elements
