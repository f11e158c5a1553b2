"""What an export is: a file with records, the tool that wrote it, and tools that are not read."""

from __future__ import annotations

import csv
import json
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from enum import Enum, auto
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from headcount.data.comparisons import OUTCOMES
from headcount.errors import DataError, count, option, some
from headcount.io.formats.csv import Csv
from headcount.io.formats.database import is_nested
from headcount.io.reading import File, Reading
from headcount.io.tools.contents import (
    BETWEEN,
    HEAD_BYTES,
    LIMIT,
    Archive,
    as_dict,
    as_dicts,
    as_list,
    delimiter_of,
    first_bytes,
    first_elements,
    first_text,
    json_lines,
    parquet_records,
    parquet_types,
    parsed,
    rows_of,
    text_of,
)
from headcount.io.values import Several
from headcount.results.notes import Notes

__all__ = [
    "Form",
    "Document",
    "Kind",
    "KINDS",
    "Export",
    "same_items",
    "Tool",
    "UNREAD",
]


# A file as readers of exports see it: what kind it is, its first records, and all of them.

HEAD_LINES, HEAD_RECORDS, HEAD_ROWS = 50, 20, 4
"""What of a file is looked at to recognise it."""


class Form(Enum):
    """Kinds of files that exports come in."""

    ARRAY = auto()
    OBJECT = auto()
    LINES = auto()
    COLUMNS = auto()
    ARCHIVE = auto()
    PARQUET = auto()
    EMPTY = auto()


