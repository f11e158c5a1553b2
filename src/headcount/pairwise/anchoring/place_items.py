"""Place items among rated ones, from answers at hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount import options
from headcount.data.vocabulary import match_ids
from headcount.io.load import take_comparisons
from headcount.pairwise.anchoring.anchors import AnchorSearch, take_reference
from headcount.pairwise.anchoring.prepare import anchored_rows
from headcount.pairwise.anchoring.records import Placed
from headcount.pairwise.anchoring.result import Placement
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.pairwise.planning.prepare import in_order
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance

__all__ = ["Placement", "place_items"]


def place_items(
    answers: Any, reference: BradleyTerry, *, prior: float | None = None, level: float = 0.95
) -> Placement:
    """Place items among those of a reference, which stay where they are.

    Each item by itself, from its comparisons with reference items alone, by the posterior of
    :class:`AnchorSearch`. To use comparisons among the new items too, see
    :func:`headcount.join_populations`.

    Parameters
    ----------
    answers : Comparisons, or what :func:`headcount.read_comparisons` takes
        Of new items with items of the reference, in either order.
    reference : BradleyTerry
    prior, level
        As for :class:`AnchorSearch`.

    Returns
    -------
    Placement

    Notes
    -----
    O(answers x grid).

    Examples
    --------
    >>> from headcount import Comparisons, bradley_terry
    >>> pairs = [("c", "b"), ("b", "a"), ("c", "a"), ("b", "c"), ("a", "b")] * 3
    >>> left, right = zip(*pairs)
    >>> reference = bradley_terry(Comparisons.from_columns(left, right, [1] * 15))
    >>> place_items(Comparisons.from_columns("xxxa", "abcx", [1, 1, 0.5, 0]), reference)
    1 item placed among 3 rated items.
    <BLANKLINE>
    item  rating         interval  rank among 3   ranks  n
    ------------------------------------------------------
    x      0.758  -0.720 to 2.300             1  1 to 4  4
    <BLANKLINE>
    Ratings in logits, on the scale of the reference; 95% intervals; n is the number
    of comparisons with it.
    """
    level = options.level(level)
    reference = take_reference(reference)
    data = in_order(take_comparisons(answers, "answers"))
    notes = Notes(data.notes)
    placed: list[Placed] = []
    for item, rows in anchored_rows(data, reference, notes).items():
        search = AnchorSearch(reference, prior=prior, level=level)
        for row in rows:
            mirrored = data.right[row] == item
            other = data.left[row] if mirrored else data.right[row]
            share = float(data.outcome[row])
            search.answer(
                data.items[other],
                1 - share if mirrored else share,
                weight=float(data.weights[row]),
            )
        name = data.items[[item]].tolist()[0]
        placed.append(Placed(name, search.rating, search.rank, len(rows)))
    placed.sort(key=lambda each: -each.rating.value)
    return Placement(
        items=tuple(placed),
        reference=int(reference.finite.sum()),
        provenance=Provenance(
            source=data.source,
            sources=data.sources,
            dropped=data.dropped,
            items_used=len(placed),
            items_dropped=int(np.sum(match_ids(data.items, reference.items) < 0)) - len(placed),
            n_ratings=sum(each.answers for each in placed),
            n_raters=None if data.raters is None else len(data.raters),
            level=level,
            backend=data.backend,
        ),
        notes=tuple(notes),
    )
