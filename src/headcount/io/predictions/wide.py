"""Predictions of which every row is an item."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.data.predictions import Predictions
from headcount.data.vocabulary import as_ids, label_text, number_of
from headcount.errors import DataError, some
from headcount.io.predictions.build import (
    Found,
    build,
    column_said,
    confidence_of,
    items_of,
    labels_of,
)
from headcount.io.predictions.probability_columns import (
    are_probabilities,
    check_label_columns,
    columns_of_shares,
    refuse_percentages,
    split_names,
)
from headcount.io.predictions.records import labels_in, spread
from headcount.io.predictions.said import (
    CONFIDENCE,
    Confident,
    Distribution,
    Said,
    are_scores,
)
from headcount.io.reading import Reading
from headcount.io.roles.names import RECORD_ENDS, RECORD_WORDS, REMARKS, ROLES, TRUTH_WORDS
from headcount.io.roles.roles import is_remark, plain_name, written_lists
from headcount.io.tables.table import Table
from headcount.results.notes import Notes

__all__ = ["WidePredictions"]

NUMBERED = frozenset({*ROLES["classifier"], *ROLES["rater"], "llm", "run", "seed", "fold"})
"""What stands before the numbers of several classifiers."""
MOST_WORDS = 20
"""Different words from which on a column that repeats few of them is a text, not a label."""


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
                f"one row per item; repeated: {some(doubled)}. {table.doubt}".rstrip()
            )
        columns = self._columns()
        if not columns:
            raise DataError(f"{table.source}: no classifier; the only column is the item's.")
        found = Found(item=column, items=as_ids(texts), row=np.arange(len(codes)))
        return build(table, found, self._said(columns), self.notes)

    def _columns(self) -> list[int]:
        """Columns that may hold predictions; those of remarks are left out."""
        table = self.table
        chosen = {name for name, _ in self.reading.where}
        columns = [
            i for i, name in enumerate(table.names) if i != self.item and name not in {"", *chosen}
        ]
        plain = {i: table.names[i].strip().lower() for i in columns}
        lists = [i for i in table.nested() if i in columns and labels_in(table.cells(i)) is None]
        called = {i: plain_name(name) for i, name in plain.items()}
        remarks = [
            i
            for i in columns
            if i in lists
            or plain[i] in REMARKS
            or (is_remark(called[i], called.values()) and self._is_no_number(i))
            or (called[i] in CONFIDENCE[:3] and self._is_no_number(i))
        ]
        others = [i for i in columns if i not in remarks]
        flat = [i for i in others if i not in table.nested()]
        true = [i for i in flat if plain_name(plain[i]) in TRUTH_WORDS]
        texts = [i for i in flat if len(others) > 1 and (self._is_text(i) or self._is_record(i))]
        left_out = [*remarks, *texts] if len(others) > len(texts) else []
        if true and len(others) > len({*texts, *true}):
            left_out += [i for i in true if i not in left_out]
            self.notes.caution(
                f"{table.source}: {some([table.names[i] for i in true])} holds the truth, as its "
                "name says, and is no classifier. If it is one, rename it."
            )
        self._check_records([i for i in columns if i not in left_out])
        if set(left_out) - set(true):
            names = some([table.names[i] for i in left_out if i not in true], 12)
            self.notes.caution(
                f"{table.source}: columns that hold no predictions are left out: {names}."
            )
        return [i for i in columns if i not in left_out]

    def _check_records(self, columns: Sequence[int]) -> None:
        """Refuse columns that, by their names, all say how rows came to be: ``latency_ms``."""
        table = self.table
        flat = [i for i in columns if i not in table.nested()]
        known = {label_text(label) for label in self.labels}
        if not known or len(flat) < len(columns) or not all(map(self._is_record, flat)):
            return
        if not all(known.issuperset(map(label_text, table.codes(i)[1])) for i in flat):
            raise DataError(
                f"{table.source}: no column holds predictions; by their names, "
                f"{some([table.names[i] for i in flat], 12)} says how rows came to be. If it "
                "is a classifier, rename it."
            )

    def _is_no_number(self, column: int) -> bool:
        """Whether a column holds words: a reason, or confidence that is high or low."""
        return column not in self.table.nested() and bool(self.table.numbers(column)[1].any())

    def _is_record(self, column: int) -> bool:
        """Whether a column says how or when a record came to be, or says nothing."""
        name = plain_name(self.table.names[column])
        if name in RECORD_WORDS or name.startswith("_") or name.endswith(RECORD_ENDS):
            return True
        numbers, wrong = self.table.numbers(column)
        return ":" not in name and not wrong.any() and bool(np.isnan(numbers).all())

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
        shares = columns_of_shares(self.table, alone)
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
