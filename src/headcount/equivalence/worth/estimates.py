"""Scores of the data and of bootstrap samples of them, as estimates with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from headcount.equivalence.raters.variance import RaterVariance
from headcount.equivalence.records import ClassifierResult, CurvePoint
from headcount.equivalence.surveys.base import Scores
from headcount.equivalence.surveys.crossing import crossings
from headcount.equivalence.worth.differences import Comparison, compare, p_beats
from headcount.equivalence.worth.sizes import FEW_ITEMS
from headcount.errors import OptionError, count
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.crossed import RATERS_LIKE_THESE
from headcount.typing import Floats

__all__ = ["FEW", "Estimates", "check_finite"]
FEW = FEW_ITEMS
BEYOND_WITH_RATERS = 1
"""Raters beyond the largest survey up to which a worth together with raters is extrapolated.

Two beyond, intervals cover .80 of ordinal labels (``docs/studies/survey.md``)."""

MISFIT = 0.25
"""Part of what raters beyond the data add by which fitted states may be wrong.

In eight populations they truly added .81 to 1.28 times that (``docs/studies/survey.md``)."""


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
    """

    found: Scores
    drawn: Scores
    level: float
    beyond: tuple[Floats, Floats] | None = None
    few_for_labels: bool = False
    learned_from_few: frozenset[int] = frozenset()

    @property
    def max_k(self) -> int:
        """Largest survey."""
        return self.found.curves[0].shape[1] - 1

    @property
    def items(self) -> int:
        """Items that were scored."""
        return int(self.found.patterns.sum())

    @property
    def too_few(self) -> str | None:
        """Words that stand in place of numbers of raters, if items are too few for these."""
        items = f"{count(self.items, 'item')} are too few"
        if self.items < FEW:
            return f"{items} to tell"
        return f"{items}, for so many labels, to tell" if self.few_for_labels else None

    @property
    def bounds(self) -> tuple[float, float]:
        """Numbers of raters that can be told."""
        return 0.0, float(self.max_k + (0 if self.beyond is None else len(self.beyond[0])))

    @cached_property
    def continued(self) -> tuple[Floats, Floats]:
        """The curve on which worth is read, of the data and of draws."""
        return self._continued(1.0)

    def _continued(self, times: float) -> tuple[Floats, Floats]:
        """Continue the curve, as if raters beyond the data added so many times what is fitted."""
        curves = [self.found.curves[0], self.drawn.curves[0]]
        if self.beyond is not None:
            added = (self.beyond[0][None], self.beyond[1])
            curves = [
                np.hstack([curve, curve[:, -1:] + times * more])
                for curve, more in zip(curves, added, strict=True)
            ]
        return curves[0], curves[1]

    def curve(self, pool: int) -> tuple[CurvePoint, ...]:
        """Scores of surveys of 0, 1, 2 ... raters of a pool."""
        own, own_drawn = self.found.curves[pool], self.drawn.curves[pool]
        return tuple(
            CurvePoint(
                k,
                score=self._estimate(own[:, k], own_drawn[:, k]),
                gain=self._gain(own[:, k], own_drawn[:, k]),
                # What k amateurs are worth in experts; a curve is worth itself.
                equivalence=self._worth(own[:, k], own_drawn[:, k]) if pool else None,
            )
            for k in range(own.shape[1])
        )

    def classifiers(self, names: Sequence[str]) -> tuple[ClassifierResult, ...]:
        """Scores of classifiers, and what they are worth in raters."""
        return tuple(
            ClassifierResult(
                name=name,
                score=self._estimate(h, h_drawn),
                gain=self._gain(h, h_drawn),
                equivalence=self._worth(h, h_drawn, few=place in self.learned_from_few),
                p_beats=p_beats(h_drawn, self.drawn.curves[0]),
                with_raters=self._with_raters(name),
            )
            for place, (name, h, h_drawn) in enumerate(
                zip(names, self.found.classifiers.T, self.drawn.classifiers.T, strict=True)
            )
        )

    def like_these(self, variance: RaterVariance) -> tuple[Estimate, ...]:
        """Widen the intervals of what classifiers are worth, for other raters like these."""
        curve, curve_drawn = self.continued
        h, h_drawn = self.found.classifiers[0], self.drawn.classifiers
        low, high = variance.ends((curve[0], h), (curve_drawn, h_drawn), self.level)
        worths = [
            self._worth(x[None], drawn, few=place in self.learned_from_few)
            for place, (x, drawn) in enumerate(zip(h, h_drawn.T, strict=True))
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

    def _with_raters(self, name: str) -> tuple[CurvePoint, ...]:
        """Scores of a classifier together with 1, 2 ... raters, where they are known."""
        if name not in self.found.together or self.items < FEW:
            return ()
        found, drawn = self.found.together[name], self.drawn.together[name]
        return tuple(
            CurvePoint(
                k,
                score=self._estimate(h, h_drawn),
                gain=self._gain(h, h_drawn),
                equivalence=self._worth(h, h_drawn, most=self.max_k + BEYOND_WITH_RATERS),
            )
            for k, (h, h_drawn) in enumerate(zip(found.T, drawn.T, strict=True), start=1)
        )

    def comparisons(self, names: Sequence[str]) -> tuple[Comparison, ...]:
        """Differences between every two classifiers, from common draws; none of few items."""
        if self.too_few is not None:
            return ()
        kept = [i for i in range(len(names)) if i not in self.learned_from_few]
        found, drawn = self.found.classifiers[:, kept], self.drawn.classifiers[:, kept]
        return compare(
            [names[i] for i in kept],
            crossings(self.continued[0][0], found[0]),
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
        base, base_drawn = self.found.curves[0][:, 0], self.drawn.curves[0][:, 0]
        return self._estimate(value - base, draws - base_drawn)

    def _worth(
        self, h: Floats, h_drawn: Floats, most: int | None = None, *, few: bool = False
    ) -> Estimate:
        """Raters that score as much; up to `most`, where that is less than can be told."""
        told = replace(self, few_for_labels=True) if few else self
        if told.too_few is not None:
            return Estimate(np.nan, undefined=told.too_few)
        low, high = self.bounds
        high = high if most is None else min(high, float(most))
        steep, fitted, flat = (
            self._estimate(
                crossings(self.continued[0][:, : int(high) + 1], h),
                crossings(self._continued(times)[1][:, : int(high) + 1], h_drawn),
            )
            for times in (1 + MISFIT, 1.0, 1 - MISFIT)
        )
        known = None if self.beyond is None else float(self.max_k)
        # States that fit as well may say otherwise: where raters add more, it takes fewer of them.
        return replace(fitted, low=steep.low, high=flat.high, bounds=(low, high), known=known)


def check_finite(found: Scores, combiner: str, scorer: str) -> None:
    """Refuse curves that are not finite."""
    if not all(np.isfinite(curve).all() for curve in found.curves):
        raise OptionError(
            f"combiner '{combiner}' gives probability 0 to a label that the next rater gave, so "
            f"its {scorer} score is minus infinity. Keep its probabilities above 0."
        )
