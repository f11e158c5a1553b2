"""Phi: agreement as concentration around a value of each item's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount import options
from headcount.agreement.phi.fit import fit, undefined
from headcount.agreement.phi.methods import METHODS, UNBIASED
from headcount.agreement.phi.prepare import prepare, take_gold
from headcount.agreement.phi.result import PhiItems, PhiResult
from headcount.agreement.phi.scale import Points
from headcount.agreement.raters.panel import Panel
from headcount.agreement.raters.populations import FIXED, RATERS, SAMPLE, find_scope
from headcount.data.labels import Labels
from headcount.errors import OptionError, option
from headcount.io.load import take_labels
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance

__all__ = ["PhiItems", "PhiResult", "phi"]

ADDED_UP = (
    "ratings were added up by label pattern where they lie, and from these it is found for method "
    "'unbiased' on scales of up to 21 points only"
)
FOR_THESE = (
    "its interval holds for these raters only, for ratings were added up where they lie, and to "
    "leave out raters one at a time takes ratings one by one"
)


def phi(
    labels: Labels | Any,
    *,
    limits: tuple[float, float] | None = None,
    method: str = UNBIASED.name,
    points: Points | None = None,
    gold: Mapping[object, float] | Any | None = None,
    gold_sd: float | None = None,
    level: float = 0.95,
    raters: str = SAMPLE.name,
    check: bool = True,
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
    apart the halves are (see :class:`~headcount.agreement.phi.inference.prior.Priors`), which are
    integrated out as well. Phi has a flat prior. The two halves let all central values lie near one
    end of the scale; and being each other's mirror images, they see to it that asking a question
    the other way round, of some items or of all, leaves Phi as it is.

    Method 'paper' is the published one: ratings squeezed to (x (n - 1) + 1/2) / n with n the number
    of raters, flat priors on :math:`\mu_i` and p, and Phi reported at the posterior mean, mode and
    interval of p, as its software does. It overstates agreement where raters are few, by up to .99,
    and understates it on few points with many raters.

    Parameters
    ----------
    labels : Labels, path, frame or array
        Ratings, or what :func:`headcount.read_ratings` reads; labels are numbers, or in order (an
        ordinal scale; then equally spaced).
    limits : (float, float), optional
        Ends of the scale. Without them, the lowest and highest label; a note says so.
    method : {"unbiased", "paper"}
    points : int or "continuous", optional
        How many equally spaced points the scale has; found from the labels if not given.
    gold : mapping of item to number, array, path or frame, optional
        True values of items: by item, as :func:`headcount.read_gold` reads them, or an array in
        the order of ``labels.items`` (nan where there is none). Such an item has a normal prior
        around it in place of the common one.
    gold_sd : float, optional
        Standard deviation of that prior, in units of the labels; 1/500 of the scale at least.
        Needed with `gold`.
    level : float
        Probability of the highest-density interval.
    raters : {"sample", "fixed"}
        For whom the interval holds: for raters like these, or for these raters only. That of
        method 'paper' holds for these.
    check : bool
        Whether to withhold Phi where ratings do not look as if its model had made them: data sets
        drawn from the posterior differ from them, or Phi changes once fine ratings are rounded.

    Returns
    -------
    PhiResult

    Notes
    -----
    O(ratings) to reduce items to patterns, then about 70 integrals over all patterns, of
    O(patterns x nodes x priors), nodes being 100 to 200 and priors up to 273. On a scale of points,
    patterns do not grow with items; continuous ratings become a few hundred Chebyshev nodes (see
    :func:`~headcount.agreement.phi.inference.items.compress`).

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
    >>> phi(labels, limits=(1, 5)).estimate  # for raters like these
    0.8008 (-0.0338 to 1)
    >>> result = phi(labels, limits=(1, 5), raters="fixed")
    >>> result.estimate
    0.8008 (0.3745 to 1)
    >>> result.words
    'agreement: the 95% interval of Phi lies above 0, what ratings at random would give'
    >>> round(result.map, 2), round(result.p_positive, 3)
    (1.0, 0.994)
    >>> result.items().mu.round(1)
    array([1.6, 4.4, 3. , 1.9, 4.1, 2.7])
    """
    way = METHODS[options.one_of(method, "method", list(METHODS))]
    level = options.level(level)
    kind = RATERS[options.one_of(raters, "raters", list(RATERS))]
    labels = take_labels(labels, reduced=True)
    if labels.reduced and gold is not None:
        raise OptionError(
            f"{option('gold')} is of items one by one, and ratings were added up where they lie."
        )
    truth, notes = take_gold(gold, gold_sd, labels), Notes(labels.notes)
    data = prepare(labels, way, limits=limits, points=points, gold=truth, notes=notes)
    scope = find_scope(Panel.from_labels(labels), FIXED if labels.reduced else kind)
    if labels.reduced and not (data.scale.binned and way.intervals):
        found = undefined(ADDED_UP)
    else:
        found = fit(data, way, level, scope, notes, check=options.switch(check, "check"))
        if labels.reduced and kind is SAMPLE:
            notes.info(f"Phi: {FOR_THESE}.")
    return PhiResult(
        provenance=Provenance(
            source=labels.source,
            sources=(*labels.sources, *truth.sources),
            dropped=labels.dropped,
            items_used=data.n_items,
            items_dropped=labels.n_items - data.n_items,
            n_ratings=data.n_ratings,
            n_raters=labels.n_raters,
            labels=labels.scale.labels,
            level=level,
            backend=labels.backend,
        ),
        notes=tuple(notes),
        method=way.name,
        limits=(data.scale.low, data.scale.high),
        points=data.scale.points,
        **vars(found),
    )
