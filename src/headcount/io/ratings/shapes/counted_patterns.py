"""One column a rater, and one that says how many items were rated as a row says."""

from __future__ import annotations

import numpy as np

from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.ratings.shapes.crosstab import counted_items
from headcount.io.roles.names import ROLES
from headcount.io.roles.roles import plain_name
from headcount.results.notes import Notes

__all__ = ["CountedPatterns"]


class CountedPatterns(Shape):
    """One column a rater, and one of counts, as R writes a table: ``ann,bob,Freq``."""

    name = "counted patterns"

    def fits(self, asked: Asked) -> bool:
        """Whether rows differ, a column counts them, and others share their labels."""
        return self._columns(asked) is not None

    def read(self, asked: Asked) -> Ratings:
        """Make as many items of each row as it counts."""
        table, found = asked.table, self._columns(asked)
        if found is None:
            raise DataError(f"{table.source}: no patterns with counts.")
        counts, raters = found
        numbers = np.nan_to_num(table.only_numbers(counts))
        if (numbers < 0).any() or (numbers % 1).any():
            row = int(np.flatnonzero((numbers < 0) | (numbers % 1 != 0))[0])
            raise DataError(
                f"{table.at(row, counts)}: expected how many items were rated so, a whole number. "
                f"If it is no count, leave it out with {option('ignore', table.names[counts])}."
            )
        texts: dict[str, int] = {}
        columns: list[list[int]] = []
        for column in raters:
            codes, own = table.codes(column)
            place = [texts.setdefault(text, len(texts)) for text in own]
            columns.append([place[code] if code >= 0 else -1 for code in codes.tolist()])
        times = numbers.astype(np.int64)
        items, said = counted_items(table, np.array(columns).T, times)
        names = [table.names[i] for i in raters]
        notes = Notes()
        notes.caution(
            f"{table.source}: each row is read as a pattern of {count(len(names), 'rater')} "
            f"({some(names, 12)}), given to as many items as '{table.names[counts]}' counts: "
            f"{count(int(times.sum()), 'item')}."
        )
        return Ratings(
            items=(items, [str(n + 1) for n in range(int(times.sum()))]),
            raters=(np.tile(np.arange(len(names)), int(times.sum())), names),
            labels=(said, list(texts)),
            table=table,
            rows=np.repeat(np.arange(table.rows), times).repeat(len(names)),
            blanks=False,
            notes=notes,
        )

    @staticmethod
    def _columns(asked: Asked) -> tuple[int, list[int]] | None:
        """Column of counts, and those of raters."""
        table = asked.table
        if table.form != "named" or asked.nested or any(asked.given.values()):
            return None
        if asked.transpose is not None or asked.roles or len(table.names) < 3:
            return None
        counts = [i for i in asked.rest({}) if plain_name(table.names[i]) in ROLES["times"]]
        raters = [i for i in asked.rest({}) if i not in counts]
        if len(counts) != 1 or len(raters) < 2 or table.numbers(counts[0])[1].any():
            return None
        coded = [table.codes(i) for i in raters]
        if len({*coded[0][1]}) == len(coded[0][0]):  # each row has an id
            return None
        shared = set(coded[0][1])
        for _, texts in coded[1:]:
            if not shared & {*texts}:
                return None
            shared |= {*texts}
        patterns = np.stack([np.array([*texts, ""])[codes] for codes, texts in coded], axis=1)
        if len(np.unique(patterns, axis=0)) < len(patterns):
            return None
        return counts[0], raters
