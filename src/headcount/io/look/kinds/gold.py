"""The true labels of items."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from headcount.data.facts import Facts
from headcount.data.vocabulary import as_ids
from headcount.errors import count
from headcount.io.facts.true_labels import read_truth
from headcount.io.look.kinds.base import Kind
from headcount.io.look.kinds.words import by_number, named, shares
from headcount.io.look.records import Share
from headcount.io.roles.roles import find_role
from headcount.io.tables.table import Table
from headcount.typing import Ids

__all__ = ["Gold"]

GOLD_FILE = re.compile(r"(?i).*(?:gold|truth|qrels|reference).*")
"""Names that files of gold labels have, where columns do not tell."""
TRUTH = ("gold", "truth", "gold_label", "true_label", "ground_truth", "gold_value")


class Gold(Kind):
    """The true label of each item."""

    name, reader, takes = "gold", "read_truth", frozenset({"item", "label"})

    def claims(self, table: Table, file: str) -> bool:
        """Whether a column of two is called so, or the file, with one row an item."""
        names = table.names
        if table.form != "named" or len(names) != 2 or table.nested():
            return False
        item = find_role(names, "item")
        truth = [name.strip().lower() in TRUTH for name in names]
        if any(truth):
            return True
        label = find_role(names, "label", besides=item)
        codes, texts = table.codes(0 if item is None else item)
        once = len(texts) == len(codes)
        return once and label is not None and GOLD_FILE.match(file) is not None

    def read(self, data: Any, options: Mapping[str, Any]) -> Facts[str]:
        """Read gold labels."""
        return read_truth(data, **options)

    def sentence(self, data: Facts[str]) -> str:
        """Say of how many items."""
        return f"gold labels of {count(len(data), 'item')}, {named(sorted(set(data.values())))}"

    def counts(self, data: Facts[str]) -> dict[str, Any]:
        """Count items and labels."""
        return {"items": len(data), "labels": len(set(data.values()))}

    def items(self, data: Facts[str]) -> Ids:
        """Ids of the items."""
        return as_ids(list(data))

    def balance(self, data: Facts[str]) -> dict[str, tuple[Share, ...]]:
        """Return the share of each true label."""
        labels = sorted(set(data.values()), key=by_number)
        said = list(data.values())
        return {"gold": shares(labels, np.array([said.count(label) for label in labels]))}

    def columns(self, data: Facts[str]) -> dict[str, list[Any]]:
        """Return one row an item."""
        return {"item": list(data), "gold": list(data.values())}
