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
from headcount.io.ratings.ratings import note_missing, scale_of_words
from headcount.io.reading import Reading
from headcount.io.values.ladders import in_order
from headcount.io.values.merges import merged
from headcount.io.values.missing import without_missing
from headcount.io.values.no_answer import check_codes
from headcount.io.values.units import without_units
from headcount.results.notes import Notes

__all__ = ["Vocabulary", "label_vocabulary"]

MOST_LABELS = 1000
"""Labels that may be counted in columns of their own."""
_COMMA = re.compile(r"-?\d+,\d+")


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
    layout: Layout, scale: Scale | None, reading: Reading, dropped: Counter[str], notes: Notes
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
    if scale is None:
        check_codes((np.arange(len(kept)), kept), None, source, notes, counts=left)
        if not kept:
            raise DataError(f"{source}: no ratings; every row lacks an item, a rater or a label.")
        _check_units(layout, kept)
        scale = scale_of_words(kept, source, notes) or Scale(as_labels(kept)[0])
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


def _check_units(layout: Layout, texts: list[str]) -> None:
    """Refuse numbers with words around them, of which readers take the numbers."""
    if without_units(texts) is not None:
        raise NotReducedError(
            f"{layout.relation.source}, column '{layout.labels[0].name}': {some(texts, 3)} are "
            "numbers with words or signs, which are read in memory only "
            f"({option('engine', 'memory')}). Write the numbers alone."
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
