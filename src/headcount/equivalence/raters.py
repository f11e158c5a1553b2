"""Raters as a sample: what a classifier would be worth among other raters like these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from headcount.data.labels import Labels
from headcount.engine.items import AnyRatings
from headcount.equivalence.combiners import FromCounts, Learned
from headcount.equivalence.methods import Sums, draws_of
from headcount.equivalence.power_curve import Design, PowerCurve, crossings
from headcount.equivalence.prepare import Prepared
from headcount.equivalence.result import FIXED, SAMPLE, ClassifierResult, RaterKind
from headcount.equivalence.scorers import Kind
from headcount.equivalence.surveys import Pool, PooledItems
from headcount.equivalence.worth import FEW, Estimates
from headcount.errors import count, option, percent
from headcount.results.notes import Notes
from headcount.stats.arrays import counted, group_rows
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats, Ints

if TYPE_CHECKING:
    from headcount.equivalence.survey import Settings

__all__ = [
    "widen_for_raters",
    "RaterVariance",
    "Without",
]


# For whom intervals of the worth hold, and what they leave out.

FEW_RATERS = 6
"""Raters below which both kinds of interval are told."""
MOST_ITEMS = 50_000
"""Items up to which a few raters are left out one by one without being asked for."""

Classifiers = tuple[ClassifierResult, ...]


def widen_for_raters(
    classifiers: Classifiers,
    estimates: Estimates,
    without: Without,
    labels: AnyRatings,
    settings: Settings,
    notes: Notes,
) -> tuple[Classifiers, RaterKind]:
    """Widen intervals where raters are taken for a sample; tell both kinds where they are few."""
    prepared, wanted = without.prepared, settings.raters
    most = float("inf") if wanted is SAMPLE else MOST_ITEMS
    few = not labels.anonymous and prepared.n_raters < FEW_RATERS
    if settings.draws < 2 or not (few or wanted is SAMPLE):
        return classifiers, FIXED
    left_out = (
        f"{prepared.n_raters} raters gave all ratings: intervals of the worth are over items, and "
        "leave out that other raters may differ; more items won't help."
    )
    short = f"With {prepared.n_raters} raters, results may not generalise to others."
    why = why_not(labels, prepared)
    if why and wanted is SAMPLE:
        notes.caution(f"intervals are over items, and not for {SAMPLE.words}: {why}.")
    elif wanted is FIXED and (why or not classifiers or prepared.items_used > MOST_ITEMS):
        instead = ""
        if why and classifiers:
            instead = f" An interval of the worth for {SAMPLE.words} cannot be given: {why}."
        notes.caution(f"{left_out}{instead}", short=short)
    if why or not classifiers or not FEW <= prepared.items_used <= most:
        return classifiers, FIXED
    wide = estimates.like_these(without.variance(labels, settings.seed or 0))
    pairs = list(zip(classifiers, wide, strict=True))
    if wanted is SAMPLE:
        notes.caution(
            f"the intervals of the worth are for {SAMPLE.words}; those of scores, gains, shares, "
            "differences and of the worth with raters are over items, and leave out that other "
            "raters may differ."
        )
        return tuple(replace(result, worth=e, like_these=e) for result, e in pairs), SAMPLE
    notes.caution(f"{left_out} {_wider(pairs, settings.level)}".strip(), short=short)
    return tuple(replace(result, like_these=e) for result, e in pairs), FIXED


def _wider(pairs: list[tuple[ClassifierResult, Estimate]], level: float) -> str:
    """Tell the intervals for raters like these, of classifiers for which they differ."""
    shown = [(result.name, result.worth.interval(2), e.interval(2)) for result, e in pairs]
    wider = [f"{name} {wide}" for name, narrow, wide in shown if wide != narrow]
    if all(result.worth.undefined for result, _ in pairs):
        return ""
    if not wider:
        return ""
    others = "" if len(wider) == len(pairs) else "; those of the others stay"
    return (
        f"For {SAMPLE.words} the {percent(level)} intervals of the worth are wider: "
        f"{'; '.join(wider)}{others} (see {option('intervals', SAMPLE.name)})."
    )


# How the lead of classifiers over surveys changes without each rater.

LEAST_RATERS, LEAST_EFFECTIVE = 3, 2.5
"""Raters, and effective raters, below which nothing can be said of others."""
MOST_RATERS = 50
"""Raters above which they are many: what each of them adds is next to nothing."""
DRAWS = 100
"""Bootstrap samples that tell how much of a rater's difference is luck of the items."""


