"""Models of why errors go together, fitted by EM to patterns of votes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from headcount.blind_evaluation.explanations._kernel import newton
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "ADDED", "Difficulty", "Explanation", "Families", "Fitted", "Independent", "Pattern", "fit",
    "standard_errors",
]  # fmt: skip

MOST_STEPS, CLOSE = 400, 1e-3
"""EM stops after so many steps, or where one gains less log-likelihood."""
ADDED = 0.1
"""Hits and misses added to every count, which keep accuracies from 0 and 1. With .5, and coarser
steps, the spread of difficulty came out a tenth too small, and accuracies .013 to .018 too high."""
STEPS, MOST_SLOPE = 3, 16.0
"""Newton steps between two steps of EM, and the largest slope, of an exact copy."""
NODES = 21
"""Points of the normal distribution of difficulty: with 9, accuracies are off by up to .03."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Pattern:
    """Rows of votes as matrices.

    Parameters
    ----------
    said : (labels, rows, classifiers) array
        Whether a classifier gave a label.
    voted : (rows, classifiers) array
        Whether it gave any.
    weight : (rows,) array
        Items of each row.
    gold : (rows,) array of int, optional
        Code of the true label; -1 where nobody knows it.
    """

    said: Floats
    voted: Floats
    weight: Floats
    gold: Codes | None = None

    @property
    def labels(self) -> int:
        """Number of labels."""
        return len(self.said)

    @property
    def possible(self) -> Flags:
        """Whether a label may be the true one: (labels, rows)."""
        if self.gold is None:
            return np.ones(self.said.shape[:2], dtype=bool)
        return (self.gold < 0) | np.equal.outer(np.arange(self.labels), self.gold)


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """A model at its maximum.

    Parameters
    ----------
    log_likelihood, bic : float
        BIC is less for the better explanation.
    accuracy, error : (classifiers,) arrays
        With its standard error.
    common : (labels,) array
        How common labels are.
    truth : (rows, labels) array
        Probability of each label.
    agreement : (classifiers, classifiers) array
        How often two agree by the model.
    guesses : bool
        Whether, where some label is true, classifiers are right less often than a guess would be.
    """

    log_likelihood: float
    bic: float
    accuracy: Floats
    error: Floats
    common: Floats
    truth: Floats
    agreement: Floats
    guesses: bool


class Explanation(ABC):
    """A model in which an item has a hidden state beside its label.

    In state h, which has probability `prior[h]`, classifier j is right about an item of label c
    with probability `right[c, h, j]`; errors are any other label. Accuracies depend on the label
    in every model: classifiers that lean to the same label agree, and are no family for that.
    """

    prior: Floats
    right: Floats

    @property
    def slopes(self) -> list[tuple[Floats, Flags]]:
        """What the logarithm of the odds to be right goes up with, by state, and for whom."""
        return []

    @property
    def shares(self) -> list[Floats]:
        """Derivatives of the logarithm of `prior` by the parameters that it has."""
        return []

    @property
    @abstractmethod
    def parameters(self) -> int:
        """Number of parameters, but for the shares of the labels."""

    @abstractmethod
    def update(self, hits: Floats, number: Floats, share: Floats) -> None:
        """Maximise, given expected hits and labels, (labels, states, classifiers), and states."""


class Independent(Explanation):
    """Classifiers err independently of each other: an accuracy for each label."""

    def __init__(self, accuracy: Floats) -> None:
        self.prior = np.ones(1)
        self.right = accuracy[:, None].copy()

    @property
    def parameters(self) -> int:
        """One a classifier and label."""
        return self.right.size

    def update(self, hits: Floats, number: Floats, share: Floats) -> None:
        """Take shares of hits."""
        self.right = (hits + ADDED) / (number + 2 * ADDED)


class Difficulty(Explanation):
    r"""Some items are harder for all: :math:`\operatorname{logit} P_{ij} = a_{jc} + s d_i`."""

    def __init__(self, accuracy: Floats) -> None:
        nodes, weight = np.polynomial.hermite_e.hermegauss(NODES)
        self.nodes: Floats = nodes
        self.prior = weight / weight.sum()
        self.slope = 1.0
        self.ease = 1.2 * _logit(accuracy)
        self.right = _chance(self.ease, self.slope, self.nodes)

    @property
    def slopes(self) -> list[tuple[Floats, Flags]]:
        """Ease, for all."""
        return [(self.nodes, np.ones(self.ease.shape[1], dtype=bool))]

    @property
    def parameters(self) -> int:
        """One a classifier and label, and the spread of difficulty."""
        return self.ease.size + 1

    def update(self, hits: Floats, number: Floats, share: Floats) -> None:
        """Take steps of a logistic regression with a common slope."""
        states = _States(self.nodes, self.prior)
        self.ease, self.slope = _regress(hits, number, states, self.ease, self.slope)
        self.right = _chance(self.ease, self.slope, self.nodes)


