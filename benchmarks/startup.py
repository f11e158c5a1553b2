"""What it costs to start, and whole commands on small files, in CPU time.

Usage: python startup.py, which prints a Markdown section.
"""

from __future__ import annotations

import sys
from pathlib import Path

from harness import cost_of, met, say, table

REPEATS = 15
COMMANDS = {
    "": None,
    "--help": 0.15,
    "look example:ratings": 0.4,
    "agree example:ratings": 0.4,
    "survey example:ratings -p example:predictions": 0.4,
    "pairs example:comparisons": 0.7,
    "judge example:stars example:judge": 1.2,
    "blind example:predictions --gold example:gold": 1.2,
}
"""Seconds of CPU time that commands may take; the first is Python alone."""


def main() -> str:
    say("start-up")
    rows: list[list[object]] = []
    for words, target in COMMANDS.items():
        command = [str(Path(sys.executable).with_name("headcount")), *words.split()]
        if not words:
            command = [sys.executable, "-c", "pass"]
        seconds, memory = cost_of(command, repeats=REPEATS)
        name = f"`headcount {words}`" if words else "`python -c pass`"
        aim = ["", ""] if target is None else [f"<= {target} s", met(seconds <= target)]
        rows.append([name, f"{seconds:.2f} s", f"{memory:.0f} MB", *aim])
    notes = (
        "Examples of 120 to 300 items or answers. User and system time and peak memory of the "
        f"process, medians of {REPEATS} runs after one to warm up."
    )
    header = ["", "CPU time", "peak memory", "target", "met"]
    return "\n\n".join(["## Start-up", table(header, rows), notes])


if __name__ == "__main__":
    print(main())
