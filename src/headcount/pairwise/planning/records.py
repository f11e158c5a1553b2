"""What a plan holds: curves, laws fitted to them, the cost of votes."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.pairwise.planning.forecast.comparisons_needed import Forecast
from headcount.pairwise.planning.laws import Law
from headcount.pairwise.planning.pilot.benchmarks import Benchmark
from headcount.pairwise.planning.pilot.ratings import Rating
from headcount.pairwise.planning.tasks.result import Tasks
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.simulation.labelling_model import LabellingModel
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats

__all__ = [
    "AccuracyCurve",
    "BenchmarkFit",
    "FittedLaw",
    "Needed",
    "PlanProvenance",
    "PlanRecord",
    "VoteCost",
    "Voting",
]


@dataclass(frozen=True, eq=False)
class AccuracyCurve:
    """f1 of labels against the number of comparisons, for random sets of items of one size.

    Parameters
    ----------
    items : int
        Size of the sets, an even number.
    comparisons : (steps,) array of int
        Rising, from 0.
    f1 : (repeats, steps) array of float
        Each repeat is another set of items, and another order of their comparisons.
    """

    items: int
    comparisons: Codes
    f1: Floats

    @property
    def mean(self) -> Floats:
        """Mean f1 over repeats."""
        return self.f1.mean(axis=0)


@dataclass(frozen=True)
class Needed:
    """What sets of one size needed to reach the target, and what they reached.

    Parameters
    ----------
    items : int
        Size of the sets, N.
    comparisons : Estimate or None
        Their number, n; censored where all comparisons of the sets were too few. None without a
        target.
    most : int
        Comparisons of the sets.
    f1 : Estimate
        With that many; the interval holds single sets.
    """

    items: int
    comparisons: Estimate | None
    most: int
    f1: Estimate


@dataclass(frozen=True, kw_only=True)
class FittedLaw:
    """One law, fitted by least squares of log n.

    Parameters
    ----------
    law : Law
    factor : float
        a, nan if no size reached the target.
    spread : float
        Range of n / N, or n / (N log N), over sizes, as a part of its mean; nan with less than
        two sizes. A law that holds has a small one.
    comparisons : Estimate or None
        Needed for the target; censored, if no size reached it, at what the pilot's comparisons
        amount to under the law.
    f1 : Estimate or None
        That the budget buys; censored if it buys more than the pilot shows.
    """

    law: Law
    factor: float
    spread: float
    comparisons: Estimate | None
    f1: Estimate | None

    @property
    def name(self) -> str:
        """Name of the law."""
        return self.law.name


@dataclass(frozen=True, eq=False, kw_only=True)
class BenchmarkFit:
    """What a pilot says against one benchmark.

    Parameters
    ----------
    benchmark : Benchmark
    curves : tuple of AccuracyCurve
    needed : tuple of Needed
        One a size.
    laws : tuple of FittedLaw
        n = a N, and n = a N log N, unless others were asked for.
    fits : str or None
        Name of the law with the smallest sum of squares in at least 95% of the bootstrap samples;
        None if there is none.
    """

    benchmark: Benchmark
    curves: tuple[AccuracyCurve, ...]
    needed: tuple[Needed, ...]
    laws: tuple[FittedLaw, ...]
    fits: str | None

    @property
    def name(self) -> str:
        """Name of the benchmark."""
        return self.benchmark.name


@dataclass(frozen=True, kw_only=True)
class VoteCost:
    """Votes, and the comparisons that label as well, in a simulated crowd.

    Parameters
    ----------
    votes : int
        An item, by different raters.
    tasks : int
        Votes in all.
    f1 : Estimate
        Of the majority; the interval holds single runs.
    comparisons : dict of str to Estimate
        For each way to rate, comparisons that have the same f1; censored if it was not reached.
    for_target : dict of str to Estimate or None
        Comparisons that have the f1 that was asked for, likewise; None if none was.
    model : LabellingModel
        The crowd.
    matched : bool
        Whether its ambiguities were fitted to the pilot.
    runs : int
    """

    votes: int
    tasks: int
    f1: Estimate
    comparisons: dict[str, Estimate]
    for_target: dict[str, Estimate] | None
    model: LabellingModel
    matched: bool
    runs: int


@dataclass(frozen=True, kw_only=True)
class Voting:
    """Votes whose majority labels as well.

    Parameters
    ----------
    votes : int or None
        An item, an odd number; None if 99 are too few.
    tasks : int or None
        Votes in all.
    f1 : float
        Of the majority of that many.
    price : float or None
        Of one vote.
    """

    votes: int | None
    tasks: int | None
    f1: float
    price: float | None

    @property
    def cost(self) -> float | None:
        """Price of all votes."""
        return None if self.price is None or self.tasks is None else self.price * self.tasks


@dataclass(frozen=True, kw_only=True)
class PlanProvenance(Provenance):
    """How a plan came about.

    Parameters
    ----------
    pairs : int
        Different pairs of the pilot.
    pairs_asked_again : int
        Pairs with two answers or more.
    rating : Rating
        How comparisons rate items.
    repeats : int
        Random sets of each size.
    """

    pairs: int
    pairs_asked_again: int
    rating: Rating
    repeats: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PlanRecord(Result):
    """How many comparisons a study needs; see :class:`headcount.Plan`."""

    items: int
    target_f1: float | None
    budget: int | None
    needed: Estimate | None
    f1: Estimate | None
    forecast: Forecast
    price: float | None
    voting: Voting | None
    benchmarks: tuple[BenchmarkFit, ...]
    votes: VoteCost | None = None
    tasks: Tasks | None = None
    provenance: PlanProvenance

    @property
    def cost(self) -> Estimate | None:
        """Price of the comparisons needed, or of the budget."""
        if self.price is None or self.needed is None:
            return None
        value, low, high = (
            None if x is None else x * self.price
            for x in (self.needed.value, self.needed.low, self.needed.high)
        )
        bounds = self.needed.bounds
        return Estimate(
            value or 0.0, low=low, high=high, level=self.needed.level, method=self.needed.method,
            bounds=None if bounds is None else (0.0, bounds[1] * self.price),
        )  # fmt: skip
