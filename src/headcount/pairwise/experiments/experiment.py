"""Votes against comparisons: both methods on simulated crowds, many times over."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
from numpy.typing import NDArray

from headcount import options
from headcount._version import __version__
from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError, unknown_name
from headcount.pairwise.bradley_terry.model import Model
from headcount.pairwise.bradley_terry.newton import maximise
from headcount.pairwise.bradley_terry.pair_wins import PairWins
from headcount.pairwise.experiments.result import METHODS, LabellingExperiment
from headcount.simulation.labelling import (
    LabellingModel,
    Streams,
    draw_comparisons,
    draw_truth,
    draw_votes,
)
from headcount.typing import Codes

__all__ = ["labelling_experiment"]

ELO_SLOPE = math.log(10) / 400
"""Log odds of a point of the paper's Elo: base 10, denominator 400."""
PRIOR_SD = 2.0
"""Of the logits that Bradley-Terry rates by. Without a prior, items that won or lost all of their
few comparisons would be infinitely far out. From 1 to 5 it matters little."""

Scores = NDArray[np.float64]


def labelling_experiment(
    model: LabellingModel | None = None,
    *,
    runs: int = 25,
    comparisons: Sequence[int] | None = None,
    methods: Sequence[str] = METHODS,
    k: float = 0.15,
    epochs: int = 20,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> LabellingExperiment:
    r"""Simulate studies in which items are labelled by votes and by comparisons, and score both.

    * `majority`: the label of most votes; a coin decides where there are as many for either.
    * `elo`: the paper's ratings, from 0, with base 10 and denominator 400, through all comparisons
      in a new random order each epoch, started anew for each number of comparisons. With the
      paper's step k = .15 they stay so near to 0 that they count wins; k = 32 is near equilibrium.
    * `bradley-terry`: what Elo tends to, found directly, without step, epochs or order: the most
      probable logits under a wide prior, N(0, 2^2), which keeps unbeaten items finite.

    Ratings have mean 0. Items above it are labelled positive, all others, among them those never
    compared, negative. Scores:

    * `f1` :math:`= 2\,TP / (2\,TP + FP + FN)` of the positive label, and `f1_negative` of the
      negative one. What the paper's figures call the f1 of the positive label is that of the
      negative one in its code; the two differ where few items have been compared.
    * `accuracy`: share of labels that are right.
    * `bias`: mean of predicted less true label (1 or 0) over the items with the discriminatory
      feature.

    Parameters
    ----------
    model : LabellingModel, optional
        Default: the paper's parameters.
    runs : int
        Number of studies. Paper: 25.
    comparisons : sequence of int, optional
        Score after each of these numbers of comparisons; a smaller number is the beginning of a
        larger one. Default: the model's own.
    methods : sequence of str
        Some of 'majority', 'elo' and 'bradley-terry'.
    k, epochs : float, int
        Step and number of epochs of Elo. Paper: .15 and 20.
    level : float
        Share of the runs that intervals hold.
    rng : int or Generator
        Seed or generator. Each run has random numbers of its own, spawned from it (those of the
        paper's runs are not independent). More runs are the same ones and others.
    jobs : int, optional
        Runs at a time, each in a thread. Default: one a processor. Answers do not depend on it.
    progress : callable, optional
        Called with the number of runs done and their total.

    Returns
    -------
    LabellingExperiment

    Notes
    -----
    O(items + raters + epochs x comparisons) for a run and a number of comparisons: about 1 ms for
    512 items and 1,536 comparisons, a second for 32,768 and 340,695.

    Examples
    --------
    >>> diverse = LabellingModel(threshold_diversity=1.0)
    >>> labelling_experiment(diverse, runs=50, methods=["majority", "elo"], rng=1)
    method    tasks            f1   f1 negative      accuracy           bias
    ------------------------------------------------------------------------
    majority  1,536         0.796         0.795         0.796         -0.001
                     0.75 to 0.84  0.75 to 0.83  0.76 to 0.83  -0.09 to 0.08
    elo       1,536         0.844         0.842         0.843          0.002
                     0.81 to 0.88  0.81 to 0.87  0.80 to 0.87  -0.05 to 0.04
    <BLANKLINE>
    Intervals hold 95% of 50 runs. f1 is that of the positive label, f1 negative
    that of the negative one. Bias is the mean of predicted less true label over
    items with the discriminatory feature.
    elo, 1,536 comparisons: f1 is higher than that of 1,536 votes in 49 of 50 runs;
    mean difference +0.048 (standard error 0.004).
    """
    model = LabellingModel() if model is None else model
    wanted = (model.comparisons_asked,) if comparisons is None else tuple(comparisons)
    if not wanted:
        raise OptionError("comparisons: give at least one number of comparisons.")
    for n in wanted:
        model.check_comparisons(n)
    chosen = _check(runs, methods, k, epochs, level, jobs)

    def run(generator: np.random.Generator) -> dict[str, Scores]:
        return _run(model, wanted, chosen, k, epochs, generator)

    found: list[dict[str, Scores]] = [{}] * runs
    generators = options.seed(rng).spawn(runs)
    # Kernels run without Python's lock, so that threads are enough.
    with ThreadPoolExecutor(jobs or _processors()) as pool:
        try:
            places = {pool.submit(run, each): place for place, each in enumerate(generators)}
            for done, future in enumerate(as_completed(places), 1):
                found[places[future]] = future.result()
                if progress is not None:
                    progress(done, runs)
        except BaseException:
            # An interrupted user should not wait for the runs that have not begun.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    scores = {method: np.stack([each[method] for each in found]) for method in chosen}
    return LabellingExperiment(model, wanted, scores, k, epochs, level, version=__version__)


def _run(
    model: LabellingModel,
    comparisons: Sequence[int],
    methods: Sequence[str],
    k: float,
    epochs: int,
    generator: np.random.Generator,
) -> dict[str, Scores]:
    """Scores of each method in one run; (tasks, scores) arrays."""
    from headcount.simulation._labelling_kernel import elo, majority

    streams = Streams.of(generator)
    truth = draw_truth(model, streams.truth)
    of_coin, *of_order = streams.methods.spawn(1 + len(comparisons))
    left, right, outcome, _ = draw_comparisons(model, truth, max(comparisons), streams.comparisons)

    def scored(label: NDArray[np.bool_]) -> Scores:
        return score_labels(label, truth.label, truth.feature)

    found: dict[str, Scores] = {}
    for method in methods:
        if method == "majority":
            said, _ = draw_votes(model, truth, streams.votes)
            found[method] = scored(majority(of_coin, said))[None]
            continue
        rows: list[Scores] = []
        for n, order in zip(comparisons, of_order, strict=True):
            part = left[:n], right[:n], outcome[:n]
            if method == "elo":
                rating = elo(order, model.items, *part, float(k), epochs, ELO_SLOPE)
            else:
                rating = _bradley_terry(model.items, *part)
            rows.append(scored(rating > 0))
        found[method] = np.stack(rows)
    return found


def _bradley_terry(items: int, left: Codes, right: Codes, outcome: Scores) -> Scores:
    """Ratings in logits, to well below what could change a label."""
    if not len(left):
        return np.zeros(items)
    compared = Comparisons(np.arange(items), left, right, outcome)
    wins = PairWins.of(compared, split=True, sided=False, by_rater=False)
    target = Model(wins, "half", False, PRIOR_SD)
    return maximise(target, target.start(), tolerance=1e-6, max_iter=100).point.z[:items]


def score_labels(
    label: NDArray[np.bool_], truth: NDArray[np.bool_], feature: NDArray[np.bool_]
) -> Scores:
    """Score labels against true ones: f1, f1_negative, accuracy, bias; NaN where undefined.

    Examples
    --------
    >>> truth = np.array([True, True, False, False])
    >>> score_labels(np.array([True, False, False, False]), truth, truth).round(3)
    array([ 0.667,  0.8  ,  0.75 , -0.5  ])
    """
    both = int(np.sum(label & truth))
    wrong = int(np.sum(label != truth))
    neither = len(truth) - both - wrong
    shown = int(feature.sum())
    gap = int(label[feature].sum()) - int(truth[feature].sum())
    return np.array(
        [
            2 * both / (2 * both + wrong) if both + wrong else math.nan,
            2 * neither / (2 * neither + wrong) if neither + wrong else math.nan,
            1 - wrong / len(truth),
            gap / shown if shown else math.nan,
        ]
    )


def _check(
    runs: int, methods: Sequence[str], k: float, epochs: int, level: float, jobs: int | None
) -> tuple[str, ...]:
    """Refuse options that make no sense; give the methods in their usual order."""
    for name, value in (("runs", runs), ("epochs", epochs), ("jobs", jobs)):
        if value is not None and value < 1:
            raise OptionError(f"{name} (--{name}) is a whole number from 1 on, not {value}.")
    if not 0 < k < math.inf:
        raise OptionError(f"k (--k) is a positive number, not {k:g}.")
    if not 0 < level < 1:
        raise OptionError(f"level (--level) is a share between 0 and 1, not {level:g}.")
    for method in methods:
        if method not in METHODS:
            raise unknown_name("method", method, METHODS)
    if not methods:
        raise OptionError(f"methods: name at least one of {', '.join(METHODS)}.")
    return tuple(method for method in METHODS if method in methods)


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
