"""Signs that classifiers do not err independently, which is what blind evaluation rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.blind_evaluation.dawid_skene.dawid_skene import fit
from headcount.blind_evaluation.dependence.families import Family, family_of, find_families
from headcount.blind_evaluation.dependence.overlap import Overlap, fleiss_without, outliers, overlap
from headcount.blind_evaluation.dependence.residuals import (
    Residuals,
    effective_votes,
    mean_pair,
    residual_correlation,
)
from headcount.blind_evaluation.dependence.suspicion import suspicion
from headcount.blind_evaluation.dependence.text import summary, warnings_of
from headcount.blind_evaluation.methods.vote_truth import vote_shares
from headcount.blind_evaluation.votes import Votes
from headcount.results.arrays import to_json
from headcount.stats.correlation import kendall
from headcount.typing import Floats

__all__ = ["Diagnostics", "diagnose"]

VOTES_LOST = 0.2
"""Share of the votes, counted as independent ones, whose loss makes EM unreliable. Where 4 of 15
simulated classifiers erred together (correlation .6) a quarter was lost, and EM ordered classifiers
worse than the votes of the others did; where 2 did, nothing was amiss."""

MOST_IN_JSON = 200
"""Classifiers up to which matrices of them are written out."""

CLOSE, MAX_ITER = 0.01, 300
"""Where to stop the fit that diagnostics alone need."""


@dataclass(frozen=True, eq=False)
class Diagnostics:
    """What speaks for or against independent errors.

    Parameters
    ----------
    classifiers, labels : tuple of str
    residual : Residuals
        How the errors of every two classifiers go together, given the truth as Dawid-Skene sees
        it if each family has one vote.
    residual_gold : Residuals or None
        The same on items with gold.
    mean_residual, mean_residual_gold : float
        Their means over pairs, each with the weight of its information; nan if there is none.
    within, between : float
        Means over pairs of the same group, and of different groups; nan without groups.
    effective_votes, effective_votes_gold : float
        Independent votes that all classifiers are worth.
    groups : tuple of Family
        The groups that were given, of two classifiers or more.
    families : tuple of Family
        Classifiers found to err together, whatever their groups.
    prior_em, prior_votes : (labels,) array
        How common each label is, by EM and by shares of votes.
    prior_gold, prior_em_gold : (labels,) array or None
        The same by gold, and by EM, among items with gold.
    gold_items : int
    people : str
        What their labels are called: gold, or crowd labels.
    rank_tau : float
        Kendall's tau between scores by EM and by the votes of the others.
    overlap : Overlap
        Jaccard coefficients and agreement of every two classifiers.
    fleiss : float
        Fleiss' kappa of all.
    fleiss_without : (K,) array
        Without each classifier.
    outliers : tuple of int
        Classifiers that stand apart.
    dependent : bool
        Whether EM is unreliable because classifiers err together.
    warnings : tuple of str
        What to be careful about, in sentences.
    """

    classifiers: tuple[str, ...]
    labels: tuple[str, ...]
    residual: Residuals
    residual_gold: Residuals | None
    mean_residual: float
    mean_residual_gold: float
    within: float
    between: float
    effective_votes: float
    effective_votes_gold: float
    groups: tuple[Family, ...]
    families: tuple[Family, ...]
    prior_em: Floats
    prior_votes: Floats
    prior_gold: Floats | None
    prior_em_gold: Floats | None
    gold_items: int
    people: str
    rank_tau: float
    overlap: Overlap
    fleiss: float
    fleiss_without: Floats
    outliers: tuple[int, ...]
    dependent: bool = False
    warnings: tuple[str, ...] = ()

    @property
    def prior_drift(self) -> float:
        """Largest difference between the shares of a label by EM and by votes."""
        return _drift(self.prior_em, self.prior_votes)

    @property
    def prior_drift_gold(self) -> float:
        """Largest difference between EM's and gold's shares of a label, on items with gold."""
        if self.prior_em_gold is None or self.prior_gold is None:
            return float("nan")
        return _drift(self.prior_em_gold, self.prior_gold)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; matrices are null for more than 200 classifiers."""
        gold = self.residual_gold
        few = len(self.classifiers) <= MOST_IN_JSON
        return {
            "classifiers": list(self.classifiers),
            "dependent": self.dependent,
            "residual_correlation": {
                "mean": to_json(self.mean_residual),
                "within_groups": to_json(self.within),
                "between_groups": to_json(self.between),
                "matrix": to_json(self.residual.correlation) if few else None,
                "gold_mean": to_json(self.mean_residual_gold),
                "gold_matrix": to_json(gold.correlation) if few and gold is not None else None,
            },
            "effective_votes": {
                "value": to_json(self.effective_votes),
                "gold": to_json(self.effective_votes_gold),
                "of": len(self.classifiers),
            },
            "groups": [group.to_dict(self.classifiers) for group in self.groups],
            "families": [family.to_dict(self.classifiers) for family in self.families],
            "prior": {
                "labels": list(self.labels),
                "em": to_json(self.prior_em),
                "votes": to_json(self.prior_votes),
                "gold": to_json(self.prior_gold),
                "em_on_gold_items": to_json(self.prior_em_gold),
                "drift": to_json(self.prior_drift),
                "drift_gold": to_json(self.prior_drift_gold),
            },
            "rank_tau": to_json(self.rank_tau),
            "jaccard": to_json(self.overlap.jaccard) if few else None,
            "agreement": to_json(self.overlap.agreement) if few else None,
            "fleiss": {
                "all": to_json(self.fleiss),
                "without": dict(zip(self.classifiers, to_json(self.fleiss_without), strict=True)),
            },
            "outliers": [self.classifiers[k] for k in self.outliers],
            "warnings": list(self.warnings),
        }

    def text(self) -> list[str]:
        """Write all but the matrices in lines of at most 80 columns; warnings not included."""
        return summary(self)


