"""Are labels by `consensus` ever far below the majority? Crowds, LLM judges, simulated families.

Run ``HEADCOUNT_DATA=folder python docs/studies/scripts/blind_majority.py`` to write its section of
``crowds.md`` (half a minute of one core); ``--panels 5`` for a quick look. Set OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
from blind_gold import table
from pages import write_section

from blind import llm_judges
from headcount import Labels, consensus

CROWDS = (
    "crowd/CF", "crowd/SP_amt", "crowd/dog", "crowd/face", "crowd/ZenIn", "crowd/product",
    "bluebirds", "rte", "sentiment",
)  # fmt: skip
FAMILIES = {"3 of 5": (3, 5), "4 of 6": (4, 6), "3 of 6": (3, 6)}
OTHERS = ("claude", "llama", "mistral", "qwen")
ITEMS, LOST = 200, 0.02
CONCLUSION = """\
On the nine crowds and on the panels whose family is named the consensus is nowhere below the majority by
more than .02 and two standard errors. Three samples of 120 other panels of LLM judges have 400 items each, and
three cuts of the grades: there it is so in 3, 2 and 1 (above by as much in 4, 2 and 3), and with teams as
`--groups` in 4, 2 and 1; chance alone would make about one in two samples. In these the team, whose
members repeat each other, is right more often than the others, who err together as well. Of 120 simulated
panels (four to nine judges of .55 to .95, two to five of them a named family that shares .3, .6 or .9 of the
random numbers, 300 items) it is so in 1, and above by as much in 60.

Families that nobody names are searched for by their errors, in panels of four to nine judges; the
weights of larger crowds stay as they are, since there such weights lost .01 of the labels. A family that is
the majority and shares most errors is not found: if three of five or four of six share 80% of the random
numbers, the consensus is so far below the majority in 4 and 13 of 40 panels. No votes show that; name
the families, or label items. In 10 of these 13 votes tie on more than a tenth of the items, and the screen
says that labels there are right if classifiers err independently.