class Families(Explanation):
    r"""Members of a family share a hidden bit of each item.

    :math:`\operatorname{logit} P_{ij} = a_{jc} + s_f b_{if}`: all members are right more often
    where it is 1. Classifiers of no family are on their own.
    """

    def __init__(self, accuracy: Floats, families: tuple[Flags, ...]) -> None:
        self.families = families
        self.bits = np.array(list(product((0, 1), repeat=len(families))), dtype=np.float64)
        self.alone = accuracy.copy()
        self.ease = _logit(accuracy) - 1.5
        self.slope = np.full(len(families), 3.0)
        self.good = np.full(len(families), 0.6)
        self._set()

    @property
    def slopes(self) -> list[tuple[Floats, Flags]]:
        """The bit of each family, for its members."""
        return [(self.bits[:, f], family) for f, family in enumerate(self.families)]

    @property
    def shares(self) -> list[Floats]:
        """How often the bit of each family is 1."""
        return [self.bits[:, f] - good for f, good in enumerate(self.good)]

    @property
    def parameters(self) -> int:
        """One a classifier and label, and two a family."""
        return self.alone.size + 2 * len(self.families)

    def _set(self) -> None:
        self.prior = np.where(self.bits > 0, self.good, 1 - self.good).prod(axis=1)
        self.right = np.repeat(self.alone[:, None], len(self.bits), axis=1)
        for f, family in enumerate(self.families):
            shared = _chance(self.ease[:, family], self.slope[f], self.bits[:, f])
            self.right[:, :, family] = shared

    def update(self, hits: Floats, number: Floats, share: Floats) -> None:
        """Take shares of hits, and for members a regression on the bit of their family."""
        self.alone = (hits.sum(axis=1) + ADDED) / (number.sum(axis=1) + 2 * ADDED)
        for f, family in enumerate(self.families):
            on = self.bits[:, f] > 0
            by_bit = [
                np.stack([x[:, ~on].sum(axis=1), x[:, on].sum(axis=1)], axis=1)[:, :, family]
                for x in (hits, number)
            ]
            ease, slope = self.ease[:, family], float(self.slope[f])
            states = _States(np.array([0.0, 1.0]), np.array([1 - self.good[f], self.good[f]]))
            self.ease[:, family], self.slope[f] = _regress(
                by_bit[0], by_bit[1], states, ease, slope
            )
            self.good[f] = np.clip(share[on].sum(), 0.01, 0.99)
        self._set()


def _logit(share: Floats) -> Floats:
    return np.log(share / (1 - share))


def _chance(ease: Floats, slope: float, nodes: Floats) -> Floats:
    """How often each is right at each node: (labels, nodes, classifiers)."""
    return 1 / (1 + np.exp(-np.clip(ease[:, None] + slope * nodes[:, None], -12, 12)))


class _States(NamedTuple):
    """Hidden states: where they stand, and how likely they are."""

    nodes: Floats
    prior: Floats


def _regress(
    hits: Floats, number: Floats, states: _States, ease: Floats, slope: float
) -> tuple[Floats, float]:
    """Take Newton steps of a logistic regression: an intercept each, and one slope on nodes."""
    # Hits and misses are added where items are: at the outermost nodes, where none is, they would
    # pull the slope towards 0.
    share = states.prior[:, None]
    ease = ease.copy()
    found = newton(
        hits + ADDED * share, number + 2 * ADDED * share, states.nodes, ease, slope, STEPS,
        MOST_SLOPE,
    )  # fmt: skip
    return ease, float(found)


