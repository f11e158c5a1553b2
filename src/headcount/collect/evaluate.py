"""What the answers so far say, in a process of its own: the answer, raters, and whether to stop."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from headcount.collect.plan import Criterion, Plan, stop_of
from headcount.data.comparisons import Comparisons
from headcount.data.labels import Labels, Scale
from headcount.errors import HeadcountError, count, spelt
from headcount.io.tools.study import AGAIN, Answer, answers_in, opened_study, plan_in
from headcount.results.notes import Note
from headcount.results.result import (
    Page,
    Result,
    Screen,
    answer_html,
    first_cautions,
    notes_html,
    table_html,
)

__all__ = ["evaluate", "look"]

LEAST_COMPARED = 20
"""Answers from which on a rater's agreement is judged."""
TOO_FAST = 1 / 3
"""Of the usual time of an answer: who is faster reads little."""


def evaluate(path: str) -> dict[str, Any]:
    """Answer what the study asks with all answers so far, and compare raters."""
    with opened_study(Path(path)) as connection:
        plan, answers = Plan.from_dict(plan_in(connection)), list(answers_in(connection))
    data = [answer for answer in answers if answer.reason is None]
    raters = _raters(answers)
    if not data:
        return {"answers": 0, "raters": raters, "html": "", "sentence": ""}
    parts: list[tuple[str, Result | str]] = []
    if plan.pairs:
        parts.append(("", _try(lambda: _rated(data, raters))))
    for index, criterion in enumerate(() if plan.pairs else plan.criteria):
        title = criterion.name if len(plan.criteria) > 1 else ""
        parts += [(title, part) for part in _measured(data, plan, index, criterion, raters)]
    html = "\n".join(_html(title, part) for title, part in parts)
    first = next((part for _, part in parts if isinstance(part, Result)), None)
    sentence = "" if first is None else spelt((first.screen() or first.page()).headline[0])
    return {"answers": len(data), "raters": raters, "html": html, "sentence": sentence}


def _try(make: Callable[[], Any]) -> Any:
    """Make a result; or say why there is none, such as too few answers."""
    try:
        return make()
    except HeadcountError as error:
        return str(error)


def _html(title: str, part: Result | str) -> str:
    """Write a result as the project's reports do, with names as text."""
    from html import escape

    head = f"<h3>{escape(title)}</h3>\n" if title else ""
    if isinstance(part, str):
        return f"{head}<p>{escape(part)}</p>"
    screen = part.screen() or Screen(part.page().headline)
    short = [Note(note.short or note.marked, note.severity) for note in first_cautions(part.notes)]
    table = "" if screen.table is None else table_html(screen.table)
    answer = answer_html(Page(screen.headline))
    return head + answer + notes_html(short, ("warning", "caution")) + table


def labels_of(answers: Sequence[Answer], plan: Plan, index: int = 0) -> Labels:
    """Return the answers to one criterion as data."""
    criterion = plan.criteria[index]
    given = [answer.labels[index] for answer in answers]
    numbers = all(label.lstrip("-").isdecimal() for label in criterion.labels)
    scale = None
    if numbers and len(criterion.labels) > 2:
        scale = Scale(tuple(sorted({*given}, key=int)), kind="interval")
    return Labels.from_triples(
        [answer.item for answer in answers],
        [answer.rater for answer in answers],
        given,
        scale=scale,
        source="answers",
    )


def _comparisons(answers: Sequence[Answer]) -> Comparisons:
    return Comparisons.from_columns(
        [answer.item for answer in answers],
        [answer.other for answer in answers],
        [answer.labels[0] for answer in answers],
        rater=[answer.rater for answer in answers],
    )


def _rated(data: Sequence[Answer], raters: dict[str, dict[str, Any]]) -> Result:
    """Rate the items of pairs, and find raters who answer at random."""
    from headcount.pairwise.pairs import pairs
    from headcount.pairwise.spammers import find_spammers

    comparisons = _comparisons(data)
    judged = _try(lambda: find_spammers(comparisons))
    for rater in getattr(judged, "raters", ()):
        row = raters[str(rater.rater)]
        row["agreement"] = None if rater.agreement != rater.agreement else rater.agreement
        if rater.verdict in ("weak", "spammer"):
            row["signs"].append(
                "answers at random" if rater.spammer else "agrees less with the others than most"
            )
    return pairs(comparisons)


