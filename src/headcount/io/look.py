"""Look at files before anything is computed from them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, cast

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.facts import Facts
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import find_sets, match_ids
from headcount.errors import DataError
from headcount.io.look_kinds import KINDS, Kind, kind_of
from headcount.io.look_result import LookResult, Seen, Shared, next_steps, unmatched
from headcount.io.opening import (
    is_path,
    kinds_in,
    open_table,
    path_of,
    recognise,
    rows_where,
    saved,
)
from headcount.io.reading import Reading, ReadOptions
from headcount.io.roles import roles_of
from headcount.io.tables import Table
from headcount.io.tools.exports import Tool
from headcount.io.values import match_items
from headcount.results.notes import Note, Notes, Provenance

__all__ = [
    "look_at",
]


COMPARED = frozenset({"left", "right", "outcome", "first_wins"})
"""Options of comparisons alone: who gives one says what the data are."""
_OF: dict[type, str] = {
    Labels: "ratings", Predictions: "predictions", Comparisons: "comparisons", Facts: "gold",
}  # fmt: skip


def look_at(data: Sequence[Any], given: Mapping[str, Any]) -> LookResult:
    """Tell what data are that are read into memory; see :func:`headcount.look`.

    Parameters
    ----------
    data : sequence of path, frame, dict of columns, rows or array
    given : mapping of str to object
        Options of readers; each is given those that it takes.
    """
    if not data:
        raise DataError("nothing to look at. Give a file, or several.")
    options = {
        name: value
        for name, value in given.items()
        if value not in (None, (), [])
        and (name, value) not in (("duplicates", "error"), ("missing_words", True))
    }  # without what readers do anyway, which the way out of a refusal may replace
    notes = Notes()
    seen = [
        file for source in data for file in _seen(source, _ignoring(source, data, options), notes)
    ]
    shared = _shared(seen, notes)
    return LookResult(
        seen=tuple(seen),
        shared=tuple(shared),
        steps=tuple(next_steps(seen)),
        notes=tuple(notes),
        provenance=_provenance(seen),
    )


def _ignoring(source: Any, data: Sequence[Any], options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Leave out columns not to read that another source has, and this one does not."""
    if len(data) < 2 or not options.get("ignore"):
        return options
    own, every = _columns(source), set[str]().union(*map(_columns, data))
    ignore = [name for name in options["ignore"] if name in own or name not in every]
    return {name: value for name, value in {**options, "ignore": ignore}.items() if value != []}


def _columns(data: Any) -> set[str]:
    """Names of the columns of a source; none where it is no table."""
    if isinstance(data, tuple(_OF)):
        return set()
    try:
        return set(open_table(data, name="data", unnamed=True, unique=False).names)
    except DataError:  # for its reader to say
        return set()


def _seen(data: Any, options: Mapping[str, Any], notes: Notes) -> Iterator[Seen]:
    """Look at one source, which may hold several kinds of data."""
    kinds = {kind.name: kind for kind in KINDS}
    for type_, name in _OF.items():
        if isinstance(data, type_):
            yield _described(kinds[name], None, data, {}, notes)
            return
    reading = Reading.of(**{k: v for k, v in options.items() if k in ReadOptions.__annotations__})
    path = saved(path_of(data)) if is_path(data) else None
    if path is not None and (recognised := recognise(path, reading)) is not None:
        tool = recognised[0]
        try:
            held = kinds_in(path, reading) or tool.kinds[:1]
        except DataError:  # of the whole file, whatever it holds
            held = ["ratings"]
        for kind in (kinds[name] for name in held):
            read = _read(kind, data, options)
            yield _described(kind, os.fsdecode(data), read, options, notes, tool=tool)
        return
    plain = replace(reading, where=(), missing=(), merge=(), question=None)
    table = open_table(data, name="data", reading=plain, unnamed=True, unique=False)
    table = rows_where(table, reading.where)
    kind = kind_of(table, "" if path is None else path.name.split(".")[0])
    if COMPARED & options.keys():
        kind = kinds["comparisons"]
    given = None if path is None else os.fsdecode(data)
    yield _described(kind, given, _read(kind, data, options), options, notes, table=table)


def _read(kind: Kind, data: Any, options: Mapping[str, Any]) -> Any:
    """Read data of a kind, with the options that it takes; or return why they are refused."""
    try:
        return kind.read(data, **{k: v for k, v in options.items() if k in kind.takes})
    except DataError as refusal:
        return refusal


