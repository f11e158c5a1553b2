"""What scores are worth in raters: estimates and differences, with intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from headcount.data.labels import Labels
from headcount.engine.items import AnyRatings
from headcount.equivalence.combiners import FromCounts, Learned
from headcount.equivalence.methods import FEW_ITEMS, Sums, draws_of
from headcount.equivalence.power_curve import Design, Influence, PowerCurve, Scores, crossings
from headcount.equivalence.prepare import Prepared
from headcount.equivalence.result import (
    FIXED,
    SAMPLE,
    ClassifierResult,
    Comparison,
    CurvePoint,
    RaterKind,
)
from headcount.equivalence.scorers import Kind
from headcount.equivalence.surveys import Pool, PooledItems
from headcount.errors import OptionError, count, option, percent
from headcount.results.notes import Notes
from headcount.stats.arrays import counted, group_rows
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import RATERS_LIKE_THESE, SKEWED
from headcount.typing import Codes, Floats, Ints

if TYPE_CHECKING:
    from headcount.equivalence.survey import Settings

__all__ = [
    "Estimates",
    "check_finite",
    "compare",
    "p_beats",
    "DRAWS",
    "widen_for_raters",
    "RaterVariance",
    "Without",
]


# Scores of the data and of bootstrap samples of them, as estimates with intervals.

BEYOND_WITH_RATER = 1
"""Raters beyond the largest survey up to which a worth together with a rater is extrapolated.

Two beyond, intervals cover .80 of ordinal labels (``docs/studies/survey.md``)."""

MISFIT = 0.25
"""Part of what raters beyond the data add by which fitted states may be wrong.

