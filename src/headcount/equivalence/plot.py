"""The survey power curve and what follows from it, drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from headcount.equivalence.power_curve import tells_nothing
from headcount.errors import count, percent
from headcount.results.plotting import (
    COLOURS,
    STYLES,
    bare,
    draw_interval,
    legend_above,
    narrow,
    new_figure,
    plain,
)
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from headcount.equivalence.alt_test import AltTest, AltTestClassifier
    from headcount.equivalence.ceiling import Available
    from headcount.equivalence.panels import PanelResult
    from headcount.equivalence.result import ClassifierResult, CurvePoint, SurveyResult

__all__ = [
    "plot",
    "plot_verdicts",
    "plot_panels",
]


CURVE, AMATEURS, CEILING = "#000000", "#777777", "#444444"
LEAST = 4
"""Raters that are shown at least, where there are so many."""
ASIDE = 0.1
"""How far beyond the curve infinitely many raters stand, as a share of its width."""
LANE, MOST_LANES = 0.03, 0.35
"""Part of the height that the worth of a classifier takes below the curve, and all of them."""
WIDEST = 42
"""Letters of a line beside an axis."""
LINE = 0.1
"""Part of the height between what is written beside two lines."""


def plot(result: SurveyResult, ax: Axes | None = None) -> Axes:
    """Draw the gain of raters over none, and each classifier with the raters that it is worth.

    Gains, not scores: their intervals are of differences in the same bootstrap samples, and tell
    how sure the curve is of its rise. Classifiers have no bands: how sure a worth is depends on
    what curve and classifier have in common, and is drawn where it is read, below.
    """
    axes: Any = new_figure(7.2, 4.2).subplots() if ax is None else ax
    p = result.provenance
    low, high = _limits(result)
    who = "experts" if result.amateurs else "raters"
    most = _most(result)
    _curve(axes, result.curve[: most + 1], CURVE, "o")
    beside: list[tuple[float, str, str]] = []
    if result.amateurs:
        _curve(axes, result.amateurs, AMATEURS, "s")
        beside.append((result.amateurs[-1].gain.value, "amateurs", AMATEURS))
        beside.append((result.curve[min(most, len(result.curve) - 1)].gain.value, who, CURVE))
    if result.ceiling is not None:
        _beyond(axes, result, result.ceiling, most)
        beside.append((result.ceiling.gain.value, f"ceiling: ∞ {who}", CEILING))
    # Room below the curve for the worths, so that they cover nothing.
    part = min(LANE * len(result.classifiers), MOST_LANES)
    bottom = low - part / (1 - part) * (high - low)
    ranked = sorted(result.classifiers, key=lambda c: c.gain.value)
    for index, classifier in enumerate(ranked):
        height = bottom + (low - bottom) * (index + 0.5) / len(ranked)
        colour = COLOURS[index % len(COLOURS)]
        beside.append(_classifier(axes, classifier, index, (bottom, high), who))
        _on_the_axis(axes, classifier.worth, height, colour)
    right = 1.02 * most if result.ceiling is None else (1 + 1.6 * ASIDE) * most
    axes.set_xlim(-0.02 * most, right)
    axes.set_ylim(bottom, high if high > bottom else bottom + 1)  # where no gain is known
    axes.set_yticks([y for y in axes.get_yticks() if low <= y <= axes.get_ylim()[1]])
    ticks = list(range(0, most + 1, max(1, math.ceil(most / 12))))
    axes.set_xticks(ticks, [str(k) for k in ticks])
    if result.ceiling is not None:
        axes.set_xticks([*ticks, (1 + ASIDE) * most], [*map(str, ticks), "∞"])
    axes.set_xlabel(f"number of {who}, k")
    gain = "information gain" if p.information else "gain"
    axes.set_ylabel(fill(f"{gain} over no rater ({p.unit})", LONGEST if narrow(axes) else WIDEST))
    _write_beside(axes, beside)
    bare(axes)
    drawn = p.bootstrap and result.too_few is None
    intervals = f"; band and bars: {percent(p.level)} intervals" if drawn else ""
    axes.set_title(
        f"{count(p.items_used, 'item')}{intervals}", fontsize="small", loc="left", wrap=True
    )
    return axes


def _write_beside(axes: Any, beside: Sequence[tuple[float, str, str]]) -> None:
    """Write what lines are on the right, where they end, far enough apart to be read."""
    low, high = axes.get_ylim()
    gap = min(LINE, 1 / max(len(beside), 1))
    at = -math.inf
    placed: list[tuple[float, str, str]] = []
    for value, text, colour in sorted(beside):
        share = (value - low) / (high - low)
        # As high as its line is, unless the one below is there.
        at = max(share, at + gap * (1 + placed[-1][1].count("\n") / 2) if placed else share)
        placed.append((at, text, colour))
    over = max((each[0] for each in placed), default=0.0) - 1
    for share, text, colour in placed:
        height = min(max(share - max(over, 0.0), 0.0), 1.0)
        axes.annotate(
            "\n".join(map(plain, text.split("\n"))), (1, height), (6, 0), va="center",
            xycoords="axes fraction", textcoords="offset points", color=colour, fontsize="small",
            annotation_clip=False,
        )  # fmt: skip


def _most(result: SurveyResult) -> int:
    """Raters up to which the plot has to reach."""
    largest = max(result.provenance.max_k, len(result.amateurs) - 1)
    worths = [classifier.worth for classifier in result.classifiers]
    ends = [
        min(max(end, 0.0), worth.bounds[1])  # ends that are censored are infinite
        for worth in worths
        for end in (worth.value, worth.low, worth.high)
        if end is not None and worth.bounds is not None and not math.isnan(end)
    ]
    if not ends:
        return largest
    # Twice as far as worths reach: all of a crowd would press them against the left.
    enough = max(LEAST, math.ceil(2 * max(ends)))
    return max(math.ceil(max(ends)), min(largest, enough))


def _curve(axes: Any, points: Sequence[CurvePoint], colour: str, marker: str) -> None:
    k = [point.k for point in points]
    low = [math.nan if point.gain.low is None else point.gain.low for point in points]
    high = [math.nan if point.gain.high is None else point.gain.high for point in points]
    if not all(math.isnan(end) for end in low):
        axes.fill_between(k, low, high, color=colour, alpha=0.15, linewidth=0)
    axes.plot(
        k,
        [point.gain.value for point in points],
        color=colour,
        marker=marker,
        markersize=4,
        linewidth=1.5,
    )


def _beyond(axes: Any, result: SurveyResult, ceiling: Available, most: int) -> None:
    """Continue the curve from its last point, dashed, and mark what it tends to."""
    max_k, base = result.provenance.max_k, result.curve[0].score.value
    sizes, gains = ceiling.sizes, ceiling.curve - base
    beyond = (sizes >= max_k) & (sizes <= most)
    if beyond.sum() > 1:
        style = {"color": CURVE, "linestyle": "--", "linewidth": 1}
        axes.plot(sizes[beyond], gains[beyond], **style)
    top = ceiling.gain
    # Beside the curve, which heads for it.
    at = (1 + ASIDE) * most
    axes.axvline((1 + 0.4 * ASIDE) * most, color="#cccccc", linewidth=0.8)
    axes.axhline(top.value, color=CEILING, linewidth=0.6, linestyle=(0, (1, 3)))
    draw_interval(axes, at, top, CEILING, upright=True)
    axes.plot(at, top.value, "o", color=CEILING)


def _classifier(
    axes: Any,
    classifier: ClassifierResult,
    index: int,
    limits: tuple[float, float],
    who: str,
) -> tuple[float, str, str]:
    """Draw a classifier's gain and where the curve reaches it; and say what to write beside it."""
    colour, style = COLOURS[index % len(COLOURS)], STYLES[index % len(STYLES)]
    gain, worth = classifier.gain, classifier.worth
    raters = _worth(worth, who)
    raters = raters.partition(" (")[0] if narrow(axes) else raters
    text = f"{_short(classifier.name)}\n{raters}"
    if not limits[0] <= gain.value <= limits[1]:
        text += f"\n(gain {gain.value:.3g})"
    axes.axhline(gain.value, color=colour, linestyle=style, linewidth=1.5)
    if worth.undefined is None and worth.censored is None:
        axes.vlines(worth.value, limits[0], gain.value, colors=colour, linestyles=":", linewidth=1)
        axes.plot(worth.value, gain.value, marker="s", markersize=5, color=colour, zorder=5)
    return gain.value, text, colour


