"""What stands beside ratings: no header, columns without a rating, states of answers, lists."""

from __future__ import annotations

import json

import pytest

from headcount import DataError, read_ratings

ROWS = "\n".join(f"t{i},{1 + i % 5},{1 + i % 4},{1 + i % 3}" for i in range(12))


@pytest.fixture
def write(tmp_path):
    def written(text, name="r.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return written


@pytest.mark.parametrize("header", ["x,1,2,3", "tweet,0,1,2", ",3,2,1", "item,3,2,1"])
def test_raters_with_numbers_that_are_labels_too(write, header):
    labels = read_ratings(write(f"{header}\n{ROWS}"))
    assert (len(labels.items), len(labels.raters)) == (12, 3)


@pytest.mark.parametrize("header", ["t99,1,2,3", "t0,3,2,1", "t0,2,4,1"])
def test_the_first_row_is_data(write, header):
    with pytest.raises(DataError, match="seems to be data"):
        read_ratings(write(f"{header}\n{ROWS}"))


def test_long_without_a_header_says_so(write):
    rows = "\n".join(f"t{i},{who},{'yes' if i % 3 else 'no'}" for i in range(6) for who in "ab")
    labels = read_ratings(write(rows))
    assert (len(labels), labels.raters.tolist()) == (12, ["a", "b"])
    assert any("no header; read as item, rater, label" in note for note in labels.notes)


def test_a_column_without_a_rating_is_told(write):
    labels = read_ratings(write("item,ann,bob,cy\na,1,2,\nb,2,2,\nc,1,1,"))
    assert any("columns without a rating: 'cy'" in note for note in labels.notes)


def test_rejected_answers_are_warned_of(write):
    rows = [f"{i},{r},{i % 2},{'ok' if i != 3 else 'Rejected'}" for i in range(5) for r in "ab"]
    path = write("\n".join(["item,rater,label,Status", *rows]))
    notes = [note for note in read_ratings(path).notes if note.severity == "warning"]
    assert len(notes) == 1
    assert "2 rows of which 'Status' is 'Rejected'" in notes[0]
    assert "where='Status=ok'" in notes[0]
    assert len(read_ratings(path, where=["Status=ok"])) == 8


def test_a_fact_of_items_is_no_state_of_answers(write):
    path = write("item,rater,label,decision\na,x,1,rejected\na,y,1,rejected\nb,x,2,accepted\n")
    assert not [note for note in read_ratings(path).notes if note.severity == "warning"]


def test_lists_that_names_do_not_explain(write):
    records = [{"id": i, "who": ["a", "b"], "said": ["y", "n"]} for i in range(4)]
    path = write("\n".join(map(json.dumps, records)), "r.jsonl")
    with pytest.raises(DataError, match=r"'who', 'said' are lists.*label='...'.*rater='...'"):
        read_ratings(path)
    assert len(read_ratings(path, label="said", rater="who")) == 8
