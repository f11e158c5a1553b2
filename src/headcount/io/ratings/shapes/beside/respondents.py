"""Questions of a form that are about respondents, and not about items."""

from __future__ import annotations

from collections.abc import Sequence

from headcount.errors import DataError, count, option, some
from headcount.io.roles.names import ABOUT_THEM
from headcount.io.tables.table import Table
from headcount.io.values.option_list import Several
from headcount.io.values.points import on_one_scale

__all__ = ["odd_questions"]

LEAST = 2
"""Questions of one table that show what the items are."""


def _stem(name: str) -> str:
    """Take what is asked of all items of a table, of which the name ends with one in brackets."""
    return name.partition("[")[0].strip() if name.endswith("]") else ""


def odd_questions(
    table: Table, columns: Sequence[int], seen: Sequence[set[str]]
) -> DataError | None:
    """Error for a form that asks other things than ratings of items, with what to leave out.

    That are questions beside a table of items (``How good is it? [item 3]``), those about
    respondents by their words (age, gender, experience), and those whose answers no other
    question has.
    """
    names = [table.names[i] for i in columns]
    stems = [_stem(name.strip()) for name in names]
    tables = {stem for stem in stems if stem and stems.count(stem) >= LEAST}
    if len(tables) > 1:
        return DataError(
            f"{table.source}: several tables of items, of which other things are asked: "
            f"{some(sorted(tables), 12)}. Read one at a time, and leave out the columns of the "
            f"others with {option('ignore', '...')}."
        )
    if tables:
        odd = [name for name, stem in zip(names, stems, strict=True) if stem not in tables]
    else:
        odd = [name for name in names if ABOUT_THEM.search(name.replace("_", " "))]
        rest = [own for name, own in zip(names, seen, strict=True) if name not in odd]
        if len(rest) >= LEAST:
            odd += [
                name
                for name, own in zip(names, seen, strict=True)
                if name not in odd
                and not any(
                    own & other or on_one_scale(own, other) for other in rest if other is not own
                )
            ]
    if not odd or len(names) - len(odd) < LEAST:
        return None
    is_one = len(odd) == 1
    return DataError(
        f"{table.source}: rows are answers to a form, and {some(odd, 12)} "
        f"{'asks' if is_one else 'ask'} something else than the other "
        f"{count(len(names) - len(odd), 'question')}. Leave "
        f"{'it' if is_one else 'them'} out with "
        f"{option('ignore', odd[0] if is_one else Several(odd))}; if all are ratings of items, "
        f"name the labels with {option('labels', '...')}."
    )
