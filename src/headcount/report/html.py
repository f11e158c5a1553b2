"""A report as one page of HTML that refers to nothing outside it."""

from __future__ import annotations

import math
import re
import warnings
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from importlib.resources import files
from io import BytesIO
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from headcount.errors import DataError, ExtraError, Named, count
from headcount.results.notes import Note
from headcount.results.plotting import COLOURS, new_figure
from headcount.results.result import (
    Code,
    Page,
    Result,
    Screen,
    answer_html,
    blocks_html,
    made_html,
    notes_html,
    steps_html,
    table_html,
)
from headcount.results.tables import Table, visible

if TYPE_CHECKING:
    from jinja2 import Environment

    from headcount.report.result import Part, Report

__all__ = [
    "report_html",
    "check_extras",
    "ended",
    "figure_svg",
]


MOST_ROWS = 60
"""Rows of a table of the data of a figure."""
MOST_SENTENCES, FIRST_ROWS = 3, 8
"""Sentences of an answer that the page opens with, and rows of the table beside it."""
Spellers = Callable[[str], Callable[[Named], str] | None] | None
"""Of a verb, how options that its notes name are written; as Python does if None."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the page, in HTML of which every name is escaped.

    Parameters
    ----------
    id : str
        By which the contents refer to it.
    title, next_step : str
        Plain text.
    brief, table : str
        The first sentences of the answer, and the table beside them.
    steps : str
        What to do next.
    answer, warnings, cautions, tables, made : str
        The sentences, what speaks against them, what to keep in mind, what they rest on, and how
        they were made.
    figure : str or None
    data : str
        Table of what the figure shows.
    """

    id: str
    title: str
    brief: str
    table: str
    steps: str
    answer: str
    warnings: str
    cautions: str
    figure: str | None
    data: str
    tables: str
    made: str
    next_step: str = ""


def report_html(report: Report, *, command: str = "", spell: Spellers = None) -> str:
    """Write the page."""
    printed: set[str] = set()
    sections = [
        _section(part, number, printed, spell) for number, part in enumerate(report.parts, 1)
    ]
    looked = None if report.seen is None else _looked(report.seen, printed, spell)
    # Notes of the report itself, such as what has no answer.
    every = [(part, note) for part in report.parts for note in part.result.notes]
    of_parts = {each.marked for part, note in every for each in (note, part.named(note))}
    of_parts |= {note.marked for note in (report.seen.notes if report.seen else ())}
    left_out = [note for note in report.notes if note.marked not in of_parts]
    style, script = _file("result.css", "results") + _file("page.css"), _file("page.js")
    return (
        _environment()
        .from_string(_file("page.html"))
        .render(
            title=visible(f"headcount: {report.provenance.source}"),
            sections=sections,
            seen=looked,
            left_out=notes_html(left_out, ("warning", "caution"), _spell(spell, "report")),
            facts=_facts(report),
            sources=_sources(report),
            command=command,
            version=report.provenance.version,
            style=style,
            script=script,
            allowed=b64encode(sha256(script.encode()).digest()).decode(),
        )
    )


def check_extras() -> None:
    """Tell if what a page needs is missing."""
    new_figure()
    _environment()


def _environment() -> Environment:
    """Make what fills the template: names are escaped unless the template says otherwise."""
    try:
        from jinja2 import Environment
    except ImportError:
        raise ExtraError("a report", "jinja2", "report") from None
    return Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)


def _file(name: str, room: str = "report") -> str:
    return files(f"headcount.{room}").joinpath(name).read_text(encoding="utf-8")


def _spell(spell: Spellers, verb: str) -> Callable[[Named], str] | None:
    return None if spell is None else spell(verb)


