"""The scale that labels are on, from the caller's door."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar, get_args

from headcount import options
from headcount.data.labels import Labels
from headcount.data.scale import Kind
from headcount.data.vocabulary import number_of
from headcount.engine.reductions.cells import AnyRatings, RatedCells
from headcount.equivalence.scorers.base import Scorer
from headcount.equivalence.scorers.rps import RankedProbability
from headcount.errors import OptionError, option, some
from headcount.results.notes import Notes

__all__ = ["are_numbers", "check_scorer", "is_ordered", "note_scorer", "on_scale"]

Rated = TypeVar("Rated", bound=Labels | RatedCells)


def on_scale(labels: Rated, scale: str | None) -> Rated:
    """Put labels on the scale that a caller names; as they were read if none is named."""
    if scale is None:
        return labels
    kind = options.one_of(scale, "scale", get_args(Kind), "scale")
    if kind == "interval" and not are_numbers(labels):
        raise OptionError(
            f"{option('scale', kind)} needs labels that are numbers, not "
            f"{some(labels.scale.labels, 10)}. Say {option('scale', 'ordinal')} if they have an "
            "order."
        )
    names, notes = list(labels.scale.labels), Notes(labels.notes)
    if (
        kind == "ordinal"
        and labels.scale.kind != "ordinal"
        and not are_numbers(labels)
        and len(names) > 2
        and names == sorted(names)
    ):
        notes.caution(
            f"the order of labels is that of the alphabet: {', '.join(names)}. List them from "
            f"lowest to highest if that is wrong ({option('labels', ...)})."
        )
    return replace(labels, scale=replace(labels.scale, kind=kind), notes=tuple(notes))


def check_scorer(scorer: Scorer, scale: str | None) -> None:
    """Refuse a scorer of numbers or ranks where a caller says that labels are only names."""
    if scale == "nominal" and getattr(scorer, "needs_numbers", False):
        raise OptionError(
            f"scorer '{scorer.name}' takes labels for numbers or ranks, and "
            f"{option('scale', 'nominal')} says that they are names. Choose another scorer, or "
            f"{option('scale', 'ordinal')} or {option('scale', 'interval')}."
        )


def are_numbers(labels: AnyRatings) -> bool:
    """Whether all labels are numbers."""
    return all(number_of(label) is not None for label in labels.scale.labels)


def is_ordered(labels: AnyRatings, *, declared: bool) -> bool:
    """Whether labels are in order or numbers; if nobody said so, numbers are taken for numbers."""
    if declared:
        return labels.scale.kind != "nominal"
    return labels.scale.kind != "nominal" or are_numbers(labels)


def note_scorer(scorer: Scorer, labels: AnyRatings, *, declared: bool, notes: Notes) -> None:
    """Say which scorer credits near misses, where labels have an order and this one does not."""
    if is_ordered(labels, declared=declared) and len(labels.scale) > 2 and scorer.in_bits:
        notes.info(
            f"{scorer.name} looks at the probability of each label by itself, although labels are "
            f"{'in order' if labels.scale.kind == 'ordinal' else 'numbers'}; "
            f"{option('scorer', RankedProbability.name)} credits near misses."
        )
