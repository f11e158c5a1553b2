"""Signs that classifiers do not err independently, which is what blind evaluation rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from headcount.blind_evaluation.dawid_skene import Climbing, fit
from headcount.blind_evaluation.families import (
    ENOUGH_SHARED,
    Family,
    Residuals,
    effective_votes,
    family_of,
    find_families,
    mean_pair,
    residual_correlation,
    suspicion,
    weighted_product,
)
from headcount.blind_evaluation.votes import Votes, vote_shares
from headcount.errors import count, option, some
from headcount.results.fields import json_value
from headcount.results.notes import Note, Severity
from headcount.results.tables import Table
from headcount.stats.arrays import SMALL, ratio
from headcount.stats.ranks import kendall
from headcount.typing import Floats

__all__ = [
    "diagnose",
    "Overlap",
    "overlap",
    "fleiss_without",
    "outliers",
    "Diagnostics",
    "summary",
]


VOTES_LOST = 0.2
"""Share of the votes, counted as independent ones, whose loss makes EM unreliable. Where 4 of 15
simulated classifiers erred together (correlation .6) a quarter was lost, and EM ordered classifiers
worse than the votes of the others did; where 2 did, nothing was amiss."""

CLOSE, MAX_ITER = 0.01, 300
"""Where to stop the fit that diagnostics alone need."""


def diagnose(
    votes: Votes,
    weight: Floats | None = None,
    *,
    em_truth: Floats | None = None,
    em_prior: Floats | None = None,
    orders: tuple[Floats, Floats] | None = None,
    positive: int | None = None,
    people: str = "gold",
    name_families: bool = True,
    explained: tuple[Note, ...] = (),
) -> Diagnostics:
    """Look for signs that classifiers err together.

    Parameters
    ----------
    votes : Votes
        Groups and gold are used where they are known.
    weight : (rows,) array, optional
        How often each row counts. Default: its multiplicity.
    em_truth : (rows, labels) array, optional
        Posterior of Dawid-Skene without groups. Default: it is fitted.
    em_prior : (labels,) array, optional
        How common each label is by EM. Default: the mean of `em_truth`.
    orders : pair of (K,) arrays, optional
        Scores by EM and by the votes of the others, in which to compare the order of classifiers.
    positive : int, optional
        Code of the positive label, of which the overlap is.
    people : str
        What the gold of the votes is to be called in sentences.
    name_families : bool
        Whether to look for families; not where hard items explain the votes.
    explained : tuple of Note
        What else may explain the votes; families then are not accused in notes of their own.

    Notes
    -----
    First, classifiers are suspected of erring together if their errors, given the majority of all
    others, are correlated more than is usual (see :func:`suspicion` and :func:`find_families`).
    Then Dawid-Skene is fitted with one vote for each family, and its posterior is the reference
    of the residual correlations. A family stays one if its mean is .1 or more, less what noise
    explains; so does a group that was given. EM is called unreliable if the correlations within
    families and groups alone leave less than .8 as many independent votes as classifiers.

    Of 660 simulated sets of 4 to 100 independent classifiers 3 had a family, and none so much that
    EM was called unreliable. Families of 2 to
    12 of 5 to 33 classifiers, with errors that share 60% or more of a normal variable, were found
    in 95 of 96; one with half of all classifiers was noticed, but not rightly told from the rest.

    On 33 LLM judges the residual correlations follow those given gold (r = .84) at half their
    level (.20, where gold says .41); on 39 crowd workers r = .83 (.05, where gold says .11).

    O(labels^2 x sum over rows of votes^2 + K^2 log K), with memory for K x K matrices, and two
    fits of Dawid-Skene.
    """
    weight = votes.multiplicity.astype(np.float64) if weight is None else weight
    everyone = np.ones((len(votes.classifiers),) * 2, dtype=bool)
    posterior = fit(votes, weight).truth if em_truth is None else em_truth
    prior = weight @ posterior / weight.sum() if em_prior is None else em_prior
    suspected = ()
    if name_families:
        suspected = find_families(suspicion(votes, weight), votes.classifiers)
    truth = posterior
    if suspected or votes.copied:
        one_vote = votes.one_vote.copy()
        for family in suspected:
            one_vote[list(family.members)] = 1 / len(family.members)
        truth = fit(
            votes, weight, vote_weight=one_vote, how=Climbing(tolerance=CLOSE, max_iter=MAX_ITER)
        ).truth
    residual = residual_correlation(votes, weight, truth)
    families = [
        family_of(residual, np.array(family.members), votes.classifiers, tests=len(suspected))
        for family in suspected
    ]
    has_gold = votes.gold >= 0
    gold_weight = np.where(has_gold, weight * votes.gold_weight, 0.0)
    gold = residual_gold = em_on_gold = None
    if gold_weight.sum() > 0:
        right = np.where(has_gold[:, None], np.eye(len(votes.labels))[votes.gold], 0.0)
        residual_gold = residual_correlation(votes, gold_weight, right)
        gold = gold_weight @ right / gold_weight.sum()
        em_on_gold = gold_weight @ posterior / gold_weight.sum()

    nan = float("nan")
    same = votes.group[:, None] == votes.group if votes.groups else None
    between = nan if same is None else mean_pair(residual, ~same)
    shared_votes = overlap(votes, weight, positive=positive)
    kappa, without = fleiss_without(votes, weight)
    first = Diagnostics(
        classifiers=votes.classifiers,
        labels=votes.labels,
        residual=residual,
        residual_gold=residual_gold,
        mean_residual=mean_pair(residual, everyone),
        mean_residual_gold=nan if residual_gold is None else mean_pair(residual_gold, everyone),
        within=nan if same is None else mean_pair(residual, same),
        between=between,
        effective_votes=effective_votes(residual.settled),
        effective_votes_gold=nan
        if residual_gold is None
        else effective_votes(residual_gold.settled),
        # Where items are hard for all, errors of any two go together: a group must do more.
        groups=_groups(votes, residual, usual=max(0.0, between) if explained else 0.0),
        families=tuple(family for family in families if family.together),
        prior_em=prior,
        prior_votes=weight @ vote_shares(votes) / weight.sum(),
        prior_gold=gold,
        prior_em_gold=em_on_gold,
        gold_items=int(weight[has_gold].sum()),
        people=people,
        rank_tau=nan if orders is None else kendall(*orders),
        overlap=shared_votes,
        fleiss=kappa,
        fleiss_without=without,
        outliers=outliers(shared_votes),
        explained=explained,
    )
    inside = np.zeros_like(everyone)
    for family in (*first.families, *(group for group in first.groups if group.together)):
        inside[np.ix_(family.members, family.members)] = True
    left = effective_votes(np.where(inside, residual.correlation, 0.0))
    dependent = left < (1 - VOTES_LOST) * len(votes.classifiers)
    diagnostics = replace(first, dependent=dependent)
    return replace(diagnostics, warnings=tuple(warnings_of(diagnostics)))


def _groups(votes: Votes, residual: Residuals, *, usual: float) -> tuple[Family, ...]:
    """Find how far the members of each group err together; groups of one are left out."""
    size = np.bincount(votes.group)
    several = [g for g in range(len(votes.groups)) if size[g] > 1]
    return tuple(
        family_of(
            residual,
            np.flatnonzero(votes.group == g),
            votes.classifiers,
            name=votes.groups[g],
            tests=len(several),
            usual=usual,
        )
        for g in several
    )


# How far classifiers agree: overlap of what they find, Fleiss' kappa, and who stands apart.

FAR_APART = 3.5
"""Robust standard deviations below the median from which a classifier stands apart."""

LEAST_CLASSIFIERS = 5
"""Fewer have no rest to stand apart from."""


@dataclass(frozen=True, eq=False)
class Overlap:
    """Agreement of every two classifiers on the items that both labelled.

    Parameters
    ----------
    jaccard : (K, K) array
        Items that both give the positive label, over items to which either gives it; the mean
        over labels where none is the positive one. nan where neither gives any.
    agreement : (K, K) array
        Share of items to which both give the same label. nan without shared items.
    shared : (K, K) array
        Items that both labelled.
    """

    jaccard: Floats
    agreement: Floats
    shared: Floats


def overlap(votes: Votes, weight: Floats, *, positive: int | None = None) -> Overlap:
    """Find the overlap of every two classifiers.

    Notes
    -----
    O(labels x sum over rows of votes^2).

    References
    ----------
    Jung and Lease (2012), Table 2; Voorhees (2000) calls the Jaccard coefficient overlap.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 1, 2, 2, 3, 3], list("ababab"), [1, 1, 1, 0, 0, 0])
    >>> votes = collect(labels)
    >>> found = overlap(votes, votes.multiplicity.astype(float), positive=1)
    >>> found.jaccard[0, 1], found.agreement[0, 1].round(3)
    (np.float64(0.5), np.float64(0.667))
    """
    indicators = [votes.indicator(label) for label in range(len(votes.labels))]
    voted = sum(indicators[1:], start=indicators[0])
    shared = weighted_product(voted, weight, voted)
    same = np.zeros_like(shared)
    parts: list[Floats] = []
    for label, mine in enumerate(indicators):
        both = weighted_product(mine, weight, mine)
        same += both
        if positive in (None, label):
            gave = weighted_product(mine, weight, voted)
            parts.append(ratio(both, gave + gave.T - both))
    return Overlap(_mean(np.stack(parts), axis=0), ratio(same, shared), shared)


def fleiss_without(votes: Votes, weight: Floats) -> tuple[float, Floats]:
    r"""Fleiss' kappa of all classifiers, and of all but each: a number and (K,).

    The same as :func:`headcount.agreement.coefficients.fleiss`, for unequal numbers of votes
    as well. Without a vote for label a, an item's pairs that agree, :math:`\sum_j r_j (r_j - 1)`,
    become fewer by :math:`2 (r_a - 1)`, so that leaving out each in turn costs as much as one
    kappa: O(votes x labels). nan where one label is left, or no item has two votes.

    Examples
    --------
    >>> from headcount import Labels
    >>> from headcount.blind_evaluation.votes import collect
    >>> labels = Labels.from_triples([1, 1, 1, 2, 2, 2], list("abcabc"), [1, 1, 0, 0, 0, 1])
    >>> votes = collect(labels)
    >>> both, without = fleiss_without(votes, votes.multiplicity.astype(float))
    >>> round(both, 3), without
    (-0.333, array([-1., -1.,  1.]))
    """
    counts = votes.label_counts()
    row, who = votes.row, votes.classifier
    total, size = len(votes.classifiers), len(votes.labels)
    n = counts.sum(axis=1)
    agree = (counts * (counts - 1)).sum(axis=1)
    share = counts / n[:, None]

    # Sums over items: agreement, items with two votes, share of each label, items with a vote.
    sums = np.column_stack(
        [np.nan_to_num(ratio(agree, n * (n - 1))), n > 1, share, np.ones(len(n))]
    )
    n_left, often = n[row] - 1, weight[row]
    agree_left = agree[row] - 2 * (counts[row, votes.label] - 1)

    def without() -> Iterator[Floats]:
        """Each sum without a vote: one at a time, for there may be many votes."""
        yield np.nan_to_num(ratio(agree_left, n_left * (n_left - 1)))
        yield (n_left > 1).astype(np.float64)
        for label in range(size):
            yield np.nan_to_num(ratio(counts[row, label] - (votes.label == label), n_left))
        yield (n_left > 0).astype(np.float64)

    whole = weight @ sums
    each = np.column_stack(
        [
            np.bincount(who, weights=(part - sums[row, c]) * often, minlength=total)
            for c, part in enumerate(without())
        ]
    )
    kappas = _fleiss(np.vstack([whole, whole + each]))
    return float(kappas[0]), kappas[1:]


def outliers(overlaps: Overlap) -> tuple[int, ...]:
    r"""Classifiers that agree far less with the others than is usual, farthest first.

    A classifier's agreement is the mean over the others, of labels (or of overlap). It stands
    apart if one of the two is below the median of all by more than 3.5 robust standard
    deviations, :math:`\sqrt{(1.4826\,\mathrm{MAD})^2 + m (1 - m) / n}` with MAD the median
    distance from the median m, and n the items that it shares with another, on average. The
    second part is for those that labelled few items. None where there are fewer than 5.
    """
    if len(overlaps.shared) < LEAST_CLASSIFIERS:
        return ()
    far = np.fmax(_distance(overlaps.agreement, overlaps), _distance(overlaps.jaccard, overlaps))
    order = np.argsort(-np.nan_to_num(far), kind="stable")
    return tuple(int(k) for k in order if far[k] > FAR_APART)


def with_others(table: Floats) -> Floats:
    """Mean of each classifier's agreement or overlap with the others: (K,), nan without any."""
    return _mean(np.where(np.eye(len(table), dtype=bool), np.nan, table), axis=1)


