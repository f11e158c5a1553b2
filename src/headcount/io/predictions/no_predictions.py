"""Columns of wide predictions that hold none: remarks, records, the truth, what was computed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from headcount.data.vocabulary import number_of
from headcount.errors import DataError, option, some
from headcount.io.predictions.kinds import CONFIDENCE
from headcount.io.predictions.records import labels_in, may_be_shares
from headcount.io.ratings.shapes.beside.decided import tell_agreement
from headcount.io.roles.names import (
    ABOUT_MODELS,
    ASPECTS,
    RECORD_ENDS,
    RECORD_PARTS,
    RECORD_WORDS,
    REMARKS,
    TRUTH_WORDS,
)
from headcount.io.roles.roles import is_remark, plain_name, written_lists
from headcount.io.tables.table import Table
from headcount.io.values.merges import any_form
from headcount.io.values.option_list import Several
from headcount.results.notes import Notes

__all__ = ["Beside", "check_aspects"]

MOST_WORDS = 20
"""Different words from which on a column that repeats few of them is a text, not a label."""
LEAST_ROWS = 12
"""Rows from which on numbers that count them are no scores."""
MOST_COLUMNS = 12
"""Columns in which a comparison of two others is looked for."""


@dataclass(frozen=True)
class Beside:
    """Columns that may hold predictions, and what raters say, as far as that is known.

    Parameters
    ----------
    table : Table
    columns : sequence of int
    labels : sequence of str
        Of the raters; none if nobody knows.
    """

    table: Table
    columns: Sequence[int]
    labels: Sequence[str]

    def left(self, notes: Notes) -> list[int]:
        """Columns that hold predictions; the others are told."""
        table = self.table
        remarks = [i for i in self.columns if self._is_remark(i)]
        others = [i for i in self.columns if i not in remarks]
        flat = [i for i in others if i not in table.nested()]
        true = [i for i in flat if self._called(i) in TRUTH_WORDS]
        texts = [i for i in flat if len(others) > 1 and (self._is_text(i) or self._is_record(i))]
        rest = [i for i in others if i not in {*texts, *true}]
        about = [i for i in rest if i in flat and self._is_about(i, rest)]
        texts += about if len(about) < len(rest) else []
        out = [*remarks, *texts] if len(others) > len(texts) else []
        if true and len(others) > len({*texts, *true}):
            out += [i for i in true if i not in out]
            self._tell(
                notes, true, "holds the truth, or what people say, by the name, and is no "
                "classifier. If it is one, rename it",
            )  # fmt: skip
        compared = [*self._compared([i for i in flat if i not in texts], true)]
        if not {*self.columns} - {*out, *compared}:  # with two labels, each tells of the others
            compared = compared[1:]
        if compared:
            out += compared
            self._tell(notes, compared, "says in every row whether two other columns are the same")
        self._check_records([i for i in self.columns if i not in out])
        told = {*true, *compared}
        if set(out) - told:
            names = some([table.names[i] for i in out if i not in told], 12)
            notes.caution(
                f"{table.source}: columns that hold no predictions are left out: {names}."
            )
        return [i for i in self.columns if i not in out]

    def _check_records(self, columns: Sequence[int]) -> None:
        """Refuse columns that, by their names, all say how rows came to be: ``latency_ms``."""
        flat = [i for i in columns if i not in self.table.nested()]
        known = {any_form(label) for label in self.labels}
        if not known or len(flat) < len(columns) or not all(map(self._is_record, flat)):
            return
        if not all(known.issuperset(map(any_form, self.table.codes(i)[1])) for i in flat):
            raise DataError(
                f"{self.table.source}: no column holds predictions; by their names, "
                f"{some([self.table.names[i] for i in flat], 12)} says how rows came to be. If it "
                "is a classifier, rename it."
            )

    def _tell(self, notes: Notes, columns: Sequence[int], why: str) -> None:
        names = some([self.table.names[i] for i in columns])
        notes.caution(f"{self.table.source}: {names} {why}.")

    def _called(self, column: int) -> str:
        return plain_name(self.table.names[column])

    def _is_remark(self, column: int) -> bool:
        """Whether a column holds a reason, a text, or lists that are no probabilities."""
        table = self.table
        if column in table.nested():
            alone = len(self.columns) == 1
            return labels_in(table.cells(column)) is None or not (
                alone or may_be_shares(table, column)
            )
        name, names = self._called(column), [self._called(i) for i in self.columns]
        if table.names[column].strip().lower() in REMARKS:
            return True
        remark = is_remark(name, names) or name in CONFIDENCE[:3]
        return remark and bool(table.numbers(column)[1].any())

    def _is_record(self, column: int) -> bool:
        """Whether a column says how or when a record came to be, or says nothing."""
        name = self._called(column)
        if self._numbers_rows(column):
            return True
        if name in RECORD_WORDS or name.startswith("_") or name.endswith(RECORD_ENDS):
            return True
        if {*name.split("_")} & RECORD_PARTS:
            return True
        numbers, wrong = self.table.numbers(column)
        return ":" not in name and not wrong.any() and bool(np.isnan(numbers).all())

    def _numbers_rows(self, column: int) -> bool:
        """Whether a column counts the rows, from 0 or 1 on, as programs write their index."""
        numbers, wrong = self.table.numbers(column)
        if wrong.any() or len(numbers) < LEAST_ROWS:
            return False
        rows = np.arange(len(numbers))
        return bool((numbers == rows).all() or (numbers == rows + 1).all())

    def _is_text(self, column: int) -> bool:
        """Whether a column holds texts: lists, or many that hardly ever come twice; no numbers."""
        if not self.table.numbers(column)[1].any():
            return False
        if written_lists(self.table, [column]):
            return True
        codes, texts = self.table.codes(column)
        if len(texts) <= MOST_WORDS or len(texts) < 0.5 * int((codes >= 0).sum()):
            return False
        return any(number_of(text) is None for text in texts)

    def _is_about(self, column: int, columns: Sequence[int]) -> bool:
        """Whether a column says of whom or of what predictions are: the model, the run, the task.

        It says one thing in all rows, or is called so; and shares nothing with what raters or
        other columns say.
        """
        table, name = self.table, self._called(column)
        called = name in ABOUT_MODELS
        others = [i for i in columns if i != column and not self._called(i).endswith(CONFIDENCE)]
        if ":" in name or not others:
            return False
        numbers = table.numbers(column)[0]
        if not called and np.nanmin(numbers, initial=np.inf) < np.nanmax(numbers, initial=-np.inf):
            return False  # of many different numbers, texts would take long
        texts = table.codes(column)[1]
        if len(texts) > 1 and not called:
            return False
        own = {any_form(text) for text in texts}
        known = {any_form(label) for label in self.labels}
        flat = (i for i in others if i not in table.nested())
        said = ({any_form(text) for text in table.codes(i)[1]} for i in flat)  # as far as is asked
        if len(texts) > 1:  # of several things, where other columns say what raters say
            return bool(known) and not own & known and any(one & known for one in said)
        if not texts or number_of(texts[0]) is not None:
            return called and bool(texts)  # a number of a run, or of tries
        parts = {part for i in others for part in re.split("[:_ ]", self._called(i))}
        return not own & known.union(parts, *said)

    def _compared(self, columns: Sequence[int], true: Sequence[int]) -> Iterator[int]:
        """Columns of two values that tell where two others are the same, one of them the truth."""
        if not true or len(columns) > MOST_COLUMNS:
            return
        codes = {i: self.table.codes(i) for i in columns}
        for column in columns:
            if column in true or len(codes[column][1]) != 2:
                continue
            pairs = combinations([i for i in columns if i != column], 2)
            if any(
                tell_agreement(codes[column][0], codes[one], codes[other])
                for one, other in pairs
                if {one, other} & {*true}
            ):
                yield column


def check_aspects(table: Table, columns: Sequence[int]) -> None:
    """Refuse columns that are called by what was asked: helpfulness, correctness.

    Each answers another question, and people were asked one.
    """
    asked = [_aspect(table.names[i]) for i in columns]
    if len({*asked}) < 2 or None in asked:
        return
    names = [table.names[i] for i in columns]
    others = Several([name for name, one in zip(names, asked, strict=True) if one != asked[0]])
    raise DataError(
        f"{table.source}: columns are called by what was asked ({some(names)}), so that each "
        "answers a question of its own. Read the one that people were asked, and leave the others "
        f"out with {option('ignore', others)}; if these are classifiers, name them otherwise."
    )


def _aspect(name: str) -> str | None:
    """Take what is asked out of a name: tone of ``gpt_tone``."""
    plain = plain_name(name)
    found = [one for one in ASPECTS if plain == one or plain.endswith(f"_{one}")]
    return max(found, key=len) if found else None
