"""What an analysis of agreement starts from: ratings, their scale, and what is missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from headcount import options
from headcount.agreement.rater_pairs import PairTable
from headcount.agreement.raters import Panel
from headcount.agreement.ratings import Jackknife, Patterns, RatingTable
from headcount.agreement.scales import INTERVAL, NOMINAL, SCALES, Distance, Nominal, ScaleKind
from headcount.data.facts import LEAST_CLUSTERS, Clusters
from headcount.data.labels import Labels, Scale
from headcount.data.vocabulary import number_of
from headcount.errors import DataError, OptionError, count, option
from headcount.results.notes import Provenance
from headcount.stats.draws import CLUSTER_FREEDOM, effective_clusters
from headcount.typing import Codes, Flags, Floats, Seed

__all__ = [
    "provenance_of",
    "Prepared",
    "prepare",
    "rated_items",
    "part",
]


def provenance_of(
    labels: Labels,
    *,
    items_used: int,
    names: tuple[str, ...] | None = None,
    level: float,
    bootstrap: int | None = None,
    seed: Seed | None = None,
) -> Provenance:
    """Say how an answer came about: from labels as they came, some of whose items are used.

    `names` are the labels of the scale where they were put in another order.
    """
    return Provenance(
        source=labels.source,
        sources=labels.sources,
        dropped=labels.dropped,
        items_used=items_used,
        items_dropped=labels.n_items - items_used,
        n_ratings=len(labels),
        n_raters=labels.n_raters,
        labels=labels.scale.labels if names is None else names,
        level=level,
        bootstrap=bootstrap,
        seed=None if seed is None else options.seed_number(seed),
        backend=labels.backend,
    )


# What an analysis of agreement starts from: the scale, its numbers, and what is missing.

MOST_NAMES = 21
"""Numbers of a scale that are told apart like names, at most: with more, ratings are continuous."""
MOST = 0.75
"""Share of all ratings from which on a label leaves few others."""
LEAST_ITEMS = 5
"""Items below which there is no interval to report."""
LEAST, FEW = (3, 5), (10, 20)
"""Items that would hold all ratings other than the commonest label: below the first there is no
interval to report, below the second it is approximate. Each where that label has no more than
`MOST` of all ratings, and where it has more (docs/studies/agreement.md)."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Prepared:
    """Labels with their codes in ascending order, the kind of scale, and what it means.

    Parameters
    ----------
    labels : Labels
        Without the items that nobody rated.
    scale : ScaleKind
    numbers : (labels,) array
        What the labels are worth, ascending: numbers on interval and ratio scales, else their
        places.
    ordered : bool
        Whether labels have an order: on all scales but nominal ones of more than two labels.
    measured : bool
        Whether differences of the numbers mean something: not on ordinal scales.
    guessed : bool
        Whether the scale was guessed.
    cluster : (items,) array of int or None
        The cluster of each item, where items are not independent.
    """

    labels: Labels
    scale: ScaleKind
    numbers: Floats
    ordered: bool
    measured: bool
    guessed: bool
    cluster: Codes | None = None

    @cached_property
    def independent(self) -> float:
        """Items with two ratings or more; of clusters, so many that freedom is one less."""
        if self.cluster is None:
            return self.items_used
        effective = effective_clusters(self.cluster[self.labels.ratings_per_item > 1])
        return 1 + CLUSTER_FREEDOM * (effective - 1)

    @cached_property
    def cluster_of_raters(self) -> Codes | None:
        """The cluster and rater of each rating, as a number."""
        if self.cluster is None:
            return None
        key = self.cluster[self.labels.item] * len(self.labels.raters) + self.labels.rater
        return np.unique(key, return_inverse=True)[1]

    @cached_property
    def few_clusters(self) -> bool:
        """Whether clusters are so few that there are no intervals."""
        return self.cluster is not None and len(np.unique(self.cluster)) < LEAST_CLUSTERS

    @cached_property
    def patterns(self) -> Patterns:
        """The label patterns."""
        return Patterns.from_labels(self.labels)

    @cached_property
    def rater_pairs(self) -> PairTable:
        """Counts of labels by pair of raters."""
        return PairTable.from_labels(self.labels)

    @cached_property
    def ratings(self) -> RatingTable:
        """The ratings one by one."""
        return RatingTable(self.labels, self.patterns)

    @cached_property
    def jackknife(self) -> Jackknife:
        """The same sums without each item, rater and rating."""
        return Jackknife.of(self.ratings, self.numbers[self.labels.label])

    @cached_property
    def complete(self) -> Floats | None:
        """The ratings as numbers from 0 to 1, (items, raters); None unless everybody rated all."""
        labels = self.labels
        items, raters = len(labels.items), int(np.count_nonzero(np.bincount(labels.rater)))
        if labels.reduced or len(labels) != items * raters or min(items, raters) < 2:
            return None
        order = np.lexsort((labels.rater, labels.item))
        numbers = self.numbers[labels.label[order]].reshape(items, raters)
        span = float(numbers.max() - numbers.min()) or 1.0
        return (numbers - numbers.min()) / span

    @cached_property
    def panel(self) -> Panel:
        """The raters."""
        return Panel.from_labels(self.labels)

    @cached_property
    def nominal(self) -> Distance:
        """Whether labels differ."""
        return Nominal(np.arange(len(self.labels.scale), dtype=np.float64))

    @cached_property
    def graded(self) -> Distance:
        """The distance of labels on their scale."""
        return self.scale.distance(self.numbers)

    @property
    def unordered(self) -> Distance:
        """The distance of labels whatever their order: of sets or a caller's, or if they differ."""
        return self.graded if self.scale.tabled else self.nominal

    @cached_property
    def categories(self) -> dict[str, Flags]:
        """Which labels are, or hold, each category: (labels,) of each."""
        names, members = self.labels.scale.labels, self.scale.members
        if not members:
            return {name: np.arange(len(names)) == code for code, name in enumerate(names)}
        held = sorted({name for labels in members for name in labels})
        return {name: np.array([name in labels for labels in members]) for name in held}

    @cached_property
    def pairs_of_ratings(self) -> int:
        """Pairs of ratings of the same item."""
        p = self.patterns
        return int((p.multiplicity * p.ratings * (p.ratings - 1) / 2).sum())

    @cached_property
    def items_used(self) -> int:
        """Items with two ratings or more."""
        p = self.patterns
        return int(p.multiplicity[p.usable].sum())

    @property
    def for_phi(self) -> Labels:
        """The labels, declared to be in order where the caller says so, as Phi wants them."""
        kind = "ordinal" if self.scale.ranked else self.labels.scale.kind
        return replace(self.labels, scale=replace(self.labels.scale, kind=kind))

    # What keeps coefficients from having a value, in words; None where nothing does.

    @property
    def added_up(self) -> str | None:
        """Why nobody knows who rated the same items."""
        if not self.labels.reduced:
            return None
        return "it needs to know who rated which item together, and ratings were added up by item"

    @property
    def nameless(self) -> str | None:
        """Why nobody knows who gave which rating."""
        return "it needs to know who gave which rating" if self.labels.anonymous else None

    @property
    def single_label(self) -> str | None:
        """Whether the scale has one label."""
        names = self.labels.scale.labels
        return f"'{names[0]}' is the only label of the scale" if len(names) == 1 else None

    @cached_property
    def no_pair(self) -> str | None:
        """Why there are no two ratings of an item."""
        if self.pairs_of_ratings:
            return None
        single = self.labels.n_raters == 1
        return "there is only one rater" if single else "no item has two ratings"

    @cached_property
    def one_label(self) -> str | None:
        """Whether all ratings are the same."""
        used = self.patterns.labels_used()
        return f"every rating is '{self._name(int(used[0]))}'" if len(used) == 1 else None

    @cached_property
    def one_paired_label(self) -> str | None:
        """Whether all ratings are the same, on the items with two or more."""
        if self.one_label is not None:
            return self.one_label
        paired = self.patterns.labels_used(self.patterns.usable)
        if len(paired) > 1:
            return None
        return (
            f"every rating is '{self._name(int(paired[0]))}' on the items with two ratings or more"
        )

    def _name(self, label: int) -> str:
        return self.labels.scale.labels[label]

    @cached_property
    def too_fine(self) -> str | None:
        """Whether ratings are so fine that to ask if two are equal says nothing."""
        if not self.scale.numeric or len(self.labels.scale) <= MOST_NAMES:
            return None
        return (
            "it counts ratings as equal or not, and there are "
            f"{len(self.labels.scale):,} different numbers"
        )

    @cached_property
    def unanimous(self) -> bool:
        """Whether all ratings of each item are the same, of two items or more."""
        p = self.patterns
        alone = np.diff(p.start, append=len(p.label)) == 1
        return self.items_used > 1 and bool(alone[p.usable].all())

    @cached_property
    def small(self) -> str | None:
        """Why items are too few for an interval to hold as it should; None if they are not.

        What counts is not their number but how many would hold all ratings other than the
        commonest label (docs/studies/agreement.md).
        """
        share = self.commonest[1]
        enough = self.items_used >= LEAST_ITEMS and self._telling >= FEW[share > MOST]
        if self.unanimous or enough:
            return None
        items = count(self.items_used, "item")
        if share > MOST:
            return f"{self.dominant} of the ratings of {items}"
        return f"{items} are few"

    @cached_property
    def too_small(self) -> str | None:
        """Why there is no interval to report; None if there is one."""
        enough = self.items_used >= LEAST_ITEMS
        if self.small is None or (enough and self._telling >= LEAST[self.commonest[1] > MOST]):
            return None
        return self.small.replace(" are few", " are too few")

    @property
    def _telling(self) -> float:
        """Items that would hold all ratings other than the commonest label."""
        return self.items_used * (1 - self.commonest[1])

    # What a reader should know of the labels.

    @cached_property
    def commonest(self) -> tuple[str, float]:
        """The label that is given most often, and its share of the ratings."""
        counts = np.bincount(self.labels.label, self.labels.times, len(self.labels.scale))
        return self._name(int(counts.argmax())), float(counts.max() / counts.sum())

    @property
    def dominant(self) -> str:
        """The label that is given most often, and its share, never rounded to all of them."""
        label, share = self.commonest
        return f"'{label}' is {part(share)}"

    @property
    def sorted_words(self) -> bool:
        """Whether labels are words that only the alphabet may have put in order."""
        names = list(self.labels.scale.labels)
        words = any(number_of(name) is None for name in names)
        undeclared = not self.scale.tabled and self.labels.scale.kind == NOMINAL.name
        return undeclared and words and len(names) > 2 and names == sorted(names)

    @property
    def stray_words(self) -> list[str]:
        """Labels that are not numbers, where more than two others are."""
        names = self.labels.scale.labels
        words = [name for name in names if number_of(name) is None]
        return words if not self.scale.tabled and len(names) - len(words) > 2 else []


