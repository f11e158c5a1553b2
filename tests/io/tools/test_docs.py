"""The page on files says what is read of the exports among the tests.

After a change, write the table anew: python -m tests.io.tools.test_docs
"""

from __future__ import annotations

import json
from pathlib import Path

from headcount.io.tools.catalogue import TOOLS
from headcount.io.tools.read import read_export

from .test_fixtures import EXPECTED, data_of, reading_of

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "files.md"
MARK = "<!-- exports: written by tests/io/tools/test_docs.py -->\n"


def table() -> str:
    lines = [
        "| export | kind | question | rows | dropped |",
        "|---|---|---|---|---|",
    ]
    for place in EXPECTED:
        expected = json.loads(place.read_text())
        if "rows" not in expected:
            continue
        case = f"{place.parent.parent.name}/{place.parent.name}"
        reading = reading_of(expected)
        read = read_export(data_of(place.parent), expected["kind"], reading)
        rows = 0 if read is None else read.rows
        dropped = {} if read is None else read.dropped
        why = ", ".join(f"{times} {reason}" for reason, times in dropped.items())
        question = reading.question or ""
        lines.append(f"| {case} | {expected['kind']} | {question} | {rows} | {why} |")
    return "\n".join(lines) + "\n"


def test_table_of_exports() -> None:
    assert PAGE.read_text().partition(MARK)[2] == "\n" + table()


def test_every_tool_is_on_the_page() -> None:
    page = PAGE.read_text()
    assert [tool.name for tool in TOOLS if f"| `{tool.name}` |" not in page] == []


if __name__ == "__main__":
    before = PAGE.read_text().partition(MARK)[0]
    PAGE.write_text(f"{before}{MARK}\n{table()}")
