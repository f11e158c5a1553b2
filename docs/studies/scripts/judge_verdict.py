"""How often the verdict on a judge is what it should be: simulated people and judges.

``python docs/studies/scripts/judge_verdict.py [--margin 3000] [--margin-items 150] [--sets 300]``
prints a table of verdicts by judge and size, false 'ready' at the margin of kappa for one look and
for ten, and how often intervals hold where items are parts of documents. Populations: 1-5 with a
normal latent quality, and two labels by a threshold.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from unittest.mock import patch

import numpy as np

from headcount import Labels
from headcount.collect.monitor import next_look
from headcount.data.labels import Scale
from headcount.data.predictions import Predictions
from headcount.judging.beside_people import standing_of
from headcount.judging.gate import Evidence, Gate
from headcount.judging.judge import decide
from headcount.judging.prepare import Prepared, prepare
from headcount.judging.readiness import FEWEST_FOR_A_VERDICT, followed_person
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate

VERDICTS = ("ready", "ready once recalibrated", "not ready", "cannot tell yet", None)


@dataclass(frozen=True)
class Population:
    """Items with a latent quality, and people who see it through noise and a shift of their own."""

    labels: tuple[str, ...]
    mean: float
    sd: float
    noise: float
    shift: float

    def items(self, rng: np.random.Generator, n: int) -> np.ndarray:
        return rng.normal(self.mean, self.sd, n)

    def says(
        self, rng: np.random.Generator, theta: np.ndarray, noise: float, shift: float
    ) -> np.ndarray:
        seen = theta + rng.normal(0, noise, len(theta)) + shift if noise else theta + shift
        if len(self.labels) == 2:
            return (seen > 0).astype(int)
        return np.clip(np.rint(seen), 1, 5).astype(int) - 1

    def person(self, rng: np.random.Generator, theta: np.ndarray) -> np.ndarray:
        return self.says(rng, theta, self.noise, rng.normal(0, self.shift))


STARS = Population(("1", "2", "3", "4", "5"), 3.0, 1.1, 0.7, 0.2)
TWO = Population(("no", "yes"), -0.2, 1.2, 0.8, 0.15)


def judge_of(
    kind: str, p: Population, rng: np.random.Generator, theta: np.ndarray, people: np.ndarray
) -> np.ndarray:
    """Draw a judge's labels."""
    n, labels = len(theta), len(p.labels)
    if kind == "like a person":
        return p.person(rng, theta)
    if kind == "better":
        return p.says(rng, theta, 0.7 * p.noise, rng.normal(0, p.shift))
    if kind == "oracle":
        return p.says(rng, theta, 0.0, 0.0)
    if kind in ("+.5", "+.9"):
        return p.says(rng, theta, p.noise, float(kind))
    said = p.says(rng, theta, p.noise, 0.0)
    if kind == "harsh on a class":
        top = labels - 1 if labels == 2 else labels - 2
        down = 0 if labels == 2 else 1
        return np.where((said == top) & (rng.random(n) < 0.7), down, said)
    if kind == "half coin":
        return np.where(rng.random(n) < 0.5, rng.integers(0, labels, n), said)
    if kind == "coin":
        return rng.integers(0, labels, n)
    return people[:, 0].copy()


KINDS = (
    "like a person",
    "better",
    "oracle",
    "+.5",
    "+.9",
    "harsh on a class",
    "half coin",
    "coin",
    "copy of a rater",
)


def prepared_of(p: Population, people: np.ndarray, judge: np.ndarray) -> Prepared:
    """Put people and a judge together as the card does."""
    n, m = people.shape
    names, items = np.array(p.labels), [f"i{i:05d}" for i in range(n)]
    rated = Labels.from_triples(
        np.repeat(items, m).tolist(),
        [f"r{k}" for k in range(m)] * n,
        names[people.ravel()].tolist(),
        scale=Scale(p.labels, kind="ordinal" if len(names) > 2 else "nominal"),
    )
    predictions = Predictions.from_labels(items, {"judge": names[judge].tolist()})
    return prepare(rated, predictions, scale=None, positive=None, by=None, notes=Notes())


