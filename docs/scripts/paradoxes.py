"""Write paradoxes.md: the 18 examples of Checco et al. (2017), published and exact.

Run as: python docs/scripts/paradoxes.py
"""

from __future__ import annotations

from pathlib import Path

from headcount import agree, phi
from headcount.agreement import PARADOXES, paradox
from headcount.stats.estimate import Estimate

# Table 2 of the paper, as printed: percent agreement, alpha, Phi and its 95% interval.
PUBLISHED = {
    "1": "*|.005|.05|[.045, .053]", "2": "1|NaN|1|[1, 1]", "3": ".99|0|1|[1, 1]",
    "4a": ".99|.66|1|[1, 1]", "4b": ".98|0|1|[1, 1]", "5a": ".90|-.04|.99|[.99, .99]",
    "5b": ".98|-.05|1|[1, 1]", "5c": ".99|0|1|[1, 1]", "5d": "1|1|1|[1, 1]",
    "6a": ".66|-.19|.89|[.69, .97]", "6b": ".50|0|.73|[.52, .88]", "7a": ".8|.73|.7|[.6, .8]",
    "7b": ".8|.26|.7|[.6, .8]", "7c": ".33|-.125|.15|[-.4, .5]", "7d": ".33|.28|.15|[-.32, .5]",
    "8a": ".75|.47|.95|[.84, .99]", "8b": ".75|.46|.97|[.94, .98]", "8c": ".75|.53|.96|[.14, .99]",
}  # fmt: skip
DRAWS = 10
TEXT = """\
# Paradoxes

*Eighteen small data sets on which percent agreement or alpha behave oddly.*

They are from section 3 of Checco, Roitero, Maddalena, Mizzaro and Demartini, "Let's Agree to
Disagree: Fixing Agreement Measures for Crowdsourcing" (2017), where Table 2 compares percent
agreement, Krippendorff's alpha and Phi. `headcount.agreement.paradox("4a")` builds them;
`python docs/scripts/paradoxes.py` writes this page. Columns *printed* are the paper's, in bold where
a value is neither the exact one rounded nor cut off (to two digits); the others are computed. There
are two raters unless said.

| | example | percent | printed | alpha | printed | Phi, paper | printed | Phi, unbiased |
|---|---|---|---|---|---|---|---|---|
{rows}

Phi is by `method="paper"` and by `method="unbiased"`, the default; intervals hold 95% of the
posterior. Those of the former are Phi at the mean and at the highest-density interval of the
precision, as in the paper.

## What they show

- Alpha corrects for chance by the spread of all ratings. With 99 of 100 items agreed on it is 0
  (3, 4b, 5c), unless one of them is negative (4a); with fewer disputes it hardly rises (5a to 5c),
  and with none it is undefined (2, 5d). It calls honest raters worse than coins (6), and moves when
  a question is asked the other way round (7) or the same data are ten times as many (8).
- Percent agreement has none of these faults, and no correction for chance (6b).
- Phi is the same for 7a and 7b and for 7c and 7d, and hardly moves from 8a to 8b. But by the
  published method coin flips, 6b, come out as clear agreement: with two raters and two points it
  overstates agreement.
- On a scale of two points, raters who agree on each item and raters who are torn alike over all
  items give the same ratings, so Phi is not identified. The unbiased method says so instead of
  giving a number, but for unanimous raters (2, 5d), where Phi is 1 by definition. Use alpha or AC1
  there. On example 1, random ratings on a fine scale, it gives 0 within its interval.

## What differs from the paper

- **Percent agreement**, the share of pairs of ratings that are equal. 4b: 99 of 100 items are
  agreed on, as the paper's own section 3 says. 7a, 7b: .8 is the share of items on which all four
  raters agree. 7c, 7d: of the ten pairs of five raters six agree.
- **Alpha.** 5b: what is printed is ten times too far from 0. 5d: every rating is the same, as in
  2, so alpha is as undefined as there. 1: {draws} random draws of the example give alphas from
  {low:.4f} to {high:.4f}.
- **Phi.** Here the posterior is integrated; the paper sampled it. 7c and 7d are mirror images and
  have one posterior, yet their printed intervals differ, so the samples carry errors of that size
  at least. The likely reason is that the chains had not converged: the authors' software,
  agreement-phi 0.3.0, samples by Metropolis unless told otherwise. This affects 6 to 8b; of
  5a and 8c the interval alone, which is too short; the rest hold.
- The paper leaves some numbers of raters open. Examples 7a and 7b have four, split two to two where
  they disagree, which gives the printed alphas. Example 1 is random: over {draws} draws Phi goes
  from {least:.3f} to {most:.3f}.
"""


def compare(printed: str, exact: Estimate, interval: str = "") -> str:
    """Write what was printed, in bold if it is neither the exact value rounded nor cut off."""
    if printed == "*":
        return "50% or less"
    if exact.undefined is not None:
        same = printed == "NaN"
    else:
        unit = 10 ** -max(2, len(printed.partition(".")[2]))
        same = abs(float(printed) - exact.value) <= unit / 2 + 1e-9 or (
            int(float(printed) / unit * 1.0000001) == int(exact.value / unit)
        )
    text = f"{printed} {interval}".strip()
    return text if same else f"**{text}**"


def show(e: Estimate, *, interval: bool = True) -> str:
    if e.undefined is not None:
        return "not identified" if "two points" in e.undefined else f"undefined: {e.undefined}"
    return e.show(e.value) + (f" ({e.interval()})" if interval and e.low is not None else "")


def main() -> None:
    rows: list[str] = []
    for name, what in PARADOXES.items():
        labels = paradox(name)
        found = agree(labels, coefficients=["percent", "alpha"], bootstrap=0)
        paper = phi(labels, limits=(0, 1), method="paper").estimate
        unbiased = phi(labels, limits=(0, 1)).estimate
        percent, alpha, value, ends = PUBLISHED[name].split("|")
        cells = (
            name, what, show(found["percent"], interval=False), compare(percent, found["percent"]),
            show(found["alpha"], interval=False), compare(alpha, found["alpha"]),
            show(paper), compare(value, paper, ends), show(unbiased),
        )  # fmt: skip
        rows.append("| " + " | ".join(cells) + " |")
    draws = [paradox("1", rng=seed) for seed in range(DRAWS)]
    alphas = [agree(x, coefficients="alpha", bootstrap=0)["alpha"].value for x in draws]
    phis = [phi(x, limits=(0, 1), method="paper").value for x in draws]
    page = TEXT.format(
        rows="\n".join(rows), draws=DRAWS, least=min(phis), most=max(phis),
        low=min(alphas), high=max(alphas),
    )  # fmt: skip
    (Path(__file__).parents[1] / "methods" / "paradoxes.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
