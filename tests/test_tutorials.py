"""Tutorials show what their commands print."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_site"))
from console import refreshed  # noqa: E402

PAGES = [
    page
    for page in sorted((ROOT / "docs" / "guide").glob("*.md"))
    if "\n$ headcount " in page.read_text(encoding="utf-8")
]


def to_nine_digits(text):
    """Round long numbers: their last digits differ between processors."""
    return re.sub(r"\d+\.\d{12,}(e-?\d+)?", lambda number: f"{float(number[0]):.9g}", text)


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_shows_what_its_commands_print(page):
    text = page.read_text(encoding="utf-8")
    assert to_nine_digits(refreshed(text)) == to_nine_digits(text)
