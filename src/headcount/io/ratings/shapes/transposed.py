"""One rater a row, one item a column."""

from __future__ import annotations

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, count, option, some
from headcount.io.ratings.shapes.base import Asked, Ratings, Shape
from headcount.io.ratings.shapes.beside.respondents import odd_questions
from headcount.io.ratings.shapes.orientation import PERSON_NAMES, are_items, are_raters
from headcount.io.ratings.shapes.spread import single, spread
from headcount.io.roles.names import SURVEY_TIMES, SURVEY_WHO, SURVEY_WORDS
from headcount.io.roles.roles import ReadAs, given_role, near_role, plain_name
from headcount.io.tables.table import Coded
from headcount.io.values.points import on_one_scale

__all__ = ["Transposed", "has_items", "is_survey"]


class Transposed(Shape):
    """One rater a row, one item a column."""

    name = "transposed"

    def fits(self, asked: Asked) -> bool:
        """Whether the user says so, or the first column is named as raters are.

        People who may rate or be rated are raters only where columns are called as items are.
        """
        if asked.transpose is not None:
            return asked.transpose
        if is_survey(asked):
            return True
        table, roles = asked.table, asked.roles
        first = asked.rest({})[:1]
        people = [i for i in first if plain_name(table.names[i]) in PERSON_NAMES]
        if people and not roles and not any(asked.given.values()):
            roles = {"rater": people[0]}
        rater = roles.get("rater")
        columns = [table.names[i] for i in asked.rest(roles)]
        if are_raters(columns) or (people and not are_items(columns)):
            return False
        if set(roles) != {"rater"} or rater not in first:
            return False
        if asked.given["rater"] is not None or len(asked.rest(roles)) < 2 or asked.nested:
            return False
        if near_role(columns, "label"):
            return False
        codes, texts = table.codes(first[0])
        return len(texts) == len(codes)

    def read(self, asked: Asked) -> Ratings:
        """Take the raters from the rows."""
        table = asked.table
        if _times(asked) and (refusal := _odd(asked)) is not None:
            raise refusal
        raters, called, items = self._of_survey(asked) if _times(asked) else self._of_table(asked)
        names = [table.names[i] for i in items]
        made = spread(asked, raters, items, names, transposed=True)
        text = (
            f"{table.source}: read as wide with raters as rows; rater = '{called}', "
            f"{count(len(items), 'item')}: {some(names, 12)}. If rows are items, say "
            f"{option('transpose', False)}."
        )
        made.notes.extend([ReadAs(text, {"rater": called})])
        return made

    @staticmethod
    def _of_table(asked: Asked) -> tuple[Coded, str, list[int]]:
        """Raters, what the column of them is called, and columns of items."""
        table = asked.table
        named = asked.roles.get("rater", asked.roles.get("item"))
        column = _first(asked) if named is None else named
        items = [i for i in asked.rest({}) if i != column]
        if not items:
            raise single(table, column)
        return table.codes(column), table.names[column], items

    @staticmethod
    def _of_survey(asked: Asked) -> tuple[Coded, str, list[int]]:
        """Take respondents by their address or number; without, each row is another one."""
        table, items = asked.table, _questions(asked)
        given = asked.given["rater"]
        who = _who(asked) if given is None else given_role(table, "rater", given)
        if not items:
            raise single(table, 0)
        if who is not None:
            return table.codes(who), table.names[who], items
        numbers = [str(number) for number in table.row_numbers().tolist()]
        return (np.arange(table.rows), numbers), "number of the row", items


def _first(asked: Asked) -> int:
    """Column of raters where none is called so: the first, unless it only numbers the rows."""
    rest = asked.rest({}) or [0]
    if rest[0] == 0 or all(number_of(text) is not None for text in asked.table.codes(0)[1]):
        return rest[0]
    return 0  # without a name, as the index of a frame is written


def _times(asked: Asked) -> list[str]:
    """Columns that say when somebody answered a survey."""
    return [name for name in asked.table.names if plain_name(name) in SURVEY_TIMES]


def _questions(asked: Asked) -> list[int]:
    return [i for i in asked.rest({}) if plain_name(asked.table.names[i]) not in SURVEY_WORDS]


def _who(asked: Asked) -> int | None:
    """Find the column that tells respondents apart."""
    table = asked.table
    plain = [plain_name(name) for name in table.names]
    for name in SURVEY_WHO:
        if name in plain:
            codes, texts = table.codes(plain.index(name))
            if len(texts) == int((codes >= 0).sum()) and 2 * len(texts) > len(codes):
                return plain.index(name)
    return None


def _odd(asked: Asked) -> DataError | None:
    """Error for questions about respondents, unless the user says what all labels are."""
    questions = _questions(asked)
    if asked.labels is not None or asked.transpose is not None:
        return None
    return odd_questions(asked.table, questions, [set(asked.table.codes(i)[1]) for i in questions])


def has_items(asked: Asked) -> bool:
    """Whether a column is called as items are, and not as respondents, and differs in every row."""
    table, column = asked.table, asked.roles.get("item")
    if column is None or column in asked.nested or plain_name(table.names[column]) in SURVEY_WHO:
        return False
    codes, texts = table.codes(column)
    return len(texts) == len(codes)


def is_survey(asked: Asked) -> bool:
    """Whether rows are answers of respondents to questions that are answered alike."""
    table, times = asked.table, _times(asked)
    if not times or any(asked.given.values()) or asked.nested or "label" in asked.roles:
        return False
    if "rater" in asked.roles and _who(asked) != asked.roles["rater"]:
        return False
    if has_items(asked):
        return False
    questions = _questions(asked)
    if len(questions) < 2:
        return False
    seen = [set(table.codes(i)[1]) for i in questions]
    if _odd(asked) is not None:
        return True
    return all(
        any(own & other or on_one_scale(own, other) for other in seen if other is not own)
        for own in seen
    )
