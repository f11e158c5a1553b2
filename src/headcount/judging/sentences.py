"""The questions of the card in their order, each with its answer in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from headcount.agreement.recommendation import BENCHMARKS
from headcount.blind_evaluation.result import BlindResult
from headcount.equivalence.panels import PanelResult
from headcount.errors import OptionError, count, option, percent, some
from headcount.judging.beside_people import Standing, signed
from headcount.judging.gate import shown_worth
from headcount.judging.prepare import Prepared
from headcount.judging.result import Answer, Card, MethodResults, best_first
from headcount.stats.estimate import Estimate

__all__ = [
    "TO_KNOW",
    "answers_of",
    "prices_of",
]


TO_KNOW = "to know whether it"
"""What a next step says that names a number of items which would tell."""


MOST_NAMED = 3
"""Items or raters that a sentence names."""
AS_IT_SEEMS = "as far from the mark as it seems now"
ADVISED = 3
"""People that the alt-test should have, as its authors say."""
QUESTIONS = (
    "Do the people agree?",
    "What is each judge worth in raters?",
    "Where would a person stand?",
    "Where do judge and people part?",
    "What would people say of all items?",
    "What are the judges together?",
    "What next?",
)


def answers_of(
    prepared: Prepared,
    results: MethodResults,
    cards: Sequence[Card],
    level: float,
    prices: Mapping[str, float] | None = None,
) -> tuple[Answer, ...]:
    """Answer each question."""
    answers = [
        _people(results),
        [*_worth(cards, level), *_costs(cards, prices)],
        _standing(cards, results),
        _parting(cards, prepared),
        _rate(prepared, results),
        _together(cards, results),
        _next(cards),
    ]
    return tuple(
        Answer(
            number=number,
            question=question,
            sentences=tuple(sentence for sentence, _ in sentences),
            values={name: estimate for _, values in sentences for name, estimate in values.items()},
        )
        for number, (question, sentences) in enumerate(zip(QUESTIONS, answers, strict=True), 1)
    )


Said = list[tuple[str, dict[str, Estimate]]]
"""Sentences, each with the numbers behind it."""


def _people(results: MethodResults) -> Said:
    report = results.agreement.report
    if report is None:
        return [("That cannot be told: no coefficient of agreement is defined.", {})]
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
        whom = ", these people do" if these else ""
        how = "Weakly, but yes" if e.value < BENCHMARKS[0] else "Yes"
        return [(f"{how}{whom}, more than by chance: {text}.", {report.name: e})]
    if results.may_agree:
        few = f"That cannot be told, with so few answers: {text}."
        step = "A judge is judged by people who are seen to agree: have them label more items."
        return [(f"{few} {step}", {report.name: e})]
    items = [str(row.item) for row in results.agreement.items[:MOST_NAMED]]
    raters = [str(row.rater) for row in results.agreement.raters[:MOST_NAMED]]
    return [
        (
            f"That cannot be told from chance: {text}. No judge can be judged against people who "
            f"are not seen to agree. Look at the items {some(items)} and the raters {some(raters)} "
            "first.",
            {report.name: e},
        )
    ]


def _worth(cards: Sequence[Card], level: float) -> Said:
    out: Said = []
    for card in best_first(cards):
        if card.worth.undefined is not None:
            out.append((f"{card.name}: {card.worth.undefined}.", {card.name: card.worth}))
            continue
        text = f"{card.name} predicts the next person as well as {_raters(card.worth)}"
        if card.share is not None and card.share.undefined is None:
            ends = ""
            if card.share.low is not None and card.share.high is not None:
                ends = f" ({card.share.low:.0%} to {card.share.high:.0%})"
            text += f"; it has {card.share.value:.0%}{ends} of the information there is"
        if card.raw_worth is not None and card.calibrated_worth is not None:
            text += f"; calibrated, as well as {_raters(card.calibrated_worth)}"
        out.append((f"{text}.", {card.name: card.worth}))
    return out


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


def _costs(cards: Sequence[Card], prices: Mapping[str, float] | None) -> Said:
    """Say what labels as good as the judge's cost, by it and by people."""
    out: Said = []
    if prices is None:
        return out
    for card in best_first(cards):
        worth, price = card.worth, prices.get(card.name, prices.get("judge"))
        if price is None or worth.undefined is not None:
            continue
        person = prices["person"]
        value = worth.bounds[1] if np.isinf(worth.value) and worth.bounds else worth.value
        more = "more than " if np.isinf(worth.value) else ""
        by_people = max(value, 0.0) * person
        saved = f"it saves {more}{1000 * (by_people - price):,.2f} per 1,000 items"
        if by_people <= price:
            saved = "it saves nothing"
        out.append(
            (
                f"A label by {card.name} costs {price:g}; people whose labels are worth as much "
                f"cost {more}{by_people:.3g}: {saved}.",
                {},
            )
        )
    return out