class Document:
    """A file, or a folder of files.

    What is cheap is read first: the first megabyte, the names in an archive, the columns of
    Parquet. The rest is read when a tool that recognised it asks.

    Parameters
    ----------
    path : Path
    encoding : str, optional
        Of text; by default it is recognised as that of any other file.
    data : bytes, optional
        The content, if it is a member of an archive.
    """

    def __init__(self, path: Path, encoding: str | None = None, data: bytes | None = None) -> None:
        self.path = path
        self.name = path.name
        self._wanted = encoding
        self._data = data

    @property
    def stem(self) -> str:
        """Name without its ending, and that of gzip."""
        return Path(self.name.removesuffix(".gz")).stem

    @cached_property
    def file(self) -> File | None:
        """The file, gone through and unpacked; None for a folder or a member of an archive."""
        whole = self._data is None and not self.path.is_dir()
        return File.at(self.path, encoding=self._wanted) if whole else None

    @property
    def encoding(self) -> str | None:
        """Encoding of text; None for other forms."""
        is_text = self.form not in (Form.ARCHIVE, Form.PARQUET, Form.EMPTY)
        return self.file.text.said if is_text and self.file is not None else None

    @cached_property
    def form(self) -> Form:
        """Kind of file."""
        head = self._head_bytes
        if head[:4] == b"PAR1":
            return Form.PARQUET
        if (self._data is None and self.archive.is_folder) or head[:4] == b"PK\x03\x04":
            return Form.ARCHIVE
        text = self.head_text.lstrip()
        if text.startswith("["):
            return Form.ARRAY
        if text.startswith("{"):
            first, _, rest = text.partition("\n")
            is_line = rest.strip() and isinstance(parsed(first), dict)
            return Form.LINES if is_line else Form.OBJECT
        return Form.COLUMNS if text else Form.EMPTY

    # Text

    @cached_property
    def _head_bytes(self) -> bytes:
        return first_bytes(self.path) if self._data is None else self._data[:HEAD_BYTES]

    @cached_property
    def head_text(self) -> str:
        """Return the first megabyte as text."""
        return first_text(self._head_bytes, self._wanted)

    def text(self) -> str:
        """Return all of the file as text."""
        file = self.file
        if file is None:
            try:
                return (self._data or b"").decode(self._wanted or "utf-8-sig")
            except UnicodeError:
                raise DataError(
                    f"{self.name} is not UTF-8; name another {option('encoding', ...)}."
                ) from None
        if file.path.stat().st_size > LIMIT:
            raise DataError(
                f"{self.name}: more than {LIMIT >> 30} GB, unpacked. Split it, or export a table "
                "of item, rater and label."
            )
        return "".join(file.lines()).lstrip("\ufeff")

    # Records: of JSON, of lines, of columns or of Parquet

    @cached_property
    def json(self) -> Any:
        """The JSON document; None if it is none."""
        if self.form not in (Form.ARRAY, Form.OBJECT):
            return None
        try:
            return json.loads(self.text())
        except (ValueError, RecursionError) as error:
            raise DataError(f"{self.name}: the JSON cannot be read: {error}.") from None

    @cached_property
    def object(self) -> dict[str, Any]:
        """The JSON object; an empty one if the file is something else or no JSON."""
        try:
            return as_dict(self.json) if self.form is Form.OBJECT else {}
        except DataError:
            return {}

    @cached_property
    def head(self) -> list[dict[str, Any]]:
        """First records of JSON, or of Parquet with lists, to know a tool by; [] of others."""
        records: list[Any] = []
        if self.form is Form.LINES:
            lines = self.head_text.split("\n")[:HEAD_LINES]
            records = [parsed(line) for line in lines if line.strip()]
        elif self.form is Form.ARRAY:
            records = first_elements(self.head_text)
            if not records:  # the first is longer than what was looked at
                with suppress(DataError):
                    records = as_list(self.json)[:HEAD_RECORDS]
        elif self.form is Form.OBJECT:
            records = [*self._object_records[:HEAD_RECORDS]]
        elif self.form is Form.PARQUET and any(map(is_nested, self.types.values())):
            records = list(parquet_records(self.path, HEAD_RECORDS))
        return [as_dict(record) for record in records if isinstance(record, dict)]

    def records(self, inside: str | None = None) -> list[dict[str, Any]]:
        """Return all records: of an array, of lines, of columns or of Parquet.

        `inside` is the field of an object that lists them, where the file is one with that field.
        """
        if inside is not None and isinstance(self.object.get(inside), list):
            return as_dicts(self.object[inside])
        if self.form is Form.PARQUET:
            return list(parquet_records(self.path))
        if self.form is Form.COLUMNS:
            return list(self._text_records())
        if self.form is Form.ARRAY:
            records = as_list(self.json)
        elif self.form is Form.LINES:
            records = list(json_lines(self.text(), self.name))
        else:
            records = [*self._object_records]
        wrong = next((i for i, record in enumerate(records) if not isinstance(record, dict)), None)
        if wrong is not None:
            raise DataError(f"{self.name}, record {wrong + 1}: expected a JSON object.")
        return [as_dict(record) for record in records]

    @cached_property
    def _object_records(self) -> list[dict[str, Any]]:
        """Records of a JSON object: its rows, if it is of columns, or else itself."""
        columns = self.object
        lengths = {len(as_list(cells)) for cells in columns.values() if isinstance(cells, list)}
        lists = all(isinstance(cells, list) for cells in columns.values())
        if len(columns) < 2 or not lists or len(lengths) != 1 or lengths == {0}:
            return [columns] if columns else []
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _text_records(self) -> Iterator[dict[str, Any]]:
        names, *rows = self.rows()
        doubled = sorted({name for name in names if name and names.count(name) > 1})
        if doubled:
            raise DataError(f"{self.name}: several columns are called {some(doubled)}.")
        for number, row in enumerate(rows, 2):
            if len(row) > len(names):
                raise DataError(
                    f"{self.name}, record {number}: {len(row)} cells where the header has "
                    f"{len(names)}. Export the file again."
                )
            yield dict(zip(names, row + [""] * (len(names) - len(row)), strict=True))

    # Columns of text or of Parquet

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns of text or Parquet; [] if it is neither."""
        if self.form is Form.PARQUET:
            return list(self.types)
        return self.head_rows[0] if self.head_rows else []

    @cached_property
    def fields(self) -> list[str]:
        """Names of the columns, or of the fields of the first records of JSON."""
        return self.columns or list(dict.fromkeys(name for record in self.head for name in record))

    @cached_property
    def head_rows(self) -> list[list[str]]:
        """Return the first rows of columns of text, header included."""
        rows: list[list[str]] = []
        if self.form is Form.COLUMNS:
            # The head may end within a field that is too long; the rows before it are whole.
            with suppress(csv.Error):
                rows.extend(islice(rows_of(self.head_text, self._delimiter), HEAD_ROWS))
        return rows

    def rows(self) -> list[list[str]]:
        """Return all rows of columns of text, header included, blank ones left out."""
        try:
            return list(rows_of(self.text(), self._delimiter))
        except csv.Error as error:
            raise DataError(f"{self.name} cannot be read as columns: {error}.") from None

    @cached_property
    def _delimiter(self) -> str:
        return delimiter_of(self.head_text)

    @cached_property
    def types(self) -> dict[str, str]:
        """Columns of Parquet and DuckDB's types; {} if it is none."""
        return parquet_types(self.path) if self.form is Form.PARQUET else {}

    # Archives and folders

    @cached_property
    def archive(self) -> Archive:
        """The files in an archive or a folder."""
        return Archive(self.path)

    @property
    def members(self) -> list[str]:
        """Names of the files in an archive or a folder; [] if it is neither."""
        return self.archive.names if self.form is Form.ARCHIVE and self._data is None else []

    def member(self, name: str) -> Document:
        """Return a file of an archive or a folder; of several of one name, the last."""
        if self.archive.is_folder:
            return Document(self.path / name, self._wanted)
        return Document(Path(name), self._wanted, self.archive.unpacked(name))


