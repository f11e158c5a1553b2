"""Put two populations that were rated apart on one scale, by comparisons between them."""

from __future__ import annotations

from typing import Any

from headcount import options
from headcount.io.load import take_comparisons
from headcount.pairwise.anchoring.bridges import Bridges
from headcount.pairwise.anchoring.prepare import crossing
from headcount.pairwise.anchoring.result import Joined
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance

__all__ = ["Joined", "join_populations"]


def join_populations(
    comparisons_a: Any,
    comparisons_b: Any,
    bridges: Any,
    *,
    hold: bool = False,
    prior: float | None = None,
    level: float = 0.95,
) -> Joined:
    r"""Put the ratings of two populations on one scale.

    By default all comparisons are fitted together. With `hold`, each population is rated apart and
    stays as it is; bridges between i of a and j of b only say how far the second is to be moved,

    .. math:: P(i \succ j) = \frac{1}{1 + e^{-(\theta_i - \phi_j - \delta)}}

    by maximum likelihood.

    Parameters
    ----------
    comparisons_a, comparisons_b : Comparisons, or what :func:`headcount.read_comparisons` takes
        Within each population. They share no item.
    bridges : Comparisons, or what :func:`headcount.read_comparisons` takes
        Between items of both.
    hold : bool
        Keep the differences within each population as they are.
    prior : float, optional
        Standard deviation of a normal prior of ratings, in logits, which keeps those of undefeated
        items finite. With all fitted together it also pulls the two means together.
    level : float
        Coverage of the interval.

    Returns
    -------
    Joined

    Notes
    -----
    The standard error of the shift is that of the difference of the two means under the joint fit,
    exact at any size. With `hold`, W being the information :math:`\sum p(1-p)` of all bridges, and
    :math:`w_i` that of the bridges of an item with standard error :math:`s_i`, it is the root of
    :math:`1/W + \sum (w_i s_i / W)^2`: errors of the ratings of different items are taken as
    independent.

    Cost: that of the fits.

    Examples
    --------
    >>> from headcount import Comparisons
    >>> a = Comparisons.from_columns("abca", "bcab", [1, 1, 1, 0])
    >>> b = Comparisons.from_columns("xyzx", "yzxy", [1, 1, 1, 0])
    >>> bridges = Comparisons.from_columns("abcabc", "xyzyzx", [1, 1, 1, 0, 0, 1])
    >>> join_populations(a, b, bridges).shift
    -0.7955 (-2.607 to 1.016)
    """
    level = options.level(level)
    hold = options.switch(hold, "hold")
    if prior is not None:
        prior = options.number(prior, "prior", above=0, such_as="2")
    a = take_comparisons(comparisons_a, "comparisons_a")
    b = take_comparisons(comparisons_b, "comparisons_b")
    between = take_comparisons(bridges, "bridges")
    notes = Notes([*a.notes, *b.notes, *between.notes])
    used, won = crossing(a, b, between, notes)
    joint = Bridges(a=a, b=b, crossing=used, won=won, prior=prior, level=level, notes=notes)
    found = joint.held() if hold else joint.together()
    return Joined(
        items_a=a.items,
        items_b=b.items,
        rating_a=found.rating_a,
        rating_b=found.rating_b,
        shift=found.shift,
        bridges=found.bridges,
        won_by_a=won,
        held=hold,
        provenance=Provenance(
            source=between.source,
            sources=between.sources,
            dropped=between.dropped,
            items_used=len(a.items) + len(b.items),
            n_ratings=len(a) + len(b) + found.bridges,
            level=level,
            backend=between.backend,
        ),
        notes=tuple(notes),
    )
