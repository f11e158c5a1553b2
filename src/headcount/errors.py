"""Everything headcount raises on purpose.

::

    HeadcountError
    ├── DataError      what a file or frame holds (also a ValueError)
    ├── OptionError    what the caller asked for (also a ValueError)
    └── ExtraError     an optional dependency that is not installed (also an ImportError)

Each message says what was wrong, where, and what to do about it. The command line prints the
message alone and exits with 2.

A message names an option by :func:`option`, never by a flag: in Python it reads ``level=0.95``,
and the command line writes a flag of its own in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

__all__ = [
    "HeadcountError",
    "DataError",
    "OptionError",
    "ExtraError",
    "Named",
    "NotReducedError",
    "QuestionsError",
    "RepeatedError",
    "option",
    "spelt",
]

# Characters of the private use area, which no text of ours holds, keep a marked option apart from
# what users call their files and labels.
_START, _BETWEEN, _END = "\ue000", "\ue001", "\ue002"
_MARKED = re.compile(f"{_START}([^{_END}]*){_BETWEEN}([^{_END}]*){_BETWEEN}([^{_END}]*){_END}")


_SAID = {
    "all_rows": "to_frame() has all",
    "all_entries": "to_dict() has all",
    "details": "print(result.to_text(details=True))",
    "rows_file": "to_frame() has them",
}
"""What Python says in place of the name of what is no option of its functions."""
_SURE = 0.001
"""A probability nearer to 0 or 1 than this is written as less or more than it."""


class Named(NamedTuple):
    """An option in a message: its name in Python, how Python writes it, and its value as text.

    `value` is "" where the option is only named, or a switch to turn on; "False" turns one off,
    and "..." stands for a value that the user knows.
    """

    name: str
    python: str
    value: str


def option(name: str, value: object = None) -> str:
    """Name an option in a message, perhaps with a value to give it.

    Parameters
    ----------
    name : str
        The keyword of the Python function.
    value : object, optional
        What to set it to; ``...`` for a value that only the user knows.

    Examples
    --------
    >>> spelt(f"{option('level')} must be a number; say {option('level', 0.95)}.")
    'level must be a number; say level=0.95.'
    >>> slash = lambda named: f"/{named.name}:{named.value}"
    >>> spelt(f"keep the first with {option('duplicates', 'first')}.", slash)
    'keep the first with /duplicates:first.'
    """
    if value is None:
        python, text = _SAID.get(name, name), ""
    else:
        python = f"{name}=..." if value is ... else f"{name}={value!r}"
        text = "..." if value is ... else "" if value is True else str(value)
    return marked(Named(name, python, text))


def marked(named: Named) -> str:
    """Mark a part of a message that a command line writes in another way than Python."""
    return f"{_START}{named.name}{_BETWEEN}{named.python}{_BETWEEN}{named.value}{_END}"


def named_in(text: str) -> list[Named]:
    """Find the options that a message names, in order.

    Examples
    --------
    >>> named_in(f"keep the first with {option('duplicates', 'first')}.")
    [Named(name='duplicates', python="duplicates='first'", value='first')]
    """
    return [Named(*match.groups()) for match in _MARKED.finditer(text)]


def spelt(text: str, spell: Callable[[Named], str] | None = None) -> str:
    """Write marked options out: as Python does, or as `spell` says."""

    def write(match: re.Match[str]) -> str:
        named = Named(*match.groups())
        return named.python if spell is None else spell(named)

    return _MARKED.sub(write, text)


def of_verb(text: str, verb: str, names: Iterable[str]) -> str:
    """Say of some options that a text names that they are those of another function.

    Examples
    --------
    >>> note = of_verb(f"See {option('by_rater', True)}.", "agree", ["by_rater"])
    >>> spelt(note)
    'See by_rater=True of headcount.agree.'
    """
    allowed = set(names)

    def write(match: re.Match[str]) -> str:
        named = Named(*match.groups())
        if named.name not in allowed:
            return match.group()
        if text[: match.start()].endswith(f"{_END} "):  # the one before names the function
            return marked(Named(f".{named.name}", named.python, named.value))
        python = f"{named.python} of headcount.{verb}"
        return marked(Named(f"{verb}.{named.name}", python, named.value))

    return _MARKED.sub(write, text)


class HeadcountError(Exception):
    """Base of every error that headcount raises on purpose.

    Parameters
    ----------
    message : str
        A sentence, in which options are written with :func:`option`.

    Attributes
    ----------
    marked : str
        The message with its options marked, for :func:`spelt`.
    option : str or None
        The first option that it names.

    Examples
    --------
    >>> from headcount import HeadcountError, agree
    >>> try:
    ...     agree("missing.csv")
    ... except HeadcountError as error:
    ...     print(type(error).__name__)
    DataError
    """

    def __init__(self, message: str) -> None:
        super().__init__(spelt(message))
        self.marked = message
        named = _MARKED.search(message)
        self.option = None if named is None else named.group(1)


class DataError(HeadcountError, ValueError):
    """The data cannot be used as they are; the message says where the problem is and how to fix it.

    Examples
    --------
    >>> from headcount import DataError, read_ratings
    >>> try:
    ...     read_ratings("missing.csv")
    ... except DataError as error:
    ...     print("missing.csv" in str(error))
    True
    """


class QuestionsError(DataError):
    """Several questions were asked of each item, and none is chosen.

    `ways` has the columns of each question, for each way to read their names; none where a column
    names the question.
    """

    def __init__(self, message: str, *ways: Mapping[str, Sequence[str]]) -> None:
        super().__init__(message)
        self.ways = ways


class RepeatedError(DataError):
    """A classifier says something of an item a second time."""


class NotReducedError(DataError):
    """What an engine cannot reduce where it is, and readers may read into memory."""


class OptionError(HeadcountError, ValueError):
    """An option has an invalid value; the message lists valid ones.

    Examples
    --------
    >>> from headcount import OptionError, agree
    >>> try:
    ...     agree("example:stars", level=2)
    ... except OptionError as error:
    ...     print("level" in str(error))
    True
    """


class ExtraError(HeadcountError, ImportError):
    """A feature needs an optional dependency that is not installed.

    Examples
    --------
    >>> print(ExtraError("plots", "matplotlib", "report").args[0].startswith("plots"))
    True
    """

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(
            f"{feature} needs {package}, which is not installed: "
            f"pip install 'headcount[{extra}]' brings it."
        )


def closest(wanted: str, choices: Iterable[str], *, cutoff: float = 0.6) -> list[str]:
    """Names in `choices` that `wanted` may have been meant to be, best first.

    Examples
    --------
    >>> closest("cross_entropy", ["agreement", "cross-entropy"])
    ['cross-entropy']
    """
    by_lower = {name.lower(): name for name in choices}
    matches = get_close_matches(wanted.lower(), list(by_lower), n=3, cutoff=cutoff)
    return [by_lower[match] for match in matches]


def meant(wanted: object, choices: Iterable[str]) -> str:
    """Ask, behind a sentence, whether the likeliest of `choices` was meant; "" if none is near.

    Examples
    --------
    >>> meant("raiting", ["item", "rating"]), meant("x", ["item", "rating"])
    (" Did you mean 'rating'?", '')
    """
    near = closest(str(wanted), choices)
    return f" Did you mean '{near[0]}'?" if near else ""


def unknown_name(
    kind: str, name: object, choices: Sequence[str], *, option_name: str | None = None
) -> OptionError:
    """Error for a name that is not in a list, with the list and the likeliest meant.

    `option_name` is the option that took it, for the error to carry.

    Examples
    --------
    >>> print(unknown_name("scorer", "brief", ["agreement", "brier"]))
    unknown scorer 'brief': did you mean 'brier'? Known: agreement, brier.
    >>> print(unknown_name("scorer", "x", ["agreement", "brier"]))
    unknown scorer 'x'. Known: agreement, brier.
    """
    near = closest(str(name), choices)
    hint = f": did you mean '{near[0]}'?" if near else "."
    error = OptionError(f"unknown {kind} '{name}'{hint} Known: {', '.join(choices)}.")
    error.option = option_name
    return error


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


def either(values: Sequence[str]) -> str:
    """List what is allowed.

    Examples
    --------
    >>> either([".png", ".svg", ".pdf"]), either([".json"])
    ('.png, .svg or .pdf', '.json')
    """
    return " or ".join(filter(None, (", ".join(values[:-1]), values[-1])))


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


def probability(p: float) -> str:
    """Write a probability as papers do, with its sign.

    Examples
    --------
    >>> probability(0.4801), probability(1e-9), probability(0.9999)
    ('= .480', '< .001', '> .999')
    """
    if p < _SURE:
        return "< .001"
    return "> .999" if p > 1 - _SURE else f"= {p:.3f}".replace("0.", ".", 1)


def percent(level: float) -> str:
    """Write a coverage.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:g}%"
