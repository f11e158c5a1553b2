"""People and judges as they are given: in two files, in one, or as data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import DataError, OptionError, option, some, unknown_name
from headcount.io.findings import models_among
from headcount.io.load import take_predictions

__all__ = ["take_both"]

Reader = Callable[[Any, Sequence[str]], Labels]
"""Reads what people said, without some columns."""


def take_both(
    people: Any,
    judges: Any,
    names: Collection[str] | None,
    *,
    by: str | None = None,
    read: Reader | None = None,
    question: str | None = None,
) -> tuple[Labels, Predictions]:
    """Take people and judges, from two places or from one.

    Parameters
    ----------
    people, judges
        As :func:`headcount.judge` takes them.
    names : collection of str or None
        Judges to take; of `people`, columns or raters, where there are no `judges`.
    by : str, optional
        A column of `people` that is nobody's answers.
    read : callable, optional
        How to read `people`. Default: as they are recognised.
    question : str, optional
        Which of several questions of an export the judges answer.
    """
    if isinstance(names, str) or (names is not None and not names):
        raise OptionError(f"{option('names')} must be a list of names of judges.")
    besides = [] if by is None else [by]
    take = _read if read is None else read
    if judges is not None:
        rated = take(people, besides)
        said = take_predictions(judges, "judges", labels=rated.scale.labels)
        said = said if names is None else _only(said, list(names))
        _check_apart(rated, said)
        return rated, said
    if isinstance(people, Labels):
        if names is None:
            raise OptionError(
                "there are no judges: give them, or name the raters who are judges "
                f"({option('names', ...)})."
            )
        return _split(people, list(names))
    if names is None:
        return _of_export(people, besides, take, question)
    return _of_one(people, names, besides, take)


def _read(people: Any, besides: Sequence[str]) -> Labels:
    if isinstance(people, Labels):
        return people
    from headcount.io.ratings.ratings import read_ratings

    return read_ratings(people, ignore=besides, name="people")


def _of_export(
    data: Any, besides: Sequence[str], take: Reader, question: str | None
) -> tuple[Labels, Predictions]:
    """Take both from an export of a tool that holds answers and predictions."""
    from headcount.io.predictions.predictions import read_predictions
    from headcount.io.reading import Reading
    from headcount.io.tables.open_table import open_table

    table = open_table(data, name="people", kind="ratings", reading=Reading.of(question=question))
    if not table.exported:
        raise OptionError(
            f"{table.source}: which answers are a judge's? Name their columns or raters "
            f"({option('names', ...)}), or give the judges in a file of their own."
        )
    return take(data, besides), read_predictions(data, question=question, name="judges")


def _of_one(
    data: Any, names: Collection[str], besides: Sequence[str], take: Reader
) -> tuple[Labels, Predictions]:
    """Take both from one file or frame: columns that are judges', or raters."""
    from headcount.io.predictions.predictions import read_predictions
    from headcount.io.roles.roles import item_column
    from headcount.io.tables.open_table import open_table

    table = open_table(data, name="people", kind="ratings")
    mine = [c for c in table.names if any(c == n or c.startswith(f"{n}:") for n in names)]
    if not mine:
        return _split(take(data, besides), list(names))
    item = table.names[item_column(table, None)]
    others = [c for c in table.names if c not in mine and c != item]
    said = read_predictions(data, ignore=others, name="judges")
    return take(data, [*besides, *mine]), _only(said, list(names))


def _check_apart(people: Labels, said: Predictions) -> None:
    """Refuse a judge who is among the people: it would be judged by its own answers."""
    if people.anonymous:
        return
    raters = {str(one) for one in people.raters.tolist()}
    both = [one.name for one in (*said.classifiers, *said.scores) if one.name in raters]
    if both:
        raise DataError(
            f"among the people of {people.source} and among the judges of {said.source} alike: "
            f"{some(both)}. A judge is not judged by its own answers: if one file holds both, give "
            f"it once and name the judges ({option('names', ...)}); if two share a name, rename "
            "one."
        )


def _only(said: Predictions, names: list[str]) -> Predictions:
    """Keep some judges, in the order in which they are named."""
    known = [one.name for one in (*said.classifiers, *said.scores)]
    for name in names:
        if name not in known:
            raise unknown_name("judge", name, known, option_name="names")
    return replace(
        said,
        classifiers=tuple(one for one in said.classifiers if one.name in names),
        scores=tuple(one for one in said.scores if one.name in names),
    )


def _split(labels: Labels, names: list[str]) -> tuple[Labels, Predictions]:
    """Make judges of some of the raters."""
    labels.check_raters("telling judges from people")
    raters = [str(one) for one in labels.raters.tolist()]
    for name in names:
        if name not in raters:
            raise unknown_name("judge", name, raters, option_name="names")
    if len(names) == len(raters):
        raise OptionError("all raters are judges, and no people are left to judge them by.")
    texts = np.array(labels.scale.labels, dtype=object)
    columns: dict[str, list[object]] = {}
    mine = np.zeros(len(labels), dtype=bool)
    for name in names:
        of = labels.rater == raters.index(name)
        said = np.full(len(labels.items), None, dtype=object)
        said[labels.item[of]] = texts[labels.label[of]]
        columns[name] = said.tolist()
        mine |= of
    judges = Predictions.from_labels(labels.items.tolist(), columns, source=labels.source)
    people = replace(
        labels, item=labels.item[~mine], rater=labels.rater[~mine], label=labels.label[~mine]
    )
    return _without_unused(people), judges


def _without_unused(labels: Labels) -> Labels:
    """Forget raters who are judges, and what was said of models among the raters."""
    used, rater = np.unique(labels.rater, return_inverse=True)
    known = models_among(labels.source, labels.raters)
    left = [note for note in labels.notes if note not in known]
    notes = (*left, *models_among(labels.source, labels.raters[used]))
    return replace(labels, raters=labels.raters[used], rater=rater, notes=notes)
