"""Comparisons: which of two items won, and who said so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from headcount.data.canonical import recoded, sorted_vocabulary
from headcount.data.coded_rows import NO_RATER, CodedRows, without_a_rater
from headcount.data.outcomes import OUTCOMES, shares_of
from headcount.data.preview import FIRST, preview
from headcount.data.ranked_pairs import coded_rankings
from headcount.data.vocabulary import encode
from headcount.errors import DataError, count
from headcount.results.notes import Note, Notes
from headcount.results.provenance import Source
from headcount.typing import Codes, Flags, Floats, Ids

__all__ = ["Comparisons"]


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Answers to 'A or B?', as integer codes with the vocabularies that lead back.

    Build one with :meth:`from_columns`, or read one with :func:`headcount.read_comparisons`. Items
    and raters are sorted (integers by number, text by code point); comparisons stay in the order
    in which they were given, which Elo ratings need, until :meth:`canonical` sorts them too.

    Parameters
    ----------
    items : array
        Vocabulary of items: integers if all ids are integers, else text.
    left, right : (comparisons,) arrays of int
        Positions in `items` of the two that were compared, as they were shown.
    outcome : (comparisons,) array of float
        Share of the point that goes to the left item: 1, 0, or 0.5 for a tie.
    rater : (comparisons,) array of int or None
        Positions in `raters`, -1 where it is not known who answered; None if it never is.
    raters : array or None
    weight : (comparisons,) array of float or None
        How much each comparison counts; None if all count the same.
    clusters : mapping of str to (comparisons,) array of int
        Other columns by which comparisons hang together, such as the prompt; -1 where missing.
    controls : mapping of str to (comparisons,) array of float
        Differences of the left item from the right one in something else, such as the length of
        their answers.
    ranking : (comparisons,) array of int or None
        The ranking that each pair is of, where people put several items in order at once.
    times : (comparisons,) array of int or None
        Answers that each stands for, where equal ones were added up before they came here. Unlike
        a weight, it counts answers: n of them are n answers. None where each is one.
    source : str
        Where the comparisons come from, for messages.
    notes : tuple of Note
        What a reader should know about how they were read.
    sources : tuple of Source
        Files that they were read from.
    dropped : mapping of str to int
        Rows or answers left out when they were read, by reason.
    backend : str or None
        The kind of frame they came from, if they came from one.

    Examples
    --------
    >>> Comparisons.from_columns(["a", "b", "a"], ["b", "c", "c"], ["left", "tie", "left"])
    Comparisons: 3 of 3 items (1 tie)
    """

    items: Ids
    left: Codes
    right: Codes
    outcome: Floats
    rater: Codes | None = None
    raters: Ids | None = None
    weight: Floats | None = None
    clusters: Mapping[str, Codes] = field(default_factory=dict[str, Codes])
    controls: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    ranking: Codes | None = None
    source: str = "comparisons"
    notes: tuple[Note, ...] = ()
    sources: tuple[Source, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict[str, int])
    backend: str | None = None
    times: Codes | None = None

    @classmethod
    def from_columns(
        cls,
        left: Iterable[object],
        right: Iterable[object],
        outcome: Iterable[object],
        *,
        rater: Iterable[object] | None = None,
        weight: ArrayLike | None = None,
        source: str = "comparisons",
    ) -> Comparisons:
        """Encode columns of equal length.

        A row without an item, an outcome or a weight is dropped, and so is one that compares an
        item with itself; all are counted by reason, with a note. A row without a rater stays.

        Parameters
        ----------
        left, right : iterable
            The two items.
        outcome : iterable
            'left', 'right' or 'tie'; or the left item's share of the point, from 0 to 1.
        rater : iterable, optional
            Who answered.
        weight : array-like, optional
            How much each comparison counts; not negative.
        source : str
            What messages call the comparisons.
        """
        lefts, rights = list(left), list(right)
        codes, texts = encode([*lefts, *rights])
        raters = None if rater is None else encode(rater)
        try:
            weights = None if weight is None else np.asarray(weight, dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(f"{source}: weights must be numbers.") from None
        return cls.from_codes(
            (codes[: len(lefts)], codes[len(lefts) :], texts),
            shares_of(outcome, source),
            raters=raters,
            weight=weights,
            source=source,
        )

    @classmethod
    def from_codes(
        cls,
        items: tuple[Codes, Codes, Sequence[str]],
        outcome: Floats,
        *,
        raters: tuple[Codes, Sequence[str]] | None = None,
        weight: Floats | None = None,
        clusters: Mapping[str, Codes] | None = None,
        controls: Mapping[str, Floats] | None = None,
        ranking: Codes | None = None,
        times: Codes | None = None,
        source: str = "comparisons",
        rows: Codes | None = None,
        notes: Iterable[str] = (),
        sources: tuple[Source, ...] = (),
        dropped: Mapping[str, int] | None = None,
        backend: str | None = None,
    ) -> Comparisons:
        """Build from columns that are coded already (-1 or NaN: missing); validate them.

        `rows` are the row numbers that messages should name, and `dropped` is what was left out
        before. O(comparisons).
        """
        left, right, texts = items
        coded = CodedRows(
            left=left, right=right, outcome=outcome, rater=None if raters is None else raters[0],
            weight=weight, times=times, source=source,
            rows=np.arange(len(left)) if rows is None else rows,
        )  # fmt: skip
        said, counts = Notes(notes), Counter(dropped or {})
        whole = coded.whole(counts, said)
        if coded.rater is not None and not coded.tell_of_raters(whole, said):
            raters = None
        names, place = sorted_vocabulary(texts)
        whose, who = (None, None) if raters is None else _coded(*raters)
        return cls(
            items=names,
            left=recoded(left[whole], place),
            right=recoded(right[whole], place),
            outcome=outcome[whole],
            rater=None if who is None else who[whole],
            raters=whose,
            weight=None if weight is None else weight[whole],
            clusters={name: codes[whole] for name, codes in (clusters or {}).items()},
            controls={name: values[whole] for name, values in (controls or {}).items()},
            ranking=None if ranking is None else ranking[whole],
            times=None if times is None else times[whole],
            source=source,
            notes=tuple(said),
            sources=sources,
            dropped=dict(counts),
            backend=backend,
        )

    @classmethod
    def from_rankings(
        cls,
        rankings: Iterable[Iterable[object]],
        *,
        rater: Iterable[object] | None = None,
        weight: ArrayLike | None = None,
        source: str = "rankings",
    ) -> Comparisons:
        """Encode rankings, each of which lists items, the best first.

        Parameters
        ----------
        rankings : iterable
            Items in order; several in a list, tuple or set of their own are tied.
        rater : iterable, optional
            Who made each ranking.
        weight : array-like, optional
            How much each counts.
        source : str
            What messages call the rankings.

        Examples
        --------
        >>> Comparisons.from_rankings(["abc", ["b", ("a", "c")]])
        Comparisons: 2 rankings of 3 items
        """
        made, texts, n = coded_rankings(rankings, source)
        people = None if rater is None else encode(rater)
        counts = None if weight is None else np.asarray(weight, dtype=np.float64)
        given = [len(one) for one in ((people or (None,))[0], counts) if one is not None]
        if any(length != n for length in given):
            raise DataError(f"{source}: give one rater and one weight per ranking ({n:,}).")
        return cls.from_codes(
            (made.left, made.right, texts),
            made.share,
            raters=None if people is None else (people[0][made.ranking], people[1]),
            weight=None if counts is None else counts[made.ranking],
            ranking=made.ranking,
            source=source,
        )

    @property
    def n_rankings(self) -> int:
        """Rankings that the comparisons are of; 0 where each is an answer of its own."""
        return 0 if self.ranking is None else len(np.unique(self.ranking))

    @property
    def appearances(self) -> Codes:
        """In how many comparisons, or rankings, each item is: (items,)."""
        n = len(self.items)
        if self.ranking is None:
            sides = (np.bincount(side, self.times, n) for side in (self.left, self.right))
            return sum(sides, np.zeros(n)).astype(np.int64)
        both = np.concatenate([self.left, self.right])
        once = np.unique(np.tile(self.ranking, 2) * n + both)
        return np.bincount(once % n, minlength=n)

    @property
    def weights(self) -> Floats:
        """How much each comparison counts, in all answers that it stands for."""
        return self.answer_weights if self.times is None else self.answer_weights * self.times

    @property
    def answer_weights(self) -> Floats:
        """How much one answer counts; ones where nothing else was said."""
        return np.ones(len(self.left)) if self.weight is None else self.weight

    @property
    def answers(self) -> Floats:
        """Answers that each comparison stands for."""
        times = self.times
        return np.ones(len(self.left)) if times is None else times.astype(np.float64)

    def select(self, rows: Flags | Codes) -> Comparisons:
        """Keep some comparisons, by a mask or by positions; items and raters stay."""
        return replace(
            self,
            left=self.left[rows],
            right=self.right[rows],
            outcome=self.outcome[rows],
            rater=None if self.rater is None else self.rater[rows],
            weight=None if self.weight is None else self.weight[rows],
            clusters={name: codes[rows] for name, codes in self.clusters.items()},
            controls={name: values[rows] for name, values in self.controls.items()},
            ranking=None if self.ranking is None else self.ranking[rows],
            times=None if self.times is None else self.times[rows],
        )

    def with_raters(self) -> Comparisons:
        """Keep the comparisons of which it is known who answered; the others are counted."""
        if self.rater is None or not (unknown := int(self.answers[self.rater < 0].sum())):
            return self
        note = Note(
            f"{self.source}: {count(unknown, 'comparison')} without a rater left out, because "
            "raters matter here.",
            "caution",
        )
        others = [one for one in self.notes if one != without_a_rater(self.source, unknown)]
        return replace(
            self.select(self.rater >= 0),
            notes=(*others, note),
            dropped=Counter(self.dropped) + Counter({NO_RATER: unknown}),
        )

    def canonical(self) -> Comparisons:
        """Return the comparisons sorted by what they say: for draws, which must not go by rows.

        By left item, right item, outcome, rater and weight; items and raters are sorted as well
        (integers by number, text by code point). O(n log n) in comparisons.

        Examples
        --------
        >>> one = Comparisons.from_columns(["a", "b"], ["b", "c"], ["left", "tie"])
        >>> two = Comparisons.from_columns(["b", "a"], ["c", "b"], ["tie", "left"])
        >>> one.canonical().left, two.canonical().left
        (array([0, 1]), array([0, 1]))
        """
        items, place = sorted_vocabulary([str(one) for one in self.items])
        left, right = recoded(self.left, place), recoded(self.right, place)
        raters, rater = self.raters, self.rater
        if raters is not None and rater is not None:
            raters, rater = _coded(rater, [str(one) for one in raters])
        keys = [key for key in (self.weight, rater) if key is not None]
        order = np.lexsort((*keys, self.outcome, right, left))
        return replace(
            self, items=items, raters=raters, left=left, right=right, rater=rater
        ).select(order)

    def __len__(self) -> int:
        return len(self.left) if self.times is None else int(self.times.sum())

    def __repr__(self) -> str:
        ties = int(self.answers[self.outcome == 0.5].sum())
        by = "" if self.raters is None else f" by {count(len(self.raters), 'rater')}"
        if self.ranking is not None:
            return (
                f"Comparisons: {count(self.n_rankings, 'ranking')} of "
                f"{count(len(self.items), 'item')}{by}"
            )
        return (
            f"Comparisons: {len(self):,} of {count(len(self.items), 'item')}{by} "
            f"({count(ties, 'tie')})"
        )

    def columns(self, first: int | None = None) -> dict[str, list[object]]:
        """Return the comparisons as rows, all or the first: left, right, outcome, rater, weight.

        The outcome is left, right or tie, or a share; there is no rater or weight where there is
        none.
        """
        some_ = slice(first)
        words = {share: word for word, share in OUTCOMES.items()}
        made: dict[str, list[object]] = {
            "left": self.items[self.left[some_]].tolist(),
            "right": self.items[self.right[some_]].tolist(),
            "outcome": [words.get(share, share) for share in self.outcome[some_].tolist()],
        }
        if self.rater is not None and self.raters is not None:
            names = [*self.raters.tolist(), ""]  # the last is that of an unknown one, code -1
            made["rater"] = [names[code] for code in self.rater[some_].tolist()]
        if self.weight is not None:
            made["weight"] = self.weight[some_].tolist()
        if self.ranking is not None:
            made["ranking"] = self.ranking[some_].tolist()
        if self.times is not None:
            made["times"] = self.times[some_].tolist()
        return made

    def _repr_html_(self) -> str:
        columns = self.columns(FIRST)
        return preview(repr(self), columns, total=len(self), noun="comparison", notes=self.notes)


def _coded(codes: Codes, texts: Sequence[str]) -> tuple[Ids, Codes]:
    """Sort a vocabulary, and follow the codes."""
    ids, place = sorted_vocabulary(texts)
    return ids, recoded(codes, place)
