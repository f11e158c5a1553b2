"""Place new items among rated ones step by step, by a search that allows for wrong answers."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from headcount import options
from headcount.data.comparisons import EXPECTED, Comparisons, share_of
from headcount.data.vocabulary import as_ids, match_ids
from headcount.errors import DataError, OptionError, count, option, percent, some, unknown_name
from headcount.io.load import take_comparisons
from headcount.pairwise.answers import in_order
from headcount.pairwise.forecast import fit_posterior
from headcount.results.fields import Record, by_row, json_value
from headcount.results.notes import Notes, Provenance
from headcount.results.page import ALL, Page
from headcount.results.result import Result
from headcount.results.tables import Table
from headcount.stats.estimate import Estimate
from headcount.stats.intervals import POSTERIOR, POSTERIOR_ON_GRID
from headcount.typing import Codes, Floats, Ids

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "AnchorSearch",
    "AnchoringState",
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
    >>> search.next_anchor()
    'b'
    >>> search.answer("b", "left")
    >>> search.next_anchor(), round(search.rating.value, 1)
    ('c', 0.8)
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


# What a search must remember from one step to the next, as JSON.

KIND = "headcount anchoring"
Answer = tuple[str, str, float]


@dataclass(frozen=True, kw_only=True)
class AnchoringState(Record):
    """A search for the places of items among anchors, and the answers so far.

    Parameters
    ----------
    anchors : tuple of str
    rating, standard_error : tuple of float
        Of the anchors, in logits.
    items : tuple of str
        To be placed.
    average_of : str or None
        What the items are the average ones of; None if they were named.
    width, most, level
        As for :class:`headcount.AnchorSearch`.
    answers : tuple of (str, str, float)
        Item, anchor, and the item's share of the point.
    """

    anchors: tuple[str, ...]
    rating: tuple[float, ...]
    standard_error: tuple[float, ...]
    items: tuple[str, ...]
    average_of: str | None
    width: float
    most: int
    level: float
    answers: tuple[Answer, ...] = field(default=())

    def to_dict(self) -> dict[str, Any]:
        """Return the state as JSON has it."""
        return {"kind": KIND, **super().to_dict()}

    @classmethod
    def read(cls, state: Any) -> AnchoringState:
        """Take a state, a mapping of its fields, or a file that holds them."""
        if isinstance(state, cls):
            return state
        source, content = "the state", state
        if isinstance(state, str | Path):
            source = str(state)
            try:
                content = json.loads(Path(state).read_text(encoding="utf-8"))
            except FileNotFoundError:
                raise DataError(
                    f"no such file: '{source}'. Start with anchors and items."
                ) from None
            except (OSError, ValueError):
                content = None
        fields = dict(cast("Mapping[str, Any]", content)) if isinstance(content, Mapping) else {}
        if fields.pop("kind", None) != KIND:
            raise DataError(
                f"{source} is no state of a search among anchors. Give the file that the first "
                "step wrote."
            )
        try:
            return cls(
                anchors=tuple(map(str, fields["anchors"])),
                rating=tuple(map(float, fields["rating"])),
                standard_error=tuple(map(float, fields["standard_error"])),
                items=tuple(map(str, fields["items"])),
                average_of=fields["average_of"],
                width=float(fields["width"]),
                most=int(fields["most"]),
                level=float(fields["level"]),
                answers=tuple((str(i), str(a), float(share)) for i, a, share in fields["answers"]),
            )
        except (KeyError, TypeError, ValueError):
            raise DataError(f"{source}: parts of the state are missing. Start again.") from None

    def with_answers(self, answers: Comparisons, notes: Notes) -> AnchoringState:
        """Add answers; those that are here already are not counted again."""
        sought, anchors = set(self.items), set(self.anchors)
        names: list[str] = [str(name) for name in answers.items.tolist()]
        rows = zip(
            answers.left.tolist(), answers.right.tolist(), answers.outcome.tolist(), strict=True
        )
        shares_of: dict[tuple[str, str], list[float]] = {}
        others = 0
        for left, right, share in rows:
            first, second = names[int(left)], names[int(right)]
            if first in sought and second in anchors:
                shares_of.setdefault((first, second), []).append(share)
            elif second in sought and first in anchors:
                shares_of.setdefault((second, first), []).append(1 - share)
            else:
                others += 1
        if not shares_of:
            raise DataError(
                f"{answers.source}: no answer compares an item that is sought, such as "
                f"{some(self.items)}, with an anchor. Check the names."
            )
        if others:
            notes.caution(f"{count(others, 'answer')} of other pairs, not used.")
        held: dict[tuple[str, str], Counter[float]] = {}
        for item, anchor, share in self.answers:
            held.setdefault((item, anchor), Counter())[share] += 1
        added: list[Answer] = []
        for (item, anchor), shares in sorted(shares_of.items()):
            before, now = held.get((item, anchor), Counter[float]()), Counter(shares)
            # A file of all answers so far holds those of before; one of new answers does not.
            new = now - before if not before - now else now
            added += [(item, anchor, share) for share in sorted(new.elements())]
        repeated = sum(map(len, shares_of.values())) - len(added)
        if repeated:
            notes.info(f"{count(repeated, 'answer')} counted before, and not again.")
        return replace(self, answers=(*self.answers, *added))

    def search(self, item: str) -> tuple[AnchorSearch, int]:
        """Go through the answers on one item; the search, and how many there are."""
        made = AnchorSearch(
            as_ids(list(self.anchors)), np.array(self.rating), np.array(self.standard_error),
            width=self.width, most=self.most, level=self.level,
        )  # fmt: skip
        mine = [answer for answer in self.answers if answer[0] == item]
        for _, anchor, share in mine:
            made.answer(anchor, share)
        return made, len(mine)


# Place items among rated ones step by step: it gives pairs, takes answers, and goes on.


def anchor_items(
    anchors: Any = None,
    *,
    items: Any = None,
    average_of: Any = None,
    place: int = 5,
    state: Any = None,
    answers: Any = None,
    number: int | None = None,
    width: float = 2.0,
    most: int = 30,
    level: float = 0.95,
) -> Anchoring:
    r"""Place items among rated ones, step by step.

    The paper [1]_ compares one population of items with another by placing the items of the one
    that are nearest to its average among the sorted items of the other, the anchors. Each is
    placed by :class:`headcount.AnchorSearch`, a binary search that allows for wrong answers.

    The first step takes anchors and items, and gives the pairs to ask and a state. Each further
    step takes the state and answers, and gives the next pairs, until all items have their place.

    Parameters
    ----------
    anchors : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        Of the items to place others among. First step only.
    items : iterable, optional
        Items to place. First step only.
    average_of : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        Of another population: those of its items are placed that lie nearest to its average. In
        place of `items`.
    place : int
        How many of these.
    state : AnchoringState, mapping or path, optional
        What the step before returned as `state`.
    answers : Comparisons, or what :func:`headcount.read_comparisons` takes, optional
        To the pairs of the steps before: all of them, or the new ones only. What was counted
        before is not counted again. A tuple holds several.
    number : int, optional
        Pairs to ask in one step, shared out among the items that are not placed yet. Default: one
        an item.
    width, most, level
        When an item has its place, as for :class:`headcount.AnchorSearch`. First step only.

    Returns
    -------
    Anchoring

    Notes
    -----
    Anchors are rated by Bradley-Terry with a normal prior whose width the comparisons tell, so that
    all have a finite rating. The average is the mean of the items placed; its interval counts how
    well each of them is placed. O(answers x grid) a step.

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
    >>> then = anchor_items(state=first.state, answers=Comparisons.from_columns("x", "b", [1]))
    >>> list(zip(then.left, then.right)), then.items[0].answers
    ([('x', 'c')], 1)
    """
    notes = Notes()
    number = None if number is None else options.whole(number, "number", least=1)
    if state is None:
        search = _start(anchors, items, average_of, place, width, most, level, notes)
    elif anchors is not None or items is not None or average_of is not None:
        raise OptionError(
            f"{option('state')} holds the anchors and the items: leave out the others, or leave it "
            "out to start again."
        )
    else:
        search = AnchoringState.read(state)
    several = isinstance(answers, tuple)
    for each in cast("Sequence[Any]", answers) if several else [answers]:
        if each is not None:
            read = in_order(take_comparisons(each, "answers"))
            notes.extend(read.notes)
            search = search.with_answers(read, notes)
    return _step(search, number, notes)


def _start(
    anchors: Any,
    items: Any,
    average_of: Any,
    nearest_count: Any,
    width: Any,
    most: Any,
    level: Any,
    notes: Notes,
) -> AnchoringState:
    """Rate the anchors, and find the items to place."""
    if anchors is None:
        raise OptionError(
            f"give comparisons of the items to place others among ({option('anchors', '...')}), or "
            f"the state of an earlier step ({option('state', '...')})."
        )
    if (items is None) == (average_of is None):
        raise OptionError(
            f"give either items to place ({option('items', '...')}), or comparisons of another "
            f"population whose average is to be placed ({option('average_of', '...')})."
        )
    rated = in_order(take_comparisons(anchors, "anchors"))
    notes.extend(rated.notes)
    of_anchors = fit_posterior(rated, len(rated.items))
    names = [str(name) for name in rated.items]
    if average_of is None:
        sought = list(dict.fromkeys(str(x) for x in options.listed(items, "items", "items")))
        source = None
    else:
        other = in_order(take_comparisons(average_of, "average_of"))
        notes.extend(other.notes)
        fit = fit_posterior(other, len(other.items))
        nearest = np.argsort(np.abs(fit.rating), kind="stable")
        nearest = nearest[: options.whole(nearest_count, "place", least=1)]
        sought, source = [str(name) for name in other.items[np.sort(nearest)]], other.source
    both = [name for name in sought if name in set(names)]
    if both or not sought:
        raise DataError(
            f"{some(both)} among the anchors already. Items in both sets join them by themselves: "
            "put all comparisons into one file and rate them together."
            if both
            else "there are no items to place."
        )
    return AnchoringState(
        anchors=tuple(names),
        rating=tuple(of_anchors.rating.tolist()),
        standard_error=tuple(of_anchors.sd.tolist()),
        items=tuple(sought),
        average_of=source,
        width=options.number(width, "width", above=0, such_as="2"),
        most=options.whole(most, "most", least=1),
        level=options.level(level),
    )


def _step(state: AnchoringState, number: int | None, notes: Notes) -> Anchoring:
    """Place items as far as answers tell, and choose the next pairs."""
    searches = {item: state.search(item) for item in state.items}
    items = [
        SoughtItem(item=item, rating=search.rating, rank=search.rank, answers=n, done=search.done)
        for item, (search, n) in searches.items()
    ]
    waiting = [each.item for each in items if not each.done]
    shares = _shares(number or len(waiting), waiting)
    pairs = [
        (item, str(anchor))
        for item in waiting
        for anchor in searches[item][0].next_anchors(shares[item])
    ]
    average = _average(state, items)
    return Anchoring(
        items=tuple(sorted(items, key=lambda each: -each.rating.value)),
        left=as_ids([item for item, _ in pairs]),
        right=as_ids([anchor for _, anchor in pairs]),
        average=average,
        probability=None if average is None else _above(state, average),
        state=state,
        provenance=Provenance(
            source=state.average_of or "items",
            items_used=len(items),
            n_ratings=len(state.answers),
            level=state.level,
        ),
        notes=tuple(notes),
    )


def _shares(number: int, waiting: list[str]) -> dict[str, int]:
    """Share a number of pairs out among the items that wait."""
    if not waiting:
        return {}
    whole, rest = divmod(number, len(waiting))
    return {item: whole + (k < rest) for k, item in enumerate(waiting)}


def _average(state: AnchoringState, sought: Sequence[SoughtItem]) -> Estimate | None:
    """Mean of the items that were placed, if they stand for a population."""
    if state.average_of is None:
        return None
    z = NormalDist().inv_cdf((1 + state.level) / 2)
    value = float(np.mean([each.rating.value for each in sought]))
    errors = [((each.rating.high or 0) - (each.rating.low or 0)) / (2 * z) for each in sought]
    error = math.sqrt(sum(x**2 for x in errors)) / len(sought)
    return Estimate(
        value, value - z * error, value + z * error, level=state.level, method=POSTERIOR.name
    )


def _above(state: AnchoringState, average: Estimate) -> Floats:
    """Probability that each anchor lies above the average."""
    z = NormalDist().inv_cdf((1 + state.level) / 2)
    error = ((average.high or 0) - (average.low or 0)) / (2 * z)
    gaps = np.array(state.rating) - average.value
    sd = np.hypot(np.array(state.standard_error), error)
    return np.array([NormalDist().cdf(float(x)) for x in gaps / sd])


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
    """Items on their way to a place among anchors, and what to ask next.

    Parameters
    ----------
    items : tuple of SoughtItem
        The highest first.
    left, right : arrays
        Pairs to ask next, the sought item on the left; none once all items have their place.
    average : Estimate or None
        Mean rating of the items, if they stand for a population.
    probability : (anchors,) array or None
        That each anchor lies above that average.
    state : AnchoringState
        What the next step needs.
    file : str or None
        Where pairs were written, if they were.
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
    state: AnchoringState
    file: str | None = None

    @property
    def done(self) -> bool:
        """Whether all items have their place."""
        return all(each.done for each in self.items)

    def labels(self) -> dict[str, list[Any]]:
        """Return a row an anchor: `item`, `rating`, `label` and `probability` of being above.

        Labels say on which side of the average of the other population an anchor lies; they are
        blank where items were named.
        """
        chances: list[float | None] = [None] * len(self.state.anchors)
        if self.probability is not None:
            chances = [float(p) for p in self.probability]
        return {
            "item": list(self.state.anchors),
            "rating": list(self.state.rating),
            "label": [None if p is None else "above" if p >= 0.5 else "below" for p in chances],
            "probability": chances,
        }

    def page(self) -> Page:
        """Say whether items have their place, what to ask next, and where the average lies."""
        state, items = self.state, count(len(self.items), "item")
        among = f"among {count(len(state.anchors), 'anchor')}"
        if self.done:
            sentences = [f"Done: {items} placed {among}, by {count(len(state.answers), 'answer')}."]
        else:
            placed = sum(each.done for each in self.items)
            where = "" if self.file is None else f", in {self.file}"
            sentences = [
                f"{placed} of {items} placed {among}: {count(len(self.left), 'comparison')} to ask "
                f"next{where}."
            ]
        if self.average is not None and state.answers:
            above = sum(rating > self.average.value for rating in state.rating)
            sentences.append(
                f"The average of {state.average_of} lies at {self.average.value:.2f} logits "
                f"({self.average.interval(2)}): {above:,} of {len(state.anchors):,} anchors lie "
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
            f"{percent(state.level)} intervals. An item has its place once its interval is no "
            f"wider than {state.width:g} logits, or after {state.most} answers."
        )
        return Page(sentences, [table], [foot])

    def columns(self) -> dict[str, list[Any]]:
        """Return the pairs to ask next; once there are none, a row an item."""
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
