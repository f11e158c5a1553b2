"""Work on plain arrays: equal rows, repeated values, ratios, sparse matrices, compiled kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from headcount.typing import Floats, Ints, Kernel

__all__ = [
    "group_rows",
    "find_rows",
    "counted",
    "group_sums",
    "repeated_quantiles",
    "SMALL",
    "ratio",
    "Matrix",
    "exact_sum",
    "sparse",
    "sparse_columns",
    "sparse_product",
    "INTERPRETED",
    "has_numba",
    "compiled",
    "part_of_kernel",
]


# Rows that are equal, found by one sort.

_WIDEST, _LARGEST = 2**31, 2**62
"""Range of one digit at most, and of all together: 2**31 rows x 2**31 values still fit."""
_FEW_KEYS = 1_000
"""Keys that a table holds however few rows there are; of more rows, as many as these."""
_LONG, _LOOKED_AT, _FEW_VALUES = 20_000, 1_000, 100
"""Rows from which a column may hold few values, rows that are looked at first, and values."""


def group_rows(columns: Iterable[NDArray[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group rows that are equal in all `columns`.

    Parameters
    ----------
    columns : iterable of (n,) arrays

    Returns
    -------
    first : (groups,) array
        A row of each group: the first. Groups are in the lexicographic order of the columns.
    group : (n,) array
        The group of each row.

    Notes
    -----
    O(n log n): columns of whole numbers are put together as the digits of one number, which is
    sorted once, or looked up in a table where it is small. Other columns are sorted first, unless
    they hold few values, and so are digits that would overflow.

    Examples
    --------
    >>> first, group = group_rows([np.array([2, 1, 2, 1]), np.array([0, 5, 0, 4])])
    >>> first, group
    (array([3, 1, 0]), array([2, 1, 2, 0]))
    """
    key: NDArray[np.int64] | None = None
    size = 1
    for column in columns:
        digit, base = _digit(column)
        if key is None:
            key, size = digit, base
            continue
        if size * base > _LARGEST:
            dense, key = np.unique(key, return_inverse=True)
            size = len(dense)
        key, size = key * base + digit, size * base
    if key is None:
        raise ValueError("group_rows needs at least one column")
    if size <= max(_FEW_KEYS, len(key)):
        return _by_table(key, size)
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    return first, group


def find_rows(others: Iterable[NDArray[Any]], columns: Iterable[NDArray[Any]]) -> NDArray[np.intp]:
    """Find where rows stand among others that all differ; -1 where they do not.

    Parameters
    ----------
    others : iterable of (m,) arrays
        Columns of rows that differ.
    columns : iterable of (n,) arrays
        The same columns of rows to find.

    Notes
    -----
    O((m + n) log(m + n)).

    Examples
    --------
    >>> find_rows([np.array([1, 2, 2]), np.array([5, 5, 7])], [np.array([2, 3]), np.array([7, 7])])
    array([ 2, -1])
    """
    pairs = list(zip(others, columns, strict=True))
    first, group = group_rows([np.concatenate(pair) for pair in pairs])
    size = len(pairs[0][0])
    index = np.full(len(first), -1, dtype=np.intp)
    index[group[:size]] = np.arange(size)
    return index[group[size:]]


