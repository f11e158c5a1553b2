"""Labels in a database: which there are, which mean that there is none, and their codes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np

from headcount.data.scale import Scale
from headcount.data.vocabulary import as_labels, find_labels, label_text
from headcount.engine.ratings.layout import Layout
from headcount.engine.sources.relation import Value
from headcount.errors import DataError, NotReducedError, closest, count, option, some
from headcount.io.findings import free_texts
from headcount.io.ratings.ratings import note_missing
from headcount.io.ratings.scales import scale_of_words
from headcount.io.reading import Reading
from headcount.io.values.failures import check_failures
from headcount.io.values.ladders import in_order
from headcount.io.values.merges import merged
from headcount.io.values.missing import without_missing
from headcount.io.values.misspelt import note_misspelt
from headcount.io.values.no_answer import check_codes, check_tick
from headcount.io.values.plainly import plainly
from headcount.io.values.units import check_ends
from headcount.results.notes import Notes

__all__ = ["Vocabulary", "label_vocabulary"]

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
    _, kept, written = without_missing(codes, texts, missing=reading.missing, labels=declared)
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
        check_codes((np.arange(len(kept)), kept), None, source, notes, counts=left)
        if not kept:
            raise DataError(f"{source}: no ratings; every row lacks an item, a rater or a label.")
        _check_plain(layout, kept)
        if people:
            note_misspelt({text: uses[text] for text in kept}, source, notes)
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
        from headcount.io.formats.coding import float_text

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
