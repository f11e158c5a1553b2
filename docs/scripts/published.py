"""Write published.md and its plots: what was published of two data sets, and what is exact.

Run as: HEADCOUNT_DATA=folder python docs/scripts/published.py (the folder is described in docs/guide/data.md).
"""

from __future__ import annotations

import csv
import os
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy.stats import hypergeom, rankdata

from headcount import Labels, Predictions, read_ratings, survey, survey_equivalence
from headcount.equivalence.result import SurveyResult

Floats = NDArray[np.float64]
Grid = NDArray[np.int64]
"""Items x columns of label codes, -1 where blank: the padded matrix of the reference library."""

DOCS = Path(__file__).parents[1]
ORANGE, BLUE, GREEN = "#D55E00", "#0072B2", "#009E73"  # Okabe and Ito
# Read in the paper: sections 3.4 and 4, and appendix A.1.
PAPER = {
    "abc": "1.96 [1.63, 2.54]",
    "plurality": "4.31 [2.88, 4.81]",
    "frequency": "6.32",
    "toxicity": "7.63",
}
SUBSETS, SHUFFLES = 200, 20


class Saved:
    """Results as the reference library saved them."""

    def __init__(self, path: Path) -> None:
        self.lines = path.read_text(encoding="utf-8").splitlines()
        self.scores = self.part("classifier scores", "Actual item set score:")
        self.curve = list(self.part("power curve means", "Actual item set score:").values())
        self.low = self.part("survey equivalences", "lower bounds")
        self.high = self.part("survey equivalences", "upper bounds")

    def part(self, section: str, name: str) -> dict[str, float]:
        """Find the numbers under a heading of a section."""
        start = next(i for i, x in enumerate(self.lines) if x.strip("-") == section)
        start = next(i for i in range(start, len(self.lines)) if self.lines[i].strip() == name)
        found: dict[str, float] = {}
        for line in self.lines[start + 1 :]:
            if "dtype" in line:
                break
            key, value = line.strip().rsplit(maxsplit=1)
            found[key] = float(value)
        return found

    def worth(self, name: str) -> float:
        """Read the equivalence off the curve."""
        return float(survey_equivalence(self.curve, self.scores[name]))

    def show(self, name: str) -> str:
        worth = self.worth(name)
        text = f"{worth:.2f}" if np.isfinite(worth) else f"{len(self.curve) - 1:.2f}"
        return f"{text} [{self.low[name]:.2f}, {self.high[name]:.2f}]"


def read_predictions(path: Path, labels: list[str]) -> Predictions:
    """Read predictions as printed: Prediction: [p, q], or Prediction: label."""
    with path.open(encoding="utf-8", newline="") as file:
        (_, *names), *rows = csv.reader(file)
    items = [row[0] for row in rows]
    texts = {
        name: [row[i].removeprefix("Prediction: ") for row in rows]
        for i, name in enumerate(names, start=1)
    }
    if not rows[0][1].endswith("]"):
        return Predictions.from_labels(items, texts)
    tables = {
        name: [[float(x) for x in re.findall(r"[\d.]+(?:e-?\d+)?", text)] for text in column]
        for name, column in texts.items()
    }
    return Predictions.from_probabilities(items, labels, tables)


def worth(result: SurveyResult, name: str) -> str:
    estimate = result[name].worth
    return f"{estimate.show(estimate.value, 2)} ({estimate.interval(2)})"


def learned(first: Grid, ratings: Grid, k: int) -> Floats:
    """What abc predicts for the first label after y = 0 .. k of k raters gave it.

    Learned from all items with another rating, the predicted one among them: no leave-one-out.
    """
    w, n = first[ratings > k][:, None], ratings[ratings > k][:, None]
    y = np.arange(k + 1)
    asked = hypergeom.pmf(y, n, w, k)
    said, seen = (asked * (w - y) / (n - k)).sum(axis=0), asked.sum(axis=0)
    p = np.divide(said, seen, out=np.full(k + 1, 0.5), where=seen > 0)
    return np.clip(p, 0.02, 0.98)


def without_leaving_out(labels: Labels, max_k: int) -> list[float]:
    """Cross-entropy of all surveys of k raters, abc having seen the item; equal numbers of ratings.

    An item with w of n first labels: y of k are observed, and the next is first by (w - y)/(n - k).
    """
    first, n = labels.matrix()[:, :1], len(labels.raters)
    curve: list[float] = []
    for k in range(max_k + 1):
        p, y = learned(first[:, 0], np.full(len(first), n), k), np.arange(k + 1)
        asked, q = hypergeom.pmf(y, n, first, k), (first - y) / (n - k)
        curve.append(float((asked * (q * np.log2(p) + (1 - q) * np.log2(1 - p))).sum(1).mean()))
    return curve