def _distance(table: Floats, overlaps: Overlap) -> Floats:
    """Robust standard deviations by which each classifier's mean is below the median."""
    mean = with_others(table)
    defined = mean[~np.isnan(mean)]
    if not len(defined):
        return np.zeros(len(mean))
    middle = float(np.median(defined))
    usual = 1.4826 * float(np.median(np.abs(defined - middle)))
    others = ~np.isnan(table)
    np.fill_diagonal(others, False)
    items = np.nan_to_num(ratio((overlaps.shared * others).sum(axis=1), others.sum(axis=1)))
    scale = np.sqrt(usual**2 + middle * (1 - middle) / np.maximum(items, 1))
    return np.nan_to_num(ratio(middle - mean, scale))


def _fleiss(sums: Floats) -> Floats:
    # What is left of a sum that cancels may miss 0 by rounding.
    observed = ratio(sums[:, 0], sums[:, 1], least=SMALL)
    pi = ratio(sums[:, 2:-1], sums[:, -1:], least=SMALL)
    chance = (pi**2).sum(axis=1)
    return 1 - ratio(1 - observed, 1 - chance, least=SMALL)


def _mean(table: Floats, axis: int) -> Floats:
    """Mean of what is known; nan where nothing is."""
    return ratio(np.nansum(table, axis=axis), (~np.isnan(table)).sum(axis=axis))