def diagnose(
    votes: Votes,
    weight: Floats | None = None,
    *,
    em_truth: Floats | None = None,
    em_prior: Floats | None = None,
    scores: Mapping[str, Floats] | None = None,
    positive: int | None = None,
    people: str = "gold",
) -> Diagnostics:
    """Look for signs that classifiers err together.

    Parameters
    ----------
    votes : Votes
        Groups and gold are used where they are known.
    weight : (rows,) array, optional
        How often each row counts. Default: its multiplicity.
    em_truth : (rows, labels) array, optional
        Posterior of Dawid-Skene without groups. Default: it is fitted.
    em_prior : (labels,) array, optional
        How common each label is by EM. Default: the mean of `em_truth`.
    scores : mapping of method to (K,) array, optional
        Scores by 'em' and by 'leave-one-out', in which to compare the order of classifiers.
    positive : int, optional
        Code of the positive label, of which the overlap is.
    people : str
        What the gold of `votes` is to be called in sentences.

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
    posterior = fit(votes, weight).truth if em_truth is None else em_truth
    prior = weight @ posterior / weight.sum() if em_prior is None else em_prior
    suspected = find_families(suspicion(votes, weight), votes.classifiers)
    truth = posterior
    if suspected:
        one_vote = np.ones(len(votes.classifiers))
        for family in suspected:
            one_vote[list(family.members)] = 1 / len(family.members)
        truth = fit(votes, weight, vote_weight=one_vote, tolerance=CLOSE, max_iter=MAX_ITER).truth
    residual = residual_correlation(votes, weight, truth)
    families = [
        family_of(residual, np.array(one.members), votes.classifiers, tests=len(suspected))
        for one in suspected
    ]
    known = votes.gold >= 0
    gold_weight = np.where(known, weight, 0.0)
    gold = residual_gold = em_on_gold = None
    if gold_weight.sum() > 0:
        right = np.where(known[:, None], np.eye(len(votes.labels))[votes.gold], 0.0)
        residual_gold = residual_correlation(votes, gold_weight, right)
        gold = gold_weight @ right / gold_weight.sum()
        em_on_gold = gold_weight @ posterior / gold_weight.sum()

    same = votes.group[:, None] == votes.group if votes.groups else None
    found = overlap(votes, weight, positive=positive)
    kappa, without = fleiss_without(votes, weight)
    given = scores or {}
    tau = (
        kendall(given["em"], given["leave-one-out"])
        if "em" in given and "leave-one-out" in given
        else float("nan")
    )
    first = Diagnostics(
        votes.classifiers,
        votes.labels,
        residual,
        residual_gold,
        mean_pair(residual, everyone),
        float("nan") if residual_gold is None else mean_pair(residual_gold, everyone),
        float("nan") if same is None else mean_pair(residual, same),
        float("nan") if same is None else mean_pair(residual, ~same),
        effective_votes(residual.correlation),
        float("nan") if residual_gold is None else effective_votes(residual_gold.correlation),
        _groups(votes, residual),
        tuple(family for family in families if family.together),
        prior,
        weight @ vote_shares(votes) / weight.sum(),
        gold,
        em_on_gold,
        int(gold_weight.sum()),
        people,
        tau,
        found,
        kappa,
        without,
        outliers(found),
    )
    inside = np.zeros_like(everyone)
    for one in (*first.families, *(group for group in first.groups if group.together)):
        inside[np.ix_(one.members, one.members)] = True
    left = effective_votes(np.where(inside, residual.correlation, 0.0))
    dependent = left < (1 - VOTES_LOST) * len(votes.classifiers)
    found_out = replace(first, dependent=dependent)
    return replace(found_out, warnings=tuple(warnings_of(found_out)))


def _groups(votes: Votes, residual: Residuals) -> tuple[Family, ...]:
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
        )
        for g in several
    )


def _drift(one: Floats, other: Floats) -> float:
    return float(np.abs(one - other).max())