def _section(part: Part, number: int, printed: set[str], spell: Spellers) -> Section:
    result, name = part.result, f"part-{number}"
    page, notes = result.page(), _new(result.notes, printed)
    verb = part.verb if part.step is None else part.step.verb
    write = _spell(spell, verb)
    title = visible(part.title)
    figure = figure_svg(result, f"figure-{number}", title)
    again = "" if part.step is None else blocks_html([Code([part.step.marked])], write)
    # The title asks already.
    headline = [
        ended(sentence) for sentence in page.headline if not part.title.startswith(sentence)
    ]
    screen = result.screen()
    if screen is None:
        tables = [block for block in page.blocks if isinstance(block, Table)]
        screen = Screen(headline[:MOST_SENTENCES], _shortened(tables[0]) if tables else None)
    steps = [step for step in screen.next if "\n" not in step] if verb else []
    return Section(
        id=name,
        title=title,
        brief=answer_html(Page([ended(sentence) for sentence in screen.headline]), write),
        table="" if screen.table is None else table_html(screen.table, write),
        steps=steps_html(steps, write),
        answer=answer_html(Page(headline), write),
        warnings=notes_html(notes, ("warning",), write),
        cautions=notes_html(notes, ("caution",), write),
        figure=figure,
        data="" if figure is None else table_html(_data(result)),
        tables=blocks_html(page.blocks, write),
        made=made_html(page, notes, write) + again,
        next_step="" if steps else visible(part.next_step),
    )


def _looked(looked: Result, printed: set[str], spell: Spellers) -> Section:
    """Tell what files are and what looks wrong in them; what to run is on the page already."""
    page, write = looked.page(), _spell(spell, "look")
    figure = figure_svg(looked, "figure-data", "How often labels are given")
    notes = _new(looked.notes, printed)
    return Section(
        id="data",
        title="The data",
        brief="",
        table="",
        steps="",
        answer=answer_html(page, write),
        warnings=notes_html(notes, ("warning",), write),
        cautions=notes_html(notes, ("caution",), write),
        figure=figure,
        data="",  # the table below has it
        tables=blocks_html([b for b in page.blocks if not isinstance(b, Code)], write),
        made=made_html(page, notes, write),
    )


def ended(sentence: str) -> str:
    """End a sentence, as those of a terminal need not."""
    return sentence if sentence.endswith((".", "?", "!", ":", '."')) else f"{sentence}."


def _shortened(table: Table) -> Table:
    """Keep what fits beside a figure."""
    rest = len(table.body) - FIRST_ROWS
    more = "more below" if rest > 0 else ""
    return replace(table, body=table.body[:FIRST_ROWS], rest=(), more=more)


def _new(notes: Sequence[Note], printed: set[str]) -> list[Note]:
    """Choose notes that no part before has."""
    new = [note for note in notes if note.marked not in printed]
    printed.update(note.marked for note in new)
    return new


def _data(result: Result) -> Table:
    """Write rows of what a figure shows, without columns that are blank."""
    drawn = result.drawn()
    columns = {
        name: [_cell(value) for value in values[:MOST_ROWS]] for name, values in drawn.items()
    }
    columns = {name: cells for name, cells in columns.items() if any(cells)}
    rest = max(map(len, drawn.values())) - MOST_ROWS
    return Table(
        [name.replace("_", " ") for name in columns],
        list(zip(*columns.values(), strict=True)),
        more=f"and {count(rest, 'more row')}" if rest > 0 else "",
    )


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _facts(report: Report) -> list[str]:
    """Say in a line what there is."""
    p = report.provenance
    ratings = [] if p.n_ratings is None else [count(p.n_ratings, "rating")]
    raters = [] if p.n_raters is None else [count(p.n_raters, "rater")]
    if report.seen is not None and report.seen.seen[0].kind == "comparisons":
        ratings = [text.replace("rating", "comparison") for text in ratings]
    return [visible(p.source), count(p.items_used, "item"), *ratings, *raters]


