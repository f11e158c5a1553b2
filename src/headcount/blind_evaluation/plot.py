"""Blind evaluation, drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount.blind_evaluation.blind import ItemsToLabel
from headcount.blind_evaluation.explanations import condition
from headcount.blind_evaluation.families import ENOUGH_SHARED
from headcount.blind_evaluation.methods import DIRECT
from headcount.blind_evaluation.rate import RateResult
from headcount.blind_evaluation.result import BlindResult, JudgedClassifier, headline
from headcount.blind_evaluation.scoring import ENOUGH_ITEMS
from headcount.errors import percent
from headcount.results.plotting import (
    COLOURS,
    MARKERS,
    bare,
    columns_beside,
    draw_interval,
    legend_above,
    new_figure,
    plain,
    rows_of,
    written,
)
from headcount.results.tables import cut_names, wrap
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


__all__ = [
    "plot_scores",
    "plot_residuals",
    "plot_right",
    "plot_rate",
    "plot_items",
]


# Blind evaluation, drawn: scores and residual correlations.

MOST_CLASSIFIERS, FEW = 60, 25
"""Classifiers that are drawn, best first; and up to which letters are larger."""
LEAST_SHOWN = 0.2
"""Correlation that has the darkest colour, at least."""
LONGEST = 26
"""Letters of a name that stand beside an axis."""
LONGEST_TEXT = 70
"""Letters of an explanation in a legend."""


def plot_scores(result: BlindResult, ax: Axes | None = None) -> Axes:
    """Draw the first metric of every classifier with its interval, best first; and on gold."""
    shown = result.classifiers[:MOST_CLASSIFIERS]
    metric = result.provenance.metrics[0]
    method = result.methods[result.method]
    axes: Any = new_figure(6.4, 1.2 + 0.19 * len(shown)).subplots() if ax is None else ax
    if result.provenance.items_used < ENOUGH_ITEMS:
        return _words(result, axes)
    several = _several(result)
    for row, c in enumerate(shown):
        draw_interval(axes, row, c.score, "#bbbbbb" if several else COLOURS[1])
    for text, values, look in _marks(result, shown):
        colour = COLOURS[look if several else 1]
        axes.plot(
            values,
            range(len(values)),
            MARKERS[look],
            color=colour,
            markersize=4,
            zorder=4,
            label=text,
        )
    actual = [(c.actual[metric], row) for row, c in enumerate(shown) if c.actual]
    actual = [(e, row) for e, row in actual if e.undefined is None]
    if actual and method is not DIRECT:
        values, rows = [e.value for e, _ in actual], [row for _, row in actual]
        axes.plot(values, rows, "D", color=COLOURS[0], markersize=4, mfc="none", label="gold")
    size = "small" if len(shown) <= FEW else "x-small"
    rows_of(axes, _names(shown), fontsize=size)
    level = "" if result.provenance.level is None else percent(result.provenance.level)
    axes.set_xlabel(f"{metric}\n{_bars(result, level)}", fontsize="small")
    numbers = [written(c.score) for c in shown]
    heads = ["value", f"{level} interval"]
    if several:  # with a value by each
        numbers, heads = [(interval,) for _, interval in numbers], heads[1:]
    elif not any(interval for _, interval in numbers):
        numbers, heads = [(value,) for value, _ in numbers], heads[:1]
    widths = (84,) if several else (34, 84)
    columns_beside(axes, heads, numbers, widths=widths, fontsize=size)
    legend_above(axes, 1 if several else 2)
    return axes


def _several(result: BlindResult) -> bool:
    """Whether scores are by more than one explanation."""
    allowed = result.explanations
    return result.by_explanations and allowed is not None and len(allowed.explanations) > 1


def _marks(
    result: BlindResult, shown: Sequence[JudgedClassifier]
) -> Iterator[tuple[str, list[float], int]]:
    """Name scores that are drawn, by each explanation if there are several, and how they look."""
    allowed = result.explanations
    if result.by_explanations and allowed is not None:
        for number, each in enumerate(allowed.explanations[: len(MARKERS)]):
            text = f"if {condition(each)}"
            text = text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
            yield plain(text), [each.accuracy[c.name] for c in shown], number
        return
    scores = [float("nan") if c.score.undefined else c.score.value for c in shown]
    yield result.methods[result.method].short, scores, 0


def _words(result: BlindResult, axes: Any) -> Axes:
    """Write what is to be said of too few items, in place of scores."""
    axes.set_axis_off()
    sentence = wrap(headline(result)[0], width=50)
    axes.text(0.5, 0.5, sentence.replace("$", r"\$"), ha="center", va="center")
    return axes


def _bars(result: BlindResult, level: str) -> str:
    """Say what the bars are, and under which condition they hold."""
    if all(c.score.low is None for c in result.classifiers):
        return "no intervals, since they would not hold"
    if result.by_explanations:
        return f"bars: {level} intervals over all explanations, approximate"
    if result.methods[result.method].informed:
        return f"bars: {level} intervals"
    about = "approximate " if result.is_approximate else ""
    hard = " apart from hard items" if result.allows_for_hard_items else ""
    return f"bars: {about}{level} intervals, if {result.noun}s err independently{hard}"


def plot_residuals(result: BlindResult, ax: Axes | None = None) -> Axes:
    """Draw how strongly the errors of every two classifiers go together, groups side by side."""
    diagnostics = result.diagnostics
    matrix = np.asarray(diagnostics.residual.correlation, dtype=np.float64)
    names = diagnostics.classifiers
    index = {name: k for k, name in enumerate(names)}
    best = sorted(result.classifiers[:MOST_CLASSIFIERS], key=lambda c: (c.group or "", c.name))
    # On few items in common, correlations of 1 are noise.
    few = diagnostics.residual.shared < ENOUGH_SHARED
    np.fill_diagonal(few, True)
    met = [c for c in best if not few[index[c.name]].all()]
    best = met if len(met) > 1 else best
    order = [index[c.name] for c in best]
    axes: Any = new_figure(6.4, 5.6).subplots() if ax is None else ax
    shown = np.where(few, np.nan, matrix)[np.ix_(order, order)]
    most = max(LEAST_SHOWN, float(np.abs(np.nan_to_num(shown)).max()))
    image = axes.imshow(shown, vmin=-most, vmax=most, cmap="PuOr_r", interpolation="nearest")
    ticks = _names(best)
    size = 7 if len(order) <= 25 else 5 if len(order) <= 40 else 3.5
    axes.set_xticks(range(len(order)), ticks, rotation=90, fontsize=size)
    axes.set_yticks(range(len(order)), ticks, fontsize=size)
    # As high as the matrix, which is square, whatever place the figure has for it.
    beside = axes.inset_axes((1.03, 0.0, 0.04, 1.0))
    axes.figure.colorbar(image, cax=beside)
    beside.tick_params(labelsize="x-small")
    title = "residual correlation of errors, given the truth by EM"
    if few.sum() > len(few):
        title += f"\nwhite: fewer than {ENOUGH_SHARED} items in common"
    axes.set_title(title, fontsize="small")
    axes.set_anchor("N")
    return axes


def _names(classifiers: Sequence[JudgedClassifier]) -> list[str]:
    """Cut long names, so that no two look the same."""
    return [plain(name) for name in cut_names([c.name for c in classifiers], LONGEST)]


# Raters and workers by how often they are right, drawn.

MOST_RATERS = 60
"""Raters that are drawn, best first."""


def plot_right(
    right: Sequence[tuple[str, Estimate]], words: str, level: float, ax: Axes | None = None
) -> Axes:
    """Draw how often each rater or worker is right, best first; `words` say by what."""
    shown = right[:MOST_RATERS]
    axes: Any = new_figure(6.4, 1.2 + 0.19 * len(shown)).subplots() if ax is None else ax
    for row, (_, estimate) in enumerate(shown):
        draw_interval(axes, row, estimate, COLOURS[1])
    values = [estimate.value for _, estimate in shown]
    letters = "small" if len(shown) <= FEW else "x-small"
    axes.plot(values, range(len(shown)), "o", color=COLOURS[1], markersize=4, zorder=4)
    rows_of(axes, cut_names([plain(name) for name, _ in shown], LONGEST), fontsize=letters)
    rest = len(right) - len(shown)
    axes.set_xlabel(f"{words}; {rest:,} more" if rest else words)
    size = 2 if any(estimate.low is not None for _, estimate in shown) else 1
    numbers = [written(estimate)[:size] for _, estimate in shown]
    heads = ["value", f"{percent(level)} interval"][:size]
    columns_beside(axes, heads, numbers, widths=(34, 84)[:size], fontsize=letters)
    return axes


# The corrected rate, drawn.


def plot_rate(result: RateResult, ax: Axes | None = None) -> Axes:
    """Draw what each judge says and what people would say, with intervals."""
    everybody = "all judges" if len(result.judges) > 1 else "judge"
    rows = [
        (everybody if judge.name is None else plain(judge.name), judge.naive, judge.rate)
        for judge in result.each_and_all
    ]
    axes: Any = new_figure(6.8, 1.4 + 0.3 * len(rows)).subplots() if ax is None else ax
    for at, (_, naive, corrected) in enumerate(rows):
        first = at == 0
        axes.plot(
            naive, at, "D", color=COLOURS[0], mfc="none", label="as judges say" if first else None
        )
        draw_interval(axes, at, corrected, COLOURS[1])
        axes.plot(
            corrected.value,
            at,
            "o",
            color=COLOURS[1],
            label="as people would say" if first else None,
        )
    rows_of(axes, [name for name, *_ in rows])
    p = result.provenance
    what = "mean grade" if p.positive is None else f"share of items that are '{plain(p.positive)}'"
    level = "" if p.level is None else percent(p.level)
    axes.set_xlabel(f"{what}; bars: {level} intervals")
    form = ".2f" if p.positive is None else ".1%"
    heads = ("people", f"{level} interval", "judges")
    columns_beside(
        axes, heads, [(*written(e, form), f"{naive:{form}}") for _, naive, e in rows],
        widths=(42, 92, 44),
    )  # fmt: skip
    legend_above(axes)
    return axes


# Items to have labelled, drawn by how far classifiers agree.


def plot_items(result: ItemsToLabel, ax: Axes | None = None) -> Axes:
    """Draw how many of the items to label have which share of votes for one label."""
    axes: Any = new_figure(6.4, 3.4).subplots() if ax is None else ax
    axes.hist(result.agreement[-result.number :], bins=np.linspace(0, 1, 21), color=COLOURS[1])
    axes.set_xlabel("share of the votes for the most common label")
    axes.set_ylabel("items to label")
    bare(axes)
    return axes
