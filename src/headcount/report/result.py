"""What :func:`headcount.make_report` returns: its parts, and the forms in which to have them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headcount.errors import DataError, HeadcountError, Named, count
from headcount.io.look_result import LookResult, Step
from headcount.io.write import replacing
from headcount.report.html import ended, report_html
from headcount.results.notes import Note
from headcount.results.result import Answered, Code, Page, Result, Screen

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Part",
    "Report",
]


# The parts of a report: fields that its text and its page read.


@dataclass(frozen=True, kw_only=True, eq=False)
class Part:
    """One answer of a report.

    Parameters
    ----------
    title : str
        What it tells.
    result : Result
        The answer.
    step : Step or None
        The call that gives it again; None where the data were not in files.
    about : str
        The data that it is about, where another part tells the same of others.
    next_step : str
        What to do, where the answer tells.
    verb : str
        The command whose options it names, where there is no step.
    """

    title: str
    result: Result
    step: Step | None = None
    about: str = ""
    next_step: str = ""
    verb: str = ""

    def named(self, note: Note) -> Note:
        """Say which answer a note is about, where it stands apart from it."""
        short = f"{self.title}: {note.short}" if note.short else ""
        return Note(f"{self.title}: {note.marked}", note.severity, short=short, rank=note.rank)

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "title": self.title,
            "answer": list(self.result.page().headline),
            "python": None if self.step is None else self.step.python,
            "result": self.result.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Report(Result):
    """All answers that the data give, on one page.

    Parameters
    ----------
    parts : tuple of Part
        The answers, each with a `title`, a `result` and the `step` that reproduces it.
    seen : LookResult or None
        What the files contain and what looks wrong in them; None without files.

    Examples
    --------
    >>> from headcount import make_report
    >>> report = make_report("example:comparisons")
    >>> type(report.parts[0].result).__name__
    'PairsResult'
    """

    parts: tuple[Part, ...]
    seen: LookResult | None = None

    def page(self) -> Page:
        """Answer in sentences, and say how to have each answer with its tables."""
        first, *rest = self.parts
        blocks: list[Answered | Code] = []
        for part in rest:
            question = part.title if part.title.endswith("?") else f"{part.title}:"
            blocks.append(Answered(question, " ".join(map(ended, part.result.page().headline))))
        lines = [
            line
            for part in self.parts
            if part.step is not None
            for line in (f"# {part.title}", part.step.marked)
        ]
        if lines:
            blocks.append(Code(lines, title="Again, each with its tables:"))
        foot = f"{count(len(self.parts), 'answer')} on {self.provenance.source}"
        return Page(first.result.page().headline, blocks, [foot])

    def screen(self) -> Screen | None:
        """Open with the first answer; the others are on the page."""
        first = self.parts[0].result.screen()
        if first is None:
            return None
        others = "; ".join(f"{part.title[:1].lower()}{part.title[1:]}" for part in self.parts[1:])
        data = f"{first.data}. Also on the page: {others}" if others else first.data
        return Screen(first.headline, first.table, data=data)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per part."""
        return {
            "title": [part.title for part in self.parts],
            "answer": [" ".join(part.result.page().headline) for part in self.parts],
            "python": [None if part.step is None else part.step.python for part in self.parts],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to a report in the JSON document."""
        return {
            "parts": [part.document() for part in self.parts],
            "files": None if self.seen is None else self.seen.document(),
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the first answer that can be drawn (needs matplotlib)."""
        for part in self.parts:
            try:
                return part.result.plot(ax)
            except DataError:
                continue
        raise DataError("there is nothing to draw.")

    def to_html(
        self,
        *,
        command: str = "",
        spell: Callable[[str], Callable[[Named], str] | None] | None = None,
    ) -> str:
        """Write the page (needs matplotlib and jinja2).

        Parameters
        ----------
        command : str
            How the page itself was made, to be shown on it.
        spell : callable, optional
            Of a verb such as "agree", how to write the options that its notes name; as Python
            does by default.
        """
        return report_html(self, command=command, spell=spell)

    def save(self, path: str | Path) -> None:
        """Write the page to a file, whole or not at all."""
        try:
            target = Path(path)
        except TypeError:
            raise HeadcountError(f"a path is expected, and not {path!r}.") from None
        with replacing(target) as temporary:
            temporary.write_text(self.to_html(), encoding="utf-8")
