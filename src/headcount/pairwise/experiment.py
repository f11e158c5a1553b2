"""Votes against comparisons: both ways to label, on simulated crowds, many times over."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError, count, option, percent, unknown_name
from headcount.pairwise.likelihood import Model, PairWins, maximise
from headcount.results.notes import Notes, Provenance
from headcount.results.result import Page, Result
from headcount.results.tables import Table
from headcount.simulation.labelling import (
    LabellingModel,
    Streams,
    draw_comparisons,
    draw_truth,
    draw_votes,
    take_model,
)
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import ONE_RUN, OVER_RUNS
from headcount.typing import Codes, Flags, Floats, Progress, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "PRIOR_SD",
    "Study",
    "LabellingMethod",
    "Majority",
    "BradleyTerryLabels",
    "catalogue",
    "NAMES",
    "labelling_experiment",
    "SCORES",
    "score_labels",
    "defined",
    "standard_error",
    "tell_undefined",
    "LabellingExperiment",
]


# Ways to label the items of a simulated study, by votes or by comparisons.
#
# A method is a class here, and an entry of :func:`catalogue`. To add one, derive from
# :class:`LabellingMethod`; :func:`headcount.labelling_experiment` also takes an object of a user's
# own class.

ELO_SLOPE = math.log(10) / 400
"""Log odds of a point of the paper's Elo: base 10, denominator 400."""
PRIOR_SD = 2.0
"""Of the logits that Bradley-Terry rates by. Without a prior, items that won or lost all of their
few comparisons would be infinitely far out. From 1 to 5 it matters little."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Study:
    """What one simulated study asked, as far as a method may see it.

    Parameters
    ----------
    items : int
    votes : (items, votes) array of bool
        Whether votes are positive; without columns if no method votes.
    left, right : (comparisons,) arrays of int
    outcome : (comparisons,) array of float
        Share of the point that goes to the left item.
    rng : Generator
        For what is left to chance.
    """

    items: int
    votes: Flags
    left: Codes
    right: Codes
    outcome: Floats
    rng: np.random.Generator


class LabellingMethod(ABC):
    """A way to label items as positive or negative.

    Attributes
    ----------
    name : str
    by_votes : bool
        Whether it labels by votes; else it does by comparisons.
    """

    name: ClassVar[str]
    by_votes: ClassVar[bool] = False

    @abstractmethod
    def label(self, study: Study) -> Flags:
        """Say whether each item is positive; (items,) array."""


class Majority(LabellingMethod):
    """The label of most votes; a coin decides where there are as many for either."""

    name = "majority"
    by_votes = True

    def label(self, study: Study) -> Flags:
        """Say whether each item is positive."""
        from headcount.pairwise._kernels import majority

        return majority(study.rng, study.votes)


@dataclass(frozen=True)
class EloLabels(LabellingMethod):
    """Elo as published, started from 0; items above it are positive.

    Parameters
    ----------
    k : float
        Step.
    epochs : int
        Passes through the comparisons, each in a new random order.
    """

    name = "elo"

    k: float
    epochs: int

    def label(self, study: Study) -> Flags:
        """Say whether each item is positive."""
        from headcount.pairwise._kernels import elo

        played = study.left, study.right, study.outcome
        return elo(study.rng, study.items, *played, self.k, self.epochs, ELO_SLOPE) > 0


class BradleyTerryLabels(LabellingMethod):
    """What Elo tends to, found directly; items above the mean are positive."""

    name = "bradley-terry"

    def label(self, study: Study) -> Flags:
        """Say whether each item is positive."""
        if not len(study.left):
            return np.zeros(study.items, dtype=bool)
        compared = Comparisons(
            items=np.arange(study.items),
            left=study.left,
            right=study.right,
            outcome=study.outcome,
        )
        wins = PairWins.of(compared, split=True)
        target = Model(wins, prior=PRIOR_SD)
        # To well below what could change a label.
        fit = maximise(target, target.start(), tolerance=1e-6, max_iter=100)
        return fit.point.z[: study.items] > 0


def catalogue(k: float, epochs: int) -> dict[str, LabellingMethod]:
    """List the methods by name; k and epochs are those of Elo."""
    methods: list[LabellingMethod] = [Majority(), EloLabels(k, epochs), BradleyTerryLabels()]
    return {method.name: method for method in methods}


NAMES = tuple(each.name for each in (Majority, EloLabels, BradleyTerryLabels))


def labelling_experiment(
    model: LabellingModel | None = None,
    *,
    runs: int = 25,
    comparisons: Sequence[int] | None = None,
    methods: Sequence[str | LabellingMethod] = NAMES,
    k: float = 0.15,
    epochs: int = 20,
    level: float = 0.95,
    seed: Seed = 0,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> LabellingExperiment:
    r"""Simulate studies in which items are labelled by votes and by comparisons, and score both.

    * `majority`: the label with most votes; ties are decided at random.
    * `elo`: the paper's ratings, starting from 0, with base 10 and denominator 400, through all
      comparisons in a new random order each epoch, separately for each number of comparisons. With
      the paper's step k = .15 they stay so close to 0 that they only count wins; k = 32 is close to
      equilibrium.
    * `bradley-terry`: the limit of Elo, computed directly, without step, epochs or order: the most
      probable logits under a wide prior, N(0, 2^2), which keeps ratings of unbeaten items finite.

    Ratings have mean 0. Items above 0 are labelled positive, all others (including those never
    compared) negative. Scores:

    * `f1` :math:`= 2\,TP / (2\,TP + FP + FN)` of the positive label, and `f1_negative` of the
      negative one. What the paper's figures call the f1 of the positive label is that of the
      negative one in its code; the two differ where few items have been compared.
    * `accuracy`: share of labels that are right.
    * `bias`: mean of predicted minus true label (1 or 0) over the items with the discriminatory
      feature.

    Parameters
    ----------
    model : LabellingModel, optional
        Default: the paper's parameters.
    runs : int
        Number of studies. Paper: 25.
    comparisons : sequence of int, optional
        Score after each of these numbers of comparisons; a smaller set is the beginning of a larger
        one. Default: the number in the model.
    methods : sequence of str or LabellingMethod
        Some of 'majority', 'elo' and 'bradley-terry', or objects of a class of your own
        (:class:`headcount.pairwise.experiment.LabellingMethod`).
    k, epochs : float, int
        Step and number of epochs of Elo. Paper: .15 and 20.
    level : float
        Share of the runs that intervals hold.
    seed : int or Generator
        Seed or generator. Each run has its own random numbers, spawned from it (the paper's runs
        are not independent). More runs include the same first ones.
    jobs : int, optional
        How many runs at a time, each in a thread. Default: one per processor. Results do not depend
        on it.
    progress : callable, optional
        Called with the number of runs done and their total.

    Returns
    -------
    LabellingExperiment

    Notes
    -----
    O(items + raters + epochs x comparisons) for each run and number of comparisons: about 1 ms for
    512 items and 1,536 comparisons, a second for 32,768 and 340,695.

    Examples
    --------
    >>> diverse = LabellingModel(threshold_diversity=1.0)
    >>> labelling_experiment(diverse, runs=50, methods=["majority", "elo"], seed=1)
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
    Intervals: the middle 95% of 50 runs. f1 is that of the positive label, f1 negative
    that of the negative one. Bias is the mean of predicted minus true label over
    the items with a simulated feature that raters may weigh.
    """
    progress = options.callback(progress)
    model = take_model(model)
    k = options.number(k, "k", above=0, such_as="0.15")
    epochs = options.whole(epochs, "epochs", least=1, most=MOST_EPOCHS)
    if jobs is not None:
        jobs = options.whole(jobs, "jobs", least=1, most=MOST_JOBS)
    chosen = _methods(methods, catalogue(k, epochs))
    numbers = _numbers(model, comparisons)
    runs = options.whole(runs, "runs", least=1, most=MOST_RUNS)
    level = options.level(level)
    generators = options.seed(seed).spawn(runs)
    run = partial(_run, model, chosen, numbers)
    by_run = run_all(run, generators, jobs or _processors(), progress)
    scores = {each.name: np.stack([run[each.name] for run in by_run]) for each in chosen}
    notes = Notes()
    tell_undefined(scores, notes)
    return LabellingExperiment(
        model=model,
        comparisons=numbers,
        methods=chosen,
        scores=scores,
        provenance=ExperimentProvenance(
            source="simulation",
            items_used=model.items,
            n_raters=model.raters,
            level=level,
            seed=options.seed_number(seed),
            runs=runs,
            k=k,
            epochs=epochs,
        ),
        notes=tuple(notes),
    )


# What an experiment is asked for, checked.

MOST_RUNS = 1_000_000
MOST_EPOCHS = 100_000
MOST_JOBS = 1_000


def _numbers(model: LabellingModel, comparisons: Any) -> tuple[int, ...]:
    """Numbers of comparisons after which methods are scored."""
    if comparisons is None:
        return (model.comparisons_asked,)
    numbers = options.listed(comparisons, "comparisons", "numbers")
    wanted = tuple(model.check_comparisons(n) for n in numbers)
    if not wanted:
        raise OptionError(f"{option('comparisons')}: give at least one number of comparisons.")
    return wanted


def _methods(wanted: Any, built_in: dict[str, LabellingMethod]) -> tuple[LabellingMethod, ...]:
    """Methods in their usual order, then a user's own."""
    methods = options.listed(wanted, "methods", "methods")
    own = [each for each in methods if isinstance(each, LabellingMethod)]
    names = options.several_of([each for each in methods if each not in own], "methods", NAMES,
                               "method")  # fmt: skip
    chosen = (*(method for name, method in built_in.items() if name in names), *own)
    if not chosen:
        raise OptionError(f"{option('methods')}: name at least one of {', '.join(NAMES)}.")
    if len({method.name for method in chosen}) < len(chosen):
        raise OptionError(f"{option('methods')}: two methods have the same name; change one.")
    return chosen


