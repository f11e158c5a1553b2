"""Labels of items: above a cut among the ratings, or below it, and how sure that is."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, KeysView, Mapping
from importlib import import_module
from typing import Any, ClassVar, Self, cast

import numpy as np

from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import OptionError, option, unknown_name
from headcount.io.facts.item_facts import read_anchors
from headcount.io.take import take_facts
from headcount.typing import Codes, Floats, Ids

__all__ = ["ABOVE", "BELOW", "RULES", "SIGN", "LabelRule", "choose_rule", "label_items"]


ABOVE, BELOW = "above", "below"
BOUNDARY, POSITIVE, NEGATIVE = SIDES = ("boundary", "positive", "negative")
"""What an anchor can be known to be."""


class LabelRule(ABC):
    """Where ratings are cut into two labels.

    An own rule extends this class, says in `cut` where ratings are cut, and is given as `label`.

    Attributes
    ----------
    name : str
    example : str
        How the rule is asked for.
    at_mean : bool
        Whether the cut is the mean of the component, of which the standard errors of ratings know.
    unlabelled : str
        Why an item with a rating may have no label.
    """

    name: str
    example: ClassVar[str] = ""
    at_mean: ClassVar[bool] = False
    unlabelled: ClassVar[str] = "exactly at the cut"

    @classmethod
    def read(cls, argument: str) -> Self:
        """Make the rule from what follows its name and a colon, if anything does."""
        if argument:
            raise unknown_rule(f"{cls.name}:{argument}")
        return cls()

    @property
    @abstractmethod
    def words(self) -> str:
        """The rule in words, after 'above or below'."""

    @abstractmethod
    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the cut among the items of one component.

        Parameters
        ----------
        ratings : (..., items) array
            Of all items; nan where not finite.
        members : array of int
            Positions of the component's items, some of which have a rating.

        Returns
        -------
        (...,) array
            nan where there is no cut.
        """

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
            nan in a component that has no cut.
        """
        out = np.full(ratings.shape, np.nan)
        finite = np.where(np.isfinite(ratings), ratings, np.nan)
        order = np.argsort(component, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(component[order])) + 1):
            if np.isnan(finite[..., members]).all():
                continue
            out[..., members] = self.cut(finite, members)[..., None]
        return out


class Sign(LabelRule):
    """Above or below the average item of the component."""

    name = "sign"
    example = "sign"
    at_mean = True

    @property
    def words(self) -> str:
        """The average item."""
        return "the average item"

    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the mean of the component."""
        return np.nanmean(ratings[..., members], axis=-1)


