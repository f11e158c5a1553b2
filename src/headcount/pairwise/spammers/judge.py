"""Two tests of each rater, from either side, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from headcount.errors import count
from headcount.pairwise.bradley_terry.uncertainty.parameter import Parameter
from headcount.pairwise.spammers.answer_sums import chance_below
from headcount.pairwise.spammers.answers import LEFT, TIE, Kinds, trusting
from headcount.pairwise.spammers.left_out import MOST_FITS
from headcount.pairwise.spammers.prepare import Answers
from headcount.pairwise.spammers.records import CANNOT_TELL, FINE, SPAMMER, WEAK, ComparingRater
from headcount.results.notes import Notes
from headcount.stats.multiple_tests import holm
from headcount.typing import Codes, Floats

__all__ = ["Judge", "tell_of_doubts"]


LEAST = 5
"""Answers without which nobody is called a spammer: fewer could not have shown the contrary."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Judge:
    """All that judges a rater.

    Parameters
    ----------
    answers : Answers
    gap : (comparisons,) array
        Rating of the left item less that of the right one, by ratings without the rater.
    kinds : Kinds
        How those answer who look, and those who do not.
    slopes : list of Parameter
        By rater.
    alpha : float
        Size of both tests.
    """

    answers: Answers
    gap: Floats
    kinds: Kinds
    slopes: list[Parameter]
    alpha: float

    def verdicts(self) -> list[ComparingRater]:
        """Judge each rater who gave any answer, spammers first, then by score, lowest first."""
        rater, looking = self.answers.rater, self.kinds.looking()
        order = np.argsort(rater, kind="stable")
        of_raters = np.split(order, np.flatnonzero(np.diff(rater[order])) + 1)
        tests = np.array([self._tests(rows, looking[:, rows]) for rows in of_raters])
        low, chance = (holm(p) for p in tests.T)
        raters = [
            self._rater(rows, looking[:, rows], float(low[k]), float(chance[k]))
            for k, rows in enumerate(of_raters)
        ]
        return sorted(raters, key=lambda r: (not r.spammer, r.score))

    def _tests(self, rows: Codes, looking: Floats) -> tuple[float, float]:
        """Test a rater: for a score as low as this by looking, and one as good by not looking."""
        answers = self.answers
        answer = answers.answer[rows]
        low = _as_low(self.kinds.of(rows), answer)
        if low < self.alpha and len(rows) * MOST_FITS > len(answers.answer):
            # The hypothesis is that this rater looks. In a small crowd those who look seem better
            # than they are if one who may be among them is taken for random, and so left out.
            one = int(answers.rater[rows[0]])
            kinds = trusting(self.kinds, answers.answer, answers.rater, one)
            low = max(low, _as_low(kinds.of(rows), answer))
        chance = np.exp(looking)
        expected = chance[LEFT] + chance[TIE] / 2
        r = _correlation(expected, answers.comparisons.outcome[rows])
        degrees = len(rows) - 2
        if math.isnan(r) or degrees < 1:
            return low, 1.0
        special: Any = import_module("scipy.special")
        t = r * math.sqrt(degrees / max(1 - r * r, 1e-300))
        return low, float(special.stdtr(degrees, -t))

    def _rater(
        self, rows: Codes, looking: Floats, p_value: float, p_random: float
    ) -> ComparingRater:
        answers, gap = self.answers, self.gap[rows]
        answer, outcome = answers.answer[rows], answers.comparisons.outcome[rows]
        right = np.full(len(rows), -1) if answers.right is None else answers.right[rows]
        each = np.arange(len(rows))
        decided = (answer != TIE) & (right < 0) & (gap != 0)
        agrees = (answer[decided] == LEFT) == (gap[decided] > 0)
        worse = p_value < self.alpha and len(rows) >= LEAST
        better = p_random < self.alpha
        verdict = (WEAK if better else SPAMMER) if worse else (FINE if better else CANNOT_TELL)
        ratio = looking - self.kinds.random
        return ComparingRater(
            rater=answers.names[answers.rater[rows[:1]]].tolist()[0],
            comparisons=len(rows),
            agreement=float(agrees.mean()) if len(agrees) else math.nan,
            correlation=_correlation(gap[right < 0], outcome[right < 0]),
            median_probability=float(np.median(np.exp(looking[answer, each]))),
            slope=self.slopes[answers.rater[rows[0]]].estimate(1 - self.alpha),
            checks=int((right >= 0).sum()),
            checks_right=int(((right >= 0) & (right == answer)).sum()),
            score=float(ratio[answer, each].sum()),
            p_value=p_value,
            p_random=p_random,
            verdict=verdict,
        )


def _as_low(kinds: Kinds, answer: Codes) -> float:
    """Probability that a rater who looks would score as low as by these answers."""
    ratio = kinds.looking() - kinds.random
    crowd = [(np.exp(kinds.looking(slope)), weight) for slope, weight in kinds.slopes()]
    return sum(weight * chance_below(chance, ratio, answer) for chance, weight in crowd)


def _correlation(a: Floats, b: Floats) -> float:
    if len(a) < 2 or not np.ptp(a) > 0 or not np.ptp(b) > 0:
        return math.nan
    return float(np.clip(np.corrcoef(a, b)[0, 1], -1, 1))


def tell_of_doubts(raters: Sequence[ComparingRater], notes: Notes) -> None:
    """Say of whom nothing can be told, and who seems to have misread the question."""
    unsure = sum(r.verdict == CANNOT_TELL for r in raters)
    if unsure:
        notes.caution(
            f"{count(unsure, 'rater')} of {len(raters):,} gave too few answers, or to too close "
            "pairs, to tell whether they look at the items; they are kept."
        )
    turned = [r for r in raters if r.spammer and r.correlation < 0 and (r.slope.high or 0) < 0]
    if turned:
        notes.caution(
            f"{count(len(turned), 'rater')} answered the wrong way round rather than at random; "
            "they may have misread the question."
        )
