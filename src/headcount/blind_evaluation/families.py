"""Classifiers that err together: correlations of errors, families, panel, copies, groups."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, takewhile
from typing import Any

import numpy as np

from headcount.blind_evaluation.votes import Votes, winners
from headcount.data.labels import Labels
from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.fields import Record, json_value
from headcount.results.notes import Note, Notes
from headcount.stats.arrays import Matrix
from headcount.typing import Codes, Flags, Floats

__all__ = [
    "ENOUGH_SHARED",
    "Residuals",
    "residual_correlation",
    "weighted_product",
    "effective_votes",
    "mean_pair",
    "Family",
    "find_families",
    "family_of",
    "quantile",
    "lower_bound",
    "shared_prefix",
    "suspicion",
    "given_others",
    "background",
    "Panel",
    "panel_of",
    "group_copies",
    "find_copies",
    "groups_by_pattern",
    "families_of",
    "worth_of_groups",
    "check_groups",
]


# Whether two classifiers err on the same items, given what is taken as the truth.

DENSE, LARGE = 0.1, 10**8
"""Share of filled cells, and multiplications, from which a product of full matrices is faster."""

BLOCK = 10**7
"""Cells of a full matrix that are made at once."""

ENOUGH_SHARED = 20
"""Items that two must have labelled for the correlation of their errors to be worth adding up."""
TINY = 1e-9
"""Sums of squares below this share of the items are rounding errors."""


@dataclass(frozen=True, eq=False)
class Residuals:
    """How the errors of every two classifiers go together.

    Parameters
    ----------
    correlation : (K, K) array
        Residual correlation; nan where two share no items or one of them makes no errors.
    shared : (K, K) array
        Items that both labelled, and that have a truth.
    information : (K, K) array
        Items' worth of errors among them: twice the root of the product of the two sums of
        squared residuals, at most `shared`. The errors of two coins on n items are worth n. Where
        errors are rare one coincidence makes a high correlation, and the worth is low.
    """

    correlation: Floats
    shared: Floats
    information: Floats

    @property
    def is_panel(self) -> bool:
        """Whether most of every two labelled enough items in common, as a panel does.

        What all are worth together rests on the correlations of all pairs. Of workers of a crowd
        who rarely meet these are unknown, and on a few items they are far from 0 by chance.
        """
        pairs = self.shared[np.triu_indices(len(self.shared), 1)]
        return len(pairs) > 0 and bool((pairs >= ENOUGH_SHARED).mean() > 0.5)

    @property
    def settled(self) -> Floats:
        """Correlations, where two share few items the mean of the others: by these it is noise."""
        few = self.shared < ENOUGH_SHARED
        mean = mean_pair(self, ~few)
        off = ~np.eye(len(few), dtype=bool)
        return np.where(few & off, 0.0 if np.isnan(mean) else mean, self.correlation)


def residual_correlation(votes: Votes, weight: Floats, truth: Floats) -> Residuals:
    r"""Correlation of the errors of every two classifiers, within classes.

    Parameters
    ----------
    votes : Votes
    weight : (rows,) array
        How often each row counts.
    truth : (rows, labels) array
        Probability of each label: gold as zeros and ones, or the posterior of Dawid-Skene. A row
        of zeros has no truth, and is left out.

    Notes
    -----
    The residual of a vote is the vector :math:`e_{kmcj} = 1[y_{km} = j] - \mu_{kcj}`, with
    :math:`\mu_{kcj}` how often k gives label j where c is true, and

    .. math:: R_{kl} = \frac{\sum_m w_m \sum_c q_{mc} \sum_j e_{kmcj} e_{lmcj}}
              {\sqrt{\sum_m w_m \sum_c q_{mc} \sum_j e_{kmcj}^2
                     \sum_m w_m \sum_c q_{mc} \sum_j e_{lmcj}^2}},

    where sums, and the :math:`\mu`, are over the items m that both labelled. With two labels it is
    the within-class correlation of errors, pooled over classes. With more, two errors on an item
    go together in so far as they are the *same* wrong label, because only those add up to a wrong
    consensus.

    With the posterior of Dawid-Skene, R is 0 up to noise of about 1 / sqrt(information) if all
    err independently: the posterior is the chance of a class given all votes, so the sum over
    classes is what it would be with the truth, on average. The reverse does not hold. Errors that
    many classifiers share become the truth of Dawid-Skene, so that it is to be fitted with one
    vote for each family of classifiers; and errors that most share stay invisible without gold.

    O(labels x sum over rows of votes^2), with memory for K x K matrices.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 1, 2, 2, 3, 3, 4, 4], list("abababab"), [0, 0, 1, 1] * 2)
    >>> votes = collect(labels)
    >>> coin = np.full((2, 2), 0.5)
    >>> residual_correlation(votes, votes.multiplicity.astype(float), coin).correlation
    array([[1., 1.],
           [1., 1.]])
    """
    size, total = len(votes.labels), len(votes.classifiers)
    indicators = [votes.indicator(label) for label in range(size)]
    voted = sum(indicators[1:], start=indicators[0])
    top, spread, shared = (np.zeros((total, total)) for _ in range(3))
    for c in range(size):
        worth = weight * truth[:, c]
        n = weighted_product(voted, worth, voted)
        inverse = np.divide(1.0, n, out=np.zeros_like(n), where=n > 0)
        shared += n
        spread += n
        for j in range(size):
            # How often k said j on the items that l labelled too.
            gave = weighted_product(indicators[j], worth, voted)
            top += weighted_product(indicators[j], worth, indicators[j]) - gave * gave.T * inverse
            spread -= gave**2 * inverse
    spread[spread <= TINY * shared] = 0
    both = np.sqrt(spread * spread.T)
    correlation = np.divide(top, both, out=np.full_like(top, np.nan), where=both > 0)
    return Residuals(np.clip(correlation, -1, 1), shared, np.minimum(2 * both, shared))


def weighted_product(left: Matrix, weight: Floats, right: Matrix) -> Floats:
    """Sum over rows m of weight_m left_mk right_ml, as a full (K, L) matrix.

    A sparse product, unless there is much to do and many cells are filled; then full ones, a block
    of rows at a time.
    """
    rows, total = left.shape
    work = left.nnz * right.nnz / max(rows, 1)
    if work < LARGE or left.nnz < DENSE * rows * total:
        return np.asarray((left.T * weight @ right).toarray(), dtype=np.float64)
    out = np.zeros((total, right.shape[1]))
    step = max(1, BLOCK // max(total, 1))
    for begin in range(0, rows, step):
        part = slice(begin, begin + step)
        out += (left[part].toarray().T * weight[part]) @ right[part].toarray()
    return out


def effective_votes(correlation: Floats) -> float:
    r"""Count independent votes that are worth as much as K that err together.

    :math:`K^2 / \sum_{kl} R_{kl}`, the variance of one vote over that of the mean of K, if all
    have the same variance; at least 1 and at most K. Pairs without a correlation count as 0; nan
    where no pair has one.

    Examples
    --------
    >>> effective_votes(np.array([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]]))
    2.25
    """
    size = len(correlation)
    off = correlation[~np.eye(size, dtype=bool)]
    if size and np.isnan(off).all():
        return 1.0 if size == 1 else float("nan")
    total = size + float(np.nansum(off))
    return float(np.clip(size**2 / total, 1, size)) if total > 0 else float(size)


def mean_pair(residuals: Residuals, chosen: Flags) -> float:
    """Mean residual correlation of the chosen pairs, each with the weight of its information.

    `chosen` is a symmetric (K, K) array. nan where no pair is left; the diagonal is left out.
    """
    chosen = chosen & ~np.isnan(residuals.correlation)
    np.fill_diagonal(chosen, False)
    worth = residuals.information[chosen]
    total = float(worth.sum())
    return float(worth @ residuals.correlation[chosen]) / total if total > 0 else float("nan")


# Families: classifiers that err together, found from their errors or given as groups.

TOGETHER = 0.1
"""Residual correlation, less what noise explains, from which classifiers are a family. Ten that
err together to this extent are worth 10 / (1 + 9 x .1) = 5.3 votes."""

LEAST_INFORMATION = 20
"""Items' worth of errors that a pair needs to count as known."""

