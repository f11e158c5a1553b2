"""The alternative annotator test, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headcount.equivalence.alt_test.records import VerdictRecord, VerdictsRecord
from headcount.results.drawing import COLOURS, bare, legend_above, new_figure, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_raters", "plot_verdicts"]

WON, LOST, MARGIN = COLOURS[1], COLOURS[0], "#777777"
MOST_ROWS = 60
"""Rows for which a figure grows; more stand closer together."""


def plot_verdicts(result: VerdictsRecord, ax: Axes | None = None) -> Axes:
    """Draw each classifier's lead over each rater, and its verdict.

    A dot is a rater: how much more often the classifier is at least as close to the other raters
    than the rater is. It has to lie clearly to the right of the dashed line, minus epsilon, to be
    won (filled). The bar is the mean over raters.
    """
    classifiers = result.classifiers
    axes: Any = _new_axes(len(classifiers)) if ax is None else ax
    axes.axvline(0, color="#cccccc", linewidth=1, zorder=0)
    margin = f"-epsilon = {-result.epsilon:g}"
    axes.axvline(-result.epsilon, color=MARGIN, linestyle="--", linewidth=1, label=margin, zorder=0)
    for place, classifier in enumerate(classifiers):
        leads = [rater.rho_f - rater.rho_h for rater in classifier.raters]
        for won, colour, text in (
            (True, WON, "a rater it wins over"),
            (False, LOST, "one it does not"),
        ):
            shown = [x for x, r in zip(leads, classifier.raters, strict=True) if r.won == won]
            axes.scatter(
                shown,
                [place] * len(shown),
                s=28,
                facecolors=colour if won else "none",
                edgecolors=colour,
                label=text if place == 0 else "_",
                zorder=3,
            )
        mean = sum(leads) / len(leads)
        axes.vlines(mean, place - 0.28, place + 0.28, colors="black", linewidth=2, zorder=4)
    axes.set_yticks(range(len(classifiers)), [_verdict(c) for c in classifiers])
    axes.set_ylim(len(classifiers) - 0.4, -0.6)
    axes.set_xlabel(
        "lead of the classifier over a rater (rho_f - rho_h); bar: mean\n"
        f"alt-test: {result.items_used:,} items, false discovery rate {result.q:g}"
    )
    _finish(axes)
    return axes


def plot_raters(classifier: VerdictRecord, ax: Axes | None = None) -> Axes:
    """Draw, rater by rater, how often the classifier and the rater are as close as the other."""
    raters = classifier.raters
    axes: Any = _new_axes(len(raters)) if ax is None else ax
    places = range(len(raters))
    rho_f, rho_h = [r.rho_f for r in raters], [r.rho_h for r in raters]
    colours = [WON if r.won else LOST for r in raters]
    axes.hlines(places, rho_h, rho_f, colors=colours, linewidth=1.5, zorder=1)
    axes.scatter(rho_f, places, s=32, c=colours, label="classifier (rho_f)", zorder=3)
    axes.scatter(
        rho_h,
        places,
        s=32,
        facecolors="white",
        edgecolors=colours,
        label="rater left out (rho_h)",
        zorder=2,
    )
    axes.set_yticks(places, [plain(f"{r.rater}{'' if r.won else ' (not won)'}") for r in raters])
    axes.set_ylim(len(raters) - 0.4, -0.6)
    verdict = _verdict(classifier).replace("\n", ": ")
    axes.set_xlabel(f"share of items on which it is at least as close to the others\n{verdict}")
    _finish(axes)
    return axes


def _verdict(c: VerdictRecord) -> str:
    verdict = "passes" if c.passes else "fails"
    return f"{plain(c.name)}\n{verdict}, won {c.won:,} of {len(c.raters):,}"


def _new_axes(rows: int) -> Axes:
    return new_figure(6.4, 1.6 + 0.42 * min(rows, MOST_ROWS)).subplots()


def _finish(axes: Any) -> None:
    axes.tick_params(axis="y", length=0)
    bare(axes)
    legend_above(axes, 3)
