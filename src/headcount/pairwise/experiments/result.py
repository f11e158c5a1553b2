"""What an experiment with simulated crowds found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.pairwise.experiments.plot import plot_experiment
from headcount.pairwise.experiments.records import ExperimentRecord
from headcount.pairwise.experiments.scores import SCORES, over_runs, standard_error
from headcount.pairwise.experiments.text import experiment_page
from headcount.results.text import Page
from headcount.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LabellingExperiment"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LabellingExperiment(ExperimentRecord):
    """How well each method labels, in each of many runs of a simulated study.

    Parameters
    ----------
    model : LabellingModel
    comparisons : tuple of int
        Numbers of comparisons after which those methods were scored.
    methods : tuple of LabellingMethod
    scores : dict of str to (runs, tasks, 4) array
        For each method and run: f1 of the positive label, f1 of the negative label, accuracy and
        bias; for the majority vote at one number of tasks, for the others at each of
        `comparisons`. NaN where undefined.
    provenance : ExperimentProvenance
        Also the number of `runs`, and `k` and `epochs` of Elo.
    notes : tuple of Note
    """

    @property
    def k(self) -> float:
        """Step of Elo."""
        return self.provenance.k

    @property
    def epochs(self) -> int:
        """Epochs of Elo."""
        return self.provenance.epochs

    @property
    def version(self) -> str:
        """Version of headcount."""
        return self.provenance.version

    def page(self) -> Page:
        """Say how methods compare with votes, and what they scored."""
        return experiment_page(self)

    def columns(self) -> dict[str, list[Any]]:
        """Return one row a run, method and number of tasks: `run`, `method`, `tasks`, scores."""
        rows = list(self.rows())
        found = np.concatenate([self.scores[method][:, place] for method, place, _ in rows])
        return {
            "run": list(range(self.runs)) * len(rows),
            "method": [method for method, _, _ in rows for _ in range(self.runs)],
            "tasks": [tasks for _, _, tasks in rows for _ in range(self.runs)],
            **{name: found[:, i].tolist() for i, name in enumerate(SCORES)},
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to an experiment in its JSON document."""
        scored: list[dict[str, Any]] = []
        gained: list[dict[str, Any]] = []
        for method, place, tasks in self.rows():
            row = {"method": method, "tasks": tasks}
            found = {name: self.values(method, name)[:, place] for name in SCORES}
            scored.append(row | {name: self._score(x) for name, x in found.items()})
            if method not in self.compared or self.baseline is None:
                continue
            gap = {name: self.difference(method, name)[:, place] for name in SCORES}
            gained.append(row | {name: self._score(x) for name, x in gap.items()})
            gained[-1]["runs_with_higher_f1"] = int(np.sum(gap["f1"] > 0))
        return {
            "methods": scored,
            "differences": gained,
            "model": asdict(self.model),
            "k": self.k,
            "epochs": self.epochs,
            "runs": self.runs,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean f1 of each method against the number of tasks (needs matplotlib)."""
        return plot_experiment(self, ax)

    def _score(self, values: Floats) -> dict[str, Any]:
        """Write a score over runs as JSON, with the standard error of its mean."""
        error = standard_error(values)
        return {**over_runs(values, self.level).to_dict(), "standard_error": error}
