"""Read predictions, wide or long, and votes."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np

from headcount.data.examples import replaced
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import MISSING, as_ids
from headcount.errors import DataError, count, option, some
from headcount.io.classifier_outputs import (
    CONFIDENCE,
    Confident,
    Distribution,
    Found,
    Numbers,
    Said,
    Verdict,
    are_probabilities,
    are_scores,
    build,
    check_label_columns,
    check_said,
    column_said,
    columns_of_shares,
    confidence_of,
    items_of,
    labels_of,
    may_be_shares,
    one_hot,
    refuse_percentages,
    split_names,
    spread,
)
from headcount.io.opening import MAYBE_NAMED, ids_of, kinds_in, open_table, opened, saved
from headcount.io.other_columns import Beside, check_aspects
from headcount.io.plain_values import ANSWER_KEYS
from headcount.io.ratings import names_are_data, read_rated
from headcount.io.reading import Reading, ReadOptions
from headcount.io.roles import (
    ABOUT_MODELS,
    ROLES,
    find_role,
    find_roles,
    given_role,
    item_column,
    missing_role,
    plain_name,
    rows_of_question,
    which_question,
)
from headcount.io.tables import ColumnTable, SomeRows, Table
from headcount.io.values import spelt_as
from headcount.results.notes import Note, Notes
from headcount.typing import Codes, Flags, Floats, Ints

__all__ = [
    "read_predictions",
    "are_labels",
    "unfolded",
    "read_votes",
]


# Read predictions: labels, probabilities, verdicts with confidence or scores, wide or long.

RUNS = frozenset({"run", "run_id", "repeat", "repetition", "seed", "trial", "prompt_version"})
"""What a column is called that tells the answers of one model apart."""


def read_predictions(
    data: Any,
    *,
    item: str | None = None,
    labels: Sequence[str] | None = None,
    name: str = "predictions",
    **options: Unpack[ReadOptions],
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
    labels : sequence of str, optional
        Labels of the ratings that predictions are for: those that differ from one of them only in
        what `merge` names are read as it.
    name : str
        What messages call it, if it is no file.
    **options
        What to read, and how; as for :func:`headcount.read_ratings`.

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
    >>> said = {"item": [1, 2], "verdict": ["NO", "YES"]}
    >>> read_predictions(said, labels=["no", "yes"], merge=["case"])
    Predictions for 2 items: verdict (hard); labels no, yes
    """
    reading = Reading.of(**options)
    table = opened(data, reading, name=name, kind="predictions")
    _check_header(table)
    made = _read(table, item, reading, labels or ())
    names = spelt_as(made.labels, labels or (), reading.merge)
    if not names:
        return made
    said = ", ".join(f"'{old}' as '{new}'" for old, new in names.items())
    note = Note(f"{made.source}: labels are read as the raters write them: {said}.")
    return replace(made.renamed(names), notes=(*made.notes, note))


def _check_header(table: Table) -> None:
    """Refuse a file of which the first row is data: its item would be lost."""
    if table.sources and names_are_data(table):
        raise DataError(
            f"{table.source}: the first row seems to be data ({','.join(table.names[:4])}), and "
            "must name the columns. Put a row above it, such as item,judge."
        )


