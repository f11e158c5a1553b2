"""Agreement, drawn: all coefficients side by side, the posterior of Phi, and the raters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from headcount.agreement.drawing.forest import ForestRow, draw_forest
from headcount.agreement.drawing.raters import plot_raters, plot_two_raters
from headcount.agreement.phi.plot import COLOUR, plot_posterior
from headcount.agreement.phi.records import TITLE
from headcount.agreement.raters.populations import FIXED
from headcount.agreement.records import Agreement
from headcount.errors import OptionError, count, percent
from headcount.results.drawing import new_figure
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "plot_forest"]

NARROW = 0.1
"""Share of the axis of the coefficients below which Phi's posterior has one of its own."""


def plot_forest(result: Agreement, ax: Axes | None = None) -> Axes:
    """Draw coefficients with their intervals, one below the other, and write their values beside.

    The one to report comes first; thin lines are intervals for these raters where both are shown.
    """
    rows = _rows(result)
    if not rows:
        first = next(iter(result.coefficients.values()))
        raise OptionError(f"there is nothing to draw: {first.undefined}.")
    return draw_forest(rows, percent(result.provenance.level or 0), _caption(result, rows), ax)


def _rows(result: Agreement) -> list[ForestRow]:
    names = [n for n, e in result.coefficients.items() if e.undefined is None]
    if result.report is not None and not result.full:
        chosen = [result.report.name, *(one.name for one in result.report.others)]
        names = [n for n in chosen if n in names]
    report, crossed = result.report, result.scope.crossed
    both = result.scope.few or (report is not None and report.these_raters is not None)
    rows: list[ForestRow] = []
    for n in names:
        e, these = result.coefficients[n], result.these_raters[n]
        alone = crossed and e is these
        thin = these if both and not alone else None
        rows.append(ForestRow(title=result.kinds[n].title, estimate=e, thin=thin, secondary=alone))
    phi = result.phi
    if phi is not None and phi.estimate.undefined is None:
        thin = phi.these_raters if both else None
        rows.append(ForestRow(title=TITLE, estimate=phi.estimate, thin=thin, colour=COLOUR))
    if report is not None and report.too_small is not None:  # no interval would hold
        rows = [replace(row, estimate=Estimate(row.estimate.value), thin=None) for row in rows]
    return rows


def _caption(result: Agreement, rows: list[ForestRow]) -> str:
    p = result.provenance
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    thin = any(row.thin is not None or row.secondary for row in rows)
    other = f"; thin: {FIXED.words}" if thin else ""
    shown = {row.title for row in rows}
    raw = [one.title for one in result.kinds.values() if not one.corrected and one.title in shown]
    but = f", but for {' and '.join(raw)}" if raw else ""
    of = p.distance or f"{p.scale} scale"
    bars = f"bars: {percent(p.level or 0)} intervals {result.scope.words}{other}"
    if result.report is not None and result.report.too_small is not None:
        bars = f"no intervals, since {result.report.too_small}"
    return (
        f"agreement (0: chance{but}; 1: perfect)\n{count(p.items_used, 'item')}{by}, {of}\n{bars}"
    )


def draw(result: Agreement) -> Figure:
    """Draw the coefficients; below, how two raters differ, Phi's posterior and all raters.

    Phi's posterior has the axis of the coefficients, so that zeros are below each other, unless it
    is so narrow that nothing could be seen.
    """
    phi = result.phi
    posterior = phi is not None and phi.withheld is None and len(phi.density[0]) > 0
    posterior = posterior and (result.report is None or result.report.too_small is None)
    rated = any(one.agreement.undefined is None for one in result.raters)
    heights = [0.9 + 0.34 * len(_rows(result))]
    two = result.bland_altman
    heights += [2.6] * (two is not None)
    heights += [2.0] * posterior + [max(2.6, 0.5 + 0.3 * min(len(result.raters), 30))] * rated
    figure = new_figure(6.8, sum(heights) + 0.4)
    grid: Any = figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights)
    plot_forest(result, grid[0, 0])
    if two is not None:
        plot_two_raters(two, grid[1, 0])
    if phi is not None and posterior:
        below = grid[1 + (two is not None), 0]
        plot_posterior(phi, below)
        axis, own = grid[0, 0].get_xlim(), below.get_xlim()
        if own[1] - own[0] > NARROW * (axis[1] - axis[0]):
            below.set_xlim(axis)
    if rated:
        plot_raters(result, grid[-1, 0])
    return figure
