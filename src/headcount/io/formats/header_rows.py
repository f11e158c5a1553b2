"""Headers of two rows: a title above several columns, and their names below it."""

from __future__ import annotations

from collections.abc import Sequence

from headcount.data.vocabulary import number_of

__all__ = ["FRAME_ROWS", "frame_header", "joined_header"]

LEAST_ROWS = 2
"""Rows of data that show that the second row of a header is none of them."""
FRAME_ROWS = 3
"""Rows of the header of a frame that has two levels of columns."""
_ANSWERS = frozenset({"response", "open-ended response", "answer", "other (please specify)"})
"""What the second row says of a question that is one column, in files of survey tools."""


def joined_header(
    first: Sequence[str], second: Sequence[str], below: Sequence[Sequence[str]]
) -> list[str] | None:
    """Names of columns of which the header has two rows; None if the second is data.

    A title stands above the first of its columns, and nothing (or, in merged cells, the same)
    above the others. Columns are called by their own names, or ``title [name]`` where there are
    several titles, and those without a title above others by the first row.

    Parameters
    ----------
    first, second : sequence of str
        The rows, with blanks at no end.
    below : sequence of sequence of str
        Some rows of data.

    Examples
    --------
    >>> below = [["1", "a", "b"], ["2", "b", "b"]]
    >>> joined_header(["Item", "Coders", ""], ["", "Ann", "Bob"], below)
    ['Item', 'Ann', 'Bob']
    >>> joined_header(["Item", "Ann", "Bob"], ["", "a", "b"], below)
    """
    if len(first) != len(second) or len(below) < LEAST_ROWS or len(first) < 3 or not first[0]:
        return None
    own = ["" if name == title else name for title, name in zip(first, second, strict=True)]
    named = [place for place, name in enumerate(own) if name]
    if own[0] or len(named) < 2 or any(number_of(own[place]) is not None for place in named):
        return None
    titles: list[str] = []
    for place, title in enumerate(first):
        titles.append(title or (titles[-1] if place and own[place] else ""))
    spanned = [place for place in named if place and titles[place] == titles[place - 1]]
    if not spanned or any(not (name or title) for name, title in zip(own, titles, strict=True)):
        return None
    for place in named:
        if any(place < len(row) and row[place].strip() == own[place] for row in below):
            return None  # it is a value
    groups = {titles[place] for place in spanned}
    several = len({titles[place] for place in named}) > 1
    names: list[str] = []
    for title, name in zip(titles, own, strict=True):
        if not name or (title not in groups and (name.lower() in _ANSWERS or title)):
            names.append(title)
        else:
            names.append(f"{title} [{name}]" if several and title in groups else name)
    return names if len({*names}) == len(names) else None


def frame_header(rows: Sequence[Sequence[str]]) -> list[str] | None:
    """Names of columns of a frame that has two levels of them, in three rows; None if it has not.

    The third row names the index, and is blank beside it.

    Examples
    --------
    >>> rows = [["", "toxic", "toxic"], ["", "ann", "bob"], ["item", "", ""], ["a", "1", "2"]]
    >>> frame_header(rows)
    ['item', 'ann', 'bob']
    >>> frame_header([["", "toxic", "rude"], ["", "ann", "ann"], ["id", "", ""], ["a", "1", "2"]])
    ['id', 'toxic [ann]', 'rude [ann]']
    """
    if len(rows) < FRAME_ROWS + 1 or len({len(row) for row in rows}) > 1 or len(rows[0]) < 3:
        return None
    (_, *titles), (_, *names), (index, *rest) = rows[:FRAME_ROWS]
    pairs = list(zip(titles, names, strict=True))
    if not index or any(rest) or not all(map(all, pairs)) or len({*pairs}) < len(pairs):
        return None
    if len({*titles}) == 1:
        return [index, *names]
    return [index, *(f"{title} [{name}]" for title, name in pairs)]
