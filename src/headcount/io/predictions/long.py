"""Predictions with a row, or one a label, for each item and classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.data.predictions import Predictions
from headcount.data.vocabulary import MISSING, as_ids
from headcount.errors import DataError, count
from headcount.io.predictions.build import (
    Found,
    build,
    check_said,
    confidence_of,
    items_of,
    labels_of,
)
from headcount.io.predictions.kinds import (
    Confident,
    Distribution,
    Numbers,
    Said,
    Verdict,
    are_scores,
)
from headcount.io.predictions.records import spread
from headcount.io.reading import Reading
from headcount.io.tables.table import Table
from headcount.io.values.cells import ids_of
from headcount.results.notes import Notes
from headcount.typing import Codes, Ints

__all__ = ["LongPredictions"]


@dataclass(frozen=True)
class LongPredictions:
    """Predictions with a row, or one a label, for each item and classifier."""

    table: Table
    reading: Reading
    notes: Notes
    item: int
    classifier: int
    said: int
    confidence: int | None
    labels: Sequence[str] = ()

    def read(self) -> Predictions:
        """Take what each classifier says of its rows."""
        table = self.table
        items, item_texts = items_of(table, self.item, self.reading, self.notes)
        owner, names = ids_of(
            table, self.classifier, self.reading, role="classifier", notes=self.notes
        )
        if (owner < 0).any():
            raise _blank(table, np.flatnonzero(owner < 0), self.classifier)
        rows = {name: np.flatnonzero(owner == code) for code, name in enumerate(names)}
        if self.said in table.nested():
            said = self._records(items, len(item_texts), rows)
        else:
            said = self._labels(items, item_texts, rows)
        first = np.unique(items, return_index=True)[1]
        found = Found(item=self.item, items=as_ids(item_texts), row=first)
        return build(table, found, said, self.notes)

    def _records(self, items: Codes, n_items: int, rows: Mapping[str, Ints]) -> list[Said]:
        columns = spread(self.table, self.said)
        said: list[Said] = []
        for name, mine in sorted(rows.items()):
            if len(np.unique(items[mine])) < len(mine):
                raise DataError(
                    f"{self.table.source}: '{name}' has several rows for an item. Keep one."
                )
            own = {label: np.full(n_items, np.nan) for label in columns}
            for label, numbers in columns.items():
                own[label][items[mine]] = numbers[mine]
            said.append(Distribution(name, own))
        return said

    def _labels(
        self, items: Codes, item_texts: Sequence[str], rows: Mapping[str, Ints]
    ) -> list[Said]:
        table, n_items = self.table, len(item_texts)
        numbers, wrong = table.numbers(self.said)
        given, texts = labels_of(table, self.said, self.reading, self.notes)
        check_said(table, self.said, (given, texts), self.notes, self.labels)
        blank = int((given < 0).sum())
        if blank:
            self.notes.caution(
                f"{table.source}: {count(blank, 'row')} without a label: no prediction."
            )
        sure = None if self.confidence is None else table.only_numbers(self.confidence)
        said: list[Said] = []
        for name, mine in sorted(rows.items()):
            once = len(np.unique(items[mine])) == len(mine)
            if once and not wrong[mine].any() and are_scores(numbers[mine]):
                values = np.full(n_items, np.nan)
                values[items[mine]] = numbers[mine]
                said.append(Numbers(name, values))
                continue
            is_hard = sure is None or bool(np.isnan(sure[mine]).all())
            if once:
                codes = np.full(n_items, MISSING)
                codes[items[mine]] = given[mine]
                if is_hard or sure is None:
                    said.append(Verdict(name, codes, texts))
                else:
                    shares = np.full(n_items, np.nan)
                    confidence_of(table, self.confidence or 0)
                    shares[items[mine]] = sure[mine]
                    said.append(Confident(name, codes, texts, shares, table.source))
                continue
            if (given[mine] < 0).any():
                raise _blank(table, mine[given[mine] < 0], self.said)
            self._refuse_twice(name, items, given, mine, (item_texts, texts))
            if is_hard or sure is None:
                counts = np.bincount(items[mine])
                twice = item_texts[int(counts.argmax())]
                raise DataError(
                    f"{table.source}: '{name}' predicts several labels for item '{twice}'. Keep "
                    "one, or add a column of probabilities."
                )
            columns = {text: np.full(n_items, np.nan) for text in texts}
            for text in texts:
                columns[text][items[mine]] = 0.0
            for code, text in enumerate(texts):
                own = mine[given[mine] == code]
                columns[text][items[own]] = sure[own]
            said.append(Distribution(name, columns))
        return said

    def _refuse_twice(
        self,
        name: str,
        items: Codes,
        given: Codes,
        mine: Ints,
        texts: tuple[Sequence[str], Sequence[str]],
    ) -> None:
        """Refuse the same label of an item twice."""
        key = items[mine] * (len(texts[1]) + 1) + given[mine]
        order = np.argsort(key, kind="stable")
        again = np.flatnonzero(key[order[1:]] == key[order[:-1]])
        if len(again):
            row = int(mine[order[again + 1]].min())
            raise DataError(
                f"{self.table.at(row)}: '{name}' predicts label '{texts[1][int(given[row])]}' for "
                f"item '{texts[0][int(items[row])]}' a second time "
                f"({count(len(again), 'such row')}). Keep one."
            )


def _blank(table: Table, rows: Ints, column: int) -> DataError:
    cell = table.at(int(rows[0]), column)
    return DataError(f"{cell}: blank. Fill it in, or remove the row.")
