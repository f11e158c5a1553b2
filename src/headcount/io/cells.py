"""What a cell says: the one grammar of cells, for every format and engine.

A cell is blank, a word for a missing value, a number, or text. Numbers may have a decimal comma,
separators of thousands, or a percent sign. The different texts of a column are read together, since
1,234 is 1.234 beside 1,5. Numbers and answers with other text around them are refused.
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
    "Plain",
    "said_plainly",
    "written_numbers",
    "check_bare",
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


@dataclass(frozen=True)
class Plain:
    """Texts as plain numbers, and how they are read, for a note."""

    texts: list[str]
    how: str
    severity: Severity = "caution"

    def note(self, at: str) -> Note:
        """Say how cells are read."""
        return Note(f"{at}: {self.how}.", self.severity)


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


# Answers of models that are JSON in a cell: {"score": 4, "reason": "..."}.

ANSWER_KEYS = (
    "label", "score", "rating", "verdict", "answer", "grade", "decision", "judgment", "judgement",
    "choice", "class", "category", "result", "value",
)  # fmt: skip
"""Keys that hold an answer, likeliest first."""
MOST_BEFORE = 200
"""Letters before an object."""


def said_plainly(texts: Sequence[str], at: str, *, decimal_comma: bool = False) -> Plain | None:
    """Read numbers as they are written, and answers in JSON; None if texts are what they say.

    Examples
    --------
    >>> said_plainly(['{"score": 4, "reason": "good"}', '{"score": 2, "reason": "so"}'], "r").texts
    ['4', '2']
    """
    said = written_numbers(texts, decimal_comma=decimal_comma) or _in_json(texts)
    if said is None:
        check_bare(texts, at)
    return said


def _in_json(texts: Sequence[str]) -> Plain | None:
    """Take the answers out of objects of JSON; None if some are none."""
    read = _objects(texts)
    if not read:
        return None
    for key in ANSWER_KEYS:
        values = [record.get(key) for record in read]
        if all(isinstance(value, str | int | float) for value in values):
            how = f"cells are JSON, of which '{key}' is read"
            return Plain([str(value) for value in values], how, "caution")
    return None


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


# Numbers and answers among other text, which no grammar takes out: [[4]], <label>4</label>, 4/5.

_WHAT = r"answer|verdict|label|score|rating|grade|decision|judge?ment|choice|class|category|result"
_ANSWER = re.compile(
    r"(?is)\{\s*\"\w|\A\s*<(?:think|thinking|reasoning)>|\[\[[^\[\]\n]{1,40}\]\]|\[result\]|\\boxed\{|"
    rf"<(?:final_)?(?:{_WHAT})>|"
    rf"\A[\s*_]*(?:the )?(?:(?:final|overall|total|my|correct) )?(?:{_WHAT})(?: is\b|\s?[:=])"
)
_NUMBER = re.compile(
    r"[*_`\[\]\s\"']*(?:[+-]?\d+(?:\.\d+)?(?:\s*(?:/|out of|of)\s*\d+|"
    r"\s*(?:stars?|points?|pts?\.?))?|"
    r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+|[$€£¥]\s?\d[\d,]*(?:\.\d+)?|[★⭐☆]+)[*_`\[\]\s\"'.]*",
    re.IGNORECASE,
)
LONGEST_NUMBER, LONGEST_ANSWER = 60, 20_000
"""Letters of a text from which on it is not a number with a unit, and is not looked at."""


def check_bare(texts: Sequence[str], at: str) -> None:
    """Refuse labels most of which are numbers or answers with something around them.

    Examples
    --------
    >>> check_bare(["4/5", "2/5"], "r.csv")
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv: cells such as '4/5' hold more than a number or a label. Write
    that alone; if cells are labels as they are, name all of them with labels='...'.
    """
    odd = [text for text in texts if number_of(text) is None and _holds_more(text)]
    if odd and 2 * len(odd) >= len(texts):
        rest = [text for text in texts if text not in odd and number_of(text) is None]
        none = f" Or say {option('missing', rest[0])} if it means no answer." if rest else ""
        raise DataError(
            f"{at}: cells such as '{' '.join(odd[0][:40].split())}' hold more than a number or a "
            "label. Write that alone; if cells are labels as they are, name all of them with "
            f"{option('labels', '...')}.{none}"
        )


def _holds_more(text: str) -> bool:
    if text.startswith("[") and text.endswith("]"):  # a list, as frames are written into CSV
        return True
    if len(text) <= LONGEST_NUMBER and _NUMBER.fullmatch(text):
        return True
    return len(text) <= LONGEST_ANSWER and _ANSWER.search(text) is not None
