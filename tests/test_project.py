"""What a project needs to be adopted says the same everywhere."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import headcount

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_one():
    version = PROJECT["project"]["version"]
    assert headcount.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE).group(1) == version


def test_hooks_lint_as_tests_do():
    hooks = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert (
        f"ruff=={re.search('rev: v(.*)', hooks).group(1)}"
        in (PROJECT["project"]["optional-dependencies"]["dev"])
    )


def test_the_oldest_python_is_the_same_for_all():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert PROJECT["tool"]["pyright"]["pythonVersion"] == oldest
    assert f'python: ["{oldest}"' in (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")


def test_the_paper_cites_what_its_bibliography_holds():
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    entries = (ROOT / "paper" / "paper.bib").read_text(encoding="utf-8")
    cited = set(re.findall(r"@(\w+)[;\]]", text))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", entries, re.MULTILINE))


def test_the_paper_has_the_parts_that_are_asked_for():
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    assert {"# Summary", "# Statement of need", "# References"} <= set(text.splitlines())
    assert len(text.split()) < 1100