FALSE_ALARMS = 0.05
"""Chance that noise alone lifts any pair of independent classifiers above its bound."""


@dataclass(frozen=True)
class Family:
    """Classifiers that err together.

    Parameters
    ----------
    members : tuple of int
        Their positions.
    name : str or None
        Name of the group, or how their names begin; None where they share nothing.
    correlation : float
        Mean residual correlation of two of them.
    effective_votes : float
        Independent votes that they are worth.
    together : bool
        Whether the correlation, less what is usual and what noise explains, is .1 or more.
    """

    members: tuple[int, ...]
    name: str | None
    correlation: float
    effective_votes: float
    together: bool

    def to_dict(self, classifiers: Sequence[str]) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "classifiers": [classifiers[k] for k in self.members],
            "residual_correlation": json_value(self.correlation),
            "effective_votes": json_value(self.effective_votes),
            "together": self.together,
        }


def find_families(
    residuals: Residuals, names: Sequence[str], least: float = TOGETHER
) -> tuple[Family, ...]:
    r"""Find classifiers that err together, the largest family first.

    Parameters
    ----------
    residuals : Residuals
        As of :func:`headcount.blind_evaluation.families.suspicion`.
    names : sequence of str
    least : float
        Correlation, less what noise explains, from which classifiers are a family.

    Notes
    -----
    Each pair's correlation is lowered by what noise explains (see :func:`lower_bound`). Families
    are merged by average linkage as long as the mean bound between two is `least` or more. Pairs of
    which too little is known count as 0. O(K^2 log K) for the K that have a pair above `least`.
    """
    bound = lower_bound(residuals)
    near = np.flatnonzero((bound >= least).any(axis=1))
    if len(near) < 2:
        return ()
    members = [[int(k)] for k in near]
    total, size = bound[np.ix_(near, near)], np.ones(len(near))
    while len(members) > 1:
        mean = total / np.outer(size, size)
        np.fill_diagonal(mean, -np.inf)
        a, b = sorted(divmod(int(mean.argmax()), len(members)))
        if mean[a, b] < least:
            break
        members[a] += members.pop(b)
        total[a] += total[b]
        total[:, a] += total[:, b]
        size[a] += size[b]
        total, size = np.delete(np.delete(total, b, 0), b, 1), np.delete(size, b)
    families = [family_of(residuals, np.sort(k), names) for k in members if len(k) > 1]
    return tuple(sorted(families, key=lambda family: (-len(family.members), family.members)))


