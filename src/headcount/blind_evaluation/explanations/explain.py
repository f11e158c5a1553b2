"""Which explanations of the votes are as good as the best, and what would tell them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from headcount.blind_evaluation.dependence.families import find_families, quantile
from headcount.blind_evaluation.dependence.suspicion import suspicion
from headcount.blind_evaluation.explanations.model import (
    Difficulty,
    Explanation,
    Families,
    Fitted,
    Independent,
    Pattern,
    fit,
)
from headcount.blind_evaluation.votes import Votes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import FIRST_ORDER
from headcount.typing import Flags, Floats

__all__ = ["DIFFICULTY", "INDEPENDENT", "Explained", "Explanations", "explain"]

INDEPENDENT, DIFFICULTY, FAMILIES = "independent", "difficulty", "families"
AS_GOOD = 14.0
"""BIC by which an explanation may be worse than the best, and still be one that votes allow."""
FEWEST, MOST, MOST_LABELS = 4, 40, 10
"""Classifiers that it takes, and up to which it is tried; labels up to which it is."""
MOST_ROWS = 1000
"""Rows of votes that are fitted; of more, so many are drawn."""
MOST_FAMILIES, MOST_CANDIDATES = 3, 10
FEWEST_GOLD, MOST_GOLD = 5, 10_000
"""Gold labels below which the sum of what they tell is not normal, and beyond which nobody would
want to know."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Explained:
    """One explanation of the votes.

    Parameters
    ----------
    kind : str
        independent, difficulty or families.
    families : tuple of tuple of str
        Classifiers that err together.
    bic : float
        By how much its BIC is above that of the best explanation.
    estimates : dict of classifier to Estimate
        Accuracy if it is right, with an interval.
    """

    kind: str
    families: tuple[tuple[str, ...], ...]
    bic: float
    estimates: dict[str, Estimate]

    @property
    def level(self) -> float:
        """Coverage of the intervals."""
        return next(iter(self.estimates.values())).level or 0.95

    @property
    def accuracy(self) -> dict[str, float]:
        """Accuracy of each classifier if it is right."""
        return {name: found.value for name, found in self.estimates.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "families": [list(family) for family in self.families],
            "bic": self.bic,
            "accuracy": self.accuracy,
            "estimates": {name: found.to_dict() for name, found in self.estimates.items()},
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanations:
    """All explanations that the votes allow, best first.

    Parameters
    ----------
    found : tuple of Explained
    gold_needed : int or None
        Gold labels of random items that would tell the two best apart, with a power of 80%, beside
        those that there are; None where there is one only, or more than 10,000 are needed.
    gold_items : int
        Items whose gold labels have a say in it.
    unexplained : tuple of str
        Classifiers of which two agree more often than the likeliest explanation allows: then none
        that was tried is right, and accuracies have no intervals.
    """

    found: tuple[Explained, ...]
    gold_needed: int | None
    gold_items: int = 0
    unexplained: tuple[str, ...] = ()

    @property
    def has_families(self) -> bool:
        """Whether some classifiers may err together."""
        return any(one.families for one in self.found)

    @property
    def has_independent(self) -> bool:
        """Whether all may err independently."""
        return any(one.kind == INDEPENDENT for one in self.found)

    @property
    def differ(self) -> float:
        """Largest difference in the accuracy of a classifier between two explanations."""
        table = np.array([list(one.accuracy.values()) for one in self.found])
        return float(np.ptp(table, axis=0).max())

    @property
    def winners(self) -> dict[str, Explained]:
        """The best classifier by each explanation, with the first explanation that says so."""
        out: dict[str, Explained] = {}
        for one in self.found:
            out.setdefault(max(one.accuracy, key=lambda name: one.accuracy[name]), one)
        return out

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "explanations": [one.to_dict() for one in self.found],
            "gold_needed": self.gold_needed,
            "unexplained": list(self.unexplained),
        }


Candidate = tuple[str, tuple[Flags, ...], Fitted]


