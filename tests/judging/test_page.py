"""The page on judges shows what the command prints."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "judge.md"


def test_the_page_shows_the_real_card(run):
    # What stands there of real data is compared with the other pages, in test_docs.
    page, _, _ = PAGE.read_text(encoding="utf-8").partition("cebab_stars")
    shown = re.findall(r"^```text\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    done = run("judge", "example:stars", "example:judge")
    assert len(shown) == 2
    assert all(block.rstrip() in done.out for block in shown)
