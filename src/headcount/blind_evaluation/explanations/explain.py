"""Which explanations of the votes are as good as the best, and what would tell them apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from headcount.blind_evaluation.dependence.families import find_families
from headcount.blind_evaluation.dependence.suspicion import suspicion
from headcount.blind_evaluation.explanations.candidates import agree_more, try_all
from headcount.blind_evaluation.explanations.fitting import Fitted, Pattern
from headcount.blind_evaluation.explanations.records import WITH_FAMILIES, Explained, Explanations
from headcount.blind_evaluation.ranking import rank
from headcount.blind_evaluation.votes import Votes
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_error import FIRST_ORDER
from headcount.typing import Codes, Flags, Floats

__all__ = ["explain"]

AS_GOOD = 14.0
"""BIC by which an explanation may be worse than the best, and still be one that votes allow."""
FEWEST, MOST, MOST_LABELS = 4, 40, 10
"""Classifiers that it takes, and up to which it is tried; labels up to which it is."""
MOST_ROWS = 1000
"""Rows of votes that are fitted; of more, so many are drawn."""
FEWEST_GOLD, MOST_GOLD = 5, 10_000
"""Gold labels below which the sum of what they tell is not normal, and beyond which nobody would
want to know."""


def explain(votes: Votes, level: float = 0.95) -> Explanations | None:
    r"""Fit independent errors, hard items and families of classifiers, and compare them by BIC.

    Independent: each classifier has an accuracy for each label. Difficulty:
    :math:`\operatorname{logit} P_{ij} = a_{jc} + s d_i` with a normal :math:`d_i`. Families:
    :math:`a_{jc} + s_f b_{if}`, a hidden bit of each item and family, by which all members are
    right more or less often. Both: difficulty, and a family beyond that.
    Of three labels or more, wrong ones are as common, given the true one, as they are among all
    classifiers' errors. Without the bit, members of a family share one wrong label beside that, to
    which some of their errors are drawn; so do all on hard items, where plain difficulty leaves
    pairs that agree more often.
    Families are tried only if two classifiers agree more than independent errors allow
    (Bonferroni): groups of classifiers that are connected by such pairs, alone and together,
    their complements, and the two halves by the sign of the leading eigenvector of the excess
    agreement. All explanations within 14 BIC of the best are given, since on less the votes do
    not decide. Items with gold have one possible label, so that gold decides where votes do not.

    Accuracies have intervals of level `level` in log odds, by standard errors that allow for all
    that was fitted but which wrong labels are usual; none where two classifiers still agree more
    than the best explanation allows.

    Where items differ more than classifiers err, one label may be taken for true nearly
    everywhere, and whoever says another for wrong: votes hardly speak against it. So a fit in which
    classifiers are right less often than a guess, where some label is true, is made anew with
    labels as common as they are by independent errors.

    Copies, members of one group with the same votes, are one classifier to all explanations.

    None for fewer than 4 classifiers or more than 40, and for more than 10 labels. Of more than
    1,000 rows of votes so many are drawn, by their order, which is not that of the data.

    Notes
    -----
    What most classifiers get wrong together is the truth to every explanation. O(rows x classifiers
    x labels x states) a step of EM.

    References
    ----------
    Whitehill et al. (2009) for difficulty; Schwarz (1978) for BIC.
    """
    size, labels = len(votes.classifiers), len(votes.labels)
    if not FEWEST <= size <= MOST or labels > MOST_LABELS:
        return None
    every = _pattern(votes)
    first = _copies(votes, every)
    kept = np.unique(first)
    if len(kept) < FEWEST:
        return None
    pattern = replace(every, said=every.said[:, :, kept], voted=every.voted[:, kept])
    weight = votes.multiplicity.astype(np.float64)
    suspected = [
        np.isin(kept, first[list(family.members)])
        for family in find_families(suspicion(votes, weight), votes.classifiers)
    ]
    fits = sorted(try_all(pattern, suspected), key=lambda one: one[2].bic)
    best = fits[0][2].bic
    listed = [one for one in fits if one[2].bic - best <= AS_GOOD]
    names, place = votes.classifiers, np.searchsorted(kept, first)
    left: Flags = np.any(agree_more(pattern, listed[0][2])[1], axis=1)

    def ranked(accuracy: Floats, spread: Floats) -> list[int]:
        tests = rank(accuracy, spread, votes.labelled.astype(np.int64), level=level)
        return tests.rank.astype(np.int64).tolist()

    def explained(kind: str, families: tuple[Flags, ...], found: Fitted) -> Explained:
        groups = [np.flatnonzero(family[place]) for family in families]
        inside = {int(k) for group in groups for k in group}
        alike = [np.flatnonzero(first == k) for k in kept if int(k) not in inside]
        groups += [group for group in alike if len(group) > 1]
        accuracy, spread = found.accuracy[place], found.covariance(pattern)[np.ix_(place, place)]
        errors = np.sqrt(np.maximum(spread.diagonal(), 0.0))
        scored = accuracy.tolist(), errors.tolist()
        return Explained(
            kind=WITH_FAMILIES.get(kind, kind) if groups else kind,
            families=tuple(tuple(names[k] for k in group) for group in groups),
            bic=float(found.bic - best),
            estimates={
                name: Estimate(value) if left.any() else _estimate(value, error, level)
                for name, value, error in zip(names, *scored, strict=True)
            },
            ranks=dict(zip(names, ranked(accuracy, spread), strict=True)),
        )

    return Explanations(
        found=tuple(explained(*one) for one in listed),
        gold_needed=_gold_needed(pattern, listed[0][2], listed[1][2]) if len(listed) > 1 else None,
        gold_items=0 if pattern.gold is None else int(votes.multiplicity[votes.gold >= 0].sum()),
        unexplained=tuple(names[k] for k in np.flatnonzero(left[place])),
    )


def _copies(votes: Votes, pattern: Pattern) -> Codes:
    """Find the first classifier of the same group with the same votes as each: (classifiers,)."""
    known: dict[bytes, int] = {}
    own = [votes.group[k].tobytes() + pattern.said[:, :, k].tobytes()
           for k in range(len(votes.classifiers))]  # fmt: skip
    return np.array([known.setdefault(key, k) for k, key in enumerate(own)])


def _estimate(accuracy: float, error: float, level: float) -> Estimate:
    """Add an interval that is symmetric in log odds."""
    odds, slope = np.log(accuracy / (1 - accuracy)), accuracy * (1 - accuracy)
    ends = FIRST_ORDER.ends(float(odds), error / slope, level)
    if ends is None:
        return Estimate(accuracy)
    low, high = (float(1 / (1 + np.exp(-np.clip(end, -700, 700)))) for end in ends)
    return Estimate(accuracy, low=low, high=high, level=level, method=FIRST_ORDER.name)


def _pattern(votes: Votes) -> Pattern:
    weight = votes.multiplicity.astype(np.float64)
    if len(weight) > MOST_ROWS:
        weight = np.random.default_rng(0).multinomial(MOST_ROWS, weight / weight.sum())
    kept = np.flatnonzero(weight)
    place = np.full(len(weight), -1)
    place[kept] = np.arange(len(kept))
    row = place[votes.row]
    used = row >= 0
    said = np.zeros((len(votes.labels), len(kept), len(votes.classifiers)))
    said[votes.label[used], row[used], votes.classifier[used]] = 1
    weight, gold = weight[kept].astype(np.float64), votes.gold[kept]
    known = gold if (gold >= 0).any() else None
    return Pattern(said=said, voted=said.sum(axis=0), weight=weight, gold=known)


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
