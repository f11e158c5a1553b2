"""What raters are judged by: their comparisons, in order, and the answers that are known."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.ranked_pairs import disjoint_pairs
from headcount.data.vocabulary import match_ids
from headcount.errors import DataError, option
from headcount.io.load import take_comparisons
from headcount.pairwise.answers.row_order import sort_rows
from headcount.results.notes import Notes
from headcount.typing import Codes, Ids

__all__ = ["LEFT", "RIGHT", "TIE", "Answers", "prepare"]

RIGHT, TIE, LEFT = 0, 1, 2
"""Answers."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Answers:
    """Comparisons that count, in the order of their content.

    Parameters
    ----------
    comparisons : Comparisons
    names : array
        All raters.
    rater : (comparisons,) array of int
    answer : (comparisons,) array of int
        RIGHT, TIE or LEFT.
    right : (comparisons,) array of int or None
        The known answer, where a comparison is a check; -1 elsewhere.
    """

    comparisons: Comparisons
    names: Ids
    rater: Codes
    answer: Codes
    right: Codes | None

    @property
    def n_checks(self) -> int:
        """Comparisons with a known answer."""
        return 0 if self.right is None else int((self.right >= 0).sum())


def prepare(data: Any, checks: Any, rng: np.random.Generator, notes: Notes) -> Answers:
    """Take comparisons with their raters, and find those with a known answer."""
    comparisons = take_comparisons(data).with_raters()
    notes.extend(comparisons.notes)
    if not len(comparisons):
        raise DataError(f"{comparisons.source}: no comparisons.")
    if comparisons.rater is None or comparisons.raters is None:
        raise DataError(
            f"{comparisons.source}: to judge raters there must be a rater column "
            f"({option('rater', ...)})."
        )
    if comparisons.weight is not None and not comparisons.weight.all():
        comparisons = comparisons.select(comparisons.weight > 0)
    if comparisons.ranking is not None:
        comparisons = _apart(comparisons, notes)
    played = _sides_at_random(sort_rows(comparisons), rng, notes)
    right = None
    if checks is not None:
        known = take_comparisons(checks, "checks")
        notes.extend(known.notes)
        right = _right_answers(played, known)
        if not (right >= 0).any():
            notes.caution(
                f"No comparison in {comparisons.source} is of a pair in {known.source}, so there "
                "are no checks."
            )
            right = None
    return Answers(
        comparisons=played,
        names=np.asarray(played.raters),
        rater=np.asarray(played.rater),
        answer=_coded(played.outcome),
        right=right,
    )


def _apart(comparisons: Comparisons, notes: Notes) -> Comparisons:
    """Keep pairs of each ranking that share no item, whose answers are independent."""
    low = np.minimum(comparisons.left, comparisons.right)
    high = np.maximum(comparisons.left, comparisons.right)
    ranking = np.zeros(len(low), np.int64) if comparisons.ranking is None else comparisons.ranking
    # The first pair is another one in each ranking, in an order that knows nothing of who won.
    turn = (low * 7919 + high * 104729 + ranking * 15485863) % 1000003
    order = np.lexsort((high, low, turn, ranking))
    apart = disjoint_pairs(ranking[order], low[order], high[order])
    notes.info("Raters are judged by pairs of each ranking that have no item in common.")
    return comparisons.select(np.sort(order[apart]))


def _coded(share: Any) -> Codes:
    """Answers as codes, from the left item's share of the point."""
    return np.where(share == 0.5, TIE, np.where(share > 0.5, LEFT, RIGHT)).astype(np.int64)


def _sides_at_random(
    comparisons: Comparisons, rng: np.random.Generator, notes: Notes
) -> Comparisons:
    """Turn half the pairs round where the winner always stands on the same side."""
    sign = np.sign(comparisons.outcome - 0.5)
    if len(set(sign[sign != 0].tolist())) != 1:
        return comparisons
    flip = rng.random(len(comparisons)) < 0.5
    side = "left" if sign.max() > 0 else "right"
    notes.info(
        f"The winner always stands on the {side}, so the sides of a pair are taken to say nothing "
        "of how it was shown."
    )
    return replace(
        comparisons,
        left=np.where(flip, comparisons.right, comparisons.left),
        right=np.where(flip, comparisons.left, comparisons.right),
        outcome=np.where(flip, 1 - comparisons.outcome, comparisons.outcome),
    )


def _right_answers(played: Comparisons, checks: Comparisons) -> Codes:
    """Look up the right answer to each comparison that is a check; -1 for the others."""
    index = match_ids(checks.items, played.items)
    answers: dict[tuple[int, int], float] = {}
    for left, right, share in zip(checks.left, checks.right, checks.outcome, strict=True):
        a, b = int(index[left]), int(index[right])
        if min(a, b) < 0:
            continue
        for pair, value in (((a, b), float(share)), ((b, a), 1 - float(share))):
            if answers.setdefault(pair, value) != value:
                raise DataError(
                    f"{checks.source}: '{checks.items[left]}' and '{checks.items[right]}' have two "
                    "right answers. Keep one."
                )
    pairs = zip(played.left.tolist(), played.right.tolist(), strict=True)
    share = np.array([answers.get(pair, math.nan) for pair in pairs])
    return np.where(np.isnan(share), -1, _coded(share))
