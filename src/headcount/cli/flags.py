"""How the command line writes the options that messages name: as its own flags."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headcount.cli.help import value_name
from headcount.errors import Named

__all__ = ["speller"]

OTHER_NAMES = {
    "rng": "seed",
    "json": "as_json",
    "number": "next_",
    "by": "bootstrap_by",
    "metrics": "metric",
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
        if named.name in ("all_rows", "all_entries"):
            return "--json has all" if "as_json" in parameters else named.python
        if named.name == "item_labels":
            there = "labels_out" in parameters
            return "write them with --labels-out FILE" if there else named.python
        parameter = parameters.get(names.get(named.name, named.name))
        if parameter is None or not parameter.opts[0].startswith("-"):
            return named.python
        flag = max(parameter.opts, key=len)
        if named.value == "False":
            off = parameter.secondary_opts
            return off[0] if off else f"no {flag}"
        if named.value == "...":
            return f"{flag} {value_name(parameter)}"
        value = f"'{named.value}'" if " " in named.value else named.value
        return f"{flag} {value}".strip()

    return write
