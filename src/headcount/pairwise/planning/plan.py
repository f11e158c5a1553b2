"""How many comparisons to buy, from a pilot."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from headcount import options
from headcount._version import __version__
from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, count, unknown_name
from headcount.pairwise.graph import components
from headcount.pairwise.planning.accuracy_curve import (
    BENCHMARKS,
    RATINGS,
    Asked,
    accuracy_curves,
    pilot_sizes,
)
from headcount.pairwise.planning.result import Plan
from headcount.pairwise.planning.scaling_laws import Benchmark, fit_laws
from headcount.pairwise.planning.vote_cost import vote_cost
from headcount.simulation.labelling import LabellingModel

__all__ = ["Plan", "plan"]


def plan(
    comparisons: Comparisons,
    *,
    items: int,
    target_f1: float | None = None,
    budget: int | None = None,
    raters_per_item: int | None = None,
    model: LabellingModel | None = None,
    rating: str = "points",
    repeats: int = 2000,
    level: float = 0.95,
    rng: int | np.random.Generator = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Plan:
    r"""Say from a pilot how many comparisons label N items well, or how well a budget does.

    Random sets of the pilot's items are labelled by random comparisons of theirs, as above or below
    the median of their ratings. f1 of these labels is found against two benchmarks (see
    :func:`~headcount.pairwise.planning.accuracy_curve.accuracy_curves`): the ratings by the full
    pilot, which is the paper's and too kind, since the answers scored are part of it; and ratings
    by answers that were held out, which is too strict, since these err as well. What sets of
    several sizes N need to reach the target leads to two laws, both fitted by least squares of log
    n:

    .. math:: n = a N, \qquad n = a N \ln N

    The paper [1]_ argues for the second; its model follows the first (see docs/studies/pairs.md).

    Parameters
    ----------
    comparisons : Comparisons
        The pilot: as many comparisons of a few items as can be had, best of all pairs, twice.
    items : int
        Items that are to be labelled, N.
    target_f1 : float, optional
        Say how many comparisons reach it; between .5, which is chance, and 1.
    budget : int, optional
        Say what f1 this many comparisons give.
    raters_per_item : int, optional
        Compare the cost with a majority of this many votes an item, by simulation.
    model : LabellingModel, optional
        The simulated crowd. Default: one whose raters tie and agree as those of the pilot.
    rating : {"points", "bradley-terry"}
        How comparisons rate items. Points are what an item won beyond half of the points at stake,
        which is what the paper's Elo (k = .15 on a scale of 400) comes down to.
    repeats : int
        Random sets of each size. The larger, the smaller the Monte Carlo error.
    level : float
        Coverage of intervals. They hold what other random sets of the same pilot would say, not
        what another pilot would.
    rng : int or Generator
        Seed or generator.
    progress : callable, optional
        Called with the number of repeats done and their total.

    Returns
    -------
    Plan

    Notes
    -----
    O(sizes x repeats x pilot): 6 s for a pilot of 1,640 comparisons, 40 s with Bradley-Terry.

    References
    ----------
    .. [1] Narimanzadeh, Badie-Modiri, Smirnova and Chen (2023), Crowdsourcing subjective
       annotations using pairwise comparisons reduces bias and error compared to the majority-vote
       method, section 5.2 and Appendix A.

    Examples
    --------
    >>> from headcount.simulation.labelling import simulate_comparisons
    >>> crowd = LabellingModel(items=30, comparisons=435)
    >>> pilot, _ = simulate_comparisons(crowd, rng=1)
    >>> found = plan(pilot, items=500, target_f1=0.8, repeats=200)
    >>> found["full pilot"].laws[0].comparisons
    891.1 (842 to 928.8)
    >>> found["held out"].laws[0].comparisons
    1335 (1229 to 1416)
    """
    _check(items, target_f1, budget, raters_per_item, rating, repeats, level)

    of_curves, of_draws, of_votes = options.seed(rng).spawn(3)
    sizes = pilot_sizes(len(comparisons.items))
    done, total = 0, len(BENCHMARKS) * len(sizes) * repeats

    def step() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    notes = [*comparisons.notes, *_apart(comparisons)]
    benchmarks: list[Benchmark] = []
    for name, rows, draws in zip(BENCHMARKS, of_curves.spawn(2), of_draws.spawn(2), strict=True):
        curves = accuracy_curves(
            comparisons, name, sizes=sizes, rating=rating, repeats=repeats, rng=rows, progress=step
        )
        if not curves:
            raise DataError(
                f"{comparisons.source}: {count(len(comparisons), 'comparison')} of "
                f"{count(len(comparisons.items), 'item')} are too few to plan from: random sets "
                "of half the items should have more comparisons than items. Compare fewer items "
                "more often."
            )
        left_out = [str(size) for size in sizes if size not in {each.items for each in curves}]
        if left_out:
            notes.append(
                f"Against the benchmark '{name}' sets of {', '.join(left_out)} items have too few "
                "comparisons and are left out."
            )
        benchmarks.append(
            fit_laws(
                name,
                curves,
                items=items,
                target_f1=target_f1,
                budget=budget,
                level=level,
                rng=draws,
            )
        )
    votes = None
    if raters_per_item is not None:
        votes, more = vote_cost(
            comparisons,
            items=items,
            votes=raters_per_item,
            target_f1=target_f1,
            model=model,
            level=level,
            rng=of_votes,
        )
        notes += more
    asked = Asked.of(comparisons).answers
    return Plan(
        items=items,
        target_f1=target_f1,
        budget=budget,
        benchmarks=tuple(benchmarks),
        votes=votes,
        pilot_items=len(comparisons.items),
        pilot_comparisons=len(comparisons),
        pilot_pairs=len(asked),
        pairs_asked_again=int(np.sum(asked > 1)),
        rating=rating,
        repeats=repeats,
        level=level,
        seed=rng if isinstance(rng, int) else None,
        source=comparisons.source,
        version=__version__,
        read_notes=tuple(dict.fromkeys(notes)),
    )


def _apart(comparisons: Comparisons) -> list[str]:
    """Say if nothing tells how items of different groups compare."""
    groups = components(comparisons).n_components
    if groups == 1:
        return []
    return [
        f"The pilot falls into {groups:,} groups of items with no comparison between them, so that "
        "labels across groups are guesses, and so is this plan. Join them first: --next chooses "
        "such pairs."
    ]


def _check(
    items: int,
    target_f1: float | None,
    budget: int | None,
    raters_per_item: int | None,
    rating: str,
    repeats: int,
    level: float,
) -> None:
    if target_f1 is None and budget is None:
        raise OptionError(
            "nothing to plan for: give the f1 that you want (target_f1, --target-f1 0.8), the "
            "number of comparisons that you can pay for (budget, --budget 5000), or both."
        )
    if items < 2:
        raise OptionError(
            f"items (--items) is the number of items to label, 2 at least, not {items}."
        )
    if target_f1 is not None and not 0.5 < target_f1 < 1:
        raise OptionError(
            f"target_f1 (--target-f1) lies between .5, which is chance, and 1, not {target_f1:g}."
        )
    for name, value in (
        ("budget", budget),
        ("raters_per_item", raters_per_item),
        ("repeats", repeats),
    ):
        if value is not None and value < 1:
            option = name.replace("_", "-")
            raise OptionError(f"{name} (--{option}) is a whole number from 1 on, not {value}.")
    if rating not in RATINGS:
        raise unknown_name("rating", rating, RATINGS)
    if not 0 < level < 1:
        raise OptionError(f"level (--level) is a share between 0 and 1, not {level:g}.")
