"""What the card is given: people and judges, each judge's label of every item that people rated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import label_text, match_ids, number_of
from headcount.equivalence.calibration.outputs import Subject, subjects_of
from headcount.equivalence.inputs.scale import are_numbers, is_ordered, on_scale
from headcount.errors import DataError, option, unknown_name
from headcount.io.findings import few_shared, none_shared
from headcount.judging.score_labels import Learning
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["Judged", "Prepared", "prepare"]

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

    @property
    def learned(self) -> bool:
        """Whether what some judge says had to be learned."""
        return any(one.learned for one in self.judges)


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
    notes.extend(few_shared(people.source, people.items, said.source, said.items))
    _check_others(people, place)
    ordered = is_ordered(people, declared=scale is not None) and len(people.scale) > 2
    subjects = [one.at(place) for one in subjects_of(said, people.scale.labels, Notes())]
    learning = Learning(people, ordered=ordered)
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


def _check_others(people: Labels, place: Codes) -> None:
    """Refuse people of whom no two labelled the same judged item."""
    there = place[people.item] >= 0
    if np.bincount(people.item[there], minlength=1).max() < 2:
        raise DataError(
            f"{people.source}: no item that a judge labelled has answers of two people, so nothing "
            "shows how far people agree. Have a second person label some of the items; or take the "
            "answers for gold and see headcount.blind."
        )


def _judged(
    subject: Subject,
    said: Predictions,
    place: Codes,
    learning: Learning,
    *,
    ordered: bool,
    notes: Notes,
) -> Judged:
    """Find the label that a judge gives to each item."""
    kind = KINDS[subject.kind]
    there = subject.predicted
    label = np.full(len(there), -1)
    if subject.kind == "names" and not ordered:
        table = next(one for one in said.classifiers if one.name == subject.name).at(place)
        label[there] = np.argmax(table.probability[there], axis=1)
        if (label[there] < len(learning.people.scale)).any():
            # A label that nobody else uses is an answer too, with which nobody agrees.
            return Judged(name=subject.name, kind=kind, label=label)
        # Where all are names of its own ('PASS' for 'pass'), they are other words for answers.
    learned = subject.kind in ("names", "numbers")
    table = learning.of_rated(subject) if learned else subject.table
    label[there] = np.argmax(table[there], axis=1)
    if learned:
        notes.info(
            f"'{subject.name}': what it gives stands for the label that people most often give "
            "there, learned from the other items, where labels are compared."
        )
    return Judged(name=subject.name, kind=kind, label=label, learned=learned)


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
