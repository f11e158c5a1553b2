"""What blind evaluation finds, as plain records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from headcount.blind_evaluation.comparison.records import Comparison
from headcount.blind_evaluation.consensus.labels import ItemLabels
from headcount.blind_evaluation.crowds.labels import StoredLabels
from headcount.blind_evaluation.dependence.records import Diagnostics
from headcount.blind_evaluation.explanations.records import INDEPENDENT, Explanations
from headcount.blind_evaluation.methods.base import Method
from headcount.blind_evaluation.metrics import METRICS
from headcount.blind_evaluation.panel.panel import Panel
from headcount.results.base import Result
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate

__all__ = ["ENOUGH_CLASSIFIERS", "BlindProvenance", "BlindRecord", "JudgedClassifier"]


ENOUGH_CLASSIFIERS = 5
"""From which on scores have intervals that take the labels of items for granted."""
FEW_CLASSIFIERS, FEW_FOR_LABELS = 4, 10
"""Below which intervals by votes hold less often than they say; those given the labels of items."""


@dataclass(frozen=True, kw_only=True)
class BlindProvenance(Provenance):
    """How a result came about.

    Beside what every result tells: distinct rows of votes, the positive label, names of metrics
    and methods, and items with gold and with crowd labels.
    """

    distinct_rows: int
    positive: str | None
    metrics: tuple[str, ...]
    methods: tuple[str, ...]
    gold_items: int
    crowd_items: int
    min_labels: int = 0

    @property
    def items(self) -> int:
        """Items with labels."""
        return self.items_used

    @property
    def items_unlabelled(self) -> int:
        """Items without any label."""
        return self.items_dropped

    @property
    def n_votes(self) -> int:
        """Labels in all."""
        return self.n_ratings or 0


@dataclass(frozen=True, kw_only=True)
class JudgedClassifier:
    """How good a classifier is, by every method and metric.

    Parameters
    ----------
    name : str
    group : str or None
    labelled : int
        Items that it labelled.
    estimates : mapping of method to mapping of metric to Estimate
    ranks : mapping of method to mapping of metric to int
        1 and the number of others that are significantly better: all that no test tells from the
        best have 1. Without those that have no tests.
    actual : mapping of metric to Estimate
        Scores on the gold labels; empty without gold.
    score : Estimate
        The first metric, by the result's method or, if the result is `by_explanations`, by the
        likeliest of these. Its interval holds those of all explanations that the votes allow;
        there is none where studies found that it would not hold, or a warning speaks against it.
    rank : int or None
        By that score. By explanations, the best that any of them gives it; None where two orders
        contradict each other.
    confusion : mapping of str to mapping of str to Estimate
        Probability of what it gives, by true label, if the labels of items are right; empty where
        there are very many cells.
    grades : mapping of str to Estimate
        Where labels are three numbers or more: mean absolute error, bias and weighted kappa, on
        gold if there is enough, or given the labels of items; empty elsewhere.
    """

    name: str
    group: str | None
    labelled: int
    estimates: Mapping[str, Mapping[str, Estimate]]
    ranks: Mapping[str, Mapping[str, int | None]]
    actual: Mapping[str, Estimate]
    score: Estimate
    rank: int | None
    confusion: Mapping[str, Mapping[str, Estimate]]
    grades: Mapping[str, Estimate]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BlindRecord(Result):
    """Classifiers, best first, with what speaks against believing it.

    Parameters
    ----------
    classifiers : tuple of JudgedClassifier
        Best first, by `method` and the first metric; ``result["name"]`` finds one.
    method : str
        The method that ranks them.
    why : str
        Why that one.
    contradiction : str or None
        How gold contradicts the blind ranking, if it does.
    diagnostics : Diagnostics or None
        Signs of dependence between classifiers; None where there are too many classifiers, or
        votes, to look for them.
    comparison : Comparison or None
        Estimated against actual scores; only if asked for.
    em : mapping of str to object
        Of Dawid-Skene, by method: prior, log-likelihood, converged, iterations.
    methods : mapping of str to Method
        The methods that were used, by name: what they are called and what they assume.
    leaders : tuple of str
        Classifiers that no test tells from the best, those of rank 1, best first; empty without
        ranks.
    explanations : Explanations or None
        Why errors may go together: all that the votes allow. None for fewer than 4 classifiers or
        more than 40.
    by_explanations : bool
        Whether scores and ranks are by explanations, since classifiers do not err independently.
    panel : Panel or None
        What all classifiers are worth together; None for two.
    labels : ItemLabels or StoredLabels
        The label of each item, by the model that was asked for.
    most_rows : int or None
        Classifiers that are printed; None for all.
    overlap_shown : bool
        Whether the overlap (Jaccard) of every two classifiers is printed.
    """

    provenance: BlindProvenance
    classifiers: tuple[JudgedClassifier, ...]
    method: str
    why: str
    contradiction: str | None
    diagnostics: Diagnostics | None
    comparison: Comparison | None
    em: Mapping[str, Mapping[str, Any]]
    methods: Mapping[str, Method]
    leaders: tuple[str, ...]
    explanations: Explanations | None
    by_explanations: bool
    panel: Panel | None
    labels: ItemLabels | StoredLabels
    most_rows: int | None = 40
    overlap_shown: bool = False

    @property
    def is_approximate(self) -> bool:
        """Whether so few classifiers vote that intervals of scores hold less often than they say.

        Those of 3 held .90 to .98 of the time by EM; those of 5 to 8 .85 to .95 by consensus, which
        takes the labels of items for granted (docs/studies/blind_judges.md).
        """
        method = self.methods[self.method]
        few = FEW_FOR_LABELS if method.by_number else FEW_CLASSIFIERS
        return not method.informed and len(self.classifiers) < few

    @property
    def confusion_is_approximate(self) -> bool:
        """Whether the same is so of confusions, which take the labels of items for granted."""
        return len(self.classifiers) < FEW_FOR_LABELS

    @property
    def allows_for_hard_items(self) -> bool:
        """Whether intervals of the main scores reach as far as other explanations than one go.

        So those of accuracy do, where errors are taken for independent and may not be.
        """
        found = self.explanations
        if found is None or self.by_explanations or self.methods[self.method].informed:
            return False
        others = any(one.kind != INDEPENDENT for one in found.found)
        is_accuracy = self.provenance.metrics[0] == METRICS[0]
        return others and is_accuracy and any(c.score.low is not None for c in self.classifiers)
