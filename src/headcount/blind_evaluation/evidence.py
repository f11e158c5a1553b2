"""What speaks for an order of classifiers: scores by all methods, tests, signs of dependence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from headcount.blind_evaluation.dependence.dependence import Context, diagnose
from headcount.blind_evaluation.dependence.records import Diagnostics
from headcount.blind_evaluation.explanations.explain import explain
from headcount.blind_evaluation.explanations.records import Explanations
from headcount.blind_evaluation.explanations.text import notes_of
from headcount.blind_evaluation.methods.base import Method, Scored
from headcount.blind_evaluation.methods.catalogue import CHECKING, DIAGNOSING, GROUPED_PAIR
from headcount.blind_evaluation.methods.engine import score_all
from headcount.blind_evaluation.methods.tasks import Task
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.panel.panel import Panel, panel_of
from headcount.blind_evaluation.ranking import Ranking, rank
from headcount.blind_evaluation.scoring.sizes import ENOUGH_ITEMS
from headcount.blind_evaluation.votes import Votes
from headcount.results.notes import Notes
from headcount.typing import Floats, Progress

__all__ = ["Evidence", "Plan", "gather", "rankings"]


ENOUGH_FOR_PANEL = 50
"""Gold labels from which on errors that go together are known by these."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Evidence:
    """Scores, tests and diagnostics.

    Parameters
    ----------
    votes : Votes
    metrics : Metrics
    methods : mapping of str to Method
        Those asked for, and those that diagnostics need.
    shown : tuple of str
        Those asked for.
    scored : mapping of method to Scored
    ranks : mapping of method to list of Ranking, one a metric, or None
    diagnostics : Diagnostics
    explanations : Explanations or None
        Why errors may go together.
    level : float
        Confidence of tests, and coverage of intervals.
    """

    votes: Votes
    metrics: Metrics
    methods: Mapping[str, Method]
    shown: tuple[str, ...]
    scored: Mapping[str, Scored]
    ranks: Mapping[str, list[Ranking] | None]
    diagnostics: Diagnostics
    explanations: Explanations | None
    level: float

    @property
    def panel(self) -> Panel | None:
        """What all classifiers are worth together: by gold, if there is enough, or by EM."""
        d = self.diagnostics
        by_gold = d.residual_gold if d.gold_items >= ENOUGH_FOR_PANEL else None
        residual = d.residual if by_gold is None else by_gold
        given = "the truth by EM" if by_gold is None else d.people
        return panel_of(residual, d.classifiers, given=given)


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
    """What evidence is to be gathered.

    Parameters
    ----------
    chosen : mapping of str to Method
        Those asked for.
    labelling : Method
        Whose truth the labels of items are, whether it was asked for or not.
    level : float
        Confidence of tests, and coverage of intervals.
    people : str
        What their labels are called in sentences: gold, or crowd labels.
    min_labels : int
        Labels that a classifier needs to be ranked.
    """

    chosen: Mapping[str, Method]
    labelling: Method
    level: float
    people: str
    min_labels: int = 0


def gather(task: Task, plan: Plan, progress: Progress | None = None) -> Evidence:
    """Score by the chosen methods, look for signs of dependence, and test all differences.

    Parameters
    ----------
    task : Task
    plan : Plan
    progress : callable, optional
    """
    chosen, level = plan.chosen, plan.level
    found = score_all(task, chosen.values(), progress)
    # Diagnostics need a fit and the votes of the others, whether they are to be shown or not.
    pair = GROUPED_PAIR if task.votes.groups else (DIAGNOSING, CHECKING)
    wanted = {method.name: method for method in (DIAGNOSING, CHECKING, *pair, plan.labelling)}
    needed = [method for name, method in wanted.items() if name not in chosen]
    unseen = replace(task, settings=replace(task.settings, bootstrap=0), notes=Notes())
    scored = {**score_all(unseen, needed), **found}
    methods = {**{method.name: method for method in needed}, **chosen}
    fit = scored[DIAGNOSING.name].fit
    explained = explain(task.votes, level)
    diagnostics = diagnose(
        task.votes,
        context=Context(
            em_truth=None if fit is None else fit.truth,
            em_prior=None if fit is None else fit.prior,
            orders=(scored[pair[0].name].scores[0], scored[pair[1].name].scores[0]),
            positive=task.metrics.positive,
            people=plan.people,
            name_families=explained is None or _has_family(explained, task.votes),
            explained=()
            if explained is None
            else tuple(notes_of(explained, grouped=bool(task.votes.groups))),
        ),
    )
    return Evidence(
        votes=task.votes,
        metrics=task.metrics,
        methods=methods,
        shown=tuple(chosen),
        scored=scored,
        ranks={
            name: rankings(method, scored[name], task.votes, level, plan.min_labels)
            for name, method in methods.items()
        },
        diagnostics=diagnostics,
        explanations=explained,
        level=level,
    )


def _has_family(explained: Explanations, votes: Votes) -> bool:
    """Whether some may err together; who are copies of each other is known."""
    if not votes.copied:
        return explained.has_families
    group = dict(zip(votes.classifiers, votes.group.tolist(), strict=True))
    families = [family for one in explained.found for family in one.families]
    return any(len({group[name] for name in family}) > 1 for family in families)


def rankings(
    method: Method, scored: Scored, votes: Votes, level: float, min_labels: int = 0
) -> list[Ranking] | None:
    """Rank by every metric; None where there are no tests.

    Classifiers with fewer than `min_labels` have no rank; and none by methods that do not know how
    little few labels tell: of three labels, all right, every bootstrap sample makes the same.

    To first order, the covariance of scores takes the truth as given. Where that is fitted to the
    same votes, tests find differences that are none: of 100 sets of 5 equal classifiers, EM told
    some apart in 47. So those that are refitted in bootstrap samples use the covariance of these.
    """
    covariance = scored.covariance
    if method.refitted and len(scored.draws) > 1:
        covariance = np.stack([_spread(draws) for draws in np.swapaxes(scored.draws, 0, 1)])
    sizes = scored.sizes
    n = method.items(votes) if sizes is None else int(sizes.labelled.max())
    if covariance is None or n < 2:
        return None
    least = min(ENOUGH_ITEMS, votes.items) if sizes is None else 0
    few = votes.labelled < max(min_labels, least)
    return [
        rank(
            np.where(few, np.nan, scores),
            spread,
            n if sizes is None else sizes.labelled,
            added=None if sizes is None else sizes.added[m],
            level=level,
        )
        for m, (scores, spread) in enumerate(zip(scored.scores, covariance, strict=True))
    ]


def _spread(draws: Floats) -> Floats:
    """Covariance over draws, each two classifiers on the draws in which both have a score."""
    known = ~np.isnan(draws)
    mean = np.where(known, draws, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    apart = np.where(known, draws - mean, 0.0)
    both = known.T.astype(np.float64) @ known
    return apart.T @ apart / np.maximum(both - 1, 1)