# What a tool is: how to know its exports, and what is read of them.

Kind = Literal["ratings", "predictions", "comparisons"]
KINDS: dict[Kind, tuple[str, ...]] = {
    "ratings": ("item", "rater", "label"),
    "predictions": ("item", "classifier", "label"),
    "comparisons": ("left", "right", "outcome", "rater"),
}
"""What a file can hold, and the columns of each."""


class Row(NamedTuple):
    """One answer: the cells of the columns of its kind, and the question it answers.

    `confidence` is how sure a classifier is of its label, where it says so.
    """

    question: str
    cells: tuple[str | None, ...]
    confidence: float | None = None


class Export:
    """What a tool's file holds: answers by kind and question, and what was left out and why.

    Attributes
    ----------
    answers : dict of kind to list of Row
    notes : Notes
    absent : dict of kind to str
        Why the file holds nothing of a kind, and what to do, where the tool knows.
    records : int
        Records of the file.
    """

    def __init__(self) -> None:
        self.answers: dict[Kind, list[Row]] = {kind: [] for kind in KINDS}
        self.notes = Notes()
        self.absent: dict[Kind, str] = {}
        self.records = 0
        self._dropped: dict[Kind, Counter[tuple[str | None, str]]] = {
            kind: Counter() for kind in KINDS
        }
        self._sets = False
        self._scores: dict[tuple[str, str], list[tuple[str | None, float]]] = {}

    def rate(self, question: str, item: Any, rater: Any, label: Any) -> None:
        """Add a rating; one without a label is dropped as empty."""
        self._add("ratings", question, (text_of(item), text_of(rater), self._label(label)))

    def predict(
        self, question: str, item: Any, classifier: Any, label: Any, confidence: Any = None
    ) -> None:
        """Add a prediction; one without a label is dropped as empty.

        `confidence` is how sure the classifier is of the label, as it says itself.
        """
        cells = (text_of(item), text_of(classifier), self._label(label))
        self._add("predictions", question, cells, _number(confidence))

    def score(self, question: str, item: Any, classifier: str, score: Any) -> None:
        """Add a number that a classifier gives beside its verdict, as one of a classifier more.

        They are read by :meth:`add_scores`, which a reader calls when all are known.
        """
        number = _number(score)
        if number is not None:
            given = self._scores.setdefault((question, f"{classifier} score"), [])
            given.append((text_of(item), number))

    def add_scores(self) -> None:
        """Read scores; where all are whole numbers they say what the verdict says, or a label."""
        for (question, name), given in self._scores.items():
            if any(not number.is_integer() for _, number in given):
                for item, number in given:
                    self.predict(question, item, name, number)

    def compare(self, question: str, pair: tuple[Any, Any], outcome: Any, rater: Any) -> None:
        """Add a comparison of a left and a right thing: left, right or tie."""
        left, right = pair
        if text_of(left) == text_of(right):
            self.drop("comparisons", "compared with itself", question)
            return
        cells = (text_of(left), text_of(right), text_of(outcome), text_of(rater))
        self._add("comparisons", question, cells)

    def prefer(self, question: str, pair: tuple[Any, Any], answer: Any, rater: Any) -> None:
        """Add a comparison if two things were shown, and the answer is one of them or a tie."""
        shown, said = tuple(map(text_of, pair)), text_of(answer)
        if None not in shown and said is not None and (said.lower() in OUTCOMES or said in shown):
            self.compare(question, pair, said, rater)

    def drop(self, kind: Kind, reason: str, question: str | None = None, times: int = 1) -> None:
        """Count answers that are left out; without a question, of whatever question is read."""
        if times:
            self._dropped[kind][question, reason] += times

    def questions(self, kind: Kind) -> list[str]:
        """Questions with answers of a kind, in the order of the file."""
        return list(dict.fromkeys(row.question for row in self.answers[kind]))

    def dropped(self, kind: Kind, question: str | None = None) -> dict[str, int]:
        """Answers left out of a question, or of all, by reason."""
        total: Counter[str] = Counter()
        for (own, reason), times in self._dropped[kind].items():
            if question is None or own in (None, question):
                total[reason] += times
        return dict(total)

    @property
    def has_sets(self) -> bool:
        """Whether some answers have several labels."""
        return self._sets

    def _label(self, label: Any) -> str | None:
        text = text_of(label)
        if isinstance(label, list) and text is not None and BETWEEN in text:
            self._sets = True
        return text

    def _add(
        self,
        kind: Kind,
        question: str,
        cells: tuple[str | None, ...],
        confidence: float | None = None,
    ) -> None:
        if cells[2] is None:
            self.drop(kind, "empty", question)
        elif cells[0] is None:
            self.drop(kind, "without an item", question)
        else:
            self.answers[kind].append(Row(question, cells, confidence))


