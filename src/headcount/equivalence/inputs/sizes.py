"""How large surveys are, and which items can serve them."""

from __future__ import annotations

from dataclasses import dataclass

from headcount.errors import DataError, OptionError, count, option
from headcount.results.notes import Notes
from headcount.typing import Codes, Flags

__all__ = ["Sizes"]

KEEP = 0.9
"""The default survey size keeps at least this share of the items."""


@dataclass(frozen=True)
class Sizes:
    """Chooses sizes of surveys, and says what that leaves out."""

    source: str
    notes: Notes
    weight: Codes | None = None

    def items(self, some_: Flags) -> int:
        """Count items of some rows."""
        return int(some_.sum()) if self.weight is None else int(self.weight[some_].sum())

    def largest(
        self, ratings: Codes, kept: Flags, max_k: int | None, *, reserve: int, who: str
    ) -> tuple[int, Flags]:
        """Choose the largest survey, and keep the items that can serve it and its reference."""
        most = int(ratings[kept].max()) - reserve
        if most < 1:
            raise DataError(
                f"{self.source}: no item used has {count(reserve + 1, who)}, which a survey of one "
                "and its reference need. Collect more, or use fewer reference raters."
            )
        if max_k is None:
            items = self.items(kept)
            served = [
                self.items(kept & (ratings >= k + reserve)) / items for k in range(1, most + 1)
            ]
            max_k = max((k for k, share in enumerate(served, 1) if share >= KEEP), default=1)
        elif max_k > most:
            raise OptionError(
                f"{option('max_k', max_k)} needs items with {max_k + reserve} ratings, but no item "
                f"in {self.source} has more than {most + reserve}. Ask for at most {most}."
            )
        enough = kept & (ratings >= max_k + reserve)
        dropped = self.items(kept & ~enough)
        if dropped:
            reference = "a reference rater" if reserve == 1 else f"{reserve} reference raters"
            of = f" and {reference}" if reserve else ""
            self.notes.caution(
                f"{dropped:,} of {count(self.items(kept), 'item')} left out: fewer than "
                f"{count(max_k + reserve, who)} (a survey of {max_k}{of}). {option('max_k')} "
                "chooses the size."
            )
        return max_k, enough