def _processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# Runs of an experiment, each on its own simulated crowd.


def run_all(
    run: Callable[[np.random.Generator], dict[str, Floats]],
    generators: Sequence[np.random.Generator],
    jobs: int,
    progress: Progress | None,
) -> list[dict[str, Floats]]:
    """Do the runs, in their order. Kernels run without Python's lock: threads are enough."""
    scores: list[dict[str, Floats]] = [{}] * len(generators)
    with ThreadPoolExecutor(jobs) as pool:
        try:
            index = {pool.submit(run, each): at for at, each in enumerate(generators)}
            for done, future in enumerate(as_completed(index), 1):
                scores[index[future]] = future.result()
                if progress is not None:
                    progress(done, len(generators))
        except BaseException:
            # An interrupted user should not wait for the runs that have not begun.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return scores


def _run(
    model: LabellingModel,
    methods: Sequence[LabellingMethod],
    comparisons: Sequence[int],
    generator: np.random.Generator,
) -> dict[str, Floats]:
    """Scores of each method in one run; (tasks, scores) arrays."""
    streams = Streams.of(generator)
    truth = draw_truth(model, streams.truth)
    left, right, outcome, _ = draw_comparisons(model, truth, max(comparisons), streams.comparisons)
    votes = np.zeros((model.items, 0), dtype=bool)
    if any(method.by_votes for method in methods):
        votes, _ = draw_votes(model, truth, streams.votes)
    of_votes, *of_comparisons = streams.seeds(1 + len(comparisons))

    def scored(method: LabellingMethod, n: int, seed: np.random.SeedSequence) -> Floats:
        study = Study(
            items=model.items,
            votes=votes,
            left=left[:n],
            right=right[:n],
            outcome=outcome[:n],
            rng=streams.again(seed),
        )
        return score_labels(method.label(study), truth.label, truth.feature)

    scores: dict[str, Floats] = {}
    for method in methods:
        if method.by_votes:
            scores[method.name] = scored(method, 0, of_votes)[None]
            continue
        scores[method.name] = np.stack(
            [scored(method, n, seed)
             for n, seed in zip(comparisons, of_comparisons, strict=True)]
        )  # fmt: skip
    return scores


