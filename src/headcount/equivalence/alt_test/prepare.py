"""The ratings and predictions on which the alternative annotator test is made."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Classifier, Predictions
from headcount.equivalence.matching import common_items
from headcount.errors import DataError, count, option, some
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
    classifiers : tuple of Classifier
    """

    kept: Flags
    table: Codes
    item: Codes
    rater: Codes
    label: Codes
    ratings: Codes
    tested: Codes
    left_out: Ids
    classifiers: tuple[Classifier, ...]


def prepare(labels: Labels, predictions: Predictions, min_items: int, notes: Notes) -> Prepared:
    """Keep the items that classifiers and raters can be compared on."""
    table = labels.matrix()
    aligned = predictions.align(labels.scale.labels, rated_in=labels.source)
    if not aligned.classifiers:
        raise DataError(f"{aligned.source}: no classifier to test. Add a column of predictions.")
    notes.extend(predictions.notes)
    classifiers, kept = common_items(labels, aligned, list(aligned.classifiers), notes)
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
    return prepared


def _add_notes(prepared: Prepared, alone: int, min_items: int, notes: Notes) -> None:
    """Say what was left out, and what is too little to rely on."""
    soft = [c.name for c in prepared.classifiers if c.kind == "soft"]
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
