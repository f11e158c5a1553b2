"""Phi's likelihood and posterior by dense integration: no patterns, no search, no shared nodes."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betainc, betaincinv, betaln, gammaln

from headcount.agreement.phi.inference.posterior import phi_of
from headcount.agreement.phi.inference.prior import Priors


def dense_mu(count=3000, reach=45.0):
    t = np.linspace(-reach, reach, count + 1)
    log_mu, log_rest = -np.logaddexp(0, -t), -np.logaddexp(0, t)
    return t[1] - t[0], log_mu, log_rest


def dense_log_likelihood(table, points, p, shapes):
    """Log likelihood of a table of ratings: points from 0, or numbers in (0, 1).

    One value for each of `shapes`, (a, b) of a prior that is half Beta(a, b), half Beta(b, a).
    """
    step, log_mu, log_rest = dense_mu()
    a, b = p * np.exp(log_mu), p * np.exp(log_rest)
    log_density = {}
    for x in {float(x) for row in table for x in row}:
        if points is None:
            beta = gammaln(p) - gammaln(a) - gammaln(b)
            log_density[x] = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) + beta
        else:
            low, high = x / points, (x + 1) / points
            near_low = betainc(a, b, high) - betainc(a, b, low)
            near_high = betainc(b, a, 1 - low) - betainc(b, a, 1 - high)
            mass = np.where(a < p * low, near_high, near_low)
            log_density[x] = np.log(np.maximum(mass, 1e-300))
    items = np.array([sum(log_density[float(x)] for x in row) for row in table])
    out = []
    for one, other in shapes:
        halves = one * log_mu + other * log_rest, other * log_mu + one * log_rest
        integrand = items + np.logaddexp(*halves) - np.log(2) - betaln(one, other)
        top = integrand.max(axis=1, keepdims=True)
        out.append(float((top[:, 0] + np.log(np.exp(integrand - top).sum(axis=1) * step)).sum()))
    return out


def shapes_of(spread, angle):
    """The prior of a spread and an angle: d is how far apart its halves are."""
    d = spread * math.cos(angle)
    k = (1 - d**2) / (spread * math.sin(angle)) ** 2 - 1
    return k * (1 + d) / 2, k * (1 - d) / 2


def prior_of(a, b):
    """A spread and an angle that lead to Beta(a, b) and Beta(b, a)."""
    d = abs(a - b) / (a + b)
    spread = math.sqrt(d**2 + (1 - d**2) / (a + b + 1))
    return Priors(np.array([spread]), np.array([math.acos(d / spread)]))


def dense_posterior(table, points, *, shapes):
    """Mean of Phi and P(Phi > 0), under flat priors on Phi and on `shapes`.

    mu is integrated over quantiles of its prior, which narrow priors need no fewer of.
    """
    x, place = np.unique(table, return_inverse=True)
    a, b = np.array(shapes).T[:, :, None]
    quantile = betaincinv(a, b, (np.arange(30) + 0.5) / 30).clip(1e-15, 1 - 1e-12)
    mu = np.stack([quantile, 1 - quantile])[..., None]
    p = 2 * np.exp((np.arange(-36, 24) + 0.5) / 6)  # half of a step on either side of Phi = 0
    post = np.empty(len(p))
    for at, each in enumerate(p):
        a, b = each * mu, each * (1 - mu)
        if points is None:
            beta = gammaln(each) - gammaln(a) - gammaln(b)
            density = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) + beta)
        else:
            density = betainc(a, b, (x + 1) / points) - betainc(a, b, x / points)
        items = [density[..., row].prod(axis=-1).mean(axis=(0, 2)) for row in place]
        post[at] = np.prod(items, axis=0).mean() * each * 2 ** (-each / 2)
    post /= post.sum()
    return float(post @ phi_of(p)), float(post[p > 2].sum())


ALL_SHAPES = [
    shapes_of((i + 0.5) / 14, (j + 0.5) / 7 * math.pi / 2) for i in range(14) for j in range(7)
]
