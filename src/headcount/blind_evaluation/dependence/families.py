"""Families: classifiers that err together, found from their errors or given as groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile
from typing import Any

import numpy as np

from headcount.blind_evaluation.dependence.residuals import Residuals, effective_votes, mean_pair
from headcount.results.arrays import to_json
from headcount.typing import Codes, Floats

__all__ = ["Family", "family_of", "find_families", "lower_bound", "quantile", "shared_prefix"]

TOGETHER = 0.1
"""Residual correlation, less what noise explains, from which classifiers are a family. Ten that
err together to this extent are worth 10 / (1 + 9 x .1) = 5.3 votes."""

LEAST_INFORMATION = 20
"""Items' worth of errors that a pair needs to count as known."""

FALSE_ALARMS = 0.05
"""Chance that noise alone lifts any pair of independent classifiers above its bound."""


@dataclass(frozen=True)
class Family:
    """Classifiers that err together.

    Parameters
    ----------
    members : tuple of int
        Their positions.
    name : str or None
        Name of the group, or how their names begin; None where they share nothing.
    correlation : float
        Mean residual correlation of two of them.
    effective_votes : float
        Independent votes that they are worth.
    together : bool
        Whether the correlation, less what is usual and what noise explains, is .1 or more.
    """

    members: tuple[int, ...]
    name: str | None
    correlation: float
    effective_votes: float
    together: bool

    def to_dict(self, classifiers: Sequence[str]) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "classifiers": [classifiers[k] for k in self.members],
            "residual_correlation": to_json(self.correlation),
            "effective_votes": to_json(self.effective_votes),
            "together": self.together,
        }


def find_families(residuals: Residuals, names: Sequence[str]) -> tuple[Family, ...]:
    r"""Find classifiers that err together, the largest family first.

    Parameters
    ----------
    residuals : Residuals
        As of :func:`headcount.blind_evaluation.dependence.suspicion.suspicion`.
    names : sequence of str

    Notes
    -----
    Each pair's correlation is lowered by what noise explains (see :func:`lower_bound`). Families
    are merged by average linkage as long as the mean bound between two is at least .1. Pairs of
    which too little is known count as 0. O(K^2 log K) for the K that have a pair above .1.
    """
    hierarchy: Any = import_module("scipy.cluster.hierarchy")  # untyped, and slow to import
    bound = lower_bound(residuals)
    near = np.flatnonzero((bound >= TOGETHER).any(axis=1))
    if len(near) < 2:
        return ()
    distance = 1 - bound[np.ix_(near, near)][np.triu_indices(len(near), 1)]
    tree = hierarchy.linkage(distance, "average")
    label: Codes = hierarchy.fcluster(tree, 1 - TOGETHER, "distance")
    found = [near[label == i] for i in np.unique(label)]
    families = [family_of(residuals, k, names) for k in found if len(k) > 1]
    return tuple(sorted(families, key=lambda family: (-len(family.members), family.members)))


def family_of(
    residuals: Residuals,
    members: Codes,
    names: Sequence[str],
    *,
    name: str | None = None,
    tests: int = 1,
    usual: float = 0.0,
) -> Family:
    """Describe classifiers that are thought to err together.

    Parameters
    ----------
    residuals : Residuals
    members : array of int
    names : sequence of str
        Of all classifiers.
    name : str, optional
        Default: how the members' names begin.
    tests : int
        Number of families that are looked at. Noise explains the mean correlation up to the
        normal quantile that none of so many exceeds with probability 95%, over the root of the
        sum of the pairs' information.
    usual : float
        Correlation that is usual among classifiers that have nothing to do with each other.
    """
    pair = np.ix_(members, members)
    inside = np.zeros(residuals.shared.shape, dtype=bool)
    inside[pair] = True
    correlation = mean_pair(residuals, inside)
    information = float(np.triu(residuals.information[pair], 1).sum())
    noise = quantile(tests) / np.sqrt(max(information, 1.0))
    if name is None:
        name = shared_prefix([names[int(k)] for k in members], names)
    return Family(
        members=tuple(members.tolist()),
        name=name,
        correlation=correlation,
        effective_votes=effective_votes(residuals.correlation[pair]),
        together=bool(information >= LEAST_INFORMATION and correlation - usual - noise >= TOGETHER),
    )


def quantile(tests: int) -> float:
    """Find the normal quantile that none of so many tests exceeds with probability 95%."""
    from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]

    return -float(ndtri(FALSE_ALARMS / max(tests, 1)))


def lower_bound(residuals: Residuals) -> Floats:
    r"""Residual correlation less what noise explains: (K, K), 0 where too little is known.

    :math:`\tanh(\operatorname{artanh} R - z / \sqrt{i - 3})`, Fisher's bound with the information
    i for the number of items, and z the normal quantile that none of K (K - 1) / 2 independent
    pairs exceeds with probability 95%. Pairs with less information than 20 are 0.
    """
    total = len(residuals.correlation)
    z = quantile(total * (total - 1) // 2)
    known = (residuals.information >= LEAST_INFORMATION) & ~np.isnan(residuals.correlation)
    # Two that never differ have a correlation of 1, which is infinitely far on Fisher's scale.
    far = np.arctanh(np.clip(np.where(known, residuals.correlation, 0), -1 + 1e-9, 1 - 1e-9))
    noise = z / np.sqrt(np.maximum(residuals.information, LEAST_INFORMATION) - 3)
    bound = np.where(known, np.tanh(far - noise), 0.0)
    np.fill_diagonal(bound, 0)
    return bound


def shared_prefix(members: Sequence[str], names: Sequence[str]) -> str | None:
    """How the names of some classifiers begin, if it tells them from the others.

    None where it is shorter than two letters, or where all classifiers' names begin so.

    Examples
    --------
    >>> names = ["gpt-4", "gpt-5", "gpt-mini", "llama"]
    >>> shared_prefix(names[:3], names)
    'gpt'
    >>> shared_prefix(["judge1", "judge2"], ["judge1", "judge2", "judge3"])
    """
    pairs = zip(min(members), max(members), strict=False)
    prefix = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    # Do not stop inside a word ('gpt-t' of 'gpt-turbo' and 'gpt-tiny') or a number.
    words = re.match(r".*(?=[^A-Za-z0-9])", prefix)
    prefix = (words.group() if words else prefix.rstrip("0123456789")).rstrip("-_.:/ ([#")
    others = [name for name in names if name not in set(members)]
    if len(prefix) < 2 or (others and all(name.startswith(prefix) for name in others)):
        return None
    return prefix
