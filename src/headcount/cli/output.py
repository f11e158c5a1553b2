"""What a command prints: the answer with its notes on stdout, progress and errors on stderr."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import typer

from headcount.errors import Named, OptionError, either
from headcount.results.result import Result

if TYPE_CHECKING:
    from headcount.report.result import Report

__all__ = [
    "PAGES",
    "PLOTS",
    "check_page",
    "check_plot",
    "check_rows",
    "print_json",
    "progress_bar",
    "say",
    "show",
    "terminal_width",
    "write_page",
    "write_plot",
    "write_text",
]

PLOTS = (".png", ".svg", ".pdf")
PAGES = (".html", ".htm")
NARROW, WIDE = 40, 120
"""Columns that a page has at least and at most, however wide the terminal."""


def terminal_width() -> int:
    """Columns of the terminal; 80 where there is none."""
    return min(max(shutil.get_terminal_size().columns, NARROW), WIDE)


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document, and nothing else, on stdout."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    typer.echo(json.dumps(document, ensure_ascii=not unicode, indent=2, allow_nan=False))


def say(text: str, *, err: bool = False) -> None:
    """Print a line, in which characters that steer a terminal are shown and not obeyed."""
    from headcount.results.tables import visible

    typer.echo(visible(text), err=err)


def show(
    result: Result,
    context: typer.Context,
    *,
    as_json: bool,
    rows: Path | None = None,
    details: bool = False,
    quiet: bool = False,
    plots: Iterable[Path | None] = (),
    more: Mapping[str, Any] | None = None,
) -> None:
    """Print one JSON document, or the answer; and write its rows to a file, if asked to.

    Parameters
    ----------
    result : Result
    context : typer.Context
        Of the command, whose flags notes name.
    as_json : bool
        Print the document instead of the text.
    rows : Path, optional
        File to write one row per result to.
    details : bool
        Print everything, not only the first screen.
    quiet : bool
        Print the sentences of the answer, and count what speaks against it.
    plots : iterable of Path or None
        Plots that were written, to tell of.
    more : mapping, optional
        What only the command knows, for the document.
    """
    from headcount.cli.flags import speller
    from headcount.results.notes import noted

    spell = speller(context.command, words=context.find_root().obj or [])
    if rows is not None:
        from headcount.io.write import write_rows

        write_rows(result.columns(), rows)
    if as_json:
        print_json({**result.to_dict(), **(more or {}), **noted(result.notes, spell)})
        return
    typer.echo(_text(result, spell, details, quiet))
    if quiet:
        return
    if rows is not None:
        say(f"rows: {rows}")
    for path in plots:
        if path is not None:
            say(f"plot: {path}")


def _text(result: Result, spell: Callable[[Named], str], details: bool, quiet: bool) -> str:
    from headcount.results.result import brief_text

    width = terminal_width()
    if not quiet:
        return result.to_text(details=details, width=width, spell=spell)
    headline = (result.screen() or result.page()).headline
    return brief_text(headline, result.notes, width=width, spell=spell)


def check_plot(path: Path | None) -> None:
    """Refuse a plot that could not be written, before any work is done."""
    if path is None:
        return
    _check_file("plot", path, PLOTS)
    from headcount.results.plotting import new_figure

    new_figure()  # tells if matplotlib is missing


def check_rows(path: Path | None, pages: Sequence[str] = ()) -> None:
    """Refuse a file of rows that could not be written, before any work is done."""
    if path is None:
        return
    from headcount.io.write import ROWS

    _check_file("output", path, (*pages, *ROWS))


def check_page(path: Path) -> None:
    """Refuse a page that could not be written, before any work is done."""
    _check_file("output", path, PAGES)
    from headcount.report.html import check_extras

    check_extras()


def _check_file(what: str, path: Path, endings: Sequence[str]) -> None:
    if path.suffix.lower() not in endings:
        raise OptionError(f"{what} '{path}': the name must end in {either(endings)}.")
    if not path.parent.is_dir():
        raise OptionError(f"{what} '{path}': no such folder '{path.parent}'. Make it first.")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise OptionError(f"{what} '{path}' cannot be written there. Choose another place.")


def write_plot(figure: Any, path: Path) -> None:
    """Save a figure, whole or not at all."""
    from headcount.io.write import replacing

    drawn = BytesIO()  # matplotlib trips over a disk that is full; so it draws in memory
    with warnings.catch_warnings():
        # A name in a script that the font lacks shows as boxes, which the plot itself tells.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(drawn, format=path.suffix[1:].lower())
    with replacing(path) as temporary:
        temporary.write_bytes(drawn.getbuffer())


def write_text(text: str, path: Path) -> None:
    """Write a text, whole or not at all."""
    from headcount.io.write import replacing

    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_page(report: Report, context: typer.Context, path: Path) -> None:
    """Write a report as a page, with the command that was given and those that give its parts."""
    from headcount.cli.flags import joined, shell, speller

    commands: dict[str, Any] = getattr(context.find_root().command, "commands", {})
    words: list[str] = context.obj or []
    steps = {part.step.verb: part.step.said for part in report.parts if part.step is not None}

    def spell(verb: str) -> Callable[[Named], str]:
        typed = words if words[:1] == [verb] else []
        if not typed and verb in steps:  # the command that gives the part alone
            typed = shlex.split(shell(steps[verb]))[1:]
        return speller(commands.get(verb), words=typed)

    write_text(report.to_html(command=joined(["headcount", *words]), spell=spell), path)


PROGRESS = 0.1
"""Seconds between two lines of progress."""


@contextmanager
def progress_bar(what: str) -> Generator[Callable[[int, int], None] | None]:
    """Show progress in one line on stderr if it is a terminal; nothing otherwise."""
    if not sys.stderr.isatty():
        yield None
        return
    last = monotonic()

    def update(done: int, total: int) -> None:
        nonlocal last
        if (now := monotonic()) - last >= PROGRESS:
            last = now
            typer.echo(f"\r{what} {done:,} of {total:,} ", err=True, nl=False)

    try:
        yield update
    finally:
        typer.echo("\r\033[K", err=True, nl=False)
