"""Formats of files: one class each, and what is the same in all of them."""

from __future__ import annotations

import json

import polars as pl
import pytest

from headcount import DataError, read_ratings
from headcount.io.formats import catalogue
from headcount.io.formats.base import File, Format
from headcount.io.tables.columns import ColumnTable
from headcount.io.tables.files import open_file


def test_another_format_is_one_class(tmp_path, monkeypatch):
    class Colons(Format):
        """One rating a line, item:rater:label."""

        suffixes = (".colons",)

        def open(self, file, *, ignore, header):
            rows = [line.strip().split(":") for line in file.lines()]
            names = ["item", "rater", "label"]
            return ColumnTable(list(zip(*rows, strict=True)), names, file.name, ignore=ignore)

    monkeypatch.setattr(catalogue, "FORMATS", [Colons(), *catalogue.FORMATS])
    path = tmp_path / "ratings.colons"
    path.write_text("1:ann:yes\n1:bob:no\n")
    labels = read_ratings(path)
    assert (len(labels), labels.source) == (2, "ratings.colons")


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("r.csv", ".csv"),
        ("r.v2.TSV.gz", ".tsv"),
        ("r.jsonl.gzip", ".jsonl"),
        ("r", ""),
        ("r.gz", ""),
    ],
)
def test_endings(tmp_path, name, suffix):
    path = tmp_path / name
    path.write_bytes(b"item")
    assert File.at(path).suffix == suffix


def test_values_with_types_are_the_same_text_in_all_formats(tmp_path):
    frame = pl.DataFrame(
        {"item": [1, 2, 3], "whole": [1.0, None, 2.0], "part": [0.5, 1.0, None],
         "flag": [True, False, None], "text": ["1.0", " x ", ""]}
    )  # fmt: skip
    frame.write_parquet(tmp_path / "t.parquet")
    frame.write_ndjson(tmp_path / "t.jsonl")
    expected = [["1", "2", "3"], ["1", None, "2"], ["0.5", "1", None], ["True", "False", None]]
    for name in ("t.parquet", "t.jsonl"):
        table = open_file(tmp_path / name)
        assert table.names == frame.columns
        for column, values in enumerate(expected):
            codes, texts = table.codes(column)
            assert [None if c < 0 else texts[c] for c in codes] == values, (name, column)
        codes, texts = table.codes(4)
        assert [None if c < 0 else texts[c] for c in codes] == ["1.0", "x", None]


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_cells_that_are_lists_are_refused_where_they_are_read(tmp_path, suffix):
    frame = pl.DataFrame(
        {"item": [1, 2], "rater": ["u", "u"], "label": ["x", "y"], "tags": [["a"], ["b", "c"]]}
    )
    path = tmp_path / f"r.{suffix}"
    (frame.write_parquet if suffix == "parquet" else frame.write_ndjson)(path)
    assert len(read_ratings(path)) == 2
    assert read_ratings(path, label="tags").scale.labels == ("a", "b + c")  # sets of labels
    with pytest.raises(DataError, match=f"r.{suffix}, column 'tags': its cells are lists"):
        read_ratings(path, item="tags")


def test_two_columns_of_one_name(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item,rater,label,label\n1,u,x,y\n")
    with pytest.raises(DataError, match=r"r\.csv, row 1: several columns are called 'label'"):
        read_ratings(path)


def test_a_blank_line_counts_in_messages_of_predictions(tmp_path):
    from headcount import read_predictions

    path = tmp_path / "p.csv"
    path.write_text("item,lm:n,lm:y\n1,0.5,0.5\n\n2,0.5,0.6\n")
    with pytest.raises(DataError, match=r"p\.csv, row 4: classifier 'lm' gives item '2'"):
        read_predictions(path)
    path = tmp_path / "p.jsonl"
    rows = [{"item": 1, "h": "x"}, {"item": None, "h": "x"}]
    path.write_text("\n\n".join(map(json.dumps, rows)))
    with pytest.raises(DataError, match=r"p\.jsonl, row 3, column 'item': no item"):
        read_predictions(path)


def test_many_columns_and_few_rows(tmp_path):
    names = [f"c{i}" for i in range(200)]
    rows = [[f"t{r}", *("" if (i + r) % 7 == 0 else f" {(i * r) % 5}" for i in range(200))]
            for r in range(30)]  # fmt: skip
    path = tmp_path / "many.csv"
    path.write_text("\n".join(",".join(row) for row in [["item", *names], *rows]))
    table = open_file(path)
    for place in (1, 150, 64, 200, 0):
        codes, texts = table.codes(place)
        written = [row[place].strip() for row in rows]
        assert ["" if code < 0 else texts[code] for code in codes.tolist()] == written
        assert texts == list(dict.fromkeys(text for text in written if text))
    numbers, wrong = table.numbers(150)
    assert not wrong.any()
    assert [n for n in numbers.tolist() if n == n] == [float(r[150]) for r in rows if r[150]]
