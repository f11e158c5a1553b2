"""The forms in which the same tables are given: one class a form, and the list of them."""

from __future__ import annotations

import gzip
import json
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from headcount.io.write import write_rows
from headcount.results.frames import BACKENDS, to_frame

__all__ = ["Case", "Columns", "InMemory", "Permuted", "Wide", "Written", "metamorphic_cases"]

Columns = Mapping[str, Sequence[Any]]
"""A table: its columns by name; None is a blank."""


class Case(ABC):
    """A form in which to give the same tables.

    Attributes
    ----------
    name : str
        What messages call it.
    is_file : bool
        Whether tables become files, which the command line takes too.
    keeps_order : bool
        Whether rows stay in their order.
    """

    name: str
    is_file: bool = True
    keeps_order: bool = True

    @abstractmethod
    def make(self, columns: Columns, path: Path) -> Any:
        """Return one table in this form; a file is at `path`, with an ending of its own."""


class Written(Case):
    """A file in some format, gzipped or not."""

    def __init__(self, suffix: str) -> None:
        self.name = self._suffix = suffix

    def make(self, columns: Columns, path: Path) -> Path:
        """Write a file."""
        suffix, packed, _ = self._suffix.partition(".gz")
        plain = path.with_suffix(suffix)
        if suffix in (".tsv", ".txt"):
            delimiter = "\t" if suffix == ".tsv" else ";"
            plain.write_text(_delimited(columns, delimiter), encoding="utf-8")
        else:
            write_rows(columns, plain)
        if not packed:
            return plain
        target = path.with_suffix(self._suffix)
        target.write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
        return target


class Permuted(Case):
    """Rows in another order."""

    keeps_order = False

    def __init__(self, seed: int | None) -> None:
        self.name = "rows backwards" if seed is None else f"rows mixed ({seed})"
        self._seed = seed

    def make(self, columns: Columns, path: Path) -> Path:
        """Write a CSV file of the rows in another order."""
        rows = len(next(iter(columns.values())))
        order = range(rows)[::-1]
        if self._seed is not None:
            order = np.random.default_rng(self._seed).permutation(rows).tolist()
        mixed = {name: [values[row] for row in order] for name, values in columns.items()}
        return Written(".csv").make(mixed, path)


class Wide(Case):
    """One row an item: a column a rater, or a classifier by label where there are probabilities."""

    name = "wide"
    keeps_order = False

    def make(self, columns: Columns, path: Path) -> Path:
        """Write a CSV file, wide if the table is long; other tables as they are."""
        who = next((name for name in ("rater", "classifier") if name in columns), None)
        if who is None or "item" not in columns or "label" not in columns:
            return Written(".csv").make(columns, path)
        values = columns.get("probability", columns["label"])
        soft = "probability" in columns
        cells: dict[tuple[Any, str], Any] = {}
        for row, item in enumerate(columns["item"]):
            label = f":{columns['label'][row]}" if soft and values[row] is not None else ""
            value = columns["label"][row] if values[row] is None else values[row]
            cells[item, f"{columns[who][row]}{label}"] = value
        items = sorted({item for item, _ in cells}, key=str)
        names = sorted({name for _, name in cells})
        wide = {"item": items} | {n: [cells.get((item, n)) for item in items] for n in names}
        return Written(".csv").make(wide, path)


class InMemory(Case):
    """A frame of some library, or Python's own lists and dicts."""

    is_file = False

    def __init__(self, name: str, make: Callable[[dict[str, Any]], Any]) -> None:
        self.name, self._make = name, make

    def make(self, columns: Columns, path: Path) -> Any:
        """Return the table; `path` is of no use."""
        return self._make({name: list(values) for name, values in columns.items()})


def metamorphic_cases(*, files_only: bool = False, ordered: bool = False) -> list[Case]:
    """Return the forms in which the same tables must give the same answer.

    Parameters
    ----------
    files_only : bool
        Leave out what is no file, which a command cannot take.
    ordered : bool
        Leave out what changes the order of rows, for what goes by it.

    Returns
    -------
    list of Case
        Those whose libraries are installed.
    """
    files = [".csv", ".tsv", ".txt", ".csv.gz", ".parquet", ".jsonl", ".jsonl.gz"]
    cases: list[Case] = [Written(suffix) for suffix in files]
    cases += [Permuted(None), Permuted(1), Permuted(2), Wide()]
    cases += [
        InMemory("dict of columns", dict),
        InMemory("list of dicts", _rows),
        *(
            InMemory(library, make)
            for library, make in _FRAMES.items()
            if find_spec(library) is not None
        ),
    ]
    return [
        case
        for case in cases
        if (case.is_file or not files_only) and (case.keeps_order or not ordered)
    ]


def _delimited(columns: Columns, delimiter: str) -> str:
    """Write text with a delimiter that no cell holds."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(
        delimiter.join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows
    )


def _rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _duckdb(columns: dict[str, Any]) -> Any:
    import duckdb

    rows = "".join(json.dumps(row) + "\n" for row in _rows(columns))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        path.write_text(rows, encoding="utf-8")
        connection = duckdb.connect()
        connection.execute(
            "CREATE TABLE t AS SELECT * FROM read_json(?, format='newline_delimited')", [str(path)]
        )
    return connection.table("t")


_FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    **{library: partial(to_frame, backend=library) for library in BACKENDS},
    "duckdb": _duckdb,
}
