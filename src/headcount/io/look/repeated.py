"""Things that were labelled under several ids: items whose texts are the same."""

from __future__ import annotations

import numpy as np

from headcount.errors import count
from headcount.io.roles.roles import plain_name
from headcount.io.tables.table import Table
from headcount.results.notes import Note

__all__ = ["repeated_texts"]

TEXTS = frozenset(
    {"text", "prompt", "sentence", "content", "document", "comment_text", "tweet", "post", "url"}
)
"""Names of columns that hold what was labelled."""


def repeated_texts(table: Table, item: str) -> list[Note]:
    """Caution if items with different ids have the same text.

    Parameters
    ----------
    table : Table
    item : str
        The column of items.
    """
    if item not in table.names:
        return []
    ids = table.names.index(item)
    columns = [i for i, name in enumerate(table.names) if plain_name(name) in TEXTS and i != ids]
    notes: list[Note] = []
    for column in columns:
        if {ids, column} & set(table.nested()):
            continue
        items, texts = table.codes(ids)[0], table.codes(column)[0]
        given = (items >= 0) & (texts >= 0)
        pairs = np.unique(np.stack([items[given], texts[given]], axis=1), axis=0)
        ids_of_text = np.bincount(pairs[:, 1])
        again = int((ids_of_text[ids_of_text > 1] - 1).sum())
        if again:
            notes.append(
                Note(
                    f"{table.source}: {count(again, 'item')} of {len(np.unique(pairs[:, 0])):,} "
                    f"repeat the {table.names[column]} of another one: the same thing was labelled "
                    "under several ids, and counts as several.",
                    "caution",
                )
            )
    return notes
