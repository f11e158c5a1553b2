"""Open whatever holds a table: a file, an export of a tool, a frame, columns, rows or an array."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard, cast

import numpy as np

from headcount import options
from headcount.data import examples
from headcount.data.vocabulary import label_text
from headcount.errors import (
    DataError,
    OptionError,
    closest,
    meant,
    option,
    some,
    unknown_name,
)
from headcount.io.cells import without_missing, written_numbers
from headcount.io.formats.csv import Csv
from headcount.io.formats.database import Parquet
from headcount.io.formats.excel import Excel
from headcount.io.formats.json import Json, JsonLines
from headcount.io.reading import MOST_UNPACKED, File, Format, Reading, Scratch
from headcount.io.roles import given_role, plain_name, which_question
from headcount.io.tables import Coded, ColumnTable, SomeRows, Table, check_names, columns_of
from headcount.io.tools.contents import BETWEEN, Document
from headcount.io.tools.crowds import GROUND_TRUTH, INSPECT, MTURK, LmEval, Qualtrics
from headcount.io.tools.exports import KINDS, UNREAD, Export, Kind, Tool
from headcount.io.tools.label_studio import POTATO, LabelStudio, LabelStudioMin
from headcount.io.tools.simple import (
    ANTHROPIC_BATCH,
    APPEN,
    BRAINTRUST,
    CHAOSNLI,
    DEEPEVAL,
    LABELBOX,
    LANGFUSE,
    LANGSMITH,
    LEWIDI,
    LIGHTTAG,
    MLFLOW,
    MLFLOW_TABLE,
    OPENAI_BATCH,
    PHOENIX,
    PROMPTFOO,
    RAGAS,
    TOLOKA,
    PromptfooTable,
)
from headcount.io.tools.study import Study
from headcount.io.tools.text_annotation import ARGILLA, PRODIGY, Doccano
from headcount.io.values import merged
from headcount.results.notes import Note, Notes, Source
from headcount.typing import Codes

__all__ = [
    "open_table",
    "check_file",
    "open_facts",
    "file_or_column",
    "opened",
    "values_of",
    "renamed",
    "ids_of",
    "ids",
    "rows_where",
    "check_headers",
    "open_file",
    "is_path",
    "path_of",
    "file_at",
    "saved",
    "given_files",
    "neighbour",
    "FORMATS",
    "format_of",
    "read_export",
    "kinds_in",
    "recognise",
    "TOOLS",
]


def open_table(
    data: Any,
    *,
    name: str,
    kind: Kind | None = None,
    unnamed: bool = False,
    unique: bool = True,
    reading: Reading | None = None,
) -> Table:
    """Open a table.

    Parameters
    ----------
    data : path, frame, dict of columns, rows or array
        CSV, TSV, JSON, JSON lines, Parquet or Excel, gzipped or not; ``-`` for standard input; any
        frame that narwhals reads, DuckDB's relations among them; columns by name; rows that are
        dicts, tuples or lists; or a 2-D array.
    name : str
        What messages call it, if it is no file.
    kind : {"ratings", "predictions", "comparisons"}, optional
        What to read of an export of a tool, which is recognised by what it holds. Default: a file
        is no export.
    unnamed : bool
        Whether columns may be without names, as those of tuples and arrays are.
    unique : bool
        Whether their names must differ.
    reading : Reading, optional
        What to read of it, and how.
    """
    reading = Reading() if reading is None else reading
    table = _open(data, name, reading, kind=kind)
    if table.form != "named" and not unnamed:
        raise DataError(
            f"{table.source}: the columns have no names. Give a dict of columns, such as "
            '{"item": [...], "label": [...]}, rows that are dicts, or a data frame.'
        )
    if unique:
        check_names(table)
    return table


def _open(data: Any, name: str, reading: Reading, *, kind: Kind | None) -> Table:
    if is_path(data):
        path = path_of(data)
        _check_format(reading.format)
        if kind is not None:
            table = read_export(saved(path), kind, reading)
            if table is not None:
                return table
        return open_file(path, ignore=reading.ignore, reading=reading)
    table = columns_of(data, name, reading.ignore)
    if table is None:
        from headcount.io.frames import open_frame

        return open_frame(data, name, reading.ignore)
    return table


def _check_format(name: str | None) -> None:
    """Refuse a format that is neither one of files nor a tool's."""
    if name is not None:
        names = [*(one.name for one in FORMATS), *(tool.name for tool in TOOLS)]
        options.one_of(name, "format", names)


