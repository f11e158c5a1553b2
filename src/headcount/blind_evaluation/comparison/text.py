"""Comparison of methods as tables."""

from __future__ import annotations

import numpy as np

from headcount.blind_evaluation.comparison.measures import MEASURES
from headcount.blind_evaluation.comparison.records import Comparison
from headcount.blind_evaluation.metrics import head_of
from headcount.errors import percent
from headcount.results.text import Table
from headcount.typing import Floats

__all__ = ["tables_of"]


def tables_of(c: Comparison) -> list[Table | str]:
    """Write Tables 5 to 9 of the paper, after a paragraph that says what they are."""
    head = ["method", *(head_of(metric) for metric in c.metrics)]
    blocks: list[Table | str] = [
        f"Estimates compared with gold, {len(c.classifiers):,} classifiers. In brackets: rank of "
        "the method by significant wins minus defeats against the others (Hotelling's triangle "
        f"test, {percent(c.level)}, Holm)."
    ]
    for index, measure in enumerate(MEASURES.values()):
        digits = 1 if measure.of_errors else 2
        body = [
            [
                _title(c, name),
                *(_ranked(c, (i, m, index), digits) for m in range(len(c.metrics))),
            ]
            for i, name in enumerate(c.methods)
        ]
        blocks.append(Table(head, body, title=measure.title, words=True))
    errors = dict(zip(c.methods, c.error, strict=True))
    blocks.append(_by_metric(c, head, "Mean error of estimated scores", errors))
    if c.quality:
        title = "The truth as each method sees it, scored as a labelling against gold"
        blocks.append(_by_metric(c, head, title, dict(c.quality)))
    if not np.isnan(c.quality_correlation).all():
        body = [
            [metric, *(_number(x, 2) for x in row)]
            for metric, row in zip(c.metrics, c.quality_correlation, strict=True)
        ]
        title = "Correlation of that quality with how well the method estimates"
        blocks.append(
            Table(["metric", *(measure.short for measure in MEASURES.values())], body, title=title)
        )
    return [*blocks, *_extremes(c)]


def _by_metric(c: Comparison, head: list[str], title: str, rows: dict[str, Floats]) -> Table:
    body = [[_title(c, name), *(_number(x, 3) for x in row)] for name, row in rows.items()]
    return Table(head, body, title=title, words=True)


def _extremes(c: Comparison) -> list[Table]:
    """Where methods rank the best and the worst by the first metric."""
    mine = [extreme for extreme in c.extremes if extreme.metric == c.metrics[0]]
    if not mine:
        return []
    names = {1: "best", 2: "2nd", 3: "3rd"}
    heads = [names.get(extreme.place, "worst") for extreme in mine]
    body = [["actual", *(_number(extreme.actual, 0) for extreme in mine)]]
    body += [
        [_title(c, name), *(_number(extreme.predicted[name], 0) for extreme in mine)]
        for name in c.methods
    ]
    who = "; ".join(f"{head}: {e.classifier}" for head, e in zip(heads, mine, strict=True))
    title = f"Predicted rank, by {c.metrics[0]}, of the classifiers that are actually {who}"
    return [Table(["method", *heads], body, title=title, rules=[1], words=True)]


def _ranked(c: Comparison, cell: tuple[int, int, int], digits: int) -> str:
    value, rank = c.measured[cell], c.rank[cell]
    return f"{_number(value, digits)} ({rank:.0f})" if not np.isnan(value + rank) else ""


def _number(x: float, digits: int) -> str:
    return "" if np.isnan(x) else f"{round(x, digits) + 0.0:.{digits}f}"


def _title(c: Comparison, name: str) -> str:
    return c.titles.get(name, name)
