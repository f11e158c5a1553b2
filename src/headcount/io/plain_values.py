"""Values by what they say: numbers as people write them, answers in JSON or between marks."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, option, some
from headcount.io.roles import is_remark, plain_name
from headcount.io.values import MISSING_WORDS
from headcount.results.notes import Note

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "plainly",
    "marked_answers",
    "ANSWER_KEYS",
    "in_json",
    "several_answers",
    "without_units",
    "check_ends",
    "on_one_scale",
    "read_commas",
    "read_percents",
]


# Labels by what they say: out of JSON, between marks, or numbers without their words and signs.


@dataclass(frozen=True)
class Plain:
    """What texts say, and how they are read, for a note."""

    texts: list[str]
    how: str


def plainly(texts: Sequence[str]) -> Plain | None:
    """Read texts by what they say; None if they say it plainly.

    Examples
    --------
    >>> plainly(['{"score": "4/5"}', '{"score": "2/5"}']).texts
    ['4', '2']
    >>> plainly(["4", "2"])
    """
    made, how = list(texts), ""
    if (said := in_json(made)) is not None:
        made, how = said.texts, f"cells are JSON, of which '{said.key}' is read"
    elif without_units(made) is None and (answers := marked_answers(made)) is not None:
        odd = next(n for n, text in enumerate(made) if text != answers[n])
        how = f"of cells such as '{_short(made[odd])}', '{answers[odd]}' is read"
        made = answers
    if (numbers := without_units(made)) is not None:
        example = next(text for text in made if number_of(text) is None)
        how = how or f"numbers with words or signs, such as '{example}', are read as numbers"
        made = numbers
    return Plain(made, how) if how else None


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else f"{line[:37]}..."


# Answers that stand in a text between marks: [[4]], <verdict>no</verdict>, Answer: yes.

_THOUGHT = re.compile(r"(?is)\A\s*<(think|thinking|reasoning)>.*?</\1>")
_WHAT = r"answer|verdict|label|score|rating|grade|decision|judge?ment|choice|class|category|result"
_ANSWER_MARKS = (
    re.compile(r"\[\[([^\[\]\n]{1,40})\]\]"),
    re.compile(rf"(?i)<(?:final_)?(?:{_WHAT})>\s*([^<\n]{{1,60}}?)\s*</"),
    re.compile(r"(?i)\[result\]:?\s*(\S[^\n]{0,40})"),
    re.compile(r"\\boxed\{([^{}\n]{1,40})\}"),
)
"""What models are told to put around an answer, in whatever they write."""
_PREFIX = re.compile(
    rf"(?i)(?:the )?(?:(?:final|overall|total|my|correct) )?(?:{_WHAT}|classification|prediction)"
    r"(?: is\b:?|\s?[:=])\s*(.{1,60})"
)
_AROUND = " \t\n*_`\"'“”"
MOST_ANSWER_WORDS = 4
"""Words of an answer."""
LONGEST_ANSWER_TEXT = 20_000
"""Letters of a text that is looked at."""


def marked_answers(texts: Sequence[str]) -> list[str] | None:
    """Take the answer out of each text; None if some have none, or two.

    Examples
    --------
    >>> marked_answers(["It is bad. Rating: [[2]]", "Good. Rating: [[5]]"])
    ['2', '5']
    >>> marked_answers(["**YES**", "No."]), marked_answers(["Answer: yes", "Answer: no"])
    (['YES', 'No'], ['yes', 'no'])
    >>> marked_answers(["yes", "no"]), marked_answers(["yes, it is.", "no"])
    (None, None)
    """
    if len(texts) < 2 or max(map(len, texts)) > LONGEST_ANSWER_TEXT:
        return None
    plain = [_THOUGHT.sub("", text).strip() for text in texts]
    for mark in _ANSWER_MARKS:
        if all(mark.search(text) for text in plain):
            found = [{one.strip() for one in mark.findall(text)} for text in plain]
            return [one.pop() for one in found] if all(len(one) == 1 for one in found) else None
    said = [_bare(text) for text in plain]
    apart = len({*said}) == len({*texts})  # what differs only so is for the user to merge
    changed = sum(one != text for one, text in zip(said, texts, strict=True))
    short = 2 * changed >= len(texts) and all(
        len(one.split()) <= MOST_ANSWER_WORDS and "," not in one for one in said
    )
    return said if apart and short else None


def _bare(text: str) -> str:
    """Leave out Markdown, quotes, a name before it and a point behind it."""
    bare = text.strip(_AROUND)
    if m := _PREFIX.fullmatch(bare):
        bare = m[1].strip(_AROUND)
    return bare.rstrip(".").strip(_AROUND) or text


# Answers of models that are JSON in a cell: {"score": 4, "reason": "..."}.

ANSWER_KEYS = (
    "label", "score", "rating", "verdict", "answer", "grade", "decision", "judgment", "judgement",
    "choice", "class", "category", "result", "value",
)  # fmt: skip
"""Keys that hold an answer, likeliest first."""
MOST_BEFORE = 200
"""Letters before an object."""


@dataclass(frozen=True)
class InJson:
    """What texts say, and the key that says it."""

    key: str
    texts: list[str]


def in_json(texts: Sequence[str]) -> InJson | None:
    """Take the answer out of texts that are objects of JSON; None if some are none.

    Examples
    --------
    >>> in_json(['{"score": 4, "reason": "good"}', '{"score": 2, "reason": "so"}'])
    InJson(key='score', texts=['4', '2'])
    """
    read = _objects(texts)
    if not read:
        return None
    for key in ANSWER_KEYS:
        values = [one.get(key) for one in read]
        if all(isinstance(value, str | int | float) for value in values):
            return InJson(key, [str(value) for value in values])
    others = answers_in(read[0])
    if len(others) == 1 and all(answers_in(one) == others for one in read):
        return InJson(others[0], [str(one[others[0]]) for one in read])
    return None


def answers_in(said: dict[str, Any]) -> list[str]:
    """Keys of an object that hold a value and are no remarks."""
    return [
        key
        for key, value in said.items()
        if isinstance(value, str | int | float) and not is_remark(plain_name(key), ())
    ]


def several_answers(texts: Sequence[str]) -> list[str]:
    """Keys of texts that are objects of JSON with several answers; none if they are not."""
    read = _objects(texts)
    return answers_in(read[0]) if read and in_json(texts) is None else []


def _objects(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Objects that texts are, perhaps with words around; none if some are not."""
    read: list[dict[str, Any]] = []
    for text in texts:
        start, end = text.find("{"), text.rfind("}")
        if not 0 <= start <= MOST_BEFORE or end < start:
            return []
        try:
            made: object = json.loads(text[start : end + 1])
        except (ValueError, RecursionError):
            return []
        if not isinstance(made, dict):
            return []
        read.append(cast("dict[str, Any]", made))
    return read


