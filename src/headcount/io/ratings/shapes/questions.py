"""Several questions of each item in one table of ratings: which one is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from headcount.errors import DataError, closest, option, some
from headcount.io.ratings.shapes.base import Asked
from headcount.io.roles.names import REMARKS
from headcount.io.roles.roles import plain_name
from headcount.io.tables.some_rows import SomeRows
from headcount.io.tables.table import Table

__all__ = ["one_question", "repeats", "which_question"]


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
    codes, texts = table.codes(asked.asks)
    if question is None:
        if len(texts) < 2 or "label" not in roles or not _answers_repeat(table, roles):
            return asked, roles
        raise which_question(table, texts, None)
    if question not in texts:
        raise which_question(table, texts, question)
    kept = SomeRows(table, codes == texts.index(question), "another question")
    return replace(asked, table=kept), roles


def _answers_repeat(table: Table, roles: Mapping[str, int]) -> bool:
    """Whether a rater answers an item more than once."""
    if "rater" not in roles or "item" not in roles:
        return True
    item, rater = table.codes(roles["item"])[0], table.codes(roles["rater"])
    pairs = item * (len(rater[1]) + 1) + rater[0]
    return len(np.unique(pairs)) < len(pairs)


def which_question(table: Table, questions: Sequence[str], question: str | None) -> DataError:
    """Error for a question that was not chosen, or is not there: the questions are listed."""
    if question is None:
        return DataError(
            f"{table.source}: several questions of each item: {some(questions, 20)}. Choose one "
            f"with {option('question', questions[0])}."
        )
    near = closest(question, questions)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    return DataError(
        f"{table.source}: no question '{question}'.{hint} Questions: {some(questions, 20)}."
    )


def repeats(table: Table, column: int) -> bool:
    """Whether a value stands in several rows."""
    codes, texts = table.codes(column)
    return int((codes >= 0).sum()) > len(texts)
