"""Ratings of a source, checked: which columns, which labels, which rows count, who repeats one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from headcount.engine.engines.parts import ItemRows
from headcount.engine.ratings.duplicates import check_duplicates, repeats
from headcount.engine.ratings.layout import Layout, Scanned, layout_of
from headcount.engine.ratings.rated import Rated
from headcount.engine.ratings.vocabulary import Vocabulary, label_vocabulary
from headcount.engine.reductions.patterns import patterns_of
from headcount.engine.sources.relation import Relation
from headcount.engine.sources.where import condition_of
from headcount.errors import DataError, NotReducedError, count, option
from headcount.io.findings import dominates, models_among
from headcount.io.ratings.raters_apart import MOST_RATERS, check_counts_apart
from headcount.io.reading import Reading
from headcount.io.roles.names import NO_PERSONS
from headcount.io.values.merges import merged
from headcount.io.values.zeros import check_zero_counts, may_begin_at_one
from headcount.results.notes import Note, Notes

__all__ = ["rated_of"]


def rated_of(relation: Relation, scan: Scanned, *, people: bool = True) -> Rated:
    """Find columns and labels of ratings, and check that no rater labels an item twice.

    `people` is whether raters are people, and not classifiers.
    """
    notes = Notes(relation.notes)
    relation = _kept(relation, scan.reading)
    condition, left_out = condition_of(relation, scan.reading.where)
    layout = layout_of(relation, scan, condition, notes, people=people)
    dropped: Counter[str] = Counter(left_out)
    words = label_vocabulary(layout, scan.scale, scan.reading, dropped, notes, people=people)
    rated = _checked(_Prepared(relation, layout, words), dropped, notes, scan)
    return replace(rated, notes=_people(rated, scan)) if people else rated


def _kept(relation: Relation, reading: Reading) -> Relation:
    from headcount.io.tables.table import kept_columns

    kept = kept_columns(relation.names, reading.ignore, relation.source)
    return replace(relation, columns=[relation.columns[i] for i in kept])


@dataclass(frozen=True)
class _Prepared:
    relation: Relation
    layout: Layout
    words: Vocabulary

    @property
    def ordered(self) -> bool:
        """Whether ratings have an order: that of rows, where each is one."""
        return self.relation.row is not None and not self.layout.wide

    def every(self, items: _Odd, raters: _Odd, *, place: bool = False) -> str:
        """Write the SELECT of item, rater and code of all rows with an item; their place, if asked.

        What need not be looked at is not: columns that a query does not name are not read.
        """
        layout, tidy = self.layout, self.relation.tidy
        item = tidy(layout.item) if items.odd else layout.item
        code = self.words.code(layout.label)
        rater = "NULL"
        if layout.rater is not None:
            rater = tidy(layout.rater) if raters.odd else layout.rater
            if raters.blank:
                code = f"CASE WHEN {rater} IS NOT NULL THEN {code} END"
        row = f", {self.relation.row} AS place" if place else ""
        named = f"SELECT {item} AS item, {rater} AS rater, {code} AS label{row} FROM {layout.rows}"
        return f"SELECT * FROM ({named}) AS named WHERE item IS NOT NULL" if items.blank else named

    def rows(self, every: str) -> ItemRows:
        """Take the rows of such a SELECT, in parts if there are very many of them."""
        relation = self.relation
        each = len(relation.columns) - 1 if self.layout.wide else 1
        total = each * sum(one.rows for one in relation.sources)
        rows = ItemRows(relation.engine, "ratings", every, total or None)
        rows.divide_if_shuffled()
        return rows


def _checked(made: _Prepared, dropped: Counter[str], notes: Notes, scan: Scanned) -> Rated:
    """Look at ids and repeated ratings: those as they are, and if need be, tidied."""
    relation, layout = made.relation, made.layout
    if scan.duplicates == "first" and not made.ordered:
        raise NotReducedError(
            f"{option('duplicates', 'first')}: {_why_no_order(made)}. Remove repeated ratings "
            f"first, or read the data into memory ({option('engine', 'memory')})."
        )
    raters = _Odd(0, 0)
    if layout.rater is not None and not layout.wide:
        raters = _odd(layout, layout.rater, texts=layout.rater_texts)
        if raters.truth is not None:
            raise NotReducedError(
                f"{relation.source}: '{raters.truth}' is among the raters: by the name, that is "
                "the truth, or what raters said together. Ratings in memory are read without it "
                f"({option('engine', 'memory')}); else take its rows out, or rename it if it is a "
                "rater."
            )
    items = _Odd(_nulls(layout), 0)
    rows = made.rows(made.every(items, raters))
    check = partial(check_duplicates, relation, anonymous=layout.rater is None)
    doubts = check(rows, texts=layout.texts)
    if doubts.odd:
        items = _odd(layout, layout.item, texts=layout.texts)
        rows = made.rows(made.every(items, raters))
        doubts = check(rows, texts=False)
    for role, found in (("item", items), ("rater", raters)):
        if not found.blank:
            continue
        dropped[f"no {role}"] += found.blank
        article = "an" if role == "item" else "a"
        notes.caution(
            f"{relation.source}: {count(found.blank, 'row')} without {article} {role} left out."
        )
    if scan.duplicates == "first":
        every, number = doubts.without_later(made.every(items, raters, place=True))
        if number:
            rows = made.rows(every)
            dropped["repeated"] = number
            notes.caution(f"{repeats(number)}; the first of each was kept.")
    elif scan.duplicates != "all":
        doubts.refuse(ordered=made.ordered)
    rated = Rated(
        relation=relation,
        rows=rows,
        scale=made.words.scale,
        long=not layout.wide,
        item_texts=layout.texts,
        n_ratings=0,
        n_raters=None,
        dropped=dict(dropped),
    )
    return _with_raters(rated, layout, notes, scan)


def _why_no_order(made: _Prepared) -> str:
    """Say why there is no first rating of several."""
    if made.layout.wide:
        return f"{made.relation.source} has a row an item, which is put together in memory only"
    return f"rows have no order in {made.relation.engine.title}, so that none is the first"


def _with_raters(rated: Rated, layout: Layout, notes: Notes, scan: Scanned) -> Rated:
    """Count ratings and raters, and say if one of them gave most of the ratings."""
    most: tuple[str, int] | None = None
    number: int | None = None
    found = rated.engine.fetch(
        "SELECT rater, n, count(*) OVER () AS raters, CAST(sum(n) OVER () AS BIGINT) AS ratings "
        f"FROM (SELECT rater, count(*) AS n FROM ({rated.ratings}) AS r GROUP BY rater) AS counted "
        "ORDER BY n DESC, rater LIMIT 1"
    )
    if not len(found["n"]):
        raise DataError(f"{rated.source}: no ratings; every row lacks an item, a rater or a label.")
    ratings = int(found["ratings"][0])
    if layout.rater is not None:
        number = int(found["raters"][0])
        most = (str(found["rater"][0]), int(found["n"][0]))
        notes.extend(dominates(rated.source, number, most, ratings))
    notes.info(scan.note or f"{rated.engine.title} counted {rated.source} where it is.")
    return replace(rated, n_ratings=ratings, n_raters=number, most=most, notes=tuple(notes))


def _people(rated: Rated, scan: Scanned) -> tuple[Note, ...]:
    """Look at what only people do: write labels in several ways, and 0 for 'not rated'."""
    notes = Notes(rated.notes)
    if rated.n_raters is not None and rated.n_raters <= MOST_RATERS:
        _check_raters(rated, notes, scan)
    if scan.scale is None and may_begin_at_one(rated.scale.labels):
        check_zero_counts(*patterns_of(rated), rated.scale.labels, rated.source, notes)
    return tuple(notes)


def _check_raters(rated: Rated, notes: Notes, scan: Scanned) -> None:
    """Look at the names of raters, and whether they write labels alike."""
    found = rated.engine.rows(
        f"SELECT rater, label, count(*) AS n FROM ({rated.ratings}) AS r GROUP BY rater, label",
        what="labels of raters",
    )
    names = sorted({str(name) for name in found["rater"].tolist()})
    place = {name: code for code, name in enumerate(names)}
    raters = [place[str(name)] for name in found["rater"].tolist()]
    used = np.zeros((len(names), len(rated.scale)), dtype=np.int64)
    used[raters, found["label"].astype(np.int64)] = found["n"].astype(np.int64)
    if scan.scale is None:
        check_counts_apart(used, rated.scale.labels, names, rated.source, notes)
    merged(
        (np.arange(len(names)), names), "rater", (), rated.source, notes, counts=used.sum(axis=1)
    )
    notes.extend(models_among(rated.source, np.array(names, dtype=object)))


@dataclass(frozen=True)
class _Odd:
    """Rows of which an id is blank, ids that must be tidied, and one that is called the truth."""

    blank: int
    odd: int
    truth: str | None = None


def _odd(layout: Layout, column: str, *, texts: bool) -> _Odd:
    """Count rows without an id, and ids with blanks at their ends or words for missing."""
    relation = layout.relation
    tidy, odd = (relation.tidy("v"), relation.is_odd("v")) if texts else ("v", "FALSE")
    truth = f"CASE WHEN lower({tidy}) IN ({_no_persons(relation)}) THEN v END" if texts else "NULL"
    found = relation.engine.one(
        f"SELECT coalesce(sum(CASE WHEN v IS NULL OR {tidy} IS NULL THEN n ELSE 0 "
        f"END), 0) AS blank, coalesce(sum(CASE WHEN v IS NOT NULL AND ({odd}) THEN "
        f"1 ELSE 0 END), 0) AS odd, max({truth}) AS truth "
        f"FROM (SELECT {column} AS v, count(*) AS n FROM {layout.rows} GROUP BY {column}) AS ids"
    )
    return _Odd(int(found["blank"]), int(found["odd"]), found["truth"])


def _no_persons(relation: Relation) -> str:
    """Write the names that the truth goes by, as SQL: with blanks, dashes and points too."""
    names = {name.replace("_", sign) for name in NO_PERSONS for sign in "_ -."}
    return ", ".join(map(relation.engine.dialect.literal, sorted(names)))


def _nulls(layout: Layout) -> int:
    """Count rows without an item."""
    found = layout.relation.engine.one(
        f"SELECT count(*) - count({layout.item}) AS n FROM {layout.rows}"
    )
    return int(found["n"])
