"""How many comparisons to buy, from a pilot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headcount import options
from headcount.io.load import take_comparisons
from headcount.pairwise.planning.cautions import tell_apart, tell_beyond, tell_missed
from headcount.pairwise.planning.forecast.comparisons_needed import forecast
from headcount.pairwise.planning.laws import Law, choose_laws
from headcount.pairwise.planning.pilot.accuracy_curve import Sampler
from headcount.pairwise.planning.pilot.benchmark_fits import fit_benchmarks, provenance
from headcount.pairwise.planning.pilot.ratings import Points, Rating, choose_rating
from headcount.pairwise.planning.prepare import MOST_REPEATS, Question, in_order, pilot_sizes
from headcount.pairwise.planning.result import Plan
from headcount.pairwise.planning.voting.crowd import Ambiguity, choose_crowd, matched_model
from headcount.pairwise.planning.voting.vote_cost import vote_cost
from headcount.pairwise.planning.voting.votes_needed import votes_needed
from headcount.results.notes import Notes
from headcount.simulation.labelling_model import LabellingModel, take_model
from headcount.typing import Progress, Seed

__all__ = ["Plan", "plan"]


def plan(
    comparisons: Any,
    *,
    items: int,
    target_f1: float | None = None,
    budget: int | None = None,
    raters_per_item: int | None = None,
    model: LabellingModel | None = None,
    perception_ambiguity: float | None = None,
    comparison_ambiguity: float | None = None,
    threshold_diversity: float | None = None,
    rating: str | Rating = Points.name,
    laws: bool | Sequence[Law] | None = None,
    price: float | None = None,
    repeats: int = 2000,
    level: float = 0.95,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> Plan:
    r"""Say from a pilot how many comparisons label N items well, or how well a budget does.

    One number, with an interval that holds over pilots: what the answers tell of how far items lie
    apart leads to the share of labels that random comparisons make right (see
    :mod:`headcount.pairwise.planning.forecast.comparisons_needed` and
    :mod:`headcount.pairwise.planning.forecast.accuracy`).

    Besides, the two laws of the paper: random
    sets of the pilot's items are labelled by random comparisons of theirs, as above or below
    the median of their ratings. f1 of these labels is found against two benchmarks (see
    :mod:`headcount.pairwise.planning.pilot.benchmarks`): the ratings by the full pilot,
    which is the paper's and too optimistic, since the answers scored are part of it; and ratings
    by answers that were held out, which is too pessimistic, since these err as well. What sets of
    several sizes N need to reach the target leads to two laws, both fitted by least squares of log
    n:

    .. math:: n = a N, \qquad n = a N \ln N

    The paper [1]_ argues for the second; its model follows the first (see docs/studies/pairs.md).

    Parameters
    ----------
    comparisons : Comparisons, or what :func:`headcount.read_comparisons` takes
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
    perception_ambiguity, comparison_ambiguity, threshold_diversity : float, optional
        Of the simulated crowd, in place of the pilot's; see :class:`headcount.LabellingModel`.
    rating : {"points", "bradley-terry"} or Rating
        How comparisons rate items. Points are what an item won beyond half of the points at stake,
        which is what the paper's Elo (k = .15 on a scale of 400) comes down to. Or an object of a
        class of your own (:class:`headcount.pairwise.planning.pilot.ratings.Rating`).
    laws : bool or sequence of Law, optional
        How the number may grow. Default: both of the above; or objects of your own classes
        (:class:`headcount.pairwise.planning.laws.Law`). False leaves them out, which takes less
        time.
    price : float, optional
        Of one comparison, and of one vote.
    repeats : int
        Random sets of each size. The larger, the smaller the Monte Carlo error.
    level : float
        Coverage of intervals. Those of the laws hold what other random sets of the same pilot
        would say, not what another pilot would.
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
    >>> found.needed
    748.1 (669.8 to 914)
    >>> found["full pilot"].laws[0].comparisons
    852 (813.1 to 892.5)
    >>> found["held out"].laws[0].comparisons
    1335 (1229 to 1416)
    """
    question = Question.check(
        items=items, target_f1=target_f1, budget=budget, raters_per_item=raters_per_item,
        level=level,
    )  # fmt: skip
    ambiguity = Ambiguity.check(perception_ambiguity, comparison_ambiguity, threshold_diversity)
    repeats = options.whole(repeats, "repeats", least=1, most=MOST_REPEATS)
    step_done = options.callback(progress)
    model = None if model is None else take_model(model)
    growth = choose_laws(laws)
    how = choose_rating(rating)
    price = None if price is None else options.number(price, "price", least=0)
    of_curves, of_draws, of_votes, of_items = options.seed(rng).spawn(4)

    pilot = in_order(take_comparisons(comparisons))
    notes = Notes(pilot.notes)
    tell_apart(pilot, notes)
    sampler = Sampler(pilot, how, repeats)
    pilot_sizes(len(pilot.items))  # refuses a pilot of too few items
    foreseen = forecast(pilot, of_items)
    fits = (
        fit_benchmarks(sampler, question, growth, (of_curves, of_draws), notes, step_done)
        if growth
        else []
    )
    votes = None
    if question.votes is not None:
        crowd = choose_crowd(pilot, model, ambiguity, notes)
        votes = vote_cost(crowd, question, notes, rng=of_votes)
    voting = None
    if question.target_f1 is not None:
        like = matched_model(pilot, Notes()) if votes is None else votes.model
        voting = votes_needed(question.target_f1, question.items, like, price)
    tell_beyond(sampler.asked, fits, question, notes)
    tell_missed(fits, question, notes)
    return Plan(
        items=question.items,
        target_f1=question.target_f1,
        budget=question.budget,
        needed=None
        if question.target_f1 is None
        else foreseen.needed(question.target_f1, question.items, question.level),
        f1=None
        if question.budget is None
        else foreseen.reached(question.budget, question.items, question.level),
        forecast=foreseen,
        price=price,
        voting=voting,
        benchmarks=tuple(fits),
        votes=votes,
        provenance=provenance(sampler, question, options.seed_number(rng)),
        notes=tuple(notes),
    )