def _on_the_axis(axes: Any, worth: Estimate, height: float, colour: str) -> None:
    """Draw a worth where it is read: a point, its interval, and arrows where that has no end."""
    if worth.undefined is not None:
        return
    if worth.censored is None:
        axes.plot(worth.value, height, marker="o", markersize=4, color=colour, zorder=6)
    draw_interval(axes, height, worth, colour, width=3, alpha=0.6)


def _worth(worth: Estimate, who: str) -> str:
    if worth.undefined is not None or tells_nothing(worth):
        return "unknown"
    digits = 1 if worth.extrapolated else 2
    number = worth.show(worth.value, digits)
    text = f"{number} {who.removesuffix('s') if number == '> 1' else who}"
    text = f"{text} ({interval})" if (interval := worth.interval(digits)) else text
    return f"about {text}" if worth.extrapolated else text


def _limits(result: SurveyResult) -> tuple[float, float]:
    """Limits that show the curve and every classifier that does not dwarf it."""
    points = [end for p in (*result.curve, *result.amateurs) for end in _ends(p.gain)]
    if result.ceiling is not None:
        points += _ends(result.ceiling.gain)
    low, high = min(points), max(points)
    span = (high - low) or 1.0
    for classifier in result.classifiers:
        ends = _ends(classifier.gain)
        if low - 1.5 * span <= classifier.gain.value <= high + 1.5 * span:
            low, high = min(low, *ends), max(high, *ends)
    return low - 0.03 * (high - low), high + 0.06 * (high - low)


def _ends(estimate: Estimate) -> list[float]:
    return [e for e in (estimate.value, estimate.low, estimate.high) if e is not None]


# The alternative annotator test, drawn.

