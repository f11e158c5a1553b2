"""What the documentation shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(path: Path, language: str) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@pytest.fixture
def example_folder(tmp_path, monkeypatch, run):
    run("simulate", "running-example", "--items", 1000, "--raters", 10, "--seed", 1, "-o", tmp_path)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("page", "code"),
    [(page.name, code) for page in PAGES for code in blocks(page, "python")],
)
def test_python_in_the_pages_runs(example_folder, page, code):
    names: dict[str, object] = {}
    exec(code, names)
    for line in code.splitlines():
        if found := re.match(r"([\w.\[\]\"]+)  # (\d.*)", line):
            assert repr(eval(found.group(1), names)) == found.group(2), page


def test_readme_shows_the_real_output_of_the_demo(example_folder, run):
    done = run("survey", "ratings.csv", "--predictions", "predictions.csv", "--seed", 1)
    (shown,) = blocks(ROOT / "README.md", "text")
    assert shown.startswith(done.out)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(((?!http)[^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target
