"""Comparisons: which of two items won, and who said so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from headcount.data.vocabulary import encode, match_ids, recoded, sorted_vocabulary
from headcount.errors import DataError, count
from headcount.results.notes import Note, Notes, Source
from headcount.results.result import FIRST_ROWS, preview
from headcount.typing import Codes, Flags, Floats, Ids, Ints

__all__ = [
    "OUTCOMES",
    "BOTH_BAD",
    "EXPECTED",
    "share_of",
    "plain_word",
    "shares_of",
    "RankedPairs",
    "ranked_pairs",
    "disjoint_pairs",
    "tied_items",
    "Comparisons",
]


# Outcomes of a comparison: how they are written, and the share of the point that they are.

OUTCOMES = {"left": 1.0, "right": 0.0, "tie": 0.5}
"""Outcomes in words, as the share of the point that goes to the left item."""
BOTH_BAD = frozenset({"both bad", "bothbad", "tie bothbad", "tie both bad", "neither"})
"""Ties of Chatbot Arena in which neither is any good."""
_THING = "(?:model|option|response|answer|assistant|output|item|system|candidate|text)"
_HOW = (
    "(?:(?:much|slightly|somewhat|significantly|far|strongly|clearly|moderately|marginally|"
    "a bit|a little|a lot) )?"
)
_SIDE = re.compile(
    rf"(?:(?:i )?{_HOW}prefer )?"
    rf"(?:(?:{_THING} )?(?P<name>a|b|x|y|left|right|first|second)(?: item)?|"
    rf"{_THING} (?P<number>1|2))"
    rf"(?:(?: is| was)? {_HOW}(?:better|preferred)| wins| won)?"
)
"""How answers say which is better, and by how much: 'Slightly prefer A', 'Response 1 is better'."""
_LEFT = frozenset({"a", "x", "left", "first", "1"})
_OTHER_WORDS = {
    **dict.fromkeys((">", ">>", "a>b", "a>>b", "1-0"), 1.0),
    **dict.fromkeys(("<", "<<", "b>a", "b>>a", "0-1"), 0.0),
    **dict.fromkeys(("=", "==", "a=b", "b=a", "1/2-1/2", "½-½", "[[c]]"), 0.5),
    **dict.fromkeys(("draw", "equal", "same", "both", "no preference", "tie inconsistent"), 0.5),
    **dict.fromkeys(("unentschieden", "gleichstand", "gleich", "égalité", "match nul"), 0.5),
    **dict.fromkeys(("empate", "igual", "pareggio", "remis", "ничья", "平局", "引き分け"), 0.5),
    **dict.fromkeys(("about the same", "equally good", "equally bad"), 0.5),
    **dict.fromkeys(("both good", "tie bothgood", "tie both good", *BOTH_BAD), 0.5),
}
EXPECTED = (
    "Expected left, right or tie; or 1 if the left item won, 0 if the right one won, 0.5 for a tie."
)


def share_of(text: str) -> float | None:
    """Read an outcome, in words or as a number; None if it is neither.

    Examples
    --------
    >>> share_of("Left"), share_of("tie (bothbad)"), share_of("0"), share_of("gpt-4")
    (1.0, 0.5, 0.0, None)
    >>> share_of("Slightly prefer B"), share_of("Response 1 is much better"), share_of("1/2-1/2")
    (0.0, 1.0, 0.5)
    """
    word = plain_word(text)
    if word in OUTCOMES:
        return OUTCOMES[word]
    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    if side := _SIDE.fullmatch(word):
        return float((side["name"] or side["number"]) in _LEFT)
    if text.strip().lower() in _OTHER_WORDS:  # a judge's [[C]]
        return _OTHER_WORDS[text.strip().lower()]
    try:
        return float(text)
    except ValueError:
        return None


def plain_word(text: str) -> str:
    """Write an outcome in small letters, with single blanks between its words."""
    return re.sub(r"[\s_()\[\]]+", " ", text.lower()).strip()


def shares_of(outcome: Iterable[object], source: str) -> Floats:
    """Read outcomes, in words or as shares; NaN where missing."""
    codes, texts = encode(outcome)
    shares = [share_of(text) for text in texts]
    for code, share in enumerate(shares):
        if share is None:
            row = int(np.argmax(codes == code))
            raise DataError(f"{source}, row {row}: outcome '{texts[code]}'. {EXPECTED}")
    # The last entry is that of a missing outcome, code -1.
    return np.array([*shares, np.nan], dtype=np.float64)[codes]


# Rows of coded comparisons: which can be used, which are left out and why, which are refused.

SELF, NO_ITEM, NO_OUTCOME = "self-comparison", "no item", "no outcome"
NO_WEIGHT, NO_RATER = "no weight", "no rater"
"""Why comparisons are left out."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedRows:
    """Columns of comparisons as codes and numbers; -1 or NaN where a value is missing.

    Parameters
    ----------
    left, right : (rows,) arrays of int
        The two items.
    outcome : (rows,) array
    rater : (rows,) array of int or None
    weight : (rows,) array or None
    times : (rows,) array of int or None
        Answers that each row stands for.
    source : str
        What messages call the comparisons.
    rows : (rows,) array of int
        Row numbers that messages name.
    """

    left: Codes
    right: Codes
    outcome: Floats
    rater: Codes | None
    weight: Floats | None
    times: Codes | None
    source: str
    rows: Codes

    def __post_init__(self) -> None:
        columns = (self.left, self.right, self.outcome, self.rater, self.weight)
        lengths = [len(column) for column in columns if column is not None]
        if len(set(lengths)) > 1:
            raise DataError(
                f"{self.source}: columns must have the same length, not "
                f"{', '.join(f'{n:,}' for n in lengths)}."
            )

    def whole(self, counts: Counter[str], notes: Notes) -> Flags:
        """Find the rows that can be used; those left out are counted by reason, and noted.

        Outcomes and weights that nobody can mean are refused.
        """
        n, weight = len(self.left), self.weight
        reasons = {
            NO_ITEM: (self.left < 0) | (self.right < 0),
            NO_OUTCOME: np.isnan(self.outcome),
            NO_WEIGHT: np.zeros(n, dtype=bool) if weight is None else np.isnan(weight),
            SELF: self.left == self.right,
        }
        whole = np.ones(n, dtype=bool)
        for reason, bad in reasons.items():
            if number := self._answers(whole & bad):
                counts[reason] += number
            whole &= ~bad
        if not whole.any():
            why = f"every row was left out ({_listed(counts)})" if counts else "there are no rows"
            raise DataError(f"{self.source}: no comparisons; {why}.")
        self._check_values(whole)
        if not whole.all():
            why = {reason: counts[reason] for reason in reasons if counts[reason]}
            left_out = count(self._answers(~whole), "comparison")
            notes.caution(f"{self.source}: {left_out} left out ({_listed(why)}).")
        return whole

    def tell_of_raters(self, whole: Flags, notes: Notes) -> bool:
        """Note rows without a rater, which stay; False if none has one."""
        if self.rater is None:
            return False
        unknown = self._answers(whole & (self.rater < 0))
        if unknown:
            notes.caution(without_a_rater(self.source, unknown))
        return unknown < self._answers(whole)

    def _check_values(self, whole: Flags) -> None:
        outcome, weight = self.outcome, self.weight
        bad = whole & ~((outcome >= 0) & (outcome <= 1))
        self._refuse(bad, outcome, "outcome {:g}. " + EXPECTED)
        if weight is not None:
            bad = whole & ~((weight >= 0) & np.isfinite(weight))
            self._refuse(bad, weight, "weight {:g}. Weights must be finite and not negative.")
            if not weight[whole].any():
                raise DataError(f"{self.source}: all weights are 0, so that no comparison counts.")

    def _refuse(self, bad: Flags, values: Floats, what: str) -> None:
        """Refuse rows, naming the first."""
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            more = f" ({count(int(bad.sum()), 'row')} like it.)" if bad.sum() > 1 else ""
            where = (
                self.source if self.times is not None else f"{self.source}, row {self.rows[row]}"
            )
            raise DataError(f"{where}: {what.format(values[row])}{more}")

    def _answers(self, some_: Flags) -> int:
        return int(some_.sum() if self.times is None else self.times[some_].sum())


