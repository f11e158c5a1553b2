"""How coefficients settle as more of the items are used: figures 4 and 5 of Checco et al. (2017).

Usage: python docs/studies/scripts/agreement_by_share.py RATINGS FIGURE [--limits LOW HIGH], which
draws percent agreement, Krippendorff's alpha and, on a scale with an order, Phi.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import read_ratings
from headcount.agreement.coefficients import choose
from headcount.agreement.estimates import Coefficient, Engine
from headcount.agreement.phi import fit
from headcount.agreement.phi_ratings import prepare_phi
from headcount.agreement.prepare import Prepared, prepare, rated_items
from headcount.agreement.raters import FIXED, Scope
from headcount.agreement.scales import Metric
from headcount.data.labels import Labels
from headcount.errors import OptionError, percent
from headcount.results.notes import Notes
from headcount.results.plotting import COLOURS, MARKERS, STYLES, bare, new_figure
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TENTHS = tuple(tenth / 10 for tenth in range(1, 11))


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


@dataclass(frozen=True, eq=False, kw_only=True)
class ShareCurve:
    """Coefficients against the share of items used; `titles` is what people call each of them."""

    points: tuple[SharePoint, ...]
    titles: Mapping[str, str]
    repeats: int
    level: float


def agree_by_share(
    labels: Labels,
    *,
    shares: Sequence[float] = TENTHS,
    coefficients: Collection[Any] = ("percent", "alpha"),
    repeats: int = 100,
    scale: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    limits: tuple[float, float] | None = None,
    method: str = "unbiased",
) -> ShareCurve:
    """Compute coefficients on random subsets of the items, of growing size.

    Each repeat puts the items in a random order and takes the first 10%, 20% ... of it, so that
    subsets grow by adding items. A coefficient that moves with the share depends on the size of
    the data.

    Parameters
    ----------
    labels : Labels
    shares : sequence of float
        Above 0 and up to 1; a subset has at least one item.
    coefficients : collection of str, Coefficient or function
        As in :func:`headcount.agree`, and "phi".
    repeats : int
        Random orders.
    scale
        As in :func:`headcount.agree`; found once, from all items.
    level : float
        Share of the subsets that the interval holds.
    seed : int
    limits, method
        Of :func:`headcount.phi`, if it is among the coefficients.

    Notes
    -----
    Subsets on which a coefficient is undefined are left out of its mean.
    """
    data = prepare(*Metric.of(scale).apply(labels, Notes()))
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(len(data.labels.items)) for _ in range(repeats)]
    sizes = [max(1, round(share * len(data.labels.items))) for share in shares]
    kinds = choose(ours) if (ours := [one for one in coefficients if one != "phi"]) else ()
    engine = Engine(data, kinds)
    values = [_of_first(data, engine, order, sizes) for order in orders]
    columns = {one.name: _spreads(one, engine, values, len(sizes), level) for one in kinds}
    titles = {one.name: one.title for one in kinds}
    if "phi" in coefficients:
        columns["phi"] = _phis(data, orders, sizes, level, limits, method)
        titles["phi"] = "Phi"
    points = [
        SharePoint(share, size, {name: column[row] for name, column in columns.items()})
        for row, (share, size) in enumerate(zip(shares, sizes, strict=True))
    ]
    return ShareCurve(points=tuple(points), titles=titles, repeats=repeats, level=level)


def _of_first(
    data: Prepared, engine: Engine, order: np.ndarray, sizes: list[int]
) -> dict[str, np.ndarray]:
    """Values on so many items of an order: of each coefficient, (sizes,)."""
    values = {name: np.full(len(sizes), math.nan) for name in engine.coefficients}
    for row, size in enumerate(sizes):
        kept = np.isin(data.labels.item, order[:size])
        some = replace(data, labels=rated_items(data.labels.only(kept)))
        for name, value in Engine(some, engine.coefficients.values()).values.items():
            values[name][row] = value
    return values


def _spreads(
    one: Coefficient, engine: Engine, values: list[dict[str, Any]], sizes: int, level: float
) -> list[Estimate]:
    """Mean and spread over the subsets of each size on which a coefficient has a value."""
    if one.name not in engine.coefficients:
        return [Estimate(math.nan, undefined=engine.reasons[one.name])] * sizes
    out: list[Estimate] = []
    for row in np.stack([run[one.name] for run in values]).T:
        defined = row[~np.isnan(row)]
        if not len(defined):
            out.append(Estimate(math.nan, undefined=one.no_value(engine.data)))
            continue
        low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2]).tolist()
        out.append(Estimate(float(defined.mean()), low=low, high=high, level=level))
    return out


def _phis(
    data: Prepared,
    orders: list[np.ndarray],
    sizes: list[int],
    level: float,
    limits: tuple[float, float] | None,
    method: str,
) -> list[Estimate]:
    """Mean of Phi and of the ends of its intervals for these raters, for each size."""
    if not data.scale.ordered:
        return [Estimate(math.nan, undefined="labels on a nominal scale have no order")] * len(
            sizes
        )
    labels, unbiased = data.for_phi, method == "unbiased"
    ratings = prepare_phi(labels, unbiased=unbiased, limits=limits, points=None, notes=Notes())
    place = np.argsort(np.stack(orders), axis=1)[:, labels.ratings_per_item >= 2]
    out: list[Estimate] = []
    for size in sizes:
        subsets, times = np.unique(place < size, axis=0, return_counts=True)
        each = [
            fit(ratings.only(subset), level, Scope(FIXED), Notes(), check=False).estimate
            for subset in subsets
        ]
        ends = np.array([[e.value, e.low, e.high] for e in each], dtype=float)  # nan for None
        defined = ~np.isnan(ends).any(axis=1)
        if not defined.any():
            out.append(each[0])
            continue
        value, low, high = np.average(ends[defined], axis=0, weights=times[defined]).tolist()
        out.append(Estimate(value, low=low, high=high, level=level))
    return out


def plot_share(curve: ShareCurve, ax: Axes | None = None) -> Axes:
    """Draw coefficients against the share of the items used, with bands.

    A band holds `level` of the random subsets; it is no confidence interval, and ends in a point
    where all items are used. Coefficients that have no value are left out, and the legend says so.
    """
    points = sorted(curve.points, key=lambda point: point.share)
    names = list(points[0].coefficients)
    drawn = [n for n in names if any(p.coefficients[n].undefined is None for p in points)]
    if not drawn:
        raise OptionError("there is nothing to draw: no coefficient has a value at any share.")
    axes: Any = new_figure(5.6, 3.8).subplots() if ax is None else ax
    x = [100 * point.share for point in points]
    for row, name in enumerate(names):
        title = curve.titles[name]
        if name not in drawn:
            axes.plot([], [], linestyle="", label=f"{title}: undefined")
            continue
        colour, estimates = COLOURS[row % len(COLOURS)], [p.coefficients[name] for p in points]
        low = [math.nan if e.low is None else e.low for e in estimates]
        high = [math.nan if e.high is None else e.high for e in estimates]
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(
            x,
            [e.value for e in estimates],
            color=colour,
            linestyle=STYLES[row % len(STYLES)],
            marker=MARKERS[row % len(MARKERS)],
            markersize=4,
            linewidth=1.5,
            label=title,
        )
    axes.axhline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_xlim(0, 102)
    bottom, top = axes.get_ylim()
    axes.set_ylim(min(bottom, -0.05), max(top, 1.05))
    last = points[-1]
    axes.set_xlabel(f"share of the items used ({last.share:.0%}: {last.items:,} items)")
    axes.xaxis.set_major_formatter("{x:.0f}%")
    axes.set_ylabel("agreement (1: perfect)")
    level = percent(curve.level)
    text = f"means of {curve.repeats:,} random subsets; bands hold {level} of them"
    if "phi" in drawn:
        text += f"\n(Phi: the band is the mean of its {level} intervals)"
    axes.set_title(text, fontsize="small", loc="left")
    style = {"frameon": False, "fontsize": "small", "handlelength": 3}
    if ax is None:
        axes.figure.legend(loc="outside lower center", ncols=min(3, len(names)), **style)
    else:
        axes.legend(**style)
    bare(axes)
    return axes


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("ratings")
    parser.add_argument("figure")
    parser.add_argument("--limits", type=float, nargs=2)
    given = parser.parse_args()
    curve = agree_by_share(
        read_ratings(given.ratings), coefficients=["percent", "alpha", "phi"], limits=given.limits
    )
    plot_share(curve).figure.savefig(given.figure)


if __name__ == "__main__":
    main()
