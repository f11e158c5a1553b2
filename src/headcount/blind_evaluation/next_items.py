"""Which items a person is to label next: votes in, items with probabilities out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.blind_evaluation.dawid_skene import SMOOTHING
from headcount.blind_evaluation.methods import LABELLING, group_shares
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.prepare import People, Prepared, prepare
from headcount.blind_evaluation.scoring import Settings, Task, score_all
from headcount.errors import DataError, OptionError, count, of_verb, option
from headcount.results.fields import Record, json_value
from headcount.results.notes import Notes, Provenance
from headcount.results.page import Page, Screen, command
from headcount.results.result import Result
from headcount.results.tables import Table
from headcount.stats.draws import keys
from headcount.typing import Codes, Flags, Floats, Ids, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "next_items",
    "sizes_of",
    "inclusion",
    "draw_order",
    "ItemsToLabel",
]


EDGES = (0.0, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Probabilities of the likeliest label by which items are counted."""


def next_items(
    labels: Any,
    *,
    number: int,
    gold: Any = None,
    groups: Any = None,
    group_pattern: str | None = None,
    at_least: float | None = None,
    abstain: str | None = None,
    seed: Seed = 0,
) -> ItemsToLabel:
    r"""Draw the items whose labels by a person would tell most, with known probabilities.

    Items of which the consensus is unsure, or on which classifiers disagree, are drawn more often;
    half of the draws are uniform, so that any item may come. Given back with their labels and
    probabilities as `gold`
    (:func:`headcount.blind`), each counts by the inverse of its probability, and estimates stay
    unbiased however wrong the consensus is.

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        What classifiers said, as for :func:`headcount.blind`.
    number : int
        Items to draw.
    gold : mapping of item to label, path or frame, optional
        Labels that are there already. Items that were drawn by this function, from the same votes
        and with the same seed, go on where they ended; others are taken for a random sample.
    groups, group_pattern, at_least, abstain
        As for :func:`headcount.blind`.
    seed : int or Generator
        Seed. An item's number depends on its id and the seed alone.

    Returns
    -------
    ItemsToLabel

    Notes
    -----
    Let :math:`s_i` be the sizes of :func:`headcount.blind_evaluation.next_items.sizes_of`. The
    probability is :math:`\min(1, c s_i)`, which sum to the number of items. Where :math:`n_0` of N
    items have gold already, and are a random sample,
    :math:`\pi_i = n_0 / N + (1 - n_0 / N) \min(1, c s_i)`. O(votes x labels) a pass for the
    consensus, and O(items log items).

    Examples
    --------
    Two of three classifiers agree on the first ten items, and all three on the others.

    >>> import numpy as np
    >>> from headcount import Labels, next_items
    >>> torn = [["y", "y", "n"], ["y", "n", "y"]] * 5
    >>> said = np.array(torn + [["y", "y", "y"], ["n", "n", "n"]] * 45)
    >>> items, who = np.indices(said.shape).reshape(2, -1)
    >>> found = next_items(Labels.from_triples(items, who, said.ravel()), number=10)
    >>> len(found), int((found.items < 10).sum())
    (10, 4)
    >>> bool(min(found.probability) >= 0.05)  # half of 10 in 100
    True
    """
    number = options.whole(number, "number", least=1)
    notes = Notes()
    generator, seed_number = options.seed(seed), options.seed_number(seed)
    seed = int(generator.integers(2**32)) if seed_number is None else seed_number
    people = People(
        gold=gold, groups=groups, group_pattern=group_pattern, at_least=at_least, abstain=abstain
    )
    why = f"{option('number', number)}, which draws items by name,"
    data = prepare(labels, people, seed=seed, notes=notes, one_by_one=why)
    truth = _truth(data, seed)
    voted = np.flatnonzero(data.votes.row_of >= 0)
    row = data.votes.row_of[voted]
    items, gold_label = data.labels.items[voted], data.votes.gold[row]
    sizes = sizes_of(truth[row])
    order = draw_order(items, sizes, seed)
    left = len(items) - int((gold_label >= 0).sum())
    if number > left:
        raise OptionError(
            f"{option('number', number)}: there are {count(left, 'item')} without a label. Ask for "
            "as many or fewer."
        )
    if data.votes.drawn is None:
        chosen, probability = _beside(gold_label >= 0, sizes, order, number, notes)
    else:
        chosen, probability = _further(gold_label >= 0, sizes, order, number, data.labels.source)
    shown = np.concatenate([np.flatnonzero(gold_label >= 0), chosen])
    names = np.array([*data.votes.labels, None], dtype=object)  # the last is for no label
    sure = truth[row].max(axis=1)
    return ItemsToLabel(
        items=items[shown],
        label=names[gold_label[shown]],
        probability=probability[shown],
        number=number,
        bands=_bands(sure, chosen),
        notes=tuple(notes),
        provenance=Provenance(
            source=data.labels.source,
            sources=data.labels.sources,
            dropped=data.labels.dropped,
            items_used=len(items),
            items_dropped=len(data.labels.items) - len(items),
            n_ratings=len(data.labels),
            n_raters=len(data.votes.classifiers),
            labels=data.votes.labels,
            seed=seed_number,
            backend=data.labels.backend,
        ),
    )


