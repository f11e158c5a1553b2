"""A survey equivalence result in words and in a table of at most 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headcount.errors import count
from headcount.stats.estimate import Estimate
from headcount.stats.text import columns, percent, wrap

if TYPE_CHECKING:
    from headcount.equivalence.result import ClassifierResult, SurveyResult

__all__ = ["sentences", "table"]


def sentences(result: SurveyResult) -> list[str]:
    """Answer the question, one sentence and line a classifier; or describe the curve alone."""
    if result.classifiers:
        level = result.provenance.level
        return [_worth(classifier, level) for classifier in result.classifiers]
    last = result.curve[-1]
    unit = f" {result.provenance.unit}" if result.provenance.unit == "bits" else ""
    gain = f"{last.gain.value:.3f}{unit}"
    better = "better" if last.gain.value >= 0 else "worse"
    if (interval := last.gain.interval()) and last.gain.level:
        gain += f" ({percent(last.gain.level)} interval {interval})"
    who = "1 rater predicts" if last.k == 1 else f"{_raters(last.k)} predict"
    return [f"{who} the next rater {better} than no rater does: gain {gain}"]


def _worth(classifier: ClassifierResult, level: float) -> str:
    worth = classifier.equivalence
    interval = ""
    if text := worth.interval(2):
        interval = f", {percent(level)} interval {text}"
    if worth.censored and worth.low == worth.value == worth.high:
        interval = f"; so does the whole {percent(level)} interval"
    limit = worth.bounds or (0, 0)
    if worth.censored == "below":
        return f"{classifier.name} predicts the next rater worse than asking nobody does{interval}"
    if worth.censored == "above":
        return (
            f"{classifier.name} predicts the next rater better than {_raters(int(limit[1]))} do, "
            f"the most these data can show{interval}"
        )
    number = worth.show(worth.value, 2)
    one = "rater does" if number == "1.00" else "raters do"
    return f"{classifier.name} predicts the next rater as well as {number} {one}{interval}"


def table(result: SurveyResult) -> list[str]:
    """Write the power curve and the classifiers as lines of text."""
    p = result.provenance
    head = ["predictor", f"score ({p.unit})", "interval", "gain", "worth in raters"]
    body: list[list[str]] = [
        [
            _raters(point.k),
            point.score.show(point.score.value),
            point.score.interval(),
            point.gain.show(point.gain.value),
            "",
        ]
        for point in result.curve
    ]
    body += [
        [
            classifier.name,
            classifier.score.show(classifier.score.value),
            classifier.score.interval(),
            classifier.gain.show(classifier.gain.value),
            _with_interval(classifier.equivalence),
        ]
        for classifier in result.classifiers
    ]
    if p.bootstrap == 0:
        head, *body = [[row[i] for i in (0, 1, 3, 4)] for row in (head, *body)]
    if not result.classifiers:
        head, body = head[:-1], [row[:-1] for row in body]
    low, median, high = p.ratings_per_item
    each = (
        f"{low} to {high} ratings each (median {median:g})" if low < high else f"{low} ratings each"
    )
    drawn = (
        f"{percent(p.level)} percentile intervals from {p.bootstrap:,} bootstrap draws of items"
        if p.bootstrap
        else "no intervals (bootstrap 0)"
    )
    dropped = f" ({p.items_dropped:,} dropped)" if p.items_dropped else ""
    return [
        *columns(head, body, rule_before=len(result.curve)),
        "",
        wrap(f"{count(p.items_used, 'item')}{dropped}, {each}; labels {', '.join(p.labels)}"),
        wrap(f"combiner {p.combiner}, scorer {p.scorer}, gain over no rater; {drawn}"),
    ]


def _with_interval(estimate: Estimate) -> str:
    text = estimate.show(estimate.value, 2)
    return f"{text} ({interval})" if (interval := estimate.interval(2)) else text


def _raters(k: int) -> str:
    return "no rater" if k == 0 else count(k, "rater")
