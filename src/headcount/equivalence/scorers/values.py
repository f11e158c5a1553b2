"""What labels are worth on a scale with an order: numbers, or ranks."""

from __future__ import annotations

import numpy as np

from headcount.data.scale import Scale
from headcount.data.vocabulary import number_of
from headcount.errors import OptionError, option, some
from headcount.typing import Floats

__all__ = ["has_values", "values_of"]


def has_values(scale: Scale) -> bool:
    """Whether labels are numbers, or declared to be in order."""
    return scale.kind == "ordinal" or all(number_of(label) is not None for label in scale.labels)


def values_of(scale: Scale, scorer: str) -> tuple[Floats, str]:
    """Find what each label is worth, and what units of it are called in tables.

    Numbers are worth themselves, unless only their order counts: labels of an ordinal scale are
    worth their place in it, 1 for the first.

    Examples
    --------
    >>> values_of(Scale(("1", "2", "4")), "rps")
    (array([1., 2., 4.]), '')
    >>> values_of(Scale(("low", "high"), kind="ordinal"), "rps")
    (array([1., 2.]), ' of ranks')
    """
    if scale.kind == "ordinal":
        return np.arange(1.0, len(scale) + 1), " of ranks"
    if not has_values(scale):
        raise OptionError(
            f"scorer '{scorer}' needs labels that are numbers or have an order, not "
            f"{some(scale.labels, 10)}. If they have one, say {option('scale', 'ordinal')} and "
            f"list them from lowest to highest ({option('labels', ...)})."
        )
    return np.array([number_of(label) for label in scale.labels], dtype=np.float64), ""
