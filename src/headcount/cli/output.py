"""What a command prints: answers on stdout, notes on stderr, progress on a terminal."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import typer

from headcount.errors import OptionError
from headcount.stats.text import wrap

__all__ = [
    "PLOTS",
    "check_plot",
    "print_json",
    "print_notes",
    "progress_bar",
    "show",
    "write_plot",
]

PLOTS = (".png", ".svg", ".pdf")


def print_json(document: dict[str, Any]) -> None:
    """Print one JSON document, and nothing else, on stdout."""
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))


def print_notes(notes: Iterable[str]) -> None:
    """Print notes on stderr, folded to the width of a page."""
    for note in notes:
        typer.echo(wrap(f"note: {note}", indent="      "), err=True)


class Result(Protocol):
    """What an analysis returns."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, in sentences."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        ...


def show(
    result: Result,
    *,
    as_json: bool,
    read: Sequence[str],
    plots: Iterable[Path | None],
    more: Sequence[str] = (),
) -> None:
    """Print notes that were not told yet; then one JSON document, or the table and the plots.

    `read` are notes that were told when data were read and that the result has too; `more` are
    others that were told, for the document.
    """
    print_notes(note for note in result.notes if note not in read)
    if as_json:
        print_json(result.to_dict() | {"notes": [*more, *result.notes]})
        return
    typer.echo(result)
    for path in plots:
        if path is not None:
            typer.echo(f"plot: {path}")


def check_plot(path: Path | None) -> None:
    """Refuse a plot that could not be written, before any work is done."""
    if path is None:
        return
    if path.suffix.lower() not in PLOTS:
        raise OptionError(f"plot '{path}': the name must end in {', '.join(PLOTS)}.")
    if not path.parent.is_dir():
        raise OptionError(f"plot '{path}': no such folder '{path.parent}'. Make it first.")
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise OptionError(f"plot '{path}' cannot be written there. Choose another place.")
    from headcount.stats.drawing import new_figure

    new_figure()  # tells if matplotlib is missing


def write_plot(figure: Any, path: Path) -> None:
    """Save a figure, whole or not at all."""
    from headcount.io.write import replacing

    with replacing(path) as temporary, warnings.catch_warnings():
        # A name in a script that the font lacks shows as boxes, which the plot itself tells.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(temporary)


@contextmanager
def progress_bar(what: str) -> Generator[Callable[[int, int], None] | None]:
    """Show progress on stderr if it is a terminal; nothing otherwise."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
