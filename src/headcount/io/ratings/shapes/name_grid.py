"""Columns of wide data that are called by two things at once: a rater, and a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headcount.errors import DataError, closest, option, some
from headcount.io.ratings.shapes.base import Asked
from headcount.io.ratings.shapes.orientation import are_items, are_raters

__all__ = ["one_of_grid"]

_SPLITS = (
    re.compile(r"(.+?) ?[\[(](.+)[\])]"),
    re.compile(r"([^_ .:|/-]+)[_ .:|/-]+(.+)"),
    re.compile(r"(.+)[_ .:|/-]+([^_ .:|/-]+)"),
    re.compile(r"([^\W\d_]+\d+)([^\W\d_]+\d+)"),
)
"""Where a name may fall into two: at brackets, at the first or last of some signs, or as q1r2."""
MOST_COLUMNS, LONGEST = 2_000, 100
"""Columns, and letters of their names, that are looked at."""
_SURE = frozenset({"confidence", "certainty"})
"""What is asked beside a label, of models as well."""
LEAST_FULL = 0.75
"""Share of the pairs of names that columns must be called by."""


def one_of_grid(asked: Asked, columns: Sequence[int]) -> tuple[list[int], list[str]]:
    """Choose the columns of one question, and name them by raters; other columns stay.

    Columns called ``ann_toxic, ann_rude, bob_toxic, bob_rude`` hold two answers of each rater.
    Which of the two names is the question is for the user to say.

    Returns
    -------
    columns : list of int
    names : list of str
        Of the raters.
    """
    table, question = asked.table, asked.question
    names = [table.names[i] for i in columns]
    pairs = _grid(names)
    if pairs is None:
        if question is not None:
            near = closest(question, names)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise DataError(f"{table.source}: no question '{question}'.{hint}")
        return list(columns), names
    firsts, seconds = (list(dict.fromkeys(part)) for part in zip(*pairs, strict=True))
    told = asked.labels is not None or not (asked.people or _SURE & {*firsts, *seconds})
    if question is None and (told or are_raters(names)):
        return list(columns), names
    for side, called in enumerate((firsts, seconds)):
        if question in called:
            kept = [n for n, pair in enumerate(pairs) if pair[side] == question]
            return [columns[n] for n in kept], [pairs[n][1 - side] for n in kept]
    likely, other = (firsts, seconds) if are_items(firsts) else (seconds, firsts)
    start = "" if question is None else f"no question '{question}'. "
    raise DataError(
        f"{table.source}: {start}columns are called by two things at once, {some(firsts, 12)} and "
        f"{some(seconds, 12)}, as answers of several raters to several questions are. Choose one "
        f"question with {option('question', likely[0])} or {option('question', other[0])}; if "
        f"each column is a rater of its own, name the labels with {option('labels', '...')}."
    )


def _grid(names: Sequence[str]) -> list[tuple[str, str]] | None:
    """Split names in two, if most pairs of parts come, each part more than once."""
    if not 4 <= len(names) <= MOST_COLUMNS or max(map(len, names)) > LONGEST:
        return None
    for split in _SPLITS:
        found = [split.fullmatch(name.strip()) for name in names]
        if not all(found):
            continue
        pairs = [(one[1].strip(), one[2].strip()) for one in found if one]
        firsts, seconds = ([pair[side] for pair in pairs] for side in (0, 1))
        few = min(*map(firsts.count, firsts), *map(seconds.count, seconds))
        if few < 2 or len({*pairs}) < len(pairs):
            continue
        if len(pairs) >= LEAST_FULL * len({*firsts}) * len({*seconds}):
            return pairs
    return None
