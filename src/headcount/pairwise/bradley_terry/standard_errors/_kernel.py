"""Kernels of errors by clusters: what a cluster says of all parameters, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.stats.compiled import compiled

__all__ = ["weighted_rows", "weighted_squares"]


@compiled(nogil=True)
def weighted_rows(v: Any, rows: Any, weight: Any) -> Any:
    """Add up some rows of a matrix with weights: weight @ v[rows], without the copy."""
    out = np.zeros(v.shape[1])
    for i in range(len(rows)):
        w, row = weight[i], v[rows[i]]
        for j in range(len(out)):
            out[j] += w * row[j]
    return out


@compiled(nogil=True)
def weighted_squares(v: Any, left: Any, right: Any, extra: Any, columns: Any, weight: Any) -> Any:
    """Add up the squares of x V over comparisons: the diagonal of V X' W X V.

    x is 1 at the left item, -1 at the right one, and has what `extra` says at the parameters after
    the items, of which some `columns` are fitted.
    """
    out = np.zeros(v.shape[1])
    moved = np.empty(v.shape[1])
    items = v.shape[0] - extra.shape[1] - 1
    for i in range(len(left)):
        w, up, down = weight[i], v[left[i]], v[right[i]]
        for j in range(len(out)):
            moved[j] = up[j] - down[j]
        for c in columns:
            by, row = extra[i, c], v[items + c]
            for j in range(len(out)):
                moved[j] += by * row[j]
        for j in range(len(out)):
            out[j] += w * moved[j] * moved[j]
    return out
