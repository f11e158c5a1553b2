"""What speaks for or against independent errors, as a plain record."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from headcount.blind_evaluation.dependence.families import Family
from headcount.blind_evaluation.dependence.overlap import Overlap
from headcount.blind_evaluation.dependence.residuals import ENOUGH_SHARED, Residuals
from headcount.results.arrays import to_json
from headcount.results.notes import Note
from headcount.typing import Floats

__all__ = ["Diagnostics"]

LOW_TAU = 0.5
"""Kendall's tau of EM with the votes of others below which they disagree on the order."""

MOST_IN_JSON = 200
"""Classifiers up to which matrices of them are written out."""


@dataclass(frozen=True, eq=False, kw_only=True)
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
        Kendall's tau between scores by EM and by the votes of the others; with groups, by
        grouped EM and by the votes of the other groups.
    overlap : Overlap
        Jaccard coefficients and agreement of every two classifiers.
    fleiss : float
        Fleiss' kappa of all.
    fleiss_without : (K,) array
        Without each classifier.
    outliers : tuple of int
        Classifiers that stand apart.
    explained : tuple of Note
        What may explain errors that go together, in sentences.
    dependent : bool
        Whether EM is unreliable because classifiers err together.
    warnings : tuple of Note
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
    explained: tuple[Note, ...] = ()
    dependent: bool = False
    warnings: tuple[Note, ...] = ()

    @cached_property
    def never_differ(self) -> bool:
        """Whether no two classifiers differ on an item that both labelled."""
        pairs = self.overlap.agreement[np.triu_indices(len(self.classifiers), 1)]
        return bool((pairs[~np.isnan(pairs)] == 1).all())

    @property
    def families_across(self) -> list[Family]:
        """Families that no single group holds."""
        groups = [set(group.members) for group in self.groups]
        return [f for f in self.families if not any(set(f.members) <= group for group in groups)]

    @property
    def disagree(self) -> bool:
        """Whether the fit and the votes of others put classifiers in different orders."""
        return self.rank_tau < LOW_TAU

    @property
    def no_panel(self) -> str | None:
        """Say why nobody knows what all are worth in independent votes; None where it is known."""
        if self.residual.is_panel:
            return None
        return f"most of every two classifiers share fewer than {ENOUGH_SHARED} items"

    @property
    def two_orders(self) -> str:
        """Say whose orders are compared."""
        if self.groups:
            return "grouped EM and the votes of the other groups"
        return "EM and the votes of the others"

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
                "value": to_json(self.effective_votes) if self.residual.is_panel else None,
                "gold": to_json(self.effective_votes_gold)
                if gold is not None and gold.is_panel
                else None,
                "of": len(self.classifiers),
                "undefined": self.no_panel,
            },
            "groups": [group.to_dict(self.classifiers) for group in self.groups],
            "families": [family.to_dict(self.classifiers) for family in self.families],
            "prior": {
                "labels": list(self.labels),
                **{
                    name.removeprefix("prior_"): to_json(getattr(self, name))
                    for name in ("prior_em", "prior_votes", "prior_gold")
                },
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
            "warnings": [str(note) for note in self.warnings],
        }


def _drift(one: Floats, other: Floats) -> float:
    return float(np.abs(one - other).max())
