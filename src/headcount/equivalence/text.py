"""A survey equivalence result in words and tables."""

from __future__ import annotations

import math

from headcount.equivalence.alt_test.result import AltTest
from headcount.equivalence.alt_test.text import change
from headcount.equivalence.ceiling.records import Available
from headcount.equivalence.raters.populations import FIXED
from headcount.equivalence.records import ClassifierResult, CurvePoint, SurveyRecord
from headcount.errors import count, percent
from headcount.results.text import Page, Table
from headcount.stats.estimate import Estimate, decimals

__all__ = ["page", "tells_nothing"]

MOST_COMPARISONS = 6
"""Comparisons of two classifiers that are printed."""
VAGUE, LEAST_VAGUE = 200, 10
"""How many times the low end the high end of an interval of raters is at most, unless it is below
the second number: else words stand in its place."""
MOST_LISTED, FEW_LISTED = 30, 10
"""Labels up to which all are listed, and of how many more."""


def page(result: SurveyRecord) -> Page:
    """Answer the question, then show the curve, what is available and how classifiers compare."""
    blocks: list[Table | str] = [_scores(result)]
    if result.ceiling is not None or any(c.with_raters for c in result.classifiers):
        blocks += [_more(result)] if result.classifiers else []
    if result.ceiling is not None:
        blocks.append(_to_buy(result, result.ceiling))
    if result.alt_test is not None:
        blocks += _verdicts(result, result.alt_test)
    if result.comparisons:
        blocks.append(_comparisons(result))
    return Page([f"{sentence}." for sentence in _sentences(result)], blocks, _foot(result))


def _sentences(result: SurveyRecord) -> list[str]:
    """Answer the question, one sentence and line a classifier; or describe the curve alone."""
    p = result.provenance
    target = p.reference if p.against_states else _next(result)
    lines = [_worth(classifier, result, target) for classifier in result.classifiers]
    if result.amateurs:
        lines.append(_amateurs(result))
    if lines:
        return [f"{line}; but see the warning" for line in lines] if result.doubted else lines
    last = result.curve[-1]
    if result.too_few is not None:
        return [f"{result.too_few} what raters predict"]
    unit = f" {p.unit}" if p.in_bits else ""
    if p.information:
        unit += f" of information about {target}"
    gain = f"{last.gain.value:.3f}{unit}"
    if (interval := last.gain.interval()) and last.gain.level:
        gain += f" ({percent(last.gain.level)} interval {interval})"
    who = _raters(last.k, _who(result))
    predict = "predicts" if last.k == 1 else "predict"
    than = "better than" if last.gain.value > 0 else "no better than"
    return [f"{who} {predict} {target} {than} no rater does: gain {gain}"]


def _worth(classifier: ClassifierResult, result: SurveyRecord, target: str) -> str:
    worth, who, p = classifier.equivalence, _who(result), result.provenance
    if worth.undefined is not None:
        return f"{classifier.name}: {worth.undefined} how many {who}s it is worth"
    if tells_nothing(worth):
        return (
            f"{classifier.name}: these data do not tell how many {who}s it is worth; the estimate "
            f"is {worth.show(worth.value, 2)}, and the {percent(p.level)} interval{_whom(result)} "
            "holds every number that they can show"
        )
    return _compared(f"{classifier.name} predicts {target}", worth, result)


def _compared(start: str, worth: Estimate, result: SurveyRecord) -> str:
    """Say whom something predicts as well as so many raters do, with the interval of these."""
    who, p, whom = _who(result), result.provenance, _whom(result)
    interval = _interval(worth, p.level, whom=whom)
    if worth.censored == "below":
        return f"{start} worse than a prediction made without any rater does{interval}"
    do = "does" if p.max_k == 1 else "do"
    if worth.censored == "above":
        most = f"{_raters(p.max_k, who)} {do}, the most these data can show"
        if worth.known is not None and worth.bounds is not None:
            most = (
                f"{worth.bounds[1]:.0f} {who}s would, the most that surveys of up to "
                f"{p.max_k} can tell"
            )
        return f"{start} better than {most}{interval}"
    if worth.extrapolated:
        return (
            f"{start} about as well as {worth.show(worth.value, 1)} {who}s would, extrapolated "
            f"from surveys of up to {p.max_k}{_interval(worth, p.level, 1, whom)}"
        )
    number = worth.show(worth.value, 2)
    do = f"{who} does" if number == "1.00" else f"{who}s do"
    return f"{start} as well as {number} {do}{interval}"


def _whom(result: SurveyRecord) -> str:
    """For whom intervals of the worth hold, where it is for others than these raters."""
    raters = result.provenance.raters
    return "" if raters is FIXED else f" for {raters.words}"


def tells_nothing(worth: Estimate) -> bool:
    """Whether an interval reaches from below no rater to above all that can be told.

    Or, of a share, from none of it to all.
    """
    ends = worth.to_dict()
    if worth.bounds is None:
        return worth.low == 0 and worth.high == 1
    return ends.get("low_censored") == "below" and ends.get("high_censored") == "above"


