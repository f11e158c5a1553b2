"""Read data, and where they are refused, as the refusal itself says they can be read."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from headcount.errors import DataError, HeadcountError, Named, named_in, option
from headcount.io.look.kinds.base import Kind
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes

__all__ = ["Attempt", "attempt"]

FIXES = ("missing", "question", "duplicates", "ignore", "transpose")
"""Options whose value a refusal may name as the way out, and that change nothing else."""
MOST_TRIES = 10


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """How reading went.

    Parameters
    ----------
    data : object
        What was read; None if nothing helped.
    needed : dict
        Options that it took, besides those of the user.
    refusals : list of HeadcountError
        What was refused on the way.
    """

    data: Any
    needed: dict[str, Any] = field(default_factory=dict[str, Any])
    refusals: list[HeadcountError] = field(default_factory=list[HeadcountError])

    def tell(self, name: str, notes: Notes) -> None:
        """Note what was refused, and as what the data are shown here."""
        for refusal in self.refusals:
            notes.warning(refusal.marked)
        if self.data is not None and self.needed:
            options = [option(o, Several(cast("list[str]", v)) if isinstance(v, list) else v)
                       for o, v in self.needed.items()]  # fmt: skip
            notes.caution(
                f"{name}: read here with {' and '.join(options)}; without, other commands refuse "
                "it."
            )


def attempt(kind: Kind, data: Any, options: Mapping[str, Any]) -> Attempt:
    """Read data of a kind; take the way out that a refusal names, if it names one.

    Options that the kind's reader does not take are left out.
    """
    own = {name: value for name, value in options.items() if name in kind.takes}
    needed: dict[str, Any] = {}
    refusals: list[HeadcountError] = []
    for _ in range(MOST_TRIES):
        try:
            read = kind.read(data, own | needed)
        except DataError as refusal:
            refusals.append(refusal)
            fix = _fix(refusal, own | needed, kind)
            if fix is None:
                break
            needed |= fix
        else:
            return Attempt(data=read, needed=needed, refusals=refusals)
    return Attempt(data=None, needed=needed, refusals=refusals)


def _fix(refusal: HeadcountError, tried: Mapping[str, Any], kind: Kind) -> dict[str, Any] | None:
    """Find an option that a refusal gives a value to, and that was not tried."""
    for named in named_in(refusal.marked):
        if named.name not in FIXES or named.name not in kind.takes:
            continue
        value = _value(named)
        if value is None:
            continue
        if named.name == "ignore":
            before = list(tried.get("ignore", ()))
            more = list(map(str, cast("list[Any]", value if isinstance(value, list) else [value])))
            return None if {*more} <= {*before} else {"ignore": [*before, *more]}
        if named.name not in tried:
            return {named.name: value}
    return None


def _value(named: Named) -> Any:
    """Read the value that Python would be given; None if the user must know it."""
    try:
        value = ast.literal_eval(named.python.partition("=")[2])
    except (ValueError, SyntaxError):
        return None
    return None if value in (..., "...") else value
