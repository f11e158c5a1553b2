"""Numbers that are written with words or signs: 4/5, 4 stars, Score: 4, $1,250, 1 250."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, option

__all__ = ["check_ends", "without_units"]

LONGEST = 60
"""Letters of a text from which on it is no number with a unit."""
_NUMBER = r"(?P<number>[+-]?\d+(?:\.\d+)?)"
_OF = r"(?:\s*(?:/|out of|of)\s*(?P<of>\d+))"
_FORMS = (
    re.compile(
        r"(?i)(?:(?:final |overall |total )?(?:score|rating|grade)\s*(?:is|[:=])?\s*)?"
        rf"{_NUMBER}{_OF}?"
    ),
    re.compile(rf"(?i){_NUMBER}\s*(?:stars?|points?|pts?\.?)"),
    re.compile(r"(?P<number>\d{1,3}(?:[ \u00a0\u202f]\d{3})+)"),
    re.compile(r"[$€£¥]\s?(?P<number>\d{1,3}(?:,\d{3})*(?:\.\d+)?|\d+(?:\.\d+)?)"),
)
_STARS = re.compile(r"(?P<full>[★⭐]*)[☆]*")
_MARKS = re.compile(r"[=*_`\[\]\s\"']*(.*?)[*_`\[\]\s\"'.]*")
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
    >>> without_units(["①", "②"])
    ['1', '2']
    """
    if len(texts) < 2 or max(map(len, texts)) > LONGEST:
        return None
    if all(number_of(text) is not None for text in texts):
        return None
    stars = [_STARS.fullmatch(text.strip()) for text in texts]
    if all(stars):
        return [str(len(one["full"])) for one in stars if one]
    if all(len(text) == 1 and unicodedata.numeric(text, -1) >= 0 for text in texts):  # ①
        return [f"{unicodedata.numeric(text):g}" for text in texts]
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
    if not some_out_of or max(map(len, texts)) > LONGEST:
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
    bare = [_MARKS.fullmatch(text) for text in texts]
    plain = [one[1] if one else text for one, text in zip(bare, texts, strict=True)]
    found = [next((m for form in _FORMS if (m := form.fullmatch(text))), None) for text in plain]
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
