"""Long data in which an item, or a rater, stands only in the first of its rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headcount.errors import DataError, count
from headcount.io.tables.table import Table
from headcount.typing import Codes

__all__ = ["check_merged"]

LEAST_GROUPS = 2
"""Values that have blanks below them."""
LEAST_BLANK = 0.3
"""Share of rows that are blank."""


def check_merged(table: Table, roles: Mapping[str, int]) -> None:
    """Refuse a column of items or raters that is blank below each first row, as merged cells are.

    Each value comes once, or nearly so, and the rows below it would be left out.
    """
    label = table.codes(roles["label"])[0] >= 0
    for role in ("item", "rater"):
        codes, texts = table.codes(roles[role])
        blank = (codes < 0) & label
        if blank.mean() < LEAST_BLANK or len(texts) < LEAST_GROUPS or codes[0] < 0:
            continue
        runs = int((codes >= 0).sum())
        if runs <= 1.1 * len(texts) or _alike(codes):
            row = int(np.flatnonzero(blank)[0])
            raise DataError(
                f"{table.at(row, roles[role])}: blank, as {count(int(blank.sum()), 'row')} "
                f"{'are' if blank.sum() > 1 else 'is'} below the first of each {role}: merged "
                f"cells, it seems. Write the {role} into each row (unmerge the cells, and fill "
                "down)."
            )


def _alike(codes: Codes) -> bool:
    """Whether every value stands above equally many blanks."""
    starts = np.flatnonzero(codes >= 0)
    return len(set(np.diff(starts).tolist())) == 1 and len(starts) > LEAST_GROUPS
