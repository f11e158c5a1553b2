"""Every check of an option, once: what it takes, and what to say of anything else.

Each function is given what the caller gave and returns it, of the right type; or it raises an
:class:`~headcount.errors.OptionError` that names the option.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, TypeVar, cast

import numpy as np

from headcount.errors import OptionError, option, unknown_name
from headcount.typing import Progress, Seed

__all__ = [
    "callback",
    "draws",
    "level",
    "listed",
    "number",
    "one_of",
    "seed",
    "seed_number",
    "several_of",
    "share",
    "switch",
    "whole",
]

Name = TypeVar("Name", bound=str)

MOST_DRAWS = 1_000_000
"""Draws that may be asked for."""


def level(value: Any, name: str = "level") -> float:
    """Coverage of intervals: a number between 0 and 1.

    Examples
    --------
    >>> level(0.95)
    0.95
    >>> level(95)
    Traceback (most recent call last):
    headcount.errors.OptionError: level must be a number between 0 and 1, such as 0.95, not 95.
    """
    found = _number(value)
    if found is None or not 0 < found < 1:
        raise OptionError(
            f"{option(name)} must be a number between 0 and 1, such as 0.95, not {_shown(value)}."
        )
    return found


def draws(value: Any, name: str = "bootstrap") -> int:
    """Bootstrap samples to draw: a whole number from 0 (none) to a million."""
    return whole(value, name, least=0, most=MOST_DRAWS)


def seed(value: Any, name: str = "rng") -> np.random.Generator:
    """Make a generator from a seed: a whole number from 0 on; a generator is used as it is."""
    if isinstance(value, np.random.Generator):
        return value
    return np.random.default_rng(whole(value, name, least=0))


def seed_number(value: Seed) -> int | None:
    """Return the seed that a caller gave; None for a generator."""
    return None if isinstance(value, np.random.Generator) else int(value)


def whole(value: Any, name: str, *, least: int | None = None, most: int | None = None) -> int:
    """Check a whole number, within limits.

    Examples
    --------
    >>> whole(3, "max_k", least=1)
    3
    >>> whole(2.5, "max_k", least=1)
    Traceback (most recent call last):
    headcount.errors.OptionError: max_k must be a whole number from 1 on, not 2.5.
    """
    try:
        found = None if _is_bool(value) else operator.index(value)
    except TypeError:
        found = None
    if (
        found is None
        or not (least is None or found >= least)
        or not (most is None or found <= most)
    ):
        limits = "" if least is None else f" from {least:,}"
        limits += "" if most is None else f" to {most:,}"
        limits += " on" if limits and most is None else ""
        raise OptionError(f"{option(name)} must be a whole number{limits}, not {_shown(value)}.")
    return found


def number(
    value: Any,
    name: str,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    such_as: str = "",
) -> float:
    """Check a finite number, within limits that it may reach (least, most) or not (above, below).

    Examples
    --------
    >>> number(0.001, "clip", above=0, below=0.5)
    0.001
    >>> number("x", "clip", above=0, below=0.5, such_as="0.001")
    Traceback (most recent call last):
    headcount.errors.OptionError: clip must be a number above 0 and below 0.5, such as 0.001,
    not 'x'.
    """
    found = _number(value)
    if (
        found is None
        or not (above is None or found > above)
        or not (least is None or found >= least)
        or not (below is None or found < below)
        or not (most is None or found <= most)
    ):
        limits = [
            f"{word} {limit:g}"
            for word, limit in (
                ("above", above),
                ("at least", least),
                ("below", below),
                ("at most", most),
            )
            if limit is not None
        ]
        text = " ".join(["a number", " and ".join(limits)]).rstrip()
        example = f", such as {such_as}" if such_as else ""
        raise OptionError(f"{option(name)} must be {text}{example}, not {_shown(value)}.")
    return found


def share(value: Any, name: str) -> float:
    """Check a share: a number from 0 to 1."""
    return number(value, name, least=0, most=1)


def switch(value: Any, name: str) -> bool:
    """Check what is either on or off."""
    if not _is_bool(value):
        raise OptionError(f"{option(name)} must be True or False, not {_shown(value)}.")
    return bool(value)


def one_of(value: Any, name: str, known: Sequence[Name], kind: str = "") -> Name:
    """Find a name among those known; `kind` is what messages call it, the option's name if "".

    Examples
    --------
    >>> one_of("davidsen", "ties", ["half", "davidson"])
    Traceback (most recent call last):
    headcount.errors.OptionError: unknown ties 'davidsen': did you mean 'davidson'? Known: half,
    davidson.
    """
    found = next((one for one in known if isinstance(value, str) and one == value), None)
    if found is None:
        raise unknown_name(kind or name, value, known, option_name=name)
    return found


def several_of(value: Any, name: str, known: Sequence[Name], kind: str = "") -> tuple[Name, ...]:
    """Find names among those known, each once and in the order given; a text is one name."""
    if isinstance(value, str):
        value = [value]
    try:
        wanted = list(value)
    except TypeError:
        raise OptionError(
            f"{option(name)} must be names among {', '.join(known)}, not {_shown(value)}."
        ) from None
    return tuple(dict.fromkeys(one_of(one, name, known, kind) for one in wanted))


def callback(value: Any, name: str = "progress") -> Progress | None:
    """Check what is called with what is done and what there is to do; None for nothing.

    Examples
    --------
    >>> callback(123)
    Traceback (most recent call last):
    headcount.errors.OptionError: progress must be a function of what is done and what there is to
    do, or None, not 123.
    """
    if value is not None and not callable(value):
        raise OptionError(
            f"{option(name)} must be a function of what is done and what there is to do, or None, "
            f"not {_shown(value)}."
        )
    return cast("Progress | None", value)


def listed(value: Any, name: str, what: str) -> list[Any]:
    """Check a list of any things; `what` says which, in the plural. A text is one thing.

    Examples
    --------
    >>> listed(("a", "b"), "new_items", "items"), listed("a", "new_items", "items")
    (['a', 'b'], ['a'])
    >>> listed(123, "new_items", "items")
    Traceback (most recent call last):
    headcount.errors.OptionError: new_items must be a list of items, not 123.
    """
    try:
        return [value] if isinstance(value, str) else list(value)
    except TypeError:
        raise OptionError(
            f"{option(name)} must be a list of {what}, not {_shown(value)}."
        ) from None


def _number(value: Any) -> float | None:
    """Read a finite number; None for anything else, text included."""
    if _is_bool(value) or isinstance(value, str | bytes):
        return None
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def _is_bool(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def _shown(value: object) -> str:
    """Write what was given, in one short line."""
    text = f"{value:,}" if type(value) is int else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= 60 else f"{text[:57]}..."
