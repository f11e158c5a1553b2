"""A survey equivalence result in words and in tables of at most 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headcount.errors import count, percent
from headcount.results.text import columns, wrap
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from headcount.equivalence.alt_test.result import AltTest
    from headcount.equivalence.ceiling.available import Available
    from headcount.equivalence.result import ClassifierResult, CurvePoint, SurveyResult

__all__ = ["sentences", "table"]

MOST_COMPARISONS = 6
"""Comparisons that are printed; more are left to the frame and the JSON."""


def sentences(result: SurveyResult) -> list[str]:
    """Answer the question, one sentence and line a classifier; or describe the curve alone."""
    p = result.provenance
    target = "the known state" if p.reference == "the known state" else _next(result)
    lines = [_worth(classifier, result, target) for classifier in result.classifiers]
    if result.amateurs:
        lines.append(_amateurs(result))
    if lines:
        return lines
    last = result.curve[-1]
    unit = f" {p.unit}" if p.unit == "bits" else ""
    if p.scorer == "cross-entropy" and p.combiner == "abc":
        unit += f" of information about {target}"
    gain = f"{last.gain.value:.3f}{unit}"
    if (interval := last.gain.interval()) and last.gain.level:
        gain += f" ({percent(last.gain.level)} interval {interval})"
    who = _raters(last.k, _who(result))
    predict = "predicts" if last.k == 1 else "predict"
    than = "better than" if last.gain.value > 0 else "no better than"
    return [f"{who} {predict} {target} {than} no rater does: gain {gain}"]


def _worth(classifier: ClassifierResult, result: SurveyResult, target: str) -> str:
    worth, who = classifier.equivalence, _who(result)
    level = percent(result.provenance.level)
    interval = f", {level} interval {text}" if (text := worth.interval(2)) else ""
    if worth.censored and worth.low == worth.value == worth.high:
        interval = f"; so does the whole {level} interval"
    start = f"{classifier.name} predicts {target}"
    if worth.censored == "below":
        return f"{start} worse than asking nobody does{interval}"
    if worth.censored == "above":
        most = result.provenance.max_k
        do = "does" if most == 1 else "do"
        return (
            f"{start} better than {_raters(most, who)} {do}, the most these data can show{interval}"
        )
    number = worth.show(worth.value, 2)
    do = f"{who} does" if number == "1.00" else f"{who}s do"
    return f"{start} as well as {number} {do}{interval}"


def _amateurs(result: SurveyResult) -> str:
    last = result.amateurs[-1]
    worth = last.equivalence or Estimate(0.0)
    level = percent(result.provenance.level)
    interval = f", {level} interval {text}" if (text := worth.interval(2)) else ""
    return (
        f"{_raters(last.k, 'amateur')} predict the next expert as well as "
        f"{worth.show(worth.value, 2)} experts do{interval}"
    )


def table(result: SurveyResult) -> list[str]:
    """Write the curves, the classifiers and how they compare as lines of text."""
    p = result.provenance
    head = ["predictor", f"score ({p.unit})", "interval", "gain", f"worth in {_who(result)}s"]
    body = [_row(_raters(point.k, _who(result)), point) for point in result.curve]
    body += [_row(_raters(point.k, "amateur"), point) for point in result.amateurs[1:]]
    if result.ceiling is not None:
        body.append(_ceiling_row(result.ceiling, _who(result)))
    body += [_row(classifier.name, classifier) for classifier in result.classifiers]
    worth = bool(result.classifiers or result.amateurs)
    shown = [i for i in range(5) if (i != 2 or p.bootstrap) and (i != 4 or worth)]
    head, *body = [[row[i] for i in shown] for row in (head, *body)]
    rules = {len(result.curve), len(body) - len(result.classifiers)}
    lines = columns(head, body, rules=rules)
    if result.ceiling is not None:
        lines += ["", *_to_buy(result, result.ceiling)]
    if result.alt_test is not None:
        lines += ["", *_verdicts(result, result.alt_test)]
    if 0 < len(result.comparisons) <= MOST_COMPARISONS:
        lines += ["", *_comparisons(result)]
    elif result.comparisons:
        lines += ["", f"{len(result.comparisons)} comparisons of two classifiers: see --json"]
    return [*lines, "", *_foot(result)]


def _ceiling_row(ceiling: Available, who: str) -> list[str]:
    return [
        f"∞ {who}s",
        ceiling.score.show(ceiling.score.value),
        ceiling.score.interval(),
        ceiling.gain.show(ceiling.gain.value),
        "",
    ]


def _to_buy(result: SurveyResult, ceiling: Available) -> list[str]:
    """Tell what classifiers have of what is available, and how many raters reach a target."""
    who = _who(result)
    head = ["as good as", f"{who}s", "share of the available gain"]
    shares = {name: _with_interval(r) for name, r in ceiling.performance_ratio.items()}
    body = [
        [r.target, _with_interval(r.raters, 1), shares.get(r.target, "")]
        for r in ceiling.raters_for
    ]
    if not result.classifiers:
        head, *body = [row[:2] for row in (head, *body)]
    return columns(head, body)


def _verdicts(result: SurveyResult, tested: AltTest) -> list[str]:
    """One table that says what each classifier is worth and whether it passes the alt-test."""
    worth = {c.name: _with_interval(c.equivalence) for c in result.classifiers}
    head = ["classifier", "worth in raters", "alt-test", "raters won"]
    body = [
        [
            c.name,
            worth.get(c.name, ""),
            "passes" if c.passes else "fails",
            f"{c.won} of {len(c.raters)}",
        ]
        for c in tested.classifiers
    ]
    changes = [wrap(f"{c.name}: {c.change}", indent="  ") for c in tested.classifiers]
    what = f"alt-test at epsilon {tested.epsilon:g}; what would change the verdict:"
    return [*columns(head, body), what, *changes]


def _comparisons(result: SurveyResult) -> list[str]:
    head = ["classifiers", "difference in raters", "P(first is better)"]
    body = [
        [
            f"{c.a} – {c.b}",
            "both censored" if c.raters.undefined else _with_interval(c.raters),
            "" if c.p_a_better is None else f"{c.p_a_better:.3f}",
        ]
        for c in result.comparisons
    ]
    if not result.provenance.bootstrap:
        head, *body = [row[:2] for row in (head, *body)]
    return columns(head, body)


def _foot(result: SurveyResult) -> list[str]:
    p = result.provenance
    low, median, high = p.ratings_per_item
    each = f"{low} ratings each"
    if low < high:
        each = f"{low} to {high} ratings each (median {median:g})"
    dropped = f" ({p.items_dropped:,} dropped)" if p.items_dropped else ""
    drawn = (
        f"{percent(p.level)} percentile intervals from {p.bootstrap:,} bootstrap draws of items"
        if p.bootstrap
        else "no intervals (bootstrap 0)"
    )
    gain = "gain over no rater"
    if p.scorer == "cross-entropy" and p.combiner == "abc":
        gain = "gain: information about the reference, over no rater"
    method = "" if p.method == "exact" else f" ({p.method})"
    return [
        wrap(f"{count(p.items_used, 'item')}{dropped}, {each}; labels {', '.join(p.labels)}"),
        wrap(
            f"combiner {p.combiner}, scorer {p.scorer}{method} against {p.reference}; {gain}; "
            f"{drawn}"
        ),
    ]


def _row(name: str, scored: CurvePoint | ClassifierResult) -> list[str]:
    return [
        name,
        scored.score.show(scored.score.value),
        scored.score.interval(),
        scored.gain.show(scored.gain.value),
        "" if scored.equivalence is None else _with_interval(scored.equivalence),
    ]


def _with_interval(estimate: Estimate, digits: int = 2) -> str:
    if estimate.undefined is not None:
        return "undefined"
    text = estimate.show(estimate.value, digits)
    return f"{text} ({interval})" if (interval := estimate.interval(digits)) else text


def _who(result: SurveyResult) -> str:
    return "expert" if result.amateurs else "rater"


def _next(result: SurveyResult) -> str:
    r = result.provenance.reference_raters
    return (
        f"the next {_who(result)}" if r == 1 else f"the plurality of the next {r} {_who(result)}s"
    )


def _raters(k: int, who: str) -> str:
    return f"no {who}" if k == 0 else count(k, who)
