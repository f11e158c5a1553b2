"""Read who is an expert: from a list of raters, or from a column of the ratings."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.data.vocabulary import label_text
from headcount.errors import DataError, some
from headcount.io.roles.names import EXPERT_WORDS
from headcount.io.roles.roles import check_roles, find_role, find_roles
from headcount.io.tables.open_table import file_or_column, open_table
from headcount.io.tables.table import Table

__all__ = ["read_experts"]


def read_experts(source: Any, ratings: Any = None, *, rater: str | None = None) -> list[str]:
    """Find the raters who are experts.

    Parameters
    ----------
    source : path, frame, dict of columns or rows; or str
        A table that lists raters, all of them experts unless a column such as `pool` or `expert`
        says who is (a single column needs no header); or the name of a column of the ratings that
        says so (`expert`, `true`, `yes` or 1).
    ratings : Labels, path, frame, dict of columns or rows, optional
        The ratings, for a column, and to know a list without a header.
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
    if pool is not None:
        return _flagged(table, place, pool)
    listed = table.codes(place)[1]
    return [*_first(table, ratings, rater), *listed]


def _first(table: Table, ratings: Any, rater: str | None) -> list[str]:
    """Find the rater in the place of a header, if the table is a list that has none."""
    if len(table.names) > 1 or find_role(table.names, "rater") is not None or ratings is None:
        return []
    if isinstance(ratings, Labels):
        raters = [label_text(one) for one in ratings.raters.tolist()]
    else:
        rated = open_table(ratings, name="ratings", kind="ratings")
        place = find_roles(rated, {"rater": rater}).get("rater")
        raters = rated.names if place is None else rated.codes(place)[1]
    return [name for name in table.names if name in raters]


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
