"""What every public function returns: text, HTML, frames, JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from headcount.errors import Named, OptionError, unknown_name
from headcount.results.notes import Note, Provenance, noted
from headcount.results.page import Page, Screen, page_html, page_text, screen_html, screen_text
from headcount.results.tables import WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "Result",
    "to_frame",
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
