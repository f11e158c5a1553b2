"""Raters who answer at random, found by what the ratings of the others expect of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons, disjoint_pairs
from headcount.engine.taking import take_comparisons
from headcount.errors import DataError, count, option, some
from headcount.pairwise.answers import sort_rows
from headcount.pairwise.likelihood import Model, PairWins, maximise
from headcount.pairwise.methods import HOLD, TOLERANCE
from headcount.pairwise.priors import check_prior, given_prior
from headcount.pairwise.standard_errors import Parameter
from headcount.results.fields import Record
from headcount.results.notes import Note, Notes
from headcount.results.result import ALL
from headcount.results.tables import Table
from headcount.stats.draws import folds
from headcount.stats.estimate import Estimate
from headcount.stats.ranks import benjamini_hochberg
from headcount.typing import Codes, Flags, Floats, Ids, Seed

if TYPE_CHECKING:
    pass

__all__ = [
    "find_spammers",
    "RIGHT",
    "LEFT",
    "Answers",
    "prepare",
    "left_out",
    "Slopes",
    "rater_slopes",
    "Honest",
    "honest_slopes",
    "Judge",
    "FINE",
    "WEAK",
    "SPAMMER",
    "REVERSED",
    "ANOTHER_OPINION",
    "TOO_FEW",
    "ComparingRater",
    "JudgedRaters",
    "EXPLANATION",
    "rater_sentence",
    "rater_table",
]


def find_spammers(
    comparisons: Comparisons | Any,
    *,
    prior: float | None = None,
    level: float = 0.95,
    seed: Seed = 0,
) -> JudgedRaters:
    r"""Judge raters by whether their answers go with the ratings that the others make.

    The items are rated without each rater in turn. Only answers that decide for an item count: how
    often raters say tie is their own affair. Four steps lead to a verdict.

    1. The slope b of a rater's answers on the probabilities that the ratings by others give them,
       with an intercept of the rater's own: 1 for one who sees what the others see, 0 for one who
       answers at random. Less than five answers are not judged.
    2. Slopes of raters who look are normal, with a mean without those who lie far below, and the
       spread of the upper half. Who lies too far below is worse than most: by Student's
       distribution of :math:`(b - \mu) / \sqrt{\omega^2 + s^2}` with n - 2 degrees of freedom,
       after Benjamini and Hochberg's correction.
    3. Who beats chance is spared: `weak`, not a spammer. The test is one of permutations of the
       rater's own answers, not corrected for the number of raters, so that innocence is not harder
       to show in a large crowd. Habits (always left) are no excuse and no offence.
    4. Items are rated by those who go least with the crowd, without each of them in turn; then
       again, by those of them who go with these ratings. Who beats chance by that has `another
       opinion`. Who does not is a `spammer`, if slopes at random explain the rater's much better
       than those of raters who look and see little.

    Whose slope lies below 0 by more than chance explains, after the same correction among those who
    are worse than most, is `reversed`.
    Who neither beats chance nor is worse than most gave too few answers to tell, and is kept.

    Parameters
    ----------
    comparisons : Comparisons, or path or frame
        With raters; or anything that :func:`headcount.read_comparisons` takes.
    prior : float, optional
        Of the ratings; see :func:`headcount.pairwise.bradley_terry.bradley_terry`.
    level : float
        Confidence of the tests: a share of 1 - `level` of those called worse than most are not.
    seed : int or Generator

    Returns
    -------
    JudgedRaters

    Notes
    -----
    A fit for each rater, or, of more than 200, for each of 50 groups; all else is O(answers).
    A spammer who always says tie looks like anybody: such a rater decides nothing, and so
    harms little.

    References
    ----------
    Benjamini and Hochberg (1995), Controlling the false discovery rate, JRSS B 57(1). Pitman
    (1937), Significance tests which may be applied to samples from any populations, II.

    Examples
    --------
    >>> from headcount.simulation.labelling import LabellingModel
    >>> from headcount.simulation.labelling import simulate_comparisons
    >>> model = LabellingModel(items=60, raters=40, spammers=0.1, comparisons=1200)
    >>> played, truth = simulate_comparisons(model, seed=1)
    >>> found = find_spammers(played)
    >>> sorted(found.spammers)
    ['rater_11', 'rater_30', 'rater_39', 'rater_8']
    >>> truth.spammer.nonzero()[0] + 1
    array([ 8, 11, 30, 39])
    """
    level, prior = options.level(level), given_prior(check_prior(prior))
    generator, notes = options.seed(seed), Notes()
    answers = prepare(comparisons, generator, notes)
    played = answers.comparisons
    many = len(answers.names) > MOST_FITS
    seed = int(generator.integers(2**32)) if many else 0
    without = left_out(played, prior=prior, seed=seed)
    raters = Judge(
        answers=answers, without=without, prior=prior, alpha=1 - level, seed=seed
    ).verdicts()
    tell_of_doubts(raters, notes)
    return JudgedRaters(tuple(raters), tuple(notes))


# What raters are judged by: their comparisons, in order.

RIGHT, TIE, LEFT = 0, 1, 2
"""Answers."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Answers:
    """Comparisons that count, in the order of their content.

    Parameters
    ----------
    comparisons : Comparisons
    names : array
        All raters.
    rater : (comparisons,) array of int
    answer : (comparisons,) array of int
        RIGHT, TIE or LEFT.
    """

    comparisons: Comparisons
    names: Ids
    rater: Codes
    answer: Codes