def evidence_of(prepared: Prepared, *, looks: bool = False) -> Evidence:
    """Compare the judge with people; the worth is no condition here."""
    standing = standing_of(prepared.judges[0], prepared, 0.95, looks=looks)
    return Evidence(
        worth=Estimate(1.0),
        items=len(prepared.people.items),
        standing=standing,
        alt_test=None,
        level=0.95,
        agree=True,
    )


def verdicts(p: Population, kind: str, n: int, m: int, sets: int) -> Counter[str | None]:
    """Count the verdicts of so many data sets."""
    counted: Counter[str | None] = Counter()
    for seed in range(sets):
        rng = np.random.default_rng([seed, n, m, KINDS.index(kind), len(p.labels)])
        theta = p.items(rng, n)
        people = np.stack([p.person(rng, theta) for _ in range(m)], axis=1)
        prepared = prepared_of(p, people, judge_of(kind, p, rng, theta, people))
        criterion = Gate().of_readiness
        found = decide(prepared.judges[0], prepared, evidence_of(prepared), criterion, seed=0)
        counted[found.readiness] += 1
    return counted


def accused(p: Population, noise: float, n: int, sets: int) -> int:
    """Count honest judges as good as an expert among the people that are taken for a copy."""
    count = 0
    for seed in range(sets):
        rng = np.random.default_rng([seed, n, 77])
        theta = p.items(rng, n)
        experts = [p.says(rng, theta, noise, 0.0) for _ in range(2)]
        people = np.stack([experts[0], *(p.person(rng, theta) for _ in range(2))], axis=1)
        item, rater = np.repeat(np.arange(n), 3), np.tile(np.arange(3), n)
        labels = len(p.labels)
        leak = followed_person(item, rater, people.ravel(), experts[1], [0, 1, 2], labels)
        count += leak is not None
    return count


def spoilt(p: Population, rng: np.random.Generator, theta: np.ndarray, share: float) -> np.ndarray:
    """Draw a judge that answers at random on a share of items, without a bias."""
    said = p.says(rng, theta, p.noise, 0.0)
    return np.where(rng.random(len(theta)) < share, rng.permutation(said), said)


def share_at_margin(p: Population, m: int) -> float:
    """Find the share of random answers with which the judge's kappa lacks .2 of a person's."""
    rng = np.random.default_rng(1)
    theta = p.items(rng, 60_000)
    people = np.stack([p.person(rng, theta) for _ in range(m)], axis=1)
    uniform, said = rng.random(len(theta)), p.says(rng, theta, p.noise, 0.0)
    other = rng.permutation(said)
    low, high = 0.0, 1.0
    for _ in range(12):
        share = (low + high) / 2
        judge = np.where(uniform < share, other, said)
        standing = evidence_of(prepared_of(p, people, judge)).standing
        low, high = (share, high) if standing.difference.value > -0.2 else (low, share)
    return (low + high) / 2


def kappa_passes(prepared: Prepared, *, looks: bool) -> bool:
    """Whether kappa passes; the bootstrap only widens intervals, so it is drawn where t passes."""
    with patch("headcount.judging.beside_people.bootstrap_t", return_value=None):
        by_t = Gate().of_readiness[0].decide(evidence_of(prepared, looks=looks))
    if by_t.status != "pass":
        return False
    return Gate().of_readiness[0].decide(evidence_of(prepared, looks=looks)).status == "pass"