def one_hot(grid: Grid) -> Floats:
    return np.stack([grid == 0, grid == 1]).astype(np.float64)


def column_mean(probability: Floats, given: Floats, used: NDArray[np.bool_]) -> float:
    """Cross-entropy of each column, averaged over the columns used that are not blank."""
    ratings = given.sum(axis=(0, 1))
    log_p = np.log2(probability)
    totals = log_p[:, 0] @ given[0] + log_p[:, 1] @ given[1]
    kept = used & (ratings > 0)
    return float((totals[kept] / ratings[kept]).mean())


def column_auc(score: Floats, grid: Grid) -> float:
    """AUC of a score for the second label in each column with both labels, averaged."""
    found: list[float] = []
    for column in grid.T:
        label = column[column >= 0]
        ones, zeros = (label == 1).sum(), (label == 0).sum()
        if ones and zeros:
            ranks = rankdata(score[column >= 0])[label == 1].sum()
            found.append(float((ranks - ones * (ones + 1) / 2) / (ones * zeros)))
    return float(np.mean(found))


def by_columns(grid: Grid, max_k: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Power curve of k columns drawn from a padded matrix, and standard errors of its points."""
    given, width = one_hot(grid), grid.shape[1]
    first, ratings = (grid == 0).sum(axis=1), (grid >= 0).sum(axis=1)
    after = np.full((max_k + 1, max_k + 1), np.nan)
    for k in range(max_k + 1):
        after[k, : k + 1] = learned(first, ratings, k)
    scores = np.zeros((max_k + 1, SUBSETS))
    for k, subset in np.ndindex(scores.shape):
        asked = np.isin(np.arange(width), rng.permutation(width)[:k])
        y, other = (given @ asked).astype(np.intp)
        p = after[y + other, y]
        scores[k, subset] = column_mean(np.column_stack([p, 1 - p]), given, ~asked)
    return scores.mean(axis=1), scores.std(axis=1) / SUBSETS**0.5


def shuffled(grid: Grid, rng: np.random.Generator) -> Grid:
    """Deal the ratings of each item anew to the columns that they fill."""
    order = np.argsort(np.where(grid >= 0, rng.random(grid.shape), 2), axis=1)
    return np.take_along_axis(grid, order, axis=1)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def page(*parts: str) -> str:
    """Fill paragraphs to lines of 100 characters; leave tables, headings, lists and links."""
    blocks = "\n\n".join(part.strip() for part in parts).split("\n\n")
    filled = [
        b if b[0] in "|#!-" else textwrap.fill(b, 100, break_on_hyphens=False) for b in blocks
    ]
    return "\n\n".join(filled) + "\n"


def save(figure: Figure, name: str) -> None:
    # Text stays text and nothing holds a date: files are small, and the same in every run.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "headcount"}):
        figure.savefig(DOCS / "images" / name, metadata={"Date": None})


def running_example(folder: Path) -> str:
    labels = read_ratings(folder / "ratings_wide.csv")
    soft = read_predictions(folder / "soft_predictions.csv", ["pos", "neg"])
    hard = read_predictions(folder / "hard_predictions.csv", ["pos", "neg"])
    calibrated, ideal, mock = (c.name for c in (*soft.classifiers, *hard.classifiers))
    abc = Saved(folder / "published_abc_plus_cross_entropy.txt")
    frequency = Saved(folder / "published_frequency_plus_cross_entropy.txt")
    plurality = Saved(folder / "published_plurality_plus_agreement.txt")
    exact = survey(labels, soft, combiner="abc", ceiling=False)
    exact_frequency = survey(labels, soft, combiner="frequency", ceiling=False)
    exact_plurality = survey(labels, hard, combiner="plurality", scorer="agreement", ceiling=False)
    worths = [
        ("abc, cross-entropy", "calibrated", abc, exact, calibrated, PAPER["abc"]),
        ("abc, cross-entropy", "ideal", abc, exact, ideal, ""),
        ("plurality, agreement", "hard", plurality, exact_plurality, mock, PAPER["plurality"]),
        ("frequency, cross-entropy", "calibrated", frequency, exact_frequency, calibrated,
         PAPER["frequency"]),
    ]  # fmt: skip
    seen = without_leaving_out(labels, 9)
    scores = [point.score.value for point in exact.curve]
    off = np.abs(np.subtract(abc.curve, seen))
    gap = np.subtract(abc.curve, scores)
    rows = [
        (k, *(f"{score:.6f}" for score in row))
        for k, row in enumerate(zip(abc.curve, seen, scores, strict=True))
    ]

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes: Any = figure.subplots()
    exact.plot(axes)
    axes.plot(range(10), abc.curve, "D", color=GREEN, markersize=6, fillstyle="none",
              label="published")  # fmt: skip
    axes.legend(framealpha=1, edgecolor="none", fontsize="small")
    save(figure, "published_running_example.svg")
    return f"""
## The running example

1,000 synthetic items, 10 ratings each. Worth of the classifiers in raters:

{
        table(
            ["combiner, scorer", "classifier", "paper", "saved", "exact"],
            [
                (how, what, paper, run.show(name), worth(result, name))
                for how, what, run, result, name, paper in worths
            ],
        )
    }

Power curve of abc with cross-entropy, in bits:

{table(["k", "published (saved)", "abc that has seen the item", "exact, leave-one-out"], rows)}

**The saved curve does not leave out the item that is predicted**, as Algorithm 5 asks. Learning
from all items gives the saved values to all six digits at k = 0 to 3 and 7 to 9 (largest
difference {off[[0, 1, 2, 3, 7, 8, 9]].max():.0e}). At k = 4, 5 and 6 there are more than 200 sets
of raters, and the library draws a sample of them; there the saved values are off by {
        off[4:7].min():.4f}
to {off[4:7].max():.4f}. An abc that has seen the item looks {gap[9]:.4f} bits too good at k = 9,
but only {gap[2]:.4f} at k = 2, where the classifier's score is reached: the height of the curve
changes, but the worth of this classifier hardly does.

![Power curve of the running example, published and exact](../images/published_running_example.svg)

The paper's text seems to be from other runs than the saved results: its 4.31, and the ends of its
intervals, differ from them no more than sampled sets of raters and bootstrap draws do. Its 6.32
for the frequency combiner differs more: the saved curve reaches the classifier's score at
{frequency.worth(calibrated):.2f}, the exact one at
{exact_frequency[calibrated].worth.value:.2f}. We cannot say where
6.32 comes from.
"""


def toxicity(folder: Path) -> str:
    rng = np.random.default_rng(0)
    labels = read_ratings(folder / "ratings_wide.csv")
    predictions = read_predictions(folder / "soft_predictions.csv", ["a", "n"])
    (raw, p_raw), (calibrated, p_calibrated) = (
        (c.name, c.probability) for c in predictions.classifiers
    )
    grid: Grid = np.full((len(labels.items), len(labels.raters)), -1)
    grid[labels.item, labels.rater] = labels.label
    width, everywhere = grid.shape[1], np.ones(grid.shape[1], dtype=bool)
    ratings, filled = (grid >= 0).sum(axis=1), (grid >= 0).sum(axis=0)

    worths: list[list[str]] = []
    runs: dict[str, Saved] = {}
    results: dict[str, SurveyResult] = {}
    for combiner, scorer, file in (
        ("abc", "cross-entropy", "AnonymousBayesianCombiner_plus_CrossEntropyScore"),
        ("frequency", "cross-entropy", "FrequencyCombiner_plus_CrossEntropyScore"),
        ("abc", "auc", "AnonymousBayesianCombiner_plus_AUCScore"),
        ("frequency", "auc", "FrequencyCombiner_plus_AUCScore"),
    ):
        how = f"{combiner}, {scorer}"
        runs[how] = Saved(folder / f"published_{file}.txt")
        both = [
            survey(labels, predictions, combiner=combiner, scorer=scorer, max_k=k, ceiling=False)
            for k in (7, 9)
        ]
        results[how] = both[0]
        worths += [
            [how, name.removeprefix("0_"), runs[how].show(name), *(worth(r, name) for r in both)]
            for name in (calibrated, raw)
        ]
    run, exact = runs["abc, cross-entropy"], results["abc, cross-entropy"]
    run_auc, auc = runs["abc, auc"], results["abc, auc"]

    k = run.worth(calibrated)
    curve, errors = by_columns(grid, 19, rng)
    score = column_mean(p_calibrated, one_hot(grid), everywhere)
    far = np.abs(curve - run.curve)[1:] / (2**0.5 * errors[1:])
    # Every column weighs the same, so that items with ratings in nearly empty columns weigh most.
    weight = ((grid >= 0) / np.maximum(filled, 1)).sum(axis=1) / (filled > 0).sum()
    plain, weighted = ratings.mean() / width, float(weight @ ratings) / width
    steps = [
        (i, f"{run.curve[i]:.4f}", f"{curve[i]:.4f}", f"{errors[i]:.4f}", f"{i * plain:.2f}",
         f"{i * weighted:.2f}")
        for i in (0, 1, 4, 7, 8, 12, 19)
    ]  # fmt: skip
    draw_toxicity(run, calibrated, exact, curve, (plain, weighted))

    dealt = [shuffled(grid, rng) for _ in range(SHUFFLES)]
    scores = [column_mean(p_calibrated, one_hot(other), everywhere) for other in dealt]
    again = [
        float(survey_equivalence(by_columns(other, 19, rng)[0], score))
        for other, score in zip(dealt, scores, strict=True)
    ]
    clipped = int(((p_raw <= 0.02) | (p_raw >= 0.98)).any(axis=1).sum())
    return f"""
## Toxicity of Wikipedia comments

{len(grid):,} comments with {ratings.min()} to {ratings.max()} ratings, {ratings.mean():.2f} on
average, in a matrix of {width} columns: the ratings of a comment fill columns from the left, the
rest is blank. The paper's best estimate is {PAPER["toxicity"]} raters (abc, cross-entropy,
calibrated).

