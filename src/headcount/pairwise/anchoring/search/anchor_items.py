"""Place items among rated ones step by step: it gives pairs, takes answers, and goes on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any, cast

import numpy as np

from headcount import options
from headcount.data.vocabulary import as_ids
from headcount.errors import DataError, OptionError, option, some
from headcount.io.load import take_comparisons
from headcount.pairwise.anchoring.search.records import SoughtItem
from headcount.pairwise.anchoring.search.result import Anchoring
from headcount.pairwise.anchoring.search.state import AnchoringState
from headcount.pairwise.planning.prepare import in_order
from headcount.pairwise.planning.tasks.posterior import fit_posterior
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_model import POSTERIOR
from headcount.typing import Floats

__all__ = ["Anchoring", "anchor_items"]


def anchor_items(
    anchors: Any = None,
    *,
    items: Any = None,
    average_of: Any = None,
    place: int = 5,
    state: Any = None,
    answers: Any = None,
    number: int | None = None,
    width: float = 2.0,
    most: int = 30,
    level: float = 0.95,
) -> Anchoring:
    r"""Place items among rated ones, step by step.

    The paper [1]_ compares one population of items with another by placing the items of the one
    that are nearest to its average among the sorted items of the other, the anchors. Each is
    placed by :class:`headcount.AnchorSearch`, a binary search that allows for wrong answers.

    The first step takes anchors and items, and gives the pairs to ask and a state. Each further
    step takes the state and answers, and gives the next pairs, until all items have their place.

    Parameters
    ----------
    anchors : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        Of the items to place others among. First step only.
    items : iterable, optional
        Items to place. First step only.
    average_of : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        Of another population: those of its items are placed that lie nearest to its average. In
        place of `items`.
    place : int
        How many of these.
    state : AnchoringState, mapping or path, optional
        What the step before returned as `state`.
    answers : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        To the pairs of the steps before: all of them, or the new ones only. What was counted
        before is not counted again. A tuple holds several.
    number : int, optional
        Pairs to ask in one step, shared out among the items that are not placed yet. Default: one
        an item.
    width, most, level
        When an item has its place, as for :class:`headcount.AnchorSearch`. First step only.

    Returns
    -------
    Anchoring

    Notes
    -----
    Anchors are rated by Bradley-Terry with a normal prior whose width the comparisons tell, so that
    all have a finite rating. The average is the mean of the items placed; its interval counts how
    well each of them is placed. O(answers x grid) a step.

    References
    ----------
    .. [1] Narimanzadeh and others (2023), Crowdsourcing subjective annotations using pairwise
       comparisons reduces bias and error compared to the majority-vote method, Appendix A.

    Examples
    --------
    >>> from headcount import Comparisons
    >>> rated = Comparisons.from_columns("cbcba" * 3, "baacb" * 3, [1] * 15)
    >>> first = anchor_items(rated, items=["x"])
    >>> list(zip(first.left, first.right))
    [('x', 'b')]
    >>> then = anchor_items(state=first.state, answers=Comparisons.from_columns("x", "b", [1]))
    >>> list(zip(then.left, then.right)), then.items[0].answers
    ([('x', 'c')], 1)
    """
    notes = Notes()
    number = None if number is None else options.whole(number, "number", least=1)
    if state is None:
        known = _start(anchors, items, average_of, place, width, most, level, notes)
    elif anchors is not None or items is not None or average_of is not None:
        raise OptionError(
            f"{option('state')} holds the anchors and the items: leave out the others, or leave it "
            "out to start again."
        )
    else:
        known = AnchoringState.read(state)
    several = isinstance(answers, tuple)
    for each in cast("Sequence[Any]", answers) if several else [answers]:
        if each is not None:
            read = in_order(take_comparisons(each, "answers"))
            notes.extend(read.notes)
            known = known.with_answers(read, notes)
    return _step(known, number, notes)


def _start(
    anchors: Any,
    items: Any,
    average_of: Any,
    place: Any,
    width: Any,
    most: Any,
    level: Any,
    notes: Notes,
) -> AnchoringState:
    """Rate the anchors, and find the items to place."""
    if anchors is None:
        raise OptionError(
            f"give comparisons of the items to place others among ({option('anchors', '...')}), or "
            f"the state of an earlier step ({option('state', '...')})."
        )
    if (items is None) == (average_of is None):
        raise OptionError(
            f"give either items to place ({option('items', '...')}), or comparisons of another "
            f"population whose average is to be placed ({option('average_of', '...')})."
        )
    rated = in_order(take_comparisons(anchors, "anchors"))
    notes.extend(rated.notes)
    of_anchors = fit_posterior(rated, len(rated.items))
    names = [str(name) for name in rated.items]
    if average_of is None:
        sought = list(dict.fromkeys(str(x) for x in options.listed(items, "items", "items")))
        source = None
    else:
        other = in_order(take_comparisons(average_of, "average_of"))
        notes.extend(other.notes)
        fit = fit_posterior(other, len(other.items))
        nearest = np.argsort(np.abs(fit.rating), kind="stable")
        nearest = nearest[: options.whole(place, "place", least=1)]
        sought, source = [str(name) for name in other.items[np.sort(nearest)]], other.source
    both = [name for name in sought if name in set(names)]
    if both or not sought:
        raise DataError(
            f"{some(both)} among the anchors already. Items in both sets join them by themselves: "
            "put all comparisons into one file and rate them together."
            if both
            else "there are no items to place."
        )
    return AnchoringState(
        anchors=tuple(names),
        rating=tuple(of_anchors.rating.tolist()),
        standard_error=tuple(of_anchors.sd.tolist()),
        items=tuple(sought),
        average_of=source,
        width=options.number(width, "width", above=0, such_as="2"),
        most=options.whole(most, "most", least=1),
        level=options.level(level),
    )


def _step(state: AnchoringState, number: int | None, notes: Notes) -> Anchoring:
    """Place items as far as answers tell, and choose the next pairs."""
    searches = {item: state.search(item) for item in state.items}
    found = [
        SoughtItem(item=item, rating=search.rating, rank=search.rank, answers=n, done=search.done)
        for item, (search, n) in searches.items()
    ]
    waiting = [each.item for each in found if not each.done]
    shares = _shares(number or len(waiting), waiting)
    pairs = [
        (item, str(anchor))
        for item in waiting
        for anchor in searches[item][0].next_anchors(shares[item])
    ]
    average = _average(state, found)
    return Anchoring(
        items=tuple(sorted(found, key=lambda each: -each.rating.value)),
        left=as_ids([item for item, _ in pairs]),
        right=as_ids([anchor for _, anchor in pairs]),
        average=average,
        probability=None if average is None else _above(state, average),
        state=state,
        provenance=Provenance(
            source=state.average_of or "items",
            items_used=len(found),
            n_ratings=len(state.answers),
            level=state.level,
        ),
        notes=tuple(notes),
    )


def _shares(number: int, waiting: list[str]) -> dict[str, int]:
    """Share a number of pairs out among the items that wait."""
    if not waiting:
        return {}
    whole, rest = divmod(number, len(waiting))
    return {item: whole + (k < rest) for k, item in enumerate(waiting)}


def _average(state: AnchoringState, found: Sequence[SoughtItem]) -> Estimate | None:
    """Mean of the items that were placed, if they stand for a population."""
    if state.average_of is None:
        return None
    z = NormalDist().inv_cdf((1 + state.level) / 2)
    value = float(np.mean([each.rating.value for each in found]))
    errors = [((each.rating.high or 0) - (each.rating.low or 0)) / (2 * z) for each in found]
    error = math.sqrt(sum(x**2 for x in errors)) / len(found)
    return Estimate(
        value, value - z * error, value + z * error, level=state.level, method=POSTERIOR.name
    )


def _above(state: AnchoringState, average: Estimate) -> Floats:
    """Probability that each anchor lies above the average."""
    z = NormalDist().inv_cdf((1 + state.level) / 2)
    error = ((average.high or 0) - (average.low or 0)) / (2 * z)
    gaps = np.array(state.rating) - average.value
    sd = np.hypot(np.array(state.standard_error), error)
    return np.array([NormalDist().cdf(float(x)) for x in gaps / sd])
