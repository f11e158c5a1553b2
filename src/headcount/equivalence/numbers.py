r"""Numbers with many values, such as 0 to 100: the power curve from components of variance.

What follows a survey cannot be learned value by value where values are many, and need not be: of a
mean of raters, correlation and squared error ask for second moments alone. Let V be the variance of
a rating, and C the covariance of two raters of the same item (the variance between items). Of the
mean of k raters,

.. math:: \operatorname{Var}(m_k) = C + (V - C) / k, \qquad \operatorname{Cov}(m_k, y) = C,

and V - C holds what raters differ by, in level or otherwise. That is exact for raters drawn at
random, whatever ratings are distributed like, and holds beyond the data. Where the same R raters
rate every item, the mean of all ratings has their levels in it, which vary by :math:`\sigma_b^2`
from rater to rater: V and C are larger by :math:`\sigma_b^2 / R` than they seem. O(ratings), and
O(items) a bootstrap sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import number_of
from headcount.engine.items import AnyRatings, RatedCells
from headcount.equivalence.ceiling import SHARES, Available, RatersFor
from headcount.equivalence.classifiers import Subject, subjects_of
from headcount.equivalence.methods import FEW_ITEMS, draws_of, influence_of
from headcount.equivalence.power_curve import BEYOND, Continued, Influence, Scores
from headcount.equivalence.prepare import Prepared, Sizes, common_items, count_raters
from headcount.equivalence.scorers import Correlation, SquaredError
from headcount.equivalence.worth import DRAWS, Estimates, RaterVariance
from headcount.errors import DataError, option, some
from headcount.results.notes import Notes
from headcount.stats.arrays import group_rows
from headcount.stats.draws import effective_clusters
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Flags, Floats, Ids, Progress

if TYPE_CHECKING:
    from headcount.equivalence.survey import Choices, Settings

__all__ = ["SCORED", "answer_numbers"]

SCORED = (Correlation.name, SquaredError.name)
"""Scorers of means that need no more than second moments; the first is the default."""
LINEAR = "linear"
"""How a classifier's numbers are brought to raters' scale."""


def answer_numbers(
    labels: AnyRatings,
    predictions: Predictions | None,
    scorer: str,
    choices: Choices,
    settings: Settings,
    notes: Notes,
) -> tuple[
    Prepared, Estimates, list[str], list[str | None], Available | None, Callable[[], RaterVariance]
]:
    """Score surveys and classifiers of numbers, of the data and of bootstrap samples.

    Returns
    -------
    Prepared
        The items, and how many ratings each has; no labels.
    Estimates
    names, calibrations : lists
        Of classifiers; of squared error each as it is, and after the best line.
    Available or None
        The ceiling.
    callable
        Finds how leads vary with the raters, of labels that are held.
    """
    prepared, table, numbers, names = _prepare(labels, predictions, choices, notes)
    lines = scorer == SquaredError.name
    ratings = _Ratings(labels, prepared) if isinstance(labels, Labels) else None
    levels = None if ratings is None else ratings.level_variance()
    scoring = _Scoring(table, numbers, prepared, levels or 0.0, raw_too=lines)
    _note(labels, scoring, scorer, levels, notes)
    observed = scoring.observed()
    drawn = scoring.bootstrap(settings.draws, settings.rng, settings.progress)
    calibrations: list[str | None] = [None] * len(names)
    if lines:
        calibrations += [LINEAR] * len(names)
        names = [*names, *(f"{name} ({LINEAR})" for name in names)]
    continued = Continued(
        scoring.sizes, prepared.max_k, scoring.curve(observed)[0], scoring.curve(drawn)
    )
    estimates = Estimates(
        scoring.scores(observed, names),
        scoring.scores(drawn, names),
        settings.level,
        continued.near(settings.draws) if settings.ceiling else None,
        influence=scoring.influence(names) if settings.draws > 1 else None,
        misfit=0.0,
    )
    top = _ceiling(continued, estimates, names) if settings.ceiling else None

    def variance() -> RaterVariance:
        rng = np.random.default_rng(settings.seed or 0)
        changes = [] if ratings is None else _changes(scoring, ratings, names, rng)
        return RaterVariance.of(changes, labels, prepared)

    return prepared, estimates, names, calibrations, top, variance


# Items, the moments of their ratings, and what classifiers say of them.


def _prepare(
    labels: AnyRatings, predictions: Predictions | None, choices: Choices, notes: Notes
) -> tuple[Prepared, Floats, Floats, list[str]]:
    """Choose items: how many ratings, their moments (items, 4), and numbers (items, classifiers).

    Moments are the mean, its square, the mean product of two ratings and the mean square.
    """
    values = np.array([number_of(name) for name in labels.scale.labels], dtype=np.float64)
    centre = float(values.mean())  # without it, squares of large numbers would round
    n, total, square, weight = _sums(labels, values - centre)
    kept: Flags = n >= 2
    if not kept.any():
        raise DataError(f"{labels.source}: no item has two ratings.")
    subjects: list[Subject] = []
    if predictions is not None:
        predicted = predictions.among(labels.scale.labels)
        notes.extend(predictions.notes)
        subjects = subjects_of(predicted, labels.scale.labels, Notes())
        if words := [s.name for s in subjects if s.kind == "names"]:
            raise DataError(f"{predictions.source}: {some(words)} must predict numbers.")
        subjects, there = common_items(labels, predicted, subjects, notes)
        kept = kept & there
    sizes = Sizes(labels.source, notes, weight)
    max_k, kept = sizes.largest(n, kept, choices.max_k, reserve=1, who="rating")
    times, mean = n[kept].astype(np.float64), total[kept] / n[kept]
    squares = square[kept] / times
    products = (times * mean**2 - squares) / (times - 1)
    numbers = [
        s.table[kept, 0] - centre if s.kind == "numbers" else s.table[kept] @ (values - centre)
        for s in subjects
    ]
    items: Ids = np.flatnonzero(kept) if isinstance(labels, RatedCells) else labels.items[kept]
    prepared = Prepared(
        kept=kept,
        items=items,
        counts=n[kept][:, None],
        short=np.empty((0, 1), dtype=np.int64),
        items_dropped=labels.n_items - sizes.items(kept),
        weight=None if weight is None else weight[kept],
        amateurs=None,
        n_raters=count_raters(labels, kept, max_k + 1),
        max_k=max_k,
        max_m=0,
        reference_raters=1,
        states=None,
        classifiers=(),
        cluster=None if choices.cluster is None else choices.cluster.codes(items),
    )
    table = np.column_stack([mean, mean**2, products, squares])
    return (
        prepared,
        table,
        np.array(numbers).reshape(len(numbers), len(items)).T,
        [s.name for s in subjects],
    )


def _sums(labels: AnyRatings, value: Floats) -> tuple[Codes, Floats, Floats, Codes | None]:
    """Ratings of each item, their sum and the sum of their squares; items a row stands for."""
    if isinstance(labels, RatedCells):
        counts = labels.counts
        return counts.sum(axis=1), counts @ value, counts @ value**2, labels.weight
    size, each = len(labels.items), value[labels.label]
    n = np.bincount(labels.item, minlength=size).astype(np.int64)
    total, square = (np.bincount(labels.item, x, minlength=size) for x in (each, each**2))
    return n, total.astype(np.float64), square.astype(np.float64), None


# Scores as functions of the mean moments of items.


class _Scoring:
    """Scores of data sets, given as mean moments: (data sets, moments)."""

    def __init__(
        self, table: Floats, numbers: Floats, prepared: Prepared, levels: float, *, raw_too: bool
    ) -> None:
        columns = [table, numbers, numbers**2, numbers * table[:, :1]]
        self.table: Floats = np.hstack(columns)
        self.max_k, self.squared = prepared.max_k, raw_too
        self.n_classifiers, self.n_raters = int(numbers.shape[1]), prepared.n_raters
        self.of_levels = levels / prepared.n_raters
        first, cell = group_rows(list(np.round(self.table, 9).T))
        self.cell, self.cluster = cell, prepared.cluster
        weight = np.ones(len(cell)) if prepared.weight is None else prepared.weight
        self.times = np.bincount(cell, weight).astype(np.int64)
        self.table = self.table[first]
        self.items = int(self.times.sum())
        near = np.arange(self.max_k + BEYOND + 1)
        far = np.unique((near[-1] * 1.25 ** np.arange(1, 25)).astype(np.int64))
        self.sizes = np.concatenate([near, far[far > near[-1]], [np.inf]]).astype(np.float64)

    def observed(self) -> Floats:
        """Mean moments of the data."""
        return self.times[None] @ self.table / self.items

    def bootstrap(self, draws: int, rng: np.random.Generator, progress: Progress | None) -> Floats:
        """Mean moments of resampled items, or clusters."""
        drawn = draws_of(self.times, self.cluster, self.cell, draws, rng, progress)
        means = [weight @ self.table / weight.sum(axis=1, keepdims=True) for weight in drawn]
        return np.concatenate([np.empty((0, self.table.shape[1])), *means])

    def components(self, means: Floats) -> tuple[Floats, Floats, Floats]:
        """Variance of a rating, covariance of two, and the square of the mean, unbiased."""
        mean, of_means, products, squares = means[:, :4].T
        # The square of a mean of n items is too large by the variance of an item's over n.
        # With the same raters throughout, it has the square of their mean level in it.
        centre = mean**2 - (of_means - mean**2) / (self.items - 1) - self.of_levels
        variance = np.maximum(squares - centre, 0.0)
        return variance, np.clip(products - centre, 0.0, variance), centre

    def curve(self, means: Floats) -> Floats:
        """Scores of surveys of all sizes, infinitely many raters included."""
        variance, shared, _ = (x[:, None] for x in self.components(means))
        sizes = np.maximum(self.sizes, 1e-12)
        of_mean = shared + (variance - shared) / sizes
        explained = shared**2 / np.where(of_mean > 0, of_mean, 1.0) * (self.sizes > 0)
        return self._score(explained, variance)

    def _score(self, explained: Floats, variance: Floats) -> Floats:
        if self.squared:
            return explained - variance
        return np.sqrt(np.clip(explained / np.where(variance > 0, variance, 1.0), 0.0, 1.0))

    def scores(self, means: Floats, names: Sequence[str]) -> Scores:
        """Score surveys up to the largest, classifiers, and these with a rater beside them."""
        variance, shared, _ = (x[:, None] for x in self.components(means))
        mean, of_means = means[:, :1], means[:, 1:2]
        x, square, product = np.split(means[:, 4:], 3, axis=1)
        unbiased = self.items / max(self.items - 1, 1)
        spread = np.maximum(square - x**2, 0.0) * unbiased
        joint = (product - x * mean) * unbiased
        some_spread = np.where(spread > 1e-12 * (1 + x**2), spread, np.inf)
        explained = joint**2 / some_spread
        if self.squared:
            # A line fits items' means better than new ones, by their variance about it over n.
            left = np.maximum((of_means - mean**2) * unbiased - explained, 0.0)
            line = self._score(explained - left / max(self.items - 1, 1), variance)
            alone = np.hstack([-(square - 2 * product + means[:, 3:4]), line])
        else:
            alone = joint / np.sqrt(some_spread * np.where(variance > 0, variance, 1.0))
        together: dict[str, Floats] = {}
        if self.max_k > 1:
            for index in range(self.n_classifiers):
                name: str = names[index + (self.n_classifiers if self.squared else 0)]
                together[name] = self._with_rater(
                    variance, shared, spread[:, [index]], joint[:, [index]], explained[:, [index]]
                )
        n = np.full((len(means), 1), float(self.items))
        return Scores([self.curve(means)[:, : self.max_k + 1]], alone, n, together)

    def _with_rater(
        self, variance: Floats, shared: Floats, spread: Floats, joint: Floats, alone: Floats
    ) -> Floats:
        """Score the best line in a classifier's number and that of a rater."""
        bottom = spread * variance - joint**2
        top = joint**2 * variance + shared**2 * spread - 2 * joint**2 * shared
        both = np.where(bottom > 1e-12, top / np.where(bottom > 1e-12, bottom, 1.0), alone)
        return self._score(np.minimum(both, variance), variance)[:, 0]

    def influence(self, names: Sequence[str]) -> Influence | None:
        """Find what each item adds to the scores."""

        def scored(weight: Floats) -> Scores:
            return self.scores(weight @ self.table / weight.sum(axis=1, keepdims=True), names)

        return influence_of(scored, self.times, self.cluster, self.cell)


