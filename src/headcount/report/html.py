"""A report as one page of HTML that refers to nothing outside it."""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from headcount.errors import ExtraError, Named, count
from headcount.report.figures import figure_svg
from headcount.report.records import Part, ReportRecord
from headcount.results.base import Result
from headcount.results.drawing import new_figure
from headcount.results.html import answer_html, blocks_html, made_html, notes_html, table_html
from headcount.results.notes import Note
from headcount.results.text import Code, Page, Table, visible

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["check_extras", "report_html"]

MOST_ROWS = 60
"""Rows of a table of the data of a figure."""
MOST_SENTENCES = 3
"""Sentences of an answer that the page opens with."""
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
    brief : str
        The first sentences of the answer.
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
    answer: str
    warnings: str
    cautions: str
    figure: str | None
    data: str
    tables: str
    made: str
    next_step: str = ""


def report_html(report: ReportRecord, *, command: str = "", spell: Spellers = None) -> str:
    """Write the page."""
    told: set[str] = set()
    sections = [_section(part, number, told, spell) for number, part in enumerate(report.parts, 1)]
    seen = None if report.seen is None else _looked(report.seen, told, spell)
    style, script = _file("result.css", "results") + _file("page.css"), _file("page.js")
    return (
        _environment()
        .from_string(_file("page.html"))
        .render(
            title=_title(report),
            sections=sections,
            seen=seen,
            left_out=notes_html(_left_out(report), ("warning", "caution"), _spell(spell, "report")),
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


def _title(report: ReportRecord) -> str:
    return visible(f"headcount: {report.provenance.source}")


def _spell(spell: Spellers, verb: str) -> Callable[[Named], str] | None:
    return None if spell is None else spell(verb)


def _section(part: Part, number: int, told: set[str], spell: Spellers) -> Section:
    result, name = part.result, f"part-{number}"
    page, notes = result.page(), _new(result.notes, told)
    write = _spell(spell, "" if part.step is None else part.step.verb)
    title = visible(part.title)
    figure = figure_svg(result, f"figure-{number}", title)
    again = "" if part.step is None else blocks_html([Code([part.step.marked])], write)
    # The title asks already.
    headline = [_ended(one) for one in page.headline if not part.title.startswith(one)]
    rest = len(headline) - MOST_SENTENCES
    brief = headline if rest < 2 else [*headline[:MOST_SENTENCES], f"And {rest} more below."]
    return Section(
        id=name,
        title=title,
        brief=answer_html(Page(brief), write),
        answer=answer_html(Page(headline), write),
        warnings=notes_html(notes, ("warning",), write),
        cautions=notes_html(notes, ("caution",), write),
        figure=figure,
        data="" if figure is None else table_html(_data(result)),
        tables=blocks_html(page.blocks, write),
        made=made_html(page, notes, write) + again,
        next_step=visible(part.next_step),
    )


def _looked(seen: Result, told: set[str], spell: Spellers) -> Section:
    """Tell what files are and what looks wrong in them; what to run is on the page already."""
    page, write = seen.page(), _spell(spell, "look")
    figure = figure_svg(seen, "figure-data", "How often labels are given")
    notes = _new(seen.notes, told)
    return Section(
        id="data",
        title="The data",
        brief="",
        answer=answer_html(page, write),
        warnings=notes_html(notes, ("warning",), write),
        cautions=notes_html(notes, ("caution",), write),
        figure=figure,
        data="",  # the table below has it
        tables=blocks_html([b for b in page.blocks if not isinstance(b, Code)], write),
        made=made_html(page, notes, write),
    )


def _ended(sentence: str) -> str:
    """End a sentence, as those of a terminal need not."""
    return sentence if sentence.endswith((".", "?", "!", ":")) else f"{sentence}."


def _new(notes: Sequence[Note], told: set[str]) -> list[Note]:
    """Choose notes that no part before has."""
    new = [note for note in notes if note.marked not in told]
    told.update(note.marked for note in new)
    return new


def _left_out(report: ReportRecord) -> list[Note]:
    """Choose notes of the report itself, such as what cannot be told."""
    every = [(part, note) for part in report.parts for note in part.result.notes]
    of_parts = {one.marked for part, note in every for one in (note, part.named(note))}
    of_parts |= {note.marked for note in (report.seen.notes if report.seen else ())}
    return [note for note in report.notes if note.marked not in of_parts]


def _data(result: Result) -> Table:
    """Write rows of what a figure shows, without columns that are blank."""
    drawn = result.drawn()
    columns = {name: [_cell(one) for one in values[:MOST_ROWS]] for name, values in drawn.items()}
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


def _facts(report: ReportRecord) -> list[str]:
    """Say in a line what there is."""
    p = report.provenance
    ratings = [] if p.n_ratings is None else [count(p.n_ratings, "rating")]
    raters = [] if p.n_raters is None else [count(p.n_raters, "rater")]
    if report.seen is not None and report.seen.seen[0].kind == "comparisons":
        ratings = [one.replace("rating", "comparison") for one in ratings]
    return [visible(p.source), count(p.items_used, "item"), *ratings, *raters]


def _sources(report: ReportRecord) -> str:
    """Write a table of the files that were read."""
    rows = [_source_row(vars(one)) for one in report.provenance.sources]
    if not rows:
        return ""
    return table_html(Table(["file", "format", "rows", "bytes", "SHA-256"], list(rows)))


def _source_row(one: Mapping[str, Any]) -> list[str]:
    size = "" if one["size"] is None else f"{one['size']:,}"
    return [one["name"], one["format"], f"{one['rows']:,}", size, one["sha256"] or ""]
