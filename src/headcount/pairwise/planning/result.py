"""What a pilot says about a larger study, and the forms in which to have it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from headcount.errors import unknown_name
from headcount.pairwise.planning.plot import plot_forecast, plot_laws, plot_plan
from headcount.pairwise.planning.records import (
    BenchmarkFit,
    FittedLaw,
    Needed,
    PlanRecord,
    VoteCost,
)
from headcount.pairwise.planning.text import plan_page
from headcount.results.text import Page
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Plan"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan(PlanRecord):
    """How many comparisons a study needs, or what a budget buys.

    Parameters
    ----------
    items : int
        Items to label, N.
    target_f1 : float or None
    budget : int or None
        Comparisons.
    needed : Estimate or None
        Comparisons for the target, of random pairs; the interval holds over pilots.
    f1 : Estimate or None
        That the budget gives, likewise.
    forecast : Forecast
        What both follow from: accuracy by comparisons an item.
    price : float or None
        Of one comparison, and of one vote.
    voting : Voting or None
        Votes whose majority reaches the target.
    benchmarks : tuple of BenchmarkFit
        Against the full pilot, and against answers held out; ``plan["held out"]`` finds one.
    votes : VoteCost or None
        Cost by majority vote, if it was asked for.
    tasks : Tasks or None
        What to ask next, if it was chosen along with the plan.
    provenance : PlanProvenance
        Also the size of the pilot, and how random sets of it were rated.
    notes : tuple of Note
    """

    def __getitem__(self, name: str) -> BenchmarkFit:
        for benchmark in self.benchmarks:
            if benchmark.name == name:
                return benchmark
        raise unknown_name("benchmark", name, [each.name for each in self.benchmarks])

    @property
    def pilot_items(self) -> int:
        """Items of the pilot."""
        return self.provenance.items_used

    @property
    def pilot_comparisons(self) -> int:
        """Answers of the pilot."""
        return self.provenance.n_ratings or 0

    @property
    def pilot_pairs(self) -> int:
        """Different pairs of the pilot."""
        return self.provenance.pairs

    @property
    def pairs_asked_again(self) -> int:
        """Pairs of the pilot with two answers or more."""
        return self.provenance.pairs_asked_again

    @property
    def rating(self) -> str:
        """Name of the way in which sets were rated."""
        return self.provenance.rating.name

    @property
    def repeats(self) -> int:
        """Random sets of each size."""
        return self.provenance.repeats

    @property
    def level(self) -> float:
        """Coverage of the intervals."""
        return self.provenance.level or 0.0

    @property
    def seed(self) -> int | None:
        """Seed of the random sets; None if a generator was given."""
        return self.provenance.seed

    @property
    def source(self) -> str:
        """What the pilot is called."""
        return self.provenance.source

    @property
    def version(self) -> str:
        """Version of headcount."""
        return self.provenance.version

    @property
    def read_notes(self) -> tuple[str, ...]:
        """What reading and sampling had to say; an older name of `notes`."""
        return self.notes

    def page(self) -> Page:
        """Say the answer, what it rests on, and what votes would cost."""
        return plan_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return the accuracy curve: `comparisons` and `f1`, with its ends.

        With laws, the curves of random sets: `benchmark`, `items`, `comparisons` and `f1`.
        """
        if not self.benchmarks:
            each, value, low, high = (x.tolist() for x in self.forecast.curve)
            total = [x * self.items for x in each]
            return {"comparisons": total, "f1": value, "f1_low": low, "f1_high": high}
        rows = [
            (benchmark.name, curve.items, n, f1)
            for benchmark in self.benchmarks
            for curve in benchmark.curves
            for n, f1 in zip(curve.comparisons.tolist(), curve.mean.tolist(), strict=True)
        ]
        names = ("benchmark", "items", "comparisons", "f1")
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}

    def document(self) -> dict[str, Any]:
        """Return what is particular to a plan in its JSON document."""
        return {
            "items": self.items,
            "target_f1": self.target_f1,
            "budget": self.budget,
            "needed": _estimate(self.needed),
            "f1": _estimate(self.f1),
            "price": self.price,
            "cost": _estimate(self.cost),
            "voting": None
            if self.voting is None
            else asdict(self.voting) | {"cost": self.voting.cost},
            "spread": self.forecast.spread,
            "noise": self.forecast.noise,
            "clumps": None if self.forecast.clumps is None else self.forecast.clumps.to_dict(),
            "benchmarks": [_benchmark(each) for each in self.benchmarks],
            "votes": None if self.votes is None else _votes(self.votes),
            "tasks": None if self.tasks is None else self.tasks.summary(),
            "pilot": {
                "items": self.pilot_items,
                "comparisons": self.pilot_comparisons,
                "pairs": self.pilot_pairs,
                "pairs_asked_again": self.pairs_asked_again,
            },
            "rating": self.rating,
            "repeats": self.repeats,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw f1 against comparisons (needs matplotlib)."""
        return plot_plan(self, ax) if self.benchmarks else plot_forecast(self, ax)

    def plot_laws(self) -> Figure:
        """Draw a figure with a panel for each law and benchmark (needs matplotlib)."""
        return plot_laws(self)


def _benchmark(benchmark: BenchmarkFit) -> dict[str, Any]:
    return {
        "name": benchmark.name,
        "sizes": [_needed(each) for each in benchmark.needed],
        "laws": [_law(each) for each in benchmark.laws],
        "fits": benchmark.fits,
        "curves": [
            {
                "items": curve.items,
                "comparisons": curve.comparisons.tolist(),
                "f1": curve.mean.tolist(),
            }
            for curve in benchmark.curves
        ],
    }


def _needed(needed: Needed) -> dict[str, Any]:
    return {
        "items": needed.items,
        "comparisons": _estimate(needed.comparisons),
        "most": needed.most,
        "f1": needed.f1.to_dict(),
    }


def _law(law: FittedLaw) -> dict[str, Any]:
    return {
        "name": law.name,
        "factor": _number(law.factor),
        "spread": _number(law.spread),
        "comparisons": _estimate(law.comparisons),
        "f1": _estimate(law.f1),
    }


def _votes(votes: VoteCost) -> dict[str, Any]:
    return {
        "votes": votes.votes,
        "tasks": votes.tasks,
        "f1": votes.f1.to_dict(),
        "comparisons": {name: n.to_dict() for name, n in votes.comparisons.items()},
        "for_target": None
        if votes.for_target is None
        else {name: n.to_dict() for name, n in votes.for_target.items()},
        "model": asdict(votes.model),
        "matched": votes.matched,
        "runs": votes.runs,
    }


def _estimate(estimate: Estimate | None) -> dict[str, Any] | None:
    return None if estimate is None else estimate.to_dict()


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
