"""Kernels compiled by numba, kept between runs where there is a place to keep them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(**options: Any) -> Callable[[Function], Function]:
    """Compile a function with numba's options, and keep the machine code beside its file.

    Where neither that folder nor a home can be written, as in many containers, it is compiled
    anew in every process. The kept code does not see changes in other files, so that a kernel
    calls functions of its own file only.
    """
    from numba import njit  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    make: Any = njit

    def decorate(function: Function) -> Function:
        try:
            return make(cache=True, **options)(function)
        except RuntimeError:  # numba: no locator available
            return make(**options)(function)

    return decorate
