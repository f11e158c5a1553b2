"""Several questions in one table: which one is read."""

from __future__ import annotations

from collections.abc import Sequence

from headcount.errors import DataError, closest, option, some
from headcount.io.tables.some_rows import SomeRows
from headcount.io.tables.table import Table

__all__ = ["rows_of_question", "which_question"]


def rows_of_question(table: Table, column: int, question: str) -> Table:
    """Keep the rows of one question, of which a column names the questions."""
    codes, texts = table.codes(column)
    if question not in texts:
        raise which_question(table, texts, question)
    return SomeRows(table, codes == texts.index(question), "another question")


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
