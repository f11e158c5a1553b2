"""People and judges as they are given, and each judge's label of every item that people rated."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from headcount.data.facts import Clusters
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import label_text, number_of
from headcount.engine.taking import take_predictions
from headcount.equivalence.classifiers import Calibrating, Subject, subjects_of
from headcount.equivalence.prepare import are_numbers, is_ordered, on_scale
from headcount.equivalence.scorers import CrossEntropy, as_scorer
from headcount.errors import DataError, OptionError, of_verb, option, some, unknown_name
from headcount.io.findings import models_among
from headcount.io.values import match_items
from headcount.judging.runs import hinted
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = [
    "take_both",
    "read_people",
    "keep_judges",
    "Judged",
    "Prepared",
    "prepare",
]


# People and judges as they are given: in two files, in one, or as data.

Reader = Callable[[Any, Sequence[str]], Labels]
"""Reads what people said, without some columns."""


def take_both(
    people: Any,
    judges: Any,
    names: Collection[str] | None,
    *,
    besides: Sequence[str] = (),
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
    besides : sequence of str
        Columns of `people` that are nobody's answers.
    read : callable, optional
        How to read `people`. Default: as they are recognised.
    question : str, optional
        Which of several questions of an export the judges answer.
    """
    if isinstance(names, str) or (names is not None and not names):
        raise OptionError(f"{option('judge_names')} must be a list of names of judges.")
    take = read_people if read is None else read
    if judges is not None:
        rated = take(people, besides)
        predictions = hinted(
            lambda: take_predictions(judges, "judges", labels=rated.scale.labels), judges
        )
        predictions = predictions if names is None else keep_judges(predictions, names)
        _check_apart(rated, predictions)
        return rated, predictions
    if isinstance(people, Labels):
        if names is None:
            raise OptionError(
                "there are no judges: give them, or name the raters who are judges "
                f"({option('judge_names', ...)})."
            )
        return _split(people, list(names))
    if names is None:
        return _of_export(people, besides, take, question)
    return _of_one(people, names, besides, take, question)


def read_people(people: Any, besides: Sequence[str]) -> Labels:
    """Read what people said, without some columns."""
    if isinstance(people, Labels):
        return people
    from headcount.io.ratings import read_ratings

    return read_ratings(people, ignore=besides, name="people")


def _of_export(
    data: Any, besides: Sequence[str], take: Reader, question: str | None
) -> tuple[Labels, Predictions]:
    """Take both from an export of a tool that holds answers and predictions."""
    from headcount.io.opening import open_table
    from headcount.io.predictions import read_predictions
    from headcount.io.reading import Reading

    table = open_table(data, name="people", kind="ratings", reading=Reading.of(question=question))
    if not table.exported:
        raise OptionError(
            f"{table.source}: which column is the judge? Name the columns or raters of judges "
            f"({option('judge_names', ...)}), or give the judges in a file of their own."
        )
    return take(data, besides), read_predictions(data, question=question, name="judges")


def _of_one(
    data: Any, names: Collection[str], besides: Sequence[str], take: Reader, question: str | None
) -> tuple[Labels, Predictions]:
    """Take both from one file or frame: columns that are judges', or raters."""
    from headcount.io.opening import open_table
    from headcount.io.predictions import read_predictions
    from headcount.io.roles import item_column

    table = open_table(data, name="people", kind="ratings")
    of_judges = [c for c in table.names if any(c == n or c.startswith(f"{n}:") for n in names)]
    if not of_judges:
        rated = take(data, besides)
        if table.exported and not {*names} & {str(rater) for rater in rated.raters.tolist()}:
            predictions = read_predictions(data, question=question, name="judges")
            return rated, keep_judges(predictions, names)
        return _split(rated, list(names))
    item = table.names[item_column(table, None)]
    others = [c for c in table.names if c not in of_judges and c != item]
    predictions = read_predictions(data, ignore=others, name="judges")
    return take(data, [*besides, *of_judges]), keep_judges(predictions, names)


def _check_apart(people: Labels, predictions: Predictions) -> None:
    """Refuse a judge who is among the people: it would be judged by its own answers."""
    if people.anonymous:
        return
    raters = {str(rater) for rater in people.raters.tolist()}
    both = [
        judge.name
        for judge in (*predictions.classifiers, *predictions.scores)
        if judge.name in raters
    ]
    if both:
        raise DataError(
            f"among the people of {people.source} and among the judges of {predictions.source} "
            f"alike: {some(both)}. A judge is not judged by its own answers: if one file holds "
            f"both, give it once and name the judges ({option('judge_names', ...)}); if two share "
            "a name, rename one."
        )


