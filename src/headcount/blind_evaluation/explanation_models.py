"""Models of why errors of classifiers go together, and their fit to patterns of votes by EM."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from itertools import product

import numpy as np

from headcount.typing import Codes, Flags, Floats

__all__ = [
    "NODES",
    "ADDED",
    "Explanation",
    "Independent",
    "Difficulty",
    "Families",
    "Both",
    "Pattern",
    "Fitted",
    "fit",
    "agreement",
    "covariance",
]


# What items may have beside a label, that makes errors of classifiers go together.

NODES = 21
"""Points of the normal distribution of difficulty: with 9, accuracies are off by up to .03."""
RARE = 0.01
"""Least share of the items that have a bit, and of those that do not."""


class Hidden:
    """A property of items on which some classifiers depend.

    At a node, the logarithm of the odds that a member is right goes up by `slope` times the node.
    Where a node draws errors, they are one wrong label, the same for all members, in `pull` of the
    cases: one that an item looks like.

    Parameters
    ----------
    members : (classifiers,) array of bool
    nodes, share : (nodes,) arrays
        With their probabilities.
    draws : (nodes,) array of bool
        Whether errors are drawn to one label.
    slope : float
        To begin with.
    """

    def __init__(
        self, members: Flags, nodes: Floats, share: Floats, draws: Flags, *, slope: float
    ) -> None:
        self.members = members
        self.nodes = nodes
        self.share = share
        self.draws = draws
        self.slope = slope
        self.pull = 0.5

    @property
    def by_share(self) -> Floats | None:
        """Derivative of the logarithm of `share` by its parameter, if it has one."""
        return None

    @property
    def parameters(self) -> int:
        """Number of parameters."""
        return 1 + int(self.draws.any()) + int(self.by_share is not None)

    def start(self, odds: Floats) -> Floats:
        """Give intercepts to begin with, by the logarithm of the odds to be right."""
        return odds

    def update(self, share: Floats) -> None:
        """Take over how common nodes are."""


class Ease(Hidden):
    """How easy an item is for all: normal."""

    def __init__(self, size: int, *, draws: bool = False) -> None:
        nodes, weight = np.polynomial.hermite_e.hermegauss(NODES)
        super().__init__(
            np.ones(size, dtype=bool),
            nodes,
            weight / weight.sum(),
            np.full(NODES, draws),
            slope=1.0,
        )

    def start(self, odds: Floats) -> Floats:
        """Spread accuracies as items that differ draw them together."""
        return 1.2 * odds


class Bit(Hidden):
    """Whether a family is likely to be right about an item."""

    def __init__(self, family: Flags, *, draws: bool = False) -> None:
        super().__init__(
            family, np.array([0.0, 1.0]), np.array([0.4, 0.6]), np.array([draws, False]), slope=3.0
        )

    @property
    def by_share(self) -> Floats:
        """Of the share of items with the bit, on the scale of log odds."""
        return self.nodes - self.share[1]

    def start(self, odds: Floats) -> Floats:
        """Begin in the middle between items with the bit and without."""
        return odds - 1.5 * self.members

    def update(self, share: Floats) -> None:
        """Take it, but leave neither state without items."""
        good = float(np.clip(share[1], RARE, 1 - RARE))
        self.share = np.array([1 - good, good])


# Models of why errors go together: what each supposes, and one step of EM.

ADDED = 0.1
"""Hits and misses added to every count, which keep accuracies from 0 and 1. With .5, and coarser
steps, the spread of difficulty came out a tenth too small, and accuracies .013 to .018 too high."""
ADDED_WRONG = 0.5
"""Errors added to every wrong label of a true one."""
STEPS, MOST_SLOPE = 3, 16.0
"""Newton steps between two steps of EM, and the largest slope, of an exact copy."""
MOST_PULL = 0.99
FEWEST_LABELS = 3
"""Labels from which on there is more than one wrong one."""


class Explanation:
    r"""A model in which an item has a hidden state beside its label.

    In state h, which has probability `prior[c, h]` for items of label c, classifier j is right with
    probability `right[c, h, j]`, whose log odds are :math:`a_{jc} + \sum_t s_t n_{th}` over the
    hidden properties t that j depends on. Accuracies depend on the label in every model, and so
    does which wrong label is given, for all classifiers alike: those who lean to the same label, or
    take the same two for each other, agree, and are no family for that.

    Parameters
    ----------
    accuracy : (labels, classifiers) array
        To begin with.
    hidden : sequence of Hidden
        What items have beside their label. None: classifiers err independently of each other.
    """

    def __init__(self, accuracy: Floats, hidden: Sequence[Hidden] = ()) -> None:
        self.hidden = tuple(hidden)
        self.labels, self.size = accuracy.shape
        self.ease = np.log(accuracy / (1 - accuracy))
        for latent in self.hidden:
            self.ease = latent.start(self.ease)
        states = list(product(*(_states(latent, self.labels) for latent in self.hidden)))
        # Of each state: the node of each property, and how far the label that draws is from true.
        self.node: Codes = np.array([[s[0] for s in state] for state in states], dtype=np.int64)
        self.shift: Codes = np.array([[s[1] for s in state] for state in states], dtype=np.int64)
        # Classifiers that depend on the same properties have the same wrong labels.
        signs = [tuple(bool(latent.members[j]) for latent in self.hidden) for j in range(self.size)]
        self.rows = sorted(set(signs))
        self.group: Codes = np.array([self.rows.index(sign) for sign in signs])
        self.spread = (1 - np.eye(self.labels)) / max(self.labels - 1, 1)
        self.at = [np.outer(latent.nodes[self.node[:, t]], latent.members)
                   for t, latent in enumerate(self.hidden)]  # fmt: skip
        self.drawn = [self._drawn(t) for t in range(len(self.hidden))]
        self._set()

    @property
    def several(self) -> bool:
        """Whether there is more than one wrong label."""
        return self.labels >= FEWEST_LABELS

    @property
    def parameters(self) -> int:
        """One a classifier and label, wrong labels of each, and those of hidden properties."""
        wrong = self.labels * (self.labels - 2) if self.several else 0
        return self.ease.size + wrong + sum(latent.parameters for latent in self.hidden)

    @property
    def slopes(self) -> list[tuple[Floats, Flags]]:
        """What the logarithm of the odds to be right goes up with, by state, and for whom."""
        return [
            (latent.nodes[self.node[:, t]], latent.members) for t, latent in enumerate(self.hidden)
        ]

    @property
    def shares(self) -> list[Floats]:
        """Derivatives of the logarithm of `prior` by the parameters that it has."""
        by_variable = [(t, latent.by_share) for t, latent in enumerate(self.hidden)]
        return [by_share[self.node[:, t]] for t, by_share in by_variable if by_share is not None]

    def _set(self) -> None:
        """Find probabilities from parameters."""
        true: Codes = np.arange(self.labels, dtype=np.int64)[:, None]
        self.prior = np.ones((self.labels, len(self.node)))
        offset = np.zeros((len(self.node), self.size))
        for t, latent in enumerate(self.hidden):
            drawn = self.spread[true, (true + self.shift[:, t]) % self.labels]
            self.prior *= latent.share[self.node[:, t]] * np.where(self.shift[:, t] > 0, drawn, 1)
            offset += latent.slope * self.at[t]
        self.right: Floats = 1 / (1 + np.exp(-np.clip(self.ease[:, None] + offset, -12, 12)))
        if self.several:
            self.wrong = np.stack([self.mixed(g)[-1] for g in range(len(self.rows))])

    def mixed(self, group: int) -> list[Floats]:
        """Find how likely wrong labels are, (labels, states, labels), as each property comes in."""
        mixtures = [np.repeat(self.spread[:, None], len(self.node), axis=1)]
        for t, latent in enumerate(self.hidden):
            if self.rows[group][t] and latent.draws.any():
                at = self.drawn[t]
                on = latent.pull * (self.shift[:, t] > 0)[:, None]
                mixtures.append(on * at + (1 - on) * mixtures[-1])
        return mixtures

    def _drawn(self, t: int) -> Flags:
        """Whether a property draws errors to a label: (true labels, states, labels)."""
        labels: Codes = np.arange(self.labels, dtype=np.int64)
        at: Codes = (labels[:, None] + self.shift[:, t]) % self.labels
        return (at[:, :, None] == labels) & (self.shift[:, t] > 0)[:, None]

    def update(self, hits: Floats, number: Floats, state: Floats, errors: Floats | None) -> None:
        """Maximise, given what is expected.

        Parameters
        ----------
        hits, number : (labels, states, classifiers) arrays
            Right labels, and all.
        state : (labels, states) array
            Items.
        errors : (groups, labels, states, labels) array, optional
            Wrong labels; where there are several.
        """
        alone = np.ones(self.size, dtype=bool)
        for t, latent in enumerate(self.hidden):
            who = latent.members
            alone &= ~who
            others = np.zeros((len(self.node), self.size))
            for u, other in enumerate(self.hidden):
                if u != t:
                    others += other.slope * self.at[u]
            # Hits and misses are added where items are: at the outermost nodes, where none is, they
            # would pull the slope towards 0.
            share = self.prior[:, :, None]
            self.ease[:, who], latent.slope = _newton(
                hits[:, :, who] + ADDED * share,
                number[:, :, who] + 2 * ADDED * share,
                latent.nodes[self.node[:, t], None],
                others[:, who],
                self.ease[:, who],
                latent.slope,
            )
            by_node = np.bincount(self.node[:, t], state.sum(axis=0), len(latent.nodes))
            latent.update(by_node / by_node.sum())
        if alone.any():
            right = hits[:, :, alone].sum(axis=1) + ADDED
            missed = number[:, :, alone].sum(axis=1) + 2 * ADDED - right
            self.ease[:, alone] = np.log(right / missed)
        if errors is not None:
            self._spread(state, errors)
        self._set()

    def _spread(self, state: Floats, errors: Floats) -> None:
        """Find which wrong labels are given, and how often errors are drawn to one."""
        counts = ADDED_WRONG * (1 - np.eye(self.labels))
        pulled = np.zeros((len(self.hidden), 2))
        for group, left in enumerate(errors):
            mixed = self.mixed(group)
            came_in = [t for t, latent in enumerate(self.hidden)
                       if self.rows[group][t] and latent.draws.any()]  # fmt: skip
            for t, before in zip(came_in[::-1], mixed[-2::-1], strict=True):
                at, pull = self.drawn[t], self.hidden[t].pull
                is_on = (self.shift[:, t] > 0)[:, None]
                took = left * at * (pull / (pull + (1 - pull) * before))
                pulled[t] += took.sum(), (left * is_on).sum()
                left = left - took
            counts += left.sum(axis=1)
        for t, latent in enumerate(self.hidden):
            if latent.draws.any():
                counts += np.einsum("ch,chl->cl", state, self.drawn[t])
                latent.pull = min((pulled[t, 0] + ADDED) / (pulled[t, 1] + 2 * ADDED), MOST_PULL)
        self.spread = counts / counts.sum(axis=1, keepdims=True)


class Independent(Explanation):
    """Classifiers err independently of each other: an accuracy for each label."""


class Difficulty(Explanation):
    """Some items are hard; with `draws`, they look like another label to all."""

    def __init__(self, accuracy: Floats, *, draws: bool = False) -> None:
        super().__init__(accuracy, [Ease(accuracy.shape[1], draws=draws)])


class Families(Explanation):
    """Members of a family share a hidden bit of each item, and the label that they err to."""

    def __init__(
        self, accuracy: Floats, families: tuple[Flags, ...], *, draws: bool = True
    ) -> None:
        draws = draws and len(accuracy) >= FEWEST_LABELS
        super().__init__(accuracy, [Bit(family, draws=draws) for family in families])


class Both(Explanation):
    """Some items are hard, and members of a family err together beyond that.

    Parameters
    ----------
    families : Explanation
        Fitted :class:`Families`, to begin from.
    draws : bool
        Whether hard items look like another label to all.
    """

    def __init__(self, families: Explanation, *, draws: bool = False) -> None:
        ease = Ease(families.size, draws=draws)
        super().__init__(
            np.full(families.ease.shape, 0.5), [ease, *(copy(bit) for bit in families.hidden)]
        )
        self.ease, self.spread = ease.start(families.ease), families.spread
        self._set()


def _newton(
    hits: Floats, number: Floats, nodes: Floats, others: Floats, ease: Floats, slope: float
) -> tuple[Floats, float]:
    """Take Newton steps of a logistic regression with one slope: intercepts and slope.

    `hits` and `number` are (labels, states, classifiers); `nodes`, (states, 1), is what the slope
    is of, `others`, (states, classifiers), is added to log odds, and `ease` are the intercepts,
    (labels, classifiers). These meet the slope only, so that they can be solved for one by one.
    """
    for _ in range(STEPS):
        odds = np.clip(ease[:, None] + slope * nodes + others, -12, 12)
        right = 1 / (1 + np.exp(-odds))
        off, curve = hits - number * right, number * right * (1 - right) + 1e-9
        residual, own, cross = off.sum(axis=1), curve.sum(axis=1), (curve * nodes).sum(axis=1)
        by_slope = float((off * nodes).sum() - (cross / own * residual).sum())
        curved = float((curve * nodes**2).sum() - (cross**2 / own).sum())
        step = min(max(by_slope / (curved + 1e-9), -0.5), 0.5)
        slope = min(max(slope + step, 0.0), MOST_SLOPE)
        ease = np.clip(ease + np.clip((residual - cross * step) / own, -1, 1), -8, 8)
    return ease, slope


def _states(latent: Hidden, labels: int) -> list[tuple[int, int]]:
    """List nodes, and for those that draw errors every label that these may be, by its distance."""
    return [
        (node, shift)
        for node, draws in enumerate(latent.draws)
        for shift in (range(1, labels) if draws else (0,))
    ]


# Fit models of why errors go together to patterns of votes, by EM.

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
    for g, wrong in enumerate(model.wrong):
        for k, other in enumerate(model.wrong):
            same = chance * (wrong * other).sum(axis=2)
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
    for t, latent in enumerate(model.hidden):
        if latent.draws.any():
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
    counts, latent = _by_group(votes, model), model.hidden[t]
    if counts is None:
        return np.zeros(len(votes.weight))
    at = _wrong(counts, model)
    moved = copy(model)
    moved.hidden = tuple(copy(x) for x in model.hidden)
    moved.hidden[t].pull = latent.pull - STEP
    moved.wrong = np.stack([moved.mixed(g)[-1] for g in range(len(model.rows))])
    return ((at - _wrong(counts, moved)) * state).sum(axis=(0, 2)) / STEP
