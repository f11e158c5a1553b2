"""What a survey equivalence analysis returns, in fields, words and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.equivalence.ceiling import Available
from headcount.equivalence.combiners import Learned
from headcount.equivalence.plot import plot
from headcount.equivalence.power_curve import tells_nothing
from headcount.errors import OptionError, count, percent, unknown_name
from headcount.results.fields import Record, json_value
from headcount.results.notes import Provenance
from headcount.results.result import Block, Page, Result, Screen, again
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate, decimals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "RaterKind",
    "FIXED",
    "SAMPLE",
    "RATERS",
    "CurvePoint",
    "ClassifierResult",
    "SurveyProvenance",
    "SurveyResult",
    "Comparison",
    "untold",
    "in_raters",
    "with_interval",
]


# For whom intervals hold: for raters drawn as these were, or for others like these.


@dataclass(frozen=True)
class RaterKind:
    """What the raters are taken for.

    Parameters
    ----------
    name : str
    words : str
        For whom intervals of a worth then hold.
    """

    name: str
    words: str


FIXED = RaterKind("fixed", "raters drawn as these were")
SAMPLE = RaterKind("sample", "raters like these")
RATERS = {kind.name: kind for kind in (FIXED, SAMPLE)}
"""By name; the first is the default."""


# What a survey equivalence analysis found, as plain records.


@dataclass(frozen=True)
class CurvePoint(Record):
    """The score of surveys of k raters, and its gain over no rater; for amateurs, their worth."""

    k: int
    score: Estimate
    gain: Estimate
    worth: Estimate | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, which has a worth only where there is one."""
        form = super().to_dict()
        return form if self.worth is not None else {n: form[n] for n in ("k", "score", "gain")}


@dataclass(frozen=True, kw_only=True)
class ClassifierResult(Record):
    """The score of a classifier, its gain over no rater, and the raters it is worth.

    `p_beats` is the share of bootstrap samples in which it beats k = 0, 1, 2 ... raters;
    `calibration` says how its probabilities were learned from what it says, None if they are its
    own; `with_rater` what it scores and is worth together with a rater of the same item;
    `like_these` is its worth with an interval for other raters like these, where that was asked for
    or raters are few.
    """

    name: str
    score: Estimate
    gain: Estimate
    worth: Estimate
    p_beats: tuple[float, ...] | None = None
    calibration: str | None = None
    with_rater: CurvePoint | None = None
    like_these: Estimate | None = None

    @property
    def integer_worth(self) -> Estimate:
        """Smallest whole number of raters that do at least as well."""
        return self.worth.ceil()


@dataclass(frozen=True, kw_only=True)
class SurveyProvenance(Provenance):
    """How a survey equivalence result came about.

    Parameters
    ----------
    predictions : str or None
        What the predictions are called.
    ratings_per_item : (int, float, int)
        Smallest, median and largest number of ratings of an item.
    combiner, scorer, unit : str
        How surveys were combined and scored, and the unit of scores.
    in_bits : bool
        Whether scores are logarithms of probabilities.
    information : bool
        Whether gains are information about the reference.
    positive : str or None
        The label looked at.
    reference : str
        What predictions were scored against, in words.
    against_states : bool
        Whether that is the known state of each item, and no rater.
    reference_raters, max_k : int
    method : str
        How surveys were scored.
    all_surveys : bool
        Whether all surveys were counted.
    raters : RaterKind
        For whom intervals of a worth hold.
    """

    level: float = 0.95
    bootstrap: int = 0
    predictions: str | None
    ratings_per_item: tuple[int, float, int]
    combiner: str
    scorer: str
    unit: str
    in_bits: bool
    information: bool
    positive: str | None
    reference: str
    against_states: bool
    reference_raters: int
    max_k: int
    method: str
    all_surveys: bool
    raters: RaterKind


