"""The questions of the card in their order, each with its answer in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from headcount.agreement.recommendation import BENCHMARKS, MINIMUM
from headcount.errors import OptionError, count, option, percent, some
from headcount.judging.beside_people import Standing, lead
from headcount.judging.gate import (
    MORE_RATINGS,
    NO_AGREEMENT,
    POWER,
    TOO_CLOSE,
    TOO_FEW,
    BiasWithin,
    Condition,
    LikeAPerson,
    RecallLikePeople,
    Status,
    Verdict,
    all_of,
    worth_words,
)
from headcount.judging.prepare import Judged, Prepared
from headcount.judging.readiness import FEWEST_FOR_A_VERDICT
from headcount.judging.result import Answer, Card, MethodResults, best_first
from headcount.stats.estimate import Estimate

__all__ = [
    "answers_of",
    "costs_of",
    "next_step_of",
    "prices_of",
    "verdict_of",
]


MOST_NAMED = 3
"""Items or raters that a sentence names."""
ADVISED = 3
"""People that the alt-test should have, as its authors say."""
QUESTIONS = (
    "Do the people agree?",
    "How many annotators is each judge worth?",
    "How does it compare with each annotator?",
    "Where do they disagree?",
    "What next?",
)


def answers_of(results: MethodResults, cards: Sequence[Card]) -> tuple[Answer, ...]:
    """Answer each question."""
    answers = [
        _people(results),
        _worth(cards, results),
        _standing(cards, results),
        _disagreement(best_first(cards)[0]),
        _next(cards),
    ]
    return tuple(
        Answer(number=number, question=question, sentences=tuple(sentences))
        for number, (question, sentences) in enumerate(zip(QUESTIONS, answers, strict=True), 1)
    )


# The verdict and the next step, in words.


def verdict_of(
    judged: Judged, found: Verdict, standing: Standing | None, prepared: Prepared
) -> str:
    """Say the verdict and its reason in one or two sentences."""
    name, readiness = judged.name, found.readiness
    if readiness is None and found.follows is None:
        return f"No verdict on {name}: {NO_AGREEMENT}."
    if readiness is None:
        return (
            f"No verdict on {name}: it gives {found.follows}'s answers even where others differ, "
            f"as a copy of {found.follows} would."
        )
    few = next((c for c in found.conditions if c.why.endswith(TOO_FEW)), None)
    if few is not None:
        items = count(few.items, "item")
        return (
            f"Too few items for a verdict on {name}: it shares {items} with people, and at "
            f"least {FEWEST_FOR_A_VERDICT} are needed."
        )
    begins = {
        "ready": f"{name} is ready:",
        "not ready": f"{name} is NOT ready:",
        "cannot tell yet": f"Cannot tell yet whether {name} is ready:",
    }
    scale = ""
    if judged.scale:
        scale = f"it answers on another scale ({judged.scale}), which has to be mapped to people's"
    status = all_of(c.status for c in found.conditions)  # what fails, before what may
    deciding = [c for c in found.conditions if c.status == status]
    reasons = [_reason(c, standing, prepared) for c in deciding]
    why = _listed([scale, *dict.fromkeys(reasons)] if not scale or status != "pass" else [scale])
    if readiness != "ready once recalibrated":
        return f"{begins[readiness]} {why}."
    then = found.standing
    margin = next(c.mark for c in found.conditions if c.name == LikeAPerson.name)
    after = "" if then is None else f" Recalibrated, {_agreement(then, margin)}."
    as_it_is = "" if not why else f" As it stands, {why}."
    return f"{name} is ready once recalibrated.{as_it_is}{after}"


def _agreement(standing: Standing, margin: float) -> str:
    """Say how a judge within the margin agrees with people, by the interval of the difference."""
    e, kappas = standing.difference, (standing.kappa.value, standing.people_kappa.value)
    shown, within = "kappa {:.2f} vs {:.2f}".format(*kappas), ""
    well = "about as well as"
    if e.low is not None and e.low > 0:
        well = "better than"
    elif e.high is not None and e.high < 0:
        well, within = "less than", f", but within the margin of {standing.allowed(margin):.2g}"
    return f"it agrees with people {well} they agree with each other ({shown}){within}"


def _listed(clauses: Sequence[str]) -> str:
    """Join clauses to one."""
    listed = [clause for clause in clauses if clause]
    return ", and ".join([", ".join(listed[:-1]), listed[-1]]) if len(listed) > 1 else listed[0]


def _reason(condition: Condition, standing: Standing | None, prepared: Prepared) -> str:
    """Say what a condition found, as a clause."""
    if standing is None or (condition.why and condition.estimate is None):
        return condition.why
    if condition.name == RecallLikePeople.name:
        below = standing.class_below
        if condition.status != "fail" or below is None:
            return ""
        return (
            f"its recall of '{below.label}' is {below.recall:.0%}, people's is {below.people:.0%}"
        )
    e = condition.estimate
    if e is None:
        return ""
    if condition.name == BiasWithin.name:
        return _bias_reason(condition, e, standing, prepared)
    kappas = f"kappa {standing.kappa.value:.2f} vs {standing.people_kappa.value:.2f}"
    if condition.status == "pass":
        return _agreement(standing, condition.mark)
    if condition.status == "cannot tell" and e.low is not None and e.high is not None:
        return (
            f"its kappa with people ({standing.kappa.value:.2f}; theirs is "
            f"{standing.people_kappa.value:.2f}) could be more than "
            f"{standing.allowed(condition.mark):.2g} lower, which is the limit"
        )
    _, comma, ends = standing.shown_difference.partition(", ")
    between = f"{comma}difference {ends}" if ends else ""
    half = "; less than half of theirs" if condition.shown.endswith("kappa") else ""
    return f"it agrees less with people than they do with each other ({kappas}{between}{half})"


def _bias_reason(condition: Condition, e: Estimate, standing: Standing, prepared: Prepared) -> str:
    """Say how much higher it rates, or how much more often it gives the positive label."""
    mean, higher = standing.people_mean or 0.0, e.value > 0
    passed, undecided = condition.status == "pass", condition.status == "cannot tell"
    if prepared.ordered:
        both, difference = f"{mean + e.value:.2f} vs {mean:.2f}", lead(mean + e.value, mean)
        if passed and not difference:
            return f"it rates as high as they do ({both})"
        if passed:
            way = "higher" if higher else "lower"
            return f"on average it rates {abs(difference):.2f} {way} ({both})"
        rates = "may rate" if undecided else f"rates {abs(difference):.2f}"
        return f"it {rates} too {'high' if higher else 'low'} ({both})"
    label, both = prepared.positive, f"{mean + e.value:.0%} vs {mean:.0%}"
    if passed:
        same = e.low is None or e.high is None or e.low <= 0 <= e.high
        way = "about as" if same else "more" if higher else "less"
        return f"it says '{label}' {way} often ({both})"
    says = "may say" if undecided else "says"
    return f"it {says} '{label}' too {'often' if higher else 'rarely'} ({both})"


def next_step_of(
    found: Verdict,
    conditions: Sequence[Condition],
    results: MethodResults,
    *,
    unanswered: int,
    looks: bool,
) -> str:
    """Say what to do, to follow the name of the judge.

    `unanswered` are items that two people rated, and the judge did not.
    """
    readiness = found.readiness
    if found.follows is not None:
        return f"compare it with the others: {option('exclude', found.follows)}."
    if not results.agree:
        if results.may_agree:
            return "have people label more items to see whether they agree; then run this again."
        return (
            "people agree too little to judge against: clarify the instructions, have the items "
            "labelled again, then run this again."
        )
    if readiness == "ready" and (status := all_of(c.status for c in conditions)) != "pass":
        return _step_to_pass(conditions, status)
    if readiness == "ready":
        return "use it, and have people check a sample of its labels from time to time."
    if readiness == "ready once recalibrated":
        return (
            "recalibrate it, or change its prompt so that it uses the scale as people do, and "
            "judge it again on fresh items."
        )
    if readiness == "not ready":
        return (
            "read the items on which it disagrees with people, change its prompt, and judge it "
            "again on fresh items."
        )
    undecided = [c for c in conditions if c.status == "cannot tell"]
    more = [c.more_items for c in undecided if c.more_items is not None]
    whys = {c.why for c in undecided}
    if more and unanswered:
        items = count(unanswered, "other item")
        return f"have it answer the {items} that people rated, then run this again."
    if not more and TOO_CLOSE in whys:
        return (
            "more items will hardly decide it: allow a wider margin, or change the prompt and "
            "judge it again on fresh items."
        )
    if not more and len(whys) == 1:
        return f"{whys.pop()}."
    if not more:
        return f"{'; '.join(f'whether it {c.words}: {c.why}' for c in undecided)}."
    few = any(c.why.endswith(TOO_FEW) for c in undecided)
    again = "" if looks else f" with {option('looks', 'looks.json')}"
    power = "" if few else f" (enough in {POWER:.0%} of cases, if the estimates are right)"
    about = "about " if few else ""
    return f"label {about}{max(more):,} more items{power}, then run this again{again}."


def _step_to_pass(conditions: Sequence[Condition], status: Status) -> str:
    """Say what to do where a judge is ready, and does not meet what the gate asks besides."""
    if status == "fail":
        return "improve the judge, or lower the requirement."
    more = [c.more_items for c in conditions if c.more_items is not None]
    if any(c.why.startswith(MORE_RATINGS) for c in conditions):
        return "collect more ratings of each item, or lower the requirement."
    if not more:
        return "lower the requirement: no realistic number of items decides this."
    return f"label about {max(more):,} more items, or lower the requirement."


def _people(results: MethodResults) -> list[str]:
    report = results.agreement.report
    if report is None:
        return ["No coefficient of agreement is defined here."]
    e = report.estimate
    text = f"{report.title} {e.show(e.value)}"
    if (interval := e.interval()) and e.level:
        text += (
            f"; {percent(e.level)} interval {results.agreement.holds_for(report.name)} {interval}"
        )
    if report.these_raters is not None:
        text += f", for these raters {report.these_raters.interval()}"
    if results.agree:
        # Of others like them the interval may not tell, as agree itself says.
        these = report.these_raters is not None and e.low is not None and e.low <= 0
        whom = ", at least these people" if these else ""
        if e.low is not None and e.low >= BENCHMARKS[0]:
            return [f"Yes{whom}: {text}."]
        how = "Weakly" if e.value < BENCHMARKS[0] else "Borderline"
        return [f"{how}{whom}: {text}; {MINIMUM} is {BENCHMARKS[0]:g}."]
    if results.may_agree:
        step = "Have people label more items: only people who agree can show how good a judge is."
        return [f"Too few answers to tell: {text}. {step}"]
    items = [str(row.item) for row in results.agreement.items[:MOST_NAMED]]
    raters = [str(row.rater) for row in results.agreement.raters[:MOST_NAMED]]
    return [
        f"Not more than by chance: {text}. People who disagree cannot show how good any judge is. "
        f"Look at the items {some(items)} and the annotators {some(raters)} first."
    ]


def _worth(cards: Sequence[Card], results: MethodResults) -> list[str]:
    if not results.agree:
        return [f"No worth can be given: {NO_AGREEMENT}."]
    out: list[str] = []
    for card in best_first(cards):
        if card.worth.undefined is not None:
            out.append(f"{card.name}: {card.worth.undefined}.")
            continue
        verb = "is" if card.worth.censored == "below" else "is worth"
        text = f"{card.name} {verb} {worth_words(card.worth)}"
        if card.share is not None and card.share.undefined is None:
            text += (
                f"; it captures {_share(card.share)} of the information that infinitely many "
                "annotators would give"
            )
        if card.raw_worth is not None and card.calibrated_worth is not None:
            text += (
                f"; with calibrated probabilities it is worth {worth_words(card.calibrated_worth)}"
            )
        out.append(f"{text}.")
    return out


def _share(e: Estimate) -> str:
    ends = "" if e.low is None or e.high is None else f" ({e.low:.0%} to {e.high:.0%})"
    return f"{e.value:.0%}{ends}"


def prices_of(cost: Mapping[str, float] | str | None) -> dict[str, float] | None:
    """Take what a label costs, by whom.

    Examples
    --------
    >>> prices_of("judge=0.002,person=0.15")
    {'judge': 0.002, 'person': 0.15}
    """
    if cost is None:
        return None
    pairs = (
        cost.items() if isinstance(cost, Mapping) else (p.split("=", 1) for p in cost.split(","))
    )
    try:
        prices = {str(name).strip(): float(price) for name, price in pairs}
    except ValueError:
        prices = {}
    if "person" not in prices or len(prices) < 2 or not all(p >= 0 for p in prices.values()):
        raise OptionError(
            f"{option('cost', cost)}: give what a label by a judge and by a person costs, such as "
            "judge=0.002,person=0.15."
        )
    return prices


def costs_of(cards: Sequence[Card], prices: Mapping[str, float] | None) -> tuple[str, ...]:
    """Say what labels as good as the judge's cost, by it and by people."""
    out: list[str] = []
    if prices is None:
        return ()
    for card in best_first(cards):
        worth, price = card.worth, prices.get(card.name, prices.get("judge"))
        if price is None or worth.undefined is not None or card.readiness is None:
            continue
        value = worth.bounds[1] if np.isinf(worth.value) and worth.bounds else worth.value
        more = "more than " if np.isinf(worth.value) else ""
        by_people = max(value, 0.0) * prices["person"]
        saved = f"the judge saves {more}{1000 * (by_people - price):,.2f} per 1,000 items"
        if by_people <= price:
            saved = "the judge saves nothing"
        out.append(
            f"A label by {card.name} costs {price:g}; a label of the same quality from people "
            f"costs {more}{by_people:.3g}: {saved}."
        )
    return tuple(out)