def open_facts(data: Any, *, name: str, columns: tuple[str, str]) -> Table:
    """Open what says one thing of each item: a table, or a dict of item to value.

    `columns` are the names that the two get, where a dict or pairs have none.
    """
    if isinstance(data, Mapping):
        facts = cast("Mapping[Any, Any]", data)
        if facts and all(value is None or np.isscalar(value) for value in facts.values()):
            data = {columns[0]: list(facts), columns[1]: list(facts.values())}
    table = open_table(data, name=name, unnamed=True)
    if table.form != "named":
        if len(table.names) != len(columns):
            raise DataError(
                f"{table.source}: expected rows of two values, the {columns[0]} and the "
                f"{columns[1]}, not of {len(table.names)}. Give rows that are dicts, or a frame."
            )
        table.names = list(columns)
    return table


def file_or_column(source: Any, ratings: Any, name: str) -> tuple[Table, int | None]:
    """Open what an option names: a file, or else the ratings, of which it is a column.

    Parameters
    ----------
    source : path, str or anything else that holds a table
    ratings : path, frame, ...
        The ratings.
    name : str
        The option.

    Returns
    -------
    table : Table
    column : int or None
        Place of the column; None if a table of its own was given.
    """
    if not isinstance(source, str) or source == STDIN or path_of(source).is_file():
        return open_table(source, name=name), None
    table = open_table(ratings, name="ratings", kind="ratings")
    if source in table.names:
        return table, table.names.index(source)
    near = [*closest(source, table.names), *filter(None, [neighbour(Path(source))])]
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise DataError(
        f"{option(name)} '{source}' is neither a file nor a column of {table.source}.{hint} "
        f"Columns: {some(table.names, 12)}."
    )


# Columns as codes, as the options of a reader say: some rows, without what is missing, merged.


def opened(data: Any, reading: Reading, *, name: str, kind: Kind) -> Table:
    """Open a table as :func:`open_table` does, with the rows asked for."""
    table = open_table(data, name=name, kind=kind, reading=reading)
    return rows_where(check_headers(table), reading.where)


def values_of(
    table: Table, column: int, reading: Reading, *, role: str, notes: Notes
) -> tuple[Codes, list[str]]:
    """Column of labels or outcomes; -1 where it is blank, a usual word for it or declared missing.

    `role` is what notes call the values.
    """
    codes, texts, _ = without_missing(
        *table.codes(column), missing=reading.missing, words=reading.words
    )
    if (written := written_numbers(texts, decimal_comma=table.decimal_comma)) is not None:
        notes.extend([written.note(f"{table.source}, column '{table.names[column]}'")])
        codes, texts = renamed(codes, written.texts)
    counts = table.uses(codes, texts)
    codes, texts = merged((codes, texts), role, reading.merge, table.source, notes, counts=counts)
    return codes.astype(np.int64, copy=False), list(texts)


def renamed(codes: Codes, texts: Sequence[str]) -> tuple[Codes, list[str]]:
    """Give texts other names; those of one name become one."""
    index: dict[str, int] = {}
    recode = [index.setdefault(text, len(index)) for text in texts]
    return np.array([*recode, -1])[codes], list(index)


def ids_of(
    table: Table, column: int, reading: Reading, *, role: str, notes: Notes
) -> tuple[Codes, list[str]]:
    """Column of items, raters or classifiers; -1 where it is blank or declared missing."""
    return ids(table.codes(column), reading, role=role, table=table, notes=notes)


def ids(
    coded: Coded, reading: Reading, *, role: str, table: Table, notes: Notes
) -> tuple[Codes, list[str]]:
    """Ids that are coded already, as :func:`ids_of` takes them from a column."""
    counts = table.uses(*coded)
    codes, texts = merged(coded, role, reading.merge, table.source, notes, counts=counts)
    return codes.astype(np.int64, copy=False), list(texts)