def prepare(data: Any, rng: np.random.Generator, notes: Notes) -> Answers:
    """Take comparisons with their raters."""
    comparisons = take_comparisons(data).with_raters()
    notes.extend(comparisons.notes)
    if not len(comparisons):
        raise DataError(f"{comparisons.source}: no comparisons.")
    if comparisons.rater is None or comparisons.raters is None:
        raise DataError(
            f"{comparisons.source}: to judge raters there must be a rater column "
            f"({option('rater', ...)})."
        )
    if comparisons.weight is not None and not comparisons.weight.all():
        comparisons = comparisons.select(comparisons.weight > 0)
    if comparisons.ranking is not None:
        comparisons = _apart(comparisons, notes)
    played = _sides_at_random(sort_rows(comparisons), rng, notes)
    return Answers(
        comparisons=played,
        names=np.asarray(played.raters),
        rater=np.asarray(played.rater),
        answer=_coded(played.outcome),
    )


def _apart(comparisons: Comparisons, notes: Notes) -> Comparisons:
    """Keep pairs of each ranking that share no item, whose answers are independent."""
    low = np.minimum(comparisons.left, comparisons.right)
    high = np.maximum(comparisons.left, comparisons.right)
    ranking = np.zeros(len(low), np.int64) if comparisons.ranking is None else comparisons.ranking
    # The first pair is another one in each ranking, in an order that knows nothing of who won.
    turn = (low * 7919 + high * 104729 + ranking * 15485863) % 1000003
    order = np.lexsort((high, low, turn, ranking))
    apart = disjoint_pairs(ranking[order], low[order], high[order])
    notes.info("Raters are judged by pairs of each ranking that have no item in common.")
    return comparisons.select(np.sort(order[apart]))


def _coded(share: Any) -> Codes:
    """Answers as codes, from the left item's share of the point."""
    return np.where(share == 0.5, TIE, np.where(share > 0.5, LEFT, RIGHT)).astype(np.int64)


def _sides_at_random(
    comparisons: Comparisons, rng: np.random.Generator, notes: Notes
) -> Comparisons:
    """Turn half the pairs round where the winner always stands on the same side."""
    sign = np.sign(comparisons.outcome - 0.5)
    if len(set(sign[sign != 0].tolist())) != 1:
        return comparisons
    flip = rng.random(len(comparisons)) < 0.5
    side = "left" if sign.max() > 0 else "right"
    notes.info(
        f"The winner always stands on the {side}, so the sides of a pair are taken to say nothing "
        "of how it was shown."
    )
    return replace(
        comparisons,
        left=np.where(flip, comparisons.right, comparisons.left),
        right=np.where(flip, comparisons.left, comparisons.right),
        outcome=np.where(flip, 1 - comparisons.outcome, comparisons.outcome),
    )


