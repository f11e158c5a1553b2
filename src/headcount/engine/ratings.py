"""Ratings that users name to be reduced where they are: their layout and labels, checked."""

from __future__ import annotations

import re
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
from headcount.engine.engines import Column, EngineChoice
from headcount.engine.sources import (
    Given,
    Relation,
    Scan,
    Value,
    condition_of,
    open_relations,
)
from headcount.engine.tables import RatedTable, check_duplicates, repeats
from headcount.errors import DataError, NotReducedError, OptionError, closest, count, option, some
from headcount.io.findings import (
    check_codes,
    check_failures,
    check_far,
    check_mixed,
    check_tick,
    free_texts,
    models_among,
)
from headcount.io.label_order import in_order, scale_of_words
from headcount.io.long_ratings import Long, check_merged, lacks_items
from headcount.io.other_columns import columns_beside, note_not_counted, says_what_counts
from headcount.io.plain_values import check_ends, plainly
from headcount.io.ratings import (
    MOST_RATERS_APART,
    check_counts_apart,
    counts_as_rater,
    note_missing,
    shape_of,
)
from headcount.io.reading import Reading
from headcount.io.roles import (
    NO_PERSONS,
    SUMMARY_WORDS,
    ReadAs,
    check_roles,
    described,
    item_column,
    named_roles,
)
from headcount.io.shapes import LONG, Asked
from headcount.io.tables import Table
from headcount.io.values import merged, without_missing
from headcount.io.wide_ratings import Wide
from headcount.results.notes import Note, Notes

__all__ = [
    "rated_of",
    "RatingsScan",
    "scan_ratings",
]


# How ratings lie in a relation: a row each, or a column a rater.


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
    asked = Asked(
        table,
        scan.given,
        labels=None if scan.scale is None else scan.scale.labels,
        skip=frozenset(column for column, _ in scan.reading.where),
        people=people,
    )
    roles = asked.roles
    if set(LONG) <= set(roles):
        check_roles(table, roles, LONG)
        return _long(relation, table, asked, roles, condition, notes)
    shape = shape_of(asked)
    if isinstance(shape, Wide):
        return _wide(relation, asked, condition, notes)
    if isinstance(shape, Long):
        if set(roles) == {"item", "label"} and not asked.rest(roles):
            return _long(relation, table, asked, roles, condition, notes)
        lacking = next(role for role in LONG if role not in roles)
        raise NotReducedError(
            f"{relation.source}: no column found for the {lacking}. Columns: "
            f"{some(relation.names, 12)}. Name it with {option(lacking, '...')}: of data that are "
            "reduced where they are, values do not tell it."
        )
    raise NotReducedError(
        f"{relation.source} looks like {shape.name.replace('_', ' ')}, which is read into memory "
        f"only ({option('engine', 'memory')}). Long data have a row a rating, with columns for "
        f"item, rater and label; name them ({option('item')}, {option('rater')}, "
        f"{option('label')})."
    )


def _long(
    relation: Relation,
    table: Table,
    asked: Asked,
    roles: Mapping[str, int],
    condition: str,
    notes: Notes,
) -> Layout:
    """Take one rating a row."""
    columns = {role: relation.column(relation.names[i], role) for role, i in roles.items()}
    if None in asked.given.values():
        how = "long" if "rater" in roles else "long without raters"
        each = "each row a rating" if "rater" in roles else "each row from another one"
        tail = "" if "rater" in roles else " What compares raters cannot be told."
        text = f"{relation.source}: read as {how}, {each}; {described(table, roles)}.{tail}"
        notes.extend([ReadAs(text, named_roles(table, roles))])
    if "rater" in roles:
        check_merged(table, roles)
    for i in asked.rest(roles):
        if says_what_counts(relation.names[i]) and i not in asked.nested:
            values = relation.values(relation.columns[i], condition, what="different values")
            uses = {value.text: value.rows for value in values if value.text}
            note_not_counted(relation.names[i], uses, relation.source, notes)
    rater = columns.get("rater")
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


