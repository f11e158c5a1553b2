"""Judges who answered several times, or several criteria: what they say in a run, and on one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.data.predictions import Classifier, Predictions, Score
from headcount.errors import DataError, OptionError, RepeatedError, count, option
from headcount.io.opening import open_table
from headcount.io.predictions import RUNS, read_predictions
from headcount.io.roles import (
    find_role,
    given_role,
    item_column,
    plain_name,
    rows_of_question,
)
from headcount.io.tables import Table
from headcount.results.fields import Record
from headcount.stats.draws import keys
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import BY_ITEMS, share_interval

__all__ = [
    "Contradiction",
    "hinted",
    "is_called",
    "judges_on",
    "read_runs",
    "without_criterion",
]

FEWEST = 10
"""Items below which there is no interval."""


@dataclass(frozen=True, kw_only=True)
class Contradiction(Record):
    """How often a judge contradicts itself, asked again about the same item.

    Parameters
    ----------
    judge : str
    runs, items : int
        Most runs of an item, and items with two or more.
    share : Estimate
        Of pairs of runs, those that differ: mean over items.
    """

    judge: str
    runs: int
    items: int
    share: Estimate

    def sentence(self, people: float | None) -> str:
        """Say it, beside people who rated items twice (the share that differs) if there are."""
        e = self.share
        ends = "" if e.low is None or e.high is None else f" ({e.low:.0%} to {e.high:.0%})"
        beside = "" if people is None else f"; people contradict themselves in {people:.0%}"
        return (
            f"Asked again, {self.judge} contradicts itself in {e.value:.0%}{ends} of cases "
            f"({count(self.runs, 'run')} of {count(self.items, 'item')}){beside}."
        )


def cells_of(table: Table, column: int) -> list[Any]:
    """Return the cells of a column, None where it is blank."""
    if column in table.nested():
        return table.cells(column)
    codes, texts = table.codes(column)
    return np.array([*texts, None], dtype=object)[codes].tolist()


def read_runs(
    judges: Any,
    run: str | bool,
    seed: int,
    labels: Sequence[str],
    question: str | None = None,
) -> tuple[Predictions, tuple[Contradiction, ...]]:
    """Read the runs of judges, and make two judges of each: one run, and the majority of all.

    Parameters
    ----------
    judges : path or frame
    run : str or bool
        The column that names the run; True: rows that repeat an item are runs.
    seed : int
        Which run stands for one, and which of equally frequent labels for the majority, is drawn by
        seed and item. Of scores the mean of runs is taken.
    labels : sequence of str
        People's.
    question : str, optional
        Which of several criteria to read.
    """
    if judges is None or isinstance(judges, Predictions):
        raise OptionError(f"{option('run', run)} needs the judges in a file or frame of their own.")
    table = open_table(judges, name="judges")
    number, left_out = _runs(table, run)
    columns_of = {
        name: np.array([*cells_of(table, i), None], dtype=object)[:-1]
        for i, name in enumerate(table.names)
        if i not in left_out
    }
    runs: list[Predictions] = []
    for code in range(int(number.max()) + 1):
        frame = {name: cells[number == code].tolist() for name, cells in columns_of.items()}
        own = None
        if question is not None:
            own = judges_on(frame, question, [question], labels, table.source)
        runs.append(own or read_predictions(frame, labels=labels, name=table.source))
    items = np.unique(np.concatenate([each.items for each in runs]))
    drawn = keys(items, seed) / 2.0**32
    names = list(dict.fromkeys(judge.name for each in runs for judge in _judges(each)))
    columns: dict[str, list[str | None]] = {}
    scores: list[Score] = []
    contradictions: list[Contradiction] = []
    for name in names:
        answers = _answers(runs, name, items.tolist())
        most = max(map(len, answers))
        contradictions.append(_contradiction(name, answers, most))
        one: list[Any] = [
            a[int(u * len(a))] if a else None for a, u in zip(answers, drawn, strict=True)
        ]
        numbers = all(isinstance(answer, float) for each in answers for answer in each)
        every: list[Any] = [
            (sum(a) / len(a) if numbers else _majority(a, u)) if a else None
            for a, u in zip(answers, drawn, strict=True)
        ]
        both = {name: one, f"{name} ({'mean' if numbers else 'majority'} of {most})": every}
        if numbers:
            scores += [Score(key, np.array(said, dtype=np.float64)) for key, said in both.items()]
        else:
            columns |= both
    made = Predictions.from_labels(items.tolist(), columns, source=table.source)
    return replace(made, scores=tuple(scores), sources=table.sources), tuple(contradictions)


def _runs(table: Table, run: str | bool) -> tuple[np.ndarray, list[int]]:
    """Find the run of each row, and the column that has it."""
    if isinstance(run, str):
        column = given_role(table, "run", run)
        codes = table.codes(column)[0]
        if (codes < 0).any() or codes.max(initial=0) < 1:
            raise DataError(
                f"{table.source}: column '{run}' does not number several runs ({option('run')})."
            )
        return codes, [column]
    seen: Counter[tuple[int, ...]] = Counter()
    # A column 'judge' beside the item alone holds what the judge says.
    classifier = find_role(table.names, "classifier") if len(table.names) > 2 else None
    parts = [item_column(table, None), *([] if classifier is None else [classifier])]
    rows = np.stack([table.codes(column)[0] for column in parts], axis=1).tolist()
    out = np.empty(len(rows), dtype=np.int64)
    for index, row in enumerate(rows):
        out[index] = seen[tuple(row)]
        seen[tuple(row)] += 1
    if out.max(initial=0) < 1:
        raise DataError(f"{table.source}: no item has several rows, so there are no runs.")
    return out, []


def hinted(read: Callable[[], Predictions], judges: Any) -> Predictions:
    """Read predictions, and where they are several runs of a judge name the option."""
    column, values = None, set[str]()
    if not isinstance(judges, Predictions):
        column, values = _run_column(judges)
    try:
        predictions = read()
    except DataError as error:
        if column is None and not isinstance(error, RepeatedError):
            raise
        run = option("run", column or True)
        raise DataError(f"{error.marked} If these are runs of one judge, say so: {run}.") from None
    if column is not None and {judge.name for judge in _judges(predictions)} <= values:
        raise DataError(
            f"{predictions.source}: column '{column}' numbers runs. If they are runs of one judge, "
            f"say so: {option('run', column)}. To judge each by itself call the column 'model'."
        )
    return predictions


def _run_column(judges: Any) -> tuple[str | None, set[str]]:
    """Find the column that is called as runs are and holds several, and what it holds."""
    try:
        table = open_table(judges, name="judges")
    except (DataError, OptionError):  # an export, or an array
        return None, set()
    for index, name in enumerate(table.names):
        if plain_name(name) in RUNS - {"prompt_version"}:
            values = set(table.codes(index)[1])
            if len(values) > 1:
                return name, values
    return None, set()


def _judges(predictions: Predictions) -> list[Classifier | Score]:
    return [*predictions.classifiers, *predictions.scores]


def _answers(runs: Sequence[Predictions], name: str, items: list[Any]) -> list[list[Any]]:
    """Collect what the runs say of each item, sorted: labels, or numbers."""
    out: dict[Any, list[Any]] = {item: [] for item in items}
    for predictions in runs:
        own = predictions.items.tolist()
        for judge in _judges(predictions):
            if judge.name != name:
                continue
            said: list[Any]
            if isinstance(judge, Score):
                said = judge.values.tolist()
            elif judge.kind == "hard":
                codes = np.nan_to_num(judge.probability).argmax(axis=1).tolist()
                said = [predictions.labels[code] for code in codes]
            else:
                raise DataError(
                    f"{predictions.source}: '{name}' gives probabilities in several runs. Give "
                    "the mean of its runs, or its labels."
                )
            for item, answer, there in zip(own, said, judge.predicted.tolist(), strict=True):
                if there:
                    out[item].append(answer)
    return [sorted(out[item]) for item in items]


def _contradiction(name: str, answers: Sequence[Sequence[Any]], runs: int) -> Contradiction:
    differ: list[float] = []
    for each in answers:
        if (n := len(each)) > 1:
            same = sum(times * (times - 1) for times in Counter(each).values())
            differ.append(1 - same / (n * (n - 1)))
    if not differ:
        raise DataError(f"no item has two answers of '{name}', so there are no runs of it.")
    items, value = len(differ), float(np.mean(differ))
    share = Estimate(value)
    if items >= FEWEST:
        variance = float(np.var(differ, ddof=1)) / items
        sure = variance <= 0 or value in (0.0, 1.0)
        # As many items as would tell a share as well; no more than there are pairs of runs.
        size = items if sure else min(value * (1 - value) / variance, items * runs / 2)
        low, high = share_interval(value, size, 0.95)
        share = Estimate(value, float(low), float(high), level=0.95, method=BY_ITEMS.name)
    return Contradiction(judge=name, runs=runs, items=items, share=share)


def _majority(answers: Sequence[str], drawn: float) -> str:
    times = Counter(answers)
    most = max(times.values())
    first = sorted(answer for answer in times if times[answer] == most)
    return first[int(drawn * len(first))]


# Judges who answered several criteria: what they say on one of them.


def is_called(column: str, criterion: str) -> bool:
    """Whether a column is called by a criterion, alone or with a judge."""
    return re.fullmatch(rf"(.+_)?{re.escape(criterion)}(_.+)?", column) is not None


def without_criterion(column: str, criterion: str) -> str:
    """Take a criterion out of the name of a column."""
    name = column.strip()
    for start, end in ((len(criterion), None), (None, -len(criterion))):
        part = name[:start] if end is None else name[end:]
        if plain_name(part) == plain_name(criterion):
            return (name[start:] if end is None else name[:end]).strip(" _.:|/-")
    return name


def judges_on(
    judges: Any,
    criterion: str,
    criteria: Sequence[str],
    labels: Sequence[str],
    name: str | None = None,
) -> Predictions | None:
    """Read what judges say on one criterion; None where there is nothing."""
    table = open_table(judges, name="judges", kind="predictions")
    wanted = plain_name(criterion)
    read_as: dict[str, Any] = {"labels": labels, "name": name or table.source}
    column = find_role(table.names, "asked")
    texts = [] if column is None else table.codes(column)[1]
    asked = next((text for text in texts if plain_name(text) == wanted), None)
    if table.exported:
        return read_predictions(judges, question=criterion, **read_as)
    if asked is not None and column is not None:
        rows = rows_of_question(table, column, asked)
        others = [i for i in range(len(table.names)) if i != column]
        return read_predictions({table.names[i]: cells_of(rows, i) for i in others}, **read_as)
    item, who = item_column(table, None), find_role(table.names, "classifier")
    plain = [plain_name(name) for name in table.names]
    if wanted in plain:
        answers = cells_of(table, plain.index(wanted))
        frame: dict[str, list[Any]] = {table.names[item]: cells_of(table, item)}
        if who is not None and who != plain.index(wanted):
            frame |= {"judge": cells_of(table, who), "label": answers}
        else:
            frame["judge"] = answers
        return read_predictions(frame, **read_as)
    of_judges = {
        without_criterion(table.names[i], criterion): i
        for i, name in enumerate(plain)
        if i != item and is_called(name, wanted) and not _longer(name, wanted, criteria)
    }
    if not of_judges:
        return None
    frame = {table.names[item]: cells_of(table, item)}
    frame |= {name: cells_of(table, i) for name, i in of_judges.items()}
    return read_predictions(frame, **read_as)


def _longer(column: str, wanted: str, criteria: Sequence[str]) -> bool:
    """Whether a column is called by a longer criterion that has this one in it."""
    others = [plain_name(name) for name in criteria if len(plain_name(name)) > len(wanted)]
    return any(is_called(column, other) for other in others)
