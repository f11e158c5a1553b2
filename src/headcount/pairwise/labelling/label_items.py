"""Labels of items: above the cut or below it, and how sure that is."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from headcount.pairwise.labelling.base import ABOVE, BELOW, LabelRule
from headcount.typing import Codes, Floats

__all__ = ["label_items"]


def label_items(
    rule: LabelRule,
    rating: Floats,
    component: Codes,
    draws: Floats | None,
    *,
    error: Floats | None = None,
    df: Floats | None = None,
    mean: float = 0.0,
) -> tuple[list[str | None], Floats]:
    """Label items, and say how likely each is to lie above the cut.

    The cut moves with the ratings: it is found again in each draw. Normal draws give the standard
    error of the distance to the cut, and its normal probability; others the share of draws in which
    the item lies above, a draw at the cut counting half. Standard errors of ratings are those of
    the distance to their mean already, so that a cut there needs no draws.

    Parameters
    ----------
    rule : LabelRule
    rating : (items,) array
    component : (items,) array of int
    draws : (draws, items) array or None
    error : (items,) array, optional
        Standard errors of the ratings, if draws come from a normal distribution around them.
    df : (items,) array, optional
        Their degrees of freedom, where these are few.
    mean : float
        Mean of the ratings, if that is not where the average item lies.

    Returns
    -------
    labels : list of str or None
        None at the cut, and where there is no cut or no rating.
    above : (items,) array
        Probability of lying above; nan for those without a finite rating, or without draws.
    """
    at = rule.at(rating, component) - (mean if rule.at_mean else 0.0)
    distance = rating - at
    near = np.abs(distance) <= 1e-9 * (1 + np.abs(at))
    labels = [
        None if math.isnan(d) or edge else ABOVE if d > 0 else BELOW
        for d, edge in zip(distance.tolist(), near.tolist(), strict=True)
    ]
    above = np.full(len(rating), np.nan)
    rated = np.flatnonzero(np.isfinite(distance))
    if not len(rated):
        return labels, above
    if error is not None and rule.at_mean:
        spread = error[rated]
    else:
        drawn = None if draws is None else draws[~np.isnan(draws).all(axis=1)]
        if drawn is None or not len(drawn):
            return labels, above
        off = (drawn - rule.at(drawn, component))[:, rated] + (mean if rule.at_mean else 0.0)
        if error is None:
            above[rated] = ((off > 0) + 0.5 * (off == 0)).mean(axis=0)
            return labels, above
        spread = off.std(axis=0)
    special: Any = import_module("scipy.special")
    z = np.where(near[rated], 0.0, distance[rated]) / np.maximum(spread, 1e-300)
    above[rated] = special.ndtr(z) if df is None else special.stdtr(np.minimum(df[rated], 1e6), z)
    return labels, above