def _ceiling(continued: Continued, estimates: Estimates, names: Sequence[str]) -> Available:
    """Tell what infinitely many raters score: the end of the curve, in closed form."""
    level = estimates.level
    score, drawn = continued.score, continued.drawn
    if estimates.too_few is not None:
        drawn = drawn[:0]

    def share(index: int) -> Estimate:
        gain = float(score[-1] - score[0])
        if gain <= 0:
            return Estimate(np.nan, undefined="infinitely many raters gain nothing over no rater")
        h, h_drawn = estimates.observed.classifiers[0], estimates.drawn.classifiers[: len(drawn)]
        each = drawn[:, -1] - drawn[:, 0]
        draws = (h_drawn[:, index] - drawn[:, 0]) / np.where(each > 0, each, np.inf)
        value = float(np.clip((h[index] - score[0]) / gain, 0, 1))
        return Estimate.from_draws(value, np.clip(draws, 0, 1), level=level)

    def raters(part: float) -> RatersFor:
        value, of_draws = replace(continued, drawn=drawn).raters_for_share(part)
        estimate = Estimate.from_draws(value, of_draws, level=level)
        return RatersFor(f"{part:.0%} of the ceiling", estimate)

    return Available(
        score=Estimate.from_draws(float(score[-1]), drawn[:, -1], level=level),
        gain=Estimate.from_draws(
            float(score[-1] - score[0]), drawn[:, -1] - drawn[:, 0], level=level
        ),
        performance_ratio={name: share(index) for index, name in enumerate(names)},
        raters_for=tuple(raters(part) for part in SHARES),
        sizes=continued.sizes[:-1].astype(np.int64),
        curve=score[:-1],
        states=np.empty((0, 0)),
        weights=np.empty(0),
        draws=len(drawn),
        narrow=True,
    )


