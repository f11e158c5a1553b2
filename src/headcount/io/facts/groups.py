"""Read which group each classifier belongs to."""

from __future__ import annotations

from typing import Any, cast

from headcount.data.facts import Facts
from headcount.errors import DataError, some
from headcount.io.facts.item_facts import blank_rows, one_value_each
from headcount.io.roles.roles import find_role
from headcount.io.tables.open_table import open_facts

__all__ = ["read_groups"]


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
