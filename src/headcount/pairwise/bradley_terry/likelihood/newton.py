"""Truncated Newton: climb by conjugate gradients on the Hessian, which is never written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from headcount.typing import Floats

__all__ = ["Climb", "Hill", "Spot", "dot", "maximise", "solve"]


ROUNDING = 1e-12
"""Relative error of a log-likelihood summed over cells: smaller gains cannot be seen."""
FLOOR = 64 * np.finfo(np.float64).eps
"""Gradient, as a part of the weight of comparisons behind it, below which it is rounding."""
LEAST_STEP = 1e-9


class Spot(Protocol):
    """A model at one vector of parameters: its value, gradient and negative Hessian."""

    @property
    def z(self) -> Floats:
        """The parameters."""
        ...

    @property
    def value(self) -> float:
        """What is maximised."""
        ...

    @property
    def gradient(self) -> Floats:
        """Its derivatives."""
        ...

    @property
    def diagonal(self) -> Floats:
        """Diagonal of its negative Hessian."""
        ...

    def times(self, v: Floats) -> Floats:
        """Negative Hessian times a vector."""
        ...


Place = TypeVar("Place", bound=Spot)
PlaceOut = TypeVar("PlaceOut", bound=Spot, covariant=True)


class Hill(Protocol[PlaceOut]):
    """What can be climbed: a concave log-likelihood, or nearly so."""

    @property
    def exposure(self) -> Floats:
        """Weight of what each parameter has a part in."""
        ...

    @property
    def gauge(self) -> Floats:
        """Vector to which every step is orthogonal; 0 for none."""
        ...

    def at(self, z: Floats) -> PlaceOut:
        """Evaluate it."""
        ...

    def longest(self, z: Floats, step: Floats) -> float:
        """Longest part of a step that stays where it is defined."""
        ...


class Climb(NamedTuple, Generic[Place]):
    """Where a climb ended."""

    point: Place
    converged: bool
    n_iter: int


def dot(a: Floats, b: Floats) -> float:
    """Inner product, without BLAS, whose threads cost more than they save at this length."""
    return float(np.sum(a * b))


def maximise(model: Hill[Place], start: Floats, *, tolerance: float, max_iter: int) -> Climb[Place]:
    """Maximise a model by Newton's method, each system solved no better than it needs to be.

    A step is halved until the value rises (Armijo); near the top, where the rise is lost in
    rounding, until the gradient falls. The value therefore never goes down by more than rounding.

    Parameters
    ----------
    model : Hill
    start : (parameters,) array
    tolerance : float
        Largest absolute entry of the gradient at the end. With so much weight on a parameter that
        rounding is above it, the rounding counts.
    max_iter : int
        Newton steps, at most.
    """
    limit = np.maximum(tolerance, FLOOR * model.exposure)
    point, n_iter = model.at(start), 0
    while True:
        size = np.abs(point.gradient)
        if bool((size <= limit).all()):
            return Climb(point, True, n_iter)
        if n_iter == max_iter:
            return Climb(point, False, n_iter)
        scaled = float(np.max(size / np.maximum(model.exposure, 1.0)))
        # Superlinear: the better the point, the better the system is solved.
        wanted = max(min(0.1, scaled**0.5), 0.3 * float(np.min(limit / np.maximum(size, limit))))
        step = solve(point.times, point.gradient, point.diagonal, model.gauge, tolerance=wanted)
        after = _line_search(model, point, step)
        if after is None:
            return Climb(point, False, n_iter)
        point, n_iter = after, n_iter + 1


def _line_search(model: Hill[Place], point: Place, step: Floats) -> Place | None:
    rise = dot(point.gradient, step)
    part = model.longest(point.z, step)
    noise = ROUNDING * (1.0 + abs(point.value))
    steepest = float(np.abs(point.gradient).max())
    while part > LEAST_STEP:
        after = model.at(point.z + part * step)
        gain = after.value - point.value
        if gain >= 1e-4 * part * rise and gain > noise:
            return after
        if gain >= -noise and float(np.abs(after.gradient).max()) < steepest:
            return after
        part /= 2
    return None


def solve(
    times: Callable[[Floats], Floats],
    right: Floats,
    diagonal: Floats,
    gauge: Floats,
    *,
    tolerance: float,
    max_iter: int = 2000,
) -> Floats:
    """Solve H x = b by conjugate gradients preconditioned with the diagonal of H.

    H may be singular if b is in its range. If H curves downwards somewhere (only a model with
    raters' slopes does), the solution so far is returned, which still leads uphill.

    Parameters
    ----------
    times : callable
        H times a vector.
    right, diagonal : arrays
        b, and the diagonal of H.
    gauge : array
        Solve among the x that are orthogonal to it, if it is not 0.
    tolerance : float
        Norm of the residual, in the metric of the preconditioner, relative to that of b.
    max_iter : int
    """
    scale = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
    across = scale * gauge
    held = dot(across, gauge)

    def along(v: Floats) -> Floats:
        # What is left out has no part in any search, but would grow until rounding gives it one.
        return v if held == 0 else v - dot(across, v) / held * gauge

    x = np.zeros_like(right)
    residual = along(right)
    search = scale * residual
    first = now = dot(residual, search)
    for n_iter in range(max_iter):
        if now <= tolerance**2 * first or now == 0:
            break
        image = times(search)
        bend = dot(search, image)
        if bend <= 0:
            return x if n_iter else search
        part = now / bend
        x += part * search
        residual = along(residual - part * image)
        ahead = scale * residual
        before, now = now, dot(residual, ahead)
        search = ahead + now / before * search
    return x