def _standing(cards: Sequence[Card], results: MethodResults) -> list[str]:
    out = [
        f"{card.name}: fewer than two people share ten items with each other and with it."
        if card.standing is None
        else _place(card.name, card.standing)
        for card in best_first(cards)
    ]
    tested = results.alt_test
    if tested is None:
        return [*out, "The alt-test needs two people with 30 items each."]
    test = f"(epsilon {tested.epsilon:g}, {tested.scorer})"
    passing = [c.name for c in tested.classifiers if c.passes]
    if passing:
        verb = "pass" if len(passing) > 1 else "passes"
        out.append(f"Alt-test {test}: {some(passing, 10)} {verb}.")
    else:
        out.append(f"{'It fails' if len(cards) == 1 else 'All fail'} the alt-test {test}.")
    tried = max((len(c.raters) for c in tested.classifiers), default=0)
    if tried < ADVISED:
        out.append(f"Its authors advise {ADVISED} people or more, not {tried}.")
    by_kappa = {c.name: c.standing.better_than for c in cards if c.standing is not None}
    differ = any(c.won != by_kappa.get(c.name, c.won) for c in tested.classifiers)
    if passing and differ and tested.epsilon > 0:
        points = count(round(100 * tested.epsilon), "percentage point")
        out.append(
            "The alt-test is more lenient than kappa: a judge wins against a person even if it "
            f"agrees with the others up to {points} less often (epsilon)."
        )
    return out


