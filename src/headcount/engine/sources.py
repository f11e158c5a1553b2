"""What holds rows: files, relations of DuckDB, frames of Spark, and whether to reduce it there."""

from __future__ import annotations

import glob as globbing
import os
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self, TypeVar

from headcount import options
from headcount.data.vocabulary import label_text, number_text
from headcount.engine.engines import (
    DATABASE_MEMORY,
    SPARK,
    Column,
    DuckDB,
    DuckDBRelation,
    Engine,
    Spark,
    duckdb_kind,
    explained,
    spark_frame,
    spark_kind,
    spark_session,
)
from headcount.errors import DataError, NotReducedError, OptionError, count, meant, option, some
from headcount.io.formats.csv import Csv, csv_call, find_header
from headcount.io.formats.database import (
    Parquet,
    column_types,
    connect,
    file_name,
    quoted_name,
    scan_parquet,
)
from headcount.io.opening import file_at, format_of, is_path, path_of
from headcount.io.reading import File, Reading
from headcount.io.roles import find_role
from headcount.io.tables import ColumnTable, float_text
from headcount.results.notes import Note, Source

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = [
    "Value",
    "Relation",
    "condition_of",
    "Given",
    "open_relations",
    "is_spark",
    "DEFAULT_MEMORY",
    "BYTES_A_RATING",
    "memory_of",
    "MEMORY",
    "ONLY_IN_MEMORY",
    "EngineChoice",
    "Scan",
    "take_scan",
    "unscanned",
    "about_ratings",
]


# Rows that an engine can read: files, a relation of DuckDB, a table or frame of Spark.

BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""What Python takes for a blank at the ends of a text."""
SHOWN = 1000
"""Rows that show what columns hold."""
MOST_VALUES = 10_000
"""Different values of a column that may be looked at one by one."""


@dataclass(frozen=True)
class Value:
    """A value of a column: how SQL writes it, how readers write it ("" if blank), its rows."""

    literal: str
    text: str
    rows: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Relation:
    """Rows that an engine can read.

    Parameters
    ----------
    engine : Engine
    sql : str
        What stands after FROM.
    columns : list of Column
    source : str
        What messages call it.
    sources : tuple of Source
        Files behind it.
    notes : tuple of Note
    backend : str or None
        Kind of frame that it was given as.
    decimal_comma : bool
        As for :class:`~headcount.io.tables.Table`.
    paths : sequence of Path
        Files that are read, or copies of them.
    held : object
        What must not go while rows are read: unpacked copies.
    """

    engine: Engine
    sql: str
    columns: Sequence[Column]
    source: str
    sources: tuple[Source, ...] = ()
    notes: tuple[Note, ...] = ()
    backend: str | None = None
    decimal_comma: bool = False
    paths: Sequence[Path] = ()
    held: object = None

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def column(self, name: str, role: str) -> Column:
        """Find a column by its name."""
        for column in self.columns:
            if column.name == name:
                if column.kind == "nested":
                    raise DataError(
                        f"{self.source}, column '{name}': its cells are lists or records. Write "
                        "one value a cell, or read it into memory."
                    )
                return column
        raise DataError(
            f"{self.source} has no column '{name}' for the {role}.{meant(name, self.names)} "
            f"Columns: {some(self.names, 12)}."
        )

    def first_rows(self, condition: str = "TRUE") -> ColumnTable:
        """Bring a few rows, as readers see them: they show what columns hold."""
        listed = ", ".join(
            f"{self.text(column)} AS v{i}" if column.kind != "nested" else f"'[]' AS v{i}"
            for i, column in enumerate(self.columns)
        )
        rows = self.engine.fetch(f"SELECT {listed} FROM {self.sql} WHERE {condition} LIMIT {SHOWN}")
        columns: list[Any] = [rows[f"v{i}"].tolist() for i in range(len(self.columns))]
        table = ColumnTable(columns, self.names, self.source)
        table.decimal_comma = self.decimal_comma
        return table

    def value(self, column: Column) -> str:
        """Write the SQL of a column: numbers with fractions, dates and the like as text."""
        plain = column.kind in ("whole", "boolean", "text")
        return column.sql if plain else self.engine.dialect.text.format(column.sql)

    def identity(self, column: Column) -> str:
        """Write the SQL of a column of ids: whole numbers as they are, others as text."""
        return column.sql if column.kind == "whole" else self.text(column)

    def tidy(self, value: str) -> str:
        """Write the SQL of an id without blanks at its ends; null where it says there is none."""
        dialect = self.engine.dialect
        trimmed = dialect.trim.format(value, dialect.literal(BLANKS))
        return (
            f"CASE WHEN NOT ({self.is_odd(value)}) THEN {value} WHEN {trimmed} = '' "
            f"THEN NULL ELSE {trimmed} END"
        )

    def is_odd(self, value: str) -> str:
        """Write the SQL of whether an id must be tidied."""
        # To look at the ends takes a tenth of the time of trimming them.
        blanks = self.engine.dialect.literal(BLANKS)
        ends = " OR ".join(f"instr({blanks}, {end}({value}, 1)) > 0" for end in ("left", "right"))
        return f"{value} = '' OR {ends}"

    def text(self, column: Column) -> str:
        """Write the SQL of a column as text, of which blanks at the ends stay."""
        dialect, name = self.engine.dialect, column.sql
        if column.kind == "text":
            return name
        if column.kind == "boolean":
            return f"CASE {name} WHEN TRUE THEN 'True' WHEN FALSE THEN 'False' END"
        if column.kind == "real":
            whole = dialect.text.format(dialect.whole.format(name))
            return (
                f"CASE WHEN isnan({name}) THEN NULL WHEN {name} = floor({name}) AND "
                f"abs({name}) < 1e15 THEN {whole} ELSE {dialect.text.format(name)} END"
            )
        return dialect.text.format(name)

    def values(
        self, column: Column, where: str = "TRUE", *, what: str, most: int = MOST_VALUES
    ) -> list[Value]:
        """Count the different values of a column; a bounded number of them."""
        value = self.value(column)
        counted = self.engine.rows(
            f"SELECT {value} AS v, count(*) AS n FROM {self.sql} WHERE {where} GROUP BY {value}",
            what=f"{what} in column '{column.name}' of {self.source}",
            most=most,
            advice="Check that the column is the right one.",
        )
        return [
            Value(*self._written(value, column), rows)
            for value, rows in zip(counted["v"].tolist(), counted["n"].tolist(), strict=True)
        ]

    def _written(self, value: object, column: Column) -> tuple[str, str]:
        """How SQL writes a value, and how readers do."""
        if value is None or value != value:
            return "NULL", ""
        if column.kind == "boolean":
            return ("TRUE", "True") if value else ("FALSE", "False")
        if column.kind == "whole":
            text = number_text(float(value)) if isinstance(value, float) else str(value)
            return text, text
        text = str(value)
        literal = self.engine.dialect.literal(text)
        return literal, float_text(text) if column.kind == "real" else text.strip()


# Rows of a relation that are chosen by values of columns.


def condition_of(
    relation: Relation, where: Sequence[tuple[str, str]]
) -> tuple[str, dict[str, int]]:
    """Write the condition under which a row is read, and count the rows that are not.

    Values are compared as readers compare them: 1 and 1.0 are the same, blanks at the ends do not
    count.
    """
    if not where:
        return "TRUE", {}
    wanted: dict[str, list[str]] = {}
    for name, value in where:
        wanted.setdefault(name, []).append(value)
    conditions: list[str] = []
    for name, values in wanted.items():
        column = relation.column(name, "rows to keep")
        counted = relation.values(column, what="different values")
        written = {label_text(v.text) for v in counted if v.text}
        for value in values:
            if label_text(value) not in written and value:
                raise DataError(
                    f"{relation.source}, column '{name}': no row has '{value}'."
                    f"{meant(value, sorted(written))} "
                    f"Values: {some(sorted(written), 12)}."
                )
        chosen = {label_text(value) for value in values}
        sql = relation.value(column)
        literals = [v.literal for v in counted if v.text and label_text(v.text) in chosen]
        parts = [f"{sql} IN ({', '.join(literals)})"] if literals else []
        if "" in chosen:
            blanks = [v.literal for v in counted if not v.text and v.literal != "NULL"]
            parts += [f"{sql} IS NULL", *([f"{sql} IN ({', '.join(blanks)})"] if blanks else [])]
        conditions.append(f"({' OR '.join(parts)})")
    condition = " AND ".join(conditions)
    row = relation.engine.one(
        f"SELECT count(*) AS every, coalesce(sum(CASE WHEN {condition} THEN 1 ELSE 0 END), 0) AS "
        f"kept FROM {relation.sql}"
    )
    if not int(row["kept"]):
        listed = some([f"{name}={value}" for name, value in where], 12)
        raise DataError(f"{relation.source}: no row fits {option('where')} {listed}.")
    left_out = int(row["every"]) - int(row["kept"])
    return condition, {"not chosen by where": left_out} if left_out else {}


# Files of which DuckDB reads the rows: one, or several that are alike.


def rows_of_files(paths: Sequence[Path], name: str, engine: Engine) -> Relation:
    """Say how to read the rows of files, all of one format and with the same columns."""
    first = file_at(paths[0])
    kind = format_of(first, None)
    if isinstance(kind, Parquet):
        return _parquet(paths, first, name, engine)
    if isinstance(kind, Csv):
        return _csv(paths, first, name, engine)
    raise NotReducedError(
        f"{name} is {kind.name}, which is read into memory only ({option('engine', 'memory')}). "
        "Save it as Parquet or CSV."
    )


def with_rows(relation: Relation) -> Relation:
    """Count the rows of files."""
    rows = int(relation.engine.one(f"SELECT count(*) AS n FROM {relation.sql}")["n"])
    if not rows:
        raise DataError(f"{relation.source} is empty: it has no rows.")
    return replace(relation, sources=(replace(relation.sources[0], rows=rows),))


def _parquet(paths: Sequence[Path], first: File, name: str, engine: Engine) -> Relation:
    """Say how to read Parquet: folders are no columns, and every file has the same ones."""
    listed = ", ".join(map(file_name, paths))
    call = f"read_parquet([{listed}], hive_partitioning=false)"
    with explained(name), connect() as connection:
        scan = scan_parquet(connection, file=first)
        types = column_types(
            connection, f"read_parquet({file_name(first.path)}, hive_partitioning=false)"
        )
        for path in paths[1:]:
            _check_alike(path, _schema(connection, path), paths[0], _schema(connection, paths[0]))
    columns = [
        # Numbers that stand for labels, as the file says, are written as these.
        Column(shown, "text", text)
        if text.startswith("list_extract(")
        else Column(shown, duckdb_kind(type_), quoted_name(sql))
        for shown, text, (sql, type_) in zip(scan.names, scan.texts, types.items(), strict=True)
    ]
    return Relation(
        engine=engine,
        sql=call,
        columns=columns,
        source=name,
        sources=(_source(paths, first, name, Parquet.name),),
        notes=scan.notes,
        paths=paths,
    )


def _schema(connection: DuckDBPyConnection, path: Path) -> list[str]:
    """Names and types of the columns of a file."""
    with explained(str(path)):
        types = column_types(
            connection, f"read_parquet({file_name(path)}, hive_partitioning=false)"
        )
    return [f"{name} {type_}" for name, type_ in types.items()]


def _check_alike(path: Path, columns: list[str], first: Path, wanted: list[str]) -> None:
    """Refuse files whose columns differ."""
    if columns != wanted:
        other = [column for column in columns if column not in wanted] or columns
        lacks = [column for column in wanted if column not in columns] or wanted
        raise DataError(
            f"{path}: it has {some(other)} where {first.name} has {some(lacks)}. All files of a "
            "pattern need the same columns, in the same order, with the same delimiter."
        )


def _csv(paths: Sequence[Path], first: File, name: str, engine: Engine) -> Relation:
    """Say how to read text with a delimiter: every column as text, in UTF-8."""
    files = [first, *(file_at(path) for path in paths[1:])]
    head = find_header(first)
    held: list[object] = []
    texts: list[Path] = []
    wanted = [*head.names, f"delimiter {head.delimiter!r}", f"header in row {head.skip + 1}"]
    for file, path in zip(files, paths, strict=True):
        other = head if file is first else find_header(file)
        own = [*other.names, f"delimiter {other.delimiter!r}", f"header in row {other.skip + 1}"]
        _check_alike(path, own, paths[0], wanted)
        text, copy = file.utf8()
        texts.append(text)
        held.extend([file, copy])
    names = [f"c{i}" for i in range(len(head.names))]
    how = {"encoding": first.text.said, "delimiter": head.delimiter}
    return Relation(
        engine=engine,
        sql=csv_call(texts, names, head),
        columns=[Column(shown, "text", sql) for shown, sql in zip(head.names, names, strict=True)],
        source=name,
        sources=(_source(paths, first, name, Csv.name, **how),),
        notes=(*first.text.notes, *head.notes),
        decimal_comma=head.delimiter == ";",
        paths=texts,
        held=held,
    )


def _source(
    paths: Sequence[Path], first: File, name: str, format_: str, **how: str | None
) -> Source:
    """Say what is read: of one file with its checksum, of several with their size."""
    if len(paths) == 1:
        return first.source(format_, 0, **how)
    size = sum(path.stat().st_size for path in paths)
    return Source(name=name, format=format_, rows=0, size=size, **how)


def _spark_relation(engine: Spark, data: Any, name: str, *, glob: bool) -> Relation:
    """Make rows of a frame, a table or files."""
    backend: str | None = None
    if hasattr(data, "createOrReplaceTempView"):
        frame, backend = data, "pyspark"
    else:
        text = os.fsdecode(data) if not isinstance(data, str) else data
        frame, name = spark_frame(engine, text, glob=glob), Path(text).name if not glob else text
    with explained(engine.title):
        fields: list[tuple[str, str]] = [(str(n), str(t)) for n, t in frame.dtypes]
    lower = Counter(field.lower() for field, _ in fields)
    doubled = [field for field, _ in fields if lower[field.lower()] > 1]
    if doubled:
        raise DataError(
            f"{name}: several columns are called {some(doubled)}, but for capital letters. Give "
            "each a name of its own."
        )
    columns = [Column(n, spark_kind(t), SPARK.name(n)) for n, t in fields]
    return Relation(
        engine=engine,
        sql=engine.view(frame),
        columns=columns,
        source=name,
        backend=backend,
    )


# Open what holds rows for an engine, without reading them.


class Given(NamedTuple):
    """What holds rows, and what messages call it if it is no file."""

    data: Any
    name: str


def open_relations(inputs: Sequence[Given], choice: EngineChoice) -> list[Relation]:
    """Open several sources on one engine: that of the first."""
    first = inputs[0].data
    if choice.engine == "spark" or is_spark(first):
        session: Any = getattr(first, "sparkSession", None)
        spark = Spark(spark_session(choice.remote) if session is None else session)
        return [
            _spark_relation(spark, data, name, glob=choice.glob and not index)
            for index, (data, name) in enumerate(inputs)
        ]
    if is_relation(first):
        engine = DuckDBRelation(first)
        return [_of_relation(data, name, engine) for data, name in inputs]
    return _of_files(inputs, choice)


def _of_files(inputs: Sequence[Given], choice: EngineChoice) -> list[Relation]:
    """Open files on a database of their own."""
    engine = DuckDB(memory=choice.database)
    try:
        opened: list[Relation] = []
        for index, (data, name) in enumerate(inputs):
            if not is_path(data):
                raise DataError(
                    f"{name}: expected the path of a file, as the ratings are in one, not "
                    f"{type(data).__name__}."
                )
            opened.append(rows_of_files(*paths_of(data, glob=choice.glob and not index), engine))
        engine.seal([path for relation in opened for path in relation.paths])
        return [with_rows(relation) for relation in opened]
    except BaseException:
        engine.close()
        raise


def _of_relation(data: Any, name: str, engine: DuckDBRelation) -> Relation:
    """Take a relation of the same database, or a file."""
    if is_path(data):
        return with_rows(rows_of_files(*paths_of(data, glob=False), engine))
    if not is_relation(data):
        raise DataError(
            f"{name}: expected a relation of DuckDB or the path of a file, as the ratings are a "
            f"relation, not {type(data).__name__}."
        )
    columns = [
        Column(str(column), duckdb_kind(str(type_)), engine.dialect.name(str(column)))
        for column, type_ in zip(data.columns, data.types, strict=True)
    ]
    sql = "base" if data is engine.base else f"({data.sql_query()})"
    return Relation(engine=engine, sql=f"{sql} AS t", columns=columns, source=name)


def check_given(data: object, name: str) -> None:
    """Refuse what no engine can read where it is."""
    if not (is_path(data) or is_relation(data) or is_spark(data)):
        raise DataError(
            f"{name}: expected the path of a file, a relation of DuckDB, or a frame or the name of "
            f"a table of Spark, not {type(data).__name__}. What is in memory needs no scan."
        )


def is_relation(data: object) -> bool:
    """Whether data are a relation of DuckDB, whose library is not imported for that."""
    return type(data).__name__ == "DuckDBPyRelation"


def is_spark(data: object) -> bool:
    """Whether data are a frame of Spark."""
    return type(data).__module__.startswith("pyspark.sql")


def paths_of(data: Any, *, glob: bool) -> tuple[list[Path], str]:
    """Find the files that are meant, and what messages call them."""
    text = os.fsdecode(data)
    if not glob:
        path = path_of(text)
        return [path], path.name
    matches = sorted(map(Path, globbing.glob(text, recursive=True)))
    files = [match for match in matches if match.is_file()]
    if not files and Path(text).is_dir():
        raise DataError(
            f"'{text}' is a folder. A pattern of the files in it is such as "
            f"'{Path(text) / '*.parquet'}', or '{Path(text) / '**' / '*.parquet'}' for its folders."
        )
    if not files:
        raise DataError(
            f"no file fits {option('glob')} '{text}'. A pattern is such as 'labels/*.parquet'; put "
            "it in quotes, so that the shell leaves it alone."
        )
    return files, text


# Data that are to be reduced where they are: what both kinds of them share.


@dataclass(frozen=True, eq=False, kw_only=True)
class Scan(ABC):
    """Data that are to be reduced where they are.

    Parameters
    ----------
    data : path, relation or frame
    given : mapping of str to str or None
        Columns that the user named, by role.
    reading : Reading
        What to read of them.
    choice : EngineChoice
        Where they are reduced.
    name : str
        What messages call them if they are no file.
    note : str
        Why they are reduced, if nobody asked for it.

    Attributes
    ----------
    unit, counted : str
        What one of them is called, and what a database counts of them.
    """

    data: Any
    given: Mapping[str, str | None]
    reading: Reading
    choice: EngineChoice
    name: str
    note: str = ""

    unit: ClassVar[str]
    counted: ClassVar[str]

    def __post_init__(self) -> None:
        check_given(self.data, self.name)

    @abstractmethod
    def read(self, **options: Any) -> Any:
        """Read them into memory instead."""

    @property
    def in_memory(self) -> bool:
        """Whether somebody asked for them to be read."""
        return self.choice.engine == MEMORY

    def for_size(self, number: int) -> Self:
        """Say why they are reduced where they are, though nobody asked for it."""
        note = (
            f"about {count(number, self.unit)} are too many for {self.choice.memory / 1e9:g} GB of "
            f"memory: DuckDB counted {self.counted} where they are ({option('memory')}, "
            f"{option('engine')})."
        )
        return replace(self, note=note)

    def options(self) -> dict[str, Any]:
        """Return what was said of the data, for a step that uses them again."""
        options: dict[str, Any] = {role: name for role, name in self.given.items() if name}
        for name in ("ignore", "missing", "merge"):
            if values := list(getattr(self.reading, name)):
                options[name] = values
        if not self.reading.missing_words:
            options["missing_words"] = False
        if self.reading.where:
            options["where"] = [f"{column}={value}" for column, value in self.reading.where]
        choice = self.choice.keywords()
        return options | {name: choice[name] for name in ("engine", "glob") if choice[name]}

    def readers_options(self) -> dict[str, Any]:
        """Return what a reader is told, in its words."""
        reading = self.reading
        return {
            **self.given,
            "ignore": reading.ignore,
            "where": {
                column: [value for other, value in reading.where if other == column]
                for column, _ in reading.where
            },
            "missing": reading.missing,
            "missing_words": reading.missing_words,
            "merge": reading.merge,
            "name": self.name,
        }


# How much memory may be used, as users write it.

DEFAULT_MEMORY = 10**9
"""Bytes that data may take before they are reduced where they are."""
BYTES_A_RATING = 120
"""Bytes that a rating takes when it is read into memory."""
LEAST_MEMORY = 128 * 10**6
"""Bytes that a database needs to work."""
_MOST_MEMORY = 10**15
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)\s*(?:([kmgt]?)(i?)b?)", re.IGNORECASE)


def memory_of(amount: object) -> int:
    """Read an amount of memory, in bytes.

    Examples
    --------
    >>> memory_of("1GB"), memory_of("512 MiB"), memory_of(2 * 10**9)
    (1000000000, 536870912, 2000000000)
    """
    match = _WRITTEN.fullmatch(str(amount).strip()) if not isinstance(amount, bool) else None
    if match is None:
        raise OptionError(
            f"{option('memory')} must be an amount of memory, such as '1GB' or '512MB', not "
            f"{amount!r}."
        )
    number, unit, binary = match.groups()
    scale = _UNITS[unit.lower()]
    if binary and unit:
        scale = 1024 ** ("kmgt".index(unit.lower()) + 1)
    size = int(float(number) * scale)
    if size > _MOST_MEMORY:
        raise OptionError(
            f"{option('memory')} must be an amount that a machine has, such as '4GB', not "
            f"{amount!r}."
        )
    if size < LEAST_MEMORY:
        raise OptionError(
            f"{option('memory')} must be at least 128MB, not {amount!r}: the database needs that "
            "much to work."
        )
    return size


# What a user asks of an engine: which, how much memory, whether names are globs.

MEMORY = "memory"
"""Of no database: data are read into memory."""
ENGINES = ("duckdb", "spark", MEMORY, "sc://HOST:PORT")
"""What users may ask for: a database, none, or a Spark Connect server by its address."""
ONLY_IN_MEMORY = (
    "merge", "format", "encoding", "sheet", "question", "transpose", "columns", "shape", "exclude",
)  # fmt: skip
"""Options of readers that data which are reduced where they are do not have."""


@dataclass(frozen=True, kw_only=True)
class EngineChoice:
    """Where data are reduced.

    Parameters
    ----------
    engine : {"duckdb", "spark", "memory"} or None
        None: by the kind of data and their size.
    remote : str or None
        Address of a Spark Connect server, if it was given as the engine.
    allowed : int or None
        Bytes of memory that somebody allowed.
    glob : bool
        Whether the name of a file is a pattern of several.
    """

    engine: str | None = None
    remote: str | None = None
    allowed: int | None = None
    glob: bool = False

    @classmethod
    def of(cls, *, engine: Any = None, memory: Any = None, glob: Any = False) -> EngineChoice:
        """Check the options as a caller gives them."""
        remote = engine if isinstance(engine, str) and engine.startswith("sc://") else None
        if remote is not None:
            engine = "spark"
        elif engine is not None:
            engine = options.one_of(engine, "engine", list(ENGINES), "engine")
        if options.switch(glob, "glob") and engine == MEMORY:
            raise OptionError(
                f"{option('glob')} reads several files, and {option('engine', MEMORY)} one. Leave "
                "one out."
            )
        allowed = None if memory is None else memory_of(memory)
        return cls(engine=engine, remote=remote, allowed=allowed, glob=glob)

    @property
    def memory(self) -> int:
        """Bytes that what comes back may take."""
        return DEFAULT_MEMORY if self.allowed is None else self.allowed

    @property
    def database(self) -> int:
        """Bytes that DuckDB may take: half of what was allowed, or what large data need."""
        return DATABASE_MEMORY if self.allowed is None else max(self.allowed // 2, LEAST_MEMORY)

    @property
    def somewhere(self) -> bool:
        """Whether it was asked for that data are reduced where they are."""
        return self.glob or self.engine not in (None, MEMORY)

    def keywords(self) -> dict[str, Any]:
        """Return the options as a caller gives them."""
        return {"engine": self.remote or self.engine, "memory": self.allowed, "glob": self.glob}


# Whether data are reduced where they are, or read into memory.

S = TypeVar("S", bound=Scan)

_PARQUET, _GZIP = b"PAR1", b"\x1f\x8b"
_START = 1 << 16
_ONCE_A_ROW = ("label", "left", "winner", "outcome")
"""Roles of columns of which a row has one: without any, columns are raters."""


def take_scan(data: Any, kind: type[S], scan: Callable[[Any], S]) -> S | None:
    """Take data that are to be reduced where they are; None if they are to be read.

    A scan is one, unless it says otherwise; frames of Spark are; relations of DuckDB and single
    files of Parquet or CSV are if they would take more memory than 1 GB. So every verb asks this
    first, and reads what it is told to read.

    Parameters
    ----------
    data : object
    kind : type
        The scans that a verb takes.
    scan : function of data
        What makes one.
    """
    if isinstance(data, Scan):
        if not isinstance(data, kind):
            reader = f"scan_{kind.__name__.removesuffix('Scan').lower()}"
            raise DataError(f"{data.name}: expected what {reader} returns.")
        return None if data.in_memory else data
    if is_spark(data):
        return scan(data)
    ratings = about_ratings(data)
    return scan(data).for_size(ratings) if ratings * BYTES_A_RATING > DEFAULT_MEMORY else None


def unscanned(data: Any, **options: Any) -> Any:
    """Read data that were named as a scan, though they are to be read; others are as they are."""
    return data.read(**options) if isinstance(data, Scan) else data


def about_ratings(data: Any) -> int:
    """Tell about how many ratings or answers a relation or file has, at little cost; 0 if neither.

    A row is one, unless there is a column for each rater.
    """
    if is_relation(data):
        rows = int(data.aggregate("count(*)").fetchall()[0][0])
        return rows * _a_row([str(name) for name in data.columns])
    if not is_path(data):
        return 0
    path = path_of(data)
    try:
        if not path.is_file():
            return 0
        size = path.stat().st_size
        if size * 50 < DEFAULT_MEMORY // BYTES_A_RATING:  # not a byte for each of so many
            return 0
        with path.open("rb") as file:
            start = file.read(_START)
    except OSError:
        return 0
    if start.startswith(_PARQUET):
        return _in_parquet(path)
    if start.startswith(_GZIP) or b"\0" in start or start.lstrip()[:1] in (b"{", b"["):
        return 0
    header = start.split(b"\n", 1)[0].decode("utf-8", "replace")
    delimiter = max(",;\t|", key=header.count)
    names = [name.strip(" \"'\r\ufeff") for name in header.split(delimiter)]
    return int(size * start.count(b"\n") / len(start)) * _a_row(names)


def _a_row(names: Sequence[str]) -> int:
    """Tell how many ratings a row holds, by the names of columns."""
    is_long = any(find_role(names, role) is not None for role in _ONCE_A_ROW)
    return 1 if is_long else max(len(names) - 1, 1)


def _in_parquet(path: Path) -> int:
    """Read the number of rows and the columns from the end of the file."""
    from headcount.io.formats.database import column_types, connect, file_name

    try:
        with connect() as connection:
            row = connection.execute(
                f"SELECT sum(num_rows) FROM parquet_file_metadata({file_name(path)})"
            ).fetchone()
            names = list(column_types(connection, f"read_parquet({file_name(path)})"))
    except Exception:  # what is wrong with the file is said when it is read
        return 0
    return int(row[0]) * _a_row(names) if row and row[0] else 0