def _wide(relation: Relation, asked: Asked, condition: str, notes: Notes) -> Layout:
    """Take a row an item, and a column a rater."""
    table = asked.table
    if lacks_items(asked):
        raise NotReducedError(
            f"{relation.source}: no column says what the items are. Name it with "
            f"{option('item', '...')}; without, rows are numbered in memory only "
            f"({option('engine', 'memory')})."
        )
    place = item_column(table, asked.given["item"])
    # What the first rows show to be no rater's, readers leave out or refuse.
    made = Wide().read(asked)
    notes.extend(note for note in made.notes if note.severity != "info")
    called = {} if made.raters is None else dict.fromkeys(made.raters[1])
    beside = columns_beside(asked, place, Notes())
    raters = [relation.columns[i] for i in beside if table.names[i] in called]
    item = relation.column(relation.names[place], "item")
    for rater in raters:
        relation.column(rater.name, "rater")
    kinds = {rater.kind for rater in raters}
    if len(kinds) > 1:
        values = [relation.text(rater) for rater in raters]
        kind = "text"
    else:
        values, kind = [relation.value(rater) for rater in raters], kinds.pop()
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
                f"{relation.source}: read as wide, each row an item and each other column a rater; "
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
    found = relation.engine.one(
        f"SELECT max({item.sql}) AS found FROM {relation.sql} WHERE ({condition}) AND "
        f"lower({item.sql}) IN ({listed})"
    )["found"]
    if found is not None:
        raise NotReducedError(
            f"{relation.source}: '{found}' is among the items: by the name, it was made of the "
            "others. Take the row out, or give it another name; readers into memory leave it out "
            f"({option('engine', 'memory')})."
        )


# Labels in a database: which there are, which mean that there is none, and their codes.

MOST_LABELS = 1000
"""Labels that may be counted in columns of their own."""
_COMMA = re.compile(r"-?\d+,\d+")
_PERCENT = re.compile(r"-?\d+(?:[.,]\d+)?\s*%")
_RULE = re.compile(r":?-{2,}:?|={2,}")


@dataclass(frozen=True)
class Vocabulary:
    """Labels, and the code of every value that stands for one.

    Parameters
    ----------
    scale : Scale
    codes : tuple of (str, int)
        Values as SQL writes them, and their codes.
    """

    scale: Scale
    codes: tuple[tuple[str, int], ...]

    def code(self, value: str) -> str:
        """Write the SQL of the code of a label; null for what is none."""
        cases = " ".join(f"WHEN {literal} THEN {code}" for literal, code in self.codes)
        return f"CASE {value} {cases} END"


def label_vocabulary(
    layout: Layout,
    scale: Scale | None,
    reading: Reading,
    dropped: Counter[str],
    notes: Notes,
    *,
    people: bool = True,
) -> Vocabulary:
    """Count the values of the label column, and read them as readers do."""
    values = _values(layout)
    source = layout.relation.source
    texts = sorted({value.text for value in values if value.text})
    uses: Counter[str] = Counter()
    for value in values:
        uses[value.text] += value.rows
    counts = np.array([uses[text] for text in texts], dtype=np.int64)
    blank = uses[""]
    _check_commas(layout, texts)
    codes = np.arange(len(texts))
    declared = () if scale is None else scale.labels
    if scale is None and (steps := in_order([text for text in texts if uses[text]])) is not None:
        declared = steps
    _, kept, written = without_missing(
        codes, texts, missing=reading.missing, labels=declared, words=reading.words
    )
    note_missing(source, kept, written, dict(uses), reading, dropped, notes, blanks=not layout.wide)
    blank += sum(uses[word] for word in written)
    if blank and not layout.wide:
        if uses[""]:
            dropped["no label"] += uses[""]
        how = f" (written as {some(written)})" if written else ""
        notes.caution(f"{source}: {count(blank, 'row')} without a label left out{how}.")
    known = [code for code, text in enumerate(texts) if text not in set(written)]
    left = counts[known]
    merged((np.arange(len(kept)), kept), "label", (), source, notes, counts=left)
    _check_rows(layout, kept)
    if scale is None:
        if layout.wide:
            check_tick([text for text in kept if uses[text]], uses[""], source)
        if people:
            check_mixed((np.arange(len(kept)), kept), lambda code: source)
        check_codes((np.arange(len(kept)), kept), source, counts=left)
        if not kept:
            raise DataError(f"{source}: no ratings; every row lacks an item, a rater or a label.")
        _check_plain(layout, kept)
        if people:
            check_far((np.arange(len(kept)), kept), lambda code: source, notes)
        else:
            check_failures({text: uses[text] for text in kept}, source, what="label")
        notes.extend(free_texts(source, kept, int(left.sum())))
        scale = (scale_of_words(kept, source, notes) if people else None) or Scale(
            as_labels(kept)[0]
        )
        place = find_labels(kept, scale.labels)
    else:
        place = find_labels(kept, scale.labels)
        _check_declared(kept, place, scale, uses, source)
    code_of = dict(zip(kept, place.tolist(), strict=True))
    pairs = tuple((v.literal, code_of[v.text]) for v in values if v.text in code_of)
    return Vocabulary(scale, pairs)


