"""Ratings of an item by the same rater: found exactly, without sorting all ratings."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.engine.engines.parts import ALL, ItemRows, together
from headcount.engine.sources.relation import Relation
from headcount.errors import DataError, count, option

__all__ = ["Doubts", "check_duplicates", "repeats"]

MASKS = 4
"""Sets of 63 bits, each with a hash of its own, that tell most raters of an item apart."""


@dataclass(frozen=True)
class Doubts:
    """What a look at all items tells: ids that must be tidied, and items to look at again.

    Parameters
    ----------
    relation : Relation
    odd : bool
        Whether some item has blanks at its ends, or is a word for missing.
    rows : ItemRows
        Of item, rater and label.
    items : str or None
        What stands after FROM, to find items of which a rating may repeat; None if none can.
    ratings : int
        Of these items.
    """

    relation: Relation
    odd: bool
    rows: ItemRows
    items: str | None
    ratings: int = 0

    def refuse(self, *, ordered: bool) -> None:
        """Raise an error if a rater labels an item twice, which the exact groups tell.

        Parameters
        ----------
        ordered : bool
            Whether rows have an order, so that the first of each could be kept.
        """
        if self.items is None:
            return
        relation, rows = self.relation, self.rows
        if rows.number == 1:
            few = self._few(rows.sql, "item, rater")
            rows = ItemRows(relation.engine, "doubtful_ratings", few, self.ratings)
            if relation.engine.is_much(self.ratings):
                rows.divide()

        def repeated(where: str) -> str:
            few = (
                f"SELECT item, rater FROM ({rows.sql}) AS few WHERE {where}"
                if rows is not self.rows
                else self._few(rows.sql, "item, rater", where)
            )
            return f"SELECT item, rater, count(*) AS n {_groups(few)}"

        rows.within_memory(
            lambda: _refuse(relation, together(rows.grouped("repeated", repeated)), ordered=ordered)
        )

    def without_later(self, placed: str) -> tuple[str, int]:
        """Leave out all ratings of an item by the same rater but the first.

        Parameters
        ----------
        placed : str
            SELECT of item, rater, label and the place of each row.

        Returns
        -------
        every : str
            SELECT of item, rater and label.
        number : int
            Ratings that it leaves out.
        """
        if self.items is None:
            return self.rows.sql, 0
        engine = self.relation.engine
        repeated = engine.keep(
            "repeated",
            "SELECT item, rater, count(*) AS n, min(place) AS place "
            f"{_groups(self._few(placed, 'item, rater, place'))}",
        )
        found = engine.one(f"SELECT coalesce(sum(n - 1), 0) AS number FROM {repeated}")
        every = (
            "SELECT placed.item AS item, placed.rater AS rater, placed.label AS label FROM "
            f"({placed}) AS placed LEFT JOIN {repeated} ON placed.item = repeated.item AND "
            "placed.rater = repeated.rater WHERE repeated.place IS NULL OR placed.label IS NULL OR "
            "placed.place = repeated.place"
        )
        number = int(found["number"])
        return (every, number) if number else (self.rows.sql, 0)

    def _few(self, every: str, columns: str, where: str = ALL) -> str:
        """Write the SELECT of the ratings of items of which one may repeat."""
        items = (
            f"SELECT item FROM (SELECT item, {self.rows.part} AS part FROM {self.items}) AS "
            f"doubtful_items WHERE {where}"
        )
        return (
            f"SELECT {columns} FROM ({every}) AS every WHERE item IN ({items}) AND label IS NOT "
            f"NULL AND {where}"
        )


def check_duplicates(
    relation: Relation, rows: ItemRows, *, texts: bool, anonymous: bool = False
) -> Doubts:
    """Find items of which a rater may have given two ratings, and ids that must be tidied.

    Of each item the number of ratings is kept, and bits: one for a hash of each rater. If as many
    bits are set as there are ratings, all raters differ. Items of which no set of bits says so are
    grouped by rater, which is exact. O(ratings), and a group a doubtful rating.

    Parameters
    ----------
    relation : Relation
    rows : ItemRows
        Of item, rater and label.
    texts : bool
        Whether items are texts that may have to be tidied.
    anonymous : bool
        Whether nobody knows the raters, so that none can repeat.
    """
    engine = relation.engine
    odd = f"CASE WHEN {relation.is_odd('item')} THEN 1 ELSE 0 END" if texts else "0"
    if anonymous:

        def looked_at(where: str) -> str:
            items = f"SELECT item FROM ({rows.sql}) AS every WHERE {where} GROUP BY item"
            return f"SELECT coalesce(max({odd}), 0) AS odd FROM ({items}) AS items"

        found = rows.within_memory(
            lambda: engine.fetch(together(rows.grouped("looked_at", looked_at)))
        )
        return Doubts(relation, bool(found["odd"].any()), rows, None)
    masked = ", ".join(f"{_mask(relation, h)} AS m{h}" for h in range(MASKS))
    hashed = f"CASE WHEN label IS NOT NULL THEN {engine.dialect.hash.format('rater')} END AS h"
    differ = " OR ".join(f"bit_count(m{h}) = n" for h in range(MASKS))

    def doubtful(where: str) -> str:
        counted = (
            f"SELECT item, count(h) AS n, {masked} FROM (SELECT item, {hashed} FROM ({rows.sql}) "
            f"AS every WHERE {where}) AS hashed GROUP BY item"
        )
        return (
            f"SELECT item, odd, n FROM (SELECT item, n, {odd} AS odd, CASE WHEN n > 1 AND NOT "
            f"({differ}) THEN 1 ELSE 0 END AS doubtful FROM ({counted}) AS counted) AS seen WHERE "
            "odd = 1 OR doubtful = 1"
        )

    some = rows.within_memory(
        lambda: engine.keep("doubtful", together(rows.grouped("some", doubtful)))
    )
    found = engine.one(
        f"SELECT count(*) AS items, coalesce(max(odd), 0) AS odd, coalesce(sum(n), 0) AS ratings "
        f"FROM {some}"
    )
    if not int(found["items"]):
        return Doubts(relation, odd=False, rows=rows, items=None)
    return Doubts(relation, bool(found["odd"]), rows, some, int(found["ratings"]))


def _mask(relation: Relation, h: int) -> str:
    """Write the SQL of bits of the raters of an item: one a rating, by other bits of its hash."""
    dialect = relation.engine.dialect
    place = f"{dialect.right.format('h', 15 * h)} % 63"
    bit = dialect.bit.format(f"CAST({place} AS INTEGER)")
    return f"coalesce(bit_or({bit}), 0)"


def _groups(ratings: str) -> str:
    """Write what stands after SELECT, of an item and a rater with several ratings."""
    return f"FROM ({ratings}) AS ratings GROUP BY item, rater HAVING count(*) > 1"


def _refuse(relation: Relation, repeated: str, *, ordered: bool) -> None:
    """Raise an error if there are repeated ratings."""
    found = relation.engine.fetch(
        "SELECT item, rater, n, sum(n - 1) OVER () AS number FROM "
        f"({repeated}) AS repeated ORDER BY item, rater LIMIT 1"
    )
    if not len(found["n"]):
        return
    number = int(found["number"][0])
    first = option("duplicates", "first")
    keep = (
        f"keep the first of each with {first}"
        if ordered
        else f"read the data into memory to keep the first of each ({option('engine', 'memory')} "
        f"with {first})"
    )
    raise DataError(
        f"{relation.source}: {repeats(number)}; one of them: rater '{found['rater'][0]}' labels "
        f"item '{found['item'][0]}' {int(found['n'][0]):,} times. Remove them, or {keep}. If there "
        f"are several questions or rounds, read one of them ({option('where', ...)})."
    )


def repeats(number: int) -> str:
    """Say how many ratings repeat others."""
    verb = "repeats" if number == 1 else "repeat"
    return f"{count(number, 'rating')} {verb} an item and rater already seen"
