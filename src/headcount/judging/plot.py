"""The judge card, drawn: people and judges on one axis of kappa."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from headcount.errors import DataError, percent
from headcount.judging.card_sentences import best_first
from headcount.judging.records import JudgeRecord
from headcount.results.drawing import (
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
from headcount.stats.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_standing"]

MOST, LONGEST = 20, 16
"""People who are drawn, and letters of their names."""


def plot_standing(result: JudgeRecord, ax: Axes | None = None) -> Axes:
    """Draw each person's kappa with the others, the best judge's in that place, and all judges'."""
    cards = [card for card in best_first(result.judges) if card.standing is not None]
    if not cards or cards[0].standing is None:
        raise DataError("there is nothing to draw: no two people share enough items.")
    first = cards[0].standing
    people = first.people[:MOST]
    rows = len(cards) + len(people)
    axes: Any = new_figure(6.8, 1.7 + 0.28 * rows).subplots() if ax is None else ax
    names, numbers = list[str](), list[tuple[str, str]]()
    for at, card in enumerate(cards):
        one = card.standing
        if one is None:
            continue
        draw_interval(axes, at, one.kappa, COLOURS[0])
        axes.plot(
            one.kappa.value, at, "D", color=COLOURS[0], label="judge, mean" if not at else None
        )
        names.append(plain(card.name))
        numbers.append(written(one.kappa))
    for at, person in enumerate(people, start=len(cards)):
        last = at == len(cards)
        axes.plot(
            person.kappa,
            at,
            "o",
            color=COLOURS[1],
            label="person with the others" if last else None,
        )
        label = f"{cut(plain(cards[0].name))} in that place" if last else None
        axes.plot(person.judge_kappa, at, "D", mfc="none", color=COLOURS[0], label=label)
        names.append(_short(plain(str(person.person))))
        pair = (Estimate(person.kappa), Estimate(person.judge_kappa))
        mine, judges = (written(e)[0] if math.isfinite(e.value) else "" for e in pair)
        numbers.append((mine, f"judge {judges}" if judges else ""))
    mean = first.people_kappa.value
    axes.axvline(mean, color=COLOURS[1], linewidth=0.8, linestyle="--", label="people, mean")
    axes.axhline(len(cards) - 0.5, color="#bbbbbb", linewidth=0.8)
    rows_of(axes, names)
    level = percent(result.provenance.level or 0.95)
    columns_beside(axes, ("kappa", f"{level} interval"), numbers)
    kind = "quadratic-weighted kappa" if first.weights == "quadratic" else "kappa"
    axes.set_xlabel(f"{kind} with the other people\nbars: {level} intervals {first.holds_for}")
    legend_above(axes)
    return axes


def _short(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
