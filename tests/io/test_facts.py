"""What is known of items: gold, experts, lists; and errors that name the input."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import headcount
from headcount import (
    Comparisons,
    DataError,
    HeadcountError,
    Labels,
    read_gold,
    read_ratings,
    running_example,
)
from headcount.io.facts import (
    read_anchors,
    read_experts,
    read_fixed,
    read_groups,
    read_items,
)

# True values of items, from a file or from a column of the ratings.

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


def test_a_column_of_long_ratings(ratings):
    assert read_gold(ratings, column="gold") == EXPECTED


def test_a_column_of_wide_ratings_is_no_rater(ratings):
    ratings.write_text(WIDE)
    assert read_gold(ratings, column="gold") == EXPECTED
    assert read_ratings(ratings, ignore=["gold"]).raters.tolist() == ["ann", "bob"]


def test_a_column_of_a_frame():
    frame = pl.DataFrame({"thing": ["a", "b"], "who": [1, 1], "x": [3, 4], "gold": [2, 5]})
    assert read_gold(frame, item="thing", column="gold") == EXPECTED


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        (
            LONG.replace("eve,2,2.0", "eve,2,3"),
            "gold",
            # The blank line is row 3.
            "row 5: item 'a' has the true value 3 here and 2 above. Keep one",
        ),
        (LONG.replace("b,ann,4,5", "b,ann,4,high"), "gold", "row 6, column 'gold': .*'high'"),
        (LONG, "golf", "no column 'golf' for the true value. Did you mean 'gold'"),
        (LONG, "item", "'item' is the item"),
        ("item,ann,gold\na,1,\nb,2,\n", "gold", "every row is blank"),
    ],
)
def test_columns_that_cannot_be_used(ratings, text, column, message):
    ratings.write_text(text)
    with pytest.raises(DataError, match=message):
        read_gold(ratings, column=column)


def test_two_values_of_an_item_in_a_file_of_its_own(tmp_path):
    path = tmp_path / "gold.csv"
    path.write_text("item,value\na,1\nb,2\na,3\n")
    with pytest.raises(DataError, match="row 4: item 'a' has the true value 3 here and 1 above"):
        read_gold(path)


def test_a_file_that_is_misspelt_suggests_its_neighbour(ratings, tmp_path):
    (tmp_path / "truth.csv").write_text("item,value\na,1\n")
    with pytest.raises(DataError, match=r"Did you mean '.*truth.csv'"):
        read_gold(tmp_path / "trut.csv")
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


def test_anchors_groups_and_fixed_ratings(tmp_path):
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
    path.write_text("item,rating\na,10\nb,many\n")
    with pytest.raises(DataError, match=r"a\.csv, row 3, column 'rating': expected a number"):
        read_fixed(path)
    path.write_text("item,rating\na,1\na,2\n")
    with pytest.raises(DataError, match="item 'a' has another rating above"):
        read_fixed(path)
    path.write_text("item,rating,rating_low,rating_high,label\na,1,0.5,2,above\nb,,,,\nc,3,,,x\n")
    assert read_fixed(path) == {"a": (1.0, 0.5, 2.0), "c": (3.0, 3.0, 3.0)}
    path.write_text("item\na\n")
    with pytest.raises(DataError, match="expected the columns item and rating"):
        read_fixed(path)


RATINGS = "item,rater,label,expert\na,ann,yes,1\na,bob,no,0\nb,ann,no,1\nb,eve,no,\n"


@pytest.fixture
def expert_ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


def test_a_list_of_raters(tmp_path, expert_ratings):
    path = tmp_path / "experts.csv"
    path.write_text("rater\nann\neve\n")
    assert read_experts(str(path), expert_ratings) == ["ann", "eve"]


def test_a_list_without_a_header_is_refused(tmp_path, expert_ratings):
    """Its first expert would be lost; a line above it is the way out."""
    path = tmp_path / "experts.txt"
    path.write_text("ann\neve\n")
    with pytest.raises(DataError, match=r"called 'ann'.*Put a line 'rater'"):
        read_experts(str(path), expert_ratings)
    path.write_text("rater\nann\neve\n")
    assert read_experts(str(path), expert_ratings) == ["ann", "eve"]


def test_a_list_that_says_who_is_an_expert(tmp_path, expert_ratings):
    path = tmp_path / "raters.csv"
    path.write_text("rater,pool\nann,expert\nbob,amateur\neve,Expert\n")
    assert read_experts(str(path), expert_ratings) == ["ann", "eve"]


def test_a_column_of_the_ratings(expert_ratings):
    assert read_experts("expert", expert_ratings) == ["ann"]


@pytest.mark.parametrize(
    ("text", "source", "message"),
    [
        (RATINGS, "exprt", "neither a file nor a column.*Did you mean 'expert'"),
        (RATINGS.replace("b,ann,no,1", "b,ann,no,0"), "expert", "'ann' both expert and not"),
        (RATINGS.replace(",1", ",0"), "expert", "no rater is an expert"),
        (RATINGS.replace("rater", "someone"), "expert", "no column found for the rater"),
    ],
)
def test_experts_that_cannot_be_told(expert_ratings, text, source, message):
    expert_ratings.write_text(text)
    with pytest.raises(DataError, match=message):
        read_experts(source, expert_ratings)


# Lists of items.


def test_items_are_read_once_each_in_order(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("text,item\nA,9\nB,10\nC,\nA,9\n", encoding="utf-8")
    assert read_items(path)[0] == ["9", "10"]


def test_a_list_without_a_header_can_be_seen_to_lose_an_item(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("q1\nq2\nq3\n", encoding="utf-8")
    items, _, told = read_items(path)
    assert items == ["q2", "q3"]
    assert told.startswith("items.csv: 2 items in the column 'q1'. Its first line, 'q1', is taken")
    assert told.severity == "caution"


def test_no_items_are_an_error(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text("item,text\n,A\n", encoding="utf-8")
    with pytest.raises(DataError, match="no items; every row is blank"):
        read_items(path)


# Errors name the input that was wrong: the option by which it was given.

VOTES = Labels.from_triples("aabbcc", "xyxyxy", "010110")
PLAYED = Comparisons.from_columns("abca", "bcab", [1, 1, 1, 0], rater="xyxy")


def survey(**given: Any) -> object:
    labels, predictions = running_example(20, 3, seed=1)
    return headcount.survey(labels, **({"predictions": predictions} | given))


CALLS = {
    ("blind", "crowd"): lambda x: headcount.blind(VOTES, crowd=x),
    ("blind", "gold"): lambda x: headcount.blind(VOTES, gold=x),
    ("blind", "groups"): lambda x: headcount.blind(VOTES, groups=x),
    ("survey", "reference"): lambda x: survey(reference=x),
    ("survey", "experts"): lambda x: survey(experts=x),
    ("survey", "predictions"): lambda x: survey(predictions=x),
    ("pairs", "label"): lambda x: headcount.pairs(PLAYED, label=x),
}


@pytest.mark.parametrize(("function", "name"), CALLS)
@pytest.mark.parametrize(
    "junk", [object(), 12.5, "no such file.csv"], ids=["object", "12.5", "path"]
)
def test_an_error_carries_the_option(function: str, name: str, junk: object):
    with pytest.raises(HeadcountError) as caught:
        CALLS[function, name](junk)
    assert caught.value.option == name
    if not isinstance(junk, str):
        assert str(caught.value).startswith(name)


def test_votes_are_not_called_ratings():
    with pytest.raises(DataError, match=r"^votes is empty"):
        headcount.blind({})


def test_notes_name_the_option():
    crowd = [{"item": item, "label": label} for item, label in zip("abc", "011", strict=True)]
    notes = headcount.blind(VOTES, crowd=crowd, bootstrap=0).notes
    assert any(note.startswith("crowd: labels of 3 items") for note in notes)
    assert not any(note.startswith("gold:") for note in notes)


def test_files_of_options_are_among_the_sources(tmp_path):
    truth, groups = tmp_path / "gold.csv", tmp_path / "groups.csv"
    truth.write_text("item,label\na,0\nb,1\nc,1\n")
    groups.write_text("classifier,group\nx,1\ny,2\n")
    anchors = tmp_path / "anchors.csv"
    anchors.write_text("item,label\na,positive\nb,negative\n")

    def names(result: Any) -> list[str]:
        return [one["name"] for one in result.to_dict()["data"]["sources"]]

    found = headcount.blind(VOTES, gold=truth, crowd=str(truth), groups=groups, bootstrap=0)
    assert names(found) == ["gold.csv", "gold.csv", "groups.csv"]
    rated = headcount.pairs(PLAYED, label=f"anchors:{anchors}", prior=1)
    assert names(rated) == ["anchors.csv"]
    facts = headcount.read_truth({"item": ["a"], "label": ["0"]}, name="experts")
    assert facts.source == "experts"
    assert facts.sources == ()
