"""Ratings and predictions of any size, in order, shuffled, and wide."""

from __future__ import annotations

from pathlib import Path

EACH, RATERS = 10, 1009
"""Ratings of an item, and who gave them."""
_PART = 10**6
_STEP = 61_803_399
RATINGS = (
    f"SELECT 'item' || (i // {EACH}) AS item, 'w' || (((i % {EACH}) * 7919 + (i // {EACH}) * 31) % "
    f"{RATERS}) AS rater, CASE WHEN hash(i) % 100 < hash(i // {EACH}) % 101 THEN 'yes' ELSE 'no' "
    "END AS label FROM range({0}, {1}) AS rows(i)"
)
PREDICTIONS = (
    "SELECT 'item' || i AS item, CASE WHEN hash(i) % 101 > 40 THEN 'yes' ELSE 'no' END AS judge, "
    "CASE WHEN hash(i) % 101 + hash(i + 7) % 40 > 70 THEN 'yes' ELSE 'no' END AS model FROM "
    "range({0}, {1}) AS rows(i)"
)


def write(path: Path, query: str, size: int) -> None:
    """Write rows in order, a part at a time."""
    import duckdb
    import pyarrow.parquet as pq

    connection, writer = duckdb.connect(), None
    for start in range(0, size, _PART):
        rows = connection.sql(query.format(start, min(start + _PART, size))).to_arrow_table()
        writer = writer or pq.ParquetWriter(path, rows.schema)
        writer.write_table(rows)
    if writer is not None:
        writer.close()


def shuffled(query: str, size: int) -> str:
    """Give rows in an order in which those of an item are far from each other.

    Every row once: the step has no divisor in common with a power of ten.
    """
    rows = f"(SELECT (k * {_STEP}) % {size} AS i FROM range({{0}}, {{1}}) AS t(k)) AS rows"
    return query.replace("range({0}, {1}) AS rows(i)", rows)


def write_ratings(path: Path, size: int, order: str) -> None:
    """Write ratings in order, shuffled, or as a wide CSV with a column per rater."""
    import duckdb

    if order == "wide CSV":
        said = ", ".join(
            f"CASE WHEN hash(i * {EACH} + {j}) % 100 < hash(i) % 101 THEN 'yes' ELSE 'no' END AS "
            f"r{j}"
            for j in range(EACH)
        )
        rows = f"SELECT 'item' || i AS item, {said} FROM range({size // EACH}) AS rows(i)"
        duckdb.connect().execute(f"COPY ({rows}) TO '{path}' (HEADER)")
        return
    write(path, shuffled(RATINGS, size) if order == "shuffled" else RATINGS, size)
