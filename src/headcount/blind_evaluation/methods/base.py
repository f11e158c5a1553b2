"""What a method is: how it is called, what it assumes, and how it scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar

import numpy as np

from headcount.blind_evaluation.blocks import Blocks, TruthOf
from headcount.blind_evaluation.dawid_skene.fit import DawidSkene
from headcount.blind_evaluation.methods.tasks import CrowdFit, CrowdTask, Task
from headcount.blind_evaluation.scoring.sizes import Sizes
from headcount.blind_evaluation.scoring.tables import covariance, influence, table_kernel, tables
from headcount.blind_evaluation.votes import Votes
from headcount.typing import Floats, Kernel

__all__ = [
    "CrowdScored",
    "FixedTruth",
    "Method",
    "NotPossible",
    "Scored",
    "Scoring",
    "Situation",
    "against",
    "by_draw",
    "crowd_tables",
]


class NotPossible(Exception):
    """A method has no scores on these data. The message is the reason, for a result."""


class Situation(Enum):
    """What is known when one method has to rank the classifiers."""

    GOLD = "gold"
    """People labelled enough items."""
    GROUPED = "grouped"
    """The user says which classifiers may err together."""
    COPIED = "copied"
    """Some classifiers are copies of each other, and the others seem to err independently."""
    TWO = "two"
    """There are two classifiers."""
    DEPENDENT = "dependent"
    """Classifiers seem to err together."""
    SPARSE = "sparse"
    """There are many classifiers, and some labelled few items."""
    INDEPENDENT = "independent"
    """So few seem to that EM can be used."""
    CROWD = "crowd"
    """There are too many classifiers, or votes, to look at every two classifiers."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CrowdScored:
    """What one method says of all classifiers, by blocks of votes.

    Parameters
    ----------
    scores : (metrics, classifiers) array
        Nan where undefined.
    truth : callable or None
        The truth of a block; None where the method has none.
    variance : (metrics, classifiers) array or None
        Of the scores, where studies found that intervals made of it hold.
    sizes : Sizes or None
        What the scores are worth, where there is a variance.
    fit : CrowdFit or None
    undefined : str or None
        Why the method has no scores.
    """

    scores: Floats
    truth: TruthOf | None
    variance: Floats | None = None
    sizes: Sizes | None = None
    fit: CrowdFit | None = None
    undefined: str | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class Scored:
    """What one method says of all classifiers.

    Parameters
    ----------
    scores : (metrics, classifiers) array
        Nan where undefined.
    draws : (bootstrap, metrics, classifiers) array
        The same on bootstrap samples; empty where there are none.
    covariance : (metrics, classifiers, classifiers) array or None
        Of the scores, to first order, given the truth that the method sees.
    truth : (rows, labels) array or None
        That truth, where it is one for all classifiers and metrics.
    fit : DawidSkene or None
        The model behind it, where there is one.
    sizes : Sizes or None
        What the scores are worth, if intervals and tests are to come from that.
    undefined : str or None
        Why the method has no scores.
    """

    scores: Floats
    draws: Floats
    covariance: Floats | None = None
    truth: Floats | None = None
    fit: DawidSkene | None = None
    sizes: Sizes | None = None
    undefined: str | None = None


@dataclass(frozen=True, eq=False)
class Scoring:
    """Scores on the data, and how to find them again on bootstrap samples.

    Parameters
    ----------
    scored : Scored
        Without draws.
    again : callable or None
        From (draws, rows) weights to (draws, metrics, classifiers) scores; None if that would take
        too long.
    """

    scored: Scored
    again: Kernel | None