# What the ratings say of a rater's comparisons when that rater has no part in them.

MOST_FITS = 200
"""Raters, at most, each of whom is left out alone."""
GROUPS = 50
"""Groups of raters that are left out where there are more: ratings lack 2% of the answers then."""


class LeftOut(NamedTuple):
    """Of each comparison, by ratings that its rater did not make.

    Parameters
    ----------
    gap : (comparisons,) array
        Rating of the left item less that of the right one, in logits.
    variance : (comparisons,) array
        Of `gap`, to first order.
    """

    gap: Floats
    variance: Floats

    @property
    def evidence(self) -> Floats:
        r"""The gap, shrunk for being uncertain.

        A logistic curve smeared by a normal error of variance v is nearly a logistic curve of
        :math:`\text{gap} / \sqrt{1 + \pi v / 8}` [1]_.

        References
        ----------
        .. [1] MacKay (1992), The evidence framework applied to classification networks, Neural
           Computation 4(5).
        """
        return self.gap / np.sqrt(1 + np.pi / 8 * self.variance)


def left_out(comparisons: Comparisons, *, prior: float | None, seed: int = 0) -> LeftOut:
    """Rate the items without each rater in turn, and look at that rater's comparisons.

    Ties count as half a win. Every fit starts from the ratings by all, a Newton step or two away.
    Ratings have a prior of 10 logits unless there is a narrower one, since an item may have won all
    that is left of its comparisons.

    Parameters
    ----------
    comparisons : Comparisons
        With raters.
    prior : float or None
        Standard deviation of ratings.
    seed : int
        Puts raters into 50 groups by their names, where more than 200 answered.

    Notes
    -----
    O(comparisons) a step and rater, or group of raters.

    Examples
    --------
    >>> played = Comparisons.from_columns(
    ...     "ababab", "bababa", [1, 0, 1, 0, 1, 1], rater=[1, 1, 2, 2, 3, 3]
    ... )
    >>> left_out(played, prior=1.0).gap.round(2)
    array([ 0.68, -0.68,  0.68, -0.68,  1.48, -1.48])
    """
    if comparisons.rater is None or comparisons.raters is None:
        raise ValueError("left_out needs raters")
    wins = PairWins.of(comparisons, split=True)
    model = Model(wins, prior=HOLD if prior is None else prior)
    start = maximise(model, model.start(), tolerance=TOLERANCE, max_iter=100).point.z
    gap, variance = np.zeros(len(comparisons)), np.full(len(comparisons), np.inf)
    for held in _held_out(comparisons.rater, comparisons.raters, seed):
        weight = comparisons.weights.copy()
        weight[held] = 0.0
        rest = replace(model, wins=wins.reweighted(comparisons.outcome, weight))
        point = maximise(rest, start.copy(), tolerance=TOLERANCE, max_iter=50).point
        left, right = comparisons.left[held], comparisons.right[held]
        gap[held] = point.z[left] - point.z[right]
        variance[held] = 1 / point.diagonal[left] + 1 / point.diagonal[right]
    return LeftOut(gap, variance)


def _held_out(rater: Codes, raters: Ids, seed: int) -> list[Codes]:
    """Comparisons of each rater, or of each group of raters."""
    who, group_of = np.unique(rater, return_inverse=True)
    if len(who) > MOST_FITS:
        group_of = folds(raters[who], GROUPS, seed)[group_of]
    order = np.argsort(group_of, kind="stable")
    ends = np.flatnonzero(np.diff(group_of[order])) + 1
    return [rows for rows in np.split(order, ends) if len(rows)]


