"""What two papers print, and what follows from it: writes docs/methods/published-tables.md.

Run ``python docs/scripts/published_tables.py``. Needs no data: what is checked are the printed numbers.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from headcount import Elo, blind, examples

sys.path.insert(0, str(Path(__file__).parents[1] / "studies" / "scripts"))
from blind_comparison import hotelling, sampled_scores

PAGE = Path(__file__).parents[1] / "methods" / "published-tables.md"
METRICS = ("ACC", "PRE", "REC", "SPE")
OVERLAP = """
.58
.52 .56
.46 .53 .45
.53 .69 .50 .50
.54 .58 .51 .47 .54
.49 .51 .47 .45 .47 .49
.02 .05 .03 .07 .13 .04 .04
.59 .75 .57 .54 .70 .59 .52 .08
.56 .58 .52 .47 .53 .55 .50 .02 .59
"""
"""Table 2, of the classifiers 2 to 10 with those before."""
VALIDATION = {
    "C1": (0.74, 0.61, 0.76, 0.72), "C2": (0.68, 0.55, 0.80, 0.62), "C3": (0.73, 0.61, 0.71, 0.73),
    "C4": (0.47, 0.37, 0.64, 0.38), "C5": (0.67, 0.54, 0.62, 0.69), "C6": (0.72, 0.59, 0.75, 0.70),
    "C7": (0.74, 0.65, 0.65, 0.79), "C8": (0.29, 0.16, 0.21, 0.33), "C9": (0.67, 0.53, 0.85, 0.57),
    "C10": (0.73, 0.61, 0.77, 0.71),
}  # fmt: skip
TEST = {
    "C1": (0.69, 0.65, 0.79, 0.58), "C2": (0.61, 0.57, 0.88, 0.33), "C3": (0.68, 0.65, 0.76, 0.59),
    "C4": (0.69, 0.66, 0.79, 0.60), "C5": (0.53, 0.52, 0.82, 0.23), "C6": (0.66, 0.64, 0.76, 0.56),
    "C7": (0.70, 0.68, 0.75, 0.64), "C8": (0.37, 0.25, 0.14, 0.60), "C9": (0.60, 0.57, 0.91, 0.30),
    "C10": (0.69, 0.66, 0.80, 0.59),
}  # fmt: skip
"""Tables 3 and 4: accuracy, precision, recall and specificity of each classifier."""
SUMMARIES = {
    "3": ((0.64, 0.52, 0.67, 0.63), (0.15, 0.15, 0.18, 0.16)),
    "4": ((0.62, 0.58, 0.74, 0.50), (0.11, 0.13, 0.22, 0.15)),
}
"""Their rows of means and standard deviations."""
PSEUDO_GOLD = {
    "MV": (0.691, 0.642, 0.864, 0.518), "EM": (0.692, 0.671, 0.752, 0.632),
    "MV+Calib(0.6)": (0.692, 0.671, 0.752, 0.632), "Ada": (0.691, 0.666, 0.708, 0.614),
    "NB": (0.692, 0.661, 0.790, 0.594), "GLM": (0.690, 0.663, 0.774, 0.606),
    "SVM": (0.676, 0.651, 0.762, 0.590),
}  # fmt: skip
"""Table 7."""
STARS = [("Sampling", 0.54, 0.59, "SPE, Pearson"), ("NB", 0.91, 0.94, "ACC, Pearson")]
"""Of Table 6: differences of a correlation from that of EM that are called significant (95%)."""


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in lines)


def shares(scores, half):
    """Shares of positive items at which all four scores of a classifier fit, to `half` a digit."""
    acc, pre, rec, spe = scores
    share = np.linspace(0.01, 0.99, 981)[:, None, None]
    recall = np.linspace(rec - half, rec + half, 41)[None, :, None]
    specific = np.linspace(spe - half, spe + half, 41)[None, None, :]
    hits, false = share * recall, (1 - share) * (1 - specific)
    fits = np.abs(share * recall + (1 - share) * specific - acc) <= half
    fits &= np.abs(hits / (hits + false) - pre) <= half
    found = share[fits.any(axis=(1, 2)), 0, 0]
    return (found.min(), found.max()) if len(found) else None


def said(found):
    return "none" if found is None else f"{found[0]:.3f} to {found[1]:.3f}"


def shares_of(rows, half):
    each = {name: shares(scores, half) for name, scores in rows.items()}
    fitting = [one for one in each.values() if one is not None]
    low, high = max(one[0] for one in fitting), min(one[1] for one in fitting)
    return each, (low, high)


def summary_rows():
    rows = []
    for name, printed in (("3", VALIDATION), ("4", TEST)):
        values = np.array(list(printed.values()))
        for what, given, found in (
            ("mean", SUMMARIES[name][0], values.mean(axis=0)),
            ("s", SUMMARIES[name][1], values.std(axis=0, ddof=1)),
        ):
            cells = [f"{x:.2f}, {y:.3f}" for x, y in zip(given, found, strict=True)]
            rows.append([f"Table {name}, {what}", *cells])
    return rows


def least_correlation(a, b, n=10):
    """The least correlation of two methods at which Hotelling's test calls a and b different."""
    for r in np.arange(0, 1, 0.0001):
        inside = 1 - a * a - b * b - r * r + 2 * a * b * r
        if inside > 0 and hotelling(b, a, r, n).p_value < 0.05:
            return r
    return None


