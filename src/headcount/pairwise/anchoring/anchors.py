"""Place a new item among rated ones, by a binary search that allows for wrong answers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from headcount import options
from headcount.data.outcomes import EXPECTED, share_of
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, option, unknown_name
from headcount.pairwise.bradley_terry.result import BradleyTerry
from headcount.stats.estimate import Estimate
from headcount.stats.intervals.from_model import POSTERIOR_ON_GRID
from headcount.typing import Codes, Floats, Ids

__all__ = ["AnchorSearch", "take_reference"]

POINTS = 801
"""Points of the grid on which the posterior of a rating is known."""
WIDE = 4.0
"""Standard deviations of the prior that the grid covers, either way."""


def take_reference(reference: Any) -> BradleyTerry:
    """Refuse what is no fit of ratings."""
    if not isinstance(reference, BradleyTerry):
        raise OptionError(
            f"{option('reference')} must be rated items, as bradley_terry returns them, not "
            f"{type(reference).__name__}."
        )
    return reference


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
    >>> from headcount import Comparisons, bradley_terry
    >>> pairs = [("c", "b"), ("b", "a"), ("c", "a"), ("b", "c"), ("a", "b")] * 3
    >>> left, right = zip(*pairs)
    >>> search = AnchorSearch(bradley_terry(Comparisons.from_columns(left, right, [1] * 15)))
    >>> search.next_anchor()
    'b'
    >>> search.answer("b", "left")
    >>> search.next_anchor(), search.rating
    ('c', 0.4001 (-1.39 to 2.21))
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
        reference = take_reference(reference)
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
        if prior is not None:
            prior = options.number(prior, "prior", above=0, such_as="2")
        self._width = options.number(width, "width", above=0, such_as="2")
        self._most = options.whole(most, "most", least=1)
        self._level = options.level(level)
        error = np.nan_to_num(reference.standard_error[rated])
        self._start(reference.items[rated], reference.rating[rated], error, prior)

    @classmethod
    def among(
        cls, anchors: Ids, rating: Floats, error: Floats, *, width: float, most: int, level: float
    ) -> AnchorSearch:
        """Search among anchors whose ratings and standard errors are known."""
        made = cls.__new__(cls)
        made._width, made._most, made._level = width, most, level
        made._start(anchors, rating, error, None)
        return made

    def _start(self, anchors: Ids, rating: Floats, error: Floats, prior: float | None) -> None:
        """Set up the grid, before any answer."""
        self.anchors, self.anchor_ratings = anchors, rating
        self._slope = 1 / np.sqrt(1 + math.pi / 8 * error**2)
        centre = float(self.anchor_ratings.mean())
        sd = prior or 2 * max(float(self.anchor_ratings.std()), 0.5)
        self._grid = centre + sd * np.linspace(-WIDE, WIDE, POINTS)
        self._log = -0.5 * ((self._grid - centre) / sd) ** 2
        self._asked = np.zeros(len(anchors), dtype=np.int64)

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
        method = POSTERIOR_ON_GRID.name
        return Estimate(mean, low=low, high=high, level=self._level, method=method)

    @property
    def rank(self) -> Estimate:
        """Rank that the item would have among the anchors, 1 being best, and its interval."""
        low, high = self._quantiles()
        value, best, worst = (
            float(1 + np.sum(self.anchor_ratings > each)) for each in (self.rating.value, high, low)
        )
        method = POSTERIOR_ON_GRID.name
        return Estimate(value, low=best, high=worst, level=self._level, method=method)

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
        return self.next_anchors(1)[0]

    def next_anchors(self, number: int) -> list[Any]:
        """Anchors to compare the item with next, those first whose answers tell most."""
        p = self._wins(np.arange(len(self.anchors)))
        _, weight = self.posterior
        gain = _entropy(p @ weight) - _entropy(p) @ weight
        order = np.lexsort((-gain, self._asked))
        return self.anchors[order[:number]].tolist()

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
        index = int(match_ids(as_ids([str(anchor)]), self.anchors)[0])
        if index < 0:
            raise unknown_name("anchor", str(anchor), [str(each) for each in self.anchors])
        share = share_of(str(outcome))
        if share is None or not 0 <= share <= 1:
            raise OptionError(f"outcome '{outcome}'. {EXPECTED}")
        weight = options.number(weight, "weight", above=0)
        # The product of p^share and (1 - p)^(1 - share), in logarithms that cannot overflow.
        x = self._slope[index] * (self._grid - self.anchor_ratings[index])
        self._log += weight * (share * x - np.logaddexp(0.0, x))
        self._asked[index] += 1

    def _wins(self, index: Codes) -> Floats:
        """Probabilities that the item wins; anchors x grid."""
        gap = self._grid[None, :] - self.anchor_ratings[index][:, None]
        return 0.5 * (1 + np.tanh(self._slope[index][:, None] * gap / 2))

    def _quantiles(self) -> tuple[float, float]:
        return POSTERIOR_ON_GRID.ends(*self.posterior, self._level)


def _entropy(p: Floats) -> Floats:
    """Entropy of a coin, in nats."""
    p = np.clip(p, 1e-300, 1.0)
    q = np.clip(1 - p, 1e-300, 1.0)
    return -p * np.log(p) - q * np.log(q)