def fit(votes: Pattern, model: Explanation, held: Floats | None = None) -> Fitted:
    """Climb to a maximum of the likelihood. O(rows x classifiers x labels x states) a step.

    How common labels are is fitted too, unless it is to be held at `held`.
    """
    wrong = np.log(max(votes.labels - 1, 1))
    if held is None:
        shares = votes.said.sum(axis=2) / votes.voted.sum(axis=1)
        common = votes.weight @ shares.T / votes.weight.sum()
    else:
        common = held
    common = (common + 1e-6) / (common + 1e-6).sum()
    before = likelihood = -np.inf
    impossible = ~votes.possible
    joint = np.zeros((votes.labels, len(votes.weight), len(model.prior)))
    for _ in range(MOST_STEPS):
        right, miss = np.log(model.right), np.log1p(-model.right) - wrong
        # If c is true, who said c is right and who said another is not: (labels, rows, states).
        log = votes.said @ np.swapaxes(right - miss, 1, 2) + votes.voted @ np.swapaxes(miss, 1, 2)
        log += np.log(common)[:, None, None] + np.log(model.prior + 1e-300)
        log[impossible] = -np.inf
        best = log.max(axis=(0, 2), keepdims=True)
        joint = np.exp(log - best)
        total = joint.sum(axis=(0, 2))
        likelihood = float(votes.weight @ (np.log(total) + best[0, :, 0]))
        joint *= (votes.weight / total)[:, None]
        number = np.swapaxes(joint, 1, 2) @ votes.voted
        hits = np.swapaxes(joint, 1, 2) @ votes.said
        if held is None:
            common = joint.sum(axis=(1, 2)) + 1e-6
            common /= common.sum()
        if likelihood - before < CLOSE:
            break
        before = likelihood
        model.update(hits, number, joint.sum(axis=(0, 1)) / votes.weight.sum())
    n = float(votes.weight.sum())
    parameters = model.parameters + votes.labels - 1
    truth = joint.sum(axis=2).T
    chance = common[:, None] * model.prior
    by_label = np.einsum("h,chj->c", model.prior, model.right) / model.right.shape[2]
    both, neither = (
        np.einsum("ch,chj,chk->jk", chance, x, x, optimize=True)
        for x in (model.right, 1 - model.right)
    )
    return Fitted(
        log_likelihood=likelihood,
        bic=parameters * np.log(n) - 2 * likelihood,
        accuracy=np.einsum("ch,chj->j", chance, model.right),
        error=standard_errors(votes, model, common, joint / votes.weight[:, None]),
        common=common,
        truth=truth / truth.sum(axis=1, keepdims=True),
        agreement=both + neither / max(votes.labels - 1, 1),
        guesses=bool((by_label < 1 / votes.labels).any()),
    )


def standard_errors(votes: Pattern, model: Explanation, common: Floats, state: Floats) -> Floats:
    r"""Find the standard errors of the accuracies at the maximum: (classifiers,).

    :math:`\sqrt{g' J^{-1} g}`, with g the derivatives of an accuracy by the parameters and
    :math:`J = \sum_i w_i s_i s_i'` the information that the scores of items hold (the outer product
    of gradients). The score of an item is the mean, over what its votes leave open, of what it
    would be if label and state were known (Fisher's identity).

    Parameters
    ----------
    votes : Pattern
    model : Explanation
    common : (labels,) array
        How common each label is.
    state : (labels, rows, states) array
        Probability of label and state, given the votes of a row.
    """
    labels, size = votes.labels, votes.voted.shape[1]
    label, missed = state.sum(axis=2), state @ model.right
    by_ease = label[:, :, None] * votes.said - votes.voted * missed  # labels, rows, classifiers
    steep = model.right * (1 - model.right)
    chance = common[:, None] * model.prior
    accuracy = np.einsum("ch,chj->cj", np.tile(model.prior, (labels, 1)), model.right)
    scores = [*np.moveaxis(by_ease, 1, 0).reshape(len(votes.weight), -1).T]
    # An intercept changes the accuracy of its own classifier only.
    own = np.einsum("ch,chj->cj", chance, steep)
    change = [*(own[:, :, None] * np.eye(size)).reshape(labels * size, size)]
    for at, members in model.slopes:
        hit = np.einsum("cr,crj,j->r", state @ at, votes.said, members, optimize=True)
        expected = np.einsum(
            "crh,h,chj,rj->r", state, at, model.right * members, votes.voted, optimize=True
        )
        scores.append(hit - expected)
        change.append(members * np.einsum("ch,h,chj->j", chance, at, steep))
    for by_share in model.shares:
        scores.append(state.sum(axis=0) @ by_share)
        change.append(np.einsum("ch,h,chj->j", chance, by_share, model.right))
    for c in range(labels - 1):
        scores.append(label[c] - common[c])
        change.append(common[c] * (accuracy[c] - common @ accuracy))
    table, by = np.array(scores), np.array(change)
    information = (table * votes.weight) @ table.T
    # What was added to every count is known as well; and a hit in a million keeps it regular.
    information[np.diag_indices(labels * size)] += ADDED / 2
    information[np.diag_indices(len(information))] += 1e-6
    return np.sqrt(np.maximum((by * np.linalg.solve(information, by)).sum(axis=0), 0.0))
