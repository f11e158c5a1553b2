"""Run what a tutorial shows, and put in what it prints.

``python docs/_site/console.py PAGE...`` writes the pages anew; tests compare. A console block holds
commands after ``$``, run by a shell in a folder that is empty when the page begins, each followed
by what it printed. Numbers with more than eight decimals are cut to five digits: their last ones
differ from one processor to another.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

LONG = re.compile(r"-?\d+\.\d{9,}(?:e-?\d+)?")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def refreshed(text: str, run: Callable[[str, str], str] | None = None) -> str:
    """Return the page with what its commands print now, each run in a folder by `run`."""
    with tempfile.TemporaryDirectory() as folder:

        def block(found: re.Match[str]) -> str:
            lines = [line for line in found.group(1).splitlines() if line.startswith("$ ")]
            shown = (f"{line}\n{_output((run or shell)(line[2:], folder))}" for line in lines)
            return f"```console\n{''.join(shown)}```"

        return BLOCK.sub(block, text)


def shell(command: str, folder: str) -> str:
    """Run a command by a shell, and return what it prints."""
    if command.startswith("pip "):
        return ""
    here = Path(sys.executable).parent
    settings = {"COLUMNS": "80", "NO_COLOR": "1", "PATH": f"{here}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def _output(printed: str) -> str:
    said = LONG.sub(lambda number: f"{float(number.group()):.5g}", printed)
    return "".join(f"{line}\n" for line in said.rstrip("\n").splitlines())


if __name__ == "__main__":
    for name in sys.argv[1:]:
        page = Path(name)
        page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
