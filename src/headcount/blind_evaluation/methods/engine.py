"""Every method on the data and on the same bootstrap samples."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from headcount.blind_evaluation.methods.base import Method, NotPossible, Scored, Scoring
from headcount.blind_evaluation.methods.tasks import Task
from headcount.stats.draws import resample
from headcount.typing import Floats, Kernel, Progress

__all__ = ["score_all"]

BLOCK_CELLS = 4 * 10**6
"""Weights held at once while resampling: 32 MB."""


def score_all(
    task: Task, methods: Iterable[Method], progress: Progress | None = None
) -> dict[str, Scored]:
    """Score all classifiers by all methods, on the data and on common bootstrap samples.

    Notes
    -----
    Where the truth does not depend on the sample (votes, sampling, direct), one costs
    O(votes x labels). Dawid-Skene is fitted anew to each from where it was, round robin counts
    anew; above about 2 * 10^10 multiplications in all they are not, and a note says so. Truths that
    scikit-learn learned stay as they are, which a note says too.
    """
    settings, multiplicity = task.settings, task.votes.multiplicity
    methods = list(methods)
    if settings.bootstrap and (learned := [method.short for method in methods if method.learn]):
        task.notes.info(
            f"Intervals of {', '.join(learned)} take the truth as learned: it is not learned anew "
            "in bootstrap samples. They are too narrow."
        )
    first = {method.name: _on_data(method, task) for method in methods}
    again: dict[str, Kernel] = {
        name: one.again for name, one in first.items() if one.again is not None
    }
    draws: dict[str, list[Floats]] = {name: [] for name in again}
    rng = np.random.default_rng(settings.seed)
    done = 0
    block = max(1, BLOCK_CELLS // len(multiplicity))
    for weights in resample(multiplicity, settings.bootstrap, rng, block=block):
        for name, kernel in again.items():
            draws[name].append(kernel(weights))
        done += len(weights)
        if progress is not None:
            progress(done, settings.bootstrap)
    return {
        name: replace(one.scored, draws=np.concatenate(draws[name]))
        if draws.get(name)
        else one.scored
        for name, one in first.items()
    }


def _on_data(method: Method, task: Task) -> Scoring:
    try:
        return method.score(task)
    except NotPossible as reason:
        nothing = np.full(task.shape, np.nan)
        return Scoring(Scored(scores=nothing, draws=nothing[None][:0], undefined=str(reason)), None)
