"""A comparison of agreement in sentences and tables."""

from __future__ import annotations

from headcount.agreement.comparing.records import Comparison, Difference
from headcount.agreement.raters.populations import FIXED
from headcount.errors import percent, probability
from headcount.results.text import Page, Table
from headcount.stats.estimate import Estimate

__all__ = ["page"]


def page(result: Comparison) -> Page:
    """Say which group agrees more, and by how much."""
    level = percent(result.provenance.level or 0)
    groups = _groups(result, level)
    blocks: list[Table | str] = [groups]
    if len(result.differences) > 1:
        blocks.append(_differences(result, level))
    by = f"{result.scale} scale"
    if result.distance is not None:
        by = f"labels compared by {result.distance}"
    foot = f"{by}; intervals {result.holds_for}"
    largest = next(iter(result.differences))
    return Page([_sentence(largest, result)], blocks, [foot])


def _groups(result: Comparison, level: str) -> Table:
    """List the groups; with few raters both intervals, and no ratings, for which is no room."""
    few = any(one.these_raters is not None for one in result.groups)
    head = ["group", "items", "ratings", "raters", result.coefficient.title, f"{level} interval"]
    rows = [
        [
            one.name,
            f"{one.items:,}",
            f"{one.ratings:,}",
            "" if one.raters is None else f"{one.raters:,}",
            one.agreement.show(one.agreement.value),
            one.agreement.interval(),
        ]
        for one in result.groups
    ]
    if few:
        head = [*head[:2], *head[3:], FIXED.words]
        rows = [
            [*row[:2], *row[3:], _beside(one.these_raters)]
            for row, one in zip(rows, result.groups, strict=True)
        ]
    return Table(head, rows)


def _beside(these: Estimate | None) -> str:
    """Write an interval for these raters, where there is one."""
    return "" if these is None else these.interval()


def _sentence(one: Difference, result: Comparison) -> str:
    e = one.difference
    values = {group.name: group.agreement for group in result.groups}
    a, b = (values[name].show(values[name].value) for name in (one.a, one.b))
    by = f"{result.coefficient.title} {a} against {b}, a difference of {e.show(e.value)}"
    way = "higher" if e.value >= 0 else "lower"
    said = f"Agreement is {way} for {one.a} than for {one.b}"
    if e.value == 0:
        said = f"Agreement is the same for {one.a} and for {one.b}"
    if e.low is None or e.high is None or one.p_higher is None:
        return f"{said}: {by}, without an interval."
    if e.low <= 0 <= e.high:
        said = f"It cannot be told whether agreement is higher for {one.a} or for {one.b}"
    interval = f"{percent(e.level or 0)} interval {result.holds_for} {e.interval()}"
    if one.these_raters is not None:
        interval += f", {FIXED.words} {_beside(one.these_raters)}"
    likely = probability(one.p_higher)
    return f"{said}: {by} ({interval}; P(higher for the first) {likely})."


def _differences(result: Comparison, level: str) -> Table:
    return Table(
        ["difference", "value", f"{level} interval", "P(more)"],
        [
            [
                f"{one.a} – {one.b}",
                one.difference.show(one.difference.value),
                one.difference.interval(),
                "" if one.p_higher is None else probability(one.p_higher),
            ]
            for one in result.differences
        ],
        title="differences, the largest first",
    )
