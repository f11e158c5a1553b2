"""Agreement end to end: labels in, coefficients with intervals out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from headcount import options
from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.catalogue import choose
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.estimates import estimate
from headcount.agreement.notes import (
    note_draws,
    note_pairs,
    note_phi,
    note_scale,
    note_single,
    note_sizes,
)
from headcount.agreement.phi.methods import UNBIASED
from headcount.agreement.phi.phi import phi
from headcount.agreement.prepare import Prepared, prepare
from headcount.agreement.records import TAKEN, AgreementProvenance
from headcount.agreement.result import AgreementResult
from headcount.agreement.scales import INTERVAL
from headcount.agreement.views import item_view, pair_view, rater_view
from headcount.data.labels import Labels
from headcount.errors import OptionError, option
from headcount.io.take import take_labels
from headcount.results.notes import Notes
from headcount.typing import Codes, Seed

__all__ = ["agree"]

Wanted = str | Coefficient | Callable[[Codes], Any]
"""A coefficient: its name, or a caller's own."""


def agree(
    labels: Labels | Any,
    *,
    scale: str | None = None,
    coefficients: Collection[Wanted] | Wanted | None = None,
    bootstrap: int = 500,
    level: float = 0.95,
    rng: Seed = 0,
    by_rater: bool = False,
    by_item: bool = False,
    limits: tuple[float, float] | None = None,
    method: str = UNBIASED.name,
    gold: Mapping[object, float] | Any | None = None,
    gold_sd: float | None = None,
) -> AgreementResult:
    """Find how much raters agree, and whether it is more than chance.

    Ratings may be missing anywhere, and items may have any number of raters. A coefficient that
    has no value on the data says why.

    Parameters
    ----------
    labels : Labels, path, frame or array
        The ratings, or what :func:`headcount.read_ratings` reads.
    scale : {"nominal", "ordinal", "interval", "ratio"}, optional
        What the labels are: names, names in order, numbers, numbers from 0 on of which ratios
        matter. Default: what the labels declare; else interval if they are more than two numbers
        (a note says so), else nominal.
    coefficients : collection of str, Coefficient or function, optional
        Names of those wanted; all by default. Those of pairs of raters (scott, cohen, ...) take
        the longest. Your own may be among them: a function of an (items, labels) table of counts
        that returns a number, an object with such a function, ``value``, a ``name`` and a
        ``title``, or a :class:`~headcount.agreement.coefficients.base.Coefficient`.
    bootstrap : int
        Number of bootstrap samples of items, the same for all coefficients. With 0, intervals are
        analytic where there are standard ones.
    level : float
        Coverage of the intervals.
    rng : int or Generator
        Seed or generator of the bootstrap.
    by_rater : bool
        Compare each rater with the others, and every two raters.
    by_item : bool
        List items, most contested first.
    limits, method, gold, gold_sd
        Of :func:`headcount.phi`, which is measured as well unless the scale is nominal.

    Returns
    -------
    AgreementResult

    Notes
    -----
    Each item with its counts is a label pattern; a resample of items is one multinomial draw over
    patterns, and a coefficient a small matrix product: O(draws x patterns). Scott's pi, Cohen's
    kappas and ICC(2,k) depend on who rated, and cost O(draws x pairs of ratings); where that is
    about 10^9 or more, their intervals are analytic, and a note says so. Draws in which a
    coefficient is undefined (every item drawn has the same label) are left out, and counted in a
    note.

    References
    ----------
    Krippendorff (2011), Fleiss (1971), Gwet (2008, 2014), Scott (1955), Cohen (1960, 1968), Shrout
    and Fleiss (1979): see docs/agreement.md.

    Examples
    --------
    >>> from headcount.agreement import agree
    >>> from headcount.agreement.paradoxes import paradox
    >>> result = agree(paradox("8a"), rng=1)
    >>> result["percent"], result["alpha"]
    (0.75 (0.625 to 0.875), 0.4733 (0.1988 to 0.724))
    >>> agree(paradox("2"))["alpha"]
    undefined: every rating is '1'

    A coefficient of your own gets an interval from the same draws:

    >>> def unanimous(counts):
    ...     return (counts.max(axis=1) == counts.sum(axis=1)).mean()
    >>> agree(paradox("8a"), coefficients=["alpha", unanimous], rng=1)["unanimous"]
    0.75 (0.625 to 0.875)
    """
    kinds, _ = choose(coefficients, taken=TAKEN)
    draws, level, generator = options.draws(bootstrap), options.level(level), options.seed(rng)
    options.switch(by_rater, "by_rater")
    options.switch(by_item, "by_item")
    labels = take_labels(labels)
    if by_rater:
        labels.check_raters("comparing raters")
    data = prepare(labels, scale)
    notes = Notes(labels.notes)
    note_scale(notes, data, given=scale is not None)

    engine = Engine(data, kinds)
    found = estimate(engine, draws, level, generator)
    provenance = _provenance(labels, data, draws, level, rng)
    note_sizes(notes, data, provenance)
    note_single(notes, provenance, kinds)
    note_draws(notes, engine, found, draws, level)
    note_pairs(notes, engine)

    concentration = None
    if data.scale.ordered and coefficients is None:
        concentration = phi(
            data.for_phi, limits=limits, method=method, gold=gold, gold_sd=gold_sd, level=level
        )
        notes.extend(concentration.notes)
        note_phi(notes, engine.coefficients, found.coefficients, concentration)
    elif method != UNBIASED.name or any(x is not None for x in (limits, gold, gold_sd)):
        raise _no_phi(data)
    return AgreementResult(
        provenance=provenance,
        notes=tuple(notes),
        kinds={one.name: one for one in kinds},
        coefficients=found.coefficients,
        analytic=found.analytic,
        raters=rater_view(data.labels, level) if by_rater else (),
        pairs=pair_view(engine, level) if by_rater else (),
        items=item_view(data, concentration) if by_item else (),
        phi=concentration,
    )


def _no_phi(data: Prepared) -> OptionError:
    """Refuse options of Phi where it is not measured."""
    why = (
        "is not measured where coefficients are chosen: see headcount.phi."
        if data.scale.ordered
        else f"needs a scale with an order: say {option('scale', INTERVAL.name)}, or leave them "
        "out."
    )
    return OptionError(
        f"{option('limits')}, {option('method')}, {option('gold')} and {option('gold_sd')} are of "
        f"Phi, which {why}"
    )


def _provenance(
    labels: Labels, data: Prepared, draws: int, level: float, rng: Seed
) -> AgreementProvenance:
    per_item = data.patterns.ratings[data.patterns.pattern]
    rated, used = len(per_item), data.items_used
    return AgreementProvenance(
        source=labels.source,
        sources=labels.sources,
        dropped=labels.dropped,
        items_used=used,
        items_dropped=len(labels.items) - used,
        items_single=rated - used,
        items_unrated=len(labels.items) - rated,
        n_ratings=len(labels),
        n_raters=labels.n_raters,
        ratings_per_item=(int(per_item.min()), float(np.median(per_item)), int(per_item.max())),
        labels=data.labels.scale.labels,
        scale=data.scale.name,
        scale_guessed=data.guessed,
        bootstrap=draws,
        level=level,
        seed=options.seed_number(rng),
        backend=labels.backend,
    )
