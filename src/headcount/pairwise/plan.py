"""How many comparisons to buy, from a pilot, and what votes would cost instead."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.engine.taking import take_comparisons
from headcount.errors import DataError, Named, OptionError, count, marked, option, percent
from headcount.pairwise.answers import components, in_order
from headcount.pairwise.forecast import Forecast, forecast
from headcount.pairwise.goals import total_cost
from headcount.pairwise.pilot import (
    LAWS,
    MOST_COMPARISONS,
    MOST_ITEMS,
    MOST_REPEATS,
    AccuracyCurve,
    AnswersByPair,
    Growth,
    Sampler,
    fit_laws,
    pilot_sizes,
)
from headcount.pairwise.tasks import money, priced
from headcount.results.fields import Record, json_value
from headcount.results.notes import Notes, Provenance
from headcount.results.result import Page, Result, Screen, command
from headcount.results.tables import Table
from headcount.simulation.labelling import LabellingModel
from headcount.stats.estimate import Estimate
from headcount.typing import Floats, Progress, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "plan",
    "votes_needed",
    "majority_accuracy",
    "agreement_between_raters",
    "matched_model",
    "Voting",
    "PlanProvenance",
    "Plan",
    "whole_number",
]


def plan(
    comparisons: Any,
    *,
    items: int,
    target_f1: float | None = None,
    budget: int | None = None,
    laws: bool = False,
    cost: float | None = None,
    repeats: int = 2000,
    level: float = 0.95,
    seed: Seed = 0,
    progress: Progress | None = None,
) -> Plan:
    r"""Plan from a pilot how many comparisons label N items well, or how well a budget does.

    The answer is one number, with an interval over pilots: the answers show how far apart items
    are, which determines the share of labels that random comparisons get right (see
    :mod:`headcount.pairwise.forecast`).

    With `laws`, the two laws of the paper are fitted as well: random sets of the pilot's items are
    labelled by random comparisons between them, as above or below the median of their ratings. f1
    of these labels is computed against the ratings from the full pilot, which is too optimistic,
    since these include the answers that are scored (see :mod:`headcount.pairwise.pilot`). The
    numbers of comparisons that sets of several sizes N need for the target give two laws, both
    fitted by least squares of log n:

    .. math:: n = a N, \qquad n = a N \ln N

    The paper [1]_ argues for the second; its model follows the first (see docs/studies/pairs.md).

    Parameters
    ----------
    comparisons : Comparisons, or what :func:`headcount.read_comparisons` takes
        The pilot: as many comparisons of a few items as possible, ideally all pairs, twice.
    items : int
        Number of items to label, N.
    target_f1 : float, optional
        The f1 to reach, between .5 (chance) and 1; the plan gives the number of comparisons.
    budget : int, optional
        A number of comparisons; the plan gives the f1 to expect.
    laws : bool
        Whether to fit the two laws as well, which takes some seconds.
    cost : float, optional
        Of one comparison, and of one vote.
    repeats : int
        Number of random sets of each size. With more, the Monte Carlo error is smaller.
    level : float
        Coverage of intervals. Those of the laws are over other random sets of the same pilot, not
        over other pilots.
    seed : int or Generator
        Seed or generator.
    progress : callable, optional
        Called with the number of repeats done and their total.

    Returns
    -------
    Plan

    Notes
    -----
    O(sizes x repeats x pilot): 6 s for a pilot of 1,640 comparisons.

    References
    ----------
    .. [1] Narimanzadeh, Badie-Modiri, Smirnova and Chen (2023), Crowdsourcing subjective
       annotations using pairwise comparisons reduces bias and error compared to the majority-vote
       method, section 5.2 and Appendix A.

    Examples
    --------
    >>> from headcount.simulation.labelling import simulate_comparisons
    >>> crowd = LabellingModel(items=30, comparisons=435)
    >>> pilot, _ = simulate_comparisons(crowd, seed=1)
    >>> found = plan(pilot, items=500, target_f1=0.8, repeats=200, laws=True)
    >>> found.needed
    774.8 (669.9 to 1152)
    >>> found.growth.laws[0].comparisons
    852 (813.1 to 892.5)
    """
    if target_f1 is None and budget is None:
        raise OptionError(
            "nothing to plan for: give the f1 that you want "
            f"({option('target_f1', 0.8)}), the number of comparisons that you can pay for "
            f"({option('budget', 5000)}), or both."
        )
    if target_f1 is not None:  # .5 is chance
        target_f1 = options.number(target_f1, "target_f1", above=0.5, below=1, such_as="0.8")
    if budget is not None:
        budget = options.whole(budget, "budget", least=1, most=MOST_COMPARISONS)
    items = options.whole(items, "items", least=2, most=MOST_ITEMS)
    level = options.level(level)
    repeats = options.whole(repeats, "repeats", least=1, most=MOST_REPEATS)
    laws = options.switch(laws, "laws")
    progress = options.callback(progress)
    cost = None if cost is None else options.number(cost, "cost", least=0)
    of_curves, of_draws, _, of_items = options.seed(seed).spawn(4)

    pilot = in_order(take_comparisons(comparisons))
    notes = Notes(pilot.notes)
    tell_apart(pilot, notes)
    sizes = pilot_sizes(len(pilot.items))
    foreseen, growth, voting = forecast(pilot, of_items), None, None
    if laws:
        curves = Sampler(pilot, repeats).curves(sizes, of_curves.spawn(1)[0], progress)
        check_curves(pilot, sizes, curves, notes)
        draws = of_draws.spawn(1)[0]
        growth = fit_laws(curves, items, target_f1, budget, level, draws)
        tell_of_growth(growth, items, target_f1, notes)
    needed = None if target_f1 is None else foreseen.needed(target_f1, items, level)
    if target_f1 is not None:
        voting = votes_needed(target_f1, items, matched_model(pilot), cost)
    answers = AnswersByPair.of(pilot).answers
    return Plan(
        items=items,
        target_f1=target_f1,
        budget=budget,
        needed=needed,
        f1=None if budget is None else foreseen.reached(budget, items, level),
        forecast=foreseen,
        cost=cost,
        voting=voting,
        growth=growth,
        provenance=PlanProvenance(
            source=pilot.source,
            sources=pilot.sources,
            dropped=pilot.dropped,
            items_used=len(pilot.items),
            n_ratings=len(pilot),
            n_raters=None if pilot.raters is None else len(pilot.raters),
            level=level,
            seed=options.seed_number(seed),
            backend=pilot.backend,
            pairs=len(answers),
            pairs_asked_again=int(np.sum(answers > 1)),
            repeats=repeats,
        ),
        notes=tuple(notes),
    )


# What speaks against a plan, and what to keep in mind.


def tell_apart(pilot: Comparisons, notes: Notes) -> None:
    """Say if nothing tells how items of different groups compare."""
    groups = components(pilot).n_components
    if groups > 1:
        joining = marked(Named("plan pairs.number", "headcount.next_pairs(..., number=200)", "200"))
        notes.warning(
            f"The pilot falls into {groups:,} groups of items with no comparison between them, so "
            "that labels across groups are guesses, and so is this plan. Join them first by the "
            f"pairs that another step chooses: {joining}."
        )


def check_curves(
    pilot: Comparisons, sizes: Sequence[int], curves: Sequence[AccuracyCurve], notes: Notes
) -> None:
    """Refuse a pilot without a curve, and say which sizes have none."""
    if not curves:
        raise DataError(
            f"{pilot.source}: {count(len(pilot), 'comparison')} of "
            f"{count(len(pilot.items), 'item')} are too few to plan from: random sets "
            "of half the items should have more comparisons than items. Compare fewer items "
            "more often."
        )
    left_out = [str(size) for size in sizes if size not in {each.items for each in curves}]
    if left_out:
        notes.caution(
            f"Sets of {', '.join(left_out)} items have too few comparisons and are left out. "
            "Compare more pairs of the same items."
        )


def tell_of_growth(growth: Growth, items: int, target_f1: float | None, notes: Notes) -> None:
    """Say how far the laws reach beyond the pilot, and which sizes missed the target."""
    largest = growth.sizes[-1].items
    if items > largest:
        notes.caution(
            f"{count(items, 'item')} are {items / largest:.3g} times the {largest} of the largest "
            "set: the laws extrapolate far beyond the pilot."
        )
    missed = [each for each in growth.sizes if each.comparisons and each.comparisons.censored]
    if len(missed) == len(growth.sizes):
        best = max(growth.sizes, key=lambda each: each.f1.value)
        notes.warning(
            f"No set of the pilot reached f1 {target_f1:g}: {best.most:,} comparisons of "
            f"{best.items} items gave {best.f1.value:.3f}. Numbers after '>' are what was tried, "
            "not an answer."
        )
    elif missed:
        names = ", ".join(str(each.items) for each in missed)
        notes.caution(
            f"Sets of {names} items did not reach f1 {target_f1:g}; the laws are fitted to the "
            "others."
        )


# How many votes an item label as well as comparisons do.

MOST_VOTES_EACH = 99
"""Votes an item that are looked at."""
POINTS = 401


def votes_needed(target: float, items: int, crowd: LabellingModel, cost: float | None) -> Voting:
    """Find the smallest odd number of votes an item whose majority is right often enough."""
    for votes in range(1, MOST_VOTES_EACH + 1, 2):
        accuracy = majority_accuracy(votes, crowd)
        if accuracy >= target:
            return Voting(votes=votes, tasks=votes * items, f1=accuracy, cost=cost)
    return Voting(votes=None, tasks=None, f1=majority_accuracy(MOST_VOTES_EACH, crowd), cost=cost)


def majority_accuracy(votes: int, crowd: LabellingModel) -> float:
    r"""Share of items that the majority of votes labels right, in the paper's model.

    An item has :math:`\theta \sim N(0, 1)`, and a rater calls it positive with probability
    :math:`q = \Phi(\theta / \sqrt{\sigma_p^2 + \sigma_t^2})`; the majority of an odd number V of
    votes is right with the probability that a binomial number exceeds V / 2.

    Examples
    --------
    >>> round(majority_accuracy(3, LabellingModel()), 3)
    0.859
    """
    special: Any = import_module("scipy.special")
    noise = math.hypot(crowd.perception_ambiguity, crowd.threshold_diversity)
    theta: Floats = special.ndtri((np.arange(POINTS) + 0.5) / POINTS)
    right: Floats = special.ndtr(np.abs(theta) / max(noise, 1e-9))
    majority: Floats = special.betainc((votes + 1) // 2, (votes + 1) // 2, right)
    return float(np.mean(majority))


# A simulated crowd whose raters tie and agree as those of a pilot.

LARGEST = 10.0
"""Ambiguity in perception of raters who agree on nothing: more makes no difference."""


def agreement_between_raters(pilot: Comparisons) -> float:
    r"""Correlation of two answers to the same pair, :math:`E[x_1 x_2] / E[x^2]`.

    An answer x is 1, 0 (a tie) or -1. Which item comes first does not matter. NaN if no pair was
    asked twice. O(n log n).

    Examples
    --------
    >>> twice = Comparisons.from_columns("abab", "baba", ["left", "right", "left", "tie"])
    >>> agreement_between_raters(twice)
    0.6666666666666666
    """
    by_pair = AnswersByPair.of(pilot)
    answer = 2 * pilot.outcome[by_pair.rows] - 1
    answer[(pilot.left > pilot.right)[by_pair.rows]] *= -1
    total, squares = np.bincount(by_pair.pair, answer), np.bincount(by_pair.pair, answer**2)
    # All products of two different answers of a pair: (sum^2 - sum of squares) / 2.
    n_twos = float(np.sum(by_pair.answers * (by_pair.answers - 1.0)) / 2)
    size = float(np.mean(answer**2))
    if n_twos == 0 or size == 0:
        return math.nan
    return float(np.sum(total**2 - squares) / 2) / n_twos / size


def matched_model(pilot: Comparisons) -> LabellingModel:
    r"""Find the ambiguities with which the model's raters tie and agree as those of the pilot.

    Of two random items, a rater perceives a difference :math:`N(0, 2(1 + \sigma_p^2))`, of which
    the part that raters share has variance 2. Ambiguity in comparison follows from the share of
    ties, and ambiguity in perception from :func:`agreement_between_raters`. Without pairs that
    were asked twice, the latter is the paper's. Diversity in thresholds, which comparisons do not
    show, is the paper's.
    """
    default = LabellingModel()
    ties = float((pilot.outcome == 0.5).mean())
    agreement, sd = agreement_between_raters(pilot), default.perception_ambiguity
    if not math.isnan(agreement):
        shared = _shared(ties, agreement)
        sd = min(math.sqrt(1 / shared - 1) if shared > 0 else math.inf, LARGEST)
    cut = NormalDist().inv_cdf((1 + min(ties, 0.99)) / 2) * math.sqrt(2 * (1 + sd**2))
    return replace(default, perception_ambiguity=sd, comparison_ambiguity=cut)


def _shared(ties: float, agreement: float) -> float:
    """Share of the variance of perceived differences that leads to the agreement of answers.

    Given the shared part c, answers are independent with mean m(c), so that the agreement is
    E[m(c)^2] / (1 - ties), which rises with the share. Solved by halving an interval.
    """
    cut = NormalDist().inv_cdf((1 + min(ties, 0.99)) / 2)
    nodes: Any = np.polynomial.hermite_e.hermegauss(64)
    node, weight = (np.asarray(each, dtype=np.float64) for each in nodes)
    low, high = 0.0, 1.0
    for _ in range(40):
        share = (low + high) / 2
        c, own = math.sqrt(share) * node, math.sqrt(1 - share)
        mean = _normal((c - cut) / own) - _normal((-c - cut) / own)
        implied = float(np.sum(weight * mean**2) / np.sum(weight)) / (1 - min(ties, 0.99))
        low, high = (share, high) if implied < agreement else (low, share)
    return (low + high) / 2 if low > 0 else 0.0


def _normal(x: Floats) -> Floats:
    return np.array([NormalDist().cdf(float(each)) for each in x])


# What a plan holds, in words, tables and JSON.


@dataclass(frozen=True, kw_only=True)
class Voting(Record):
    """Votes whose majority labels as well.

    Parameters
    ----------
    votes : int or None
        An item, an odd number; None if 99 are too few.
    tasks : int or None
        Votes in all.
    f1 : float
        Of the majority of that many.
    cost : float or None
        Of one vote.
    """

    votes: int | None
    tasks: int | None
    f1: float
    cost: float | None

    @property
    def total_cost(self) -> float | None:
        """Price of all votes."""
        return None if self.cost is None or self.tasks is None else self.cost * self.tasks

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: every field, and the price."""
        return {**super().to_dict(), "total_cost": self.total_cost}


