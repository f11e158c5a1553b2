"""Signs that speak against scores of a crowd, as far as passes over its votes show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from headcount.blind_evaluation.dependence.records import LOW_TAU
from headcount.blind_evaluation.methods.base import CrowdScored
from headcount.blind_evaluation.methods.catalogue import CHECKING, DIAGNOSING
from headcount.blind_evaluation.methods.tasks import CrowdTask
from headcount.blind_evaluation.methods.vote_truth import vote_shares
from headcount.results.notes import Note
from headcount.typing import Floats

__all__ = ["signs_of"]

LEAN = 0.06
"""Difference between the shares of a label by EM and by votes from which on crowds lean to a label.
Of simulated crowds of 3,000, those with a tenth of spammers were at .03 to .05, and those who lean
at .07 to .15; of their intervals by consensus .4 to .9 held (docs/studies/blind_large.md)."""


def signs_of(
    task: CrowdTask, scored: Mapping[str, CrowdScored], labels: tuple[str, ...]
) -> Iterator[Note]:
    """Say where EM and the votes contradict each other. One pass."""
    fit = task.fitted
    if fit is not None:
        by_em, by_votes = fit.prior, _shares(task)
        most = int(np.argmax(np.abs(by_em - by_votes)))
        if abs(by_em[most] - by_votes[most]) > LEAN:
            yield Note(
                f"EM takes {by_em[most]:.0%} of items for '{labels[most]}', and of the votes "
                f"{by_votes[most]:.0%} say so: classifiers lean to a label, which EM allows for "
                "and other scores do not, or they err together, which misleads EM. Compare both "
                "with some items that you label yourself.",
                "warning",
            )
    if DIAGNOSING.name in scored and CHECKING.name in scored:
        tau = _tau(scored[DIAGNOSING.name].scores[0], scored[CHECKING.name].scores[0])
        if tau < LOW_TAU:
            yield Note(
                "EM and the votes of the others disagree on the order of classifiers (Kendall's "
                f"tau {tau:.2f}): at least one of them is wrong.",
                "warning",
            )


def _shares(task: CrowdTask) -> Floats:
    """Share of the votes that each label has, mean over items."""
    total, items = np.zeros(task.blocks.n_labels), 0.0
    for votes, weight in task.blocks:
        total += weight @ vote_shares(votes)
        items += float(weight.sum())
    return total / items


def _tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of those with both scores, in O(K log K)."""
    from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

    known = ~np.isnan(x + y)
    found: Any = stats.kendalltau(x[known], y[known])  # pyright: ignore[reportUnknownMemberType]
    return float(found.statistic)
