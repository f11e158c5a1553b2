"""Read who is an expert: from a list of raters, or from a column of the ratings."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.data.vocabulary import label_text
from headcount.errors import DataError, some
from headcount.io.roles.names import EXPERT_WORDS
from headcount.io.roles.roles import check_roles, find_role, find_roles
from headcount.io.tables.open_table import file_or_column
from headcount.io.tables.table import Table

__all__ = ["read_experts"]


def read_experts(source: Any, ratings: Any = None, *, rater: str | None = None) -> list[str]:
    """Find the raters who are experts.

    Parameters
    ----------
    source : path, frame, dict of columns or rows; or str
        A table that lists raters, all of them experts unless a column such as `pool` or `expert`
        says who is; or the name of a column of the ratings that says so (`expert`, `true`, `yes` or
        1).
    ratings : path, frame, dict of columns or rows, optional
        The ratings, for a column.
    rater : str, optional
        The rater column of the ratings.

    Returns
    -------
    list of str

    Examples
    --------
    >>> read_experts({"rater": ["ann", "bob"], "expert": ["yes", "no"]})
    ['ann']
    """
    table, column = file_or_column(source, ratings, "experts")
    if column is not None:
        roles = find_roles(table, {"rater": rater})
        check_roles(table, roles, ["rater"])
        return _flagged(table, roles["rater"], column)
    place = find_role(table.names, "rater") or 0
    pool = find_role(table.names, "pool", besides=place)
    return table.codes(place)[1] if pool is None else _flagged(table, place, pool)


def _flagged(table: Table, column: int, pool: int) -> list[str]:
    """Raters whose rows say expert; a rater of both kinds is an error."""
    raters, names = table.codes(column)
    words, texts = table.codes(pool)
    says = np.array([label_text(text).lower() in EXPERT_WORDS for text in texts] + [False])
    expert = says[words]  # code -1, a blank, is the last entry
    of = np.bincount(raters[raters >= 0], minlength=len(names))
    times = np.bincount(raters[expert & (raters >= 0)], minlength=len(names))
    mixed = [names[i] for i in np.flatnonzero((times > 0) & (times < of)).tolist()]
    if mixed:
        raise DataError(
            f"{table.source}, column '{table.names[pool]}': {some(mixed)} both expert and not. Say "
            "the same in every row of a rater."
        )
    experts = [names[i] for i in np.flatnonzero(times).tolist()]
    if not experts:
        raise DataError(
            f"{table.source}, column '{table.names[pool]}': no rater is an expert. Experts are "
            f"marked expert, true, yes or 1; found {some(texts)}."
        )
    return experts
