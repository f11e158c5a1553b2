"""Four steps from the answers of a rater to a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from headcount.errors import count
from headcount.pairwise.bradley_terry.standard_errors.parameter import Parameter
from headcount.pairwise.spammers.left_out import LeftOut, left_out
from headcount.pairwise.spammers.prepare import LEFT, TIE, Answers
from headcount.pairwise.spammers.records import (
    ANOTHER_OPINION,
    FINE,
    SPAMMER,
    TOO_FEW,
    WEAK,
    ComparingRater,
)
from headcount.pairwise.spammers.slopes import Slopes, honest_slopes, rater_slopes
from headcount.results.notes import Notes
from headcount.stats.multiple_tests import benjamini_hochberg
from headcount.typing import Codes, Flags, Floats

__all__ = ["Judge", "tell_of_doubts"]


LEAST = 5
"""Answers without which nobody is judged: fewer could not have shown the contrary."""
DOUBTFUL = 0.2
"""Probability of so small a slope below which a rater may be of another opinion."""
UNTRUSTED = 1e-6
"""Weight of answers that are tested, but not believed."""
LEAST_MEAN = 0.1
"""Mean slope of those who look from which slopes are written as multiples of it."""
TURNED = 0.05
"""Probability that anybody who answers at random is said to answer the wrong way round."""
CHECKS = (9.0, 1.0)
"""Checks, right and wrong, that raters are believed to have answered already."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Judge:
    """All that judges a rater.

    Parameters
    ----------
    answers : Answers
    without : LeftOut
        What the ratings by others say of each comparison.
    prior : float or None
        Of ratings.
    alpha : float
        Size of the tests.
    seed : int
        Puts raters into groups, where they are many.
    """

    answers: Answers
    without: LeftOut
    prior: float | None
    alpha: float
    seed: int = 0

    def verdicts(self) -> list[ComparingRater]:
        """Judge each rater who gave any answer, spammers first, then by p-value."""
        expected, decided = self._expected(self.without), self._decided(self.without)
        found = self._slopes(expected, decided)
        judged = np.flatnonzero((found.n >= LEAST) & ~np.isnan(found.slope))
        below, usual = np.full(len(found.n), np.nan), 1.0
        if len(judged):
            honest = honest_slopes(found, judged)
            below[judged] = honest.below(found)[judged]
            usual = honest.mean if honest.mean > LEAST_MEAN else 1.0
        p_value = benjamini_hochberg(below)
        chance = np.where(np.isin(np.arange(len(below)), judged), found.p_random, 1.0)
        worse, better = np.nan_to_num(p_value, nan=1.0) < self.alpha, chance < self.alpha
        agrees = self._another_opinion(worse & ~better, below)
        verdict = np.select(
            [worse & better, worse & agrees, worse, better],
            [WEAK, ANOTHER_OPINION, SPAMMER, FINE],
            default=TOO_FEW,
        ).tolist()
        order = np.argsort(self.answers.rater, kind="stable")
        starts = np.flatnonzero(np.diff(self.answers.rater[order])) + 1
        slopes = found.times(1 / usual)
        raters = [
            self._rater(rows, expected, decided, slopes, p_value, chance, verdict)
            for rows in np.split(order, starts)
        ]
        return sorted(raters, key=lambda r: (not r.spammer, r.p_value, r.score))

    def _expected(self, without: LeftOut) -> Floats:
        """Return the probability that the left item is chosen, by others or by the right answer."""
        out = 1 / (1 + np.exp(-without.evidence))
        right = self.answers.right
        if right is not None:
            known = right >= 0
            hits = float(np.sum(self.answers.answer[known] == right[known]))
            rate = (hits + CHECKS[0]) / (int(known.sum()) + sum(CHECKS))
            out[known] = np.array([1 - rate, 0.5, rate])[right[known]]
        return out

    def _decided(self, without: LeftOut) -> Flags:
        """Answers that decide, between items that ratings tell apart or whose answer is known."""
        known = False if self.answers.right is None else self.answers.right >= 0
        return (self.answers.answer != TIE) & ((without.gap != 0) | known)

    def _slopes(self, expected: Floats, decided: Flags) -> Slopes:
        answer = (self.answers.answer[decided] == LEFT).astype(np.float64)
        rater = self.answers.rater[decided]
        return rater_slopes(expected[decided], answer, rater, len(self.answers.names))

    def _another_opinion(self, accused: Flags, below: Floats) -> Flags:
        """Who goes with the ratings of others that go with the crowd as little.

        First by the ratings of all of these; then by those of the ones who go with them, since
        those who answer at random tell nothing of an opinion.
        """
        others = np.nan_to_num(below, nan=1.0) < DOUBTFUL
        agrees = np.zeros(len(accused), dtype=bool)
        for _ in range(2):
            if not accused.any() or others.sum() < 2:
                return agrees
            chance = self._by_ratings_of(others, others | accused)
            agrees, others = accused & (chance < self.alpha), others & (chance < DOUBTFUL)
        return agrees

    def _by_ratings_of(self, raters: Flags, tested: Flags) -> Floats:
        """Test whom the ratings that some raters make, but for themselves, go with."""
        rows = np.flatnonzero(tested[self.answers.rater])
        some = self.answers.comparisons.select(rows)
        # Those who are only tested weigh next to nothing.
        trust = np.where(raters[self.answers.rater[rows]], 1.0, UNTRUSTED)
        second = left_out(
            replace(some, weight=some.weights * trust), prior=self.prior, seed=self.seed
        )
        decided = (self.answers.answer[rows] != TIE) & (second.gap != 0)
        expected = 1 / (1 + np.exp(-second.evidence[decided]))
        answer = (self.answers.answer[rows][decided] == LEFT).astype(np.float64)
        return rater_slopes(
            expected, answer, self.answers.rater[rows][decided], len(tested)
        ).p_random

    def _rater(
        self,
        rows: Codes,
        expected: Floats,
        decided: Flags,
        found: Slopes,
        p_value: Floats,
        chance: Floats,
        verdict: Sequence[str],
    ) -> ComparingRater:
        answers, one = self.answers, int(self.answers.rater[rows[0]])
        answer, outcome = answers.answer[rows], answers.comparisons.outcome[rows]
        right = np.full(len(rows), -1) if answers.right is None else answers.right[rows]
        gap, mine = self.without.gap[rows], decided[rows]
        by_rating = mine & (right < 0) & (gap != 0)
        agrees = (answer[by_rating] == LEFT) == (gap[by_rating] > 0)
        left = expected[rows][mine]
        probability = np.where(answer[mine] == LEFT, left, 1 - left)
        return ComparingRater(
            rater=answers.names[one : one + 1].tolist()[0],
            comparisons=len(rows),
            agreement=float(agrees.mean()) if len(agrees) else math.nan,
            correlation=_correlation(gap[right < 0], outcome[right < 0]),
            median_probability=float(np.median(probability)) if len(probability) else math.nan,
            slope=Parameter(float(found.slope[one]), float(found.own_error[one])).estimate(
                1 - self.alpha
            ),
            checks=int((right >= 0).sum()),
            checks_right=int(((right >= 0) & (right == answer)).sum()),
            score=float(np.sum(np.log(2 * np.maximum(probability, 1e-12)))),
            p_value=1.0 if math.isnan(p_value[one]) else float(p_value[one]),
            p_random=float(chance[one]),
            verdict=verdict[one],
        )


