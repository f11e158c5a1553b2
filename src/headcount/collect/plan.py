"""What a study asks: items, criteria, how many answers, and when it may stop."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from headcount import options
from headcount.errors import DataError, OptionError, count, option, some, unknown_name

__all__ = [
    "Criterion",
    "Plan",
    "Stop",
    "Tasks",
    "criteria_in",
    "plan_tasks",
    "stop_of",
]

MOST_LABELS, MOST_CRITERIA = 50, 12
SIDES = ("left", "right", "tie")
"""Answers to a pair, as the data have them."""
TEXTS = (
    "text", "content", "body", "comment", "post", "tweet", "sentence", "document", "answer",
    "response", "output", "abstract", "message",
)  # fmt: skip
"""Names of the column that raters are to read, where there are several."""


class Criterion(NamedTuple):
    """A question about each item, and the labels to choose from."""

    name: str
    labels: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a study was set up.

    Parameters
    ----------
    source : str
        Name of the file of items.
    pairs : bool
        Whether two items are compared.
    criteria : tuple of Criterion
    prompt : str
        The question above each item.
    show : tuple of str
        Columns of an item that raters see.
    per_item : int
        Answers to each item, or to each pair, by different raters.
    per_rater : int or None
        Most answers of a rater.
    repeat : float
        Share of a rater's items that are asked again.
    until : str or None
        When to stop; once everything is answered if None.
    judges : str or None
        File of what judges said, which raters never see.
    cost : float or None
        Of an answer.
    link_per : str or None
        Parameter of the address that names a participant of a panel.
    lease : float
        Seconds after which an item that was not answered goes to somebody else.
    seed : int
    """

    source: str
    pairs: bool = False
    criteria: tuple[Criterion, ...]
    prompt: str = ""
    show: tuple[str, ...] = ()
    per_item: int = 1
    per_rater: int | None = None
    repeat: float = 0.0
    until: str | None = None
    judges: str | None = None
    cost: float | None = None
    link_per: str | None = None
    lease: float = 1800.0
    seed: int = 0

    def __post_init__(self) -> None:
        options.whole(self.per_item, "per_item", least=1, most=1000)
        if self.per_rater is not None:
            options.whole(self.per_rater, "per_rater", least=1)
        options.number(self.repeat, "repeat", least=0, most=1)
        if self.cost is not None:
            options.number(self.cost, "cost", least=0)
        stop = stop_of(self.until)
        if stop is not None and stop.of_pairs != self.pairs:
            kind = "pairs" if stop.of_pairs else "labels of single items"
            raise OptionError(
                f"{option('until')} '{self.until}' is a goal of {kind}: "
                f"{'add' if stop.of_pairs else 'leave out'} {option('pairs', True)}."
            )
        if stop is not None and stop.kind == "ready" and self.judges is None:
            raise OptionError(
                f"{option('until', 'ready')} is the verdict on a judge: give its answers "
                f"({option('judges', ...)})."
            )
        if stop is not None and stop.kind == "alpha" and self.per_item < 2:
            raise OptionError(
                f"{option('until')} '{self.until}' measures how people agree: ask two people or "
                f"more about each item ({option('per_item', 2)})."
            )

    @property
    def whole_items(self) -> bool:
        """Whether an item gets all its answers before others are begun, as looks need it."""
        return self.until is not None and not self.pairs

    def check_raters(self, raters: int) -> None:
        """Refuse to ask more people about an item than there are."""
        if self.link_per is None and self.per_item > raters:
            raise OptionError(
                f"{option('per_item')} asks {self.per_item} people about each item, and there "
                f"{'is' if raters == 1 else 'are'} {count(raters, 'rater')}. Name more, or ask "
                "fewer."
            )

    def to_dict(self) -> dict[str, Any]:
        """Return what is written into the study."""
        return {**asdict(self), "criteria": [c._asdict() for c in self.criteria]}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Plan:
        """Read what :meth:`to_dict` wrote."""
        criteria = tuple(Criterion(c["name"], tuple(c["labels"])) for c in document["criteria"])
        show = tuple(document["show"])
        read: dict[str, Any] = {**document, "criteria": criteria, "show": show}
        return cls(**read)


# When to stop.


class Stop(NamedTuple):
    """A goal and its number, such as ('alpha', 0.1); 'ready' has none."""

    kind: str
    number: float
    of_pairs: bool


GOALS = "'ready' (with judges), 'alpha 0.1', 'items 300'; for pairs 'labels 0.9', 'top:3 0.9'"


