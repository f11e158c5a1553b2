"""Raters who answer at random, found by what the ratings of the others expect of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import match_ids
from headcount.errors import DataError, OptionError, count
from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
from headcount.pairwise.bradley_terry.result import Parameter
from headcount.pairwise.spammers.answer_sums import chance_below
from headcount.pairwise.spammers.answers import LEFT, RIGHT, TIE, Kinds, told_apart, trusting
from headcount.pairwise.spammers.left_out import MOST_FITS, left_out
from headcount.stats.estimate import Estimate
from headcount.stats.multiple_tests import holm
from headcount.typing import Codes, Floats, Ids

__all__ = ["ComparingRater", "Raters", "find_spammers"]


LEAST = 5
"""Answers without which nobody is called a spammer: fewer could not have shown the contrary."""


@dataclass(frozen=True)
class ComparingRater:
    """How one rater answers, by ratings in which that rater has no part.

    Parameters
    ----------
    rater : object
    comparisons : int
    agreement : float
        Share of the answers other than ties that favour the item with the higher rating; nan
        without any.
    correlation : float
        Of the answer with the difference in ratings; nan where one of them never varies.
    median_probability : float
        Median, over answers, of the probability that a rater who looks at the items gives it.
    slope : Estimate
        How much of a difference in ratings the rater sees, 1 being usual, by a fit with a slope of
        each rater (and therefore not without that rater).
    checks, checks_right : int
        Attention checks answered, and answered right.
    score : float
        Log-likelihood ratio of the answers: of a rater who looks at the items to one who answers
        at random. Above 0 speaks for looking.
    p_value : float
        Probability that a rater who looks, as most do, would score this low, after Holm's
        correction over raters: small for spammers.
    p_random : float
        Probability that answers given without looking would go this well with the ratings, after
        Holm's correction: small for raters who do look.
    verdict : {"fine", "weak", "spammer", "cannot tell"}
        Better than random and no worse than most; both better than random and worse than most;
        worse than most and no better than random; neither.
    """

    rater: object
    comparisons: int
    agreement: float
    correlation: float
    median_probability: float
    slope: Estimate
    checks: int
    checks_right: int
    score: float
    p_value: float
    p_random: float
    verdict: str

    @property
    def spammer(self) -> bool:
        """Whether the rater answers at random, as far as two tests tell."""
        return self.verdict == "spammer"


class Raters(NamedTuple):
    """All raters, the worst first, and what a reader should know."""

    raters: tuple[ComparingRater, ...]
    notes: tuple[str, ...]

    @property
    def spammers(self) -> list[object]:
        """Names of those who answer at random."""
        return [r.rater for r in self.raters if r.spammer]


def find_spammers(
    comparisons: Comparisons,
    *,
    prior: float | None = None,
    checks: Comparisons | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
) -> Raters:
    r"""Judge raters by whether their answers go with the ratings that the others make.

    The items are rated without each rater in turn. A mixture of two kinds of raters then tells how
    those answer who look at the items, given the gap in ratings, and how those who do not. The
    score of a rater is the log-likelihood ratio of the two,

    .. math:: S = \sum_c \log \frac{P_\text{look}(a_c \mid x_c)}{P_\text{random}(a_c)}

    and two tests look at it from either side. The first asks whether a rater who looks would score
    that low; it has the exact distribution of S, for slopes that differ from rater to rater as much
    as they seem to in the crowd, the rater being taken for one of those who look. It keeps good
    raters from being accused: with Holm's correction, the chance that any is, is 1 - `level` at
    most, as far as slopes are lognormal. The second asks whether one who does not look would do
    that well; it is a permutation test of the correlation of the answers with what is expected of
    them, so that habits (always left, many ties) are no excuse and no offence. It keeps raters who
    look, but less well than others, from being called spammers. A spammer fails the first and does
    not pass the second. Few answers can do neither, and less than five are not judged.

    Parameters
    ----------
    comparisons : Comparisons
        With raters.
    prior : float, optional
        Of the ratings; see :func:`headcount.pairwise.bradley_terry.bradley_terry.bradley_terry`.
    checks : Comparisons, optional
        Pairs with a known answer. Comparisons of the same two items are judged by it instead of by
        the ratings.
    level : float
        Confidence of both tests.
    rng : int or Generator

    Notes
    -----
    The permutation test uses Pitman's approximation: t, with n - 2 degrees of freedom. A fit for
    each rater, or for each of 200 groups, and some thousand steps an answer for the first test.

    References
    ----------
    Holm (1979), A simple sequentially rejective multiple test procedure. Pitman (1937),
    Significance tests which may be applied to samples from any populations, II.

    Examples
    --------
    >>> from headcount.simulation.labelling import LabellingModel, simulate_comparisons
    >>> model = LabellingModel(items=60, raters=40, spammers=0.1, comparisons=1200)
    >>> played, truth = simulate_comparisons(model, rng=1)
    >>> found = find_spammers(played)
    >>> sorted(found.spammers)
    ['rater_11', 'rater_30', 'rater_39', 'rater_8']
    >>> truth.spammer.nonzero()[0] + 1
    array([ 8, 11, 30, 39])
    """
    if comparisons.rater is None or comparisons.raters is None:
        raise DataError(
            f"{comparisons.source}: to judge raters there must be a rater column "
            "(rater=..., --rater NAME)."
        )
    if not 0 < level < 1:
        raise OptionError(f"level must lie between 0 and 1, not {level:g}.")
    generator = options.seed(rng)
    played, notes = _sides_at_random(_counted(comparisons), generator)
    rater, n = np.asarray(played.rater), len(comparisons.raters)
    answer = np.where(played.outcome == 0.5, TIE, np.where(played.outcome > 0.5, LEFT, RIGHT))
    known = None if checks is None else _known(played, checks)
    if known is not None and not (known >= 0).any():
        notes.append(
            f"No comparison in {comparisons.source} is of a pair in "
            f"{'checks' if checks is None else checks.source}, so there are no checks."
        )
        known = None
    slopes, more = _slopes(played, prior)
    notes += more
    without = left_out(played, prior=prior, rng=generator)
    kinds = told_apart(without.evidence, answer, rater, n, known)
    looking = kinds.looking()
    seen = _Seen(
        comparisons.raters,
        rater,
        played.outcome,
        answer,
        without.gap,
        known,
        looking,
        looking - kinds.random,
        kinds,
    )
    # The comparisons of each rater who gave any.
    order = np.argsort(rater, kind="stable")
    of_raters = np.split(order, np.flatnonzero(np.diff(rater[order])) + 1)
    tests = np.array([_tests(seen, rows, 1 - level) for rows in of_raters])
    low, chance = (holm(p) for p in tests.T)
    raters = [
        _rater(seen, rows, slopes[rater[rows[0]]], float(low[k]), float(chance[k]), 1 - level)
        for k, rows in enumerate(of_raters)
    ]
    raters.sort(key=lambda r: (r.verdict != "spammer", r.score))
    return Raters(tuple(raters), (*notes, *_summary(raters)))


class _Seen(NamedTuple):
    """All that judges a rater."""

    names: Ids
    rater: Codes
    outcome: Floats
    answer: Codes
    gap: Floats
    known: Codes | None
    looking: Floats
    ratio: Floats
    kinds: Kinds


def _counted(comparisons: Comparisons) -> Comparisons:
    if comparisons.weight is None or comparisons.weight.all():
        return comparisons
    return comparisons.select(comparisons.weight > 0)


def _sides_at_random(
    comparisons: Comparisons, rng: np.random.Generator
) -> tuple[Comparisons, list[str]]:
    """Turn half the pairs round where the winner always stands on the same side."""
    sign = np.sign(comparisons.outcome - 0.5)
    if len(set(sign[sign != 0].tolist())) != 1:
        return comparisons, []
    flip = rng.random(len(comparisons)) < 0.5
    turned = replace(
        comparisons,
        left=np.where(flip, comparisons.right, comparisons.left),
        right=np.where(flip, comparisons.left, comparisons.right),
        outcome=np.where(flip, 1 - comparisons.outcome, comparisons.outcome),
    )
    side = "left" if sign.max() > 0 else "right"
    return turned, [
        f"The winner always stands on the {side}, so the sides of a pair are taken to say nothing "
        "of how it was shown."
    ]


def _known(played: Comparisons, checks: Comparisons) -> Codes:
    """Look up the right answer to each comparison that is a check; -1 for the others."""
    place = match_ids(checks.items, played.items)
    answers: dict[tuple[int, int], float] = {}
    for left, right, share in zip(checks.left, checks.right, checks.outcome, strict=True):
        a, b = int(place[left]), int(place[right])
        if min(a, b) < 0:
            continue
        for pair, value in (((a, b), float(share)), ((b, a), 1 - float(share))):
            if answers.setdefault(pair, value) != value:
                raise DataError(
                    f"{checks.source}: '{checks.items[left]}' and '{checks.items[right]}' have two "
                    "right answers. Keep one."
                )
    shares = [
        answers.get(pair, math.nan)
        for pair in zip(played.left.tolist(), played.right.tolist(), strict=True)
    ]
    right = np.array(shares)
    code = np.where(right == 0.5, TIE, np.where(right > 0.5, LEFT, RIGHT))
    return np.where(np.isnan(right), -1, code).astype(np.int64)


def _slopes(played: Comparisons, prior: float | None) -> tuple[list[Parameter], list[str]]:
    fit = bradley_terry(played, reliability=True, prior=prior, tolerance=1e-4)
    if fit.slope is None or fit.slope_error is None:
        raise ValueError("a fit with raters has their slopes")
    notes = [] if fit.converged else ["The fit of the raters' slopes has not converged."]
    pairs = zip(fit.slope.tolist(), fit.slope_error.tolist(), strict=True)
    return [Parameter(*pair) for pair in pairs], notes


def _tests(seen: _Seen, rows: Codes, alpha: float) -> tuple[float, float]:
    """Test a rater: for a score as low as this by looking, and one as good by not looking."""
    answer = seen.answer[rows]
    low = _as_low(seen.kinds.of(rows), answer)
    if low < alpha and len(rows) * MOST_FITS > len(seen.answer):
        # The hypothesis is that this rater looks. In a small crowd those who look seem better than
        # they are if one who may be among them is taken for random, and so left out of the fit.
        kinds = trusting(seen.kinds, seen.answer, seen.rater, int(seen.rater[rows[0]]))
        low = max(low, _as_low(kinds.of(rows), answer))
    looking = np.exp(seen.looking[:, rows])
    expected = looking[LEFT] + looking[TIE] / 2
    r = _correlation(expected, seen.outcome[rows])
    degrees = len(rows) - 2
    if math.isnan(r) or degrees < 1:
        return low, 1.0
    stats: Any = import_module("scipy.special")
    t = r * math.sqrt(degrees / max(1 - r * r, 1e-300))
    return low, float(stats.stdtr(degrees, -t))


def _as_low(kinds: Kinds, answer: Codes) -> float:
    """Probability that a rater who looks would score as low as by these answers."""
    ratio = kinds.looking() - kinds.random
    crowd = [(np.exp(kinds.looking(slope)), weight) for slope, weight in kinds.slopes()]
    return sum(weight * chance_below(chance, ratio, answer) for chance, weight in crowd)


def _correlation(a: Floats, b: Floats) -> float:
    if len(a) < 2 or not np.ptp(a) > 0 or not np.ptp(b) > 0:
        return math.nan
    return float(np.clip(np.corrcoef(a, b)[0, 1], -1, 1))


def _rater(
    seen: _Seen, rows: Codes, slope: Parameter, p_value: float, p_random: float, alpha: float
) -> ComparingRater:
    answer, known = seen.answer[rows], np.full(len(rows), -1)
    if seen.known is not None:
        known = seen.known[rows]
    places = np.arange(len(rows))
    looking = seen.looking[:, rows][answer, places]
    decided = (answer != TIE) & (known < 0) & (seen.gap[rows] != 0)
    agrees = (answer[decided] == LEFT) == (seen.gap[rows][decided] > 0)
    worse, better = p_value < alpha and len(rows) >= LEAST, p_random < alpha
    return ComparingRater(
        seen.names[seen.rater[rows[:1]]].tolist()[0],
        len(rows),
        float(agrees.mean()) if len(agrees) else math.nan,
        _correlation(seen.gap[rows][known < 0], seen.outcome[rows][known < 0]),
        float(np.median(np.exp(looking))),
        slope.estimate(1 - alpha),
        int((known >= 0).sum()),
        int(((known >= 0) & (known == answer)).sum()),
        float(seen.ratio[:, rows][answer, places].sum()),
        p_value,
        p_random,
        ("weak" if better else "spammer") if worse else ("fine" if better else "cannot tell"),
    )


def _summary(raters: list[ComparingRater]) -> list[str]:
    unsure = sum(r.verdict == "cannot tell" for r in raters)
    notes: list[str] = []
    if unsure:
        notes.append(
            f"{count(unsure, 'rater')} of {len(raters):,} gave too few answers, or to too close "
            "pairs, to tell whether they look at the items; they are kept."
        )
    turned = [r for r in raters if r.spammer and r.correlation < 0 and (r.slope.high or 0) < 0]
    if turned:
        notes.append(
            f"{count(len(turned), 'rater')} answered the wrong way round rather than at random; "
            "they may have misread the question."
        )
    return notes
