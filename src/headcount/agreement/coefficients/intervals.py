"""Intervals without resampling: Student's and normal ones, and those of each coefficient."""

from __future__ import annotations

import numpy as np

from headcount.agreement.coefficients.engine import BY_PAIR, Engine
from headcount.agreement.coefficients.icc import icc1_interval, icc2k_interval
from headcount.agreement.coefficients.kappas import linearised
from headcount.agreement.coefficients.rater_pairs import slopes
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["analytic", "normal_interval", "t_interval"]


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
    return Estimate(value, max(value - half, low), min(value + half, 1.0), level, method)


def normal_interval(
    value: float, error: float, n: int, level: float, *, method: str = "delta method over items"
) -> Estimate:
    """Make a normal interval, cut at -1 and 1; none for a single item."""
    from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]

    if n < 2:
        return Estimate(value)
    half = error * float(ndtri((1 + level) / 2))
    return Estimate(value, max(value - half, -1.0), min(value + half, 1.0), level, method)


def analytic(engine: Engine, values: dict[str, float], level: float) -> dict[str, Estimate]:
    """Intervals of the coefficients for which there is a standard one.

    Percent agreement, Fleiss' kappa, AC1 and AC2: Gwet's linearised variance, Student's t.
    Scott's pi and Cohen's kappas: the delta method over items, which for two raters is Fleiss,
    Cohen and Everitt's, normal. ICC(1) with equal numbers of ratings and ICC(2,k) with complete
    data: F. Krippendorff's alpha has no standard one.
    """
    p = engine.setting.patterns
    found: dict[str, Estimate] = {}
    if int(p.multiplicity[p.usable].sum()) < 2:
        return found
    for name, value in values.items():
        if name in ("percent", "fleiss", "ac1", "ac2"):
            rule = "gwet" if name in ("ac1", "ac2") else name
            got = linearised(p, rule, engine.distance(name))
            low = 0.0 if name == "percent" else -1.0
            found[name] = t_interval(
                value, got.error, got.items, level, low=low, method="linearised, t interval"
            )
        elif name in ("icc1", "icc2k"):
            ends = icc1_interval(p, value, level) if name == "icc1" else _icc2k(engine, level)
            if ends is not None:
                found[name] = Estimate(value, *ends, level, "F interval")
    return found | _means_of_pairs(engine, values, level)


def _means_of_pairs(engine: Engine, values: dict[str, float], level: float) -> dict[str, Estimate]:
    names = [name for name in values if name in BY_PAIR]
    changes: list[Floats] = []
    for name in names:
        kappa, slope = slopes(engine.table, engine.distance(name), pooled=name == "scott")
        changes.append(slope / max(int((~np.isnan(kappa)).sum()), 1))
    by_item = engine.table.by_item(changes) if names else []
    n = int(engine.setting.patterns.multiplicity.sum())
    return {
        name: normal_interval(values[name], float(np.sqrt((change**2).sum())), n, level)
        for name, change in zip(names, by_item, strict=True)
    }


def _icc2k(engine: Engine, level: float) -> tuple[float, float] | None:
    labels, numbers = engine.setting.labels, engine.setting.numbers
    items, raters = len(labels.items), len(np.unique(labels.rater))
    if numbers is None or len(labels) != items * raters or items < 2 or raters < 2:
        return None
    order = np.lexsort((labels.rater, labels.item))
    return icc2k_interval(numbers[labels.label[order]].reshape(items, raters), level)
