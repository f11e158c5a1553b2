"""What is known of items, raters or classifiers: one thing of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from headcount.results.notes import Note, Notes
from headcount.results.provenance import Source

__all__ = ["Facts"]

Value = TypeVar("Value")


class Facts(Mapping[str, Value]):
    """A mapping that does not change, and says where it comes from.

    Read one with :func:`headcount.read_truth` (item to label), :func:`headcount.read_gold` (item to
    number), :func:`headcount.read_groups` (classifier to group), :func:`headcount.read_anchors`
    (item to side) or :func:`headcount.read_covariates` (item to numbers). It is used as a dict is.

    Parameters
    ----------
    values : mapping of str
        One value a name.
    source : str
        Where they come from, for messages.
    notes : iterable of str
        How they were read, and what was left out.
    sources : iterable of Source
        Files behind them.
    drawn : mapping of str to float, optional
        Of items that were drawn: the probability with which each was. Empty where it is unknown.

    Examples
    --------
    >>> gold = Facts({"a": 1.0, "b": 2.5}, source="gold.csv")
    >>> gold["a"], len(gold), gold == {"b": 2.5, "a": 1.0}
    (1.0, 2, True)
    >>> gold
    {'a': 1.0, 'b': 2.5}
    """

    __slots__ = ("_values", "drawn", "notes", "source", "sources")

    _values: dict[str, Value]
    source: str
    notes: tuple[Note, ...]
    sources: tuple[Source, ...]
    drawn: Mapping[str, float]

    def __init__(
        self,
        values: Mapping[str, Value],
        *,
        source: str = "facts",
        notes: Iterable[str] = (),
        sources: Iterable[Source] = (),
        drawn: Mapping[str, float] | None = None,
    ) -> None:
        object.__setattr__(self, "_values", dict(values))
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "notes", tuple(Notes(notes)))
        object.__setattr__(self, "sources", tuple(sources))
        object.__setattr__(self, "drawn", dict(drawn or {}))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"facts do not change: cannot set '{name}'")

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (self._values, self.source, self.notes, self.sources, dict(self.drawn))


def _made(
    values: Mapping[str, Value],
    source: str,
    notes: tuple[Note, ...],
    sources: tuple[Source, ...] = (),
    drawn: Mapping[str, float] | None = None,
) -> Facts[Value]:
    return Facts(values, source=source, notes=notes, sources=sources, drawn=drawn)