WON, LOST, MARGIN = COLOURS[1], COLOURS[0], "#777777"
MOST_ROWS = 60
"""Rows for which a figure grows; more stand closer together."""


def plot_verdicts(result: AltTest, ax: Axes | None = None) -> Axes:
    """Draw each classifier's lead over each rater, and its verdict.

    A dot is a rater: how much more often the classifier is at least as close to the other raters
    than the rater is. It has to lie clearly to the right of the dashed line, minus epsilon, to be
    won (filled). The bar is the mean over raters.
    """
    classifiers = sorted(result.classifiers, key=_mean_lead, reverse=True)
    axes: Any = (
        new_figure(6.4, 1.6 + 0.42 * min(len(classifiers), MOST_ROWS)).subplots()
        if ax is None
        else ax
    )
    axes.axvline(0, color="#cccccc", linewidth=1, zorder=0)
    margin = f"-epsilon = {-result.epsilon:g}"
    axes.axvline(-result.epsilon, color=MARGIN, linestyle="--", linewidth=1, label=margin, zorder=0)
    for index, classifier in enumerate(classifiers):
        leads = [rater.rho_f - rater.rho_h for rater in classifier.raters]
        for won, colour, text in (
            (True, WON, "a rater it wins over"),
            (False, LOST, "one it does not"),
        ):
            shown = [x for x, r in zip(leads, classifier.raters, strict=True) if r.won == won]
            axes.scatter(
                shown,
                [index] * len(shown),
                s=28,
                facecolors=colour if won else "none",
                edgecolors=colour,
                label=text if index == 0 else "_",
                zorder=3,
            )
        mean = _mean_lead(classifier)
        axes.vlines(mean, index - 0.28, index + 0.28, colors="black", linewidth=2, zorder=4)
    names = [plain(c.name) if narrow(axes) else _verdict(c) for c in classifiers]
    axes.set_yticks(range(len(classifiers)), names, fontsize="small")
    axes.set_ylim(len(classifiers) - 0.4, -0.6)
    axes.set_xlabel(
        "lead of the classifier over a rater (rho_f - rho_h); bar: mean\n"
        f"alt-test: {result.provenance.items_used:,} items, false discovery rate {result.q:g}",
        fontsize="small",
    )
    axes.tick_params(axis="y", length=0)
    bare(axes)
    legend_above(axes, 3)
    return axes


def _mean_lead(c: AltTestClassifier) -> float:
    return sum(rater.rho_f - rater.rho_h for rater in c.raters) / len(c.raters)


def _verdict(c: AltTestClassifier) -> str:
    verdict = "passes" if c.passes else "fails"
    return f"{plain(c.name)}\n{verdict}, won {c.won:,} of {len(c.raters):,}"


# What panels are worth, drawn by their size.

LONGEST = 24
"""Letters of a member's name that stand below an axis."""


def plot_panels(result: PanelResult, ax: Axes | None = None) -> Axes:
    """Draw the worth of the best panel of each size, with its interval."""
    axes: Any = new_figure(6.4, 4.2).subplots() if ax is None else ax
    drawn = [(len(panel.members), panel.worth, panel.members) for panel in result.best]
    if len(result.members) > len(result.best):
        drawn.append((len(result.members), result.everyone, ("all",)))
    shown = [(size, worth) for size, worth, _ in drawn if _number(worth) is not None]
    for n, (size, worth) in enumerate(shown):
        draw_interval(axes, size, worth, COLOURS[1], upright=True)
        text = "best of its size, chosen on other items" if n == 0 else None
        mark = "o" if worth.censored is None else "^" if worth.censored == "above" else "v"
        look = {"color": COLOURS[1], "markersize": 5, "zorder": 4}
        axes.plot(size, _number(worth), mark, label=text, clip_on=False, **look)
        axes.annotate(
            worth.show(worth.value, 1), (size, _number(worth)), (6, 0), fontsize="x-small",
            textcoords="offset points", va="center",
        )  # fmt: skip
    most = float(result.provenance.max_k)
    largest = f"largest survey ({count(int(most), 'rater')}); above it worth is extrapolated"
    axes.axhline(most, color="#bbbbbb", linestyle="--", linewidth=1, zorder=0, label=largest)
    ticks = [
        "\n".join([str(size), *([] if narrow(axes) else map(_short, names))])
        for size, _, names in drawn
    ]
    axes.set_xticks([size for size, _, _ in drawn], ticks, fontsize="x-small")
    axes.set_xlim(0.5, drawn[-1][0] + 0.5)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("classifiers in the panel")
    level = percent(result.provenance.level)
    bars = f"; bars: {level} intervals" if result.provenance.bootstrap else ""
    axes.set_ylabel(f"worth in raters{bars}")
    bare(axes)
    legend_above(axes, columns=1)
    return axes


def _short(name: str) -> str:
    return plain(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…")


def _number(worth: Estimate) -> float | None:
    """Where a worth is drawn: at the end of what surveys can tell if it is beyond."""
    if worth.undefined is not None or math.isnan(worth.value):
        return None
    low, high = worth.bounds or (worth.value, worth.value)
    return min(max(worth.value, low), high)
