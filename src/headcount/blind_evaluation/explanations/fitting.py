"""Fit models of why errors go together to patterns of votes, by EM."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np

from headcount.blind_evaluation.explanations.model import ADDED, Explanation
from headcount.typing import Codes, Flags, Floats

__all__ = ["Fitted", "Pattern", "agreement", "covariance", "fit"]

MOST_STEPS, CLOSE = 400, 1e-3
"""EM stops after so many steps, or where one gains less log-likelihood."""
STEP = 1e-4
"""Of a derivative by differences."""


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
    accuracy : (classifiers,) array
    common : (labels,) array
        How common labels are.
    truth : (rows, labels) array
        Probability of each label.
    agreement : (classifiers, classifiers) array
        How often two agree by the model.
    guesses : bool
        Whether, where some label is true, classifiers are right less often than a guess would be.
    model : Explanation
    state : (labels, rows, states) array
        Probability of label and state, given the votes of a row.
    """

    log_likelihood: float
    bic: float
    accuracy: Floats
    common: Floats
    truth: Floats
    agreement: Floats
    guesses: bool
    model: Explanation
    state: Floats

    def covariance(self, votes: Pattern) -> Floats:
        """Find the covariance of the accuracies: (classifiers, classifiers)."""
        return covariance(votes, self.model, self.common, self.state)


def fit(
    votes: Pattern, model: Explanation, held: Floats | None = None, *, steps: int | None = None
) -> Fitted:
    """Climb to a maximum of the likelihood. O(rows x classifiers x labels x states) a step.

    How common labels are is fitted too, unless it is to be held at `held`. At most `steps` steps.
    """
    if held is None:
        shares = votes.said.sum(axis=2) / votes.voted.sum(axis=1)
        common = votes.weight @ shares.T / votes.weight.sum()
    else:
        common = held
    common = (common + 1e-6) / (common + 1e-6).sum()
    before = likelihood = -np.inf
    impossible = ~votes.possible
    counts = _by_group(votes, model)
    joint = np.zeros((votes.labels, len(votes.weight), len(model.node)))
    for _ in range(MOST_STEPS if steps is None else steps):
        right, miss = np.log(model.right), np.log1p(-model.right)
        # If c is true, who said c is right and who said another is not: (labels, rows, states).
        log = votes.said @ np.swapaxes(right - miss, 1, 2) + votes.voted @ np.swapaxes(miss, 1, 2)
        if counts is not None:
            log += _wrong(counts, model)
        log += (np.log(common)[:, None] + np.log(model.prior + 1e-300))[:, None]
        log[impossible] = -np.inf
        best = log.max(axis=(0, 2), keepdims=True)
        joint = np.exp(log - best)
        total = joint.sum(axis=(0, 2))
        likelihood = float(votes.weight @ (np.log(total) + best[0, :, 0]))
        joint *= (votes.weight / total)[:, None]
        by_state = np.swapaxes(joint, 1, 2)
        number, hits = by_state @ votes.voted, by_state @ votes.said
        if held is None:
            common = joint.sum(axis=(1, 2)) + 1e-6
            common /= common.sum()
        if likelihood - before < CLOSE:
            break
        before = likelihood
        errors = None
        if counts is not None:
            others = 1 - np.eye(votes.labels)[:, None]
            errors = (by_state @ np.swapaxes(counts, 1, 2)[:, None]) * others
        model.update(hits, number, joint.sum(axis=1), errors)
    n = float(votes.weight.sum())
    parameters = model.parameters + votes.labels - 1
    truth = joint.sum(axis=2).T
    chance = common[:, None] * model.prior
    by_label = np.einsum("ch,chj->c", model.prior, model.right) / model.right.shape[2]
    return Fitted(
        log_likelihood=likelihood,
        bic=parameters * np.log(n) - 2 * likelihood,
        accuracy=np.einsum("ch,chj->j", chance, model.right),
        common=common,
        truth=truth / truth.sum(axis=1, keepdims=True),
        agreement=agreement(model, chance),
        guesses=bool((by_label < 1 / votes.labels).any()),
        model=model,
        state=joint / votes.weight[:, None],
    )


def _by_group(votes: Pattern, model: Explanation) -> Floats | None:
    """Count labels that each group of classifiers gave: (groups, labels, rows); none of two."""
    if not model.several:
        return None
    groups = range(len(model.rows))
    return np.stack([votes.said[:, :, model.group == g].sum(axis=2) for g in groups])


def _wrong(counts: Floats, model: Explanation) -> Floats:
    """Log-likelihood of which wrong labels were given: (labels, rows, states)."""
    log = np.log(np.where(model.wrong > 0, model.wrong, 1.0))
    return (np.swapaxes(counts, 1, 2)[:, None] @ np.swapaxes(log, 2, 3)).sum(axis=0)


def agreement(model: Explanation, chance: Floats) -> Floats:
    """How often every two classifiers agree, (classifiers, classifiers)."""
    missed = 1 - model.right
    both = np.einsum("ch,chj,chk->jk", chance, model.right, model.right, optimize=True)
    if not model.several:
        return both + np.einsum("ch,chj,chk->jk", chance, missed, missed, optimize=True)
    for g, one in enumerate(model.wrong):
        for k, other in enumerate(model.wrong):
            same = chance * (one * other).sum(axis=2)
            rows, columns = model.group == g, model.group == k
            both[np.ix_(rows, columns)] += np.einsum(
                "ch,chj,chk->jk", same, missed[:, :, rows], missed[:, :, columns], optimize=True
            )
    return both


def covariance(votes: Pattern, model: Explanation, common: Floats, state: Floats) -> Floats:
    r"""Find the covariance of the accuracies at the maximum: (classifiers, classifiers).

    :math:`G' J^{-1} G`, with G the derivatives of the accuracies by the parameters and
    :math:`J = \sum_i w_i s_i s_i'` the information that the scores of items hold (the outer product
    of gradients). The score of an item is the mean, over what its votes leave open, of what it
    would be if label and state were known (Fisher's identity). Which wrong labels are usual is
    taken as known.

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
    accuracy = np.einsum("ch,chj->cj", model.prior, model.right)
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
    for t, one in enumerate(model.hidden):
        if one.draws.any():
            scores.append(_by_pull(votes, model, t, state))
            change.append(np.zeros(size))
    for c in range(labels - 1):
        scores.append(label[c] - common[c])
        change.append(common[c] * (accuracy[c] - common @ accuracy))
    table, by = np.array(scores), np.array(change)
    information = (table * votes.weight) @ table.T
    # What was added to every count is known as well; and a hit in a million keeps it regular.
    information[np.diag_indices(labels * size)] += ADDED / 2
    information[np.diag_indices(len(information))] += 1e-6
    return np.asarray(by.T @ np.linalg.solve(information, by), dtype=np.float64)


def _by_pull(votes: Pattern, model: Explanation, t: int, state: Floats) -> Floats:
    """Score of each row by how often errors are drawn to one label."""
    counts, one = _by_group(votes, model), model.hidden[t]
    if counts is None:
        return np.zeros(len(votes.weight))
    at = _wrong(counts, model)
    moved = copy(model)
    moved.hidden = tuple(copy(x) for x in model.hidden)
    moved.hidden[t].pull = one.pull - STEP
    moved.wrong = np.stack([moved.mixed(g)[-1] for g in range(len(model.rows))])
    return ((at - _wrong(counts, moved)) * state).sum(axis=(0, 2)) / STEP
