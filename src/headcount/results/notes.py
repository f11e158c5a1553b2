"""What a reader should know beside the answer: notes, and how a result came about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Literal, Self

from headcount._version import __version__
from headcount.errors import Named, count, option, percent, spelt

__all__ = [
    "Severity",
    "Note",
    "Notes",
    "noted",
    "few_draws",
    "Source",
    "Provenance",
]


# What a reader should know beside the answer: sentences, each with a severity.

Severity = Literal["info", "caution", "warning"]
"""How data were read and what was done; what to keep in mind; what speaks against the answer."""


class Note(str):
    """A sentence that says what was done or found, and what to do about it.

    It is the text as Python writes it; `marked` is the text with its options marked, for
    :func:`headcount.errors.spelt`. `short` says it in one line, for the first screen: a caution
    without it is shown with the details only. Of two cautions the one with the lower `rank` comes
    first.

    Examples
    --------
    >>> note = Note("3 of 200 items were rated.", "warning")
    >>> note, note.severity
    ('3 of 200 items were rated.', 'warning')
    """

    severity: Severity
    marked: str
    short: str
    rank: int

    def __new__(
        cls, text: str, severity: Severity = "info", *, short: str = "", rank: int = 9
    ) -> Self:
        """Keep the text with its options marked as well."""
        made = super().__new__(cls, spelt(text))
        made.severity = severity
        made.marked, made.short, made.rank = text, short, rank
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Note, short=self.short, rank=self.rank), (self.marked, self.severity)


class Notes:
    """The notes of one run, each said once, in the order in which they came up.

    Examples
    --------
    >>> notes = Notes(["item = 'id'."])
    >>> notes.warning("3 items are too few.")
    >>> notes.info("item = 'id'.")
    >>> [(note.severity, note) for note in notes]
    [('info', "item = 'id'."), ('warning', '3 items are too few.')]
    """

    def __init__(self, notes: Iterable[str] = ()) -> None:
        self._notes: dict[str, Note] = {}
        self.extend(notes)

    def info(self, text: str, *, short: str = "") -> None:
        """Tell how data were read or what was done to them."""
        self._add(Note(text, short=short))

    def caution(self, text: str, *, short: str = "", rank: int = 9) -> None:
        """Tell what a reader should keep in mind."""
        self._add(Note(text, "caution", short=short, rank=rank))

    def warning(self, text: str, *, short: str = "", rank: int = 9) -> None:
        """Tell what speaks against the answer."""
        self._add(Note(text, "warning", short=short, rank=rank))

    def extend(self, notes: Iterable[str]) -> None:
        """Take notes over, with their severities; a plain text is an info."""
        for note in notes:
            self._add(note if isinstance(note, Note) else Note(note))

    def __iter__(self) -> Iterator[Note]:
        return iter(self._notes.values())

    def __len__(self) -> int:
        return len(self._notes)

    def _add(self, note: Note) -> None:
        self._notes.setdefault(note.marked, note)


def noted(
    notes: Iterable[Note], spell: Callable[[Named], str] | None = None
) -> dict[str, list[str]]:
    """Return notes as every JSON document has them: warnings, cautions, and all of them.

    Examples
    --------
    >>> noted([Note("few items.", "warning"), Note("item = 'id'.")])
    {'warnings': ['few items.'], 'cautions': [], 'notes': ['few items.', "item = 'id'."]}
    """
    texts = [(note.severity, spelt(note.marked, spell)) for note in notes]
    return {
        "warnings": [text for severity, text in texts if severity == "warning"],
        "cautions": [text for severity, text in texts if severity == "caution"],
        "notes": [text for _, text in texts],
    }


def few_draws(draws: int, level: float) -> list[Note]:
    """Say if bootstrap samples are too few for the ends of their intervals.

    Examples
    --------
    >>> few_draws(500, 0.95)
    []
    """
    if not draws or draws * (1 - level) >= 2:
        return []
    wanted = round(2 / (1 - level))
    return [
        Note(
            f"{count(draws, 'bootstrap sample')} cannot show the ends of a {percent(level)} "
            f"interval; take {wanted:,} or more, better ten times as many "
            f"({option('bootstrap', 10 * wanted)}).",
            "caution",
        )
    ]


# How a result came about: data, options and version.


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file that was read.

    Parameters
    ----------
    name : str
    format : str
        Its format, or the tool that wrote it.
    rows : int
        Rows of data that it holds.
    size : int or None
        Bytes.
    sha256 : str or None
        Checksum of the bytes.
    encoding : str or None
        Of text.
    delimiter : str or None
        Between the columns of text.
    """

    name: str
    format: str
    rows: int
    size: int | None = None
    sha256: str | None = None
    encoding: str | None = None
    delimiter: str | None = None


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What every result says of where it comes from; methods add what is theirs.

    Parameters
    ----------
    source : str
        What the data are called: a file's name, or what messages call a frame.
    items_used, items_dropped : int
    n_ratings, n_raters : int or None
        Ratings, votes or comparisons used, and how many gave them; None where nobody knows.
    labels : tuple of str
    sources : tuple of Source
        Files that were read.
    dropped : mapping of str to int
        Rows or answers that were left out when data were read, by reason.
    level : float or None
        Coverage of the intervals.
    bootstrap : int or None
        Bootstrap samples.
    seed : int or None
        None if a generator was given, or nothing is drawn.
    backend : str or None
        The kind of frame that the data came from, if they came from one.
    version : str
    """

    source: str
    items_used: int
    items_dropped: int = 0
    n_ratings: int | None = None
    n_raters: int | None = None
    labels: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    level: float | None = None
    bootstrap: int | None = None
    seed: int | None = None
    backend: str | None = None
    version: str = __version__

    @property
    def data(self) -> dict[str, Any]:
        """Counts of what was used, under the key `data` of every JSON document."""
        return {
            "source": self.source,
            "items": {"used": self.items_used, "dropped": self.items_dropped},
            "ratings": self.n_ratings,
            "raters": self.n_raters,
            "labels": list(self.labels),
            "dropped": dict(self.dropped),
            "sources": [asdict(source) for source in self.sources],
        }