@dataclass(frozen=True, repr=False, kw_only=True)
class SurveyResult(Result):
    """The power curve, and the worth of each classifier.

    Parameters
    ----------
    curve : tuple of CurvePoint
        Surveys of 0, 1, 2 ... raters.
    classifiers : tuple of ClassifierResult
        In the order of the predictions; ``result["name"]`` finds one.
    comparisons : tuple of Comparison
        All pairs of classifiers.
    amateurs : tuple of CurvePoint
        Surveys of 0, 1, 2 ... amateurs, each with its worth in experts; empty without experts.
    ceiling : Available or None
        The score of infinitely many raters, and shares of it. None if it cannot be estimated: for
        many labels, sampled surveys, or a reference other than one rater.
    learned : Learned or None
        The combiner with what it learned; see :meth:`predict`.
    provenance : SurveyProvenance
        Data, options and version.
    notes : tuple of Note
        What was left out of the data or changed, in sentences.

    Examples
    --------
    >>> from headcount import survey
    >>> result = survey("example:ratings", "example:predictions", bootstrap=50)
    >>> 1 < result["model"].worth.value < 4
    True
    """

    provenance: SurveyProvenance
    curve: tuple[CurvePoint, ...]
    classifiers: tuple[ClassifierResult, ...]
    comparisons: tuple[Comparison, ...]
    amateurs: tuple[CurvePoint, ...] = ()
    too_few: str | None = None
    doubted: bool = False
    ceiling: Available | None = None
    learned: Learned | None = field(default=None, compare=False, repr=False)

    def __getitem__(self, name: str) -> ClassifierResult:
        # One that is shown calibrated alone is found by its own name too.
        for begins in (False, True):
            for classifier in self.classifiers:
                if classifier.name == name or (begins and classifier.name.startswith(f"{name} (")):
                    return classifier
        raise unknown_name("classifier", name, [c.name for c in self.classifiers])

    def predict(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Predict what the next rater says of a new item, after what others said.

        Parameters
        ----------
        counts : dict of str to int
            How many raters gave each label; labels left out were given by nobody.

        Returns
        -------
        dict of str to float
            The probability of each label; of a combiner that chooses, the chance of each.

        Examples
        --------
        >>> from headcount import running_example, survey
        >>> result = survey(running_example(1000, 10, seed=1)[0], bootstrap=0)
        >>> {label: round(p, 2) for label, p in result.predict({"cat": 2, "dog": 1}).items()}
        {'cat': 0.75, 'dog': 0.25}
        """
        labels = self.provenance.labels
        if self.learned is None:
            raise OptionError("this result was made without a combiner, which would predict.")
        for label in counts:
            if str(label) not in labels:
                raise unknown_name("label", str(label), labels, option_name="counts")
        by_label = {str(label): options.whole(n, "counts", least=0) for label, n in counts.items()}
        observed = np.array([[by_label.get(label, 0) for label in labels]])
        predicted = self.learned.predict(observed)[0]
        return dict(zip(labels, predicted.tolist(), strict=True))

    def page(self) -> Page:
        """Answer the question, one sentence a classifier; then the curve and what follows."""
        blocks: list[Block] = [_scores(self)]
        if self.ceiling is not None or any(c.with_rater for c in self.classifiers):
            blocks += [_more(self)] if self.classifiers else []
        if self.ceiling is not None:
            blocks.append(_to_buy(self, self.ceiling))
        if self.comparisons:
            blocks.append(_comparisons(self))
        return Page(_headline(self), blocks, _foot(self))

    def screen(self) -> Screen:
        """Say what classifiers are worth, alone and with a rater, and which is better."""
        p, several = self.provenance, len(self.classifiers) > MOST_NAMED
        low, _, high = p.ratings_per_item
        each = count(low, "rating") if low == high else f"{low} to {high} ratings"
        table = _ranked(self) if several else None
        if not self.classifiers:
            table = _short_curve(self)
        return Screen(
            _headline(self),
            table,
            data=f"{count(p.items_used, 'item')}, {each} each",
            next=[step] if (step := _next_step(self)) else [],
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per survey size and one per classifier, by column.

        Columns `kind` ("survey", "amateurs", "ceiling" or "classifier"), `name`, `raters` (the
        survey's size or the classifier's equivalence; plus or minus infinity where censored, which
        files write as null), `score` and `gain`, each with its `_low` and `_high` (null where there
        is no interval); then `raters_censored`, `raters_low_censored` and `raters_high_censored`:
        "above" or "below" the power curve, null on it; and `raters_extrapolated`, whether `raters`
        lies beyond the largest survey. Amateurs' `raters` are the experts that they are worth.
        """
        rows: list[tuple[str, str, Estimate, Estimate, Estimate]] = [
            ("survey", count(point.k, "rater"), Estimate(point.k), point.score, point.gain)
            for point in self.curve
        ]
        rows += [
            ("amateurs", count(p.k, "amateur"), p.worth or Estimate(p.k), p.score, p.gain)
            for p in self.amateurs
        ]
        if (top := self.ceiling) is not None:
            rows.append(("ceiling", "∞ raters", Estimate(float("inf")), top.score, top.gain))
        rows += [("classifier", c.name, c.worth, c.score, c.gain) for c in self.classifiers]
        columns: dict[str, list[Any]] = {
            "kind": [row[0] for row in rows],
            "name": [row[1] for row in rows],
        }
        for index, name in enumerate(("raters", "score", "gain"), start=2):
            estimates: list[Estimate] = [row[index] for row in rows]  # type: ignore[misc]
            columns[name] = [float(e.value) for e in estimates]
            columns[f"{name}_low"] = [e.low for e in estimates]
            columns[f"{name}_high"] = [e.high for e in estimates]
        marks = [row[2].to_dict() for row in rows]
        for name in ("censored", "low_censored", "high_censored", "extrapolated"):
            columns[f"raters_{name}"] = [mark.get(name) for mark in marks]
        return columns

    def document(self) -> dict[str, Any]:
        """Return what is particular to survey equivalence in the JSON document."""
        p = self.provenance
        shares = {} if self.ceiling is None else self.ceiling.performance_ratio
        low, median, high = p.ratings_per_item
        return json_value(
            {
                "curve": self.curve,
                "classifiers": [
                    {
                        **c.to_dict(),
                        "integer_worth": c.integer_worth,
                        "performance_ratio": shares.get(c.name),
                    }
                    for c in self.classifiers
                ],
                "ceiling": self.ceiling,
                "comparisons": self.comparisons,
                "experts": {"amateurs": self.amateurs} if self.amateurs else None,
                "items": {"used": p.items_used, "dropped": p.items_dropped},
                "ratings": {"min": low, "median": median, "max": high},
                "labels": p.labels,
                "combiner": p.combiner,
                "scorer": p.scorer,
                "unit": p.unit,
                "positive": p.positive,
                "reference": p.reference,
                "reference_raters": p.reference_raters,
                "max_k": p.max_k,
                "method": p.method,
                "holds_for": f"for {p.raters.words}",
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the power curve with its classifiers (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Axes
        """
        return plot(self, ax)


@dataclass(frozen=True)
class Comparison(Record):
    """How two classifiers compare.

    Parameters
    ----------
    a, b : str
        Names of the classifiers.
    raters : Estimate
        How many raters more a is worth than b. Where one of them is censored, so is this; where
        both are on the same side it is undefined.
    p_a_better : float or None
        Share of bootstrap samples in which a scores higher than b; ties count half. None without
        them.
    """

    a: str
    b: str
    raters: Estimate
    p_a_better: float | None


# A survey equivalence result in words and tables.

MOST_COMPARISONS = 6
"""Comparisons of two classifiers that are printed."""
VAGUE, LEAST_VAGUE = 200, 10
"""How many times the low end the high end of an interval of raters is at most, unless it is below
the second number: else words stand in its place."""
MOST_LISTED, FEW_LISTED = 30, 10
"""Labels up to which all are listed, and of how many more."""


# The first screen.

MOST_NAMED, MOST_ROWS, MOST_POINTS = 2, 12, 6
"""Classifiers that are named in a sentence, rows of a table, and surveys of a curve, at most."""
SURE = 0.975
"""Share of bootstrap samples from which on one classifier is said to beat another."""
WIDE = 3
"""Times the low end of an interval that its high end is where more items are advised."""


def _headline(result: SurveyResult) -> list[str]:
    """Answer in at most three sentences; of many classifiers the best is named."""
    ranked, who, p = _by_worth(result), _who(result), result.provenance
    if ranked and result.too_few is not None:
        return [f"{result.too_few} how many {who}s a classifier is worth."]
    named = ranked if len(ranked) <= MOST_NAMED else ranked[:1]
    parts = [f"{c.name} is worth {in_raters(c.worth, who)}" for c in named]
    for index, c in enumerate(named[1:], start=1):
        if c.worth.censored is None and not untold(c.worth):
            parts[index] = f"{c.name} {with_interval(c.worth)}"
    if result.amateurs and (worth := result.amateurs[-1].worth):
        k = result.amateurs[-1].k
        are = "is" if k == 1 else "are"
        parts.append(f"{_raters(k, 'amateur')} {are} worth {in_raters(worth, who)}")
    if not parts:
        return [_curve_alone(result)]
    against = ""
    if p.against_states or p.reference_raters > 1:
        against = f" in predicting {p.reference if p.against_states else _next(result)}"
    whom = "" if p.raters is FIXED else f" for {p.raters.words}"
    doubt = "; but see the warning" if result.doubted else ""
    answer = f"{'; '.join(parts)}{against}{whom}{doubt}."
    if result.doubted or not ranked or untold(ranked[0].worth):
        return [answer]
    best, more = ranked[0], list[str]()
    if best.with_rater and (worth := best.with_rater.worth) and not untold(worth):
        most = worth.bounds[1] if worth.bounds else math.inf
        if worth.censored != "above" or best.worth.value < most:
            together = in_raters(worth, who)
            adds = f"Together with one {who}, {best.name} is worth {together}."
            if worth.show(worth.value, 1) == best.worth.show(best.worth.value, 1):
                adds = f"One {who} more adds little to {best.name}: together {together}."
            more.append(adds)
    if result.ceiling is not None:
        share = result.ceiling.performance_ratio[best.name]
        if not untold(share):
            ends = "" if share.low is None else f" ({share.low:.0%} to {share.high:.0%})"
            verb, what = ("captures", "information") if p.information else ("reaches", "gain")
            more.append(
                f"{best.name} {verb} {share.value:.0%}{ends} of the {what} that infinitely many "
                f"{who}s would give."
            )
    return [answer, *([" ".join(more)] if more else []), *_better(result, best)]


def _curve_alone(result: SurveyResult) -> str:
    """Say what surveys gain, where nothing is compared with them."""
    p, last = result.provenance, result.curve[-1]
    if result.too_few is not None:
        return f"{result.too_few} how well raters predict each other."
    target = p.reference if p.against_states else _next(result)
    interval = ""
    if (ends := last.gain.interval()) and last.gain.level:
        interval = f" ({percent(last.gain.level)} interval {ends})"
    if p.information:
        about = "the next rating" if target == "the next rater" else target
        give = "gives" if last.k == 1 else "give"
        gain = f"{last.gain.value:.3f} {p.unit} of information about {about}"
        return f"{count(last.k, 'rating')} of an item {give} {gain}{interval}."
    predict = "predicts" if last.k == 1 else "predict"
    better, higher = ("better", "higher") if last.gain.value > 0 else ("no better", "lower")
    who, score = _raters(last.k, _who(result)), "a score in bits" if p.in_bits else p.unit
    return (
        f"{who} {predict} {target} {better} than a guess without raters: {score} is "
        f"{abs(last.gain.value):.3f} {higher}{interval}."
    )


def _by_worth(result: SurveyResult) -> list[ClassifierResult]:
    """Sort classifiers by their score, the best first."""
    return sorted(result.classifiers, key=lambda c: -c.score.value)


def untold(worth: Estimate) -> bool:
    """Whether there is no number to tell."""
    return worth.undefined is not None or tells_nothing(worth)


def in_raters(worth: Estimate, who: str = "rater") -> str:
    """Write a worth in a sentence."""
    if worth.undefined is not None:
        return f"an unknown number of {who}s ({worth.undefined})"
    if tells_nothing(worth):
        return f"an unknown number of {who}s: the interval contains every number"
    interval = worth.interval(_digits(worth))
    whole = worth.low == worth.high and worth.censored
    ends = " (and so is the whole interval)" if whole else f" ({interval})" if interval else ""
    if worth.censored == "below":
        return f"less than no {who}{ends}"
    about = "about " if worth.extrapolated else ""
    number = worth.show(worth.value, _digits(worth))
    if worth.censored == "above":
        about, number = "more than ", number[2:]
    return f"{about}{number} {who}{'' if number in ('1', '1.0', '1.00') else 's'}{ends}"


def with_interval(estimate: Estimate, digits: int | None = None) -> str:
    """Write an estimate in a cell of a table."""
    if untold(estimate):
        return "not shown by these data"
    digits = _digits(estimate) if digits is None else digits
    text = estimate.show(estimate.value, digits)
    if estimate.censored and estimate.low == estimate.value == estimate.high:
        return text
    text = f"about {text}" if estimate.extrapolated else text
    return f"{text} ({interval})" if (interval := estimate.interval(digits)) else text


def _digits(worth: Estimate) -> int:
    return 1 if worth.extrapolated else 2


def _better(result: SurveyResult, best: ClassifierResult) -> list[str]:
    """Say which classifiers the best one beats."""
    leads = {c.b: c.p_a_better for c in result.comparisons if c.a == best.name}
    for c in result.comparisons:
        if c.b == best.name and c.p_a_better is not None:
            leads[c.a] = 1 - c.p_a_better
    told = {name: p for name, p in leads.items() if p is not None}
    if not told:
        return []
    if len(told) > 1:
        beaten = sum(p >= SURE for p in told.values())
        every = "both" if beaten == 2 else f"all {beaten}"
        others = every if beaten == len(told) else f"{beaten} of the {len(told)}"
        return [f"{best.name} is significantly better than {others} others."]
    (other, p), *_ = told.items()
    probability = "> .999" if p > 0.9995 else f"{p:.2f}".replace("0.", ".")
    if p >= SURE:
        return [f"{best.name} beats {other} (probability {probability})."]
    return [
        f"No significant difference between {best.name} and {other} (probability that "
        f"{best.name} is better: {probability})."
    ]


def _ranked(result: SurveyResult) -> Table:
    """List classifiers, the best first, with what they are worth."""
    ranked = _by_worth(result)
    rest = len(ranked) - MOST_ROWS
    head, body = (
        ["classifier", f"worth in {_who(result)}s"],
        [[c.name, with_interval(c.worth)] for c in ranked[:MOST_ROWS]],
    )
    if result.ceiling is not None:
        head.append(f"share of what infinitely many {_who(result)}s give")
        for row, c in zip(body, ranked, strict=False):
            share = result.ceiling.performance_ratio[c.name]
            row.append("" if share.undefined is not None else f"{share.value:.0%}")
    return Table(head, body, more=f"and {rest} more" if rest > 0 else "")


def _short_curve(result: SurveyResult) -> Table:
    """Give the gain of some surveys, and of infinitely many raters."""
    points, who = result.curve, _who(result)
    step = -(-(len(points) - 1) // MOST_POINTS)
    shown = [*points[1:-1:step], points[-1]]
    digits = decimals(max(abs(point.gain.value) for point in points))
    rows = [(_raters(point.k, who), point.gain) for point in shown]
    if result.ceiling is not None:
        rows.append((f"∞ {who}s", result.ceiling.gain))
    body = [[name, gain.show(gain.value, digits), gain.interval(digits)] for name, gain in rows]
    interval = f"{percent(result.provenance.level)} interval"
    head = ["survey", f"gain ({result.provenance.unit})", interval]
    if not any(row[2] for row in body):
        head, body = head[:2], [row[:2] for row in body]
    return Table(head, body)


def _next_step(result: SurveyResult) -> str:
    """Say what to do next."""
    if not result.classifiers:
        return f"add the predictions of a classifier: {again(predictions='PREDICTIONS.csv')}"
    worth, p = _by_worth(result)[0].worth, result.provenance
    if worth.undefined is not None:
        return "label more items."
    # Where items have more ratings than surveys use, more of them would not help.
    all_used = p.ratings_per_item[0] <= p.max_k + p.reference_raters
    if all_used and worth.bounds is not None and math.inf in (worth.value, worth.high):
        most = count(int(worth.bounds[1]), "rater")
        return (
            f"collect more ratings of each item: with these, a worth above {most} cannot be "
            "measured."
        )
    if worth.low is not None and worth.high is not None and worth.high > WIDE * max(worth.low, 0):
        if p.raters is SAMPLE:
            return (
                "have more raters rate these items: more items alone may hardly narrow this "
                "interval."
            )
        items = 3 * p.items_used
        return f"label about {float(f'{items:.1g}'):,.0f} more items to halve the interval."
    return f"see the curve: {again(plot='curve.png')}"


def _scores(result: SurveyResult) -> Table:
    """Scores of surveys, of infinitely many raters and of classifiers."""
    p = result.provenance
    digits = decimals(max(abs(point.score.value) for point in result.curve))
    head = ["predictor", f"score ({p.unit})", "interval", "gain", f"worth in {_who(result)}s"]
    body = [_row(_raters(point.k, _who(result)), point, digits) for point in result.curve]
    body += [_row(_raters(point.k, "amateur"), point, digits) for point in result.amateurs[1:]]
    if result.ceiling is not None:
        body.append(_row(f"∞ {_who(result)}s", result.ceiling, digits))
    body += [_row(classifier.name, classifier, digits) for classifier in result.classifiers]
    worth = bool(result.classifiers or result.amateurs)
    drawn = p.bootstrap and result.too_few is None
    shown = [i for i in range(5) if (i != 2 or drawn) and (i != 4 or worth)]
    head, *body = [[row[i] for i in shown] for row in (head, *body)]
    return Table(head, body, rules={len(result.curve), len(body) - len(result.classifiers)})


def _to_buy(result: SurveyResult, ceiling: Available) -> str:
    """Tell how many raters gain a share of what infinitely many do."""
    who = _who(result)
    shares = {r.target.split()[0]: r.raters for r in ceiling.raters_for}
    vague = [name for name, n in shares.items() if _vague(n)]
    parts = [(_roughly(n), name) for name, n in shares.items() if name not in vague]
    sentences: list[str] = []
    if parts:
        (first, share), *others = parts
        more = "".join(f", and {number} to reach {name}" for number, name in others)
        sentences.append(
            f"It takes about {first} {who}s to reach {share} of the gain of infinitely many{more}."
        )
    if vague:
        sentences.append(
            f"These data cannot show how many {who}s would reach {' or '.join(vague)} of it."
        )
    return " ".join(sentences)


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
    return f"{show(raters.low)} to {show(raters.high)}"


def _more(result: SurveyResult) -> Table:
    """Tell what classifiers have of what is available, and are worth together with a rater."""
    shares = {} if result.ceiling is None else result.ceiling.performance_ratio
    head = ["classifier"]
    head += ["share of the available gain"] if shares else []
    if any(c.with_rater for c in result.classifiers):
        head.append(f"worth with {_raters(1, _who(result))}")
    body: list[list[str]] = []
    for c in result.classifiers:
        row = [c.name, *([with_interval(shares[c.name])] if shares else [])]
        row += [with_interval(c.with_rater.worth)] if c.with_rater and c.with_rater.worth else []
        body.append(row + [""] * (len(head) - len(row)))
    return Table(head, body)


def _comparisons(result: SurveyResult) -> Table:
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
        return "not shown by these data"
    low, high = (f"{x:.2f}".replace("inf", "∞") for x in (raters.low, raters.high))
    return f"{text} ({low} to {high})"


def _foot(result: SurveyResult) -> list[str]:
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
        gain = "gain: information about the next rating, compared with no rater"
    if result.too_few is not None:
        drawn = "no intervals (too few items)"
    elif p.bootstrap:
        drawn += f", for items like these and {FIXED.words}"
        if p.raters is not FIXED:
            drawn += f" (those of the worth: for {p.raters.words})"
    worths = [c.worth for c in result.classifiers]
    if any(w.known is not None and max(w.value, w.high or 0.0) > w.known for w in worths):
        drawn += (
            f". Numbers of raters beyond {p.max_k} are extrapolated by the fitted item states; "
            "their intervals are approximate"
        )
    if worths and result.ceiling is not None:
        both = any(c.with_rater for c in result.classifiers)
        rough = f"Shares of the available gain{' and worths together with a rater' if both else ''}"
        drawn += f". {rough} are approximate, and tend to be too low"
    method = "" if p.all_surveys else f" ({p.method})"
    return [
        f"{count(p.items_used, 'item')}{dropped}, {each}; {_labels(p.labels)}",
        f"combiner {p.combiner}, scorer {p.scorer}{method} against {p.reference}; {gain}. "
        f"{drawn[0].upper()}{drawn[1:]}.",
    ]


def _labels(labels: tuple[str, ...]) -> str:
    """List the labels, or how many there are and the first of them."""
    if len(labels) <= MOST_LISTED:
        return f"labels {', '.join(labels)}"
    return f"{len(labels):,} labels: {', '.join(labels[:FEW_LISTED])} ..."


def _row(name: str, scored: CurvePoint | ClassifierResult | Available, digits: int) -> list[str]:
    worth = None if isinstance(scored, Available) else scored.worth
    return [
        name,
        scored.score.show(scored.score.value, digits),
        scored.score.interval(digits),
        scored.gain.show(scored.gain.value, digits),
        "" if worth is None else with_interval(worth),
    ]


def _who(result: SurveyResult) -> str:
    return "expert" if result.amateurs else "rater"


def _next(result: SurveyResult) -> str:
    r = result.provenance.reference_raters
    return (
        f"the next {_who(result)}" if r == 1 else f"the plurality of the next {r} {_who(result)}s"
    )


def _raters(k: int, who: str) -> str:
    return f"no {who}" if k == 0 else count(k, who)
