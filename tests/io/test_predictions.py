"""Predictions and votes of classifiers and judges."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from headcount import (
    DataError,
    Labels,
    Predictions,
    look,
    pairs,
    read_comparisons,
    read_predictions,
    read_ratings,
    running_example,
    scan_ratings,
    survey,
)
from headcount.io.facts import read_groups, read_truth
from headcount.io.predictions import read_votes
from headcount.io.write import write_predictions, write_ratings

SOFT = "item,lm:no,lm:yes\na,0.25,0.75\nb,1,0\n"


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


def test_wide_hard_soft_and_missing(tmp_path):
    text = "item,judge,lm:no,lm:yes,gpt:4\na,yes,0.25,0.75,no\nb,,1,0,\nc,no,,,yes\n"
    predictions = read_predictions(write(tmp_path / "p.csv", text))
    assert [(c.name, c.kind) for c in predictions.classifiers] == [
        ("judge", "hard"),
        ("lm", "soft"),
        ("gpt:4", "hard"),
    ]
    assert predictions.labels == ("no", "yes")
    judge, lm, gpt = (c.probability for c in predictions.classifiers)
    nan = [np.nan, np.nan]
    np.testing.assert_array_equal(judge, [[0, 1], nan, [1, 0]])
    np.testing.assert_array_equal(lm, [[0.25, 0.75], [1, 0], nan])
    np.testing.assert_array_equal(gpt, [[1, 0], nan, [0, 1]])


def test_long_hard_and_soft(tmp_path):
    text = (
        "item,classifier,label,probability\n"
        "a,lm,no,0.25\na,lm,yes,0.75\nb,lm,no,1\na,judge,yes,\nb,judge,no,\n"
    )
    predictions = read_predictions(write(tmp_path / "p.csv", text))
    judge, lm = predictions.classifiers
    assert (lm.name, lm.kind, judge.name, judge.kind) == ("lm", "soft", "judge", "hard")
    np.testing.assert_array_equal(lm.probability, [[0.25, 0.75], [1, 0]])
    np.testing.assert_array_equal(judge.probability, [[0, 1], [1, 0]])


def test_frames_and_files_agree(tmp_path):
    path = write(tmp_path / "p.csv", SOFT)
    expected = read_predictions(path).classifiers[0].probability
    for frame in (pd.read_csv(path), pl.read_csv(path)):
        np.testing.assert_array_equal(read_predictions(frame).classifiers[0].probability, expected)


def test_text_that_holds_numbers_in_a_frame():
    frame = pl.DataFrame({"item": ["a"], "lm:no": ["0.25"], "lm:yes": ["0.75"]})
    np.testing.assert_array_equal(
        read_predictions(frame).classifiers[0].probability, [[0.25, 0.75]]
    )


def test_numeric_labels_meet_however_they_are_written():
    labels = Labels.from_triples([1, 1, 2, 2], [1, 2, 1, 2], [1, 0, 1, 1])
    predictions = Predictions.from_labels([1, 2], {"h": ["1.0", "0.0"]})
    result = survey(labels, predictions, combiner="plurality", scorer="agreement", bootstrap=0)
    assert result["h"].score.value == 0.25


def test_written_files_come_back(tmp_path):
    labels, predictions = running_example(30, 4, seed=2)
    write_ratings(labels, tmp_path / "ratings.csv")
    write_predictions(predictions, tmp_path / "predictions.csv")
    from headcount import read_ratings

    again = read_ratings(tmp_path / "ratings.csv")
    np.testing.assert_array_equal(again.label, labels.label)
    np.testing.assert_array_equal(again.item, labels.item)
    back = read_predictions(tmp_path / "predictions.csv")
    for ours, theirs in zip(predictions.classifiers, back.classifiers, strict=True):
        assert (ours.name, ours.kind) == (theirs.name, theirs.kind)
        np.testing.assert_array_equal(ours.probability, theirs.probability)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("item,lm:no,lm:yes\na,0.5,0.5\nb,-0.1,1.1\n", r"row 3: .*'lm' .*'b'.*-0.1 .*'no'"),
        ("item,lm:no,lm:yes\na,0.5,0.4\n", r"row 2: .*sum to 0.9, not to 1"),
        ("item,lm:no,lm:yes\na,0.5,\n", "no probability for label 'yes'"),
        ("item,lm:no,lm:yes\na,0.5,0.5\nb,high,0.5\n", "row 3, column 'lm:no': .*found 'high'"),
        ("item,h\n,yes\n", "row 2, column 'item': no item"),
        ("item,h\na,yes\nb,no\na,no\n", "row 4: item 'a' has predictions already"),
        ("item\na\n", "no classifier"),
        ("item,model,label\na,m,x\na,m,x\n", "row 3: 'm' predicts a label for item 'a' a second"),
        ("item,model,label\na,m,x\na,m,y\n", "row 3: 'm' predicts a label for item 'a' a second"),
        ("item,model,label\na,m,\n", "no predictions; every value of 'm' is blank"),
        ("item,model,label,p\na,m,x,1\na,m,,0\n", "row 3, column 'label': blank. Fill it in"),
        ("item,model,label\na,,x\n", "row 2, column 'model': blank. Fill it in"),
        ("item,h\na,\nb,NA\n", "no predictions; every value of 'h' is blank"),
        ("item,h,confidence\na,x,0.9\nb,y,85\n", "row 3, column 'confidence': confidence 85"),
        ("item,model,label,conf\na,m,x,0.9\nb,m,y,-1\n", "row 3, column 'conf': confidence -1"),
        ("item,model,label,prob\na,m,x,0.5\na,m,y,0.6\n", "sum to 1.1"),
    ],
)
def test_bad_predictions_are_explained(tmp_path, text, message):
    with pytest.raises(DataError, match=message):
        read_predictions(write(tmp_path / "p.csv", text))


def test_sums_within_a_millionth_pass(tmp_path):
    text = "item,lm:no,lm:yes\na,0.5,0.5000009\n"
    assert len(read_predictions(write(tmp_path / "p.csv", text)).items) == 1


def test_hard_labels_that_are_numbers_in_columns_with_colons(tmp_path):
    text = "item,llama3:8b,llama3:70b\na,1,1\nb,0,1\n"
    predictions = read_predictions(write(tmp_path / "p.csv", text))
    assert [(c.name, c.kind) for c in predictions.classifiers] == [
        ("llama3:8b", "hard"),
        ("llama3:70b", "hard"),
    ]


def test_item_column_of_long_predictions(tmp_path):
    text = "model,sample,label,prob\nm,a,x,0.5\nm,a,y,0.5\n"
    assert read_predictions(write(tmp_path / "p.csv", text)).items.tolist() == ["a"]
    text = "model,thing,label\nm,a,x\nm,b,y\n"
    assert read_predictions(write(tmp_path / "p.csv", text)).items.tolist() == ["a", "b"]
    text = "model,thing,other,label\nm,a,1,x\n"
    with pytest.raises(DataError, match="no column found for the item"):
        read_predictions(write(tmp_path / "p.csv", text))


# --- rounded probabilities ------------------------------------------------------------------------


def test_rounded_probabilities_are_divided_by_their_sum(tmp_path):
    text = "item,lm:a,lm:b,lm:c\n1,0.3334,0.3334,0.3333\n2,0.5,0.25,0.25\n3,0.33,0.33,0.33\n"
    read = read_predictions(write(tmp_path / "p.csv", text))
    table = read.classifiers[0].probability
    np.testing.assert_allclose(table.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(table[2], 1 / 3)
    assert read.notes[-1] == (
        "p.csv: probabilities of 'lm' for 2 items sum to 1 within 0.01 only, and were divided by "
        "their sum."
    )
    off = text.replace("0.33,0.33,0.33\n", "0.33,0.33,0.32\n")
    with pytest.raises(DataError, match=r"row 4: .*'lm' .*sum to 0.98, not to 1 within 0.01"):
        read_predictions(write(tmp_path / "q.csv", off))


# --- nested probabilities -------------------------------------------------------------------------


def lines(path, records):
    return write(path, "".join(json.dumps(record) + "\n" for record in records))


def test_nested_probabilities_are_refused(tmp_path):
    """Written into columns they are read, as the refusal says."""
    records = [
        {"id": "a", "probs": {"yes": 0.7, "no": 0.3}, "reason": "fine"},
        {"id": "b", "probs": {"no": 1.0}, "reason": "bad"},
    ]
    long = [{"item": i, "model": m, "probs": {"yes": 0.5, "no": 0.5}} for i in "ab" for m in "mk"]
    for data in (lines(tmp_path / "p.jsonl", records), records, long):
        with pytest.raises(DataError, match=r"cells of 'probs' are lists.*called name:label"):
            read_predictions(data)
    flat = [{"id": row["id"]} | {f"m:{k}": row["probs"].get(k, 0) for k in ("no", "yes")}
            for row in records]  # fmt: skip
    (made,) = read_predictions(flat).classifiers
    np.testing.assert_allclose(made.probability, [[0.3, 0.7], [1, 0]])


# --- verdict and confidence -----------------------------------------------------------------------


@pytest.mark.parametrize("names", [("verdict", "confidence"), ("judge", "judge_confidence"),
                                   ("label", "score"), ("gpt", "probability")])  # fmt: skip
def test_a_verdict_with_confidence(tmp_path, names):
    text = f"item,{','.join(names)}\na,yes,0.9\nb,no,0.6\nc,,\nd,no,\n"
    read = read_predictions(write(tmp_path / "p.csv", text))
    (judge,) = read.classifiers
    assert (judge.name, judge.kind) == (names[0], "soft")
    nan = [np.nan, np.nan]
    np.testing.assert_allclose(judge.probability, [[0.1, 0.9], [0.6, 0.4], nan, [1, 0]])
    assert "the rest goes to the other label." in read.notes[-1]


def test_a_verdict_among_three_labels_shares_the_rest(tmp_path):
    text = "item,model,label,confidence\na,m,x,0.8\nb,m,y,0.5\nc,m,z,1\n"
    read = read_predictions(write(tmp_path / "p.csv", text))
    (m,) = read.classifiers
    assert m.kind == "soft"
    np.testing.assert_allclose(m.probability, [[0.8, 0.1, 0.1], [0.25, 0.5, 0.25], [0, 0, 1]])
    assert "the rest goes to the other labels in equal parts." in read.notes[-1]


def test_a_probability_of_one_label_is_refused_as_confidence(tmp_path):
    """Where the number is low just where the verdict is no, it is the probability of yes."""
    text = "item,verdict,score\na,yes,0.9\nb,no,0.2\nc,no,0.4\n"
    path = write(tmp_path / "p.csv", text)
    with pytest.raises(DataError, match=r"column 'score'.*probability of 'yes'.*ignore='score'"):
        read_predictions(path)
    assert read_predictions(path, ignore=["score"]).classifiers[0].kind == "hard"
    both = {"item": list("abc"), "verdict:no": [0.1, 0.8, 0.6], "verdict:yes": [0.9, 0.2, 0.4]}
    assert read_predictions(both).classifiers[0].probability[:, 1].tolist() == [0.9, 0.2, 0.4]
    mixed = text + "d,yes,0.3\n"
    read = read_predictions(write(tmp_path / "q.csv", mixed))
    np.testing.assert_allclose(read.classifiers[0].probability[:, 1], [0.9, 0.8, 0.6, 0.3])
    assert read.notes[-1].severity == "warning"


def test_one_verdict_only_leaves_its_confidence_out(tmp_path):
    read = read_predictions(write(tmp_path / "p.csv", "item,verdict,confidence\na,yes,0.9\n"))
    assert read.classifiers[0].kind == "hard"
    assert "uses one label only" in read.notes[-1]


# --- scores, and labels that no rater uses --------------------------------------------------------


def test_scores_are_read_and_calibrated_by_survey(tmp_path):
    read = read_predictions(write(tmp_path / "p.csv", "item,judge,h\na,0.25,x\nb,0.5,y\nc,,x\n"))
    assert [c.name for c in read.classifiers] == ["h"]
    (score,) = read.scores
    np.testing.assert_array_equal(score.values, [0.25, 0.5, np.nan])
    assert repr(read) == "Predictions for 3 items: h (hard), judge (score); labels x, y"
    ratings = Labels.from_triples(["a", "a", "b", "b"], [1, 2, 1, 2], ["x", "x", "y", "x"])
    shown = survey(ratings, read, bootstrap=0, ceiling=False)
    assert [c.calibration for c in shown.classifiers] == ["empirical", "ordered-logit"]
    assert any("'judge' (0.25 to 0.5)" in note for note in shown.notes)
    with pytest.raises(DataError, match=r"'judge' gives scores from 0.25 to 0.5.*Calibrate them"):
        read.align(["x", "y"], rated_in="ratings")
    alone = read_predictions(tmp_path / "p.csv", ignore=["h"])
    assert (alone.classifiers, alone.labels) == ((), ())


def test_scores_that_are_all_labels_of_the_raters_are_labels():
    read = read_predictions({"item": [1, 2, 3], "h": [0.5, 1, None]})
    assert len(read.scores) == 1
    aligned = read.align(["0.5", "1", "1.5"], rated_in="ratings")
    (h,) = aligned.classifiers
    assert (h.kind, aligned.scores) == ("hard", ())
    np.testing.assert_array_equal(h.probability, [[1, 0, 0], [0, 1, 0], [np.nan] * 3])


def test_long_scores_and_their_order():
    columns = {"item": [2, 1, 1], "model": ["m", "m", "k"], "score": [0.125, 7.5, 3.25]}
    read = read_predictions(columns)
    assert read.items.tolist() == [1, 2]
    k, m = read.scores
    np.testing.assert_array_equal(m.values, [7.5, 0.125])
    np.testing.assert_array_equal(k.values, [3.25, np.nan])
    both = read + Predictions.from_labels([1, 2], {"h": ["x", "y"]})
    assert [score.name for score in both.scores] == ["k", "m"]


def test_labels_that_no_rater_uses_are_read():
    read = read_predictions({"item": ["a", "b"], "h": ["good", "bad"]})
    assert read.labels == ("bad", "good")
    ratings = Labels.from_triples(["a", "a", "b", "b"], [1, 2, 1, 2], [1, 2, 1, 1])
    with pytest.raises(DataError, match="'h' uses none of the raters' labels"):
        survey(ratings, read, bootstrap=0, ceiling=False)
    with pytest.raises(DataError, match=r"2 labels predicted by 'h' that no rater in .* uses"):
        read.align(["1", "2"], rated_in="ratings")


@pytest.mark.parametrize(
    ("columns", "kinds"),
    [
        ({"llama:8b": [7.5, 8.25], "llama:70b": [9.5, 3.0]}, ["score", "score"]),
        ({"llama:8b": ["x", "y"], "llama:70b": ["y", "y"]}, ["hard", "hard"]),
        ({"gpt:4:no": [0.5, 1], "gpt:4:yes": [0.5, 0]}, ["soft"]),
        ({"lm:yes": [0.25, 0.5]}, ["score"]),
        ({"a:x": [1, 0], "a:y": [0, 1]}, ["soft"]),
    ],
)
def test_names_with_colons(columns, kinds):
    read = read_predictions({"item": [1, 2]} | columns)
    found = {c.name: c.kind for c in read.classifiers} | {s.name: "score" for s in read.scores}
    assert list(found.values()) == kinds
    first = next(iter(columns))
    assert next(iter(found)) == (first.rpartition(":")[0] if kinds == ["soft"] else first)


# --- missing values, rows and columns -------------------------------------------------------------


def test_missing_is_missing(tmp_path):
    text = "item,h,k\na,yes,99\nb,NA,yes\nc,no,n/a\nd,no,no\n"
    read = read_predictions(write(tmp_path / "p.csv", text), missing=[99])
    assert read.labels == ("no", "yes")
    h, k = read.classifiers
    assert h.predicted.tolist() == [True, False, True, True]
    assert k.predicted.tolist() == [False, True, False, True]


def test_rows_that_are_chosen_and_labels_that_are_merged(tmp_path):
    text = "item,h,split\na,Yes,test\nb,yes,test\nc,no,train\nd,no,test\ne,yes,test\n"
    path = write(tmp_path / "p.csv", text)
    read = read_predictions(path, where={"split": "test"}, merge=["case"], ignore=[])
    assert read.items.tolist() == ["a", "b", "d", "e"]
    assert [c.name for c in read.classifiers] == ["h"]
    assert "yes" in read.labels
    assert "Yes" not in read.labels
    assert sum(read.dropped.values()) == 1


def test_what_the_table_says_is_passed_on(tmp_path, monkeypatch):
    """Sources, dropped answers and notes of a format come with the data."""
    from headcount.io import opening as room
    from headcount.results.notes import Note, Source

    opened = room._open

    def open_(*given, **more):
        table = opened(*given, **more)
        table.notes = (Note("from a tool."),)
        table.sources = (Source(name="p.csv", format="csv", rows=2),)
        table.dropped = {"cancelled": 3}
        return table

    monkeypatch.setattr(room, "_open", open_)
    read = read_predictions(write(tmp_path / "p.csv", "item,h\na,x\nb,y\n"))
    assert (read.notes[0], read.sources[0].name, read.dropped) == (
        "from a tool.", "p.csv", {"cancelled": 3},
    )  # fmt: skip
    compared = read_comparisons(write(tmp_path / "c.csv", "left,right,winner\np,q,p\nq,q,q\n"))
    assert compared.notes[0] == "from a tool."
    assert compared.dropped == {"cancelled": 3, "self-comparison": 1}
    data = pairs(compared).to_dict()["data"]
    assert data["dropped"] == {"cancelled": 3, "self-comparison": 1}
    assert data["sources"][0]["name"] == "p.csv"


def test_classifiers_of_the_same_name(tmp_path):
    with pytest.raises(DataError, match="row 1: several columns are called 'h'"):
        read_predictions(write(tmp_path / "p.csv", "item,h,h\na,x,y\n"))
    predictions = Predictions.from_labels([1], {"h": ["x"]})
    with pytest.raises(DataError, match="same name: 'h'"):
        predictions + predictions


@pytest.mark.parametrize(
    ("columns", "name"),
    [
        (("no", "yes", "maybe"), "classifier"),
        (("p_no", "p_yes", "p_maybe"), "classifier"),
        (("no_prob", "yes_prob", "maybe_prob"), "classifier"),
        (("gpt_no", "gpt_yes", "gpt_maybe"), "gpt"),
    ],
)
def test_columns_that_sum_to_1_are_probabilities_of_one_classifier(tmp_path, columns, name):
    path = tmp_path / "p.csv"
    rows = "".join(f"e{i},0.2,0.7{i % 2},0.1\n" for i in range(6))
    path.write_text("id," + ",".join(columns) + "\n" + rows)
    read = read_predictions(path)
    (classifier,) = read.classifiers
    assert (classifier.name, classifier.kind, list(read.labels)) == (
        name, "soft", ["maybe", "no", "yes"],
    )  # fmt: skip
    assert np.allclose(classifier.probability[0], [0.1, 0.2, 0.7])
    assert any("sum to 1 in every row" in note for note in read.notes)
    assert look(path).seen[0].kind == "predictions"
    with pytest.raises(DataError, match=r"sum to 1 in every row.*Give them as predictions"):
        read_ratings(path)


def test_scores_of_several_classifiers_are_no_probabilities():
    read = read_predictions({"id": [1, 2, 3], "gpt": [0.2, 0.9, 0.5], "llama": [0.8, 0.2, 0.5]})
    assert [one.name for one in read.scores] == ["gpt", "llama"]


def test_percentages_are_refused():
    percent = {"item": [1, 2, 3], "lm:no": [20, 5, 99.5], "lm:yes": [80, 95, 0.5]}
    with pytest.raises(DataError, match=r"sum to 100 and not to 1.*by 100"):
        read_predictions(percent)
    apart = {"item": [1, 2, 3], "lm:small": [20, 5, 99.5], "lm:large": [80.5, 3, 7]}
    assert len(read_predictions(apart).scores) == 2  # of two classifiers


@pytest.mark.parametrize(
    ("names", "rows"),
    [
        (["yes", "no", "maybe"], [(0.9, 0.8, 0.1), (0.2, 0.7, 0.4)]),  # sigmoid of each
        (["p_yes", "p_no"], [(0.9, 0.8), (0.2, 0.7)]),
        (["yes", "no"], [(2.5, -1.25), (-0.5, 3.75)]),  # log-odds
        (["toxic", "insult"], [(1, 1), (0, 0)]),  # two questions
        (["1", "2", "3"], [(0.5, 0.1, 1.9), (0.25, 0.5, 0.75)]),
    ],
)
def test_columns_called_like_labels_that_are_no_probabilities_are_refused(names, rows):
    columns = {"item": ["a", "b"], **dict(zip(names, zip(*rows, strict=True), strict=True))}
    with pytest.raises(DataError, match=r"sum to .* and not to 1.*softmax"):
        read_predictions({name: list(values) for name, values in columns.items()})


def test_columns_of_percentages_are_refused():
    columns = {"item": ["a", "b", "c"], "cat": [40, 70, 5], "dog": [60, 30, 95]}
    with pytest.raises(DataError, match=r"sum to 100 and not to 1.*by 100"):
        read_predictions(columns)


def test_scores_of_several_classifiers_are_read():
    columns = {"item": ["a", "b"], "gpt": [0.9, 0.2], "llama": [0.8, 0.7]}
    assert [score.name for score in read_predictions(columns).scores] == ["gpt", "llama"]


@pytest.mark.parametrize("names", [("cat", "dog"), ("Cat", "DOG"), ("gpt_cat", "gpt_dog")])
def test_scores_that_are_called_like_labels_of_raters(names):
    said = read_predictions({"item": [1, 2], names[0]: [0.9, 0.4], names[1]: [0.3, 0.8]})
    with pytest.raises(DataError, match="called like labels of raters"):
        said.among(["cat", "dog"])
    assert len(said.among(["bird", "dog"]).scores) == 2


def test_scores_of_numbered_judges_beside_numbers():
    said = read_predictions({"item": [1, 2], "judge_1": [0.9, 0.4], "judge_2": [0.3, 0.8]})
    assert len(said.among(["1", "2"]).scores) == 2


@pytest.mark.parametrize("form", ["csv", "parquet", "frame"])
def test_infinity_is_no_probability(tmp_path, form):
    frame = pd.DataFrame(
        {"item": range(4), "m:a": [0.1, 0.2, 0.3, np.inf], "m:b": [0.9, 0.8, 0.7, 0]}
    )
    path = tmp_path / f"p.{form}"
    if form == "csv":
        frame.to_csv(path, index=False)
    elif form == "parquet":
        frame.to_parquet(path)
    with pytest.raises(DataError, match="expected a number, found 'inf'"):
        read_predictions(frame if form == "frame" else path)


def test_columns_about_records_are_no_classifiers(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(
        "id,judge,status,latency_ms,trace_id,error,gold\n"
        "1,yes,ok,1.5,t1,,yes\n2,no,ok,2.5,t2,,yes\n3,no,failed,1.1,t3,,no\n"
    )
    read = read_predictions(path)
    assert [one.name for one in read.classifiers] == ["judge"]
    assert not read.scores
    said = [note for note in read.notes if note.severity == "caution"]
    assert any("'status', 'latency_ms', 'trace_id', 'error'" in note for note in said)
    assert any("'gold'" in note or "1 more" in note for note in said)


def test_lists_written_as_text_are_refused(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("id,labels\n1,\"['a', 'b']\"\n2,['a']\n")
    with pytest.raises(DataError, match="hold more than a number or a label"):
        read_predictions(path)


def test_a_classifier_that_says_nothing_is_left_out_beside_scores(tmp_path):
    """Its labels were none, and counting its items an error."""
    path = tmp_path / "p.csv"
    path.write_text("item,classifier,label\na,x,99\nb,x,99\na,y,0.3\nb,y,0.4\n")
    read = read_predictions(path, missing=["99"])
    assert [one.name for one in read.scores] == ["y"]
    assert not read.classifiers
    assert any("left out, since every value is blank: 'x'" in note for note in read.notes)
    path.write_text("item,x,y\na,NA,yes\nb,NA,no\n")
    assert [one.name for one in read_predictions(path).classifiers] == ["y"]


@pytest.mark.parametrize("engine", [None, "duckdb"])
def test_a_column_called_judge_that_holds_verdicts(tmp_path, engine):
    """What a judge said is no name of a classifier, and values do not make it one."""
    ratings, said = tmp_path / "ratings.csv", tmp_path / "said.csv"
    rows = [
        (item, who, "yes" if (item + who) % 3 else "no") for item in range(40) for who in (0, 1)
    ]
    ratings.write_text("item,rater,label\n" + "".join(f"{i},r{r},{x}\n" for i, r, x in rows))
    verdicts = [("yes", 0.9) if item % 3 else ("no", 0.8) for item in range(40)]
    said.write_text(
        "item,judge,score\n" + "".join(f"{i},{v},{p}\n" for i, (v, p) in enumerate(verdicts))
    )
    taken = ratings if engine is None else scan_ratings(ratings, engine=engine)
    refused = "holds labels of raters" if engine is None else "read into memory only"
    with pytest.raises(DataError, match=refused):
        survey(taken, said, bootstrap=0)
    alone = read_predictions(said, labels=["no", "yes"], ignore=["score"])
    assert (alone.classifiers[0].name, alone.classifiers[0].kind) == ("judge", "hard")
    said.write_text(said.read_text().replace("judge,score", "verdict,confidence"))
    assert survey(taken, said, bootstrap=0).classifiers[0].name == "verdict"


# Judges that answer several questions of an item.

ROWS = [
    {"sample_id": f"s{n}", "judge": judge, "criterion": asked, "score": (n + shift) % 3}
    for n in range(6)
    for judge, shift in (("gpt", 0), ("claude", 1))
    for asked, shift in (("helpful", shift), ("safe", 2))
]


def test_questions_of_judges_are_listed_and_chosen():
    with pytest.raises(DataError, match="2 questions have answers: 'helpful', 'safe'"):
        read_predictions(ROWS)
    made = read_predictions(ROWS, question="safe")
    assert [one.name for one in made.classifiers] == ["claude", "gpt"]
    expected = [[str((n + 2) % 3) == label for label in made.labels] for n in range(6)]
    for one in made.classifiers:
        assert one.probability.tolist() == expected


def test_the_question_of_other_data_is_that_of_all_rows():
    one = [row for row in ROWS if row["criterion"] == "safe"]
    made = read_predictions(one, question="harmless")
    assert made.classifiers[0].predicted.all()
    wide = {"item": ["a", "b"], "gpt": ["x", "y"]}
    assert read_predictions(wide, question="safe").labels == ("x", "y")


# Answers of judges within records.

SCORES = [4, 2, 5, 4, 1, 3]
IDS = [f"c{n}" for n in range(6)]


def hard(predictions):
    """Classifiers with the labels that they give, in the order of items."""
    labels = predictions.labels
    return {
        one.name: [labels[row.argmax()] for row in one.probability]
        for one in predictions.classifiers
    }


@pytest.mark.parametrize("more", [{}, {"model": "gpt"}])
def test_answers_within_records_are_refused(more):
    rows = [{"conversation_id": i, **more, "output": {"score": s, "reasoning": "x"}}
            for i, s in zip(IDS, SCORES, strict=True)]  # fmt: skip
    with pytest.raises(DataError, match="Give the label a column of its own"):
        read_predictions(rows)
    flat = [{**row, "score": row["output"]["score"]} for row in rows]
    read = hard(read_predictions(flat, ignore=["output"], labels=list("12345")))
    assert read["gpt" if more else "score"] == [str(score) for score in SCORES]


def test_what_only_says_how_rows_came_to_be_is_no_judge():
    data = {"item": IDS, "latency_ms": [445, 770, 710, 300, 512, 601]}
    with pytest.raises(DataError, match="'latency_ms' says how rows came to be"):
        read_predictions(data, labels=list("12345"))
    renamed = {"item": IDS, "judge": ["ok", "bad"] * 3}
    assert read_predictions(renamed, labels=["bad", "ok"]).labels == ("bad", "ok")


def test_columns_are_left_out_by_their_names_only():
    """What a column holds may refuse it, and never drops it."""
    items = [f"i{n}" for n in range(30)]
    verdicts = ["yes", "no", "no"] * 10
    texts = {
        "item": items,
        "utterance": [f"An utterance number {n}" for n in range(30)],
        "j": verdicts,
    }
    with pytest.raises(
        DataError, match=r"column 'utterance': 30 different texts.*ignore='utterance'"
    ):
        read_predictions(texts)
    assert [c.name for c in read_predictions(texts, ignore=["utterance"]).classifiers] == ["j"]
    same = {"item": items, "benchmark_run": ["a"] * 30, "j": verdicts}
    assert [c.name for c in read_predictions(same).classifiers] == ["benchmark_run", "j"]


def test_labels_may_be_none():
    columns = {"item": ["a", "b"], "h": ["good", "bad"]}
    assert read_predictions(columns, labels=None).labels == ("bad", "good")


# What blind evaluation reads: labels of classifiers, gold or crowd labels, and groups.

EXPECTED = [("1", "a", "no"), ("1", "b", "yes"), ("2", "a", "yes"), ("2", "b", "yes")]
LONG = "item,classifier,label\n1,a,no\n1,b,yes\n2,a,yes\n2,b,yes\n"
WIDE = "item,a,b\n1,no,yes\n2,yes,yes\n"


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
    with pytest.raises(DataError, match="no column 'golt'"):
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
    assert votes.notes[-1] == "v.csv: scores are not votes; left out: 'b'."


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
    assert any("scores are not votes; left out: 'judge score'" in note for note in votes.notes)


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
    with pytest.raises(DataError, match="classifier='x'"):
        read_votes(path)
    assert len(read_votes(path, classifier="x", ignore=["y"]).raters) == 2


def test_repeated_votes_may_all_count(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("item,worker,label\na,x,1\na,x,2\nb,y,1\n")
    with pytest.raises(DataError, match=r"duplicates='first'. To count each .* duplicates='all'"):
        read_votes(path)
