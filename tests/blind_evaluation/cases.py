"""Votes for the tests of blind evaluation: random, with gold for some items, and real."""

from __future__ import annotations

import csv
import math
import sys
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

from headcount.blind_evaluation.votes import Votes, collect
from headcount.data.labels import Labels, Scale

# Random votes for the tests of blind evaluation, and a slow way to count them.

MISSING = -1


def as_labels(table: np.ndarray, n_labels: int) -> Labels:
    """Labels from an items x classifiers table of codes; -1 is missing."""
    item, classifier = np.nonzero(table >= 0)
    return Labels(
        np.arange(len(table)),
        np.array([f"c{k}" for k in range(table.shape[1])], dtype=object),
        Scale(tuple(str(label) for label in range(n_labels))),
        item,
        classifier,
        table[item, classifier].astype(np.int64),
    )


def study(name: str) -> Any:
    """Import a script of docs/studies, which is no part of the package."""
    path = Path(__file__).parents[2] / "docs" / "studies" / "scripts" / f"{name}.py"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    sys.modules[name] = made  # where dataclasses look for their types
    spec.loader.exec_module(made)
    return made


def as_votes(table: np.ndarray, n_labels: int, **options: object) -> Votes:
    return collect(as_labels(table, n_labels), **options)  # pyright: ignore[reportArgumentType]


