"""What the benchmarks share: tables, child processes, and the memory of a process."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

MB = 1e6
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP")}
"""Environment in which linear algebra keeps to one thread: idle ones wait in a loop, as CPU time.
"""


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write a Markdown table; numbers to the right."""
    first, *others = header
    lines = [
        f"| {' | '.join([first, *others])} |",
        f"|{'|'.join(['---', *('--:' for _ in others)])}|",
        *(f"| {' | '.join(str(cell) for cell in row)} |" for row in rows),
    ]
    return "\n".join(lines)


def met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def say(text: str) -> None:
    """Tell whoever waits what is being measured."""
    print(text, file=sys.stderr, flush=True)


def in_child(
    script: str, *arguments: object, environment: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run a script of ours in a fresh process, and read the JSON that it prints."""
    command = [sys.executable, script, *map(str, arguments)]
    env = os.environ | (environment or {})
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=env)
    return json.loads(done.stdout)


def held_mb() -> float:
    """Memory that this process holds now."""
    return _status("VmRSS") or peak_mb()


def peak_mb() -> float:
    """Most memory that this process has held since it started or forgot."""
    # Linux hands a child the peak of its parent in ru_maxrss, so its own is read elsewhere.
    unit = 1 if sys.platform == "darwin" else 1024
    return _status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MB


def forget_peak() -> None:
    """Start the peak again from what is held now, so that it leaves out the making of data.

    Only Linux can; elsewhere peaks come out too high, never too low.
    """
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _status(field: str) -> float:
    """Read a field of the kernel's account of this process, in MB; 0 where there is none."""
    status = Path("/proc/self/status")
    if not status.exists():
        return 0.0
    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
    return float(lines[field].split()[0]) * 1024 / MB if field in lines else 0.0


def install(
    environment: Path, packages: Sequence[str], imports: str, *, alone: Sequence[str] = ()
) -> str:
    """Install peers in an environment of their own; say why not if they cannot be.

    Those in `alone` are installed without what they ask for.
    """
    ready = environment / ".ready"
    if ready.exists():
        return ""
    say(f"installing {', '.join([*alone, *packages])} in {environment.name}")
    python = environment / "bin/python"
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    try:
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([*pip, *packages], check=True)
        if alone:
            subprocess.run([*pip, "--no-deps", *alone], check=True)
        subprocess.run([python, "-W", "ignore", "-c", imports], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        why = f"exit code {error.returncode}" if hasattr(error, "returncode") else "no such program"
        return f"they could not be installed in an environment of their own ({why})."
    ready.touch()
    return ""


def cost_of(
    command: Sequence[str], *, repeats: int, folder: str | None = None
) -> tuple[float, float]:
    """Median CPU seconds and peak megabytes of a command, after a run to warm up.

    A small process starts it: Linux hands a child the peak of its parent.
    """
    words = [sys.executable, __file__, str(repeats), *command]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True, cwd=folder)
    seconds, memory = json.loads(done.stdout)
    return seconds, memory


def _cost(command: Sequence[str], repeats: int) -> tuple[float, float]:
    # Installed packages keep their compiled modules, whatever the environment of this process says.
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found: list[tuple[float, float]] = []
    for _ in range(repeats + 1):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=env | ONE_THREAD)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{command} ended with {process.returncode}")
        found.append((usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / MB))
    return median(one for one, _ in found[1:]), median(memory for _, memory in found[1:])


if __name__ == "__main__":
    print(json.dumps(_cost(sys.argv[2:], int(sys.argv[1]))))
