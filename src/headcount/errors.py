"""Everything headcount raises on purpose.

::

    HeadcountError
    ├── DataError      what a file or frame holds (also a ValueError)
    ├── OptionError    what the caller asked for (also a ValueError)
    └── ExtraError     an optional dependency that is not installed (also an ImportError)

Each message says what was wrong, where, and what to do about it. The command line prints the
message alone and exits with 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = ["HeadcountError", "DataError", "OptionError", "ExtraError"]


class HeadcountError(Exception):
    """Base of every error that headcount raises on purpose."""


class DataError(HeadcountError, ValueError):
    """The data cannot be used as they are; the message names the place and the fix."""


class OptionError(HeadcountError, ValueError):
    """An option has a value that cannot be served; the message lists those that can."""


class ExtraError(HeadcountError, ImportError):
    """A feature needs an optional dependency that is not installed."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs {package}, which is not installed: "
            f"pip install 'headcount[{extra}]' brings it."
        )


def closest(wanted: str, known: Iterable[str], *, cutoff: float = 0.6) -> list[str]:
    """Names in `known` that `wanted` may have been meant to be, best first.

    Examples
    --------
    >>> closest("cross_entropy", ["agreement", "cross-entropy"])
    ['cross-entropy']
    """
    by_lower = {name.lower(): name for name in known}
    matches = get_close_matches(wanted.lower(), list(by_lower), n=3, cutoff=cutoff)
    return [by_lower[match] for match in matches]


def unknown_name(kind: str, name: str, known: Sequence[str]) -> OptionError:
    """Error for a name that is not in a list, with the list and the likeliest meant.

    Examples
    --------
    >>> print(unknown_name("scorer", "brief", ["agreement", "brier"]))
    unknown scorer 'brief': did you mean 'brier'? Known: agreement, brier.
    >>> print(unknown_name("scorer", "x", ["agreement", "brier"]))
    unknown scorer 'x'. Known: agreement, brier.
    """
    near = closest(name, known)
    hint = f": did you mean '{near[0]}'?" if near else "."
    return OptionError(f"unknown {kind} '{name}'{hint} Known: {', '.join(known)}.")


def some(values: Iterable[object], limit: int = 3) -> str:
    """Write the first few of `values` for a message, and say how many more there are.

    Examples
    --------
    >>> some(["a", "b", "c", "d", "e"])
    "'a', 'b', 'c' and 2 more"
    """
    listed = [f"'{value}'" for value in values]
    rest = len(listed) - limit
    return ", ".join(listed[:limit]) + (f" and {rest:,} more" if rest > 0 else "")


def count(number: int, noun: str) -> str:
    """Write a number with its noun, in the plural where English wants it.

    Examples
    --------
    >>> count(1, "item"), count(2000, "item"), count(2, "category")
    ('1 item', '2,000 items', '2 categories')
    """
    if number != 1:
        noun = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number:,} {noun}"
