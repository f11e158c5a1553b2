"""What is in memory: dicts of columns, rows, arrays and relations; and what is refused."""

from __future__ import annotations

import os
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
    Facts,
    HeadcountError,
    OptionError,
    read_comparisons,
    read_experts,
    read_gold,
    read_groups,
    read_predictions,
    read_ratings,
    read_truth,
    read_votes,
)
from headcount.io.facts.item_list import read_items
from headcount.io.tables.columns import columns_of

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
    with pytest.raises(DataError, match=r"rows without names of columns are read as .*dict of"):
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
        ({"ignore": 5}, r"ignore must be names of columns, such as \['gold'\], not 5"),
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
        [{"left": "a", "right": "b", "winner": 1}, {"left": "b", "right": "c", "winner": 0.5}],
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
    assert headcount.read_anchors({"item": ["a", "b"]}) == {"a": "boundary", "b": "boundary"}
    assert headcount.read_covariates([{"item": "a", "n": 1}]) == {"a": {"n": 1.0}}
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
