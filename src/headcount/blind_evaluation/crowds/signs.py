"""Signs that speak against scores of a crowd, as far as passes over its votes show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from headcount.blind_evaluation.crowds.crowd import Crowd
from headcount.blind_evaluation.dependence.records import LOW_TAU
from headcount.blind_evaluation.methods.base import CrowdScored, Method
from headcount.blind_evaluation.methods.catalogue import CHECKING, DIAGNOSING, DIRECT
from headcount.blind_evaluation.methods.tasks import CrowdTask
from headcount.blind_evaluation.methods.vote_truth import vote_shares, winners
from headcount.blind_evaluation.scoring.sizes import ENOUGH_ITEMS
from headcount.errors import count
from headcount.results.notes import Note
from headcount.typing import Floats

__all__ = ["against_gold", "signs_of"]

LEAN = 0.06
"""Difference between the shares of a label by EM and by votes from which on crowds lean to a label.
Of simulated crowds of 3,000 whose workers all lean, it warns of all, and of 1 of 15 with a tenth of
spammers (docs/studies/blind_large.md)."""

FAR = 0.05
"""Share of the items with gold by which labels may be wrong more often than they say."""


def signs_of(
    task: CrowdTask, scored: Mapping[str, CrowdScored], labels: tuple[str, ...]
) -> Iterator[Note]:
    """Say where EM and the votes contradict each other. One pass."""
    fit = task.fitted
    by_votes, several = _shares(task)
    if several < ENOUGH_ITEMS:
        yield Note(
            f"{count(several, 'item')} only have labels of two classifiers or more: nothing tells "
            "how good they are.",
            "warning",
        )
    if fit is not None:
        by_em = fit.prior
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


def against_gold(
    crowd: Crowd, labelling: Method, scored: Mapping[str, CrowdScored]
) -> Iterator[Note]:
    r"""Say where gold contradicts the labels that votes make, and why it does not rank.

    The labels of n items with probabilities p are right in the mean of p of them, up to three
    standard errors, :math:`\sqrt{\sum p (1 - p)} / n`, if what the method assumes is so.
    """
    truth_of, on_gold = scored[labelling.name].truth, scored.get(DIRECT.name)
    if not crowd.known_items or truth_of is None:
        return
    n = sure = right = variance = 0.0
    for votes, weight in crowd.blocks:
        rows = np.flatnonzero(votes.gold >= 0)
        truth = truth_of(votes)[rows]
        best = truth.max(axis=1)
        often = weight[rows]
        n += float(often.sum())
        sure += float(often @ best)
        right += float(often @ winners(truth)[np.arange(len(rows)), votes.gold[rows]])
        variance += float(often @ (best * (1 - best)))
    if sure - right > max(3 * np.sqrt(variance), FAR * n):
        yield Note(
            f"On {count(crowd.known_items, 'item')} with {crowd.people}, labels by "
            f"{labelling.short} are right in {right / n:.0%}, and should be in {sure / n:.0%} if "
            "classifiers erred independently: scores by votes are off.",
            "warning",
        )
    if on_gold is not None and on_gold.sizes is not None:
        middle = float(np.median(on_gold.sizes.labelled))
        if middle < ENOUGH_ITEMS:
            yield Note(
                f"Items with {crowd.people} are too few to rank by: half of the classifiers "
                f"labelled {middle:,.0f} of them or fewer, and {ENOUGH_ITEMS} are enough.",
                "caution",
            )


def _shares(task: CrowdTask) -> tuple[Floats, int]:
    """Share of the votes that each label has, mean over items; and items with several votes."""
    total, items, several = np.zeros(task.blocks.n_labels), 0.0, 0.0
    for votes, weight in task.blocks:
        total += weight @ vote_shares(votes)
        items += float(weight.sum())
        several += float(weight[np.diff(votes.start) > 1].sum())
    return total / items, round(several)


def _tau(x: Floats, y: Floats) -> float:
    """Kendall's tau-b of those with both scores, in O(K log K)."""
    from scipy import stats  # pyright: ignore[reportMissingTypeStubs]

    known = ~np.isnan(x + y)
    if known.sum() < 2 or np.ptp(x[known]) == 0 or np.ptp(y[known]) == 0:
        return float("nan")
    found: Any = stats.kendalltau(x[known], y[known])  # pyright: ignore[reportUnknownMemberType]
    return float(found.statistic)
