"""Write llm-judges.md and its plots: 33 LLM judges by blind evaluation, and by gold.

Run as: HEADCOUNT_DATA=folder python docs/scripts/llm_judges.py (the folder is described in docs/guide/data.md).
With --files FOLDER it only writes judges.csv, gold.csv and gold200.csv there, for the commands on
the page.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from headcount import blind, read_votes
from headcount.blind_evaluation.families import groups_by_pattern
from headcount.blind_evaluation.methods import METHODS
from headcount.blind_evaluation.plot import plot_residuals
from headcount.blind_evaluation.result import BlindResult
from headcount.cli.flags import speller
from headcount.errors import Named
from headcount.results.plotting import COLOURS, MARKERS, bare, legend_above

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS / "studies" / "scripts"))
from blind_comparison import Comparison, compare  # noqa: E402 - a script of the studies

TEAMS = "^[^-]+"
SAMPLES = 20
GOLD = 200

TEXT = """# Ranking LLM judges without gold

*33 LLM judges graded the same documents. Which of them can you trust without gold labels?*

The data come from the LLMJudge challenge of 2024: {judges} judges of {teams} teams graded how
relevant {items:,} passages are to {queries} queries, from 0 to 3. So did NIST's assessors. Their
grades are the gold labels, and serve here only to check how far one gets without gold. A passage
counts as relevant from grade 2 on (`--at-least 2`).
`HEADCOUNT_DATA=folder python docs/scripts/llm_judges.py` writes this page ([data.md](data.md) says
where the data are); with `--files .` it writes the files that the commands use.

## Votes alone

    headcount blind judges.csv --at-least 2

```text
{plain}
```

