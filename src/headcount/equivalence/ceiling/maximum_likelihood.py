"""Maximum likelihood of a mixing distribution on given states, for many data sets at once."""

from __future__ import annotations

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["TINY", "maximise"]


TINY = 1e-300
"""Least probability, so that rounding divides nothing by 0."""


def maximise(
    likelihood: Floats, share: Floats, tol: float, max_iter: int
) -> tuple[Floats, Floats, Codes]:
    r"""Maximise :math:`\sum_p m_p \log \sum_j w_j A_{pj}` over distributions w.

    Parameters
    ----------
    likelihood : (patterns, states) array
        A: probability of each pattern in each state, but for a factor a pattern.
    share : (draws, patterns) array
        m: share of the items that show each pattern; each draw is a data set of its own.
    tol : float
        Stop a draw when :math:`\max_j \sum_p m_p A_{pj} / f_p - 1 \le tol`, with
        :math:`f = A w`: no other distribution gains more than that (Lindsay 1983).
    max_iter : int
        Most Newton steps.

    Returns
    -------
    weight : (draws, states) array
    gap : (draws,) array
        The left side of the stopping rule.
    n_iter : (draws,) array of int

    Notes
    -----
    With :math:`\nu = m / f` and slacks :math:`s \ge 0` of the dual constraints, the conditions
    of optimality are

    .. math:: A' \nu + s = 1, \qquad w s = \mu \to 0, \qquad \nu (A w) = m.

    Newton's method for them, with Mehrotra's predictor and corrector, starts at a strictly
    feasible point of the dual and keeps it so. A step is
    O(patterns x states x min(patterns, states)) a draw; 10 to 20 are enough.

    Examples
    --------
    Coins that always, or never, or half of the time show heads; both, one or no head in 2 throws:

    >>> likelihood = np.array([[1, 0.25, 0], [0, 0.5, 0], [0, 0.25, 1]])
    >>> weight, gap, n_iter = maximise(likelihood, np.array([[0.5, 0.2, 0.3]]), 1e-9, 50)
    >>> weight.round(6)
    array([[0.4, 0.4, 0.2]])
    """
    draws, size = len(share), likelihood.shape[1]
    found = np.full((draws, size), 1 / size)
    best = np.full(draws, np.inf)
    steps = np.zeros(draws, dtype=np.int64)
    active = np.arange(draws)
    m, w = share, found.copy()
    nu = m / np.maximum(w @ likelihood.T, TINY)
    nu = 0.9 * nu / (nu @ likelihood).max(axis=1, keepdims=True)
    s = 1 - nu @ likelihood
    for step in range(max_iter + 1):
        f = np.maximum(w @ likelihood.T, TINY)
        total = w.sum(axis=1, keepdims=True)
        gap = ((m * total / f) @ likelihood).max(axis=1) - 1
        # Rounding can spoil a step at the very end; the best weights are kept.
        better = gap < best[active]
        found[active[better]] = (w / total)[better]
        best[active[better]] = gap[better]
        steps[active] = step
        go = np.isfinite(gap) & (gap > tol)
        if step == max_iter or not go.any():
            break
        if not go.all():
            active, m, w = active[go], m[go], w[go]
            nu, s, f = nu[go], s[go], f[go]
        newton = _Newton(likelihood, w, nu, s, f)
        mu = (w * s).mean(axis=1, keepdims=True)
        # Predictor: straight for the optimum. Its success sets how far the corrector aims.
        dw, ds, dnu = newton.direction(-w * s, m - nu * f)
        primal, dual = _reach(w, dw), np.minimum(_reach(s, ds), _reach(nu, dnu))
        aim = ((w + primal * dw) * (s + dual * ds)).mean(axis=1, keepdims=True)
        centre = (aim / mu) ** 3 * mu
        dw, ds, dnu = newton.direction(
            centre - w * s - dw * ds, m - nu * f - dnu * (dw @ likelihood.T)
        )
        primal = _reach(w, dw, 0.99)
        dual = np.minimum(_reach(s, ds, 0.99), _reach(nu, dnu, 0.99))
        w, s, nu = w + primal * dw, s + dual * ds, nu + dual * dnu
    return found, best, steps


class _Newton:
    """The linear system of one Newton step, in patterns or in states, whichever are fewer."""

    def __init__(self, a: Floats, w: Floats, nu: Floats, s: Floats, f: Floats) -> None:
        self.a, self.w, self.nu, self.s, self.f = a, w, nu, s, f
        self.by_pattern = a.shape[0] <= a.shape[1]
        # Scaled by the square root of nu or w, so that patterns not drawn (nu = 0) and states
        # without weight do no harm.
        if self.by_pattern:
            self.root, diagonal = np.sqrt(nu), f
            matrix = (a * (w / s)[:, None, :]) @ a.T
        else:
            self.root, diagonal = np.sqrt(w), s
            matrix = (np.ascontiguousarray(a.T) * (nu / f)[:, None, :]) @ a
        matrix *= self.root[:, :, None] * self.root[:, None, :]
        place = np.arange(len(matrix[0]))
        matrix[:, place, place] += diagonal
        self.unit = 1 / np.sqrt(matrix[:, place, place])
        matrix *= self.unit[:, :, None] * self.unit[:, None, :]
        matrix[:, place, place] += 1e-13
        self.matrix = matrix

    def direction(self, r_w: Floats, r_nu: Floats) -> tuple[Floats, Floats, Floats]:
        """Solve s dw + w ds = r_w, f dnu + nu (A dw) = r_nu and A' dnu + ds = 0."""
        dw, ds, dnu = self._direction(r_w, r_nu)
        if not self.by_pattern:
            return dw, ds, dnu
        # Near the optimum w / s is huge and magnifies rounding; what is left over is solved again.
        more = self._direction(
            r_w - self.s * dw - self.w * ds,
            r_nu - self.f * dnu - self.nu * (dw @ self.a.T),
        )
        return dw + more[0], ds + more[1], dnu + more[2]

    def _direction(self, r_w: Floats, r_nu: Floats) -> tuple[Floats, Floats, Floats]:
        a, w, nu, s, f = self.a, self.w, self.nu, self.s, self.f
        if self.by_pattern:
            some = self.root > 0
            right = (r_nu - nu * ((r_w / s) @ a.T)) / np.where(some, self.root, 1.0)
            dnu = self._solve(np.where(some, right, 0.0))
            ds = -(dnu @ a)
            return (r_w - w * ds) / s, ds, dnu
        dw = self._solve(r_w / self.root + self.root * ((r_nu / f) @ a))
        dnu = (r_nu - nu * (dw @ a.T)) / f
        return dw, -(dnu @ a), dnu

    def _solve(self, right: Floats) -> Floats:
        x = np.linalg.solve(self.matrix, (self.unit * right)[..., None])[..., 0]
        return self.root * self.unit * x


def _reach(x: Floats, dx: Floats, share: float = 1.0) -> Floats:
    """How far, up to 1, one can go along dx before an x turns negative, times `share`."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        limit = np.where(dx < 0, -x / dx, np.inf).min(axis=1, keepdims=True)
    return np.minimum(1.0, share * limit)
