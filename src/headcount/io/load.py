"""What a method is given, as data: the object itself, or anything its reader takes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from headcount.data.comparisons import Comparisons
from headcount.data.facts import Facts
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import DataError, OptionError
from headcount.results.notes import Note, Source

__all__ = [
    "take_labels",
    "take_predictions",
    "take_votes",
    "take_comparisons",
    "take_facts",
    "sources_of",
    "named_apart",
]


Value = TypeVar("Value")


def take_labels(data: Any, name: str | None = None, *, reduced: bool = False) -> Labels:
    """Take ratings, or read them from a path, a frame, columns or an array.

    `name` is the option that they are given by, if they are not what the method is about;
    `reduced` says whether the method takes ratings that were added up by label pattern.
    """
    if isinstance(data, Labels):
        if data.reduced and not reduced:
            raise DataError(
                f"{data.source}: these ratings were added up by item, and this needs them one by "
                "one. Read them with read_ratings."
            )
        return data
    from headcount.io.ratings import read_ratings

    with _given_by(name):
        return read_ratings(data, name=name or "ratings")


def take_predictions(
    data: Any, name: str | None = None, *, labels: Sequence[str] = ()
) -> Predictions:
    """Take predictions, or read them; `name` as for :func:`take_labels`.

    `labels` are those of the ratings that they are for, if these are known.
    """
    if isinstance(data, Predictions):
        return data
    from headcount.io.predictions import read_predictions

    with _given_by(name):
        return read_predictions(data, labels=labels, name=name or "predictions")


def take_votes(data: Any, name: str | None = None) -> Labels | Predictions:
    """Take what classifiers said of items, or read it; `name` as for :func:`take_labels`."""
    if isinstance(data, Labels | Predictions):
        return data
    from headcount.io.predictions import read_votes

    with _given_by(name):
        return read_votes(data, name=name or "votes")


def take_comparisons(
    data: Any,
    name: str | None = None,
    *,
    clusters: Sequence[str] = (),
    controls: Sequence[str] = (),
    reduced: bool = False,
) -> Comparisons:
    """Take comparisons, or read them; `name` and `reduced` as for :func:`take_labels`.

    `clusters` are columns to keep, and `controls` pairs of them, where they are read.
    """
    if isinstance(data, Comparisons):
        if data.times is not None and not reduced:
            raise DataError(
                f"{data.source}: these answers were added up, and this needs them one by one. Read "
                "them with read_comparisons."
            )
        return data
    from headcount.io.comparisons import read_comparisons

    with _given_by(name):
        return read_comparisons(
            data, clusters=clusters, controls=controls, name=name or "comparisons"
        )


def take_facts(data: Any, read: Callable[..., Facts[Value]], name: str) -> Facts[Value]:
    """Take what is known about items, raters or classifiers, or read it with `read`.

    `name` is the option that it is given by.
    """
    if isinstance(data, Facts):
        return cast("Facts[Value]", data)
    with _given_by(name):
        return read(data, name=name)


def sources_of(*given: object) -> tuple[Source, ...]:
    """Files behind facts; what else is given has none."""
    facts = [cast("Facts[Any]", one) for one in given if isinstance(one, Facts)]
    return tuple(source for one in facts for source in one.sources)


def named_apart(given: Sequence[Any], labels: Sequence[Labels]) -> list[Labels]:
    """Call ratings of files of the same name by their paths, as they were given."""
    if len({each.source for each in labels}) == len(labels) or len({*map(str, given)}) < len(
        labels
    ):
        return list(labels)
    named: list[Labels] = []
    for path, each in zip(given, labels, strict=True):
        name = str(path) if isinstance(path, str | Path) else each.source
        texts = [note.marked.replace(f"{each.source}:", f"{name}:", 1) for note in each.notes]
        marked = zip(texts, each.notes, strict=True)
        notes = tuple(Note(text, note.severity) for text, note in marked)
        named.append(replace(each, source=name, notes=notes))
    return named


@contextmanager
def _given_by(name: str | None) -> Generator[None]:
    """Make errors of a reader carry the option by which its data were given."""
    try:
        yield
    except (DataError, OptionError) as error:
        if error.option is None:
            error.option = name
        raise