def stop_of(until: str | None) -> Stop | None:
    """Read when to stop.

    Examples
    --------
    >>> stop_of("alpha 0.1"), stop_of("top:3 0.9")
    (Stop(kind='alpha', number=0.1, of_pairs=False), Stop(kind='top:3', number=0.9, of_pairs=True))
    """
    if until is None:
        return None
    words = until.split()
    if words == ["ready"]:
        return Stop("ready", math.nan, of_pairs=False)
    try:
        kind, number = words[0], float(words[1])
        if len(words) != 2:
            raise ValueError
    except (ValueError, IndexError):
        raise OptionError(f"{option('until')} '{until}' is not a goal. Goals: {GOALS}.") from None
    if kind == "items":
        options.whole(int(number) if number == int(number) else number, "until", least=1)
        return Stop(kind, number, of_pairs=False)
    if kind == "alpha":
        if not 0 < number < 1:
            raise OptionError(
                f"{option('until')} '{until}': half the width wanted of alpha's interval must be "
                "between 0 and 1, as in 'alpha 0.1'."
            )
        return Stop(kind, number, of_pairs=False)
    from headcount.pairwise.goals import Until

    Until.check(until)
    return Stop(kind, number, of_pairs=True)


# What is asked.


def criteria_in(ask: str) -> tuple[Criterion, ...]:
    """Read criteria and their labels.

    Examples
    --------
    >>> criteria_in("ok,toxic")
    (Criterion(name='label', labels=('ok', 'toxic')),)
    >>> criteria_in("helpful=1-3;safe=yes,no")[0]
    Criterion(name='helpful', labels=('1', '2', '3'))
    """
    import csv

    parts = [part for part in ask.split(";") if part.strip()]
    made: list[Criterion] = []
    for part in parts:
        name, sign, listed = part.partition("=")
        if not sign:
            name, listed = "label", part
        if scale := re.fullmatch(r"\s*(-?\d+)\s*-\s*(-?\d+)\s*", listed):
            low, high = int(scale[1]), int(scale[2])
            labels = [str(n) for n in range(low, min(high, low + MOST_LABELS) + 1)]
        else:
            cells = next(csv.reader([listed], skipinitialspace=True), list[str]())
            labels = [cell.strip() for cell in cells if cell.strip()]
        if not 2 <= len(labels) <= MOST_LABELS or len(set(labels)) < len(labels):
            raise OptionError(
                f"{option('ask')} '{part.strip()}': name 2 to {MOST_LABELS} different labels, as "
                "in 'ok,toxic' or '1-5'."
            )
        made.append(Criterion(name.strip(), tuple(labels)))
    names = [criterion.name for criterion in made]
    if not 1 <= len(made) <= MOST_CRITERIA or len(set(names)) < len(names) or not all(names):
        raise OptionError(
            f"{option('ask')} '{ask}': give one list of labels, such as 'ok,toxic', or 2 to "
            f"{MOST_CRITERIA} named ones, such as 'helpful=1-5;safe=yes,no'."
        )
    return tuple(made)


class Tasks(NamedTuple):
    """A plan with the items that raters see, what is asked of them, and notes to print."""

    plan: Plan
    items: dict[str, dict[str, str]]
    tasks: list[tuple[str, str | None, str | None]]
    notes: list[str]


def plan_tasks(path: Path, plan: Plan, checks: Path | None = None) -> Tasks:
    """Read the items of a plan, and list what is to be asked.

    Parameters
    ----------
    path : Path
        Items; or pairs of them, in columns left and right.
    plan : Plan
        Its `show` names columns; "" is found by names.
    checks : Path, optional
        Items (or pairs) with known answers.
    """
    from headcount.io.opening import open_table
    from headcount.io.roles import find_role

    names = list(open_table(path, name="items").names)
    left, right = find_role(names, "left"), find_role(names, "right")
    if plan.pairs and left is not None and right is not None:
        return _ready_pairs(path, plan, checks)
    from headcount.io.facts import read_items

    listed, columns, note = read_items(path)
    by_name = find_role(names, "item") is not None
    own = next(name for name in names if name not in columns)
    show = plan.show or _columns_to_show(own, list(columns), path, by_name=by_name)
    for name in show:
        if name not in names:
            raise unknown_name("column", name, names, option_name="show")
    items = {item: {n: item if n == own else columns[n][item] for n in show} for item in listed}
    plan = replace(plan, show=show)
    if own.strip().lower() in TEXTS:
        note = f"{path.name}: {count(len(listed), 'item')} in the column '{own}'."
    notes = [f"{note} Raters see: {', '.join(show)}."]
    known = {} if checks is None or plan.pairs else _known(checks, plan)
    if missing := [item for item in known if item not in items]:
        raise DataError(f"{checks}: {path.name} has no item '{missing[0]}' to show. Add it.")
    tasks: list[tuple[str, str | None, str | None]] = [(k, None, v) for k, v in known.items()]
    if plan.pairs:
        if len(items) < 2:
            raise DataError(f"{path.name}: a comparison needs two items.")
        tasks = [] if checks is None else _known_pairs(checks, items)
        tasks += first_pairs(list(items), plan)
    else:
        tasks += [(item, None, None) for item in items if item not in known]
    return Tasks(plan, items, tasks, notes)


