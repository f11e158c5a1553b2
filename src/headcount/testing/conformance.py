"""Run a function or a command on the same tables in every form, and compare the answers."""

from __future__ import annotations

import gzip
import io
import json
import math
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from headcount.io.write import write_rows
from headcount.results.result import BACKENDS, to_frame

__all__ = [
    "Columns",
    "Case",
    "Written",
    "Wide",
    "metamorphic_cases",
    "Difference",
    "differences",
    "check_metamorphic",
    "command",
    "sample_ratings",
    "sample_predictions",
    "sample_comparisons",
]


# The forms in which the same tables are given: one class per form, and the list of them.

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
    """One row per item; columns are raters, or classifiers by label where predictions are soft."""

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


# Compare documents to the last digit.


class Difference(NamedTuple):
    """Where two documents differ, and what each says there."""

    where: str
    one: Any
    other: Any


def differences(one: Any, other: Any, *, ignore: Sequence[str] = ()) -> list[Difference]:
    """Compare two documents to the last digit.

    Examples
    --------
    >>> differences({"a": [1, 2.0]}, {"a": [1, 2.5]})
    [Difference(where='a[1]', one=2.0, other=2.5)]
    """
    return list(_compare(one, other, "", frozenset(ignore)))


def _compare(value: Any, other: Any, where: str, ignore: frozenset[str]) -> Iterator[Difference]:
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        ours, theirs = cast("Mapping[Any, Any]", value), cast("Mapping[Any, Any]", other)
        for key in dict.fromkeys([*ours, *theirs]):
            if key not in ignore:
                here = f"{where}.{key}" if where else str(key)
                yield from _compare(ours.get(key), theirs.get(key), here, ignore)
        return
    if isinstance(value, list | tuple) and isinstance(other, list | tuple):
        values, others = cast("Sequence[Any]", value), cast("Sequence[Any]", other)
        if len(values) == len(others):
            for index, pair in enumerate(zip(values, others, strict=True)):
                yield from _compare(*pair, f"{where}[{index}]", ignore)
            return
    if not _same(value, other):
        yield Difference(where, value, other)


def _same(value: Any, other: Any) -> bool:
    if isinstance(value, float) and isinstance(other, float) and math.isnan(value):
        return math.isnan(other)
    return type(value) is type(other) and bool(value == other)


Tables = Mapping[str, Columns]
"""Tables by the names of the parameters that take them, such as ratings."""


def check_metamorphic(
    function: Callable[..., Any],
    tables: Tables,
    *,
    cases: Sequence[Case] | None = None,
    ignore: Sequence[str] = (),
) -> None:
    """Check that a function gives the same document for the same tables in every form.

    Parameters
    ----------
    function : callable
        Is given each table by the name of its parameter: a path or something else that a reader
        takes. Returns a result, which has a `to_dict()`, or a document. It should draw with the
        same seed each time.
    tables : mapping of str to columns
    cases : sequence of Case, optional
        Forms. Default: all of :func:`metamorphic_cases`.
    ignore : sequence of str
        Keys of the document that may differ, wherever they are. Names of sources and notes that
        say how a table was read may always.

    Raises
    ------
    AssertionError
        Names the form, and where in the document the first few differences are.

    Notes
    -----
    The first table of reference is a CSV file of the rows as they are.
    """
    with tempfile.TemporaryDirectory() as folder:
        expected = _answer(function, tables, Written(".csv"), Path(folder) / "reference")
        wrong: list[str] = []
        for number, case in enumerate(metamorphic_cases() if cases is None else cases):
            answer = _answer(function, tables, case, Path(folder) / str(number))
            wrong += [
                f"{case.name}: {difference.where} is {difference.other!r}, not {difference.one!r}"
                for difference in differences(expected, answer, ignore=ignore)[:3]
            ]
    if wrong:
        raise AssertionError("\n".join(["the answer depends on the form of the data:", *wrong]))


