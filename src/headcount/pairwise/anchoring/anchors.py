"""Place new items among rated ones, by a binary search that allows for wrong answers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.data.comparisons import EXPECTED, Comparisons, share_of
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, count, some, unknown_name
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.results.frames import to_frame
from headcount.results.text import columns
from headcount.stats.estimate import Estimate
from headcount.typing import Floats

__all__ = ["AnchorSearch", "Placed", "Placement", "place"]

POINTS = 801
"""Points of the grid on which the posterior of a rating is known."""
WIDE = 4.0
"""Standard deviations of the prior that the grid covers, either way."""


class AnchorSearch:
    r"""Find the rating of one item by comparing it with rated ones, the anchors.

    The paper [1]_ places an item among sorted anchors by binary search, which one wrong answer
    leads astray. Here each answer changes the odds instead: the posterior of the rating
    :math:`\theta` is kept on a grid, an answer multiplies it by the Bradley-Terry probability

    .. math:: P(\text{item beats anchor } a) = \frac{1}{1 + e^{-\kappa_a (\theta - r_a)}},
              \qquad \kappa_a = \left(1 + \tfrac{\pi}{8} s_a^2\right)^{-1/2}

    (a tie by the root of both), where :math:`\kappa_a` allows for the standard error :math:`s_a` of
    the anchor's rating, and the next anchor is the one whose answer tells most:
    :math:`H(E\,p) - E\,H(p)` with the entropy H, over the posterior. With raters who never err
    that is a binary search.

    Parameters
    ----------
    reference : BradleyTerry
        Rated anchors; those without a finite rating are left out.
    prior : float, optional
        Standard deviation, in logits, of the normal prior around the mean of the anchors. Default:
        twice theirs.
    width : float
        Stop when the interval is no wider than this, in logits.
    most : int
        Stop after this many answers.
    level : float
        Coverage of the interval.

    Notes
    -----
    O(anchors) a question and an answer, with a grid of 801 points.

    References
    ----------
    .. [1] Narimanzadeh and others (2023), Crowdsourcing subjective annotations using pairwise
       comparisons reduces bias and error compared to the majority-vote method, Appendix A.

    Examples
    --------
    >>> from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
    >>> pairs = [("c", "b"), ("b", "a"), ("c", "a"), ("b", "c"), ("a", "b")] * 3
    >>> left, right = zip(*pairs)
    >>> search = AnchorSearch(bradley_terry(Comparisons.from_columns(left, right, [1] * 15)))
    >>> search.next_anchor()
    'b'
    >>> search.answer("b", "left")
    >>> search.next_anchor(), search.rating
    ('c', 0.4043 (-1.38 to 2.21))
    """

    def __init__(
        self,
        reference: BradleyTerry,
        *,
        prior: float | None = None,
        width: float = 2.0,
        most: int = 30,
        level: float = 0.95,
    ) -> None:
        rated = np.flatnonzero(reference.finite)
        if len(rated) < 2:
            raise DataError(
                "the reference has less than two items with a finite rating, so that nothing can "
                "be placed among them. Fit it with a prior."
            )
        if len(np.unique(reference.component[rated])) > 1 and reference.prior is None:
            raise DataError(
                "the reference falls into groups that do not compare with each other. Join them "
                "by comparisons first, or fit it with a prior."
            )
        for name, value in (("prior", prior), ("width", width), ("most", most)):
            if value is not None and not value > 0:
                raise OptionError(f"{name} must be above 0, not {value:g}.")
        if not 0 < level < 1:
            raise OptionError(f"level must lie between 0 and 1, such as .95, not {level:g}.")
        self.anchors = reference.items[rated]
        self.anchor_ratings = reference.rating[rated]
        error = np.nan_to_num(reference.standard_error[rated])
        self._slope = 1 / np.sqrt(1 + math.pi / 8 * error**2)
        self._width, self._most, self._level = width, most, level
        centre = float(self.anchor_ratings.mean())
        sd = prior or 2 * max(float(self.anchor_ratings.std()), 0.5)
        self._grid = centre + sd * np.linspace(-WIDE, WIDE, POINTS)
        self._log = -0.5 * ((self._grid - centre) / sd) ** 2
        self._asked = np.zeros(len(rated), dtype=np.int64)

    @property
    def answers(self) -> int:
        """Answers so far."""
        return int(self._asked.sum())

    @property
    def posterior(self) -> tuple[Floats, Floats]:
        """Ratings on a grid, and their probabilities."""
        weight = np.exp(self._log - self._log.max())
        return self._grid, weight / weight.sum()

    @property
    def rating(self) -> Estimate:
        """Posterior mean of the rating, on the scale of the anchors, and its interval."""
        grid, weight = self.posterior
        low, high = self._quantiles()
        mean = float(np.sum(grid * weight))
        return Estimate(mean, low, high, self._level, "posterior on a grid")

    @property
    def rank(self) -> Estimate:
        """Rank that the item would have among the anchors, 1 being best, and its interval."""
        low, high = self._quantiles()
        ranks = [
            float(1 + np.sum(self.anchor_ratings > each)) for each in (self.rating.value, high, low)
        ]
        return Estimate(*ranks, level=self._level, method="posterior on a grid")

    @property
    def done(self) -> bool:
        """Whether the interval is narrow enough, or there were as many answers as allowed."""
        low, high = self._quantiles()
        return high - low <= self._width or self.answers >= self._most

    def next_anchor(self) -> Any:
        """Anchor to compare the item with next.

        An anchor is not asked for again before all others have been: people tend to repeat
        themselves.
        """
        p = self._wins(np.arange(len(self.anchors)))
        _, weight = self.posterior
        gain = _entropy(p @ weight) - _entropy(p) @ weight
        gain[self._asked > self._asked.min()] = -math.inf
        return self.anchors[int(np.argmax(gain))]

    def answer(self, anchor: object, outcome: object, *, weight: float = 1.0) -> None:
        """Take an answer into account.

        Parameters
        ----------
        anchor : object
            Item of the reference that it was compared with.
        outcome : object
            'left' (or 1) if the new item won, 'right' (0) if the anchor did, 'tie' (.5).
        weight : float
            How much the answer counts.
        """
        place = int(match_ids(as_ids([str(anchor)]), self.anchors)[0])
        if place < 0:
            raise unknown_name("anchor", str(anchor), [str(each) for each in self.anchors])
        share = share_of(str(outcome))
        if share is None or not 0 <= share <= 1:
            raise OptionError(f"outcome '{outcome}'. {EXPECTED}")
        if not 0 < weight < math.inf:
            raise OptionError(f"weight must be a number above 0, not {weight:g}.")
        # The product of p^share and (1 - p)^(1 - share), in logarithms that cannot overflow.
        x = self._slope[place] * (self._grid - self.anchor_ratings[place])
        self._log += weight * (share * x - np.logaddexp(0.0, x))
        self._asked[place] += 1

    def _wins(self, places: NDArray[np.int64]) -> Floats:
        """Probabilities that the item wins; anchors x grid."""
        gap = self._grid[None, :] - self.anchor_ratings[places][:, None]
        return 0.5 * (1 + np.tanh(self._slope[places][:, None] * gap / 2))

    def _quantiles(self) -> tuple[float, float]:
        grid, weight = self.posterior
        total = np.cumsum(weight)
        tail = (1 - self._level) / 2
        low, high = np.searchsorted(total, [tail, 1 - tail])
        return float(grid[low]), float(grid[min(int(high), POINTS - 1)])


@dataclass(frozen=True)
class Placed:
    """An item among those of a reference.

    Parameters
    ----------
    item : object
    rating : Estimate
        On the scale of the reference.
    rank : Estimate
        That it would have among the reference; 1 is best.
    answers : int
        Comparisons with the reference.
    """

    item: object
    rating: Estimate
    rank: Estimate
    answers: int


@dataclass(frozen=True, repr=False, eq=False)
class Placement:
    """Items placed among those of a reference, best first.

    Parameters
    ----------
    items : tuple of Placed
        ``placement["name"]`` finds one.
    reference : int
        Items of the reference.
    notes : tuple of str
    """

    items: tuple[Placed, ...]
    reference: int
    notes: tuple[str, ...] = ()

    def __getitem__(self, name: object) -> Placed:
        for item in self.items:
            if str(item.item) == str(name):
                return item
        raise unknown_name("item", str(name), [str(each.item) for each in self.items])

    def to_frame(self, backend: str | None = None) -> Any:
        """Return one row an item, as a data frame (polars, pandas or pyarrow)."""
        table: dict[str, list[Any]] = {"item": [each.item for each in self.items]}
        for name in ("rating", "rank"):
            found: list[Estimate] = [getattr(each, name) for each in self.items]
            table[name] = [each.value for each in found]
            table[f"{name}_low"] = [each.low for each in found]
            table[f"{name}_high"] = [each.high for each in found]
        table["answers"] = [each.answers for each in self.items]
        return to_frame(table, backend)

    def __repr__(self) -> str:
        head = ["item", "rating", "interval", f"rank among {self.reference:,}", "ranks", "n"]
        body = [
            [
                str(each.item),
                each.rating.show(each.rating.value),
                each.rating.interval(),
                f"{each.rank.value:.0f}",
                each.rank.interval(0),
                f"{each.answers:,}",
            ]
            for each in self.items
        ]
        return "\n".join(columns(head, body))


def place(
    answers: Comparisons,
    reference: BradleyTerry,
    *,
    prior: float | None = None,
    level: float = 0.95,
) -> Placement:
    """Place items among those of a reference, which stay where they are.

    Each item by itself, from its comparisons with reference items alone, by the posterior of
    :class:`AnchorSearch`. To use comparisons among the new items too, see
    :func:`~headcount.pairwise.anchoring.bridges.join`.

    Parameters
    ----------
    answers : Comparisons
        Of new items with items of the reference, in either order.
    reference : BradleyTerry
    prior, level
        As for :class:`AnchorSearch`.

    Returns
    -------
    Placement

    Notes
    -----
    O(answers x grid).

    Examples
    --------
    >>> from headcount.pairwise.bradley_terry.bradley_terry import bradley_terry
    >>> pairs = [("c", "b"), ("b", "a"), ("c", "a"), ("b", "c"), ("a", "b")] * 3
    >>> left, right = zip(*pairs)
    >>> reference = bradley_terry(Comparisons.from_columns(left, right, [1] * 15))
    >>> place(Comparisons.from_columns("xxxa", "abcx", [1, 1, 0.5, 0]), reference)
    item  rating         interval   rank   ranks  n
                                   among
                                       3
    -----------------------------------------------
    x      0.760  -0.710 to 2.300      1  1 to 4  4
    """
    known = match_ids(answers.items, reference.items)
    left, right = known[answers.left] >= 0, known[answers.right] >= 0
    rated = np.zeros(len(answers.items), dtype=bool)
    rated[known >= 0] = reference.finite[known[known >= 0]]
    anchored = rated[answers.left] | rated[answers.right]
    used = (left ^ right) & anchored
    notes: list[str] = list(answers.notes)
    for dropped, why in (
        (left & right, "between two items of the reference"),
        (~left & ~right, "between two new items, which only join() uses"),
        ((left ^ right) & ~anchored, "with items of the reference that have no finite rating"),
    ):
        if dropped.any():
            notes.append(f"{count(int(dropped.sum()), 'comparison')} {why}, not used.")
    if not used.any():
        raise DataError(
            f"{answers.source}: no comparison of a new item with an item of the reference, such as "
            f"{some(reference.items[reference.finite])}. Check the names."
        )
    placed: list[Placed] = []
    for item in np.flatnonzero(known < 0):
        rows = np.flatnonzero(used & ((answers.left == item) | (answers.right == item)))
        if not len(rows):
            notes.append(f"'{answers.items[item]}' met no item of the reference, so is not placed.")
            continue
        search = AnchorSearch(reference, prior=prior, level=level)
        for row in rows:
            mirrored = answers.right[row] == item
            other = answers.left[row] if mirrored else answers.right[row]
            share = float(answers.outcome[row])
            search.answer(
                answers.items[other],
                1 - share if mirrored else share,
                weight=float(answers.weights[row]),
            )
        placed.append(Placed(answers.items[item], search.rating, search.rank, len(rows)))
    placed.sort(key=lambda each: -each.rating.value)
    return Placement(tuple(placed), int(reference.finite.sum()), tuple(notes))


def _entropy(p: Floats) -> Floats:
    """Entropy of a coin, in nats."""
    p = np.clip(p, 1e-300, 1.0)
    q = np.clip(1 - p, 1e-300, 1.0)
    return -p * np.log(p) - q * np.log(q)