class Method(ABC):
    """A way to estimate how good classifiers are.

    Attributes
    ----------
    name : str
        What users call it.
    short : str
        Heads its column in a table.
    words : str
        What it assumes. Its scores are right only if that is so.
    grouped : bool
        Whether it uses groups of classifiers.
    informed : bool
        Whether it uses gold or crowd labels of some items.
    covers : bool
        Whether studies found its intervals to cover true scores, where its assumption holds.
    refitted : bool
        Whether its truth is fitted, and fitted anew in every bootstrap sample.
    learn : bool
        Whether it needs scikit-learn.
    ranks_when : mapping of Situation to int
        When it may rank the classifiers, and how soon it is asked: 1 comes first.
    diagnoses : bool
        Whether signs of dependence are looked for in its fit.
    checks : bool
        Whether its order of classifiers is compared with that of the fit.
    direct : bool
        Whether it is the evaluation on gold with which all others are compared.
    by_number : bool
        Whether its intervals come from numbers of labels, and not from bootstrap samples.
    labels_items : bool
        Whether the labels that come out are its truth, unless another method is asked for.
    on_request : bool
        Whether it is used only if it is named.
    by_blocks : bool
        Whether it can score votes that are gone over a block at a time.
    by_vote : bool
        Whether its truth differs between those who voted on an item, so that it labels none.
    look : int or None
        Colour and mark in plots against gold; None if it is not drawn there.
    """

    name: str
    short: str
    words: str
    grouped: bool = False
    informed: bool = False
    covers: bool = False
    refitted: bool = False
    learn: bool = False
    ranks_when: ClassVar[Mapping[Situation, int]] = {}
    diagnoses: bool = False
    checks: bool = False
    direct: bool = False
    by_number: bool = False
    labels_items: bool = False
    on_request: bool = False
    by_blocks: bool = False
    by_vote: bool = False
    look: int | None = None

    @abstractmethod
    def score(self, task: Task) -> Scoring:
        """Score all classifiers; :class:`NotPossible` if the data do not suffice."""

    def score_crowd(self, task: CrowdTask) -> CrowdScored:
        """Score all classifiers a block of votes at a time."""
        raise NotPossible("it needs all votes at once")

    def items(self, votes: Votes) -> int:
        """Items that its scores rest on."""
        return votes.items


class FixedTruth(Method):
    """A method whose truth of an item depends on the votes on that item alone."""

    by_blocks = True

    @abstractmethod
    def truth(self, votes: Votes) -> Floats:
        """Probability of each label: (rows, labels), or (votes, labels) if voters differ in it."""

    def score(self, task: Task) -> Scoring:
        """Score against the truth, which is the same in all bootstrap samples."""
        return against(task, self.truth(task.votes))

    def score_crowd(self, task: CrowdTask) -> CrowdScored:
        """Score against the truth of every block. One pass."""
        table = crowd_tables(task.blocks, self.truth)
        truth = None if self.by_vote else self.truth
        return CrowdScored(scores=task.metrics.scores(table).T, truth=truth)


def crowd_tables(blocks: Blocks, truth_of: TruthOf) -> Floats:
    """Tables of truth and vote, (classifiers, labels, labels), added up over blocks."""
    out = np.zeros((blocks.n_classifiers, blocks.n_labels, blocks.n_labels))
    for votes, weight in blocks:
        out += tables(votes, truth_of(votes), weight)
    return out


def against(task: Task, truth: Floats, fit: DawidSkene | None = None) -> Scoring:
    """Score against a truth that does not depend on the bootstrap sample.

    Parameters
    ----------
    task : Task
    truth : (rows, labels) or (votes, labels) array
        Probabilities of the labels; zeros where there is no truth.
    fit : DawidSkene, optional
        What the truth comes from.

    Notes
    -----
    O(votes x labels) a sample.
    """
    votes, weight, metrics = task.votes, task.weight, task.metrics
    table = table_kernel(votes, truth)

    def again(weights: Floats) -> Floats:
        return np.swapaxes(metrics.scores(table(weights)), 1, 2)

    one_for_all = truth if len(truth) == len(votes.multiplicity) else None
    items = None if one_for_all is None else float(weight[truth.sum(axis=1) > 0].sum())
    scores = again(weight[None])[0]
    scored = Scored(
        scores=scores,
        draws=scores[None][:0],
        covariance=covariance(influence(votes, truth, weight, metrics), weight, items),
        truth=one_for_all,
        fit=fit,
    )
    return Scoring(scored, again)


def by_draw(task: Task, truth_of: Callable[[Floats], Floats]) -> Kernel:
    """Score against a truth that is found anew on each bootstrap sample; nan where there is none.

    `truth_of` makes a truth of (rows,) weights.
    """

    def again(weights: Floats) -> Floats:
        out = np.full((len(weights), *task.shape), np.nan)
        for draw, weight in zip(out, weights, strict=True):
            try:
                truth = truth_of(weight)
            except NotPossible:
                continue
            draw[:] = task.metrics.scores(tables(task.votes, truth, weight)).T
        return out

    return again
