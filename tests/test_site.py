"""The documentation as a site: it builds without a warning, and needs nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest

import headcount

from .report.browser import PATIENCE, Browser, find_browser

ROOT = Path(__file__).parents[1]
MISSING = [
    name for name in ("sphinx", "furo", "myst_parser", "latex2mathml") if not find_spec(name)
]
PROGRAM = find_browser()
pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"no site without {', '.join(MISSING)}")


@pytest.fixture(scope="session")
def site(tmp_path_factory, testrun_uid) -> Path:
    """Build all pages, once for all processes; a warning, such as a dead link, is an error."""
    folder = tmp_path_factory.getbasetemp().parent / f"site-{testrun_uid}"
    said = folder / "said.txt"
    try:
        folder.mkdir()
    except FileExistsError:  # another process builds it
        until = time.monotonic() + 600
        while not said.exists() and time.monotonic() < until:
            time.sleep(0.2)
    else:
        words = ["-q", "-W", "--keep-going", "-j", "2", "-b", "html", "-d", str(folder / "trees")]
        done = subprocess.run(
            [sys.executable, "-m", "sphinx", *words, str(ROOT / "docs"), str(folder / "html")],
            capture_output=True,
            text=True,
            check=False,
        )
        (folder / "saying.txt").write_text(f"{done.returncode} {done.stderr}", encoding="utf-8")
        (folder / "saying.txt").rename(said)
    assert said.read_text(encoding="utf-8") == "0 "
    return folder / "html"


def pages(site: Path) -> dict[str, str]:
    found = {path.relative_to(site).as_posix(): path for path in site.rglob("*.html")}
    return {name: path.read_text(encoding="utf-8") for name, path in found.items()}


def test_every_public_name_has_an_entry(site):
    text = "".join(pages(site).values())
    assert [name for name in headcount.__all__ if f'id="headcount.{name}"' not in text] == []


def test_nothing_is_fetched_from_elsewhere(site):
    loads = re.compile(
        r'<(?:script|img|iframe|source)\b[^>]*\bsrc="([^"]+)"|<link\b[^>]*\bhref="([^"]+)"'
    )
    for name, text in pages(site).items():
        asked = [unescape("".join(one)) for one in loads.findall(text)]
        assert [one for one in asked if "//" in one] == [], name


def test_formulas_are_drawn_by_the_browser_itself(site):
    text = pages(site)["methods/alt-test.html"]
    assert "<math" in text
    assert "\\frac" not in text


@pytest.mark.skipif(PROGRAM is None, reason="no browser: install chromium")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_in_a_browser(site, tmp_path, width, dark):
    browser = Browser(str(PROGRAM), tmp_path)
    try:
        for name in ("index.html", "methods/alt-test.html", "reference/generated/equivalence.html"):
            browser.open(site / name, width=width, dark=dark)
            said = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
            assert not browser.heard(*said)
            asked = [one["request"]["url"] for one in browser.heard("Network.requestWillBeSent")]
            assert all(url.startswith(("file:", "data:")) for url in asked)
            assert browser.run("document.documentElement.scrollWidth") <= width
            ground = browser.run("getComputedStyle(document.body).backgroundColor")
            assert (ground == "rgb(255, 255, 255)") is not dark
    finally:
        browser.close()


@pytest.mark.skipif(PROGRAM is None, reason="no browser: install chromium")
def test_search_works_from_the_disk(site, tmp_path):
    browser = Browser(str(PROGRAM), tmp_path)
    try:
        browser.open(site / "search.html")
        browser.run("Search.performSearch('davidson')")
        found = "document.querySelectorAll('#search-results li a').length"
        until = time.monotonic() + PATIENCE
        while not browser.run(found) and time.monotonic() < until:
            time.sleep(0.05)
        assert browser.run(found) > 0
    finally:
        browser.close()
