"""Against last time: a judge beside an earlier one, on the same items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from headcount.data.predictions import Predictions
from headcount.data.vocabulary import match_ids
from headcount.equivalence.result import SurveyResult
from headcount.errors import DataError, option, some
from headcount.judging.beside_people import linear_interval, over_people, signed
from headcount.judging.prepare import Judged, Prepared
from headcount.judging.readiness import InPlace, compare, pairs_of
from headcount.results.fields import Record
from headcount.stats.arrays import group_sums
from headcount.stats.estimate import Estimate
from headcount.typing import Flags, Ids

__all__ = ["Change", "Survey", "changes_of"]

TESTS = 3
"""Agreement, bias and worth: intervals hold for the three together."""
Survey = Callable[[Predictions, float], SurveyResult]
"""Surveys predictions at a level."""


@dataclass(frozen=True, kw_only=True)
class Change(Record):
    """What changed from an earlier judge to this one, on the items of both.

    Intervals are such that all three hold together at the level.

    Parameters
    ----------
    judge, baseline : str
    items : int
    kappa : Estimate or None
        Mean over people of its kappa in their place, minus the earlier judge's.
    bias : Estimate or None
        Distance of its mean label from people's, minus the earlier judge's; None without an order.
    worth : Estimate or None
        In raters, minus the earlier judge's.
    worse : tuple of str
        Of these three, those that are significantly worse.
    """

    judge: str
    baseline: str
    items: int
    kappa: Estimate | None
    bias: Estimate | None
    worth: Estimate | None
    worse: tuple[str, ...]

    def sentence(self) -> str:
        """Say what changed."""
        parts = [
            f"{name} {signed(e.value)} ({signed(e.low)} to {signed(e.high)})"
            if e.bounds is None
            else f"{name} {e.show(e.value, 2)} ({e.interval(2)})"
            for name, e in (("kappa", self.kappa), ("bias", self.bias), ("worth", self.worth))
            if e is not None and e.low is not None and e.high is not None
        ]
        verdict = "no significant change"
        if self.worse:
            verdict = f"significantly worse ({', '.join(self.worse)})"
        elif (self.kappa is not None and (self.kappa.low or 0) > 0) or (
            self.worth is not None and (self.worth.low or 0) > 0
        ):
            verdict = "better, and in nothing significantly worse"
        return f"{self.judge} against the baseline: {verdict}. {'; '.join(parts)}."


def changes_of(new: Prepared, old: Prepared, survey: Survey, *, level: float) -> tuple[Change, ...]:
    """Compare each judge with the earlier one of its name; one with one, whatever their names."""
    own = 1 - (1 - level) / TESTS
    pairs = _matched(new, old)
    earlier = {before.name: f"{before.name} (baseline)" for _, before in pairs}
    # Both on the items that people rated and both have.
    now, before = new.predictions, old.predictions
    both = match_ids(new.people.items, now.items) >= 0
    both &= match_ids(new.people.items, before.items) >= 0
    items = new.people.items[both]
    joined = _on(now, items, {}) + _on(before, items, earlier)
    surveyed = survey(joined, own)
    return tuple(
        _change(now, before, new, old, surveyed, earlier[before.name], own) for now, before in pairs
    )


def _on(predictions: Predictions, items: Ids, names: Mapping[str, str]) -> Predictions:
    """Take the predictions of some items, with some classifiers renamed."""
    there = predictions.at(match_ids(items, predictions.items))
    named = [
        tuple(replace(each, name=names.get(each.name, each.name)) for each in judges)
        for judges in (there.classifiers, there.scores)
    ]
    return replace(there, classifiers=named[0], scores=named[1])


def _matched(new: Prepared, old: Prepared) -> list[tuple[Judged, Judged]]:
    by_name = {judged.name: judged for judged in old.judges}
    if len(new.judges) == len(old.judges) == 1:
        return [(new.judges[0], old.judges[0])]
    pairs = [(now, by_name[now.name]) for now in new.judges if now.name in by_name]
    if not pairs:
        raise DataError(
            f"{option('baseline')}: its judges are {some(list(by_name))}, and none of them is "
            f"among {some([judged.name for judged in new.judges])}. Give both the same name."
        )
    return pairs


def _change(
    now: Judged,
    before: Judged,
    new: Prepared,
    old: Prepared,
    surveyed: SurveyResult,
    earlier: str,
    level: float,
) -> Change:
    both = (now.label >= 0) & (before.label >= 0)
    now, before = _only(now, both), _only(before, both)
    kappa = _kappa(now, before, new, old, level)
    bias = _bias(now, before, new, level)
    found = next((c for c in surveyed.comparisons if {c.a, c.b} == {now.name, earlier}), None)
    worth = None
    if found is not None and found.raters.undefined is None:
        worth = found.raters if found.a == now.name else _turned(found.raters)
    worse = [
        name
        for name, e, sign in (("kappa", kappa, 1), ("bias", bias, -1), ("worth", worth, 1))
        if e is not None
        and e.low is not None
        and e.high is not None
        and (e.high < 0 if sign > 0 else e.low > 0)
    ]
    return Change(
        judge=now.name,
        baseline=before.name,
        items=int(both.sum()),
        kappa=kappa,
        bias=bias,
        worth=worth,
        worse=tuple(worse),
    )


def _turned(e: Estimate) -> Estimate:
    """Take the difference the other way round."""
    bounds = None if e.bounds is None else (-e.bounds[1], -e.bounds[0])
    low, high = (None if end is None else -end for end in (e.high, e.low))
    return replace(e, value=-e.value, low=low, high=high, bounds=bounds)


def _only(judged: Judged, both: Flags) -> Judged:
    return replace(judged, label=np.where(both, judged.label, -1))


def _kappa(
    now: Judged, before: Judged, new: Prepared, old: Prepared, level: float
) -> Estimate | None:
    """Paired difference of the two judges' kappas in people's places, by influences of items."""
    people = new.people
    everybody = np.unique(people.rater)

    def kappas(judged: Judged, prepared: Prepared) -> tuple[int, InPlace]:
        pairs = pairs_of(
            people.item,
            people.rater,
            people.label,
            judged.label,
            compared=everybody,
            labels=len(prepared.labels),
            cluster=prepared.cluster,
        )
        return pairs.units, compare(pairs, prepared.distance)

    (units, one), (_, two) = kappas(now, new), kappas(before, old)
    values = one.judge - two.judge
    if not np.isfinite(values).any() or units < 2:
        return None
    changes = one.judge_changes - two.judge_changes
    return linear_interval(float(np.nanmean(values)), changes, level)


def _bias(now: Judged, before: Judged, new: Prepared, level: float) -> Estimate | None:
    """Paired difference of the two judges' absolute biases."""
    if new.values is None or not (now.label >= 0).any():
        return None
    items, over, _ = over_people(now, new, new.values)
    _, earlier, _ = over_people(before, new, new.values)
    over, earlier = (each if each.mean() >= 0 else -each for each in (over, earlier))
    change = over - earlier
    value = float(change.mean())
    unit = new.unit_of(items)
    moved = group_sums(unit, (change - value) / len(change), int(unit.max()) + 1)
    return None if len(moved) < 2 else linear_interval(value, moved, level)
