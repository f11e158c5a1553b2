"""Rows of a relation that are chosen by values of columns."""

from __future__ import annotations

from collections.abc import Sequence

from headcount.data.vocabulary import label_text
from headcount.engine.sources.relation import Relation
from headcount.errors import DataError, closest, option, some

__all__ = ["condition_of"]


def condition_of(
    relation: Relation, where: Sequence[tuple[str, str]]
) -> tuple[str, dict[str, int]]:
    """Write the condition under which a row is read, and count the rows that are not.

    Values are compared as readers compare them: 1 and 1.0 are the same, blanks at the ends do not
    count.
    """
    if not where:
        return "TRUE", {}
    wanted: dict[str, list[str]] = {}
    for name, value in where:
        wanted.setdefault(name, []).append(value)
    conditions: list[str] = []
    for name, values in wanted.items():
        column = relation.column(name, "rows to keep")
        found = relation.values(column, what="different values")
        written = {label_text(one.text) for one in found if one.text}
        for value in values:
            if label_text(value) not in written and value:
                near = closest(value, sorted(written))
                hint = f" Did you mean '{near[0]}'?" if near else ""
                raise DataError(
                    f"{relation.source}, column '{name}': no row has '{value}'.{hint} "
                    f"Values: {some(sorted(written), 12)}."
                )
        chosen = {label_text(value) for value in values}
        sql = relation.value(column)
        literals = [v.literal for v in found if v.text and label_text(v.text) in chosen]
        parts = [f"{sql} IN ({', '.join(literals)})"] if literals else []
        if "" in chosen:
            blanks = [v.literal for v in found if not v.text and v.literal != "NULL"]
            parts += [f"{sql} IS NULL", *([f"{sql} IN ({', '.join(blanks)})"] if blanks else [])]
        conditions.append(f"({' OR '.join(parts)})")
    condition = " AND ".join(conditions)
    found = relation.engine.one(
        f"SELECT count(*) AS every, coalesce(sum(CASE WHEN {condition} THEN 1 ELSE 0 END), 0) AS "
        f"kept FROM {relation.sql}"
    )
    if not int(found["kept"]):
        listed = some([f"{name}={value}" for name, value in where], 12)
        raise DataError(f"{relation.source}: no row fits {option('where')} {listed}.")
    left_out = int(found["every"]) - int(found["kept"])
    return condition, {"not chosen by where": left_out} if left_out else {}
