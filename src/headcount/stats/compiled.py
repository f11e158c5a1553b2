"""Kernels compiled by numba, kept between runs where there is a place to keep them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

__all__ = ["compiled"]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(**options: Any) -> Callable[[Function], Function]:
    """Compile a function with numba's options, and keep the machine code beside its file.

    Where neither that folder nor a home can be written, as in many containers, or the disk is full,
    or what was kept is broken, it is compiled anew in every process. The kept code does not see
    changes in other files, so that a kernel calls functions of its own file only.
    """
    from numba import njit  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    make: Any = njit

    def decorate(function: Function) -> Function:
        try:
            kernel = make(cache=True, **options)(function)
        except RuntimeError:  # numba: no locator available
            return make(**options)(function)
        _forgive(kernel)
        return kernel

    return decorate


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
