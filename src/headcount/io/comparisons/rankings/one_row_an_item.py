"""One row an item of a ranking, with its rank."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from headcount.io.comparisons.rankings.base import Entries, Ranked
from headcount.io.comparisons.rankings.names import all_named, named
from headcount.io.reading import Reading
from headcount.io.roles.roles import find_role, plain_name
from headcount.io.tables.table import Table
from headcount.io.values.cells import ids_of
from headcount.results.notes import Notes

__all__ = ["OneRowAnItem"]

RANKS = ("rank", "place", "position", "ranking", "pos")
"""Names of a column that says which place an item has."""
BALLOTS = ("ranking", "ranking_id", "ballot", "ballot_id", "question", "question_id", "task",
           "task_id", "trial", "prompt", "prompt_id", "set", "set_id", "rater", "worker",
           "annotator", "judge", "user", "voter", "respondent", "parent_id")  # fmt: skip
"""Names of columns that say which ranking a row is of."""


class OneRowAnItem(Ranked):
    """One row an item of a ranking: which ranking, which item, and its place; equal is a tie."""

    needed = ("item", "rank")
    kind = "the rank of an item, 1 for the best"

    def find(self, table: Table, given: Mapping[str, str | None]) -> dict[str, int] | None:
        """Look for an item, its rank, and what says which rows belong together."""
        rank = named(table.names, RANKS)
        if rank is None or any(given.values()):
            return None
        if any(find_role(table.names, role) is not None for role in ("outcome", "loser")):
            return None
        item = find_role(table.names, "item")
        ranked = named(table.names, ("model", "system", "option", "candidate", "model_name"))
        # A question is what items are ranked for, where something else may be the item.
        asked = item is not None and plain_name(table.names[item]) in BALLOTS
        item = ranked if item in (None, rank) or (asked and ranked is not None) else item
        ballots = all_named(table.names, BALLOTS, besides=(rank, item))
        if item is None or not ballots or table.numbers(rank)[1].any():
            return None
        who = find_role(table.names, "rater")
        apart = {f"ranking {i}": c for i, c in enumerate(ballots, 1) if c != who}
        return {"item": item, "rank": rank} | apart

    def entries(
        self, table: Table, roles: Mapping[str, int], reading: Reading, notes: Notes
    ) -> Entries:
        """Put rows of the same ranking together."""
        item, items = ids_of(table, roles["item"], reading, role="item", notes=notes)
        level = table.only_numbers(roles["rank"])
        who = find_role(table.names, "rater")
        beside = [column for role, column in roles.items() if role not in self.needed]
        columns = [*beside, *([] if who is None or who in roles.values() else [who])]
        codes = np.stack([table.codes(column)[0] for column in columns])
        known = (codes >= 0).all(axis=0) & ~np.isnan(level)
        ranking = np.unique(codes[:, known], axis=1, return_inverse=True)[1].reshape(-1)
        return Entries(
            ranking=ranking,
            item=item[known],
            level=np.unique(level[known], return_inverse=True)[1].reshape(-1),
            row=np.flatnonzero(known),
            items=items,
        )