def false_ready(p: Population, sizes: Sequence[int], m: int, sets: int, *, looks: bool) -> str:
    """Count the data sets in which kappa passes at some look, for a judge at the margin."""
    share, passed = share_at_margin(p, m), 0
    for seed in range(sets):
        rng = np.random.default_rng([seed, 77, sizes[-1]])
        theta = p.items(rng, sizes[-1])
        people = np.stack([p.person(rng, theta) for _ in range(m)], axis=1)
        judge = spoilt(p, rng, theta, share)
        for n in sizes:
            prepared = prepared_of(p, people[:n], judge[:n])
            if kappa_passes(prepared, looks=looks):
                passed += 1
                break
    return f"{passed} of {sets:,} ({passed / sets:.4f})"


def collected(p: Population, kind: str, sets: int, most: int = 400) -> tuple[Counter[str], float]:
    """Stop as ``headcount collect --until ready`` does: verdicts, and the median of items."""
    counted: Counter[str] = Counter()
    stopped: list[int] = []
    share = share_at_margin(p, 3) if kind == "at the margin" else 0.0
    for seed in range(sets):
        rng = np.random.default_rng([seed, 35, len(kind), len(p.labels)])
        theta = p.items(rng, most)
        people = np.stack([p.person(rng, theta) for _ in range(3)], axis=1)
        drawn = judge_of(kind, p, rng, theta, people) if not share else spoilt(p, rng, theta, share)
        verdict, n = "cannot tell yet", next_look(0)
        while n <= most and verdict == "cannot tell yet":
            if n >= FEWEST_FOR_A_VERDICT:
                prepared = prepared_of(p, people[:n], drawn[:n])
                evidence = evidence_of(prepared, looks=True)
                criterion = Gate().of_readiness
                made = decide(prepared.judges[0], prepared, evidence, criterion, seed=0, looks=True)
                verdict = str(made.readiness)
            n, looked = next_look(n), n
        counted[verdict] += 1
        stopped.append(looked)
    return counted, float(np.median(stopped))


def ready_by_bias(p: Population, sets: int, n: int = 150) -> None:
    """Print how often a judge at +.5 is ready, by its true bias beside the people who were drawn."""
    rng = np.random.default_rng(0)
    theta, noise = p.items(rng, 40_000), rng.normal(0, p.noise, (4, 40_000))
    exact = replace(p, noise=0.0)
    found: list[tuple[float, bool]] = []
    for seed in range(sets):
        rng = np.random.default_rng([seed, n, 3, KINDS.index("+.5"), len(p.labels)])
        items = p.items(rng, n)
        shifts, people = [], []
        for _ in range(3):
            shifts.append(rng.normal(0, p.shift))
            people.append(p.says(rng, items, p.noise, shifts[-1]))
        rated = np.stack(people, axis=1)
        prepared = prepared_of(p, rated, judge_of("+.5", p, rng, items, rated))
        made = decide(
            prepared.judges[0], prepared, evidence_of(prepared), Gate().of_readiness, seed=0
        )
        said = [
            exact.says(rng, theta + e, 0.0, s) for e, s in zip(noise, [*shifts, 0.5], strict=True)
        ]
        bias = (said[3].mean() - np.mean(said[:3])) / np.std(said[:3])
        found.append((float(bias), made.readiness == "ready"))
    bias, ready = (np.array(column) for column in zip(*found, strict=True))
    print(f"+.5: true bias {bias.mean():.2f} sd (sd {bias.std():.2f}), ready {ready.mean():.2f}")
    for low, high in ((0.0, 0.3), (0.3, 0.4), (0.4, 1.0)):
        own = (low <= bias) & (bias < high)
        print(f"  {low:g} to {high:g} sd: ready {ready[own].sum()} of {own.sum()}", flush=True)


def in_documents(
    p: Population, documents: int, rng: np.random.Generator, *, clusters: bool
) -> Prepared:
    """Draw documents of eight items, which share some quality and some error of the judge."""
    document = np.repeat(np.arange(documents), 8)
    n = len(document)
    theta = p.mean + 0.8 * p.sd * rng.normal(size=documents)[document]
    theta += 0.6 * p.sd * rng.normal(size=n)
    people = np.stack([p.says(rng, theta, p.noise, s) for s in (-0.15, 0, 0.15)], axis=1)
    shift = 0.5 * p.sd * rng.normal(size=documents)[document]
    prepared = prepared_of(p, people, p.says(rng, theta + shift, p.noise, 0.2))
    # Items are sorted as they are numbered.
    return replace(prepared, cluster=document) if clusters else prepared