def _note(
    labels: AnyRatings, scoring: _Scoring, scorer: str, levels: float | None, notes: Notes
) -> None:
    """Say how numbers are scored, and of what their variance is made."""
    variance, shared, _ = (float(x[0]) for x in scoring.components(scoring.observed()))
    parts = {"items": shared, "residual": variance - shared}
    if levels is not None:
        of_raters = min(levels, variance - shared)
        parts = {"items": shared, "raters": of_raters, "residual": variance - shared - of_raters}
    told = ", ".join(f"{name} {x / max(variance, 1e-300):.0%}" for name, x in parts.items())
    notes.info(
        f"numbers with {len(labels.scale):,} values: the mean of raters is scored by {scorer}, "
        f"from components of variance ({told})."
    )
    if scoring.cluster is not None and effective_clusters(scoring.cluster) < FEW_ITEMS:
        notes.caution(f"few clusters: intervals are approximate ({option('cluster')}).")


# How leads change without each rater.


class _Ratings:
    """The ratings of the items used: row of the item, rater and number less their mean."""

    def __init__(self, labels: Labels, prepared: Prepared) -> None:
        values = np.array([number_of(name) for name in labels.scale.labels], dtype=np.float64)
        used = prepared.kept[labels.item]
        self.row = (np.cumsum(prepared.kept) - 1)[labels.item[used]]
        self.rater = np.unique(labels.rater[used], return_inverse=True)[1]
        self.y = (values - values.mean())[labels.label[used]]
        self.items, self.raters = len(prepared.items), int(self.rater.max(initial=-1)) + 1

    def level_variance(self, without: int | None = None) -> float | None:
        """Variance of the levels of raters, where each rated every item once."""
        n, raters = self.items, self.raters
        if n < 2 or len(self.y) != n * raters:
            return None
        y = np.full((n, raters), np.nan)
        y[self.row, self.rater] = self.y
        if without is not None:
            y, raters = np.delete(y, without, axis=1), raters - 1
        if raters < 2 or np.isnan(y).any():
            return None
        left = y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()
        residual = float((left**2).sum()) / ((n - 1) * (raters - 1))
        return max(float(y.mean(axis=0).var(ddof=1)) - residual / n, 0.0)


