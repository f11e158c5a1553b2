"""Answers before any model: which count, in which order, who met whom, and how far they agree."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, count, option, percent, some
from headcount.results.fields import Record
from headcount.results.notes import Note
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import WALD
from headcount.typing import Codes, Flags, Floats, Ids, Ints

__all__ = [
    "together",
    "sort_rows",
    "is_plain",
    "has_exact_sums",
    "in_order",
    "check_unit",
    "unit_weights",
    "COMPARISON",
    "Repeats",
    "repeated_answers",
    "Graph",
    "components",
    "win_graph",
    "graph_sentences",
    "group_sentences",
]


def together(comparisons: Comparisons, cluster: str) -> str:
    """Name the clusters that were not asked for: the first column that was not read, and raters."""
    named = [name for name in cluster.split(",") if name not in ("auto", "none", "")]
    if comparisons.rater is not None and "rater" not in named:
        named.append("rater")
    return ",".join([comparisons.unread[0], *named][:2])


# Comparisons in an order that depends on what they say, not on how their rows came.


def content_order(comparisons: Comparisons) -> Ints:
    """Order rows by their items, outcome, rater and weight: (comparisons,) positions.

    Rows that are equal in all of these are interchangeable, so whatever is drawn for rows in this
    order is the same for every order of the file. O(n log n).

    Examples
    --------
    >>> played = Comparisons.from_columns("bab", "cbc", [1, 1, 0])
    >>> again = played.select(np.array([2, 0, 1]))
    >>> sort_rows(played).outcome.tolist() == sort_rows(again).outcome.tolist()
    True
    """
    pair = comparisons.left * len(comparisons.items) + comparisons.right
    if is_plain(comparisons):
        halves = np.rint(2 * comparisons.outcome).astype(np.int64)
        return np.argsort(pair * 3 + halves, kind="stable")  # one key is faster than two
    keys = [comparisons.outcome, pair]
    keys = keys if comparisons.rater is None else [comparisons.rater, *keys]
    keys = keys if comparisons.weight is None else [comparisons.weight, *keys]
    keys = [*comparisons.controls.values(), *comparisons.clusters.values(), *keys]
    return np.lexsort(keys)


def sort_rows(comparisons: Comparisons) -> Comparisons:
    """Put comparisons in the order of their content."""
    return comparisons.select(content_order(comparisons))


def is_plain(comparisons: Comparisons) -> bool:
    """Say whether a comparison is two items and who won, or a tie, and nothing else."""
    more = comparisons.rater is not None or comparisons.weight is not None
    more = more or bool(comparisons.controls) or bool(comparisons.clusters)
    return not more and has_exact_sums(comparisons)


def has_exact_sums(comparisons: Comparisons) -> bool:
    """Say whether points add up without rounding, and so to the same digits in any order.

    Whole and half points do; weights and shares of other sizes do not.
    """
    halves = 2 * comparisons.outcome
    exact = bool((halves == np.rint(halves)).all())
    weight = comparisons.weight
    return exact and (weight is None or bool((weight == np.rint(weight)).all()))


# Items by name and comparisons by content.


def in_order(comparisons: Comparisons) -> Comparisons:
    """Sort items by name and comparisons by content, so that rows may come in any order.

    O(n log n).

    Examples
    --------
    >>> made = in_order(Comparisons.from_columns("cb", "aa", ["left", "tie"]))
    >>> made.items[made.left], made.outcome
    (array(['b', 'c'], dtype=object), array([0.5, 1. ]))
    """
    names = np.argsort(comparisons.items, kind="stable")
    code = np.empty(len(names), dtype=np.int64)
    code[names] = np.arange(len(names))
    left, right = code[comparisons.left], code[comparisons.right]
    rows = np.lexsort((comparisons.weights, comparisons.outcome, right, left))
    named = replace(comparisons, items=comparisons.items[names], left=left, right=right)
    return named.select(rows)


# What a bootstrap draws: single comparisons, or clusters of them, such as all of a rater.


COMPARISON = "comparison"
"""What a bootstrap draws unless it draws raters, or what a column tells."""


def check_unit(comparisons: Comparisons, unit: str) -> None:
    """Refuse to draw clusters where there are not at least two."""
    if unit == COMPARISON:
        return
    codes = _unit_codes(comparisons, unit)
    if np.all(codes == codes[0]):
        raise DataError(
            f"{comparisons.source}: one {unit} gave all answers, so drawing {unit}s tells nothing. "
            f"Draw comparisons ({option('cluster', 'none')})."
        )


def unit_weights(comparisons: Comparisons, unit: str, rng: np.random.Generator) -> Floats:
    """Draw how often each comparison is in a bootstrap sample: (comparisons,).

    Comparisons that are equal are drawn together, then one by one, so that the order of their rows
    does not matter; clusters have one weight each.
    """
    if unit != COMPARISON:
        codes = _unit_codes(comparisons, unit)
        size = int(codes.max(initial=-1)) + 1
        if unit == "rater" and comparisons.raters is not None:
            size = len(comparisons.raters)
        return rng.poisson(1.0, size).astype(np.float64)[codes]
    same = np.diff(comparisons.left) | np.diff(comparisons.right)
    new = np.append(True, (same != 0) | (np.diff(comparisons.outcome) != 0))
    cell, answers = np.cumsum(new) - 1, comparisons.answers
    size = np.bincount(cell, answers)
    drawn = rng.poisson(size).astype(np.float64)
    if len(size) == len(cell):
        return drawn / answers
    within = rng.spawn(1)[0]
    times = drawn.astype(np.int64)
    start = np.cumsum(size) - size
    at = np.repeat(start, times) + within.random(int(times.sum())) * np.repeat(size, times)
    row = at.astype(np.intp)
    if comparisons.times is not None:
        row = np.searchsorted(np.cumsum(answers), at, side="right")
    return np.bincount(row, minlength=len(cell)) / answers


def _unit_codes(comparisons: Comparisons, unit: str) -> Codes:
    codes = comparisons.rater if unit == "rater" else comparisons.clusters.get(unit)
    if codes is None:
        raise DataError(f"{comparisons.source}: there is no {unit} column to draw {unit}s from.")
    return codes


# Whether answers to the same question agree: pairs that were compared more than once.

LEAST_PAIRS = 10
"""Pairs below which there is no interval."""


@dataclass(frozen=True, kw_only=True)
class Repeats(Record):
    """Agreement of answers to the same pair.

    Parameters
    ----------
    pairs : int
        Pairs of items that were compared more than once.
    answers : int
        Answers to these.
    by_raters : bool
        Whether only answers of different raters are held against each other.
    agreement : Estimate
        Share of two answers to the same pair, drawn at random, that are the same.
    chance : float
        What it would be if answers had nothing to do with the pair, with as many ties.
    kappa : Estimate
        Agreement beyond chance: (agreement - chance) / (1 - chance).
    """

    pairs: int
    answers: int
    by_raters: bool
    agreement: Estimate
    chance: float
    kappa: Estimate

    @property
    def sentence(self) -> str:
        """Say how often answers agree."""
        who = "by two raters or more" if self.by_raters else "more than once"
        message = f"Agreement: {count(self.pairs, 'pair')} of items compared {who}"
        a = self.agreement
        if a.low is None or a.high is None:
            return f"{message}, too few to tell how often answers to the same pair agree"
        return (
            f"{message}; two answers to the same pair agree in {percent(round(a.value, 2))} "
            f"({a.low:.0%} to {a.high:.0%}) of cases, and by chance in "
            f"{percent(round(self.chance, 2))} (kappa {self.kappa.show(self.kappa.value, 2)})"
        )


def repeated_answers(comparisons: Comparisons, *, level: float) -> Repeats | None:
    r"""See how often answers to the same pair agree; None if no pair was compared twice.

    Two answers agree that name the same winner, or are both ties. Where it is known who answered,
    answers of different raters are compared. Each pair counts by its number of answers. By chance,
    with a share t of ties, answers agree in :math:`t^2 + (1 - t)^2 / 2` of cases: which item is
    which says nothing.

    Notes
    -----
    O(n). The interval counts that pairs of items are a sample.

    Examples
    --------
    >>> played = Comparisons.from_columns("abab", "baba", [1, 0, 1, 1], rater="wxyz")
    >>> repeated_answers(played, level=0.95).agreement.value
    0.5
    """
    from headcount.pairwise._kernels import sort_pairs

    if comparisons.rater is not None and (comparisons.rater < 0).any():
        comparisons = comparisons.select(comparisons.rater >= 0)
    _, _, pair, turned = sort_pairs(
        comparisons.left, comparisons.right, False, True, len(comparisons.items)
    )
    share = np.where(turned, 1 - comparisons.outcome, comparisons.outcome)
    answer = np.sign(share - 0.5).astype(np.int64) + 1
    rater, times = comparisons.rater, comparisons.answers
    again = np.flatnonzero((np.bincount(pair, times) > 1)[pair])
    if not len(again):
        return None
    pair, answer = np.unique(pair[again], return_inverse=True)[1].reshape(-1), answer[again]
    rater, times = None if rater is None else rater[again], times[again]
    same, both = _twos(pair, answer, times)
    if rater is not None:
        cell, whose = np.unique(pair * (int(rater.max()) + 1) + rater, return_inverse=True)
        own_same, own_both = _twos(whose.reshape(-1), answer, times)
        owner = cell // (int(rater.max()) + 1)
        same -= np.bincount(owner, own_same, len(same))
        both -= np.bincount(owner, own_both, len(both))
    compared = both > 0
    if not compared.any():
        return None
    weight: Floats = np.bincount(pair, times)[compared].astype(np.float64)
    rate = same[compared] / both[compared]
    ties = float(np.average(answer[compared[pair]] == 1, weights=times[compared[pair]]))
    chance = ties**2 + (1 - ties) ** 2 / 2
    return _estimated(rate, weight, chance, level, by_raters=rater is not None)


def _twos(group: Codes, answer: Codes, times: Floats) -> tuple[Floats, Floats]:
    """Twos of answers of each group that are the same, and all twos."""
    n = int(group.max(initial=-1)) + 1
    counts = np.bincount(group * 3 + answer, times, 3 * n).reshape(n, 3)
    every = counts.sum(axis=1)
    return (counts * (counts - 1) / 2).sum(axis=1), every * (every - 1) / 2


def _estimated(
    rate: Floats, weight: Floats, chance: float, level: float, *, by_raters: bool
) -> Repeats:
    total = float(weight.sum())
    value = float(np.sum(weight * rate)) / total
    pairs = len(rate)
    error = math.nan
    if pairs >= LEAST_PAIRS:
        spread = float(np.sum(weight**2 * (rate - value) ** 2)) * pairs / (pairs - 1)
        error = math.sqrt(spread) / total

    def estimate(center: float, unit: float, least: float) -> Estimate:
        ends = WALD.ends(center, error * unit, level)
        if ends is None:
            return Estimate(center)
        low, high = max(ends.low, least), min(ends.high, 1.0)
        return Estimate(center, low=low, high=high, level=level, method=WALD.name)

    unit = 1 / (1 - chance) if chance < 1 else 0.0
    return Repeats(
        pairs=pairs,
        answers=int(total),
        by_raters=by_raters,
        agreement=estimate(value, 1.0, 0.0),
        chance=chance,
        kappa=estimate((value - chance) * unit, unit, -1.0),
    )


# Who was compared with whom, and whether finite ratings exist at all.

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
        if (graph := win_graph(n_items, *some_pairs)).n_components == 1 and graph.all_finite:
            return graph
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
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    return rank[code], len(order)


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
            short=f"The items form {n_groups:,} groups with no comparison between them.",
            rank=1,
        )
    ]