def keep_judges(predictions: Predictions, names: Collection[str]) -> Predictions:
    """Keep some judges, in the order of the predictions."""
    judges = [judge.name for judge in (*predictions.classifiers, *predictions.scores)]
    for name in names:
        if name not in judges:
            raise unknown_name("judge", name, judges, option_name="judge_names")
    return replace(
        predictions,
        classifiers=tuple(judge for judge in predictions.classifiers if judge.name in names),
        scores=tuple(judge for judge in predictions.scores if judge.name in names),
    )


def _split(labels: Labels, names: list[str]) -> tuple[Labels, Predictions]:
    """Make judges of some of the raters."""
    labels.check_raters("telling judges from people")
    raters = [str(rater) for rater in labels.raters.tolist()]
    for name in names:
        if name not in raters:
            raise unknown_name("judge", name, raters, option_name="judge_names")
    if len(names) == len(raters):
        raise OptionError("all raters are judges, and no people are left to judge them by.")
    texts = np.array(labels.scale.labels, dtype=object)
    columns: dict[str, list[object]] = {}
    of_judges = np.zeros(len(labels), dtype=bool)
    for name in names:
        own = labels.rater == raters.index(name)
        answers = np.full(len(labels.items), None, dtype=object)
        answers[labels.item[own]] = texts[labels.label[own]]
        columns[name] = answers.tolist()
        of_judges |= own
    judges = Predictions.from_labels(labels.items.tolist(), columns, source=labels.source)
    # Raters who are judges are forgotten, and what was said of models among the raters.
    people = labels.only(~of_judges)
    used, rater = np.unique(people.rater, return_inverse=True)
    outdated = models_among(labels.source, labels.raters)
    left = [note for note in labels.notes if note not in outdated]
    notes = (*left, *models_among(labels.source, labels.raters[used]))
    return replace(people, raters=labels.raters[used], rater=rater, notes=notes), judges


# What scores, and labels that people do not use, stand for: learned from the rated items.


def _learned(people: Labels, subject: Subject, *, ordered: bool) -> Floats:
    """Learn probabilities of people's labels on their items, as the survey does."""
    counts = people.matrix()
    used = np.flatnonzero(subject.predicted & (counts.sum(axis=1) > 0))
    if not len(used):
        raise DataError(f"no rated item has a score of '{subject.name}'.")
    calibrating = Calibrating(
        items=people.items[used],
        reference=counts[used] / counts[used].sum(axis=1, keepdims=True),
        scale=people.scale,
        ordered=ordered,
        scorer=as_scorer(CrossEntropy.name, people.scale, None),
        calibration=None,
        two_sided=True,
        seed=0,
    )
    table = np.zeros(counts.shape)
    table[used] = np.nan_to_num(calibrating.classifiers([subject.at(used)], Notes())[0].probability)
    return table


# What the card is given: people and judges, each judge's label of every item that people rated.

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
    scale : str
        What it answers on, in words, where that is not people's scale; else "".
    mean : (items,) array or None
        What its probabilities lead to expect; None where it gives labels.
    order : (items,) array or None
        What a monotone map can be learned from: its labels' places, its scores, or the mean of its
        probabilities. NaN where it says nothing; None of names without an order.
    """

    name: str
    kind: str
    label: Codes
    learned: bool = False
    scale: str = ""
    mean: Floats | None = None
    order: Floats | None = None


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
    cluster : (items,) array of int or None
        The document, conversation or prompt of each item; None where items stand alone.
    texts : mapping of item to str
        What items say.
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
    cluster: Codes | None = None
    texts: Mapping[str, str] = field(default_factory=dict[str, str])

    def unit_of(self, items: Codes) -> Codes:
        """Return the cluster of each item, from 0 on; a number each where they stand alone."""
        if self.cluster is None:
            return np.arange(len(items))
        return np.unique(self.cluster[items], return_inverse=True)[1]


def prepare(
    people: Labels,
    predictions: Predictions,
    *,
    scale: str | None,
    positive: str | None,
    by: Mapping[Any, Any] | None,
    cluster: Clusters | None = None,
    notes: Notes,
) -> Prepared:
    """Put people and judges on one scale, and find each judge's label of each item."""
    people = on_scale(people, scale)
    people.check_raters("comparing a judge with each person")
    judged = predictions.among(people.scale.labels)
    index = match_items(people.source, people.items, judged.source, judged.items, notes)
    _check_others(people, index)
    ordered = is_ordered(people, declared=scale is not None) and len(people.scale) > 2
    subjects = [each.at(index) for each in subjects_of(judged, people.scale.labels, Notes())]
    labels = people.scale.labels if ordered else judged.labels
    counted = _positive(people, positive)
    values = _values(people, labels, counted, ordered=ordered)
    judges = tuple(
        _in_order(
            _judged(subject, judged, index, people, ordered=ordered, notes=notes), subject, values
        )
        for subject in subjects
    )
    return Prepared(
        people=people,
        predictions=predictions,
        judges=judges,
        labels=labels,
        ordered=ordered,
        distance=_distance(people, labels, ordered=ordered),
        values=values,
        positive=counted,
        groups=None if by is None else _groups(people, by),
        cluster=None if cluster is None else cluster.codes(people.items),
    )