@dataclass(frozen=True, kw_only=True)
class PlanProvenance(Provenance):
    """How a plan came about.

    Parameters
    ----------
    pairs : int
        Different pairs of the pilot.
    pairs_asked_again : int
        Pairs with two answers or more.
    repeats : int
        Random sets of each size.
    """

    pairs: int
    pairs_asked_again: int
    repeats: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan(Result):
    """How many comparisons a study needs, or what a budget buys.

    Parameters
    ----------
    items : int
        Items to label, N.
    target_f1 : float or None
    budget : int or None
        Comparisons.
    needed : Estimate or None
        Comparisons of random pairs for the target; the interval is over pilots.
    f1 : Estimate or None
        The f1 that the budget gives, with an interval over pilots.
    forecast : Forecast
        The forecast behind both: accuracy by comparisons per item.
    cost : float or None
        Of one comparison, and of one vote.
    voting : Voting or None
        Votes whose majority reaches the target.
    growth : Growth or None
        The fitted laws; None unless `laws` is True.
    provenance : PlanProvenance
        Also the size of the pilot.
    notes : tuple of Note

    Examples
    --------
    >>> from headcount import LabellingModel, plan, simulate_comparisons
    >>> pilot, _ = simulate_comparisons(LabellingModel(items=20, comparisons=190), seed=1)
    >>> found = plan(pilot, items=500, target_f1=0.8, repeats=50)
    >>> found.needed.value > 500
    True
    """

    items: int
    target_f1: float | None
    budget: int | None
    needed: Estimate | None
    f1: Estimate | None
    forecast: Forecast
    cost: float | None
    voting: Voting | None
    growth: Growth | None
    provenance: PlanProvenance

    @property
    def total_cost(self) -> Estimate | None:
        """Price of the comparisons needed, or of the budget."""
        return total_cost(self.needed, self.cost)

    def page(self) -> Page:
        """Say the answer, what votes would cost, and what the laws say if they were asked for."""
        blocks: list[Table | str] = []
        if self.growth is not None:
            blocks = [_sizes(self.growth), *_laws(self.growth), *_bought(self, self.growth)]
        return Page(_answers(self), blocks, _foot(self))

    def screen(self) -> Screen:
        """Say the answer, and what half or twice as many comparisons give."""
        p, middle = self.provenance, self.budget
        if self.needed is not None and math.isfinite(self.needed.value):
            middle = math.ceil(self.needed.value)
        table = None
        if middle is not None:
            body = [
                [f"{n:,}", f"{at.value:.2f}", at.interval(2)]
                for n in dict.fromkeys((max(middle // 2, 1), middle, 2 * middle))
                for at in [self.forecast.reached(n, self.items, p.level or 0.95)]
            ]
            table = Table(["comparisons", "f1", f"{percent(p.level or 0.95)} interval"], body)
        pilot = f"Pilot: {count(p.items_used, 'item')}, {count(p.n_ratings or 0, 'comparison')}"
        goal: dict[str, Any] = {"number": self.budget}
        if self.target_f1 is not None:  # above or below the median, so that f1 is accuracy
            goal = {"until": f"labels {self.target_f1:g}"}
        step = command("next_pairs", p.source, files={"items": "ITEMS.csv"}, **goal)
        return Screen(_answers(self), table, pilot, [f"choose the pairs to compare: {step}"])

    def columns(self) -> dict[str, list[Any]]:
        """Return the accuracy curve: `comparisons` and `f1`, with its ends.

        With laws, the curves of random sets: `benchmark`, `items`, `comparisons` and `f1`.
        """
        each, value, low, high = (x.tolist() for x in self.forecast.curve)
        total = [x * self.items for x in each]
        return {"comparisons": total, "f1": value, "f1_low": low, "f1_high": high}

    def document(self) -> dict[str, Any]:
        """Return what is particular to a plan in its JSON document."""
        p, forecast = self.provenance, self.forecast
        answer = {name: getattr(self, name) for name in ANSWERS}
        answer |= {"spread": forecast.spread, "noise": forecast.noise, "clumps": forecast.clumps}
        answer["growth"] = self.growth
        pilot = {
            "items": p.items_used,
            "comparisons": p.n_ratings,
            "pairs": p.pairs,
            "pairs_asked_again": p.pairs_asked_again,
        }
        return json_value(answer | {"pilot": pilot, "repeats": p.repeats})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw f1 against comparisons (needs matplotlib)."""
        from headcount.pairwise.plot import plot_forecast

        return plot_forecast(self, ax)

    def plot_laws(self) -> Figure:
        """Draw a figure with a panel for each law and benchmark (needs matplotlib)."""
        from headcount.pairwise.plot import plot_laws

        return plot_laws(self)


# A plan in words and in tables.


ANSWERS = (
    "items", "target_f1", "budget", "needed", "f1", "cost", "total_cost", "voting",
)  # fmt: skip
"""What a JSON document says first."""


def whole_number(estimate: Estimate) -> str:
    """Write a number of comparisons, rounded up, as '> n' where it is censored."""
    return _whole(estimate, estimate.value)


def _whole(estimate: Estimate, x: float) -> str:
    if math.isfinite(x):
        return f"{math.ceil(round(x, 6)):,}"
    return f"> {estimate.bounds[1]:,.0f}" if estimate.bounds else "none"


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    if math.isinf(estimate.low) and math.isinf(estimate.high):
        return ""
    return f"{_whole(estimate, estimate.low)} to {_whole(estimate, estimate.high)}"


def _answers(plan: Plan) -> list[str]:
    """Say the answer: one number with its interval, its price, and what votes would cost."""
    sentences: list[str] = []
    items = count(plan.items, "item")
    if plan.needed is not None:
        cost, votes = "", _voting(plan)
        if plan.total_cost is not None:
            cost = f", which cost {priced(plan.total_cost)}"
        about = "" if plan.needed.censored else "about "
        ends = f" ({_interval(plan.needed)})" if plan.needed.censored is None else ""
        sentences.append(
            f"For an f1 of {plan.target_f1:g}, {items} need {about}{_more_than(plan.needed)} "
            f"comparisons{ends}{cost}."
        )
        sentences += [] if votes is None else [votes]
    if plan.f1 is not None:
        sentences.append(
            f"With {count(plan.budget or 0, 'comparison')}, {items} get an f1 of "
            f"{plan.f1.value:.2f} ({plan.f1.interval(2)})."
        )
    return sentences


def _voting(plan: Plan) -> str | None:
    """Say what votes would cost."""
    voting = plan.voting
    if voting is None:
        return None
    if voting.votes is None or voting.tasks is None:
        return (
            "Yes-or-no votes on each item do not reach it: the majority of 99 has an f1 of "
            f"{voting.f1:.2f}."
        )
    cost = "" if voting.total_cost is None else f", which cost {money(voting.total_cost)}"
    return (
        f"Yes-or-no votes on each item instead would take {voting.votes} per item: "
        f"{voting.tasks:,} votes{cost}."
    )


def _more_than(estimate: Estimate) -> str:
    return whole_number(estimate).replace("> ", "more than ")


def _f1(estimate: Estimate) -> str:
    return estimate.show(estimate.value)


def _sizes(growth: Growth) -> Table:
    """Table of what sets of each size needed."""
    wanted = growth.sizes[0].comparisons is not None
    head = ["items"]
    if wanted:
        head += ["needed", "interval", *(f"n/{law.divisor}".replace(" ", "") for law in LAWS)]
    body: list[list[str]] = []
    for each in growth.sizes:
        row = [str(each.items)]
        if each.comparisons is not None:
            n = each.comparisons.value
            row += [whole_number(each.comparisons), _interval(each.comparisons)]
            row += [f"{n / law.growth(each.items):.2f}" if math.isfinite(n) else "" for law in LAWS]
        body.append([*row, f"{each.most:,}", _f1(each.f1), each.f1.interval(2)])
    title = "Random sets of the pilot, compared with all of it"
    return Table([*head, "tried", "f1", "single sets"], body, title=title)


def _laws(growth: Growth) -> list[Table]:
    """Table of what the laws say of the target, and which of them fits."""
    body = [
        [
            f"n = a {law.name}",
            f"{law.factor:.2f}" if math.isfinite(law.factor) else "none",
            "" if math.isnan(law.spread) else f"{law.spread:.0%}",
            whole_number(law.comparisons),
            _interval(law.comparisons),
        ]
        for law in growth.laws
        if law.comparisons is not None
    ]
    if not body:
        return []
    verdict = (
        "Both laws are too optimistic, since they are tested against the same pilot; plan with the "
        "number at the top."
    )
    if not all(math.isnan(law.spread) for law in growth.laws):
        better = (
            "The data do not tell which law fits better."
            if growth.fits is None
            else f"The law n = a {growth.fits} fits better."
        )
        verdict = f"{better} {verdict}"
    return [Table(["law", "a", "spread", "needed", "interval"], body, more=verdict)]


def _bought(plan: Plan, growth: Growth) -> list[Table]:
    """Table of what the laws say of the budget."""
    body = [
        [f"n = a {law.name}", _f1(law.f1), law.f1.interval()]
        for law in growth.laws
        if law.f1 is not None
    ]
    return [Table(["law", f"f1 of {plan.budget:,}", "interval"], body)] if body else []


def _clumps(plan: Plan) -> str:
    """Say whether the plan counts with clumps of items."""
    clumps = plan.forecast.clumps
    if clumps is None:
        return "no separate clumps of items show in the pilot."
    return (
        f"they fall into two clumps, {clumps.words}, which the plan takes into account; its "
        "interval is then approximate."
    )


def _foot(plan: Plan) -> list[str]:
    p = plan.provenance
    pilot = (
        f"Pilot: {count(p.items_used, 'item')}, "
        f"{count(p.n_ratings or 0, 'comparison')} of {count(p.pairs, 'pair')}. "
        "Labels: above or below the median, so that f1 is also accuracy. "
        f"{percent(p.level or 0)} intervals allow for the choice of the pilot, and assume: its "
        "items are a random sample of those to label; pairs are drawn at random (chosen ones take "
        "fewer); answers are independent, and items are rated by Bradley-Terry. Ratings of all "
        f"items are estimated to have a standard deviation of {plan.forecast.spread:.2f} logits; "
        f"{_clumps(plan)}"
    )
    if plan.voting is not None:
        pilot += (
            " Votes are those of raters who agree like the pilot's and whose thresholds have a "
            "standard deviation of 0.5."
        )
    if plan.growth is None:
        return [pilot]
    laws = (
        f"Laws: rated by points won; intervals over {count(p.repeats, 'random set')} of each "
        "size cover what other sets of this pilot would give, not what another pilot would; those "
        "of single sets cover the f1 of one set with all comparisons tried. Spread is that of n / "
        "N, or of n / (N log N), over sizes. Logarithms are natural."
    )
    return [pilot, laws]