# Some of the rows of a table.


def rows_where(table: Table, where: Sequence[tuple[str, str]]) -> Table:
    """Keep the rows in which columns have the values asked for.

    Several values of one column are alternatives; several columns must all fit.

    Raises
    ------
    DataError
        If a column is not there, or has no such value.
    """
    if not where:
        return table
    wanted: dict[int, list[str]] = {}
    for name, value in where:
        wanted.setdefault(given_role(table, "rows to keep", name), []).append(value)
    keep = np.ones(table.rows, dtype=bool)
    for column, values in wanted.items():
        codes, texts = table.codes(column)
        written = [label_text(text) for text in texts]
        for value in values:
            if label_text(value) not in written and value:
                raise DataError(
                    f"{table.source}, column '{table.names[column]}': no row has '{value}'."
                    f"{meant(value, texts)} Values: {some(texts, 12)}."
                )
        chosen = {label_text(value) for value in values}
        fits = np.array([*(text in chosen for text in written), "" in chosen])
        keep &= fits[codes]  # code -1, a blank, is the last entry
    if not keep.any():
        listed = some([f"{name}={value}" for name, value in where], 12)
        raise DataError(f"{table.source}: no row fits {option('where')} {listed}.")
    return table if keep.all() else SomeRows(table, keep, "not chosen by where")


_RULE = re.compile(r":?-{2,}:?|={2,}")


def check_headers(table: Table) -> Table:
    """Refuse a row that repeats the header, or that rules it off as tables in Markdown do."""
    if table.form != "named" or table.exported or table.nested() or not any(table.names):
        return table
    if any(map(table.holds_numbers, range(len(table.names)))):
        return table  # the name of a column is no number
    again = np.ones(table.rows, dtype=bool)
    # The last columns are mostly those of raters and labels, which have few texts.
    for column, name in reversed([*enumerate(table.names)]):
        codes, texts = table.codes(column)
        like = [n for n, text in enumerate(texts) if text == name or _RULE.fullmatch(text)]
        again &= np.isin(codes, like) if name else codes < 0
        if not again.any():
            return table
    raise DataError(
        f"{table.at(int(np.argmax(again)))}: the header again, or a line below it, and no data. "
        "Delete the row; files that were put one below the other may be given one by one."
    )


# Files: whether one is there and can be read, and which was meant if not.

STDIN = "-"
"""The name by which standard input is given."""
_PIPED_BLOCK = 1 << 20
_piped: list[tuple[object, Path, Scratch]] = []
"""What came by standard input, which can be read once only."""


def is_path(data: object) -> TypeGuard[str | PathLike[str]]:
    """Whether data are given as a path."""
    # Of its type: a frame of Spark Connect asks the server whether it has such a column.
    return isinstance(data, str) or hasattr(type(data), "__fspath__")


def path_of(name: str | PathLike[str]) -> Path:
    """Path of a file, or of the example that its name asks for.

    Examples
    --------
    >>> path_of("example:gold").name, path_of("ratings.csv").name
    ('gold.csv', 'ratings.csv')
    """
    text = os.fsdecode(name)
    if text.startswith(examples.PREFIX):
        return examples.path(text.removeprefix(examples.PREFIX))
    return Path(text)


def open_file(path: Path, *, ignore: Collection[str] = (), reading: Reading | None = None) -> Table:
    """Open a file as a table, in whatever format it is.

    Parameters
    ----------
    path : Path
        ``-`` is standard input.
    ignore : collection of str
        Columns that are not read.
    reading : Reading, optional
        Its format and encoding, if they are not to be recognised.
    """
    reading = Reading() if reading is None else reading
    file = file_at(path, reading)
    found = format_of(file, reading.format)
    if reading.sheet is not None and not found.has_sheets:
        raise OptionError(
            f"{option('sheet')} names a sheet of a workbook, but {file.name} is {found.name} and "
            "has none. Leave it out."
        )
    return found.open(file, ignore=ignore)