def family_of(
    residuals: Residuals,
    members: Codes,
    names: Sequence[str],
    *,
    name: str | None = None,
    tests: int = 1,
    usual: float = 0.0,
) -> Family:
    """Describe classifiers that are thought to err together.

    Parameters
    ----------
    residuals : Residuals
    members : array of int
    names : sequence of str
        Of all classifiers.
    name : str, optional
        Default: how the members' names begin.
    tests : int
        Number of families that are looked at. Noise explains the mean correlation up to the
        normal quantile that none of so many exceeds with probability 95%, over the root of the
        sum of the pairs' information.
    usual : float
        Correlation that is usual among classifiers that have nothing to do with each other.
    """
    pair = np.ix_(members, members)
    inside = np.zeros(residuals.shared.shape, dtype=bool)
    inside[pair] = True
    correlation = mean_pair(residuals, inside)
    information = float(np.triu(residuals.information[pair], 1).sum())
    noise = quantile(tests) / np.sqrt(max(information, 1.0))
    if name is None:
        name = shared_prefix([names[int(k)] for k in members], names)
    return Family(
        members=tuple(members.tolist()),
        name=name,
        correlation=correlation,
        effective_votes=effective_votes(residuals.correlation[pair]),
        together=bool(information >= LEAST_INFORMATION and correlation - usual - noise >= TOGETHER),
    )


def quantile(tests: int) -> float:
    """Find the normal quantile that none of so many tests exceeds with probability 95%."""
    from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]

    return -float(ndtri(FALSE_ALARMS / max(tests, 1)))


