"""Comparison of methods as tables of at most 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from headcount.blind_evaluation.methods.catalogue import METHODS
from headcount.blind_evaluation.text import HEADS
from headcount.errors import percent
from headcount.results.text import columns, wrap

if TYPE_CHECKING:
    from headcount.blind_evaluation.comparison.comparison import Comparison

__all__ = ["tables_of"]

TITLES = {
    "pearson": "Pearson's r of estimated with actual scores",
    "spearman": "Spearman's rho of estimated with actual ranks",
    "kendall": "Kendall's tau of estimated with actual ranks",
    "swaps": "Swaps: pairs ranked in the wrong order, in percent",
}

SHORT = {"pearson": "r", "spearman": "rho", "kendall": "tau", "swaps": "swaps"}


def tables_of(c: Comparison) -> list[str]:
    """Write Tables 5 to 9 of the paper."""
    heads = [HEADS.get(metric, metric) for metric in c.metrics]
    lines = [
        wrap(
            f"Methods against gold, {len(c.classifiers):,} classifiers. In brackets: rank of the "
            "method by significant wins minus defeats against the others (Hotelling's triangle "
            f"test, {percent(c.level)}, Holm)."
        )
    ]
    for place, title in enumerate(TITLES.values()):
        digits = 1 if place == 3 else 2
        body = [
            [_short(name), *(_ranked(c, i, m, place, digits) for m in range(len(c.metrics)))]
            for i, name in enumerate(c.methods)
        ]
        lines += ["", title, *columns(["method", *heads], body)]
    body = [
        [_short(name), *(_number(x, 3) for x in c.error[i])] for i, name in enumerate(c.methods)
    ]
    lines += ["", "Mean error of estimated scores", *columns(["method", *heads], body)]
    if c.quality:
        body = [[_short(name), *(_number(x, 3) for x in row)] for name, row in c.quality.items()]
        title = "The truth as each method sees it, scored as a labelling against gold"
        lines += ["", title, *columns(["method", *heads], body)]
    if not np.isnan(c.quality_correlation).all():
        body = [
            [metric, *(_number(x, 2) for x in row)]
            for metric, row in zip(c.metrics, c.quality_correlation, strict=True)
        ]
        title = "Correlation of that quality with how well the method estimates"
        lines += ["", title, *columns(["metric", *SHORT.values()], body)]
    return [*lines, *_extremes(c)]


def _extremes(c: Comparison) -> list[str]:
    """Where methods rank the best and the worst by the first metric."""
    mine = [extreme for extreme in c.extremes if extreme.metric == c.metrics[0]]
    if not mine:
        return []
    names = {1: "best", 2: "2nd", 3: "3rd"}
    heads = [names.get(extreme.place, "worst") for extreme in mine]
    body = [["actual", *(_number(extreme.actual, 0) for extreme in mine)]]
    body += [
        [_short(name), *(_number(extreme.predicted[name], 0) for extreme in mine)]
        for name in c.methods
    ]
    who = "; ".join(f"{head}: {e.classifier}" for head, e in zip(heads, mine, strict=True))
    title = wrap(f"Predicted rank, by {c.metrics[0]}, of the classifiers that are actually {who}")
    return ["", title, *columns(["method", *heads], body, rules=[1])]


def _ranked(c: Comparison, i: int, m: int, place: int, digits: int) -> str:
    value, rank = c.measured[i, m, place], c.rank[i, m, place]
    return f"{_number(value, digits)} ({rank:.0f})" if not np.isnan(value + rank) else ""


def _number(x: float, digits: int) -> str:
    return "" if np.isnan(x) else f"{round(x, digits) + 0.0:.{digits}f}"


def _short(name: str) -> str:
    return METHODS[name].short if name in METHODS else name
