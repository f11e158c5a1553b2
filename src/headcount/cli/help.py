"""The help of commands: options in groups, and values by ordinary names."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

__all__ = ["LARGE", "OUTPUT", "READING", "App", "Command", "value_name"]

READING, LARGE, OUTPUT = "Reading the file", "Large data", "Output"
"""Groups of options that most commands share."""
VALUES = {
    "path": "FILE",
    "file": "FILE",
    "str": "NAME",
    "text": "NAME",
    "list[str]": "NAME",
    "int": "N",
    "integer": "N",
    "float": "NUMBER",
    "float,float": "LOW HIGH",
}
"""What the value of an option is called, by its type, which versions of typer name differently."""


def value_name(parameter: Any) -> str:
    """Name the value of an option, as FILE in `--gold FILE`."""
    if parameter.metavar is not None:
        return str(parameter.metavar)
    if hasattr(parameter, "display_type"):
        kind = str(parameter.display_type(None)).strip("<>")
    else:
        kind = str(parameter.type.name)
    return VALUES.get(kind, kind.upper())


class Command(TyperCommand):
    """A command with a help of groups."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for parameter in self.params:
            if parameter.param_type_name == "argument" and parameter.name:
                parameter.metavar = parameter.metavar or parameter.name.upper()
            elif not getattr(parameter, "is_flag", False):
                parameter.metavar = value_name(parameter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then the options of the command's own, then those that many share."""
        groups: dict[str, list[tuple[str, str]]] = {}
        groups |= {title: [] for title in ("Arguments", "Options", READING, LARGE, OUTPUT)}
        for parameter in self.get_params(ctx):
            record, title = parameter.get_help_record(ctx), "Options"
            if record is not None and parameter.param_type_name == "argument":
                record, title = (str(parameter.metavar), record[1]), "Arguments"
            title = getattr(parameter, "rich_help_panel", None) or title
            if record is not None:
                groups.setdefault(title, []).append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class App(typer.Typer):
    """Commands whose help has groups."""

    def command(self, name: str | None = None, **options: Any) -> Any:
        """Add a command."""
        options.setdefault("cls", Command)
        return super().command(name, **options)
