"""Run all benchmarks and write RESULTS.md beside this file. Takes some minutes.

Usage: python benchmarks/run.py
"""

from __future__ import annotations

import os
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path

import agreement
import blind
import loading
import pairs
import startup
import survey


def main() -> str:
    before = os.getloadavg()[0]
    parts = (survey, agreement, blind, pairs, loading, startup)
    sections = [part.main() for part in parts]
    where = setting(before, os.getloadavg()[0])
    return "\n\n".join(["# Benchmarks", "Written by `make bench`.", where, *sections]) + "\n"


def setting(load_before: float, load_after: float) -> str:
    """Say where the numbers come from."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = [f"{name} {version(name)}" for name in ("headcount", "numpy", "duckdb")]
    if not survey.make_environment():
        versions.append(survey.REFERENCE.replace("==", " "))
    lines = [
        f"date: {date.today().isoformat()}",
        f"machine: {cpu()}, {os.cpu_count()} cores, {memory:.0f} GB of memory",
        f"system: {system()}; load average {load_before:.1f} before, {load_after:.1f} after",
        f"versions: Python {platform.python_version()}, {', '.join(versions)}",
    ]
    return "\n".join(f"- {line}" for line in lines)


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
    text = main()
    Path(__file__).with_name("RESULTS.md").write_text(text, encoding="utf-8")
    print(text)