def _truth(data: Prepared, seed: int) -> Floats:
    """Find the probability of each label, half by the consensus and half by votes."""
    task = Task(
        votes=data.votes,
        metrics=choose_metrics(data.votes.labels),
        settings=Settings(smoothing=SMOOTHING, seed=seed),
        notes=Notes(),
    )
    truth = score_all(task, [LABELLING])[LABELLING.name].truth
    if truth is None:
        raise DataError(f"{data.labels.source}: no consensus label can be found.")
    # The consensus is often too sure: where classifiers disagree, a label tells something.
    return (truth + group_shares(data.votes)) / 2


def _beside(
    has_gold: Flags, sizes: Floats, order: Codes, number: int, notes: Notes
) -> tuple[Codes, Floats]:
    """Draw beside items that have a label and were a random sample, if there are some."""
    chosen = order[~has_gold[order]][:number]
    labelled = int(has_gold.sum())
    scale = inclusion(sizes[~has_gold], number)
    again = np.empty(len(sizes))
    again[~has_gold] = scale
    if labelled:
        # As often as if it had been left over: those below 1 have a common factor.
        factor = (scale[scale < 1] / sizes[~has_gold][scale < 1]).max(initial=0.0)
        again[has_gold] = np.minimum(sizes[has_gold] * factor, 1.0) if factor else 1.0
        notes.caution(
            f"{count(labelled, 'item')} with gold, and without a column 'probability', taken for a "
            "random sample of all items."
        )
    share = labelled / len(sizes)
    return chosen, share + (1 - share) * again


def _further(
    has_gold: Flags, sizes: Floats, order: Codes, number: int, source: str
) -> tuple[Codes, Floats]:
    """Go on where an earlier draw ended."""
    labelled = int(has_gold.sum())
    if not has_gold[order[:labelled]].all():
        raise DataError(
            f"the items with gold were drawn from other votes than those of {source}, or with "
            "another seed, so that the probability of further ones cannot be known. Take the same "
            f"votes and {option('seed')}; or leave out the gold, and draw anew."
        )
    return order[labelled : labelled + number], inclusion(sizes, labelled + number)


def _bands(sure: Floats, chosen: Codes) -> tuple[Band, ...]:
    """Count items by how sure the model is of them."""
    at = np.clip(np.searchsorted(EDGES, sure, side="right") - 1, 0, len(EDGES) - 2)
    all_items = np.bincount(at, minlength=len(EDGES) - 1)
    drawn = np.bincount(at[chosen], minlength=len(EDGES) - 1)
    lowest = max(0, int(np.flatnonzero(all_items)[0]))
    return tuple(
        Band(low=EDGES[n], high=EDGES[n + 1], items=int(all_items[n]), chosen=int(drawn[n]))
        for n in range(lowest, len(all_items))
    )


# Items drawn with known probabilities, more often where their labels would tell more.

UNIFORM = 0.5
"""Share of the draws that is at random: no item is drawn less than half as often as at random, so
that no weight is more than twice as large, however wrong the model."""
SALT = 2**32
"""What is added to the seed, so that draws have nothing to do with folds."""


def sizes_of(truth: Floats) -> Floats:
    r"""How often each item is to be drawn, relative to others: (items,), 1 in all.

    .. math:: s_i = \frac12 \frac{u_i}{\sum_j u_j} + \frac12 \frac1N, \quad
        u_i = \sqrt{1 - \textstyle\sum_l p_{il}^2}

    The variance of a weighted mean is least for :math:`u_i`, the standard deviation of what is
    not known of an item (Neyman); half of the draws are uniform, in case the model is too sure.

    Parameters
    ----------
    truth : (items, labels) array
        Probability of each label.

    References
    ----------
    Neyman (1934), Journal of the Royal Statistical Society 97; Zrnic and Candès (2024), Active
    statistical inference, ICML.

    Examples
    --------
    >>> sizes_of(np.array([[1.0, 0.0], [0.5, 0.5]])).round(2)
    array([0.25, 0.75])
    """
    unsure = np.sqrt(np.maximum(1 - (truth**2).sum(axis=1), 0.0))
    even = np.full(len(truth), 1 / len(truth))
    if not unsure.sum() > 0:
        return even
    return (1 - UNIFORM) * unsure / unsure.sum() + UNIFORM * even


