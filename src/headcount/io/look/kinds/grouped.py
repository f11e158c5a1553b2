"""Groups of classifiers or raters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headcount.data.facts import Facts
from headcount.data.vocabulary import as_ids
from headcount.errors import count
from headcount.io.facts.groups import read_groups
from headcount.io.look.kinds.base import Kind
from headcount.io.roles.roles import find_role
from headcount.io.tables.table import Table
from headcount.typing import Ids

__all__ = ["Grouped"]


class Grouped(Kind):
    """Which classifiers may err together."""

    name, reader = "groups", "read_groups"

    def claims(self, table: Table, file: str) -> bool:
        """Whether there are columns of classifiers and groups, and no labels."""
        names = table.names
        who = find_role(names, "classifier")
        return (
            len(names) == 2
            and who is not None
            and find_role(names, "group", besides=who) is not None
        )

    def read(self, data: Any, options: Mapping[str, Any]) -> Facts[str]:
        """Read groups."""
        return read_groups(data)

    def sentence(self, data: Facts[str]) -> str:
        """Say how many."""
        groups = count(len(set(data.values())), "group")
        return f"{groups} of {count(len(data), 'classifier')}"

    def counts(self, data: Facts[str]) -> dict[str, Any]:
        """Count classifiers and groups."""
        return {"classifiers": len(data), "groups": len(set(data.values()))}

    def items(self, data: Facts[str]) -> Ids:
        """No items."""
        return as_ids([])

    def columns(self, data: Facts[str]) -> dict[str, list[Any]]:
        """Return one row a classifier."""
        return {"classifier": list(data), "group": list(data.values())}