def _measured(
    data: Sequence[Answer],
    plan: Plan,
    index: int,
    criterion: Criterion,
    raters: dict[str, dict[str, Any]],
) -> list[Result | str]:
    """Measure agreement, and what judges are worth."""
    from headcount.agreement.agree import agree

    labels = labels_of(data, plan, index)
    parts: list[Result | str] = []
    if plan.judges is not None and index == 0:
        parts.append(_try(lambda: _judged(labels, plan)))
    several = max(Counter((answer.item) for answer in data).values()) > 1
    if not several:
        return [*parts, "Agreement needs items with two answers or more; there is none yet."]
    parts.append(_try(lambda: agree(labels, seed=plan.seed)))
    if index == 0:
        shares = {rater: Counter(a.labels[0] for a in data if a.rater == rater) for rater in raters}
        by_rater = _try(lambda: agree(labels, by_rater=True, seed=plan.seed))
        for rater in getattr(by_rater, "raters", ()):
            name, estimate = str(rater.rater), rater.agreement
            row, own = raters[name], shares[name]
            row["agreement"] = estimate.value if estimate.undefined is None else None
            others = sum((shares[other] for other in shares if other != name), Counter[str]())
            pairs = max(own.total() * others.total(), 1)
            chance = sum(own[label] * others[label] for label in own) / pairs
            if rater.compared >= LEAST_COMPARED and (estimate.high or 1) <= chance + 0.05:
                row["signs"].append("agrees with the others no better than by chance")
            elif own.total() >= LEAST_COMPARED and len(own) == 1 and len(others) > 1:
                row["signs"].append(f"always says '{next(iter(own))}'")
    return parts


def _judged(labels: Labels, plan: Plan, *, looks: bool = False) -> Any:
    from headcount.judging.judge import judge

    draws: dict[str, Any] = {"bootstrap": 0} if looks else {}  # the verdict needs none
    return judge(labels, plan.judges, looks=looks, seed=plan.seed, **draws)


def _raters(answers: Sequence[Answer]) -> dict[str, dict[str, Any]]:
    """Count what each rater did: checks, items asked again, and how fast."""
    first: dict[tuple[str, int], tuple[str, ...]] = {}
    rows: dict[str, dict[str, Any]] = {}
    times: dict[str, list[float]] = defaultdict(list)
    for answer in answers:
        row = rows.setdefault(
            answer.rater,
            {"checks": 0, "right": 0, "again": 0, "same": 0, "agreement": None, "signs": []},
        )
        if answer.reason in (None, AGAIN, "check") and answer.seconds is not None:
            times[answer.rater].append(answer.seconds)
        if answer.reason is None:
            first[answer.rater, answer.task] = _sided(answer)
        elif answer.reason == "check":
            row["checks"] += 1
            row["right"] += _right(answer)
        elif answer.reason == AGAIN and (answer.rater, answer.task) in first:
            row["again"] += 1
            row["same"] += _sided(answer) == first[answer.rater, answer.task]
    usual = median([median(own) for own in times.values()]) if times else 0.0
    for rater, row in rows.items():
        own = times.get(rater, [])
        row["seconds"] = median(own) if own else None
        if len(own) >= LEAST_COMPARED and median(own) < TOO_FAST * usual:
            row["signs"].append("is much faster than the others")
        if row["checks"] >= 4 and row["right"] * 2 <= row["checks"]:
            row["signs"].append(f"misses {row['checks'] - row['right']} of {row['checks']} checks")
    return rows


def _sided(answer: Answer) -> tuple[str, ...]:
    """Return an answer such that it is the same whichever side items of a pair were on."""
    if answer.other is None:
        return answer.labels
    sides = {"left": answer.item, "right": answer.other}
    return tuple(sides.get(label, label) for label in answer.labels)


