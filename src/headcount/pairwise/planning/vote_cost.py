"""What the same labels cost by majority vote, in a simulated crowd like that of the pilot."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.comparisons import Comparisons
from headcount.errors import count
from headcount.pairwise.experiments.experiment import labelling_experiment
from headcount.pairwise.planning.accuracy_curve import Asked
from headcount.pairwise.planning.scaling_laws import crossing, rising
from headcount.simulation.labelling import LabellingModel
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["VoteCost", "agreement_between_raters", "matched_model", "vote_cost"]

MOST_ITEMS = 500
"""Items that are simulated: with more of them, tasks are counted in proportion."""
EACH = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
"""Comparisons an item at which f1 is known."""
RATED = ("elo", "bradley-terry")
DRAWS = 200

LARGEST = 10.0
"""Ambiguity in perception of raters who agree on nothing: more makes no difference."""


@dataclass(frozen=True)
class VoteCost:
    """Votes, and the comparisons that label as well, in a simulated crowd.

    Parameters
    ----------
    votes : int
        An item, by different raters.
    tasks : int
        Votes in all.
    f1 : Estimate
        Of the majority; the interval holds single runs.
    comparisons : dict of str to Estimate
        For each way to rate, comparisons that have the same f1; censored if it was not reached.
    for_target : dict of str to Estimate or None
        Comparisons that have the f1 that was asked for, likewise; None if none was.
    model : LabellingModel
        The crowd.
    matched : bool
        Whether its ambiguities were fitted to the pilot.
    runs : int
    """

    votes: int
    tasks: int
    f1: Estimate
    comparisons: dict[str, Estimate]
    for_target: dict[str, Estimate] | None
    model: LabellingModel
    matched: bool
    runs: int


def vote_cost(
    pilot: Comparisons,
    *,
    items: int,
    votes: int,
    target_f1: float | None = None,
    model: LabellingModel | None = None,
    runs: int = 50,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[VoteCost, list[str]]:
    """Simulate a crowd that votes and compares, and find the comparisons worth the votes.

    Parameters
    ----------
    pilot : Comparisons
    items, votes : int
        Items to label, and votes on each.
    target_f1 : float, optional
        An f1 to find the comparisons for as well.
    model : LabellingModel, optional
        The crowd; its items, votes and comparisons do not matter. Default:
        :func:`matched_model`.
    runs : int
        Simulated studies.
    level : float
    rng : int or Generator
    progress : callable, optional
        Called with the number of runs done and their total.

    Returns
    -------
    VoteCost, list of str
        And notes.
    """
    notes: list[str] = []
    matched = model is None
    if model is None:
        model, notes = matched_model(pilot)
    size = min(items, MOST_ITEMS)
    pairs = size * (size - 1) // 2
    grid = sorted({min(round(each * size), pairs) for each in EACH})
    model = replace(
        model, items=size, votes=votes, comparisons=None, raters=max(model.raters, votes)
    )
    found = labelling_experiment(
        model, runs=runs, comparisons=grid, level=level, rng=rng, progress=progress
    )
    scale = items / size
    draws = np.random.default_rng(0).multinomial(runs, np.full(runs, 1 / runs), size=DRAWS)
    weight = np.vstack([np.ones(runs), draws]) / runs
    wanted = weight @ np.nan_to_num(found.values("majority"))[:, 0]

    def needed(f1: Floats) -> dict[str, Estimate]:
        """Comparisons for an f1 by either rating, on the runs and on draws of them."""
        out: dict[str, Estimate] = {}
        for method in RATED:
            means = rising(weight @ np.nan_to_num(found.values(method)))
            n = scale * np.array(
                [crossing(np.array(grid), row, each) for row, each in zip(means, f1, strict=True)]
            )
            most = math.floor(scale * grid[-1])
            known = Estimate.from_draws(float(n[0]), n[1:], level=level, bounds=(0.0, most))
            out[method] = replace(known, method="bootstrap of runs")
        return out

    if size < items:
        notes.append(f"Votes were simulated for {count(size, 'item')}; tasks are in proportion.")
    cost = VoteCost(
        votes,
        votes * items,
        found.estimate("majority"),
        needed(wanted),
        None if target_f1 is None else needed(np.full(len(wanted), target_f1)),
        model,
        matched,
        runs,
    )
    return cost, notes


def agreement_between_raters(pilot: Comparisons) -> float:
    r"""Correlation of two answers to the same pair, :math:`E[x_1 x_2] / E[x^2]`.

    An answer x is 1, 0 (a tie) or -1. Which item comes first does not matter. NaN if no pair was
    asked twice. O(n log n).

    Examples
    --------
    >>> twice = Comparisons.from_columns("abab", "baba", ["left", "right", "left", "tie"])
    >>> agreement_between_raters(twice)
    0.6666666666666666
    """
    asked = Asked.of(pilot)
    answer = 2 * pilot.outcome[asked.rows] - 1
    answer[(pilot.left > pilot.right)[asked.rows]] *= -1
    total, squares = np.bincount(asked.pair, answer), np.bincount(asked.pair, answer**2)
    # All products of two different answers of a pair: (sum^2 - sum of squares) / 2.
    two = float(np.sum(asked.answers * (asked.answers - 1.0)) / 2)
    size = float(np.mean(answer**2))
    if two == 0 or size == 0:
        return math.nan
    return float(np.sum(total**2 - squares) / 2) / two / size


def matched_model(
    pilot: Comparisons, *, perception_ambiguity: float | None = None
) -> tuple[LabellingModel, list[str]]:
    r"""Find the ambiguities with which the model's raters tie and agree as those of the pilot.

    Of two random items, a rater perceives a difference :math:`N(0, 2(1 + \sigma_p^2))`, of which
    the part that raters share has variance 2. Ambiguity in comparison follows from the share of
    ties, and ambiguity in perception from :func:`agreement_between_raters`. Without pairs that
    were asked twice, the latter is the paper's. Diversity in thresholds, which comparisons do not
    show, is the paper's.

    Parameters
    ----------
    pilot : Comparisons
    perception_ambiguity : float, optional
        Take this one. Raters then tie as those of the pilot, but need not agree so.

    Returns
    -------
    LabellingModel, list of str
        And notes.
    """
    default = LabellingModel()
    ties = float((pilot.outcome == 0.5).mean())
    agreement = agreement_between_raters(pilot)
    notes: list[str] = []
    if perception_ambiguity is not None:
        sd = perception_ambiguity
    elif math.isnan(agreement):
        sd = default.perception_ambiguity
        notes.append(
            "No pair was asked twice, so that the pilot does not say how far raters agree; the "
            f"simulated ones have the paper's ambiguity in perception, {sd:g}."
        )
    else:
        shared = _shared(ties, agreement)
        sd = min(math.sqrt(1 / shared - 1) if shared > 0 else math.inf, LARGEST)
        if sd == LARGEST:
            notes.append(
                "Answers to the same pair hardly agree in the pilot; the simulated raters agree "
                "as little."
            )
    cut = NormalDist().inv_cdf((1 + min(ties, 0.99)) / 2) * math.sqrt(2 * (1 + sd**2))
    return replace(default, perception_ambiguity=sd, comparison_ambiguity=cut), notes


def _shared(ties: float, agreement: float) -> float:
    """Share of the variance of perceived differences that leads to the agreement of answers.

    Given the shared part c, answers are independent with mean m(c), so that the agreement is
    E[m(c)^2] / (1 - ties), which rises with the share. Solved by halving an interval.
    """
    cut = NormalDist().inv_cdf((1 + min(ties, 0.99)) / 2)
    nodes: Any = np.polynomial.hermite_e.hermegauss(64)
    node, weight = (np.asarray(each, dtype=np.float64) for each in nodes)
    low, high = 0.0, 1.0
    for _ in range(40):
        share = (low + high) / 2
        c, own = math.sqrt(share) * node, math.sqrt(1 - share)
        mean = _normal((c - cut) / own) - _normal((-c - cut) / own)
        found = float(np.sum(weight * mean**2) / np.sum(weight)) / (1 - min(ties, 0.99))
        low, high = (share, high) if found < agreement else (low, share)
    return (low + high) / 2 if low > 0 else 0.0


def _normal(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([NormalDist().cdf(float(each)) for each in x])
