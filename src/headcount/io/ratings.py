"""Read ratings, of whatever shape."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np

from headcount import options as check
from headcount.data.labels import Labels, Scale
from headcount.data.vocabulary import count_uses, find_labels, label_text, number_of
from headcount.errors import DataError, OptionError, count, option, some
from headcount.io.cells import (
    MAYBE_LABELS,
    said_plainly,
    without_missing,
    written_numbers,
    yes_or_no,
)
from headcount.io.counted_ratings import (
    CountColumns,
    Crosstab,
    Nested,
    counted_in_cells,
)
from headcount.io.findings import (
    check_codes,
    check_failures,
    check_far,
    check_mixed,
    check_tick,
    free_texts,
    models_among,
)
from headcount.io.label_order import declared_scale, in_order, ordered_scale, scale_of_words
from headcount.io.long_ratings import Long, Records, copies
from headcount.io.opening import (
    STDIN,
    check_file,
    check_headers,
    given_files,
    open_table,
    path_of,
    renamed,
    rows_where,
)
from headcount.io.reading import Reading, ReadOptions
from headcount.io.roles import ROLES, given_role, is_summary, plain_name
from headcount.io.shapes import LONG, Asked, Ratings, Shape
from headcount.io.tables import Coded, Table, with_row_numbers
from headcount.io.values import Several, any_form, merged
from headcount.io.wide_ratings import Matrix, Transposed, Wide
from headcount.results.notes import Note, Notes
from headcount.typing import Codes, Floats, Ids

__all__ = [
    "read_ratings",
    "read_rated",
    "note_missing",
    "SHAPES",
    "shape_of",
    "check_header",
    "MOST_RATERS_APART",
    "check_counts_apart",
    "counts_as_rater",
    "labels_said",
    "check_excluded",
    "SHAPE_NAMES",
]


def read_ratings(
    data: Any,
    *,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    duplicates: str = "error",
    transpose: bool | None = None,
    columns: Sequence[str] = (),
    shape: str | None = None,
    exclude: Sequence[str] = (),
    name: str = "ratings",
    **options: Unpack[ReadOptions],
) -> Labels:
    """Read ratings from a file, a frame or what is in memory.

    Long data have one column each for item, rater and label, and one row per rating. Columns are
    recognised by common names, and if two are recognised and one column is left, that is the third.
    Without a rater column, raters are anonymous. Columns of whole numbers called ``n_yes``,
    ``n_no`` count labels, as does a dict in a cell. Cells may contain lists of labels, and of
    raters. Anything else is wide: the first column (or one with a usual name) is the item, every
    other column a rater, and a blank is missing. A table that may be either is refused until an
    option says which. Values never decide which column is which: odd values are refused, or there
    is a warning.

    Parameters
    ----------
    data : path, frame, dict of columns, rows or array
        CSV, TSV, JSON lines or Parquet, gzipped or not, or a list of such files: one per rater, or
        rows to combine; any frame that narwhals reads, including DuckDB relations; a dict of
        columns; a list of dicts. Without column names: a list of tuples (item, rater, label), or an
        array or lists of items x raters, in which None and NaN are missing.
    item, rater, label : str, optional
        The columns for these. Naming the rater or the label means that data are long.
    labels : sequence of str, optional
        All the labels that raters could choose from, in order. Default: those they used; or the
        ordered categories of a frame.
    duplicates : {"error", "first", "retest"}
        What to do if a rater labels an item twice: refuse, keep the first, or also keep the second,
        so that :func:`headcount.agree` compares the two.
    transpose : bool, optional
        Whether the rows of wide data are raters, and the columns items. Default: no; a table whose
        first column has a usual name for raters or people is refused.
    columns : sequence of str
        The columns of wide data that are raters; all of them are kept, and apart from them only the
        item column is read: the one with a usual name, or the first one left.
    shape : {"long", "wide", "counts"}, optional
        How the data are laid out, if names do not show it: one row per rating; one column per
        rater; or one column per label, with the number of raters who gave it.
    exclude : sequence of str
        Raters to leave out, by name.
    name : str
        What messages call it, if it is no file.
    **options
        Further options of reading, for all readers:

        ignore : sequence of str
            Columns not to read, such as a column of wide data that is not a rater.
        where : dict, or sequence of "column=value"
            Rows to read, such as ``"status=approved"``. Several values of one column are
            alternatives; several columns must all match.
        missing : sequence of str
            Labels that mean 'missing', such as ``"99"``.
        missing_words : bool
            Whether the usual words (NA, N/A, nan, null, none, '.', '-', #N/A) also mean 'missing',
            unless `labels` has them. Items and raters may always have such names.
        merge : sequence of {"case", "space", "unicode", "punctuation", "number", "yes-no"}
            Differences to ignore between items, raters and labels. By default they count, with a
            warning. With ``"yes-no"``, labels Y, TRUE, 1 and yes are the same, if a file has
            several of them.
        format, encoding : str
            The format or encoding of the file, if it is not recognised.
        sheet : str
            The sheet of a workbook, if several contain such a table.
        question : str
            Which question to read, if several were asked about each item.

    Returns
    -------
    Labels
        Sorted, so that the order of rows does not matter. `notes` say how the data were read, and
        `dropped` counts what was left out, by reason.

    Notes
    -----
    Files are parsed and coded by DuckDB. Memory depends on the number of ratings, about 120 bytes
    each, not on the length of texts.

    Examples
    --------
    >>> read_ratings({"item": ["a", "b"], "ann": ["yes", "no"], "bob": [None, "no"]})
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    >>> read_ratings([("a", "ann", "yes"), ("b", "ann", "no"), ("b", "bob", "no")])
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    >>> read_ratings([["yes", None], ["no", "no"]])
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    """
    reading = Reading.of(**options)
    given = {"item": item, "rater": rater, "label": label}
    read = partial(
        read_rated, given=given, reading=reading, labels=labels, duplicates=duplicates,
        transpose=transpose, columns=columns, shape=shape, exclude=exclude, name=name,
    )  # fmt: skip
    if _are_files(data):
        paths = [Path(os.fsdecode(path)) for path in data]
        together = given_files.set([*given_files.get(), *map(str, paths)])
        try:
            for path in paths:
                if str(path) != STDIN:
                    check_file(path_of(path))
        finally:
            given_files.reset(together)
        each = [read(path, whole=False) for path in paths]
        return _put_together(paths, each, scale=declared_scale(labels))
    return read(data)


def _are_files(data: Any) -> bool:
    """Whether data are several files, as a list of their paths."""
    if not isinstance(data, list | tuple) or not data:
        return False
    paths = cast("Sequence[Any]", data)
    return all(
        isinstance(path, os.PathLike) or (isinstance(path, str) and os.path.isfile(path))
        for path in paths
    )


def _put_together(paths: Sequence[Path], read: Sequence[Labels], scale: Scale | None) -> Labels:
    """Put files of ratings together: rows below each other, or each file as a rater."""
    source = ", ".join(path.name for path in paths)
    alone = all(labels.anonymous or len(labels.raters) == 1 for labels in read)
    names = [path.stem for path in paths] if alone else [None] * len(paths)
    if not alone and any(labels.anonymous for labels in read):
        raise DataError(f"{source}: some files name their raters and others do not. Read one kind.")
    if alone and len({*names}) < len(names):
        raise DataError(f"{source}: each file is a rater, but two have the same name.")
    items: list[Any] = []
    raters: list[Any] = []
    given: list[Any] = []
    for each, name in zip(read, names, strict=True):
        items += each.items[each.item].tolist()
        raters += each.raters[each.rater].tolist() if name is None else [name] * len(each)
        given += np.array(each.scale.labels, dtype=object)[each.label].tolist()
    made = Labels.from_triples(items, raters, given, scale=scale, source=source)
    if scale is None:
        labels = made.label, list(made.scale.labels)
        check_codes(labels, source)
        check_raters_apart(labels, (made.rater, made.raters.tolist()), source, columns=False)
    how = "each file is a rater, named by it" if alone else "rows are put below each other"
    notes = [Note(f"{source}: {how}.", "info"), *(note for each in read for note in each.notes)]
    sources = tuple(file for each in read for file in each.sources)
    return replace(made, notes=tuple(notes), sources=sources)


def read_rated(
    data: Any,
    given: Mapping[str, str | None],
    reading: Reading,
    *,
    labels: Sequence[str] | None,
    duplicates: str,
    transpose: bool | None = None,
    columns: Sequence[str] = (),
    shape: str | None = None,
    exclude: Sequence[str] = (),
    name: str,
    people: bool = True,
    whole: bool = True,
) -> Labels:
    """Read ratings, with what says how put together.

    `people` is whether raters are people: columns of models may be called by two things, such as a
    model and a prompt, and each be a classifier all the same. `whole` is whether these are all the
    ratings, which show what the labels are, and not one file of several.
    """
    scale = declared_scale(labels)
    reading.check_labels(None if scale is None else scale.labels)
    if transpose is not None:
        check.switch(transpose, "transpose")
    for role, column in given.items():
        if column is not None and column in reading.ignore:
            raise OptionError(
                f"column '{column}' is the {role}, and is to be left out ({option('ignore')}). "
                "Choose one."
            )
    plain = not any(given.values())
    kind = "ratings" if plain and shape is None else None
    wanted = replace(reading, again=duplicates == "retest")
    table = open_table(data, name=name, reading=wanted, kind=kind, unnamed=True)
    if plain and not columns and shape is None:
        rows = (
            "item,ann,bob if each row is an item, or item,rater,label (in the order of the columns)"
        )
        check_header(table, f"{rows} if each is a rating")
    asked = Asked(
        rows_where(check_headers(table), reading.where),
        given,
        labels=None if scale is None else scale.labels,
        question=None if table.exported else reading.question,
        transpose=transpose,
        people=people,
        merge=reading.merge,
        skip=frozenset(column for column, _ in reading.where),
        columns=tuple(given_role(table, "rater", name) for name in columns),
        shape=None if shape is None else check.one_of(shape, "shape", list(SHAPE_NAMES)),
        whole=whole,
    )
    made = without_raters(shape_of(asked).read(asked), exclude)
    return _checked(made, asked, scale, reading, duplicates)


def counts_as_rater(source: str, names: Sequence[str]) -> str:
    """Say that raters who may be no persons, by their names, count as raters."""
    return (
        f"{source}: {some(names)} counts as a rater. If that is the truth, or what raters said "
        f"together, leave it out with {option('exclude', Several(names))}."
    )


def check_excluded(exclude: Sequence[str], raters: Sequence[str], source: str) -> None:
    """Refuse to leave out raters who are not there."""
    if unknown := [name for name in exclude if name not in raters]:
        raise DataError(
            f"{source}: no rater '{unknown[0]}' to leave out ({option('exclude')}). Raters: "
            f"{some(raters, 12)}."
        )


def without_raters(made: Ratings, exclude: Sequence[str]) -> Ratings:
    """Leave out raters by name; say so of those who may be no persons, but leave them in."""
    source = made.table.source
    codes, texts = (None, list[str]()) if made.raters is None else made.raters
    check_excluded(exclude, texts, source)
    summaries = [text for text in texts if is_summary(plain_name(text)) and text not in exclude]
    if summaries and len(summaries) < len(texts):
        made.notes.warning(counts_as_rater(source, summaries))
    if codes is None or not exclude:
        return made
    out = np.array([text in exclude for text in texts])
    kept = (codes < 0) | ~out[codes]
    table = made.table
    table.dropped = Counter(table.dropped) + Counter({"rater left out": int((~kept).sum())})
    left = [text for text in texts if text not in exclude]
    recode = np.append(np.cumsum(~out) - 1, -1)  # the last is that of a blank
    return replace(
        made,
        items=(made.items[0][kept], made.items[1]),
        raters=(recode[codes[kept]], left),
        labels=(made.labels[0][kept], made.labels[1]),
        rows=np.flatnonzero(kept) if made.rows is None else made.rows[kept],
    )


def _checked(
    made: Ratings, asked: Asked, scale: Scale | None, reading: Reading, duplicates: str
) -> Labels:
    """Build labels from what a shape gives: say what is missing, merge, and refuse codes."""
    people = asked.people
    table, notes = made.table, Notes(made.table.notes)
    notes.extend(made.notes)
    dropped: Counter[str] = Counter(table.dropped)
    if made.blanks and (empty := int((made.labels[0] < 0).sum())):
        dropped["no label"] += empty
        notes.caution(f"{table.source}: {count(empty, 'row')} without a label left out.")
    labels = _labels(made, scale, reading, dropped, notes)

    def ids(coded: Coded, role: str) -> Coded:
        codes, texts = coded
        if blank := _blank_rows(made, codes):
            dropped[f"no {role}"] += blank
            article = "an" if role == "item" else "a"
            notes.caution(
                f"{table.source}: {count(blank, 'row')} without {article} {role} left out."
            )
        return merged((codes, texts), role, reading.merge, table.source, notes)

    items = ids(made.items, "item")
    raters = None if made.raters is None else ids(made.raters, "rater")
    counts = count_uses(*labels)
    unmerged = labels
    labels = merged(labels, "label", reading.merge, table.source, notes, counts=counts)
    counts = counts if labels[0] is unmerged[0] else count_uses(*labels)
    uses = {text: n for text, n in zip(labels[1], counts.tolist(), strict=True) if n}
    if scale is None:
        scale = ordered_scale(made.order, labels)
    if scale is None and people:
        scale = scale_of_words(list(uses), table.source, notes)
    if scale is None:
        if not made.blanks:
            check_tick(list(uses), len(labels[0]) - int(counts.sum()), table.source)
        at = partial(_place, made, labels[0])
        if asked.whole:
            check_codes(labels, table.source, counts=counts)
        if not people:
            check_failures(uses, table.source, what="label")
        if raters is not None and asked.whole and not asked.columns:
            check_raters_apart(labels, raters, table.source, columns=not made.blanks)
        if people:
            check_mixed(labels, at, counts=counts)
            check_far(labels, at, notes, counts=counts)
    build = partial(
        Labels.from_codes,
        items,
        raters,
        labels,
        scale=scale,
        duplicates=duplicates,
        source=table.source,
        notes=tuple(notes),
        sources=table.sources,
        dropped=dict(dropped),
        backend=table.backend,
    )

    def numbered(rows: Codes | None) -> Labels:
        if rows is not None and made.rows is not None:
            rows = rows[made.rows]
        return build(rows=rows)

    rated = replace(with_row_numbers(table, numbered), nested_in=_nested_in(made))
    found = free_texts(table.source, rated.scale.labels, len(rated.label))
    if not rated.anonymous:
        found += models_among(table.source, rated.raters) if people else []
    return replace(rated, notes=(*rated.notes, *found)) if found else rated


CLUSTER_WORDS = frozenset(
    {
        "document", "doc", "document_id", "doc_id", "docid", "conversation", "conversation_id",
        "dialogue", "dialogue_id", "dialog", "dialog_id", "thread", "thread_id", "prompt",
        "prompt_id", "question_id", "article", "article_id", "passage", "passage_id", "story",
        "story_id", "essay_id", "video", "video_id", "patient", "patient_id", "cluster",
        "cluster_id", "post_id", "page_id", "source_id", "text_id",
    }
)  # fmt: skip
"""What columns are called that several items have in common."""


def _nested_in(made: Ratings) -> str | None:
    """Find a column that is called as documents are, of which one holds two items or more."""
    item = made.items[0]
    for column, name in enumerate(made.table.names):
        if plain_name(name) not in CLUSTER_WORDS:
            continue
        codes = made.table.codes(column)[0]
        codes = codes if made.rows is None else codes[made.rows]
        if len(codes) != len(item):
            continue
        known = (codes >= 0) & (item >= 0)
        pairs = np.unique(np.stack([item[known], codes[known]]), axis=1)
        documents = len(np.unique(pairs[1]))
        if len(np.unique(pairs[0])) == pairs.shape[1] >= 2 * documents and documents > 1:
            return name
    return None


def _place(made: Ratings, codes: Codes, code: int) -> str:
    """Say where a label stands first: the row of the file, and the rater."""
    first = int(np.flatnonzero(codes == code)[0])
    at = made.table.at(first if made.rows is None else int(made.rows[first]))
    if made.raters is None or made.raters[0][first] < 0:
        return at
    return f"{at}, rater '{made.raters[1][int(made.raters[0][first])]}'"


def _uses(labels: Coded) -> dict[str, int]:
    """Labels that are used, and how often."""
    return {text: n for text, n in zip(labels[1], count_uses(*labels).tolist(), strict=True) if n}


def _blank_rows(made: Ratings, codes: Codes) -> int:
    """Rows of the table in which a column is blank."""
    blank = codes < 0
    return int(blank.sum()) if made.rows is None else len(np.unique(made.rows[blank]))


def _labels(
    made: Ratings, scale: Scale | None, reading: Reading, dropped: Counter[str], notes: Notes
) -> Coded:
    """Take out labels that mean that there is none, and count them."""
    codes, texts = made.labels
    declared = () if scale is None else scale.labels
    uses = _uses(made.labels)
    if scale is None and (steps := in_order(list(uses))) is not None:
        declared = steps  # of which 'none' may be one
    left, kept, written = without_missing(
        codes,
        texts,
        missing=reading.missing,
        labels=declared,
        words=() if made.labels_are_names else reading.words,
    )
    note_missing(made.table.source, kept, written, uses, reading, dropped, notes)
    used = list(uses if kept == texts and left is codes else _uses((left, kept)))
    comma = made.table.decimal_comma
    plain = labels_said(used, scale, made.table.source, notes, decimal_comma=comma)
    if plain == used:
        return left, kept
    names = dict(zip(used, plain, strict=True))
    return renamed(left, [names.get(text, text) for text in kept])


def labels_said(
    used: Sequence[str], scale: Scale | None, source: str, notes: Notes, *, decimal_comma: bool
) -> list[str]:
    """Read labels that are numbers with commas or percent signs.

    Of labels that are declared only numbers are read, unless all are declared as they are written.
    """
    if scale is not None:
        declared = bool((find_labels(used, scale.labels) >= 0).all())
        said = None if declared else written_numbers(used, decimal_comma=decimal_comma)
    else:
        said = said_plainly(used, source, decimal_comma=decimal_comma)
    if said is None:
        return list(used)
    notes.extend([said.note(source)])
    return said.texts


def note_missing(
    source: str,
    kept: Sequence[str],
    written: Sequence[str],
    uses: Mapping[str, int],
    reading: Reading,
    dropped: Counter[str],
    notes: Notes,
) -> None:
    """Say which labels were read as missing, of those that are `written` so."""
    for word in written:
        dropped[f"label is {word}"] += uses.get(word, 0)
    met = {label_text(word) for word in written}
    never = [value for value in reading.missing if label_text(value) not in met]
    if never:
        notes.caution(f"{source}: no label is {some(never)}, declared to be missing.")
    doubtful = [word for word in written if word in MAYBE_LABELS and word not in reading.missing]
    if doubtful:
        every = option("labels", Several([*sorted(kept), *doubtful]))
        keep = (
            f"name all labels with {every}"
            if len(kept) <= 12
            else (f"say {option('missing_words', False)}, which keeps all such words")
        )
        notes.warning(
            f"{source}: {_times(doubtful, uses)} read as missing. If it is a label, {keep}."
        )
    if clear := [word for word in written if word not in doubtful]:
        notes.caution(f"{source}: {_times(clear, uses)} read as missing.")


def _times(words: Sequence[str], uses: Mapping[str, int]) -> str:
    return ", ".join(f"'{word}' ({count(uses.get(word, 0), 'rating')})" for word in words[:5])


# The list of shapes in which ratings come.

SHAPES: tuple[Shape, ...] = (
    Matrix(),
    Records(),
    Crosstab(),
    Transposed(),
    Nested(),
    CountColumns(),
    Long(),
    Wide(),
)
"""Shapes, in the order in which they are tried."""


SHAPE_NAMES = {"long": Long, "wide": Wide, "counts": CountColumns}
"""Shapes that a caller may name."""


def shape_of(asked: Asked) -> Shape:
    """Choose the shape of a table: what the caller says, or the first in the list that fits."""
    if asked.columns and asked.shape is None:
        return Wide()
    if asked.shape == "counts" and asked.may_nest and counted_in_cells(asked) is not None:
        return Nested()
    if asked.shape is not None:
        return SHAPE_NAMES[asked.shape]()
    flat = not asked.nested and asked.table.form == "named"
    if flat and {*LONG} <= asked.roles.keys() and not copies(asked.table.names):
        return Long()  # the likeliest, which no other shape fits
    return next(shape for shape in SHAPES if shape.fits(asked))


# Whether the first row of a file names the columns, or is data already.

_ENOUGH_ITEMS = 20
"""Items that show how items are called."""
_KNOWN_NAMES = frozenset(name for role in (*LONG, "classifier") for name in ROLES[role])


def names_are_data(table: Table) -> bool:
    """Whether what should be names of columns are an item and what was said of it.

    None of them is a name by which columns are known, and all are said below. Raters may be called
    like labels (1, 2, 3), so that either the first name is called as items are (t0 above t1), or
    each other is a value of its own column and they are not numbers in order.
    """
    names = table.names
    if table.form != "named" or table.exported or table.backend is not None or len(names) < 2:
        return False
    if table.nested() or any(not name or plain_name(name) in _KNOWN_NAMES for name in names):
        return False
    if _called_alike(names[0], table.codes(0)[1]):
        said = {value for column in range(1, len(names)) for value in table.codes(column)[1]}
        return said.issuperset(names[1:])
    # Mostly the second column tells that it is none, so that others need not be read twice.
    return not _numbered(names[1:]) and all(
        name in table.codes(column)[1] for column, name in enumerate(names) if column
    )


def check_header(table: Table, such_as: str) -> None:
    """Refuse a file whose first row is data: it would be lost, and name the columns."""
    if table.sources and names_are_data(table):
        shown = ",".join(table.names[:4]) + (",..." if len(table.names) > 4 else "")
        raise DataError(
            f"{table.source}: the first row seems to be data ({shown}), and must name the columns. "
            f"Put a row above it, such as {such_as}. If it names them, name the item column with "
            f"{option('item', table.names[0])}."
        )


def _numbered(names: list[str]) -> bool:
    """Whether names count from 0 or 1 on."""
    numbers = [number_of(name) for name in names]
    return any(numbers == list(range(start, start + len(names))) for start in (0, 1))


def _called_alike(name: str, items: list[str]) -> bool:
    """Whether items are called like a name but for their numbers."""

    def shape(text: str) -> str:
        return re.sub(r"\d+", "0", text)

    return all(shape(item) == shape(name) for item in items[:_ENOUGH_ITEMS])


# Raters who do not answer as the others do: other words, or another scale.

LEAST_RATINGS = 5
"""Ratings that show which labels a rater uses."""
MOST_RATERS_APART = 200


def check_raters_apart(labels: Coded, raters: Coded, source: str, *, columns: bool) -> None:
    """Refuse raters who use labels that nobody else uses: these are other questions, or facts.

    `columns` says whether each rater is a column, which may hold no ratings at all.
    """
    (codes, texts), (rater, names) = labels, raters
    if not 1 < len(names) <= MOST_RATERS_APART:
        return
    # Blanks are counted in a row and a column more, which -1 names.
    size = (len(names) + 1, len(texts) + 1)
    used = np.zeros(size[0] * size[1], dtype=np.int64)
    step = max(1 << 16, 4 * len(used))
    for start in range(0, len(codes), step):
        rows = slice(start, start + step)
        cell = (rater[rows].astype(np.int64) + 1) * size[1] + codes[rows] + 1
        used += np.bincount(cell, minlength=len(used))
    used = used.reshape(size)[1:, 1:]
    if used.any():
        check_counts_apart(used, texts, names, source, columns=columns)


def check_counts_apart(
    used: Codes, texts: Sequence[str], names: Sequence[str], source: str, *, columns: bool
) -> None:
    """Check as :func:`check_raters_apart` does, by how often each rater gave each label."""
    numbers = np.array([np.nan if (n := number_of(text)) is None else n for text in texts])
    forms = np.array([any_form(text) for text in texts])
    apart = [
        rater
        for rater, own in enumerate(used > 0)
        if used[rater].sum() >= LEAST_RATINGS
        and (others := np.delete(used, rater, axis=0).any(axis=0)).any()
        and _is_apart(numbers[own], numbers[others], forms[own], forms[others])
    ]
    if not apart:
        return
    others = [n for n in range(len(names)) if n not in apart and used[n].any()] or apart[1:]
    labels = np.array([label_text(text) for text in texts], dtype=object)
    examples = "; ".join(
        f"'{names[n]}' says {some(labels[used[n] > 0].tolist())}"
        for n in dict.fromkeys([*apart[:2], *others[:1]])
    )
    odd = [names[n] for n in apart]
    english = [yes_or_no(text) for text in texts]
    alike = f", or add {option('merge', 'yes-no')}" if len({*english}) < len(texts) else ""
    leave = option("ignore" if columns else "exclude", Several(odd) if len(odd) > 1 else odd[0])
    if columns and (ids := [names[n] for n in apart if used[n].max() == 1]):
        leave += f" (if '{ids[0]}' names the items, say {option('item', ids[0])})"
    raise DataError(
        f"{source}: {some(odd)} {'shares' if len(odd) == 1 else 'share'} no scale with the other "
        f"raters, so that nobody could agree: {examples}. Leave out what is not a rater with "
        f"{leave}; write what means the same alike{alike}; if all are answers on one scale, "
        f"name all labels with {option('labels', '...')}."
    )


def _is_apart(own: Floats, others: Floats, forms: Ids, other_forms: Ids) -> bool:
    """Whether words are none of those that others use, or most numbers are far outside theirs."""
    if np.isnan(own).any() or np.isnan(others).any():
        unlike = np.isnan(own).all() != np.isnan(others).all()  # numbers beside words
        return bool(len(own) > 1 or unlike) and not {*forms.tolist()} & {*other_forms.tolist()}
    length = others.max() - others.min()
    far = (own < others.min() - length) | (own > others.max() + length)
    return bool(2 * far.sum() > len(own) > 1)
