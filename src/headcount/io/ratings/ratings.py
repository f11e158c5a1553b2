"""Read ratings, of whatever shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from headcount import options
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.data.vocabulary import label_text
from headcount.errors import DataError, OptionError, count, option, some
from headcount.io.findings import free_texts, models_among, most_from_one
from headcount.io.ratings.header import with_header
from headcount.io.ratings.raters_apart import check_raters_apart
from headcount.io.ratings.scales import declared_scale, ordered_scale, scale_of_words
from headcount.io.ratings.shapes.base import Asked, Ratings
from headcount.io.ratings.shapes.beside.form_tools import check_form_tools
from headcount.io.ratings.shapes.beside.truth_as_rater import without_truth
from headcount.io.ratings.shapes.catalogue import shape_of
from headcount.io.reading import Reading
from headcount.io.tables.open_table import MAYBE_NAMED, NO_HEADER, open_table
from headcount.io.tables.some_rows import rows_where, without_headers
from headcount.io.tables.table import Coded, note_trimmed, with_row_numbers
from headcount.io.values.failures import check_failures
from headcount.io.values.ladders import in_order
from headcount.io.values.merges import merged
from headcount.io.values.missing import (
    MAYBE_LABELS,
    PROGRAMS_MISSING,
    without_missing,
)
from headcount.io.values.misspelt import note_misspelt
from headcount.io.values.no_answer import check_codes, check_ticks
from headcount.io.values.option_list import Several
from headcount.io.values.plainly import plainly
from headcount.io.values.units import check_ends
from headcount.io.values.zeros import check_zeros
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["note_missing", "read_rated", "read_ratings"]


def read_ratings(
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
    merge: Sequence[str] = (),
    format: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    question: str | None = None,
    transpose: bool | None = None,
    name: str = "ratings",
) -> Labels:
    """Read ratings from a file, a frame or what is in memory.

    Long data have a column each for item, rater and label, and a row for each rating. The columns
    are found by the names people use, and where two are and one column is left, that is the third.
    Without raters they are anonymous. Columns of whole numbers called ``n_yes``, ``n_no``, or
    that add up to the same sum in every row, count labels, as does a dict in a cell. Lists in
    cells hold labels, and raters beside them. Anything else is wide: the first column (or one
    named as items are) is the item, every other column a rater, blank is missing; where the first
    column is named as raters or people are, raters are the rows. A table that may be either, such
    as one of which the first column is called name, is refused until `transpose` says which.

    Parameters
    ----------
    data : path, frame, dict of columns, rows or array
        CSV, TSV, JSON lines or Parquet, gzipped or not; any frame that narwhals reads, DuckDB's
        relations among them; a dict of columns; a list of dicts. Without names of columns: a list
        of tuples (item, rater, label), or an array or lists of items x raters, in which None and
        NaN are missing.
    item, rater, label : str, optional
        Columns that play these roles. Naming the rater or the label means that data are long.
    labels : sequence of str, optional
        All the labels that raters could choose from, in order. Default: those they used; the
        categories, in order, of a frame that has them so.
    duplicates : {"error", "first", "retest"}
        What to do when a rater labels an item twice: refuse, keep the first, or keep the second
        beside it, for :func:`headcount.agree` to compare the two.
    ignore : sequence of str
        Columns that are not read, such as a column of wide data that is no rater's.
    where : dict, or sequence of "column=value"
        Rows to read, such as ``"status=approved"``. Several values of one column are
        alternatives; several columns must all fit.
    missing : sequence of str
        Labels that mean that there is none, such as ``"99"``. The usual words (NA, N/A, nan, null,
        none, '.', '-') do unless `labels` has them.
    merge : sequence of {"case", "space", "unicode", "punctuation", "number", "yes-no"}
        What does not tell items, raters and labels apart. By default it does, with a warning.
        With ``"yes-no"``, labels Y, TRUE, 1 and yes are one, where a file has several of them.
    format, encoding : str, optional
        Of the file, where it is not recognised.
    sheet : str, optional
        Of a workbook, where it is not the only one that holds such a table.
    question : str, optional
        Which of several questions that were asked of each item.
    transpose : bool, optional
        Whether raters are the rows of wide data, and items the columns. Default: whether the
        first column is named as raters are.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Labels
        In canonical order: that of the rows does not matter. Its `notes` say how the data were
        read, and `dropped` counts what was left out, by reason.

    Notes
    -----
    Files are parsed and coded by DuckDB, in memory that does not grow with the number of text
    values but with that of ratings: about 120 bytes each.

    Examples
    --------
    >>> read_ratings({"item": ["a", "b"], "ann": ["yes", "no"], "bob": [None, "no"]})
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    >>> read_ratings([("a", "ann", "yes"), ("b", "ann", "no"), ("b", "bob", "no")])
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    >>> read_ratings([["yes", None], ["no", "no"]])
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    """
    reading = Reading.of(
        ignore=ignore, where=where, missing=missing, merge=merge, format=format,
        encoding=encoding, sheet=sheet, question=question,
    )  # fmt: skip
    given = {"item": item, "rater": rater, "label": label}
    return read_rated(
        data, given, reading, labels=labels, duplicates=duplicates, transpose=transpose, name=name
    )


def read_rated(
    data: Any,
    given: Mapping[str, str | None],
    reading: Reading,
    *,
    labels: Sequence[str] | None,
    duplicates: str,
    transpose: bool | None = None,
    name: str,
    people: bool = True,
) -> Labels:
    """Read ratings, with what says how put together.

    `people` is whether raters are people: columns of models may be called by two things, such as a
    model and a prompt, and each be a classifier all the same.
    """
    scale = declared_scale(labels)
    reading.check_labels(None if scale is None else scale.labels)
    if transpose is not None:
        options.switch(transpose, "transpose")
    for role, column in given.items():
        if column is not None and column in reading.ignore:
            raise OptionError(
                f"column '{column}' is the {role}, and is to be left out ({option('ignore')}). "
                "Choose one."
            )
    plain = not any(given.values())
    opened = partial(open_table, data, name=name, reading=reading)
    table = opened(kind="ratings" if plain else None, columns=MAYBE_NAMED)
    if plain:
        table = with_header(table, partial(opened, columns=NO_HEADER))
    asked = Asked(
        rows_where(without_headers(table), reading.where),
        given,
        labels=None if scale is None else scale.labels,
        question=None if table.exported else reading.question,
        transpose=transpose,
        people=people,
        merge=reading.merge,
        skip=frozenset(column for column, _ in reading.where),
    )
    check_form_tools(asked)
    made = shape_of(asked).read(asked)
    made = without_truth(made) if people else made
    return _checked(made, scale, reading, duplicates, people=people)


def _checked(
    made: Ratings, scale: Scale | None, reading: Reading, duplicates: str, *, people: bool
) -> Labels:
    """Build labels from what a shape gives: say what is missing, merge, and refuse codes."""
    table, notes = made.table, Notes(made.table.notes)
    notes.extend(made.notes)
    note_trimmed(table, notes)
    dropped: Counter[str] = Counter(table.dropped)
    labels = _labels(made, scale, reading, dropped, notes)
    _note_blank(made, int((labels[0] < 0).sum()), dropped, notes)

    def ids(coded: Coded, role: str) -> Coded:
        codes, texts, _ = without_missing(*coded, words=PROGRAMS_MISSING)
        if blank := _blank_rows(made, codes):
            dropped[f"no {role}"] += blank
            article = "an" if role == "item" else "a"
            notes.caution(
                f"{table.source}: {count(blank, 'row')} without {article} {role} left out."
            )
        return merged((codes, texts), role, reading.merge, table.source, notes)

    items = ids(made.items, "item")
    raters = None if made.raters is None else ids(made.raters, "rater")
    labels = merged(labels, "label", reading.merge, table.source, notes)
    if scale is None:
        scale = ordered_scale(made.order, labels)
    if scale is None and people:
        scale = scale_of_words(_used(*labels), table.source, notes)
    if scale is None and (raters is None or len(raters[1]) == 1):
        _check_votes(items, labels, table.source)
    if scale is None:
        check_ticks(labels, blanks=made.blanks, source=table.source)
        check_codes(labels, None if raters is None else raters[0], table.source, notes)
        if not people:
            check_failures(_times_of(labels), table.source, what="label")
        if people:
            check_zeros(labels, items[0], table.source, notes)
            _check_spelling(labels, raters, table.source, notes)
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

    rated = with_row_numbers(table, numbered)
    found = free_texts(table.source, rated.scale.labels, len(rated.label))
    if not rated.anonymous:
        found += most_from_one(table.source, rated.raters, rated.rater)
        found += models_among(table.source, rated.raters) if people else []
    return replace(rated, notes=(*rated.notes, *found)) if found else rated


def _check_votes(items: Coded, labels: Coded, source: str) -> None:
    """Refuse cells that hold the answers of several raters: 'yes,no,yes'."""
    texts = _used(*labels)
    if len(items[1]) < int((labels[0] >= 0).sum()) or len(texts) < 2:
        return
    for sign in ",;|/":
        parts = [[part.strip() for part in text.split(sign)] for text in texts]
        several = [own for own in parts if len(own) > 1]
        again = any(len({*own}) < len(own) for own in several)
        if again and len(several) == len(parts) and len({p for own in parts for p in own}) <= 20:
            raise DataError(
                f"{source}: cells such as '{texts[0][:40]}' seem to hold the answers of several "
                "raters. Give each answer a row (item, label) or each rater a column; or save the "
                "answers as lists, as JSON lines."
            )


def _check_spelling(labels: Coded, raters: Coded | None, source: str, notes: Notes) -> None:
    """Check that raters write labels alike."""
    if raters is not None:
        check_raters_apart(labels, raters, source, notes)
    note_misspelt(_times_of(labels), source, notes)


def _times_of(labels: Coded) -> dict[str, int]:
    """Labels that are used, and how often."""
    uses = np.bincount(labels[0][labels[0] >= 0], minlength=len(labels[1])).tolist()
    return {text: n for text, n in zip(labels[1], uses, strict=True) if n}


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
    if scale is None and (steps := in_order(_used(codes, texts))) is not None:
        declared = steps  # of which 'none' may be one
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    left, kept, written = without_missing(codes, texts, missing=reading.missing, labels=declared)
    uses = dict(zip(texts, counts.tolist(), strict=True))
    note_missing(
        made.table.source, kept, written, uses, reading, dropped, notes, blanks=made.blanks
    )
    return (left, kept) if scale is not None else _plainly(made, left, kept, notes)


def _plainly(made: Ratings, codes: Codes, texts: list[str], notes: Notes) -> Coded:
    """Read labels by what they say, where they are JSON or have words or signs around."""
    used = _used(codes, texts)
    said = plainly(used)
    check_ends(used if said is None else said.texts, made.table.source)
    if said is None:
        return codes, texts
    notes.caution(f"{made.table.source}: {said.how}.")
    return _renamed(codes, texts, dict(zip(used, said.texts, strict=True)))


def _used(codes: Codes, texts: Sequence[str]) -> list[str]:
    """Texts that are used."""
    times = np.bincount(codes[codes >= 0], minlength=len(texts))
    return [text for text, number in zip(texts, times.tolist(), strict=True) if number]


def _renamed(codes: Codes, texts: Sequence[str], names: Mapping[str, str]) -> Coded:
    """Give texts other names; those of one name become one."""
    place: dict[str, int] = {}
    recode = [place.setdefault(names.get(text, text), len(place)) for text in texts]
    return np.array([*recode, -1])[codes], list(place)


def note_missing(
    source: str,
    kept: Sequence[str],
    written: Sequence[str],
    uses: Mapping[str, int],
    reading: Reading,
    dropped: Counter[str],
    notes: Notes,
    *,
    blanks: bool,
) -> None:
    """Say which labels were read as missing, of those that are `written` so."""
    for word in written:
        dropped[f"label is {word}"] += uses[word]
    met = {label_text(word) for word in written}
    never = [value for value in reading.missing if label_text(value) not in met]
    if never:
        notes.caution(f"{source}: no label is {some(never)}, declared to be missing.")
    doubtful = [word for word in written if word in MAYBE_LABELS and word not in reading.missing]
    if doubtful:
        everything = Several([*sorted(kept), *doubtful]) if len(kept) <= 12 else ...
        notes.warning(
            f"{source}: {_times(doubtful, uses)} read as missing. If it is a label, "
            f"name all labels with {option('labels', everything)}."
        )
    clear = [word for word in written if word not in doubtful]
    if clear and not blanks:
        notes.caution(f"{source}: {_times(clear, uses)} read as missing.")


def _note_blank(made: Ratings, blank: int, dropped: Counter[str], notes: Notes) -> None:
    """Say how many rows have no label, where a row is a rating."""
    if not blank or not made.blanks:
        return
    words = {
        reason.removeprefix("label is "): number
        for reason, number in dropped.items()
        if reason.startswith("label is ")
    }
    empty = blank - sum(words.values())
    if empty > 0:
        dropped["no label"] += empty
    how = f" (written as {some(words)})" if words else ""
    notes.caution(f"{made.table.source}: {count(blank, 'row')} without a label left out{how}.")


def _times(words: Sequence[str], uses: Mapping[str, int]) -> str:
    return ", ".join(f"'{word}' ({count(uses[word], 'rating')})" for word in words[:5])
