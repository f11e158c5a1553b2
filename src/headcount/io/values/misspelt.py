"""Labels that are another one with a remark, or misspelt: yes (unsure), yse."""

from __future__ import annotations

import re
from collections.abc import Mapping

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, some
from headcount.io.values.ladders import MONTH
from headcount.results.notes import Notes

__all__ = ["note_misspelt"]

_REMARK = re.compile(
    r"(.{1,60}?)\s*(?:[(\[].{1,60}[)\]]|\s[-–—]\s.{1,60}|,\s(?:but|though|aber)\b.{1,60})"
)
"""A label, and a remark on it."""
_DATE = re.compile(
    rf"(?i)\d{{1,2}}[-./ ]{{1,2}}{MONTH}|{MONTH}[-./ ]{{1,2}}\d{{1,4}}|"
    r"\d{4}-\d\d-\d\d(?: 00:00:00)?"
)
"""A day, as spreadsheets write it."""
MOST_LABELS = 50
"""Labels from which on those that are alike are not looked for."""
MOST_USES, LARGEST_PART = 2, 0.02
"""Uses of a label that is misspelt, at most."""
LEAST_LETTERS = 3


def note_misspelt(uses: Mapping[str, int], source: str, notes: Notes) -> None:
    """Warn of labels that may be others with a remark, or misspelt; refuse days beside numbers.

    Parameters
    ----------
    uses : mapping of str to int
        Labels, and how often each is used.
    source : str
    notes : Notes

    Examples
    --------
    >>> said = Notes()
    >>> note_misspelt({"yes": 60, "no": 60, "yse": 1, "no (unsure)": 9}, "r.csv", said)
    >>> for note in said:
    ...     print(note)
    r.csv: labels with a remark count as labels of their own: 'no (unsure)' beside 'no'. Write
    remarks into a column of their own.
    r.csv: labels that are rare and nearly another one: 'yse' ('yes'?). Correct them, if they are
    misspelt.
    """
    if not 1 < len(uses) <= MOST_LABELS:
        return
    dates = [label for label in uses if _DATE.fullmatch(label)]
    if dates and sum(number_of(label) is not None for label in uses) > 1:
        raise DataError(
            f"{source}: labels {some(dates)} beside numbers: a spreadsheet took 1-2, or the like, "
            "for a day of a month. Correct them where they come from, as text."
        )
    remarks = [
        f"'{label}' beside '{m[1]}'"
        for label in uses
        if (m := _REMARK.fullmatch(label)) and m[1] in uses
    ]
    if remarks:
        notes.warning(
            f"{source}: labels with a remark count as labels of their own: "
            f"{', '.join(remarks[:3])}. Write remarks into a column of their own."
        )
    rare = min(MOST_USES, LARGEST_PART * sum(uses.values()))
    common = [label for label, n in uses.items() if n > MOST_USES and _is_word(label)]
    wrong = {
        label: right
        for label, n in uses.items()
        if n <= rare and _is_word(label)
        for right in common
        if _one_slip(label.lower(), right.lower())
    }
    if wrong:
        pairs = ", ".join(f"'{label}' ('{right}'?)" for label, right in [*wrong.items()][:3])
        notes.caution(
            f"{source}: labels that are rare and nearly another one: {pairs}. Correct them, if "
            "they are misspelt."
        )


def _is_word(label: str) -> bool:
    return len(label) >= LEAST_LETTERS and label.replace(" ", "").isalpha()


def _one_slip(one: str, other: str) -> bool:
    """Whether one letter is wrong, lacking or too many, or two are swapped.

    Examples
    --------
    >>> _one_slip("yse", "yes"), _one_slip("toxc", "toxic"), _one_slip("cat", "dog")
    (True, True, False)
    """
    if one == other or abs(len(one) - len(other)) > 1:
        return False
    start = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if start is None:
        return True
    a, b = one[start:], other[start:]
    swapped = a[:2] == b[1::-1] and a[2:] == b[2:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or swapped
