"""Labels of classifiers and of people, made to speak of the same labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.scale import Scale
from headcount.data.vocabulary import as_labels, find_labels, label_text, number_of, number_text
from headcount.errors import DataError, count, some

__all__ = ["as_votes", "prepare"]

Truth = Mapping[Any, str]


def prepare(
    labels: Labels | Predictions, truths: list[Truth | None], at_least: float | None
) -> tuple[Labels, list[dict[Any, str] | None]]:
    """Give classifiers and people one scale; with `at_least`, one of two labels.

    Returns
    -------
    labels : Labels
    truths : list of dict or None
        The given mappings from item to label, with labels written as in the scale.
    """
    votes = as_votes(labels) if isinstance(labels, Predictions) else labels
    known = [
        None if truth is None else {i: label_text(str(v)) for i, v in truth.items()}
        for truth in truths
    ]
    if at_least is not None:
        return _cut(votes, known, at_least)
    used = {label for truth in known if truth is not None for label in truth.values()}
    extra = sorted(used - set(votes.scale.labels))
    if used and len(extra) == len(used):
        raise DataError(
            f"{votes.source}: no classifier gives any of the labels that people give: "
            f"{some(extra)}. Classifiers give {some(votes.scale.labels)}; write labels alike."
        )
    if extra:
        names, _ = as_labels([*votes.scale.labels, *extra])
        place = find_labels(votes.scale.labels, names)
        votes = replace(
            votes,
            scale=Scale(names),
            label=place[votes.label],
            notes=(
                *votes.notes,
                f"{count(len(extra), 'label')} of people that no classifier gives: {some(extra)}.",
            ),
        )
    return votes, known


def as_votes(predictions: Predictions) -> Labels:
    """Take the label that each classifier finds most probable; the first of equals."""
    items: list[np.ndarray] = []
    raters: list[np.ndarray] = []
    given: list[np.ndarray] = []
    ties = 0
    for code, classifier in enumerate(predictions.classifiers):
        rows = np.flatnonzero(classifier.predicted)
        table = classifier.probability[rows]
        ties += int(((table == table.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())
        items.append(rows)
        raters.append(np.full(len(rows), code))
        given.append(table.argmax(axis=1))
    notes = list(predictions.notes)
    soft = [c.name for c in predictions.classifiers if c.kind == "soft"]
    if soft:
        tied = f" (the first of equals, {count(ties, 'time')})" if ties else ""
        notes.append(f"Probabilities of {some(soft, 6)} count as the likeliest label{tied}.")
    names = np.empty(len(predictions.classifiers), dtype=object)
    names[:] = [c.name for c in predictions.classifiers]
    return Labels(
        predictions.items,
        names,
        Scale(predictions.labels),
        np.concatenate(items),
        np.concatenate(raters),
        np.concatenate(given),
        predictions.source,
        tuple(notes),
    )


def _cut(
    votes: Labels, known: list[dict[Any, str] | None], at_least: float
) -> tuple[Labels, list[dict[Any, str] | None]]:
    """Make labels below the cut one label, and the others another."""
    at = number_text(float(at_least))
    names = (f"below {at}", f"{at} or more")

    def side(label: str) -> int:
        number = number_of(label)
        if number is None:
            raise DataError(
                f"{votes.source}: label '{label}' is no number, so it cannot be compared with "
                f"{at_least:g} (--at-least). Leave the option out, or write labels as numbers."
            )
        return int(number >= at_least)

    sides = np.array([side(label) for label in votes.scale.labels])
    if len(set(sides[votes.label].tolist())) == 1:
        raise DataError(
            f"{votes.source}: every label is {names[sides[votes.label[0]]]} (--at-least). Choose a "
            f"number between labels, which are {some(votes.scale.labels, 5)}."
        )
    cut = [
        None if truth is None else {item: names[side(label)] for item, label in truth.items()}
        for truth in known
    ]
    return replace(votes, scale=Scale(names), label=sides[votes.label]), cut
