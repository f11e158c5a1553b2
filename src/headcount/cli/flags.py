"""How the command line writes the options that messages name: as its own flags."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from typing import Any, cast

from headcount.cli.help import value_name
from headcount.errors import Named

__all__ = ["broken", "shell", "speller"]

OTHER_NAMES = {
    "rng": "seed",
    "json": "as_json",
    "number": "next_",
    "by": "bootstrap_by",
    "metrics": "metric",
    "other": "compare",
}
"""What a command calls an option of Python by another name, wherever it has one."""


def speller(command: Any, other_names: dict[str, str] | None = None) -> Callable[[Named], str]:
    """Make what writes an option as a flag of `command`; options it lacks stay in Python.

    Parameters
    ----------
    command : click command
        Or None, where no command was found.
    other_names : dict, optional
        Parameters of the command by the names that Python has for them.
    """
    parameters: dict[str, Any] = {p.name: p for p in getattr(command, "params", [])}
    names = {**OTHER_NAMES, **(other_names or getattr(command, "other_names", {}))}

    def write(named: Named) -> str:
        if named.name == "command":
            return broken(shell(json.loads(named.value)))
        if named.name == "all_rows" and "every" in parameters:
            return "--all prints all"
        if named.name in ("all_rows", "all_entries"):
            return "--json has all" if "as_json" in parameters else named.python
        if named.name == "item_labels":
            there = "labels_out" in parameters
            return "--labels-out FILE writes them" if there else named.python
        verb, _, other = named.name.rpartition(".")
        if verb:  # an option of another command
            value = "" if named.value == "..." else _quoted(named.value)
            return f"headcount {verb} {SHORT.get(other, _flag(other))} {value}".strip()
        parameter = parameters.get(named.name) or parameters.get(names.get(named.name, ""))
        if parameter is None or not parameter.opts[0].startswith("-"):
            return named.python
        flag = max(parameter.opts, key=len)
        if named.value == "False":
            off = parameter.secondary_opts
            return off[0] if off else f"no {flag}"
        if named.value == "...":
            return f"{flag} {value_name(parameter)}"
        return f"{flag} {_quoted(named.value)}".strip()

    return write


def _quoted(value: str) -> str:
    """Quote a value for the shell where it must be, so that people can read it."""
    if "'" in value and not set(value) & set('"$`\\!'):
        return f'"{value}"'
    return shlex.quote(value) if value else ""


SHORT = {"predictions": "-p", "names": "--judge"}
"""Flags that are not called like their options."""
ARGUMENTS = ("judges",)
"""Files that a command takes without a flag."""
COMMANDS: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "corrected_rate": ("blind", {"people": "crowd"}, ["--rate"]),
    "make_report": ("report", {}, []),
    "panel_worth": ("survey", {}, ["--panels"]),
}
"""Functions that are an option of a command: which, other names of files, and its flags."""
STEP_NAMES = {"rng": "seed", "like_a_person": "agree_like_a_person"}
"""Options that commands have by another name."""
BREAK_AT = 76
"""Characters from which on a command is written over several lines."""


def shell(step: Mapping[str, Any]) -> str:
    """Write a step as a command, quoted for the shell.

    Parameters
    ----------
    step : mapping
        `verb`, `data` (a file), `files` and `options` (both by name), and `more` (files) if any.

    Examples
    --------
    >>> shell({"verb": "agree", "data": "my file.csv", "files": {}, "options": {"missing": ["99"]}})
    "headcount agree 'my file.csv' --missing 99"
    >>> shell({"verb": "judge", "data": "r.csv", "files": {"judges": "j.csv"},
    ...        "options": {"rng": 1}})
    'headcount judge r.csv j.csv --seed 1'
    """
    command, names, flags = COMMANDS.get(step["verb"], (step["verb"], {}, []))
    words = ["headcount", command, *map(_file, (step["data"], *step.get("more", ())))]
    files: Mapping[str, str] = step["files"]
    for name, file in files.items():
        flag = names.get(name, name)
        words += [] if name in ARGUMENTS else [SHORT.get(flag, _flag(flag))]
        words.append(_file(file))
    words += flags
    for name, value in step["options"].items():
        if isinstance(value, bool):
            words.append(_flag(name) if value else _flag(f"no_{name}"))
        elif isinstance(value, list):
            texts = [str(one) for one in cast("list[object]", value)]
            for text in texts if name == "where" else [",".join(texts)]:
                words += _valued(name, text)
        else:
            words += _valued(name, str(value))
    return shlex.join(words)


def broken(command: str) -> str:
    r"""Write a long command over several lines, as the shell takes it.

    Examples
    --------
    >>> print(broken("headcount agree ratings.csv " + "--missing 99 " * 5))
    headcount agree ratings.csv --missing 99 --missing 99 --missing 99 \
        --missing 99 --missing 99
    """
    if len(command) <= BREAK_AT:
        return command
    lines, line = list[str](), ""
    for part in _parts(shlex.split(command)):
        whole = f"{line} {part}".strip()
        if line and len(whole) > BREAK_AT - 6:
            lines.append(line)
            whole = part
        line = whole
    return " \\\n    ".join([*lines, line])


def _parts(words: list[str]) -> list[str]:
    """Quoted words, each flag together with its value; the command with its file."""
    parts: list[str] = []
    for place, word in enumerate(words):
        quoted = shlex.quote(word)
        if 0 < place < 3 or (place > 2 and not word.startswith("-")):
            parts[-1] += f" {quoted}"
        else:
            parts.append(quoted)
    return parts


def _file(name: str) -> str:
    """Write a file's name so that it is no flag; a lone dash is standard input."""
    return f"./{name}" if name.startswith("-") and name != "-" else name


def _flag(name: str) -> str:
    name = STEP_NAMES.get(name, name)
    return "--" + name.replace("_", "-")


def _valued(name: str, value: str) -> list[str]:
    """Write a flag and its value, which may begin with a dash."""
    return [f"{_flag(name)}={value}"] if value.startswith("-") else [_flag(name), value]
