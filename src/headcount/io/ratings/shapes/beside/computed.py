"""Columns beside raters that were computed from theirs: means, sums, differences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.io.roles.names import FACT_WORDS
from headcount.io.roles.roles import plain_name
from headcount.io.tables.table import Coded
from headcount.io.values.missing import WRITTEN_MISSING
from headcount.typing import Floats

__all__ = ["computed_columns", "is_fact"]

LEAST_ROWS = 5
"""Rows in which the others differ from which on a column that fits them all is no accident."""
MOST_COLUMNS = 50
FIRST_ROWS = 1000
"""Rows that are looked at before all are."""
_RATER = re.compile(r"(?i)(?:rater|annotator|coder|judge|grader|reader|marker|examiner)[_ .-]?\d")
"""How names of raters begin, beside which a column of another name may be made of theirs."""


def is_fact(name: str) -> bool:
    """Whether a column is called as what is known of items: ``batch``, ``essay_set``."""
    stem, _, last = name.rpartition("_")
    return name in FACT_WORDS or (bool(stem) and last in FACT_WORDS - {"n", "order", "rank"})


def computed_columns(columns: Sequence[Coded], names: Sequence[str]) -> dict[int, str]:
    """Columns that are the mean, the sum or the difference of all others, in every row.

    Those that are called facts of items are not among the others.

    Parameters
    ----------
    columns : sequence of codes and texts
    names : sequence of str

    Returns
    -------
    dict of int to str
        Places of such columns, and what each is.

    Notes
    -----
    O(columns) for what is not computed: the first rows tell.
    """
    found: dict[int, str] = {}
    if not 2 < len(columns) <= MOST_COLUMNS:
        return found
    values: list[Floats] = []
    for _, texts in columns:
        numbers = [None if t in WRITTEN_MISSING else number_of(t) for t in texts]
        if any(n is None and t not in WRITTEN_MISSING for n, t in zip(numbers, texts, strict=True)):
            return found
        values.append(np.array([*(np.nan if n is None else n for n in numbers), np.nan]))
    raters = [place for place, name in enumerate(names) if _RATER.match(name)]
    facts = [place for place, name in enumerate(names) if is_fact(plain_name(name))]

    def of(place: int, rows: slice) -> Floats:
        return values[place][columns[place][0][rows]]

    for place in reversed(range(len(columns))):  # such columns mostly stand last
        rest = [n for n in range(len(columns)) if n != place and n not in (*found, *facts)]
        sets = [(rest, False)]
        if len(raters) > 1 and place not in raters:
            sets.append(([n for n in rest if n in raters], True))
        for others, named in sets:
            for rows in (slice(FIRST_ROWS), slice(None)):
                how = _computed(of(place, rows), [of(n, rows) for n in others], named=named)
                if not how:
                    break
            else:
                found[place] = how
                break
    return found


def _computed(own: Floats, rest: Sequence[Floats], *, named: bool) -> str:
    """Say what a column is of others, in every row; nothing if it is not computed."""
    if len(rest) < 2:
        return ""
    others = np.stack(rest, axis=1)
    rows = ~np.isnan(own) & ~np.isnan(others).all(axis=1)
    own, others = own[rows], others[rows]
    if len(own) < LEAST_ROWS or len(np.unique(own)) < 2:
        return ""
    low, high = np.nanmin(others, axis=1), np.nanmax(others, axis=1)
    if (high > low).sum() < LEAST_ROWS:
        return ""
    made: Iterable[tuple[str, Floats, float]] = _candidates(own, others, high - low)
    if (high > low).sum() >= (2 if named else 4) * LEAST_ROWS:
        made = [*made, ("the highest", high, 1e-9), ("the lowest", low, 1e-9)]
    return next((how for how, value, error in made if np.allclose(own, value, 0, error)), "")


def _candidates(own: Floats, others: Floats, apart: Floats) -> Iterator[tuple[str, Floats, float]]:
    """Yield what may have been computed, and how far rounding may be from it."""
    exact = 1e-9
    digits = next((d for d in range(1, 7) if np.allclose(own, own.round(d), 0, exact)), 6)
    fractions = bool((own % 1).any())
    yield "the mean", np.nanmean(others, axis=1), 0.5001 * 10.0**-digits if fractions else exact
    sums = np.nansum(others, axis=1)
    if own.max() > np.nanmax(others):  # else few raters said anything but 0
        yield "the sum", sums, exact
    if others.shape[1] == 2:
        yield "the difference", others[:, 0] - others[:, 1], exact
        yield "the difference", others[:, 1] - others[:, 0], exact
    if len(own) >= 2 * LEAST_ROWS and (apart > 0).sum() >= 2 * LEAST_ROWS:
        mean = np.nanmean(others, axis=1)
        yield "the median", np.nanmedian(others, axis=1), exact
        yield "the mean, rounded,", np.floor(mean + 0.5), exact
        yield "the mean, rounded,", np.round(mean), exact
    if len(own) >= 2 * LEAST_ROWS:
        yield "the difference", apart, exact
        yield "1 where all agree, a comparison", (apart == 0).astype(np.float64), exact
