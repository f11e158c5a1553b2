"""Simulated classifiers: what they have seen of an item, and what they make of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from headcount.data.counts import Counts
from headcount.data.predictions import Classifier, hard
from headcount.errors import OptionError, some, unknown_name
from headcount.simulation.states import States, Table, draw_labels

__all__ = ["KINDS", "Wanted", "read_classifiers", "simulate_classifiers"]

KINDS = ("hard", "soft", "calibrated", "omniscient")
"""What a simulated classifier may be."""
VIEW = 3
"""Labels of an item that a classifier has seen, unless it says how many."""


class Wanted(NamedTuple):
    """A classifier as it was asked for; `view` is the number of labels it has seen."""

    name: str
    kind: str
    view: int


def read_classifiers(texts: Sequence[str], *, sharpness: float) -> list[Wanted]:
    """Read classifiers as they are written, and refuse what cannot be served.

    Examples
    --------
    >>> read_classifiers(["hard", "calibrated:5"], sharpness=2)
    [Wanted(name='hard', kind='hard', view=3),
     Wanted(name='calibrated_5', kind='calibrated', view=5)]
    """
    asked = [_read(text) for text in texts]
    names = [one.name for one in asked]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated or not asked:
        raise OptionError(
            f"classifiers (--classifiers) names each of at least one classifier once; "
            f"{f'repeated: {some(sorted(repeated))}' if repeated else 'none is named'}. "
            f"Known: {', '.join(KINDS)}."
        )
    if not 0 < sharpness < np.inf:
        raise OptionError(
            f"sharpness (--sharpness) must be a positive number, not {sharpness:g}; 1 leaves the "
            "soft classifier calibrated."
        )
    return asked


def _read(text: str) -> Wanted:
    """Read 'kind' or 'kind:labels seen'."""
    kind, colon, view = text.partition(":")
    if kind not in KINDS:
        raise unknown_name("classifier", text, KINDS)
    if not colon:
        return Wanted(kind, kind, 0 if kind == "omniscient" else VIEW)
    if kind == "omniscient" or not view.isdecimal():
        raise OptionError(
            f"classifier '{text}': the number after the colon says how many labels of an item it "
            "has seen, as in calibrated:5; the omniscient classifier has none."
        )
    return Wanted(f"{kind}_{int(view)}", kind, int(view))


def simulate_classifiers(
    wanted: Sequence[Wanted],
    states: States,
    state: Table,
    *,
    noise: float,
    sharpness: float,
    rng: np.random.Generator,
) -> tuple[Classifier, ...]:
    """Let classifiers look at items and predict the next label.

    Parameters
    ----------
    wanted : sequence of Wanted
    states : States
        The distribution of states, which classifiers know.
    state : (items, labels) array
        The state of each item, of which they see labels.
    noise : float
        Noise of a rater chosen at random.
    sharpness : float
        Power of the soft classifiers.
    rng : Generator

    Notes
    -----
    O(items x labels) for each label seen.
    """

    def next_label(p: Table) -> Table:
        return (1 - noise) * p + noise / states.size

    views = {one.view for one in wanted}
    expected: dict[int, Table] = {}
    every = np.arange(len(state))
    seen = np.zeros(state.shape, dtype=np.int64)
    for view in range(max(views) + 1):
        if view:
            seen[every, draw_labels(state, every, rng)] += 1
        if view in views:
            # Many items look the same: what to expect is worked out once a pattern.
            patterns = Counts.from_matrix(seen)
            means = states.posterior_mean(patterns.patterns)
            expected[view] = next_label(means)[patterns.pattern]
    made: list[Classifier] = []
    for name, kind, view in wanted:
        q = next_label(state) if kind == "omniscient" else expected[view]
        if kind == "hard":
            made.append(hard(name, q.argmax(axis=1), states.size))
            continue
        if kind == "soft":
            # Relative to the largest, so that a large power leaves one label at least.
            q = (q / q.max(axis=1, keepdims=True)) ** sharpness
            q /= q.sum(axis=1, keepdims=True)
        made.append(Classifier(name, "soft", q))
    return tuple(made)
