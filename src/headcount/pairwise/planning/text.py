"""A plan in words and in tables."""

from __future__ import annotations

import math

from headcount.errors import count, percent
from headcount.pairwise.experiments.methods import BradleyTerryLabels
from headcount.pairwise.planning.money import money, priced
from headcount.pairwise.planning.records import BenchmarkFit, PlanRecord, VoteCost
from headcount.pairwise.planning.tasks.text import kinds_table, tasks_sentence
from headcount.results.text import Page, Table
from headcount.stats.estimate import Estimate

__all__ = ["plan_page", "whole_number"]


def plan_page(plan: PlanRecord) -> Page:
    """Write the answer, what it rests on for each benchmark, and the cost of votes."""
    blocks: list[Table | str] = list(_law_answers(plan))
    for fit in plan.benchmarks:
        blocks += [_sizes(plan, fit), *_laws(fit), *_bought(plan, fit)]
    if plan.votes is not None:
        blocks += _votes(plan, plan.votes)
    if plan.tasks is not None:
        blocks.append(kinds_table(plan.tasks, tasks_sentence(plan.tasks)))
    return Page(_answers(plan), blocks, _foot(plan))


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


def _answers(plan: PlanRecord) -> list[str]:
    """Say the answer: one number with its interval, its price, and what votes would cost."""
    said: list[str] = []
    items = count(plan.items, "item")
    if plan.needed is not None:
        price, votes = "", _voting(plan)
        if plan.cost is not None:
            price = f", which cost {priced(plan.cost)}"
        about = "" if plan.needed.censored else "about "
        ends = f" ({_interval(plan.needed)})" if plan.needed.censored is None else ""
        said.append(
            f"For an f1 of {plan.target_f1:g}, {items} need {about}{_more_than(plan.needed)} "
            f"comparisons{ends}{price}."
        )
        said += [] if votes is None else [votes]
    if plan.f1 is not None:
        said.append(
            f"With {count(plan.budget or 0, 'comparison')}, {items} get an f1 of "
            f"{plan.f1.value:.2f} ({plan.f1.interval(2)})."
        )
    return said


def _voting(plan: PlanRecord) -> str | None:
    """Say what votes would cost."""
    voting = plan.voting
    if voting is None:
        return None
    if voting.votes is None or voting.tasks is None:
        return f"Votes do not get there: the majority of 99 an item has an f1 of {voting.f1:.2f}."
    price = "" if voting.cost is None else f", which cost {money(voting.cost)}"
    return f"By votes it takes a majority of {voting.votes} an item, {voting.tasks:,} votes{price}."


def _law_answers(plan: PlanRecord) -> list[str]:
    """Say the answer under each law, first against the full pilot, then held out."""
    said: list[str] = []
    items = count(plan.items, "item")
    for fit in plan.benchmarks:
        against = f"(benchmark '{fit.name}': {fit.benchmark.errs})"
        if plan.target_f1 is not None:
            needed = [
                f"{_more_than(law.comparisons)}{' comparisons' * (not k)} if "
                f"{'it' if k else 'their number'} grows as {law.name}"
                for k, law in enumerate(fit.laws)
                if law.comparisons is not None
            ]
            said.append(
                f"For an f1 of {plan.target_f1:g}, {items} need {', or '.join(needed)} {against}."
            )
        if plan.budget is not None:
            bought = [
                f"{_f1(law.f1)} if {'it' if k else 'the number needed'} grows as {law.name}"
                for k, law in enumerate(fit.laws)
                if law.f1 is not None
            ]
            said.append(
                f"With {count(plan.budget, 'comparison')}, {items} get an f1 of "
                f"{', or '.join(bought)} {against}."
            )
    if plan.votes is not None and plan.votes.for_target is not None:
        needed = plan.votes.for_target[BradleyTerryLabels.name]
        like = "like the pilot's" if plan.votes.matched else "as given"
        said.append(
            f"In a simulated crowd {like}, where the truth is known, {items} need "
            f"{_more_than(needed)} comparisons for an f1 of {plan.target_f1:g}."
        )
    return said


def _more_than(estimate: Estimate) -> str:
    return whole_number(estimate).replace("> ", "more than ")


def _f1(estimate: Estimate) -> str:
    return estimate.show(estimate.value)


