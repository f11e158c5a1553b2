"""Read predictions, wide or long, and votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Unpack

import numpy as np

from headcount.data.labels import RETEST, Labels
from headcount.data.predictions import Predictions
from headcount.data.vocabulary import MISSING
from headcount.errors import (
    DataError,
    Named,
    RepeatedError,
    count,
    marked,
    named_in,
    of_verb,
    option,
    some,
)
from headcount.io.classifier_outputs import (
    CONFIDENCE,
    Answers,
    Distribution,
    Numbers,
    Verdict,
    are_scores,
    build,
    called_like_labels,
    check_sums,
    columns_of_shares,
    confidence_of,
    items_of,
    labels_of,
    read_column,
    split_names,
    sum_to_one,
)
from headcount.io.opening import ids_of, is_path, kinds_in, open_table, opened, path_of, saved
from headcount.io.ratings import check_header, read_rated
from headcount.io.reading import Reading, ReadOptions
from headcount.io.roles import (
    ABOUT_MODELS,
    RECORD_ENDS,
    RECORD_PARTS,
    RECORD_WORDS,
    ROLES,
    TRUTH_WORDS,
    find_role,
    find_roles,
    given_role,
    is_remark,
    item_column,
    missing_role,
    plain_name,
    rows_of_question,
    which_question,
)
from headcount.io.shapes import INDEX_NAME, check_aspects
from headcount.io.tables import Table
from headcount.io.values import spelt_as
from headcount.results.notes import Note, Notes
from headcount.typing import Codes, Floats, Ints

__all__ = [
    "columns_beside",
    "read_predictions",
    "read_votes",
]


# Read predictions: labels, probabilities, verdicts with confidence or scores, wide or long.

RUNS = frozenset({"run", "run_id", "repeat", "repetition", "seed", "trial", "prompt_version"})
"""What a column is called that tells the answers of one model apart."""
VERDICTS = frozenset(
    {"judge", "llm", "system", "classifier", "response", "answer", "choice", "category"}
)
"""What a column about models may be called and hold predictions all the same."""


def read_predictions(
    data: Any,
    *,
    item: str | None = None,
    labels: Sequence[str] | None = None,
    name: str = "predictions",
    **options: Unpack[ReadOptions],
) -> Predictions:
    """Read predictions from a file, a frame or what is in memory.

    Wide: the first column (or one with a usual name) is the item. A classifier is a column of
    labels; columns ``name:label`` of probabilities, one per label; a column of labels and one of
    confidence; or a column of scores. Long: columns item, classifier, label and perhaps probability
    or confidence.

    Parameters
    ----------
    data : path, frame, dict of columns or rows
        CSV, TSV, JSON lines or Parquet, gzipped or not; any frame that narwhals reads, including
        DuckDB relations; a dict of columns; or a list of dicts.
    item : str, optional
        The item column.
    labels : sequence of str, optional
        Labels of the ratings: predicted labels that differ from one of them only in what `merge`
        names are read as that label.
    name : str
        What messages call it, if it is no file.
    **options
        What to read, and how; as for :func:`headcount.read_ratings`.

    Returns
    -------
    Predictions
        With sorted items. Classifiers are in the order of the columns of wide data, and sorted by
        name if data are long.

    Notes
    -----
    Probabilities that sum to 1 within .01 are taken as rounded, and divided by their sum. With
    confidence p in a verdict, the other labels share 1 - p equally. Numbers with fractions, or many
    whole numbers, are scores.

    Examples
    --------
    >>> read_predictions({"item": [1, 2], "lm:no": [0.1, 0.7], "lm:yes": [0.9, 0.3]})
    Predictions for 2 items: lm (soft); labels no, yes
    >>> read_predictions({"item": [1, 2], "verdict": ["no", "yes"], "confidence": [0.9, 0.8]})
    Predictions for 2 items: verdict (soft); labels no, yes
    >>> verdicts = {"item": [1, 2], "verdict": ["NO", "YES"]}
    >>> read_predictions(verdicts, labels=["no", "yes"], merge=["case"])
    Predictions for 2 items: verdict (hard); labels no, yes
    """
    reading = Reading.of(**options)
    table = opened(data, reading, name=name, kind="predictions")
    check_header(table, "item,judge")
    made = _read(table, item, reading, labels or ())
    names = spelt_as(made.labels, labels or (), reading.merge)
    if not names:
        return made
    listed = ", ".join(f"'{old}' as '{new}'" for old, new in names.items())
    note = Note(f"{made.source}: labels are read as the raters write them: {listed}.")
    return replace(made.renamed(names), notes=(*made.notes, note))


def _read(table: Table, item: str | None, reading: Reading, labels: Sequence[str]) -> Predictions:
    """Read predictions of a table, long or wide."""
    notes = Notes(table.notes)
    table = _one_question(table, item, reading.question)
    roles = find_roles(table, {"classifier": None, "label": None})
    classifier, label = roles.get("classifier"), roles.get("label")
    if classifier is None and label is not None:
        classifier = _run_column(table, item, label)
    if classifier is not None and table.nested() and label in (None, *table.nested()):
        raise _nested(table)
    if classifier is None or label is None:
        return _read_wide(table, reading, notes, item_column(table, item), labels)
    _check_classifiers(table, classifier, label, labels)
    sure = _confidence_column(table, {classifier, label})
    column = find_role(table.names, "item") if item is None else given_role(table, "item", item)
    if column is None:
        others = [i for i in range(len(table.names)) if i not in {classifier, label, sure}]
        ids = [i for i in others if plain_name(table.names[i]).endswith("_id")]
        if 1 not in (len(others), len(ids)):
            raise missing_role(table, "item", roles)
        column = ids[0] if len(ids) == 1 else others[0]
    return _read_long(table, reading, notes, (column, classifier, label, sure), labels)


def _check_classifiers(table: Table, classifier: int, label: int, labels: Sequence[str]) -> None:
    """Refuse a column 'judge' of what the judge said: its labels would be names of classifiers."""
    texts = table.codes(classifier)[1]
    given = {rated.casefold() for rated in labels}
    if len(texts) > 1 and {text.strip().casefold() for text in texts} <= given:
        name, other = table.names[classifier], table.names[label]
        raise DataError(
            f"{table.source}: column '{name}' holds labels of raters ({some(texts)}), and no names "
            f"of classifiers. If it is what one classifier said, leave out the other column with "
            f"{option('ignore', other)}; or call '{name}' verdict, and '{other}' confidence if it "
            "is that."
        )


def _one_question(table: Table, item: str | None, question: str | None) -> Table:
    """Keep the rows of one question, where a classifier answers several of an item.

    A question that the table does not name is that of other data, and all rows are of it.
    """
    column = find_role(table.names, "asked")
    if column is None or table.exported or column in table.nested():
        return table
    classifier, items = (find_role(table.names, role) for role in ("classifier", "item"))
    items = items if item is None else given_role(table, "item", item)
    questions = table.codes(column)[1]
    if items in (None, column) or classifier == column or len(questions) < 2:
        return table
    if question in questions:
        return rows_of_question(table, column, str(question))
    keys = [table.codes(i)[0] for i in (items, classifier) if i is not None]
    if len(np.unique(np.stack(keys), axis=1).T) == table.rows:
        return table
    raise which_question(table.source, questions, None)


def _run_column(table: Table, item: str | None, label: int) -> int | None:
    """Find the one column that is called as models or runs are, where items have several rows."""
    items = item_column(table, item)
    nested = table.nested()
    if items in nested or len(table.codes(items)[1]) == table.rows:
        return None
    runs = [
        i
        for i, name in enumerate(table.names)
        if plain_name(name) in ABOUT_MODELS | RUNS and i not in {items, label, *nested}
    ]
    return runs[0] if len(runs) == 1 else None


def _confidence_column(table: Table, besides: set[int]) -> int | None:
    """Find the column that says how sure labels are, by its name."""
    names = [name.strip().lower() for name in table.names]
    named = [names.index(name) for name in ("probability", "prob", "proba", "p", *CONFIDENCE)
             if name in names]  # fmt: skip
    return next((column for column in named if column not in besides), None)


# Predictions with a row, or one a label, for each item and classifier.


def _read_long(
    table: Table,
    reading: Reading,
    notes: Notes,
    columns: tuple[int, int, int, int | None],
    labels: Sequence[str],
) -> Predictions:
    """Take what each classifier says of its rows.

    `columns` are those of the item, the classifier, its labels, and probabilities.
    """
    item, classifier, answer, sure = columns
    items, item_texts = items_of(table, item, reading, notes)
    owner, names = ids_of(table, classifier, reading, role="classifier", notes=notes)
    if (owner < 0).any():
        raise _blank(table, np.flatnonzero(owner < 0), classifier)
    rows = {name: np.flatnonzero(owner == code) for code, name in enumerate(names)}
    own = {name: _OwnRows(name, mine, items[mine], item_texts) for name, mine in rows.items()}
    coded = labels_of(table, answer, reading, notes, labels)
    if blank := int((coded[0] < 0).sum()):
        notes.caution(f"{table.source}: {count(blank, 'row')} without a label: no prediction.")
    answers = [_labelled(table, own[name], answer, sure, coded) for name in sorted(own)]
    first = np.unique(items, return_index=True)[1]
    return build(table, item, item_texts, first, answers, notes)


class _OwnRows(NamedTuple):
    """The rows of one classifier, and the item of each."""

    name: str
    rows: Ints
    items: Codes
    item_texts: Sequence[str]

    @property
    def once(self) -> bool:
        """Whether each item has one row."""
        return len(np.unique(self.items)) == len(self.items)

    def of_items(self, values: Any, otherwise: float) -> Any:
        """Put values of rows on all items."""
        out = np.full(len(self.item_texts), otherwise, dtype=values.dtype)
        out[self.items] = values[self.rows]
        return out


def _labelled(
    table: Table, own: _OwnRows, answer: int, column: int | None, coded: tuple[Codes, list[str]]
) -> Answers:
    """Take scores, labels, or labels with confidence; or a probability for each of several."""
    codes, texts = coded
    sure = None if column is None else table.only_numbers(column)
    if sure is not None and np.isnan(sure[own.rows]).all():
        sure = None
    numbers, wrong = table.numbers(answer)
    if own.once and not wrong[own.rows].any() and are_scores(numbers[own.rows]):
        return Numbers(own.name, own.of_items(numbers, np.nan))
    if own.once:
        verdict = Verdict(own.name, own.of_items(codes, MISSING), texts)
        if sure is None or column is None:
            return verdict
        confidence, name = own.of_items(confidence_of(table, column), np.nan), table.names[column]
        return replace(verdict, confidence=confidence, source=table.source, column=name)
    given = codes[own.rows]
    if (given < 0).any():
        raise _blank(table, own.rows[given < 0], answer)
    key = own.items if sure is None else own.items * (len(texts) + 1) + given
    again = np.setdiff1d(np.arange(len(key)), np.unique(key, return_index=True)[1])
    if sure is None or len(again):
        row = int(again[0])
        raise RepeatedError(
            f"{table.at(int(own.rows[row]))}: '{own.name}' predicts a label for item "
            f"'{own.item_texts[own.items[row]]}' a second time. Keep one, or add a column of "
            "probabilities, a row for each label."
        )
    shares = {text: np.full(len(own.item_texts), np.nan) for text in texts}
    for code, text in enumerate(texts):
        shares[text][own.items] = 0.0
        mine = given == code
        shares[text][own.items[mine]] = sure[own.rows[mine]]
    return Distribution(own.name, shares)


def _blank(table: Table, rows: Ints, column: int) -> DataError:
    cell = table.at(int(rows[0]), column)
    return DataError(f"{cell}: blank. Fill it in, or remove the row.")


# Predictions of which every row is an item.

NUMBERED = frozenset({*ROLES["classifier"], *ROLES["rater"], "llm", "run", "seed", "fold"})
"""What stands before the numbers of several classifiers."""


def _read_wide(
    table: Table, reading: Reading, notes: Notes, item: int, labels: Sequence[str]
) -> Predictions:
    """Take what each column, or group of columns, says."""
    codes, texts = items_of(table, item, reading, notes)
    if len(texts) < len(codes):
        first = np.unique(codes, return_index=True)[1]
        again = int(np.setdiff1d(np.arange(len(codes)), first)[0])
        doubled = [texts[code] for code in np.flatnonzero(np.bincount(codes) > 1)]
        raise RepeatedError(
            f"{table.at(again)}: item '{texts[codes[again]]}' has predictions already. Keep one "
            f"row per item; repeated: {some(doubled)}. Where rows are of several models, call the "
            f"column that tells them apart 'model'. {table.doubt}".rstrip()
        )
    chosen = {name for name, _ in reading.where}
    columns = [i for i, name in enumerate(table.names) if i != item and name not in {"", *chosen}]
    if not columns:
        raise DataError(f"{table.source}: no classifier; the only column is the item's.")
    columns = _prediction_columns(table, columns, notes)
    check_aspects(table, [table.names[i] for i in columns])
    soft = _soft(table, columns, labels, notes)
    group_of = {i: name for name, group in soft.items() for i in group}
    sure = _confidences(table, [i for i in columns if i not in group_of])
    answers: dict[str, Answers] = {}
    for i in columns:
        name = group_of.get(i, table.names[i])
        if name in answers or i in sure.values():
            continue
        if i in group_of:
            shares = {label: table.only_numbers(j) for j, label in soft[name].items()}
            answers[name] = Distribution(name, shares)
        elif i in sure:
            given, verdicts = labels_of(table, i, reading, notes, labels)
            confidence, column = confidence_of(table, sure[i]), table.names[sure[i]]
            answers[name] = Verdict(name, given, verdicts, confidence, table.source, column)
        else:
            answers[name] = read_column(table, i, reading, notes, labels)
    return build(table, item, texts, np.arange(len(codes)), list(answers.values()), notes)


def columns_beside(table: Table, columns: Sequence[int]) -> list[int]:
    """Find columns that hold no predictions by their names: the truth, texts, records."""
    names = {i: plain_name(table.names[i]) for i in columns}
    beside = [i for i in columns if names[i] in TRUTH_WORDS or _is_beside(table, i, names)]
    about = [i for i in columns if names[i] in (ABOUT_MODELS | RUNS) - VERDICTS and i not in beside]
    return beside + about if len(columns) > len(beside + about) else beside


def _prediction_columns(table: Table, columns: Sequence[int], notes: Notes) -> list[int]:
    """Leave out columns that hold no predictions by their names, and say so."""
    others = columns_beside(table, columns)
    names = {i: plain_name(table.names[i]) for i in others}
    listed = some([table.names[i] for i in others], 12)
    if len(others) == len(columns) and table.nested():
        raise _nested(table)
    if len(others) == len(columns):
        truth = some([table.names[i] for i in others if names[i] in TRUTH_WORDS], 12)
        taken = (
            f"{truth} is taken for true labels" if truth else f"{listed} says how rows came to be"
        )
        blind = of_verb(option("gold", table.source), "blind", ["gold"])
        gold = f"To evaluate with true labels: {blind}. " if truth else ""
        raise DataError(
            f"{table.source}: no column holds predictions: by its name, {taken}. "
            f"{gold}Rename it if it is a classifier."
        )
    if others:
        notes.caution(
            f"{table.source}: columns that hold no predictions, by their names, are left out: "
            f"{listed}. Rename one that is a classifier."
        )
    return [i for i in columns if i not in others]


def _nested(table: Table) -> DataError:
    return DataError(
        f"{table.source}: cells of {some([table.names[i] for i in table.nested()])} are lists or "
        "records. Give the label a column of its own; or write probabilities into columns, one for "
        "each label, that are called name:label."
    )


def _is_beside(table: Table, column: int, names: Mapping[int, str]) -> bool:
    """Whether a column holds a reason, a text or how a record came to be; lists hold no labels."""
    name = names[column]
    if column in table.nested():
        return True
    if name in CONFIDENCE[:3] and len(names) > 1:
        others = [n for n in names.values() if n not in CONFIDENCE and not n.endswith(CONFIDENCE)]
        # Of several classifiers nobody knows whose it is; low and high are no numbers.
        return len(others) > 1 or bool(table.numbers(column)[1].any())
    return (
        name in RECORD_WORDS
        or name.startswith("_")
        or name.endswith(RECORD_ENDS)
        or bool({*name.split("_")} & RECORD_PARTS)
        or (is_remark(name, list(names.values())) and not name.endswith(CONFIDENCE))
        or INDEX_NAME.fullmatch(table.names[column]) is not None
    )


def _soft(
    table: Table, columns: Sequence[int], labels: Sequence[str], notes: Notes
) -> dict[str, dict[int, str]]:
    """Columns of probabilities and their labels, by classifier.

    They are called name:label; or as labels are; or anything, if the numbers of every row sum to 1.
    """
    names = table.names
    groups: dict[str, list[int]] = {}
    for i in columns:
        groups.setdefault(names[i].rpartition(":")[0], []).append(i)
    soft: dict[str, dict[int, str]] = {}
    for name, group in groups.items():
        called = [names[i].rpartition(":")[2].strip() for i in group]
        if name and len(group) > 1 and _are_probabilities(table, group, called, labels):
            soft[name] = dict(zip(group, called, strict=True))
    alone = [
        i
        for i in groups.get("", [])
        if names[i].strip().lower() not in CONFIDENCE and not table.numbers(i)[1].any()
    ]
    name, called = split_names([names[i] for i in alone]) if alone else ("", [])
    shares = columns_of_shares(table, alone)
    numbered = plain_name(name) in NUMBERED and all(names[i].startswith(name) for i in alone)
    like_labels = called_like_labels(called, labels) and not numbered  # as judge_1 and judge_2 are
    if not shares:
        check_sums(table, alone, like_labels=like_labels)
        shares = alone if like_labels else []
    if shares:
        name, called = split_names([names[i] for i in shares])
        soft[name] = dict(zip(shares, called, strict=True))
        notes.info(
            f"{table.source}: {some([names[i] for i in shares], 12)} sum to 1 in every row, and "
            f"are read as the probabilities of {some(called, 12)} by one classifier, '{name}'. "
            "Columns of several are called name:label."
        )
    return soft


def _are_probabilities(
    table: Table, group: list[int], called: Sequence[str], labels: Sequence[str]
) -> bool:
    """Tell columns name:label of probabilities from labels or scores of llama:8b and llama:70b."""
    values: list[Floats] = []
    for i in group:
        numbers, wrong = table.numbers(i)
        if wrong.any() and wrong[np.argmax(wrong | ~np.isnan(numbers))]:  # the first that is given
            return False
        values.append(numbers)
    check_sums(table, group, like_labels=False)
    if called_like_labels(called, labels):
        return True
    given = np.stack(values)[~np.isnan(np.stack(values))]
    fractions = bool((given % 1).any()) and bool(((given >= 0) & (given <= 1)).all())
    return fractions or sum_to_one(table, group)


def _confidences(table: Table, columns: Sequence[int]) -> dict[int, int]:
    """Columns of verdicts, with the column of the confidence of each, by their names."""
    names = {table.names[i].strip().lower(): i for i in reversed(columns)}
    sure: dict[int, int] = {}
    for name, i in names.items():
        for word in CONFIDENCE:
            verdict = name.removesuffix(word).rstrip("_ .:-")
            if name.endswith(word) and verdict in names and verdict != name:
                sure.setdefault(names[verdict], i)
    alone = [names[word] for word in CONFIDENCE if word in names]
    alone = [i for i in alone if not table.numbers(i)[1].any()]
    others = [i for i in columns if i not in alone]
    return {others[0]: alone[0]} if not sure and alone and len(others) == 1 else sure


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

    Long (item, classifier or rater or worker, label and perhaps probability), or wide (item, then a
    column of labels per classifier, or columns ``name:label`` of probabilities). If no column names
    the classifier and no item is repeated, there is one classifier.

    Parameters
    ----------
    data : path, frame, dict of columns, rows or array
        Anything that :func:`headcount.read_ratings` takes.
    item, classifier, label : str, optional
        The columns for these, if they have unusual names.
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
    table = None
    if not _only_predictions(data, reading):  # a log of evaluations
        table = open_table(data, name=name, kind="ratings", reading=reading, unnamed=True)
    named = classifier is not None or label is not None
    if table is None or (not named and (_has_probabilities(table) or _is_one_classifier(table))):
        return _without_scores(read_predictions(data, item=item, name=name, **options))
    roles = find_roles(table, {"classifier": None, "label": None})
    if classifier is None and len(roles) == 2:
        classifier = table.names[roles["classifier"]]
    try:
        given = {"item": item, "rater": classifier, "label": label}
        return read_rated(
            data, given, reading, labels=labels, duplicates=duplicates, name=name, people=False
        )
    except DataError as error:
        raise DataError(_of_classifiers(error.marked)) from error


def _has_probabilities(table: Table) -> bool:
    """Whether names say that some votes are probabilities, or that a column says how sure they are.

    Long votes of words and of numbers with fractions are labels and scores.
    """
    roles = find_roles(table, {"classifier": None, "label": None})
    if len(roles) < 2:
        sure = any(name.lower().endswith(CONFIDENCE_ENDS) for name in table.names)
        colons = [i for i, name in enumerate(table.names) if ":" in name]
        return sure or sum(not table.numbers(i)[1].any() for i in colons) > 1
    if find_role(table.names, "probability") is not None:
        return True
    if roles["label"] in table.nested():
        return False
    numbers, wrong = table.numbers(roles["label"])
    return bool(wrong.any()) and are_scores(numbers[~wrong])


def _is_one_classifier(table: Table) -> bool:
    """Whether a table that is not long has no item twice, and a column of labels, or one column."""
    roles = ("item", "classifier", "rater", "label")
    item, classifier, rater, label = (find_role(table.names, role) for role in roles)
    item = item or 0
    if table.form != "named" or table.exported or item in table.nested():
        return False
    if label is None:
        alone = len(table.names) == 2 and 1 - item not in table.nested()
    else:
        alone = classifier is None and rater is None and label not in table.nested()
    codes, texts = table.codes(item)
    return alone and len(texts) == len(codes)


def _of_classifiers(text: str) -> str:
    """Write a message on ratings as one on votes, of which a classifier may give several."""
    for named in named_in(text):
        if named.name == "rater":
            python = named.python.replace("rater", "classifier", 1)
            text = text.replace(marked(named), marked(Named("classifier", python, named.value)))
        if named.name == "command":
            votes = f"To count each as a vote: {option('duplicates', 'all')}"
            text = text.replace(f"{RETEST}{marked(named)}", votes)
    return text.replace("no column found for the rater", "no column found for the classifier")


def _only_predictions(data: Any, reading: Reading) -> bool:
    """Whether data are an export that holds predictions and no ratings."""
    return is_path(data) and kinds_in(saved(path_of(data)), reading) == ["predictions"]


def _without_scores(predictions: Predictions) -> Predictions:
    """Leave out scores, which are no votes; say so."""
    if not predictions.scores:
        return predictions
    names = some([score.name for score in predictions.scores])
    note = Note(f"{predictions.source}: scores are not votes; left out: {names}.", "caution")
    return replace(predictions, scores=(), notes=(*predictions.notes, note))
