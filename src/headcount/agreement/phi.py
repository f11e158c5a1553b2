"""Phi: agreement as concentration around a value of each item's own."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from headcount import options
from headcount.agreement.phi_model import Binned, group, weights
from headcount.agreement.phi_posterior import (
    ITEM_COLUMNS,
    MOST_P,
    Likelihood,
    PhiItems,
    Posterior,
    WidePrecision,
    items_of,
    make_likelihood,
    widen,
)
from headcount.agreement.phi_ratings import (
    PhiRatings,
    PhiScale,
    Points,
    ends_known,
    prepare_phi,
)
from headcount.agreement.prepare import provenance_of
from headcount.agreement.raters import FIXED, RATERS, SAMPLE, Panel, Scope, find_scope
from headcount.data.labels import Labels
from headcount.engine.taking import take_labels
from headcount.errors import DataError, count, option, percent, probability, some
from headcount.results.fields import json_value
from headcount.results.notes import Notes
from headcount.results.result import Page, Result
from headcount.stats.arrays import group_sums
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import HIGHEST_DENSITY, PHI_WIDENED
from headcount.typing import Codes, Flags, Floats, Ids, Ints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "phi",
    "fit",
    "undefined",
    "PhiResult",
    "Verdict",
    "within_variance",
    "random_variance",
    "doubts",
]


ADDED_UP = (
    "ratings were added up by label pattern where they lie, and from these it is found for method "
    "'unbiased' on scales of up to 21 points only"
)
PHI_METHODS = ("unbiased", "paper")
"""Ways to measure Phi, the default first. In it a rating on a scale of points is an interval, the
prior of the central values is learned from all items, and that of Phi is flat. In the second,
the published one, ratings are moved off the ends of the scale, by half of it over the number of
raters, and priors are flat on the central values and on the precision, of which Phi is given."""
OPEN_ENDED = f"the ends of the scale are unknown; if it has ends, give them with {option('limits')}"
FOR_THESE = (
    "its interval is for these raters only, for ratings were added up where they lie, and to "
    "leave out raters one at a time takes ratings one by one"
)


def phi(
    labels: Labels | Any,
    *,
    limits: tuple[float, float] | None = None,
    method: str = PHI_METHODS[0],
    points: Points | None = None,
    level: float = 0.95,
    intervals: str = SAMPLE.name,
    check: bool = True,
) -> PhiResult:
    r"""Measure how much raters agree by Phi, with its exact posterior.

    Ratings of item i, scaled to the range from 0 to 1, are draws of a Beta distribution around a
    central value of its own, with a precision that all items share:

    .. math:: x_{ij} \sim \mathrm{Beta}(\mu_i p, (1 - \mu_i) p), \quad \Phi = 1 - 2^{1 - p/2}

    Phi is 1 if all raters of an item give the same rating, 0 if ratings are as spread out as random
    numbers (p = 2), and below 0 if they are polarised. Given p the items are independent and each
    :math:`\mu_i` is integrated out by a quadrature rule; the posterior of Phi is then a
    one-dimensional density, from which everything is computed. Nothing is sampled.

    Method 'unbiased' treats a rating on a scale of K points as an interval of width 1/K (on scales
    of more than 21 points, at the two ends only). The prior of the central values is learned from
    all items: half Beta(a, b), half Beta(b, a), with flat priors on the spread :math:`s =
    2\,\mathrm{sd}(\mu)`, from 0 (all :math:`\mu_i` in the middle) to 1, and on the distance between
    the halves (see :class:`~headcount.agreement.phi_model.Priors`), which are integrated out as
    well. Phi has a flat prior. With two halves all central values may lie near one end of the
    scale; and because they are mirror images, Phi does not change if a question is reversed, for
    some items or for all.

    Method 'paper' is the published one: ratings are transformed to (x (n - 1) + 1/2) / n with n the
    number of raters, priors on :math:`\mu_i` and p are flat, and Phi is reported at the posterior
    mean, mode and interval of p, as in its software. It overstates agreement with few raters, by up
    to .99, and understates it on few points with many raters.

    Parameters
    ----------
    labels : Labels, path, frame or array
        Ratings, or what :func:`headcount.read_ratings` reads. Labels are numbers, or on an ordinal
        scale (and then equally spaced).
    limits : (float, float), optional
        Ends of the scale. Default: the lowest and highest label, with a note; measurements and
        counts, whose scale has no ends, then have no Phi.
    method : {"unbiased", "paper"}
    points : "continuous", optional
        For numbers that are not points of a scale. Default: equally spaced points, if the labels
        are.
    level : float
        Probability of the highest-density interval.
    intervals : {"sample", "fixed"}
        Whether the interval holds for raters like these, or for these raters only. The interval of
        method 'paper' holds for these raters.
    check : bool
        Whether to withhold Phi if the ratings do not fit its model: data sets drawn from the
        posterior differ from them, or Phi changes when fine ratings are rounded.

    Returns
    -------
    PhiResult

    Notes
    -----
    O(ratings) to count patterns, then about 70 integrals over all patterns, of O(patterns x nodes x
    priors), with 100 to 200 nodes and up to 273 priors. On a scale of points, the number of
    patterns does not grow with items; continuous ratings become a few hundred Chebyshev nodes (see
    :func:`~headcount.agreement.phi_model.compress`).

    Items with one rating show no agreement and are left out. On a two-point scale p
    cannot be separated from the spread of mu, and the result is undefined (method 'unbiased').
    If the raters of every item agree completely, Phi is 1 and the flag `unanimous` is set; its
    interval is that of a uniform prior on mu.

    The value is the posterior mode, since with very few ratings the flat prior from -1 to 1 pulls
    the mean towards 0. Method "paper" gives the mean, as published. Bias and
    coverage are tabulated in ``docs/studies/phi.md``.

    References
    ----------
    Checco, Roitero, Maddalena, Mizzaro and Demartini, "Let's Agree to Disagree: Fixing Agreement
    Measures for Crowdsourcing", HCOMP 2017. Smithson and Verkuilen, "A better lemon squeezer?
    Maximum-likelihood regression with beta-distributed dependent variables", 2006.

    Examples
    --------
    >>> items = [item for item in "abcdef" for _ in range(3)]
    >>> values = [1, 1, 2,  5, 5, 4,  3, 3, 3,  2, 1, 2,  4, 4, 5,  2, 3, 3]
    >>> labels = Labels.from_triples(items, [1, 2, 3] * 6, values)
    >>> phi(labels, limits=(1, 5)).estimate  # for raters like these
    0.9993 (-0.0338 to 1)
    >>> result = phi(labels, limits=(1, 5), intervals="fixed")
    >>> result.estimate
    0.9993 (0.3745 to 1)
    >>> result.words
    'Phi shows agreement: its 95% interval lies above 0, the value of random ratings'
    >>> round(result.mean, 2), round(result.p_positive, 3)
    (0.8, 0.994)
    >>> result.items().mu.round(1)
    array([1.6, 4.4, 3. , 1.9, 4.1, 2.7])
    """
    method = options.one_of(method, "method", list(PHI_METHODS))
    unbiased = method == PHI_METHODS[0]
    level = options.level(level)
    kind = RATERS[options.one_of(intervals, "intervals", list(RATERS))]
    labels = take_labels(labels, reduced=True)
    notes = Notes(labels.notes)
    open_ended = limits is None and points is None and not ends_known(labels)
    taken = Notes() if open_ended else notes
    data = prepare_phi(labels, unbiased=unbiased, limits=limits, points=points, notes=taken)
    scope = find_scope(Panel.from_labels(labels), FIXED if labels.reduced else kind)
    if open_ended:
        fitted = undefined(OPEN_ENDED)
    elif labels.reduced and not (data.scale.binned and unbiased):
        fitted = undefined(ADDED_UP)
    else:
        fitted = fit(data, level, scope, notes, check=options.switch(check, "check"))
        if labels.reduced and kind is SAMPLE:
            notes.info(f"Phi: {FOR_THESE}.")
    return PhiResult(
        provenance=replace(
            provenance_of(labels, items_used=data.n_items, level=level),
            n_ratings=data.n_ratings,
        ),
        notes=tuple(notes),
        method=method,
        limits=(data.scale.low, data.scale.high),
        points=data.scale.points,
        **vars(fitted),
    )


# Phi from plain arrays: which likelihood, which prior, and what to say of the cases.

TWO_POINTS = (
    "not identified on a scale of two points, where raters who agree on each item and raters who "
    "are torn alike over all of them give the same ratings; use a kappa or Krippendorff's alpha"
)


def fit(data: PhiRatings, level: float, scope: Scope, notes: Notes, *, check: bool) -> PhiFit:
    """Find Phi with its posterior; or why it has none.

    Parameters
    ----------
    data : PhiRatings
    level : float
        Probability of the highest-density interval.
    scope : Scope
        For whom the interval holds.
    notes : Notes
        Takes what a reader should know.
    check : bool
        Whether to withhold it where the model does not fit.
    """
    if not len(data.item):
        return undefined("no item has two ratings, so nobody can agree with anybody")
    two_points = data.scale.points == 2 and data.unbiased
    if data.unanimous and (two_points or not data.unbiased):
        # Under a flat prior on p nothing bounds it, and two points say nothing of it.
        _note_unanimous(notes, bounded=False)
        estimate = Estimate(1.0, level=level)
        if not two_points:
            estimate = replace(estimate, low=1.0, high=1.0, method=HIGHEST_DENSITY.name)
        return PhiFit(estimate=estimate, map=1.0, mean=1.0, p_positive=1.0, unanimous=True)
    if two_points:
        return undefined(TWO_POINTS)
    like = make_likelihood(data)
    posterior = like.posterior()
    plain = _plain(data, like, posterior, level)
    if data.unanimous:
        _note_unanimous(notes, bounded=True)
        return plain
    _note_doubts(notes, data, like, posterior)
    plain = replace(plain, closer=within_variance(data) <= random_variance(data.scale))
    if check and (why := doubts(data, like, posterior)):
        withheld = f"withheld, since its model does not fit: {why}"
        return replace(
            plain,
            estimate=Estimate(math.nan, undefined=withheld),
            fitted=plain.estimate,
            withheld=why,
        )
    if scope.crossed and data.unbiased:
        plain = _widened(plain, widen(data, posterior, scope.effective), level)
    return plain


def _plain(data: PhiRatings, like: Likelihood, posterior: Posterior, level: float) -> PhiFit:
    """Read off the posterior."""
    low, high = posterior.highest(level)
    centre = posterior.mean if posterior.flat_in_p else posterior.mode  # the published one: mean
    value, high = (1.0, 1.0) if data.unanimous else (centre, high)
    return PhiFit(
        estimate=Estimate(value, low=low, high=high, level=level, method=HIGHEST_DENSITY.name),
        map=1.0 if data.unanimous else posterior.mode,
        mean=1.0 if data.unanimous else posterior.mean,
        p_positive=posterior.above_zero,
        unanimous=data.unanimous,
        spread=None if like.fixed else posterior.mean_spread,
        posterior=posterior,
        # Of ratings that were added up there are no items to tell of.
        rated=None if data.weight is not None else (data, like),
    )


def _widened(plain: PhiFit, wide: WidePrecision, level: float) -> PhiFit:
    """Let the interval hold for raters like these; the value stays inside it."""
    low, high = wide.ends(level)
    value = plain.estimate.value
    widened = Estimate(
        value, low=min(low, value), high=max(high, value), level=level, method=PHI_WIDENED.name
    )
    return replace(plain, estimate=widened, these_raters=plain.estimate, p_positive=wide.above_zero)


def undefined(why: str) -> PhiFit:
    """Say why there is no Phi."""
    return PhiFit(estimate=Estimate(math.nan, undefined=why))


def _note_unanimous(notes: Notes, *, bounded: bool) -> None:
    notes.caution(
        "Phi: the raters of every item agree in full, so Phi is 1 by definition; "
        + (
            "its interval rests on a uniform prior of the central values."
            if bounded
            else "nothing in the data bounds its precision."
        )
    )


def _note_doubts(notes: Notes, data: PhiRatings, like: Likelihood, posterior: Posterior) -> None:
    if data.n_items == 1:
        notes.warning(
            "Phi: only one item, which a precision of its own may fit too well; rely on the "
            "interval alone, or have more items rated."
        )
    if like.patterns.n.max() == 2:
        pulled = "; with few items its posterior mean is pulled towards 0"
        notes.caution(
            "Phi: no item has more than two ratings, from which little is learned of each item's "
            f"central value{pulled if data.unbiased else ''}."
        )
    if not data.unbiased:
        notes.warning(
            "Phi: this is the published model, which is far off: upwards where raters are few, "
            f"downwards on few points with many raters. {option('method', PHI_METHODS[0])} is not."
        )
    if float(posterior.joint[-1].sum()) > 1e-6 and posterior.p[-1] >= 0.99 * MOST_P:
        notes.caution(
            f"Phi: the precision is beyond {MOST_P:,.0f}, where Phi is 1 to all digits; intervals "
            "of central values are too wide."
        )


# What is found of Phi, as plain records.


@dataclass(frozen=True, eq=False, kw_only=True)
class PhiFit:
    """Phi with its posterior, from plain arrays.

    Parameters
    ----------
    estimate : Estimate
        Posterior mode and highest-density interval; or why there is none. The mode is less biased
        than the mean, and closer to the truth from .6 on (docs/studies/phi.md).
    map, mean : float or None
        Where the posterior density is highest, and its mean.
    p_positive : float or None
        Posterior probability that Phi > 0.
    unanimous : bool
        Whether the raters of every item agree in full. Phi is then 1 by definition.
    spread : float or None
        Posterior mean of 2 sd(mu), which the unbiased method learns, for items turned at random:
        0 if all have their central value in the middle of the scale, .58 if it is anywhere, 1 if
        it is at either end.
    posterior : Posterior or None
        The grid behind the numbers.
    rated : (PhiRatings, Likelihood) or None
        What central values are found from.
    these_raters : Estimate or None
        With an interval for these raters, where that of `estimate` holds for raters like these.
    fitted : Estimate or None
        What the model gave, where it is withheld.
    withheld : str or None
        Why it is withheld: what does not fit the model.
    closer : bool
        Whether ratings of an item are closer together than random ones, so that it is no
        disagreement, whatever Phi is.
    """

    estimate: Estimate
    map: float | None = None
    mean: float | None = None
    p_positive: float | None = None
    unanimous: bool = False
    spread: float | None = None
    posterior: Posterior | None = None
    rated: tuple[PhiRatings, Likelihood] | None = None
    these_raters: Estimate | None = None
    fitted: Estimate | None = None
    withheld: str | None = None
    closer: bool = False


Verdict = Literal["agreement", "disagreement", "cannot tell", "withheld", "undefined"]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PhiResult(PhiFit, Result):
    """Phi with its posterior, and how it was measured; other fields are as in :class:`PhiFit`.

    Parameters
    ----------
    method : str
        Name of the method.
    limits : (float, float) or None
        Ends of the scale.
    points : int or None
        Equally spaced points on it; None if ratings are continuous.

    Examples
    --------
    >>> from headcount import phi
    >>> phi("example:stars").map > 0.9
    True
    """

    method: str
    limits: tuple[float, float] | None
    points: int | None

    @property
    def agreed_by_these(self) -> bool:
        """Whether these raters agree by an interval of their own, and others like them may not."""
        these, low = self.these_raters, self.estimate.low
        if these is None or these.low is None or low is None:
            return False
        return these.low > 0 >= low

    @property
    def value(self) -> float:
        """Posterior mode; nan if undefined."""
        return self.estimate.value

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""
        return self.estimate.low

    @property
    def high(self) -> float | None:
        """Upper end of the interval."""
        return self.estimate.high

    @property
    def verdict(self) -> Verdict:
        """What the interval says: agreement if it lies above 0, disagreement if below.

        It is no disagreement where ratings of an item are closer together than random ones.
        """
        if self.withheld is not None:
            return "withheld"
        if self.estimate.undefined is not None:
            return "undefined"
        low, high = self.estimate.low, self.estimate.high
        if low is None or high is None:
            return "agreement" if self.unanimous else "cannot tell"
        if low > 0:
            return "agreement"
        return "disagreement" if high < 0 and not self.closer else "cannot tell"

    @property
    def words(self) -> str:
        """The verdict as a sentence."""
        if self.withheld is not None:
            return f"Phi is withheld, since its model does not fit: {self.withheld}"
        if self.estimate.undefined is not None:
            return f"Phi is undefined: {self.estimate.undefined}"
        interval = f"its {percent(self.estimate.level or 0)} interval"
        answer = "Phi cannot show whether raters agree"
        if self.verdict != "cannot tell":
            answer = f"Phi shows {self.verdict}"
        if self.unanimous:
            few = f", but on so few ratings that {interval} contains 0"
            in_full = "the raters of every item agree in full"
            return f"{answer}: {in_full}{few if self.verdict == 'cannot tell' else ''}"
        if self.verdict == "agreement":
            return f"{answer}: {interval} lies above 0, the value of random ratings"
        if self.verdict == "disagreement":
            return (
                f"{answer}: {interval} lies below 0; ratings of an item are further apart than at "
                "random"
            )
        if self.agreed_by_these:
            return (
                f"Phi shows agreement of these raters: {interval} for them lies above 0, the value "
                "of random ratings; so few raters cannot show if others would agree"
            )
        if self.estimate.high is not None and self.estimate.high < 0:
            return (
                f"{answer}: {interval} lies below 0, yet ratings of an item are closer together "
                "than random ones"
            )
        return (
            f"{answer}: {interval} contains 0; either there are too few ratings, or items differ "
            "in how much they are agreed on"
        )

    @property
    def summary(self) -> str:
        """The verdict with the probability that Phi is above 0."""
        if self.withheld is not None or self.p_positive is None:
            return f"{self.words}."
        return f"{self.words}. P(Phi > 0) {probability(self.p_positive)}."

    def items(self, level: float | None = None) -> PhiItems:
        """Find the central value of each item, with an interval. O(patterns x nodes)."""
        if self.posterior is None or self.rated is None:
            added = "ratings were added up where they are" if self.posterior else None
            why = added or self.estimate.undefined or "every item is unanimous"
            raise DataError(f"there are no central values without a posterior of Phi: {why}.")
        level = self.estimate.level or 0.95 if level is None else options.level(level)
        return items_of(*self.rated, self.posterior, level)

    def page(self) -> Page:
        """Say how much raters agree, by Phi."""
        e = self.estimate
        if e.undefined is not None:
            fitted = self.fitted
            shown = [f"what it gave all the same: {fitted!r}"] if fitted is not None else []
            return Page([self.words], shown, [_made(self)])
        interval = f", {percent(e.level or 0)} interval {e.interval()}" if e.low is not None else ""
        return Page([f"Phi is {e.show(e.value)}{interval}", self.summary], [], [_made(self)])

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per item: its central value and how its spread compares.

        No rows where there is no posterior.
        """
        items = None if self.posterior is None or self.rated is None else self.items()
        return {n: [] if items is None else getattr(items, n).tolist() for n in ITEM_COLUMNS}

    def document(self) -> dict[str, Any]:
        """Return what is particular to Phi."""
        names = (
            "map", "mean", "p_positive", "verdict", "method", "limits", "points", "unanimous",
            "withheld", "fitted", "these_raters",
        )  # fmt: skip
        return {
            **self.estimate.to_dict(),
            "undefined": self.estimate.undefined,
            **{name: json_value(getattr(self, name)) for name in names},
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the posterior density of Phi, with its interval shaded (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.agreement.plot import plot_posterior

        return plot_posterior(self, ax)


def _made(phi: PhiResult) -> str:
    p = phi.provenance
    scale = "continuous ratings" if phi.points is None else f"{phi.points:,} points"
    size = f"{count(p.n_ratings or 0, 'rating')} of {count(p.items_used, 'item')}"
    ends = "" if phi.limits is None else f" from {phi.limits[0]:g} to {phi.limits[1]:g}"
    return f"method '{phi.method}'; {scale}{ends}; {size}"


# Whether ratings look as if Phi's model had made them; where they do not, Phi is withheld.

# A posterior says how sure one may be of Phi if the model holds. It does not say whether it does.

REPLICATES, CELLS = 99, 33
"""Data sets drawn from the posterior, and precisions with priors that they are drawn for: each
needs tables of its own."""
MOST_ITEMS = 400
"""Items that are drawn again, at most: so many show what does not fit."""
MOST_RATINGS, LEAST_ITEMS = 5 * 10**4, 8
"""Ratings of these, at most; but so many items where each has more."""
MOST_ROUNDED = 100_000
"""Items that are rounded, at most."""
FAR = 3.0
"""Standard deviations from what is drawn at which a statistic does not fit."""
FAR_OF_SOME = 4.0
"""The same for some of the items: the posterior, of all of them, has not been fitted to these."""
COARSE = 5
"""Bins to which fine ratings are rounded, to see if Phi depends on how fine they are."""
LEAST_CHANGE = 0.1
"""Change of Phi by rounding that matters."""
NODES = 0.4
"""Distance of the nodes among which central values are drawn."""
MOST_NAMED = 5
"""Items that are named as not fitting, at most."""
SEED = 20170
"""Of the replicates: a check gives the same answer every time."""

STATISTICS = (
    "ratings of an item are {} spread out than it leads to expect",
    "opposite ratings of an item are {} common than it leads to expect",
    "items differ {} in how much they are agreed on than it leads to expect",
    "two ratings at the same end of the scale are {} common than it leads to expect",
    "one rating at an end of the scale and another inside is {} common than it leads to expect",
)
"""What each statistic of :func:`_statistics` says where it does not fit."""


def within_variance(data: PhiRatings) -> float:
    """Mean over items of the variance of their ratings, on the scale from 0 to 1."""
    unit = (data.x - data.scale.low) / (data.scale.high - data.scale.low)
    return float(np.average(_variances(data.item, unit, len(data.ids)), weights=data.weight))


def random_variance(scale: PhiScale) -> float:
    """Variance of ratings at random, all over the scale: 1/12, or that of equally likely points."""
    points = scale.points
    return 1 / 12 if points is None else (points + 1) / (12 * (points - 1))


def doubts(data: PhiRatings, like: Likelihood, posterior: Posterior) -> str:
    """Say what speaks against the model; "" where it fits, or there is too little to see."""
    if not data.unbiased or data.unanimous or data.n_items < 3:
        return ""
    checks = (_predictive(data, like, posterior), _rounding(data, posterior))
    return " and ".join(filter(None, checks))


def _predictive(data: PhiRatings, like: Likelihood, posterior: Posterior) -> str:
    """Draw data sets from the posterior, and compare five statistics of them with the data's."""
    rng = np.random.default_rng(SEED)
    item, unit, pattern, ids = _chosen(data, like)
    n = len(pattern)
    observed, variance = _statistics(item, unit, n, data.scale)
    drawn, variances = np.empty((REPLICATES, len(observed))), np.empty((REPLICATES, n))
    sampler = _Sampler(like, pattern, posterior)
    cells = sampler.cells(rng)
    for row in range(REPLICATES):
        p, mu = sampler.draw(cells[row % len(cells)], rng)
        replicate = _rounded(rng.beta(p * mu[item], p * (1 - mu[item])), data.scale.points)
        drawn[row], variances[row] = _statistics(item, replicate, n, data.scale)
    # Of pairs that hardly ever come up, one more or less says nothing.
    one_pair = np.array([0, 1, 0, 1, 1]) / _pairs(item, n)
    spread = np.hypot(drawn.std(axis=0, ddof=1), one_pair)
    away = np.divide(observed - drawn.mean(axis=0), spread, out=np.zeros(5), where=spread > 0)
    worst = int(np.abs(away).argmax())
    if abs(away[worst]) <= (FAR if n == data.n_items else FAR_OF_SOME):
        return ""
    above = variance - variances.mean(axis=0)
    apart = np.flatnonzero(variance > variances.max(axis=0))
    order = apart[np.argsort(-above[apart])].tolist()
    names = [] if ids is None else [str(ids[i]) for i in order]
    why = STATISTICS[worst].format("more" if away[worst] > 0 else "less")
    # One in a hundred is beyond all replicates by chance.
    if len(names) > 0.03 * n:
        why += f"; look at items {some(names[:MOST_NAMED], MOST_NAMED)}"
    return why


def _rounding(data: PhiRatings, posterior: Posterior) -> str:
    """Fit fine ratings again, rounded to five bins, which should change Phi little."""
    if data.scale.binned:
        return ""
    data = data.some_items(MOST_ROUNDED)
    unit = data.scale.unit(data.x)
    bins = np.minimum((unit * COARSE).astype(np.int64), COARSE - 1)
    coarse = replace(
        data, x=bins / (COARSE - 1), scale=PhiScale(0.0, 1.0, points=COARSE, squeeze=COARSE)
    )
    if coarse.unanimous:
        return ""
    other = make_likelihood(coarse).posterior()
    (mean, sd), (again, coarse_sd) = posterior.log_precision(), other.log_precision()
    error = np.sqrt(max(coarse_sd**2 - sd**2, coarse_sd**2 / 4))
    if abs(again - mean) <= FAR * error or abs(other.mean - posterior.mean) <= LEAST_CHANGE:
        return ""
    return (
        f"it changes from {posterior.mean:.2f} to {other.mean:.2f} if ratings are rounded to "
        f"{count(COARSE, 'point')}"
    )


def _statistics(item: Codes, unit: Floats, n: int, scale: PhiScale) -> tuple[Floats, Floats]:
    """Five statistics that do not change if items are turned around; and variances of the items."""
    ratings = np.bincount(item, minlength=n).astype(np.float64)
    pairs = _pairs(item, n)
    variance = _variances(item, unit, n)

    def number(where: Flags) -> Floats:
        return group_sums(item, where.astype(np.float64), n)

    low, high = number(unit < 1 / 3), number(unit > 2 / 3)
    end = 0.0 if scale.points is None else 1 / scale.points
    bottom, top = number(unit < end), number(unit > 1 - end)
    same = (bottom * (bottom - 1) + top * (top - 1)) / 2
    mixed = (bottom + top) * (ratings - bottom - top)
    statistics = (
        variance.mean(),
        (low * high).sum() / pairs,
        variance.std(),
        same.sum() / pairs,
        mixed.sum() / pairs,
    )
    return np.array(statistics), variance


def _pairs(item: Codes, n: int) -> float:
    """Pairs of ratings of the same item."""
    ratings = np.bincount(item, minlength=n)
    return float((ratings * (ratings - 1)).sum() / 2)


def _variances(item: Codes, unit: Floats, n: int) -> Floats:
    ratings = np.bincount(item, minlength=n)
    mean = group_sums(item, unit, n) / ratings
    return group_sums(item, (unit - mean[item]) ** 2, n) / (ratings - 1)


def _rounded(x: Floats, points: int | None) -> Floats:
    """Round to the middle of the intervals of a scale of points."""
    if points is None:
        return x
    return (np.minimum(np.floor(x * points), points - 1) + 0.5) / points


def _chosen(data: PhiRatings, like: Likelihood) -> tuple[Codes, Floats, Ints, Ids | None]:
    """Choose items to draw again: item and place from 0 to 1 of each rating; pattern, id of each.

    At most `MOST_ITEMS` with `MOST_RATINGS`, evenly over their order: that of patterns, or of ids
    if each is its own.
    So the choice is the same of items one by one, and of patterns with the number of each; the
    latter have no ids.
    """
    ratings = like.patterns.ratings
    if like.pattern is None or not isinstance(ratings, Binned):
        chosen = data.some_items(_most(data))
        index = _evenly(len(data.ids), _most(data))
        return chosen.item, chosen.scale.unit(chosen.x), index, chosen.ids
    index = _evenly(data.n_items, _most(data))
    pattern = np.searchsorted(np.cumsum(like.patterns.weight), index, side="right")
    counts = ratings.counts[pattern].astype(np.int64)
    item, point = np.nonzero(counts)
    times = counts[item, point]
    unit = (np.repeat(point, times) + 0.5) / counts.shape[1]
    ids = None
    if data.weight is None:
        ids = data.ids[np.argsort(like.pattern, kind="stable")[index]]
    return np.repeat(item, times), unit, pattern, ids


def _most(data: PhiRatings) -> int:
    """Items that are drawn again at most: fewer where each has very many ratings."""
    return min(MOST_ITEMS, max(MOST_RATINGS * data.n_items // data.n_ratings, LEAST_ITEMS))


def _evenly(n: int, most: int) -> Ints:
    """Choose among so many items, by their places."""
    return np.arange(n) if n <= most else np.linspace(0, n - 1, most).astype(np.intp)


class _Sampler:
    """Draws a precision, and central values of items given their ratings, from the posterior."""

    def __init__(self, like: Likelihood, pattern: Ints, posterior: Posterior) -> None:
        self.posterior = posterior
        self.joint = np.cumsum(posterior.joint.ravel())
        used, self.item = np.unique(pattern, return_inverse=True)
        of = like.patterns.take(used)
        self.rows, self.groups = of.alike(), group(of)
        self.tables: dict[int, list[tuple[Floats, Floats]]] = {}

    def cells(self, rng: np.random.Generator) -> list[int]:
        """Draw cells of the posterior, a precision and a prior each, one from each equal part."""
        part = (np.arange(CELLS) + rng.random(CELLS)) / CELLS
        return np.minimum(np.searchsorted(self.joint, part), len(self.joint) - 1).tolist()

    def draw(self, cell: int, rng: np.random.Generator) -> tuple[float, Floats]:
        """Give the precision of a cell, and draw the central value of each item."""
        row, prior = divmod(cell, len(self.posterior.priors))
        p = float(self.posterior.p[row])
        if cell not in self.tables:
            self.tables[cell] = self._table(p, prior)
        out = np.empty(len(self.item))
        for rows, (mu, below) in zip(self.rows, self.tables[cell], strict=True):
            where = np.full(int(self.item.max()) + 1, -1)
            where[rows] = np.arange(len(rows))
            mine = where[self.item]
            items = np.flatnonzero(mine >= 0)
            # Items in rows of one sorted table: the row's number is added to both sides.
            flat = (below + np.arange(len(below))[:, None]).ravel()
            at = np.searchsorted(flat, mine[items] + rng.random(len(items)))
            out[items] = mu[np.clip(at - mine[items] * len(mu), 0, len(mu) - 1)]
        # At 0 and 1 a Beta has no density; so near it everybody says the same.
        return p, np.clip(out, 1e-9, 1 - 1e-9)

    def _table(self, p: float, prior: int) -> list[tuple[Floats, Floats]]:
        """Nodes, and the distribution function of each pattern's central value on them."""
        out: list[tuple[Floats, Floats]] = []
        priors = self.posterior.priors.take(np.array([prior]))
        for part in self.groups:
            at = part.nodes(p, priors, step=NODES)
            every = slice(0, part.ratings.patterns)
            log_table = part.ratings.log_density(p, at, every)
            density = np.exp(log_table - log_table.max(axis=1, keepdims=True))
            density *= weights(at, priors)[:, 0]
            below = np.cumsum(density, axis=1)
            out.append((at.mu, below / below[:, -1:]))
        return out
