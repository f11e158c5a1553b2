"""Formats of files, what Parquet says of columns, parser errors, and what is written."""

from __future__ import annotations

import base64
import csv
import json
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import DataError, read_ratings
from headcount.io import opening as catalogue
from headcount.io.formats import database as parquet_schema
from headcount.io.formats.database import explained, ordered_columns
from headcount.io.opening import open_file
from headcount.io.reading import File, Format
from headcount.io.tables import ColumnTable
from headcount.io.write import write_columns, write_ratings, write_rows

# Formats of files: one class each, and what is the same in all of them.


def test_another_format_is_one_class(tmp_path, monkeypatch):
    class Colons(Format):
        """One rating a line, item:rater:label."""

        suffixes = (".colons",)

        def open(self, file, *, ignore):
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


# What a Parquet file says of its columns: ordered categories, names of labels.

ORDER = ["low", "mid", "high"]
LONG = pd.DataFrame(
    [(i, r, ORDER[(i + r) % 3]) for i in range(6) for r in range(3)],
    columns=["item", "rater", "label"],
)
CODES = [ORDER.index(label) for label in LONG["label"]]


def by_pandas(path):
    categories = [*ORDER, "never"]
    frame = LONG.assign(label=pd.Categorical(LONG["label"], categories, ordered=True))
    frame.to_parquet(path)
    return categories


def by_polars(path):
    pl.from_pandas(LONG).with_columns(pl.col("label").cast(pl.Enum(ORDER))).write_parquet(path)
    return ORDER


def by_arrow(path):
    label = pa.DictionaryArray.from_arrays(pa.array(CODES), pa.array(ORDER), ordered=True)
    pq.write_table(pa.table({"item": LONG["item"], "rater": LONG["rater"], "label": label}), path)
    return ORDER


@pytest.mark.parametrize("write", [by_pandas, by_polars, by_arrow])
def test_ordered_categories_keep_their_order(tmp_path, write):
    order = write(tmp_path / "r.parquet")
    scale = read_ratings(tmp_path / "r.parquet").scale
    assert (scale.kind, list(scale.labels)) == ("ordinal", order)


def test_ordered_categories_of_wide_data(tmp_path):
    frame = LONG.pivot_table(index="item", columns="rater", values="label", aggfunc="first")
    frame = frame.apply(lambda column: pd.Categorical(column, ORDER, ordered=True)).reset_index()
    frame.columns = ["item", "ann", "bob", "cy"]
    frame.to_parquet(tmp_path / "r.parquet")
    assert list(read_ratings(tmp_path / "r.parquet").scale.labels) == ORDER


def test_categories_without_an_order(tmp_path):
    names = LONG["label"].map(dict(zip(ORDER, ["cat", "dog", "bird"], strict=True)))
    LONG.assign(label=pd.Categorical(names)).to_parquet(tmp_path / "r.parquet")
    assert read_ratings(tmp_path / "r.parquet").scale.kind == "nominal"


def test_an_order_that_cannot_be_read_is_told(tmp_path, monkeypatch):
    by_pandas(tmp_path / "r.parquet")
    monkeypatch.setattr("headcount.io.formats.database.find_spec", lambda name: None)
    monkeypatch.setattr(parquet_schema, "categories_of", lambda path, column: None)
    monkeypatch.setattr("headcount.io.formats.database.categories_of", lambda path, column: None)
    labels = read_ratings(tmp_path / "r.parquet")
    assert any("not read without pyarrow" in note for note in labels.notes)


def test_numbers_of_hugging_face_get_their_names(tmp_path):
    feature = {"label": {"names": ["O'Brien", "mid", "high"], "_type": "ClassLabel"}}
    codes = [*CODES[:-1], -1]  # no label
    table = pa.table({"id": LONG["item"], "annotator": LONG["rater"], "label": codes})
    about = {"huggingface": json.dumps({"info": {"features": feature}})}
    pq.write_table(table.replace_schema_metadata(about), tmp_path / "r.parquet")
    labels = read_ratings(tmp_path / "r.parquet")
    assert sorted(labels.scale.labels) == ["O'Brien", "high", "mid"]
    assert (len(labels), labels.dropped) == (17, {"no label": 1})


@given(st.binary(max_size=200))
def test_any_bytes_in_place_of_a_schema(data):
    assert ordered_columns({"ARROW:schema": data}) == frozenset()
    ordered_columns({"ARROW:schema": base64.b64encode(data)})


def test_damaged_schemas():
    label = pa.DictionaryArray.from_arrays(pa.array([0]), pa.array(["a"]), ordered=True)
    schema = pa.table({"x": [1], "label": label}).schema.serialize().to_pybytes()
    assert ordered_columns({"ARROW:schema": base64.b64encode(schema)}) == {"label"}
    for end in range(0, len(schema), 3):
        ordered_columns({"ARROW:schema": base64.b64encode(schema[:end])})
    for place in range(len(schema)):
        changed = schema[:place] + b"\xff" + schema[place + 1 :]
        ordered_columns({"ARROW:schema": base64.b64encode(changed)})


# What is said of text that the database could not parse.


def test_a_database_that_was_interrupted_is_no_bad_file():
    """A user who presses Ctrl-C while a file is parsed did not give a bad one."""
    stopped = explained(duckdb.InterruptException("INTERRUPT Error: Interrupted!"), file=None)
    assert isinstance(stopped, KeyboardInterrupt)


