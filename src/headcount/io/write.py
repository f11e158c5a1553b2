"""Write what headcount reads, in the forms that it reads, whole or not at all."""

from __future__ import annotations

import csv
import errno
import json
import math
import os
import re
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, TextIO

import numpy as np

from headcount.data.comparisons import Comparisons
from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import DataError, OptionError, either, option
from headcount.io.formats.database import connect, quoted

__all__ = [
    "replacing",
    "write_all",
    "ROWS",
    "write_rows",
    "write_ratings",
    "write_predictions",
    "write_pools",
    "write_comparisons",
    "write_columns",
]


@contextmanager
def replacing(path: Path) -> Generator[Path]:
    """Give a temporary file to write, and put it in the place of `path` only when all went well."""
    if path.is_dir():
        raise DataError(f"cannot write '{path}': it is a folder. Remove it, or write elsewhere.")
    try:
        with NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix, delete=False
        ) as file:
            temporary = Path(file.name)
    except OSError as error:
        raise DataError(f"cannot write '{path}': {error.strerror}.") from None
    try:
        yield temporary
        # A temporary file is private; a result has the permissions of any new file.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(path)
    except OSError as error:
        raise DataError(f"cannot write '{path}': {error.strerror or error}.") from None
    finally:
        temporary.unlink(missing_ok=True)


def write_all(folder: Path, files: Mapping[str, Callable[[Path], None]]) -> None:
    """Write several files into a folder, which is made if need be: all of them or none.

    Parameters
    ----------
    folder : Path
    files : mapping of str to callable
        For each name of a file, what writes it to a path.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder '{folder}': {error.strerror}.") from None
    with ExitStack() as stack:
        for name, write in files.items():
            write(stack.enter_context(replacing(folder / name)))


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
ROWS = (".csv", ".parquet", ".jsonl")
"""Endings of files of rows."""


def write_rows(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write the rows of a result as CSV, Parquet or JSON lines, by the ending of the name.

    Numbers that are not finite are blank in CSV and null elsewhere.
    """
    suffix = path.suffix.lower()
    if suffix not in ROWS:
        raise OptionError(f"{option('output')} '{path}': the name must end in {either(ROWS)}.")
    with replacing(path) as temporary:
        if suffix == ".csv":
            _write_csv(columns, temporary)
        elif suffix == ".jsonl":
            _write_json_lines(columns, temporary)
        else:
            _write_parquet(columns, temporary)


def _write_csv(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(_Lines(file))
        writer.writerow([_safe(name) for name in columns])
        values = ([_safe(_blank(value)) for value in column] for column in columns.values())
        writer.writerows(zip(*values, strict=True))


def _write_json_lines(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write a line per row."""
    with path.open("w", encoding="utf-8") as file:
        for row in zip(*columns.values(), strict=True):
            values = [None if _blank(value) == "" else value for value in row]
            line = dict(zip(columns, values, strict=True))
            file.write(json.dumps(line, ensure_ascii=False, default=str) + "\n")


def _write_parquet(columns: Mapping[str, Sequence[Any]], path: Path) -> None:
    """Write the types that all values of a column have, with the database that reads them too."""
    import duckdb

    rows: dict[str, Any] = {}
    for name, values in columns.items():
        rows[name] = np.empty(len(values), dtype=object)
        rows[name][:] = [None if _blank(value) == "" else value for value in values]
    with connect() as connection:
        connection.execute(f"SET pandas_analyze_sample = {max(map(len, rows.values()), default=1)}")
        connection.register("rows", rows)
        try:
            how = "FORMAT parquet, USE_TMP_FILE false"
            connection.execute(f"COPY rows TO {quoted(path)} ({how})")
        except duckdb.IOException as error:
            raise OSError(errno.EIO, f"{error}".partition("\n")[0]) from None


def _blank(value: Any) -> Any:
    missing = value is None or (isinstance(value, float) and not math.isfinite(value))
    return "" if missing else value


def write_ratings(labels: Labels, path: Path) -> None:
    """Write ratings as long CSV: item, rater, label."""
    write_columns(labels.columns(), path)


def write_predictions(predictions: Predictions, path: Path) -> None:
    """Write predictions as wide CSV: a column of labels, or columns name:label."""
    columns: dict[str, Sequence[object]] = {"item": predictions.items.tolist()}
    labels = np.array([*predictions.labels, ""], dtype=object)
    for classifier in predictions.classifiers:
        if classifier.kind == "hard":
            table = np.nan_to_num(classifier.probability)
            codes = np.where(classifier.predicted, table.argmax(axis=1), -1)
            columns[classifier.name] = labels[codes].tolist()
            continue
        for label, column in zip(predictions.labels, classifier.probability.T, strict=True):
            columns[f"{classifier.name}:{label}"] = column.tolist()
    write_columns(columns, path)


def write_pools(labels: Labels, experts: Iterable[str], path: Path) -> None:
    """Write who is an expert and who an amateur, as CSV: rater, pool."""
    known = set(experts)
    raters: list[str] = [str(rater) for rater in labels.raters]
    pools = ["expert" if rater in known else "amateur" for rater in raters]
    write_columns({"rater": raters, "pool": pools}, path)


def write_comparisons(comparisons: Comparisons, path: Path) -> None:
    """Write comparisons as CSV: left, right, outcome (in words, or as a share) and rater."""
    write_columns(comparisons.columns(), path)


def write_columns(columns: Mapping[str, Sequence[object]], path: Path) -> None:
    """Write named columns as CSV that is safe to open in a spreadsheet.

    A text that a spreadsheet would run as a formula, as it begins with one of = + - @, a tab or a
    line break and is not a number, gets an apostrophe before it; so do names of columns. Numbers
    stay numbers. Readers leave the apostrophe where it is, since it may be part of a name: Parquet
    and JSON lines hold every name as it is.
    """
    with replacing(path) as temporary:
        _write_csv(columns, temporary)


class _Lines:
    """Ends rows in a line feed, though csv quotes carriage returns only where rows end in one."""

    def __init__(self, file: TextIO) -> None:
        self.file = file

    def write(self, row: str) -> int:
        return self.file.write(row.removesuffix("\r\n") + "\n")


def _safe(value: object) -> object:
    """Keep a spreadsheet from reading a text as a formula.

    >>> [_safe(value) for value in ("=1+1", "-1.5", "-", "@ann", "+1e3", -1.5, "a=b", "-2+3")]
    ["'=1+1", '-1.5', "'-", "'@ann", '+1e3', -1.5, 'a=b', "'-2+3"]
    """
    if isinstance(value, str) and value.startswith(_FORMULA) and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value