Errors that most LLM judges share cannot be detected: on these 120 panels the share of right labels was .17 to
.30 lower than the consensus estimated without gold, and the screen warns of that. With gold for 60 items the
estimate is right: see [blind.md](../methods/blind.md#labels-of-items).
"""


def right(labels: Labels, truth: dict[str, str]) -> np.ndarray:
    """By item with gold: consensus right, majority right (ties are shared), and how sure it is."""
    found = consensus(labels).labels
    votes: dict[str, list[str]] = defaultdict(list)
    names, said = labels.scale.labels, zip(labels.item, labels.label, strict=True)
    for item, label in said:
        votes[str(labels.items[item])].append(names[label])
    rows = []
    sure = found.probability.max(axis=1).tolist()
    for item, label, p in zip(found.items.tolist(), found.label.tolist(), sure, strict=True):
        if (gold := truth.get(str(item))) is not None:
            counts = [votes[str(item)].count(name) for name in names]
            best = [name for name, n in zip(names, counts, strict=True) if n == max(counts)]
            rows.append((label == gold, (gold in best) / len(best), p))
    return np.array(rows, dtype=float)


def crowd(folder: Path) -> tuple[Labels, dict[str, str]]:
    with (folder / "label.csv").open() as lines:
        said = [tuple(row.values()) for row in csv.DictReader(lines)]
    with (folder / "truth.csv").open() as lines:
        return Labels.from_triples(*zip(*said, strict=True), duplicates="all"), dict(
            tuple(row.values()) for row in csv.DictReader(lines)
        )


def judges(labels: Labels, names: list[str], cut: int | None) -> Labels:
    """What some judges said, as grades or cut in two."""
    code = [k for k, name in enumerate(labels.raters.tolist()) if name in names]
    mine = np.isin(labels.rater, code)
    grades = np.array([int(label) for label in labels.scale.labels])[labels.label[mine]]
    said = grades if cut is None else grades >= cut
    return Labels.from_triples(
        labels.items[labels.item[mine]], labels.raters[labels.rater[mine]], said.astype(int)
    )


def teams(raters: list[str], rng: np.random.Generator) -> list[str]:
    """Draw five to seven judges, three or four of them of one team."""
    by_team: dict[str, list[str]] = defaultdict(list)
    for name in raters:
        by_team[name.split("-")[0]].append(name)
    size = int(rng.integers(3, 5))
    team = rng.choice([t for t, members in by_team.items() if len(members) >= size])
    family = rng.choice(by_team[team], size, replace=False)
    others = [name for name in raters if name.split("-")[0] != team]
    return [*family, *rng.choice(others, int(rng.integers(5, 8)) - size, replace=False)]


def simulated(members: int, size: int, rng: np.random.Generator, *, named: bool):
    """Make judges of .6 to .9; members of a family share the random number of 60% of the items."""
    truth = rng.integers(0, 2, ITEMS)
    own, shared = rng.random((ITEMS, size)), rng.random(ITEMS)
    together = (rng.random(ITEMS) < 0.6)[:, None] & (np.arange(size) < members)
    draw = np.where(together, shared[:, None], own)
    said = np.where(draw < rng.uniform(0.6, 0.9, size), truth[:, None], 1 - truth[:, None])
    names = [f"gpt-{k}" for k in range(members)] + list(OTHERS[: size - members])
    if not named:
        names = [f"j{k}" for k in range(size)]
    items, who = np.indices(said.shape).reshape(2, -1)
    labels = Labels.from_triples(items, np.array(names)[who], said.ravel())
    return labels, {str(i): str(x) for i, x in enumerate(truth)}


def row(name: str, sets: list[np.ndarray]) -> list[str]:
    """Describe the difference over data sets, or over items of one."""
    mean = np.mean([one.mean(axis=0) for one in sets], axis=0)
    each = [one[:, 0] - one[:, 1] for one in sets]
    over = each[0] if len(sets) == 1 else np.array([one.mean() for one in each])
    error = over.std(ddof=1) / np.sqrt(len(over))
    errors = [one.std(ddof=1) / np.sqrt(len(one)) for one in each]
    broken = sum(one.mean() < -LOST - 2 * e for one, e in zip(each, errors, strict=True))
    numbers = [f"{x:.3f}".removeprefix("0") for x in mean[[1, 0, 2]]]
    worst = min(one.mean() for one in each)
    return [
        name, *numbers, f"{over.mean():+.3f} ± {error:.3f}", f"{worst:+.3f}",
        f"{broken} of {len(sets)}",
    ]  # fmt: skip


def page(panels: int) -> str:
    folder = Path(os.environ["HEADCOUNT_DATA"], "blind")
    rows = [row(name.rpartition("/")[2], [right(*crowd(folder / name))]) for name in CROWDS]
    every, gold = llm_judges(folder / "llmjudge")
    for cut in (1, 2, None):
        rng = np.random.default_rng(7)
        truth = {
            str(item): str(int(grade) if cut is None else int(int(grade) >= cut))
            for item, grade in gold.items()
        }
        chosen = [teams(every.raters.tolist(), rng) for _ in range(panels)]
        sets = [right(judges(every, names, cut), truth) for names in chosen]
        what = "four grades" if cut is None else f"relevant >= {cut}"
        rows.append(row(f"LLM judges, 3 or 4 of one team, {what}", sets))
    for named in (True, False):
        for name, (members, size) in FAMILIES.items():
            rng = np.random.default_rng(11)
            sets = [right(*simulated(members, size, rng, named=named)) for _ in range(4 * panels)]
            rows.append(row(f"simulated, {name}, {'named' if named else 'not named'}", sets))
    head = ["", "majority", "consensus", "it says", "difference", "worst", "below"]
    return f"""# Labels beside the majority

Written by [`blind_majority.py`](scripts/blind_majority.py) with `--panels {panels}`: labels right by the
majority (ties shared) and by `consensus`, the share that it estimates to be right (its mean
probability), and the difference with its standard error, over items of a crowd and over panels
otherwise: {panels} panels of five to seven of
the 33 LLM judges, three or four of one team, in each row, and {4 * panels} simulated panels of {ITEMS} items
in which members of a family share 60% of the random numbers. *Worst*: the lowest difference. *Below*: data
sets in which the consensus is below the majority by more than {LOST} and two standard errors over items.

{table(head, rows)}

{CONCLUSION}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--panels", type=int, default=40, help="panels of LLM judges in each row")
    write_section("crowds.md", page(parser.parse_args().panels))


if __name__ == "__main__":
    main()
