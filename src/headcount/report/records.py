"""The parts of a report: fields that its text and its page read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headcount.io.look.records import Step
from headcount.io.look.result import LookResult
from headcount.results.base import Result
from headcount.results.notes import Note

__all__ = ["Part", "ReportRecord"]


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
    """

    title: str
    result: Result
    step: Step | None = None
    about: str = ""
    next_step: str = ""

    def named(self, note: Note) -> Note:
        """Say which answer a note is about, where it stands apart from it."""
        return Note(f"{self.title}: {note.marked}", note.severity)

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {
            "title": self.title,
            "answer": list(self.result.page().headline),
            "python": None if self.step is None else self.step.python,
            "result": self.result.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ReportRecord(Result):
    """The fields of what :func:`headcount.make_report` returns.

    Parameters
    ----------
    parts : tuple of Part
        The answers, the first of them first.
    seen : LookResult or None
        What the files are and what looks wrong in them; None where there were none.
    """

    parts: tuple[Part, ...]
    seen: LookResult | None = None
