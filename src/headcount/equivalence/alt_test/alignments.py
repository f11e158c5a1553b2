"""Alignments: who is closer to the other raters of an item, a classifier or one of the raters.

To add one, write its class here and put it into :data:`ALIGNMENTS`; users can pass an object of
their own with a `name` and a `lead`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from headcount.data.labels import Labels
from headcount.data.vocabulary import number_of
from headcount.equivalence.inputs.scale import is_ordered
from headcount.equivalence.scorers.values import has_values, values_of
from headcount.errors import OptionError, option, some, unknown_name
from headcount.typing import Codes, Floats, Ints

__all__ = [
    "ALIGNMENTS",
    "Alignment",
    "OfNumbers",
    "as_alignment",
    "at_least_as_close",
    "at_least_as_close_as_number",
    "fitting",
]


@runtime_checkable
class Alignment(Protocol):
    """A way to tell who is closer to the others."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    def lead(self, table: Codes, item: Codes, mine: Codes, its: Codes) -> Floats:
        """Tell by how much a rater is closer to the others than a classifier is.

        Parameters
        ----------
        table : (items, labels) array of int
            How often each label was given, the rater's own included.
        item, mine, its : (rows,) arrays of int
            An item, what the rater said of it, and what the classifier said.

        Returns
        -------
        (rows,) array
            Above 0 where the rater is closer, below 0 where the classifier is, 0 where they tie.
        """
        ...


@runtime_checkable
class OfNumbers(Protocol):
    """An alignment that takes any number, not only those that are labels."""

    def lead_over_number(self, table: Codes, item: Codes, mine: Codes, its: Floats) -> Floats:
        """Tell what :meth:`Alignment.lead` does, of a number that a classifier says."""
        ...


class Agreement:
    r"""Share of the others who say the same: :math:`\frac1m \sum_k [y = h_k]`, over m others."""

    name: str = "agreement"

    def __init__(self, labels: Labels, more: Sequence[str] = ()) -> None:
        del labels, more

    def lead(self, table: Codes, item: Codes, mine: Codes, its: Codes) -> Floats:
        """Count the others who agree with the rater, less those who agree with the classifier."""
        return (table[item, mine] - 1.0) - (table[item, its] - (its == mine))


class RMSE:
    r"""Minus the root mean squared error of numbers, :math:`-\sqrt{\mathrm{mean}_k (y - h_k)^2}`.

    On an ordinal scale numbers are places of labels. An answer that is no number, such as "can't
    tell", is farther from the others than any number.

    Squared errors are compared through their difference, which is exact for whole numbers:
    sum_k (f - h_k)^2 - (a - h_k)^2 = (f - a) (m (f + a) - 2 sum_k h_k) over m others.
    """

    name: str = "rmse"

    def __init__(self, labels: Labels, more: Sequence[str] = ()) -> None:
        scale = labels.scale
        if not has_values(scale):
            raise OptionError(
                f"scorer '{self.name}' needs labels that are numbers, but {labels.source} has "
                f"{some(scale.labels)}. Use {option('scorer', Agreement.name)}."
            )
        ranked = scale.kind == "ordinal"
        value = values_of(scale, self.name)[0]
        # A number that no rater gives has its place on the scale, but not in a ranking.
        others = [None if ranked else number_of(label) for label in more]
        self.least, self.width = value.min(), np.ptp(value)
        self.worth = np.append(value, np.array(others, dtype=np.float64)) - self.least

    def lead(self, table: Codes, item: Codes, mine: Codes, its: Codes) -> Floats:
        """Compare sums of squared errors."""
        return self.lead_over_number(table, item, mine, self.worth[its] + self.least)

    def lead_over_number(self, table: Codes, item: Codes, mine: Codes, its: Floats) -> Floats:
        """Compare sums of squared errors with those of a number."""
        own, number = self.worth[mine], its - self.least
        others = table.sum(axis=1)[item] - 1
        rest = (table @ np.nan_to_num(self.worth[: table.shape[1]]))[item] - own
        lead = (number - own) * (others * (number + own) - 2 * rest)
        # Numbers such as .1 are not exact, so what would be 0 is a rounding error.
        lead[np.abs(lead) <= 1e-9 * others * self.width**2] = 0
        return np.where(np.isnan(lead), np.inf, lead)


