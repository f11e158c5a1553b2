"""Numbers as they are written in several countries: 1,5 and 1.5, 1.234 and 1,234."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headcount.errors import some
from headcount.results.notes import Note

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["read_commas", "read_percents", "read_points"]

_WHOLE = r"[+-]?\d+"
_POINT = r"[+-]?(\d+\.\d*|\.\d+)"
_COMMA = r"[+-]?\d*,\d+"
_COMMA_GROUPS = r"[+-]?[1-9]\d{0,2}(,\d{3})+"
_POINT_GROUPS = r"[+-]?[1-9]\d{0,2}(\.\d{3})+"
_FORMS = {
    "decimal": rf"{_WHOLE}|{_COMMA}|{_POINT_GROUPS}(,\d+)?",
    "thousands": rf"{_WHOLE}|{_POINT}|{_COMMA_GROUPS}(\.\d*)?",
}
"""What all cells of a column look like if a comma is decimal, or separates thousands."""


def read_commas(
    connection: DuckDBPyConnection,
    values: list[str],
    names: Sequence[str],
    columns: Sequence[int],
    source: str,
    *,
    delimiter: str,
) -> list[Note]:
    """Read columns of numbers with commas, in place, where they can mean one thing only.

    Parameters
    ----------
    connection : DuckDBPyConnection
        In which the table is called t.
    values : list of str
        SQL of each column; that of a column of numbers is changed.
    names : sequence of str
    columns : sequence of int
        Those in which there is a comma.
    source : str
    delimiter : str
        What separates columns, which decides of 1,234, which may be either. Where it is a comma,
        1,234 is 1234: a decimal comma is hardly ever used there. Where it is a semicolon, 1,234 is
        1.234: programs write semicolons just where the comma is decimal.

    Returns
    -------
    list of Note
        What was read so, and what may be so but stayed as it is.
    """
    found: dict[str, list[int]] = {"decimal": [], "thousands": [], "either": []}
    for column in columns:
        value = f"nullif(trim({values[column]}), '')"
        matches = connection.execute(
            f"SELECT bool_and(regexp_full_match({value}, ?)), bool_and(regexp_full_match({value}, "
            f"?)) FROM t WHERE {value} IS NOT NULL",
            [_FORMS["decimal"], _FORMS["thousands"]],
        ).fetchone()
        decimal, grouped = matches or (False, False)
        if decimal and grouped:
            found["either"].append(column)
        elif decimal or grouped:
            found["decimal" if decimal else "thousands"].append(column)
    # One column that is clear decides for those that are not.
    if found["either"] and bool(found["decimal"]) != bool(found["thousands"]):
        found["decimal" if found["decimal"] else "thousands"] += found["either"]
        found["either"] = []
    notes: list[Note] = []
    if delimiter == "," and not found["decimal"]:
        found["thousands"] += found["either"]
        found["either"] = []
    if delimiter == ";" and not found["thousands"] and found["either"]:
        named = some(names[column] for column in found["either"])
        notes.append(
            Note(
                f"{source}: every number in {named} is like 1,234, which is read as 1.234, because "
                "files with semicolons have decimal commas. If it is 1234, write it without the "
                "comma.",
                "caution",
            )
        )
        found["decimal"] += found["either"]
        found["either"] = []
    for column in found["decimal"]:
        values[column] = f"replace(replace({values[column]}, '.', ''), ',', '.')"
    for column in found["thousands"]:
        values[column] = f"replace({values[column]}, ',', '')"
    if found["decimal"]:
        others = [column for column in range(len(values)) if column not in columns]
        notes += _points(connection, values, names, others, source)
    if found["decimal"]:
        named = some(names[column] for column in sorted(found["decimal"]))
        notes.append(Note(f"{source}: 1,5 was read as 1.5 (decimal comma) in {named}."))
    if found["thousands"]:
        named = some(names[column] for column in sorted(found["thousands"]))
        notes.append(Note(f"{source}: 1,234 was read as 1234 (thousands) in {named}."))
    if found["either"]:
        named = some(names[column] for column in found["either"])
        notes.append(
            Note(
                f"{source}: values such as 1,234 in {named} may be 1.234 or 1234, and were left as "
                "text. Write them without the comma if they are numbers.",
                "caution",
            )
        )
    return notes


def read_points(
    connection: DuckDBPyConnection, values: list[str], names: Sequence[str], source: str
) -> list[Note]:
    """Read 1.234 as 1234, in place, where whole numbers of three digits stand in the same column.

    Beside 400 and 800, 1.200 is no fraction: fractions of which all have three digits, and whole
    numbers of hundreds, are not of one scale.
    """
    found: list[int] = []
    for column, value in enumerate(values):
        cell = f"nullif(trim({value}), '')"
        matches = connection.execute(
            f"SELECT bool_and(regexp_full_match({cell}, ?)), bool_or(contains({cell}, '.')), "
            f"bool_or(regexp_full_match({cell}, ?)) FROM t WHERE {cell} IS NOT NULL",
            [rf"[+-]?\d{{1,3}}|{_POINT_GROUPS}", r"[+-]?[1-9]\d{2}"],
        ).fetchone()
        if matches and all(matches):
            found.append(column)
    for column in found:
        values[column] = f"replace({values[column]}, '.', '')"
    if not found:
        return []
    named = some(names[column] for column in found)
    text = f"{source}: 1.234 was read as 1234 (thousands) in {named}, which has hundreds as well."
    return [Note(text, "caution")]


def read_percents(
    connection: DuckDBPyConnection, values: list[str], names: Sequence[str], source: str
) -> list[Note]:
    """Read columns of which every cell is a percentage as shares, in place: 50% is 0.5."""
    found: list[int] = []
    for column, value in enumerate(values):
        cell = f"nullif(trim({value}), '')"
        matches = connection.execute(
            f"SELECT bool_and(regexp_full_match({cell}, ?)) FROM t WHERE {cell} IS NOT NULL",
            [r"[+-]?(\d+(\.\d*)?|\.\d+)\s?%"],
        ).fetchone()
        if matches and matches[0]:
            found.append(column)
            # Written with as many digits as it has: 7% is 0.07 and no 0.07000000000000001.
            share = f"TRY_CAST(trim(replace({value}, '%', '')) AS DECIMAL(28, 10)) / 100"
            values[column] = f"({share})::DOUBLE::VARCHAR"
    if not found:
        return []
    named = some(names[column] for column in found)
    return [Note(f"{source}: 50% was read as 0.5 in {named}.")]


def _points(
    connection: DuckDBPyConnection,
    values: list[str],
    names: Sequence[str],
    columns: Sequence[int],
    source: str,
) -> list[Note]:
    """Look for 1.234 beside numbers with a decimal comma, where it may be 1234."""
    doubtful: list[str] = []
    for column in columns:
        value = f"nullif(trim({values[column]}), '')"
        matches = connection.execute(
            f"SELECT bool_and(regexp_full_match({value}, ?)), bool_or(contains({value}, '.')) "
            f"FROM t WHERE {value} IS NOT NULL",
            [rf"{_WHOLE}|{_POINT_GROUPS}"],
        ).fetchone()
        if matches and all(matches):
            doubtful.append(names[column])
    if not doubtful:
        return []
    return [
        Note(
            f"{source}: values such as 1.234 in {some(doubtful)} may be 1234, as other numbers "
            "have a decimal comma; they were left as they are. Write them without the point if so.",
            "caution",
        )
    ]
