"""Answers that stand in a text between marks: [[4]], <verdict>no</verdict>, Answer: yes."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["marked_answers"]

_THOUGHT = re.compile(r"(?is)\A\s*<(think|thinking|reasoning)>.*?</\1>")
_WHAT = r"answer|verdict|label|score|rating|grade|decision|judge?ment|choice|class|category|result"
_MARKS = (
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
MOST_WORDS = 4
"""Words of an answer."""
LONGEST = 20_000
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
    if len(texts) < 2 or max(map(len, texts)) > LONGEST:
        return None
    plain = [_THOUGHT.sub("", text).strip() for text in texts]
    for mark in _MARKS:
        if all(mark.search(text) for text in plain):
            found = [{one.strip() for one in mark.findall(text)} for text in plain]
            return [one.pop() for one in found] if all(len(one) == 1 for one in found) else None
    said = [_bare(text) for text in plain]
    apart = len({*said}) == len({*texts})  # what differs only so is for the user to merge
    changed = sum(one != text for one, text in zip(said, texts, strict=True))
    short = 2 * changed >= len(texts) and all(
        len(one.split()) <= MOST_WORDS and "," not in one for one in said
    )
    return said if apart and short else None


def _bare(text: str) -> str:
    """Leave out Markdown, quotes, a name before it and a point behind it."""
    bare = text.strip(_AROUND)
    if m := _PREFIX.fullmatch(bare):
        bare = m[1].strip(_AROUND)
    return bare.rstrip(".").strip(_AROUND) or text
