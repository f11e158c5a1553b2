"""More pictures: reliability of probabilities, and one result a scorer in a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.equivalence.calibration.reliability import Reliability
from headcount.equivalence.plot import plot
from headcount.equivalence.records import SurveyRecord
from headcount.equivalence.states.fit import MOST_LABELS
from headcount.errors import OptionError, option
from headcount.results.drawing import COLOURS, MARKERS, bare, legend_above, new_figure, plain
from headcount.stats.grouping import group_sums
from headcount.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_grid", "plot_reliability", "plot_states"]

COLUMNS = 20
"""Of the picture of states."""


def plot_reliability(reliability: Sequence[Reliability], ax: Axes | None = None) -> Axes:
    """Draw what raters say against what classifiers predict; on the diagonal is calibrated.

    Bars are two standard errors over items either way; larger marks stand for more items.
    """
    if not reliability:
        raise OptionError("a reliability diagram needs a classifier that gives probabilities.")
    axes: Any = new_figure(4.6, 4.8).subplots() if ax is None else ax
    axes.plot([0, 1], [0, 1], color="#999999", linewidth=1, zorder=0)
    for place, found in enumerate(reliability):
        colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
        axes.errorbar(
            found.predicted,
            found.observed,
            yerr=[2 * error for error in found.error],
            color=colour,
            linewidth=1,
            capsize=2,
        )
        most = max(found.items)
        size = [12 + 48 * n / most for n in found.items]
        axes.scatter(
            found.predicted, found.observed, s=size, color=colour, marker=marker,
            label=plain(found.name), zorder=3,
        )  # fmt: skip
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    axes.set_xlabel(plain(f"predicted probability of {reliability[0].label}"))
    axes.set_ylabel("share of raters who say so")
    legend_above(axes)
    bare(axes)
    return axes


def plot_states(result: SurveyRecord) -> Figure:
    """Draw the fitted distribution of item states: how likely raters are to give each label.

    With two labels one panel says it all; with more there is one a label.
    """
    if result.ceiling is None:
        raise OptionError(
            "the distribution of states was not fitted: it needs surveys that are all counted, up "
            f"to {MOST_LABELS} labels, one reference rater and {option('ceiling', True)}."
        )
    labels = result.provenance.labels
    shown = [1] if len(labels) == 2 else list(range(len(labels)))
    figure = new_figure(max(4.8, 2.6 * len(shown)), 3.0)
    grid: Any = figure.subplots(1, len(shown), squeeze=False, sharey=True)
    for axes, code in zip(list(grid.flat), shown, strict=True):
        heights = _columns(result.ceiling.states[:, code], result.ceiling.weights)
        axes.bar(
            (np.arange(COLUMNS) + 0.5) / COLUMNS, heights, width=0.92 / COLUMNS, color=COLOURS[1]
        )
        axes.set_xlabel(plain(f"probability that a rater says {labels[code]}"), fontsize="small")
        axes.set_xlim(0, 1)
        bare(axes)
    grid[0, 0].set_ylabel("share of items")
    return figure


def _columns(states: Floats, weights: Floats) -> Floats:
    """Share of items in each of equally wide columns.

    States are points of a grid that does not fit the columns, so each is shared between the two
    whose middles are next to it; else some would hold a point more than others, as a comb.
    """
    at = np.clip(states * COLUMNS - 0.5, 0, COLUMNS - 1)
    left = np.minimum(at.astype(np.intp), COLUMNS - 2)
    to_right = weights * (at - left)
    return group_sums(left, weights - to_right, COLUMNS) + group_sums(left + 1, to_right, COLUMNS)


def plot_grid(results: Sequence[SurveyRecord]) -> Figure:
    """Draw several results, such as one a scorer, side by side in one figure."""
    if not results:
        raise OptionError("a grid needs at least one result.")
    columns = 1 if len(results) == 1 else 2
    rows = math.ceil(len(results) / columns)
    classifiers = max(len(result.classifiers) for result in results)
    figure = new_figure(5.4 * columns, (4.5 + 0.2 * classifiers) * rows)
    grid: Any = figure.subplots(rows, columns, squeeze=False)
    cells: list[Any] = list(grid.flat)
    for axes, result in zip(cells, results, strict=False):
        plot(result, axes)
        axes.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.15), frameon=False, fontsize="small"
        )
        axes.yaxis.label.set_size("small")
    for axes in cells[len(results) :]:
        axes.set_axis_off()
    return figure