def file_at(path: Path, reading: Reading | None = None) -> File:
    """Find a file, check that it can be read, and go through its bytes."""
    reading = Reading() if reading is None else reading
    encoding, sheet = reading.encoding, reading.sheet
    if str(path) == STDIN:
        saved, scratch = _standard_input()
        return File.at(saved, name="standard input", encoding=encoding, sheet=sheet, folder=scratch)
    check_file(path)
    try:
        return File.at(path, encoding=encoding, sheet=sheet)
    except OSError as error:
        raise DataError(f"'{path}' cannot be read: {error.strerror or error}.") from None


def saved(path: Path) -> Path:
    """Return the path itself; of standard input, where what came by it is saved."""
    return _standard_input()[0] if str(path) == STDIN else path


given_files: ContextVar[Collection[str]] = ContextVar("given_files", default=())
"""Files that are given together: none of them was meant by the name of another."""


def neighbour(path: Path) -> Path | None:
    """File beside a path that is not there that may have been meant."""
    folder = path.parent
    given = {os.path.realpath(file) for file in given_files.get()}
    try:
        here = [p.name for p in folder.iterdir() if os.path.realpath(p) not in given]
    except OSError:
        here = []
    near = closest(path.name, here)
    return folder / near[0] if near else None


def _standard_input() -> tuple[Path, Scratch]:
    """Save what comes by standard input; a second reader gets the same."""
    for stream, path, scratch in _piped:
        if stream is sys.stdin:
            return path, scratch
    # sys.stdin is None in a program without a console.
    if not sys.stdin or sys.stdin.closed or sys.stdin.isatty():
        raise DataError("nothing comes by standard input; pipe a file into the command.")
    scratch = Scratch()
    path, size = scratch.path / "standard input", 0
    with scratch.filling(), path.open("wb") as file:
        while block := sys.stdin.buffer.read(_PIPED_BLOCK):
            size += len(block)
            if size > MOST_UNPACKED:
                raise DataError(
                    f"standard input: more than {MOST_UNPACKED:,} bytes, which is the limit. Save "
                    "it to a file and give that."
                )
            file.write(block)
    if not size:
        raise DataError("standard input is empty; its first row must name the columns.")
    _piped.append((sys.stdin, path, scratch))
    return path, scratch


def check_file(path: Path) -> None:
    """Refuse what is no file that can be read."""
    try:
        if path.is_dir():
            raise DataError(f"'{path}' is a folder; give the file in it.")
        if path.exists() and not path.is_file():
            raise DataError(f"'{path}' is a pipe; save it to a file first.")
        if path.exists() and not os.access(path, os.R_OK):
            raise DataError(f"'{path}' may not be read; change its permissions (chmod +r).")
        if path.is_symlink() and not path.exists():
            raise DataError(f"'{path}' is a link to a file that is not there, or to itself.")
        if not path.exists():
            near = neighbour(path)
            hint = f" Did you mean '{near}'?" if near else ""
            raise DataError(f"no such file: '{path}'.{hint}")
        if path.stat().st_size == 0:
            raise DataError(f"{path.name} is empty; its first row must name the columns.")
    except OSError as error:  # a name that is too long, say
        raise DataError(f"'{path}' cannot be read: {error.strerror or error}.") from None


# The formats that files are read in, in the order in which they are tried.

FORMATS: list[Format] = [Parquet(), Excel(), JsonLines(), Json(), Csv()]


def format_of(file: File, wanted: str | None = None) -> Format:
    """Find the format of a file, or the one that is wanted, by its name.

    Text with columns, the likeliest, if nothing says what it is.
    """
    if wanted is not None:
        named = {one.name: one for one in FORMATS}
        if wanted not in named:
            raise unknown_name("format", wanted, list(named), option_name="format")
        return named[wanted]
    start = file.magic.lstrip()
    marked = [
        one
        for one in FORMATS
        if file.suffix in one.suffixes or not start or start.startswith(one.starts)
    ]
    return next((one for one in marked if one.knows(file)), FORMATS[-1])


# Read an export as a table of ratings, predictions or comparisons.


