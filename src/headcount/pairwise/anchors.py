"""Place new items among rated ones step by step, by a search that allows for wrong answers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from headcount import options
from headcount.data.comparisons import Comparisons
from headcount.data.vocabulary import as_ids, match_ids
from headcount.engine.taking import take_comparisons
from headcount.errors import DataError, OptionError, count, option, percent, some, unknown_name
from headcount.pairwise.answers import in_order
from headcount.pairwise.forecast import fit_posterior
from headcount.results.fields import Record, by_row, json_value
from headcount.results.notes import Notes, Provenance
from headcount.results.result import ALL, Page, Result
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import POSTERIOR, POSTERIOR_ON_GRID
from headcount.typing import Codes, Floats, Ids

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "AnchorSearch",
    "anchor_items",
    "Anchoring",
]


# Place a new item among rated ones, by a binary search that allows for wrong answers.

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
    anchors : array
        Their names.
    rating, error : (anchors,) arrays
        Their ratings and standard errors. The prior is normal around their mean, and twice as wide.
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
    >>> rating, error = np.array([-0.9, 0.0, 0.9]), np.full(3, 0.5)
    >>> search = AnchorSearch(as_ids(["a", "b", "c"]), rating, error, width=2, most=30, level=0.95)
    >>> search.next_anchors(1)
    ['b']
    >>> search.answer("b", 1.0)
    >>> search.next_anchors(1), round(search.rating.value, 1)
    (['c'], 0.8)
    """

    def __init__(
        self, anchors: Ids, rating: Floats, error: Floats, *, width: float, most: int, level: float
    ) -> None:
        self._width, self._most, self._level = width, most, level
        self.anchors, self.anchor_ratings = anchors, rating
        self._slope = 1 / np.sqrt(1 + math.pi / 8 * error**2)
        centre = float(rating.mean())
        sd = 2 * max(float(rating.std()), 0.5)
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

    def next_anchors(self, number: int) -> list[Any]:
        """Anchors to compare the item with next, those first whose answers tell most."""
        p = self._wins(np.arange(len(self.anchors)))
        _, weight = self.posterior
        gain = _entropy(p @ weight) - _entropy(p) @ weight
        order = np.lexsort((-gain, self._asked))
        return self.anchors[order[:number]].tolist()

    def answer(self, anchor: object, share: float) -> None:
        """Take an answer into account.

        Parameters
        ----------
        anchor : object
        share : float
            Of the point, that the item took: 1, 0, or 0.5 for a tie.
        """
        index = int(match_ids(as_ids([str(anchor)]), self.anchors)[0])
        if index < 0:
            raise unknown_name("anchor", str(anchor), [str(each) for each in self.anchors])
        # The product of p^share and (1 - p)^(1 - share), in logarithms that cannot overflow.
        x = self._slope[index] * (self._grid - self.anchor_ratings[index])
        self._log += share * x - np.logaddexp(0.0, x)
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


# Place items among rated ones step by step: it gives pairs, takes answers, and goes on.