{
        table(
            [
                "combiner, scorer",
                "classifier",
                "saved, in columns",
                "exact, all items, k up to 7",
                f"exact, the {(ratings >= 10).sum():,} items with 10 ratings or more",
            ],
            worths,
        )
    }

**A survey of k was k columns, not k ratings.** Blanks among them are dropped, so that k random
columns hold k x {ratings.mean():.2f} / {width} ratings of an item on average: {k:.2f} columns are
**{k * plain:.2f} ratings**. Weighted as the scores weight items, they are {k * weighted:.2f}: every
column weighs the same, though the first has {filled[0]:,} ratings and the last {
        filled[filled > 0][-1]
    },
so that comments with many ratings weigh most. Plotted against ratings instead of columns, the published
curve runs close to the exact one (right plot). The exact worth, with k ratings and equal weights, is
{exact[calibrated].worth.value:.2f}. The classifier's authors found it better than three
raters and worse than five (Wulczyn, Thain and Dixon 2017, as cited in appendix A.1; against the
majority of ten raters, on another sample).

Doing the same again ({SUBSETS} random sets of k columns, blanks dropped, abc that has seen the
item, mean over columns) gives the saved curve at k = 0 to six digits (difference
{abs(curve[0] - run.curve[0]):.0e}), and elsewhere within {far.max():.1f} standard errors of the
difference of two such draws. It gives the saved scores of the classifiers to six digits:
{score:.6f} calibrated and {column_mean(p_raw, one_hot(grid), everywhere):.6f} raw, where items
that weigh the same give {exact[calibrated].score.value:.6f} and {exact[raw].score.value:.6f}. The
calibrated classifier is then worth {
        float(survey_equivalence(curve, score)):.2f} columns; in the saved