# Numbers that are written with words or signs: 4/5, 4 stars, Score: 4, $1,250, 1 250.

LONGEST_NUMBER = 60
"""Letters of a text from which on it is no number with a unit."""
_NUMBER = r"(?P<number>[+-]?\d+(?:\.\d+)?)"
_OF = r"(?:\s*(?:/|out of|of)\s*(?P<of>\d+))"
_UNIT_FORMS = (
    re.compile(
        r"(?i)(?:(?:final |overall |total )?(?:score|rating|grade)\s*(?:is|[:=])?\s*)?"
        rf"{_NUMBER}{_OF}?"
    ),
    re.compile(rf"(?i){_NUMBER}\s*(?:stars?|points?|pts?\.?)"),
    re.compile(r"(?P<number>\d{1,3}(?:[ \u00a0\u202f]\d{3})+)"),
    re.compile(r"[$€£¥]\s?(?P<number>\d{1,3}(?:,\d{3})*(?:\.\d+)?|\d+(?:\.\d+)?)"),
)
_STARS = re.compile(r"(?P<full>[★⭐]*)[☆]*")
_MARKS_AROUND_NUMBER = re.compile(r"[=*_`\[\]\s\"']*(.*?)[*_`\[\]\s\"'.]*")
"""What Markdown, and models that are told to bracket their answer, put around one."""


def without_units(texts: Sequence[str]) -> list[str] | None:
    """Take out what is written around numbers; None if some texts are no such numbers.

    What a number is out of must be the same in all: 1/2 and 1/3 are fractions.

    Examples
    --------
    >>> without_units(["4/5", "2/5", "5"]), without_units(["3 stars", "1 star"])
    (['4', '2', '5'], ['3', '1'])
    >>> without_units(["1/2", "1/3"]), without_units(["class 1", "class 2"])
    (None, None)
    >>> without_units(["★★☆", "★☆☆"]), without_units(["1", "2"])
    (['2', '1'], None)
    """
    if len(texts) < 2 or max(map(len, texts)) > LONGEST_NUMBER:
        return None
    if all(number_of(text) is not None for text in texts):
        return None
    stars = [_STARS.fullmatch(text.strip()) for text in texts]
    if all(stars):
        return [str(len(one["full"])) for one in stars if one]
    numbers, ends = _numbers(texts)
    return numbers if numbers and not _differ(numbers, ends) else None


def check_ends(texts: Sequence[str], at: str) -> None:
    """Refuse numbers that are out of several, or out of less than some are: 2/10 beside 1/5.

    Examples
    --------
    >>> check_ends(["2/10", "1/5", "3/5"], "r.csv")
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv: numbers out of 5 and 10, such as '2/10' and '1/5', are on
    different scales. Write all out of one number; if they are names, name all labels with
    labels='...'.
    >>> check_ends(["2/5", "1/5"], "r.csv")
    """
    some_out_of = any("/" in text or "of" in text for text in texts)
    if not some_out_of or max(map(len, texts)) > LONGEST_NUMBER:
        return
    numbers, ends = _numbers(texts)
    if not _differ(numbers, ends):
        return
    one = next(n for n, end in enumerate(ends) if end)
    other = next(
        n
        for n, end in enumerate(ends)
        if (end or ends[one]) != ends[one] or _above(numbers[n], ends)
    )
    out = " and ".join(sorted({end for end in ends if end}, key=int))
    raise DataError(
        f"{at}: numbers out of {out}, such as '{texts[one]}' and '{texts[other]}', are on "
        "different scales. Write all out of one number; if they are names, name all labels with "
        f"{option('labels', '...')}."
    )


