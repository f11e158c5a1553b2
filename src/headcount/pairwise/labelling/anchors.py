"""Items with a known label, between which is the cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Mapping
from typing import Any, Self, cast

import numpy as np

from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import OptionError, option, unknown_name
from headcount.io.facts.item_facts import read_anchors
from headcount.io.load import take_facts
from headcount.pairwise.labelling.base import LabelRule
from headcount.typing import Codes, Floats, Ids

__all__ = ["Anchors"]

BOUNDARY, POSITIVE, NEGATIVE = SIDES = ("boundary", "positive", "negative")
"""What an anchor can be known to be."""


class Anchors(LabelRule):
    """Above or below what items with a known label say.

    The cut is the mean of items at the boundary, or half way between the means of positive and of
    negative ones.

    Parameters
    ----------
    anchors : mapping of str to (anchors,) array of int
        Positions of the boundary, positive and negative anchors.
    """

    name = "anchors"
    example = "anchors"
    unlabelled = "at the cut or in a group without the anchors it needs"

    def __init__(self, anchors: Mapping[str, Codes]) -> None:
        self.anchors = anchors

    @classmethod
    def read(cls, argument: str) -> Self:
        """Refuse: the items are needed."""
        raise OptionError(
            f"{option('label', cls.name)} needs the anchors: items with a known label, or known to "
            f"lie at the boundary ({option('anchors', ...)})."
        )

    @classmethod
    def of(cls, anchors: Any, items: Ids) -> Self:
        """Find the anchors among the items.

        Parameters
        ----------
        anchors : mapping of item to side, items, path or frame
            Without sides all items lie at the boundary.
        items : array
            All items.
        """
        sides = _sides(anchors)
        for side in sides.values():
            if side not in SIDES:
                raise unknown_name("side of an anchor", side, SIDES, option_name="anchors")
        index = match_ids(as_ids(list(sides)), items)
        for name, i in zip(sides, index, strict=True):
            if i < 0:
                names = [str(item) for item in items]
                raise unknown_name("anchor", name, names, option_name="anchors")
        side_of = np.array(list(sides.values()))
        out = {side: index[side_of == side] for side in SIDES}
        if len(out[BOUNDARY]) and len(out[BOUNDARY]) < len(sides):
            raise OptionError(
                f"{option('anchors')} lie at the boundary, or are positive and negative; give one "
                "kind or the other."
            )
        if not len(out[BOUNDARY]) and not (len(out[POSITIVE]) and len(out[NEGATIVE])):
            raise OptionError(
                f"{option('anchors')}: give at least one positive and one negative item."
            )
        return cls(out)

    @property
    def words(self) -> str:
        """What the anchors are."""
        if len(self.anchors[BOUNDARY]):
            return "the mean of the anchors at the boundary"
        return "half way between the positive and the negative anchors"

    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the mean of the anchors in the component, or the mean of their two means."""
        means = {
            side: _mean(ratings[..., index[np.isin(index, members)]])
            for side, index in self.anchors.items()
        }
        if len(self.anchors[BOUNDARY]):
            return means[BOUNDARY]
        return (means[POSITIVE] + means[NEGATIVE]) / 2


def _sides(anchors: Any) -> dict[str, str]:
    """Items with what each is known to be."""
    if isinstance(anchors, list | tuple | set | frozenset | np.ndarray | KeysView | Iterator):
        return dict.fromkeys(map(str, cast("Iterable[Any]", anchors)), BOUNDARY)
    if isinstance(anchors, Mapping):
        given = cast("Mapping[Any, Any]", anchors)
    else:
        given = take_facts(anchors, read_anchors, "anchors")
    return {str(item): str(side).strip().lower() for item, side in given.items()}


def _mean(ratings: Floats) -> Floats:
    """Mean of the finite ratings, nan without any."""
    known = ~np.isnan(ratings)
    total = np.where(known, ratings, 0.0).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return total / known.sum(axis=-1)
