"""What a method is to score: votes at once, or a block of them at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from headcount.blind_evaluation.blocks import Blocks, TruthOf
from headcount.blind_evaluation.dawid_skene.em import Model
from headcount.blind_evaluation.dawid_skene.fit import Best, Climbing, DawidSkene, climb_best, fit
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.votes import Votes
from headcount.results.notes import Notes
from headcount.typing import Floats

__all__ = ["CrowdFit", "CrowdTask", "Settings", "Task"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to estimate: see :func:`headcount.blind`."""

    bootstrap: int = 0
    sampling_draws: int = 0
    smoothing: float
    restarts: int = 0
    seed: int = 0

    @property
    def climbing(self) -> Climbing:
        """How to fit by EM."""
        return Climbing(smoothing=self.smoothing, restarts=self.restarts, rng=self.seed)


@dataclass(frozen=True, eq=False, kw_only=True)
class Task:
    """What a method is to score.

    Parameters
    ----------
    votes : Votes
    metrics : Metrics
    settings : Settings
    notes : Notes
        Takes what there is to say.
    """

    votes: Votes
    metrics: Metrics
    settings: Settings
    notes: Notes

    @cached_property
    def weight(self) -> Floats:
        """How often each row counts: its multiplicity."""
        return self.votes.multiplicity.astype(np.float64)

    @cached_property
    def _fits(self) -> dict[bool, DawidSkene]:
        return {}

    def dawid_skene(self, *, grouped: bool) -> DawidSkene:
        """Fit Dawid and Skene's model, once for all methods that need it.

        `grouped` gives every group one vote, in place of every classifier.
        """
        if grouped not in self._fits:
            self._fits[grouped] = fit(
                self.votes,
                vote_weight=self.votes.group_weight if grouped else None,
                how=self.settings.climbing,
            )
        return self._fits[grouped]

    @property
    def blocks(self) -> Blocks:
        """All votes as one block."""
        return Blocks.of(self.votes, self.weight)

    def em_truth(self, *, grouped: bool) -> TruthOf:
        """Truth by Dawid and Skene's model."""
        return lambda _: self.dawid_skene(grouped=grouped).truth

    @property
    def shape(self) -> tuple[int, int]:
        """Metrics and classifiers."""
        return len(self.metrics.kinds), len(self.votes.classifiers)


@dataclass(frozen=True, eq=False)
class CrowdFit:
    """A fit of Dawid and Skene's model to blocks of votes."""

    model: Model
    best: Best

    def truth(self, votes: Votes) -> Floats:
        """Probability of each label in each row of a block."""
        return self.model.posterior(self.best.climb.at, votes)

    @property
    def prior(self) -> Floats:
        """How common each label is."""
        return self.best.climb.at.prior

    @property
    def log_likelihood(self) -> float:
        """Logarithm of the probability of all votes."""
        return self.best.climb.step.log_likelihood

    @property
    def converged(self) -> bool:
        """Whether EM has converged."""
        return self.best.climb.converged

    @property
    def n_iter(self) -> int:
        """Passes over the votes."""
        return self.best.climb.n_iter

    @property
    def smoothing(self) -> float:
        """Votes added to each cell."""
        return self.model.smoothing

    @property
    def table(self) -> Floats:
        """Expected number of votes, (classifiers, true labels, labels)."""
        return np.swapaxes(self.best.climb.step.count, 1, 2)


@dataclass(frozen=True, eq=False, kw_only=True)
class CrowdTask:
    """What a method is to score where votes are gone over a block at a time.

    Parameters
    ----------
    blocks : Blocks
    metrics : Metrics
    settings : Settings
    notes : Notes
        Takes what there is to say.
    """

    blocks: Blocks
    metrics: Metrics
    settings: Settings
    notes: Notes

    @cached_property
    def _fits(self) -> dict[bool, CrowdFit]:
        return {}

    def dawid_skene(self, *, grouped: bool) -> CrowdFit:
        """Fit Dawid and Skene's model, once for all methods that need it."""
        if grouped not in self._fits:
            weight = self.blocks.group_weight if grouped else np.ones(self.blocks.n_classifiers)
            model = Model(self.blocks, np.ascontiguousarray(weight), self.settings.smoothing)
            self._fits[grouped] = CrowdFit(model, climb_best(model, self.settings.climbing))
        return self._fits[grouped]

    @property
    def fitted(self) -> CrowdFit | None:
        """The fit that some method needed; without groups, if there are two."""
        return self._fits.get(False, self._fits.get(True))

    def em_truth(self, *, grouped: bool) -> TruthOf:
        """Truth by Dawid and Skene's model."""
        return self.dawid_skene(grouped=grouped).truth
