"""A comparison of agreement in sentences and tables."""

from __future__ import annotations

from headcount.agreement.comparing.records import Comparison, Difference
from headcount.errors import percent, probability
from headcount.results.text import Page, Table

__all__ = ["page"]


def page(result: Comparison) -> Page:
    """Say which group agrees more, and by how much."""
    level = percent(result.provenance.level or 0)
    groups = Table(
        ["group", "items", "ratings", "raters", result.coefficient.title, f"{level} interval"],
        [
            [
                one.name,
                f"{one.items:,}",
                f"{one.ratings:,}",
                "" if one.raters is None else f"{one.raters:,}",
                one.agreement.show(one.agreement.value),
                one.agreement.interval(),
            ]
            for one in result.groups
        ],
    )
    blocks: list[Table | str] = [groups]
    if len(result.differences) > 1:
        blocks.append(_differences(result, level))
    foot = f"{result.scale} scale; intervals {result.holds_for}"
    largest = next(iter(result.differences))
    return Page([_sentence(largest, result)], blocks, [foot])


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
