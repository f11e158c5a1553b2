"""Every method on the data and on the same bootstrap draws."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from headcount.blind_evaluation.dawid_skene.dawid_skene import DawidSkene, fit, refits
from headcount.blind_evaluation.methods import supervised
from headcount.blind_evaluation.methods.catalogue import METHODS
from headcount.blind_evaluation.methods.direct import gold_truth
from headcount.blind_evaluation.methods.ppi import ppi, ppi_scores
from headcount.blind_evaluation.methods.round_robin import robin_influence, round_robin
from headcount.blind_evaluation.methods.sampling import sampled_scores
from headcount.blind_evaluation.methods.scoring import covariance, influence, joint, tables
from headcount.blind_evaluation.methods.vote_truth import (
    leave_group_out,
    leave_one_out,
    majority,
    shares_of_others,
    vote_shares,
)
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.votes import Votes
from headcount.stats.draws import resample
from headcount.typing import Floats, Progress

__all__ = ["Scored", "Settings", "score_all"]


MOST_WORK = 2 * 10**10
"""Multiplications up to which a method is worked out anew in every bootstrap draw."""
BLOCK_CELLS = 4 * 10**6
"""Weights held at once while resampling: 32 MB."""
EM_ITERATIONS = 10
"""Iterations that a warm-started refit takes, about."""


@dataclass(frozen=True, eq=False)
class Scored:
    """What one method says of all classifiers.

    Parameters
    ----------
    scores : (metrics, classifiers) array
        Nan where undefined.
    draws : (bootstrap, metrics, classifiers) array
        The same on bootstrap draws; empty where there are none.
    covariance : (metrics, classifiers, classifiers) array or None
        Of the scores, to first order, given the truth that the method sees.
    truth : (rows, labels) array or None
        That truth, where it is one for all classifiers and metrics.
    undefined : str or None
        Why the method has no scores.
    """

    scores: Floats
    draws: Floats
    covariance: Floats | None = None
    truth: Floats | None = None
    undefined: str | None = None


@dataclass(frozen=True)
class Settings:
    """How to estimate: see :func:`headcount.blind`."""

    bootstrap: int
    sampling_draws: int
    smoothing: float
    restarts: int


@dataclass
class Scores:
    """Results of all methods so far, and what there is to say about them."""

    scored: dict[str, Scored] = field(default_factory=dict[str, Scored])
    fits: dict[str, DawidSkene] = field(default_factory=dict[str, DawidSkene])
    notes: list[str] = field(default_factory=list[str])


Rescore = Callable[[Floats], Floats]
"""From (draws, rows) weights to (draws, metrics, classifiers) scores."""


def score_all(
    votes: Votes,
    metrics: Metrics,
    names: Sequence[str],
    settings: Settings,
    rng: np.random.Generator,
    progress: Progress | None = None,
) -> Scores:
    """Score all classifiers by all methods, on the data and on common bootstrap draws.

    Notes
    -----
    Where the truth does not depend on the draw (votes, sampling, direct), a draw costs
    O(votes x labels). Dawid-Skene is fitted anew to each draw from where it was, round robin
    counts anew; above about 2 * 10^10 multiplications in all they are not, and a note says so.
    Truths that scikit-learn learned stay as they are, which a note says too.
    """
    found = Scores()
    if settings.bootstrap and (learned := [METHODS[n].short for n in names if n in LEARNERS]):
        found.notes.append(
            f"Intervals of {', '.join(learned)} take the truth as learned: it is not learned anew "
            "in bootstrap draws. They are too narrow."
        )
    weight = votes.multiplicity.astype(np.float64)
    drawn = np.random.default_rng(rng.integers(2**63))
    rescore: dict[str, Rescore] = {}
    for name in names:
        try:
            found.scored[name], again = _score(name, votes, weight, metrics, settings, drawn, found)
        except supervised.NotPossible as reason:
            nothing = np.full((len(metrics.names), len(votes.classifiers)), np.nan)
            found.scored[name] = Scored(nothing, nothing[None][:0], undefined=str(reason))
            continue
        if again is not None:
            rescore[name] = again
    draws: dict[str, list[Floats]] = {name: [] for name in rescore}
    block = max(1, BLOCK_CELLS // len(weight))
    done = 0
    for weights in resample(votes.multiplicity, settings.bootstrap, rng, block=block):
        for name, again in rescore.items():
            draws[name].append(again(weights))
        done += len(weights)
        if progress is not None:
            progress(done, settings.bootstrap)
    for name, blocks in draws.items():
        if blocks:
            found.scored[name] = replace(found.scored[name], draws=np.concatenate(blocks))
    return found


def _score(
    name: str,
    votes: Votes,
    weight: Floats,
    metrics: Metrics,
    settings: Settings,
    rng: np.random.Generator,
    found: Scores,
) -> tuple[Scored, Rescore | None]:
    """Score by one method; and how to do it again on other weights, None if that is too much."""
    if name == "round-robin":
        return _round_robin(votes, weight, metrics, settings, found)
    if name in ("em", "grouped-em"):
        return _em(name, votes, weight, metrics, settings, rng, found)
    if name == "ppi":
        proxy = shares_of_others(votes)
        powered = ppi(votes, weight, metrics, proxy)
        spread = covariance(powered.parts, weight)
        return _scored(powered.scores, spread), lambda weights: ppi_scores(
            votes, weights, metrics, proxy, powered.power
        )
    if name == "calibrated-majority":
        return _by_metric(votes, weight, metrics)
    if name == "naive-bayes":
        first = _against(votes, supervised.naive_bayes(votes, weight), weight, metrics)
        return first[0], lambda weights: np.stack(
            [_again(votes, supervised.naive_bayes, w, metrics) for w in weights]
        )
    if name in LEARNERS:
        return _against(votes, LEARNERS[name](votes, weight), weight, metrics)
    scored, again = _against(votes, TRUTHS[name](votes), weight, metrics)
    if name == "sampling" and settings.sampling_draws:
        drawn = sampled_scores(votes, metrics, draws=settings.sampling_draws, rng=rng)
        return replace(scored, scores=drawn), again
    return scored, again


TRUTHS: dict[str, Callable[[Votes], Floats]] = {
    "sampling": vote_shares,
    "majority": majority,
    "leave-one-out": leave_one_out,
    "leave-group-out": leave_group_out,
    "direct": gold_truth,
}
LEARNERS = {
    "glm": supervised.glm,
    "svm": supervised.svm,
    "adaboost": supervised.adaboost,
}


def _scored(scores: Floats, spread: Floats | None, truth: Floats | None = None) -> Scored:
    return Scored(scores, scores[None][:0], spread, truth)


def _against(
    votes: Votes, truth: Floats, weight: Floats, metrics: Metrics
) -> tuple[Scored, Rescore]:
    """Score against a truth that does not depend on the draw."""
    parts = joint(votes, truth)
    size = len(votes.labels)

    def again(weights: Floats) -> Floats:
        flat = np.asarray((parts @ weights.T).T)
        scores = metrics.scores(flat.reshape(len(weights), -1, size, size))
        return np.swapaxes(scores, 1, 2)

    one_for_all = truth if len(truth) == len(votes.multiplicity) else None
    items = None if one_for_all is None else float(weight[truth.sum(axis=1) > 0].sum())
    spread = covariance(influence(votes, truth, weight, metrics), weight, items)
    return _scored(again(weight[None])[0], spread, one_for_all), again


def _again(
    votes: Votes, learn: Callable[[Votes, Floats], Floats], weight: Floats, metrics: Metrics
) -> Floats:
    """Score against a truth learned from one draw; nan where the draw has too little gold."""
    try:
        truth = learn(votes, weight)
    except supervised.NotPossible:
        return np.full((len(metrics.names), len(votes.classifiers)), np.nan)
    return metrics.scores(tables(votes, truth, weight)).T


def _by_metric(votes: Votes, weight: Floats, metrics: Metrics) -> tuple[Scored, Rescore]:
    """Score each metric against the truth that was tuned for it."""

    def scores(weight: Floats) -> Floats:
        truths = supervised.calibrated_majority(votes, weight, metrics)
        return np.stack(
            [metrics.scores(tables(votes, t, weight))[:, m] for m, t in enumerate(truths)]
        )

    def again(weights: Floats) -> Floats:
        out = np.full((len(weights), len(metrics.names), len(votes.classifiers)), np.nan)
        for draw, w in zip(out, weights, strict=True):
            with suppress(supervised.NotPossible):
                draw[:] = scores(w)
        return out

    truths = supervised.calibrated_majority(votes, weight, metrics)
    spread = np.stack(
        [
            covariance(influence(votes, truth, weight, metrics), weight)[m]
            for m, truth in enumerate(truths)
        ]
    )
    return _scored(scores(weight), spread, truths[0]), again


def _round_robin(
    votes: Votes, weight: Floats, metrics: Metrics, settings: Settings, found: Scores
) -> tuple[Scored, Rescore | None]:
    size = len(votes.classifiers) * len(votes.labels)
    scores = round_robin(votes, weight, metrics)
    work = len(weight) * size**2
    if work > MOST_WORK:
        found.notes.append("Round robin has no intervals and ranks: classifiers are too many.")
        return _scored(scores, None), None
    spread = covariance(robin_influence(votes, weight, metrics), weight)
    if work * settings.bootstrap > MOST_WORK:
        found.notes.append(
            "Intervals of round robin are normal ones, to first order: a bootstrap would take "
            "too long."
        )
        return _scored(scores, spread), None
    return _scored(scores, spread), lambda weights: np.stack(
        [round_robin(votes, w, metrics) for w in weights]
    )


def _em(
    name: str,
    votes: Votes,
    weight: Floats,
    metrics: Metrics,
    settings: Settings,
    rng: np.random.Generator,
    found: Scores,
) -> tuple[Scored, Rescore]:
    fitted = fit(
        votes,
        vote_weight=votes.group_weight if name == "grouped-em" else None,
        smoothing=settings.smoothing,
        restarts=settings.restarts,
        rng=rng,
    )
    found.fits[name] = fitted
    title = METHODS[name].short
    if not fitted.converged:
        found.notes.append(
            f"{title} has not converged after {fitted.n_iter:,} iterations: its scores are not "
            "those of the maximum of the likelihood."
        )
    scored, again = _against(votes, fitted.truth, weight, metrics)
    if not settings.bootstrap:
        found.notes.append(
            f"Without bootstrap draws, intervals and ranks of {title} take the fitted truth as "
            "given. They are too sure."
        )
    work = len(votes.label) * len(votes.labels) * EM_ITERATIONS * settings.bootstrap
    if work > MOST_WORK:
        found.notes.append(
            f"Intervals of {title} take the fitted truth as given: to fit it anew in every "
            "bootstrap draw would take too long. They are too narrow."
        )
        return scored, again

    def refit(weights: Floats) -> Floats:
        return np.swapaxes(metrics.scores(refits(votes, fitted, [weights]).table), 1, 2)

    return scored, refit
