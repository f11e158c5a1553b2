"""Read predictions: labels, probabilities, verdicts with confidence or scores, wide or long."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.data.predictions import Predictions
from headcount.errors import DataError
from headcount.io.predictions.kinds import CONFIDENCE
from headcount.io.predictions.long import LongPredictions
from headcount.io.predictions.records import may_be_shares
from headcount.io.predictions.unfold import unfolded
from headcount.io.predictions.wide import WidePredictions
from headcount.io.ratings.header import names_are_data
from headcount.io.reading import Reading
from headcount.io.roles.names import ABOUT_MODELS
from headcount.io.roles.questions import rows_of_question, which_question
from headcount.io.roles.roles import (
    find_role,
    find_roles,
    given_role,
    item_column,
    missing_role,
    plain_name,
)
from headcount.io.tables.table import Table
from headcount.io.values.cells import opened
from headcount.io.values.merges import spelt_as
from headcount.results.notes import Note, Notes

__all__ = ["are_labels", "read_predictions"]

RUNS = frozenset({"run", "run_id", "repeat", "repetition", "seed", "trial", "prompt_version"})
"""What a column is called that tells the answers of one model apart."""


def read_predictions(
    data: Any,
    *,
    item: str | None = None,
    labels: Sequence[str] = (),
    ignore: Sequence[str] = (),
    where: Any = (),
    missing: Sequence[str] = (),
    merge: Sequence[str] = (),
    format: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    question: str | None = None,
    name: str = "predictions",
) -> Predictions:
    """Read predictions from a file, a frame or what is in memory.

    Wide: the first column (or one named as items are) is the item. A classifier is a column of
    labels; columns ``name:label`` of probabilities, one a label; a column of records that hold the
    probability of each label; a column of labels and one of confidence; or a column of scores.
    Long: columns item, classifier, label and perhaps probability or confidence; or item, classifier
    and records of probabilities.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        CSV, TSV, JSON lines or Parquet, gzipped or not; any frame that narwhals reads, DuckDB's
        relations among them; a dict of columns; or a list of dicts.
    item : str, optional
        The item column.
    labels : sequence of str
        Labels of the ratings that predictions are for: those that differ from one of them only in
        what `merge` names are read as it.
    ignore, where, missing, merge, format, encoding, sheet, question, name
        What to read, and how; as for :func:`headcount.read_ratings`.

    Returns
    -------
    Predictions
        With the items sorted. Classifiers are in the order of the columns of wide data, and by name
        where data are long.

    Notes
    -----
    Probabilities that sum to 1 within .01 were rounded, and are divided by their sum. With
    confidence p in a verdict, the other labels share 1 - p equally. Numbers with fractions, or many
    whole ones, are scores.

    Examples
    --------
    >>> read_predictions({"item": [1, 2], "lm:no": [0.1, 0.7], "lm:yes": [0.9, 0.3]})
    Predictions for 2 items: lm (soft); labels no, yes
    >>> read_predictions({"item": [1, 2], "verdict": ["no", "yes"], "confidence": [0.9, 0.8]})
    Predictions for 2 items: verdict (soft); labels no, yes
    >>> said = {"item": [1, 2], "verdict": ["NO", "YES"]}
    >>> read_predictions(said, labels=["no", "yes"], merge=["case"])
    Predictions for 2 items: verdict (hard); labels no, yes
    """
    reading = Reading.of(
        ignore=ignore, where=where, missing=missing, merge=merge, format=format,
        encoding=encoding, sheet=sheet, question=question,
    )  # fmt: skip
    table = opened(data, reading, name=name, kind="predictions")
    _check_header(table)
    made = _read(table, item, reading, labels)
    names = spelt_as(made.labels, labels, reading.merge)
    if not names:
        return made
    said = ", ".join(f"'{old}' as '{new}'" for old, new in names.items())
    note = Note(f"{made.source}: labels are read as the raters write them: {said}.")
    return replace(made.renamed(names), notes=(*made.notes, note))


def _check_header(table: Table) -> None:
    """Refuse a file of which the first row is data: its item would be lost."""
    if table.sources and names_are_data(table):
        raise DataError(
            f"{table.source}: the first row seems to be data ({','.join(table.names[:4])}), and "
            "must name the columns. Put a row above it, such as item,judge."
        )


def _read(table: Table, item: str | None, reading: Reading, labels: Sequence[str]) -> Predictions:
    """Read predictions of a table, long or wide."""
    notes = Notes(table.notes)
    table = _one_question(unfolded(table, notes), item, reading.question)
    nested = table.nested()
    roles = find_roles(table, {"classifier": None, "label": None})
    named = roles.get("classifier")
    if named is not None and named not in nested and are_labels(table.codes(named)[1], labels):
        named = None  # a column 'judge' of what the judge said
    elif named is None and "label" in roles:
        named = _tells_apart(table, item, roles)
    probabilities = [i for i in nested if i not in roles.values()]
    if "label" in roles:
        probabilities = [i for i in probabilities if may_be_shares(table, i)]
    if named is None or ("label" not in roles and len(probabilities) != 1):
        return WidePredictions(table, reading, notes, item_column(table, item), labels).read()
    said = roles.get("label", probabilities[0] if probabilities else named)
    if len(probabilities) == 1:
        said = probabilities[0]
    column = find_role(table.names, "item") if item is None else given_role(table, "item", item)
    confidence = _confidence(table, besides={named, said})
    if column is None:
        others = [i for i in range(len(table.names)) if i not in {named, said, confidence}]
        ids = [i for i in others if plain_name(table.names[i]).endswith("_id")]
        if 1 not in (len(others), len(ids)):
            raise missing_role(table, "item", roles)
        column = ids[0] if len(ids) == 1 else others[0]
    return LongPredictions(table, reading, notes, column, named, said, confidence, labels).read()


def are_labels(texts: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether the values of a column are labels of the raters, and so no names of classifiers.

    Examples
    --------
    >>> are_labels(["yes", "No"], ["no", "yes"]), are_labels(["yes"], ["no", "yes"])
    (True, False)
    """
    known = {label.casefold() for label in labels}
    return len(texts) > 1 and {text.strip().casefold() for text in texts} <= known