def lower_bound(residuals: Residuals) -> Floats:
    r"""Residual correlation less what noise explains: (K, K), 0 where too little is known.

    :math:`\tanh(\operatorname{artanh} R - z / \sqrt{i - 3})`, Fisher's bound with the information
    i for the number of items, and z the normal quantile that none of K (K - 1) / 2 independent
    pairs exceeds with probability 95%. Pairs with less information than 20 are 0.
    """
    total = len(residuals.correlation)
    z = quantile(total * (total - 1) // 2)
    defined = (residuals.information >= LEAST_INFORMATION) & ~np.isnan(residuals.correlation)
    # Two that never differ have a correlation of 1, which is infinitely far on Fisher's scale.
    far = np.arctanh(np.clip(np.where(defined, residuals.correlation, 0), -1 + 1e-9, 1 - 1e-9))
    noise = z / np.sqrt(np.maximum(residuals.information, LEAST_INFORMATION) - 3)
    bound = np.where(defined, np.tanh(far - noise), 0.0)
    np.fill_diagonal(bound, 0)
    return bound


def shared_prefix(members: Sequence[str], names: Sequence[str]) -> str | None:
    """How the names of some classifiers begin, if it tells them from the others.

    None where it is shorter than two letters, or where all classifiers' names begin so.

    Examples
    --------
    >>> names = ["gpt-4", "gpt-5", "gpt-mini", "llama"]
    >>> shared_prefix(names[:3], names)
    'gpt'
    >>> shared_prefix(["judge1", "judge2"], ["judge1", "judge2", "judge3"])
    """
    pairs = zip(min(members), max(members), strict=False)
    prefix = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    # Do not stop inside a word ('gpt-t' of 'gpt-turbo' and 'gpt-tiny') or a number.
    words = re.match(r".*(?=[^A-Za-z0-9])", prefix)
    prefix = (words.group() if words else prefix.rstrip("0123456789")).rstrip("-_.:/ ([#")
    others = [name for name in names if name not in set(members)]
    if len(prefix) < 2 or (others and all(name.startswith(prefix) for name in others)):
        return None
    return prefix


# Which classifiers may err together, before anything is taken as the truth.

LEAST_CLASSIFIERS = 4
"""With fewer, any correlations can be explained by how good the classifiers are."""

MOST_STEPS = 50
CLOSE = 1e-4
LEAST_BACKGROUND, MOST_BACKGROUND = 0.01, 0.99


def suspicion(votes: Votes, weight: Floats) -> Residuals:
    r"""Correlation of the errors of two classifiers beyond what is usual for the two.

    Notes
    -----
    The errors of each pair are found against the majority of all *other* classifiers (see
    :func:`given_others`). Against the posterior of Dawid-Skene, a family that is strong enough
    makes its errors the truth, and those who do not belong to it seem to err together: exact
    copies of a classifier would go unnoticed.

    A majority is wrong at times, and there two good classifiers seem to err together because both
    are right. If all err independently this part of the correlation is :math:`a_k a_l`, more the
    better both are. It is found from all pairs, robustly (see :func:`background`), and taken off
    on Fisher's scale, :math:`\tanh(\operatorname{artanh} R_{kl} - \operatorname{artanh} a_k a_l)`,
    where it leaves noise as it is. Errors that all classifiers share are background too.

    O(labels^2 x sum over rows of votes^2 + K^2 log K). nan for fewer than 4 classifiers.
    """
    residuals = given_others(votes, weight)
    if len(votes.classifiers) < LEAST_CLASSIFIERS:
        nothing = np.full_like(residuals.correlation, np.nan)
        return Residuals(nothing, residuals.shared, residuals.information)
    own = background(residuals)
    # Two that never differ have a correlation of 1, which is infinitely far on Fisher's scale.
    observed = np.arctanh(np.clip(residuals.correlation, -1 + 1e-9, 1 - 1e-9))
    beyond = np.tanh(observed - np.arctanh(np.outer(own, own)))
    return Residuals(beyond, residuals.shared, residuals.information)


def given_others(votes: Votes, weight: Floats) -> Residuals:
    """Correlation of the errors of every two classifiers, given the majority of all others.

    As :func:`residual_correlation`, with a truth for each pair in which neither has a vote; ties
    are shared. nan on the diagonal, and where the two share no item with a third. What the others
    say depends on an item's votes and on the labels of the two alone, so that products of
    matrices do for all pairs.
    """
    size, total = len(votes.labels), len(votes.classifiers)
    indicators = [votes.indicator(label) for label in range(size)]
    counts = votes.label_counts()
    shape = (total, total)
    n = [np.zeros(shape) for _ in range(size)]
    # By true label and label of the first: how often it gave that.
    gave = [[np.zeros(shape) for _ in range(size)] for _ in range(size)]
    top = np.zeros(shape)
    for a in range(size):
        for b in range(a, size):
            others = counts.copy()
            others[:, a] -= 1
            others[:, b] -= 1
            truth = winners(np.maximum(others, 0))
            for c in range(size):
                both = weighted_product(indicators[a], weight * truth[:, c], indicators[b])
                n[c] += both
                gave[c][a] += both
                if a == b:
                    top += both
                else:
                    n[c] += both.T
                    gave[c][b] += both.T
    spread = np.zeros(shape)
    for c in range(size):
        inverse = np.divide(1.0, n[c], out=np.zeros(shape), where=n[c] > 0)
        spread += n[c]
        for own in gave[c]:
            top -= own * own.T * inverse
            spread -= own**2 * inverse
    shared = np.sum(n, axis=0)
    spread[spread <= TINY * shared] = 0
    bottom = np.sqrt(spread * spread.T)
    correlation = np.divide(top, bottom, out=np.full(shape, np.nan), where=bottom > 0)
    np.fill_diagonal(correlation, np.nan)
    return Residuals(np.clip(correlation, -1, 1), shared, np.minimum(2 * bottom, shared))


def background(residuals: Residuals) -> Floats:
    r"""Find :math:`a_k` such that :math:`a_k a_l` is the usual correlation of k with l: (K,).

    Each :math:`a_k` in turn is the median over l of :math:`R_{kl} / a_l`, weighted by information,
    until none changes. A family does not count as usual as long as its members are fewer than
    half. O(K^2 log K) a step.

    Examples
    --------
    Two of five err together; the others explain each other.

    >>> a = np.array([0.5, 0.4, 0.3, 0.4, 0.2])
    >>> table = np.outer(a, a)
    >>> table[0, 1] = table[1, 0] = 0.9
    >>> background(Residuals(table, np.full((5, 5), 99.0), np.full((5, 5), 99.0))).round(2)
    array([0.5, 0.4, 0.3, 0.4, 0.2])
    """
    defined = ~np.isnan(residuals.correlation) & (residuals.information > 0)
    np.fill_diagonal(defined, False)
    usual = float(np.median(residuals.correlation[defined])) if defined.any() else 0.0
    loadings = np.where(defined.any(axis=1), np.sqrt(max(usual, LEAST_BACKGROUND)), 0.0)
    for _ in range(MOST_STEPS):
        before = loadings.copy()
        for k in np.flatnonzero(defined.any(axis=1)):
            others = defined[k] & (np.abs(loadings) > LEAST_BACKGROUND)
            if others.any():
                ratio = residuals.correlation[k, others] / loadings[others]
                middle = _median(ratio, residuals.information[k, others])
                # Half the way, because neighbours would swing against each other.
                loadings[k] = np.clip((loadings[k] + middle) / 2, -MOST_BACKGROUND, MOST_BACKGROUND)
        if np.abs(loadings - before).max() < CLOSE:
            break
    return loadings


def _median(value: Floats, weight: Floats) -> float:
    """Value with half of the weight on either side, between the two nearest."""
    order = np.argsort(value)
    upto = np.cumsum(weight[order])
    middle: Floats = np.interp([upto[-1] / 2], upto - weight[order] / 2, value[order])
    return float(middle[0])


# The panel: what all classifiers are worth in independent votes, and what each adds.

AS_ONE = 0.8
"""Correlation of errors from which two classifiers are as good as one."""
FEWEST_IN_PANEL, MOST_IN_PANEL = 3, 200
"""Classifiers that make a panel, and up to which it is looked at one by one."""
LEAST_INFORMATION_AS_ONE = 20
"""Items' worth of errors that two need to be called one."""


@dataclass(frozen=True)
class Twins(Record):
    """Two classifiers that are as good as one, with the correlation of their errors."""

    classifiers: tuple[str, str]
    correlation: float


@dataclass(frozen=True, kw_only=True)
class Panel(Record):
    """What classifiers are worth together.

    Parameters
    ----------
    votes : float
        Independent votes that all are worth.
    of : int
        Classifiers.
    adds : dict of classifier to float
        Independent votes that are lost without it.
    same : tuple of Twins
        Every two that are as good as one.
    given : str
        What errors are known by: gold, or the truth by EM.
    """

    votes: float
    of: int
    adds: dict[str, float]
    same: tuple[Twins, ...]
    given: str

    def sentence(self, noun: str = "classifier") -> str:
        """Say what the panel is worth, and which two are one."""
        total = count(self.of, noun)
        sentence = f"{total} are worth {self.votes:.1f} independent votes (given {self.given})."
        if self.same:
            pairs = "; ".join("'{}' and '{}'".format(*two.classifiers) for two in self.same[:3])
            sentence += f" As good as one: {pairs}."
        return sentence


def panel_of(residuals: Residuals, names: Sequence[str], *, given: str) -> Panel | None:
    r"""Find what classifiers are worth together, from how their errors go together.

    All are worth :math:`K^2 / \sum_{kl} R_{kl}` votes: that many independent ones have a mean of
    the same variance. What one adds is the difference to the others without it, which is negative
    where it repeats what others say. None for fewer than three, or where most of every two
    labelled too few items in common.

    Parameters
    ----------
    residuals : Residuals
    names : sequence of str
    given : str
        What errors are known by, for sentences.

    Examples
    --------
    Three classifiers, of which two are copies.

    >>> table = np.array([[1, 0.95, 0], [0.95, 1, 0], [0, 0, 1.0]])
    >>> found = panel_of(
    ...     Residuals(table, np.full((3, 3), 99.0), np.full((3, 3), 99.0)), "abc", given="gold"
    ... )
    >>> print(found.sentence().replace(". ", ".\n"))
    3 classifiers are worth 1.8 independent votes (given gold).
    As good as one: 'a' and 'b'.
    """
    size = len(names)
    correlation = residuals.settled
    worth = effective_votes(correlation)
    if size < FEWEST_IN_PANEL or np.isnan(worth) or not residuals.is_panel:
        return None
    adds: dict[str, float] = {}
    same: list[Twins] = []
    if size <= MOST_IN_PANEL:
        everyone = np.arange(size)
        for k, name in enumerate(names):
            others = everyone != k
            adds[name] = worth - effective_votes(correlation[np.ix_(others, others)])
        same = [
            Twins((names[k], names[j]), float(residuals.correlation[k, j]))
            for k, j in combinations(range(size), 2)
            if residuals.correlation[k, j] >= AS_ONE
            and residuals.information[k, j] >= LEAST_INFORMATION_AS_ONE
        ]
    same.sort(key=lambda two: -two.correlation)
    return Panel(votes=worth, of=size, adds=adds, same=tuple(same), given=given)


# Classifiers that are copies of each other: the same labels, more often than chance allows.

FEWEST_ITEMS_COPIED = 20
"""Items below which two may well give the same labels."""
BY_CHANCE = 0.001
"""Probability that any two of all classifiers are taken for copies and are none, at most."""


def group_copies(
    labels: Labels, copies: Sequence[tuple[int, ...]], notes: Notes
) -> dict[str, str] | None:
    """Make groups of copies, named so and after their first; None where there are none."""
    groups: dict[str, str] = {}
    for members in copies:
        names = [str(labels.raters[k]) for k in members]
        groups |= dict.fromkeys(names, f"copies of {names[0]}")
        theirs = labels.item[labels.rater == members[0]]
        items = count(int(labels.times_of_items[theirs].sum()), "item")
        notes.caution(
            f"{some(names, 5)} never differ ({items}), which independent classifiers would not do: "
            "they count as one, a group with a single vote."
        )
    return groups or None


def find_copies(labels: Labels) -> list[tuple[int, ...]]:
    """Find classifiers that gave the same labels to the same items, by code.

    Two that agree with others on a share p of n items at most agree on all of them with a
    probability of about :math:`p^n`, if they are independent. They are copies where that is below
    .001 over the number of pairs, and n 20 or more: so not where both may be perfect, nor where
    both never give but one label, which takes no copying. O(labels log labels).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> said = rng.integers(0, 2, size=(30, 4))
    >>> said[:, 2] = said[:, 0]
    >>> item, who = np.indices(said.shape).reshape(2, -1)
    >>> find_copies(Labels.from_triples(item, who, said.ravel()))
    [(0, 2)]
    """
    order = np.lexsort((labels.label, labels.item, labels.rater))
    item, label = labels.item[order], labels.label[order]
    ends = np.cumsum(np.bincount(labels.rater, minlength=len(labels.raters)))
    number = np.bincount(labels.rater, labels.times, minlength=len(labels.raters))
    alike: defaultdict[bytes, list[int]] = defaultdict(list)
    for k, (begin, end) in enumerate(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)):
        if number[k] >= FEWEST_ITEMS_COPIED and np.ptp(label[begin:end]) > 0:
            alike[item[begin:end].tobytes() + label[begin:end].tobytes()].append(k)
    size = len(labels.raters)
    least = math.log(BY_CHANCE / max(size * (size - 1) / 2, 1))
    copies: list[tuple[int, ...]] = []
    for members in alike.values():
        if len(members) > 1:
            chance = _closest(labels, members)
            if 0 < chance < 1 and number[members[0]] * math.log(chance) < least:
                copies.append(tuple(members))
    return copies


