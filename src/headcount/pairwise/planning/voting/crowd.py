"""A simulated crowd whose raters tie and agree as those of a pilot."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.errors import OptionError, option
from headcount.pairwise.planning.prepare import Asked
from headcount.results.notes import Notes
from headcount.simulation.labelling_model import LabellingModel
from headcount.typing import Floats

__all__ = ["Ambiguity", "Crowd", "agreement_between_raters", "choose_crowd", "matched_model"]

LARGEST = 10.0
"""Ambiguity in perception of raters who agree on nothing: more makes no difference."""


@dataclass(frozen=True)
class Crowd:
    """A simulated crowd, and whether its ambiguities were fitted to the pilot."""

    model: LabellingModel
    matched: bool


@dataclass(frozen=True, kw_only=True)
class Ambiguity:
    """What of a crowd the caller gives; the rest is the pilot's (None)."""

    perception: float | None = None
    comparison: float | None = None
    threshold: float | None = None

    @classmethod
    def check(cls, perception: Any, comparison: Any, threshold: Any) -> Ambiguity:
        """Check what the caller gave."""

        def number(value: Any, name: str) -> float | None:
            return None if value is None else options.number(value, name, least=0)

        return cls(
            perception=number(perception, "perception_ambiguity"),
            comparison=number(comparison, "comparison_ambiguity"),
            threshold=number(threshold, "threshold_diversity"),
        )

    @property
    def given(self) -> bool:
        """Whether anything was given."""
        return self != Ambiguity()


def choose_crowd(
    pilot: Comparisons, model: LabellingModel | None, ambiguity: Ambiguity, notes: Notes
) -> Crowd:
    """Take the crowd that was given, or make one like the pilot's but for what was given of it."""
    if model is not None:
        if ambiguity.given:
            raise OptionError(
                f"{option('model')} is a whole crowd: give its ambiguities and its diversity as "
                "parts of it, or leave it out."
            )
        return Crowd(model, matched=False)
    made = matched_model(pilot, notes, perception_ambiguity=ambiguity.perception)
    if ambiguity.comparison is not None:
        made = replace(made, comparison_ambiguity=ambiguity.comparison)
    if ambiguity.threshold is not None:
        made = replace(made, threshold_diversity=ambiguity.threshold)
    return Crowd(made, matched=not ambiguity.given)


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
    pilot: Comparisons, notes: Notes, *, perception_ambiguity: float | None = None
) -> LabellingModel:
    r"""Find the ambiguities with which the model's raters tie and agree as those of the pilot.

    Of two random items, a rater perceives a difference :math:`N(0, 2(1 + \sigma_p^2))`, of which
    the part that raters share has variance 2. Ambiguity in comparison follows from the share of
    ties, and ambiguity in perception from :func:`agreement_between_raters`. Without pairs that
    were asked twice, the latter is the paper's. Diversity in thresholds, which comparisons do not
    show, is the paper's.

    Parameters
    ----------
    pilot : Comparisons
    notes : Notes
        Takes what a reader should know.
    perception_ambiguity : float, optional
        Take this one. Raters then tie as those of the pilot, but need not agree so.
    """
    default = LabellingModel()
    ties = float((pilot.outcome == 0.5).mean())
    agreement = agreement_between_raters(pilot)
    if perception_ambiguity is not None:
        sd = perception_ambiguity
    elif math.isnan(agreement):
        sd = default.perception_ambiguity
        notes.caution(
            "No pair was asked twice, so that the pilot does not say how far raters agree; the "
            f"simulated ones have the paper's ambiguity in perception, {sd:g}. Ask some pairs "
            "twice."
        )
    else:
        shared = _shared(ties, agreement)
        sd = min(math.sqrt(1 / shared - 1) if shared > 0 else math.inf, LARGEST)
        if sd == LARGEST:
            notes.caution(
                "Answers to the same pair hardly agree in the pilot; the simulated raters agree "
                "as little."
            )
    cut = NormalDist().inv_cdf((1 + min(ties, 0.99)) / 2) * math.sqrt(2 * (1 + sd**2))
    return replace(default, perception_ambiguity=sd, comparison_ambiguity=cut)


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


def _normal(x: Floats) -> Floats:
    return np.array([NormalDist().cdf(float(each)) for each in x])
