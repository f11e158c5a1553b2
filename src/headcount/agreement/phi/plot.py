"""The posterior of Phi, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.agreement.phi.records import PhiRecord
from headcount.agreement.phi.text import words
from headcount.errors import OptionError, percent
from headcount.results.drawing import COLOURS, bare, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["COLOUR", "plot_posterior"]

COLOUR = COLOURS[0]


def plot_posterior(phi: PhiRecord, ax: Axes | None = None) -> Axes:
    """Draw the posterior density of Phi, with its highest-density interval shaded."""
    if phi.posterior is None:
        raise OptionError(f"there is no posterior of Phi to draw: {words(phi)}.")
    at, density = phi.posterior.density()
    if not len(at):
        raise OptionError("there is no posterior of Phi to draw: all of it is at 1.")
    axes: Any = new_figure(5.6, 3.0).subplots() if ax is None else ax
    axes.plot(at, density, color=COLOUR, linewidth=1.5)
    e = phi.fitted or phi.these_raters or phi.estimate
    if e.low is not None and e.high is not None:
        inside = (at >= e.low) & (at <= e.high)
        axes.fill_between(at[inside], density[inside], color=COLOUR, alpha=0.25, linewidth=0)
    axes.axvline(e.value, color=COLOUR, linestyle="--", linewidth=1)
    axes.axvline(0, color="#999999", linewidth=0.8, zorder=0)
    # The density is drawn where there is any; 0, ratings at random, stays in sight if it is near.
    seen = at[density > 1e-4 * density.max()]
    margin = 0.15 * (seen[-1] - seen[0]) + 1e-6
    axes.set_xlim(max(-1.0, seen[0] - margin), min(1.0, seen[-1] + margin))
    axes.locator_params(axis="x", nbins=4)  # near 1 numbers have many digits
    axes.set_ylim(bottom=0)
    axes.set_xlabel(
        f"Phi (0: at random, 1: perfect agreement)\nshaded: {percent(e.level or 0.95)} interval"
        f"{' for these raters' if phi.these_raters else ''}"
        f"{'; withheld, its model does not fit' if phi.withheld else ''}",
        fontsize="small",
    )
    axes.set_ylabel("posterior density")
    bare(axes)
    return axes
