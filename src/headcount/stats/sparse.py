"""Sparse matrices, which scipy gives no types, and products with them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.typing import Floats, Ints, Kernel

__all__ = ["Matrix", "sparse", "sparse_product"]

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


def sparse_product(row: Ints, column: Ints, entries: Floats, shape: tuple[int, int]) -> Kernel:
    """Prepare ``x @ M`` for dense x and a sparse M, given as coordinates. O(entries) a row of x."""
    sparse: Any = import_module("scipy.sparse")  # untyped, and slow to import
    transposed: Any = sparse.csr_matrix((entries, (column, row)), shape=shape[::-1])
    return lambda x: np.ascontiguousarray((transposed @ x.T).T)
