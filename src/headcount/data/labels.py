"""Labels: who said what about which item, on what scale, and their counts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from headcount import options
from headcount.data.vocabulary import (
    as_labels,
    count_uses,
    encode,
    find_labels,
    recoded,
    sorted_rows,
    sorted_vocabulary,
)
from headcount.errors import DataError, Named, OptionError, closest, count, marked, option, some
from headcount.results.notes import Note, Notes, Source
from headcount.results.result import FIRST_ROWS, in_call, preview
from headcount.stats.arrays import group_rows
from headcount.typing import Codes, Flags, Ids, Ints

__all__ = [
    "Kind",
    "Scale",
    "Counts",
    "Labels",
    "RETEST",
    "scale_of",
    "without_raters",
]


RETEST = "To measure how well raters agree with themselves: "
"""What to do with ratings that repeat others on purpose, before the command."""

# What labels there are, and what may be done with them.

Kind = Literal["nominal", "ordinal", "interval"]


@dataclass(frozen=True)
class Scale:
    """The labels that raters can choose from, in order, and the kind of scale.

    Parameters
    ----------
    labels : tuple of str
        Every label, used or not. The order matters on ordinal and interval scales.
    kind : {"nominal", "ordinal", "interval"}
        Names without order; names in order; numbers.

    Examples
    --------
    >>> Scale(("no", "unsure", "yes"), kind="ordinal")
    Scale(labels=('no', 'unsure', 'yes'), kind='ordinal')
    """

    labels: tuple[str, ...]
    kind: Kind = "nominal"

    def __post_init__(self) -> None:
        if len(set(self.labels)) < len(self.labels):
            repeated = {label for label in self.labels if self.labels.count(label) > 1}
            raise OptionError(f"a scale names each label once; repeated: {some(sorted(repeated))}.")
        if not self.labels:
            raise OptionError("a scale needs at least one label.")

    def __len__(self) -> int:
        return len(self.labels)


# Label counts: all that survey equivalence and most agreement statistics need of an item.


@dataclass(frozen=True, eq=False)
class Counts:
    """Label patterns, how many items have each, and the pattern of each item.

    Items that received the same number of each label are one pattern: 2,000 comments with ten
    binary labels each are 11 patterns.

    Parameters
    ----------
    patterns : (patterns, labels) array of int
        How often each label was given.
    multiplicity : (patterns,) array of int
        How many items have each pattern.
    pattern : (items,) array of int
        The pattern of each item.

    Examples
    --------
    >>> counts = Counts.from_matrix([[2, 1], [3, 0], [2, 1]])
    >>> counts.patterns
    array([[2, 1],
           [3, 0]])
    >>> counts.multiplicity, counts.pattern
    (array([2, 1]), array([0, 1, 0]))
    """

    patterns: Codes
    multiplicity: Codes
    pattern: Ints

    @classmethod
    def from_matrix(cls, counts: object) -> Counts:
        """Find the patterns of an items x labels matrix of counts. O(labels n log n)."""
        matrix = np.asarray(counts, dtype=np.int64)
        first, group = group_rows(matrix.T)
        return cls(
            patterns=matrix[first],
            multiplicity=np.bincount(group, minlength=len(first)),
            pattern=group,
        )

    @property
    def ratings(self) -> Codes:
        """Number of ratings in each pattern."""
        return self.patterns.sum(axis=1)

    @property
    def ratings_per_item(self) -> Codes:
        """Number of ratings of each item."""
        return self.ratings[self.pattern]

    def take(self, items: Flags | Ints) -> Counts:
        """Keep some items, and only the patterns that they show. O(n)."""
        pattern = self.pattern[items]
        multiplicity = np.bincount(pattern, minlength=len(self.patterns))
        kept = np.flatnonzero(multiplicity)
        index = np.zeros(len(self.patterns), dtype=np.intp)
        index[kept] = np.arange(len(kept))
        return Counts(
            patterns=self.patterns[kept], multiplicity=multiplicity[kept], pattern=index[pattern]
        )


# Labels: who said what about which item.

DUPLICATES = ("error", "first", "all", "retest")
"""What to do when a rater labels an item repeatedly."""
MOST_CELLS = 2 * 10**8
"""Items times labels that are counted at most: 1.6 GB."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Ratings, stored as integer codes with their vocabularies.

    Build one with :meth:`from_triples`, or read one with :func:`headcount.read_ratings`. Both sort
    the ratings, so that the order of rows does not matter: items and raters (integers by number,
    text by code point), and ratings by item, rater and label.

    Parameters
    ----------
    items, raters : array
        Vocabularies: integers if all ids are integers, else text. An item may have no rating.
    scale : Scale
        The labels, in order.
    item, rater, label : (ratings,) arrays of int
        One entry per rating; positions in the vocabularies.
    source : str
        Where the ratings come from, for messages.
    notes : tuple of Note
        What a reader should know about how they were read.
    sources : tuple of Source
        Files that they were read from.
    dropped : mapping of str to int
        Rows or answers left out when they were read, by reason.
    backend : str or None
        The kind of frame that was read, if it was a frame.
    anonymous : bool
        Whether it is unknown who gave which rating. Then each rating has its own rater, and no two
        items share one.
    again : Labels or None
        The second ratings of the same items by the same raters, if they were read.
    item_times, times : (items,) and (ratings,) arrays of int, or None
        Numbers of items and ratings, if equal ones were counted before. Then an item is a label
        pattern and stands for so many items; a rating is that of a rater on the items of a pattern
        and stands for so many ratings. For blind evaluation an item is a row of votes, and has a
        name only if it was kept separate. None if nothing was counted.
    counted_raters : int or None
        The number of raters, if ratings were counted over raters.
    nested_in : str or None
        A column with a usual name for documents, and the same value for several items.

    Examples
    --------
    >>> Labels.from_triples(["a", "a", "b"], ["ann", "bob", "ann"], ["yes", "no", "yes"])
    Labels: 3 ratings of 2 items by 2 raters; labels no, yes
    """

    items: Ids
    raters: Ids
    scale: Scale
    item: Codes
    rater: Codes
    label: Codes
    source: str = "ratings"
    notes: tuple[Note, ...] = ()
    sources: tuple[Source, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    backend: str | None = None
    anonymous: bool = False
    again: Labels | None = None
    item_times: Codes | None = None
    times: Codes | None = None
    counted_raters: int | None = None
    nested_in: str | None = None

    @classmethod
    def from_triples(
        cls,
        items: Iterable[object],
        raters: Iterable[object],
        labels: Iterable[object],
        *,
        scale: Scale | None = None,
        duplicates: str = "error",
        source: str = "ratings",
    ) -> Labels:
        """Encode three columns of equal length; an entry that is missing drops its row."""
        return cls.from_codes(
            encode(items),
            encode(raters),
            encode(labels),
            scale=scale,
            duplicates=duplicates,
            source=source,
        )

    @classmethod
    def from_codes(
        cls,
        items: tuple[Codes, Sequence[str]],
        raters: tuple[Codes, Sequence[str]] | None,
        labels: tuple[Codes, Sequence[str]],
        *,
        scale: Scale | None = None,
        duplicates: str = "error",
        source: str = "ratings",
        rows: Codes | None = None,
        notes: Iterable[str] = (),
        sources: tuple[Source, ...] = (),
        dropped: Mapping[str, int] | None = None,
        backend: str | None = None,
    ) -> Labels:
        """Build from columns that are coded already (code -1: missing); validate and sort them.

        `rows` are the row numbers that messages should name; from 0 on without. Without `raters`
        the ratings are anonymous, and none repeats another. `duplicates` may be 'error', 'first'
        (keep the first), 'retest' (keep the second beside it) or, for blind evaluation only, 'all'
        (each repetition is a vote). O(n log n) in ratings: one sort finds duplicates and makes the
        canonical order.
        """
        options.one_of(duplicates, "duplicates", DUPLICATES, "way to treat duplicates")
        (item, item_texts), (label, label_texts) = items, labels
        # Each rating has a rater of its own where nobody knows them.
        rater, rater_texts = (np.arange(len(item)), ()) if raters is None else raters
        if not len(item) == len(rater) == len(label):
            raise DataError(
                f"{source}: items, raters and labels must have the same length, "
                f"not {len(item):,}, {len(rater):,} and {len(label):,}."
            )
        whole = (item >= 0) & (rater >= 0) & (label >= 0)
        if not whole.any():
            raise DataError(f"{source}: no ratings; every row lacks an item, a rater or a label.")
        if not whole.all():
            item, rater, label = item[whole], rater[whole], label[whole]
            rows = np.flatnonzero(whole) if rows is None else rows[whole]

        if scale is None:
            scale, recode = scale_of(label, label_texts)
        else:
            recode = _declared(label_texts, scale, label, rows, source)
        label = recode.astype(np.promote_types(label.dtype, np.min_scalar_type(-len(scale))))[label]

        item_ids, new_code = sorted_vocabulary(item_texts)
        item = recoded(item, new_code)
        if raters is None:
            order = np.lexsort((label, item))
            item, label = item[order], label[order]
            rows = order if rows is None else rows[order]
            rater = rater_ids = np.arange(len(item))
        else:
            rater_ids, new_code = sorted_vocabulary(rater_texts)
            rater = recoded(rater, new_code)
        order = sorted_rows(item, rater, len(rater_ids))
        if order is not None:
            label = label[order].astype(np.int64, copy=False)
            rater = rater[order].astype(np.int64, copy=False)
            item = item[order].astype(np.int64, copy=False)
            rows = order if rows is None else rows[order]
        repeats = np.zeros(len(item), dtype=bool)
        repeats[1:] = (item[1:] == item[:-1]) & (rater[1:] == rater[:-1])

        all_notes, left_out = Notes(notes), dict(dropped or {})
        if repeats.any():
            number = int(repeats.sum())
            verb = "repeats" if number == 1 else "repeat"
            text = f"{count(number, 'rating')} {verb} an item and rater already seen"
            if duplicates == "error":
                rows = np.arange(len(item)) if rows is None else rows
                again = int(np.flatnonzero(repeats)[rows[repeats].argmin()])
                many = ""
                if 2 * number >= len(item):
                    many = (
                        " At least half of the ratings repeat: if there are several questions or "
                        f"rounds, read one of them ({option('where', ...)})."
                    )
                example = (
                    f"rater '{rater_ids[rater[again]]}' labels item '{item_ids[item[again]]}' in "
                    f"rows {rows[again - 1]} and {rows[again]}"
                )
                call = f"agree(read_ratings({in_call(source)}, duplicates='retest'))"
                step = {"verb": "agree", "data": source, "options": {"duplicates": "retest"}}
                retest = marked(Named("command", call, json.dumps({**step, "files": {}})))
                what = example if number == 1 else f"{text}, such as: {example}"
                raise DataError(
                    f"{source}: {what}. Remove repeated rows, or keep the first of each with "
                    f"{option('duplicates', 'first')}. {RETEST}{retest}.{many}"
                )
            if duplicates == "all":
                all_notes.info(f"{text}; each counts as a vote of its own.")
                order = np.lexsort((label, rater, item))
                item, rater, label = item[order], rater[order], label[order]
            elif duplicates == "first":
                all_notes.caution(f"{text}; the first of each was kept.")
                item, rater, label = item[~repeats], rater[~repeats], label[~repeats]
                left_out["repeated"] = number
        made = cls(
            items=item_ids,
            raters=rater_ids,
            scale=scale,
            item=item.astype(np.int64, copy=False),
            rater=rater.astype(np.int64, copy=False),
            label=label.astype(np.int64, copy=False),
            source=source,
            notes=tuple(all_notes),
            sources=sources,
            dropped=left_out,
            backend=backend,
            anonymous=raters is None,
        )
        return made._retested(repeats) if duplicates == "retest" else made

    def _retested(self, repeats: Flags) -> Labels:
        """Put second ratings of an item by the same rater beside the first; later ones go."""
        before = np.append(False, repeats[:-1])
        second = repeats & ~before
        again = self.only(second)
        later = len(self) - int((~repeats).sum()) - len(again)
        notes = Notes(self.notes)
        if not len(again):
            notes.caution("no rater labels an item twice: there is no second rating to compare.")
        else:
            verb = "repeats" if len(again) == 1 else "repeat"
            notes.info(
                f"{count(len(again), 'rating')} {verb} an item and rater already seen: the first "
                "ratings, by the order of rows, are compared between raters, and each second one "
                "with the first of the same rater."
            )
        dropped = dict(self.dropped)
        if later:
            notes.caution(f"{count(later, 'rating')} of an item for a third time or more left out.")
            dropped["repeated"] = later
        return replace(self.only(~repeats), again=again, notes=tuple(notes), dropped=dropped)

    def only(self, ratings: Flags | Ints) -> Labels:
        """Keep some ratings; items, raters and labels stay."""
        times = None if self.times is None else self.times[ratings]
        item, rater, label = self.item[ratings], self.rater[ratings], self.label[ratings]
        return replace(self, item=item, rater=rater, label=label, times=times)

    def relabelled(self, code: Codes, scale: Scale) -> Labels:
        """Put other labels in place of these, which become `code`; of second ratings too."""
        again = None if self.again is None else self.again.relabelled(code, scale)
        return replace(self, label=code[self.label], scale=scale, again=again)

    @property
    def reduced(self) -> bool:
        """Whether ratings were added up by label pattern."""
        return self.times is not None

    @property
    def n_items(self) -> int:
        """Items, those without a rating included."""
        return len(self.items) if self.item_times is None else int(self.item_times.sum())

    @property
    def times_of_items(self) -> Codes:
        """How many items each of `items` stands for: 1 where they were not added up."""
        times = self.item_times
        return np.ones(len(self.items), dtype=np.int64) if times is None else times

    @property
    def ratings_per_item(self) -> Codes:
        """Ratings of each item, or of each item of a pattern."""
        ratings = np.bincount(self.item, self.times, len(self.items))
        return ratings if self.item_times is None else (ratings / self.item_times).astype(np.int64)

    @property
    def n_raters(self) -> int | None:
        """Raters who gave a rating; None if nobody knows them."""
        if self.anonymous or self.counted_raters is not None:
            return self.counted_raters
        return int(np.count_nonzero(np.bincount(self.rater)))

    def check_raters(self, what: str) -> None:
        """Refuse what needs to know who gave which rating, where nobody does.

        Parameters
        ----------
        what : str
            What needs it, to begin a sentence with.
        """
        if self.anonymous:
            raise without_raters(self.source, what)

    def canonical(self) -> Labels:
        """Return the same ratings in canonical order, in which readers give them already.

        Items and raters are sorted (integers by number, text by code point), and ratings by item,
        rater and label. O(n log n) in ratings; O(n) if they are sorted.
        """
        items, item_place = sorted_vocabulary([str(name) for name in self.items])
        raters, rater_place = sorted_vocabulary([str(name) for name in self.raters])
        item, rater = recoded(self.item, item_place), recoded(self.rater, rater_place)
        order = np.lexsort((self.label, rater, item))
        return replace(
            self,
            items=items,
            raters=raters,
            item=item[order],
            rater=rater[order],
            label=self.label[order],
            again=None if self.again is None else self.again.canonical(),
        )

    def matrix(self, ratings: Flags | None = None) -> Codes:
        """Count the labels of each item, over all ratings or some: (items, labels). O(ratings)."""
        key = self.item * len(self.scale) + self.label
        size = len(self.items) * len(self.scale)
        if size > MOST_CELLS:
            raise DataError(
                f"{self.source}: {len(self.items):,} items x {len(self.scale):,} labels are too "
                f"many to count. Check that the label column is the right one ({option('label')})."
            )
        times = self.times if self.times is None or ratings is None else self.times[ratings]
        counted = np.bincount(key if ratings is None else key[ratings], times, size)
        table = counted.reshape(len(self.items), len(self.scale))
        return table if self.item_times is None else (table // self.item_times[:, None]).astype(int)

    def counts(self) -> Counts:
        """Reduce to label patterns. O(ratings + items log items)."""
        return Counts.from_matrix(self.matrix())

    def __len__(self) -> int:
        return len(self.item) if self.times is None else int(self.times.sum())

    def __repr__(self) -> str:
        who = "anonymous raters" if self.anonymous else count(len(self.raters), "rater")
        return (
            f"Labels: {count(len(self), 'rating')} of {count(self.n_items, 'item')} by "
            f"{who}; labels {', '.join(self.scale.labels)}"
        )

    def columns(self, first: int | None = None) -> dict[str, list[object]]:
        """Return the ratings in long form, all or the first: item, rater (if known) and label."""
        some_ = slice(first)
        names = np.array(self.scale.labels, dtype=object)
        made = {"item": self.items[self.item[some_]].tolist()}
        if not self.anonymous:
            made["rater"] = self.raters[self.rater[some_]].tolist()
        return {**made, "label": names[self.label[some_]].tolist()}

    def _repr_html_(self) -> str:
        columns = self.columns(FIRST_ROWS)
        return preview(repr(self), columns, total=len(self), noun="rating", notes=self.notes)


def scale_of(label: Codes, texts: Sequence[str]) -> tuple[Scale, Codes]:
    """Make a scale of the labels that occur, and give the code on it of each text."""
    used = np.flatnonzero(count_uses(label, texts))
    names, new_code = as_labels([texts[code] for code in used.tolist()])
    recode = np.zeros(len(texts), dtype=np.int64)
    recode[used] = new_code
    return Scale(names), recode


def without_raters(source: str, what: str) -> DataError:
    """Make the error of what needs to know who gave which rating, where nobody does."""
    return DataError(
        f"{source}: {what} needs to know who gave which rating, and the ratings name no raters. "
        f"Give a column of raters ({option('rater')})."
    )


def _declared(
    texts: Sequence[str], scale: Scale, label: Codes, rows: Codes | None, source: str
) -> Codes:
    """Recode labels to a declared scale; a label outside it is an error."""
    recode = find_labels(texts, scale.labels)
    outside = np.flatnonzero(recode[label] < 0)
    if len(outside):
        codes: list[int] = label[outside].tolist()
        names = list(dict.fromkeys(texts[code] for code in codes))
        near = closest(names[0], scale.labels)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        row = outside[0] if rows is None else rows[outside[0]]
        raise DataError(
            f"{source}, row {row}: label '{names[0]}' is not among the declared "
            f"labels {some(scale.labels, 10)}{hint}. Undeclared labels: {some(names)}, in "
            f"{count(len(outside), 'rating')}. Declare them or correct them."
        )
    return recode