def _right(answer: Answer) -> bool:
    return answer.expected in (answer.labels[0], _sided(answer)[0])


# Looks: whether the question is answered.


def look(path: str, tasks: Sequence[int] | None, batch: int = 1) -> dict[str, Any]:
    """Look whether the goal is reached, by the answers to some tasks (None: to all).

    Returns
    -------
    dict
        `decided`, a `sentence`, how many `answers` and `items` it rests on; of pairs also the
        `tasks` to ask next.
    """
    with opened_study(Path(path)) as connection:
        plan = Plan.from_dict(plan_in(connection))
        answers = [answer for answer in answers_in(connection) if answer.reason is None]
        names = [row[0] for row in connection.execute("SELECT name FROM items ORDER BY id")]
    if tasks is not None:
        wanted = set(tasks)
        answers = [answer for answer in answers if answer.task in wanted]
    stop = stop_of(plan.until)
    found: dict[str, Any] = {
        "answers": len(answers),
        "items": len({answer.item for answer in answers}),
        "decided": False,
    }
    if stop is None:
        return {**found, "sentence": ""}
    try:
        if stop.of_pairs:
            return {**found, **_look_at_pairs(answers, plan, names, batch)}
        if stop.kind == "items":
            done = found["items"] >= stop.number
            sentence = f"{count(found['items'], 'item')} of {stop.number:,.0f} have all answers."
            return {**found, "decided": done, "sentence": sentence}
        labels = labels_of(answers, plan)
        if stop.kind == "alpha":
            return {**found, **_look_at_alpha(labels, plan, stop.number)}
        card = _judged(labels, plan, looks=True)
        decided = all(c.readiness not in (None, "cannot tell yet") for c in card.judges)
        verdicts = {c.name: c.readiness for c in card.judges}
        sentence = " ".join(c.verdict for c in card.judges)
        return {**found, "decided": decided, "sentence": spelt(sentence), "verdicts": verdicts}
    except HeadcountError as error:  # such as too few items yet
        return {**found, "sentence": str(error)}


def _look_at_alpha(labels: Labels, plan: Plan, wanted: float) -> dict[str, Any]:
    """Find how wide alpha's interval is: of few raters, the one for these raters.

    The one for raters like these, of few, is wide however many items they rate.
    """
    from headcount.agreement.agree import agree
    from headcount.agreement.raters import FEW_RATERS, FIXED, SAMPLE

    few = len(labels.raters) < FEW_RATERS
    kind = FIXED if few else SAMPLE
    alpha = agree(labels, seed=plan.seed, intervals=kind.name)["alpha"]
    if alpha.undefined is not None or alpha.low is None or alpha.high is None:
        return {"sentence": f"Alpha has no interval yet: {alpha}."}
    half = (alpha.high - alpha.low) / 2
    whom = "these raters" if few else "raters like these"
    sentence = (
        f"Krippendorff's alpha is {alpha}, for {whom}: plus or minus {half:.3f}; {wanted:g} was "
        "wanted."
    )
    return {"decided": half <= wanted, "sentence": sentence, "half_width": half}


def _look_at_pairs(
    answers: Sequence[Answer], plan: Plan, names: Sequence[str], batch: int
) -> dict[str, Any]:
    """Find how far the goal is, and which pairs to ask next."""
    from headcount.pairwise.next_pairs import next_pairs

    chosen = next_pairs(
        _comparisons(answers),
        items=list(names),
        until=plan.until,
        cost=plan.cost,
        checks=0,
        seed=plan.seed + batch,
    )
    keep = -(-len(chosen) // plan.per_item)
    pairs = zip(chosen.left.tolist(), chosen.right.tolist(), strict=True)
    standing = chosen.standing
    return {
        "decided": standing is not None and standing.done,
        "sentence": spelt(chosen.page().headline[0]),
        "tasks": [(str(left), str(right)) for left, right in pairs][:keep],
    }
