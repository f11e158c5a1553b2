"""The labels of items that a model finds, to be used or to be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.blind_evaluation.methods.base import Method, Scored
from headcount.blind_evaluation.methods.vote_truth import winners
from headcount.blind_evaluation.votes import Votes
from headcount.data.labels import Labels
from headcount.errors import DataError, OptionError, option
from headcount.results.frames import to_frame
from headcount.typing import Codes, Floats, Ids

__all__ = [
    "UNSURE", "ItemLabels", "label_columns", "label_items", "label_sums", "label_summary",
    "no_labels",
]  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class ItemLabels:
    """The label of each item with votes, by one model.

    Parameters
    ----------
    items : array
        None where items with the same votes were put together before they came here.
    label : (items,) array of str
        The likeliest; the first of those that tie.
    probability : (items, labels) array
        Of each label; right only if what the model assumes is so.
    votes : (items,) array of int
        Labels that classifiers gave to the item.
    labels : tuple of str
    model, words : str
        The method that found them, and what it assumes.
    backend : str or None
        The kind of frame that the votes came from.
    times : (items,) array of int or None
        How many items each stands for, where they were put together.
    """

    items: Ids
    label: Ids
    probability: Floats
    votes: Codes
    labels: tuple[str, ...]
    model: str
    words: str
    backend: str | None = None
    times: Codes | None = None

    def __len__(self) -> int:
        return len(self.items) if self.times is None else int(self.times.sum())

    def columns(self) -> dict[str, list[Any]]:
        """Return one row an item: item, label, probability of each label, votes, model.

        Probabilities have six digits: further ones differ between machines.

        Raises
        ------
        DataError
            If items were put together, so that they have no names.
        """
        if self.times is not None:
            raise DataError(
                "the labels of single items need votes one by one, and these were counted where "
                f"they are. Allow memory for all of them ({option('memory', ...)})."
            )
        return label_columns(
            self.items.tolist(), self.labels, self.probability, self.votes, self.model
        )

    def parts(self) -> Iterator[dict[str, list[Any]]]:
        """Yield the same rows a part at a time; here they are one."""
        yield self.columns()

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows as a data frame: pandas, polars or pyarrow."""
        return to_frame(self.columns(), backend or self.backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form, a summary; items have a file of their own."""
        times = np.ones(len(self.items)) if self.times is None else self.times.astype(np.float64)
        return label_summary(
            self.model, self.words, self.labels, label_sums(self.probability, times)
        )


def label_columns(
    items: list[Any], labels: Sequence[str], probability: Floats, votes: Codes, model: str
) -> dict[str, list[Any]]:
    """Make one row an item: item, label (the first of those that tie), probabilities, votes."""
    names = np.array(labels, dtype=object)
    rounded = _six_digits(probability)
    return {
        "item": items,
        "label": names[probability.argmax(axis=1)].tolist(),
        **{f"probability:{label}": rounded[:, code].tolist() for code, label in enumerate(labels)},
        "votes": votes.tolist(),
        "model": [model] * len(items),
    }


def label_sums(probability: Floats, times: Floats) -> Floats:
    """Sum over items: how many, how sure, how many unsure, and how often each label comes out."""
    best = probability.max(axis=1)
    sums = [times.sum(), times @ best, times @ (best < UNSURE)]
    return np.concatenate([sums, times @ winners(probability)])


def label_summary(model: str, words: str, labels: Sequence[str], sums: Floats) -> dict[str, Any]:
    """Write what the labels of items are like, for the JSON document."""
    items = float(sums[0])
    return {
        "model": model,
        "assumes": words,
        "items": round(items),
        "shares": dict(zip(labels, (sums[3:] / items).tolist(), strict=True)),
        "mean_probability": float(sums[1] / items),
        "unsure": round(float(sums[2])),
    }


def _six_digits(probability: Floats) -> Floats:
    """Round to six digits, however small: none becomes 0."""
    size = np.floor(np.log10(np.maximum(probability, 1e-16)))
    scale = 10.0 ** (5 - size)
    return np.where(probability > 1e-16, np.round(probability * scale) / scale, probability)


UNSURE = 0.8
"""Probability of the likeliest label below which an item counts as unsure."""


def label_items(method: Method, scored: Scored, labels: Labels, votes: Votes) -> ItemLabels:
    """Make the labels of items of what a method takes for the truth."""
    if scored.truth is None or method.direct:
        raise no_labels(method, scored.undefined)
    voted = np.flatnonzero(votes.row_of >= 0)
    row = votes.row_of[voted]
    truth = scored.truth[row]
    return ItemLabels(
        items=labels.items[voted],
        label=np.array(votes.labels, dtype=object)[truth.argmax(axis=1)],
        probability=truth,
        votes=np.diff(votes.start)[row],
        labels=votes.labels,
        model=method.name,
        words=method.words,
        backend=labels.backend,
        times=None if labels.item_times is None else labels.item_times[voted],
    )


def no_labels(method: Method, why: str | None) -> OptionError:
    """Say that a method finds no labels of items, and why."""
    said = f" ({why})" if why else ""
    return OptionError(
        f"{option('labels_by', method.name)}: this method gives no labels of items{said}. Take "
        "another, such as consensus, em or majority."
    )
