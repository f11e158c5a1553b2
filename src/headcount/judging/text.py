"""The judge card in words and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from headcount.equivalence.panels.result import PanelResult
from headcount.errors import count, percent
from headcount.judging.beside_people.records import Standing
from headcount.judging.card_sentences import best_first
from headcount.judging.disagreements.records import Parting
from headcount.judging.gate.conditions import WHOLE, shown_worth, signed
from headcount.judging.gate.records import WORDS
from headcount.judging.records import Answer, Card, JudgeRecord
from headcount.results.text import ALL_ENTRIES, Answered, Code, Page, Table
from headcount.stats.estimate import Estimate

__all__ = ["page"]

MOST_PEOPLE, MOST_ITEMS, MOST_LABELS, MOST_GROUPS = 12, 8, 8, 12
"""People, items to read again, labels and groups that are printed."""
WIDEST = 36
"""Letters that who said what may take; else labels are counted."""
MOST_VERDICTS = 3
"""Judges whose verdicts open the card; a table has all."""

WORTH, STANDING, PARTING, RATE, TOGETHER = 2, 3, 4, 5, 6
"""Numbers of answers that have tables, or are left out."""
Block = Table | Code | Answered | str


def page(result: JudgeRecord) -> Page:
    """Give the verdict, then answer each question with its table."""
    judges = best_first(result.judges)
    question = "May this judge stand in for a person here?"
    if result.gate is not None:
        question = f"gate: {result.gate.status}"
    elif len(judges) > 1:
        question = "May these judges stand in for a person here?"
    blocks: list[Block] = []
    asked = [one for one in result.answers if len(judges) > 1 or one.number != TOGETHER]
    for number, answer in enumerate(asked, 1):
        said = " ".join(_sentences(answer, len(judges)))
        blocks.append(Answered(f"{number}. {answer.question}", said))
        blocks += _tables(answer.number, result, judges)
    headline = [question, *(card.verdict for card in judges[:MOST_VERDICTS])]
    if (rest := len(judges) - MOST_VERDICTS) > 0:
        headline.append(f"and {count(rest, 'more judge')}, in the table of answer 2.")
    return Page(headline, blocks, [_foot(result)])


def _sentences(answer: Answer, judges: int) -> Sequence[str]:
    """Of several judges, those on the best one: a table has the others."""
    if judges > 1 and answer.number in (WORTH, STANDING):
        return [answer.sentences[0], *answer.sentences[judges:]]
    return answer.sentences


def _tables(number: int, result: JudgeRecord, judges: Sequence[Card]) -> list[Block]:
    """Tables that stand with an answer."""
    first = judges[0]
    if number == WORTH and len(judges) > 1:
        return [_worths(judges)]
    if number == STANDING:
        out: list[Block] = [_standings(judges)] if len(judges) > 1 else []
        if first.standing is None:
            return out
        out.append(_people(first, first.standing))
        return [*out, _recalls(first, first.standing)] if _few_labels(first) else out
    if number == PARTING:
        out = [_confusion(first)] if _few_labels(first) else []
        if first.parting.groups:
            out.append(_groups(first.parting, result.provenance.by))
        return [*out, _items(first)] if first.parting.items else out
    if number == TOGETHER and result.panels is not None:
        return [_best_panels(result.panels)]
    if number == RATE and result.rate is not None and len(result.rate.judges) > 1:
        return [result.rate.page().blocks[0]]
    return []


def _worths(judges: Sequence[Card]) -> Table:
    head = ["judge", "worth in raters", "share of the information", "verdict"]
    body = [
        [card.name, _ends(shown_worth(card.worth)), _percentages(card.share), WORDS[card.status]]
        for card in judges
    ]
    return Table(head, body)


def _ends(shown: str) -> str:
    """Write '1.2, 1.0 to 2.0' as '1.2 (1.0 to 2.0)'."""
    value, _, interval = shown.partition(", ")
    return f"{value} ({interval})" if interval else value


def _percentages(e: Estimate | None) -> str:
    if e is None or e.undefined is not None or not math.isfinite(e.value):
        return ""
    if e.low is None or e.high is None:
        return f"{e.value:.0%}"
    return f"{e.value:.0%} ({e.low:.0%} to {e.high:.0%})"


def _standings(judges: Sequence[Card]) -> Table:
    head = ["judge", "kappa", "people's", "difference", "better than", "agrees", "people", "bias"]
    body: list[list[str]] = []
    for card in judges:
        one = card.standing
        if one is None:
            body.append([card.name, *[""] * 7])
            continue
        d = one.difference
        ends = "" if d.low is None or d.high is None else f" ({signed(d.low)} to {signed(d.high)})"
        body.append(
            [
                card.name,
                f"{one.kappa.value:.2f}",
                f"{one.people_kappa.value:.2f}",
                f"{signed(d.value)}{ends}",
                f"{one.better_than} of {len(one.people)}",
                f"{one.agreement:.0%}",
                f"{one.people_agreement:.0%}",
                _bias(one.bias),
            ]
        )
    if all(card.standing is None or card.standing.bias is None for card in judges):
        head, body = head[:-1], [row[:-1] for row in body]
    return Table(head, body, title="Judges in the place of each person, in the mean")


def _people(card: Card, one: Standing) -> Table:
    head = ["person", "items", "kappa", "judge", "agrees", "judge"]
    if biased := one.bias is not None:
        head += ["bias", "judge"]
    body = [
        [
            str(row.person),
            f"{row.items:,}",
            _number(row.kappa),
            _number(row.judge_kappa),
            f"{row.agreement:.0%}",
            f"{row.judge_agreement:.0%}",
            *([_bias(row.bias), _bias(row.judge_bias)] if biased else []),
        ]
        for row in one.people[:MOST_PEOPLE]
    ]
    rest = len(one.people) - len(body)
    more = f"and {count(rest, 'person').replace('persons', 'people')} more{ALL_ENTRIES}"
    return Table(
        head,
        body,
        title=f"Each person with the others, and {card.name} in that person's place",
        more=more if rest > 0 else "",
    )


def _few_labels(card: Card) -> bool:
    return len(card.parting.labels) <= MOST_LABELS


def _recalls(card: Card, one: Standing) -> Table:
    """Show recall by label, people and judge side by side."""
    head = ["where another person says", "people say the same", f"{card.name} does"]
    body: list[list[str]] = []
    for label in card.parting.labels:
        rows = [row for row in one.people if label in row.recall]
        if rows:
            means = (
                sum(getattr(row, side)[label] for row in rows) / len(rows)
                for side in ("recall", "judge_recall")
            )
            body.append([label, *(f"{mean:.0%}" for mean in means)])
    return Table(head, body)


def _confusion(card: Card) -> Table:
    one = card.parting
    used = [k for k in range(len(one.judge_labels)) if any(row[k] for row in one.confusion)]
    head = ["people say", *(f"judge '{one.judge_labels[k]}'" for k in used), "same", "interval"]
    recall = {row.label: row.recall for row in one.classes}
    body = [
        [
            label,
            *(f"{row[k]:,}" for k in used),
            f"{recall[label].value:.0%}",
            _few(recall[label]),
        ]
        for label, row in zip(one.labels, one.confusion, strict=True)
        if label in recall
    ]
    return Table(head, body, title=f"Ratings by what people and {card.name} say")


def _few(e: Estimate) -> str:
    return "too few" if e.low is None or e.high is None else f"{e.low:.0%} to {e.high:.0%}"


def _groups(one: Parting, by: str | None) -> Table:
    head = [by or "group", "items", "judge agrees", "interval", "people agree"]
    body = [
        [
            group.group,
            f"{group.items:,}",
            f"{group.agreement.value:.0%}",
            _few(group.agreement),
            "" if group.people is None else f"{group.people:.0%}",
        ]
        for group in one.groups[:MOST_GROUPS]
    ]
    rest = len(one.groups) - len(body)
    more = f"and {count(rest, 'more group')}{ALL_ENTRIES}" if rest > 0 else ""
    return Table(head, body, title="By group, least agreement first", more=more)


def _items(card: Card) -> Table:
    one = card.parting
    head = ["item", "judge", "people"]
    body = [[str(row.item), row.judge, _said(row.said)] for row in one.items[:MOST_ITEMS]]
    rest = len(one.items) + one.more_items - len(body)
    more = f"and {count(rest, 'more item')}{ALL_ENTRIES}" if rest > 0 else ""
    return Table(head, body, title="Items to read again, worst first", more=more)


def _said(said: Mapping[str, str]) -> str:
    """Write who said what, by label; how many, where names are long or many."""
    by: dict[str, list[str]] = {}
    for name, label in said.items():
        by.setdefault(label, []).append(name)
    named = "; ".join(f"{label}: {', '.join(names)}" for label, names in by.items())
    if len(named) <= WIDEST:
        return named
    return ", ".join(f"{label} ({len(names)} x)" for label, names in by.items())


def _best_panels(panels: PanelResult) -> Table:
    """Show the best panel of each size from two on; the sentence has what all are worth.

    What one judge is worth stands in another table, by the judge's own calibration.
    """
    head = ["best panel of its size", "worth in raters"]
    several = [one for one in panels.best if len(one.members) > 1]
    return Table(head, [[" + ".join(one.members), _without_words(one.worth)] for one in several])


def _without_words(worth: Estimate) -> str:
    """Write a worth as short as can be, beside the names of a panel."""
    shown = shown_worth(worth)
    return _ends(shown.removeprefix("about ").removesuffix(WHOLE))


def _number(x: float) -> str:
    return f"{x:.2f}" if math.isfinite(x) else ""


def _bias(x: float | None) -> str:
    return "" if x is None else signed(x)


def _foot(result: JudgeRecord) -> str:
    p, one = result.provenance, len(result.judges) == 1
    used = "agree, survey, alt_test and corrected_rate"
    if not one:
        used = "agree, survey, alt_test, corrected_rate, blind and panel_worth"
    people = "unknown people" if p.n_raters is None else count(p.n_raters, "person")
    return (
        f"{count(p.items_used, 'item')} with answers of {people.replace('persons', 'people')} and "
        f"{count(len(result.judges), 'judge')}; yes and no are decided on "
        f"{percent(p.level or 0.95)} intervals. Numbers are those of {used} on "
        "the same data."
    )