draw it is worth {k:.2f}.

{
        table(
            [
                "k columns",
                "published (saved)",
                "done again",
                "standard error",
                "ratings per item",
                "ratings, as scores weigh items",
            ],
            steps,
        )
    }

![Gain against columns and against ratings](../images/published_toxicity.svg)

**Averaging columns adds noise.** The library's script shuffles the ratings of a comment into
columns in each run: the raw classifier, to which nothing is fitted, scores {run.scores[raw]:.3f} in
one saved run and {runs["frequency, cross-entropy"].scores[raw]:.3f} in another. In {
        SHUFFLES
    } shuffles the
calibrated one's score has a standard deviation of {np.std(scores, ddof=1):.3f} bits, and its worth,
computed the same way, goes from {min(again):.1f} to {max(again):.1f} columns.

**AUC** was computed from the probability of the *more probable* label, which shows how certain a
prediction is, not what it predicts: a classifier that gives .98 to the right label of every item
gets .5. On the
saved ratings it is {column_auc(p_raw.max(axis=1), grid):.3f} raw and
{column_auc(p_calibrated.max(axis=1), grid):.3f} calibrated (saved, from a run of its own:
{run_auc.scores[raw]:.3f} and {run_auc.scores[calibrated]:.3f}). The probability of one label gives
{column_auc(p_raw[:, 1], grid):.3f} and {column_auc(p_calibrated[:, 1], grid):.3f} as a mean over
columns, and headcount's `auc`, where items weigh the same, {auc[raw].score.value:.3f} and
{auc[calibrated].score.value:.3f}.

