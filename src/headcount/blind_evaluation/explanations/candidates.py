"""Fit every explanation that the votes may allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from headcount.blind_evaluation.dependence.families import quantile
from headcount.blind_evaluation.explanations.fitting import Fitted, Pattern, fit
from headcount.blind_evaluation.explanations.hidden import NODES
from headcount.blind_evaluation.explanations.model import (
    Both,
    Difficulty,
    Explanation,
    Families,
    Independent,
)
from headcount.blind_evaluation.explanations.records import (
    BOTH,
    DIFFICULTY,
    FAMILIES,
    INDEPENDENT,
)
from headcount.typing import Flags, Floats

__all__ = ["Candidate", "agree_more", "try_all"]

MOST_FAMILIES, MOST_CANDIDATES, MOST_BESIDE = 6, 10, 4
MOST_LEFT_OUT = 3
"""Families of which each is left out in turn; of more, one of them changes little."""
SHORT, HOPELESS = 20, 60.0
"""First steps of EM, and how much worse by BIC than the best a fit may be after them: of 110 fits
that were listed in the end, none was more than 13 worse than hard items or independent errors."""
SAME = 0.02
"""Mean difference in the truth of an item at which two fits are on the way to the same end."""
MOST_STATES = 200
"""Hidden states of an item up to which families share the label that they err to."""

Candidate = tuple[str, tuple[Flags, ...], Fitted]


def try_all(pattern: Pattern, suspected: list[Flags]) -> list[Candidate]:
    """Fit independent errors, difficulty, families and both, where there is reason to.

    Parameters
    ----------
    pattern : Pattern
    suspected : list of (classifiers,) arrays of bool
        Classifiers that may err together, by other signs.
    """
    start, labels = _start(pattern), pattern.labels
    independent = fit(pattern, Independent(start))

    def fitted(make: Callable[[], Explanation]) -> Fitted:
        found = fit(pattern, make())
        if found.guesses:
            found = fit(pattern, make(), independent.common)
        # If all are right less often than a guess would be, the truth is taken for an error.
        return replace(found, bic=np.inf) if found.guesses and _all_guess(found) else found

    hard, drawn = fitted(partial(Difficulty, start)), False
    many = (labels - 1) * NODES
    if labels > 2 and hard.bic < independent.bic and many <= MOST_STATES:
        other = fitted(partial(Difficulty, start, draws=True))
        hard, drawn = (other, True) if other.bic < hard.bic else (hard, False)
    fits: list[Candidate] = [(INDEPENDENT, (), independent), (DIFFICULTY, (), hard)]

    def together(
        families: tuple[Flags, ...], *, most: int = MOST_STATES, worst: float = np.inf
    ) -> Fitted:
        # From the votes of all, and from those in which a family has one vote: EM may stay where
        # what a family says is true.
        draws = labels ** len(families) <= most
        starts = (start, _start(pattern, families))
        makes = [partial(Families, one, families, draws=draws) for one in starts]
        short = [fit(pattern, make(), steps=SHORT) for make in makes]
        apart = np.abs(short[0].truth - short[1].truth).sum(axis=1)
        if float(pattern.weight @ apart) < SAME * float(pattern.weight.sum()):
            makes, short = makes[:1], short[:1]
        more = [make for make, one in zip(makes, short, strict=True) if one.bic < worst]
        return min([fitted(make) for make in more] or short, key=lambda one: one.bic)

    best = min(independent.bic, hard.bic)
    tried = _candidates(pattern, [independent, hard], suspected)
    fits += [(FAMILIES, one, together(one, worst=best + HOPELESS)) for one in tried]
    states = many if drawn else NODES
    best = min(one[2].bic for one in fits)
    for families in _beside(pattern, hard, suspected, fits):
        alone = together(families, most=MOST_STATES // states)
        make = partial(Both, alone.model, draws=drawn)
        # These take longest, and begin near: a few steps tell whether more are worth it.
        if fit(pattern, make(), steps=SHORT).bic > best + HOPELESS:
            continue
        found = fitted(make)
        # What adds nothing to one of its parts is that part.
        if found.bic < min(hard.bic, alone.bic):
            fits.append((BOTH, families, found))
    return fits


def _all_guess(found: Fitted) -> bool:
    return float(found.accuracy.mean()) < 1 / len(found.common)


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
            found.setdefault(_key(tuple(kept)), tuple(kept))

    for number, one in enumerate(fits):
        excess, near = agree_more(pattern, one)
        if number == 0 and near.any():
            add(*suspected)
            for left_out in suspected if len(suspected) == MOST_LEFT_OUT else ():
                add(*(group for group in suspected if group is not left_out))
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
        add(*groups[:2])
        _, vectors = np.linalg.eigh(excess)
        half = vectors[:, -1] > 0
        for families in ((half,), (~half,), (half, ~half)):
            add(*families)
        strong = np.abs(vectors[:, -1]) > 0.5 / np.sqrt(size)
        for families in ((half & strong,), (~half & strong,), (half & strong, ~half & strong)):
            add(*families)
    return list(found.values())[:MOST_CANDIDATES]


def _beside(
    pattern: Pattern, hard: Fitted, suspected: list[Flags], tried: Sequence[Candidate]
) -> list[tuple[Flags, ...]]:
    """Find families that may err together beyond what hard items make of all."""
    excess, near = agree_more(pattern, hard)
    alone = sorted((one for one in tried if len(one[1]) == 1), key=lambda one: one[2].bic)
    groups = [*_connected(near), *suspected, *(one[1][0] for one in alone[:1])]
    if near.any():
        lead = np.linalg.eigh(excess)[1][:, -1]
        lead = lead * np.sign(lead[np.argmax(np.abs(lead))])
        groups.insert(0, lead > 0.5 / np.sqrt(len(lead)))
    found = {_key((group,)): (group,) for group in groups if 2 <= group.sum() <= len(group) / 2}
    return list(found.values())[:MOST_BESIDE]


def _key(families: tuple[Flags, ...]) -> tuple[tuple[bool, ...], ...]:
    return tuple(sorted(tuple(bool(x) for x in family) for family in families))


def agree_more(pattern: Pattern, fitted: Fitted) -> tuple[Floats, Flags]:
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
