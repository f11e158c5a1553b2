"""Write paradoxes.md: the 18 examples of Checco et al. (2017), published and exact.

Run as: python docs/studies/scripts/paradoxes.py
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from headcount import Labels, Scale, agree, phi
from headcount.errors import unknown_name
from headcount.stats.estimate import Estimate

# Eighteen small data sets on which agreement coefficients behave strangely.

PARADOXES: dict[str, str] = {
    "1": "random guessing: 1,000 items, 100 raters, any of 1,001 values from 0 to 1",
    "2": "a constant, measured without error: 100 items, 2 raters",
    "3": "99 items agreed positive, 1 disputed",
    "4a": "98 items agreed positive, 1 agreed negative, 1 disputed",
    "4b": "99 items agreed positive, 1 disputed: percent agreement as in 4a",
    "5a": "90 items agreed positive, 10 disputed",
    "5b": "98 items agreed positive, 2 disputed",
    "5c": "99 items agreed positive, 1 disputed",
    "5d": "100 items agreed positive",
    "6a": "honest raters: 40 items agreed positive, 20 called positive by the first rater only",
    "6b": "coin flips: 60 items, 15 of each of the four outcomes of two raters",
    "7a": "4 raters: 40 items agreed positive, 40 agreed negative, 20 split two to two",
    "7b": "4 raters: 80 items agreed negative, 20 split two to two",
    "7c": "5 raters: 2 items, on both one rater of five says positive",
    "7d": "as 7c, with the second item reversed",
    "8a": "40 items: 20 agreed positive, 10 agreed negative, 10 disputed",
    "8b": "8a ten times",
    "8c": "8a in small: 2 agreed positive, 1 agreed negative, 1 disputed",
}
"""What each example is, by its number in the paper."""

_PAIRS = {  # items that two raters agree are 1, agree are 0, and dispute
    "2": (100, 0, 0),
    "3": (99, 0, 1),
    "4a": (98, 1, 1),
    "4b": (99, 0, 1),
    "5a": (90, 0, 10),
    "5b": (98, 0, 2),
    "5c": (99, 0, 1),
    "5d": (100, 0, 0),
    "6b": (15, 15, 30),
    "8a": (20, 10, 10),
    "8b": (200, 100, 100),
    "8c": (2, 1, 1),
}


def paradox(name: str, *, seed: int = 0) -> Labels:
    """Build one of the examples of the paper's section 3, as in its Table 2.

    Labels are 0 and 1, both declared even where only one is given; example 1 alone has values
    between. Disputed items are disputed either way in turn, but for 6a, where the first rater
    always says 1. Where the paper leaves the number of raters open there are two; 7a and 7b need
    four to give its values of alpha.

    Parameters
    ----------
    name : str
        1, 2, 3, 4a, 4b, 5a to 5d, 6a, 6b, 7a to 7d, 8a to 8c; see ``PARADOXES``.
    seed : int
        For example 1, the only random one.

    Returns
    -------
    Labels

    References
    ----------
    Checco, Roitero, Maddalena, Mizzaro and Demartini (2017), "Let's agree to disagree: fixing
    agreement measures for crowdsourcing"; after Zhao, Liu and Deng (2013), "Assumptions behind
    intercoder reliability indices".

    Examples
    --------
    >>> paradox("8c")
    Labels: 8 ratings of 4 items by 2 raters; labels 0, 1
    """
    if name not in PARADOXES:
        raise unknown_name("paradox", name, list(PARADOXES))
    if name == "1":
        return _random(np.random.default_rng(seed))
    if name == "6a":
        rows = [[1, 1]] * 40 + [[1, 0]] * 20
    elif name == "7a":
        rows = [[1] * 4] * 40 + [[0] * 4] * 40 + _split(20, 4)
    elif name == "7b":
        rows = [[0] * 4] * 80 + _split(20, 4)
    elif name == "7c":
        rows = [[0, 0, 0, 0, 1]] * 2
    elif name == "7d":
        rows = [[0, 0, 0, 0, 1], [1, 1, 1, 1, 0]]
    else:
        positive, negative, disputed = _PAIRS[name]
        rows = [[1, 1]] * positive + [[0, 0]] * negative + _split(disputed, 2)
    return _labels(rows, name)


def _split(items: int, raters: int) -> list[list[int]]:
    """Items on which half of the raters say 1, in turn the one half and the other."""
    half = raters // 2
    return [[1, 0] * half if i % 2 else [0, 1] * half for i in range(items)]


def _labels(rows: Sequence[Sequence[int]], name: str) -> Labels:
    return Labels.from_triples(
        [item for item, row in enumerate(rows, start=1) for _ in row],
        [rater for row in rows for rater in range(1, len(row) + 1)],
        [label for row in rows for label in row],
        scale=Scale(("0", "1")),
        source=f"paradox {name}",
    )


def _random(rng: np.random.Generator) -> Labels:
    items, raters = 1000, 100
    values = tuple(f"{i / 1000:g}" for i in range(1001))
    return Labels(
        items=np.arange(1, items + 1),
        raters=np.arange(1, raters + 1),
        scale=Scale(values, kind="interval"),
        item=np.repeat(np.arange(items), raters),
        rater=np.tile(np.arange(raters), items),
        label=rng.integers(0, len(values), items * raters),
        source="paradox 1",
    )


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

*Eighteen small data sets on which percent agreement or alpha behave strangely.*

They come from section 3 of Checco, Roitero, Maddalena, Mizzaro and Demartini, "Let's Agree to
Disagree: Fixing Agreement Measures for Crowdsourcing" (2017), where Table 2 compares percent
agreement, Krippendorff's alpha and Phi. `paradox("4a")` of `docs/studies/scripts/paradoxes.py`
builds them, and the script writes this page. Columns *printed* are the paper's values, in bold if
they differ from the exact value both rounded and truncated to two digits; the other columns are
computed. There are two raters unless stated otherwise.

| | example | percent | printed | alpha | printed | Phi, paper | printed | Phi, unbiased |
|---|---|---|---|---|---|---|---|---|
{rows}

Phi is computed by `method="paper"` and by `method="unbiased"`, the default; intervals contain 95%
of the posterior. The values for the former are Phi at the mean and at the highest-density interval
of the precision, as in the paper.

## What they show

- Alpha corrects for chance by the spread of all ratings. With 99 of 100 items agreed on it is 0 (3,
  4b, 5c), unless one of them is negative (4a); with fewer disputes it hardly rises (5a to 5c), and
  with none it is undefined (2, 5d). It rates honest raters below coin flips (6), and changes when a
  question is reversed (7) or the same data are repeated ten times (8).
- Percent agreement has none of these faults, but does not correct for chance (6b).
- Phi is the same for 7a and 7b and for 7c and 7d, and hardly moves from 8a to 8b. But by the
  published method coin flips, 6b, come out as clear agreement: with two raters and two points it
  overstates agreement.
- On a scale of two points, raters who agree on each item and raters who disagree equally on all
  items can produce the same ratings, so that Phi is not identified. The unbiased method says so
  instead of giving a number, except for unanimous raters (2, 5d), where Phi is 1 by definition. Use
  alpha or AC1 there. On example 1, random ratings on a fine scale, it gives 0 within its interval.

## What differs from the paper

- **Percent agreement**, the share of pairs of ratings that are equal. 4b: 99 of 100 items are
  agreed on, as the paper's own section 3 says. 7a, 7b: .8 is the share of items on which all four
  raters agree. 7c, 7d: of the ten pairs of five raters six agree.
- **Alpha.** 5b: the printed value is ten times too far from 0. 5d: every rating is the same, as in
2, so alpha is undefined here, too. 1: {draws} random draws of the example give alphas from
  {low:.4f} to {high:.4f}.
- **Phi.** headcount integrates the posterior; the paper sampled it. 7c and 7d are mirror images
with the same posterior, yet their printed intervals differ, so the samples have errors of at least
this size. The likely reason is that the chains had not converged: the authors' software,
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
    draws = [paradox("1", seed=seed) for seed in range(DRAWS)]
    alphas = [agree(x, coefficients="alpha", bootstrap=0)["alpha"].value for x in draws]
    phis = [phi(x, limits=(0, 1), method="paper").value for x in draws]
    page = TEXT.format(
        rows="\n".join(rows), draws=DRAWS, least=min(phis), most=max(phis),
        low=min(alphas), high=max(alphas),
    )  # fmt: skip
    (Path(__file__).parents[2] / "methods" / "paradoxes.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
