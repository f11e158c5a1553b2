"""Where the integral over an item's central value is taken, and the weights of priors there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headcount.agreement.phi.inference.prior import Priors
from headcount.typing import Floats

__all__ = ["STEP", "Nodes", "nodes", "weights"]


STEP = 0.8
"""Distance of nodes, in standard deviations of an item's narrowest likelihood. The trapezoid rule
errs by 2 exp(-2 pi^2 / STEP^2) on a Gaussian: 1e-13."""
END = 16.0
"""Nodes reach to logit(mu) = +-(END + log(1 + p)), beyond which only the ends are left."""


@dataclass(frozen=True, eq=False)
class Nodes:
    """Where the integral over mu is taken: values, their complements, and spacings.

    `mu` runs from 0 to 1, both included as first and last; `spacing` is d logit(mu) and 0 there.
    """

    mu: Floats
    rest: Floats
    spacing: Floats


def nodes(
    p: float,
    most: int,
    priors: Priors,
    *,
    gold_sd: float = 0.0,
    step: float = STEP,
) -> Nodes:
    r"""Place nodes for the integral over mu.

    In t = logit(mu) the curvature of n ratings is about :math:`n (1 + p \mu (1 - \mu))`, and that
    of a Beta prior of precision k :math:`k \mu (1 - \mu)`. Nodes are equally spaced in u with

    .. math:: du/dt = \sqrt{A + B \mu (1 - \mu)}, \quad A = n, \quad B = n p + k,

    in which no item's integrand is narrower than about 1. With S = sinh(t/2),

    .. math::
        u = 2 \sqrt A \, \mathrm{asinh}\frac{S}{\sqrt{1 + B/4A}}
            + \sqrt B \, \mathrm{atan}\frac{S \sqrt{B/4}}{\sqrt{A + B/4 + A S^2}}.

    Parameters
    ----------
    p : float
    most : int
        Ratings of an item, at most.
    priors : Priors
        Those that will be used. Where one is a point or two, nodes are there as well.
    gold_sd : float
        Standard deviation of a normal prior on mu, 0 if there is none.
    step : float
        Distance of nodes in u.

    Examples
    --------
    >>> at = nodes(5.0, 3, Priors(np.array([3**-0.5]), np.array([np.pi / 2])))
    >>> len(at.mu), bool((at.mu == at.rest[::-1]).all())
    (87, True)
    """
    k, distance = priors.precision, priors.distance
    points = np.isinf(k)
    wide = k[~points]
    k_least, k_most = (float(wide.min()), float(wide.max())) if len(wide) else (4.0, 4.0)
    a = float(most)
    b = most * p + k_most + (0.25 / gold_sd**2 if gold_sd else 0.0)
    reach = END + float(np.log1p(p))
    if k_least > 0 and not gold_sd:
        # Narrow priors, of standard deviation 2 / sqrt(k) in the middle, hold the items near them.
        furthest = min(float(distance.max(where=~points, initial=0.0)), 1 - 1e-9)
        held = 2 * np.arctanh(furthest) + reach * most * p / (most * p + k_least)
        reach = min(reach, held + 24 / (k_least * (1 - furthest**2)) ** 0.5)
    table: Floats = np.linspace(0, reach, 400)
    stretched = _stretch(table, a, b)
    end = float(stretched[-1])
    u: Floats = np.linspace(0, end, int(np.ceil(end / step)) + 1)
    t: Floats = np.interp(u, stretched, table)
    for _ in range(4):
        t -= (_stretch(t, a, b) - u) / _slope(t, a, b)
    t = np.concatenate([-t[:0:-1], t])
    spacing = (u[1] - u[0]) / _slope(t, a, b)
    at_points = 2 * np.arctanh(np.unique(distance[points & (distance > 0)]))
    if len(at_points):
        t = np.concatenate([t, at_points, -at_points])
        order = np.argsort(t, kind="stable")
        t, spacing = t[order], np.pad(spacing, (0, 2 * len(at_points)))[order]
    mu = np.concatenate([[0.0], 1 / (1 + np.exp(-t)), [1.0]])
    rest = mu[::-1].copy()
    return Nodes(mu, rest, np.concatenate([[0.0], spacing, [0.0]]))


def _slope(t: Floats, a: float, b: float) -> Floats:
    return np.sqrt(a + 0.25 * b / np.cosh(t / 2) ** 2)


def _stretch(t: Floats, a: float, b: float) -> Floats:
    s = np.sinh(t / 2)
    root = np.sqrt(a + b / 4 + a * s**2)
    return 2 * np.sqrt(a) * np.arcsinh(s / np.sqrt(1 + b / (4 * a))) + np.sqrt(b) * np.arctan(
        np.sqrt(b / 4) * s / root
    )


def weights(at: Nodes, priors: Priors) -> Floats:
    """Weights that integrate over priors of mu, (nodes, priors).

    Priors of one or two points, and of no precision (mu is 0 or 1), are served as they are. The
    ends get what makes the rule exact for linear functions, so that a likelihood that does not
    vanish there (everybody at the end of a binned scale) is integrated as well.
    """
    from scipy.special import betaln  # pyright: ignore[reportMissingTypeStubs]

    k, mean = priors.precision, (1 + priors.distance) / 2
    out = np.zeros((len(at.mu), len(priors)))
    point = np.flatnonzero(np.isinf(k))
    out[np.abs(at.mu[:, None] - mean[point]).argmin(axis=0), point] = 1
    wide = np.flatnonzero((k > 0) & ~np.isinf(k))
    a, b = k[wide] * mean[wide], k[wide] * (1 - mean[wide])
    log_mu = np.log(np.stack([at.mu[1:-1], at.rest[1:-1]], axis=1))
    log_prior = log_mu @ np.stack([a, b]) - betaln(a, b)
    out[1:-1, wide] = np.exp(log_prior) * at.spacing[1:-1, None]
    ends = np.flatnonzero(k * (1 - mean) < 2)  # beyond, nothing is left there
    out[-1, ends] = np.maximum(1 - out[:, ends].sum(axis=0), 0)
    return (out + out[::-1]) / 2
