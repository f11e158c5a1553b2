"""Numbers that a classifier gives to items: scores, which may turn out to be labels."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from headcount.data.classifiers import Classifier, hard, taken
from headcount.data.vocabulary import MISSING, find_labels, number_of, number_text
from headcount.errors import DataError, some
from headcount.typing import Flags, Floats, Ints

__all__ = ["Score", "check_score_names", "labels_of_score"]


@dataclass(frozen=True, eq=False)
class Score:
    """Numbers that a classifier or judge gives to items, which are no labels of their own.

    Parameters
    ----------
    name : str
    values : (items,) array of float
        NaN: no score.
    """

    name: str
    values: Floats

    @property
    def predicted(self) -> Flags:
        """Whether each item has a score."""
        return ~np.isnan(self.values)

    def at(self, index: Ints) -> Score:
        """Take the scores at places of items; none where the place is -1."""
        return replace(self, values=taken(self.values, index))

    def as_labels(self, labels: Sequence[str]) -> Classifier | None:
        """Take the numbers for labels, if each is one of `labels`; None if some is not."""
        given = np.unique(self.values[~np.isnan(self.values)])
        if len(given) > len(labels):
            return None
        place = find_labels([number_text(float(value)) for value in given], labels)
        if (place < 0).any() or not len(given):
            return None
        codes = place[np.searchsorted(given, np.nan_to_num(self.values, nan=given[0]))]
        return hard(self.name, np.where(np.isnan(self.values), MISSING, codes), len(labels))


def labels_of_score(
    score: Score, labels: Sequence[str], *, source: str, rated_in: str
) -> Classifier:
    """Take scores as labels, or say what to do about them."""
    classifier = score.as_labels(labels)
    if classifier is None:
        span = f"from {np.nanmin(score.values):g} to {np.nanmax(score.values):g}"
        raise DataError(
            f"{source}: '{score.name}' gives scores {span}, and no labels that raters in "
            f"{rated_in} use: {some(labels, 10)}. Calibrate them first: turn each into a label "
            "or into probabilities, in columns classifier:label; or leave the column out."
        )
    return classifier


def check_score_names(names: Sequence[str], labels: Sequence[str], source: str) -> None:
    """Refuse scores that are called like the labels of raters: they are one classifier's.

    What stands before the last sign of a name may be the classifier (gpt_cat, gpt:dog), if
    every label has such a column, and labels are no numbers (judge_1, judge_2).
    """
    known = {label.casefold() for label in labels}
    called = [name for name in names if name.casefold() in known]
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        before, _, after = re.sub(r"[:.| -]", "_", name).rpartition("_")
        groups.setdefault(before, {})[after.casefold()] = name
    for group in groups.values():
        if known <= set(group) and not any(number_of(label) is not None for label in labels):
            called = max(called, [group[label] for label in sorted(known)], key=len)
    if len(called) > 1:
        raise DataError(
            f"{source}: columns {some(called, 12)} are called like labels of raters, but "
            "their numbers do not sum to 1, so that they are no probabilities of one "
            "classifier. If they are, divide each by the sum of its row (log-odds: take the "
            "softmax). If each is a classifier of its own, name the columns after the "
            "classifiers."
        )
