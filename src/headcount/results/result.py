"""What every public function returns, and what it shows: text, HTML, frames, JSON."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from headcount.errors import (
    Named,
    OptionError,
    count,
    marked,
    named_in,
    option,
    spelt,
    unknown_name,
)
from headcount.results.notes import Note, Provenance, noted
from headcount.results.tables import WIDTH, Table, table_lines, visible, width_of, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Result",
    "to_frame",
    "ALL",
    "ALL_ENTRIES",
    "Code",
    "Answered",
    "Page",
    "Screen",
    "screen_text",
    "screen_html",
    "again",
    "command",
    "in_call",
    "brief_text",
    "page_text",
    "page_html",
    "answer_html",
    "notes_html",
    "steps_html",
    "blocks_html",
    "made_html",
    "table_html",
    "FIRST_ROWS",
    "preview",
]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(ABC):
    """An answer, and the forms in which to have it.

    A result says what it found on a first screen (the answer, a table, the next step), in a page
    (all tables, how it was made), in columns (one row per item, rater or whatever it is about), in
    a document for JSON, and in a plot; everything else here is made of these.

    Parameters
    ----------
    notes : tuple of Note
        What a reader should know, each a sentence with a severity.
    provenance : Provenance
        Data, options and version.
    """

    provenance: Provenance
    notes: tuple[Note, ...] = ()

    @abstractmethod
    def page(self) -> Page:
        """Say what was found: the answer in sentences, then tables, then how it was made."""

    def screen(self) -> Screen | None:
        """Say what a reader needs first; None if that is the whole page."""
        return None

    @abstractmethod
    def columns(self) -> dict[str, list[Any]]:
        """Return the rows of the result, by column."""

    @abstractmethod
    def document(self) -> dict[str, Any]:
        """Return what is particular to this result in its JSON document."""

    @abstractmethod
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the result (needs matplotlib): on `ax`, or on a new figure."""

    def drawn(self) -> dict[str, list[Any]]:
        """Return what the plot shows, by column: the rows, where a result says nothing else."""
        return self.columns()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document of this result (see docs/reference/json.md)."""
        p = self.provenance
        return {
            **self.document(),
            "data": p.data,
            "bootstrap": p.bootstrap,
            "level": p.level,
            "seed": p.seed,
            "version": p.version,
            **noted(self.notes),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows of the result as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Kind of frame. Default: that of the data, or the first of these that is installed.
        """
        return to_frame(self.columns(), backend or self.provenance.backend)

    def to_text(
        self,
        *,
        details: bool = False,
        width: int = WIDTH,
        spell: Callable[[Named], str] | None = None,
    ) -> str:
        """Write the result for a reader: the answer, one table, cautions and the next step.

        Parameters
        ----------
        details : bool
            Write everything: all tables, all notes, how it was made.
        width : int
            Columns of the page.
        spell : callable, optional
            How to write the options that notes name; as Python does by default.
        """
        screen = None if details else self.screen()
        if screen is None:
            return page_text(self.page(), self.notes, width=width, spell=spell)
        return screen_text(screen, self.notes, width=width, spell=spell)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        screen = self.screen()
        if screen is None:
            return page_html(self.page(), self.notes)
        return screen_html(screen, self.page(), self.notes)


# Results as the kind of data frame that the caller uses.

BACKENDS = ("polars", "pandas", "pyarrow")


def to_frame(columns: dict[str, list[Any]], backend: str | None) -> Any:
    """Make a frame of the wanted kind, or of the first kind that is installed."""
    if backend is None:
        backend = next((name for name in BACKENDS if find_spec(name)), None)
    if backend is None:
        raise OptionError(
            "no data frame library is installed; install polars, pandas or pyarrow, or use "
            ".to_dict()."
        )
    if backend not in BACKENDS:
        raise unknown_name("backend", backend, BACKENDS)
    import narwhals.stable.v2 as nw

    return nw.from_dict(columns, backend=backend).to_native()


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


@dataclass(frozen=True)
class Screen:
    """What a reader needs first: at most 20 lines and 150 words. All else is in the page.

    Cautions are not listed here: they are the notes of the result that have a short form, warnings
    first and then by rank.

    Parameters
    ----------
    headline : sequence of str
        The answer with its interval, in one to three sentences.
    table : Table or None
        At most twelve rows.
    data : str
        What the answer rests on, such as '120 items, 3 annotators'.
    next : sequence of str
        What to do next, each a sentence or a :func:`command`; usually one.
    """

    headline: Sequence[str]
    table: Table | None = None
    data: str = ""
    next: Sequence[str] = ()