def _columns_to_show(
    own: str, others: Sequence[str], path: Path, *, by_name: bool
) -> tuple[str, ...]:
    """Find the column that raters read, by names; refuse to guess among several."""
    if not others or not by_name:
        return (own,)
    texts = [name for name in others if name.strip().lower() in TEXTS]
    if len(texts) == 1 or len(others) == 1:
        return ((texts or list(others))[0],)
    raise OptionError(
        f"{path.name} has several columns: {some(others, 12)}. Which should raters see? Name them "
        f"with {option('show', 'COLUMN,COLUMN')}; all others stay hidden."
    )


def _known(checks: Path, plan: Plan) -> dict[str, str]:
    """Read items with known labels."""
    from headcount.io.facts import read_truth

    if len(plan.criteria) > 1:
        raise OptionError(f"{option('checks')} needs a single question ({option('ask')}).")
    known, labels = dict(read_truth(checks, name="checks")), next(iter(plan.criteria)).labels
    for item, label in known.items():
        if label not in labels:
            raise DataError(
                f"{checks.name}: item '{item}' has the label '{label}', and raters choose from "
                f"{some(labels, 12)}."
            )
    return known


def _known_pairs(
    checks: Path, items: Mapping[str, object]
) -> list[tuple[str, str | None, str | None]]:
    from headcount.io.comparisons import read_comparisons

    known = read_comparisons(checks)
    names = [str(item) for item in known.items.tolist()]
    if missing := [name for name in names if name not in items]:
        raise DataError(f"{checks.name}: there is no item '{missing[0]}' to show. Add it.")
    words = {1.0: SIDES[0], 0.0: SIDES[1], 0.5: SIDES[2]}
    rows = zip(known.left.tolist(), known.right.tolist(), known.outcome.tolist(), strict=True)
    return [(names[a], names[b], words[share]) for a, b, share in rows if share in words]


def _ready_pairs(path: Path, plan: Plan, checks: Path | None) -> Tasks:
    """Read pairs that are chosen already, such as those of `headcount plan pairs`."""
    from headcount.io.opening import open_table
    from headcount.io.roles import find_role

    if plan.until is not None:
        raise OptionError(
            f"{path.name} has pairs that are chosen already, so {option('until')} cannot choose. "
            "Give a list of items instead, or leave it out."
        )
    table = open_table(path, name="items")
    items: dict[str, dict[str, str]] = {}
    names: dict[str, list[str]] = {}
    for side in ("left", "right"):
        column = find_role(table.names, side)
        codes, texts = table.codes(column or 0)
        names[side] = [[*texts, ""][code] for code in codes.tolist()]
        shown = {
            name.partition("_")[2]: table.codes(k)
            for k, name in enumerate(table.names)
            if name.startswith(f"{side}_")
        }
        show = plan.show or tuple(shown) or ("text",)
        if missing := [name for name in show if shown and name not in shown]:
            raise unknown_name("column", missing[0], list(shown), option_name="show")
        for row, item in enumerate(names[side]):
            columns = [(name, *shown[name]) for name in show if name in shown]
            fields = {name: [*texts, ""][int(codes[row])] for name, codes, texts in columns}
            items.setdefault(item, fields or {show[0]: item})
        plan = replace(plan, show=show)
    pairs = dict.fromkeys(zip(names["left"], names["right"], strict=True))
    wanted = [(a, b) for a, b in pairs if a and b and a != b]
    if not wanted:
        raise DataError(f"{path.name}: no pairs; every row lacks an item.")
    tasks = [] if checks is None else _known_pairs(checks, items)
    items.pop("", None)
    notes = [f"{path.name}: {count(len(wanted), 'pair')}. Raters see: {', '.join(plan.show)}."]
    return Tasks(plan, items, [*tasks, *((a, b, None) for a, b in wanted)], notes)


def first_pairs(items: Sequence[str], plan: Plan) -> list[tuple[str, str | None, str | None]]:
    """Choose the first batch of pairs: all there will be, unless the plan goes on until a goal."""
    from headcount.pairwise.next_pairs import AT_FIRST, next_pairs

    number = None if plan.until is not None else math.ceil(AT_FIRST * len(items))
    tasks = next_pairs(items=list(items), number=number, until=plan.until, checks=0, seed=plan.seed)
    pairs = list(zip(tasks.left.tolist(), tasks.right.tolist(), strict=True))
    keep = math.ceil(len(pairs) / plan.per_item) if plan.until is not None else len(pairs)
    return [(str(left), str(right), None) for left, right in pairs[:keep]]
