"""Sparse matrices, which scipy gives no types."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Matrix", "sparse"]

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
