"""Run every command and every Python block of the README, with the headcount that is installed.

``python tests/readme_lines.py README.md``, in an empty folder and with the Python of an environment
that holds nothing else: see ``make wheel``. Needs no other file of the project.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path


def commands(text: str) -> list[str]:
    """Commands in lines of their own, and those within sentences that name a file."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    lines = re.findall(r"^    (headcount .*)$", prose, re.MULTILINE)
    inline = re.findall(r"`(headcount [^`]*(?:\.csv|example:)[^`]*)`", prose)
    return list(dict.fromkeys([*lines, *inline]))


def python_blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{shlex.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def main(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    program = shutil.which("headcount", path=str(Path(sys.executable).parent)) or "headcount"
    os.environ["MPLBACKEND"] = "agg"
    run(
        program,
        *[
            "simulate",
            "running-example",
            "--items",
            "1000",
            "--raters",
            "10",
            "--seed",
            "1",
            "-o",
            ".",
        ],
    )
    for block in python_blocks(text):
        without = "\n".join(line for line in block.splitlines() if "to_frame" not in line)
        run(sys.executable, "-c", without)  # frames are of libraries that are not installed
    from headcount import examples

    for name in examples.names():
        shutil.copy(examples.path(name), examples.path(name).name)
    for command in commands(text):
        run(program, *shlex.split(command)[1:])
        sys.stdout.write(f"ran: {command}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
