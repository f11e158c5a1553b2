"""Ratings of items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from headcount.data.labels import Labels
from headcount.errors import count
from headcount.io.look.kinds.base import ALL, Kind
from headcount.io.look.kinds.words import named, shares, spread
from headcount.io.look.records import Share
from headcount.io.ratings.ratings import read_ratings
from headcount.io.ratings.shapes.base import Asked
from headcount.io.ratings.shapes.catalogue import shape_of
from headcount.io.tables.table import Table
from headcount.typing import Ids

__all__ = ["Rated"]


class Rated(Kind):
    """What raters say of items: anything that is nothing else."""

    name, reader = "ratings", "read_ratings"
    takes = ALL | {"item", "rater", "label", "labels", "duplicates", "transpose"}

    def claims(self, table: Table, file: str) -> bool:
        """Anything may be ratings."""
        return True

    def read(self, data: Any, options: Mapping[str, Any]) -> Labels:
        """Read ratings."""
        return read_ratings(data, **options)

    def sentence(self, data: Labels) -> str:
        """Say how many items and raters there are."""
        items = count(len(np.unique(data.item)), "item")
        per = spread(np.bincount(data.item))
        each = f"{per['min']}" if per["min"] == per["max"] else f"{per['min']} to {per['max']}"
        who = "anonymous raters" if data.anonymous else count(data.n_raters or 0, "rater")
        full = not data.anonymous and per["min"] == per["max"] == data.n_raters
        times = "" if full else f" ({each} rating{'' if each == '1' else 's'} per item)"
        return f"{items} x {who}{times}, {named(data.scale.labels)}"

    def counts(self, data: Labels) -> dict[str, Any]:
        """Count items, raters, ratings and labels."""
        by = None if data.anonymous else spread(np.bincount(data.rater))
        return {
            "items": len(np.unique(data.item)),
            "raters": data.n_raters,
            "ratings": len(data),
            "labels": len(data.scale),
            "ratings_per_item": spread(np.bincount(data.item)),
            "ratings_per_rater": by,
        }

    def items(self, data: Labels) -> Ids:
        """Ids of the items."""
        return data.items

    def balance(self, data: Labels) -> dict[str, tuple[Share, ...]]:
        """Return the share of each label."""
        counted = np.bincount(data.label, minlength=len(data.scale))
        return {"raters": shares(data.scale.labels, counted)}

    def shape(self, table: Table, options: Mapping[str, Any]) -> str:
        """Name of the shape that readers see."""
        given = {role: options.get(role) for role in ("item", "rater", "label")}
        asked = Asked(
            table,
            given,
            labels=options.get("labels"),
            question=options.get("question"),
            transpose=options.get("transpose"),
        )
        return shape_of(asked).name

    def columns(self, data: Labels) -> dict[str, list[Any]]:
        """Return one row a rating."""
        return data.columns()
