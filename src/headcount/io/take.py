"""What a method is given, as data: the object itself, or anything its reader takes.

Readers call what is no file by what it mostly is, such as 'ratings'. Where it is an option of the
method, such as `crowd`, errors and notes call it that, and errors carry the option.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from headcount.data.comparisons import Comparisons
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import DataError, HeadcountError, OptionError, option
from headcount.results.notes import Note

__all__ = [
    "errors_name",
    "notes_name",
    "take_comparisons",
    "take_labels",
    "take_predictions",
    "take_votes",
]

Data = TypeVar("Data", Labels, Predictions, Comparisons)


def take_labels(data: Any, name: str | None = None) -> Labels:
    """Take ratings, or read them from a path, a frame, columns or an array.

    `name` is the option that they are given by, if they are not what the method is about.
    """
    if isinstance(data, Labels):
        return data
    from headcount.io.ratings import read_ratings

    with errors_name(name, instead_of="ratings"):
        return _called(read_ratings(data), name, "ratings")


def take_predictions(data: Any, name: str | None = None) -> Predictions:
    """Take predictions, or read them; `name` as for :func:`take_labels`."""
    if isinstance(data, Predictions):
        return data
    from headcount.io.predictions import read_predictions

    with errors_name(name, instead_of="predictions"):
        return _called(read_predictions(data), name, "predictions")


def take_votes(data: Any, name: str | None = None) -> Labels | Predictions:
    """Take what classifiers said of items, or read it; `name` as for :func:`take_labels`."""
    if isinstance(data, Labels | Predictions):
        return data
    from headcount.io.votes import read_votes

    with errors_name(name, instead_of="ratings", otherwise="votes"):
        return read_votes(data)


def take_comparisons(data: Any, name: str | None = None) -> Comparisons:
    """Take comparisons, or read them; `name` as for :func:`take_labels`."""
    if isinstance(data, Comparisons):
        return data
    from headcount.io.comparisons import read_comparisons

    with errors_name(name, instead_of="comparisons"):
        return _called(read_comparisons(data), name, "comparisons")


@contextmanager
def errors_name(name: str | None, *, instead_of: str, otherwise: str = "") -> Generator[None]:
    """Make errors of a reader carry the option `name`, and say it where they say `instead_of`.

    Without an option they say `otherwise`, if that is given.

    Examples
    --------
    >>> with errors_name("crowd", instead_of="gold"):
    ...     raise DataError("gold is empty: there are no rows.")
    Traceback (most recent call last):
    headcount.errors.DataError: crowd is empty: there are no rows.
    """
    try:
        yield
    except (DataError, OptionError) as error:
        called = otherwise if name is None else option(name)
        if called and _is_of(error.marked, instead_of):
            made: HeadcountError = type(error)(called + error.marked[len(instead_of) :])
            made.option = name
            raise made from error
        if error.option is None:
            error.option = name
        raise


def notes_name(notes: Iterable[str], name: str, *, instead_of: str) -> tuple[Note, ...]:
    """Return notes of a reader that say `name` where they say `instead_of`."""
    taken = [note if isinstance(note, Note) else Note(note) for note in notes]
    return tuple(
        Note(name + note.marked[len(instead_of) :], note.severity)
        if _is_of(note.marked, instead_of)
        else note
        for note in taken
    )


def _called(data: Data, name: str | None, instead_of: str) -> Data:
    """Call data by the option, if they are no file."""
    if name is None or data.source != instead_of:
        return data
    return replace(data, source=name, notes=notes_name(data.notes, name, instead_of=instead_of))


def _is_of(text: str, name: str) -> bool:
    """Whether a sentence is about what has this name: it begins with it."""
    return text.startswith(name) and not text[len(name) : len(name) + 1].isalnum()
