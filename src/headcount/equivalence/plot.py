"""The survey power curve, drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headcount.equivalence.ceiling.records import Available
from headcount.equivalence.records import ClassifierResult, CurvePoint, SurveyRecord
from headcount.errors import percent
from headcount.results.drawing import COLOURS, STYLES, new_figure, plain
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot"]

CURVE, AMATEURS, CEILING = "#000000", "#777777", "#444444"
BEYOND = 1.5
"""How far the curve is continued, in largest surveys."""


def plot(result: SurveyRecord, ax: Axes | None = None) -> Axes:
    """Draw the power curve with interval band, and each classifier with its equivalence."""
    axes: Any = _new_axes(result) if ax is None else ax
    p = result.provenance
    low, high = _limits(result)
    who = "experts" if result.amateurs else "raters"
    _curve(axes, result.curve, CURVE, "o", f"k {who}")
    if result.amateurs:
        _curve(axes, result.amateurs, AMATEURS, "^", "k amateurs, predicting experts")
    most = max(p.max_k, len(result.amateurs) - 1)
    if result.ceiling is not None:
        most = max(most, math.ceil(BEYOND * p.max_k))
        _ceiling(axes, result.ceiling, p.max_k, most, who)
    for place, classifier in enumerate(result.classifiers):
        _classifier(axes, classifier, place, p.max_k, (low, high), who)

    axes.set_xlim(-0.02 * most, 1.02 * most)
    axes.set_ylim(low, high)
    axes.set_xticks(_ticks(most))
    axes.set_xlabel("survey size k (number of raters)")
    axes.set_ylabel(f"{p.scorer} score against {p.reference} ({p.unit})")
    axes.spines["top"].set_visible(False)
    if p.in_bits:
        _gain_axis(axes, result)
    else:
        axes.spines["right"].set_visible(False)
    intervals = f"; bands: {percent(p.level)} intervals" if p.bootstrap else ""
    axes.set_title(
        f"{p.combiner} combiner, {p.items_used:,} items{intervals}", fontsize="small", loc="left"
    )
    if ax is None:
        axes.figure.legend(loc="outside lower center", frameon=False, fontsize="small")
    else:
        axes.legend(frameon=False, fontsize="small")
    return axes


def _new_axes(result: SurveyRecord) -> Axes:
    """Make a figure of one plot, with room for the legend below it."""
    return new_figure(6.4, 4.5 + 0.2 * len(result.classifiers)).subplots()


def _curve(axes: Any, points: Sequence[CurvePoint], colour: str, marker: str, text: str) -> None:
    k = [point.k for point in points]
    low, high = ([_end(e) for e in ends] for ends in _bands(points))
    if not all(math.isnan(end) for end in low):
        axes.fill_between(k, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(
        k,
        [point.score.value for point in points],
        color=colour,
        marker=marker,
        markersize=4,
        linewidth=1.5,
        label=text,
    )


def _ceiling(axes: Any, ceiling: Available, max_k: int, most: int, who: str) -> None:
    """Continue the curve beyond the data, dashed, and mark what it tends to."""
    sizes, scores = ceiling.sizes, ceiling.curve
    beyond = (sizes >= max_k) & (sizes <= most)
    style = {"color": CURVE, "linestyle": "--", "linewidth": 1}
    axes.plot(sizes[beyond], scores[beyond], label="continued, from the fitted states", **style)
    top = ceiling.score
    axes.axhline(top.value, color=CEILING, linewidth=1, label=f"∞ {who}: the ceiling")
    if top.low is not None and top.high is not None:
        # At the right, where the curve heads for it: the whole width would hide the rest.
        axes.fill_between([max_k, most], top.low, top.high, color=CEILING, alpha=0.15, linewidth=0)


def _bands(points: Sequence[CurvePoint]) -> tuple[list[float | None], list[float | None]]:
    return [p.score.low for p in points], [p.score.high for p in points]


def _gain_axis(axes: Any, result: SurveyRecord) -> None:
    base = result.curve[0].score.value

    def from_base(score: Any) -> Any:
        return score - base

    def to_base(gain: Any) -> Any:
        return gain + base

    second = axes.secondary_yaxis("right", functions=(from_base, to_base))
    gain = "information gain" if result.provenance.information else "gain"
    second.set_ylabel(f"{gain} over no rater ({result.provenance.unit})")


def _classifier(
    axes: Any,
    classifier: ClassifierResult,
    place: int,
    max_k: int,
    limits: tuple[float, float],
    who: str,
) -> None:
    colour, style = COLOURS[place % len(COLOURS)], STYLES[place % len(STYLES)]
    score, worth = classifier.score, classifier.equivalence
    text = f"{classifier.name}: worth {_worth(worth, who)}"
    if not limits[0] <= score.value <= limits[1]:
        text += f" (score {score.value:.3g}, outside the plot)"
    if score.low is not None and score.high is not None:
        axes.axhspan(score.low, score.high, color=colour, alpha=0.13, linewidth=0)
    axes.axhline(score.value, color=colour, linestyle=style, linewidth=1.5, label=plain(text))
    if worth.censored is None:
        axes.vlines(worth.value, limits[0], score.value, colors=colour, linestyles=":", linewidth=1)
        axes.plot(worth.value, score.value, marker="s", markersize=5, color=colour, zorder=5)
    if worth.low is not None and worth.high is not None:
        # Intervals of equivalences lie on the axis they are read from, one above the other.
        ends = [min(max(end, 0.0), float(max_k)) for end in (worth.low, worth.high)]
        height = limits[0] + (0.01 + 0.015 * place) * (limits[1] - limits[0])
        if ends[0] < ends[1]:
            axes.hlines(height, *ends, colors=colour, linewidth=3, alpha=0.8)


def _worth(worth: Estimate, who: str) -> str:
    text = f"{worth.show(worth.value, 2)} {who}"
    return f"{text} ({interval})" if (interval := worth.interval(2)) else text


def _end(end: float | None) -> float:
    return math.nan if end is None else end


def _limits(result: SurveyRecord) -> tuple[float, float]:
    """Limits that show the curve and every classifier that does not dwarf it."""
    points = [end for p in (*result.curve, *result.amateurs) for end in _ends(p.score)]
    if result.ceiling is not None:
        points += _ends(result.ceiling.score)
    low, high = min(points), max(points)
    span = (high - low) or 1.0
    for classifier in result.classifiers:
        ends = _ends(classifier.score)
        if low - 1.5 * span <= classifier.score.value <= high + 1.5 * span:
            low, high = min(low, *ends), max(high, *ends)
    return low - 0.06 * (high - low), high + 0.06 * (high - low)


def _ends(estimate: Estimate) -> list[float]:
    return [e for e in (estimate.value, estimate.low, estimate.high) if e is not None]


def _ticks(max_k: int) -> list[int]:
    step = max(1, math.ceil(max_k / 12))
    return list(range(0, max_k + 1, step))
