"""Sparse matrices, which scipy gives no types, and products with them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.typing import Floats, Ints, Kernel

__all__ = ["Matrix", "sparse", "sparse_columns", "sparse_product"]

Matrix = Any
"""A scipy sparse array in compressed rows."""


def sparse(
    value: NDArray[np.float64],
    row: NDArray[np.integer[Any]],
    column: NDArray[np.integer[Any]],
    shape: tuple[int, int],
) -> Matrix:
    """Make a matrix from entries; those in the same place are added."""
    from scipy.sparse import csr_array  # pyright: ignore[reportMissingTypeStubs]

    return csr_array((value, (row, column)), shape=shape)


def sparse_columns(
    value: NDArray[np.float64],
    row: NDArray[np.integer[Any]],
    start: NDArray[np.integer[Any]],
    shape: tuple[int, int],
) -> Matrix:
    """Make a matrix from entries that stand column by column, which need not be sorted.

    Parameters
    ----------
    value, row : (entries,) arrays
    start : (columns + 1,) array of int
        Entries of column c are those from ``start[c]`` to ``start[c + 1]``.
    shape : (int, int)

    Examples
    --------
    >>> found = sparse_columns(np.array([2.0, 3.0]), np.array([1, 0]), np.array([0, 1, 2]), (2, 2))
    >>> found.toarray()
    array([[0., 3.],
           [2., 0.]])
    """
    from scipy.sparse import csc_array  # pyright: ignore[reportMissingTypeStubs]

    if start[-1] < 2**31:  # half the memory, if both are as short
        start, row = start.astype(np.int32), row.astype(np.int32, copy=False)
    return csc_array((value, row, start), shape=shape)


def sparse_product(row: Ints, column: Ints, entries: Floats, shape: tuple[int, int]) -> Kernel:
    """Prepare ``x @ M`` for dense x and a sparse M, given as coordinates. O(entries) a row of x."""
    sparse: Any = import_module("scipy.sparse")  # untyped, and slow to import
    transposed: Any = sparse.csr_matrix((entries, (column, row)), shape=shape[::-1])
    return lambda x: np.ascontiguousarray((transposed @ x.T).T)
