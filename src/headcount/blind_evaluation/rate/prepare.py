"""What the corrected rate is given: judges on all items, people on some, as numbers from 0 to 1."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount import options
from headcount.blind_evaluation.rate.estimate import Said
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import label_text, number_of, number_text
from headcount.errors import DataError, OptionError, count, option, some, unknown_name
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["Prepared", "prepare"]

MOST_JUDGES = 50
"""Judges up to which the rate is found by each alone."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """Judges and people on one scale from 0 to 1.

    Parameters
    ----------
    source : Labels or Predictions
        What judges said.
    people : Labels
        What people said, of items that judges labelled as well.
    judges : tuple of str
    mean : (items,) array
        Mean over judges of what they say of an item.
    alone : list of (positions, values)
        Of each judge: the items it labelled, and what it says of them; none for many judges.
    said : Said
    unnamed : bool
        Whether a file tells labels without raters: one person's, or the truth.
    items, ratings : int
        Items that judges labelled, and their labels.
    positive : str or None
    lowest, highest : float
        What 0 and 1 stand for.
    """

    source: Labels | Predictions
    people: Labels
    judges: tuple[str, ...]
    items: int
    ratings: int
    mean: Floats
    alone: list[tuple[Codes, Floats]]
    said: Said
    unnamed: bool
    positive: str | None
    lowest: float
    highest: float


@dataclass(frozen=True, kw_only=True)
class Worth:
    """What labels count: 1 for the positive one, or grades from the lowest, 0, to the highest."""

    positive: str | None
    lowest: float = 0.0
    highest: float = 1.0
    at_least: float | None = None

    def of(self, label: str) -> float:
        """Find what a label counts, from 0 to 1."""
        number = number_of(label)
        if self.at_least is not None:
            return float(number is not None and number >= self.at_least)
        if self.positive is not None:
            return float(label == self.positive)
        return ((number or 0.0) - self.lowest) / (self.highest - self.lowest)


def prepare(
    data: Any, people: Any, *, positive: str | None, at_least: float | None, notes: Notes
) -> Prepared:
    """Read what has to be read, decide what labels count, and find the items of both."""
    from headcount.io.load import take_votes

    source = take_votes(data)
    rated, drawn, unnamed = _take_people(people, notes)
    for one in (source, rated):
        notes.extend(one.notes)
    judged = source.labels if isinstance(source, Predictions) else source.scale.labels
    used = [judged[k] for k in range(len(judged))]
    worth = _worth([*used, *rated.scale.labels], positive, at_least)
    where, judge, value = _by_judge(source, worth)
    judges = _names(source)
    number = np.bincount(where, minlength=len(source.items))
    kept = np.flatnonzero(number)
    position = np.full(len(number), -1)
    position[kept] = np.arange(len(kept))
    mean = np.bincount(where, value, minlength=len(number))[kept] / number[kept]
    said = _said(source, rated, position, worth, notes)
    if drawn:
        said = replace(said, drawn=_probabilities(rated, drawn, source))
    alone = []
    if 1 < len(judges) <= MOST_JUDGES:
        alone = [(position[where[judge == k]], value[judge == k]) for k in range(len(judges))]
    return Prepared(
        source=source,
        people=rated,
        judges=judges,
        items=len(kept),
        ratings=len(where),
        mean=mean,
        alone=alone,
        said=said,
        unnamed=unnamed,
        positive=_called(worth),
        lowest=worth.lowest,
        highest=worth.highest,
    )


def _take_people(people: Any, notes: Notes) -> tuple[Labels, dict[str, float], bool]:
    """Read ratings, with which probability items were drawn, and whether raters have no names."""
    from headcount.io.facts.drawn import has_raters, read_drawn
    from headcount.io.facts.true_labels import read_truth
    from headcount.io.load import take_labels

    if isinstance(people, Labels):
        return people, {}, False
    if not has_raters(people, "people"):
        gold = read_truth(people, name="people")
        notes.extend(gold.notes)
        labels = Labels.from_triples(list(gold), ["gold"] * len(gold), list(gold.values()))
        return replace(labels, source=gold.source, sources=gold.sources), dict(gold.drawn), True
    drawn, column = read_drawn(people, "people")
    if column is None:
        return take_labels(people, "people"), {}, False
    from headcount.io.ratings.ratings import read_ratings

    notes.caution(
        "Items that people rated count by the inverse of the probability with which they were "
        f"drawn (column '{column}'). Rename the column if it means something else."
    )
    return read_ratings(people, ignore=[column], name="people"), drawn, False


def _probabilities(rated: Labels, drawn: dict[str, float], source: Labels | Predictions) -> Floats:
    """Find with which probability the item of each rating was drawn, of those judges labelled."""
    judged = {str(item) for item in source.items.tolist()}
    names = [str(item) for item in rated.items.tolist()]
    lacking = [name for name in names if name in judged and name not in drawn]
    if lacking:
        raise DataError(
            f"{rated.source}: {count(len(lacking), 'rated item')} without a probability: "
            f"{some(lacking)}. Give every item the probability with which it was drawn."
        )
    by_item = np.array([drawn.get(name, np.nan) for name in names])
    there = np.array([name in judged for name in names])
    return by_item[rated.item[there[rated.item]]]


def _called(worth: Worth) -> str | None:
    return worth.positive if worth.at_least is None else f"{number_text(worth.at_least)} or more"


def _worth(labels: list[str], positive: str | None, at_least: float | None) -> Worth:
    """Decide what labels count: the share of one, of those from a number on, or the mean grade."""
    known = list(dict.fromkeys(labels))
    numbers = [number_of(label) for label in known]
    if at_least is not None:
        if any(number is None for number in numbers):
            word = next(
                label for label, number in zip(known, numbers, strict=True) if number is None
            )
            raise DataError(
                f"label '{word}' is no number, so it cannot be compared with "
                f"{option('at_least', at_least)}. Name the positive label "
                f"({option('positive', ...)})."
            )
        return Worth(positive=None, at_least=options.number(at_least, "at_least"))
    if positive is not None:
        positive = label_text(str(positive))
        if positive not in known:
            raise unknown_name("positive label", positive, known, option_name="positive")
        return Worth(positive=positive)
    if len(known) == 2:
        return Worth(positive=sorted(known)[1] if None in numbers else max(known, key=_number))
    if None not in numbers:
        values = [number for number in numbers if number is not None]
        if len(values) > 1:
            return Worth(positive=None, lowest=min(values), highest=max(values))
    raise OptionError(
        f"name the label whose share is asked for ({option('positive', ...)}): there are "
        f"{some(known, 6)}."
    )


def _number(label: str) -> float:
    return number_of(label) or 0.0


def _names(source: Labels | Predictions) -> tuple[str, ...]:
    if isinstance(source, Predictions):
        return tuple(c.name for c in source.classifiers)
    return tuple(str(name) for name in source.raters)


def _by_judge(source: Labels | Predictions, worth: Worth) -> tuple[Codes, Codes, Floats]:
    """Item, judge and value of everything that judges said; probabilities count as they are."""
    if isinstance(source, Labels):
        values = np.array([worth.of(label) for label in source.scale.labels])
        return source.item, source.rater, values[source.label]
    values = np.array([worth.of(label) for label in source.labels])
    rows = [np.flatnonzero(c.predicted) for c in source.classifiers]
    return (
        np.concatenate(rows),
        np.repeat(np.arange(len(rows)), [len(part) for part in rows]),
        np.concatenate(
            [c.probability[part] @ values for c, part in zip(source.classifiers, rows, strict=True)]
        ),
    )


def _said(
    source: Labels | Predictions, rated: Labels, position: Codes, worth: Worth, notes: Notes
) -> Said:
    """Take what people said of the items that judges labelled."""
    place = {str(item): int(position[i]) for i, item in enumerate(source.items.tolist())}
    at = np.array([place.get(str(item), -1) for item in rated.items.tolist()], dtype=np.int64)
    at = at[rated.item]
    there = at >= 0
    values = np.array([worth.of(label) for label in rated.scale.labels])
    if len(np.unique(at[there])) < 2:
        raise DataError(
            f"{rated.source}: people rated {count(len(np.unique(at[there])), 'item')} of those "
            "that judges labelled; two or more are needed. Check that both name items the same way."
        )
    left = len(np.unique(rated.item[~there]))
    if left:
        notes.caution(f"{count(left, 'item')} that people rated and no judge did left out.")
    return Said(item=at[there], rater=rated.rater[there], value=values[rated.label[there]])
