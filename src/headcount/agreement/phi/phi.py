"""Phi: agreement as concentration around a value of each item's own."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from headcount.agreement.phi.fit import fit, undefined
from headcount.agreement.phi.mu import PhiItems
from headcount.agreement.phi.result import Method, PhiResult
from headcount.agreement.phi.scale import PhiScale, Points, label_values, read_scale
from headcount.agreement.prepare import check_labels
from headcount.data.labels import Labels
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, count, some, unknown_name
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats

__all__ = ["PhiItems", "PhiResult", "phi"]


def phi(
    labels: Labels,
    *,
    limits: tuple[float, float] | None = None,
    method: Method = "unbiased",
    points: Points | None = None,
    gold: Mapping[object, float] | ArrayLike | None = None,
    gold_sd: float | None = None,
    level: float = 0.95,
) -> PhiResult:
    r"""Measure how much raters agree, by Phi, with its exact posterior.

    Ratings of item i, scaled to the range from 0 to 1, are draws of a Beta distribution around a
    central value of its own, with a precision that all items share:

    .. math:: x_{ij} \sim \mathrm{Beta}(\mu_i p, (1 - \mu_i) p), \quad \Phi = 1 - 2^{1 - p/2}

    Phi is 1 where all raters of an item say the same, 0 where ratings are as spread out as numbers
    drawn at random (p = 2), and below 0 where they are polarised. Given p the items are
    independent and each :math:`\mu_i` is integrated out by a quadrature rule; the posterior of Phi
    is then a density on a line, from which everything is read off. Nothing is sampled.

    Method 'unbiased' treats a rating on a scale of K points as what it is, an interval of width
    1/K (on scales of more than 21 points, at the two ends only). The prior of the central values is
    learned from all items: half Beta(a, b), half Beta(b, a), with flat priors on the spread
    :math:`s = 2\,\mathrm{sd}(\mu)`, from 0 (all :math:`\mu_i` in the middle) to 1, and on how far
    apart the halves are (see :class:`~headcount.agreement.phi.prior.Priors`), which are integrated
    out as well. Phi has a flat prior. The two halves let all central values lie near one end of the
    scale; and being each other's mirror images, they see to it that asking a question the other
    way round, of some items or of all, leaves Phi as it is.

    Method 'paper' is the published one: ratings squeezed to (x (n - 1) + 1/2) / n with n the number
    of raters, flat priors on :math:`\mu_i` and p, and Phi reported at the posterior mean, mode and
    interval of p, as its software does. It overstates agreement where raters are few, by up to .99,
    and understates it on few points with many raters.

    Parameters
    ----------
    labels : Labels
        Ratings whose labels are numbers, or in order (an ordinal scale; then equally spaced).
    limits : (float, float), optional
        Ends of the scale. Without them, the lowest and highest label; a note says so.
    method : {"unbiased", "paper"}
    points : int or "continuous", optional
        How many equally spaced points the scale has; found from the labels if not given.
    gold : mapping of item to number, or array, optional
        True values of items, in the order of ``labels.items`` (nan where there is none). Such an
        item has a normal prior around it in place of the common one.
    gold_sd : float, optional
        Standard deviation of that prior, in units of the labels; 1/500 of the scale at least.
        Needed with `gold`.
    level : float
        Probability of the highest-density interval.

    Returns
    -------
    PhiResult

    Notes
    -----
    O(ratings) to reduce items to patterns, then about 70 integrals over all patterns, of
    O(patterns x nodes x priors), nodes being 100 to 200 and priors up to 273. On a scale of points,
    patterns do not grow with items; continuous ratings become a few hundred Chebyshev nodes (see
    :func:`~headcount.agreement.phi.items.compress`).

    Items with one rating say nothing of agreement and are left out. On a two-point scale p cannot
    be told from the spread of mu, and the result is undefined (method 'unbiased'). If the raters of
    every item agree in full, Phi is 1 and the flag `unanimous` is set; its interval is that of a
    uniform prior on mu.

    The mean is pulled towards 0 where there are very few ratings, since the prior is flat from -1
    to 1; the mode, ``map``, is not. Bias and coverage are tabulated in ``docs/studies/phi.md``.

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
    >>> result = phi(labels, limits=(1, 5))
    >>> result
    Phi 0.801 (0.374 to 1.000), method 'unbiased', 5 points, 18 ratings of 6 items
    agreement: the 95% interval of Phi lies above 0, what ratings at random would
      give
    >>> round(result.map, 2), round(result.p_positive, 3)
    (1.0, 0.994)
    >>> result.items().mu.round(1)
    array([1.6, 4.4, 3. , 1.9, 4.1, 2.7])
    """
    check_labels(labels)
    _check_options(method, level, gold, gold_sd)
    value, notes = label_values(labels)
    columns = int(np.count_nonzero(np.bincount(labels.rater)))
    scale, found = read_scale(
        value,
        ratings=len(labels),
        limits=limits,
        points=points,
        squeeze=columns if method == "paper" else None,
        source=labels.source,
    )
    rated = np.bincount(labels.item, minlength=len(labels.items))
    kept = rated >= 2
    rows = kept[labels.item]
    item = (np.cumsum(kept) - 1)[labels.item[rows]]
    x = value[labels.label[rows]]
    truth, unmatched = _gold(gold, labels, scale)
    result = PhiResult(
        estimate=Estimate(math.nan),
        map=None,
        p_positive=None,
        method=method,
        limits=(scale.low, scale.high),
        points=scale.points,
        items_used=int(kept.sum()),
        items_dropped=int((~kept).sum()),
        ratings_used=len(item),
        notes=(*labels.notes, *notes, *found, *unmatched, *_left_out(rated)),
    )
    if not len(item):
        return undefined(result, "no item has two ratings, so nobody can agree with anybody")
    ids = labels.items[np.flatnonzero(kept)]
    return fit(result, ids, item, x, truth[kept], gold_sd or 0.0, scale, level)


def _left_out(rated: Codes) -> list[str]:
    single = int((rated == 1).sum())
    if not single:
        return []
    return [f"Phi: {count(single, 'item')} with a single rating left out."]


def _gold(
    gold: Mapping[object, float] | ArrayLike | None, labels: Labels, scale: PhiScale
) -> tuple[Floats, list[str]]:
    """Return true values in the order of the items, nan where there is none, and notes."""
    truth = np.full(len(labels.items), np.nan)
    if gold is None:
        return truth, []
    notes: list[str] = []
    if isinstance(gold, Mapping):
        names = as_ids([str(key) for key in gold])
        given = np.array([float(number) for number in gold.values()], dtype=np.float64)
        place = match_ids(names, labels.items)
        truth[place[place >= 0]] = given[place >= 0]
        unknown = names[place < 0].tolist()
        if unknown:
            notes.append(
                f"Phi: gold of {count(len(unknown), 'item')} without ratings ignored: "
                f"{some(unknown)}."
            )
    else:
        given = np.asarray(gold, dtype=np.float64)
        if given.shape != truth.shape:
            raise DataError(
                f"gold has {given.size:,} values, but there are {count(len(truth), 'item')} in "
                f"{labels.source}. Give one for each of labels.items, nan where there is none, or "
                "a mapping."
            )
        truth[:] = given
    outside = np.flatnonzero((truth < scale.low) | (truth > scale.high))
    if len(outside):
        first = int(outside[0])
        raise DataError(
            f"gold of {count(len(outside), 'item')} lies outside the limits {scale.low:g} to "
            f"{scale.high:g}; the first: item '{labels.items[first]}', {truth[first]:g}."
        )
    return truth, notes


def _check_options(method: str, level: float, gold: object, gold_sd: float | None) -> None:
    if method not in ("unbiased", "paper"):
        raise unknown_name("method", method, ["unbiased", "paper"])
    if not 0 < level < 1:
        raise OptionError(f"level must lie between 0 and 1, such as .95, not {level:g}.")
    if gold is not None and gold_sd is None:
        raise OptionError(
            "gold needs gold_sd (--gold-sd): how far from the true value raters may settle, in "
            "units of the labels."
        )
    if gold is None and gold_sd is not None:
        raise OptionError(
            "gold_sd (--gold-sd) says how far raters may settle from true values; give those with "
            "gold (--gold)."
        )
    if gold_sd is not None and not (gold_sd > 0 and math.isfinite(gold_sd)):
        raise OptionError(f"gold_sd (--gold-sd) must be a number above 0, not {gold_sd:g}.")
