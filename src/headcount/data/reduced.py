"""Ratings and answers that a database added up: what methods need of them, without the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.labels import Labels, Scale, scale_of
from headcount.data.vocabulary import find_labels, recoded, sorted_vocabulary
from headcount.errors import DataError, count, option, some
from headcount.results.notes import Notes, Source
from headcount.stats.arrays import group_rows
from headcount.typing import Codes

__all__ = ["added_up", "counted", "labels_of_cells"]


def labels_of_cells(
    pattern: Codes,
    raters: tuple[Codes, Sequence[str]] | None,
    labels: tuple[Codes, Sequence[str]],
    times: Codes,
    item_times: Codes,
    *,
    scale: Scale | None = None,
    source: str = "ratings",
    notes: Iterable[str] = (),
    sources: tuple[Source, ...] = (),
    dropped: Mapping[str, int] | None = None,
    backend: str | None = None,
) -> Labels:
    """Build labels of ratings that were added up by pattern, rater and label.

    Parameters
    ----------
    pattern : (cells,) array of int
        The label pattern: items that were given each label as often.
    raters : (cells,) array of int and their names, or None
        Who gave the ratings of each cell. None: nobody knows, or it does not matter.
    labels : (cells,) array of int and their names
    times : (cells,) array of int
        Ratings of each cell.
    item_times : (patterns,) array of int
        Items that show each pattern; one without cells is of items that nobody rated.
    scale : Scale, optional
        The labels in order; others are refused. Default: those that occur.
    source, notes, sources, dropped, backend
        As :class:`~headcount.data.labels.Labels` has them.

    Notes
    -----
    O(cells log cells). The order of patterns, of raters and of cells makes no difference.

    Examples
    --------
    >>> cells = np.array([0, 0, 1, 1]), (np.array([0, 1, 0, 1]), ["ann", "bob"])
    >>> labels_of_cells(*cells, (np.array([0, 0, 0, 1]), ["no", "yes"]), np.array([3, 3, 2, 2]),
    ...     np.array([3, 2]))
    Labels: 10 ratings of 5 items by 2 raters; labels no, yes
    """
    code, texts = labels
    if not times.sum():
        raise DataError(f"{source}: no ratings; every row lacks an item, a rater or a label.")
    if scale is None:
        scale, recode = scale_of(code, texts)
    else:
        recode = find_labels(texts, scale.labels)
        if len(outside := np.unique(code[recode[code] < 0])):
            unknown = [texts[label] for label in outside.tolist()]
            raise DataError(
                f"{source}: {count(int(times[recode[code] < 0].sum()), 'rating')} with labels that "
                f"are not among the declared ones, {some(scale.labels, 10)}: {some(unknown)}. "
                f"Declare them ({option('labels', ...)}) or correct them."
            )
    code = recode[code]
    if raters is None:
        who, ids = np.zeros(len(code), dtype=np.int64), np.zeros(1, dtype=np.int64)
    else:
        ids, new_code = sorted_vocabulary(raters[1])
        who = recoded(raters[0], new_code)
    made = Labels(
        items=np.arange(len(item_times)),
        raters=ids,
        scale=scale,
        item=pattern,
        rater=who,
        label=code,
        source=source,
        notes=tuple(Notes(notes)),
        sources=sources,
        dropped=dict(dropped or {}),
        backend=backend,
        anonymous=raters is None,
        item_times=item_times,
        times=times,
    )
    return _sorted(made)


def added_up(labels: Labels) -> Labels:
    """Add up ratings by label pattern, rater and label, as a database would.

    Examples
    --------
    >>> labels = Labels.from_triples([1, 1, 2, 2], "abab", ["x", "y", "x", "y"])
    >>> added_up(labels).times
    array([2, 2])
    """
    _, pattern = group_rows(labels.matrix().T)
    who = np.zeros(len(labels.item), dtype=np.int64) if labels.anonymous else labels.rater
    first, cell = group_rows([pattern[labels.item], who, labels.label])
    return replace(
        labels,
        items=np.arange(int(pattern.max()) + 1),
        raters=np.zeros(1, dtype=np.int64) if labels.anonymous else labels.raters,
        item=pattern[labels.item][first],
        rater=who[first],
        label=labels.label[first],
        item_times=np.bincount(pattern),
        times=np.bincount(cell),
        again=None,
    )


def _sorted(made: Labels) -> Labels:
    """Put patterns in the order of their counts, and cells in that of pattern, rater and label."""
    first, group = group_rows(made.matrix().T)
    if len(first) < len(group):
        raise ValueError("patterns must differ")
    pattern = group[made.item]
    order = np.lexsort((made.label, made.rater, pattern))
    times, item_times = made.times, made.item_times
    return replace(
        made,
        item=pattern[order],
        rater=made.rater[order],
        label=made.label[order],
        times=None if times is None else times[order],
        item_times=None if item_times is None else item_times[first],
    )


def counted(comparisons: Comparisons, *, raters: bool = True) -> Comparisons:
    """Count equal answers, as a database would: those of each rater, or of all.

    Examples
    --------
    >>> played = Comparisons.from_columns("aab", "bba", ["left", "left", "tie"])
    >>> counted(played).times
    array([2, 1])
    """
    if not raters:
        comparisons = replace(comparisons, rater=None, raters=None)
    keys = [comparisons.rater, comparisons.weight, *comparisons.clusters.values()]
    rows = [comparisons.left, comparisons.right, comparisons.outcome]
    first, cell = group_rows([*rows, *(key for key in keys if key is not None)])
    return replace(comparisons.select(first), times=np.bincount(cell))
