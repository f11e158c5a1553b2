"""Votes or comparisons? The shape of Figures 4 to 7 of the paper on pairwise comparisons.

Run ``python docs/studies/scripts/pairs.py`` to write its section of ``pairs.md`` and its plots (three
minutes on two cores); ``--share .1`` for a quick look with a tenth of the runs.
"""

from __future__ import annotations

import argparse
import math
from itertools import pairwise
from pathlib import Path

import numpy as np
from pages import write_section

from headcount.pairwise.bradley_terry import bradley_terry
from headcount.pairwise.experiment import PRIOR_SD, labelling_experiment
from headcount.results.plotting import COLOURS, STYLES, bare, new_figure
from headcount.simulation.labelling import LabellingModel, simulate_comparisons, simulate_votes

IMAGES = Path(__file__).parents[2] / "images"
DPI = 110
RATIOS = (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8)
"""Comparisons to votes."""
PANELS = {
    "perception_ambiguity": ("ambiguity in perception", (0, 0.25, 0.5, 1, 1.5, 2)),
    "comparison_ambiguity": ("ambiguity in comparison", (0, 0.4, 0.8, 1.2, 1.6, 2)),
    "threshold_diversity": ("diversity in threshold", (0, 0.25, 0.5, 1, 1.5, 2)),
    "spammers": ("share of spammers", (0, 0.1, 0.2, 0.3, 0.4, 0.5)),
}
VOTES = (1, 3, 5, 7, 9, 11, 15)
SIZES = {128: 640, 512: 240, 2048: 80, 8192: 24, 32768: 8}
"""Items, and how many runs of that size."""
PER_ITEM = (0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.5, 3, 4, 6, 8, 10)
"""Comparisons to items."""
TARGET = 0.8
STEPS = (0.15, 1, 4, 8, 16, 32)
TASKS = (1536, 3000, 10000)
NAMES = {"majority": "votes", "elo": "Elo", "bradley-terry": "Bradley-Terry"}


def mean(values):
    return np.nanmean(values, axis=0)


def error(values):
    return np.nanstd(values, axis=0, ddof=1) / math.sqrt(len(values))


def save(figure, name):
    figure.savefig(IMAGES / f"pairs_{name}.png", dpi=DPI)


def against_ratio(model, runs, **options):
    """Differences in f1 of Elo and the majority vote at each of RATIOS."""
    grid = [round(ratio * model.votes_asked) for ratio in RATIOS]
    return labelling_experiment(
        model, runs=runs, comparisons=grid, methods=["majority", "elo"], **options
    ).difference("elo")


def figure_4(runs):
    """Heat map over diversity in threshold and number of comparisons."""
    diversity = np.linspace(0, 2, 11)
    gap = np.array(
        [mean(against_ratio(LabellingModel(threshold_diversity=d), runs)) for d in diversity]
    )
    axes = new_figure().subplots()
    most = np.abs(gap).max()
    x, y = np.arange(len(RATIOS) + 1) - 0.5, np.append(diversity, 2.2) - 0.1
    shown = axes.pcolormesh(x, y, gap, cmap="RdBu", vmin=-most, vmax=most)
    for i, d in enumerate(diversity):
        for j in range(len(RATIOS)):
            light = abs(gap[i, j]) > 0.6 * most
            text = f"{100 * gap[i, j]:+.0f}".replace("+0", "0").replace("-0", "0")
            axes.text(j, d, text, ha="center", va="center", fontsize=6, color="wk"[not light])
    for side in (-0.5, 0.5):
        axes.axvline(RATIOS.index(1) + side, color="black", linestyle="--", linewidth=1)
    axes.set_xticks(range(len(RATIOS)), [f"{ratio:g}" for ratio in RATIOS])
    axes.set_xlabel("comparisons / votes")
    axes.set_ylabel("diversity in threshold (sd)")
    axes.set_title(
        "f1 of comparisons minus f1 of votes, in hundredths", fontsize="small", loc="left"
    )
    axes.figure.colorbar(shown, ax=axes)
    save(axes.figure, "threshold")
    return diversity, gap


