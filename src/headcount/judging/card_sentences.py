"""The questions of the card in their order, each with its answer in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from headcount.blind_evaluation.result import BlindResult
from headcount.equivalence.panels.result import PanelResult
from headcount.errors import count, percent, some
from headcount.judging.beside_people.records import Standing
from headcount.judging.cards import TO_KNOW
from headcount.judging.gate.conditions import shown_worth, signed
from headcount.judging.prepare import Prepared
from headcount.judging.records import Answer, Card
from headcount.judging.run_methods import Found
from headcount.stats.estimate import Estimate

__all__ = ["answers_of", "best_first"]

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


def best_first(cards: Sequence[Card]) -> list[Card]:
    """Judges by what they are worth, then by how they stand."""

    def key(card: Card) -> tuple[float, float]:
        lead = card.standing.difference.value if card.standing is not None else -2.0
        worth = card.worth.value if card.worth.undefined is None else -1.0
        return -worth, -lead

    return sorted(cards, key=key)


def answers_of(
    prepared: Prepared, found: Found, cards: Sequence[Card], level: float
) -> tuple[Answer, ...]:
    """Answer each question."""
    answers = [
        _people(found),
        _worth(cards, level),
        _standing(cards, found),
        _parting(cards, prepared),
        _rate(prepared, found),
        _together(cards, found),
        _next(cards),
    ]
    return tuple(
        Answer(
            number=number,
            question=question,
            sentences=tuple(sentence for sentence, _ in said),
            values={name: one for _, values in said for name, one in values.items()},
        )
        for number, (question, said) in enumerate(zip(QUESTIONS, answers, strict=True), 1)
    )


Said = list[tuple[str, dict[str, Estimate]]]
"""Sentences, each with the numbers behind it."""


def _people(found: Found) -> Said:
    report = found.agreement.report
    if report is None:
        return [("That cannot be told: no coefficient of agreement is defined.", {})]
    e = report.estimate
    said = f"{report.title} {e.show(e.value)}"
    if (interval := e.interval()) and e.level:
        said += f"; {percent(e.level)} interval {found.agreement.holds_for(report.name)} {interval}"
    if report.these_raters is not None:
        said += f", for these raters {report.these_raters.interval()}"
    if found.agree:
        # Of others like them the interval may not tell, as agree itself says.
        these = report.these_raters is not None and e.low is not None and e.low <= 0
        whom = ", these people do" if these else ""
        return [(f"Yes{whom}, more than by chance: {said}.", {report.name: e})]
    if found.may_agree:
        few = f"That cannot be told, with so few answers: {said}."
        step = "A judge is judged by people who are seen to agree: have them label more items."
        return [(f"{few} {step}", {report.name: e})]
    items = [str(one.item) for one in found.agreement.items[:MOST_NAMED]]
    raters = [str(one.rater) for one in found.agreement.raters[:MOST_NAMED]]
    return [
        (
            f"That cannot be told from chance: {said}. No judge can be judged against people who "
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
        said = f"{card.name} predicts the next person as well as {_raters(card.worth)}"
        if card.share is not None and card.share.undefined is None:
            ends = ""
            if card.share.low is not None and card.share.high is not None:
                ends = f" ({card.share.low:.0%} to {card.share.high:.0%})"
            said += f"; it has {card.share.value:.0%}{ends} of the information there is"
        if card.raw_worth is not None and card.calibrated_worth is not None:
            said += f"; calibrated, as well as {_raters(card.calibrated_worth)}"
        out.append((f"{said}.", {card.name: card.worth}))
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


def _standing(cards: Sequence[Card], found: Found) -> Said:
    out: Said = []
    for card in best_first(cards):
        if card.standing is None:
            said = (
                f"{card.name}: fewer than two people share ten items with each other and with it."
            )
            out.append((said, {}))
            continue
        out.append((_place(card.name, card.standing), {card.name: card.standing.difference}))
    if found.alt_test is None:
        out.append(("The alt-test needs two people with 30 items each.", {}))
    else:
        passing = [c for c in found.alt_test.classifiers if c.passes]
        names = some([c.name for c in passing], 10) if passing else "nobody"
        tested = found.alt_test
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
            said = (
                "That asks for less: a judge may be as close to the others as the person "
                f"{points} less often."
            )
            out.append((said, {}))
    return out


def _place(name: str, one: Standing) -> str:
    kappa = "quadratic-weighted kappa" if one.weights == "quadratic" else "kappa"
    d = one.difference
    ends = ""
    if d.low is not None and d.high is not None:
        ends = f" ({signed(d.low)} to {signed(d.high)}, {one.holds_for})"
    people = len(one.people)
    better = f"more than {one.better_than} of the {people} people do"
    if one.better_than in (0, people):
        better = f"{'more' if one.better_than else 'less'} than each of the {people} people"
    against = ""
    if one.kappa.high is not None and one.kappa.high < 0:
        against = (
            " It contradicts people more often than labels at random would: see whether its "
            "labels mean what people's do, or are swapped."
        )
    return (
        f"{name} in a person's place agrees with the others by a {kappa} of {one.kappa.value:.2f}; "
        f"the people themselves reach {one.people_kappa.value:.2f}: {signed(d.value)}{ends}. It "
        f"agrees with the others {better}.{against}"
    )


def _parting(cards: Sequence[Card], prepared: Prepared) -> Said:
    out: Said = []
    for card in best_first(cards)[:1]:
        one = card.parting
        e = one.agreement
        ends = "" if e.low is None or e.high is None else f" ({e.low:.0%} to {e.high:.0%})"
        said = f"{card.name} says what a person says in {e.value:.0%}{ends} of cases"
        if card.standing is not None:
            said += f", a person in {card.standing.people_agreement:.0%}"
        said += "."
        if one.classes:
            worst = min(one.classes, key=lambda c: c.recall.value)
            said += (
                f" Least where people say '{worst.label}': there it says the same in "
                f"{worst.recall.value:.0%}."
            )
        out.append((said + _bias(card, prepared), {card.name: e}))
    return out


def _bias(card: Card, prepared: Prepared) -> str:
    """Say whether it is harsher or milder than people."""
    bias = None if card.standing is None else card.standing.bias
    if bias is None:
        return ""
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


def _rate(prepared: Prepared, found: Found) -> Said:
    if found.rate is None:
        return [(f"No rate: {found.no_rate}.", {})]
    rate = found.rate
    out: Said = [(f"{rate.page().headline[0].rstrip('.')}.", {"rate": rate.rate})]
    items, labelled = rate.provenance.items_used, rate.provenance.rated
    if labelled < items:
        said = f"Of {items:,} items that were judged, people labelled {labelled:,}."
        out.append((said, {}))
    learned = [one.name for one in prepared.judges if one.learned]
    if learned:
        said = (
            f"What {some_words(learned)} gives counts as the labels that people give there, "
            "learned from the items that they labelled."
        )
        out.append((said, {}))
    return out


def _together(cards: Sequence[Card], found: Found) -> Said:
    if len(cards) < 2:
        return [("There is one judge.", {})]
    ranked = [card.name for card in best_first(cards)]
    told = {
        frozenset((one.a, one.b))
        for one in found.survey.comparisons
        if one.raters.low is not None
        and one.raters.high is not None
        and (one.raters.low > 0 or one.raters.high < 0)
    }
    pairs = len(cards) * (len(cards) - 1) // 2
    said = f"{len(told)} of {count(pairs, 'pair')} of judges are told apart by their worth"
    alike = [f"{a} and {b}" for a, b in pairwise(ranked) if frozenset((a, b)) not in told]
    said += f"; not {some_words(alike)}." if alike else "."
    out: Said = [(said, {})]
    if found.panels is not None:
        out += _panel(found.panels, len(cards))
    if found.together is not None:
        out += _dependence(found.together)
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
    found = together.diagnostics
    families = (
        []
        if found is None
        else [
            some([found.classifiers[k] for k in family.members], 10)
            for family in found.families
            if family.together
        ]
    )
    if families:
        out.append((f"These err together: {'; '.join(families)}.", {}))
    if together.panel is not None:
        out.append((together.panel.sentence().replace("classifiers", "judges"), {}))
    return out