class Drawn:
    """Sampling as the paper has it: the mean over label sets that random classifiers give."""

    name = "drawn"

    def scores(self, votes, metrics):
        return sampled_scores(votes, metrics, draws=1000, rng=np.random.default_rng([0, 1000]))


def sampling_check():
    """Sampling drawn, by its closed form, and from round robin, on the example votes."""
    votes = examples.path("votes")
    exact = blind(votes, methods=["round-robin", "sampling"], bootstrap=0)
    drawn = blind(votes, methods=[Drawn()], bootstrap=0)
    rows = []
    for one in exact.classifiers:
        robin, closed = (one.estimates[m]["accuracy"].value for m in ("round-robin", "sampling"))
        by_draws = drawn[one.name].estimates["drawn"]["accuracy"].value
        k = len(exact.classifiers)
        follows = 1 / k + (k - 1) / k * robin
        rows.append([one.name, f"{by_draws:.4f}", f"{closed:.4f}", f"{follows:.4f}"])
    return rows


def elo_rows():
    """Listing 1, and Eq. 2 as printed, turned round, and as the package has it."""
    elo = Elo(denom=400)
    elo.add_match("p1", "p2", 1.0, k=30, default_rating=1400)
    elo.add_matches([("p1", "p2", 1.0), ("p2", "p1", 0.5)], k=30, default_rating=1400)
    p1, p2 = elo.rating("p1"), elo.rating("p2")
    gap = p1 - p2
    return [
        ["rating of p1 (Listing 1)", "1428.3358360702414", f"{p1!r}"],
        ["rating of p2", "1371.6641639297586", f"{p2!r}"],
        ["expected score of p1 (Listing 1)", "0.5353606653429002", f"{elo.expected_score('p1', 'p2')!r}"],
        ["the same by Eq. 2 as printed", "", f"{1 / (1 + 10 ** (gap / 400)):.4f}: the better one loses"],
        ["by Eq. 2 with its sign turned", "", f"{1 / (1 + 10 ** (-gap / 400)):.4f}"],
        ["by base e, as the package has it", "", f"{1 / (1 + np.exp(-gap / 400)):.4f}"],
    ]  # fmt: skip


