"""Agreement, drawn: all coefficients side by side, and the posterior of Phi."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.agreement.coefficients.catalogue import COEFFICIENTS
from headcount.errors import OptionError, percent
from headcount.results.drawing import bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from headcount.agreement.phi.result import PhiResult
    from headcount.agreement.result import AgreementResult

__all__ = ["draw", "plot_forest", "plot_phi"]

# Of Okabe and Ito's palette, which stays apart for colour-blind readers.
MARK, POSTERIOR = "#0072B2", "#D55E00"


def plot_forest(result: AgreementResult, ax: Axes | None = None) -> Axes:
    """Draw every defined coefficient with its interval, one below the other."""
    rows = [(COEFFICIENTS[n].title, e, MARK) for n, e in result.coefficients.items()]
    if result.phi is not None:
        rows.append(("Phi", result.phi.estimate, POSTERIOR))
    known = [row for row in rows if row[1].undefined is None]
    if not known:
        why = rows[0][1].undefined if rows else "no coefficient was asked for"
        raise OptionError(f"there is nothing to draw: {why}.")
    axes: Any = ax
    if axes is None:
        axes = new_figure(5.6, 1.0 + 0.32 * max(len(known), 1)).subplots()
    for place, (_, estimate, colour) in enumerate(known):
        if estimate.low is not None and estimate.high is not None:
            axes.hlines(place, estimate.low, estimate.high, colors=colour, linewidth=2)
        axes.plot(estimate.value, place, marker="o", markersize=5, color=colour)
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    axes.set_yticks(range(len(known)), [title for title, _, _ in known])
    axes.invert_yaxis()
    ends = [end for _, e, _ in known for end in (e.value, e.low, e.high) if end is not None]
    axes.set_xlim(min([0.0, *ends]) - 0.05, 1.05)
    level = percent(result.provenance.level)
    axes.set_xlabel(
        f"agreement (1: perfect; 0: chance, but for percent agreement); bars: {level} intervals",
        fontsize="x-small",
    )
    bare(axes)
    return axes


def plot_phi(phi: PhiResult, ax: Axes | None = None) -> Axes:
    """Draw the posterior density of Phi, with its highest-density interval shaded."""
    at, density = phi.density
    if not len(at):
        why = phi.words if phi.posterior is None else "all of it is at 1"
        raise OptionError(f"there is no posterior of Phi to draw: {why}.")
    axes: Any = new_figure(5.6, 3.0).subplots() if ax is None else ax
    axes.plot(at, density, color=POSTERIOR, linewidth=1.5)
    low, high = phi.low, phi.high
    if low is not None and high is not None:
        inside = (at >= low) & (at <= high)
        shade = {"color": POSTERIOR, "alpha": 0.25, "linewidth": 0}
        axes.fill_between(at[inside], density[inside], **shade)
    axes.axvline(phi.value, color=POSTERIOR, linestyle="--", linewidth=1)
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    # The density is drawn where there is any; 0, ratings at random, stays in sight if it is near.
    seen = at[density > 1e-4 * density.max()]
    margin = 0.15 * (seen[-1] - seen[0]) + 1e-6
    axes.set_xlim(max(-1.0, seen[0] - margin), min(1.0, seen[-1] + margin))
    axes.set_ylim(bottom=0)
    level = percent(phi.estimate.level or 0.95)
    axes.set_xlabel(
        f"Phi (0: at random, 1: perfect agreement); shaded: {level} interval", fontsize="small"
    )
    axes.set_ylabel("posterior density")
    bare(axes)
    return axes


def draw(result: AgreementResult) -> Figure:
    """Draw the coefficients, and the posterior of Phi below where there is one."""
    has_posterior = result.phi is not None and len(result.phi.density[0]) > 0
    rows = 1 + has_posterior
    figure = new_figure(5.8, 4.2 + 2.8 * has_posterior)
    grid: Any = figure.subplots(rows, 1, squeeze=False, height_ratios=[1.5, 1.0][:rows])
    plot_forest(result, grid[0, 0])
    if result.phi is not None and has_posterior:
        plot_phi(result.phi, grid[1, 0])
    return figure
