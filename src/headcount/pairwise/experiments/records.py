"""What an experiment with simulated crowds holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headcount.errors import unknown_name
from headcount.pairwise.experiments.methods import LabellingMethod
from headcount.pairwise.experiments.scores import SCORES, over_runs
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.simulation.labelling_model import LabellingModel
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["ExperimentProvenance", "ExperimentRecord"]


@dataclass(frozen=True, kw_only=True)
class ExperimentProvenance(Provenance):
    """How an experiment came about.

    Parameters
    ----------
    runs : int
        Simulated studies.
    k, epochs : float, int
        Step and number of epochs of Elo.
    """

    runs: int
    k: float
    epochs: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ExperimentRecord(Result):
    """Scores of methods in each of many runs; see :class:`headcount.LabellingExperiment`."""

    model: LabellingModel
    comparisons: tuple[int, ...]
    methods: tuple[LabellingMethod, ...]
    scores: dict[str, Floats]
    provenance: ExperimentProvenance

    @property
    def level(self) -> float:
        """Share of the runs that intervals hold."""
        return self.provenance.level or 0.0

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(next(iter(self.scores.values())))

    @property
    def baseline(self) -> str | None:
        """The method that votes, which others are held against; None if none does."""
        return next((method.name for method in self.methods if method.by_votes), None)

    @property
    def compared(self) -> tuple[str, ...]:
        """Methods that label by comparisons."""
        return tuple(method.name for method in self.methods if not method.by_votes)

    def tasks(self, method: str) -> tuple[int, ...]:
        """Numbers of tasks after which a method was scored."""
        return self.comparisons if method in self.compared else (self.model.votes_asked,)

    def values(self, method: str, score: str = "f1") -> Floats:
        """Scores of a method in each run; (runs, tasks) array, NaN where undefined."""
        if method not in self.scores:
            raise unknown_name("method", method, tuple(self.scores))
        if score not in SCORES:
            raise unknown_name("score", score, SCORES)
        return self.scores[method][:, :, SCORES.index(score)]

    def difference(self, method: str, score: str = "f1") -> Floats:
        """Scores of a method less those of the majority vote in the same run; (runs, tasks)."""
        return self.values(method, score) - self.values(self.baseline or "", score)

    def estimate(self, method: str, score: str = "f1", place: int = 0) -> Estimate:
        """Mean over runs at one number of tasks, and the interval that holds `level` of them."""
        return over_runs(self.values(method, score)[:, place], self.level)

    def rows(self) -> Iterator[tuple[str, int, int]]:
        """Yield each method, position and number of tasks."""
        for method in self.scores:
            for place, tasks in enumerate(self.tasks(method)):
                yield method, place, tasks
