"""Comparisons that belong together: of one prompt, of one rater."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.errors import DataError, OptionError, option, unknown_name
from headcount.typing import Ints

__all__ = ["AUTO", "NONE", "RATER", "Clusters", "choose_clusters", "cluster_columns", "uses_raters"]

AUTO, NONE, RATER = "auto", "none", "rater"
LEAST_RATERS = 5
"""Raters from which their spread is counted unless somebody says otherwise."""
OFTEN = 5.0
"""Answers of a rater, on average, from which they are taken to hang together."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Clusters:
    """Which comparisons belong together, in at most two ways.

    Parameters
    ----------
    names : tuple of str
        What the clusters are; empty if each comparison stands for itself.
    codes : tuple of (comparisons,) arrays of int
    """

    names: tuple[str, ...] = ()
    codes: tuple[Ints, ...] = ()

    @property
    def title(self) -> str:
        """What they are, in words."""
        return " and ".join(self.names)

    @property
    def crossed(self) -> Ints:
        """What two ways have in common."""
        return np.unique(np.array(self.codes), axis=1, return_inverse=True)[1].reshape(-1)


def choose_clusters(asked: str | Sequence[str], comparisons: Comparisons) -> Clusters:
    """Find the clusters that were asked for by name.

    ``"auto"`` means raters, where it is known who answered, there are at least five of them, and
    they gave five answers or more on average; ``"none"`` none.

    Examples
    --------
    >>> played = Comparisons.from_columns("abab", "bcca", [1, 1, 0, 0], rater="xyxy")
    >>> choose_clusters("rater", played).title
    'rater'
    >>> choose_clusters("auto", played).names
    ()
    """
    names = _names(asked)
    if names == (NONE,):
        return Clusters()
    if names == (AUTO,):
        return _automatic(comparisons)
    if len(names) > 2:
        raise OptionError(f"{option('cluster')} takes two columns at most, not {len(names)}.")
    return Clusters(names=names, codes=tuple(_column(name, comparisons) for name in names))


def cluster_columns(asked: str | Sequence[str]) -> tuple[str, ...]:
    """Columns that have to be read for it."""
    return tuple(name for name in _names(asked) if name not in (AUTO, NONE, RATER))


def uses_raters(asked: str | Sequence[str]) -> bool:
    """Whether it may matter who answered."""
    return any(name in (AUTO, RATER) for name in _names(asked))


def _names(asked: Any) -> tuple[str, ...]:
    if isinstance(asked, str):
        return tuple(part.strip() for part in asked.split(",") if part.strip()) or (NONE,)
    if isinstance(asked, list | tuple):
        names = cast("Sequence[object]", asked)
        if names and all(isinstance(name, str) for name in names):
            return tuple(str(name) for name in names)
    raise OptionError(
        f"{option('cluster')} must name one or two columns, or be {AUTO} or {NONE}; not {asked!r}."
    )


def _automatic(comparisons: Comparisons) -> Clusters:
    rater = comparisons.rater
    if rater is None or (rater < 0).any():
        return Clusters()
    raters = len(np.unique(rater))
    if raters < LEAST_RATERS or len(comparisons) < OFTEN * raters:
        return Clusters()
    return Clusters(names=(RATER,), codes=(rater,))


def _column(name: str, comparisons: Comparisons) -> Ints:
    codes = comparisons.rater if name == RATER else comparisons.clusters.get(name)
    if codes is None:
        known = [*comparisons.clusters, *([] if comparisons.rater is None else [RATER])]
        if not known:
            raise DataError(
                f"{comparisons.source}: there is no column {name} to cluster comparisons by."
            )
        raise unknown_name("cluster", name, known, option_name="cluster")
    if (codes < 0).any():
        # Who is not known is nobody in particular: each such comparison stands for itself.
        alone = codes < 0
        codes = codes.copy()
        codes[alone] = codes.max() + 1 + np.arange(int(alone.sum()))
    if np.all(codes == codes[:1]):
        raise DataError(
            f"{comparisons.source}: all comparisons are of one {name}, so that clusters tell "
            f"nothing. Leave {option('cluster')} out."
        )
    return codes
