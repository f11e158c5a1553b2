"""Predictions of which every row is an item."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.data.predictions import Predictions
from headcount.data.vocabulary import as_ids
from headcount.errors import DataError, some
from headcount.io.predictions.build import (
    Found,
    build,
    column_said,
    confidence_of,
    items_of,
    labels_of,
)
from headcount.io.predictions.kinds import (
    CONFIDENCE,
    Confident,
    Distribution,
    Said,
    are_scores,
)
from headcount.io.predictions.no_predictions import Beside, check_aspects
from headcount.io.predictions.probability_columns import (
    are_probabilities,
    check_label_columns,
    columns_of_shares,
    one_hot,
    refuse_percentages,
    split_names,
)
from headcount.io.predictions.records import spread
from headcount.io.reading import Reading
from headcount.io.roles.names import ROLES
from headcount.io.roles.roles import plain_name
from headcount.io.tables.table import Table
from headcount.results.notes import Notes

__all__ = ["WidePredictions"]

NUMBERED = frozenset({*ROLES["classifier"], *ROLES["rater"], "llm", "run", "seed", "fold"})
"""What stands before the numbers of several classifiers."""


@dataclass(frozen=True)
class WidePredictions:
    """Predictions of which every row is an item."""

    table: Table
    reading: Reading
    notes: Notes
    item: int
    labels: Sequence[str] = ()

    def read(self) -> Predictions:
        """Take what each column, or group of columns, says."""
        table, column = self.table, self.item
        codes, texts = items_of(table, column, self.reading, self.notes)
        if len(texts) < len(codes):
            first = np.unique(codes, return_index=True)[1]
            again = int(np.setdiff1d(np.arange(len(codes)), first)[0])
            doubled = [texts[code] for code in np.flatnonzero(np.bincount(codes) > 1)]
            raise DataError(
                f"{table.at(again)}: item '{texts[codes[again]]}' has predictions already. Keep "
                f"one row per item; repeated: {some(doubled)}. Where rows are of several models, "
                f"call the column that tells them apart 'model'. {table.doubt}".rstrip()
            )
        columns = self._columns()
        if not columns:
            raise DataError(f"{table.source}: no classifier; the only column is the item's.")
        check_aspects(table, columns)
        found = Found(item=column, items=as_ids(texts), row=np.arange(len(codes)))
        return build(table, found, self._said(columns), self.notes)

    def _columns(self) -> list[int]:
        """Columns that hold predictions; what stands beside them is left out."""
        table = self.table
        chosen = {name for name, _ in self.reading.where}
        columns = [
            i for i, name in enumerate(table.names) if i != self.item and name not in {"", *chosen}
        ]
        return Beside(table, columns, self.labels).left(self.notes)

    def _said(self, columns: list[int]) -> list[Said]:
        table, nested = self.table, set(self.table.nested())
        soft = self._soft([i for i in columns if i not in nested])
        in_soft = {i: name for name, group in soft.items() for i in group}
        sure = self._sure([i for i in columns if i not in nested and i not in in_soft])
        said: dict[str, Said] = {}
        for i in columns:
            name = in_soft.get(i, table.names[i])
            if name in said or i in sure.values():
                continue
            if i in nested:
                said[name] = Distribution(name, spread(table, i))
            elif i in in_soft:
                said[name] = Distribution(
                    name, {label: table.only_numbers(j) for j, label in soft[name].items()}
                )
            elif i in sure:
                codes, texts = labels_of(table, i, self.reading, self.notes)
                confidence = confidence_of(table, sure[i])
                said[name] = Confident(name, codes, texts, confidence, table.source)
            else:
                said[name] = column_said(table, i, self.reading, self.notes, self.labels)
        return list(said.values())

    def _soft(self, columns: list[int]) -> dict[str, dict[int, str]]:
        """Columns of probabilities and their labels, by classifier.

        They are called name:label; or anything, if the numbers of every row sum to 1.
        """
        names = self.table.names
        groups: dict[str, list[int]] = {}
        for i in columns:
            groups.setdefault(names[i].rpartition(":")[0], []).append(i)
        for name, group in groups.items():
            if name and len(group) > 1:
                refuse_percentages(self.table, group)
        soft = {
            name: {i: names[i].rpartition(":")[2].strip() for i in group}
            for name, group in groups.items()
            if name and len(group) > 1 and are_probabilities(self.table, group)
        }
        alone = [i for i in groups.get("", []) if names[i].strip().lower() not in CONFIDENCE]
        shares = columns_of_shares(self.table, alone) or one_hot(self.table, alone, self.labels)
        self._check_labels(groups, [*soft], alone if not shares else [])
        if shares:
            name, labels = split_names([names[i] for i in shares])
            soft[name] = dict(zip(shares, labels, strict=True))
            self.notes.info(
                f"{self.table.source}: {some([names[i] for i in shares], 12)} sum to 1 in every "
                f"row, and are read as the probabilities of {some(labels, 12)} by one classifier, "
                f"'{name}'. Columns of several are called name:label."
            )
        return soft

    def _check_labels(
        self, groups: Mapping[str, list[int]], soft: Collection[str], alone: Sequence[int]
    ) -> None:
        """Refuse columns that are called like labels and hold no probabilities of them."""
        names = self.table.names
        for name, group in groups.items():
            if name and name not in soft:
                check_label_columns(
                    self.table, group, [names[i].rpartition(":")[2].strip() for i in group]
                )
        if len(alone) > 1:
            numbers = [i for i in alone if not self.table.numbers(i)[1].any()]
            refuse_percentages(self.table, numbers)
            name, labels = split_names([names[i] for i in numbers]) if numbers else ("", [])
            alike = all(names[i].startswith(name) for i in numbers)
            if not (alike and plain_name(name) in NUMBERED):  # judge_1 and judge_2 are two judges
                check_label_columns(self.table, numbers, labels)

    def _sure(self, columns: list[int]) -> dict[int, int]:
        """Columns of verdicts, with the column of the confidence of each."""
        names = {i: self.table.names[i].strip().lower() for i in columns}
        sure: dict[int, int] = {}
        for i, name in names.items():
            for word in CONFIDENCE:
                stem = name.removesuffix(word).rstrip("_ .:-")
                if name.endswith(word) and stem in names.values() and stem != name:
                    verdict = next(j for j, other in names.items() if other == stem)
                    sure.setdefault(verdict, i)
        if sure:
            return {i: j for i, j in sure.items() if self._fits(i, j)}
        alone = [i for word in CONFIDENCE for i, name in names.items() if name == word]
        others = [i for i in columns if i not in alone]
        if alone and len(others) == 1 and self._fits(others[0], alone[0]):
            return {others[0]: alone[0]}
        return {}

    def _fits(self, verdict: int, confidence: int) -> bool:
        """Whether one column holds labels and the other numbers; a score must be from 0 to 1."""
        numbers, wrong = self.table.numbers(confidence)
        if wrong.any() or np.isnan(numbers).all():
            return False
        score = self.table.names[confidence].strip().lower().endswith("score")
        if score and not ((np.nan_to_num(numbers) >= 0) & (np.nan_to_num(numbers) <= 1)).all():
            return False
        labels, no_number = self.table.numbers(verdict)
        return bool(no_number.any()) or not are_scores(labels)
