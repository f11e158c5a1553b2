"""Items for a person to label: votes in, a random sample of their items out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headcount import options
from headcount.blind_evaluation.prepare import People, prepare, provenance_of
from headcount.blind_evaluation.scoring import seeds_of
from headcount.blind_evaluation.votes import vote_shares
from headcount.errors import DataError, OptionError, count, option
from headcount.results.notes import Notes, Provenance
from headcount.results.page import Page, Screen, command
from headcount.results.result import Result
from headcount.stats.draws import keys
from headcount.typing import Floats, Ids, Seed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ItemsToLabel", "next_items"]


SALT = 2**32
"""What is added to the seed, so that draws have nothing to do with folds."""


def next_items(labels: Any, *, number: int, gold: Any = None, seed: Seed = 0) -> ItemsToLabel:
    r"""Draw items at random, for a person to label.

    Given back with their labels as `gold` (:func:`headcount.blind`), they tell how good classifiers
    are without any assumption. Items of which classifiers are unsure are drawn no more often: that
    gained nothing on panels with gold (docs/methods/blind.md).

    Parameters
    ----------
    labels : Labels, Predictions, path or frame
        What classifiers said, as for :func:`headcount.blind`.
    number : int
        Items to draw.
    gold : mapping of item to label, path or frame, optional
        Labels that are there already, of a random sample. With the same seed the draw goes on where
        it ended.
    seed : int or Generator
        Seed. The place of an item depends on its id and the seed alone.

    Returns
    -------
    ItemsToLabel

    Notes
    -----
    O(votes + items log items).

    Examples
    --------
    >>> import numpy as np
    >>> from headcount import Labels, next_items
    >>> items, who = np.indices((100, 3)).reshape(2, -1)
    >>> labels = Labels.from_triples(items, who, (items + who) % 2)
    >>> ten, twenty = (next_items(labels, number=n) for n in (10, 20))
    >>> len(ten), list(ten.items) == list(twenty.items[:10])
    (10, True)
    """
    number = options.whole(number, "number", least=1)
    notes = Notes()
    seed, named_seed = seeds_of(seed)
    why = f"{option('number', number)}, which draws items by name,"
    data = prepare(labels, People(gold=gold), seed=seed, notes=notes, one_by_one=why)
    votes = data.votes
    if votes.drawn is not None:
        raise DataError(
            "the items with gold were drawn with probabilities that differ (column 'probability'), "
            "so that further ones would make no random sample. Leave the gold out, or the column "
            "if all had the same probability."
        )
    voted = np.flatnonzero(votes.row_of >= 0)
    row, items = votes.row_of[voted], data.labels.items[voted]
    has_gold = votes.gold[row] >= 0
    order = np.lexsort((items.astype(str), keys(items, seed + SALT)))
    left = order[~has_gold[order]]
    if number > len(left):
        raise OptionError(
            f"{option('number', number)}: there are {count(len(left), 'item')} without a label. "
            "Ask for as many or fewer."
        )
    shown = np.concatenate([np.flatnonzero(has_gold), left[:number]])
    names = np.array([*votes.labels, None], dtype=object)  # the last is for no label
    return ItemsToLabel(
        items=items[shown],
        label=names[votes.gold[row[shown]]],
        number=number,
        agreement=vote_shares(votes)[row[shown]].max(axis=1),
        notes=tuple(notes),
        provenance=provenance_of(data.labels, votes, seed=named_seed),
    )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ItemsToLabel(Result):
    """A random sample of items to have labelled by a person.

    Parameters
    ----------
    items : array
        New ones, in the order in which they were drawn, after those that have a label.
    label : array of str or None
        Known labels; None for new items.
    number : int
        New items.
    agreement : array of float
        Share of the votes on an item that its most common label has.

    Examples
    --------
    >>> from headcount import next_items
    >>> len(next_items("example:votes", number=20))
    20
    """

    provenance: Provenance
    items: Ids
    label: Ids
    number: int
    agreement: Floats

    def __len__(self) -> int:
        return self.number

    def _headline(self) -> list[str]:
        drawn = f"{count(self.number, 'item')} to have labelled by a person, drawn at random from "
        labelled = len(self.items) - self.number
        known = f" {count(labelled, 'item')} with a label stand first." if labelled else ""
        return [f"{drawn}{self.provenance.items_used - labelled:,}.{known}"]

    def screen(self) -> Screen:
        """Say how many items to have labelled, and what to do with them."""
        return Screen(
            headline=self._headline(),
            data=f"{count(self.provenance.items_used, 'item')}",
            next=[
                "fill in the column 'label', and give the file back as gold: "
                + command("blind", self.provenance.source, files={"gold": "items.csv"})
            ],
        )

    def page(self) -> Page:
        """Say how many items to have labelled."""
        return Page(self._headline(), [])

    def columns(self) -> dict[str, list[Any]]:
        """Return the file to fill in: item, label (blank for new items)."""
        return {"item": self.items.tolist(), "label": self.label.tolist()}

    def document(self) -> dict[str, Any]:
        """Return what ``to_dict()`` has beside data, options and notes (docs/reference/json.md)."""
        rows = zip(self.items.tolist(), self.label.tolist(), strict=True)
        return {
            "number": self.number,
            "items": [{"item": item, "label": label} for item, label in rows],
        }

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw on how many of the items to label classifiers agree (needs matplotlib).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        """
        from headcount.blind_evaluation.plot import plot_items

        return plot_items(self, ax)
