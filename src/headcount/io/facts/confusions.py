"""Read confusion matrices of classifiers: what each gave where which label was true."""

from __future__ import annotations

from typing import Any

import numpy as np

from headcount.data.vocabulary import label_text
from headcount.errors import DataError, some
from headcount.io.roles.roles import find_role, plain_name
from headcount.io.tables.open_table import open_table
from headcount.io.tables.table import Table

__all__ = ["read_confusion"]

TRUE = ("true", "truth", "true_label", "gold", "actual")
GIVEN = ("given", "given_label", "label", "said", "predicted", "prediction")
VALUE = ("count", "n", "number", "probability", "share", "value")


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
    columns = [who, *(_column(table, names) for names in (TRUE, GIVEN, VALUE))]
    if None in columns:
        raise DataError(
            f"{table.source}: expected the columns classifier, true, given and count (or "
            f"probability); found {some(table.names, 12)}."
        )
    name, true, said, value = (column for column in columns if column is not None)
    (names, name_texts), (truths, true_texts), (given, given_texts) = (
        table.codes(column) for column in (name, true, said)
    )
    numbers, wrong = table.numbers(value)
    whole = (names >= 0) & (truths >= 0) & (given >= 0)
    bad = np.flatnonzero(whole & (wrong | np.isnan(numbers) | (numbers < 0)))
    if len(bad):
        raise DataError(
            f"{table.source}, row {table.row_numbers()[int(bad[0])]}, column "
            f"'{table.names[value]}': expected a number, 0 or more."
        )
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
    plain = [plain_name(one) for one in table.names]
    return next((plain.index(one) for one in names if one in plain), None)
