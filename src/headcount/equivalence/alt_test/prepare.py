"""The ratings and predictions on which the alternative annotator test is made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from headcount.data.classifiers import Classifier
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.scores import Score
from headcount.data.vocabulary import number_of
from headcount.equivalence.alt_test.alignments import Alignment, OfNumbers
from headcount.equivalence.inputs.matching import common_items
from headcount.equivalence.scorers.values import has_values
from headcount.errors import DataError, closest, count, option, some
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Ids

__all__ = ["EPSILONS", "MIN_ITEMS", "Prepared", "prepare"]

EPSILONS = "0.2 where raters are experts, 0.15 where they are skilled, 0.1 for crowd workers"
"""Margins that the paper suggests."""
MIN_ITEMS = 30
"""Items a rater needs for the t-test, as the paper has it."""
MIN_RATERS = 2
"""Leaving one rater out must leave somebody to compare with."""
ADVISED_RATERS = 3
"""With fewer raters, the paper says, there is no consensus to compare with."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """The ratings that are compared, and who is tested.

    Parameters
    ----------
    kept : (items,) array of bool
        Items that every classifier predicts and that have two ratings or more.
    table : (items, labels) array of int
        How often each label was given.
    item, rater, label : (ratings,) arrays of int
        The ratings of these items.
    ratings : (raters,) array of int
        How many of them each rater gave.
    tested : array of int
        Raters with enough items.
    left_out : array
        Ids of raters with too few.
    classifiers : tuple of Classifier or Score
    """

    kept: Flags
    table: Codes
    item: Codes
    rater: Codes
    label: Codes
    ratings: Codes
    tested: Codes
    left_out: Ids
    classifiers: tuple[Classifier | Score, ...]


def prepare(
    labels: Labels, predictions: Predictions, alignment: Alignment, min_items: int, notes: Notes
) -> Prepared:
    """Keep the items that classifiers and raters can be compared on.

    `predictions` have the labels of the raters first.
    """
    more = predictions.labels[len(labels.scale) :]
    table = np.pad(labels.matrix(), ((0, 0), (0, len(more))))
    numeric = isinstance(alignment, OfNumbers) and labels.scale.kind != "ordinal"
    tested: list[Classifier | Score] = [
        one
        for one in predictions.classifiers
        if _comparable(one, predictions.labels, len(labels.scale), numeric=numeric)
    ]
    if numeric:
        tested += predictions.scores
    if not tested:
        _refuse(predictions, alignment)
    notes.extend(predictions.notes)
    classifiers, kept = common_items(labels, predictions, tested, notes)
    alone = kept & (table.sum(axis=1) < 2)
    kept = kept & ~alone
    rows = np.flatnonzero(kept[labels.item])
    ratings = np.bincount(labels.rater[rows], minlength=len(labels.raters))
    _check(labels, table, ratings, min_items)
    prepared = Prepared(
        kept=kept,
        table=table,
        item=labels.item[rows],
        rater=labels.rater[rows],
        label=labels.label[rows],
        ratings=ratings,
        tested=np.flatnonzero(ratings >= min_items),
        left_out=labels.raters[(ratings < min_items) & (ratings > 0)],
        classifiers=tuple(classifiers),
    )
    _add_notes(prepared, int(alone.sum()), min_items, notes)
    _note_odd(predictions, more, [one.name for one in tested], alignment, notes)
    return prepared


def note_default(alignment: str, labels: Labels, notes: Notes) -> None:
    """Say how closeness is measured, where it is not by who says the same."""
    if len(labels.scale) > 2 and has_values(labels.scale):
        what = "in order" if labels.scale.kind == "ordinal" else "numbers"
        notes.info(f"alt-test: labels are {what}; closeness is measured by {alignment}.")


def _comparable(
    classifier: Classifier, labels: Sequence[str], n_rated: int, *, numeric: bool
) -> bool:
    """Whether it ever says what a rater says; or a number, where numbers are compared."""
    used = np.flatnonzero(np.nansum(classifier.probability, axis=0) > 0).tolist()
    return not used or any(
        code < n_rated or (numeric and number_of(labels[code]) is not None) for code in used
    )


def _refuse(predictions: Predictions, alignment: Alignment) -> NoReturn:
    names = [one.name for one in (*predictions.classifiers, *predictions.scores)]
    if names:
        raise DataError(
            f"{predictions.source}: {some(names)} never gives a label that raters use, and scorer "
            f"'{alignment.name}' cannot compare what it gives with theirs. Turn it into labels "
            "that raters use."
        )
    raise DataError(f"{predictions.source}: no classifier to test. Add a column of predictions.")


def _note_odd(
    predictions: Predictions,
    more: Sequence[str],
    tested: Sequence[str],
    alignment: Alignment,
    notes: Notes,
) -> None:
    """Say what is done with answers that no rater gives."""
    said = [one for one in predictions.classifiers if one.name in tested]
    rated = len(predictions.labels) - len(more)
    used = [more[c] for c in range(len(more)) if any(_says(one, rated + c) for one in said)]
    if used:
        known = predictions.labels[:rated]
        close = [(one, closest(one, known, cutoff=0.8)) for one in used]
        near = [f"'{one}' ('{found[0]}'?)" for one, found in close if found]
        text = f"alt-test: no rater says {some(used)}, so that whoever says it agrees with nobody."
        if near:
            notes.warning(f"{text} Correct what is only spelt otherwise: {', '.join(near)}.")
        else:
            notes.caution(text)
    names = [one.name for one in (*predictions.classifiers, *predictions.scores)]
    left_out = [name for name in names if name not in tested]
    if left_out:
        notes.caution(
            f"alt-test: {some(left_out)} left out: scorer '{alignment.name}' cannot compare what "
            "it gives with the labels of raters."
        )


def _says(classifier: Classifier, label: int) -> bool:
    return bool(np.nansum(classifier.probability[:, label]) > 0)


def _add_notes(prepared: Prepared, alone: int, min_items: int, notes: Notes) -> None:
    """Say what was left out, and what is too little to rely on."""
    soft = [c.name for c in prepared.classifiers if isinstance(c, Classifier) and c.kind == "soft"]
    if soft:
        notes.info(
            f"alt-test: {some(soft)} tested by the most probable label; labels that tie share the "
            "choice."
        )
    if alone:
        notes.caution(
            f"alt-test: {count(alone, 'item')} with a single rating left out: there is no other "
            "rater to compare with."
        )
    names = prepared.left_out.tolist()
    if names:
        notes.caution(
            f"alt-test: {count(len(names), 'rater')} with fewer than {min_items} items not tested: "
            f"{some(names)}; their ratings still count among the others."
        )
    if (few := int((prepared.ratings[prepared.tested] < MIN_ITEMS).sum())) > 0:
        notes.warning(
            f"alt-test: {count(few, 'rater')} tested on fewer than {MIN_ITEMS} items, where the "
            "t-test can be far off. Collect more ratings before relying on the verdict."
        )
    if len(prepared.tested) < ADVISED_RATERS:
        notes.warning(
            f"alt-test: only {count(len(prepared.tested), 'rater')} tested; the paper advises at "
            f"least {ADVISED_RATERS}, so that there is a consensus to compare with."
        )


def _check(labels: Labels, table: Codes, ratings: Codes, least: int) -> None:
    used = np.flatnonzero(table.sum(axis=0))
    if len(used) < 2:
        raise DataError(
            f"{labels.source}: every rating is '{labels.scale.labels[used[0]]}', so nobody can be "
            f"better than anybody. Check that the label column is the right one "
            f"({option('label', ...)})."
        )
    tested = int((ratings >= least).sum())
    if tested < MIN_RATERS:
        has = "no rater has" if tested == 0 else "only 1 rater has"
        raise DataError(
            f"{labels.source}: the alt-test needs {MIN_RATERS} raters or more, each with {least} "
            f"items that are predicted and rated by somebody else; {has}, of "
            f"{count(len(labels.raters), 'rater')} (the most is {count(int(ratings.max()), 'item')}"
            f"). Check that the rater column says who rated ({option('rater', ...)}), or collect "
            "more ratings per rater."
        )