def _sizes(plan: PlanRecord, fit: BenchmarkFit) -> Table:
    """Table of what sets of each size needed."""
    head = ["items"]
    if plan.target_f1 is not None:
        head += ["needed", "interval"]
        head += [f"n/{each.law.divisor}".replace(" ", "") for each in fit.laws]
    body: list[list[str]] = []
    for each in fit.needed:
        row = [str(each.items)]
        if each.comparisons is not None:
            n = each.comparisons.value
            row += [whole_number(each.comparisons), _interval(each.comparisons)]
            row += [
                f"{n / law.law.growth(each.items):.2f}" if math.isfinite(n) else ""
                for law in fit.laws
            ]
        body.append([*row, f"{each.most:,}", _f1(each.f1), each.f1.interval(2)])
    title = f"Benchmark '{fit.name}', {fit.benchmark.errs}: {fit.benchmark.caveat}"
    return Table([*head, "tried", "f1", "single sets"], body, title=title)


def _laws(fit: BenchmarkFit) -> list[Table]:
    """Table of what the laws say of the target, and which of them fits."""
    body = [
        [
            f"n = a {law.name}",
            f"{law.factor:.2f}" if math.isfinite(law.factor) else "none",
            "" if math.isnan(law.spread) else f"{law.spread:.0%}",
            whole_number(law.comparisons),
            _interval(law.comparisons),
        ]
        for law in fit.laws
        if law.comparisons is not None
    ]
    if not body:
        return []
    verdict = ""
    if not all(math.isnan(law.spread) for law in fit.laws) and len(fit.laws) > 1:
        verdict = (
            "The data do not tell which law fits better."
            if fit.fits is None
            else f"The law n = a {fit.fits} fits better."
        )
    return [Table(["law", "a", "spread", "needed", "interval"], body, more=verdict)]


def _bought(plan: PlanRecord, fit: BenchmarkFit) -> list[Table]:
    """Table of what the laws say of the budget."""
    body = [
        [f"n = a {law.name}", _f1(law.f1), law.f1.interval()]
        for law in fit.laws
        if law.f1 is not None
    ]
    return [Table(["law", f"f1 of {plan.budget:,}", "interval"], body)] if body else []


def _votes(plan: PlanRecord, votes: VoteCost) -> list[Table | str]:
    """Compare the cost with majority voting."""
    body = [[f"majority of {votes.votes}", f"{votes.tasks:,}", "", _f1(votes.f1)]]
    reached = [(_f1(votes.f1), votes.comparisons)]
    if votes.for_target is not None:
        reached.append((f"{plan.target_f1:.3f}", votes.for_target))
    for f1, comparisons in reached:
        for method, n in comparisons.items():
            # What was not reached has no f1 to show.
            shown = f1 if n.censored is None else ""
            body.append([f"comparisons, {method}", whole_number(n), _interval(n), shown])
    model = votes.model
    crowd = "a crowd that ties and agrees like the pilot's" if votes.matched else "a crowd as given"
    made = (
        f"Ambiguity in perception {model.perception_ambiguity:.2f} and in comparison "
        f"{model.comparison_ambiguity:.2f}, diversity in threshold "
        f"{model.threshold_diversity:.2f}; {count(votes.runs, 'run')}. Single runs of the "
        f"majority: f1 {votes.f1.interval(2)}."
    )
    return [
        Table(
            ["labels by", "tasks", "interval", "f1"],
            body,
            title=f"Tasks in simulations, where the truth is known: {crowd}",
            more=made,
            words=True,
        )
    ]


def _clumps(plan: PlanRecord) -> str:
    """Say whether the plan counts with clumps of items."""
    clumps = plan.forecast.clumps
    if clumps is None:
        return "no separate clumps of items show in the pilot."
    return (
        f"they fall into two clumps, {clumps.words}, which is counted with; the interval is then "
        "approximate."
    )


def _foot(plan: PlanRecord) -> list[str]:
    p = plan.provenance
    pilot = (
        f"Pilot: {count(p.items_used, 'item')}, "
        f"{count(p.n_ratings or 0, 'comparison')} of {count(p.pairs, 'pair')}. "
        "Labels: above or below the median, half of the items each, so that f1 is also accuracy. "
        f"{percent(p.level or 0)} intervals hold over pilots, as far as this is so: the pilot's "
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
    if not plan.benchmarks:
        return [pilot]
    laws = (
        f"Laws: rated by {p.rating.words}; intervals over {count(p.repeats, 'random set')} of each "
        "size cover what other sets of this pilot would give, not what another pilot would; those "
        "of single sets cover the f1 of one set with all comparisons tried. Spread is that of n / "
        "N, or of n / (N log N), over sizes. Logarithms are natural."
    )
    return [pilot, laws]