def _read(table: Table, item: str | None, reading: Reading, labels: Sequence[str]) -> Predictions:
    """Read predictions of a table, long or wide."""
    notes = Notes(table.notes)
    table = _one_question(unfolded(table, notes), item, reading.question)
    nested = table.nested()
    roles = find_roles(table, {"classifier": None, "label": None})
    named = roles.get("classifier")
    if named is not None and named not in nested and are_labels(table.codes(named)[1], labels):
        named = None  # a column 'judge' of what the judge said
    elif named is None and "label" in roles:
        named = _tells_apart(table, item, roles)
    probabilities = [i for i in nested if i not in roles.values()]
    if "label" in roles:
        probabilities = [i for i in probabilities if may_be_shares(table, i)]
    if named is None or ("label" not in roles and len(probabilities) != 1):
        return WidePredictions(table, reading, notes, item_column(table, item), labels).read()
    said = roles.get("label", probabilities[0] if probabilities else named)
    if len(probabilities) == 1:
        said = probabilities[0]
    column = find_role(table.names, "item") if item is None else given_role(table, "item", item)
    confidence = _confidence(table, besides={named, said})
    if column is None:
        others = [i for i in range(len(table.names)) if i not in {named, said, confidence}]
        ids = [i for i in others if plain_name(table.names[i]).endswith("_id")]
        if 1 not in (len(others), len(ids)):
            raise missing_role(table, "item", roles)
        column = ids[0] if len(ids) == 1 else others[0]
    return LongPredictions(table, reading, notes, column, named, said, confidence, labels).read()


