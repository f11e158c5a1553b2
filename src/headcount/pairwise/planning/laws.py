"""How the number of comparisons may grow with the number of items.

A law is a class here, and an entry of :data:`LAWS`. To add one, derive from :class:`Law`;
:func:`headcount.plan` also takes objects of a user's own class.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

from headcount import options
from headcount.errors import OptionError, option

__all__ = ["LAWS", "Law", "Linear", "Linearithmic", "choose_laws"]


class Law(ABC):
    """A way in which the comparisons needed, n, grow with the items, N: n = a g(N).

    Attributes
    ----------
    name : str
        g(N) in words, as in 'n = a N'.
    """

    name: ClassVar[str]

    @abstractmethod
    def growth(self, items: float) -> float:
        """Compute g(N)."""

    @property
    def divisor(self) -> str:
        """g(N) as what is divided by: in brackets if it is more than one word."""
        return f"({self.name})" if " " in self.name else self.name


class Linear(Law):
    """n = a N: a number of comparisons an item, whatever the number of items.

    Examples
    --------
    >>> Linear().growth(40)
    40
    """

    name = "N"

    def growth(self, items: float) -> float:
        """Compute N."""
        return items


class Linearithmic(Law):
    """n = a N log N (natural logarithm), as a sort needs.

    Examples
    --------
    >>> round(Linearithmic().growth(40), 1)
    147.6
    """

    name = "N log N"

    def growth(self, items: float) -> float:
        """Compute N log N."""
        return items * math.log(items)


LAWS: tuple[Law, ...] = (Linear(), Linearithmic())


def choose_laws(laws: Any) -> tuple[Law, ...]:
    """Take laws; those of :data:`LAWS` for None and True, none for False."""
    if laws is None or laws is True:
        return LAWS
    if laws is False:
        return ()
    chosen = [laws] if isinstance(laws, Law) else options.listed(laws, "laws", "laws")
    names = {law.name for law in chosen if isinstance(law, Law)}
    if not chosen or len(names) < len(chosen):
        raise OptionError(
            f"{option('laws')} must be objects of classes derived from Law, each with a name of "
            f"its own, such as {type(LAWS[0]).__name__}(), not {laws!r}."
        )
    return tuple(chosen)