# What speaks for or against independent errors, as a plain record.

LOW_TAU = 0.5
"""Kendall's tau of EM with the votes of others below which they disagree on the order."""

MOST_IN_JSON = 200
"""Classifiers up to which matrices of them are written out."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Diagnostics:
    """What speaks for or against independent errors.

    Parameters
    ----------
    classifiers, labels : tuple of str
    residual : Residuals
        How the errors of every two classifiers go together, given the truth as Dawid-Skene sees
        it if each family has one vote.
    residual_gold : Residuals or None
        The same on items with gold.
    mean_residual, mean_residual_gold : float
        Their means over pairs, each with the weight of its information; nan if there is none.
    within, between : float
        Means over pairs of the same group, and of different groups; nan without groups.
    effective_votes, effective_votes_gold : float
        Independent votes that all classifiers are worth.
    groups : tuple of Family
        The groups that were given, of two classifiers or more.
    families : tuple of Family
        Classifiers found to err together, whatever their groups.
    prior_em, prior_votes : (labels,) array
        How common each label is, by EM and by shares of votes.
    prior_gold, prior_em_gold : (labels,) array or None
        The same by gold, and by EM, among items with gold.
    gold_items : int
    people : str
        What their labels are called: gold, or crowd labels.
    rank_tau : float
        Kendall's tau between scores by EM and by the votes of the others; with groups, by
        grouped EM and by the votes of the other groups.
    overlap : Overlap
        Jaccard coefficients and agreement of every two classifiers.
    fleiss : float
        Fleiss' kappa of all.
    fleiss_without : (K,) array
        Without each classifier.
    outliers : tuple of int
        Classifiers that stand apart.
    explained : tuple of Note
        What may explain errors that go together, in sentences.
    dependent : bool
        Whether EM is unreliable because classifiers err together.
    warnings : tuple of Note
        What to be careful about, in sentences.
    """

    classifiers: tuple[str, ...]
    labels: tuple[str, ...]
    residual: Residuals
    residual_gold: Residuals | None
    mean_residual: float
    mean_residual_gold: float
    within: float
    between: float
    effective_votes: float
    effective_votes_gold: float
    groups: tuple[Family, ...]
    families: tuple[Family, ...]
    prior_em: Floats
    prior_votes: Floats
    prior_gold: Floats | None
    prior_em_gold: Floats | None
    gold_items: int
    people: str
    rank_tau: float
    overlap: Overlap
    fleiss: float
    fleiss_without: Floats
    outliers: tuple[int, ...]
    explained: tuple[Note, ...] = ()
    dependent: bool = False
    warnings: tuple[Note, ...] = ()

    @cached_property
    def never_differ(self) -> bool:
        """Whether no two classifiers differ on an item that both labelled."""
        pairs = self.overlap.agreement[np.triu_indices(len(self.classifiers), 1)]
        return bool((pairs[~np.isnan(pairs)] == 1).all())

    @property
    def families_across(self) -> list[Family]:
        """Families that no single group holds."""
        groups = [set(group.members) for group in self.groups]
        return [f for f in self.families if not any(set(f.members) <= group for group in groups)]

    @property
    def disagree(self) -> bool:
        """Whether the fit and the votes of others put classifiers in different orders."""
        return self.rank_tau < LOW_TAU

    @property
    def no_panel(self) -> str | None:
        """Say why nobody knows what all are worth in independent votes; None where it is known."""
        if self.residual.is_panel:
            return None
        return f"most of every two classifiers share fewer than {ENOUGH_SHARED} items"

    @property
    def two_orders(self) -> str:
        """Say whose orders are compared."""
        if self.groups:
            return "Dawid-Skene by group and the votes of the other groups"
        return "Dawid-Skene (EM) and the votes of the others"

    @property
    def prior_drift(self) -> float:
        """Largest difference between the shares of a label by EM and by votes."""
        return _drift(self.prior_em, self.prior_votes)

    @property
    def prior_drift_gold(self) -> float:
        """Largest difference between EM's and gold's shares of a label, on items with gold."""
        if self.prior_em_gold is None or self.prior_gold is None:
            return float("nan")
        return _drift(self.prior_em_gold, self.prior_gold)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; matrices are null for more than 200 classifiers."""
        gold = self.residual_gold
        few = len(self.classifiers) <= MOST_IN_JSON
        document = {
            "classifiers": self.classifiers,
            "dependent": self.dependent,
            "residual_correlation": {
                "mean": self.mean_residual,
                "within_groups": self.within,
                "between_groups": self.between,
                "matrix": self.residual.correlation if few else None,
                "gold_mean": self.mean_residual_gold,
                "gold_matrix": gold.correlation if few and gold is not None else None,
            },
            "effective_votes": {
                "value": self.effective_votes if self.residual.is_panel else None,
                "gold": self.effective_votes_gold if gold is not None and gold.is_panel else None,
                "of": len(self.classifiers),
                "undefined": self.no_panel,
            },
            "groups": [group.to_dict(self.classifiers) for group in self.groups],
            "families": [family.to_dict(self.classifiers) for family in self.families],
            "prior": {
                "labels": self.labels,
                **{
                    name.removeprefix("prior_"): getattr(self, name)
                    for name in ("prior_em", "prior_votes", "prior_gold")
                },
                "em_on_gold_items": self.prior_em_gold,
                "drift": self.prior_drift,
                "drift_gold": self.prior_drift_gold,
            },
            "rank_tau": self.rank_tau,
            "jaccard": self.overlap.jaccard if few else None,
            "agreement": self.overlap.agreement if few else None,
            "fleiss": {
                "all": self.fleiss,
                "without": dict(zip(self.classifiers, self.fleiss_without, strict=True)),
            },
            "outliers": [self.classifiers[k] for k in self.outliers],
            "warnings": [str(note) for note in self.warnings],
        }
        return json_value(document)


