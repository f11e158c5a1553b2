"""How coefficients settle as more of the items are used."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from headcount import options
from headcount.agreement.by_share.records import SharePoint
from headcount.agreement.by_share.result import ShareCurve
from headcount.agreement.by_share.subsets import PhisOfSubsets, spreads
from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.catalogue import choose, recommended
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.phi.methods import METHODS, UNBIASED
from headcount.agreement.phi.records import NAME, TITLE
from headcount.agreement.prepare import Prepared, prepare
from headcount.agreement.recommendation.notes import note_scale
from headcount.agreement.scales.metric import Metric
from headcount.data.labels import Labels
from headcount.errors import OptionError, option
from headcount.io.load import take_labels
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats, Seed

__all__ = ["agree_by_share"]

TENTHS = tuple(tenth / 10 for tenth in range(1, 11))
NO_ORDER = "labels on a nominal scale have no order"
MOST_REPEATS = 100_000
"""Random orders that may be asked for."""
TAKEN = ("share", "items", NAME)
"""Keys of a point of the curve that no coefficient may be called."""


def agree_by_share(
    labels: Labels | Any,
    *,
    shares: Sequence[float] = TENTHS,
    coefficients: Collection[str | Coefficient | Callable[[Codes], Any]] | str | None = None,
    repeats: int = 100,
    phi_repeats: int | None = None,
    scale: str | None = None,
    sets: str | None = None,
    distance: Any = None,
    level: float = 0.95,
    rng: Seed = 0,
    limits: tuple[float, float] | None = None,
    method: str = UNBIASED.name,
    gold: Mapping[object, float] | Any | None = None,
    gold_sd: float | None = None,
) -> ShareCurve:
    """Compute coefficients on random subsets of the items, of growing size.

    Each repeat puts the items in a random order and takes the first 10%, 20% ... of it, so that
    subsets grow by adding items. A coefficient that moves with the share depends on the size of
    the data.

    Parameters
    ----------
    labels : Labels, path, frame or array
        The ratings, or what :func:`headcount.read_ratings` reads.
    shares : sequence of float
        Above 0 and up to 1; a subset has at least one item.
    coefficients : collection of str, Coefficient or function, optional
        As in :func:`agree`, and "phi". Default: percent agreement and Krippendorff's alpha.
    repeats : int
        Random orders.
    phi_repeats : int, optional
        Of these, the first that Phi is measured on; all of them if not given.
    scale, sets, distance
        As in :func:`agree`; found once, from all items.
    level : float
        Share of the subsets that the interval holds.
    rng : int or Generator
        Seed or generator of the orders.
    limits, method, gold, gold_sd
        Of :func:`headcount.phi`, if it is among the coefficients.

    Returns
    -------
    ShareCurve

    Notes
    -----
    O(repeats x shares x items). Phi of 100 subsets of a size costs about three times that of all
    items, since they share the table of its likelihood. Subsets on which a coefficient is undefined
    are left out of its mean.

    References
    ----------
    Checco, Roitero, Maddalena, Mizzaro and Demartini (2017), "Let's agree to disagree: fixing
    agreement measures for crowdsourcing", figures 4 and 5.

    Examples
    --------
    >>> from headcount.agreement.paradoxes import paradox
    >>> curve = agree_by_share(paradox("8b"), shares=[0.1, 1.0])
    >>> [round(point.coefficients["alpha"].value, 3) for point in curve.points]
    [0.448, 0.467]
    """
    kinds, others = recommended(), ()
    if coefficients is not None:
        kinds, others = choose(coefficients, others=[NAME], taken=TAKEN)
    shares = _checked(shares)
    repeats = options.whole(repeats, "repeats", least=1, most=MOST_REPEATS)
    if phi_repeats is not None:
        phi_repeats = options.whole(phi_repeats, "phi_repeats", least=1)
    phi_repeats = min(phi_repeats or repeats, repeats)
    level, generator = options.level(level), options.seed(rng)
    metric = Metric.of(scale, sets, distance)
    labels = take_labels(labels)
    notes = Notes(labels.notes)
    data = prepare(*metric.apply(labels, notes))
    note_scale(notes, data, given=scale is not None)

    with_phi = NAME in others and data.scale.ordered
    of_phi = method != UNBIASED.name or any(x is not None for x in (limits, gold, gold_sd))
    if of_phi and not with_phi:
        raise OptionError(
            f"{option('limits')}, {option('method')}, {option('gold')} and {option('gold_sd')} are "
            f"of Phi, which needs {option('coefficients', [NAME])} and a scale with an order."
        )
    engine = Engine(data, kinds)
    sizes = [max(1, round(share * len(data.labels.items))) for share in shares]
    phis = None
    if with_phi:
        phis = PhisOfSubsets(
            data.for_phi,
            sizes,
            phi_repeats,
            limits=limits,
            method=METHODS[options.one_of(method, "method", list(METHODS))],
            gold=gold,
            gold_sd=gold_sd,
            level=level,
        )
    drawn: list[dict[str, Floats]] = []
    for _ in range(repeats):
        order = generator.permutation(len(data.labels.items))
        drawn.append(engine.subsets(sizes, order))
        if phis is not None:
            phis.add(order)
    columns = {one.name: spreads(one, engine, drawn, len(sizes), level) for one in kinds}
    if others:
        none = [Estimate(float("nan"), undefined=NO_ORDER)] * len(sizes)
        columns[NAME] = none if phis is None else phis.means()
    return ShareCurve(
        provenance=_provenance(labels, data, level, rng),
        notes=tuple(notes),
        points=tuple(
            SharePoint(share, size, {name: column[row] for name, column in columns.items()})
            for row, (share, size) in enumerate(zip(shares, sizes, strict=True))
        ),
        titles={one.name: one.title for one in kinds} | dict.fromkeys(others, TITLE),
        repeats=repeats,
        phi_repeats=phi_repeats,
    )


def _checked(shares: Any) -> list[float]:
    try:
        listed = [options.number(share, "shares", above=0, most=1) for share in shares]
    except TypeError:
        listed = []
    if not listed:
        raise OptionError(
            f"{option('shares')} must be numbers above 0 and up to 1, not {shares!r}."
        )
    return listed


def _provenance(labels: Labels, data: Prepared, level: float, rng: Seed) -> Provenance:
    return Provenance(
        source=labels.source,
        sources=labels.sources,
        dropped=labels.dropped,
        items_used=len(data.labels.items),
        items_dropped=len(labels.items) - len(data.labels.items),
        n_ratings=len(labels),
        n_raters=labels.n_raters,
        labels=data.labels.scale.labels,
        level=level,
        seed=options.seed_number(rng),
        backend=labels.backend,
    )
