"""Confidence intervals from a standard error: Student's and normal ones."""

from __future__ import annotations

from headcount.stats.estimate import Estimate

__all__ = ["normal_interval", "t_interval"]


def t_interval(
    value: float,
    error: float,
    n: int,
    level: float,
    *,
    low: float = -1.0,
    method: str = "t interval over items",
) -> Estimate:
    """Make Student's interval with n - 1 degrees of freedom, cut at `low` and 1; none for n < 2.

    Examples
    --------
    >>> t_interval(0.5, 0.1, 10, 0.95)
    0.5 (0.2738 to 0.7262)
    """
    from scipy.special import stdtrit  # pyright: ignore[reportMissingTypeStubs]

    if n < 2:
        return Estimate(value)
    half = error * float(stdtrit(n - 1, (1 + level) / 2))
    return Estimate(
        value,
        low=max(value - half, low),
        high=min(value + half, 1.0),
        level=level,
        method=method,
    )


def normal_interval(
    value: float, error: float, n: int, level: float, *, method: str = "delta method over items"
) -> Estimate:
    """Make a normal interval, cut at -1 and 1; none for a single item.

    Examples
    --------
    >>> normal_interval(0.5, 0.1, 10, 0.95)
    0.5 (0.304 to 0.696)
    """
    from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]

    if n < 2:
        return Estimate(value)
    half = error * float(ndtri((1 + level) / 2))
    return Estimate(
        value,
        low=max(value - half, -1.0),
        high=min(value + half, 1.0),
        level=level,
        method=method,
    )