def _correlation(a: Floats, b: Floats) -> float:
    if len(a) < 2 or not np.ptp(a) > 0 or not np.ptp(b) > 0:
        return math.nan
    a, b = a - a.mean(), b - b.mean()
    return float(np.clip(a @ b / math.sqrt(float(a @ a) * float(b @ b)), -1, 1))


def tell_of_doubts(raters: Sequence[ComparingRater], notes: Notes) -> None:
    """Say of whom nothing can be told, who has another opinion, and who misread the question."""
    unsure = sum(r.verdict == TOO_FEW for r in raters)
    if unsure:
        notes.caution(
            f"{count(unsure, 'rater')} of {len(raters):,} gave too few answers, or to too close "
            "pairs, to tell whether they look at the items; they are kept."
        )
    others = sum(r.verdict == ANOTHER_OPINION for r in raters)
    if others:
        notes.caution(
            f"{count(others, 'rater')} of {len(raters):,} answered against most but as others do "
            "who differ: of another opinion, or with another reading of the question; they are "
            "kept."
        )
    spammers = [r for r in raters if r.spammer]
    # Of many who answer at random, some go against the ratings by chance.
    turned = [r for r in spammers if 1 - r.p_random < TURNED / len(spammers)]
    if turned:
        notes.caution(
            f"{count(len(turned), 'rater')} answered the wrong way round rather than at random; "
            "they may have misread the question."
        )