def _drift(prior: Floats, other: Floats) -> float:
    return float(np.abs(prior - other).max())


# Signs of dependence in words.

FEW_CLASSIFIERS = 3
"""Classifiers among which dependence cannot be seen."""

SHARED_WITH_GOLD = 0.2
"""Mean residual correlation on gold that is worth a warning. Some items are harder than others,
so about .1 is usual."""

PRIOR_DRIFT = 0.05
"""Difference between EM's and gold's shares of a label that is worth a warning."""

MOST_NAMED = 5
"""Families and classifiers that one sentence names."""


def summary(d: Diagnostics, noun: str) -> Table:
    """Write the diagnostics as a table of numbers, without matrices and warnings."""
    rows = [*_correlations(d, noun), *_priors(d)]
    if not np.isnan(d.rank_tau):
        # By the names that the tables of scores give them.
        two = "grouped EM and leave group out" if d.groups else "EM and leave one out"
        rows.append((f"Kendall's tau of scores by {two}", f"{d.rank_tau:.2f}"))
    pairs = d.overlap.jaccard[np.triu_indices(len(d.classifiers), 1)]
    defined = pairs[~np.isnan(pairs)]
    if len(defined):
        rows += [
            (f"overlap (Jaccard) of two {noun}s, mean", f"{defined.mean():.2f}"),
            ("  lowest", f"{defined.min():.2f}"),
            ("  highest", f"{defined.max():.2f}"),
        ]
    rows += _fleiss_rows(d)
    return Table(["diagnostic", "value"], rows, title=f"Do {noun}s err independently?", words=True)