def without_a_rater(source: str, unknown: int) -> str:
    """Say that comparisons of unknown raters stay."""
    return (
        f"{source}: {count(unknown, 'comparison')} without a rater; kept, except where raters are "
        "judged, weighed or drawn."
    )


def _listed(counts: Mapping[str, int]) -> str:
    """Write counts by reason."""
    return ", ".join(f"{reason}: {number:,}" for reason, number in counts.items())


# Rankings as the pairs that they order, from which they can be put together again.


@dataclass(frozen=True, eq=False, kw_only=True)
class RankedPairs:
    """Pairs of items that rankings put in order, the better one on the left.

    Parameters
    ----------
    left, right : (pairs,) arrays of int
    share : (pairs,) array of float
        1, or 0.5 where the two are tied.
    ranking : (pairs,) array of int
        The ranking that each is of.
    """

    left: Codes
    right: Codes
    share: Floats
    ranking: Codes


def ranked_pairs(
    ranking: Codes, item: Codes, level: Codes, *, middle: int | None = None
) -> RankedPairs:
    """Write down every pair of items of each ranking.

    Parameters
    ----------
    ranking, item : (entries,) arrays of int
        An item that stands in a ranking; once, at most.
    level : (entries,) array of int
        Smaller is better; items of the same level are tied.
    middle : int, optional
        The level of items of which it is not known how they compare: those that are neither the
        best nor the worst.

    Notes
    -----
    O(k^2) for a ranking of k items.

    Examples
    --------
    >>> made = ranked_pairs(np.array([0, 0, 0]), np.array([7, 5, 6]), np.array([1, 0, 1]))
    >>> made.left, made.right, made.share
    (array([5, 5, 6]), array([6, 7, 7]), array([1. , 1. , 0.5]))
    """
    order = np.lexsort((item, level, ranking))
    ranking, item, level = ranking[order], item[order], level[order]
    names, start, size = np.unique(ranking, return_index=True, return_counts=True)
    parts: list[tuple[Codes, Codes, Floats, Codes]] = []
    sizes: list[int] = np.unique(size).tolist()
    for k in sizes:
        rows = start[size == k]
        entries: Ints = rows[:, None] + np.arange(k)
        first, second = np.triu_indices(k, 1)
        a, b = entries[:, first].ravel(), entries[:, second].ravel()
        ordered = np.ones(len(a), dtype=bool)
        if middle is not None:
            ordered = (level[a] != middle) | (level[b] != middle)
        share = np.where(level[a] < level[b], 1.0, 0.5)
        whose = np.repeat(names[size == k], len(first))
        parts.append((item[a][ordered], item[b][ordered], share[ordered], whose[ordered]))
    left, right, share, whose = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(whose, kind="stable")
    return RankedPairs(
        left=left[order], right=right[order], share=share[order], ranking=whose[order]
    )


