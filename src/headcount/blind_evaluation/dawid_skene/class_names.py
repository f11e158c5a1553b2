"""Names of classes, which a likelihood does not know."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.typing import Codes, Floats

__all__ = ["best_names"]


def best_names(count: Floats, vote_weight: Floats) -> Codes:
    """Label that each class should be called by, for most votes to agree with it: (classes,).

    Parameters
    ----------
    count : (classifiers, labels, classes) array
        Expected votes.
    vote_weight : (classifiers,) array

    Notes
    -----
    An assignment problem; O(classes^3). Ties keep the names as they are, for a class that nothing
    belongs to may be called anything.

    Examples
    --------
    >>> best_names(np.array([[[1.0, 8], [9, 2]]]), np.ones(1))
    array([1, 0])
    """
    import scipy.optimize  # pyright: ignore[reportMissingTypeStubs]

    optimize: Any = scipy.optimize
    agree = np.einsum("k,klc->cl", vote_weight, count)
    names: Codes = optimize.linear_sum_assignment(agree, maximize=True)[1]
    own = np.arange(len(agree))
    return own if agree[own, names].sum() <= np.trace(agree) * (1 + 1e-9) else names
