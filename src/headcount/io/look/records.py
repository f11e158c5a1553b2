"""What was seen in files: fields that the text, the plot and the document read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from headcount.errors import Named, marked
from headcount.results.base import Result
from headcount.results.provenance import Source

__all__ = ["COMMAND", "Column", "LookRecord", "Seen", "Share", "Shared", "Step"]

COMMAND = "command"
"""By this name a step is marked in a text, for a command line to write it as it does."""
LONGEST = 76
"""Characters of a call that is written in one line."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """How often a label is given: by all raters, or by one classifier.

    Parameters
    ----------
    label : str
    count : float
        How many times; for probabilities their sum.
    share : float
    """

    label: str
    count: float
    share: float


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column of a table that is not read.

    Parameters
    ----------
    name : str
    filled : int
        Cells that are not blank.
    different : int
        Different values.
    examples : tuple of str
        The first of them.
    """

    name: str
    filled: int
    different: int
    examples: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Seen:
    """What one file holds of one kind.

    Parameters
    ----------
    name : str
        What messages call the file.
    given : str
        As the user named it, for commands.
    kind : str or None
        ratings, predictions, comparisons, gold or groups; None if it could not be read.
    data : object
        `Labels`, `Predictions`, `Comparisons` or `Facts`; None if it could not be read.
    source : Source or None
        The file.
    tool : str or None
        The tool that wrote it.
    shape : str or None
        How the table is laid out.
    roles : mapping of str to str
        Which column plays which role.
    options : mapping of str to object
        What readers must be told so that they read it; none if they read it as it is.
    counts : mapping of str to object
        Numbers of items, raters, ratings ...
    balance : mapping of str to tuple of Share
        How often each label is given, by rater group or classifier.
    dropped : mapping of str to int
        What was left out, by reason.
    columns : tuple of Column
        The table, where nothing of it could be read.
    refused : str or None
        Why it could not be read as it is.
    said : str
        What it is, in words, where data were reduced where they are and so there are none.
    """

    name: str
    given: str
    kind: str | None
    data: Any = None
    source: Source | None = None
    tool: str | None = None
    shape: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    counts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    balance: Mapping[str, tuple[Share, ...]] = field(default_factory=dict[str, tuple[Share, ...]])
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    columns: tuple[Column, ...] = ()
    refused: str | None = None
    said: str = ""

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        source = self.source
        return {
            "file": self.name,
            "kind": self.kind,
            "tool": self.tool,
            "format": None if source is None else source.format,
            "encoding": None if source is None else source.encoding,
            "delimiter": None if source is None else source.delimiter,
            "shape": self.shape,
            "roles": [{"role": role, "column": column} for role, column in self.roles.items()],
            "counts": dict(self.counts),
            "balance": [
                {"of": of, "labels": [asdict(share) for share in shares]}
                for of, shares in self.balance.items()
            ],
            "dropped": dict(self.dropped),
            "needs": [{"option": name, "value": v} for name, v in self.options.items()],
            "columns": [{**asdict(one), "examples": list(one.examples)} for one in self.columns],
            "refused": self.refused,
        }


@dataclass(frozen=True, kw_only=True)
class Shared:
    """How many items two files share."""

    a: str
    b: str
    items: int
    items_a: int
    items_b: int


@dataclass(frozen=True, kw_only=True)
class Step:
    """Something to do next with files.

    Parameters
    ----------
    verb : str
        The public function, and the command.
    data : str
        The file that it is about.
    reader : str
        The function that reads it.
    why : str
        What it tells.
    reading : mapping of str to object
        Options of the reader.
    options : mapping of str to object
        Options of the verb; those in `files` are files.
    files : mapping of str to str
        Options of the verb that are files.
    more : tuple of str
        Files that it is about as well.
    """

    verb: str
    data: str
    reader: str
    why: str
    reading: Mapping[str, Any] = field(default_factory=dict[str, Any])
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    more: tuple[str, ...] = ()

    @property
    def python(self) -> str:
        """Write it as Python does.

        Examples
        --------
        >>> Step(verb="agree", data="r.csv", reader="read_ratings", why="",
        ...      reading={"missing": ["99"]}).python
        "agree(read_ratings('r.csv', missing=['99']))"
        """
        call = [*self._first, *_keyword_list({**self.files, **self.options})]
        return f"{self.verb}({', '.join(call)})"

    @property
    def _first(self) -> list[str]:
        data = [*map(repr, (self.data, *self.more)), *_keyword_list(self.reading)]
        return [f"{self.reader}({', '.join(data)})"] if self.reading else data

    @property
    def marked(self) -> str:
        """Mark it in a text, so that a command line can write it as a command."""
        return marked(Named(COMMAND, self._lines, json.dumps(self.said)))

    @property
    def said(self) -> dict[str, Any]:
        """What a command line needs to write it."""
        return {
            "verb": self.verb,
            "data": self.data,
            "more": list(self.more),
            "files": dict(self.files),
            "options": {**self.reading, **self.options},
        }

    @property
    def _lines(self) -> str:
        """Write it over several lines, where one is too short."""
        if len(self.python) <= LONGEST:
            return self.python
        call = [*self._first, *_keyword_list({**self.files, **self.options})]
        return f"{self.verb}(\n    " + ",\n    ".join(call) + ",\n)"

    def document(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"verb": self.verb, "why": self.why, "python": self.python}


def _keyword_list(options: Mapping[str, Any]) -> list[str]:
    return [f"{name}={value!r}" for name, value in options.items()]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LookRecord(Result):
    """The fields of what :func:`headcount.look` returns.

    Parameters
    ----------
    seen : tuple of Seen
        What the files hold, in the order in which they were given.
    shared : tuple of Shared
        Items that files have in common.
    steps : tuple of Step
        What to do next.
    """

    seen: tuple[Seen, ...]
    shared: tuple[Shared, ...] = ()
    steps: tuple[Step, ...] = ()
