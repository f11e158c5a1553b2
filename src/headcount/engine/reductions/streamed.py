"""Items that come a part at a time: of very many, what is predicted of each need not be held."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

import numpy as np

from headcount.data.predictions import Predictions
from headcount.engine.engines.base import Rows
from headcount.engine.reductions.items import Items
from headcount.engine.reductions.patterns import MOST_PATTERNS
from headcount.engine.reductions.predicted import Predicted
from headcount.errors import DataError, option
from headcount.results.notes import Note
from headcount.typing import Ints

__all__ = ["StreamedItems", "streamed_of"]

MOST_WAYS = 10_000
"""Ways to predict up to which items of which the same is predicted are counted together."""
PART = 2**18
"""Items that come at once, about."""
EXAMPLES = 1000
"""Items, and values of a column, by which it is decided how predictions are read."""
_COUNTED = re.compile(r"\d[\d,]* items?\b")


@dataclass(frozen=True, eq=False)
class StreamedItems:
    """Ratings and predictions, some of the items at a time.

    How predictions are read is decided by examples: items that show each value of a column that has
    few of them, the smallest and the largest of others, and some more. They are read once more with
    each part, and nothing may then be read in another way.

    Parameters
    ----------
    items : Items
    predicted : Predicted
    """

    items: Items
    predicted: Predicted
    _held: dict[tuple[int, int | None], str] = field(
        default_factory=dict[tuple[int, int | None], str]
    )

    def summary(self) -> Rows:
        """Count items by label counts, where they are, and whether all classifiers predict them."""
        self.items.hold()
        listed = ", ".join(self.items.counted)
        given = f"CASE WHEN {self.predicted.given()} THEN 1 ELSE 0 END"
        return self.items.rated.engine.rows(
            f"SELECT {listed}, there, predicted, given_all, count(*) AS items FROM (SELECT "
            f"{listed}, there, predicted, {given} AS given_all FROM ({self.items.sql()}) AS items) "
            f"AS seen GROUP BY {listed}, there, predicted, given_all",
            what=f"label patterns in {self.items.rated.source}",
            most=MOST_PATTERNS,
        )

    def parts(self, least: int, total: int, seed: int | None = None) -> Iterator[Rows]:
        """Bring the items that are used: label counts, predictions, and the rank of each.

        Parameters
        ----------
        least : int
            Ratings that each has at least.
        total : int
            How many they are.
        seed : int, optional
            Of the ranks; without it there are none.
        """
        engine = self.items.rated.engine
        if (least, seed) not in self._held:
            keys = ", ".join(self.items.keys)
            if seed is None:
                place = engine.dialect.hash.format("item")
                selected = (
                    f"SELECT {keys}, {place} AS r FROM ({self.items.sql()}) AS items WHERE "
                    f"{self.items.kept(least)}"
                )
            else:
                ranked = self.items.ranked(least, seed)
                selected = f"SELECT {keys}, CAST(r AS BIGINT) AS r FROM ({ranked}) AS ranked"
            self._held[least, seed] = engine.hold(f"used_items_{len(self._held)}", selected)
        yield from engine.parts(self._held[least, seed], "r", -(-total // PART))

    @cached_property
    def examples(self) -> Rows:
        """Some items, by which it is decided how predictions are read."""
        self.items.hold()
        engine, names = self.items.rated.engine, self.predicted.names
        items = f"(SELECT * FROM ({self.items.sql()}) AS items WHERE predicted > 0) AS items"
        chosen = [
            f"SELECT item FROM {items} WHERE NOT ({self.predicted.given()}) LIMIT {EXAMPLES}",
            f"SELECT item FROM {items} WHERE {engine.dialect.hash.format('item')} % "
            f"{max(self.predicted.rows // EXAMPLES, 1)} = 0 LIMIT {EXAMPLES}",
        ]
        for name, number, different in zip(
            names, self.predicted.as_numbers, self.predicted.different, strict=True
        ):
            if different <= EXAMPLES:
                chosen.append(
                    f"SELECT min(item) AS item FROM {items} GROUP BY {name} LIMIT {2 * EXAMPLES}"
                )
                continue
            chosen.extend(
                f"SELECT min(item) AS item FROM {items} WHERE {number} = (SELECT {end}({number}) "
                f"FROM {items})"
                for end in ("min", "max")
            )
        listed = " UNION ALL ".join(f"SELECT * FROM ({one}) AS one" for one in chosen)
        return engine.rows(
            f"SELECT {', '.join(names)}, CASE WHEN {self.predicted.given()} THEN 1 ELSE 0 END AS "
            f"given_all FROM {items} WHERE item IN (SELECT item FROM ({listed}) AS chosen)",
            what="examples of predictions",
        )

    @cached_property
    def said(self) -> Predictions:
        """What is predicted of the examples."""
        number = len(self.examples["given_all"])
        read = self.predicted.read(self.examples, np.arange(number))
        given = np.all([one.predicted for one in (*read.classifiers, *read.scores)], axis=0)
        if (given != (self.examples["given_all"] > 0)).any():
            raise DataError(
                f"{self.predicted.relation.source}: what is predicted is blank in a way that "
                f"{self.items.rated.engine.title} reads differently. Read the data into memory "
                f"({option('engine', 'memory')})."
            )
        return replace(read, notes=tuple(map(_of_some, read.notes)))

    def read(self, rows: Rows) -> tuple[Predictions, Ints]:
        """Read what is predicted of some items, as examples are.

        Returns
        -------
        Predictions
            Of the examples and of these items. Its notes are those that examples did not call for.
        (items,) array of int
            Places of these items.
        """
        names, size = self.predicted.names, len(self.examples["given_all"])
        both = {name: np.concatenate([self.examples[name], rows[name]]) for name in names}
        read = self.predicted.read(both, np.arange(size + len(rows["r"])))
        if _way(read) != _way(self.said):
            raise DataError(
                f"{self.predicted.relation.source}: some of the predictions look like "
                f"{_way(self.said)}, others like {_way(read)}, so that they cannot be read a part "
                f"at a time. Put numbers into bins ({option('bins', 1000)}), or read the data into "
                f"memory ({option('engine', 'memory')})."
            )
        more = [note for note in map(_of_some, read.notes) if note not in self.said.notes]
        return replace(read, notes=tuple(more)), np.arange(size, size + len(rows["r"]))


def streamed_of(items: Items, many: int) -> StreamedItems | None:
    """Let items come a part at a time, if more than `many` are predicted in many ways.

    None otherwise, and where numbers are put into bins.
    """
    predicted = items.predicted
    if predicted is None or predicted.number is not None or predicted.rows <= many:
        return None
    if prod(predicted.different) <= MOST_WAYS:
        return None
    return StreamedItems(items, predicted)


def _of_some(note: Note) -> Note:
    """Leave out of how many items a note is: it was made of some of them."""
    words = _COUNTED.sub("some items", note.marked)
    return note if words == note.marked else Note(words, note.severity)


def _way(read: Predictions) -> str:
    """Tell how predictions were read."""
    each = [f"{one.name} ({one.kind}{', sure' * one.confident})" for one in read.classifiers]
    scores = [f"{one.name} (score)" for one in read.scores]
    return f"{', '.join([*each, *scores])} of {', '.join(read.labels) or 'no labels'}"