def read_export(path: Path, kind: Kind, reading: Reading) -> Table | None:
    """Read one kind of data of an export; None if no tool recognises the file.

    Parameters
    ----------
    path : Path
        A file, or a folder of files.
    kind : {"ratings", "predictions", "comparisons"}
    reading : Reading
        `question` chooses among several, `ignore` names questions that are not read, `format` a
        tool to insist on.

    Returns
    -------
    Table or None
        Columns item, rater and label; item, classifier and label; or left, right, outcome and
        rater. Without a rater where nobody knows who gave an answer.
    """
    found = recognise(path, reading)
    if found is None:
        return None
    tool, document = found
    if kind not in tool.kinds:
        return None
    export = _read_by_tool(tool, document, reading)
    _check_ignored(document, export, reading)
    question = _question(tool, document, export, kind, reading)
    return _export_table(tool, document, export, kind, question)


def kinds_in(path: Path, reading: Reading) -> list[Kind] | None:
    """Find what an export holds; None if no tool recognises the file."""
    found = recognise(path, reading)
    if found is None:
        return None
    tool, document = found
    export = _read_by_tool(tool, document, reading)
    return [kind for kind in KINDS if kind in tool.kinds and export.answers[kind]]


def _read_by_tool(tool: Tool, document: Document, reading: Reading) -> Export:
    """Read an export; a record without a field that the tool always writes is damaged."""
    try:
        return tool.read(document, reading)
    except KeyError as missing:
        raise DataError(
            f"{document.name} ({tool.title}): a record has no '{missing.args[0]}', which "
            f"{tool.title} writes into every one. Export the file again."
        ) from None


PLAIN = frozenset({"item", "rater", "label"})
"""Columns of a table that no tool wrote."""
_LONGEST_HEADER = 1 << 16
"""Bytes of a first line that is looked at."""


def _is_plain(path: Path) -> bool:
    """Whether the first line of a file names the columns of a table that no tool wrote."""
    with suppress(OSError), path.open("rb") as file:
        first = file.readline(_LONGEST_HEADER).decode("utf-8-sig", "replace")
        return {plain_name(name) for name in re.split(r'[",;\t]+', first.strip())} >= PLAIN
    return False


def recognise(path: Path, reading: Reading) -> tuple[Tool, Document] | None:
    """Find the tool that wrote a file, by what the file holds; None if it is no tool's."""
    insisted = [tool for tool in TOOLS if tool.name == reading.format]
    if reading.format is not None and not insisted:
        return None
    if not path.exists() or not (path.is_file() or path.is_dir()):
        return None
    if not insisted and path.is_file() and _is_plain(path):
        return None
    document = Document(path, reading.encoding)
    for tool in insisted or TOOLS:
        if document.has(tool.marks) and tool.recognises(document):
            return tool, document
    if insisted:
        raise DataError(
            f"{document.name} does not look like an export of {insisted[0].title}. Leave "
            f"{option('format')} out, or see the page on files for what is read."
        )
    for known in UNREAD:
        if path.is_file() and document.has(known.marks):
            raise known.refused(document)
    return None


def _check_ignored(document: Document, export: Export, reading: Reading) -> None:
    """Refuse to ignore what is not there, which is likely misspelt."""
    fields = [name for record in document.head for name in record]
    known = [*document.columns, *(name for kind in KINDS for name in export.questions(kind))]
    for name in reading.ignore:
        if name not in known and name not in fields:
            hint = meant(name, known)
            raise DataError(f"{document.name} has no '{name}' to ignore.{hint}")


def _question(tool: Tool, document: Document, export: Export, kind: Kind, reading: Reading) -> str:
    """Which question to read: the only one, or the one that the user names."""
    questions = [one for one in export.questions(kind) if one not in reading.ignore]
    where = f"{document.name} ({tool.title})"
    if not questions:
        raise _nothing(where, export, kind)
    if reading.question is None and len(questions) > 1 and kind == "predictions":
        rated = [one for one in questions if one in export.questions("ratings")]
        questions = rated if len(rated) == 1 else questions  # the one that people answered too
    if reading.question is None and len(questions) == 1:
        return questions[0]
    if reading.question not in questions:
        raise which_question(where, questions, reading.question)
    return reading.question


