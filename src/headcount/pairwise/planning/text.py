"""A plan in words and in tables of at most 80 columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from headcount.errors import count, percent
from headcount.pairwise.planning.scaling_laws import growth
from headcount.results.text import columns, wrap
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from headcount.pairwise.planning.result import Plan
    from headcount.pairwise.planning.scaling_laws import Benchmark
    from headcount.pairwise.planning.vote_cost import VoteCost

__all__ = ["report", "whole"]

MEANS = {
    "full pilot": "the answers scored are part of it: too kind",
    "held out": "ratings by the other half of the answers, which err too: too strict",
}


def report(plan: Plan) -> str:
    """Write the answer, what it rests on for both benchmarks, and the cost of votes."""
    lines = [wrap(each) for each in _answers(plan)]
    for benchmark in plan.benchmarks:
        lines += ["", wrap(f"against '{benchmark.name}' ({MEANS[benchmark.name]})")]
        lines += [*_sizes(plan, benchmark), *_laws(benchmark), *_bought(plan, benchmark)]
    if plan.votes is not None:
        lines += ["", *_votes(plan, plan.votes)]
    return "\n".join([*lines, "", *_foot(plan)])


def whole(estimate: Estimate) -> str:
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
    """Say the answer under both laws, first against the full pilot, then held out."""
    said: list[str] = []
    for benchmark in plan.benchmarks:
        linear, other = benchmark.laws
        against = f"against '{benchmark.name}'"
        if linear.comparisons is not None and other.comparisons is not None:
            said.append(
                f"{count(plan.items, 'item')}, f1 {plan.target_f1:g}, {against}: "
                f"{whole(linear.comparisons)} comparisons if their number grows as N, "
                f"{whole(other.comparisons)} if it grows as N log N."
            )
        if linear.f1 is not None and other.f1 is not None:
            said.append(
                f"{count(plan.items, 'item')}, {count(plan.budget or 0, 'comparison')}, {against}: "
                f"f1 {_f1(linear.f1)} if the number needed grows as N, {_f1(other.f1)} if it grows "
                "as N log N."
            )
    if plan.votes is not None and plan.votes.for_target is not None:
        needed = plan.votes.for_target["bradley-terry"]
        like = "like the pilot's" if plan.votes.matched else "as given"
        said.append(
            f"{count(plan.items, 'item')}, f1 {plan.target_f1:g}, in a simulated crowd {like}, "
            f"where the truth is known: {whole(needed)} comparisons."
        )
    return said


def _f1(estimate: Estimate) -> str:
    return estimate.show(estimate.value)


def _sizes(plan: Plan, benchmark: Benchmark) -> list[str]:
    """Table of what sets of each size needed."""
    target = plan.target_f1 is not None
    head = ["items"]
    head += ["needed", "interval", "n/N", "n/(NlogN)"] if target else []
    head += ["tried", "f1", "single sets"]
    body: list[list[str]] = []
    for each in benchmark.needed:
        row = [str(each.items)]
        if each.comparisons is not None:
            n = each.comparisons.value
            row += [whole(each.comparisons), _interval(each.comparisons)]
            row += [
                f"{n / growth(law, each.items):.2f}" if math.isfinite(n) else ""
                for law in ("N", "N log N")
            ]
        body.append([*row, f"{each.most:,}", _f1(each.f1), each.f1.interval(2)])
    return columns(head, body)


def _laws(benchmark: Benchmark) -> list[str]:
    """Table of what the laws say of the target, and which of them fits."""
    body = [
        [
            f"n = a {law.name}",
            f"{law.factor:.2f}" if math.isfinite(law.factor) else "none",
            "" if math.isnan(law.spread) else f"{law.spread:.0%}",
            whole(law.comparisons),
            _interval(law.comparisons),
        ]
        for law in benchmark.laws
        if law.comparisons is not None
    ]
    if not body:
        return []
    lines = ["", *columns(["law", "a", "spread", "needed", "interval"], body)]
    if all(math.isnan(law.spread) for law in benchmark.laws):
        return lines
    verdict = (
        "the sets do not tell which law fits"
        if benchmark.fits is None
        else f"n = a {benchmark.fits} fits better"
    )
    return [*lines, verdict]


def _bought(plan: Plan, benchmark: Benchmark) -> list[str]:
    """Table of what the laws say of the budget."""
    body = [
        [f"n = a {law.name}", _f1(law.f1), law.f1.interval()]
        for law in benchmark.laws
        if law.f1 is not None
    ]
    return ["", *columns(["law", f"f1 of {plan.budget:,}", "interval"], body)] if body else []


def _votes(plan: Plan, votes: VoteCost) -> list[str]:
    """Compare the cost with majority voting."""
    body = [[f"majority of {votes.votes}", f"{votes.tasks:,}", "", _f1(votes.f1)]]
    reached = [(_f1(votes.f1), votes.comparisons)]
    if votes.for_target is not None:
        reached.append((f"{plan.target_f1:.3f}", votes.for_target))
    for f1, comparisons in reached:
        for method, n in comparisons.items():
            # What was not reached has no f1 to show.
            shown = f1 if n.censored is None else ""
            body.append([f"comparisons, {method}", whole(n), _interval(n), shown])
    model = votes.model
    crowd = "a crowd that ties and agrees as the pilot's" if votes.matched else "a crowd as given"
    return [
        wrap(f"tasks where the truth is known, simulated: {crowd}"),
        *columns(["labels by", "tasks", "interval", "f1"], body),
        wrap(
            f"ambiguity in perception {model.perception_ambiguity:.2f} and in comparison "
            f"{model.comparison_ambiguity:.2f}, diversity in threshold "
            f"{model.threshold_diversity:.2f}; {count(votes.runs, 'run')}. Single runs of the "
            f"majority: f1 {votes.f1.interval(2)}."
        ),
    ]


def _foot(plan: Plan) -> list[str]:
    rated = "points won" if plan.rating == "points" else "Bradley-Terry"
    return [
        wrap(
            f"Pilot: {count(plan.pilot_items, 'item')}, "
            f"{count(plan.pilot_comparisons, 'comparison')} of {count(plan.pilot_pairs, 'pair')}. "
            "Labels: above or below the median of the set, half of the items each, so that f1 is "
            f"also accuracy; rated by {rated}. {percent(plan.level)} intervals over "
            f"{count(plan.repeats, 'random set')} of each size: they hold what other sets of this "
            "pilot would say, not what another pilot would; those of single sets hold f1 of one "
            "set with all comparisons tried. Spread is that of n / N, or of n / (N log N), over "
            "sizes. Logarithms are natural."
        )
    ]
