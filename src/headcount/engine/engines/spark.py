"""Spark, classic or Connect: the same SQL, run by a cluster."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from headcount.data.vocabulary import as_double
from headcount.engine.engines.base import Column, Dialect, Engine, Rows, as_array
from headcount.engine.engines.choice import EngineChoice
from headcount.engine.engines.failures import explained
from headcount.engine.sources.relation import Relation
from headcount.errors import DataError, ExtraError, closest, option, some
from headcount.results.provenance import Source

__all__ = ["SPARK", "Spark", "open_spark", "retry_briefly"]

SPARK = Dialect(
    text="CAST({0} AS STRING)",
    hash="pmod(xxhash64({0}), 9223372036854775807)",
    right="shiftright({0}, {1})",
    bit="shiftleft(CAST(1 AS BIGINT), {0})",
    md5_32="CAST(conv(substr(md5({0}), 1, 8), 16, 10) AS BIGINT)",
    quote="`",
    real="DOUBLE",
    number="try_cast({0} AS DOUBLE)",
    whole="CAST({0} AS BIGINT)",
    trim="btrim({0}, {1})",
    unpivot="SELECT item, rater, label FROM (SELECT {item}, stack({number}, {pairs}) AS (rater, "
    "label) FROM {relation}) AS stacked",
)
_KINDS = {"string": "text", "boolean": "boolean", "float": "real", "double": "real"}
_WHOLE = ("tinyint", "smallint", "int", "bigint")
_ARROW_WHOLE = ("int8", "int16", "int32", "int64")
_PATIENCE, _RETRIES = 10.0, 4
"""Seconds to wait for a server, and how often a call is tried again: some five seconds in all."""
_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".csv": "csv", ".tsv": "csv"}


class Spark(Engine):
    """A session of Spark, which the user's frame has or that is opened for an address.

    Parameters
    ----------
    session : SparkSession
    """

    name = "spark"
    title = "Spark"
    dialect = SPARK

    def __init__(self, session: Any) -> None:
        self.session = session
        self._views: list[str] = []
        self._held: list[Any] = []

    def fetch(self, sql: str) -> Rows:
        """Run a query, and bring all of what it gives."""
        with explained(self.title):
            table: Any = self.session.sql(sql).toArrow()
        return {name: _values(table.column(name)) for name in table.column_names}

    def keep(self, name: str, sql: str) -> str:
        """Name what a query gives; it is computed where it is asked for."""
        return f"({sql}) AS {name}"

    def hold(self, name: str, sql: str) -> str:
        """Have the cluster hold what a query gives, for as long as this lives."""
        del name
        with explained(self.title):
            frame: Any = self.session.sql(sql).persist()
        self._held.append(frame)
        return self.view(frame)

    def divided(self, name: str, sources: Sequence[str], part: str, number: int) -> str:
        """Hold rows in the order of their parts, so that to read one is to look at few of them."""
        rows = super().divided(name, sources, part, number)
        return f"SELECT * FROM {self.hold(name, f'{rows} ORDER BY part')}"

    def view(self, frame: Any) -> str:
        """Name a frame, for as long as this lives."""
        name = f"headcount_{uuid4().hex}"
        with explained(self.title):
            frame.createOrReplaceTempView(name)
        self._views.append(name)
        return name

    def close(self) -> None:
        """Forget the names of frames and what is held; the session is the user's."""
        while self._held:
            with suppress(Exception):  # a session that is gone holds nothing
                self._held.pop().unpersist()
        while self._views:
            with suppress(Exception):  # a session that is gone holds no names
                self.session.catalog.dropTempView(self._views.pop())


def _values(column: Any) -> NDArray[Any]:
    """Make an array of a column; floats of 32 bits as they are written."""
    kind = str(column.type)
    if kind in _ARROW_WHOLE and not column.null_count:
        return column.to_numpy().astype(np.int64)
    values: list[Any] = column.to_pylist()
    if kind == "float":
        numbers = as_double(column.to_numpy()).tolist()
        values = [None if number != number else number for number in numbers]
    return as_array(values)


def open_spark(given: Sequence[tuple[Any, str]], choice: EngineChoice) -> list[Relation]:
    """Take frames, tables or files that Spark reads."""
    first = given[0][0]
    session: Any = getattr(first, "sparkSession", None)
    engine = Spark(_session(choice) if session is None else session)
    return [
        _relation(engine, data, name, glob=choice.glob and not place)
        for place, (data, name) in enumerate(given)
    ]


