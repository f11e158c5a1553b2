"""Run benchmarks and write RESULTS.md beside this file. All of them take an hour and more.

Usage: python benchmarks/run.py [survey agreement blind pairs loading startup scale growth]

With names, only these are measured again; the other sections stay as they are.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path

import agreement
import blind
import growth
import loading
import pairs
import scale
import startup
import survey

RESULTS = Path(__file__).with_name("RESULTS.md")
PARTS = {
    "survey": ("Survey equivalence", survey),
    "agreement": ("Agreement", agreement),
    "blind": ("Blind evaluation", blind),
    "pairs": ("Pairwise comparisons", pairs),
    "loading": ("Loading", loading),
    "startup": ("Start-up", startup),
    "scale": ("Scale", scale),
    "growth": ("Growth", growth),
}
"""Each part: the title of its section, and what measures it."""
INTRO = "Written by `make bench`. Each section says when it was measured, and on what."


def main(names: list[str]) -> None:
    """Measure parts, and write each as soon as it is done: an interrupt loses only one."""
    for name in names:
        parts = sections() | {name: measured(name)}
        written = [parts[name] for name in PARTS if name in parts]
        RESULTS.write_text("\n\n".join(["# Benchmarks", INTRO, *written]) + "\n", encoding="utf-8")
        print(parts[name])


def sections() -> dict[str, str]:
    """Sections of the results as they are, by part."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    parts = [part.strip() for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]]
    by_title = {part.partition("\n")[0]: f"## {part}" for part in parts}
    return {name: by_title[title] for name, (title, _) in PARTS.items() if title in by_title}


def measured(name: str) -> str:
    """Measure one part; its title is followed by where the numbers come from."""
    before = os.getloadavg()[0]
    title, _, rest = PARTS[name][1].main().partition("\n")
    return f"{title}\n\n{setting(before, os.getloadavg()[0])}\n{rest}"


def setting(load_before: float, load_after: float) -> str:
    """Say where numbers come from."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = [f"{name} {version(name)}" for name in ("headcount", "numpy", "numba", "duckdb")]
    return (
        f"{date.today().isoformat()}; {cpu()}, {os.cpu_count()} cores, {memory:.0f} GB of memory; "
        f"{system()}; load average {load_before:.1f} before, {load_after:.1f} after; Python "
        f"{platform.python_version()}, {', '.join(versions)}."
    )


def cpu() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()


def system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        name = f"{platform.system()} {platform.release()}"
    return f"{name}, {platform.machine()}"


if __name__ == "__main__":
    wanted = sys.argv[1:] or list(PARTS)
    if unknown := set(wanted) - set(PARTS):
        sys.exit(f"unknown: {', '.join(unknown)}. There are: {', '.join(PARTS)}.")
    main(wanted)
