"""The groups whose agreement is compared: two files, strata of items, or two sets of pairs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.agreement.coefficients.base import Coefficient
from headcount.agreement.coefficients.conger import Conger, CongerQuadratic
from headcount.agreement.comparing.part import Part
from headcount.agreement.comparing.records import GroupAgreement
from headcount.agreement.prepare import Prepared, prepare
from headcount.agreement.raters.interval import Crossed, crossed_variance
from headcount.agreement.raters.panel import Panel
from headcount.agreement.scales.kinds import ScaleKind
from headcount.agreement.scales.metric import Metric
from headcount.data.labels import Labels
from headcount.data.scale import Scale
from headcount.data.vocabulary import as_ids, as_labels, find_labels, match_ids
from headcount.errors import DataError, OptionError, count, option, some
from headcount.results.notes import Notes
from headcount.stats.estimate import Estimate
from headcount.typing import Flags

__all__ = ["Group", "against_raters", "by_stratum", "two_files"]

MOST_STRATA = 12
"""Strata that are compared, at most."""


@dataclass(frozen=True, eq=False)
class Group:
    """A group, before it is compared; `rows` are the ratings that its pairs are made of."""

    name: str
    data: Prepared
    part: Part
    rows: Labels

    def record(
        self, one: Coefficient, level: float, *, crossed: bool, few: bool = False
    ) -> GroupAgreement:
        """Write it down with its interval; with few raters, that for these raters beside it."""
        influence, panel, items = self.part.influence, self.part.panel, self.data.items_used
        variance = crossed_variance(influence, panel, items)
        estimate, these = Estimate(influence.value), None
        if variance.total > 0:
            found = Crossed(
                value=influence.value,
                variance=variance,
                influence=influence,
                effective=panel.effective,
                scale=one.fisher(self.data),
                items=items,
            )
            estimate = found.estimate(level, crossed=crossed)
            these = found.estimate(level, crossed=False) if few else None
        return GroupAgreement(
            name=self.name,
            items=int((np.bincount(self.rows.item) > 1).sum()),
            ratings=len(self.rows),
            raters=None if panel.anonymous else panel.raters,
            agreement=estimate,
            these_raters=these,
        )


def _group(name: str, labels: Labels, one: Coefficient, scale: ScaleKind) -> Group:
    """Measure a coefficient in a group, or refuse a group that has none."""
    data = prepare(labels, scale)
    why = data.no_pair or one.undefined(data)
    influence = None if why else one.influence(data)
    if influence is None:
        reason = why or f"{one.title} is of no use here; choose another {option('coefficient')}"
        raise DataError(f"{name}: agreement cannot be measured: {reason}.")
    return Group(name, data, Part(data.labels, influence, data.panel), data.labels)


def two_files(
    labels: Labels, other: Labels, one: Coefficient, metric: Metric, notes: Notes
) -> list[Group]:
    """Make a group of each set of ratings, on the labels of both together."""
    joint = _joint(labels.scale, other.scale)
    places = [find_labels(one.scale.labels, joint.labels)[one.label] for one in (labels, other)]
    # All ratings together, so that both are on one scale.
    together = replace(labels, scale=joint, label=np.concatenate(places))
    joined, kind = metric.apply(together, notes)
    both = (
        replace(joined, label=joined.label[: len(labels)]),
        replace(other, scale=joined.scale, label=joined.label[len(labels) :]),
    )
    kind = prepare(both[0], kind).scale
    first, second = labels.source, other.source
    if first == second:
        first, second = f"{first} (1)", f"{second} (2)"
    return [_group(name, each, one, kind) for name, each in zip((first, second), both, strict=True)]


def _joint(one: Scale, other: Scale) -> Scale:
    """Join two scales; an order that one of them has of all labels stays."""
    for each, rest in ((one, other), (other, one)):
        if not (find_labels(rest.labels, each.labels) < 0).any():
            return Scale(each.labels, one.kind)
    return Scale(as_labels([*one.labels, *other.labels])[0], one.kind)


def by_stratum(
    labels: Labels, by: Mapping[Any, Any], one: Coefficient, metric: Metric, notes: Notes
) -> list[Group]:
    """Make a group of the items of each stratum."""
    code = match_ids(as_ids([str(item) for item in by]), labels.items)
    stratum = np.full(len(labels.items), -1)
    names = sorted({str(value) for value in by.values()})
    place = {name: row for row, name in enumerate(names)}
    values = np.array([place[str(value)] for value in by.values()])
    stratum[code[code >= 0]] = values[code >= 0]
    if (lost := int((stratum < 0).sum())) > 0:
        notes.info(f"{count(lost, 'item')} without a stratum left out.")
    if not 2 <= len(names) <= MOST_STRATA:
        raise OptionError(
            f"{option('by')} must have 2 to {MOST_STRATA} different values, not {len(names)}: "
            f"{some(names)}."
        )
    labels, scale = metric.apply(labels, notes)
    kind = prepare(labels, scale).scale
    return [
        _group(name, _rows(labels, (stratum == row)[labels.item]), one, kind)
        for name, row in place.items()
    ]


def against_raters(
    labels: Labels, against: Collection[object], metric: Metric, notes: Notes
) -> tuple[list[Group], Coefficient]:
    """Make two groups of pairs: of the given raters with the others, and of the others."""
    labels.check_raters("comparing raters with the others")
    wanted = [str(one) for one in ([against] if isinstance(against, str) else against)]
    code = match_ids(as_ids(wanted), labels.raters)
    if (code < 0).any() or not len(code):
        unknown = [name for name, row in zip(wanted, code.tolist(), strict=True) if row < 0]
        raise OptionError(
            f"{option('against')}: no rater is called {some(unknown)}; raters are "
            f"{some([str(one) for one in labels.raters.tolist()], 8)}."
        )
    data = prepare(*metric.apply(labels, notes))
    one: Conger = CongerQuadratic() if data.scale.ordered else Conger()
    if (why := data.no_pair or one.undefined(data)) is not None:
        raise DataError(f"{labels.source}: agreement cannot be measured: {why}.")
    chosen = np.isin(np.arange(len(labels.raters)), code)
    table = data.rater_pairs
    a, b = chosen[table.a], chosen[table.b]
    groups: list[Group] = []
    names = (f"{some(wanted, 3)} with the others".replace("'", ""), "the others with each other")
    for name, pairs in zip(names, (a != b, ~a & ~b), strict=True):
        if not table.shared[pairs].sum():
            raise DataError(f"{labels.source}: {name} share no item.")
        found = one.influence_of(data, pairs)
        # The given raters stay as they are: only the others are a sample.
        without = np.where(chosen, np.nan, found.without)
        part = Part(data.labels, replace(found, without=without), _panel(data, chosen))
        taking_part = np.unique(np.concatenate([table.a[pairs], table.b[pairs]]))
        rows = _rows(data.labels, np.isin(data.labels.rater, taking_part))
        groups.append(Group(name, data, part, rows))
    return groups, one


def _panel(data: Prepared, chosen: Flags) -> Panel:
    """Keep the others, who are a sample."""
    panel = data.panel
    return Panel(
        np.where(chosen, 0.0, panel.paired), np.where(chosen, 0.0, panel.in_pairs), panel.anonymous
    )


def _rows(labels: Labels, kept: Flags) -> Labels:
    return replace(
        labels, item=labels.item[kept], rater=labels.rater[kept], label=labels.label[kept]
    )
