"""Where a judge stands among the people, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount.agreement.raters.interval import freedom_of
from headcount.agreement.raters.populations import FIXED, SAMPLE
from headcount.judging.beside_people.kappas import InPlace, RatingPairs, compare, pairs_of
from headcount.judging.beside_people.records import PersonStanding, Standing
from headcount.judging.prepare import Judged, Prepared
from headcount.stats.estimate import Estimate
from headcount.stats.grouping import group_sums
from headcount.stats.intervals.from_error import LINEARISED
from headcount.typing import Codes, Floats

__all__ = ["FEWEST_ITEMS", "MOST_PEOPLE", "standing_of"]

FEWEST_ITEMS = 30
"""Items below which there are no intervals, and nothing is decided."""
FEWEST_SHARED = 10
"""Items that a person must share with others to be compared."""
MOST_PEOPLE = 50
"""People who are compared one by one, those with the most items."""
CROSSED = 6
"""People from which on intervals allow for them being a sample."""


def standing_of(judged: Judged, prepared: Prepared, level: float) -> Standing | None:
    """Compare the judge with each person, on the same items and against the same others.

    None where fewer than two people share ten items with somebody else and the judge.
    """
    people = prepared.people
    compared, left_out = _compared(judged, prepared)
    if len(compared) < 2:
        return None
    pairs = pairs_of(
        people.item,
        people.rater,
        people.label,
        judged.label,
        compared=compared,
        labels=len(prepared.labels),
    )
    found = compare(pairs, prepared.distance)
    known = np.isfinite(found.person)
    if not known.any():
        return None
    names = people.raters[compared].tolist()
    rows = _people(pairs, found, prepared, names)
    crossed = len(compared) >= CROSSED
    step = float(prepared.distance[prepared.distance > 0].min())
    interval = _Intervals(pairs, found, step=step, level=level, crossed=crossed)
    judge_minus = found.judge - found.person
    better = int((judge_minus[known] > 0).sum())
    difference, error = interval.of(1, -1)
    biases = [row.judge_bias for row in rows if row.judge_bias is not None]
    return Standing(
        kappa=interval.of(1, 0)[0],
        people_kappa=interval.of(0, 1)[0],
        difference=difference,
        over_half=interval.of(1, -0.5)[0],
        error=error,
        holds_for=(SAMPLE if crossed else FIXED).words,
        agreement=float(np.mean([row.judge_agreement for row in rows])),
        people_agreement=float(np.mean([row.agreement for row in rows])),
        bias=float(np.mean(biases)) if biases else None,
        people=tuple(sorted(rows, key=lambda row: -np.nan_to_num(row.kappa, nan=-2.0))),
        better_than=better,
        place=1 + int((judge_minus[known] < 0).sum()),
        items=pairs.items,
        weights="quadratic" if prepared.ordered else "nominal",
        left_out=left_out,
    )


def _compared(judged: Judged, prepared: Prepared) -> tuple[Codes, int]:
    """Find the people who share enough items; those with the most where there are many."""
    people = prepared.people
    ratings = np.bincount(people.item, minlength=len(people.items))
    counts = (judged.label >= 0) & (ratings > 1)
    items = np.bincount(people.rater[counts[people.item]], minlength=len(people.raters))
    enough = np.flatnonzero(items >= FEWEST_SHARED)
    kept = np.sort(enough[np.argsort(-items[enough], kind="stable")][:MOST_PEOPLE])
    return kept, int((items > 0).sum()) - len(kept)


class _Intervals:
    """Intervals of means over people: over items, and over people too where there are enough."""

    def __init__(
        self, pairs: RatingPairs, found: InPlace, *, step: float, level: float, crossed: bool
    ) -> None:
        self.pairs, self.found, self.step = pairs, found, step
        self.level, self.crossed = level, crossed

    def of(self, judge: float, people: float) -> tuple[Estimate, float]:
        """Return `judge` times the judge's kappa plus `people` times people's, and its error."""
        one = self.found
        value = float(np.nanmean(judge * one.judge + people * one.person))
        changes = judge * one.judge_changes + people * one.person_changes
        without = judge * one.judge_without + people * one.person_without
        items = self.pairs.items
        v_items = items / max(items - 1, 1) * float((changes**2).sum())
        v_people = self._people(value, without) if self.crossed else 0.0
        error = float(np.sqrt(max(v_items, v_people)))
        return self._estimate(value, error, (v_items, v_people), abs(judge) + abs(people)), error

    def _estimate(
        self, value: float, error: float, parts: tuple[float, float], most: float
    ) -> Estimate:
        from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

        items, (v_items, v_people) = self.pairs.items, parts
        if items < FEWEST_ITEMS:
            return Estimate(value)
        freedom = float(items - 1)
        if v_people > 0 and error > 0:
            bottom = v_items**2 / freedom + v_people**2 / freedom_of(self._effective())
            freedom = max(error**4 / bottom, freedom_of(self._effective()))
        # Nobody differed on n items: they may, by one step of the scale, on 3 in n.
        least = 3 * self.step / (items * self.found.expected) if self.found.expected > 0 else 0.0
        half = max(float(stdtrit(freedom, (1 + self.level) / 2)) * error, least)
        low, high = max(value - half, -most), min(value + half, most)
        return Estimate(value, low=low, high=high, level=self.level, method=LINEARISED.name)

    def _people(self, value: float, without: Floats) -> float:
        """Variance by leaving out each person, as one who is compared and as one of the others."""
        pairs = self.pairs
        there = np.unique(pairs.other)
        compared = np.full(pairs.everybody, -1)
        compared[pairs.compared] = np.arange(pairs.people)
        left: list[float] = []
        for person in there.tolist():
            rows = np.arange(pairs.people) != compared[person]
            left.append(float(np.nanmean(without[rows, person])))
        m = len(left)
        return (m - 1) / m * float(((np.array(left) - value) ** 2).sum())

    def _effective(self) -> float:
        """Effective number of people, by the pairs that each is in."""
        weight = np.bincount(self.pairs.other, minlength=self.pairs.everybody).astype(np.float64)
        return float(weight.sum() ** 2 / (weight**2).sum())


def _people(
    pairs: RatingPairs, found: InPlace, prepared: Prepared, names: Sequence[str | int]
) -> list[PersonStanding]:
    """Describe each person, and the judge in that person's place."""
    sides = [_Side(pairs, says, prepared) for says in (pairs.says, pairs.judge_says)]
    items = group_sums(pairs.person, pairs.share, pairs.people)
    return [
        PersonStanding(
            person=name,
            items=round(float(items[k])),
            kappa=float(found.person[k]),
            judge_kappa=float(found.judge[k]),
            agreement=float(sides[0].agreement[k]),
            judge_agreement=float(sides[1].agreement[k]),
            recall=sides[0].recall(k),
            judge_recall=sides[1].recall(k),
            bias=sides[0].bias(k),
            judge_bias=sides[1].bias(k),
        )
        for k, name in enumerate(names)
    ]


class _Side:
    """What the people, or the judge in their places, share with the others."""

    def __init__(self, pairs: RatingPairs, says: Codes, prepared: Prepared) -> None:
        people, labels = pairs.people, pairs.labels
        items = group_sums(pairs.person, pairs.share, people)
        same = (says == pairs.other_says) * pairs.share
        self.labels = prepared.people.scale.labels
        self.agreement = group_sums(pairs.person, same, people) / items
        cell = pairs.person * labels + pairs.other_says
        self.given = np.bincount(cell, minlength=people * labels).reshape(people, labels)
        hits = np.bincount(cell, says == pairs.other_says, people * labels)
        self.hits = hits.reshape(people, labels)
        self.biases: Floats | None = None
        if prepared.values is not None:
            over = (prepared.values[says] - prepared.values[pairs.other_says]) * pairs.share
            self.biases = group_sums(pairs.person, over, people) / items

    def recall(self, person: int) -> dict[str, float]:
        """By label, of those that others give."""
        return {
            label: float(self.hits[person, code] / self.given[person, code])
            for code, label in enumerate(self.labels)
            if self.given[person, code]
        }

    def bias(self, person: int) -> float | None:
        """How much higher, in the mean."""
        return None if self.biases is None else float(self.biases[person])
