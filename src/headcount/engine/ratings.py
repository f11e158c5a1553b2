"""Ratings that stay where they are: which columns, which labels, which rows count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.engine.asked import MEMORY, EngineChoice
from headcount.engine.duplicates import check_duplicates
from headcount.engine.layout import Layout, layout_of
from headcount.engine.opening import Given, open_relations
from headcount.engine.rated import Rated
from headcount.engine.relation import Relation
from headcount.engine.vocabulary import Vocabulary, label_vocabulary
from headcount.engine.where import condition_of
from headcount.errors import DataError, OptionError, count, option
from headcount.io.findings import dominates
from headcount.io.reading import Reading
from headcount.results.notes import Notes

__all__ = ["RatingsScan", "scan_ratings"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingsScan:
    """Ratings that are to be reduced where they are; see :func:`scan_ratings`.

    Parameters
    ----------
    data : path, relation or frame
    given : mapping of str to str or None
        Columns that the user named, by role.
    scale : Scale or None
        All labels, if they were named.
    reading : Reading
    duplicates : str
    choice : EngineChoice
    name : str
    note : str
        Why they are reduced, if nobody asked for it.
    """

    data: Any
    given: Mapping[str, str | None]
    scale: Scale | None
    reading: Reading
    duplicates: str
    choice: EngineChoice
    name: str = "ratings"
    note: str = ""

    def open(self, *others: Given) -> tuple[Rated, list[Relation]]:
        """Find columns and labels, and check duplicates; open other data on the same engine."""
        first, *rest = open_relations([Given(self.data, self.name), *others], self.choice)
        try:
            return rated_of(first, self), rest
        except BaseException:
            first.engine.close()
            raise

    def options(self) -> dict[str, Any]:
        """Return what was said of the data, for a step that uses them again."""
        given: dict[str, Any] = {role: name for role, name in self.given.items() if name}
        if self.scale is not None:
            given["labels"] = list(self.scale.labels)
        for name in ("ignore", "missing"):
            if values := list(getattr(self.reading, name)):
                given[name] = values
        if self.reading.where:
            given["where"] = [f"{column}={value}" for column, value in self.reading.where]
        for name in ("engine", "remote", "glob"):
            if value := getattr(self.choice, name):
                given[name] = value
        return given

    def read(self) -> Labels:
        """Read the ratings into memory instead."""
        from headcount.io.ratings.ratings import read_ratings

        return read_ratings(
            self.data,
            item=self.given["item"],
            rater=self.given["rater"],
            label=self.given["label"],
            labels=None if self.scale is None else self.scale.labels,
            duplicates=self.duplicates,
            ignore=self.reading.ignore,
            where=[f"{column}={value}" for column, value in self.reading.where],
            missing=self.reading.missing,
            name=self.name,
        )


def scan_ratings(
    data: Any,
    *,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    duplicates: str = "error",
    ignore: Sequence[str] = (),
    where: Sequence[str] = (),
    missing: Sequence[str] = (),
    engine: str | None = None,
    memory: str | int | None = None,
    remote: str | None = None,
    glob: bool = False,
    name: str = "ratings",
) -> RatingsScan:
    """Name ratings that are reduced where they are, instead of read into memory.

    What :func:`headcount.read_ratings` does with files that fit, this does with those that do not:
    verbs are given what it returns in place of ratings, and let DuckDB or Spark count. Answers are
    the same.

    Parameters
    ----------
    data : path, relation of DuckDB, or frame or table name of Spark
        Parquet or CSV; long, or wide with a column a rater.
    item, rater, label, labels, ignore, where, missing, name
        As for :func:`headcount.read_ratings`.
    duplicates : {"error"}
        A rater who labels an item twice is an error. Rows have no order here, so that there is no
        first one to keep.
    engine : {"duckdb", "spark"}, optional
        Default: that of the data; of files, DuckDB.
    memory : str or int, optional
        What DuckDB may use, such as ``"512MB"``; more goes to temporary files. Default: 1 GB.
    remote : str, optional
        Address of a Spark Connect server, such as ``"sc://localhost:15002"``.
    glob : bool
        Whether `data` is a pattern of files, such as ``"labels/*.parquet"``.

    Examples
    --------
    >>> from headcount import survey
    >>> survey(scan_ratings("example:ratings"), bootstrap=0).provenance.n_ratings
    1200
    """
    from headcount.io.ratings.ratings import declared_scale

    choice = EngineChoice.of(engine=engine, memory=memory, remote=remote, glob=glob)
    reading = Reading.of(ignore=ignore, where=where, missing=missing)
    scale = declared_scale(labels)
    reading.check_labels(None if scale is None else scale.labels)
    if duplicates != "error" and choice.engine != MEMORY:
        raise OptionError(
            f"{option('duplicates', duplicates)} needs an order of rows, which data that are "
            f"reduced where they are do not have. Remove repeated ratings first, or read the data "
            f"into memory ({option('engine', 'memory')})."
        )
    return RatingsScan(
        data=data,
        given={"item": item, "rater": rater, "label": label},
        scale=scale,
        reading=reading,
        duplicates=duplicates,
        choice=choice,
        name=name,
    )


def rated_of(relation: Relation, scan: RatingsScan) -> Rated:
    """Find columns and labels of ratings, and check that no rater labels an item twice."""
    notes = Notes(relation.notes)
    relation = _kept(relation, scan.reading)
    condition, left_out = condition_of(relation, scan.reading.where)
    layout = layout_of(relation, scan, condition, notes)
    dropped: Counter[str] = Counter(left_out)
    words = label_vocabulary(layout, scan.scale, scan.reading, dropped, notes)
    return _checked(_Prepared(relation, layout, words), dropped, notes, scan)


def _kept(relation: Relation, reading: Reading) -> Relation:
    from headcount.io.tables.table import kept_columns

    kept = kept_columns(relation.names, reading.ignore, relation.source)
    return replace(relation, columns=[relation.columns[i] for i in kept])


@dataclass(frozen=True)
class _Prepared:
    relation: Relation
    layout: Layout
    words: Vocabulary

    def every(self, *, tidy_items: bool, tidy_raters: bool) -> str:
        """SELECT of item, rater and code of all rows with an item."""
        layout, tidy = self.layout, self.relation.tidy
        item = tidy(layout.item) if tidy_items else layout.item
        code = self.words.code(layout.label)
        rater = "NULL"
        if layout.rater is not None:
            rater = tidy(layout.rater) if tidy_raters else layout.rater
            code = f"CASE WHEN {rater} IS NOT NULL THEN {code} END"
        return (
            f"SELECT * FROM (SELECT {item} AS item, {rater} AS rater, {code} AS label "
            f"FROM {layout.rows}) AS named WHERE item IS NOT NULL"
        )


def _checked(made: _Prepared, dropped: Counter[str], notes: Notes, scan: RatingsScan) -> Rated:
    """Look at ids and repeated ratings: those as they are, and if need be, tidied."""
    relation, layout = made.relation, made.layout
    raters = _Odd(0, 0)
    if layout.rater is not None and not layout.wide:
        raters = _odd(layout, layout.rater, texts=layout.rater_texts)
    every = made.every(tidy_items=False, tidy_raters=raters.odd > 0)
    check = partial(check_duplicates, relation, anonymous=layout.rater is None)
    doubts = check(every, texts=layout.texts)
    items = _Odd(0, 0)
    if doubts.odd:
        items = _odd(layout, layout.item, texts=layout.texts)
    elif blank := _nulls(layout):
        items = _Odd(blank, 0)
    if items.odd:
        every = made.every(tidy_items=True, tidy_raters=raters.odd > 0)
        doubts = check(every, texts=False)
    for role, found in (("item", items), ("rater", raters)):
        if not found.blank:
            continue
        dropped[f"no {role}"] += found.blank
        article = "an" if role == "item" else "a"
        notes.caution(
            f"{relation.source}: {count(found.blank, 'row')} without {article} {role} left out."
        )
    doubts.refuse()
    rated = Rated(
        relation=relation,
        every=every,
        scale=made.words.scale,
        long=not layout.wide,
        item_texts=layout.texts,
        n_ratings=0,
        n_raters=None,
        dropped=dict(dropped),
    )
    return _with_raters(rated, layout, notes, scan)


def _with_raters(rated: Rated, layout: Layout, notes: Notes, scan: RatingsScan) -> Rated:
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


@dataclass(frozen=True)
class _Odd:
    """Rows of which an id is blank, and ids that must be tidied."""

    blank: int
    odd: int


def _odd(layout: Layout, column: str, *, texts: bool) -> _Odd:
    """Count rows without an id, and ids with blanks at their ends or words for missing."""
    relation = layout.relation
    tidy, odd = (relation.tidy("v"), relation.is_odd("v")) if texts else ("v", "FALSE")
    found = relation.engine.one(
        f"SELECT coalesce(sum(CASE WHEN v IS NULL OR {tidy} IS NULL THEN n ELSE 0 "
        f"END), 0) AS blank, coalesce(sum(CASE WHEN v IS NOT NULL AND ({odd}) THEN "
        f"1 ELSE 0 END), 0) AS odd FROM (SELECT {column} AS v, count(*) AS n FROM {layout.rows} "
        f"GROUP BY {column}) AS ids"
    )
    return _Odd(int(found["blank"]), int(found["odd"]))


def _nulls(layout: Layout) -> int:
    """Count rows without an item."""
    found = layout.relation.engine.one(
        f"SELECT count(*) - count({layout.item}) AS n FROM {layout.rows}"
    )
    return int(found["n"])