def same_items(
    tasks: Sequence[tuple[str | None, Hashable, Sequence[str | None]]],
    export: Export,
    document: Document,
) -> dict[str | None, str | None]:
    """Items of tasks, each of which may have been uploaded once for each rater.

    Parameters
    ----------
    tasks : sequence of (id, what is shown, raters)
    export : Export
        Which is told if tasks are one item.
    document : Document

    Returns
    -------
    dict of id to id
        That of the first task that shows the same, if no task has several raters and no rater saw
        the same twice; else of the task itself.
    """
    first: dict[Hashable, str | None] = {}
    seen: set[tuple[Hashable, str | None]] = set()
    for task, shown, raters in tasks:
        first.setdefault(shown, task)
        seen.update((shown, rater) for rater in raters)
    ids = {task for task, _, _ in tasks}
    once = len(seen) == sum(len(raters) for _, _, raters in tasks)
    alone = len(ids) == len(tasks) and all(len(raters) < 2 for _, _, raters in tasks)
    if not alone or not once or len(first) == len(tasks) or None in first:
        return {task: task for task in ids}
    export.notes.caution(
        f"{document.name}: every task has one annotation, and several tasks show the same; those "
        f"are one item, called by the first id, {count(len(first), 'item')} in all."
    )
    return {task: first[shown] for task, shown, _ in tasks}