def are_labels(texts: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether the values of a column are labels of the raters, and so no names of classifiers.

    Examples
    --------
    >>> are_labels(["yes", "No"], ["no", "yes"]), are_labels(["yes"], ["no", "yes"])
    (True, False)
    """
    known = {label.casefold() for label in labels}
    return len(texts) > 1 and {text.strip().casefold() for text in texts} <= known


def _one_question(table: Table, item: str | None, question: str | None) -> Table:
    """Keep the rows of one question, where a classifier answers several of an item.

    A question that the table does not name is that of other data, and all rows are of it.
    """
    column = find_role(table.names, "asked")
    if column is None or table.exported or column in table.nested():
        return table
    owner, of = (find_role(table.names, role) for role in ("classifier", "item"))
    of = of if item is None else given_role(table, "item", item)
    if of in (None, column) or owner == column or len(table.codes(column)[1]) < 2:
        return table
    if question in table.codes(column)[1]:
        return rows_of_question(table, column, str(question))
    rows = [table.codes(i)[0] for i in (of, owner) if i is not None]
    if len(np.unique(np.stack(rows), axis=1).T) == table.rows:
        return table
    raise which_question(table, table.codes(column)[1], None)


def _tells_apart(table: Table, item: str | None, roles: Mapping[str, int]) -> int | None:
    """Find the one column that says of which model, or run, the rows of an item are."""
    of = item_column(table, item)
    if of in table.nested() or len(table.codes(of)[1]) == table.rows:
        return None
    found = [
        i
        for i, name in enumerate(table.names)
        if plain_name(name) in ABOUT_MODELS | RUNS and i not in {of, *roles.values()}
        if i not in table.nested()
        if len(np.unique(np.stack([table.codes(of)[0], table.codes(i)[0]]), axis=1).T) == table.rows
    ]
    return found[0] if len(found) == 1 else None


def _confidence(table: Table, besides: set[int]) -> int | None:
    """Find the column that says how sure labels are, by its name."""
    plain = [name.strip().lower() for name in table.names]
    places = [plain.index(name) for name in ("probability", "prob", "proba", "p", *CONFIDENCE)
              if name in plain]  # fmt: skip
    return next((place for place in places if place not in besides), None)


# Predictions with a row, or one a label, for each item and classifier.


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


# Predictions of which every row is an item.

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


# Answers of judges within records: {"score": 4, "reasoning": "..."}.

DEEPEST_RECORD, CELLS_LOOKED_AT = 3, 100
"""Records within records that are looked into; cells that show where the answer is."""
KeyPath = tuple[str, ...]


def unfolded(table: Table, notes: Notes) -> Table:
    """Put the answer in the place of each record that holds one, and say so.

    A record holds an answer if a key is called so (`score`, `verdict`, ...) and its value is a word
    or a number. Records of probabilities, which have labels as keys, stay as they are.
    """
    paths = {column: _path(table.cells(column)) for column in table.nested()}
    answers: dict[int, tuple[str, list[Any]]] = {}
    for column, path in paths.items():
        if path is None:
            continue
        name = path[-1] if path[-1] not in table.names else ".".join((table.names[column], *path))
        if name in (taken for taken, _ in answers.values()):
            name = ".".join((table.names[column], *path))
        answers[column] = (name, [_at(cell, path) for cell in table.cells(column)])
        notes.caution(
            f"{table.source}, column '{table.names[column]}': cells are records, of which "
            f"'{'.'.join(path)}' is read."
        )
    return Unfolded(table, answers) if answers else table


def _path(cells: Sequence[Any]) -> KeyPath | None:
    """Find the keys that lead to the answer: the likeliest name of all, the least deep first."""
    given = [cell for cell in cells if cell is not None]
    if not all(isinstance(cell, Mapping) for cell in given):
        return None
    records = cast("list[Mapping[str, Any]]", given[:CELLS_LOOKED_AT])
    paths = dict.fromkeys(path for record in records for path in _paths(record))
    return min(
        paths, key=lambda path: (len(path), ANSWER_KEYS.index(path[-1].lower())), default=None
    )


def _paths(record: Mapping[str, Any], before: KeyPath = ()) -> Iterator[KeyPath]:
    """Keys that lead to what may be an answer."""
    for key, value in record.items():
        path = (*before, str(key))
        if isinstance(value, Mapping):
            if len(path) < DEEPEST_RECORD:
                yield from _paths(cast("Mapping[str, Any]", value), path)
        elif str(key).lower() in ANSWER_KEYS and isinstance(value, str | int | float):
            yield path


def _at(cell: Any, path: KeyPath) -> Any:
    """Follow keys into a record; None if it has no such answer."""
    for key in path:
        cell = cast("Mapping[str, Any]", cell).get(key) if isinstance(cell, Mapping) else None
    return cell if isinstance(cell, str | int | float) else None


class Unfolded(SomeRows):
    """A table of which some columns of records are replaced by their answers.

    Parameters
    ----------
    table : Table
    answers : mapping of int to (str, list)
        By column, what the answers are called, and one a row.
    """

    def __init__(self, table: Table, answers: Mapping[int, tuple[str, list[Any]]]) -> None:
        super().__init__(table, np.ones(table.rows, dtype=bool), "")
        self.names = [answers[i][0] if i in answers else name for i, name in enumerate(table.names)]
        names, cells = zip(*answers.values(), strict=True)
        self._answers = ColumnTable(cells, names, table.source)
        self._place = {column: place for place, column in enumerate(answers)}

    def codes(self, column: int) -> tuple[Codes, list[str]]:
        """Code a column, or the answers in it."""
        if column in self._place:
            return self._answers.codes(self._place[column])
        return super().codes(column)

    def numbers(self, column: int) -> tuple[Floats, Flags]:
        """Column as numbers, or the answers in it."""
        if column in self._place:
            return self._answers.numbers(self._place[column])
        return super().numbers(column)

    def nested(self) -> list[int]:
        """Columns that hold lists or records still."""
        return [column for column in super().nested() if column not in self._place]


# Read votes: the labels of classifiers, or of raters in their place.

CONFIDENCE_ENDS = ("confidence", "certainty", "probability", "probs", "probabilities")
"""How names of wide columns end that hold no votes, but say how sure they are."""


def read_votes(
    data: Any,
    *,
    item: str | None = None,
    classifier: str | None = None,
    label: str | None = None,
    labels: Sequence[str] | None = None,
    duplicates: str = "error",
    name: str = "votes",
    **options: Unpack[ReadOptions],
) -> Labels | Predictions:
    """Read the labels that classifiers, judges or crowd workers gave to items.

    Long (item, classifier or rater or worker, label and perhaps probability), or wide (item, then
    a column of labels a classifier, or columns ``name:label`` of probabilities). Where no column
    tells who said it and no item stands twice, it was one classifier.

    Parameters
    ----------
    data : path, frame, dict of columns, rows or array
        Anything that :func:`headcount.read_ratings` takes.
    item, classifier, label : str, optional
        Columns that play these roles, where their names do not tell.
    labels : sequence of str, optional
        All the labels that could be given, in order. Default: those that were.
    duplicates : {"error", "first", "all"}
        What to do when a classifier labels an item twice; with 'all' each is a vote.
    name : str
        What messages call it, if it is no file.
    **options
        What to read, and how; as for :func:`headcount.read_ratings`.

    Returns
    -------
    Labels or Predictions
        Predictions if some are probabilities.

    Examples
    --------
    >>> read_votes({"item": [1, 1], "model": ["a", "b"], "label": ["yes", "no"]})
    Labels: 2 ratings of 1 item by 2 raters; labels no, yes
    """
    reading = Reading.of(**options)
    if _only_predictions(data, reading):  # a log of evaluations
        return _without_scores(read_predictions(data, item=item, name=name, **options))
    table = open_table(data, name=name, kind="ratings", reading=reading, columns=MAYBE_NAMED)
    named, told = find_role(table.names, "classifier"), classifier or label
    said = find_role(table.names, "label")
    long = named is not None and said is not None
    uncertain = long and find_role(table.names, "probability") is not None
    uncertain = uncertain or (long and said is not None and _some_scores(table, said))
    uncertain = uncertain or any(
        name.lower().endswith(CONFIDENCE_ENDS) for name in table.names if not long
    )
    if not told and (uncertain or sum(":" in name for name in table.names) > 1):
        predictions = read_predictions(data, item=item, name=name, **options)
        if any(c.kind == "soft" for c in predictions.classifiers) or predictions.scores:
            return _without_scores(predictions)
    if classifier is None and named is not None and long:
        classifier = table.names[named]
    try:
        given = {"item": item, "rater": classifier, "label": label}
        return read_rated(
            data, given, reading, labels=labels, duplicates=duplicates, name=name, people=False
        )
    except DataError as error:
        if not told and _is_one_classifier(table):
            return read_predictions(data, item=item, name=name, **options)
        raise DataError(_of_classifiers(error.marked)) from error


def _is_one_classifier(table: Table) -> bool:
    """Whether a table that is not long has no item twice, and a column of labels, or one column."""
    found = {
        role: find_role(table.names, role) for role in ("item", "classifier", "rater", "label")
    }
    who = [found[role] for role in ("classifier", "rater") if found[role] is not None]
    long = found["label"] is not None and bool(who)
    item = found["item"] or 0
    if long or (found["label"] is None and len(table.names) != 2) or item in table.nested():
        return False
    codes, _ = table.codes(item)
    return len(codes) == len(set(codes.tolist()))


def _of_classifiers(text: str) -> str:
    """Write a message on ratings as one on votes, of which a classifier may give several."""
    retest, each = (option("duplicates", value) for value in ("retest", "all"))
    return (
        text.replace(
            f"have agree compare each rater with themselves with {retest}",
            f"count each as a vote with {each}",
        )
        .replace("no column found for the rater", "no column found for the classifier")
        .replace(option("rater", "..."), option("classifier", "..."))
        .replace(option("rater"), option("classifier"))
    )


def _some_scores(table: Table, column: int) -> bool:
    """Whether some classifiers give labels in words, and others numbers with fractions."""
    if column in table.nested():
        return False
    numbers, wrong = table.numbers(column)
    return bool(wrong.any()) and are_scores(numbers[~wrong])


def _only_predictions(data: Any, reading: Reading) -> bool:
    """Whether data are an export that holds predictions and no ratings."""
    if not isinstance(data, str | Path) and not hasattr(data, "__fspath__"):
        return False
    path = saved(replaced(Path(os.fsdecode(data))))
    return kinds_in(path, reading) == ["predictions"]


def _without_scores(predictions: Predictions) -> Predictions:
    """Leave out scores, which are no votes; say so."""
    if not predictions.scores:
        return predictions
    names = some([score.name for score in predictions.scores])
    note = Note(f"{predictions.source}: scores are no votes; left out: {names}.", "caution")
    return replace(predictions, scores=(), notes=(*predictions.notes, note))