def _interval(worth: Estimate, level: float, digits: int = 2, whom: str = "") -> str:
    """Write the interval of a number of raters, to follow the number."""
    if worth.censored and worth.low == worth.value == worth.high:
        side = "below 0" if worth.censored == "below" else f"above {worth.show(worth.value)[2:]}"
        return f"; the whole {percent(level)} interval{whom} is {side}"
    text = worth.interval(digits)
    return f", {percent(level)} interval{whom} {text}" if text else ""


def _amateurs(result: SurveyRecord) -> str:
    last = result.amateurs[-1]
    worth = last.equivalence or Estimate(0.0)
    if worth.undefined is not None:
        return f"{worth.undefined} how many experts {_raters(last.k, 'amateur')} are worth"
    predict = "predicts" if last.k == 1 else "predict"
    start = f"{_raters(last.k, 'amateur')} {predict} the next expert"
    return _compared(start, worth, result)


def _scores(result: SurveyRecord) -> Table:
    """Scores of surveys, of infinitely many raters and of classifiers."""
    p = result.provenance
    digits = decimals(max(abs(point.score.value) for point in result.curve))
    head = ["predictor", f"score ({p.unit})", "interval", "gain", f"worth in {_who(result)}s"]
    body = [_row(_raters(point.k, _who(result)), point, digits) for point in result.curve]
    body += [_row(_raters(point.k, "amateur"), point, digits) for point in result.amateurs[1:]]
    if result.ceiling is not None:
        body.append(_ceiling_row(result.ceiling, _who(result), digits))
    body += [_row(classifier.name, classifier, digits) for classifier in result.classifiers]
    worth = bool(result.classifiers or result.amateurs)
    drawn = p.bootstrap and result.too_few is None
    shown = [i for i in range(5) if (i != 2 or drawn) and (i != 4 or worth)]
    head, *body = [[row[i] for i in shown] for row in (head, *body)]
    return Table(head, body, rules={len(result.curve), len(body) - len(result.classifiers)})


def _ceiling_row(ceiling: Available, who: str, digits: int) -> list[str]:
    return [
        f"∞ {who}s",
        ceiling.score.show(ceiling.score.value, digits),
        ceiling.score.interval(digits),
        ceiling.gain.show(ceiling.gain.value, digits),
        "",
    ]


def _to_buy(result: SurveyRecord, ceiling: Available) -> str:
    """Tell how many raters gain a share of what infinitely many do."""
    names, who = {c.name for c in result.classifiers}, _who(result)
    shares = {r.target.split()[0]: r.raters for r in ceiling.raters_for if r.target not in names}
    vague = [name for name, n in shares.items() if _vague(n)]
    parts = [f"{_roughly(n)} for {name}" for name, n in shares.items() if name not in vague]
    said: list[str] = []
    if parts:
        parts[0] += f" of the gain of infinitely many {who}s"
        said.append(f"{who.capitalize()}s it takes, about: {', '.join(parts)}.")
    if vague:
        said.append(f"These data do not tell how many {who}s it takes for {' or '.join(vague)}.")
    return " ".join(said)


def _vague(raters: Estimate) -> bool:
    """Whether an interval of a number of raters leaves hardly any number out."""
    if raters.low is None or raters.high is None:
        return False
    return raters.high >= LEAST_VAGUE and raters.high > VAGUE * max(raters.low, 0.0)


def _roughly(raters: Estimate) -> str:
    """Write a number of raters far beyond the data, to the two digits that it deserves."""

    def show(x: float) -> str:
        return f"{x:.1f}" if x < 10 else f"{float(f'{x:.2g}'):,.0f}"

    if raters.low is None or raters.high is None:
        return show(raters.value)
    return f"{show(raters.value)} ({show(raters.low)} to {show(raters.high)})"


def _more(result: SurveyRecord) -> Table:
    """Tell what classifiers have of what is available, and are worth together with raters."""
    shares = {} if result.ceiling is None else result.ceiling.performance_ratio
    head = ["classifier"]
    head += ["share of the available gain"] if shares else []
    if any(c.with_raters for c in result.classifiers):
        head.append(f"worth with {_raters(1, _who(result))}")
    body: list[list[str]] = []
    for c in result.classifiers:
        row = [c.name, *([_with_interval(shares[c.name])] if shares else [])]
        row += [_with_interval(p.equivalence) for p in c.with_raters[:1] if p.equivalence]
        body.append(row + [""] * (len(head) - len(row)))
    return Table(head, body)


def _verdicts(result: SurveyRecord, tested: AltTest) -> list[Table | str]:
    """One table that says what each classifier is worth and whether it passes the alt-test."""
    head = ["classifier", "worth in raters", "alt-test", "raters won"]
    body = [
        [
            c.name,
            _worth_of(c.name, result),
            "passes" if c.passes else "fails",
            f"{c.won} of {len(c.raters)}",
        ]
        for c in tested.classifiers
    ]
    changes = "; ".join(f"{c.name} {change(c)}" for c in tested.classifiers)
    return [
        Table(head, body, title=f"alt-test at epsilon {tested.epsilon:g}, by {tested.scorer}"),
        f"What would change the verdict: {changes}.",
    ]