def explain(votes: Votes, level: float = 0.95) -> Explanations | None:
    r"""Fit independent errors, hard items and families of classifiers, and compare them by BIC.

    Independent: each classifier has an accuracy for each label. Difficulty:
    :math:`\operatorname{logit} P_{ij} = a_{jc} + s d_i` with a normal :math:`d_i`. Families:
    :math:`a_{jc} + s_f b_{if}`, a hidden bit of each item and family, by which all members are
    right more or less often.
    Families are tried only if two classifiers agree more than independent errors allow
    (Bonferroni): groups of classifiers that are connected by such pairs, alone and together,
    their complements, and the two halves by the sign of the leading eigenvector of the excess
    agreement. All explanations within 14 BIC of the best are given, since on less the votes do
    not decide. Items with gold have one possible label, so that gold decides where votes do not.

    Accuracies have intervals of level `level` in log odds, by standard errors that allow for all
    that was fitted; none where two classifiers still agree more than the best explanation allows,
    as those of a family do that share *which* wrong label of several they give.

    Where items differ more than classifiers err, one label may be taken for true nearly
    everywhere, and whoever says another for wrong: votes hardly speak against it. So a fit in which
    classifiers are right less often than a guess, where some label is true, is made anew with
    labels as common as they are by independent errors.

    None for fewer than 4 classifiers or more than 40, and for more than 10 labels. Of more than
    1,000 rows of votes so many are drawn, by their order, which is not that of the data.

    Notes
    -----
    What most classifiers get wrong together is the truth to every explanation. Families and hard
    items at once are no explanation here. O(rows x classifiers x labels x states) a step of EM.

    References
    ----------
    Whitehill et al. (2009) for difficulty; Schwarz (1978) for BIC.
    """
    size, labels = len(votes.classifiers), len(votes.labels)
    if not FEWEST <= size <= MOST or labels > MOST_LABELS:
        return None
    pattern = _pattern(votes)
    start = _start(pattern)
    independent = fit(pattern, Independent(start))

    def fitted(make: Callable[[], Explanation]) -> Fitted:
        found = fit(pattern, make())
        return fit(pattern, make(), independent.common) if found.guesses else found

    fits: list[Candidate] = [
        (INDEPENDENT, (), independent),
        (DIFFICULTY, (), fitted(partial(Difficulty, start))),
    ]
    weight = votes.multiplicity.astype(np.float64)
    suspected = find_families(suspicion(votes, weight), votes.classifiers)
    groups = [_members(family.members, size) for family in suspected]
    for families in _candidates(pattern, [one[2] for one in fits], groups):
        # From the votes of all, and from those in which a family has one vote: EM may stay where
        # what a family says is true.
        starts = (start, _start(pattern, families))
        tried = [fitted(partial(Families, one, families)) for one in starts]
        fits.append((FAMILIES, families, min(tried, key=lambda one: one.bic)))
    fits.sort(key=lambda one: one[2].bic)
    best = fits[0][2].bic
    kept = [one for one in fits if one[2].bic - best <= AS_GOOD]
    names = votes.classifiers
    left = _agree_more(pattern, kept[0][2])[1].any(axis=1)
    return Explanations(
        found=tuple(
            Explained(
                kind=kind,
                families=tuple(
                    tuple(names[k] for k in np.flatnonzero(family)) for family in families
                ),
                bic=float(found.bic - best),
                estimates={
                    name: Estimate(value) if left.any() else _estimate(value, error, level)
                    for name, value, error in zip(
                        names, found.accuracy.tolist(), found.error.tolist(), strict=True
                    )
                },
            )
            for kind, families, found in kept
        ),
        gold_needed=_gold_needed(pattern, kept[0][2], kept[1][2]) if len(kept) > 1 else None,
        gold_items=0 if pattern.gold is None else int(votes.multiplicity[votes.gold >= 0].sum()),
        unexplained=tuple(names[k] for k in np.flatnonzero(left)),
    )


def _estimate(accuracy: float, error: float, level: float) -> Estimate:
    """Add an interval that is symmetric in log odds."""
    odds, slope = np.log(accuracy / (1 - accuracy)), accuracy * (1 - accuracy)
    ends = FIRST_ORDER.ends(float(odds), error / slope, level)
    if ends is None:
        return Estimate(accuracy)
    low, high = (float(1 / (1 + np.exp(-np.clip(end, -700, 700)))) for end in ends)
    return Estimate(accuracy, low=low, high=high, level=level, method=FIRST_ORDER.name)


def _pattern(votes: Votes) -> Pattern:
    shape = (len(votes.labels), len(votes.multiplicity), len(votes.classifiers))
    said = np.zeros(shape)
    said[votes.label, votes.row, votes.classifier] = 1
    weight, gold = votes.multiplicity.astype(np.float64), votes.gold
    if len(weight) > MOST_ROWS:
        rng = np.random.default_rng(0)
        drawn = rng.multinomial(MOST_ROWS, weight / weight.sum())
        said, gold = said[:, drawn > 0], gold[drawn > 0]
        weight = drawn[drawn > 0].astype(np.float64)
    known = gold if (gold >= 0).any() else None
    return Pattern(said=said, voted=said.sum(axis=0), weight=weight, gold=known)


def _members(members: Sequence[int], size: int) -> Flags:
    found = np.zeros(size, dtype=bool)
    found[list(members)] = True
    return found