MOST_CAUTIONS = 2
"""Cautions on the first screen; the rest are counted."""
MORE = "details"
"""By this name texts say where the rest is."""


def again(**options: Any) -> str:
    """Mark the same call with more options, for a command line to write as a command.

    Examples
    --------
    >>> spelt(again(bootstrap=2000))
    'the same call with bootstrap=2000'
    """
    words = ", ".join(f"{name}={value!r}" for name, value in options.items())
    step = {"verb": "", "options": options}
    return marked(Named("again", f"the same call with {words}", json.dumps(step)))


def command(verb: str, data: str, *, files: Mapping[str, str] = {}, **options: Any) -> str:
    """Mark a call of another verb, for a command line to write as a command.

    Parameters
    ----------
    verb : str
        The Python function.
    data : str
        The file it reads first.
    files : mapping of str to str
        Other files, by the name of the option that takes them.
    **options
        The rest.

    Examples
    --------
    >>> spelt(command("judge", "people.csv", files={"judges": "gpt.csv"}, seed=1))
    "judge('people.csv', judges='gpt.csv', seed=1)"
    """
    others = "".join(f", {name}={in_call(value)}" for name, value in files.items())
    words = others + "".join(f", {name}={value!r}" for name, value in options.items())
    step = {"verb": verb, "data": data, "files": dict(files), "options": options}
    return marked(Named("command", f"{verb}({in_call(data)}{words})", json.dumps(step)))


def in_call(data: str) -> str:
    """Write data in a call: a file by its path, what is in memory by the name of a variable.

    Examples
    --------
    >>> in_call("people.csv"), in_call("ratings")
    ("'people.csv'", 'ratings')
    """
    return data if data.isidentifier() else repr(data)


def screen_text(
    screen: Screen,
    notes: Iterable[Note] = (),
    *,
    width: int = WIDTH,
    spell: Callable[[Named], str] | None = None,
) -> str:
    r"""Write a first screen: the answer, one table, at most two cautions, the next step.

    Examples
    --------
    >>> screen = Screen(["a is worth 2 raters."], data="9 items", next=["label 91 more items."])
    >>> notes = [Note("9 items ...", "caution", short="9 items are few."), Note("as CSV")]
    >>> print(screen_text(screen, notes))
    a is worth 2 raters.
    <BLANKLINE>
    caution: 9 items are few.
    Next: label 91 more items.
    9 items. 1 more note: print(result.to_text(details=True))
    """
    notes = list(notes)
    shown = first_cautions(notes)
    read = [note for note in notes if note.severity == "info" and note.short]

    def fold(text: str, indent: str = "") -> str:
        return wrap(on_a_line(text, spell), indent, width=width)

    below = [fold(f"{note.severity}: {note.short or note.marked}", "  ") for note in shown]
    below += [line for step in screen.next for line in _step_lines(step, spell, width)]
    parts = [screen.data, *(note.short for note in read)]
    data = " ".join(f"{part.rstrip('.')}." for part in parts if part)
    against = sum(note.severity != "info" for note in notes) - len(shown)
    others = len(notes) - len(shown) - len(read) - against
    rest = [count(against, "more caution" if shown else "caution")] if against else []
    rest += [count(others, "note" if against else "more note")] if others else []
    more = f"{', '.join(rest) or 'More'}: {option(MORE)}"
    below.append(fold(f"{data} {more}".strip()))
    table = [] if screen.table is None else table_lines(_spelt(screen.table, spell), width=width)
    blocks = ([fold(sentence) for sentence in screen.headline], table, below)
    return "\n\n".join("\n".join(lines) for lines in blocks if lines)


def on_a_line(text: str, spell: Callable[[Named], str] | None) -> str:
    """Write options out, and a command within a sentence without breaks of its own."""
    return spelt(text, spell).replace(" \\\n   ", "")


