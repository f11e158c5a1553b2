"""What an analysis of agreement starts from: the scale, its numbers, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from headcount.agreement.coefficients.distances import Distance
from headcount.agreement.coefficients.patterns import Patterns
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.data.vocabulary import number_of
from headcount.errors import DataError, OptionError, unknown_name
from headcount.typing import Floats

__all__ = ["SCALES", "ScaleKind", "Setting", "check_labels", "set_up"]

ScaleKind = Literal["nominal", "ordinal", "interval", "ratio"]
SCALES: tuple[ScaleKind, ...] = ("nominal", "ordinal", "interval", "ratio")
HARDLY = 0.001
"""Share of the ratings at an end of the scale that may be mistakes."""


@dataclass(frozen=True, eq=False)
class Setting:
    """Labels with their codes in ascending order, the kind of scale, and what it means.

    Parameters
    ----------
    labels : Labels
    scale : {"nominal", "ordinal", "interval", "ratio"}
    numbers : (labels,) array or None
        What the labels are worth, ascending: numbers on interval and ratio scales, places on
        ordinal scales and where there are two labels. None where there is no order.
    measured : bool
        Whether differences of the numbers mean something: not on ordinal scales.
    guessed : bool
        Whether the scale was guessed.
    """

    labels: Labels
    scale: ScaleKind
    numbers: Floats | None
    measured: bool
    guessed: bool

    @cached_property
    def patterns(self) -> Patterns:
        """The label patterns."""
        return Patterns.from_labels(self.labels)

    @cached_property
    def nominal(self) -> Distance:
        """Whether labels differ."""
        return Distance("nominal", np.arange(len(self.labels.scale), dtype=np.float64))

    @cached_property
    def graded(self) -> Distance:
        """The distance of AC2, by the kind of scale."""
        places = np.arange(len(self.labels.scale), dtype=np.float64)
        if self.scale == "nominal" or self.numbers is None:
            return self.nominal
        if self.scale == "ordinal":
            return Distance("ranks", places)
        return Distance("quadratic" if self.scale == "interval" else "ratio", self.numbers)

    @property
    def ordered(self) -> Labels:
        """The labels, declared ordinal where the caller says so, as Phi wants them."""
        kind = "ordinal" if self.scale == "ordinal" else self.labels.scale.kind
        return replace(self.labels, scale=replace(self.labels.scale, kind=kind))

    @property
    def sorted_words(self) -> bool:
        """Whether labels are words that only the alphabet may have put in order."""
        names = list(self.labels.scale.labels)
        words = any(number_of(name) is None for name in names)
        undeclared = self.labels.scale.kind == "nominal"
        return undeclared and words and len(names) > 2 and names == sorted(names)

    @property
    def stray_words(self) -> list[str]:
        """Labels that are no numbers, where more than two others are."""
        names = self.labels.scale.labels
        words = [name for name in names if number_of(name) is None]
        return words if len(names) - len(words) > 2 else []

    @property
    def stray_ends(self) -> list[str]:
        """Labels that hardly anybody gave, without which a scale of numbers is half as wide."""
        if not self.measured or self.numbers is None:
            return []
        given = np.bincount(self.labels.label, minlength=len(self.numbers))
        up_to = np.cumsum(given)
        few = HARDLY * up_to[-1]
        stray = (up_to <= few) | (up_to[-1] - up_to + given <= few)
        kept = self.numbers[~stray]
        if 2 * (kept[-1] - kept[0]) > self.numbers[-1] - self.numbers[0]:
            return []
        return [self.labels.scale.labels[place] for place in np.flatnonzero(stray)]

    @cached_property
    def pairs_of_ratings(self) -> int:
        """Pairs of ratings of the same item."""
        p = self.patterns
        return int((p.multiplicity * p.ratings * (p.ratings - 1) / 2).sum())


def check_labels(labels: object) -> Labels:
    """Refuse what is no ratings."""
    if not isinstance(labels, Labels):
        raise OptionError(
            f"agreement needs Labels, not {type(labels).__name__}: read a file or a frame with "
            "headcount.read_ratings."
        )
    if not len(labels):
        raise DataError(f"{labels.source}: no ratings.")
    return labels


def set_up(labels: object, scale: str | None) -> Setting:
    """Check the labels, find the kind of scale, and put numeric labels in ascending order."""
    labels = _rated(check_labels(labels))
    read = [number_of(label) for label in labels.scale.labels]
    numbers = np.array([np.nan if x is None else x for x in read])
    numeric = not np.isnan(numbers).any()
    kind, guessed = _kind(labels, scale, numeric)
    if kind in ("interval", "ratio"):
        if not numeric:
            text = next(t for t, x in zip(labels.scale.labels, read, strict=True) if x is None)
            raise OptionError(
                f"scale '{kind}' (--scale) needs labels that are numbers; '{text}' is none. Use "
                "nominal or ordinal."
            )
        if kind == "ratio" and numbers.min() < 0:
            raise OptionError(
                f"scale 'ratio' (--scale) needs numbers from 0 on, not {numbers.min():g}. Use "
                "interval."
            )
        order = np.argsort(numbers, kind="stable")
        if (np.diff(order) != 1).any():  # declared in another order
            place = np.empty(len(order), dtype=np.int64)
            place[order] = np.arange(len(order))
            ascending: list[int] = order.tolist()
            names = tuple(labels.scale.labels[i] for i in ascending)
            labels = replace(
                labels, label=place[labels.label], scale=Scale(names, labels.scale.kind)
            )
        return Setting(labels, kind, numbers[order], True, guessed)
    # Two labels are the same distance apart whatever numbers stand for them.
    two = len(labels.scale) <= 2
    places = np.arange(len(labels.scale), dtype=np.float64)
    return Setting(labels, kind, places if two or kind == "ordinal" else None, two, guessed)


def _rated(labels: Labels) -> Labels:
    """Leave out items without a rating, so that items and weights of items run in step."""
    rated = np.bincount(labels.item, minlength=len(labels.items)) > 0
    if rated.all():
        return labels
    place = np.cumsum(rated) - 1
    return replace(labels, items=labels.items[rated], item=place[labels.item])


def _kind(labels: Labels, scale: str | None, numeric: bool) -> tuple[ScaleKind, bool]:
    if scale is not None:
        for kind in SCALES:
            if kind == scale:
                return kind, False
        raise unknown_name("scale", str(scale), SCALES)
    if labels.scale.kind != "nominal":
        return labels.scale.kind, False
    if numeric and len(labels.scale) > 2:
        return "interval", True
    return "nominal", False
