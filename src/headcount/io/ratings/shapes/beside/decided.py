"""Columns beside raters that were made of their labels: the majority, whether they agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headcount.io.tables.table import Coded
from headcount.io.values.merges import any_form
from headcount.typing import Codes, Flags

__all__ = ["decided_columns", "follows_others", "tell_agreement"]

MOST_COLUMNS, MOST_LABELS = 50, 100
LEAST_ROWS = 10
"""Rows on which the others part, of which what is made of them must fit every one."""
LEAST_EACH = 3
"""Rows on which the others agree, and on which they do not, that a column tells apart."""
SCREENED = 1_000
"""Rows of a long table that are looked at first."""
EXPECTED = 7.0
"""Rows in which a rater would part from two who agree: that there is none is no accident."""


def decided_columns(columns: Sequence[Coded]) -> dict[int, str]:
    """Columns that say what most of the others say, or whether they agree, in every row.

    Returns
    -------
    dict of int to str
        Places of such columns, and what each is.

    Examples
    --------
    >>> same = (np.arange(6) % 2, ["no", "yes"])
    >>> decided_columns([same, same, same])
    {}
    """
    found: dict[int, str] = {}
    each = _coded(columns)
    if each is None or len(columns) < 3:
        return found
    for place in reversed(range(len(columns))):
        rest = [n for n in range(len(columns)) if n != place and n not in found]
        if len(rest) > 1:
            how = _what(each[:, place], each[:, rest])
            if how:
                found[place] = how
    return found


def follows_others(columns: Sequence[Coded]) -> int | None:
    """Column of three that says what the other two say wherever they agree, as a decision does.

    Where they do not, it takes the side of one. A rater would part from two who agree about half
    as often as these part from each other.
    """
    each = _coded(columns)
    if each is None or len(columns) != 3:
        return None
    each = each[(each >= 0).all(axis=1)]
    for place in (2, 1, 0):
        own, first, second = (each[:, (place + n) % 3] for n in (0, 1, 2))
        agree = first == second
        parts = int((~agree).sum())
        if parts < LEAST_EACH or len(np.unique(own)) < 2:
            continue
        expected = agree.sum() * parts / len(own) / 2
        if (own == first)[agree].all() and ((own == first) | (own == second)).all():
            return place if expected >= EXPECTED else None
    return None


def tell_agreement(own: Codes, one: Coded, other: Coded) -> bool:
    """Whether codes tell where two columns say the same, in every row."""
    both = _coded([one, other])
    if both is None:
        return False
    rows = (own >= 0) & (both >= 0).all(axis=1)
    return _tells(own[rows], both[rows, 0] == both[rows, 1])


def _coded(columns: Sequence[Coded]) -> Codes | None:
    """Rows x columns of codes that all columns share, however labels are written."""
    place: dict[str, int] = {}
    coded: list[Codes] = []
    if len(columns) > MOST_COLUMNS:
        return None
    for codes, texts in columns:
        if len(texts) > MOST_LABELS:
            return None
        own = [place.setdefault(any_form(text), len(place)) for text in texts]
        coded.append(np.array([*own, -1])[codes])
    return np.stack(coded, axis=1) if coded else None


def _what(own: Codes, others: Codes) -> str:
    """Say what a column is of others; nothing if it is a rater's."""
    if len(own) > SCREENED and not _may_be_made(*_rated(own[:SCREENED], others[:SCREENED])):
        return ""
    own, others = _rated(own, others)
    if len(own) < LEAST_ROWS or len(np.unique(own)) < 2:
        return ""
    agree = _agree(others)
    if _tells(own, agree):
        return "whether the others agree"
    if others.shape[1] > 2 and _is_majority(own, others, agree):
        return "what most of the others say"
    return ""


def _rated(own: Codes, others: Codes) -> tuple[Codes, Codes]:
    """Take the rows in which a column and two others say something."""
    rows = (own >= 0) & ((others >= 0).sum(axis=1) > 1)
    return own[rows], others[rows]


def _agree(others: Codes) -> Flags:
    first = np.where(others[:, :1] >= 0, others[:, :1], others.max(axis=1, keepdims=True))
    return ((others == first) | (others < 0)).all(axis=1)


def _may_be_made(own: Codes, others: Codes) -> bool:
    """Whether no row speaks against a column that is made of others: few rows tell mostly."""
    agree = _agree(others)
    tells = all(len(np.unique(part)) < 2 for part in (own[agree], own[~agree]))
    backed, most, clear = _backed(own, others)
    return tells or bool((backed > 0).all() and (backed == most)[clear].all())


def _tells(own: Codes, agree: Flags) -> bool:
    """Whether a column has one value where the others agree, and another one where they do not."""
    yes, no = own[agree], own[~agree]
    if min(len(yes), len(no)) < LEAST_EACH:
        return False
    return bool((yes == yes[0]).all() and (no == no[0]).all() and yes[0] != no[0])


def _is_majority(own: Codes, others: Codes, agree: Flags) -> bool:
    """Whether a column says what more than half of the others do, wherever they do."""
    backed, most, clear = _backed(own, others)
    if (clear & ~agree).sum() < LEAST_ROWS or (backed == 0).any():
        return False
    return bool((backed[clear] == most[clear]).all())


def _backed(own: Codes, others: Codes) -> tuple[Codes, Codes, Flags]:
    """Count who says the same, and the most common label; and where that has more than half."""
    given = (others >= 0).sum(axis=1)
    backed = (others == own[:, None]).sum(axis=1)
    most = np.zeros(len(own), dtype=np.int64)
    for label in np.unique(others[others >= 0]).tolist():
        np.maximum(most, (others == label).sum(axis=1), out=most)
    return backed, most, 2 * most > given
