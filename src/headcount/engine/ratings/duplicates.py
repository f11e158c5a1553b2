"""Whether a rater labels an item twice, found exactly and without sorting all ratings."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.engine.sources.relation import Relation
from headcount.errors import DataError, count, option

__all__ = ["Doubts", "check_duplicates"]

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
    rows : str or None
        SELECT of the ratings among which some may repeat; None if none can.
    """

    relation: Relation
    odd: bool
    rows: str | None

    def refuse(self) -> None:
        """Raise an error if a rater labels an item twice, which the exact groups tell."""
        if self.rows is not None:
            _refuse(self.relation, self.rows)


def check_duplicates(
    relation: Relation, every: str, *, texts: bool, anonymous: bool = False
) -> Doubts:
    """Find items of which a rater may have given two ratings, and ids that must be tidied.

    Of each item the number of ratings is kept, and bits: one for a hash of each rater. If as many
    bits are set as there are ratings, all raters differ. Items of which no set of bits says so are
    grouped by rater, which is exact. O(ratings), and a group a doubtful rating.

    Parameters
    ----------
    relation : Relation
    every : str
        SELECT of item, rater and label.
    texts : bool
        Whether items are texts that may have to be tidied.
    anonymous : bool
        Whether nobody knows the raters, so that none can repeat.
    """
    engine = relation.engine
    odd = f"CASE WHEN {relation.is_odd('item')} THEN 1 ELSE 0 END" if texts else "0"
    if anonymous:
        found = engine.one(
            f"SELECT coalesce(max({odd}), 0) AS odd FROM (SELECT item FROM ({every}) AS every "
            "GROUP BY item) AS items"
        )
        return Doubts(relation, bool(found["odd"]), None)
    masked = ", ".join(f"{_mask(relation, h)} AS m{h}" for h in range(MASKS))
    hashed = f"CASE WHEN label IS NOT NULL THEN {engine.dialect.hash.format('rater')} END AS h"
    counted = (
        f"SELECT item, count(h) AS n, {masked} FROM (SELECT item, {hashed} FROM ({every}) AS "
        "every) AS hashed GROUP BY item"
    )
    differ = " OR ".join(f"bit_count(m{h}) = n" for h in range(MASKS))
    some = engine.keep(
        "doubtful",
        f"SELECT item, odd, n FROM (SELECT item, n, {odd} AS odd, CASE WHEN n > 1 AND NOT "
        f"({differ}) THEN 1 ELSE 0 END AS doubtful FROM ({counted}) AS counted) AS seen WHERE odd "
        "= 1 OR doubtful = 1",
    )
    found = engine.one(
        f"SELECT count(*) AS items, coalesce(max(odd), 0) AS odd, coalesce(sum(n), 0) AS ratings "
        f"FROM {some}"
    )
    if not int(found["items"]):
        return Doubts(relation, odd=False, rows=None)
    rows = f"SELECT * FROM ({every}) AS every WHERE item IN (SELECT item FROM {some})"
    return Doubts(relation, bool(found["odd"]), rows)


def _mask(relation: Relation, h: int) -> str:
    """Write the SQL of bits of the raters of an item: one a rating, by other bits of its hash."""
    dialect = relation.engine.dialect
    place = f"{dialect.right.format('h', 15 * h)} % 63"
    bit = dialect.bit.format(f"CAST({place} AS INTEGER)")
    return f"coalesce(bit_or({bit}), 0)"


def _refuse(relation: Relation, rows: str) -> None:
    """Raise an error if there are repeated ratings."""
    repeated = (
        f"SELECT item, rater, count(*) AS n FROM ({rows}) AS doubtful WHERE label IS NOT NULL "
        "GROUP BY item, rater HAVING count(*) > 1"
    )
    found = relation.engine.fetch(
        "SELECT item, rater, n, sum(n - 1) OVER () AS number FROM "
        f"({repeated}) AS repeated ORDER BY item, rater LIMIT 1"
    )
    if not len(found["n"]):
        return
    number = int(found["number"][0])
    verb = "repeats" if number == 1 else "repeat"
    raise DataError(
        f"{relation.source}: {count(number, 'rating')} {verb} an item and rater already seen; one "
        f"of them: rater '{found['rater'][0]}' labels item '{found['item'][0]}' "
        f"{int(found['n'][0]):,} times. Remove them, or read the data into memory to keep the "
        f"first of each ({option('engine', 'memory')} with {option('duplicates', 'first')}). If "
        f"there are several questions or rounds, read one of them ({option('where', ...)})."
    )
