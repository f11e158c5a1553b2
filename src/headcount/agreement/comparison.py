"""Compare agreement: of two sets of ratings, of strata, or of some raters with the others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from re import Pattern
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.agreement.coefficients import (
    COEFFICIENTS,
    PREFERRED,
    Alpha,
    PooledKappa,
    PooledQuadratic,
)
from headcount.agreement.estimates import Coefficient
from headcount.agreement.prepare import Prepared, prepare, provenance_of
from headcount.agreement.raters import (
    FIXED,
    RATERS,
    SAMPLE,
    Crossed,
    CrossedVariance,
    Panel,
    RaterKind,
    crossed_of,
    crossed_variance,
    find_scope,
)
from headcount.agreement.ratings import Influence
from headcount.agreement.recommendation import few_raters
from headcount.agreement.scales import NOMINAL, Distance, Metric, ScaleKind
from headcount.data.facts import LEAST_CLUSTERS, Clusters
from headcount.data.labels import Labels, Scale
from headcount.data.vocabulary import as_ids, as_labels, find_labels, match_ids, number_of
from headcount.engine.taking import named_apart, take_labels
from headcount.errors import DataError, OptionError, count, option, percent, probability, some
from headcount.io.facts import take_clusters
from headcount.results.fields import Record, json_value, listing, shown
from headcount.results.notes import Notes
from headcount.results.result import Page, Result, Screen
from headcount.results.tables import Table
from headcount.stats.arrays import SMALL, group_sums, ratio
from headcount.stats.draws import CLUSTER_FREEDOM, effective_clusters
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import DIFFERENCE, LINEARISED, Fisher
from headcount.typing import Codes, Floats, Ids, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "compare_agreement",
    "Group",
    "difference",
    "Difference",
    "AgreementComparison",
    "Twice",
    "measure_retest",
    "Retest",
    "retest_blocks",
]


def compare_agreement(
    labels: Labels | Any,
    other: Labels | Any | None = None,
    *,
    by: Mapping[Any, Any] | None = None,
    against: Collection[object] | None = None,
    coefficient: str = PREFERRED.name,
    scale: str | None = None,
    sets: str | None = None,
    distance: Any = None,
    level: float = 0.95,
    intervals: str = SAMPLE.name,
    cluster: str | Mapping[Any, Any] | Pattern[str] | Clusters | None = None,
) -> AgreementComparison:
    """Compare how much raters agree, with an interval of the difference.

    Give one of `other` (other ratings, of the same or other items and raters), `by` (groups of
    items) and `against` (some raters, such as an LLM or novices, against the others).

    Parameters
    ----------
    labels, other : Labels, path, frame or array
        Ratings, or what :func:`headcount.read_ratings` reads.
    by : mapping of item to stratum
        The group of each item. Items without one are left out.
    against : collection of raters
        These raters are compared with the others: their agreement with the others minus the
        agreement of the others with each other, both by Conger's kappa on the scale of the labels.
    coefficient : str
        A coefficient of :func:`headcount.agree`; not with `against`.
    scale, sets, distance, level, intervals, cluster
        As in :func:`headcount.agree`.

    Returns
    -------
    AgreementComparison

    Notes
    -----
    An item or rater that is in both groups is left out of both at once, so that what the groups
    share cancels (:func:`~headcount.agreement.comparison.difference`). O(ratings).

    Examples
    --------
    >>> from headcount import compare_agreement, running_example
    >>> labels, _ = running_example(200, 6, seed=1)
    >>> half = {item: "first" if item < 100 else "second" for item in range(200)}
    >>> compare_agreement(labels, by=half).differences[0].difference.value > -1
    True
    """
    kind = RATERS[options.one_of(intervals, "intervals", list(RATERS))]
    chosen = COEFFICIENTS[options.one_of(coefficient, "coefficient", list(COEFFICIENTS))]
    level, metric = options.level(level), Metric.of(scale, sets, distance)
    if sum(x is not None for x in (other, by, against)) != 1:
        raise OptionError(
            f"give one of {option('other')}, {option('by')} and {option('against')}: what to "
            "compare agreement with."
        )
    unread, other_unread, labels = labels, other, take_labels(labels)
    if other is not None:
        labels, other = named_apart((unread, other), (labels, take_labels(other)))
    notes = Notes(labels.notes)
    every = [labels] if other is None else [labels, other]
    clusters = take_clusters(cluster, unread if other is None else [unread, other_unread], *every)
    if clusters is not None:
        clusters.note(np.unique(np.concatenate([e.items.astype(str) for e in every])), notes)
    if against is not None:
        groups, chosen = against_raters(labels, against, metric, notes)
    elif other is not None:
        notes.extend(other.notes)
        groups = two_files(labels, other, chosen, metric, notes)
    else:
        groups = by_stratum(labels, by or {}, chosen, metric, notes)
    if clusters is not None:
        groups = [each.clustered(clusters) for each in groups]
    names = [against] if isinstance(against, str) else against or ()
    others = f"without {some([str(name) for name in names], 3)}, " if names else ""
    crossed = _crossed(groups, kind, notes, others)
    differences: list[Difference] = []
    for a, b in combinations(groups, 2):
        estimate, p_higher = difference(a, b, level, crossed=crossed, clusters=clusters)
        differences.append(Difference(a=a.name, b=b.name, difference=estimate, p_higher=p_higher))
    return AgreementComparison(
        provenance=provenance_of(labels, items_used=groups[0].data.items_used, level=level),
        notes=tuple(notes),
        coefficient=chosen,
        scale=groups[0].data.scale.name,
        distance=groups[0].data.scale.title or None,
        holds_for=(SAMPLE if crossed else FIXED).words,
        groups=tuple(each.record(chosen, level, crossed=crossed) for each in groups),
        differences=tuple(sorted(differences, key=lambda d: -abs(d.difference.value))),
    )


def _crossed(groups: list[Group], kind: RaterKind, notes: Notes, others: str) -> bool:
    """Whether raters are a sample in all groups; a note says if they cannot be, or are few.

    `others` says which raters are no part of the sample, if some are not.
    """
    scopes = [find_scope(each.panel, kind) for each in groups]
    if all(scope.crossed for scope in scopes):
        if any(scope.few for scope in scopes):
            fixed = option("intervals", FIXED.name)
            few = few_raters(min(each.panel.raters for each in groups))
            notes.caution(f"{few} For these alone: {fixed}.")
        return True
    if why := next((scope.why for scope in scopes if scope.kind is FIXED and scope.why), ""):
        notes.caution(f"intervals are {FIXED.words} only: {others}{why}.")
    return False


# The groups whose agreement is compared: two files, strata of items, or two sets of pairs.

MOST_STRATA = 12
"""Strata that are compared, at most."""


@dataclass(frozen=True, eq=False)
class Group:
    """A group, before it is compared.

    Parameters
    ----------
    name : str
    data : Prepared
        Whose items and raters the arrays of `influence` are of.
    influence : Influence
        The coefficient, and how it changes with each of them.
    panel : Panel
    rows : Labels
        The ratings that its pairs are made of.
    """

    name: str
    data: Prepared
    influence: Influence
    panel: Panel
    rows: Labels

    def clustered(self, clusters: Clusters) -> Group:
        """Say which of its items are not independent."""
        data = replace(self.data, cluster=clusters.codes(self.data.labels.items))
        influence = replace(self.influence, cluster=data.cluster, cell=data.cluster_of_raters)
        return replace(self, data=data, influence=influence)

    def record(self, coefficient: Coefficient, level: float, *, crossed: bool) -> GroupAgreement:
        """Write it down with its interval."""
        estimate, scale, both = Estimate(self.influence.value), coefficient.fisher(self.data), None
        if not self.data.few_clusters:
            both = crossed_of(self.influence, self.panel, self.data.independent, scale)
        if both is not None:
            estimate = both.estimate(level, crossed=crossed)
        return GroupAgreement(
            name=self.name,
            items=int((np.bincount(self.rows.item) > 1).sum()),
            ratings=len(self.rows),
            raters=None if self.panel.anonymous else len(np.unique(self.rows.rater)),
            agreement=estimate,
        )


def _group(name: str, labels: Labels, coefficient: Coefficient, scale: ScaleKind) -> Group:
    """Measure a coefficient in a group, or refuse a group that has none."""
    data = prepare(labels, scale)
    why = data.no_pair or coefficient.undefined(data)
    influence = None if why else coefficient.influence(data)
    if influence is None:
        choose = f"choose another {option('coefficient')}"
        reason = why or f"{coefficient.title} is of no use here; {choose}"
        raise DataError(f"{name}: agreement cannot be measured: {reason}.")
    return Group(name, data, influence, data.panel, data.labels)


def two_files(
    labels: Labels, other: Labels, coefficient: Coefficient, metric: Metric, notes: Notes
) -> list[Group]:
    """Make a group of each set of ratings, on the labels of both together."""
    joint = _joint(labels.scale, other.scale)
    places = [find_labels(each.scale.labels, joint.labels)[each.label] for each in (labels, other)]
    # All ratings together, so that both are on one scale.
    together = replace(labels, scale=joint, label=np.concatenate(places))
    joined, kind = metric.apply(together, notes)
    both = (
        replace(joined, label=joined.label[: len(labels)]),
        replace(other, scale=joined.scale, label=joined.label[len(labels) :]),
    )
    kind = prepare(both[0], kind).scale
    numbers = [
        all(number_of(name) is not None for name in each.scale.labels) for each in (labels, other)
    ]
    if numbers[0] != numbers[1] and not (kind.ordered or kind.tabled):
        which = (labels if numbers[0] else other).source
        notes.caution(
            f"only the labels of {which} are numbers, so both sets are compared as categories "
            f"({NOMINAL.name}), on which 1 is as far from 2 as from 5. Write both the same way.",
            short=f"Both are compared as categories: only the labels of {which} are numbers.",
            rank=0,
        )
    first, second = labels.source, other.source
    if first == second:
        first, second = f"{first} (1)", f"{second} (2)"
    names = (first, second)
    return [_group(name, each, coefficient, kind) for name, each in zip(names, both, strict=True)]


def _joint(first: Scale, second: Scale) -> Scale:
    """Join two scales; an order that one of them has of all labels stays."""
    for each, rest in ((first, second), (second, first)):
        if not (find_labels(rest.labels, each.labels) < 0).any():
            return Scale(each.labels, first.kind)
    return Scale(as_labels([*first.labels, *second.labels])[0], first.kind)


def by_stratum(
    labels: Labels, by: Mapping[Any, Any], coefficient: Coefficient, metric: Metric, notes: Notes
) -> list[Group]:
    """Make a group of the items of each stratum."""
    code = match_ids(as_ids([str(item) for item in by]), labels.items)
    stratum = np.full(len(labels.items), -1)
    names = sorted({str(value) for value in by.values()})
    index = {name: row for row, name in enumerate(names)}
    values = np.array([index[str(value)] for value in by.values()])
    stratum[code[code >= 0]] = values[code >= 0]
    if (lost := int((stratum < 0).sum())) > 0:
        notes.info(f"{count(lost, 'item')} without a stratum left out.")
    if not 2 <= len(names) <= MOST_STRATA:
        raise OptionError(
            f"{option('by')} must have 2 to {MOST_STRATA} different values, not {len(names)}: "
            f"{some(names)}."
        )
    labels, scale = metric.apply(labels, notes)
    kind = prepare(labels, scale).scale
    return [
        _group(name, labels.only((stratum == row)[labels.item]), coefficient, kind)
        for name, row in index.items()
    ]


def against_raters(
    labels: Labels, against: Collection[object], metric: Metric, notes: Notes
) -> tuple[list[Group], Coefficient]:
    """Make two groups of pairs: of the given raters with the others, and of the others."""
    labels.check_raters("comparing raters with the others")
    wanted = [str(name) for name in ([against] if isinstance(against, str) else against)]
    code = match_ids(as_ids(wanted), labels.raters)
    if (code < 0).any() or not len(code):
        unknown = [name for name, row in zip(wanted, code.tolist(), strict=True) if row < 0]
        raise OptionError(
            f"{option('against')}: no rater is called {some(unknown)}; raters are "
            f"{some([str(name) for name in labels.raters.tolist()], 8)}."
        )
    data = prepare(*metric.apply(labels, notes))
    coefficient = PooledQuadratic() if data.scale.ordered else PooledKappa()
    if (why := data.no_pair or coefficient.undefined(data)) is not None:
        raise DataError(f"{labels.source}: agreement cannot be measured: {why}.")
    chosen = np.isin(np.arange(len(labels.raters)), code)
    table = data.rater_pairs
    a, b = chosen[table.a], chosen[table.b]
    # The given raters stay as they are: only the others are a sample.
    paired, in_pairs = (np.where(chosen, 0.0, n) for n in (data.panel.paired, data.panel.in_pairs))
    panel = Panel(paired, in_pairs, data.panel.anonymous)
    groups: list[Group] = []
    names = (f"{some(wanted, 3)} with the others".replace("'", ""), "the others with each other")
    for name, pairs in zip(names, (a != b, ~a & ~b), strict=True):
        if not table.shared[pairs].sum():
            raise DataError(f"{labels.source}: {name} share no item.")
        of_pairs = coefficient.influence_of(data, pairs)
        without = np.where(chosen, np.nan, of_pairs.without)
        influence = replace(of_pairs, without=without)
        taking_part = np.unique(np.concatenate([table.a[pairs], table.b[pairs]]))
        rows = data.labels.only(np.isin(data.labels.rater, taking_part))
        groups.append(Group(name, data, influence, panel, rows))
    return groups, coefficient


# The difference of two groups.


def difference(
    a: Group, b: Group, level: float, *, crossed: bool, clusters: Clusters | None = None
) -> tuple[Estimate, float | None]:
    """Find how much more one group agrees than the other, and the probability that it is more.

    Items and raters that are in both are left out of both at once, so that what they have in common
    cancels. V_I is of the items' changes in the difference, V_J of leaving out each rater, V_X of
    single ratings. O(ratings).

    Parameters
    ----------
    a, b : Group
    level : float
    crossed : bool
        Whether raters are a sample.
    clusters : Clusters, optional
        Which items are not independent.
    """
    from scipy.special import stdtr  # pyright: ignore[reportMissingTypeStubs]

    first, second = a.data.labels, b.data.labels
    items, (item_a, item_b) = _union(first.items, second.items)
    raters, (rater_a, rater_b) = _union(first.raters, second.raters)
    cell_a = item_a[first.item] * raters + rater_a[first.rater]
    cell_b = item_b[second.item] * raters + rater_b[second.rater]
    cells, cell = np.unique(np.concatenate([cell_a, cell_b]), return_inverse=True)
    value = a.influence.value - b.influence.value
    joint = Influence(
        value=value,
        items=group_sums(item_a, a.influence.items, items)
        - group_sums(item_b, b.influence.items, items),
        ratings=group_sums(
            cell, np.concatenate([a.influence.ratings, -b.influence.ratings]), len(cells)
        ),
        without=value + _change(a, rater_a, raters) - _change(b, rater_b, raters),
    )
    paired = group_sums(rater_a, a.panel.paired, raters)
    paired += group_sums(rater_b, b.panel.paired, raters)
    panel = Panel(paired, paired, anonymous=a.panel.anonymous or b.panel.anonymous)
    used: float = int(np.count_nonzero(joint.items)) or 1
    if clusters is not None:
        names = np.empty(items, dtype=object)
        names[item_a], names[item_b] = first.items.astype(str), second.items.astype(str)
        cluster = clusters.codes(names)
        if int(cluster.max()) + 1 < LEAST_CLUSTERS:
            return Estimate(value), None
        key = cluster[cells // raters] * raters + cells % raters
        cell_of = np.unique(key, return_inverse=True)[1]
        joint = replace(joint, cluster=cluster, cell=cell_of)
        used = 1 + CLUSTER_FREEDOM * (effective_clusters(cluster[joint.items != 0]) - 1)
    variance = crossed_variance(joint, panel, used)
    total = variance.total if crossed else variance.items
    freedom = variance.freedom if crossed else max(used - 1, 1)
    if not total > 0:
        return Estimate(value), None
    error = float(np.sqrt(total))
    low, high = DIFFERENCE.ends(value, error, level, freedom=freedom)
    name = DIFFERENCE.name if crossed else LINEARISED.name
    estimate = Estimate(value, low=max(low, -2.0), high=min(high, 2.0), level=level, method=name)
    return estimate, float(stdtr(freedom, value / error))


def _union(a: Ids, b: Ids) -> tuple[int, tuple[Ints, Ints]]:
    """Give the ids of two vocabularies common numbers."""
    names = np.array([str(name) for name in (*a.tolist(), *b.tolist())], dtype=object).astype(str)
    every, code = np.unique(names, return_inverse=True)
    return len(every), (code[: len(a)], code[len(a) :])


def _change(group: Group, code: Ints, raters: int) -> Floats:
    """How the coefficient changes without each rater; 0 where that is not known."""
    change = np.nan_to_num(group.influence.without - group.influence.value)
    return group_sums(code, np.where(group.panel.paired > 0, change, 0.0), raters)


# What a comparison of agreement finds, as plain records.


@dataclass(frozen=True, kw_only=True)
class GroupAgreement(Record):
    """Agreement in one group.

    Parameters
    ----------
    name : str
    items, ratings : int
        Items with two ratings or more, and ratings of the group.
    raters : int or None
        None where nobody knows them.
    agreement : Estimate
    """

    name: str
    items: int
    ratings: int
    raters: int | None
    agreement: Estimate


@dataclass(frozen=True, kw_only=True)
class Difference(Record):
    """How much more one group agrees than another.

    Parameters
    ----------
    a, b : str
        Names of the groups.
    difference : Estimate
        Of a less that of b.
    p_higher : float or None
        Probability that a agrees more than b.
    """

    a: str
    b: str
    difference: Estimate
    p_higher: float | None


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class AgreementComparison(Result):
    """Agreement of several groups, and the differences between them.

    Parameters
    ----------
    coefficient : Coefficient
        The coefficient that measures agreement.
    scale : str
        The scale of the labels.
    distance : str or None
        How far apart labels are, if they are sets or you gave distances.
    holds_for : str
        For which raters intervals hold.
    groups : tuple of GroupAgreement
    differences : tuple of Difference
        The difference between each pair of groups, the largest first.
    provenance, notes
        Data, options and version; and sentences about limits of the result.

    Examples
    --------
    >>> from headcount import compare_agreement, read_ratings
    >>> ratings = read_ratings("example:ratings")
    >>> half = {item: k < 100 for k, item in enumerate(ratings.items)}
    >>> len(compare_agreement(ratings, by=half).differences)
    1
    """

    coefficient: Coefficient
    scale: str
    distance: str | None
    holds_for: str
    groups: tuple[GroupAgreement, ...]
    differences: tuple[Difference, ...]

    def screen(self) -> Screen:
        """Say which group agrees more, and by how much."""
        groups = _groups(self, percent(self.provenance.level or 0))
        return Screen([_sentence(next(iter(self.differences)), self)], groups, data=_by(self))

    def page(self) -> Page:
        """Say which group agrees more, and by how much; all differences."""
        level = percent(self.provenance.level or 0)
        blocks: list[Table | str] = [_groups(self, level)]
        if len(self.differences) > 1:
            blocks.append(_differences(self, level))
        return Page([_sentence(next(iter(self.differences)), self)], blocks, [_by(self)])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per group and per difference: `kind`, `name`, `value`, `low`, `high`."""
        listed = [("group", each.name, each.agreement) for each in self.groups]
        listed += [("difference", f"{d.a} – {d.b}", d.difference) for d in self.differences]
        kinds, names, estimates = zip(*listed, strict=True)
        ends = ("value", "low", "high", "method")
        return {
            "kind": list(kinds),
            "name": list(names),
            **{end: [getattr(e, end) for e in estimates] for end in ends},
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to a comparison."""
        names = ("scale", "distance", "holds_for", "groups", "differences")
        found = {name: json_value(getattr(self, name)) for name in names}
        return {"coefficient": self.coefficient.name, **found}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the groups with their intervals (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.agreement.plot import plot_groups

        return plot_groups(self, ax)


# A comparison of agreement in sentences and tables.


def _groups(result: AgreementComparison, level: str) -> Table:
    """List the groups."""
    head = ["group", "items", "ratings", "raters", result.coefficient.title, f"{level} interval"]
    rows = [
        [
            group.name,
            f"{group.items:,}",
            f"{group.ratings:,}",
            "" if group.raters is None else f"{group.raters:,}",
            group.agreement.show(group.agreement.value),
            group.agreement.interval(),
        ]
        for group in result.groups
    ]
    return Table(head, rows)


def _by(result: AgreementComparison) -> str:
    """Say what labels are taken for, and for whom intervals hold."""
    by = f"{result.scale} scale"
    if result.distance is not None:
        by = f"labels compared by {result.distance}"
    return f"{by}; intervals {result.holds_for}"


def _sentence(difference: Difference, result: AgreementComparison) -> str:
    e = difference.difference
    values = {group.name: group.agreement for group in result.groups}
    a, b = (values[name].show(values[name].value) for name in (difference.a, difference.b))
    by = f"{result.coefficient.title} {a} against {b}, a difference of {e.show(e.value)}"
    way = "higher" if e.value >= 0 else "lower"
    sentence = f"Agreement is {way} for {difference.a} than for {difference.b}"
    if e.value == 0:
        sentence = f"Agreement is the same for {difference.a} and for {difference.b}"
    if e.low is None or e.high is None or difference.p_higher is None:
        return f"{sentence}: {by}, without an interval."
    if e.low <= 0 <= e.high:
        sentence = (
            f"Agreement does not differ significantly between {difference.a} and {difference.b}"
        )
    interval = f"{percent(e.level or 0)} interval {result.holds_for} {e.interval()}"
    likely = probability(difference.p_higher)
    return f"{sentence}: {by} ({interval}; P(higher for the first) {likely})."


def _differences(result: AgreementComparison, level: str) -> Table:
    return Table(
        ["difference", "value", f"{level} interval", "P(more)"],
        [
            [
                f"{difference.a} – {difference.b}",
                difference.difference.show(difference.difference.value),
                difference.difference.interval(),
                "" if difference.p_higher is None else probability(difference.p_higher),
            ]
            for difference in result.differences
        ],
        title="differences, the largest first",
    )


# How far raters agree with themselves, where they rated items twice.

FEW_ITEMS = 10
LEAST_OTHER = 8
"""Items rated twice, and ratings among these other than the commonest label of a rater, below which
there is no interval; of all raters together it is approximate if they have fewer on average. See
docs/studies/agreement.md."""


@dataclass(frozen=True, eq=False)
class Twice:
    r"""Pairs of ratings of an item by the same rater, and disagreement without each of them.

    .. math:: \alpha = 1 - \frac{\sum_j O_j}{\sum_j E_j}, \quad O_j = \sum_i d(x_{ij}, y_{ij}),
        \quad E_j = n_j \frac{\sum_{kl} g_{jk} g_{jl} d(k, l)}{2 n_j (2 n_j - 1)}

    with n_j items that rater j rated twice, and g_jk how often j gave label k to them. What is
    expected is of the rater's own labels, so that a rater who gives one label to everything is not
    called consistent. For one rater it is Krippendorff's alpha of the two ratings.

    Parameters
    ----------
    item, rater : (pairs,) arrays of int
    far, same : (pairs,) arrays
        Distance of the two ratings, and 1 where they are the same label.
    n, other, observed, expected : (raters,) arrays
        n_j, ratings other than the rater's commonest label, O_j and E_j.
    without : (pairs,) array
        E_j without each pair.
    """

    item: Codes
    rater: Codes
    far: Floats
    same: Floats
    n: Floats
    other: Floats
    observed: Floats
    expected: Floats
    without: Floats

    @classmethod
    def of(cls, data: Prepared, distance: Distance) -> Twice:
        """Put first and second ratings together. O(ratings), exact."""
        first, again = data.labels, data.labels.again
        if again is None:
            raise ValueError("there are no second ratings")
        raters, q = len(first.raters), len(first.scale)
        key = first.item * raters + first.rater
        order = np.argsort(key, kind="stable")
        row = order[np.searchsorted(key[order], again.item * raters + again.rater)]
        x, y, rater = first.label[row], again.label, again.rater
        n = np.bincount(rater, minlength=raters).astype(np.float64)
        # Labels of each rater, and the sum of distances from each of them.
        habit, index, counts = np.unique(
            np.concatenate([rater * q + x, rater * q + y]), return_inverse=True, return_counts=True
        )
        present, start = np.unique(habit // q, return_index=True)
        spread = distance.spread(habit % q, counts.astype(np.float64), start)
        total = np.zeros(raters)
        total[present] = np.add.reduceat(counts * spread, start)
        most = np.zeros(raters)
        most[present] = np.maximum.reduceat(counts, start)
        far = distance.between(x, y)
        own = spread[index[: len(x)]] + spread[index[len(x) :]]
        left = total[rater] - 2 * own + 2 * far
        return cls(
            item=again.item,
            rater=rater,
            far=far,
            same=(x == y).astype(np.float64),
            n=n,
            other=2 * n - most,
            observed=group_sums(rater, far, raters),
            expected=_expected(total, n),
            without=_expected(np.maximum(left, 0.0), n[rater] - 1),
        )

    def pooled(self) -> Influence:
        """Alpha of all raters together, and how it changes without each item, rater and pair."""
        observed, chance = self.observed.sum(), self.expected.sum()
        change = self.expected[self.rater] - self.without
        value = float(_alpha(observed, chance))
        items, item = np.unique(self.item, return_inverse=True)
        n = len(items)
        by_item = _alpha(
            observed - group_sums(item, self.far, n), chance - group_sums(item, change, n)
        )
        by_pair = _alpha(observed - self.far, chance - change)
        by_rater = _alpha(observed - self.observed, chance - self.expected)
        return Influence(
            value=value,
            items=np.nan_to_num(value - by_item) * (n - 1) / n,
            ratings=np.nan_to_num(value - by_pair),
            without=np.where(self.n > 0, by_rater, np.nan),
        )


def _expected(total: Floats, n: Floats) -> Floats:
    """E_j, of the sum of distances of all 2 n_j ratings."""
    return np.nan_to_num(ratio(n * total, 2 * n * (2 * n - 1)))


def _alpha(observed: Floats, expected: Floats) -> Floats:
    return 1 - ratio(np.asarray(observed), np.asarray(expected), least=SMALL)


def measure_retest(data: Prepared, level: float, raters: RaterKind) -> Retest | None:
    """Find how far raters agree with themselves; None without second ratings.

    Intervals are by the jackknife: of one rater over items, of all over items, or over items and
    raters where these are a sample.
    """
    again = data.labels.again
    if again is None or not len(again):
        return None
    twice = Twice.of(data, Alpha().distance(data))
    # Nothing but pairs of ratings by one rater, so that no rater dominates another.
    panel = Panel(twice.n, np.zeros(len(twice.n)), anonymous=False)
    scope = find_scope(panel, raters)
    pooled, items = twice.pooled(), len(np.unique(twice.item))
    few = _few(items, float(twice.other.sum()))
    variance = crossed_variance(pooled, panel, items)
    return Retest(
        ratings=len(again),
        items=items,
        percent=float(twice.same.mean()),
        agreement=_estimate(pooled, variance, items, level, few=few, crossed=scope.crossed),
        these_raters=_estimate(pooled, variance, items, level, few=few, crossed=False),
        holds_for=scope.words,
        approximate=bool(twice.other.sum() < LEAST_OTHER * panel.raters),
        raters=_of_raters(data, twice),
    )


def _of_raters(data: Prepared, twice: Twice) -> tuple[RaterRetest, ...]:
    """Each rater, lowest agreement first."""
    alpha = _alpha(twice.observed, twice.expected)
    same = group_sums(twice.rater, twice.same, len(twice.n))
    names: list[str | int] = data.labels.raters.tolist()
    listed = [
        RaterRetest(
            rater=names[row],
            items=int(twice.n[row]),
            percent=float(same[row] / twice.n[row]),
            agreement=None if np.isnan(alpha[row]) else float(alpha[row]),
        )
        for row in np.flatnonzero(twice.n).tolist()
    ]
    return tuple(sorted(listed, key=lambda rater: (rater.percent, str(rater.rater))))


def _few(items: int, other: float) -> bool:
    """Whether items, or ratings of them other than the commonest label, are too few."""
    return items < FEW_ITEMS or other < LEAST_OTHER


def _estimate(
    influence: Influence,
    variance: CrossedVariance,
    items: int,
    level: float,
    *,
    few: bool,
    crossed: bool,
) -> Estimate:
    if np.isnan(influence.value):
        return Estimate(float("nan"), undefined="every rating is the same")
    if few or not variance.total > 0:
        return Estimate(influence.value)
    return Crossed(
        value=influence.value,
        variance=variance,
        influence=influence,
        effective=1.0,  # of raters who differ in severity, which plays no part
        scale=Fisher(),
        items=items,
    ).estimate(level, crossed=crossed)


# What is found where raters rated items twice, as plain records.


@dataclass(frozen=True, kw_only=True)
class RaterRetest(Record):
    """How far a rater agrees with themselves.

    Parameters
    ----------
    rater : str or int
    items : int
        Rated twice.
    percent : float
        Share of them with the same label both times.
    agreement : float or None
        Krippendorff's alpha of the two ratings; None where every rating is the same.
    """

    rater: str | int = field(metadata=shown("rater", str))
    items: int = field(metadata=shown("items"))
    percent: float = field(metadata=shown("same label", ".0%"))
    agreement: float | None = field(metadata=shown(Alpha.name, ".3f"))


@dataclass(frozen=True, kw_only=True)
class Retest(Record):
    """How far raters agree with themselves.

    Parameters
    ----------
    ratings, items : int
        Ratings that repeat an item by the same rater, and items that these are of.
    percent : float
        Share of them that are the same as the first.
    agreement, these_raters : Estimate
        Krippendorff's alpha of all raters together, with intervals for whom `holds_for` says, and
        for these raters.
    holds_for : str
    approximate : bool
        Whether raters gave so few labels other than their commonest that the intervals may be too
        narrow.
    raters : tuple of RaterRetest
        Lowest agreement first.
    """

    ratings: int
    items: int
    percent: float
    agreement: Estimate
    these_raters: Estimate
    holds_for: str
    approximate: bool
    raters: tuple[RaterRetest, ...]


# How far raters agree with themselves, in a sentence and a table.


def retest_blocks(retest: Retest, level: float) -> list[Table | str]:
    """Say it of all raters, and of each."""
    e, these = retest.agreement, retest.these_raters
    same = f"{retest.percent * retest.ratings:,.0f} of {retest.ratings:,} ({retest.percent:.0%})"
    sentence = f"Ratings repeated by the same rater: {same} equal the first"
    if e.undefined is None:
        sentence += f"; {Alpha.name} {e.show(e.value)}"
    if e.low is not None:
        # Of one rater, nothing needs to be said of others.
        whom = f" {retest.holds_for}" if len(retest.raters) > 1 else ""
        beside = f", {FIXED.words} {these.interval()}" if retest.holds_for != FIXED.words else ""
        sentence += f" ({percent(level)} interval{whom} {e.interval()}{beside}"
        if retest.approximate:
            sentence += "; approximate, as raters hardly gave labels other than their commonest"
        sentence += ")"
    blocks: list[Table | str] = [f"{sentence}."]
    if len(retest.raters) > 1:
        title = "each rater with themselves, lowest agreement first"
        blocks.append(listing(retest.raters, title=title, noun="rater"))
    return blocks
