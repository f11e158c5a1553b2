"""Rows of coded comparisons: which can be used, which are left out and why, which are refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from headcount.data.outcomes import EXPECTED
from headcount.errors import DataError, count
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags, Floats

__all__ = ["NO_RATER", "CodedRows", "without_a_rater"]

SELF, NO_ITEM, NO_OUTCOME = "self-comparison", "no item", "no outcome"
NO_WEIGHT, NO_RATER = "no weight", "no rater"
"""Why comparisons are left out."""


@dataclass(frozen=True, eq=False, kw_only=True)
class CodedRows:
    """Columns of comparisons as codes and numbers; -1 or NaN where a value is missing.

    Parameters
    ----------
    left, right : (rows,) arrays of int
        The two items.
    outcome : (rows,) array
    rater : (rows,) array of int or None
    weight : (rows,) array or None
    times : (rows,) array of int or None
        Answers that each row stands for.
    source : str
        What messages call the comparisons.
    rows : (rows,) array of int
        Row numbers that messages name.
    """

    left: Codes
    right: Codes
    outcome: Floats
    rater: Codes | None
    weight: Floats | None
    times: Codes | None
    source: str
    rows: Codes

    def __post_init__(self) -> None:
        columns = (self.left, self.right, self.outcome, self.rater, self.weight)
        lengths = [len(column) for column in columns if column is not None]
        if len(set(lengths)) > 1:
            raise DataError(
                f"{self.source}: columns must have the same length, not "
                f"{', '.join(f'{n:,}' for n in lengths)}."
            )

    def whole(self, counts: Counter[str], notes: Notes) -> Flags:
        """Find the rows that can be used; those left out are counted by reason, and noted.

        Outcomes and weights that nobody can mean are refused.
        """
        n, weight = len(self.left), self.weight
        reasons = {
            NO_ITEM: (self.left < 0) | (self.right < 0),
            NO_OUTCOME: np.isnan(self.outcome),
            NO_WEIGHT: np.zeros(n, dtype=bool) if weight is None else np.isnan(weight),
            SELF: self.left == self.right,
        }
        whole = np.ones(n, dtype=bool)
        for reason, bad in reasons.items():
            if number := self._answers(whole & bad):
                counts[reason] += number
            whole &= ~bad
        if not whole.any():
            raise DataError(f"{self.source}: no comparisons; {_nothing_left(counts)}.")
        self._check_values(whole)
        if not whole.all():
            why = {reason: counts[reason] for reason in reasons if counts[reason]}
            left_out = count(self._answers(~whole), "comparison")
            notes.caution(f"{self.source}: {left_out} left out ({_listed(why)}).")
        return whole

    def tell_of_raters(self, whole: Flags, notes: Notes) -> bool:
        """Note rows without a rater, which stay; False if none has one."""
        if self.rater is None:
            return False
        unknown = self._answers(whole & (self.rater < 0))
        if unknown:
            notes.caution(without_a_rater(self.source, unknown))
        return unknown < self._answers(whole)

    def _check_values(self, whole: Flags) -> None:
        outcome, weight = self.outcome, self.weight
        bad = whole & ~((outcome >= 0) & (outcome <= 1))
        self._refuse(bad, outcome, "outcome {:g}. " + EXPECTED)
        if weight is not None:
            bad = whole & ~((weight >= 0) & np.isfinite(weight))
            self._refuse(bad, weight, "weight {:g}. Weights must be finite and not negative.")
            if not weight[whole].any():
                raise DataError(f"{self.source}: all weights are 0, so that no comparison counts.")

    def _refuse(self, bad: Flags, values: Floats, what: str) -> None:
        """Refuse rows, naming the first."""
        if bad.any():
            row = int(np.flatnonzero(bad)[0])
            more = f" ({count(int(bad.sum()), 'row')} like it.)" if bad.sum() > 1 else ""
            where = (
                self.source if self.times is not None else f"{self.source}, row {self.rows[row]}"
            )
            raise DataError(f"{where}: {what.format(values[row])}{more}")

    def _answers(self, some_: Flags) -> int:
        return int(some_.sum() if self.times is None else self.times[some_].sum())


def without_a_rater(source: str, unknown: int) -> str:
    """Say that comparisons of unknown raters stay."""
    return (
        f"{source}: {count(unknown, 'comparison')} without a rater; kept, except where raters are "
        "judged, weighed or drawn."
    )


def _listed(counts: Mapping[str, int]) -> str:
    """Write counts by reason."""
    return ", ".join(f"{reason}: {number:,}" for reason, number in counts.items())


def _nothing_left(counts: Mapping[str, int]) -> str:
    """Say why no row is left."""
    if not counts:
        return "there are no rows"
    return f"every row was left out ({_listed(counts)})"
