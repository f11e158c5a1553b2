"""Who was compared with whom, and whether finite ratings exist at all."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.comparisons import Comparisons
from headcount.errors import count, option, some
from headcount.results.notes import Note
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = ["Graph", "components", "graph_sentences", "group_sentences", "win_graph"]


ENOUGH = 20
"""Pairs an item of which are looked at first where there are many more."""


@dataclass(frozen=True, eq=False)
class Graph:
    """The comparison graph: what holds together, and what runs off to infinity.

    Items are joined where they were compared; what is joined is a component, and ratings mean
    something within a component only. An arrow goes from i to j where i beat or tied j. Finite
    maximum-likelihood ratings of a component exist only if arrows lead from each of its items to
    each other one [1]_. Where they do not, its largest set of items for which they do is its
    core: ratings are finite in it, and infinite relative to it elsewhere.

    Parameters
    ----------
    component : (items,) array of int
        Component of each item; the largest is 0.
    n_components : int
    undefeated : tuple of int
        Positions of items that won all their comparisons, without a tie.
    winless : tuple of int
        Positions of items that lost all their comparisons, without a tie.
    finite : (items,) array of bool
        True in the core. A component in which no two items have arrows both ways, such as
        a beats b beats c, has no core. An item that was never compared is its own.
    direction : (items,) array of int
        1 where the rating grows without bound relative to the core (some chain of wins and ties
        leads to it, and none back), -1 where it falls; 0 in the core, and where the data do not
        say. Without a core, 1 for the undefeated and -1 for the winless.
    compared : (items,) array of bool
        False for items without any comparison; each is a component of its own.

    References
    ----------
    .. [1] Ford (1957), Solution of a ranking problem from binary comparisons, The American
       Mathematical Monthly 64(8).
    """

    component: Codes
    n_components: int
    undefeated: tuple[int, ...]
    winless: tuple[int, ...]
    finite: Flags
    direction: Codes
    compared: Flags

    @property
    def all_finite(self) -> bool:
        """True if every item has a finite rating within its component."""
        return bool(self.finite.all())

    def __repr__(self) -> str:
        return (
            f"Graph: {count(len(self.component), 'item')} in "
            f"{count(self.n_components, 'component')}; {len(self.undefeated):,} undefeated, "
            f"{len(self.winless):,} winless, {int(self.finite.sum()):,} with finite ratings"
        )


def components(comparisons: Comparisons) -> Graph:
    """Find the components of comparisons, and which ratings are finite.

    A tie is an arrow both ways; so is any share of the point between 0 and 1. A comparison with
    weight 0 is none.

    Cost: O(items + comparisons).

    Examples
    --------
    >>> played = Comparisons.from_columns(
    ...     ["a", "b", "c", "a", "x"], ["b", "c", "b", "c", "y"], ["left"] * 5
    ... )
    >>> graph = components(played)
    >>> graph
    Graph: 5 items in 2 components; 2 undefeated, 1 winless, 2 with finite ratings
    >>> graph.component, graph.direction
    (array([0, 0, 0, 1, 1]), array([ 1,  0,  0,  1, -1]))
    """
    share, weight = comparisons.outcome, comparisons.weights
    return win_graph(
        len(comparisons.items),
        comparisons.left,
        comparisons.right,
        weight * share,
        weight * (1 - share),
    )


def win_graph(
    n_items: int,
    first: NDArray[np.integer[Any]],
    second: NDArray[np.integer[Any]],
    first_wins: Floats,
    second_wins: Floats,
) -> Graph:
    """Find components from pairs of items with what each won of the other.

    Parameters
    ----------
    n_items : int
    first, second : (pairs,) arrays of int
        Positions of items. A pair may come several times, and either way round.
    first_wins, second_wins : (pairs,) arrays of float
        Points that `first` took from `second`, and the other way; none means never.
    """
    if len(first) > 2 * ENOUGH * n_items:
        # If some of the pairs connect all items both ways, the others change nothing.
        part = slice(None, None, len(first) // (ENOUGH * n_items))
        some_pairs = (first[part], second[part], first_wins[part], second_wins[part])
        if (found := win_graph(n_items, *some_pairs)).n_components == 1 and found.all_finite:
            return found
    forth, back = first_wins > 0, second_wins > 0
    source = np.concatenate([first[forth], second[back]])
    target = np.concatenate([second[forth], first[back]])
    won, lost = np.bincount(source, minlength=n_items), np.bincount(target, minlength=n_items)
    undefeated, winless = (won > 0) & (lost == 0), (lost > 0) & (won == 0)

    # Sets of items with arrows both ways shrink to a point each: what is left is small.
    strong = _parts(_arrows(n_items, source, target), "strong")
    size = np.bincount(strong)
    # Mostly there is one such set, and nothing between sets.
    between = strong[source] != strong[target] if len(size) > 1 else np.zeros(0, dtype=np.int64)
    arrows = _arrows(len(size), strong[source[between]], strong[target[between]])
    component, n_components = _largest_first(_parts(arrows, "weak")[strong])

    # The core of a component: its largest set, then the busiest, then the first.
    busy = np.bincount(strong, weights=won)
    order = np.lexsort((np.arange(n_items), -busy[strong], -size[strong], component))
    _, first_of = np.unique(component[order], return_index=True)
    head = order[first_of]  # an item of the core of each component
    has_core = (size[strong[head]] > 1) | (np.bincount(component) == 1)
    cores = strong[head[has_core]]
    finite = np.isin(strong, cores)

    above, below = _reached(arrows.T, cores)[strong], _reached(arrows, cores)[strong]
    coreless = ~has_core[component]
    above |= coreless & undefeated
    below |= coreless & winless
    return Graph(
        component=component,
        n_components=n_components,
        undefeated=tuple(np.flatnonzero(undefeated).tolist()),
        winless=tuple(np.flatnonzero(winless).tolist()),
        finite=finite,
        direction=np.where(finite, 0, above.astype(np.int64) - below),
        compared=(won > 0) | (lost > 0),
    )


def _arrows(n: int, source: NDArray[np.integer[Any]], target: NDArray[np.integer[Any]]) -> Any:
    """Sparse matrix of arrows; scipy has no types here, and is slow to import."""
    sparse: Any = import_module("scipy.sparse")
    return sparse.csr_array((np.ones(len(source)), (source, target)), shape=(n, n))


def _parts(arrows: Any, connection: str) -> Codes:
    """Part of each node; strong parts have arrows both ways, weak ones any arrows."""
    search: Any = import_module("scipy.sparse.csgraph")
    _, part = search.connected_components(arrows, directed=True, connection=connection)
    return np.asarray(part, dtype=np.int64)


def _largest_first(part: Codes) -> tuple[Codes, int]:
    """Renumber parts by size, then by their first item."""
    _, first, code = np.unique(part, return_index=True, return_inverse=True)
    order = np.lexsort((first, -np.bincount(code)))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return place[code], len(order)


def _reached(arrows: Any, starts: Codes) -> Flags:
    """Nodes to which arrows lead from any of `starts`, themselves included."""
    search: Any = import_module("scipy.sparse.csgraph")
    # One more node with an arrow to each start makes a single search of all of them.
    n: int = arrows.shape[0]
    source, target = arrows.nonzero()
    wider = _arrows(
        n + 1,
        np.concatenate([source, np.full(len(starts), n)]),
        np.concatenate([target, starts]),
    )
    reached = np.zeros(n + 1, dtype=bool)
    reached[search.breadth_first_order(wider, n, return_predecessors=False)] = True
    return reached[:n]


# --- in words -------------------------------------------------------------------------------------


PRIOR = f"a prior ({option('prior', 1)})"
"""What makes all ratings finite."""


def graph_sentences(graph: Graph, items: Ids, *, remedy: str = PRIOR) -> list[Note]:
    """Say in words what a graph keeps ratings from telling; nothing if all is well.

    Parameters
    ----------
    graph : Graph
    items : array
    remedy : str
        What would make all ratings finite.

    Examples
    --------
    >>> played = Comparisons.from_columns(["a", "b", "c"], ["b", "c", "b"], ["left"] * 3)
    >>> for sentence in graph_sentences(components(played), played.items):
    ...     print(sentence)
    'a' won every comparison, so its rating has no upper bound; a prior (prior=1) gives it one.
    """
    names = np.asarray(items, dtype=object)
    notes = group_sentences(graph)
    never = np.flatnonzero(~graph.compared)
    if len(never):
        notes.append(
            Note(
                f"{count(len(never), 'item')} never compared, so not rated: {some(names[never])}.",
                "caution",
            )
        )
    for sign, did, end in ((1, "won", "upper"), (-1, "lost", "lower")):
        every = np.asarray(graph.undefeated if sign > 0 else graph.winless, dtype=np.int64)
        only = np.setdiff1d(np.flatnonzero(graph.direction == sign), every)
        for these, how in (
            (every, f"{did} every comparison"),
            (only, f"only {did} against the main group of items, directly or through others"),
        ):
            if not len(these):
                continue
            its, it = (
                ("its rating has", "it") if len(these) == 1 else ("their ratings have", "them")
            )
            notes.append(
                Note(
                    f"{some(names[these])} {how}, so {its} no {end} bound; {remedy} gives {it} "
                    "one.",
                    "caution",
                )
            )
    adrift = np.flatnonzero(~graph.finite & (graph.direction == 0))
    if len(adrift):
        what = "its rating is" if len(adrift) == 1 else "their ratings are"
        notes.append(
            Note(
                f"{some(names[adrift])}: no wins and ties lead round to the other items and back, "
                f"so {what} not determined. Ask for more comparisons, or use {remedy}.",
                "caution",
            )
        )
    return notes


def group_sentences(graph: Graph) -> list[Note]:
    """Say that items fall into groups, if they do."""
    n_groups = graph.n_components - int((~graph.compared).sum())
    if n_groups <= 1:
        return []
    sizes = np.bincount(graph.component[graph.compared])  # the largest component is 0
    shown = ", ".join(f"{size:,}" for size in sizes[:5]) + (", ..." if n_groups > 5 else "")
    return [
        Note(
            f"The items fall into {n_groups:,} groups ({shown} items) with no comparison between "
            "them; each is rated apart, and ratings do not compare across groups. Ask for "
            "comparisons between the groups to join them.",
            "caution",
        )
    ]
