"""Tables that fit a page, and text as a terminal shows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from unicodedata import category, east_asian_width

__all__ = [
    "WIDTH",
    "visible",
    "width_of",
    "fold",
    "wrap",
    "Table",
    "table_lines",
    "columns",
    "cut_names",
]


# Text as a terminal shows it: how wide it is, where it may be folded, what must not be obeyed.

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
        char.encode("unicode_escape").decode("ascii")
        if category(char) in _HIDDEN or char in _TURNS
        else char
        for char in text
    )


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


# Tables that fit a page: heads fold, long names are cut, and columns go below each other.

GAP = 2
"""Columns between those of a table."""
NARROWEST = 12
"""Columns that names keep before a table is parted, however little room there is."""
DASH = " – "
"""Between the two names of a pair."""
PAIR = 13
"""Columns from which on a pair is cut so that both of its names are seen."""


@dataclass(frozen=True)
class Table:
    """A table for a reader.

    Parameters
    ----------
    head : sequence of str
    body : sequence of sequences of str
        One row each; the first column is a name.
    title : str
        A line above.
    rules : collection of int
        Rows before which a line is drawn.
    more : str
        A line below, such as how many rows are not shown.
    words : bool
        Whether the first column holds words of ours, to fold, and not names, to cut.
    rest : sequence of sequences of str
        Rows below the body that only a page of HTML shows, instead of the line below.
    together : int
        How many columns after the first stay beside each other, such as a score and its rank.
    """

    head: Sequence[str]
    body: Sequence[Sequence[str]]
    title: str = ""
    rules: Collection[int] = ()
    more: str = ""
    words: bool = False
    rest: Sequence[Sequence[str]] = ()
    together: int = 1


def table_lines(table: Table, *, width: int = WIDTH) -> list[str]:
    """Write a table with its title and what stands below it."""
    return [
        *([wrap(table.title, width=width)] if table.title else []),
        *columns(table, width=width),
        *([wrap(table.more, width=width)] if table.more else []),
    ]


def columns(table: Table, *, width: int = WIDTH) -> list[str]:
    r"""Align a table: first column to the left, the others to the right, at most `width` wide.

    Heads are broken over lines where there is no room for them. A name in the first column that
    cannot fit is cut, in the middle or where names differ, but never so that two rows look the
    same. Columns that still do not fit follow below, with the names again.

    Examples
    --------
    >>> table = Table(["who", "worth in raters"], [["a", "2.0"], ["bc", "13.5"]])
    >>> print("\n".join(columns(table)))
    who  worth in raters
    --------------------
    a                2.0
    bc              13.5
    >>> print("\n".join(columns(table, width=14)))
    who  worth in
           raters
    -------------
    a         2.0
    bc       13.5
    """
    shown = replace(
        table,
        head=[visible(name) for name in table.head],
        body=[[visible(cell) for cell in row] for row in table.body],
    )
    lines: list[str] = []
    for part in _parts(shown, width):
        lines += [*([""] if lines else []), *_aligned(part, width)]
    return lines


def _parts(table: Table, width: int) -> list[Table]:
    """Part a table that is too wide into some that are not, of about as many columns each."""
    step = table.together
    least = _least(table)
    sizes = [sum(least[i : i + step]) + GAP * step for i in range(1, len(least), step)]
    room = width - min(least[0], NARROWEST)
    if len(sizes) < 2 or sum(sizes) <= room:
        return [table]
    for parts in range(2, len(sizes) + 1):
        ends = [round(k * len(sizes) / parts) for k in range(parts + 1)]
        if all(sum(sizes[a:b]) <= room for a, b in pairwise(ends)):
            break
    else:
        ends = list(range(len(sizes) + 1))

    def some(row: Sequence[str], a: int, b: int) -> list[str]:
        return [row[0], *row[1 + a * step : 1 + b * step]]

    return [
        replace(table, head=some(table.head, a, b), body=[some(row, a, b) for row in table.body])
        for a, b in pairwise(ends)
    ]


def _least(table: Table) -> list[int]:
    """Columns that each column needs: those of its widest cell, and of the longest word above."""
    cells = [max([width_of(row[i]) for row in table.body] or [0]) for i in range(len(table.head))]
    return [
        max([size, *map(width_of, name.split())])
        for size, name in zip(cells, table.head, strict=True)
    ]


def _aligned(table: Table, width: int) -> list[str]:
    """Write a table, in lines as wide as they must be."""
    widths = _least(table)
    room = width - sum(widths[1:]) - GAP * (len(widths) - 1)
    names = [[row[0]] for row in table.body]
    if widths[0] > room:
        names = _fitted(table, max(room, 1))
        widths[0] = max([width_of(line) for name in names for line in name] or [0])
        widths[0] = max([widths[0], *map(width_of, table.head[0].split())])
    widths = _with_heads(table.head, widths, width)
    heads = [fold(name, size) for name, size in zip(table.head, widths, strict=True)]
    lines = [
        _line([name[row] if row < len(name) else "" for name in heads], widths)
        for row in range(max(map(len, heads)))
    ]
    rule = "-" * (sum(widths) + GAP * (len(widths) - 1))
    lines.append(rule)
    for index, (name, row) in enumerate(zip(names, table.body, strict=True)):
        lines += [rule] if index in table.rules else []
        lines += [_line([name[0], *row[1:]], widths), *name[1:]]
    return lines


def _fitted(table: Table, room: int) -> list[list[str]]:
    """Fold or cut what the first column holds, to what there is room for."""
    names = [row[0] for row in table.body]
    if not table.words:
        return [[name] for name in cut_names(names, room)]
    indents = [" " * (len(name) - len(name.lstrip(" ")) + 2) for name in names]
    return [fold(name, room, indent) for name, indent in zip(names, indents, strict=True)]


def _with_heads(head: Sequence[str], widths: Sequence[int], width: int) -> list[int]:
    """Widen columns where that makes heads shorter, as far as there is room."""
    for lines in range(1, max(len(name.split()) for name in head) + 1):
        wider = [_head_width(name, size, lines) for name, size in zip(head, widths, strict=True)]
        if sum(wider) + GAP * (len(wider) - 1) <= width:
            return wider
    return list(widths)


def _head_width(name: str, least: int, lines: int) -> int:
    """Columns that a head of so many lines takes, and `least` at the least."""
    size = least
    while len(fold(name, size)) > lines:
        size += 1
    return size


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cells[0] + " " * (widths[0] - width_of(cells[0]))]
    padded += [
        " " * (w - width_of(cell)) + cell for cell, w in zip(cells[1:], widths[1:], strict=True)
    ]
    return (" " * GAP).join(padded).rstrip()


# --- names that are too long ----------------------------------------------------------------------


def cut_names(names: Sequence[str], room: int) -> list[str]:
    """Cut long names to what there is room for, so that no two of them look the same.

    >>> cut_names(["a-very-long-name-1", "a-very-long-name-2", "b"], 8)
    ['a-ve…e-1', 'a-ve…e-2', 'b']
    >>> cut_names(["long-name-1-of-two", "long-name-2-of-two"], 8)
    ['…e-1-of…', '…e-2-of…']
    >>> cut_names(["a-long-name – another-one"], 15)
    ['a-l…me – ano…ne']
    """
    distinct = list(dict.fromkeys(names))
    cut = {name: _cut(name, room) for name in distinct}
    if len(set(cut.values())) < len(cut):
        if room >= PAIR and all(name.count(DASH) == 1 for name in distinct):
            return _cut_pairs(names, room)
        _cut_apart(distinct, cut, room)
        _number(cut, room)
    return [cut[name] for name in names]


def _cut_pairs(names: Sequence[str], room: int) -> list[str]:
    """Cut both names of each pair, to half of the room."""
    both = [name for pair in names for name in pair.split(DASH)]
    cut = cut_names(both, (room - len(DASH)) // 2)
    return [f"{first}{DASH}{second}" for first, second in zip(cut[::2], cut[1::2], strict=True)]


def _cut(name: str, room: int) -> str:
    """Cut a name in its middle; of a pair both names."""
    if width_of(name) <= room:
        return name
    if name.count(DASH) != 1 or room < PAIR:
        return _middle(name, room)
    first, second = name.split(DASH)
    room -= len(DASH)
    first = _middle(first, max(room // 2, room - width_of(second)))
    return f"{first}{DASH}{_middle(second, room - width_of(first))}"


def _middle(name: str, room: int) -> str:
    if len(name) <= 2 * room and width_of(name) <= room:
        return name
    end = _start(name[::-1], (room - 1) // 2)[::-1]
    return f"{_start(name, room - 1 - width_of(end))}…{end}"


def _start(name: str, room: int) -> str:
    """Take as much of the start of a name as there is room for."""
    used = size = 0
    for size, letter in enumerate(name):
        used += width_of(letter)
        if used > room:
            return name[:size]
    return name[: size + 1]


def _cut_apart(names: Sequence[str], cut: dict[str, str], room: int) -> None:
    """Cut names that look the same around the place where they begin to differ."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(cut[name], []).append(name)
    for same in alike.values():
        if len(same) == 1 or room < 5:
            continue
        start = _shared(same)
        before = min(start, (room - 2) // 3)
        for name in same:
            rest = name[start - before :]
            mine = _start(rest, room - 2)
            cut[name] = f"…{mine}…" if len(mine) < len(rest) else f"…{_start(rest, room - 1)}"
        left = Counter(cut[name] for name in same)
        if max(left.values()) < len(same):
            _cut_apart([name for name in same if left[cut[name]] > 1], cut, room)


def _shared(names: Sequence[str]) -> int:
    """Count the letters with which all names begin: those of the first name and of the last."""
    first, last = min(names), max(names)
    pairs = zip(first, last, strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(first), len(last)))


def _number(cut: dict[str, str], room: int) -> None:
    """Give numbers to names that still look the same."""
    uses = Counter(cut.values())
    used = set(cut.values())
    at: Counter[str] = Counter()
    for name, shown in cut.items():
        if uses[shown] < 2:
            continue
        while True:
            at[shown] += 1
            end = f"…{at[shown]}"
            numbered = f"{_start(shown, max(room - len(end), 0))}{end}"
            if numbered not in used:
                break
        used.add(numbered)
        cut[name] = numbered
