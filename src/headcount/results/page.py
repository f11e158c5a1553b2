"""A page, as plain text and as HTML: the answer, notes, tables, how it was made."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files

from headcount.errors import Named, count, option, spelt
from headcount.results.notes import Note
from headcount.results.tables import WIDTH, Table, table_lines, visible, wrap

__all__ = [
    "ALL",
    "ALL_ENTRIES",
    "Code",
    "Answered",
    "Page",
    "page_text",
    "page_html",
    "answer_html",
    "notes_html",
    "blocks_html",
    "made_html",
    "table_html",
    "FIRST_ROWS",
    "preview",
]


# A result as plain text: the answer, what speaks against it, tables, how it was made.

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


# A page as HTML, for notebooks and reports: the same sentences and tables, nothing to install.

Block = Table | Code | Answered | str
Speller = Callable[[Named], str] | None
"""How options that a text names are written; as Python does if None."""

_NUMBER = re.compile(
    r"(?:about )?[<>~≤≥+−-]?\s?[\d.,∞]+[%*]?(?:\s(?:to|of|points)\b.*|\s\(.*\))?|too few"
)
"""A cell that is set to the right: a number, perhaps with its interval."""
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
"""An option of the command line, which a browser would break between its dashes."""


def page_html(page: Page, notes: Iterable[Note] = ()) -> str:
    """Write a page: the answer, what speaks against it, tables, how it was made."""
    notes = list(notes)
    parts = [
        answer_html(page),
        notes_html(notes, ("warning", "caution")),
        blocks_html(page.blocks),
        made_html(page, notes),
    ]
    style = files("headcount.results").joinpath("result.css").read_text(encoding="utf-8")
    body = "\n".join(part for part in parts if part)
    return f'<style>\n{style}</style>\n<div class="headcount">\n{body}\n</div>'


def answer_html(page: Page, spell: Speller = None) -> str:
    """Write the sentences of the answer."""
    return "\n".join(
        f'<p class="answer">{_html(sentence, spell)}</p>' for sentence in page.headline
    )


def notes_html(notes: Iterable[Note], severities: Collection[str], spell: Speller = None) -> str:
    """Write notes of some severities, each under its name."""
    return "\n".join(
        f'<p class="{note.severity}"><b>{note.severity}:</b> {_html(note.marked, spell)}</p>'
        for severity in severities
        for note in notes
        if note.severity == severity
    )


def blocks_html(blocks: Iterable[Block], spell: Speller = None) -> str:
    """Write what an answer rests on."""
    return "\n".join(_block_html(block, spell) for block in blocks)


def made_html(page: Page, notes: Iterable[Note] = (), spell: Speller = None) -> str:
    """Write how a result was made, and how its data were read."""
    sentences = [*page.foot, *(f"note: {note.marked}" for note in notes if note.severity == "info")]
    return "\n".join(f'<p class="made">{_html(sentence, spell)}</p>' for sentence in sentences)


def _block_html(block: Block, spell: Speller) -> str:
    if isinstance(block, Table):
        return table_html(block, spell)
    if isinstance(block, Code):
        title = f"<p>{_html(block.title, spell)}</p>" if block.title else ""
        lines = code_lines(Code(block.lines), spell)
        return f"{title}<pre>{escape(chr(10).join(lines))}</pre>"
    if isinstance(block, Answered):
        return f"<h3>{_html(block.question, spell)}</h3>\n<p>{_html(block.answer, spell)}</p>"
    return f"<p>{_html(block, spell)}</p>"


def table_html(table: Table, spell: Speller = None) -> str:
    """Write a table: names and words to the left, numbers to the right."""
    title = f"<caption>{_html(table.title, spell)}</caption>" if table.title else ""
    right = [False, *(_numbers([row[k] for row in table.body]) for k in range(1, len(table.head)))]
    rows = [
        ('<tr class="rule">' if index in table.rules else "<tr>")
        + f"{_cells_html('row', row, right, spell)}</tr>"
        for index, row in enumerate(table.body)
    ]
    more = f'<p class="more">{_html(table.more, spell)}</p>' if table.more else ""
    head = f"<thead><tr>{_cells_html('col', table.head, right, spell)}</tr></thead>"
    body = "\n".join(rows)
    return f'<div class="scroll"><table>{title}{head}<tbody>\n{body}\n</tbody></table></div>{more}'


def _numbers(cells: Sequence[str]) -> bool:
    """Whether a column holds numbers, but for cells that are blank."""
    filled = [cell for cell in cells if cell.strip()]
    return 2 * sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in filled) >= len(filled)


def _cells_html(scope: str, row: Sequence[str], right: Sequence[bool], spell: Speller) -> str:
    """Write a row: of the head every cell is a heading, of the body the first."""
    out: list[str] = []
    for column, (cell, number) in enumerate(zip(row, right, strict=True)):
        tag = f'th scope="{scope}"' if scope == "col" or column == 0 else "td"
        css = ' class="number"' if number else ""
        out.append(f"<{tag}{css}>{_html(cell, spell)}</{tag.partition(' ')[0]}>")
    return "".join(out)


def _html(text: str, spell: Speller) -> str:
    safe = escape(visible(spelt(text, spell).replace("\n", " ")))
    return _FLAG.sub(r'<span class="flag">\g<0></span>', safe)


# Data as HTML, for notebooks: what they are in a sentence, and the first rows.

FIRST_ROWS = 5
"""Rows that are shown."""
LONGEST_SENTENCE = 400
"""Characters of the sentence that are shown: labels may be many."""


def preview(
    sentence: str,
    columns: Mapping[str, Sequence[object]],
    *,
    total: int,
    noun: str,
    notes: Iterable[Note] = (),
) -> str:
    """Write a sentence, the first rows of `total` (each a `noun`) by column, and notes.

    Examples
    --------
    >>> print(preview("2 items", {"item": ["a"]}, total=2, noun="item").partition("<div")[2])
     class="headcount">
    <p class="answer">2 items</p>
    <div class="scroll"><table><thead><tr><th scope="col">item</th></tr></thead><tbody>
    <tr><th scope="row">a</th></tr>
    </tbody></table></div><p class="more">the first 1 of 2 items</p>
    </div>
    """
    body = [[str(cell) for cell in row] for row in zip(*columns.values(), strict=True)]
    more = f"the first {len(body)} of {count(total, noun)}" if len(body) < total else ""
    short = sentence if len(sentence) <= LONGEST_SENTENCE else sentence[:LONGEST_SENTENCE] + " …"
    return page_html(Page([short], [Table(list(columns), body, more=more)]), notes)
