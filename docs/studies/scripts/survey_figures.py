"""Figures of a survey: the distribution of item states, and the power curve of every scorer.

``python docs/studies/scripts/survey_figures.py ratings.csv predictions.csv`` writes states.pdf and
scorers.pdf.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.equivalence.plot import plot
from headcount.equivalence.result import SurveyResult
from headcount.equivalence.scorers import SCORERS
from headcount.equivalence.states import MOST_LABELS
from headcount.equivalence.survey import survey
from headcount.errors import HeadcountError, OptionError, option
from headcount.results.plotting import COLOURS, bare, new_figure, plain
from headcount.stats.arrays import group_sums
from headcount.typing import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLUMNS = 20
"""Of the picture of states."""


def plot_states(result: SurveyResult) -> Figure:
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


def plot_grid(results: Sequence[SurveyResult]) -> Figure:
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
        axes.yaxis.label.set_size("small")
    for axes in cells[len(results) :]:
        axes.set_axis_off()
    return figure


def of_every_scorer(ratings: Any, predictions: Any, **options: Any) -> list[SurveyResult]:
    """Survey by each scorer that fits the labels, the combiner and the classifiers."""
    results: list[SurveyResult] = []
    for name in SCORERS:
        with suppress(HeadcountError):
            results.append(survey(ratings, predictions, scorer=name, **options))
    return results


if __name__ == "__main__":
    files = sys.argv[1], sys.argv[2]
    plot_states(survey(*files)).savefig("states.pdf")
    plot_grid(of_every_scorer(*files)).savefig("scorers.pdf")
