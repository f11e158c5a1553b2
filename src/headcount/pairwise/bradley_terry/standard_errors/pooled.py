r"""One factor for all errors, where items are too many to write a covariance down.

What a cluster g says of item j is added up: its score :math:`s_{gj}` and its information
:math:`h_{gj}`, of :math:`H_j` in all. Were the model right and answers independent, the mean of
:math:`s_{gj}^2 / (1 - h_{gj} / H_j)` would be :math:`h_{gj}`. The factor by which variances exceed
those of the Hessian is

.. math:: \phi = \frac{\sum_j \sum_g s_{gj}^2 / (1 - h_{gj} / H_j)}{\sum_j H_j}
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from headcount.typing import Floats, Ints

__all__ = ["Said", "pooled_factor"]

MOST_SHARE = 0.9
"""Share of what is known of an item, from which on a cluster's is not told from the rest."""


class Said(NamedTuple):
    """What answers say of single items: score and information of each, weights included."""

    item: Ints
    score: Floats
    tell: Floats


def pooled_factor(said: Said, cluster: Ints) -> float:
    """Find by how much answers of clusters vary more, or less, than the model says.

    Parameters
    ----------
    said : Said
        (entries,) arrays: an answer has one for each of its items.
    cluster : (entries,) array of int

    Notes
    -----
    O(entries log entries). What an answer of a cluster says of one item and what another says of
    another are taken as independent, as are the tastes for different items.

    Examples
    --------
    >>> said = Said(np.array([0, 0, 0, 0]), np.array([1.0, 1, -1, -1]), np.full(4, 0.5))
    >>> pooled_factor(said, np.arange(4)), pooled_factor(said, np.array([0, 0, 1, 1]))
    (2.6666666666666665, 8.0)
    """
    n = int(said.item.max(initial=0)) + 1
    _, cell = np.unique(cluster * n + said.item, return_inverse=True)
    cell = cell.reshape(-1)
    item = np.zeros(int(cell.max(initial=-1)) + 1, dtype=np.int64)
    item[cell] = said.item
    score, tell = np.bincount(cell, said.score), np.bincount(cell, said.tell)
    total = np.bincount(said.item, said.tell, n)
    share = np.minimum(tell / np.maximum(total[item], 1e-300), MOST_SHARE)
    return float(np.sum(score**2 / (1 - share)) / np.sum(total))