def _nothing(where: str, export: Export, kind: Kind) -> DataError:
    """Error for a file that holds nothing of a kind."""
    if kind in export.absent:
        return DataError(f"{where}: no {kind} can be read: {export.absent[kind]}.")
    others = [other for other in KINDS if export.answers[other]]
    if others:
        return DataError(
            f"{where}: it holds {' and '.join(others)}, but no {kind}. Give another file."
        )
    reasons = {reason: times for one in KINDS for reason, times in export.dropped(one).items()}
    dropped = f" ({_reasons(reasons)})" if reasons else ""
    said = [note.partition(": ")[2] or note for note in export.notes]
    why = "".join(f" {text[:1].upper()}{text[1:]}" for text in said)
    return DataError(f"{where}: no {kind} can be read{dropped}.{why}")


def _export_table(
    tool: Tool, document: Document, export: Export, kind: Kind, question: str
) -> Table:
    chosen = [row for row in export.answers[kind] if row.question == question]
    rows = [row.cells for row in chosen]
    columns: dict[str, list[Any]] = dict(
        zip(KINDS[kind], map(list, zip(*rows, strict=True)), strict=True)
    )
    notes = Notes()
    notes.info(f"{document.name}: from {tool.title}; question '{question}'.")
    if document.encoding == "cp1252":
        notes.caution(
            f"{document.name}: not UTF-8; read as Windows' cp1252. Name another with "
            f"{option('encoding', ...)}."
        )
    notes.extend(export.notes)
    others = [other for other in export.questions(kind) if other != question]
    if kind == "predictions" and others:
        notes.info(f"{document.name}: questions that are not read: {some(others, 6)}.")
    confidence = [row.confidence for row in chosen]
    if any(one is not None for one in confidence):
        if _are_confidences(confidence):
            columns["confidence"] = confidence
        else:
            notes.caution(
                f"{document.name}: scores of predictions are not read: they are not confidence, "
                "which is from 0 to 1 and not always the same."
            )
    dropped = export.dropped(kind, question)
    if dropped:
        notes.extend([Note(f"{document.name}: answers left out: {_reasons(dropped)}.", "caution")])
    several = next((text for cells in rows if BETWEEN in (text := cells[2] or "")), None)
    if several is not None and export.has_sets:
        notes.caution(
            f"{document.name}: some answers have several labels, which are written as one, such "
            f"as '{several}'."
        )
    if "rater" in columns and not any(columns["rater"]):
        del columns["rater"]
        notes.info(f"{document.name}: nothing says who gave an answer, so raters are anonymous.")
    table = ColumnTable(list(columns.values()), list(columns), document.name)
    table.notes, table.dropped, table.exported = tuple(notes), dropped, True
    file = document.file
    table.sources = (
        Source(
            name=document.name,
            format=tool.name,
            rows=export.records,
            size=None if file is None else file.size,
            sha256=None if file is None else file.sha256,
            encoding=document.encoding,
        ),
    )
    return table


def _are_confidences(scores: list[float | None]) -> bool:
    """Whether scores of predictions can say how sure a classifier is."""
    given = {score for score in scores if score is not None}
    return len(given) > 1 and min(given) >= 0 and max(given) <= 1


def _reasons(dropped: dict[str, int]) -> str:
    return ", ".join(f"{times:,} {reason}" for reason, times in dropped.items())


# The tools whose exports are read, in the order in which they are tried: the surest first.

TOOLS: list[Tool] = [
    Study(),
    Qualtrics(),
    MTURK,
    TOLOKA,
    APPEN,
    LabelStudio(),
    LabelStudioMin(),
    LABELBOX,
    GROUND_TRUTH,
    PRODIGY,
    LIGHTTAG,
    ARGILLA,
    INSPECT,
    PROMPTFOO,
    PromptfooTable(),
    LmEval(),
    DEEPEVAL,
    MLFLOW,
    MLFLOW_TABLE,
    LANGSMITH,
    BRAINTRUST,
    OPENAI_BATCH,
    ANTHROPIC_BATCH,
    RAGAS,
    LANGFUSE,
    PHOENIX,
    POTATO,
    CHAOSNLI,
    Doccano(),
    LEWIDI,
]