def _worth_of(name: str, result: SurveyRecord) -> str:
    """Worth of a classifier; of its calibrated form if it is shown in that alone."""
    found = {c.name: c for c in result.classifiers}
    shown = [name, *(one for one in found if one.startswith(f"{name} ("))]
    return next((_with_interval(found[one].equivalence) for one in shown if one in found), "")


def _comparisons(result: SurveyRecord) -> Table:
    head = ["classifiers", "difference in raters", "P(first is better)"]
    body = [
        [
            f"{c.a} – {c.b}",
            "both censored" if c.raters.undefined else _difference(c.raters),
            "" if c.p_a_better is None else f"{c.p_a_better:.3f}",
        ]
        for c in result.comparisons[:MOST_COMPARISONS]
    ]
    if not result.provenance.bootstrap:
        head, *body = [row[:2] for row in (head, *body)]
    rest = len(result.comparisons) - len(body)
    more = f"and {count(rest, 'more pair')}, in 'comparisons' of the result" if rest else ""
    return Table(head, body, more=more)


def _difference(raters: Estimate) -> str:
    """Write a difference; where one of the two is censored, nobody knows how far it goes."""
    text = raters.show(raters.value, 2)
    if raters.low is None or raters.high is None:
        return text
    if math.isinf(raters.low) and math.isinf(raters.high) and raters.low < raters.high:
        return "not told by these data"
    low, high = (f"{x:.2f}".replace("inf", "∞") for x in (raters.low, raters.high))
    return f"{text} ({low} to {high})"


def _foot(result: SurveyRecord) -> list[str]:
    p = result.provenance
    low, median, high = p.ratings_per_item
    each = f"{low} ratings each"
    if low < high:
        each = f"{low} to {high} ratings each (median {median:g})"
    dropped = f" ({p.items_dropped:,} dropped)" if p.items_dropped else ""
    drawn = (
        f"{percent(p.level)} percentile intervals from {p.bootstrap:,} bootstrap samples of items"
        if p.bootstrap
        else "no intervals (bootstrap 0)"
    )
    gain = "gain over no rater"
    if p.information:
        gain = "gain: information about the reference, over no rater"
    if result.too_few is not None:
        drawn = "no intervals (too few items)"
    elif p.bootstrap:
        drawn += f"; they hold for items like these and {FIXED.words}"
        if p.raters is not FIXED:
            drawn += f", those of the worth for {p.raters.words}"
    if any(_goes_beyond(c.equivalence) for c in result.classifiers):
        drawn += (
            f"; raters beyond {p.max_k} are extrapolated by the fitted item states, and their "
            "intervals approximate"
        )
    rough = ["shares of the available gain"] if result.ceiling and result.classifiers else []
    if any(c.with_raters for c in result.classifiers):
        a = "an expert" if result.amateurs else "a rater"
        rough.append(f"what a classifier is worth with {a}")
    if rough:
        are = "is" if rough[0].startswith("what") else "are"
        drawn += f"; {' and '.join(rough)} {are} approximate, more often too low than too high"
    method = "" if p.all_surveys else f" ({p.method})"
    return [
        f"{count(p.items_used, 'item')}{dropped}, {each}; {_labels(p.labels)}",
        f"combiner {p.combiner}, scorer {p.scorer}{method} against {p.reference}; {gain}; {drawn}",
    ]


def _labels(labels: tuple[str, ...]) -> str:
    """List the labels, or how many there are and the first of them."""
    if len(labels) <= MOST_LISTED:
        return f"labels {', '.join(labels)}"
    return f"{len(labels):,} labels: {', '.join(labels[:FEW_LISTED])} ..."


def _goes_beyond(worth: Estimate) -> bool:
    """Whether a worth or an end of its interval lies beyond what data hold."""
    return worth.known is not None and max(worth.value, worth.high or 0.0) > worth.known


def _row(name: str, scored: CurvePoint | ClassifierResult, digits: int) -> list[str]:
    return [
        name,
        scored.score.show(scored.score.value, digits),
        scored.score.interval(digits),
        scored.gain.show(scored.gain.value, digits),
        "" if scored.equivalence is None else _with_interval(scored.equivalence),
    ]


def _with_interval(estimate: Estimate, digits: int = 2) -> str:
    if estimate.undefined is not None or tells_nothing(estimate):
        return "not told by these data"
    digits = 1 if estimate.extrapolated else digits
    text = estimate.show(estimate.value, digits)
    text = f"about {text}" if estimate.extrapolated else text
    return f"{text} ({interval})" if (interval := estimate.interval(digits)) else text


def _who(result: SurveyRecord) -> str:
    return "expert" if result.amateurs else "rater"


def _next(result: SurveyRecord) -> str:
    r = result.provenance.reference_raters
    return (
        f"the next {_who(result)}" if r == 1 else f"the plurality of the next {r} {_who(result)}s"
    )


def _raters(k: int, who: str) -> str:
    return f"no {who}" if k == 0 else count(k, who)