def warnings_of(d: Diagnostics) -> Iterator[Note]:
    """Write what to be careful about, the gravest first."""
    total = len(d.classifiers)
    if d.never_differ:
        yield Note(
            "No two classifiers differ on an item that both labelled: scores of 1 say only that "
            "they agree, not that they are right. Give gold labels of some items "
            f"({option('gold', ...)}).",
            "warning",
            short="no two differ: a score of 1 says only that they agree.",
            rank=1,
        )
    yield from d.explained
    yield from _together(d)
    if total <= FEW_CLASSIFIERS:
        yield Note(
            f"With {count(total, 'classifier')}, errors that they share, on hard items too, look "
            "like the truth: believe EM only if they have nothing in common.",
            "caution",
        )
    if d.mean_residual_gold >= SHARED_WITH_GOLD:
        yield Note(
            f"On {count(d.gold_items, 'item')} with {d.people} the errors of two classifiers have "
            f"a mean correlation of {d.mean_residual_gold:.2f}: what most get wrong looks right "
            "without gold, so that scores without gold are unreliable. Trust "
            f"{d.people}.",
            "warning",
            short=f"on gold, errors are correlated ({d.mean_residual_gold:.2f}): trust the "
            "gold scores.",
            rank=2,
        )
    yield from _prior_against_gold(d)
    if d.disagree:
        yield Note(
            f"{d.two_orders[0].upper()}{d.two_orders[1:]} disagree on the order of classifiers "
            f"(Kendall's tau {d.rank_tau:.2f}): at least one of them is wrong.",
            "warning",
            short=f"the two rankings by votes disagree (Kendall's tau {d.rank_tau:.2f}).",
            rank=2,
        )
    if d.outliers:
        yield Note(_apart(d), "caution")