def _check_others(people: Labels, index: Codes) -> None:
    """Refuse people of whom no two labelled the same judged item."""
    there = index[people.item] >= 0
    if np.bincount(people.item[there], minlength=1).max() < 2:
        raise DataError(
            f"{people.source}: no item that a judge labelled has answers of two people, so nothing "
            "shows how far people agree. Have a second person label some of the items; or use the "
            f"answers as gold labels: {of_verb(option('gold', ...), 'blind', ['gold'])}."
        )


def _judged(
    subject: Subject,
    predictions: Predictions,
    index: Codes,
    people: Labels,
    *,
    ordered: bool,
    notes: Notes,
) -> Judged:
    """Find the label that a judge gives to each item."""
    kind = KINDS[subject.kind]
    there = subject.predicted
    label = np.full(len(there), -1)
    if subject.kind == "names" and not ordered:
        classifier = next(c for c in predictions.classifiers if c.name == subject.name)
        table = classifier.at(index)
        label[there] = np.argmax(table.probability[there], axis=1)
        # A label that nobody else uses is an answer too, with which nobody agrees.
        return Judged(name=subject.name, kind=kind, label=label)
    is_learned, scale = subject.kind in ("names", "numbers"), ""
    table = _learned(people, subject, ordered=ordered) if is_learned else subject.table
    label[there] = np.argmax(table[there], axis=1)
    if is_learned:
        scale = "labels that people do not use"
        if subject.kind == "numbers":
            given, used = subject.table[there, 0], people.scale.labels
            scale = f"{given.min():g} to {given.max():g}; people use '{used[0]}' to '{used[-1]}'"
        notes.caution(
            f"'{subject.name}' is on another scale ({scale}): each answer counts as the label that "
            "people most often give there, learned from other items."
        )
    return Judged(name=subject.name, kind=kind, label=label, learned=is_learned, scale=scale)


def _in_order(judged: Judged, subject: Subject, values: Floats | None) -> Judged:
    """Add what a bias is measured by, and what a monotone map can be learned from."""
    if values is None or subject.kind == "names":
        return judged
    if subject.kind == "numbers":
        return replace(judged, order=subject.table[:, 0])
    if subject.kind == "hard":
        return replace(judged, order=np.where(judged.label >= 0, values[judged.label], np.nan))
    mean = subject.table @ values[: subject.table.shape[1]]
    return replace(judged, mean=mean, order=mean)


def _positive(people: Labels, positive: str | None) -> str | None:
    """Find the positive label: the one that is named, or the second of two."""
    labels = people.scale.labels
    if positive is None:
        return labels[1] if len(labels) == 2 else None
    label = label_text(str(positive))
    if label not in labels:
        raise unknown_name("positive label", label, labels, option_name="positive")
    return label


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
    return None if positive is None else np.array([float(name == positive) for name in labels])


def _groups(people: Labels, by: Mapping[Any, Any]) -> list[str | None]:
    """Find the group of each item."""
    names = {str(item): str(group) for item, group in by.items()}
    groups = [names.get(str(item)) for item in people.items.tolist()]
    if not any(group is not None for group in groups):
        raise DataError(f"{people.source}: no item has a group ({option('by')}).")
    return groups