def part(share: float) -> str:
    """Write a share in percent; never 100% of what is less."""
    return "more than 99%" if 0.995 <= share < 1 else f"{share:.0%}"


def prepare(
    labels: Labels, scale: str | ScaleKind | None, clusters: Clusters | None = None
) -> Prepared:
    """Check the labels, find the kind of scale, and put numeric labels in ascending order."""
    if not len(labels):
        raise DataError(f"{labels.source}: no ratings.")
    labels = rated_items(labels)
    cluster = None if clusters is None else clusters.codes(labels.items)
    read = [number_of(label) for label in labels.scale.labels]
    numbers = np.array([np.nan if x is None else x for x in read])
    kind, guessed = _kind(labels, scale, numeric=not np.isnan(numbers).any())
    # Two labels are the same distance apart whatever numbers stand for them.
    two = len(labels.scale) <= 2 and not kind.tabled
    if kind.numeric:
        _check_numbers(labels, kind, numbers)
        labels, numbers = _ascending(labels, numbers)
    return Prepared(
        labels=labels,
        scale=kind,
        numbers=numbers if kind.numeric else np.arange(len(labels.scale), dtype=np.float64),
        ordered=two or kind.ordered,
        measured=two or kind.numeric,
        guessed=guessed,
        cluster=cluster,
    )