def _sources(report: Report) -> str:
    """Write a table of the files that were read."""
    rows: list[list[str]] = []
    for source in report.provenance.sources:
        size = "" if source.size is None else f"{source.size:,}"
        rows.append([source.name, source.format, f"{source.rows:,}", size, source.sha256 or ""])
    return table_html(Table(["file", "format", "rows", "bytes", "SHA-256"], rows)) if rows else ""


# Figures as SVG inside a page: titled, in the page's colours, with ids of their own.

SVG, LINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
INK = ("#000000", "#222222", "#333333", "#444444")
"""Colours that stand for ink, which is light on a dark page."""
SOFT = ("#555555", "#666666", "#777777", "#888888")
FAINT = ("#b0b0b0", "#bbbbbb", "#cccccc", "#dddddd", "#eeeeee")
"""Colours of what is said by the way, and of rules and grids."""
FAMILY = re.compile(r"font-family: [^;]*;? ?")


def figure_svg(result: Result, name: str, title: str) -> str | None:
    """Draw a result; None if there is nothing to draw.

    Parameters
    ----------
    result : Result
    name : str
        What ids begin with, so that no two figures of a page share one.
    title : str
        What a screen reader says.
    """
    new_figure()  # tells if matplotlib is missing
    try:
        figure = result.plot().figure
    except ExtraError:
        raise
    except DataError:  # nothing to draw
        return None
    root = ElementTree.fromstring(_drawn(figure))  # of our own making
    _clean(root, name)
    _titled(root, name, title)
    ElementTree.register_namespace("", SVG)
    return ElementTree.tostring(root, encoding="unicode")


def _drawn(figure: Any) -> bytes:
    """Draw with text as text, which is small, can be read aloud and be found."""
    matplotlib: Any = import_module("matplotlib")  # its settings are typed by half

    out = BytesIO()
    settings = {"svg.fonttype": "none", "svg.hashsalt": "headcount"}
    with matplotlib.rc_context(settings), warnings.catch_warnings():
        # A script that the font lacks: the browser has one that does not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        # Names of labels that are as long as a page.
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    return out.getvalue()


def _clean(root: ElementTree.Element, name: str) -> None:
    """Take away what only a file needs; make ids unique, and colours those of the page."""
    for child in list(root):
        if child.tag == f"{{{SVG}}}metadata":
            root.remove(child)
    for element in root.iter():
        if identity := element.attrib.pop("id", None):
            element.set("id", f"{name}-{identity}")
        if target := element.attrib.pop(f"{{{LINK}}}href", None):
            element.set("href", f"#{name}-{target[1:]}")
        for key in ("clip-path", "style", "fill", "stroke"):
            if key in element.attrib:
                element.set(key, _coloured(element.attrib[key]).replace("url(#", f"url(#{name}-"))
    used = {target[1:] for element in root.iter() if (target := element.get("href"))}
    used |= {clip[5:-1] for element in root.iter() if (clip := element.get("clip-path"))}
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)


def _coloured(style: str) -> str:
    """Name colours, so that the page can say what they are by day and by night."""
    for colour in INK:
        style = style.replace(colour, "currentColor")
    for colour in SOFT:
        style = style.replace(colour, _variable("soft"))
    for colour in FAINT:
        style = style.replace(colour, _variable("rule"))
    for index, colour in enumerate(COLOURS):
        style = style.replace(colour.lower(), _variable(f"series-{index}"))
    return FAMILY.sub("", style.replace("#ffffff", _variable("paper")))


def _variable(name: str) -> str:
    """Write a variable of the style sheet, which begins with two dashes as flags do."""
    return f"var({2 * '-'}{name})"


def _titled(root: ElementTree.Element, name: str, title: str) -> None:
    """Give the figure a name for those who do not see it, and the size of its place."""
    root.attrib.pop("height", None)  # which follows from the view box
    root.set("style", f"width: {root.attrib.pop('width')}")
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title")
    heading = ElementTree.Element(f"{{{SVG}}}title", {"id": f"{name}-title"})
    heading.text = title
    root.insert(0, heading)