def disjoint_pairs(ranking: Codes, left: Codes, right: Codes) -> Flags:
    """Mark pairs of each ranking that have no item in common, as many as come first.

    In the model of Plackett and Luce the answers to such pairs are independent of each other.

    Parameters
    ----------
    ranking, left, right : (pairs,) arrays of int
        In an order that does not go by who won.

    Examples
    --------
    >>> disjoint_pairs(np.zeros(6, int), np.array([0, 0, 0, 1, 1, 2]), np.array([1, 2, 3, 2, 3, 3]))
    array([ True, False, False, False, False,  True])
    """
    used: set[tuple[int, int]] = set()
    out = np.zeros(len(ranking), dtype=bool)
    rows = zip(ranking.tolist(), left.tolist(), right.tolist(), strict=True)
    for row, (whose, a, b) in enumerate(rows):
        if (whose, a) not in used and (whose, b) not in used:
            used |= {(whose, a), (whose, b)}
            out[row] = True
    return out


def coded_rankings(
    rankings: Iterable[Iterable[object]], source: str
) -> tuple[RankedPairs, list[str], int]:
    """Write rankings, each of which lists items, the best first, as pairs.

    Returns
    -------
    pairs : RankedPairs
    items : list of str
    rankings : int
        How many there are.
    """
    rows, names, levels = list[int](), list[object](), list[int]()
    n = 0
    for n, ranking in enumerate(rankings, 1):
        for level, entry in enumerate(ranking):
            tied = tied_items(entry)
            rows += [n - 1] * len(tied)
            names += tied
            levels += [level] * len(tied)
    codes, texts = encode(names)
    ranking, level = np.array(rows, dtype=np.int64), np.array(levels, dtype=np.int64)
    twice = np.unique(np.stack([ranking, codes]), axis=1).shape[1] < len(codes)
    if twice or (codes < 0).any():
        raise DataError(f"{source}: a ranking must name each of its items once, and no blank.")
    if n == 0 or np.bincount(ranking, minlength=n).max(initial=0) < 2:
        raise DataError(f"{source}: no ranking of two items or more.")
    return ranked_pairs(ranking, codes, level), texts, n


