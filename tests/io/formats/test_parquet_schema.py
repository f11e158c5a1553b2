"""What a Parquet file says of its columns: ordered categories, names of labels."""

from __future__ import annotations

import base64
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount import read_ratings
from headcount.io.formats import parquet_schema
from headcount.io.formats.parquet_schema import ordered_columns

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
    monkeypatch.setattr("headcount.io.formats.parquet.find_spec", lambda name: None)
    monkeypatch.setattr(parquet_schema, "categories_of", lambda path, column: None)
    monkeypatch.setattr("headcount.io.formats.parquet.categories_of", lambda path, column: None)
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
