"""Blind evaluation in words and in tables of at most 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headcount.blind_evaluation.methods.catalogue import METHODS
from headcount.errors import count, percent
from headcount.results.text import columns, wrap

if TYPE_CHECKING:
    from headcount.blind_evaluation.result import BlindResult, JudgedClassifier

__all__ = ["report"]

MOST_ROWS = 40
"""Classifiers that are printed; the others are in the frame and the JSON."""
MOST_METHODS = 6
"""Methods that stand beside each other in a table."""
HEADS = {
    "accuracy": "ACC",
    "precision": "PRE",
    "recall": "REC",
    "specificity": "SPE",
    "f1": "F1",
}


def report(result: BlindResult) -> str:
    """Write the result; first of all, that gold contradicts it, if it does."""
    lines: list[str] = []
    if result.contradiction is not None:
        lines += [wrap(result.contradiction), ""]
    lines += [wrap(sentence(result)), "", *ranking(result)]
    names = result.provenance.methods
    informed = [name for name in names if METHODS[name].informed]
    blind = [name for name in names if not METHODS[name].informed]
    for title, some in (("by the votes alone", blind), ("with labels of people", informed)):
        parts = -(-len(some) // MOST_METHODS)
        for part in range(parts):
            size = -(-len(some) // parts)
            lines += ["", *by_method(result, some[part * size : (part + 1) * size], title)]
    lines += ["", *result.diagnostics.text()]
    if result.comparison is not None:
        lines += ["", *result.comparison.text()]
    return "\n".join([*lines, "", *_foot(result)])


def sentence(result: BlindResult) -> str:
    """Say who is best, by what, and under which assumption."""
    metric = result.provenance.metrics[0]
    method = METHODS[result.method]
    by = f"by {method.short} ({method.words}), used because {result.why}"
    first = [c for c in result.classifiers if c.rank == 1]
    if not first:
        return f"{count(len(result.classifiers), 'classifier')} without ranks, {by}"
    best = first[0].estimates[result.method][metric]
    interval = f" ({best.interval()})" if best.low is not None else ""
    score = f"{metric} {best.show(best.value)}{interval}"
    if len(first) == 1:
        return f"{first[0].name} is best: {score} {by}"
    others = count(len(first) - 1, "other")
    return f"{first[0].name} shares the first rank with {others}: {score} {by}"


def ranking(result: BlindResult) -> list[str]:
    """Write all metrics of the method that ranks, with ranks; a * marks those that are shared."""
    p = result.provenance
    head = ["classifier"]
    for metric in p.metrics:
        head += [HEADS[metric], "rank"]
    shared = {
        metric: [c.ranks[result.method][metric] for c in result.classifiers] for metric in p.metrics
    }
    body: list[list[str]] = []
    for c in result.classifiers[:MOST_ROWS]:
        row = [c.name]
        for metric in p.metrics:
            estimate = c.estimates[result.method][metric]
            rank = c.ranks[result.method][metric]
            tie = "*" if shared[metric].count(rank) > 1 else ""
            row.append("" if estimate.undefined else estimate.show(estimate.value))
            row.append("" if rank is None else f"{rank}{tie}")
        body.append(row)
    title = f"{METHODS[result.method].short}: scores and ranks (* shared)"
    return [title, *columns(head, body), *_more(result)]


def by_method(result: BlindResult, names: Sequence[str], title: str) -> list[str]:
    """Write the first metric by several methods, and on gold where there is some."""
    p = result.provenance
    metric = p.metrics[0]
    # Direct evaluation is on gold itself, unless a crowd's labels stand in for it.
    gold = bool(p.gold_items) and ("direct" not in names or bool(p.crowd_items))
    head = ["classifier", *(METHODS[name].short for name in names), *(["gold"] if gold else [])]
    body = [
        [
            c.name,
            *(_value(c, name, metric) for name in names),
            *([_actual(c, metric)] if gold else []),
        ]
        for c in result.classifiers[:MOST_ROWS]
    ]
    first = result.classifiers[0]
    # A method that fails does so for all, and for one reason.
    failed = [
        wrap(f"{METHODS[name].short}: {first.estimates[name][metric].undefined}", "  ")
        for name in names
        if all(c.estimates[name][metric].undefined for c in result.classifiers)
    ]
    return [f"{metric} {title}", *columns(head, body), *_more(result), *failed]


def _value(c: JudgedClassifier, method: str, metric: str) -> str:
    estimate = c.estimates[method][metric]
    return "" if estimate.undefined else estimate.show(estimate.value)


def _actual(c: JudgedClassifier, metric: str) -> str:
    estimate = c.actual.get(metric)
    return "" if estimate is None or estimate.undefined else estimate.show(estimate.value)


def _more(result: BlindResult) -> list[str]:
    rest = len(result.classifiers) - MOST_ROWS
    return [f"and {count(rest, 'more classifier')} (--json lists all)"] if rest > 0 else []


def _foot(result: BlindResult) -> list[str]:
    p = result.provenance
    left = f" ({p.items_unlabelled:,} more without any)" if p.items_unlabelled else ""
    positive = "macro averages" if p.positive is None else f"positive: '{p.positive}'"
    sizes = (
        f"{count(p.items, 'item')}{left}, {p.n_votes:,} labels by "
        f"{count(len(result.classifiers), 'classifier')}; {positive}"
    )
    known = f"; gold for {count(p.gold_items, 'item')}" if p.gold_items else ""
    known += f"; crowd labels for {count(p.crowd_items, 'item')}" if p.crowd_items else ""
    intervals = (
        f"{percent(p.level)} intervals (--json) from {count(p.bootstrap, 'bootstrap draw')}"
        if p.bootstrap
        else f"{percent(p.level)} intervals (--json), normal to first order"
    )
    assume = "those of blind scores hold only if classifiers err independently"
    return [wrap(f"{sizes}{known}. {intervals}; {assume}.")]
