"""Scales of ratings: the labels that a user names, and words that are known to be in order."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, cast

from headcount.data.scale import Scale
from headcount.data.vocabulary import find_labels
from headcount.errors import OptionError, option, some
from headcount.io.tables.table import Coded
from headcount.io.values.ladders import are_numbered, in_order
from headcount.io.values.missing import WRITTEN_MISSING
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes

__all__ = ["declared_scale", "ordered_scale", "scale_of_words"]


def declared_scale(labels: Any) -> Scale | None:
    """Check the option that names all labels."""
    if labels is None:
        return None
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Collection):
        raise OptionError(
            f"{option('labels')} must be all the labels, such as ['no', 'yes'], not {labels!r}."
        )
    return Scale(tuple(map(str, cast("Collection[Any]", labels))))


def ordered_scale(order: tuple[str, ...] | None, labels: Coded) -> Scale | None:
    """Make a scale of ordered categories, if all labels are among them."""
    if order is None or (find_labels(labels[1], order) < 0).any():
        return None
    missing = [one for one in order if one in WRITTEN_MISSING]
    return Scale(tuple(one for one in order if one not in missing), kind="ordinal")


def scale_of_words(labels: Sequence[str], source: str, notes: Notes) -> Scale | None:
    """Make a scale of labels whose words are known to be in order, and say so."""
    steps = in_order(labels)
    if steps is None:
        if are_numbered(labels):
            steps_by_number = Several(_by_number(labels))
            notes.caution(
                f"{source}: labels have numbers, such as '{steps_by_number[0]}', and are read as "
                "names without an order, which they may have. If they are steps, say "
                f"{option('scale', 'ordinal')} with {option('labels', steps_by_number)}."
            )
        return None
    notes.info(
        f"{source}: labels are taken to be in order, from '{steps[0]}' to '{steps[-1]}': "
        f"{some(steps, 12)}. If the order is another, name all labels with "
        f"{option('labels', '...')}; if there is none, say {option('scale', 'nominal')}."
    )
    return Scale(steps, kind="ordinal")


def _by_number(labels: Sequence[str]) -> list[str]:
    """Sort labels by the number in each."""
    return sorted(labels, key=lambda label: int(re.findall(r"\d+", label)[0]))
