"""A page as HTML, for notebooks: the same sentences and tables, with nothing to install."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files

from headcount.errors import spelt
from headcount.results.notes import Note
from headcount.results.text import Code, Page, Table, code_lines, visible

__all__ = ["page_html", "table_html"]

Block = Table | Code | str


def page_html(page: Page, notes: Iterable[Note] = ()) -> str:
    """Write a page: the answer, what speaks against it, tables, how it was made."""
    notes = list(notes)
    parts = [f'<p class="answer">{_text(sentence)}</p>' for sentence in page.headline]
    parts += [
        f'<p class="{note.severity}"><b>{note.severity}:</b> {_text(note.marked)}</p>'
        for note in notes
        if note.severity != "info"
    ]
    parts += [_block(block) for block in page.blocks]
    parts += [f'<p class="made">{_text(sentence)}</p>' for sentence in page.foot]
    parts += [
        f'<p class="made">note: {_text(note.marked)}</p>'
        for note in notes
        if note.severity == "info"
    ]
    style = files("headcount.results").joinpath("result.css").read_text(encoding="utf-8")
    body = "\n".join(parts)
    return f'<style>\n{style}</style>\n<div class="headcount">\n{body}\n</div>'


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return table_html(block)
    if isinstance(block, Code):
        return f"<pre>{escape(chr(10).join(code_lines(block)))}</pre>"
    return f"<p>{_text(block)}</p>"


def table_html(table: Table) -> str:
    """Write a table, the first column to the left and the others to the right."""
    title = f"<caption>{_text(table.title)}</caption>" if table.title else ""
    rows = [
        ('<tr class="rule">' if place in table.rules else "<tr>") + f"{_cells('td', row)}</tr>"
        for place, row in enumerate(table.body)
    ]
    more = f"<p>{_text(table.more)}</p>" if table.more else ""
    head = f"<thead><tr>{_cells('th', table.head)}</tr></thead>"
    body = "\n".join(rows)
    return f"<table>{title}{head}<tbody>\n{body}\n</tbody></table>{more}"


def _cells(tag: str, row: Sequence[str]) -> str:
    return "".join(f"<{tag}>{_text(cell)}</{tag}>" for cell in row)


def _text(text: str) -> str:
    return escape(visible(spelt(text).replace("\n", " ")))