def _raters(worth: Estimate) -> str:
    """Write a worth, such as 'about 2.1 raters (1.5 to 3.0)'."""
    value, _, interval = shown_worth(worth).partition(", ")
    raters = f"{value} raters"
    if worth.censored == "below":
        raters = "no rater at all, or worse"
    elif worth.censored == "above":
        most = value.removeprefix("> ")
        raters = f"more than {most} {'rater' if most == '1' else 'raters'}"
    return f"{raters} ({interval})" if interval else raters


def _standing(cards: Sequence[Card], results: MethodResults) -> Said:
    out: Said = []
    for card in best_first(cards):
        if card.standing is None:
            text = (
                f"{card.name}: fewer than two people share ten items with each other and with it."
            )
            out.append((text, {}))
            continue
        out.append((_place(card.name, card.standing), {card.name: card.standing.difference}))
    if results.alt_test is None:
        out.append(("The alt-test needs two people with 30 items each.", {}))
    else:
        passing = [c for c in results.alt_test.classifiers if c.passes]
        names = some([c.name for c in passing], 10) if passing else "nobody"
        tested = results.alt_test
        verb = "pass" if len(passing) > 1 else "passes"
        out.append(
            (
                f"Alt-test at epsilon {tested.epsilon:g}, by {tested.scorer}: {names} {verb}.",
                {},
            )
        )
        tried = max((len(c.raters) for c in tested.classifiers), default=0)
        if tried < ADVISED:
            out.append((f"Its authors advise {ADVISED} people or more, not {tried}.", {}))
        rejected = {card.name for card in cards if card.status == "fail"}
        if rejected & {c.name for c in passing} and tested.epsilon > 0:
            points = count(round(100 * tested.epsilon), "percentage point")
            text = (
                "That asks for less: a judge may be as close to the others as the person "
                f"{points} less often."
            )
            out.append((text, {}))
    return out


def _place(name: str, standing: Standing) -> str:
    kappa = "quadratic-weighted kappa" if standing.weights == "quadratic" else "kappa"
    d = standing.difference
    ends = ""
    if d.low is not None and d.high is not None:
        ends = f" ({signed(d.low)} to {signed(d.high)}, {standing.holds_for})"
    people = len(standing.people)
    better = f"more than {standing.better_than} of the {people} people do"
    if standing.better_than in (0, people):
        better = f"{'more' if standing.better_than else 'less'} than each of the {people} people"
    against = ""
    if standing.kappa.high is not None and standing.kappa.high < 0:
        against = (
            " It contradicts people more often than labels at random would: see whether its "
            "labels mean what people's do, or are swapped."
        )
    return (
        f"{name} in a person's place agrees with the others by a {kappa} of "
        f"{standing.kappa.value:.2f}; the people themselves reach {standing.people_kappa.value:.2f}"
        f": {signed(d.value)}{ends}. It agrees with the others {better}.{against}"
    )


def _parting(cards: Sequence[Card], prepared: Prepared) -> Said:
    out: Said = []
    for card in best_first(cards)[:1]:
        parting = card.parting
        e = parting.agreement
        ends = "" if e.low is None or e.high is None else f" ({e.low:.0%} to {e.high:.0%})"
        text = f"{card.name} says what a person says in {e.value:.0%}{ends} of cases"
        if card.standing is not None:
            text += f", a person in {card.standing.people_agreement:.0%}"
        text += "."
        if parting.classes:
            worst = min(parting.classes, key=lambda c: c.recall.value)
            text += (
                f" Least where people say '{worst.label}': there it says the same in "
                f"{worst.recall.value:.0%}."
            )
        out.append((text + _bias(card, prepared), {card.name: e}))
    return out


