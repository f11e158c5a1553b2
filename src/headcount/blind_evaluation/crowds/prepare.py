"""Crowds that are too large to look at every two classifiers: when they are, and their blocks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.blind_evaluation.blocks import Blocks
from headcount.blind_evaluation.crowds.crowd import Crowd, StoredVotes, crowd_blocks
from headcount.blind_evaluation.votes import Votes
from headcount.data.labels import Labels
from headcount.engine.ratings.duplicates import repeats
from headcount.engine.reductions.vote_parts import VoteParts
from headcount.engine.reductions.vote_rows import FEWEST, memory_option
from headcount.errors import DataError, count
from headcount.results.notes import Notes
from headcount.typing import Codes, Floats

__all__ = ["about_parts", "is_crowd", "store_parts", "take_crowd"]

MOST_PAIRED = 3000
"""Classifiers times labels up to which tables of every two are made, which take a gigabyte."""
FEW = 100
"""Classifiers up to which it is the labels that are too many."""
BYTES_A_CELL, BYTES_A_CLASSIFIER = 120, 4000
"""Memory of a cell of the classifiers' confusion matrices while models are fitted, and of what is
found of a classifier."""


def is_crowd(labels: Labels) -> bool:
    """Whether there are too many classifiers to look at every two of them."""
    size = len(labels.raters)
    return size >= FEWEST and size * len(labels.scale) > MOST_PAIRED


def _too_many(labels: Labels) -> str:
    size = count(len(labels.raters), "classifier")
    if len(labels.raters) > FEW:
        return f"{size} are too many to compare every two"
    return f"{size} with {count(len(labels.scale), 'label')} are too many to compare every two"


def _instead(labels: Labels) -> str:
    do = "evaluate some of the classifiers alone"
    if len(labels.raters) <= FEW:
        do = "put labels into fewer groups"
    return f"To have them looked for, {do}."


def take_crowd(labels: Labels, votes: Votes, people: str) -> Crowd:
    """Take votes of very many classifiers in memory; `people` is what their gold is called."""
    return Crowd(
        about=labels,
        blocks=crowd_blocks(votes),
        classifiers=votes.classifiers,
        labelled=votes.labelled,
        items=votes.items,
        items_without=labels.n_items - votes.items,
        why=_too_many(labels),
        instead=_instead(labels),
        people=people,
        votes=votes,
    )


def about_parts(parts: VoteParts) -> Labels:
    """Describe votes that come in parts, without any vote."""
    rated, nothing = parts.rated, np.empty(0, dtype=np.int64)
    return Labels(
        items=nothing,
        raters=parts.raters,
        scale=rated.scale,
        item=nothing,
        rater=nothing,
        label=nothing,
        source=rated.source,
        notes=rated.notes,
        sources=rated.sources,
        dropped=rated.dropped,
        backend=rated.backend,
    )


def store_parts(
    parts: VoteParts,
    about: Labels,
    notes: Notes,
    *,
    label_code: Codes | None = None,
    known: Floats | None = None,
) -> Crowd:
    """Write votes to files, in blocks.

    Parameters
    ----------
    parts : VoteParts
    about : Labels
        What is known of them, perhaps with other labels.
    notes : Notes
    label_code : (labels of the parts,) array of int, optional
        Code of each label in `about`.
    known : (classifiers, given labels, true labels) array, optional
        Labels that classifiers gave before.
    """
    names = tuple(str(name) for name in about.raters)
    needed = len(names) * (len(about.scale) ** 2 * BYTES_A_CELL + BYTES_A_CLASSIFIER)
    if needed > parts.memory:
        raise DataError(
            f"{about.source}: {count(len(names), 'classifier')} and "
            f"{count(len(about.scale), 'label')} take more memory than is allowed. Allow more "
            f"({memory_option(needed)})."
        )
    nothing = np.empty(0, dtype=np.int64)
    empty = Votes(
        classifiers=names,
        labels=about.scale.labels,
        start=np.zeros(1, dtype=np.int64),
        classifier=nothing.astype(np.int32),
        label=nothing.astype(np.int32),
        multiplicity=nothing,
        gold=nothing,
        fold=nothing,
        group=np.arange(len(names)),
        groups=(),
        row_of=nothing,
        known=known,
    )
    stored = StoredVotes(empty, parts.progress)
    labelled, items, again = np.zeros(len(names), dtype=np.int64), 0, 0
    for part in parts:
        label = part.label if label_code is None else label_code[part.label]
        stored.add(part.items, part.start, part.rater, label)
        labelled += np.bincount(part.rater, minlength=len(names))
        items += len(part.items)
        same = part.rater[1:] == part.rater[:-1]
        same[part.start[1:-1] - 1] = False  # from one item to the next
        again += int(same.sum())
    if again:
        notes.info(f"{repeats(again)}; each counts as a vote of its own.")
    whole = Blocks.of(empty, np.empty(0))
    why, instead = _too_many(about), _instead(about)
    if not is_crowd(about):
        why = f"{count(parts.rated.n_ratings, 'vote')} do not fit into the memory allowed"
        instead = f"To have them looked for, allow more memory ({memory_option(parts.enough)})."
    return Crowd(
        about=about,
        blocks=replace(whole, pairs=stored, at_once=False),
        classifiers=names,
        labelled=labelled,
        items=items,
        items_without=parts.rated.n_items - items,
        why=why,
        instead=instead,
        stored=stored,
    )
