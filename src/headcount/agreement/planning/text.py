"""A plan of ratings in sentences and tables."""

from __future__ import annotations

from headcount.agreement.planning.designs import CROWD, RATERS
from headcount.agreement.planning.records import Design, PlanRecord
from headcount.errors import count, percent
from headcount.results.text import Page, Table

__all__ = ["page"]

SPENT = {"more items": "its raters", "more raters": "its items"}
"""What stays of the pilot: the same money need not buy more than the pilot had."""
MOST_ROWS = 8
"""Designs that are printed; all are in the frame and the JSON."""


def page(plan: PlanRecord) -> Page:
    """Say how many raters should rate how many items, and what else the money buys."""
    if plan.best is None:
        return Page([_never(plan)], [], _foot(plan))
    blocks: list[Table | str] = [_designs(plan)]
    if plan.too_few is not None:
        blocks.append(
            f"With {count(plan.too_few, 'rater')} or fewer no number of items is enough: raters "
            "differ too much from each other."
        )
    if plan.otherwise:
        blocks.append(_otherwise(plan))
    answer = [_answer(plan, plan.best), *([_safe(plan)] if plan.few_raters else [])]
    return Page(answer, blocks, _foot(plan))


def _title(plan: PlanRecord) -> str:
    return f"{plan.coefficient.title} ({plan.distance or plan.scale})"


def _buy(plan: PlanRecord, one: Design) -> str:
    """Say what a design has whom do."""
    costs = "" if one.cost is None else f", for {one.cost:,.2f}"
    items = count(one.items, "item")
    buy = f"have {one.raters:,} raters rate {items} each"
    if plan.each is not None:
        buy = f"have {items} rated {one.each} times each, by {one.raters:,} raters in all"
    return f"{buy} ({one.ratings:,} ratings{costs})"


def _answer(plan: PlanRecord, best: Design) -> str:
    if plan.target.half_width is not None:
        what = f"To know {_title(plan)} to within {_short(plan.target.half_width)}"
    else:
        low = _short(plan.target.at_least or 0.0)
        what = f"To show that {_title(plan)} is at least {low}, if it is {_value(plan)} "
        what += "as in the pilot"
    return f"{what}, {_buy(plan, best)}."


def _safe(plan: PlanRecord) -> str:
    """Say what to buy in case raters differ more than the few of the pilot show."""
    raters = count(plan.provenance.n_raters or 0, "rater")
    few = f"The pilot's {raters} show little of how much others differ"
    if plan.safe is None:
        return (
            f"{few}: it may take more than {_most(plan)} raters. Have more of them rate the items "
            "of the pilot, and plan again."
        )
    return f"{few}: to have enough four times in five, {_buy(plan, plan.safe)}."


def _never(plan: PlanRecord) -> str:
    least = plan.target.at_least
    if least is not None and plan.pilot.value <= least:
        return (
            f"{_title(plan)} is {_value(plan)} in the pilot, not above {_short(least)}: more "
            "ratings of this kind would not show that it is. Better instructions or raters might."
        )
    return (
        f"No plan of up to {_most(plan)} raters and a million items is enough: raters differ too "
        "much from each other. Ask for less, or train raters to agree."
    )


def _most(plan: PlanRecord) -> str:
    """Write how many raters were tried."""
    return f"{(RATERS if plan.each is None else CROWD)[-1]:,}"


def _designs(plan: PlanRecord) -> Table:
    """List designs around the one with the fewest ratings."""
    listed = list(plan.designs)
    at = listed.index(plan.best) if plan.best is not None else 0
    first = max(min(at - MOST_ROWS // 2, len(listed) - MOST_ROWS), 0)
    return _table(plan, listed[first : first + MOST_ROWS], "raters and the items it takes")


def _otherwise(plan: PlanRecord) -> Table:
    title = "the same money, with the raters or the items of the pilot"
    return _table(plan, list(plan.otherwise), title, named=True)


def _table(plan: PlanRecord, designs: list[Design], title: str, *, named: bool = False) -> Table:
    level = percent(plan.provenance.level or 0)
    priced = plan.price is not None
    head = ["raters", "items", "ratings", *(["cost"] if priced else []), f"{level} interval", "+-"]
    rows = [
        [
            f"{one.raters:,}",
            f"{one.items:,}",
            f"{one.ratings:,}",
            *([f"{one.cost or 0:,.2f}"] if priced else []),
            one.expected.interval(2),
            f"{one.half_width:.3f}",
        ]
        for one in designs
    ]
    if named:
        head = ["", *head]
        rows = [[SPENT[one.kind], *row] for one, row in zip(designs, rows, strict=True)]
    return Table(head, rows, title=title)


def _foot(plan: PlanRecord) -> list[str]:
    p, e = plan.provenance, plan.pilot
    by = "" if p.n_raters is None else f" by {count(p.n_raters, 'rater')}"
    level = percent(p.level or 0)
    how = "every rater rates every item"
    if plan.each is not None:
        how = f"items have {plan.each} ratings as in the pilot, spread evenly over the raters"
    return [
        f"pilot: {count(p.items_used, 'item')}{by}; {_title(plan)} {_value(plan)}, {level} "
        f"interval {plan.holds_for} {e.interval(2)}",
        f"intervals are those to expect {plan.holds_for}, if {how}",
    ]


def _value(plan: PlanRecord) -> str:
    return plan.pilot.show(plan.pilot.value)


def _short(x: float) -> str:
    return f"{x:g}"