def _one_question(table: Table, item: str | None, question: str | None) -> Table:
    """Keep the rows of one question, where a classifier answers several of an item.

    A question that the table does not name is that of other data, and all rows are of it.
    """
    column = find_role(table.names, "asked")
    if column is None or table.exported or column in table.nested():
        return table
    owner, of = (find_role(table.names, role) for role in ("classifier", "item"))
    of = of if item is None else given_role(table, "item", item)
    if of in (None, column) or owner == column or len(table.codes(column)[1]) < 2:
        return table
    if question in table.codes(column)[1]:
        return rows_of_question(table, column, str(question))
    rows = [table.codes(i)[0] for i in (of, owner) if i is not None]
    if len(np.unique(np.stack(rows), axis=1).T) == table.rows:
        return table
    raise which_question(table, table.codes(column)[1], None)


def _tells_apart(table: Table, item: str | None, roles: Mapping[str, int]) -> int | None:
    """Find the one column that says of which model, or run, the rows of an item are."""
    of = item_column(table, item)
    if of in table.nested() or len(table.codes(of)[1]) == table.rows:
        return None
    found = [
        i
        for i, name in enumerate(table.names)
        if plain_name(name) in ABOUT_MODELS | RUNS and i not in {of, *roles.values()}
        if i not in table.nested()
        if len(np.unique(np.stack([table.codes(of)[0], table.codes(i)[0]]), axis=1).T) == table.rows
    ]
    return found[0] if len(found) == 1 else None


def _confidence(table: Table, besides: set[int]) -> int | None:
    """Find the column that says how sure labels are, by its name."""
    plain = [name.strip().lower() for name in table.names]
    places = [plain.index(name) for name in ("probability", "prob", "proba", "p", *CONFIDENCE)
              if name in plain]  # fmt: skip
    return next((place for place in places if place not in besides), None)