## Other differences

Between headcount and `surveyequivalence` 0.1.3, by its source:

- **Columns or items.** If columns are averaged, the weight of an item depends on how full its
columns are; headcount takes a random item, then one of its raters at random.
- **Verbosity.** The power curve passes `verbosity` in place of `anonymous`: with 0 it averages
columns, with 1 or more items, whatever the classifiers are scored by.
- **Missing ratings** count as disagreement in the agreement score of a column.
- **Precision, recall and F1** are micro averages by default, which for one label per item is
  accuracy; headcount's are of one label, or the mean over labels.
- **Censoring.** A score above the curve is worth the largest k and one below it 0, unmarked, in
  means and intervals too: hence 9.00 and 19.00 above, for what is "> 9" and "> 19".
- **Sets of raters.** Of 201 to 1,000 sets, 200 are drawn with replacement and repeats dropped;
  headcount counts all.
- **Clipping.** All probabilities are kept within [.02, .98], a classifier's too (in the saved raw
  predictions {clipped} of {len(grid):,} lie on a bound); headcount does so for `frequency` only.
- **No rater.** The frequency combiner then predicts the label frequencies of the data; headcount's
  is uniform, as in the paper.
"""


def draw_toxicity(
    run: Saved, name: str, exact: SurveyResult, again: Floats, per_column: tuple[float, float]
) -> None:
    """Draw the gain against columns, and against the ratings in them."""
    figure = Figure(figsize=(9.6, 4.0), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    k, gain = np.arange(len(run.curve)), np.array(run.curve) - run.curve[0]
    open_marker: dict[str, Any] = {"markersize": 5, "fillstyle": "none"}
    left.plot(k, gain, "D", color=GREEN, label="published", **open_marker)
    left.plot(k, again - again[0], color=GREEN, linewidth=1, label="done again")
    points = exact.curve
    x, low, high = zip(*((p.k, p.gain.low or 0, p.gain.high or 0) for p in points), strict=True)
    right.fill_between(x, low, high, color="black", alpha=0.15, linewidth=0)
    right.plot(x, [p.gain.value for p in points], "o-", color="black", markersize=4, label="exact")
    for factor, marker, colour, text in (
        (per_column[0], "D", GREEN, "published, at ratings an item"),
        (per_column[1], "^", BLUE, "published, at ratings as scores weigh items"),
    ):
        right.plot(k * factor, gain, marker, color=colour, label=text, **open_marker)
    worths = (run.worth(name), exact[name].worth.value)
    gains = (run.scores[name] - run.curve[0], exact[name].gain.value)
    for axes, value, height, unit in zip(
        (left, right), worths, gains, ("columns", "ratings"), strict=True
    ):
        axes.axhline(height, color=ORANGE, label=f"calibrated: worth {value:.2f} {unit}")
        axes.plot([value, value], [0, height], ":", color=ORANGE)
        axes.set_ylim(0, None)
        axes.legend(framealpha=1, edgecolor="none", fontsize="small", loc="lower right")
        axes.spines[["top", "right"]].set_visible(False)
    left.set_xlabel("survey size (columns of the padded matrix)")
    left.set_ylabel("information gain over no rater (bits)")
    left.set_xticks(range(0, 20, 2))
    right.set_xlabel("survey size (ratings of an item)")
    right.set_xticks(range(0, 11))
    save(figure, "published_toxicity.svg")


INTRO = """
# Published and exact

This page compares what Resnick, Kong, Schoenebeck and Weninger, "Survey Equivalence: A Procedure
for Measuring Classifier Accuracy Against Human Labels", report on two data sets with what headcount
gives on the same files, and explains the differences. *Paper* is its text. *Saved* are the results that its authors published
with the data, in the files `published_*.txt` ([data.md](../guide/data.md)): worth is read off the
saved curve, intervals are as saved. *Exact* is headcount ([survey.md](survey.md)), with 95%
intervals from 500 bootstrap draws of items. `HEADCOUNT_DATA=folder python docs/scripts/published.py`
writes this page and its plots; random draws have seed 0.
"""


def main() -> None:
    folder = os.environ.get("HEADCOUNT_DATA")
    if not folder:
        print(
            "HEADCOUNT_DATA is not set: name the folder of docs/guide/data.md. Nothing was written."
        )
        return
    data = Path(folder) / "survey"
    text = page(INTRO, running_example(data / "running_example"), toxicity(data / "toxicity"))
    (DOCS / "methods" / "published.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
