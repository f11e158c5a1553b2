"""The survey power curve, drawn."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headcount.errors import ExtraError
from headcount.stats.estimate import Estimate
from headcount.stats.text import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from headcount.equivalence.result import ClassifierResult, SurveyResult

__all__ = ["new_axes", "plot"]

# Okabe and Ito's palette, which stays apart for colour-blind readers; line styles keep
# classifiers apart in print without colour.
CURVE = "#000000"
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
STYLES = ("-", "--", "-.", ":")


def new_axes() -> Axes:
    """Make a figure of one plot, without the state of pyplot."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ExtraError("a plot", "matplotlib", "report") from None
    return Figure(figsize=(6.4, 4.4), dpi=200, layout="constrained").subplots()


def plot(result: SurveyResult, ax: Axes | None = None) -> Axes:
    """Draw the power curve with interval band, and each classifier with its equivalence."""
    axes: Any = new_axes() if ax is None else ax
    p = result.provenance
    k = [point.k for point in result.curve]
    score = [point.score.value for point in result.curve]
    low, high = _limits(result)

    has_band = p.bootstrap > 0
    if has_band:
        axes.fill_between(
            k,
            [_end(point.score.low) for point in result.curve],
            [_end(point.score.high) for point in result.curve],
            color=CURVE,
            alpha=0.15,
            linewidth=0,
        )
    axes.plot(k, score, color=CURVE, marker="o", markersize=4, linewidth=1.5, label="k raters")

    for place, classifier in enumerate(result.classifiers):
        colour = COLOURS[place % len(COLOURS)]
        style = STYLES[place % len(STYLES)]
        _classifier(axes, classifier, colour, style, p.max_k, (low, high))

    axes.set_xlim(-0.02 * p.max_k, 1.02 * p.max_k)
    axes.set_ylim(low, high)
    axes.set_xticks(_ticks(p.max_k))
    axes.set_xlabel("survey size k (number of raters)")
    axes.set_ylabel(f"{p.scorer} score against the next rater ({p.unit})")
    axes.spines["top"].set_visible(False)
    if p.scorer == "cross-entropy":
        base = result.curve[0].score.value

        def from_base(score: Any) -> Any:
            return score - base

        def to_base(gain: Any) -> Any:
            return gain + base

        second = axes.secondary_yaxis("right", functions=(from_base, to_base))
        gain = "information gain" if p.combiner == "abc" else "gain"
        second.set_ylabel(f"{gain} over no rater (bits)")
    else:
        axes.spines["right"].set_visible(False)
    intervals = f"; bands: {percent(p.level)} intervals" if has_band else ""
    axes.set_title(
        f"{p.combiner} combiner, {p.items_used:,} items{intervals}", fontsize="small", loc="left"
    )
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False, fontsize="small", ncols=1
    )
    return axes


def _classifier(
    axes: Any,
    classifier: ClassifierResult,
    colour: str,
    style: str,
    max_k: int,
    limits: tuple[float, float],
) -> None:
    score, worth = classifier.score, classifier.equivalence
    text = _plain(f"{classifier.name}: worth {_worth(worth)}")
    if not limits[0] <= score.value <= limits[1]:
        text += f" (score {score.value:.3g}, below the plot)"
    if score.low is not None and score.high is not None:
        axes.axhspan(score.low, score.high, color=colour, alpha=0.13, linewidth=0)
    axes.axhline(score.value, color=colour, linestyle=style, linewidth=1.5, label=text)
    if worth.censored is None:
        axes.vlines(worth.value, limits[0], score.value, colors=colour, linestyles=":", linewidth=1)
        axes.plot(worth.value, score.value, marker="s", markersize=5, color=colour, zorder=5)
    if worth.low is not None and worth.high is not None:
        # The interval of the equivalence lies on the axis that it is read from.
        ends = [min(max(end, 0.0), float(max_k)) for end in (worth.low, worth.high)]
        if ends[0] < ends[1]:
            axes.hlines(limits[0], *ends, colors=colour, linewidth=5, alpha=0.6, clip_on=False)


def _plain(text: str) -> str:
    """Keep matplotlib from reading a name as mathematics, or as one to leave out."""
    return (" " if text.startswith("_") else "") + text.replace("$", r"\$")


def _worth(worth: Estimate) -> str:
    text = f"{worth.show(worth.value, 2)} raters"
    return f"{text} ({interval})" if (interval := worth.interval(2)) else text


def _end(end: float | None) -> float:
    return math.nan if end is None else end


def _limits(result: SurveyResult) -> tuple[float, float]:
    """Limits that show the curve and every classifier that does not dwarf it."""
    points = [end for point in result.curve for end in _ends(point.score)]
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
