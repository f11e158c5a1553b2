"""What a pilot says about a larger study, and the forms in which to have it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from headcount.errors import count, unknown_name
from headcount.pairwise.planning.scaling_laws import Benchmark, FittedLaw, Needed
from headcount.pairwise.planning.text import report
from headcount.pairwise.planning.vote_cost import VoteCost
from headcount.results.frames import to_frame

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Plan"]


@dataclass(frozen=True, repr=False, eq=False)
class Plan:
    """How many comparisons a study needs, or what a budget buys.

    Parameters
    ----------
    items : int
        Items to label, N.
    target_f1 : float or None
    budget : int or None
        Comparisons.
    benchmarks : tuple of Benchmark
        Against the full pilot, and against answers held out; ``plan["held out"]`` finds one.
    votes : VoteCost or None
        Cost by majority vote, if it was asked for.
    pilot_items, pilot_comparisons, pilot_pairs, pairs_asked_again : int
        Size of the pilot: items, answers, different pairs, and those with two answers or more.
    rating : {"points", "bradley-terry"}
    repeats : int
        Random sets of each size.
    level : float
    seed : int or None
    source, version : str
    read_notes : tuple of str
        What reading and sampling had to say.
    """

    items: int
    target_f1: float | None
    budget: int | None
    benchmarks: tuple[Benchmark, ...]
    votes: VoteCost | None
    pilot_items: int
    pilot_comparisons: int
    pilot_pairs: int
    pairs_asked_again: int
    rating: str
    repeats: int
    level: float
    seed: int | None
    source: str
    version: str
    read_notes: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Benchmark:
        for benchmark in self.benchmarks:
            if benchmark.name == name:
                return benchmark
        raise unknown_name("benchmark", name, [each.name for each in self.benchmarks])

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        notes = list(self.read_notes)
        largest = max(curve.items for each in self.benchmarks for curve in each.curves)
        if self.items > largest:
            notes.append(
                f"{count(self.items, 'item')} are {self.items / largest:.3g} times the {largest} "
                "of the largest set: the answers extend a law beyond the pilot."
            )
        if not self.pairs_asked_again:
            notes.append("No pair was asked twice: answers are held out at random.")
        for benchmark in self.benchmarks if self.target_f1 is not None else ():
            best = max(benchmark.needed, key=lambda each: each.f1.value)
            missed = [n for n in benchmark.needed if n.comparisons and n.comparisons.censored]
            if len(missed) == len(benchmark.needed):
                notes.append(
                    f"Against the benchmark '{benchmark.name}' f1 {self.target_f1:g} was not "
                    f"reached: {best.most:,} comparisons of {best.items} items gave "
                    f"{best.f1.value:.3f}. Numbers after '>' are what was tried, not an answer."
                )
            elif missed:
                sizes = ", ".join(str(each.items) for each in missed)
                notes.append(
                    f"Against the benchmark '{benchmark.name}' sets of {sizes} items did not "
                    f"reach f1 {self.target_f1:g}; the laws are fitted to the others."
                )
        return tuple(notes)

    def plot(self) -> Figure:
        """Draw f1 against comparisons an item, and against comparisons over N log N."""
        from headcount.pairwise.planning.plot import plot_plan

        return plot_plan(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``headcount plan --json`` prints (see docs/json.md)."""
        return {
            "items": self.items,
            "target_f1": self.target_f1,
            "budget": self.budget,
            "benchmarks": [_benchmark(each) for each in self.benchmarks],
            "votes": None if self.votes is None else _votes(self.votes),
            "pilot": {
                "items": self.pilot_items,
                "comparisons": self.pilot_comparisons,
                "pairs": self.pilot_pairs,
                "pairs_asked_again": self.pairs_asked_again,
            },
            "rating": self.rating,
            "repeats": self.repeats,
            "level": self.level,
            "seed": self.seed,
            "version": self.version,
            "notes": list(self.notes),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the accuracy curves, one row a benchmark, size and number of comparisons.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Kind of frame. Default: the first of these that is installed.

        Returns
        -------
        frame
            Columns `benchmark`, `items`, `comparisons` and `f1`.
        """
        rows = [
            (benchmark.name, curve.items, n, f1)
            for benchmark in self.benchmarks
            for curve in benchmark.curves
            for n, f1 in zip(curve.comparisons.tolist(), curve.mean.tolist(), strict=True)
        ]
        names = ("benchmark", "items", "comparisons", "f1")
        return to_frame({name: [row[k] for row in rows] for k, name in enumerate(names)}, backend)

    def __repr__(self) -> str:
        return report(self)


def _benchmark(benchmark: Benchmark) -> dict[str, Any]:
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
        "comparisons": None if needed.comparisons is None else needed.comparisons.to_dict(),
        "most": needed.most,
        "f1": needed.f1.to_dict(),
    }


def _law(law: FittedLaw) -> dict[str, Any]:
    return {
        "name": law.name,
        "factor": _number(law.factor),
        "spread": _number(law.spread),
        "comparisons": None if law.comparisons is None else law.comparisons.to_dict(),
        "f1": None if law.f1 is None else law.f1.to_dict(),
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


def _number(x: float) -> float | None:
    return x if math.isfinite(x) else None