# How far the answers of each rater go with what the ratings of the others expect.

TRIMMED = 2.5
"""Standard deviations below the honest mean from which a rater has no part in it."""
LEAST_SPREAD = 0.05
"""Standard deviation of honest slopes, at least."""
SLOPE_ROUNDS = 50


@dataclass(frozen=True, eq=False, kw_only=True)
class Slopes:
    """Of each rater: (raters,) arrays.

    Parameters
    ----------
    n : array
        Answers that count: those that decide for one of two items which are not rated alike.
    slope : array
        Of the answer (1 for the left item) on its expectation, with an intercept of the rater's
        own, who may favour a side: 1 for one who sees what the others see, 0 for one who answers at
        random. nan where nothing varies in what is expected.
    error : array
        Standard error of the slope of one whose answers are as expected.
    own_error : array
        Standard error by how far the rater's own answers lie from the line, or `error` where that
        is larger: answers at random vary more than those that are expected.
    p_random : array
        Probability that answers given without looking would have as large a slope: one-sided, by
        Pitman's approximation to permutations of the rater's own answers; 1 where these never vary.
    """

    n: Floats
    slope: Floats
    error: Floats
    own_error: Floats
    p_random: Floats

    def times(self, unit: float) -> Slopes:
        """Write slopes in another unit."""
        return replace(
            self,
            slope=self.slope * unit,
            error=self.error * unit,
            own_error=self.own_error * unit,
        )


def rater_slopes(expected: Floats, answer: Floats, rater: Codes, n_raters: int) -> Slopes:
    r"""Regress the answers of each rater on their expectations.

    .. math:: b = \frac{\sum (x - \bar x) y}{\sum (x - \bar x)^2}, \quad
              \mathrm{var}(b) = \frac{\sum (x - \bar x)^2 x (1 - x)}{(\sum (x - \bar x)^2)^2}

    Notes
    -----
    O(answers).

    References
    ----------
    Pitman (1937), Significance tests which may be applied to samples from any populations, II.

    Examples
    --------
    >>> expected, answer = np.array([0.9, 0.8, 0.1, 0.2, 0.5]), np.array([1.0, 1, 0, 0, 1])
    >>> found = rater_slopes(expected, answer, np.zeros(5, dtype=np.int64), 1)
    >>> found.slope.round(2), found.error.round(2), found.p_random.round(3)
    (array([1.4]), array([0.48]), array([0.018]))
    """
    special: Any = import_module("scipy.special")

    def total(values: Floats) -> Floats:
        return np.bincount(rater, values, n_raters).astype(np.float64)

    n = total(np.ones(len(rater)))
    some = np.maximum(n, 1)
    x, y = expected - (total(expected) / some)[rater], answer - (total(answer) / some)[rater]
    xx, xy, yy = total(x**2), total(x * y), total(y**2)
    noise = total(x**2 * expected * (1 - expected))
    varies = xx > 1e-12 * some
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(varies, xy / xx, np.nan)
        error = np.where(varies, np.sqrt(noise) / xx, np.nan)
        residual = y - np.where(varies, slope, 0.0)[rater] * x
        scatter = total(x**2 * residual**2) * n / np.maximum(n - 2, 1)
        own_error = np.fmax(error, np.where(varies, np.sqrt(scatter) / xx, np.nan))
        r = np.clip(np.where(varies & (yy > 0), xy / np.sqrt(xx * yy), 0.0), -1, 1)
        t = r * np.sqrt((n - 2) / np.maximum(1 - r**2, 1e-300))
    tested = varies & (yy > 0) & (n > 2)
    p_random = np.where(tested, special.stdtr(np.maximum(n - 2, 1), -np.where(tested, t, 0)), 1.0)
    return Slopes(n=n, slope=slope, error=error, own_error=own_error, p_random=p_random)


