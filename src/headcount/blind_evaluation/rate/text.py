"""The corrected rate in words."""

from __future__ import annotations

from headcount.blind_evaluation.rate.records import RateRecord
from headcount.errors import count, percent
from headcount.results.text import Page, Table

__all__ = ["page_of", "shown"]


def page_of(result: RateRecord) -> Page:
    """Say the rate as people would find it, beside what the judges say."""
    blocks: list[Table | str] = [_table(result)]
    return Page(_headline(result), blocks, [_foot(result)])


def shown(result: RateRecord, value: float | None) -> str:
    """Write a rate in per cent, or a grade."""
    if value is None:
        return ""
    return f"{value:.1%}" if result.provenance.positive is not None else f"{value:.2f}"


def _headline(result: RateRecord) -> list[str]:
    p, rate = result.provenance, result.rate
    interval = f"({shown(result, rate.low)} to {shown(result, rate.high)})"
    judges = "the judge says" if p.n_raters == 1 else f"the {p.n_raters:,} judges say"
    naive = f"{judges} {shown(result, result.naive)}"
    if p.positive is None:
        return [
            f"People would give a mean grade of {shown(result, rate.value)} {interval}; {naive}."
        ]
    return [
        f"People would call {shown(result, rate.value)} {interval} of the items '{p.positive}'; "
        f"{naive}."
    ]


def _table(result: RateRecord) -> Table:
    level = "" if result.provenance.level is None else percent(result.provenance.level)
    head = ["judge", "says", "people would say", f"{level} interval"]
    several = len(result.judges) > 1
    rows = [
        [
            one.name or "",
            shown(result, one.naive),
            shown(result, one.corrected.value),
            f"{shown(result, one.corrected.low)} to {shown(result, one.corrected.high)}",
        ]
        for one in result.judges
    ]
    rate = result.rate
    rows.append(
        [
            "all judges, mean" if several else "judge",
            shown(result, result.naive),
            shown(result, rate.value),
            f"{shown(result, rate.low)} to {shown(result, rate.high)}",
        ]
    )
    rows.append(["people alone", "", shown(result, result.people), ""])
    return Table(head, rows, title="The rate by the judges, and as people would say")


def _foot(result: RateRecord) -> str:
    p = result.provenance
    who = "people who are not named" if p.people is None else count(p.people, "person")
    who = who.replace("persons", "people")
    total = sum(result.variance.values()) or 1.0
    parts = {name: value / total for name, value in result.variance.items()}
    # What raters like these would add cannot be known from one, or from those without names.
    of_raters = f", {parts['raters']:.0%} from who they are" if (p.people or 0) > 1 else ""
    return (
        f"{count(p.items_used, 'item')} by {count(p.n_raters or 0, 'judge')}; "
        f"{count(p.people_ratings, 'rating')} of {count(p.rated, 'item')} by {who}. Of the "
        f"variance {parts['items']:.0%} is from which items people rated{of_raters}. The rated "
        "items must be a random sample of all, or drawn with the probabilities that their file "
        "gives."
    )