def _numbers(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Take numbers out of texts, and what each is out of if that is said; none if one fails."""
    bare = [_MARKS_AROUND_NUMBER.fullmatch(text) for text in texts]
    plain = [one[1] if one else text for one, text in zip(bare, texts, strict=True)]
    found = [
        next((m for form in _UNIT_FORMS if (m := form.fullmatch(text))), None) for text in plain
    ]
    if not all(found):
        return [], []
    numbers = [re.sub(r"[,\s]", "", m["number"]) for m in found if m]
    return numbers, [(m.groupdict().get("of") or "") for m in found if m]


def _differ(numbers: Sequence[str], ends: Sequence[str]) -> bool:
    """Whether numbers are out of several, or some are above what they are out of."""
    return len({*ends} - {""}) > 1 or any(_above(number, ends) for number in numbers)


def _above(number: str, ends: Sequence[str]) -> bool:
    known = [float(end) for end in ends if end]
    return bool(known) and float(number) > max(known)


# Points of a scale: numbers that belong together though none of them is given twice.

HIGHEST_POINT = 11
"""The highest point of a scale, as of one from 0 to 10 or from 1 to 11."""


def on_one_scale(one: Collection[str], other: Collection[str]) -> bool:
    """Whether numbers of one lie between those of the other, on a short scale.

    All may say 4 of an item, which nobody says of others.

    Examples
    --------
    >>> on_one_scale({"4"}, {"1", "2", "5"}), on_one_scale({"37"}, {"1", "5"})
    (True, False)
    """
    if not one or not other or not all(value.isdecimal() for value in (*one, *other)):
        return False
    ends = [(min(map(int, values)), max(map(int, values))) for values in (one, other)]
    (low, high), (least, most) = sorted(ends, key=lambda end: end[0] - end[1])
    return high <= HIGHEST_POINT and low <= least and most <= high


# Numbers as they are written in several countries: 1,5 and 1.5, 1.234 and 1,234.

_WHOLE = r"[+-]?\d+"
_POINT = r"[+-]?(\d+\.\d*|\.\d+)"
_COMMA = r"[+-]?\d*,\d+"
_COMMA_GROUPS = r"[+-]?[1-9]\d{0,2}(,\d{3})+"
_POINT_GROUPS = r"[+-]?[1-9]\d{0,2}(\.\d{3})+"
_COMMA_FORMS = {
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
        What separates columns. It decides on 1,234: between semicolons it is 1.234, since programs
        write them where the comma is decimal; elsewhere 1234.

    Returns
    -------
    list of Note
        What was read so.
    """
    decimal: list[int] = []
    thousands: list[int] = []
    either: list[int] = []
    for column in columns:
        value = f"nullif(trim({values[column]}), '')"
        matches = connection.execute(
            f"SELECT bool_and(regexp_full_match({value}, ?)), bool_and(regexp_full_match({value}, "
            f"?)) FROM t WHERE {value} NOT IN (SELECT unnest(?))",
            [_COMMA_FORMS["decimal"], _COMMA_FORMS["thousands"], sorted(MISSING_WORDS)],
        ).fetchone()
        is_decimal, is_thousands = matches or (False, False)
        if is_decimal and is_thousands:
            (either if delimiter == ";" else thousands).append(column)
        elif is_decimal or is_thousands:
            (decimal if is_decimal else thousands).append(column)
    notes: list[Note] = []
    if either:
        named = some(names[column] for column in either)
        notes.append(
            Note(
                f"{source}: every number in {named} is like 1,234, which is read as 1.234. If it "
                "is 1234, write it without the comma.",
                "caution",
            )
        )
    for column in (*decimal, *either):
        value = values[column]
        point = f"replace(replace({value}, '.', ''), ',', '.')"
        form = _COMMA_FORMS["decimal"]
        is_number = f"regexp_full_match(trim({value}), '{form}')"  # n.a. keeps its points
        values[column] = f"CASE WHEN {is_number} THEN {point} ELSE {value} END"
    for column in thousands:
        values[column] = f"replace({values[column]}, ',', '')"
    if decimal:
        named = some(names[column] for column in decimal)
        notes.append(Note(f"{source}: 1,5 was read as 1.5 (decimal comma) in {named}."))
    if thousands:
        named = some(names[column] for column in thousands)
        notes.append(Note(f"{source}: 1,234 was read as 1234 (thousands) in {named}."))
    return notes


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
