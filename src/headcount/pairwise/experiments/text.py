"""An experiment in words: who labels better, and a table of the scores."""

from __future__ import annotations

import numpy as np

from headcount.errors import count, percent
from headcount.pairwise.experiments.records import ExperimentRecord
from headcount.pairwise.experiments.scores import SCORES, defined, standard_error
from headcount.results.text import Page, Table
from headcount.stats.estimate import Estimate

__all__ = ["experiment_page"]


def experiment_page(found: ExperimentRecord) -> Page:
    """Say how methods compare with votes, what they scored, and what scores mean."""
    headline = [_against_votes(found, method) for method in found.compared if found.baseline]
    body: list[list[str]] = []
    for method, place, tasks in found.rows():
        scored = [found.estimate(method, name, place) for name in SCORES]
        body.append([method, f"{tasks:,}", *map(_value, scored)])
        if found.runs > 1:
            # Below: four intervals beside their values would not fit a page.
            body.append(["", "", *(e.interval(2) for e in scored)])
    head = ["method", "tasks", *(name.replace("_", " ") for name in SCORES)]
    foot = (
        "f1 is that of the positive label, f1 negative that of the negative one. Bias is the mean "
        "of predicted less true label over items with the discriminatory feature."
    )
    if found.runs > 1:
        foot = f"Intervals hold {percent(found.level)} of {found.runs:,} runs. {foot}"
    return Page(headline or [_best(found)], [Table(head, body)], [foot])


def _against_votes(found: ExperimentRecord, method: str) -> str:
    """Say which is better, votes or the largest number of comparisons."""
    gap = defined(found.difference(method)[:, -1])
    asked = f"{method}, {count(found.comparisons[-1], 'comparison')}"
    if not len(gap):
        return f"{asked}: f1 is undefined in every run."
    error = standard_error(gap)
    return (
        f"{asked}: f1 is higher than that of {count(found.model.votes_asked, 'vote')} in "
        f"{np.sum(gap > 0):,} of {count(len(gap), 'run')}; mean difference {gap.mean():+.3f}"
        + ("." if error is None else f" (standard error {error:.3f}).")
    )


def _best(found: ExperimentRecord) -> str:
    """Say what the last method reached, where there is nothing to hold it against."""
    method, place, tasks = list(found.rows())[-1]
    return (
        f"{method}, {count(tasks, 'task')}: mean f1 {_value(found.estimate(method, 'f1', place))} "
        f"in {count(found.runs, 'run')}."
    )


def _value(estimate: Estimate) -> str:
    return "undefined" if estimate.undefined else estimate.show(estimate.value)