def _values(layout: Layout) -> list[Value]:
    """Count the values of labels, in the rows that are read."""
    from dataclasses import replace

    rows = layout.rows
    relation = replace(layout.relation, sql=f"(SELECT {layout.label} AS label FROM {rows}) AS said")
    column = replace(layout.labels[0], sql="label")
    if column.kind not in ("whole", "boolean", "text"):
        # Floating-point numbers are texts already.
        values = relation.values(
            replace(column, kind="text"), what="different labels", most=MOST_LABELS
        )
        if column.kind != "real":
            return values
        from headcount.io.tables import float_text

        return [replace(v, text=float_text(v.text) if v.text else "") for v in values]
    return relation.values(column, what="different labels", most=MOST_LABELS)


def _check_commas(layout: Layout, texts: list[str]) -> None:
    """Refuse decimal commas, which readers understand where every cell has one."""
    with_comma = [text for text in texts if _COMMA.fullmatch(text)]
    if with_comma:
        raise NotReducedError(
            f"{layout.relation.source}, column '{layout.labels[0].name}': {some(with_comma, 3)} "
            "may be numbers with a decimal comma, which are read in memory only "
            f"({option('engine', 'memory')}). Write them with a point."
        )


def _check_plain(layout: Layout, texts: list[str]) -> None:
    """Refuse labels with signs or words around them, or in JSON, which readers take out."""
    at = f"{layout.relation.source}, column '{layout.labels[0].name}'"
    check_ends(texts, at)
    if plainly(texts) is not None or all(map(_PERCENT.fullmatch, texts)):
        raise NotReducedError(
            f"{at}: {some([text[:40] for text in texts], 3)} have words or signs around them, "
            f"which are read in memory only ({option('engine', 'memory')}). Write the labels alone."
        )


def _check_rows(layout: Layout, texts: list[str]) -> None:
    """Refuse rows that repeat the header, or rule it off, which readers leave out."""
    name = layout.labels[0].name
    odd = [text for text in texts if _RULE.fullmatch(text) or (text == name and not layout.wide)]
    if odd and len(texts) > 1:
        raise NotReducedError(
            f"{layout.relation.source}: a row has {some(odd)} for a label, as one that repeats the "
            "header or rules it off. Take it out, or read the data into memory "
            f"({option('engine', 'memory')}), which leaves it out."
        )


def _check_declared(
    kept: list[str], place: np.ndarray, scale: Scale, uses: Counter[str], source: str
) -> None:
    outside = [text for text, code in zip(kept, place.tolist(), strict=True) if code < 0]
    if not outside:
        return
    near = closest(outside[0], scale.labels)
    hint = f" (did you mean '{near[0]}'?)" if near else ""
    number = sum(uses[text] for text in outside)
    raise DataError(
        f"{source}: label '{outside[0]}' is not among the declared labels "
        f"{some(scale.labels, 10)}{hint}. Undeclared labels: "
        f"{some([label_text(text) for text in outside])}, in {count(number, 'rating')}. Declare "
        "them or correct them."
    )


# Ratings of a source, checked: which columns, which labels, which rows count, who repeats one.


def rated_of(relation: Relation, scan: RatingsScan, *, people: bool = True) -> RatedTable:
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
    from headcount.io.tables import kept_columns

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


