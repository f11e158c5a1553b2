"""What docs/methods/agreement.md shows is what the command prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "methods" / "agreement.md"
SHOWN = re.findall(
    r"^```console\n\$ headcount (.*?)\n```\n\n```(?:text)?\n(.*?)^```",
    PAGE.read_text("utf-8"),
    re.DOTALL | re.MULTILINE,
)


def shown(start: str) -> tuple[list[str], str]:
    """The command that starts so, and its output."""
    ((command, text),) = [(c, t) for c, t in SHOWN if c.startswith(start)]
    return shlex.split(command), text


def test_essays(tmp_path, monkeypatch, run):
    (rows,) = re.findall(r"^```csv\n(item,ann.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.M)
    (tmp_path / "essays.csv").write_text(rows)
    monkeypatch.chdir(tmp_path)
    command, text = shown("agree essays.csv")
    assert run(*command).out == text


def test_sliders_with_heavy_ends(data_folder, monkeypatch, run):
    monkeypatch.chdir(data_folder / "agreement")
    command, text = shown("agree affect/")
    assert run(*command).out == text


def test_a_plan_of_the_running_example(tmp_path, monkeypatch, run):
    run("simulate", "running-example", "--items", 1000, "--raters", 10, "--seed", 1, "-o", tmp_path)
    monkeypatch.chdir(tmp_path)
    command, text = shown("plan ratings.csv")
    assert run(*command).out == text


@pytest.mark.parametrize("start", ["agree essays.csv", "agree affect/", "plan ratings.csv"])
def test_the_page_fits_a_terminal(start):
    assert max(map(len, shown(start)[1].splitlines())) <= 80
