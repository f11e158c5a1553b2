"""One rater a row, one item a column."""

from __future__ import annotations

from headcount.errors import count, option, some
from headcount.io.roles import near_role
from headcount.io.shapes.base import Asked, Ratings, Shape
from headcount.io.shapes.spread import single, spread

__all__ = ["Transposed"]


class Transposed(Shape):
    """One rater a row, one item a column."""

    name = "transposed"

    def fits(self, asked: Asked) -> bool:
        """Whether the user says so, or the first column is named as raters are."""
        if asked.transpose is not None:
            return asked.transpose
        table, roles = asked.table, asked.roles
        rater = roles.get("rater")
        if set(roles) != {"rater"} or rater not in asked.rest({})[:1]:
            return False
        if asked.given["rater"] is not None or len(asked.rest(roles)) < 2 or asked.nested:
            return False
        if near_role([table.names[i] for i in asked.rest(roles)], "label"):
            return False
        codes, texts = table.codes(rater)
        return len(texts) == len(codes)

    def read(self, asked: Asked) -> Ratings:
        """Take the raters from the rows."""
        table = asked.table
        named = asked.roles.get("rater", asked.roles.get("item"))
        column = (asked.rest({}) or [0])[0] if named is None else named
        items = [i for i in asked.rest({}) if i != column]
        if not items:
            raise single(table, column)
        names = [table.names[i] for i in items]
        made = spread(asked, table.codes(column), items, names, transposed=True)
        made.notes.info(
            f"{table.source}: read as wide with raters as rows; rater = '{table.names[column]}', "
            f"{count(len(items), 'item')}: {some(names, 12)}. If rows are items, say "
            f"{option('transpose', False)}."
        )
        return made
