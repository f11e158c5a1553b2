"""Equal answers, counted: ratings for agreement, votes for blind evaluation, comparisons."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.labels import Labels, without_raters
from headcount.data.vocabulary import recoded, sorted_vocabulary
from headcount.engine.ratings import RatingsScan, rated_of
from headcount.engine.sources import (
    BYTES_A_RATING,
    EngineChoice,
    Given,
    Relation,
    Scan,
    condition_of,
    open_relations,
)
from headcount.engine.tables import RatedTable, known_names, patterns_of, pull_ratings, repeats
from headcount.errors import DataError, NotReducedError, count, option
from headcount.io.comparisons import (
    COMMON_COPIES,
    LEAST_ROWS_COPIED,
    come_again,
    copies_message,
    find_columns,
    read_table,
    shares,
)
from headcount.io.reading import Reading
from headcount.io.roles import find_role
from headcount.io.tables import CountedTable, kept_columns
from headcount.results.notes import Note, Notes
from headcount.stats.arrays import group_rows
from headcount.typing import Codes

__all__ = [
    "MOST_RATING_CELLS",
    "count_ratings",
    "sort_cells",
    "BYTES_A_VOTE",
    "open_votes",
    "pull_votes",
    "ComparisonsScan",
    "scan_comparisons",
    "MOST_ANSWERS",
    "count_comparisons",
]


# Ratings for agreement: counted by label pattern, rater and label.

MOST_RATING_CELLS = 10_000_000
"""Cells of pattern, rater and label that may come back: 160 MB."""


def count_ratings(rated: RatedTable, *, raters: bool = True) -> Labels:
    """Count ratings in the database, by what agreement needs of them.

    Two groupings: items by how often they were given each label; ratings by that pattern, rater
    and label. No item is joined with itself. O(ratings), and O(cells) comes back.

    Parameters
    ----------
    rated : RatedTable
    raters : bool
        Whether it matters who rated. Without, cells are of patterns and labels.
    """
    counts, item_times = patterns_of(rated)
    by_rater = raters and not rated.anonymous
    if by_rater:
        key, times, people = _by_rater(rated)
        rest, label = np.divmod(key, len(rated.scale))
        pattern, code = np.divmod(rest, len(people))
        ids, order = sorted_vocabulary(people)
        rater = recoded(code, order)
    else:
        pattern, label = np.nonzero(counts)
        times = counts[pattern, label] * item_times[pattern]
        rater, ids = np.zeros(len(label), dtype=np.int64), np.zeros(1, dtype=np.int64)
    return sort_cells(
        Labels(
            items=np.arange(len(item_times)),
            raters=ids,
            scale=rated.scale,
            item=pattern,
            rater=rater,
            label=label,
            source=rated.source,
            notes=rated.notes,
            sources=rated.sources,
            dropped=dict(rated.dropped),
            backend=rated.backend,
            anonymous=rated.anonymous,
            counted_raters=None if by_rater else rated.n_raters,
            item_times=item_times,
            times=times,
        )
    )


def sort_cells(cells: Labels) -> Labels:
    """Put patterns in the order of their counts, and cells in that of pattern, rater and label.

    Patterns must differ. O(cells log cells).
    """
    first, rank = group_rows(cells.matrix().T)
    pattern = rank[cells.item]
    order = np.lexsort((cells.label, cells.rater, pattern))
    times, item_times = cells.times, cells.item_times
    return replace(
        cells,
        item=pattern[order],
        rater=cells.rater[order],
        label=cells.label[order],
        times=None if times is None else times[order],
        item_times=None if item_times is None else item_times[first],
    )


def _by_rater(rated: RatedTable) -> tuple[Codes, Codes, list[str]]:
    """Count ratings by pattern, rater and label, which come back as one number."""
    q = len(rated.scale)
    names = ", ".join(f"n{code}" for code in range(q))
    patterns = rated.engine.keep(
        "label_patterns",
        f"SELECT {names}, row_number() OVER (ORDER BY {names}) - 1 AS pattern FROM (SELECT "
        f"DISTINCT {names} FROM {rated.counted_items}) AS different",
    )
    raters_sql, people = known_names(rated, "rater", rated.ratings)
    same = " AND ".join(f"counted_items.n{code} = label_patterns.n{code}" for code in range(q))
    placed = f"SELECT item, pattern FROM {rated.counted_items} JOIN {patterns} ON {same}"
    cells = (
        "SELECT placed.pattern AS pattern, ratings.rater AS rater, ratings.label AS label, "
        f"count(*) AS n FROM ({rated.ratings}) AS ratings JOIN ({placed}) AS placed ON "
        "ratings.item = placed.item GROUP BY placed.pattern, ratings.rater, ratings.label"
    )
    rows = rated.engine.rows(
        f"SELECT (CAST(pattern AS BIGINT) * {len(people)} + place) * {q} + label AS cell, n FROM "
        f"({cells}) AS cells JOIN {raters_sql} ON cells.rater = known_rater.rater",
        what=f"cells of label pattern, rater and label in {rated.source}",
        most=MOST_RATING_CELLS,
        advice=f"For intervals for these raters alone, say {option('intervals', 'fixed')}; or give "
        "some items only.",
    )
    return rows["cell"].astype(np.int64), rows["n"].astype(np.int64), people


# Rows of votes: items of which the same classifiers said the same, counted together.

MOST_APART = 100_000
"""Items that may be named in a query."""
_BYTES, _BYTES_A_LABEL = 120, 40
"""Memory that a vote of a row takes while methods run, about: and for each label that there is."""


def count_votes(rated: RatedTable, *, apart: Collection[str], memory: int, enough: int) -> Labels:
    """Count items by who said what of them, in the database.

    Items are grouped to lists of votes, and equal lists are counted. O(votes log votes), and
    O(rows) comes back.

    Parameters
    ----------
    rated : RatedTable
    apart : collection of str
        Items that stay rows of their own, by name: those with gold.
    memory : int
        Bytes that methods may take with what comes back.
    enough : int
        Bytes that would hold all votes one by one, for messages.

    Raises
    ------
    DataError
        If nobody knows who voted, or if rows, or the items to keep apart, are too many.
    """
    if rated.anonymous:
        raise without_raters(rated.source, "blind evaluation")
    if len(apart) > MOST_APART:
        raise DataError(
            f"{rated.source}: {count(len(apart), 'item')} with gold or crowd labels, and where "
            f"votes are counted {MOST_APART:,} may have them. Give fewer, or allow memory for "
            f"votes one by one ({memory_option(enough)})."
        )
    raters_sql, names = known_names(rated, "rater", rated.ratings)
    dialect, n_labels = rated.engine.dialect, len(rated.scale)
    size = len(names) * (_BYTES + _BYTES_A_LABEL * n_labels)
    keys, named = "votes", ""
    if apart:  # items with a name to keep are rows of their own
        size *= 2  # what is learned from gold takes as much again
        text = dialect.text.format("item")
        listed = ", ".join(map(dialect.literal, sorted(apart)))
        keys, named = "votes, name", f", CASE WHEN {text} IN ({listed}) THEN {text} END AS name"
    coded = (
        f"SELECT every.item AS item, CAST(known_rater.place AS BIGINT) * {n_labels} + every.label "
        f"AS vote FROM ({rated.every}) AS every LEFT JOIN {raters_sql} ON every.rater = "
        "known_rater.rater"
    )
    voted = (
        f"SELECT item, {dialect.listed.format('vote')} AS votes FROM ({coded}) AS coded GROUP BY "
        "item"
    )
    sql = (
        f"SELECT {keys}, count(*) AS items FROM (SELECT *{named} FROM ({voted}) AS voted) AS named "
        f"GROUP BY {keys}"
    )

    def advice() -> str:
        different = int(rated.engine.one(f"SELECT count(*) AS n FROM ({sql}) AS counted")["n"])
        needed = memory_option(min(different * size, enough))
        return (
            f"There are {different:,}: allow more memory ({needed}), leave out classifiers, or put "
            "labels into fewer groups."
        )

    rows = rated.engine.rows(
        sql,
        what=f"different rows of votes, who said what of an item, in {rated.source}",
        most=memory // size,
        advice=advice,
    )
    lists = [text or "" for text in rows["votes"].tolist()]
    number = [text.count(",") + 1 if text else 0 for text in lists]
    item = np.repeat(np.arange(len(lists)), number)
    vote = np.array(",".join(filter(None, lists)).split(","), dtype=np.int64)
    who, label = np.divmod(vote, n_labels)
    item_times = rows["items"].astype(np.int64)
    times = item_times[item]
    if int(times.sum()) != rated.n_ratings:
        raise DataError(
            f"{rated.source}: {rated.engine.title} reads names of classifiers differently when it "
            f"counts. Read the votes into memory ({option('engine', 'memory')})."
        )
    notes = Notes(rated.notes)
    again = (item[1:] == item[:-1]) & (who[1:] == who[:-1])
    if again.any():
        notes.info(f"{repeats(int(times[1:][again].sum()))}; each counts as a vote of its own.")
    raters, order = sorted_vocabulary(names)
    return Labels(
        items=rows.get("name", np.full(len(lists), None, dtype=object)),
        raters=raters,
        scale=rated.scale,
        item=item,
        rater=recoded(who, order),
        label=label,
        source=rated.source,
        notes=tuple(notes),
        sources=rated.sources,
        dropped=rated.dropped,
        backend=rated.backend,
        item_times=item_times,
        times=times,
    )


def memory_option(size: int) -> str:
    """Write the option that allows so many bytes."""
    return option("memory", f"{-(-size // 10**9)}GB")


# Votes of classifiers, for blind evaluation.

ROLES = ("classifier", "label", "probability")
"""Columns that votes may have beside items."""
BYTES_A_VOTE = 250
"""Memory that a vote takes while methods run, about."""


def pull_votes(
    rated: RatedTable, scan: RatingsScan, *, apart: Collection[str], one_by_one: str
) -> Labels:
    """Bring votes one by one while they fit, else counted; see `bring_votes`."""
    memory, enough = scan.choice.memory, rated.n_ratings * BYTES_A_VOTE
    if enough <= memory:
        return pull_ratings(rated, duplicates=scan.duplicates)
    if one_by_one:
        raise DataError(
            f"{one_by_one} needs votes one by one: {rated.source} has {rated.n_ratings:,}, and "
            f"{memory // BYTES_A_VOTE:,} fit. Allow more memory ({memory_option(enough)})."
        )
    return count_votes(rated, apart=apart, memory=memory, enough=enough)


def open_votes(scan: RatingsScan) -> RatedTable:
    """Open ratings whose raters are called classifiers, perhaps."""
    (relation,) = open_relations([Given(scan.data, scan.name)], scan.choice)
    names = [name for name in relation.names if name not in scan.reading.ignore]
    classifier, label, sure = (find_role(names, role) for role in ROLES)
    columns = dict(scan.given)
    if columns["rater"] is None and classifier is not None and label is not None:
        columns["rater"] = names[classifier]
    if sure is not None and scan.given["label"] is None and columns["rater"] is not None:
        relation.engine.close()
        raise NotReducedError(
            f"{relation.source}: column '{names[sure]}' says how sure classifiers are, which is "
            f"read into memory only ({option('engine', 'memory')}). For their labels alone, leave "
            f"it out ({option('ignore', names[sure])})."
        )
    return rated_of(relation, replace(scan, given=columns), people=False)


# Comparisons that users name to be counted where they are.


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparisonsScan(Scan):
    """Comparisons to be counted where they are stored; see :func:`scan_comparisons`."""

    unit: ClassVar[str] = "answer"
    counted: ClassVar[str] = "equal answers"

    def read(self, **options: Any) -> Comparisons:
        """Read them into memory instead, with `clusters` and `controls`."""
        from headcount.io.comparisons import read_comparisons

        return read_comparisons(self.data, **self.readers_options(), **options)


def scan_comparisons(
    data: Any,
    *,
    left: str | None = None,
    right: str | None = None,
    outcome: str | None = None,
    first_wins: object = None,
    rater: str | None = None,
    weight: str | None = None,
    ignore: Sequence[str] = (),
    where: Sequence[str] = (),
    missing: Sequence[str] = (),
    missing_words: bool = True,
    merge: Sequence[str] = (),
    engine: str | None = None,
    memory: str | int | None = None,
    glob: bool = False,
    name: str = "comparisons",
) -> ComparisonsScan:
    """Use comparisons that are too large for memory: DuckDB or Spark counts them where they are.

    This replaces :func:`headcount.read_comparisons` for large files. Pass what it returns to
    :func:`headcount.pairs`, which lets DuckDB or Spark count equal answers. Ratings and intervals
    are the same.

    Parameters
    ----------
    data : path, relation of DuckDB, or frame or table name of Spark
        Parquet or CSV, one row per answer.
    left, right, outcome, first_wins, rater, weight
        As for :func:`headcount.read_comparisons`.
    ignore, where, missing, missing_words, merge, name
        As for :func:`headcount.read_comparisons`.
    engine, memory, glob
        As for :func:`headcount.scan_ratings`.

    Examples
    --------
    >>> from headcount import pairs
    >>> pairs(scan_comparisons("example:battles")).provenance.n_comparisons
    600
    """
    return ComparisonsScan(
        data=data,
        given={
            "left": left,
            "right": right,
            "outcome": outcome,
            "first_wins": None if first_wins is None else str(first_wins),
            "rater": rater,
            "weight": weight,
        },
        reading=Reading.of(
            ignore=ignore, where=where, missing=missing, missing_words=missing_words, merge=merge
        ),
        choice=EngineChoice.of(engine=engine, memory=memory, glob=glob),
        name=name,
    )


# Comparisons for Bradley-Terry: equal answers, counted.

MOST_ANSWERS = 10_000_000
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
    (relation,) = open_relations([Given(scan.data, scan.name)], scan.choice)
    try:
        return _counted_comparisons(relation, scan, clusters, controls, raters)
    finally:
        relation.engine.close()


def _counted_comparisons(
    relation: Relation,
    scan: ComparisonsScan,
    clusters: Sequence[str],
    controls: Sequence[str],
    raters: bool,
) -> Comparisons:
    places = kept_columns(relation.names, scan.reading.ignore, relation.source)
    relation = replace(relation, columns=[relation.columns[index] for index in places])
    condition, left_out = condition_of(relation, scan.reading.where)
    shown = relation.first_rows(condition)
    laid_out = find_columns(shown, scan.given)
    roles = laid_out.roles
    if laid_out.layout.is_ranking:
        raise NotReducedError(
            f"{relation.source} holds rankings, which are read into memory only "
            f"({option('engine', 'memory')})."
        )
    beside = [part.strip() for name in controls for part in name.split(":")]
    names = [relation.names[index] for index in roles.values()]
    names = list(dict.fromkeys([*names, *clusters, *beside]))
    reading = replace(scan.reading, where=())
    grouped = partial(_grouped, relation, condition, left_out)
    who = relation.names[roles["rater"]] if "rater" in roles else None
    extra = list[Note]()
    try:
        table = grouped(names, _advice(who))
    except DataError:
        if who is None or raters or who in (*clusters, *beside):
            raise
        table = grouped([name for name in names if name != who], _advice(None))
        extra.append(
            Note(
                f"{relation.source}: raters and pairs are too many to tell answers of the same "
                "rater from others.",
                "caution",
            )
        )
    extra += _note_copies(relation, condition, names)
    laid_out = find_columns(table, scan.given)
    made = read_table(
        table,
        laid_out,
        reading,
        clusters=clusters,
        controls=controls,
        notes=extra,
        unread=_shared_columns(relation, condition, names),
    )
    notes = Notes(made.notes)
    notes.info(scan.note or f"{relation.engine.title} counted {relation.source} where it is.")
    made = replace(made, notes=tuple(notes))
    if len(made) * BYTES_A_RATING <= scan.choice.memory and made.times is not None:
        order = np.repeat(np.arange(len(made.times)), made.times)
        return replace(made, times=None).select(order)
    return made


def _advice(who: str | None) -> str:
    if who is None:
        return "Leave out items that were compared once or twice, or give some rows only."
    none = option("cluster", "none")
    return f"If answers of the same rater need not be told from others, say {none}."


def _grouped(
    relation: Relation, condition: str, dropped: dict[str, int], names: Sequence[str], advice: str
) -> CountedTable:
    """Count rows that are equal in some columns; values come back once, as codes else."""
    engine = relation.engine
    columns = [relation.column(name, "comparison") for name in names]
    values = [f"{relation.text(column)} AS v{i}" for i, column in enumerate(columns)]
    keys = ", ".join(f"v{i}" for i in range(len(columns)))
    cells = engine.keep(
        "answers",
        f"SELECT {keys}, count(*) AS n FROM (SELECT {', '.join(values)} FROM {relation.sql} "
        f"WHERE {condition}) AS said GROUP BY {keys}",
    )
    counted = int(engine.one(f"SELECT count(*) AS n FROM {cells}")["n"])
    if counted > MOST_ANSWERS:
        raise DataError(
            f"{relation.source}: {counted:,} different answers (items, outcome and what else "
            f"tells them apart), and {engine.title} may give back {MOST_ANSWERS:,}. {advice}"
        )
    listed: list[list[object]] = []
    joined = list[str]()
    for i in range(len(columns)):
        values_sql = engine.keep(
            f"known_{i}",
            "SELECT v, row_number() OVER (ORDER BY v) - 1 AS place FROM "
            f"(SELECT DISTINCT v{i} AS v FROM {cells} WHERE v{i} IS NOT NULL) AS different",
        )
        rows = engine.rows(
            f"SELECT v, place FROM {values_sql}", what="different values", most=MOST_ANSWERS
        )
        listed.append(rows["v"][np.argsort(rows["place"])].tolist())
        joined.append(f"LEFT JOIN {values_sql} ON answers.v{i} = known_{i}.v")
    codes = ", ".join(f"coalesce(known_{i}.place, -1) AS c{i}" for i in range(len(columns)))
    rows = engine.rows(
        f"SELECT {codes}, answers.n AS n FROM {cells} {' '.join(joined)}",
        what=f"different answers in {relation.source}",
        most=MOST_ANSWERS,
        advice=advice,
    )
    coded = [rows[f"c{i}"].astype(np.int64) for i in range(len(columns))]
    order = np.lexsort(coded[::-1])  # engines give rows in any order
    return CountedTable(
        [(code[order], texts) for code, texts in zip(coded, listed, strict=True)],
        names,
        rows["n"][order].astype(np.int64),
        source=relation.source,
        sources=relation.sources,
        notes=relation.notes,
        dropped=dropped,
        backend=relation.backend,
    )


def _shared_columns(relation: Relation, condition: str, read: Collection[str]) -> tuple[str, ...]:
    """Find columns that were not read, such as the prompt, whose values come again."""
    columns = [
        column
        for column in relation.columns
        if column.kind != "nested" and column.name not in read and shares(column.name)
    ]
    if not columns:
        return ()
    values = [relation.tidy(relation.text(column)) for column in columns]
    counts = ", ".join(f"count(DISTINCT {value}) AS v{i}" for i, value in enumerate(values))
    row = relation.engine.one(
        f"SELECT count(*) AS n, {counts} FROM {relation.sql} WHERE {condition}"
    )
    return tuple(
        column.name
        for i, column in enumerate(columns)
        if come_again(int(row[f"v{i}"]), int(row["n"]))
    )


def _note_copies(relation: Relation, condition: str, names: Sequence[str]) -> list[Note]:
    """Warn of rows that are the same as others in every column, where there are more columns.

    A sketch of their number first; they are grouped only if it says that there are many.
    """
    columns = [column for column in relation.columns if column.kind != "nested"]
    if {column.name for column in columns} <= set(names):
        return []
    texts = ", '|', ".join(f"coalesce({relation.text(c)}, '')" for c in columns)
    source = f"FROM {relation.sql} WHERE {condition}"
    counts = f"count(*) AS n, approx_count_distinct(concat({texts})) AS different"
    row = relation.engine.one(f"SELECT {counts} {source}")
    total, about = int(row["n"]), int(row["different"])
    if total < LEAST_ROWS_COPIED or total - about <= COMMON_COPIES / 2 * total:
        return []
    keys = ", ".join(column.sql for column in columns)
    row = relation.engine.one(
        f"SELECT count(*) AS n FROM (SELECT 1 AS one {source} GROUP BY {keys}) AS different"
    )
    copies = total - int(row["n"])
    if copies <= COMMON_COPIES * total:
        return []
    return [Note(copies_message(relation.source, copies, total), "warning")]
