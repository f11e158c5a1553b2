"""What an experiment with simulated crowds found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.errors import count, percent, unknown_name
from headcount.results.frames import to_frame
from headcount.results.text import columns, wrap
from headcount.simulation.labelling import LabellingModel
from headcount.stats.estimate import Estimate

__all__ = ["LabellingExperiment", "METHODS", "SCORES"]

METHODS = ("majority", "elo", "bradley-terry")
SCORES = ("f1", "f1_negative", "accuracy", "bias")

Scores = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabellingExperiment:
    """How well each method labels, in each of many runs of a simulated study.

    Parameters
    ----------
    model : LabellingModel
    comparisons : tuple of int
        Numbers of comparisons after which those methods were scored.
    scores : dict of str to (runs, tasks, 4) array
        For each method and run: f1 of the positive label, f1 of the negative label, accuracy and
        bias; for 'majority' at one number of tasks, for the others at each of `comparisons`. NaN
        where undefined.
    k, epochs : float, int
        Step and number of epochs of Elo.
    level : float
        Share of the runs that intervals hold.
    version : str
        Of headcount.
    """

    model: LabellingModel
    comparisons: tuple[int, ...]
    scores: dict[str, Scores]
    k: float
    epochs: int
    level: float
    version: str

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(next(iter(self.scores.values())))

    def tasks(self, method: str) -> tuple[int, ...]:
        """Numbers of tasks after which a method was scored."""
        return (self.model.votes_asked,) if method == "majority" else self.comparisons

    def values(self, method: str, score: str = "f1") -> Scores:
        """Scores of a method in each run; (runs, tasks) array, NaN where undefined."""
        if method not in self.scores:
            raise unknown_name("method", method, tuple(self.scores))
        if score not in SCORES:
            raise unknown_name("score", score, SCORES)
        return self.scores[method][:, :, SCORES.index(score)]

    def difference(self, method: str, score: str = "f1") -> Scores:
        """Scores of a method less those of the majority vote in the same run; (runs, tasks)."""
        return self.values(method, score) - self.values("majority", score)

    def estimate(self, method: str, score: str = "f1", place: int = 0) -> Estimate:
        """Mean over runs at one number of tasks, and the interval that holds `level` of them."""
        return _over_runs(self.values(method, score)[:, place], self.level)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know."""
        undefined = np.any([np.isnan(found).any((1, 2)) for found in self.scores.values()], axis=0)
        lost = int(undefined.sum())
        if not lost:
            return ()
        return (
            f"a score is undefined in {lost:,} of {count(self.runs, 'run')}, where no item has the "
            "label or the discriminatory feature; means leave them out.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        scored: list[dict[str, Any]] = []
        gained: list[dict[str, Any]] = []
        for method, place, tasks in self._rows():
            row = {"method": method, "tasks": tasks}
            found = {name: self.values(method, name)[:, place] for name in SCORES}
            scored.append(row | {name: _told(x, self.level) for name, x in found.items()})
            if method == "majority" or "majority" not in self.scores:
                continue
            gap = {name: self.difference(method, name)[:, place] for name in SCORES}
            gained.append(row | {name: _told(x, self.level) for name, x in gap.items()})
            gained[-1]["runs_with_higher_f1"] = int(np.sum(gap["f1"] > 0))
        return {
            "methods": scored,
            "differences": gained,
            "model": asdict(self.model),
            "k": self.k,
            "epochs": self.epochs,
            "runs": self.runs,
            "level": self.level,
            "version": self.version,
            "notes": list(self.notes),
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row a run, method and number of tasks, as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            Kind of frame. Default: the first of these that is installed.

        Returns
        -------
        frame
            Columns `run`, `method`, `tasks`, `f1`, `f1_negative`, `accuracy` and `bias`.
        """
        rows = list(self._rows())
        found = np.concatenate([self.scores[method][:, place] for method, place, _ in rows])
        table: dict[str, list[Any]] = {
            "run": list(range(self.runs)) * len(rows),
            "method": [method for method, _, _ in rows for _ in range(self.runs)],
            "tasks": [tasks for _, _, tasks in rows for _ in range(self.runs)],
        }
        table |= {name: found[:, i].tolist() for i, name in enumerate(SCORES)}
        return to_frame(table, backend)

    def __repr__(self) -> str:
        head = ["method", "tasks", *(name.replace("_", " ") for name in SCORES)]
        body: list[list[str]] = []
        for method, place, tasks in self._rows():
            found = [self.estimate(method, name, place) for name in SCORES]
            body.append([method, f"{tasks:,}", *map(_value, found)])
            if self.runs > 1:
                # Below: four intervals beside their values would not fit a page.
                body.append(["", "", *(e.interval(2) for e in found)])
        said = [
            "f1 is that of the positive label, f1 negative that of the negative one. Bias is the "
            "mean of predicted less true label over items with the discriminatory feature."
        ]
        if self.runs > 1:
            said[0] = f"Intervals hold {percent(self.level)} of {self.runs:,} runs. {said[0]}"
        if "majority" in self.scores:
            said += [self._verdict(method) for method in self.scores if method != "majority"]
        return "\n".join([*columns(head, body), "", *map(wrap, said)])

    def _verdict(self, method: str) -> str:
        """Say which is better, votes or the largest number of comparisons."""
        gap = _defined(self.difference(method)[:, -1])
        asked = f"{method}, {count(self.comparisons[-1], 'comparison')}"
        if not len(gap):
            return f"{asked}: f1 is undefined in every run."
        error = f" (standard error {_error(gap):.3f})" if len(gap) > 1 else ""
        return (
            f"{asked}: f1 is higher than that of {count(self.model.votes_asked, 'vote')} in "
            f"{np.sum(gap > 0):,} of {count(len(gap), 'run')}; mean difference "
            f"{gap.mean():+.3f}{error}."
        )

    def _rows(self) -> Iterator[tuple[str, int, int]]:
        for method in self.scores:
            for place, tasks in enumerate(self.tasks(method)):
                yield method, place, tasks


def _defined(values: Scores) -> Scores:
    return values[np.isfinite(values)]


def _over_runs(values: Scores, level: float) -> Estimate:
    """Mean of what is defined, and the percentiles that hold `level` of it."""
    kept = _defined(values)
    if not len(kept):
        return Estimate(math.nan, undefined="no item has the label or the discriminatory feature")
    mean = float(kept.mean())
    if len(kept) == 1:
        return Estimate(mean, method="one run")
    return replace(Estimate.from_draws(mean, kept, level=level), method="percentiles over runs")


def _error(values: Scores) -> float:
    """Compute the standard error of a mean over runs."""
    return float(values.std(ddof=1)) / math.sqrt(len(values))


def _told(values: Scores, level: float) -> dict[str, Any]:
    """Write a score over runs as JSON, with the standard error of its mean."""
    kept = _defined(values)
    error = _error(kept) if len(kept) > 1 else None
    return {**_over_runs(values, level).to_dict(), "standard_error": error}


def _value(estimate: Estimate) -> str:
    return "undefined" if estimate.undefined else estimate.show(estimate.value)