@dataclass(frozen=True, eq=False)
class RaterVariance:
    r"""How much the lead of classifiers over surveys varies with the raters.

    With :math:`D_k = h - c_k` the lead of a classifier over k raters, and :math:`D_k^{(r)}` the
    same without rater r, neither in surveys nor to be predicted,

    .. math:: V_J = \frac{R - 1}{R} \sum_r (D_k^{(r)} - D_k)^2, \qquad V = \max(0, V_J - V_X)

    where :math:`V_X` is what of :math:`V_J` is luck of the items: the same sum over the variances
    of :math:`D_k^{(r)} - D_k` in bootstrap samples of items.

    Parameters
    ----------
    jackknife, luck : (classifiers, sizes) arrays
        V_J and V_X, of surveys of 0, 1, 2 ... raters; the last stands for all that are larger.
    raters : float
        Effective number of raters: so many with equal numbers of ratings would tell as much.
    """

    jackknife: Floats
    luck: Floats
    raters: float

    def ends(
        self, observed: tuple[Floats, Floats], drawn: tuple[Floats, Floats], level: float
    ) -> tuple[Floats, Floats]:
        r"""Find the worths that are not rejected, where items and raters are both samples.

        Worth x is rejected where :math:`|h - c(x)| > t \sqrt{V_I + V}`, with :math:`V_I` the
        variance over items, and t of Satterthwaite's degrees of freedom.

        Parameters
        ----------
        observed : (sizes,) and (classifiers,) arrays
            Scores of surveys, continued beyond the data, and of classifiers.
        drawn : (draws, sizes) and (draws, classifiers) arrays
            The same of bootstrap samples of items.
        level : float

        Returns
        -------
        low, high : (classifiers,) arrays
        """
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        curve, h = observed
        of_items = np.var(drawn[1][:, :, None] - drawn[0][:, None, :], axis=0, ddof=1)
        size = np.minimum(np.arange(len(curve)), self.jackknife.shape[1] - 1)
        jackknife, luck = self.jackknife[:, size], self.luck[:, size]
        total = of_items + np.maximum(jackknife - luck, 0)
        bottom = np.maximum(jackknife, 1e-150) ** 2 / (self.raters - 1)
        freedom = np.maximum(total**2 / bottom, self.raters - 1)
        t = np.asarray(stdtrit(np.minimum(freedom, 1e6), (1 + level) / 2), dtype=np.float64)
        half = t * np.sqrt(total)
        # Where the band dips, all that lies before the dip is not rejected either.
        below = np.minimum.accumulate((curve - half)[:, ::-1], axis=1)[:, ::-1]
        return crossings(curve + half, h), crossings(below, h)


def why_not(labels: AnyRatings, prepared: Prepared) -> str | None:
    """Say why these raters cannot show how others would differ, if they cannot."""
    if labels.anonymous:
        return "nobody knows who gave which rating"
    if prepared.amateurs is not None or prepared.states is not None:
        return "that is not known for experts and known states"
    if prepared.reference_raters > 1:
        return "that is known only where one rater is predicted"
    if prepared.n_raters < LEAST_RATERS:
        return f"{count(prepared.n_raters, 'rater')} cannot show how others would differ"
    if _effective(_loads(labels, prepared)) < LEAST_EFFECTIVE:
        return "nearly all ratings are by two raters, who cannot show how others would differ"
    if prepared.n_raters > MOST_RATERS:
        return f"with {prepared.n_raters:,} raters that adds next to nothing"
    if prepared.max_k < 2:
        some_have = prepared.ratings_per_item[2] > prepared.max_k + 1
        instead = f", and surveys of two ({option('max_k', 2)})" if some_have else ""
        return f"it takes items with three ratings{instead}"
    return None


