"""A result as plain text: sentences that are folded, and tables that fit."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from unicodedata import category, combining, east_asian_width

from headcount.errors import Named, option, spelt
from headcount.results.notes import Note

__all__ = [
    "ALL",
    "ALL_ENTRIES",
    "Code",
    "WIDTH",
    "Page",
    "Table",
    "columns",
    "page_text",
    "visible",
    "wrap",
]

WIDTH = 80
"""Columns of a page where nobody says otherwise."""
_SIGNED = re.compile(r"((?:^|(?<=[ (]))[<>]) (?=[-.0-9])")
"""The sign of a number that is censored, with the blank behind it."""
ALL = f"; {option('all_rows')}"
"""Ends the line below a table that does not show all rows: where they are."""
ALL_ENTRIES = f"; {option('all_entries')}"
"""The same for a table whose rows are not those of the frame: they are in the document."""
LONGEST = 400
"""Columns that a name is given at most, to keep it apart from others."""
NARROWEST = 12
"""Columns that names keep in a table, however little room there is."""


_BREAKS = re.compile("[\t\n\r]")
"""Where a sentence may be folded, besides at spaces."""
_HIDDEN = ("Cc", "Cs")
"""Categories of characters that steer a terminal, or that no encoding has."""
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
    """

    head: Sequence[str]
    body: Sequence[Sequence[str]]
    title: str = ""
    rules: Collection[int] = ()
    more: str = ""


@dataclass(frozen=True)
class Code:
    """Lines to copy, which are not folded.

    Parameters
    ----------
    lines : sequence of str
    title : str
        A line above.
    """

    lines: Sequence[str]
    title: str = ""


@dataclass(frozen=True)
class Page:
    """What a result says.

    Parameters
    ----------
    headline : sequence of str
        The answer, one sentence a line.
    blocks : sequence of Table, Code or str
        What it rests on: tables, lines to copy and paragraphs.
    foot : sequence of str
        How it was made.
    """

    headline: Sequence[str]
    blocks: Sequence[Table | Code | str] = ()
    foot: Sequence[str] = ()


def page_text(
    page: Page,
    notes: Iterable[Note] = (),
    *,
    width: int = WIDTH,
    spell: Callable[[Named], str] | None = None,
) -> str:
    r"""Write a page: the answer, what speaks against it, tables, how it was made.

    Examples
    --------
    >>> page = Page(["a is worth 2 raters"], [Table(["who", "worth"], [["a", "2"]])], ["9 items"])
    >>> print(page_text(page, [Note("few items.", "warning"), Note("item = 'id'.")]))
    a is worth 2 raters
    <BLANKLINE>
    warning: few items.
    <BLANKLINE>
    who  worth
    ----------
    a        2
    <BLANKLINE>
    9 items
    note: item = 'id'.
    """

    def fold(text: str, indent: str = "") -> str:
        return wrap(spelt(text, spell), indent, width=width)

    def told(*severities: str) -> list[str]:
        wanted = [note for note in notes if note.severity in severities]
        words = {"info": "note"}
        return [fold(f"{words.get(n.severity, n.severity)}: {n.marked}", "  ") for n in wanted]

    notes = list(notes)
    parts = [[fold(sentence) for sentence in page.headline], told("warning") + told("caution")]
    for block in page.blocks:
        if isinstance(block, Table):
            parts.append(table_lines(_spelt(block, spell), width=width))
        elif isinstance(block, Code):
            parts.append(code_lines(block, spell))
        else:
            parts.append([fold(block)])
    parts.append([*(fold(sentence) for sentence in page.foot), *told("info")])
    return "\n\n".join("\n".join(lines) for lines in parts if lines)


def _spelt(table: Table, spell: Callable[[Named], str] | None) -> Table:
    return replace(
        table,
        head=[spelt(name, spell) for name in table.head],
        body=[[spelt(cell, spell) for cell in row] for row in table.body],
        title=spelt(table.title, spell),
        more=spelt(table.more, spell),
    )


def code_lines(code: Code, spell: Callable[[Named], str] | None = None) -> list[str]:
    """Write lines to copy, indented below their title."""
    lines = [line for text in code.lines for line in spelt(text, spell).split("\n")]
    indent = "  " if code.title else ""
    return [*([code.title] if code.title else []), *(indent + visible(line) for line in lines)]


