"""Tutorials as notebooks: the same page, with its commands in cells.

``python docs/_site/notebooks.py FOLDER`` writes one a tutorial; building the site does so as well.
The pages are the only source: text becomes cells of text, a console block a cell of its commands
with what they printed.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from console import BLOCK

GUIDE = Path(__file__).parents[1] / "guide"
INSTALL = """# If it is missing: pip install '.[report,excel]' in a clone of the project
!headcount --version"""
LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)[^)]+\)")
"""Of another page, which a notebook does not have beside it."""


def tutorials() -> list[Path]:
    """Pages whose commands can be run: those with console blocks."""
    return [page for page in sorted(GUIDE.glob("*.md")) if BLOCK.search(page.read_text("utf-8"))]


def notebook(text: str) -> dict[str, Any]:
    """Make a notebook of a page."""
    cells = [_cell("code", INSTALL)]
    end = 0
    for block in BLOCK.finditer(text):
        cells += _prose(text[end : block.start()])
        cells.append(_commands(block.group(1)))
        end = block.end()
    cells += _prose(text[end:])
    cells.insert(0, cells.pop(1))  # the title stands first
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    language = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": language},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _prose(text: str) -> list[dict[str, Any]]:
    text = LINK.sub(r"\1", text.strip())
    return [_cell("markdown", text)] if text else []


def _commands(block: str) -> dict[str, Any]:
    lines = block.splitlines(keepends=True)
    commands = [line[2:] for line in lines if line.startswith("$ ")]
    printed = [line for line in lines if not line.startswith("$ ")]
    shown = [{"name": "stdout", "output_type": "stream", "text": printed}] if printed else []
    return _cell("code", "%%bash\n" + "".join(commands), outputs=shown)


def _cell(kind: str, source: str, **more: Any) -> dict[str, Any]:
    cell = {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} | more if kind == "code" else {})


def write(folder: Path) -> None:
    """Write all notebooks; what is unchanged is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in tutorials():
        made = json.dumps(notebook(page.read_text(encoding="utf-8")), indent=1, ensure_ascii=False)
        path = folder / f"{page.stem}.ipynb"
        if not path.exists() or path.read_text(encoding="utf-8") != f"{made}\n":
            path.write_text(f"{made}\n", encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
