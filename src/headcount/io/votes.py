"""Read what blind evaluation needs: classifiers' labels, gold labels of items, and groups."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from headcount.data.examples import replaced
from headcount.data.facts import Facts
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import DataError, HeadcountError, count, some
from headcount.io.files import STDIN
from headcount.io.item_facts import blank_rows, one_value_each
from headcount.io.open_table import ignored, open_facts, open_table
from headcount.io.predictions import read_predictions
from headcount.io.ratings import read_ratings
from headcount.io.reading import Reading
from headcount.io.roles import described, find_role, given_role, item_column, plain_name
from headcount.io.table import Table
from headcount.io.tools.read import kinds_in
from headcount.io.words import without_missing
from headcount.results.notes import Note, Notes

__all__ = ["has_raters", "read_drawn", "read_groups", "read_truth", "read_votes"]

DRAWN = ("probability", "inclusion_probability")
"""How a column of gold is called that says with which probability items were drawn."""
SURE = ("confidence", "certainty", "probability", "probs", "probabilities")
"""How names of wide columns end that hold no votes, but say how sure they are."""


def read_votes(
    data: Any,
    *,
    item: str | None = None,
    classifier: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    duplicates: str = "error",
    ignore: Sequence[str] = (),
    where: Any = (),
    missing: Sequence[str] = (),
    merge: Sequence[str] = (),
    format: str | None = None,
    encoding: str | None = None,
    question: str | None = None,
    name: str = "votes",
) -> Labels | Predictions:
    """Read the labels that classifiers, judges or crowd workers gave to items.

    Long (item, classifier or rater or worker, label and perhaps probability), or wide (item, then
    a column of labels a classifier, or columns ``name:label`` of probabilities).

    Parameters
    ----------
    data : path, frame, dict of columns, rows or array
        Anything that :func:`headcount.read_ratings` takes.
    item, classifier, label : str, optional
        Columns that play these roles, where their names do not tell.
    labels : sequence of str, optional
        All the labels that could be given, in order. Default: those that were.
    duplicates : {"error", "first", "all"}
        What to do when a classifier labels an item twice; with 'all' each is a vote.
    ignore : sequence of str
        Columns that are not read, such as one of gold labels beside the classifiers.
    where : dict, or sequence of "column=value"
        Columns and the values that rows must have in them.
    missing : sequence of str
        Values that mean that there is none, besides the usual ones.
    merge : sequence of {"case", "space", "unicode", "number"}
        What does not tell two labels, items or classifiers apart.
    format, encoding : str, optional
        Of a file, where they are not to be recognised.
    question : str, optional
        Which of several questions of one file.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Labels or Predictions
        Predictions if some are probabilities.

    Examples
    --------
    >>> read_votes({"item": [1, 1], "model": ["a", "b"], "label": ["yes", "no"]})
    Labels: 2 ratings of 1 item by 2 raters; labels no, yes
    """
    options: dict[str, Any] = {
        "ignore": ignored(ignore), "where": where, "missing": missing, "merge": merge,
        "format": format, "encoding": encoding, "question": question,
    }  # fmt: skip
    reading = Reading.of(**options)
    how: dict[str, Any] = {**options, "name": name}
    if _only_predictions(data, reading):  # a log of evaluations
        return _without_scores(read_predictions(data, item=item, **how))
    table = open_table(data, name=name, kind="ratings", reading=reading, unnamed=True)
    named, told = find_role(table.names, "classifier"), classifier or label
    long = named is not None and find_role(table.names, "label") is not None
    uncertain = long and find_role(table.names, "probability") is not None
    uncertain = uncertain or any(name.lower().endswith(SURE) for name in table.names if not long)
    if not told and (uncertain or sum(":" in name for name in table.names) > 1):
        predictions = read_predictions(data, item=item, **how)
        if any(c.kind == "soft" for c in predictions.classifiers):
            return _without_scores(predictions)
    if classifier is None and named is not None and long:
        classifier = table.names[named]
    return read_ratings(
        data,
        item=item,
        rater=classifier,
        label=label,
        labels=labels,
        duplicates=duplicates,
        **how,
    )


def _only_predictions(data: Any, reading: Reading) -> bool:
    """Whether data are an export that holds predictions and no ratings."""
    if not isinstance(data, str | Path) and not hasattr(data, "__fspath__"):
        return False
    path = replaced(Path(os.fsdecode(data)))
    return str(path) != STDIN and kinds_in(path, reading) == ["predictions"]


def _without_scores(predictions: Predictions) -> Predictions:
    """Leave out scores, which are no votes; say so."""
    if not predictions.scores:
        return predictions
    names = some([score.name for score in predictions.scores])
    note = Note(f"{predictions.source}: scores are no votes; left out: {names}.", "caution")
    return replace(predictions, scores=(), notes=(*predictions.notes, note))


def read_truth(
    data: Any, *, item: str | None = None, label: str | None = None, name: str = "gold"
) -> Facts[str]:
    """Read the labels of items that experts or a crowd gave.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or dict of item to label
        Columns for the item and its label. Where an item has several rows, as from a crowd, the
        most frequent label counts, and items whose labels tie are left out. A column
        `probability` says with which probability an item was drawn, as
        :func:`headcount.next_items` writes it.
    item, label : str, optional
        The columns, where their names do not tell.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The label of each item, without items whose label is blank, as a dict; its `notes` say how
        columns were read and what was left out, `drawn` the probability of each item, if known.

    Examples
    --------
    >>> gold = read_truth({"item": ["a", "a", "a", "b"], "gold": ["x", "y", "x", "y"]})
    >>> gold, gold.notes
    ({'a': 'x', 'b': 'y'}, ("gold: labels of 2 items; item = 'item', label = 'gold'.",))
    """
    if isinstance(data, Facts):
        return cast("Facts[str]", data)
    table = open_facts(data, name=name, columns=("item", "label"))
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
    which = described(table, {"item": column, "label": labels})
    notes = Notes([f"{table.source}: labels of {count(int(clear.sum()), 'item')}; {which}."])
    if blank:
        notes.info(f"{table.source}: {count(blank, 'row')} without an item or a label left out.")
    ties = int(((most > 0) & ~clear).sum())
    if ties:
        notes.caution(f"{table.source}: {count(ties, 'item')} left out, whose labels tie.")
    chosen = np.flatnonzero(clear).tolist()
    truth = {item_texts[i]: texts[int(counts[i].argmax())] for i in chosen}
    drawn = _drawn(table, column, labels, item_texts)
    if drawn:
        missing = [name for name in truth if name not in drawn]
        if missing:
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


def read_drawn(data: Any, name: str) -> tuple[dict[str, float], str | None]:
    """Read with which probability items were drawn to be labelled, and the column that tells.

    Empty, and None, where no column does.
    """
    table = _as_table(data, name)
    item = None if table is None else find_role(table.names, "item")
    column = None if table is None else _drawn_column(table)
    if table is None or item is None or column is None:
        return {}, None
    return _drawn(table, item, None, table.codes(item)[1]), table.names[column]


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


def _drawn_column(table: Table) -> int | None:
    plain = [plain_name(one) for one in table.names]
    return next((plain.index(one) for one in DRAWN if one in plain), None)


def _drawn(table: Table, item: int, label: int | None, names: list[str]) -> dict[str, float]:
    """Find the probability with which each item was drawn, in a column of that name."""
    column = _drawn_column(table)
    if column is None or column in (item, label):
        return {}
    items, _ = table.codes(item)
    values, wrong = table.numbers(column)
    given = ~np.isnan(values) & (items >= 0)
    bad = np.flatnonzero((wrong & (items >= 0)) | (given & ~((values > 0) & (values <= 1))))
    if len(bad):
        raise DataError(
            f"{table.source}, item '{names[int(items[bad[0]])]}', column "
            f"'{table.names[column]}': the probability with which an item was drawn must be above "
            "0 and at most 1. Rename the column if it means something else."
        )
    found: dict[str, float] = {}
    rows: list[tuple[int, float]] = list(
        zip(items[given].tolist(), values[given].tolist(), strict=True)
    )
    for code, value in rows:
        if found.setdefault(names[code], value) != value:
            raise DataError(
                f"{table.source}, item '{names[code]}': drawn with probability {value:g} here and "
                f"{found[names[code]]:g} before. Give one probability an item."
            )
    return found


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
    if isinstance(data, Facts):
        return cast("Facts[str]", data)
    table = open_facts(data, name=name, columns=("classifier", "group"))
    classifier = find_role(table.names, "classifier")
    classifier = find_role(table.names, "rater") if classifier is None else classifier
    column = find_role(table.names, "group")
    if classifier is None or column is None:
        if len(table.names) != 2:
            role = "classifier" if classifier is None else "group"
            raise DataError(
                f"{table.source}: no column found for the {role}. Expected the columns classifier "
                f"and group; found {some(table.names, 12)}."
            )
        classifier, column = 0, 1
    groups = one_value_each(
        table, classifier, column, "classifier '{name}' is in group '{value}' here and in '{first}'"
    )
    if not groups:
        raise DataError(f"{table.source}: no groups; every row is blank.")
    notes = blank_rows(table, classifier, column)
    return Facts(groups, source=table.source, notes=notes, sources=table.sources)


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
