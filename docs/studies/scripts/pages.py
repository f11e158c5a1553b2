"""Where a study's tables stand: one page a method, with a section a study."""

from __future__ import annotations

import re
from pathlib import Path

STUDIES = Path(__file__).parents[1]


def write_section(page: str, text: str) -> None:
    """Put a study, which begins with '# Title', into the section of that title of a page."""
    code, lines = False, []
    for line in text.strip("\n").splitlines():
        code ^= line.startswith("```")
        lines.append(f"#{line}" if line.startswith("#") and not code else line)
    path = STUDIES / page
    old = path.read_text(encoding="utf-8")
    section = re.compile(rf"^{re.escape(lines[0])}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    if not section.search(old):
        raise SystemExit(f"{path} has no section '{lines[0]}'")
    new = section.sub(lambda _: "\n".join(lines) + "\n\n", old)
    path.write_text(new.rstrip("\n") + "\n", encoding="utf-8")