def _together(d: Diagnostics) -> Iterator[Note]:
    """Say who errs together, and what to do."""
    groups = [group for group in d.groups if group.together]
    families = d.families_across
    # Where the votes allow several explanations, none of these may be guilty.
    families = [] if d.explained else families
    end = (
        "treat the EM column as unreliable"
        if d.dependent
        else "EM gives their votes too much weight"
    )
    severity: Severity = "warning" if d.dependent else "caution"
    give = f"give groups ({option('groups', ...)} or {option('group_pattern', ...)})"
    for found, kind, do in (
        (groups, "group", f"{end}; leave-group-out and grouped EM give each group one vote"),
        (families if d.groups else [], "classifiers of several groups",
         "if these share a model, put them in one group"),
        ([] if d.groups else families, "family", f"{end}; {give} for methods that give each one "
         "vote"),
    ):  # fmt: skip
        if found:
            # Hard items, which a note before this may speak of, make all err together as well.
            more = f", and those of different groups less ({d.between:.2f})"
            more = more if d.explained and found is groups else ""
            names = some([d.classifiers[k] for k in found[0].members], 1)
            short = f"{names} err together: the votes count them too often."
            text = f"{_err(found, d.classifiers, kind)}{more}: {do}."
            yield Note(text, severity, short=short, rank=3)


