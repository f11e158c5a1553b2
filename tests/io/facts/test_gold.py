"""True values of items, from a file or from a column of the ratings."""

from __future__ import annotations

import polars as pl
import pytest

from headcount import DataError, read_gold, read_groups, read_ratings
from headcount.io.facts.gold import gold_of
from headcount.io.facts.item_facts import read_anchors, read_covariates

LONG = """item,rater,label,gold
a,ann,1,2

a,bob,2,
a,eve,2,2.0
b,ann,4,5
b,bob,4,5
c,ann,3,
"""
WIDE = "item,ann,gold,bob\na,1,2,2\nb,4,5,4\nc,3,,\n"
EXPECTED = {"a": 2.0, "b": 5.0}


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(LONG)
    return path


def test_a_file_of_its_own(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("item,value\na,2\nb,5\nc,\n")
    assert read_gold(path) == EXPECTED
    assert gold_of(str(path), "no-such-ratings.csv") == (EXPECTED, [])


def test_a_column_of_long_ratings(ratings):
    assert read_gold(ratings, column="gold") == EXPECTED
    assert gold_of("gold", ratings) == (EXPECTED, ["gold"])


def test_a_column_of_wide_ratings_is_no_rater(ratings):
    ratings.write_text(WIDE)
    values, columns = gold_of("gold", ratings)
    assert values == EXPECTED
    assert read_ratings(ratings, ignore=columns).raters.tolist() == ["ann", "bob"]


def test_a_column_of_a_frame():
    frame = pl.DataFrame({"thing": ["a", "b"], "who": [1, 1], "x": [3, 4], "gold": [2, 5]})
    assert read_gold(frame, item="thing", column="gold") == EXPECTED


def test_a_file_goes_before_a_column(ratings, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold").write_text("item,value\na,1\n")
    assert gold_of("gold", ratings) == ({"a": 1.0}, [])


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (
            LONG.replace("eve,2,2.0", "eve,2,3"),
            "gold",
            # The blank line is row 3.
            "column 'gold': item 'a' has the true value 2 in row 2 and 3 in row 5. Give it one",
        ),
        (LONG.replace("b,ann,4,5", "b,ann,4,high"), "gold", "row 6, column 'gold': .*'high'"),
        (LONG, "golf", "neither a file nor a column of ratings.csv. Did you mean 'gold'"),
        (LONG, "item", "'item' is the item"),
        ("item,ann,gold\na,1,\nb,2,\n", "gold", "every row is blank"),
    ],
)
def test_columns_that_cannot_be_used(ratings, text, column, message):
    ratings.write_text(text)
    with pytest.raises(DataError, match=message):
        gold_of(column, ratings)


def test_two_values_of_an_item_in_a_file_of_its_own(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("item,value\na,1\nb,2\na,3\n")
    with pytest.raises(DataError, match="item 'a' has the true value 1 in row 2 and 3 in row 4"):
        read_gold(path)


def test_a_file_that_is_misspelt_suggests_its_neighbour(ratings, tmp_path):
    (tmp_path / "truth.csv").write_text("item,value\na,1\n")
    with pytest.raises(DataError, match=r"Did you mean '.*truth.csv'"):
        gold_of(str(tmp_path / "trut.csv"), ratings)
    with pytest.raises(DataError, match=r"no column 'golf' for the true value"):
        read_gold(ratings, column="golf")


def test_blank_and_wrong_values_of_facts_name_their_rows(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("item,gold\na,1\nb,\n,3\n")
    gold = read_gold(path)
    assert gold == {"a": 1.0}
    assert gold.notes[-1] == "g.csv: 2 rows without 'item' or 'gold' left out."
    path.write_text("item,gold\na,1\nb,high\n")
    with pytest.raises(DataError, match=r"g\.csv, row 3, column 'gold': expected a number"):
        read_gold(path)
    path.write_text("item,gold\na,1\nb,inf\n")
    with pytest.raises(
        DataError, match=r"g\.csv, row 3, column 'gold': expected a number, found 'inf'"
    ):
        read_gold(path)


def test_anchors_groups_and_covariates(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("item,label\na,Positive\nb,negative\nc,\n")
    anchors = read_anchors(path)
    assert anchors == {"a": "positive", "b": "negative"}
    assert anchors.notes == ("a.csv: 1 row without 'item' or 'label' left out.",)
    path.write_text("item,label\na,positive\nb,up\n")
    with pytest.raises(DataError, match=r"a\.csv, row 3, column 'label': 'up'. Expected positive"):
        read_anchors(path)
    path.write_text("classifier,group\nm,x\nk,NA\n")
    groups = read_groups(path)
    assert groups == {"m": "x"}
    assert groups.notes == ("a.csv: 1 row without 'classifier' or 'group' left out.",)
    path.write_text("classifier,group\nm,\n")
    with pytest.raises(DataError, match="no groups; every row is blank"):
        read_groups(path)
    path.write_text("item,words\na,10\nb,many\n")
    with pytest.raises(DataError, match=r"a\.csv, row 3, column 'words': expected a number"):
        read_covariates(path)
    path.write_text("item,words\na,10\nb,\n")
    with pytest.raises(DataError, match=r"a\.csv, row 3, column 'words': blank"):
        read_covariates(path)
    path.write_text("item,words\na,10\n,20\n")
    covariates = read_covariates(path)
    assert covariates == {"a": {"words": 10.0}}
    assert covariates.notes == ("a.csv: 1 row without 'item' left out.",)
