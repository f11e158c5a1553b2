"""Labels that stand for 'no answer' in surveys, such as 99: refused unless they are declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, count, option, some
from headcount.io.tables.table import Coded
from headcount.io.values.ladders import in_order
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes
from headcount.typing import Codes

__all__ = ["check_codes", "check_tick", "check_ticks", "means_no_answer"]

HIGH_CODES = frozenset({66, 77, 88, 96, 97, 98, 99, 666, 777, 888, 996, 997, 998, 999, 9999, 99999})
DIGIT_CODES = frozenset({8, 9})
NEGATIVE_CODES = frozenset({-1, -7, -8, -9, -66, -77, -88, -97, -98, -99, -998, -999, -9999})
NO_ANSWER = frozenset(
    {
        "?", "??", "dk", "idk", "don't know", "dont know", "do not know", "i don't know",
        "i do not know", "not sure", "unsure", "can't tell", "cannot tell", "can't say", "skip",
        "skipped", "no answer", "no response", "not answered", "unanswered", "refused",
        "prefer not to say", "prefer not to answer", "missing", "blank", "not applicable",
        "unknown", "undecided", "x",
    }
)  # fmt: skip
"""Words for 'no answer', where the other labels are numbers, or known to be in order."""
NEVER_LABELS = frozenset(
    {
        "skip", "skipped", "not answered", "unanswered", "prefer not to say",
        "prefer not to answer",
    }
)  # fmt: skip
"""Those that mean it beside names as well."""
MAY_BE_LABELS = frozenset({"no answer", "no response"})
"""Those that may be said of an item beside names: that a text gives none."""
CODES = HIGH_CODES | DIGIT_CODES | NEGATIVE_CODES
LEAST_SHARE = 0.01
"""Share of ratings from which a value is common; below, two raters must use it."""
MOST_OTHERS, LEAST_NUMBERS = 2, 3
"""So few words beside so many numbers are no labels."""
LEAST_GAP = 10
LARGEST_SHORT_SCALE = 7
"""Scales that end at most here have 8 and 9 for 'no answer'."""
LEAST_USES = 3
"""Uses of a digit and of the end of the scale that make a gap between the two no accident."""


def means_no_answer(label: str) -> bool:
    """Whether a label says that there is no answer: unsure, don't know, ?, skipped."""
    return _plain(label) in NO_ANSWER


def check_codes(
    labels: Coded,
    raters: Codes | None,
    source: str,
    notes: Notes,
    *,
    counts: Codes | None = None,
    what: str = "rating",
) -> None:
    """Refuse labels that look like codes for 'no answer', such as 99 on a scale of 1 to 5.

    Parameters
    ----------
    labels : codes and texts
    raters : array of int or None
        Who gave them; None if nobody knows.
    source : str
    notes : Notes
        Where a rare value of this kind is warned of.
    counts : array of int, optional
        Uses of each text, where they are not those of the codes.
    what : str
        What a message calls them.

    Raises
    ------
    DataError
        If such a value is common: 1% of the ratings, or two raters.

    Examples
    --------
    >>> said = Notes()
    >>> check_codes((np.array([0, 1, 2, 3] * 9), ["1", "2", "5", "99"]), None, "r.csv", said)
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv: 9 of 36 ratings are '99', far from the other labels ('1' to
    '5'), as a code for 'no answer' is. Say missing=['99'] if it means that, or name all labels with
    labels=['1', '2', '5', '99'] if it is one.
    """
    codes, texts = labels
    if counts is None:
        counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    found = _look_like_codes(texts, counts)
    total = int(counts.sum())
    if not found:
        for code, text in enumerate(texts):
            if counts[code] and _plain(text) in MAY_BE_LABELS:
                notes.caution(
                    f"{source}: '{text}' ({counts[code]:,} of {count(total, what)}) counts as a "
                    f"label. Say {option('missing', Several([text]))} if it means that there is "
                    "none."
                )
        return
    number = int(counts[found].sum())
    common = number >= LEAST_SHARE * total
    if not common and raters is not None:
        given = np.isin(codes, found) & (raters >= 0)
        common = len(np.unique(raters[given])) > 1
    names = [texts[code] for code in found]
    known = all(number_of(name) is not None for name in names)
    others = sorted(
        (text for code, text in enumerate(texts) if counts[code] and code not in found),
        key=_in_order,
    )
    span = f"'{others[0]}' to '{others[-1]}'" if number_of(others[-1]) is not None else some(others)
    how = "far from" if known and names != ["-1"] else "beside"
    means = (
        f"{source}: {number:,} of {count(total, what)} are {some(names, 5)}, {how} the "
        f"other labels ({span}), as a code for 'no answer' is. Say "
        f"{option('missing', Several(names))} if it means that"
    )
    if not common:
        notes.warning(f"{means}; it is read as a label.")
        return
    everything = Several(sorted([*others, *names], key=_in_order)) if len(others) <= 12 else ...
    raise DataError(
        f"{means}, or name all labels with {option('labels', everything)} if it is one."
    )


