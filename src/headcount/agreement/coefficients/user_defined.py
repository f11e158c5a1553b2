"""A user's own coefficient: a function of the labels of the items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.patterns import Patterns
from headcount.agreement.prepare import Prepared
from headcount.errors import OptionError, option
from headcount.typing import Codes, Floats, Kernel

__all__ = ["OwnCoefficient"]

MOST_CELLS = 5 * 10**7
"""Items times labels of a table that a user's function is given, at most."""


class OwnCoefficient(Coefficient):
    """A coefficient that a user's function computes.

    Parameters
    ----------
    value : callable
        Takes how often each item was given each label, an (items, labels) array of whole numbers
        with the labels of the scale in order, and returns a number; NaN where it has none. Who
        gave a label, and which item is which, it is not told.
    name, title : str
    chance, assumes : str
        For the table and the JSON document, as every coefficient has them.
    corrected : bool
        Whether the number is 0 where raters agree as often as by chance.

    Notes
    -----
    A bootstrap sample is a table as well, with items that were drawn twice in it twice: O(items x
    labels) a draw, besides what the function takes.

    Examples
    --------
    >>> def unanimous(counts):
    ...     return (counts.max(axis=1) == counts.sum(axis=1)).mean()
    >>> from headcount.agreement import agree, paradox
    >>> agree(paradox("8a"), coefficients=[unanimous])["unanimous"].value
    0.75
    """

    def __init__(
        self,
        value: Callable[[Codes], Any],
        *,
        name: str,
        title: str = "",
        chance: str = "",
        assumes: str = "",
        corrected: bool = False,
    ) -> None:
        self.value = value
        self.name = name
        self.title = title or name
        self.chance = chance
        self.assumes = assumes
        self.corrected = corrected

    def kernel(self, data: Prepared) -> Kernel:
        """Call the function on the table of each draw."""
        table = _table(data.patterns)

        def values(weight: Floats) -> Floats:
            times = weight.astype(np.int64)
            return np.array([self._number(np.repeat(table, row, axis=0)) for row in times])

        return values

    def undefined(self, data: Prepared) -> str | None:
        """Say if there are too many items and labels for a table."""
        items, labels = data.labels.n_items, len(data.labels.scale)
        if items * labels > MOST_CELLS:
            return f"{items:,} items x {labels:,} labels are too many for a table"
        return None

    def no_value(self, data: Prepared) -> str:
        """Say that the function gave none."""
        return "its function gives no number on these ratings"

    def work(self, data: Prepared) -> int:
        """Cells of the table."""
        return data.labels.n_items * len(data.labels.scale)

    def _number(self, counts: Codes) -> float:
        found = self.value(counts)
        try:
            number = float(found)
        except (TypeError, ValueError):
            raise OptionError(
                f"{option('coefficients')}: '{self.name}' must return a number, not "
                f"{type(found).__name__}."
            ) from None
        return number if np.isfinite(number) else float("nan")


def _table(patterns: Patterns) -> Codes:
    """How often each pattern holds each label: (patterns, labels)."""
    out = np.zeros((len(patterns), patterns.n_labels), dtype=np.int64)
    out[patterns.group, patterns.label] = patterns.count.astype(np.int64)
    return out
