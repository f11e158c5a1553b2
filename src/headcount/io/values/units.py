"""Numbers that are written with words or signs: 4/5, 4 stars, Score: 4, $1,250, 1 250."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headcount.data.vocabulary import number_of

__all__ = ["without_units"]

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
    """
    if len(texts) < 2 or max(map(len, texts)) > LONGEST:
        return None
    if all(number_of(text) is not None for text in texts):
        return None
    stars = [_STARS.fullmatch(text.strip()) for text in texts]
    if all(stars):
        return [str(len(one["full"])) for one in stars if one]
    bare = [_MARKS.fullmatch(text) for text in texts]
    plain = [one[1] if one else text for one, text in zip(bare, texts, strict=True)]
    found = [next((m for form in _FORMS if (m := form.fullmatch(text))), None) for text in plain]
    if not all(found):
        return None
    ends = {m["of"] for m in found if m and m.re is _FORMS[0] and m["of"]}
    numbers = [re.sub(r"[,\s]", "", m["number"]) for m in found if m]
    if len(ends) > 1 or (ends and max(map(float, numbers)) > float(*ends)):
        return None
    return numbers
