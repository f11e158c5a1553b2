"""What a release writes into its README and metadata."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ADDRESS = "https://example.org/someone/headcount"


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    for name in ("README.md", "pyproject.toml"):
        (folder / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    runpy.run_path(str(ROOT / ".github/addresses.py"))["main"](f"{ADDRESS}/", "v0.1.0", folder)
    return folder


def test_every_link_of_the_readme_is_whole_and_leads_to_a_file(released):
    text = (released / "README.md").read_text("utf-8")
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)#]+)", text)
    assert len(links) > 15
    for picture, link in links:
        kind = "raw" if picture else "blob"
        assert link.startswith(f"{ADDRESS}/{kind}/v0.1.0/")
        assert (ROOT / link.removeprefix(f"{ADDRESS}/{kind}/v0.1.0/")).is_file()


def test_project_urls(released):
    made = tomllib.loads((released / "pyproject.toml").read_text("utf-8"))["project"]
    assert made["urls"]["Source"] == ADDRESS
    assert made["urls"]["Changelog"] == f"{ADDRESS}/blob/v0.1.0/CHANGELOG.md"
    del made["urls"]
    assert made == tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