@dataclass(frozen=True)
class Honest:
    """Normal distribution of the slopes of raters who look at the items."""

    mean: float
    spread: float

    def below(self, slopes: Slopes) -> Floats:
        """Probability that one of them would have as small a slope; nan where there is none."""
        special: Any = import_module("scipy.special")
        t = (slopes.slope - self.mean) / np.hypot(self.spread, slopes.error)
        # Slopes of few answers have longer tails than the normal distribution.
        return np.asarray(special.stdtr(np.maximum(slopes.n - 2, 1), t), dtype=np.float64)


def honest_slopes(slopes: Slopes, judged: Codes) -> Honest:
    """Find how the slopes of those spread who look at the items.

    The mean is without those who lie 2.5 standard deviations or more below it; the spread is that
    of the upper half, among whom there are hardly any who answer at random.

    Parameters
    ----------
    slopes : Slopes
    judged : array of int
        Raters with enough answers.
    """
    b, error = slopes.slope[judged], slopes.error[judged]
    mean, spread = float(np.median(b)), LEAST_SPREAD
    for _ in range(SLOPE_ROUNDS):
        before = mean, spread
        sd = np.hypot(spread, error)
        kept = (b - mean) / sd > -TRIMMED
        mean = float(np.sum((b / sd**2)[kept]) / np.sum((1 / sd**2)[kept]))
        upper = b > mean
        excess = float(np.mean((b[upper] - mean) ** 2 - error[upper] ** 2)) if upper.any() else 0.0
        spread = float(np.sqrt(max(excess, LEAST_SPREAD**2)))
        if abs(mean - before[0]) + abs(spread - before[1]) < 1e-9:
            break
    return Honest(mean, spread)


def at_random(slopes: Slopes, judged: Codes) -> Floats:
    """Probability that each rater answers at random: (raters,), 0 for those who are not judged.

    Slopes are a mixture of those at random, around 0, and those of raters who look, normal with a
    mean and a spread of their own, which tell how far honest raters may lie below the others.
    """
    out = np.zeros(len(slopes.n))
    if not len(judged):
        return out
    honest, share = honest_slopes(slopes, judged), 0.1
    b, error, own = slopes.slope[judged], slopes.error[judged], slopes.own_error[judged]
    mean, spread, chance = honest.mean, honest.spread, np.zeros(len(b))
    for _ in range(SLOPE_ROUNDS):
        variance = spread**2 + error**2
        looks = (1 - share) * np.exp(-0.5 * (b - mean) ** 2 / variance) / np.sqrt(variance)
        guess = share * np.exp(-0.5 * (b / own) ** 2) / own
        chance = guess / np.maximum(guess + looks, 1e-300)
        weight = (1 - chance) / variance
        if not weight.any():
            break
        share = float(chance.mean())
        mean = float(np.sum(weight * b) / np.sum(weight))
        excess = float(np.sum((1 - chance) * ((b - mean) ** 2 - error**2)) / np.sum(1 - chance))
        spread = math.sqrt(max(excess, LEAST_SPREAD**2))
    out[judged] = chance
    return out


# Four steps from the answers of a rater to a verdict.