def figure_5(runs):
    """Difference in f1 against comparisons for several values of four parameters."""
    figure = new_figure(9, 7)
    found = {}
    for letter, axes, (name, (text, values)) in zip(
        "abcd", figure.subplots(2, 2, sharex=True, sharey=True).flat, PANELS.items(), strict=True
    ):
        for place, value in enumerate(values):
            gap = against_ratio(LabellingModel(**{name: value}), runs)
            found[name, value] = gap
            colour, style = COLOURS[place], STYLES[place % len(STYLES)]
            middle, band = mean(gap), 1.96 * error(gap)
            axes.fill_between(RATIOS, middle - band, middle + band, color=colour, alpha=0.2, lw=0)
            axes.plot(RATIOS, middle, color=colour, linestyle=style, label=f"{value:g}")
        axes.axhline(0, color="black", linewidth=0.8)
        axes.axvline(1, color="black", linewidth=0.8, linestyle=":")
        axes.set_xscale("log")
        axes.set_xticks([0.25, 0.5, 1, 2, 4, 8], ["¼", "½", "1", "2", "4", "8"])
        axes.minorticks_off()
        axes.set_title(f"({letter}) {text}", fontsize="medium", loc="left")
        axes.legend(frameon=False, fontsize="small", ncols=2)
        bare(axes)
    figure.supxlabel("comparisons / votes", fontsize="medium")
    figure.supylabel("f1 of comparisons (Elo) less f1 of votes", fontsize="medium")
    save(figure, "parameters")
    return found


