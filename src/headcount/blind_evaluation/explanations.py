"""Which explanations of the votes are as good as the best, and what would tell them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from headcount.blind_evaluation.explanation_models import (
    NODES,
    Both,
    Difficulty,
    Explanation,
    Families,
    Fitted,
    Independent,
    Pattern,
    fit,
)
from headcount.blind_evaluation.families import find_families, quantile, suspicion
from headcount.blind_evaluation.metrics import rank
from headcount.blind_evaluation.votes import Votes
from headcount.errors import count, option, some
from headcount.results.fields import Record, hidden, json_value
from headcount.results.notes import Note
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import FIRST_ORDER
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "explain",
    "INDEPENDENT",
    "FAMILIES",
    "BOTH",
    "Explained",
    "Explanations",
    "condition",
    "notes_of",
    "conditions",
    "who_allows",
]


AS_GOOD = 14.0
"""BIC by which an explanation may be worse than the best, and still be one that votes allow."""
FEWEST_CLASSIFIERS, MOST_CLASSIFIERS, MOST_LABELS = 4, 40, 10
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
    if not FEWEST_CLASSIFIERS <= size <= MOST_CLASSIFIERS or labels > MOST_LABELS:
        return None
    every = _pattern(votes)
    first = _copies(votes, every)
    kept = np.unique(first)
    if len(kept) < FEWEST_CLASSIFIERS:
        return None
    pattern = replace(every, said=every.said[:, :, kept], voted=every.voted[:, kept])
    weight = votes.multiplicity.astype(np.float64)
    suspected = [
        np.isin(kept, first[list(family.members)])
        for family in find_families(suspicion(votes, weight), votes.classifiers)
    ]
    fits = sorted(try_all(pattern, suspected), key=lambda candidate: candidate[2].bic)
    best = fits[0][2].bic
    listed = [candidate for candidate in fits if candidate[2].bic - best <= AS_GOOD]
    names, column = votes.classifiers, np.searchsorted(kept, first)
    left: Flags = np.any(agree_more(pattern, listed[0][2])[1], axis=1)

    def ranked(accuracy: Floats, spread: Floats) -> list[int]:
        tests = rank(accuracy, spread, votes.labelled.astype(np.int64), level=level)
        return tests.rank.astype(np.int64).tolist()

    def explained(kind: str, families: tuple[Flags, ...], fitted: Fitted) -> Explained:
        groups = [np.flatnonzero(family[column]) for family in families]
        inside = {int(k) for group in groups for k in group}
        alike = [np.flatnonzero(first == k) for k in kept if int(k) not in inside]
        groups += [group for group in alike if len(group) > 1]
        accuracy = fitted.accuracy[column]
        spread = fitted.covariance(pattern)[np.ix_(column, column)]
        errors = np.sqrt(np.maximum(spread.diagonal(), 0.0))
        scored = accuracy.tolist(), errors.tolist()
        return Explained(
            kind=WITH_FAMILIES.get(kind, kind) if groups else kind,
            families=tuple(tuple(names[k] for k in group) for group in groups),
            bic=float(fitted.bic - best),
            estimates={
                name: Estimate(value) if left.any() else _estimate(value, error, level)
                for name, value, error in zip(names, *scored, strict=True)
            },
            ranks=dict(zip(names, ranked(accuracy, spread), strict=True)),
        )

    return Explanations(
        explanations=tuple(explained(*candidate) for candidate in listed),
        gold_needed=_gold_needed(pattern, listed[0][2], listed[1][2]) if len(listed) > 1 else None,
        gold_items=0 if pattern.gold is None else int(votes.multiplicity[votes.gold >= 0].sum()),
        unexplained=tuple(names[k] for k in np.flatnonzero(left[column])),
    )


def _copies(votes: Votes, pattern: Pattern) -> Codes:
    """Find the first classifier of the same group with the same votes as each: (classifiers,)."""
    first_of: dict[bytes, int] = {}
    own = [votes.group[k].tobytes() + pattern.said[:, :, k].tobytes()
           for k in range(len(votes.classifiers))]  # fmt: skip
    return np.array([first_of.setdefault(key, k) for k, key in enumerate(own)])


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
    row_index = np.full(len(weight), -1)
    row_index[kept] = np.arange(len(kept))
    row = row_index[votes.row]
    used = row >= 0
    voted_for = np.zeros((len(votes.labels), len(kept), len(votes.classifiers)))
    voted_for[votes.label[used], row[used], votes.classifier[used]] = 1
    weight, gold = weight[kept].astype(np.float64), votes.gold[kept]
    gold_or_none = gold if (gold >= 0).any() else None
    return Pattern(said=voted_for, voted=voted_for.sum(axis=0), weight=weight, gold=gold_or_none)


def _gold_needed(pattern: Pattern, first: Fitted, other: Fitted) -> int | None:
    """Gold labels of random items that tell one explanation from another: 5% errors, 80% power.

    By the log-likelihood ratio of a gold label given the votes, its mean and variance under each.
    """
    a, b = np.clip(first.truth, 1e-6, 1), np.clip(other.truth, 1e-6, 1)
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


# Fit every explanation that the votes may allow.

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
        result = fit(pattern, make())
        if result.guesses:
            result = fit(pattern, make(), independent.common)
        # If all are right less often than a guess would be, the truth is taken for an error.
        all_guess = float(result.accuracy.mean()) < 1 / len(result.common)
        return replace(result, bic=np.inf) if result.guesses and all_guess else result

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
        makes = [partial(Families, truth, families, draws=draws) for truth in starts]
        short = [fit(pattern, make(), steps=SHORT) for make in makes]
        apart = np.abs(short[0].truth - short[1].truth).sum(axis=1)
        if float(pattern.weight @ apart) < SAME * float(pattern.weight.sum()):
            makes, short = makes[:1], short[:1]
        more = [make for make, brief in zip(makes, short, strict=True) if brief.bic < worst]
        return min([fitted(make) for make in more] or short, key=lambda result: result.bic)

    best = min(independent.bic, hard.bic)
    tried = _candidates(pattern, [independent, hard], suspected)
    fits += [(FAMILIES, group, together(group, worst=best + HOPELESS)) for group in tried]
    states = many if drawn else NODES
    best = min(result.bic for _, _, result in fits)
    for families in _beside(pattern, hard, suspected, fits):
        alone = together(families, most=MOST_STATES // states)
        make = partial(Both, alone.model, draws=drawn)
        # These take longest, and begin near: a few steps tell whether more are worth it.
        if fit(pattern, make(), steps=SHORT).bic > best + HOPELESS:
            continue
        both = fitted(make)
        # What adds nothing to one of its parts is that part.
        if both.bic < min(hard.bic, alone.bic):
            fits.append((BOTH, families, both))
    return fits


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
    candidates: dict[tuple[tuple[bool, ...], ...], tuple[Flags, ...]] = {}

    def add(*families: Flags) -> None:
        kept = [f for f in families if 2 <= f.sum() < size]
        if kept and len(kept) <= MOST_FAMILIES:
            candidates.setdefault(_key(tuple(kept)), tuple(kept))

    for number, fitted in enumerate(fits):
        excess, near = agree_more(pattern, fitted)
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
    return list(candidates.values())[:MOST_CANDIDATES]


def _beside(
    pattern: Pattern, hard: Fitted, suspected: list[Flags], tried: Sequence[Candidate]
) -> list[tuple[Flags, ...]]:
    """Find families that may err together beyond what hard items make of all."""
    excess, near = agree_more(pattern, hard)
    alone = sorted((fit for fit in tried if len(fit[1]) == 1), key=lambda fit: fit[2].bic)
    groups = [*_connected(near), *suspected, *(fit[1][0] for fit in alone[:1])]
    if near.any():
        lead = np.linalg.eigh(excess)[1][:, -1]
        lead = lead * np.sign(lead[np.argmax(np.abs(lead))])
        groups.insert(0, lead > 0.5 / np.sqrt(len(lead)))
    candidates = {
        _key((group,)): (group,) for group in groups if 2 <= group.sum() <= len(group) / 2
    }
    return list(candidates.values())[:MOST_BESIDE]


def _key(families: tuple[Flags, ...]) -> tuple[tuple[bool, ...], ...]:
    return tuple(sorted(tuple(bool(x) for x in family) for family in families))


def agree_more(pattern: Pattern, fitted: Fitted) -> tuple[Floats, Flags]:
    """By how much every two agree more than a fit says, and whether that is more than noise.

    Noise is up to the normal quantile that none of so many pairs exceeds with probability 95%.
    """
    both = (pattern.voted * pattern.weight[:, None]).T @ pattern.voted
    same = np.einsum("crj,r,crk->jk", pattern.said, pattern.weight, pattern.said, optimize=True)
    observed = np.divide(same, both, out=np.full_like(same, np.nan), where=both > 0)
    error = np.sqrt(fitted.agreement * (1 - fitted.agreement) / np.maximum(both, 1))
    excess = np.nan_to_num(observed - fitted.agreement)
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


# Explanations of the votes: what each supposes, and accuracies if it is right.

INDEPENDENT, DIFFICULTY, FAMILIES = "independent", "difficulty", "families"
BOTH = "difficulty and families"
WITH_FAMILIES = {INDEPENDENT: FAMILIES, DIFFICULTY: BOTH}
"""What an explanation is called where there are families beside it."""
MATERIAL = 0.05
"""Difference in the accuracy of a classifier between explanations that matters."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Explained:
    """One explanation of the votes.

    Parameters
    ----------
    kind : str
        independent, difficulty, families, or difficulty and families.
    families : tuple of tuple of str
        Classifiers that err together.
    bic : float
        By how much its BIC is above that of the best explanation.
    estimates : dict of classifier to Estimate
        Accuracy if it is right, with an interval.
    ranks : dict of classifier to int
        1 and the number of others that are significantly better if it is right.
    """

    kind: str
    families: tuple[tuple[str, ...], ...]
    bic: float
    estimates: dict[str, Estimate]
    ranks: dict[str, int]

    @property
    def accuracy(self) -> dict[str, float]:
        """Accuracy of each classifier if it is right."""
        return {name: estimate.value for name, estimate in self.estimates.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        own = ("kind", "families", "bic", "accuracy", "estimates", "ranks")
        return {name: json_value(getattr(self, name)) for name in own}


@dataclass(frozen=True, eq=False, kw_only=True)
class Explanations(Record):
    """All explanations that the votes allow, best first.

    Parameters
    ----------
    explanations : tuple of Explained
    gold_needed : int or None
        Gold labels of random items that would tell the two best apart, with a power of 80%, beside
        those that there are; None where there is one only, or more than 10,000 are needed.
    gold_items : int
        Items whose gold labels have a say in it.
    unexplained : tuple of str
        Classifiers of which two agree more often than the likeliest explanation allows: then none
        that was tried is right, and accuracies have no intervals.
    """

    explanations: tuple[Explained, ...]
    gold_needed: int | None
    gold_items: int = field(default=0, metadata=hidden())
    unexplained: tuple[str, ...] = ()

    @property
    def has_families(self) -> bool:
        """Whether some classifiers may err together."""
        return any(each.families for each in self.explanations)

    @property
    def has_independent(self) -> bool:
        """Whether all may err independently."""
        return any(each.kind == INDEPENDENT for each in self.explanations)

    @property
    def differ(self) -> float:
        """Largest difference in the accuracy of a classifier between two explanations."""
        table = np.array([list(each.accuracy.values()) for each in self.explanations])
        return float(np.ptp(table, axis=0).max())

    @property
    def is_independent(self) -> bool:
        """Whether accuracies by independent errors are near those of all that votes allow."""
        return self.has_independent and self.differ <= MATERIAL

    @property
    def overall(self) -> dict[str, Estimate]:
        """Accuracies by the first explanation, with intervals that hold those of every other.

        Votes do not tell which is right, so that an interval goes from the lowest end of all to
        the highest; there is none where one has none.
        """
        return {name: self._overall(name) for name in self.explanations[0].estimates}

    def _overall(self, name: str) -> Estimate:
        every = [each.estimates[name] for each in self.explanations]
        first = every[0]
        low = [estimate.low for estimate in every if estimate.low is not None]
        high = [estimate.high for estimate in every if estimate.high is not None]
        if len(low) < len(every) or len(high) < len(every):
            return Estimate(first.value)
        also = f", over {len(every)} explanations" if len(every) > 1 else ""
        return replace(first, low=min(low), high=max(high), method=f"{first.method}{also}")

    def widened(self, score: Estimate, name: str) -> Estimate:
        """Widen an interval that holds if errors are independent, for what else votes allow."""
        others = [each.estimates[name] for each in self.explanations if each.kind != INDEPENDENT]
        low = [estimate.low for estimate in (score, *others) if estimate.low is not None]
        high = [estimate.high for estimate in (score, *others) if estimate.high is not None]
        if score.low is None or score.high is None or not others:
            return score
        return replace(score, low=min(low), high=max(high), method=f"{score.method}, or hard items")

    @property
    def ranks(self) -> dict[str, int]:
        """The best rank that each classifier has by any explanation."""
        return {
            name: min(each.ranks[name] for each in self.explanations)
            for name in self.explanations[0].ranks
        }

    @property
    def share_a_best(self) -> bool:
        """Whether some classifier may be the best by all explanations."""
        return any(all(each.ranks[name] == 1 for each in self.explanations) for name in self.ranks)

    @property
    def winners(self) -> dict[str, Explained]:
        """The best classifier by each explanation, with the first explanation that says so."""
        out: dict[str, Explained] = {}
        for each in self.explanations:
            out.setdefault(max(each.accuracy, key=lambda name: each.accuracy[name]), each)
        return out


# Explanations of the votes in words.

MOST_SAID = 3
"""Explanations that a sentence gives; the table has all."""
MOST_NAMED = 5
"""Members of a family that a sentence names."""


def condition(each: Explained) -> str:
    """Say what an explanation supposes, to follow 'if'."""
    if each.kind == INDEPENDENT:
        return "all err independently"
    if each.kind == DIFFICULTY:
        return "some items are hard"
    together = " and ".join(f"{_listed(family)} err together" for family in each.families)
    return f"some items are hard, and {together}" if each.kind == BOTH else together


def notes_of(allowed: Explanations, *, grouped: bool = False) -> Iterator[Note]:
    """Say that errors do not seem independent, and what would tell the explanations apart.

    `grouped` where the user gave groups, so that there is no need to ask for them.
    """
    first, number = allowed.explanations[0], len(allowed.explanations)
    if allowed.unexplained:
        do = "Trust the gold scores."
        if not allowed.gold_items:
            do = f"Give gold labels of some items ({option('gold', ...)})"
            do += "." if grouped else f", or {_give_groups()}, of those that share a model."
        yield Note(
            f"No explanation that was tried accounts for how often {some(allowed.unexplained, 5)} "
            f"agree with each other. The nearest is that {condition(first)}. {do}",
            "warning",
            short="no model of errors explains how much they agree: scores are unreliable.",
            rank=1,
        )
        return
    if allowed.is_independent:
        return
    if number == 1:
        if first.kind in (DIFFICULTY, BOTH):
            hard = "Errors go together because some items are hard"
            if first.kind == BOTH:
                hard = f"Errors go together because {condition(first)} beyond that"
            elif grouped:  # of which some may err together as well
                hard = "Some items are hard, so that errors of all go together"
            yield Note(
                f"{hard}: scores and intervals of methods that assume independent errors are "
                "unreliable. Errors that most share cannot be detected.",
                "warning",
                short="errors are correlated: scores that assume otherwise are unreliable.",
                rank=3,
            )
        return
    listed = "; or ".join(condition(each) for each in allowed.explanations[:MOST_SAID])
    rest = number - MOST_SAID
    listed += f"; or {count(rest, 'other')}" if rest > 0 else ""
    label = "more gold label" if allowed.gold_items else "gold label"
    tell = ""
    if allowed.gold_needed is not None:
        gold = count(allowed.gold_needed, label)
        tell = f" About {gold} of random items would tell the first two apart."
    groups = ""
    if allowed.has_families and not grouped and not allowed.gold_items:
        groups = f"{' Until then, treat' if tell else ' Treat'} the EM column as unreliable, or "
        groups += f"{_give_groups()}."
    yield Note(
        f"{count(number, 'model')} fit {who_allows(allowed)}, with accuracies of their own: "
        f"{listed}.{tell}{groups}",
        "warning" if allowed.differ > MATERIAL else "caution",
        short=f"the {number} models differ by up to {allowed.differ:.2f} in accuracy.",
        rank=3,
    )


def _give_groups() -> str:
    return f"give groups ({option('groups', ...)} or {option('group_pattern', ...)})"


def conditions(allowed: Explanations) -> str:
    """Say what every explanation supposes, by number; without one where there is one only."""
    if len(allowed.explanations) == 1:
        return condition(allowed.explanations[0])
    return "; ".join(f"({k + 1}) {condition(each)}" for k, each in enumerate(allowed.explanations))


def who_allows(allowed: Explanations) -> str:
    """Say whose labels speak for explanations."""
    return "votes and gold labels" if allowed.gold_items else "the votes"


def _listed(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED + 1:  # one more is as short as 'and 1 other'
        return f"{', '.join(names[:MOST_NAMED])} and {count(len(names) - MOST_NAMED, 'other')}"
    return f"{', '.join(names[:-1])} and {names[-1]}"