def _described(
    kind: Kind,
    given: str | None,
    read: Any,
    options: Mapping[str, Any],
    notes: Notes,
    *,
    table: Table | None = None,
    tool: Tool | None = None,
) -> Seen:
    """Describe what was read of a source, of which `given` is the path, or why nothing was."""
    written_by = None if tool is None else tool.title
    if isinstance(read, DataError):
        name = "data" if given is None else Path(given).name
        name = name if table is None else table.source
        notes.warning(read.marked)
        return Seen(
            name=name,
            given=given or name,
            kind=None,
            source=next(iter(() if table is None else table.sources), None),
            tool=written_by,
            counts={} if table is None else {"rows": table.rows},
            refused=Note(read.marked, "warning"),
        )
    notes.extend(read.notes)
    if isinstance(read, Labels):
        _note_sets(read, notes)
    own = {name: value for name, value in options.items() if name in kind.takes}
    named = {role: str(own[role]) for role in ("item", "rater", "label") if role in own}
    roles = {**named, **roles_of(read.notes)} if tool is None else {}
    sources = getattr(read, "sources", ()) or (() if table is None else table.sources)
    shape = None if table is None else kind.shape(table, own)
    explicit = own | _missing(read, own)
    if tool is not None:
        explicit["format"] = tool.name
    elif table is not None:
        explicit |= kind.explicit(read, table, shape, roles)
        if "a row of totals" in getattr(read, "dropped", {}):
            del explicit["item"]  # where it is named, every row is an item
    return Seen(
        name=read.source,
        given=given or read.source,
        kind=kind.name,
        data=read,
        source=next(iter(sources), None),
        tool=written_by,
        shape=shape,
        roles=roles,
        options=_plain(own),
        explicit=_plain(explicit),
        counts=kind.counts(read),
        balance=kind.balance(read),
        dropped=dict(getattr(read, "dropped", {})),
    )


def _missing(read: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Words that were read as missing, as options that name them, and no others."""
    words = [reason.removeprefix("label is ") for reason in getattr(read, "dropped", {})
            if reason.startswith("label is ")]  # fmt: skip
    if not words or "missing_words" in options:
        return {}
    return {"missing": words, "missing_words": False}


def _note_sets(labels: Labels, notes: Notes) -> None:
    """Say where cells seem to hold several labels, and who compares them so."""
    texts = labels.scale.labels
    sets = find_sets(texts, np.bincount(labels.label, minlength=len(texts)))
    if sets is not None:
        notes.caution(
            f"{labels.source}: {sets.found_in(texts)}. Agreement is measured between sets, "
            "whatever their order; all else takes a cell for one label."
        )


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options as commands and JSON take them."""
    return {
        name: [str(entry) for entry in cast("Collection[Any]", value)]
        if isinstance(value, Collection) and not isinstance(value, str)
        else value
        for name, value in options.items()
    }


def _shared(seen: Sequence[Seen], notes: Notes) -> Iterator[Shared]:
    """Compare the items of every two files, and labels of raters with those of classifiers."""
    kinds = {kind.name: kind for kind in KINDS}
    read = [(file, kinds[file.kind].items(file.data)) for file in seen if file.kind in kinds]
    read = [(file, items) for file, items in read if len(items)]
    for (file, items), (other, others) in combinations(read, 2):
        if "comparisons" in (file.kind, other.kind) and file.kind != other.kind:
            continue  # what is compared need not be what is labelled
        number = int((match_ids(items, others) >= 0).sum())
        yield Shared(a=file.name, b=other.name, items=number, items_a=len(items),
                     items_b=len(others))  # fmt: skip
        if file.kind != other.kind:
            try:
                match_items(file.name, items, other.name, others, notes)
            except DataError as refusal:
                notes.warning(refusal.marked)
        rated, judged = (file, other) if file.kind == "ratings" else (other, file)
        both = rated.kind == "ratings" and judged.kind == "predictions" and number
        if both and (why := unmatched(rated.data, judged.data)):
            notes.caution(why)


def _provenance(seen: Sequence[Seen]) -> Provenance:
    """Count the data of the first source that could be read; files and drops of all."""
    dropped: Counter[str] = Counter()
    for file in seen:
        dropped.update(file.dropped)
    read = next((file for file in seen if file.data is not None), None)
    counts: Mapping[str, Any] = {} if read is None else read.counts
    data = None if read is None else read.data
    items = counts.get("items", 0)
    return Provenance(
        source=", ".join(dict.fromkeys(file.name for file in seen)),
        items_used=items,
        items_dropped=len(data.items) - items if isinstance(data, Labels) else 0,
        n_ratings=counts.get("ratings", counts.get("comparisons")),
        n_raters=counts.get("raters"),
        labels=data.scale.labels if isinstance(data, Labels) else getattr(data, "labels", ()),
        sources=tuple({file.source.name: file.source for file in seen if file.source}.values()),
        dropped=dict(dropped),
        backend=getattr(data, "backend", None),
    )
