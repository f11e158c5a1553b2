"""Scores of the data and of bootstrap samples of them, as estimates with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from headcount.equivalence.differences import Comparison, compare, p_beats
from headcount.equivalence.records import ClassifierResult, CurvePoint
from headcount.equivalence.surveys.base import Scores
from headcount.equivalence.surveys.crossing import crossings
from headcount.errors import OptionError
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["Estimates", "check_finite"]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Makes estimates of curves and classifiers.

    Parameters
    ----------
    found, drawn : Scores
        Of the data, and of bootstrap samples of them.
    level : float
        Coverage of the intervals.
    """

    found: Scores
    drawn: Scores
    level: float

    @property
    def max_k(self) -> int:
        """Largest survey."""
        return self.found.curves[0].shape[1] - 1

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
                equivalence=self._worth(h, h_drawn),
                p_beats=p_beats(h_drawn, self.drawn.curves[0]),
            )
            for name, h, h_drawn in zip(
                names, self.found.classifiers.T, self.drawn.classifiers.T, strict=True
            )
        )

    def comparisons(self, names: Sequence[str]) -> tuple[Comparison, ...]:
        """Differences between every two classifiers, from common draws."""
        found, drawn = self.found, self.drawn
        return compare(
            names,
            crossings(found.curves[0][0], found.classifiers[0]),
            crossings(drawn.curves[0][:, None, :], drawn.classifiers),
            drawn.classifiers,
            max_k=self.max_k,
            level=self.level,
        )

    def _estimate(
        self, value: Floats, draws: Floats, bounds: tuple[float, float] | None = None
    ) -> Estimate:
        return Estimate.from_draws(float(value[0]), draws, level=self.level, bounds=bounds)

    def _gain(self, value: Floats, draws: Floats) -> Estimate:
        """Difference to no rater."""
        base, base_drawn = self.found.curves[0][:, 0], self.drawn.curves[0][:, 0]
        return self._estimate(value - base, draws - base_drawn)

    def _worth(self, h: Floats, h_drawn: Floats) -> Estimate:
        """Raters that score as much."""
        value, draws = (
            crossings(scores.curves[0], score)
            for scores, score in ((self.found, h), (self.drawn, h_drawn))
        )
        return self._estimate(value, draws, (0, self.max_k))


def check_finite(found: Scores, combiner: str, scorer: str) -> None:
    """Refuse curves that are not finite."""
    if not all(np.isfinite(curve).all() for curve in found.curves):
        raise OptionError(
            f"combiner '{combiner}' gives probability 0 to a label that the next rater gave, so "
            f"its {scorer} score is minus infinity. Keep its probabilities above 0."
        )
