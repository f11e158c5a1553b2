"""Elo ratings: online, a comparison at a time, or over many at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headcount.data.comparisons import Comparisons
from headcount.io.load import take_comparisons
from headcount.pairwise.elo.online import OnlineElo
from headcount.pairwise.elo.orders import GIVEN
from headcount.pairwise.elo.passes import Passes
from headcount.pairwise.elo.prepare import Schedule
from headcount.pairwise.elo.result import EloFit, fitted
from headcount.pairwise.elo.saved import read_saved, write_saved
from headcount.typing import Seed

__all__ = ["Elo"]


class Elo(OnlineElo):
    r"""Elo ratings of items, from the outcomes of comparisons.

    The item on the left is expected to take

    .. math:: E = \frac{1}{1 + b^{(R_r - R_l) / d}}

    of the point; after the comparison its rating moves by `k` times what it took beyond that, and
    the other's by as much the other way [1]_ [2]_. Equation 2 of [1]_ has the sign of the exponent
    reversed; this is the right one.

    A drop-in for ``elo_rating.Elo``, with the same methods, defaults and numbers, but it refuses
    items compared with themselves, outcomes outside 0 to 1 and numbers that are not finite, and no
    difference in ratings overflows.

    Parameters
    ----------
    ratings : mapping, optional
        Ratings to start from, by item. They are copied.
    denom : float
        The denominator d: how many points make the odds `base` times larger.
    base : float
        The base b. The default, e, with a denominator of 1 makes ratings logits; the paper's are
        10 and 400.
    denominator : float, optional
        Another name of `denom`.

    References
    ----------
    .. [1] Narimanzadeh, Badie-Modiri, Smirnova and Chen (2023), Crowdsourcing subjective
       annotations using pairwise comparisons reduces bias and error compared to the
       majority-vote method, CSCW.
    .. [2] Elo (1978), The Rating of Chessplayers, Past and Present.

    Examples
    --------
    >>> elo = Elo(denom=400)
    >>> elo.add_match("p1", "p2", 1.0, k=30, default_rating=1400)
    >>> elo.add_matches([("p1", "p2", 1.0), ("p2", "p1", 0.5)], k=30, default_rating=1400)
    >>> {item: round(rating, 6) for item, rating in elo.ratings().items()}
    {'p1': 1428.335836, 'p2': 1371.664164}
    >>> round(elo.expected_score("p1", "p2"), 6)
    0.535361
    """

    def fit(
        self,
        comparisons: Comparisons | Any,
        *,
        k: float = 0.1,
        default_rating: float = 0,
        epochs: int = 1,
        order: str = GIVEN,
        tolerance: float | None = None,
        rng: Seed = 0,
    ) -> EloFit:
        """Update ratings after many comparisons, in one pass over them or in several.

        Ratings that there are already are where it starts, so that more comparisons, and items
        not seen before, can be added at any time. A comparison's weight multiplies `k`.

        Parameters
        ----------
        comparisons : Comparisons, or path or frame
            Or anything that :func:`headcount.read_comparisons` takes.
        k : float
            How far a rating moves at most after a comparison of weight 1.
        default_rating : float
            Where an item that was not seen before starts.
        epochs : int
            Passes over the comparisons, at most.
        order : {"given", "shuffled"}
            Order of the comparisons in a pass: as they are, or random, and another in each. What
            is drawn at random does not depend on the order of the rows.
        tolerance : float, optional
            Stop when ratings are stable: when no item's mean score is further than this from what
            the ratings lead to expect, in points a comparison. Each random order is then also gone
            through backwards, which undoes most of what the order does to ratings. With a constant
            `k` they keep moving for ever, so it is halved after two passes that made them no
            better. Only in random order. Default: all passes are done, with the same `k`.
        rng : int or Generator
            Seed of the random orders.

        Returns
        -------
        EloFit

        Notes
        -----
        O(comparisons) a pass: 1,000,000 take some hundredths of a second in the order given, and
        several times that in random order. What is compiled on the first call is kept on disk.

        Ratings with a misfit of 0 are those of maximum likelihood, so a small tolerance leads
        there. An item that won or lost all its comparisons stops where that is expected to within
        the tolerance.

        Examples
        --------
        >>> played = Comparisons.from_columns("aabbca", "bcccab", [1, 1, 1, 0.5, 0, 0])
        >>> elo = Elo()
        >>> fit = elo.fit(played, epochs=500, order="shuffled", tolerance=0.01)
        >>> fit.converged
        True
        >>> {item: round(rating, 1) for item, rating in elo.ratings().items()}
        {'a': 0.8, 'b': 0.4, 'c': -1.3}
        """
        schedule = Schedule.checked(
            k=k, start=default_rating, epochs=epochs, order=order, tolerance=tolerance, rng=rng
        )
        given = take_comparisons(comparisons)
        passes = Passes(given, self._start(given, schedule.start), self._slope, schedule)
        passes.run()
        self._update(given, passes.rating, passes.seen)
        return fitted(self, given, passes)

    def save(self, path: str | Path) -> None:
        """Write the ratings as JSON, whole or not at all."""
        write_saved(path, self.ratings(), base=self.base, denominator=self.denominator)

    @classmethod
    def load(cls, path: str | Path) -> Elo:
        """Read ratings that :meth:`save` wrote."""
        return read_saved(path, cls)
