"""What the same labels cost by majority vote, in a simulated crowd like that of the pilot."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from headcount.errors import count
from headcount.pairwise.experiments.experiment import labelling_experiment
from headcount.pairwise.planning.pilot.scaling_laws import crossing, rising
from headcount.pairwise.planning.prepare import Question
from headcount.pairwise.planning.records import VoteCost
from headcount.pairwise.planning.voting.crowd import Crowd
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_draws import BOOTSTRAP_OF_RUNS
from headcount.typing import Floats, Seed

__all__ = ["vote_cost"]

MOST_ITEMS = 500
"""Items that are simulated: with more of them, tasks are counted in proportion."""
EACH = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
"""Comparisons an item at which f1 is known."""
DRAWS = 200
"""Bootstrap samples of runs."""


def vote_cost(
    crowd: Crowd, question: Question, notes: Notes, *, runs: int = 50, rng: Seed = 0
) -> VoteCost:
    """Simulate a crowd that votes and compares, and find the comparisons worth the votes.

    Parameters
    ----------
    crowd : Crowd
        Items, votes and comparisons of its model do not matter.
    question : Question
        Items to label, votes on each, and perhaps an f1 to find the comparisons for as well.
    notes : Notes
        Takes what a reader should know.
    runs : int
        Simulated studies.
    rng : int or Generator
    """
    items, votes, level = question.items, question.votes or 1, question.level
    size = min(items, MOST_ITEMS)
    pairs = size * (size - 1) // 2
    grid = sorted({min(round(each * size), pairs) for each in EACH})
    model = replace(
        crowd.model,
        items=size,
        votes=votes,
        comparisons=None,
        raters=max(crowd.model.raters, votes),
    )
    found = labelling_experiment(model, runs=runs, comparisons=grid, level=level, rng=rng)
    majority = found.baseline or ""
    scale = items / size
    draws = np.random.default_rng(0).multinomial(runs, np.full(runs, 1 / runs), size=DRAWS)
    weight = np.vstack([np.ones(runs), draws]) / runs
    wanted = weight @ np.nan_to_num(found.values(majority))[:, 0]

    def needed(f1: Floats) -> dict[str, Estimate]:
        """Comparisons for an f1 by either rating, on the runs and on samples of them."""
        out: dict[str, Estimate] = {}
        for method in found.compared:
            means = rising(weight @ np.nan_to_num(found.values(method)))
            n = scale * np.array(
                [crossing(np.array(grid), row, each) for row, each in zip(means, f1, strict=True)]
            )
            most = math.floor(scale * grid[-1])
            out[method] = Estimate.from_draws(
                float(n[0]), n[1:], level=level, bounds=(0.0, most), method=BOOTSTRAP_OF_RUNS
            )
        return out

    if size < items:
        notes.info(f"Votes were simulated for {count(size, 'item')}; tasks are in proportion.")
    target = question.target_f1
    return VoteCost(
        votes=votes,
        tasks=votes * items,
        f1=found.estimate(majority),
        comparisons=needed(wanted),
        for_target=None if target is None else needed(np.full(len(wanted), target)),
        model=model,
        matched=crowd.matched,
        runs=runs,
    )