def figure_6(runs):
    """Bias of each method; and f1 against the number of votes, with as many comparisons."""
    biased = labelling_experiment(LabellingModel(rater_bias=(2, 16)), runs=runs)
    fair = labelling_experiment(runs=runs)
    by_votes = {
        votes: labelling_experiment(
            LabellingModel(votes=votes, threshold_diversity=1.0), runs=max(runs // 2, 2)
        )
        for votes in VOTES
    }
    figure = new_figure(9, 3.9)
    left, right = figure.subplots(1, 2)
    for place, (method, text) in enumerate(NAMES.items()):
        colour = COLOURS[place]
        bias = biased.values(method, "bias")[:, 0]
        left.bar(place, mean(bias), color=colour, yerr=bias.std(), capsize=4)
        f1 = [by_votes[votes].values(method)[:, 0] for votes in VOTES]
        middle, band = np.array([mean(x) for x in f1]), 1.96 * np.array([error(x) for x in f1])
        right.fill_between(VOTES, middle - band, middle + band, color=colour, alpha=0.2, lw=0)
        style = STYLES[place]
        right.plot(VOTES, middle, style, color=colour, marker="o", ms=4, label=text)
    left.set_xticks(range(3), list(NAMES.values()))
    left.axhline(0, color="black", linewidth=0.8)
    left.set_ylabel("bias (bar: mean; line: ± sd over runs)")
    left.set_title("raters biased by 2 Beta(2, 16) - 1", fontsize="small", loc="left")
    right.set_xticks(VOTES)
    right.set_xlabel("votes per item; comparisons = votes")
    right.set_ylabel("f1")
    right.set_title("diversity in threshold 1", fontsize="small", loc="left")
    right.legend(frameon=False)
    bare(left)
    bare(right)
    save(figure, "bias")
    return biased, fair, by_votes


def figure_7(share):
    """f1 against comparisons, scaled by both laws, for several numbers of items."""
    found, figure = {}, new_figure(9, 4.2)
    per_item, per_log = figure.subplots(1, 2, sharey=True)
    for place, (items, runs) in enumerate(SIZES.items()):
        grid = [round(c * items) for c in PER_ITEM]
        model = LabellingModel(items=items, comparisons=grid[-1])
        runs = max(4, round(runs * share))
        found[items] = done = labelling_experiment(model, runs=runs, comparisons=grid)
        f1, style = mean(done.values("elo")), STYLES[place % len(STYLES)]
        for axes, scale in ((per_item, items), (per_log, items * math.log(items))):
            axes.plot(np.array(grid) / scale, f1, style, color=COLOURS[place], label=f"{items:,}")
    votes = mean(found[512].values("majority"))[0]
    for axes, law in ((per_item, "N"), (per_log, "(N ln N)")):
        for level, style, text in ((TARGET, ":", f"{TARGET:g}"), (votes, "--", "3 votes per item")):
            axes.axhline(level, color="black", linewidth=0.8, linestyle=style)
            place = (0.01, level + 0.005)
            axes.text(*place, text, transform=axes.get_yaxis_transform(), fontsize="small")
        axes.set_xscale("log")
        axes.set_xlabel(f"comparisons / {law}")
        bare(axes)
    for axes, ticks in ((per_item, (0.25, 0.5, 1, 2, 4, 8)), (per_log, (0.03, 0.1, 0.3, 1, 2))):
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    per_item.set_ylabel("f1 (Elo)")
    per_item.set_title("scaled by N", fontsize="small", loc="left")
    per_log.set_title("scaled by N ln N, as published", fontsize="small", loc="left")
    per_item.legend(frameon=False, fontsize="small", title="items N")
    save(figure, "scaling")
    return found


def needed(done, method, score):
    """Comparisons an item at which the mean f1 crosses TARGET, and its standard error."""
    values = done.values(method, score)
    f1 = mean(values)
    for i, (low, high) in enumerate(pairwise(f1)):
        if low < TARGET <= high:
            slope = (high - low) / (PER_ITEM[i + 1] - PER_ITEM[i])
            at = PER_ITEM[i] + (TARGET - low) / slope
            return at, error(values)[i] / slope
    return math.nan, math.nan


def steps(runs):
    """f1 by step of Elo, and of Bradley-Terry, at TASKS."""
    found = {}
    for k in STEPS:
        methods = ["elo"] if k < STEPS[-1] else ["elo", "bradley-terry"]
        done = labelling_experiment(runs=runs, comparisons=TASKS, methods=methods, k=k)
        found[k] = done.values("elo")
    found["Bradley-Terry"] = done.values("bradley-terry")
    return found


def few(runs):
    """f1 of both labels where few items have been compared."""
    grid = (0, 64, 128, 256, 512, 1024, 2048)
    done = labelling_experiment(runs=runs, comparisons=grid, methods=["elo"])
    lines = [["comparisons", "f1, positive label", "f1, negative label", "accuracy"], ["---"] * 4]
    for i, n in enumerate(grid):
        scores = (mean(done.values("elo", s)[:, i]) for s in ("f1", "f1_negative", "accuracy"))
        lines.append([f"{n:,}", *map(number, scores)])
    return table(lines)


def number(x, digits=3):
    x = round(x, digits) + 0.0  # no minus zero
    return f"{x:.{digits}f}".replace("0.", ".", 1) if abs(x) < 1 else f"{x:.{digits}f}"


def signed(x):
    return ("+" if round(x, 3) > 0 else "") + number(x)


def table(lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def panel_table(found):
    at = [RATIOS.index(r) for r in (0.5, 1, 2, 4, 8)]
    lines = [["parameter", "value", *(f"ratio {RATIOS[i]:g}" for i in at)], ["---"] * (2 + len(at))]
    for (name, value), gap in found.items():
        cells = [f"{signed(mean(gap)[i])} ± {number(error(gap)[i])}" for i in at]
        lines.append([PANELS[name][0], f"{value:g}", *cells])
    return table(lines)


def bias_table(biased, fair):
    lines = [["method", "bias", "sd over runs", "bias of fair raters", "f1"], ["---"] * 5]
    for method in ("majority", "elo", "bradley-terry"):
        bias, none = biased.values(method, "bias")[:, 0], fair.values(method, "bias")[:, 0]
        f1 = mean(biased.values(method)[:, 0])
        lines.append([method, *map(number, (mean(bias), bias.std(), mean(none), f1))])
    return table(lines)


def votes_table(by_votes):
    lines = [["votes per item", "majority", "Elo", "Bradley-Terry"], ["---"] * 4]
    for votes, done in by_votes.items():
        scores = (mean(done.values(m)[:, 0]) for m in ("majority", "elo", "bradley-terry"))
        lines.append([str(votes), *map(number, scores)])
    return table(lines)


def scaling_table(found):
    head = ["items N", "n/N", "n/(N ln N)", "n/N, f1 of negatives", "n/N, Bradley-Terry", "runs"]
    lines = [head, ["---"] * len(head)]
    for items, done in found.items():
        at, off = needed(done, "elo", "f1")
        other, _ = needed(done, "elo", "f1_negative")
        best, _ = needed(done, "bradley-terry", "f1")
        lines.append(
            [
                f"{items:,}",
                f"{number(at, 2)} ± {number(off, 2)}",
                number(at / math.log(items), 3),
                number(other, 2),
                number(best, 2),
                str(done.runs),
            ]
        )
    return table(lines)


def steps_table(found):
    lines = [["k", *(f"{n:,} comparisons" for n in TASKS)], ["---"] * 4]
    for k, values in found.items():
        cells = [
            f"{number(m)} ± {number(e)}" for m, e in zip(mean(values), error(values), strict=True)
        ]
        lines.append([f"{k:g}" if isinstance(k, float | int) else k, *cells])
    return table(lines)


def groups(runs):
    """Bias among items with the feature and among those without; as many comparisons as votes."""
    model = LabellingModel(rater_bias=(2, 16))
    rows = {"majority": [], "bradley-terry": []}
    for seed in range(runs):
        votes, truth = simulate_votes(model, seed=seed)
        compared, _ = simulate_comparisons(model, seed=seed)
        positive = np.bincount(votes.item, votes.label) > model.votes / 2
        above = bradley_terry(compared, prior=PRIOR_SD).rating > 0
        for method, label in zip(rows, (positive, above), strict=True):
            off = label.astype(float) - truth.label
            rows[method].append((off[truth.feature].mean(), off[~truth.feature].mean()))
    lines = [["method", "items with it", "items without", "gap between them"], ["---"] * 4]
    for method, found in rows.items():
        shown, hidden = mean(found)
        lines.append([NAMES[method], *map(signed, (shown, hidden, shown - hidden))])
    return table(lines)


def in_short(diversity, gap, k, by_votes):
    """What was published, and what is found."""
    even = float(np.interp(0, gap[:, RATIOS.index(1)], diversity))
    votes = mean(by_votes["default"].values("majority")[:, 0])
    elo, best = (mean(k[name])[0] for name in (STEPS[0], "Bradley-Terry"))
    rows = [
        [
            "The more raters' thresholds differ, the better comparisons do (Figure 4).",
            "Yes. With as many comparisons as votes, they are better from a diversity of "
            f"{number(even, 2)} on.",
        ],
        [
            "With as many tasks both do about the same; comparisons gain with more (Figure 5).",
            f"Yes. At the defaults f1 is {number(votes)} with votes and {number(elo)} with Elo. "
            "What Elo lacks is a larger step: Bradley-Terry makes "
            f"{number(best)} of the same comparisons.",
        ],
        ["Some ambiguity in comparison helps, up to .8 (Figure 5).", "Yes."],
        [
            "Comparisons show less bias (Figure 6).",
            "Among items with the feature, yes. But what these lose the others gain, and the gap "
            "between the two is wider than with votes.",
        ],
        [
            "Comparisons beat any number of votes (Figure 6).",
            "Yes from 3 votes per item on, not with one.",
        ],
        ["Comparisons needed grow as N log N (Figure 7).", "They grow as N."],
    ]
    return table([["published", "found"], ["---"] * 2, *rows])


def page(runs, drawn, found, six, seven, k):
    biased, fair, by_votes = six
    return f"""# Votes or comparisons?

Written by `python docs/studies/scripts/pairs.py`, which simulates the agent model of Narimanzadeh and
others (2023) and draws the shape of its Figures 4 to 7. Unless a figure says otherwise: 512 items,
100 raters, ambiguity in perception and in comparison and diversity in threshold .5, no spammers,
3 votes per item, Elo as published (base 10, denominator 400, k = .15, 20 epochs), {runs} runs or
more. Numbers after ± are standard errors over runs. The model is described in
`headcount.simulation.labelling`; `headcount simulate pairs` runs it with parameters of your own.

## In short

{in_short(*drawn, k, {**by_votes, "default": fair})}

Three things in the authors' code differ from their text: what they call f1 of the positive label is
that of the negative one; the 'variance' of thresholds is a standard deviation; and the random
numbers of runs are not independent. Here f1 is that of the positive label, the raters who vote on
an item are different ones, as in the text, and runs are independent.

## Diversity in threshold (Figure 4)

![f1 of comparisons minus f1 of votes](../images/pairs_threshold.png)

Comparisons need no threshold, so that their f1 does not change at all from row to row; that of
votes falls. All cells see the same crowds.

## Four kinds of subjectivity (Figure 5)

![f1 of comparisons minus f1 of votes, for four parameters](../images/pairs_parameters.png)

Bands are 95% intervals of the mean.

{panel_table(found)}

## Bias, and more votes (Figure 6)

![Bias by method; f1 by number of votes](../images/pairs_bias.png)

Half of the items have a feature that ought not to count, and to which raters give the weight
2 Beta(2, 16) - 1, -.78 on average. Bias is the mean of predicted minus true label over these items.

{bias_table(biased, fair)}

Ratings have mean 0, so about half of the items are called positive whatever raters think: each item
with the feature that is pushed below the average lifts one without it above. Votes do not affect
items without the feature. Judged by the gap between the groups, comparisons are not the fairer
method:

{groups(2 * runs)}

More votes, and as many comparisons, with a diversity in threshold of 1:

{votes_table(by_votes)}

## How many comparisons N items need (Figure 7)

![f1 against comparisons, scaled by N and by N ln N](../images/pairs_scaling.png)

Curves for 128 to 32,768 items fall onto one another over n/N, and not over n/(N ln N). Comparisons
n at which f1 reaches {TARGET:g}:

{scaling_table(seven)}

Why N: an item takes part in 2n/N comparisons on average, with opponents drawn from all. Its label
depends on how it fares in these, and neither that nor their number depends on N; nor does the share
of items that are never compared, e^(-2n/N). A logarithm would be needed to compare *every* item, or
to sort all of them, which is not necessary to divide them into two halves. Over the sizes of the
authors' pilot, 25 to 40 items, ln N changes by only 15%, and both laws look right; from 40 items to 1,000 they
differ by a factor of {number(math.log(1000) / math.log(40), 2)}.

There is a limit that no number of comparisons exceeds: comparisons show the rank of an item among
the others, not where 0 is. Cut at the middle of the sample, about .4/√N of the items are on the wrong
side: {number(100 * 0.399 / math.sqrt(512), 1)}% of 512.

## Elo's step

The table shows f1 by the step k, with the same 20 epochs, and for Bradley-Terry with its most
probable ratings.

{steps_table(k)}

With k = .15 and 1,536 comparisons even an item that wins all of its six comparisons has fewer than
10 points after 20 epochs, on a scale where 400 points are a factor of ten in the odds. So every
comparison counts alike, and the rating is wins minus losses, whatever the opponents. The more comparisons,
the smaller the step that is enough; no step is best at all of them, and Bradley-Terry needs none.

## Which f1?

Items that were never compared have the rating 0 and are called negative, as in the authors' code.
If there are many, f1 of the negative label is too high: with no comparisons it is 2/3.

{few(2 * runs)}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the runs")
    share = parser.parse_args().share
    runs = max(4, round(100 * share))
    drawn = figure_4(runs)
    found = figure_5(runs)
    six = figure_6(4 * runs)
    seven = figure_7(share)
    text = page(runs, drawn, found, six, seven, steps(4 * runs))
    write_section("pairs.md", text)


if __name__ == "__main__":
    main()
