"""Whether the rows of a wide table are its items, as they are read, or may be its raters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import Asked
from headcount.io.roles.names import ASPECTS, RATED_AT
from headcount.io.roles.roles import find_role, plain_name
from headcount.io.tables.table import Table
from headcount.results.notes import Notes

__all__ = ["PERSON_NAMES", "are_items", "are_raters", "check_orientation"]

PERSON_NAMES = frozenset(
    {
        "person", "people", "who", "full_name", "first_name", "last_name", "initials", "email",
        "e_mail", "email_address", "student", "students", "member", "employee", "nickname",
        "rater_name", "annotator_name", "coder_name", "worker_name", "reviewer_name",
        "judge_name", "participant_name", "respondent_name", "user_name", "expert", "expert_name",
        "doctor", "physician", "reader", "pathologist", "radiologist", "evaluator", "grader",
        "scorer", "interviewer", "participant", "participant_id", "respondent", "user", "user_id",
        "username",
    }
)  # fmt: skip
"""What the first column is called if rows are people: raters, or those who are rated."""
MAIL_NAMES = frozenset({"email", "e_mail", "email_address"})
"""What it is called if rows are people by their addresses, or letters."""
EITHER_NAMES = frozenset({"name", "names"})
"""What it is called if rows are people or things."""
DOUBTFUL_NAMES = frozenset({"", "id", "ids", "key", "index"})
"""What it is called if it does not say what rows are."""

_ITEM = re.compile(
    r"(?i)(?:q|item|question|task|doc|document|image|img|photo|stimulus|text|sentence|tweet|post|"
    r"comment|video|clip|essay|story|case|patient|slide|scan|sample|example|unit|prompt|abstract|"
    r"article|paper)[_ .#-]?\d+(?:[_.-]\d+)*|.*\?|"
    r".+\.(?:jpe?g|png|gif|txt|pdf|wav|mp[34]|html?|json)|https?:.*"
)
"""Names of items: numbered questions, files, addresses."""
_RATER = re.compile(
    r"(?i)(?:rater|r|annotator|ann|coder|c|judge|j|worker|w|labell?er|l|expert|e|person|p|user|u|"
    r"model|reviewer|assessor|participant|observer|human|h|subject|s|respondent|crowd|a|teacher|"
    r"grader|marker|examiner|evaluator|scorer|reader|manager|doctor|physician|clinician|nurse|"
    r"radiologist|pathologist|interviewer)"
    r"[_ .#-]?(?:\d+|[a-h])|[a-h]"
)
"""Names of raters: numbered ones, or letters."""
_WORD = re.compile(r"[^\W\d_]{1,20}(?:[ .'-]{1,2}[^\W\d_]{1,20}){0,2}\.?")
"""A word or three, as names of people are, without a digit."""
_PLACE = re.compile(r"(?i)(?:rank|place)[_ .#-]?\d+|\d+(?:st|nd|rd|th)(?:[_ ]\w+)?|best|worst")
"""Names of places in a ranking."""
MANY_COLUMNS = 20
"""Columns from which on a table of few rows may have its items there."""


def are_items(names: Sequence[str]) -> bool:
    """Whether columns are all called as items or questions are."""
    return all(map(_ITEM.fullmatch, names))


def are_raters(names: Sequence[str]) -> bool:
    """Whether columns are all called as raters are."""
    return len(names) > 1 and all(map(_RATER.fullmatch, names))


def check_orientation(
    asked: Asked, column: int, rows: Sequence[str], names: Sequence[str], notes: Notes
) -> None:
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
    notes : Notes
        Where it is warned of rows that are few, but are called items.
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
            "no raters. Put the answers of one time into a file, with a column a rater; if each "
            f"column is a rater's, say {option('transpose', False)}."
        )
    if len(names) > 2 and are_items(names):
        raise _refused(asked, f"columns are called {some(names)}, as items or questions are")
    called = plain_name(table.names[column])
    of_raters = are_raters(names)
    if of_raters and called not in PERSON_NAMES and find_role([called], "rater") is not None:
        raise _refused(asked, f"rows ('{table.names[column]}') and columns are both called raters")
    people = called in PERSON_NAMES - MAIL_NAMES or (
        called in MAIL_NAMES and all("@" in row for row in rows)
    )
    if people and len(names) > 1 and not of_raters:
        raise _refused(
            asked, f"column '{table.names[column]}' names people, who may rate or be rated"
        )
    of_people = len(rows) > 1 and all(
        _WORD.fullmatch(row) and not _ITEM.fullmatch(row) for row in rows
    )
    lying = len(names) >= MANY_COLUMNS and len(names) >= 5 * len(rows)
    if called in EITHER_NAMES and of_people and len(names) > 1 and not of_raters:
        raise _refused(
            asked, f"column '{table.names[column]}' may hold the names of items or of raters"
        )
    unsure = called in DOUBTFUL_NAMES | EITHER_NAMES or find_role([called], "item") is None
    if unsure and not of_raters and (lying or (of_people and len(names) > len(rows))):
        raise _refused(asked, f"{count(len(rows), 'row')} and {len(names)} columns")
    if lying:
        notes.warning(
            f"{table.source}: {count(len(rows), 'row')} and {len(names)} columns, read as "
            f"items and raters. If raters are the rows, say {option('transpose', True)}; if "
            f"they are not, {option('transpose', False)}."
        )


def check_aspects(table: Table, names: Sequence[str]) -> None:
    """Refuse columns that are called by what is asked of items: helpfulness, correctness."""
    if len(names) > 1 and all(plain_name(name) in ASPECTS for name in names):
        raise DataError(
            f"{table.source}: columns are called {some(names)}, by what was asked, and by no "
            "raters: each item has one answer to each question, so that nothing shows who agrees "
            "with whom. Put the answers of several raters to one question into one file."
        )


def _refused(asked: Asked, why: str) -> DataError:
    return DataError(
        f"{asked.table.source}: {why}, so it is not clear whether a row is an item or a rater. Say "
        f"{option('transpose', True)} if rows are raters and columns items, or "
        f"{option('transpose', False)} if rows are items and columns raters."
    )