def _closest(labels: Labels, members: list[int]) -> float:
    """Find the largest share of items on which another classifier agrees; 1 if there is none."""
    mine: Codes = np.full(len(labels.items), -1)
    own = labels.rater == members[0]
    mine[labels.item[own]] = labels.label[own]
    theirs = ~np.isin(labels.rater, members) & (mine[labels.item] >= 0)
    who, times = labels.rater[theirs], labels.times_of_items[labels.item[theirs]]
    same = labels.label[theirs] == mine[labels.item[theirs]]
    shared = np.bincount(who, times, minlength=len(labels.raters))
    agreed = np.bincount(who, same * times, minlength=len(labels.raters))
    enough = shared >= FEWEST_ITEMS_COPIED
    return float((agreed[enough] / shared[enough]).max()) if enough.any() else 1.0


# Groups of classifiers that may err together.


def groups_by_pattern(names: Sequence[str], pattern: str) -> dict[str, str]:
    """Group classifiers by a part of their names.

    Parameters
    ----------
    names : sequence of str
    pattern : str
        A regular expression. What its first group matches (or all of it, if it has none) is the
        group's name. A name in which it is not found is a group of its own.

    Examples
    --------
    >>> groups_by_pattern(["gpt-4", "gpt-5", "llama"], "^[a-z]+(?=-)")
    {'gpt-4': 'gpt', 'gpt-5': 'gpt'}
    """
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise OptionError(
            f"group pattern '{pattern}' is not a regular expression ({error}). For names such as "
            f"'gpt-4' use {option('group_pattern', '^[^-]+')}."
        ) from None
    groups: dict[str, str] = {}
    for name in names:
        if match := compiled.search(name):
            groups[name] = next((part for part in match.groups() if part), match.group())
    if not any(groups.values()):
        raise OptionError(
            f"group pattern '{pattern}' is found in no name of a classifier: {some(names, 5)}."
        )
    return {name: group for name, group in groups.items() if group}