Both warnings are right. EM (Dawid and Skene) trusts judges that agree with the rest, and assumes
that their errors are independent. Judges of one team are often one model with different prompts:
they repeat each other's mistakes, and EM considers these right. Its scores have a correlation
of **{em:.2f}** with those on gold (Pearson's r over the judges), and it considers {prior:.0%} of the
passages relevant; by gold it is {gold_prior:.0%}. So headcount names no best judge. The
table shows the accuracy of each judge by the majority of the others, which has a correlation of
{loo:.2f}.

![Correlation of the errors of every two judges](../images/llm_judges_errors.png)

Dark squares on the diagonal are teams. Those off the diagonal are judges of different teams that
make the same mistakes: `Olz-gpt4o`, `RMITIR-GPT4o`, `h2oloo` and `willia`. Judging by their names,
some of them share a model.

## Teams as groups

Names begin with the team, so that a pattern can form the groups (if names do not show the team, use
`--groups FILE`).

    headcount blind judges.csv --at-least 2 --group-pattern '{pattern}'

```text
{grouped}
```

Now each judge is scored by the *other* teams. Each team has the same weight, whatever its number of
judges; in grouped EM a vote counts 1 / team size. All gold labels together show how well that works
(`docs/studies/scripts/blind_comparison.py`). Correlation (Pearson's r, Kendall's tau) between
estimated and actual accuracy, and the mean of (estimated - actual):

{by_method}

![Estimated against actual accuracy, without and with groups](../images/llm_judges.png)

- **The order** is best with groups; with plain EM it is no better than chance.
- **The level** is wrong with every blind method: accuracies come out about .1 too high, since what
  most teams get wrong looks right. The intervals do not show this: of the 95% intervals of leave
  group out, {inside:.0%} contain the accuracy on gold. Never quote a blind accuracy as if it were
  measured.

## Only gold shows whether it worked

The same judges, if passages of grade 1 count as relevant, too (`--at-least 1`):

{at_one}

Here groups make the correlation **worse**: it falls from {loo_1:.2f} to {lgo_1:.2f}, and with EM
from {em_1:.2f} to {gem_1:.2f}. Percentage of passages that each team calls relevant (mean over its
judges):

{lenient}

Three teams are large and lenient, and have 21 of the 33 votes of judges. Four are small and strict,
and have four of the seven votes of teams. So groups make the estimated truth stricter: by EM
{prior_em:.0%} of the passages are relevant, by grouped EM {prior_gem:.0%}. From grade 2 on that was
right ({prior:.0%} became {prior_2:.0%}, and by gold {gold_prior:.0%} are); from grade 1 on it is
wrong. Teams do share their mistakes, so that grouping them is right in principle. But the votes do
not show in which direction the teams are biased, and the diagnostics of the two runs look alike.
Only gold shows it.

## 200 gold labels

    headcount blind judges.csv --at-least 2 --group-pattern '{pattern}' --gold gold200.csv

```text
{with_gold}
```

With 30 gold labels or more, judges are ranked by prediction-powered estimates (PPI): gold makes
them unbiased, and the votes only narrow the interval. Accuracy, averaged over {samples} random
samples of {gold} labels, with the coverage of 95% intervals:

{by_gold}

With {gold} labels the error of an accuracy is about .03, and the intervals cover the truth. The
order by leave group out is even better here, and worse from grade 1 on, but nothing in the votes
shows which of the two cases you are in. Fewer labels are still enough to test the ranking: if it
contradicts more than a tenth of the significant differences on gold, the first line of the output
says so. Here it does not.

## What to do

1. Define groups: a team, a vendor, a base model. If a warning names judges of several groups, put
   those that share a model into one (`--groups FILE`).
2. Read the warnings before the table. If judges err together, do not use the scores of EM (`--details`).
3. Label {gold} random items, and pass the labels with `--gold`. If several people label each item, use
   `--crowd`.
4. Report the method of the ranking, and the number of gold labels.
"""


def write_files(folder: Path) -> None:
    """Write judges.csv (wide), gold.csv and gold200.csv, as the commands on the page use them."""
    source = Path(os.environ["HEADCOUNT_DATA"]) / "blind" / "llmjudge"

    def grades(path: Path) -> dict[str, str]:
        rows = (line.split() for line in path.read_text(encoding="utf-8").splitlines() if line)
        return {f"q{query} p{passage}".replace("qq", "q").replace("pp", "p"): grade
                for query, _, passage, grade in rows}  # fmt: skip

    judges = {path.stem: grades(path) for path in sorted((source / "scores").glob("*.txt"))}
    gold = grades(source / "gold_nist_qrels.txt")
    items = list(dict.fromkeys(item for given in judges.values() for item in given))
    rows = [[item, *(given.get(item, "") for given in judges.values())] for item in items]
    known = [item for item in items if item in gold]
    chosen = np.random.default_rng(0).choice(len(known), size=GOLD, replace=False)
    for name, head, body in (
        ("judges.csv", ["item", *judges], rows),
        ("gold.csv", ["item", "gold"], [[item, gold[item]] for item in known]),
        ("gold200.csv", ["item", "gold"], [[known[i], gold[known[i]]] for i in sorted(chosen)]),
    ):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([head, *body])


def labels_in(path: Path) -> dict[str, str]:
    """Read the gold labels of items."""
    with path.open(encoding="utf-8", newline="") as file:
        return {row["item"]: row["gold"] for row in csv.DictReader(file)}


def as_flag(named: Named) -> str:
    """Write an option as the command line does."""
    if named.name == "command":
        return speller(None)(named)
    if named.name == "all_rows":
        return "--json has all"
    if named.name == "details":
        return "--details"
    value = {"group_pattern": "REGEX"}.get(named.name, "FILE")
    return f"--{named.name.replace('_', '-')} {value}"


def first_screen(result: BlindResult) -> str:
    """Write what the command prints."""
    return result.to_text(spell=as_flag)


def table(head: list[str], body: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *body])


def accuracies(result: BlindResult, method: str) -> tuple[np.ndarray, np.ndarray]:
    """Estimated and actual."""
    pairs = [(c.estimates[method]["accuracy"], c.actual["accuracy"]) for c in result.classifiers]
    return np.array([e.value for e, _ in pairs]), np.array([a.value for _, a in pairs])


def measured(result: BlindResult, compared: Comparison) -> tuple[str, dict[str, float]]:
    """A table of all methods, and Pearson's r of each."""
    body: list[list[str]] = []
    found: dict[str, float] = {}
    for i, method in enumerate(compared.methods):
        r, _, tau, _ = compared.by_score[i, 0]
        estimated, actual = accuracies(result, method)
        found[method] = float(r)
        error = (estimated - actual).mean()
        body.append([METHODS[method].short, f"{r:.2f}", f"{tau:.2f}", f"{error:+.3f}"])
    return table(["method", "r", "tau", "mean error"], body), found


def held(result: BlindResult, method: str, actual: dict[str, float]) -> float:
    estimates = {c.name: c.estimates[method]["accuracy"] for c in result.classifiers}
    return float(
        np.mean([(e.low or 0) <= actual[n] <= (e.high or 1) for n, e in estimates.items()])
    )


def samples_of_gold(labels, gold, groups, actual: dict[str, float]) -> str:
    """How well 200 labels do, over random samples."""
    methods = ["direct", "ppi", "leave-group-out"]
    rows: dict[str, list[tuple[float, float, float, float]]] = {name: [] for name in methods}
    items = sorted(gold)
    for seed in range(SAMPLES):
        chosen = np.random.default_rng(seed).choice(len(items), size=GOLD, replace=False)
        result = blind(
            labels, gold={items[i]: gold[items[i]] for i in chosen}, groups=groups, at_least=2,
            metrics=["accuracy"], methods=methods, seed=seed,
        )  # fmt: skip
        for name in methods:
            values = {c.name: c.estimates[name]["accuracy"] for c in result.classifiers}
            estimated = np.array([values[n].value for n in actual])
            true = np.array(list(actual.values()))
            width = np.mean([(e.high or 0) - (e.low or 0) for e in values.values()])
            r = np.corrcoef(estimated, true)[0, 1]
            error = np.sqrt(np.mean((estimated - true) ** 2))
            rows[name].append((float(r), float(error), held(result, name, actual), float(width)))
    body = []
    for name, found in rows.items():
        r, error, inside, width = np.mean(found, axis=0)
        body.append(
            [METHODS[name].short, f"{r:.2f}", f"{error:.3f}", f"{inside:.0%}", f"{width:.3f}"]
        )
    return table(["method", "r", "root mean square error", "coverage", "mean width"], body)


def team_shares(labels, gold, groups) -> str:
    relevant = np.array([float(x) >= 1 for x in labels.scale.labels])[labels.label]
    by_judge = np.bincount(labels.rater, relevant) / np.bincount(labels.rater)
    teams = sorted(set(groups.values()))
    shares = [
        np.mean([s for s, n in zip(by_judge, labels.raters, strict=True) if groups[str(n)] == team])
        for team in teams
    ]
    truth = np.mean([float(grade) >= 1 for grade in gold.values()])
    sizes = [sum(g == team for g in groups.values()) for team in teams]
    head = [*(f"{t} ({n})" for t, n in zip(teams, sizes, strict=True)), "assessors"]
    return table(head, [[*(f"{100 * s:.0f}" for s in shares), f"**{100 * truth:.0f}**"]])


DRAWN = ("leave-one-out", "leave-group-out", "em", "grouped-em")


def plot_gold(result: BlindResult, axes: Axes) -> Axes:
    """Draw estimated against actual scores, one colour per method; the diagonal is right."""
    metric = result.provenance.metrics[0]
    judged = [c for c in result.classifiers if c.actual and c.actual[metric].undefined is None]
    everything: list[float] = []
    for look, name in enumerate(DRAWN):
        if name not in result.methods:
            continue
        method = result.methods[name]
        pairs = [(c.actual[metric].value, c.estimates[method.name][metric]) for c in judged]
        x = [actual for actual, e in pairs if e.undefined is None]
        y = [e.value for _, e in pairs if e.undefined is None]
        everything += [*x, *y]
        colour, mark = COLOURS[look], MARKERS[look]
        axes.plot(x, y, mark, color=colour, markersize=4, alpha=0.8, label=method.short)
    low, high = min(everything), max(everything)
    margin = 0.03 + 0.02 * (high - low)
    ends = (max(0.0, low - margin), min(1.0, high + margin))
    axes.plot(ends, ends, color="#999999", linewidth=0.8, zorder=0)
    axes.set_xlim(ends)
    axes.set_ylim(ends)
    axes.set_aspect("equal")
    axes.set_xlabel(f"{metric} on {result.provenance.gold_items:,} gold labels")
    axes.set_ylabel(f"estimated {metric}")
    bare(axes)
    legend_above(axes, 2)
    return axes


def draw(plain: BlindResult, grouped: BlindResult) -> None:
    mpl.rcParams["svg.hashsalt"] = "headcount"
    figure = Figure(figsize=(9.6, 4.8), dpi=100, layout="constrained")
    for axes, result, title in zip(
        figure.subplots(1, 2), (plain, grouped), ("without groups", "teams as groups"), strict=True
    ):
        plot_gold(result, axes).set_title(title, fontsize="medium", pad=34)
    figure.savefig(DOCS / "images" / "llm_judges.png")
    figure = plot_residuals(grouped).figure
    figure.savefig(DOCS / "images" / "llm_judges_errors.png", dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=Path, help="only write the data files into this folder")
    folder = parser.parse_args().files
    if folder is not None:
        write_files(folder)
        return
    with tempfile.TemporaryDirectory() as made:
        write_files(Path(made))
        labels = read_votes(Path(made) / "judges.csv")
        gold, some = (labels_in(Path(made) / name) for name in ("gold.csv", "gold200.csv"))
    groups = groups_by_pattern([str(name) for name in labels.raters], TEAMS)
    plain = blind(labels, at_least=2)
    grouped = blind(labels, at_least=2, groups=groups)
    with_gold = blind(labels, at_least=2, groups=groups, gold=some)
    blind_methods = [name for name in METHODS if not METHODS[name].informed]
    ungrouped = [name for name in blind_methods if not METHODS[name].grouped]
    asked = {
        (cut, teams): {
            "at_least": cut, "gold": gold, "metrics": ["accuracy"],
            "groups": groups if teams else None, "methods": blind_methods if teams else ungrouped,
        }
        for cut in (2, 1)
        for teams in (False, True)
    }  # fmt: skip
    judged = {case: blind(labels, **given) for case, given in asked.items()}
    both, r = measured(judged[2, True], compare(labels, **asked[2, True]))
    at_one, r_1 = measured(judged[1, True], compare(labels, **asked[1, True]))
    actual = {c.name: c.actual["accuracy"].value for c in judged[2, True].classifiers}
    diagnostics = judged[2, True].diagnostics
    page = TEXT.format(
        judges=len(labels.raters), teams=len(set(groups.values())), items=len(labels.items),
        queries=len({str(item).split()[0] for item in labels.items}), pattern=TEAMS,
        plain=first_screen(plain), grouped=first_screen(grouped), with_gold=first_screen(with_gold),
        em=r["em"], loo=r["leave-one-out"], prior=plain.em["em"]["prior"]["2 or more"],
        gold_prior=diagnostics.prior_gold[1], by_method=both,
        inside=held(judged[2, True], "leave-group-out", actual), at_one=at_one,
        loo_1=r_1["leave-one-out"], lgo_1=r_1["leave-group-out"], em_1=r_1["em"],
        gem_1=r_1["grouped-em"], lenient=team_shares(labels, gold, groups),
        prior_2=judged[2, True].em["grouped-em"]["prior"]["2 or more"],
        prior_em=judged[1, True].em["em"]["prior"]["1 or more"],
        prior_gem=judged[1, True].em["grouped-em"]["prior"]["1 or more"],
        samples=SAMPLES, gold=GOLD, by_gold=samples_of_gold(labels, gold, groups, actual),
    )  # fmt: skip
    (DOCS / "guide" / "llm-judges.md").write_text(page, encoding="utf-8")
    draw(judged[2, False], judged[2, True])


if __name__ == "__main__":
    main()