class Quantile(LabelRule):
    """Above or below a quantile of the ratings of the component."""

    name = "quantile"
    example = "quantile:0.75"

    def __init__(self, quantile: float) -> None:
        self.quantile = quantile

    @classmethod
    def read(cls, argument: str) -> Self:
        """Read the quantile."""
        try:
            quantile = float(argument)
        except ValueError:
            quantile = math.nan
        if not 0 < quantile < 1:
            raise OptionError(
                f"{option('label', f'{cls.name}:{argument}')}: a quantile lies between 0 and 1, as "
                f"in {cls.example}, above which is the best quarter of the items."
            )
        return cls(quantile)

    @property
    def words(self) -> str:
        """Which quantile."""
        return f"the {self.quantile:g} quantile of the ratings"

    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the quantile."""
        return np.nanquantile(ratings[..., members], self.quantile, axis=-1)


class Anchors(LabelRule):
    """Above or below what items with a known label say.

    The cut is the mean of items at the boundary, or half way between the means of positive and of
    negative ones.

    Parameters
    ----------
    anchors : mapping of str to (anchors,) array of int
        Positions of the boundary, positive and negative anchors.
    """

    name = "anchors"
    example = "anchors"
    unlabelled = "at the cut or in a group without the anchors it needs"

    def __init__(self, anchors: Mapping[str, Codes]) -> None:
        self.anchors = anchors

    @classmethod
    def read(cls, argument: str) -> Self:
        """Refuse: the items are needed."""
        if argument:
            raise unknown_rule(f"{cls.name}:{argument}")
        raise OptionError(
            f"{option('label', cls.name)} needs the anchors: items with a known label, or known to "
            f"lie at the boundary ({option('anchors', ...)})."
        )

    @classmethod
    def of(cls, anchors: Any, items: Ids) -> Self:
        """Find the anchors among the items.

        Parameters
        ----------
        anchors : mapping of item to side, items, path or frame
            Without sides all items lie at the boundary.
        items : array
            All items.
        """
        sides = _sides(anchors)
        for side in sides.values():
            if side not in SIDES:
                raise unknown_name("side of an anchor", side, SIDES, option_name="anchors")
        index = match_ids(as_ids(list(sides)), items)
        for name, i in zip(sides, index, strict=True):
            if i < 0:
                names = [str(item) for item in items]
                raise unknown_name("anchor", name, names, option_name="anchors")
        side_of = np.array(list(sides.values()))
        out = {side: index[side_of == side] for side in SIDES}
        if len(out[BOUNDARY]) and len(out[BOUNDARY]) < len(sides):
            raise OptionError(
                f"{option('anchors')} lie at the boundary, or are positive and negative; give one "
                "kind or the other."
            )
        if not len(out[BOUNDARY]) and not (len(out[POSITIVE]) and len(out[NEGATIVE])):
            raise OptionError(
                f"{option('anchors')}: give at least one positive and one negative item."
            )
        return cls(out)

    @property
    def words(self) -> str:
        """What the anchors are."""
        if len(self.anchors[BOUNDARY]):
            return "the mean of the anchors at the boundary"
        return "half way between the positive and the negative anchors"

    def cut(self, ratings: Floats, members: Codes) -> Floats:
        """Find the mean of the anchors in the component, or the mean of their two means."""
        means = {
            side: _mean(ratings[..., index[np.isin(index, members)]])
            for side, index in self.anchors.items()
        }
        if len(self.anchors[BOUNDARY]):
            return means[BOUNDARY]
        return (means[POSITIVE] + means[NEGATIVE]) / 2


SIGN = Sign()
RULES: tuple[type[LabelRule], ...] = (Sign, Quantile, Anchors)
"""All rules by name."""


def unknown_rule(label: object) -> OptionError:
    """Error for a label rule that is not in the list."""
    return unknown_name("label", label, [rule.example for rule in RULES], option_name="label")


def choose_rule(label: Any, anchors: Any, items: Ids) -> LabelRule:
    """Read how items are to be labelled.

    Parameters
    ----------
    label : str or LabelRule
        "sign", "quantile:Q" with Q between 0 and 1, or "anchors".
    anchors : mapping of item to side, items, path or frame; optional
        Items known to be "positive" or "negative", or to lie at the "boundary", as all do if no
        side is given. They imply label="anchors".
    items : array
        All items.

    Examples
    --------
    >>> items = np.array(["a", "b", "c"], dtype=object)
    >>> choose_rule("quantile:0.9", None, items).words
    'the 0.9 quantile of the ratings'
    >>> rule = choose_rule("sign", {"a": "positive", "c": "negative"}, items)
    >>> rule.at(np.array([2.0, 1.5, 0.0]), np.zeros(3, dtype=int))
    array([1., 1., 1.])
    """
    if anchors is not None:
        return Anchors.of(anchors, items)
    if isinstance(label, LabelRule):
        return label
    name, _, argument = label.partition(":") if isinstance(label, str) else ("", "", "")
    for rule in RULES:
        if rule.name == name:
            return rule.read(argument)
    raise unknown_rule(label)


def _sides(anchors: Any) -> dict[str, str]:
    """Items with what each is known to be."""
    if isinstance(anchors, list | tuple | set | frozenset | np.ndarray | KeysView | Iterator):
        return dict.fromkeys(map(str, cast("Iterable[Any]", anchors)), BOUNDARY)
    if isinstance(anchors, Mapping):
        given = cast("Mapping[Any, Any]", anchors)
    else:
        given = take_facts(anchors, read_anchors, "anchors")
    return {str(item): str(side).strip().lower() for item, side in given.items()}


def _mean(ratings: Floats) -> Floats:
    """Mean of the finite ratings, nan without any."""
    known = ~np.isnan(ratings)
    total = np.where(known, ratings, 0.0).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return total / known.sum(axis=-1)


def label_items(
    rule: LabelRule,
    rating: Floats,
    component: Codes,
    draws: Floats | None,
    *,
    error: Floats | None = None,
    df: Floats | None = None,
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

    Returns
    -------
    labels : list of str or None
        None at the cut, and where there is no cut or no rating.
    above : (items,) array
        Probability of lying above; nan for those without a finite rating, or without draws.
    """
    at = rule.at(rating, component)
    distance = rating - at
    near = np.abs(distance) <= 1e-9 * (1 + np.abs(at))
    labels = [
        None if math.isnan(d) or edge else ABOVE if d > 0 else BELOW
        for d, edge in zip(distance.tolist(), near.tolist(), strict=True)
    ]
    above = np.full(len(rating), np.nan)
    rated = np.flatnonzero(np.isfinite(distance))
    drawn = None if draws is None else draws[~np.isnan(draws).all(axis=1)]
    if drawn is None or not len(drawn) or not len(rated):
        return labels, above
    off = (drawn - rule.at(drawn, component))[:, rated]
    if error is None:
        above[rated] = ((off > 0) + 0.5 * (off == 0)).mean(axis=0)
        return labels, above
    special: Any = import_module("scipy.special")
    spread = error[rated] if rule.at_mean else off.std(axis=0)
    z = np.where(near[rated], 0.0, distance[rated]) / np.maximum(spread, 1e-300)
    above[rated] = special.ndtr(z) if df is None else special.stdtr(np.minimum(df[rated], 1e6), z)
    return labels, above
