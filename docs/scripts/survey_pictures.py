"""Draw the three pictures that docs/methods/survey.md opens with: python docs/scripts/survey_pictures.py."""

from __future__ import annotations

from pathlib import Path

from headcount import read_ratings, survey
from headcount.results.plotting import COLOURS, bare, new_figure

IMAGES = Path(__file__).parents[1] / "images"
RATINGS, PREDICTIONS = "example:ratings", "example:predictions"


def draw_items() -> None:
    """Show what raters said of a few items: surveys, and the next rater."""
    labels = read_ratings(RATINGS)
    counts = labels.matrix()
    share = counts[:, 1] / counts.sum(axis=1)
    chosen = [int(abs(share - wanted).argmin()) for wanted in (0, 0.2, 0.4, 0.6, 0.8, 1)]
    figure = new_figure(6.4, 2.9)
    axes = figure.subplots()
    for row, item in enumerate(chosen):
        said = labels.label[labels.item == item]
        for place, label in enumerate(said):
            last = place == len(said) - 1
            axes.plot(
                place + 0.6 * last, row, "o", markersize=13, color=COLOURS[int(label)],
                markerfacecolor="none" if last else COLOURS[int(label)], markeredgewidth=2,
            )  # fmt: skip
    axes.axvline(3.75, color="#bbbbbb", linestyle="--")
    axes.text(1.5, -0.9, "a survey of 4 raters", ha="center")
    axes.text(4.6, -0.9, "the next rater?", ha="center")
    for label, name in enumerate(labels.scale.labels):
        axes.plot([], [], "o", color=COLOURS[label], label=name)
    axes.set_yticks(range(len(chosen)), [f"item {n}" for n in range(1, len(chosen) + 1)])
    axes.set_xticks([])
    axes.set_xlim(-0.5, 5.3)
    axes.set_ylim(len(chosen) - 0.4, -1.4)
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    bare(axes)
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    figure.savefig(IMAGES / "survey_items.png", dpi=120)


def draw_curves() -> None:
    """Draw the curve alone, then with a classifier on it."""
    for name, result in (
        ("survey_curve", survey(RATINGS)),
        ("survey_worth", survey(RATINGS, PREDICTIONS)),
    ):
        result.plot().figure.savefig(IMAGES / f"{name}.png", dpi=120)


if __name__ == "__main__":
    draw_items()
    draw_curves()
