"""What gold says: actual scores, whether they contradict the blind order, and how methods did."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from headcount.blind_evaluation.comparison.comparison import (
    Estimated,
    compare_methods,
    labelling_quality,
)
from headcount.blind_evaluation.comparison.records import Comparison
from headcount.blind_evaluation.comparison.threshold import threshold_curve
from headcount.blind_evaluation.evidence import Evidence, rankings
from headcount.blind_evaluation.final_ranking import choose_judge, find_contradiction
from headcount.blind_evaluation.methods.base import Method, Scored
from headcount.blind_evaluation.methods.catalogue import DIRECT
from headcount.blind_evaluation.methods.engine import score_all
from headcount.blind_evaluation.methods.tasks import Task
from headcount.blind_evaluation.prepare import Prepared
from headcount.blind_evaluation.ranking import Ranking
from headcount.stats.grouping import group_rows
from headcount.typing import Floats

__all__ = ["OnGold", "judge_by_gold"]


@dataclass(frozen=True, eq=False, kw_only=True)
class OnGold:
    """What gold says.

    Parameters
    ----------
    items : int
        Items with gold.
    actual : Scored or None
        Scores on them; None without gold, as what follows.
    contradiction : str or None
    comparison : Comparison or None
        If asked for.
    """

    items: int = 0
    actual: Scored | None = None
    contradiction: str | None = None
    comparison: Comparison | None = None


def judge_by_gold(given: Prepared, task: Task, evidence: Evidence, *, compare: bool) -> OnGold:
    """Score on gold, test the blind order against it, and compare the methods if asked to."""
    votes = given.gold_votes
    if votes is None:
        return OnGold()
    actual = None if given.has_crowd else evidence.scored.get(DIRECT.name)
    if actual is None:
        actual = score_all(replace(task, votes=votes), [DIRECT])[DIRECT.name]
    items = DIRECT.items(votes)
    ranks = rankings(DIRECT, actual, votes, evidence.level)
    contradiction = None
    if ranks is not None:
        unaided = [method for method in evidence.methods.values() if not method.informed]
        judge, _ = choose_judge(unaided, evidence.votes, evidence.diagnostics)
        scores = evidence.scored[judge.name].scores[0]
        contradiction = find_contradiction(judge, scores, ranks[0], actual.scores[0], items)
    return OnGold(
        items=items,
        actual=actual,
        contradiction=contradiction,
        comparison=_compared(given, task, evidence, (actual, ranks)) if compare else None,
    )


def _compared(
    given: Prepared,
    task: Task,
    evidence: Evidence,
    gold: tuple[Scored, list[Ranking] | None],
) -> Comparison:
    """Compare estimates with the scores on gold, and what methods take for the truth with gold."""
    votes = evidence.votes if given.gold_votes is None else given.gold_votes
    # Direct evaluation is what all are compared with, unless it is on crowd labels.
    compared = {
        name: method
        for name, method in evidence.methods.items()
        if name in evidence.shown
        and (given.has_crowd or not _is_actual(method, evidence.scored[name], gold[0]))
    }
    found = compare_methods(
        votes.classifiers,
        task.metrics.names,
        Estimated(gold[0].scores, _stacked(gold[1])),
        {
            name: Estimated(
                evidence.scored[name].scores,
                _stacked(evidence.ranks[name]),
                quality=None
                if method.direct or (truth := evidence.scored[name].truth) is None
                else labelling_quality(votes, _carried(given, truth), task.metrics),
                title=method.short,
            )
            for name, method in compared.items()
        },
        level=evidence.level,
    )
    return replace(found, threshold=threshold_curve(votes, task.metrics))


def _is_actual(method: Method, scored: Scored, actual: Scored) -> bool:
    """Whether a method is direct evaluation, as PPI is too where all items have gold."""
    if method.direct or not method.informed or scored.truth is not None:
        return method.direct
    return np.allclose(scored.scores, actual.scores, rtol=0, atol=1e-9, equal_nan=True)


def _stacked(ranks: list[Ranking] | None) -> Floats | None:
    return None if ranks is None else np.stack([one.by_balance for one in ranks])


def _carried(given: Prepared, truth: Floats) -> Floats:
    """Truth of rows of votes, for the rows with gold, if they are others: means over items."""
    votes, other = given.votes, given.gold_votes
    if other is None or other is votes:
        return truth
    voted = votes.row_of >= 0
    one, two = votes.row_of[voted], other.row_of[voted]
    # By pairs of rows, in their order, so that the order of items makes no difference to rounding.
    first, pair = group_rows([two, one])
    weight = np.bincount(pair, given.labels.times_of_items[voted])[:, None]
    total = np.zeros((len(other.multiplicity), len(other.labels)))
    np.add.at(total, two[first], weight * truth[one[first]])
    return total / other.multiplicity[:, None]