def _err(families: Sequence[Family], names: Sequence[str], kind: str) -> str:
    """Say who errs together."""
    if len(families) == 1:
        who = _who(families[0], names, kind)
        return f"{who[0].upper()}{who[1:]} err together ({_mean_words(families[0], 'mean ')})"
    listed = [f"{_who(f, names, kind)} ({_mean_words(f)})" for f in families[:MOST_NAMED]]
    rest = len(families) - MOST_NAMED
    listed += [f"{rest:,} more"] if rest > 0 else []
    return f"Classifiers err together: {'; '.join(listed)}"


def _mean_words(family: Family, word: str = "") -> str:
    return f"{word}residual correlation {family.correlation:.2f}"


def _who(family: Family, names: Sequence[str], kind: str) -> str:
    size = len(family.members)
    if kind == "group":
        return f"the {size:,} classifiers of group '{family.name}'"
    if family.name is not None:
        return f"the {size:,} '{family.name}' classifiers"
    return f"{some([names[k] for k in family.members], 3)}"


def _prior_against_gold(d: Diagnostics) -> Iterator[Note]:
    if d.prior_gold is None or d.prior_em_gold is None:
        return
    label = int(np.argmax(np.abs(d.prior_em_gold - d.prior_gold)))
    if len(d.labels) == 2:
        label = 1
    gold, em = float(d.prior_gold[label]), float(d.prior_em_gold[label])
    # Of few items none or all may be so; a share in between is what noise is about.
    share = (gold * d.gold_items + 1) / (d.gold_items + 2)
    noise = 2 * np.sqrt(share * (1 - share) / max(d.gold_items, 1))
    if abs(em - gold) > max(PRIOR_DRIFT, noise):
        yield Note(
            f"EM takes {em:.0%} of the {count(d.gold_items, 'item')} with {d.people} to be "
            f"'{d.labels[label]}', and {gold:.0%} are.",
            "warning",
            short=f"EM finds {em:.0%} '{d.labels[label]}' where gold has {gold:.0%}.",
            rank=4,
        )


def _apart(d: Diagnostics) -> str:
    names = [d.classifiers[k] for k in d.outliers]
    agree, are = ("agrees", "It is") if len(names) == 1 else ("agree", "Each is")
    return (
        f"{some(names, MOST_NAMED)} {agree} far less with the others than is usual. {are} either "
        "far better or far worse than the rest; blind evaluation cannot tell which."
    )


def _correlations(d: Diagnostics, noun: str) -> Iterator[tuple[str, str]]:
    if not np.isnan(d.mean_residual):
        how = "by EM, one vote per family" if d.families else "by EM"
        yield f"residual correlation of errors, given the truth {how}", f"{d.mean_residual:.2f}"
        for name, value in (("within", d.within), ("between", d.between)):
            if not np.isnan(value):
                yield f"  {name} groups", f"{value:.2f}"
        who = count(len(d.classifiers), noun)
        if d.residual.is_panel:
            yield f"effective number of independent votes ({who})", f"{d.effective_votes:.1f}"
    if not np.isnan(d.mean_residual_gold):
        people = f"{d.people} ({count(d.gold_items, 'item')})"
        yield f"residual correlation, given {people}", f"{d.mean_residual_gold:.2f}"
        if d.residual_gold is not None and d.residual_gold.is_panel:
            yield f"effective number of votes, given {d.people}", f"{d.effective_votes_gold:.1f}"


def _priors(d: Diagnostics) -> Iterator[tuple[str, str]]:
    """How common the positive label is, or of several that on which the sources differ most."""
    shares = {"EM": d.prior_em, "votes": d.prior_votes}
    shares |= {} if d.prior_gold is None else {d.people: d.prior_gold}
    label = int(np.argmax(np.ptp(np.stack(list(shares.values())), axis=0)))
    if len(d.labels) == 2:
        label = 1
    for name, share in shares.items():
        yield f"share of items with label '{d.labels[label]}', by {name}", f"{share[label]:.1%}"


def _fleiss_rows(d: Diagnostics) -> Iterator[tuple[str, str]]:
    if np.isnan(d.fleiss):
        return
    yield "Fleiss' kappa", f"{d.fleiss:.2f}"
    change = np.abs(d.fleiss_without - d.fleiss)
    if not np.isnan(change).all():
        most = int(np.nanargmax(change))
        yield f"  without '{d.classifiers[most]}'", f"{d.fleiss_without[most]:.2f}"
