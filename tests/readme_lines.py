"""Run every command of pages from top to bottom, in a folder and with the Python that are given.

``python tests/readme_lines.py --python BIN/python README.md ...`` in a fresh clone, with the Python
of an empty environment: see ``make wheel``. Without ``--python`` only headcount's commands run,
with the headcount that is installed. ``--all`` runs ``make test`` as well.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = ("headcount", "make", "pip")
BLOCK = re.compile(
    r"^```(?P<kind>\w*)\n(?P<code>.*?)^```|^ {4}(?P<line>\S[^\n]*)$|`(?P<inline>headcount [^`]*)`",
    re.DOTALL | re.MULTILINE,
)


def steps(text: str) -> list[tuple[str, str]]:
    """Commands and Python blocks in order: ("shell" or "python", code), each command once."""
    found: list[tuple[str, str]] = []
    for part in BLOCK.finditer(text):
        if part["kind"] == "python":
            found.append(("python", part["code"]))
            continue
        if part["kind"]:
            lines = [line[2:] for line in part["code"].splitlines() if line.startswith("$ ")]
        elif part["line"]:
            lines = [part["line"].partition("  #")[0].rstrip()]
        else:  # in a sentence: one that names a file
            lines = [one for one in (part["inline"] or "",) if re.search(r"\.csv|example:", one)]
        found += [("shell", line) for line in lines if line.split()[0] in PROGRAMS]
    return list(dict.fromkeys(found))


def commands(text: str) -> list[str]:
    """Commands of headcount."""
    return [code for kind, code in steps(text) if kind == "shell" and code.startswith("headcount")]


def python_blocks(text: str) -> list[str]:
    return [code for kind, code in steps(text) if kind == "python"]


def run(words: list[str], said: str) -> None:
    began = time.monotonic()
    done = subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"failed: {said}\n{done.stdout}")
    sys.stdout.write(f"ran, {time.monotonic() - began:.0f} s: {said}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--python")
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    python = given.python or sys.executable
    # Not resolved: the Python of an environment is a link.
    os.environ["PATH"] = f"{Path(python).absolute().parent}{os.pathsep}{os.environ['PATH']}"
    os.environ["MPLBACKEND"] = "agg"
    for page in given.pages:
        for kind, code in steps(page.read_text(encoding="utf-8")):
            program = code.split()[0]
            if kind == "python":
                # Frames are of libraries that need not be installed.
                lines = [line for line in code.splitlines() if "to_frame" not in line]
                run([python, "-c", "\n".join(lines)], f"{len(lines)} lines of Python")
            elif program != "headcount" and not given.python:
                continue
            elif code == "make test" and not given.all:
                sys.stdout.write("left out: make test (--all runs it)\n")
            else:
                if program == "headcount":
                    with_examples(python)
                run(["bash", "-c", code], code)


def with_examples(python: str) -> None:
    """Put files of the names that pages have into the folder."""
    if Path("ratings.csv").exists():
        return
    code = "from headcount import examples; print(*map(examples.path, examples.names()), sep='\\n')"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    for path in done.stdout.splitlines():
        shutil.copy(path, Path(path).name)


if __name__ == "__main__":
    main()
