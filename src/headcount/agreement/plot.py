"""Agreement, drawn: all coefficients side by side, and the posterior of Phi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.agreement.phi.plot import COLOUR, plot_posterior
from headcount.agreement.phi.records import TITLE
from headcount.agreement.raters.scope import FIXED
from headcount.agreement.records import Agreement
from headcount.errors import OptionError, count, percent
from headcount.results.drawing import COLOURS, bare, new_figure
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw", "plot_forest"]

MARK = COLOURS[1]


def plot_forest(result: Agreement, ax: Axes | None = None) -> Axes:
    """Draw coefficients with their intervals, one below the other, and write their values beside.

    The one to report comes first; thin lines are intervals for these raters where both are shown.
    """
    rows = _rows(result)
    if not rows:
        first = next(iter(result.coefficients.values()))
        raise OptionError(f"there is nothing to draw: {first.undefined}.")
    axes: Any = ax
    if axes is None:
        axes = new_figure(5.8, 1.2 + 0.32 * len(rows)).subplots()
    for row, (_, e, these, colour) in enumerate(rows):
        if (
            these is not None
            and these is not e
            and these.low is not None
            and these.high is not None
        ):
            axes.hlines(row + 0.2, these.low, these.high, colors=colour, linewidth=0.8)
        if e.low is not None and e.high is not None:
            axes.hlines(row, e.low, e.high, colors=colour, linewidth=0.8 if e is these else 2)
        axes.plot(e.value, row, marker="o", markersize=5, color=colour)
        beside = f"{e.show(e.value, 2)}  {e.interval(2)}"
        axes.annotate(
            beside,
            (1.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize="x-small",
        )
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(rows)), [title for title, _, _, _ in rows])
    axes.invert_yaxis()
    ends = [end for _, e, _, _ in rows for end in (e.value, e.low, e.high) if end is not None]
    axes.set_xlim(min([0.0, *ends]) - 0.05, max([1.0, *ends]) + 0.05)
    axes.set_xlabel(_caption(result), fontsize="x-small")
    bare(axes)
    return axes


def _rows(result: Agreement) -> list[tuple[str, Estimate, Estimate | None, str]]:
    """Title, estimate, that for these raters if both are shown, and colour of each row."""
    names = [n for n, e in result.coefficients.items() if e.undefined is None]
    if result.report is not None and not result.full:
        chosen = [result.report.name, *(one.name for one in result.report.others)]
        names = [n for n in chosen if n in names]
    both, crossed = result.scope.few, result.scope.crossed
    rows: list[tuple[str, Estimate, Estimate | None, str]] = []
    for n in names:
        e, these = result.coefficients[n], result.these_raters[n]
        rows.append(
            (result.kinds[n].title, e, these if both or (crossed and e is these) else None, MARK)
        )
    phi = result.phi
    if phi is not None and phi.estimate.undefined is None:
        rows.append((TITLE, phi.estimate, phi.these_raters if both else None, COLOUR))
    return rows


def _caption(result: Agreement) -> str:
    p = result.provenance
    level = percent(p.level or 0)
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    thin = f"; thin: {FIXED.words}" if any(row[2] is not None for row in _rows(result)) else ""
    return (
        f"agreement (0: chance, but for percent agreement; 1: perfect), {p.scale} scale\n"
        f"{count(p.items_used, 'item')}{by}; bars: {level} intervals {result.scope.words}{thin}"
    )


def draw(result: Agreement) -> Figure:
    """Draw the coefficients, and the posterior of Phi below where there is one."""
    phi = result.phi
    has_posterior = phi is not None and phi.withheld is None and len(phi.density[0]) > 0
    rows = 1 + has_posterior
    figure = new_figure(6.8, 1.6 + 0.3 * len(_rows(result)) + 2.8 * has_posterior)
    grid: Any = figure.subplots(rows, 1, squeeze=False, height_ratios=[1.5, 1.0][:rows])
    plot_forest(result, grid[0, 0])
    if phi is not None and has_posterior:
        plot_posterior(phi, grid[1, 0])
    return figure
