"""Agreement, drawn: all coefficients side by side, and the posterior of Phi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.agreement.phi.plot import COLOUR, plot_posterior
from headcount.agreement.phi.records import TITLE
from headcount.agreement.records import Agreement
from headcount.errors import OptionError, percent
from headcount.results.drawing import COLOURS, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "plot_forest"]

MARK = COLOURS[1]


def plot_forest(result: Agreement, ax: Axes | None = None) -> Axes:
    """Draw every defined coefficient with its interval, one below the other."""
    rows = [(result.kinds[n].title, e, MARK) for n, e in result.coefficients.items()]
    if result.phi is not None:
        rows.append((TITLE, result.phi.estimate, COLOUR))
    defined = [row for row in rows if row[1].undefined is None]
    if not defined:
        raise OptionError(f"there is nothing to draw: {rows[0][1].undefined}.")
    axes: Any = ax
    if axes is None:
        axes = new_figure(5.6, 1.0 + 0.32 * max(len(defined), 1)).subplots()
    for row, (_, estimate, colour) in enumerate(defined):
        if estimate.low is not None and estimate.high is not None:
            axes.hlines(row, estimate.low, estimate.high, colors=colour, linewidth=2)
        axes.plot(estimate.value, row, marker="o", markersize=5, color=colour)
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(defined)), [title for title, _, _ in defined])
    axes.invert_yaxis()
    ends = [end for _, e, _ in defined for end in (e.value, e.low, e.high) if end is not None]
    axes.set_xlim(min([0.0, *ends]) - 0.05, max([1.0, *ends]) + 0.05)
    level = percent(result.provenance.level or 0)
    axes.set_xlabel(
        f"agreement (1: perfect; 0: chance, but for percent agreement); bars: {level} intervals",
        fontsize="x-small",
    )
    bare(axes)
    return axes


def draw(result: Agreement) -> Figure:
    """Draw the coefficients, and the posterior of Phi below where there is one."""
    has_posterior = result.phi is not None and len(result.phi.density[0]) > 0
    rows = 1 + has_posterior
    figure = new_figure(5.8, 4.2 + 2.8 * has_posterior)
    grid: Any = figure.subplots(rows, 1, squeeze=False, height_ratios=[1.5, 1.0][:rows])
    plot_forest(result, grid[0, 0])
    if result.phi is not None and has_posterior:
        plot_posterior(result.phi, grid[1, 0])
    return figure
