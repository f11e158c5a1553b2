"""What comes in kinds: chosen by name from a list, or given as an object of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from headcount.errors import unknown_name

__all__ = ["Named", "choose"]


class Named(Protocol):
    """A kind: what it is called in options and JSON."""

    @property
    def name(self) -> str:
        """The name."""
        ...


Kind = TypeVar("Kind", bound=Named)


def choose(
    value: Any, known: Sequence[Kind], base: type[Kind], option_name: str, title: str = ""
) -> Kind:
    """Find a kind by its name; an object of the kind's base class is taken as it is.

    Parameters
    ----------
    value : str or object
        What the caller gave.
    known : sequence
        The kinds that have names.
    base : type
        The class that all of them extend.
    option_name : str
        The option that took it, for the error to carry.
    title : str
        What messages call the kind; the option's name if "".
    """
    if isinstance(value, base):
        return value
    for kind in known:
        if isinstance(value, str) and kind.name == value:
            return kind
    names = [kind.name for kind in known]
    raise unknown_name(title or option_name, value, names, option_name=option_name)