def command(*arguments: str) -> Callable[..., Any]:
    """Make a function of a command, for :func:`check_metamorphic`.

    Parameters
    ----------
    *arguments : str
        The command and its arguments, in which ``{ratings}`` stands for the file of that table;
        with the option that makes it print its JSON document.

    Returns
    -------
    callable
        Runs the command in this process and returns the JSON document that it prints.
    """

    def run(**paths: Any) -> Any:
        words = [argument.format(**paths) for argument in arguments]
        out, err = io.StringIO(), io.StringIO()
        code: Any = 0
        try:
            # Not as a program: that would change the signals and streams of this process for good.
            with redirect_stdout(out), redirect_stderr(err):
                import_module("headcount.cli.app").run(words)
        except SystemExit as ended:
            code = ended.code
        if code:
            raise AssertionError(f"headcount {' '.join(words)} ended with {code}: {err.getvalue()}")
        return json.loads(out.getvalue())

    return run


def _answer(function: Callable[..., Any], tables: Tables, case: Case, folder: Path) -> Any:
    """Run the function on the tables in some form, and take out what may differ."""
    folder.mkdir()
    made = {name: case.make(columns, folder / name) for name, columns in tables.items()}
    result = function(**made)
    document = result.to_dict() if hasattr(result, "to_dict") else result
    sources = {made[name].name if case.is_file else name for name in tables}
    return _without_sources(document, sources | set(tables))


def _without_sources(value: Any, sources: set[str]) -> Any:
    """Take out names of sources, and the notes that begin with one: how a table was read."""
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        kept = {k: v for k, v in fields.items() if k not in ("source", "sources")}
        return {k: _without_sources(v, sources) for k, v in kept.items()}
    if isinstance(value, list | tuple):
        values = cast("Sequence[Any]", value)
        starts = tuple(f"{source}: " for source in sources)
        return [
            _without_sources(element, sources)
            for element in values
            if not (isinstance(element, str) and element.startswith(starts))
        ]
    if isinstance(value, str):
        for source in sorted(sources, key=len, reverse=True):
            value = value.replace(source, "data")
    return value


# Small tables to run functions on.


def sample_ratings(*, items: int = 40, raters: int = 5, seed: int = 0) -> dict[str, list[Any]]:
    """Make a small table of ratings, long and in no order: item, rater, label (1 to 3).

    Examples
    --------
    >>> sorted(sample_ratings())
    ['item', 'label', 'rater']
    """
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=items)
    rows: list[tuple[Any, ...]] = [
        (f"q{item}", f"r{rater}", int(1 + (noise > -0.5) + (noise > 0.5)))
        for item in range(items)
        for rater, noise in enumerate(ease[item] + rng.normal(scale=0.7, size=raters))
        if rng.random() > 0.15
    ]
    rows = [rows[row] for row in rng.permutation(len(rows)).tolist()]
    return _columns(["item", "rater", "label"], rows)


def sample_predictions(*, items: int = 40, seed: int = 1) -> dict[str, list[Any]]:
    """Make a small table of predictions, long: a soft and a hard classifier of the same items."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, ...]] = []
    for item in rng.permutation(items).tolist():
        share = rng.dirichlet([2, 2, 2]).round(3)
        share[2] = 1 - share[0] - share[1]
        rows += [
            (f"q{item}", "lm", label, float(p)) for label, p in enumerate(share.tolist(), start=1)
        ]
        rows.append((f"q{item}", "judge", int(1 + share.argmax()), None))
    return _columns(["item", "classifier", "label", "probability"], rows)


def sample_comparisons(
    *, items: int = 8, comparisons: int = 120, raters: int = 6, seed: int = 2
) -> dict[str, list[Any]]:
    """Make a small table of comparisons: left, right, outcome (with ties), rater."""
    rng = np.random.default_rng(seed)
    rating = rng.normal(size=items)
    rows: list[tuple[Any, ...]] = []
    for _ in range(comparisons):
        left, right = rng.choice(items, size=2, replace=False).tolist()
        chance = 1 / (1 + math.exp(rating[right] - rating[left]))
        won = "left" if rng.random() < chance else "right"
        outcome = "tie" if rng.random() < 0.1 else won
        rows.append((f"m{left}", f"m{right}", outcome, f"r{rng.integers(raters)}"))
    return _columns(["left", "right", "outcome", "rater"], rows)


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    return {name: [row[index] for row in rows] for index, name in enumerate(names)}