TICKS = frozenset(
    {
        "x",
        "✓",
        "✔",
        "☑",
        "✗",
        "1",
        "yes",
        "y",
        "true",
        "checked",
        "selected",
        "ja",
        "oui",
        "si",
        "t",
    }
)
"""How a box is ticked, where what is not ticked is left blank."""


def check_ticks(labels: Coded, *, blanks: bool, source: str) -> None:
    """Refuse wide data in which the only label is a tick, and blank cells mean no.

    Examples
    --------
    >>> check_ticks((np.array([0, -1, 0]), ["x"]), blanks=False, source="r.csv")
    Traceback (most recent call last):
    headcount.errors.DataError: r.csv: every rating is 'x', and 1 cell is blank. A blank is read as
    missing, not as 'no': if it means that, write it into the blank cells; if nobody said anything
    else, name the labels with labels='...'.
    """
    codes, texts = labels
    if not blanks:
        given: list[int] = np.unique(codes[codes >= 0]).tolist()
        check_tick([texts[code] for code in given], int((codes < 0).sum()), source)


def check_tick(used: Sequence[str], empty: int, source: str) -> None:
    """Refuse a tick as the only label, where some cells of wide data are blank."""
    if len(used) != 1 or not empty or _plain(used[0]) not in TICKS:
        return
    are = "is" if empty == 1 else "are"
    raise DataError(
        f"{source}: every rating is '{used[0]}', and {count(empty, 'cell')} {are} "
        "blank. A blank is read as missing, not as 'no': if it means that, write it into the blank "
        f"cells; if nobody said anything else, name the labels with {option('labels', '...')}."
    )


def _look_like_codes(texts: Sequence[str], counts: Codes) -> list[int]:
    """Codes of the values that are off all others and known to stand for 'no answer'."""
    used = [code for code in range(len(texts)) if counts[code]]
    numbers = {code: number for code in used if (number := number_of(texts[code])) is not None}
    words = [code for code in used if _plain(texts[code]) in NO_ANSWER]
    steps = [texts[code] for code in used if code not in words]
    if words and (len(numbers) > 1 or in_order(steps) is not None):
        return words
    skipped = [code for code in words if _plain(texts[code]) in NEVER_LABELS]
    if skipped and len(used) - len(skipped) > 1:
        return skipped
    if len(numbers) > 1:
        others = [code for code in used if code not in numbers]
        if _is_beside_numbers(others, numbers, texts, counts):
            return others
    candidates = {code: int(x) for code, x in numbers.items() if x in CODES}
    rest = [x for code, x in numbers.items() if code not in candidates]
    if not candidates:
        return []
    if not rest:
        # Words, and numbers that are codes only.
        words = len(used) - len(numbers) > 1
        return [c for c, x in candidates.items() if words and x not in DIGIT_CODES]
    low, high = min(rest), max(rest)
    if len(rest) < 2:
        return []
    found: list[int] = []
    for code, value in candidates.items():
        if value in HIGH_CODES:
            far = value - high >= max(LEAST_GAP, high - low)
        elif value in DIGIT_CODES:
            far = _digit_is_far(value, rest, counts[code], _uses(numbers, counts, high))
        else:
            far = low >= 0
        if far:
            found.append(code)
    # A digit between the scale and a code is a code too; with one that is none, neither is.
    digits = [code for code in candidates if candidates[code] in DIGIT_CODES]
    if not all(code in found for code in digits):
        found = [code for code in found if code not in digits]
    return found


def _is_beside_numbers(
    words: Sequence[int], numbers: Mapping[int, float], texts: Sequence[str], counts: Codes
) -> bool:
    """Whether a word or two stand beside a scale of numbers, such as '--' or 'n.d.'.

    Words with a number, such as '5+' and '10 or more', belong to the scale.
    """
    if not 0 < len(words) <= MOST_OTHERS or len(set(numbers.values())) < LEAST_NUMBERS:
        return False
    plain = [texts[code] for code in words if not texts[code].startswith("#")]  # as in #DIV/0!
    if any(letter.isdigit() for text in plain for letter in text):
        return False
    return int(counts[list(words)].sum()) < int(counts[list(numbers)].sum())


def _in_order(text: str) -> tuple[bool, float, str]:
    """Key that puts numbers first, in their order."""
    number = number_of(text)
    return number is None, number or 0.0, text


def _plain(text: str) -> str:
    """Write words in small letters, with straight quotes and single blanks."""
    return " ".join(text.lower().replace("\u2019", "'").split()).strip("()[].!")


def _digit_is_far(value: int, rest: list[float], uses: int, at_end: int) -> bool:
    """Whether 8 or 9 stands apart from a short scale that is used without gaps."""
    low, high = min(rest), max(rest)
    whole = all(x.is_integer() for x in rest) and len(rest) == high - low + 1
    apart = high <= LARGEST_SHORT_SCALE - (9 - value) - (value == 8)
    return whole and low in (0, 1) and apart and min(uses, at_end) >= LEAST_USES


def _uses(numbers: Mapping[int, float], counts: Codes, value: float) -> int:
    return sum(int(counts[code]) for code, x in numbers.items() if x == value)
