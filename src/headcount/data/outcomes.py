"""Outcomes of a comparison: how they are written, and the share of the point that they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from headcount.data.vocabulary import encode
from headcount.errors import DataError
from headcount.typing import Floats

__all__ = ["BOTH_BAD", "EXPECTED", "OUTCOMES", "plain_word", "share_of", "shares_of"]

OUTCOMES = {"left": 1.0, "right": 0.0, "tie": 0.5}
"""Outcomes in words, as the share of the point that goes to the left item."""
BOTH_BAD = frozenset({"both bad", "bothbad", "tie bothbad", "tie both bad", "neither"})
"""Ties of Chatbot Arena in which neither is any good."""
_THING = "(?:model|option|response|answer|assistant|output|item|system|candidate|text)"
_HOW = (
    "(?:(?:much|slightly|somewhat|significantly|far|strongly|clearly|moderately|marginally|"
    "a bit|a little|a lot) )?"
)
_SIDE = re.compile(
    rf"(?:(?:i )?{_HOW}prefer )?"
    rf"(?:(?:{_THING} )?(?P<name>a|b|x|y|left|right|first|second)(?: item)?|"
    rf"{_THING} (?P<number>1|2))"
    rf"(?:(?: is| was)? {_HOW}(?:better|preferred)| wins| won)?"
)
"""How answers say which is better, and by how much: 'Slightly prefer A', 'Response 1 is better'."""
_LEFT = frozenset({"a", "x", "left", "first", "1"})
_OTHER_WORDS = {
    **dict.fromkeys((">", ">>", "a>b", "a>>b", "1-0"), 1.0),
    **dict.fromkeys(("<", "<<", "b>a", "b>>a", "0-1"), 0.0),
    **dict.fromkeys(("=", "==", "a=b", "b=a", "1/2-1/2", "½-½", "[[c]]"), 0.5),
    **dict.fromkeys(("draw", "equal", "same", "both", "no preference", "tie inconsistent"), 0.5),
    **dict.fromkeys(("unentschieden", "gleichstand", "gleich", "égalité", "match nul"), 0.5),
    **dict.fromkeys(("empate", "igual", "pareggio", "remis", "ничья", "平局", "引き分け"), 0.5),
    **dict.fromkeys(("about the same", "equally good", "equally bad"), 0.5),
    **dict.fromkeys(("both good", "tie bothgood", "tie both good", *BOTH_BAD), 0.5),
}
EXPECTED = (
    "Expected left, right or tie, or the left item's share of the point: 1, 0, or 0.5 for a tie."
)


def share_of(text: str) -> float | None:
    """Read an outcome, in words or as a number; None if it is neither.

    Examples
    --------
    >>> share_of("Left"), share_of("tie (bothbad)"), share_of("0"), share_of("gpt-4")
    (1.0, 0.5, 0.0, None)
    >>> share_of("Slightly prefer B"), share_of("Response 1 is much better"), share_of("1/2-1/2")
    (0.0, 1.0, 0.5)
    """
    word = plain_word(text)
    if word in OUTCOMES:
        return OUTCOMES[word]
    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    if side := _SIDE.fullmatch(word):
        return float((side["name"] or side["number"]) in _LEFT)
    if text.strip().lower() in _OTHER_WORDS:  # a judge's [[C]]
        return _OTHER_WORDS[text.strip().lower()]
    try:
        return float(text)
    except ValueError:
        return None


def plain_word(text: str) -> str:
    """Write an outcome in small letters, with single blanks between its words."""
    return re.sub(r"[\s_()\[\]]+", " ", text.lower()).strip()


def shares_of(outcome: Iterable[object], source: str) -> Floats:
    """Read outcomes, in words or as shares; NaN where missing."""
    codes, texts = encode(outcome)
    shares = [share_of(text) for text in texts]
    for code, share in enumerate(shares):
        if share is None:
            row = int(np.argmax(codes == code))
            raise DataError(f"{source}, row {row}: outcome '{texts[code]}'. {EXPECTED}")
    # The last entry is that of a missing outcome, code -1.
    return np.array([*shares, np.nan], dtype=np.float64)[codes]
