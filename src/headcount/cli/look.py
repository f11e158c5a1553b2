"""`headcount look`: what files are, what looks wrong in them, and what to run next."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headcount.cli.flags import grouped
from headcount.cli.options import AnswerOptions, EngineOptions, RatingColumns, ReadingOptions
from headcount.cli.output import say, write_plot
from headcount.errors import OptionError

if TYPE_CHECKING:
    from headcount.io.look_result import LookResult

__all__ = ["look_command"]


@grouped
def look_command(
    context: typer.Context,
    *,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Files: ratings, predictions, comparisons, gold labels; or exports of tools."
        ),
    ] = None,
    columns: RatingColumns,
    left: str | None = None,
    right: str | None = None,
    outcome: str | None = None,
    first_wins: str | None = None,
    reading: ReadingOptions,
    large: EngineOptions,
    answer: AnswerOptions,
) -> None:
    """Show what is in your files, what looks wrong in them, and what to run next.

    Without files, list the example data.
    """
    answer.check()
    if not files and answer != AnswerOptions():
        raise OptionError("give a file to look at, such as example:ratings.")
    if not files:
        _list_examples()
        return
    from headcount.engine.look import look
    from headcount.io.write import write_rows

    result = look(
        *files,
        **columns.keywords(),
        left=left,
        right=right,
        outcome=outcome,
        first_wins=first_wins,
        **reading.keywords(),
        **large.choice().keywords(),
    )
    if answer.output is not None:
        write_rows(result.tidy(), answer.output)
    if answer.plot is not None:
        write_plot(result.plot().figure, answer.plot)
    replace(answer, output=None).show(result, context, more=_commands(result))
    if answer.output is not None and not (answer.as_json or answer.quiet):
        say(f"rows: {answer.output}")


def _list_examples() -> None:
    from headcount.data import examples

    say("Examples (simulated); commands read them by these names:")
    for name in examples.names():
        say(f"  {examples.PREFIX}{name:12} {examples.about(name)}")
    typer.echo()
    say(f"Next: headcount judge {examples.PREFIX}ratings {examples.PREFIX}predictions")


def _commands(result: LookResult) -> dict[str, Any]:
    """Add to the steps of the document the commands that do them."""
    from headcount.cli.flags import shell

    steps = [{**step.document(), "command": shell(step.said)} for step in result.steps]
    return {"next": steps}