def rated_items(labels: Labels) -> Labels:
    """Leave out items without a rating, so that items and weights of items run in step."""
    rated = np.bincount(labels.item, minlength=len(labels.items)) > 0
    if rated.all():
        return labels
    code = np.cumsum(rated) - 1
    again = labels.again
    if again is not None:  # of items that were rated once at least
        again = replace(again, items=labels.items[rated], item=code[again.item])
    times = None if labels.item_times is None else labels.item_times[rated]
    return replace(
        labels, items=labels.items[rated], item=code[labels.item], again=again, item_times=times
    )


def _kind(
    labels: Labels, scale: str | ScaleKind | None, *, numeric: bool
) -> tuple[ScaleKind, bool]:
    if isinstance(scale, ScaleKind):
        return scale, False
    if scale is not None:
        return SCALES[options.one_of(scale, "scale", list(SCALES))], False
    declared = SCALES[labels.scale.kind]
    if declared is not NOMINAL:
        return declared, False
    return (INTERVAL, True) if numeric and len(labels.scale) > 2 else (NOMINAL, False)


def _check_numbers(labels: Labels, kind: ScaleKind, numbers: Floats) -> None:
    wrong = np.flatnonzero(np.isnan(numbers))
    if len(wrong):
        others = " or ".join(each.name for each in SCALES.values() if not each.numeric)
        raise OptionError(
            f"{option('scale', kind.name)} needs labels that are numbers; "
            f"'{labels.scale.labels[int(wrong[0])]}' is not a number. Use {others}."
        )
    if kind.from_zero and numbers.min() < 0:
        raise OptionError(
            f"{option('scale', kind.name)} needs numbers from 0 on, not {numbers.min():g}. Use "
            f"{INTERVAL.name}."
        )


def _ascending(labels: Labels, numbers: Floats) -> tuple[Labels, Floats]:
    """Put labels that were declared in another order in that of their numbers."""
    order = np.argsort(numbers, kind="stable")
    if (np.diff(order) == 1).all():
        return labels, numbers
    code = np.empty(len(order), dtype=np.int64)
    code[order] = np.arange(len(order))
    ascending: list[int] = order.tolist()
    names = tuple(labels.scale.labels[i] for i in ascending)
    scale = Scale(names, labels.scale.kind)
    return labels.relabelled(code, scale), numbers[order]
