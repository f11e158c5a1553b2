from __future__ import annotations

import pytest

from headcount import DataError, read_ratings
from headcount.io.facts.experts import read_experts

RATINGS = "item,rater,label,expert\na,ann,yes,1\na,bob,no,0\nb,ann,no,1\nb,eve,no,\n"


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS)
    return path


def test_a_list_of_raters(tmp_path, ratings):
    path = tmp_path / "experts.csv"
    path.write_text("rater\nann\neve\n")
    assert read_experts(str(path), ratings) == ["ann", "eve"]


def test_a_list_without_a_header(tmp_path, ratings):
    path = tmp_path / "experts.txt"
    path.write_text("ann\neve\n")
    wide = {"item": ["a", "b"], "ann": ["yes", "no"], "bob": ["no", "no"], "eve": ["no", "no"]}
    assert read_experts(str(path), ratings) == ["ann", "eve"]
    assert read_experts(str(path), read_ratings(ratings)) == ["ann", "eve"]
    assert read_experts(str(path), wide) == ["ann", "eve"]
    path.write_text("our experts\nann\n")
    assert read_experts(str(path), ratings) == ["ann"]


def test_a_list_that_says_who_is_an_expert(tmp_path, ratings):
    path = tmp_path / "raters.csv"
    path.write_text("rater,pool\nann,expert\nbob,amateur\neve,Expert\n")
    assert read_experts(str(path), ratings) == ["ann", "eve"]


def test_a_column_of_the_ratings(ratings):
    assert read_experts("expert", ratings) == ["ann"]


@pytest.mark.parametrize(
    ("text", "source", "message"),
    [
        (RATINGS, "exprt", "neither a file nor a column.*Did you mean 'expert'"),
        (RATINGS.replace("b,ann,no,1", "b,ann,no,0"), "expert", "'ann' both expert and not"),
        (RATINGS.replace(",1", ",0"), "expert", "no rater is an expert"),
        (RATINGS.replace("rater", "someone"), "expert", "no column found for the rater"),
    ],
)
def test_experts_that_cannot_be_told(ratings, text, source, message):
    ratings.write_text(text)
    with pytest.raises(DataError, match=message):
        read_experts(source, ratings)