# How well labels agree with true ones, in one run and over many.

SCORES = ("f1", "f1_negative", "accuracy", "bias")


def score_labels(label: Flags, truth: Flags, feature: Flags) -> Floats:
    """Score labels against true ones, as :data:`SCORES` has them; NaN where undefined.

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


def defined(values: Floats) -> Floats:
    """Keep the scores of the runs in which there is one."""
    return values[np.isfinite(values)]


def over_runs(values: Floats, level: float) -> Estimate:
    """Mean of what is defined, and the percentiles that hold `level` of it."""
    kept = defined(values)
    if not len(kept):
        return Estimate(math.nan, undefined="no item has the label or the discriminatory feature")
    mean = float(kept.mean())
    if len(kept) == 1:
        return Estimate(mean, method=ONE_RUN.name)
    return Estimate.from_draws(mean, kept, level=level, method=OVER_RUNS)


def standard_error(values: Floats) -> float | None:
    """Compute the standard error of a mean over runs; None for one run."""
    kept = defined(values)
    return float(kept.std(ddof=1)) / math.sqrt(len(kept)) if len(kept) > 1 else None


def tell_undefined(scores: Mapping[str, Floats], notes: Notes) -> None:
    """Say in how many runs a score is undefined."""
    undefined = np.any([np.isnan(values).any((1, 2)) for values in scores.values()], axis=0)
    if undefined.any():
        notes.caution(
            f"a score is undefined in {int(undefined.sum()):,} of "
            f"{count(len(undefined), 'run')}, where no item has the label or the discriminatory "
            "feature; means leave them out. Simulate more items."
        )


# What an experiment with simulated crowds holds.


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
class LabellingExperiment(Result):
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

    Examples
    --------
    >>> from headcount import LabellingModel, labelling_experiment
    >>> small = LabellingModel(items=50, raters=20)
    >>> found = labelling_experiment(small, runs=4, methods=["majority", "elo"], seed=1)
    >>> found.to_dict()["seed"]
    1
    """

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
            for index, tasks in enumerate(self.tasks(method)):
                yield method, index, tasks

    def page(self) -> Page:
        """Say how methods compare with votes, what they scored, and what scores mean."""
        headline = [_against_votes(self, method) for method in self.compared if self.baseline]
        body: list[list[str]] = []
        for method, index, tasks in self.rows():
            scored = [self.estimate(method, name, index) for name in SCORES]
            body.append([method, f"{tasks:,}", *map(_value, scored)])
            if self.runs > 1:
                # Below: four intervals beside their values would not fit a page.
                body.append(["", "", *(e.interval(2) for e in scored)])
        head = ["method", "tasks", *(name.replace("_", " ") for name in SCORES)]
        foot = (
            "f1 is that of the positive label, f1 negative that of the negative one. Bias is the "
            "mean of predicted minus true label over the items with a simulated feature that "
            "raters may weigh."
        )
        if self.runs > 1:
            few = self.runs * (1 - self.level) < 2  # less than a run at either end
            what = f"the spread of {self.runs:,} runs, too few for {percent(self.level)} intervals"
            middle = f"the middle {percent(self.level)} of {self.runs:,} runs"
            foot = f"Intervals: {what if few else middle}. {foot}"
        return Page(headline or [_best(self)], [Table(head, body)], [foot])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per run, method and number of tasks: `run`, `method`, `tasks`, scores."""
        rows = list(self.rows())
        scores = np.concatenate([self.scores[method][:, index] for method, index, _ in rows])
        return {
            "run": list(range(self.runs)) * len(rows),
            "method": [method for method, _, _ in rows for _ in range(self.runs)],
            "tasks": [tasks for _, _, tasks in rows for _ in range(self.runs)],
            **{name: scores[:, i].tolist() for i, name in enumerate(SCORES)},
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to an experiment in its JSON document."""
        methods: list[dict[str, Any]] = []
        differences: list[dict[str, Any]] = []
        for method, index, tasks in self.rows():
            row = {"method": method, "tasks": tasks}
            values = {name: self.values(method, name)[:, index] for name in SCORES}
            methods.append(row | {name: self._score(x) for name, x in values.items()})
            if method not in self.compared or self.baseline is None:
                continue
            gap = {name: self.difference(method, name)[:, index] for name in SCORES}
            differences.append(row | {name: self._score(x) for name, x in gap.items()})
            differences[-1]["runs_with_higher_f1"] = int(np.sum(gap["f1"] > 0))
        return {
            "methods": methods,
            "differences": differences,
            "model": self.model.to_dict(),
            "k": self.provenance.k,
            "epochs": self.provenance.epochs,
            "runs": self.runs,
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw mean f1 of each method against the number of tasks (needs matplotlib)."""
        from headcount.pairwise.plot import plot_experiment

        return plot_experiment(self, ax)

    def _score(self, values: Floats) -> dict[str, Any]:
        """Write a score over runs as JSON, with the standard error of its mean."""
        error = standard_error(values)
        return {**over_runs(values, self.level).to_dict(), "standard_error": error}


# An experiment in words: who labels better.


def _against_votes(experiment: LabellingExperiment, method: str) -> str:
    """Say which is better, votes or the largest number of comparisons."""
    gap = defined(experiment.difference(method)[:, -1])
    subject = f"{method}, {count(experiment.comparisons[-1], 'comparison')}"
    if not len(gap):
        return f"{subject}: f1 is undefined in every run."
    error = standard_error(gap)
    return (
        f"{subject}: f1 is higher than that of {count(experiment.model.votes_asked, 'vote')} in "
        f"{np.sum(gap > 0):,} of {count(len(gap), 'run')}; mean difference {gap.mean():+.3f}"
        + ("." if error is None else f" (standard error {error:.3f}).")
    )


def _best(experiment: LabellingExperiment) -> str:
    """Say what the last method reached, where there is nothing to hold it against."""
    method, index, tasks = list(experiment.rows())[-1]
    f1 = _value(experiment.estimate(method, "f1", index))
    return f"{method}, {count(tasks, 'task')}: mean f1 {f1} in {count(experiment.runs, 'run')}."


def _value(estimate: Estimate) -> str:
    return "undefined" if estimate.undefined else estimate.show(estimate.value)