def _place(name: str, standing: Standing) -> str:
    kappa = "quadratic-weighted kappa" if standing.weights == "quadratic" else "kappa"
    difference, _, ends = standing.shown_difference.partition(", ")
    ends = f" ({ends}, {standing.holds_for})" if ends else ""
    people = len(standing.people)
    better = f"It agrees with the others better than {standing.better_than} of {people} annotators"
    if standing.better_than in (0, people):
        than = "better" if standing.better_than else "less"
        better = f"It agrees with the others {than} than each of the {people} annotators"
    against = ""
    if standing.kappa.high is not None and standing.kappa.high < 0:
        against = (
            " It contradicts people more often than random labels would: see whether its labels "
            "mean the same as people's, or are swapped."
        )
    return (
        f"Put in a person's place, {name} agrees with the others at {kappa} "
        f"{standing.kappa.value:.2f}; a person does at {standing.people_kappa.value:.2f}: "
        f"difference {difference}{ends}. {better}.{against}"
    )


def _disagreement(card: Card) -> list[str]:
    disagreement = card.disagreement
    text = (
        f"{card.name} gives the same label as a person in {_share(disagreement.agreement)} of cases"
    )
    if card.standing is not None:
        text += f"; another person does in {card.standing.people_agreement:.0%}"
    out = [f"{text}."]
    if disagreement.classes:
        worst = min(disagreement.classes, key=lambda c: c.recall.value)
        out.append(f"It agrees least on '{worst.label}' ({worst.recall.value:.0%}).")
    return out


def _next(cards: Sequence[Card]) -> list[str]:
    """Say what to do, once for all judges of whom the same is to be done; use the best one."""
    steps: dict[str, list[str]] = {}
    best = best_first(cards)
    ready = [card.name for card in best if (card.readiness, card.status) == ("ready", "pass")]
    for card in best:
        if card.name not in ready[1:]:
            steps.setdefault(card.next_step, []).append(card.name)
    return [
        f"{'' if len(names) == 1 else 'For each of '}{', '.join(names)}: {step}"
        for step, names in steps.items()
    ]