class Without:
    """The ratings of all raters, from which those of each can be taken away.

    What the combiner learned stays as all ratings taught it: for a proper score that matters to
    second order only.

    Parameters
    ----------
    prepared : Prepared
    design : Design
    learned : Learned
        The combiner, with what it learned.
    """

    def __init__(self, prepared: Prepared, design: Design, learned: Learned) -> None:
        self.prepared, self.design = prepared, design
        self.taught = _Taught(learned, design.combiner.name, design.combiner.kind)

    def variance(self, labels: AnyRatings, seed: int) -> RaterVariance:
        """Leave out each rater. O(raters x (surveys + draws x cells))."""
        rng = np.random.default_rng(seed)
        changes = [self._change(*ratings, rng) for ratings in self._ratings_of_each(labels)]
        share = (len(changes) - 1) / len(changes)
        return RaterVariance(
            jackknife=share * np.sum([change[0] ** 2 for change in changes], axis=0),
            luck=share * np.sum([change[1:].var(axis=0, ddof=1) for change in changes], axis=0),
            raters=_effective(_loads(labels, self.prepared)),
        )

    def _ratings_of_each(self, labels: AnyRatings) -> Iterator[tuple[Ints, Codes, Codes | None]]:
        """Give what each rater said: rows, the label (-1: none), and items in each if not one."""
        prepared = self.prepared
        if prepared.reduced is not None:
            for rater in prepared.reduced.cells.loads(prepared.reduced.least):
                yield prepared.reduced.said_by(rater)
        if not isinstance(labels, Labels):
            return
        rated = prepared.kept[labels.item]
        item = (np.cumsum(prepared.kept) - 1)[labels.item[rated]]
        rater, label = labels.rater[rated], labels.label[rated]
        for code in np.unique(rater).tolist():
            own = np.full(len(prepared.items), -1)
            own[item[rater == code]] = label[rater == code]
            yield np.arange(len(own)), own, None

    def _change(
        self, row: Ints, own: Codes, weight: Codes | None, rng: np.random.Generator
    ) -> Floats:
        """Find how leads change without what one rater gave (-1: nothing).

        Of the data, then of bootstrap samples of them: (1 + draws, classifiers, sizes).
        """
        columns = [column[row] for c in self.design.classifiers for column in c.probability.T]
        kept, cell = group_rows([self.design.pools[0].pattern[row], own, *columns])
        first = row[kept]
        counts = self.prepared.counts[first]
        less = counts.copy()
        mine = np.flatnonzero(own[kept] >= 0)
        less[mine, own[kept][mine]] -= 1
        before, after = self._lead(counts, first), self._lead(less, first)
        multiplicity = counted(cell, weight)
        cluster = None if self.design.cluster is None else self.design.cluster[row]
        drawn = draws_of(multiplicity, cluster, cell, DRAWS, rng)
        weights = (multiplicity[None].astype(np.float64), *drawn)
        return np.concatenate([after(weight) - before(weight) for weight in weights])

    def _lead(self, counts: Codes, first: Ints) -> Callable[[Floats], Floats]:
        """Prepare the lead of classifiers over surveys, as a function of the items in cells.

        Surveys are as large as every item can serve without one of its raters.
        """
        scorer, classifiers = self.design.scorer, self.design.classifiers
        distinct, pattern = group_rows(counts.T)
        pool = PooledItems(Pool(counts[distinct]), pattern, self.prepared.max_k - 1)
        curve, sums = PowerCurve(pool, self.taught, scorer), Sums(pattern, len(distinct))
        reference = counts / counts.sum(axis=1, keepdims=True)
        scored = [scorer.bind(c.probability[first], reference, c.kind) for c in classifiers]

        def lead(weight: Floats) -> Floats:
            h = np.stack([score(weight) for score in scored], axis=1)
            return h[:, :, None] - curve(sums(weight))[:, None, :]

        return lead


def _loads(labels: AnyRatings, prepared: Prepared) -> Codes:
    """Ratings of each rater, of the items used."""
    if isinstance(labels, Labels):
        return np.bincount(labels.rater[prepared.kept[labels.item]])
    least = 0 if prepared.reduced is None else prepared.reduced.least
    return np.array(list(labels.loads(least).values()), dtype=np.int64)


def _effective(ratings: Codes) -> float:
    """Effective number of raters, of the ratings of each: (sum n)^2 / sum n^2."""
    return float(ratings.sum()) ** 2 / float((ratings.astype(np.float64) ** 2).sum())


@dataclass(frozen=True)
class _Taught(FromCounts):
    """A combiner that says what another has learned."""

    learned: Learned
    name: str
    kind: Kind

    def predict(self, observed: Codes) -> Floats:
        """Predict as the other does on a new item."""
        return self.learned.predict(observed)
