"""Columns beside ratings and predictions that are neither: totals, the truth, facts, remarks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, count, option, some
from headcount.io.cells import yes_or_no
from headcount.io.roles import (
    ASPECTS,
    FACT_WORDS,
    INDEX_NAME,
    RECORD_ENDS,
    RECORD_PARTS,
    RECORD_WORDS,
    REMARKS,
    ROLES,
    TRUTH_WORDS,
    is_remark,
    is_summary,
    plain_name,
)
from headcount.io.shapes import Asked
from headcount.io.tables import Coded, SomeRows, Table
from headcount.io.values import Several
from headcount.results.notes import Notes

__all__ = [
    "columns_beside",
    "check_totals",
    "without_totals",
    "note_rejected",
    "says_what_counts",
    "note_not_counted",
    "is_beside",
    "is_fact",
    "check_first_row",
]


# Columns and rows of wide data that are neither items nor ratings.

STATUS_NAMES = frozenset(
    {"status", "state", "review_status", "assignment_status", "annotation_status", "answer_status"}
)
"""Names of columns that say what became of an answer."""
NOT_COUNTED = frozenset(
    {
        "rejected", "reject", "cancelled", "canceled", "ignored", "ignore", "skipped", "skip",
        "draft", "pending", "discarded", "deleted", "invalid", "excluded", "failed", "returned",
        "timed_out", "in_progress", "incomplete", "partial", "spam",
    }
)  # fmt: skip
"""What they say of answers that should not count."""
VALID_NAMES = frozenset(
    {
        "valid", "is_valid", "include", "included", "passed", "attention_passed", "completed",
        "passed_attention_check", "attention_check_passed", "is_complete", "submitted",
    }
)  # fmt: skip
NOT_VALID_NAMES = frozenset(
    {
        "exclude", "excluded", "is_excluded", "rejected", "is_spam", "spam", "invalid", "deleted",
        "cancelled", "canceled", "was_cancelled", "skipped", "is_skipped", "discarded",
        "failed_attention_check",
    }
)  # fmt: skip
"""Names of columns that say yes of answers that count, and of those that do not."""

PREDICTED_WORDS = frozenset(
    {
        "model_pred", "model_prediction", "model_label", "model_output", "predicted",
        "predicted_label", "pred", "y_pred", "system_output", "prediction",
    }
)  # fmt: skip
"""What columns beside people's ratings are called that hold what a model says."""
MOST_TOTALS = 5
"""Rows of totals, means and the like below the items."""


def columns_beside(asked: Asked, item: int, notes: Notes) -> list[int]:
    """Columns that may hold ratings, by their names: without remarks, totals and the truth.

    Those that are left out are listed, with the option that keeps them. A column of values without
    a name is an error: the header may be another row.
    """
    table = asked.table
    others = [i for i, name in enumerate(table.names) if i != item and name not in asked.skip]
    nameless = [i for i in others if not table.names[i]]
    _check_nameless(table, nameless)
    numbers = [i for i in others if INDEX_NAME.fullmatch(table.names[i])]
    named = {i: plain_name(table.names[i]) for i in others if i not in {*nameless, *numbers}}
    reasons: dict[str, list[int]] = {}
    aspects = {i for i, name in named.items() if is_aspect(name)}
    scores = [i for i, name in named.items() if name.endswith(("_score", "_rating", "_label"))]
    alone = {*scores} if len(scores) == 1 < len(named) else set[int]()
    alone |= aspects if len(aspects) < len(named) else set[int]()
    for i, name in named.items():
        if is_summary(name) or name in (PREDICTED_WORDS if asked.people else TRUTH_WORDS):
            reasons.setdefault("hold the truth, a prediction or a summary", []).append(i)
        elif is_remark(name, named.values()) or is_fact(name) or i in alone or is_id(name):
            reasons.setdefault("hold no ratings", []).append(i)
    out = {i for left_out in reasons.values() for i in left_out}
    kept = [i for i in named if i not in out]
    if not kept:
        return list(named)
    facts = [i for i in out if i in alone or (is_fact(named[i]) and not is_remark(named[i], ()))]
    if len(kept) == 1 and facts and asked.shape is None:
        every = Several(table.names[i] for i in sorted([*kept, *facts]))
        raise DataError(
            f"{table.source}: by names, only '{table.names[kept[0]]}' is a rater, and "
            f"{some(table.names[i] for i in facts)} not. If each is one, say "
            f"{option('columns', every)}; if they count labels, {option('shape', 'counts')}; if "
            f"not, leave it out with {option('ignore', Several(table.names[i] for i in facts))}."
        )
    if nameless:
        notes.caution(f"{table.source}: {count(len(nameless), 'column')} without a name left out.")
    if numbers:
        notes.info(f"{table.source}: row numbers are left out: {_names(table, numbers)}.")
    for why, left_out in reasons.items():
        notes.caution(
            f"{table.source}: {_names(table, left_out)}: left out, because names say that they "
            f"{why}. Keep one that is a rater by naming all raters with "
            f"{option('columns', '...')}.",
            short=f"left out by name: {_names(table, left_out)} ({option('columns')} keeps one)",
        )
    return kept