LEAST_ANSWERS = 5
"""Answers without which nobody is judged: fewer could not have shown the contrary."""
SURE = 0.8
"""Probability of answering at random from which a rater may be called a spammer."""
DOUBTFUL = 0.2
"""Probability of so small a slope below which a rater may be of another opinion."""
UNTRUSTED = 1e-6
"""Weight of answers that are tested, but not believed."""
LEAST_MEAN = 0.1
"""Mean slope of those who look from which slopes are written as multiples of it."""


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
        # The probability that the left item is chosen, by others; and answers that decide, between
        # items that ratings tell apart.
        expected = 1 / (1 + np.exp(-self.without.evidence))
        decided = (self.answers.answer != TIE) & (self.without.gap != 0)
        by_rater = self._slopes(expected, decided)
        judged = np.flatnonzero((by_rater.n >= LEAST_ANSWERS) & ~np.isnan(by_rater.slope))
        below, usual = np.full(len(by_rater.n), np.nan), 1.0
        if len(judged):
            honest = honest_slopes(by_rater, judged)
            below[judged] = honest.below(by_rater)[judged]
            usual = honest.mean if honest.mean > LEAST_MEAN else 1.0
        p_value = benjamini_hochberg(below)
        chance = np.where(np.isin(np.arange(len(below)), judged), by_rater.p_random, 1.0)
        worse, better = np.nan_to_num(p_value, nan=1.0) < self.alpha, chance < self.alpha
        # Against the ratings by more than chance explains, for so many who are worse than most.
        turned = np.where(by_rater.slope < 0, 1 - by_rater.p_random, 1.0)
        turned[~worse] = np.nan
        turned = np.nan_to_num(benjamini_hochberg(turned), nan=1.0) < self.alpha
        agrees = self._another_opinion(worse & ~better & ~turned, below)
        random = at_random(by_rater, judged) > SURE
        verdict = np.select(
            [turned, worse & better, worse & agrees, worse & random, better],
            [REVERSED, WEAK, ANOTHER_OPINION, SPAMMER, FINE],
            default=TOO_FEW,
        ).tolist()
        order = np.argsort(self.answers.rater, kind="stable")
        starts = np.flatnonzero(np.diff(self.answers.rater[order])) + 1
        slopes = by_rater.times(1 / usual)
        raters = [
            self._rater(rows, expected, decided, slopes, p_value, chance, verdict)
            for rows in np.split(order, starts)
        ]
        return sorted(raters, key=lambda r: (not r.spammer, r.p_value, r.score))

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
        slopes: Slopes,
        p_value: Floats,
        chance: Floats,
        verdict: Sequence[str],
    ) -> ComparingRater:
        answers, index = self.answers, int(self.answers.rater[rows[0]])
        answer = answers.answer[rows]
        gap, mine = self.without.gap[rows], decided[rows]
        agrees = (answer[mine] == LEFT) == (gap[mine] > 0)
        left = expected[rows][mine]
        probability = np.where(answer[mine] == LEFT, left, 1 - left)
        return ComparingRater(
            rater=answers.names[index : index + 1].tolist()[0],
            comparisons=len(rows),
            agreement=float(agrees.mean()) if len(agrees) else math.nan,
            slope=Parameter(float(slopes.slope[index]), float(slopes.own_error[index])).estimate(
                1 - self.alpha
            ),
            score=float(np.sum(np.log(2 * np.maximum(probability, 1e-12)))),
            p_value=1.0 if math.isnan(p_value[index]) else float(p_value[index]),
            p_random=float(chance[index]),
            verdict=verdict[index],
        )


def tell_of_doubts(raters: Sequence[ComparingRater], notes: Notes) -> None:
    """Say who gave too few answers, who has another opinion, and who misread the question."""
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


# What is known about raters who compare, as fields.

FINE, WEAK, SPAMMER = "fine", "weak", "spammer"
ANOTHER_OPINION, TOO_FEW = "another opinion", "too few answers to tell"
REVERSED = "reversed"
"""Verdicts."""


