"""What the card is given: people and judges, each judge's label of every item that people rated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import label_text, match_ids, number_of
from headcount.equivalence.calibration.side_by_side import Calibrating
from headcount.equivalence.calibration.subjects import Subject, subjects_of
from headcount.equivalence.scale import are_numbers, is_ordered, on_scale
from headcount.equivalence.scorers import scorers
from headcount.equivalence.scorers.scorers import as_scorer
from headcount.errors import DataError, OptionError, option, unknown_name
from headcount.io.findings import none_shared
from headcount.io.take import take_predictions
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["Judged", "Prepared", "prepare", "take_both"]

KINDS = {"hard": "labels", "names": "labels", "soft": "probabilities", "numbers": "scores"}
"""What judges give, in words, by the kind of subject."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged:
    """What one judge says of the items that people rated.

    Parameters
    ----------
    name, kind : str
        The kind is "labels", "probabilities" or "scores".
    label : (items,) array of int
        Its label; the most probable one of probabilities, and of those that its scores stand for.
        -1 where it says nothing.
    learned : bool
        Whether the label was learned from scores or names that people do not use.
    """

    name: str
    kind: str
    label: Codes
    learned: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """People and judges on one scale.

    Parameters
    ----------
    people : Labels
    predictions : Predictions
        The judges, as they are.
    judges : tuple of Judged
    labels : tuple of str
        People's labels, then those that only judges give.
    ordered : bool
        Whether people's labels are in order, and more than two.
    distance : (labels, labels) array
        From 0 to 1: squared differences on an ordered scale, else whether labels differ.
    values : (labels,) array or None
        What labels count for a bias: their numbers or places, or 1 for the positive one of two.
    positive : str or None
    groups : (items,) array of object or None
        The group of each item, None where it has none.
    """

    people: Labels
    predictions: Predictions
    judges: tuple[Judged, ...]
    labels: tuple[str, ...]
    ordered: bool
    distance: Floats
    values: Floats | None
    positive: str | None
    groups: list[str | None] | None


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
        said = take_predictions(judges, "judges")
        return take(people, besides), said if names is None else _only(said, list(names))
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
    """Forget raters who are judges."""
    used, rater = np.unique(labels.rater, return_inverse=True)
    return replace(labels, raters=labels.raters[used], rater=rater)


def prepare(
    people: Labels,
    predictions: Predictions,
    *,
    scale: str | None,
    positive: str | None,
    by: Mapping[Any, Any] | None,
    notes: Notes,
) -> Prepared:
    """Put people and judges on one scale, and find each judge's label of each item."""
    people = on_scale(people, scale)
    people.check_raters("comparing a judge with each person")
    said = predictions.among(people.scale.labels)
    place = match_ids(people.items, said.items)
    if not (place >= 0).any():
        raise DataError(none_shared(people.source, people.items, said.source, said.items))
    ordered = is_ordered(people, declared=scale is not None) and len(people.scale) > 2
    subjects = [one.at(place) for one in subjects_of(said, people.scale.labels, Notes())]
    learning = _Learning(people, ordered=ordered)
    judges = tuple(
        _judged(subject, said, place, learning, ordered=ordered, notes=notes)
        for subject in subjects
    )
    labels = people.scale.labels if ordered else said.labels
    chosen = _positive(people, positive)
    return Prepared(
        people=people,
        predictions=predictions,
        judges=judges,
        labels=labels,
        ordered=ordered,
        distance=_distance(people, labels, ordered=ordered),
        values=_values(people, labels, chosen, ordered=ordered),
        positive=chosen,
        groups=None if by is None else _groups(people, by),
    )


def _judged(
    subject: Subject,
    said: Predictions,
    place: Codes,
    learning: _Learning,
    *,
    ordered: bool,
    notes: Notes,
) -> Judged:
    """Find the label that a judge gives to each item."""
    kind = KINDS[subject.kind]
    there = subject.predicted
    label = np.full(len(there), -1)
    if subject.kind == "names" and not ordered:
        # A label that nobody else uses is an answer too, with which nobody agrees.
        table = next(one for one in said.classifiers if one.name == subject.name).at(place)
        label[there] = np.argmax(table.probability[there], axis=1)
        return Judged(name=subject.name, kind=kind, label=label)
    learned = subject.kind in ("names", "numbers")
    table = learning.probabilities(subject) if learned else subject.table
    label[there] = np.argmax(table[there], axis=1)
    if learned:
        notes.info(
            f"'{subject.name}': what it gives stands for the label that people most often give "
            "there, learned from the other items, where labels are compared."
        )
    return Judged(name=subject.name, kind=kind, label=label, learned=learned)


@dataclass(frozen=True, eq=False)
class _Learning:
    """Learns what scores and strange names stand for, as the survey does."""

    people: Labels
    ordered: bool

    def probabilities(self, subject: Subject) -> Floats:
        """Probabilities of people's labels, cross-fitted: (items, labels)."""
        counts = self.people.matrix()
        used = np.flatnonzero(subject.predicted & (counts.sum(axis=1) > 0))
        if not len(used):
            raise DataError(f"no rated item has a score of '{subject.name}'.")
        calibrating = Calibrating(
            items=self.people.items[used],
            reference=counts[used] / counts[used].sum(axis=1, keepdims=True),
            scale=self.people.scale,
            ordered=self.ordered,
            scorer=as_scorer(scorers.DEFAULT, self.people.scale, None),
            calibration=None,
            two_sided=True,
            seed=0,
        )
        made = calibrating.classifiers([subject.at(used)], Notes())[0]
        table = np.full(counts.shape, np.nan)
        table[used] = made.probability
        return np.nan_to_num(table)


def _positive(people: Labels, positive: str | None) -> str | None:
    """Find the positive label: the one that is named, or the second of two."""
    known = people.scale.labels
    if positive is None:
        return known[1] if len(known) == 2 else None
    text = label_text(str(positive))
    if text not in known:
        raise unknown_name("positive label", text, known, option_name="positive")
    return text


def _distance(people: Labels, labels: Sequence[str], *, ordered: bool) -> Floats:
    if not ordered:
        return 1.0 - np.eye(len(labels))
    value = _places(people)
    return (value[:, None] - value[None, :]) ** 2 / (value.max() - value.min()) ** 2


def _places(people: Labels) -> Floats:
    """Numbers of labels that are numbers, else their places."""
    if are_numbers(people):
        return np.array([number_of(label) or 0.0 for label in people.scale.labels])
    return np.arange(1.0, len(people.scale) + 1)


def _values(
    people: Labels, labels: Sequence[str], positive: str | None, *, ordered: bool
) -> Floats | None:
    if ordered:
        return _places(people)
    if positive is None:
        return None
    return np.array([float(label == positive) for label in labels])


def _groups(people: Labels, by: Mapping[Any, Any]) -> list[str | None]:
    """Find the group of each item."""
    known = {str(item): str(group) for item, group in by.items()}
    groups = [known.get(str(item)) for item in people.items.tolist()]
    if not any(group is not None for group in groups):
        raise DataError(f"{people.source}: no item has a group ({option('by')}).")
    return groups
