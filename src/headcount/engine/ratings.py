"""Ratings that users name to be reduced where they are: their layout and labels, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from headcount import options
from headcount.data.labels import DUPLICATES, Labels, Scale
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import as_labels, find_labels, label_text
from headcount.engine.engines import Column
from headcount.engine.sources import (
    EngineChoice,
    Given,
    Relation,
    Scan,
    Value,
    condition_of,
    open_relations,
)
from headcount.engine.tables import RatedTable, check_duplicates
from headcount.errors import DataError, NotReducedError, OptionError, closest, count, option, some
from headcount.io.cells import without_missing
from headcount.io.findings import (
    check_codes,
    check_failures,
    check_far,
    check_mixed,
    check_tick,
    free_texts,
    models_among,
)
from headcount.io.label_order import declared_scale, in_order, scale_of_words
from headcount.io.long_ratings import (
    Long,
    check_labels,
    check_merged,
    lacks_items,
    one_question,
    third_role,
)
from headcount.io.ratings import (
    MOST_RATERS_APART,
    SHAPE_NAMES,
    check_counts_apart,
    check_excluded,
    counts_as_rater,
    labels_said,
    note_missing,
    shape_of,
)
from headcount.io.reading import Reading
from headcount.io.roles import (
    SUMMARY_WORDS,
    ReadAs,
    check_roles,
    described,
    given_role,
    item_column,
    named_roles,
)
from headcount.io.shapes import (
    LONG,
    Asked,
    columns_beside,
    item_beside,
    note_not_counted,
    says_what_counts,
)
from headcount.io.tables import Table, float_text, kept_columns
from headcount.io.values import merged
from headcount.io.wide_ratings import Wide
from headcount.results.notes import Notes

__all__ = [
    "rated_of",
    "RatingsScan",
    "scan_ratings",
]


# How ratings lie in a relation: a row each, or one column per rater.


@dataclass(frozen=True, eq=False, kw_only=True)
class Layout:
    """Where the item, the rater and the label of a row are.

    Parameters
    ----------
    relation : Relation
    rows : str
        What stands after FROM, with WHERE if some rows are chosen.
    item, label : str
        SQL of columns.
    rater : str or None
        None if nobody knows the raters.
    labels : tuple of Column
        Columns that hold labels.
    texts : bool
        Whether items are text; else they are whole numbers.
    rater_texts : bool
        Whether raters are.
    wide : bool
        Whether a row is an item, and raters are columns.
    """

    relation: Relation
    rows: str
    item: str
    rater: str | None
    label: str
    labels: tuple[Column, ...]
    texts: bool = True
    rater_texts: bool = True
    wide: bool = False


def layout_of(
    relation: Relation, scan: RatingsScan, condition: str, notes: Notes, *, people: bool = True
) -> Layout:
    """Find how ratings lie, by names of columns and the first rows, as readers do."""
    table = relation.first_rows(condition)
    request = Asked(
        table,
        scan.given,
        labels=None if scan.scale is None else scan.scale.labels,
        skip=frozenset(column for column, _ in scan.reading.where),
        people=people,
        columns=tuple(given_role(table, "rater", name) for name in scan.columns),
        shape=scan.shape,
    )
    roles = request.roles
    if set(LONG) <= set(roles) and not request.columns and request.shape in (None, "long"):
        check_roles(table, roles, LONG)
        return _long(relation, table, request, roles, condition, notes, scan.exclude)
    shape = shape_of(request)
    if isinstance(shape, Wide):
        return _wide(relation, request, condition, notes, scan.exclude)
    if isinstance(shape, Long):
        anonymous = set(roles) == {"item", "label"} and not request.rest(roles)
        if not anonymous:
            request, roles = one_question(request, third_role(request), notes)
        if anonymous or {*LONG} <= set(roles):
            return _long(relation, table, request, roles, condition, notes, scan.exclude)
        lacking = next(role for role in LONG if role not in roles)
        raise NotReducedError(
            f"{relation.source}: no column found for the {lacking}. Columns: "
            f"{some(relation.names, 12)}. Name it with {option(lacking, '...')}: of data that are "
            "reduced where they are, values do not tell it."
        )
    raise NotReducedError(
        f"{relation.source} looks like {shape.name.replace('_', ' ')}, which is read into memory "
        f"only ({option('engine', 'memory')}). Long data have one row per rating, with columns for "
        f"item, rater and label; name them ({option('item')}, {option('rater')}, "
        f"{option('label')})."
    )


def _long(
    relation: Relation,
    table: Table,
    request: Asked,
    roles: Mapping[str, int],
    condition: str,
    notes: Notes,
    exclude: Sequence[str] = (),
) -> Layout:
    """Take one rating per row."""
    check_labels(request, roles)
    columns = {role: relation.column(relation.names[i], role) for role, i in roles.items()}
    if None in request.given.values():
        how = "long" if "rater" in roles else "long without raters"
        each = " (one row per rating)" if "rater" in roles else ", each row from another one"
        tail = "" if "rater" in roles else " Raters cannot be compared."
        text = f"{relation.source}: read as {how}{each}; {described(table, roles)}.{tail}"
        notes.extend([ReadAs(text, named_roles(table, roles))])
    if "rater" in roles:
        check_merged(table, roles)
    for i in request.rest(roles):
        if says_what_counts(relation.names[i]) and i not in request.nested:
            values = relation.values(relation.columns[i], condition, what="different values")
            uses = {value.text: value.rows for value in values if value.text}
            note_not_counted(relation.names[i], uses, relation.source, notes)
    rater = columns.get("rater")
    if exclude:
        condition = _without(relation, rater, exclude, condition)
    return Layout(
        relation=relation,
        rows=f"{relation.sql} WHERE {condition}",
        item=relation.identity(columns["item"]),
        rater=None if rater is None else relation.identity(rater),
        label=relation.value(columns["label"]),
        labels=(columns["label"],),
        texts=columns["item"].kind != "whole",
        rater_texts=rater is not None and rater.kind != "whole",
    )


def _without(
    relation: Relation, rater: Column | None, exclude: Sequence[str], condition: str
) -> str:
    """Write the condition under which rows are read that are not of raters to leave out."""
    if rater is None:
        raise DataError(
            f"{relation.source}: nobody knows the raters, so that none can be left out "
            f"({option('exclude')})."
        )
    values = relation.values(rater, condition, what="raters")
    check_excluded(exclude, [value.text for value in values], relation.source)
    out = [value.literal for value in values if value.text in exclude]
    sql = relation.value(rater)
    return f"({condition}) AND ({sql} IS NULL OR {sql} NOT IN ({', '.join(out)}))"


def _wide(
    relation: Relation, request: Asked, condition: str, notes: Notes, exclude: Sequence[str]
) -> Layout:
    """Take a row per item, and one column per rater."""
    table = request.table
    named = request.columns
    beside = item_beside(request) if named else None
    if beside is None if named else lacks_items(request):
        raise NotReducedError(
            f"{relation.source}: no column says what the items are. Name it with "
            f"{option('item', '...')}; without, rows are numbered in memory only "
            f"({option('engine', 'memory')})."
        )
    item_index = item_column(table, request.given["item"]) if beside is None else beside
    # What the first rows show not to be a rater's, readers leave out or refuse.
    shown = Wide().read(request)
    notes.extend(note for note in shown.notes if note.severity != "info")
    called = {} if shown.raters is None else dict.fromkeys(shown.raters[1])
    columns = named or columns_beside(request, item_index, Notes())
    raters = [relation.columns[i] for i in columns if table.names[i] in called]
    check_excluded(exclude, [rater.name for rater in raters], relation.source)
    raters = [rater for rater in raters if rater.name not in exclude]
    item = relation.column(relation.names[item_index], "item")
    for rater in raters:
        relation.column(rater.name, "rater")
    kinds = {rater.kind for rater in raters}
    if len(kinds) > 1:
        values = [relation.text(rater) for rater in raters]
        kind = "text"
    else:
        values, kind = [relation.value(rater) for rater in raters], kinds.pop()
    if request.given["item"] is None:
        _check_totals(relation, item, condition)
    dialect = relation.engine.dialect
    names = ", ".join(dialect.literal(rater.name) for rater in raters)
    rows = dialect.unpivot.format(
        item=f"{relation.identity(item)} AS item",
        names=names,
        values=", ".join(values),
        pairs=", ".join(
            f"{dialect.literal(rater.name)}, {value}"
            for rater, value in zip(raters, values, strict=True)
        ),
        number=len(raters),
        relation=f"{relation.sql} WHERE {condition}",
    )
    notes.extend(
        [
            ReadAs(
                f"{relation.source}: read as wide (one row per item, one column per rater); "
                f"item = '{item.name}'.",
                {"item": item.name},
            )
        ]
    )
    return Layout(
        relation=relation,
        rows=f"({rows}) AS unpivoted",
        item="item",
        rater="rater",
        label="label",
        labels=(Column("label", kind, "label"),),
        texts=item.kind != "whole",
        wide=True,
    )


def _check_totals(relation: Relation, item: Column, condition: str) -> None:
    """Refuse rows that are called totals, means and the like, which readers leave out."""
    if item.kind != "text":
        return
    dialect = relation.engine.dialect
    words = {word.replace("_", sign) for word in SUMMARY_WORDS for sign in "_ "}
    listed = ", ".join(map(dialect.literal, sorted(words | {f"{word}:" for word in words})))
    total = relation.engine.one(
        f"SELECT max({item.sql}) AS found FROM {relation.sql} WHERE ({condition}) AND "
        f"lower({item.sql}) IN ({listed})"
    )["found"]
    if total is not None:
        raise NotReducedError(
            f"{relation.source}: '{total}' is among the items: by the name, it was made of the "
            "others. Take the row out, or give it another name; readers into memory leave it out "
            f"({option('engine', 'memory')})."
        )


# Labels in a database: which there are, which mean that there is none, and their codes.

MOST_LABELS = 1000
"""Labels that may be counted in columns of their own."""


def label_codes(
    layout: Layout, scan: RatingsScan, dropped: Counter[str], notes: Notes, *, people: bool = True
) -> tuple[Scale, str]:
    """Count the values of the label column, and read them as readers do.

    Returns
    -------
    scale : Scale
    code : str
        SQL of the code of a label; null for what is none.
    """
    values, source = _values(layout), layout.relation.source
    scale, reading = scan.scale, scan.reading
    texts = sorted({value.text for value in values if value.text})
    uses: Counter[str] = Counter()
    for value in values:
        uses[value.text] += value.rows
    declared = () if scale is None else scale.labels
    if scale is None and (steps := in_order([text for text in texts if uses[text]])) is not None:
        declared = steps
    _, kept, written = without_missing(
        np.arange(len(texts)), texts, missing=reading.missing, labels=declared, words=reading.words
    )
    if uses[""] and not layout.wide:
        dropped["no label"] += uses[""]
        notes.caution(f"{source}: {count(uses[''], 'row')} without a label left out.")
    note_missing(source, kept, written, dict(uses), reading, dropped, notes)
    comma = layout.relation.decimal_comma
    labels = labels_said(kept, scale, source, notes, decimal_comma=comma)
    names = dict(zip(kept, labels, strict=True))
    kept = list(dict.fromkeys(labels))
    left = np.zeros(len(kept), dtype=np.int64)
    for text, name in names.items():
        left[kept.index(name)] += uses[text]
    column = np.arange(len(kept)), kept
    merged(column, "label", (), source, notes, counts=left)
    _check_rows(layout, kept)
    if scale is None:
        if layout.wide:
            check_tick(kept, uses[""], source)
        if people:
            check_mixed(column, lambda code: source)
        check_codes(column, source, counts=left)
        if not kept:
            raise DataError(f"{source}: no ratings; every row lacks an item, a rater or a label.")
        if people:
            check_far(column, lambda code: source, notes)
        else:
            check_failures(dict(zip(kept, left.tolist(), strict=True)), source, what="label")
        notes.extend(free_texts(source, kept, int(left.sum())))
        by_words = scale_of_words(kept, source, notes) if people else None
        scale = by_words or Scale(as_labels(kept)[0])
    code_of = dict(zip(kept, find_labels(kept, scale.labels).tolist(), strict=True))
    outside = [text for text, code in code_of.items() if code < 0]
    if outside:
        near = closest(outside[0], scale.labels)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        number = sum(int(left[kept.index(text)]) for text in outside)
        raise DataError(
            f"{source}: label '{outside[0]}' is not among the declared labels "
            f"{some(scale.labels, 10)}{hint}. Undeclared labels: "
            f"{some([label_text(text) for text in outside])}, in {count(number, 'rating')}. "
            "Declare them or correct them."
        )
    cases = (f"WHEN {v.literal} THEN {code_of[names[v.text]]}" for v in values if v.text in names)
    return scale, f"CASE {layout.label} {' '.join(cases)} END"


def _values(layout: Layout) -> list[Value]:
    """Count the values of labels, in the rows that are read."""
    select = f"(SELECT {layout.label} AS label FROM {layout.rows}) AS said"
    column = replace(layout.labels[0], sql="label")
    is_real = column.kind == "real"
    if column.kind not in ("whole", "boolean", "text"):
        column = replace(column, kind="text")  # as floating-point numbers are already
    relation = replace(layout.relation, sql=select)
    values = relation.values(column, what="different labels", most=MOST_LABELS)
    return [replace(v, text=float_text(v.text) if v.text else "") if is_real else v for v in values]


def _check_rows(layout: Layout, texts: list[str]) -> None:
    """Refuse rows that repeat the header, as readers do."""
    name = layout.labels[0].name
    if len(texts) > 1 and name in texts and not layout.wide:
        raise DataError(
            f"{layout.relation.source}: a row has '{name}' for a label, as one that repeats the "
            "header. Delete it."
        )


# Ratings of a source, checked: which columns, which labels, which rows count, who repeats one.


def rated_of(relation: Relation, scan: RatingsScan, *, people: bool = True) -> RatedTable:
    """Find columns and labels of ratings, and check that no rater labels an item twice.

    `people` is whether raters are people, and not classifiers.
    """
    notes = Notes(relation.notes)
    kept = kept_columns(relation.names, scan.reading.ignore, relation.source)
    relation = replace(relation, columns=[relation.columns[i] for i in kept])
    condition, left_out = condition_of(relation, scan.reading.where)
    layout = layout_of(relation, scan, condition, notes, people=people)
    dropped: Counter[str] = Counter(left_out)
    scale, code = label_codes(layout, scan, dropped, notes, people=people)
    every = _checked(layout, code, dropped, notes, scan)
    rated = RatedTable(
        relation=relation,
        every=every,
        scale=scale,
        long=not layout.wide,
        item_texts=layout.texts,
        n_ratings=0,
        n_raters=None,
        dropped=dict(dropped),
    )
    return _with_raters(rated, layout, notes, scan, people=people)


def _checked(
    layout: Layout, code: str, dropped: Counter[str], notes: Notes, scan: RatingsScan
) -> str:
    """Look at ids and repeated ratings, as they are or tidied; write the SELECT of every row."""
    relation = layout.relation
    if scan.duplicates == "first":
        raise NotReducedError(
            f"{option('duplicates', 'first')}: rows have no order where they are reduced, so that "
            "none is the first. Remove repeated ratings, or read the data into memory "
            f"({option('engine', 'memory')})."
        )
    raters = _Odd(0, 0)
    if layout.rater is not None and not layout.wide:
        raters = _odd(layout, layout.rater, texts=layout.rater_texts)
        if raters.truth is not None:
            notes.warning(counts_as_rater(relation.source, [raters.truth]))
    nulls = f"SELECT count(*) - count({layout.item}) AS n FROM {layout.rows}"
    items = _Odd(int(relation.engine.one(nulls)["n"]), 0)
    every = _every(layout, code, items, raters)
    check = partial(check_duplicates, relation, anonymous=layout.rater is None)
    doubts = check(every, texts=layout.texts)
    if doubts.odd:
        items = _odd(layout, layout.item, texts=layout.texts)
        every = _every(layout, code, items, raters)
        doubts = check(every, texts=False)
    for ids, role in ((items, "an item"), (raters, "a rater")):
        if ids.blank:
            dropped[f"no {role.split()[1]}"] += ids.blank
            rows = count(ids.blank, "row")
            notes.caution(f"{relation.source}: {rows} without {role} left out.")
    if scan.duplicates != "all":
        doubts.refuse()
    return every


def _every(layout: Layout, code: str, items: _Odd, raters: _Odd) -> str:
    """Write the SELECT of item, rater and code of all rows with an item.

    What need not be looked at is not: columns that a query does not name are not read.
    """
    tidy = layout.relation.tidy
    item = tidy(layout.item) if items.odd else layout.item
    rater = "NULL"
    if layout.rater is not None:
        rater = tidy(layout.rater) if raters.odd else layout.rater
        if raters.blank:
            code = f"CASE WHEN {rater} IS NOT NULL THEN {code} END"
    named = f"SELECT {item} AS item, {rater} AS rater, {code} AS label FROM {layout.rows}"
    return f"SELECT * FROM ({named}) AS named WHERE item IS NOT NULL" if items.blank else named


def _with_raters(
    rated: RatedTable, layout: Layout, notes: Notes, scan: RatingsScan, *, people: bool
) -> RatedTable:
    """Count ratings and raters."""
    number: int | None = None
    counts = rated.engine.one(
        "SELECT count(*) AS raters, coalesce(CAST(sum(n) AS BIGINT), 0) AS ratings "
        f"FROM (SELECT rater, count(*) AS n FROM ({rated.ratings}) AS r GROUP BY rater) AS counted"
    )
    ratings = int(counts["ratings"])
    if not ratings:
        raise DataError(f"{rated.source}: no ratings; every row lacks an item, a rater or a label.")
    if layout.rater is not None:
        number = int(counts["raters"])
    notes.info(scan.note or f"{rated.engine.title} counted {rated.source} where it is.")
    if people and number is not None and number <= MOST_RATERS_APART:
        _check_raters(rated, notes, scan)
    return replace(rated, n_ratings=ratings, n_raters=number, notes=tuple(notes))


def _check_raters(rated: RatedTable, notes: Notes, scan: RatingsScan) -> None:
    """Look at the names of raters, and whether they write labels alike."""
    rows = rated.engine.rows(
        f"SELECT rater, label, count(*) AS n FROM ({rated.ratings}) AS r GROUP BY rater, label",
        what="labels of raters",
    )
    raters = [str(name) for name in rows["rater"].tolist()]
    names = sorted(set(raters))
    code_of = {name: code for code, name in enumerate(names)}
    used = np.zeros((len(names), len(rated.scale)), dtype=np.int64)
    used[[code_of[name] for name in raters], rows["label"].astype(np.int64)] = rows["n"]
    if scan.scale is None:
        check_counts_apart(used, rated.scale.labels, names, rated.source, columns=True)
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
    """Count rows without an id, and ids with blanks at their ends."""
    tidy, odd, truth = "v", "FALSE", "NULL"
    if texts:
        relation = layout.relation
        tidy, odd = relation.tidy("v"), relation.is_odd("v")
        # Names that the truth goes by, with blanks, dashes and points too.
        names = {name.replace("_", sign) for name in SUMMARY_WORDS for sign in "_ -."}
        listed = ", ".join(map(relation.engine.dialect.literal, sorted(names)))
        truth = f"CASE WHEN lower({tidy}) IN ({listed}) THEN v END"
    row = layout.relation.engine.one(
        f"SELECT coalesce(sum(CASE WHEN v IS NULL OR {tidy} IS NULL THEN n ELSE 0 "
        f"END), 0) AS blank, coalesce(sum(CASE WHEN v IS NOT NULL AND ({odd}) THEN "
        f"1 ELSE 0 END), 0) AS odd, max({truth}) AS truth "
        f"FROM (SELECT {column} AS v, count(*) AS n FROM {layout.rows} GROUP BY {column}) AS ids"
    )
    return _Odd(int(row["blank"]), int(row["odd"]), row["truth"])


# Ratings that users name to be reduced where they are.


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingsScan(Scan):
    """Ratings to be counted where they are stored; see :func:`scan_ratings`.

    Parameters
    ----------
    scale : Scale or None
        All labels, if they were named.
    duplicates : str
    columns, shape, exclude
        As for :func:`headcount.read_ratings`.
    **others
        As those of :class:`~headcount.engine.sources.Scan`.
    """

    scale: Scale | None
    duplicates: str
    columns: tuple[str, ...] = ()
    shape: str | None = None
    exclude: tuple[str, ...] = ()

    unit: ClassVar[str] = "rating"
    counted: ClassVar[str] = "them"

    def open(self, *others: Given) -> tuple[RatedTable, list[Relation]]:
        """Find columns and labels, and check duplicates; open other data on the same engine."""
        if self.duplicates == "all":
            raise OptionError(
                f"{option('duplicates', 'all')} is for votes of classifiers, and these are ratings."
            )
        first, *rest = open_relations([Given(self.data, self.name), *others], self.choice)
        try:
            return rated_of(first, self), rest
        except BaseException:
            first.engine.close()
            raise

    def without(self, label: str) -> RatingsScan:
        """Take a label for a word that says there is none."""
        missing = (*self.reading.missing, label)
        return replace(self, reading=replace(self.reading, missing=missing))

    def options(self) -> dict[str, Any]:
        """Return what was said of the data, for a step that uses them again."""
        declared = {} if self.scale is None else {"labels": list(self.scale.labels)}
        repeats = {} if self.duplicates == "error" else {"duplicates": self.duplicates}
        return {**declared, **super().options(), **repeats, **self._laid_out()}

    def _laid_out(self) -> dict[str, Any]:
        """Return what was said of the layout."""
        layout = {"columns": list(self.columns), "shape": self.shape, "exclude": list(self.exclude)}
        return {name: value for name, value in layout.items() if value}

    def read(self, **options: Any) -> Labels:
        """Read the ratings into memory instead."""
        from headcount.io.ratings import read_ratings

        return read_ratings(self.data, **self.readers_options(), **self._laid_out(), **options)

    def read_votes(self) -> Labels | Predictions:
        """Read them into memory as votes of classifiers."""
        from headcount.io.predictions import read_votes

        options = self.readers_options()
        return read_votes(self.data, classifier=options.pop("rater"), **options)

    def readers_options(self) -> dict[str, Any]:
        """Return what a reader is told, in its words."""
        labels = None if self.scale is None else self.scale.labels
        return {**super().readers_options(), "labels": labels, "duplicates": self.duplicates}


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
    missing_words: bool = True,
    columns: Sequence[str] = (),
    shape: str | None = None,
    exclude: Sequence[str] = (),
    engine: str | None = None,
    memory: str | int | None = None,
    glob: bool = False,
    name: str = "ratings",
) -> RatingsScan:
    """Use ratings that are too large for memory: DuckDB or Spark counts them where they are.

    This replaces :func:`headcount.read_ratings` for large files. Pass what it returns in place of
    ratings, and DuckDB or Spark counts them. Results are the same.

    Parameters
    ----------
    data : path, relation of DuckDB, or frame or table name of Spark
        Parquet or CSV; long, or wide with one column per rater.
    item, rater, label, labels, ignore, where, missing, missing_words, columns, exclude, name
        As for :func:`headcount.read_ratings`.
    shape : {"long", "wide", "counts"}, optional
        How the data are laid out, if names do not show it; counts are always read into memory.
    duplicates : {"error", "first", "all"}
        What to do if a rater labels an item twice; by default this is an error. 'all' is for
        :func:`headcount.blind`; with 'first' data are read into memory.
    engine : {"duckdb", "spark"} or str, optional
        The engine, or the address of a Spark Connect server, such as ``"sc://localhost:15002"``.
        Default: the engine of the data; DuckDB for files.
    memory : str or int, optional
        Memory for the counts, such as ``"4GB"``, of which DuckDB may use half; larger data go to
        temporary files. Default: 1 GB for counts and 2 GB for DuckDB.
    glob : bool
        Whether `data` is a pattern of file names, such as ``"labels/*.parquet"``.

    Examples
    --------
    >>> from headcount import survey
    >>> survey(scan_ratings("example:ratings"), bootstrap=0).provenance.n_ratings
    1000
    """
    choice = EngineChoice.of(engine=engine, memory=memory, glob=glob)
    scan = RatingsScan(
        data=data,
        given={"item": item, "rater": rater, "label": label},
        reading=Reading.of(
            ignore=ignore, where=where, missing=missing, missing_words=missing_words
        ),
        choice=choice,
        name=name,
        scale=declared_scale(labels),
        duplicates=duplicates,
        columns=tuple(options.listed(columns, "columns", "names of columns")),
        shape=None if shape is None else options.one_of(shape, "shape", list(SHAPE_NAMES)),
        exclude=tuple(options.listed(exclude, "exclude", "names of raters")),
    )
    scan.reading.check_labels(None if scan.scale is None else scan.scale.labels)
    options.one_of(duplicates, "duplicates", DUPLICATES, "way to treat duplicates")
    if duplicates == "retest" and not scan.in_memory:
        raise OptionError(
            f"{option('duplicates', duplicates)} compares ratings one by one, and these are "
            f"reduced where they are. Read them into memory ({option('engine', 'memory')})."
        )
    return scan
