"""A step of placing items, in words."""

from __future__ import annotations

from headcount.errors import count, percent
from headcount.pairwise.anchoring.search.records import AnchoringRecord
from headcount.results.text import ALL, Page, Table

__all__ = ["anchoring_page"]

SHOWN = 30
"""Rows of the table, at most."""


def anchoring_page(found: AnchoringRecord) -> Page:
    """Say whether items have their place, what to ask next, and where the average lies."""
    state, items = found.state, count(len(found.items), "item")
    among = f"among {count(len(state.anchors), 'anchor')}"
    if found.done:
        said = [f"Done: {items} placed {among}, by {count(len(state.answers), 'answer')}."]
    else:
        placed = sum(each.done for each in found.items)
        where = "" if found.file is None else f", in {found.file}"
        said = [
            f"{placed} of {items} placed {among}: {count(len(found.left), 'comparison')} to ask "
            f"next{where}."
        ]
    if found.average is not None and state.answers:
        above = sum(rating > found.average.value for rating in state.rating)
        said.append(
            f"The average of {state.average_of} lies at {found.average.value:.2f} logits "
            f"({found.average.interval(2)}): {above:,} of {len(state.anchors):,} anchors lie above "
            "it."
        )
    head = ["item", "rating", "interval", "rank", "ranks", "n", "placed"]
    body = [
        [
            each.item, f"{each.rating.value:.2f}", each.rating.interval(2),
            f"{each.rank.value:.0f}", each.rank.interval(0), f"{each.answers:,}",
            "yes" if each.done else "no",
        ]
        for each in found.items[:SHOWN]
    ]  # fmt: skip
    rest = len(found.items) - SHOWN
    table = Table(head, body, more=f"and {rest:,} more{ALL}" if rest > 0 else "")
    foot = (
        f"Ratings in logits, on the scale of the anchors, whose average is 0; "
        f"{percent(state.level)} intervals. An item has its place once its interval is no wider "
        f"than {state.width:g} logits, or after {state.most} answers."
    )
    return Page(said, [table], [foot])