def _relation(engine: Spark, data: Any, name: str, *, glob: bool) -> Relation:
    """Make rows of a frame, a table or files."""
    sources: tuple[Source, ...] = ()
    backend: str | None = None
    if hasattr(data, "createOrReplaceTempView"):
        frame, backend = data, "pyspark"
    else:
        text = os.fsdecode(data) if not isinstance(data, str) else data
        frame, name = _read(engine, text, glob=glob), Path(text).name if not glob else text
    with explained(engine.title):
        fields: list[tuple[str, str]] = [(str(n), str(t)) for n, t in frame.dtypes]
    _check_names(name, [field for field, _ in fields])
    columns = [Column(n, _kind(t), SPARK.name(n)) for n, t in fields]
    return Relation(
        engine=engine,
        sql=engine.view(frame),
        columns=columns,
        source=name,
        sources=sources,
        backend=backend,
    )


def _read(engine: Spark, text: str, *, glob: bool) -> Any:
    """Read files by the ending of their names, or else a table."""
    suffix = Path(text).suffix.lower()
    kind = _FORMATS.get(suffix)
    with explained(engine.title):
        if kind == "parquet":
            return engine.session.read.option("recursiveFileLookup", "false").parquet(text)
        if kind == "csv":
            delimiter = "\t" if suffix == ".tsv" else ","
            reader = engine.session.read.option("header", "true").option("delimiter", delimiter)
            reader = reader.option("quote", '"').option("escape", '"').option("mode", "FAILFAST")
            return reader.option("inferSchema", "false").csv(text)
        if glob:
            raise DataError(
                f"'{text}': {option('glob')} needs a pattern that ends in .parquet or .csv, so "
                "that Spark knows what to read."
            )
        if engine.session.catalog.tableExists(text):
            return engine.session.table(text)
        tables = [str(one.name) for one in engine.session.catalog.listTables()]
    near = closest(text, tables)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise DataError(
        f"Spark has no table '{text}', and a file must end in .parquet or .csv.{hint} Tables: "
        f"{some(tables, 12) if tables else 'none'}."
    )


def _check_names(name: str, names: Sequence[str]) -> None:
    lower = [one.lower() for one in names]
    doubled = [one for one in names if lower.count(one.lower()) > 1]
    if doubled:
        raise DataError(
            f"{name}: several columns are called {some(doubled)}, but for capital letters. Give "
            "each a name of its own."
        )


def _kind(type_: str) -> str:
    if type_.startswith(("array", "map", "struct")):
        return "nested"
    return "whole" if type_ in _WHOLE else _KINDS.get(type_, "other")


def _check_reachable(address: str) -> None:
    """Refuse an address at which nobody answers, for which Spark would wait ten minutes."""
    found = urlsplit(address.split(";")[0])
    host, port = found.hostname or "localhost", found.port or 15002
    try:
        socket.create_connection((host, port), timeout=_PATIENCE).close()
    except OSError as error:
        raise DataError(
            f"no Spark Connect server answers at '{address}' ({error.strerror or error}). Check "
            f"{option('remote')}, and that the server runs."
        ) from None


def retry_briefly(session: Any) -> None:
    """Give a server that is gone some seconds to come back, not ten minutes."""
    from pyspark.sql.connect.client.retries import DefaultPolicy

    session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])


def _session(choice: EngineChoice) -> Any:
    """Open a session: on a server, the one that runs already, or one on this machine."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise ExtraError("Spark", "pyspark", "spark") from None
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    with explained("Spark"):
        if choice.remote is not None:
            _check_reachable(choice.remote)
            session: Any = builder.remote(choice.remote).getOrCreate()
            retry_briefly(session)
            return session
        active: Any = SparkSession.getActiveSession()
        if active is not None:
            return active
        return (
            builder.master("local[*]")
            .config("spark.ui.enabled", "false")
            .config("spark.log.level", "ERROR")
            # Spark's bar is for a terminal; in a file it is a page of returns.
            .config("spark.ui.showConsoleProgress", str(sys.stderr.isatty()).lower())
            .appName("headcount")
            .getOrCreate()
        )
