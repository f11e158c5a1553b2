"""The `headcount` command."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from headcount import __version__
from headcount.cli.flags import App, Command, speller
from headcount.cli.output import PAGES, terminal_width
from headcount.cli.stopped import stopped
from headcount.errors import HeadcountError, spelt
from headcount.results.tables import wrap

__all__ = ["COMMANDS", "commands", "run"]

COMMANDS = {
    "look": "Show what is in your files, and what to run next.",
    "judge": "Decide if a judge may stand in for a person.",
    "survey": "Estimate how many raters your classifier is worth.",
    "agree": "Measure agreement between raters.",
    "blind": "Rank classifiers without gold labels.",
    "consensus": "Label items from the labels of several workers.",
    "rate": "Estimate what share of items people would call positive.",
    "pairs": "Rate items from 'A or B?' answers.",
    "collect": "Ask people, and stop when there are enough answers.",
    "report": "Write one HTML page with every analysis of your files.",
    "plan": "Plan how much to ask for, and what next.",
    "simulate": "Make data in which the truth is known.",
}
"""Commands in the order of the help, each in a file of its name, short enough for a line each."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"headcount {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """How many people is your classifier worth? Statistics for labels on which people disagree."""


def commands(*names: str) -> App:
    """Put commands together: those that are named, or all."""
    app = App(
        name="headcount",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(options)
    for name in names or COMMANDS:
        module = import_module(f"headcount.cli.{name}")
        if isinstance(group := getattr(module, name, None), App):
            app.add_typer(group, name=name)
        else:
            kind = getattr(module, f"{name.capitalize()}Command", Command)
            command = getattr(module, f"{name}_command")
            app.command(name, cls=kind, short_help=COMMANDS[name])(command)
    return app


POSSIBLE = re.compile(r" \(Possible options: (.*)\)\.?$")
"""What click adds to an option that it does not know."""


def run(words: list[str]) -> None:
    """Run one command line; bad input ends with one message and exit code 2."""
    try:
        done = _root(words)(words, prog_name="headcount", standalone_mode=False, obj=words)
    except HeadcountError as error:
        if stopped.code is not None:  # as when the database says that a query was interrupted
            sys.exit(stopped.code)
        _refuse(spelt(error.marked, speller(_command(words)[1], words=words, is_answered=False)))
    except TyperException as error:
        message = POSSIBLE.sub(r". Did you mean \1?", error.format_message())
        if message.startswith("Usage:"):  # nothing was asked for: the help
            typer.echo(message, err=True)
            sys.exit(2)
        if "extra argument" in message and (several := _made_of_a_pattern(words)):
            message = several
        named = " ".join(["headcount", *_command(words)[0], "--help"])
        end = "" if message.endswith("?") else "."
        _refuse(f"{message[:1].lower()}{message[1:].rstrip('.')}{end} See {named}")
    sys.exit(done if isinstance(done, int) else 0)


def _made_of_a_pattern(words: list[str]) -> str | None:
    """Say what to do with many files alike, which a shell makes of a pattern without quotes."""
    files = [Path(word) for word in words if Path(word).is_file()]
    folders = {(file.parent, file.suffix) for file in files}
    if len(files) < 3 or len(folders) > 1:
        return None
    pattern = files[0].with_name(f"*{files[0].suffix}")
    return (
        f"{len(files):,} files, and the command takes one. If the shell made them of a pattern, "
        f"put it in quotes and say so: '{pattern}' --glob"
    )


def _root(words: Sequence[str]) -> Any:
    """Build the command that the first word names, or all: a page names options of others."""
    page = words[:1] == ["report"] or any(word.lower().endswith(PAGES) for word in words)
    return _built(words[0] if words and words[0] in COMMANDS and not page else "")


@cache
def _built(name: str) -> Any:
    """Build a command, or all (""), once: it takes longer than to parse a hundred command lines."""
    return typer.main.get_command(commands(name) if name else commands())


def _refuse(message: str) -> NoReturn:
    sentences, _, command = f"headcount: {message}".partition("\n\n")
    text = wrap(sentences, width=terminal_width())
    typer.echo(f"{text}\n  {command}" if command else text, err=True)
    sys.exit(2)


def _command(words: list[str]) -> tuple[list[str], Any]:
    """Find the command that the words of a command line name: those words, and the command."""
    names, command = list[str](), _root(words)
    for word in words:
        commands: dict[str, Any] = getattr(command, "commands", {})
        if word in commands:
            names.append(word)
            command = commands[word]
    return names, command