def _start(pattern: Pattern, families: tuple[Flags, ...] = ()) -> Floats:
    """Accuracies against shares of votes, of which each family has one, which EM climbs from."""
    vote = np.ones(pattern.voted.shape[1])
    for family in families:
        vote[family] = 1 / family.sum()
    counts = pattern.said @ vote
    # Where gold is known it is the truth, even one that nobody gave.
    counts = np.where(pattern.possible, counts + 1e-9, 0)
    share = counts / counts.sum(axis=0)
    hits = np.einsum("cr,crj->cj", share * pattern.weight, pattern.said)
    number = (share * pattern.weight) @ pattern.voted
    return np.clip((hits + 1) / (number + 2), 0.2, 0.95)


def _candidates(
    pattern: Pattern, fits: list[Fitted], suspected: list[Flags]
) -> list[tuple[Flags, ...]]:
    """Find families to try: those suspected, and from pairs that agree more than two fits say."""
    size = pattern.voted.shape[1]
    found: dict[tuple[tuple[bool, ...], ...], tuple[Flags, ...]] = {}

    def add(*families: Flags) -> None:
        kept = [f for f in families if 2 <= f.sum() < size]
        if kept and len(kept) <= MOST_FAMILIES:
            key = tuple(sorted(tuple(bool(x) for x in f) for f in kept))
            found.setdefault(key, tuple(kept))

    for number, one in enumerate(fits):
        excess, near = _agree_more(pattern, one)
        if number == 0 and near.any():
            add(*suspected)
            for group in suspected:
                add(group)
        if not near.any():
            if number == 0:
                return []
            continue
        groups = _connected(near)
        for group in groups:
            add(group)
            add(~group)
            add(group, ~group)
        add(*groups)
        _, vectors = np.linalg.eigh(excess)
        half = vectors[:, -1] > 0
        for families in ((half,), (~half,), (half, ~half)):
            add(*families)
        strong = np.abs(vectors[:, -1]) > 0.5 / np.sqrt(size)
        for families in ((half & strong,), (~half & strong,), (half & strong, ~half & strong)):
            add(*families)
    return list(found.values())[:MOST_CANDIDATES]


def _agree_more(pattern: Pattern, fitted: Fitted) -> tuple[Floats, Flags]:
    """By how much every two agree more than a fit says, and whether that is more than noise.

    Noise is up to the normal quantile that none of so many pairs exceeds with probability 95%.
    """
    both = (pattern.voted * pattern.weight[:, None]).T @ pattern.voted
    same = np.einsum("crj,r,crk->jk", pattern.said, pattern.weight, pattern.said, optimize=True)
    seen = np.divide(same, both, out=np.full_like(same, np.nan), where=both > 0)
    error = np.sqrt(fitted.agreement * (1 - fitted.agreement) / np.maximum(both, 1))
    excess = np.nan_to_num(seen - fitted.agreement)
    np.fill_diagonal(excess, 0)
    size = len(excess)
    near = (excess > quantile(size * (size - 1) // 2) * error) & (both > 0)
    np.fill_diagonal(near, False)
    return excess, near


def _connected(near: Flags) -> list[Flags]:
    """Find groups of classifiers that pairs connect, the largest first."""
    left = set(np.flatnonzero(near.any(axis=1)).tolist())
    groups: list[Flags] = []
    while left:
        grown, edge = set[int](), {min(left)}
        while edge:
            grown |= edge
            edge = set(np.flatnonzero(near[list(edge)].any(axis=0)).tolist()) - grown
        left -= grown
        group = np.zeros(len(near), dtype=bool)
        group[list(grown)] = True
        groups.append(group)
    return sorted(groups, key=lambda group: -int(group.sum()))


def _gold_needed(pattern: Pattern, one: Fitted, other: Fitted) -> int | None:
    """Gold labels of random items that tell one explanation from another: 5% errors, 80% power.

    By the log-likelihood ratio of a gold label given the votes, its mean and variance under each.
    """
    a, b = np.clip(one.truth, 1e-6, 1), np.clip(other.truth, 1e-6, 1)
    share = pattern.weight / pattern.weight.sum()
    ratio = np.log(a) - np.log(b)
    means: list[float] = []
    spreads: list[float] = []
    for truth in (a, b):
        mean = float(share @ (truth * ratio).sum(axis=1))
        means.append(mean)
        spreads.append(float(share @ (truth * ratio**2).sum(axis=1)) - mean**2)
    apart = means[0] - means[1]
    if apart <= 0:
        return None
    needed = ((1.645 * np.sqrt(spreads[1]) + 0.842 * np.sqrt(spreads[0])) / apart) ** 2
    return max(FEWEST_GOLD, int(np.ceil(needed))) if needed <= MOST_GOLD else None
