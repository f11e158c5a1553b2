"""What the page on JSON says of a command, and what it does not."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "json.md"


def undocumented(document: Any, command: str, *, data: Collection[str] = ()) -> set[str]:
    """Keys of a command's JSON that neither its section nor the opening names.

    `data` are keys that are data, such as labels.
    """
    return set(_keys(document)) - documented(command) - set(data)


def documented(command: str) -> set[str]:
    """Names that the page's opening and a command's section hold."""
    opening, *sections = re.split(r"^## `headcount ", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    (section,) = (each for each in sections if each.startswith(f"{command}`"))
    return set(re.findall(r"`([\w -]+)`", opening + section))


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            # Keys of what was dropped are reasons, in words.
            yield from () if key == "dropped" else _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)
