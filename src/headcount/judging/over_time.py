"""A judge over time: against an earlier one, and at looks at a growing set of items."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import numpy as np

from headcount.data.predictions import Predictions
from headcount.data.vocabulary import match_ids, number_text
from headcount.equivalence.result import SurveyResult
from headcount.errors import DataError, OptionError, count, option, some
from headcount.judging.beside_people import linear_interval, over_people, signed
from headcount.judging.gate import Readiness
from headcount.judging.prepare import Judged, Prepared
from headcount.judging.readiness import InPlace, compare, pairs_of
from headcount.results.fields import Record
from headcount.stats.arrays import group_sums
from headcount.stats.estimate import Estimate
from headcount.typing import Flags, Ids

__all__ = [
    "Change",
    "Survey",
    "changes_of",
    "Ledger",
    "Look",
]

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
        Mean over people of its kappa in their place, less the earlier judge's.
    bias : Estimate or None
        Distance of its mean label from people's, less the earlier judge's; None without an order.
    worth : Estimate or None
        In raters, less the earlier judge's.
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
        estimates = {"kappa": self.kappa, "bias": self.bias, "worth": self.worth}
        parts = [
            f"{'change in the size of the bias' if name == 'bias' else name} "
            f"{_signed(e, e.value)} ({_signed(e, e.low)} to {_signed(e, e.high)})"
            for name, e in estimates.items()
            if e is not None and e.low is not None and e.high is not None
        ]
        ways = {"worse": self.worse, "better": _significant(estimates, better=True)}
        verdict = " and ".join(
            f"significantly {way} ({', '.join(names)})" for way, names in ways.items() if names
        )
        verdict = verdict or "no significant change"
        return f"{self.judge} against the baseline: {'; '.join([verdict, *parts])}."


def _signed(e: Estimate, x: float | None) -> str:
    """Write a change with its sign, also one that is beyond what data show."""
    if e.bounds is None and x is not None:
        return signed(x)
    text = e.show(x, 2)
    return re.sub(r"(?<![\d.-])(?=\d)", "+", text)


def _significant(estimates: Mapping[str, Estimate | None], *, better: bool) -> tuple[str, ...]:
    """Name the changes that are significantly for the better, or for the worse."""
    out: list[str] = []
    for name, e in estimates.items():
        if e is not None and e.low is not None and e.high is not None:
            # The smaller an absolute bias, the better.
            up, down = e.low > 0, e.high < 0
            out += [name] if (up if better != (name == "bias") else down) else []
    return tuple(out)


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
    return Change(
        judge=now.name,
        baseline=before.name,
        items=int(both.sum()),
        kappa=kappa,
        bias=bias,
        worth=worth,
        worse=_significant({"kappa": kappa, "bias": bias, "worth": worth}, better=False),
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


# Looking again: a ledger of looks at a growing set of items, and what may not change in it.

FORMAT, VERSION = "headcount looks", 1
NEW_LEDGER = f"Start a new ledger for other items or judges ({option('looks', 'other.json')})"


@dataclass(frozen=True, kw_only=True)
class Look:
    """One look: when, at which items that were new, and what was decided.

    Parameters
    ----------
    time : str
    items : mapping of item to digest
        Of what people said of each item that no earlier look saw.
    judges : mapping of judge to (mapping of item to digest)
        Of what each judge said of the same items.
    readiness : mapping of judge to readiness
    """

    time: str
    items: dict[str, str]
    judges: dict[str, dict[str, str]]
    readiness: dict[str, Readiness | None]


@dataclass(frozen=True)
class Ledger:
    """The looks that were taken, and the file that keeps them.

    A verdict over looks holds for one judge and one set of items that grows. So items that were
    looked at before must all be there and unchanged, or the ledger is refused.

    Parameters
    ----------
    path : Path
    looks : tuple of Look
    """

    path: Path
    looks: tuple[Look, ...] = ()

    @classmethod
    def read(cls, path: Path) -> Ledger:
        """Read a ledger; an empty one where there is no such file yet."""
        if not path.exists():
            return cls(path)
        try:
            document = json.loads(path.read_text(encoding="utf-8"))
            if document["format"] != FORMAT or document["version"] > VERSION:
                raise ValueError
            return cls(path, tuple(Look(**look) for look in document["looks"]))
        except OSError as error:
            raise DataError(f"cannot read the ledger '{path}': {error.strerror}.") from None
        except (ValueError, KeyError, TypeError):
            raise OptionError(
                f"{option('looks', path)}: '{path}' is not a ledger that this version reads. "
                "Name a new file, or one that an earlier look wrote."
            ) from None

    def after(self, prepared: Prepared, readiness: dict[str, Readiness | None]) -> Ledger:
        """Return the ledger with this look; unchanged if nothing is new since the last one."""
        people, judges = _of_people(prepared), _of_judges(prepared)
        seen = {item for look in self.looks for item in look.items}
        new = [item for item in people if item not in seen]
        if not new and self.looks and self.looks[-1].readiness == readiness:
            return self
        look = Look(
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            items={item: people[item] for item in new},
            judges={name: {i: of[i] for i in new} for name, of in judges.items()},
            readiness=readiness,
        )
        return Ledger(self.path, (*self.looks, look))

    def write(self) -> None:
        """Replace the file, whole or not at all."""
        from headcount.io.write import replacing

        document = {
            "format": FORMAT,
            "version": VERSION,
            "looks": [asdict(look) for look in self.looks],
        }
        with replacing(self.path) as file:
            file.write_text(json.dumps(document, indent=1), encoding="utf-8")

    def check(self, prepared: Prepared) -> None:
        """Refuse a ledger of other items or of another judge."""
        people, judges = _of_people(prepared), _of_judges(prepared)
        for look in self.looks:
            when = f"the look of {look.time}"
            others = [name for name in look.judges if name not in judges]
            others += [name for name in judges if name not in look.judges]
            if others:
                raise self._refused(
                    f"it is of the judges {some(list(look.judges))}, and these are "
                    f"{some(list(judges))}. {NEW_LEDGER}"
                )
            if gone := [item for item in look.items if item not in people]:
                raise self._refused(
                    f"these items of {when} are missing: {some(gone)}. Give all earlier items and "
                    f"the new ones together. {NEW_LEDGER}"
                )
            if changed := [item for item in look.items if look.items[item] != people[item]]:
                raise self._refused(
                    f"people's answers have changed since {when}, on {some(changed)}. Looks hold "
                    f"only if items looked at before stay as they were. {NEW_LEDGER}"
                )
            for name, answers in look.judges.items():
                if changed := [i for i in answers if answers[i] != judges[name][i]]:
                    raise self._refused(
                        f"the answers of '{name}' have changed since {when}, on "
                        f"{count(len(changed), 'item')} such as {some(changed)}: it is another "
                        f"judge. {NEW_LEDGER}"
                    )

    def _refused(self, why: str) -> DataError:
        return DataError(f"{option('looks', self.path)}: {why}.")


def _digest(answers: object) -> str:
    return sha256(json.dumps(answers, ensure_ascii=False).encode()).hexdigest()[:16]


def _of_people(prepared: Prepared) -> dict[str, str]:
    """Digest what people said of each item, whatever the order of rows."""
    people = prepared.people
    raters = [str(rater) for rater in people.raters.tolist()]
    labels = [str(label) for label in people.scale.labels]
    said: dict[int, list[tuple[str, str]]] = {}
    for item, rater, label in zip(
        people.item.tolist(), people.rater.tolist(), people.label.tolist(), strict=True
    ):
        pair = (raters[int(rater)], labels[int(label)])
        said.setdefault(item, []).append(pair)
    items = people.items.tolist()
    return {str(items[code]): _digest(sorted(said[code])) for code in sorted(said)}


def _of_judges(prepared: Prepared) -> dict[str, dict[str, str]]:
    """Digest what each judge said of people's items, as text: of scores as of labels."""
    predictions = prepared.predictions
    answers: dict[str, list[object]] = {
        score.name: [None if np.isnan(v) else number_text(v) for v in score.values.tolist()]
        for score in predictions.scores
    }
    for judge in predictions.classifiers:
        rows = zip(judge.probability.tolist(), judge.predicted.tolist(), strict=True)
        answers[judge.name] = [
            _answer(row, predictions.labels, judge.kind) if there else None for row, there in rows
        ]
    index = match_ids(prepared.people.items, predictions.items).tolist()
    items = [str(item) for item in prepared.people.items.tolist()]
    return {
        name: {
            item: _digest(said[k] if k >= 0 else None) for item, k in zip(items, index, strict=True)
        }
        for name, said in answers.items()
    }


def _answer(row: list[float], labels: tuple[str, ...], kind: str) -> object:
    if kind == "hard":
        return labels[row.index(max(row))]
    return [[label, repr(p)] for label, p in zip(labels, row, strict=True) if p]