def _names(table: Table, columns: list[int]) -> str:
    return some([table.names[i] for i in columns], 12)


def _check_nameless(table: Table, columns: list[int]) -> None:
    """Refuse columns without a name that hold more than numbers of rows."""
    for column in columns:
        codes, texts = table.codes(column)
        if texts and not (column == 0 and len(texts) == len(codes)):
            raise DataError(
                f"{table.source}: column {column + 1} has values and no name. Name it in the "
                "header, or delete it; if the header is another row, delete those above."
            )


def without_totals(asked: Asked, item: int) -> tuple[Asked, Coded, Notes]:
    """Leave out the last rows if they are called totals, means and the like.

    Returns what is left, its items as codes, and what to say of it.
    """
    table, notes = asked.table, Notes()
    codes, texts = table.codes(item)
    last: list[int] = [] if asked.given["item"] is not None else codes[-MOST_TOTALS:].tolist()
    found: list[int] = []
    while last and (last[-1] < 0 or is_summary(_bare(texts[last[-1]]))):
        found.append(last.pop())
    totals = [code for code in reversed(found) if code >= 0]
    if not totals or len(totals) == len(texts):
        return asked, (codes, texts), notes
    notes.caution(
        f"{table.source}: {count(len(totals), 'row')} below the items left out: "
        f"{some([texts[code] for code in totals])}. If it is an item, name the item column with "
        f"{option('item', table.names[item])}."
    )
    kept = SomeRows(table, ~np.isin(codes, totals), "a row of totals")
    return replace(asked, table=kept), kept.codes(item), notes


def _bare(name: str) -> str:
    return plain_name(name.rstrip(":"))


def note_rejected(asked: Asked, roles: Mapping[str, int], notes: Notes) -> None:
    """Warn of answers that a column beside the ratings calls rejected, with how to leave them."""
    table = asked.table
    for column in asked.rest(roles):
        name = table.names[column]
        if says_what_counts(name) and column not in asked.nested:
            codes, texts = table.codes(column)
            times = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
            uses = dict(zip(texts, times, strict=True))
            note_not_counted(name, uses, table.source, notes)


def says_what_counts(name: str) -> bool:
    """Whether a column is called as those that say which answers count."""
    return plain_name(name) in STATUS_NAMES | VALID_NAMES | NOT_VALID_NAMES


def note_not_counted(name: str, uses: Mapping[str, int], source: str, notes: Notes) -> None:
    """Warn of answers that should not count, by the values of a column and the rows of each."""
    called = plain_name(name)
    words = NOT_COUNTED if called in STATUS_NAMES else {"no"} if called in VALID_NAMES else {"yes"}
    says = plain_name if called in STATUS_NAMES else yes_or_no
    bad = [text for text in uses if says(text) in words]
    good = [text for text in uses if text not in bad]
    if bad and good:
        number = sum(uses[text] for text in bad)
        notes.warning(
            f"{source}: {count(number, 'row')} of which '{name}' is {some(bad)} are read as well. "
            f"Read others only with {option('where', f'{name}={good[0]}')}."
        )


