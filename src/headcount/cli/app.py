"""The `headcount` command."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.exceptions import TyperException

from headcount import __version__
from headcount.cli.agree import agree_command
from headcount.cli.blind import blind_command
from headcount.cli.collect import collect_command
from headcount.cli.consensus import consensus_command
from headcount.cli.flags import App, speller
from headcount.cli.judge import JudgeCommand, judge_command
from headcount.cli.look import look_command
from headcount.cli.output import terminal_width
from headcount.cli.pairs import pairs_command
from headcount.cli.plan import plan
from headcount.cli.rate import rate_command
from headcount.cli.report import report_command
from headcount.cli.simulate import simulate
from headcount.cli.stopped import stopped
from headcount.cli.survey import survey_command
from headcount.errors import HeadcountError, spelt
from headcount.results.tables import wrap

__all__ = ["run"]

app = App(
    name="headcount",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
# Short enough for a line each in the list of commands, which else ends them with dots.
app.command("look", short_help="Show what is in your files, and what to run next.")(look_command)
app.command("judge", cls=JudgeCommand, short_help="Decide if a judge may stand in for a person.")(
    judge_command
)
app.command("survey", short_help="Estimate how many raters your classifier is worth.")(
    survey_command
)
app.command("agree", short_help="Measure agreement between raters.")(agree_command)
app.command("blind", short_help="Rank classifiers without gold labels.")(blind_command)
app.command("consensus", short_help="Label items from the labels of several workers.")(
    consensus_command
)
app.command("rate", short_help="Estimate what share of items people would call positive.")(
    rate_command
)
app.command("pairs", short_help="Rate items from 'A or B?' answers.")(pairs_command)
app.command("collect", short_help="Ask people, and stop when there are enough answers.")(
    collect_command
)
app.command("report", short_help="Write one HTML page with every analysis of your files.")(
    report_command
)
app.add_typer(plan, name="plan")
app.add_typer(simulate, name="simulate")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"headcount {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """How many people is your classifier worth? Statistics for labels on which people disagree."""


def run(words: list[str]) -> None:
    """Run one command line; bad input ends with one message and exit code 2."""
    try:
        done = _root()(words, prog_name="headcount", standalone_mode=False, obj=words)
    except HeadcountError as error:
        if stopped.code is not None:  # as when the database says that a query was interrupted
            sys.exit(stopped.code)
        _refuse(spelt(error.marked, speller(_command(words)[1], words=words)))
    except TyperException as error:
        message = error.format_message()
        if message.startswith("Usage:"):  # nothing was asked for: the help
            typer.echo(message, err=True)
            sys.exit(2)
        if "extra argument" in message and (several := _made_of_a_pattern(words)):
            message = several
        named = " ".join(["headcount", *_command(words)[0], "--help"])
        end = "" if message.endswith("?") else "."
        _refuse(f"{message.rstrip('.')}{end} See {named}")
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


@cache
def _root() -> Any:
    """Build the commands, once: it takes longer than to parse a hundred command lines."""
    return typer.main.get_command(app)


def _refuse(message: str) -> NoReturn:
    sentences, _, command = f"headcount: {message}".partition("\n\n")
    text = wrap(sentences, width=terminal_width())
    typer.echo(f"{text}\n  {command}" if command else text, err=True)
    sys.exit(2)


def _command(words: list[str]) -> tuple[list[str], Any]:
    """Find the command that the words of a command line name: those words, and the command."""
    names, command = list[str](), _root()
    for word in words:
        commands: dict[str, Any] = getattr(command, "commands", {})
        if word in commands:
            names.append(word)
            command = commands[word]
    return names, command
