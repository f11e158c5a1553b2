"""Votes of which neither one by one nor counted all fit: brought in parts of whole items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headcount.data.canonical import recoded, sorted_vocabulary
from headcount.data.labels import without_raters
from headcount.data.vocabulary import as_ids
from headcount.engine.engines.parts import ItemRows
from headcount.engine.ratings.rated import Rated
from headcount.engine.reductions.codes import known_names
from headcount.engine.reductions.vote_rows import memory_option
from headcount.errors import DataError, count
from headcount.typing import Codes, Ids, Progress

__all__ = ["VotePart", "VoteParts"]

BYTES_A_VOTE = 200
"""Memory that a vote of the part that is brought takes, about."""
MOST_PARTS = 1024
"""Parts in which votes are written."""


@dataclass(frozen=True, eq=False)
class VotePart:
    """Votes on some items, in the order of items, classifiers and labels.

    Parameters
    ----------
    items : (items,) array
        Names.
    start : (items + 1,) array of int
        The votes on item i are those from ``start[i]`` to ``start[i + 1]``.
    rater, label : (votes,) arrays of int
    """

    items: Ids
    start: Codes
    rater: Codes
    label: Codes


@dataclass(frozen=True, eq=False)
class VoteParts:
    """Votes in a database, to be brought a part at a time.

    Whoever takes this closes it.

    Parameters
    ----------
    rated : Rated
    memory : int
        Bytes that may be taken.
    enough : int
        Bytes that would hold all votes, for messages.
    progress : callable, optional
        Called with the number of votes that came, and the number in all.
    """

    rated: Rated
    memory: int
    enough: int
    progress: Progress | None = None

    def __post_init__(self) -> None:
        if self.rated.anonymous:
            raise without_raters(self.rated.source, "blind evaluation")

    @cached_property
    def _known(self) -> tuple[str, list[str]]:
        return known_names(self.rated, "rater", self.rated.ratings, often=True)

    @cached_property
    def _raters(self) -> tuple[Ids, Codes | None]:
        return sorted_vocabulary(self._known[1])

    @property
    def raters(self) -> Ids:
        """Names of classifiers, in their order."""
        return self._raters[0]

    def __iter__(self) -> Iterator[VotePart]:
        """Write votes as whole numbers in parts by a hash of the item, and bring one after another.

        A copy of the votes, and each part is read alone. O(votes log votes).
        """
        rated, engine = self.rated, self.rated.engine
        n_labels, place = len(rated.scale), self._raters[1]
        coded = (
            f"SELECT ratings.item AS item, CAST(known_rater.place AS BIGINT) * {n_labels} + "
            f"ratings.label AS vote FROM ({rated.ratings}) AS ratings JOIN {self._known[0]} ON "
            "ratings.rater = known_rater.rater"
        )
        rows = ItemRows(engine, "coded_votes", coded, rated.n_ratings)
        number = -(-rated.n_ratings * BYTES_A_VOTE // self.memory)
        if number > MOST_PARTS:
            needed = memory_option(rated.n_ratings * BYTES_A_VOTE // MOST_PARTS)
            raise DataError(
                f"{rated.source}: {count(rated.n_ratings, 'vote')} are too many to be brought in "
                f"parts. Allow more memory ({needed})."
            )
        rows.divide(number)
        key = engine.dialect.hash.format(engine.dialect.text.format("item"))
        found = 0
        for where in rows.conditions:
            part = f"({rows.sql}) AS coded WHERE {where}"
            votes = engine.fetch(f"SELECT {key} AS item, vote FROM {part} ORDER BY item, vote")
            names = engine.fetch(f"SELECT {key} AS place, item FROM {part} GROUP BY item")
            item, vote = votes["item"], votes["vote"]
            found += len(item)
            if self.progress is not None:
                self.progress(found, rated.n_ratings)
            if not len(item):
                continue
            first = np.flatnonzero(np.append(True, item[1:] != item[:-1]))
            order = np.argsort(names["place"])
            if not np.array_equal(names["place"][order], item[first]):
                raise DataError(
                    f"{rated.source}: two items have the same hash. Allow more or less memory, so "
                    "that they come in other parts."
                )
            rater, label = np.divmod(vote.astype(np.int64), n_labels)
            yield VotePart(
                as_ids([str(one) for one in names["item"][order].tolist()]),
                np.append(first, len(item)),
                recoded(rater, place),
                label,
            )
        if found != rated.n_ratings:
            raise DataError(
                f"{rated.source}: {engine.title} reads names of classifiers differently when it "
                "brings votes."
            )

    def close(self) -> None:
        """Give back what the database holds."""
        self.rated.engine.close()
