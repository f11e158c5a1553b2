"""Facts beside the data: of items, raters or classifiers, and distances of labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from headcount.data.vocabulary import find_labels
from headcount.errors import DataError, count, option, some
from headcount.results.notes import Note, Notes, Source
from headcount.typing import Codes, Floats, Ids

__all__ = [
    "Facts",
    "Clusters",
    "note_nesting",
    "Distances",
]


# What is known about items, raters or classifiers: one thing of each.

Value = TypeVar("Value")


class Facts(Mapping[str, Value]):
    """An immutable mapping from names to values, with its source.

    Read one with :func:`headcount.read_truth` (item to label), :func:`headcount.read_gold` (item to
    number), or a reader of :mod:`headcount.io.facts`: of groups or anchors. It can be used
    like a dict.

    Parameters
    ----------
    values : mapping of str
        One value per name.
    source : str
        Where they come from, for messages.
    notes : iterable of str
        How they were read, and what was left out.
    sources : iterable of Source
        Files behind them.
    drawn : mapping of str to float, optional
        The probability with which each item was drawn; empty if unknown.

    Examples
    --------
    >>> gold = Facts({"a": 1.0, "b": 2.5}, source="gold.csv")
    >>> gold["a"], len(gold), gold == {"b": 2.5, "a": 1.0}
    (1.0, 2, True)
    >>> gold
    {'a': 1.0, 'b': 2.5}
    """

    __slots__ = ("_values", "drawn", "notes", "source", "sources")

    _values: dict[str, Value]
    source: str
    notes: tuple[Note, ...]
    sources: tuple[Source, ...]
    drawn: Mapping[str, float]

    def __init__(
        self,
        values: Mapping[str, Value],
        *,
        source: str = "facts",
        notes: Iterable[str] = (),
        sources: Iterable[Source] = (),
        drawn: Mapping[str, float] | None = None,
    ) -> None:
        object.__setattr__(self, "_values", dict(values))
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "notes", tuple(Notes(notes)))
        object.__setattr__(self, "sources", tuple(sources))
        object.__setattr__(self, "drawn", dict(drawn or {}))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"facts do not change: cannot set '{name}'")

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

    def __reduce__(self) -> tuple[object, ...]:
        about = {name: getattr(self, name) for name in ("source", "notes", "sources", "drawn")}
        return partial(Facts[Value], **about), (self._values,)


# Items that are not independent: those of a document, a conversation, a prompt.

FEW_CLUSTERS = 20
"""Clusters below which intervals are approximate; docs/studies/survey.md."""
LEAST_CLUSTERS = 5
"""Clusters below which there are no intervals."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """The cluster of each item, such as its document: items of one are not independent.

    Clusters travel beside the data, by the name of the item, and become numbers where items are
    chosen.

    Parameters
    ----------
    of : mapping of str to str
        The cluster of each item.
    words : str
        What they were made of, for messages.

    Examples
    --------
    >>> clusters = Clusters({"a1": "a", "b1": "b", "a2": "a"}, "column 'doc'")
    >>> clusters.codes(np.array(["a1", "a2", "b1", "c"], dtype=object))
    array([0, 0, 1, 2])
    """

    of: Mapping[str, str]
    words: str

    def codes(self, items: Ids) -> Codes:
        """Give each item the number of its cluster; one without has its own. O(items)."""
        numbers: dict[tuple[bool, str], int] = {}
        out = np.empty(len(items), dtype=np.int64)
        for index, item in enumerate(items.tolist()):
            name = str(item)
            key = (True, self.of[name]) if name in self.of else (False, name)
            out[index] = numbers.setdefault(key, len(numbers))
        return out

    def few(self, items: Ids) -> bool:
        """Whether items are in so few clusters that there are no intervals."""
        return int(self.codes(items).max(initial=-1)) + 1 < LEAST_CLUSTERS

    def note(self, items: Ids, notes: Notes) -> None:
        """Say how many clusters the items used are in, and what few of them mean."""
        codes = self.codes(items)
        number = int(codes.max(initial=-1)) + 1
        alone = sum(str(item) not in self.of for item in items.tolist())
        text = f"items are in {count(number, 'cluster')} ({self.words}), which are resampled whole"
        if alone:
            verb = "has none and is one by itself" if alone == 1 else "have none: each is one"
            text = f"{text}; {count(alone, 'item')} {verb}"
        if number < LEAST_CLUSTERS:
            notes.warning(f"{text}; so few tell nothing of others, and there are no intervals.")
        elif number < FEW_CLUSTERS:
            notes.caution(f"{text}; below {FEW_CLUSTERS} clusters intervals are approximate.")
        else:
            notes.info(f"{text}.")


def note_nesting(items: Ids, column: str | None, notes: Notes) -> None:
    """Warn where items seem to be parts of documents, by a column or by their ids.

    Of ids: what stands before their last separator is the same for two items or more on average,
    in at least `LEAST_CLUSTERS` groups none of which holds half of the items.
    """
    if column is not None:
        text, how = f"items seem to be parts of a '{column}'", option("cluster", column)
    else:
        nested = nested_ids(items)
        if nested is None:
            return
        pattern, number = nested
        text = f"items seem to be parts of {number:,} documents, by their ids"
        how = option("cluster_pattern", pattern)
    notes.caution(
        f"{text}; if so, they are not independent, and intervals are too narrow: say {how}."
    )


def nested_ids(items: Ids) -> tuple[str, int] | None:
    """Find a pattern of ids that several items have in common, and how many groups it makes.

    Examples
    --------
    >>> ids = [f"d{document}_s{sentence}" for document in range(6) for sentence in range(3)]
    >>> nested_ids(np.array(ids, dtype=object))
    ('^(.+)_', 6)
    >>> nested_ids(np.array([f"item_{number}" for number in range(18)], dtype=object))
    """
    names = [str(item) for item in items.tolist()]
    for separator in ("__", "_", "-", "/", ":", "#", "|", "."):
        if not all(name.rfind(separator) > 0 for name in names):
            continue
        heads = Counter(name.rpartition(separator)[0] for name in names)
        several = LEAST_CLUSTERS <= len(heads) <= len(names) / 2
        if several and 2 * max(heads.values()) <= len(names):
            return f"^(.+){re.escape(separator)}", len(heads)
    return None


# How far apart labels are, as somebody says.


@dataclass(frozen=True, eq=False)
class Distances:
    """A distance of every two labels.

    Parameters
    ----------
    labels : tuple of str
    table : (labels, labels) array
        Symmetric, not negative, 0 on the diagonal.
    source : str
        Where they come from, for messages.
    sources : tuple of Source
        Files that they were read from.

    Examples
    --------
    >>> Distances(("no", "maybe", "yes"), np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]))
    Distances of 3 labels: no, maybe, yes
    """

    labels: tuple[str, ...]
    table: Floats
    source: str = "distance"
    sources: tuple[Source, ...] = ()

    def of(self, labels: Sequence[str], source: str) -> Floats:
        """Give those of some labels, over the largest of all: (labels, labels).

        `source` is where the labels come from.
        """
        code = find_labels(labels, self.labels)
        if (code < 0).any():
            absent = [name for name, row in zip(labels, code.tolist(), strict=True) if row < 0]
            raise DataError(
                f"{self.source}: no distance of {some(absent)}, which {source} has as a label. It "
                f"has those of {some(self.labels, 8)}. Add a row and a column for each."
            )
        largest = float(self.table.max(initial=0.0))
        if not largest:
            raise DataError(f"{self.source}: every distance is 0. Labels that differ need some.")
        return self.table[np.ix_(code, code)] / largest

    def __repr__(self) -> str:
        return f"Distances of {len(self.labels)} labels: {', '.join(self.labels)}"
