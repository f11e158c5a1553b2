"""What :func:`headcount.look` returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.errors import DataError, unknown_name
from headcount.io.look.kinds.catalogue import KINDS
from headcount.io.look.plot import draw
from headcount.io.look.records import LookRecord, Seen
from headcount.io.look.text import look_page
from headcount.results.text import Page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LookResult"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LookResult(LookRecord):
    """What files are, what looks wrong in them (its `notes`), and what to do next.

    Parameters
    ----------
    seen : tuple of Seen
        What the files hold, in the order in which they were given.
    shared : tuple of Shared
        Items that files have in common.
    steps : tuple of Step
        What to do next.
    """

    def __getitem__(self, name: object) -> Seen:
        for one in self.seen:
            if str(name) in (one.name, one.given, one.kind):
                return one
        raise unknown_name("file", str(name), [one.name for one in self.seen])

    def page(self) -> Page:
        """Write what the files are, what is in them and what to do next."""
        return look_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a file, and a kind of data in it."""
        keys = ("items", "raters", "ratings", "comparisons", "labels")
        return {
            "file": [one.name for one in self.seen],
            "kind": [one.kind for one in self.seen],
            "tool": [one.tool for one in self.seen],
            "format": [one.source.format if one.source else None for one in self.seen],
            "shape": [one.shape for one in self.seen],
            **{key: [one.counts.get(key) for one in self.seen] for key in keys},
            "dropped": [sum(one.dropped.values()) for one in self.seen],
        }

    def tidy(self, name: str | None = None) -> dict[str, list[Any]]:
        """Return what was read in long form, by column: one row a rating, say.

        Parameters
        ----------
        name : str, optional
            The file, or the kind of data. Default: the only one that was read, or the ratings.
        """
        read = [one for one in self.seen if one.data is not None]
        if name is not None:
            read = [self[name]]
        if len(read) > 1:
            read = [one for one in read if one.kind == "ratings"] or read
        if not read or read[0].kind is None:
            raise DataError("nothing could be read, so there are no rows to write.")
        if len(read) > 1:
            raise DataError(
                f"several files could be written: {', '.join(one.name for one in read)}. Look at "
                "one of them."
            )
        kind = next(kind for kind in KINDS if kind.name == read[0].kind)
        return kind.columns(read[0].data)

    def document(self) -> dict[str, Any]:
        """Return what was seen, what is shared and what to do next."""
        return {
            "files": [one.document() for one in self.seen],
            "shared": [
                {"a": s.a, "b": s.b, "items": s.items, "items_a": s.items_a, "items_b": s.items_b}
                for s in self.shared
            ],
            "next": [step.document() for step in self.steps],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how often each label is given, by raters and classifiers."""
        return draw(self.seen, ax)