def table_lines(table: Table, *, width: int = WIDTH) -> list[str]:
    """Write a table with its title and what stands below it."""
    return [
        *([wrap(table.title, width=width)] if table.title else []),
        *columns(table.head, table.body, rules=table.rules, width=width),
        *([wrap(table.more, width=width)] if table.more else []),
    ]


def columns(
    head: Sequence[str],
    body: Sequence[Sequence[str]],
    *,
    rules: Collection[int] = (),
    width: int = WIDTH,
) -> list[str]:
    r"""Align a table: first column to the left, the others to the right, at most `width` wide.

    Heads are broken over lines. A name in the first column that cannot fit is cut in the middle,
    where names differ least, but never so that two rows look the same. Lines are drawn before the
    rows in `rules`.

    Examples
    --------
    >>> print("\n".join(columns(["who", "worth in raters"], [["a", "2.0"], ["bc", "13.5"]])))
    who   worth
             in
         raters
    -----------
    a       2.0
    bc     13.5
    """
    head, body = [visible(name) for name in head], [[visible(cell) for cell in row] for row in body]
    widths = [max([_width(row[i]) for row in body] or [0]) for i in range(len(head))]
    widths = [
        max(w, *map(_width, name.split() or [""])) for w, name in zip(widths, head, strict=True)
    ]
    room = max(NARROWEST, width - sum(widths[1:]) - 2 * (len(widths) - 1))
    names = [row[0] for row in body]
    if widths[0] > room:
        names = _cut_names(names, room)
        widths[0] = max([room, *map(_width, names)])
    heads = [textwrap.wrap(name, w) or [""] for name, w in zip(head, widths, strict=True)]
    top = [
        _line([name[row] if row < len(name) else "" for name in heads], widths)
        for row in range(max(map(len, heads)))
    ]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    lines: list[str] = []
    for place, (name, row) in enumerate(zip(names, body, strict=True)):
        line = _line([name, *row[1:]], widths)
        lines += [rule, line] if place in rules else [line]
    return [*top, rule, *lines]


def _cut_names(names: Sequence[str], room: int) -> list[str]:
    """Cut long names in the middle to what there is room for, or to what keeps them apart.

    >>> _cut_names(["a-very-long-name-1", "a-very-long-name-2", "b"], 8)
    ['a-ve…e-1', 'a-ve…e-2', 'b']
    >>> _cut_names(["aaaa-1-bbbb", "aaaa-2-bbbb"], 6)
    ['aaaa-1-bbbb', 'aaaa-2-bbbb']
    """
    longest = max(map(_width, names), default=0)
    for size in range(room, min(longest, LONGEST)):
        cut = [_cut(name, size) for name in names]
        if len(set(cut)) == len(set(names)):
            return cut
    return [_cut(name, LONGEST) for name in names]


def _cut(name: str, size: int) -> str:
    if len(name) > 4 * size:  # what is left comes from both ends; accents take no room
        name = name[: 2 * size] + name[-2 * size :]
    keep, out = len(name), name
    while _width(out) > size:
        keep -= 1
        out = f"{name[: (keep + 1) // 2]}…{name[len(name) - keep // 2 :]}"
    return out


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = [cells[0] + " " * (widths[0] - _width(cells[0]))]
    padded += [
        " " * (w - _width(cell)) + cell for cell, w in zip(cells[1:], widths[1:], strict=True)
    ]
    return "  ".join(padded).rstrip()


def _width(text: str) -> int:
    """Columns that a text takes on a terminal: two for a wide character, none for an accent."""
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def wrap(text: str, indent: str = "", *, width: int = WIDTH) -> str:
    r"""Fold a sentence to the width of the page, later lines indented.

    A sign stays with its number: '> 9' is never parted.

    Examples
    --------
    >>> wrap("the interval is 2 to > 9", width=22)
    'the interval is 2 to\n> 9'
    """
    together = _SIGNED.sub("\\1\u00a0", visible(_BREAKS.sub(" ", text)))
    folded = textwrap.fill(
        together, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return folded.replace("\u00a0", " ")