def _step_lines(step: str, spell: Callable[[Named], str] | None, width: int) -> list[str]:
    """Write what to do next; a command that does not fit has lines of its own, to be copied."""
    text = f"Next: {spelt(step, spell)}"
    if text == "Next: ":
        return []
    commands = [named for named in named_in(step) if named.name in ("again", "command")]
    if not commands:
        return [wrap(text, "  ", width=width)]
    if "\n" not in text and width_of(text) <= width:
        return [text]
    mark = marked(commands[0])
    start, _, end = step.partition(mark)
    lines = [wrap(f"Next: {spelt(start, spell)}".rstrip(), "  ", width=width)]
    lines += [f"  {line}" for line in spelt(mark, spell).split("\n")]
    rest = spelt(end, spell).strip()
    return [*lines, *([wrap(f"  {rest}", "  ", width=width)] if rest else [])]


def first_cautions(notes: Iterable[Note]) -> list[Note]:
    """Choose the cautions of the first screen: warnings, then those with a short form, by rank."""
    order = {"warning": 0, "caution": 1}
    chosen = [
        note
        for note in notes
        if note.severity == "warning" or (note.severity == "caution" and note.short)
    ]
    return sorted(chosen, key=lambda note: (order[note.severity], note.rank))[:MOST_CAUTIONS]


def brief_text(
    answer: Sequence[str],
    notes: Iterable[Note] = (),
    *,
    width: int = WIDTH,
    spell: Callable[[Named], str] | None = None,
) -> str:
    """Write the answer alone; what speaks against it is counted.

    Examples
    --------
    >>> print(brief_text(["a is worth 2 raters."], [Note("few items.", "caution")]))
    a is worth 2 raters. (1 caution)
    """
    kinds = [note.severity for note in notes]
    counts = [count(kinds.count(kind), kind) for kind in ("warning", "caution") if kind in kinds]
    lines = [on_a_line(sentence, spell) for sentence in answer]
    if counts:
        lines[-1:] = [f"{' '.join(lines[-1:])} ({', '.join(counts)})".strip()]
    return "\n".join(wrap(line, width=width) for line in lines)


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
        return wrap(on_a_line(text, spell), indent, width=width)

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
_WHOLE = re.compile(r"(?<![\w-])--[a-z][a-z-]*|\([^()]* to [^()]*\)")
"""What a browser is not to break: an option of the command line, and an interval."""


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


def screen_html(screen: Screen, page: Page, notes: Iterable[Note] = ()) -> str:
    """Write a first screen, with the whole page folded below it."""
    notes = list(notes)
    parts = [
        answer_html(Page(screen.headline)),
        *(
            f'<p class="{note.severity}"><b>{note.severity}:</b> '
            f"{_html(note.short or note.marked, None)}</p>"
            for note in first_cautions(notes)
        ),
        *([] if screen.table is None else [table_html(screen.table)]),
        steps_html(screen.next),
        f"<details><summary>{_html(screen.data or 'Details', None)}</summary>",
        page_html(page, notes),
        "</details>",
    ]
    body = "\n".join(part for part in parts if part)
    return f'<div class="headcount">\n{body}\n</div>'


def answer_html(page: Page, spell: Speller = None) -> str:
    """Write the sentences of the answer."""
    return "\n".join(
        f'<p class="answer">{_html(sentence, spell)}</p>' for sentence in page.headline
    )


def steps_html(steps: Iterable[str], spell: Speller = None) -> str:
    """Write what to do next."""
    return "\n".join(f'<p class="next">Next: {_html(step, spell)}</p>' for step in steps)


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
    body = [*table.body, *table.rest]
    right = [False, *(_numbers([row[k] for row in body]) for k in range(1, len(table.head)))]
    rows = [
        ('<tr class="rule">' if index in table.rules else "<tr>")
        + f"{_cells_html('row', row, right, spell)}</tr>"
        for index, row in enumerate(body)
    ]
    below = "" if table.rest else table.more
    more = f'<p class="more">{_html(below, spell)}</p>' if below else ""
    head = f"<thead><tr>{_cells_html('col', table.head, right, spell)}</tr></thead>"
    lines = "\n".join(rows)
    return f'<div class="scroll"><table>{title}{head}<tbody>\n{lines}\n</tbody></table></div>{more}'


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
    line = on_a_line(text, spell).replace("\n", " ")
    safe = escape(visible(line))
    return _WHOLE.sub(r'<span class="whole">\g<0></span>', safe)


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
