"""Several questions of each item in one table of ratings: which one is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from headcount.io.ratings.shapes.base import Asked
from headcount.io.roles.names import REMARKS
from headcount.io.roles.questions import rows_of_question, which_question
from headcount.io.roles.roles import plain_name
from headcount.io.tables.table import Table

__all__ = ["one_question", "repeats"]


def one_question(asked: Asked, roles: dict[str, int]) -> tuple[Asked, dict[str, int]]:
    """Choose one question, where raters answer several of an item; list them if none is chosen."""
    table, question = asked.table, asked.question
    if "label" not in roles and {"item", "rater"} <= set(roles):
        rest = [i for i in asked.rest(roles) if i not in asked.nested]
        if len(rest) > 1 and repeats(table, roles["item"]):
            remarks = [i for i in rest if plain_name(table.names[i]) in REMARKS]
            asked_of = [i for i in rest if i not in remarks] if len(remarks) < len(rest) else rest
            if len(asked_of) > 1:
                raise which_question(table, [table.names[i] for i in asked_of], question)
            roles = {**roles, "label": asked_of[0]}
    if question is None and asked.asks is None:
        return asked, roles
    if question is not None and question in table.names:
        return asked, roles
    if asked.asks is None:
        raise which_question(table, [table.names[i] for i in asked.rest(roles)], question)
    texts = table.codes(asked.asks)[1]
    if question is None:
        if len(texts) < 2 or "label" not in roles or not _answers_repeat(table, roles):
            return asked, roles
        raise which_question(table, texts, None)
    return replace(asked, table=rows_of_question(table, asked.asks, question)), roles


def _answers_repeat(table: Table, roles: Mapping[str, int]) -> bool:
    """Whether a rater answers an item more than once."""
    if "rater" not in roles or "item" not in roles:
        return True
    item, rater = table.codes(roles["item"])[0], table.codes(roles["rater"])
    pairs = item * (len(rater[1]) + 1) + rater[0]
    return len(np.unique(pairs)) < len(pairs)


def repeats(table: Table, column: int) -> bool:
    """Whether a value stands in several rows."""
    codes, texts = table.codes(column)
    return int((codes >= 0).sum()) > len(texts)
