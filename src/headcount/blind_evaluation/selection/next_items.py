"""Which items a person is to label next: votes in, items with probabilities out."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount import options
from headcount.blind_evaluation.dawid_skene.fit import SMOOTHING
from headcount.blind_evaluation.methods.catalogue import LABELLING
from headcount.blind_evaluation.methods.crowd_model import group_shares
from headcount.blind_evaluation.methods.engine import score_all
from headcount.blind_evaluation.methods.tasks import Settings, Task
from headcount.blind_evaluation.metrics import choose_metrics
from headcount.blind_evaluation.prepare import People, Prepared, prepare
from headcount.blind_evaluation.selection.draw import draw_order, inclusion, sizes_of
from headcount.blind_evaluation.selection.records import Band
from headcount.blind_evaluation.selection.result import ItemsToLabel
from headcount.errors import DataError, OptionError, count, option
from headcount.results.notes import Notes
from headcount.results.provenance import Provenance
from headcount.typing import Codes, Flags, Floats, Seed

__all__ = ["next_items"]

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
    rng: Seed = 0,
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
    rng : int or Generator
        Seed. An item's number depends on its id and the seed alone.

    Returns
    -------
    ItemsToLabel

    Notes
    -----
    Let :math:`s_i` be the sizes of :func:`headcount.blind_evaluation.selection.draw.sizes_of`. The
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
    generator, told = options.seed(rng), options.seed_number(rng)
    seed = int(generator.integers(2**32)) if told is None else told
    people = People(
        gold=gold, groups=groups, group_pattern=group_pattern, at_least=at_least, abstain=abstain
    )
    asked = f"{option('number', number)}, which draws items by name,"
    data = prepare(labels, people, seed=seed, notes=notes, one_by_one=asked)
    truth = _truth(data, seed)
    voted = np.flatnonzero(data.votes.row_of >= 0)
    row = data.votes.row_of[voted]
    items, known = data.labels.items[voted], data.votes.gold[row]
    sizes = sizes_of(truth[row])
    order = draw_order(items, sizes, seed)
    left = len(items) - int((known >= 0).sum())
    if number > left:
        raise OptionError(
            f"{option('number', number)}: there are {count(left, 'item')} without a label. Ask for "
            "as many or fewer."
        )
    if data.votes.drawn is None:
        chosen, probability = _beside(known >= 0, sizes, order, number, notes)
    else:
        chosen, probability = _further(known >= 0, sizes, order, number, data.labels.source)
    shown = np.concatenate([np.flatnonzero(known >= 0), chosen])
    names = np.array([*data.votes.labels, None], dtype=object)  # the last is for no label
    sure = truth[row].max(axis=1)
    return ItemsToLabel(
        items=items[shown],
        label=names[known[shown]],
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
            seed=told,
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
    known: Flags, sizes: Floats, order: Codes, number: int, notes: Notes
) -> tuple[Codes, Floats]:
    """Draw beside items that have a label and were a random sample, if there are some."""
    chosen = order[~known[order]][:number]
    there = int(known.sum())
    scale = inclusion(sizes[~known], number)
    again = np.empty(len(sizes))
    again[~known] = scale
    if there:
        # As often as if it had been left over: those below 1 have a common factor.
        factor = (scale[scale < 1] / sizes[~known][scale < 1]).max(initial=0.0)
        again[known] = np.minimum(sizes[known] * factor, 1.0) if factor else 1.0
        notes.caution(
            f"{count(there, 'item')} with gold, and without a column 'probability', taken for a "
            "random sample of all items."
        )
    share = there / len(sizes)
    return chosen, share + (1 - share) * again


def _further(
    known: Flags, sizes: Floats, order: Codes, number: int, source: str
) -> tuple[Codes, Floats]:
    """Go on where an earlier draw ended."""
    there = int(known.sum())
    if not known[order[:there]].all():
        raise DataError(
            f"the items with gold were drawn from other votes than those of {source}, or with "
            "another seed, so that the probability of further ones cannot be known. Take the same "
            f"votes and {option('rng')}; or leave out the gold, and draw anew."
        )
    return order[there : there + number], inclusion(sizes, there + number)


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