_STEM = re.compile(r"[^\W\d_]{3,}")
"""How a name begins: three letters or more, such as gpt of gpt-4o."""
FEWEST_TO_WEIGH, MOST_TO_WEIGH = 4, 100
"""Classifiers of which families can be weighed, and are."""
MOST_TO_SUSPECT, SUSPECT = 9, 0.3
"""Classifiers up to which errors suggest families, and how far these must go together, less what
noise explains. In larger crowds such weights lost .01 of the labels (docs/studies/crowds.md)."""


def families_of(votes: Votes) -> dict[str, str]:
    """Suggest families: names that begin with the same word; else, of few, who errs together.

    Examples
    --------
    >>> from headcount.blind_evaluation.votes import collect
    >>> names = ["openai/gpt-4o", "gpt-4o-mini", "claude-3", "llama-3", "r2"]
    >>> families_of(collect(Labels.from_triples([1] * 5, names, [0, 0, 1, 1, 0])))
    {'gpt-4o-mini': 'gpt', 'openai/gpt-4o': 'gpt'}
    """
    names = votes.classifiers
    stems = {
        name: match.group()
        for name in names
        if (match := _STEM.match(name.rpartition("/")[2].lower()))
    }
    size = Counter(stems.values())
    families = {name: stem for name, stem in stems.items() if 1 < size[stem] < len(names)}
    # Who does not belong to a family that is the majority would seem to err together as well.
    if not families and not votes.copied and FEWEST_TO_WEIGH <= len(names) <= MOST_TO_SUSPECT:
        suspected = suspicion(votes, votes.multiplicity.astype(np.float64))
        for family in find_families(suspected, names, SUSPECT):
            members = [names[k] for k in family.members]
            families |= dict.fromkeys(members, f"errs with {members[0]}")
    return families


