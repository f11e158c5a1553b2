"""Tutorials show what their commands print."""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path

import pytest

from headcount.cli.app import run as run_command

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "_site"))
import notebooks  # noqa: E402
from console import BLOCK, refreshed, shell  # noqa: E402

PAGES = [
    page
    for page in (
        ROOT / "README.md",
        ROOT / "docs" / "index.md",
        *sorted((ROOT / "docs" / "guide").glob("*.md")),
    )
    if "\n$ headcount " in page.read_text(encoding="utf-8")
]


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_shows_what_its_commands_print(page, monkeypatch):
    text = page.read_text(encoding="utf-8")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(command, folder):
        """Run a command of ours in this process, which is quicker; others by a shell."""
        if not command.startswith("headcount ") or set(command) & set("|<>;&$*`"):
            return shell(command, folder)
        monkeypatch.chdir(folder)
        printed = io.StringIO()
        with redirect_stdout(printed), redirect_stderr(printed), suppress(SystemExit):
            run_command(shlex.split(command)[1:])
        return printed.getvalue()

    assert refreshed(text, run) == text


@pytest.mark.parametrize("page", notebooks.tutorials(), ids=lambda page: page.stem)
def test_a_notebook_runs_the_commands_of_its_page(page):
    """Those that the test above runs, in the same order, with the same output."""
    assert page in PAGES
    text = page.read_text(encoding="utf-8")
    made = notebooks.notebook(text)
    cells = ["".join(one["source"]) for one in made["cells"] if one["cell_type"] == "code"]
    assert "pip install '.[" in cells[0]
    commands = [line[2:] for block in BLOCK.findall(text) for line in block.splitlines()
                if line.startswith("$ ")]  # fmt: skip
    ran = [line for cell in cells[1:] for line in cell.removeprefix("%%bash\n").splitlines()]
    assert ran == commands
    shown = [line for one in made["cells"] if one["cell_type"] == "code"
             for output in one["outputs"] for line in output["text"]]  # fmt: skip
    assert all(line in text for line in shown)
    assert made["cells"][0]["source"][0].startswith("# ")
    ids = [one["id"] for one in made["cells"]]
    assert len(set(ids)) == len(ids)


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
def test_the_cells_of_a_notebook_run(tmp_path):
    """One of them as a kernel would: each cell in a shell of its own, in one folder."""
    made = notebooks.notebook((ROOT / "docs/guide/coders.md").read_text(encoding="utf-8"))
    settings = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    cells = [one for one in made["cells"] if one["cell_type"] == "code"][1:]
    for cell in cells[:2]:
        code = "".join(cell["source"]).removeprefix("%%bash\n")
        done = subprocess.run(
            ["bash", "-c", code],
            cwd=tmp_path,
            env=os.environ | settings | {"COLUMNS": "80", "NO_COLOR": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
        shown = "".join(cell["outputs"][0]["text"])
        assert [*filter(None, done.stdout.splitlines())] == [*filter(None, shown.splitlines())]
