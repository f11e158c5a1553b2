"""What a cell says: the one grammar of cells, for every format and engine.

A cell is blank, a word for a missing value, a number, or text. Numbers may have a decimal comma,
separators of thousands, a percent sign, or a unit; answers of models may be JSON, or stand between
marks. The different texts of a column are read together, since 1,234 is 1.234 beside 1,5.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, cast

import numpy as np

from headcount.data.vocabulary import MISSING, label_text, number_of, number_text
from headcount.errors import DataError, option
from headcount.results.notes import Note, Severity
from headcount.typing import Codes

__all__ = [
    "MISSING_WORDS",
    "MAYBE_LABELS",
    "without_missing",
    "yes_or_no",
    "MOST_LABELS_WITH_YES",
    "Plain",
    "plainly",
    "written_numbers",
    "unlike_others",
    "marked_answers",
    "ANSWER_KEYS",
    "in_json",
    "several_answers",
    "without_units",
    "check_ends",
]


# How a missing value is written, and a column without such values.

MAYBE_LABELS = frozenset({"none", "None", "NONE", "-", "missing", "Missing", "MISSING"})
"""Words for a missing label that are labels to some."""

MISSING_WORDS = MAYBE_LABELS | {
    "NA", "N/A", "n/a", "na", "#N/A", "#NA", "n.a.", "N.A.", "<NA>", "NaN", "nan", "Nan", "NAN",
    "null", "NULL", "Null", ".", "--", "–", "—", "(blank)", "(empty)", "#REF!", "#VALUE!",
    "#DIV/0!", "#NAME?", "#NULL!", "#NUM!",
}  # fmt: skip
"""How programs and people write a missing label, unless it is declared to be a label."""


def without_missing(
    codes: Codes,
    texts: Sequence[str],
    *,
    missing: Collection[str] = (),
    labels: Collection[str] = (),
    words: Collection[str] = MISSING_WORDS,
) -> tuple[Codes, list[str], list[str]]:
    """Take out what only says that a value is missing.

    Parameters
    ----------
    codes, texts : array of int and sequence of str
        A column.
    missing : collection of str
        Values that are missing too, however their numbers are written.
    labels : collection of str
        What is declared to be a value, whatever it looks like.
    words : collection of str
        The usual words. A '-' beside a '+' is none.

    Returns
    -------
    codes : array of int
        -1 where such a word stood.
    texts : list of str
        What is left of the vocabulary.
    written : list of str
        The words that were taken out.

    Examples
    --------
    >>> without_missing(np.array([0, 1, 2]), ["nan", "yes", "no"])
    (array([-1,  0,  1]), ['yes', 'no'], ['nan'])
    >>> without_missing(np.array([0, 1, 2]), ["99", "1", "2"], missing=["99.0"])
    (array([-1,  0,  1]), ['1', '2'], ['99'])
    """
    declared = {label_text(label) for label in labels}
    asked = {label_text(word) for word in missing}
    usual = set(words) - declared - ({"-"} if "+" in texts else set())
    written = [text for text in texts if text in usual or (asked and label_text(text) in asked)]
    if not written:
        return codes, texts if isinstance(texts, list) else list(texts), []
    out = set(written)
    kept = [text for text in texts if text not in out]
    place = {text: code for code, text in enumerate(kept)}
    # The last entry is that of a blank, code -1.
    recode = np.array([*(place.get(text, MISSING) for text in texts), MISSING])
    return recode[codes], kept, written


# Words for yes and no.

_YES_WORDS = frozenset({"1", "y", "yes", "t", "true"})
_NO_WORDS = frozenset({"0", "n", "no", "f", "false"})
MOST_LABELS_WITH_YES = 20
"""Labels of which some may be yes and no."""


def yes_or_no(text: str) -> str:
    """Write a word for yes or no as the English one; any other text stays.

    Examples
    --------
    >>> [yes_or_no(text) for text in ("TRUE", "Ja", "n", "0", "unsure")]
    ['yes', 'Ja', 'no', 'no', 'unsure']
    """
    plain = label_text(text.strip().casefold())
    return "yes" if plain in _YES_WORDS else "no" if plain in _NO_WORDS else text


# Numbers as they are written in several countries: 1,5 and 1.5, 1.234 and 1,234, 50%.

_WHOLE = r"[+-]?\d+"
_GROUPED = r"[+-]?[1-9]\d{0,2}"
DECIMAL_COMMA = re.compile(rf"{_WHOLE}|[+-]?\d*,\d+|{_GROUPED}(\.\d{{3}})+(,\d+)?", re.ASCII)
THOUSANDS = re.compile(rf"{_WHOLE}|[+-]?(\d+\.\d*|\.\d+)|{_GROUPED}(,\d{{3}})+(\.\d*)?", re.ASCII)
"""What numbers look like where a comma is decimal, and where it separates thousands."""
_LIST_OF_NUMBERS = re.compile(r"[+-]?[\d.]+(\s*,\s*[+-]?[\d.]+)+", re.ASCII)


def written_numbers(texts: Sequence[str], *, decimal_comma: bool = False) -> Plain | None:
    """Read numbers with commas and percentages; None if there are none.

    A comma means the same in all texts: it is decimal if one can be nothing else (1,5), and else
    separates thousands (1,234). Other texts stay.

    Parameters
    ----------
    texts : sequence of str
        The different values of a column.
    decimal_comma : bool
        Whether 1,234 is 1.234 where nothing else tells, as between semicolons: programs write
        these where the comma is decimal.

    Examples
    --------
    >>> written_numbers(["1,5", "1.234,25", "7"]).texts
    ['1.5', '1234.25', '7']
    >>> written_numbers(["1,234", "2.5"]).texts
    ['1234', '2.5']
    >>> written_numbers(["1,234"], decimal_comma=True).texts
    ['1.234']
    >>> written_numbers(["50%", "7,5 %"]).texts
    ['0.5', '0.075']
    >>> written_numbers(["1,5", "2.5"]), written_numbers(["1", "New York, NY"])
    (None, None)
    """
    if not any("," in text or text.endswith("%") for text in texts):
        return None
    bare = [text.removesuffix("%").rstrip() for text in texts]
    decimal = [DECIMAL_COMMA.fullmatch(text) is not None for text in bare]
    thousands = [THOUSANDS.fullmatch(text) is not None for text in bare]
    numbers = [a or b for a, b in zip(decimal, thousands, strict=True)]
    others = [text for text, number in zip(bare, numbers, strict=True) if not number]
    if any(map(_LIST_OF_NUMBERS.fullmatch, others)):
        return None
    percents = [text.endswith("%") for text, number in zip(texts, numbers, strict=True) if number]
    if not percents or (any(percents) and not all(percents)):
        return None
    only_decimal = any(a and not b for a, b in zip(decimal, thousands, strict=True))
    only_thousands = any(b and not a for a, b in zip(decimal, thousands, strict=True))
    with_comma = any("," in text for text, number in zip(bare, numbers, strict=True) if number)
    if with_comma and only_decimal and only_thousands:
        return None
    decimal_comma = with_comma and (only_decimal or (decimal_comma and not only_thousands))
    made: list[str] = []
    for text, own, number in zip(texts, bare, numbers, strict=True):
        if number and decimal_comma:
            own = own.replace(".", "").replace(",", ".")
        own = own.replace(",", "") if number else text
        made.append(number_text(float(Decimal(own) / 100)) if number and any(percents) else own)
    if made == list(texts):
        return None
    how: list[str] = []
    if with_comma:
        how.append(
            "1,5 is read as 1.5 (decimal comma)"
            if only_decimal
            else "1,234 is read as 1.234 (decimal comma); if it is 1234, write it without the comma"
            if decimal_comma
            else "1,234 is read as 1234 (thousands)"
        )
    if any(percents):
        how.append("50% is read as 0.5")
    doubtful = with_comma and decimal_comma and not only_decimal
    return Plain(made, "; ".join(how), "caution" if doubtful else "info")


# Labels by what they say: out of JSON, between marks, or numbers without their words and signs.


@dataclass(frozen=True)
class Plain:
    """What texts say, and how they are read, for a note."""

    texts: list[str]
    how: str
    severity: Severity = "caution"

    def note(self, at: str) -> Note:
        """Say how cells are read."""
        return Note(f"{at}: {self.how}.", self.severity)


def plainly(texts: Sequence[str], *, decimal_comma: bool = False) -> Plain | None:
    """Read texts by what they say; None if they say it plainly.

    `decimal_comma` is as for :func:`written_numbers`.

    Examples
    --------
    >>> plainly(['{"score": "4/5"}', '{"score": "2/5"}']).texts
    ['4', '2']
    >>> plainly(["4", "2"])
    """
    made, how = list(texts), ""
    if (written := written_numbers(made, decimal_comma=decimal_comma)) is not None:
        return written
    if (answer := in_json(made)) is not None:
        made, how = answer[1], f"cells are JSON, of which '{answer[0]}' is read"
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
            marked = [{answer.strip() for answer in mark.findall(text)} for text in plain]
            single = all(len(answers) == 1 for answers in marked)
            return [answers.pop() for answers in marked] if single else None
    bare = [_bare(text) for text in plain]
    apart = len({*bare}) == len({*texts})  # what differs only so is for the user to merge
    changed = sum(answer != text for answer, text in zip(bare, texts, strict=True))
    short = 2 * changed >= len(texts) and all(
        len(answer.split()) <= MOST_ANSWER_WORDS and "," not in answer for answer in bare
    )
    return bare if apart and short else None


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


def in_json(texts: Sequence[str]) -> tuple[str, list[str]] | None:
    """Take the key of the answer, and the answers, out of objects of JSON; None if some are none.

    Examples
    --------
    >>> in_json(['{"score": 4, "reason": "good"}', '{"score": 2, "reason": "so"}'])
    ('score', ['4', '2'])
    """
    read = _objects(texts)
    if not read:
        return None
    for key in ANSWER_KEYS:
        values = [record.get(key) for record in read]
        if all(isinstance(value, str | int | float) for value in values):
            return key, [str(value) for value in values]
    return None


def several_answers(texts: Sequence[str]) -> list[str]:
    """Keys of texts that are objects of JSON without an answer; none if they are not."""
    read = _objects(texts)
    return list(read[0]) if read and in_json(texts) is None else []


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
"""Letters of a text from which on it is not a number with a unit."""
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
    if 2 * sum(number_of(text) is None for text in texts) < len(texts):
        return None  # a few signs among numbers are slips
    numbers, ends = _numbers(texts)
    return None if not numbers or _differ(numbers, ends) else numbers


def check_ends(texts: Sequence[str], at: str) -> None:
    """Refuse numbers that are out of several, or out of less than some are: 2/10 beside 1/5."""
    if not any("/" in text or "of" in text for text in texts):
        return
    numbers, ends = _numbers(texts) if max(map(len, texts)) <= LONGEST_NUMBER else ([], [])
    if numbers and 2 * sum(map(bool, ends)) >= len(ends) and _differ(numbers, ends):
        out = " and ".join(sorted({*ends} - {""}))
        raise DataError(
            f"{at}: numbers such as '{texts[0]}' are out of {out}, on different scales. Write all "
            f"out of one number; if they are names, name all labels with {option('labels', '...')}."
        )


def _differ(numbers: Sequence[str], ends: Sequence[str]) -> bool:
    """Whether numbers are out of several, or some are above what they are out of."""
    known = {float(end) for end in ends if end}
    return len(known) > 1 or any(float(number) > max(known) for number in numbers if known)


def _numbers(texts: Sequence[str]) -> tuple[list[str], list[str]]:
    """Take numbers out of texts, and what each is out of if that is said; none if one fails."""
    bare = [_MARKS_AROUND_NUMBER.fullmatch(text) for text in texts]
    plain = [match[1] if match else text for match, text in zip(bare, texts, strict=True)]
    matches = [
        next((m for form in _UNIT_FORMS if (m := form.fullmatch(text))), None) for text in plain
    ]
    if not all(matches):
        return [], []
    numbers = [re.sub(r"[,\s]", "", m["number"]) for m in matches if m]
    return numbers, [(m.groupdict().get("of") or "") for m in matches if m]


# Texts that are unlike the others, which say a number or an answer.


def unlike_others(texts: Sequence[str]) -> list[int]:
    """Places of texts that are not numbers or JSON and have no mark, where half of the others are.

    Examples
    --------
    >>> unlike_others(["4/5", "3/5", "not rated"]), unlike_others(["yes", "no", "1,5"])
    ([2], [])
    """
    if max(map(len, texts), default=0) > LONGEST_ANSWER_TEXT:
        return []
    objects = [bool(_objects([text])) for text in texts]
    short = [text if len(text) <= LONGEST_NUMBER else "" for text in texts]
    units = [bool(_numbers([text])[0]) for text in short]
    marks = [[mark.search(text) is not None for text in texts] for mark in _ANSWER_MARKS]
    for kind in (objects, units, *marks):
        if 2 * sum(kind) >= len(texts) > sum(kind):
            return [index for index, fits in enumerate(kind) if not fits]
    return []
