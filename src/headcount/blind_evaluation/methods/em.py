"""EM: the truth by Dawid and Skene's model, with a vote for each classifier or each group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from headcount.blind_evaluation.dawid_skene.fit import TOLERANCE, DawidSkene, refits
from headcount.blind_evaluation.methods.base import CrowdScored, Method, Scoring, Situation, against
from headcount.blind_evaluation.methods.tasks import CrowdFit, CrowdTask, Task
from headcount.errors import option
from headcount.results.notes import Notes
from headcount.typing import Floats

__all__ = ["EM", "GroupedEM", "em_summary"]

MOST_WORK = 2 * 10**10
"""Multiplications up to which it is fitted anew in every bootstrap sample."""
ITERATIONS = 10
"""Iterations that a warm-started refit takes, about."""


MANY, CLOSE = 20_000, 1e-6
"""Items from which on a refit may stop at a gain of so much an item. Of 100,000 items and 1,000
workers, accuracies then are within .06 standard errors, in a third of the time."""


class EM(Method):
    """Dawid and Skene's model, in which classifiers err independently."""

    name = "em"
    short = "EM"
    words = "classifiers err independently of each other (Dawid-Skene)"
    refitted = True
    covers = True
    diagnoses = True
    by_blocks = True
    ranks_when = MappingProxyType({Situation.INDEPENDENT: 1, Situation.CROWD: 2})
    look = 2

    def score(self, task: Task) -> Scoring:
        """Fit the data, and every bootstrap sample from there if that does not take too long."""
        votes, metrics, settings = task.votes, task.metrics, task.settings
        fitted = task.dawid_skene(grouped=self.grouped)
        found = against(task, fitted.truth, fitted)
        work = len(votes.label) * len(votes.labels) * ITERATIONS * settings.bootstrap
        self._tell(task, fitted, too_long=work > MOST_WORK)
        if work > MOST_WORK:
            return found

        def refit(weights: Floats) -> Floats:
            close = TOLERANCE if votes.items < MANY else CLOSE * votes.items
            again = refits(votes, fitted, [weights], tolerance=close)
            return np.swapaxes(metrics.scores(again.table), 1, 2)

        return replace(found, again=refit)

    def score_crowd(self, task: CrowdTask) -> CrowdScored:
        """Fit the data, once: its scores have no variance that holds. A pass an iteration."""
        fitted = task.dawid_skene(grouped=self.grouped)
        self._tell_converged(task.notes, fitted)
        scores = task.metrics.scores(fitted.table).T
        return CrowdScored(scores=scores, truth=fitted.truth, fit=fitted)

    def _tell_converged(self, notes: Notes, fitted: DawidSkene | CrowdFit) -> None:
        if not fitted.converged:
            notes.warning(
                f"{self.short} has not converged after {fitted.n_iter:,} iterations: its scores "
                "are not those of the maximum of the likelihood."
            )

    def _tell(self, task: Task, fitted: DawidSkene, *, too_long: bool) -> None:
        self._tell_converged(task.notes, fitted)
        if not task.settings.bootstrap:
            task.notes.caution(
                f"Without bootstrap samples, intervals and ranks of {self.short} take the fitted "
                f"truth as given. Both are too narrow; draw some ({option('bootstrap', 200)})."
            )
        if too_long:
            task.notes.caution(
                f"Intervals of {self.short} take the fitted truth as given: to fit it anew in "
                "every bootstrap sample would take too long. They are too narrow."
            )


class GroupedEM(EM):
    """Dawid and Skene's model with one vote for each group."""

    name = "grouped-em"
    short = "grouped EM"
    words = "groups err independently of each other (Dawid-Skene, a vote weighs 1 / group size)"
    grouped = True
    covers = False  # not of members of a group: see docs/studies/blind.md
    diagnoses = False
    ranks_when = MappingProxyType(
        {Situation.COPIED: 1, Situation.GROUPED: 2, Situation.INDEPENDENT: 2}
    )
    look = 3


def em_summary(fit: DawidSkene | CrowdFit, labels: Sequence[str]) -> dict[str, Any]:
    """Write what a fit is like, for the JSON document."""
    return {
        "prior": dict(zip(labels, fit.prior.tolist(), strict=True)),
        "log_likelihood": fit.log_likelihood,
        "converged": fit.converged,
        "iterations": fit.n_iter,
        "smoothing": fit.smoothing,
    }
