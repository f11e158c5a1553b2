"""Labels of items: above a cut among the ratings, or below it, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import OptionError, unknown_name
from headcount.typing import Codes, Floats, Ids

__all__ = ["ABOVE", "BELOW", "Cut", "choose_cut", "label_items"]


ABOVE, BELOW = "above", "below"
SIDES = ("boundary", "positive", "negative")
"""What an anchor can be known to be."""


@dataclass(frozen=True, eq=False)
class Cut:
    """Where ratings are cut into two labels.

    Parameters
    ----------
    rule : {"sign", "quantile", "anchors"}
        At the mean, at a quantile, or at anchor items: at the mean of items at the boundary, or
        half way between the means of positive and negative ones.
    quantile : float or None
    anchors : mapping of str to (anchors,) array of int
        Positions of the boundary, positive and negative anchors.
    """

    rule: str
    quantile: float | None = None
    anchors: Mapping[str, Codes] | None = None

    @property
    def words(self) -> str:
        """The rule in words, after 'above or below'."""
        if self.rule == "sign":
            return "the average item"
        if self.quantile is not None:
            return f"the {self.quantile:g} quantile of the ratings"
        sides = self.anchors or {}
        if len(sides.get("boundary", ())):
            return "the mean of the anchors at the boundary"
        return "half way between the positive and the negative anchors"

    def at(self, ratings: Floats, component: Codes) -> Floats:
        """Find the cut that each item is held against, in that item's component.

        Parameters
        ----------
        ratings : (..., items) array
            Only finite ones count.
        component : (items,) array of int

        Returns
        -------
        (..., items) array
            nan in a component that has none of the anchors needed.
        """
        out = np.full(ratings.shape, np.nan)
        finite = np.where(np.isfinite(ratings), ratings, np.nan)
        order = np.argsort(component, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(component[order])) + 1):
            if np.isnan(finite[..., members]).all():
                continue
            out[..., members] = self._one(finite, members)[..., None]
        return out

    def _one(self, finite: Floats, members: Codes) -> Floats:
        if self.anchors is None:
            inside = finite[..., members]
            if self.quantile is None:
                return np.nanmean(inside, axis=-1)
            return np.nanquantile(inside, self.quantile, axis=-1)
        means = {
            side: _mean(finite[..., places[np.isin(places, members)]])
            for side, places in self.anchors.items()
        }
        if len(self.anchors["boundary"]):
            return means["boundary"]
        return (means["positive"] + means["negative"]) / 2


def _mean(ratings: Floats) -> Floats:
    """Mean of the finite ratings, nan without any."""
    known = ~np.isnan(ratings)
    total = np.where(known, ratings, 0.0).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return total / known.sum(axis=-1)


def choose_cut(label: str, anchors: Mapping[Any, str] | Iterable[Any] | None, items: Ids) -> Cut:
    """Read how items are to be labelled.

    Parameters
    ----------
    label : str
        "sign", "quantile:Q" with Q between 0 and 1, or "anchors".
    anchors : mapping of item to side, or items; optional
        Items known to be "positive" or "negative", or to lie at the "boundary", as all do if no
        side is given. They imply label="anchors".
    items : array
        All items.

    Examples
    --------
    >>> items = np.array(["a", "b", "c"], dtype=object)
    >>> choose_cut("quantile:0.9", None, items).words
    'the 0.9 quantile of the ratings'
    >>> cut = choose_cut("sign", {"a": "positive", "c": "negative"}, items)
    >>> cut.at(np.array([2.0, 1.5, 0.0]), np.zeros(3, dtype=int))
    array([1., 1., 1.])
    """
    if anchors is not None:
        return Cut("anchors", anchors=_anchors(anchors, items))
    if label == "anchors":
        raise OptionError(
            "label='anchors' needs the anchors: items with a known label, or known to lie at the "
            "boundary (anchors=..., --anchors FILE)."
        )
    if label == "sign":
        return Cut("sign")
    rule, _, number = label.partition(":")
    if rule != "quantile":
        raise unknown_name("label", label, ["sign", "quantile:0.75", "anchors"])
    try:
        quantile = float(number)
    except ValueError:
        quantile = math.nan
    if not 0 < quantile < 1:
        raise OptionError(
            f"label '{label}': a quantile lies between 0 and 1, as in quantile:0.75, above which "
            "is the best quarter of the items."
        )
    return Cut("quantile", quantile)


def _anchors(anchors: Mapping[Any, str] | Iterable[Any], items: Ids) -> dict[str, Codes]:
    sides: dict[str, str] = dict.fromkeys(map(str, anchors), "boundary")
    if isinstance(anchors, Mapping):
        given: Mapping[Any, str] = anchors  # pyright: ignore[reportUnknownVariableType]
        sides = {str(item): str(side).strip().lower() for item, side in given.items()}
    for side in sides.values():
        if side not in SIDES:
            raise unknown_name("side of an anchor", side, SIDES)
    place = match_ids(as_ids(list(sides)), items)
    for name, found in zip(sides, place, strict=True):
        if found < 0:
            raise unknown_name("anchor", name, [str(item) for item in items])
    of = np.array(list(sides.values()))
    out = {side: place[of == side] for side in SIDES}
    if len(out["boundary"]) and len(out["boundary"]) < len(sides):
        raise OptionError(
            "anchors lie at the boundary, or are positive and negative; give one kind or the other."
        )
    if not len(out["boundary"]) and not (len(out["positive"]) and len(out["negative"])):
        raise OptionError("anchors: give at least one positive and one negative item.")
    return out


def label_items(
    cut: Cut,
    rating: Floats,
    component: Codes,
    draws: Floats | None,
    *,
    error: Floats | None = None,
) -> tuple[list[str | None], Floats]:
    """Label items, and say how likely each is to lie above the cut.

    The cut moves with the ratings: it is found again in each draw. Normal draws give the standard
    error of the distance to the cut, and its normal probability; others the share of draws in which
    the item lies above, a draw at the cut counting half. Standard errors of ratings are those of
    the distance to their mean already, so that a cut there needs no draws.

    Parameters
    ----------
    cut : Cut
    rating : (items,) array
    component : (items,) array of int
    draws : (draws, items) array or None
    error : (items,) array, optional
        Standard errors of the ratings, if draws come from a normal distribution around them.

    Returns
    -------
    labels : list of str or None
        None at the cut, and where there is no cut or no rating.
    above : (items,) array
        Probability of lying above; nan for those without a finite rating, or without draws.
    """
    at = cut.at(rating, component)
    distance = rating - at
    near = np.abs(distance) <= 1e-9 * (1 + np.abs(at))
    labels = [
        None if math.isnan(d) or edge else ABOVE if d > 0 else BELOW
        for d, edge in zip(distance.tolist(), near.tolist(), strict=True)
    ]
    above = np.full(len(rating), np.nan)
    known = np.flatnonzero(np.isfinite(distance))
    drawn = None if draws is None else draws[~np.isnan(draws).all(axis=1)]
    if drawn is None or not len(drawn) or not len(known):
        return labels, above
    off = (drawn - cut.at(drawn, component))[:, known]
    if error is None:
        above[known] = ((off > 0) + 0.5 * (off == 0)).mean(axis=0)
        return labels, above
    special: Any = import_module("scipy.special")
    spread = error[known] if cut.rule == "sign" else off.std(axis=0)
    z = np.where(near[known], 0.0, distance[known]) / np.maximum(spread, 1e-300)
    above[known] = special.ndtr(z)
    return labels, above
