"""Columns and rows of wide data that are neither items nor ratings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import INDEX_NAME, Asked
from headcount.io.ratings.shapes.beside.computed import is_fact
from headcount.io.roles.names import SUMMARY_PARTS, SUMMARY_WORDS, TRUTH_WORDS
from headcount.io.roles.roles import is_remark, plain_name
from headcount.io.tables.some_rows import SomeRows
from headcount.io.tables.table import Coded, Table
from headcount.io.values.option_list import Several
from headcount.io.values.yes_no import yes_or_no
from headcount.results.notes import Notes

__all__ = [
    "check_facts",
    "columns_beside",
    "is_summary",
    "note_not_counted",
    "note_rejected",
    "says_what_counts",
    "without_totals",
]

STATUS = frozenset(
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
VALID = frozenset(
    {
        "valid", "is_valid", "include", "included", "passed", "attention_passed", "completed",
        "passed_attention_check", "attention_check_passed", "is_complete", "submitted",
    }
)  # fmt: skip
NOT_VALID = frozenset(
    {
        "exclude", "excluded", "is_excluded", "rejected", "is_spam", "spam", "invalid", "deleted",
        "cancelled", "canceled", "was_cancelled", "skipped", "is_skipped", "discarded",
        "failed_attention_check",
    }
)  # fmt: skip
"""Names of columns that say yes of answers that count, and of those that do not."""

MOST_TOTALS = 5
"""Rows of totals, means and the like below the items."""


def columns_beside(asked: Asked, item: int, notes: Notes) -> list[int]:
    """Columns that may hold ratings: without numbers of rows, remarks, totals and the truth.

    Those that are left out are told, with the choice. A column of values without a name is an
    error: the header may be another row.
    """
    table = asked.table
    others = [i for i, name in enumerate(table.names) if i != item and name not in asked.skip]
    nameless = [i for i in others if not table.names[i]]
    _check_nameless(table, nameless)
    numbers = [i for i in others if INDEX_NAME.fullmatch(table.names[i]) and _differ(table, i)]
    named = {i: plain_name(table.names[i]) for i in others if i not in {*nameless, *numbers}}
    remarks = [i for i, name in named.items() if is_remark(name, named.values())]
    summaries = [
        i
        for i, name in named.items()
        if i not in remarks and (is_summary(name) or (not asked.people and name in TRUTH_WORDS))
    ]
    kept = [i for i in named if i not in {*remarks, *summaries}]
    if not kept:
        return list(named)
    if nameless:
        notes.caution(f"{table.source}: {count(len(nameless), 'column')} without a name left out.")
    if numbers:
        notes.info(f"{table.source}: numbers of rows are left out: {_names(table, numbers)}.")
    if remarks:
        notes.caution(
            f"{table.source}: columns that hold no ratings are left out: {_names(table, remarks)}."
        )
    if summaries:
        notes.caution(
            f"{table.source}: columns whose names say that they are the truth, or computed from "
            f"ratings, are left out: {_names(table, summaries)}. If one is a rater, rename it."
        )
    return kept


def is_summary(name: str) -> bool:
    """Whether a column is called the truth, or what was made of ratings: ``mean_score``."""
    return name in SUMMARY_WORDS or bool("_" in name and {*name.split("_")} & SUMMARY_PARTS)


def check_facts(asked: Asked, columns: Sequence[int]) -> None:
    """Refuse columns that are called as facts of items are, such as batch and weight."""
    table = asked.table
    facts = [table.names[i] for i in columns if is_fact(plain_name(table.names[i]))]
    if not facts or len(facts) == len(columns) or asked.labels is not None:
        return
    ignored = Several(facts) if len(facts) > 1 else facts[0]
    what = "columns" if len(facts) > 1 else "column"
    raise DataError(
        f"{table.source}: by its name, {what} {some(facts, 12)} says something of the items, and "
        f"is no rater's. Leave it out with {option('ignore', ignored)}; if all columns are "
        f"ratings, name the labels with {option('labels', '...')}."
    )


def _names(table: Table, columns: list[int]) -> str:
    return some([table.names[i] for i in columns], 12)


def _differ(table: Table, column: int) -> bool:
    """Whether every row has a value of its own."""
    codes, texts = table.codes(column)
    return len(texts) == len(codes)


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
    last: list[int] = codes[-MOST_TOTALS:].tolist()
    found: list[int] = []
    off = _off_rows(asked, item)
    while last and (last[-1] < 0 or is_summary(_bare(texts[last[-1]])) or last[-1] in off):
        found.append(last.pop())
    totals = [code for code in reversed(found) if code >= 0]
    if not totals or len(totals) == len(texts):
        return asked, (codes, texts), notes
    notes.caution(
        f"{table.source}: {count(len(totals), 'row')} below the items left out: "
        f"{some([texts[code] for code in totals])}. If it is an item, give it another name."
    )
    kept = SomeRows(table, ~np.isin(codes, totals), "a row of totals")
    return replace(asked, table=kept), kept.codes(item), notes


def _bare(name: str) -> str:
    return plain_name(name.rstrip(":"))


LEAST_ITEMS, SHOWN = 20, 1000
"""Items that show how items are called, and what raters say; at most so many are looked at."""


def _off_rows(asked: Asked, item: int) -> set[int]:
    """Items in the last rows that are called otherwise, of which nothing was said of others."""
    table = asked.table
    codes, texts = table.codes(item)
    above = max(table.rows - MOST_TOTALS, 0)
    if above < LEAST_ITEMS or asked.labels is not None:
        return set()
    shown: list[int] = codes[: min(above, SHOWN)].tolist()
    called = {re.sub(r"\d+", "0", texts[code]) for code in shown if code >= 0}
    last: list[int] = codes[above:].tolist()
    off = {code for code in last if code >= 0 and re.sub(r"\d+", "0", texts[code]) not in called}
    if 2 * len(called) > len(shown):
        return set()
    for column in asked.rest({}) if off else ():
        if column == item or column in asked.nested:
            continue
        said, values = table.codes(column)
        known = {*np.unique(said[:above]).tolist()}
        if len(known) > LEAST_ITEMS or not values:
            continue
        rows = range(above, table.rows)
        off -= {int(codes[row]) for row in rows if said[row] >= 0 and int(said[row]) in known}
    return off


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
    return plain_name(name) in STATUS | VALID | NOT_VALID


def note_not_counted(name: str, uses: Mapping[str, int], source: str, notes: Notes) -> None:
    """Warn of answers that should not count, by the values of a column and the rows of each."""
    called = plain_name(name)
    words = NOT_COUNTED if called in STATUS else {"no"} if called in VALID else {"yes"}
    says = plain_name if called in STATUS else yes_or_no
    bad = [text for text in uses if says(text) in words]
    good = [text for text in uses if text not in bad]
    if bad and good:
        number = sum(uses[text] for text in bad)
        notes.warning(
            f"{source}: {count(number, 'row')} of which '{name}' is {some(bad)} are read as well. "
            f"Read others only with {option('where', f'{name}={good[0]}')}."
        )
