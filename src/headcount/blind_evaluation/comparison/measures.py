"""Measures of how near an estimated list of scores or ranks comes to the actual one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headcount.stats.correlation import kendall, pearson, spearman, swaps
from headcount.typing import Floats

__all__ = ["MEASURES", "Measure"]


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One measure; call it with two lists.

    Parameters
    ----------
    name : str
    short, title : str
        Head of a column, and title of a table.
    function : callable
    of_scores : bool
        Whether it is reported of scores; else of ranks.
    of_errors : bool
        Whether it is a percentage of errors, better the lower it is; else a correlation.
    """

    name: str
    short: str
    title: str
    function: Callable[[Floats, Floats], float]
    of_scores: bool = False
    of_errors: bool = False

    def __call__(self, x: Floats, y: Floats) -> float:
        """Measure two lists; what is missing in one is left out."""
        return self.function(x, y)

    def as_correlation(self, x: Floats, y: Floats) -> float:
        """From -1 to 1, higher for lists that are more alike."""
        value = self.function(x, y)
        return 1 - 2 * value / 100 if self.of_errors else value


MEASURES = {
    measure.name: measure
    for measure in (
        Measure(
            name="pearson",
            short="r",
            title="Pearson's r of estimated with actual scores",
            function=pearson,
            of_scores=True,
        ),
        Measure(
            name="spearman",
            short="rho",
            title="Spearman's rho of estimated with actual ranks",
            function=spearman,
        ),
        Measure(
            name="kendall",
            short="tau",
            title="Kendall's tau of estimated with actual ranks",
            function=kendall,
        ),
        Measure(
            name="swaps",
            short="swaps",
            title="Swaps: pairs ranked in the wrong order, in percent",
            function=swaps,
            of_errors=True,
        ),
    )
}