@pytest.mark.parametrize("text", ["Error on Line: 3 quote", "maximum line size"])
def test_other_errors_name_the_file(text):
    told = explained(duckdb.InvalidInputException(text), SimpleNamespace(name="a.csv"))
    assert str(told).startswith("a.csv")


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


RUN = ["=1+1", "+a", "-a", "@ann", "\tx", "\rx", "\n=1", "-", "=cmd|' /C calc'!A0", "-1+2"]
KEPT = ["a", "-1", "+1.5", "-.5", "1e-3", "-2E5", "a=b", "'x", ""]


@pytest.mark.parametrize("write", [write_columns, write_rows])
def test_no_cell_is_a_formula(tmp_path, write):
    path = tmp_path / "rows.csv"
    write({"=name": [*RUN, *KEPT], "number": [-1.5] * len([*RUN, *KEPT])}, path)
    head, *rows = rows_of(path)
    assert head == ["'=name", "number"]
    assert [row[0] for row in rows] == [f"'{text}" for text in RUN] + KEPT
    assert {row[1] for row in rows} == {"-1.5"}


def test_ratings_are_safe_too_and_labels_stay_numbers(tmp_path):
    rated = read_ratings([("@i", "=r", "-1"), ("@i", "s", "1"), ("j", "=r", "1"), ("j", "s", "-1")])
    write_ratings(rated, tmp_path / "ratings.csv")
    _, *rows = rows_of(tmp_path / "ratings.csv")
    assert ["'@i", "'=r", "-1"] in rows


def test_other_formats_hold_names_as_they_are(tmp_path):
    for name in ("rows.jsonl", "rows.parquet"):
        write_rows(
            {"item": ["=1", "b"], "rater": ["@r", "@r"], "label": ["x", "y"]}, tmp_path / name
        )
        assert set(read_ratings(tmp_path / name).items.tolist()) == {"=1", "b"}


# Files of R, of pandas without names, and links: read, or refused with what works.

R_ROWS = [("a", "yes", "no", "yes"), ("b", "no", "no", "yes"), ("c", "yes", "yes", "no")]


def write_table(path, sep, *, quoted, names=("item", "ann", "bob", "cem")):
    """Write what R's write.table does: names of rows first, which the header lacks."""
    mark = '"' if quoted else ""
    lines = [names, *((str(n), *row) for n, row in enumerate(R_ROWS, 1))]
    path.write_text("\n".join(sep.join(f"{mark}{cell}{mark}" for cell in line) for line in lines))
    return path


@pytest.mark.parametrize(("sep", "quoted"), [(" ", True), ("\t", True), ("\t", False), (",", True)])
def test_the_header_of_r_lacks_the_names_of_rows(tmp_path, sep, quoted):
    path = write_table(tmp_path / "r.txt", sep, quoted=quoted)
    table = open_file(path)
    assert table.names == ["", "item", "ann", "bob", "cem"]
    assert any("as R's write.table writes it" in note for note in table.notes)
    read = read_ratings(path)
    assert (read.items.tolist(), read.raters.tolist()) == (list("abc"), ["ann", "bob", "cem"])


def test_names_of_rows_are_the_items_where_nothing_else_is(tmp_path):
    lines = ['"ann" "bob" "cem"', *(" ".join(f'"{cell}"' for cell in row) for row in R_ROWS)]
    path = tmp_path / "r.txt"
    path.write_text("\n".join(lines))
    assert read_ratings(path).items.tolist() == list("abc")


def test_a_decimal_comma_makes_no_names_of_rows(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item,score\na,1,5\nb,2,5\n")
    with pytest.raises(DataError, match="3 columns, but the header has 2"):
        open_file(path)


def test_a_comma_at_the_end_of_rows_makes_no_names_of_rows(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text('"item","ann","bob"\n"a","x","y",\n"b","y","y",\n')
    assert open_file(path).names == ["item", "ann", "bob"]


FRAME = pd.DataFrame({"item": list("abc"), "ann": list("xyx"), "bob": list("xyy")})


def test_values_of_pandas_have_no_names(tmp_path):
    path = tmp_path / "r.json"
    FRAME.to_json(path, orient="values")
    with pytest.raises(DataError, match=r"orient='records' instead of 'values'"):
        read_ratings(path)
    FRAME.to_json(path, orient="records")
    assert read_ratings(path).items.tolist() == list("abc")


@pytest.mark.parametrize("name", ["item", "text_id", "tweet"])
def test_a_named_index_is_the_item(tmp_path, name):
    frame = FRAME.set_index("item").rename_axis(name)
    assert read_ratings(frame).items.tolist() == list("abc")
    frame.to_json(tmp_path / "r.json", orient="split")
    assert read_ratings(tmp_path / "r.json").items.tolist() == list("abc")


def test_levels_of_an_index_are_columns():
    long = FRAME.melt(id_vars="item", var_name="rater", value_name="label")
    for levels in (["item"], ["rater"], ["item", "rater"]):
        read = read_ratings(long.set_index(levels))
        assert (read.items.tolist(), read.raters.tolist()) == (list("abc"), ["ann", "bob"])


def test_a_link_to_itself_is_named(tmp_path):
    (tmp_path / "one.csv").symlink_to(tmp_path / "two.csv")
    (tmp_path / "two.csv").symlink_to(tmp_path / "one.csv")
    with pytest.raises(DataError, match=r"one\.csv' is a link to a file that is not there, or to"):
        read_ratings(tmp_path / "one.csv")