def worth_of_groups(votes: Votes, group: Codes) -> Floats:
    r"""Count a vote of each classifier for what it is worth in its group: (classifiers,).

    m members whose errors, given the majority of the others, have the mean correlation
    :math:`\rho` are worth :math:`m / (1 + (m - 1) \rho)` votes: each counts
    :math:`1 / (1 + (m - 1) \rho)`, from 1 / m of copies to 1. Exact copies count as one member.
    """
    correlation = given_others(votes, votes.multiplicity.astype(np.float64)).correlation
    out = votes.one_vote.copy()
    for code in np.unique(group):
        members = np.flatnonzero(group == code)
        share = votes.one_vote[members]
        inside = correlation[np.ix_(members, members)]
        defined = inside[~np.isnan(inside)]
        # Where nobody ever errs nothing tells, and one vote is safe.
        inside = np.where(np.isnan(inside), defined.mean() if len(defined) else 1.0, inside)
        np.fill_diagonal(inside, 1.0)
        number = share.sum()
        out[members] *= np.clip(number / (share @ inside @ share), 1 / number, 1.0)
    return out


def check_groups(
    names: Sequence[str], groups: Mapping[str, str], noun: str = "classifier"
) -> list[Note]:
    """Tell which names of classifiers and groups do not go together; an error if none do.

    Examples
    --------
    >>> check_groups(["gpt-4", "gpt-5"], {"gpt-4": "gpt", "gpt5": "gpt"})
    ["1 name in the groups is not a classifier: 'gpt5'.", "1 classifier in no group: 'gpt-5'."]
    """
    classifiers = set(names)
    strange = [name for name in groups if name not in classifiers]
    alone = [name for name in names if name not in groups]
    if len(alone) == len(names):
        raise DataError(
            f"groups name no {noun} of the data: {some(groups, 5) or 'they are empty'}. There are "
            f"{some(names, 5)}."
        )
    notes: list[Note] = []
    if strange:
        what = f"is not a {noun}" if len(strange) == 1 else f"are not {noun}s"
        in_groups = f"{count(len(strange), 'name')} in the groups {what}: {some(strange, 5)}."
        notes.append(Note(in_groups, "caution"))
    if not alone and len({groups[name] for name in names}) == 1:
        notes.append(
            Note(
                f"All {noun}s are in one group: no other group is left to judge them by, and where "
                "a group has one vote they count as one.",
                "warning",
            )
        )
    if alone:
        notes.append(Note(f"{count(len(alone), noun)} in no group: {some(alone, 5)}."))
    return notes
