"""Numbers in bins: predictions are counted by parts of their range, and count as their mean."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from headcount.engine.engines.base import Column
from headcount.engine.sources.relation import Relation
from headcount.errors import DataError, option
from headcount.results.notes import Note
from headcount.stats.grouping import group_sums
from headcount.typing import Codes, Floats

__all__ = ["Bins", "Spread", "bins_of"]


@dataclass(frozen=True)
class Bins:
    """Equal parts of the range of a column.

    Parameters
    ----------
    low, high : float
        The smallest and largest number of the column.
    number : int
    """

    low: float
    high: float
    number: int

    def sql(self, column: str) -> str:
        """Write the SQL of the bin of a number, from 0 on; null where there is none."""
        width = (self.high - self.low) / self.number or 1.0
        low, width_ = (f"CAST('{one!r}' AS DOUBLE)" for one in (self.low, width))
        place = f"CAST(floor(({column} - {low}) / {width_}) AS BIGINT)"
        return (
            f"CASE WHEN {column} IS NOT NULL AND NOT isnan({column}) THEN least({place}, "
            f"{self.number - 1}) END"
        )


def bins_of(relation: Relation, column: Column, number: int) -> Bins | None:
    """Find the range of a column of numbers with fractions; None of other columns, and of none."""
    if column.kind != "real":
        return None
    name = column.sql
    found = relation.engine.one(
        f"SELECT min({name}) AS low, max({name}) AS high FROM {relation.sql} WHERE {name} IS NOT "
        f"NULL AND NOT isnan({name})"
    )
    if found["low"] is None or math.isnan(found["low"]):
        return None
    low, high = float(found["low"]), float(found["high"])
    if not math.isfinite(high - low):
        raise DataError(
            f"{relation.source}, column '{column.name}': an infinite number is in no bin "
            f"({option('bins')}). Correct it, or leave it blank."
        )
    return Bins(low, high, number)


@dataclass(frozen=True, eq=False)
class Spread:
    """Numbers that share bins: what they count as, and how far the ends are from that.

    Parameters
    ----------
    mean, low, high : (groups,) arrays
        nan where there is none.
    """

    mean: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(
        cls, group: Codes, items: Codes, columns: tuple[Floats, Floats, Floats], groups: int
    ) -> Spread:
        """Put cells together: sums of numbers, their smallest and largest, by group."""
        total, low, high = columns
        least, most = np.full(groups, np.nan), np.full(groups, np.nan)
        np.fmin.at(least, group, low)
        np.fmax.at(most, group, high)
        mean = group_sums(group, total, groups) / group_sums(group, items.astype(float), groups)
        return cls(np.where(least == most, least, np.clip(mean, least, most)), least, most)

    def note(self, name: str, number: int) -> Note:
        """Say how far predictions are from what they count as, at most."""
        most = float(np.nanmax(np.maximum(self.high - self.mean, self.mean - self.low)))
        return Note(
            f"{name}: predictions were put into {number:,} bins, and each "
            f"counts as the mean of those in its bin: none is moved by more than {most:.2g}.",
            "caution",
        )
