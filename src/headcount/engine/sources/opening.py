"""Open what holds rows for an engine, without reading them."""

from __future__ import annotations

import glob as globbing
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headcount.data.examples import replaced
from headcount.engine.engines.base import Column, Engine
from headcount.engine.engines.choice import EngineChoice
from headcount.engine.engines.duckdb import DuckDB, DuckDBRelation, kind_of
from headcount.engine.sources.files import FileRows, rows_of_files
from headcount.engine.sources.relation import Relation
from headcount.errors import DataError, option

__all__ = [
    "Given",
    "check_given",
    "is_path",
    "is_relation",
    "is_spark",
    "open_relations",
    "paths_of",
]


@dataclass(frozen=True)
class Given:
    """What holds rows, and what messages call it if it is no file."""

    data: Any
    name: str


def open_relations(given: Sequence[Given], choice: EngineChoice) -> list[Relation]:
    """Open several sources on one engine: that of the first."""
    first = given[0].data
    if choice.engine == "spark" or is_spark(first):
        from headcount.engine.engines.spark import open_spark

        return open_spark([(one.data, one.name) for one in given], choice)
    if is_relation(first):
        engine = DuckDBRelation(first)
        return [_of_relation(one, engine) for one in given]
    return _of_files(given, choice)


def _of_files(given: Sequence[Given], choice: EngineChoice) -> list[Relation]:
    """Open files on a database of their own."""
    opened: list[tuple[str, FileRows]] = []
    for place, one in enumerate(given):
        if not is_path(one.data):
            raise DataError(
                f"{one.name}: expected the path of a file, as the ratings are in one, not "
                f"{type(one.data).__name__}."
            )
        pattern = choice.glob and not place
        paths, name = paths_of(one.data, glob=pattern)
        opened.append((name, rows_of_files(paths, name)))
    engine = DuckDB(memory=choice.memory, paths=[path for _, rows in opened for path in rows.paths])
    try:
        return [rows.relation(engine, name) for name, rows in opened]
    except BaseException:
        engine.close()
        raise


def _of_relation(one: Given, engine: Engine) -> Relation:
    """Take a relation of the same database, or a file."""
    if is_path(one.data):
        paths, name = paths_of(one.data, glob=False)
        return rows_of_files(paths, name).relation(engine, name)
    if not is_relation(one.data):
        raise DataError(
            f"{one.name}: expected a relation of DuckDB or the path of a file, as the ratings are "
            f"a relation, not {type(one.data).__name__}."
        )
    types = [str(type_) for type_ in one.data.types]
    names = [str(name) for name in one.data.columns]
    columns = [
        Column(name, kind_of(type_), engine.dialect.name(name))
        for name, type_ in zip(names, types, strict=True)
    ]
    sql = f"({one.data.sql_query()})" if one.data is not getattr(engine, "base", None) else "base"
    return Relation(engine=engine, sql=f"{sql} AS t", columns=columns, source=one.name)


def check_given(data: object, name: str) -> None:
    """Refuse what no engine can read where it is."""
    if not (is_path(data) or is_relation(data) or is_spark(data)):
        raise DataError(
            f"{name}: expected the path of a file, a relation of DuckDB, or a frame or the name of "
            f"a table of Spark, not {type(data).__name__}. What is in memory needs no scan."
        )


def is_path(data: object) -> bool:
    """Whether data are given as a path."""
    # Of its type: a frame of Spark Connect asks the server whether it has such a column.
    return isinstance(data, str | Path) or hasattr(type(data), "__fspath__")


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
        path = replaced(Path(text))
        return [path], path.name
    found = sorted(Path(one) for one in globbing.glob(text, recursive=True))
    files = [one for one in found if one.is_file()]
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
