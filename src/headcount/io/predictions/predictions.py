"""Read predictions: labels, probabilities, verdicts with confidence or scores, wide or long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from headcount.data.predictions import ROUNDING, Classifier, Predictions, Score
from headcount.data.vocabulary import MISSING, as_ids, as_labels, encode, number_of
from headcount.errors import DataError, count, option, some
from headcount.io.predictions.said import (
    Confident,
    Distribution,
    Numbers,
    Said,
    Verdict,
    are_scores,
    columns_of_shares,
    split_names,
)
from headcount.io.reading import Reading
from headcount.io.roles.names import REMARKS
from headcount.io.roles.roles import find_role, find_roles, given_role, item_column, missing_role
from headcount.io.tables.table import Table, with_row_numbers
from headcount.io.values.cells import ids_of, opened, values_of
from headcount.results.notes import Note, Notes
from headcount.typing import Codes, Floats, Ids, Ints

__all__ = ["read_predictions"]

CONFIDENCE = ("confidence", "conf", "certainty", "probability", "prob", "score")
"""What a column is called that says how sure a verdict is."""
_LOOKED_AT = 1_000
"""Rows in which a fraction shows, where there are many, that numbers are no labels."""
MOST_WORDS = 20
"""Different words from which on a column that repeats few of them is a text, not a label."""


def read_predictions(
    data: Any,
    *,
    item: str | None = None,
    ignore: Sequence[str] = (),
    where: Any = (),
    missing: Sequence[str] = (),
    merge: Sequence[str] = (),
    format: str | None = None,
    encoding: str | None = None,
    question: str | None = None,
    name: str = "predictions",
) -> Predictions:
    """Read predictions from a file, a frame or what is in memory.

    Wide: the first column (or one named as items are) is the item. A classifier is a column of
    labels; columns ``name:label`` of probabilities, one a label; a column of records that hold the
    probability of each label; a column of labels and one of confidence; or a column of scores.
    Long: columns item, classifier, label and perhaps probability or confidence; or item, classifier
    and records of probabilities.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        CSV, TSV, JSON lines or Parquet, gzipped or not; any frame that narwhals reads, DuckDB's
        relations among them; a dict of columns; or a list of dicts.
    item : str, optional
        The item column.
    ignore : sequence of str
        Columns that are not read.
    where : dict, or sequence of "column=value"
        Columns and the values that rows must have in them.
    missing : sequence of str
        Values that mean that there is none, besides the usual ones.
    merge : sequence of {"case", "space", "unicode", "number"}
        What does not tell two labels, items or classifiers apart.
    format, encoding : str, optional
        Of a file, where they are not to be recognised.
    question : str, optional
        Which of several questions of one file.
    name : str
        What messages call it, if it is no file.

    Returns
    -------
    Predictions
        With the items sorted. Classifiers are in the order of the columns of wide data, and by name
        where data are long.

    Notes
    -----
    Probabilities that sum to 1 within .01 were rounded, and are divided by their sum. With
    confidence p in a verdict, the other labels share 1 - p equally. Numbers with fractions, or many
    whole ones, are scores.

    Examples
    --------
    >>> read_predictions({"item": [1, 2], "lm:no": [0.1, 0.7], "lm:yes": [0.9, 0.3]})
    Predictions for 2 items: lm (soft); labels no, yes
    >>> read_predictions({"item": [1, 2], "verdict": ["no", "yes"], "confidence": [0.9, 0.8]})
    Predictions for 2 items: verdict (soft); labels no, yes
    """
    reading = Reading.of(
        ignore=ignore, where=where, missing=missing, merge=merge, format=format,
        encoding=encoding, question=question,
    )  # fmt: skip
    table = opened(data, reading, name=name, kind="predictions")
    notes = Notes(table.notes)
    nested = table.nested()
    roles = find_roles(table, {"classifier": None, "label": None})
    named = roles.get("classifier")
    probabilities = [i for i in nested if i not in roles.values()]
    if named is None or ("label" not in roles and len(probabilities) != 1):
        return _Wide(table, reading, notes, item_column(table, item)).read()
    said = roles.get("label", probabilities[0] if probabilities else named)
    if len(probabilities) == 1:
        said = probabilities[0]
    column = find_role(table.names, "item") if item is None else given_role(table, "item", item)
    confidence = _confidence(table, besides={named, said})
    if column is None:
        others = [i for i in range(len(table.names)) if i not in {named, said, confidence}]
        if len(others) != 1:
            raise missing_role(table, "item", roles)
        column = others[0]
    return _Long(table, reading, notes, column, named, said, confidence).read()


def _confidence(table: Table, besides: set[int]) -> int | None:
    """Find the column that says how sure labels are, by its name."""
    plain = [name.strip().lower() for name in table.names]
    places = [plain.index(name) for name in ("probability", "prob", "proba", "p", *CONFIDENCE)
              if name in plain]  # fmt: skip
    return next((place for place in places if place not in besides), None)


@dataclass(frozen=True)
class _Wide:
    """Predictions of which every row is an item."""

    table: Table
    reading: Reading
    notes: Notes
    item: int

    def read(self) -> Predictions:
        table, column = self.table, self.item
        codes, texts = _items(table, column, self.reading, self.notes)
        if len(texts) < len(codes):
            first = np.unique(codes, return_index=True)[1]
            again = int(np.setdiff1d(np.arange(len(codes)), first)[0])
            doubled = [texts[code] for code in np.flatnonzero(np.bincount(codes) > 1)]
            raise DataError(
                f"{table.at(again)}: item '{texts[codes[again]]}' has predictions already. Keep "
                f"one row per item; repeated: {some(doubled)}."
            )
        columns = self._columns()
        if not columns:
            raise DataError(f"{table.source}: no classifier; the only column is the item's.")
        found = _Found(item=column, items=as_ids(texts), row=np.arange(len(codes)))
        return _built(table, found, self._said(columns), self.notes)

    def _columns(self) -> list[int]:
        """Columns that may hold predictions; those of remarks are left out."""
        table = self.table
        chosen = {name for name, _ in self.reading.where}
        columns = [
            i for i, name in enumerate(table.names) if i != self.item and name not in {"", *chosen}
        ]
        plain = {i: table.names[i].strip().lower() for i in columns}
        lists = [i for i in table.nested() if i in columns and _labels_of(table.cells(i)) is None]
        remarks = [i for i in columns if plain[i] in REMARKS or i in lists]
        others = [i for i in columns if i not in remarks]
        flat = [i for i in others if i not in table.nested()]
        texts = [i for i in flat if len(others) > 1 and self._is_text(i)]
        left_out = [*remarks, *texts] if len(others) > len(texts) else []
        if left_out:
            names = some([table.names[i] for i in left_out], 12)
            self.notes.caution(
                f"{table.source}: columns that hold no predictions are left out: {names}."
            )
        return [i for i in columns if i not in left_out]

    def _is_text(self, column: int) -> bool:
        """Whether a column holds texts: many that are hardly ever repeated, and no numbers."""
        if not self.table.numbers(column)[1].any():
            return False
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
                said[name] = Distribution(name, _spread(table, i))
            elif i in in_soft:
                said[name] = Distribution(
                    name, {label: table.only_numbers(j) for j, label in soft[name].items()}
                )
            elif i in sure:
                codes, texts = _labels(table, i, self.reading, self.notes)
                confidence = _shares(table, sure[i])
                said[name] = Confident(name, codes, texts, confidence, table.source)
            else:
                said[name] = _column_said(table, i, self.reading, self.notes)
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
                _refuse_percentages(self.table, group)
        soft = {
            name: {i: names[i].rpartition(":")[2].strip() for i in group}
            for name, group in groups.items()
            if name and len(group) > 1 and _are_probabilities(self.table, group)
        }
        alone = [i for i in groups.get("", []) if names[i].strip().lower() not in CONFIDENCE]
        shares = columns_of_shares(self.table, alone)
        if shares:
            name, labels = split_names([names[i] for i in shares])
            soft[name] = dict(zip(shares, labels, strict=True))
            self.notes.info(
                f"{self.table.source}: {some([names[i] for i in shares], 12)} sum to 1 in every "
                f"row, and are read as the probabilities of {some(labels, 12)} by one classifier, "
                f"'{name}'. Columns of several are called name:label."
            )
        return soft

    def _sure(self, columns: list[int]) -> dict[int, int]:
        """Columns of verdicts, with the column of the confidence of each."""
        names = {i: self.table.names[i].strip().lower() for i in columns}
        sure: dict[int, int] = {}
        for i, name in names.items():
            for word in CONFIDENCE:
                stem = name.removesuffix(word).rstrip("_ .-")
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


@dataclass(frozen=True)
class _Long:
    """Predictions with a row, or one a label, for each item and classifier."""

    table: Table
    reading: Reading
    notes: Notes
    item: int
    classifier: int
    said: int
    confidence: int | None

    def read(self) -> Predictions:
        table = self.table
        items, item_texts = _items(table, self.item, self.reading, self.notes)
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
        found = _Found(item=self.item, items=as_ids(item_texts), row=first)
        return _built(table, found, said, self.notes)

    def _records(self, items: Codes, n_items: int, rows: Mapping[str, Ints]) -> list[Said]:
        columns = _spread(self.table, self.said)
        said: list[Said] = []
        for name, mine in sorted(rows.items()):
            if len(np.unique(items[mine])) < len(mine):
                raise DataError(
                    f"{self.table.source}: '{name}' has several rows for an item. Keep one."
                )
            spread = {label: np.full(n_items, np.nan) for label in columns}
            for label, numbers in columns.items():
                spread[label][items[mine]] = numbers[mine]
            said.append(Distribution(name, spread))
        return said

    def _labels(
        self, items: Codes, item_texts: Sequence[str], rows: Mapping[str, Ints]
    ) -> list[Said]:
        table, n_items = self.table, len(item_texts)
        numbers, wrong = table.numbers(self.said)
        given, texts = _labels(table, self.said, self.reading, self.notes)
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
                    _shares(table, self.confidence or 0)
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


@dataclass(frozen=True, kw_only=True)
class _Found:
    """Whose predictions were found: the item column, items, and a row of each."""

    item: int
    items: Ids
    row: Ints


def _built(table: Table, found: _Found, said: list[Said], notes: Notes) -> Predictions:
    labels, _ = as_labels(list(dict.fromkeys(text for one in said for text in one.used())))
    item = table.names[found.item] or "first column"
    if not labels and not any(isinstance(one, Numbers) for one in said):
        names = some([one.name for one in said])
        raise DataError(f"{table.source}: no predictions; every value of {names} is blank.")
    how = Notes()
    taken = [one.taken(labels, how) for one in said]
    kinds = ", ".join(f"{one.name} ({one.kind})" for one in said)
    first = Note(f"{table.source}: item = '{item}', {count(len(said), 'classifier')}: {kinds}.")
    scores = tuple(one for one in taken if isinstance(one, Score))
    if scores:
        how.info(
            f"{table.source}: the numbers of {some([one.name for one in scores])} are read as "
            "scores, not as labels."
        )
    predictions = Predictions(
        items=found.items,
        labels=labels,
        classifiers=tuple(one for one in taken if isinstance(one, Classifier)),
        source=table.source,
        notes=(*notes, first, *how),
        sources=table.sources,
        dropped=Counter(table.dropped),
        scores=scores,
    ).renormalised()
    with_row_numbers(
        table,
        lambda rows: predictions.check(
            None if rows is None else rows[found.row], tolerance=ROUNDING
        ),
    )
    return predictions.canonical()


def _items(table: Table, column: int, reading: Reading, notes: Notes) -> tuple[Codes, list[str]]:
    codes, texts = ids_of(table, column, reading, role="item", notes=notes)
    if (codes < 0).any():
        row = int(np.flatnonzero(codes < 0)[0])
        raise DataError(
            f"{table.at(row, column)}: no item. Every prediction needs the id of its item."
        )
    return codes, texts


def _labels(table: Table, column: int, reading: Reading, notes: Notes) -> tuple[Codes, list[str]]:
    return values_of(table, column, reading, role="label", notes=notes)


def _column_said(table: Table, column: int, reading: Reading, notes: Notes) -> Said:
    """Take a column for labels, or for scores."""
    name = table.names[column]
    numbers, wrong = table.numbers(column)
    if not reading.missing and not wrong.any() and are_scores(numbers):
        return Numbers(name, numbers)
    codes, texts = _labels(table, column, reading, notes)
    read = [number_of(text) for text in texts]
    if read and None not in read:
        numbers = np.array([*cast("list[float]", read), np.nan])[codes]
        if are_scores(numbers):
            return Numbers(name, numbers)
    return Verdict(name, codes, texts)


def _shares(table: Table, column: int) -> Floats:
    """Read confidence, from 0 to 1."""
    numbers = table.only_numbers(column)
    off = np.flatnonzero((numbers < 0) | (numbers > 1))
    if len(off):
        row = int(off[0])
        raise DataError(
            f"{table.at(row, column)}: confidence {numbers[row]:g}. Expected a number from 0 to 1; "
            f"divide percentages by 100, or leave the column out ({option('ignore', ...)})."
        )
    return numbers


def _blank(table: Table, rows: Ints, column: int) -> DataError:
    cell = table.at(int(rows[0]), column)
    return DataError(f"{cell}: blank. Fill it in, or remove the row.")


def _labels_of(cells: Sequence[Any]) -> list[str] | None:
    """Labels that records of probabilities name; None if the cells are no such records."""
    labels: dict[str, None] = {}
    for cell in cells:
        if cell is None:
            continue
        if not isinstance(cell, Mapping):
            return None
        record = cast("Mapping[Any, Any]", cell)
        if not all(isinstance(v, int | float | None) for v in record.values()):
            return None
        labels.update(dict.fromkeys(encode(list(record))[1]))
    return list(labels) or None


def _spread(table: Table, column: int) -> dict[str, Floats]:
    """Columns of probabilities by label, of a column of records; a label left out has none."""
    cells = table.cells(column)
    labels = _labels_of(cells)
    if labels is None:
        raise DataError(
            f"{table.source}, column '{table.names[column]}': expected records of labels and their "
            'probabilities, such as {"no": 0.3, "yes": 0.7}.'
        )
    columns = {label: np.full(len(cells), np.nan) for label in labels}
    for row, cell in enumerate(cells):
        values = {} if cell is None else {encode([k])[1][0]: v for k, v in cell.items()}
        if any(value is not None for value in values.values()):
            for label in labels:
                value = values.get(label)
                columns[label][row] = 0.0 if value is None else float(value)
    return columns


def _refuse_percentages(table: Table, columns: list[int]) -> None:
    """Refuse columns name:label that sum to 100 in every row, and would be taken for scores."""
    read = [table.numbers(column) for column in columns]
    if any(wrong.any() for _, wrong in read):
        return
    total = np.stack([numbers for numbers, _ in read]).sum(axis=0)
    given = total[~np.isnan(total)]
    if len(given) and bool((np.abs(given - 100) <= 100 * ROUNDING).all()):
        names = some([table.names[column] for column in columns])
        raise DataError(
            f"{table.source}, columns {names}: they sum to 100 in every row, as percentages do; "
            "expected probabilities, which sum to 1. Divide them by 100."
        )


def _are_probabilities(table: Table, columns: list[int]) -> bool:
    """Tell columns name:label of probabilities from labels or scores that happen to be numbers."""
    read = [table.numbers(column) for column in columns]
    for numbers, wrong in read:
        given = np.flatnonzero(wrong | ~np.isnan(numbers))
        if len(given) and wrong[given[0]]:
            return False
    numbers = np.stack([numbers for numbers, _ in read])
    if np.nanmax(numbers, initial=0.0) <= 1 and (np.nan_to_num(numbers[:, :_LOOKED_AT]) % 1).any():
        return True
    given = numbers[~np.isnan(numbers)]
    total = np.nansum(numbers, axis=0)
    # Scores above 1 that hardly ever sum to 1 are those of several classifiers.
    if (given > 1).any() and np.mean(np.abs(total - 1) > ROUNDING) > 0.5:
        return False
    # Whole numbers are probabilities only if they choose one label an item.
    return bool((given % 1 != 0).any() or (total <= 1).all())
