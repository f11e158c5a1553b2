"""A result as plain text: the answer, what speaks against it, tables, how it was made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from headcount.errors import Named, option, spelt
from headcount.results.folding import WIDTH, visible, wrap
from headcount.results.notes import Note
from headcount.results.tables import Table, columns, table_lines

__all__ = [
    "ALL",
    "ALL_ENTRIES",
    "Answered",
    "Code",
    "WIDTH",
    "Page",
    "Table",
    "columns",
    "page_text",
    "visible",
    "wrap",
]

ALL = f"; {option('all_rows')}"
"""Ends the line below a table that does not show all rows: where they are."""
ALL_ENTRIES = f"; {option('all_entries')}"
"""The same for a table whose rows are not those of the frame: they are in the document."""


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
class Answered:
    """A question, and its answer in sentences.

    Parameters
    ----------
    question : str
    answer : str
    """

    question: str
    answer: str


@dataclass(frozen=True)
class Page:
    """What a result says.

    Parameters
    ----------
    headline : sequence of str
        The answer, one sentence a line.
    blocks : sequence of Table, Code, Answered or str
        What it rests on: tables, lines to copy, questions with answers, and paragraphs.
    foot : sequence of str
        How it was made.
    """

    headline: Sequence[str]
    blocks: Sequence[Table | Code | Answered | str] = ()
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

    def listed(*severities: str) -> list[str]:
        wanted = [note for note in notes if note.severity in severities]
        words = {"info": "note"}
        return [fold(f"{words.get(n.severity, n.severity)}: {n.marked}", "  ") for n in wanted]

    notes = list(notes)
    parts = [[fold(sentence) for sentence in page.headline], listed("warning") + listed("caution")]
    for block in page.blocks:
        if isinstance(block, Table):
            parts.append(table_lines(_spelt(block, spell), width=width))
        elif isinstance(block, Code):
            parts.append(code_lines(block, spell))
        elif isinstance(block, Answered):
            parts.append([fold(f"{block.question} {block.answer}")])
        else:
            parts.append([fold(block)])
    parts.append([*(fold(sentence) for sentence in page.foot), *listed("info")])
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
