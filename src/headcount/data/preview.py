"""Data as HTML, for notebooks: what they are in a sentence, and the first rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from headcount.errors import count
from headcount.results.html import page_html
from headcount.results.notes import Note
from headcount.results.text import Page, Table

__all__ = ["FIRST", "preview"]

FIRST = 5
"""Rows that are shown."""
LONGEST = 400
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
    short = sentence if len(sentence) <= LONGEST else sentence[:LONGEST] + " …"
    return page_html(Page([short], [Table(list(columns), body, more=more)]), notes)
