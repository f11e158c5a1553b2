"""Votes against comparisons: both methods on simulated crowds, many times over."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount import options
from headcount.pairwise.experiments.methods import NAMES, LabellingMethod
from headcount.pairwise.experiments.prepare import Setup
from headcount.pairwise.experiments.records import ExperimentProvenance
from headcount.pairwise.experiments.result import LabellingExperiment
from headcount.pairwise.experiments.runs import run_all
from headcount.pairwise.experiments.scores import tell_undefined
from headcount.results.notes import Notes
from headcount.simulation.labelling_model import LabellingModel
from headcount.typing import Progress, Seed

__all__ = ["LabellingExperiment", "labelling_experiment"]


def labelling_experiment(
    model: LabellingModel | None = None,
    *,
    runs: int = 25,
    comparisons: Sequence[int] | None = None,
    methods: Sequence[str | LabellingMethod] = NAMES,
    k: float = 0.15,
    epochs: int = 20,
    level: float = 0.95,
    rng: Seed = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
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
    methods : sequence of str or LabellingMethod
        Some of 'majority', 'elo' and 'bradley-terry', or objects of a class of your own
        (:class:`headcount.pairwise.experiments.methods.LabellingMethod`).
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
    elo, 1,536 comparisons: f1 is higher than that of 1,536 votes in 49 of 50 runs;
    mean difference +0.048 (standard error 0.004).
    <BLANKLINE>
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
    """
    progress = options.callback(progress)
    setup = Setup.check(
        model,
        runs=runs,
        comparisons=comparisons,
        methods=methods,
        k=k,
        epochs=epochs,
        level=level,
        jobs=jobs,
    )
    found = run_all(setup, options.seed(rng), progress)
    scores = {each.name: np.stack([run[each.name] for run in found]) for each in setup.methods}
    notes = Notes()
    tell_undefined(scores, notes)
    return LabellingExperiment(
        model=setup.model,
        comparisons=setup.comparisons,
        methods=setup.methods,
        scores=scores,
        provenance=ExperimentProvenance(
            source="simulation",
            items_used=setup.model.items,
            n_raters=setup.model.raters,
            level=setup.level,
            seed=options.seed_number(rng),
            runs=setup.runs,
            k=setup.k,
            epochs=setup.epochs,
        ),
        notes=tuple(notes),
    )