def anchor_items(
    anchors: Any,
    *,
    items: Any = None,
    average_of: Any = None,
    answers: Any = None,
    place: int = 5,
    number: int | None = None,
    width: float = 2.0,
    most: int = 30,
    level: float = 0.95,
) -> Anchoring:
    r"""Place items among rated ones, step by step.

    The paper [1]_ compares two populations of items: the items of one that are nearest to its
    average are placed among the sorted items of the other, the anchors. Each is placed by a binary
    search that allows for wrong answers (:class:`AnchorSearch`).

    The first step returns the pairs to ask. Each further step takes the same anchors and items and
    all answers so far, and returns the next pairs, until all items are placed.

    Parameters
    ----------
    anchors : Comparisons, or what :func:`headcount.read_comparisons` takes
        Comparisons of the items among which others are placed.
    items : iterable, optional
        Items to place.
    average_of : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        Comparisons of another population, in place of `items`: the items nearest to its average are
        placed.
    answers : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        All answers so far to the pairs of earlier steps; or a tuple of several.
    place : int
        How many items of `average_of` to place.
    number : int, optional
        Pairs to ask in one step, divided among the items that are not placed yet. Default: one per
        item.
    width, most, level
        When an item counts as placed, as for :class:`AnchorSearch`.

    Returns
    -------
    Anchoring

    Notes
    -----
    Anchors are rated by Bradley-Terry with a normal prior whose width is fitted to the comparisons,
    so that all ratings are finite. The average is the mean of the items placed; its interval allows
    for the error of each. O(answers x grid) per step.

    References
    ----------
    .. [1] Narimanzadeh and others (2023), Crowdsourcing subjective annotations using pairwise
       comparisons reduces bias and error compared to the majority-vote method, Appendix A.

    Examples
    --------
    >>> from headcount import Comparisons
    >>> rated = Comparisons.from_columns("cbcba" * 3, "baacb" * 3, [1] * 15)
    >>> first = anchor_items(rated, items=["x"])
    >>> list(zip(first.left, first.right))
    [('x', 'b')]
    >>> answers = Comparisons.from_columns("x", "b", [1])
    >>> then = anchor_items(rated, items=["x"], answers=answers)
    >>> list(zip(then.left, then.right)), then.items[0].answers
    ([('x', 'c')], 1)
    """
    notes, level = Notes(), options.level(level)
    number = None if number is None else options.whole(number, "number", least=1)
    width = options.number(width, "width", above=0, such_as="2")
    most = options.whole(most, "most", least=1)
    if (items is None) == (average_of is None):
        raise OptionError(
            f"give either items to place ({option('items', '...')}), or comparisons of another "
            f"population whose average is to be placed ({option('average_of', '...')})."
        )
    rated = in_order(take_comparisons(anchors, "anchors"))
    notes.extend(rated.notes)
    sought, source = _sought(items, average_of, place, notes)
    names = [str(name) for name in rated.items]
    both = [name for name in sought if name in set(names)]
    if both:
        raise DataError(
            f"{some(both)} among the anchors already. Items in both sets join them by themselves: "
            "put all comparisons into one file and rate them together."
        )
    fit = fit_posterior(rated, len(names))
    searches = {
        item: AnchorSearch(as_ids(names), fit.rating, fit.sd, width=width, most=most, level=level)
        for item in sought
    }
    for each in cast("tuple[Any, ...]", answers) if isinstance(answers, tuple) else (answers,):
        if each is not None:
            _answer(searches, set(names), take_comparisons(each, "answers"), notes)
    placed = tuple(
        SoughtItem(
            item=item,
            rating=search.rating,
            rank=search.rank,
            answers=search.answers,
            done=search.done,
        )
        for item, search in searches.items()
    )
    waiting = [each.item for each in placed if not each.done]
    shares = _shares(number or len(waiting), waiting)
    pairs = [
        (item, str(anchor))
        for item in waiting
        for anchor in searches[item].next_anchors(shares[item])
    ]
    average, probability = None, None
    if source is not None:
        average, probability = _average(placed, level, fit.rating, fit.sd)
    return Anchoring(
        items=tuple(sorted(placed, key=lambda each: -each.rating.value)),
        left=as_ids([item for item, _ in pairs]),
        right=as_ids([anchor for _, anchor in pairs]),
        anchors=tuple(names),
        rating=fit.rating,
        average=average,
        probability=probability,
        width=width,
        most=most,
        provenance=Provenance(
            source=source or "items",
            items_used=len(placed),
            n_ratings=sum(each.answers for each in placed),
            level=level,
        ),
        notes=tuple(notes),
    )


def _sought(items: Any, average_of: Any, place: Any, notes: Notes) -> tuple[list[str], str | None]:
    """Find the items to place, and the source of those of another population."""
    if average_of is None:
        sought = list(dict.fromkeys(str(x) for x in options.listed(items, "items", "items")))
        if not sought:
            raise DataError("there are no items to place.")
        return sought, None
    other = in_order(take_comparisons(average_of, "average_of"))
    notes.extend(other.notes)
    rating = fit_posterior(other, len(other.items)).rating
    nearest = np.argsort(np.abs(rating), kind="stable")[: options.whole(place, "place", least=1)]
    return [str(name) for name in other.items[np.sort(nearest)]], other.source


def _answer(
    searches: dict[str, AnchorSearch], anchors: set[str], answers: Comparisons, notes: Notes
) -> None:
    """Take answers into account that compare an item that is sought with an anchor."""
    answers = in_order(answers)
    notes.extend(answers.notes)
    names, used = [str(name) for name in answers.items.tolist()], 0
    for left, right, share in zip(answers.left, answers.right, answers.outcome, strict=True):
        item, anchor, won = names[int(left)], names[int(right)], float(share)
        if anchor in searches:
            item, anchor, won = anchor, item, 1 - won
        if item in searches and anchor in anchors:
            searches[item].answer(anchor, won)
            used += 1
    if not used:
        raise DataError(
            f"{answers.source}: no answer compares an item that is sought, such as "
            f"{some(list(searches))}, with an anchor. Check the names."
        )
    if used < len(answers):
        notes.caution(f"{count(len(answers) - used, 'answer')} of other pairs, not used.")


def _shares(number: int, waiting: list[str]) -> dict[str, int]:
    """Share a number of pairs out among the items that wait."""
    if not waiting:
        return {}
    whole, rest = divmod(number, len(waiting))
    return {item: whole + (k < rest) for k, item in enumerate(waiting)}


