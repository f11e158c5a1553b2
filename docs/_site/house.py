"""The list of files in docs/reference/house.md, made of the first line of each.

``python docs/_site/house.py`` writes it anew; a test compares.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "headcount"
PAGE = ROOT / "docs" / "reference" / "house.md"
LIST = re.compile(r"(?<=<!-- files -->\n).*?(?=<!-- end of files -->)", re.DOTALL)
FLOORS = (
    "cli", "collect", "testing", "report", "judging", "equivalence", "agreement",
    "blind_evaluation", "pairwise", "simulation", "engine", "io", "data", "results", "stats", "",
)  # fmt: skip
"""Rooms, the highest floor first."""


def listed() -> str:
    """Write a table per room, with a line per file."""
    tables: list[str] = []
    for room in FLOORS:
        folder = SOURCE / room
        files = sorted(folder.rglob("*.py") if room else folder.glob("[a-z]*.py"))
        rows = [
            f"| `{file.relative_to(SOURCE).as_posix()}` | {first_line(file)} |\n"
            for file in files
            if file.name != "__init__.py" or file.parent == SOURCE / "data" / "examples"
        ]
        tables.append(f"\n### {f'{room}/' if room else 'Below all rooms'}\n\n")
        tables.append(f"| file | what is in it |\n|---|---|\n{''.join(rows)}")
    return "".join(tables) + "\n"


def first_line(file: Path) -> str:
    """Return the first sentence of a module's docstring."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return text.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def refreshed(page: str) -> str:
    """Return the page with the list of today."""
    return LIST.sub(lambda _: listed(), page)


if __name__ == "__main__":
    PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
