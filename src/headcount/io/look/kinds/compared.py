"""Comparisons of items, and rankings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount.data.comparisons import Comparisons
from headcount.errors import count
from headcount.io.comparisons.comparisons import first_row_is_data, read_comparisons
from headcount.io.comparisons.layouts import two_scores
from headcount.io.comparisons.rankings.recognise import holds_rankings
from headcount.io.comparisons.sides import own_and_other
from headcount.io.comparisons.wins import says_who_won
from headcount.io.look.kinds.base import ALL, Kind
from headcount.io.look.kinds.words import spread
from headcount.io.roles.roles import find_role
from headcount.io.tables.table import Table
from headcount.typing import Flags, Ids

__all__ = ["Compared"]


class Compared(Kind):
    """Which of two items won."""

    name, reader, takes = "comparisons", "read_comparisons", ALL | {"rater"}

    def claims(self, table: Table, file: str) -> bool:
        """Whether two sides and an outcome have columns, or the first row is a comparison."""
        if table.form != "named" or first_row_is_data(table):
            return table.form == "named" or len(table.names) == 4
        if holds_rankings(table):
            return True
        names = table.names
        sides = own_and_other(names) or [find_role(names, role) for role in ("left", "right")]
        if None not in sides and sides[0] != sides[1]:
            outcome = find_role(names, "outcome") is not None or two_scores(table)
            if outcome or any(name.lower().startswith("winner_") for name in names):
                return True
        if says_who_won(table):
            return True
        return None not in (find_role(names, "winner"), find_role(names, "loser"))

    def read(self, data: Any, options: Mapping[str, Any]) -> Comparisons:
        """Read comparisons."""
        return read_comparisons(data, **options)

    def sentence(self, data: Comparisons) -> str:
        """Say how many, of what, by whom."""
        by = "" if data.raters is None else f" by {count(len(data.raters), 'rater')}"
        if data.n_rankings:
            of = f"{count(data.n_rankings, 'ranking')} of {count(len(data.items), 'item')}"
            return f"{of}{by}"
        ties = _number(data, data.outcome == 0.5)
        return (
            f"{count(len(data), 'comparison')} of {count(len(data.items), 'item')}{by}, "
            f"{count(ties, 'tie')}"
        )

    def counts(self, data: Comparisons) -> dict[str, Any]:
        """Count comparisons, items, raters and outcomes."""
        left, right = _number(data, data.outcome > 0.5), _number(data, data.outcome < 0.5)
        met = data.appearances
        return {
            "items": len(data.items),
            "raters": None if data.raters is None else len(data.raters),
            "comparisons": len(data),
            "rankings": data.n_rankings,
            "left": left,
            "right": right,
            "ties": len(data) - left - right,
            "comparisons_per_item": spread(met),
        }

    def items(self, data: Comparisons) -> Ids:
        """Ids of what was compared."""
        return data.items

    def columns(self, data: Comparisons) -> dict[str, list[Any]]:
        """Return one row a comparison."""
        return data.columns()


def _number(data: Comparisons, chosen: Flags) -> int:
    """Count some of the answers, of which a row may stand for several."""
    return int(chosen.sum() if data.times is None else data.times[chosen].sum())
