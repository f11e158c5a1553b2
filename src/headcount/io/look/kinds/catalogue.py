"""The kinds of content, in the order in which they are tried."""

from __future__ import annotations

from headcount.io.look.kinds.base import Kind
from headcount.io.look.kinds.compared import Compared
from headcount.io.look.kinds.gold import Gold
from headcount.io.look.kinds.grouped import Grouped
from headcount.io.look.kinds.predicted import Predicted
from headcount.io.look.kinds.rated import Rated
from headcount.io.tables.table import Table

__all__ = ["KINDS", "kind_of"]


KINDS: tuple[Kind, ...] = (Compared(), Grouped(), Gold(), Predicted(), Rated())
"""Kinds, in the order in which they are tried."""


def kind_of(table: Table, file: str) -> Kind:
    """Choose the kind of a table: the first in the list that claims it."""
    return next(kind for kind in KINDS if kind.claims(table, file))