@st.composite
def vote_tables(draw: st.DrawFn, *, missing: bool = True) -> tuple[np.ndarray, int]:
    """Items x classifiers, each item with a vote at least, and the number of labels."""
    n_labels = draw(st.integers(2, 4))
    items, classifiers = draw(st.integers(2, 12)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    truth = rng.integers(0, n_labels, size=items)
    table = np.where(
        rng.random((items, classifiers)) < 0.6,
        truth[:, None],
        rng.integers(0, n_labels, size=(items, classifiers)),
    )
    if missing and draw(st.booleans()):
        gone = rng.random(table.shape) < 0.4
        gone[np.arange(items), rng.integers(0, classifiers, size=items)] = False
        table = np.where(gone, MISSING, table)
    return table, n_labels


def naive_score(pairs: list[tuple[float, int, int]], metric: str, label: int | None) -> float:
    """Metric from (weight, true label, given label), by counting; nan where it is 0 / 0."""
    n = {"tp": 0.0, "fp": 0.0, "fn": 0.0, "tn": 0.0}
    right = total = 0.0
    for weight, true, said in pairs:
        right += weight * (true == said)
        total += weight
        n[
            ("t" if (true == label) == (said == label) else "f") + ("p" if said == label else "n")
        ] += weight
    top, bottom = {
        "accuracy": (right, total),
        "precision": (n["tp"], n["tp"] + n["fp"]),
        "recall": (n["tp"], n["tp"] + n["fn"]),
        "specificity": (n["tn"], n["tn"] + n["fp"]),
        "f1": (2 * n["tp"], 2 * n["tp"] + n["fp"] + n["fn"]),
    }[metric]
    return top / bottom if bottom > 1e-12 else np.nan


# Votes with gold for some items, and slow ways to learn from it: item by item, in plain lists.


@dataclass(frozen=True)
class Item:
    """One item: who said what, the gold label (or -1), its fold (or -1), and its row."""

    said: dict[int, int]
    gold: int
    fold: int
    row: int


@st.composite
def gold_cases(draw: st.DrawFn, *, groups: bool = False) -> tuple[Votes, np.ndarray]:
    """Votes of which some items have gold, and whole weights of their rows, some 0."""
    table, n_labels = draw(vote_tables())
    # Twice, so that there is something to learn from.
    table = np.concatenate([table, table])
    seed = draw(st.integers(0, 10**6))
    rng = np.random.default_rng(seed)
    gold = {
        i: str(int(rng.choice(row[row >= 0]) if rng.random() < 0.7 else rng.integers(n_labels)))
        for i, row in enumerate(table)
        if rng.random() < 0.6
    }
    gold[0] = "0"
    teams = {f"c{k}": "ab"[k % 2] for k in range(table.shape[1])} if groups else None
    votes = as_votes(table, n_labels, gold=gold, folds=3, seed=seed, groups=teams)
    weight = rng.integers(0, 4, size=len(votes.multiplicity)).astype(float)
    weight[0] = 1
    return votes, weight


def items_of(votes: Votes, weight: np.ndarray) -> list[Item]:
    out: list[Item] = []
    for r in range(len(votes.multiplicity)):
        at = slice(votes.start[r], votes.start[r + 1])
        said = dict(zip(votes.classifier[at].tolist(), votes.label[at].tolist(), strict=True))
        item = Item(said, int(votes.gold[r]), int(votes.fold[r]), r)
        out += [item] * int(weight[r])
    return out


def teachers(item: Item, items: list[Item]) -> list[Item]:
    """Items from whose gold the truth of an item is learned."""
    return [x for x in items if x.gold >= 0 and (item.gold < 0 or x.fold != item.fold)]


def naive_bayes(item: Item, items: list[Item], n_labels: int) -> list[float]:
    known = teachers(item, items)
    odds: list[float] = []
    for c in range(n_labels):
        mine = [x for x in known if x.gold == c]
        p = len(mine) / len(known)
        for k, label in item.said.items():
            given = [x.said[k] for x in mine if k in x.said]
            p *= (given.count(label) + 1) / (len(given) + n_labels)
        odds.append(p)
    return [p / sum(odds) for p in odds]


def share(item: Item, label: int) -> float:
    return list(item.said.values()).count(label) / len(item.said)


def quality(metric: str, known: list[Item], label: int, t: float) -> float:
    """How good the truth 'share above t' is for gold, tuned for a metric."""
    pairs: list[tuple[float, int, int]] = []
    for x in known:
        yes = 1.0 if share(x, label) > t else 0.5 if share(x, label) == t else 0.0
        true = int(x.gold == label)
        pairs += [(yes, true, 1), (1 - yes, true, 0)]
    if metric == "accuracy":
        return naive_score(pairs, "accuracy", 1)
    if metric == "precision":
        p, r = (naive_score(pairs, name, 1) for name in ("precision", "recall"))
        return 1.25 * p * r / (0.25 * p + r) if p * r > 0 else 0.0
    return naive_score(pairs, "f1", 0 if metric == "specificity" else 1)


def thresholds(metric: str, known: list[Item], label: int) -> list[float]:
    if len({x.gold == label for x in known}) < 2:
        return [0.5]
    shares = sorted({share(x, label) for x in known})
    tried = sorted({0.5, *((a + b) / 2 for a, b in pairwise(shares))})
    values = {t: quality(metric, known, label, t) for t in tried}
    best = [t for t in tried if values[t] >= max(values.values()) - 1e-9]
    nearest = min(abs(t - 0.5) for t in best)
    return [t for t in best if abs(t - 0.5) <= nearest + 1e-9]


def naive_calibrated(
    item: Item, items: list[Item], n_labels: int, metric: str, positive: int
) -> list[float]:
    known = teachers(item, items)
    if n_labels == 2:
        best = thresholds(metric, known, positive)
        own = share(item, positive)
        yes = sum((own > t) + 0.5 * (own == t) for t in best) / len(best)
        return [1 - yes, yes] if positive == 1 else [yes, 1 - yes]
    rate = [share(item, c) / thresholds(metric, known, c)[0] for c in range(n_labels)]
    win = [c for c in range(n_labels) if math.isclose(rate[c], max(rate), abs_tol=1e-9)]
    return [(c in win) / len(win) for c in range(n_labels)]


def ratio_terms(metric: str, true: int, said: int, positive: int) -> tuple[float, float]:
    """What one item adds to the numerator and the denominator of a metric."""
    hit = float(true == said == positive)
    return {
        "accuracy": (float(true == said), 1.0),
        "precision": (hit, float(said == positive)),
        "recall": (hit, float(true == positive)),
        "specificity": (
            float(true != positive and said != positive),
            float(true != positive),
        ),
        "f1": (2 * hit, float(true == positive) + float(said == positive)),
    }[metric]


def naive_proxy(votes: Votes, item: Item, k: int) -> list[float]:
    """Share of each label among the votes of other groups, each group with the same weight."""
    group, size = votes.group, np.bincount(votes.group)
    tally = [0.0] * len(votes.labels)
    for j, label in item.said.items():
        if group[j] != group[k]:
            tally[label] += 1 / size[group[j]]
    return [x / sum(tally) if sum(tally) else 0.0 for x in tally]


def naive_ppi(
    votes: Votes, items: list[Item], k: int, metric: str, positive: int
) -> tuple[float, float, dict[int, float]]:
    """Score of classifier k, weight of the votes, and what an item of each row adds to the error.

    Lambda is a slope, covariance over variance, from values for each item with gold.
    """
    mine = [x for x in items if k in x.said]
    on_gold = [x for x in mine if x.gold >= 0]
    proxied = [x for x in mine if sum(naive_proxy(votes, x, k))]

    def terms(x: Item, truth: list[float]) -> tuple[float, float]:
        pairs = [ratio_terms(metric, c, x.said[k], positive) for c in range(len(truth))]
        return (
            sum(q * a for q, (a, _) in zip(truth, pairs, strict=True)),
            sum(q * b for q, (_, b) in zip(truth, pairs, strict=True)),
        )

    def estimate(values: list[tuple[float, float]]) -> float:
        bottom = sum(b for _, b in values)
        return sum(a for a, _ in values) / bottom if bottom > 1e-12 else math.nan

    def influences(values: list[tuple[float, float]]) -> list[float]:
        theta = estimate(values)
        if math.isnan(theta):
            return [0.0] * len(values)
        mean = sum(b for _, b in values) / len(values)
        return [(a - theta * b) / mean for a, b in values]

    def proxy(chosen: list[Item]) -> list[tuple[float, float]]:
        return [terms(x, naive_proxy(votes, x, k)) for x in chosen]

    gold = [terms(x, [float(c == x.gold) for c in range(len(votes.labels))]) for x in on_gold]
    labelled = [x for x in proxied if x.gold >= 0]
    others = [x for x in proxied if x.gold < 0]
    theta = estimate(gold)
    change = estimate(proxy(others)) - estimate(proxy(labelled))
    power = 0.0
    if not math.isnan(change):
        z_gold = dict(zip(map(id, on_gold), influences(gold), strict=True))
        z_proxy = dict(zip(map(id, labelled), influences(proxy(labelled)), strict=True))
        both = [z_gold[id(x)] * z_proxy[id(x)] for x in labelled]
        variance = float(np.mean([z_proxy[id(x)] ** 2 for x in labelled]))
        if variance > 1e-20:
            covariance = sum(both) / len(on_gold)
            least = covariance / ((1 + len(labelled) / len(others)) * variance)
            power = min(max(least, 0.0), 1.0)
        theta += power * change
    part = {x.row: z / len(on_gold) for x, z in zip(on_gold, influences(gold), strict=True)}
    for sign, chosen in ((-power, labelled), (power, others)):
        by_row = {x.row: z for x, z in zip(chosen, influences(proxy(chosen)), strict=True)}
        for row, z in by_row.items():
            part[row] = part.get(row, 0.0) + sign * z / len(chosen)
    return theta, power, part


# Real votes with gold: LLM judges, and crowd workers.


def llm_judges(folder: Path) -> tuple[Labels, dict[object, str]]:
    """33 judges of 4,423 documents, relevant from grade 2 on, and the assessors' labels."""

    def grades(path: Path) -> dict[str, str]:
        lines = [line.split() for line in path.read_text().splitlines() if line.strip()]
        return {f"{query} {doc}": str(int(int(grade) >= 2)) for query, _, doc, grade in lines}

    home = folder / "blind" / "llmjudge"
    triples = [
        (item, path.stem, label)
        for path in sorted((home / "scores").glob("*.txt"))
        for item, label in grades(path).items()
    ]
    gold: dict[object, str] = dict(grades(home / "gold_nist_qrels.txt"))
    return Labels.from_triples(*zip(*triples, strict=True)), gold


def crowd(folder: Path, name: str) -> tuple[Labels, dict[object, str]]:
    """Bluebirds, rte or sentiment."""
    home = folder / "blind" / name
    with (home / "label.csv").open() as file:
        triples = list(csv.reader(file))[1:]
    with (home / "truth.csv").open() as file:
        gold: dict[object, str] = dict(list(csv.reader(file))[1:])
    return Labels.from_triples(*zip(*triples, strict=True)), gold
