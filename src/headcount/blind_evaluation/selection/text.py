"""Items to have labelled, in words and a table."""

from __future__ import annotations

from headcount.blind_evaluation.selection.records import ItemsRecord
from headcount.errors import count, option
from headcount.results.text import Page, Table

__all__ = ["page_of"]


def page_of(result: ItemsRecord) -> Page:
    """Say how many items to have labelled, and how sure the model is of them."""
    p, number = result.provenance, result.number
    lines = [
        f"{count(number, 'item')} to have labelled by a person, drawn from {p.items_used:,} with "
        "known probabilities.",
    ]
    head = ["how sure classifiers are", "items", "to label"]
    body = [
        [f"{band.low:.2f} to {band.high:.2f}", f"{band.items:,}", f"{band.chosen:,}"]
        for band in result.bands
    ]
    known = len(result.items) - number
    and_known = f" The {count(known, 'item')} with a label stand there too." if known else ""
    return Page(
        lines,
        [
            Table(head, body),
            "Fill in the column 'label' of the file that you write them to, and give it as "
            f"{option('gold', ...)}: items then count by the inverse of the column 'probability', "
            f"so that scores stay unbiased.{and_known}",
        ],
        [
            "half of the draws are uniform, half by how unsure classifiers are of an item: the "
            "mean of the consensus and of their votes"
        ],
    )