def _average(
    placed: Sequence[SoughtItem], level: float, rating: Floats, error: Floats
) -> tuple[Estimate, Floats]:
    """Mean of the items that were placed, and the probability of each anchor to lie above."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    value = float(np.mean([each.rating.value for each in placed]))
    errors = [((each.rating.high or 0) - (each.rating.low or 0)) / (2 * z) for each in placed]
    own = math.sqrt(sum(x**2 for x in errors)) / len(placed)
    average = Estimate(value, value - z * own, value + z * own, level=level, method=POSTERIOR.name)
    above = (rating - value) / np.hypot(error, own)
    return average, np.array([NormalDist().cdf(float(x)) for x in above])


# What a step of placing items holds.

SHOWN = 30
"""Rows of the table, at most."""


@dataclass(frozen=True, kw_only=True)
class SoughtItem(Record):
    """An item on its way to a place among anchors.

    Parameters
    ----------
    item : str
    rating, rank : Estimate
        Among the anchors, as far as answers tell.
    answers : int
    done : bool
        Whether its interval is narrow enough, or it has had as many answers as are allowed.
    """

    item: str
    rating: Estimate
    rank: Estimate
    answers: int
    done: bool


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Anchoring(Result):
    """Where items rank among anchors, and what to ask next.

    Parameters
    ----------
    items : tuple of SoughtItem
        The highest first.
    left, right : arrays
        Pairs to ask next, with the item to place on the left; none once all items are placed.
    average : Estimate or None
        Mean rating of the items, if they stand for a population.
    probability : (anchors,) array or None
        The probability that each anchor is above that average.
    anchors : tuple of str
    rating : (anchors,) array
        Of the anchors.
    width, most
        When an item has its place.
    file : str or None
        The file to which pairs were written, if any.
    provenance : Provenance
    notes : tuple of Note

    Examples
    --------
    >>> from headcount import Comparisons, anchor_items
    >>> rated = Comparisons.from_columns("cbcba" * 3, "baacb" * 3, [1] * 15)
    >>> [item.item for item in anchor_items(rated, items=["x"]).items]
    ['x']
    """

    items: tuple[SoughtItem, ...]
    left: Ids
    right: Ids
    average: Estimate | None
    probability: Floats | None
    anchors: tuple[str, ...]
    rating: Floats
    width: float
    most: int
    file: str | None = None

    @property
    def done(self) -> bool:
        """Whether all items have their place."""
        return all(each.done for each in self.items)

    def labels(self) -> dict[str, list[Any]]:
        """Return a row per anchor: `item`, `rating`, `label` and `probability` of being above.

        Labels say on which side of the average of the other population an anchor lies; they are
        blank where items were named.
        """
        chances: list[float | None] = [None] * len(self.anchors)
        if self.probability is not None:
            chances = [float(p) for p in self.probability]
        return {
            "item": list(self.anchors),
            "rating": self.rating.tolist(),
            "label": [None if p is None else "above" if p >= 0.5 else "below" for p in chances],
            "probability": chances,
        }

    def page(self) -> Page:
        """Say whether items have their place, what to ask next, and where the average lies."""
        p, items = self.provenance, count(len(self.items), "item")
        answers = p.n_ratings or 0
        among = f"among {count(len(self.anchors), 'anchor')}"
        if self.done:
            sentences = [f"Done: {items} placed {among}, by {count(answers, 'answer')}."]
        else:
            placed = sum(each.done for each in self.items)
            where = "" if self.file is None else f", in {self.file}"
            sentences = [
                f"{placed} of {items} placed {among}: {count(len(self.left), 'comparison')} to ask "
                f"for next{where}."
            ]
        if self.average is not None and answers:
            above = sum(rating > self.average.value for rating in self.rating)
            sentences.append(
                f"The average of {p.source} lies at {self.average.value:.2f} logits "
                f"({self.average.interval(2)}): {above:,} of {len(self.anchors):,} anchors lie "
                "above it."
            )
        head = ["item", "rating", "interval", "rank", "ranks", "n", "placed"]
        body = [
            [
                each.item, f"{each.rating.value:.2f}", each.rating.interval(2),
                f"{each.rank.value:.0f}", each.rank.interval(0), f"{each.answers:,}",
                "yes" if each.done else "no",
            ]
            for each in self.items[:SHOWN]
        ]  # fmt: skip
        rest = len(self.items) - SHOWN
        table = Table(head, body, more=f"and {rest:,} more{ALL}" if rest > 0 else "")
        foot = (
            f"Ratings in logits, on the scale of the anchors, whose average is 0; "
            f"{percent(p.level or 0)} intervals. An item has its place once its interval is no "
            f"wider than {self.width:g} logits, or after {self.most} answers."
        )
        return Page(sentences, [table], [foot])

    def columns(self) -> dict[str, list[Any]]:
        """Return the pairs to ask next; once there are none, a row per item."""
        if not self.done:
            return {"left": self.left.tolist(), "right": self.right.tolist()}
        return {
            "item": [each.item for each in self.items],
            "rating": [each.rating.value for each in self.items],
            "low": [each.rating.low for each in self.items],
            "high": [each.rating.high for each in self.items],
            "rank": [each.rank.value for each in self.items],
            "answers": [each.answers for each in self.items],
        }

    def document(self) -> dict[str, Any]:
        """Return what is particular to a step in its JSON document."""
        return json_value(
            {
                "done": self.done,
                "items": self.items,
                "pairs": by_row({"left": self.left.tolist(), "right": self.right.tolist()}),
                "average": self.average,
                "anchors": by_row(self.labels()),
                "file": self.file,
            }
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw where the items lie among the anchors (needs matplotlib)."""
        from headcount.pairwise.plot import plot_anchoring

        return plot_anchoring(self, ax)