ALIGNMENTS: dict[str, type[Agreement] | type[RMSE]] = {a.name: a for a in (Agreement, RMSE)}
"""Ways to measure alignment by name, each made for ratings."""


def fitting(labels: Labels, *, declared: bool) -> str:
    """Name the alignment that fits the scale: rmse where labels are numbers or in order.

    Parameters
    ----------
    labels : Labels
    declared : bool
        Whether somebody said what the scale is; otherwise more than two numbers are taken for
        numbers. Two labels are as far apart by either.
    """
    ordered = is_ordered(labels, declared=declared) and len(labels.scale) > 2
    return RMSE.name if ordered else Agreement.name


def as_alignment(scorer: Any, labels: Labels, more: Sequence[str] = ()) -> Alignment:
    """Find an alignment by name; an object that has a lead is returned as it is.

    `more` are labels that classifiers use and no rater does.
    """
    if isinstance(scorer, str):
        if scorer not in ALIGNMENTS:
            raise unknown_name("scorer", scorer, list(ALIGNMENTS), option_name="scorer")
        return ALIGNMENTS[scorer](labels, more)
    if not isinstance(scorer, Alignment):
        raise OptionError(
            f"{option('scorer')} must be one of {', '.join(ALIGNMENTS)}, or an object with name "
            f"and lead, not {type(scorer).__name__}."
        )
    return scorer


def at_least_as_close(
    item: Codes, label: Codes, table: Codes, choice: Floats, alignment: Alignment
) -> tuple[Floats, Floats]:
    """Compare a classifier and the rater of each rating with the other raters of the item.

    Parameters
    ----------
    item, label : (ratings,) arrays of int
    table : (items, labels) array of int
        How often each label was given.
    choice : (items, labels) array
        Probability that the classifier says each label.
    alignment : Alignment

    Returns
    -------
    w_f, w_h : (ratings,) arrays
        Probability that the classifier, and that the rater, is at least as close to the others.

    Notes
    -----
    O(ratings x labels the classifier may choose), that is O(ratings) but for ties.

    Examples
    --------
    Three raters say a, a, b and the classifier says a: as the first two do, and closer to them
    than the third is.

    >>> labels = Labels.from_triples([0, 0, 0], [1, 2, 3], ["a", "a", "b"])
    >>> at_least_as_close(
    ...     labels.item, labels.label, labels.matrix(), np.array([[1.0, 0.0]]), Agreement(labels)
    ... )
    (array([1., 1., 1.]), array([1., 1., 0.]))
    """
    options = np.count_nonzero(choice, axis=1)
    says = np.nonzero(choice)[1]
    times = options[item]
    rating = np.repeat(np.arange(len(item)), times)
    # Each rating meets the options of its item, one after the other.
    nth = np.arange(len(rating)) - np.repeat(np.cumsum(times) - times, times)
    at, mine = item[rating], label[rating]
    its = says[(np.cumsum(options) - options)[at] + nth]
    lead = alignment.lead(table, at, mine, its)
    share = choice[at, its]
    return (
        _sums(rating, share * (lead <= 0), len(item)),
        _sums(rating, share * (lead >= 0), len(item)),
    )


def at_least_as_close_as_number(
    item: Codes, label: Codes, table: Codes, number: Floats, alignment: OfNumbers
) -> tuple[Floats, Floats]:
    """Compare as :func:`at_least_as_close` does, where the classifier gives each item a number."""
    lead = alignment.lead_over_number(table, item, label, number[item])
    return (lead <= 0).astype(np.float64), (lead >= 0).astype(np.float64)


def _sums(group: Ints, values: Floats, groups: int) -> Floats:
    return np.asarray(np.bincount(group, values, groups), dtype=np.float64)
