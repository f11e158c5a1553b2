"""Read votes: the labels of classifiers, or of raters in their place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from headcount.data.examples import replaced
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import DataError, option, some
from headcount.io.predictions.kinds import are_scores
from headcount.io.predictions.predictions import read_predictions
from headcount.io.ratings.ratings import read_rated
from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role
from headcount.io.tables.files import saved
from headcount.io.tables.open_table import MAYBE_NAMED, ignored, open_table
from headcount.io.tables.table import Table
from headcount.io.tools.read import kinds_in
from headcount.results.notes import Note

__all__ = ["read_votes"]

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
    sheet: str | None = None,
    question: str | None = None,
    name: str = "votes",
) -> Labels | Predictions:
    """Read the labels that classifiers, judges or crowd workers gave to items.

    Long (item, classifier or rater or worker, label and perhaps probability), or wide (item, then
    a column of labels a classifier, or columns ``name:label`` of probabilities). Where no column
    tells who said it and no item stands twice, it was one classifier.

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
    ignore, where, missing, merge, format, encoding, sheet, question, name
        What to read, and how; as for :func:`headcount.read_ratings`.

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
        "format": format, "encoding": encoding, "sheet": sheet, "question": question,
    }  # fmt: skip
    reading = Reading.of(**options)
    how: dict[str, Any] = {**options, "name": name}
    if _only_predictions(data, reading):  # a log of evaluations
        return _without_scores(read_predictions(data, item=item, **how))
    table = open_table(data, name=name, kind="ratings", reading=reading, columns=MAYBE_NAMED)
    named, told = find_role(table.names, "classifier"), classifier or label
    said = find_role(table.names, "label")
    long = named is not None and said is not None
    uncertain = long and find_role(table.names, "probability") is not None
    uncertain = uncertain or (long and said is not None and _some_scores(table, said))
    uncertain = uncertain or any(name.lower().endswith(SURE) for name in table.names if not long)
    if not told and (uncertain or sum(":" in name for name in table.names) > 1):
        predictions = read_predictions(data, item=item, **how)
        if any(c.kind == "soft" for c in predictions.classifiers) or predictions.scores:
            return _without_scores(predictions)
    if classifier is None and named is not None and long:
        classifier = table.names[named]
    try:
        given = {"item": item, "rater": classifier, "label": label}
        return read_rated(
            data, given, reading, labels=labels, duplicates=duplicates, name=name, people=False
        )
    except DataError as error:
        if not told and _is_one_classifier(table):
            return read_predictions(data, item=item, **how)
        raise DataError(_of_classifiers(error.marked)) from error


def _is_one_classifier(table: Table) -> bool:
    """Whether a table that is not long has no item twice, and a column of labels, or one column."""
    found = {
        role: find_role(table.names, role) for role in ("item", "classifier", "rater", "label")
    }
    who = [found[role] for role in ("classifier", "rater") if found[role] is not None]
    long = found["label"] is not None and bool(who)
    item = found["item"] or 0
    if long or (found["label"] is None and len(table.names) != 2) or item in table.nested():
        return False
    codes, _ = table.codes(item)
    return len(codes) == len(set(codes.tolist()))


def _of_classifiers(text: str) -> str:
    """Write a message on ratings as one on votes, of which a classifier may give several."""
    retest, each = (option("duplicates", value) for value in ("retest", "all"))
    return (
        text.replace(
            f"have agree compare each rater with themselves with {retest}",
            f"count each as a vote with {each}",
        )
        .replace("no column found for the rater", "no column found for the classifier")
        .replace(option("rater", "..."), option("classifier", "..."))
        .replace(option("rater"), option("classifier"))
    )


def _some_scores(table: Table, column: int) -> bool:
    """Whether some classifiers give labels in words, and others numbers with fractions."""
    if column in table.nested():
        return False
    numbers, wrong = table.numbers(column)
    return bool(wrong.any()) and are_scores(numbers[~wrong])


def _only_predictions(data: Any, reading: Reading) -> bool:
    """Whether data are an export that holds predictions and no ratings."""
    if not isinstance(data, str | Path) and not hasattr(data, "__fspath__"):
        return False
    path = saved(replaced(Path(os.fsdecode(data))))
    return kinds_in(path, reading) == ["predictions"]


def _without_scores(predictions: Predictions) -> Predictions:
    """Leave out scores, which are no votes; say so."""
    if not predictions.scores:
        return predictions
    names = some([score.name for score in predictions.scores])
    note = Note(f"{predictions.source}: scores are no votes; left out: {names}.", "caution")
    return replace(predictions, scores=(), notes=(*predictions.notes, note))
