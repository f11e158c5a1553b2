"""Votes of a crowd in blocks: parts of what memory holds, or files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from headcount.blind_evaluation.blocks import Blocks
from headcount.blind_evaluation.votes import Votes
from headcount.data.labels import Labels
from headcount.data.vocabulary import MISSING
from headcount.io.formats.scratch import Scratch
from headcount.typing import Codes, Floats, Ids, Progress

__all__ = ["Crowd", "StoredVotes", "crowd_blocks"]

_KINDS = {"length": np.uint32, "classifier": np.int32, "label": np.uint16}
_NAMES = "items"
"""Files of a block: numbers of votes of items, who gave which label, and names."""
MOST_IN_BLOCK = 2**19
"""Votes of a block with two labels; of more labels fewer, for what is made of a vote has one number
a label. Some hundred megabytes."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Crowd:
    """What classifiers said, where every two of them, or all votes, are too much to hold.

    Parameters
    ----------
    about : Labels
        All that is known of the data; without votes where these are in files.
    blocks : Blocks
    classifiers : tuple of str
    labelled : (classifiers,) array of int
        Labels that each classifier gave.
    items, items_without : int
        Items with votes, and without any.
    why : str
        Why not every two classifiers are looked at, to end a sentence with 'because'.
    instead : str
        How to have them looked at, as a sentence.
    people : str
        What labels of people are called in sentences: gold, or crowd labels.
    votes : Votes or None
        All votes, where they are in memory; with gold, if there is some.
    stored : StoredVotes or None
        The files, where they are not.
    """

    about: Labels
    blocks: Blocks
    classifiers: tuple[str, ...]
    labelled: Codes
    items: int
    items_without: int
    why: str
    instead: str
    people: str = "gold"
    votes: Votes | None = None
    stored: StoredVotes | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels."""
        return self.about.scale.labels

    @property
    def known_items(self) -> int:
        """Items that people labelled."""
        votes = self.votes
        return 0 if votes is None else int(votes.multiplicity[votes.gold >= 0].sum())

    @property
    def n_votes(self) -> int:
        """Labels in all."""
        return int(self.labelled.sum())


def crowd_blocks(votes: Votes) -> Blocks:
    """Cut votes that are in memory into blocks of whole rows."""
    whole = Blocks.of(votes, votes.multiplicity.astype(np.float64))
    parts = [_rows(votes, low, high) for low, high in _blocks(votes.start, len(votes.labels))]
    return replace(whole, pairs=[(part, part.multiplicity.astype(np.float64)) for part in parts])


def _blocks(start: Codes, n_labels: int) -> Iterator[tuple[int, int]]:
    """First row of each block, and the first after it; a block is one row at least."""
    low, rows = 0, len(start) - 1
    size = max(2 * MOST_IN_BLOCK // max(n_labels, 2), 1)
    while low < rows:
        most = int(start[low]) + size
        high = max(int(np.searchsorted(start, np.int64(most), side="right")) - 1, low + 1)
        yield low, high
        low = high


def _rows(votes: Votes, low: int, high: int) -> Votes:
    """Take some rows."""
    first, last = int(votes.start[low]), int(votes.start[high])
    return replace(
        votes,
        start=votes.start[low : high + 1] - first,
        classifier=votes.classifier[first:last],
        label=votes.label[first:last],
        multiplicity=votes.multiplicity[low:high],
        gold=votes.gold[low:high],
        fold=votes.fold[low:high],
        row_of=np.arange(high - low),
        drawn=None if votes.drawn is None else votes.drawn[low:high],
        soft=None if votes.soft is None else votes.soft[first:last],
    )


@dataclass(eq=False)
class StoredVotes:
    """Blocks of votes in a private folder, which goes when nothing needs it any more.

    A vote takes 6 bytes, an item 4 and its name.

    Parameters
    ----------
    empty : Votes
        Classifiers, labels and groups: a block without rows.
    progress : callable, optional
        Called in every pass with the number of blocks that were gone over, and the number in all.
    """

    empty: Votes
    progress: Progress | None = None
    number: int = 0
    whole_names: bool = True
    """Whether all names of items are whole numbers."""
    _scratch: Scratch = field(default_factory=Scratch)

    def add(self, items: Ids, start: Codes, classifier: Codes, label: Codes) -> None:
        """Write votes on some items, as one block or several."""
        self.whole_names &= items.dtype != object
        for low, high in _blocks(start, len(self.empty.labels)):
            first, last = int(start[low]), int(start[high])
            columns = np.diff(start[low : high + 1]), classifier[first:last], label[first:last]
            with self._scratch.filling():
                for (name, kind), values in zip(_KINDS.items(), columns, strict=True):
                    self._path(name, self.number).write_bytes(values.astype(kind).tobytes())
                names = json.dumps([str(one) for one in items[low:high].tolist()])
                self._path(_NAMES, self.number).write_text(names, encoding="utf-8")
            self.number += 1

    def items(self, block: int) -> list[Any]:
        """Names of the items of a block."""
        names: list[str] = json.loads(self._path(_NAMES, block).read_text(encoding="utf-8"))
        return [int(name) for name in names] if self.whole_names else list(names)

    def __iter__(self) -> Iterator[tuple[Votes, Floats]]:
        for block in range(self.number):
            length, classifier, label = (
                np.fromfile(self._path(name, block), dtype=kind) for name, kind in _KINDS.items()
            )
            rows = len(length)
            votes = replace(
                self.empty,
                start=np.concatenate([[0], np.cumsum(length, dtype=np.int64)]),
                classifier=classifier,
                label=label.astype(np.int32),
                multiplicity=np.ones(rows, dtype=np.int64),
                gold=np.full(rows, MISSING),
                fold=np.full(rows, MISSING),
                row_of=np.arange(rows),
            )
            yield votes, np.ones(rows)
            if self.progress is not None:
                self.progress(block + 1, self.number)

    def _path(self, name: str, block: int) -> Path:
        return self._scratch.path / f"{name}-{block}"
