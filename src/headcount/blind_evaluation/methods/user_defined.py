"""Methods of users: a function of the votes, or an object that has one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from headcount.blind_evaluation.methods.base import (
    Method,
    NotPossible,
    Scored,
    Scoring,
    against,
    by_draw,
)
from headcount.blind_evaluation.methods.tasks import Task
from headcount.blind_evaluation.metrics import Metrics
from headcount.blind_evaluation.votes import Votes
from headcount.errors import OptionError, option
from headcount.typing import Floats

__all__ = ["ScoreMethod", "TruthMethod", "own_method"]

ROUNDING = 1e-6
"""How far from 1 the probabilities of an item may sum."""


class TruthMethod(Protocol):
    """A user's method that finds a truth, against which classifiers are scored.

    Only `truth` has to be there; without a `name` the class lends its own.

    Attributes
    ----------
    name, short, words : str
        What it is called, what heads its column, and what it assumes.
    grouped, informed : bool
        Whether it needs groups of classifiers, or gold labels (``votes.gold``). False by default.
    refitted : bool
        Whether to find the truth anew in every bootstrap sample. True by default. False is quicker,
        and as good if the truth of an item depends on the votes on that item alone.
    """

    name: str
    short: str
    words: str

    def truth(self, votes: Votes) -> Floats:
        """Find the probability of each label: (rows, labels), or (votes, labels).

        A row is a pattern of votes, which ``votes.multiplicity`` items share; in a bootstrap sample
        this is how often they were drawn, perhaps 0. Each row sums to 1, or to 0 if it has no
        truth. With (votes, labels) the truth may depend on whose vote is judged.
        """
        ...


class ScoreMethod(Protocol):
    """A user's method that scores classifiers itself. Attributes are those of `TruthMethod`."""

    name: str
    short: str
    words: str

    def scores(self, votes: Votes, metrics: Metrics) -> Floats:
        """Score classifiers: (metrics, classifiers), nan where a score is undefined.

        Intervals and ranks come from bootstrap samples, so that there are none without these.
        """
        ...


class OwnMethod(Method):
    """What users' methods share: names, and what they need."""

    def __init__(self, given: Any) -> None:
        name = getattr(given, "name", None) or getattr(given, "__name__", type(given).__name__)
        if not isinstance(name, str) or not name.strip() or name == "<lambda>":
            raise OptionError(
                f"{option('methods')}: a method of your own needs a name. Write it as a function "
                "with one (def), or give it an attribute 'name'."
            )
        self.name = name
        self.short = str(getattr(given, "short", name.replace("_", " ")))
        first = (getattr(given, "__doc__", None) or "").strip().split("\n")[0].rstrip(".")
        self.words = str(getattr(given, "words", first or "a method of the user's own"))
        self.grouped = bool(getattr(given, "grouped", False))
        self.informed = bool(getattr(given, "informed", False))
        self.covers = bool(getattr(given, "covers", False))
        self.refitted = bool(getattr(given, "refitted", True))

    def _array(self, value: Any) -> Floats:
        try:
            return np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise OptionError(
                f"method '{self.name}' must return an array of numbers, not {type(value).__name__}."
            ) from None


class OwnTruth(OwnMethod):
    """A method by its truth."""

    def __init__(self, given: Any, truth: Callable[[Votes], Any]) -> None:
        super().__init__(given)
        self._truth = truth

    def score(self, task: Task) -> Scoring:
        """Score against the truth, found anew in every bootstrap sample if it is to be."""
        found = against(task, self._checked(task.votes))
        if not self.refitted:
            return found

        def truth_of(weight: Floats) -> Floats:
            return self._checked(replace(task.votes, multiplicity=weight.astype(np.int64)))

        return replace(found, again=by_draw(task, truth_of))

    def _checked(self, votes: Votes) -> Floats:
        truth = self._array(self._truth(votes))
        rows, size = len(votes.multiplicity), len(votes.labels)
        if truth.shape not in ((rows, size), (len(votes.label), size)):
            raise OptionError(
                f"method '{self.name}' must return a probability of each label for each row of "
                f"votes, an array of {rows:,} x {size:,}, not one of "
                f"{' x '.join(f'{n:,}' for n in truth.shape) or 'no dimension'}."
            )
        total = truth.sum(axis=1)
        is_share = (np.abs(total - 1) < ROUNDING) | (total == 0)
        if not np.isfinite(truth).all() or (truth < 0).any() or not is_share.all():
            raise OptionError(
                f"method '{self.name}' must return probabilities: numbers from 0 on that sum to 1 "
                "in each row, or to 0 where there is no truth."
            )
        return truth


class OwnScores(OwnMethod):
    """A method by its scores."""

    def __init__(self, given: Any, scores: Callable[[Votes, Metrics], Any]) -> None:
        super().__init__(given)
        self._scores = scores
        self.refitted = True  # nothing but bootstrap samples tells how scores vary

    def score(self, task: Task) -> Scoring:
        """Score the data and every bootstrap sample."""
        if not task.settings.bootstrap:
            task.notes.caution(
                f"{self.short} has no intervals and ranks: they come from bootstrap samples alone "
                f"({option('bootstrap', 200)})."
            )
        scores = self._checked(task, task.votes)

        def again(weights: Floats) -> Floats:
            out = np.full((len(weights), *task.shape), np.nan)
            for draw, weight in zip(out, weights, strict=True):
                sample = replace(task.votes, multiplicity=weight.astype(np.int64))
                try:
                    draw[:] = self._checked(task, sample)
                except NotPossible:
                    continue
            return out

        return Scoring(Scored(scores=scores, draws=scores[None][:0]), again)

    def _checked(self, task: Task, votes: Votes) -> Floats:
        scores = self._array(self._scores(votes, task.metrics))
        if scores.shape != task.shape:
            raise OptionError(
                f"method '{self.name}' must return a score for each metric and classifier, an "
                f"array of {task.shape[0]:,} x {task.shape[1]:,}, not one of "
                f"{' x '.join(f'{n:,}' for n in scores.shape) or 'no dimension'}."
            )
        return scores


def own_method(given: Any) -> Method:
    """Make a method of what a user gave: an object with `truth` or `scores`, or a function.

    A subclass of :class:`~headcount.blind_evaluation.methods.base.Method` is one already.

    Examples
    --------
    >>> def first_label(votes):
    ...     "The first label is always right."
    ...     return np.eye(len(votes.labels))[np.zeros(len(votes.multiplicity), dtype=int)]
    >>> mine = own_method(first_label)
    >>> mine.name, mine.short, mine.words
    ('first_label', 'first label', 'The first label is always right')
    """
    if isinstance(given, Method):
        return given
    for kind, function in ((OwnTruth, "truth"), (OwnScores, "scores")):
        own = getattr(given, function, None)
        if callable(own) and not isinstance(given, type):
            return kind(given, own)
    if callable(given) and not isinstance(given, type):
        return OwnTruth(given, given)
    raise OptionError(
        f"{option('methods')} must be names of methods, functions of votes, or objects with a "
        f"function 'truth' or 'scores', not {given!r}."
    )