def _changes(
    scoring: _Scoring, ratings: _Ratings, names: Sequence[str], rng: np.random.Generator
) -> list[Floats]:
    """Find how leads change without each rater: (1 + draws, classifiers, sizes) each."""

    def lead(on: _Scoring, means: Floats) -> Floats:
        scores = on.scores(means, names)
        return scores.classifiers[:, :, None] - scores.curves[0][:, None, :]

    table = scoring.table[scoring.cell]
    n = np.bincount(ratings.row, minlength=len(table))
    out: list[Floats] = []
    for rater in range(ratings.raters):
        own = ratings.rater == rater
        row, y = ratings.row[own], ratings.y[own]
        times = n - np.bincount(row, minlength=len(n))
        kept = times >= 2
        times, before = times[kept], table[kept]
        total, square = (
            (n * table[:, column] - np.bincount(row, part, len(n)))[kept]
            for column, part in ((0, y), (3, y**2))
        )
        mean, squares = total / times, square / times
        products = (times * mean**2 - squares) / (times - 1)
        numbers = before[:, 4 : 4 + scoring.n_classifiers]
        after = before.copy()
        after[:, :4] = np.column_stack([mean, mean**2, products, squares])
        after[:, 4 + 2 * scoring.n_classifiers :] = numbers * mean[:, None]
        cluster = None if scoring.cluster is None else scoring.cluster[kept]
        one = np.ones(len(before), dtype=np.int64)
        drawn = draws_of(one, cluster, np.arange(len(before)), DRAWS, rng)
        weights = np.concatenate([one[None].astype(np.float64), *drawn])
        weights /= weights.sum(axis=1, keepdims=True)
        full, less = copy(scoring), copy(scoring)
        full.items = less.items = len(before)
        less.of_levels = (ratings.level_variance(rater) or 0.0) / max(ratings.raters - 1, 1)
        out.append(lead(less, weights @ after) - lead(full, weights @ before))
    return out