def _by_table(key: NDArray[np.int64], size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Group keys below `size` by looking them up in a table: what a sort finds, in O(n + size)."""
    first = np.full(size, -1, dtype=np.intp)
    first[key[::-1]] = np.arange(len(key) - 1, -1, -1)  # the last that is written is the first
    used = first >= 0
    group = np.cumsum(used) - 1
    return first[used], group[key]


def counted(
    group: NDArray[np.integer[Any]], weight: NDArray[np.int64] | None = None, groups: int = 0
) -> NDArray[np.int64]:
    """Count the items of each group, where a row stands for one or for several. O(rows).

    Examples
    --------
    >>> counted(np.array([0, 1, 0])), counted(np.array([0, 1, 0]), np.array([3, 1, 2]))
    (array([2, 1]), array([5, 1]))
    """
    if weight is None:
        return np.bincount(group, minlength=groups).astype(np.int64)
    return np.bincount(group, weight, groups).astype(np.int64)  # exact below 2**53


def group_sums(
    group: NDArray[np.integer[Any]], values: NDArray[np.float64], groups: int
) -> NDArray[np.float64]:
    """Add up values by group: (rows,) to (groups,). O(rows).

    Examples
    --------
    >>> group_sums(np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]), 3)
    array([4., 2., 0.])
    """
    return np.asarray(np.bincount(group, values, groups), dtype=np.float64)


def _digit(column: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """Whole numbers from 0 on in the order of a column's values, and what they are all below."""
    if column.dtype.kind in "bi" and len(column):
        low, high = int(column.min()), int(column.max())
        if high - low < _WIDEST:
            return column.astype(np.int64) - low, high - low + 1
    few = _few_values(column)
    if few is not None:
        return few
    values, codes = np.unique(column, return_inverse=True)
    return codes, max(len(values), 1)


