"""A page as HTML, for notebooks and reports: the same sentences and tables, nothing to install."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from html import escape
from importlib.resources import files

from headcount.errors import Named, spelt
from headcount.results.notes import Note
from headcount.results.text import Answered, Code, Page, Table, code_lines, visible

__all__ = ["answer_html", "blocks_html", "made_html", "notes_html", "page_html", "table_html"]

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
    return "\n".join(f'<p class="answer">{_text(one, spell)}</p>' for one in page.headline)


def notes_html(notes: Iterable[Note], severities: Collection[str], spell: Speller = None) -> str:
    """Write notes of some severities, each under its name."""
    return "\n".join(
        f'<p class="{note.severity}"><b>{note.severity}:</b> {_text(note.marked, spell)}</p>'
        for severity in severities
        for note in notes
        if note.severity == severity
    )


def blocks_html(blocks: Iterable[Block], spell: Speller = None) -> str:
    """Write what an answer rests on."""
    return "\n".join(_block(block, spell) for block in blocks)


def made_html(page: Page, notes: Iterable[Note] = (), spell: Speller = None) -> str:
    """Write how a result was made, and how its data were read."""
    said = [*page.foot, *(f"note: {note.marked}" for note in notes if note.severity == "info")]
    return "\n".join(f'<p class="made">{_text(sentence, spell)}</p>' for sentence in said)


def _block(block: Block, spell: Speller) -> str:
    if isinstance(block, Table):
        return table_html(block, spell)
    if isinstance(block, Code):
        title = f"<p>{_text(block.title, spell)}</p>" if block.title else ""
        lines = code_lines(Code(block.lines), spell)
        return f"{title}<pre>{escape(chr(10).join(lines))}</pre>"
    if isinstance(block, Answered):
        return f"<h3>{_text(block.question, spell)}</h3>\n<p>{_text(block.answer, spell)}</p>"
    return f"<p>{_text(block, spell)}</p>"


def table_html(table: Table, spell: Speller = None) -> str:
    """Write a table: names and words to the left, numbers to the right."""
    title = f"<caption>{_text(table.title, spell)}</caption>" if table.title else ""
    right = [False, *(_numbers([row[k] for row in table.body]) for k in range(1, len(table.head)))]
    rows = [
        ('<tr class="rule">' if place in table.rules else "<tr>")
        + f"{_cells('row', row, right, spell)}</tr>"
        for place, row in enumerate(table.body)
    ]
    more = f'<p class="more">{_text(table.more, spell)}</p>' if table.more else ""
    head = f"<thead><tr>{_cells('col', table.head, right, spell)}</tr></thead>"
    body = "\n".join(rows)
    return f'<div class="scroll"><table>{title}{head}<tbody>\n{body}\n</tbody></table></div>{more}'


def _numbers(cells: Sequence[str]) -> bool:
    """Whether a column holds numbers, but for cells that are blank."""
    filled = [cell for cell in cells if cell.strip()]
    return 2 * sum(_NUMBER.fullmatch(cell.strip()) is not None for cell in filled) >= len(filled)


def _cells(scope: str, row: Sequence[str], right: Sequence[bool], spell: Speller) -> str:
    """Write a row: of the head every cell is a heading, of the body the first."""
    out: list[str] = []
    for place, (cell, number) in enumerate(zip(row, right, strict=True)):
        tag = f'th scope="{scope}"' if scope == "col" or place == 0 else "td"
        css = ' class="number"' if number else ""
        out.append(f"<{tag}{css}>{_text(cell, spell)}</{tag.partition(' ')[0]}>")
    return "".join(out)


def _text(text: str, spell: Speller) -> str:
    safe = escape(visible(spelt(text, spell).replace("\n", " ")))
    return _FLAG.sub(r'<span class="flag">\g<0></span>', safe)