def page():
    overlap = np.array(OVERLAP.split(), dtype=float)
    t, p = hotelling(0.73, 0.61, 0.66, 120)
    validation, on_validation = shares_of(VALIDATION, 0.005)
    test, on_test = shares_of(TEST, 0.005)
    gold, on_gold = shares_of(PSEUDO_GOLD, 0.0005)
    ada = PSEUDO_GOLD["Ada"]
    mended = shares((*ada[:2], 0.768, ada[3]), 0.0005)
    per_classifier = [[name, said(validation[name]), said(test[name])] for name in VALIDATION]
    stars = [
        [name, what, f"{a:.2f}, {b:.2f}", f"{least_correlation(a, b):.3f}"]
        for name, a, b, what in STARS
    ]
    return f"""# Published and exact: printed tables

*The numbers printed in two papers, checked.* The data of the first are not available, so we check
whether the numbers in its text are consistent, and what the same calculation gives in headcount.
`python docs/scripts/published_tables.py` writes this page. The other two papers have their own
pages: [survey equivalence](published.md), [agreement](paradoxes.md).

## Blind evaluation (Jung and Lease)

Ten classifiers of the TREC 2011 Crowdsourcing Track, 1,000 items judged by experts in each of two sets.

| | printed | exact |
|---|---|---|
| Hotelling's t of the example in 4.4 | 2.378 | {t:.4f} |
| its p | .02 | {p:.4f} |
| Table 2, mean of the 45 overlaps | .442 | {overlap.mean():.3f} |
| Table 2, standard deviation | .205 | {overlap.std(ddof=1):.3f} |
| Table 2, largest and smallest | .75, .02 | {overlap.max():.2f}, {overlap.min():.2f} |
| Table 9, rank that EM gives the classifier that is best in precision | 4 | the text says 5 |

Means and standard deviations of Tables 3 and 4, printed and from the printed scores of the ten
classifiers; they differ by less than the rounding of those scores allows (.01):

{table(["", *METRICS], summary_rows())}

**Accuracy, precision, recall and specificity of a classifier depend on each other** through the
share of items that are relevant, which is the same for all classifiers. The table shows the shares
that are compatible with all four printed scores of a classifier, given two digits:

{table(["classifier", "Table 3", "Table 4"], per_classifier)}

Every row is consistent, and one share fits all rows: {on_validation[0]:.1%} to {on_validation[1]:.1%} in
Table 3, and {on_test[0]:.1%} to {on_test[1]:.1%} in Table 4. The paper does not print them.

**Table 7**, quality of the pooled labels, has three digits:

{table(["method", "share of relevant items"], [[name, said(found)] for name, found in gold.items()])}

All rows but one fit a share of {on_gold[0]:.3f}, as Table 4 does. AdaBoost's does not: its recall .708
must be .768, with which it fits as well ({said(mended)}). The rows of EM and of the calibrated majority are the
same in all four metrics; two methods that give 1,000 items the same labels would explain that, and so
would a row that was copied.

**Table 6**, differences of a correlation over ten classifiers from that of EM which are called
significant at 95%. With n = 10 Hotelling's test finds them so only where the scores of the two
methods correlate with each other by at least:

{table(["method", "of", "EM, method", "least correlation"], stars)}

The paper does not say which n it took. `headcount` takes the number of classifiers: copies of them
made by sampling labels would not be new evidence.

**Sampling needs no samples.** Over all draws its accuracy is 1/K + (K - 1)/K times that of round
robin, for K classifiers that label every item. So the two rank classifiers in the same order by
accuracy, while Table 5 reports different ranks (1 and 3 by Kendall's tau): the difference comes
from the draws, and from tests on them.
On `example:votes`:

{table(["classifier", "1,000 draws", "closed form", "from round robin"], sampling_check())}

## Comparisons (Narimanzadeh and others)

{table(["", "printed", "exact"], elo_rows())}

- **Equation 2 has its sign reversed**: as printed, the better of two is expected to lose. The package is
  right in that, but takes base e where the equation has 10, so that its `denom=400` is another scale
  (a factor of 2.3) than the 400 of the equation. `headcount.Elo` gives the package's numbers;
  `headcount pairs --method elo --units elo` is by base 10.
- **'f1 of the positive label'** is that of the negative one in the authors' code, and the
'variance' of thresholds is a standard deviation: [Votes or comparisons?](../studies/pairs.md)
repeats their Figures 4 to 7, and shows which conclusions are right.
- **'1,000 conversations need close to 16,000 comparisons'** extrapolates the law N log N from 40
items to 1,000, using half of the answers, which are scored against ratings computed from the same
answers. Given the noise in the pilot it is about 25,000 (15,100 to 54,100), and the number grows as
N in their own model:
  [How many comparisons to buy](../guide/plan.md).
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
