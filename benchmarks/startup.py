"""What it costs to start the command and to import the package, in CPU time.

Usage: python startup.py, which prints a Markdown section.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path
from statistics import median

from harness import met, say, table

REPEATS = 15
TARGET_MS = 250


def main() -> str:
    say("start-up")
    python = [sys.executable, "-c", "pass"]
    command = [str(Path(sys.executable).with_name("headcount")), "--help"]
    package = [sys.executable, "-c", "import headcount"]
    bare = cpu_ms(python)
    rows: list[list[object]] = [["`python -c pass`", f"{bare:.0f} ms", "", "", ""]]
    for name, what in (("`headcount --help`", command), ("`import headcount`", package)):
        took = cpu_ms(what)
        extra = took - bare
        target = f"<= {TARGET_MS} ms more"
        is_met = met(extra <= TARGET_MS)
        rows.append([name, f"{took:.0f} ms", f"{extra:.0f} ms", target, is_met])
    header = ["", "CPU time", "more than Python alone", "target", "met"]
    notes = f"User and system time, median of {REPEATS} runs after one to warm up."
    return "\n\n".join(["## Start-up", table(header, rows), notes])


def cpu_ms(command: list[str]) -> float:
    """Median CPU time of a command, its first run left out."""
    took: list[float] = []
    for _ in range(REPEATS + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1000 * median(took[1:])


if __name__ == "__main__":
    print(main())
