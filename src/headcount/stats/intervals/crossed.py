"""Intervals where two things are samples at once: items, and the raters who rated them."""

from __future__ import annotations

from headcount.stats.intervals.base import Ends, IntervalMethod
from headcount.stats.intervals.fisher import Fisher

__all__ = ["CROSSED", "DIFFERENCE", "PHI_WIDENED", "RATERS_LIKE_THESE"]


class RatersLikeThese(IntervalMethod):
    """Student's interval on Fisher's scale, from a variance over items and raters.

    Examples
    --------
    >>> low, high = RATERS_LIKE_THESE.ends(0.5, 0.1, 0.95, freedom=4.0, scale=Fisher())
    >>> print(f"{low:.4f} to {high:.4f}")
    0.1772 to 0.7257
    """

    name = "jackknife over raters and items"
    assumes = (
        "Items and raters are both random samples of many more like them, and raters rate "
        "independently of each other; approximate where a few raters answer at random"
    )
    undefined = (
        "with two raters, or if one is part of nearly all pairs of ratings, who cannot show how "
        "others differ"
    )

    def ends(
        self, value: float, error: float, level: float, *, freedom: float, scale: Fisher
    ) -> Ends:
        """Find the ends, from the standard error of the value and its degrees of freedom."""
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        half = float(stdtrit(freedom, (1 + level) / 2)) * error * scale.slope(value)
        z = scale.to(value)
        return Ends(scale.back(z - half), scale.back(z + half))


class PhiWidened(IntervalMethod):
    """The posterior of Phi, widened by how Phi changes without each rater."""

    name = "posterior and jackknife over raters"
    assumes = (
        "The model and its prior; items and raters are both random samples of many more like them"
    )
    undefined = RatersLikeThese.undefined

    def ends(self, centre: float, error: float, level: float, *, freedom: float) -> Ends:
        """Find the ends on the scale of the centre."""
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        half = float(stdtrit(freedom, (1 + level) / 2)) * error
        return Ends(centre - half, centre + half)


class DifferenceOfGroups(PhiWidened):
    """Student's interval of a difference, from a variance over items and raters."""

    name = "jackknife over raters and items, of a difference"
    assumes = RatersLikeThese.assumes
    undefined = RatersLikeThese.undefined


RATERS_LIKE_THESE = RatersLikeThese()
DIFFERENCE = DifferenceOfGroups()
PHI_WIDENED = PhiWidened()
CROSSED: tuple[IntervalMethod, ...] = (RATERS_LIKE_THESE, DIFFERENCE, PHI_WIDENED)
