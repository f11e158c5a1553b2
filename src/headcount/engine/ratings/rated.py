"""Ratings that are reduced where they are: columns, labels, who rated, what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from headcount.data.scale import Scale
from headcount.engine.engines.base import Engine
from headcount.engine.engines.parts import ALL, ItemRows, together
from headcount.engine.sources.relation import Relation
from headcount.results.notes import Note
from headcount.results.provenance import Source

__all__ = ["Rated"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Rated:
    """Ratings in a database, with all that is known of them before they are reduced.

    Parameters
    ----------
    relation : Relation
    rows : ItemRows
        Item, rater and label code of every row with an item; the label is null where there is
        none, or no rater.
    scale : Scale
        The labels; codes are places in it.
    long : bool
        Whether a row is a rating; else a row is an item, and a column a rater.
    item_texts : bool
        Whether items are text; else they are whole numbers.
    n_ratings : int
    n_raters : int or None
        None if nobody knows them.
    most : (str, int) or None
        The rater with most ratings, and how many.
    notes, dropped
        As those of :class:`~headcount.data.labels.Labels`.
    """

    relation: Relation
    rows: ItemRows
    scale: Scale
    long: bool
    item_texts: bool
    n_ratings: int
    n_raters: int | None
    most: tuple[str, int] | None = None
    notes: tuple[Note, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=Counter[str])

    @property
    def engine(self) -> Engine:
        """What reduces them."""
        return self.relation.engine

    @property
    def every(self) -> str:
        """Write the SELECT of item, rater and label code of every row with an item."""
        return self.rows.sql

    @property
    def source(self) -> str:
        """What messages call them."""
        return self.relation.source

    @property
    def sources(self) -> tuple[Source, ...]:
        """Files behind them."""
        return self.relation.sources

    @property
    def backend(self) -> str | None:
        """Kind of frame they came from."""
        return self.relation.backend

    @property
    def anonymous(self) -> bool:
        """Whether nobody knows who gave which rating."""
        return self.n_raters is None

    @cached_property
    def n_items(self) -> int:
        """Items, those without a rating included."""

        def counted(where: str) -> str:
            items = f"SELECT item FROM ({self.every}) AS every WHERE {where} GROUP BY item"
            return f"SELECT count(*) AS n FROM ({items}) AS items"

        found = self.rows.within_memory(
            lambda: self.engine.fetch(together(self.rows.grouped("number_of_items", counted)))
        )
        return int(found["n"].sum())

    @property
    def ratings(self) -> str:
        """Write the SELECT of item, rater and label code of every rating."""
        return f"SELECT item, rater, label FROM ({self.every}) AS every WHERE label IS NOT NULL"

    def counts(self, extra: Sequence[str] = (), where: str = ALL) -> str:
        """Write the SELECT of the label counts of each item, n0, n1, ...; those without too."""
        counts = [
            f"count(CASE WHEN label = {code} THEN 1 END) AS n{code}"
            for code in range(len(self.scale))
        ]
        columns = ", ".join(["item", *counts, *extra])
        return f"SELECT {columns} FROM ({self.every}) AS every WHERE {where} GROUP BY item"
