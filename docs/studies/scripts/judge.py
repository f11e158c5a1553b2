"""The judge card on data in which the truth is known: docs/studies/judge.md.

People label items from a distribution of each item's own; the judge is one more of them, or flips
coins. So a judge that is one of the people is worth 1 rater, and agrees like a person: the truth of
both is known.

    python docs/studies/scripts/judge.py --sets 500
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from headcount import Labels, Predictions, survey
from headcount import judge as judge_card
from headcount.judging.beside_people import standing_of
from headcount.judging.gate import Evidence, LikeAPerson, WorthAtLeast, all_of
from headcount.judging.prepare import prepare
from headcount.results.notes import Notes

DESIGNS = {
    "two labels, kappa .50": ("two", 0.5),
    "two labels, kappa .33": ("two", 1.0),
    "two labels, people differ": ("severe", 0.7),
    "1 to 5": ("stars", 0.7),
}
"""Shares from Beta(a, a); logits with a severity of each person's own; rounded normal grades."""
LEVEL = 0.95


class World:
    """Items, and people who label them: each new one is drawn from the same distribution."""

    def __init__(self, kind: str, size: float, items: int, seed: int) -> None:
        self.kind, self.size, self.rng = kind, size, np.random.default_rng(seed)
        self.state = self.rng.normal(size=items)
        if kind == "two":
            self.state = self.rng.beta(size, size, items)

    def person(self) -> list[str]:
        """Label all items as a new person does."""
        rng, n = self.rng, len(self.state)
        if self.kind == "stars":
            stars = np.rint(3 + 1.1 * self.state + self.size * rng.normal(size=n))
            return [str(int(x)) for x in np.clip(stars, 1, 5)]
        chance = self.state
        if self.kind == "severe":
            chance = 1 / (1 + np.exp(-2 * self.state - self.size * rng.normal()))
        return np.where(rng.random(n) < chance, "yes", "no").tolist()

    def coin(self) -> list[str]:
        """Label all items at random."""
        labels = ["1", "2", "3", "4", "5"] if self.kind == "stars" else ["no", "yes"]
        return self.rng.choice(labels, len(self.state)).tolist()


SHARES = {"person": 1.0, "few": 1.0, "half": 0.5, "coin": 0.0}
"""Share of items on which a judge answers as a person does; on the others it flips coins."""


def said_of(design: str, items: int, raters: int, seed: int, share: float):
    """Let people label items, and a judge that answers as a person does on a share of them."""
    world = World(*DESIGNS[design], items, seed)
    said = [world.person() for _ in range(raters)]
    if share in (0.0, 1.0):
        return said, world.person() if share else world.coin()
    as_person = world.rng.random(items) < share
    return said, np.where(as_person, world.person(), world.coin()).tolist()


def data(said, judged, items: int):
    """Take the first items."""
    who = np.repeat([f"person {k}" for k in range(len(said))], items)
    given = [x for one in said for x in one[:items]]
    labels = Labels.from_triples(list(range(items)) * len(said), who, given)
    return labels, Predictions.from_labels(range(items), {"judge": judged[:items]})


def evidence_of(labels, predictions, *, worth: bool, draws: int) -> Evidence:
    """Find what conditions are decided on."""
    prepared = prepare(labels, predictions, scale=None, positive=None, by=None, notes=Notes())
    standing = standing_of(prepared.judges[0], prepared, LEVEL)
    value = beats = None
    if worth:
        found = survey(labels, predictions, bootstrap=draws, ceiling=False)["judge"]
        value, beats = found.worth, found.p_beats
    return Evidence(
        worth=value, items=len(labels.items), standing=standing, alt_test=None, level=LEVEL,
        agree=True, beats=beats,
    )  # fmt: skip


@dataclass
class Counted:
    """How often each condition is passed and failed, and intervals cover the truth."""

    status: Counter[tuple[str, str]] = field(default_factory=Counter)
    holds: Counter[str] = field(default_factory=Counter)
    sets: Counter[str] = field(default_factory=Counter)
    more: list[int] = field(default_factory=list)

    def share(self, name: str, status: str) -> str:
        return f"{self.status[name, status] / max(self.sets[name], 1):.3f}"