def held(p: Population, documents: int, sets: int, *, clusters: bool) -> tuple[float, float]:
    """Share of data sets in which the intervals of the difference and of the bias cover the truth."""
    big = in_documents(p, 4_000, np.random.default_rng(9), clusters=False)
    truth = evidence_of(big).standing
    hits = np.zeros(2)
    for seed in range(sets):
        rng = np.random.default_rng([seed, documents])
        standing = evidence_of(in_documents(p, documents, rng, clusters=clusters)).standing
        pairs = ((standing.difference, truth.difference), (standing.bias, truth.bias))
        hits += [e.low <= t.value <= e.high for e, t in pairs]
    return tuple(hits / sets)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--items", default="100,150,300")
    parser.add_argument("--margin", type=int, default=3000, help="data sets at the margin")
    parser.add_argument("--margin-items", default="150")
    parser.add_argument("--clusters", type=int, default=400, help="data sets of documents")
    parser.add_argument("--looks", type=int, default=500, help="data sets of ten looks")
    parser.add_argument("--bias", type=int, default=300, help="data sets of a judge at +.5")
    parser.add_argument("--collect", type=int, default=200, help="data sets that are collected")
    parser.add_argument("--experts", type=int, default=2000, help="data sets with an expert")
    given = parser.parse_args()
    populations = ((STARS, "1-5"), (TWO, "two labels"))
    for n in map(int, given.margin_items.split(",")) if given.margin else ():
        for p, name in populations:
            falsely = false_ready(p, [n], 3, given.margin, looks=False)
            print(f"{name}, {n} items, one look: false ready {falsely}", flush=True)
    if given.bias:
        ready_by_bias(STARS, given.bias)
    if given.sets:
        print(f"{given.sets} data sets a cell, number of each verdict")
        print("| people | judge | items | ready | recalibrated | not ready | cannot tell | leak |")
        print("|---|---|--:|--:|--:|--:|--:|--:|")
    for n in map(int, given.items.split(",")) if given.sets else ():
        for p, name in populations:
            for kind in KINDS:
                counted = verdicts(p, kind, n, 3, given.sets)
                shares = " | ".join(str(counted[v]) for v in VERDICTS)
                print(f"| {name} | {kind} | {n} | {shares} |", flush=True)
    for p, name in populations if given.experts else ():
        for noise, n in ((0.1, 100), (0.2, 100), (0.35, 100), (0.2, 300)):
            count = accused(p, noise, n, given.experts)
            print(f"{name}, expert with noise {noise}, {n} items: {count} accused", flush=True)
    for p, name in populations:
        if given.looks:
            sizes = np.linspace(80, 800, 10).astype(int).tolist()
            for looks in (False, True):
                falsely = false_ready(p, sizes, 3, given.looks, looks=looks)
                how = "with looks" if looks else "without"
                print(f"{name}, ten looks {how}: false ready {falsely}", flush=True)
        for kind in ("like a person", "half coin", "at the margin") if given.collect else ():
            ends, items = collected(p, kind, given.collect)
            print(f"{name}, {kind}, collected: {dict(ends)}, median {items:.0f} items", flush=True)
        for documents in (10, 20, 40) if given.clusters else ():
            for clusters in (False, True):
                kappa, bias = held(p, documents, given.clusters, clusters=clusters)
                how = "by document" if clusters else "by item"
                print(f"{name}, {documents} documents, {how}: kappa {kappa:.3f}, bias {bias:.3f}")


if __name__ == "__main__":
    main()
