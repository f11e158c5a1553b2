"""What :func:`headcount.judge` returns: its fields, words, tables and figure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from headcount.agreement.recommendation import BENCHMARKS
from headcount.agreement.result import AgreementResult
from headcount.data.predictions import Predictions
from headcount.equivalence.alt_test import AltTest
from headcount.equivalence.result import SurveyResult
from headcount.errors import (
    DataError,
    Named,
    count,
    marked,
    option,
    percent,
    some,
    spelt,
    unknown_name,
)
from headcount.io.values import MERGES, Several, spelt_as
from headcount.judging.beside_people import Disagreement, Standing, signed
from headcount.judging.gate import (
    NO_AGREEMENT,
    WHOLE,
    Condition,
    GateResult,
    Readiness,
    RecallLikePeople,
    Status,
    all_of,
    besides_of,
    shown_worth,
    worth_words,
)
from headcount.judging.maps import LabelMap, check_maps, map_labels
from headcount.judging.over_time import Change
from headcount.judging.prepare import Prepared
from headcount.judging.runs import Contradiction
from headcount.results.fields import Record, json_value, listing
from headcount.results.notes import Provenance
from headcount.results.plotting import (
    COLOURS,
    columns_beside,
    cut,
    draw_interval,
    legend_above,
    new_figure,
    plain,
    rows_of,
    written,
)
from headcount.results.result import ALL_ENTRIES, Answered, Code, Page, Result, Screen, again
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "MethodResults",
    "Answer",
    "Card",
    "JudgeProvenance",
    "best_first",
    "JudgeResult",
]


def shown_to_agree(agreement: AgreementResult) -> bool:
    """Whether these people agree with each other more than by chance, by the interval."""
    report = agreement.report
    if report is None or report.too_small is not None:
        return False
    estimate = agreement.these_raters[report.name]
    # Where all agree about everything nothing varies, and there is no interval.
    return estimate.value == 1 if estimate.low is None else estimate.low > 0


@dataclass(frozen=True, eq=False, kw_only=True)
class MethodResults:
    """What the methods found.

    Parameters
    ----------
    agreement : AgreementResult
    survey : SurveyResult
    calibrated : mapping of judge to Estimate
        Worth of judges that give probabilities, calibrated besides.
    alt_test : AltTest or None
        None where no two people have enough items.
    """

    agreement: AgreementResult
    survey: SurveyResult
    calibrated: dict[str, Estimate]
    alt_test: AltTest | None

    @property
    def agree(self) -> bool:
        """Whether these people agree with each other more than by chance."""
        return shown_to_agree(self.agreement)

    @property
    def may_agree(self) -> bool:
        """Whether they may agree well all the same, if more of their answers were there to see."""
        report = self.agreement.report
        if report is None or self.agree:
            return False
        most = self.agreement.these_raters[report.name].high
        return report.too_small is not None or most is None or most >= BENCHMARKS[0]


@dataclass(frozen=True, kw_only=True)
class Answer(Record):
    """The answer to one question of the card.

    Parameters
    ----------
    number : int
    question : str
    sentences : tuple of str
        In which options are marked, for :func:`headcount.errors.spelt`.
    """

    number: int
    question: str
    sentences: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {**super().to_dict(), "sentences": [spelt(sentence) for sentence in self.sentences]}


@dataclass(frozen=True, kw_only=True)
class Card(Record):
    """All that is found of one judge.

    Parameters
    ----------
    name : str
    kind : str
        What it gives: "labels", "probabilities" or "scores".
    scale : str
        What it answers on, in words, where that is not people's scale; else "".
    calibration : str or None
        How probabilities were learned from what it says, for its worth; None if they are its own.
    worth : Estimate
        In raters: the calibrated one, unless its predictions are distributions.
    raw_worth : Estimate or None
        As it is, where it gives probabilities and is calibrated besides.
    calibrated_worth : Estimate or None
    share : Estimate or None
        Of the information that is available.
    standing : Standing or None
        None where fewer than two people share items with the judge.
    disagreement : Disagreement
    readiness : {"ready", "ready once recalibrated", "not ready", "cannot tell yet"} or None
        The verdict; None where the judge follows one person, or people are not shown to agree.
    follows : str or None
        The person whose answers it repeats.
    conditions : tuple of Condition
        What the verdict rests on, for the judge as it is, and what the gate asks for besides.
    recalibrated : tuple of Condition or None
        The same for the recalibrated judge; None where it is ready as it is, or has no order.
    recalibrated_standing : Standing or None
        Where the recalibrated judge stands among people.
    status : {"pass", "fail", "cannot tell"}
        Of the gate: whether it is ready and meets the other conditions.
    verdict : str
        One sentence.
    next_step : str
        What to do, in a sentence.
    """

    name: str
    kind: str
    scale: str
    calibration: str | None
    worth: Estimate
    raw_worth: Estimate | None
    calibrated_worth: Estimate | None
    share: Estimate | None
    standing: Standing | None
    disagreement: Disagreement
    readiness: Readiness | None
    follows: str | None
    conditions: tuple[Condition, ...]
    recalibrated: tuple[Condition, ...] | None
    recalibrated_standing: Standing | None
    status: Status
    verdict: str
    next_step: str


@dataclass(frozen=True, kw_only=True)
class JudgeProvenance(Provenance):
    """How a card came about: what judges' answers are called, and the column of groups.

    `looks` counts the looks at a growing set of items; None for a verdict of one look.
    """

    judges: str
    by: str | None = None
    positive: str | None = None
    looks: int | None = None


@dataclass(frozen=True, repr=False, kw_only=True)
class JudgeResult(Result):
    """Whether judges may stand in for a person, and the evidence for it.

    Parameters
    ----------
    judges : tuple of Card
        In the order of the predictions; ``result["name"]`` finds one.
    answers : tuple of Answer
        The questions of the card in their order, each answered in sentences.
    gate : GateResult or None
        The result of the gate; None without one.
    changes : tuple of Change
        Changes from the baseline, if there is one.
    runs : tuple of Contradiction
        How often judges contradict themselves, if there are several runs.
    costs : tuple of str
        What labels by each judge cost and save, if costs are given.
    maps : tuple of LabelMap
        Maps of judges whose answers have an order, which `recalibrated` applies.
    prepared : Prepared
        The data, for `recalibrated`.
    written : str
        The file with the recalibrated labels; "" if none was written.
    agreement : AgreementResult
    survey : SurveyResult
    alt_test : AltTest or None
        None where no two people have enough items.
    provenance : JudgeProvenance
    notes : tuple of Note

    Examples
    --------
    >>> from headcount import judge
    >>> card = judge("example:stars", "example:judge", bootstrap=50)
    >>> card["judge"].worth.value > 1
    True
    """

    provenance: JudgeProvenance
    judges: tuple[Card, ...]
    answers: tuple[Answer, ...]
    gate: GateResult | None
    agreement: AgreementResult
    survey: SurveyResult
    alt_test: AltTest | None
    changes: tuple[Change, ...] = ()
    runs: tuple[Contradiction, ...] = ()
    costs: tuple[str, ...] = ()
    maps: tuple[LabelMap, ...] = ()
    prepared: Prepared | None = None
    written: str = ""

    def recalibrated(self) -> Predictions:
        """Return the judges with their answers mapped to people's labels.

        Of items that people rated, by what the other items teach; ties are drawn, keyed by the seed
        and the item.
        """
        check_maps(self.maps)
        if self.prepared is None:
            raise DataError("the data of this card are not here: make it anew.")
        return map_labels(self.prepared.predictions, self.maps, self.prepared)

    def __getitem__(self, name: str) -> Card:
        for card in self.judges:
            if card.name == name:
                return card
        raise unknown_name("judge", name, [card.name for card in self.judges])

    def page(self) -> Page:
        """Give the verdict, then answer each question."""
        judges = best_first(self.judges)
        several = "this judge" if len(judges) == 1 else "these judges"
        question = f"May {several} stand in for a person here?"
        if self.gate is not None:
            question = self._gate(self.gate.status)
        blocks: list[Block] = []
        for answer in self.answers:
            sentences = " ".join(_sentences(answer, len(judges)))
            blocks.append(Answered(f"{answer.number}. {answer.question}", sentences))
            blocks += _tables(answer.number, self, judges)
        said = [card.verdict for card in judges if card.readiness or card.follows]
        weak = _weak(self.agreement, judges)
        headline = [question, *weak, *self._said(), *said[:MOST_VERDICTS], *self.costs]
        if (rest := len(said) - MOST_VERDICTS) > 0:
            headline.append(f"and {count(rest, 'more judge')}, in the table of answer 2.")
        return Page(headline, blocks, [_foot(self)])

    def screen(self) -> Screen:
        """Say the verdict, with what it rests on in one table, and the next step."""
        judges = best_first(self.judges)
        gate = [] if self.gate is None else [self._gate(self.gate.status)]
        leaks = [card.verdict for card in judges if card.follows is not None]
        head = [*gate, *leaks, *_weak(self.agreement, judges), *self._said()]
        p, first = self.provenance, judges[0]
        if len(judges) == 1:
            if first.readiness is not None:
                head.append(first.verdict)
                told = any(shown_worth(first.worth) in text for text in gate)
                head += [] if told or first.worth.undefined is not None else [_its_worth(first)]
            head += _by_group(first, p.by)
            table = _beside(first, self.alt_test, p.positive)
        else:
            head += _by_verdict(judges)
            table = _ranking(judges, MOST_JUDGES, p.positive)
        people = "unknown annotators" if p.n_raters is None else count(p.n_raters, "annotator")
        data = f"{count(p.items_used, 'item')}, {people}"
        if p.looks is not None:
            data += "; valid for repeated checks" + (f" (check {p.looks})" if p.looks else "")
        steps = _steps(judges, self.gate, self.written)
        return Screen([*head, *self.costs], table, data, steps)

    def _gate(self, status: Status) -> str:
        """Say what the gate comes to, by which conditions besides the verdicts below."""
        besides = [text for card in self.judges for text in besides_of(card, status)]
        named = "; ".join(besides[:MOST_BESIDES]) if status != "pass" else ""
        rest = f"; and {len(besides) - MOST_BESIDES} more" if besides[MOST_BESIDES:] else ""
        return f"gate: {status}{named and f': {named}{rest}'}."

    def _said(self) -> list[str]:
        """Say how runs differ, and what has changed since the baseline."""
        retest = self.agreement.retest
        people = None if retest is None else 1 - retest.percent
        runs = [run.sentence(people) for run in self.runs]
        return [*runs, *(change.sentence() for change in self.changes)]

    def columns(self) -> dict[str, list[Any]]:
        """Return one row per judge: its worth, its standing beside people, and the verdict."""
        rows: list[dict[str, Any]] = []
        for card in self.judges:
            standing = card.standing
            row: dict[str, Any] = {
                "judge": card.name,
                "kind": card.kind,
                "readiness": card.readiness,
                "status": card.status,
            }
            estimates = {
                "worth": card.worth,
                "share": card.share,
                "kappa": None if standing is None else standing.kappa,
                "people_kappa": None if standing is None else standing.people_kappa,
                "difference": None if standing is None else standing.difference,
                "agreement": card.disagreement.agreement,
                "bias": None if standing is None else standing.bias,
            }
            for name, estimate in estimates.items():
                form = {} if estimate is None else estimate.to_dict()
                row[name] = form.get("value")
                row[f"{name}_low"], row[f"{name}_high"] = form.get("low"), form.get("high")
            row["place"] = None if standing is None else standing.place
            row["verdict"], row["next_step"] = card.verdict, card.next_step
            rows.append(row)
        return {name: [row[name] for row in rows] for name in rows[0]}

    def drawn(self) -> dict[str, list[Any]]:
        """Return what the plot shows: kappa of each judge and person, and the best judge's."""
        cards = [card for card in best_first(self.judges) if card.standing is not None]
        rows = [
            (card.name, e.value, e.low, e.high, None)
            for card in cards
            if card.standing is not None and (e := card.standing.kappa)
        ]
        first = cards[0].standing if cards else None
        people = () if first is None else first.people
        rows += [(person.person, person.kappa, None, None, person.judge_kappa) for person in people]
        names = ("name", "kappa", "low", "high", "judge in that place")
        return {name: [row[k] for row in rows] for k, name in enumerate(names)}

    def document(self) -> dict[str, Any]:
        """Return what is particular to the card in the JSON document."""
        p, report = self.provenance, self.agreement.report
        agreement = report and {"coefficient": report.name, **report.estimate.to_dict()}
        return json_value(
            {
                "gate": self.gate,
                "answers": self.answers,
                "judges": self.judges,
                "agreement": agreement,
                "changes": self.changes,
                "runs": self.runs,
                "costs": self.costs,
                "comparisons": self.survey.comparisons,
                "alt_test": self.alt_test and self.alt_test.document(),
                "positive": p.positive,
                "by": p.by,
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each person's kappa with the others, and the judges' (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        return plot_standing(self, ax)


def _weak(agreement: AgreementResult, judges: Sequence[Card]) -> list[str]:
    """Say what weak agreement of people means for any judge."""
    report = agreement.report
    alpha = "" if report is None else f"alpha {report.estimate.show(report.estimate.value)}"
    if not shown_to_agree(agreement):
        several = f"any of the {len(judges)} judges"
        who = judges[0].name if len(judges) == 1 else several
        return [f"No verdict on {who}: {NO_AGREEMENT}{alpha and f' ({alpha})'}."]
    if report is None or not report.estimate.value < BENCHMARKS[0]:
        return []
    return [
        f"People agree weakly ({alpha}; Krippendorff's minimum is {BENCHMARKS[0]:g}): any judge "
        "will often differ from the next person."
    ]


def _its_worth(card: Card) -> str:
    """Say what a judge is worth: calibrated to probabilities, unless it is ready as it is."""
    whose, verb, worth = "It", "is", card.worth
    if card.readiness != "ready" and card.calibrated_worth is not None:
        worth = card.calibrated_worth
        whose = f"Its {card.kind}, turned into probabilities of people's labels,"
        verb = "are"
    verb += "" if worth.censored == "below" else " worth"
    even = ""
    if card.readiness == "not ready" and card.recalibrated is not None:
        fails = all_of(c.status for c in card.recalibrated) == "fail"
        even = f" Even recalibrated it {'would' if fails else 'may'} not be ready."
    return f"{whose} {verb} {worth_words(worth)}.{even}"


def _by_group(card: Card, by: str | None) -> list[str]:
    """Say in which groups judge and people agree least and most; nothing without groups."""
    groups = sorted(card.disagreement.groups, key=lambda group: group.agreement.value)
    if len(groups) < 2:
        return []
    ends = [f"{group.agreement.value:.0%} ({group.group})" for group in (groups[0], groups[-1])]
    return [
        f"By {by or 'group'}, it gives a person's label in {' to '.join(ends)} of cases "
        f"({option('details', True)})."
    ]


MOST_BESIDES = 2
"""Conditions besides readiness that the first line names."""
MOST_JUDGES = 12
"""Judges in the table of the first screen."""


def _beside(card: Card, tested: AltTest | None, positive: str | None) -> Table | None:
    """Put a judge beside people: kappa, the same label, the mean, the alt-test."""
    standing, after = card.standing, card.recalibrated_standing
    if standing is None:
        return None
    marks = {condition.name: condition.mark for condition in card.conditions}
    bias, mean, spread = standing.bias, standing.people_mean, standing.spread
    kappa, people = standing.kappa.value, standing.people_kappa.value
    margin = marks["agree_like_a_person"]
    least = 0 - standing.allowed(margin)
    limits = f"limits: kappa {margin:g}, or half of people's if less"
    body = [
        [
            "weighted kappa" if standing.weights == "quadratic" else "kappa",
            f"{kappa:.2f}",
            f"{people:.2f}",
            _ends(standing.against(least)),
            f"above {least:.2g}",
            "" if after is None else f"{after.kappa.value:.2f}",
        ],
        [
            "same label",
            f"{standing.agreement:.0%}",
            f"{standing.people_agreement:.0%}",
            "",
            "",
            "" if after is None else f"{after.agreement:.0%}",
        ],
    ]
    if bias is not None and mean is not None and spread is not None:
        then = None if after is None else after.bias
        name = "mean" if positive is None else "share"
        limits += f"; {name} {marks['bias']:g} standard deviations"
        body.append(
            [
                "mean" if positive is None else f"share '{positive}'",
                f"{mean + bias.value:.2f}",
                f"{mean:.2f}",
                _ends(standing.higher(-marks["bias"] * spread, marks["bias"] * spread)),
                f"within {marks['bias'] * spread:.2f}",
                "" if then is None else f"{mean + then.value:.2f}",
            ]
        )
    recall = next(c.status for c in card.conditions if c.name == RecallLikePeople.name)
    below = standing.class_below
    if recall == "fail" and below is not None:
        shares = [f"{below.recall:.0%}", f"{below.people:.0%}", "significantly lower"]
        body.append([f"recall of '{below.label}'", *shares, "not lower", ""])
    elif recall == "pass":
        body.append(["recall of each label", "", "", "not significantly lower", "not lower", ""])
    own = [] if tested is None else [c for c in tested.classifiers if c.name == card.name]
    for c in own:
        won = f"{'passed' if c.passes else 'not passed'}, {c.won} of {len(c.raters)} won"
        body.append(["alt-test", "", "", won, "", ""])
    head = ["", "judge", "people", "difference", "must be", "recalibrated"]
    if card.readiness is None:
        head, body, limits = head[:4], [row[:4] for row in body], ""
    elif after is None:
        head, body = head[:-1], [row[:-1] for row in body]
    return Table(head, body, words=True, more=limits)


ORDER: tuple[Readiness, ...] = (
    "ready", "ready once recalibrated", "not ready", "cannot tell yet",
)  # fmt: skip
"""Verdicts in the order in which they are told."""


def _by_verdict(judges: Sequence[Card]) -> list[str]:
    """Say of several judges which are ready, and what of the others is not."""
    out: list[str] = []
    for readiness in ORDER:
        own = [card for card in judges if card.readiness == readiness]
        if own:
            shown = own if len(own) == MOST_VERDICTS + 1 else own[:MOST_VERDICTS]
            names = ", ".join(f"{card.name}{_missed(card)}" for card in shown)
            if rest := len(own) - len(shown):
                names += f" and {rest} more"
            out.append(f"{readiness[0].upper()}{readiness[1:]}: {names}.")
    return out


def _missed(card: Card) -> str:
    """Name what a judge misses as it stands, in brackets; nothing where it only may miss it."""
    standing, out = card.standing, [f"another scale: {card.scale}"] if card.scale else []
    if standing is None:
        return ""
    failed = [condition.name for condition in card.conditions if condition.status == "fail"]
    for name in failed[: 1 - len(out)]:  # the rest is in the verdict on the page
        if name == "agree_like_a_person":
            kappas = (standing.kappa.value, standing.people_kappa.value)
            out.append("kappa {:.2f}, people {:.2f}".format(*kappas))
        elif name == "bias" and standing.bias is not None:
            out.append(f"bias {standing.shown_bias.partition(',')[0]}")
        elif name == "recall" and (below := standing.class_below) is not None:
            out.append(f"recall of '{below.label}' {below.recall:.0%}, people's {below.people:.0%}")
    return f" ({'; '.join(out)})" if out else ""


def _ranking(judges: Sequence[Card], most: int, positive: str | None) -> Table:
    """List judges, those worth most first; below, what kappa and bias are."""
    body: list[list[str]] = []
    for card in judges[:most]:
        standing = card.standing
        numbers = ["", "", ""]
        if standing is not None:
            numbers = [
                f"{standing.kappa.value:.2f}",
                f"{standing.people_kappa.value:.2f}",
                standing.shown_bias.partition(",")[0],
            ]
        worth = _ends(shown_worth(card.worth)).removeprefix("about ").removesuffix(WHOLE)
        worth = "" if card.readiness is None else worth
        verdict = (card.readiness or "no verdict").replace("ready once ", "if ")
        body.append([card.name, verdict, *numbers, worth])
    head = ["judge", "verdict", "kappa", "people's kappa", "bias", "worth in annotators"]
    bias = "how much higher it rates than people"
    notes = [f"bias: {bias if positive is None else f'how much more often it says {positive!r}'}"]
    notes = notes if any(row[4] for row in body) else []
    filled = [not k or any(row[k] for row in body) for k in range(len(head))]
    head, *body = [list(compress(row, filled)) for row in (head, *body)]
    if any(card.standing and card.standing.weights == "quadratic" for card in judges):
        notes.insert(0, "kappa is quadratic-weighted")
    rest = [line for line in [_rest(len(judges) - most, "judge")] if line]
    return Table(head, body, more="; ".join(rest + notes))


def _rest(number: int, noun: str) -> str:
    """Say how many more there are than a table shows, and where; nothing if it shows all."""
    return f"and {count(number, f'more {noun}')}{ALL_ENTRIES}" if number > 0 else ""


def _steps(judges: Sequence[Card], gate: GateResult | None, written: str) -> list[str]:
    """Name the next step: a command where there is one."""
    first = judges[0]
    if len(judges) == 1 and first.follows is not None:
        return [again(exclude=[first.follows])]
    ready = next((card for card in judges if card.readiness == "ready"), None)
    if ready is not None and ready.status != "pass":
        return [ready.next_step]
    if ready is not None:
        step = "use it" if len(judges) == 1 else f"use {ready.name}"
        if gate is not None:
            return [f"{step}; have people check a sample of its labels from time to time."]
        names = {} if len(judges) == 1 else {"judge_names": [ready.name]}
        return [f"{step}. To check other files, name them here: {again(**names, gate=True)}"]
    name = "it" if len(judges) == 1 else first.name
    if first.readiness == "ready once recalibrated":
        if written:
            return [
                f"judge {written} on the same items: each label was mapped without its own item."
            ]
        file = f"{first.name}-fixed.csv"
        step = json.dumps({"verb": "", "options": {"recalibrate": file}})
        write = marked(Named("again", "`result.recalibrated()` has the labels", step))
        same = "the new file can be judged on the same items"
        return [f"recalibrate {name} (each label is mapped without its own item; {same}): {write}"]
    if first.readiness == "not ready":
        return [
            _same_by_another_name(first)
            or f"read the items on which {name} disagrees with people ({option('details', True)}), "
            "change its prompt, and judge it again on fresh items."
        ]
    return [first.next_step]


def _same_by_another_name(card: Card) -> str:
    """Ask whether a label of people that the judge never gives has another name there."""
    disagreement = card.disagreement
    table, own = disagreement.confusion, disagreement.judge_labels
    given = {name for k, name in enumerate(own) if any(row[k] for row in table)}
    strange = [k for k, name in enumerate(own) if name in given and name not in disagreement.labels]
    for label, row in zip(disagreement.labels, table, strict=True):
        most = max(strange, key=lambda k: row[k], default=None)
        if label not in given and most is not None and 2 * row[most] > sum(row):
            ways = [way.name for way in MERGES if spelt_as([own[most]], [label], [way.name])]
            same = f"add {option('merge', Several(ways))}" if ways else "rename one"
            return (
                f"{card.name} never says '{label}', and people never say '{own[most]}': if they "
                f"mean the same, {same}."
            )
    return ""


def best_first(cards: Sequence[Card]) -> list[Card]:
    """Judges by what they are worth, then by how they stand."""

    def key(card: Card) -> tuple[float, float]:
        lead = card.standing.difference.value if card.standing is not None else -2.0
        worth = card.worth.value if card.worth.undefined is None else -1.0
        return -worth, -lead

    return sorted(cards, key=key)


# The judge card in words and tables.

MOST_PEOPLE, MOST_ITEMS, MOST_LABELS, MOST_GROUPS = 12, 8, 8, 12
"""People, items to read again, labels and groups that are printed."""
WIDEST = 36
"""Letters that who said what may take; else labels are counted."""
LONGEST_TEXT = 60
"""Letters of an item's text that are printed; JSON has it whole."""
MOST_VERDICTS = 3
"""Judges whose verdicts open the card; a table has all."""

WORTH, STANDING, DISAGREEMENT = 2, 3, 4
"""Numbers of answers that have tables."""
Block = Table | Code | Answered | str


def _sentences(answer: Answer, judges: int) -> Sequence[str]:
    """Of several judges, those on the best one: a table has the others."""
    if judges > 1 and answer.number in (WORTH, STANDING):
        return [answer.sentences[0], *answer.sentences[judges:]]
    return answer.sentences


def _tables(number: int, result: JudgeResult, judges: Sequence[Card]) -> list[Block]:
    """Tables that stand with an answer."""
    first = judges[0]
    if number == STANDING:
        positive = result.provenance.positive
        out: list[Block] = [_ranking(judges, len(judges), positive)] if len(judges) > 1 else []
        if first.standing is None:
            return out
        return [*out, _people(first, first.standing)]
    if number == DISAGREEMENT:
        out = [_confusion(first)] if len(first.disagreement.labels) <= MOST_LABELS else []
        if first.disagreement.groups:
            out.append(_groups(first.disagreement, result.provenance.by))
        return [*out, _items(first)] if first.disagreement.items else out
    return []


def _ends(shown: str) -> str:
    """Write '1.2, 1.0 to 2.0' as '1.2 (1.0 to 2.0)'."""
    value, _, interval = shown.partition(", ")
    return f"{value} ({interval})" if interval else value


def _people(card: Card, standing: Standing) -> Table:
    title = f"Each person with the others, and {card.name} in that person's place"
    return listing(standing.people, title=title, most=MOST_PEOPLE, noun="annotator")


def _confusion(card: Card) -> Table:
    """Show what people and judge say, and how often the judge, and another person, agrees."""
    disagreement = card.disagreement
    table, own = disagreement.confusion, disagreement.judge_labels
    people = () if card.standing is None else card.standing.people
    used = [k for k in range(len(own)) if any(row[k] for row in table)]
    said = [f"judge '{own[k]}'" for k in used]
    head = ["people say", *said, "judge agrees", "interval", "people agree"]
    recall = {row.label: row.recall for row in disagreement.classes}
    body: list[list[str]] = []
    for label, row in zip(disagreement.labels, table, strict=True):
        if label in recall:
            shares = [person.recall[label] for person in people if label in person.recall]
            e, numbers = recall[label], [f"{row[k]:,}" for k in used]
            others = f"{sum(shares) / len(shares):.0%}" if shares else ""
            body.append([label, *numbers, f"{e.value:.0%}", _few(e), others])
    title = f"People's labels (rows) by labels of {card.name} (columns): numbers of ratings"
    return Table(head, body, title=title)


def _few(e: Estimate) -> str:
    return "too few" if e.low is None or e.high is None else f"{e.low:.0%} to {e.high:.0%}"


def _groups(disagreement: Disagreement, by: str | None) -> Table:
    head = [by or "group", "items", "judge agrees", "interval", "people agree", "bias", "worth"]
    body = [
        [
            group.group,
            f"{group.items:,}",
            f"{group.agreement.value:.0%}",
            _few(group.agreement),
            "" if group.people is None else f"{group.people:.0%}",
            "" if group.bias is None else signed(group.bias.value),
            "" if group.worth is None else shown_worth(group.worth),
        ]
        for group in disagreement.groups[:MOST_GROUPS]
    ]
    differ = [g.group for g in disagreement.groups if g.p_value is not None and g.p_value < 0.05]
    title = "By group, least agreement first"
    if differ:
        title += f"; significantly different from the others: {some(differ, MOST_GROUPS)}"
    return Table(head, body, title=title, more=_rest(len(disagreement.groups) - len(body), "group"))


def _items(card: Card) -> Table:
    disagreement = card.disagreement
    head = ["item", "judge", "people"]
    body = [[str(row.item), row.judge, _who_said_what(row.said)] for row in disagreement.items]
    if any(row.text for row in disagreement.items):
        head.append("text")
        body = [
            [*cells, shorten(row.text or "", LONGEST_TEXT, placeholder=" ...")]
            for cells, row in zip(body, disagreement.items, strict=True)
        ]
    every = len(body) + disagreement.more_items
    title = "Items to read again, worst first"
    if disagreement.more_items:
        title += f": {len(body)} of {every:,}"
    body, rest = body[:MOST_ITEMS], body[MOST_ITEMS:]
    more = _rest(every - len(body), "item")
    return Table(head, body, title=title, more=more, rest=rest)


def _who_said_what(labels: Mapping[str, str]) -> str:
    """Write who said what, by label; how many, where names are long or many."""
    by: dict[str, list[str]] = {}
    for name, label in labels.items():
        by.setdefault(label, []).append(name)
    named = "; ".join(f"{label}: {', '.join(names)}" for label, names in by.items())
    if len(named) <= WIDEST:
        return named
    return ", ".join(f"{label} ({len(names)} x)" for label, names in by.items())


def _foot(result: JudgeResult) -> str:
    p = result.provenance
    people = "unknown people" if p.n_raters is None else count(p.n_raters, "person")
    looks = f"valid for a single check, not for repeated ones ({option('looks', ...)})"
    if p.looks is not None:
        looks = "valid for repeated checks" + (f" (this is check {p.looks})" if p.looks else "")
    return (
        f"{count(p.items_used, 'item')} with answers of {people.replace('persons', 'people')} and "
        f"{count(len(result.judges), 'judge')}; verdicts rest on "
        f"{percent(p.level or 0.95)} intervals, {looks}. Alpha and worth are those of headcount "
        "agree and headcount survey on the same data."
    )


# The judge card, drawn: people and judges on one axis of kappa.

MOST, LONGEST = 20, 16
"""People who are drawn, and letters of their names."""


def plot_standing(result: JudgeResult, ax: Axes | None = None) -> Axes:
    """Draw judges' and each person's kappa with the others, highest first, and the margin."""
    cards = [card for card in best_first(result.judges) if card.standing is not None]
    if not cards or cards[0].standing is None:
        raise DataError("there is nothing to draw: no two people share enough items.")
    first = cards[0].standing
    people = first.people[:MOST]
    rows = len(cards) + len(people)
    axes: Any = new_figure(6.8, 1.7 + 0.28 * rows).subplots() if ax is None else ax
    names, numbers = list[str](), list[tuple[str, str]]()
    for at, card in enumerate(cards):
        standing = card.standing
        if standing is None:
            continue
        draw_interval(axes, at, standing.kappa, COLOURS[0])
        axes.plot(
            standing.kappa.value, at, "D", color=COLOURS[0], label="judge, mean" if not at else None
        )
        names.append(plain(card.name))
        numbers.append(written(standing.kappa))
    for at, person in enumerate(people, start=len(cards)):
        last = at == len(cards)
        axes.plot(
            person.kappa,
            at,
            "o",
            color=COLOURS[1],
            label="person with the others" if last else None,
        )
        label = f"{cut(plain(cards[0].name))} in their place" if last else None
        axes.plot(person.judge_kappa, at, "D", mfc="none", color=COLOURS[0], label=label)
        name = plain(str(person.person))
        names.append(name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…")
        known = math.isfinite(person.kappa)
        numbers.append((written(Estimate(person.kappa))[0] if known else "", ""))
    mean = first.people_kappa.value
    axes.axvline(mean, color=COLOURS[1], linewidth=0.8, linestyle="--", label="people, mean")
    marks = [c.mark for c in cards[0].conditions if c.name == "agree_like_a_person"]
    least = mean - first.allowed(marks[0]) if marks else mean
    axes.axvspan(least, mean, color=COLOURS[2], alpha=0.12, linewidth=0, label="margin allowed")
    axes.axhline(len(cards) - 0.5, color="#bbbbbb", linewidth=0.8)
    rows_of(axes, names)
    level = percent(result.provenance.level or 0.95)
    columns_beside(axes, ("kappa", f"{level} interval"), numbers)
    kind = "quadratic-weighted kappa" if first.weights == "quadratic" else "kappa"
    axes.set_xlabel(f"{kind} with the other people\nbars: {level} intervals {first.holds_for}")
    legend_above(axes)
    return axes