def _number(value: Any) -> float | None:
    """Return a finite number; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


class Tool(ABC):
    """A tool. To read another, write one such class and put it into the list of tools.

    Attributes
    ----------
    name : str
        What users call it as the format of a file.
    title : str
        Its name in sentences.
    kinds : tuple of str
        What its exports can hold; asked for anything else, a file is none of them.
    """

    name: str
    title: str
    kinds: tuple[Kind, ...] = tuple(KINDS)

    @abstractmethod
    def recognises(self, document: Document) -> bool:
        """Whether a file is an export of the tool, by what it holds."""

    @abstractmethod
    def read(self, document: Document, reading: Reading) -> Export:
        """Read what the file holds, for all its questions."""

    def refused(self, document: Document, why: str) -> DataError:
        """Error for an export that cannot be read right."""
        return DataError(f"{document.name} ({self.title}): {why}")


# Tools whose exports are known, but not read: which they are, and what to do.

TABLE = "Write a table with a column for the item, the rater and the label, and read that."


class Unread(NamedTuple):
    """A tool whose exports are refused by name.

    `why` says why it is not read, and what to do, as a sentence after its title.
    """

    title: str
    is_its: Callable[[Document], bool]
    why: str | Callable[[Document], str]

    def refused(self, document: Document) -> DataError:
        """Error for its export."""
        why = self.why if isinstance(self.why, str) else self.why(document)
        return DataError(f"{document.name} ({self.title}): {why}")


def _has(*fields: str) -> Callable[[Document], bool]:
    """Find documents of which all first records have some fields."""
    return lambda document: bool(document.head) and all({*fields} <= {*r} for r in document.head)


def _is_object(*fields: str) -> Callable[[Document], bool]:
    """Find documents that are one object with some fields."""
    return lambda document: {*fields} <= {*document.object}


def _begins(*starts: str) -> Callable[[Document], bool]:
    """Find texts that begin so."""
    return lambda document: (
        document.form is Form.COLUMNS and document.head_text.lstrip().lower().startswith(starts)
    )


def _is_redcap(document: Document) -> bool:
    names = document.columns if document.form is Form.COLUMNS else []
    marked = any(name.startswith("redcap_") for name in names)
    return marked or (names[:1] == ["record_id"] and any(n.endswith("_complete") for n in names))


def _redcap(document: Document) -> str:
    """Say what the columns may be, in options that read them."""
    record, *names = document.columns
    own = [n for n in names if n.startswith("redcap_") or n.endswith(("_complete", "_timestamp"))]
    fields = [name for name in names if name not in own] or ["..."]
    table, ignore = option("format", Csv.name), option("ignore", Several(own))
    events = [n for n in own if n in ("redcap_event_name", "redcap_repeat_instance")]
    several = (
        f" If each event or repeat is a rater: {table}, {option('item', record)}, "
        f"{option('rater', events[-1])} and {option('label', fields[0])}."
        if events
        else ""
    )
    return (
        "it does not say whether a record is an item or a rater. If records are raters and fields "
        f"items: {table}, {ignore} and {option('transpose', True)}. If records are items and "
        f"fields raters: {table}, {ignore} and {option('transpose', False)}.{several}"
    )


def _is_openai_eval(document: Document) -> bool:
    events = [event for event in document.head if not {"spec", "final_report"} & {*event}]
    needed = {"run_id", "event_id", "sample_id", "data"}
    return bool(events) and all(needed <= {*event} for event in events)


_SHAPES = f"shapes in images are no ratings of items. {TABLE}"
UNREAD: tuple[Unread, ...] = (
    Unread(
        "INCEpTION or WebAnno",
        _begins("#format=webanno"),
        f"labels of words and spans are no ratings of items. {TABLE}",
    ),
    Unread(
        "XML or HTML",
        _begins("<?xml", "<annotation", "<html", "<!doctype", "<table"),
        f"XML, as CVAT writes it, and pages of HTML are not read. {TABLE}",
    ),
    Unread("COCO", _is_object("images", "annotations", "categories"), _SHAPES),
    Unread("LabelMe", _is_object("shapes", "imagePath"), _SHAPES),
    Unread(
        "V7 Darwin",
        _is_object("version", "item", "annotations", "schema_ref"),
        "a file for each image, with the label on which annotators settled. For tags of whole "
        f"images, export before consensus. {TABLE}",
    ),
    Unread(
        "Scale",
        _has("task_id", "type", "status", "params", "response"),
        "tasks with the answer that Scale delivers; what each worker said is not in it. Read it as "
        "predictions: write a table with columns item (task_id) and label, or of "
        "response.annotations, if it holds several.",
    ),
    Unread("REDCap", _is_redcap, _redcap),
    Unread(
        "OpenAI evals",
        _is_openai_eval,
        "events of several kinds. Keep those of one (type match, say), and write a table with "
        "columns item (sample_id) and a judge's verdict (data.correct or data.choice).",
    ),
    Unread(
        "Weights & Biases Weave",
        _has("op_name", "trace_id", "inputs", "output"),
        "calls of all operations. Keep those of predict_and_score, and write a table with columns "
        "item (the example's id) and one for each scorer (output.scores).",
    ),
    Unread(
        "TruLens",
        lambda document: {"record_id", "record_json", "app_id"} <= {*document.columns},
        "columns of feedback functions are beside others. Read it as a table with "
        f"{option('format', Csv.name)}, and leave those out with {option('ignore', ...)} (app_..., "
        "..._json, ..._calls, costs and times).",
    ),
    Unread(
        "LangSmith",
        _has("run_id", "key", "score", "value", "feedback_source"),
        "feedback of people and models. Write a table with columns item (run_id), rater "
        "(feedback_source.user_id) and label (score or value), for one key; that of models in a "
        "file of its own, as predictions. The frame of an experiment (to_pandas) is read as it is.",
    ),
)
"""In the order in which they are tried, after all tools that are read."""
