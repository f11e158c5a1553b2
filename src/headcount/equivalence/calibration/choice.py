"""Which of several calibrations is believed: the first, unless held-out items speak against it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from headcount.equivalence.calibration.base import Calibration
from headcount.equivalence.calibration.cross_fit import cross_fit
from headcount.equivalence.calibration.folding import Folded
from headcount.typing import Floats, Ids

__all__ = ["Chosen", "Way", "by_held_out"]

Way = tuple[Calibration, Floats]
"""How predictions are calibrated, and by which columns: (items, columns)."""


class Chosen(NamedTuple):
    """The way that is believed.

    Parameters
    ----------
    way : (Calibration, array)
    held_out : (items, labels) array or None
        What :func:`cross_fit` makes of it, where choosing took that.
    place : int
        Its place among the ways; 0 is the one that fits the scale.
    """

    way: Way
    held_out: Floats | None = None
    place: int = 0


def by_held_out(ways: Sequence[Way], items: Ids | Folded, reference: Floats, seed: int) -> Chosen:
    """Choose the first way, unless ratings of held-out items are clearly more probable by another.

    Clearly: by more than a standard error of the mean difference over items. Where two ways are
    about as good, the first says what the scale is known for.

    Parameters
    ----------
    ways : sequence of (Calibration, array)
        The first is the one that fits the scale.
    items : (items,) array, or Folded
        Ids, which decide the folds; or the folds.
    reference : (items, labels) array
        Share of each label among the reference raters.
    seed : int

    Returns
    -------
    Chosen

    Examples
    --------
    Where a judge says s, raters say s and s + 2 (modulo 4) as often: no order is in that.

    >>> from headcount.equivalence.calibration.catalogue import CALIBRATIONS
    >>> said = np.arange(400) % 4
    >>> reference = (np.eye(4)[said] + np.eye(4)[(said + 2) % 4]) / 2
    >>> named, number = np.eye(4)[said], said[:, None].astype(float)
    >>> ways = [(CALIBRATIONS["ordered-logit"], number), (CALIBRATIONS["empirical"], named)]
    >>> by_held_out(ways, np.arange(400).astype(str), reference, seed=0).way[0].name
    'empirical'
    """
    if len(ways) == 1:
        return Chosen(ways[0])
    parts = items if isinstance(items, Folded) else Folded.of_items(items, seed)
    if parts.items < 2:
        return Chosen(ways[0])
    some, decide = parts.decides()
    shares = reference[some]
    made = [cross_fit(table[some], decide, shares, how, seed) for how, table in ways]
    fits = [(shares * np.log(np.maximum(one, 1e-300))).sum(axis=1) for one in made]
    chosen = 0
    for place in range(1, len(ways)):
        better, n = fits[place] - fits[chosen], decide.items
        mean = decide.weight @ better / n
        variance = decide.weight @ (better - mean) ** 2 / (n - 1)
        if mean > np.sqrt(variance / n):
            chosen = place
    return Chosen(ways[chosen], made[chosen] if some.all() else None, chosen)
