"""Several predictions of the same label made into one, by adding up their logarithms."""

from __future__ import annotations

import numpy as np

from headcount.typing import Floats, Ints

__all__ = ["fit_log_pool", "pooled"]

_PRIOR = 1.0
"""Precision with which coefficients are those to start from: as much as an item or so tells."""
_STEPS = 12
_HALVINGS = 10
_TOLERANCE = 1e-9


def pooled(logs: Floats, coefficients: Floats) -> Floats:
    r"""Pool predictions: :math:`q_l \propto \exp(\sum_f b_f \log p_{fl})`.

    Parameters
    ----------
    logs : (rows, labels, predictions) array
        Log probabilities.
    coefficients : (predictions,) or (rows, predictions) array

    Examples
    --------
    >>> logs = np.log([[[0.5, 0.8], [0.5, 0.2]]])
    >>> pooled(logs, np.array([1.0, 1.0])).round(2)
    array([[0.8, 0.2]])
    """
    each = np.broadcast_to(coefficients, (len(logs), logs.shape[2]))
    power: Floats = np.einsum("rlf,rf->rl", logs, each)
    top: Floats = power.max(axis=1, keepdims=True)
    q = np.exp(power - top)
    return q / q.sum(axis=1, keepdims=True)


def fit_log_pool(
    logs: Floats, reference: Floats, weight: Floats, item: Ints, start: Floats
) -> tuple[Floats, Floats]:
    """Learn how much each of several predictions counts for, by maximum likelihood.

    Parameters
    ----------
    logs : (rows, labels, predictions) array
        Log probabilities.
    reference : (rows, labels) array
        Distribution of the label that is predicted.
    weight : (2, rows) array
        Weight of each row among all items, and within one item of its kind.
    item : (rows,) array of int
        The kind of item of each row: 0, 1, 2 ...
    start : (predictions,) array
        Coefficients that are kept where there is nothing to learn.

    Returns
    -------
    (predictions,) array, (kinds, predictions) array
        Coefficients that all items teach, and all but one of each kind: by one step of Newton's
        method, which is exact to first order.

    Notes
    -----
    O(rows x labels x predictions^2) a step.
    """
    among, within = weight
    b = start.copy()
    value = _value(b, logs, reference, among, start)
    for _ in range(_STEPS):
        slope, curvature = _derivatives(b, logs, reference, among, start)
        step = _solve(curvature, slope.sum(axis=0) - _PRIOR * (b - start))
        for _ in range(_HALVINGS):
            moved = _value(b + step, logs, reference, among, start)
            if moved >= value:
                break
            step = step / 2
        else:
            break
        gained, value, b = moved - value, moved, b + step
        if gained < _TOLERANCE:
            break
    _, curvature = _derivatives(b, logs, reference, among, start)
    slope, _ = _derivatives(b, logs, reference, within, start)
    starts = np.searchsorted(item, np.arange(int(item.max()) + 1))
    own: Floats = np.add.reduceat(slope, starts, axis=0)
    return b, b - _solve(curvature, own.T).T


def _solve(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.linalg.solve(a, b), dtype=np.float64)


def _value(b: Floats, logs: Floats, reference: Floats, weight: Floats, start: Floats) -> float:
    fitted = (reference * np.log(np.maximum(pooled(logs, b), 1e-300))).sum(axis=1)
    return float(weight @ fitted - _PRIOR / 2 * ((b - start) ** 2).sum())


def _derivatives(
    b: Floats, logs: Floats, reference: Floats, weight: Floats, start: Floats
) -> tuple[Floats, Floats]:
    """Slope of the log likelihood of each row, and minus the curvature of all, prior included."""
    q = pooled(logs, b)
    mean: Floats = np.einsum("rl,rlf->rf", q, logs)
    slope: Floats = np.einsum("rl,rlf->rf", reference - q, logs) * weight[:, None]
    away = logs - mean[:, None]
    flat = (away * np.sqrt(q * weight[:, None])[..., None]).reshape(-1, len(b))
    return slope, flat.T @ flat + _PRIOR * np.eye(len(start))
