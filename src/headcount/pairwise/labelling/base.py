"""What a rule of labels is: where ratings are cut in two."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["ABOVE", "BELOW", "LabelRule"]

ABOVE, BELOW = "above", "below"


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
    takes_argument : bool
        Whether something follows the name and a colon.
    """

    name: str
    example: ClassVar[str] = ""
    at_mean: ClassVar[bool] = False
    unlabelled: ClassVar[str] = "exactly at the cut"
    takes_argument: ClassVar[bool] = False

    @classmethod
    def read(cls, argument: str) -> Self:
        """Make the rule from what follows its name and a colon, which is "" unless it takes any."""
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
