"""What a plan holds, in words, tables and JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headcount.errors import count, percent
from headcount.pairwise.forecast import Forecast
from headcount.pairwise.goals import total_cost
from headcount.pairwise.pilot import LAWS, Growth
from headcount.pairwise.tasks import money, priced
from headcount.results.fields import Record, json_value
from headcount.results.notes import Provenance
from headcount.results.page import Page, Screen
from headcount.results.result import Result
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "Voting",
    "PlanProvenance",
    "Plan",
    "whole_number",
]


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
        Comparisons for the target, of random pairs; the interval holds over pilots.
    f1 : Estimate or None
        That the budget gives, likewise.
    forecast : Forecast
        What both follow from: accuracy by comparisons an item.
    cost : float or None
        Of one comparison, and of one vote.
    voting : Voting or None
        Votes whose majority reaches the target.
    growth : Growth or None
        What the laws say; None unless they were asked for.
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
        return Screen(_answers(self), table, pilot)

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
            f"Plain votes do not reach it: the majority of 99 votes per item has an f1 of "
            f"{voting.f1:.2f}."
        )
    cost = "" if voting.total_cost is None else f", for {money(voting.total_cost)}"
    return f"Plain votes would take {voting.votes} per item ({voting.tasks:,} in all{cost})."


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
    title = "Random sets of the pilot, held against all of it, which is too optimistic"
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
    verdict = ""
    if not all(math.isnan(law.spread) for law in growth.laws):
        verdict = (
            "The data do not tell which law fits better."
            if growth.fits is None
            else f"The law n = a {growth.fits} fits better."
        )
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
        f"they fall into two clumps, {clumps.words}, which is counted with; the interval is then "
        "approximate."
    )


def _foot(plan: Plan) -> list[str]:
    p = plan.provenance
    pilot = (
        f"Pilot: {count(p.items_used, 'item')}, "
        f"{count(p.n_ratings or 0, 'comparison')} of {count(p.pairs, 'pair')}. "
        "Labels: above or below the median, half of the items each, so that f1 is also accuracy. "
        f"{percent(p.level or 0)} intervals are over pilots, if this is so: the pilot's "
        "items are a random sample of those to label; pairs are drawn at random (chosen ones take "
        "fewer); answers are independent, and items are rated by Bradley-Terry. Ratings of all "
        f"items are estimated to have a standard deviation of {plan.forecast.spread:.2f} logits; "
        f"{_clumps(plan)}"
    )
    if plan.voting is not None:
        pilot += (
            " Votes are those of raters who agree like the pilot's and whose thresholds differ as "
            "the paper's (0.5)."
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