def _checked(made: _Prepared, dropped: Counter[str], notes: Notes, scan: RatingsScan) -> RatedTable:
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
            notes.warning(counts_as_rater(relation.source, [raters.truth]))
    items = _Odd(_nulls(layout), 0)
    every = made.every(items, raters)
    check = partial(check_duplicates, relation, anonymous=layout.rater is None)
    doubts = check(every, texts=layout.texts)
    if doubts.odd:
        items = _odd(layout, layout.item, texts=layout.texts)
        every = made.every(items, raters)
        doubts = check(every, texts=False)
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
            dropped["repeated"] = number
            notes.caution(f"{repeats(number)}; the first of each was kept.")
    elif scan.duplicates != "all":
        doubts.refuse(ordered=made.ordered)
    rated = RatedTable(
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


def _why_no_order(made: _Prepared) -> str:
    """Say why there is no first rating of several."""
    if made.layout.wide:
        return f"{made.relation.source} has a row an item, which is put together in memory only"
    return f"rows have no order in {made.relation.engine.title}, so that none is the first"


def _with_raters(rated: RatedTable, layout: Layout, notes: Notes, scan: RatingsScan) -> RatedTable:
    """Count ratings and raters."""
    number: int | None = None
    found = rated.engine.one(
        "SELECT count(*) AS raters, coalesce(CAST(sum(n) AS BIGINT), 0) AS ratings "
        f"FROM (SELECT rater, count(*) AS n FROM ({rated.ratings}) AS r GROUP BY rater) AS counted"
    )
    ratings = int(found["ratings"])
    if not ratings:
        raise DataError(f"{rated.source}: no ratings; every row lacks an item, a rater or a label.")
    if layout.rater is not None:
        number = int(found["raters"])
    notes.info(scan.note or f"{rated.engine.title} counted {rated.source} where it is.")
    return replace(rated, n_ratings=ratings, n_raters=number, notes=tuple(notes))


def _people(rated: RatedTable, scan: RatingsScan) -> tuple[Note, ...]:
    """Look at what only people do: write labels in several ways."""
    notes = Notes(rated.notes)
    if rated.n_raters is not None and rated.n_raters <= MOST_RATERS_APART:
        _check_raters(rated, notes, scan)
    return tuple(notes)


def _check_raters(rated: RatedTable, notes: Notes, scan: RatingsScan) -> None:
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


# Ratings that users name to be reduced where they are.


@dataclass(frozen=True, eq=False, kw_only=True)
class RatingsScan(Scan):
    """Ratings that are to be reduced where they are; see :func:`scan_ratings`.

    Parameters
    ----------
    scale : Scale or None
        All labels, if they were named.
    duplicates : str
    **others
        As those of :class:`~headcount.engine.sources.Scan`.
    """

    scale: Scale | None
    duplicates: str

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
        return {**declared, **super().options(), **repeats}

    def read(self, **options: Any) -> Labels:
        """Read the ratings into memory instead."""
        from headcount.io.ratings import read_ratings

        return read_ratings(self.data, **self.readers_options(), **options)

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
    item, rater, label, labels, ignore, where, missing, missing_words, name
        As for :func:`headcount.read_ratings`.
    duplicates : {"error", "first", "all"}
        What to do when a rater labels an item twice: refuse, or keep the first, of files that
        DuckDB reads; in Spark and in relations, rows have no order. 'all' is for
        :func:`headcount.blind`.
    engine : {"duckdb", "spark"}, optional
        Default: that of the data; of files, DuckDB.
    memory : str or int, optional
        What may come back, and twice what DuckDB may use, such as ``"4GB"``; more goes to its
        temporary files. Default: 1 GB, and 2 GB for DuckDB.
    remote : str, optional
        Address of a Spark Connect server, such as ``"sc://localhost:15002"``.
    glob : bool
        Whether `data` is a pattern of files, such as ``"labels/*.parquet"``.

    Examples
    --------
    >>> from headcount import survey
    >>> survey(scan_ratings("example:ratings"), bootstrap=0).provenance.n_ratings
    1000
    """
    from headcount.io.label_order import declared_scale

    choice = EngineChoice.of(engine=engine, memory=memory, remote=remote, glob=glob)
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
    )
    scan.reading.check_labels(None if scan.scale is None else scan.scale.labels)
    options.one_of(duplicates, "duplicates", DUPLICATES, "way to treat duplicates")
    if duplicates == "retest" and not scan.in_memory:
        raise OptionError(
            f"{option('duplicates', duplicates)} compares ratings one by one, and these are "
            f"reduced where they are. Read them into memory ({option('engine', 'memory')})."
        )
    return scan
