"""How coefficients settle as more of the items are used."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from headcount import options
from headcount.agreement.by_share.records import SharePoint
from headcount.agreement.by_share.result import ShareCurve
from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.catalogue import choose, recommended
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.notes import note_scale
from headcount.agreement.phi.methods import UNBIASED
from headcount.agreement.phi.phi import phi
from headcount.agreement.phi.records import NAME, TITLE
from headcount.agreement.phi.result import PhiResult
from headcount.agreement.prepare import Prepared, prepare
from headcount.data.labels import Labels
from headcount.errors import OptionError, option
from headcount.io.take import take_labels
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate
from headcount.typing import Codes, Floats, Ints, Seed

__all__ = ["agree_by_share"]

TENTHS = tuple(tenth / 10 for tenth in range(1, 11))
PHI_REPEATS = 10
"""Orders that Phi is measured on at most, since it takes longer than the coefficients."""
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
    scale: str | None = None,
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
        Random orders; Phi is measured on the first 10 of them.
    scale : {"nominal", "ordinal", "interval", "ratio"}, optional
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
    O(repeats x shares x items), and a few hundredths of a second for each Phi. Subsets on which a
    coefficient is undefined are left out of its mean.

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
    level, generator = options.level(level), options.seed(rng)
    labels = take_labels(labels)
    data = prepare(labels, scale)
    notes = Notes(labels.notes)
    note_scale(notes, data, given=scale is not None)

    engine = Engine(data, kinds)
    sizes = [max(1, round(share * len(data.labels.items))) for share in shares]
    measure = partial(phi, limits=limits, method=method, gold=gold, gold_sd=gold_sd, level=level)
    phis = _Phis(data, measure, wanted=NAME in others and data.scale.ordered)
    drawn: list[dict[str, Floats]] = []
    for repeat in range(repeats):
        order = generator.permutation(len(data.labels.items))
        drawn.append(engine.subsets(sizes, order))
        if repeat < PHI_REPEATS:
            phis.add(order, sizes)
    columns = {one.name: _spreads(one, engine, drawn, len(sizes), level) for one in kinds}
    columns |= {name: phis.means(len(sizes), level) for name in others}
    return ShareCurve(
        provenance=_provenance(labels, data, level, rng),
        notes=tuple(notes),
        points=tuple(
            SharePoint(share, size, {name: column[row] for name, column in columns.items()})
            for row, (share, size) in enumerate(zip(shares, sizes, strict=True))
        ),
        titles={one.name: one.title for one in kinds} | dict.fromkeys(others, TITLE),
        repeats=repeats,
        phi_repeats=min(repeats, PHI_REPEATS),
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


def _spreads(
    one: Coefficient, engine: Engine, drawn: list[dict[str, Floats]], sizes: int, level: float
) -> list[Estimate]:
    """Mean and spread over the subsets of each size on which a coefficient has a value."""
    if one.name not in engine.coefficients:
        return [Estimate(float("nan"), undefined=engine.reasons[one.name])] * sizes
    out: list[Estimate] = []
    for values in np.stack([run[one.name] for run in drawn]).T:
        known = values[~np.isnan(values)]
        if not len(known):
            out.append(Estimate(float("nan"), undefined=one.no_value(engine.data)))
            continue
        found = Estimate.from_draws(float(known.mean()), known, level=level)
        out.append(replace(found, level=level, method="random subsets of items"))
    return out


@dataclass(frozen=True, eq=False)
class _Phis:
    """Phi of subsets of the items, each measured once."""

    data: Prepared
    measure: Callable[[Labels], PhiResult]
    wanted: bool
    known: dict[bytes, Estimate] = field(default_factory=dict[bytes, Estimate])
    runs: list[list[Estimate]] = field(default_factory=list[list[Estimate]])

    def add(self, order: Ints, sizes: list[int]) -> None:
        """Measure the first so many items of an order, for each of `sizes`."""
        if self.wanted:
            self.runs.append([self._of(np.sort(order[:size])) for size in sizes])

    def means(self, sizes: int, level: float) -> list[Estimate]:
        """Mean of Phi where it has a value, and of the ends of its intervals, for each size."""
        if not self.runs:
            why = "labels on a nominal scale have no order"
            return [Estimate(float("nan"), undefined=why)] * sizes
        return [_mean(list(column), level) for column in zip(*self.runs, strict=True)]

    def _of(self, items: Ints) -> Estimate:
        # Small data have few subsets, and all items are one subset in every order.
        key = items.tobytes()
        if key not in self.known:
            self.known[key] = self.measure(_part(self.data.for_phi, items)).estimate
        return self.known[key]


def _part(labels: Labels, items: Ints) -> Labels:
    """Ratings of some of the items; the scale stays."""
    chosen = np.zeros(len(labels.items), dtype=bool)
    chosen[items] = True
    rows = chosen[labels.item]
    return replace(
        labels, item=labels.item[rows], rater=labels.rater[rows], label=labels.label[rows]
    )


def _mean(found: list[Estimate], level: float) -> Estimate:
    known = [(e.value, e.low, e.high) for e in found if e.low is not None and e.high is not None]
    if not known:
        return found[0]
    value, low, high = (float(mean) for mean in np.mean(known, axis=0))
    return Estimate(value, low, high, level, "mean of highest-density intervals")


def _provenance(labels: Labels, data: Prepared, level: float, rng: Seed) -> Provenance:
    return Provenance(
        source=labels.source,
        items_used=len(data.labels.items),
        items_dropped=len(labels.items) - len(data.labels.items),
        n_ratings=len(labels),
        n_raters=int(np.count_nonzero(np.bincount(labels.rater))),
        labels=data.labels.scale.labels,
        level=level,
        seed=options.seed_number(rng),
        backend=labels.backend,
    )