def inclusion(sizes: Floats, number: float) -> Floats:
    r"""Probability with which each of some items is drawn: min(1, c s) that sum to `number`.

    Examples
    --------
    >>> inclusion(np.array([0.6, 0.2, 0.1, 0.1]), 2)
    array([1.  , 0.5 , 0.25, 0.25])
    """
    out = np.ones(len(sizes))
    left = np.ones(len(sizes), dtype=bool)
    while left.any() and number > (~left).sum():
        scaled = sizes * (number - (~left).sum()) / sizes[left].sum()
        above = left & (scaled >= 1)
        if not above.any():
            out[left] = scaled[left]
            return out
        left &= ~above
    return out


def draw_order(items: Ids, sizes: Floats, seed: int) -> Codes:
    r"""Order in which items are drawn: the first n are a sample of n, whatever n is.

    Item i comes by :math:`r_i / s_i` with a number :math:`r_i` from 0 to 1 that depends on its id
    and the seed alone (sequential Poisson sampling with permanent random numbers). So a sample
    is part of every larger one, and its items have been drawn with the probabilities of
    :func:`inclusion`, but for an error that falls with their number.

    References
    ----------
    Ohlsson (1998), "Sequential Poisson sampling", Journal of Official Statistics 14.
    """
    number = (keys(items, seed + SALT).astype(np.float64) + 0.5) / 2**32
    return np.lexsort((items.astype(str), number / sizes))


# Items to have labelled, as plain records.

GAIN = (
    "Expect about as much of them as of random items: judges are sure of the items that they get "
    "wrong together, which are drawn no more often."
)
"""On four panels with gold the error of PPI was .82 and .91 of that with random items on two, and
1.17 and 1.21 on two; where errors are independent it is .8 (docs/methods/blind.md)."""


@dataclass(frozen=True, kw_only=True)
class Band(Record):
    """Items of whose label the model is about as sure.

    Parameters
    ----------
    low, high : float
        Probability of the likeliest label, the mean of the consensus and the votes: from `low` to
        below `high`.
    items, chosen : int
        Items in all, and of these to be labelled.
    """

    low: float
    high: float
    items: int
    chosen: int


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ItemsToLabel(Result):
    """Items to have labelled by a person, with the probability by which each was drawn.

    Parameters
    ----------
    items : array
        New ones, in the order in which they were drawn, after those that have a label.
    label : array of str or None
        Known labels; None for new items.
    probability : array of float
        With which each is among the labelled items.
    number : int
        New items.
    bands : tuple of Band

    Examples
    --------
    >>> from headcount import next_items
    >>> len(next_items("example:votes", number=20))
    20
    """

    provenance: Provenance
    items: Ids
    label: Ids
    probability: Floats
    number: int
    bands: tuple[Band, ...]

    def __len__(self) -> int:
        return self.number

    def screen(self) -> Screen:
        """Say how many items to have labelled, what that gains, and what to do with them."""
        return Screen(
            headline=self.page().headline,
            data=f"{count(self.provenance.items_used, 'item')}",
            next=[
                "fill in the column 'label', and give the file back as gold: "
                + command("blind", self.provenance.source, files={"gold": "items.csv"})
            ],
        )

    def page(self) -> Page:
        """Say how many items to have labelled, and how sure the model is of them."""
        total, gold = self.provenance.items_used, of_verb(option("gold", ...), "blind", ["gold"])
        head = ["how sure classifiers are", "items", "to label"]
        body = [
            [f"{band.low:.2f} to {band.high:.2f}", f"{band.items:,}", f"{band.chosen:,}"]
            for band in self.bands
        ]
        labelled = len(self.items) - self.number
        and_known = (
            f" The {count(labelled, 'item')} with a label stand there too." if labelled else ""
        )
        return Page(
            [
                f"{count(self.number, 'item')} to have labelled by a person, drawn from {total:,} "
                "with known probabilities.",
                GAIN,
            ],
            [
                Table(head, body),
                "Fill in the column 'label' of the file that you write them to, and give it back "
                f"({gold}): items then count by the inverse of the column 'probability', so that "
                f"scores stay unbiased.{and_known}",
            ],
            [
                "half of the draws are uniform, half by how unsure classifiers are of an item: the "
                "mean of the consensus and of their votes"
            ],
        )

    def columns(self) -> dict[str, list[Any]]:
        """Return the file to fill in: item, label (blank for new items), probability."""
        return {
            "item": self.items.tolist(),
            "label": self.label.tolist(),
            "probability": self.probability.tolist(),
        }

    def document(self) -> dict[str, Any]:
        """Return what ``to_dict()`` has beside data, options and notes (docs/reference/json.md)."""
        columns = self.columns()
        return {
            "number": self.number,
            "bands": json_value(self.bands),
            "items": [
                dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)
            ],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw how sure the model is of items, of all and of those to label (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.blind_evaluation.plot import plot_items

        return plot_items(self, ax)
