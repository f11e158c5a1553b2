"""How a result came about: data, options and version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from headcount._version import __version__

__all__ = ["Provenance", "Source"]


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
