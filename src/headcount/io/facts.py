"""Read what is known about items or raters beforehand: gold, anchors, strata, experts, weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from re import Pattern
from typing import Any, TypeVar, cast

import numpy as np

from headcount.data.facts import Clusters, Facts
from headcount.data.labels import Labels
from headcount.data.vocabulary import label_text, number_of
from headcount.errors import DataError, HeadcountError, OptionError, count, option, some
from headcount.io.cells import without_missing
from headcount.io.opening import file_or_column, open_facts, open_table
from headcount.io.ratings import check_header
from headcount.io.roles import (
    EXPERT_WORDS,
    ReadAs,
    check_roles,
    described,
    find_role,
    find_roles,
    given_role,
    item_column,
    named_roles,
    plain_name,
)
from headcount.io.tables import Table
from headcount.results.notes import Note, Notes

Value = TypeVar("Value")

__all__ = [
    "read_gold",
    "read_truth",
    "read_drawn",
    "has_raters",
    "read_anchors",
    "read_fixed",
    "read_items",
    "read_strata",
    "take_clusters",
    "read_experts",
    "read_groups",
    "read_confusion",
]


# Read true values of items: from a file of their own, or from a column of the ratings.


def read_gold(
    data: Any, *, item: str | None = None, column: str | None = None, name: str = "gold"
) -> Facts[float]:
    """Read the true value of each item.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or dict of item to number
        A column of items and one of numbers; or ratings, long or wide, with a column of true
        values.
    item : str, optional
        The item column. Default: one named as items are, or the first.
    column : str, optional
        The column of true values. Default: the only one beside the items.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The number of each item as a dict, without items whose value is blank.

    Notes
    -----
    An item in several rows must have the same value, or none, in all of them. O(rows).

    Examples
    --------
    >>> columns = {"item": ["a", "a", "b"], "rater": [1, 2, 1], "label": [4, 5, 2]}
    >>> read_gold(columns | {"gold": [5, 5, None]}, column="gold")
    {'a': 5.0}
    """
    if isinstance(data, Facts):
        return cast("Facts[float]", data)
    if column is None:
        table = open_facts(data, name=name, columns=("item", "gold"))
        return _values(table, item_column(table, item), None)
    table = open_table(data, name="ratings", kind="ratings")
    return _values(table, item_column(table, item), given_role(table, "true value", column))


def _values(table: Table, item: int, column: int | None) -> Facts[float]:
    """Take the values of a column, one an item; None: the only column beside the items."""
    if column is None:
        column = _truth_column(table, item, None)
    if column == item:
        raise DataError(
            f"{table.source}: column '{table.names[item]}' is the item, and cannot be its true "
            f"value. Name the item column with {option('item', '...')}."
        )
    twice = "item '{name}' has the true value {value} here and {first}"
    numbers = one_number_each(table, item, column, twice)
    roles = {"item": item, "true value": column}
    text = f"{table.source}: true values of {count(len(numbers), 'item')}; "
    note = ReadAs(f"{text}{described(table, roles)}.", named_roles(table, roles))
    return _facts(table, numbers, "true values", item, column, notes=[note])


# Read gold labels of items, from experts or a crowd.


def read_truth(
    data: Any, *, item: str | None = None, label: str | None = None, name: str = "gold"
) -> Facts[str]:
    """Read gold labels of items, by experts or a crowd.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or dict of item to label
        Columns for the item and its label. If an item has several rows, as from a crowd, the most
        frequent label counts, and items whose labels tie are left out. A column `probability` gives
        the probability with which an item was drawn.
    item, label : str, optional
        The columns, if they have unusual names.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The label of each item as a dict, without items whose label is blank. `notes` say how
        columns were read and what was left out, and `drawn` has the probability of each item, if
        known.

    Examples
    --------
    >>> gold = read_truth({"item": ["a", "a", "a", "b"], "gold": ["x", "y", "x", "y"]})
    >>> gold
    {'a': 'x', 'b': 'y'}
    >>> gold.notes[-1]
    'gold: 1 item in several rows; the most frequent label counts.'
    """
    if isinstance(data, Facts):
        return cast("Facts[str]", data)
    table = open_facts(data, name=name, columns=("item", "label"))
    check_header(table, "item,gold")
    column = item_column(table, item)
    labels = _truth_column(table, column, label)
    items, item_texts = table.codes(column)
    given, texts, _ = without_missing(*table.codes(labels))
    whole = (items >= 0) & (given >= 0)
    blank = int((~whole).sum())
    if not whole.any():
        raise DataError(f"{table.source}: no item has a label in '{table.names[labels]}'.")
    counts = np.zeros((len(item_texts), len(texts)), dtype=np.int64)
    np.add.at(counts, (items[whole], given[whole]), 1)
    most = counts.max(axis=1)
    clear = (most > 0) & ((counts == most[:, None]).sum(axis=1) == 1)
    roles = {"item": column, "label": labels}
    text = (
        f"{table.source}: labels of {count(int(clear.sum()), 'item')}; {described(table, roles)}."
    )
    notes = Notes([ReadAs(text, named_roles(table, roles))])
    if blank:
        notes.info(f"{table.source}: {count(blank, 'row')} without an item or a label left out.")
    if several := int((counts.sum(axis=1) > 1).sum()):
        notes.info(
            f"{table.source}: {count(several, 'item')} in several rows; the most frequent label "
            "counts."
        )
    if ties := int(((most > 0) & ~clear).sum()):
        notes.caution(f"{table.source}: {count(ties, 'item')} left out, whose labels tie.")
    chosen = np.flatnonzero(clear).tolist()
    truth = {item_texts[i]: texts[int(counts[i].argmax())] for i in chosen}
    drawn = drawn_with(table, column, labels, item_texts)
    if drawn:
        if missing := [name for name in truth if name not in drawn]:
            raise DataError(
                f"{table.source}: {count(len(missing), 'labelled item')} without a probability: "
                f"{some(missing)}. Give every item the probability with which it was drawn, or "
                "leave the column out."
            )
        notes.caution(
            f"{table.source}: items count by the inverse of the probability with which they were "
            "drawn (column 'probability'). Rename the column if it means something else."
        )
        drawn = {name: drawn[name] for name in truth}
    return Facts(truth, source=table.source, notes=notes, sources=table.sources, drawn=drawn)


def _truth_column(table: Table, item: int, label: str | None) -> int:
    if label is not None:
        return given_role(table, "label", label)
    for role in ("truth", "label"):
        if (column := find_role(table.names, role, besides=item)) is not None:
            return column
    others = [i for i in range(len(table.names)) if i != item and table.names[i]]
    if len(others) != 1:
        raise DataError(
            f"{table.source}: which column is the label of items? Call it label, gold or truth, "
            f"one row per label. Columns: {some(table.names, 12)}."
        )
    return others[0]


# Read with which probability items were drawn to be labelled.

DRAWN = ("probability", "inclusion_probability")
"""How a column is called that says with which probability items were drawn."""


def read_drawn(data: Any, name: str) -> tuple[dict[str, float], str | None]:
    """Read with which probability items were drawn to be labelled, and the column that tells.

    Empty, and None, where no column does.
    """
    table = _as_table(data, name)
    item = None if table is None else find_role(table.names, "item")
    column = None if table is None else _column(table, DRAWN)
    if table is None or item is None or column is None:
        return {}, None
    return drawn_with(table, item, None, table.codes(item)[1]), table.names[column]


def has_raters(data: Any, name: str) -> bool:
    """Whether data are anything but a table of items and labels, as gold is."""
    table = _as_table(data, name)
    if table is None:
        return True
    roles = ("item", "label", "rater")
    item, label, rater = (find_role(table.names, role) for role in roles)
    return item is None or label is None or rater is not None


def _as_table(data: Any, name: str) -> Table | None:
    """Open a table; what is none is left to its own reader."""
    try:
        return open_table(data, name=name, kind="ratings")
    except HeadcountError:
        return None


def drawn_with(table: Table, item: int, label: int | None, names: list[str]) -> dict[str, float]:
    """Find the probability with which each item was drawn, in a column of that name."""
    column = _column(table, DRAWN)
    if column is None or column in (item, label):
        return {}
    items, _ = table.codes(item)
    values = table.only_numbers(column)
    bad = np.flatnonzero((items >= 0) & ((values <= 0) | (values > 1)))
    if len(bad):
        raise DataError(
            f"{table.source}, item '{names[int(items[bad[0]])]}', column "
            f"'{table.names[column]}': the probability with which an item was drawn must be above "
            "0 and at most 1. Rename the column if it means something else."
        )
    twice = "item '{name}' was drawn with probability {value} here and {first}"
    return one_number_each(table, item, column, twice)


# Read what is known about items beforehand: anchors, and ratings that they keep.

ANCHOR_SIDES = ("positive", "negative", "boundary")
"""Sides of a cut on which an item may lie."""


def read_anchors(data: Any, *, name: str = "anchors") -> Facts[str]:
    """Read the items that fix where ratings are cut into labels.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or dict of item to side
        A column of items, and perhaps one that says of each whether it is positive, negative or at
        the boundary. Without it all are at the boundary.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The side of each item, as a dict.

    Examples
    --------
    >>> read_anchors({"item": ["a", "b"], "label": ["positive", "negative"]})
    {'a': 'positive', 'b': 'negative'}
    """
    table = open_facts(data, name=name, columns=("item", "label"))
    if len(table.names) == 1:
        return _facts(table, dict.fromkeys(table.codes(0)[1], "boundary"), "anchors", 0)
    item, label = _two_columns(table, ("item", "label"))
    _check_sides(table, label)
    sides = one_value_each(table, item, label, "item '{name}' is {value} here and {first}")
    sides = {name: side.lower() for name, side in sides.items()}
    return _facts(table, sides, "anchors", item, label)


def _check_sides(table: Table, column: int) -> None:
    """Refuse a side that is none, with its row."""
    codes, texts, _ = without_missing(*table.codes(column))
    for code, text in enumerate(texts):
        if text.lower() not in ANCHOR_SIDES:
            row = int(np.argmax(codes == code))
            raise DataError(
                f"{table.at(row, column)}: '{text}'. Expected positive, negative or boundary, or a "
                "blank."
            )


def _facts(
    table: Table,
    values: dict[str, Value],
    what: str,
    *columns: int,
    notes: Iterable[Note] = (),
) -> Facts[Value]:
    """Make facts of what the columns of a table say; say how many rows lack one of them."""
    if not values:
        raise DataError(f"{table.source}: no {what}; every row is blank.")
    blank = np.zeros(table.rows, dtype=bool)
    for column in columns:
        blank |= without_missing(*table.codes(column))[0] < 0
    every = Notes(notes)
    if blank.any():
        names = " or ".join(f"'{table.names[column]}'" for column in columns)
        rows = count(int(blank.sum()), "row")
        every.info(f"{table.source}: {rows} without {names} left out.")
    return Facts(values, source=table.source, notes=every, sources=table.sources)


def _two_columns(table: Table, roles: tuple[str, str]) -> tuple[int, int]:
    """Find two columns by their names; or take the only two."""
    first, second = (find_role(table.names, role) for role in roles)
    first = find_role(table.names, "rater") if first is None else first
    if first is not None and second is not None and first != second:
        return first, second
    if len(table.names) != 2:
        raise DataError(
            f"{table.source}: no column found for the {roles[0] if first is None else roles[1]}. "
            f"Expected the columns {roles[0]} and {roles[1]}; found {some(table.names, 12)}."
        )
    return 0, 1


def one_value_each(table: Table, key: int, column: int, twice: str) -> dict[str, str]:
    """Take one value a name; a row that gives another is an error, and one with a blank is not.

    `twice` says of which {name}, what the {value} is, and what was the {first}, "above".
    """
    codes, names = table.codes(key)
    given, values, _ = without_missing(*table.codes(column))
    out: dict[str, str] = {}
    for row in np.flatnonzero((codes >= 0) & (given >= 0)).tolist():
        name, value = names[int(codes[row])], values[int(given[row])]
        first = out.setdefault(name, value)
        if label_text(first) != label_text(value):
            text = twice.format(name=name, value=value, first=first)
            raise DataError(f"{table.at(row)}: {text} above. Keep one value.")
    return out


def one_number_each(table: Table, key: int, column: int, twice: str) -> dict[str, float]:
    """Take one number a name, as :func:`one_value_each`; what is none is an error with its row."""
    table.only_numbers(column)
    values = one_value_each(table, key, column, twice)
    return {name: float(number_of(text) or 0.0) for name, text in values.items()}


def read_fixed(data: Any, *, name: str = "fix") -> Facts[tuple[float, float, float]]:
    """Read ratings that items keep, such as those that ``headcount pairs -o`` wrote.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        Columns `item` and `rating`, and perhaps `rating_low` and `rating_high`; others are not
        read, and neither are items without a rating.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The rating of each item with the ends of its interval, as a dict.

    Examples
    --------
    >>> read_fixed({"item": ["a", "b"], "rating": [1.5, -1]})
    {'a': (1.5, 1.5, 1.5), 'b': (-1.0, -1.0, -1.0)}
    """
    table = open_table(data, name=name)
    item = item_column(table)
    if "rating" not in table.names:
        raise DataError(f"{table.source}: expected the columns item and rating.")
    ends = ("rating", "rating_low", "rating_high")
    columns = [table.names.index(end if end in table.names else "rating") for end in ends]
    rows = np.stack([table.only_numbers(column) for column in columns], axis=1)
    items, texts = table.codes(item)
    out: dict[str, tuple[float, float, float]] = {}
    for row in np.flatnonzero((items >= 0) & np.isfinite(rows[:, 0])).tolist():
        value, low, high = rows[row].tolist()
        known = math.isfinite(low) and math.isfinite(high)
        rating = (value, low, high) if known else (value, value, value)
        if out.setdefault(texts[int(items[row])], rating) != rating:
            raise DataError(
                f"{table.at(row)}: item '{texts[int(items[row])]}' has another rating above. Keep "
                "one row."
            )
    return _facts(table, out, "ratings", item)


# Read a list of items.

_ROW_TYPES = (list, tuple, dict)


def read_items(data: Any) -> tuple[list[str], dict[str, dict[str, str]], Note]:
    """Read items, each once and in order, and what other columns say of them.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or list of items
        With names of columns; items are in the column named item or the like, else in the first.

    Returns
    -------
    list of str, dict of str to dict of str to str, Note
        The items; for each other column, what it says of each item, in its first row; and where
        the items were found: a caution if the name of the only column may be an item.

    Examples
    --------
    >>> read_items({"item": ["a", "b", None, "a"], "text": ["A", None, "C", "D"]})
    (['a', 'b'], {'text': {'a': 'A', 'b': ''}}, "items: 2 items in the column 'item'.")
    """
    if isinstance(data, list):
        listed = cast("list[Any]", data)
        data = listed if any(isinstance(row, _ROW_TYPES) for row in listed) else {"item": listed}
    table = open_table(data, name="items")
    column = item_column(table)
    codes, items = table.codes(column)
    if not (codes >= 0).any():
        raise DataError(f"{table.source}: no items; every row is blank.")
    given = np.flatnonzero(codes >= 0)
    rows = given[np.unique(codes[given], return_index=True)[1]].tolist()
    others: dict[str, dict[str, str]] = {}
    for other, title in enumerate(table.names):
        if other != column:
            texts_of, texts = table.codes(other)
            others[title] = {
                item: [*texts, ""][texts_of[row]] for item, row in zip(items, rows, strict=True)
            }
    name = table.names[column]
    where = f"{table.source}: {count(len(items), 'item')} in the column '{name}'."
    if others or find_role(table.names, "item") is not None:
        return items, others, Note(where)
    where += f" Its first line, '{name}', is taken for the name of the column; if it is an item, "
    return items, others, Note(f"{where}add a line 'item' above it.", "caution")


# Read the stratum of each item, from a column of the ratings.


def read_strata(ratings: Any, column: str, *, item: str | None = None) -> Facts[str]:
    """Read the stratum of each item.

    Parameters
    ----------
    ratings : path, frame, dict of columns or rows
        Ratings, long or wide, with a column that is the same in all rows of an item.
    column : str
        That column.
    item : str, optional
        The item column. Default: one named as items are, or the first.

    Returns
    -------
    Facts
        The stratum of each item, without the items whose stratum is blank, as a dict.

    Examples
    --------
    >>> read_strata({"item": ["a", "b"], "ann": [1, 2], "topic": ["x", "y"]}, "topic")
    {'a': 'x', 'b': 'y'}
    """
    table = open_table(ratings, name="ratings")
    stratum = given_role(table, "", column)
    items = item_column(table, item)
    if stratum == items:
        raise DataError(
            f"{table.source}: {option('by', column)} names the column of the items. Name a column "
            "that groups items."
        )
    by = table.names[stratum].replace("{", "{{").replace("}", "}}")
    twice = f"column '{by}' must describe items, but item '{{name}}' has "
    values = one_value_each(table, items, stratum, twice + "'{value}' here and '{first}'")
    return Facts(values, source=table.source, notes=[])


# Find the cluster of each item: from a column of the ratings, a mapping, or the ids of items.


TEXTS = (
    "text", "sentence", "tweet", "comment_text", "full_text", "review_text", "post_text",
    "document_text", "review", "passage", "paragraph", "essay", "message", "body", "content",
)  # fmt: skip
"""Columns that say what an item is, the first that there is."""


def texts_of(data: Any, text: Any) -> Mapping[str, str]:
    """Find what items say: as given, in a column that is named, or in one that is called text.

    Examples
    --------
    >>> texts_of({"item": ["a", "b"], "ann": [1, 2], "text": ["x y", "z"]}, None)
    {'a': 'x y', 'b': 'z'}
    """
    if isinstance(text, Mapping):
        given = cast("Mapping[object, object]", text)
        return {str(item): str(words) for item, words in given.items()}
    if text is not None:
        return dict(read_strata(data, text))
    if data is None or isinstance(data, Labels):
        return {}
    try:
        names = open_table(data, name="ratings").names
        column = next((name for word in TEXTS for name in names if name.lower() == word), None)
        return {} if column is None else dict(read_strata(data, column))
    except DataError:  # no table, or texts that differ in the rows of an item
        return {}


def take_clusters(
    cluster: Any, data: Any, *labels: Labels, item: str | None = None
) -> Clusters | None:
    """Find which items belong together.

    Parameters
    ----------
    cluster : str, mapping, re.Pattern or None
        A column of the ratings; the cluster of each item; or a pattern that finds it in the id of
        the item, in its first group if it has one.
    data : object
        The ratings, as the caller gave them; a list of them if there are several files.
    *labels : Labels
        What was read of them.
    item : str, optional
        The item column.

    Examples
    --------
    >>> import re
    >>> labels = Labels.from_triples(["d1_a", "d1_b", "d2_a"], "xxx", "uvv")
    >>> take_clusters(re.compile("^[^_]+"), None, labels).codes(labels.items)
    array([0, 0, 1])
    """
    if cluster is None:
        return None
    if any(each.reduced for each in labels):
        raise OptionError(
            f"{option('cluster')} needs items one by one, and these are reduced where they are. "
            f"Read them into memory ({option('engine', 'memory')})."
        )
    names = [str(name) for each in labels for name in each.items.tolist()]
    source = labels[0].source
    if isinstance(cluster, Pattern):
        return _matched(cast("Pattern[str]", cluster), names, source)
    if isinstance(cluster, Clusters):
        return cluster
    if isinstance(cluster, Mapping):
        given = cast("Mapping[object, object]", cluster)
        of = {str(key): str(value) for key, value in given.items() if value is not None}
        words = "as given"
    elif isinstance(cluster, str):
        files = cast("list[Any]", data) if isinstance(data, list) else [data]
        if any(isinstance(each, Labels) for each in files):
            raise OptionError(
                f"{option('cluster')}: Labels have no columns. Give a dict of items to clusters, "
                "or a pattern, re.compile(...), that finds the cluster in the id of an item."
            )
        of, words = dict[str, str](), f"column '{cluster}'"
        for each in files:
            of |= read_strata(each, cluster, item=item)
    else:
        raise OptionError(
            f"{option('cluster')} must be a column, a dict of items to clusters, or a pattern "
            f"(re.compile), not {type(cluster).__name__}."
        )
    if not any(name in of for name in names):
        raise DataError(f"{source}: no item has a cluster ({words}).")
    return Clusters(of, words)


def _matched(pattern: Pattern[str], items: list[str], source: str) -> Clusters:
    """Find clusters in the ids of items; a pattern that misses some of them is wrong."""
    matches = {name: match for name in items if (match := pattern.search(name)) is not None}
    group = min(pattern.groups, 1)
    of = {name: str(match.group(group)) for name, match in matches.items()}
    missed = [name for name in items if name not in of]
    if missed:
        raise DataError(
            f"{source}: {option('cluster_pattern', pattern.pattern)} does not match "
            f"{count(len(missed), 'item')}: {some(missed, 3)}."
        )
    if len(set(of.values())) == len(of):
        raise DataError(
            f"{source}: {option('cluster_pattern', pattern.pattern)} finds another cluster in each "
            f"item, such as {some(list(of.values()), 3)}. Match only what items have in common."
        )
    return Clusters(of, f"pattern {pattern.pattern}")


# Read who is an expert: from a list of raters, or from a column of the ratings.


def read_experts(source: Any, ratings: Any = None, *, rater: str | None = None) -> list[str]:
    """Find the raters who are experts.

    Parameters
    ----------
    source : path, frame, dict of columns or rows; or str
        A table that lists raters, all of them experts unless a column such as `pool` or `expert`
        says who is (a single column is called rater); or the name of a column of the ratings that
        says so (`expert`, `true`, `yes` or 1).
    ratings : Labels, path, frame, dict of columns or rows, optional
        The ratings, where it is a column of them.
    rater : str, optional
        The rater column of the ratings.

    Returns
    -------
    list of str

    Examples
    --------
    >>> read_experts({"rater": ["ann", "bob"], "expert": ["yes", "no"]})
    ['ann']
    """
    table, column = file_or_column(source, ratings, "experts")
    if column is not None:
        roles = find_roles(table, {"rater": rater})
        check_roles(table, roles, ["rater"])
        return _flagged(table, roles["rater"], column)
    listed = find_role(table.names, "rater") or 0
    pool = find_role(table.names, "pool", besides=listed)
    if pool is not None:
        return _flagged(table, listed, pool)
    if len(table.names) == 1 and find_role(table.names, "rater") is None:
        raise DataError(
            f"{table.source}: the only column is called '{table.names[0]}', which may be an "
            "expert. Put a line 'rater' above the names."
        )
    return table.codes(listed)[1]


def _flagged(table: Table, column: int, pool: int) -> list[str]:
    """Raters whose rows say expert; a rater of both kinds is an error."""
    raters, names = table.codes(column)
    words, texts = table.codes(pool)
    says = np.array([label_text(text).lower() in EXPERT_WORDS for text in texts] + [False])
    expert = says[words]  # code -1, a blank, is the last entry
    of = np.bincount(raters[raters >= 0], minlength=len(names))
    times = np.bincount(raters[expert & (raters >= 0)], minlength=len(names))
    mixed = [names[i] for i in np.flatnonzero((times > 0) & (times < of)).tolist()]
    if mixed:
        raise DataError(
            f"{table.source}, column '{table.names[pool]}': {some(mixed)} both expert and not. Say "
            "the same in every row of a rater."
        )
    experts = [names[i] for i in np.flatnonzero(times).tolist()]
    if not experts:
        raise DataError(
            f"{table.source}, column '{table.names[pool]}': no rater is an expert. Experts are "
            f"marked expert, true, yes or 1; found {some(texts)}."
        )
    return experts


# Read which group each classifier belongs to.


def read_groups(data: Any, *, name: str = "groups") -> Facts[str]:
    """Read which group each classifier belongs to.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or dict of classifier to group
        Columns classifier and group.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The group of each classifier, as a dict.

    Examples
    --------
    >>> read_groups({"gpt-4o": "openai", "llama-70b": "meta"})
    {'gpt-4o': 'openai', 'llama-70b': 'meta'}
    """
    roles = ("classifier", "group")
    table = open_facts(data, name=name, columns=roles)
    classifier, group = _two_columns(table, roles)
    groups = one_value_each(
        table, classifier, group, "classifier '{name}' is in group '{value}' here and in '{first}'"
    )
    return _facts(table, groups, "groups", classifier, group)


# Read confusion matrices of classifiers: what each gave where which label was true.

TRUE_NAMES = ("true", "truth", "true_label", "gold", "actual")
GIVEN_NAMES = ("given", "given_label", "label", "said", "predicted", "prediction")
VALUE_NAMES = ("count", "n", "number", "probability", "share", "value")


def read_confusion(data: Any) -> dict[str, dict[tuple[str, str], float]]:
    """Read a table of classifier, true label, given label and count or probability.

    Parameters
    ----------
    data : path, frame, dict of columns or rows

    Returns
    -------
    dict of classifier to dict of (true, given) to float

    Examples
    --------
    >>> read_confusion({"classifier": ["a", "a"], "true": ["x", "x"], "given": ["x", "y"],
    ...                 "count": [8, 2]})
    {'a': {('x', 'x'): 8.0, ('x', 'y'): 2.0}}
    """
    table = open_table(data, name="confusion", kind="ratings")
    who = find_role(table.names, "classifier")
    who = find_role(table.names, "rater") if who is None else who
    columns = [who, *(_column(table, names) for names in (TRUE_NAMES, GIVEN_NAMES, VALUE_NAMES))]
    if None in columns:
        raise DataError(
            f"{table.source}: expected the columns classifier, true, given and count (or "
            f"probability); found {some(table.names, 12)}."
        )
    name, true, answer, value = (column for column in columns if column is not None)
    (names, name_texts), (truths, true_texts), (given, given_texts) = (
        table.codes(column) for column in (name, true, answer)
    )
    numbers = table.only_numbers(value)
    whole = (names >= 0) & (truths >= 0) & (given >= 0)
    bad = np.flatnonzero(whole & ~(numbers >= 0))
    if len(bad):
        raise DataError(f"{table.at(int(bad[0]), value)}: expected a number, 0 or more.")
    out: dict[str, dict[tuple[str, str], float]] = {}
    rows: list[int] = np.flatnonzero(whole).tolist()
    for row in rows:
        true_text: str = true_texts[int(truths[row])]
        cell = label_text(true_text), label_text(given_texts[int(given[row])])
        own = out.setdefault(name_texts[int(names[row])], {})
        own[cell] = own.get(cell, 0.0) + float(numbers[row])
    if not out:
        raise DataError(f"{table.source}: no confusion matrices; every row is blank.")
    return out


def _column(table: Table, names: tuple[str, ...]) -> int | None:
    plain = [plain_name(name) for name in table.names]
    return next((plain.index(name) for name in names if name in plain), None)
