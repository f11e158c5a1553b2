"""How coefficients settle as more of the items are used."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from headcount import options
from headcount.agreement.coefficients.catalogue import COEFFICIENTS, title_of
from headcount.agreement.coefficients.engine import Engine
from headcount.agreement.coefficients.reasons import fallback, undefined
from headcount.agreement.phi.phi import phi
from headcount.agreement.phi.result import Method
from headcount.agreement.prepare import set_up
from headcount.data.labels import Labels
from headcount.errors import OptionError, unknown_name
from headcount.results.frames import to_frame
from headcount.results.text import columns
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Ints

__all__ = ["ShareCurve", "SharePoint", "agree_by_share"]

TENTHS = tuple(tenth / 10 for tenth in range(1, 11))
PHI_REPEATS = 10
"""Orders that Phi is measured on at most, since it takes longer than the coefficients."""


@dataclass(frozen=True)
class SharePoint:
    """Coefficients of random subsets of the items.

    Parameters
    ----------
    share : float
        Of the rated items.
    items : int
    coefficients : dict of str to Estimate
        Mean over subsets; the interval holds `level` of them, and is no confidence interval. That
        of `phi` is the mean of its highest-density intervals.
    """

    share: float
    items: int
    coefficients: dict[str, Estimate]


@dataclass(frozen=True, repr=False)
class ShareCurve:
    """Coefficients against the share of items used; its repr is a table."""

    points: tuple[SharePoint, ...]
    repeats: int
    level: float
    backend: str | None = None

    @property
    def phi_repeats(self) -> int:
        """Subsets of a size that Phi is a mean of."""
        return min(self.repeats, PHI_REPEATS)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        points = [
            {
                "share": point.share,
                "items": point.items,
                **{name: e.to_dict() for name, e in point.coefficients.items()},
            }
            for point in self.points
        ]
        return {"points": points, "repeats": self.repeats, "level": self.level}

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row a share and coefficient: share, items, name, value, low, high."""
        rows = [
            (point.share, point.items, name, None if e.undefined else e.value, e.low, e.high)
            for point in self.points
            for name, e in point.coefficients.items()
        ]
        names = ("share", "items", "name", "value", "low", "high")
        table = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        return to_frame(table, backend or self.backend)

    def __repr__(self) -> str:
        names = list(self.points[0].coefficients)
        head = ["share", "items", *(title_of(name) for name in names)]
        body = [
            [
                f"{point.share:.0%}",
                f"{point.items:,}",
                *("undefined" if e.undefined else e.show(e.value) for e in _all(point)),
            ]
            for point in self.points
        ]
        return "\n".join(columns(head, body))


def agree_by_share(
    labels: Labels,
    *,
    shares: Sequence[float] = TENTHS,
    coefficients: Collection[str] = ("percent", "alpha"),
    repeats: int = 100,
    scale: str | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    limits: tuple[float, float] | None = None,
    method: str = "unbiased",
    gold: Mapping[object, float] | None = None,
    gold_sd: float | None = None,
) -> ShareCurve:
    """Compute coefficients on random subsets of the items, of growing size.

    Each repeat puts the items in a random order and takes the first 10%, 20% ... of it, so that
    subsets grow by adding items. A coefficient that moves with the share depends on the size of
    the data.

    Parameters
    ----------
    labels : Labels
        The ratings.
    shares : sequence of float
        Above 0 and up to 1; a subset has at least one item.
    coefficients : collection of str
        Names, as in :func:`agree`, and "phi".
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
    >>> agree_by_share(paradox("8b"), shares=[0.1, 1.0])
    share  items    percent  Krippendorff's
                  agreement           alpha
    ---------------------------------------
    10%       40      0.744           0.448
    100%     400      0.750           0.467
    """
    names = _names(coefficients)
    if not shares or not all(0 < share <= 1 for share in shares):
        raise OptionError(f"shares must lie above 0 and up to 1, not {list(shares)}.")
    if repeats < 1:
        raise OptionError(f"repeats must be 1 or more, not {repeats}.")
    if not 0 < level < 1:
        raise OptionError(f"level must lie between 0 and 1, such as .95, not {level:g}.")
    setting = set_up(labels, scale)
    reasons = {name: undefined(setting, name) for name in names if name != "phi"}
    engine = Engine(setting, [name for name, reason in reasons.items() if reason is None])
    items = setting.patterns.items
    sizes = [max(1, round(share * len(items))) for share in shares]
    generator = options.seed(rng)
    measure = partial(
        phi, limits=limits, method=cast(Method, method), gold=gold, gold_sd=gold_sd, level=level
    )
    drawn: list[dict[str, Floats]] = []
    phis: list[list[Estimate]] = []
    for repeat in range(repeats):
        order = generator.permutation(len(items))
        drawn.append(engine.subsets(sizes, order))
        if "phi" in names and setting.scale != "nominal" and repeat < PHI_REPEATS:
            parts = (_part(setting.ordered, items[order[:size]]) for size in sizes)
            phis.append([measure(part).estimate for part in parts])
    found = {name: np.stack([run[name] for run in drawn]) for name in engine.names}

    def estimate(name: str, place: int) -> Estimate:
        if name == "phi":
            return _mean([run[place] for run in phis], level)
        if reasons[name] is not None:
            return Estimate(float("nan"), undefined=reasons[name])
        return _spread(found[name][:, place], fallback(engine, name), level)

    points = tuple(
        SharePoint(float(share), size, {name: estimate(name, place) for name in names})
        for place, (share, size) in enumerate(zip(shares, sizes, strict=True))
    )
    return ShareCurve(points, repeats, level, labels.backend)


def _spread(values: Floats, why: str, level: float) -> Estimate:
    known = values[~np.isnan(values)]
    if not len(known):
        return Estimate(float("nan"), undefined=why)
    found = Estimate.from_draws(float(known.mean()), known, level=level)
    return Estimate(found.value, found.low, found.high, level, "random subsets of items")


def _part(labels: Labels, items: Ints) -> Labels:
    """Ratings of some of the items; the scale stays."""
    chosen = np.zeros(len(labels.items), dtype=bool)
    chosen[items] = True
    rows = chosen[labels.item]
    return replace(
        labels, item=labels.item[rows], rater=labels.rater[rows], label=labels.label[rows]
    )


def _mean(found: list[Estimate], level: float) -> Estimate:
    """Mean of Phi where it has a value, and of the ends of its intervals."""
    if not found:
        return Estimate(float("nan"), undefined="labels on a nominal scale have no order")
    known = [(e.value, e.low, e.high) for e in found if e.low is not None and e.high is not None]
    if not known:
        return found[0]
    value, low, high = (float(mean) for mean in np.mean(known, axis=0))
    return Estimate(value, low, high, level, "mean of highest-density intervals")


def _names(coefficients: Collection[str]) -> list[str]:
    known = [*COEFFICIENTS, "phi"]
    if isinstance(coefficients, str):
        coefficients = [coefficients]
    for name in coefficients:
        if name not in known:
            raise unknown_name("coefficient", name, known)
    return [name for name in known if name in coefficients]


def _all(point: SharePoint) -> list[Estimate]:
    return list(point.coefficients.values())
