"""Pages that nobody writes: the library from its docstrings, the command line from its help."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

import notebooks
from sphinx.application import Sphinx

import headcount
from headcount.results.result import Result

ROOMS = {
    "judging": "The judge card",
    "report": "Reports",
    "equivalence": "Survey equivalence",
    "agreement": "Agreement",
    "blind_evaluation": "Blind evaluation",
    "pairwise": "Pairwise comparisons",
    "io": "Reading files",
    "engine": "Large data",
    "data": "Data",
    "simulation": "Simulation",
    "stats": "Estimates",
    "errors": "Errors",
}
"""Rooms in the order of the page, and what they are called there."""


INTRODUCTION = (
    "Everything is imported from `headcount`. A verb such as `survey` takes a path, a data frame "
    "or what a reader returned, and gives a result: `print(result)` says it in words, "
    "`result.to_dict()` is the [JSON document](../json.md), `result.to_frame()` the rows, "
    "`result.plot()` the picture."
)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("builder-inited", _write)
    app.connect("autodoc-process-docstring", _number)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _number(app: Sphinx, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """Write numbered references as text: several docstrings of a page count from 1."""
    text = re.sub(r"\[(\d+)\]_", r"[\1]", "\n".join(lines))
    lines[:] = re.sub(r"^\.\. \[(\d+)\]", r"| [\1]", text, flags=re.MULTILINE).split("\n")


def _write(app: Sphinx) -> None:
    folder = Path(app.srcdir) / "reference" / "generated"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**_library(), "commands.md": _commands()}.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")  # what is unchanged is not built again
    notebooks.write(folder / "notebooks")


def _library() -> dict[str, str]:
    """One page a room, of every public name in it: functions first, then what they return."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    public = {name: getattr(headcount, name) for name in headcount.__all__}
    for name, found in {**public, **_returned(public.values())}.items():
        module: str = found.__name__ if isinstance(found, ModuleType) else found.__module__
        names[module.split(".")[1]].append(name)
    unknown = set(names) - set(ROOMS)
    if unknown:
        raise ValueError(f"rooms without a title in docs/_site/generated.py: {sorted(unknown)}")
    rooms = {room: title for room, title in ROOMS.items() if names[room]}
    listed = "\n".join(rooms)
    index = f"# Python\n\n{INTRODUCTION}\n\n```{{toctree}}\n{listed}\n```\n"
    pages = {
        f"{room}.md": f"# {title}\n\n" + "\n".join(map(_entry, sorted(names[room], key=_place)))
        for room, title in rooms.items()
    }
    return {"python.md": index, **pages}


def _returned(functions: Iterable[Any]) -> dict[str, Any]:
    """Results that functions return, by where they are: what they hold is worth an entry too."""
    classes: dict[str, Any] = {}
    for function in filter(isfunction, functions):
        kind = get_type_hints(function).get("return")
        if isinstance(kind, type) and issubclass(kind, Result):
            classes[f"{kind.__module__.removeprefix('headcount.')}.{kind.__name__}"] = kind
    return classes


def _found(name: str) -> Any:
    module, _, last = name.rpartition(".")
    return getattr(import_module(f"headcount.{module}" if module else "headcount"), last)


def _place(name: str) -> tuple[bool, str]:
    return isinstance(_found(name), type), name.rpartition(".")[2].lower()


def _entry(name: str) -> str:
    found = _found(name)
    kind = "class" if isinstance(found, type) else "function" if callable(found) else "module"
    members = "    :members:\n" if kind != "function" else ""
    entry = f"```{{eval-rst}}\n.. auto{kind}:: headcount.{name}\n{members}```\n"
    return f"## {name.rpartition('.')[2]}\n\n{entry}"


def _commands() -> str:
    """The help of every command, as it is printed at 80 columns."""
    top = _help()
    parts = [f"# Command line\n\n```text\n{top}```\n"]
    for name in _listed(top):
        shown = _help(name)
        parts.append(f"## headcount {name}\n\n```text\n{shown}```\n")
        parts += [  # of a group, such as plan
            f"### headcount {name} {part}\n\n```text\n{_help(name, part)}```\n"
            for part in _listed(shown)
        ]
    return "\n".join(parts)


def _listed(shown: str) -> list[str]:
    """Name the commands that a help lists, if any."""
    lines = shown.partition("Commands:\n")[2].splitlines()
    return [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "]


def _help(*command: str) -> str:
    words = [sys.executable, "-m", "headcount", *command, "--help"]
    plain = {"COLUMNS": "80", "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.run(words, env=os.environ | plain, capture_output=True, check=True, text=True)
    return "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip("\n") + "\n"