def tied_items(entry: object) -> list[object]:
    """Items that stand on one place of a ranking: several in a list, or one by itself."""
    if isinstance(entry, list | tuple | set | frozenset):
        return list(cast("Iterable[object]", entry))
    return [entry]


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Answers to 'A or B?', stored as integer codes with their vocabularies.

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
        How much each comparison counts; None if all count equally.
    clusters : mapping of str to (comparisons,) array of int
        Other columns within which comparisons are correlated, such as the prompt; -1 where missing.
    cluster_names : mapping of str to array
        Their values, by code.
    unread : tuple of str
        Columns, such as a prompt or a conversation, with repeated values, that were not read.
    controls : mapping of str to (comparisons,) array of float
        Other differences between the left and the right item, such as in the length of their
        answers.
    ranking : (comparisons,) array of int or None
        The ranking that each pair belongs to, if people ranked several items at once.
    times : (comparisons,) array of int or None
        How many equal answers each entry stands for, if equal answers were counted before. Unlike a
        weight, it counts answers: n of them are n answers. None if each entry is one answer.
    source : str
        Where the comparisons come from, for messages.
    notes : tuple of Note
        What a reader should know about how they were read.
    sources : tuple of Source
        Files that they were read from.
    dropped : mapping of str to int
        Rows or answers left out when they were read, by reason.
    backend : str or None
        The kind of frame that was read, if it was a frame.

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
    cluster_names: Mapping[str, Ids] = field(default_factory=dict[str, Ids])
    unread: tuple[str, ...] = ()
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
        clusters: Mapping[str, tuple[Codes, Sequence[str]]] | None = None,
        unread: tuple[str, ...] = (),
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
        all_notes, counts = Notes(notes), Counter(dropped or {})
        whole = coded.whole(counts, all_notes)
        if coded.rater is not None and not coded.tell_of_raters(whole, all_notes):
            raters = None
        names, new_code = sorted_vocabulary(texts)
        groups = {name: _coded(*each) for name, each in (clusters or {}).items()}
        whose, who = (None, None) if raters is None else _coded(*raters)
        return cls(
            items=names,
            left=recoded(left[whole], new_code),
            right=recoded(right[whole], new_code),
            outcome=outcome[whole],
            rater=None if who is None else who[whole],
            raters=whose,
            weight=None if weight is None else weight[whole],
            clusters={name: codes[whole] for name, (_, codes) in groups.items()},
            cluster_names={name: ids for name, (ids, _) in groups.items()},
            unread=unread,
            controls={name: values[whole] for name, values in (controls or {}).items()},
            ranking=None if ranking is None else ranking[whole],
            times=None if times is None else times[whole],
            source=source,
            notes=tuple(all_notes),
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
        lengths = [len(array) for array in ((people or (None,))[0], counts) if array is not None]
        if any(length != n for length in lengths):
            raise DataError(f"{source}: give one rater and one weight per ranking ({n:,}).")
        return cls.from_codes(
            (made.left, made.right, texts),
            made.share,
            raters=None if people is None else (people[0][made.ranking], people[1]),
            weight=None if counts is None else counts[made.ranking],
            ranking=made.ranking,
            source=source,
        )

    @classmethod
    def joined(cls, parts: Sequence[Comparisons], more: Iterable[str] = ()) -> Comparisons:
        """Put several together, such as several files; `more` are items that none may have.

        Columns of clusters and controls are kept where all have them.

        Examples
        --------
        >>> one = Comparisons.from_columns("ab", "bc", [1, 1])
        >>> Comparisons.joined([one, Comparisons.from_columns("ac", "cd", [0, 1])])
        Comparisons: 4 of 4 items (0 ties)
        """
        texts = [*more, *(str(item) for part in parts for item in part.items)]
        names, _ = sorted_vocabulary(list(dict.fromkeys(texts)))

        def column(codes: Iterable[tuple[Codes, Ids]], every: Ids) -> Codes:
            columns = [np.append(match_ids(ids, every), -1)[code] for code, ids in codes]
            return np.concatenate([np.zeros(0, dtype=np.int64), *columns])

        def side(which: str) -> Codes:
            return column([(getattr(part, which), part.items) for part in parts], names)

        def shared(which: str) -> list[str]:
            kept = [[*getattr(part, which)] for part in parts] or [[]]
            return [name for name in kept[0] if all(name in each for each in kept)]

        raters, nobody = _values([part.raters for part in parts]), np.array([], dtype=object)
        groups = {
            name: _values([part.cluster_names[name] for part in parts])
            for name in shared("cluster_names")
        }
        ranked = [part.ranking for part in parts if part.ranking is not None]
        if len(ranked) not in (0, len(parts)):
            raise DataError("rankings and comparisons of two are not rated together.")
        ranking, gone = None, Counter[str]()
        if ranked:
            first = np.cumsum([0, *(int(np.max(each, initial=-1)) + 1 for each in ranked)])
            ranking = np.concatenate([each + k for each, k in zip(ranked, first, strict=False)])
        for part in parts:
            gone += Counter(part.dropped)
        times = any(part.times is not None for part in parts)
        answers = [part.answers.astype(np.int64) for part in parts]
        weighted = any(part.weight is not None for part in parts)
        return cls(
            items=names,
            left=side("left"),
            right=side("right"),
            outcome=np.concatenate([np.zeros(0), *(part.outcome for part in parts)]),
            rater=None
            if not len(raters)
            else column(
                [
                    (np.full(len(part.left), -1), nobody)
                    if part.rater is None or part.raters is None
                    else (part.rater, part.raters)
                    for part in parts
                ],
                raters,
            ),
            raters=raters if len(raters) else None,
            weight=np.concatenate([part.answer_weights for part in parts]) if weighted else None,
            clusters={
                name: column([(p.clusters[name], p.cluster_names[name]) for p in parts], values)
                for name, values in groups.items()
            },
            cluster_names=groups,
            unread=tuple(shared("unread")),
            controls={
                name: np.concatenate([part.controls[name] for part in parts])
                for name in shared("controls")
            },
            ranking=ranking,
            source=", ".join(part.source for part in parts) or "no answers",
            notes=tuple(note for part in parts for note in part.notes),
            sources=tuple(source for part in parts for source in part.sources),
            dropped=dict(gone),
            backend=next((part.backend for part in parts if part.backend), None),
            times=np.concatenate(answers) if times else None,
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
        others = [text for text in self.notes if text != without_a_rater(self.source, unknown)]
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
        items, new_code = sorted_vocabulary([str(name) for name in self.items])
        left, right = recoded(self.left, new_code), recoded(self.right, new_code)
        raters, rater = self.raters, self.rater
        if raters is not None and rater is not None:
            raters, rater = _coded(rater, [str(name) for name in raters])
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
        columns = self.columns(FIRST_ROWS)
        return preview(repr(self), columns, total=len(self), noun="comparison", notes=self.notes)


def _values(parts: Sequence[Ids | None]) -> Ids:
    """All values of several vocabularies."""
    texts = dict.fromkeys(str(name) for each in parts if each is not None for name in each)
    return sorted_vocabulary(sorted(texts))[0]


def _coded(codes: Codes, texts: Sequence[str]) -> tuple[Ids, Codes]:
    """Sort a vocabulary, and follow the codes."""
    ids, new_code = sorted_vocabulary(texts)
    return ids, recoded(codes, new_code)
