"""Signs that classifiers do not err independently, which is what blind evaluation rests on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from headcount.blind_evaluation.dawid_skene.fit import Climbing, fit
from headcount.blind_evaluation.dependence.families import Family, family_of, find_families
from headcount.blind_evaluation.dependence.overlap import fleiss_without, outliers, overlap
from headcount.blind_evaluation.dependence.records import Diagnostics
from headcount.blind_evaluation.dependence.residuals import (
    Residuals,
    effective_votes,
    mean_pair,
    residual_correlation,
)
from headcount.blind_evaluation.dependence.suspicion import suspicion
from headcount.blind_evaluation.dependence.text import warnings_of
from headcount.blind_evaluation.methods.vote_truth import vote_shares
from headcount.blind_evaluation.votes import Votes
from headcount.results.notes import Note
from headcount.stats.correlation import kendall
from headcount.typing import Floats

__all__ = ["Context", "diagnose"]

VOTES_LOST = 0.2
"""Share of the votes, counted as independent ones, whose loss makes EM unreliable. Where 4 of 15
simulated classifiers erred together (correlation .6) a quarter was lost, and EM ordered classifiers
worse than the votes of the others did; where 2 did, nothing was amiss."""

CLOSE, MAX_ITER = 0.01, 300
"""Where to stop the fit that diagnostics alone need."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """What is known beside the votes when signs of dependence are looked for.

    Parameters
    ----------
    em_truth : (rows, labels) array, optional
        Posterior of Dawid-Skene without groups. Default: it is fitted.
    em_prior : (labels,) array, optional
        How common each label is by EM. Default: the mean of `em_truth`.
    orders : pair of (K,) arrays, optional
        Scores by EM and by the votes of the others, in which to compare the order of classifiers.
    positive : int, optional
        Code of the positive label, of which the overlap is.
    people : str
        What the gold of the votes is to be called in sentences.
    name_families : bool
        Whether to look for families; not where hard items explain the votes.
    explained : tuple of Note
        What else may explain the votes; families then are not accused in notes of their own.
    """

    em_truth: Floats | None = None
    em_prior: Floats | None = None
    orders: tuple[Floats, Floats] | None = None
    positive: int | None = None
    people: str = "gold"
    name_families: bool = True
    explained: tuple[Note, ...] = ()


NOTHING_ELSE = Context()


def diagnose(
    votes: Votes, weight: Floats | None = None, *, context: Context = NOTHING_ELSE
) -> Diagnostics:
    """Look for signs that classifiers err together.

    Parameters
    ----------
    votes : Votes
        Groups and gold are used where they are known.
    weight : (rows,) array, optional
        How often each row counts. Default: its multiplicity.
    context : Context
        What is known beside the votes.

    Notes
    -----
    First, classifiers are suspected of erring together if their errors, given the majority of all
    others, are correlated more than is usual (see :func:`suspicion` and :func:`find_families`).
    Then Dawid-Skene is fitted with one vote for each family, and its posterior is the reference
    of the residual correlations. A family stays one if its mean is .1 or more, less what noise
    explains; so does a group that was given. EM is called unreliable if the correlations within
    families and groups alone leave less than .8 as many independent votes as classifiers.

    Of 660 simulated sets of 4 to 100 independent classifiers 3 had a family, and none so much that
    EM was called unreliable. Families of 2 to
    12 of 5 to 33 classifiers, with errors that share 60% or more of a normal variable, were found
    in 95 of 96; one with half of all classifiers was noticed, but not rightly told from the rest.

    On 33 LLM judges the residual correlations follow those given gold (r = .84) at half their
    level (.20, where gold says .41); on 39 crowd workers r = .83 (.05, where gold says .11).

    O(labels^2 x sum over rows of votes^2 + K^2 log K), with memory for K x K matrices, and two
    fits of Dawid-Skene.
    """
    weight = votes.multiplicity.astype(np.float64) if weight is None else weight
    everyone = np.ones((len(votes.classifiers),) * 2, dtype=bool)
    posterior = fit(votes, weight).truth if context.em_truth is None else context.em_truth
    prior = weight @ posterior / weight.sum() if context.em_prior is None else context.em_prior
    suspected = ()
    if context.name_families:
        suspected = find_families(suspicion(votes, weight), votes.classifiers)
    truth = posterior
    if suspected or votes.copied:
        one_vote = votes.group_weight if votes.copied else np.ones(len(votes.classifiers))
        for family in suspected:
            one_vote[list(family.members)] = 1 / len(family.members)
        truth = fit(
            votes, weight, vote_weight=one_vote, how=Climbing(tolerance=CLOSE, max_iter=MAX_ITER)
        ).truth
    residual = residual_correlation(votes, weight, truth)
    families = [
        family_of(residual, np.array(one.members), votes.classifiers, tests=len(suspected))
        for one in suspected
    ]
    known = votes.gold >= 0
    gold_weight = np.where(known, weight * votes.gold_weight, 0.0)
    gold = residual_gold = em_on_gold = None
    if gold_weight.sum() > 0:
        right = np.where(known[:, None], np.eye(len(votes.labels))[votes.gold], 0.0)
        residual_gold = residual_correlation(votes, gold_weight, right)
        gold = gold_weight @ right / gold_weight.sum()
        em_on_gold = gold_weight @ posterior / gold_weight.sum()

    nan = float("nan")
    same = votes.group[:, None] == votes.group if votes.groups else None
    between = nan if same is None else mean_pair(residual, ~same)
    found = overlap(votes, weight, positive=context.positive)
    kappa, without = fleiss_without(votes, weight)
    first = Diagnostics(
        classifiers=votes.classifiers,
        labels=votes.labels,
        residual=residual,
        residual_gold=residual_gold,
        mean_residual=mean_pair(residual, everyone),
        mean_residual_gold=nan if residual_gold is None else mean_pair(residual_gold, everyone),
        within=nan if same is None else mean_pair(residual, same),
        between=between,
        effective_votes=effective_votes(residual.settled),
        effective_votes_gold=nan
        if residual_gold is None
        else effective_votes(residual_gold.settled),
        # Where items are hard for all, errors of any two go together: a group must do more.
        groups=_groups(votes, residual, usual=max(0.0, between) if context.explained else 0.0),
        families=tuple(family for family in families if family.together),
        prior_em=prior,
        prior_votes=weight @ vote_shares(votes) / weight.sum(),
        prior_gold=gold,
        prior_em_gold=em_on_gold,
        gold_items=int(weight[known].sum()),
        people=context.people,
        rank_tau=nan if context.orders is None else kendall(*context.orders),
        overlap=found,
        fleiss=kappa,
        fleiss_without=without,
        outliers=outliers(found),
        explained=context.explained,
    )
    inside = np.zeros_like(everyone)
    for one in (*first.families, *(group for group in first.groups if group.together)):
        inside[np.ix_(one.members, one.members)] = True
    left = effective_votes(np.where(inside, residual.correlation, 0.0))
    dependent = left < (1 - VOTES_LOST) * len(votes.classifiers)
    found_out = replace(first, dependent=dependent)
    return replace(found_out, warnings=tuple(warnings_of(found_out)))


def _groups(votes: Votes, residual: Residuals, *, usual: float) -> tuple[Family, ...]:
    """Find how far the members of each group err together; groups of one are left out."""
    size = np.bincount(votes.group)
    several = [g for g in range(len(votes.groups)) if size[g] > 1]
    return tuple(
        family_of(
            residual,
            np.flatnonzero(votes.group == g),
            votes.classifiers,
            name=votes.groups[g],
            tests=len(several),
            usual=usual,
        )
        for g in several
    )