def _few_values(column: NDArray[Any]) -> tuple[NDArray[np.int64], int] | None:
    """Code a long column of numbers of which some rows hold all values, without sorting it."""
    if column.dtype.kind != "f" or len(column) < _LONG:
        return None
    values = np.unique(column[:: len(column) // _LOOKED_AT])
    if len(values) > _FEW_VALUES:
        return None
    codes = np.minimum(np.searchsorted(values, column), len(values) - 1)
    rest = column[values[codes] != column]
    if len(rest):  # rare values; of NaN, which is unlike itself, there is no end
        values = np.unique(np.concatenate([values, np.unique(rest)]))
        if len(values) > _FEW_VALUES or np.isnan(values).any():
            return None
        codes = np.searchsorted(values, column)
    return codes, len(values)


# Statistics of values that stand for several equal ones each.


def repeated_quantiles(values: Floats, shares: Floats, weight: Floats | None = None) -> Floats:
    """Find quantiles of values, each repeated as often as its weight says, without repeating them.

    They are those of :func:`numpy.quantile` on the repeated values, between neighbours linearly.
    O(values log values).

    Examples
    --------
    >>> repeated_quantiles(np.array([1.0, 3.0]), np.array([0.5, 0.75]), np.array([2.0, 2.0]))
    array([2., 3.])
    >>> np.quantile([1, 1, 3, 3], [0.5, 0.75])
    array([2., 3.])
    """
    if weight is None:
        return np.asarray(np.quantile(values, shares), dtype=np.float64)
    order = np.argsort(values, kind="stable")
    ordered, upto = values[order], np.cumsum(weight[order])
    position: Floats = shares * (upto[-1] - 1)

    def at(end: Floats) -> Floats:
        return ordered[np.minimum(np.searchsorted(upto, end, side="right"), len(ordered) - 1)]

    low, high = at(np.floor(position)), at(np.ceil(position))
    return low + (high - low) * (position - np.floor(position))


# Ratios that may be undefined.

SMALL = 1e-12
"""Means of numbers of at most 1 that are below this are rounding error."""


def ratio(top: Floats, bottom: Floats, *, least: float = 0.0) -> Floats:
    """Divide; NaN where the divisor is not above `least`, without a warning."""
    out = np.full(np.broadcast_shapes(np.shape(top), np.shape(bottom)), np.nan)
    np.divide(top, bottom, out=out, where=bottom > least)
    return out


# Sparse matrices, which scipy gives no types, and products with them.

Matrix = Any
"""A scipy sparse array in compressed rows."""


def exact_sum(values: Floats) -> float:
    """Sum values of one sign to the last digit, at the speed of a plain sum.

    Multiples of a unit add up without rounding while their sum fits into the 53 bits of a float. So
    only what values have beyond the unit is rounded, and that is less than a digit of the sum.

    Examples
    --------
    >>> exact_sum(np.full(10, 0.1)), sum([0.1] * 10)
    (1.0, 0.9999999999999999)
    """
    largest = float(np.abs(values).max(initial=0.0))
    if not 0 < largest < math.inf:
        return float(values.sum())
    exponent = math.frexp(largest)[1] + len(values).bit_length() - 53
    unit = math.ldexp(1.0, max(exponent, -1022))
    multiples = np.rint(values / unit) * unit
    return float(multiples.sum() + (values - multiples).sum())


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


# Kernels, compiled by numba where it is installed and has enough to do.

Function = TypeVar("Function", bound=Callable[..., Any])

INTERPRETED = 200_000
"""Steps that kernels are interpreted for: numba takes as long to load as these, half a second."""


@cache
def has_numba() -> bool:
    """Whether kernels can be compiled."""
    return find_spec("numba") is not None


def compiled(times: int = 1, **options: Any) -> Callable[[Function], Function]:
    """Compile a function with numba's options, once kernels have taken `INTERPRETED` steps.

    Until then, and where numba is not installed, Python runs the same lines. The machine code is
    kept beside the file; where neither that folder nor a home can be written, as in many
    containers, or the disk is full, or what was kept is broken, it is compiled anew in every
    process. The kept code does not see changes in other files, so that a kernel calls functions of
    its own file only: those that are marked as :func:`part_of_kernel`.

    Parameters
    ----------
    times : int
        How often the innermost loop runs, about, for each entry of the largest array.
    """

    def decorate(function: Function) -> Function:
        return cast("Function", _Kernel(function, times, options))

    return decorate


def part_of_kernel(**options: Any) -> Callable[[Function], Function]:
    """Mark a function that kernels call: it is compiled with them, with these options."""

    def mark(function: Function) -> Function:
        vars(function)["compiled_with"] = options
        return function

    return mark


class _Kernel:
    """A function that Python runs at first, and machine code later."""

    taken = 0
    """Steps that all kernels have taken in Python."""

    def __init__(
        self, function: Callable[..., Any], times: int, options: Mapping[str, Any]
    ) -> None:
        self._function, self._times, self._options = function, times, options
        self._run: Callable[..., Any] | None = None

    def __call__(self, *args: Any) -> Any:
        if self._run is None:
            sizes = (a if isinstance(a, int) else getattr(a, "size", 1) for a in args)
            _Kernel.taken += self._times * max(sizes)
            if _Kernel.taken <= INTERPRETED or not has_numba():
                with np.errstate(all="ignore"):  # as machine code does
                    return self._function(*args)
            self._run = _machine_code(self._function, self._options)
        return self._run(*args)


def _machine_code(function: Callable[..., Any], options: Mapping[str, Any]) -> Callable[..., Any]:
    """Compile a function, and those that it calls, and keep the machine code if possible."""
    from numba import njit  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    seen = dict(function.__globals__)
    for name in function.__code__.co_names:
        part = seen.get(name)
        if isinstance(part, FunctionType) and "compiled_with" in vars(part):
            seen[name] = _machine_code(part, vars(part)["compiled_with"])
    copy = FunctionType(function.__code__, seen, function.__name__, function.__defaults__)
    make: Any = njit
    try:
        kernel = make(cache=True, **options)(copy)
    except RuntimeError:  # numba: no locator available
        return make(**options)(copy)
    _forgive(kernel)
    return kernel


def _forgive(kernel: Any) -> None:
    """Let a kernel run though its machine code cannot be read or kept.

    numba lets such errors pass on Windows only: its two methods that touch files get a guard.
    """
    cache = getattr(kernel, "_cache", None)
    for name in ("load_overload", "save_overload"):
        method = getattr(cache, name, None)
        if method is not None:
            setattr(cache, name, _or_none(method))


def _or_none(method: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        # A truncated file ends in whatever unpickling random bytes does.
        with suppress(Exception):
            return method(*args)
        return None

    return call
