"""Comparisons for Bradley-Terry: equal answers, counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.engine.engines.memory import BYTES_A_RATING
from headcount.engine.scans.comparisons import ComparisonsScan
from headcount.engine.sources.opening import Given, open_relations
from headcount.engine.sources.relation import Relation
from headcount.engine.sources.where import condition_of
from headcount.errors import DataError, NotReducedError, option
from headcount.io.comparisons.comparisons import find_columns, read_counted
from headcount.io.comparisons.copies import COMMON, LEAST_ROWS, said_of_copies
from headcount.io.tables.counted import CountedTable
from headcount.io.tables.table import kept_columns
from headcount.results.notes import Note, Notes

__all__ = ["MOST_CELLS", "count_comparisons"]

MOST_CELLS = 10_000_000
"""Different answers that may come back: of two items, an outcome, and a rater."""


def count_comparisons(
    scan: ComparisonsScan,
    *,
    clusters: Sequence[str] = (),
    controls: Sequence[str] = (),
    raters: bool = True,
) -> Comparisons:
    """Count equal answers in the database.

    Answers are equal that have the same items, outcome, rater, weight and clusters, as they are
    written; what that means is read from the counts, as from rows. Where all answers fit into
    memory, they are written out again.

    Parameters
    ----------
    scan : ComparisonsScan
    clusters, controls : sequence of str
        Columns to keep, as for :func:`headcount.read_comparisons`.
    raters : bool
        Whether raters must be told apart; else they are only while the counts are few enough.
    """
    try:
        (relation,) = open_relations([Given(scan.data, scan.name)], scan.choice)
        try:
            return _counted(relation, scan, clusters=clusters, controls=controls, raters=raters)
        finally:
            relation.engine.close()
    except NotReducedError:
        if not scan.note:  # an engine was asked for
            raise
        return scan.read(clusters=clusters, controls=controls)


def _counted(
    relation: Relation,
    scan: ComparisonsScan,
    *,
    clusters: Sequence[str],
    controls: Sequence[str],
    raters: bool,
) -> Comparisons:
    places = kept_columns(relation.names, scan.reading.ignore, relation.source)
    relation = replace(relation, columns=[relation.columns[place] for place in places])
    condition, left_out = condition_of(relation, scan.reading.where)
    shown = relation.first_rows(condition)
    layout, _, roles = find_columns(shown, scan.given)
    if layout.is_ranking:
        raise NotReducedError(
            f"{relation.source} holds rankings, which are read into memory only "
            f"({option('engine', 'memory')})."
        )
    beside = [part.strip() for name in controls for part in name.split(":")]
    names = [relation.names[place] for place in roles.values()]
    names = list(dict.fromkeys([*names, *clusters, *beside]))
    reading = replace(scan.reading, where=())
    rows = _Rows(relation, condition, left_out)
    who = relation.names[roles["rater"]] if "rater" in roles else None
    extra = list[Note]()
    try:
        table = rows.grouped(names, _advice(who))
    except DataError:
        if who is None or raters or who in (*clusters, *beside):
            raise
        table = rows.grouped([name for name in names if name != who], _advice(None))
        extra.append(
            Note(
                f"{relation.source}: raters and pairs are too many to tell answers of the same "
                "rater from others.",
                "caution",
            )
        )
    extra += _note_copies(rows, names)
    made = read_counted(
        table, scan.given, reading, clusters=clusters, controls=controls, notes=extra
    )
    said = Notes(made.notes)
    said.info(scan.note or f"{relation.engine.title} counted {relation.source} where it is.")
    made = replace(made, notes=tuple(said))
    if len(made) * BYTES_A_RATING <= scan.choice.memory and made.times is not None:
        order = np.repeat(np.arange(len(made.times)), made.times)
        return replace(made, times=None).select(order)
    return made


def _advice(who: str | None) -> str:
    if who is None:
        return "Leave out items that were compared once or twice, or give some rows only."
    none = option("cluster", "none")
    return f"If answers of the same rater need not be told from others, say {none}."


class _Rows:
    """Rows of a relation that are read."""

    def __init__(self, relation: Relation, condition: str, dropped: dict[str, int]) -> None:
        self.relation, self.condition, self.dropped = relation, condition, dropped

    def grouped(self, names: Sequence[str], advice: str) -> CountedTable:
        """Count rows that are equal in some columns; values come back once, as codes else."""
        relation, engine = self.relation, self.relation.engine
        columns = [relation.column(name, "comparison") for name in names]
        values = [f"{relation.text(column)} AS v{i}" for i, column in enumerate(columns)]
        keys = ", ".join(f"v{i}" for i in range(len(columns)))
        cells = engine.keep(
            "answers",
            f"SELECT {keys}, count(*) AS n FROM (SELECT {', '.join(values)} FROM {relation.sql} "
            f"WHERE {self.condition}) AS said GROUP BY {keys}",
        )
        counted = int(engine.one(f"SELECT count(*) AS n FROM {cells}")["n"])
        if counted > MOST_CELLS:
            raise DataError(
                f"{relation.source}: {counted:,} different answers (items, outcome and what else "
                f"tells them apart), and {engine.title} may give back {MOST_CELLS:,}. {advice}"
            )
        listed: list[list[object]] = []
        joined = list[str]()
        for i in range(len(columns)):
            known, texts = self._values(cells, i)
            listed.append(texts)
            joined.append(f"LEFT JOIN {known} ON answers.v{i} = known_{i}.v")
        codes = ", ".join(f"coalesce(known_{i}.place, -1) AS c{i}" for i in range(len(columns)))
        found = engine.rows(
            f"SELECT {codes}, answers.n AS n FROM {cells} {' '.join(joined)}",
            what=f"different answers in {relation.source}",
            most=MOST_CELLS,
            advice=advice,
        )
        coded = [found[f"c{i}"].astype(np.int64) for i in range(len(columns))]
        order = np.lexsort(coded[::-1])  # engines give rows in any order
        return CountedTable(
            [(code[order], texts) for code, texts in zip(coded, listed, strict=True)],
            names,
            found["n"][order].astype(np.int64),
            source=relation.source,
            sources=relation.sources,
            notes=relation.notes,
            dropped=self.dropped,
            backend=relation.backend,
        )

    def _values(self, cells: str, i: int) -> tuple[str, list[object]]:
        """List the values of a column in order."""
        engine = self.relation.engine
        known = engine.keep(
            f"known_{i}",
            "SELECT v, row_number() OVER (ORDER BY v) - 1 AS place FROM "
            f"(SELECT DISTINCT v{i} AS v FROM {cells} WHERE v{i} IS NOT NULL) AS different",
        )
        found = engine.rows(
            f"SELECT v, place FROM {known}", what="different values", most=MOST_CELLS
        )
        return known, found["v"][np.argsort(found["place"])].tolist()

    def number(self, sql: str) -> int:
        """Find a number of rows."""
        return int(self.relation.engine.one(sql)["n"])


def _note_copies(rows: _Rows, names: Sequence[str]) -> list[Note]:
    """Warn of rows that are the same as others in every column, where there are more columns.

    A sketch of their number first; they are grouped only if it says that there are many.
    """
    relation = rows.relation
    columns = [column for column in relation.columns if column.kind != "nested"]
    if {column.name for column in columns} <= set(names):
        return []
    texts = ", '|', ".join(f"coalesce({relation.text(c)}, '')" for c in columns)
    source = f"FROM {relation.sql} WHERE {rows.condition}"
    total = rows.number(f"SELECT count(*) AS n {source}")
    about = rows.number(f"SELECT approx_count_distinct(concat({texts})) AS n {source}")
    if total < LEAST_ROWS or total - about <= COMMON / 2 * total:
        return []
    keys = ", ".join(column.sql for column in columns)
    each = rows.number(
        f"SELECT count(*) AS n FROM (SELECT 1 AS one {source} GROUP BY {keys}) AS different"
    )
    if total - each <= COMMON * total:
        return []
    return [Note(said_of_copies(relation.source, total - each, total), "warning")]
