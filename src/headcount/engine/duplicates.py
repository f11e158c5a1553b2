"""Whether a rater labels an item twice, found exactly and without sorting all ratings."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.engine.relation import Relation
from headcount.errors import DataError, count, option

__all__ = ["Checked", "check_duplicates"]

MASKS = 4
"""Sets of 63 bits, each with a hash of its own, that tell most raters of an item apart."""
MOST_RATINGS = 30
"""Ratings an item, on average, above which bits no longer tell raters apart."""


@dataclass(frozen=True)
class Checked:
    """Items, those with a rating, and ratings, none of which repeats another."""

    items: int
    rated: int
    ratings: int


def check_duplicates(
    relation: Relation, every: str, *, anonymous: bool = False, one_row_an_item: bool = False
) -> Checked:
    """Count items and ratings, and refuse ratings that repeat an item and rater.

    Of each item the number of ratings is kept, and bits: one for a hash of each rater. If as many
    bits are set as there are ratings, all raters differ. Items of which no set of bits says so are
    grouped by rater, which is exact. O(ratings), and a group a doubtful rating.

    Parameters
    ----------
    relation : Relation
    every : str
        SELECT of item, rater and label.
    anonymous : bool
        Whether nobody knows the raters, so that none can repeat.
    one_row_an_item : bool
        Whether raters are columns, so that only a repeated item can repeat them.
    """
    engine = relation.engine
    # Only ratings count; items without any are items all the same.
    sizes = (
        "SELECT count(*) AS items, coalesce(sum(n), 0) AS ratings, coalesce(sum(CASE WHEN n > 0 "
        "THEN 1 ELSE 0 END), 0) AS rated"
    )
    if anonymous:
        found = engine.one(
            f"{sizes} FROM (SELECT item, count(label) AS n FROM ({every}) AS every GROUP BY item) "
            "AS counted"
        )
        return Checked(int(found["items"]), int(found["rated"]), int(found["ratings"]))
    del one_row_an_item
    masked = ", ".join(f"{_mask(relation, h)} AS m{h}" for h in range(MASKS))
    counted = f"SELECT item, count(label) AS n, {masked} FROM ({every}) AS every GROUP BY item"
    differ = " OR ".join(f"bit_count(m{h}) = n" for h in range(MASKS))
    doubtful = f"n > 1 AND NOT ({differ})"
    found = engine.one(
        f"{sizes}, coalesce(sum(CASE WHEN {doubtful} THEN 1 ELSE 0 END), 0) AS doubtful FROM "
        f"({counted}) AS counted"
    )
    checked = Checked(int(found["items"]), int(found["rated"]), int(found["ratings"]))
    if int(found["doubtful"]):
        rows = every
        if checked.ratings <= MOST_RATINGS * max(checked.rated, 1):
            some = engine.keep(
                "doubtful", f"SELECT item FROM ({counted}) AS counted WHERE {doubtful}"
            )
            rows = f"SELECT * FROM ({every}) AS every WHERE item IN (SELECT item FROM {some})"
        _refuse(relation, rows, checked)
    return checked


def _mask(relation: Relation, h: int) -> str:
    """Bits of the raters of an item, one a rating."""
    dialect = relation.engine.dialect
    salted = f"concat('{h}', {dialect.text.format('rater')})" if h else dialect.text.format("rater")
    bit = dialect.bit.format(dialect.hash.format(salted))
    return f"bit_or(CASE WHEN label IS NOT NULL THEN {bit} ELSE 0 END)"


def _refuse(relation: Relation, rows: str, checked: Checked) -> None:
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
    questions = (
        " At least half of the ratings repeat: if there are several questions or rounds, read one "
        f"of them ({option('where', ...)})."
        if 2 * number >= checked.ratings
        else ""
    )
    raise DataError(
        f"{relation.source}: {count(number, 'rating')} {verb} an item and rater already seen; one "
        f"of them: rater '{found['rater'][0]}' labels item '{found['item'][0]}' "
        f"{int(found['n'][0]):,} times. Remove them, or read the data into memory to keep the "
        f"first of each ({option('engine', 'memory')} with {option('duplicates', 'first')})."
        f"{questions}"
    )
