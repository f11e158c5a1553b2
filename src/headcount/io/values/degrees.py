"""Labels that say how much of one thing: not toxic, toxic, very toxic; much worse, same, better."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["by_degree"]

_DEGREES = {
    "hardly": 0.5, "barely": 0.8, "slightly": 1, "a little": 1, "a bit": 1, "a little bit": 1,
    "mildly": 1, "marginally": 1, "minimally": 1, "somewhat": 2, "partially": 2, "partly": 2,
    "half": 2.5, "moderately": 3, "probably": 3, "fairly": 4, "quite": 4, "rather": 4,
    "pretty": 4, "mostly": 4.5, "largely": 4.5, "very": 6, "much": 6, "highly": 6.5,
    "strongly": 7, "severely": 7, "extremely": 8, "completely": 9, "totally": 9, "fully": 9,
    "definitely": 9, "absolutely": 9, "entirely": 9, "perfectly": 9,
}  # fmt: skip
_BARE = 5.0
"""How much a word means that stands alone."""
_NOT = {"not at all": 0.02, "not": 0.04, "non": 0.04}
_MIDDLE = frozenset(
    {"neutral", "neither", "same", "the same", "about the same", "equal", "no difference",
     "no change", "unchanged", "mixed", "undecided"}
)  # fmt: skip
_OPPOSITES = {
    "false": "true", "wrong": "correct", "bad": "good", "worse": "better", "no": "yes",
    "negative": "positive", "low": "high", "weak": "strong", "less": "more", "difficult": "easy",
    "hard": "easy", "small": "large", "oppose": "support",
}  # fmt: skip
_NO = re.compile(r"(?:un|in|im|ir|dis|non-?)(?=\w{3})")
_SPLIT = re.compile(rf"({'|'.join(sorted({*_DEGREES, *_NOT}, key=len, reverse=True))})[ -](.+)")


def by_degree(words: Sequence[str]) -> list[float] | None:
    """Say how much each label means, if all are of one word and its opposite; else None.

    One at least has an adverb: positive and negative alone may be names.

    Examples
    --------
    >>> by_degree(["very toxic", "not toxic", "toxic"])
    [6.0, 0.04, 5.0]
    >>> by_degree(["somewhat unhelpful", "neutral", "very helpful", "very unhelpful"])
    [-2.0, 0.0, 6.0, -6.0]
    >>> by_degree(["not toxic", "toxic"]), by_degree(["very good", "very tall", "red"])
    (None, None)
    """
    found = [_SPLIT.fullmatch(word) for word in words]
    bare = {m[2] if m else word for m, word in zip(found, words, strict=True)} - _MIDDLE
    bare = {word for word in bare if not word.startswith(("neither ", "about the same"))}
    if not any(m and m[1] in _DEGREES for m in found) or not 0 < len(bare) <= 2:
        return None
    high = max(bare, key=lambda word: word not in _OPPOSITES and not _denies(word, bare))
    if any(word != high and not _is_opposite(word, high) for word in bare):
        return None
    made: list[float] = []
    for m, word in zip(found, words, strict=True):
        stem = m[2] if m else word
        if stem not in bare:
            made.append(0.0)
            continue
        sign = 1.0 if stem == high else -1.0
        made.append((_DEGREES | _NOT)[m[1]] * sign if m else _BARE * sign)
    return made


def _denies(word: str, bare: set[str]) -> bool:
    return any(_is_opposite(word, other) for other in bare if other != word)


def _is_opposite(word: str, high: str) -> bool:
    """Whether a word is the opposite of another: unhelpful of helpful, worse of better."""
    found = _NO.match(word)
    return _OPPOSITES.get(word) == high or (found is not None and word[found.end() :] == high)
