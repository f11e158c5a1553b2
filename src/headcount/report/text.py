"""A report in words: the answer of each part, and how to have it again."""

from __future__ import annotations

from headcount.errors import count
from headcount.report.records import ReportRecord
from headcount.results.text import Answered, Code, Page

__all__ = ["page"]


def page(report: ReportRecord) -> Page:
    """Answer in sentences; then the calls that give each answer with its tables."""
    first, *rest = report.parts
    said = [Answered(_asked(part.title), _sentences(part.result.page())) for part in rest]
    lines = [
        line
        for part in report.parts
        if part.step is not None
        for line in (f"# {part.title}", part.step.marked)
    ]
    again = [Code(lines, title="Again, each with its tables:")] if lines else []
    return Page(
        first.result.page().headline,
        [*said, *again],
        [f"{count(len(report.parts), 'answer')} on {report.provenance.source}"],
    )


def _asked(title: str) -> str:
    return title if title.endswith("?") else f"{title}:"


def _sentences(page: Page) -> str:
    """Join the sentences of an answer."""
    ends = (".", "?", "!", ":")
    return " ".join(one if one.endswith(ends) else f"{one}." for one in page.headline)
