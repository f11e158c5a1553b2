"""Write tables in many formats."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pandas as pd
import polars as pl

from tests.io.truth.tables import Case, Cell, Random, Sheet
from tests.workbooks import workbook

_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
TEXT_FORMATS = (
    "csv", "csv", "csv", "tsv", "semicolon", "csv.gz", "bom", "cp1252", "utf-16", "quoted",
    "trailing", "pipe", "write.table", "blank lines", "titled",
)  # fmt: skip
"""Formats of text. 'trailing': a separator ends each line; 'write.table': as R writes it, rows
numbered and the header one field short; 'titled': with a title above the names."""
MEMORY = ("pandas", "polars", "dict", "rows", "indexed", "categories")
FORMATS = (
    *TEXT_FORMATS, *MEMORY, "xlsx", "xlsx", "notes.xlsx", "parquet", "json", "jsonl", "split.json",
    "columns.json", "titled.xlsx", "wrapped.json",
)  # fmt: skip


def typed(cells: list[Cell]) -> list[Any]:
    """Make numbers of a column if all its cells are numbers."""
    filled = [cell for cell in cells if cell is not None]
    if filled and {*filled} <= {"True", "False"}:
        return [None if cell is None else cell == "True" for cell in cells]
    if not filled or not all(_NUMBER.fullmatch(cell) for cell in filled):
        return list(cells)
    make: Callable[[str], int | float] = float if any("." in cell for cell in filled) else int
    return [None if cell is None else make(cell) for cell in cells]


def write(rng: Random, case: Case, sheet: Sheet, folder: Path) -> Any:
    """Write a table in some format: return the path, or what it is in memory."""
    kind = case.format
    path = folder / f"case.{kind}"
    if kind in TEXT_FORMATS:
        return _write_text(rng, sheet, kind, folder)
    if kind.endswith("xlsx"):
        lines: list[list[Any]] = [list(sheet.names), *_typed_rows(sheet)]
        if kind == "titled.xlsx":
            lines = [["Ratings of March, first round"], [], *lines]
        cells = {
            f"{_letters(column)}{row}": escape(value) if isinstance(value, str) else value
            for row, line in enumerate(lines, 1)
            for column, value in enumerate(line)
            if value is not None and value != ""
        }
        others = {"Read me": {"A1": "Ratings of March", "A3": "Call Anna"}}
        return workbook(path, {**(others if kind == "notes.xlsx" else {}), "Sheet1": cells})
    columns = {name: typed(sheet.column(name)) for name in sheet.names}
    if kind == "parquet":
        pl.DataFrame(columns).write_parquet(path)
        return path
    if kind == "pandas":
        return pd.DataFrame(columns)
    if kind == "indexed":  # the items are the index, and it is called as they are
        item = case.options.get("item")
        return pd.DataFrame(columns).set_index(item) if item else pd.DataFrame(columns)
    if kind == "categories":
        texts = pd.DataFrame(columns)
        return texts.astype({n: "category" for n in columns if texts[n].dtype.kind in "OUT"})
    if kind in ("split.json", "columns.json"):
        pd.DataFrame(columns).to_json(path, orient=kind.split(".")[0], force_ascii=False)
        return path
    if kind == "polars":
        return pl.DataFrame(columns)
    if kind == "dict":
        return columns
    rows = [dict(zip(sheet.names, row, strict=True)) for row in _typed_rows(sheet)]
    if kind == "rows":
        return rows
    dumped = [json.dumps(row, ensure_ascii=False) for row in rows]
    text = "[" + ",\n ".join(dumped) + "]" if kind == "json" else "\n".join(dumped) + "\n"
    if kind == "wrapped.json":
        text = '{"version": 1, "data": [' + ",\n".join(dumped) + "]}"
    path.write_text(text, encoding="utf-8")
    return path


def _typed_rows(sheet: Sheet) -> list[list[Any]]:
    columns = [typed([row[n] for row in sheet.rows]) for n in range(len(sheet.names))]
    return [list(row) for row in zip(*columns, strict=True)]


def _letters(number: int) -> str:
    """Name a column as spreadsheets do: A, B, ... Z, AA."""
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _write_text(rng: Random, sheet: Sheet, kind: str, folder: Path) -> Path:
    suffix = {"tsv": "tsv", "csv.gz": "csv.gz", "utf-16": rng.choice(("csv", "txt"))}
    path = folder / f"case.{suffix.get(kind, 'csv')}"
    separators = {"tsv": "\t", "semicolon": ";", "utf-16": "\t", "pipe": "|", "write.table": " "}
    separator = separators.get(kind, ",")
    encoding = {"bom": "utf-8-sig", "cp1252": "cp1252", "utf-16": "utf-16"}.get(kind, "utf-8")
    quoting = {"quoted": csv.QUOTE_ALL, "write.table": csv.QUOTE_NONNUMERIC}
    text = io.StringIO()
    end = rng.choice(("\n", "\n", "\r\n"))
    writer = csv.writer(
        text, delimiter=separator, quoting=quoting.get(kind, csv.QUOTE_MINIMAL), lineterminator=end
    )
    if kind == "titled":
        text.write(f"Ratings of March{end}{end}")
    writer.writerow([*sheet.names, *[""] * (kind == "trailing")])
    for number, row in enumerate(sheet.rows, 1):
        cells: list[Any] = ["" if cell is None else cell for cell in row]
        if kind == "semicolon":  # with decimal commas
            cells = [re.sub(r"^(-?\d+)\.(\d+)$", r"\1,\2", cell) for cell in cells]
        elif kind == "trailing":
            cells.append("")
        elif kind == "write.table":
            cells = [str(number), *(_written_by_r(cell) for cell in cells)]
        writer.writerow(cells)
    if kind == "blank lines":
        text.write(end * 2)
    data = text.getvalue().encode(encoding, errors="replace")
    path.write_bytes(gzip.compress(data) if kind == "csv.gz" else data)
    return path


def _written_by_r(cell: str) -> Any:
    """Write numbers without quotes, and blank as NA."""
    if cell == "":
        return _Bare()
    return (
        float(cell)
        if re.fullmatch(r"-?\d+\.\d+", cell)
        else int(cell)
        if re.fullmatch(r"-?(0|[1-9]\d*)", cell)
        else cell
    )


class _Bare(float):
    """NA, which R writes without quotes."""

    def __str__(self) -> str:
        return "NA"

    __repr__ = __str__
