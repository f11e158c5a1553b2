"""What :func:`headcount.make_report` returns, and the forms in which to have it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headcount.errors import DataError, HeadcountError, Named
from headcount.io.write import replacing
from headcount.report.html import report_html
from headcount.report.records import ReportRecord
from headcount.report.text import page
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Report"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Report(ReportRecord):
    """Everything that data can tell, on one page.

    Parameters
    ----------
    parts : tuple of Part
        The answers, each a `title`, a `result` and the `step` that gives it again.
    seen : LookResult or None
        What the files are and what looks wrong in them; None where there were none.
    """

    def page(self) -> Page:
        """Answer in sentences, and say how to have each answer with its tables."""
        return page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a part."""
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