In eight populations they truly added .81 to 1.28 times that (``docs/studies/survey.md``)."""

MORE_SKEWED = 40
"""Items over those that there are, by which part populations are more skewed than samples of them:
few items seldom hold the large losses that make it (``docs/studies/survey.md``, 'Low ends')."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """Makes estimates of curves and classifiers.

    Parameters
    ----------
    found, drawn : Scores
        Of the data, and of bootstrap samples of them.
    level : float
        Coverage of the intervals.
    beyond : (array, array) or None
        What one rater more than the largest survey gains over it, two more and so on: of the
        data, (sizes,), and of bootstrap samples, (draws, sizes).
    few_for_labels : bool
        Whether ratings are too few, for so many labels, to learn what follows even one.
    learned_from_few : set of int
        Places of the classifiers whose probabilities were learned from too few items.
    influence : Influence or None
        What each item adds to the scores, where items are few.
    misfit : float
        Part of what raters beyond the data add by which that may be wrong.
    """

    observed: Scores
    drawn: Scores
    level: float
    beyond: tuple[Floats, Floats] | None = None
    few_for_labels: bool = False
    learned_from_few: frozenset[int] = frozenset()
    influence: Influence | None = None
    misfit: float = MISFIT

    @property
    def max_k(self) -> int:
        """Largest survey."""
        return self.observed.curves[0].shape[1] - 1

    @property
    def items(self) -> int:
        """Items that were scored."""
        return int(self.observed.patterns.sum())

    @property
    def too_few(self) -> str | None:
        """Words that stand in place of numbers of raters, if items are too few for these."""
        items = f"{count(self.items, 'item')} are too few"
        if self.items < FEW_ITEMS:
            return f"{items} to tell"
        return f"{items}, for so many labels, to tell" if self.few_for_labels else None

    @property
    def bounds(self) -> tuple[float, float]:
        """Numbers of raters that the data can show."""
        return 0.0, float(self.max_k + (0 if self.beyond is None else len(self.beyond[0])))

    @cached_property
    def continued(self) -> tuple[Floats, Floats]:
        """The curve on which worth is read, of the data and of draws."""
        return self._continued(1.0)

    def _continued(self, times: float) -> tuple[Floats, Floats]:
        """Continue the curve, as if raters beyond the data added so many times what is fitted."""
        curves = [self.observed.curves[0], self.drawn.curves[0]]
        if self.beyond is not None:
            added = (self.beyond[0][None], self.beyond[1])
            curves = [
                np.hstack([curve, curve[:, -1:] + times * more])
                for curve, more in zip(curves, added, strict=True)
            ]
        return curves[0], curves[1]

    def curve(self, pool: int) -> tuple[CurvePoint, ...]:
        """Scores of surveys of 0, 1, 2 ... raters of a pool."""
        own, own_drawn = self.observed.curves[pool], self.drawn.curves[pool]
        return tuple(
            CurvePoint(
                k,
                score=self._estimate(own[:, k], own_drawn[:, k]),
                gain=self._gain(own[:, k], own_drawn[:, k]),
                # What k amateurs are worth in experts; a curve is worth itself.
                worth=self._worth(own[:, k], own_drawn[:, k]) if pool else None,
            )
            for k in range(own.shape[1])
        )

    def classifiers(
        self, names: Sequence[str], calibrations: Sequence[str | None] | None = None
    ) -> tuple[ClassifierResult, ...]:
        """Scores of classifiers, and what they are worth in raters."""
        return tuple(
            ClassifierResult(
                name=name,
                score=self._estimate(h, h_drawn),
                gain=self._gain(h, h_drawn),
                worth=self._of_classifier(index, h, h_drawn),
                p_beats=p_beats(h_drawn, self.drawn.curves[0]),
                calibration=None if calibrations is None else calibrations[index],
                with_rater=self._with_rater(name),
            )
            for index, (name, h, h_drawn) in enumerate(
                zip(names, self.observed.classifiers.T, self.drawn.classifiers.T, strict=True)
            )
        )

    def like_these(self, variance: RaterVariance) -> tuple[Estimate, ...]:
        """Widen the intervals of what classifiers are worth, for other raters like these."""
        curve, curve_drawn = self.continued
        h, h_drawn = self.observed.classifiers[0], self.drawn.classifiers
        low, high = variance.ends((curve[0], h), (curve_drawn, h_drawn), self.level)
        worths = [
            self._of_classifier(index, x[None], drawn)
            for index, (x, drawn) in enumerate(zip(h, h_drawn.T, strict=True))
        ]
        return tuple(
            worth
            if worth.low is None or worth.high is None
            else replace(
                worth,
                low=min(worth.low, ends[0]),
                high=max(worth.high, ends[1]),
                method=RATERS_LIKE_THESE.name,
            )
            for worth, *ends in zip(worths, low.tolist(), high.tolist(), strict=True)
        )

    def _of_classifier(self, index: int, h: Floats, h_drawn: Floats) -> Estimate:
        each = None if self.influence is None else self.influence.scores.classifiers[:, index]
        return self._worth(h, h_drawn, few=index in self.learned_from_few, each=each)

    def _with_rater(self, name: str) -> CurvePoint | None:
        """Scores of a classifier together with a rater, where they are known."""
        if name not in self.observed.together or self.items < FEW_ITEMS:
            return None
        h, h_drawn = self.observed.together[name], self.drawn.together[name]
        return CurvePoint(
            1,
            score=self._estimate(h, h_drawn),
            gain=self._gain(h, h_drawn),
            worth=self._worth(h, h_drawn, most=self.max_k + BEYOND_WITH_RATER),
        )

    def comparisons(self, names: Sequence[str]) -> tuple[Comparison, ...]:
        """Differences between every two classifiers, from common draws; none of few items."""
        if self.too_few is not None:
            return ()
        kept = [i for i in range(len(names)) if i not in self.learned_from_few]
        observed, drawn = self.observed.classifiers[:, kept], self.drawn.classifiers[:, kept]
        return compare(
            [names[i] for i in kept],
            crossings(self.continued[0][0], observed[0]),
            crossings(self.continued[1][:, None, :], drawn),
            drawn,
            max_k=int(self.bounds[1]),
            level=self.level,
        )

    def _estimate(self, value: Floats, draws: Floats) -> Estimate:
        kept = draws if self.too_few is None else draws[:0]
        return Estimate.from_draws(float(value[0]), kept, level=self.level)

    def _gain(self, value: Floats, draws: Floats) -> Estimate:
        """Difference to no rater."""
        base, base_drawn = self.observed.curves[0][:, 0], self.drawn.curves[0][:, 0]
        return self._estimate(value - base, draws - base_drawn)

    def _worth(
        self,
        h: Floats,
        h_drawn: Floats,
        most: int | None = None,
        *,
        few: bool = False,
        each: Floats | None = None,
    ) -> Estimate:
        """Raters that score as much; up to `most`, where that is less than the data can show.

        `each` is what every item adds to the score h, where that is known.
        """
        estimates = replace(self, few_for_labels=True) if few else self
        if estimates.too_few is not None:
            return Estimate(np.nan, undefined=estimates.too_few)
        low, high = self.bounds
        high = high if most is None else min(high, float(most))
        steep, fitted, flat = (
            self._estimate(
                crossings(self.continued[0][:, : int(high) + 1], h),
                crossings(self._continued(times)[1][:, : int(high) + 1], h_drawn),
            )
            for times in (1 + self.misfit, 1.0, 1 - self.misfit)
        )
        measured = None if self.beyond is None else float(self.max_k)
        # States that fit as well may say otherwise: where raters add more, it takes fewer of them.
        least, method = steep.low, fitted.method
        if each is not None and self.influence is not None and least is not None:
            least = min(least, self._low_end(h, h_drawn, int(high), each, self.influence))
            method = SKEWED.name
        ends = {"low": least, "high": flat.high, "method": method}
        return replace(fitted, **ends, bounds=(low, high), known=measured)

    def _low_end(
        self, h: Floats, h_drawn: Floats, most: int, each: Floats, influence: Influence
    ) -> float:
        r"""Find the least number of raters over whom a score does not lead significantly.

        Leads are skewed to the left: a judge loses more on an item than it can win, and few items
        show few of the large losses. So where the lead over x raters has the standard error s(x)
        and skewness g(x), x is rejected where it is above :math:`t_g s`, with t of Hall's
        transformation; see :data:`MORE_SKEWED`.
        """
        curve, drawn = (c[:, : most + 1] for c in self._continued(1 + self.misfit))
        error = (h_drawn[:, None] - drawn).std(axis=0, ddof=1)
        skewness = influence.skewness(each)
        at: Ints = np.minimum(np.arange(most + 1), self.max_k)
        g = skewness[at]
        more = 1 + MORE_SKEWED / float(influence.times.sum())
        t = SKEWED.quantile(more * g, self.level)
        return float(crossings(curve[0] + t * error, h)[0])


def check_finite(scores: Scores, combiner: str, scorer: str) -> None:
    """Refuse curves that are not finite."""
    if not all(np.isfinite(curve).all() for curve in scores.curves):
        raise OptionError(
            f"combiner '{combiner}' gives probability 0 to a label that the next rater gave, so "
            f"its {scorer} score is minus infinity. Keep its probabilities above 0."
        )


# Classifiers against each other and against surveys, from common bootstrap draws.


def compare(
    names: Sequence[str],
    worth: Floats,
    worth_drawn: Floats,
    scores_drawn: Floats,
    *,
    max_k: int,
    level: float,
) -> tuple[Comparison, ...]:
    """Compare every two classifiers.

    Parameters
    ----------
    names : sequence of str
    worth : (classifiers,) array
        Equivalences; infinite where censored.
    worth_drawn, scores_drawn : (draws, classifiers) arrays
        The same, and scores, of common bootstrap draws.
    max_k : int
        Largest survey.
    level : float
        Coverage of the intervals.
    """
    out: list[Comparison] = []
    for a, b in combinations(range(len(names)), 2):
        low, high = _difference(worth[[a]], worth[[b]], max_k)
        lead = scores_drawn[:, a] - scores_drawn[:, b]
        least, most = _difference(worth_drawn[:, a], worth_drawn[:, b], max_k)
        # Who scores less is never worth more, where both are censored on the same side.
        drawn = (
            np.where(lead >= 0, np.maximum(least, 0), least),
            np.where(lead <= 0, np.minimum(most, 0), most),
        )
        better = _share_above(*scores_drawn[:, [a, b]].T) if len(scores_drawn) else None
        raters = _estimate((float(low[0]), float(high[0])), drawn, max_k=max_k, level=level)
        out.append(Comparison(names[a], names[b], raters, better))
    return tuple(out)


def p_beats(score_drawn: Floats, curves_drawn: Floats) -> tuple[float, ...] | None:
    """Share of draws in which a classifier scores higher than k raters, k = 0, 1, 2 ..."""
    if not len(score_drawn):
        return None
    return tuple(_share_above(score_drawn, curve) for curve in curves_drawn.T)


def _share_above(a: Floats, b: Floats) -> float:
    return float(np.count_nonzero(a > b) + np.count_nonzero(a == b) / 2) / len(a)


def _difference(a: Floats, b: Floats, max_k: int) -> tuple[Floats, Floats]:
    """Smallest and largest difference that censored equivalences allow."""
    # Below 0 means somewhere in (-inf, 0); above max_k somewhere in (max_k, inf).
    a_low, a_high = np.where(a == np.inf, max_k, a), np.where(a == -np.inf, 0, a)
    b_low, b_high = np.where(b == np.inf, max_k, b), np.where(b == -np.inf, 0, b)
    return a_low - b_high, a_high - b_low


def _estimate(
    ends: tuple[float, float], drawn: tuple[Floats, Floats], *, max_k: int, level: float
) -> Estimate:
    """Estimate a difference from its smallest and largest value, in the data and in draws."""
    low, high = ends
    if math.isinf(low) and math.isinf(high):
        return Estimate(math.nan, undefined="both are censored on the same side")
    value = low if low == high else math.inf if math.isinf(high) else -math.inf
    bounds = (
        high if math.isfinite(high) and low != high else -float(max_k),
        low if math.isfinite(low) and low != high else float(max_k),
    )
    below, above = (Estimate.from_draws(value, each, level=level) for each in drawn)
    return replace(below, high=above.high, bounds=bounds)


# Raters as a sample: what a classifier would be worth among other raters like these.

# For whom intervals of the worth hold, and what they leave out.

FEW_RATERS = 6
"""Raters below which both kinds of interval are told."""
MOST_ITEMS = 50_000
"""Items up to which a few raters are left out one by one without being asked for."""

Classifiers = tuple[ClassifierResult, ...]


def widen_for_raters(
    classifiers: Classifiers,
    estimates: Estimates,
    variance: Callable[[], RaterVariance],
    prepared: Prepared,
    labels: AnyRatings,
    settings: Settings,
    notes: Notes,
) -> tuple[Classifiers, RaterKind]:
    """Widen intervals where raters are taken for a sample; tell both kinds where they are few."""
    wanted = settings.raters
    most = float("inf") if wanted is SAMPLE else MOST_ITEMS
    few = not labels.anonymous and prepared.n_raters < FEW_RATERS
    if settings.draws < 2 or not (few or wanted is SAMPLE):
        return classifiers, FIXED
    left_out = (
        f"{prepared.n_raters} raters gave all ratings: intervals of the worth allow for the choice "
        "of items, but not for the choice of raters; more items would not change that."
    )
    short = f"With {prepared.n_raters} raters, results may not generalise to others."
    why = why_not(labels, prepared)
    if why and wanted is SAMPLE:
        asked = option("intervals", SAMPLE.name)
        text = f"Intervals do not allow for the choice of raters, as {asked} asks: {why}."
        notes.caution(text, short=text)
    elif wanted is FIXED and (why or not classifiers or prepared.items_used > MOST_ITEMS):
        instead = ""
        if why and classifiers:
            instead = f" There is no interval of the worth for {SAMPLE.words}: {why}."
            if _surveys_of_two(prepared):
                how = f"{option('max_k', 2)} {option('intervals', SAMPLE.name)}"
                instead = f" For an interval for {SAMPLE.words}, survey the same files with {how}."
        notes.caution(f"{left_out}{instead}", short=short)
    if why or not classifiers or not FEW_ITEMS <= prepared.items_used <= most:
        return classifiers, FIXED
    wide = estimates.like_these(variance())
    pairs = list(zip(classifiers, wide, strict=True))
    if wanted is SAMPLE:
        notes.caution(
            f"the intervals of the worth are for {SAMPLE.words}; those of scores, gains, shares, "
            "differences and of the worth with a rater allow for the choice of items only."
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

    @classmethod
    def of(cls, changes: Sequence[Floats], labels: AnyRatings, prepared: Prepared) -> RaterVariance:
        """Find it from how leads change without each rater.

        Each is (1 + draws, classifiers, sizes): of the data, then of bootstrap samples of them.
        """
        share = (len(changes) - 1) / len(changes)
        return cls(
            jackknife=share * np.sum([change[0] ** 2 for change in changes], axis=0),
            luck=share * np.sum([change[1:].var(axis=0, ddof=1) for change in changes], axis=0),
            raters=_effective(_loads(labels, prepared)),
        )

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
        two = f" and surveys of two raters ({option('max_k', 2)})"
        return (
            "such intervals need items with three ratings"
            f"{two if _surveys_of_two(prepared) else ''}"
        )
    return None


def _surveys_of_two(prepared: Prepared) -> bool:
    """Whether larger surveys, which items have the ratings for, would show how raters differ."""
    return prepared.max_k < 2 and prepared.ratings_per_item[2] > prepared.max_k + 1


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
        return RaterVariance.of(changes, labels, self.prepared)

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
