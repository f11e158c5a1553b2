"""Tables: the bytes of files, and what is in memory."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import sys
import time
from collections import UserDict
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import headcount
from headcount import (
    DataError,
    HeadcountError,
    OptionError,
    read_comparisons,
    read_gold,
    read_predictions,
    read_ratings,
    read_truth,
    read_votes,
)
from headcount.data.facts import Facts
from headcount.io import opening as files
from headcount.io import reading as base
from headcount.io.facts import read_anchors, read_experts, read_groups, read_items
from headcount.io.formats.database import DatabaseTable
from headcount.io.frames import open_frame
from headcount.io.opening import open_file, open_table
from headcount.io.reading import Reading
from headcount.io.tables import columns_of

# The bytes of files: which are read, what they are, and what is said of them.

LONG = "item,rater,label\n1,ann,yes\n1,bob,no\n2,ann,no\n2,bob,no\n"


def cells(table, column):
    codes, texts = table.codes(column)
    return [None if code < 0 else texts[code] for code in codes]


# Names


@pytest.mark.parametrize(
    "name", ["run[1].csv", "all*.csv", "what?.csv", "[!a].csv", "~.csv", "a'b.csv"]
)
def test_a_name_is_no_pattern(tmp_path, name):
    for neighbour in ("run1.csv", "all1.csv", "whats.csv", "b.csv"):
        (tmp_path / neighbour).write_text("item,rater,label\n9,zoe,wrong\n")
    (tmp_path / name).write_text(LONG)
    assert len(read_ratings(tmp_path / name)) == 4


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_a_folder_is_no_pattern_and_no_column(tmp_path, kind):
    for folder in ("label=x", "year=2024[1]"):
        path = tmp_path / folder / f"r.{kind}"
        path.parent.mkdir()
        frame = pl.read_csv(io.StringIO(LONG))
        {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[kind](
            path
        )
        table = open_file(path)
        assert table.names == ["item", "rater", "label"]
        assert cells(table, 2) == ["yes", "no", "no", "no"]


def test_names_that_differ_by_case_are_two_columns(tmp_path):
    rows = [{"item": i, "ann": "yes", "Ann": "no"} for i in range(3)]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, rows)))
    pl.DataFrame(rows).write_parquet(tmp_path / "r.parquet")
    pl.DataFrame(rows).write_csv(tmp_path / "r.csv")
    for kind in ("jsonl", "parquet", "csv"):
        table = open_file(tmp_path / f"r.{kind}")
        assert table.names == ["item", "ann", "Ann"]
        assert (cells(table, 1), cells(table, 2)) == (["yes"] * 3, ["no"] * 3)
        labels = read_ratings(tmp_path / f"r.{kind}")
        assert (len(labels), sorted(labels.raters)) == (6, ["Ann", "ann"])


# gzip


def test_gzip_is_checked(tmp_path):
    packed = gzip.compress(LONG.encode())
    (tmp_path / "r.csv.gz").write_bytes(packed)
    assert len(read_ratings(tmp_path / "r.csv.gz")) == 4
    for damage in (
        packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:],  # checksum
        packed[:-4] + bytes([packed[-4] ^ 1]) + packed[-3:],  # length
        packed[:-9],  # cut off
        packed + b"more",
    ):
        (tmp_path / "bad.csv.gz").write_bytes(damage)
        with pytest.raises(DataError, match=r"bad\.csv\.gz: the gzip archive is damaged"):
            read_ratings(tmp_path / "bad.csv.gz")


def test_gzip_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(base, "_ALWAYS_UNPACKED", 10_000)
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(LONG.encode() + b"1" * 1_000_000))
    with pytest.raises(DataError, match=r"bomb\.csv\.gz has .* the limit is 200 times the size"):
        read_ratings(path)


def test_nothing_is_left_in_the_folder_for_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "r.csv.gz").write_bytes(gzip.compress(LONG.encode("utf-16")))
    labels = read_ratings(tmp_path / "r.csv.gz")
    assert len(labels) == 4
    assert list((tmp_path / "tmp").iterdir()) == []


# The database


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_database_reaches_nothing_else(tmp_path, kind, monkeypatch):
    import duckdb

    monkeypatch.setattr("headcount.io.formats.csv._SMALL", 0)
    frame = pl.read_csv(io.StringIO(LONG))
    path = tmp_path / f"r.{kind}"
    (frame.write_csv if kind == "csv" else frame.write_parquet)(path)
    table = open_file(path)
    assert isinstance(table, DatabaseTable)
    run = table._connection.execute
    for sql in (
        f"FROM read_text('{path}')",
        f"COPY t TO '{tmp_path / 'out.csv'}'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ):
        with pytest.raises(duckdb.Error):
            run(sql)
    settings = dict(
        run(
            "SELECT name, value FROM duckdb_settings() WHERE name LIKE 'auto%known_extensions'"
        ).fetchall()
    )
    assert set(settings.values()) == {"false"}


@pytest.mark.parametrize("sign", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_small_texts_are_read_as_large_ones(tmp_path, monkeypatch, sign, delimiter):
    """Small ones are read without the database: cells, blanks, numbers of rows and refusals."""
    path = tmp_path / "r.csv"
    rows = [
        ["item", "ann", "bob"],
        ["1", " yes ", '"a ""b"" c"'],
        [],
        ["", "1_0", "nan"],
        ['"x\ny"', '""', "\t" if delimiter != "\t" else " "],
        ["é", 'a"b', "2.50"],
        ["7", ' "q"', '"q" '],
    ]

    def seen(number):
        path.write_text(sign.join(map(delimiter.join, rows[:number])), encoding="utf-8")
        try:
            table = open_file(path)
        except DataError as refusal:
            return str(refusal)
        columns = range(3)
        return (
            [cells(table, i) for i in columns],
            [repr(table.numbers(i)) for i in columns],
            table.row_numbers().tolist(),
            table.sources,
            table.first_row,
        )

    wrong = rows[1] + ["more"]
    rows.append(wrong)
    small = [seen(number) for number in range(2, 9)]
    monkeypatch.setattr("headcount.io.formats.csv._SMALL", 0)
    assert small == [seen(number) for number in range(2, 9)]


# Limits


def test_many_columns_are_refused_at_once(tmp_path):
    path = tmp_path / "wide.csv"
    for columns, message in (
        (3_000, "a single|no column|no rater"),
        (12_000, "12,001 columns; at most"),
    ):
        names = ",".join(f"c{i}" for i in range(columns))
        path.write_text(f"item,{names}\n" + "1" + ",x" * columns + "\n")
        start = time.process_time()
        if columns == 3_000:
            assert len(open_file(path).names) == 3_001
        else:
            with pytest.raises(DataError, match=message):
                open_file(path)
        assert time.process_time() - start < 5


def test_long_headers_and_rows_are_refused(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item," + "x" * 2_000_000 + "\n1,2\n")
    with pytest.raises(DataError, match=r"r\.csv, row 1: longer than 1,000,000 characters"):
        open_file(path)
    path.write_text(LONG + "3,ann," + "x" * 11_000_000 + "\n")
    with pytest.raises(DataError, match=r"r\.csv, row 6: longer than 10,000,000 bytes"):
        open_file(path)
    path.write_text(LONG + "3,ann," + "x" * 200_000 + "\n")
    assert open_file(path).rows == 5


def test_a_name_of_very_many_letters_is_refused(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('{"item": 1, "' + "1" * 300_000 + '": 2}\n')
    with pytest.raises(DataError, match=r"r\.jsonl, column 2: its name has 300,000 characters"):
        open_file(path)
    path.write_text('{"item": 1, "' + "1" * 10_000 + '": 2}\n')
    assert len(open_file(path).names) == 2


# Values


def test_floats_are_written_as_those_of_a_frame(tmp_path):
    values = [0.1, 1.0, 1e16, 16777216.0, 1e-7, 2.5, float("nan"), 1 / 3, -0.0, 1e20]
    for kind in (pl.Float32, pl.Float64):
        frame = pl.DataFrame({"item": range(len(values)), "v": pl.Series(values, dtype=kind)})
        frame.write_parquet(tmp_path / "f.parquet")
        assert cells(open_file(tmp_path / "f.parquet"), 1) == cells(open_frame(frame, "frame"), 1)


def test_spaces_of_all_kinds_come_off(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(
        "item,rater,label\n1,ann,\tyes\u00a0\n2,ann,yes\n3,ann,\u2003\n", encoding="utf-8"
    )
    assert cells(open_file(path), 2) == ["yes", "yes", None]


@pytest.mark.parametrize("n", [30_000, 90_000])
def test_many_values_are_coded_as_few_are(tmp_path, n):
    """Beyond some 20,000 values a column is coded in another way."""
    rng = np.random.default_rng(1)
    item = rng.permutation(np.repeat(np.arange(30_000), n // 30_000))
    values = [f"i{i}" if i % 7 else None for i in item]
    pl.DataFrame({"item": values, "x": range(n)}).write_parquet(tmp_path / "r.parquet")
    codes, texts = open_file(tmp_path / "r.parquet").codes(0)
    assert [None if code < 0 else texts[code] for code in codes] == values
    assert texts == list(dict.fromkeys(value for value in values if value))


# Encodings

WORDS = "item,rater,label\n1,José,señor\n2,José,naïve\n"


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-32", "utf-32"),
        ("cp1252", "cp1252"),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_encodings(tmp_path, encoding, said, pack):
    path = tmp_path / "r.csv"
    path.write_bytes(pack(WORDS.encode(encoding)))
    table = open_file(path)
    assert table.names == ["item", "rater", "label"]
    assert cells(table, 2) == ["señor", "naïve"]
    assert table.sources[0].encoding == said
    cautions = [note for note in table.notes if note.severity == "caution"]
    assert len(cautions) == (encoding == "cp1252")
    if cautions:
        assert "r.csv: row 2 is not UTF-8, so the text was read as cp1252" in cautions[0]


def test_an_encoding_can_be_named(tmp_path):
    path = tmp_path / "r.csv"
    text = "item,rater,label\n1,аня,да\n"
    path.write_bytes(text.encode("cp1251"))
    table = open_table(path, name="ratings", reading=Reading(encoding="cp1251"))
    assert (cells(table, 2), table.notes, table.sources[0].encoding) == (["да"], (), "cp1251")
    path.write_bytes(text.encode("utf-16-le"))
    assert cells(open_file(path, reading=Reading(encoding="utf-16-le")), 2) == ["да"]
    with pytest.raises(DataError, match="encoding='utf-16-le'"):
        open_file(path)
    with pytest.raises(OptionError, match=r"encoding 'utf9'.*Did you mean 'utf-8'.*latin-1"):
        Reading.of(encoding="utf9")
    with pytest.raises(OptionError, match="encoding 'klingon' is not known"):
        open_file(path, reading=Reading(encoding="klingon"))
    with pytest.raises(OptionError, match="'hex' is not known"):
        open_file(path, reading=Reading(encoding="hex"))


def test_bytes_that_are_no_text_are_refused_with_the_row(tmp_path):
    path = tmp_path / "r.csv"
    path.write_bytes("item,rater,label\n1,é,x\n2,é,x\n".encode() + b"3,\xe9,x\n")
    with pytest.raises(DataError, match=r"r\.csv, row 4: bytes that are not UTF-8"):
        open_file(path)
    path.write_bytes(b"item,rater,label\n1,\x81,x\n")
    with pytest.raises(DataError, match=r"r\.csv, row 2: bytes that are not UTF-8"):
        open_file(path)
    path.write_bytes(b"item,rater,label\n1,a\0b,x\n")
    with pytest.raises(DataError, match=r"r\.csv, row 2: a zero byte"):
        open_file(path)
    path.write_bytes(b"item,rater,label\n1,\xe9,x\n")
    with pytest.raises(DataError, match=r"r\.csv, row 2: bytes that are not utf-8"):
        open_file(path, reading=Reading(encoding="utf-8"))


# Delimiters and numbers


def test_the_delimiter_is_the_one_that_rows_agree_on(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("item\trater\tlabel (a, b, c, or d)\n1\tann\tb\n2\tann\tc\n")
    assert open_file(path).names == ["item", "rater", "label (a, b, c, or d)"]
    path.write_text('item;rater;"why; why, not, or"\n1;ann;"b;c"\n')
    assert cells(open_file(path), 2) == ["b;c"]
    path.write_text("item|rater|label\n1|ann|a,b\n")
    assert cells(open_file(path), 2) == ["a,b"]


def test_decimal_commas(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item;score;price;n\n1;1,5;1.234,50;1.234\n2;;0,1;12\n3;2;2,0;3.000\n")
    table = open_file(path)
    assert cells(table, 1) == ["1,5", None, "2"]  # as it is written; ids keep their commas
    assert table.numbers(1)[0].tolist()[::2] == [1.5, 2]
    assert table.numbers(2)[0].tolist() == [1234.5, 0.1, 2.0]
    assert cells(table, 3) == ["1.234", "12", "3.000"]
    path.write_text('item,rater,label\n1,a,"1,5"\n1,b,"1.234,5"\n2,a,7\n2,b,NA\n')
    labels = read_ratings(path)
    assert labels.scale.labels == ("1.5", "7", "1234.5")
    assert any("1,5 is read as 1.5 (decimal comma)" in note for note in labels.notes)


def test_thousands(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text('item,cost\n1,"1,234.5"\n2,"12,345"\n3,7\n')
    table = open_file(path)
    assert table.numbers(1)[0].tolist() == [1234.5, 12345, 7]
    labels = read_ratings(path, label="cost", item="item")
    assert any("1,234 is read as 1234 (thousands)" in note for note in labels.notes)


def test_beside_semicolons_a_comma_is_decimal(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item;cost\n1;1,234\n2;12,345\n")
    table = open_file(path)
    assert table.numbers(1)[0].tolist() == [1.234, 12.345]
    (note,) = (n for n in read_ratings(path, label="cost", item="item").notes if "1,234" in n)
    assert note.severity == "caution"
    assert "1,234 is read as 1.234 (decimal comma)" in note


def test_between_commas_a_comma_in_a_number_separates_thousands(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text('item,cost\n1,"1,234"\n2,800\n')
    table = open_file(path)
    assert table.numbers(1)[0].tolist() == [1234, 800]


def test_a_decimal_comma_makes_no_title_of_the_header(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item;score\n" + "".join(f"e{i};2,{i}14\n" for i in range(5)))
    table = open_file(path)
    assert (table.names, table.rows) == (["item", "score"], 5)


def test_lists_in_cells_are_no_numbers(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text('item,tags\n1,"a,b"\n2,"1,5"\n')
    table = open_file(path)
    assert (cells(table, 1), table.notes) == (["a,b", "1,5"], ())


@pytest.mark.parametrize("text", ["inf", "1_000", "x"])
def test_what_is_no_number(tmp_path, text):
    path = tmp_path / "r.csv"
    path.write_text(f"item,p\n1,.5\n2,{text}\n")
    assert open_file(path).numbers(1)[1].tolist() == [False, True]


# JSON

MIXED_ROWS = [
    {"item": 1, "rater": "ann", "label": True},
    {"item": 1.0, "rater": "bob", "label": 1},
    {"item": "2", "label": 0.5, "rater": None, "more": "x"},
]


@pytest.mark.parametrize("name", ["r.jsonl", "r.json", "lines.json", "array.jsonl"])
def test_json_is_lines_or_an_array(tmp_path, name):
    path = tmp_path / name
    is_array = name in ("r.json", "array.jsonl")
    path.write_text(
        json.dumps(MIXED_ROWS, indent=2) if is_array else "\n\n".join(map(json.dumps, MIXED_ROWS))
    )
    table = open_file(path)
    assert table.names == ["item", "rater", "label", "more"]
    assert [cells(table, column) for column in range(4)] == [
        ["1", "1", "2"], ["ann", "bob", None], ["True", "1", "0.5"], [None, None, "x"]
    ]  # fmt: skip
    assert table.row_numbers().tolist() == ([1, 2, 3] if is_array else [1, 3, 5])
    assert table.sources[0].rows == 3


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("r.json", '{"item": 1}', "r.json: the JSON is not a list of objects"),
        ("r.json", '{\n"item": 1\n}', "r.json: the JSON is not a list of objects"),
        ("r.json", "3", "r.json: the JSON is not a list of objects"),
        ("r.json", "[]", "r.json is empty"),
        ("r.json", '[{"item": 1}, 2]', "r.json, row 2: expected one JSON object a row"),
        ("r.json", '[{"item": 1} {"item": 2}]', "r.json, row 1: .*Expecting ',' delimiter"),
        ("r.json", '[{"item": 1},\n {"item"', "r.json, row 2: expected"),
        ("r.json", '[{"item": 1}] x', "r.json, row 1: expected .*Extra data"),
        ("r.jsonl", '{"item": 1}\n\n3\n', "r.jsonl, row 3: expected one JSON object a row"),
        ("r.jsonl", '{"item": 1}\nnull\n', "r.jsonl, row 2: expected one JSON object a row"),
        ("r.jsonl", '{"item": 1, "item": 2}\n', "row 1: .*the field 'item' stands there twice"),
        ("r.jsonl", '{"item": ' + "[" * 200_000 + "\n", "row 1: .*nested too deeply"),
        ("r.jsonl", '{"item": ' + "9" * 5_000 + "}\n", "row 1: expected"),
    ],
)  # fmt: skip
def test_json_that_is_no_table(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=message):
        open_file(path)


def test_json_with_nan_and_half_letters(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text('{"item": 1, "p": NaN, "q": "\\ud800"}\n{"item": 2, "p": 0.5, "q": "x"}\n')
    table = open_file(path)
    assert cells(table, 1) == [None, "0.5"]
    with pytest.raises(DataError, match="column 'q': half a letter"):
        table.codes(2)


# What is said of a file


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "json"])
def test_sources(tmp_path, kind):
    frame = pl.read_csv(io.StringIO(LONG))
    path = tmp_path / f"r.{kind}"
    write = {
        "csv": frame.write_csv,
        "parquet": frame.write_parquet,
        "jsonl": frame.write_ndjson,
        "json": frame.write_json,
    }
    write[kind](path)
    (source,) = open_file(path).sources
    data = path.read_bytes()
    assert (source.name, source.format, source.rows) == (path.name, kind, 4)
    assert (source.size, source.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    assert source.encoding == (None if kind == "parquet" else "utf-8")


def test_a_format_can_be_named(tmp_path):
    path = tmp_path / "data"
    path.write_text("\n".join(map(json.dumps, MIXED_ROWS)))
    assert open_file(path, reading=Reading(format="jsonl")).rows == 3
    with pytest.raises(OptionError, match="unknown format 'parket': did you mean 'parquet'"):
        open_file(path, reading=Reading(format="parket"))


class _Piped(io.TextIOWrapper):
    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))


def test_standard_input(monkeypatch):
    monkeypatch.setattr(files, "_piped", [])
    monkeypatch.setattr(sys, "stdin", _Piped(gzip.compress(LONG.encode())))
    for _ in range(2):  # a second reader gets the same
        table = open_table("-", name="ratings")
        assert (table.rows, table.source) == (4, "standard input")
    assert table.sources[0].size == len(gzip.compress(LONG.encode()))
    monkeypatch.setattr(sys, "stdin", _Piped(b""))
    with pytest.raises(DataError, match="standard input is empty"):
        open_table("-", name="ratings")
    monkeypatch.setattr(files, "MOST_UNPACKED", 10)
    monkeypatch.setattr(sys, "stdin", _Piped(LONG.encode()))
    with pytest.raises(DataError, match="standard input: more than 10 bytes"):
        open_table("-", name="ratings")


def test_a_name_that_is_too_long():
    with pytest.raises(DataError, match="cannot be read"):
        open_file(files.Path("x" * 5_000))


@pytest.mark.parametrize("name", ["data", "data.txt", "data.csv"])
def test_json_is_known_by_how_it_begins(tmp_path, name):
    path = tmp_path / name
    path.write_text("\n".join(map(json.dumps, MIXED_ROWS)))
    assert open_file(path).rows == 3
    path.write_text(json.dumps(MIXED_ROWS, indent=1))
    assert open_file(path).rows == 3
    path.write_text("[item],{rater},label\n1,a,x\n")
    assert open_file(path).names == ["[item]", "{rater}", "label"]


def test_an_export_of_a_tool_may_come_by_standard_input(monkeypatch):
    folder = files.Path(__file__).parents[0] / "tools" / "fixtures" / "label_studio"
    path = next((folder / "json_choices").glob("project*.json"))
    monkeypatch.setattr(files, "_piped", [])
    monkeypatch.setattr(sys, "stdin", _Piped(path.read_bytes()))
    table = open_table("-", name="ratings", kind="ratings")
    assert (table.rows, table.source, table.exported) == (13, "standard input", True)


# What is in memory: dicts of columns, rows, arrays and relations; and what is refused.

COLUMNS = {
    "item": ["b", "a", "a"],
    "rater": ["ann", "ann", "bob"],
    "label": ["no", "yes", "no"],
}
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
EXPECTED = [("a", "ann", "yes"), ("a", "bob", "no"), ("b", "ann", "no")]


def triples(labels):
    return [
        (str(labels.items[i]), str(labels.raters[r]), labels.scale.labels[code])
        for i, r, code in zip(labels.item, labels.rater, labels.label, strict=True)
    ]


class PathLike(os.PathLike):
    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return str(self.path)


# --- ratings --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        COLUMNS,
        UserDict(COLUMNS),
        {name: np.array(values) for name, values in COLUMNS.items()},
        {name: pd.Series(values) for name, values in COLUMNS.items()},
        {name: pl.Series(values) for name, values in COLUMNS.items()},
        {name: tuple(values) for name, values in COLUMNS.items()},
        {name: (value for value in values) for name, values in COLUMNS.items()},
        ROWS,
        tuple(ROWS),
        [tuple(row.values()) for row in ROWS],
        np.array([tuple(row.values()) for row in ROWS], dtype=[(n, "U5") for n in COLUMNS]),
    ],
    ids=[
        "columns", "mapping", "arrays", "pandas", "polars", "tuples", "generators", "dicts",
        "tuple of dicts", "records", "structured",
    ],
)  # fmt: skip
def test_long_ratings(data):
    labels = read_ratings(data)
    assert triples(labels) == EXPECTED
    assert (labels.source, labels.backend) == ("ratings", None)


def test_relations_of_duckdb():
    connection = duckdb.connect()
    connection.register("ratings", pa.table(COLUMNS))
    relation = connection.sql("SELECT * FROM ratings")
    assert triples(read_ratings(relation)) == EXPECTED
    assert triples(read_ratings(relation)) == EXPECTED  # it is not used up
    connection.close()
    with pytest.raises(DataError, match="ratings: the relation cannot be read"):
        read_ratings(relation)


def test_paths_of_any_kind(tmp_path):
    (tmp_path / "r.csv").write_text("item,rater,label\nb,ann,no\na,ann,yes\na,bob,no\n")
    for path in (tmp_path / "r.csv", str(tmp_path / "r.csv"), PathLike(tmp_path / "r.csv")):
        assert triples(read_ratings(path)) == EXPECTED


@pytest.mark.parametrize(
    "data",
    [
        [["x", None, "y", "x"], ["y", "y", "y", "x"]],
        np.array([["x", None, "y", "x"], ["y", "y", "y", "x"]], dtype=object),
        (["x", None, "y", "x"], ["y", "y", "y", "x"]),
    ],
    ids=["lists", "array", "tuple of lists"],
)
def test_a_matrix_is_items_by_raters(data):
    labels = read_ratings(data)
    assert labels.items.tolist() == [0, 1]
    assert labels.raters.tolist() == [0, 1, 2, 3]
    assert triples(labels)[:3] == [("0", "0", "x"), ("0", "2", "y"), ("0", "3", "x")]
    assert len(labels) == 7


def test_an_array_of_numbers_with_gaps():
    labels = read_ratings(np.array([[1, np.nan], [2, 1], [1, 1]]))
    assert labels.scale.labels == ("1", "2")
    assert len(labels) == 5


@pytest.mark.parametrize(
    "data",
    [
        [(1, 0, 1), (0, 1, 1)],  # tuples of which all values are alike: a matrix?
        [("a", "b")],
        [("a", "ann", "yes", 3)],
        [["a", "ann", "yes"], ["b", "bob", "no"]],  # lists of which no values are alike: long?
        np.array([[i, i % 3, i % 2] for i in range(20)]),
    ],
)
def test_rows_without_names_that_may_be_two_things(data):
    with pytest.raises(
        DataError, match=r"rows without names of columns are read as .*dict of|shares no scale"
    ):
        read_ratings(data)


def test_votes_of_an_array_and_options():
    assert triples(read_votes([["x", "y"], ["x", "x"]]))[0] == ("0", "0", "x")
    labels = read_ratings(COLUMNS | {"text": ["p", "q", "r"]}, ignore="text", labels=["no", "yes"])
    assert triples(labels) == EXPECTED
    wide = read_ratings(
        {"thing": [1, 2], "u": ["x", "y"], "v": ["y", "x"], "g": [1, 1]}, ignore="g"
    )
    assert wide.raters.tolist() == ["u", "v"]
    for options, message in (
        ({"labels": "no"}, r"labels must be all the labels, such as .* not 'no'"),
        ({"labels": 5}, r"labels must be all the labels"),
        ({"ignore": 5}, "ignore must be a list of names of columns, not 5"),
        ({"duplicates": "last"}, r"unknown way to treat duplicates 'last'"),
        ({"duplicates": 3}, r"unknown way to treat duplicates '3'"),
    ):
        with pytest.raises(OptionError, match=message) as caught:
            read_ratings(COLUMNS, **options)
        assert caught.value.option == next(iter(options))
    with pytest.raises(DataError, match="no column '5' for the item"):
        read_ratings(COLUMNS, item=5)


def test_floats_of_32_bits_are_what_they_are_written_as():
    table = {"item": [1, 2], "lm:n": [0.1, 0.75], "lm:y": [0.9, 0.25]}
    narrow = {n: np.array(v, dtype=np.float32 if ":" in n else None) for n, v in table.items()}
    expected = [[0.1, 0.9], [0.75, 0.25]]
    for data in (narrow, pd.DataFrame(narrow), pl.DataFrame(narrow), pa.table(narrow)):
        found = read_predictions(data).classifiers[0].probability
        np.testing.assert_array_equal(found, expected)
    labels = read_ratings(
        pl.DataFrame({"item": [1, 2], "u": [0.1, 0.2], "v": [0.2, 0.1]}).cast(
            {"u": pl.Float32, "v": pl.Float32}
        )
    )
    assert labels.scale.labels == ("0.1", "0.2")
    assert read_ratings([[np.float32(0.1), np.float32("nan")]]).scale.labels == ("0.1",)


# --- comparisons and facts ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        [("a", "b", "left"), ("b", "c", "tie")],
        [["a", "b", "left"], ["b", "c", "tie"]],
        np.array([["a", "b", "left"], ["b", "c", "tie"]]),
        {"left": ["a", "b"], "right": ["b", "c"], "winner": ["left", "tie"]},
        [{"left": "a", "right": "b", "score": 1}, {"left": "b", "right": "c", "score": 0.5}],
    ],
)
def test_comparisons(data):
    read = read_comparisons(data)
    assert read.items.tolist() == ["a", "b", "c"]
    assert (read.left.tolist(), read.right.tolist()) == ([0, 1], [1, 2])
    assert read.outcome.tolist() == [1, 0.5]


def test_comparisons_without_names():
    read = read_comparisons([("a", "b", 1, "ann"), ("b", "a", 0, "bob")])
    assert read.raters.tolist() == ["ann", "bob"]
    with pytest.raises(DataError, match=r"expected rows of 3 or 4 values .*, not of 2"):
        read_comparisons([("a", "b")])
    with pytest.raises(DataError, match="expected rows of 3 or 4 values"):
        read_comparisons([("a", "b", 1)], left="a")
    named = {"a": ["x"], "b": ["a"], "1": [0]}
    with pytest.raises(DataError, match=r"the names of the columns .* are a comparison"):
        read_comparisons(named)


def test_facts_of_dicts_and_pairs():
    assert read_truth({"a": "yes", "b": "no", "c": None}) == {"a": "yes", "b": "no"}
    assert read_truth([("a", "yes"), ("b", "no")]) == {"a": "yes", "b": "no"}
    assert read_gold({1: 2.5, 2: np.float64(3)}) == {"1": 2.5, "2": 3.0}
    assert read_groups([{"model": "m", "team": "t"}]) == {"m": "t"}
    assert read_anchors({"item": ["a", "b"]}) == {"a": "boundary", "b": "boundary"}
    assert read_experts([{"rater": "ann"}, {"rater": "bob"}]) == ["ann", "bob"]
    assert read_items(["b", "a", "b"])[0] == ["b", "a"]
    with pytest.raises(DataError, match="rows of two values, the item and the label, not of 3"):
        read_truth([("a", "yes", 1)])


def test_facts_are_a_mapping_that_does_not_change():
    facts = read_gold({"item": ["b", "a"], "gold": [1, 2]})
    assert isinstance(facts, Facts)
    assert read_gold(facts) is facts
    assert (dict(facts), list(facts), len(facts), "a" in facts) == (
        {"b": 1.0, "a": 2.0}, ["b", "a"], 2, True,
    )  # fmt: skip
    assert facts.get("c") is None
    assert facts == {"a": 2.0, "b": 1.0}
    assert facts.notes == ("gold: true values of 2 items; item = 'item', true value = 'gold'.",)
    with pytest.raises(AttributeError, match="do not change"):
        facts.source = "x"
    with pytest.raises(TypeError):
        facts["a"] = 3.0
    import pickle

    again = pickle.loads(pickle.dumps(facts))
    assert (again, again.notes, again.source) == (facts, facts.notes, "gold")


# --- what is refused ------------------------------------------------------------------------------

READERS = [getattr(headcount, name) for name in headcount.__all__ if name.startswith("read_")]
NESTED = [["x"], ["y"]]
REFUSED = {
    "number": 123,
    "none": None,
    "bool": True,
    "bytes": b"ratings.csv",
    "function": len,
    "set": {1, 2},
    "series": pd.Series([1, 2]),
    "frame without rows": pl.DataFrame({"item": [], "rater": [], "label": []}),
    "frame without columns": pd.DataFrame(index=[1, 2]),
    "columns of one name": pd.DataFrame([[1, 2, 3]], columns=["item", "label", "label"]),
    "columns of one name, pyarrow": pa.table([[1], [2]], names=["item", "item"]),
    "cells that are lists": pl.DataFrame({"item": NESTED, "left": NESTED, "rater": NESTED}),
    "cells that are dicts": {"item": [{"a": 1}], "rater": [{"a": 1}], "left": [{"a": 1}]},
    "cells that are tuples": {"item": [(1, 2)], "rater": [(1, 2)], "left": [(1, 2)]},
    "empty list": [],
    "empty dict": {},
    "empty rows": [(), ()],
    "ragged rows": [(1, 2, 3), (1, 2)],
    "rows of several kinds": [{"item": 1}, (1, 2)],
    "list of texts": ["a", "b"],
    "array of one dimension": np.arange(3),
    "array of three dimensions": np.zeros((2, 2, 2)),
    "array of no rows": np.zeros((0, 3)),
    "columns of several lengths": {"item": [1, 2], "rater": [1], "label": [1]},
    "column of two dimensions": {"item": np.zeros((2, 2)), "rater": [1, 2], "label": [1, 2]},
    "no such file": Path("no-such-file.csv"),
    "folder": Path("."),
}


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
def test_what_is_no_table_is_refused(reader, data):
    with pytest.raises(HeadcountError) as caught:
        reader(data)
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.__name__)
@pytest.mark.parametrize(
    "query", ["SELECT 1 AS item, 2 AS item", "SELECT 1 AS item, 2 AS label WHERE false"]
)
def test_relations_that_are_refused(reader, query):
    with duckdb.connect() as connection, pytest.raises(DataError, match=r"are called|is empty"):
        reader(connection.sql(query))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (123, "ratings: expected the path of a file, a data frame .* not int"),
        ({"item": "abc"}, "column 'item': expected a list of values, one per row, not str 'abc'"),
        ({"item": [[1]], "rater": [1], "label": [1]}, "'item': expected one value a cell.*a list"),
        ([(1, 2, 3), (1, 2)], "row 1: 2 values where the first row has 3"),
        ([1, 2], "row 0: expected .* rows must be dicts, tuples or lists, not int 1"),
        ({"item": [1], "label": [1, 2]}, "the same length; they have: 'item' 1, 'label' 2"),
        (pl.DataFrame(), "ratings is empty: there are no columns"),
    ],
)
def test_what_was_expected_is_said(data, message):
    with pytest.raises(DataError, match=message):
        read_ratings(data)


def test_columns_without_names_need_some():
    with pytest.raises(DataError, match=r"predictions: the columns have no names. Give a dict of"):
        read_predictions([[1, 2], [3, 4]])
    assert columns_of(object(), "x") is None


def test_commas_in_cells_of_write_table_make_no_title(tmp_path):
    rows = [f'"{n}" "i{n}" "1,{n}50" {n} "2,{n}00"' for n in range(1, 9)]
    path = tmp_path / "r.csv"
    path.write_text("\n".join(['"item" "ann" "bob" "cem"', *rows]) + "\n")
    assert open_file(path).names == ["", "item", "ann", "bob", "cem"]