def _bias(card: Card, prepared: Prepared) -> str:
    """Say whether it is harsher or milder than people."""
    if card.standing is None or card.standing.bias is None:
        return ""
    bias = card.standing.bias.value
    if prepared.ordered:
        if abs(bias) < 0.005:
            return " Its labels are as high as theirs in the mean."
        way = "higher" if bias > 0 else "lower"
        return f" Its labels are {abs(bias):.2f} {way} than theirs in the mean."
    if abs(bias) < 0.005:
        return f" It says '{prepared.positive}' as often as they do."
    way = "more" if bias > 0 else "less"
    points = count(max(round(100 * abs(bias)), 1), "percentage point")
    return f" It says '{prepared.positive}' {points} {way} often than they do."


def _rate(prepared: Prepared, results: MethodResults) -> Said:
    if results.rate is None:
        return [(f"No rate: {results.no_rate}.", {})]
    rate = results.rate
    out: Said = [(f"{rate.page().headline[0].rstrip('.')}.", {"rate": rate.rate})]
    items, labelled = rate.provenance.items_used, rate.provenance.rated
    if labelled < items:
        text = f"Of {items:,} items that were judged, people labelled {labelled:,}."
        out.append((text, {}))
    learned = [judged.name for judged in prepared.judges if judged.learned]
    if learned:
        text = (
            f"What {some_words(learned)} gives counts as the labels that people give there, "
            "learned from the items that they labelled."
        )
        out.append((text, {}))
    return out


def _together(cards: Sequence[Card], results: MethodResults) -> Said:
    if len(cards) < 2:
        return [("There is one judge.", {})]
    ranked = [card.name for card in best_first(cards)]
    apart = {
        frozenset((c.a, c.b))
        for c in results.survey.comparisons
        if c.raters.low is not None
        and c.raters.high is not None
        and (c.raters.low > 0 or c.raters.high < 0)
    }
    pairs = len(cards) * (len(cards) - 1) // 2
    text = f"{len(apart)} of {count(pairs, 'pair')} of judges are told apart by their worth"
    alike = [f"{a} and {b}" for a, b in pairwise(ranked) if frozenset((a, b)) not in apart]
    text += f"; not {some_words(alike)}." if alike else "."
    out: Said = [(text, {})]
    if results.panels is not None:
        out += _panel(results.panels, len(cards))
    if results.together is not None:
        out += _dependence(results.together)
    return out


def _panel(panels: PanelResult, judges: int) -> Said:
    """Say what a panel is worth; of many judges, that it is one of the best of them."""
    lines = [f"{line.rstrip('.')}." for line in panels.page().headline]
    size = len(panels.members)
    if size < judges:
        of = f"Of {judges} judges, the {size} that are worth most alone are made panels of."
        lines = [of, *(line.replace(f"All {size} ", f"These {size} ", 1) for line in lines)]
    out: Said = [(line.replace("classifier", "judge"), {}) for line in lines]
    out[0][1]["panel"] = panels.everyone
    return out


def _next(cards: Sequence[Card]) -> Said:
    """Say what to do, once for all judges of whom the same is to be done."""
    steps: dict[str, list[str]] = {}
    for card in best_first(cards):
        steps.setdefault(card.next_step, []).append(card.name)
    out: Said = [
        (f"{'' if len(names) == 1 else 'Each of '}{', '.join(names)}: {step}", {})
        for step, names in steps.items()
    ]
    if any(TO_KNOW in step for step in steps):
        who = "it is" if len(cards) == 1 else "a judge is"
        out.append((f"So many items tell in four cases of five, if {who} {AS_IT_SEEMS}.", {}))
    return out


def some_words(names: Sequence[str]) -> str:
    """List a few, without quotes."""
    listed = ", ".join(names[:MOST_NAMED])
    rest = len(names) - MOST_NAMED
    return f"{listed} and {rest} more" if rest > 0 else listed


def _dependence(together: BlindResult) -> Said:
    out: Said = []
    diagnostics = together.diagnostics
    families = (
        []
        if diagnostics is None
        else [
            some([diagnostics.classifiers[k] for k in family.members], 10)
            for family in diagnostics.families
            if family.together
        ]
    )
    if families:
        out.append((f"These err together: {'; '.join(families)}.", {}))
    if together.panel is not None:
        out.append((together.panel.sentence().replace("classifiers", "judges"), {}))
    return out
