"""What a shape of ratings is; whether rows are items or raters, and which columns are neither."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, count, option, some
from headcount.io.roles import (
    ASPECTS,
    FACT_WORDS,
    INDEX_NAME,
    RATED_AT,
    RECORD_ENDS,
    RECORD_PARTS,
    RECORD_WORDS,
    REMARKS,
    ROLES,
    TRUTH_WORDS,
    are_raters,
    find_role,
    find_roles,
    is_remark,
    is_summary,
    item_column,
    plain_name,
)
from headcount.io.tables import Coded, SomeRows, Table
from headcount.io.values import Several
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = [
    "LONG",
    "Asked",
    "Ratings",
    "item_beside",
    "numbered_rows",
    "Shape",
    "PERSON_NAMES",
    "are_items",
    "check_aspects",
    "check_orientation",
    "columns_beside",
    "check_totals",
    "without_totals",
    "note_rejected",
    "says_what_counts",
    "note_not_counted",
    "is_beside",
    "may_be_rated",
    "note_left_out",
    "is_record",
    "is_fact",
    "check_first_row",
]


# A shape in which ratings come, what it is asked of, and what it gives.

LONG = ("item", "rater", "label")
"""Roles of the columns of long data, and the order of rows without names."""


@dataclass(frozen=True)
class Asked:
    """A table of ratings, and what the user said of it.

    Parameters
    ----------
    table : Table
    given : mapping of str to str or None
        Columns that the user named, by role: item, rater, label.
    labels : sequence of str or None
        All labels, if they were named.
    question : str or None
        Which of several questions.
    transpose : bool or None
        Whether raters are the rows of wide data; None if nobody says so.
    skip : frozenset of str
        Columns that only choose rows.
    people : bool
        Whether raters are people, and not classifiers.
    merge : tuple of str
        What does not tell labels apart.
    columns : tuple of int
        Columns that the user named as those of raters, or of counted labels; none to go by names.
    shape : str or None
        How data are laid out, if the user said so.
    whole : bool
        Whether these are all the ratings, and not one file of several.
    """

    table: Table
    given: Mapping[str, str | None]
    labels: Sequence[str] | None = None
    question: str | None = None
    transpose: bool | None = None
    skip: frozenset[str] = frozenset()
    people: bool = True
    merge: tuple[str, ...] = ()
    columns: tuple[int, ...] = ()
    shape: str | None = None
    whole: bool = True

    @cached_property
    def roles(self) -> dict[str, int]:
        """Columns by role, by the names that the user gave or people use."""
        return find_roles(self.table, self.given)

    @cached_property
    def nested(self) -> list[int]:
        """Columns of lists or records."""
        return self.table.nested()

    @cached_property
    def may_nest(self) -> bool:
        """Whether ratings may be in nested columns: other columns do not name raters or items."""
        flat = {role for role, column in self.roles.items() if column not in self.nested}
        nested_item = self.roles.get("item") in self.nested
        return bool(self.nested) and "rater" not in flat and not nested_item

    @cached_property
    def asks(self) -> int | None:
        """Find the column that says which question was answered."""
        column = find_role(self.table.names, "asked")
        return None if column in self.roles.values() else column

    def rest(self, roles: Mapping[str, int]) -> list[int]:
        """Columns that play no role, and may."""
        names = self.table.names
        return [
            i
            for i, name in enumerate(names)
            if name
            and name not in self.skip
            and i not in roles.values()
            and i != self.asks
            and not INDEX_NAME.fullmatch(name)
        ]


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """Ratings as a shape gives them, before values are looked at.

    Parameters
    ----------
    items, labels : Coded
    raters : Coded or None
        None if nobody knows them.
    rows : array of int or None
        Row of the table that each rating comes from; None if each has its own.
    blanks : bool
        Whether a blank label is a row that is left out, and not an item that nobody rated.
    order : tuple of str or None
        The labels in order, if the table has them so.
    labels_are_names : bool
        Whether labels are names of columns, none of which says that a label is missing.
    notes : Notes
    table : Table
        What is left of the table.
    """

    items: Coded
    raters: Coded | None
    labels: Coded
    table: Table
    rows: Codes | None = None
    blanks: bool = True
    order: tuple[str, ...] | None = None
    labels_are_names: bool = False
    notes: Notes = field(default_factory=Notes)


def item_beside(asked: Asked) -> int | None:
    """Find the item column beside the raters that the caller names; None if rows have no name.

    It is the one called so, or the first of the others, as where no raters are named; behind the
    raters, names may say that a column is no item.
    """
    names = asked.table.names
    if asked.roles.get("item", asked.columns[0]) not in asked.columns:
        return asked.roles["item"]
    if 0 not in asked.columns and names[0] not in asked.skip:
        item = item_column(asked.table)
        return 0 if item in asked.columns else item
    others = [i for i in asked.rest({}) if i not in asked.columns]
    plain = {i: plain_name(names[i]) for i in others}
    items = [i for i, name in plain.items() if not (is_beside(name) or is_remark(name, ()))]
    return items[0] if items else None


def numbered_rows(asked: Asked) -> Coded:
    """Code rows that no column names: each is called by its number, in one file of its own."""
    table = asked.table
    if not asked.whole:
        raise DataError(
            f"{table.source}: no column says what the items are, and rows of several files are not "
            f"paired by their numbers. Name the column of items with {option('item', '...')}; each "
            "file needs one."
        )
    return np.arange(table.rows), [str(number) for number in table.row_numbers().tolist()]


class Shape(ABC):
    """A way in which ratings are laid out. To add one, write a class and put it into the list.

    Attributes
    ----------
    name : str
    """

    name: ClassVar[str]

    @abstractmethod
    def fits(self, asked: Asked) -> bool:
        """Whether a table has this shape."""

    @abstractmethod
    def read(self, asked: Asked) -> Ratings:
        """Take the ratings out of a table."""


# Whether the rows of a wide table are its items, as they are read, or may be its raters.

PERSON_NAMES = frozenset(
    {
        "person", "people", "who", "full_name", "first_name", "last_name", "initials", "email",
        "e_mail", "email_address", "student", "students", "member", "employee", "nickname",
        "rater_name", "annotator_name", "coder_name", "worker_name", "reviewer_name",
        "judge_name", "participant_name", "respondent_name", "user_name", "expert", "expert_name",
        "doctor", "physician", "reader", "pathologist", "radiologist", "evaluator", "grader",
        "scorer", "interviewer", "participant", "participant_id", "respondent", "user", "user_id",
        "username", "name", "names",
    }
)  # fmt: skip
"""What the first column is called if rows are people: raters, or those who are rated."""
DOUBTFUL_NAMES = frozenset({"", "id", "ids", "key", "index"})
"""What it is called if it does not say what rows are."""

_ITEM = re.compile(
    r"(?i)(?:q|t|item|question|task|doc|document|image|img|photo|stimulus|text|sentence|tweet|post|"
    r"comment|video|clip|essay|story|case|patient|slide|scan|sample|example|unit|prompt|abstract|"
    r"article|paper)[_ .#-]?\d+(?:[_.-]\d+)*|.*\?|"
    r".+\.(?:jpe?g|png|gif|txt|pdf|wav|mp[34]|html?|json)|https?:.*"
)
"""Names of items: numbered questions, files, addresses."""
_PLACE = re.compile(r"(?i)(?:rank|place)[_ .#-]?\d+|\d+(?:st|nd|rd|th)(?:[_ ]\w+)?|best|worst")
"""Names of places in a ranking."""
MANY_COLUMNS = 20
"""Columns from which on a table of few rows may have its items there."""


def are_items(names: Sequence[str]) -> bool:
    """Whether columns are all called as items or questions are."""
    return all(map(_ITEM.fullmatch, names))


def check_orientation(asked: Asked, column: int, rows: Sequence[str], names: Sequence[str]) -> None:
    """Refuse a table of which rows may be the raters, unless the user says what they are.

    Parameters
    ----------
    asked : Asked
    column : int
        The one that is read as that of items.
    rows : sequence of str
        What stands in it.
    names : sequence of str
        Names of the columns that are read as raters.
    """
    table = asked.table
    if asked.transpose is not None or asked.given["item"] is not None or table.form != "named":
        return
    check_aspects(table, names)
    if len(names) > 1 and all(map(_PLACE.fullmatch, names)):
        raise DataError(
            f"{table.source}: columns are called {some(names)}, as the places of a ranking are, "
            "and no raters. Rankings are read by headcount.pairs; if columns are raters, rename "
            "them."
        )
    if len(names) > 1 and all(map(RATED_AT.fullmatch, names)):
        raise DataError(
            f"{table.source}: columns are called {some(names)}, by when items were rated, and by "
            "no raters. Put the answers of one time into a file, with one column per rater; if "
            f"each column is a rater, say {option('transpose', False)}."
        )
    if len(names) > 2 and are_items(names):
        raise _refused(asked, f"columns are called {some(names)}, as items or questions are")
    called = plain_name(table.names[column])
    of_raters = are_raters(names)
    if called not in PERSON_NAMES and find_role([called], "rater") is not None:
        raise _refused(asked, f"column '{table.names[column]}' is called as raters are")
    if called in PERSON_NAMES and len(names) > 1 and not of_raters:
        raise _refused(
            asked, f"column '{table.names[column]}' names people, who may rate or be rated"
        )
    lying = len(names) >= MANY_COLUMNS and len(names) >= 5 * len(rows)
    if lying and called in DOUBTFUL_NAMES and not of_raters:
        raise _refused(asked, f"{count(len(rows), 'row')} and {len(names)} columns")


def check_aspects(table: Table, names: Sequence[str]) -> None:
    """Refuse columns that are called by what is asked of items: helpfulness, ``gpt_tone``.

    Each answers a question of its own, so that nothing shows who agrees with whom.
    """
    aspects = [_aspect(name) for name in names]
    if len({*aspects}) < 2 or None in aspects:
        return
    others = [name for name, own in zip(names, aspects, strict=True) if own != aspects[0]]
    raise DataError(
        f"{table.source}: columns are called by what was asked ({some(names)}), so that each "
        "answers a question of its own. Read one question at a time, and leave the others out with "
        f"{option('ignore', Several(others))}; if these are raters or classifiers, rename them."
    )


def _aspect(name: str) -> str | None:
    """Take what is asked out of a name: tone of ``gpt_tone``."""
    plain = plain_name(name)
    ends = [aspect for aspect in ASPECTS if plain == aspect or plain.endswith(f"_{aspect}")]
    return max(ends, key=len, default=None)


def _refused(asked: Asked, why: str) -> DataError:
    return DataError(
        f"{asked.table.source}: {why}, so it is not clear whether a row is an item or a rater. Say "
        f"{option('transpose', True)} if rows are raters and columns items, or "
        f"{option('transpose', False)} if rows are items and columns raters."
    )


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
COUNTS_NAMES = frozenset(
    {
        "valid", "is_valid", "include", "included", "passed", "attention_passed", "completed",
        "passed_attention_check", "attention_check_passed", "is_complete", "submitted", "exclude",
        "excluded", "is_excluded", "rejected", "is_spam", "spam", "invalid", "deleted", "cancelled",
        "canceled", "was_cancelled", "skipped", "is_skipped", "discarded", "failed_attention_check",
    }
)  # fmt: skip
"""Names of columns that say whether an answer counts, or does not."""

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
    aspects = {i for i, name in named.items() if name in ASPECTS}
    scores = [i for i, name in named.items() if name.endswith(("_score", "_rating", "_label"))]
    alone = {*scores} if len(scores) == 1 < len(named) else set[int]()
    alone |= aspects if len(aspects) < len(named) else set[int]()
    for i, name in named.items():
        if is_summary(name) or name in (PREDICTED_WORDS if asked.people else TRUTH_WORDS):
            reasons.setdefault("hold the truth, a prediction or a summary", []).append(i)
        elif is_remark(name, named.values()) or is_fact(name) or i in alone or _is_id(name):
            reasons.setdefault("hold no ratings", []).append(i)
    out = {i for left_out in reasons.values() for i in left_out}
    kept = [i for i in named if i not in out]
    if not kept:
        return list(named)
    facts = [i for i in out if i in alone or (is_fact(named[i]) and not is_remark(named[i], ()))]
    if len(kept) == 1 and facts and asked.shape is None:
        every = Several(table.names[i] for i in sorted([*kept, *facts]))
        raise DataError(
            f"{table.source}: by names, only '{table.names[kept[0]]}' is a rater. If all are "
            f"raters: {option('columns', every)}. If the columns count labels: "
            f"{option('shape', 'counts')}. Otherwise: "
            f"{option('ignore', Several(table.names[i] for i in facts))}."
        )
    if nameless:
        notes.caution(f"{table.source}: {count(len(nameless), 'column')} without a name left out.")
    if numbers:
        notes.info(f"{table.source}: row numbers are left out: {_names(table, numbers)}.")
    for why, left_out in reasons.items():
        note_left_out(table, left_out, why, "columns", notes)
    return kept


def note_left_out(table: Table, columns: list[int], why: str, keeps: str, notes: Notes) -> None:
    """Say which columns are left out, why, and which option keeps one."""
    names = _names(table, columns)
    keep = f"Keep one that is a rater by naming all raters with {option(keeps, '...')}"
    short = f"{option(keeps)} keeps one"
    if keeps == "label":
        keep = f"Read one with {option(keeps, table.names[columns[0]])}"
        short = f"{option(keeps)} reads another"
    which, their = ("column", "its name") if len(columns) == 1 else ("columns", "their names")
    notes.caution(
        f"{table.source}: {names}: left out, because names say that they {why}. {keep}.",
        short=f"{which} {names} not read, because of {their} ({short})",
    )


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
    while last and (last[-1] < 0 or is_summary(plain_name(texts[last[-1]].rstrip(":")))):
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
    """Whether a column is called as those that say what became of an answer."""
    return plain_name(name) in STATUS_NAMES


def note_not_counted(name: str, uses: Mapping[str, int], source: str, notes: Notes) -> None:
    """Warn of answers that should not count, by the values of a column and the rows of each."""
    bad = [text for text in uses if plain_name(text) in NOT_COUNTED]
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


def _is_id(name: str) -> bool:
    return name in ROLES["item"] or name.endswith(("_id", "_ids", "_uuid"))


def is_beside(name: str) -> bool:
    """Whether a column says something of items or answers by its name, and is no rater."""
    if name in REMARKS | STATUS_NAMES | COUNTS_NAMES:
        return True
    return is_summary(name) or is_fact(name) or name.endswith(RECORD_ENDS)


MAY_BE_RATED = frozenset(
    {
        "stars", "confidence", "certainty", "difficulty", "complexity", "readability", "popularity",
        "priority", "rank", "result", "results", "outcome", "decision", "verdict", "ergebnis",
        "entscheidung", "résultat", "décision", "resultado", "decisión", "结果",
    }
)  # fmt: skip
"""What columns are called that hold a fact of the item, or what was asked of it."""


def may_be_rated(name: str) -> bool:
    """Whether a column of a long file may hold ratings, by its name."""
    beside = is_beside(name) or is_remark(name, ()) or name in {*ROLES["rater"], *ROLES["item"]}
    return not beside or name.rpartition("_")[2] in MAY_BE_RATED


def is_record(name: str) -> bool:
    """Whether a column is called as the truth, a summary, or what says how a row came to be."""
    return is_summary(name) or name in REMARKS | STATUS_NAMES or name.endswith(RECORD_ENDS)


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
