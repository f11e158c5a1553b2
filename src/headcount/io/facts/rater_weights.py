"""Read how much each rater counts."""

from __future__ import annotations

import math
from typing import Any, cast

from headcount.data.facts import Facts
from headcount.data.vocabulary import number_of
from headcount.errors import DataError, some
from headcount.io.facts.item_facts import blank_rows, one_value_each
from headcount.io.roles.roles import find_role
from headcount.io.tables.open_table import open_facts

__all__ = ["read_rater_weights"]


def read_rater_weights(data: Any, *, name: str = "rater_weights") -> Facts[float]:
    """Read how much each rater counts, for a crowd that should look like a population.

    Parameters
    ----------
    data : path, frame, dict of columns or rows; or dict of rater to weight
        Columns rater and weight; weights are not negative.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Facts
        The weight of each rater, as a dict.

    Examples
    --------
    >>> read_rater_weights({"rater": ["ann", "bob"], "weight": [1, 0.5]})
    {'ann': 1.0, 'bob': 0.5}
    """
    if isinstance(data, Facts):
        return cast("Facts[float]", data)
    table = open_facts(data, name=name, columns=("rater", "weight"))
    rater, column = find_role(table.names, "rater"), find_role(table.names, "weight")
    if rater is None or column is None:
        if len(table.names) != 2:
            role = "rater" if rater is None else "weight"
            raise DataError(
                f"{table.source}: no column found for the {role}. Expected the columns rater and "
                f"weight; found {some(table.names, 12)}."
            )
        rater, column = 0, 1
    table.only_numbers(column)  # names the row of what is none
    given = one_value_each(
        table, rater, column, "rater '{name}' has weight {value} here and {first}"
    )
    weights = {who: number_of(text) for who, text in given.items()}
    wrong = [who for who, w in weights.items() if w is None or not 0 <= w < math.inf]
    if wrong:
        raise DataError(
            f"{table.source}: weights must be finite and not negative, unlike those of "
            f"{some(wrong)}."
        )
    if not any(weights.values()):
        raise DataError(f"{table.source}: no rater has a weight above 0.")
    return Facts(
        {who: float(w or 0.0) for who, w in weights.items()},
        source=table.source,
        notes=blank_rows(table, rater, column),
        sources=table.sources,
    )
