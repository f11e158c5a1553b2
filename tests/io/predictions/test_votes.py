"""What blind evaluation reads: labels of classifiers, gold or crowd labels, and groups."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import polars as pl
import pytest

from headcount.data.labels import Labels
from headcount.data.predictions import Predictions
from headcount.errors import DataError
from headcount.io.facts.groups import read_groups
from headcount.io.facts.true_labels import read_truth
from headcount.io.predictions.votes import read_votes

EXPECTED = [("1", "a", "no"), ("1", "b", "yes"), ("2", "a", "yes"), ("2", "b", "yes")]
LONG = "item,classifier,label\n1,a,no\n1,b,yes\n2,a,yes\n2,b,yes\n"
WIDE = "item,a,b\n1,no,yes\n2,yes,yes\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def triples(labels):
    assert isinstance(labels, Labels)
    given = zip(labels.item, labels.rater, labels.label, strict=True)
    return sorted(
        (str(labels.items[i]), str(labels.raters[k]), labels.scale.labels[code])
        for i, k, code in given
    )


# --- votes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("who", ["classifier", "model", "judge", "worker", "rater", "annotator"])
def test_long_by_the_names_people_use(tmp_path, who):
    path = write(tmp_path / "v.csv", LONG.replace("classifier", who))
    assert triples(read_votes(path)) == EXPECTED


def test_wide_packed_and_as_json_lines(tmp_path):
    assert triples(read_votes(write(tmp_path / "v.csv", WIDE))) == EXPECTED
    (tmp_path / "v.tsv.gz").write_bytes(gzip.compress(WIDE.replace(",", "\t").encode()))
    assert triples(read_votes(tmp_path / "v.tsv.gz")) == EXPECTED
    header, *rows = (line.split(",") for line in LONG.splitlines())
    lines = "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)
    assert triples(read_votes(write(tmp_path / "v.jsonl", lines))) == EXPECTED


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames(make):
    frame = make({"item": [1, 2], "a": ["no", "yes"], "b": ["yes", "yes"]})
    read = read_votes(frame)
    assert triples(read) == EXPECTED
    assert read.backend in ("pandas", "polars")


def test_columns_that_are_named_and_columns_that_are_not_read(tmp_path):
    path = write(tmp_path / "v.csv", "what,who,said\n1,a,no\n1,b,yes\n2,a,yes\n2,b,yes\n")
    assert triples(read_votes(path, item="what", classifier="who", label="said")) == EXPECTED
    path = write(tmp_path / "w.csv", "item,a,gold,b\n1,no,no,yes\n2,yes,no,yes\n")
    assert triples(read_votes(path, ignore=["gold"])) == EXPECTED
    with pytest.raises(DataError, match="no column 'golt' to ignore"):
        read_votes(path, ignore=["golt"])


def test_probabilities(tmp_path):
    wide = "item,a:no,a:yes,b\n1,0.9,0.1,yes\n2,0.2,0.8,yes\n"
    long = (
        "item,model,label,probability\n"
        "1,a,no,0.9\n1,a,yes,0.1\n2,a,no,0.2\n2,a,yes,0.8\n1,b,yes,\n2,b,yes,\n"
    )
    for name, text in (("wide", wide), ("long", long)):
        read = read_votes(write(tmp_path / f"{name}.csv", text))
        assert isinstance(read, Predictions), name
        assert [(c.name, c.kind) for c in read.classifiers] == [("a", "soft"), ("b", "hard")]
    path = write(tmp_path / "g.csv", wide.replace(",b\n", ",gold\n"))
    assert [c.name for c in read_votes(path, ignore=["gold"]).classifiers] == ["a"]


def test_names_with_colons_that_are_not_probabilities(tmp_path):
    path = write(tmp_path / "v.csv", WIDE.replace("a,b", "team:a,team:b"))
    assert triples(read_votes(path))[0] == ("1", "team:a", "no")


def test_repeated_votes(tmp_path):
    path = write(tmp_path / "v.csv", LONG + "\n2,b,no\n")
    with pytest.raises(DataError, match="labels item '2' in rows 5 and 7"):
        read_votes(path)
    assert triples(read_votes(path, duplicates="first")) == EXPECTED
    assert triples(read_votes(path, duplicates="all")) == sorted([*EXPECTED, ("2", "b", "no")])


# --- gold and crowd -------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["gold", "truth", "label", "ground_truth", "Gold", "whatever"])
def test_gold(tmp_path, column):
    text = f"item,{column}\n1,yes\n2,\n3,None\n4,no\n"
    labels = read_truth(write(tmp_path / "g.csv", text))
    assert labels == {"1": "yes", "4": "no"}
    assert labels.source == "g.csv"
    assert labels.notes == (
        f"g.csv: labels of 2 items; item = 'item', label = '{column}'.",
        "g.csv: 2 rows without an item or a label left out.",
    )


def test_gold_goes_before_label(tmp_path):
    labels = read_truth(write(tmp_path / "g.csv", "item,text,label,gold\n1,cats,no,yes\n"))
    assert labels == {"1": "yes"}
    path = write(tmp_path / "h.csv", "thing,text,right\n1,cats,no\n")
    assert read_truth(path, item="thing", label="right") == {"1": "no"}


def test_a_crowd_votes_and_ties_are_left_out(tmp_path):
    text = (
        "task,worker,label\n1,u,yes\n1,v,no\n1,w,yes\n2,u,no\n3,u,no\n3,v,yes\n4,u,a\n4,v,a\n"
        "4,w,b\n4,x,b\n4,y,c\n"
    )
    labels = read_truth(write(tmp_path / "crowd.csv", text))
    assert labels == {"1": "yes", "2": "no"}
    assert "3 items in several rows; the most frequent label counts" in labels.notes[1]
    assert labels.notes[2] == "crowd.csv: 2 items left out, whose labels tie."
    assert [note.severity for note in labels.notes] == ["info", "info", "caution"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,gold\n1,\n2,nan\n", "g.csv: no item has a label in 'gold'"),
        ("item,u,v\n1,yes,no\n", "g.csv: which column is the label of items"),
    ],
)
def test_gold_that_cannot_be_read(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_truth(write(tmp_path / "g.csv", text))


# --- groups ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header", ["classifier,group", "model,family", "judge,team", "worker,group", "x,y"]
)
def test_groups(tmp_path, header):
    path = write(tmp_path / "g.csv", f"{header}\na,one\nb,one\nc,\nd,two\na,one\n")
    assert read_groups(path) == {"a": "one", "b": "one", "d": "two"}


def test_groups_in_any_order_among_other_columns(tmp_path):
    path = write(tmp_path / "g.csv", "team,price,model\none,3,a\ntwo,4,b\n")
    assert read_groups(path) == {"a": "one", "b": "two"}


def test_groups_that_cannot_be_read(tmp_path):
    path = write(tmp_path / "g.csv", "classifier,group\na,one\n\nb,one\na,two\n")
    with pytest.raises(DataError, match=r"g\.csv, row 5: classifier 'a' is in group 'two' here"):
        read_groups(path)
    with pytest.raises(DataError, match="no column found for the group"):
        read_groups(write(tmp_path / "h.csv", "classifier,maker,price\na,x,1\n"))


def test_confidence_beside_verdicts_is_no_classifier(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("item,a,a_confidence,b\n1,x,0.9,x\n2,y,0.8,x\n3,x,0.7,y\n")
    votes = read_votes(path)
    assert isinstance(votes, Predictions)
    assert [(c.name, c.kind) for c in votes.classifiers] == [("a", "soft"), ("b", "hard")]


def test_scores_are_no_votes(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("item,a:x,a:y,b\n1,0.9,0.1,3.25\n2,0.5,0.5,4.5\n")
    votes = read_votes(path)
    assert votes.scores == ()
    assert votes.notes[-1] == "v.csv: scores are no votes; left out: 'b'."


def test_scores_of_some_classifiers_are_no_votes(tmp_path):
    path = tmp_path / "p.csv"
    rows = "".join(
        f"{i},judge,{'ab'[i % 2]}\n{i},other,{'ab'[i // 2 % 2]}\n{i},judge score,{i / 8}\n"
        for i in range(8)
    )
    path.write_text("item,classifier,label\n" + rows)
    votes = read_votes(path)
    assert isinstance(votes, Predictions)
    assert votes.labels == ("a", "b")
    assert any("scores are no votes; left out: 'judge score'" in note for note in votes.notes)


@pytest.mark.parametrize("header", ["item,label", "item,judge", "id,answer", "item,rater"])
def test_two_columns_are_one_classifier(tmp_path, header):
    path = tmp_path / "judge.csv"
    path.write_text(f"{header}\na,yes\nb,no\nc,yes\n")
    found = read_votes(path)
    assert [c.name for c in found.classifiers] == [header.split(",")[1]]
    assert found.labels == ("no", "yes")


def test_one_classifier_beside_the_text_of_items(tmp_path):
    path = tmp_path / "judge.csv"
    path.write_text("item,text,label\na,This is one.,yes\nb,This is two.,no\nc,And three.,yes\n")
    assert [c.name for c in read_votes(path).classifiers] == ["label"]


def test_items_that_stand_twice_need_a_classifier(tmp_path):
    path = tmp_path / "judges.csv"
    path.write_text("item,x,y,label\na,1,1,yes\na,2,2,no\nb,1,2,yes\n")
    with pytest.raises(DataError, match=r"no column found for the classifier.*classifier='\.\.\.'"):
        read_votes(path)


def test_repeated_votes_may_all_count(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("item,worker,label\na,x,1\na,x,2\nb,y,1\n")
    with pytest.raises(DataError, match=r"duplicates='first', or count each .* duplicates='all'"):
        read_votes(path)
