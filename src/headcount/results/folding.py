"""Text as a terminal shows it: how wide it is, where it may be folded, what must not be obeyed."""

from __future__ import annotations

import re
from unicodedata import category, east_asian_width

__all__ = ["WIDTH", "fold", "visible", "width_of", "wrap"]

WIDTH = 80
"""Columns of a page where nobody says otherwise."""
_SIGNED = re.compile(r"((?:^|(?<=[ (]))[<>]) (?=[-.0-9])")
"""The sign of a number that is censored, with the blank behind it."""
_BREAKS = re.compile("[\t\n\r]")
"""Where a sentence may be folded, besides at spaces."""
_HIDDEN = ("Cc", "Cs")
"""Categories of characters that steer a terminal, or that no encoding has."""
_NO_ROOM = ("Mn", "Me", "Cf")
"""Categories of characters that take no room of their own, as accents."""
_TURNS = frozenset("\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn text around, or break lines."""


def visible(text: str) -> str:
    r"""Show characters that steer a terminal, or turn the text around, by their numbers.

    Examples
    --------
    >>> print(visible("gpt\x1b[31m\n"), visible("søt 好"))
    gpt\x1b[31m\n søt 好
    """
    if text.isprintable():
        return text
    return "".join(
        _escaped(one) if category(one) in _HIDDEN or one in _TURNS else one for one in text
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def width_of(text: str) -> int:
    """Columns that a text takes on a terminal: two for a wide character, none for an accent.

    Examples
    --------
    >>> width_of("abc"), width_of("好"), width_of("e\u0301")
    (3, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if category(c) in _NO_ROOM else 2 if east_asian_width(c) in "WF" else 1 for c in text
    )


def fold(text: str, width: int, indent: str = "") -> list[str]:
    """Break a text at spaces into lines at most `width` wide; a longer word has one of its own.

    Examples
    --------
    >>> fold("worth in raters", 8), fold("worth in raters", 5)
    (['worth in', 'raters'], ['worth', 'in', 'raters'])
    """
    first = text[: len(text) - len(text.lstrip(" "))]
    lines: list[str] = []
    line, used, empty = first, width_of(first), True
    for word in text.split(" "):
        if not word:
            continue
        size = width_of(word)
        if not empty and used + 1 + size > width:
            lines.append(line)
            line, used, empty = indent, width_of(indent), True
        line += word if empty else f" {word}"
        used += size + (not empty)
        empty = False
    return [*lines, line]


def wrap(text: str, indent: str = "", *, width: int = WIDTH) -> str:
    r"""Fold a sentence to the width of the page, later lines indented.

    A sign stays with its number: '> 9' is never parted.

    Examples
    --------
    >>> wrap("the interval is 2 to > 9", width=22)
    'the interval is 2 to\n> 9'
    """
    together = _SIGNED.sub("\\1\u00a0", visible(_BREAKS.sub(" ", text)))
    return "\n".join(fold(together, width, indent)).replace("\u00a0", " ")