def add(counted: Counted, labels, predictions, *, margins, worth: bool, draws: int) -> None:
    evidence = evidence_of(labels, predictions, worth=worth, draws=draws)
    value = evidence.worth
    kinds = [LikeAPerson(margin) for margin in margins] + ([WorthAtLeast(1)] if worth else [])
    statuses = {}
    for kind in kinds:
        found = kind.decide(evidence)
        statuses[f"{kind.name} {kind.mark:g}"] = found.status
        if found.more_items is not None:
            counted.more.append(found.more_items)
    if worth:  # what the card asks for where nobody names a condition
        statuses["the verdict"] = all_of(
            statuses[name] for name in ("worth_at_least 1", "agree_like_a_person 0.2")
        )
    for name, status in statuses.items():
        counted.sets[name] += 1
        counted.status[name, status] += 1
    counted.sets["difference"] += 1
    d = evidence.standing.difference
    counted.holds["difference"] += d.low is not None and d.low <= 0 <= d.high
    if value is not None:
        counted.sets["worth"] += 1
        counted.holds["worth"] += value.low <= 1 <= value.high


def cell(design: str, items: int, raters: int, given, *, judge: str) -> None:
    counted = Counted()
    many = given.sets * (1 if judge == "coin" else given.times)
    for seed in range(given.first, given.first + many):
        said, judged = said_of(design, items, raters, seed, SHARES[judge])
        labels, predictions = data(said, judged, items)
        worth = seed < given.first + given.sets and given.worth
        add(counted, labels, predictions, margins=(0.2, 0.1), worth=worth, draws=given.draws)
    print(f"{design}, {items} x {raters}, judge is {judge}:")
    for name in counted.sets:
        if (name, "pass") in counted.status or (name, "fail") in counted.status or " " in name:
            shares = [f"{s} {counted.share(name, s)}" for s in ("pass", "fail", "cannot tell")]
            print(f"    {name:18} {', '.join(shares)}  ({counted.sets[name]} data sets)")
        else:
            held = counted.holds[name] / counted.sets[name]
            print(f"    {name:18} interval covers the truth {held:.3f} ({counted.sets[name]})")
    if counted.more:
        print(f"    more items, median  {np.median(counted.more):.0f}")
    print(end="", flush=True)


def low_ends(given) -> None:
    """Count the cards of a judge who is one of the people on which the worth surely exceeds 1."""
    for design in given.designs.split("; "):
        above = below = 0
        for seed in range(given.first, given.first + given.sets):
            said, judged = said_of(design, given.items, given.raters, seed, 1.0)
            card = judge_card(*data(said, judged, given.items), bootstrap=given.draws)
            worth = card["judge"].worth
            above += worth.low > 1
            below += worth.high < 1
        print(f"{design}, {given.items} x {given.raters}: of {given.sets} cards the low end is")
        print(f"    above the truth in {above}, the high end below it in {below}", flush=True)


def promise(given) -> None:
    """Label the items that are asked for besides, and see how often they tell."""
    name, mark = given.promise.split(":")
    kind = next(one for one in (LikeAPerson, WorthAtLeast) if one.name == name)(float(mark))
    worth = kind.name == WorthAtLeast.name
    for design in given.designs.split("; "):
        for judge in given.judges.split(","):
            more, then, status = [], [], Counter()
            for seed in range(given.first, given.first + given.sets):
                said, judged = said_of(design, MOST, given.raters, seed, SHARES[judge])
                found, again = given.items, None
                first = kind.decide(
                    evidence_of(*data(said, judged, found), worth=worth, draws=given.draws)
                )
                asked = first.more_items
                if first.status == "cannot tell" and asked is not None and found + asked <= MOST:
                    again = kind.decide(
                        evidence_of(
                            *data(said, judged, found + asked), worth=worth, draws=given.draws
                        )
                    )
                    more.append(asked)
                    then.append(again.status)
                status[first.status if asked is None else "more"] += 1
            print(f"{design}, {found} x {given.raters}, judge is {judge}, {given.promise}:")
            print(f"    {dict(status)}; more, median {np.median(more or [0]):.0f};", end=" ")
            told = Counter(then)
            print(f"with them {dict(told)}: {1 - told['cannot tell'] / max(len(then), 1):.2f} told")
            print(end="", flush=True)


MOST = 2000
"""Items of a data set from which more are labelled."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="seed of the first data set")
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--designs", default="; ".join(DESIGNS))
    parser.add_argument("--judges", default="person,coin,few")
    parser.add_argument("--items", type=int, default=150)
    parser.add_argument("--raters", type=int, default=3)
    parser.add_argument("--times", type=int, default=4, help="times as many without the worth")
    parser.add_argument("--no-worth", dest="worth", action="store_false")
    parser.add_argument("--low-ends", action="store_true", help="of the worth, by whole cards")
    parser.add_argument("--promise", default=None, help="such as worth_at_least:2")
    given = parser.parse_args()
    if given.low_ends:
        low_ends(given)
        return
    if given.promise is not None:
        promise(given)
        return
    for design in given.designs.split("; "):
        for judge in given.judges.split(","):
            items = 20 if judge == "few" else given.items
            cell(design, items, given.raters, given, judge=judge)


if __name__ == "__main__":
    main()