@dataclass(frozen=True, kw_only=True)
class ComparingRater(Record):
    """How one rater answers, by ratings in which that rater has no part.

    Parameters
    ----------
    rater : object
    comparisons : int
    agreement : float
        Share of the answers other than ties that favour the item with the higher rating; nan
        without any.
    slope : Estimate
        Of the answers, other than ties, on the probability that the ratings give them, as a
        multiple of what is usual: 0 at random, 1 for one who sees what the others see. nan where
        nothing varies.
    score : float
        Log-likelihood ratio of the answers other than ties: of the ratings to a coin. Above 0
        speaks for looking at the items.
    p_value : float
        Probability that a rater who looks, as most do, would have as small a slope, after the
        correction of Benjamini and Hochberg over raters: small for spammers.
    p_random : float
        Probability that answers given without looking would go this well with the ratings; not
        corrected, so that everybody who beats chance is spared.
    verdict : {"fine", "weak", "spammer", "reversed", "another opinion", "too few answers to tell"}
        Better than chance and no worse than most; both better than chance and worse than most;
        worse than most and no better than chance, and more likely at random than not; against the
        ratings by more than chance; with others who differ alike; neither better nor worse.
    """

    rater: object
    comparisons: int
    agreement: float
    slope: Estimate
    score: float
    p_value: float
    p_random: float
    verdict: str

    @property
    def spammer(self) -> bool:
        """Whether the rater answers at random, or the wrong way round, as far as tests tell."""
        return self.verdict in (SPAMMER, REVERSED)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: every field, and whether the rater is a spammer."""
        return {**super().to_dict(), "spammer": self.spammer}


class JudgedRaters(NamedTuple):
    """All raters who compared, spammers first, and what a reader should know."""

    raters: tuple[ComparingRater, ...]
    notes: tuple[Note, ...]

    @property
    def spammers(self) -> list[object]:
        """Names of those who answer at random, or the wrong way round."""
        return [r.rater for r in self.raters if r.spammer]


# Raters who compare, in words and in a table.

MOST_RATERS = 20
"""Raters that are printed: the worst."""
EXPLANATION = (
    "Each rater is compared with ratings fitted to the answers of the others; ties do not count. "
    "agrees: share of answers for the higher-rated item; slope: how closely answers follow the "
    "ratings (0: at random, 1: like the others). p: probability that an attentive rater has a "
    "slope this small, corrected for the number of raters; p random: probability that random "
    "answers fit the ratings this well. A spammer has a small p, a large p random, and no opinion "
    "that other raters share."
)


def rater_sentence(raters: Sequence[ComparingRater]) -> str:
    """Say who answers at random, and who the wrong way round."""
    spammers = [r.rater for r in raters if r.verdict == SPAMMER]
    turned = [r.rater for r in raters if r.verdict == REVERSED]
    among, parts = f"among {count(len(raters), 'rater')}", list[str]()
    if spammers:
        parts.append(f"{count(len(spammers), 'spammer')} {among}: {some(spammers, 6)}")
    if turned:
        verb = "answers" if len(turned) == 1 else "answer"
        parts.append(f"{len(turned):,} {among} {verb} the wrong way round: {some(turned, 6)}")
    if parts:
        return "; ".join(parts)
    few = sum(r.verdict == TOO_FEW for r in raters)
    if few == len(raters):
        return f"too few answers to tell whether {_any(len(raters))} at random"
    but = f"; {few:,} {'has' if few == 1 else 'have'} too few answers to tell" if few else ""
    return f"no spammer found {among}{but}"


def _any(raters: int) -> str:
    return "the rater answers" if raters == 1 else f"any of {raters:,} raters answers"


def rater_table(
    raters: Sequence[ComparingRater], title: str = "", *, most: int = MOST_RATERS
) -> Table:
    """Write how raters answer, the worst first; under a title, with what it rests on."""
    columns = {
        "rater": [str(r.rater) for r in raters],
        "comparisons": [f"{r.comparisons:,}" for r in raters],
        "agrees": [_two(r.agreement) for r in raters],
        "slope": [_two(r.slope.value) for r in raters],
        "p": [_p(r.p_value) for r in raters],
        "p random": [_p(r.p_random) for r in raters],
        "verdict": [r.verdict for r in raters],
    }
    hidden = set[str]() if title else {"slope", "p", "p random"}
    head = [name for name in columns if name not in hidden]
    body = [list(row) for row in zip(*(columns[name][:most] for name in head), strict=True)]
    rest = len(raters) - most
    more = f"and {count(rest, 'more rater')}{ALL}" if rest > 0 else ""
    return Table(head, body, title=title, more=more)


def _two(x: float) -> str:
    return "" if math.isnan(x) else f"{x:.2f}"


def _p(p: float) -> str:
    return "<.001" if p < 0.001 else f"{p:.3f}"