# Columns beside raters that were computed from theirs: sums and means.

MOST_COLUMNS_SUMMED = 50
LEAST_ROWS_COMPUTED = 5
"""Rows from which on a column that fits all others is no accident."""


def check_totals(table: Table, columns: Sequence[int]) -> None:
    """Refuse a column that is the sum of the others in every row, or their mean with fractions.

    A rater who says what most others do is one; but none says 12 on a scale that ends at 5, or
    3.67 on one of whole numbers.
    """
    if not 2 < len(columns) <= MOST_COLUMNS_SUMMED or not all(map(table.is_numeric, columns)):
        return
    values = np.stack([table.numbers(column)[0] for column in columns], axis=1)
    values = values[~np.isnan(values).any(axis=1)]
    if len(values) < LEAST_ROWS_COMPUTED:
        return
    total = values.sum(axis=1, keepdims=True)
    others = total - values
    largest = values.max(axis=0)
    for n, column in enumerate(columns):
        own, rest = values[:, n], np.delete(values, n, axis=1)
        is_sum = largest[n] > rest.max() and np.allclose(own, others[:, n])
        mean = others[:, n] / (len(columns) - 1)
        is_mean = (own % 1).any() and not (rest % 1).any() and (abs(own - mean) < 0.051).all()
        if is_sum or is_mean:
            name = table.names[column]
            raise DataError(
                f"{table.source}: in every row '{name}' is the {'sum' if is_sum else 'mean'} of "
                f"the other columns, so it isn't a rater. Leave it out with "
                f"{option('ignore', name)}; if it is one, name the raters with "
                f"{option('columns', Several(table.names[i] for i in columns))}."
            )


def is_fact(name: str) -> bool:
    """Whether a column is called as what is known about items or rows: ``batch``, ``essay_set``."""
    stem, _, last = name.rpartition("_")
    if name in FACT_WORDS | RECORD_WORDS - {"annotator", "worker", "user"}:
        return True
    parts = {*name.split("_")}
    return bool((stem and last in FACT_WORDS - {"n", "order", "rank"}) or parts & RECORD_PARTS)


def is_id(name: str) -> bool:
    """Whether a column is called as items are, and another one holds them."""
    return name in ROLES["item"] or name.endswith(("_id", "_ids", "_uuid"))


def is_aspect(name: str) -> bool:
    """Whether a column is called by what may be asked of items: quality, ``overall_tone``."""
    return name in ASPECTS


def is_beside(name: str) -> bool:
    """Whether a column says something of items or answers by its name, and is no rater."""
    if name in REMARKS | STATUS_NAMES | VALID_NAMES | NOT_VALID_NAMES:
        return True
    return is_summary(name) or is_fact(name) or name.endswith(RECORD_ENDS)


LEAST_ROWS_DESCRIBED = 30
"""Rows from which on a first row whose words stand nowhere else describes the columns."""


def check_first_row(table: Table, columns: Sequence[Coded]) -> None:
    """Refuse a first row that describes the columns, in words that stand nowhere else."""
    if len(columns) < 2 or table.rows < LEAST_ROWS_DESCRIBED:
        return
    times: Counter[str] = Counter()
    first: list[str] = []
    for codes, texts in columns:
        if codes[0] < 0 or number_of(texts[int(codes[0])]) is not None:
            return
        counts: list[int] = np.bincount(codes[codes >= 0], minlength=len(texts)).tolist()
        times.update(dict(zip(texts, counts, strict=True)))
        first.append(texts[int(codes[0])])
    if 2 * len(times) <= table.rows and all(times[text] == 1 for text in first):
        raise DataError(
            f"{table.at(0)}: {some(first)} stand nowhere below, so that the row seems to describe "
            "the columns. Delete it; or name all labels with "
            f"{option('labels', '...')} if these are some."
        )
