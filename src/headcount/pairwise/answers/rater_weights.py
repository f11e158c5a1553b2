"""Raters who count more or less than others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count, option, some
from headcount.io.facts.rater_weights import read_rater_weights
from headcount.io.load import take_facts
from headcount.results.notes import Notes

__all__ = ["weigh_raters"]


def weigh_raters(comparisons: Comparisons, given: Mapping[Any, float] | Any) -> Comparisons:
    """Multiply the weights of comparisons by those of their raters, 1 on average over comparisons.

    Examples
    --------
    >>> played = Comparisons.from_columns("ab", "ba", [1, 1], rater=["ann", "bob"])
    >>> weigh_raters(played, {"ann": 3, "bob": 1}).weight
    array([1.5, 0.5])
    """
    played = comparisons.with_raters()
    if played.rater is None or played.raters is None:
        raise DataError(
            f"{played.source}: {option('rater_weights')} needs to know who answered, and there is "
            "no rater column."
        )
    facts = take_facts(given, read_rater_weights, "rater_weights")
    names = [str(name) for name in played.raters.tolist()]
    codes: list[int] = np.unique(played.rater).tolist()
    answered = {names[code] for code in codes}
    missing = [name for name in names if name in answered and name not in facts]
    if missing:
        raise DataError(
            f"{facts.source}: no weight of {count(len(missing), 'rater')} in {played.source}: "
            f"{some(missing)}. Give each a weight; 0 leaves a rater out.",
        )
    by_rater = np.array([facts.get(name, 0.0) for name in names])
    weight = by_rater[played.rater] * played.weights
    if not weight.any():
        raise DataError(f"{facts.source}: all who answered have weight 0.")
    notes = Notes(played.notes)
    notes.extend(facts.notes)
    notes.info(
        f"Raters are weighted by {facts.source}, from {by_rater.min():g} to {by_rater.max():g}."
    )
    return replace(
        played,
        weight=weight / weight.mean(),
        notes=tuple(notes),
        sources=(*played.sources, *facts.sources),
    )
